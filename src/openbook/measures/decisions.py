"""Decisions of least expected cost.

    R(i | x) = Σ_j cost[i, j] P(j | x)

`cost[i, j]` is the cost of deciding i when the truth is j: decisions are rows, truths are columns. Costs of
correct decisions (the diagonal) are allowed, and so are negative costs, which are gains. With 0/1 costs the
risk is 1 - P(i | x), and the decision of least risk is the class of the largest posterior.

Shapes: proba (n_classes,) or (n_rows, n_classes); costs (n_classes, n_classes); risks as proba.
Missing values: a probability must be known; NaN is refused.
"""

from collections.abc import Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import as_text
from openbook.errors import ParameterError, did_you_mean
from openbook.measures.arrays import Floats, as_floats
from openbook.measures.shown import derived_by
from openbook.words.numbers import figure
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

Costs = npt.ArrayLike | Mapping[Any, Mapping[Any, float]]

# Probabilities of a float32 model still sum to one within this; rounded ones (0.33 three times) do not.
_SUM_TOLERANCE = 1e-5


def cost_matrix(costs: Costs, classes: Sequence[Any]) -> Floats:
    """The costs as a checked matrix in the order of the classes.

    Parameters
    ----------
    costs : Costs
        Square array, or nested mapping `costs[decision][truth]`. A mapping may leave out correct decisions,
        which then cost 0; every other pair must be there.
    classes : sequence
        Class labels, in the order of the columns of the probabilities.

    Returns
    -------
    array of shape (n_classes, n_classes)

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    Missing a sick person costs ten times as much as frightening a healthy one:

    >>> cost_matrix({"well": {"sick": 10}, "sick": {"well": 1}}, classes=["well", "sick"])
    array([[ 0., 10.],
           [ 1.,  0.]])
    """
    labels = [as_text(label) for label in classes]
    matrix = _from_mapping(costs, labels) if isinstance(costs, Mapping) else as_floats(costs, "costs")
    if matrix.shape != (len(labels), len(labels)):
        msg = f"costs must have one row and one column per class: {(len(labels),) * 2}, got {matrix.shape}"
        raise ParameterError(msg)
    if not np.isfinite(matrix).all():
        i, j = np.argwhere(~np.isfinite(matrix))[0]
        msg = f"costs must be finite, got {matrix[i, j]} for deciding {labels[i]!r} when it is {labels[j]!r}"
        raise ParameterError(msg)
    return matrix


def risk_steps(labels: Sequence[str], matrix: Floats, proba: Sequence[float]) -> list[Step]:
    """The expected cost of each decision, from its costs and the probabilities of the truth."""
    steps = []
    for label, costs in zip(labels, matrix.tolist(), strict=True):
        pairs = list(zip(costs, proba, strict=True))
        numbers = joined([rf"{figure(cost)} \cdot {figure(p)}" for cost, p in pairs])
        risk = sum(cost * p for cost, p in pairs)
        steps.append(Step(f"R({label} | x)", r"\sum_j \lambda_{ij} \cdot P(j \mid x)", numbers, risk))
    return steps


def least_risk(steps: Sequence[Step], labels: Sequence[str], reject: float | None = None) -> str:
    """The decision of lowest expected cost, in words; ties: the first."""
    risks = [float(step.result) for step in steps if step.result is not None]
    if reject is not None and min(risks) > reject:
        return f"Rejecting costs {figure(reject)}, less than any decision: rejected."
    return f"Lowest expected cost: {labels[risks.index(min(risks))]}."


def _derive_risk(
    proba: npt.ArrayLike, costs: Costs, classes: Sequence[Any] | None = None, reject: float | None = None
) -> Work:
    """The decision for one row: the expected cost of each, the lowest, and whether rejecting costs less."""
    probabilities = _probabilities(proba)
    if probabilities.ndim != 1:
        msg = f"the work is of one row, a probability for each class, got the shape {probabilities.shape}"
        raise ParameterError(msg)
    names = _labels(costs, classes, len(probabilities))
    matrix, labels = cost_matrix(costs, names), [as_text(name) for name in names]
    rows = [(label, *row) for label, row in zip(labels, matrix.tolist(), strict=True)]
    grid = Grid("costs", ("decide", *(f"truth {label}" for label in labels)), rows)
    steps = risk_steps(labels, matrix, probabilities.tolist())
    return Work("Decision of minimum risk", (grid, *steps), least_risk(steps, labels, reject))


def threshold_steps(labels: Sequence[str], matrix: Floats, threshold: float) -> list[Step]:
    """The probability of the second class above which deciding for it costs less."""
    (right_0, miss), (alarm, right_1) = matrix.tolist()
    first, second = labels
    numbers = {"c_{10}": alarm, "c_{00}": right_0, "c_{01}": miss, "c_{11}": right_1}
    cheaper = r"c_{10} (1 - p) + c_{11} p < c_{00} (1 - p) + c_{01} p"
    note = f"p = P({second} | x); c_10 is the cost of deciding {second} when the truth is {first}"
    formula = r"\frac{(c_{10} - c_{00})}{(c_{10} - c_{00}) + (c_{01} - c_{11})}"
    return [
        Step(f"decide {second} where", cheaper, note=note),
        Step.of("p above", formula, numbers, threshold),
    ]


