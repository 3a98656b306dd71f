"""The final test, on rows that were held out."""

import math
from collections.abc import Iterator
from typing import Any

from openbook.judge import Confusion, Evaluation, Metric
from openbook.report import words
from openbook.report.blocks import Block, Fold, Line, Part, Table, Text, derived, grids
from openbook.report.sections.errors import confusion_figure
from openbook.report.study import StudyResult


def part(result: StudyResult) -> Part | None:
    if not result.tests:
        return None
    chosen = result.tests[result.choice.label]
    blocks: list[Block] = [Text(words.test_words(result, chosen)), _table(result, chosen)]
    blocks.append(Text(words.test_beside_judging(result), "verdict"))
    blocks += _folds(chosen)
    return Part("test", "The final test", tuple(blocks))


def _table(result: StudyResult, chosen: Evaluation) -> Table:
    metrics = [m for m in map(chosen.metric, chosen.metrics) if not math.isnan(chosen.score(m))]
    tests = result.tests.values()
    level = f"{100 * chosen.interval().level:g}% interval"
    header = ("", *(head for each in tests for head in (each.name, level)))
    rows = [
        Line((words.title(m.words), *_cells(m, tests)), "chosen" if i == 0 else "")
        for i, m in enumerate(metrics)
    ]
    methods = [f"{chosen.interval(m).method} ({m.words})" for m in metrics]
    return Table("Scores on the held-out rows", header, tuple(rows), f"Intervals: {'; '.join(methods)}.")


def _cells(metric: Metric, tests: Any) -> Iterator[str]:
    for each in tests:
        score = each.score(metric)
        yield words.score_words(score)
        yield "–" if math.isnan(score) else each.interval(metric).ends


def _folds(chosen: Evaluation) -> Iterator[Block]:
    blocks: list[Block] = [derived(chosen.interval().work())]
    if chosen.classes is not None:
        table = Confusion.from_evaluation(chosen)
        yield confusion_figure(table, f"{chosen.name} on the held-out rows.")
        blocks += [*grids(table.work())][1:]
    blocks.append(Text("Its predictions are the lines of results.jsonl whose part is “test”.", "note"))
    yield Fold("Derivation of the score", blocks)
