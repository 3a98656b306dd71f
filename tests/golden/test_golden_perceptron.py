"""The worked examples of the perceptron: every row of every epoch, digit by digit."""

import pytest
from sklearn.exceptions import ConvergenceWarning

from openbook.linear import Perceptron


def fitted(record, **parameters):
    data = record["data"]
    given = {"intercept_init": data["theta0"][0], "coef_init": data["theta0"][1:]}
    return Perceptron(eta0=data["eta"], **given, **parameters).fit(data["X"], data["y"])


def grids(model):
    return {part.title: part for part in model.work().parts if hasattr(part, "rows")}


@pytest.mark.parametrize("id_", ["perceptron.lecture_trace", "perceptron.own_1"])
def test_every_row_of_every_epoch(golden, id_):
    record = golden(id_)
    expected, model = record["expected"], fitted(record)
    shown = grids(model)
    theta = [float(t) for t in record["data"]["theta0"]]
    for line in expected["trace"]:
        row, x, z, said, truth, after = shown[f"epoch {line['epoch']}"].rows[line["row"]]
        theta = theta if after is None else list(after)
        assert (row, z, int(said), int(truth)) == (line["row"], line["z"], line["yhat"], line["y"])
        assert list(x) == [1, *record["data"]["X"][row]]
        assert (after is not None) == line["updated"]
        assert theta == line["theta_after"]
    assert sum(len(grid.rows) for name, grid in shown.items() if name.startswith("epoch ")) == len(
        expected["trace"]
    )


@pytest.mark.parametrize(
    "id_", ["perceptron.lecture_trace", "perceptron.own_1", "perceptron.majority_of_three"]
)
def test_the_weights_and_the_changes(golden, id_):
    record = golden(id_)
    expected, model = record["expected"], fitted(record)
    assert model.weights_.tolist() == expected["theta"]
    assert [*model.intercept_, *model.coef_[0]] == expected["theta"]
    assert model.updates_.tolist() == expected["updates_per_epoch"]
    assert model.n_iter_ == expected["epochs_run"]
    assert model.converged_
    assert model.cycle_ is None
    assert model.score(record["data"]["X"], record["data"]["y"]) == 1
    assert model.work().conclusion.startswith(f"Converged: epoch {expected['epochs_run']} had no mistakes")


def test_the_lecture_converges_when_it_says(golden):
    record = golden("perceptron.lecture_trace")
    model = fitted(record)
    epochs = grids(model)["epochs"].rows
    assert [list(row[2]) for row in epochs] == record["stated"]["theta_after_epochs"]
    assert model.n_iter_ == record["stated"]["converged_in_epoch"]


def test_the_majority_of_three_epoch_by_epoch(golden):
    record = golden("perceptron.majority_of_three")
    epochs = grids(fitted(record))["epochs"].rows
    assert [list(row[2]) for row in epochs] == record["expected"]["theta_after_epoch"]
    assert [row[1] for row in epochs] == record["expected"]["updates_per_epoch"]


def test_given_weights_that_are_right_stay_as_they_are(golden):
    """A threshold of 0.4 is a bias of -0.4; rows are scored, and nothing is learnt."""
    record = golden("perceptron.majority_of_three")
    data, expected = record["data"], record["expected"]
    start = [-data["fixed_threshold"], *data["fixed_w"]]
    model = Perceptron(intercept_init=start[0], coef_init=start[1:]).fit(data["X"], data["y"])
    assert model.weights_.tolist() == start
    assert model.updates_.tolist() == [0]
    for row, line in zip(data["X"], expected["fixed"], strict=True):
        assert model.work(row)["θ · x"].result == pytest.approx(line["z"], abs=1e-15)
        assert model.predict([row])[0] == line["yhat"]


def test_exclusive_or_is_never_learnt_and_that_is_said(golden):
    record = golden("perceptron.xor_never_converges")
    expected, epochs = record["expected"], record["data"]["epochs"]
    with pytest.warns(
        ConvergenceWarning,
        match=r"^Perceptron: not converged after 30 epochs, with 4 mistakes in the last; the weights after"
        r" epoch 3 are those after epoch 2, so no plane separates the classes; use keep='pocket' or"
        r" keep='average'$",
    ):
        model = fitted(record, max_iter=epochs)
    assert model.converged_ is expected["converged"]
    assert model.updates_.tolist() == expected["updates_per_epoch"]
    assert model.weights_.tolist() == expected["theta_30"]
    assert list(model.cycle_) == expected["first_repeat_epochs"]
    shown = grids(model)["epochs"].rows
    assert [list(row[2]) for row in shown] == expected["theta_after_epoch"]
    end = model.work().conclusion
    assert end.startswith("Not converged: 4 mistakes in epoch 30, the last one.")
    assert end.endswith("so training repeats itself: no plane separates the classes.")
