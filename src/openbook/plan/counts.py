"""Weights of rows: frequencies or importances.

    frequency     a row stands for so many equal rows: it is repeated in learning, folds, scores and counts
    importance    a row counts so much in learning; in folds, scores and counts it is one row

Whole numbers, at least one of them above 1, are taken for frequencies, unless they add up to more than five
million rows. A row with frequency 0 is not used. A missing weight is an error where the target is known.
"""

from dataclasses import replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from openbook.data import Numeric, Table
from openbook.data.describe import Description
from openbook.errors import PlanError
from openbook.text.describe import describe

if TYPE_CHECKING:
    from openbook.plan.parts import Roles

WeightKind = Literal["frequency", "importance"]

#: Frequencies that add up to more rows are not repeated.
MOST_ROWS = 5_000_000

#: The findings of a description that are about repeated rows.
_COPIES = ("duplicate rows", "near-duplicate rows")


def weights_of(table: Table, name: str, target: str) -> np.ndarray:
    """The weight of every row; 0 if it is missing and the target too."""
    column, known = table.column(name), ~table.column(target).missing
    if not isinstance(column.attribute, Numeric):
        raise PlanError(f"roles.weight: {name!r} is {column.attribute.kind}, and weights are numbers")
    weights = column.data
    if (wrong := known & ~(np.isfinite(weights) & (weights >= 0))).any():
        row = int(np.argmax(wrong))
        what = f"{name!r} must be a number of at least 0 in every row"
        raise PlanError(f"roles.weight: {what}, and row {row} has {weights[row]:g}")
    if not weights[known].any():
        raise PlanError(f"roles.weight: {name!r} is 0 in every row")
    return np.where(np.isfinite(weights) & (weights >= 0), weights, 0)


def kind_of_weights(weights: np.ndarray) -> WeightKind:
    return "frequency" if _are_counts(weights) and weights.max() > 1 else "importance"


def _are_counts(weights: np.ndarray) -> bool:
    return bool((weights == np.trunc(weights)).all()) and weights.sum() <= MOST_ROWS


def counted_rows(positions: np.ndarray, weights: np.ndarray, name: str) -> np.ndarray:
    """Positions, each repeated by its weight; PlanError if the weights cannot be frequencies."""
    if not _are_counts(weights):
        limit = f"those are whole numbers that add up to at most {MOST_ROWS:,} rows"
        what = f"{name!r} cannot be frequencies: {limit}"
        raise PlanError(f"roles.weight: {what}; say --weight-kind importance")
    return np.repeat(positions, weights[positions].astype(np.intp))


def described(
    table: Table, target: str, weight: str | None = None, kind: WeightKind | None = None
) -> Description:
    """The description of a table; if weights are frequencies, of the repeated rows without the weights."""
    if weight is None or weight == target or kind == "importance":
        return describe(table, target)
    weights = weights_of(table, weight, target)
    if kind_of_weights(weights) != "frequency":
        return describe(table, target)
    found = describe(table.drop(weight).take(counted_rows(np.arange(len(table)), weights, weight)), target)
    return replace(found, findings=tuple(one for one in found.findings if one.kind not in _COPIES))


#: Findings on how learners treat a column: any column, and features only.
_OF_COLUMNS, _OF_FEATURES = ("dates", "many values"), ("few values", "free text", "outliers", "skew")


def about_features(description: Description, roles: "Roles") -> Description:
    """The description, without remarks on how features are treated for columns that are not features.

    An identifier is reported for a column that was left out for this reason, not for one with a role. A
    column that may name groups is reported whether it is a feature or not.
    """
    gone = set(roles.no_inputs)
    silent = dict.fromkeys(_OF_COLUMNS, gone) | dict.fromkeys(_OF_FEATURES, gone - {roles.target})
    silent["identifier"] = gone - set(roles.ignore)
    silent["groups"] = gone - {roles.id, *roles.ignore}
    kept = (one for one in description.findings if silent.get(one.kind, set()).isdisjoint(one.columns))
    return replace(description, findings=tuple(kept))
