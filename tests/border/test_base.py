"""The border: targets, files, weights, sparse rows, batches, and the words for what cannot be."""

from inspect import signature

import numpy as np
import pandas as pd
import polars as pl
import pytest
import scipy.sparse as sp
from sklearn.base import clone

from openbook import load, read, scan
from openbook.baseline import OneR, ZeroR, ZeroRegressor
from openbook.bayes import NaiveBayes
from openbook.border.learner import most_probable
from openbook.cluster import KModes
from openbook.data import Nominal
from openbook.ensemble import RandomForestClassifier
from openbook.errors import DataError, ParameterError, RefusalError, UnknownColumn
from openbook.registry import learner, learners, name_of

pytestmark = pytest.mark.filterwarnings("ignore:NaiveBayes")  # three rows are too few for many a variance

X, Y = load("weather").split("play")
ROWS = [{"colour": "red", "size": 1.0}, {"colour": "blue", "size": 2.0}, {"colour": "red", "size": 4.0}]


# targets


def test_classes_keep_the_order_of_a_nominal_column_and_are_sorted_otherwise():
    table = read([{"x": 1.0, "y": "b"}, {"x": 2.0, "y": "a"}], kinds={"y": Nominal("y", ("b", "c", "a"))})
    assert ZeroR().fit(table, "y").classes_.tolist() == ["b", "c", "a"]  # no row has c
    assert ZeroR().fit([[1.0], [2.0]], ["b", "a"]).classes_.tolist() == ["a", "b"]


@pytest.mark.parametrize(
    "labels",
    [
        np.array([3, -5, 3, 9]),
        np.array([-100, 100, 100, -100], dtype=np.int8),  # their difference is no int8
        np.array([200, 3, 3, 200], dtype=np.uint8),
        np.array([2**63, 2**63 + 5, 2**63, 2**63 + 5], dtype=np.uint64),
        np.array([-(2**62), 2**62, 0, 0]),
        np.array([0.0, 1.0, 2.0, 1.0]),
        np.array([True, False, True, True]),
        np.array(["b", "a", "c", "a"]),
        np.array(["b", "a", "c", "a"], dtype=object),
    ],
    ids=lambda labels: f"{labels.dtype} {labels[0]}",
)
def test_labels_of_any_type(labels):
    rows = [{"row": name} for name in ("first", "second", "third", "fourth")]
    model = OneR().fit(rows, labels)
    assert model.classes_.tolist() == sorted(set(labels.tolist()))
    assert model.predict(rows).tolist() == labels.tolist()
    assert model.classes_.dtype == labels.dtype


def test_the_target_is_called_by_its_name():
    assert ZeroR().fit(X, Y).target_ == "play"
    assert ZeroR().fit(X, pd.Series(Y.tolist(), name="sport")).target_ == "sport"
    assert ZeroR().fit(X, Y.tolist()).target_ == "class"


def test_numbers_are_not_classes_and_classes_are_not_numbers():
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        ZeroR().fit([[0.0]] * 3, [0.5, 1.5, 2.25])
    with pytest.raises(DataError, match="target 'play' is nominal, and ZeroRegressor predicts numbers"):
        ZeroRegressor().fit(X, Y)
    with pytest.raises(ValueError, match="Input y contains infinity"):
        ZeroRegressor().fit([[0.0]] * 2, [1.0, np.inf])


@pytest.mark.parametrize("gap", [None, np.nan, pd.NA, pd.NaT], ids=repr)
def test_a_missing_label_is_named_whatever_stands_for_it(gap):
    y = pd.Series(["yes", gap, "no"], dtype=object, name="answer")
    with pytest.raises(DataError, match=r"target 'answer' is missing in 1 row \(the first is row 1\)"):
        ZeroR().fit(ROWS, y)


def test_a_missing_number_is_named():
    for y in (pd.Series([1, pd.NA, 3], dtype="Int64"), pl.Series([1.0, None, 3.0]), [1.0, np.nan, 3.0]):
        with pytest.raises(DataError, match=r"is missing in 1 row \(the first is row 1\)"):
            ZeroRegressor().fit(ROWS, y)


