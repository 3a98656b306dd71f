"""Several labels at once: beside scikit-learn, by hand, saved, worked and judged."""

import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn import multioutput
from sklearn.linear_model import LogisticRegression as TheirLogistic
from sklearn.tree import DecisionTreeClassifier as TheirTree

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.errors import DataError, ModelFileError, OpenbookError, ParameterError, UnknownColumn
from openbook.judge import IterativeStratification
from openbook.linear import LogisticRegression
from openbook.multilabel import (
    ClassifierChain,
    LabelPowerset,
    MultiOutputClassifier,
    label_sets,
)
from openbook.tree import CART
from openbook.work import Passage

RNG = np.random.default_rng(4)
X = RNG.normal(size=(200, 3))
Y = np.column_stack([X[:, 0] + X[:, 1] > 0.5, X[:, 1] > 0.3, X[:, 0] - X[:, 2] > 1]).astype(int)
Y[:, 2] |= Y[:, 0] & Y[:, 1]

TOPICS = ob.read(
    [
        {"text": "the team won the cup", "topic": "sport"},
        {"text": "the team won again", "topic": "sport"},
        {"text": "a vote on the new law", "topic": "politics"},
        {"text": "the law and the vote", "topic": "politics"},
        {"text": "a vote on the team and the cup", "topic": "sport|politics"},
        {"text": "law of the team", "topic": "sport|politics"},
        {"text": "nothing at all", "topic": None},
        {"text": "nothing new today", "topic": None},
    ],
    kinds={"text": "text", "topic": "nominal"},
)


def test_binary_relevance_predicts_what_scikit_learns_does():
    # foreign classifiers inside, so that only the composition is compared
    ours = MultiOutputClassifier(TheirTree(random_state=0)).fit(X, Y)
    theirs = multioutput.MultiOutputClassifier(TheirTree(random_state=0)).fit(X, Y)
    new = RNG.normal(size=(100, 3))
    assert ours.predict(new).shape == (100, 3)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # our trees have other seeds: only exact ties differ
        agree = (ours.predict(new) == theirs.predict(new)).mean()
    assert agree > 0.97
    logistic = MultiOutputClassifier(TheirLogistic()).fit(X, Y)
    expected = np.column_stack(
        [p[:, 1] for p in multioutput.MultiOutputClassifier(TheirLogistic()).fit(X, Y).predict_proba(new)]
    )
    np.testing.assert_allclose(logistic.predict_proba(new), expected, rtol=1e-8)


@pytest.mark.parametrize("order", [None, [2, 0, 1]])
def test_chain_predicts_what_scikit_learns_does(order):
    new = RNG.normal(size=(100, 3))
    ours = ClassifierChain(TheirLogistic(), order=order).fit(X, Y)
    theirs = multioutput.ClassifierChain(TheirLogistic(), order=order).fit(X, Y)
    assert ours.order_.tolist() == list(theirs.order_)
    np.testing.assert_array_equal(ours.predict(new), theirs.predict(new))
    np.testing.assert_allclose(ours.predict_proba(new), theirs.predict_proba(new), rtol=1e-8)


def test_powerset_is_a_classifier_of_sets():
    names = ["".join(map(str, row)) for row in Y]
    expected = NaiveBayes().fit(X, names)
    ours = LabelPowerset(NaiveBayes()).fit(X, Y)
    said = ["".join(map(str, row)) for row in ours.predict(X)]
    assert said == expected.predict(X).tolist()
    sets = expected.predict_proba(X)
    with_first = [label[0] == "1" for label in expected.classes_]
    np.testing.assert_allclose(ours.predict_proba(X)[:, 0], sets[:, with_first].sum(axis=1))


@pytest.mark.parametrize("kind", [MultiOutputClassifier, ClassifierChain, LabelPowerset])
def test_texts_with_sets_of_labels(kind, tmp_path):
    model = kind(NaiveBayes()).fit(TOPICS, "topic")
    assert model.labels_.tolist() == ["politics", "sport"]
    rows = [{"text": "won the cup, won again"}, {"text": "a new vote on the law"}]
    assert model.predict_sets(rows) == ["sport", "politics"]
    opened = ob.open_model(ob.save(model, tmp_path / "m.openbook"))
    np.testing.assert_array_equal(opened.predict_proba(rows), model.predict_proba(rows))
    work = model.work(rows[0])
    assert work.conclusion == "Labels: sport."
    assert work["P(sport | x)"].result == pytest.approx(model.predict_proba(rows)[0, 1])
    assert "text: cup" in str(work)
    assert "sport" in str(model.work())
    assert model.score(TOPICS, "topic") == pytest.approx(
        np.mean((model.predict(TOPICS) == label_sets(TOPICS.column("topic")).cells).all(axis=1))
    )


def test_thresholds_are_tuned_for_each_label_on_rows_that_were_not_seen():
    # label 1 is rare, and its probability is never above one half
    rng = np.random.default_rng(0)
    x = rng.integers(4, size=400)
    y = np.column_stack([x > 1, rng.random(400) < np.where(x == 3, 0.4, 0.02)]).astype(int)
    table = ob.read([{"x": f"v{value}"} for value in x.tolist()])
    plain = MultiOutputClassifier(NaiveBayes()).fit(table, y)
    tuned = MultiOutputClassifier(NaiveBayes(), thresholds="f1").fit(table, y)
    assert plain.thresholds_.tolist() == [0.5, 0.5]
    assert plain.predict(table)[:, 1].sum() == 0
    assert 0.02 < tuned.thresholds_[1] < 0.5
    np.testing.assert_array_equal(tuned.predict(table)[:, 1], x == 3)


