"""Predictions, worked: a typical one, the most doubtful, the most confidently wrong."""

from openbook.report import words
from openbook.report.blocks import Block, Fold, Heading, Part, Shown, Text, derived
from openbook.report.study import Example, StudyResult

#: Cells of a row that are told.
_MOST_CELLS = 20


def part(result: StudyResult) -> Part:
    blocks: list[Block] = []
    if len(result.models) > 1:
        _, other = result.models
        blocks.append(
            Text(
                f"The choice is a baseline, so {other}, the best of the other learners, is shown for"
                " comparison."
            )
        )
    for example in result.examples:
        blocks += _example(result, example, first=example is result.examples[0])
    return Part("work", "Predictions, step by step", tuple(blocks))


def _example(result: StudyResult, example: Example, *, first: bool) -> list[Block]:
    told = [f"{name} = {words.cell_words(value)}" for name, value in example.cells.items()]
    cells = ", ".join(told[:_MOST_CELLS]) + (", …" if len(told) > _MOST_CELLS else "")
    head = [
        Heading(words.title(example.words)),
        Text(words.example_words(result, example)),
        Text(cells, "note"),
    ]
    shown = {label: (work, derived(work)) for label, work in example.works.items()}
    return head + [
        Fold(f"{label}: {work.conclusion or work.title}", [how], open=first and isinstance(how, Shown))
        for label, (work, how) in shown.items()
    ]