# files


@pytest.fixture
def csv(tmp_path):
    path = tmp_path / "loans.csv"
    rows = ["size,colour,label,price"]
    rows += [f"{i},{'red' if i % 2 else 'blue'},{'yes' if i % 3 else 'no'},{i}.5" for i in range(10)]
    path.write_text("\n".join(rows))
    return path


def test_numbers_to_be_predicted_come_whole_from_files(csv):
    model = ZeroRegressor().fit(scan(csv, chunk_rows=3), "price")
    assert model.constant_ == 5.0  # the mean of 0.5, 1.5, … 9.5
    assert model.target_ == "price"


def test_what_a_scan_cannot_have(csv):
    source = scan(csv)
    with pytest.raises(DataError, match="with a scan, y must be the name of one of its columns"):
        ZeroR().fit(source, ["yes"] * 10)
    with pytest.raises(
        DataError, match="sample_weight needs rows in memory; read the file instead of scanning it"
    ):
        ZeroR().fit(source, "label", sample_weight=np.ones(10))
    with pytest.raises(DataError, match=r"with a scan, kinds are the scan's affair: openbook\.scan"):
        NaiveBayes(kinds={"size": "nominal"}).fit(source, "label")
    with pytest.raises(UnknownColumn, match=r"no column 'lable'\. Did you mean 'label'"):
        ZeroR().fit(source, "lable")
    with pytest.raises(
        DataError, match=r"target 'price' is numeric; to classify, scan with kinds=\{'price': 'nominal'\}"
    ):
        ZeroR().fit(source, "price")
    with pytest.raises(DataError, match="target 'label' is nominal, and ZeroRegressor predicts numbers"):
        ZeroRegressor().fit(source, "label")


def test_whole_numbers_in_files_are_classes_as_they_are_in_memory(tmp_path):
    frame = pl.DataFrame({"x": [3.0, 1.0, 4.0, 1.0, 5.0, 9.0], "y": [2, 0, 2, 0, 7, 2]})
    frame.write_csv(tmp_path / "t.csv")
    model = NaiveBayes().fit(scan(tmp_path / "t.csv", chunk_rows=2), "y")
    assert model.classes_.tolist() == [0, 2, 7]
    whole = NaiveBayes().fit(read(tmp_path / "t.csv"), "y")
    assert (model.predict(frame[["x"]]) == whole.predict(frame[["x"]])).all()


def test_a_missing_number_as_target_in_a_file_is_named_by_its_row(tmp_path):
    pl.DataFrame({"x": range(4), "y": [1, 2, None, 1]}).write_csv(tmp_path / "t.csv")
    with pytest.raises(DataError, match=r"target 'y' is missing in 1 row \(the first is row 2\)"):
        ZeroR().fit(scan(tmp_path / "t.csv", chunk_rows=2), "y")


def test_a_missing_target_in_a_file_is_named_by_its_row_in_the_file(tmp_path):
    frame = pl.DataFrame({"x": range(10), "y": ["a"] * 7 + [None] + ["b"] * 2})
    frame.write_parquet(tmp_path / "t.parquet", row_group_size=2)
    with pytest.raises(DataError, match=r"target 'y' is missing in 1 row \(the first is row 7\)"):
        ZeroR().fit(scan(tmp_path / "t.parquet", chunk_rows=2), "y")


def test_an_infinite_number_in_a_file_is_named_by_its_row(tmp_path):
    frame = pl.DataFrame({"x": [1.0, 2.0, 3.0, np.inf], "y": ["a", "b", "a", "b"]})
    frame.write_parquet(tmp_path / "t.parquet", row_group_size=1)
    with pytest.raises(DataError, match=r"column 'x' holds infinity \(the first in row 3\)"):
        NaiveBayes().fit(scan(tmp_path / "t.parquet", chunk_rows=1), "y")


