"""What projections share: which of two opposite directions is shown, and scores that come back."""

import numpy as np

from openbook.errors import DataError

__all__ = ["checked_scores", "with_fixed_signs"]


def with_fixed_signs(vector: np.ndarray) -> np.ndarray:
    """The vector or its opposite: the entry of the largest size is above zero, the first of equals.

    >>> with_fixed_signs(np.array([0.6, -0.8])).tolist()
    [-0.6, 0.8]
    """
    sizes = np.abs(vector)
    return -vector if vector[np.argmax(sizes >= (1 - 1e-9) * sizes.max())] < 0 else vector


def checked_scores(scores, n_components: int) -> np.ndarray:
    """Scores as an array, (n_rows, n_components); an error where they are of another shape."""
    scores = np.asarray(scores, dtype=float)
    if scores.ndim != 2 or scores.shape[1] != n_components:
        msg = f"scores have {n_components} columns, and this array has shape {scores.shape}"
        raise DataError(msg)
    return scores
