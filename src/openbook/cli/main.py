"""The commands of openbook. Everything heavy is imported inside the command that needs it.

Exit codes: 0 success; 2 bad input and 1 an error of openbook's own, with one line on standard error; 130
interrupted, no half-written file.
"""

from pathlib import Path
from time import monotonic
from typing import Annotated, Any

import typer

from openbook.cli import after_study, lists
from openbook.cli.balance import balance
from openbook.cli.complaints import Commands
from openbook.cli.options import STUDY_OPTIONS, kinds_of, parsed_seconds, reading, with_help, with_options

app = typer.Typer(
    cls=Commands,
    name="openbook",
    help="Machine learning that shows its work.",
    epilog="Start here: openbook study weather",
    add_completion=False,
    rich_markup_mode="markdown",
    pretty_exceptions_enable=False,
)


def _version(asked: bool) -> None:
    if asked:
        from openbook import __version__

        typer.echo(f"openbook {__version__}")
        raise typer.Exit


@app.callback(invoke_without_command=True)
def _main(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001 (its callback acts)
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    if context.invoked_subcommand is None and (words := context.get_help()):
        typer.echo(words)  # empty where typer has printed the panels itself


@app.command(
    "study", epilog="Example: openbook study loans.csv --target cheat --kind zip=nominal --out loans"
)
@reading
@with_options("options", STUDY_OPTIONS)
@with_help
def run_study_command(
    source: str,
    *,
    target: list[str] | None = None,
    explore: bool = False,
    out: Path | None = None,
    kind: list[str] | None = None,
    ignore: list[str] | None = None,
    time_limit: str | None = None,
    workers: int = -1,
    fresh: bool = False,
    quiet: bool = False,
    options: dict[str, Any],
    read_with: dict[str, Any],
) -> None:
    """Compare learners on a table, choose a model, and write a report.

    The folder of the study holds plan.toml, results.jsonl, report.html and model.openbook. Run the
    same command again to resume a study that was interrupted.

    Without a target, the study explores: it looks for clusters, outliers and association rules, and
    labels.csv has the cluster of each row.

    Parameters
    ----------
    source : SOURCE
        A data file, a bundled data set, a plan.toml or the folder of a study.
    explore
        Do not predict: look for clusters, outliers and association rules. A target, if given, is only
        compared with the clusters.

    Run
    ---
    out
        Folder of the study. By default the name of the source.
    time_limit : TIME
        Stop after this time, such as 90s, 15m or 2h, and report the results so far. Reading the data and
        the report count; they may exceed the limit by a few seconds. Run the study again without a limit
        to complete it.
    workers
        Threads or processes; -1 for one per core.
    fresh
        Discard an earlier study in the folder.
    quiet
        Print only the result and the names of the files.
    """
    if workers != -1 and workers < 1:
        raise typer.BadParameter(f"--workers must be -1 (one per core) or at least 1, got {workers}")
    efforts = [effort for effort in ("quick", "thorough") if options.pop(effort, False)]
    if len(efforts) > 1:
        raise typer.BadParameter("--quick and --thorough exclude each other; use one of them")
    seconds, start = parsed_seconds(time_limit), monotonic()  # imports count, too
    from openbook.cli.study import hypotheses, run_study

    sets = hypotheses(options.pop("attributes", ()), options.pop("without", ()))
    renamed = {"learner": "only", "folds": "cv"}  # the names of `StudyOptions`
    options = {renamed.get(name, name): value for name, value in options.items()} | {
        "target": target,
        "explore": explore or None,
        "kinds": kinds_of(kind),
        "read_with": read_with,
        "ignore": ignore,
        "hypotheses": sets,
        "effort": efforts[0] if efforts else None,
    }
    given = {name: value for name, value in options.items() if value not in (None, [], {})}
    end = None if seconds is None else start + seconds
    run_study(source, given, out, workers=workers, fresh=fresh, quiet=quiet, end=end)


@app.command("compare", epilog="Example: openbook compare loans/ loans-without-sex/ -o both.html")
@with_help
def compare_studies(a: Path, b: Path, *, out: Path | None = None) -> None:
    """Compare two studies.

    Shows how their plans differ, which model each chose, and how the scores compare: by paired tests
    where both studies used the same rows and folds, otherwise by their intervals.

    Parameters
    ----------
    a : A
        The folder of a study.
    b : B
        The folder of another study.
    out
        HTML page to write. By default print to the screen.
    """
    from openbook.cli.bar import waiting
    from openbook.cli.derivations import write_work
    from openbook.plan.beside import beside

    with waiting("Comparing"):
        work = beside(a, b)
    write_work(work, "text" if out is None else "html", out)


@app.command("describe", epilog="Example: openbook describe loans.csv --target cheat")
@reading
@with_help
def describe_source(
    source: str,
    *,
    target: list[str] | None = None,
    kind: list[str] | None = None,
    rule: list[str] | None = None,
    read_with: dict[str, Any],
) -> None:
    """Describe the columns of a table and point out problems.

    Files larger than an eighth of the memory are described by a random sample of 100,000 rows.

    Parameters
    ----------
    rule : RULE
        A rule between columns, such as "age >= 18 where licence = yes"; rows that break it are named.
        Repeatable.
    """
    from openbook.cli.bar import waiting
    from openbook.cli.screen import print_description
    from openbook.cli.tables import default_target, open_table
    from openbook.data.label_sets import LABELS, with_label_sets
    from openbook.text.describe import describe as describe_table

    with waiting("Reading the data"):
        table = open_table(source, kinds_of(kind), read_with, sampled=True)
        aim = default_target(source) if not target else target[0] if len(target) == 1 else LABELS
        table = with_label_sets(table, target) if target and len(target) > 1 else table
        description = describe_table(table, aim, rule or ())
    print_description(description)


@app.command(epilog="Example: openbook outliers loans.csv --labels fraud=yes --out loans-odd")
@reading
@with_help
def outliers(
    source: str,
    *,
    kind: list[str] | None = None,
    ignore: list[str] | None = None,
    detector: str = "isolation_limits",
    top: int = 10,
    labels: str | None = None,
    synthetic: bool = False,
    out: Path | None = None,
    read_with: dict[str, Any],
) -> None:
    """Find the outliers of a table and explain each.

    The default is an isolation forest, which accepts all kinds of columns and missing values.

    Parameters
    ----------
    detector : NAME
        Method; `openbook detectors` lists the names.
    top
        Number of outliers to print.
    labels : COLUMN[=VALUE]
        Column that marks the known outliers: the rows with VALUE, by default with the rarer of two
        values. It is not used as a feature; the result is evaluated against it.
    synthetic
        Also add synthetic outliers of four kinds to the rows, and print how well the detector finds them.
    out
        Folder for the scores of all rows and the charts.
    """
    from openbook.cli.outliers import run_outliers

    options: dict[str, Any] = {"top": top, "labels": labels, "synthetic": synthetic, "ignore": ignore or []}
    run_outliers(source, kinds_of(kind), read_with, detector, out=out, **options)


app.command(epilog="Example: openbook predict loans/model.openbook new.csv -o predicted.csv --proba")(
    after_study.predict
)
app.command("check", epilog="Example: openbook check loans/model.openbook new.csv")(
    after_study.check_new_rows
)


@app.command(epilog="Example: openbook label letters.csv --target spam --classes yes,no")
@reading
@with_help
def label(
    source: str,
    *,
    target: str,
    classes: str | None = None,
    learner: str = "naive_bayes",
    strategy: str = "margin",
    cost: Annotated[
        float, typer.Option(min=0, help="Cost of a label, relative to 1 for a wrong prediction.")
    ] = 1.0,
    answers: Path | None = None,
    out: Path | None = None,
    kind: list[str] | None = None,
    ignore: list[str] | None = None,
    read_with: dict[str, Any],
) -> None:
    """Label rows one at a time, the most informative first (active learning).

    Each answer is one key, and is saved before the next question. Run the same command again to continue.

    Parameters
    ----------
    target : COLUMN
        The column to fill. It is added if the table lacks it.
    classes : A,B
        The labels to choose from, besides those already in the column.
    learner : NAME
        The classifier that selects the rows.
    strategy : NAME
        How the next row is selected: margin, least_confident, entropy, committee, committee_kl,
        expected_error, density or random.
    answers : FILE
        File of your answers; each is saved at once.  [default: SOURCE's name .labels.csv]
    out
        File for the labelled table.  [default: SOURCE's name .labelled.csv]
    """
    from openbook.cli.labelling import Labelling
    from openbook.cli.tables import open_table

    stem = Path(source).stem if source != "-" else "rows"
    table, file = open_table(source, kinds_of(kind), read_with), answers or Path(f"{stem}.labels.csv")
    names = [name.strip() for name in (classes or "").split(",") if name.strip()]
    options: dict[str, Any] = {"name": learner, "strategy": strategy, "cost": cost, "ignore": ignore or []}
    labelling = Labelling(table, target, names, answers=file, **options)
    labelling.run()
    labelling.write(out or Path(f"{stem}.labelled.csv"))


app.command(epilog="Example: openbook balance credit --learner naive_bayes")(reading(balance))
app.command(epilog="Example: openbook work loans/model.openbook new.csv --row 3")(after_study.work)
app.command(epilog="Example: openbook query model.openbook --given smoker=yes --ask cancer --work")(
    after_study.query
)
app.command("rules", epilog="Example: openbook rules loans/model.openbook --format sql")(
    after_study.print_rules
)
app.command("draw", epilog="Example: openbook draw loans.csv --x income --y age --colour cheat -o loans.svg")(
    after_study.draw_picture
)
app.command("export", epilog="Example: openbook export loans/ -o loans.py")(after_study.export_study)

for _list, _name, _example in (
    (lists.list_sets, "sets", "openbook study weather"),
    (lists.list_learners, "learners", "openbook study weather --learner naive_bayes"),
    (lists.list_metrics, "metrics", "openbook study weather --metric log_loss"),
    (lists.list_detectors, "detectors", "openbook outliers loans.csv --detector lof"),
    (lists.list_steps, "steps", 'openbook study credit --prepare "log income"'),
):
    app.command(_name, epilog=f"Example: {_example}", rich_help_panel="Lists")(_list)
