"""Cells filled from similar rows and by models, and noisy rows, by hand and beside scikit-learn."""

import numpy as np
import pytest
from sklearn import impute, preprocessing
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (it makes the class importable)
from sklearn.linear_model import LinearRegression

from openbook import load, read
from openbook.bayes import NaiveBayes
from openbook.errors import RefusalError
from openbook.prepare import IterativeImputer, KNNImputer, NoisyRows, Prepared

RNG = np.random.default_rng(0)
BASE = RNG.normal(size=(80, 2))
NUMBERS = np.column_stack([BASE, BASE @ [1.0, -2.0] + 0.1 * RNG.normal(size=80), RNG.normal(size=80)])
GAPS = np.where(RNG.random(NUMBERS.shape) < 0.15, np.nan, NUMBERS)


@pytest.mark.parametrize("weights", ["uniform", "distance"])
def test_neighbours_as_scikit_learn(weights):
    scaler = preprocessing.StandardScaler().fit(GAPS)
    theirs = impute.KNNImputer(n_neighbors=4, weights=weights).fit_transform(scaler.transform(GAPS))
    ours = KNNImputer(4, weights).fit_transform(GAPS)
    np.testing.assert_allclose(ours, scaler.inverse_transform(theirs), rtol=1e-9, atol=1e-9)


def test_values_are_voted_for_and_ranks_are_averaged():
    table = read(
        {
            "x": [1.0, 1.1, 1.2, 9.0, 1.05],
            "c": ["u", "v", "v", "u", None],
            "size": ["s", "l", "l", "s", None],
        },
        kinds={"size": ["s", "m", "l"]},
    )
    out = KNNImputer(n_neighbors=3).fit_transform(table)
    assert out["c"].tolist()[-1] == "v"
    assert out["size"].tolist()[-1] == "m"  # ranks 0, 2, 2: their mean 4/3 is nearest to 1


def test_the_work_names_the_rows_that_are_asked():
    table = read({"x": [0.0, 1.0, 9.0], "y": [4.0, 6.0, None], "z": ["a", "b", "b"]})
    (asked,) = KNNImputer(n_neighbors=2, columns=["y"]).fit(table).work(table.take([2])).parts
    assert [(row, cell) for row, _, _, cell in asked.parts[0].rows] == [(1, 6.0), (0, 4.0)]
    assert asked.conclusion == "It becomes 5."


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_models_as_scikit_learn():
    # one column with gaps: one linear regression on the others
    one = np.array(NUMBERS)
    one[:20, 2] = np.nan
    theirs = impute.IterativeImputer(LinearRegression()).fit_transform(one)
    np.testing.assert_allclose(IterativeImputer().fit_transform(one), theirs, atol=1e-4)
    # several: the same relations; rows with two gaps in near-collinear columns take many rounds
    single = np.isnan(GAPS).sum(axis=1) == 1
    theirs = impute.IterativeImputer(LinearRegression(), max_iter=1000, tol=1e-6).fit_transform(GAPS)
    ours = IterativeImputer(max_iter=1000, tol=1e-9).fit_transform(GAPS)
    np.testing.assert_allclose(ours[single], theirs[single], atol=0.01)
    np.testing.assert_allclose(ours, theirs, atol=0.1)


def test_a_model_of_values():
    table = read({"x": [*range(10), 20.0, 0.0], "c": ["low"] * 5 + ["high"] * 5 + [None, None]})
    out = IterativeImputer().fit_transform(table)
    assert out["c"].tolist()[-2:] == ["high", "low"]


def test_what_is_known_stays():
    for step in (KNNImputer(), IterativeImputer()):
        out = step.fit_transform(GAPS)
        np.testing.assert_array_equal(out[~np.isnan(GAPS)], GAPS[~np.isnan(GAPS)])
        assert not np.isnan(out).any()


def test_noisy_rows_are_left_out_inside_the_fold():
    X, y = load("blobs", rows=150, noise=0.6, random_state=1).split("class")
    labels = np.array(y.tolist(), dtype=object)
    wrong = np.arange(0, 150, 15)
    for i in wrong:
        labels[i] = "a" if labels[i] != "a" else "b"
    noisy = NoisyRows().fit(X, labels)
    assert not noisy.kept_[wrong].any()
    assert noisy.dropped_ <= 15
    model = Prepared(NaiveBayes(), ["drop-noise"]).fit(X, labels)
    assert model.steps_[0].dropped_ == noisy.dropped_
    with pytest.raises(RefusalError, match="requires y"):
        NoisyRows().fit(X)


def test_a_rare_class_stays():
    X = read({"x": np.arange(40.0)})
    y = ["no"] * 40
    y[5] = y[20] = y[33] = "yes"  # each among others
    assert NoisyRows().fit(X, y).kept_.all()


def test_noisy_numbers():
    x = np.arange(40.0)
    y = x + RNG.normal(0, 0.3, 40)
    y[7] = 500
    assert np.flatnonzero(~NoisyRows(n_neighbors=2).fit(x[:, None], y).kept_).tolist() == [6, 7, 8]
