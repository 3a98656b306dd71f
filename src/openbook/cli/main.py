"""The commands of openbook. Everything heavy is imported inside the command that needs it.

Exit codes: 0 done; 2 bad input, with one line on standard error; 130 interrupted, with nothing half-written.
"""

import gc
import sys
import warnings
from collections.abc import Sequence
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from openbook.errors import OpenbookError

__all__ = ["app"]

#: click's class of wrong options and arguments; where it lives depends on typer's version.
_UsageError: Any = typer.BadParameter.__base__


class _Commands(TyperGroup):
    """Whatever goes wrong through no fault of openbook is told in one line."""

    def main(self, args: Sequence[str] | None = None, prog_name: str | None = None, **extra: Any) -> Any:  # type: ignore[override]
        extra["standalone_mode"] = False
        gc.set_threshold(100_000, 50, 50)  # importing and compiling make many objects that live to the end
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):  # a terminal that lacks a sign shows another
                stream.reconfigure(errors="replace")
        try:
            with warnings.catch_warnings():
                warnings.showwarning = _note
                code = super().main(args, prog_name, **extra)
        except _UsageError as error:
            _fail(error.format_message())
        except OpenbookError as error:
            _fail(str(error))
        except OSError as error:
            _fail(_os_words(error))
        except (KeyboardInterrupt, typer.Abort):
            code = 130
        if code == 130:
            typer.echo(
                "openbook: interrupted; a study goes on where it stopped when it is run again", err=True
            )
        sys.exit(code if isinstance(code, int) else 0)


def _note(message: Warning | str, *_: Any, **__: Any) -> None:
    """A warning, told as plainly as an error."""
    from openbook.work.formula import printable

    typer.echo(f"openbook: note: {printable(str(message))}", err=True)


def _fail(message: str) -> None:
    from openbook.work.formula import printable

    typer.echo(f"openbook: {printable(message)}", err=True)
    sys.exit(2)


def _os_words(error: OSError) -> str:
    reason = error.strerror or str(error)
    return f"{error.filename}: {reason}" if error.filename else reason


app = typer.Typer(
    cls=_Commands,
    name="openbook",
    help="Machine learning that shows its work.",
    epilog="Start here: openbook study weather",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)

Target = Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        "-k",
        metavar="COLUMN=KIND",
        help="Overrule the guess: numeric, nominal, ordinal or text; for an ordinal column also its values "
        "from lowest to highest, as in size=small,medium,large. May be given several times.",
    ),
]
SourceArgument = Annotated[
    str,
    typer.Argument(metavar="SOURCE", help="A file (CSV, TSV, Parquet, ARFF, JSON lines) or a bundled set."),
]
ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="A model.openbook file.")]
NewArgument = Annotated[str, typer.Argument(metavar="NEW", help="A file with the rows, or a bundled set.")]


class WorkFormat(StrEnum):
    """How a derivation can be written."""

    text = "text"
    html = "html"
    latex = "latex"
    json = "json"


class RulesFormat(StrEnum):
    """How rules can be written."""

    text = "text"
    json = "json"
    sql = "sql"


def _version(asked: bool) -> None:
    if asked:
        from openbook import __version__

        typer.echo(f"openbook {__version__}")
        raise typer.Exit


@app.callback()
def _main(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and stop.")
    ] = False,
) -> None:
    pass


