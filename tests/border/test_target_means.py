"""Means of the target in place of columns with many values: by hand, across folds, in files and ensembles."""

import numpy as np
import pandas as pd
import pytest

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.border.cross_fitted import FOLDS, drawn_folds
from openbook.border.rows import Rows
from openbook.border.target_means import with_means
from openbook.data import Attribute, Nominal, Schema, TargetMean, read
from openbook.ensemble import BaggingRegressor, VotingRegressor
from openbook.errors import DataError
from openbook.label import LabelSpreading
from openbook.linear import LinearDiscriminantAnalysis, LinearRegression, LogisticRegression
from openbook.neighbors import KNeighborsClassifier, KNeighborsRegressor
from openbook.neural import MLPRegressor
from openbook.report.changes import made_of_columns
from openbook.svm import SVR
from openbook.tree import CARTRegressor


def shops(n=300, k=40, seed=1, noise=1.0):
    """Forty shops whose level is most of the target, and a number; some cells are missing."""
    rng = np.random.default_rng(seed)
    shop, x = rng.integers(k, size=n), rng.normal(size=n)
    y = rng.normal(0, 3, k)[shop] + x + rng.normal(0, noise, n)
    names = [None if i % 50 == 7 else f"s{s}" for i, s in enumerate(shop)]
    return read(pd.DataFrame({"shop": names, "x": x, "y": y}))


def as_classes(table, cuts=(0.0,)):
    X, y = table.split("y")
    return X, np.array(["low", "mid", "top"])[np.digitize(y.data, cuts)]


def credibility(shop, y):
    """n0 = σ² / τ² by analysis of variance, written out."""
    groups = [y[shop == s] for s in np.unique(shop)]
    n, k = len(y), len(groups)
    within = sum(((g - g.mean()) ** 2).sum() for g in groups) / (n - k)
    between = sum(len(g) * (g.mean() - y.mean()) ** 2 for g in groups) / (k - 1)
    size = (n - sum(len(g) ** 2 for g in groups) / n) / (k - 1)
    return within / ((between - within) / size)


def test_the_folds_of_rows_follow_from_their_numbers():
    whole = drawn_folds(0, 1000)
    np.testing.assert_array_equal(np.concatenate([drawn_folds(0, 300), drawn_folds(300, 700)]), whole)
    assert np.bincount(whole).tolist() == pytest.approx([200] * FOLDS, abs=50)


def test_cells_by_hand():
    """Later rows have the shrunken means of all rows, training rows those of the other folds."""
    X, y = shops().split("y")
    schema, crossed = with_means(Rows.in_memory(X, y.data), "y", None)
    rows = Rows.in_memory(X, y.data).under(schema, crossed=crossed)
    names = np.array(X["shop"].tolist(), dtype=object)
    known = np.array([name is not None for name in names])
    n0 = credibility(names[known].astype(str), y.data[known])
    mean = schema["shop: mean y"]
    assert schema.names == ("shop: mean y", "x")
    assert mean.needed == pytest.approx(n0)
    own = y.data[names == "s3"]
    drawn = (own.sum() + n0 * y.data[known].mean()) / (len(own) + n0)
    assert mean.cells(np.array([mean.by.codes["s3"]])) == pytest.approx(drawn)
    folds, cells = drawn_folds(0, len(y)), rows.whole.data("shop: mean y")
    for i in (0, 1, 2, 120, 299):
        others = known & (folds != folds[i])
        same = y.data[others & (names == names[i])]
        expected = (same.sum() + n0 * y.data[others].mean()) / (len(same) + n0)
        assert cells[i] == pytest.approx(expected)
    assert np.isnan(cells[7])  # a missing cell stays missing


def test_what_says_nothing_is_left_out():
    rng = np.random.default_rng(3)
    table = read(
        pd.DataFrame({"name": [f"n{i}" for i in rng.integers(60, size=300)], "x": rng.normal(size=300)})
    )
    model = KNeighborsRegressor().fit(table, table.data("x") + rng.normal(0, 0.1, 300))
    assert model.schema_["name"].values == ("other values",)


def test_each_class_but_the_first_has_its_share():
    X, y = as_classes(shops(), cuts=(-1, 1))
    three = LogisticRegression().fit(X, y).schema_
    assert three.names == ("shop: share of mid", "shop: share of top", "x")
    X, y = as_classes(shops())
    assert LogisticRegression().fit(X, y).schema_.names == ("shop: share of mid", "x")


