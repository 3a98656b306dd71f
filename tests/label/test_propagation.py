"""Labels along a graph of nearest rows: by hand, and against scikit-learn's kNN kernel."""

import numpy as np
import pytest
from sklearn import semi_supervised
from sklearn.datasets import load_iris

import openbook as ob
from openbook.errors import DataError
from openbook.label import LabelPropagation, LabelSpreading, NearestPropagation

#: Rows at whole distances have ties, which the two search in another order.
NOISE = np.random.default_rng(0).normal(0, 1e-3, (150, 4))


@pytest.fixture(scope="module")
def iris():
    X, y = load_iris(return_X_y=True)
    return X + NOISE, np.where(np.arange(150) % 10, -1, y)


@pytest.mark.filterwarnings("ignore:max_iter=:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.filterwarnings("ignore:Label.* did not converge:sklearn.exceptions.ConvergenceWarning")
@pytest.mark.parametrize(
    ("ours", "parameters"),
    [
        (LabelPropagation, {"n_neighbors": 7}),
        (LabelPropagation, {"n_neighbors": 12, "max_iter": 5}),
        (LabelSpreading, {"n_neighbors": 7}),
        (LabelSpreading, {"n_neighbors": 10, "alpha": 0.8, "max_iter": 100}),
    ],
)
def test_it_is_scikit_learns_knn_kernel(iris, ours, parameters):
    X, y = iris
    model = ours(scale=False, **parameters).fit(X, y)
    theirs = getattr(semi_supervised, ours.__name__)(kernel="knn", **parameters).fit(X, y)
    reached = theirs.label_distributions_.sum(axis=1) > 0
    assert reached.sum() == 150 - model.n_unreached_
    np.testing.assert_allclose(
        model.label_distributions_[reached], theirs.label_distributions_[reached], atol=1e-9
    )
    if reached.all():
        np.testing.assert_allclose(model.predict_proba(X + 0.1), theirs.predict_proba(X + 0.1), atol=1e-9)


def test_propagation_by_hand():
    """Row 1 hears 0 and itself, row 2 hears 3 and itself: f_1 is a alone, f_2 is b."""
    model = LabelPropagation(n_neighbors=2, scale=False, max_iter=2, tol=0.0)
    model.fit([[0.0], [1.0], [3.0], [4.0]], ["a", None, None, "b"])
    assert model.label_distributions_.tolist() == [[1, 0], [1, 0], [0, 1], [0, 1]]


def test_spreading_by_hand():
    """Each hears the other, and d = 1: f_1 = α f_0, whose class is a alone."""
    model = LabelSpreading(n_neighbors=2, alpha=0.2, max_iter=1, tol=0.0, scale=False)
    model.fit([[0.0], [1.0], [50.0], [51.0]], ["a", None, "b", "b"])
    assert model.label_distributions_[1].tolist() == [1, 0]
    assert model.transduction_.tolist() == ["a", "a", "b", "b"]


@pytest.mark.parametrize("kind", [LabelPropagation, LabelSpreading, NearestPropagation])
def test_a_fitted_model_does_not_change_with_the_rows_it_was_given(kind):
    X = np.array([[0.0], [1.0], [3.0], [4.0]])
    model = kind(scale=False).fit(X, ["a", None, None, "b"])
    predicted, shown = model.predict_proba([[0.5], [3.5]]), str(model.work())
    X[:] = 100.0
    np.testing.assert_array_equal(model.predict_proba([[0.5], [3.5]]), predicted)
    assert str(model.work()) == shown


def test_rows_that_no_label_reaches_get_the_shares_of_the_labels():
    X = [[0.0], [0.1], [5.0], [5.1], [90.0], [90.1]]
    model = LabelPropagation(n_neighbors=2, scale=False).fit(X, ["a", "a", "b", None, None, None])
    assert model.n_unreached_ == 2
    assert "2 rows that no label reaches have the shares" in model.work().conclusion
    assert model.label_distributions_[4].tolist() == pytest.approx([2 / 3, 1 / 3])
    assert ("rows that no label reaches", 2) in [tuple(row) for row in model.work()["the graph"].rows]


@pytest.mark.parametrize(
    "learner", [LabelPropagation(), LabelSpreading(alpha=0.5)], ids=["propagation", "spreading"]
)
def test_the_twin_agrees_and_the_file_keeps_it(tmp_path, learner):
    X, y = ob.load("credit", rows=120, random_state=1).split("default")
    labels = [label if i % 2 else None for i, label in enumerate(y.tolist())]
    model = learner.set_params(max_iter=500, tol=1e-10).fit(X, labels)
    assert model.space_.metric == "gower"
    shown = model.work()["row 0"]
    steps = [part.result for part in shown.parts]
    share = [step / sum(steps) for step in steps]  # at rest, another round changes nothing
    assert share == pytest.approx(model.label_distributions_[0].tolist(), abs=1e-6)
    ob.save(model, tmp_path / "m.openbook")
    opened = ob.open_model(tmp_path / "m.openbook")
    assert str(opened.work()) == str(model.work())
    assert (opened.predict_proba(X) == model.predict_proba(X)).all()


def test_weights_are_refused(iris):
    X, y = iris
    with pytest.raises(DataError, match="LabelSpreading takes no sample_weight"):
        LabelSpreading().fit(X, y, sample_weight=np.arange(1, 151))


def test_nearest_propagation_by_hand():
    # 3 is 0.5 from b; then 1 is 1 from a; then 2 is 1.5 from 1, and 4.5 from 3; it would be 2.5 from a
    X = [[0.0], [1.0], [2.5], [7.5], [8.0]]
    model = NearestPropagation(scale=False).fit(X, ["a", None, None, None, "b"])
    assert model.order_.tolist() == [3, 1, 2]
    assert model.sources_.tolist() == [4, 0, 1]
    assert model.distances_.tolist() == [0.5, 1.0, 1.5]
    assert model.transduction_.tolist() == ["a", "a", "a", "b", "b"]
    assert model.predict([[4.0], [6.0]]).tolist() == ["a", "b"]
    assert "nearest labelled row" in model.work().text()
    assert "How far each label travelled" in model.draw_rounds().svg()


def test_a_chain_carries_a_label_further_than_neighbours_vote():
    """Two half rings with one label each: the label walks along its ring."""
    angle = np.linspace(0, np.pi, 60)
    rings = np.r_[np.c_[np.cos(angle), np.sin(angle)], np.c_[1 - np.cos(angle), 0.4 - np.sin(angle)]]
    y = np.full(120, None, dtype=object)
    y[0], y[60] = "upper", "lower"
    model = NearestPropagation(scale=False).fit(rings, y)
    assert model.transduction_.tolist() == ["upper"] * 60 + ["lower"] * 60
