r"""Numbers brought to a distribution: robust scores, ranks among the training rows, power transformations.

    robust      z = (x - median) / (Q3 - Q1)
    quantile    z = F(x), the share of training rows at most x; normal: the z with Φ(z) = F(x)
    power       Yeo-Johnson   ((1 + x)^λ - 1) / λ, x >= 0;   -((1 - x)^(2 - λ) - 1) / (2 - λ), x < 0
                Box-Cox       (x^λ - 1) / λ, x > 0;          the limits ln(1 + x), -ln(1 - x), ln x

λ maximises the likelihood of a normal distribution, -n/2 ln s²(λ) + (λ - 1) Σ of the log derivatives. F runs
through `n_quantiles` quantiles, straight between them; where several are equal, in the middle. Over the known
numbers of each column, by weight. Missing cells stay missing.

x : float64 (n, n_columns), NaN where missing
"""

from typing import Annotated, Any

import numpy as np
from scipy import optimize
from scipy.special import ndtr, ndtri

from openbook.border.not_taken import Declared
from openbook.border.rules import Ends, OneOf, Whole
from openbook.errors import RefusalError
from openbook.prepare.quantiles import weighted_quantiles
from openbook.prepare.transformer import Floats, TrainingTable, Transformer
from openbook.words.numbers import figure, signed
from openbook.work import Step

#: Normal scores end here, as in scikit-learn: the share 0 would be at minus infinity.
_SMALLEST = 1e-7
#: λ this close to 0 or 2 is taken for it.
_SAME = 1e-12


class RobustScaler(Declared, Transformer):
    """Robust scaling: numbers minus their median, divided by the distance of the quartiles.

    A few extremes move neither, as they do a mean and a standard deviation. The name and the parameters are
    scikit-learn's.

    Parameters
    ----------
    with_centering : bool, default=True
        Whether the median is subtracted.
    with_scaling : bool, default=True
        Whether numbers are divided by the range of the quantiles.
    quantile_range : tuple of (float, float), default=(25.0, 75.0)
        The quantiles, in percent.
    unit_variance : bool, default=False
        Whether the range is divided by that of a standard normal distribution, so that normal numbers have
        variance 1.
    columns : list of str or None, default=None

    Attributes
    ----------
    center_ : ndarray of shape (n_columns,)
        The median of each column; 0 if no number is known.
    scale_ : ndarray of shape (n_columns,)
        The range of each column; 1 if it is 0.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> RobustScaler().fit_transform(read({"x": [1.0, 2.0, 3.0, 4.0, 1000.0]}))["x"].tolist()
    [-1.0, -0.5, 0.0, 0.5, 498.5]
    """

    with_centering: bool = True
    with_scaling: bool = True
    quantile_range: Annotated[Any, Ends()] = (25.0, 75.0)
    unit_variance: bool = False
    columns: list[str] | None = None

    _changes_dates = True
    _learnt = {"center_": 1, "scale_": 1}

    def _learn(self, rows: TrainingTable) -> None:
        low, high = (share / 100 for share in self.quantile_range)
        found = [weighted_quantiles(x, rows.w, [low, 0.5, high]) for x in self._numbers(rows.X).T]
        quantiles = np.nan_to_num(np.array(found).reshape(-1, 3))
        self.center_ = quantiles[:, 1] if self.with_centering else np.zeros(len(quantiles))
        spread = quantiles[:, 2] - quantiles[:, 0]
        if self.unit_variance:
            spread = spread / (ndtri(high) - ndtri(low))
        self.scale_ = np.where(spread > 0, spread, 1.0) if self.with_scaling else np.ones(len(quantiles))

    def _forward(self, x: Floats) -> Floats:
        return (x - self.center_) / self.scale_

    def _backward(self, z: Floats) -> Floats:
        return z * self.scale_ + self.center_

    def _rule(self) -> Any:
        figures = np.column_stack([self.center_, self.scale_])
        return r"\frac{x - \text{median}}{\text{range}}", ("median", "range"), figures

    def _substituted(self, j: int, x: str) -> str:
        return rf"\frac{{{x} - {signed(self.center_[j])}}}{{{figure(self.scale_[j])}}}"


