"""What is refused before anything is learnt from it."""

import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array

from openbook.border.rows import refuse_infinity
from openbook.data import read
from openbook.errors import DataError


def frame(x):
    """The same cells in columns of their own."""
    return pl.DataFrame({f"x{j}": column.copy() for j, column in enumerate(x.T)})


@pytest.mark.parametrize("kept_as", [np.asarray, csr_array, frame])
def test_an_infinite_number_is_found_wherever_it_is(kept_as):
    x = np.ones((10_000, 3))
    x[0, 0] = np.nan  # which is only missing
    refuse_infinity(read(kept_as(x)))
    x[9_000, 1] = -np.inf
    with pytest.raises(DataError, match=r"column 'x1' holds infinity \(the first in row 9000\)"):
        refuse_infinity(read(kept_as(x)))
