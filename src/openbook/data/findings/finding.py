"""A finding: a suspicion about the table, in words that say what was seen and what to do.

"warn" means that a model fitted to the table as it stands is likely to mislead; "note" means that it is worth
knowing. Nothing is ever changed.
"""

import re
from dataclasses import asdict, dataclass
from typing import Any, Literal

#: In fewer rows hardly any pattern can be distinguished from chance.
TINY = 50
#: The fewest values of a column that names individuals, and the most rows of each.
INDIVIDUALS, ROWS_EACH = 20, 50


@dataclass(frozen=True)
class Finding:
    """Something seen in the table: where, how grave, and what to do."""

    kind: str
    columns: tuple[str, ...]
    severity: Literal["warn", "note"]
    message: str

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "columns": list(self.columns)}


def step_name(name: str) -> str:
    """A column as a step of preparation names it: in quotes where it is more than a word.

    >>> step_name("age"), step_name("annual income")
    ('age', "'annual income'")
    """
    return name if re.fullmatch(r"[^\W\d][\w.-]*", name) else f"'{name}'"
