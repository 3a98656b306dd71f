"""Wrappers: the same path by sums as by refits, and as scikit-learn's; stop rules; refusals."""

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine
from sklearn.feature_selection import SequentialFeatureSelector
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.naive_bayes import GaussianNB
from sklearn.preprocessing import StandardScaler

import openbook
from openbook.baseline import OneR
from openbook.bayes import NaiveBayes
from openbook.bayes.smoothing import NoSmoothing
from openbook.data import Nominal, Schema, Table
from openbook.errors import ParameterError, RefusalError
from openbook.features import Ablation, ExhaustiveSelection, ForwardSelection, subsets
from openbook.judge import FoldError
from openbook.linear import LinearRegression
from openbook.tree import ID3

SPLIT = StratifiedKFold(4, shuffle=True, random_state=1)


@pytest.fixture
def refitting(monkeypatch):
    """Switches the sums off."""
    return lambda: monkeypatch.setattr(subsets, "MOST_BYTES", 0)


def path_of(search):
    return [(move.chosen, [(one.attribute, one.score) for one in move.candidates]) for move in search.path_]


def assert_same_path(one, other):
    assert one.selected_ == other.selected_
    assert one.stop_ == other.stop_
    for (chosen, scores), (also, same) in zip(path_of(one), path_of(other), strict=True):
        assert chosen == also
        assert dict(scores) == pytest.approx(dict(same), rel=1e-9)


class TestSums:
    @pytest.mark.parametrize(
        ("table", "target", "options"),
        [
            ("weather", "play", {}),
            ("wine", "cultivar", {}),
            ("credit", "default", {}),
            ("credit", "default", {"smoothing": NoSmoothing()}),
            ("iris", "species", {"distributions": "kernel"}),
        ],
    )
    @pytest.mark.parametrize("metric", ["accuracy", "log_loss"])
    def test_path_is_that_of_refits(self, table, target, options, metric, refitting):
        X, y = (openbook.load("credit", rows=200) if table == "credit" else openbook.load(table)).split(
            target
        )
        names = X.names[:6]
        search = ForwardSelection(NaiveBayes(**options), k=3, metric=metric)
        if table != "weather":  # which leaves its rows out one by one
            search.set_params(cv=SPLIT)
        quick = search.fit(X.select(names), y)
        refitting()
        slow = ForwardSelection(**search.get_params(deep=False)).fit(X.select(names), y)
        assert_same_path(quick, slow)

    def test_ablation_and_exhaustive(self, refitting):
        X, y = openbook.load("wine").split("cultivar")
        X = X.select(X.names[:5])
        quick = Ablation(NaiveBayes(), eps=0.02, cv=SPLIT).fit(X, y)
        every = ExhaustiveSelection(NaiveBayes(), cv=SPLIT).fit(X, y)
        refitting()
        assert_same_path(quick, Ablation(NaiveBayes(), eps=0.02, cv=SPLIT).fit(X, y))
        again = ExhaustiveSelection(NaiveBayes(), cv=SPLIT).fit(X, y)
        assert [subset for subset, _ in every.best_] == [subset for subset, _ in again.best_]
        assert [s for _, s in every.best_] == pytest.approx([s for _, s in again.best_])

    def test_a_class_that_a_fold_never_learns(self, refitting):
        X = np.r_[np.zeros(20), np.ones(20), 5.0][:, None] + np.linspace(0, 0.1, 41)[:, None] * [1, -1]
        y = np.r_[np.zeros(20), np.ones(20), 2].astype(int)
        split = KFold(3)  # the last fold tests the only row of class 2
        quick = ForwardSelection(NaiveBayes(), k=2, cv=split, metric="log_loss").fit(X, y)
        refitting()
        assert_same_path(quick, ForwardSelection(NaiveBayes(), k=2, cv=split, metric="log_loss").fit(X, y))

    def test_learners_without_sums_are_refitted(self):
        X, y = openbook.load("weather").split("play")
        search = ForwardSelection(OneR(), k=1).fit(X, y)
        scores = {one.attribute: one.score for one in search.path_[0].candidates}
        for name, score in scores.items():
            assert score == openbook.evaluate(OneR(), X.select([name]), y).score("accuracy")

    def test_multinomial_is_refitted(self):
        X = np.random.default_rng(0).integers(0, 4, (60, 3)).astype(float)
        y = (X[:, 1] > 1).astype(int)
        model = NaiveBayes(distributions="multinomial")
        assert ForwardSelection(model, k=1, cv=SPLIT).fit(X, y).get_support().sum() == 1


