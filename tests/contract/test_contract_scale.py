"""Every learner is the same on any number of workers and chunks, from a file, and in scikit-learn's tools."""

import joblib
import numpy as np
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, cross_val_predict, cross_val_score
from sklearn.pipeline import Pipeline

from openbook import open_model, save, scan
from openbook.data import Table
from openbook.ensemble.members import Ensemble


def test_any_number_of_workers_gives_the_same_bits(case, chunk_rows):
    # members learn in the workers' processes, which know nothing of the patch
    chunk_rows(37, learning=not isinstance(case.make(), Ensemble))
    alone = case.fitted()
    expected = case.answers(alone, case.X)
    backends = [("threading", 1), ("threading", 2), ("threading", 4), ("loky", 2)]
    for backend, workers in backends:
        with joblib.parallel_config(backend=backend, n_jobs=workers):
            model = case.fitted()
            assert (case.answers(model, case.X) == expected).all(), (backend, workers)
            assert (case.answers(alone, case.X) == expected).all(), (backend, workers)


@pytest.mark.parametrize("rows", [1, 7, 299])
def test_any_chunks_give_the_same_answers(case, chunk_rows, rows):
    expected = case.expected
    chunk_rows(rows)
    np.testing.assert_allclose(case.answers(case.fitted(), case.X), expected, rtol=1e-10, atol=1e-14)


def test_the_same_state_draws_the_same(classifier, chunk_rows):
    if "strategy" not in classifier.make().get_params():
        pytest.skip("draws nothing, or only while it learns")
    for strategy in ("uniform", "prior"):
        parameters = {"strategy": strategy, "random_state": 5}
        drawn = (
            classifier.make().set_params(**parameters).fit(classifier.X, classifier.y).predict(classifier.X)
        )
        chunk_rows(20)
        with joblib.parallel_config(backend="threading", n_jobs=4):
            again = classifier.make().set_params(**parameters).fit(classifier.X, classifier.y)
            assert (again.predict(classifier.X) == drawn).all()
        assert len(set(drawn)) == 2


def test_a_file_is_as_good_as_memory(case, tmp_path):
    parts = [case.table.take(slice(start, start + 100)).to_polars() for start in (0, 100, 200)]
    for i, part in enumerate(parts):
        part.write_parquet(tmp_path / f"{i}.parquet", row_group_size=40)
    pl.concat([part.cast(pl.String) for part in parts]).write_csv(tmp_path / "all.csv")
    for files in (f"{tmp_path}/*.parquet", tmp_path / "all.csv"):
        source = scan(files, case.ordinal, chunk_rows=50)
        model = case.make().fit(source, case.target)
        np.testing.assert_allclose(case.answers(model, case.X), case.expected, rtol=1e-10, atol=1e-14)
        np.testing.assert_allclose(case.answers(model, source), case.expected, rtol=1e-10, atol=1e-14)


def test_save_and_open(case, tmp_path):
    model = case.model
    opened = open_model(save(model, tmp_path / "model.openbook"))
    assert type(opened) is type(model)
    assert repr(opened) == repr(model)
    assert opened.schema_ == model.schema_
    assert opened.target_ == model.target_
    assert (case.answers(opened, case.X) == case.expected).all()
    assert (opened.predict(case.X) == model.predict(case.X)).all()
    assert opened.work(case.X.row(1)).text() == model.work(case.X.row(1)).text()
    assert opened.work().text() == model.work().text()
    assert opened.complexity() == model.complexity()


def test_an_opened_model_goes_on_learning(case, tmp_path):
    if not hasattr(case.make(), "partial_fit"):
        pytest.skip("does not learn in pieces")
    first, rest = slice(0, 200), slice(200, 300)
    model = case.make().fit(case.X.take(first), case.y[first])
    opened = open_model(save(model, tmp_path / "model.openbook"))
    for each in (model, opened):
        each.partial_fit(case.X.take(rest), case.y[rest])
    assert (case.answers(opened, case.X) == case.answers(model, case.X)).all()
    np.testing.assert_allclose(case.answers(opened, case.X), case.expected, rtol=1e-9, atol=1e-14)


def test_tables_go_through_scikit_learn(case):
    scores = cross_val_score(case.make(), case.X, case.y, cv=3)
    assert scores.shape == (3,)
    assert np.isfinite(scores).all()
    assert len(cross_val_predict(case.make(), case.X, case.y, cv=3)) == 300
    search = GridSearchCV(case.make(), {}, cv=3).fit(case.X, case.y)
    assert (case.answers(search, case.X) == case.expected).all()
    pipeline = Pipeline([("learner", case.make())]).fit(case.X, case.y)
    assert (case.answers(pipeline, case.X) == case.expected).all()


def test_a_clone_is_unfitted_and_equal(case):
    model = case.model
    twin = clone(model)
    assert not hasattr(twin, "schema_")
    assert repr(twin) == repr(model)
    assert (case.answers(twin.fit(case.X, case.y), case.X) == case.expected).all()


def test_cross_validation_judges_rows_that_were_not_learnt(case):
    """A model that had seen the held-out rows would repeat a target that only they show."""
    X = Table(case.X.schema, case.X.columns).head(30)
    folds = [(np.arange(20), np.arange(20, 30))]
    y = np.r_[np.zeros(20), np.ones(10)] if not case.classifies else np.array(["a", "b"] * 10 + ["c"] * 10)
    scores = cross_val_score(case.make(), X, y, cv=folds, scoring=None if case.classifies else "r2")
    assert scores[0] <= 0
