"""The evaluation: the protocol, the ranking, the choice, the final test."""

import math
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from openbook.draw.charts import ON_PHONE, score_chart
from openbook.judge import Confusion, Evaluation, Metric, MultiLabel
from openbook.judge.chance.intervals import methods_once
from openbook.judge.choice.comparison import RankingRow
from openbook.report import words
from openbook.report.blocks import (
    Block,
    Figure,
    Fold,
    Heading,
    Items,
    Paragraph,
    Sheet,
    TableLine,
    derived,
    grids,
    picture_figure,
    section,
)
from openbook.report.sections.errors import confusion_figure
from openbook.report.study import StudyResult
from openbook.words.numbers import shown_p
from openbook.words.sentences import listed, plural

#: The most columns that are named.
_MOST_NAMES = 20


@section("protocol", "Evaluation protocol")
def evaluation_protocol(result: StudyResult) -> Iterator[Block]:
    yield Items([*words.protocol_words(result), *_roles(result), *_fewer_columns(result)])
    if caution := words.caution(result):
        yield Paragraph(caution, "caution")
    if result.notes:
        yield from (Heading("Decisions of the plan"), Items(result.notes))


def _roles(result: StudyResult) -> Iterator[str]:
    """The roles of columns that are not features."""
    sentences = {
        "id": "{} is the row ID; it is not used as a feature.",
        "group": "Rows with the same {} stay in the same fold; it is not used as a feature.",
        "time": "Rows are ordered by {}: models are trained on the past and tested on the future.",
        "sequence": "Rows with the same {} form a sequence, which is never split between folds. Only sequence"
        " models use it.",
        "asked": "Rows whose label was requested (column {}) are used for training and never for testing:"
        " they were selected because they are hard to predict, so they do not represent the other rows.",
        "weight": "Rows are weighted by {} in fitting.",
        "sensitive": "Fairness is evaluated between the groups of {}.",
        "ignore": "Not used as features: {}.",
    }
    for role, sentence in sentences.items():
        if columns := result.roles.get(role):
            yield sentence.format(columns if isinstance(columns, str) else listed(columns, _MOST_NAMES))


def _fewer_columns(result: StudyResult) -> Iterator[str]:
    """The learners that were given fewer features; the column that names the sequence is none."""
    sequence = result.roles.get("sequence")
    features = {label: tuple(n for n in names if n != sequence) for label, names in result.columns.items()}
    widest = max(map(len, features.values()), default=0)
    sets: dict[tuple[str, ...], list[str]] = {}
    for label, names in features.items():
        if len(names) < widest:
            sets.setdefault(names, []).append(label)
    for names, labels in sets.items():
        yield f"{', '.join(labels)}: only {listed(names, _MOST_NAMES)} of the {widest} features."


#: The most learners for a table of all pairs.
_MOST_PAIRED = 24

#: The colours of the chosen learner, of baselines and of the others.
_COLOURS = {"chosen": "c2", "baseline": "c8", "": "c0"}


@section("ranking", "The ranking")
def the_ranking(result: StudyResult) -> Iterator[Block]:
    rows = result.ranking
    yield from (_chart(result, rows), _table(result, rows), *_folds(result, rows))


def _role(result: StudyResult, label: str) -> str:
    if label == result.choice.label:
        return "chosen"
    return "baseline" if label in result.baselines else ""


def _chart(result: StudyResult, rows: Sequence[RankingRow]) -> Figure:
    metric = result.comparison.metric()
    known = [row for row in rows if not math.isnan(row.score)]
    scored = [(row.label, row.score, row.interval.low, row.interval.high) for row in known]
    baseline = result.best_baseline
    reference = next((mean for label, mean, _, _ in scored if label == baseline), None)
    looks = {row.label: _COLOURS[_role(result, row.label)] for row in rows}
    better = "higher" if metric.greater_is_better else "lower"
    caption = f"Lines: {100 * rows[0].interval.level:g}% intervals; {better} is better."
    axis = words.title(metric.words)
    draw = partial(score_chart, f"{axis} of each learner", axis, scored, reference, looks=looks, focus=True)
    drawn = draw()
    # what does not fit on the axis is not drawn, so the caption does not speak of it
    caption += f" Dashed: the best baseline, {baseline}." if "dashed" in drawn.body else ""
    caption += " A triangle marks a score outside the axis." if '<path class="dot' in drawn.body else ""
    return picture_figure(drawn, caption, on_phone=draw(wide=ON_PHONE))


def _table(result: StudyResult, rows: Sequence[RankingRow]) -> Sheet:
    metric, against = words.title(result.comparison.metric().words), result.comparison.best_baseline()
    level = f"{100 * rows[0].interval.level:g}% interval"
    tests = sorted({row.test.method for row in rows if row.test})
    note = f"Intervals: {methods_once(row.interval.method for row in rows)}."
    if tests:
        note += f" Differences, their intervals and p: {'; '.join(tests)}."
        note += " An interval excludes 0 exactly where p < 0.05."
    if remark := words.remark_on_intervals(result):
        note += f" {remark}"
    note += " Complexity: number of fitted parameters, median over the folds."
    header = ("Learner", metric, level, f"minus {against}", level, "p", "complexity", "mean rank")
    lines = []
    for row in rows:
        role, tags = _role(result, row.label), tuple(words.tags(result, row.label))
        tags = ("chosen", *tags) if role == "chosen" else tags
        lines.append(TableLine((row.label, *_cells(row)), role, tags))
    return Sheet(f"{metric} of {plural(len(rows), 'learner')}, the best first", header, tuple(lines), note)


