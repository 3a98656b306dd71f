"""What selectors go by: relevance against redundancy, stability over samples, a learner’s own weights."""

import math

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.metrics import mutual_info_score
from sklearn.tree import DecisionTreeClassifier

import openbook
from openbook.baseline import OneR
from openbook.bayes import NaiveBayes
from openbook.data import Nominal, Schema, Table
from openbook.errors import DataError, ParameterError
from openbook.features import (
    MRMR,
    EmbeddedSelection,
    ForwardSelection,
    SelectAttributes,
    StabilitySelection,
)
from openbook.linear import LogisticRegression
from openbook.tree import ID3


def coded(**columns):
    """A table of nominal columns from strings of letters."""
    values = {name: sorted(set(cells)) for name, cells in columns.items()}
    schema = Schema(tuple(Nominal(name, tuple(values[name])) for name in columns))
    return Table(
        schema, [np.array([values[n].index(c) for c in cells], np.int8) for n, cells in columns.items()]
    )


class TestMRMR:
    def test_a_copy_is_redundant(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 2, 200)
        a = np.where(rng.random(200) < 0.9, y, 1 - y)
        b = np.where(rng.random(200) < 0.7, y, 1 - y)
        X = openbook.read(np.column_stack([a, a, b]), kinds="nominal")
        for scheme in ("difference", "quotient"):
            assert MRMR(k=2, scheme=scheme).fit(X, y).order_ == ("x0", "x2")
        assert SelectAttributes(k=2).fit(X, y).selected_ == ("x0", "x1")  # which a filter takes twice

    @pytest.mark.parametrize("scheme", ["difference", "quotient"])
    def test_each_step_is_the_best_by_scikit_learns_information(self, scheme):
        rng = np.random.default_rng(1)
        y = rng.integers(0, 3, 300)
        X = (rng.integers(0, 3, (300, 6)) * (rng.random((300, 6)) < 0.6) + y[:, None]) % 4
        X[:, 5] = X[:, 0]
        selection = MRMR(k=4, scheme=scheme).fit(openbook.read(X, kinds="nominal"), y)

        def bits(a, b):
            return mutual_info_score(a, b) / math.log(2)

        kept = []
        for _ in range(4):
            left = [j for j in range(6) if j not in kept]
            relevance = {j: bits(X[:, j], y) for j in left}
            redundancy = {j: np.mean([bits(X[:, j], X[:, s]) for s in kept]) if kept else 0 for j in left}
            score = {
                j: relevance[j] - redundancy[j]
                if scheme == "difference" or not kept
                else relevance[j] / redundancy[j]
                for j in left
            }
            kept.append(max(left, key=lambda j: (round(score[j], 10), -j)))
        assert selection.order_ == tuple(f"x{j}" for j in kept)
        rated = {one.attribute: one for one in selection.path_[1]}
        j = next(j for j in range(6) if f"x{j}" in rated)
        assert rated[f"x{j}"].redundancy == pytest.approx(bits(X[:, j], X[:, kept[0]]))

    def test_missing_pairs_are_left_out(self):
        # where both are known a and b are the same: 1 bit; a third of the rows each has gaps
        table = coded(a="xxyyxy", b="xxyyxy", c="nnppnp")
        gaps = Table(table.schema, [np.where(np.arange(6) == hole, -1, column) for hole, column in
                                    zip((0, 3, 9), table.columns, strict=True)])  # fmt: skip
        second = MRMR(k=2).fit(gaps, "c").path_[1][0]
        assert second.redundancy == pytest.approx(1.0)

    def test_nothing_redundant_is_infinite_by_quotient(self):
        table = coded(a="xxyyxxyy", b="uvuvuvuv", c="nnppnnpp")
        selection = MRMR(k=2, scheme="quotient").fit(table, "c")
        assert selection.order_ == ("a", "b")
        assert selection.path_[1][0].score == 0.0  # it tells nothing, either

    def test_numbers_are_cut(self):
        X, y = load_iris(return_X_y=True)
        selection = MRMR(k=2).fit(X, y)
        assert selection.order_[0] == "x3"
        assert "Step 2" in selection.work().text()
        assert MRMR().fit(X, y).get_support().sum() == 2  # half of them

    def test_refusals(self):
        with pytest.raises(ParameterError, match="scheme must be one of 'difference', 'quotient'"):
            MRMR(scheme="ratio").fit(*openbook.load("weather").split("play"))
        with pytest.raises(ParameterError, match="MRMR: give one of k, fraction and p, not k and fraction"):
            MRMR(k=1, fraction=0.5).fit(*openbook.load("weather").split("play"))
        table = openbook.read([{"a": None, "c": c} for c in "np"], kinds={"a": "numeric"})
        with pytest.raises(DataError, match="no attribute has a mutual information with the target"):
            MRMR().fit(table, "c")


