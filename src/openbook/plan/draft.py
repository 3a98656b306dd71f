"""A draft of a plan: its columns, rows, learners and score, with the reasons."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from openbook.data import Column, Nominal, Table
from openbook.data.asked import asked_rows, written_by_label
from openbook.data.describe import Description
from openbook.errors import PlanError, UnknownColumn
from openbook.judge.folds.splits import TINY
from openbook.judge.folds.splitters import TestGroups
from openbook.judge.scores.metrics import DEFAULTS, Task
from openbook.judge.scores.metrics import metric as judge_metric
from openbook.judge.scores.positive import RARE, check_positive, shares
from openbook.plan.aim import Aim
from openbook.plan.candidates import WRITTEN_NOTE, Effort, candidates_of, written_rules
from openbook.plan.counts import WeightKind, counted_rows, described, kind_of_weights, weights_of
from openbook.plan.document import blamed_on
from openbook.plan.money import COST, read_costs
from openbook.plan.notes import (
    as_kind,
    asked_notes,
    effort_notes,
    gap_notes,
    positive_notes,
    preparation_notes,
    role_notes,
    sample_notes,
    time_notes,
    weight_notes,
)
from openbook.plan.options import StudyOptions
from openbook.plan.parts import SPLITS, Candidate, Protocol, Roles
from openbook.plan.plan import Plan
from openbook.plan.source import content_hash
from openbook.prepare.prepared import fitted_steps
from openbook.prepare.transformer import RowFilter
from openbook.registry import learners

#: Of more than two classes, the share of the most frequent one at which accuracy is uninformative.
_NEARLY_ALL = 0.9
#: The fewest rows of every class for ranking by AUC, so that every fold tests some of each.
_ROWS_FOR_AUC = 10

#: The fewest unlabelled rows per labelled one for which learners that use them are evaluated.
_ENOUGH_UNLABELLED = 0.1

#: The most columns for which the reason is given if none is left.
_REASONS = 5

#: A class of fewer rows is not in every inner fold, so settings cannot be compared.
_ROWS_TO_TUNE = 5


@dataclass(frozen=True)
class Draft:
    """The plan that follows from a table and the options, step by step; its protocol has no folds yet."""

    aimed: Aim
    options: StudyOptions
    given: Description | None

    def plan(self) -> Plan:
        """The plan, with its reasons as notes, in the order of the decisions."""
        aimed, options = self.aimed, self.options
        _refuse_of_labels(aimed.task, options)
        notes = [aimed.why, *self._about_columns(), *self._about_rows(), *self._about_learners()]
        learners, _ = self.learners
        labels = {each.learner: each.label for each in reversed(learners)}
        random_state, known = options.random_state, self.test_groups
        return Plan(
            data=replace(aimed.source, sha256=content_hash(aimed.table)),
            roles=self.roles,
            task=aimed.task,
            metric=self.metric[0],
            protocol=Protocol(SPLITS[1], random_state=random_state, test_groups=known, weights=self.weights),
            learners=tuple(learners),
            notes=tuple(notes),
            hypotheses=tuple(options.hypotheses),
            costs=self.costs,
            choose=labels.get(options.choose, options.choose),
            margin=options.margin,
            prepare=tuple(options.prepare),
        )

    def _about_columns(self) -> Iterator[str]:
        yield from (f"{name} is not used: {reason}" for name, reason in self.left_out.items())
        yield from role_notes(self.roles, self.test_groups)
        yield from time_notes(self.aimed.table, self.roles)
        if self.roles.weight is not None and self.weights is not None:
            yield from weight_notes(self.roles.weight, self._given_weights, self.weights)

    def _about_rows(self) -> Iterator[str]:
        table, target = self.aimed.table, self.aimed.target
        yield from gap_notes(int(table.column(target).missing.sum()), self.unlabelled, target)
        for hypothesis in self.options.hypotheses:
            hypothesis.columns(self.inputs.names)
        if self.roles.asked is not None:
            n_fair = len(self.y_fair)
            yield from asked_notes(self.roles.asked, len(self.y) - n_fair, n_fair, len(table))
        yield from preparation_notes(self.inputs, target, self.options.prepare)
        yield from self.prepared[1]
        if self.aimed.source.sample:
            yield from sample_notes(self.roles)

    def _about_learners(self) -> Iterator[str]:
        _, refused = self.learners
        if self.options.rules is not None:
            yield WRITTEN_NOTE
        check_positive(self.y, self.options.positive)
        _, why = self.metric
        yield from positive_notes(self.y_fair, self.options.positive, self.aimed.task)
        yield from why
        yield from [self._untunable] if self._untunable else effort_notes(self.options.effort)
        yield from refused

    @cached_property
    def named(self) -> Roles:
        """The roles that are named, or that `openbook label` wrote."""
        left = [name for name in self.options.ignore if name in self.aimed.table]
        written = written_by_label(self.aimed.table.drop(*left), self.aimed.target)
        asked = self.options
        own = (asked.id, asked.group, asked.time, tuple(asked.sensitive), asked.weight, asked.positive)
        return Roles(self.aimed.target, (), *own, asked.sequence, asked.asked or written)

    @cached_property
    def left_out(self) -> dict[str, str]:
        """The columns that are not used, with the reasons."""
        table, target, options = self.aimed.table, self.aimed.target, self.options
        named = self.named.columns
        about = self.given or described(table, target, options.weight, options.weight_kind)
        if target in options.ignore:
            raise PlanError(f"{target!r} is the target, so it cannot be left out")
        words = table.schema.of(Nominal) if options.sequence else ()  # which may be distinct
        return dict(columns_left_out(table, named, options.ignore, (*self.aimed.source.kinds, *words), about))

    @cached_property
    def roles(self) -> Roles:
        return replace(self.named, ignore=tuple(self.left_out))

    @cached_property
    def test_groups(self) -> TestGroups | None:
        return _test_groups(self.roles, self.options.test_groups)

    @cached_property
    def weights(self) -> WeightKind | None:
        """What the weights are."""
        asked = self.options.weight_kind
        if self.roles.weight is None:
            if asked is not None:
                raise PlanError("--weight-kind needs --weight; name a column, or leave it out")
            return None
        return asked or kind_of_weights(self._given_weights)

    @cached_property
    def _given_weights(self) -> np.ndarray:
        return weights_of(self.aimed.table, str(self.roles.weight), self.aimed.target)

    @cached_property
    def labelled(self) -> np.ndarray:
        """The rows with a target, each as often as its frequency says."""
        known = np.flatnonzero(~self.aimed.table.column(self.aimed.target).missing)
        if self.weights != "frequency":
            return known
        return counted_rows(known, self._given_weights, str(self.roles.weight))

    @cached_property
    def unlabelled(self) -> int:
        """The number of rows without a target that learners may use; none with groups, time or weights."""
        if self.roles.bound or self.aimed.source.sample or self.aimed.task != "classification":
            return 0
        found = int(self.aimed.table.column(self.aimed.target).missing.sum())
        asked = any(each.unlabelled for each in learners() if each.name in self.options.only)
        return found if asked or found >= _ENOUGH_UNLABELLED * len(self.labelled) else 0

    @cached_property
    def inputs(self) -> Table:
        inputs = self.roles.inputs(self.aimed.table).take(self.labelled)
        if not inputs.names:
            raise PlanError(nothing_left(f"predict {self.aimed.target!r} from", self.left_out))
        return inputs

    @cached_property
    def y(self) -> Column:
        return self.aimed.table.column(self.aimed.target).take(self.labelled)

    @cached_property
    def y_fair(self) -> Column:
        """The labels that were not requested, which can be tested."""
        if self.roles.asked is None:
            return self.y
        asked = self.aimed.table.column(self.roles.asked).take(self.labelled)
        fair = self.y.take(~asked_rows(asked))
        if len(fair) < 2:
            what = f"by {self.roles.asked!r} all labels but {len(fair)} were requested"
            hint = "label some rows at random, as openbook label does with one row in five"
            raise PlanError(f"roles.asked: {what}, so no row is left for a fair test; {hint}")
        return fair

    @cached_property
    def _untunable(self) -> str | None:
        """Why a thorough study tunes no parameters, or None."""
        return _not_tuned(self.y, self.aimed.task) if self.options.effort == "thorough" else None

    @property
    def effort(self) -> Effort:
        return "usual" if self._untunable else self.options.effort

    @cached_property
    def prepared(self) -> tuple[Table, list[str]]:
        return _prepared(self.inputs, self.y, self.options.prepare)

    @cached_property
    def learners(self) -> tuple[list[Candidate], list[str]]:
        """The learners to evaluate, and why others are left out."""
        options, task, (table, _) = self.options, self.aimed.task, self.prepared
        sampled, free = bool(self.aimed.source.sample), self.unlabelled
        named = (options.only, self.effort, options.sequence)
        found, refused = candidates_of(table, self.y, task, *named, sampled=sampled, unlabelled=free)
        if options.rules is not None:
            found.append(written_rules(options.rules, table, self.y, task))
        return found, refused

    @cached_property
    def costs(self) -> dict[str, Any]:
        costs = self.options.costs
        return read_costs(costs) if isinstance(costs, str | Path) else dict(costs or {})

    @cached_property
    def metric(self) -> tuple[str, list[str]]:
        return _metric(self.options.metric, self.aimed.task, self.y_fair, self.roles, self.costs)


#: What a study of several labels cannot do, and why.
_NOT_OF_LABELS = {
    "costs": "costs are for errors between classes",
    "positive": "every label is positive where a row has it",
    "sensitive": "fairness is evaluated for one target",
    "sequence": "models of sequences predict one class per row",
}


def _refuse_of_labels(task: Task, options: StudyOptions) -> None:
    """Refuse options that have no meaning for several labels."""
    if task == "multilabel" and (odd := [option for option in _NOT_OF_LABELS if getattr(options, option)]):
        raise PlanError(f"--{odd[0]} does not go with several labels: {_NOT_OF_LABELS[odd[0]]}; leave it out")


def _metric(
    asked: str | None, task: Task, y: Column, roles: Roles, costs: Mapping[str, Any]
) -> tuple[str, list[str]]:
    """The metric that decides, and the reason for it unless it was named."""
    if costs and asked in (None, COST):
        why = "errors have costs, so decisions minimise the expected cost, and learners are ranked by"
        return COST, [f"{why} the cost per row; for another metric, use --metric"]
    decisive = asked or DEFAULTS[task][0]
    judge_metric(decisive, task)
    if asked is None and y.has_order:
        why = f"the values of {y.name} have an order, so learners are ranked by the rank error: by how many"
        return "rank_error", [f"{why} places a prediction is off; for another metric, use --metric accuracy"]
    if asked is None and task == "classification" and (rare := _rare_class(y)):
        return _metric_of_rare_classes(y, roles, rare)
    return decisive, []


def _metric_of_rare_classes(y: Column, roles: Roles, rare: str) -> tuple[str, list[str]]:
    """AUC where every fold has rows of every class, else log loss, which is always defined; and why."""
    fewest = int(np.bincount(y.data)[np.unique(y.data)].min())
    by_chance = roles.time is None and roles.together is None
    if by_chance and fewest >= _ROWS_FOR_AUC:
        decisive, why = "roc_auc", "AUC, which does not depend on a decision threshold"
    else:
        decisive, why = "log_loss", "log loss, which judges the probabilities"
    reason = f"only {shares(y)[rare]:.1%} of the rows have {y.name} = {rare}, so learners are ranked by {why}"
    return decisive, [f"{reason}; for another metric, use --metric accuracy"]


def _rare_class(y: Column) -> str | None:
    """The rarest class, if the most probable class would hardly ever be it.

    Of two classes, one must have less than a quarter of the rows; of several, one must have nine tenths. With
    few rows this may be chance, so then there is none.
    """
    found = shares(y)
    if len(y) < TINY or len(found) < 2:
        return None
    rarest = min(found, key=lambda label: found[label])
    lopsided = found[rarest] < RARE if len(found) == 2 else max(found.values()) >= _NEARLY_ALL
    return rarest if lopsided else None


def columns_left_out(
    table: Table,
    named: Collection[str],
    ignore: Collection[str],
    kinds: Collection[str],
    description: Description,
) -> Iterator[tuple[str, str]]:
    """The columns that are not used, with the reasons; columns with a role or a kind are used."""
    identifiers = {name for f in description.findings if f.kind == "identifier" for name in f.columns}
    for name in (*named, *ignore):
        if name not in table.schema:
            raise UnknownColumn(name, table.names)
    inputs = [column for column in description.columns if column.name not in (*named, *ignore)]
    filled = any(
        column.distinct for column in inputs
    )  # without any, the baselines are shown on empty columns
    for attribute in table.schema:
        name = attribute.name
        if name in ignore:
            yield name, "as requested"
        elif name in named or name in kinds:
            continue
        elif filled and not description[name].distinct:
            yield name, "it has no values"
        elif name in identifiers:
            about, usable = description[name], f"to use it, add {as_kind(name, attribute.kind)}"
            yield name, about.why if about.is_unclear else f"likely an identifier; {usable}"


def nothing_left(purpose: str, ignored: Mapping[str, str]) -> str:
    """That no column is left for a purpose, and why the first are not used, with the options to use them.

    >>> nothing_left("explore", {"id": "likely an identifier; to use it, add --kind id=numeric"})
    'no column is left to explore. id is not used: likely an identifier; to use it, add --kind id=numeric'
    """
    reasons = [f"{name} is not used: {reason}" for name, reason in ignored.items()][:_REASONS]
    more = [f"{len(ignored) - _REASONS:,} more are not used either"] if len(ignored) > _REASONS else []
    return ". ".join([f"no column is left to {purpose}", *reasons, *more])


def _prepared(inputs: Table, y: Column, steps: Collection[str]) -> tuple[Table, list[str]]:
    """The inputs as learners see them, to find those that can use them, and the rows that steps leave out.

    The folds fit the steps anew. Rows that steps add do not count.
    """
    with blamed_on("prepare"):
        rows = fitted_steps(list(steps), inputs, y)
    left_out = [
        f'the step "{words}" leaves {int((~one.kept_).sum()):,} of {len(one.kept_):,} rows out of training'
        for words, one in zip(steps, rows.steps, strict=True)
        if isinstance(one, RowFilter) and not one.kept_.all()
    ]
    return rows.table.head(len(inputs)), left_out


def _test_groups(roles: Roles, asked: TestGroups | None) -> TestGroups | None:
    """Whether groups are tested as new or as known, if there is a time too; new by default."""
    if roles.group is not None and roles.time is not None:
        return asked or "new"
    if asked is not None:
        raise PlanError("--test-groups needs both --group and --time; name them, or leave it out")
    return None


def _not_tuned(y: Column, task: Task) -> str | None:
    """Why a thorough study of this target tunes nothing, or None."""
    found = shares(y)
    if task == "multilabel":
        return "parameters are not tuned: of several labels, a study tunes thresholds only"
    if task != "classification" or len(found) < 2:
        return None
    first, second = sorted(found, key=lambda label: -found[label])[:2]
    if found[second] * len(y) >= _ROWS_TO_TUNE:
        return None
    rare = f"apart from {first}, every class has fewer than {_ROWS_TO_TUNE} rows"
    return f"parameters are not tuned: {rare}, so inner folds cannot compare settings"
