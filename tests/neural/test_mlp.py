"""Networks on typed tables: outputs and probabilities, starting weights, the work of a row, the file."""

import io
import json
import zipfile

import numpy as np
import pytest
from sklearn import neural_network
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning

from openbook import load, open_model, save
from openbook.data import Nominal, Schema, Table
from openbook.errors import DataError, ModelFileError, ParameterError
from openbook.neural import MLPClassifier, MLPRegressor
from openbook.neural.outputs import CrossEntropy, Distance
from openbook.work import Grid

CREDIT = load("credit", rows=300, random_state=2)
IRIS = load("iris")
X, Y = IRIS.split("species")
XOR = [[0, 0], [0, 1], [1, 0], [1, 1]]


@pytest.mark.parametrize("activation", ["tanh", "logistic", "relu"])
def test_exclusive_or(activation):
    for loss in ("cross_entropy", "squared"):
        learner = MLPClassifier(
            hidden_layer_sizes=8,
            activation=activation,
            loss=loss,
            max_iter=2000,
            tol=0,
            n_iter_no_change=2000,
            alpha=0,
            random_state=3,
        )
        assert learner.fit(XOR, [0, 1, 1, 0]).predict(XOR).tolist() == [0, 1, 1, 0]
    assert (
        MLPClassifier(hidden_layer_sizes=(), max_iter=500).fit(XOR, [0, 1, 1, 0]).score(XOR, [0, 1, 1, 0]) < 1
    )


@pytest.mark.parametrize("integration", ["quadratic", "spherical"])
def test_a_ring_for_units_that_square(integration):
    """One such unit draws a circle, which a weighted sum cannot."""
    points = np.random.default_rng(0).normal(size=(300, 2))
    inside = (points**2).sum(axis=1) < 1
    learner = MLPClassifier(
        hidden_layer_sizes=1, integration=integration, max_iter=500, alpha=0, random_state=1
    )
    assert learner.fit(points, inside).score(points, inside) > 0.95
    assert learner.set_params(integration="sum").fit(points, inside).score(points, inside) < 0.8


@pytest.mark.parametrize("output", ["logistic", "softmax", "tanh", "sign", "identity"])
def test_any_output_gives_probabilities(output):
    for table, target in ((IRIS, "species"), (CREDIT, "default")):
        model = MLPClassifier(
            hidden_layer_sizes=(4,), output=output, loss="squared", max_iter=60, random_state=0
        )
        proba = model.fit(table, target).predict_proba(table)
        assert proba.shape == (len(table), len(model.classes_))
        assert ((proba >= 0) & (proba <= 1)).all()
        np.testing.assert_allclose(proba.sum(axis=1), 1, rtol=1e-14)
        for i in (0, 60, 120):
            work = model.work(table.take([i]))
            labels = [f"P({target} = {c} | x)" for c in model.classes_]
            shown = [work[label].result for label in labels]
            np.testing.assert_allclose(shown, proba[i], rtol=1e-7, atol=1e-12)


def test_probabilities_by_hand():
    z = np.array([[0.5, -1.0, 2.0], [-1.0, -2.0, -3.0]])
    shares = Distance("identity").probabilities(z, 3)
    np.testing.assert_allclose(shares, [[1 / 3, 0, 2 / 3], [1 / 3, 1 / 3, 1 / 3]])  # clipped; nothing left
    assert Distance("sign").probabilities(np.array([[3.0], [-3.0]]), 2).tolist() == [[0, 1], [1, 0]]
    np.testing.assert_allclose(Distance("tanh").probabilities(np.array([[0.0]]), 2), [[0.5, 0.5]])
    assert CrossEntropy("softmax").probabilities(np.array([[7.0]]), 1).tolist() == [[1.0]]


def test_targets_by_hand():
    codes = np.array([0, 2, 1])
    assert CrossEntropy("softmax").coded(codes, 3, float).tolist() == [0, 2, 1]
    assert Distance("tanh").coded(codes, 3, float).tolist() == [[1, -1, -1], [-1, -1, 1], [-1, 1, -1]]
    assert CrossEntropy("logistic").coded(np.array([0, 1]), 2, float).tolist() == [[0], [1]]
    assert Distance("sign").coded(np.array([0, 1]), 2, float).tolist() == [[-1], [1]]
    assert Distance("logistic").units(2) == 1
    assert Distance("softmax").units(2) == 2


