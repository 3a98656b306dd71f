"""Polynomials that fit too little and too much; optimistic and pessimistic errors of any model."""

import numpy as np
import pytest

from openbook.judge import METRICS, Curve, Generalisation


def curve_of(original, new, orders):
    """Errors on the points fitted and on new ones, as one fold."""
    scores = [[[e] for e in errors] for errors in (original, new)]
    return Curve("complexity", "polynomial", "order", tuple(orders), METRICS["mse"], *scores, [0.5], 10, 10)


def test_the_stated_models(golden):
    record = golden("polynomial_mse.stated_table")
    models, expected = record["data"]["models"], record["expected"]
    original, new = ([m[key] for m in models] for key in ("mse_original", "mse_new"))
    curve = curve_of(original, new, range(3))
    assert int(np.argmin(curve.training)) == expected["best_on_original"]
    assert curve.best == expected["best_on_new"]
    assert [curve.gap(i).difference for i in range(3)] == pytest.approx(expected["gap"], rel=1e-14)
    said = {"underfit": "under-fitting", None: "best", "overfit": "over-fitting"}
    assert curve.verdicts() == [said[m["verdict"]] for m in models]


def test_one_lucky_split_hides_it(golden):
    record = golden("polynomial_mse.two_splits")
    data, expected = record["data"], record["expected"]
    curve = Curve(
        "complexity",
        "polynomial",
        "order",
        (9,),
        METRICS["mse"],
        [data["train_mse"]],
        [data["test_mse"]],
        [1, 1],
        5,
        5,
    )
    assert curve.mean(0) == pytest.approx(expected["mean_test_mse"], rel=1e-15)
    assert curve.validation[0, 0] / curve.validation[0, 1] == pytest.approx(expected["ratio"], rel=1e-14)
    assert curve.interval(0).low == 0  # so far apart that the mean says little
    assert curve.interval(0).high > 500


@pytest.mark.filterwarnings("ignore:LinearRegression. there are no more rows than coefficients")
def test_orders_of_six_points(golden):
    """The curve over the order, with the six points to fit and the new ones to judge by."""
    from openbook.judge import complexity_curve
    from openbook.linear import LinearRegression, Polynomial

    record = golden("polynomial_mse.own_six_points")
    data, fits = record["data"], record["expected"]["fits"]
    x = np.array([*data["x"], *data["x_new"]], dtype=float)[:, None]
    y = np.array([*data["y"], *data["y_new"]])
    split = [(np.arange(6), np.arange(6, 10))]
    bases = [Polynomial(order) for order in data["orders"]]
    curve = complexity_curve(LinearRegression(), x, y, "basis", bases, split, "mse")
    assert curve.training[:, 0] == pytest.approx([fit["mse_original"] for fit in fits], rel=1e-9, abs=1e-20)
    assert curve.validation[:, 0] == pytest.approx([fit["mse_new"] for fit in fits], rel=1e-9)
    assert data["orders"][curve.best] == record["expected"]["best_on_new"]
    assert curve.verdicts() == ["under-fitting", "best", "over-fitting", "over-fitting"]


def test_thirty_leaves(golden):
    record = golden("pessimistic_30_leaves")
    data, expected = record["data"], record["expected"]
    found = Generalisation(data["errors"], data["n"], data["leaves"], data["k"])
    assert found.optimistic == expected["training_rate"]
    assert found.pessimistic_errors == expected["pessimistic_errors"]
    assert found.pessimistic == expected["pessimistic_rate"]
    work = found.work()
    assert work["pessimistic errors"].numbers == r"10 + 0.5 \cdot 30"
    assert work["pessimistic error"].result == expected["pessimistic_rate"]


def test_two_trees(golden):
    record = golden("optimistic_two_trees")
    found = {name: Generalisation(e, record["data"]["n"], 1) for name, e in record["data"]["errors"].items()}
    rates = {name: each.optimistic for name, each in found.items()}
    assert rates == pytest.approx(record["expected"]["rate"], rel=1e-15)
    assert min(rates, key=rates.get) == record["expected"]["preferred"]


def test_expanding_a_node_and_replacing_a_subtree(golden):
    """The same penalty for whole models: pruning chooses between a subtree and a leaf by it."""
    data, expected = (golden("prepruning_expand")[key] for key in ("data", "expected"))
    leaf = Generalisation(data["node_errors"], 100, 1, data["k"]).pessimistic_errors
    split = Generalisation(data["child_errors_total"], 100, data["children"], data["k"]).pessimistic_errors
    assert (leaf, split) == (expected["as_leaf"], expected["expanded"])
    assert (split < leaf) is expected["expand"]
