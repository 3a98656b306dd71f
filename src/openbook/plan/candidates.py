"""The learners that a study evaluates, and the skipped ones with their reasons."""

import math
from collections.abc import Collection, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, Literal

import numpy as np

from openbook.data import Column, Labels, Table, Text
from openbook.errors import PlanError, check_named, did_you_mean
from openbook.judge.folds.splits import TINY, usual_rounds
from openbook.judge.scores.metrics import Task
from openbook.plan.estimate import estimate_words
from openbook.plan.parts import Candidate
from openbook.plan.plan import TASKS
from openbook.registry import LEARNERS, Entry, Variant, learner, learners
from openbook.registry.costs import Shape
from openbook.words.sentences import plural

Effort = Literal["quick", "usual", "thorough"]

#: In a quick study, the row limits of learners are divided by this.
_QUICKER = 5
#: With more rows, a quick study leaves ensembles out.
_QUICK_ENSEMBLES = 20_000

#: The most seconds that a learner may take for all folds, by the estimate.
_PATIENCE = {"quick": 30.0, "usual": 3600.0, "thorough": 3600.0}
#: With fewer rows, a quick study repeats its folds, to estimate their covariance (`judge.chance.rounds`).
_FEW = 500
#: From this many rows on, a thorough study has fewer repeats.
_MANY = 10_000
#: Costs are estimated for two classes.
_TWO_CLASSES = 2


def candidates_of(
    inputs: Table,
    y: Column,
    task: Task,
    only: Collection[str],
    effort: Effort,
    sequence: str | None,
    *,
    sampled: bool,
    unlabelled: int,
) -> tuple[list[Candidate], list[str]]:
    """The learners that can be evaluated, and the reasons for leaving out the others."""
    _check_named(only, y, task, sequence, unlabelled)
    candidates, refused = [], []
    tasks = (task, "sequence") if sequence is not None and task == "classification" else (task,)
    tried = _named_entries(learners(*tasks), only)
    tried = [entry for entry in tried if not entry.ordered or y.has_order]
    tried = [entry for entry in tried if not entry.unlabelled or unlabelled]
    texts = bool(inputs.schema.of(Text))
    classes = len(y.attribute.labels) if isinstance(y.attribute, Labels) else _TWO_CLASSES
    for entry, variant, model in _variants(tried, only, texts=texts):
        if entry.task == "sequence":
            model.set_params(sequence=sequence)
        rows = len(inputs) + unlabelled * entry.unlabelled
        candidate = Candidate.of(variant.label, model, model.knobs() if effort == "thorough" else {})
        reason = _refusal(variant, model, inputs, rows, effort)
        reason = reason or _too_slow(candidate, Shape.of(inputs, rows, classes), effort)
        if variant.texts and not texts:
            reason = "it is for texts, and no column holds any"
        if sampled and not getattr(model, "_streams", False):
            reason = "it needs all rows in memory, and the files are larger"
        if entry.members and entry.name not in only and len(inputs) < TINY:
            reason = f"{len(inputs)} rows cannot show that it beats a single member"
        if entry.members and entry.name not in only and effort == "quick" and len(inputs) > _QUICK_ENSEMBLES:
            reason = f"too slow for a quick study of more than {_QUICK_ENSEMBLES:,} rows"
        if reason is None:
            candidates.append(candidate)
        else:
            refused.append(f"{variant.label}: skipped, {reason}")
    names = {name for c in candidates for name in (c.learner, c.inner and c.inner.learner)}
    if only and names.isdisjoint(only):
        raise PlanError(f"none of {', '.join(only)} can be tried: {'; '.join(refused)}")
    if not candidates:
        raise PlanError(f"no learner for {TASKS[task]} can use this table: {'; '.join(refused)}")
    return candidates, refused


def _named_entries(entries: Collection[Entry], only: Collection[str]) -> list[Entry]:
    """The learners to evaluate: all, or those that are named, by themselves or by the learner that they
    wrap.
    """
    named = [entry for entry in entries if entry.name in only]
    if only and not named:
        named = [entry for entry in entries if not set(entry.tried_around).isdisjoint(only)]
    return [entry for entry in entries if not only or entry.baseline or entry in named]


def _variants(
    entries: Collection[Entry], only: Collection[str], *, texts: bool
) -> Iterator[tuple[Entry, Variant, Any]]:
    """The variants that a study tries, each with its learner; `texts`: whether there are columns of text."""
    for entry in entries:
        for variant in entry.study:
            if variant.texts and not texts and entry.name not in only:
                continue
            if not entry.tried_around:
                yield entry, variant, entry.make(**variant.parameters)
            for name in [name for name in entry.tried_around if name in only] or entry.tried_around:
                classifier = learner(name)  # its first variant for such a table
                inner = min(classifier.study, key=lambda one: one.texts != texts)
                inside = classifier.make(**inner.parameters, **entry.tried_around[name])
                model = entry.make(estimator=inside, **variant.parameters)
                yield entry, replace(inner, label=f"{variant.label}, {inner.label}", texts=False), model


