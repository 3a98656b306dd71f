"""Make a plan: what is predicted, which columns and learners take part, how they are judged, and why."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from openbook.data import Column, Nominal, Table
from openbook.data.asked import asked_rows, written_by_label
from openbook.data.describe import Description
from openbook.errors import NotEvaluableError, ParameterError, PlanError, UnknownColumn
from openbook.judge.folds.splits import TINY
from openbook.judge.folds.splitters import TestGroups
from openbook.judge.scores.metrics import DEFAULTS, Task
from openbook.judge.scores.metrics import metric as judge_metric
from openbook.judge.scores.positive import RARE, check_positive, shares
from openbook.plan.aim import Aim, aim
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
from openbook.plan.parts import SPLITS, Hypothesis, Protocol, Roles
from openbook.plan.plan import Plan
from openbook.plan.rows import StudyRows
from openbook.plan.source import content_hash
from openbook.prepare.prepared import fitted_steps
from openbook.prepare.transformer import RowFilter

#: Of more than two classes, the share of the most frequent from which on accuracy says little.
_NEARLY_ALL = 0.9
#: Every class has so many rows where learners are ranked by AUC, so that every fold tests some of each.
_ROWS_FOR_AUC = 10

#: The share of rows that is locked away, where that makes a test of at least TINY rows.
_TEST_SHARE = 0.2

#: From so many rows on, a thorough study tries most settings on fewer rows; and repeats less.
_SEARCHED = 5_000
_MANY = 10_000

#: Where no column is left, it is said of so many why.
_REASONS = 5

#: A class of fewer rows is not in every inner fold, so that settings cannot be compared by it.
_ROWS_TO_TUNE = 5


def make_plan(
    source: str | Path | Aim,
    target: str | Sequence[str] | None = None,
    *,
    kinds: Mapping[str, Any] | None = None,
    ignore: Collection[str] = (),
    id: str | None = None,  # noqa: A002 (the role's own name)
    group: str | None = None,
    time: str | None = None,
    test_groups: TestGroups | None = None,
    sensitive: Collection[str] = (),
    weight: str | None = None,
    weight_kind: WeightKind | None = None,
    positive: str | None = None,
    sequence: str | None = None,
    asked: str | None = None,
    costs: Mapping[str, Mapping[str, float]] | str | Path | None = None,
    hypotheses: Collection[Hypothesis] = (),
    prepare: Collection[str] = (),
    rules: str | Path | None = None,
    only: Collection[str] = (),
    choose: str = "simplest",
    margin: float | None = None,
    metric: str | None = None,
    cv: int | None = None,
    repeats: int | None = None,
    test_share: float | None = None,
    random_state: int = 0,
    effort: Effort = "usual",
    description: Description | None = None,
) -> Plan:
    """A plan for a file or a bundled set.

    Parameters
    ----------
    source : path, str or Aim
        The path of a file, the name of a bundled set, or an `aim` at one.
    target : str, sequence of str or None, default=None
        The column to predict; a bundled set has one of its own. Several columns of 0 and 1 are labels, which
        are predicted together.
    kinds : mapping or None, default=None
        Overrules the guess: {'zip': 'nominal'}. A column named here is never left out.
    ignore : collection of str, default=()
        Columns to leave out, besides likely identifiers.
    id : str or None, default=None
        The column that names the rows; not used as a feature.
    group : str or None, default=None
        The column of the group of each row; rows of one group never both train and test.
    time : str or None, default=None
        The column of the time of each row; the past trains and the future tests.
    test_groups : TestGroups or None, default=None
        Where there are a group and a time, "new", which is the default, tests groups that the model has never
        seen; "known" tests the future of groups whose past trains.
    sensitive : collection of str, default=()
        The columns by which the choice is checked for fairness.
    weight : str or None, default=None
        The column of how many rows each row stands for, or how much it counts in learning.
    weight_kind : WeightKind or None, default=None
        "frequency" if a row stands for so many rows, "importance" if its weight counts in learning only; None
        takes whole numbers for frequencies.
    positive : str or None, default=None
        Of two classes, the positive one; None goes by `openbook.judge.scores.positive`.
    sequence : str or None, default=None
        The column that names the sequence of each row, such as a sentence, whose rows are in order. Sequences
        are never divided, and models of sequences take part.
    asked : str or None, default=None
        The column that says "yes" of rows whose label was asked for on purpose. They train and are never
        tested. None takes the column that `openbook label` writes, if it is there.
    costs : mapping of str to mapping of str to float, str, Path or None, default=None
        What mistakes cost, `costs[truth][predicted]`, or the path of a CSV file that says so. The columns of
        the file are truth, predicted and cost. Decisions are then those of least expected cost, and learners
        are ranked by what a row costs.
    hypotheses : collection of Hypothesis, default=()
        Sets of columns to try beside each other, see `Hypothesis`; none for all columns.
    prepare : collection of str, default=()
        Steps that prepare the inputs inside each fold, in order: "log income", "impute age median". See
        `openbook.prepare.VERBS`.
    rules : str, Path or None, default=None
        The path of a text file of hand-written rules, which then compete with the learners; see
        `openbook.baseline.RuleClassifier`.
    only : collection of str, default=()
        Registered names of the learners to try; baselines always take part.
    choose : str, default="simplest"
        Which learner to choose: the "simplest" within one standard error of the best, the "best", or the
        label or name of a learner.
    margin : float or None, default=None
        Instead of one standard error, how much worse than the best the simplest may be, in units of the
        metric.
    metric : str or None, default=None
        The score that decides, by name; None for the usual one.
    cv : int or None, default=None
        The number of folds; None goes by the number of rows.
    repeats : int or None, default=None
        How often the folds are drawn; None goes by the number of rows.
    test_share : float or None, default=None
        The share of rows locked away for the one final test; None goes by the number of rows.
    random_state : int, default=0
        The protocol; None goes by the size of the table.
    effort : {"quick", "usual", "thorough"}, default="usual"
        "quick" takes fewer folds, and only learners that are quick on so many rows; "thorough" tunes the
        learners' knobs inside the folds, and repeats more often.
    description : Description or None, default=None
        The description of the table, if it is at hand.

    Returns
    -------
    Plan
        The plan.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> plan = make_plan("weather")
    >>> plan.roles.target, plan.task, plan.protocol.split
    ('play', 'classification', 'leave-one-out')
    """
    aimed = source if isinstance(source, Aim) else aim(source, target, kinds)
    table, target = aimed.table, aimed.target
    _refuse_of_labels(aimed.task, costs=costs, positive=positive, sensitive=sensitive, sequence=sequence)
    asked = asked or written_by_label(table.drop(*(name for name in ignore if name in table)), target)
    roles = Roles(target, (), id, group, time, tuple(sensitive), weight, positive, sequence, asked)
    description = description or described(table, target, weight, weight_kind)
    if target in ignore:
        raise PlanError(f"{target!r} is the target, so it cannot be left out")
    kept = (*aimed.source.kinds, *(table.schema.of(Nominal) if sequence else ()))  # words may be distinct
    ignored = dict(columns_left_out(table, roles.columns, ignore, kept, description))
    roles = replace(roles, ignore=tuple(ignored))
    test_groups = _test_groups(roles, test_groups)
    notes = [aimed.why, *(f"{name} is not used: {reason}" for name, reason in ignored.items())]
    notes += (*role_notes(roles, test_groups), *time_notes(table, roles))
    weights, about_weights = _weights(table, roles, weight_kind)
    labelled = np.flatnonzero(~table.column(target).missing)
    alone = not (roles.bound or aimed.source.sample)  # rows without a target have no say in groups or time
    unlabelled = len(table) - len(labelled) if alone and aimed.task == "classification" else 0
    notes += (*about_weights, *gap_notes(len(table) - len(labelled), unlabelled, roles.target))
    if weights == "frequency":
        labelled = counted_rows(labelled, weights_of(table, str(weight), target), str(weight))
    inputs = roles.inputs(table).take(labelled)
    if not inputs.names:
        raise PlanError(nothing_left(f"predict {target!r} from", ignored))
    for hypothesis in hypotheses:
        hypothesis.columns(inputs.names)
    y = table.column(target).take(labelled)
    y_fair, about_asked = _fair(table, roles, labelled)
    notes_on_effort = effort_notes(effort)
    if effort == "thorough" and (untunable := _not_tuned(y, aimed.task)):
        effort, notes_on_effort = "usual", [untunable]
    notes += (*about_asked, *preparation_notes(inputs, target, prepare))
    prepared, left_out = _prepared(inputs, y, prepare)
    notes += (*left_out, *(sample_notes(roles) if (sampled := bool(aimed.source.sample)) else ()))
    candidates, refused = candidates_of(
        prepared, y, aimed.task, only, effort, sequence, sampled=sampled, unlabelled=unlabelled
    )
    if rules is not None:
        candidates.append(written_rules(rules, prepared, y, aimed.task))
        notes.append(WRITTEN_NOTE)
    money = read_costs(costs) if isinstance(costs, str | Path) else dict(costs or {})
    check_positive(y, positive)
    decisive, why = _metric(metric, aimed.task, y_fair, roles, money)
    notes += positive_notes(y_fair, positive, aimed.task)
    plan = Plan(
        data=replace(aimed.source, sha256=content_hash(table)),
        roles=roles,
        task=aimed.task,
        metric=decisive,
        protocol=Protocol(SPLITS[1], random_state=random_state, test_groups=test_groups, weights=weights),
        learners=tuple(candidates),
        notes=(*notes, *why, *notes_on_effort, *refused),
        hypotheses=tuple(hypotheses),
        costs=money,
        choose={each.learner: each.label for each in reversed(candidates)}.get(choose, choose),
        margin=margin,
        prepare=tuple(prepare),
    )
    rows = StudyRows(plan, table)
    _ = rows.metrics  # what is wrong with the costs is said before anything runs
    try:
        return replace(plan, protocol=_protocol(rows, cv, repeats, test_share, effort))
    except ParameterError as error:
        if (cv, repeats, test_share) != (None, None, None):
            raise
        raise NotEvaluableError(str(error)) from None  # the rows themselves do not allow it


def _fair(table: Table, roles: Roles, labelled: np.ndarray) -> tuple[Column, Iterator[str]]:
    """The labels that were not asked for, which are fit for a test; and what becomes of the others."""
    target = table.column(roles.target)
    if roles.asked is None:
        return target.take(labelled), iter(())
    asked = asked_rows(table.column(roles.asked).take(labelled))
    fair = labelled[~asked]
    if len(fair) < 2:
        raise PlanError(
            f"roles.asked: {roles.asked!r} says that all labels but {len(fair)} were asked for, so no row is"
            " left for a fair test; label some rows at random, as openbook label does with one row in five"
        )
    return target.take(fair), asked_notes(roles.asked, int(asked.sum()), len(fair), len(table))


#: What a study of several labels cannot do, and why.
_NOT_OF_LABELS = {
    "costs": "costs are for errors between classes",
    "positive": "every label is positive where a row has it",
    "sensitive": "fairness is evaluated for one target",
    "sequence": "models of sequences predict one class per row",
}


def _refuse_of_labels(task: Task, **asked: Any) -> None:
    """Refuse what has no meaning where several labels are predicted."""
    if task == "multilabel" and (odd := [option for option, given in asked.items() if given]):
        msg = f"--{odd[0]} does not go with several labels: {_NOT_OF_LABELS[odd[0]]}; leave it out"
        raise PlanError(msg)


def _metric(
    asked: str | None, task: Task, y: Column, roles: Roles, costs: Mapping[str, Any]
) -> tuple[str, list[str]]:
    """What learners are ranked by, and why, if that was not asked for."""
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
    share = shares(y)[rare]
    said = f"only {share:.1%} of the rows have {y.name} = {rare}, so learners are ranked by {why}"
    return decisive, [f"{said}; for another metric, use --metric accuracy"]


def _rare_class(y: Column) -> str | None:
    """The rarest class, where decisions for the most probable class would hardly ever find it.

    That is so of two classes where one has less than a quarter of the rows, and of several where one has nine
    tenths. Of few rows it is chance.
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
    """The columns that take no part, and why; those that are named with a role or a kind do."""
    identifiers = {name for f in description.findings if f.kind == "identifier" for name in f.columns}
    for name in (*named, *ignore):
        if name not in table.schema:
            raise UnknownColumn(name, table.names)
    for attribute in table.schema:
        name = attribute.name
        if name in ignore:
            yield name, "as requested"
        elif name in named or name in kinds:
            continue
        elif name in identifiers:
            about, usable = description[name], f"to use it, add {as_kind(name, attribute.kind)}"
            yield name, about.why if about.is_unclear else f"likely an identifier; {usable}"


