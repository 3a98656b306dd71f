"""Every registered projection and density: scikit-learn's own checks, and the contract of openbook."""

import json
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import openbook
import openbook.border.rows
from openbook import load, registry
from openbook.data import Numeric, Ordinal, Table
from openbook.errors import DataError, ParameterError, UnknownColumn

ENTRIES = {entry.name: entry for entry in registry.learners("projection", "density")}
TABLE = load("credit", rows=200, random_state=2)
TARGET = "default"

#: Checks that a projection may fail, with the reason: {learner: {check: reason}}.
DENSE = "check_sample_weight_equivalence_on_dense_data"
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "discriminant_projection": {
        DENSE: "the check's classes vary in few directions; in the others the floor makes all criteria equal,"
        " and any turn of the directions is as good",
    },
}


def make(entry: registry.Entry) -> Any:
    """One of one mind and few rounds, where it draws or trains."""
    learner = entry.make()
    own = learner.get_params(deep=False)
    small = {"random_state": 0, "max_iter": 5, "bins": 3}
    return learner.set_params(**{name: value for name, value in small.items() if name in own})


@pytest.mark.filterwarnings("ignore")  # the checks feed columns that do not vary, and say so
@parametrize_with_checks(
    [make(entry) for entry in ENTRIES.values()],
    expected_failed_checks=lambda learner: EXPECTED_FAILURES.get(registry.name_of(learner), {}),
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.fixture(params=ENTRIES.values(), ids=ENTRIES.keys())
def entry(request) -> registry.Entry:
    return request.param


def answers(model: Any, X: Any) -> np.ndarray:
    return model.transform(X) if hasattr(model, "transform") else model.score_samples(X)


X = TABLE.drop(TARGET)


@pytest.fixture
def fitted(entry) -> Any:
    return make(entry).fit(X, TABLE.column(TARGET))


def test_a_row_has_a_place_whatever_the_others(fitted):
    whole = answers(fitted, X)
    assert len(whole) == len(X)
    assert whole.dtype == np.float64
    np.testing.assert_allclose(answers(fitted, X.take([3, 4])), whole[3:5], rtol=1e-9, atol=1e-12)


def test_gaps_and_new_categories_are_ordinary_input(fitted):
    nothing = dict.fromkeys(X.names)
    new = {a.name: 1.0 if isinstance(a, Numeric) else "never seen" for a in X.schema}
    for row in (nothing, new):
        table = openbook.read([row, X.row(0)])
        assert len(answers(fitted, table)) == 2


def test_workers_and_chunks_change_nothing(entry, tmp_path, monkeypatch):
    y = TABLE.column(TARGET)
    expected = answers(make(entry).fit(X, y), X)
    TABLE.to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=64)
    ordinal = {a.name: a for a in X.schema if isinstance(a, Ordinal)}
    if not hasattr(make(entry), "hidden_layer_sizes"):  # a network shuffles rows within chunks
        names = [*X.names, TARGET] if entry.name == "discriminant_projection" else list(X.names)
        TABLE.select(names).to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=64)
        scan = openbook.scan(tmp_path / "rows.parquet", ordinal, chunk_rows=64)
        np.testing.assert_allclose(answers(make(entry).fit(scan, TARGET), X), expected, rtol=1e-7, atol=1e-9)
    monkeypatch.setattr(openbook.border.rows, "CHUNK_ROWS", 41)
    alone = answers(make(entry).fit(X, y), X)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        np.testing.assert_array_equal(answers(make(entry).fit(X, y), X), alone)


def test_a_saved_model_says_the_same(fitted, tmp_path):
    again = openbook.open_model(openbook.save(fitted, tmp_path / "model.openbook"))
    np.testing.assert_array_equal(answers(again, X), answers(fitted, X))
    assert again.get_params().keys() == fitted.get_params().keys()
    assert str(again.work(X.row(0))) == str(fitted.work(X.row(0)))


def test_a_damaged_file_is_refused(fitted):
    saved = fitted._saved()
    for name, array in saved.arrays.items():
        with pytest.raises((ValueError, KeyError, IndexError)):
            clone(fitted)._opened(saved._replace(arrays={**saved.arrays, name: array[..., None]}))


def test_it_shows_its_work(fitted):
    for work in (fitted.work(), fitted.work(X.row(1)), fitted.work({})):
        assert len(work.text()) > 100
        assert work.html()
        assert work.latex()
        assert json.dumps(work.json(), allow_nan=False)


def test_errors_name_the_culprit(entry, fitted):
    with pytest.raises(UnknownColumn, match="nowhere"):
        fitted.work({"nowhere": 1})
    words = openbook.read([{"words": "?!"} for i in range(9)], kinds={"words": "text"})
    with pytest.raises(
        DataError, match=r"column 'words' (holds no words|has no word that several texts share)"
    ):
        make(entry).fit(words, [0, 1, 0] * 3)


def test_rules_are_kept(entry):
    for name, rule in entry.cls._rules.items():
        if name in make(entry).get_params() and not rule.allows("nonsense"):
            with pytest.raises(ParameterError, match=f"{name} must be"):
                make(entry).set_params(**{name: "nonsense"}).fit(X, TABLE.column(TARGET))


@pytest.mark.parametrize(
    "name", [n for n, entry in ENTRIES.items() if hasattr(entry.cls, "inverse_transform")]
)
def test_what_comes_back_is_a_table_of_its_columns(name):
    model = make(ENTRIES[name]).fit(X, TABLE.column(TARGET))
    back = model.inverse_transform(model.transform(X))
    assert isinstance(back, Table)
    assert back.schema == model.schema_
    assert len(back) == len(X)
