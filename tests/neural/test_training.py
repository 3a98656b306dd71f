"""Training: batches, when it ends, what it keeps, and what it says when it goes wrong."""

import warnings

import numpy as np
import pytest

from openbook import load
from openbook.errors import ParameterError
from openbook.neural import MLPClassifier, MLPRegressor
from openbook.neural.optimisers import Adam
from openbook.neural.training import Stall

X, Y = load("iris").split("species")
NUMBERS = load("diabetes").drop("progression")
PROGRESSION = load("diabetes").column("progression")


def test_no_epochs_keep_the_starting_weights():
    init = {"coefs_init": [np.ones((4, 2)), np.ones((2, 3))], "intercepts_init": [[1, 2], [3, 4, 5]]}
    model = MLPClassifier(hidden_layer_sizes=(2,), max_iter=0, **init).fit(X, Y)
    assert model.coefs_[0].tolist() == [[1, 1]] * 4
    assert model.intercepts_[1].tolist() == [3, 4, 5]
    assert len(model.loss_curve_) == 0
    assert model.ending_ == "0 epochs were requested"
    assert "Training ended after 0 epochs" in model.work().conclusion


def test_one_batch_of_few_rows_and_many_of_more():
    """A row of gradient in each update: as many traces as updates."""
    one = {"hidden_layer_sizes": (), "max_iter": 1, "tol": 0, "random_state": 0}
    few = MLPRegressor(**one).fit(np.zeros((1000, 1)), np.zeros(1000))
    assert len(few.trace_) == 1
    many = MLPRegressor(**one).fit(np.zeros((1001, 1)), np.zeros(1001))
    assert len(many.trace_) == 8  # 128 rows each, the last of 105
    own = MLPRegressor(**one, batch_size=300).fit(np.zeros((1000, 1)), np.zeros(1000))
    assert len(own.trace_) == 4


def test_an_epoch_meets_every_row_once():
    """Plain descent by single rows that share no weight: each moves its own by half the way to its target."""
    eye, targets = np.eye(6), np.arange(1.0, 7.0)
    parameters = {
        "hidden_layer_sizes": (),
        "fit_intercept": False,
        "scale": False,
        "alpha": 0,
        "solver": "sgd",
        "learning_rate_init": 0.5,
    }
    start = {"coefs_init": [np.zeros((6, 1))], "batch_size": 1, "max_iter": 1}
    for shuffle in (True, False):
        model = MLPRegressor(**parameters, **start, shuffle=shuffle, random_state=1).fit(eye, targets)
        assert model.coefs_[0][:, 0].tolist() == (targets / 2).tolist()
        moved = (np.diff(model.trace_[:, :6], axis=0, prepend=0) != 0).argmax(axis=1)
        assert sorted(moved) == [0, 1, 2, 3, 4, 5]
        assert (moved.tolist() == [0, 1, 2, 3, 4, 5]) is not shuffle


def test_the_seed_decides():
    first, again, other = (
        MLPClassifier(max_iter=3, batch_size=16, random_state=seed).fit(X, Y).predict_proba(X)
        for seed in (1, 1, 2)
    )
    assert (first == again).all()
    assert not np.allclose(first, other)


def test_it_ends_when_the_loss_stands_still():
    model = MLPClassifier(max_iter=100_000, random_state=0, tol=1e-2, n_iter_no_change=5).fit(X, Y)
    assert model.ending_ == "the loss had not fallen for 5 epochs"
    assert len(model.loss_curve_) < 1000
    assert (np.diff(np.minimum.accumulate(model.loss_curve_[-6:])) > -1e-2 * model.loss_curve_[-6]).all()


def test_stall():
    stall = Stall(0.1, 2)
    assert [stall.goes_on(loss) for loss in (1.0, 0.95, 0.8, 0.79, 0.75)] == [True, True, True, True, False]
    stall = Stall(0.0, 1)
    assert [stall.goes_on(loss) for loss in (0.0, 0.0)] == [True, False]


def test_early_stopping_keeps_the_best_epoch():
    model = MLPRegressor(
        hidden_layer_sizes=(64,),
        max_iter=400,
        alpha=0,
        early_stopping=True,
        validation_fraction=0.3,
        random_state=0,
    )
    model.fit(NUMBERS, PROGRESSION)
    curve = model.validation_curve_
    assert len(curve) == len(model.loss_curve_)
    assert model.best_epoch_ == int(np.argmin(curve)) + 1 < len(curve)
    assert model.ending_ == "the loss of the held-out rows had not fallen for 10 epochs"
    # the same draw without the epochs after the best gives the same weights
    same = MLPRegressor(
        hidden_layer_sizes=(64,),
        max_iter=model.best_epoch_,
        alpha=0,
        early_stopping=True,
        validation_fraction=0.3,
        random_state=0,
    )
    same.fit(NUMBERS, PROGRESSION)
    for kept, last in zip(model.coefs_, same.coefs_, strict=True):
        np.testing.assert_array_equal(kept, last)
    assert f"the weights of epoch {model.best_epoch_} were kept" in model.work().conclusion