@app.command(epilog="Example: openbook study loans.csv --target cheat --kind zip=nominal --out loans")
def study(
    source: Annotated[str, typer.Argument(metavar="SOURCE", help="A file, a bundled set, or a plan.toml.")],
    target: Target = None,
    explore: Annotated[
        bool,
        typer.Option(
            "--explore",
            help="Predict nothing: look for groups, oddities and associations. The target, if there is one,"
            " is left aside.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="The folder of the study; by default the source's name."),
    ] = None,
    kind: Kinds = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="A column to leave out. May be given several times.")
    ] = None,
    id_column: Annotated[
        str | None, typer.Option("--id", metavar="COLUMN", help="The column that names the rows; no input.")
    ] = None,
    group: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Rows that share it, such as a patient's, train or test together; no input.",
        ),
    ] = None,
    time: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Numbers or dates: the past trains, the future tests; no input."),
    ] = None,
    sensitive: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN",
            help="Judge fairness by this column. It stays an input unless it is ignored too. May be given"
            " several times.",
        ),
    ] = None,
    weight: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="How much each row counts in learning; no input."),
    ] = None,
    costs: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="What mistakes cost: a CSV file of truth, predicted, cost."),
    ] = None,
    attributes: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]A,B,…",
            help="Try these columns alone, beside all of them. May be given several times.",
        ),
    ] = None,
    without: Annotated[
        list[str] | None,
        typer.Option(
            metavar="[NAME=]A,B,…",
            help="Try all columns but these, beside all of them. May be given several times.",
        ),
    ] = None,
    learner: Annotated[
        list[str] | None,
        typer.Option(help="Try only this learner, and the baselines. May be given several times."),
    ] = None,
    metric: Annotated[str | None, typer.Option(help="What learners are ranked by.")] = None,
    folds: Annotated[int | None, typer.Option(help="Folds of the cross-validation.")] = None,
    repeats: Annotated[int | None, typer.Option(help="How often the cross-validation is repeated.")] = None,
    test_share: Annotated[
        float | None, typer.Option(help="The share of rows kept for one final test; 0 for none.")
    ] = None,
    seed: Annotated[int | None, typer.Option(help="Of every random choice.  [default: 0]")] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer folds, and no learner that is slow on so many rows.")
    ] = False,
    thorough: Annotated[
        bool, typer.Option("--thorough", help="Tune the learners' knobs inside the folds; more repeats.")
    ] = False,
    time_limit: Annotated[
        str | None,
        typer.Option(
            metavar="TIME",
            help="Stop judging in time, as in 90, 90s, 15m or 2h, and report what was found. Run it again"
            " without a limit to go on.",
        ),
    ] = None,
    workers: Annotated[int, typer.Option(help="Threads; -1 for one a core.")] = -1,
    fresh: Annotated[
        bool, typer.Option("--fresh", help="Throw away what the folder holds of an earlier study.")
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", "-q", help="Print only the choice and the folder.")
    ] = False,
) -> None:
    """Describe, rank the learners, choose one, and report; without a target, explore.

    The folder holds plan.toml, results.jsonl, report.html and model.openbook. A study that was
    interrupted goes on where it stopped when the same command is run again. A study without a
    target looks for groups, oddities and associations, and leaves labels.csv with the cluster of
    every row.
    """
    if workers != -1 and workers < 1:
        raise typer.BadParameter(f"--workers must be -1, for one a core, or at least 1, got {workers}")
    if quick and thorough:
        raise typer.BadParameter("--quick and --thorough exclude each other; give one of them")
    seconds = _seconds(time_limit)
    from openbook.cli.study import hypotheses, run_study

    options = {
        "target": target,
        "explore": explore or None,
        "kinds": _kinds(kind),
        "ignore": ignore,
        "id": id_column,
        "group": group,
        "time": time,
        "sensitive": sensitive,
        "weight": weight,
        "costs": costs,
        "hypotheses": hypotheses(attributes or (), without or ()),
        "only": learner,
        "metric": metric,
        "folds": folds,
        "repeats": repeats,
        "test_share": test_share,
        "seed": seed,
        "effort": "quick" if quick else "thorough" if thorough else None,
    }
    given = {name: value for name, value in options.items() if value not in (None, [], {})}
    run_study(source, given, out, workers=workers, fresh=fresh, quiet=quiet, time_limit=seconds)


@app.command(epilog="Example: openbook compare loans/ loans-without-sex/ -o both.html")
def compare(
    a: Annotated[Path, typer.Argument(metavar="A", help="The folder of a study.")],
    b: Annotated[Path, typer.Argument(metavar="B", help="The folder of another.")],
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A page to write to; by default on the screen.")
    ] = None,
) -> None:
    """Set two studies side by side.

    In what their plans differ, what each chose, and how the learners compare: by paired tests
    where both were judged on the same rows and folds, by their intervals where not.
    """
    from openbook.cli.bar import waiting
    from openbook.cli.derivations import write_work
    from openbook.plan.beside import beside

    with waiting("Comparing"):
        work = beside(a, b)
    write_work(work, "text" if out is None else "html", out)


@app.command(epilog="Example: openbook describe loans.csv --target cheat")
def describe(source: SourceArgument, target: Target = None, kind: Kinds = None) -> None:
    """Say what a table holds, and what deserves a second look."""
    from openbook.cli.bar import waiting
    from openbook.cli.tables import default_target, open_table
    from openbook.data.describe import describe as describe_table

    with waiting("Reading and describing"):
        table = open_table(source, _kinds(kind))
        description = describe_table(table, target or default_target(source))
    typer.echo(str(description))


