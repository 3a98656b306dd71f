"""Several labels at once are one more task of judging: scores, influences, folds, errors, curves."""

import numpy as np
import pytest
from sklearn import multioutput
from sklearn.linear_model import LogisticRegression as TheirLogistic

import openbook as ob
from openbook.baseline import ZeroLabels, ZeroR
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ParameterError
from openbook.judge import (
    Confusion,
    MultiLabel,
    anything_to_learn,
    choose,
    confident_mistakes,
    document_errors,
    lock_away,
    notable_predictions,
    protocol,
    worst_segments,
)
from openbook.judge.curves.make import learning_curve
from openbook.judge.errors.importance import permutation_importance
from openbook.judge.folds.results import FoldResult
from openbook.judge.scores.influence import by_deletion
from openbook.judge.scores.metrics import Predictions, metrics_of
from openbook.multilabel import ClassifierChain, MultiOutputClassifier

WORDS = {"sport": ("team", "cup", "goal"), "law": ("vote", "party", "judge")}


def documents(n=80, seed=3):
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        topics = [label for label in WORDS if rng.random() < 0.45]
        words = [word for label in topics for word in rng.choice(WORDS[label], 2)]
        words += list(rng.choice(["the", "new", "day", "from", "more"], rng.integers(2, 8)))
        topics = [label for label in WORDS if (label in topics) ^ (rng.random() < 0.08)]
        rows.append({"text": " ".join(words), "size": float(rng.integers(9)), "topics": "|".join(topics)})
    return ob.read(rows, {"text": "text"})


TABLE = documents()
INPUTS, TOPICS = TABLE.split("topics")
CELLS = TOPICS.attribute.has[TOPICS.data]


@pytest.fixture(scope="module")
def evaluation():
    return ob.evaluate(MultiOutputClassifier(NaiveBayes()), INPUTS, TOPICS, cv=4)


def predictions(seed=0, n=60, k=3):
    rng = np.random.default_rng(seed)
    truth = rng.random((n, k)) < 0.4
    return Predictions(truth, truth ^ (rng.random((n, k)) < 0.25), None, k)


@pytest.mark.parametrize("name", list(metrics_of("multilabel")))
def test_influences_tell_how_much_each_row_moves_a_score(name):
    """Beside the scores without each row, to the order of 1 / n."""
    p, score = predictions(), metrics_of("multilabel")[name]
    np.testing.assert_allclose(score.influence_of(p), by_deletion(score, p), atol=0.06)
    assert abs(score.influence_of(p).mean()) < 1e-12
    assert score(p) == pytest.approx(MultiLabel(p.truth, p.predicted).rate(name).value)


def test_scores_are_those_of_all_rows_with_intervals(evaluation):
    p = evaluation.one_round
    rows = np.concatenate([fold.rows for fold in evaluation.folds])
    np.testing.assert_array_equal(p.truth, CELLS[rows])
    assert evaluation.score() == pytest.approx(MultiLabel(p.truth, p.predicted).micro_f1)
    interval = evaluation.interval("hamming_loss")
    assert interval.low < evaluation.score("hamming_loss") < interval.high
    assert evaluation.to_polars()["truth"].to_list()[:3] == [TOPICS[int(i)] for i in rows[:3]]
    assert "subset accuracy" in repr(evaluation)
    assert evaluation.draw().title == "F1 of each label"


def test_a_score_without_errors_still_has_an_interval():
    X = ob.read([{"x": value} for value in ["u", "v", "w"] * 10])
    judged = ob.evaluate(MultiOutputClassifier(NaiveBayes()), X, ["a", "b", "a|b"] * 10, cv=3)
    assert judged.score() == 1
    assert 0.8 < judged.interval().low < 1


def test_learners_of_scikit_learn_are_judged_too():
    X = np.random.default_rng(0).normal(size=(90, 3))
    Y = (X[:, :2] + 0.3 * X[:, 2:] > 0).astype(int)
    ours = ob.evaluate(MultiOutputClassifier(TheirLogistic()), X, Y, cv=3)
    theirs = ob.evaluate(multioutput.MultiOutputClassifier(TheirLogistic()), X, Y, cv=3)
    assert theirs.score() == ours.score()
    assert theirs.classes.tolist() == ["0", "1"]


