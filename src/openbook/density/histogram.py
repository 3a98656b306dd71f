r"""Histogram density: the share of the rows in a cell, per unit of its volume.

    p(x) = n_cell / (n · volume of the cell)

Every number is cut into bins of equal width from its smallest to its largest value; every value of a nominal
or ordinal column is a bin of its own, of volume 1. Only cells that hold rows are kept.

    "scott"         width 3.49 s n^(-1 / (2 + d)), s the standard deviation, d the number of numeric columns
    "sturges"       1 + log2 n bins
    "likelihood"    of 1, 2, 4, …, 1024 bins those of the largest leave-one-out likelihood,
                    Σ_cells n_cell ln((n_cell - 1) / ((n - 1) volume)); ties: the fewest

Rows with a missing cell are left out of the counts, with a note; a new row has the density of its known
columns. Beyond the smallest and largest value, and for unseen values, the density is 0.
"""

import math
from functools import partial
from typing import Annotated

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.not_taken import Declared
from openbook.border.rows import infinite_cell
from openbook.border.rules import Anything, Whole
from openbook.damage import checked_array, checked_floats, require
from openbook.data import Categorical, Numeric, Table
from openbook.density.density import Density, known_patterns
from openbook.errors import DataError, ParameterError, RefusalError
from openbook.fold import fold
from openbook.kernels.moments import Moments
from openbook.words.numbers import figure
from openbook.work import Grid, Step, Work

_FINEST = 1024
_RULES = ("scott", "sturges", "likelihood")
#: The most cells that can be numbered, and that are shown.
_MOST_CELLS, _SHOWN_CELLS = 2**62, 40


