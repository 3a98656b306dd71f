"""Which model? The simplest learner within one standard error of the best.

    within one standard error   loss(learner) - loss(best) ≤ se     se of the paired difference, see `spread`

This is the rule by which CART prunes (Breiman, Friedman, Olshen and Stone 1984) and glmnet takes lambda.1se.
If the rows cannot distinguish two learners, the simpler one is chosen; one that is measurably worse is not.
"Not significantly worse" would be a bad rule: it mistakes lack of evidence for equality.

    margin     the simplest learner whose loss beside the best is shown to be below the margin: the upper end
               of the one-sided 95% interval of loss(learner) - loss(best) lies below it (non-inferiority)
    best       the best score
    a label    that learner

A baseline is chosen only by its label. So is a learner with no more parameters than the simplest baseline,
such as a tree pruned to its root. Simple means a small `complexity()`; a learner without it counts as the
largest.
"""

import math
from dataclasses import dataclass

from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.judge.chance.significance import TestResult
from openbook.judge.choice.comparison import Comparison, difference
from openbook.judge.folds.evaluation import Which
from openbook.judge.scores.metrics import Metric
from openbook.words.numbers import shown

RULES = ("simplest", "best")


@dataclass(frozen=True)
class Choice:
    """The chosen learner.

    Attributes
    ----------
    label : str
        The chosen learner.
    best : str
        The learner with the best score, baselines aside.
    baseline : str
        The baseline with the best score.
    reason : str
        Why it was chosen, in sentences.
    rule : str, default="simplest"
        The rule that decided.
    given_up : TestResult or None, default=None
        The chosen learner's score minus that of the best; None if they are the same.

    Notes
    -----
    Guide: docs/guide/choosing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import OneR
    >>> choice = choose(ob.compare([OneR()], *ob.load("iris").split("species"), cv=5))
    >>> choice.label, choice.baseline
    ('OneR', '0R')
    """

    label: str
    best: str
    baseline: str
    reason: str
    rule: str = "simplest"
    given_up: TestResult | None = None

    def __str__(self) -> str:
        return self.reason


def choose(
    comparison: Comparison, rule: str = "simplest", margin: float | None = None, which: Which = None
) -> Choice:
    """Choose a learner.

    Parameters
    ----------
    comparison : Comparison
        Of learners on the same folds.
    rule : str, default="simplest"
        Which learner to choose: the "simplest" within one standard error of the best, the "best", or one by
        its label.
    margin : float or None, default=None
        How much worse than the best a learner may be, in units of the metric; None: one standard error.
    which : str, Metric or None, default=None
        The metric; None takes the first of the evaluations'.

    Returns
    -------
    Choice

    Notes
    -----
    Guide: docs/guide/choosing.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> from openbook.tree import C45
    >>> comparison = ob.compare([NaiveBayes(), C45()], *ob.load("wine").split("cultivar"))
    >>> choose(comparison).label, choose(comparison, "C45").rule
    ('NaiveBayes', 'named')
    """
    function = comparison.metric(which)
    _check(comparison, rule, margin)
    best = best_learner(comparison, function)
    near = _near(comparison, best, function, margin)
    if rule == "simplest":
        label = min(near, key=lambda one: comparison.order(one, function)[::-1])
        rule = "simplest" if margin is None else "margin"
    else:
        label, rule = (best, "best") if rule == "best" else (rule, "named")
    given_up = None if label == best else difference(comparison[label], comparison[best], function)
    score, interval = comparison[label].score(function), comparison[label].interval(function)
    why = _why(rule, len(near), margin, given_up is None, *_best_words(comparison, best, function))
    reason = f"{label[:1].upper()}{label[1:]}, {function.words} {shown(score)} {interval}. {why}"
    if given_up is not None:
        reason += (
            f" The best is {best}, {function.words} {shown(comparison[best].score(function))}; the difference"
            f" is {given_up.change}, with a standard error of {shown(given_up.error)}."
        )
    return Choice(label, best, comparison.best_baseline(function), reason, rule, given_up)


def _check(comparison: Comparison, rule: str, margin: float | None) -> None:
    known = (*RULES, *comparison.evaluations)
    if rule not in known:
        raise ParameterError(f"choose: no learner {rule!r} was evaluated. {did_you_mean(rule, known)}")
    if margin is None:
        return
    if not margin > 0:
        raise ParameterError(f"margin must be above 0, got {margin:g}; 0.01 allows a loss of 0.01")
    if rule != "simplest":
        what = f"margin is for choosing the simplest learner, not {rule!r}"
        raise ParameterError(f"{what}; leave one of them out")


def best_learner(comparison: Comparison, function: Metric) -> str:
    """The label of the best score, baselines aside; of equals, the simpler."""
    best = min(_offered(comparison), key=lambda one: comparison.order(one, function))
    if math.isinf(comparison.order(best, function)[0]):
        raise DataError(f"{function.name} is undefined for every learner; choose by another metric")
    return best


def _offered(comparison: Comparison) -> list[str]:
    """The learners with more parameters than the simplest baseline; all if there are none."""
    least = min(comparison[label].size for label in comparison.baselines)
    learners = [label for label in comparison.evaluations if label not in comparison.baselines]
    more = [label for label in learners if comparison[label].size > least or math.isinf(least)]
    return more or learners or list(comparison.evaluations)


def _near(comparison: Comparison, best: str, function: Metric, margin: float | None) -> list[str]:
    """The learners within one standard error of the best, or shown to be within the margin."""
    near = [best]
    sign = -1 if function.greater_is_better else 1
    for label in _offered(comparison):
        if label == best:
            continue
        test = difference(comparison[label], comparison[best], function, level=0.9)
        if margin is not None:
            close = max(sign * test.interval.low, sign * test.interval.high) < margin
        else:
            loss = sign * test.difference
            close = loss <= 0 or loss <= test.error
        if close:
            near.append(label)
    return near


def _best_words(comparison: Comparison, best: str, function: Metric) -> tuple[str, str]:
    """The words for the best score, and for the other learners."""
    least = comparison.order(best, function)[0]
    others = {*comparison.evaluations} - {*_offered(comparison)}
    if any(comparison.order(label, function)[0] <= least for label in others):
        return "the best score of the learners that learnt more than a baseline", "no other of them"
    return "the best score", "no other learner"


def _why(rule: str, near: int, margin: float | None, is_best: bool, score: str, none: str) -> str:
    """The reason for the choice among `near` learners; `score` and `none` come from `_best_words`."""
    if rule in ("named", "best"):
        return {"named": "It was chosen by name.", "best": f"It has {score}."}[rule]
    close = "within one standard error of" if margin is None else f"shown to be within {margin:g} of"
    if near == 1:
        return f"It has {score}, and {none} is {close} it."
    if is_best:
        return f"It has {score}, and is the simplest of the {near} learners {close} it."
    return f"It is the simplest of the {near} learners {close} the best."
