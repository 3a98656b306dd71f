"""Selections as transformers: forms in and out, kinds kept, inside folds; filters; scikit-learn's checks."""

import math
import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
from sklearn.feature_selection import SelectKBest, f_classif
from sklearn.metrics import mutual_info_score
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import openbook
from openbook.baseline import OneR
from openbook.bayes import NaiveBayes
from openbook.data import Nominal, Schema, Table
from openbook.errors import DataError, ParameterError
from openbook.features import (
    MRMR,
    Ablation,
    EmbeddedSelection,
    ExhaustiveSelection,
    ForwardSelection,
    SelectAttributes,
    StabilitySelection,
    score_attributes,
)
from openbook.linear import LogisticRegression
from openbook.tree import ID3

#: Wrappers on two folds, for the checks feed few rows, which would be left out one by one.
CHECKED = [
    SelectAttributes(),
    MRMR(),
    StabilitySelection(rounds=3),
    EmbeddedSelection(DecisionTreeClassifier(random_state=0)),
    ForwardSelection(NaiveBayes(), k=1, split=KFold(2)),
    Ablation(NaiveBayes(), eps=1.0, split=KFold(2)),
    ExhaustiveSelection(NaiveBayes(), split=KFold(2)),
]


@pytest.mark.filterwarnings("ignore")  # the checks feed columns that say nothing, and selections say so
@parametrize_with_checks(CHECKED)
def test_scikit_learn_check(estimator, check):
    check(estimator)


@pytest.fixture(scope="module")
def credit():
    return openbook.load("credit", rows=400).split("default")


