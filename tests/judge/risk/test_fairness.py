"""Fairness: rates by hand and beside another system's, gaps with intervals, groups of every kind, proxies."""

import math

import numpy as np
import pytest

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.data import Nominal, Numeric, Schema, Table, Text
from openbook.errors import DataError, ParameterError, UnknownColumn
from openbook.judge import Evaluation, FoldResult, fairness, wilson
from openbook.judge.chance.shares import Share, log_ratio, newcombe
from openbook.judge.risk.proxies import proxies


def grouped(groups, *more):
    values = tuple(sorted({g for g in groups if g}))
    codes = np.array([values.index(g) if g else -1 for g in groups])
    return Table(Schema((Nominal("group", values), *(a for a, _ in more))), [codes, *(c for _, c in more)])


def drawn():
    """Three groups, and a model that favours one of them."""
    rng = np.random.default_rng(7)
    group = rng.choice(["a", "b", "c"], 300, p=[0.5, 0.3, 0.2])
    truth = (rng.random(300) < np.where(group == "a", 0.5, 0.3)).astype(int)
    predicted = np.where(rng.random(300) < 0.75, truth, 1 - truth)
    return group, truth, np.where((group == "c") & (rng.random(300) < 0.3), 1, predicted)


def test_rates_by_hand(judged):
    #           a: 4 rows      b: 5 rows
    truth = [1, 1, 0, 0, 1, 0, 0, 0, 1]
    predicted = [1, 0, 1, 0, 1, 0, 0, 1, 1]
    fair = fairness(judged(truth, predicted), grouped("aaaabbbbb"), "group")
    rates = ("prevalence", "selection", "tpr", "fpr", "ppv", "accuracy")
    hits = {
        "a": ((2, 4), (2, 4), (1, 2), (1, 2), (1, 2), (2, 4)),
        "b": ((2, 5), (3, 5), (2, 2), (1, 3), (2, 3), (4, 5)),
    }
    for group, shares in hits.items():
        assert [fair.share(rate, group) for rate in rates] == [Share(*share) for share in shares]
    assert fair.share("fpr", "b").interval() == wilson(1, 3)
    assert fair.reference == "b"
    (gap,) = fair.parity("demographic parity")
    assert (gap.group, gap.difference, gap.ratio) == ("a", pytest.approx(0.5 - 0.6), pytest.approx(0.5 / 0.6))
    assert gap.interval == newcombe(Share(2, 4), Share(3, 5))
    assert gap.ratio_interval == log_ratio(Share(2, 4), Share(3, 5))
    (odds,) = fair.parity("equalised odds")
    assert (odds.rate, odds.difference) == ("tpr", -0.5)  # FPR differs by 1/6 only
    assert "Small groups, which allow no firm conclusion: a (4), b (5)." in fair.work().conclusion


def test_figures_of_fairlearn(judged):
    """fairlearn 0.15 on the same labels."""
    group, truth, predicted = drawn()
    evaluation, table = judged(truth, predicted), grouped(group)
    fair = fairness(evaluation, table, "group")
    theirs = {
        "selection": {"a": 0.4357142857142857, "b": 0.40625, "c": 0.515625},
        "tpr": {"a": 0.6901408450704225, "b": 0.75, "c": 0.9333333333333333},
        "fpr": {"a": 0.17391304347826086, "b": 0.2647058823529412, "c": 0.3877551020408163},
        "ppv": {"a": 0.8032786885245902, "b": 0.5384615384615384, "c": 0.42424242424242425},
    }
    for rate, groups in theirs.items():
        for name, value in groups.items():
            assert fair.share(rate, name).value == pytest.approx(value)
    beside = {ref: fairness(evaluation, table, "group", reference=ref) for ref in "abc"}
    largest = {
        criterion: max(abs(one.difference) for fair in beside.values() for one in fair.parity(criterion))
        for criterion in ("demographic parity", "equalised odds", "equal opportunity")
    }
    assert largest["demographic parity"] == pytest.approx(0.109375)
    assert largest["equalised odds"] == pytest.approx(0.24319248826291084)
    assert largest["equal opportunity"] == pytest.approx(0.24319248826291084)
    ratios = {one.group: one.ratio for one in beside["c"].parity("demographic parity")}
    assert ratios["b"] == pytest.approx(0.7878787878787878)
    assert fair.four_fifths() == {"b": pytest.approx(0.7878787878787878)}
    assert "a convention, not a verdict" in fair.work().conclusion
    assert "prevalences of 'yes' differ" in fair.work().conclusion


