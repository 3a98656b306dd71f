"""Functions as pictures: steps of gradient descent and highest points, by hand."""

import re

import numpy as np
import pytest

from openbook.draw import draw_descent, draw_likelihood
from openbook.errors import ParameterError


def test_descent_by_hand():
    """On w0² + w1² a rate of 1/4 halves both parameters; so after 3 steps the loss 8 is 8 / 4³."""
    picture = draw_descent(lambda w: float(w @ w), (2, 2), (0.25,), max_iter=3)
    assert picture.notes == ("Learning rate 0.25: loss 0.125 after 3 steps.",)
    assert re.findall(r"<title>(step \d: [\d.]+)</title>", picture.body) == [
        "step 0: 8",
        "step 1: 2",
        "step 2: 0.5",
        "step 3: 0.125",
    ]


def test_a_rate_that_is_too_large_diverges_and_says_what_to_do():
    with_gradient = draw_descent(lambda w: float(w @ w), (1, 0), (0.5, 1.1), gradient=lambda w: 2 * w)
    assert with_gradient.notes[0].startswith("Learning rate 0.5: loss 0 after")
    assert with_gradient.notes[1] == "Learning rate 1.1: diverges; take smaller steps."
    with pytest.raises(ParameterError, match=r"coef_init must be two numbers, got \(1, 2, 3\)"):
        draw_descent(lambda w: float(w @ w), (1, 2, 3), (0.1,))


def test_the_surface_is_darker_where_the_loss_is_higher():
    picture = draw_descent(lambda w: float(w[0] ** 2 + w[1] ** 2), (1, 1), (0.1,))
    shades = {int(s) for s in re.findall(r'class="region c0 s(\d+)"', picture.body)}
    assert shades == set(range(1, 13))


def test_likelihood_and_posterior_by_hand():
    """7 heads of 10: highest at 0.7. With Beta(2, 2) as the prior the posterior is Beta(9, 5): (9-1)/(12)."""
    picture = draw_likelihood(
        lambda p: 7 * np.log(p) + 3 * np.log(1 - p), 0, 1, prior=lambda p: p * (1 - p), name="p"
    )
    assert picture.told == "likelihood: highest at 0.7; prior: highest at 0.5; posterior: highest at 0.6667."
    flat = draw_likelihood(lambda m: -((m - 3.0) ** 2), 0, 10, prior=lambda _: 1.0)
    assert flat.told == "likelihood: highest at 3; prior: flat; posterior: highest at 3."
    assert draw_likelihood(lambda m: -((m - 3.0) ** 2), 0, 10).title == "Likelihood of θ"