class TestForms:
    """What is given comes back with fewer columns."""

    def kept(self, X, y):
        return SelectAttributes(k=3).fit(X, y)

    def test_table(self, credit):
        X, y = credit
        selection = self.kept(X, y)
        out = selection.transform(X)
        assert isinstance(out, Table)
        assert out.names == selection.selected_ == ("work", "education", "income")
        assert out.schema == X.schema.select(out.names)  # nominal, ordinal, numeric as they were
        assert out.data("work") is X.data("work")

    def test_pandas(self, credit):
        X, y = credit
        frame = X.to_pandas().set_index(np.arange(400) + 7)
        out = self.kept(frame, y).transform(frame)
        pd.testing.assert_frame_equal(out, frame[["work", "education", "income"]])

    def test_polars(self, credit):
        X, y = credit
        frame = X.to_polars()
        out = self.kept(frame, y).transform(frame)
        assert isinstance(out, pl.DataFrame)
        assert out.equals(frame.select("work", "education", "income"))

    def test_array_list_and_sparse(self):
        X, y = load_iris(return_X_y=True)
        selection = SelectAttributes(k=2).fit(X, y)
        np.testing.assert_array_equal(selection.transform(X), X[:, [2, 3]])
        np.testing.assert_array_equal(selection.transform(X.tolist()), X[:, [2, 3]])
        out = selection.transform(csr_array(X))
        assert out.shape == (150, 2)
        np.testing.assert_array_equal(out.toarray(), X[:, [2, 3]])

    def test_objects_stay_objects(self):
        X = np.array([["a", 1, "u"], ["b", 2, "u"], ["a", 1, "v"], ["b", 3, "v"]], dtype=object)
        out = SelectAttributes(k=1).fit(X, ["n", "p", "n", "p"]).transform(X)
        assert out.dtype == object
        assert out.tolist() == [["a"], ["b"], ["a"], ["b"]]

    def test_dict_rows_and_path(self, tmp_path):
        rows = [{"a": a, "b": "u", "c": c} for a, c in zip("xyxyxy", "npnpnp", strict=True)]
        selection = SelectAttributes(k=1).fit(rows, "c")
        assert selection.transform(rows).names == ("a",)
        path = tmp_path / "rows.csv"
        path.write_text("a,b,c\n" + "".join(f"{r['a']},{r['b']},{r['c']}\n" for r in rows))
        assert SelectAttributes(k=1).fit(path, "c").transform(path).names == ("a",)

    def test_target_by_name(self, credit):
        table = openbook.load("credit", rows=400)
        for form in (table, table.to_pandas()):
            selection = SelectAttributes(k=3).fit(form, "default")
            assert selection.selected_ == ("work", "education", "income")
            assert "default" not in selection.schema_.names
            assert len(selection.transform(form).columns) == 3

    def test_columns_are_found_by_name(self, credit):
        X, y = credit
        frame = X.to_pandas()
        out = self.kept(frame, y).transform(frame[frame.columns[::-1]])
        assert list(out.columns) == ["work", "education", "income"]
        more = frame.assign(extra=1)
        assert list(self.kept(frame, y).transform(more).columns) == ["work", "education", "income"]

    def test_set_output(self, credit):
        X, y = credit
        for wanted, kind in (("pandas", pd.DataFrame), ("polars", pl.DataFrame)):
            out = SelectAttributes(k=3).set_output(transform=wanted).fit(X, y).transform(X)
            assert isinstance(out, kind)
            assert list(out.columns) == ["work", "education", "income"]
        array, target = load_iris(return_X_y=True)
        out = SelectAttributes(k=2).set_output(transform="pandas").fit(array, target).transform(array)
        assert list(out.columns) == ["x2", "x3"]
        categories = SelectAttributes(k=3).set_output(transform="pandas").fit(X, y).transform(X)["education"]
        assert categories.cat.ordered  # kinds survive

    def test_names_and_support(self, credit):
        X, y = credit
        selection = self.kept(X, y)
        assert selection.get_feature_names_out().tolist() == ["work", "education", "income"]
        assert selection.get_support(indices=True).tolist() == [2, 3, 4]
        assert selection.get_support().sum() == 3
        array, target = load_iris(return_X_y=True)
        unnamed = SelectAttributes(k=2).fit(array, target)
        assert unnamed.get_feature_names_out().tolist() == ["x2", "x3"]
        assert unnamed.get_feature_names_out(list("abcd")).tolist() == ["c", "d"]

    def test_refusals(self, credit):
        X, y = credit
        selection = self.kept(X, y)
        with pytest.raises(DataError, match=r"column 'income' is missing\. "):
            selection.transform(X.drop("income"))
        with (
            pytest.raises(DataError, match="X has 2 features, but SelectAttributes is expecting 9 features"),
        ):
            selection.transform(np.zeros((3, 2)))
        with pytest.warns(UserWarning, match="X does not have valid feature names"):
            selection.transform(np.zeros((3, 9)))
        with pytest.raises(DataError, match="SelectAttributes requires y to be passed"):
            SelectAttributes().fit(X)
        with pytest.raises(DataError, match="needs at least two rows, and one sample is all there is"):
            SelectAttributes().fit(X.head(1), y[:1])
        with pytest.raises(TypeError, match=r"cannot use sparse data; pass X.toarray\(\)"):
            SelectAttributes().fit(csr_array(np.eye(4)), [0, 1, 0, 1])

    def test_work_of_a_row(self, credit):
        X, y = credit
        work = self.kept(X, y).work(X.take([0])).text()
        assert "kept" in work
        assert "left out" in work

    def test_clone_and_pickle(self, credit):
        X, y = credit
        for selection in CHECKED:
            again = clone(selection)
            assert again.get_params().keys() == selection.get_params().keys()
        fitted = self.kept(X, y)
        opened = pickle.loads(pickle.dumps(fitted))
        assert opened.selected_ == fitted.selected_
        assert opened.work().text() == fitted.work().text()

    def test_a_failed_fit_leaves_it_as_it_was(self, credit):
        X, y = credit
        selection = self.kept(X, y)
        with pytest.raises(DataError):
            selection.fit(X, None)
        assert selection.selected_ == ("work", "education", "income")


