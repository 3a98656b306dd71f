r"""Base of the detectors by clusters: k-means (`cluster.KMeans`), then the distance to a centre.

    score = f_c · d(x, c)^p,      d² = Σ_j (x_j - c_j)²

over encoded columns (`prepare.Encoding`, numbers standardised). The detectors differ in the centre c, the
factor f_c, and p, 1 or 2. The share of a column is in proportion to its term of d². A missing cell counts as
the mean of its column. With fewer training rows than clusters, every row is a cluster. A cluster of one row
is ignored, unless all are: a gross error has its own cluster, where its distance would be 0.

points : float64 (n, d);  centres_ : float64 (k, d);  sizes_ : float64 (k,), the rows of each cluster
"""

import math
import warnings
from abc import abstractmethod
from dataclasses import KW_ONLY
from typing import Annotated, Any

import numpy as np

from openbook.border.rules import Maybe, Whole
from openbook.cluster import KMeans
from openbook.damage import checked_floats, require
from openbook.fold import each
from openbook.outlier.detector import Account, Detector
from openbook.prepare import Encoding
from openbook.words.numbers import figure
from openbook.work import Grid, Step


class Clustered(Detector):
    """A detector by clusters."""

    n_clusters: int = 8
    _: KW_ONLY
    random_state: Annotated[Any, Maybe(Whole(0))] = None

    weighs = False
    #: Of the distance.
    power = 1

    def _learn(self, rows):
        model = KMeans(min(self.n_clusters, sum(rows.sizes())), random_state=self.random_state)
        model._remember(rows.schema)  # noqa: SLF001 (rows are encoded already, so its border is behind them)
        with warnings.catch_warnings():  # a cluster that was empty for a while does not matter here
            warnings.simplefilter("ignore")
            model._fit(rows)  # noqa: SLF001
        self.encoding_ = model.encoding_
        self._set(model.centers_.copy(), model.weights_.copy())
        found = list(each(rows.pieces, self._nearest_of_chunk))
        self._learn_distances(*(np.concatenate(part) for part in zip(*found, strict=True)))

    def _set(self, centres, sizes):
        self.centres_, self.sizes_ = centres, sizes

    def _nearest_of_chunk(self, chunk):
        """The cluster of each row of a chunk, and its distance to the centre."""
        points = self.encoding_(chunk.X)
        nearest = self._nearest(points)
        return nearest, np.sqrt(((points - self.centres_[nearest]) ** 2).sum(axis=1))

    def _learn_distances(self, labels, distances):
        """Learn from the cluster of each row and its distance to the centre."""

    def _scoring_centre(self, points):
        """The centre whose distance scores each row: the nearest."""
        return self._nearest(points)

    @abstractmethod
    def _factors(self):
        """The factor of each centre."""

    @abstractmethod
    def _factor_step(self, c):
        """Derive the factor of a centre."""

    def _squares(self, points):
        """The squared distances to all centres, (n, k)."""
        return np.stack([((points - centre) ** 2).sum(axis=1) for centre in self.centres_], axis=1)

    def _nearest(self, points):
        """The nearest centre of several rows for each row; ties: the first."""
        several = self.sizes_ > 1
        return np.where(several | ~several.any(), self._squares(points), np.inf).argmin(axis=1)

    def _scores(self, X):
        points = self.encoding_(X)
        centre = self._scoring_centre(points)
        squares = ((points - self.centres_[centre]) ** 2).sum(axis=1)
        return self._factors()[centre] * (squares if self.power == 2 else np.sqrt(squares))

    def _account(self, X):
        points = self.encoding_(X)
        c = int(self._scoring_centre(points)[0])
        factor = float(self._factors()[c])
        cells = zip(self.encoding_.names, points[0].tolist(), self.centres_[c].tolist(), strict=True)
        rows = [(name, x, m, (x - m) ** 2) for name, x, m in cells]
        squares = math.fsum(row[-1] for row in rows)
        length = squares if self.power == 2 else math.sqrt(squares)
        each_square = factor * (length / squares) if squares else 0.0
        shares = [0.0] * len(self.schema_)
        for column, row in zip(self.encoding_.columns.tolist(), rows, strict=True):
            shares[column] += each_square * row[-1]
        name, formula, product = "distance", r"\sqrt{\sum_j (x_j - c_j)^2}", r"f \cdot d"
        if self.power == 2:
            name, formula, product = "squared distance", r"\sum_j (x_j - c_j)^2", r"f \cdot d^2"
        score = factor * length
        numbers = rf"{figure(factor)} \cdot {figure(length)}"
        steps = (Step(name, formula, "", length), Step("score", product, numbers, score))
        parts = (
            Step("nearest centre", result=f"cluster {self._nearest(points)[0]}"),
            Grid(f"to the centre of cluster {c}", ("column", "x", "centre c", "(x - c)²"), rows),
            self._factor_step(c),
        )
        meaning = "Shares of the distance to the centre; they sum to the score."
        return Account(score, shares, parts, steps, meaning)

    def _learnt(self):
        sizes, factors = self.sizes_.tolist(), self._factors().tolist()
        rows = list(zip(range(len(sizes)), sizes, factors, strict=True))
        return (self.encoding_.work(), Grid("clusters", ("cluster", "rows", "factor f"), rows))

    def _arrays(self):
        own = {"centres": self.centres_, "sizes": self.sizes_}
        return {**own, **self.encoding_.arrays("encoding.")}

    def _restore(self, arrays):
        self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        k = len(arrays["sizes"])
        centres, sizes = checked_floats(arrays, centres=(k, len(self.encoding_)), sizes=(k,))
        require((sizes >= 0).all() and sizes.any(), "it must have clusters, and rows in them")
        self._set(centres, sizes)
