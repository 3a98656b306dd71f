"""How to do it again: commands, the plan, seed and versions."""

import tomllib

from openbook.report import words
from openbook.report.blocks import Block, Code, Fold, Line, Part, Table, Text
from openbook.report.study import StudyResult

_COMMANDS = """\
openbook study plan.toml          # the same study
openbook export plan.toml         # the same study as a Python script
openbook predict model.openbook new.csv -o predicted.csv
openbook work model.openbook new.csv --row 0"""

_TREE = """
openbook rules model.openbook --format sql
openbook draw model.openbook -o tree.svg"""


def part(result: StudyResult) -> Part:
    tree = getattr(result.model, "tree_", None) is not None
    blocks: list[Block] = [
        Text(
            "The plan records the fingerprint of the data, the learners and their parameters, the split and"
            " its seed. The same plan with the same versions gives the same results."
        ),
        Code(_COMMANDS + (_TREE if tree else "")),
        Text(words.model_words(result), "note"),
        Table("Versions and seed", ("", ""), tuple(Line(pair) for pair in _facts(result))),
        Fold("plan.toml", [Code(result.plan)]),
    ]
    return Part("again", "Reproduce", tuple(blocks))


def _facts(result: StudyResult) -> list[tuple[str, str]]:
    plan = tomllib.loads(result.plan)
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    facts = [("versions", versions)]
    if (random_state := plan.get("protocol", {}).get("random_state")) is not None:
        facts.append(("seed", str(random_state)))
    if fingerprint := plan.get("data", {}).get("sha256"):
        facts.append(("SHA-256 of the data", fingerprint))
    return [*facts, ("all predictions", "results.jsonl, one line for each learner and fold")]
