"""Naive Bayes with EM: what it climbs, what its weight does, and what it is without unlabelled rows."""

import numpy as np
import pytest
from sklearn.base import clone

import openbook as ob
from openbook import load
from openbook.bayes import Laplace, MEstimate, NaiveBayes, NoSmoothing
from openbook.errors import DataError, ParameterError
from openbook.label import LabelSpreading, NaiveBayesEM, SelfTrainingClassifier


def partly(table, target, every=3):
    """The inputs, and the labels of one row in `every`."""
    X, y = table.split(target)
    labels = np.array(y.tolist(), dtype=object)
    labels[np.arange(len(labels)) % every > 0] = None
    return X, labels


@pytest.fixture(scope="module")
def credit():
    return partly(load("credit", rows=240, random_state=1), "default")


@pytest.mark.parametrize("assignment", ["soft", "hard"])
@pytest.mark.parametrize(
    "smoothing",
    [Laplace(1.0), Laplace(0.1), MEstimate(3.0), NoSmoothing()],
    ids=str,
)
def test_no_round_lowers_the_objective(credit, smoothing, assignment):
    model = NaiveBayesEM(smoothing, assignment=assignment, unlabelled_weight=0.5).fit(*credit)
    assert model.n_iter_ > 2
    assert (np.diff(model.objective_) >= -1e-9).all()


def test_events_climb_too():
    rng = np.random.default_rng(0)
    y = rng.integers(2, size=60)
    X = rng.poisson([[3, 1, 1], [1, 1, 3]], size=(60, 2, 3))[np.arange(60), y].astype(float)
    labels = np.where(np.arange(60) < 8, y, np.nan)
    for distribution in ("multinomial", "bernoulli"):
        model = NaiveBayesEM(distributions=distribution, tol=0.0, max_iter=15).fit(X, labels)
        assert (np.diff(model.objective_) >= -1e-9).all()


def test_the_likelihood_itself_never_falls_without_smoothing(credit):
    X, y = credit
    model = NaiveBayesEM(NoSmoothing()).fit(X, y)
    known = np.isfinite(model.trace_)
    assert known[1:].all()
    assert (np.diff(model.trace_[known]) >= -1e-9).all()


def test_a_hand_calculation_with_a_weight():
    """Labelled: a in no, b in yes. Unlabelled: a, at λ = 1/2. P(no | a) = (1/2 · 2/3)/(1/3 + 1/6) = 2/3."""
    model = NaiveBayesEM(unlabelled_weight=0.5, max_iter=1, tol=0.0)
    model.fit([["a"], ["b"], ["a"]], ["no", "yes", None])
    assert model.prior_.tolist() == pytest.approx([(1 + 1 / 3) / 2.5, (1 + 1 / 6) / 2.5])
    assert model.likelihood("x0", "a", given="no") == pytest.approx((1 + 1 / 3 + 1) / (1 + 1 / 3 + 2))
    hard = NaiveBayesEM(assignment="hard", max_iter=1, tol=0.0).fit(
        [["a"], ["b"], ["a"]], ["no", "yes", None]
    )
    assert hard.prior_.tolist() == pytest.approx([2 / 3, 1 / 3])


def test_without_weight_or_without_unlabelled_rows_it_is_naive_bayes(credit):
    X, y = credit
    labelled = np.array([label is not None for label in y])
    plain = NaiveBayes().fit(X.take(labelled), y[labelled])
    expected = plain.predict_proba(X)
    ignored = NaiveBayesEM(unlabelled_weight=0).fit(X, y)
    np.testing.assert_allclose(ignored.predict_proba(X), expected, rtol=1e-12)
    assert NaiveBayesEM().fit(X.take(labelled), y[labelled]).predict_proba(X) == pytest.approx(expected)


