"""Altered model files: their errors are one line that names the file.

Reading a file checks what it can. Damage that shows only in use, such as in a derivation of impossible
figures, is also reported as an error of the file, as long as the model is unchanged since it was read.
"""

import struct
import tokenize
import zipfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.errors import ModelFileError, OpenbookError
from openbook.words.sentences import printable

#: The most letters of an error that a refusal repeats.
_MOST_WHY = 200

#: What figures that no model has can raise while they are used.
_IN_USE = (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, AssertionError, RuntimeError)

#: What a file that is not as it should be can raise while it is taken apart.
DAMAGE = (
    *_IN_USE,  # also too deep, encrypted, or a method of compression that is not there
    zipfile.BadZipFile,
    zlib.error,
    struct.error,
    tokenize.TokenError,
    SyntaxError,
    EOFError,
    MemoryError,
    OSError,
    OpenbookError,
)


def damaged(name: str, error: BaseException) -> ModelFileError:
    """The refusal, in one line."""
    why = " ".join(printable(f"{type(error).__name__}: {error}").split())[:_MOST_WHY]
    return ModelFileError(f"{name} is damaged or not a model file ({why}); save it again")


@contextmanager
def blamed_on_its_file(model: Any) -> Iterator[None]:
    """Whatever a model of a file raises, but for errors of ours, means that the file was altered."""
    try:
        yield
    except OpenbookError:
        raise
    except _IN_USE as error:
        if (name := getattr(model, "_file", None)) is None:
            raise
        raise damaged(name, error) from error


def checked_array(
    arrays: Mapping[str, npt.NDArray[Any]],
    name: str,
    dtype: Any,
    shape: tuple[int, ...],
    *,
    finite: bool = True,
) -> npt.NDArray[Any]:
    """An array of a model file, if it is what it should be; else ValueError.

    >>> checked_array({"means": np.zeros(3)}, "means", float, (2,))
    Traceback (most recent call last):
    ValueError: array 'means' is not valid: float64(3,), expected float64(2,) of finite numbers
    """
    array = arrays[name]
    if array.dtype != np.dtype(dtype) or array.shape != shape or (finite and not np.isfinite(array).all()):
        expected = f"{np.dtype(dtype)}{shape}{' of finite numbers' if finite else ''}"
        raise ValueError(f"array {name!r} is not valid: {array.dtype}{array.shape}, expected {expected}")
    return array


def checked_floats(
    arrays: Mapping[str, npt.NDArray[Any]], **shapes: tuple[int, ...]
) -> list[npt.NDArray[Any]]:
    """Arrays of finite numbers of a model file, each of its shape, in this order; else ValueError.

    >>> checked_floats({"mean": np.zeros(2), "scale": np.ones(2)}, mean=(2,), scale=(2,))
    [array([0., 0.]), array([1., 1.])]
    """
    return [checked_array(arrays, name, float, shape) for name, shape in shapes.items()]


def require(sound: Any, why: str) -> None:
    """Refuse figures of a model file that no model has: ValueError unless it is sound, or all of an array is.

    >>> require(np.array([2.0, 0.0]) > 0, "a scale must lie above 0")
    Traceback (most recent call last):
    ValueError: a scale must lie above 0
    """
    if not np.all(sound):
        raise ValueError(why)


def placed_under(prefix: str, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """The arrays with this before their names, as `under` finds them.

    >>> list(placed_under("rows.", {"codes": np.zeros(1)}))
    ['rows.codes']
    """
    return {f"{prefix}{name}": array for name, array in arrays.items()}


def under(prefix: str, arrays: Mapping[str, npt.NDArray[Any]]) -> dict[str, npt.NDArray[Any]]:
    """The arrays whose names begin so, without it.

    >>> list(under("rows.", {"rows.codes": np.zeros(1), "labels": np.zeros(1)}))
    ['codes']
    """
    return {name.removeprefix(prefix): array for name, array in arrays.items() if name.startswith(prefix)}
