"""Derivations of the rates of a confusion matrix: from its cells to the rate and its interval."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from openbook.errors import check_named
from openbook.judge.scores.averages import AVERAGED, KINDS
from openbook.judge.scores.rates import Rate, by_class
from openbook.judge.scores.two_classes import ALL, OTHERS, RATIOS, SEVERAL, SHARES, TWO_CLASSES
from openbook.words.numbers import figure, fraction, shown
from openbook.work import Grid, Step, Work
from openbook.work import escape_text as _t
from openbook.work.step import substituted

if TYPE_CHECKING:
    from openbook.judge.scores.confusion import Confusion


def symbol(name: str) -> str:
    """A rate as it is written: "tpr" is TPR, "lr_plus" LR+.

    >>> symbol("for_"), symbol("lr_minus"), symbol("kappa"), symbol("macro_f1")
    ('FOR', 'LR-', 'kappa', 'macro F1')
    """
    special = {"lr_plus": "LR+", "lr_minus": "LR-", "f1_of_means": "F1 of means"}
    special |= {"balanced_accuracy": "balanced accuracy", "youden": "Youden's J"}
    words = name.strip("_")
    kind, _, rest = words.partition("_")
    if kind in KINDS and rest:
        return f"{kind} {symbol(rest)}"
    if name in special:
        return special[name]
    return words.upper() if len(words) <= 3 else words


def shown_rate(rate: Rate) -> tuple[str, str, str]:
    """Value, interval and method as they stand in a table."""
    if rate.why:
        return "undefined", "", rate.why
    return shown(rate.value), rate.interval.ends, f"{100 * rate.interval.level:g}%, {rate.interval.method}"


def overview(table: "Confusion") -> Work:
    """The counts and every rate."""
    if len(table.labels) == 2:
        rows = [(symbol(name), _words(name), *shown_rate(table.rate(name))) for name in TWO_CLASSES]
        header = ("rate", "", "value", "interval", "method")
        return Work(f"Confusion, {table.positive} is positive", (_counts(table), Grid("Rates", header, rows)))
    overall = [(symbol(name), *shown_rate(table.rate(name))) for name in SEVERAL]
    parts = (
        _counts(table),
        Grid("All classes", ("rate", "value", "interval", "method"), overall),
        each_table("Each class", "class", table.per_class(), "Against the rest."),
        _averages(table),
    )
    return Work(f"Confusion of {len(table.labels)} classes", parts)


def _words(name: str) -> str:
    words = (
        {key: share.words for key, share in SHARES.items()}
        | {key: r[0] for key, r in RATIOS.items()}
        | OTHERS
    )
    return "" if words[name] == symbol(name) else words[name]


def _counts(table: "Confusion") -> Grid:
    rows = [
        (f"truly {label}", *counts) for label, counts in zip(table.labels, table.counts.tolist(), strict=True)
    ]
    return Grid("Rows", ("", *(str(label) for label in table.labels)), rows, "Columns: predicted.")


def each_table(title: str, of: str, tables: "Mapping[Any, Confusion]", note: str = "") -> Grid:
    """Precision, recall and F1 of several tables of two classes, with intervals; `of` heads their names."""
    names = ("ppv", "tpr", "f1")
    header = (of, "rows", *(end for name in ("precision", "recall", "F1") for end in (name, "interval")))
    rows = []
    for label, own in tables.items():
        cells = [cell for name in names for cell in shown_rate(own.rate(name))[:2]]
        rows.append((str(label), own.tp + own.fn, *cells))
    methods = "Precision and recall: 95%, Wilson; F1: 95%, delta on logit."
    return Grid(title, header, rows, f"{note} {methods}".strip())


def _averages(table: "Confusion") -> Grid:
    rows = []
    for kind in KINDS:
        averages = table.average(kind)
        rows += [(symbol(f"{kind}_{what}"), *shown_rate(getattr(averages, what))) for what in AVERAGED]
    note = (
        "macro: every class counts the same; weighted: by its rows; micro: all rows together, which is the"
        " accuracy. F1: the mean of the classes' F1. F1 of means: the F1 of mean precision and mean recall."
    )
    return Grid("Averages", ("average", "value", "interval", "method"), rows, note)


def derive_rate(table: "Confusion", name: str) -> Work:
    """The derivation of one rate."""
    kind, _, what = ("macro_recall" if name == "balanced_accuracy" else name).partition("_")
    if kind in KINDS and what in AVERAGED:
        rate, steps = getattr(table.average(kind), what), [*_average_steps(table, kind, what)]
    else:
        two = len(table.labels) == 2
        known = [
            *((*TWO_CLASSES, "youden") if two else SEVERAL),
            "balanced_accuracy",
            *(f"{kind}_{what}" for kind in KINDS for what in AVERAGED),
        ]
        check_named("rate", name, known)
        rate, steps = table.rate(name), [*_rate_steps(table, name)]
    parts: list[Any] = [_counts(table), *steps]
    if rate.why:
        return Work(symbol(name), tuple(parts), f"{symbol(name)} is {rate}.")
    parts.append(Work(f"Interval: {rate.interval.method}", rate.interval.steps))
    return Work(symbol(name), tuple(parts), f"{symbol(name)} = {rate}")


def _rate_steps(table: "Confusion", name: str) -> Iterator[Step]:
    if name == "kappa":
        yield from _kappa_steps(table)
    elif name == "mcc":
        yield _mcc_step(table)
    elif name == "f1":
        yield _of_cells(table, name, r"\frac{2 \cdot TP}{2 \cdot TP + FN + FP}")
    elif name == "youden":
        yield from _rate_steps(table, "tpr")
        yield from _rate_steps(table, "fpr")
        yield _of_rates(table, name, f"{_t('TPR')} - {_t('FPR')}", "tpr", "fpr")
    elif name in RATIOS:
        over, under = RATIOS[name][1:]
        for part in (over, under):
            yield from _rate_steps(table, part)
        if name == "dor":
            yield _of_cells(table, name, r"\frac{TP \cdot TN}{FP \cdot FN}")
        else:
            yield _of_rates(table, name, fraction(_t(symbol(over)), _t(symbol(under))), over, under)
    elif len(table.labels) > 2:
        right, n = int(np.trace(table.counts)), table.n
        top, formula = (right, r"\sum_c n_{cc}") if name == "accuracy" else (n - right, r"n - \sum_c n_{cc}")
        yield _result(table, name, rf"\frac{{{formula}}}{{n}}", fraction(top, n))
    else:
        above, below = (" + ".join(cells).upper() for cells in SHARES[name][1:])
        yield _of_cells(table, name, fraction(above, below))


def _result(table: "Confusion", name: str, formula: str, numbers: str) -> Step:
    rate = table.rate(name)
    return Step(symbol(name), formula, numbers, None if rate.why else rate.value, rate.why)


def _of_cells(table: "Confusion", name: str, formula: str) -> Step:
    """A rate by its formula of TP, FN, FP and TN."""
    counts = {cell.upper(): str(getattr(table, cell)) for cell in ALL}
    texts = {cell: _t(cell) for cell in counts}
    return _result(table, name, substituted(formula, texts), substituted(formula, counts))


def _of_rates(table: "Confusion", name: str, formula: str, *parts: str) -> Step:
    """A rate by its formula of other rates."""
    values = {_t(symbol(part)): table.rate(part).value for part in parts}
    return _result(table, name, formula, substituted(formula, values))


def _kappa_steps(table: "Confusion") -> Iterator[Step]:
    n, right = table.n, int(np.trace(table.counts))
    truth, predicted = table.counts.sum(axis=1).tolist(), table.counts.sum(axis=0).tolist()
    chance = sum(t * p for t, p in zip(truth, predicted, strict=True)) / n**2 if n else float("nan")
    products = " + ".join(rf"{t} \cdot {p}" for t, p in zip(truth, predicted, strict=True))
    yield Step("accuracy", r"\frac{\sum_c n_{cc}}{n}", fraction(right, n), right / n if n else None)
    yield Step(
        "chance",
        r"\sum_c \frac{t_c}{n} \cdot \frac{p_c}{n}",
        rf"\frac{{{products}}}{{{n}^2}}",
        chance,
        "t_c rows are of class c, and p_c rows are predicted as c",
    )
    formula = rf"\frac{{{_t('accuracy')} - {_t('chance')}}}{{1 - {_t('chance')}}}"
    numbers = {_t("accuracy"): right / n if n else chance, _t("chance"): chance}
    yield _result(table, "kappa", formula, substituted(formula, numbers))


def _mcc_step(table: "Confusion") -> Step:
    if len(table.labels) == 2:
        roots = "(TP + FP)(TP + FN)(TN + FP)(TN + FN)"
        return _of_cells(table, "mcc", rf"\frac{{TP \cdot TN - FP \cdot FN}}{{\sqrt{{{roots}}}}}")
    truth, predicted = table.counts.sum(axis=1), table.counts.sum(axis=0)
    n, right = table.n, int(np.trace(table.counts))
    both, p2, t2 = int(truth @ predicted), int(predicted @ predicted), int(truth @ truth)
    step = _result(
        table,
        "mcc",
        r"\frac{n \sum_c n_{cc} - \sum_c t_c p_c}{\sqrt{(n^2 - \sum_c p_c^2)(n^2 - \sum_c t_c^2)}}",
        rf"\frac{{{n} \cdot {right} - {both}}}{{\sqrt{{({n}^2 - {p2})({n}^2 - {t2})}}}}",
    )
    return replace(step, note=step.note or "t_c truth, p_c predicted")


def _average_steps(table: "Confusion", kind: str, what: str) -> Iterator[Step]:
    if kind == "micro":
        right, n = int(np.trace(table.counts)), table.n
        note = "each row has one class, so FP and FN are the same rows: all micro averages are the accuracy"
        rate = getattr(table.average(kind), what)
        formula = rf"\frac{{\sum_c {_t('TP')}_c}}{{\sum_c ({_t('TP')}_c + {_t('FP')}_c)}}"
        yield Step(symbol(rate.name), formula, fraction(right, n), rate.value, note)
        return
    if what == "f1_of_means":
        for part in ("precision", "recall"):
            yield from _average_steps(table, kind, part)
        averages = table.average(kind)
        means = {r"\bar{P}": averages.precision.value, r"\bar{R}": averages.recall.value}
        rate, formula = averages.f1_of_means, r"\frac{2 \bar{P} \bar{R}}{\bar{P} + \bar{R}}"
        yield Step.of(symbol(rate.name), formula, means, None if rate.why else rate.value, rate.why)
        return
    rate, values = getattr(table.average(kind), what), by_class(table.counts)[what].tolist()
    names = {"precision": "ppv", "recall": "tpr", "f1": "f1"}
    for label, own in table.per_class().items():
        (step,) = _rate_steps(own, names[what])
        yield replace(step, label=f"{what if what != 'f1' else 'F1'} of {label}")
    if kind == "macro":
        weights, formula = [1] * len(values), r"\frac{1}{k} \sum_c v_c"
    else:
        weights, formula = table.counts.sum(axis=1).tolist(), r"\frac{1}{n} \sum_c t_c v_c"
    numbers = fraction(_weighed(values, weights), sum(weights))
    yield Step(symbol(rate.name), formula, numbers, None if rate.why else rate.value, rate.why)


def _weighed(values: Sequence[float], weights: Sequence[int]) -> str:
    plain = all(weight == 1 for weight in weights)
    terms = [
        _figure(value) if plain else rf"{weight} \cdot {_figure(value)}"
        for value, weight in zip(values, weights, strict=True)
        if weight
    ]
    return " + ".join(terms)


def _figure(value: float) -> str:
    """A number in a formula, where an undefined one is a word."""
    return _t("undefined") if math.isnan(value) else figure(value).replace("∞", r"\infty")
