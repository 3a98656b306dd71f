"""A direction and its opposite are one: which of the two is shown."""

import numpy as np

__all__ = ["signed"]


def signed(vector: np.ndarray) -> np.ndarray:
    """The vector or its opposite: the entry of the largest size is above zero, the first of equals.

    >>> signed(np.array([0.6, -0.8])).tolist()
    [-0.6, 0.8]
    """
    sizes = np.abs(vector)
    return -vector if vector[np.argmax(sizes >= (1 - 1e-9) * sizes.max())] < 0 else vector