class TestStability:
    def test_frequencies_and_bound(self):
        X, y = load_iris(return_X_y=True)
        X = np.column_stack([X, np.random.default_rng(0).normal(size=(150, 4))])
        selection = StabilitySelection(SelectAttributes("anova_f", k=3), repeats=20, threshold=0.9).fit(X, y)
        assert selection.frequencies_.sum() == pytest.approx(3)
        assert selection.frequencies_[[2, 3]].tolist() == [1, 1]
        assert selection.bound_ == pytest.approx(3**2 / ((2 * 0.9 - 1) * 8))
        assert selection.work()["E[V] at most"].result == selection.bound_
        assert set(selection.selected_) == {f"x{j}" for j in np.flatnonzero(selection.frequencies_ >= 0.9)}

    @pytest.mark.filterwarnings("ignore:StabilitySelection")
    def test_the_bound_holds_on_noise(self):
        """Useless attributes kept, over seeded tables: no more than the bound says in the mean."""
        rng = np.random.default_rng(0)
        kept, bound = [], 0.0
        for seed in range(10):
            y = rng.integers(0, 2, 60)
            X = rng.normal(size=(60, 12))
            inner = SelectAttributes("anova_f", k=3)
            selection = StabilitySelection(inner, repeats=16, threshold=0.8, random_state=seed)
            selection.fit(X, y)
            kept.append(int((selection.frequencies_ >= 0.8).sum()))
            bound = selection.bound_
        assert np.mean(kept) <= bound

    @pytest.mark.filterwarnings("ignore:StabilitySelection")
    def test_seed_decides_and_workers_do_not(self):
        import joblib

        X, y = load_iris(return_X_y=True)
        one = StabilitySelection(SelectAttributes(k=1), repeats=12).fit(X, y)
        with joblib.parallel_config(backend="threading", n_jobs=2):
            other = StabilitySelection(SelectAttributes(k=1), repeats=12).fit(X, y)
        assert one.frequencies_.tolist() == other.frequencies_.tolist()
        third = StabilitySelection(SelectAttributes(k=1), repeats=12, random_state=5).fit(X, y)
        assert one.frequencies_.tolist() != third.frequencies_.tolist()

    @pytest.mark.filterwarnings("ignore:StabilitySelection")
    def test_around_a_wrapper_and_frames(self, credit):
        X, y = credit
        inner = ForwardSelection(OneR(), k=2)
        selection = StabilitySelection(inner, repeats=2, threshold=0.6)
        frame = selection.fit(X.to_pandas(), y).frequencies_
        table = selection.fit(X, y).frequencies_
        assert frame.sum() == pytest.approx(2)
        assert table.sum() == pytest.approx(2)

    def test_nothing_stable_keeps_the_most_frequent(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(40, 30)), rng.integers(0, 2, 40)
        selection = StabilitySelection(SelectAttributes("anova_f", k=1), repeats=10, threshold=1.0)
        with pytest.warns(UserWarning, match="no attribute is chosen in 1 of the rounds; the most frequent"):
            selection.fit(X, y)
        assert selection.get_support().sum() == 1

    def test_refusals(self):
        X, y = openbook.load("weather").split("play")
        with pytest.raises(ParameterError, match="selector must be a selection of openbook's, got 3"):
            StabilitySelection(3).fit(X, y)
        with pytest.raises(ParameterError, match=r"threshold must be a number above 0.5 and at most 1"):
            StabilitySelection(threshold=0.5).fit(X, y)
        with pytest.raises(DataError, match="3 rows cannot be halved; give at least four"):
            StabilitySelection().fit(X.head(3), y[:3])


class TestEmbedded:
    def test_importances_of_a_tree(self):
        X, y = openbook.load("weather").split("play")
        selection = EmbeddedSelection(ID3(), k=2).fit(X, y)
        model = ID3().fit(X, y)
        assert selection.importances_.tolist() == model.feature_importances_.tolist()
        best = np.argsort(-model.feature_importances_, kind="stable")[:2]
        assert selection.get_support(indices=True).tolist() == sorted(best)
        above = EmbeddedSelection(ID3()).fit(X, y)
        mean = model.feature_importances_.mean()
        assert above.get_support().tolist() == (model.feature_importances_ >= mean).tolist()

    def test_coefficients_of_encoded_columns_are_added_up(self, credit):
        X, y = credit
        selection = EmbeddedSelection(LogisticRegression(), k=3).fit(X, y)
        model = LogisticRegression().fit(X, y)
        by_hand = np.zeros(len(X.names))
        for j, value, spread in zip(
            model.encoding_.columns,
            np.abs(np.atleast_2d(model.coef_)).sum(axis=0),
            model.encoding_.scale,
            strict=True,
        ):
            by_hand[j] += value * spread
        assert selection.importances_ == pytest.approx(by_hand)

    def test_scikit_learns_own(self):
        X, y = load_iris(return_X_y=True)
        for theirs, importances in (
            (LinearDiscriminantAnalysis(), lambda model: np.abs(model.coef_).sum(axis=0)),
            (DecisionTreeClassifier(random_state=0), lambda model: model.feature_importances_),
        ):
            selection = EmbeddedSelection(theirs, k=2).fit(X, y)
            assert selection.importances_ == pytest.approx(importances(clone(theirs).fit(X, y)))

    def test_a_learner_that_relies_on_nothing(self):
        X = openbook.read([{"a": "x", "b": "y"}] * 4)
        with pytest.warns(UserWarning, match="ID3 uses no attribute; the first is kept"):
            assert EmbeddedSelection(ID3(), k=2).fit(X, list("nnpp")).selected_ == ("a",)

    def test_refusals(self):
        X, y = openbook.load("weather").split("play")
        with pytest.raises(ParameterError, match="has neither feature_importances_ nor coef_; use a wrapper"):
            EmbeddedSelection(NaiveBayes()).fit(X, y)