def test_learners_are_compared_beside_the_best_constant(evaluation):
    compared = ob.compare({"chain": ClassifierChain(NaiveBayes())}, TABLE, "topics", cv=4)
    assert list(compared.evaluations) == ["chain", "0R, for F1"]
    assert anything_to_learn(compared).learnt
    assert choose(compared).label == "chain"
    with pytest.raises(
        ParameterError, match=r"predicts several labels and .* classes; compare like with like"
    ):
        ob.compare([MultiOutputClassifier(NaiveBayes()), ZeroR()], TABLE, "topics")
    with pytest.raises(ParameterError, match="accuracy judges classification, and this is multilabel"):
        evaluation.score("accuracy")


def test_columns_of_0_and_1_are_labels():
    table = ob.read([{"x": i % 3, "a": int(i % 3 > 0), "b": int(i % 3 > 1)} for i in range(30)])
    judged = ob.evaluate(MultiOutputClassifier(NaiveBayes()), table, ["a", "b"], cv=3)
    assert judged.classes.tolist() == ["a", "b"]
    assert judged.score("subset_accuracy") == 1


def test_a_label_that_no_row_has_is_never_predicted():
    X = np.arange(40.0)[:, None]
    Y = np.column_stack([X[:, 0] > 20, np.zeros(40)]).astype(int)
    judged = ob.evaluate(MultiOutputClassifier(NaiveBayes()), X, Y, cv=2)
    assert judged.one_round.predicted[:, 1].sum() == 0
    assert np.isnan(judged.score("macro_f1"))


def test_folds_and_held_out_rows_have_their_share_of_every_label():
    found = protocol(TOPICS, "multilabel", n_splits=5, repeats=2)
    assert str(found).startswith("5-fold cross-validation, stratified over labels, repeated 2 times")
    tests = [test for _, test in found.split(np.zeros((80, 1)))]
    assert len(tests) == found.get_n_splits() == 10
    counts = np.array([CELLS[test].sum(axis=0) for test in tests])
    assert (np.abs(counts - CELLS.sum(axis=0) / 5) <= 1.5).all()
    work, held = lock_away(INPUTS, TOPICS, 0.25, 0, "multilabel")
    assert len(held) == 20
    assert (np.abs(CELLS[held].sum(axis=0) - CELLS.sum(axis=0) / 4) <= 1).all()
    assert set(work) | set(held) == set(range(80))


def test_results_are_written_and_read_back(evaluation):
    fold = evaluation.folds[0]
    again = FoldResult.from_json(fold.to_json())
    np.testing.assert_array_equal(again.y_pred, fold.y_pred)
    assert again.y_true.dtype == bool
    for odd in ([[0, 2]] * fold.n_test, [[0]] * fold.n_test):
        with pytest.raises(DataError, match="not the result of a fold"):
            FoldResult.from_json({**fold.to_json(), "y_pred": odd})


def test_notable_predictions_and_mistakes_are_of_labels(evaluation):
    kinds = [each.kind for each in notable_predictions(evaluation)]
    assert kinds[0] == "typical"
    found = confident_mistakes(evaluation, INPUTS)
    p = evaluation.one_round
    assert found.n_wrong == int((p.truth != p.predicted).any(axis=1).sum())
    assert found.n_rows == 80
    for one in found:
        label = one.truth.removeprefix("not ")
        assert {one.truth, one.predicted} == {label, f"not {label}"}
        assert one.proba == pytest.approx(1 - one.proba_truth)


def test_documents_are_confused_label_by_label():
    found = document_errors(ob.evaluate(ZeroLabels("every"), INPUTS, TOPICS, cv=2), INPUTS)
    missing = 80 - CELLS.sum(axis=0)
    assert sorted(found.counts) == sorted(
        [("not law", "law", int(missing[0])), ("not sport", "sport", int(missing[1]))]
    )
    assert sum(band.wrong for band in found.bands) == int((~CELLS).any(axis=1).sum())


def test_segments_curves_and_importances_go_by_labels(evaluation):
    assert worst_segments(evaluation, INPUTS).loss == "hamming"
    curve = learning_curve(MultiOutputClassifier(NaiveBayes()), INPUTS, TOPICS, cv=2, metric="micro_f1")
    assert curve.mean(len(curve) - 1) > curve.mean(0)
    model = MultiOutputClassifier(NaiveBayes()).fit(INPUTS, TOPICS)
    assert next(iter(permutation_importance(model, INPUTS, TOPICS, repeats=2))).column == "text"


def test_what_is_for_classes_says_so(evaluation):
    with pytest.raises(ParameterError, match="predicts several labels, and a confusion table counts classes"):
        Confusion.from_evaluation(evaluation)
