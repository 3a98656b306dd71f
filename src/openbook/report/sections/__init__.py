"""The parts of a report, a file each; one that has nothing to show is left out."""

from openbook.report.blocks import Part
from openbook.report.sections import (
    again,
    attributes,
    choice,
    costs,
    data,
    draft,
    errors,
    fairness,
    leaks,
    learning,
    model,
    not_taken,
    protocol,
    ranking,
    segments,
    short,
    test,
    worked,
)
from openbook.report.study import StudyResult

__all__ = ["parts"]

#: In reading order: the answer, the data, the judging, the model and its errors, what to do next.
_SECTIONS = (
    short,
    data,
    leaks,
    protocol,
    ranking,
    choice,
    test,
    model,
    errors,
    segments,
    learning,
    attributes,
    fairness,
    costs,
    worked,
    not_taken,
    again,
    draft,
)


def parts(result: StudyResult) -> list[Part]:
    """The parts that have something to show, in reading order."""
    built = (section.part(result) for section in _SECTIONS)
    return [part for part in built if part is not None and part.blocks]
