"""Rough costs of a fit: seconds on one core and bytes, from the shape of the training rows.

    n  rows, p  columns, w  columns after encoding (a nominal column has one for each value), k  classes

A column of texts counts as a hundred columns: learners for dense rows use as many words, and those for sparse
rows need about as much time for a text of as many words.

The figures were measured on one core of a laptop, with kernels compiled; predicting a ninth as many rows is
counted in. They are right to a factor of two or three: enough to tell seconds from hours.
"""

from collections.abc import Callable
from typing import NamedTuple

from openbook.border.words import MOST_WORDS
from openbook.data import Attribute, Nominal, Table, Text

#: Bytes of a number, and what every fit takes besides.
_FLOAT, _LEAST_BYTES = 8, 1e6


class Shape(NamedTuple):
    """Rows, columns, columns after encoding, and classes (1 for numbers) that a fit sees."""

    n: int
    p: int
    w: int
    k: int

    @classmethod
    def of(cls, inputs: Table, rows: int, classes: int) -> "Shape":
        """So many rows of these columns."""
        columns = sum(MOST_WORDS if isinstance(a, Text) else 1 for a in inputs.schema)
        return cls(rows, columns, encoded_width(inputs), classes)


def encoded_width(inputs: Table) -> int:
    """How many columns there are once each value of a nominal one has its own, and each word of texts."""
    return sum(map(_width, inputs.schema))


def _width(attribute: Attribute) -> int:
    if isinstance(attribute, Text):
        return MOST_WORDS
    return max(1, len(attribute.values)) if isinstance(attribute, Nominal) else 1


def fit_seconds(name: str, shape: Shape) -> float:
    """About how long a learner of that registered name takes to fit and to predict a ninth as many rows."""
    return 5e-4 + (_SECONDS[name](shape) if name in _SECONDS else 1e-6 * shape.n * shape.p)


def fit_bytes(name: str, shape: Shape) -> float:
    """About how much memory a fit of it takes."""
    encoded = _FLOAT * shape.n * (shape.w if name in _ENCODED else shape.p)
    return _LEAST_BYTES + 3 * encoded + (_BYTES[name](shape) if name in _BYTES else 0.0)


def _forest(s: Shape) -> float:
    return 0.05 + 2e-3 * s.p + 1.1e-5 * s.n * s.p**0.5


def _cart(s: Shape) -> float:
    return 0.02 + 2e-4 * s.p + 1.4e-6 * s.n * s.p


def _boosting(s: Shape) -> float:
    """120 small trees, of several classes 120 each."""
    return (0.06 + 1e-3 * s.p + 4e-7 * s.n * s.p) * (s.k if s.k > 2 else 1)


def _network(s: Shape) -> float:
    return 0.02 + 4.8e-7 * s.n * s.w + 1.3e-6 * s.n


def _support(s: Shape) -> float:
    return 0.02 + 1.2e-9 * s.n**2 * s.w * max(1, s.k - 1)


def _newton(s: Shape) -> float:
    """Some steps, each with products of all columns and a solution of as many equations."""
    return 4e-3 + 5e-9 * s.n * s.w * min(s.w, 300) + 2e-10 * min(s.w, 300) ** 3 * s.k


def _scatters(groups: Callable[[Shape], int]) -> Callable[[Shape], float]:
    """Two columns for every one: the second says where a cell is missing."""
    return lambda s: 2e-3 + groups(s) * (1e-10 * s.n * s.w**2 + 3e-7 * s.w**2) + 4e-10 * min(s.n, s.w) ** 3


_SECONDS: dict[str, Callable[[Shape], float]] = {
    "zero_r": lambda _: 0.0,
    "zero_regressor": lambda _: 0.0,
    "one_r": lambda s: s.p * (4e-4 + 1.2e-7 * s.n),
    "naive_bayes": lambda s: s.p * (2e-5 + 5e-9 * s.n),
    # the information of each pair of columns, and gaps filled in a few rounds
    "belief_network_classifier": lambda s: 1e-3 + s.p * (1e-3 + 2e-6 * s.n) + s.p**2 * (1.2e-5 + 1e-9 * s.n),
    "c45": lambda s: 4e-3 + s.p * (1.2e-4 + 6e-7 * s.n),
    "model_tree": lambda s: 0.03 + s.p * (2e-4 + 2e-6 * s.n),
    "random_forest": _forest,
    "random_forest_regressor": _forest,
    "cart": _cart,
    "cart_regressor": _cart,
    "gradient_boosting": _boosting,
    "gradient_boosting_regressor": _boosting,
    "adaboost": lambda s: 0.03 + s.p * (2e-4 + 5e-7 * s.n),
    "k_neighbors": lambda s: 2e-3 + 1e-10 * s.n**2 * s.p,
    "k_neighbors_regressor": lambda s: 2e-3 + 1e-10 * s.n**2 * s.p,
    "logistic_regression": _newton,
    "linear_regression": lambda s: 2e-3 + 2e-10 * s.n * s.w**2 + 4e-10 * s.w**3,
    "linear_discriminant": _scatters(lambda _: 1),
    "quadratic_discriminant": _scatters(lambda s: 10 * s.k),  # the shrinkage is chosen in folds
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

_BYTES: dict[str, Callable[[Shape], float]] = {
    # the scatter of all columns with what tells their gaps, and what is made of it
    "linear_discriminant": lambda s: 4 * _FLOAT * s.w**2,
    "quadratic_discriminant": lambda s: (2 + 14 * s.k) * _FLOAT * s.w**2,
    "linear_regression": lambda s: 4 * _FLOAT * s.w**2,
    "logistic_regression": lambda s: 2 * _FLOAT * min(s.w, 1000) ** 2 * s.k,
    "svc": lambda s: _FLOAT * min(s.n, 1024) ** 2,
    "svr": lambda s: _FLOAT * min(s.n, 1024) ** 2,
}
