r"""Probabilities, log odds and scores, and the losses of scores.

    self-information   -log P                      how surprising an event is
    odds               p / (1 - p)
    logit              ln(p / (1 - p))             the log odds, any number
    sigmoid            1 / (1 + e^(-k z))          the way back from log odds; k is the steepness
    softmax            e^(z_c) / Σ e^(z_k)         the same for several classes
    zero-one loss      [y z ≤ 0]                   y in {-1, +1}, z the score of +1
    hinge loss         max(0, 1 - y z)
    logistic loss      ln(1 + e^(-y z))

The result has the shape of what is given, or is a float for one number; softmax works along the last axis.
Nothing overflows. Missing values: what is NaN stays NaN.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError
from openbook.measures.arrays import Floats, as_floats, check_base, plain_array
from openbook.measures.shown import Measure, derived_by
from openbook.words.numbers import figure, fraction
from openbook.words.parameters import documented
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work


def _derive_self_information(p: float) -> Work:
    """The self-information of one event, in bits."""
    return Work("Self-information", (Step.of("I", r"-\log_2 p", {"p": p}, self_information(p), "in bits"),))


def _derive_odds(p: float) -> Work:
    """Odds and log odds of one probability."""
    steps = (
        Step.of("odds", r"\frac{p}{1 - p}", {"p": p}, odds(p)),
        Step("logit", r"\ln \frac{p}{1 - p}", rf"\ln {figure(odds(p))}", logit(p)),
    )
    return Work("Odds and log odds", steps)


def _derive_sigmoid(z: float, steepness: float = 1.0) -> Work:
    """The sigmoid of one score, and its slope there."""
    value = sigmoid(z, steepness)
    k = "" if steepness == 1 else "k "
    numbers = {"k": steepness, "z": z, r"\sigma(z)": value}
    slope = steepness * value * (1 - value)
    steps = (
        Step.of("σ(z)", rf"\frac{{1}}{{1 + e^{{-{k}z}}}}", numbers, value),
        Step.of("slope", rf"{k}\sigma(z) (1 - \sigma(z))", numbers, slope),
    )
    return Work("Sigmoid", steps)


def _derive_softmax(z: npt.ArrayLike) -> Work:
    """The softmax of one list of scores."""
    scores = as_floats(z, "z")
    if scores.ndim != 1:
        raise ParameterError(f"the work is of one list of scores, got the shape {scores.shape}")
    powers = [rf"e^{{{figure(score)}}}" for score in scores.tolist()]
    steps = [
        Step(f"P({c + 1})", r"\frac{e^{z_c}}{\sum_k e^{z_k}}", fraction(power, joined(powers)), share)
        for c, (power, share) in enumerate(zip(powers, softmax(scores).tolist(), strict=True))
    ]
    return Work("Softmax", tuple(steps))


def _of_margins(title: str, formula: str) -> Callable[[Measure], Measure]:
    """Give a loss its derivation, row by row from the margins y z."""

    def decorate(loss: Measure) -> Measure:
        def derive(y: npt.ArrayLike, z: npt.ArrayLike) -> Work:
            truth, scores = (np.atleast_1d(as_floats(*given)) for given in ((y, "y"), (z, "z")))
            losses = loss(truth, scores).tolist()
            margins = (truth * scores).tolist()
            rows = list(zip(truth.tolist(), scores.tolist(), margins, losses, strict=True))
            mean = fraction(joined(losses), len(losses))
            grid = Grid("rows", ("y", "z", "y z", "ℓ"), rows)
            step = Step("mean", r"\frac{1}{n} \sum_i \ell_i", mean, sum(losses) / len(losses))
            return Work(title, (Step("ℓ", formula), grid, step))

        return derived_by(derive)(loss)

    return decorate


@derived_by(_derive_self_information)
@documented
def self_information(p: npt.ArrayLike, base: float = 2) -> Any:
    """Self-information -log p: how surprising an event of that probability is.

    Parameters
    ----------
    p : array-like
        Probabilities.
    base : float, default=2

    Returns
    -------
    float or ndarray
        Infinite for an impossible event.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> self_information([1, 0.5, 0.125]).tolist()
    [0.0, 1.0, 3.0]
    """
    check_base(base)
    with np.errstate(divide="ignore"):
        return plain_array(0.0 - np.log(_probabilities(p)) / np.log(base))


@derived_by(_derive_odds)
def odds(p: npt.ArrayLike) -> Any:
    """Odds p / (1 - p): how often it happens for each time that it does not.

    Parameters
    ----------
    p : array-like
        Probabilities.

    Returns
    -------
    float or ndarray
        Infinite for a certain event.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> odds(0.75)
    3.0
    """
    shares = _probabilities(p)
    with np.errstate(divide="ignore"):
        return plain_array(shares / (1 - shares))


@derived_by(_derive_odds)
def logit(p: npt.ArrayLike) -> Any:
    """Log odds ln(p / (1 - p)): 0 for a half, from minus to plus infinity; the inverse of `sigmoid`.

    Parameters
    ----------
    p : array-like
        Probabilities.

    Returns
    -------
    float or ndarray

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> round(logit(0.75), 4)  # ln 3
    1.0986
    """
    shares = _probabilities(p)
    with np.errstate(divide="ignore"):
        return plain_array(np.log(shares) - np.log1p(-shares))


@derived_by(_derive_sigmoid)
def sigmoid(z: npt.ArrayLike, steepness: float = 1.0) -> Any:
    """The probability whose log odds are z: 1 / (1 + e^(-steepness z)).

    Parameters
    ----------
    z : array-like
        Scores: any numbers.
    steepness : float, default=1.0
        How steep the curve is at 0; for a large one it is nearly a step from 0 to 1.

    Returns
    -------
    float or ndarray

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> sigmoid([0.0, -6.2, 800.0]).round(6).tolist()
    [0.5, 0.002025, 1.0]
    >>> round(sigmoid(0.1, steepness=50), 4)  # 1 / (1 + e^-5)
    0.9933
    """
    scores = _numbers(z)
    scores = scores if steepness == 1 else steepness * scores
    return plain_array(sigmoid_of_power(scores, np.exp(-np.abs(scores))))


def sigmoid_of_power(scores: npt.NDArray[Any], power: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """The sigmoid, where `power` is e^-|s|: r = e^-|s| / (1 + e^-|s|) below zero, and 1 - r above."""
    return np.abs((scores >= 0) - power / (1.0 + power))


@derived_by(_derive_softmax)
def softmax(z: npt.ArrayLike) -> Any:
    """The probabilities of classes, in proportion to the exponentials of their scores.

    Parameters
    ----------
    z : array-like of shape (…, n_classes)
        The score of each class.

    Returns
    -------
    ndarray of shape (…, n_classes)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> import numpy as np
    >>> softmax(np.log([1.0, 2.0, 5.0])).round(6).tolist()
    [0.125, 0.25, 0.625]
    """
    scores = _numbers(z)
    powers = np.exp(scores - scores.max(axis=-1, keepdims=True))
    return powers / powers.sum(axis=-1, keepdims=True)


@_of_margins("Zero-one loss", r"[y z \le 0]")
@documented
def zero_one_loss(y: npt.ArrayLike, z: npt.ArrayLike) -> Any:
    """Zero-one loss: 1 if the score is on the wrong side of 0, or on it; else 0.

    Parameters
    ----------
    y : array-like
        The truth: +1 or -1.
    z : array-like
        The score of +1, above 0 where +1 is predicted.

    Returns
    -------
    float or ndarray
        Of each row; `.mean()` is the error rate.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> zero_one_loss([1, 1, -1], [0.5, -0.5, -3]).tolist()
    [0.0, 1.0, 0.0]
    """
    margins = _margins(y, z)
    return plain_array(np.where(np.isnan(margins), np.nan, margins <= 0))


@_of_margins("Hinge loss", r"\max(0, 1 - y z)")
@documented
def hinge_loss(y: npt.ArrayLike, z: npt.ArrayLike) -> Any:
    """Hinge loss max(0, 1 - y z): how far a score falls short of a margin of 1 on the right side.

    Parameters
    ----------
    y : array-like
        The truth: +1 or -1.
    z : array-like
        The score of +1.

    Returns
    -------
    float or ndarray
        Of each row.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> hinge_loss([1, 1, -1], [0.5, -0.5, -3]).tolist()
    [0.5, 1.5, 0.0]
    """
    return plain_array(np.maximum(0.0, 1.0 - _margins(y, z)))


@_of_margins("Logistic loss", r"\ln(1 + e^{-y z})")
@documented
def logistic_loss(y: npt.ArrayLike, z: npt.ArrayLike) -> Any:
    """Logistic loss ln(1 + e^(-y z)): the negative log-likelihood where z are the log odds of +1.

    Parameters
    ----------
    y : array-like
        The truth: +1 or -1.
    z : array-like
        The score of +1: its log odds.

    Returns
    -------
    float or ndarray
        Of each row.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> round(logistic_loss(1, 0), 4)  # ln 2
    0.6931
    """
    margins = _margins(y, z)
    return plain_array(np.maximum(0.0, -margins) + np.log1p(np.exp(-np.abs(margins))))


def _numbers(z: npt.ArrayLike) -> npt.NDArray[Any]:
    """The scores as floats; those in single precision stay so."""
    return z if isinstance(z, np.ndarray) and z.dtype.kind == "f" else as_floats(z, "z")


def _probabilities(p: npt.ArrayLike) -> Floats:
    shares = as_floats(p, "p")
    if (odd := shares[(shares < 0) | (shares > 1)]).size:
        raise ParameterError(f"p must be a probability, from 0 to 1, got {odd[0]:g}")
    return shares


def _margins(y: npt.ArrayLike, z: npt.ArrayLike) -> Floats:
    """The margins y z: above 0 if the score is on the right side."""
    truth = as_floats(y, "y")
    if (odd := truth[~np.isnan(truth) & (np.abs(truth) != 1)]).size:
        msg = f"y must be +1 or -1, got {odd[0]:g}; write np.where(y == 'yes', 1, -1) for labels"
        raise ParameterError(msg)
    return truth * as_floats(z, "z")
