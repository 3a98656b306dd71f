"""Diagnosis of a learner: under- or over-fitting, by what evidence, and what to try.

Errors are measured in units of the baseline's: the error of the majority class, or the squared error of the
mean. (A score of which more is better counts by what it lacks; RMSE by its square, which is what adds up.)
Less than a tenth of that does not matter, however significant. With other learners, the test against the
baseline corrects for all of them, since the learner may have been chosen for its score. The evidence, all at
the given level:

    level    is validation better than the baseline?   yes: significantly, fold by fold or row by row
    gap      validation minus training                 large: over a tenth, significantly; small: less
    slope    what the last step to more rows changed   falling: over a fiftieth, significantly; little
                                                       gained: less, and no end of the interval is over
                                                       a tenth; slightly falling: less, but
                                                       significantly, which counts as little gained
    better   does another learner, or another value    yes: by over a tenth, significantly; no: less, or
             of a parameter, do better?                slightly better. Where the level is other than yes, a
                                                       learner is asked to be better than the baseline, in its
                                                       decisions or in its probabilities
    proba    are the probabilities better than the     yes: by AUC or log loss, significantly. Looked at where
             baseline's?                               the level is other than yes

What is over a tenth, but not significant, is unclear. The verdict is that of the first line that holds:

    level   gap        slope     better               verdict
    other   any        any       no learner does;     useful probabilities  (other: than yes)
                                 proba yes
    other   large      any       yes                  over-fitting
    other   any        any       yes                  under-fitting
    other   any        any       no; proba yes        useful probabilities
    unclear any        any       any                  undecided, also where proba is not known
    no      any        any       any                  nothing learnt
    yes     any        any       a value does         over-fitting if its training error is larger than this
                                                      one's, else under-fitting
    yes     and no more than a tenth is left          fine
    yes     large      falling   any                  high variance
    yes     large      little    no, one is level     noise floor: who learns rows by heart has a gap anyway
    yes     large      unclear   no                   high variance
    yes     large      any       any                  over-fitting
    yes     unclear or not known                      undecided
    yes     small      any       a learner does       under-fitting if half of the baseline's error is left
                                                      even in training, else high bias
    yes     small      falling   any                  still learning
    yes     small      any       no                   noise floor
    yes     small      any       unclear, not known   high bias or noise floor

Bias and noise look the same on a curve: both leave training and validation level, above zero. Only a better
learner can distinguish them. Without other learners the verdict names both, and a noise floor is relative to
the learners tried.
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from openbook.errors import DataError, ParameterError
from openbook.judge.choice.comparison import Comparison
from openbook.judge.curves.curve import Curve
from openbook.judge.curves.evidence import (
    BASELINE,
    NOT_MUCH_BETTER,
    TENTH,
    Better,
    DiagnosticEvidence,
    LossScale,
    better_learner,
    better_setting,
    calibration_evidence,
    gap,
    level,
    over_baseline,
    slope,
    zero,
)
from openbook.judge.curves.make import learning_curve
from openbook.judge.curves.remedies import MEANINGS, REMEDIES, UNSETTLED
from openbook.judge.curves.run import usual_split
from openbook.judge.folds.evaluate import compare
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.examples import Examples, model_task
from openbook.judge.folds.splits import splitter_of
from openbook.judge.scores.metrics import Metric
from openbook.words.parameters import documented
from openbook.work import Grid, ShowsWork, Step, Work

#: With so much of the baseline's error left even in training, a learner fits too little.
HALF = 0.5


@dataclass(frozen=True, repr=False)
class Diagnosis(ShowsWork):
    """A verdict, its evidence, remedies to try, and what would make it more certain.

    Attributes
    ----------
    label : str
        The learner's name.
    verdict : str
        "under-fitting", "high bias", "over-fitting", "high variance", "noise floor", "fine",
        "nothing learnt", "useful probabilities", "high bias or noise floor", "still learning", "undecided"
        or "nothing to learn".
    evidence : tuple of Evidence
        Evidences, each with its numbers and intervals.
    remedies : tuple of str
        What to try, the most promising first.
    needed : tuple of str
        What would make the verdict more certain.
    baseline : str, default="the baseline"
        The baseline to compare with.

    Notes
    -----
    Guide: docs/guide/diagnosis.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.baseline import OneR
    >>> from openbook.judge import evaluate
    >>> found = diagnose(evaluate(OneR(), *load("iris").split("species"), cv=5))
    >>> found.verdict, len(found.needed)
    ('fine', 1)
    """

    label: str
    verdict: str
    evidence: tuple[DiagnosticEvidence, ...]
    remedies: tuple[str, ...]
    needed: tuple[str, ...]
    baseline: str = BASELINE

    @property
    def meaning(self) -> str:
        """What the verdict means, in a sentence."""
        unclear = any((each.name, each.finding) == ("slope", "unclear") for each in self.evidence)
        words = UNSETTLED if self.verdict == "noise floor" and unclear else MEANINGS[self.verdict]
        return words.format(baseline=self.baseline)

    def __getitem__(self, name: str) -> DiagnosticEvidence:
        """The evidence of that name: "level", "probabilities", "gap", "slope", "other learners", …"""
        for each in self.evidence:
            if each.name == name:
                return each
        raise KeyError(f"no evidence {name!r}; there is {[each.name for each in self.evidence]}")

    def work(self) -> Work:
        """The evidence and the remedies, to print or to show."""
        steps = [Step(each.name, result=each.finding, note=f"{each.words}.") for each in self.evidence]
        lists = (("What to try", self.remedies), ("What would settle it", self.needed))
        grids = [Grid(title, (), [(one,) for one in lines]) for title, lines in lists if lines]
        end = f"{self.verdict[0].upper()}{self.verdict[1:]}: {self.meaning}."
        return Work(f"Diagnosis of {self.label}", (*steps, *grids), end)


def diagnose(
    evaluation: Evaluation | Curve,
    curve: Curve | Sequence[Curve] | None = None,
    baseline: Evaluation | None = None,
    rivals: Comparison | Mapping[str, Evaluation] | None = None,
    level: float = 0.95,
) -> Diagnosis:
    """Diagnose a learner: under-fitting, over-fitting, or neither, and what to try.

    An evaluation alone tells whether anything was learnt and how much is left; the gap and the slope need a
    learning curve, and telling bias from noise needs other learners. `diagnose_model` gathers all of these.

    Parameters
    ----------
    evaluation : Evaluation or Curve
        Evaluation, or a Curve, which holds enough to go by.
    curve : Curve, sequence of Curve or None, default=None
        A learning curve of the same learner, and complexity or iteration curves, if there are any. The
        curve's metric decides; without one it is the evaluation's first.
    baseline : Evaluation or None, default=None
        Evaluation of the baseline on the same folds; None takes the majority class, or the mean.
    rivals : Comparison, mapping of str to Evaluation or None, default=None
        Other learners on the same folds: a Comparison, or a mapping of label to Evaluation.
    level : float, default=0.95
        Of the intervals and tests.

    Returns
    -------
    Diagnosis

    Notes
    -----
    Guide: docs/guide/diagnosis.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> from openbook.judge import evaluate
    >>> X, y = load("iris").split("species")
    >>> diagnose(evaluate(NaiveBayes(), X, y)).verdict
    'fine'
    """
    curves = [curve] if isinstance(curve, Curve) else list(curve or ())
    if isinstance(evaluation, Curve):
        if rivals or baseline:
            raise ParameterError("rivals and baseline need an Evaluation on the same folds; a Curve has none")
        curves, judged = [evaluation, *curves], None
    else:
        judged = evaluation
    facts = _facts(judged, curves, baseline, *_learners(judged, rivals), 1 - level)
    label = curves[0].label if judged is None else judged.name
    verdict = "nothing to learn" if facts is None else verdict_of(facts)
    evidence, needed = ((), ()) if facts is None else (tuple(facts.all()), tuple(_needed(facts)))
    return Diagnosis(label, verdict, evidence, REMEDIES[verdict], needed, _baseline_name(baseline))


@documented
def diagnose_model(
    model: Any,
    X: Any,
    y: Any,
    rivals: Mapping[str, Any] | None = None,
    cv: Any = None,
    metric: str | Metric | None = None,
    random_state: int = 0,
    name: str | None = None,
    groups: Any = None,
) -> Diagnosis:
    """Evaluate a learner, draw its learning curve, try other learners on the same folds, and diagnose.

    Parameters
    ----------
    model : estimator
    X : table-like
    y : array-like or str
    rivals : mapping or None, default=None
        Mapping of label to model; None takes a forest and naive Bayes, or a forest and a linear model.
    cv : int, splitter or iterable or None, default=None
        How rows are divided: a number of folds, a splitter, or pairs of positions; None for 5 folds, twice.
    metric : str, Metric or None, default=None
    random_state : int, default=0
    name : str or None, default=None
    groups : array-like or str or None, default=None

    Returns
    -------
    Diagnosis

    Notes
    -----
    Guide: docs/guide/diagnosis.md

    Examples
    --------
    >>> import numpy as np
    >>> from openbook.linear import LogisticRegression
    >>> X = np.random.default_rng(0).uniform(-1, 1, size=(300, 2))
    >>> diagnose_model(LogisticRegression(), X, (X[:, 0] * X[:, 1] > 0).astype(int)).verdict
    'under-fitting'
    """
    task = model_task([model])
    label = name or type(model).__name__
    examples = Examples.of(X, y, task, None, groups)
    cv = usual_split(examples, random_state) if cv is None else cv
    cv = splitter_of(cv, examples.column, examples.task, random_state, examples.groups)
    cv = cv if hasattr(cv, "split") else list(cv)
    curve = learning_curve(model, X, y, None, cv, metric, random_state, label, groups)
    others = _usual_rivals(model, examples, random_state) if rivals is None else dict(rivals)
    others = {other if other != label else f"another {other}": each for other, each in others.items()}
    comparison = compare({label: model, **others}, X, y, cv, curve.metric, groups=groups)
    return diagnose(comparison[label], curve, comparison[comparison.baseline], comparison)


def _usual_rivals(model: Any, examples: Examples, random_state: int) -> dict[str, Any]:
    """A flexible learner and a simple one, unless it is the model's class or cannot fit the table."""
    from openbook.bayes import NaiveBayes
    from openbook.ensemble import RandomForestClassifier, RandomForestRegressor
    from openbook.linear import LinearRegression

    forest = RandomForestRegressor if examples.classes is None else RandomForestClassifier
    simple = (
        ("linear model", LinearRegression()) if examples.classes is None else ("naive Bayes", NaiveBayes())
    )
    rivals = dict([("forest", forest(50, random_state=random_state)), simple])
    return {
        label: each
        for label, each in rivals.items()
        if type(each) is not type(model) and each.refusal(examples.table.schema) is None
    }


