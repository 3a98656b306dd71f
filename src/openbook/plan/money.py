"""Costs of errors by truth and prediction, in the order of a confusion table: costs[truth][predicted].

A correct decision costs 0 by default; every error needs a cost. `MinimumRisk` then makes the decisions, with
costs by decision and truth, and learners can be ranked by the mean cost per row.
"""

import csv
import math
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from openbook.errors import DataError, PlanError

Costs = Mapping[str, Mapping[str, float]]

#: The name of the metric.
COST = "cost"

_HEADER = ("truth", "predicted", "cost")


def by_decision(costs: Costs) -> dict[str, dict[str, float]]:
    """The costs as `MinimumRisk` takes them: by decision, then truth."""
    turned: dict[str, dict[str, float]] = {}
    for truth, row in costs.items():
        for predicted, cost in row.items():
            turned.setdefault(predicted, {})[truth] = cost
    return turned


def read_costs(path: str | Path) -> dict[str, dict[str, float]]:
    """The costs in a small CSV file of the columns truth, predicted and cost, in any order."""
    costs: dict[str, dict[str, float]] = {}
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            rows = csv.DictReader(file, skipinitialspace=True)
            if set(rows.fieldnames or ()) != set(_HEADER):
                found = ", ".join(rows.fieldnames or ()) or "none"
                raise PlanError(f"{path}: the columns must be {', '.join(_HEADER)}, got {found}")
            for row in rows:
                truth, predicted, cost = (row[name] for name in _HEADER)
                where = f"{path}, line {rows.line_num}"
                if predicted in costs.setdefault(truth, {}):
                    raise PlanError(f"{where}: deciding {predicted!r} for {truth!r} has two costs")
                costs[truth][predicted] = _money(cost, where)
    except UnicodeDecodeError:
        raise DataError(f"{path}: not UTF-8 text") from None
    if not costs:
        raise PlanError(f"{path} holds no costs; give a line for each mistake, as in sick,well,100")
    return costs


def _money(text: Any, where: str) -> float:
    try:
        cost = float(text)
    except (TypeError, ValueError):
        cost = math.nan
    if not math.isfinite(cost):
        raise PlanError(f"{where}: the cost must be a number, got {text!r}")
    return cost
