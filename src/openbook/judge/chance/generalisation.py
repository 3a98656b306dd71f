r"""Estimates of the error from training rows: the optimistic training error, and one with a penalty for
complexity.

    classifiers   optimistic e / n          pessimistic (e + k c) / n
    regressors    optimistic sqrt(RSS / n)  pessimistic sqrt(RSS / n) (n + c) / (n - c); tenfold for n <= c

e : training rows that are wrong, of n; RSS : the sum of squared residuals
c : the complexity of the fitted model: a tree's leaves, another learner's `complexity()`
k : the penalty of each, 0.5 by default

Both are estimates from the training rows alone, for choosing between models of one kind, as in pruning
(`openbook.tree`: e'(T) = e(T) + k leaves, and M5's adjusted error for lines). Neither has an interval, and
neither replaces held-out rows.
"""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.errors import ParameterError
from openbook.judge.folds.examples import Examples, RowsOfFold, Split, model_task
from openbook.judge.folds.fit_folds import complexity_of
from openbook.judge.scores.metrics import Task
from openbook.words.numbers import figure
from openbook.words.parameters import documented
from openbook.work import ShowsWork, Step, Work


@documented
@dataclass(frozen=True, repr=False)
class Generalisation(ShowsWork):
    """The optimistic and the pessimistic error of a fitted model.

    Attributes
    ----------
    errors : float
        Training rows that are wrong or, for numbers, the sum of squared residuals.
    n : int
        Training rows.
    complexity : float
        Of the model.
    penalty : float, default=0.5
        The penalty k of each unit of complexity; not used for numbers.
    task : "classification" or "regression", default="classification"
    counted : str, default="complexity"
        The unit of the complexity.
    label : str, default="the model"
        The model's name.

    Notes
    -----
    Guide: docs/guide/choosing.md

    Examples
    --------
    >>> found = Generalisation(errors=10, n=1000, complexity=30)
    >>> found.optimistic, found.pessimistic
    (0.01, 0.025)
    """

    errors: float
    n: int
    complexity: float
    penalty: float = 0.5
    task: Task = "classification"
    counted: str = "complexity"
    label: str = "the model"

    def __post_init__(self) -> None:
        if self.n < 1 or self.errors < 0 or self.complexity < 0 or self.penalty < 0:
            raise ParameterError(
                f"n must be at least 1, and errors, complexity and penalty at least 0; got n={self.n},"
                f" errors={self.errors}, complexity={self.complexity}, penalty={self.penalty}"
            )

    @property
    def optimistic(self) -> float:
        """The training error: the share of wrong rows or, for numbers, RMSE."""
        share = self.errors / self.n
        return math.sqrt(share) if self.task == "regression" else share

    @property
    def pessimistic_errors(self) -> float:
        """The wrong rows and the penalty, e + k c; NaN for numbers, of which none is simply wrong."""
        from openbook.tree.engine.prune import pessimistic_errors

        if self.task == "regression":
            return math.nan
        return pessimistic_errors(self.errors, self.complexity, self.penalty)

    @property
    def pessimistic(self) -> float:
        """The error with the penalty."""
        if self.task == "regression":
            from openbook.tree.model_tree import adjusted

            return adjusted(self.errors, self.n, self.complexity)
        return self.pessimistic_errors / self.n

    def work(self) -> Work:
        """How both came about."""
        e, n, c, k = (figure(value) for value in (self.errors, self.n, self.complexity, self.penalty))
        counted = Step("c", result=self.complexity, note=self.counted)
        if self.task == "regression":
            low = Step.of("optimistic error", r"\sqrt{\frac{RSS}{n}}", {"RSS": e, "n": n}, self.optimistic)
            rmse, formula = figure(self.optimistic), r"10 \sqrt{\frac{RSS}{n}}"
            numbers = rf"10 \cdot {rmse}"
            if self.n > self.complexity:
                formula = r"\sqrt{\frac{RSS}{n}} \cdot \frac{n + c}{n - c}"
                numbers = rf"{rmse} \cdot \frac{{{n} + {c}}}{{{n} - {c}}}"
            high = [Step("pessimistic error", formula, numbers, self.pessimistic)]
        else:
            low = Step.of("optimistic error", r"\frac{e}{n}", {"e": e, "n": n}, self.optimistic)
            numbers = rf"\frac{{{figure(self.pessimistic_errors)}}}{{{n}}}"
            high = [
                Step.of("pessimistic errors", "e + k c", {"e": e, "k": k, "c": c}, self.pessimistic_errors),
                Step("pessimistic error", r"\frac{e + k c}{n}", numbers, self.pessimistic),
            ]
        return Work(f"Optimistic and pessimistic error of {self.label}", (low, counted, *high))


def generalisation(model: Any, X: Any, y: Any, penalty: float = 0.5) -> Generalisation:
    """The optimistic and the pessimistic error of a fitted model on the rows it was fitted on.

    Parameters
    ----------
    model : estimator
        A fitted classifier or regressor with a `complexity()`.
    X : table-like
        The training rows.
    y : array-like or str
        Their target.
    penalty : float, default=0.5
        Of each unit of complexity, k.

    Returns
    -------
    Generalisation

    Notes
    -----
    Guide: docs/guide/choosing.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.tree import ID3
    >>> X, y = load("weather").split("play")
    >>> found = generalisation(ID3().fit(X, y), X, y)
    >>> found.complexity, found.pessimistic_errors  # five leaves and no error
    (5, 2.5)
    """
    check_is_fitted(model)
    examples = Examples.of(X, y, model_task([model]))
    leaves = hasattr(model, "get_n_leaves")
    complexity = model.get_n_leaves() if leaves else complexity_of(model)
    if complexity is None:
        raise ParameterError(
            f"{type(model).__name__} does not say how complex it is; use one of openbook's learners, or"
            " Generalisation(errors, n, complexity)"
        )
    rows = np.arange(len(examples))
    predicted = np.asarray(model.predict(RowsOfFold(examples, Split(0, rows, rows)).testing(model)))
    if examples.classes is None:
        errors = float(((examples.target - predicted.ravel()) ** 2).sum())
    else:
        errors = int((examples.names(model)[examples.target] != predicted).sum())
    counted = "leaves" if leaves else "figures that the model had to learn"
    return Generalisation(
        errors, len(examples), complexity, penalty, examples.task, counted, type(model).__name__
    )