def _learners(
    evaluation: Evaluation | None, rivals: Comparison | Mapping[str, Evaluation] | None
) -> tuple[dict[str, Evaluation], list[Evaluation]]:
    """The rivals by label, without the learner itself and a comparison's baseline; and all of them with
    it.
    """
    if isinstance(rivals, Comparison):
        rivals = {label: each for label, each in rivals.evaluations.items() if label != rivals.baseline}
    others = {label: each for label, each in (rivals or {}).items() if each is not evaluation}
    everyone = list((rivals or {}).values())
    if evaluation is not None and len(everyone) == len(others):
        everyone.append(evaluation)
    return others, everyone


@dataclass(frozen=True)
class DiagnosisFacts:
    """All evidence on a learner; None and () where there is none.

    left, left_in_training : the loss in validation and in training, as shares of the baseline's
    settings : for each curve over a parameter, whether another value is better
    learners : whether another learner is better
    decisions_only : whether decisions are known, but not their probabilities
    probabilities : whether they are better than the baseline's, if the decisions are not
    """

    level: DiagnosticEvidence
    left: float
    gap: DiagnosticEvidence | None = None
    left_in_training: float = 0.0
    slope: DiagnosticEvidence | None = None
    settings: tuple[Better, ...] = ()
    learners: Better | None = None
    decisions_only: bool = False
    probabilities: DiagnosticEvidence | None = None

    def all(self) -> list[DiagnosticEvidence]:
        found = (self.level, self.probabilities, self.gap, self.slope, *self.settings, self.learners)
        return [each for each in found if each is not None]


