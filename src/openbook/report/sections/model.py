"""What the worked models look like."""

from openbook.report.blocks import Part
from openbook.report.portrait import portraits
from openbook.report.study import StudyResult


def part(result: StudyResult) -> Part:
    return Part("model", "The model", tuple(portraits(result)))
