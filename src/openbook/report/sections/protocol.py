"""How the learners were judged, in words."""

from collections.abc import Iterator

from openbook.report import words
from openbook.report.blocks import Block, Heading, Items, Part, Text
from openbook.report.study import StudyResult


def part(result: StudyResult) -> Part:
    blocks: list[Block] = [Items([*words.protocol_words(result), *_roles(result), *_columns(result)])]
    if caution := words.caution(result):
        blocks.append(Text(caution, "caution"))
    if result.notes:
        blocks += [Heading("How the plan came about"), Items(result.notes)]
    return Part("protocol", "How learners were judged", tuple(blocks))


def _roles(result: StudyResult) -> Iterator[str]:
    """What columns other than inputs do."""
    said = {
        "id": "{} names the rows; no learner sees it.",
        "group": "Rows that share {} train or test together; no learner sees it.",
        "time": "Rows stand in order of {}: the past trains, the future tests.",
        "weight": "Rows count by {} in learning.",
        "sensitive": "Fairness is judged by {}.",
        "ignore": "Left out: {}.",
    }
    for role, sentence in said.items():
        if columns := result.roles.get(role):
            yield sentence.format(columns if isinstance(columns, str) else ", ".join(columns))


def _columns(result: StudyResult) -> Iterator[str]:
    """Which learners were given other columns than the most."""
    widest = max(map(len, result.columns.values()), default=0)
    sets: dict[tuple[str, ...], list[str]] = {}
    for label, names in result.columns.items():
        if len(names) < widest:
            sets.setdefault(names, []).append(label)
    for names, labels in sets.items():
        yield f"{', '.join(labels)}: of the {widest} inputs only {', '.join(names)}."