class TestInsideFolds:
    def pipeline(self):
        return make_pipeline(SelectAttributes(k=3), NaiveBayes())

    def test_kinds_reach_the_learner(self, credit):
        X, y = credit
        for form in (X, X.to_pandas(), X.to_polars()):
            model = self.pipeline().fit(form, np.asarray(y))
            assert [type(a).__name__ for a in model[-1].schema_] == ["Nominal", "Ordinal", "Numeric"]

    def test_evaluate_takes_every_form(self, credit):
        X, y = credit
        split = StratifiedKFold(3, shuffle=True, random_state=0)
        scores = [
            openbook.evaluate(self.pipeline(), form, y, split, "log_loss").mean("log_loss")
            for form in (X, X.to_pandas(), X.to_polars())
        ]
        assert scores == pytest.approx([scores[0]] * 3, rel=1e-9)
        array, target = load_iris(return_X_y=True)
        assert openbook.evaluate(self.pipeline(), array, target, split, "accuracy").mean("accuracy") > 0.9

    def test_noise_is_not_selected_into_a_good_score(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(60, 1000)), np.repeat([0, 1], 30)
        split = StratifiedKFold(5, shuffle=True, random_state=0)
        pipeline = make_pipeline(SelectAttributes("anova_f", k=10), NaiveBayes())
        honest = openbook.evaluate(pipeline, X, y, split, "accuracy").mean("accuracy")
        outside = SelectAttributes("anova_f", k=10).fit(X, y).transform(X)
        leaked = openbook.evaluate(NaiveBayes(), outside, y, split, "accuracy").mean("accuracy")
        assert honest < 0.65
        assert leaked > 0.8  # what comes of selecting outside the folds

    def test_grid_search(self, credit):
        from sklearn.model_selection import GridSearchCV

        X, y = credit
        pipeline = make_pipeline(SelectAttributes(k=1), NaiveBayes())
        search = GridSearchCV(pipeline, {"selectattributes__k": [1, 3]}, cv=3).fit(X, np.asarray(y))
        assert search.best_params_["selectattributes__k"] in (1, 3)


