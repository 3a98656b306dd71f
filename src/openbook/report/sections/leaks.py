"""What may make the scores better than they will be on new rows."""

from openbook.report import words
from openbook.report.blocks import Block, Findings, Part, Text
from openbook.report.study import StudyResult


def part(result: StudyResult) -> Part | None:
    found = result.looks.leaks
    if found is None:
        return None
    about = (
        "Checked: columns that give the target away, row IDs, equal rows in training and test, split groups,"
        " order of time, columns that were scaled or imputed before the split."
    )
    blocks: list[Block] = [Text(found.work().conclusion, "verdict")]
    if sentence := words.without_suspects(result):
        blocks.append(Text(sentence, "verdict"))
    if len(found):
        blocks.append(Findings([words.told(one) for one in found]))
    return Part("leaks", "Leaks", (*blocks, Text(about, "note")))
