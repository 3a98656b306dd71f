r"""Basis functions as columns, so that any learner of straight boundaries can bend: logistic regression, the
perceptron and support vectors as much as least squares.

    polynomial    x_i x_j …, all products of up to `degree` numbers, powers included; x itself stays
    radial        exp(-|x - c_k|² / (2 s²)) around centres c_k; they take the place of the numbers
    sigmoid       1 / (1 + exp(-(x - c_k) / s)) at places c_k along each number, which they take the place of

Centres are given, or found in the training rows: means of groups for radial functions (in the units of the
columns: put "scale" before where they differ), quantiles for sigmoids. A missing cell makes every function of
it missing. Other columns pass through.

centers_ : float64 (n_columns, n_centres), a place along each column
"""

from abc import abstractmethod
from itertools import combinations, combinations_with_replacement
from math import comb
from typing import Annotated, Any, ClassVar

import numpy as np
from scipy.special import expit

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Maybe, Number, Whole
from openbook.data import Numeric, Table
from openbook.errors import ParameterError
from openbook.prepare.quantiles import weighted_quantiles
from openbook.prepare.transformer import Preparation, TrainingTable
from openbook.words.numbers import figure, signed
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

#: The most products that are made.
MOST_PRODUCTS = 5_000
#: The most rounds in which the centres of groups settle, and the most rows that they are found in.
ROUNDS, SAMPLE = 50, 2_000


class PolynomialFeatures(Declared, Preparation):
    """Add the products and powers of numbers up to a degree, as columns; the numbers themselves stay.

    With products, a plane in the new columns is a curve in the old ones: x y alone separates XOR.

    Parameters
    ----------
    degree : int, default=2
        The most factors of a product.
    interaction_only : bool, default=False
        Whether only products of different numbers are added, and no powers.
    columns : list of str or None, default=None

    Attributes
    ----------
    powers_ : tuple of tuple of int
        The exponent of each number in each product.
    n_output_features_ : int
        The number of columns that come out.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> PolynomialFeatures().fit([[2.0, 3.0]]).transform([[2.0, 3.0]]).tolist()
    [[2.0, 3.0, 4.0, 6.0, 9.0]]
    >>> list(PolynomialFeatures(3, interaction_only=True).fit([[2.0, 3.0]]).get_feature_names_out())
    ['x0', 'x1', 'x0 x1']
    """

    degree: Annotated[int, Whole(at_least=1)] = 2
    interaction_only: bool = False
    columns: list[str] | None = None

    def _learn(self, rows: TrainingTable) -> None:  # noqa: ARG002 (nothing is learnt but the columns)
        n = len(self._chosen)
        many = comb(n + self.degree, self.degree) if not self.interaction_only else 2**n
        if n and len(self._products if many <= 10 * MOST_PRODUCTS else range(many)) > MOST_PRODUCTS:
            raise ParameterError(
                f"PolynomialFeatures: {n} numbers have more than {MOST_PRODUCTS:,} products of up to"
                f" {self.degree}; name fewer columns, or lower the degree"
            )

    @property
    def _products(self) -> list[tuple[int, ...]]:
        """The numbers of each product, by position, as often as they are factors."""
        some = combinations if self.interaction_only else combinations_with_replacement
        every = range(len(self._chosen))
        return [product for size in range(2, self.degree + 1) for product in some(every, size)]

    @property
    def powers_(self) -> tuple[tuple[int, ...], ...]:
        n = len(self._chosen)
        return tuple(tuple(product.count(j) for j in range(n)) for product in self._products)

    @property
    def n_output_features_(self) -> int:
        return len(self.get_feature_names_out())

    def _name(self, powers: tuple[int, ...]) -> str:
        factors = [(name, k) for name, k in zip(self._chosen, powers, strict=True) if k]
        return " ".join(name if k == 1 else f"{name}^{k}" for name, k in factors)

    def _prepared(self, table: Table) -> Table:
        x = self._numbers(table)
        with np.errstate(over="ignore"):
            products = {
                self._name(powers): (Numeric(self._name(powers)), x[:, list(product)].prod(axis=1))
                for powers, product in zip(self.powers_, self._products, strict=True)
            }
        return self._with(table, products)

    def _work(self) -> Work:
        formula = r"\prod_j x_j^{k_j}, \quad \sum_j k_j \le p"
        rule = Step("new columns", formula, note=f"p = {self.degree}; missing cells make products missing")
        rows = [(self._name(powers), sum(powers)) for powers in self.powers_[:50]]
        more = len(self.powers_) - len(rows)
        grid = Grid("columns", ("product", "factors"), rows, f"{more} more" if more else "")
        return Work("PolynomialFeatures: products of numbers", (rule, grid))

    def _work_row(self, X: Table) -> Work:
        x, out = self._numbers(X)[0].tolist(), self._prepared(X)
        steps = []
        for powers in self.powers_[:50]:
            used = [(x[j], k) for j, k in enumerate(powers) if k]
            numbers = r" \cdot ".join(signed(a) + (f"^{k}" if k > 1 else "") for a, k in used)
            steps.append(_said(self._name(powers), numbers, float(out.data(self._name(powers))[0])))
        return Work("PolynomialFeatures: one row", (*steps, *self._unchanged(X)))


