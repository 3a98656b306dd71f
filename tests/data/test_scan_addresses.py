"""Files in object storage: addresses that fsspec knows, here those of its file system in memory."""

import builtins

import numpy as np
import pytest

from openbook import load, read, scan
from openbook.bayes import NaiveBayes
from openbook.errors import DataError

fsspec = pytest.importorskip("fsspec")


@pytest.fixture
def stored():
    """Loans in two CSV files of a file system that no path leads to."""
    system, table = fsspec.filesystem("memory"), load("credit", rows=300, random_state=2)
    for i in range(2):
        part = table.take(slice(150 * i, 150 * (i + 1)))
        system.pipe(f"/loans/part-{i}.csv", part.to_polars().write_csv().encode())
    yield system, table
    system.rm("/loans", recursive=True)


def test_a_scan_of_addresses_is_the_table(stored, tmp_path):
    _, table = stored
    table.to_polars().write_csv(tmp_path / "all.csv")
    there, here = (
        scan("memory://loans/part-*.csv", chunk_rows=100),
        scan(tmp_path / "all.csv", chunk_rows=100),
    )
    assert there.schema == here.schema
    assert [piece.rows for piece in there.pieces] == [100, 50, 100, 50]
    for name in there.names:
        np.testing.assert_array_equal(there.read().data(name), here.read().data(name), err_msg=name)
        np.testing.assert_array_equal(read("memory://loans/part-*.csv").data(name), there.read().data(name))
    one, other = (NaiveBayes().fit(source, "default") for source in (there, here))
    assert one.predict_proba(there) == pytest.approx(other.predict_proba(here), abs=1e-12)


def test_a_folder_at_an_address_is_its_tables(stored):
    system, _ = stored
    system.pipe("/loans/about.md", b"Loans, in two parts.")
    whole = scan("memory://loans/part-*.csv").read()
    for address in ("memory://loans", "memory://loans/"):
        assert scan(address).read().column("age").tolist() == whole.column("age").tolist()
        assert len(read(address)) == 300


def test_a_list_of_addresses_keeps_its_order(stored):
    backwards = scan([f"memory://loans/part-{i}.csv" for i in (1, 0)])
    assert backwards.head(1).row(0) == scan("memory://loans/part-1.csv").head(1).row(0)
    assert len(backwards) == 300


def test_a_file_that_changed_is_refused(stored):
    system, _ = stored
    source = scan("memory://loans/part-0.csv")
    system.pipe("/loans/part-0.csv", b"a,b\n1,2\n")
    with pytest.raises(DataError, match=r"memory://.*part-0\.csv has changed since it was scanned"):
        source.read()


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("memory://nowhere/part-*.csv", "there is no file at memory://nowhere"),
        ("memory://nowhere/part-0.csv", "there is no file at memory://nowhere"),
        ("nosuch://nowhere/part-0.csv", "nosuch://nowhere/part-0.csv cannot be opened"),
        (["memory://loans/part-0.csv", "here.csv"], "not both at once"),
    ],
)
@pytest.mark.usefixtures("stored")
def test_what_cannot_be_found_is_named(source, message):
    with pytest.raises(DataError, match=message):
        scan(source)


def test_without_fsspec_the_extra_is_named(monkeypatch):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name.startswith("fsspec"):
            raise ImportError("No module named 'fsspec'", name="fsspec")
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(DataError, match=r"s3://bucket/x\.csv .* pip install 'openbook\[cluster\]'"):
        scan("s3://bucket/x.csv")
