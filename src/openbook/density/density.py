r"""The base of all densities: the log density of rows over their known cells, and its picture.

    score_samples(X)    ln p(x) for each row, per unit of every number, and probability for categories

A missing cell is summed or integrated over: a row has the density of its known columns, and one that knows
nothing has 1. That makes the density of one column alone that of rows which know nothing else, and so drawn.
"""

from abc import abstractmethod

import numpy as np

from openbook.border.unsupervised import Unsupervised
from openbook.data import MISSING, Categorical, Table
from openbook.draw import Categories, Numbers
from openbook.draw.plot import Plot
from openbook.errors import UnknownColumn

#: Places of a curve.
_PLACES = 400


class Density(Unsupervised):
    """An estimate of how rows are distributed."""

    @abstractmethod
    def _log_density(self, X: Table) -> np.ndarray:
        """The log density of each encoded row."""

    @abstractmethod
    def _span(self, name: str) -> tuple[float, float]:
        """From where to where the density of a numeric column is worth looking at."""

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
        places = np.linspace(*self._span(name), _PLACES)
        density = np.exp(self._log_density(self._alone(attribute, places)))
        plot = Plot(Numbers(name, places), Numbers.between("density", 0.0, density.max()))
        plot.band(places, np.zeros(len(places)), density, "c0")
        plot.line(places, density, "c0")
        top = places[np.argmax(density)]
        note = f"{type(self).__name__}; highest at {top:.4g}."
        return plot.picture(f"Density of {name}", (note,))

    def _bars(self, attribute):
        """The probability of each value."""
        values = attribute.values
        shares = np.exp(self._log_density(self._alone(attribute, np.arange(len(values)))))
        plot = Plot(Numbers.between("probability", 0.0, shares.max()), Categories(attribute.name, values))
        told = [f"{value}: {share:.4g}" for value, share in zip(values, shares, strict=True)]
        plot.bars(shares, "c0", told)
        return plot.picture(f"Probabilities of {attribute.name}", (type(self).__name__,), "; ".join(told))

    def _alone(self, attribute, data):
        """Rows that know nothing but one column."""
        n = len(data)
        columns = []
        for a in self.schema_:
            kind, gap = (a.dtype, MISSING) if isinstance(a, Categorical) else (np.float64, np.nan)
            columns.append(np.asarray(data, dtype=kind) if a is attribute else np.full(n, gap, dtype=kind))
        return Table(self.schema_, columns)