class TestForward:
    @pytest.mark.parametrize(("load", "k"), [(load_iris, 2), (load_wine, 3)])
    def test_path_is_scikit_learns(self, load, k):
        X, y = load(return_X_y=True)
        X = X[:, -6:]
        ours = ForwardSelection(NaiveBayes(), k=k, cv=SPLIT).fit(X, y)
        theirs = SequentialFeatureSelector(GaussianNB(), n_features_to_select=k, cv=SPLIT).fit(X, y)
        assert ours.get_support().tolist() == theirs.get_support().tolist()

    def test_stops_when_nothing_is_gained(self):
        # the first column tells the class; nothing can be gained on top of that
        y = np.tile([0, 1], 40)
        X = np.column_stack([np.random.default_rng(0).normal(size=80), y, y])
        search = ForwardSelection(NaiveBayes(), cv=SPLIT).fit(
            openbook.read(X, kinds={1: "nominal", 2: "nominal"}), y
        )
        assert search.selected_ == ("x1",)  # ties: the first
        assert search.stop_ == "x0, the best of the others, gains +0.000, and must gain something."
        assert [move.chosen for move in search.path_] == ["x1", None]
        assert search.path_[0].gain == pytest.approx(0.5)  # over 0R
        work = search.work()
        assert "Without any attribute: accuracy 0.500" in work.text()
        assert work.conclusion.startswith(search.stop_)

    def test_k_goes_on_whatever_is_gained(self):
        y = np.tile([0, 1], 40)
        X = np.column_stack([y, np.random.default_rng(0).normal(size=(80, 3))])
        search = ForwardSelection(OneR(), k=3, cv=SPLIT).fit(X, y)
        assert search.get_support().sum() == 3
        assert search.stop_ == "k = 3 attributes are selected."
        assert ForwardSelection(OneR(), k=9, cv=SPLIT).fit(X, y).stop_ == "Every attribute is selected."

    def test_min_gain(self):
        X, y = openbook.load("wine").split("cultivar")
        free = ForwardSelection(NaiveBayes(), cv=SPLIT).fit(X, y)
        second = free.path_[1].gain
        assert len(free.selected_) > 2
        strict = ForwardSelection(NaiveBayes(), min_gain=second + 1e-6, cv=SPLIT).fit(X, y)
        assert len(strict.selected_) == 1
        assert f"must gain more than {second + 1e-6:g}" in strict.stop_

    def test_significance(self):
        X, y = openbook.load("wine").split("cultivar")
        free = ForwardSelection(NaiveBayes(), cv=SPLIT).fit(X, y)
        sure = ForwardSelection(NaiveBayes(), p=0.01, cv=SPLIT).fit(X, y)
        assert len(sure.selected_) < len(free.selected_)
        assert "which is not significant (p = " in sure.stop_

    def test_regression(self):
        X, y = openbook.load("diabetes").split("progression")
        search = ForwardSelection(LinearRegression(), k=2, cv=KFold(3)).fit(X, y)
        assert search.selected_ == ("bmi", "s5")
        assert search.metric_.name == "rmse"
        assert search.path_[0].gain > 0  # RMSE falls, which is better

    def test_same_seed_same_path(self):
        X, y = openbook.load("wine").split("cultivar")
        one, other = (ForwardSelection(NaiveBayes(), random_state=3).fit(X, y) for _ in range(2))
        assert path_of(one) == path_of(other)

    def test_frames_reach_foreign_estimators_as_they_came(self):
        class Seen(GaussianNB):
            """Notes what it is given."""

            frames = []

            def fit(self, X, y):
                self.frames.append(list(X.columns))
                return super().fit(X, y)

        X, y = load_iris(return_X_y=True, as_frame=True)
        search = ForwardSelection(Seen(), k=1, cv=[(np.arange(0, 150, 2), np.arange(1, 150, 2))]).fit(X, y)
        assert Seen.frames == [[name] for name in X.columns]
        assert list(search.transform(X).columns) == list(search.selected_)

    def test_refusals(self):
        X, y = openbook.load("weather").split("play")
        with pytest.raises(ParameterError, match="min_gain must be a number of at least 0, got -1"):
            ForwardSelection(NaiveBayes(), min_gain=-1).fit(X, y)
        with pytest.raises(ParameterError, match="metric must be None or one of 'accuracy'"):
            ForwardSelection(NaiveBayes(), metric="speed").fit(X, y)
        with pytest.raises(ParameterError, match="rmse judges regression, and this is classification"):
            ForwardSelection(NaiveBayes(), metric="rmse").fit(X, y)
        with pytest.raises(ParameterError, match="is neither a classifier nor a regressor"):
            ForwardSelection(StandardScaler()).fit(X, y)
        with pytest.raises(ParameterError, match="cv gives no folds"):
            ForwardSelection(NaiveBayes(), cv=[]).fit(X, y)
        from sklearn.svm import LinearSVC

        with pytest.raises(ParameterError, match="log_loss needs probabilities"):
            ForwardSelection(LinearSVC(), metric="log_loss").fit(X, y)

    def test_a_learner_that_fails_names_its_fold(self):
        X = openbook.read([{"t": float(i) if i else None} for i in range(8)])
        with pytest.raises(FoldError, match="GaussianNB failed in fold"):
            ForwardSelection(GaussianNB(), cv=KFold(2)).fit(X, [0, 1] * 4)
        with pytest.raises(RefusalError, match="NaiveBayes cannot use these columns: categorical needs"):
            ForwardSelection(NaiveBayes(distributions="categorical"), cv=KFold(2)).fit(X, [0, 1] * 4)