def test_several_classes_are_looked_at_one_by_one(judged):
    truth, predicted = [0, 1, 2, 0, 1, 2], [0, 1, 1, 0, 2, 2]
    evaluation = judged(truth, predicted, classes=("red", "green", "blue"))
    fair = fairness(evaluation, grouped("aaabbb"), "group")
    assert fair.labels == ("red", "green", "blue")
    assert fair.share("tpr", "a", "green") == Share(1, 1)
    assert fair.share("ppv", "a", "green") == Share(1, 2)
    assert fair.share("selection", "b", "blue") == Share(2, 3)
    with pytest.raises(
        ParameterError, match="there are several classes; say label=, one of red, green, blue"
    ):
        fair.share("tpr", "a")
    with pytest.raises(ParameterError, match=r"no class 'grean'. Did you mean 'green'"):
        fair.share("tpr", "a", "grean")
    assert fairness(evaluation, grouped("aaabbb"), "group", positive="blue").labels == ("blue",)


def test_rates_of_no_rows_are_undefined_and_never_zero(judged):
    fair = fairness(judged([0, 0, 1, 1], [0, 0, 1, 0]), grouped("aabb"), "group")
    assert math.isnan(fair.share("tpr", "a").value)
    assert math.isnan(fair.share("ppv", "a").value)
    (gap,) = fair.parity("equal opportunity")
    assert math.isnan(gap.difference)
    assert math.isnan(gap.interval.low)
    assert "undefined (0 rows)" in repr(fair)


def test_missing_cells_are_a_group_and_numbers_are_cut(judged):
    truth, predicted = [0, 1] * 40, [0, 1] * 40
    table = grouped([None, "a", "b", "a"] * 20)
    assert set(fairness(judged(truth, predicted), table, "group").groups) == {"a", "b", "(missing)"}
    ages = Table(Schema((Numeric("age"), Numeric("few"))), [np.arange(80.0), np.arange(80.0) % 3])
    fair = fairness(judged(truth, predicted), ages, "age")
    assert fair.sizes == {"<= 19.75": 20, "(19.75, 39.5]": 20, "(39.5, 59.25]": 20, "> 59.25": 20}
    assert "age is a number, cut at its quartiles." in fair.work().conclusion
    assert fairness(judged(truth, predicted), ages, "few").groups == ("0", "1", "2")


def test_the_sensitive_column_need_not_be_an_input():
    X, y = ob.load("credit", rows=600).split("default")
    fair = fairness(ob.evaluate(NaiveBayes(), X.drop("sex"), y), X, "sex")
    assert sum(fair.sizes.values()) == 600
    assert fair.proxies[0].column == "income"
    assert fair.labels == ("yes",)


def test_the_picture_shows_every_group_and_rate(judged):
    group, truth, predicted = drawn()
    picture = fairness(judged(truth, predicted), grouped(group), "group").draw()
    svg = picture.svg()
    assert all(
        words in svg for words in ("selection rate", "TPR", "FPR", "PPV", "a (140)", "Class &#x27;yes&#x27;")
    )
    assert svg.count("<circle") == 3 * 6 + 3
    assert "significant" in picture.told


def test_bad_requests_are_refused(judged):
    evaluation = judged([0, 1, 0, 1], [0, 1, 1, 1])
    table = grouped("aabb")
    with pytest.raises(UnknownColumn, match=r"no column 'grop'. Did you mean 'group'"):
        fairness(evaluation, table, "grop")
    with pytest.raises(ParameterError, match=r"reference: no group 'z' of group. There are: a, b"):
        fairness(evaluation, table, "group", reference="z")
    with pytest.raises(ParameterError, match=r"positive: no class 'yess'. Did you mean 'yes'"):
        fairness(evaluation, table, "group", positive="yess")
    with pytest.raises(DataError, match="every tested row has group = a, so there are no groups to compare"):
        fairness(evaluation, grouped("aaaa"), "group")
    with pytest.raises(ParameterError, match="predicts numbers, and fairness counts decisions"):
        fairness(judged([0.5, 1, 2, 3], [1.0, 1, 1, 1], classes=None), table, "group")
    text = Table(Schema((Text("name"),)), [np.array(list("abcd"), dtype=object)])
    with pytest.raises(DataError, match="'name' is free text; if its values are groups, read it with"):
        fairness(evaluation, text, "name")
    fair = fairness(evaluation, table, "group")
    with pytest.raises(ParameterError, match=r"no rate 'tps'. Did you mean 'tpr'"):
        fair.share("tps", "a")
    with pytest.raises(ParameterError, match="no group 'z'"):
        fair.share("tpr", "z")
    with pytest.raises(ParameterError, match="no criterion 'parity'"):
        fair.parity("parity")