def test_cross_entropy_needs_probabilities():
    with pytest.raises(
        ParameterError,
        match=r"cross-entropy needs probabilities, and tanh units give none; take loss='squared'",
    ):
        MLPClassifier(output="tanh").fit(X, Y)


@pytest.mark.parametrize("hidden", [(0,), (2.5,), "8", None, 0, (True,)])
def test_layers_of_no_units_are_refused(hidden):
    with pytest.raises(
        ParameterError, match="hidden_layer_sizes must be a sequence of whole numbers of at least 1, one for"
    ):
        MLPClassifier(hidden_layer_sizes=hidden).fit(X, Y)


@pytest.mark.parametrize(
    ("init", "message"),
    [
        (
            {"coefs_init": "best"},
            "coefs_init must be None, or an array of weights for each layer, got",
        ),
        ({"coefs_init": [np.zeros((4, 2))]}, "coefs_init has 1 layers, but the network has 2"),
        (
            {"coefs_init": [np.zeros((2, 4)), np.zeros((2, 3))]},
            r"coefs_init of layer 1 must be \(4, 2\) finite numbers, got \(2, 4\)",
        ),
        (
            {"coefs_init": [np.zeros((4, 2)), np.full((2, 3), np.nan)]},
            r"coefs_init of layer 2 must be \(2, 3\) finite numbers",
        ),
        (
            {"coefs_init": [np.zeros((4, 2)), np.zeros((2, 3))], "intercepts_init": [[0], [0]]},
            r"intercepts_init of layer 1 must be \(2,\) finite numbers",
        ),
    ],
)
def test_starting_weights_that_do_not_fit(init, message):
    with pytest.raises(ParameterError, match=message):
        MLPClassifier(hidden_layer_sizes=(2,), **init).fit(X, Y)


def test_it_can_go_on_from_another():
    first = MLPClassifier(max_iter=5, random_state=0).fit(X, Y)
    init = {"coefs_init": first.coefs_, "intercepts_init": first.intercepts_}
    longer = MLPClassifier(max_iter=5, **init, random_state=0).fit(X, Y)
    assert longer.loss_curve_[0] < first.loss_curve_[-1]


def test_targets_are_scaled_unless_told():
    table = load("diabetes")
    model = MLPRegressor(max_iter=50, random_state=0).fit(table, "progression")
    y = np.asarray(table.column("progression"))
    assert model.target_mean_ == pytest.approx(y.mean())
    assert model.target_scale_ == pytest.approx(y.std())
    plain = MLPRegressor(max_iter=1, scale=False, random_state=0).fit(table, "progression")
    assert (plain.target_mean_, plain.target_scale_) == (0, 1)
    constant = MLPRegressor(max_iter=1, random_state=0).fit([[1.0], [2.0]], [7.0, 7.0])
    assert constant.target_scale_ == 1
    weighted = MLPRegressor(max_iter=1).fit([[0.0], [1.0]], [0.0, 4.0], sample_weight=[3, 1])
    assert weighted.target_mean_ == pytest.approx(1.0)
    assert weighted.target_scale_ == pytest.approx(np.sqrt(3))


def test_huber_is_not_moved_by_an_outlier():
    x = np.linspace(-1, 1, 41)[:, None]
    y = 2 * x[:, 0]
    y[40] = 500.0
    parameters = {
        "hidden_layer_sizes": (),
        "max_iter": 3000,
        "tol": 0,
        "n_iter_no_change": 3000,
        "alpha": 0,
        "random_state": 0,
    }
    robust = MLPRegressor(loss="huber", **parameters).fit(x, y)
    plain = MLPRegressor(**parameters).fit(x, y)
    centre = [[0.0]]
    assert abs(robust.predict(centre)[0]) < abs(plain.predict(centre)[0]) / 2
    work = robust.work({"x0": 1.0, "target": 500.0})
    assert work["e2"].result > 1
    assert work["δ2"].result == 1.0
    assert "an error above 1 counts as that value" in work["δ2"].note


def test_the_work_of_a_number():
    model = MLPRegressor(hidden_layer_sizes=(3,), max_iter=30, random_state=0).fit(
        load("diabetes"), "progression"
    )
    row = load("diabetes").take([5])
    work = model.work(row)
    assert work["progression"].result == pytest.approx(model.predict(row)[0], rel=1e-9)
    truth = row.column("progression")[0]
    scaled = (truth - model.target_mean_) / model.target_scale_
    assert work["loss"].result == pytest.approx((scaled - work["o14"].result) ** 2 / 2, rel=1e-9)
    with pytest.raises(DataError, match="target 'progression' is a number, and the truth given is 'high'"):
        model.work(row, truth="high")


