"""Which rows are asked: the textbook's scores by hand, ties, teaching; and labelling replayed."""

import numpy as np
import pytest
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.linear_model import LinearRegression, LogisticRegression, Perceptron

import openbook as ob
from openbook.baseline import ZeroR
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ParameterError
from openbook.label import Asker, Simulation, simulate


class Told(ClassifierMixin, BaseEstimator):
    """A classifier whose posterior of a row is the row itself."""

    def fit(self, X, y):
        self.classes_ = np.unique(np.asarray(y))
        return self

    def predict_proba(self, X):
        return np.asarray(X, dtype=float)


POSTERIORS = [[0.5, 0.25, 0.25], [0.5, 0.5, 0.0], [0.4, 0.3, 0.3]]
ROWS = [[1, 0, 0], [0, 1, 0], [0, 0, 1], *POSTERIORS]
LABELS = ["a", "b", "c", None, None, None]


@pytest.mark.parametrize(
    ("strategy", "scores", "asked"),
    [
        # 1 - max: the first two are tied, and 4 draws the smaller number: 0.424 against 0.545
        ("least_confident", [0.5, 0.5, 0.6], [5, 4, 3]),
        ("margin", [0.25, 0.0, 0.1], [4, 5, 3]),
        # 2 · 0.25 · 2 + 0.5 · 1; 2 · 0.5 · 1; 0.4 · 1.3219281 + 2 · 0.3 · 1.7369656
        ("entropy", [1.5, 1.0, 1.5709506], [5, 3, 4]),
    ],
)
def test_scores_by_hand(strategy, scores, asked):
    asker = Asker(Told(), strategy).fit(ROWS, LABELS)
    assert asker.ask(3) == asker.ask(99) == asked
    assert [asker.work(row)["score"].result for row in (3, 4, 5)] == pytest.approx(scores)


def test_ties_are_drawn_at_random():
    posteriors = [[1.0, 0.0, 0.0]] * 40  # certain of every row: nothing but chance can tell them apart
    askers = [
        Asker(Told(), random_state=seed).fit([*ROWS[:3], *posteriors], [*LABELS[:3], *[None] * 40])
        for seed in range(20)
    ]
    asked = [asker.ask(40) for asker in askers]
    assert all(sorted(rows) == list(range(3, 43)) for rows in asked)
    assert len({rows[0] for rows in asked}) > 10  # 20 draws of 40 rows repeat few
    work = askers[0].work()
    assert f"Row {asked[0][0]} is asked first" in work.conclusion
    assert "drawn at random among 40 rows of this score" in work.conclusion


@pytest.mark.parametrize("diversity", [None, "ranked", "k-means++"])
def test_a_dear_label_is_not_worth_it(diversity):
    """Rows 3 to 5 are alike far away, and cost far more than those near the labels."""
    X = [[0, 1.0], [1, 1.0], [0.5, 1.0], [9, 1.0], [9, 1.1], [9, 1.2], [0.6, 1.0], [0.4, 1.0]]
    asker = Asker(LogisticRegression(), diversity=diversity).fit(X, ["a", "b", *[None] * 6])
    assert sorted(asker.ask(3, costs=[1, 1, 1, 1e9, 1e9, 1e9, 1, 1])) == [2, 6, 7]


def test_work_says_why():
    asker = Asker(Told()).fit(
        ROWS, ob.data.Column(ob.data.Nominal("kind", ("a", "b", "c")), np.array([0, 1, 2, -1, -1, -1]))
    )
    work = asker.work(4)
    assert asker.work().text() == work.text()
    assert work["P(kind = a | x)"].result == 0.5
    assert "0.5 - 0.5 = 0" in work.text()
    assert "Row 4 is asked first" in work.conclusion
    assert "The runner-up is row 5" in work.conclusion
    assert "number 3 of 3" in asker.work(3).conclusion
    with pytest.raises(DataError, match="row 0 is not among the rows without a label"):
        asker.work(0)


class Unsure(Told):
    def predict_proba(self, X):
        return np.full((len(X), 2), 0.5)


def test_density_by_hand():
    # of 0, 4 and 10 the mean distances are (4 + 10) / 30, (4 + 6) / 30 and (10 + 6) / 30; the entropy is 1
    asker = Asker(Unsure(), "density").fit(
        [[0.0], [10.0], [0.0], [4.0], [10.0]], ["a", "b", None, None, None]
    )
    assert asker.ask(3) == [3, 2, 4]
    assert [asker.work(r)["score"].result for r in (2, 3, 4)] == pytest.approx([16 / 30, 20 / 30, 14 / 30])


def test_committee_disagrees_between_the_classes():
    X = [[0.0], [1.0], [2.0], [8.0], [9.0], [10.0], [-5.0], [5.0], [15.0]]
    y = [0, 0, 0, 1, 1, 1, None, None, None]
    asker = Asker(LogisticRegression(), "committee", n_estimators=4, random_state=1).fit(X, y)
    assert asker.ask() == [7]
    # 1 of 4 votes or 2 of 4: H(1/4) = 2 - 0.75 log2 3
    assert asker.work(7)["score"].result in (pytest.approx(0.8112781), 1.0)
    assert asker.work(6)["score"].result == asker.work(8)["score"].result == 0.0


def test_a_committee_needs_no_probabilities():
    X, y = [[0.0], [1.0], [9.0], [10.0], [5.0]], ["a", "a", "b", "b", None]
    assert Asker(Perceptron(), "committee").fit(X, y).ask() == [4]
    with pytest.raises(
        ParameterError, match=r"'margin' needs probabilities, and Perceptron has no predict_proba"
    ):
        Asker(Perceptron()).fit(X, y)