def verdict_of(facts: DiagnosisFacts) -> str:
    """The verdict, by the table in the module's docstring."""
    settings = [each for each in facts.settings if each.finding == "better"]
    learner = facts.learners is not None and facts.learners.finding == "better"
    others = [*facts.settings, *([facts.learners] if facts.learners is not None else [])]
    none_better = bool(others) and all(each.finding in NOT_MUCH_BETTER for each in others)
    gap = "not known" if facts.gap is None else facts.gap.finding
    slope = "not known" if facts.slope is None else facts.slope.finding
    slope = "little gained" if slope in ("slightly falling", "rising") else slope
    if facts.level.finding != "better":
        useful = facts.probabilities is not None and facts.probabilities.finding == "better"
        learnable = facts.learners is not None and facts.learners.learnable and not (useful and none_better)
        if settings or learnable:
            return "over-fitting" if gap == "large" else "under-fitting"
        return _not_better(facts)
    if settings:
        return settings[0].how
    if facts.left <= TENTH:
        return "fine"
    if gap == "large":
        if slope == "falling" or (slope == "unclear" and none_better):
            return "high variance"
        level_with = facts.learners.level_with if facts.learners is not None else ()
        return "noise floor" if slope == "little gained" and none_better and level_with else "over-fitting"
    if gap != "small":
        return "undecided"
    if learner:
        return "under-fitting" if facts.left_in_training >= HALF else "high bias"
    if slope == "falling":
        return "still learning"
    return "noise floor" if none_better else "high bias or noise floor"


