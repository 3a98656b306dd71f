"""Worst segments: planted ones are found, what was found is judged on other rows, and noise is left alone."""

import math

import numpy as np
import pytest
from scipy import stats

import openbook as ob
from openbook.data import Nominal, Numeric, Ordinal, Schema, Table, Text
from openbook.errors import DataError, ParameterError
from openbook.judge import holm, wilson, worst_segments
from openbook.judge.chance.shares import Share, fisher
from openbook.judge.errors.honest_tree import honest_leaves


def numbers(**columns):
    return Table(Schema(tuple(map(Numeric, columns))), [np.asarray(c, dtype=float) for c in columns.values()])


def planted(seed=0, n=400):
    """A table of every kind with gaps; rows with colour red and size over 1 are wrong half of the time."""
    rng = np.random.default_rng(seed)
    colour = rng.integers(0, 3, n).astype(np.int8)
    size, noise = rng.normal(1, 1, n), rng.normal(size=n)
    wrong = rng.random(n) < np.where((colour == 0) & (size > 1), 0.6, 0.05)
    size[rng.random(n) < 0.05] = np.nan
    schema = Schema(
        (
            Nominal("colour", ("red", "green", "blue")),
            Numeric("size"),
            Ordinal("rank", ("low", "high")),
            Numeric("noise"),
        )
    )
    return Table(schema, [colour, size, rng.integers(0, 2, n).astype(np.int8), noise]), wrong


def test_a_planted_segment_is_found_and_its_figures_are_those_of_the_judging_rows(judged):
    table, wrong = planted()
    found = worst_segments(judged(np.zeros(400, int), wrong.astype(int), folds=4), table)
    worst = found[0]
    assert worst.rule.startswith("colour = red and size > ")
    assert found.worse()[0] is worst
    # folds 0 and 2 find, 1 and 3 judge: rows 100-199 and 300-399
    judging = np.zeros(400, dtype=bool)
    judging[100:200] = judging[300:] = True
    inside = np.zeros(400, dtype=bool)
    inside[worst.rows] = True
    here, rest = wrong[inside & judging], wrong[~inside & judging]
    assert worst.n == len(here)
    assert worst.error == here.mean()
    assert worst.interval == wilson(int(here.sum()), len(here))
    assert worst.rest == rest.mean()
    assert worst.ratio == pytest.approx(here.mean() / rest.mean())
    assert worst.found_error == wrong[inside & ~judging].mean()
    assert found.n_found == found.n_judged == 200
    ps = []
    for segment in found:
        inside = np.isin(np.arange(400), segment.rows)
        here, rest = wrong[judging & inside], wrong[judging & ~inside]
        ps.append(fisher(Share(int(here.sum()), len(here)), Share(int(rest.sum()), len(rest))))
    assert [s.p_value for s in found] == pytest.approx(holm(ps).tolist())


def test_a_rule_holds_for_just_the_rows_it_is_said_to():
    table, wrong = planted(seed=3)
    halves = np.arange(400) % 2 == 0, np.arange(400) % 2 == 1
    leaves, _ = honest_leaves(table, wrong.astype(float), halves, max_depth=3, min_rows=5)
    assert len(leaves) > 3
    for leaf in leaves:
        holds = [all(c.holds(table.data(c.attribute.name)[i]) for c in leaf.conditions) for i in range(400)]
        assert np.array_equal(np.array(holds), leaf.grown | leaf.judged)


def test_cuts_are_round_numbers():
    rng = np.random.default_rng(1)
    x = rng.normal(50, 9, 300)
    halves = np.arange(300) % 2 == 0, np.arange(300) % 2 == 1
    (low, high), _ = honest_leaves(numbers(x=x), (x > 55.123456).astype(float), halves, 1)
    cut = low.conditions[0].high
    assert cut == high.conditions[0].low == round(cut, 3)
    assert abs(cut - 55.12) < 0.7


def test_missing_cells_are_a_segment_of_their_own(judged):
    rng = np.random.default_rng(2)
    x = rng.normal(size=300)
    x[rng.random(300) < 0.3] = np.nan
    wrong = np.isnan(x) & (rng.random(300) < 0.7)
    found = worst_segments(judged(np.zeros(300, int), wrong.astype(int)), numbers(x=x), max_depth=1)
    assert found[0].rule == "x is missing"
    assert found[0].p_value < 0.001
    assert "(or missing)" not in repr(found)


def errors_where_there_are_none(rng):
    return numbers(**{f"x{j}": rng.normal(size=120) for j in range(6)}), (rng.random(120) < 0.3).astype(float)


def smallest_p(leaves, wrong, judging):
    ps = []
    for leaf in leaves:
        here, rest = wrong[leaf.judged], wrong[judging & ~leaf.judged]
        ps.append(fisher(Share(int(here.sum()), len(here)), Share(int(rest.sum()), len(rest))))
    return min(holm(ps), default=1.0)