def _check_named(only: Collection[str], y: Column, task: Task, sequence: str | None, unlabelled: int) -> None:
    """Refuse learners that a study of this task cannot try."""
    for name in only:
        if name not in LEARNERS:
            check_named("learner", name, [each.name for each in learners(task) if each.study])
        if not (entry := learner(name)).study:
            raise PlanError(f"{name} needs parameters in a study; add it to the [[learners]] of a plan.toml")
        if entry.task == "sequence" and (sequence is None or task != "classification"):
            raise PlanError(f"{name} labels sequences; say which column names them: --sequence COLUMN")
        if entry.unlabelled and not unlabelled:
            what = f"{name} learns from rows without {y.name}, and here are none that it can use"
            raise PlanError(f"{what}: leave their target empty, and --group, --time and --weight out")
        if entry.ordered and not y.has_order:
            hint = f"give it from lowest to highest: --kind {y.name}=LOW,MIDDLE,HIGH"
            raise PlanError(f"{name} needs classes with an order; {hint}")
        around = {inner for each in learners(task) for inner in each.tried_around}
        if entry.task not in (task, "sequence") and name not in around:
            what = f"{name} is for {entry.task}, and this is {TASKS[task]}"
            raise PlanError(f"{what}; omit it, or change the kind of the target")


WRITTEN_NOTE = (
    "hand-written rules are the same in every fold: if their author has seen these rows, their score"
)
WRITTEN_NOTE += " is too good"


def written_rules(path: str | Path, inputs: Table, y: Column, task: Task) -> Candidate:
    """The hand-written rules of a file, as a learner."""
    from openbook.baseline import RuleClassifier
    from openbook.baseline.written_rules import read_rules

    if task != "classification":
        holds = "is a number" if task == "regression" else "holds sets of labels"
        raise PlanError(f"{path}: rules predict classes, and {y.name!r} {holds}; leave out --rules")
    try:
        text = Path(path).read_text(encoding="utf-8")
    except OSError as error:
        raise PlanError(f"cannot read the rules of {path}: {error.strerror}") from None
    model, known = RuleClassifier(text), [str(label) for label in np.unique(y.values.astype(str))]
    if (reason := model.refusal(inputs.schema)) is not None:
        raise PlanError(f"{path}: {reason}")
    for rule in read_rules(text):
        if rule.class_of(y.name, known) is None:
            what = f"line {rule.line} predicts {rule.label!r}, which is no value of {y.name}"
            raise PlanError(f"{path}: {what}. {did_you_mean(rule.label, known)}")
    return Candidate.of("hand-written rules", model)


def _refusal(variant: Variant, model: Any, inputs: Table, rows: int, effort: Effort) -> str | None:
    """Why this variant of a learner is not tried on this table, or None."""
    if (most := variant.most_rows) is not None:
        if effort == "quick":
            most //= _QUICKER
        if rows > most:
            slow = "too slow for a quick study of" if effort == "quick" else "too slow for"
            return f"{slow} more than {most:,} rows"
    if len(inputs) < variant.least_rows:
        return f"{plural(len(inputs), 'row')} cannot show what it adds; it needs {variant.least_rows}"
    reason: str | None = model.refusal(inputs.schema)
    return reason


def usual_folds(effort: Effort, n: int) -> tuple[int, int]:
    """The usual folds and rounds of cross-validation for n rows.

    >>> usual_folds("quick", 300), usual_folds("usual", 300), usual_folds("usual", 20_000)
    ((5, 3), (10, 5), (10, 1))
    """
    rounds = {"quick": 3 if n < _FEW else 1, "usual": usual_rounds(n), "thorough": 3 if n >= _MANY else 10}
    return 5 if effort == "quick" else 10, rounds[effort]


def _too_slow(candidate: Candidate, shape: Shape, effort: Effort) -> str | None:
    """Why all folds of a learner would take too long on so many rows and columns, or None."""
    folds = math.prod(usual_folds(effort, shape.n))
    if (seconds := folds * candidate.seconds(shape)) <= _PATIENCE[effort]:
        return None
    size = f"{plural(shape.n, 'row')} and {plural(shape.w, 'column')} after encoding"
    return f"too slow for {size} ({estimate_words(seconds)} for {folds} folds)"