class TestSelectAttributes:
    def test_k_is_scikit_learns(self):
        X, y = load_iris(return_X_y=True)
        ours = SelectAttributes("anova_f", k=2).fit(X, y)
        theirs = SelectKBest(f_classif, k=2).fit(X, y)
        assert ours.get_support().tolist() == theirs.get_support().tolist()

    @pytest.mark.parametrize(("fraction", "count"), [(0.01, 1), (0.5, 2), (0.51, 3), (1.0, 4)])
    def test_fraction_is_rounded_up(self, fraction, count):
        X, y = openbook.load("weather").split("play")
        assert SelectAttributes(fraction=fraction).fit(X, y).get_support().sum() == count

    def test_more_than_there_are_is_all(self):
        X, y = openbook.load("weather").split("play")
        assert SelectAttributes(k=9).fit(X, y).get_support().all()

    def test_p_is_holms(self, credit):
        X, y = credit
        for p in (0.001, 0.05, 1.0):
            selection = SelectAttributes("chi_squared", p=p).fit(X, y)
            scores = score_attributes(X, y, "chi_squared")
            assert set(selection.selected_) == {row.attribute for row in scores if row.p_adjusted <= p}
        default = SelectAttributes("chi_squared").fit(X, y)
        assert default.selected_ == SelectAttributes("chi_squared", p=0.05).fit(X, y).selected_

    def test_nothing_significant_keeps_the_best_and_says_so(self):
        X, y = openbook.load("weather").split("play")
        with pytest.warns(UserWarning, match=r"no attribute has p <= 0.01; the best, outlook, is kept"):
            assert SelectAttributes(p=0.01).fit(X, y).selected_ == ("outlook",)

    def test_numeric_target(self):
        X, y = openbook.load("diabetes").split("progression")
        selection = SelectAttributes("correlation", k=2).fit(X, y)
        assert selection.selected_ == ("bmi", "s5")
        assert SelectAttributes("correlation", k=2).fit(np.asarray(X, float), np.asarray(y)).get_support(
            indices=True
        ).tolist() == [2, 8]

    def test_undefined_scores_are_never_kept(self):
        table = openbook.read([{"a": "xy"[i % 2], "t": f"text {i}", "c": "np"[i % 2]} for i in range(8)],
                              kinds={"t": "text"})  # fmt: skip
        assert SelectAttributes(k=2).fit(table, "c").selected_ == ("a",)
        with pytest.raises(DataError, match=r"no attribute has a F with play \(outlook: F needs a number"):
            SelectAttributes("anova_f", k=2).fit(*openbook.load("weather").split("play"))

    def test_work_shows_scores_and_choice(self):
        X, y = openbook.load("weather").split("play")
        work = SelectAttributes("information_gain", k=2).fit(X, y).work()
        assert work.conclusion == "Kept 2 of 4 by k = 2: outlook, humidity."
        assert [row[3] for row in work.parts[0].rows] == ["kept", "kept", "", ""]

    @pytest.mark.parametrize(
        ("options", "message"),
        [
            ({"k": 2, "p": 0.05}, "SelectAttributes: give one of k, fraction and p, not k and p"),
            ({"k": 0}, "k must be None or a whole number of at least 1, got 0"),
            ({"fraction": 1.5}, "fraction must be None or a number above 0 and at most 1, got 1.5"),
            ({"measure": "gini"}, "measure must be one of 'mutual_information', 'pmi'"),
            ({"bins": 1}, "bins must be 'mdl' or a whole number of at least 2, got 1"),
        ],
    )
    def test_parameters(self, options, message):
        with pytest.raises(ParameterError, match=message):
            SelectAttributes(**options).fit(*openbook.load("weather").split("play"))


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
        selection = StabilitySelection(SelectAttributes("anova_f", k=3), rounds=20, threshold=0.9).fit(X, y)
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
            selection = StabilitySelection(inner, rounds=16, threshold=0.8, random_state=seed)
            selection.fit(X, y)
            kept.append(int((selection.frequencies_ >= 0.8).sum()))
            bound = selection.bound_
        assert np.mean(kept) <= bound

    @pytest.mark.filterwarnings("ignore:StabilitySelection")
    def test_seed_decides_and_workers_do_not(self):
        import joblib

        X, y = load_iris(return_X_y=True)
        one = StabilitySelection(SelectAttributes(k=1), rounds=12).fit(X, y)
        with joblib.parallel_config(backend="threading", n_jobs=2):
            other = StabilitySelection(SelectAttributes(k=1), rounds=12).fit(X, y)
        assert one.frequencies_.tolist() == other.frequencies_.tolist()
        third = StabilitySelection(SelectAttributes(k=1), rounds=12, random_state=5).fit(X, y)
        assert one.frequencies_.tolist() != third.frequencies_.tolist()

    @pytest.mark.filterwarnings("ignore:StabilitySelection")
    def test_around_a_wrapper_and_frames(self, credit):
        X, y = credit
        inner = ForwardSelection(OneR(), k=2)
        selection = StabilitySelection(inner, rounds=2, threshold=0.6)
        frame = selection.fit(X.to_pandas(), y).frequencies_
        table = selection.fit(X, y).frequencies_
        assert frame.sum() == pytest.approx(2)
        assert table.sum() == pytest.approx(2)

    def test_nothing_stable_keeps_the_most_frequent(self):
        rng = np.random.default_rng(0)
        X, y = rng.normal(size=(40, 30)), rng.integers(0, 2, 40)
        selection = StabilitySelection(SelectAttributes("anova_f", k=1), rounds=10, threshold=1.0)
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
        for j, value in zip(
            model.encoding_.columns, np.abs(np.atleast_2d(model.coef_)).sum(axis=0), strict=True
        ):
            by_hand[j] += value
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
        with pytest.warns(UserWarning, match="ID3 relies on no attribute; the first is kept"):
            assert EmbeddedSelection(ID3(), k=2).fit(X, list("nnpp")).selected_ == ("a",)

    def test_refusals(self):
        X, y = openbook.load("weather").split("play")
        with pytest.raises(ParameterError, match="has neither feature_importances_ nor coef_; use a wrapper"):
            EmbeddedSelection(NaiveBayes()).fit(X, y)
