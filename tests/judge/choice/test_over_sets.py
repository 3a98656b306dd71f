"""Learners over data sets: Demšar's worked example, groups, the picture, errors."""

import math
import re

import numpy as np
import pytest
from scipy import stats
from sklearn.model_selection import StratifiedKFold

from openbook.baseline import OneR
from openbook.bayes import NaiveBayes
from openbook.data.sets import load
from openbook.errors import DataError, ParameterError
from openbook.judge import OverSets, compare, compare_over_sets

#: Demšar (2006), table 6: areas under the ROC curve. In the last but one row the printed 0.975s tie, but not
#: their ranks (2 and 3): they differ beyond the third digit.
LEARNERS = ("C4.5", "C4.5+m", "C4.5+cf", "C4.5+m+cf")
AREAS = {
    "adult": (0.763, 0.768, 0.771, 0.798),
    "breast cancer": (0.599, 0.591, 0.590, 0.569),
    "breast cancer wisconsin": (0.954, 0.971, 0.968, 0.967),
    "cmc": (0.628, 0.661, 0.654, 0.657),
    "ionosphere": (0.882, 0.888, 0.886, 0.898),
    "iris": (0.936, 0.931, 0.916, 0.931),
    "liver disorders": (0.661, 0.668, 0.609, 0.685),
    "lung cancer": (0.583, 0.583, 0.563, 0.625),
    "lymphography": (0.775, 0.838, 0.866, 0.875),
    "mushroom": (1.000, 1.000, 1.000, 1.000),
    "primary tumor": (0.940, 0.962, 0.965, 0.962),
    "rheum": (0.619, 0.666, 0.614, 0.669),
    "voting": (0.972, 0.981, 0.9751, 0.975),
    "wine": (0.957, 0.978, 0.946, 0.970),
}


def over(learners=LEARNERS):
    return compare_over_sets(
        {name: dict(zip(LEARNERS, row, strict=True)) for name, row in AREAS.items()}, learners=learners
    )


def ladder(k, n=8, noise=0.0, names=None):
    """Learners that rank in the order of their names, but for noise."""
    scores = np.random.default_rng(k).normal(scale=noise, size=(n, k)) - np.arange(k)
    return OverSets(tuple(names or "abcdefghijkl"[:k]), tuple(map(str, range(n))), scores)


def test_demsars_worked_example():
    found = over()
    published = {"C4.5": 3.143, "C4.5+m": 2.000, "C4.5+cf": 2.893, "C4.5+m+cf": 1.964}
    assert found.mean_ranks == pytest.approx(published, abs=5e-4)
    assert list(found.mean_ranks) == ["C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5"]
    work = found.work()
    assert work["χ₀²"].result == pytest.approx(9.28, abs=5e-3)
    assert found.critical_difference() == pytest.approx(1.25, abs=5e-3)
    assert found.critical_difference(alpha=0.1) == pytest.approx(1.12, abs=5e-3)


def test_ties_are_corrected_for_as_scipy_does():
    """Without the correction F would be the printed 3.69."""
    found = over()
    theirs = stats.friedmanchisquare(*np.array(list(AREAS.values())).T)
    assert found.friedman.chi_squared == pytest.approx(theirs.statistic)
    plain = found.work()["χ₀²"].result
    assert 13 * plain / (42 - plain) == pytest.approx(3.69, abs=5e-3)
    assert found.friedman.f > 3.69


def test_demsars_example_against_a_control():
    tests = over().against("C4.5")
    published = {"C4.5+m+cf": (2.416, 0.016), "C4.5+m": (2.342, 0.019), "C4.5+cf": (0.512, 0.607)}
    for label, (z, p) in published.items():
        test, _ = tests[label]
        assert test.work()["z"].result == pytest.approx(-z, abs=2e-3)
        assert test.p_value == pytest.approx(p, abs=2e-3)
    holm = [3 * tests["C4.5+m+cf"][0].p_value] * 2 + [tests["C4.5+cf"][0].p_value]
    assert [tests[label][1] for label in published] == pytest.approx(holm)
    assert tests["C4.5+m"][0].interval.high == pytest.approx(2 - 22 / 7 + 1.959964 * math.sqrt(20 / 84))


def test_nemenyi_is_significant_just_where_ranks_lie_the_critical_difference_apart():
    found = ladder(4, n=12, noise=1)
    apart = found.critical_difference()
    pairs = [(a, b) for a in found.learners for b in found.learners if a != b]
    for a, b in pairs:
        differs = abs(found.mean_ranks[a] - found.mean_ranks[b]) >= apart
        assert (found.nemenyi(a, b) <= 0.05) == differs
    assert 0 < sum(found.nemenyi(a, b) <= 0.05 for a, b in pairs) < len(pairs)


