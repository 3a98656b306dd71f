"""Annotators who make mistakes: by hand, and of known error rates."""

import numpy as np
import pytest

from openbook.errors import DataError
from openbook.label import DawidSkene


def answers(rates, n=400, seed=0):
    """Items of two classes, and what annotators of these error rates say of them."""
    rng = np.random.default_rng(seed)
    truth = rng.random(n) < 0.4
    said = np.array([truth ^ (rng.random(n) < rate) for rate in rates])
    items = np.tile(np.arange(n), len(rates))
    who = np.repeat(np.arange(len(rates)), n)
    return truth, items, who, said.ravel().astype(int)


def test_error_rates_are_found():
    rates = [0.05, 0.1, 0.3, 0.5]
    truth, *given = answers(rates)
    model = DawidSkene().fit(*given)
    assert np.abs(model.error_rates_ - rates).max() < 0.1  # four standard errors of 400 answers
    votes = np.array([np.bincount(given[2][given[0] == i], minlength=2).argmax() for i in range(400)])
    assert (model.labels_ == truth).mean() > (votes == truth).mean()
    assert (np.diff(model.trace_) >= -1e-9).all()
    assert np.allclose(model.probabilities_.sum(axis=1), 1)


def test_one_round_by_hand():
    # item 0: a, a, b; item 1: b, b, b. T starts as (2/3, 1/3), (0, 1), so p = (1/3, 2/3)
    items, who, said = [0, 0, 0, 1, 1, 1], [0, 1, 2, 0, 1, 2], list("aabbbb")
    model = DawidSkene(max_iter=1).fit(items, who, said)
    # annotator 0: of a: (2/3) / (2/3) = 1 for a; of b: (1/3) / (4/3) = 1/4 says a, 3/4 says b; 2 is always b
    # item 0: 1/3 · 1 · 1 · 1 against 2/3 · 1/4 · 1/4 · 1 = 1/24, so 8/9
    assert model.probabilities_[0] == pytest.approx([8 / 9, 1 / 9])
    assert model.probabilities_[1] == pytest.approx([0, 1])


def test_an_item_is_asked_again_where_it_is_least_certain():
    # two who err alike disagree about item 2
    items = [0, 0, 1, 1, 2, 2, 3, 3]
    model = DawidSkene(pseudo_counts=0.5).fit(items, [0, 1] * 4, list("aabbabaa"))
    assert model.ask_again() == [2]
    work = model.work(2)
    assert work["label a"].result > 0
    assert "error rate" in model.work().text()
    with pytest.raises(DataError, match="no item 9"):
        model.work(9)
    with pytest.raises(DataError, match="no answer"):
        DawidSkene().fit([], [], [])