class HistogramDensity(Declared, Density):
    """Histogram density estimate of one column, or of several together.

    Guide: docs/guide/mixtures.md

    Parameters
    ----------
    bins : int or str, default='scott'
        The number of bins of every numeric column, or how it is chosen: "scott", "sturges" or
        "likelihood".

    Attributes
    ----------
    edges_ : dict of str to ndarray
        The edges of the bins of each numeric column.
    shape_ : tuple of int
        The number of bins of each column.
    weight_ : float
        The weight of the rows counted.
    notes_ : list of str

    References
    ----------
    Scott (1979), On optimal and data-based histograms. Sturges (1926).

    Examples
    --------
    >>> model = HistogramDensity(bins=2).fit([[0.0], [1.0], [1.5], [4.0]])
    >>> model.edges_["x0"].tolist()
    [0.0, 2.0, 4.0]
    >>> import numpy as np
    >>> np.exp(model.score_samples([[1.0], [3.0], [5.0]])).round(6).tolist()
    [0.375, 0.125, 0.0]
    """

    bins: Annotated[
        int | str, Anything("one of 'scott', 'sturges', 'likelihood', or a whole number of at least 1")
    ] = "scott"

    _counts_rows = True

    def _fit(self, rows):
        named = isinstance(self.bins, str) and self.bins in _RULES
        if not named and not Whole(at_least=1).allows(self.bins):
            msg = f"HistogramDensity: bins must be {self._rules['bins'].demand()}, got {self.bins!r}."
            raise ParameterError(msg)
        n_rows, n, low, high, moments = fold(rows.pieces, partial(_spans, rows.schema), _joined)
        if not np.isfinite(low).all() or not np.isfinite(high).all():
            if n:
                raise infinite_cell(rows)
            msg = "every row has a missing cell, so nothing can be counted; fill them in, or drop a column"
            raise DataError(msg)
        self._low, self._high = low, np.where(high > low, high, low + 1.0)
        self.weight_ = n
        self.notes_ = []
        if n < n_rows:
            self.notes_ = [f"{n_rows - n:g} of {n_rows:g} rows have a missing cell, and are not counted"]
        self.shape_ = self._shape(self._bin_counts(n, moments))
        self._keys, self._weights = fold(rows.pieces, self._counts, _merged)
        if self.bins == "likelihood":
            self._coarsen()

    def _bin_counts(self, n, moments):
        """The number of bins of each numeric column; of those for the likelihood, the most."""
        d = len(self._low)
        if self.bins == "likelihood":
            return np.full(d, _FINEST)
        if self.bins == "scott":
            width = 3.49 * np.sqrt(moments.scatter[0] / n) * n ** (-1 / (2 + d))
            ratio = (self._high - self._low) / np.where(width > 0, width, np.inf)
            return np.clip(np.ceil(ratio), 1, _FINEST).astype(int)
        return np.full(d, 1 + math.ceil(math.log2(max(n, 1))) if self.bins == "sturges" else int(self.bins))

    def _shape(self, numbers):
        bins = iter(numbers.tolist())
        shape = tuple(
            max(len(a.values), 1) if isinstance(a, Categorical) else next(bins) for a in self.schema_
        )
        if math.prod(shape) >= _MOST_CELLS:
            raise RefusalError(
                f"cannot count {math.prod(shape):.1e} cells of {len(shape)} columns; take fewer columns or"
                " bins, or KernelDensity"
            )
        return shape

    def _ranges(self):
        return zip(self._low.tolist(), self._high.tolist(), strict=True)

    def _cells(self, X):
        """The bin of every cell, (d, n); -1 where it is missing, -2 beyond the bins."""
        cells = np.empty((len(self.shape_), len(X)), dtype=np.int64)
        ranges = self._ranges()
        for j, (attribute, n_bins) in enumerate(zip(self.schema_, self.shape_, strict=True)):
            data = X.data(attribute.name)
            if isinstance(attribute, Numeric):
                low, high = next(ranges)
                known = np.isfinite(data)
                bins = np.floor((np.where(known, data, low) - low) / (high - low) * n_bins)
                inside = (data >= low) & (data <= high)
                bins = np.where(inside, np.minimum(bins, n_bins - 1), -2)  # the last holds its upper edge
                data = np.where(known, bins, -1)
            cells[j] = data
        return cells

    def _counts(self, chunk):
        cells = self._cells(chunk.X)
        known = (cells >= 0).all(axis=0)
        return _unique(np.ravel_multi_index(tuple(cells[:, known]), self.shape_), chunk.w[known])

    def _coarsen(self):
        """Take as few bins as the leave-one-out likelihood allows."""
        numeric = np.array([isinstance(a, Numeric) for a in self.schema_])
        cells = np.array(np.unravel_index(self._keys, self.shape_))
        tried = []
        for halvings in range(int(math.log2(_FINEST)), -1, -1):
            shape = tuple(np.where(numeric, np.array(self.shape_) >> halvings, self.shape_).tolist())
            merged = np.where(numeric[:, None], cells >> halvings, cells)
            keys, counts = _unique(np.ravel_multi_index(tuple(merged), shape), self._weights)
            tried.append((round(self._leave_one_out(counts, shape), 9), shape, keys, counts))
        _, self.shape_, self._keys, self._weights = max(tried, key=lambda one: one[0])

    def _leave_one_out(self, counts, shape):
        """The log-likelihood of each row by the others."""
        if (counts <= 1).any():
            return -math.inf
        log_volume = np.log(self._widths(shape)).sum()
        return float(counts @ (np.log((counts - 1) / (self.weight_ - 1)) - log_volume))

    def _widths(self, shape):
        """The width of the bins of each column; 1 for categories."""
        spans, columns = iter((self._high - self._low).tolist()), zip(self.schema_, shape, strict=True)
        return [next(spans) / m if isinstance(a, Numeric) else 1.0 for a, m in columns]

    @property
    def edges_(self):
        check_is_fitted(self)
        numbers = zip(self.schema_.of(Numeric), self._low, self._high, strict=True)
        bins = dict(zip(self.schema_.names, self.shape_, strict=True))
        return {name: np.linspace(low, high, bins[name] + 1) for name, low, high in numbers}

    def __sklearn_is_fitted__(self):
        return hasattr(self, "_keys")

    def _log_density(self, X):
        cells = self._cells(X)
        out = np.zeros(len(X))
        log_widths = np.log(self._widths(self.shape_))
        counted = np.array(np.unravel_index(self._keys, self.shape_))
        for rows, known in known_patterns(cells != -1):
            if not len(known):
                continue
            shape = tuple(self.shape_[j] for j in known)
            keys, counts = _unique(np.ravel_multi_index(tuple(counted[known]), shape), self._weights)
            some = cells[np.ix_(known, rows)]
            inside = (some >= 0).all(axis=0)
            wanted = np.ravel_multi_index(tuple(np.where(inside, some, 0)), shape)
            at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
            held = np.where(inside & (keys[at] == wanted), counts[at], 0.0)
            with np.errstate(divide="ignore"):
                out[rows] = np.log(held / self.weight_) - log_widths[known].sum()
        return out

    def sample(self, n_samples=1, random_state=0):
        """Draw rows: a cell by its weight, then a number anywhere in its bin.

        Parameters
        ----------
        n_samples : int, default=1
            The number of rows.
        random_state : int, default=0

        Returns
        -------
        Table
        """
        check_is_fitted(self)
        rng = np.random.default_rng(random_state)
        keys = self._keys[rng.choice(len(self._keys), n_samples, p=self._weights / self._weights.sum())]
        places, starts = np.unravel_index(keys, self.shape_), iter(self._low.tolist())
        drawn = []
        for attribute, place, width in zip(self.schema_, places, self._widths(self.shape_), strict=True):
            if isinstance(attribute, Numeric):
                drawn.append(next(starts) + width * (place + rng.random(n_samples)))
            else:
                assert isinstance(attribute, Categorical)
                drawn.append(place.astype(attribute.dtype))
        return Table(self.schema_, drawn)

    def _span(self, name):
        j = self.schema_.of(Numeric).index(name)
        margin = 0.02 * (self._high[j] - self._low[j])
        return self._low[j] - margin, self._high[j] + margin

    def _work(self):
        columns, ranges = (
            zip(self.schema_, self.shape_, self._widths(self.shape_), strict=True),
            self._ranges(),
        )
        rows = [[a.name, m, *next(ranges), width] for a, m, width in columns if isinstance(a, Numeric)]
        parts = [Grid("bins", ["column", "bins", "from", "to", "width"], rows, f"by {self.bins}")]
        if len(self.shape_) == 1 and len(self._keys) <= _SHOWN_CELLS:
            parts.append(self._table())
        held = f"{len(self._keys)} of {math.prod(self.shape_)} cells hold rows."
        rule = Step("p(x)", r"\frac{n_{cell}}{n \cdot volume}", note=f"n = {figure(self.weight_)}")
        return Work("Histogram density: how it was counted", (*parts, rule), " ".join([held, *self.notes_]))

    def _table(self):
        attribute = self.schema_[self.schema_.names[0]]
        width = self._widths(self.shape_)[0]
        if isinstance(attribute, Categorical):
            words = [attribute.values[key] for key in self._keys]
        else:
            words = [self._ends_of(attribute, int(key)) for key in self._keys]
        rows = [
            [word, count, count / (self.weight_ * width)]
            for word, count in zip(words, self._weights.tolist(), strict=True)
        ]
        return Grid("cells", [attribute.name, "rows", "density"], rows)

    def _ends_of(self, attribute, cell):
        """Where a bin begins and ends, without the edges of all others."""
        j = self.schema_.of(Numeric).index(attribute.name)
        low, high, bins = self._low[j], self._high[j], self.shape_[self.schema_.position(attribute.name)]
        begin, end = (float(low + (high - low) * (k / bins)) for k in (cell, cell + 1))
        return f"{figure(begin)} to {figure(end)}"

    def _work_row(self, X):
        cells = self._cells(X)[:, 0]
        density = float(np.exp(self._log_density(X)[0]))
        widths = self._widths(self.shape_)
        rows, volume = [], 1.0
        for attribute, cell, width in zip(self.schema_, cells.tolist(), widths, strict=True):
            if cell == -1:
                rows.append([attribute.name, "missing: summed over", None])
            elif cell == -2:
                rows.append([attribute.name, "outside all bins", None])
            elif isinstance(attribute, Numeric):
                rows.append([attribute.name, self._ends_of(attribute, cell), width])
            else:
                assert isinstance(attribute, Categorical)
                rows.append([attribute.name, attribute.values[cell], width])
            volume *= width if cell >= 0 else 1.0
        held = density * volume * self.weight_
        numbers = rf"\frac{{{figure(round(held, 9))}}}{{{figure(self.weight_)} \cdot {figure(volume)}}}"
        step = Step("p(x)", r"\frac{n_{cell}}{n \cdot volume}", numbers, density)
        grid = Grid("cell", ["column", "bin", "width"], rows)
        return Work("Histogram density: one row", (grid, step), f"The density is {figure(density)}.")

    def _arrays(self):
        counted = {"keys": self._keys, "weights": self._weights, "rows": np.array([self.weight_])}
        shape = np.array(self.shape_, dtype=np.int64)
        return {**counted, "low": self._low, "high": self._high, "shape": shape}

    def _restore(self, arrays):
        d = len(self.schema_.of(Numeric))
        n = max(len(arrays["keys"]), 1)
        shapes = {"low": (d,), "high": (d,), "weights": (n,), "rows": (1,)}
        self._low, self._high, self._weights, rows = checked_floats(arrays, **shapes)
        require(self._high > self._low, "its spans must end after they begin")
        shape = checked_array(arrays, "shape", np.int64, (len(self.schema_),))
        require(shape >= 1, "its bins must be whole numbers of at least 1, one for each column")
        numeric = np.array([isinstance(a, Numeric) for a in self.schema_])
        self.shape_ = self._shape(shape[numeric])
        require(self.shape_ == tuple(shape.tolist()), "its bins do not match its columns")
        self._keys = checked_array(arrays, "keys", np.int64, (n,))
        require(np.diff(self._keys) > 0, "its cells must be numbered in order")
        inside = self._keys[0] >= 0 and self._keys[-1] < math.prod(self.shape_)
        require(inside, "a cell is not among its bins")
        self.weight_, self.notes_ = float(rows[0]), []
        complete = math.isclose(float(self._weights.sum()), self.weight_, rel_tol=1e-9)
        require(complete & (self._weights > 0), "its counts must be above zero, and add up to its rows")


