"""Evidence for a diagnosis: score against the baseline, gap, slope, and whether another learner does better.

If a class is rare, decisions at a threshold of 0.5 can equal the baseline's although the probabilities are
informative. If decisions are no better, probabilities are evaluated by log loss and AUC.

Each is one word, and a sentence with its numbers and intervals. Sizes are shares of the baseline's loss: the
distance of a score to the best possible one, and for RMSE its square.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from openbook.errors import ParameterError
from openbook.judge.chance.significance import TestResult
from openbook.judge.chance.spread import simultaneous
from openbook.judge.choice.comparison import difference, paired
from openbook.judge.curves.curve import Curve, written_cell
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.results import FoldResult
from openbook.judge.scores.metrics import METRICS, Metric
from openbook.words.numbers import p_words, shown
from openbook.words.sentences import plural

#: Less than a tenth of the baseline's loss does not matter; less than a fiftieth from doubling the rows is
#: flat.
TENTH, LITTLE = 0.1, 0.02

#: The findings that no other learner or setting is better by an amount that matters.
NOT_MUCH_BETTER = ("none better", "slightly better")

#: The words for a baseline without a name.
BASELINE = "the baseline"

#: Scores of probabilities, which may be informative although decisions at a threshold of 0.5 are not.
_OF_PROBABILITIES = ("roc_auc", "log_loss")


@dataclass(frozen=True)
class DiagnosticEvidence:
    """A piece of evidence: its name, the finding in a word, and the sentence with the numbers."""

    name: str
    finding: str
    words: str

    def __str__(self) -> str:
        return f"{self.name}: {self.words}"


@dataclass(frozen=True)
class Better(DiagnosticEvidence):
    """Whether something else is better: `how` is "over-fitting" or "under-fitting" for another setting.

    level_with : the learners that are not significantly worse
    learnable : whether the decisions or probabilities of one of them are better than the baseline's, so there
        is something to learn
    """

    how: Literal["", "over-fitting", "under-fitting"] = ""
    level_with: tuple[str, ...] = ()
    learnable: bool = False


@dataclass(frozen=True)
class LossScale:
    """Scores in units of the baseline's loss; `baseline` is what that is called."""

    metric: Metric
    base: float
    alpha: float
    baseline: str = BASELINE

    @property
    def level(self) -> float:
        return 1 - self.alpha

    def loss(self, score: float) -> float:
        """The distance to the best possible score; of RMSE its square."""
        end = "highest" if self.metric.greater_is_better else "lowest"
        best = getattr(self.metric, end)
        if math.isinf(best):
            what = f"{self.metric.name} has no best value to measure the loss from"
            raise ParameterError(f"{what}; give its Metric {end}, or diagnose by another metric")
        return (score - best) ** 2 if self.metric.name == "rmse" else abs(score - best)

    def share(self, score: float) -> float:
        """The loss that is left, as a share of the baseline's."""
        return self.loss(score) / self.loss(self.base)

    def worse(self, score: float, than: float) -> float:
        """How much larger one loss is than another, as a share of the baseline's."""
        return self.share(score) - self.share(than)

    def significant(self, test: TestResult, p: float | None = None) -> bool:
        """Whether there is a difference; an undefined p-value is no proof of any."""
        return (test.p_value if p is None else p) < self.alpha


def level(scale: LossScale, score: float, test: TestResult) -> DiagnosticEvidence:
    """Whether a validation score is better than the baseline's, by a test of their difference."""
    what = scale.metric.words
    gained = 1 - scale.share(score)
    if scale.significant(test):
        finding = "better" if gained > 0 else "worse"
    else:
        finding = "unclear" if gained > TENTH else "no better"
    words = _beside_baseline(scale, what, score, scale.base, test)
    left = f"{_percent(scale.share(score))} of {_loss_words(scale)} is left"
    return DiagnosticEvidence("level", finding, f"{words}; {left}")


def _beside_baseline(
    scale: LossScale, what: str, score: float, base: float, test: TestResult, p: float | None = None
) -> str:
    """A validation score, that of the baseline, and their difference."""
    both = f"validation {what} {shown(score)}, that of {scale.baseline} {shown(base)}"
    return f"{both}: {_difference(test, base, p)}"


def over_baseline(
    evaluation: Evaluation, baseline: Evaluation, among: Sequence[Evaluation], metric: Metric, level: float
) -> TestResult:
    """The test of a learner against the baseline, adjusted for the learners that it was chosen among."""
    pairs = {str(i): paired(each, baseline, metric) for i, each in enumerate(among)}
    own = next(i for i, each in enumerate(among) if each is evaluation)
    return simultaneous(pairs, level)[str(own)]