def test_every_spelling_of_no_label_is_the_same():
    X = load("iris").drop("species")
    codes = np.repeat([0, 1, 2], 50)
    hidden = np.arange(150) % 5 > 0
    spelled = {
        "nan": np.where(hidden, np.nan, codes),
        "-1": np.where(hidden, -1, codes),
        "None": [None if gap else int(code) for gap, code in zip(hidden, codes, strict=True)],
        "column": ob.read(
            [{"t": None if gap else f"c{c}"} for gap, c in zip(hidden, codes, strict=True)]
        ).column("t"),
    }
    answers = {name: NaiveBayesEM().fit(X, labels).predict_proba(X) for name, labels in spelled.items()}
    for found in answers.values():
        np.testing.assert_array_equal(found, answers["nan"])


def test_minus_one_beside_one_other_number_is_a_class():
    model = NaiveBayesEM().fit([[0.0], [1.0], [5.0], [6.0]], [-1, -1, 1, 1])
    assert model.classes_.tolist() == [-1, 1]
    assert model.n_unlabelled_ == 0


@pytest.mark.parametrize("learner", [NaiveBayesEM(), SelfTrainingClassifier(NaiveBayes()), LabelSpreading()])
def test_minus_one_in_files_is_no_label_either(tmp_path, learner):
    rows = [(0.0, 0), (0.5, -1), (1.0, 0), (5.0, 1), (5.5, -1), (6.0, 1), (6.5, -1)]
    (tmp_path / "some.csv").write_text("\n".join(["x,y", *(f"{x},{y}" for x, y in rows)]))
    from_file = clone(learner).fit(ob.scan(tmp_path / "some.csv", chunk_rows=2), "y")
    in_memory = clone(learner).fit([{"x": x} for x, _ in rows], [y for _, y in rows])
    assert from_file.classes_.tolist() == [0, 1]
    new = [{"x": 0.2}, {"x": 3.5}, {"x": 6.2}]
    np.testing.assert_allclose(from_file.predict_proba(new), in_memory.predict_proba(new), rtol=1e-9)


def test_files_are_read_round_by_round(tmp_path, credit):
    X, y = credit
    frame = X.to_pandas().assign(default=list(y))
    frame.to_csv(tmp_path / "some.csv", index=False)
    scan = ob.scan(tmp_path / "some.csv", chunk_rows=64)
    from_file = NaiveBayesEM().fit(scan, "default")
    read = ob.read(tmp_path / "some.csv")
    in_memory = NaiveBayesEM().fit(read, "default")
    assert from_file.n_unlabelled_ == in_memory.n_unlabelled_ == 160
    np.testing.assert_allclose(from_file.trace_, in_memory.trace_, rtol=1e-9)


def test_a_saved_model_shows_the_same_work(tmp_path, credit):
    model = NaiveBayesEM().fit(*credit)
    ob.save(model, tmp_path / "m.openbook")
    opened = ob.open_model(tmp_path / "m.openbook")
    assert str(opened.work()) == str(model.work())
    assert (opened.objective_ == model.objective_).all()


def test_work_counts_all_unlabelled_rows_where_it_shows_some(credit):
    work = NaiveBayesEM().fit(*credit).work()
    assert "the first 10 of 160" in str(work)
    assert "EM ended after" in work.conclusion


def test_the_border_refuses():
    with pytest.raises(DataError, match=r"target 'class' is missing in every row; label some rows"):
        NaiveBayesEM().fit([["a"], ["b"]], [None, None])
    with pytest.raises(DataError, match=r"leave them out: .*, or learn from them, too: openbook\.label"):
        NaiveBayes().fit([["a"], ["b"]], ["no", None])
    with pytest.raises(
        ParameterError, match="unlabelled_weight must be a number of at least 0 and at most 1"
    ):
        NaiveBayesEM(unlabelled_weight=2).fit([["a"]], ["no"])


def test_it_says_when_it_did_not_converge(credit):
    with pytest.warns(UserWarning, match="did not converge in 1 rounds; raise max_iter or tol"):
        NaiveBayesEM(max_iter=1).fit(*credit)
