"""The learning curve, the verdict, and what may help."""

from openbook.report import words
from openbook.report.blocks import Block, Fold, Heading, Items, Line, Part, Table, Text, drawn, grids
from openbook.report.study import StudyResult


def part(result: StudyResult) -> Part | None:
    curve, found = result.looks.curve, result.looks.diagnosis
    blocks: list[Block] = []
    if found is not None:
        blocks.append(Text(words.verdict(result), "verdict"))
    if curve is not None:
        picture = curve.draw()
        work = curve.work()
        blocks += [drawn(picture, *(_sentence(note) for note in picture.notes)), Text(work.conclusion)]
        blocks.append(Fold("Table of the curve", grids(work)))
    if found is not None:
        rows = [Line((each.name, each.finding, f"{each.words}.")) for each in found.evidence]
        if rows:
            blocks.append(Table("Evidence", ("check", "finding", "figures"), tuple(rows)))
        lists = {"What to try": found.remedies, "What would make the diagnosis more certain": found.needed}
        for title, lines in lists.items():
            if lines:
                blocks += [Heading(title), Items([_sentence(line) for line in lines])]
    return Part("learning", "Learning curve and diagnosis", tuple(blocks)) if blocks else None


def _sentence(line: str) -> str:
    end = "" if line.endswith((".", "?")) else "."
    return f"{words.title(line)}{end}"
