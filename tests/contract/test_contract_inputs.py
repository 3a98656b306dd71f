"""Every learner takes rows in any form, and meets gaps, strange values and strange columns by rule."""

import numpy as np
import pytest

from openbook.data import Categorical, Numeric, Table, read
from openbook.errors import DataError, OpenbookError, UnknownColumn

TOLERANCE = 1e-12

FORMS = {
    "pandas": lambda table: table.to_pandas(),
    "polars": lambda table: table.to_polars(),
    "pyarrow": lambda table: table.to_polars().to_arrow(),
    "dict rows": lambda table: [table.row(i) for i in range(len(table))],
}


@pytest.mark.parametrize("form", FORMS)
def test_rows_in_any_form(case, form):
    given = FORMS[form](case.X)
    if form == "dict rows":  # which know no order of values, and trees cut ordinal columns in two
        given = read(given, kinds=case.ordinal)
    model = case.make().fit(given, case.y)
    assert model.schema_.names == case.X.names
    for X in (case.X, FORMS[form](case.X)):
        np.testing.assert_allclose(case.answers(model, X), case.expected, rtol=TOLERANCE)


def test_rows_as_arrays(case):
    numbers = case.X.select(case.X.schema.of(Numeric))
    named = case.answers(case.make().fit(numbers, case.y), numbers)
    array = numbers.block(numbers.names)
    for X in (array, np.asfortranarray(array), array.tolist()):
        model = case.make().fit(X, np.asarray(case.y))
        assert not hasattr(model, "feature_names_in_")
        np.testing.assert_allclose(case.answers(model, X), named, rtol=TOLERANCE)


def test_float32_is_as_good_as_it_can_be(case):
    numbers = case.X.select(case.X.schema.of(Numeric))
    array = numbers.block(numbers.names).astype(np.float32)
    wide, narrow = (case.make().fit(X, np.asarray(case.y)) for X in (array.astype(float), array))
    np.testing.assert_allclose(case.answers(narrow, array), case.answers(wide, array), rtol=1e-5, atol=1e-6)


def test_a_target_in_any_form(case):
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    values = case.y.tolist()
    targets = {
        "a list": values,
        "an array": np.array(values),
        "objects": np.array(values, dtype=object),
        "a pandas Series": pandas.Series(values, name=case.target),
        "a polars Series": polars.Series(case.target, values),
    }
    for form, y in targets.items():
        model = case.make().fit(case.X, y)
        np.testing.assert_allclose(case.answers(model, case.X), case.expected, rtol=TOLERANCE, err_msg=form)
    for table in (case.table, case.table.to_pandas(), case.table.to_polars()):
        model = case.make().fit(table, case.target)
        assert model.target_ == case.target
        assert case.target not in model.schema_
        np.testing.assert_allclose(case.answers(model, case.X), case.expected, rtol=TOLERANCE)


def test_a_target_is_needed_and_known(case):
    with pytest.raises(DataError, match="requires y to be passed, but the target y is None"):
        case.make().fit(case.X, None)
    with pytest.raises(UnknownColumn, match=r"no column 'targit'\. "):
        case.make().fit(case.table, "targit")
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        case.make().fit(case.X, case.y.tolist()[:-1])


@pytest.mark.parametrize("gap", [None, float("nan")])
def test_a_missing_target_is_named(case, gap):
    y = np.array(case.y.tolist(), dtype=object)
    y[[5, 9]] = gap
    if getattr(case.make(), "_takes_unlabelled", False):
        assert case.make().fit(case.X, y).classes_.tolist() == case.model.classes_.tolist()
        return
    with pytest.raises(DataError, match=r"' is missing in 2 rows \(the first is row 5\); leave"):
        case.make().fit(case.X, y)


def test_no_rows_are_refused(case):
    model = case.model
    for act in (lambda: case.make().fit(case.X.head(0), case.y[:0]), lambda: model.predict(case.X.head(0))):
        with pytest.raises(DataError, match=r"Found array with 0 sample\(s\)"):
            act()


def test_an_infinite_number_is_named(case):
    array = np.ones((5, 2))
    array[3, 1] = -np.inf
    y = [0, 1, 0, 1, 0]
    learner = case.make()
    if learner.complexity.__qualname__.startswith("Zero"):
        pytest.skip("looks at no cell")
    with pytest.raises(
        DataError, match=r"column 'x1' holds infinity \(the first in row 3\); put a number there"
    ):
        learner.fit(array, y)


def test_a_row_of_gaps_and_one_of_strange_values(case):
    model = case.model
    if model.__sklearn_tags__().input_tags.positive_only:
        pytest.skip("counts events, and refuses numbers below 0")
    gaps = Table(case.X.schema, [np.full(2, np.nan if isinstance(a, Numeric) else -1) for a in case.X.schema])
    strange = [{a.name: -1e9 if isinstance(a, Numeric) else "never seen" for a in case.X.schema}] * 2
    for X in (gaps, strange, [strange[0] | dict.fromkeys(case.X.schema.of(Numeric), np.inf)]):
        answers = case.answers(model, X)
        assert np.isfinite(answers).all()
        if case.classifies:
            np.testing.assert_allclose(answers.sum(axis=1), 1)


