"""What decisions cost, if it was asked for."""

from openbook.report.blocks import Block, Fold, Part, Text, derived, drawn, grids
from openbook.report.study import StudyResult
from openbook.work import Work


def part(result: StudyResult) -> Part | None:
    found = result.looks.costs
    if found is None:
        return None
    work = found.work()
    blocks: list[Block] = [Text(work.conclusion, "verdict"), *grids(work)]
    if found.threshold is not None and found.saved:
        blocks.append(drawn(found.draw()))
        how = Work("The threshold", tuple(work.steps()))
        blocks.append(Fold("How the threshold follows from the costs", [derived(how)]))
    return Part("costs", "Costs", tuple(blocks))
