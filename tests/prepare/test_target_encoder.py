"""The target encoder: by hand, against scikit-learn, as a step."""

import numpy as np
import pandas as pd
import pytest
from sklearn.preprocessing import TargetEncoder as Theirs

import openbook as ob
from openbook.errors import DataError, RefusalError
from openbook.linear import LogisticRegression
from openbook.prepare import Prepared, TargetEncoder, step


@pytest.fixture
def towns():
    rng = np.random.default_rng(0)
    return pd.DataFrame({"town": rng.choice(["Ulm", "Bonn", "Kiel"], 90), "x": rng.normal(size=90)})


def test_the_cells_are_those_of_scikit_learn(towns):
    y = np.random.default_rng(1).normal(size=90)
    ours = TargetEncoder(smooth=4.0).fit(towns, y).transform(towns)["town: mean target"]
    np.testing.assert_allclose(
        ours, Theirs(smooth=4.0).fit(towns[["town"]], y).transform(towns[["town"]])[:, 0]
    )
    classes = np.random.default_rng(2).choice(["a", "b", "c"], 90)
    theirs = Theirs(smooth=1.0, target_type="multiclass").fit(towns[["town"]], classes)
    ours = TargetEncoder(smooth=1.0).fit(towns, classes).transform(towns)
    shares = ours[["town: share of b", "town: share of c"]]
    np.testing.assert_allclose(shares, theirs.transform(towns[["town"]])[:, 1:])


def test_training_rows_have_the_means_of_the_other_folds():
    """With as many towns as rows, other rows tell nothing of a row's own: there is a mean for each fold."""
    rows = ob.read({"town": [f"t{i}" for i in range(50)]})
    y = np.arange(50.0)
    cells = TargetEncoder(smooth=1.0).fit_transform(rows, y)["town: mean target"].data
    assert len(set(cells.round(9))) <= 5
    assert TargetEncoder(smooth=0).fit(rows, y).transform(rows)["town: mean target"].tolist() == y.tolist()


def test_a_row_of_weight_zero_is_no_row(towns):
    y = np.random.default_rng(1).normal(size=90)
    weights = np.ones(90)
    weights[:30] = 0
    some = TargetEncoder().fit_transform(towns, y, sample_weight=weights)
    alone = TargetEncoder().fit_transform(towns[30:], y[30:])
    np.testing.assert_allclose(some["town: mean target"][30:], alone["town: mean target"])


def test_what_is_missing_stays_so_and_what_is_new_has_the_mean_of_all():
    rows = ob.read({"town": ["Ulm", "Ulm", "Bonn", None], "price": [1.0, 3.0, 8.0, 100.0]})
    means = TargetEncoder(smooth=0).fit(rows, "price")
    said = means.transform([{"town": "Ulm"}, {"town": "Kiel"}, {"town": None}])["town: mean price"].tolist()
    assert said[:2] == [2.0, 4.0]
    assert np.isnan(said[2])
    assert means.categories_ == [("Bonn", "Ulm")]
    assert means.encodings_[0].tolist() == [8.0, 2.0]


def test_it_is_a_step():
    assert step("means town").columns == ["town"]
    assert step("means town 10").smooth == 10
    X, y = ob.load("credit", rows=300).split("default")
    model = Prepared(LogisticRegression(), ["means"]).fit(X, y)
    names = model.prepared(X).names
    assert all(f"{name}: share of yes" in names for name in X.schema.of(ob.data.Nominal))
    with pytest.raises(RefusalError, match="finds no column 'twon'"):
        Prepared(LogisticRegression(), ["means twon"]).fit(X, y)


def test_the_work_derives_n0_and_the_cells(towns):
    y = np.where(towns["town"] == "Ulm", 5.0, 0.0) + np.random.default_rng(1).normal(size=90)
    means = TargetEncoder().fit(towns, y)
    work = means.work()["town"]
    assert work["n0"].result == pytest.approx(means.means_["town"][0].needed)
    cell = means.transform([{"town": "Ulm", "x": 1.0}])["town: mean target"][0]
    assert means.work({"town": "Ulm", "x": 1.0})["town: mean target"].result == pytest.approx(cell)


def test_without_a_target_it_says_so(towns):
    with pytest.raises(DataError, match="requires y"):
        TargetEncoder().fit(towns)