class TestAblation:
    def test_drops_what_is_not_missed(self):
        y = np.tile([0, 1], 30)
        noise = np.random.default_rng(0).normal(size=(60, 2))
        table = openbook.read(np.column_stack([noise, y]), kinds={2: "nominal"})
        search = Ablation(NaiveBayes(), cv=SPLIT).fit(table, y)
        assert search.selected_ == ("x2",)
        assert [move.chosen for move in search.path_] == ["x0", "x1"]
        assert search.stop_ == "Only one attribute is left."
        assert search.full_ == 1.0

    def parity(self):
        """Two columns of which the class is the exclusive or, so that a tree misses either; and noise."""
        rng = np.random.default_rng(0)
        a, b, n = (np.repeat([0, 0, 1, 1], 10), np.tile(np.repeat([0, 1], 10), 2), rng.integers(0, 2, 40))
        schema = Schema(tuple(Nominal(name, ("0", "1")) for name in "abn"))
        return Table(schema, [c.astype(np.int8) for c in (a, b, n)]), a ^ b

    def test_stops_where_the_loss_is_above_eps(self):
        X, y = self.parity()
        search = Ablation(ID3(), eps=0.1, cv=SPLIT).fit(X, y)
        assert search.selected_ == ("a", "b")
        assert [move.chosen for move in search.path_] == ["n", None]
        assert "is lost: more than eps = 0.1." in search.stop_
        assert Ablation(ID3(), eps=1.0, cv=SPLIT).fit(X, y).get_support().sum() == 1

    def test_small_losses_do_not_add_up(self):
        X, y = load_wine(return_X_y=True)
        search = Ablation(NaiveBayes(), eps=0.02, cv=SPLIT).fit(X, y)
        for move in search.path_:
            if move.chosen is not None:
                assert move.score >= search.full_ - 0.02 - 1e-12
        losses = [one.score for one in search.path_[-1].candidates]
        assert max(losses) < search.full_ - 0.02  # each of the last would have cost more

    def test_exhaustive_finds_what_forward_cannot(self):
        X, y = self.parity()
        every = ExhaustiveSelection(ID3(), cv=SPLIT).fit(X, y)
        assert every.selected_ == ("a", "b")
        assert every.n_subsets_ == 7
        assert every.best_[0][1] == 1.0
        assert len(ForwardSelection(ID3(), cv=SPLIT).fit(X, y).selected_) == 1

    def test_refusal(self):
        with pytest.raises(ParameterError, match="eps must be a number of at least 0, got None"):
            Ablation(NaiveBayes(), eps=None).fit(*openbook.load("weather").split("play"))


class TestExhaustive:
    def test_best_is_the_best_of_all(self):
        from itertools import combinations

        X, y = openbook.load("iris").split("species")
        search = ExhaustiveSelection(OneR(), cv=SPLIT).fit(X, y)
        pairs = list(SPLIT.split(np.zeros(150), np.asarray(y)))
        scores = {
            names: openbook.evaluate(OneR(), X.select(names), y, pairs).score("accuracy")
            for size in range(1, 5)
            for names in combinations(X.names, size)
        }
        top = max(scores.values())
        assert search.best_[0] == (next(names for names, score in scores.items() if score == top), top)
        assert [score for _, score in search.best_] == sorted(scores.values(), reverse=True)[:10]

    def test_equal_scores_go_to_the_smaller_subset(self):
        y = np.tile([0, 1], 20)
        search = ExhaustiveSelection(OneR(), cv=SPLIT).fit(np.column_stack([y, y, y]), y)
        assert search.selected_ == ("x0",)
        assert "The best of 7 subsets" in search.work().text()

    def test_too_many_are_refused_with_their_number(self):
        X = np.random.default_rng(0).normal(size=(20, 17))
        message = r"17 attributes have 131,071 subsets to evaluate; keep at most 16"
        with pytest.raises(ParameterError, match=message):
            ExhaustiveSelection(NaiveBayes()).fit(X, np.tile([0, 1], 10))
