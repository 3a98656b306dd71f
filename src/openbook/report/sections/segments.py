"""Where it errs most, and the mistakes that it was surest of."""

from openbook.judge import Mistakes
from openbook.report import words
from openbook.report.blocks import Block, Heading, Line, Part, Table, Text
from openbook.report.study import StudyResult
from openbook.words.numbers import figure, shown
from openbook.words.sentences import plural
from openbook.work import Grid

#: Cells of a row that are told.
_MOST_CELLS = 5


def part(result: StudyResult) -> Part | None:
    looks = result.looks
    blocks: list[Block] = []
    if looks.segments is not None:
        work = looks.segments.work()
        caption = "Error by segment, worst first"
        tables = [Table.of(grid, caption) for grid in work.parts if isinstance(grid, Grid)]
        blocks += [Heading(work.title), Text(work.conclusion, "verdict"), *tables]
    if looks.mistakes is not None:
        work = looks.mistakes.work()
        blocks += [Heading(work.title), Text(work.conclusion, "verdict")]
        if len(looks.mistakes):
            blocks.append(_mistakes(result, looks.mistakes))
    return Part("segments", "Segments and largest errors", tuple(blocks)) if blocks else None


def _mistakes(result: StudyResult, mistakes: Mistakes) -> Table:
    """The rows, with the cells that matter most to the learner."""
    columns = _telling(result, mistakes)
    classes = mistakes.rmse is None
    head = ("P(predicted)", "P(truth)") if classes else ("truth - predicted", "in RMSEs")
    rows = []
    for one in mistakes:
        if classes:
            figures = (figure(one.proba, 3), figure(one.proba_truth, 3))
        else:
            figures = (shown(one.residual, sign="+"), f"{abs(one.residual) / (mistakes.rmse or 1):.1f}")
        truth, predicted = (words.cell_words(value) for value in (one.truth, one.predicted))
        cells = ", ".join(f"{name} = {words.cell_words(one.cells[name])}" for name in columns)
        rows.append(Line((str(one.row), truth, predicted, *figures, cells)))
    caption = "Wrong predictions, most confident first" if classes else "Largest errors"
    header = ("row", "truth", "predicted", *head, "cells")
    return Table(caption, header, tuple(rows), f"{_more(mistakes, columns)} {_rows(result)}".strip())


def _telling(result: StudyResult, mistakes: Mistakes) -> tuple[str, ...]:
    known = tuple(mistakes[0].cells)
    if result.looks.importance is None:
        return known[:_MOST_CELLS]
    return tuple(one.column for one in result.looks.importance if one.column in known)[:_MOST_CELLS]


def _more(mistakes: Mistakes, columns: tuple[str, ...]) -> str:
    more = len(mistakes[0].cells) - len(columns)
    return f"{plural(more, 'more column')} not shown." if more else ""


def _rows(result: StudyResult) -> str:
    """What the numbers of rows count."""
    target = next(column for column in result.description.columns if column.name == result.target)
    told = "Rows are numbered from 0"
    told += f", among those with a known {result.target}" if target.missing else ""
    told += f", in order of {result.roles['time']}" if "time" in result.roles else ""
    return f"{told}. Check these rows first: often a label is wrong or a value has another unit."