def _derive_threshold(costs: Costs, classes: Sequence[Any] | None = None) -> Work:
    """The threshold between two decisions, from their costs."""
    threshold, names = risk_threshold(costs, classes), _labels(costs, classes, 2)
    steps = threshold_steps([as_text(name) for name in names], cost_matrix(costs, names), threshold)
    return Work("Threshold of minimum risk", tuple(steps))


@derived_by(_derive_risk)
def expected_risk(proba: npt.ArrayLike, costs: Costs, classes: Sequence[Any] | None = None) -> Floats:
    """Expected cost of each decision: R(i | x) = Σ_j cost[i, j] P(j | x).

    Parameters
    ----------
    proba : array of shape (n_classes,) or (n_rows, n_classes)
        The probability of each class.
    costs : Costs
        Square array, or nested mapping `costs[decision][truth]`.
    classes : sequence or None, default=None
        Class labels in the order of the columns of `proba`; needed where the costs are labelled.

    Returns
    -------
    array of the shape of `proba`
        Its argmin along the last axis is the decision.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> expected_risk([0.9, 0.1], [[0, 10], [1, 0]])
    array([1. , 0.9])
    """
    probabilities = _probabilities(proba)
    return probabilities @ cost_matrix(costs, _labels(costs, classes, probabilities.shape[-1])).T


@derived_by(_derive_threshold)
def risk_threshold(costs: Costs, classes: Sequence[Any] | None = None) -> float:
    """The probability of the second class above which deciding for it has the smaller risk.

        t = (c[1,0] - c[0,0]) / ((c[1,0] - c[0,0]) + (c[0,1] - c[1,1]))

    Parameters
    ----------
    costs : Costs
        Array of shape (2, 2), or nested mapping `costs[decision][truth]`. Each wrong decision must cost more
        than the right one, or one decision would always be the better.
    classes : sequence of two or None, default=None
        Class labels; the threshold is for the second. Needed where the costs are labelled.

    Returns
    -------
    float

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> round(risk_threshold([[0, 10], [1, 0]]), 4)  # 1/11
    0.0909
    """
    labels = _labels(costs, classes, 2)
    if len(labels) != 2:
        raise ParameterError(f"a threshold needs two classes, got {len(labels)}")
    matrix = cost_matrix(costs, labels)
    for truth, label in enumerate(labels):
        if matrix[1 - truth, truth] <= matrix[truth, truth]:
            raise ParameterError(
                f"there is no threshold: when the truth is {as_text(label)!r}, the wrong decision costs"
                f" {matrix[1 - truth, truth]:g} and the right one {matrix[truth, truth]:g}; it must cost more"
            )
    regret_1 = matrix[1, 0] - matrix[0, 0]  # of deciding 1 when the truth is 0
    regret_0 = matrix[0, 1] - matrix[1, 1]  # of deciding 0 when the truth is 1
    return float(regret_1 / (regret_1 + regret_0))


def _labels(costs: Costs, classes: Sequence[Any] | None, n_classes: int) -> Sequence[Any]:
    if classes is not None:
        return classes
    if isinstance(costs, Mapping):
        msg = "the costs are labelled: say classes=[…], in the order of the probabilities' columns"
        raise ParameterError(msg)
    return range(n_classes)


def _from_mapping(costs: Mapping[Any, Mapping[Any, float]], labels: list[str]) -> Floats:
    cells: dict[tuple[str, str], Any] = {}
    for decision, row in costs.items():
        _check_label(decision, labels)
        if not isinstance(row, Mapping):
            raise ParameterError(f"costs[{decision!r}] must map each true class to a cost, got {row!r}")
        for truth, cost in row.items():
            _check_label(truth, labels)
            cells[as_text(decision), as_text(truth)] = cost
    for decision, truth in product(labels, labels):
        if decision != truth and (decision, truth) not in cells:
            msg = f"costs must say what deciding {decision!r} costs when the truth is {truth!r}"
            raise ParameterError(msg)
    return as_floats([[cells.get((decision, truth), 0) for truth in labels] for decision in labels], "costs")


def _check_label(label: Any, labels: list[str]) -> None:
    if as_text(label) not in labels:
        msg = f"costs name the class {label!r}, which is not there. {did_you_mean(as_text(label), labels)}"
        raise ParameterError(msg)


def _probabilities(proba: npt.ArrayLike) -> Floats:
    probabilities = as_floats(proba, "proba")
    if probabilities.ndim not in {1, 2}:
        msg = f"proba must have the shape (n_classes,) or (n_rows, n_classes), got {probabilities.shape}"
        raise ParameterError(msg)
    rows = np.atleast_2d(probabilities)
    good = (rows >= 0).all(axis=1) & (np.abs(rows.sum(axis=1) - 1) <= _SUM_TOLERANCE)
    if not good.all():
        row = int(np.argmin(good))
        msg = f"row {row} of proba must be probabilities that sum to one, got {rows[row].tolist()}"
        raise ParameterError(msg)
    return probabilities
