"""The worked examples of backpropagation: the 2-2-1 network of sign units, update by update."""

import numpy as np
import pytest

from openbook.neural import MLPClassifier

EXAMPLES = ["sign_backprop.or_network", "sign_backprop.own_signed_inputs"]
NAMES = ["w13", "w14", "w23", "w24", "w35", "w45"]


def start(weights):
    first = [[weights["w13"], weights["w14"]], [weights["w23"], weights["w24"]]]
    return [first, [[weights["w35"]], [weights["w45"]]]]


def learner(record, epochs, weights=None):
    """The network of the example: no biases, squared loss, one row at a time as they come."""
    return MLPClassifier(
        hidden_layer_sizes=(2,),
        activation="sign",
        output="sign",
        loss="squared",
        solver="sgd",
        learning_rate_init=record["data"]["learning_rate"],
        batch_size=1,
        max_iter=epochs,
        n_iter_no_change=1000,
        alpha=0,
        coefs_init=start(weights or record["data"]["initial"]),
        fit_intercept=False,
        shuffle=False,
        scale=False,
    )


def fitted(record, epochs, weights=None):
    return learner(record, epochs, weights).fit(record["data"]["X"], record["data"]["y"])


@pytest.mark.parametrize("id_", EXAMPLES)
def test_weights_after_every_update(golden, id_):
    record = golden(id_)
    model = fitted(record, record["data"]["epochs"])
    expected = [[step["weights_after"][name] for name in NAMES] for step in record["expected"]["steps"]]
    np.testing.assert_allclose(model.trace_[:, :6], expected, atol=1e-12)
    assert not model.trace_[:, 6:].any()  # no biases
    before = [[record["data"]["initial"][name] for name in NAMES], *expected[:-1]]
    downhill = np.subtract(before, expected) / record["data"]["learning_rate"]
    np.testing.assert_allclose(model.gradients_[:, :6], downhill, atol=1e-12)
    shown, gradients = model.work().parts[-2:]
    assert gradients.title == "gradient of every update"
    assert shown.title == "after every update"
    assert list(shown.header) == ["epoch", "update", *NAMES]
    np.testing.assert_allclose([row[2:] for row in shown.rows], expected, atol=1e-12)
    assert [row[0] for row in shown.rows] == [step["epoch"] for step in record["expected"]["steps"]]


@pytest.mark.parametrize("id_", EXAMPLES)
def test_every_pass_unit_by_unit(golden, id_):
    """From the weights before each update: sums, answers, errors and the new weights, as derived."""
    record = golden(id_)
    weights = record["data"]["initial"]
    for step in record["expected"]["steps"]:
        model = fitted(record, 0, weights)
        x, y = record["data"]["X"][step["row"]], record["data"]["y"][step["row"]]
        work = model.work({"x0": x[0], "x1": x[1], "class": y})
        figures = {"z3": "z3", "z4": "z4", "h3": "h3", "h4": "h4", "z5": "z5", "o5": "yhat", "e5": "error"}
        for label, name in figures.items():
            assert work[label].result == pytest.approx(step[name], abs=1e-12), (step, label)
        assert work["δ5"].result == pytest.approx(step["error"], abs=1e-12)
        assert work["δ3"].result == pytest.approx(weights["w35"] * step["error"], abs=1e-12)
        assert work["loss"].result == pytest.approx(step["error"] ** 2 / 2, abs=1e-12)
        for name in NAMES:
            assert work[name].result == pytest.approx(step["weights_after"][name], abs=1e-12), (step, name)
        assert f"class = {step['yhat']}." in work.conclusion
        assert model.predict([x])[0] == step["yhat"]
        weights = step["weights_after"]


@pytest.mark.parametrize("id_", [*EXAMPLES, "sign_backprop.or_network_settles"])
def test_errors_of_every_epoch(golden, id_):
    """A wrong answer is off by 2, and costs ½ 2² = 2; the loss is the mean over four rows."""
    record = golden(id_)
    model = fitted(record, record["data"]["epochs"])
    np.testing.assert_allclose(model.loss_curve_ * 4 / 2, record["expected"]["errors_per_epoch"], atol=1e-12)


def test_it_settles(golden):
    record = golden("sign_backprop.or_network_settles")
    expected = record["expected"]
    model = fitted(record, 40)
    assert int(np.argmin(model.loss_curve_)) + 1 == expected["first_clean_epoch"]
    weights = np.concatenate([layer.ravel() for layer in model.coefs_])
    np.testing.assert_allclose(weights, [expected["weights_after_40"][name] for name in NAMES], atol=1e-12)
    assert model.score(record["data"]["X"], record["data"]["y"]) == 1
