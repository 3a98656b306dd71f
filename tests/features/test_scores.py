"""Scores of attributes: by hand, against scikit-learn and scipy, measure against derivation; refusals."""

import math
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats
from sklearn.datasets import load_diabetes, load_iris, load_wine
from sklearn.feature_selection import f_classif, f_regression, mutual_info_classif

import openbook
from openbook.data import Nominal, Ordinal, Schema, Table
from openbook.errors import DataError, ParameterError, UnknownColumn
from openbook.features import MEASURES, score_attributes, score_values

COUNTED = [name for name, measure in MEASURES.items() if measure.of_counts]


def in_order(scores, names):
    return [scores[name].score for name in names]


class TestAgainstOthers:
    def test_mutual_information_is_scikit_learns(self):
        rng = np.random.default_rng(0)
        y = rng.integers(0, 3, 400)
        X = (y[:, None] + rng.integers(0, 4, (400, 5))) % 6
        ours = score_attributes(openbook.read(X, kinds="nominal"), y)
        theirs = mutual_info_classif(X, y, discrete_features=True) / math.log(2)
        assert in_order(ours, [f"x{j}" for j in range(5)]) == pytest.approx(theirs, abs=1e-12)

    @pytest.mark.parametrize("load", [load_iris, load_wine])
    def test_f_is_scikit_learns(self, load):
        X, y = load(return_X_y=True)
        scores = score_attributes(X, y, "anova_f")
        statistics, ps = f_classif(X, y)
        names = [f"x{j}" for j in range(X.shape[1])]
        assert in_order(scores, names) == pytest.approx(statistics, rel=1e-10)
        assert [scores[name].p_value for name in names] == pytest.approx(ps, rel=1e-8)

    def test_f_and_correlation_of_a_numeric_target_are_scikit_learns(self):
        X, y = load_diabetes(return_X_y=True)
        statistics, ps = f_regression(X, y)
        names = [f"x{j}" for j in range(X.shape[1])]
        scores = score_attributes(X, y, "anova_f")
        assert in_order(scores, names) == pytest.approx(statistics, rel=1e-10)
        assert [scores[name].p_value for name in names] == pytest.approx(ps, rel=1e-8)
        r = [stats.pearsonr(column, y) for column in X.T]
        scores = score_attributes(X, y, "correlation")
        assert in_order(scores, names) == pytest.approx([each.statistic for each in r], rel=1e-10)
        assert [scores[name].p_value for name in names] == pytest.approx(
            [each.pvalue for each in r], rel=1e-7
        )

    def test_correlation_with_two_classes_is_point_biserial(self):
        X, y = load_iris(return_X_y=True)
        X, y = X[:100], y[:100]
        scores = score_attributes(X, y, "correlation")
        theirs = [stats.pointbiserialr(y, column) for column in X.T]
        names = [f"x{j}" for j in range(4)]
        assert in_order(scores, names) == pytest.approx([each.statistic for each in theirs])
        assert [scores[n].p_value for n in names] == pytest.approx([each.pvalue for each in theirs], rel=1e-6)

    def test_correlation_of_categories_is_cramers_v(self):
        counts = np.array([[8, 2, 5], [1, 9, 5], [3, 4, 13]])
        cells = [(c, v) for c in range(3) for v in range(3) for _ in range(counts[c, v])]
        table = openbook.read([{"a": f"v{v}", "c": f"c{c}"} for c, v in cells])
        score = score_attributes(table, "c", "correlation")["a"]
        assert score.score == pytest.approx(stats.contingency.association(counts, method="cramer"))

    def test_p_values_of_counts_are_scipys(self):
        table = openbook.load("weather")
        counts = score_attributes(table, "play")["outlook"].evidence.counts
        for measure, power in (("chi_squared", "pearson"), ("mutual_information", "log-likelihood")):
            theirs = stats.chi2_contingency(counts, correction=False, lambda_=power)
            ours = score_attributes(table, "play", measure)["outlook"]
            assert ours.p_value == pytest.approx(theirs.pvalue)
            assert ours.test.statistic == pytest.approx(theirs.statistic)


WEKA = Path(__file__).parent.parent / "peers" / "weka"


def test_scores_are_wekas():
    scores = {}
    for line in (WEKA / "codes.scores.txt").read_text().splitlines():
        measure, attribute, score = line.split()
        scores.setdefault(measure, {})[attribute] = float(score)
    assert len(scores) == 4
    for measure, expected in scores.items():
        found = score_attributes(openbook.read(WEKA / "codes.arff"), "class", measure)
        places = 3 if measure == "chi_squared" else 6  # as many as WEKA prints
        assert {row.attribute: round(row.score, places) for row in found} == expected


