r"""Bias and variance of an evaluation: of the score that it reports, by how rows are divided.

All rows of a table are the population. Samples of n rows are drawn from it repeatedly, with

    truth       s_i   the score of a model of all n rows of sample i, on the rows outside of it
    estimate    e_i   the score that an evaluation of the sample reports
    bias        mean of (e_i - s_i)
    deviation   standard deviation of e_i, over the samples
    error       root of the mean of (e_i - s_i)²

A model of fewer rows is worse, so the smaller the training part, the more pessimistic the estimate; the
fewer rows test, the more it varies. An undefined score leaves its sample out.

estimates : float64 (n_samples, n_ways); truth : float64 (n_samples,)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from openbook.border.rules import Whole, check_value
from openbook.draw import Picture
from openbook.draw.charts import score_chart
from openbook.errors import ParameterError
from openbook.fold import each
from openbook.judge.folds.evaluate import judged
from openbook.judge.folds.examples import Examples, RowsOfFold, Split, model_task, takes_tables
from openbook.judge.folds.fit_folds import fold_result, refuse_frozen
from openbook.judge.scores.metrics import DEFAULTS, Metric
from openbook.judge.scores.metrics import metric as find_metric
from openbook.words.numbers import shown
from openbook.words.parameters import documented
from openbook.work import Grid, ShowsWork, Work

#: Training parts from small to large, then the ways that train on every row, then the training error.
WAYS = (0.2, 0.5, 0.8, 0.95, 5, 10, "leave_one_out", "bootstrap", "training")


@documented
@dataclass(frozen=True, repr=False, eq=False)
class EvaluationBias(ShowsWork):
    """The estimate by each way to divide the rows, sample by sample, and the truth.

    Attributes
    ----------
    label : str
        The learner's name.
    ways : tuple of str
        The ways to divide the rows.
    estimates : ndarray of shape (n_samples, n_ways)
        The score that each evaluation reports.
    truth : ndarray of shape (n_samples,)
        The score of a model of the whole sample, on the rows outside of it.
    function : Metric
        The score.
    words : str
        How rows were drawn.

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = ob.load("iris").split("species")
    >>> ways = [0.2, "training"]
    >>> found = evaluation_bias(NaiveBayes(), X, y, ways, n_train=40, repeats=10, metric="error")
    >>> (found.bias > 0).tolist()  # a small training part is too pessimistic, training rows too optimistic
    [True, False]
    """

    label: str
    ways: tuple[str, ...]
    estimates: np.ndarray
    truth: np.ndarray
    function: Metric
    words: str

    @property
    def bias(self) -> np.ndarray:
        """The mean of estimate minus truth, of each way."""
        return np.nanmean(self._off, axis=0)

    @property
    def deviation(self) -> np.ndarray:
        """The standard deviation of each way's estimates over the samples."""
        return np.nanstd(self.estimates, axis=0, ddof=1)

    @property
    def error(self) -> np.ndarray:
        """The root of the mean squared difference from the truth, of each way."""
        return np.sqrt(np.nanmean(self._off**2, axis=0))

    @property
    def _off(self) -> np.ndarray:
        return self.estimates - self.truth[:, None]

    def draw(self) -> Picture:
        """The mean estimate of each way, a standard deviation to either side; the truth is dashed."""
        means, spread = np.nanmean(self.estimates, axis=0), self.deviation
        columns = (each.tolist() for each in (means, means - spread, means + spread))
        rows = list(zip(self.ways, *columns, strict=True))
        note = "Dot: mean estimate; line: one standard deviation to either side; dashed: the true score."
        title = f"Evaluations of {self.label}"
        return score_chart(title, self.function.words, rows, float(np.nanmean(self.truth)), (note,))

    def work(self) -> Work:
        """The bias, standard deviation and error of each way to divide the rows.

        Returns
        -------
        Work
        """
        means = np.nanmean(self.estimates, axis=0)
        columns = (means, self.bias, self.deviation, self.error)
        rows = [(way, *map(shown, row)) for way, *row in zip(self.ways, *map(list, columns), strict=True)]
        header = ("cv", "mean estimate", "bias", "standard deviation", "error of the estimate")
        score = f"{self.function.words} of a model of all rows of the sample, on other rows"
        grid = Grid("", header, rows, f"{score}: {shown(float(np.nanmean(self.truth)))}. {self.words}.")
        best = self.ways[int(np.nanargmin(self.error))]
        return Work(f"Evaluations of {self.label}", (grid,), f"The smallest error: cv={best}.")


@documented
def evaluation_bias(
    model: Any,
    X: Any,
    y: Any,
    cv: Sequence[Any] | None = None,
    n_train: int = 200,
    repeats: int = 50,
    metric: str | Metric | None = None,
    random_state: int = 0,
) -> EvaluationBias:
    """Bias and variance of the evaluation itself, by how the rows are divided: an experiment.

    Parameters
    ----------
    model : estimator
        Any classifier or regressor with scikit-learn's methods.
    X : table-like
        A table with many more rows than a sample; it is the population.
    y : array-like or str
    cv : sequence or None, default=None
        The ways to divide the rows of a sample, each as `evaluate` takes it; None for shares of 0.2, 0.5, 0.8
        and 0.95, 5 and 10 folds, "leave_one_out", "bootstrap" and "training".
    n_train : int, default=200
        The number of rows of a sample.
    repeats : int, default=50
        How many samples are drawn.
    metric : str, Metric or None, default=None
        The score; None for the first that `evaluate` shows.
    random_state : int, default=0

    Returns
    -------
    EvaluationBias

    Notes
    -----
    Guide: docs/guide/judging.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import ZeroRegressor
    >>> X, y = ob.load("diabetes").split("progression")
    >>> found = evaluation_bias(ZeroRegressor(), X, y, cv=[0.5, 0.95], n_train=60, repeats=10, metric="mae")
    >>> found.deviation[0] < found.deviation[1]  # three rows test less well than thirty
    np.True_
    """
    task = model_task([model])
    refuse_frozen(model)
    for name, value in (("n_train", n_train), ("repeats", repeats)):
        check_value(name, value, Whole(at_least=2))
    examples, n, ways = Examples.of(X, y, task), n_train, WAYS if cv is None else tuple(cv)
    if 2 * n > len(examples):
        what = f"samples of {n} rows need a table of at least {2 * n}, to have rows for the true score"
        raise ParameterError(f"{what}; it has {len(examples)}. Make n_train smaller")
    function = find_metric(metric or DEFAULTS[task][0], task)
    step = partial(_sampled, model, examples, ways, n, function, random_state)
    estimates, truth = map(np.array, zip(*each(range(repeats), step), strict=True))
    words = f"{repeats} samples of {n:,} of {len(examples):,} rows"
    label = type(model).__name__
    return EvaluationBias(label, tuple(map(str, ways)), estimates, truth, function, words)


def _sampled(
    model: Any, examples: Examples, ways: Sequence[Any], n: int, function: Metric, random_state: int, i: int
) -> tuple[list[float], float]:
    """The estimate of each way for one sample, and the truth."""
    rows = np.random.default_rng([random_state, i]).permutation(len(examples))
    sample, outside = np.sort(rows[:n]), np.sort(rows[n:])
    result = fold_result("model", model, RowsOfFold(examples, Split(i, sample, outside)))
    n_classes = 0 if examples.classes is None else len(examples.classes)
    part = examples.part(sample, tables=takes_tables(model))
    made = (judged({"model": model}, part, way, function, random_state + i)["model"] for way in ways)
    return [each.score(function) for each in made], function(result.predictions(n_classes))