def _spans(schema, chunk):
    """Weight of all rows and of those without gaps; of these, the smallest, largest, moments of numbers."""
    X, _, w = chunk
    known = np.ones(len(X), dtype=bool)
    for attribute in schema:
        data = X.data(attribute.name)
        known &= ~np.isnan(data) if isinstance(attribute, Numeric) else data >= 0
    names = schema.of(Numeric)
    block = X.take(known).block(names) if names else np.zeros((int(known.sum()), 0))
    low, high = block.min(axis=0, initial=np.inf), block.max(axis=0, initial=-np.inf)
    with np.errstate(over="ignore", invalid="ignore"):
        moments = Moments.of(block.astype(float, copy=False), np.zeros(len(block), np.intp), w[known], 1)
    return float(w.sum()), float(w[known].sum()), low, high, moments


def _joined(a, b):
    return a[0] + b[0], a[1] + b[1], np.minimum(a[2], b[2]), np.maximum(a[3], b[3]), a[4] + b[4]


def _unique(keys, weights):
    """The different keys in order, and the weight of each."""
    found, where = np.unique(keys, return_inverse=True)
    return found, np.bincount(where, weights, len(found))


def _merged(a, b):
    return _unique(np.concatenate([a[0], b[0]]), np.concatenate([a[1], b[1]]))
