r"""Kernel density estimate: the mean of a kernel around every row.

    p(x) = Σ_i w_i / W Π_j K_j(x_j, x_ij)
    number     K(x, x_i) = e^(-½ ((x - x_i) / h)²) / (h √(2π)),     h = factor · standard deviation,
               or h = factor where columns are not scaled
    nominal    K = 1 / (1 + (m - 1) q) for the row's own of m values, q times that for others;
               q = e^(-1 / factor²)

    "scott"        factor = n^(-1 / (d + 4))
    "silverman"    factor = (n (d + 2) / 4)^(-1 / (d + 4))
    "likelihood"   the factor, of 40 from a tenth of Scott's to three times it, under which every row is most
                   likely by the others (leave-one-out); of large tables, a sample of 2,000 different rows

n is the weight of the rows, d the number of columns; an ordinal column counts as a number, by its rank from 0
to 1. Rows with a missing cell are left out, with a note; a new row has the density of its known columns, and
an unseen value counts as missing. The rows themselves are kept: a row's density takes time in proportion to
them.
"""

import math
from functools import partial
from typing import Annotated

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.budget import refuse_if_over
from openbook.border.not_taken import Declared
from openbook.border.rows import Chunk
from openbook.border.rules import Anything, Number
from openbook.damage import checked_floats, require
from openbook.data import Categorical, Nominal, Numeric, Ordinal, Table
from openbook.density.density import Density, known_patterns
from openbook.errors import DataError, ParameterError
from openbook.fold import each
from openbook.linear.basis import SAMPLE, sample_of
from openbook.measures.arrays import drawn_codes
from openbook.prepare import Encoding
from openbook.words.numbers import figure, fraction
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

_RULES = ("scott", "silverman", "likelihood")

#: Factors tried for the likelihood, from and to these times Scott's.
_FACTORS, _LEAST, _MOST = 40, 0.1, 3.0

#: Rows compared with all kept ones at a time, and about how long a pair of cells takes.
_BLOCK_ROWS, _SECONDS = 256, 3e-10

_SHOWN_ROWS = 8