def test_the_truth_of_a_row_in_any_form():
    model = MLPClassifier(hidden_layer_sizes=(3,), max_iter=10, random_state=0).fit(IRIS, "species")
    row = IRIS.row(60)
    named = model.work(row).text()
    assert "error passed back to hidden layer 1" in named
    assert model.work(IRIS.take([60])).text() == named
    assert model.work(IRIS.take([60]).to_pandas()).text() == named
    assert model.work(IRIS.take([60]).to_pandas().iloc[0]).text() == named
    inputs = {name: value for name, value in row.items() if name != "species"}
    assert model.work(inputs, truth="versicolor").text() == named
    assert model.work(list(inputs.values()), truth="versicolor").text() == named
    forward = model.work(inputs).text()
    assert "error" not in forward
    assert named.startswith(forward.splitlines()[0])
    assert model.work({**inputs, "species": None}).text() == forward
    with pytest.raises(DataError, match=r"no class 'versicolour'\. Did you mean 'versicolor'"):
        model.work(inputs, truth="versicolour")


def test_large_layers_are_shortened():
    model = MLPClassifier(hidden_layer_sizes=(40, 40), max_iter=2, random_state=0).fit(X, Y)
    work = model.work(X.take([0]), truth="setosa")
    hidden = next(part for part in work.parts if getattr(part, "title", "") == "hidden layer 1")
    grid = hidden.parts[-1]
    assert isinstance(grid, Grid)
    assert len(grid.rows) == 30
    assert grid.rows[-1][0] == 44
    assert grid.rows[-2][0] == "…"
    assert len(work.text()) < 20_000


def test_the_work_of_learning():
    model = MLPClassifier(
        hidden_layer_sizes=(2,), max_iter=100, early_stopping=True, validation_fraction=0.2, random_state=0
    ).fit(X, Y)
    work = model.work()
    grids = {part.title: part for part in work.parts if isinstance(part, Grid)}
    assert [row[1] for row in grids["layers"].rows] == [4, 2, 3]
    curve = grids["training curve"]
    assert curve.rows[0][1:] == (model.loss_curve_[0], model.validation_curve_[0])
    assert curve.rows[-1][0] == len(model.loss_curve_)
    weights = dict(grids["weights"].rows)
    assert weights["w15"] == model.coefs_[0][0, 0]
    assert weights["w69"] == model.coefs_[1][1, 2]
    assert weights["b9"] == model.intercepts_[1][2]
    assert work["η"].result == 0.02


@pytest.mark.parametrize("integration", ["sum", "quadratic", "spherical"])
def test_columns_of_gaps_alone_leave_the_biases(integration):
    gaps = Table(Schema((Nominal("a", ("x", "y")),)), [np.full(3, -1, dtype=np.int8)])
    for optimiser in ("sgd", "adam"):
        still = {"max_iter": 500, "tol": 0, "n_iter_no_change": 500, "alpha": 0, "random_state": 0}
        learner = MLPClassifier(integration=integration, solver=optimiser, learning_rate_init=0.02, **still)
        proba = learner.fit(gaps, [0, 1, 1]).predict_proba(gaps)
        np.testing.assert_allclose(proba, [[1 / 3, 2 / 3]] * 3, atol=0.01)


def test_complexity_counts_weights():
    assert MLPClassifier(hidden_layer_sizes=(5,), max_iter=0).fit(X, Y).complexity() == 4 * 5 + 5 + 5 * 3 + 3
    assert (
        MLPClassifier(hidden_layer_sizes=(5,), max_iter=0, fit_intercept=False).fit(X, Y).complexity()
        == 4 * 5 + 5 * 3
    )


def tampered(path, change_record=lambda model: None, change_arrays=lambda arrays: None):
    """The file with its record or arrays changed, well formed otherwise."""
    with zipfile.ZipFile(path) as archive:
        record = json.loads(archive.read("model.json"))
        names = [name for name in archive.namelist() if name != "model.json"]
        arrays = {
            name.removeprefix("arrays/").removesuffix(".npy"): np.load(io.BytesIO(archive.read(name)))
            for name in names
        }
    change_record(record["model"])
    change_arrays(arrays)
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("model.json", json.dumps(record))
        for name, array in arrays.items():
            buffer = io.BytesIO()
            np.save(buffer, array)
            archive.writestr(f"arrays/{name}.npy", buffer.getvalue())
    return path


