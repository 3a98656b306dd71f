"""Updates and schedules by hand: one weight, one row, a loss of ½ (w - 1)² and so a gradient of w - 1."""

import math

import numpy as np
import pytest

from openbook.errors import ParameterError
from openbook.neural import MLPRegressor
from openbook.neural.network import Parameters

ONE = {
    "hidden_layer_sizes": (),
    "coefs_init": [[[3.0]]],
    "fit_intercept": False,
    "scale": False,
    "alpha": 0.0,
    "tol": 0.0,
    "n_iter_no_change": 100,
}


def path(**parameters):
    """The weight after each update, from 3; its gradient is w - 1."""
    return MLPRegressor(**{**ONE, **parameters}).fit([[1.0]], [1.0]).trace_[:, 0].tolist()


def test_plain_descent():
    assert path(solver="sgd", learning_rate_init=0.5, max_iter=3) == [2.0, 1.5, 1.25]


def test_momentum():
    # v = -0.5·2 = -1, w = 2;  v = 0.5·(-1) - 0.5·1 = -1, w = 1;  v = -0.5 - 0 = -0.5, w = 0.5
    moving = {"solver": "sgd", "learning_rate_init": 0.5, "momentum": 0.5, "max_iter": 3}
    assert path(**moving, nesterovs_momentum=False) == [2.0, 1.0, 0.5]
    # v = -1, w = 3 - 0.5 - 1 = 1.5;  v = -0.5 - 0.25 = -0.75, w = 1.5 - 0.375 - 0.25 = 0.875;
    # v = -0.375 + 0.0625 = -0.3125, w = 0.875 - 0.15625 + 0.0625 = 0.78125
    assert path(**moving) == [1.5, 0.875, 0.78125]


def test_adam():
    w, m, v, expected = 3.0, 0.0, 0.0, []
    for t in (1, 2, 3):
        g = w - 1.0
        m, v = 0.9 * m + 0.1 * g, 0.999 * v + 0.001 * g * g
        w -= 0.25 * (m / (1 - 0.9**t)) / (math.sqrt(v / (1 - 0.999**t)) + 1e-8)
        expected.append(w)
    assert path(solver="adam", learning_rate_init=0.25, max_iter=3) == pytest.approx(expected, rel=1e-12)
    assert expected[0] == pytest.approx(2.75, rel=1e-8)  # the first step is as long as `learning_rate_init`


def test_the_penalty_beside_the_summed_loss():
    """Two rows: the mean gradient is w - 1, and the penalty of 1 adds w / 2."""
    for optimiser in ("adam", "sgd"):
        model = MLPRegressor(
            **{**ONE, "alpha": 1.0}, solver=optimiser, learning_rate_init=0.1, momentum=0.0, max_iter=1
        )
        model.fit([[1.0], [1.0]], [1.0, 1.0])
        change = 2.0 + 3.0 / 2
        expected = 3 - 0.1 if optimiser == "adam" else 3 - 0.1 * change
        assert model.coefs_[0][0, 0] == pytest.approx(expected, rel=1e-7)
        assert model.loss_curve_[0] == pytest.approx(0.5 * 2**2 + expected**2 / 4, rel=1e-7)