def test_a_scan_after_sparse_rows_is_gaussian_again(csv):
    model = NaiveBayes().fit(sp.csr_array(np.eye(4)), [0, 0, 1, 1])
    assert model.numeric_ == "multinomial"
    assert model.fit(scan(csv).drop("price"), "label").numeric_ == "gaussian"


# sparse rows, huge numbers, refusals


def test_a_learner_without_a_use_for_sparse_rows_says_so():
    with pytest.raises(TypeError, match=r"OneR cannot use sparse data; pass X\.toarray\(\)"):
        OneR().fit(sp.csr_array(np.eye(3)), [0, 1, 1])


def test_numbers_too_large_to_be_squared():
    with pytest.raises(DataError, match="the sums over the rows are not finite: some numbers are too large"):
        NaiveBayes().fit([[1e200], [-1e200], [3e200]], [0, 0, 1])


def test_a_refusal_is_raised_in_full():
    table = read([{"note": "a"}, {"note": "b"}], kinds={"note": "text"})
    with pytest.raises(
        RefusalError, match="KModes cannot use the text column 'note'; drop it or turn it into counts"
    ):
        KModes(1).fit(table)


def test_a_scalar_weight_is_for_all():
    assert ZeroR().fit(X, Y, sample_weight=2).statistics_.classes.sum() == 28


# batches


def test_a_class_that_comes_late_is_named():
    model = NaiveBayes().partial_fit(ROWS, ["a", "b", "a"])
    with pytest.raises(
        ParameterError, match=r"class 'c' was not in the first batch; name all classes there: partial_fit"
    ):
        model.partial_fit(ROWS, ["a", "c", "a"])
    with pytest.raises(ParameterError, match="class 'b' was not in the first batch"):
        NaiveBayes().partial_fit(ROWS, ["a", "b", "a"], classes=["a", "c"])


def test_all_classes_may_be_named_first():
    model = NaiveBayes().partial_fit(ROWS, ["a", "a", "a"], classes=["b", "a"])
    assert model.classes_.tolist() == ["a", "b"]
    assert model.prior_.tolist() == [1, 0]
    model.partial_fit(ROWS, ["b", "b", "b"])
    assert model.prior_.tolist() == [0.5, 0.5]


def test_values_that_come_late_are_taken_in():
    model = NaiveBayes().partial_fit(ROWS, ["a", "b", "a"])
    model.partial_fit([{"colour": "green", "size": 3.0}, {"colour": "red", "size": 3.0}], ["b", "a"])
    assert model.schema_["colour"].values == ("blue", "red", "green")
    assert model.likelihood("colour", "green", given="b") == pytest.approx((1 + 1) / (2 + 3))
    assert model.likelihood("colour", "red", given="a") == pytest.approx((3 + 1) / (3 + 3))


def test_a_scan_is_a_batch(csv):
    whole = NaiveBayes().fit(scan(csv), "label")
    model = NaiveBayes().partial_fit(scan(csv), "label", classes=["maybe", "no", "yes"])
    assert model.classes_.tolist() == ["maybe", "no", "yes"]
    assert model.partial_fit(scan(csv), "label").prior_.tolist() == pytest.approx([0, *whole.prior_])


def test_a_batch_that_fails_leaves_no_trace():
    model = NaiveBayes().fit(ROWS, ["a", "b", "a"])
    before = model.predict_proba(ROWS)
    bad = [{"colour": "green", "size": np.inf}] * 3
    with pytest.raises(DataError, match="column 'size' holds infinity"):
        model.partial_fit(bad, ["a", "b", "a"])
    assert model.schema_["colour"].values == ("blue", "red")
    assert (model.predict_proba(ROWS) == before).all()
    assert np.isfinite(model.predict_proba(bad)).all()  # green is as unseen as it was


