"""AdaBoost: rounds by hand, the rules at the edges, several classes beside scikit-learn, and resampling."""

import math

import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.ensemble import AdaBoostClassifier as TheirAdaBoost
from sklearn.neighbors import KNeighborsClassifier
from sklearn.tree import DecisionTreeClassifier

from openbook import load, open_model, read, save, tree
from openbook.baseline import OneR, ZeroR
from openbook.bayes import NaiveBayes
from openbook.ensemble import AdaBoostClassifier, adaboost
from openbook.ensemble.members import copied, each_decided
from openbook.ensemble.rounds import boost, narrowest, reweigh, vote_error

X, Y = load("weather").split("play")
STUMP = DecisionTreeClassifier(max_depth=1, random_state=0)


def rounds(decisions, y, n_classes=2):
    """Boosting by members whose decisions are given, from equal weights."""
    script = iter(decisions)
    start = np.full(len(y), 1 / len(y))
    seen = []

    def grow(weights):
        seen.append(weights)
        return "member", np.array(next(script))

    return list(boost(grow, np.array(y), start, n_classes, len(decisions), 0.5 / len(y))), seen


def test_weights_go_to_what_was_wrong():
    """One of four wrong: e = 1/4, alpha = ln(3) / 2, and the wrong row gets half of the weight."""
    (first, second), seen = rounds([[0, 0, 1, 0], [0, 0, 1, 1]], [0, 0, 1, 1])
    assert first.error == 0.25
    assert first.alpha == pytest.approx(math.log(3) / 2, rel=1e-15)
    assert first.z == pytest.approx(2 * math.sqrt(0.25 * 0.75), rel=1e-15)
    assert first.weights == pytest.approx([1 / 6, 1 / 6, 1 / 6, 1 / 2], rel=1e-14)
    assert seen[1] is first.weights
    assert second.error == 0


def test_several_classes():
    """SAMME, halved: three of six wrong among three classes, alpha = (ln(1) + ln(2)) / 2."""
    (first, _), _ = rounds([[0, 0, 1, 0, 0, 0], [0] * 6], [0, 0, 1, 1, 2, 2], n_classes=3)
    assert first.error == pytest.approx(0.5)
    assert first.alpha == pytest.approx(math.log(2) / 2, rel=1e-14)
    assert first.weights[:3] == pytest.approx([1 / 9] * 3)  # right to wrong as 1 to exp(2 alpha) = 2
    assert first.weights[3:] == pytest.approx([2 / 9] * 3)


def test_no_error_ends_the_rounds():
    turns, _ = rounds([[0, 1, 1, 1], [0, 0, 1, 1], [0, 1, 1, 1]], [0, 0, 1, 1])
    assert [turn.error == 0 for turn in turns] == [False, True]
    assert turns[1].alpha == pytest.approx(math.log((1 - 1 / 8) / (1 / 8)) / 2)  # half of one row in four


def test_weights_begin_anew_where_a_member_guesses():
    """The second member is wrong on the row of half the weight: it goes, and so do the weights."""
    turns, seen = rounds([[0, 0, 1, 0], [0, 0, 1, 0], [0, 1, 1, 1]], [0, 0, 1, 1])
    assert turns[1].error == pytest.approx(0.5)
    assert turns[1].member is None
    assert turns[1].alpha == 0
    assert seen[2].tolist() == [0.25] * 4
    assert turns[2].member == "member"
    assert turns[2].error == 0.25


def test_the_vote_goes_to_the_first_of_equals():
    """Rows of weight 1, 2, 4, 8: the last of the classes is right, the first, the second, and the first."""
    scores = np.array([[1.0, 1.0, 2.0], [1.0, 1.0, 0.0], [0.5, 0.5, 0.5], [0.0, 3.0, 3.0]])
    assert vote_error(scores, np.array([2, 0, 1, 0], np.int8), np.array([1.0, 2, 4, 8])) == 4 + 8


@pytest.mark.parametrize(("n_classes", "size"), [(1, 1), (2, 1), (128, 1), (129, 2)])
def test_codes_take_as_few_bytes_as_will_do(n_classes, size):
    codes = narrowest(np.array([0, n_classes - 1, -1]), n_classes)
    assert codes.tolist() == [0, n_classes - 1, -1]
    assert codes.itemsize == size
    assert narrowest(codes, n_classes) is codes


def test_a_first_member_that_guesses_is_discarded():
    """Half of four rows wrong: no member, no alpha, and the weights stay where they began."""
    turns, seen = rounds([[0, 1, 0, 1], [0, 0, 1, 0]], [0, 0, 1, 1])
    assert (turns[0].member, turns[0].alpha, turns[0].z) == (None, 0, 1)
    assert seen[1].tolist() == [0.25] * 4
    assert turns[1].member == "member"
    assert turns[1].error == 0.25


