"""Each public name has one meaning: a class or function has one home, unless a reason is listed."""

import ast
from collections import defaultdict
from pathlib import Path

SOURCE = Path(__file__).parents[2] / "src" / "openbook"

#: Names with several homes, and why that helps a reader. Fewer than 40.
REASONS = {
    "derive_model": "the twin of each family: how its model was learnt",
    "derive_row": "the twin of each family: how its prediction was made",
    "part": "each section of a report is made by its own `part`",
}

#: Names that still have several meanings.
PENDING = {
    "Binomial",
    "Candidate",
    "Categorical",
    "Choice",
    "Contingency",
    "Cut",
    "EncodedRows",
    "Evidence",
    "Examples",
    "Facts",
    "Groups",
    "Likelihood",
    "Line",
    "Measure",
    "Number",
    "Numbers",
    "Pairs",
    "Path",
    "Plain",
    "Point",
    "Polynomial",
    "Protocol",
    "Radial",
    "Row",
    "Rows",
    "Rule",
    "Scale",
    "Scored",
    "Search",
    "Share",
    "Solution",
    "Space",
    "Split",
    "Table",
    "Text",
    "Training",
    "Votes",
    "add_votes",
    "add_weights",
    "adjusted",
    "answer",
    "average",
    "bars",
    "beats",
    "best_of",
    "checked",
    "choose",
    "code_of",
    "codes_of",
    "coefficient_table",
    "compare",
    "cost",
    "count",
    "count_together",
    "counted",
    "dealt",
    "derive",
    "describe",
    "disagreement",
    "draw",
    "drawn",
    "drop_of",
    "export",
    "gathered",
    "grouped",
    "how_many",
    "in_words",
    "intervals",
    "joined",
    "judged",
    "kappa",
    "lay_out",
    "leaks",
    "learners",
    "left_out",
    "level",
    "linear_scores",
    "meet",
    "narrow",
    "newcombe",
    "number",
    "parse",
    "plain",
    "plogp",
    "probabilities",
    "put",
    "read",
    "rules",
    "scan",
    "search",
    "seconds_of",
    "sets",
    "settings_of",
    "short",
    "shortened",
    "side_by_side",
    "signed",
    "slope",
    "slopes",
    "solve",
    "some_rows",
    "spell",
    "study",
    "to_html",
    "to_text",
    "tolerance",
    "totals_of",
}  # fmt: skip


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
    assert {name: files for name, files in twice.items() if name not in {*REASONS, *PENDING}} == {}
    assert len(REASONS) < 40


def test_what_is_listed_still_has_several_homes():
    found = homes()
    assert [name for name in (*REASONS, *sorted(PENDING)) if len(found[name]) < 2] == []
