"""The variance that rows miss, from rounds of folds."""

import math
from dataclasses import replace
from itertools import permutations, product

import numpy as np
import pytest
from scipy.integrate import dblquad
from scipy.stats import norm

from openbook.baseline import ZeroRegressor
from openbook.judge import evaluate, protocol
from openbook.judge.chance.rounds import Rounds
from openbook.judge.chance.spread import Spread

#: Rows 0 and 1, 2 and 3 are in one fold of the first round; 0 and 2, 1 and 3 of the second.
FOLD = np.array([[0, 0, 1, 1], [0, 1, 0, 1]])
INFLUENCE = np.array([[3.0, 0.0, -2.0, -2.0], [1.0, 2.0, -1.0, -1.0]])


def test_the_products_of_changes_by_hand():
    """Changes are 2, -2, -1, -1. Products of the first round's pairs: -4 and 1; of the second's: -2 and 2.

    Each counts as i, j and as j, i. No pair is in one fold of both rounds.
    """
    assert Rounds(INFLUENCE, FOLD).products.tolist() == [[-6, 8], [0, 0]]


def test_products_are_of_pairs_that_a_round_has_in_one_fold():
    rng = np.random.default_rng(0)
    influence, fold = rng.normal(size=(3, 12)), rng.integers(4, size=(3, 12))
    products = {True: [], False: []}
    for (r, s), (i, j) in product(permutations(range(3), 2), permutations(range(12), 2)):
        if fold[r, i] == fold[r, j]:
            change = influence[r] - influence[s]
            products[bool(fold[s, i] == fold[s, j])].append(change[i] * change[j])
    expected = [[sum(products[kept]), len(products[kept])] for kept in (False, True)]
    assert Rounds(influence, fold).products == pytest.approx(np.array(expected))


def test_means_of_products_of_pure_chance_vary_as_the_docstring_says():
    rng = np.random.default_rng(0)
    fold = np.array([rng.permutation(200) % 20 for _ in range(3)])
    found = np.array([Rounds(rng.normal(size=(3, 200)), fold).products for _ in range(2000)])
    (_, parted), (_, kept) = found[0]
    means = found[:, :, 0] / [parted, 2 * kept]
    assert means.var(axis=0) == pytest.approx([2 * (3 + 2) / parted, 4 / kept], rel=0.1)


@pytest.mark.parametrize("scale", [0.1, 0.5, 3.0])
def test_what_rows_miss_is_the_mean_of_all_that_is_possible(scale):
    """By integration over C from 0 to 1 and W from 0, of two normal densities."""
    rng = np.random.default_rng(1)
    n, folds = 60, 5
    fold = np.array([rng.permutation(n) % folds for _ in range(3)])
    rounds = Rounds(rng.normal(size=n) + scale * rng.normal(size=(3, n)), fold)
    (parted, n_parted), (kept, n_kept) = rounds.products
    change = rounds.influence.var(axis=0, ddof=1).mean()
    to_share = (1 - 1 / folds) * n / rounds.influence.mean(axis=0).var(ddof=1)
    total = norm(to_share * parted / n_parted, to_share * change * math.sqrt(2 * (3 + 2) / n_parted))
    models = norm(to_share * kept / n_kept / 2, to_share * change * math.sqrt(4 / n_kept))

    def integral(power):
        def density(w, c):
            return c**power * total.pdf(c + w) * models.pdf(w)

        return dblquad(density, 0, 1, 0, max(0, models.mean()) + 8 * models.std(), epsabs=1e-10)[0]

    assert rounds.missing == pytest.approx(integral(1) / integral(0), abs=0.002)


def test_models_that_differ_in_what_they_are_worth_are_no_error():
    """Every model has a level of its own, and rows add nothing: parted pairs say W, kept ones 2 W."""
    rng = np.random.default_rng(2)
    found = []
    for _ in range(20):
        fold = np.array([rng.permutation(400) % 5 for _ in range(5)])
        levels = np.take_along_axis(rng.normal(size=(5, 5)), fold, axis=1)
        found.append(Rounds(rng.normal(size=400) + levels + rng.normal(size=(5, 400)), fold))
    (parted, n_parted), (kept, n_kept) = np.mean([rounds.products for rounds in found], axis=0)
    assert parted / n_parted == pytest.approx(1, rel=0.2)
    assert kept / n_kept == pytest.approx(2, rel=0.2)
    # parted pairs alone would say that rows miss a hundred times their variance
    assert np.mean([rounds.missing for rounds in found]) == pytest.approx(0.5, abs=0.15)


def test_it_lies_between_nothing_and_as_much_again():
    known = Spread(5.0, INFLUENCE.mean(axis=0), {}, 4, 0.1, Rounds(INFLUENCE, FOLD))
    assert 0 < known.missing < 1
    assert replace(known, rounds=Rounds(INFLUENCE[[0, 0]], FOLD)).missing == 0  # nothing changes
    assert replace(known, rounds=None).missing == 0.1


def test_the_standard_error_has_what_rows_miss():
    """φ is 2, 1, -1.5, -1.5 in the mean: s² = 9.5/3."""
    spread = Spread(5.0, INFLUENCE.mean(axis=0), {}, 4, 0.1, Rounds(INFLUENCE, FOLD))
    assert spread.error == pytest.approx(math.sqrt(9.5 / 3 / 4 * (1 + spread.missing)))


def test_rows_of_a_group_are_tested_together():
    groups = np.array([0, 0, 1, 1])
    found = Rounds(INFLUENCE, FOLD[[0, 0]]).of_units(groups)
    assert found.influence.tolist() == [[1.5, -2.0], [1.5, -1.0]]  # sums, times 2 groups of 4 rows
    assert found.fold.tolist() == [[0, 1], [0, 1]]
    assert math.isnan(found.missing)  # the two are never in one fold
    assert Rounds(INFLUENCE, FOLD).of_units(groups) is None


def test_a_learner_and_itself_miss_nothing():
    X, y = np.arange(60.0)[:, None], np.arange(60.0) ** 2
    spread = evaluate(ZeroRegressor(), X, y).spread("rmse")
    assert spread.rounds is not None
    assert spread.minus(spread).error == 0


def test_the_mean_misses_what_least_squares_theory_says():
    """ρ = 2 p / n for p parameters and normal errors; the mean is one."""
    rng = np.random.default_rng(0)
    found = [
        evaluate(ZeroRegressor(), np.zeros((60, 1)), rng.normal(size=60)).spread("mse").missing
        for _ in range(40)
    ]
    assert np.mean(found) == pytest.approx(2 / 60, rel=0.35)


@pytest.mark.parametrize(("cv", "how"), [(None, "measured by rounds of folds"), (5, "a rule of thumb")])
def test_an_interval_tells_how_it_knows_what_rows_miss(cv, how):
    X, y = np.arange(60.0)[:, None], np.arange(60.0)
    steps = evaluate(ZeroRegressor(), X, y, cv=cv).interval("rmse").steps
    assert how in next(step.note for step in steps if step.label == "rho")


def test_one_round_or_part_of_one_measures_nothing():
    y = np.arange(60.0)
    once = evaluate(ZeroRegressor(), y[:, None], y, cv=protocol(y, "regression", n_splits=5, repeats=1))
    assert once.spread("rmse").rounds is None
    twice = evaluate(ZeroRegressor(), y[:, None], y, cv=protocol(y, "regression", n_splits=5, repeats=2))
    assert twice.spread("rmse").rounds is not None
    assert replace(twice, folds=twice.folds[:-1]).spread("rmse").missing == once.spread("rmse").missing