@pytest.mark.parametrize("precision", ["float64", "float32"])
def test_a_file_keeps_all(tmp_path, precision):
    model = MLPClassifier(
        hidden_layer_sizes=(3, 2),
        max_iter=7,
        early_stopping=True,
        validation_fraction=0.2,
        precision=precision,
        random_state=0,
    ).fit(CREDIT, "default")
    opened = open_model(save(model, tmp_path / "net.openbook"))
    assert (opened.predict_proba(CREDIT) == model.predict_proba(CREDIT)).all()
    assert opened.work().text() == model.work().text()
    assert (opened.validation_curve_ == model.validation_curve_).all()
    given = MLPClassifier(
        hidden_layer_sizes=(2,),
        coefs_init=[np.ones((4, 2)), np.ones((2, 3))],
        max_iter=1,
        random_state=0,
    ).fit(X, Y)
    again = open_model(save(given, tmp_path / "given.openbook"))
    assert (again.fit(X, Y).predict_proba(X) == given.predict_proba(X)).all()


@pytest.mark.parametrize(
    ("record", "arrays", "message"),
    [
        (
            None,
            lambda a: a.update({"weights.0": a["weights.0"][:, :-1]}),
            r"array 'weights\.0' is not valid: float64\(4, 1\)",
        ),
        (
            None,
            lambda a: a.update({"weights.1": a["weights.1"] * np.nan}),
            r"'weights\.1' .* of finite numbers",
        ),
        (
            None,
            lambda a: a.update({"biases.1": a["biases.1"].astype(int)}),
            r"'biases\.1' is not valid: int64",
        ),
        (None, lambda a: a.pop("biases.0"), "biases"),
        (None, lambda a: a.update({"weights.2": np.zeros((3, 3))}), r"'weights\.2' belongs to no layer"),
        (None, lambda a: a.update({"loss_curve": np.zeros((2, 2))}), "'loss_curve'"),
        (None, lambda a: a.update({"trace": np.zeros((2, 2))}), "'trace'"),
        (None, lambda a: a.update({"encoding.scale": np.zeros(4)}), "above zero"),
        (lambda m: m["parameters"].update(hidden_layer_sizes=[3]), None, r"expected float64\(4, 3\)"),
        (
            lambda m: m["parameters"].update(hidden_layer_sizes=[-3]),
            None,
            "hidden_layer_sizes must be a sequence",
        ),
        (lambda m: m["parameters"].update(precision="float32"), None, "expected float32"),
        (lambda m: m["parameters"].update(output="tanh"), None, "cross-entropy needs probabilities"),
        (lambda m: m["facts"].pop("ending"), None, "ending"),
    ],
)
def test_a_file_that_is_no_network(tmp_path, record, arrays, message):
    path = save(MLPClassifier(hidden_layer_sizes=(2,), max_iter=2).fit(X, Y), tmp_path / "net.openbook")
    tampered(path, record or (lambda m: None), arrays or (lambda a: None))
    with pytest.raises(ModelFileError, match=message):
        open_model(path)


def test_a_regressor_of_no_scale(tmp_path):
    path = save(MLPRegressor(max_iter=1).fit([[1.0], [2.0]], [1.0, 2.0]), tmp_path / "net.openbook")
    tampered(path, change_arrays=lambda arrays: arrays.update(target=np.array([0.0, 0.0])))
    with pytest.raises(ModelFileError, match="the scale of its target must be above zero"):
        open_model(path)


def test_what_scikit_learn_tells_of_a_network_is_told():
    X, y = load_iris(return_X_y=True)
    told = ("n_layers_", "n_outputs_", "out_activation_")
    for codes in (y, (y == 1).astype(int)):
        ours = MLPClassifier((5, 4), max_iter=3, random_state=0).fit(X, codes)
        with pytest.warns(ConvergenceWarning):
            theirs = neural_network.MLPClassifier((5, 4), max_iter=3, random_state=0).fit(X, codes)
        assert [getattr(ours, name) for name in told] == [getattr(theirs, name) for name in told]
        assert (ours.loss_, ours.best_loss_) == (ours.loss_curve_[-1], min(ours.loss_curve_))
