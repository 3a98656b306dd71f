"""Run a plan: describe, lock away, judge, choose, test once, write.

The folder holds

    plan.toml        the plan
    results.jsonl    what was found so far, fold by fold; a study that was killed goes on from there
    report.html      one page
    model.openbook   the chosen learner

The model in the file is the one that was tested: fitted on the rows that were not locked away, and on all of
them where none were. So the figure of the final test is that of this very model. Results of the test are kept
too, so that no resumption looks at those rows again.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from typing import Any

import joblib
import numpy as np

import openbook
from openbook.data import Column, Table
from openbook.data.describe import Description, describe
from openbook.errors import PlanError
from openbook.fold import each
from openbook.judge import (
    Choice,
    Comparison,
    Evaluation,
    FoldResult,
    Protocol,
    evaluate_fold,
    lock_away,
    protocol,
)
from openbook.judge.examples import Examples
from openbook.judge.hear import heard
from openbook.plan.files import write_text
from openbook.plan.log import Log, Part
from openbook.plan.plan import Plan
from openbook.report import Example, StudyResult, to_html
from openbook.store import save

__all__ = ["StudyResult", "claim_folder", "run"]

FILES = ("plan.toml", "results.jsonl", "report.html", "model.openbook")

#: Of fewer rows the interpreter takes longer than the kernels do, and threads wait for one another.
_FEW_ROWS = 2_000

#: Told after each fold: how many are done, of how many.
Progress = Callable[[int, int], None]


def run(
    plan: Plan,
    folder: str | Path,
    *,
    table: Table | None = None,
    description: Description | None = None,
    workers: int = -1,
    fresh: bool = False,
    progress: Progress | None = None,
) -> StudyResult:
    """Run a plan, or go on with it, and leave everything in a folder.

    Parameters
    ----------
    plan : Plan
    folder : where to write; it may hold an earlier, unfinished run of the same plan
    table, description : of the plan's data, if the plan was just made from them
    workers : threads; -1 for one a core, or one alone where rows are few. The results do not depend on it
    fresh : throw away what the folder holds of an earlier study
    progress : called after each fold with the number done and the number in all
    """
    folder = Path(folder)
    claim_folder(plan, folder, fresh=fresh)
    rows = _Rows(plan, plan.data.checked(plan.data.read() if table is None else table))
    log = Log(folder / "results.jsonl", plan.fingerprint)
    with log.open():
        _judge(plan, rows, log, workers, progress)
        comparison = rows.comparison(log)
        choice = comparison.simplest_not_worse()
        tests = _test(plan, rows, log, choice)
    with heard():  # the same warnings as in the folds, which the report tells
        X, y = rows.X.take(rows.train), rows.y.take(rows.train)
        models = {label: plan.model(label).fit(X, y) for label in _worked(plan, comparison, choice)}
        example = _example(rows, models)
    result = StudyResult(
        name=Path(plan.data.name).name,
        plan=plan.to_toml(),
        target=plan.roles.target,
        notes=plan.notes,
        description=description or describe(rows.table, plan.roles.target),
        protocol=rows.protocol.words,
        comparison=comparison,
        baselines=plan.baselines,
        choice=choice,
        tests=tests,
        models=models,
        training=(X, y),
        rows=len(rows.train),
        example=example,
        versions=_versions(),
        folder=folder,
    )
    save(result.model, result.model_file)
    write_text(result.report, to_html(result))
    return result


def claim_folder(plan: Plan, folder: Path, *, fresh: bool) -> None:
    """Make the folder, or see to it that what it holds is of this plan; write the plan."""
    if folder.exists() and not folder.is_dir():
        raise PlanError(f"{folder} is a file; name a folder with --out")
    folder.mkdir(parents=True, exist_ok=True)
    there = [folder / name for name in FILES if (folder / name).exists()]
    if fresh:
        for path in there:
            path.unlink()
    elif there and not (folder / "plan.toml").exists():
        raise PlanError(
            f"{there[0]} is there already, but no plan.toml; write over it with --fresh, or choose --out"
        )
    elif there and (key := _difference(plan, Plan.open(folder / "plan.toml"))):
        msg = (
            f"{folder} holds a study of another plan (they differ in {key});"
            " write over it with --fresh, or keep both with --out"
        )
        raise PlanError(msg)
    plan.save(folder / "plan.toml")


def _difference(plan: Plan, other: Plan) -> str | None:
    """The first part in which two plans differ so that their results must not be mixed."""
    if plan.fingerprint == other.fingerprint:
        return None
    ours, theirs = plan.to_record(), other.to_record()
    return next((key for key in ours if key != "notes" and ours[key] != theirs[key]), "their data")


@dataclass(frozen=True)
class _Rows:
    """The rows of a study by the part they play; positions count the rows whose target is known."""

    plan: Plan
    table: Table

    @cached_property
    def known(self) -> np.ndarray:
        """Positions in the table of the rows with a target."""
        return np.flatnonzero(~self.table.column(self.plan.roles.target).missing)

    @cached_property
    def X(self) -> Table:  # noqa: N802 (the field's own name)
        roles = self.plan.roles
        return self.table.drop(roles.target, *roles.ignore).take(self.known)

    @cached_property
    def y(self) -> Column:
        return self.table.column(self.plan.roles.target).take(self.known)

    @cached_property
    def _parts(self) -> tuple[np.ndarray, np.ndarray]:
        settings = self.plan.protocol
        if not settings.test_share:
            return np.arange(len(self.known)), np.arange(0)
        return lock_away(self.X, self.y, settings.test_share, settings.seed, self.plan.task)

    @property
    def train(self) -> np.ndarray:
        return self._parts[0]

    @property
    def locked(self) -> np.ndarray:
        return self._parts[1]

    @cached_property
    def protocol(self) -> Protocol:
        settings = self.plan.protocol
        y = self.y.take(self.train)
        found = protocol(y, self.plan.task, settings.seed, settings.folds or 10, settings.repeats)
        if (found.kind == "leave-one-out") != (settings.split == "leave-one-out"):
            msg = f"protocol.split is {settings.split!r}, but {len(y):,} rows take {found.kind}; change it"
            raise PlanError(msg)
        return found

    @cached_property
    def splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        """Positions that train and test in each fold; none is locked away."""
        X, y = np.zeros((len(self.train), 1)), self.y.take(self.train).data
        return [(self.train[train], self.train[test]) for train, test in self.protocol.split(X, y)]

    def evaluation(self, log: Log, part: Part, label: str) -> Evaluation:
        classes = Examples.of(self.X, self.y, self.plan.task).classes
        folds = len(self.splits) if part == "folds" else 1
        results = [log.results[part, label, i] for i in range(folds)]
        words = self.protocol.words if part == "folds" else f"{len(self.locked):,} rows that were locked away"
        return Evaluation(label, self.plan.task, classes, tuple(results), self.plan.metrics, words)

    def comparison(self, log: Log) -> Comparison:
        labels = [candidate.label for candidate in self.plan.learners]
        evaluations = {label: self.evaluation(log, "folds", label) for label in labels}
        return Comparison(evaluations, (*self.plan.baselines, *labels)[0], self.plan.ensembles)


def _judge(plan: Plan, rows: _Rows, log: Log, workers: int, progress: Progress | None) -> None:
    """Every learner in every fold that the log does not hold yet."""
    jobs = [(c.label, i) for i in range(len(rows.splits)) for c in plan.learners]
    left = [(label, i) for label, i in jobs if ("folds", label, i) not in log.results]
    models = {c.label: plan.model(c.label) for c in plan.learners}

    def judge(job: tuple[str, int]) -> tuple[str, FoldResult]:
        label, i = job
        return label, evaluate_fold(models[label], rows.X, rows.y, *rows.splits[i], index=i, name=label)

    done = len(jobs) - len(left)
    if workers == -1 and len(rows.y) < _FEW_ROWS:
        workers = 1
    with heard(), joblib.parallel_config(backend="threading", n_jobs=workers):  # joblib warns if interrupted
        for label, result in each(left, judge, in_order=False):
            log.append("folds", label, result)
            done += 1
            if progress:
                progress(done, len(jobs))


def _test(plan: Plan, rows: _Rows, log: Log, choice: Choice) -> dict[str, Evaluation]:
    """The choice and the baselines on the rows that were locked away, once."""
    if not len(rows.locked):
        return {}
    labels = [choice.label, *(label for label in plan.baselines if label != choice.label)]
    for label in labels:
        if ("test", label, 0) not in log.results:
            model = plan.model(label)
            log.append(
                "test", label, evaluate_fold(model, rows.X, rows.y, rows.train, rows.locked, name=label)
            )
    return {label: rows.evaluation(log, "test", label) for label in labels}


def _worked(plan: Plan, comparison: Comparison, choice: Choice) -> list[str]:
    """The choice and, where that is a baseline, the best other learner that is offered and learnt more."""
    rows = comparison.rows()
    least = next(row.complexity for row in rows if row.label == choice.label) or 0
    passed_over = (*plan.baselines, *choice.withheld)
    others = [r.label for r in rows if r.label not in passed_over and (r.complexity or math.inf) > least]
    return [choice.label, *others[:1]] if choice.label in plan.baselines else [choice.label]


def _example(rows: _Rows, models: dict[str, Any]) -> Example:
    """The first row that was locked away, or else the first of all, worked."""
    locked = len(rows.locked) > 0
    i = int(rows.locked[0] if locked else 0)
    row = rows.X.take([i])
    works = {label: model.work(row) for label, model in models.items()}
    return Example(int(rows.known[i]), row.row(0), rows.y[i], locked, works)


def _versions() -> dict[str, str]:
    packages = ("numpy", "numba", "polars", "scikit-learn", "scipy")
    return {"openbook": openbook.__version__, "Python": python_version()} | {p: version(p) for p in packages}
