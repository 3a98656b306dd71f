r"""The base of all densities: the log density of rows over their known cells, and its picture.

    score_samples(X)    ln p(x) for each row, per unit of every number, and probability for categories

A missing cell is summed or integrated over: a row has the density of its known columns, 1 if it has none. So
the density of one column, as it is drawn, is that of rows in which only this column is known.
"""

from abc import abstractmethod

import numpy as np

from openbook.border.unsupervised import Unsupervised
from openbook.data import MISSING, Categorical, Table
from openbook.draw import Categories, Numbers
from openbook.draw.plot import Plot
from openbook.errors import UnknownColumn

#: Points of a curve.
_POINTS = 400


class Density(Unsupervised):
    """An estimate of how rows are distributed."""

    @abstractmethod
    def _log_density(self, X: Table) -> np.ndarray:
        """The log density of each encoded row."""

    @abstractmethod
    def _span(self, name: str) -> tuple[float, float]:
        """The range over which the density of a numeric column is drawn."""

    def score_samples(self, X):
        """The log density of each row, over its known cells, in units of the columns.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n,)
        """
        return self._each(X, self._log_density)

    def score(self, X, y=None):  # noqa: ARG002 (pipelines pass a target)
        """The log-likelihood of the rows: the sum of their log densities.

        Parameters
        ----------
        X : rows
        y : object, default=None
            Not used; pipelines pass a target.

        Returns
        -------
        float
        """
        return float(self.score_samples(X).sum())

    def draw(self, column=None):
        """The density of one column, the first by default.

        Parameters
        ----------
        column : str or None, default=None
            The column; None for the first.

        Returns
        -------
        Picture
        """
        name = self.schema_.names[0] if column is None else column
        if name not in self.schema_:
            raise UnknownColumn(name, self.schema_.names)
        attribute = self.schema_[name]
        if isinstance(attribute, Categorical):
            return self._bars(attribute)
        points = np.linspace(*self._span(name), _POINTS)
        density = np.exp(self._log_density(self._alone(attribute, points)))
        plot = Plot(Numbers(name, points), Numbers.between("density", 0.0, density.max()))
        plot.band(points, np.zeros(len(points)), density, "c0")
        plot.line(points, density, "c0")
        note = f"{type(self).__name__}; highest at {points[np.argmax(density)]:.4g}."
        return plot.picture(f"Density of {name}", (note,))

    def _bars(self, attribute):
        """The probability of each value."""
        values = attribute.values
        shares = np.exp(self._log_density(self._alone(attribute, np.arange(len(values)))))
        plot = Plot(Numbers.between("probability", 0.0, shares.max()), Categories(attribute.name, values))
        captions = [f"{value}: {share:.4g}" for value, share in zip(values, shares, strict=True)]
        plot.bars(shares, "c0", captions)
        return plot.picture(f"Probabilities of {attribute.name}", (type(self).__name__,), "; ".join(captions))

    def _alone(self, attribute, data):
        """Rows in which only one column is known."""
        columns = []
        for a in self.schema_:
            dtype, missing = (a.dtype, MISSING) if isinstance(a, Categorical) else (np.float64, np.nan)
            columns.append(np.asarray(data if a is attribute else np.full(len(data), missing), dtype=dtype))
        return Table(self.schema_, columns)


def known_patterns(known):
    """Rows with the same known columns together: row numbers and column numbers, from (d, n) of bools."""
    patterns, which = np.unique(np.packbits(known, axis=0), axis=1, return_inverse=True)
    for pattern in range(patterns.shape[1]):
        rows = np.flatnonzero(which == pattern)
        yield rows, np.flatnonzero(known[:, rows[0]])