def calibration_evidence(
    scale: LossScale, evaluation: Evaluation, baseline: Evaluation, among: Sequence[Evaluation]
) -> DiagnosticEvidence | None:
    """Whether the probabilities are better than the baseline's, by AUC or log loss; None without any."""
    tests = _probability_tests(scale, evaluation, baseline, among)
    if not tests:
        return None
    name = min(tests, key=lambda name: tests[name].p_value)
    test, p = tests[name], min(1.0, len(tests) * tests[name].p_value)
    score, base = evaluation.score(name), baseline.score(name)
    finding = "better" if METRICS[name].better(score, base) and p < scale.alpha else "no better"
    words = _beside_baseline(scale, METRICS[name].words, score, base, test, p)
    return DiagnosticEvidence("probabilities", finding, words)


def _probability_tests(
    scale: LossScale, one: Evaluation, other: Evaluation, among: Sequence[Evaluation]
) -> dict[str, TestResult]:
    """The tests of two learners' probabilities, with Bonferroni's correction; empty without probabilities.

    Scores that are undefined, such as the AUC of folds without a class, are left out.
    """
    if one.task != "classification" or one.n_classes < 2 or not (_has_proba(one) and _has_proba(other)):
        return {}
    level = 1 - scale.alpha / len(_OF_PROBABILITIES)
    with_proba = [each for each in among if _has_proba(each)]
    tests = {name: over_baseline(one, other, with_proba, METRICS[name], level) for name in _OF_PROBABILITIES}
    return {name: test for name, test in tests.items() if not math.isnan(test.p_value)}


def _has_proba(evaluation: Evaluation) -> bool:
    return evaluation.predictions.proba is not None


def gap(scale: LossScale, curve: Curve, point: int) -> DiagnosticEvidence:
    """The gap between training and validation."""
    training, validation = curve.mean(point, "training"), curve.mean(point)
    test = curve.gap(point, scale.level)
    share = scale.worse(validation, training)
    finding = "small" if share <= TENTH else "large" if scale.significant(test) else "unclear"
    where = "" if curve.kind == "size" else f"{curve.axis} = {written_cell(curve.across[point])}: "
    words = (
        f"{where}training {scale.metric.words} {shown(training)}, validation {shown(validation)}:"
        f" {_difference(test, validation)}; {_percent(share)} of {_loss_words(scale)}"
    )
    return DiagnosticEvidence("gap", finding, words)


def slope(scale: LossScale, curve: Curve) -> DiagnosticEvidence:
    """What the last step to more training rows changed."""
    last = len(curve) - 1
    before, now = curve.mean(last - 1), curve.mean(last)
    test = curve.change(last - 1, last, scale.level)
    gained = -scale.worse(now, before)
    interval = test.interval.low, test.interval.high
    ends = (test.difference,) if math.isnan(test.interval.low) else interval
    most = max(scale.worse(now - end, now) for end in ends)
    if scale.significant(test):
        finding = "rising" if gained < 0 else "falling" if gained >= LITTLE else "slightly falling"
    else:
        finding = "little gained" if gained < LITTLE and most < TENTH else "unclear"
    rows = f"{written_cell(curve.across[last - 1])} to {written_cell(curve.across[last])} training rows"
    words = (
        f"from {rows} the validation {scale.metric.words} went from {shown(before)} to {shown(now)}:"
        f" {_difference(test, now)}; {_percent(gained)} of {_loss_words(scale)} gained"
    )
    return DiagnosticEvidence("slope", finding, words)


def better_learner(
    scale: LossScale, evaluation: Evaluation, baseline: Evaluation, rivals: Mapping[str, Evaluation]
) -> Better:
    """Whether another learner does better on the same folds.

    Intervals and p-values are Bonferroni's for the number of learners, so that both say the same.
    """
    function, own = scale.metric, evaluation.score(scale.metric)
    scores = {label: rival.score(function) for label, rival in rivals.items()}
    best = min(scores, key=lambda label: scale.share(scores[label]))
    ours, theirs = (_against(scale, rivals, other) for other in (evaluation, baseline))
    test, p = ours[best]
    finding = _finding(scale.worse(own, scores[best]), scale.significant(test, p))
    words = f"{best} has {function.words} {shown(scores[best])}: {_difference(test, own, p)}"
    words += f", the best of {plural(len(rivals), 'other learner')}" if len(rivals) > 1 else ""
    words += f"; against {scale.baseline} {_difference(theirs[best][0], scale.base, theirs[best][1])}"
    words += f"; Bonferroni's correction for {len(rivals)} learners" if len(rivals) > 1 else ""
    level_with = tuple(
        label
        for label, (test, p) in ours.items()
        if not (scale.significant(test, p) and scale.worse(scores[label], own) > 0)
    )
    learnable = scale.significant(*theirs[best]) and scale.share(scores[best]) < 1
    learnable = learnable or _some_probabilities_help(scale, rivals, baseline)
    return Better("other learners", finding, words, level_with=level_with, learnable=learnable)


