"""Make a plan: what is predicted, which columns and learners take part, how they are judged, and why."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from openbook.data import Column, Numeric, Table, Text
from openbook.data.describe import Description, describe
from openbook.data.findings import plural
from openbook.errors import PlanError, UnknownColumn, did_you_mean
from openbook.judge.metrics import DEFAULTS
from openbook.judge.metrics import metric as judge_metric
from openbook.judge.splits import TINY, lock_away, protocol
from openbook.plan.plan import SPLITS, Candidate, Plan, Protocol, Roles
from openbook.plan.source import Source, content_hash
from openbook.registry import Task, Variant, learner, learners

__all__ = ["Aim", "aim", "make_plan"]

#: A numeric target of at most so many whole numbers, each with so many rows on average, is taken for classes.
_FEW_CLASSES = 10
_ROWS_PER_CLASS = 5

#: The share of rows that is locked away, where that makes a test of at least TINY rows.
_TEST_SHARE = 0.2


class Aim(NamedTuple):
    """A table that was read to predict one of its columns, and why classes or numbers."""

    source: Source
    table: Table
    target: str
    task: Task
    why: str


def aim(source: str | Path, target: str | None = None, kinds: Mapping[str, Any] | None = None) -> Aim:
    """Read a file or a bundled set, and decide whether to predict classes or numbers."""
    origin = Source.of(source, kinds)
    table = origin.read()
    target = target or origin.default_target()
    if target is None:
        raise PlanError(f"say which column to predict: --target NAME. {did_you_mean('', table.names)}")
    column = table.column(target)
    if isinstance(column.attribute, Text):
        msg = (
            f"target {target!r} is free text, which no learner predicts;"
            f" if these are classes, say --kind {target}=nominal"
        )
        raise PlanError(msg)
    known = column.data[~column.missing]
    if len(known) == 0 or (known == known[0]).all():
        what = f"one value only ({column.take(~column.missing)[0]})" if len(known) else "no value at all"
        raise PlanError(f"target {target!r} has {what}, so there is nothing to tell apart; choose another")
    if not isinstance(column.attribute, Numeric):
        why = f"{target} is {column.attribute.kind}, so classes are predicted"
        return Aim(origin, table, target, "classification", why)
    if target in origin.kinds or not (count := _few_whole_numbers(known)):
        return Aim(origin, table, target, "regression", f"{target} is numeric, so numbers are predicted")
    why = (
        f"{target} holds {count} whole numbers only, so classes are predicted;"
        f" for numbers, say --kind {target}=numeric"
    )
    # Read again, since a cell as a category keeps the spelling that it has in the file.
    origin = replace(origin, kinds={**origin.kinds, target: "nominal"})
    return Aim(origin, origin.read(), target, "classification", why)


def _few_whole_numbers(known: np.ndarray) -> int:
    """How many distinct numbers there are, if they look like classes; 0 otherwise."""
    if not np.isfinite(known).all() or (known != np.trunc(known)).any():
        return 0
    distinct = len(np.unique(known))
    return distinct if distinct <= min(_FEW_CLASSES, len(known) // _ROWS_PER_CLASS) else 0


def make_plan(
    source: str | Path | Aim,
    target: str | None = None,
    *,
    kinds: Mapping[str, Any] | None = None,
    ignore: Collection[str] = (),
    only: Collection[str] = (),
    metric: str | None = None,
    folds: int | None = None,
    repeats: int | None = None,
    test_share: float | None = None,
    seed: int = 0,
    description: Description | None = None,
) -> Plan:
    """A plan for a file or a bundled set.

    Parameters
    ----------
    source : path of a file, name of a bundled set, or an `aim` at one
    target : the column to predict; a bundled set has one of its own
    kinds : what overrules the guess, as in `openbook.read`; a column named here is never left out
    ignore : columns to leave out, besides free text and likely identifiers
    only : registered names of the learners to try; baselines always take part
    metric, folds, repeats, test_share, seed : the protocol; None goes by the size of the table
    description : of the table, if it is at hand

    Examples
    --------
    >>> plan = make_plan("weather")
    >>> plan.roles.target, plan.task, plan.protocol.split
    ('play', 'classification', 'leave-one-out')
    """
    aimed = source if isinstance(source, Aim) else aim(source, target, kinds)
    table, target = aimed.table, aimed.target
    notes = [aimed.why]
    description = description or describe(table, target)
    ignored = dict(_left_out(table, target, ignore, aimed.source.kinds, description))
    notes += [f"{name} takes no part: {reason}" for name, reason in ignored.items()]
    y = table.column(target)
    if gaps := int(y.missing.sum()):
        y = y.take(~y.missing)
        notes.append(f"{plural(gaps, 'row')} without {target} took no part")
    inputs = table.drop(target, *ignored)
    if not inputs.names:
        raise PlanError(
            f"no column is left to predict {target!r} from; keep some with --kind, as in --kind x=nominal"
        )
    candidates, refused = _candidates(inputs, aimed.task, only)
    decisive = metric or DEFAULTS[aimed.task][0]
    judge_metric(decisive, aimed.task)
    if metric is None and _lopsided(y, description):
        decisive = "balanced_accuracy"
        notes.append(
            f"most rows share one {target}, so learners are ranked by balanced accuracy, which gives every"
            " class the same weight; for another metric, say --metric accuracy"
        )
    return Plan(
        data=replace(aimed.source, sha256=content_hash(table)),
        roles=Roles(target, tuple(ignored)),
        task=aimed.task,
        metric=decisive,
        protocol=_protocol(y, aimed.task, folds, repeats, test_share, seed),
        learners=tuple(candidates),
        notes=(*notes, *refused),
    )


def _lopsided(y: Column, description: Description) -> bool:
    """Whether nearly all rows are of one class, and every class has rows enough to train and to test."""
    if not any(finding.kind == "imbalance" for finding in description.findings):
        return False
    return bool((np.bincount(y.data)[np.unique(y.data)] > 1).all())


def _left_out(
    table: Table,
    target: str,
    ignore: Collection[str],
    kinds: Mapping[str, Any],
    description: Description,
) -> Iterator[tuple[str, str]]:
    """The columns that take no part, and why."""
    identifiers = {name for f in description.findings if f.kind == "identifier" for name in f.columns}
    for name in ignore:
        if name not in table.schema:
            raise UnknownColumn(name, table.names)
        if name == target:
            raise PlanError(f"{name!r} is the target, so it cannot be left out")
    for attribute in table.schema:
        name = attribute.name
        if name == target:
            continue
        if name in ignore:
            yield name, "as asked"
        elif name in kinds:
            continue
        elif name in identifiers:
            yield name, f"likely an identifier; to keep it, say --kind {name}={attribute.kind}"
        elif isinstance(attribute, Text):
            yield name, f"free text; if these are categories, say --kind {name}=nominal"


def _candidates(inputs: Table, task: Task, only: Collection[str]) -> tuple[list[Candidate], list[str]]:
    """The learners that can be tried, and in words those that cannot."""
    for name in only:
        if not (entry := learner(name)).study:
            raise PlanError(
                f"{name} needs to be told more; add it to the [[learners]] of a plan.toml, with parameters"
            )
        if entry.task != task:
            raise PlanError(
                f"{name} is for {entry.task}, and this is {task}; leave it out, or change the target's kind"
            )
    candidates, refused = [], []
    tried = [entry for entry in learners(task) if not only or entry.baseline or entry.name in only]
    for entry, variant in [(one, way) for one in tried for way in one.study]:
        model = entry.make(**variant.parameters)
        reason = _refusal(variant, model, inputs)
        if entry.members and entry.name not in only and len(inputs) < TINY:
            reason = f"could not show on {len(inputs)} rows that it is better than one of its members"
        if reason is None:
            candidates.append(Candidate.of(variant.label, model))
        else:
            refused.append(f"{variant.label} takes no part: it {reason}")
    if only and not {c.learner for c in candidates} & set(only):
        raise PlanError(f"none of {', '.join(only)} can be tried: {'; '.join(refused)}")
    if not candidates:
        raise PlanError(f"no learner for {task} can use this table: {'; '.join(refused)}")
    return candidates, refused


def _refusal(variant: Variant, model: Any, inputs: Table) -> str | None:
    """Why this way of a learner is not tried on this table, or None."""
    if variant.most_rows is not None and len(inputs) > variant.most_rows:
        return f"is too slow for more than {variant.most_rows:,} rows"
    reason: str | None = model.refusal(inputs.schema)
    return reason


def _protocol(
    y: Column, task: Task, folds: int | None, repeats: int | None, test_share: float | None, seed: int
) -> Protocol:
    n = len(y)
    if n < TINY:
        if folds or repeats or test_share:
            msg = (
                f"there are {n} rows, and of fewer than {TINY} each is left out once and none is locked away;"
                " leave out folds, repeats and the test share"
            )
            raise PlanError(msg)
        return Protocol(SPLITS[1], seed=seed)
    if test_share is None:
        test_share = _TEST_SHARE if n * _TEST_SHARE >= TINY else 0.0
    # Made once to say what is wrong with it, then with the folds that the rows left to judge by allow.
    asked = Protocol(
        SPLITS[0], 10 if folds is None else folds, 1 if repeats is None else repeats, test_share, seed
    )
    left = y.take(lock_away(None, y, test_share, seed, task)[0]) if test_share else y
    splitter = protocol(left, task, seed, asked.folds or 10, repeats).splitter
    return replace(asked, folds=splitter.get_n_splits() // splitter.n_repeats, repeats=splitter.n_repeats)
