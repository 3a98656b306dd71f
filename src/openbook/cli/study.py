"""`openbook study` on the screen."""

from collections.abc import Iterator, Sequence
from pathlib import Path
from time import monotonic
from typing import Any

from rich import box
from rich.console import Console
from rich.table import Table as Grid
from rich.text import Text

from openbook.cli.bar import progress_bar, waiting
from openbook.data import Table
from openbook.data.describe import Description, describe
from openbook.errors import PlanError
from openbook.plan import Hypothesis, Plan, StudyResult, aim, make_plan, run
from openbook.plan.run import claim_folder
from openbook.report import words
from openbook.report.portrait import legible, tree_words
from openbook.work import Work
from openbook.work.formula import printable

__all__ = ["run_study"]

#: Tables of more columns are told in short, and derivations of more lines are cut: the report has them whole.
_MOST_COLUMNS = 15
_MOST_LINES = 60

#: The width of what is written to a file or a pipe.
_WIDTH = 110


def hypotheses(attributes: Sequence[str], without: Sequence[str]) -> list[Hypothesis]:
    """The sets of columns that the options name, beside all columns; none where none is named."""
    named = [(f"only {names}", "attributes", names) for names in attributes]
    named += [(f"without {names}", "without", names) for names in without]
    if not named:
        return []
    sets = [Hypothesis(name, **{part: tuple(names.split(","))}) for name, part, names in named]  # type: ignore[arg-type]
    return [Hypothesis("all columns"), *sets]


def run_study(
    source: str,
    options: dict[str, Any],
    out: Path | None,
    *,
    workers: int,
    fresh: bool,
    quiet: bool,
    time_limit: float | None,
) -> None:
    """Make a plan or read one, run it, and say what came out; `options` are those of `make_plan`."""
    start = monotonic()
    with waiting("Reading and describing"):
        plan, table, description = _planned(source, options)
    folder = out or (Path(source).parent if _is_plan(source) else Path(Path(source).stem))
    claim_folder(plan, folder, fresh=fresh)  # before anything is said
    screen = _screen()
    if not quiet:
        _heading(screen, "The data")
        _print(screen, _short(description))
        _notes(screen, plan)
    left = None if time_limit is None else start + time_limit - monotonic()
    with progress_bar("Judging") as progress:
        result = run(
            plan,
            folder,
            table=table,
            description=description,
            workers=workers,
            progress=progress,
            time_limit=left,
        )
    for note in result.notes[len(plan.notes) :]:
        _print(screen, f"· {note}")
    if not quiet:
        _ranking(screen, result)
    _choice(screen, result)
    _test(screen, result)
    if not quiet:
        _trees(screen, result)
        _works(screen, result)
    _print(screen, f"\nReport: {result.report}\nModel:  {result.model_file}")


def _is_plan(source: str) -> bool:
    return Path(source).suffix == ".toml"


def _planned(source: str, options: dict[str, Any]) -> tuple[Plan, Table, Description]:
    """The plan, and what it is about."""
    if _is_plan(source):
        if options:
            rest = ", ".join(options)
            but = "--out, --workers, --fresh, --quiet and --time-limit"
            raise PlanError(f"{source} says everything but {but}; change it there ({rest})")
        plan = Plan.open(Path(source))
        table = plan.data.read()
        return plan, table, describe(table, plan.roles.target)
    aimed = aim(source, options.pop("target", None), options.pop("kinds", None))
    description = describe(aimed.table, aimed.target)
    return make_plan(aimed, description=description, **options), aimed.table, description


def _screen() -> Console:
    console = Console(highlight=False)
    return console if console.is_terminal else Console(highlight=False, width=_WIDTH)


def _print(screen: Console, text: str, style: str = "") -> None:
    screen.print(Text("\n".join(printable(line) for line in text.split("\n")), style=style))


def _heading(screen: Console, text: str) -> None:
    _print(screen, f"\n{text}", "bold cyan")


def _short(description: Description) -> str:
    """The description; of a wide table only the headline and the findings."""
    blocks = str(description).split("\n\n")
    if len(description.columns) <= _MOST_COLUMNS:
        return "\n\n".join(blocks)
    return "\n\n".join([blocks[0], *(block for block in blocks[1:] if block.startswith("Worth a look"))])


def _notes(screen: Console, plan: Plan) -> None:
    _heading(screen, "The plan")
    for note in plan.notes:
        _print(screen, f"· {note}")


def _ranking(screen: Console, result: StudyResult) -> None:
    comparison = result.comparison
    rows = comparison.rows()
    _heading(screen, "The ranking")
    _print(screen, f"By {result.protocol}.\n")
    grid = Grid(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False)
    level = f"{100 * rows[0].interval.level:g}% interval"
    metric = words.title(comparison.metric().words)
    grid.add_column("")
    for name in (metric, level, f"against {comparison.baseline}", "p"):
        grid.add_column(Text(printable(name)), justify="right", no_wrap=True)
    for row in rows:
        chosen = row.label == result.choice.label
        name = ("→ " if chosen else "  ") + printable(row.label)
        name += "".join(f" ({tag})" for tag in words.tags(result, row.label))
        test = ("", "") if row.test is None else (f"{row.test.difference:+.3f}", words.p_words(row.p_value))
        cells = (name, words.score_words(row.score), row.interval.ends, *test)
        grid.add_row(*(Text(cell) for cell in cells), style="bold" if chosen else "")
    screen.print(grid)


def _test(screen: Console, result: StudyResult) -> None:
    if not result.tests:
        return
    _heading(screen, "The final test")
    for label, evaluation in result.tests.items():
        name = evaluation.metric().words
        rows = f"{len(evaluation.predictions.truth):,} rows never used before"
        score = words.score_words(evaluation.score())
        _print(screen, f"{label}: {name} {score} {evaluation.interval()} on {rows}")


def _choice(screen: Console, result: StudyResult) -> None:
    _heading(screen, "The choice")
    for sentence in (result.choice.reason, *result.choice.withheld.values()):
        _print(screen, sentence)
    if sentence := words.beside_baseline(result):
        _print(screen, sentence)


def _trees(screen: Console, result: StudyResult) -> None:
    for label, model in result.models.items():
        if getattr(model, "tree_", None) is not None:
            drawing = legible(model)
            _heading(screen, f"The tree of {label}")
            _print(screen, tree_words(model, drawing))
            if model.tree_.size > 1:
                _print(screen, f"\n{drawing.text()}")


def _works(screen: Console, result: StudyResult) -> None:
    """The first example; the report has them all."""
    example = result.examples[0]
    _heading(screen, f"Row {example.row} worked (its {result.target} is {words.cell_words(example.truth)})")
    _print(screen, f"{words.title(example.words)}. {words.example_words(result, example)}")
    for label, work in example.works.items():
        _print(screen, "\n".join(_cut(work, label)))


def _cut(work: Work, label: str) -> Iterator[str]:
    """The derivation's lines, as many as are read on a screen."""
    lines = work.text().splitlines()
    yield f"\nBy {label}:"
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"… {len(lines) - _MOST_LINES} more lines in the report"