def _some_probabilities_help(
    scale: LossScale, rivals: Mapping[str, Evaluation], baseline: Evaluation
) -> bool:
    """Whether the probabilities of any rival are better than the baseline's, corrected for their number."""
    shared = replace(scale, alpha=scale.alpha / len(rivals))
    found = (calibration_evidence(shared, rival, baseline, [rival]) for rival in rivals.values())
    return any(each is not None and each.finding == "better" for each in found)


def _against(
    scale: LossScale, rivals: Mapping[str, Evaluation], other: Evaluation
) -> dict[str, tuple[TestResult, float]]:
    """Each rival's test against another learner, interval and p-value by Bonferroni's method."""
    level = 1 - scale.alpha / len(rivals)
    tests = {label: difference(rival, other, scale.metric, level) for label, rival in rivals.items()}
    return {label: (test, min(1.0, len(rivals) * test.p_value)) for label, test in tests.items()}


def better_setting(scale: LossScale, curve: Curve) -> Better | None:
    """Whether another point of a curve does better than the model's own; None if that is not on the curve."""
    if curve.own is None:
        return None
    own, best = curve.own, curve.best
    test = curve.change(own, best, scale.level)
    significant = curve.verdicts(scale.alpha)[own] != "not worse"
    finding = _finding(scale.worse(curve.mean(own), curve.mean(best)), significant)
    simpler = scale.worse(curve.mean(best, "training"), curve.mean(own, "training")) > 0
    what, several = scale.metric.words, plural(len(curve), "value")
    words = f"{curve.axis} = {written_cell(curve.across[own])}: validation {what} {shown(curve.mean(own))}"
    if best == own:
        words += f", the best of {several}"
    else:
        words += f"; the best of {several} is {written_cell(curve.across[best])}, {shown(curve.mean(best))}:"
        words += f" {_difference(test, curve.mean(own))}"
    if finding in NOT_MUCH_BETTER:
        return Better(curve.axis, finding, words)
    words += f"; its training {what} is {'worse' if simpler else 'better'}"
    return Better(curve.axis, finding, words, how="over-fitting" if simpler else "under-fitting")


def _finding(gained: float, significant: bool) -> str:
    """Whether something else does better: by over a tenth of the baseline's loss, and significantly."""
    if gained > TENTH:
        return "better" if significant else "unclear"
    return "slightly better" if significant and gained > 0 else "none better"


def zero(evaluation: Evaluation) -> Evaluation:
    """The baseline on an evaluation's folds: the majority class, or the mean, of rows tested elsewhere."""
    first = evaluation.first_round
    rows = np.concatenate([fold.rows for fold in first])
    truth = np.concatenate([fold.y_true for fold in first])
    k = evaluation.n_classes
    folds = tuple(_constant(fold, truth[~np.isin(rows, fold.rows)], k) for fold in evaluation.folds)
    metrics, words = evaluation.metrics, evaluation.words
    return Evaluation("baseline", evaluation.task, evaluation.classes, folds, metrics, words)


def _constant(fold: FoldResult, truth: np.ndarray, n_classes: int) -> FoldResult:
    truth = truth if len(truth) else fold.y_true  # a single held-out set has no other rows
    if not n_classes:
        return replace(fold, y_pred=np.full(fold.n_test, truth.mean()))
    if truth.ndim > 1:
        shares = truth.mean(axis=0)
        return replace(fold, y_pred=np.tile(shares > 0.5, (fold.n_test, 1)))
    shares = np.bincount(truth, minlength=n_classes) / len(truth)
    majority = np.full(fold.n_test, shares.argmax(), dtype=fold.y_pred.dtype)
    return replace(fold, y_pred=majority, proba=np.tile(shares, (fold.n_test, 1)))


def _difference(test: TestResult, size: float, p: float | None = None) -> str:
    """A difference, its interval and p-value; `size`, the size of the scores, sets the number of digits."""
    p = test.p_value if p is None else p
    words = shown(test.difference, abs(size), "+")
    words += " in every fold" if math.isnan(test.interval.low) else f" {test.interval}"
    return words if math.isnan(p) else f"{words}, p {p_words(p)}"


def _percent(share: float) -> str:
    return f"{round(100 * share)}%"


def _loss_words(scale: LossScale) -> str:
    """The unit of shares: the baseline's error; for RMSE its squared error, which is additive."""
    return f"the {'squared ' if scale.metric.name == 'rmse' else ''}error of {scale.baseline}"