def balanced(k, rows, spread):
    """k shops of so many rows around five means; of each, half the rows are 1 above it, half below."""
    shop, offs = np.repeat(np.arange(k), rows), np.tile([1.0, -1.0], k * rows // 2)
    y = spread * (shop % 5 - 2) + offs
    x = np.random.default_rng(0).normal(size=k * rows)
    return read(pd.DataFrame({"shop": [f"s{s:02}" for s in shop], "x": x, "y": y}))


@pytest.mark.parametrize(
    ("k", "rows", "spread", "kept"),
    [
        (30, 10, 1.0, True),  # n0 = (10 / 9) / 1.96 = 0.57: credibility 0.95, intraclass correlation 0.64
        (30, 10, 0.5, False),  # n0 = (10 / 9) / 0.41 = 2.7, credibility 0.79
        (30, 20, 0.4, False),  # n0 = (20 / 19) / 0.28 = 3.8, credibility 0.84, intraclass correlation 0.21
        (30, 2, 1.0, False),  # n0 = 2 / 1.07 = 1.9, credibility 0.52
        (260, 10, 1.0, False),  # more than 250 values
    ],
)
def test_networks_keep_values_that_explain_much_by_many_rows(k, rows, spread, kept):
    """σ² = rows / (rows - 1), τ² = (2 spread² k / (k - 1)) - σ² / rows, by hand."""
    X, y = balanced(k, rows, spread).split("y")
    schema = MLPRegressor(max_iter=1).fit(X, y).schema_
    assert schema.names == ("shop" if kept else "shop: mean y", "x")
    if kept:
        assert len(schema["shop"].values) == k + 1  # and one for all others
    assert SVR().fit(X, y).schema_.names == ("shop: mean y", "x")


def test_values_that_a_network_keeps_stay_in_the_file(tmp_path):
    X, y = balanced(30, 10, 1.0).split("y")
    model = MLPRegressor(random_state=0).fit(X, y)
    assert "shop = s07" in model.encoding_.names
    opened = ob.open_model(ob.save(model, tmp_path / "model.openbook"))
    np.testing.assert_array_equal(opened.predict(X), model.predict(X))
    later = [{"shop": name, "x": 0.0} for name in ("never seen", "nor this")]
    assert np.ptp(model.predict(later)) == 0


def test_a_name_that_is_taken_is_left_to_its_column():
    X, y = shops().split("y")
    table = read({"shop: mean y": X["x"].tolist(), "shop": X["shop"].tolist()})
    assert KNeighborsRegressor().fit(table, y).schema_.names == ("shop: mean y", "shop: mean y…")


@pytest.mark.parametrize("learner", [KNeighborsRegressor(), SVR()])
def test_a_row_does_not_see_its_own_target(learner):
    """Names that occur twice, and say nothing, do not look as if they said it all."""
    rng = np.random.default_rng(0)
    table = pd.DataFrame({"name": [f"n{i // 2}" for i in range(400)], "x": rng.normal(size=400)})
    table["y"] = table["x"] + rng.normal(size=400)
    pairs = read(table)
    train, test = pairs.take(np.arange(300)), pairs.take(np.arange(300, 400))
    with_it = learner.fit(*train.split("y")).score(*test.split("y"))
    without = learner.fit(*train.drop("name").split("y")).score(*test.drop("name").split("y"))
    assert with_it == pytest.approx(without, abs=0.02)


@pytest.mark.parametrize("learner", [KNeighborsRegressor(), SVR()])
def test_a_model_from_files_is_that_of_the_table(learner, tmp_path):
    table = shops()
    table.to_pandas().to_csv(tmp_path / "shops.csv", index=False)
    scan = ob.scan(tmp_path / "shops.csv", chunk_rows=70)
    files, memory = learner.fit(scan, "y"), type(learner)().fit(ob.read(tmp_path / "shops.csv"), "y")
    assert [a.name for a in files.schema_] == ["shop: mean y", "x"]
    np.testing.assert_allclose(files.predict(table), memory.predict(table))


def test_the_model_file_holds_the_means(tmp_path):
    X, y = as_classes(shops(), cuts=(-1, 1))
    model = LinearDiscriminantAnalysis().fit(X, y)
    opened = ob.open_model(ob.save(model, tmp_path / "m.openbook"))
    assert opened.schema_ == model.schema_
    assert list(opened.feature_names_in_) == ["shop", "x"]
    rows = [{"shop": "s1", "x": 0.5}, {"shop": "never seen", "x": 0.5}, {"shop": None, "x": 0.5}]
    np.testing.assert_array_equal(opened.predict_proba(rows), model.predict_proba(rows))
    with pytest.raises(DataError, match="column 'shop' is missing"):
        model.predict([{"x": 0.5}])


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"means": [1.0]}, "needs its rows and its mean"),
        ({"rows": None}, "are needed"),
        ({"rows": [1, -2]}, "not negative"),
        ({"needed": float("nan")}, "must be finite"),
        ({"overall": "5"}, "must be finite"),
        ({"by": {"kind": "numeric", "name": "shop"}}, "each value of a nominal column"),
    ],
)
def test_a_damaged_mean_is_refused(change, words):
    mean = TargetMean("m", by=Nominal("shop", ("a", "b")), rows=(1, 2), means=(3.0, 4.0), overall=3.5)
    assert Attribute.from_json(mean.to_json()) == mean
    with pytest.raises(DataError, match=words):
        Attribute.from_json(mean.to_json() | change)


