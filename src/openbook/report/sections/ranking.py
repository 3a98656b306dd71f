"""The ranking: every learner's score with its interval, its test against the baseline, and how they came."""

import math
from collections.abc import Iterator, Sequence

from openbook.judge import Interval
from openbook.judge.choice.comparison import Row
from openbook.report import svg, words
from openbook.report.blocks import (
    Block,
    Figure,
    Fold,
    Items,
    Line,
    Part,
    Table,
    Text,
    derived,
    grids,
    sketched,
)
from openbook.report.study import StudyResult
from openbook.words.numbers import shown_p
from openbook.words.sentences import plural

#: More learners make more pairs than anyone reads.
_MOST_PAIRED = 24


def part(result: StudyResult) -> Part:
    rows = result.ranking
    return Part("ranking", "The ranking", (_chart(result, rows), _table(result, rows), *_folds(result, rows)))


def _role(result: StudyResult, label: str) -> str:
    if label == result.choice.label:
        return "chosen"
    return "baseline" if label in result.baselines else ""


def _chart(result: StudyResult, rows: Sequence[Row]) -> Figure:
    metric = result.comparison.metric()
    scored = [
        svg.Scored(row.label, row.score, *_ends(row), _role(result, row.label) or "other")
        for row in rows
        if not math.isnan(row.score)
    ]
    baseline = result.best_baseline
    reference = next((each.mean for each in scored if each.label == baseline), None)
    better = "higher" if metric.greater_is_better else "lower"
    caption = f"Lines: {100 * rows[0].interval.level:g}% intervals; {better} is better."
    drawn = svg.intervals(scored, axis=words.title(metric.words), reference=reference, focus=True)
    # what does not fit on the axis is not drawn, so the caption does not speak of it
    caption += f" Dashed: the best baseline, {baseline}." if 'class="reference"' in drawn else ""
    caption += " An arrow marks a score beyond the axis." if '<polygon class="dot"' in drawn else ""
    return sketched(drawn, "", caption)


def _ends(row: Row) -> tuple[float, float]:
    known = not (math.isnan(row.interval.low) or math.isnan(row.interval.high))
    return (row.interval.low, row.interval.high) if known else (row.score, row.score)


def _table(result: StudyResult, rows: Sequence[Row]) -> Table:
    metric, against = words.title(result.comparison.metric().words), result.comparison.best_baseline()
    level = f"{100 * rows[0].interval.level:g}% interval"
    tests = sorted({row.test.method for row in rows if row.test})
    intervals = sorted({interval.method for row in rows for interval in _intervals(row)})
    note = f"Intervals: {'; '.join(intervals)}."
    if tests:
        note += f" Differences and p: {'; '.join(tests)}. An interval excludes 0 exactly where p < 0.05."
    note += " Complexity: number of fitted parameters, median over the folds."
    header = ("Learner", metric, level, f"minus {against}", level, "p", "complexity", "mean rank")
    lines = [
        Line((row.label, *_cells(row)), role := _role(result, row.label), _tags(result, row.label, role))
        for row in rows
    ]
    return Table(f"{metric} of {plural(len(rows), 'learner')}, the best first", header, tuple(lines), note)


def _intervals(row: Row) -> list[Interval]:
    return [row.interval] if row.test is None else [row.interval, row.test.interval]


def _tags(result: StudyResult, label: str, role: str) -> tuple[str, ...]:
    return (*(["chosen"] if role == "chosen" else []), *words.tags(result, label))


def _cells(row: Row) -> tuple[str, ...]:
    size = "?" if row.complexity is None else f"{row.complexity:,g}"
    rank = "–" if math.isnan(row.rank) else f"{row.rank:.1f}"
    test = ("–", "–", "–")
    if row.test is not None:
        change = words.score_words(row.test.difference, sign="+")
        test = (change, row.test.interval.ends, shown_p(row.p_value))
    return words.score_words(row.score), row.interval.ends, *test, size, rank


def _folds(result: StudyResult, rows: Sequence[Row]) -> Iterator[Fold]:
    """Where the figures come from."""
    label = result.choice.label
    chosen = result.comparison[label]
    where = Text(
        "results.jsonl, in the same folder, has one line for each learner and fold with the rows, their true"
        " values, predictions and probabilities. All figures on this page are computed from it.",
        "note",
    )
    # over rows the others would have to be resampled; the part on errors has them with quicker intervals
    scores = [] if chosen.by_rows else grids(chosen.work())
    blocks: list[Block] = [where, *scores, derived(chosen.interval().work())]
    test = next((row.test for row in rows if row.label == label and row.test), None)
    if test is not None and test.steps:
        blocks += [Text(f"{label} minus {result.comparison.best_baseline()}:"), derived(test.work())]
    others = ", and other scores" if scores else ""
    yield Fold(f"Derivation of the score of {label}{others}", blocks)
    if 2 < len(rows) <= _MOST_PAIRED and _quick(result):
        pairs = result.comparison.pairs().work()
        yield Fold("All pairwise comparisons", [*grids(pairs, stack=False), Text(pairs.conclusion)])
    warnings = [
        f"{label}: {text} ({plural(count, 'fold')})"
        for label, evaluation in result.comparison.evaluations.items()
        for text, count in evaluation.warnings.items()
    ]
    if warnings:
        yield Fold("Warnings of the learners", [Items(warnings)])


def _quick(result: StudyResult) -> bool:
    """Whether pairs need no resampling of rows."""
    metric = result.comparison.metric().name
    return metric in ("accuracy", "error") or not result.comparison[result.choice.label].by_rows
