r"""The map φ of a polynomial kernel, written out: K(x, z) = φ(x) · φ(z).

    (γ x · z + r)^p = Σ_a  p! / Π a_j! · r^(a_0) γ^(p - a_0)  Π x_j^(a_j) Π z_j^(a_j)

over all whole a_0 + a_1 + … + a_d = p. So φ has a column for each way to share p out, the root of the factor
times a product of powers. A term whose factor is 0 (r = 0) is left out. The kernel costs one product of d
numbers, φ many: (d + p)! / (d! p!).

X : float64 (n, d), complete;  φ(X) : float64 (n, terms)
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError
from openbook.measures.arrays import as_floats
from openbook.words.numbers import figure, signed
from openbook.words.sentences import joined, plural
from openbook.work import Grid, Step, Work, escape_text

#: The most terms that are written out, and in a formula.
_MOST_TERMS, _MOST_SHOWN = 1000, 12


@dataclass(frozen=True)
class PolynomialMap:
    """The map φ of a polynomial kernel: call it on rows.

    Attributes
    ----------
    names : tuple of str
        The names of the columns.
    degree : int
        The power p.
    gamma : float
        The factor γ.
    coef0 : float
        The constant r.
    powers : tuple of tuple of int
        The power of each column in each term.
    factors : tuple of float
        The square of the factor of each term.

    Notes
    -----
    Guide: docs/guide/svm.md

    Examples
    --------
    >>> phi = polynomial_map(["x", "z"], degree=2)
    >>> phi.terms
    ('x²', '√2 x z', 'z²')
    >>> phi([[3, 1]]).round(4).tolist()
    [[9.0, 4.2426, 1.0]]
    """

    names: tuple[str, ...]
    degree: int
    gamma: float
    coef0: float
    powers: tuple[tuple[int, ...], ...]
    factors: tuple[float, ...]

    @property
    def terms(self) -> tuple[str, ...]:
        """The terms as they are written: √2 x z."""
        return tuple(
            " ".join(part for part in (_root(factor), *_powers(self.names, powers)) if part) or "1"
            for factor, powers in zip(self.factors, self.powers, strict=True)
        )

    def __call__(self, X: npt.ArrayLike) -> npt.NDArray[Any]:
        """φ of each row, (n, terms).

        Parameters
        ----------
        X : array-like of shape (n, d)
            The rows.

        Returns
        -------
        ndarray of shape (n, terms)
        """
        rows = np.atleast_2d(as_floats(X, "X"))
        if rows.shape[1] != len(self.names):
            msg = f"φ is of {plural(len(self.names), 'column')}, and these rows have {rows.shape[1]}"
            raise ParameterError(msg)
        products = np.stack([np.prod(rows ** np.array(powers), axis=1) for powers in self.powers], axis=1)
        return products * np.sqrt(self.factors)

    def kernel(self, x: npt.ArrayLike, z: npt.ArrayLike) -> float:
        """K(x, z) itself, without φ.

        Parameters
        ----------
        x, z : array-like of shape (d,)
            Two rows.

        Returns
        -------
        float
        """
        product = float(as_floats(x, "x") @ as_floats(z, "z"))
        return (self.gamma * product + self.coef0) ** self.degree

    def work(self, x: npt.ArrayLike, z: npt.ArrayLike) -> Work:
        """Derive K(x, z) both ways: by the kernel, and as φ(x) · φ(z).

        Parameters
        ----------
        x, z : array-like of shape (d,)
            Two rows.

        Returns
        -------
        Work
        """
        a, b = (as_floats(row, "a row").ravel() for row in (x, z))
        phi_a, phi_b = self(a)[0].tolist(), self(b)[0].tolist()
        dot = joined([rf"{signed(u)} \cdot {signed(v)}" for u, v in zip(a.tolist(), b.tolist(), strict=True)])
        inner, product = float(a @ b), math.fsum(u * v for u, v in zip(phi_a, phi_b, strict=True))
        power = rf"({figure(self.gamma)} \cdot {signed(inner)} + {signed(self.coef0)})^{{{self.degree}}}"
        value = self.kernel(a, b)
        rows = [(term, u, v, u * v) for term, u, v in zip(self.terms, phi_a, phi_b, strict=True)]
        shown = [_formula(self, term) for term in range(min(len(rows), _MOST_SHOWN))]
        more = [r"\dots"] if len(rows) > _MOST_SHOWN else []
        steps = (
            Step("x · z", r"\sum_j x_j z_j", dot, inner),
            Step("K(x, z)", r"(\gamma \, x \cdot z + r)^p", power, value),
            Step("φ(x)", f"({', '.join([*shown, *more])})", note=plural(len(rows), "term")),
            Grid("φ", ("term", "φ(x)", "φ(z)", "product"), rows),
            Step("φ(x) · φ(z)", r"\sum_t \phi_t(x) \phi_t(z)", joined([row[-1] for row in rows]), product),
        )
        same = math.isclose(value, product, rel_tol=1e-9, abs_tol=1e-12)
        end = "The two agree: the kernel is a product in the space of φ." if same else "The two differ."
        return Work(f"The polynomial kernel of degree {self.degree}, and its map", steps, end)


def polynomial_map(
    names: Sequence[str] | int, degree: int = 2, gamma: float = 1.0, coef0: float = 0.0
) -> PolynomialMap:
    """The map φ of the kernel (gamma x · z + coef0)^degree, written out.

    Parameters
    ----------
    names : sequence of str or int
        The names of the columns, or how many there are.
    degree : int, default=2
        The power, 1 or more.
    gamma : float, default=1.0
        The factor of the product, above 0.
    coef0 : float, default=0.0
        The constant, 0 or more; above 0, lower powers are included too.

    Returns
    -------
    PolynomialMap
        With `terms`, `work(x, z)`, and φ of rows when it is called.

    Notes
    -----
    Guide: docs/guide/svm.md

    Examples
    --------
    >>> phi = polynomial_map(2, degree=2, coef0=1)
    >>> phi.terms
    ('x1²', '√2 x1 x2', '√2 x1', 'x2²', '√2 x2', '1')
    >>> x, z = [1, 2], [3, 4]
    >>> phi.kernel(x, z), round(float(phi(x)[0] @ phi(z)[0]), 9)  # (1·3 + 2·4 + 1)²
    (144.0, 144.0)
    """
    columns = tuple(f"x{j + 1}" for j in range(names)) if isinstance(names, int) else tuple(names)
    if not isinstance(degree, Real) or degree != int(degree) or degree < 1 or not columns:
        msg = f"degree must be a whole number of at least 1, of at least one column; got {degree!r}"
        raise ParameterError(msg)
    if not (gamma > 0 and coef0 >= 0 and math.isfinite(gamma) and math.isfinite(coef0)):
        msg = f"φ has real factors where gamma > 0 and coef0 >= 0, got gamma={gamma!r}, coef0={coef0!r}"
        raise ParameterError(msg)
    count = math.comb(len(columns) + degree, degree)
    if count > _MOST_TERMS:
        msg = f"φ of degree {degree} of {plural(len(columns), 'column')} has {count:,} terms: K spares them"
        raise ParameterError(msg)
    exponents = list(_shared_out(int(degree), len(columns) + 1))
    found = [(powers[:-1], _factor(powers, degree, gamma, coef0)) for powers in exponents]
    powers, factors = zip(*(term for term in found if term[1] > 0), strict=True)
    return PolynomialMap(columns, int(degree), float(gamma), float(coef0), powers, factors)


def _shared_out(total: int, parts: int) -> Iterator[tuple[int, ...]]:
    """All ways to share a power out, the first column's highest first."""
    if parts == 1:
        yield (total,)
        return
    for first in range(total, -1, -1):
        for rest in _shared_out(total - first, parts - 1):
            yield (first, *rest)


