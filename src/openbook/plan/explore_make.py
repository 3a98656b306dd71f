"""Make the plan of a study without a target: its columns and methods."""

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from openbook.associate import frequent_itemsets
from openbook.data import Nominal, Table, Text
from openbook.data.describe import Description
from openbook.errors import ParameterError, PlanError
from openbook.plan.draft import columns_left_out, nothing_left
from openbook.plan.explore_plan import ExplorePlan, ExploreRoles, Grouping, Spotting
from openbook.plan.source import Source, content_hash
from openbook.text.describe import describe
from openbook.words.sentences import plural

#: The rows per cluster, and the fewest and most numbers of clusters that are tried.
_ROWS_PER_CLUSTER, _FEWEST_TRIED, _MOST_TRIED = 3, 3, 10

#: The most rows from which clusters, outliers and rules are learnt.
LEARNING_ROWS = 200_000

#: The most itemsets from which rules are made, and the higher supports that are tried if there are more.
_MOST_SETS, _RAISED = 20_000, (0.2, 0.3, 0.4, 0.5, 0.7, 0.9, 1.0)


def make_exploration(
    source: str | Path | Source,
    *,
    aside: str | None = None,
    kinds: Mapping[str, Any] | None = None,
    ignore: Collection[str] = (),
    id: str | None = None,  # noqa: A002 (the role's own name)
    random_state: int = 0,
    table: Table | None = None,
    description: Description | None = None,
) -> ExplorePlan:
    """A plan to explore a file or a bundled set.

    Parameters
    ----------
    source : path of a file, name of a bundled set, or a Source
    aside : a column, such as a class, that is only compared with the clusters; a bundled set has one of its
    own kinds : the kinds of some columns, as in `openbook.read`; a column named here is no identifier
    ignore : columns to leave out, besides likely identifiers and constant columns
    id : the column that names the rows
    random_state : the random seed
    table, description : of the source, if they are at hand

    Examples
    --------
    >>> plan = make_exploration("iris")
    >>> plan.roles.aside, plan.groups.learner
    ('species', 'k_means')
    """
    origin = source if isinstance(source, Source) else Source.of(source, kinds)
    table = origin.read() if table is None else table
    aside = aside or origin.default_target()
    description = description or describe(table)
    roles = ExploreRoles(aside, (), id)
    ignored = dict(columns_left_out(table, roles.columns, ignore, origin.kinds, description))
    ignored |= _of_one_value(roles, ignored, description)
    roles = replace(roles, ignore=tuple(ignored))
    notes = [f"{name} is not used: {reason}" for name, reason in ignored.items()]
    if aside is not None:
        notes.append(f"{aside} is not used as a feature; it is compared with the clusters afterwards")
    inputs = table.drop(*roles.columns)
    texts = inputs.schema.of(Text)
    how = "by its words, projected onto their leading directions (latent semantic analysis)"
    notes += [f"{name} is used {how}" for name in texts]
    if not inputs.names:
        raise PlanError(nothing_left("explore", ignored))
    most = min(_MOST_TRIED, len(table) // _ROWS_PER_CLUSTER)
    if most < _FEWEST_TRIED:
        what = f"clustering needs at least {_FEWEST_TRIED * _ROWS_PER_CLUSTER}"
        raise PlanError(f"{plural(len(table), 'row')}: {what}; see openbook describe")
    most = max(_FEWEST_TRIED, min(most, inputs.to_polars().n_unique()))  # more would stay empty
    nominal = any(isinstance(attribute, Nominal) for attribute in inputs.schema)
    plan = ExplorePlan(
        data=replace(origin, sha256=content_hash(table)),
        roles=roles,
        groups=Grouping("k_prototypes" if nominal else "k_means", {"n_init": 3}, most),
        oddities=Spotting("isolation_limits"),
        random_state=random_state,
        notes=tuple(notes),
    )
    others, rows = inputs.drop(*texts), rows_to_explore(len(table), LEARNING_ROWS, random_state)
    return _with_support(plan, others.take(rows)) if others.names else plan


def rows_to_explore(n: int, most: int, random_state: int) -> np.ndarray:
    """At most this many of n rows, drawn at random, in order."""
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(random_state).choice(n, most, replace=False))


def _with_support(plan: ExplorePlan, X: Table) -> ExplorePlan:
    """The plan with the least support at which there are not too many sets of items."""
    rules = plan.associations
    for support in (rules.min_support, *_RAISED):
        try:
            frequent_itemsets(X, support, rules.max_length, most=_MOST_SETS)
        except ParameterError:  # too many
            continue
        break
    if support == rules.min_support:
        return plan
    why = f"at {rules.min_support:g} there are more than {_MOST_SETS:,} sets of items to examine"
    note = f"rules must hold for {support:g} of the rows: {why}"
    return replace(plan, associations=replace(rules, min_support=support), notes=(*plan.notes, note))


def _of_one_value(
    roles: ExploreRoles, ignored: Collection[str], description: Description
) -> Iterator[tuple[str, str]]:
    """The columns with one value or none."""
    for column in description.columns:
        if column.distinct < 2 and column.name not in (*roles.columns, *ignored):
            yield column.name, "it has only one value" if column.distinct else "it has no values"
