r"""Costs of decisions, and what minimum-risk decisions save.

    cost[i, j]    of deciding i when the truth is j; labelled, cost[decision][truth]
    R(i | x) = Σ_j cost[i, j] P(j | x)              the least of these is the decision of minimum risk

Three kinds of decision are compared by their true costs, row by row: the predictions of the model, minimum
risk by its probabilities, and always the same class (the cheapest one on these rows, which is hard to beat).
The saving of one over another is a paired difference over the rows: see `spread`.

The expected cost uses the model's own probabilities. If it is far from the observed cost, do not trust the
probabilities or the decisions: calibrate first. With two classes, minimum risk decides for the second where
its probability exceeds a threshold that follows from the costs alone; the threshold that was cheapest in
hindsight is drawn too; it is optimistic.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np

from openbook.border.rows import class_codes
from openbook.data.attributes import as_text
from openbook.draw import Numbers, Picture
from openbook.draw.plot import Plot
from openbook.errors import ParameterError
from openbook.judge.chance.intervals import Interval
from openbook.judge.chance.significance import TestResult
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.scores.confusion import Confusion
from openbook.judge.scores.influence import of_losses
from openbook.judge.scores.metrics import Metric, Predictions
from openbook.measures import cost_matrix, expected_risk, risk_threshold
from openbook.measures.decisions import threshold_steps
from openbook.words.numbers import figure, shown, shown_p
from openbook.words.parameters import documented
from openbook.work import Grid, ShowsWork, Work

#: A way to decide: from the predictions of some rows to class codes.
Decide = Callable[[Predictions], np.ndarray]

PREDICTED, LEAST = "as predicted", "minimum risk"


@dataclass(frozen=True)
class Payment:
    """The cost of one way to decide.

    Parameters
    ----------
    way : "as predicted", "minimum risk", or "always …"
    observed, interval : the mean cost per row, by the truth
    expected : the mean cost per row, by the model's probabilities; NaN if it gave none
    total : the observed cost of all tested rows, each counted once
    """

    way: str
    observed: float
    interval: Interval
    expected: float
    total: float


@dataclass(frozen=True, repr=False, eq=False)
class Costs(ShowsWork):
    """The costs of a classifier's decisions; see `costs`.

    Attributes
    ----------
    evaluation : Evaluation
        The evaluation of the classifier.
    matrix : ndarray
        The costs, decisions by truths, in the order of the classes.
    payments : mapping of str to Payment
        Mapping of the way to decide to its Payment.
    saved : mapping of str to TestResult
        Mapping of another way to what minimum risk saves over it, a row; empty without probabilities.
    threshold : float or None
        With two classes, the probability of the second above which it is predicted; None if there is none,
        for the reason `why`.
    why : str
        Why there is no threshold; empty if there is one.
    n : int
        How many rows were tested.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = ob.load("credit", rows=400).split("default")
    >>> paid = costs(ob.evaluate(NaiveBayes(), X, y, cv=5), {"no": {"yes": 10}, "yes": {"no": 1}})
    >>> list(paid.payments), paid.n
    (['as predicted', 'minimum risk', 'always no'], 400)
    """

    evaluation: Evaluation
    matrix: np.ndarray
    payments: Mapping[str, Payment]
    saved: Mapping[str, TestResult]
    threshold: float | None
    why: str
    n: int

    @property
    def labels(self) -> list[str]:
        return _labels(self.evaluation)

    def curve(self, thresholds: Any) -> np.ndarray:
        """The observed cost of a row of deciding for the second class where its probability exceeds each.

        Parameters
        ----------
        thresholds : array-like
            Probabilities of the second class.

        Returns
        -------
        ndarray
        """
        truth, second = self._two_classes()
        order = np.argsort(second, kind="stable")
        if_first, if_second = (self.matrix[i, truth[order]] for i in (0, 1))
        below = np.concatenate([[0.0], np.cumsum(if_first)])
        above = np.concatenate([np.cumsum(if_second[::-1])[::-1], [0.0]])
        at = np.searchsorted(second[order], np.asarray(thresholds, dtype=float), side="right")
        means: np.ndarray = (below + above)[at] / len(order)
        return means

    def _two_classes(self) -> tuple[np.ndarray, np.ndarray]:
        """The truths, and the probabilities of the second class."""
        p = self.evaluation.one_round
        if p.n_classes != 2 or p.proba is None:
            what = f"{p.n_classes} classes" if p.n_classes != 2 else "no probabilities"
            raise ParameterError(f"a threshold needs two classes and their probabilities; there are {what}")
        return p.truth, p.proba[:, 1]

    def work(self) -> Work:
        """The costs, the threshold they imply, the cost of each strategy, and the saving."""
        decisions = zip(self.labels, self.matrix.tolist(), strict=True)
        rows = [(f"decide {label}", *row) for label, row in decisions]
        parts: list[Any] = [Grid("Costs", ("", *(f"truth {label}" for label in self.labels)), rows)]
        if self.threshold is not None:
            parts += threshold_steps(self.labels, self.matrix, self.threshold)
        parts.append(self._payments_grid())
        if self.saved:
            parts.append(self._saved_grid())
        return Work(f"Costs of {self.evaluation.name}", tuple(parts), self._conclusion())

    def _payments_grid(self) -> Grid:
        rows = [
            (one.way, shown(one.observed), one.interval.ends, shown(one.expected), shown(one.total))
            for one in self.payments.values()
        ]
        one = self.payments[PREDICTED].interval
        note = (
            f"Per row, and in total over {self.n:,} rows. Intervals: {100 * one.level:g}%, {one.method}."
            " Expected by the model's own probabilities."
        )
        header = ("decisions", "observed", "interval", "expected", "total")
        return Grid("Costs of the decisions", header, rows, note)

    def _saved_grid(self) -> Grid:
        rows = []
        for way, test in self.saved.items():
            per_row, total = (shown(n * test.difference, sign="+") for n in (1, self.n))
            rows.append((way, per_row, test.interval.ends, shown_p(test.p_value), total))
        test = self.saved[PREDICTED]
        note = f"Intervals: {100 * test.interval.level:g}%, {test.interval.method}; {test.method}."
        return Grid("Savings of minimum risk", ("over", "per row", "interval", "p", "total"), rows, note)

    def _conclusion(self) -> str:
        sentences = [self.why] if self.why else []
        constant = self.payments[self.constant]
        best = f"{constant.way}, the best constant decision, costs {shown(constant.observed)}"
        if not self.saved:
            own = shown(self.payments[PREDICTED].observed)
            sentences.append(f"The predictions cost {own} per row; {best}.")
            sentences.append(f"{self.evaluation.name} gave no probabilities to weigh the costs with.")
            return " ".join(sentences)
        least = self.payments[LEAST]
        sentences.append(f"Minimum risk costs {shown(least.observed)} per row; {best}.")
        sentences.append(self._saving(self.constant, f"over {constant.way}"))
        if self.saved[PREDICTED].difference:
            sentences.append(self._saving(PREDICTED, "over the predictions"))
        if least.expected not in least.interval:
            figures = f"Predicted cost {shown(least.expected)} per row, actual {shown(least.observed)}"
            sentences.append(f"{figures}: calibrate the probabilities before you rely on these decisions.")
        return " ".join(sentences)

    def _saving(self, way: str, over: str) -> str:
        """What minimum risk saves over another way to decide, in a sentence."""
        test = self.saved[way]
        if test.difference == 0:
            return f"It saves nothing {over}."
        verb = "saves" if test.difference > 0 else "loses"
        total = round(self.n * abs(test.difference), 6)
        in_total = f"{total:,.0f}" if total.is_integer() else shown(total)
        amount = f"{shown(abs(test.difference))} per row, {in_total} in total"
        chance = "; the interval contains 0, so this may be chance" if 0 in test.interval else ""
        return f"It {verb} {amount} {over}{chance}."

    @property
    def constant(self) -> str:
        """The best constant decision: "always …", the class that is cheapest on these rows."""
        return next(way for way in self.payments if way not in {PREDICTED, LEAST})

    def draw(self) -> Picture:
        """The cost of a row against the threshold, of two classes."""
        self._two_classes()
        grid = np.linspace(0, 1, 501)
        paid = self.curve(grid)
        ways = {way: one.observed for way, one in self.payments.items() if way not in {PREDICTED, LEAST}}
        across = Numbers.between(f"decide {self.labels[1]} where its probability exceeds", 0, 1)
        heights = np.concatenate([np.linspace(paid.min(), paid.max(), 20), [*ways.values()]])
        plot = Plot(across, Numbers("cost of a row", heights))
        plot.line(grid, paid, "c0", "observed cost")
        best = float(grid[paid.argmin()])
        for colour, at, words in (("c1", self.threshold, "by the costs"), ("c2", best, "best in hindsight")):
            if at is not None:
                plot.up_at(at, f"{colour} dashed", f"{words}: {figure(at, 3)}")
        for way, cost in ways.items():
            plot.across_at(cost, name=f"{way}: {shown(cost)}")
        note = f"{self.n:,} tested rows. The threshold in hindsight was chosen on them, so it is optimistic."
        title = f"{self.evaluation.name}: cost against threshold"
        return plot.picture(title, (note,), f"{note} {self._conclusion()}")


def costs(evaluation: Evaluation, costs: Any, level: float = 0.95) -> Costs:
    """The costs of a classifier's decisions, and the saving by decisions of minimum risk.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of a classifier.
    costs : mapping or array-like
        The cost of each decision for each truth: `costs[decision][truth]`, or a square array in the order of
        the classes. A mapping may leave out correct decisions, which then cost 0. Gains are negative costs.
    level : float, default=0.95
        Of the intervals.

    Returns
    -------
    Costs

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    A default costs ten times what a loan that was not granted would have earned.

    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = ob.load("credit", rows=2000).split("default")
    >>> paid = costs(ob.evaluate(NaiveBayes(), X, y), {"no": {"yes": 10}, "yes": {"no": 1}})
    >>> round(paid.threshold, 4)  # 1 / (1 + 10)
    0.0909
    >>> print(paid.saved["as predicted"])
    +0.162 [0.066, 0.258] (95%, paired t over rows), p = 0.000963
    """
    if evaluation.task != "classification" or evaluation.classes is None:
        what = f"{evaluation.name} predicts {evaluation.predicts}"
        raise ParameterError(f"{what}, and costs are of deciding between classes")
    matrix = cost_matrix(costs, evaluation.classes.tolist())
    p = evaluation.one_round
    always = int(np.argmin([matrix[c, p.truth].mean() for c in range(len(matrix))]))
    ways: dict[str, Decide] = {PREDICTED: _as_predicted}
    if p.proba is not None:
        ways[LEAST] = partial(_least_risk, matrix)
    ways[f"always {_labels(evaluation)[always]}"] = partial(_always, always)
    bills = {way: _metric(way, matrix, decide) for way, decide in ways.items()}
    payments = {}
    for way, bill in bills.items():
        observed, expected = evaluation.score(bill), _expected(matrix, p, ways[way](p))
        interval = evaluation.interval(bill, level)
        payments[way] = Payment(way, observed, interval, expected, observed * len(p.truth))
    others = [way for way in ways if way != LEAST] if LEAST in ways else []
    saved = {way: _saved(evaluation, bills[way], bills[LEAST], level) for way in others}
    threshold, why = _threshold(matrix, evaluation)
    return Costs(evaluation, matrix, payments, saved, threshold, why, len(p.truth))


@documented
def cost_metric(costs: Any, y: Any) -> Metric:
    """The mean cost per row of the predictions: a score to rank learners by.

    Parameters
    ----------
    costs : mapping, array or None
    y : array-like or str

    Returns
    -------
    Metric

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import ZeroR
    >>> X, y = ob.load("weather").split("play")  # 5 of 14 are No
    >>> cost = cost_metric({"Yes": {"No": 14}, "No": {"Yes": 1}}, y)
    >>> ob.evaluate(ZeroR(), X, y, metrics=cost).score()
    5.0
    """
    matrix = cost_matrix(costs, class_codes(y)[1].tolist())
    return replace(_metric(PREDICTED, matrix, _as_predicted), name="cost")


def total_cost(confusion: Confusion | Sequence[Sequence[int]], costs: Any) -> float:
    """The total cost of the decisions in a confusion matrix: each count times the cost of its cell.

    Parameters
    ----------
    confusion : Confusion or array-like
        The confusion matrix, or its counts, rows truth and columns predicted.
    costs : mapping, array or None
        Square array, or nested mapping `costs[decision][truth]`; correct decisions may be left out.

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> table = Confusion([[50, 4], [3, 10]], ["no", "yes"])
    >>> total_cost(table, {"yes": {"no": 1}, "no": {"yes": 10}})
    34.0
    """
    counted = _counted(confusion)
    return float((cost_matrix(costs, counted.labels).T * counted.counts).sum())


def tie_cost_ratio(
    first: Confusion | Sequence[Sequence[int]], second: Confusion | Sequence[Sequence[int]]
) -> float:
    r"""The cost of a false negative, in false positives, at which two models cost the same.

    .. math:: \frac{c_{FN}}{c_{FP}} = \frac{FP_1 - FP_2}{FN_2 - FN_1}

    NaN if one model has fewer errors of both kinds, so that no such ratio exists.

    Parameters
    ----------
    first, second : Confusion or array-like
        Confusion matrices, or their counts. Of two classes and of the same rows.

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> careful = Confusion([[70, 30], [2, 18]], ["no", "yes"])
    >>> sparing = Confusion([[95, 5], [7, 13]], ["no", "yes"])
    >>> tie_cost_ratio(careful, sparing)
    5.0
    """
    one, other = _counted(first), _counted(second)
    fewer, more = one.fp - other.fp, other.fn - one.fn
    return fewer / more if more and fewer / more > 0 else math.nan


def _counted(confusion: Confusion | Sequence[Sequence[int]]) -> Confusion:
    return confusion if isinstance(confusion, Confusion) else Confusion(np.asarray(confusion))


def _labels(evaluation: Evaluation) -> list[str]:
    return [] if evaluation.classes is None else [as_text(label) for label in evaluation.classes.tolist()]


def _as_predicted(p: Predictions) -> np.ndarray:
    return p.predicted


def _least_risk(matrix: np.ndarray, p: Predictions) -> np.ndarray:
    """The decision of minimum risk, the first of equals, as `MinimumRisk` makes it."""
    return (p.proba @ matrix.T).argmin(axis=1)  # type: ignore[operator, no-any-return]


def _always(c: int, p: Predictions) -> np.ndarray:
    return np.full(len(p.truth), c)


def _metric(way: str, matrix: np.ndarray, decide: Decide) -> Metric:
    """The mean cost of deciding so, as a score."""

    def paid(p: Predictions) -> np.ndarray:
        return matrix[decide(p), p.truth]  # type: ignore[no-any-return]

    def mean(p: Predictions) -> float:
        return float(paid(p).mean())

    least, most = float(matrix.min()), float(matrix.max())
    influence = partial(of_losses, paid)
    return Metric(f"cost, {way}", "classification", False, way == LEAST, mean, least, most, influence)


def _expected(matrix: np.ndarray, p: Predictions, decisions: np.ndarray) -> float:
    """The mean cost of decisions by the probabilities."""
    if p.proba is None:
        return math.nan
    return float(expected_risk(p.proba, matrix)[np.arange(len(decisions)), decisions].mean())


def _saved(evaluation: Evaluation, other: Metric, own: Metric, level: float) -> TestResult:
    """The mean saving per row by the second way of deciding, on the same rows."""
    return evaluation.spread(other).minus(evaluation.spread(own)).paired(share=False).test(level)


def _threshold(matrix: np.ndarray, evaluation: Evaluation) -> tuple[float | None, str]:
    """The threshold of two classes, or why there is none."""
    if len(matrix) != 2:
        return None, ""
    try:
        return risk_threshold(matrix, _labels(evaluation)), ""
    except ParameterError as none:
        why = str(none)
        return None, f"{why[0].upper()}{why[1:]}."
