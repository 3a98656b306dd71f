r"""Functions of numbers, to straighten what is skewed: log, square root, arctangent; and thresholds.

    log x        for positive numbers          log1p    log(1 + x), for numbers above -1
    sqrt x       for numbers from 0 on         cbrt     the cube root, for any number
    arctan x     any number to (-π/2, π/2)     square   x²          reciprocal    1 / x, but for 0

The functions learn nothing, but training refuses a number that has no image, by name and row: a log of 0 is a
decision that someone must take. In later rows such a number becomes missing.

x : float64 (n, n_columns), NaN where missing
"""

from collections.abc import Callable
from typing import Annotated, Any, NamedTuple

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rules import Number, OneOf
from openbook.errors import RefusalError
from openbook.prepare.transformer import Floats, TrainingTable, Transformer
from openbook.words.numbers import figure


class _Function(NamedTuple):
    """A function of one number: its image and back, its formula with x put in, and what else to try."""

    forward: Callable[[Any], Any]
    backward: Callable[[Any], Any] | None
    formula: str
    instead: str = ""


def _or_missing(inside: Callable[[Any], Any], function: Callable[[Any], Any]) -> Callable[[Any], Any]:
    """The function where it has an image, NaN elsewhere."""
    return lambda x: function(np.where(inside(x), x, np.nan))


FUNCTIONS = {
    "log": _Function(
        _or_missing(lambda x: x > 0, np.log), np.exp, r"\ln ({x})", '"log1p {name}", the log of 1 + x'
    ),
    "log1p": _Function(
        _or_missing(lambda x: x > -1, np.log1p), np.expm1, r"\ln (1 + {x})", '"power {name}", Yeo-Johnson'
    ),
    "sqrt": _Function(
        _or_missing(lambda x: x >= 0, np.sqrt), np.square, r"\sqrt{{{x}}}", '"cbrt {name}", the cube root'
    ),
    "cbrt": _Function(np.cbrt, lambda z: z**3, r"({x})^{{1/3}}"),
    "arctan": _Function(np.arctan, np.tan, r"\arctan ({x})"),
    "square": _Function(np.square, None, r"{x}^2"),
    "reciprocal": _Function(
        _or_missing(lambda x: x != 0, lambda x: 1 / x),
        lambda z: 1 / z,
        r"\frac{{1}}{{{x}}}",
        "another function",
    ),
}


class _Named(OneOf):
    """One of a few words, or NumPy's function of that name, which a model file holds by the word."""

    def allows(self, value: Any) -> bool:
        return super().allows(_word_of(value))

    def to_json(self, value: Any) -> Any:
        return _word_of(value)


def _word_of(func: Any) -> Any:
    return func.__name__ if isinstance(func, np.ufunc) else func


class FunctionTransformer(Declared, Transformer):
    """A function of each number: its logarithm, square root, arctangent, …

    The name is scikit-learn's. The function is one of a few words, so that a model file can hold it, or
    NumPy's function of that name.

    Parameters
    ----------
    func : {"log", "log1p", "sqrt", "cbrt", "arctan", "square", "reciprocal"} or ufunc, default="arctan"
        The function; `np.log` is "log". Training refuses numbers that have no image; in later rows they
        become missing.
    columns : list of str or None, default=None

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> table = read([{"income": 1.0}, {"income": 100.0}, {"income": None}])
    >>> FunctionTransformer("log").fit_transform(table)["income"].tolist()
    [0.0, 4.605170185988092, nan]
    """

    func: Annotated[Any, _Named(*FUNCTIONS)] = "arctan"
    columns: list[str] | None = None

    @property
    def _word(self) -> str:
        return _word_of(self.func)  # type: ignore[no-any-return]

    def _learn(self, rows: TrainingTable) -> None:
        numbers = self._numbers(rows.X)
        lost = ~np.isnan(numbers) & np.isnan(self._forward(numbers))
        if lost.any():
            row, j = np.argwhere(lost)[0]
            name = self._chosen[j]
            instead = FUNCTIONS[self._word].instead.format(name=name)
            raise RefusalError(
                f"{self._word} has no value for {figure(float(numbers[row, j]))}, which row {row} of column"
                f" {name!r} holds; try {instead}"
            )

    def _forward(self, x: Floats) -> Floats:
        with np.errstate(divide="ignore"):
            return FUNCTIONS[self._word].forward(x)

    @property
    def _backward(self) -> Any:  # type: ignore[override]
        return FUNCTIONS[self._word].backward

    def _rule(self) -> Any:
        return FUNCTIONS[self._word].formula.format(x="x"), (), np.zeros((len(self._chosen), 0))

    def _substituted(self, j: int, x: str) -> str:  # noqa: ARG002 (the same for all columns)
        return FUNCTIONS[self._word].formula.format(x=x)


class Binarizer(Declared, Transformer):
    """Numbers above a threshold become 1, all others 0.

    The name and the parameter are scikit-learn's. Missing cells stay missing.

    Parameters
    ----------
    threshold : float, default=0.0
        Numbers above it become 1, others 0.
    columns : list of str or None, default=None

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> Binarizer(threshold=18).fit_transform(read({"age": [17, 18, 19]}))["age"].tolist()
    [0.0, 0.0, 1.0]
    """

    threshold: Annotated[float, Number()] = 0.0
    columns: list[str] | None = None

    def _learn(self, rows: TrainingTable) -> None:
        """Nothing: the threshold is given."""

    def _forward(self, x: Floats) -> Floats:
        return np.where(np.isnan(x), np.nan, x > self.threshold)

    def _rule(self) -> Any:
        return r"[x > t]", ("t",), np.full((len(self._chosen), 1), float(self.threshold))

    def _substituted(self, j: int, x: str) -> str:  # noqa: ARG002 (the same for all columns)
        return f"[{x} > {figure(self.threshold)}]"
