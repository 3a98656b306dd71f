"""How the learners were judged, in words."""

from collections.abc import Iterator

from openbook.report import words
from openbook.report.blocks import Block, Heading, Items, Part, Text
from openbook.report.study import StudyResult
from openbook.words.sentences import listed

#: Columns that are named.
_MOST_NAMES = 20


def part(result: StudyResult) -> Part:
    blocks: list[Block] = [Items([*words.protocol_words(result), *_roles(result), *_columns(result)])]
    if caution := words.caution(result):
        blocks.append(Text(caution, "caution"))
    if result.notes:
        blocks += [Heading("Decisions of the plan"), Items(result.notes)]
    return Part("protocol", "Evaluation protocol", tuple(blocks))


def _roles(result: StudyResult) -> Iterator[str]:
    """What columns other than inputs do."""
    said = {
        "id": "{} is the row ID; it is not used as a feature.",
        "group": "Rows with the same {} stay in the same fold; it is not used as a feature.",
        "time": "Rows are ordered by {}: models are trained on the past and tested on the future.",
        "weight": "Rows count by {} in learning.",
        "sensitive": "Fairness is evaluated between the groups of {}.",
        "ignore": "Not used as features: {}.",
    }
    for role, sentence in said.items():
        if columns := result.roles.get(role):
            yield sentence.format(columns if isinstance(columns, str) else listed(columns, _MOST_NAMES))


def _columns(result: StudyResult) -> Iterator[str]:
    """Which learners were given other columns than the most."""
    widest = max(map(len, result.columns.values()), default=0)
    sets: dict[tuple[str, ...], list[str]] = {}
    for label, names in result.columns.items():
        if len(names) < widest:
            sets.setdefault(names, []).append(label)
    for names, labels in sets.items():
        yield f"{', '.join(labels)}: of the {widest} features only {listed(names, _MOST_NAMES)}."