class _Centred(Declared, Preparation):
    """Functions that stand somewhere, and take the place of the numbers."""

    n_functions: Annotated[int, Whole(at_least=1)] = 5
    centers: Annotated[Any, Anything("None, or a list of points")] = None
    width: Annotated[Any, Maybe(Number(above=0))] = None
    columns: list[str] | None = None

    _learnt = {"centers_": 2}

    #: The formula of a function.
    _formula: ClassVar[str]

    @abstractmethod
    def _names(self) -> list[str]:
        """The new columns."""

    @abstractmethod
    def _functions(self, x: np.ndarray) -> np.ndarray:
        """The functions of each row, (n, n_functions)."""

    @abstractmethod
    def _widths(self) -> tuple[list[str], list[float]]:
        """What the widths are of, and the widths."""

    @abstractmethod
    def _substituted(self, x: np.ndarray) -> list[str]:
        """The formula of each function with the numbers of a row put in."""

    def _prepared(self, table: Table) -> Table:
        values = self._functions(self._numbers(table))
        new = {name: (Numeric(name), values[:, k]) for k, name in enumerate(self._names())}
        left = table.drop(*self._chosen) if self._chosen else table
        return self._with(left, new)

    def _work_row(self, X: Table) -> Work:
        out, put_in = self._prepared(X), self._substituted(self._numbers(X)[0])
        steps = [
            _said(name, numbers, float(out.data(name)[0]), self._formula)
            for name, numbers in zip(self._names(), put_in, strict=True)
        ]
        return Work(f"{type(self).__name__}: one row", (*steps, *self._unchanged(X)))

    def _work(self) -> Work:
        header = ["centre", *self._chosen]
        rows = [[k + 1, *centre] for k, centre in enumerate(self.centers_.T.tolist())]
        rule = Step("new columns", self._formula, note="missing cells make functions missing")
        widths = list(zip(*self._widths(), strict=True))
        grids = (Grid("centres", header, rows), Grid("widths", ("", "s"), widths))
        return Work(f"{type(self).__name__}: functions in place of numbers", (rule, *grids))


