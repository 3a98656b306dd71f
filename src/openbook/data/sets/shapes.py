"""The textbook's shapes: classes that lie as a ring, moons, XOR, blobs or spirals; and noisy curves.

    ring          a disc of radius 1 inside a ring of radius 2
    moons         two half circles that reach into each other
    xor           the square from -1 to 1 in four quadrants, opposite ones alike
    blobs         three normal clouds around (0, 0), (4, 0) and (2, 3.5)
    spirals       two arms of one and a half turns
    polynomial    y = T(x), the Chebyshev polynomial of a degree, x uniform from -1 to 1

`noise` is the standard deviation of what is added to both inputs, or to y. Classes have equal shares.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Nominal, Numeric
from openbook.data.schema import Schema
from openbook.data.table import Table
from openbook.errors import ParameterError

Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.intp]
#: From the random generator, the class of each row and a uniform number from 0 to 1, the two inputs.
Shape = Callable[[np.random.Generator, Codes, Floats], tuple[Floats, Floats]]


def drawing(
    who: str, rows: int, random_state: int, noise: float = 0.0, degree: int = 0
) -> np.random.Generator:
    """What draws a set, once its options are checked."""
    for name, value, least in (("rows", rows, 1), ("random_state", random_state, 0), ("degree", degree, 0)):
        if isinstance(value, bool) or not isinstance(value, int | np.integer) or value < least:
            raise ParameterError(f"{who}: {name} must be a whole number of at least {least}, got {value!r}")
    if not noise >= 0:
        raise ParameterError(f"{who}: noise must be at least 0, got {noise!r}")
    return np.random.default_rng(random_state)


def _ring(rng: np.random.Generator, c: Codes, t: Floats) -> tuple[Floats, Floats]:
    radius = np.where(c == 0, np.sqrt(rng.random(len(c))), 2.0)
    return radius * np.cos(2 * np.pi * t), radius * np.sin(2 * np.pi * t)


def _moons(rng: np.random.Generator, c: Codes, t: Floats) -> tuple[Floats, Floats]:  # noqa: ARG001
    upper = c == 0
    x = np.where(upper, np.cos(np.pi * t), 1 - np.cos(np.pi * t))
    return x, np.where(upper, np.sin(np.pi * t), 0.5 - np.sin(np.pi * t))


def _xor(rng: np.random.Generator, c: Codes, t: Floats) -> tuple[Floats, Floats]:
    side = np.where(rng.random(len(c)) < 0.5, 1.0, -1.0)
    return side * t, np.where(c == 0, side, -side) * rng.random(len(c))


def _blobs(rng: np.random.Generator, c: Codes, t: Floats) -> tuple[Floats, Floats]:  # noqa: ARG001
    return np.array([0.0, 4.0, 2.0])[c], np.array([0.0, 0.0, 3.5])[c]


def _spirals(rng: np.random.Generator, c: Codes, t: Floats) -> tuple[Floats, Floats]:  # noqa: ARG001
    radius, angle = 0.2 + 2 * np.sqrt(t), 3 * np.pi * np.sqrt(t) + np.pi * c
    return radius * np.cos(angle), radius * np.sin(angle)


def _shape(name: str, classes: tuple[str, ...], usual: float, inputs: Shape) -> Callable[..., Table]:
    """A function that draws a shape."""

    def make(rows: int = 200, noise: float = usual, random_state: int = 0) -> Table:
        rng = drawing(name, rows, random_state, noise)
        label = Nominal("class", classes)
        codes = np.arange(rows) % len(classes)
        x = np.array(inputs(rng, codes, rng.random(rows))) + noise * rng.normal(size=(2, rows))
        schema = Schema((Numeric("x1"), Numeric("x2"), label))
        return Table(
            schema, [x[0], x[1], codes.astype(label.dtype)], why=dict.fromkeys(schema.names, "drawn")
        )

    return make


def polynomial(rows: int = 100, noise: float = 0.3, random_state: int = 0, degree: int = 3) -> Table:
    """A noisy curve: the Chebyshev polynomial of a degree."""
    rng = drawing("polynomial", rows, random_state, noise, degree)
    x = rng.uniform(-1, 1, rows)
    y = np.cos(degree * np.arccos(x)) + noise * rng.normal(size=rows)
    return Table(Schema((Numeric("x"), Numeric("y"))), [x, y], why={"x": "drawn", "y": "drawn"})


SHAPES: dict[str, Callable[..., Table]] = {
    "ring": _shape("ring", ("inside", "around"), 0.2, _ring),
    "moons": _shape("moons", ("upper", "lower"), 0.2, _moons),
    "xor": _shape("xor", ("same", "opposite"), 0.1, _xor),
    "blobs": _shape("blobs", ("a", "b", "c"), 1.0, _blobs),
    "spirals": _shape("spirals", ("first", "second"), 0.1, _spirals),
}