def test_groups_are_the_largest_runs_not_told_apart():
    """Ranks 1, 2 … 6 on eight sets, and a critical difference of 2.67."""
    found = ladder(6)
    assert found.critical_difference() == pytest.approx(2.850 * math.sqrt(42 / 48), abs=2e-3)
    assert found.groups() == [("a", "b", "c"), ("b", "c", "d"), ("c", "d", "e"), ("d", "e", "f")]
    assert ladder(3, n=40).groups() == []
    assert over().groups() == [("C4.5+m+cf", "C4.5+m", "C4.5+cf", "C4.5")]


def test_two_learners_go_by_wilcoxon():
    pair = over(("C4.5", "C4.5+m"))
    test = pair.wilcoxon("C4.5+m", "C4.5")
    d = np.array([round(row[1] - row[0], 9) for row in AREAS.values()])
    # two sets do not differ; of the others 2 ranks (by size) are negative
    assert test.work()["n"].result == 12
    ranks = stats.rankdata(np.abs(d[d != 0]))
    assert test.work()["W-"].result == ranks[d[d != 0] < 0].sum() == 6.5
    text = str(pair)
    assert "C4.5+m and C4.5: " in text
    assert "They differ." in text
    assert "Friedman" not in text
    assert test.negated() == pair.wilcoxon("C4.5", "C4.5+m")


def test_too_few_sets_are_said_to_be():
    text = str(compare_over_sets({name: {"a": i + 0.1, "b": i} for i, name in enumerate("xyz")}))
    assert "3 data sets cannot give a p-value below 0.25." in " ".join(text.split())
    six = {name: {"a": i + 0.1 * (-1) ** i, "b": i} for i, name in enumerate("uvwxyz")}
    assert "They are not shown to differ." in " ".join(str(compare_over_sets(six)).split())


@pytest.mark.parametrize(
    ("found", "words"),
    [
        (ladder(6), "all but those within 1–3, 2–4, 3–5, 4–6 of the list."),
        (ladder(3, n=40), "(Nemenyi, 95%): all do."),
        (over(), "no two do, so it is not shown which ones differ."),
        (ladder(4, noise=50), "No learner is shown to differ from the others"),
        (OverSets(("a", "b", "c"), ("x", "y"), np.ones((2, 3))), "The learners tie on every data set."),
    ],
)
def test_what_follows_is_said(found, words):
    assert words in " ".join(str(found).split())


def test_the_table_shows_ranks_and_where_each_is_best():
    text = over()._repr_html_()
    assert "0.931 (2.5)" in text
    work = over().work()
    assert work.parts[0].rows[0][1:] == ("C4.5+m+cf", "1.964", 7)
    many = ladder(8).work().parts[1]
    assert many.rows[0] == ("0", *"12345678")


def test_comparisons_are_compared_by_their_metric():
    rows = {}
    for name, target in {"iris": "class", "wine": "cultivar"}.items():
        table = load(name)
        X, y = table.split(target if target in table.names else table.names[-1])
        models = {"1R": OneR(), "naive Bayes": NaiveBayes()}
        rows[name] = compare(models, X, y, StratifiedKFold(5, shuffle=True, random_state=0))
    found = compare_over_sets(rows)
    assert (found.learners, found.sets, found.what) == (
        ("1R", "naive Bayes", "0R"),
        ("iris", "wine"),
        "accuracy",
    )
    assert found.scores[1, 1] == rows["wine"]["naive Bayes"].score()
    by_loss = compare_over_sets(rows, "log_loss", learners=["1R", "naive Bayes"])
    assert not by_loss.greater_is_better
    assert by_loss.learners == ("1R", "naive Bayes")
    mixed = {**rows, "loan": {"1R": 0.5}}
    with pytest.raises(
        DataError, match="loan is not a Comparison, unlike others; give Comparisons or scores"
    ):
        compare_over_sets(mixed)


def test_less_may_be_better():
    errors = {"x": {"a": 0.1, "b": 0.2}, "y": {"a": 0.3, "b": 0.4}}
    assert compare_over_sets(errors, greater_is_better=False).mean_ranks == {"a": 1, "b": 2}
    assert compare_over_sets(errors).mean_ranks == {"b": 1, "a": 2}


