"""Fairness by each sensitive column, if it was asked for."""

from openbook.judge import Fairness
from openbook.report.blocks import Block, Fold, Heading, Part, Table, Text, drawn, grids
from openbook.report.study import StudyResult
from openbook.work import Grid, Work


def part(result: StudyResult) -> Part | None:
    blocks: list[Block] = [block for fair in result.looks.fairness.values() for block in _by(fair)]
    if not blocks:
        return None
    note = (
        "Which criterion matters depends on the decision; figures cannot answer that. Rows are those of"
        " one round of folds, each predicted by a model that was not trained on it."
    )
    return Part("fairness", "Fairness", (*blocks, Text(note, "note")))


def _by(fair: Fairness) -> list[Block]:
    work = fair.work()
    blocks: list[Block] = [Heading(f"By {fair.sensitive}"), Text(work.conclusion, "verdict")]
    blocks.append(drawn(fair.draw()))
    for each in work.parts:
        if isinstance(each, Work):
            blocks.append(Fold(each.title, [*grids(each), Text(each.conclusion)]))
        elif isinstance(each, Grid):
            blocks.append(Table.of(each))
    return blocks
