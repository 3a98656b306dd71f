"""Recursive elimination: fit, leave out the least important column, and fit again (Guyon et al. 2002)."""

from typing import Annotated, Any

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rules import Maybe, Whole
from openbook.features.embedded import fitted_on_all, importances_of
from openbook.features.selector import Selector
from openbook.judge.folds.examples import Examples, model_task
from openbook.judge.scores.metrics import Task
from openbook.words.numbers import shown
from openbook.work import Grid, Work


class RFE(Declared, Selector):
    """Recursive feature elimination: leave out the least important columns, step by step, and refit.

    Unlike `EmbeddedSelection`, which fits once, it asks the learner again after each step: what matters may
    change when a column of the same information is gone. Of equally important columns the last goes first.

    Parameters
    ----------
    estimator : estimator
        A learner with `feature_importances_` or `coef_`; see `EmbeddedSelection`.
    n_features_to_select : int or None, default=None
        How many columns to keep; None for half of them.
    step : int, default=1
        How many columns leave at a time.

    Attributes
    ----------
    ranking_ : ndarray of int
        1 for the columns that are kept, 2 for those that left last, and so on.
    path_ : list of dict
        The importance of each column that was left, before each step.
    support_ : ndarray of bool
        Which columns are kept.
    n_features_ : int
        How many are kept.
    selected_ : tuple of str
        The names of the columns that are kept.

    Notes
    -----
    Guide: docs/guide/attributes.md

    References
    ----------
    Guyon, Weston, Barnhill and Vapnik (2002), Gene selection for cancer classification using support vector
    machines.

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.linear import LogisticRegression
    >>> X, y = load("iris").split("species")
    >>> RFE(LogisticRegression()).fit(X, y).selected_
    ('petal length (cm)', 'petal width (cm)')
    """

    estimator: Any
    n_features_to_select: Annotated[int | None, Maybe(Whole(at_least=1))] = None
    step: Annotated[int, Whole(at_least=1)] = 1

    @property
    def n_features_(self) -> int:
        return int(self.support_.sum())

    def _task(self, y: Any) -> Task:  # noqa: ARG002 (the learner says it)
        return model_task([self.estimator])

    def _select(self, examples: Examples) -> list[str]:
        names = list(examples.table.names)
        wanted = self.n_features_to_select or max(len(names) // 2, 1)
        left: list[tuple[str, ...]] = []
        self.path_ = []
        while len(names) > wanted:
            model = fitted_on_all(self.estimator, examples.select(names))
            importances = importances_of(model, len(names), "RFE")
            self.path_.append(dict(zip(names, importances.tolist(), strict=True)))
            order = np.argsort(-importances, kind="stable")  # of equals, the last of the table goes first
            dropped = order[max(wanted, len(names) - self.step) :]
            left.append(tuple(names[j] for j in dropped))
            names = [name for j, name in enumerate(names) if j not in set(dropped.tolist())]
        ranks = {name: rank for rank, step in enumerate(reversed(left), start=2) for name in step}
        self.ranking_ = np.array([ranks.get(name, 1) for name in examples.table.names])
        return names

    def _work(self) -> Work:
        after = [*self.path_[1:], dict.fromkeys(self.selected_)]
        rows = [
            (f"{step}", name, shown(importances[name]), f"{len(left)}")
            for step, (importances, left) in enumerate(zip(self.path_, after, strict=False), start=1)
            for name in importances
            if name not in left
        ]
        grid = Grid("", ("step", "leaves", "importance", "columns left"), rows)
        end = f"Kept {len(self.selected_)} of {len(self.schema_)}: {', '.join(self.selected_)}."
        return Work(f"Recursive elimination by {type(self.estimator).__name__}", (grid,), end)