class TestByHand:
    def test_nominal_attribute_beside_a_numeric_target(self):
        # a: 1, 3 (mean 2, scatter 2); b: 5, 7 (mean 6, scatter 2): between 16, within 4
        table = openbook.read([{"g": g, "y": y} for g, y in zip("aabb", (1.5, 3.5, 5.5, 7.5), strict=True)])
        f = score_attributes(table, "y", "anova_f")["g"]
        assert f.score == pytest.approx((16 / 1) / (4 / 2))
        assert f.test.dof == (1, 2)
        assert score_attributes(table, "y", "correlation")["g"].score == pytest.approx(math.sqrt(16 / 20))

    def test_ordinal_counts_by_rank(self):
        schema = Schema((Ordinal("size", ("s", "m", "l")), Nominal("c", ("no", "yes"))))
        table = Table(schema, [np.array([0, 1, 1, 2], np.int8), np.array([0, 0, 1, 1], np.int8)])
        # ranks 0, 1 | 1, 2: means 1/2 and 3/2, between 1, within 1
        assert score_attributes(table, "c", "correlation")["size"].score == pytest.approx(math.sqrt(1 / 2))
        assert score_attributes(table, "c", "anova_f")["size"].score == pytest.approx(1 / (1 / 2))

    def test_missing_cells_leave_their_row_out(self):
        full = [{"a": a, "c": c} for a, c in zip("xxyy", "nnpp", strict=True)]
        for measure in COUNTED:
            one, other = (
                score_attributes(t, "c", measure)["a"] for t in (full, [*full, {"a": None, "c": "n"}])
            )
            assert one.score == other.score
            assert other.known == 4

    def test_per_class_is_one_against_the_rest(self):
        X, y = load_iris(return_X_y=True)
        X = openbook.read(X.round(), kinds="nominal")
        score = score_attributes(X, y)["x2"]
        for c in range(3):
            alone = score_attributes(X, (y == c).astype(int))["x2"]
            assert score.per_class[str(c)] == pytest.approx(alone.score, abs=1e-12)

    def test_per_class_of_numbers(self):
        X, y = load_iris(return_X_y=True)
        for measure in ("anova_f", "correlation"):
            score = score_attributes(X, y, measure)["x1"]
            for c in range(3):
                alone = score_attributes(X, (y == c).astype(int), measure)["x1"]
                assert score.per_class[str(c)] == pytest.approx(alone.score)

    def test_for_class_ranks_by_that_class(self):
        table = openbook.load("wine")
        scores = score_attributes(table, "cultivar", "anova_f")
        ranked = scores.for_class("class_1")
        assert next(iter(ranked)) == "alcohol"
        assert list(ranked.values()) == sorted(ranked.values(), reverse=True)

    def test_numeric_target_in_quarters(self):
        x = np.arange(40.0)
        scores = score_attributes(x[:, None], x * 1.5, bins=4)
        assert scores.classes == ("<= 14.25", "(14.25, 29.25]", "(29.25, 44.25]", "> 44.25")
        assert "target cut into quarters of equal frequency" in str(scores)
        assert scores["x0"].score == pytest.approx(2.0)  # four equal parts, told without error: 2 bits

    def test_ties_go_by_the_table(self):
        rows = [{"b": v, "a": v, "c": v} for v in "xyxyxx"]
        assert score_attributes(rows, "c").names == ("b", "a")

    def test_holm(self):
        scores = score_attributes(openbook.load("weather"), "play", "chi_squared")
        ps = sorted(row.p_value for row in scores)
        assert min(row.p_adjusted for row in scores) == pytest.approx(min(1, 4 * ps[0]))

    @pytest.mark.parametrize(
        ("rows_of_values", "few"),
        [
            ((10, 10, 10, 10, 8), None),  # 2 of 10 cells expect 4: a fifth is not too many
            ((10, 10, 10, 8, 8), 4),
            ((*[10] * 9, 2), None),  # 2 of 20 expect 1 ...
            ((*[10] * 8, 11, 1), 2),  # ... and here less than 1, which is too little in any cell
        ],
    )
    def test_cochrans_rule_by_hand(self, rows_of_values, few):
        """Classes take turns, so that every cell expects half the rows of its value."""
        values = [f"v{i}" for i, n in enumerate(rows_of_values) for _ in range(n)]
        rows = [{"value": value, "y": "ab"[i % 2]} for i, value in enumerate(values)]
        (row,) = score_attributes(rows, "y", "chi_squared")
        cells = 2 * len(rows_of_values)
        told = f"low counts: {few} of {cells} cells expect fewer than 5 rows, so p is approximate"
        assert row.test.warning == (told if few else "")

    def test_low_counts_are_told(self):
        scores = score_attributes(openbook.load("weather"), "play", "chi_squared")
        told = "low counts: 6 of 6 cells expect fewer than 5 rows, so p is approximate"
        assert scores["outlook"].test.warning == told
        assert told in str(scores)
        many = [{"a": a, "c": c} for a in "xy" for c in "np" for _ in range(20)]
        assert not score_attributes(many, "c", "chi_squared")["a"].test.warning

    def test_columns_that_say_nothing(self):
        table = openbook.read(
            [{"one": "v", "gone": None, "n": 1.0, "c": c} for c in "nnpp"], kinds={"gone": "numeric"}
        )
        scores = score_attributes(table, "c")
        assert scores["one"].score == 0
        assert scores["one"].p_value == 1
        assert scores["n"].score == 0
        assert math.isnan(scores["gone"].score)
        assert scores["gone"].why == "never known"
        assert scores.names[-1] == "gone"
        still = score_attributes(table, "c", "correlation")
        assert all(math.isnan(row.score) for row in still)
        assert "does not vary" in still["n"].why
        assert "Undefined" in still.work("n").conclusion

    def test_perfect_separation_has_an_infinite_f(self):
        score = score_attributes(np.array([[1.0], [1.0], [2.0], [2.0]]), [0, 0, 1, 1], "anova_f")["x0"]
        assert score.score == math.inf
        assert score.p_value == 0

    def test_text_is_left_to_others(self):
        table = openbook.read(
            [{"t": f"a text {i}", "a": "xy"[i % 2], "c": "np"[i % 2]} for i in range(6)], kinds={"t": "text"}
        )
        scores = score_attributes(table, "c")
        assert scores["t"].why == "text: convert it to counts first"
        assert scores.names == ("a", "t")