def test_teaching_is_learning_from_more_labels():
    X, y = ob.load("iris").split("species")
    labels = np.array(y).tolist()
    some = [label if i % 5 == 0 else None for i, label in enumerate(labels)]
    asker = Asker(NaiveBayes()).fit(X, some)
    rows = asker.ask(5)
    asker.teach(rows, [labels[i] for i in rows])
    assert not set(rows) & set(asker.ask(115))
    assert len(asker.ask(999)) == 115
    known = [i for i in range(150) if i % 5 == 0 or i in rows]
    alone = NaiveBayes().fit(X.take(known), y.take(known))
    assert np.allclose(asker.estimator_.predict_proba(X), alone.predict_proba(X), rtol=1e-9)
    assert asker.teach(rows, [None, np.nan, None, None, np.nan]).ask(5) == rows


def test_values_that_the_classifier_pooled_are_counted_as_pooled():
    """A name in each row is pooled; the code of a name taught later is no place in the table of one value."""
    rows = [{"x": float(i % 7), "name": f"n{i}"} for i in range(400)]
    labels = [str(i % 2) if i < 40 else None for i in range(400)]
    asker = Asker(NaiveBayes(), "margin").fit(rows, labels)
    asker.teach([300, 399], ["0", "1"])
    (names,) = asker.estimator_.statistics_.parts[-1].tables
    assert names.sum() == 42


def test_without_labels_rows_are_drawn_until_there_are_two_classes():
    asker = Asker(LogisticRegression(), random_state=3).fit([[float(i)] for i in range(20)])
    first = asker.ask(20)
    assert sorted(first) == list(range(20))
    assert first != list(range(20))
    asker.teach([0, 1], ["low", "low"])
    assert asker.estimator_ is None
    assert asker.ask(18) == [i for i in first if i > 1]
    assert "until two classes have labels" in asker.work().conclusion
    asker.teach([18, 19], ["high", "high"])
    assert asker.ask() in ([9], [10])  # on either side of the middle, 9.5


def test_bad_input_is_named():
    asker = Asker(Told()).fit(ROWS, LABELS)
    with pytest.raises(DataError, match="no row 6; rows are numbered from 0 to 5"):
        asker.teach([6], ["a"])
    with pytest.raises(ParameterError, match="strategy must be"):
        Asker(Told(), "marginal").fit(ROWS, LABELS)
    with pytest.raises(ParameterError, match="is not a learner"):
        Asker(Told).fit(ROWS, LABELS)
    with pytest.raises(ParameterError, match="LinearRegression predicts numbers; to ask"):
        Asker(LinearRegression()).fit(ROWS, LABELS)
    asker.teach([3, 4, 5], ["a", "a", "a"])
    assert asker.ask() == []
    with pytest.raises(DataError, match="every row has a label"):
        asker.work()


def test_asking_finds_a_border_sooner():
    # a border on a line: each question about halves what is left of 160 rows, so that 12 are enough
    x = np.random.default_rng(0).permutation(200) / 200
    result = simulate(LogisticRegression(C=1e4), x[:, None], x > 0.5, start=2, rounds=12)
    assert result.strategies == ("random", "margin")
    assert np.array_equal(result.accuracy[0, 0], result.accuracy[1, 0])  # the same labels to begin with
    assert result.accuracy[1, -1].mean() > 0.98
    assert result.labels_needed("margin") < result.labels_needed("random")


def test_the_gain_by_hand():
    accuracy = np.array([[[0.5, 0.6, 0.7], [0.5, 0.6, 0.7]], [[0.7, 0.8, 0.95], [0.7, 0.9, 1.05]]])
    result = Simulation("m", ("random", "margin"), (10, 15), accuracy, 80, 20)
    # repeat by repeat 0.2, 0.25 and 0.3; 0.05 √(1/3 + 20/80) = 0.0381881, times 4.302653 of t with 2 degrees
    test = result.gain("margin")
    assert test.difference == pytest.approx(0.25)
    assert (test.interval.low, test.interval.high) == pytest.approx((0.25 - 0.1643102, 0.25 + 0.1643102))
    assert [result.labels_needed(s) for s in result.strategies] == [10, 10]
    assert [result.labels_needed(s, 0.85) for s in result.strategies] == [None, 15]
    text = str(result)
    assert "Better than random sampling, in the mean over the curve: margin." in text
    assert "biased sample for another" in text
    two = Simulation("m", ("random", "margin", "entropy"), (10, 15), accuracy[[1, 0, 0]], 80, 20)
    assert "Worse than random sampling, in the mean over the curve: margin, entropy." in str(two)
    assert "<svg" in result.draw().svg()
    with pytest.raises(ParameterError, match="no strategy 'entropy'"):
        result.gain("entropy")


def test_where_nothing_can_be_learnt_the_result_says_so():
    result = simulate(ZeroR(), [[0.0]] * 40, ["a"] * 20 + ["b"] * 20, rounds=2, repeats=2)
    assert str(result).count("Not shown to differ from random sampling by these repeats: ") == 1


def test_simulate_refuses_what_does_not_fit():
    X, y = [[float(i)] for i in range(20)], ["a", "b"] * 10
    with pytest.raises(ParameterError, match="start must be from 2, one row of each class, to 11"):
        simulate(NaiveBayes(), X, y, rounds=5, start=12)
    with pytest.raises(ParameterError, match="Did you mean 'margin'"):
        simulate(NaiveBayes(), X, y, ["margins"])
    with pytest.raises(DataError, match="every row has the same label"):
        simulate(NaiveBayes(), X, ["a"] * 20)
