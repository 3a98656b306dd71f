"""Rare values, pooled by a transformer and at the border of every learner."""

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.pipeline import make_pipeline

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.data import read
from openbook.ensemble import AdaBoostClassifier, RandomForestClassifier, RandomForestRegressor
from openbook.errors import ParameterError
from openbook.linear import LinearRegression
from openbook.neighbors import KNeighborsRegressor
from openbook.prepare import RareValues
from openbook.tree import C45, CART, ID3, CARTRegressor, DecisionTreeClassifier


def noise(n=300, seed=0):
    """A name for every two rows that says nothing, and a number that says it all but for noise."""
    rng = np.random.default_rng(seed)
    x = rng.uniform(size=n)
    names = np.array([f"n{i}" for i in rng.permutation(np.repeat(np.arange(n // 2), 2))])
    return read(pd.DataFrame({"name": names, "x": x, "y": x + rng.normal(0, 0.3, n)}))


def shops(n=400, seed=1):
    """Forty shops of ten rows each on average, whose level is most of the target."""
    rng = np.random.default_rng(seed)
    shop = rng.integers(40, size=n)
    y = rng.normal(0, 3, 40)[shop] + rng.normal(0, 1, n)
    return read(pd.DataFrame({"shop": [f"s{i}" for i in shop], "x": rng.uniform(size=n), "y": y}))


def as_classes(table):
    X, y = table.split("y")
    return X, np.where(y.data > np.median(y.data), "high", "low")


def test_a_fixed_number_of_rows_by_hand():
    rows = [{"town": town} for i in range(25) for town in [f"t{i}"] * (3 if i < 4 else 1)]
    rare = RareValues(min_frequency=3).fit(rows)
    assert rare.schema_["town"].values == ("t0", "t1", "t2", "t3", "other values")
    assert rare.pooled_["town"] == {f"t{i}": 1 for i in range(4, 25)}
    assert RareValues(min_frequency=3, max_categories=2).fit(rows).schema_["town"].values[:2] == ("t0", "t1")
    said = rare.transform([{"town": "t2"}, {"town": "t9"}, {"town": "new"}, {"town": None}])
    assert said.column("town").tolist() == ["t2", "other values", "other values", None]


def test_columns_of_few_values_are_left_alone():
    rows = [{"town": f"t{i}"} for i in range(20)]
    rare = RareValues().fit(rows)
    assert rare.pooled_ == {}
    assert rare.transform(rows).schema == read(rows).schema
    assert "nothing is pooled" in rare.work().text()
    assert rare.work({"town": "t0"}).conclusion.endswith("the row stays as it is.")


def test_a_number_of_rows_pools_columns_of_few_values_too():
    rows = [{"town": town, "size": "S"} for town in ("Ulm", "Ulm", "Ulm", "Bonn", "Kiel")]
    rare = RareValues(min_frequency=2).fit(rows)
    assert rare.pooled_ == {"town": {"Bonn": 1, "Kiel": 1}}
    assert rare.transform(rows)["town"].tolist() == ["Ulm"] * 3 + ["other values"] * 2
    assert rare.schema_["size"].values == ("S",)
    assert RareValues(min_frequency=1).fit(rows).pooled_ == {}


def test_the_target_tells_how_many_rows_a_value_needs():
    assert RareValues().fit(noise(), "y").least_["name"] > 2
    assert RareValues().fit(noise(), "y").schema_["name"].values == ("other values",)
    few = RareValues().fit(shops(), "y")
    assert few.least_["shop"] == 2
    X, y = as_classes(shops())
    assert RareValues().fit(X, y).least_["shop"] < 5


def test_the_work_derives_the_rows_needed():
    table = shops()
    y, shop = table.data("y"), table.data("shop")
    means = np.bincount(shop, y) / np.bincount(shop)
    within, n = ((y - means[shop]) ** 2).sum(), np.bincount(shop).astype(float)
    between = n @ (means - y.mean()) ** 2
    sigma = within / (400 - 40)
    tau = (between / 39 - sigma) / ((400 - n @ n / 400) / 39)
    work = RareValues().fit(table, "y").work()["shop"]
    assert work["σ²"].result == pytest.approx(sigma)
    assert work["τ²"].result == pytest.approx(tau)
    assert work["n0"].result == pytest.approx(sigma / tau)
    assert work.conclusion == "40 values of 40 kept: a value needs 2 rows."


def test_bad_parameters_are_named():
    with pytest.raises(ParameterError, match="min_frequency must be"):
        RareValues(min_frequency=0).fit([{"a": "b"}])


@pytest.mark.parametrize("learner", [CARTRegressor(), LinearRegression(), KNeighborsRegressor()])
def test_a_column_that_says_nothing_is_as_good_as_left_out(learner):
    """Every value of the noise is pooled, so the other column alone decides."""
    X, y = noise().split("y")
    model, without = clone(learner).fit(X, y), clone(learner).fit(X.drop("name"), y)
    assert model.schema_["name"].values == ("other values",)
    np.testing.assert_allclose(model.predict(X), without.predict(X.drop("name")), rtol=1e-9)


FOREST = RandomForestRegressor(20, random_state=0)


@pytest.mark.parametrize("learner", [CARTRegressor(), LinearRegression(), FOREST])
def test_a_column_that_says_much_is_used(learner):
    """The level of the shop is nine tenths of the variance, and nothing else tells anything of it."""
    table = shops()
    train, test = table.take(np.arange(300)), table.take(np.arange(300, 400))
    model = clone(learner).fit(*train.split("y"))
    assert model.score(*test.split("y")) > 0.6
    assert len(model.schema_["shop"].values) > 35


def test_textbook_trees_keep_every_value():
    X, y = as_classes(noise())
    for learner in (ID3(), C45(), DecisionTreeClassifier(rare_values="keep")):
        assert learner.fit(X, y).schema_["name"].rest is None
    assert ID3().fit(X, y).tree_.attribute[0] == 0  # the name, which has the highest gain and says nothing
    for learner in (C45(rare_values="pool"), CART(), DecisionTreeClassifier()):
        assert learner.fit(X, y).tree_.attribute[0] == 1


def test_the_transformer_switches_pooling_off():
    X, y = as_classes(noise())
    model = make_pipeline(RareValues(min_frequency=1), NaiveBayes()).fit(X, y)
    assert len(model[-1].schema_["name"].values) == 151  # all, and one for what was never seen


@pytest.mark.parametrize(
    "learner",
    [
        CART(),
        NaiveBayes(),
        AdaBoostClassifier(n_estimators=5),
        RandomForestClassifier(5, random_state=0),
    ],
)
def test_what_is_pooled_is_part_of_the_model_file(learner, tmp_path):
    X, y = as_classes(shops())
    X, y = X.take(np.arange(150)), y[:150]  # so that some shops are rare
    model = learner.fit(X, y)
    few = model.schema_["shop"]
    assert few.rest == "other values"
    assert len(few.values) < 40
    opened = ob.open_model(ob.save(model, tmp_path / "model.openbook"))
    assert opened.schema_ == model.schema_
    rows = [{"shop": "never seen", "x": 0.5}, {"shop": few.values[0], "x": 0.5}, {"shop": None, "x": 0.5}]
    np.testing.assert_array_equal(opened.predict_proba(rows), model.predict_proba(rows))
    assert model.work()["rare values"].rows[0] == ("shop", len(few.values) - 1, "other values")


def test_every_fold_pools_by_its_own_rows():
    """`without_each` gives what `fit` gives on the same rows."""
    X, y = shops().split("y")
    parts = np.array_split(np.arange(400), 3)
    for model, part in zip(LinearRegression().without_each(X, y, parts), parts, strict=True):
        rest = np.setdiff1d(np.arange(400), part)
        alone = LinearRegression().fit(X.take(rest), y.take(rest))
        assert model.schema_ == alone.schema_
        np.testing.assert_allclose(model.predict(X), alone.predict(X))


def test_a_scan_pools_as_a_table_does(tmp_path):
    table = shops()
    table.to_pandas().to_csv(tmp_path / "shops.csv", index=False)
    model = LinearRegression().fit(ob.scan(tmp_path / "shops.csv"), "y")
    assert model.schema_ == LinearRegression().fit(ob.read(tmp_path / "shops.csv"), "y").schema_
    assert model.predict(ob.scan(tmp_path / "shops.csv")).shape == (400,)


def test_more_rows_keep_what_is_pooled():
    X, y = as_classes(shops())
    model = NaiveBayes().fit(X.take(np.arange(100)), y[:100])
    few = model.schema_["shop"]
    model.partial_fit(X.take(np.arange(100, 400)), y[100:])
    assert model.schema_["shop"] == few
