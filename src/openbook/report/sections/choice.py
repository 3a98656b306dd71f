"""The choice by Occam's razor, and what it cost."""

from openbook.report import words
from openbook.report.blocks import Block, Fold, Items, Part, Text, derived
from openbook.report.study import StudyResult


def part(result: StudyResult) -> Part:
    choice = result.choice
    blocks: list[Block] = [Text(choice.reason), Text(words.price(result), "verdict")]
    if choice.withheld:
        blocks.append(Items(list(choice.withheld.values())))
    razor = (
        "Occam’s razor: of the learners that are not significantly worse than the best, the simplest is"
        " chosen, by the number of figures it had to learn."
    )
    if result.comparison.ensembles:
        razor += (
            " An ensemble is offered only where it is significantly better than the best of its single"
            " members, since one tree can be read and a hundred cannot."
        )
    blocks.append(Text(razor, "note"))
    if (test := result.given_up) is not None and test.steps:
        blocks.append(Fold(f"How {choice.label} was tested against {choice.best}", [derived(test.work())]))
    return Part("choice", "The choice", tuple(blocks))
