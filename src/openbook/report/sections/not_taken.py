"""What was not looked at, and why."""

from openbook.report import words
from openbook.report.blocks import Items, Part
from openbook.report.study import StudyResult

#: The looks, as a reader calls them.
_NAMES = {
    "attributes": "the score of each column",
    "leaks": "leaks",
    "without_suspects": "the score without the columns that give the target away",
    "mistakes": "the most confident mistakes",
    "segments": "the worst segments",
    "fairness": "fairness",
    "costs": "costs",
    "importance": "permutation importance",
    "curve": "the learning curve",
    "diagnosis": "the diagnosis",
}


def part(result: StudyResult) -> Part | None:
    reasons: dict[str, list[str]] = {}
    for look, reason in result.looks.why_not.items():
        reasons.setdefault(reason, []).append(_NAMES.get(look, look))
    if not reasons:
        return None
    lines = [f"{words.title(', '.join(looks))}: {reason}." for reason, looks in reasons.items()]
    return Part("not-taken", "Skipped analyses", (Items(lines),))
