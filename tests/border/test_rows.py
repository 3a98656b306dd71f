"""What is refused before anything is learnt from it, and what stays in memory between passes."""

import joblib
import numpy as np
import polars as pl
import pytest
from scipy.sparse import csr_array

from openbook.border import rows as border_rows
from openbook.border.rows import Chunk, FileChunk, Rows, refuse_infinity
from openbook.cluster import GaussianMixture
from openbook.data import read, scan
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


@pytest.fixture
def numbers(tmp_path):
    """A file of 300 rows that is read in three chunks."""
    path = tmp_path / "numbers.csv"
    x = np.random.default_rng(0).normal(size=(300, 2)) + 5 * (np.arange(300) % 2)[:, None]
    frame(x).write_csv(path)
    return scan(path, chunk_rows=100)


def test_rows_of_files_are_held_where_they_fit_and_workers_see_them(numbers, monkeypatch):
    rows = Rows(numbers.schema, [FileChunk(piece, numbers.schema) for piece in numbers.pieces])
    held = rows.held()
    assert [type(piece) for piece in held.pieces] == [Chunk] * 3
    assert held.sizes() == rows.sizes() == [100] * 3
    with joblib.parallel_config(backend="loky"):
        assert rows.held() is rows
    monkeypatch.setattr(border_rows, "HELD_BYTES", 300 * 2 * 8 - 1)
    assert rows.held() is rows


def test_a_mixture_is_the_same_whether_its_rows_are_held_or_read_again(numbers, monkeypatch):
    held = GaussianMixture(2, random_state=0).fit(numbers)
    monkeypatch.setattr(border_rows, "HELD_BYTES", 0)
    read_again = GaussianMixture(2, random_state=0).fit(numbers)
    np.testing.assert_array_equal(held.means_, read_again.means_)
    np.testing.assert_array_equal(held.labels_, read_again.labels_)
