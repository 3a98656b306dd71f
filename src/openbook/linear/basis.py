r"""Basis functions: a linear model of functions of the columns can fit curves.

    Polynomial(degree)    x, x², …, x^degree of each number
    Radial(n)             exp(-|x - c_k|² / (2 s²)) around n centres c_k among the rows
    Sigmoid(n)            1 / (1 + exp(-(x - c_k) / s)) at n places c_k along each number

They work on encoded columns: numbers in standard units, so powers have a similar size and every number counts
alike in distances. Radial functions use all encoded columns; the others transform the numbers one by one, and
keep ranks, values and gap indicators unchanged. Centres are found in a sample of the rows, which depends
neither on their order nor on the chunks: means of its groups (Lloyd 1982) for bells, quantiles for steps.

Z : float64 (n, d), encoded rows
centres : float64 (n_centres, d) for radial functions, (n_centres, n_numbers) for sigmoids, else (0, 0)
"""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import partial
from zlib import crc32

import numpy as np
from scipy.special import expit

from openbook.border.rows import Rows
from openbook.border.rules import Maybe, Number, Whole
from openbook.damage import checked_array
from openbook.data import Numeric, Table
from openbook.errors import ParameterError
from openbook.fold import fold
from openbook.prepare.basis_functions import group_means, squared_distances
from openbook.prepare.encoding import Encoding

#: With at least this many columns, the matrix of their units is sparse.
SPARSE = 100

#: The most rows among which centres are found.
SAMPLE = 2000


class Basis(ABC):
    """Functions of encoded columns; a small frozen value."""

    def centres(self, sample: np.ndarray, encoding: Encoding) -> np.ndarray:  # noqa: ARG002
        """The centres of the functions, from a sample of encoded rows; none unless a basis has some.

        Parameters
        ----------
        sample : ndarray of shape (n_rows, n_encoded)
            Encoded rows.
        encoding : Encoding
            How columns became numbers.

        Returns
        -------
        ndarray
        """
        return np.zeros((0, 0))

    @abstractmethod
    def __call__(self, Z: np.ndarray, encoding: Encoding, centres: np.ndarray) -> np.ndarray:
        """The functions of each row, (n, n_functions)."""

    @abstractmethod
    def names(self, encoding: Encoding, centres: np.ndarray) -> tuple[str, ...]:
        """The functions by name.

        Parameters
        ----------
        encoding : Encoding
            How columns became numbers.
        centres : ndarray
            The centres of the functions.

        Returns
        -------
        tuple of str
        """

    def checked(self, centres: np.ndarray, encoding: Encoding) -> np.ndarray:
        """The centres as a model file has them; ValueError where they cannot be the basis's own.

        Parameters
        ----------
        centres : ndarray
            The centres of the functions.
        encoding : Encoding
            How columns became numbers.

        Returns
        -------
        ndarray
        """
        shapes = self._shapes(encoding)
        shape = centres.shape if centres.shape in shapes else shapes[-1]
        return checked_array({"centres": centres}, "centres", float, shape)

    def _shapes(self, encoding: Encoding) -> list[tuple[int, int]]:  # noqa: ARG002
        """The shapes that the centres can have."""
        return [(0, 0)]

    def units(self, encoding: Encoding, centres: np.ndarray) -> np.ndarray:
        """The intercept and coefficients in units of the columns, as a matrix by those of the functions.

        Functions with centres have no other unit: theirs is the identity.

        Parameters
        ----------
        encoding : Encoding
            How columns became numbers.
        centres : ndarray
            The centres of the functions.

        Returns
        -------
        ndarray of shape (1 + n_functions, 1 + n_functions)
        """
        return np.eye(1 + len(self.names(encoding, centres)))