@pytest.mark.parametrize(
    ("scores", "more", "error", "message"),
    [
        ([[0.9, 0.8], [0.7, 0.6]], {}, DataError, "scores must name the data sets: {'iris': {'tree': 0.94"),
        ({}, {}, DataError, "two learners on two data sets at least; there are 0 on 0"),
        ({"x": {"a": 1, "b": 2}}, {}, DataError, "there are 2 on 1"),
        (
            {"x": {"a": 1, "b": 2}, "y": {"a": 1}},
            {},
            DataError,
            "b was not evaluated on y; name the `learners`",
        ),
        ({"x": {"a": 1}, "y": {"a": 1, "b": 2}}, {}, DataError, "only y has b; name the `learners`"),
        (
            {"x": {"a": 1, "b": 2}, "y": {"a": 1, "b": math.nan}},
            {},
            DataError,
            r"the score of b on y is nan; leave out the learner or the data set",
        ),
        ({"x": {"a": 1, "b": 2}}, {"learners": ["c"]}, DataError, "c was not evaluated on x"),
    ],
)
def test_what_cannot_be_ranked_is_said(scores, more, error, message):
    with pytest.raises(error, match=message):
        compare_over_sets(scores, **more)


def test_an_unknown_learner_is_named():
    for call in (lambda: over().against("C45"), lambda: over().wilcoxon("C45", "C4.5")):
        with pytest.raises(ParameterError, match=r"no learner 'C45'\. Did you mean 'C4\.5'\?"):
            call()


def test_the_picture_places_ranks_bars_and_names():
    svg = ladder(6).draw().svg()
    dots = [float(x) for x in re.findall(r'<circle class="dot c0" cx="([\d.]+)"', svg)]
    assert np.diff(dots) == pytest.approx([84] * 5, abs=0.11)  # six ranks over 420 pixels
    bars = re.findall(r'<rect class="c5" x="([\d.]+)" y="[\d.]+" width="([\d.]+)"', svg)
    assert [float(width) for _, width in bars] == pytest.approx([2 * 84 + 8] * 4, abs=0.11)
    ruler = re.search(r'd="M([\d.]+) 6v8M[\d.]+ 10H([\d.]+)M', svg)
    assert float(ruler[2]) - float(ruler[1]) == pytest.approx(84 * ladder(6).critical_difference(), abs=0.2)
    assert "CD 2.67" in svg
    assert "no significant difference: a, b, c</title>" in svg


def test_the_picture_takes_long_and_hostile_names():
    names = ("a & b <script>", "a learner whose name goes on and on and on", "c")
    picture = ladder(3, names=names).draw()
    svg = picture.svg()
    assert "<script>" not in svg
    assert "a learner whose name goes on…" not in svg.split("<title>")[0]
    assert "a learner whose name goes on and on and on: mean rank 2.00" in svg
    assert "a &amp; b &lt;script&gt; 1.00" in svg
    assert "Friedman test: F = ∞" in picture.notes[0]


def test_the_picture_of_two_and_of_too_few():
    two = over(("C4.5", "C4.5+m")).draw()
    assert "Wilcoxon signed rank, exact" in two.notes[0]
    assert "more than the ranks can differ" in ladder(3, n=2).draw().svg()


def test_a_named_metric_says_whether_more_of_plain_scores_is_better():
    """Of RMSE less is better: the line wins on both sets."""
    rmse = {"a": {"line": 1.0, "mean": 2.0}, "b": {"line": 10.0, "mean": 30.0}}
    found = compare_over_sets(rmse, "rmse")
    assert found.mean_ranks == {"line": 1.0, "mean": 2.0}
    assert found.what == "RMSE"
    assert compare_over_sets(rmse, greater_is_better=False).mean_ranks == {"line": 1.0, "mean": 2.0}
    with pytest.raises(ParameterError, match="of RMSE less is better; leave out greater_is_better"):
        compare_over_sets(rmse, "rmse", greater_is_better=True)
    with pytest.raises(ParameterError, match=r"no metric 'rms'. Did you mean 'rmse'"):
        compare_over_sets(rmse, "rms")


def test_scores_of_one_set_do_not_tie_because_another_has_large_ones():
    """RMSE in cents beside RMSE in shares: each data set is ranked by its own digits."""
    prices = {"line": 4.0e9, "mean": 5.0e9, "tree": 6.0e9}
    shares = {"line": 1.0e-4, "mean": 2.0e-4, "tree": 3.0e-4}
    found = compare_over_sets({"prices": prices, "shares": shares}, "rmse")
    assert found.ranks.tolist() == [[1, 2, 3], [1, 2, 3]]


def test_comparisons_ranked_by_different_metrics_are_not_mixed():
    models = {"naive Bayes": NaiveBayes(), "1R": OneR()}
    iris = compare(models, *load("iris").split("species"), metrics="accuracy")
    wine = compare(models, *load("wine").split("cultivar"), metrics="log_loss")
    with pytest.raises(DataError, match="iris is ranked by accuracy and wine by log loss; say which"):
        compare_over_sets({"iris": iris, "wine": wine})
    assert compare_over_sets({"iris": iris, "wine": wine}, "accuracy").what == "accuracy"