def _cells(row: RankingRow) -> tuple[str, ...]:
    size = "?" if row.complexity is None else f"{row.complexity:,g}"
    rank = "–" if math.isnan(row.rank) else f"{row.rank:.1f}"
    test = ("–", "–", "–")
    if row.test is not None:
        test = (words.change_words(row), row.test.interval.ends, shown_p(row.p_value))
    return words.score_words(row.score), row.interval.ends, *test, size, rank


def _folds(result: StudyResult, rows: Sequence[RankingRow]) -> Iterator[Fold]:
    """The derivations of the figures."""
    label = result.choice.label
    chosen = result.comparison[label]
    where = (
        "results.jsonl, in the same folder, has one line for each learner and fold with the rows, their true"
        " values, predictions and probabilities. All figures on this page are computed from it."
    )
    # over rows the others would have to be resampled; the part on errors has them with faster intervals
    scores = [] if chosen.by_rows else grids(chosen.work())
    blocks: list[Block] = [Paragraph(where, "note"), *scores, derived(chosen.interval().work())]
    test = next((row.test for row in rows if row.label == label and row.test), None)
    if test is not None and test.steps:
        blocks += [Paragraph(f"{label} minus {result.comparison.best_baseline()}:"), derived(test.work())]
    others = ", and other scores" if scores else ""
    yield Fold(f"Derivation of the score of {label}{others}", blocks)
    if 2 < len(rows) <= _MOST_PAIRED and _quick(result):
        pairs = result.comparison.pairs().work()
        yield Fold("All pairwise comparisons", [*grids(pairs, stack=False), Paragraph(pairs.conclusion)])
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


_RULES = {
    "simplest": "Rule: the simplest learner within one standard error of the best, as in CART and glmnet. The"
    " standard error is that of the paired difference. A baseline is never chosen unless it is named.",
    "margin": "Rule: the simplest learner that is shown to lose less than the margin against the best. The"
    " upper end of the one-sided 95% interval of its loss lies below the margin.",
    "best": "Rule: the learner with the best score.",
    "named": "Rule: the learner that was named.",
}


@section("choice", "The choice")
def the_choice(result: StudyResult) -> Iterator[Block]:
    choice = result.choice
    metric = words.title(result.comparison.metric().words)
    lines = tuple(
        TableLine((label, score, interval), "chosen" if what == "Chosen" else "", (what.lower(),))
        for what, label, score, interval in words.contenders(result)
    )
    yield Paragraph(choice.reason)
    caption = "The best, the chosen and the baseline"
    yield Sheet(caption, ("", metric, "interval"), lines, _RULES[choice.rule])
    if sentence := words.price(result):
        yield Paragraph(sentence, "verdict")
    if choice.given_up is not None and choice.given_up.steps:
        test = derived(choice.given_up.work())
        yield Fold(f"How {choice.label} compares with {choice.best}", [test])
    if result.verdict.test is not None:
        yield Fold("Is there anything to learn?", [derived(result.verdict.work())])


#: With more learners, the table of the final test has a row for each of them.
_MOST_TESTED = 3


@section("test", "The final test")
def final_test(result: StudyResult) -> Iterator[Block]:
    if result.tests:
        chosen = result.tests[result.choice.label]
        yield from (Paragraph(words.test_words(result, chosen)), _test_table(result, chosen))
        yield Paragraph(words.test_beside_judging(result), "verdict")
        yield from _test_folds(chosen)


def _test_table(result: StudyResult, chosen: Evaluation) -> Sheet:
    metrics = [m for m in map(chosen.metric, chosen.metrics) if not math.isnan(chosen.score(m))]
    tests = result.tests.values()
    level = f"{100 * chosen.interval().level:g}% interval"
    methods = [f"{chosen.interval(m).method} ({m.words})" for m in metrics]
    note, titles = f"Intervals: {'; '.join(methods)}.", [words.title(m.words) for m in metrics]
    if remark := chosen.coverage_remark(*metrics):
        note += f" {remark}"
    if len(tests) > _MOST_TESTED:
        header, note = ["", *titles], f"{level}s. {note}"
        rows = [(each.name, *(" ".join(_test_cells(m, [each])) for m in metrics)) for each in tests]
    else:
        header = ["", *(head for each in tests for head in (each.name, level))]
        rows = [(title, *_test_cells(m, tests)) for title, m in zip(titles, metrics, strict=True)]
    lines = tuple(TableLine(row, "" if i else "chosen") for i, row in enumerate(rows))
    return Sheet("Scores on the held-out rows", tuple(header), lines, note)


def _test_cells(metric: Metric, tests: Any) -> Iterator[str]:
    for each in tests:
        score = each.score(metric)
        yield words.score_words(score)
        yield "–" if math.isnan(score) else each.interval(metric).ends


def _test_folds(chosen: Evaluation) -> Iterator[Block]:
    blocks: list[Block] = [derived(chosen.interval().work())]
    if chosen.task == "multilabel":
        judged = MultiLabel.from_evaluation(chosen)
        yield picture_figure(judged.draw(), f"{chosen.name} on the held-out rows.", *judged.draw().notes)
        blocks += grids(judged.work())
    elif chosen.classes is not None:
        table = Confusion.from_evaluation(chosen)
        yield confusion_figure(table, f"{chosen.name} on the held-out rows.")
        blocks += [*grids(table.work())][1:]
    blocks.append(Paragraph("Its predictions are the lines of results.jsonl whose part is “test”.", "note"))
    yield Fold("Derivation of the score", blocks)