@dataclass(frozen=True)
class Columns(Basis):
    """The encoded columns as they are: the basis of a plain linear model."""

    def __call__(self, Z, encoding, centres):  # noqa: ARG002 (of the same form for every basis)
        return Z

    def names(self, encoding, centres):  # noqa: ARG002
        return encoding.names

    def units(self, encoding, centres):  # noqa: ARG002
        from scipy.sparse import csr_array

        d, shift, scale = len(encoding), -encoding.shift / encoding.scale, 1 / encoding.scale
        if d < SPARSE:
            matrix = np.diag(np.append(1.0, scale))
            matrix[0, 1:] = shift
            return matrix
        places = np.r_[np.zeros(1 + d, dtype=np.intp), 1 : 1 + d], np.r_[: 1 + d, 1 : 1 + d]
        return csr_array((np.concatenate([[1.0], shift, scale]), places), (1 + d, 1 + d))


@dataclass(frozen=True)
class Polynomial(Basis):
    """Polynomial regression: the powers of each number up to the degree, as a basis.

    Parameters
    ----------
    degree : int, default=2
        The highest power.

    Notes
    -----
    Guide: docs/guide/linear.md

    Examples
    --------
    >>> from openbook.linear import LinearRegression
    >>> model = LinearRegression(basis=Polynomial(2)).fit([[0], [1], [2], [3]], [0.0, 1.0, 4.0, 9.0])
    >>> model.predict([[4]]).round(6).tolist()
    [16.0]
    """

    degree: int = 2

    def __post_init__(self):
        _check(self, degree=Whole(at_least=1))

    def __call__(self, Z, encoding, centres):  # noqa: ARG002
        powers = [Z[:, [k]] ** np.arange(1, self._highest(encoding, k) + 1) for k in range(Z.shape[1])]
        return np.hstack(powers) if powers else Z

    def names(self, encoding, centres):  # noqa: ARG002
        return tuple(
            name if power == 1 else f"{name}^{power}"
            for k, name in enumerate(encoding.names)
            for power in range(1, self._highest(encoding, k) + 1)
        )

    def units(self, encoding, centres):
        # by the binomial theorem: ((x - m) / s)^k = s^-k sum_j C(k, j) (-m)^(k - j) x^j
        from scipy.special import comb

        matrix = np.zeros((1 + len(self.names(encoding, centres)),) * 2)
        matrix[0, 0] = 1.0
        start = 1
        for k, (shift, scale) in enumerate(zip(encoding.shift, encoding.scale, strict=True)):
            highest = self._highest(encoding, k)
            for power in range(1, highest + 1):
                j = np.arange(power + 1)
                terms = comb(power, j) * (-shift) ** (power - j) / scale**power
                matrix[0, start + power - 1] = terms[0]
                matrix[start : start + power, start + power - 1] = terms[1:]
            start += highest
        return matrix

    def _highest(self, encoding, k):
        return self.degree if _numbers(encoding)[k] else 1


@dataclass(frozen=True)
class Radial(Basis):
    """Radial basis functions: bells (normal curves) around centres among the rows.

    Parameters
    ----------
    n : int, default=10
        The number of bells; fewer if the sample has fewer distinct rows.
    width : float or None, default=None
        The standard deviation of the bells in units of encoded columns; None takes the distance between
        neighbouring centres, on average.

    Notes
    -----
    Guide: docs/guide/linear.md

    Examples
    --------
    >>> from openbook.linear import LinearRegression
    >>> LinearRegression(basis=Radial(2), l2=0.1).fit([[0.0], [1.0], [5.0]], [0.0, 1.0, 5.0]).names_
    ('radial 1', 'radial 2')
    """

    n: int = 10
    width: float | None = None

    def __post_init__(self):
        _check(self, n=Whole(at_least=1), width=Maybe(Number(above=0)))

    def centres(self, sample, encoding):  # noqa: ARG002
        return group_means(sample, self.n)

    def __call__(self, Z, encoding, centres):  # noqa: ARG002
        squares = squared_distances(Z, centres)
        return np.exp(squares / (-2 * self._width(centres) ** 2))

    def _shapes(self, encoding):
        return [(n, len(encoding)) for n in range(1, self.n + 1)]

    def names(self, encoding, centres):  # noqa: ARG002
        return tuple(f"radial {k}" for k in range(1, len(centres) + 1))

    def _width(self, centres):
        if self.width is not None:
            return self.width
        if len(centres) < 2:
            return 1.0
        squares = squared_distances(centres, centres)
        np.fill_diagonal(squares, np.inf)
        return float(np.sqrt(squares.min(axis=1)).mean()) or 1.0


