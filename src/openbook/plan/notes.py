"""The notes of a plan: how it treats rows, columns, weights and time, in a sentence each."""

from collections.abc import Collection, Iterator
from shlex import quote

import numpy as np

from openbook.border.words import MOST_WORDS
from openbook.data import Column, Datetime, Table, Text
from openbook.data.date_parts import calendar_parts
from openbook.judge.folds.splitters import TestGroups
from openbook.judge.scores.metrics import Task
from openbook.judge.scores.positive import positive_class, shares
from openbook.plan.candidates import Effort
from openbook.plan.counts import MOST_ROWS, WeightKind
from openbook.plan.parts import Roles
from openbook.report.changes import FITTED, SAMPLED
from openbook.words.sentences import listed, plural


def positive_notes(y: Column, asked: str | None, task: Task) -> list[str]:
    found = positive_class(y, asked) if task == "classification" else None
    if found is None:
        return []
    positive, why = found
    other = next(label for label in shares(y) if label != positive)
    return [f"the positive class is {positive} ({why}); for the other, use --positive {other}"]


def as_kind(name: str, kind: str) -> str:
    """The option that makes a column this kind, as a shell reads it."""
    return f"--kind {quote(f'{name}={kind}')}"


def preparation_notes(inputs: Table, target: str, prepare: Collection[str]) -> Iterator[str]:
    """How texts are used, and the steps of --prepare."""
    for name in inputs.schema.of(Text):
        yield (
            f"{name} is read as words: learners for sparse rows use all of them, the others the {MOST_WORDS}"
            f" most informative about {target} in the training rows of each fold, or the significant ones"
            " among these"
        )
    if prepare:
        yield f"every fold prepares the inputs by its training rows: {'; '.join(prepare)}"


def gap_notes(gaps: int, used: int, target: str) -> Iterator[str]:
    """How rows without a target are used, in words."""
    if gaps:
        what = "used by semi-supervised learners only, and never tested" if used else "skipped"
        yield f"{plural(gaps, 'row')} without {target} {'is' if gaps == 1 else 'are'} {what}"


def asked_notes(name: str, n_asked: int, n_fair: int, n_rows: int) -> Iterator[str]:
    """How rows whose label was requested are used, in words."""
    if n_asked:
        yield (
            f"{plural(n_asked, 'label')} requested ({name}): these rows are for training only, since they"
            " were selected because they are hard; scores are for the"
            f" {plural(n_fair, 'other labelled row')}, which represent the {1 - n_asked / n_rows:.1%} of the"
            " table that were not requested"
        )


def role_notes(roles: Roles, test_groups: TestGroups | None) -> Iterator[str]:
    """The roles of columns that are not features, in words."""
    over_time = {
        "new": "groups the rows: scores are for new groups, without rows in training"
        " (for groups whose past is known, use --test-groups known)",
        "known": "groups the rows: scores are for known groups, whose earlier rows are in training"
        " (for new groups, use --test-groups new)",
    }
    by_group = "groups the rows: rows of one group stay in the same fold"
    words = {
        "id": "is the row ID",
        "group": over_time[test_groups] if test_groups else by_group,
        "time": "orders the rows: models are trained on the past and tested on the future",
        "asked": "marks the labels that were requested",
        "sequence": "identifies the sequences, which are never split; sequence models predict the rows of a"
        " sequence together",
    }
    for role, name in roles.named.items():
        if role in words:
            yield f"{name} {words[role]}; it is not used as a feature"
    for name in roles.sensitive:
        part = "is not used as a feature"
        if name not in roles.ignore:
            part = f"is also used as a feature; to exclude it, add --ignore {quote(name)}"
        yield f"{name} is sensitive: fairness is evaluated between its groups; it {part}"


def sample_notes(roles: Roles) -> Iterator[str]:
    """How a study treats files larger than memory, in words."""
    yield f"{SAMPLED}learners are evaluated on a random sample of their rows"
    if roles.bound:
        yield f"{FITTED}the sample, since its rows have an order, groups or weights"
    else:
        sample = "on those of the sample, if costs, a threshold or preparation steps need it"
        yield f"{FITTED}all rows of the files that were not held out; {sample}"


def time_notes(table: Table, roles: Roles) -> Iterator[str]:
    """The parts of the dates in the role `time` that are features; without that role, a hint to set it."""
    every = [a for a in table.schema if isinstance(a, Datetime) and not a.is_time]
    dates = [a.name for a in every if a.name not in roles.no_inputs]
    if roles.time is None and dates:
        yield (
            f"dates in {listed(dates)}: to test on later rows than those of training, add"
            f" --time {quote(dates[0])}; the elapsed time is then no feature"
        )
    if roles.time is not None and (parts := [a.part for a in calendar_parts(table, roles.time)]):
        yield f"learners use the {listed(parts)} of {roles.time}, which the future has too"


def weight_notes(name: str, weights: np.ndarray, kind: WeightKind) -> Iterator[str]:
    whole = bool((weights == np.trunc(weights)).all())
    if kind == "frequency":
        yield (
            f"{name} holds frequencies, so {len(weights):,} rows count as {weights.sum():,.0f} in fitting and"
            " scoring (for weights that count in fitting only, use --weight-kind importance); it is not used"
            " as a feature"
        )
        return
    many = f", since {weights.sum():,.0f} rows are too many to repeat" if weights.sum() > MOST_ROWS else ""
    yield (
        f"{name} gives how much a row counts in fitting; in the scores every row counts the same"
        f"{many if whole else ''}; it is not used as a feature"
    )


def effort_notes(effort: Effort) -> list[str]:
    return {
        "usual": [],
        "quick": ["a quick study: fewer folds, and no learners that are slow on this many rows"],
        "thorough": ["a thorough study: parameters are tuned inside every fold, with more repeats"],
    }[effort]
