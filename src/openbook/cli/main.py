"""The commands of openbook. Everything heavy is imported inside the command that needs it.

Exit codes: 0 done; 2 bad input, with one line on standard error; 130 interrupted, with nothing half-written.
"""

from pathlib import Path
from typing import Annotated

import typer

from openbook.cli.complaints import Commands
from openbook.cli.options import (
    Kinds,
    ModelArgument,
    NewArgument,
    RulesFormat,
    SourceArgument,
    Target,
    WorkFormat,
    kinds_of,
    seconds_of,
)

__all__ = ["app"]

app = typer.Typer(
    cls=Commands,
    name="openbook",
    help="Machine learning that shows its work.",
    epilog="Start here: openbook study weather",
    no_args_is_help=True,
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


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
    seconds = seconds_of(time_limit)
    from openbook.cli.study import hypotheses, run_study

    options = {
        "target": target,
        "explore": explore or None,
        "kinds": kinds_of(kind),
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
        table = open_table(source, kinds_of(kind))
        description = describe_table(table, target or default_target(source))
    typer.echo(str(description))


@app.command(epilog="Example: openbook outliers loans.csv --labels fraud=yes --out loans-odd")
def outliers(
    source: SourceArgument,
    kind: Kinds = None,
    ignore: Annotated[
        list[str] | None, typer.Option(help="A column to leave out. May be given several times.")
    ] = None,
    detector: Annotated[
        str, typer.Option("--detector", "-d", help="How oddness is measured.")
    ] = "isolation_forest",
    top: Annotated[int, typer.Option(help="How many of the oddest rows to print.")] = 10,
    labels: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN[=VALUE]",
            help="The column that tells which rows are known to be odd: those of VALUE, or else of the rarer"
            " of two. It is not looked at, but what is found is held against it.",
        ),
    ] = None,
    out: Annotated[
        Path | None, typer.Option("--out", "-o", help="A folder for the scores of all rows, and pictures.")
    ] = None,
) -> None:
    """Find the oddest rows of a table, and say what makes each odd.

    An isolation forest, unless told otherwise: it takes every kind of column, and gaps, as they are.
    """
    from openbook.cli.outliers import run_outliers

    run_outliers(source, kinds_of(kind), detector, top=top, labels=labels, ignore=ignore or [], out=out)


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
    from openbook.plan.explore_plan import ExplorePlan, open_plan
    from openbook.plan.files import write_text

    opened = open_plan(plan)
    if isinstance(opened, ExplorePlan):
        from openbook.plan.explore_export import export_exploration

        script = export_exploration(opened)
    else:
        from openbook.plan.export import export as to_script

        script = to_script(opened)
    if out is None:
        typer.echo(script, nl=False)
    else:
        write_text(out, script)
