"""The worked examples of ensembles: independent votes, tables of votes, and boosting round by round."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.tree import DecisionTreeClassifier

from openbook import read
from openbook.ensemble import AdaBoostClassifier, IndependentVote, independent_vote_error, majority_right

DIGITS = 1e-12


class LeastError(ClassifierMixin, BaseEstimator):
    """The cut of the one column, and the side of it for 1, that get the least weight of -1 and 1 wrong."""

    def fit(self, X, y, sample_weight):
        x, self.classes_ = X.data("x"), np.array([-1, 1])
        tries = [(cut, side) for cut in (x[1:] + x[:-1]) / 2 for side in (-1, 1)]
        says = {rule: np.where(x < rule[0], rule[1], -rule[1]) for rule in tries}
        self.rule_ = min(tries, key=lambda rule: sample_weight[says[rule] != np.asarray(y)].sum())
        return self

    def predict(self, X):
        cut, side = self.rule_
        return np.where(X.data("x") < cut, side, -side)


def test_independent_voters(golden):
    record = golden("ensembles.vote_25")
    n, error, expected = record["data"]["n_classifiers"], record["data"]["error"], record["expected"]
    assert independent_vote_error(n, error) == pytest.approx(expected["error"], rel=DIGITS)
    work = IndependentVote(n, error).work()
    assert work["votes that decide"].result == expected["majority_needed"]
    assert work["error of the vote"].result == pytest.approx(expected["error"], rel=DIGITS)
    assert round(work["error of the vote"].result, 2) == record["stated"]


def test_tables_of_votes(golden):
    record = golden("ensembles.vote_tables")
    expected = record["expected"]
    for i, table in enumerate(record["data"]["correctness_by_member"]):
        right = majority_right(table)
        assert right.tolist() == [bool(cell) for cell in expected["majority_right"][i]]
        assert right.mean() == pytest.approx(expected["vote_accuracy"][i], rel=DIGITS)
        assert np.mean(table, axis=1) == pytest.approx(expected["members_accuracy"][i], rel=DIGITS)


@pytest.fixture(
    params=[None, LeastError(), DecisionTreeClassifier(max_depth=1)], ids=["our stumps", "by error", "theirs"]
)
def boosted(golden, request):
    """The ten numbers of the record, and the three rounds on them."""
    record = golden("ensembles.own_adaboost_10")
    x, y, rounds = (record["data"][name] for name in ("x", "y", "rounds"))
    table = read([{"x": float(value)} for value in x])
    return record["expected"], table, np.array(y), AdaBoostClassifier(request.param, rounds).fit(table, y)


def test_the_cuts_of_the_rounds(golden):
    record = golden("ensembles.own_adaboost_10")
    table = read([{"x": float(value)} for value in record["data"]["x"]])
    model = AdaBoostClassifier(LeastError(), 3).fit(table, record["data"]["y"])
    expected = [(turn["threshold"], turn["left_label"]) for turn in record["expected"]["rounds"]]
    assert [member.rule_ for member in model.estimators_] == expected


def test_three_rounds(boosted):
    expected, table, y, model = boosted
    score = np.zeros(len(y))
    for i, turn in enumerate(expected["rounds"]):
        assert model.weights_[i] == pytest.approx(turn["weights_before"], rel=DIGITS)
        assert model.weights_[i + 1] == pytest.approx(turn["weights_after"], rel=DIGITS)
        for name, figures in (("error", model.errors_), ("alpha", model.alphas_), ("z", model.z_)):
            assert figures[i] == pytest.approx(turn[name], rel=DIGITS)
            assert model.work()[f"{name}, round {i + 1}"].result == figures[i]
        predictions = model.estimators_[i].predict(table)
        assert predictions.tolist() == turn["predictions"]
        score += model.alphas_[i] * predictions
        assert score == pytest.approx(turn["ensemble_score"], rel=DIGITS)
        assert np.sign(score).tolist() == turn["ensemble_prediction"]
        assert model.vote_errors_[i] * len(y) == pytest.approx(turn["ensemble_training_errors"], abs=1e-12)
    assert model.decision_function(table) == pytest.approx(score, rel=DIGITS)
    assert model.predict(table).tolist() == expected["rounds"][-1]["ensemble_prediction"]


def test_the_bound_of_the_training_error(boosted):
    expected, _, _, model = boosted
    bound = model.work()["bound of the vote's error"].result
    assert bound == pytest.approx(expected["training_error_bound"], rel=DIGITS)
    assert model.vote_errors_[-1] <= bound
