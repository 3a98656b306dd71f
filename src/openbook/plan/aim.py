"""The task of a study: its table and target; classification, regression or several labels."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from openbook.border.rows import NO_LABEL
from openbook.data import Categorical, Datetime, Labels, Numeric, Table, Text
from openbook.data.dates import number_of_cell
from openbook.errors import NotEvaluableError, PlanError, did_you_mean
from openbook.judge.scores.metrics import Task
from openbook.plan.notes import as_kind
from openbook.plan.source import Source
from openbook.words.parameters import documented
from openbook.words.sentences import listed, plural

#: A numeric target of at most this many whole numbers, with this many rows each on average, is taken for
#: classes.
_FEW_CLASSES = 10
_ROWS_PER_CLASS = 5


class Aim(NamedTuple):
    """A table, the column to predict, and the task with its reason.

    Attributes
    ----------
    source : Source
        Where the table comes from.
    table : Table
        The table.
    target : str
        The column to predict.
    task : Task
        Whether classes, numbers or several labels at once are predicted.
    why : str
        The reason for the task, in words.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> weather = aim("weather")
    >>> weather.target, weather.task
    ('play', 'classification')
    """

    source: Source
    table: Table
    target: str
    task: Task
    why: str


@documented
def aim(
    source: str | Path | Source,
    target: str | Sequence[str] | None = None,
    kinds: Mapping[str, Any] | None = None,
) -> Aim:
    """Read a file or a bundled set, and decide whether to predict classes, numbers or labels.

    Parameters
    ----------
    source : str, Path or Source
        The path of a file, or the name of a bundled set.
    target : str, sequence of str or None, default=None
        The column to predict; a bundled set has one of its own. Several columns of 0 and 1 are labels, which
        are predicted together.
    kinds : mapping or None, default=None

    Returns
    -------
    Aim

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> aim("iris").target
    'species'
    """
    origin = source if isinstance(source, Source) else Source.of(source, kinds)
    origin, target = origin.aimed_at(target)
    table = origin.read()
    target = target or origin.default_target()
    if target is None:
        raise PlanError(f"say which column to predict: --target NAME. {did_you_mean('', table.names)}")
    parts = [part.strip() for part in target.split(",")]
    if target not in table and len(parts) > 1 and set(parts) <= set(table.names):
        repeated = " ".join(f"--target {part}" for part in parts)
        raise PlanError(f"no column {target!r}; to predict several labels together, repeat it: {repeated}")
    column = table.column(target)
    as_classes = f"if these are classes, add {as_kind(target, 'nominal')}"
    if isinstance(column.attribute, Text):
        raise PlanError(f"target {target!r} is free text, which no learner predicts; {as_classes}")
    if isinstance(column.attribute, Datetime):
        what = f"target {target!r} holds dates or times, which no learner predicts"
        hint = "predict a column of numbers, such as the days from another date"
        raise PlanError(f"{what}; {hint}, or, {as_classes}")
    known = column.data[~column.missing]
    if len(known) == 0 or (known == known[0]).all():
        what = f"one value only ({column.take(~column.missing)[0]})" if len(known) else "no value at all"
        raise NotEvaluableError(
            f"target {target!r} has {what}, so there is nothing to predict; choose another"
        )
    if isinstance(column.attribute, Labels):
        return Aim(origin, table, target, "multilabel", _why_labels(column.attribute, origin.labels))
    if not isinstance(column.attribute, Numeric):
        why = f"{target} is {column.attribute.kind}, so this is classification"
        return Aim(origin, table, target, "classification", why)
    if target in origin.kinds or not (count := _few_whole_numbers(known)):
        return Aim(origin, table, target, "regression", f"{target} is numeric, so this is regression")
    why = f"{target} holds {count} whole numbers only, so this is classification"
    why += f"; for regression, add {as_kind(target, 'numeric')}"
    # read again, since a cell as a category keeps the spelling that it has in the file
    origin = replace(origin, kinds={**origin.kinds, target: "nominal"})
    table = origin.read()
    if origin.path and _mostly_no_label(known):
        classes = table.schema[target]
        assert isinstance(classes, Categorical)
        none = [text for text in classes.values if number_of_cell(text, column.attribute) == NO_LABEL]
        own = {**origin.read_with.get("missing_in", {})}
        own[target] = [*own.get(target, ()), *none]
        origin = replace(origin, read_with={**origin.read_with, "missing_in": own})
        table = origin.read()
        rows = plural(int((known == NO_LABEL).sum()), "row")
        why += f"; {NO_LABEL} in {rows} stands for no label, as in scikit-learn"
        why += f" (to make it a class, add {as_kind(target, 'nominal')})"
    return Aim(origin, table, target, "classification", why)


def _mostly_no_label(known: np.ndarray) -> bool:
    """Whether -1 is in more rows than all other numbers together, which are two or more classes from 0 up."""
    others = known[known != NO_LABEL]
    return 2 * len(others) < len(known) and len(np.unique(others)) > 1 and bool((others >= 0).all())


def _why_labels(attribute: Labels, columns: Collection[str]) -> str:
    labels = f"{plural(len(attribute.labels), 'label')} ({listed(attribute.labels, 5)})"
    if columns:
        return f"{plural(len(columns), 'target')} of 0 and 1, so {labels} are predicted together"
    words = f"{attribute.name} holds sets of labels, so {labels} are predicted together"
    return f"{words}; for a class for each set, add {as_kind(attribute.name, 'nominal')}"


def _few_whole_numbers(known: np.ndarray) -> int:
    """The number of distinct values, if they look like classes; 0 otherwise."""
    if not np.isfinite(known).all() or (known != np.trunc(known)).any():
        return 0
    distinct = len(np.unique(known))
    return distinct if distinct <= min(_FEW_CLASSES, len(known) // _ROWS_PER_CLASS) else 0
