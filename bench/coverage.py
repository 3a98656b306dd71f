"""How often 95% intervals hold the truth: `python -m bench.coverage [--simulations N] [--write]`.

A table is drawn from a known process, learners are judged on it by a protocol of studies, and each interval
is held against the truth: the score, on 50 fresh rows for each of the table's and 10,000 at least, of the
models that were fitted in the folds. Each model is judged on fresh rows of its own, in proportion to the rows
of its fold. That is what a cross-validation estimates.
Fresh rows of grouped tables are of fresh groups; the future of a time-ordered table is drawn by the same
process, and ranked in blocks as long as those of the folds. That is repeated, and coverage counted.

    classes   P(1 | x) = 1 / (1 + e^-(1.5 x1 + x2 - 1)), three more columns of noise; about 31% are 1
    numbers   y = x1 + x2² / 2 + z; two more columns of noise. Errors of a line are skewed
    groups    every group of ten has a shift of its own in x1 and in the log odds, or in y
    time      errors follow x_t = 0.5 x_{t-1} + noise

The learners are written out here: tens of thousands of fits of few rows would spend their time in the checks
of a library, and an interval does not depend on whose learners they are.
"""

import argparse
import json
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numba import njit
from scipy.signal import lfilter
from scipy.special import expit, ndtri

from bench.show import write_between
from openbook.judge import Evaluation, FoldResult, Metric, cost_metric
from openbook.judge.folds.examples import Split
from openbook.judge.folds.splits import protocol
from openbook.judge.scores.metrics import METRICS, Predictions
from openbook.plan.candidates import usual_folds

RESULTS = Path(__file__).parent / "results" / "coverage.json"
PAGE = Path(__file__).parent.parent / "docs" / "guide" / "choosing.md"
#: Fresh rows, for each row of the table and at the least: the truth must be much surer than the interval.
_FRESH, _FEWEST = 50, 10_000
_GROUP = 10

COSTS = {"1": {"0": 5.0}, "0": {"1": 1.0}}

#: What a fitted learner gives for rows: the probability of class 1, or a number.
Predict = Callable[[np.ndarray], np.ndarray]


def constant(X: np.ndarray, y: np.ndarray) -> Predict:  # noqa: ARG001 (as every learner is called)
    """0R's probability, and the mean of numbers."""
    return lambda rows: np.full(len(rows), y.mean())


def naive_bayes(X: np.ndarray, y: np.ndarray) -> Predict:
    """Gaussian naive Bayes."""
    parts = [X[y == c] for c in (0, 1)]
    if min(map(len, parts)) == 0:
        return constant(X, y)
    least = 1e-9 * X.var(axis=0).max()
    facts = [(x.mean(axis=0), x.var(axis=0) + least, np.log(len(x) / len(X))) for x in parts]

    def joint(rows: np.ndarray, mean: np.ndarray, variance: np.ndarray, prior: float) -> np.ndarray:
        return np.asarray(prior - (((rows - mean) ** 2) / variance + np.log(variance)).sum(axis=1) / 2)

    return lambda rows: expit(joint(rows, *facts[1]) - joint(rows, *facts[0]))


def logistic(X: np.ndarray, y: np.ndarray) -> Predict:
    """Logistic regression with λ = 1, by Newton's method."""
    A, w = _with_one(X), np.zeros(X.shape[1] + 1)
    penalty = np.diag([0.0, *np.ones(X.shape[1])])
    for _ in range(25):
        p = expit(A @ w)
        hessian = (A.T * (p * (1 - p))) @ A + penalty + 1e-12 * np.eye(len(w))
        step = np.linalg.solve(hessian, A.T @ (p - y) + penalty @ w)
        w -= np.clip(step, -5, 5)
        if np.abs(step).max() < 1e-6:
            break
    return lambda rows: expit(_with_one(rows) @ w)


def least_squares(X: np.ndarray, y: np.ndarray) -> Predict:
    w = np.linalg.lstsq(_with_one(X), y, rcond=None)[0]
    return lambda rows: np.asarray(_with_one(rows) @ w)


def tree(X: np.ndarray, y: np.ndarray) -> Predict:
    """A tree by squared errors, of depth 4 and at least 5 rows in a leaf; for classes that is Gini's index.

    The branches of node i are 2 i + 1 and 2 i + 2; a leaf has the column -1.
    """
    size = 2 ** (_DEPTH + 1) - 1
    column, cut, value = np.full(size, -1), np.zeros(size), np.zeros(size)
    _grow(X, y.astype(float), np.argsort(X, axis=0), column, cut, value)
    return lambda rows: _leaf_values(rows, column, cut, value)


_DEPTH, _LEAF = 4, 5