def test_the_work_writes_the_shrinkage_out():
    table = shops()
    model = KNeighborsRegressor().fit(table, "y")
    mean = model.schema_["shop: mean y"]
    code = mean.by.codes["s3"]
    n, own = mean.rows[code], mean.means[code]
    told = model.work({"shop": "s3", "x": 0.0})["shop: mean y"]
    assert told.result == pytest.approx((n * own + mean.needed * mean.overall) / (n + mean.needed))
    assert f"{n:.0f} \\cdot" in told.numbers
    assert "not seen in training" in model.work({"shop": "new"})["shop: mean y"].note
    assert len(model.work()["shop: mean y"]["shop"].rows) == 10
    said = (
        "The 39 values of shop are replaced by the mean y among their rows, shrunk towards that of all rows"
    )
    assert list(made_of_columns(model, table.drop("y"))) == [f"{said} (n0 = {mean.needed:.3g})."]


def test_what_cannot_be_forgotten_is_said():
    X, y = as_classes(shops())
    model = KNeighborsClassifier().fit(X, y)
    with pytest.raises(DataError, match="holds means of their targets"):
        model.forget(X.head(3), y[:3])
    rows = model.n_samples_fit_
    assert model.partial_fit(X.head(3), y[:3]).n_samples_fit_ == rows + 3


def test_ensembles_see_what_their_members_take():
    table = shops()
    X = table.drop("y")
    bag = BaggingRegressor(KNeighborsRegressor(), n_estimators=3, random_state=0).fit(table, "y")
    assert bag.schema_.names == bag.estimators_[0].schema_.names == ("shop: mean y", "x")
    both = VotingRegressor([("tree", CARTRegressor()), ("near", KNeighborsRegressor())]).fit(table, "y")
    assert both.schema_.names == ("shop", "x")
    assert [one.schema_.names[0] for one in both.estimators_] == ["shop", "shop: mean y"]
    said = [one.predict(X) for one in both.estimators_]
    np.testing.assert_allclose(both.predict(X), np.mean(said, axis=0))


def test_rows_without_a_label_have_the_means_of_those_with_one():
    X, y = as_classes(shops())
    some = np.where(np.arange(len(y)) % 3 == 0, y, None)
    model = LabelSpreading().fit(X, some)
    mean = model.schema_["shop: share of mid"]
    of_rows = [s == "s3" and t is not None for s, t in zip(X["shop"].tolist(), some, strict=True)]
    assert mean.rows[mean.by.codes["s3"]] == sum(of_rows)


def test_learners_of_values_keep_them():
    for learner in (NaiveBayes(), CARTRegressor(), LinearRegression()):
        table = as_classes(shops()) if isinstance(learner, NaiveBayes) else shops().split("y")
        assert isinstance(learner.fit(*table).schema_["shop"], Nominal)


def test_unnamed_columns_are_matched_by_position():
    X, y = shops().split("y")
    array = np.column_stack([np.array(X["shop"].tolist(), dtype=object), X.data("x").astype(object)])
    model = KNeighborsRegressor().fit(array, y.data)
    assert model.schema_.names == ("x0: mean target", "x1")
    assert model.n_features_in_ == 2
    np.testing.assert_allclose(model.predict(array), KNeighborsRegressor().fit(X, y.data).predict(X))


def test_the_schema_knows_what_a_table_brings():
    mean = TargetMean("shop: mean y", by=Nominal("shop", ("a",)), rows=(2,), means=(1.0,))
    assert Schema((mean,)).given == Schema((Nominal("shop", ("a",)),))