class KernelDensity(Declared, Density):
    """Kernel density estimate (Parzen windows): the mean of a bell around each row.

    Guide: docs/guide/mixtures.md

    Parameters
    ----------
    bandwidth : float or str, default='scott'
        The factor of the standard deviations, or how it is chosen: "scott", "silverman" or "likelihood".
    scale : bool, default=True
        Whether bandwidths are in standard deviations, or in the units of the columns, as in scikit-learn.
    allow_large : bool, default=False

    Attributes
    ----------
    factor_ : float
        What standard deviations are multiplied by.
    bandwidths_ : dict of str to float
        The bandwidth h of each numeric or ordinal column.
    weight_ : float
        The weight of the rows kept.
    likelihoods_ : list of (float, float)
        Each factor that was tried and its mean leave-one-out log density; empty unless the bandwidth is
        chosen by "likelihood".
    notes_ : list of str

    References
    ----------
    Scott (1992), Multivariate Density Estimation. Silverman (1986). Aitchison and Aitken (1976).

    Examples
    --------
    >>> model = KernelDensity(bandwidth=1.0).fit([[-1.0], [1.0]])
    >>> model.bandwidths_
    {'x0': 1.0}
    >>> round(float(model.score_samples([[0.0]])[0]), 4)  # ln e^(-1/2) / sqrt(2 pi)
    -1.4189
    """

    bandwidth: Annotated[
        float | str, Anything("one of 'scott', 'silverman', 'likelihood', or a number above 0")
    ] = "scott"
    scale: bool = True
    allow_large: bool = False

    _counts_rows = True

    def _fit(self, rows):
        self._check_bandwidth()
        self._encoding = Encoding.of(rows, scale=self.scale).without_gaps()
        parts = each(rows.pieces, partial(_complete, self._encoding))
        blocks, weights, totals = zip(*parts, strict=True)
        points, self._weights = np.concatenate(blocks), np.concatenate(weights)
        total, self.weight_ = math.fsum(totals), float(self._weights.sum())
        if not len(points):
            msg = "every row has a missing cell, and there is nothing to learn; fill them, or drop a column"
            raise DataError(msg)
        left = total - self.weight_
        self.notes_ = [f"{left:g} of {total:g} rows have a missing cell, and are left out"] * (left > 0)
        self._units = self._spreads(points)
        self._points = points / self._units
        self.likelihoods_ = []
        self.factor_ = self._factor(rows)

    def _check_bandwidth(self):
        named = isinstance(self.bandwidth, str) and self.bandwidth in _RULES
        if not named and not Number(above=0).allows(self.bandwidth):
            demand = self._rules["bandwidth"].demand()
            raise ParameterError(f"KernelDensity: bandwidth must be {demand}, got {self.bandwidth!r}.")

    def _spreads(self, points):
        """What the encoded columns are divided by: standard deviations, and 1 for values, or unscaled."""
        if not self.scale:
            return np.ones(points.shape[1])
        share = self._weights / self.weight_
        variance = share @ (points - share @ points) ** 2
        return np.where(~self._nominal & (variance > 0), np.sqrt(variance), 1.0)

    @property
    def _nominal(self):
        kinds = np.array([isinstance(a, Nominal) for a in self._encoding.schema], dtype=bool)
        return kinds[self._encoding.columns]

    def _factor(self, rows):
        n, d = self.weight_, len(self.schema_)
        scott = n ** (-1 / (d + 4))
        if self.bandwidth == "scott":
            return scott
        if self.bandwidth == "silverman":
            return (n * (d + 2) / 4) ** (-1 / (d + 4))
        if self.bandwidth != "likelihood":
            return float(self.bandwidth)
        return self._most_likely(scott, *self._judged(rows))

    def _judged(self, rows):
        """The rows that the likelihood is judged by, in standard units, and their weights."""
        if len(self._points) <= SAMPLE:
            return self._points, self._weights
        sample = sample_of(rows)
        chunk = Chunk(sample, np.zeros(len(sample)), np.ones(len(sample)))
        points, ones, _ = _complete(self._encoding, chunk)
        self.notes_.append(f"the bandwidth is that of a sample of {len(points)} different rows")
        return points / self._units, ones

    def _most_likely(self, scott, points, weights):
        """The factor under which every row is most likely by the others."""
        if len(points) < 2:
            return scott
        factors = scott * np.geomspace(_LEAST, _MOST, _FACTORS)
        totals = np.zeros(_FACTORS)
        for start in range(0, len(points), _BLOCK_ROWS):
            own = np.arange(start, min(start + _BLOCK_ROWS, len(points)))
            squares = _squares(points[own], points)
            squares[own - start, own] = np.inf
            others = np.log(weights.sum() - weights[own])
            for k, factor in enumerate(factors):
                densities = _log_sums(squares / (-2 * factor**2) + np.log(weights)) - others
                totals[k] += weights[own] @ densities
        means = totals / weights.sum() + [self._log_height(factor) for factor in factors]
        self.likelihoods_ = list(zip(factors.tolist(), means.tolist(), strict=True))
        best = max(self.likelihoods_, key=lambda pair: pair[1])[0]
        if best == self.likelihoods_[0][0]:
            self.notes_.append("the likelihood is largest at the smallest factor tried: many rows are alike")
        return best

    def _log_height(self, factor, known=None):
        """The log of the product of all kernels where they are highest, over the columns of known numbers."""
        total = 0.0
        for position, attribute in enumerate(self.schema_):
            if known is not None and position not in known:
                continue
            own = self._encoding.columns == position
            if isinstance(attribute, Nominal):
                total -= math.log1p(max(int(own.sum()) - 1, 0) * math.exp(-1 / factor**2))
            else:
                h = factor * float((self._units * self._encoding.scale)[own][0])
                total -= math.log(h * math.sqrt(2 * math.pi))
        return total

    @property
    def bandwidths_(self):
        units = self.factor_ * self._units * self._encoding.scale
        return {
            a.name: float(units[self._encoding.columns == position][0])
            for position, a in enumerate(self.schema_)
            if not isinstance(a, Nominal)
        }

    def _known(self, X):
        """Which cells are known, (n_columns, n)."""
        known = np.empty((len(self.schema_), len(X)), dtype=bool)
        for position, attribute in enumerate(self.schema_):
            data = X.data(attribute.name)
            if isinstance(attribute, Numeric):
                known[position] = np.isfinite(data)
            elif isinstance(attribute, Nominal):
                known[position] = np.isin(data, self._encoding.seen[position])
            else:
                known[position] = data >= 0
        return known

    def _log_density(self, X):
        pairs = len(X) * len(self._points) * max(self._points.shape[1], 1)
        remedy = "fit a sample of the rows, or take HistogramDensity or GaussianMixture"
        what = f"kernel densities of {len(X):,} rows by {len(self._points):,}"
        refuse_if_over(what, 0, pairs * _SECONDS, remedy, allow=self.allow_large)
        out = np.zeros(len(X))
        x = self._encoding(X) / self._units
        log_weights = np.log(self._weights / self.weight_)
        for rows, known in known_patterns(self._known(X)):
            used = np.isin(self._encoding.columns, known)
            height = self._log_height(self.factor_, known)
            points = self._points[:, used]
            for start in range(0, len(rows), _BLOCK_ROWS):
                some = rows[start : start + _BLOCK_ROWS]
                exponents = _squares(x[np.ix_(some, used)], points) / (-2 * self.factor_**2)
                out[some] = _log_sums(exponents + log_weights) + height
        return out

    def sample(self, n_samples=1, random_state=0):
        """Draw rows: one that was learnt, by its weight, moved by its kernels.

        An ordinal value is moved as a rank, and rounded to the nearest there is.

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
        points = self._points[rng.choice(len(self._points), n_samples, p=self._weights / self.weight_)]
        drawn = []
        for position, attribute in enumerate(self.schema_):
            own = np.flatnonzero(self._encoding.columns == position)
            if isinstance(attribute, Nominal):  # another value is less likely by the height of its kernel
                codes = np.asarray(self._encoding.seen[position])
                chances = np.where(points[:, own] > 0.5, 1.0, math.exp(-1 / self.factor_**2))
                drawn.append(codes[drawn_codes(chances, rng)].astype(attribute.dtype))
                continue
            moved = (points[:, own[0]] + self.factor_ * rng.standard_normal(n_samples)) * self._units[own[0]]
            numbers = moved * self._encoding.scale[own[0]] + self._encoding.shift[own[0]]
            if isinstance(attribute, Ordinal):
                last = len(attribute.values) - 1
                numbers = np.clip(np.round(numbers * last), 0, last).astype(attribute.dtype)
            drawn.append(numbers)
        return Table(self.schema_, drawn)

    def _span(self, name):
        own = self._encoding.columns == self.schema_.position(name)
        unit, shift = (self._units * self._encoding.scale)[own], self._encoding.shift[own]
        values = self._points[:, own][:, 0] * unit + shift
        margin = 3 * self.bandwidths_[name]
        return float(values.min()) - margin, float(values.max()) + margin

    def _work(self):
        n, d = self.weight_, len(self.schema_)
        power, silverman = rf"^{{-\frac{{1}}{{{d + 4}}}}}", fraction(n * (d + 2), 4)
        rules = {
            "scott": (r"n^{-\frac{1}{d + 4}}", f"{figure(n)}{power}", ""),
            "silverman": (r"(\frac{n (d + 2)}{4})^{-\frac{1}{d + 4}}", f"({silverman}){power}", ""),
            "likelihood": ("", "", "of the largest leave-one-out likelihood"),
        }
        formula, numbers, note = rules.get(str(self.bandwidth), ("", "", "as given"))
        steps = [Step("factor", formula, numbers, self.factor_, note)]
        for name, h in self.bandwidths_.items():
            product = rf"{figure(self.factor_)} \cdot {figure(h / self.factor_)}"
            steps.append(Step(f"h({name})", r"factor \cdot s", product, h))
        parts: tuple[Work | Grid, ...] = (Work("bandwidths", tuple(steps)),)
        if self.likelihoods_:
            parts += (Grid("leave-one-out", ["factor", "mean log density"], self.likelihoods_),)
        end = " ".join([f"{len(self._points)} rows are kept.", *self.notes_])
        return Work("Kernel density: how it was fitted", parts, end)

    def _work_row(self, X):
        known = np.flatnonzero(self._known(X)[:, 0])
        used = np.isin(self._encoding.columns, known)
        gaps = (self._encoding(X)[0] / self._units - self._points)[:, used] / self.factor_
        height = math.exp(self._log_height(self.factor_, known))
        pairs = zip((gaps**2).sum(axis=1).tolist(), (self._weights / self.weight_).tolist(), strict=True)
        terms = [(i, d2, share, share * height * math.exp(-d2 / 2)) for i, (d2, share) in enumerate(pairs)]
        rows = sorted(terms, key=lambda term: -term[-1])[:_SHOWN_ROWS]
        notes = [plural(len(terms) - len(rows), "more row")] if len(terms) > len(rows) else []
        if unknown := [name for j, name in enumerate(self.schema_.names) if j not in known]:
            notes.append(f"missing, and left out: {', '.join(unknown)}")
        density = math.fsum(term[-1] for term in terms)
        formula = r"\sum_i \frac{w_i}{W} K e^{-\frac{1}{2} D_i^2}"
        parts = (
            Step("K", r"\prod_j K_j(x_j, x_j)", "", height, "the product of the kernels at their highest"),
            Grid("the nearest rows", ["row", "D²", "w / W", "term"], rows, "; ".join(notes)),
            Step("p(x)", formula, result=density),
        )
        return Work("Kernel density: one row", parts, f"The density is {figure(density)}.")

    def __sklearn_is_fitted__(self):
        return hasattr(self, "factor_")

    def _arrays(self):
        kept = {"points": self._points, "weights": self._weights, "units": self._units}
        tried = {
            "factor": np.array([self.factor_]),
            "likelihoods": np.array(self.likelihoods_).reshape(-1, 2),
        }
        return {**self._encoding.arrays("encoding_"), **kept, **tried}

    def _restore(self, arrays):
        self._encoding = Encoding.from_arrays(self.schema_, arrays, "encoding_")
        n, d, pairs = len(arrays["points"]), len(self._encoding), len(arrays["likelihoods"])
        shapes = {"points": (n, d), "weights": (n,), "units": (d,), "factor": (1,), "likelihoods": (pairs, 2)}
        self._points, self._weights, self._units, factor, likelihoods = checked_floats(arrays, **shapes)
        positive = all((part > 0).all() for part in (self._weights, self._units, factor))
        sound = n and positive and not self._encoding.gaps.any()
        require(sound, "its rows, weights, units and factor must be there, and above zero")
        self.factor_, self.weight_ = float(factor[0]), float(self._weights.sum())
        self.likelihoods_ = [tuple(pair) for pair in likelihoods.tolist()]
        self.notes_ = []


def _complete(encoding, chunk):
    """The encoded rows without gaps, their weights, and the weight of all."""
    known = np.ones(len(chunk.X), dtype=bool)
    for attribute in encoding.schema:
        data = chunk.X.data(attribute.name)
        known &= data >= 0 if isinstance(attribute, Categorical) else ~np.isnan(data)
    return encoding(chunk.X.take(known)), chunk.w[known], float(chunk.w.sum())


def _squares(a, b):
    """Squared distances of rows, (n, m)."""
    squares = (a**2).sum(axis=1)[:, None] + (b**2).sum(axis=1) - 2 * (a @ b.T)
    return np.maximum(squares, 0.0)


def _log_sums(exponents):
    """The log of the sum of e to each exponent, row by row; overwrites the exponents."""
    top = exponents.max(axis=1, keepdims=True)
    exponents -= top
    np.exp(exponents, out=exponents)
    return top[:, 0] + np.log(exponents.sum(axis=1))
