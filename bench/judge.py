"""From measurements to figures: typical times, ratios with their spread, and whether goals are reached."""

import math
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np

from bench.workload import Goal, Workload

__all__ = ["Line", "Verdict", "lines", "verdicts"]

STEPS = ("fit", "predict")


@dataclass(frozen=True)
class Line:
    """A row of the table; figures are None where there are none."""

    label: str
    seconds: dict[str, float]
    worst: dict[str, float]
    above: dict[str, int]
    peak: dict[str, int]
    input: int
    quality: dict[str, Any]
    note: str = ""


@dataclass(frozen=True)
class Verdict:
    """A goal, what was measured (None: nothing could be), and whether that is enough.

    `spread` is the range of a ratio by round.
    """

    goal: Goal
    value: float | None
    reached: bool
    spread: tuple[float, float] | None = None


def lines(workload: Workload, result: dict[str, Any]) -> list[Line]:
    """A line for each contestant, with a note where it is absent, failed, or differs in quality."""
    made = {label: _line(workload, label, found) for label, found in result["contestants"].items()}
    known = [line for line in made.values() if line.quality]
    tolerance = workload.tolerance + workload.noise / math.sqrt(result["rows"])
    return [_flagged(line, known[0], tolerance) if known and line.quality else line for line in made.values()]


def _line(workload: Workload, label: str, found: dict[str, Any]) -> Line:
    rounds = found.get("rounds", [])
    note = found.get("absent") or (f"failed: {found['failed']}" if "failed" in found else "")
    if not rounds:
        return Line(label, {}, {}, {}, {}, 0, {}, note)
    steps = [step for step in STEPS if step in rounds[0]["steps"]]
    times = {step: [s for r in rounds for s in r["steps"][step]["seconds"]] for step in steps}
    memory = [step for step in steps if "above" in rounds[0]["steps"][step]]
    return Line(
        label,
        {step: _typical(workload, times[step]) for step in steps},
        {step: max(times[step]) for step in steps},
        {step: max(r["steps"][step]["above"] for r in rounds) for step in memory},
        {step: max(r["steps"][step]["peak"] for r in rounds) for step in memory},
        rounds[0]["input"],
        rounds[-1].get("quality", {}),
        note,
    )


def _typical(workload: Workload, seconds: list[float]) -> float:
    return {"best": min, "median": median}[workload.typical](seconds)


def _flagged(line: Line, first: Line, tolerance: float) -> Line:
    """The line, its quality noted where it is not that of the first."""
    gaps = {
        name: _gap(value, first.quality[name])
        for name, value in line.quality.items()
        if name in first.quality
    }
    odd = [name for name, gap in gaps.items() if not gap <= tolerance]
    if not odd:
        return line
    note = f"NOT EQUAL: {odd[0]} differs by {gaps[odd[0]]:.3g}, allowed {tolerance:.3g}"
    return Line(**{**vars(line), "note": "; ".join(filter(None, (line.note, note)))})


def _gap(a: Any, b: Any) -> float:
    """The greatest difference, relative where numbers are greater than 1."""
    a, b = np.asarray(a, dtype=float), np.asarray(b, dtype=float)
    if a.shape != b.shape:
        return math.inf
    return float(np.max(np.abs(a - b) / np.maximum(1.0, np.abs(b)), initial=0.0))


def verdicts(workload: Workload, result: dict[str, Any]) -> list[Verdict]:
    """How each goal stands."""
    by_label = {line.label: line for line in lines(workload, result)}
    return [_verdict(goal, by_label, workload, result) for goal in workload.goals]


def _verdict(goal: Goal, by_label: dict[str, Line], workload: Workload, result: dict[str, Any]) -> Verdict:
    ours, step = by_label[goal.contestant], goal.step
    if step not in ours.seconds:
        return Verdict(goal, None, reached=False)
    if goal.peers:
        return _beside_peers(goal, by_label, workload, result)
    value = {
        "seconds": lambda: ours.seconds[step],
        "share": lambda: ours.above[step] / max(ours.input, 1),
        "bytes": lambda: ours.peak[step],
    }[goal.measure]()
    return Verdict(goal, value, value <= goal.limit)


def _beside_peers(
    goal: Goal, by_label: dict[str, Line], workload: Workload, result: dict[str, Any]
) -> Verdict:
    """A goal that others set: the best of those that were measured, and as good as we are."""
    ours, figure = by_label[goal.contestant], "above" if goal.measure == "memory" else "seconds"
    peers = [by_label[label] for label in goal.peers if goal.step in getattr(by_label[label], figure)]
    if not peers:
        return Verdict(goal, None, reached=False)
    best = min(peers, key=lambda line: getattr(line, figure)[goal.step])
    equal = not any("NOT EQUAL" in line.note for line in (ours, best))
    mine, theirs = (getattr(line, figure)[goal.step] for line in (ours, best))
    if goal.measure == "memory":
        value = mine / max(theirs, 1)
        return Verdict(goal, value, equal and value <= goal.limit)
    low, high = _spread(workload, result, goal, best.label)
    if goal.measure == "growth":
        value = mine / theirs
        return Verdict(goal, value, equal and value <= goal.limit, (1 / high, 1 / low))
    value = theirs / mine
    return Verdict(goal, value, equal and value >= goal.limit, (low, high))


def _spread(workload: Workload, result: dict[str, Any], goal: Goal, peer: str) -> tuple[float, float]:
    """The least and greatest ratio of one round's times."""
    ours, theirs = (result["contestants"][label]["rounds"] for label in (goal.contestant, peer))
    ratios = [
        _typical(workload, b["steps"][goal.step]["seconds"])
        / _typical(workload, a["steps"][goal.step]["seconds"])
        for a, b in zip(ours, theirs, strict=False)
    ]
    return min(ratios), max(ratios)