def nothing_left(purpose: str, ignored: Mapping[str, str]) -> str:
    """That no column is left for a purpose, and why the first are not used, which says how they would be.

    >>> nothing_left("explore", {"id": "likely an identifier; to use it, add --kind id=numeric"})
    'no column is left to explore. id is not used: likely an identifier; to use it, add --kind id=numeric'
    """
    reasons = [f"{name} is not used: {reason}" for name, reason in ignored.items()][:_REASONS]
    more = [f"{len(ignored) - _REASONS:,} more are not used either"] if len(ignored) > _REASONS else []
    return ". ".join([f"no column is left to {purpose}", *reasons, *more])


def _prepared(inputs: Table, y: Column, steps: Collection[str]) -> tuple[Table, list[str]]:
    """The inputs as learners see them, which tells who can use them, and the rows that steps leave out.

    The folds fit the steps anew. Rows that steps add show nothing that the given rows do not, so they do not
    count.
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
    """Which groups are tested where there is a time too.

    New ones unless told otherwise: a group is named so that none of it both trains and tests.
    """
    if roles.group is not None and roles.time is not None:
        return asked or "new"
    if asked is not None:
        raise PlanError("--test-groups needs both --group and --time; name them, or leave it out")
    return None


def _weights(table: Table, roles: Roles, asked: WeightKind | None) -> tuple[WeightKind | None, Iterator[str]]:
    """What the weights are, and what that means, in words."""
    if roles.weight is None:
        if asked is not None:
            raise PlanError("--weight-kind needs --weight; name a column, or leave it out")
        return None, iter(())
    weights = weights_of(table, roles.weight, roles.target)
    kind = asked or kind_of_weights(weights)
    return kind, weight_notes(roles.weight, weights, kind)


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
    return (
        f"parameters are not tuned: apart from {first}, every class has fewer than {_ROWS_TO_TUNE} rows, so"
        " inner folds cannot compare settings"
    )


def _protocol(
    rows: StudyRows, folds: int | None, repeats: int | None, test_share: float | None, effort: Effort
) -> Protocol:
    """The protocol, with the folds that the rows left to judge by allow."""
    n, settings = rows.n_fair, rows.plan.protocol
    random_state, groups, weights = settings.random_state, settings.test_groups, settings.weights
    if n < TINY and (folds or repeats or test_share) and "time" not in rows.order:
        msg = (
            f"with fewer than {TINY} rows, here {n}, a study uses leave-one-out and holds no rows out;"
            " omit folds, repeats and the test share"
        )
        raise PlanError(msg)
    usual = {"quick": (5, 1), "usual": (10, None), "thorough": (10, 3 if n >= _MANY else 10)}[effort]
    folds, repeats = (
        own if asked is None else asked for asked, own in zip((folds, repeats), usual, strict=True)
    )
    # halving draws rows at random, so it cannot tell what comes later
    search = None if effort != "thorough" else "grid" if n < _SEARCHED or "time" in rows.order else "halving"
    asked = Protocol(
        SPLITS[0],
        folds,
        1 if repeats is None else repeats,
        test_share or 0.0,
        random_state,
        search,
        groups,
        weights,
    )  # checks
    if test_share is None and n * _TEST_SHARE >= TINY:
        try:
            return _fitting(rows, replace(asked, test_share=_TEST_SHARE), repeats, fewest=TINY)
        except ParameterError:  # what is left is of one time, say: better no final test than no study
            pass
    return _fitting(rows, asked, repeats)


def _fitting(rows: StudyRows, asked: Protocol, repeats: int | None, fewest: int = 0) -> Protocol:
    """The protocol with the folds that its rows allow; ParameterError if fewer would be locked away."""
    left = StudyRows(replace(rows.plan, protocol=asked), rows.table)
    if len(left.locked) < fewest:
        raise ParameterError(f"{len(left.locked)} rows are too few for a final test")
    found = left.fitting(asked.folds, repeats)
    if found.kind == "time-ordered":
        return replace(asked, split=found.kind, folds=found.splitter.n_splits, repeats=None)
    if found.kind not in ("cross-validation", "repeated cross-validation"):
        return replace(asked, split=found.kind, folds=None, repeats=None)
    rounds = getattr(found.splitter, "n_repeats", None) or found.splitter.repeats
    return replace(asked, folds=found.get_n_splits() // rounds, repeats=rounds)