def test_early_stopping_needs_two_rows():
    with pytest.raises(ParameterError, match=r"early_stopping needs rows to hold out, and there is only one"):
        MLPRegressor(early_stopping=True).fit([[1.0]], [1.0])
    assert (
        len(
            MLPRegressor(early_stopping=True, validation_fraction=0.5, max_iter=2)
            .fit([[1.0], [2.0]], [1.0, 2.0])
            .validation_curve_
        )
        == 2
    )


def test_a_loss_beyond_all_bounds_is_named():
    learner = MLPRegressor(
        solver="sgd", learning_rate_init=1e6, activation="identity", scale=False, random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # no storm of overflows before it
        with pytest.raises(
            ParameterError,
            match=r"MLPRegressor: training diverged in epoch \d+; take smaller steps: "
            r"learning_rate_init=100000",
        ):
            learner.fit(NUMBERS, PROGRESSION)
    assert not hasattr(learner, "coefs_")


def test_a_rising_loss_is_noted():
    model = MLPRegressor(
        hidden_layer_sizes=(), solver="sgd", learning_rate_init=2.3, max_iter=9, alpha=0
    ).fit([[0.0], [1.0]], [0.0, 1.0])
    assert model.loss_curve_[-1] > 2 * model.loss_curve_[0]
    assert model.work().conclusion.endswith(
        "The loss rose during training: take smaller steps, by a lower learning_rate_init."
    )


def test_an_interrupt_leaves_a_usable_model(monkeypatch):
    moves, move = [], Adam.move

    def interrupted(self, gradient, step):
        moves.append(step)
        if len(moves) == 25:
            raise KeyboardInterrupt
        move(self, gradient, step)

    monkeypatch.setattr(Adam, "move", interrupted)
    model = MLPClassifier(batch_size=15, random_state=0)
    with pytest.warns(
        UserWarning,
        match=r"MLPClassifier: interrupted in epoch 3 of 100; the model has the weights of that moment",
    ):
        model.fit(X, Y)
    assert len(model.loss_curve_) == 2
    assert model.score(X, Y) > 0.5
    assert "interrupted in epoch 3" in model.work().conclusion


def test_an_interrupt_while_pretraining_leaves_the_model_as_it_was(monkeypatch):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(Adam, "move", interrupted)
    model = MLPClassifier(pretrain=5, random_state=0)
    with pytest.raises(KeyboardInterrupt):
        model.fit(X, Y)
    assert not hasattr(model, "coefs_")


def test_half_the_precision_learns_the_same():
    parameters = {"max_iter": 20, "random_state": 0, "batch_size": 32}
    wide = MLPClassifier(**parameters).fit(X, Y)
    narrow = MLPClassifier(**parameters, precision="float32").fit(X, Y)
    assert {array.dtype for array in narrow.coefs_ + narrow.intercepts_} == {np.dtype(np.float32)}
    assert narrow.predict_proba(X).dtype == np.float64
    np.testing.assert_allclose(narrow.predict_proba(X), wide.predict_proba(X), atol=1e-3)


def test_dropout_and_pretraining_learn():
    for parameters in ({"dropout": 0.3}, {"pretrain": 20}, {"hidden_layer_sizes": (16, 8), "pretrain": 20}):
        model = MLPClassifier(max_iter=200, random_state=0, **parameters).fit(X, Y)
        assert model.score(X, Y) > 0.94, parameters


def test_pretraining_starts_elsewhere():
    drawn, pretrained = (
        MLPClassifier(hidden_layer_sizes=(3, 2), max_iter=0, pretrain=epochs, random_state=0).fit(X, Y)
        for epochs in (0, 30)
    )
    for layer in (0, 1):
        assert not np.allclose(drawn.coefs_[layer], pretrained.coefs_[layer])
    assert (drawn.coefs_[2] == pretrained.coefs_[2]).all()  # the output is not pretrained


@pytest.mark.parametrize("solver", ["sgd", "adam"])
def test_columns_of_many_values_are_multiplied_as_sparse_arrays(monkeypatch, solver):
    """Forty values, each in six rows: one input in twenty and fewer is not 0. The network is the same."""
    rows = [{"town": f"t{i % 40}", "y": float(i % 40 % 7)} for i in range(240)]
    found = []
    for share in (0.0, 1.0):
        monkeypatch.setattr("openbook.neural.training.SPARSE", share)
        model = MLPRegressor((5,), solver=solver, max_iter=20, alpha=0.1, random_state=0).fit(rows, "y")
        found.append([*model.coefs_, *model.intercepts_])
    for dense, sparse in zip(*found, strict=True):
        np.testing.assert_allclose(sparse, dense, rtol=1e-9, atol=1e-12)
