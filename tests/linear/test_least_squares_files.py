"""Least squares to a file and back, and what a hostile file is told."""

import numpy as np
import pytest

from openbook import open_model, save, scan
from openbook.errors import ModelFileError
from openbook.linear import LinearRegression, Polynomial, Radial, Sigmoid


def _against_all(scale):
    """Correlations of -2 between all columns, which no rows have."""
    return np.outer(scale, scale) * (3 * np.eye(len(scale)) - 2)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"l1": 1.0},
        {"basis": Polynomial(2)},
        {"basis": Radial(4), "l2": 0.1},
        {"basis": Sigmoid(3)},
        {"loss": "huber"},
    ],
)
def test_a_file_keeps_every_kind_of_model(options, tmp_path, mixed):
    X, y = mixed()
    model = LinearRegression(**options).fit(X, y)
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert np.array_equal(opened.predict(X), model.predict(X))
    assert opened.work().text() == model.work().text()
    assert repr(opened) == repr(model)


@pytest.mark.parametrize(
    ("name", "change", "message"),
    [
        ("gram.entries", lambda a: a * np.where(np.eye(len(a)) > 0, -1, 1), "no variance below zero"),
        ("gram.entries", lambda a: a + np.triu(np.full(a.shape, a.max())), "not valid"),
        ("gram.entries", lambda a: _against_all(np.sqrt(np.diag(a))), "not valid"),
        ("known", lambda a: a * 3, "weights of known cells"),
        ("mean", lambda a: a[:-1], "expected float64"),
        ("weight", lambda a: a * 0, "weight"),
        ("encoding.scale", lambda a: a * 0, "above zero"),
        ("centres", lambda a: a[:, :-1], "'centres' is .*of finite numbers"),
        ("centres", lambda a: a * np.nan, "'centres' is .*of finite numbers"),
        ("error_scale", lambda a: -1 - a, "at least 0"),
    ],
)  # fmt: skip
def test_a_hostile_file_is_refused(name, change, message, mixed):
    X, y = mixed()
    options = {"basis": Radial(3), "loss": "huber"} if "c" in name[:2] or name[0] == "e" else {}
    model = LinearRegression(**options).fit(X, y)
    saved = model._saved()
    arrays = {**saved.arrays, name: change(saved.arrays[name])}
    with pytest.raises(ValueError, match=message):
        LinearRegression(**options)._opened(saved._replace(arrays=arrays))


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"targets": []}, "list of names"),
        ({"targets": ["a", "b"]}, "cannot be one array"),
        ({"flat": 3}, "cannot"),
    ],
)
def test_hostile_facts_are_refused(facts, message, mixed):
    X, y = mixed()
    saved = LinearRegression().fit(X, y)._saved()
    with pytest.raises(ValueError, match=message):
        LinearRegression()._opened(saved._replace(facts={**saved.facts, **facts}))


def test_a_damaged_file_is_named(tmp_path, mixed):
    X, y = mixed()
    model = LinearRegression().fit(X, y)
    model.statistics_.mean[0] = np.inf
    with pytest.raises(ModelFileError, match=r"bad\.openbook is damaged"):
        open_model(save(model, tmp_path / "bad.openbook"))


def test_files_give_the_coefficients_of_memory(tmp_path, mixed):
    X, y = mixed(3000)
    X.to_polars().with_columns(y=y).write_parquet(tmp_path / "rows.parquet", row_group_size=700)
    source = scan(tmp_path / "rows.parquet", kinds={"size": X.schema["size"]}, chunk_rows=500)
    for options in ({}, {"l1": 2.0}, {"basis": Radial(5)}, {"loss": "huber"}):
        memory = LinearRegression(**options).fit(X, y)
        disk = LinearRegression(**options).fit(source, "y")
        assert len(disk.names_) == len(memory.names_)
        if "basis" not in options:
            own, other = (dict(zip(m.names_, m.coef_, strict=True)) for m in (memory, disk))
            for name in own.keys() & other.keys() - {n for n in own if n.startswith("sky =")}:
                assert other[name] == pytest.approx(own[name], rel=1e-8, abs=1e-8)
        assert disk.predict(X) == pytest.approx(memory.predict(X), rel=1e-8)