# --- measure against derivation


def last_result(work, measure):
    label = {
        "mutual_information": "MI",
        "pmi": "PMI",
        "chi_squared": "χ²",
        "information_gain": "gain",
        "gain_ratio": "gain ratio",
        "symmetrical_uncertainty": "symmetrical uncertainty",
    }[measure]
    return work[label].result


@settings(max_examples=40)
@given(
    st.lists(st.tuples(st.integers(-1, 3), st.integers(0, 2)), min_size=1, max_size=50),
    st.sampled_from(COUNTED),
)
def test_derivation_of_counts_equals_the_measure(rows, measure):
    schema = Schema((Nominal("a", tuple("wxyz")), Nominal("c", tuple("npq"))))
    codes = [np.array(column, np.int8) for column in zip(*rows, strict=True)]
    score = score_attributes(Table(schema, codes), "c", measure)["a"]
    if math.isnan(score.score):
        assert all(code < 0 for code, _ in rows)
        return
    assert last_result(score.work(), measure) == pytest.approx(score.score, abs=1e-12)


@pytest.mark.parametrize("measure", ["correlation", "anova_f"])
@pytest.mark.parametrize("target", ["classes", "two classes", "numbers"])
def test_derivation_of_numbers_equals_the_measure(measure, target):
    rng = np.random.default_rng(3)
    X = rng.normal(size=(60, 3))
    X[rng.random(X.shape) < 0.1] = np.nan
    y = {
        "classes": rng.integers(0, 3, 60),
        "two classes": rng.integers(0, 2, 60),
        "numbers": rng.normal(size=60) + np.nan_to_num(X[:, 0]),
    }[target]
    scores = score_attributes(X, y, measure)
    label = "F" if measure == "anova_f" else "η" if target == "classes" else "r"
    for row in scores:
        assert row.work()[label].result == pytest.approx(row.score, rel=1e-9)


def test_derivation_of_a_number_shows_its_cuts():
    X, y = load_iris(return_X_y=True)
    work = score_attributes(X, y).work("x2")
    titles = [part.title for part in work.parts if hasattr(part, "title")]
    assert titles[0] == "Intervals of x2, by MDL"
    assert "x2 <= 2.45, among 150 rows" in work.text()
    assert "x2 in (2.45, 4.75]" in work.text()


def test_derivation_of_many_values_stays_readable():
    rng = np.random.default_rng(0)
    X = openbook.read(rng.integers(0, 90, (2000, 1)), kinds="nominal")
    y = rng.integers(0, 3, 2000)
    for measure in COUNTED:
        score = score_attributes(X, y, measure)["x0"]
        text = score.work().text()
        assert "the first 40 of 90 values" in text
        assert "more " in text
        assert len(text.splitlines()) < 350
        assert last_result(score.work(), measure) == pytest.approx(score.score, abs=1e-12)


# --- scale