@njit(cache=True)  # type: ignore[untyped-decorator]
def _grow(X, y, order, column, cut, value):  # type: ignore[no-untyped-def]
    """Split every node of a level, and then those of the next; order has the rows of each column sorted."""
    size = len(column)
    node, gain = np.zeros(len(y), np.int64), np.full(size, 1e-12)
    rows, total = np.zeros(size), np.zeros(size)
    rows[0], total[0] = len(y), y.sum()
    for level in range(_DEPTH):
        first = 2**level - 1
        for j in range(X.shape[1]):
            left, left_sum, last = np.zeros(size), np.zeros(size), np.zeros(size)
            for i in order[:, j]:
                at = node[i]
                if at < first:
                    continue
                right = rows[at] - left[at]
                if left[at] >= _LEAF and right >= _LEAF and X[i, j] > last[at]:
                    apart = left_sum[at] / left[at] - (total[at] - left_sum[at]) / right
                    found = left[at] * right / rows[at] * apart**2
                    if found > gain[at]:
                        gain[at], column[at], cut[at] = found, j, (last[at] + X[i, j]) / 2
                left[at] += 1
                left_sum[at] += y[i]
                last[at] = X[i, j]
        for i in range(len(y)):
            at = node[i]
            if at >= first and column[at] >= 0:
                node[i] = 2 * at + (1 if X[i, column[at]] <= cut[at] else 2)
                rows[node[i]] += 1
                total[node[i]] += y[i]
    value[:] = total / np.maximum(rows, 1)


@njit(cache=True)  # type: ignore[untyped-decorator]
def _leaf_values(X, column, cut, value):  # type: ignore[no-untyped-def]
    found = np.empty(len(X))
    for i in range(len(X)):
        at = 0
        while column[at] >= 0:
            at = 2 * at + (1 if X[i, column[at]] <= cut[at] else 2)
        found[i] = value[at]
    return found


def _with_one(X: np.ndarray) -> np.ndarray:
    return np.column_stack([np.ones(len(X)), X])


LEARNERS: dict[str, dict[str, Callable[[np.ndarray, np.ndarray], Predict]]] = {
    "classes": {
        "0R": constant,
        "naive Bayes": naive_bayes,
        "logistic regression": logistic,
        "tree": tree,
    },
    "numbers": {"mean": constant, "linear regression": least_squares, "tree": tree},
}


@dataclass(frozen=True)
class Cell:
    """A protocol of studies, on tables of so many rows."""

    task: str
    protocol: str
    rows: int

    @property
    def key(self) -> str:
        return f"{self.task}, {self.protocol}, {self.rows}"


def cells() -> Iterator[Cell]:
    for task in ("classes", "numbers"):
        for way, sizes in {
            **dict.fromkeys(("usual", "quick", "grouped", "time-ordered"), (50, 200, 1000, 2000)),
            "held-out": (200, 1000),
        }.items():
            for rows in sizes:
                yield Cell(task, way, rows)


