"""Selections as transformers: forms in and out, kinds kept, inside folds; filters; scikit-learn's checks."""

import pickle

import numpy as np
import pandas as pd
import polars as pl
import pytest
from scipy.sparse import csr_array
from sklearn import feature_selection as theirs_all
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.feature_selection import SelectFdr, SelectFpr, SelectFwe, SelectKBest, f_classif
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeClassifier
from sklearn.utils.estimator_checks import parametrize_with_checks

import openbook
from openbook.bayes import NaiveBayes
from openbook.data import Table
from openbook.errors import DataError, ParameterError
from openbook.features import (
    MRMR,
    RFE,
    Ablation,
    EmbeddedSelection,
    ExhaustiveSelection,
    ForwardSelection,
    SelectAttributes,
    StabilitySelection,
    VarianceThreshold,
    score_attributes,
    score_values,
)
from openbook.judge import bonferroni, false_discovery

#: Wrappers on two folds, for the checks feed few rows, which would be left out one by one.
CHECKED = [
    SelectAttributes(),
    MRMR(),
    StabilitySelection(repeats=3),
    EmbeddedSelection(DecisionTreeClassifier(random_state=0)),
    ForwardSelection(NaiveBayes(), k=1, cv=KFold(2)),
    Ablation(NaiveBayes(), eps=1.0, cv=KFold(2)),
    ExhaustiveSelection(NaiveBayes(), cv=KFold(2)),
    RFE(DecisionTreeClassifier(random_state=0)),
    VarianceThreshold(),
]


@pytest.mark.filterwarnings("ignore")  # the checks feed columns that say nothing, and selections say so
@parametrize_with_checks(CHECKED)
def test_scikit_learn_check(estimator, check):
    check(estimator)


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
        with pytest.raises(DataError, match="needs at least two rows, got 1 sample"):
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


class TestThresholds:
    """Which error is held to p."""

    @pytest.mark.parametrize(
        ("adjust", "theirs"), [("fdr", SelectFdr), ("bonferroni", SelectFwe), (None, SelectFpr)], ids=str
    )
    def test_as_scikit_learn_keeps_them(self, adjust, theirs):
        rng = np.random.default_rng(3)
        y = rng.integers(2, size=80)
        X = rng.normal(size=(80, 40)) + 0.7 * y[:, None] * (np.arange(40) < 15)
        ours = SelectAttributes("anova_f", p=0.05, adjust=adjust).fit(X, y.astype(str))
        expected = theirs(f_classif, alpha=0.05).fit(X, y).get_support()
        assert 1 < expected.sum() < 30
        assert ours.support_.tolist() == expected.tolist()

    def test_adjustments_by_hand(self):
        """Of five p-values, sorted: times 5, 5/2, 5/3, 5/4 and 1; a NaN is no test."""
        p = [0.01, 0.02, 0.03, 0.2, 0.5, np.nan]
        assert false_discovery(p)[:5] == pytest.approx([0.05, 0.05, 0.05, 0.25, 0.5])
        assert bonferroni(p)[:5] == pytest.approx([0.05, 0.1, 0.15, 1, 1])
        assert np.isnan([false_discovery(p)[5], bonferroni(p)[5]]).all()


class TestOfEachClass:
    def test_the_best_of_each_class_may_be_different_attributes(self):
        """Three classes, and a number for each that is high for it alone; the fourth tells nothing."""
        y = np.repeat(["a", "b", "c"], 20)
        rng = np.random.default_rng(0)
        X = np.column_stack([(y == label) + 0.01 * rng.random(60) for label in "abc"] + [rng.random(60)])
        chosen = SelectAttributes(k=1, per_class=True).fit(X, y)
        assert chosen.support_.tolist() == [True, True, True, False]
        assert "k = 1 for each class" in chosen.work().text()
        with pytest.raises(ParameterError, match="per_class needs k"):
            SelectAttributes(per_class=True).fit(X, y)

    def test_values_beside_their_frequencies(self):
        """overcast: 4 of 14 rows, all Yes; its gain is H(5/14) - 10/14 H(1/2)."""
        found = score_values(openbook.load("weather"), "play")
        best = found.rows[0]
        gain = -(5 / 14 * np.log2(5 / 14) + 9 / 14 * np.log2(9 / 14)) - 10 / 14
        assert (best.attribute, best.value, best.frequency) == ("outlook", "overcast", 4)
        assert best.score == pytest.approx(gain)
        often = found.most_frequent("No")[0]
        assert (often.value, often.per_class["No"]) == ("high", 4)
        assert found.most_frequent()[0].value == "false"
        with pytest.raises(ParameterError, match="'anova_f' is not a measure of counts"):
            score_values(openbook.load("weather"), "play", "anova_f")
        with pytest.raises(ParameterError, match="no class 'Nope'"):
            found.most_frequent("Nope")


class TestVariance:
    def test_by_hand(self):
        """1, 1, 4: mean 2, variance 2; two of three: 2/3 × 1/3; one value: 0."""
        rows = [{"n": 1, "b": "x", "c": "z"}, {"n": 1, "b": "x", "c": "z"}, {"n": 4, "b": "y", "c": None}]
        model = VarianceThreshold(0.2).fit(rows)
        assert model.variances_ == pytest.approx([2, 2 / 9, 0])
        assert model.selected_ == ("n", "b")

    def test_as_scikit_learn(self):
        X = load_iris().data
        theirs = theirs_all.VarianceThreshold(0.5).fit(X)
        ours = VarianceThreshold(0.5).fit(X)
        assert ours.variances_ == pytest.approx(theirs.variances_)
        assert (ours.support_ == theirs.get_support()).all()
        with pytest.raises(DataError, match="choose a smaller threshold"):
            VarianceThreshold(100).fit(X)


def test_recursive_elimination_as_scikit_learn():
    X, y = load_iris(return_X_y=True)
    forest = DecisionTreeClassifier(random_state=0)
    for step in (1, 2):
        both = (kind(forest, n_features_to_select=1, step=step) for kind in (RFE, theirs_all.RFE))
        ours, theirs = (one.fit(X, y) for one in both)
        assert ours.ranking_.tolist() == theirs.ranking_.tolist()
    assert len(ours.path_) == 2


def test_the_best_of_each_class_are_told():
    X, y = openbook.load("wine").split("cultivar")
    chosen = SelectAttributes(k=1, per_class=True).fit(X, y)
    best = dict(chosen.work().parts[1].rows)
    assert set(best.values()) == set(chosen.selected_)


def test_a_target_by_name_is_no_column_to_choose():
    assert VarianceThreshold(0.1).fit(openbook.load("weather_numeric"), "play").schema_.names[-1] != "play"
