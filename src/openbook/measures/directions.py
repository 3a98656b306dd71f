r"""Leading eigenvectors of a matrix, their signs, and the check of scores that are transformed back.

    leading     v_c with X'X v_c = σ_c² v_c, σ_1 >= σ_2 >= …, by subspace iteration: Q ← L, where L U = X'X Q,
                from a random Q of a few columns more than are asked for; then Q z with Q'X'XQ z = σ² Q'Q z

L spans what X'X Q does and keeps its columns apart, in less time than an orthogonal basis takes.

X'X is known by its products alone, so X may be sparse, and lie wherever it can be passed over (Halko,
Martinsson and Tropp 2011, Finding structure with randomness).
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from scipy.linalg import eigh, lu

from openbook.errors import DataError

Floats = npt.NDArray[np.float64]


def leading_directions(
    times: Callable[[Floats], Floats], start: Floats, n_components: int, n_iter: int
) -> tuple[Floats, Floats]:
    """The largest eigenvalues σ² of a matrix, (n_components,), and their eigenvectors, (n_components, d).

    Parameters
    ----------
    times : the matrix times vectors, (d, l)
    start : float64 (d, l), vectors to start from
    n_iter : how often they are multiplied before the eigenvectors are found among them

    Examples
    --------
    >>> matrix = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> values, vectors = leading_directions(matrix.__matmul__, np.eye(2), 1, 0)
    >>> values.round(6).tolist(), vectors.round(3).tolist()
    ([3.0], [[0.707, 0.707]])
    """
    whole = start.shape[1] == len(start)  # of all directions, none is missed
    some = np.linalg.qr(start)[0] if whole else start
    for _ in range(0 if whole else n_iter):
        some = lu(times(some), permute_l=True, overwrite_a=True, check_finite=False)[0]
    small = some.T @ times(some)
    values, turned = eigh((small + small.T) / 2, some.T @ some)
    order = np.argsort(-values, kind="stable")[:n_components]
    vectors = (some @ turned[:, order]).T
    return np.maximum(values[order], 0.0), np.array([with_fixed_signs(vector) for vector in vectors])


def with_fixed_signs(vector: Floats) -> Floats:
    """The vector or its opposite, so that the entry of largest absolute value is positive; ties: the first.

    >>> with_fixed_signs(np.array([0.6, -0.8])).tolist()
    [-0.6, 0.8]
    """
    sizes = np.abs(vector)
    return -vector if vector[np.argmax(sizes >= (1 - 1e-9) * sizes.max())] < 0 else vector


def checked_scores(scores: npt.ArrayLike, n_components: int) -> Floats:
    """Scores as an array, (n_rows, n_components); an error where they are of another shape."""
    found = np.asarray(scores, dtype=float)
    if found.ndim != 2 or found.shape[1] != n_components:
        raise DataError(f"scores have {n_components} columns, and this array has shape {found.shape}")
    return found
