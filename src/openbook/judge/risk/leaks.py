"""Leaks: reasons why a score is better than it will be on new rows.

Looked for in the table:

    leak               a column alone tells the target, or nearly (`openbook.data.findings.leaks`)
    computed           the target is a sum or a product of other columns (`openbook.data.findings.computed`)
    target encoding    a column is made of means of the target over all rows
    identifier         a column names its row
    duplicate rows     rows that come more than once, and so in training and in test; near-duplicate rows,
                       which a jitter sets apart
    groups             a column names whom or what a row belongs to, and several rows belong together
    order              rows stand in the order of a column that may be time
    scaled, filled     columns were prepared on all rows, before the split

and, with an evaluation, in its folds: which share of the test rows has an equal twin in training, or belongs
to a group that trains too, and whether the model errs less on those. An evaluation keeps the rows that were
tested; which ones trained is known where those were all the others. With an evaluation there is also

    one column         a column alone explains nearly as much as the model does (`judge.single_columns`): no
                       leak in itself, but the score is as good as that column

Every finding is a suspicion. Other leaks are not found; their surest sign is a score that is too good.
`leak_test` detects preparation that uses the target before the rows are split.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.data import Column, Numeric, Schema, SparseTable, Table, read
from openbook.data.describe import describe_columns
from openbook.data.findings.finding import INDIVIDUALS, ROWS_EACH, TINY, Finding
from openbook.data.findings.near_rows import near_codes
from openbook.data.findings.repeats import row_hashes
from openbook.errors import DataError
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.examples import Examples
from openbook.judge.folds.first_round import row_losses
from openbook.judge.folds.splits import task_of
from openbook.judge.risk.leak_columns import prepared_outside
from openbook.judge.risk.single_columns import carrier
from openbook.words.numbers import shown
from openbook.words.sentences import plural
from openbook.work import ShowsWork, Work

#: A larger share of test rows with a twin in training is a warning.
_MANY_TWINS = 0.02
#: With this share or more, scores mean little, and the first line of a study says so.
_MOST_TWINS = 0.1
#: Findings of columns that give the target away.
_GIVE_AWAY = ("leak", "target encoding", "computed")
_WHOM = "id|patient|subject|person|customer|client|user|session|household|device|machine"
_NAMES_GROUPS = re.compile(rf"(^|[\W_])({_WHOM})s?($|[\W_\d])", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?|\d\d?[./]\d\d?[./]\d{4}")


@dataclass(frozen=True, repr=False, eq=False)
class Leaks(ShowsWork):
    """Signs of leaks; see `leaks`.

    Attributes
    ----------
    findings : tuple of Finding
        The findings, warnings first.
    n_rows : int
        The number of rows.
    target : str
        The name of the target.
    copied : float, default=0.0
        The share of the test rows with an equal or nearly equal row in training.

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> found = leaks(*ob.load("weather").split("play"))
    >>> found.n_rows, found.of("leak")
    (14, ())
    """

    findings: tuple[Finding, ...]
    n_rows: int
    target: str
    copied: float = 0.0

    def __iter__(self) -> Iterator[Finding]:
        return iter(self.findings)

    def __len__(self) -> int:
        return len(self.findings)

    @property
    def warnings(self) -> tuple[Finding, ...]:
        """The serious findings: the score is likely to be too good."""
        return tuple(one for one in self.findings if one.severity == "warn")

    def of(self, kind: str) -> tuple[Finding, ...]:
        """The findings of one kind, such as "leak" or "duplicate rows".

        Parameters
        ----------
        kind : str
            The kind of finding.

        Returns
        -------
        tuple of Finding
        """
        return tuple(one for one in self.findings if one.kind == kind)

    @property
    def many_copies(self) -> bool:
        """Whether so many test rows have a copy in training that the scores mean little."""
        return self.copied >= _MOST_TWINS

    @property
    def suspects(self) -> tuple[str, ...]:
        """The columns that give the target away; a study evaluates its choice without them, too."""
        return tuple(self.why)

    @property
    def encodings(self) -> tuple[str, ...]:
        """Those of the suspects that hold means of the target, which do not always give it away."""
        return tuple(name for one in self.of("target encoding") for name in one.columns)

    @property
    def why(self) -> dict[str, str]:
        """A sentence for each suspect."""
        found: dict[str, str] = {}
        for one in self.findings:
            if one.kind in _GIVE_AWAY:
                words = f"{one.message.partition('. ')[0]}."
                found |= {n: words if one.kind == "computed" else f"`{n}` {words}" for n in one.columns}
        return found

    def work(self) -> Work:
        """The findings, to print or to show."""
        parts = [Work(_title(one), (), one.message) for one in self.findings]
        return Work(f"Leaks to {self.target}", tuple(parts), self._conclusion())

    def _conclusion(self) -> str:
        if not self.findings:
            return f"Nothing found in {plural(self.n_rows, 'row')}; this does not prove that nothing leaks."
        grave = len(self.warnings)
        notes = len(self.findings) - grave
        return f"{plural(grave, 'warning')}, {plural(notes, 'note')} on {plural(self.n_rows, 'row')}."


def leaks(X: Any, y: Any, evaluation: Evaluation | None = None, groups: Any = None) -> Leaks:
    """Look for leaks, which make a score too good.

    Parameters
    ----------
    X : table-like
        Whatever `openbook.read` takes.
    y : array-like or str
        Array, Series, Column, or the name of a column of X.
    evaluation : Evaluation or None, default=None
        An evaluation on these rows, optional; its folds are examined, too.
    groups : array-like or str or None, default=None
        The group of each row, or the name of a column of X. None looks for a column that may identify groups.

    Returns
    -------
    Leaks

    Notes
    -----
    Guide: docs/guide/errors.md

    Examples
    --------
    >>> import openbook as ob
    >>> X, y = ob.load("diabetes").split("progression")
    >>> found = leaks(X, y)
    >>> found.warnings, found.findings[0].kind
    ((), 'scaled')
    """
    if isinstance(groups, str):
        groups = read(X).column(groups)
    if evaluation is not None:
        task = evaluation.task
    else:
        task = task_of(read(X).column(y) if isinstance(y, str) else y)
    examples = Examples.of(X, y, task)
    if groups is not None and len(groups) != len(examples):
        raise DataError(f"X has {len(examples)} rows, but groups has {len(groups)}")
    whole = _with_target(examples)
    described = describe_columns(whole, whole.names[-1]).findings
    findings = list(prepared_outside(examples))
    encoded = {one.columns for one in findings if one.kind == "target encoding"}
    kinds = ("leak", "computed", "identifier", "groups")
    findings += [one for one in described if one.kind in kinds and one.columns not in encoded]
    twins = list(_twins(described, whole, evaluation))
    findings += [one for one, _ in twins]
    named = {one.columns for one in findings}
    findings += (one for one in _groups(examples.table, groups, evaluation) if one.columns not in named)
    findings += _ordered(examples)
    if evaluation is not None:
        findings += _one_column(examples, evaluation)
    findings.sort(key=lambda one: (one.severity != "warn", one.kind not in _GIVE_AWAY))
    return Leaks(tuple(findings), len(examples), examples.name, max((met for _, met in twins), default=0.0))


def _title(one: Finding) -> str:
    names = ", ".join(one.columns[:6]) + (f" and {len(one.columns) - 6} more" if len(one.columns) > 6 else "")
    return f"{'Warning' if one.severity == 'warn' else 'Note'}: {one.kind}" + (f" ({names})" if names else "")


def _with_target(examples: Examples) -> Table:
    """The inputs and, last, the target."""
    table, target = examples.table, examples.column
    if isinstance(table, SparseTable):
        raise DataError("sparse columns cannot be searched for leaks; pass X.toarray()")
    attribute = target.attribute
    while attribute.name in table.names:
        attribute = attribute.renamed(f"{attribute.name}'")
    return Table(Schema((*table.schema.attributes, attribute)), [*table.columns, target.data])


def _twins(
    described: tuple[Finding, ...], whole: Table, evaluation: Evaluation | None
) -> Iterator[tuple[Finding, float]]:
    """The findings of equal and of nearly equal rows, each with the share of test rows that have a twin in
    training.
    """
    for found in described:
        if found.kind == "duplicate rows":
            yield _in_folds(found, np.unique(row_hashes(whole), return_inverse=True)[1], "equal", evaluation)
        elif found.kind == "near-duplicate rows" and (near := near_codes(whole)) is not None:
            yield _in_folds(found, near, "equal or nearly equal", evaluation)


def _in_folds(
    found: Finding, same: np.ndarray, how: str, evaluation: Evaluation | None
) -> tuple[Finding, float]:
    met = None if evaluation is None else _met_in_training(same, evaluation)
    if evaluation is None or met is None or not met.any():
        return found, 0.0
    message = (
        f"{_share(met)} of the test rows have an {how} twin, target included, among their training rows."
        f"{_errors(met, evaluation)} Remove accidental copies, or keep copies together as groups."
    )
    share = float(met.mean())
    return Finding(found.kind, found.columns, "warn" if share > _MANY_TWINS else "note", message), share


def _one_column(examples: Examples, evaluation: Evaluation) -> Iterator[Finding]:
    """Whether one column carries the model."""
    found = carrier(examples, evaluation)
    if found is None:
        return
    message = (
        f"one column carries the model: by itself it explains {found.share:.1%} of the variance of"
        f" {examples.name!r} in rows not used for training, and the model with all columns"
        f" {found.model:.1%}. Make sure that it will be known, and measured the same way, when you predict."
    )
    yield Finding("one column", (found.column,), "note", message)


def _groups(table: Table, groups: Any, evaluation: Evaluation | None) -> Iterator[Finding]:
    """Groups that are split across folds, or a column that may name groups."""
    if groups is None:
        yield from _may_name_groups(table)
        return
    labels = groups.values if isinstance(groups, Column) else np.asarray(groups, dtype=object)
    name = (groups.name,) if isinstance(groups, Column) else ()
    _, codes = np.unique([str(label) for label in labels], return_inverse=True)
    if evaluation is None:
        number = plural(int(codes.max()) + 1, "group")
        message = f"{number}: pass groups to `evaluate`, so that none is split."
        yield Finding("groups", name, "note", message)
        return
    met = _met_in_training(codes, evaluation)
    if met is not None and met.any():
        message = (
            f"{_share(met)} of the test rows belong to a group in training.{_errors(met, evaluation)}"
            " New groups will be predicted less well: pass groups to `evaluate`."
        )
        yield Finding("groups", name, "warn", message)


def _may_name_groups(table: Table) -> Iterator[Finding]:
    for name in table.names:
        column = table.column(name)
        if isinstance(column.attribute, Numeric) and not _NAMES_GROUPS.search(name):
            continue
        known = column.values[~column.missing]
        if len(known) and _DATE.match(str(known[0])):
            continue
        values = len(set(known.tolist()))
        if values >= INDIVIDUALS and 1.5 <= len(known) / values <= ROWS_EACH:
            message = (
                f"{values:,} values, {len(known) / values:.1f} rows each. If rows of one value belong"
                " together (a person, a machine), a random split puts them on both sides: use"
                f" groups={name!r}."
            )
            yield Finding("groups", (name,), "note", message)


def _ordered(examples: Examples) -> Iterator[Finding]:
    """Columns that rise with the rows, as time does."""
    table = examples.table
    message = (
        "the rows are sorted by it. If it is time, a random split predicts the past from the future:"
        " split by time (`TimeOrdered`)."
    )
    for name in table.names if len(table) >= TINY else ():
        column = table.column(name)
        if not column.missing.any() and _rises(column):
            yield Finding("order", (name,), "note", message)


def _rises(column: Column) -> bool:
    """Whether a column of many values, numbers or dates, never falls."""
    if isinstance(column.attribute, Numeric):
        numbers = column.data
        return bool((np.diff(numbers) >= 0).all()) and len(np.unique(numbers)) > len(numbers) / 2
    texts = [str(value) for value in column.values]
    if not all(_DATE.match(text) for text in texts[:INDIVIDUALS]):
        return False
    return texts == sorted(texts) and len(set(texts)) >= INDIVIDUALS


def _met_in_training(codes: np.ndarray, evaluation: Evaluation) -> np.ndarray | None:
    """Which tested rows of the first round share their code with a training row; None if that is not known.

    By their number, the training rows are all other rows, or all others that are tested.
    """
    folds = evaluation.first_round
    tested = np.concatenate([fold.rows for fold in folds])
    if (last := int(tested.max())) >= len(codes):
        raise DataError(f"{evaluation.name} was tested on row {last}, and X has {len(codes)} rows")
    used = {fold.n_train + fold.n_test for fold in folds}
    if used not in ({len(codes)}, {len(tested)}):
        return None
    kinds = int(codes.max()) + 1
    known = np.bincount(codes if used == {len(codes)} else codes[tested], minlength=kinds)
    met = [(known - np.bincount(codes[fold.rows], minlength=kinds))[codes[fold.rows]] > 0 for fold in folds]
    return np.concatenate(met)


def _share(met: np.ndarray) -> str:
    return f"{int(met.sum()):,} of {len(met):,} ({met.mean():.1%})"


def _errors(met: np.ndarray, evaluation: Evaluation) -> str:
    """The error of the model on those rows, and on the others."""
    if met.all():
        return ""
    loss, losses = row_losses(evaluation, None)
    words = {"wrong": "Error", "hamming": "Hamming loss"}.get(loss, "Mean absolute error")
    those, others = (shown(float(losses[rows].mean())) for rows in (met, ~met))
    return f" {words} {those} on those rows, {others} on the others."
