"""How often 95% intervals hold the truth: `python -m bench.coverage [--simulations N] [--write]`.

A table is drawn from a known process, learners are judged on it by a protocol of studies, and each interval
is held against the truth. The truth is the mean score, on 20,000 fresh rows or more, of the models that were
fitted in the folds (of the first round): what a cross-validation estimates. Fresh rows of grouped tables
are of fresh groups; the future of a time-ordered table is drawn by the same process. That is repeated, and
coverage counted.

    classes   P(1 | x) = 1 / (1 + e^-(1.5 x1 + x2 - 1)), three more columns of noise; about 31% are 1
    numbers   y = x1 + x2² / 2 + z; two more columns of noise. Errors of a line are skewed
    groups    every group of ten has a shift of its own in x1 and in the log odds, or in y
    time      errors follow x_t = 0.5 x_{t-1} + noise

The learners are scikit-learn's, which are quick on few rows: an interval does not depend on whose they are.
"""

import argparse
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy.special import ndtri
from sklearn.dummy import DummyClassifier, DummyRegressor
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from bench.show import write_between
from openbook.judge import Evaluation, FoldResult, Metric, cost_metric
from openbook.judge.folds.splits import protocol
from openbook.judge.scores.metrics import METRICS, Predictions

RESULTS = Path(__file__).parent / "results" / "coverage.json"
PAGE = Path(__file__).parent.parent / "docs" / "guide" / "choosing.md"
#: Fresh rows, for each row of the table and at the least: the truth must be much surer than the interval.
_FRESH, _FEWEST = 20, 20_000
_GROUP = 10

COSTS = {"1": {"0": 5.0}, "0": {"1": 1.0}}
LEARNERS: dict[str, dict[str, Callable[[], Any]]] = {
    "classes": {
        "0R": lambda: DummyClassifier(strategy="prior"),
        "naive Bayes": GaussianNB,
        "logistic regression": LogisticRegression,
        "tree": lambda: DecisionTreeClassifier(max_depth=4, min_samples_leaf=5),
    },
    "numbers": {
        "mean": DummyRegressor,
        "linear regression": LinearRegression,
        "tree": lambda: DecisionTreeRegressor(max_depth=4, min_samples_leaf=5),
    },
}


@dataclass(frozen=True)
class Cell:
    """A protocol of studies, on tables of so many rows."""

    task: str
    protocol: str
    rows: int


def cells() -> Iterator[Cell]:
    for task in ("classes", "numbers"):
        for way, sizes in {
            "usual": (50, 200),
            "quick": (50, 200, 1000, 2000),
            "grouped": (200, 1000),
            "time-ordered": (200, 1000),
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
        for i in range(1, n):
            noise[i] = 0.5 * noise[i - 1] + np.sqrt(0.75) * noise[i]
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
        "quick": {"n_splits": 5, "repeats": 1},
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


def predicted(model: Any, X: np.ndarray) -> tuple[np.ndarray, np.ndarray | None]:
    if not hasattr(model, "predict_proba"):
        return np.asarray(model.predict(X), dtype=float), None
    proba = np.asarray(model.predict_proba(X))
    if proba.shape[1] == 1:
        proba = np.column_stack([1 - proba, proba] if model.classes_[0] == 1 else [proba, 1 - proba])
    return proba.argmax(axis=1), proba


def simulate(cell: Cell, simulations: int, seed: int = 0) -> dict[str, dict[str, dict[str, float]]]:
    """Coverage and mean width, by learner and metric."""
    rng = np.random.default_rng([seed, cell.rows, len(cell.protocol), len(cell.task)])
    metrics = metrics_of(cell.task)
    k = 2 if cell.task == "classes" else 0
    counts: dict[tuple[str, str], list[tuple[bool, bool, float, float]]] = {}
    for i in range(simulations):
        X, y, groups = drawn(cell, cell.rows, rng)
        fresh_X, fresh_y, _ = drawn(cell, max(_FEWEST, _FRESH * cell.rows), rng)
        if k and len(np.unique(y)) < 2:
            continue
        splits = list(folds_of(cell, y, groups, i))
        for label, make in LEARNERS[cell.task].items():
            results, truths = [], []
            for f, (train, test) in enumerate(splits):
                model = make().fit(X[train], y[train])
                labels, proba = predicted(model, X[test])
                results.append(FoldResult(f, test, y[test], labels, proba, len(train), 0.0, 0.0, None, ()))
                if f < 10:
                    truths.append(Predictions(fresh_y, *predicted(model, fresh_X), k))
            evaluation = Evaluation(
                label,
                "classification" if k else "regression",
                np.arange(k) if k else None,
                tuple(results),
                groups=groups if cell.protocol == "grouped" else None,
                ordered=cell.protocol == "time-ordered",
            )
            for name, metric in metrics.items():
                truth = float(np.mean([metric(p) for p in truths]))
                interval = evaluation.interval(metric)
                width = interval.high - interval.low
                counts.setdefault((label, name), []).append(
                    (truth < interval.low, truth > interval.high, width, truth)
                )
    found: dict[str, dict[str, dict[str, float]]] = {}
    for (label, name), hits in counts.items():
        low, high, width, truth = np.array(hits, dtype=float).T
        found.setdefault(label, {})[name] = {
            "coverage": 1 - float((low + high).mean()),
            "truth below": float(low.mean()),
            "truth above": float(high.mean()),
            "width": float(np.nanmean(width)),
            "truth": float(truth.mean()),
        }
    return found


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.coverage", description=__doc__.split("\n")[0])
    parser.add_argument("--simulations", type=int, default=500)
    parser.add_argument(
        "--only", default="", help='part of the name of a cell, such as "quick" or "numbers, quick, 50"'
    )
    parser.add_argument("--write", action="store_true", help="put the tables into the guide")
    options = parser.parse_args()
    record = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for cell in cells():
        key = f"{cell.task}, {cell.protocol}, {cell.rows}"
        if options.only not in key:
            continue
        found = simulate(cell, options.simulations)
        record[key] = {"simulations": options.simulations, "learners": found}
        for label, by_metric in found.items():
            words = "  ".join(f"{name} {100 * each['coverage']:.1f}%" for name, each in by_metric.items())
            print(f"{key:28} {label:20} {words}", flush=True)
        RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if options.write:
        write_between(PAGE, "coverage", "\n\n".join("\n".join(_page(record, task)) for task in LEARNERS))


def _page(record: dict[str, Any], task: str) -> Iterator[str]:
    """A table of the guide: how often 95% intervals held the truth, in percent."""
    names = list(metrics_of(task))
    heads = [METRICS[name].words if name in METRICS else name for name in names]
    yield f"| {task}: protocol | rows | learner | {' | '.join(heads)} |"
    yield f"| --- | ---: | --- |{' ---: |' * len(names)}"
    for key, found in record.items():
        kind, way, rows = key.split(", ")
        if kind == task:
            for label, by_metric in found["learners"].items():
                shares = [f"{100 * by_metric[name]['coverage']:.1f}" for name in names]
                yield f"| {way} | {int(rows):,} | {label} | {' | '.join(shares)} |"


if __name__ == "__main__":
    main()