def _not_better(facts: DiagnosisFacts) -> str:
    """The verdict if neither the learner's decisions nor anything else tried beats the baseline."""
    if facts.probabilities is not None and facts.probabilities.finding == "better":
        return "useful probabilities"
    return "undecided" if facts.level.finding == "unclear" or facts.decisions_only else "nothing learnt"


def _facts(
    evaluation: Evaluation | None,
    curves: list[Curve],
    baseline: Evaluation | None,
    rivals: Mapping[str, Evaluation],
    among: Sequence[Evaluation],
    alpha: float,
) -> DiagnosisFacts | None:
    """The evidence; None if the baseline makes no error, so that there is nothing to learn."""
    own = [curve.best if curve.own is None else curve.own for curve in curves]
    name = _baseline_name(baseline)
    if evaluation is None:
        metric, score, test = curves[0].metric, curves[0].mean(own[0]), curves[0].over_baseline(own[0])
        base = float(curves[0].baseline.mean())
    else:
        metric = curves[0].metric if curves else evaluation.metric()
        baseline = zero(evaluation) if baseline is None else baseline
        score, base = evaluation.score(metric), baseline.score(metric)
        test = over_baseline(evaluation, baseline, among, metric, 1 - alpha)
    if math.isnan(score) or math.isnan(base):
        what = f"{metric.words} is undefined for the learner or the baseline"
        raise DataError(f"{what}; diagnose by another metric")
    scale = LossScale(metric, base, alpha, name)
    if scale.loss(base) == 0:
        return None
    sizes = [curve for curve in curves if curve.kind == "size" and len(curve) > 1]
    settings = [better_setting(scale, curve) for curve in curves if curve.kind != "size"]
    against = level(scale, score, test)
    unseen = evaluation is not None and baseline is not None and against.finding != "better"
    return DiagnosisFacts(
        against,
        scale.share(score),
        gap(scale, curves[0], own[0]) if curves else None,
        scale.share(curves[0].mean(own[0], "training")) if curves else 0.0,
        slope(scale, sizes[0]) if sizes else None,
        tuple(each for each in settings if each is not None),
        better_learner(scale, evaluation, baseline, rivals) if rivals and evaluation and baseline else None,
        evaluation is None and metric.task == "classification" and not metric.needs_proba,
        calibration_evidence(scale, evaluation, baseline, among) if unseen else None,  # type: ignore[arg-type]
    )


def _baseline_name(baseline: Evaluation | None) -> str:
    return BASELINE if baseline is None else f"{BASELINE} {baseline.name}"


def _needed(facts: DiagnosisFacts) -> Iterator[str]:
    """What would make the verdict more certain."""
    if facts.level.finding == "unclear":
        yield "more rows, or more folds: whether it is better than a baseline is not settled"
    if facts.decisions_only and facts.level.finding != "better":
        yield "the probabilities, which may show more than decisions: metric='roc_auc' or 'log_loss'"
    if facts.gap is None:
        yield "the training error: curve=learning_curve(model, X, y)"
    elif facts.gap.finding == "unclear":
        yield "more rows, or more folds: a gap of this size could be chance"
    if facts.slope is not None and facts.slope.finding == "unclear":
        yield "more rows, or more folds: whether the error still falls is not settled"
    if any(each.finding == "unclear" for each in (*facts.settings, facts.learners) if each is not None):
        yield "more rows, or more folds: whether something else does better is not settled"
    if facts.learners is None and facts.left > TENTH:
        yield "other learners on the same folds: rivals=compare({…}, X, y)"
