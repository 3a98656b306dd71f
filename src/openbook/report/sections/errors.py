"""The errors of the learner and their consequences: rates, segments, mistakes, costs, fairness.

All use the rows of one round of folds, each predicted once by a model that was not fitted to it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from openbook.data.attributes import as_text
from openbook.draw.colours import COLOURS
from openbook.judge import (
    Calibration,
    Confusion,
    Evaluation,
    Mistakes,
    MultiLabel,
    PrecisionRecall,
    Regression,
    Roc,
)
from openbook.judge.scores.residuals import beside_truth, residuals
from openbook.judge.scores.sequences import sequence_table
from openbook.report import svg, words
from openbook.report.blocks import (
    Block,
    Figure,
    Fold,
    Heading,
    Paragraph,
    Sheet,
    Side,
    TableLine,
    derived,
    grids,
    picture_figure,
    section,
    sketched,
)
from openbook.report.study import StudyResult
from openbook.words.numbers import figure, short, shown
from openbook.words.sentences import plural
from openbook.work import Grid, Work

#: The most classes of a confusion table.
_MOST_CLASSES = 15


@section("errors", "Errors")
def the_errors(result: StudyResult) -> Iterator[Block]:
    show = _SHOWN[result.comparison[result.choice.label].task]
    for label in result.models:
        if len(result.models) > 1:
            yield Heading(label if label == result.choice.label else f"For comparison: {label}")
        yield from show(result, label)
    if {"group", "sequence", "time"} & result.roles.keys():
        note = "Intervals in this section treat rows as independent, so they are likely to be too narrow"
        yield Paragraph(f"{note}; those of the ranking and of the final test do not.", "note")


def _rows_used(evaluation: Evaluation) -> str:
    rows = plural(len(evaluation.one_round.truth), "row")
    words = f"{evaluation.name} on {rows}, each predicted by a model that was not trained on it."
    if len(evaluation.first_round) == len(evaluation.folds):
        return words
    return f"{words} These are figures of the first round of folds; the ranking has the mean of all rounds."


def _classes(result: StudyResult, label: str) -> Iterator[Block]:
    evaluation = result.decided(label)
    table = Confusion.from_evaluation(evaluation)
    tuned = " Decisions are at the tuned threshold." if evaluation is result.looks.threshold else ""
    pictures, folds = [confusion_figure(table, _rows_used(evaluation) + tuned)], [_rates(table)]
    if label not in result.baselines and evaluation.one_round.proba is not None:
        more, fold = _probabilities(evaluation)
        pictures, folds = [*pictures, *more], [*folds, *fold]
    yield Paragraph(_worst(table))
    yield Side(pictures) if len(pictures) > 1 else pictures[0]
    yield from folds


def _rates(table: Confusion) -> Fold:
    counts, *rates = grids(table.work())
    how = Fold("Derivation of the accuracy and its interval", [derived(table.work("accuracy"))])
    return Fold("Counts and rates with intervals", [replace(counts, stack=False), *rates, how])


def _worst(table: Confusion) -> str:
    """The most frequent mistake, in words."""
    if (error := table.commonest_error()) is None:
        return "No errors on these rows."
    truth, taken, rows = error
    own = table.per_class()[truth]
    count = f"{rows:,} of the {plural(own.tp + own.fn, 'row')}"
    return f"Most frequent error: {count} of class {as_text(truth)} were predicted as {as_text(taken)}."


def confusion_figure(table: Confusion, caption: str) -> Figure:
    """The picture of a table; of many classes, of the most frequent ones."""
    captions = [caption, "Shading: share of the true class. Blue is correct, orange is wrong."]
    if len(table.labels) > _MOST_CLASSES:
        captions.append(f"The {_MOST_CLASSES} most frequent of {len(table.labels)} classes are shown.")
        table = table.most_frequent(_MOST_CLASSES)
    return picture_figure(table.draw(), *captions)


def _probabilities(evaluation: Evaluation) -> tuple[list[Figure], list[Fold]]:
    """The ranking by the probabilities, and their calibration."""
    rocs = {as_text(label): roc for label, roc in _each(Roc, evaluation)}
    if not rocs:
        return [], []
    if evaluation.n_classes == 2:
        scored = [each.from_evaluation(evaluation) for each in (Roc, PrecisionRecall, Calibration)]
        works = [derived(each.work()) for each in scored]
        how = Fold("Derivation of AUC, average precision and Brier score", works)
        return [picture_figure(each.draw()) for each in scored], [how]
    fits = {as_text(label): fit for label, fit in _each(Calibration, evaluation)}
    worst = max(rocs, key=lambda label: fits[label].ece)
    fit = fits[worst].draw()
    caption = f"Of all classes, {worst} has the largest calibration error."
    pictures = [_rocs(rocs), picture_figure(fit, *fit.notes, caption)]
    works = [derived(each[worst].work()) for each in (rocs, fits)]
    table = _by_class(rocs, fits)
    return pictures, [Fold("AUC, Brier score and log loss of every class against the rest", [table, *works])]


def _rocs(rocs: dict[str, Roc]) -> Figure:
    """The curves of the classes, one in each colour; of more classes, those with the smallest AUC."""
    first, *others = sorted(rocs, key=lambda label: rocs[label].auc)[:COLOURS]
    picture, more = rocs[first].draw({label: rocs[label] for label in others}), len(rocs) - COLOURS
    left = [f"{more} classes with a larger AUC are not drawn."] if more > 0 else []
    return picture_figure(picture, *picture.notes, *left)


def _each(kind: Any, evaluation: Evaluation) -> Iterator[tuple[Any, Any]]:
    """One for every class that occurs, unless it is the only one."""
    if len(set(evaluation.one_round.truth.tolist())) > 1:
        yield from kind.each(evaluation).items()


def _by_class(rocs: dict[str, Roc], fits: dict[str, Calibration]) -> Sheet:
    rows = []
    for label, roc in rocs.items():
        fit = fits[label]
        brier, loss = (fit.interval(which).ends for which in ("brier", "log_loss"))
        area = (shown(roc.auc), roc.interval().ends)
        figures = (shown(fit.brier), brier, shown(fit.log_loss), loss, shown(fit.ece))
        rows.append(TableLine((label, f"{roc.n_positive:,}", *area, *figures)))
    areas = sorted({roc.interval().method for roc in rocs.values()})
    interval = next(iter(fits.values())).interval()
    note = (
        f"Intervals: {100 * interval.level:g}%, of AUC {'; '.join(areas)}, of the others {interval.method}."
        " ECE: the expected calibration error, over ten bins. Probabilities are those of one class against"
        " the rest."
    )
    header = ("class", "rows", "AUC", "interval", "Brier", "interval", "log loss", "interval", "ECE")
    return Sheet("Each class against the rest", header, tuple(rows), note)


def _numbers(result: StudyResult, label: str) -> Iterator[Block]:
    evaluation = result.comparison[label]
    errors = Regression.from_evaluation(evaluation)
    spread = errors.error_summary
    yield Paragraph(f"Half of the errors lie between {short(spread.q1)} and {short(spread.q3)}.")
    histogram = svg.histogram("Errors", spread.counts, spread.edges, height=140)
    caption = f"Truth minus prediction of {label}, for {plural(len(errors.truth), 'row')}."
    yield sketched(histogram, "Errors", caption, "narrow")
    if label not in result.baselines:  # the residuals of a constant show nothing
        pictures = (beside_truth, residuals)
        yield Side([picture_figure(draw(result.target, errors.truth, errors.predicted)) for draw in pictures])
        yield Paragraph(_rows_used(evaluation), "note")
    work = errors.work()
    yield from grids(work)
    yield Fold("Derivation of these figures", [derived(work)])


def _labels(result: StudyResult, label: str) -> Iterator[Block]:
    evaluation = result.comparison[label]
    judged = MultiLabel.from_evaluation(evaluation)
    sets, each, *pairs = grids(judged.work())
    yield Paragraph(_hardest(judged))
    yield picture_figure(judged.draw(), _rows_used(evaluation), *judged.draw().notes)
    yield replace(each, note=f"{each.note} Rows: those that have the label.")
    if label not in result.baselines and pairs:
        yield picture_figure(judged.draw("together"))
        yield from (replace(one, caption="Pairs of labels") for one in pairs)
    yield Fold("Scores of all labels with intervals", [sets])


def _hardest(judged: MultiLabel) -> str:
    """The label with the lowest F1, in words."""
    rates = {label: table.rate("f1") for label, table in judged.per_label().items()}
    known = {label: rate for label, rate in rates.items() if not rate.why}
    if not known:
        return "No label has a defined F1."
    worst = min(known, key=lambda label: known[label].value)
    table = judged.per_label()[worst]
    found = f"{table.tp:,} of {plural(table.tp + table.fn, 'row')} with it are found"
    return f"Lowest F1: {worst}, {known[worst]}; {found}, and {table.fp:,} others are predicted to have it."


#: The blocks for the errors of each task.
_SHOWN = {"classification": _classes, "regression": _numbers, "multilabel": _labels}

#: The most cells of a row.
_MOST_CELLS = 5


@section("segments", "Segments and largest errors")
def segments_and_mistakes(result: StudyResult) -> Iterator[Block]:
    segments, mistakes = result.looks.segments, result.looks.mistakes
    if segments is not None:
        work = segments.work()
        yield from (Heading(work.title), Paragraph(work.conclusion, "verdict"))
        caption = "Error by segment, worst first"
        yield from (Sheet.of(grid, caption) for grid in work.parts if isinstance(grid, Grid))
    if mistakes is not None:
        work = mistakes.work()
        yield from (Heading(work.title), Paragraph(work.conclusion, "verdict"))
        if len(mistakes):
            yield _mistakes(result, mistakes)


@section("documents", "Documents")
def documents_and_words(result: StudyResult) -> Iterator[Block]:
    """Of texts: the most informative words of each class, the confusions, and the effect of length."""
    for text in result.description.texts:
        if informative := text.telling_grids():
            yield Heading(f"Words of {text.column} by {'label' if text.of_labels else 'class'}")
            yield from map(Sheet.of, informative)
    if (found := result.looks.documents) is not None:
        work = found.work()
        yield Heading(work.title)
        if work.conclusion:
            yield Paragraph(work.conclusion, "verdict")
        yield from grids(work)


def _mistakes(result: StudyResult, mistakes: Mistakes) -> Sheet:
    """The rows, with the cells that matter most to the learner."""
    columns = _important_columns(result, mistakes)
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
        rows.append(TableLine((str(one.row), truth, predicted, *figures, cells)))
    caption = "Wrong predictions, most confident first" if classes else "Largest errors"
    header = ("row", "truth", "predicted", *head, "cells")
    more = len(mistakes[0].cells) - len(columns)
    left = f"{plural(more, 'more column')} not shown. " if more else ""
    return Sheet(caption, header, tuple(rows), f"{left}{_rows(result)}")


def _important_columns(result: StudyResult, mistakes: Mistakes) -> tuple[str, ...]:
    known = tuple(mistakes[0].cells)
    if result.looks.importance is None:
        return known[:_MOST_CELLS]
    return tuple(one.column for one in result.looks.importance if one.column in known)[:_MOST_CELLS]


def _rows(result: StudyResult) -> str:
    """How rows are numbered."""
    target = next(column for column in result.description.columns if column.name == result.target)
    words = "Rows are numbered from 0"
    words += f", among those with a known {result.target}" if target.missing else ""
    words += f", in order of {result.roles['time']}" if "time" in result.roles else ""
    return f"{words}. Check these rows first: often a label is wrong or a value has another unit."


@section("costs", "Costs")
def cost_of_decisions(result: StudyResult) -> Iterator[Block]:
    found = result.looks.costs
    if found is None:
        return
    work = found.work()
    yield Paragraph(work.conclusion, "verdict")
    yield from grids(work)
    if found.threshold is not None and found.saved:
        yield picture_figure(found.draw())
        how = Work("The threshold", tuple(work.steps()))
        yield Fold("How the threshold follows from the costs", [derived(how)])


@section("sequences", "Rows, sequences and spans")
def labelled_sequences(result: StudyResult) -> Iterator[Block]:
    if found := result.looks.sequences:
        work = found[result.looks.label].work()
        yield from (Paragraph(work.conclusion, "verdict"), Sheet.of(sequence_table(found)))
        yield Fold(f"{result.looks.label}: counts", [derived(work)])


@section("fairness", "Fairness")
def fairness_by_group(result: StudyResult) -> Iterator[Block]:
    for fair in result.looks.fairness.values():
        work = fair.work()
        yield from (Heading(f"By {fair.sensitive}"), Paragraph(work.conclusion, "verdict"))
        yield picture_figure(fair.draw())
        for each in work.parts:
            if isinstance(each, Work):
                yield Fold(each.title, [*grids(each), Paragraph(each.conclusion)])
            elif isinstance(each, Grid):
                yield Sheet.of(each)
    if result.looks.fairness:
        note = (
            "Which criterion matters depends on the decision; figures cannot answer that. Rows are those of"
            " one round of folds, each predicted by a model that was not trained on it."
        )
        yield Paragraph(note, "note")