class QuantileTransformer(Declared, Transformer):
    """The distribution function: numbers become their rank among the training rows, or normal scores.

    Whatever the distribution was, it is uniform or normal afterwards. The name is scikit-learn's.

    Parameters
    ----------
    n_quantiles : int, default=1000
        The quantiles between which the function is straight; at most as many as there are rows.
    output_distribution : {"uniform", "normal"}, default="uniform"
        The distribution of the transformed numbers.
    columns : list of str or None, default=None

    Attributes
    ----------
    quantiles_ : ndarray of shape (n_columns, n_quantiles_)
        The quantiles of each column; scikit-learn's is the transpose.
    references_ : ndarray of shape (n_quantiles_,)
        Their shares.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> QuantileTransformer().fit_transform(read({"x": [1.0, 10.0, 100.0]}))["x"].tolist()
    [0.0, 0.5, 1.0]
    """

    n_quantiles: Annotated[int, Whole(at_least=2)] = 1000
    output_distribution: Annotated[str, OneOf("uniform", "normal")] = "uniform"
    columns: list[str] | None = None

    _learnt = {"quantiles_": 2}

    def _learn(self, rows: TrainingTable) -> None:
        shares = np.linspace(0, 1, max(2, min(self.n_quantiles, int(rows.w.sum()))))
        found = [weighted_quantiles(x, rows.w, shares) for x in self._numbers(rows.X).T]
        self.quantiles_ = np.nan_to_num(np.array(found).reshape(-1, len(shares)))

    @property
    def references_(self) -> np.ndarray:
        return np.linspace(0, 1, self.quantiles_.shape[1])

    def _forward(self, x: Floats) -> Floats:
        z = np.array(x, dtype=float)
        for j, quantiles in enumerate(self.quantiles_):
            known = ~np.isnan(x[:, j])
            z[known, j] = _share(x[known, j], quantiles, self.references_)
        return z if self.output_distribution == "uniform" else ndtri(np.clip(z, _SMALLEST, 1 - _SMALLEST))

    def _backward(self, z: Floats) -> Floats:
        shares = z if self.output_distribution == "uniform" else ndtr(z)
        x = np.array(z, dtype=float)
        for j, quantiles in enumerate(self.quantiles_):
            known = ~np.isnan(z[:, j])
            x[known, j] = np.interp(shares[known, j], self.references_, quantiles)
        return x

    def _rule(self) -> Any:
        middle = self.quantiles_[:, [0, self.quantiles_.shape[1] // 2, -1]]
        formula = r"F(x)" if self.output_distribution == "uniform" else r"\Phi^{-1}(F(x))"
        return formula, ("smallest", "middle quantile", "largest"), middle

    def _definitions(self) -> tuple[Step, ...]:
        n = self.quantiles_.shape[1]
        return (Step("F(x)", r"\frac{\#\{i : x_i \le x\}}{N}", note=f"straight between {n:,} quantiles"),)

    def _substituted(self, j: int, x: str) -> str:
        number, quantiles, shares = float(x.strip("()")), self.quantiles_[j], self.references_
        k = int(np.searchsorted(quantiles, number))
        if 0 < k < len(quantiles) and quantiles[k - 1] < number < quantiles[k]:
            low, high = (figure(float(q)) for q in quantiles[k - 1 : k + 1])
            way = rf"\frac{{{x} - {low}}}{{{high} - {low}}}"
            share = rf"{figure(float(shares[k - 1]))} + {way} \cdot {figure(float(shares[1]))}"
        else:
            share = figure(float(_share(np.array([number]), quantiles, shares)[0]))
        return share if self.output_distribution == "uniform" else rf"\Phi^{{-1}}\left({share}\right)"


def _share(x: Floats, quantiles: Floats, shares: Floats) -> Floats:
    """The share of training rows at most x: the middle of where quantiles are equal, 0 and 1 beyond them."""
    from_left = np.interp(x, quantiles, shares)
    from_right = -np.interp(-x, -quantiles[::-1], -shares[::-1])
    z = (from_left + from_right) / 2
    return np.where(x <= quantiles[0], 0.0, np.where(x >= quantiles[-1], 1.0, z))


class PowerTransformer(Declared, Transformer):
    """A power of the numbers that makes them as normal as a power can: Yeo-Johnson or Box-Cox.

    The name and the parameters are scikit-learn's.

    Parameters
    ----------
    method : {"yeo-johnson", "box-cox"}, default="yeo-johnson"
        Yeo-Johnson takes any number, Box-Cox positive ones.
    standardize : bool, default=True
        Whether the result has mean 0 and standard deviation 1.
    columns : list of str or None, default=None

    Attributes
    ----------
    lambdas_ : ndarray of shape (n_columns,)
        The exponent of each column; 1 leaves a column as it is.
    mean_, scale_ : ndarray of shape (n_columns,)
        Mean and standard deviation of the powers.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> power = PowerTransformer("box-cox").fit(read({"x": [1.0, 2.0, 4.0, 8.0, 16.0]}))
    >>> bool(abs(power.lambdas_[0]) < 1e-6)  # the logarithms are evenly spaced
    True
    """

    method: Annotated[str, OneOf("yeo-johnson", "box-cox")] = "yeo-johnson"
    standardize: bool = True
    columns: list[str] | None = None

    _learnt = {"lambdas_": 1, "mean_": 1, "scale_": 1}

    def _learn(self, rows: TrainingTable) -> None:
        numbers = self._numbers(rows.X)
        if self.method == "box-cox" and (low := ~np.isnan(numbers) & (numbers <= 0)).any():
            row, j = np.argwhere(low)[0]
            raise RefusalError(
                f"Box-Cox needs positive numbers, and row {row} of column {self._chosen[j]!r} holds"
                f' {figure(float(numbers[row, j]))}; try "power {self._chosen[j]}", which is Yeo-Johnson'
            )
        found = np.array([self._column(x, rows.w) for x in numbers.T]).reshape(-1, 3)
        self.lambdas_, self.mean_, self.scale_ = found.T.copy()

    def _column(self, x: Floats, w: Floats) -> tuple[float, float, float]:
        """The exponent, and mean and standard deviation of the powers."""
        known = ~np.isnan(x)
        x, which = np.unique(x[known], return_inverse=True)
        w = np.bincount(which, w[known]).astype(float)  # equal rows are one row of their weight
        if len(x) < 2:
            return 1.0, float(x[0]) if len(x) and self.standardize else 0.0, 1.0
        slopes = np.sign(x) * np.log1p(np.abs(x)) if self.method == "yeo-johnson" else np.log(x)

        def unlikelihood(power: float) -> float:
            with np.errstate(over="ignore", invalid="ignore"):
                z = self._power(x, power)
                variance = np.average((z - np.average(z, weights=w)) ** 2, weights=w)
            if not np.isfinite(variance) or variance < np.finfo(float).tiny:
                return np.inf
            return float(w.sum() / 2 * np.log(variance) - (power - 1) * (w @ slopes))

        power = float(optimize.brent(unlikelihood, brack=(-2, 2)))
        z = self._power(x, power)
        if not self.standardize:
            return power, 0.0, 1.0
        mean = float(np.average(z, weights=w))
        return power, mean, float(np.sqrt(np.average((z - mean) ** 2, weights=w))) or 1.0

    def _power(self, x: Floats, power: Any) -> Floats:
        if self.method == "box-cox":
            return _box_cox(np.where(x > 0, x, np.nan), power)
        return np.where(x >= 0, _box_cox(1 + np.abs(x), power), -_box_cox(1 + np.abs(x), 2 - power))

    def _forward(self, x: Floats) -> Floats:
        return (self._power(x, self.lambdas_) - self.mean_) / self.scale_

    def _backward(self, z: Floats) -> Floats:
        z = z * self.scale_ + self.mean_
        if self.method == "box-cox":
            return _root(z, self.lambdas_)
        return np.where(z >= 0, _root(np.abs(z), self.lambdas_) - 1, 1 - _root(np.abs(z), 2 - self.lambdas_))

    def _rule(self) -> Any:
        power = r"\frac{x^\lambda - 1}{\lambda}" if self.method == "box-cox" else r"\psi(x, \lambda)"
        formula = rf"\frac{{{power} - m}}{{s}}" if self.standardize else power
        return formula, ("λ", "m", "s"), np.column_stack([self.lambdas_, self.mean_, self.scale_])

    def _definitions(self) -> tuple[Step, ...]:
        if self.method == "box-cox":
            return ()
        return (
            Step("ψ(x, λ), x ≥ 0", r"\frac{(1 + x)^\lambda - 1}{\lambda}"),
            Step("ψ(x, λ), x < 0", r"-\frac{(1 - x)^{2 - \lambda} - 1}{2 - \lambda}"),
        )

    def _substituted(self, j: int, x: str) -> str:
        power, number = float(self.lambdas_[j]), float(x.strip("()"))
        base, sign = x, ""
        if self.method == "yeo-johnson":
            base = f"(1 + {figure(abs(number))})"
            power, sign = (power, "") if number >= 0 else (2 - power, "-")
        inner = rf"{sign}\frac{{{base}^{{{figure(power)}}} - 1}}{{{figure(power)}}}"
        if abs(power) < _SAME:
            inner = rf"{sign}\ln ({base.strip('()')})"
        if not self.standardize:
            return inner
        return rf"\frac{{{inner} - {signed(self.mean_[j])}}}{{{figure(self.scale_[j])}}}"


def _box_cox(x: Floats, power: Any) -> Floats:
    """(x^λ - 1) / λ, or its limit ln x."""
    zero = np.abs(power) < _SAME
    return np.where(zero, np.log(x), (x ** np.where(zero, 1.0, power) - 1) / np.where(zero, 1.0, power))


def _root(z: Floats, power: Any) -> Floats:
    """The x of which `_box_cox` makes z; missing where there is none."""
    zero = np.abs(power) < _SAME
    base = z * np.where(zero, 1.0, power) + 1
    inside = np.where(base > 0, base, np.nan)
    return np.where(zero, np.exp(np.where(zero, z, 0.0)), inside ** (1 / np.where(zero, 1.0, power)))