def _factor(powers: tuple[int, ...], degree: int, gamma: float, coef0: float) -> float:
    """The multinomial coefficient, times the powers of γ and r; the last power is that of r."""
    coefficient = math.factorial(degree) / math.prod(map(math.factorial, powers))
    return coefficient * gamma ** (degree - powers[-1]) * coef0 ** powers[-1]


def _root(square: float, sign: str = "√{}") -> str:
    """The root of a factor as it is written; nothing for 1."""
    root = math.sqrt(square)
    if math.isclose(root, round(root), rel_tol=1e-12):
        return "" if round(root) == 1 else str(round(root))
    return sign.format(figure(square))


def _powers(names: Sequence[str], powers: Sequence[int]) -> Iterator[str]:
    raised = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
    for name, power in zip(names, powers, strict=True):
        if power:
            yield name if power == 1 else name + str(power).translate(raised)


def _formula(phi: PolynomialMap, term: int) -> str:
    """A term in LaTeX."""
    columns = [
        escape_text(name) + (f"^{{{power}}}" if power > 1 else "")
        for name, power in zip(phi.names, phi.powers[term], strict=True)
        if power
    ]
    return r" \, ".join(filter(None, [_root(phi.factors[term], r"\sqrt{{{}}}"), *columns])) or "1"
