"""A study from Python: what `openbook study` does, of a file, a bundled set, a frame or a table."""

from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from tempfile import mkdtemp
from typing import Any

from openbook.data import Labels, read
from openbook.errors import PlanError
from openbook.judge.folds.progress import progress_bar
from openbook.plan.aim import aim
from openbook.plan.counts import described
from openbook.plan.make import make_plan
from openbook.plan.run import Progress, run
from openbook.plan.source import Source, content_hash
from openbook.report import StudyResult


def study(
    source: Any,
    target: str | Sequence[str] | None = None,
    *,
    quick: bool = False,
    folder: str | Path | None = None,
    progress: Progress | bool = True,
    workers: int = -1,
    fresh: bool = False,
    time_limit: float | None = None,
    kinds: Any = None,
    **options: Any,
) -> StudyResult:
    """Compare learners on a table, choose one, test it, and write a report.

    Parameters
    ----------
    source : path, str, or table-like
        The path of a file, the name of a bundled set, or anything else that `openbook.read` takes. A frame or
        table is written to `data.parquet` in the folder, so that the study can be repeated.
    target : str, sequence of str or None, default=None
        The column to predict; a bundled set has one of its own. Several columns of 0 and 1 are labels, which
        are predicted together, as are the labels of a column of sets such as "sport|politics".
    quick : bool, default=False
        Fewer folds, and no learners that are slow on this many rows.
    folder : str or Path or None, default=None
        The folder for the plan, the results, the report and the model; None makes a temporary one.
    progress : bool or function, default=True
        True shows a bar; a function is called with the number of finished steps and of all steps.
    workers : int, default=-1
        Number of threads; -1 for one per core. The results do not depend on it.
    fresh : bool, default=False
        Whether to replace an earlier study in the folder.
    time_limit : float or None, default=None
        Seconds; None for as long as it takes.
    kinds : mapping or None, default=None
        The kind of some columns, which overrules the guess: {'zip': 'nominal'}. Others are inferred.
    **options : object
        Other options, such as `metric`, `cv`, `costs` or `group`: see `openbook.plan.StudyOptions`.

    Returns
    -------
    StudyResult
        It shows a summary in a notebook and when printed; `model` is the chosen learner, fitted.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> import openbook as ob
    >>> result = ob.study("weather", only=["naive_bayes"], progress=False)
    >>> result.target, result.rows
    ('play', 14)
    """
    folder = Path(mkdtemp(prefix="openbook-study-")) if folder is None else Path(folder)
    if not isinstance(source, str | Path):
        source, kinds = _written(source, kinds, folder, fresh=fresh)
    if target is None and Source.of(source).default_target() is None:
        raise PlanError("say which column to predict: target=…")
    aimed = aim(source, target, kinds)
    description = described(aimed.table, aimed.target, options.get("weight"), options.get("weight_kind"))
    if quick:
        options["effort"] = "quick"
    plan = make_plan(aimed, description=description, **options)
    settings: dict[str, Any] = {"workers": workers, "fresh": fresh, "time_limit": time_limit}
    bar = progress_bar("Evaluating") if progress is True else nullcontext(progress or None)
    with bar as show:
        return run(plan, folder, table=aimed.table, description=description, progress=show, **settings)


def _written(source: Any, kinds: Any, folder: Path, *, fresh: bool) -> tuple[Path, dict[str, str]]:
    """The rows as a file in the folder, and the kinds that the file does not hold.

    A file of other rows is overwritten only if the study is `fresh`.
    """
    table, path = read(source, kinds), folder / "data.parquet"
    sets = dict.fromkeys(table.schema.of(Labels), Labels.kind)
    if path.exists() and not fresh and content_hash(read(path, sets)) != content_hash(table):
        raise PlanError(f"{folder} holds a study of other rows; pass fresh=True or another folder")
    folder.mkdir(parents=True, exist_ok=True)
    table.to_polars().write_parquet(path)
    return path, sets