@app.command(epilog="Example: openbook predict loans/model.openbook new.csv -o predicted.csv --proba")
def predict(
    model: ModelArgument,
    new: NewArgument,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            help="Where to write: .csv, .tsv, .parquet or .jsonl; by default CSV on standard output.",
        ),
    ] = None,
    proba: Annotated[bool, typer.Option("--proba", help="Add the probability of each class.")] = False,
) -> None:
    """Predict new rows.

    Their columns are written with a column "prediction" and, if asked for, the probability of
    each class.
    """
    from openbook.cli.bar import waiting
    from openbook.cli.predictions import predicted, writer
    from openbook.cli.tables import open_table
    from openbook.store import open_model

    write = writer(out)
    with waiting("Predicting"):
        frame = predicted(open_model(model), open_table(new), with_proba=proba)
    write(frame)


@app.command(epilog="Example: openbook work loans/model.openbook new.csv --row 3")
def work(
    model: ModelArgument,
    new: Annotated[
        str | None, typer.Argument(metavar="[NEW]", help="A file with the row, or a bundled set.")
    ] = None,
    row: Annotated[int, typer.Option(help="Which row of NEW; the first is 0, as in Python.")] = 0,
    form: Annotated[WorkFormat, typer.Option("--format", "-f", help="How to write it.")] = WorkFormat.text,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file to write to.")] = None,
) -> None:
    """Show how a prediction was made.

    Without NEW, show how the model was learnt.
    """
    from openbook.cli.derivations import derive, write_work
    from openbook.store import open_model

    write_work(derive(open_model(model), new, row), form.value, out)


@app.command(epilog="Example: openbook rules loans/model.openbook --format sql")
def rules(
    model: ModelArgument,
    form: Annotated[
        RulesFormat, typer.Option("--format", "-f", help="How to write them.")
    ] = RulesFormat.text,
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file to write to.")] = None,
) -> None:
    """Print the rules of a tree, one for each leaf.

    As SQL, they are a query for the rows of a table t and what is predicted for each.
    """
    from openbook.cli.trees import write_rules

    write_rules(model, form.value, out)


@app.command(epilog="Example: openbook draw loans/model.openbook -o tree.svg")
def draw(
    model: ModelArgument,
    out: Annotated[
        Path | None,
        typer.Option("--out", "-o", help="Where to draw: .svg, .dot or .txt; by default on the screen."),
    ] = None,
    depth: Annotated[
        int | None, typer.Option(min=0, help="Draw so many tests one below the other.  [default: all]")
    ] = None,
) -> None:
    """Draw a tree."""
    from openbook.cli.trees import write_drawing

    write_drawing(model, depth, out)


@app.command(epilog="Example: openbook sets")
def sets() -> None:
    """List the bundled sets, ready for study and describe."""
    from openbook.cli.tables import list_sets

    list_sets()


@app.command(epilog="Example: openbook export loans/plan.toml -o loans.py")
def export(
    plan: Annotated[Path, typer.Argument(metavar="PLAN", help="The plan.toml of a study.")],
    out: Annotated[Path | None, typer.Option("--out", "-o", help="A file to write to.")] = None,
) -> None:
    """Print a Python script that redoes a study without its plan."""
    from openbook.plan import Plan
    from openbook.plan.export import export as to_script
    from openbook.plan.files import write_text

    script = to_script(Plan.open(plan))
    if out is None:
        typer.echo(script, nl=False)
    else:
        write_text(out, script)


def _seconds(given: str | None) -> float | None:
    """A time limit in seconds."""
    if given is None:
        return None
    number, unit = (given[:-1], given[-1]) if given[-1:] in _UNITS else (given, "s")
    try:
        seconds = float(number) * _UNITS[unit]
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise typer.BadParameter(f"--time-limit takes a time such as 90, 90s, 15m or 2h, got {given!r}")
    return seconds


_UNITS = {"s": 1, "m": 60, "h": 3600}


def _kinds(given: list[str] | None) -> dict[str, Any]:
    """The kinds by column; `a=b` splits at the last sign, since names may hold one."""
    kinds: dict[str, Any] = {}
    for entry in given or ():
        column, sign, kind = entry.rpartition("=")
        if not sign or not column or not kind:
            raise typer.BadParameter(f"--kind takes COLUMN=KIND, as in zip=nominal, got {entry!r}")
        kinds[column] = kind.split(",") if "," in kind else kind
    return kinds
