"""Each public name has one meaning: a class or function has one home, unless a reason is listed."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "openbook"

#: Names with several homes, and why that helps a reader. Fewer than 10.
REASONS = {
    "derive_model": "the twin of each family: how its model was learnt",
    "derive_row": "the twin of each family: how its prediction was made",
    "Categorical": "a kind of column, and the distribution of such a column",
    "Protocol": "how a plan says that learners are judged, and the splitter made by it",
    "disagreement": "of the members of an ensemble, and of two models row by row",
}


def homes():
    """The files that define each public class and function."""
    found = defaultdict(set)
    for path in SOURCE.rglob("*.py"):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if isinstance(node, ast.ClassDef | ast.FunctionDef) and not node.name.startswith("_"):
                found[node.name].add(str(path.relative_to(SOURCE)))
    return found


def test_each_public_name_has_one_home():
    twice = {name: sorted(files) for name, files in homes().items() if len(files) > 1}
    assert {name: files for name, files in twice.items() if name not in REASONS} == {}
    assert len(REASONS) < 10


def test_what_is_listed_still_has_several_homes():
    found = homes()
    assert [name for name in REASONS if len(found[name]) < 2] == []