def drawn(cell: Cell, n: int, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Inputs, targets and groups of n rows."""
    X = rng.normal(size=(n, 5 if cell.task == "classes" else 4))
    groups = np.arange(n) // _GROUP
    shift = np.zeros(n)
    if cell.protocol == "grouped":
        X[:, 0] += rng.normal(size=n)[groups]
        shift = rng.normal(size=n)[groups]
    noise = rng.normal(size=n)
    if cell.protocol == "time-ordered":
        noise[1:] *= np.sqrt(0.75)
        noise = lfilter([1.0], [1.0, -0.5], noise)
    if cell.task == "numbers":
        return X, X[:, 0] + X[:, 1] ** 2 / 2 + shift + noise, groups
    logit = 1.5 * X[:, 0] + X[:, 1] - 1 + shift
    threshold = ndtri(1 / (1 + np.exp(-logit)))
    return X, (noise < threshold).astype(int), groups


def folds_of(cell: Cell, y: np.ndarray, groups: np.ndarray, seed: int) -> Any:
    n, task = len(y), "classification" if cell.task == "classes" else "regression"
    if cell.protocol == "held-out":
        order = np.random.default_rng(seed).permutation(n)
        return [(np.sort(order[n // 5 :]), np.sort(order[: n // 5]))]
    more: dict[str, Any] = {
        "usual": {},
        "quick": dict(zip(("n_splits", "repeats"), usual_folds("quick", n), strict=True)),
        "grouped": {"groups": groups},
        "time-ordered": {"time": np.arange(n)},
    }[cell.protocol]
    return protocol(y, task, seed, **more).split(np.zeros((n, 1)), y)


def metrics_of(task: str) -> dict[str, Metric]:
    names = ("accuracy", "roc_auc", "log_loss") if task == "classes" else ("rmse", "mae")
    found = {name: METRICS[name] for name in names}
    if task == "classes":
        found["cost"] = cost_metric(COSTS, np.array([0, 1]))
    return found


def predicted(cell: Cell, predict: Predict, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    """Labels and probabilities, or numbers."""
    found = predict(X)
    if cell.task == "numbers":
        return found, None
    return (found > 0.5).astype(int), np.column_stack([1 - found, found])


def simulate(cell: Cell, simulations: int, learner: str = "") -> dict[str, dict[str, dict[str, float]]]:
    """Coverage and mean width, by learner (of all, or one) and metric."""
    counts: dict[tuple[str, str], list[tuple[bool, bool, float, float]]] = {}
    for evaluation, truths in judged(cell, simulations, learner):
        for name, metric in metrics_of(cell.task).items():
            truth, interval = _truth(metric, truths, evaluation), evaluation.interval(metric)
            if math.isnan(interval.low):  # it says that there is none
                continue
            counts.setdefault((evaluation.name, name), []).append(
                (truth < interval.low, truth > interval.high, interval.high - interval.low, truth)
            )
    found: dict[str, dict[str, dict[str, float]]] = {}
    for (label, name), hits in counts.items():
        low, high, width, truth = np.array(hits, dtype=float).T
        found.setdefault(label, {})[name] = {
            "coverage": 1 - float((low + high).mean()),
            "truth below": float(low.mean()),
            "truth above": float(high.mean()),
            "width": float(width.mean()),
            "truth": float(truth.mean()),
        }
    return found


def judged(cell: Cell, simulations: int, learner: str = "") -> Iterator[tuple[Evaluation, list[Predictions]]]:
    """Each learner, or one, on each table, with what its models predict of fresh rows."""
    rng = np.random.default_rng([0, cell.rows, len(cell.protocol), len(cell.task)])
    k = 2 if cell.task == "classes" else 0
    for i in range(simulations):
        X, y, groups = drawn(cell, cell.rows, rng)
        n_fresh = max(_FEWEST, _FRESH * cell.rows)
        fresh_X, fresh_y, _ = drawn(cell, n_fresh, rng)
        if k and len(np.unique(y)) < 2:
            continue
        splits = [Split(f, *rows) for f, rows in enumerate(folds_of(cell, y, groups, i))]
        tested = np.cumsum([len(split.test) for split in splits])
        fresh = np.split(np.arange(n_fresh), tested[:-1] * n_fresh // tested[-1])
        for label, learn in LEARNERS[cell.task].items():
            if learner not in ("", label):
                continue
            results, truths = [], []
            for split in splits:
                predict, test = learn(X[split.train], y[split.train]), split.test
                labels, proba = predicted(cell, predict, X[test])
                results.append(
                    FoldResult(split.index, test, y[test], labels, proba, split.n_train, 0.0, 0.0, None, ())
                )
                rows = fresh[split.index]
                truths.append(Predictions(fresh_y[rows], *predicted(cell, predict, fresh_X[rows]), k))
            evaluation = Evaluation(
                label,
                "classification" if k else "regression",
                np.arange(k) if k else None,
                tuple(results),
                groups=groups if cell.protocol == "grouped" else None,
                ordered=cell.protocol == "time-ordered",
            )
            yield evaluation, truths


def _truth(metric: Metric, models: list[Predictions], evaluation: Evaluation) -> float:
    """The score of fresh rows: of those of each model where rows are ranked, else of all together.

    In order of time they are ranked in blocks as long as that of the fold: neighbours are alike.
    """
    if not metric.within_folds:
        return metric(Predictions.joined(models))
    if evaluation.ordered:
        pairs = zip(models, evaluation.folds, strict=True)
        models = [p.take(block) for p, fold in pairs for block in _blocks(fold.n_test)]
    return float(np.nanmean([metric(p) for p in models]))


def _blocks(size: int) -> np.ndarray:
    """The positions of _FRESH blocks of rows."""
    return np.arange(_FRESH * size).reshape(_FRESH, size)


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument(
        "--only", default="", help='the name of a cell, such as "numbers, quick, 50", or part of it'
    )
    parser.add_argument(
        "--learner", default="", help='the name of one, such as "0R"; others keep their figures'
    )
    parser.add_argument("--write", action="store_true", help="put the tables into the guide")
    options = parser.parse_args()
    record = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    named = [cell for cell in cells() if cell.key == options.only]
    for cell in named or [cell for cell in cells() if options.only in cell.key]:
        if options.learner not in ("", *LEARNERS[cell.task]):
            continue
        found = simulate(cell, options.simulations, options.learner)
        for label, by_metric in found.items():
            record.setdefault(cell.key, {})[label] = {"simulations": options.simulations, **by_metric}
        for label, by_metric in found.items():
            words = "  ".join(f"{name} {100 * each['coverage']:.1f}%" for name, each in by_metric.items())
            print(f"{cell.key:28} {label:20} {words}", flush=True)
        RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if options.write:
        write_between(PAGE, "coverage", "\n\n".join("\n".join(_page(record, task)) for task in LEARNERS))


def _page(record: dict[str, Any], task: str) -> Iterator[str]:
    """A table of the guide: how often 95% intervals held the truth, in percent."""
    names = list(metrics_of(task))
    heads = [METRICS[name].words if name in METRICS else name for name in names]
    yield f"| {task}: protocol | rows | learner | simulations | {' | '.join(heads)} |"
    yield f"| --- | ---: | --- | ---: |{' ---: |' * len(names)}"
    for cell in cells():
        if cell.task != task or cell.key not in record:
            continue
        for label, found in record[cell.key].items():
            shares = " | ".join(f"{100 * found[name]['coverage']:.1f}" for name in names)
            yield f"| {cell.protocol} | {cell.rows:,} | {label} | {found['simulations']:,} | {shares} |"


if __name__ == "__main__":
    main()
