"""Every registered transformer of columns: scikit-learn's own checks, and the contract of openbook."""

import json
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline
from sklearn.utils.estimator_checks import parametrize_with_checks

import openbook
import openbook.border.rows
from openbook import load, registry
from openbook.bayes import NaiveBayes
from openbook.border.rules import Anything
from openbook.data import Numeric, Table
from openbook.errors import DataError, ParameterError, UnknownColumn
from openbook.prepare import DateParts, Prepared
from openbook.prepare.transformer import RowChange, Transformer

ENTRIES = {entry.name: entry for entry in registry.learners("preparation")}
X, y = load("credit", rows=200, random_state=2).split("default")
OTHERS = [a.name for a in X.schema if not isinstance(a, Numeric)]
NUMBERS = X.schema.of(Numeric)


@pytest.mark.filterwarnings("ignore:.*Pipeline cannot change the number of training rows")
@parametrize_with_checks([entry.make() for entry in ENTRIES.values()])
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.fixture(params=ENTRIES.values(), ids=ENTRIES.keys())
def fitted(request) -> Any:
    return request.param.make().fit(X, y)


#: Steps that change numbers and keep their columns; dates, of which there are none here, add some.
NUMBERS_ONLY = {
    name: entry for name, entry in ENTRIES.items() if issubclass(entry.cls, Transformer | DateParts)
}


@pytest.fixture(params=NUMBERS_ONLY.values(), ids=NUMBERS_ONLY.keys())
def of_numbers(request) -> Any:
    return request.param.make().fit(X, y)


def cells(table):
    """All cells, for comparison: numbers and codes."""
    return np.column_stack([np.asarray(table.data(name), dtype=float) for name in table.names])


def test_a_table_gives_a_table_whose_other_columns_pass_through(of_numbers):
    out = of_numbers.transform(X)
    assert isinstance(out, Table)
    assert out.names == X.names
    for name in OTHERS:
        assert out.schema[name] == X.schema[name]
        assert out[name].tolist() == X[name].tolist()
    for name in NUMBERS:
        np.testing.assert_array_equal(out[name].missing, X[name].missing)


def test_rows_come_out_in_the_form_in_which_they_came(fitted):
    table = fitted.transform(X)
    assert isinstance(table, Table)
    assert len(table) == len(X)
    assert table.names == tuple(fitted.get_feature_names_out())
    numbers = list(table.schema.of(Numeric))
    expected = table.block(numbers) if numbers else np.zeros((len(X), 0))
    frame = X.to_pandas().set_index(pd.Index(range(7, 207)))
    out = fitted.transform(frame)
    assert isinstance(out, pd.DataFrame)
    assert out.index.equals(frame.index)
    np.testing.assert_array_equal(out[numbers].to_numpy(), expected)
    for name in set(table.names) - set(numbers):
        assert out[name].astype(object).where(out[name].notna(), None).tolist() == table[name].tolist()
    polars = fitted.transform(X.to_polars())
    assert isinstance(polars, pl.DataFrame)
    if numbers:
        np.testing.assert_array_equal(polars.select(numbers).to_numpy(), expected)


def test_an_array_gives_an_array(of_numbers):
    array = clone(of_numbers).fit_transform(X.block(NUMBERS), y)
    assert isinstance(array, np.ndarray)
    np.testing.assert_array_equal(array, of_numbers.transform(X).block(NUMBERS))


def test_what_is_changed_back_is_what_came(of_numbers):
    fitted = of_numbers
    if not hasattr(fitted, "inverse_transform"):
        return  # what is lost cannot be brought back
    back = fitted.inverse_transform(fitted.transform(X))
    np.testing.assert_allclose(back.block(NUMBERS), X.block(NUMBERS), rtol=1e-9, atol=1e-9)
    assert back.schema == X.schema


def test_values_never_seen_in_training_pass_through(of_numbers):
    fitted = of_numbers
    row = {**X.row(0), OTHERS[0]: "never seen"}
    assert fitted.transform(openbook.read([row, X.row(1)]))[OTHERS[0]].tolist()[0] == "never seen"


def test_workers_chunks_and_parts_change_nothing(fitted, monkeypatch):
    expected = cells(fitted.transform(X))
    if hasattr(fitted, "partial_fit"):
        halves = clone(fitted).partial_fit(X.head(77)).partial_fit(X.take(slice(77, 200)))
        np.testing.assert_allclose(cells(halves.transform(X)), expected, rtol=1e-9, atol=1e-12)
    monkeypatch.setattr(openbook.border.rows, "CHUNK_ROWS", 41)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        parts = clone(fitted).fit(X, y)
    np.testing.assert_allclose(cells(parts.transform(X)), expected, rtol=1e-9, atol=1e-12)


def test_a_saved_transformer_says_the_same(fitted, tmp_path):
    again = openbook.open_model(openbook.save(fitted, tmp_path / "model.openbook"))
    assert again.transform(X).schema == fitted.transform(X).schema
    np.testing.assert_array_equal(cells(again.transform(X)), cells(fitted.transform(X)))
    assert again.get_params() == fitted.get_params()
    assert str(again.work(X.row(0))) == str(fitted.work(X.row(0)))


def test_a_damaged_file_is_refused(fitted):
    saved = fitted._saved()
    for name, array in saved.arrays.items():
        with pytest.raises((ValueError, KeyError)):
            clone(fitted)._opened(saved._replace(arrays={**saved.arrays, name: array[..., None]}))
        with pytest.raises(ValueError, match="not valid"):
            clone(fitted)._opened(saved._replace(arrays={**saved.arrays, name: array * np.nan}))


def test_it_shows_its_work(fitted):
    for work in (fitted.work(), fitted.work(X.row(1)), fitted.work({})):
        assert len(work.text()) > 40
        assert work.html()
        assert work.latex()
        assert json.dumps(work.json(), allow_nan=False)


def test_errors_name_the_culprit(fitted):
    with pytest.raises(UnknownColumn, match="nowhere"):
        fitted.work({"nowhere": 1})
    with pytest.raises(DataError, match=f"column '{NUMBERS[0]}' is missing"):
        fitted.transform(X.drop(NUMBERS[0]))
    with pytest.raises(DataError, match="column 'b' holds infinity"):
        clone(fitted).fit([{"a": 1.0, "b": 2.0}, {"a": 2.0, "b": np.inf}])
    for name in (name for name, rule in fitted._rules.items() if not isinstance(rule, Anything)):
        with pytest.raises(ParameterError, match=f"{name} must be"):
            clone(fitted).set_params(**{name: "nonsense"}).fit(X)


def test_it_is_a_step_of_a_pipeline_and_of_prepared_inside_the_folds(fitted):
    inputs, species = load("iris").split("species")
    if isinstance(fitted, RowChange):
        step = clone(fitted).fit(inputs, species)
        if step.rows_.tolist() != [*range(len(inputs))] or step.weights_ is not None:
            return  # scikit-learn's pipeline changes no rows
    theirs = openbook.evaluate(make_pipeline(clone(fitted), NaiveBayes()), inputs, species, cv=2)
    ours = openbook.evaluate(Prepared(NaiveBayes(), [clone(fitted)]), inputs, species, cv=2)
    assert ours.score("log_loss") == pytest.approx(theirs.score("log_loss"))
