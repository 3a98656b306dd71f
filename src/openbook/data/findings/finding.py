"""A finding: a suspicion about the table, in words that say what was seen and what to do.

"warn" means that a model fitted to the table as it stands is likely to mislead; "note" means that it is worth
knowing. Nothing is ever changed.
"""

from dataclasses import asdict, dataclass
from typing import Any, Literal

__all__ = ["TINY", "Finding", "plural", "short"]

#: Below this many rows hardly anything can be told from chance.
TINY = 50


@dataclass(frozen=True)
class Finding:
    """Something seen in the table: where, how grave, and what to do."""

    kind: str
    columns: tuple[str, ...]
    severity: Literal["warn", "note"]
    message: str

    def to_json(self) -> dict[str, Any]:
        return {**asdict(self), "columns": list(self.columns)}


def short(x: float) -> str:
    """A number in few characters.

    >>> [short(x) for x in (5.843333, 120000.0, 0.0, 0.012345, 1.5e-7, 12345678901.0)]
    ['5.843', '120,000', '0', '0.0123', '1.5e-07', '1.235e+10']
    """
    if 1e4 <= abs(x) < 1e9:
        return f"{x:,.0f}"
    return f"{x:.4g}" if abs(x) >= 1 else f"{x:.3g}"


def plural(count: int, noun: str) -> str:
    """A count with its noun.

    >>> plural(1, "row"), plural(1200, "row"), plural(2, "class")
    ('1 row', '1,200 rows', '2 classes')
    """
    ending = "" if count == 1 else "es" if noun.endswith("s") else "s"
    return f"{count:,} {noun}{ending}"