@dataclass(frozen=True)
class Sigmoid(Basis):
    """Sigmoid basis functions: smooth steps along each number, at its quantiles.

    Parameters
    ----------
    n : int, default=5
        The number of steps along each number.
    width : float or None, default=None
        The width of a step in standard units; None takes 2 / n.

    Notes
    -----
    Guide: docs/guide/linear.md

    Examples
    --------
    >>> from openbook.linear import LinearRegression
    >>> LinearRegression(basis=Sigmoid(2), l2=0.1).fit([[0.0], [1.0], [5.0]], [0.0, 1.0, 5.0]).names_
    ('x0 step 1', 'x0 step 2')
    """

    n: int = 5
    width: float | None = None

    def __post_init__(self):
        _check(self, n=Whole(at_least=1), width=Maybe(Number(above=0)))

    def centres(self, sample, encoding):
        shares = (np.arange(self.n) + 0.5) / self.n
        return np.quantile(sample[:, _numbers(encoding)], shares, axis=0)

    def __call__(self, Z, encoding, centres):
        numbers = _numbers(encoding)
        steps = (Z[:, numbers][:, :, None] - centres.T) / (2 / self.n if self.width is None else self.width)
        return np.hstack([expit(steps).reshape(len(Z), -1), Z[:, ~numbers]])

    def _shapes(self, encoding):
        return [(self.n, int(_numbers(encoding).sum()))]

    def names(self, encoding, centres):
        numbers = _numbers(encoding)
        steps = [
            f"{name} step {k}"
            for name, is_number in zip(encoding.names, numbers, strict=True)
            if is_number
            for k in range(1, len(centres) + 1)
        ]
        return (*steps, *(name for name, one in zip(encoding.names, numbers, strict=True) if not one))


def sample_of(rows: Rows) -> Table:
    """At most SAMPLE distinct rows, those of the smallest hash, so that neither order nor chunks matter."""
    schema = rows.schema
    cells = fold(rows.pieces, partial(_cells, schema), lambda a, b: _least(schema, np.vstack([a, b])))
    kinds = [np.float64 if isinstance(a, Numeric) else np.intp for a in schema]
    return Table(schema, [column.astype(kind) for column, kind in zip(cells.T, kinds, strict=True)])


def _cells(schema, chunk):
    """The numbers and codes of a chunk's sample, (n, n_columns)."""
    return _least(schema, np.stack([chunk.X.data(name).astype(float) for name in schema.names], axis=1))


def _least(schema, cells):
    """The rows of the smallest hashes, in their order; of equal rows, which have the same hash, one."""
    mixed = np.zeros(len(cells), dtype=np.uint64)
    for attribute, column in zip(schema, cells.T, strict=True):
        if isinstance(attribute, Numeric):
            known = np.where(np.isnan(column), np.nan, column + 0.0)  # one NaN, and one zero
        else:  # the values themselves: in another table they may have other codes
            texts = [crc32(value.encode()) for value in attribute.values]
            known = np.array([*texts, 0], dtype=float)[column.astype(np.intp)]
        mixed = (mixed ^ known.view(np.uint64)) * np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    return cells[np.unique(mixed, return_index=True)[1][:SAMPLE]]


def _numbers(encoding):
    """Which encoded columns are numbers of the table: not ranks, values or gaps."""
    numeric = np.array([isinstance(a, Numeric) for a in encoding.schema], dtype=bool)
    first = np.append(True, np.diff(encoding.columns) > 0)[: len(encoding)]
    return numeric[encoding.columns] & first


def _check(basis, **rules):
    """Refuse settings of a basis that break their rules."""
    for name, rule in rules.items():
        if not rule.allows(value := getattr(basis, name)):
            raise ParameterError(f"{type(basis).__name__}: {name} must be {rule.demand()}, got {value!r}")
