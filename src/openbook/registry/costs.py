"""Rough costs of a fit: seconds on one core and bytes, from the shape of the training rows.

    n  rows, p  columns, w  columns after encoding (a nominal column has one for each value), k  classes

A column of texts counts as a hundred columns: learners for dense rows use as many words, and those for sparse
rows need about as much time for a text of as many words.

The figures were measured on one core of a laptop, with compiled kernels; they include predicting a ninth as
many rows. They are right to a factor of two or three: enough to tell seconds from hours.
"""

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from openbook.border.words import MOST_WORDS
from openbook.data import Attribute, Nominal, Table, Text
from openbook.data.rare import MOST, may_pool

#: The bytes of a number, and the least memory of any fit.
_FLOAT, _LEAST_BYTES = 8, 1e6


class Shape(NamedTuple):
    """Rows, columns, columns after encoding, and classes (1 for numbers) that a fit sees."""

    n: int
    p: int
    w: int
    k: int

    @classmethod
    def of(cls, inputs: Table, rows: int, classes: int) -> "Shape":
        """The shape of rows with these columns."""
        columns = sum(MOST_WORDS if isinstance(a, Text) else 1 for a in inputs.schema)
        return cls(rows, columns, encoded_width(inputs), classes)


def encoded_width(inputs: Table) -> int:
    """The number of columns after one-hot encoding, with rare values pooled and a column for each word."""
    return sum(map(_width, inputs.schema))


def _width(attribute: Attribute) -> int:
    if isinstance(attribute, Text):
        return MOST_WORDS
    if not isinstance(attribute, Nominal):
        return 1
    return max(1, min(len(attribute.values), MOST) if may_pool(attribute) else len(attribute.values))


def fit_seconds(name: str, shape: Shape, parameters: Mapping[str, Any] | None = None) -> float:
    """The estimated seconds of a fit, and of predicting a ninth as many rows, by the learner's registered
    name.
    """
    if (parameters or {}).get("distributions") == "kernel":
        return _kernel_bayes(shape)
    return 5e-4 + (_SECONDS[name](shape) if name in _SECONDS else 1e-6 * shape.n * shape.p)


def fit_bytes(name: str, shape: Shape) -> float:
    """The estimated memory of a fit, by the learner's registered name."""
    encoded = _FLOAT * shape.n * (shape.w if name in _ENCODED else shape.p)
    return _LEAST_BYTES + 3 * encoded + (_BYTES[name](shape) if name in _BYTES else 0.0)


def _kernel_bayes(s: Shape) -> float:
    """A kernel density compares each predicted cell with all cells of its column."""
    return 5e-4 + s.p * (1.3e-4 + 5e-10 * s.n**2)


def _forest(s: Shape) -> float:
    return 0.02 + 5e-5 * s.p + 9e-6 * s.n * s.p**0.5


def _boosting(s: Shape) -> float:
    """120 small trees, of several classes 120 each."""
    return (0.03 + 8e-4 * s.p + 5e-7 * s.n * s.p) * (s.k if s.k > 2 else 1)


def _network(s: Shape) -> float:
    return 0.01 + 3e-7 * s.n * s.w + 1.3e-6 * s.n


def _support(s: Shape) -> float:
    return 0.02 + 1.2e-9 * s.n**2 * s.w * max(1, s.k - 1)


def _newton(s: Shape) -> float:
    """Some steps, each with products of all columns and a solution of as many equations.

    Of a wide table, the products of all rows.
    """
    few = min(s.w, 300)
    return 4e-3 + min(5e-9 * s.n * s.w * few + 2e-10 * few**3 * s.k, 3e-10 * s.n**2 * s.w + 2e-10 * s.n**3)


def _scatters(s: Shape) -> float:
    """The products of all columns, or of a wide table those of all rows, and equations of as many."""
    few, many = sorted((s.n, s.w))
    return 4e-10 * few**2 * many + 4e-10 * few**3 + 1e-7 * s.n * s.w


_SECONDS: dict[str, Callable[[Shape], float]] = {
    "zero_r": lambda _: 0.0,
    "zero_regressor": lambda _: 0.0,
    "one_r": lambda s: s.p * (1.2e-4 + 1.2e-7 * s.n),
    "naive_bayes": lambda s: s.p * (4e-6 + 1e-8 * s.n),
    # the information of each pair of columns, and gaps filled in a few rounds
    "belief_network_classifier": lambda s: 2e-3 + s.p * (2e-4 + 2e-7 * s.n) + s.p**2 * (6e-6 + 5e-9 * s.n),
    "c45": lambda s: 4e-3 + s.p * (5e-5 + 1.5e-7 * s.n),
    # the last term: linear models of the columns that are left in them
    "model_tree": lambda s: 0.01 + s.p * (8e-5 + 1e-7 * s.n) + 2e-7 * s.n * min(s.p, 20) ** 2,
    "random_forest": _forest,
    "random_forest_regressor": lambda s: 0.02 + 8e-6 * s.n * s.p,
    "cart": lambda s: 6e-3 + s.p * (1.8e-4 + 7e-7 * s.n),
    "cart_regressor": lambda s: 0.01 + s.p * (4e-4 + 1.4e-6 * s.n),
    "gradient_boosting": _boosting,
    "gradient_boosting_regressor": _boosting,
    "adaboost": lambda s: 0.01 + s.p * (2e-4 + 2e-7 * s.n),
    "k_neighbors": lambda s: 2e-3 + 1e-10 * s.n**2 * s.p,
    "k_neighbors_regressor": lambda s: 2e-3 + 1e-10 * s.n**2 * s.p,
    "logistic_regression": _newton,
    "linear_regression": lambda s: 2e-3 + _scatters(s),
    "linear_discriminant": lambda s: 0.04 + _scatters(s),
    # the scatter of each class and its inverse, whose shrinkage is chosen in folds
    "quadratic_discriminant": lambda s: 0.1 + 10 * s.k * (1e-10 * s.n * s.w**2 + 3e-7 * s.w**2),
    "mlp": _network,
    "mlp_regressor": _network,
    "svc": _support,
    "svr": _support,
}

#: Learners that see encoded columns.
_ENCODED = (
    "logistic_regression",
    "linear_regression",
    "linear_discriminant",
    "quadratic_discriminant",
    "mlp",
    "mlp_regressor",
    "svc",
    "svr",
)


def _scatter_bytes(s: Shape) -> float:
    """The scatter of all columns, or of a wide table its rows, and what is made of it."""
    return 4 * _FLOAT * s.w * min(s.n, s.w)


_BYTES: dict[str, Callable[[Shape], float]] = {
    "linear_discriminant": _scatter_bytes,
    "quadratic_discriminant": lambda s: (2 + 14 * s.k) * _FLOAT * s.w**2,
    "linear_regression": _scatter_bytes,
    "logistic_regression": lambda s: 2 * _FLOAT * min(s.w, 1000) ** 2 * s.k,
    "svc": lambda s: _FLOAT * min(s.n, 1024) ** 2,
    "svr": lambda s: _FLOAT * min(s.n, 1024) ** 2,
}