def slow_score(values, codes, folds):
    """A proxy's score, row by row."""
    scores = []
    for fold in np.unique(folds):
        train, test = folds != fold, folds == fold
        found = {g: [] for g in np.unique(codes)}
        for i in np.flatnonzero(test):
            likely = {g: (values[train & (codes == g)] == values[i]).mean() for g in found}
            best = [g for g, p in likely.items() if p == max(likely.values())]
            found[codes[i]].append((codes[i] in best) / len(best))
        scores.append(np.mean([np.mean(hits) for hits in found.values()]))
    return np.array(scores)


def test_proxies_score_as_a_plain_loop_does():
    from openbook.judge.risk.proxies import _scores, _stratified

    rng = np.random.default_rng(0)
    codes, values = rng.choice(3, 90, p=[0.6, 0.3, 0.1]), rng.integers(0, 6, 90)
    folds = _stratified(codes, 0)
    assert _scores(values, codes, folds, int(folds.max()) + 1, 3) == pytest.approx(
        slow_score(values, codes, folds)
    )
    for group in range(3):  # every fold has its part of every group, to within a row
        assert np.ptp(np.bincount(folds[codes == group])) <= 1


def test_a_proxy_of_a_rare_group_is_found_and_noise_is_not():
    rng = np.random.default_rng(1)
    groups = (rng.random(2000) < 0.05).astype(int)
    postcode = np.where(rng.random(2000) < 0.9, groups * 3, rng.integers(0, 6, 2000))
    schema = Schema((Nominal("postcode", tuple("abcdef")), Numeric("noise"), Numeric("gaps"), Text("words")))
    gaps = np.where(groups == 1, np.nan, rng.normal(size=2000))
    words = np.array(["x"] * 2000, dtype=object)
    table = Table(schema, [postcode.astype(np.int8), rng.normal(size=2000), gaps, words])
    found = {one.column: one for one in proxies(table, groups)}
    assert set(found) == {"postcode", "noise", "gaps"}
    assert found["postcode"].tells()
    assert found["postcode"].baseline == 0.5
    assert found["gaps"].score == 1.0
    rows = wilson(2000, 2000, 1 - 0.05 / 3)  # no fold differs: the rows show how sure it is
    assert found["gaps"].interval.low == rows.low
    assert not found["noise"].tells()


def test_an_interval_of_a_proxy_excludes_guessing_exactly_where_p_is_small():
    rng = np.random.default_rng(5)
    groups = rng.integers(0, 2, 400)
    columns = {f"x{shift}": rng.normal(size=400) + shift / 100 * groups for shift in range(0, 100, 2)}
    table = Table(Schema(tuple(map(Numeric, columns))), list(columns.values()))
    listed = proxies(table, groups)
    assert len({one.p_value < 0.05 for one in listed}) == 2
    for one in listed:
        assert (one.p_value < 0.05) == (0.5 not in one.interval), one


def test_there_are_no_proxies_of_one_group():
    assert proxies(Table(Schema((Numeric("x"),)), [np.arange(5.0)]), np.array([0, 0, 0, 0, 1])) == ()


def decided(approved):
    """An Evaluation of 100 men and 100 women, of whom so many are approved, and their table."""
    truth = np.tile([0, 1], 100)
    said = np.concatenate([(np.arange(100) >= n).astype(int) for n in approved])
    fold = FoldResult(0, np.arange(200), truth, said, None, 200, 0.0, 0.0, None, ())
    x = (Numeric("x"), np.random.default_rng(0).normal(size=200))
    table = grouped(["man"] * 100 + ["woman"] * 100, x)
    labels = np.array(["approved", "refused"])
    return Evaluation("m", "classification", labels, (fold,)), table


def test_the_shortfall_is_that_of_the_group_that_gets_the_favourable_outcome_less_often():
    """60 men and 30 women are approved: 30/60 = 0.5. Of refusals 40 and 70: men have 40/70 = 0.571."""
    evaluation, table = decided((60, 30))
    named = fairness(evaluation, table, "group", positive="approved")
    assert named.four_fifths() == {"woman": pytest.approx(0.5)}
    words = named.work().conclusion
    assert "With 'approved' as the favourable outcome" in words
    assert "woman (0.500 of the highest)" in words
    assert "0.571" not in words
    guessed = fairness(evaluation, table, "group")  # the second class is refused, which nobody said is good
    assert guessed.four_fifths() == {"man": pytest.approx(40 / 70)}
    assert guessed.four_fifths("approved") == {"woman": pytest.approx(0.5)}
    words = guessed.work().conclusion
    assert "if 'refused' is the favourable outcome: man (0.571 of the highest)" in words
    assert "if 'approved' is the favourable outcome: woman (0.500 of the highest)" in words