def test_a_distribution_does_not_change_under_way():
    table = read([{"wet": "no"}, {"wet": "yes"}, {"wet": "no"}])
    model = NaiveBayes(distributions="bernoulli").fit(table, ["a", "b", "a"])
    with pytest.raises(RefusalError, match="bernoulli needs counts, or two values, and no column has them"):
        model.partial_fit([{"wet": "perhaps"}], ["a"])
    both = read([{"wet": "no", "n": 1}, {"wet": "yes", "n": 0}, {"wet": "no", "n": 2}])
    model = NaiveBayes(distributions="bernoulli").fit(both, ["a", "b", "a"])
    with pytest.raises(
        ParameterError, match="column 'wet' was bernoulli, but is categorical with these rows; refit"
    ):
        model.partial_fit([{"wet": "perhaps", "n": 3}], ["a"])
    assert model.schema_["wet"].values == ("no", "yes")


def test_forgetting_what_was_never_learnt():
    model = NaiveBayes().fit(ROWS, ["a", "b", "a"])
    before = model.predict_proba(ROWS)
    with pytest.raises(
        DataError, match="cannot forget these rows: they were not in the training data, or none would be left"
    ):
        model.forget([{"colour": "blue", "size": 1.0}], ["a"])
    with pytest.raises(
        DataError,
        match="cannot forget these rows: column 'colour' has a value not seen in training",
    ):
        model.forget([{"colour": "mauve", "size": 1.0}], ["a"])
    with pytest.raises(DataError, match="they were not in the training data, or none would be left"):
        model.forget(ROWS, ["a", "b", "a"])
    with pytest.raises(DataError, match="cannot forget the value 9: it was not in the training data"):
        OneR().fit(ROWS, ["a", "b", "a"]).forget([{"colour": "red", "size": 9.0}], ["a"])
    with pytest.raises(ParameterError, match="class 'z' was not in the first batch"):
        model.forget(ROWS[:1], ["z"])
    assert (model.predict_proba(ROWS) == before).all()


def test_forgetting_needs_a_model():
    from sklearn.exceptions import NotFittedError

    with pytest.raises(NotFittedError):
        NaiveBayes().forget(ROWS, ["a", "b", "a"])


# the registry


def test_learners_by_name_and_task():
    assert {entry.name for entry in learners()} >= {
        "zero_r",
        "one_r",
        "naive_bayes",
        "minimum_risk",
        "zero_regressor",
    }
    assert all(entry.task == "regression" for entry in learners("regression"))
    assert name_of(NaiveBayes()) == "naive_bayes"
    assert type(learner("minimum_risk").make().estimator) is NaiveBayes
    for entry in learners():
        assert name_of(entry.make()) == entry.name


def test_unknown_learners_are_named():
    with pytest.raises(ParameterError, match=r"no learner 'naive_bays'\. Did you mean 'naive_bayes'"):
        learner("naive_bays")

    class NaiveBayesPlus(NaiveBayes):
        pass

    with pytest.raises(ParameterError, match=r"NaiveBayesPlus is not a registered learner"):
        name_of(NaiveBayesPlus())


@pytest.mark.parametrize("n_classes", [2, 6, 7, 9])
@pytest.mark.parametrize("order", ["C", "F"])
def test_of_equally_probable_classes_the_first_is_decided_for(n_classes, order):
    proba = np.zeros((4, n_classes))
    proba[0] = 1 / n_classes
    proba[1, -2:] = 0.5
    proba[2, [0, -1]] = 0.5
    proba[3, -1] = 1.0
    assert most_probable(np.asarray(proba, order=order)).tolist() == [0, n_classes - 2, 0, n_classes - 1]


# parameters declared as fields


def test_declared_parameters_are_those_of_the_constructor_and_of_the_bases():
    class Halved(RandomForestClassifier):
        n_estimators: int = 50
        share: float = 0.5

    assert list(signature(Halved).parameters) == [*signature(RandomForestClassifier).parameters, "share"]
    model = clone(Halved(7, share=0.25))
    assert (model.n_estimators, model.share, model.max_features) == (7, 0.25, "sqrt")
    assert model.get_params()["share"] == 0.25
    assert Halved().n_estimators == 50
    with pytest.raises(TypeError, match=r"no parameter 'shares'\. Did you mean 'share'"):
        Halved(shares=0.25)