def test_biases_are_not_penalised():
    for momentum in (0.0, 0.9):
        model = MLPRegressor(
            **{
                **ONE,
                "fit_intercept": True,
                "alpha": 9.0,
                "coefs_init": [[[0.0]]],
                "intercepts_init": [[5.0]],
            },
            solver="sgd",
            momentum=momentum,
            learning_rate_init=0.1,
            max_iter=1,
        )
        model.fit([[0.0]], [5.0])
        assert model.intercepts_[0].tolist() == [5.0]


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        ("constant", [0.8, 0.8, 0.8, 0.8]),
        ("inverse", [0.8, 0.8 / 1.5, 0.8 / 2, 0.8 / 2.5]),
        ("exponential", [0.8, 0.8 * math.exp(-0.5), 0.8 * math.exp(-1), 0.8 * math.exp(-1.5)]),
        ("invscaling", [0.8, 0.8 / math.sqrt(2), 0.8 / math.sqrt(3), 0.8 / 2]),  # one row an epoch
        ("cosine", [0.8, 0.4 * (1 + math.sqrt(0.5)), 0.4, 0.4 * (1 - math.sqrt(0.5))]),
    ],
)
def test_schedules(schedule, expected):
    w, weights = 3.0, []
    for step in expected:
        w -= step * (w - 1)
        weights.append(w)
    walked = path(solver="sgd", learning_rate_init=0.8, learning_rate=schedule, decay=0.5, max_iter=4)
    assert walked == pytest.approx(weights, rel=1e-12)


def test_invscaling_counts_rows_as_scikit_learn_does():
    # an epoch of two alike rows: the second step is 0.8 / √3, the third 0.8 / √5
    model = MLPRegressor(
        **ONE, solver="sgd", learning_rate_init=0.8, learning_rate="invscaling", max_iter=3
    ).fit([[1.0], [1.0]], [1.0, 1.0])
    away = 2 * (1 - 0.8) * (1 - 0.8 / math.sqrt(3)) * (1 - 0.8 / math.sqrt(5))
    assert model.coefs_[0][0, 0] == pytest.approx(1 + away)


def test_an_adaptive_step_is_divided_by_five_where_the_loss_stalls():
    # steps of 2 go from 3 to -1 and back, with a loss of 2: after two epochs without a fall the step is 0.4
    walked = path(
        solver="sgd", learning_rate_init=2.0, learning_rate="adaptive", n_iter_no_change=2, max_iter=5
    )
    assert walked == pytest.approx([-1.0, 3.0, -1.0, -0.2, 0.28])


def test_an_adaptive_step_ends_training_when_it_is_tiny():
    # from 3e-6 on, each stall of one epoch divides it: 6e-7 is the first below 1e-6, and its stall ends it
    model = MLPRegressor(
        **{**ONE, "tol": 1.0, "n_iter_no_change": 1}, learning_rate_init=3e-6, learning_rate="adaptive"
    )
    assert model.fit([[1.0]], [1.0]).n_iter_ == 3


def test_parameters_are_views_of_one_vector():
    parameters = Parameters((2, 3, 1), np.float32)
    parameters.vector[:] = np.arange(13)
    assert [array.tolist() for array in parameters.weights] == [[[0, 1, 2], [3, 4, 5]], [[6], [7], [8]]]
    assert [array.tolist() for array in parameters.biases] == [[9, 10, 11], [12]]
    assert len(parameters.penalised) == 9
    assert parameters.weights[1].dtype == np.float32


def test_lbfgs_goes_to_the_minimum_of_all_rows():
    # ½ (w - 1)² is least at 1
    model = MLPRegressor(**{**ONE, "tol": 1e-9}, solver="lbfgs").fit([[1.0]], [1.0])
    assert (model.coefs_[0][0, 0], model.loss_) == pytest.approx((1.0, 0.0))
    assert model.ending_ == "no slope is above tol = 1e-09"
    # ½ (w - 1)² + ½ 3 w² is least at 1 / 4, and then 3 / 8
    model = MLPRegressor(**{**ONE, "tol": 1e-9, "alpha": 3.0}, solver="lbfgs").fit([[1.0]], [1.0])
    assert model.coefs_[0][0, 0] == pytest.approx(0.25)
    assert model.loss_ == pytest.approx(0.375)


def test_lbfgs_takes_no_dropout():
    with pytest.raises(ParameterError, match="dropout needs solver='adam' or 'sgd'"):
        MLPRegressor(solver="lbfgs", dropout=0.2).fit([[1.0], [2.0]], [1.0, 2.0])
