"""Run a plan: describe, hold rows out, evaluate, choose, test once, write.

The folder holds

    plan.toml        the plan
    results.jsonl    the results so far, fold by fold and analysis by analysis; a killed study resumes from
    there report.html      one page
    model.openbook   the chosen learner

The model in the file is the one that was tested: fitted on the rows that were not held out, and on all of
them where none were. So the final test evaluates this very model. Results of the test are saved too, so a
resumed study does not test again.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from platform import python_version
from time import monotonic
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

import openbook
from openbook.data import Table
from openbook.data.describe import Description
from openbook.errors import PlanError
from openbook.judge import Choice, Comparison, Evaluation, anything_to_learn, choose
from openbook.judge.choice.choose import RULES
from openbook.judge.folds.fit_folds import Fitted, fold_result
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.plan.counts import about_features, described
from openbook.plan.estimate import estimate_words
from openbook.plan.explore_plan import ExplorePlan, open_plan
from openbook.plan.files import write_text
from openbook.plan.judging import Judging, failure_words
from openbook.plan.log import Log
from openbook.plan.looks import NO_TIME, Looking, asked_looks, worked_examples
from openbook.plan.plan import Plan
from openbook.plan.rows import StudyRows
from openbook.plan.source import Source
from openbook.report import Example, Looks, StudyResult, study_html
from openbook.report.html import NOTHING, NotEvaluated, refusal_html
from openbook.report.words import doubts
from openbook.store import save
from openbook.text.describe import describe
from openbook.words.sentences import plural

#: The shares of a time limit after which no fold and no analysis counts, and the seconds that are reserved,
#: if possible, to write the model and the report.
_JUDGING, _LOOKING = 0.75, 0.9
_WRITING = 1.5

#: Called after each fold with the number done and the total.
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
    time_limit: float | None = None,
    say: Callable[[str], None] | None = None,
) -> StudyResult:
    """Run a plan, or go on with it, and leave everything in a folder.

    Parameters
    ----------
    plan : Plan
        The plan.
    folder : str or Path
        The folder to write to; it may hold an earlier, unfinished run of the same plan.
    table : Table or None, default=None
        The plan's data, if they were just read.
    description : Description or None, default=None
        The description of the table, if it is at hand.
    workers : int, default=-1
        Threads, or processes where rows are few; -1 for one a core. The results do not depend on it.
    fresh : bool, default=False
        Discard an earlier study in the folder.
    progress : callable or None, default=None
        Called after each fold and each closer look with the number done and the number in all.
    time_limit : float or None, default=None
        Seconds; None for as long as it takes. At most three quarters of them are for evaluation, and a fold
        is started only if there would be time left to fit its learner on all rows and to write the report.
        The ranking then compares the learners and folds with the most results in common, and notes name the
        rest. A later run without a limit continues there. The baselines and the fastest learner are evaluated
        in one fold however short the limit.
    say : callable or None, default=None
        Called before the first fold with how long it may take, and with what an earlier run has done.

    Returns
    -------
    StudyResult
        What was found, and where it is written.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> import tempfile
    >>> from openbook.plan import make_plan
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     run(make_plan("weather", only=["naive_bayes"]), folder).choice.label
    'naive Bayes'
    """
    start = monotonic()
    folder = Path(folder)
    claim_folder(plan, folder, fresh=fresh)
    rows = StudyRows(plan, plan.data.checked(plan.data.read()) if table is None else table)
    log = Log(folder / "results.jsonl", plan.fingerprint)
    clock = _Clock(start, time_limit)
    fits = len(rows.folds) * len(plan.contestants)
    counter = _ProgressCounter(fits + len(asked_looks(plan, rows.X.schema)), progress)
    # one thread for BLAS and OpenMP: folds run in parallel, forked processes would wait for more threads, and
    # for the small products of a report more threads are slower
    with threadpool_limits(1):
        with log.open():
            judging = Judging(rows, log, workers, clock.share(_JUDGING), counter.one, clock.share(1.0))
            counter.done = len(judging.jobs) - len(judging.left)
            if say:
                for words in _resumed_and_estimated(judging):
                    say(words)
            judging.run()
            with collected_warnings():  # the same warnings as in the folds, which the report lists
                end = _conclude(rows, log)
                label = end.choice.label
                given = (rows, end.models, end.comparison[label], end.tests.get(label))
                examples = log.cached("examples", tuple[Example, ...], lambda: tuple(worked_examples(*given)))
                until = clock.share(_LOOKING)
                looking = Looking(rows, log, end.comparison, label, end.models, until)
                looks = looking.looks(workers, counter.one)
                log.settle([each.label for each in plan.contestants])
        roles = plan.roles
        description = description or described(rows.table, roles.target, roles.weight, plan.protocol.weights)
        result = _result(rows, log, end, examples, looks, description)
        result.model.note_ = doubts(result)
        save(result.model, result.model_file, result.training[0])
        for decides in (True, False):
            rows.working_file(log, decides=decides).unlink(missing_ok=True)
        write_text(result.report, study_html(result))
    return result


def _result(
    rows: StudyRows,
    log: Log,
    end: "_Conclusion",
    examples: tuple[Example, ...],
    looks: Looks,
    description: Description,
) -> StudyResult:
    """The result of the study, for the report."""
    plan, (comparison, choice, tests, models) = rows.plan, end
    return StudyResult(
        name=Path(plan.data.name).name,
        plan=plan.to_toml(),
        target=plan.roles.target,
        notes=(*plan.notes, *rows.unfinished(log), *_met_before(log, tests), *_not_looked(looks)),
        description=about_features(description, plan.roles).for_command_line(),
        protocol=comparison[choice.label].words,
        comparison=comparison,
        baselines=tuple(label for label in plan.baselines if label in comparison.evaluations),
        choice=choice,
        verdict=anything_to_learn(comparison),
        tests=tests,
        models=models,
        training=(rows.inputs(choice.label).take(rows.train), rows.y.take(rows.train)),
        rows=len(rows.train),
        examples=examples,
        looks=looks,
        versions=versions(),
        folder=log.path.parent,
        columns=rows.columns,
        roles={role: columns for role, columns in vars(plan.roles).items() if columns},
        questions=plan.questions,
        learners={candidate.label: candidate.learner for candidate in plan.learners},
    )


def claim_folder(plan: Plan | ExplorePlan, folder: Path, *, fresh: bool) -> None:
    """Make the folder, or check that its files are of this plan; write the plan."""
    if folder.exists() and not folder.is_dir():
        raise PlanError(f"{folder} is a file; name a folder with --out")
    folder.mkdir(parents=True, exist_ok=True)
    there = [folder / name for name in plan.files if (folder / name).exists()]
    if len(there) == 1 and _only_refuses(there[0]):
        there = []
    if fresh:
        for name in {*plan.files, *_files_of(folder / "plan.toml")}:
            (folder / name).unlink(missing_ok=True)
    elif there and not (folder / "plan.toml").exists():
        what = f"{there[0]} exists, but there is no plan.toml"
        raise PlanError(f"{what}; overwrite it with --fresh, or use another --out")
    elif there and (key := _difference(plan, open_plan(folder / "plan.toml"))):
        what = f"{folder} holds a study of another plan (they differ in {key})"
        raise PlanError(f"{what}; overwrite it with --fresh, or keep both with --out")
    for name in plan.files:  # incomplete files of a study that was killed while it wrote
        for half in folder.glob(f".{name}.*"):
            half.unlink()
    plan.save(folder / "plan.toml")


def report_refusal(source: Source, target: str | None, reason: str, folder: Path) -> Path | None:
    """Write a report that says why no model can be evaluated, unless the folder holds a study; its path."""
    if (folder / "plan.toml").exists() or folder.is_file():
        return None
    table = source.read()
    aim = target or source.default_target() or ""
    description = describe(table, aim).for_command_line()
    refused = NotEvaluated(Path(source.name).name, aim, description, reason, {})
    folder.mkdir(parents=True, exist_ok=True)
    write_text(folder / "report.html", refusal_html(refused, versions()))
    return folder / "report.html"


def _only_refuses(report: Path) -> bool:
    """Whether a report only says that nothing could be evaluated."""
    return report.name == "report.html" and f"<title>{NOTHING}" in report.read_text(encoding="utf-8")


def _files_of(plan: Path) -> tuple[str, ...]:
    """The files of an earlier study, if its plan can be read."""
    try:
        return open_plan(plan).files
    except (PlanError, OSError):
        return ()


def _difference(plan: Plan | ExplorePlan, other: Plan | ExplorePlan) -> str | None:
    """The first part in which two plans differ, if their results must not be mixed."""
    if plan.fingerprint == other.fingerprint:
        return None
    ours, theirs = plan.to_record(), other.to_record()
    return next((key for key in ours if key != "notes" and ours[key] != theirs[key]), "their data")


@dataclass
class _ProgressCounter:
    """Counts the fits that are done, and reports the progress."""

    total: int
    progress: Progress | None
    done: int = 0

    def one(self) -> None:
        self.done += 1
        if self.progress:
            self.progress(self.done, self.total)


@dataclass(frozen=True)
class _Clock:
    """The time limit, if there is one."""

    start: float
    limit: float | None

    def share(self, of: float) -> float | None:
        """The time on the monotonic clock at which this share of the limit has passed, or writing must
        begin.
        """
        if self.limit is None:
            return None
        return self.start + min(of * self.limit, max(self.limit - _WRITING, self.limit / 2))


def _resumed_and_estimated(judging: Judging) -> Iterator[str]:
    """The progress of an earlier run, and the estimated time of the rest."""
    jobs, left = len(judging.jobs), len(judging.left)
    if done := jobs - left:
        looks = len(judging.log.looks)
        more = f", and {plural(looks, 'later step')}" if looks else ""
        yield f"Resuming: {done:,} of {jobs:,} fits are done{more}."
    if left:
        yield f"Estimated time: {estimate_words(judging.seconds)}."


class _Conclusion(NamedTuple):
    comparison: Comparison
    choice: Choice
    tests: dict[str, Evaluation]
    models: dict[str, Any]


def _conclude(rows: StudyRows, log: Log) -> _Conclusion:
    """Choose, test and fit; a learner that cannot be fitted on all rows drops out, and another is chosen."""
    while True:
        comparison = rows.comparison(log)
        rule = rows.plan.choose
        if rule not in (*RULES, *comparison.evaluations):
            rule = "simplest"  # the learner that was named dropped out
        choice = choose(comparison, rule, rows.plan.margin)
        label = choice.label
        try:
            fits = {}
            # with a named baseline, also the best learner
            worked = [label, choice.best] if label in rows.plan.baselines else [label]
            for label in dict.fromkeys(worked):
                fits[label] = rows.final(label, log, decides=label == choice.label)
            label = choice.label
            tests = _test(rows, log, comparison, choice, fits[label])
        except Exception as error:
            if label in rows.plan.baselines:
                raise
            log.skip(label, len(rows.folds), f"the fit on all rows failed: {failure_words(error)}")
            log.settle([each.label for each in rows.plan.contestants])
        else:
            return _Conclusion(comparison, choice, tests, {label: fit.learner for label, fit in fits.items()})


def _test(
    rows: StudyRows, log: Log, comparison: Comparison, choice: Choice, fitted: Fitted
) -> dict[str, Evaluation]:
    """The fitted choice and the baselines, tested once on the held-out rows."""
    if not len(rows.locked):
        return {}
    baselines = [label for label in rows.plan.baselines if label in comparison.evaluations]
    labels = [choice.label, *(label for label in baselines if label != choice.label)]
    for label in [each.label for each in rows.plan.contestants if each.label in labels]:  # as they settle
        if ("test", label, 0) not in log.results:
            cut, ready = rows.cut(label, rows.train, rows.locked), fitted if label == choice.label else None
            log.append("test", label, fold_result(label, rows.model(label), cut, ready))
    words = f"{len(rows.locked):,} held-out rows"
    return {label: rows.evaluation(label, [log.results["test", label, 0]], words) for label in labels}


def _met_before(log: Log, tests: dict[str, Evaluation]) -> list[str]:
    """A note on each other learner that the unfinished study chose and tested."""
    others = [label for part, label, _ in log.results if part == "test" and label not in tests]
    when = "when the study was unfinished and chose it"
    return [f"{label} was already tested on the held-out rows, {when}" for label in others]


def _not_looked(looks: Looks) -> Iterator[str]:
    missed = [name for name, reason in looks.why_not.items() if reason == NO_TIME]
    if missed:
        yield f"the time limit left no time for: {', '.join(missed)}"


def versions() -> dict[str, str]:
    """The versions of the software on which results may depend."""
    packages = ("numpy", "numba", "polars", "scikit-learn", "scipy")
    return {"openbook": openbook.__version__, "Python": python_version()} | {p: version(p) for p in packages}