def test_probabilities_sum_to_one(classifier):
    proba = classifier.model.predict_proba(classifier.X)
    assert proba.shape == (300, 2)
    assert (proba >= 0).all()
    np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-14)


def test_columns_go_by_name(case):
    model = case.model
    frame = case.X.to_pandas()
    assert (case.answers(model, frame[frame.columns[::-1]]) == case.expected).all()
    assert (case.answers(model, frame.assign(extra="beside the point")) == case.expected).all()
    assert (case.answers(model, case.table) == case.expected).all()  # the target itself is one of those


def test_a_column_too_few_is_named(case):
    model, first = case.model, case.X.names[0]
    with pytest.raises(DataError, match=f"column '{first}' is missing"):
        model.predict(case.X.drop(first))
    renamed = case.X.to_pandas().rename(columns={first: first + "s"})
    with pytest.raises(DataError, match=f"column '{first}' is missing. Did you mean '{first}s'"):
        model.predict(renamed)


def test_numbers_where_categories_were(case):
    categories = case.X.schema.of(Categorical)
    if not categories:
        pytest.skip("no categories")
    frame = case.X.to_pandas().assign(**{categories[0]: 3.5})
    with pytest.raises(
        DataError, match=f"column '{categories[0]}' was nominal in training .*now contains numbers"
    ):
        case.model.predict(frame)


def test_words_where_numbers_were(case):
    name = case.X.schema.of(Numeric)[0]
    frame = case.X.to_pandas().assign(**{name: "many"})
    with pytest.raises(DataError, match=f"column '{name}' was numeric in training, but row 0 holds 'many'"):
        case.model.predict(frame)
    digits = case.X.to_pandas().astype({name: str})  # numbers in quotes are numbers
    np.testing.assert_array_equal(case.answers(case.model, digits), case.expected)


def test_sparse_rows_are_not_categories(case):
    sparse = pytest.importorskip("scipy.sparse")
    X = sparse.csr_array(np.full((2, len(case.X.schema)), 1e6))
    model = case.model
    if case.X.schema.of(Categorical):
        with (
            pytest.warns(UserWarning, match="does not have valid feature names"),
            pytest.raises(
                DataError, match="column 'sex' was nominal in training, but sparse data are numeric"
            ),
        ):
            model.predict(X)
    else:
        with pytest.warns(UserWarning, match="does not have valid feature names"):
            assert len(model.predict(X)) == 2


def test_names_that_come_or_go_are_said(case):
    numbers = case.X.select(case.X.schema.of(Numeric))
    array = numbers.block(numbers.names)
    with pytest.warns(
        UserWarning, match="X does not have valid feature names, but .* was fitted with feature"
    ):
        case.make().fit(numbers, case.y).predict(array)
    with pytest.warns(UserWarning, match="X has feature names, but .* was fitted without feature names"):
        case.make().fit(array, np.asarray(case.y)).predict(numbers)


def test_weights_are_repeated_rows(case):
    if case.entry.name.startswith(("stacking", "cart")):
        pytest.skip("a row that is there twice can fall into two folds")
    if getattr(case.make(), "subsample", 1.0) < 1:
        pytest.skip("samples of rows are drawn row by row")
    weights = np.arange(300) % 4
    if reason := getattr(case.make(), "_refuses_weights", ""):
        with pytest.raises(DataError, match=f"takes no sample_weight: {reason}"):
            case.make().fit(case.X, case.y, sample_weight=weights)
        return
    repeated = np.repeat(np.arange(300), weights)
    weighted, plain = case.make(), case.make()
    if case.entry.name.startswith("random_forest"):  # bins hold so many rows, whatever they weigh
        weighted, plain = weighted.set_params(bins=300), plain.set_params(bins=300)
    weighted.fit(case.X, case.y, sample_weight=weights)
    plain.fit(case.X.take(repeated), case.y[repeated])
    np.testing.assert_allclose(
        case.answers(weighted, case.X), case.answers(plain, case.X), rtol=1e-9, atol=1e-14
    )


@pytest.mark.parametrize(
    ("weights", "message"),
    [
        ([1.0] * 299, r"sample_weight\.shape == \(299,\), expected \(300,\)!"),
        ([1.0] * 299 + [-2.0], r"must be finite and not negative, but row 299 has -2\.0"),
        ([np.nan] + [1.0] * 299, "must be finite and not negative, but row 0 has nan"),
        ([0.0] * 300, "every sample_weight is zero; give at least one row a weight"),
    ],
)
def test_bad_weights_are_named(case, weights, message):
    with pytest.raises(OpenbookError, match=message):
        case.make().fit(case.X, case.y, sample_weight=weights)
