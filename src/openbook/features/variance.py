r"""Variance threshold: remove columns that hardly vary, whatever the target.

    numbers      Σ w (x - mean)² / n over the known cells
    categories   ½ (1 - Σ_v p_v²), which is p (1 - p) for two values, as if they were coded 0 and 1

Missing cells do not count. A column without a known cell does not vary.
"""

from typing import Annotated, Any

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rules import Number
from openbook.data import Categorical, Numeric
from openbook.errors import DataError
from openbook.features.selector import Selector
from openbook.judge.folds.examples import Examples
from openbook.judge.scores.metrics import Task
from openbook.words.numbers import shown
from openbook.work import Grid, Work


class VarianceThreshold(Declared, Selector):
    """Keep the columns whose variance is above a threshold; the target is not looked at.

    Parameters
    ----------
    threshold : float, default=0.0
        Columns with no more variance are left out: 0 leaves out those of a single value. Numbers are in their
        own units; a nominal column has half the Gini index, which is p (1 - p) for two values. Text always
        stays.

    Attributes
    ----------
    variances_ : ndarray of shape (n_columns,)
        The variance of each column; infinite for text.
    support_ : ndarray of bool
        Which columns are kept.
    selected_ : tuple of str
        The names of the columns that are kept.

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> rows = [{"a": 1, "b": "x", "c": 5}, {"a": 2, "b": "x", "c": 5}, {"a": 3, "b": "x", "c": 5}]
    >>> VarianceThreshold().fit(rows).selected_
    ('a',)
    """

    _needs_target = False

    threshold: Annotated[float, Number(at_least=0)] = 0.0

    def _task(self, y: Any) -> Task:  # noqa: ARG002 (it is not looked at)
        return "regression"

    def _select(self, examples: Examples) -> list[str]:
        table = examples.table
        self.variances_ = np.array([_variance(table, attribute) for attribute in table.schema])
        kept = [name for name, v in zip(table.names, self.variances_, strict=True) if v > self.threshold]
        if not kept:
            raise DataError(
                f"No feature in X meets the variance threshold {self.threshold:.5f}: the largest variance is"
                f" {shown(float(self.variances_.max()))}; choose a smaller threshold"
            )
        return kept

    def _work(self) -> Work:
        figures = [shown(v) if np.isfinite(v) else "" for v in self.variances_.tolist()]
        kept = ["kept" if one else "" for one in self.support_]
        rows = [(a.name, a.kind, v, k) for a, v, k in zip(self.schema_, figures, kept, strict=True)]
        end = f"Kept {len(self.selected_)} of {len(rows)} with a variance above {self.threshold:g}."
        return Work("Columns by their variance", (Grid("", ("column", "kind", "variance", ""), rows),), end)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = False
        return tags


def _variance(table: Any, attribute: Any) -> float:
    data = table.data(attribute.name)
    if isinstance(attribute, Numeric):
        known = data[~np.isnan(data)].astype(float)
        return float(known.var()) if len(known) and np.ptp(known) > 0 else 0.0
    if isinstance(attribute, Categorical):
        shares = np.bincount(data[data >= 0], minlength=1) / max((data >= 0).sum(), 1)
        return float((1 - (shares**2).sum()) / 2) if shares.any() else 0.0
    return np.inf
