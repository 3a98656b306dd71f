"""When to stop asking, by hand; batches, costs and committees of an asker."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LogisticRegression

from openbook.bayes import NaiveBayes
from openbook.errors import ParameterError
from openbook.judge.chance.intervals import wilson
from openbook.label import Asker, Stopping
from openbook.label.strategies import mean_divergence


def falling(slope, n=11):
    return tuple((20 + i, 0.3 + slope * i) for i in range(n))


def test_gain_by_hand():
    # u falls by 0.01 with each label: of 200 rows, 2 errors are spared; 0.2 · 200 = 40 are left
    rule = Stopping(falling(-0.01), n_left=200, cost=1.0)
    assert rule.gain == pytest.approx(2.0)
    assert rule.errors_left == pytest.approx(40.0)
    assert not rule.stop
    assert str(rule) == (
        "Go on: about 40 errors are expected among the 200 rows without a label; another label spares about"
        " 2.0 of them, give or take 0.0, and costs 1."
    )
    assert Stopping(falling(-0.01), n_left=200, cost=2.5).stop
    assert rule.work()["gain"].result == pytest.approx(2.0)
    assert "gain        = -bU = -(-0.01) · 200 = 2" in rule.work().text()


def test_rising_uncertainty_is_no_reason_to_stop():
    rule = Stopping(falling(0.01), n_left=200)
    assert rule.gain == pytest.approx(-2.0)
    assert not rule.stop
    assert "too sure of itself" in str(rule)


def test_a_rise_that_chance_explains_is_none():
    # 0, 2, 0, 2, … over 11 labels has slope 0; the rise on top is less than two standard errors
    noisy = tuple((20 + i, 0.3 + (i % 2) / 50 + i / 900) for i in range(11))
    rule = Stopping(noisy, n_left=920)
    assert rule.gain == pytest.approx(-920 / 900)
    # six residuals of -0.1/11 and five of 0.12/11: s² = 0.012/11 / 9, over Σ(n - n̄)² = 110
    error = 920 * np.sqrt(0.012 / 11 / 9 / 110)
    assert rule.most == pytest.approx(rule.gain + 2 * error)
    assert rule.most < 1
    assert rule.stop
    wide = Stopping(noisy, n_left=9200)
    assert not wide.stop  # ten times as many rows: another label may spare 9
    assert f"spares about 0.0 of them, give or take {20 * error:.0f}, and costs 1" in str(wide)


def test_labelled_rows_that_were_not_asked_for_tell_how_many_errors_there_are():
    # u falls from 0.3 to 0.2, and 24 of 38 rows are wrong: e = 25/40, 2.5 times the mean, 0.25
    rule = Stopping(falling(-0.01), n_left=200, checked=(24, 38))
    assert rule.errors_left == pytest.approx(200 * 25 / 40)
    assert rule.gain == pytest.approx(2.0 * 2.5)
    assert rule.shares[0] == pytest.approx(0.3 * 2.5)
    work = rule.work()
    assert work["e"].result == pytest.approx(25 / 40)
    assert "-(-0.01) · 0.625/0.25 · 200 = 5" in work.text()
    few = Stopping(falling(-0.01), n_left=200, checked=(0, 7))
    assert not few.stop
    assert str(few) == "Whether more labels pay can be told after 3 more labels of rows drawn at random."
    both = Stopping(falling(0.0, n=4), n_left=200, checked=(0, 7))
    assert "after 7 more labels, 3 of them of rows drawn at random" in str(both)


def test_a_label_spares_no_more_errors_than_there_are():
    # nearly sure of all rows at the end: u is 0.1 once, and then 1e-6 ten times
    jumps = tuple((20 + i, 1e-6 if i else 0.1) for i in range(11))
    rule = Stopping(jumps, n_left=850, checked=(5, 38))
    assert rule.errors_left == pytest.approx(850 * 6 / 40)
    # Σ(n - n̄) u / 110 = -0.5/110, over ū = 0.1/11: the slope is half of the mean
    assert rule.gain == pytest.approx(rule.errors_left / 2, rel=1e-3)


def test_a_classifier_that_is_sure_of_everything_tells_nothing():
    sure = tuple((20 + i, 0.0) for i in range(11))
    assert Stopping(sure, n_left=200).stop
    checked = Stopping(sure, n_left=200, checked=(9, 38))
    assert not checked.stop
    assert "about 50 errors are expected" in str(checked)
    assert "sure of every row" in str(checked)


def test_naive_bayes_of_copied_columns_is_not_believed():
    """Twenty near copies of a weak column: naive Bayes expects far fewer errors than there are."""
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=600)
    X = rng.normal(y, 1.0)[:, None] + rng.normal(0, 0.3, (600, 20))
    asker = Asker(NaiveBayes()).fit(X, np.where(np.arange(600) < 150, y, -1))
    for _ in range(10):
        row = asker.ask()[0]
        asker.teach([row], [int(y[row])])
    free = np.array([i for i, label in enumerate(asker.labels_) if label is None])
    wrong = (asker.estimator_.predict(X[free]) != y[free]).mean()
    rule = asker.stopping()
    assert rule.checked[1] == 150  # the rows asked for do not count
    assert rule.trace[-1][1] < 0.5 * wrong
    interval = wilson(*rule.checked)
    assert interval.low < wrong < interval.high
    assert asker.stopping(asked=[]).checked[1] == 160


def test_few_labels_tell_nothing_and_no_rows_end_it():
    assert not Stopping(falling(0.0, n=4), n_left=9).stop
    assert "after 7 more labels" in str(Stopping(falling(0.0, n=4), n_left=9))
    assert "after 10 more labels" in str(Stopping((), n_left=9))
    assert Stopping((), n_left=0).stop


def test_only_the_last_labels_count():
    early = tuple((i, 0.9 - i / 100) for i in range(20))  # would spare 2 of 200 with each label
    rule = Stopping((*early, *((20 + i, 0.5) for i in range(11))), n_left=200)
    assert rule.gain == pytest.approx(0.0)
    assert rule.stop


def test_divergence_by_hand():
    # members (3/4, 1/4) and (1/4, 3/4), mean (1/2, 1/2): 3/4 log2 3/2 + 1/4 log2 1/2 each
    probas = np.array([[[0.75, 0.25]], [[0.25, 0.75]]])
    assert mean_divergence(probas) == pytest.approx(0.75 * np.log2(1.5) - 0.25)


class Told(ClassifierMixin, BaseEstimator):
    """Its posterior of a row (a, b) is (a, 1 - a), or turned round."""

    def __init__(self, turned=False):
        self.turned = turned

    def fit(self, X, y):
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict_proba(self, X):
        first = np.asarray(X, dtype=float)[:, :1]
        proba = np.hstack([first, 1 - first])
        return proba[:, ::-1] if self.turned else proba

    def predict(self, X):
        return self.classes_[self.predict_proba(X).argmax(axis=1)]


def test_committee_of_given_members():
    X = [[1.0, 0], [0.0, 0], [0.75, 0], [0.5, 0]]
    asker = Asker(Told(), "committee_kl", committee=[Told(), Told(turned=True)]).fit(
        X, ["a", "b", None, None]
    )
    assert asker.ask(2) == [2, 3]  # both members agree about 0.5
    assert asker.work(2)["score"].result == pytest.approx(0.75 * np.log2(1.5) - 0.25)
    assert "\\log_2" not in asker.work(2).text()


def test_costs_divide_the_worth():
    # margins 0.5 and 0.2, worth 0.5 and 0.8; at costs 1 and 2 they are worth 0.5 and 0.4
    X = [[1.0, 0], [0.0, 0], [0.75, 0], [0.6, 0]]
    asker = Asker(Told()).fit(X, ["a", "b", None, None])
    assert asker.ask(2) == [3, 2]
    assert asker.ask(2, costs=[1, 1, 1, 2]) == [2, 3]
    with pytest.raises(ParameterError, match="more than 0"):
        asker.ask(costs=[1, 1, 0, 1])
    with pytest.raises(ParameterError, match="n must be at least 0, got -1"):
        asker.ask(-1)


def test_batches_differ():
    # the three surest to be asked are copies of one row; a batch of two should not hold two of them
    X = [[1.0, 0], [0.0, 1], [0.5, 0], [0.5, 0], [0.5, 0], [0.45, 1]]
    y = ["a", "b", None, None, None, None]
    assert set(Asker(Told()).fit(X, y).ask(2)) < {2, 3, 4}
    # kinds of distance: copies are 0 apart; the other row is (0.05 + 1) / 2 away
    assert set(Asker(Told(), diversity="k-means++").fit(X, y).ask(2)) == {2, 5}
    ranked = Asker(Told(), diversity="ranked").fit(X, y).ask(2)
    assert 5 in ranked
    assert len(set(ranked) & {2, 3, 4}) == 1


def test_expected_error_by_refitting():
    # what scikit-learn's own classifier leaves, for the row and both of its labels
    X = np.array([[0.0], [1.0], [4.0], [5.0], [2.0], [2.6], [8.0]])
    y = ["a", "a", "b", "b", None, None, None]
    asker = Asker(LogisticRegression(), "expected_error").fit(X, y)
    start = LogisticRegression().fit(X[:4], y[:4])
    left = {}
    for row in (4, 5, 6):
        after = [
            LogisticRegression().fit(X[[0, 1, 2, 3, row]], [*y[:4], label]).predict_proba(X[4:]).max(axis=1)
            for label in ("a", "b")
        ]
        left[row] = start.predict_proba(X[[row]])[0] @ [1 - sure.mean() for sure in after]
    assert [asker.work(row)["score"].result for row in (4, 5, 6)] == pytest.approx(list(left.values()))
    first, second = start.predict_proba(X[[4]])[0]
    assert f"= {first:.6g} · " in asker.work(4).text()
    assert f" + {second:.6g} · " in asker.work(4).text()
    assert asker.ask(3) == sorted(left, key=left.get)


def test_teaching_one_by_one_is_teaching_at_once():
    X = np.random.default_rng(0).normal(size=(60, 3))
    y = (X[:, 0] > 0).astype(int)
    start = [int(label) if i < 10 else None for i, label in enumerate(y)]
    one = Asker(NaiveBayes()).fit(X, start)
    for row in range(10, 30):
        one.teach([row], [int(y[row])])
    at_once = Asker(NaiveBayes()).fit(X, [*map(int, y[:30]), *[None] * 30])
    assert np.allclose(one.estimator_.predict_proba(X), at_once.estimator_.predict_proba(X), rtol=1e-9)
    assert [labels for labels, _ in one.trace_] == [*range(10, 31)]