def test_workers_and_chunks_change_nothing(monkeypatch):
    import joblib

    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 3000)
    X = openbook.read(rng.integers(0, 5, (3000, 4)), kinds="nominal")
    one = score_attributes(X, y)
    monkeypatch.setattr("openbook.border.rows.CHUNK_ROWS", 500)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        other = score_attributes(X, y)
    assert [(r.attribute, r.score) for r in one] == [(r.attribute, r.score) for r in other]


def test_cuts_hold_the_level():
    """Of useless columns, MDL and Holm together let fewer than 5% of tables through."""
    rng = np.random.default_rng(0)
    wrong = 0
    for _ in range(100):
        scores = score_attributes(rng.normal(size=(80, 5)), rng.integers(0, 2, 80), "chi_squared")
        wrong += any(row.p_adjusted <= 0.05 for row in scores)
    assert wrong <= 10


# --- refusals


def test_unknown_measure():
    with pytest.raises(ParameterError, match=r"no measure 'chi_square'\. Did you mean 'chi_squared'\?"):
        score_attributes(openbook.load("weather"), "play", "chi_square")


@pytest.mark.parametrize("bins", [1, "equal", 2.5])
def test_bins(bins):
    with pytest.raises(ParameterError, match="bins must be 'mdl' or a whole number of at least 2"):
        score_attributes(openbook.load("weather"), "play", bins=bins)


def test_unknown_target_attribute_and_class():
    table = openbook.load("weather")
    with pytest.raises(UnknownColumn, match=r"no column 'plai'\. Did you mean 'play'"):
        score_attributes(table, "plai")
    scores = score_attributes(table, "play")
    with pytest.raises(UnknownColumn, match=r"no column 'outlok'\. Did you mean 'outlook'"):
        scores.work("outlok")
    with pytest.raises(ParameterError, match=r"no class 'maybe'\. There are: No, Yes"):
        scores.for_class("maybe")


def test_f_of_two_categories_is_undefined():
    score = score_attributes(openbook.load("weather"), "play", "anova_f")["outlook"]
    assert math.isnan(score.score)
    assert score.why == "F needs a number on one side; chi_squared is for categories"
    assert "Undefined: F needs a number" in score.work().conclusion


def test_infinity_is_named():
    with pytest.raises(DataError, match="column 'x1' holds infinity"):
        score_attributes(np.array([[1.0, np.inf], [2.0, 3.0]]), [0, 1])


def test_sparse_is_refused():
    from scipy.sparse import csr_array

    with pytest.raises(DataError, match=r"sparse data cannot be scored one by one; pass X.toarray\(\)"):
        score_attributes(csr_array(np.eye(4)), [0, 1, 0, 1])


def test_missing_target_is_named():
    with pytest.raises(DataError, match="target 'c' is missing in 1 row"):
        score_attributes([{"a": "x", "c": "n"}, {"a": "y", "c": None}, {"a": "y", "c": "p"}], "c")


# --- what is shown


def test_table_and_picture():
    scores = score_attributes(openbook.load("wine"), "cultivar")
    text = str(scores)
    assert all(label in text for label in ("class_0", "class_1", "class_2"))
    assert "numbers cut by MDL; the cuts were chosen by the classes" in text.replace("\n    ", " ")
    assert scores._repr_html_().startswith("<")
    svg = scores.draw().svg()
    assert svg.count('<rect class="c0') == 13
    assert "Attribute scores for cultivar" in svg
    honest = score_attributes(openbook.load("wine"), "cultivar", bins=5)
    assert "numbers cut into 5 intervals of equal frequency" in str(honest)


def test_picture_of_many_and_of_none():
    rng = np.random.default_rng(0)
    many = score_attributes(rng.normal(size=(50, 30)), rng.integers(0, 2, 50), "correlation").draw()
    assert many.svg().count('<rect class="c0') == 20
    assert "The best 20 of 30 attributes." in many.notes
    nothing = score_attributes(openbook.load("weather"), "play", "anova_f").draw()
    assert "No finite score, and no bar: outlook, temperature, humidity, windy." in nothing.notes
    assert "Texts" not in str(nothing.notes)
    rows = [
        {"note": f"{'good' if i % 2 else 'bad'} visit number {i}", "x": i % 3, "y": i % 2} for i in range(60)
    ]
    worded = score_attributes(openbook.read(rows, kinds={"note": "text"}), "y").draw()
    assert "Texts are not scored: note." in worded.notes
    assert '<rect class="c0' not in nothing.svg()


def test_a_value_is_derived_against_all_others():
    scores = score_values(openbook.load("weather"), "play")
    work = scores.work("outlook = overcast")
    assert work["MI"].result == pytest.approx(scores.rows[0].score)
    assert work.parts[0].rows[0][1:] == (0.0, 5.0, 5.0)  # no row of overcast is No
    with pytest.raises(ParameterError, match="Did you mean 'outlook = sunny'"):
        scores.work("outlook = suny")