class RadialFeatures(_Centred):
    """Radial basis functions: bells (normal curves) around centres, instead of the numbers.

    Parameters
    ----------
    n_functions : int, default=5
        The number of bell curves, if the centres are found in the rows; at most the number of rows.
    centers : array-like of shape (n_centres, n_columns) or None, default=None
        The centres, in the units and the order of the columns; None finds means of groups of rows.
    width : float or None, default=None
        The standard deviation s of the bells; None takes the mean distance between neighbouring centres.
    columns : list of str or None, default=None

    Attributes
    ----------
    centers_ : ndarray of shape (n_columns, n_centres)
        The places of the centres along each column.
    width_ : float
        The standard deviation of the bells.

    Notes
    -----
    Distances are in the units of the columns: put "scale" before where these differ.
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> bells = RadialFeatures(centers=[[0.0], [2.0]], width=1.0).fit([[0.0], [1.0]])
    >>> bells.transform([[0.0]]).round(4).tolist()
    [[1.0, 0.1353]]
    """

    _formula = r"e^{-\frac{\lVert x - c_k \rVert^2}{2 s^2}}"

    def _learn(self, rows: TrainingTable) -> None:
        if self.centers is not None:
            self.centers_ = _given(self, np.array(self.centers, dtype=float, ndmin=2), len(self._chosen)).T
            return
        x = np.unique(_known(self._numbers(rows.X), rows.w), axis=0)
        self.centers_ = group_means(x[:: 1 + len(x) // SAMPLE], self.n_functions).T

    @property
    def width_(self) -> float:
        if self.width is not None:
            return float(self.width)
        if self.centers_.shape[1] < 2:
            return 1.0
        squares = squared_distances(self.centers_.T, self.centers_.T)
        np.fill_diagonal(squares, np.inf)
        return float(np.sqrt(squares.min(axis=1)).mean()) or 1.0

    def _functions(self, x: np.ndarray) -> np.ndarray:
        squares = np.where(np.isnan(x).any(axis=1)[:, None], np.nan, squared_distances(x, self.centers_.T))
        return np.exp(squares / (-2 * self.width_**2))

    def _names(self) -> list[str]:
        return [f"radial {k + 1}" for k in range(self.centers_.shape[1])]

    def _substituted(self, x: np.ndarray) -> list[str]:
        spread = rf"2 \cdot {figure(self.width_)}^2"
        squares = (
            joined([f"({figure(a)} - {signed(c)})^2" for a, c in zip(x.tolist(), centre, strict=True)])
            for centre in self.centers_.T.tolist()
        )
        return [rf"e^{{-\frac{{{square}}}{{{spread}}}}}" for square in squares]

    def _widths(self) -> tuple[list[str], list[float]]:
        return ["all"], [self.width_]


class SigmoidFeatures(_Centred):
    """Sigmoid basis functions: smooth steps along each number, in its place.

    Parameters
    ----------
    n_functions : int, default=5
        The number of steps along each number, at its quantiles, if they are found in the rows.
    centers : list of float or None, default=None
        The places of the steps, the same along every number; None finds quantiles.
    width : float or None, default=None
        The width s of a step; None takes 2 / n_functions standard deviations of the number.
    columns : list of str or None, default=None

    Attributes
    ----------
    centers_ : ndarray of shape (n_columns, n_steps)
        The places of the steps along each column.
    widths_ : ndarray of shape (n_columns,)
        The width of the steps along each column.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> steps = SigmoidFeatures(centers=[0.0, 2.0], width=1.0).fit([[0.0], [1.0]])
    >>> steps.transform([[0.0]]).round(4).tolist()
    [[0.5, 0.1192]]
    """

    _formula = r"\frac{1}{1 + e^{-(x - c_k) / s}}"
    _learnt = {"centers_": 2, "widths_": 1}

    def _learn(self, rows: TrainingTable) -> None:
        columns = [np.asarray(rows.X.data(name), dtype=float) for name in self._chosen]
        if self.centers is not None:
            given_centres = _given(self, np.array(self.centers, dtype=float, ndmin=2).T, 1).T
            self.centers_ = np.repeat(given_centres, len(columns), axis=0)
        else:
            shares = (np.arange(self.n_functions) + 0.5) / self.n_functions
            found = [_quantiles(x, rows.w, shares) for x in columns]
            self.centers_ = np.array(found).reshape(-1, len(shares))
        own = [_deviation(x, rows.w) * 2 / self.centers_.shape[1] for x in columns]
        self.widths_ = np.full(len(own), float(self.width)) if self.width else np.array(own, dtype=float)

    def _functions(self, x: np.ndarray) -> np.ndarray:
        steps = expit((x[:, :, None] - self.centers_) / self.widths_[:, None])
        return steps.reshape(len(x), self.centers_.size)

    def _names(self) -> list[str]:
        return [f"{name} step {k + 1}" for name in self._chosen for k in range(self.centers_.shape[1])]

    def _substituted(self, x: np.ndarray) -> list[str]:
        along = zip(x.tolist(), self.centers_.tolist(), self.widths_.tolist(), strict=True)
        return [
            rf"\frac{{1}}{{1 + e^{{-({figure(a)} - {signed(c)}) / {figure(s)}}}}}"
            for a, centres, s in along
            for c in centres
        ]

    def _widths(self) -> tuple[list[str], list[float]]:
        return list(self._chosen), self.widths_.tolist()


def _known(x: np.ndarray, w: np.ndarray) -> np.ndarray:
    """The training rows without a gap; a row of zeros where there is none."""
    known = x[~np.isnan(x).any(axis=1) & (w > 0)]
    return known if len(known) else np.zeros((1, x.shape[1]))


def _given(step: Any, centers: np.ndarray, width: int) -> np.ndarray:
    """Centres as they are given, checked."""
    if centers.ndim != 2 or centers.shape[1] != width or not len(centers) or not np.isfinite(centers).all():
        what = f"points of {width} numbers, one for each column" if width > 1 else "a list of numbers"
        raise ParameterError(f"{type(step).__name__}: centers must be {what}, got {step.centers!r}")
    return centers


def _quantiles(x: np.ndarray, w: np.ndarray, shares: np.ndarray) -> np.ndarray:
    known = ~np.isnan(x)
    return weighted_quantiles(x[known], w[known], shares) if known.any() else np.zeros(len(shares))


def _deviation(x: np.ndarray, w: np.ndarray) -> float:
    known = ~np.isnan(x) & (w > 0)
    if not known.any():
        return 1.0
    mean = np.average(x[known], weights=w[known])
    return float(np.sqrt(np.average((x[known] - mean) ** 2, weights=w[known]))) or 1.0


def _said(name: str, numbers: str, value: float, formula: str = "") -> Step:
    if np.isnan(value):
        return Step(name, result="missing", note="stays missing")
    return Step(name, formula, numbers, value)


def group_means(sample: np.ndarray, n: int) -> np.ndarray:
    """The means of n groups of rows: each begins with the row that is farthest from those before."""
    n = min(n, len(sample))
    start = int(squared_distances(sample, sample.mean(axis=0, keepdims=True))[:, 0].argmin())
    chosen, nearest = [start], np.full(len(sample), np.inf)
    while len(chosen) < n:
        nearest = np.minimum(nearest, squared_distances(sample, sample[chosen[-1:]])[:, 0])
        chosen.append(int(nearest.argmax()))
    centres = sample[chosen]
    for _ in range(ROUNDS):
        group = squared_distances(sample, centres).argmin(axis=1)
        size = np.bincount(group, minlength=n)
        sums = np.eye(n)[group].T @ sample
        moved = np.where(size[:, None] > 0, sums / np.maximum(size, 1)[:, None], centres)
        if np.array_equal(moved, centres):
            break
        centres = moved
    return centres


def squared_distances(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """The squared distance of each row of one array to each of the other."""
    return np.maximum((a * a).sum(axis=1)[:, None] - 2 * a @ b.T + (b * b).sum(axis=1), 0.0)