def test_noise_is_left_alone_where_the_tree_is_honest_and_not_where_it_is_not():
    rng = np.random.default_rng(0)
    half, everything = np.arange(120) % 2 == 0, np.ones(120, dtype=bool)
    honest, naive = [], []
    for _ in range(120):
        table, wrong = errors_where_there_are_none(rng)
        honest.append(smallest_p(honest_leaves(table, wrong, (half, ~half))[0], wrong, ~half))
        naive.append(smallest_p(honest_leaves(table, wrong, (everything, everything))[0], wrong, everything))
    # 5% of 120 is 6; 13 or more would come once in two hundred times
    assert sum(p < 0.05 for p in honest) < 13
    assert sum(p < 0.05 for p in naive) > 60


def test_numbers_are_judged_by_their_absolute_or_squared_error(judged):
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 10, 200)
    off = np.where(x > 6, 5.0, 1.0) * rng.exponential(size=200)
    evaluation = judged(np.zeros(200), off, classes=None)
    found = worst_segments(evaluation, numbers(x=x), max_depth=1)
    judging, inside = np.arange(200) >= 100, np.isin(np.arange(200), found[0].rows)
    here, rest = off[judging & inside], off[judging & ~inside]
    assert found.loss == "absolute"
    assert found[0].error == pytest.approx(here.mean())
    p = stats.ttest_ind(here, rest, equal_var=False).pvalue
    assert [one.p_value for one in found] == pytest.approx(
        [2 * p, 2 * p]
    )  # two leaves, each the other's rest
    assert "log ratio" not in repr(found)  # an interval of another procedure than that of p
    squared = worst_segments(evaluation, numbers(x=x), loss="squared", max_depth=1)
    judged_squares = off[judging & np.isin(np.arange(200), squared[0].rows)] ** 2
    assert squared[0].error == pytest.approx(judged_squares.mean())


def test_surprise_of_the_truth(judged):
    x = np.r_[np.zeros(50), np.ones(50)]
    sure = np.where(x == 1, 0.5, 0.9)
    order = np.random.default_rng(0).permutation(100)
    evaluation = judged(np.zeros(100, int), np.zeros(100, int), np.c_[sure, 1 - sure][order])
    found = worst_segments(evaluation, numbers(x=x[order]), loss="log_loss", max_depth=1)
    assert found[0].rule == "x > 0.5"
    assert found[0].error == pytest.approx(math.log(2))
    assert found[0].rest == pytest.approx(-math.log(0.9))


def test_each_row_counts_once_in_repeated_cross_validation():
    from openbook.bayes import NaiveBayes

    X, y = ob.load("iris").split("species")
    found = worst_segments(ob.evaluate(NaiveBayes(), X, y), X)
    assert found.n_found + found.n_judged == 150


def test_leave_one_out_and_one_held_out_set_are_halved_by_lot(judged):
    table, wrong = planted(n=100)
    for folds in (1, 100):
        found = worst_segments(judged(np.zeros(100, int), wrong.astype(int), folds=folds), table)
        assert (found.n_found, found.n_judged) == (50, 50)


def test_what_cannot_be_looked_at_is_said(judged):
    few = worst_segments(judged([0, 1] * 7, [0, 0] * 7), numbers(x=np.arange(14.0)))
    assert len(few) == 0
    assert "14 rows are too few to find segments of 10" in repr(few)
    blank = worst_segments(judged([0, 1] * 50, [0, 0] * 50), numbers(x=np.ones(100)))
    assert "found no split" in repr(blank)
    text = Table(
        Schema((Numeric("x"), Text("note"))), [np.arange(100.0), np.array(["a"] * 100, dtype=object)]
    )
    wrong = (np.arange(100) > 60).astype(int)
    rows = np.random.default_rng(0).permutation(100)
    found = worst_segments(judged(np.zeros(100, int), wrong[rows]), text.take(rows))
    assert "Columns of text are left out: note." in repr(found)
    with pytest.raises(DataError, match="no column to define segments by"):
        worst_segments(judged(np.zeros(100, int), wrong), text.select(["note"]))


def test_bad_requests_are_refused(judged):
    evaluation = judged([0, 1] * 30, [0, 0] * 30)
    table = numbers(x=np.arange(60.0))
    with pytest.raises(ParameterError, match="one of wrong, log_loss for classification, got 'absolute'"):
        worst_segments(evaluation, table, loss="absolute")
    with pytest.raises(ParameterError, match="log_loss needs probabilities"):
        worst_segments(evaluation, table, loss="log_loss")
    with pytest.raises(ParameterError, match=r"max_depth must be .* got 0"):
        worst_segments(evaluation, table, max_depth=0)
    with pytest.raises(DataError, match="tested on row 59, and X has 50 rows"):
        worst_segments(evaluation, table.head(50))