def test_a_label_that_all_rows_have_needs_no_classifier(tmp_path):
    model = MultiOutputClassifier(NaiveBayes()).fit([{"a": "u"}, {"a": "v"}], [["x", "z"], ["z"]])
    assert model.predict_proba([{"a": "u"}])[0].tolist() == pytest.approx([2 / 3, 1])
    assert ob.open_model(ob.save(model, tmp_path / "m.openbook")).predict([{"a": "u"}]).tolist() == [[1, 1]]


def test_labels_come_in_many_forms():
    expected = [[1, 0], [1, 1], [0, 0]]
    table = ob.read([{"v": 1, "a": 1, "b": 0}, {"v": 2, "a": 1, "b": 1}, {"v": 3, "a": 0, "b": 0}])
    for y in (["a", "a|b", ""], ["a ", "b | a", None], [["a"], ["b", "a"], []], table.select(["a", "b"])):
        sets = label_sets(y)
        assert (sets.labels, sets.cells.astype(int).tolist()) == (("a", "b"), expected)
    assert label_sets(np.array(expected)).labels == label_sets(expected).labels == ("0", "1")
    model = MultiOutputClassifier(CART()).fit(table, ["a", "b"])
    assert (model.labels_.tolist(), model.schema_.names) == (["a", "b"], ("v",))


@pytest.mark.parametrize(
    ("y", "error", "message"),
    [
        (["", None, ""], DataError, "no row has a label"),
        ([[1, 0], [2, 0], [0, 0]], DataError, "label 'x0', row 1: the cell '2' is neither 0 nor 1"),
        (["a", "b"], UnknownColumn, "no column 'a'"),
        ([["a"], ["b"]], DataError, "X has 3 rows, and y has 2"),
    ],
)
def test_bad_labels_are_named(y, error, message):
    with pytest.raises(error, match=message):
        MultiOutputClassifier(CART()).fit([{"v": 1}, {"v": 2}, {"v": 3}], y)


def test_order_of_a_chain_is_checked():
    with pytest.raises(ParameterError, match="order must name each of the 3 labels once"):
        ClassifierChain(CART(), order=[0, 1]).fit(X, Y)
    random = ClassifierChain(CART(), order="random", random_state=1).fit(X, Y)
    assert sorted(random.order_.tolist()) == [0, 1, 2]


def test_folds_share_out_rare_labels():
    rng = np.random.default_rng(2)
    cells = rng.random((100, 4)) < [0.5, 0.2, 0.1, 0.05]
    cells[:, 3] = False
    cells[:5, 3] = True
    tests = [test for _, test in IterativeStratification(5, random_state=1).split(None, cells)]
    assert sorted(np.concatenate(tests).tolist()) == list(range(100))
    counts = np.array([cells[test].sum(axis=0) for test in tests])
    assert counts[:, 3].tolist() == [1] * 5
    assert (np.ptp(counts, axis=0) <= 2).all()
    assert {len(test) for test in tests} <= {18, 19, 20, 21, 22}
    with pytest.raises(ParameterError, match="n_splits must be at least 2"):
        IterativeStratification(1)


@pytest.mark.parametrize("kind", [MultiOutputClassifier, ClassifierChain, LabelPowerset])
def test_members_share_the_words_of_texts_and_say_what_they_would_alone(kind):
    model = kind(NaiveBayes()).fit(TOPICS, "topic")
    assert model.worded_ is not None
    alone = kind(NaiveBayes())
    alone._counts_for_all = lambda _: False
    alone.fit(TOPICS, "topic")
    assert alone.worded_ is None
    np.testing.assert_allclose(model.predict_proba(TOPICS), alone.predict_proba(TOPICS), rtol=1e-12)


def test_work_shades_the_text_for_each_label_that_is_predicted():
    model = MultiOutputClassifier(NaiveBayes()).fit(TOPICS, "topic")
    shaded = [
        part
        for part in model.work({"text": "the team won a vote, a vote"}).parts
        if isinstance(part, Passage)
    ]
    assert [part.note for part in shaded] == [
        "Shading: what each word adds to the log odds of politics.",
        "Shading: what each word adds to the log odds of sport.",
    ]
    weights = [dict(part.pieces) for part in shaded]
    assert weights[0]["vote"] > 0 > weights[0]["team"]
    assert weights[1]["team"] > 0 > weights[1]["vote"]


def test_a_chain_puts_labels_beside_sparse_columns():
    sparse = sp.csr_array(np.abs(np.round(X)))
    dense = ClassifierChain(LogisticRegression(scale=False)).fit(sparse.toarray(), Y)
    chain = ClassifierChain(LogisticRegression(scale=False)).fit(sparse, Y)
    np.testing.assert_allclose(chain.predict_proba(sparse), dense.predict_proba(sparse.toarray()), atol=1e-4)
    with pytest.raises(ParameterError, match="CART takes no labels beside sparse columns"):
        ClassifierChain(CART()).fit(sparse, Y)


def test_damaged_members_are_refused(tmp_path):
    model = LabelPowerset(CART()).fit(X, Y)
    model.sets_ = model.sets_[:2]
    with pytest.raises((ModelFileError, OpenbookError)):
        ob.open_model(ob.save(model, tmp_path / "m.openbook"))
