"""Every registered clusterer: scikit-learn's own checks, and the contract of openbook."""

import json
import pickle
from typing import Any

import joblib
import numpy as np
import pytest
from sklearn.base import clone
from sklearn.utils.estimator_checks import parametrize_with_checks

import openbook
from openbook import load, registry
from openbook.data import Numeric, Ordinal, Table
from openbook.errors import ParameterError, UnknownColumn

CLUSTERERS = {entry.name: entry for entry in registry.learners("clustering")}

#: Checks that a clusterer may fail, with the reason: {learner: {check: reason}}.
DENSE, SPARSE = (f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse"))
SHUFFLED = "the check shuffles the rows, and a seed draws other rows of another order"
NUMBERED = "the check shuffles the rows, and clusters are numbered by their first rows"
EXPECTED_FAILURES: dict[str, dict[str, str]] = {
    "k_means": {DENSE: SHUFFLED, SPARSE: SHUFFLED},
    "k_prototypes": {DENSE: SHUFFLED},
    "bisecting_k_means": {DENSE: SHUFFLED},
    "agglomerative": {DENSE: NUMBERED},
    "divisive": {DENSE: NUMBERED},
    "gaussian_mixture": {DENSE: SHUFFLED},
}


def make(entry: registry.Entry) -> Any:
    """A clusterer of few groups and of one mind, where it draws."""
    learner = entry.make()
    small = {"n_clusters": 3, "random_state": 0}
    own = learner.get_params(deep=False)
    return learner.set_params(**{name: value for name, value in small.items() if name in own})


@pytest.mark.filterwarnings("ignore")  # the checks feed rows that are all alike, and that is said
@parametrize_with_checks(
    [make(entry) for entry in CLUSTERERS.values() if Numeric in entry.cls._accepts],
    expected_failed_checks=lambda learner: EXPECTED_FAILURES.get(registry.name_of(learner), {}),
)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.fixture(params=CLUSTERERS.values(), ids=CLUSTERERS.keys())
def entry(request) -> registry.Entry:
    return request.param


def mixed_rows(learner: Any, rows: int = 200) -> Table:
    """Numbers, categories and gaps, as far as the clusterer takes them."""
    table = load("credit", rows=rows, random_state=2).drop("default")
    return table.select(a.name for a in table.schema if isinstance(a, learner._accepts))


#: Parameters by which the mixed rows make several groups, where the default makes one.
ON_MIXED_ROWS = {"dbscan": {"eps": 0.15}}


@pytest.fixture
def fitted(entry) -> tuple[Any, Table]:
    learner = make(entry).set_params(**ON_MIXED_ROWS.get(entry.name, {}))
    X = mixed_rows(learner)
    return learner.fit(X), X


def test_every_row_has_a_cluster(fitted):
    model, X = fitted
    assert model.labels_.shape == (len(X),)
    assert model.labels_.dtype == np.intp
    known = np.unique(model.labels_[model.labels_ >= 0])
    assert known.tolist() == list(range(len(known)))
    assert len(known) > 1


def test_rows_learnt_from_are_assigned_as_they_were(fitted):
    model, X = fitted
    np.testing.assert_array_equal(model.predict(X), model.labels_)
    np.testing.assert_array_equal(model.assign(X), model.labels_)
    np.testing.assert_array_equal(clone(model).fit_predict(X), model.labels_)


def test_the_answer_of_a_row_does_not_depend_on_the_others(fitted):
    model, X = fitted
    alone = [model.predict(X.take([i]))[0] for i in range(5)]
    assert alone == model.predict(X)[:5].tolist()


def test_gaps_and_new_categories_are_ordinary_input(fitted):
    model, X = fitted
    gaps = Table(
        X.schema,
        [
            np.full(2, np.nan) if isinstance(a, Numeric) else np.full(2, -1, X.data(a.name).dtype)
            for a in X.schema
        ],
    )
    assert model.predict(gaps).shape == (2,)
    rows = X.to_pandas().head(2)
    for name in X.schema.names:
        if not isinstance(X.schema[name], Numeric):
            rows[name] = rows[name].astype(object)
            rows.loc[0, name] = "never seen"
    assert model.predict(rows).shape == (2,)


def test_workers_and_chunks_change_nothing(entry, tmp_path):
    learner = make(entry)
    X = mixed_rows(learner)
    alone = learner.fit(X).labels_
    with joblib.parallel_config(backend="threading", n_jobs=2):
        np.testing.assert_array_equal(make(entry).fit(X).labels_, alone)
    X.to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=64)
    ordinal = {a.name: a for a in X.schema if isinstance(a, Ordinal)}
    scan = openbook.scan(tmp_path / "rows.parquet", ordinal, chunk_rows=64)
    assert len(scan.pieces) > 1
    model = make(entry).fit(scan)
    np.testing.assert_array_equal(model.predict(scan), model.labels_)
    assert np.mean(model.labels_ == alone) > 0.95  # to rounding


def test_a_saved_model_says_the_same(fitted, tmp_path):
    model, X = fitted
    again = openbook.open_model(openbook.save(model, tmp_path / "model.openbook"))
    np.testing.assert_array_equal(again.predict(X), model.predict(X))
    assert again.get_params().keys() == model.get_params().keys()
    assert str(again.work(X.row(0))) == str(model.work(X.row(0)))
    assert str(again.work()) == str(model.work())


def test_a_damaged_file_is_refused(fitted, tmp_path):
    model, _ = fitted
    arrays = model._saved().arrays
    for name, array in arrays.items():
        for spoiled in ({k: v for k, v in arrays.items() if k != name}, arrays | {name: array[..., None]}):
            with pytest.raises((ValueError, KeyError, IndexError)):
                clone(model)._opened(model._saved()._replace(arrays=spoiled))


def test_it_shows_its_work(fitted):
    model, X = fitted
    for work in (model.work(), model.work(X.row(1))):
        assert len(work.text()) > 100
        assert "<math" in work.html() or "<table" in work.html()
        assert work.latex()
        assert json.dumps(work.json())


def test_predicting_changes_nothing(fitted):
    model, X = fitted
    before = pickle.loads(pickle.dumps(model))
    model.predict(X)
    model.work()
    for name, array in before._saved().arrays.items():
        np.testing.assert_array_equal(model._saved().arrays[name], array)
    np.testing.assert_array_equal(model.labels_, before.labels_)


def test_a_column_that_is_not_there_is_named(fitted):
    model, _ = fitted
    with pytest.raises(UnknownColumn, match="nowhere"):
        model.work({"nowhere": 1})


def test_too_few_rows_are_refused(entry):
    learner = make(entry)
    if "n_clusters" not in learner.get_params():
        pytest.skip("finds the number of clusters by itself")
    with pytest.raises(ParameterError, match="n_clusters = 3, but there are only 2 rows"):
        learner.fit(mixed_rows(learner).head(2))
