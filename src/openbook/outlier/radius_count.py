r"""Neighbours within a radius: rows with few of them are outliers.

    score = the share of the other rows that lie farther away than the radius

Without a radius, it is twice the median, over the training rows, of the distance to the fifth nearest row.
One row that agrees in every known cell counts as the row itself, as in `nearby`. A count is no sum over
columns, so `reasons` replaces each attribute by its typical value (`typical`).
"""

from typing import Annotated

import numpy as np

from openbook.border.rules import Maybe, Number
from openbook.damage import checked_array, require
from openbook.outlier.detector import Account
from openbook.outlier.nearby import Nearby
from openbook.outlier.typical import DROPS, drops, typical_row
from openbook.work import Step

#: The most pairs of rows that are compared together.
_AT_A_TIME = 1 << 22

#: The default radius is _TIMES the median distance to the nearest row number _NEIGHBOUR.
_TIMES, _NEIGHBOUR = 2.0, 5

#: Rows of which that median is found.
_SAMPLE = 2000


class RadiusCount(Nearby):
    """Radius count: the share of the other rows outside a radius around the row.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    radius : float or None, default=None
        The radius; None for twice the median distance to the fifth nearest row.
    metric : str or function, default='auto'
    scale : bool, default=True
    p : float, default=2
    algorithm : str, default='auto'
    allow_large : bool, default=False
    threshold : float or None, default=None
    contamination : float or "auto", default='auto'
        The share of the training rows that are outliers. "auto" is 0.1.
    top : int or None, default=None

    Attributes
    ----------
    effective_metric_ : str or function
    n_neighbors_ : int
    n_samples_fit_ : int
    space_ : Space
    statistics_ : StoredRows
    radius_ : float
        The radius.
    threshold_ : float

    References
    ----------
    Knorr and Ng (1998), Algorithms for mining distance-based outliers in large datasets: theirs is a
    threshold on this score.

    Examples
    --------
    >>> X = [[0.0], [0.1], [0.2], [0.3], [5.0]]
    >>> RadiusCount(radius=0.15, scale=False, top=1).fit(X).oddness([[5.0], [0.1]]).tolist()
    [1.0, 0.5]
    """

    radius: Annotated[float | None, Maybe(Number(above=0))] = None

    n_neighbors = _NEIGHBOUR

    def _score_training_rows(self):
        self.radius_ = float(self.radius) if self.radius is not None else self._default_radius()

    def _keep(self, examples):
        super()._keep(examples)
        self._typical = typical_row(examples.table(self.schema_))

    def _default_radius(self):
        table = self.statistics_.table(self.schema_)
        some = np.unique(np.linspace(0, len(table) - 1, min(len(table), _SAMPLE)).astype(np.intp))
        median = float(np.median(self._nearest(self.space_.coordinates(table.take(some)))[0][:, -1]))
        return _TIMES * median or 1.0

    def counts(self, X):
        """How many rows learnt from lie within the radius of each row, without the row itself.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of int of shape (n,)
        """
        return self._each(X, self._counted)[:, 0]

    def _counted(self, X):
        """The rows within the radius, and all others there are, (n, 2)."""
        n = len(self.statistics_)
        step = max(_AT_A_TIME // n, 1)
        found = np.empty((len(X), 2), np.intp)
        for start in range(0, len(X), step):
            points = self.space_.coordinates(X.take(slice(start, start + step)))
            nearest = self.space_.index.query(points, 1)[0][:, 0]
            own = self._own(points, nearest, np.full(len(nearest), self.radius_))
            ends = self.space_.index.within(points, self.radius_)[0]
            inside = np.diff(ends)
            found[start : start + step, 0] = inside - (own & (inside > 0))
            found[start : start + step, 1] = n - own
        return found

    def _scores(self, X):
        inside, others = self._counted(X).T
        return 1 - inside / others

    def _account(self, X):
        score, shares, rest = drops(self._scores, X, self._typical)
        inside, others = self._counted(X)[0].tolist()
        steps = (Step("radius r", result=self.radius_), Step("rows within r", result=inside))
        joined = Step("score", r"1 - \frac{N_r}{N}", rf"1 - \frac{{{inside}}}{{{others}}}", score)
        return Account(score, shares, steps, (joined,), DROPS, (("together, or none of them", rest),))

    def _learnt(self):
        note = "" if self.radius is not None else f"{_TIMES:g} median distances to the fifth nearest row"
        rows, _, *distance = super()._learnt()
        return (rows, *distance, Step("radius r", result=self.radius_, note=note))

    def _arrays(self):
        return {**super()._arrays(), "radius": np.array([self.radius_])}

    def _restore(self, arrays):
        self.radius_ = float(checked_array(arrays, "radius", float, (1,))[0])
        require(self.radius_ > 0, "a radius must lie above 0")
        super()._restore({name: array for name, array in arrays.items() if name != "radius"})