def test_rounding_does_not_beat_guessing():
    """Ten tenths: five of them sum to 0.5 or to a little less."""
    y = np.arange(10) % 2
    turns, _ = rounds([[0] * 10], y.tolist())
    start = np.full(10, 0.1)
    start[::2] += 1e-13
    (turn,) = boost(lambda _: ("member", np.zeros(10, int)), y, start / start.sum(), 2, 1, 0.05)
    assert turn.error < 0.5
    assert [turns[0].member, turn.member] == [None, None]


def parity():
    """No stump tells these classes apart: each of its leaves holds both, equally."""
    return np.array([[0.0, 0.0], [0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), np.array(["b", "a", "a", "b"])


def test_without_members_the_prior_is_predicted(tmp_path):
    """Two rows of each class, and no stump that splits them: P = 1/2, and the first class of equals."""
    x, y = parity()
    model = AdaBoostClassifier(n_estimators=3).fit(x, y)
    assert model.estimators_ == []
    assert model.alphas_.tolist() == [0, 0, 0]
    assert model.vote_errors_.tolist() == [0.5] * 3
    assert model.predict_proba(x).tolist() == [[0.5, 0.5]] * 4
    assert model.predict(x).tolist() == ["a"] * 4
    assert list(model.staged_predict(x)) == []
    text = model.work().text()
    assert "No better than guessing: the member is discarded, and the weights are reset." in text
    assert "No member is better than guessing, so none is kept: the model predicts the prior." in text
    assert "bound" not in text
    assert model.work()["P(a)"].result == 0.5
    again = open_model(save(model, tmp_path / "parity.openbook"))
    assert again.predict_proba(x).tolist() == [[0.5, 0.5]] * 4
    assert again.work(x[0]).text() == model.work(x[0]).text()


def test_the_prior_of_three_classes():
    """A member that is always wrong leaves the shares 3/6, 2/6, 1/6, and the scores 1/2 ln of them."""
    x, y = np.zeros((6, 1)), ["a", "a", "a", "b", "b", "c"]
    wrong = DummyClassifier(strategy="constant", constant="c")  # wrong on 5/6, more than 2/3
    model = AdaBoostClassifier(wrong, n_estimators=2).fit(x, y)
    assert model.estimators_ == []
    assert model.predict_proba([[0.0]])[0] == pytest.approx([1 / 2, 1 / 3, 1 / 6])
    assert model.predict([[0.0]]).tolist() == ["a"]
    assert model.vote_errors_ == pytest.approx([0.5, 0.5])
    assert model.work([0.0])["s(b)"].result == pytest.approx(0.5 * math.log(1 / 3))
    assert model.work([0.0])["P(b)"].result == pytest.approx(1 / 3)


def test_the_vote_is_that_of_the_kept_members():
    """Found by a search for data on which 1R gets no further: the round that guesses has no member."""
    model = AdaBoostClassifier(ZeroR(), 5).fit([[0]] * 5, [0, 0, 0, 1, 1])
    # 0R: e = 2/5, then both classes weigh a half, and every other round guesses
    assert model.errors_ == pytest.approx([0.4, 0.5, 0.4, 0.5, 0.4])
    assert model.alphas_ == pytest.approx([0.5 * math.log(1.5), 0] * 2 + [0.5 * math.log(1.5)])
    assert len(model.estimators_) == 3
    assert model.decision_function([[0]])[0] == pytest.approx(-1.5 * math.log(1.5))
    text = model.work().text()
    assert "No better than guessing: the member is discarded, and the weights are reset." in text
    assert "bound" not in text


@pytest.mark.parametrize("learner", [None, tree.C45(), NaiveBayes()])
def test_rows_vote_alike_however_many_at_once(learner, monkeypatch):
    """Seven rows of iris at a time: 21 times seven, and three; other learners than trees take all at once."""
    X, y = load("iris").split("species")
    model = AdaBoostClassifier(learner, n_estimators=3, random_state=0).fit(X, y)
    expected, seen = model.decision_function(X), []
    monkeypatch.setattr(adaboost, "CELLS", 7 * len(X.schema))
    monkeypatch.setattr(
        adaboost, "each_decided", lambda *given: (seen.append(len(given[1])), each_decided(*given))[1]
    )
    assert (model.decision_function(X) == expected).all()
    assert seen == ([150] if isinstance(learner, NaiveBayes) else [7] * 21 + [3])


def test_one_class_only():
    model = AdaBoostClassifier(OneR()).fit(X, ["Yes"] * 14)
    assert model.predict(X).tolist() == ["Yes"] * 14
    assert model.predict_proba(X).tolist() == [[1.0]] * 14


def test_probabilities_follow_the_scores():
    model = AdaBoostClassifier(OneR(), 4).fit(X, Y)
    scores = sum(
        alpha * (member.predict(X)[:, None] == model.classes_)
        for alpha, member in zip(model.alphas_, model.estimators_, strict=True)
    )
    margin = scores[:, 1] - scores[:, 0]
    np.testing.assert_allclose(model.decision_function(X), margin, rtol=1e-12)
    np.testing.assert_allclose(model.predict_proba(X)[:, 1], 1 / (1 + np.exp(-2 * margin)), rtol=1e-12)
    assert (model.predict(X) == np.where(margin > 0, "Yes", "No")).all()
    work = model.work(X.row(0))
    assert work["s(Yes)"].result == pytest.approx(scores[0, 1])
    assert work["P(Yes)"].result == model.predict_proba(X.take([0]))[0, 1]


@pytest.mark.parametrize("learning_rate", [1.0, 0.3])
@pytest.mark.parametrize("stump", [None, STUMP], ids=["our stumps", "theirs"])
@pytest.mark.parametrize(("name", "target"), [("iris", "species"), ("wine", "cultivar")])
def test_beside_scikit_learn(name, target, stump, learning_rate):
    """Their alpha is twice ours, and both decide alike."""
    table, y = load(name).split(target)
    numbers, y = table.block(table.names), np.asarray(y).astype(str)
    ours = AdaBoostClassifier(stump, 20, learning_rate, random_state=0).fit(numbers, y)
    theirs = TheirAdaBoost(STUMP, n_estimators=20, learning_rate=learning_rate, random_state=0)
    theirs.fit(numbers, y)
    np.testing.assert_allclose(ours.estimator_weights_, theirs.estimator_weights_, rtol=1e-6)
    np.testing.assert_allclose(ours.estimator_errors_, theirs.estimator_errors_, rtol=1e-6)
    assert (ours.predict(numbers) == theirs.predict(numbers)).all()
    if stump is STUMP:
        np.testing.assert_allclose(ours.feature_importances_, theirs.feature_importances_, rtol=1e-6)


def test_the_work_shows_the_learning_rate():
    """4 of 14 rows are wrong, and half of alpha is taken."""
    model = AdaBoostClassifier(OneR(), n_estimators=1, learning_rate=0.5).fit(X, Y)
    alpha = model.work()["alpha, round 1"]
    assert alpha.result == pytest.approx(0.25 * np.log(10 / 4))
    assert alpha.formula.startswith(r"\nu")


def test_whole_weights_are_rows_repeated():
    weights = np.arange(14) % 3
    rows = np.repeat(np.arange(14), weights)
    weighted = AdaBoostClassifier(NaiveBayes(), 5).fit(X, Y, sample_weight=weights)
    repeated = AdaBoostClassifier(NaiveBayes(), 5).fit(X.take(rows), Y[rows])
    np.testing.assert_allclose(weighted.alphas_, repeated.alphas_, rtol=1e-9)
    np.testing.assert_allclose(weighted.vote_errors_, repeated.vote_errors_, atol=1e-12)


def test_a_learner_wants_rows_of_weight_one():
    """1R makes no interval of fewer than six rows, so the weights it gets must still sum to the rows."""
    model = AdaBoostClassifier(OneR(), 3).fit(X, Y)
    totals = [member.statistics_.classes.sum() for member in model.estimators_]
    assert totals == pytest.approx([14] * 3)


@pytest.mark.parametrize(
    ("learner", "resample"), [(OneR(), True), (KNeighborsClassifier(30), False)], ids=["asked", "no weights"]
)
def test_resampling(learner, resample):
    iris, species = load("iris").split("species")
    model = AdaBoostClassifier(learner, 5, resample=resample, random_state=0).fit(iris, species)
    again = AdaBoostClassifier(learner, 5, resample=resample, random_state=0).fit(iris, species)
    other = AdaBoostClassifier(learner, 5, resample=resample, random_state=1).fit(iris, species)
    assert model.errors_.tolist() == again.errors_.tolist() != other.errors_.tolist()
    assert model.score(iris, species) > 0.9
    if resample:  # so many whole rows each
        assert all(m.statistics_.classes.sum() == 150 for m in model.estimators_)
        assert all((m.statistics_.classes % 1 == 0).all() for m in model.estimators_)


def test_long_tables_are_cut():
    iris, species = load("iris").split("species")
    model = AdaBoostClassifier(STUMP, 40).fit(iris, species)
    grids = {part.title: part for part in model.work().parts}
    assert model.weights_.shape == (41, 30)
    assert grids["weights"].note == "the first 30 rows"
    assert grids["weights"].header[-1] == "after 5"
    assert grids["rounds"].note == "10 more rows"
    assert len([title for title in grids if title.startswith("Round ")]) == 5


@pytest.mark.parametrize(
    "learner",
    [
        tree.DecisionTreeClassifier(max_depth=1, bins=300),  # fewer would follow the weights of each fit
        tree.DecisionTreeClassifier("entropy", max_depth=2, class_weight="balanced", max_features=2),
        tree.DecisionTreeClassifier(nominal="subset", missing="branch", prune="reduced_error"),
        tree.ID3(),
        tree.C45(),
        tree.CART(),
    ],
)
def test_trees_of_rows_encoded_once_are_those_of_fit(learner):
    """Every array of every member, on rows with gaps, against members that are fitted one by one."""
    table, y = load("credit", rows=300, random_state=2).split("default")
    assert learner._grows_again
    model = AdaBoostClassifier(learner, 4, random_state=0).fit(table, y)
    rng, weights = np.random.RandomState(0), np.full(300, 1 / 300)
    members = iter(model.estimators_)
    for alpha in model.alphas_:
        alone = copied(learner, rng).fit(table, y, sample_weight=weights * 300)
        if alpha == 0:  # discarded
            weights = np.full(300, 1 / 300)
            continue
        member = next(members)
        assert vars(member).keys() ^ vars(alone).keys() <= {"_rows_in_use"}  # where the caller's rows are
        assert repr(member) == repr(alone)
        for name, array in alone._arrays().items():
            np.testing.assert_array_equal(member._arrays()[name], array, err_msg=name)
        wrong, last = alone.predict(table) != np.asarray(y), weights
        weights = np.empty(300)
        reweigh(last, wrong, np.zeros(300, dtype=bool), math.exp(alpha), weights)


def test_bins_are_placed_once_for_all_rounds():
    """Eight bins have seven edges a column, whatever the weights; fitted alone, they would move."""
    table, y = load("iris").split("species")
    model = AdaBoostClassifier(tree.DecisionTreeClassifier(max_depth=3, bins=8), 20).fit(table, y)
    cuts = {
        (int(column), float(cut))
        for member in model.estimators_
        for column, cut in zip(member.tree_.attribute, member.tree_.cut, strict=True)
        if column >= 0
    }
    assert len(model.estimators_) == 20
    assert len(cuts) > 15
    assert all(sum(column == c for column, _ in cuts) <= 7 for c in range(4))


def test_trees_level_by_level_are_fitted_one_by_one():
    """An oblivious tree does not grow from encoded rows."""
    learner = tree.ObliviousTreeClassifier(max_depth=1)
    assert not learner._grows_again
    model = AdaBoostClassifier(learner, 2).fit(X, Y)
    assert model.estimators_[0].levels_.attribute.shape == (1,)


def test_stages_are_the_votes_of_fewer_rounds():
    """The stage of three rounds is what a model of three rounds says; its training errors are those kept."""
    X, y = load("iris").split("species")
    model = AdaBoostClassifier(n_estimators=6).fit(X, y)
    labels, proba = list(model.staged_predict(X)), [p.copy() for p in model.staged_predict_proba(X)]
    assert len(labels) == len(proba) == len(model.estimators_)
    three = AdaBoostClassifier(n_estimators=3).fit(X, y)
    assert labels[2].tolist() == three.predict(X).tolist()
    assert np.array_equal(proba[2], three.predict_proba(X))
    assert np.array_equal(proba[-1], model.predict_proba(X))
    errors = [np.mean(said != np.array(y.tolist())) for said in labels]
    assert errors == pytest.approx(model.vote_errors_.tolist())


def test_one_row_is_enough():
    model = AdaBoostClassifier().fit([[1.0]], ["a"])
    assert model.predict([[5.0]]).tolist() == ["a"]
    assert "1 member votes" in model.work().text()


def test_a_useless_first_member_is_not_kept():
    """Constant inputs, even classes: half of the rows are wrong, and no alpha follows from that."""
    model = AdaBoostClassifier().fit([[1.0], [1.0]], ["a", "b"])
    assert model.estimators_ == []
    assert model.predict_proba([[1.0]]).tolist() == [[0.5, 0.5]]
    assert "bound" not in model.work().text()


def test_the_work_tells_the_stump_and_how_weights_change():
    """Ten numbers of a textbook: after a round, rows that are right weigh 1/14 and wrong ones 1/6."""
    rows = read({"x": range(10), "y": [1, 1, 1, -1, -1, -1, 1, 1, 1, -1]}, kinds={"y": "nominal"})
    first = AdaBoostClassifier(n_estimators=1).fit(rows, "y").work().parts[0]
    assert first["error, round 1"].note == "if x <= 2.5 then y = 1; if x > 2.5 then y = -1"
    assert 0.1 * first["weights times, if right"].result == pytest.approx(1 / 14)
    assert 0.1 * first["weights times, if wrong"].result == pytest.approx(1 / 6)
