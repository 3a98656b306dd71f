"""`openbook study` on the screen."""

from collections.abc import Iterator, Sequence
from glob import has_magic
from pathlib import Path
from time import monotonic
from typing import Any

from rich.console import Console

from openbook.cli.bar import waiting
from openbook.cli.screen import console, figures, heading, notes, readable, say, short_description
from openbook.data import Table
from openbook.data.describe import Description
from openbook.data.documents import holds_documents
from openbook.data.sets import sets
from openbook.errors import NotEvaluableError, PlanError
from openbook.judge.chance.intervals import methods_once
from openbook.judge.folds.progress import progress_bar
from openbook.judge.scores.sequences import sequence_table
from openbook.plan import Hypothesis, Plan, Source, StudyResult, aim, make_plan, run
from openbook.plan.counts import described
from openbook.plan.explore_plan import ExplorePlan, open_plan
from openbook.plan.run import report_refusal
from openbook.report import Looks, words
from openbook.report.blocks import Block, Paragraph, abridged
from openbook.report.blocks import Sheet as TableBlock
from openbook.report.changes import changes
from openbook.report.fitted import unwrapped
from openbook.report.portrait import legible, model_blocks, tree_words
from openbook.report.summary import choice_lines, test_lines
from openbook.text.describe import describe
from openbook.words.numbers import shown_p
from openbook.words.sentences import plural
from openbook.work import Work
from openbook.work.text import to_text

#: The most lines of a derivation; the report has the whole.
_MOST_LINES = 60
_MOST_REMEDIES = 3
#: The most tables of a model, and the most rows of each.
_MOST_TABLES, _MOST_ROWS = 3, 12


def hypotheses(attributes: Sequence[str], without: Sequence[str]) -> list[Hypothesis]:
    """The sets of columns that the options name, as in "A,B" or "NAME=A,B", beside all columns."""
    sets = [Hypothesis(*_named("only", given)) for given in attributes]
    for given in without:
        name, columns = _named("without", given)
        sets.append(Hypothesis(name, without=columns))
    return [Hypothesis("all columns"), *sets] if sets else []


def _named(words: str, given: str) -> tuple[str, tuple[str, ...]]:
    name, _, columns = given.rpartition("=")
    return name or f"{words} {columns}", tuple(columns.split(","))


def run_study(
    source: str,
    options: dict[str, Any],
    out: Path | None,
    *,
    workers: int,
    fresh: bool,
    quiet: bool,
    end: float | None,
) -> None:
    """Make a plan or read one, run it, and print the results.

    `options` are those of `aim` and `StudyOptions`; `end` is the time on the monotonic clock at which the
    study must end.
    """
    if (plan_file := _plan_file(source)) is not None:
        source = str(plan_file)
    folder = out or (_own_folder(source) if plan_file is None else plan_file.parent)
    target, kinds = options.get("target"), options.get("kinds")
    try:
        with waiting("Reading the data"):
            plan, table, description = _planned(source, options)
    except NotEvaluableError as error:
        origin, aimed = Source.of(source, kinds).aimed_at(target)
        report = report_refusal(origin, aimed, str(error), folder)
        raise PlanError(f"{error} (report: {report})" if report else str(error)) from None
    if isinstance(plan, ExplorePlan):
        from openbook.cli.explore import run_exploration

        if end is not None:
            raise PlanError("--time-limit needs a target, and this study explores; omit it")
        run_exploration(plan, table, description, folder, workers=workers, fresh=fresh, quiet=quiet)
        return
    screen, left = console(), None if end is None else end - monotonic()
    settings: dict[str, Any] = {"workers": workers, "fresh": fresh, "time_limit": left}
    settings["say"] = None if quiet else lambda words: say(screen, words)
    with progress_bar("Evaluating") as progress:
        result = run(plan, folder, table=table, description=description, progress=progress, **settings)
    say(screen, words.headline(result))
    _choice(screen, result)
    _test(screen, result)
    if not quiet:
        _ranking(screen, result)
        _looks(screen, result)
        _models(screen, result)
        _works(screen, result)
        heading(screen, "The data")
        say(screen, short_description(result.description, readable(screen)))
        heading(screen, "From the file to the model")
        notes(screen, changes(result))
        heading(screen, "The plan")
    notes(screen, result.notes[len(plan.notes) :] if quiet else result.notes)
    say(screen, f"\nReport: {result.report}\nModel:  {result.model_file}")


def _own_folder(source: str) -> Path:
    """The folder for a study of this source; for a pattern of files, the name of their folder."""
    path = Path(source)
    if holds_documents(path):  # not among the data
        return Path(f"{path.absolute().name}-study")
    return Path(path.absolute().parent.name or "study") if has_magic(path.name) else Path(path.stem)


def _plan_file(source: str) -> Path | None:
    """The plan of a file or of a study's folder; None for other sources, and if a bundled set has the
    name.
    """
    path = Path(source)
    if path.suffix == ".toml":
        return path
    inside = path / "plan.toml"
    return inside if inside.is_file() and source not in sets() else None


def _planned(source: str, options: dict[str, Any]) -> tuple[Plan | ExplorePlan, Table, Description]:
    """The plan, its table and the description of that."""
    if Path(source).suffix == ".toml":
        if options:
            rest = ", ".join(options)
            but = "--out, --workers, --fresh, --quiet and --time-limit"
            raise PlanError(f"a plan sets everything except {but}; edit {source} instead ({rest})")
        plan = open_plan(Path(source))
        table = plan.data.checked(plan.data.read())
        if isinstance(plan, ExplorePlan):
            return plan, table, describe(table)
        roles = plan.roles
        return plan, table, described(table, roles.target, roles.weight, plan.protocol.weights)
    if options.pop("explore", False) or _no_target(source, options):
        from openbook.cli.explore import plan_exploration

        return plan_exploration(source, options)
    origin = Source.of(source, options.pop("kinds", None), options.pop("read_with", None))
    aimed = aim(origin, options.pop("target", None))
    weights = options.get("weight"), options.get("weight_kind")
    description = described(aimed.table, aimed.target, *weights)
    return make_plan(aimed, description=description, **options), aimed.table, description


def _no_target(source: str, options: dict[str, Any]) -> bool:
    """Whether to explore: no target is named or known, and all options are valid without one."""
    without = set(options) <= {"kinds", "read_with", "ignore", "id", "random_state"}
    return without and Source.of(source).default_target() is None


def _ranking(screen: Console, result: StudyResult) -> None:
    comparison = result.comparison
    rows = comparison.rows()
    heading(screen, "The ranking")
    say(screen, f"By {result.protocol}.\n")
    level = f"{100 * rows[0].interval.level:g}% interval"
    metric = words.title(comparison.metric().words)
    head = ("", "", metric, level, f"minus {comparison.best_baseline()}", "p")
    lines, strong = [], []
    for i, row in enumerate(rows):
        chosen = row.label == result.choice.label
        strong += [i] if chosen else []
        name = row.label + "".join(f" ({tag})" for tag in words.tags(result, row.label))
        test = ("", "")
        if row.test is not None:
            test = (words.change_words(row), shown_p(row.p_value))
        lines.append(("→" if chosen else "", name, words.score_words(row.score), row.interval.ends, *test))
    figures(screen, head, lines, spare=(4, 5), strong=strong, left=(0, 1))
    tests = sorted({row.test.method for row in rows if row.test is not None})
    note = f"Intervals: {methods_once(row.interval.method for row in rows)}."
    if tests:
        note += f" Differences and p: {'; '.join(tests)}."
    say(screen, f"\n{note} {words.remark_on_intervals(result)}".rstrip())


def _test(screen: Console, result: StudyResult) -> None:
    if not result.tests:
        return
    heading(screen, "The final test")
    for line in test_lines(result):
        say(screen, line)


def _choice(screen: Console, result: StudyResult) -> None:
    heading(screen, "The choice")
    hang = 2 + max(len(part) for part, *_ in words.contenders(result))
    for line in choice_lines(result):
        say(screen, line, hang=hang)
    say(screen, f"\n{result.choice.reason}")
    if sentence := words.price(result):
        say(screen, sentence)


def _looks(screen: Console, result: StudyResult) -> None:
    """The conclusion of each analysis; the report has the figures and the pictures."""
    looks = result.looks
    leaks = (words.without_suspects(result), words.copies(result), words.divided(result))
    found = " ".join(filter(None, leaks))
    if found not in words.headline(result):  # the headline may have another reason to doubt
        heading(screen, "Leaks")
        say(screen, found)
    if (diagnosis := looks.diagnosis) is not None:
        heading(screen, words.diagnosed(result))
        say(screen, diagnosis.work().conclusion)
        if steps := words.to_try(result):
            say(screen, f"Next: {'; '.join(steps[:_MOST_REMEDIES])}.")
    _effects_of_rows(screen, looks)
    if looks.sequences:
        heading(screen, "Rows, sequences and spans")
        table = sequence_table(looks.sequences)
        figures(screen, table.header, [tuple(map(str, row)) for row in table.rows], left=(0,))
        say(screen, f"\n{table.note}")
    for name, fairness in looks.fairness.items():
        heading(screen, f"Fairness by {name}")
        say(screen, fairness.work().conclusion)
    if sentence := words.threshold(result):
        heading(screen, "The threshold")
        say(screen, sentence)
    if sentence := words.balanced(result):
        heading(screen, "Balanced classes")
        say(screen, sentence)
    if looks.costs is not None:
        heading(screen, "Costs")
        say(screen, looks.costs.work().conclusion)


def _effects_of_rows(screen: Console, looks: Looks) -> None:
    """The effect of the rows without a label, and of those whose label was requested."""
    if looks.unlabelled is not None:
        heading(screen, "Unlabelled rows")
        say(screen, str(looks.unlabelled))
        say(screen, "Next: label the most informative of these rows with openbook label.")
    if looks.asked is not None:
        heading(screen, "Requested labels")
        say(screen, str(looks.asked))


def _models(screen: Console, result: StudyResult) -> None:
    """A short description of each derived model; the report has the whole."""
    for label, model in result.models.items():
        heading(screen, f"The model: {label}")
        tree = getattr(unwrapped(model), "tree_", None)
        if tree is None or tree.size == 1:  # nothing to draw
            _blocks(screen, model_blocks(result, label))
            continue
        drawing = legible(unwrapped(model))
        say(screen, f"{tree_words(unwrapped(model), drawing)}\n\n{drawing.text()}")


def _blocks(screen: Console, blocks: Sequence[Block]) -> None:
    """Text and the first tables; pictures and folds are in the report."""
    tables = [block for block in blocks if isinstance(block, TableBlock)]
    for block in blocks:
        if isinstance(block, Paragraph):
            say(screen, block.words)
        elif isinstance(block, TableBlock) and block in tables[:_MOST_TABLES]:
            shown = [row.cells for row in block.rows[:_MOST_ROWS]]
            say(screen, f"\n{block.caption}")
            words = [i for i, side in enumerate(block.sides) if not side]
            figures(screen, block.header, shown, left=words)
            if block.note:
                say(screen, block.note)
            if (more := len(block.rows) - _MOST_ROWS) > 0:
                say(screen, f"… {plural(more, 'more row')} in the report")
    if (more := len(tables) - _MOST_TABLES) > 0:
        say(screen, f"\n… {plural(more, 'more table')} in the report")


def _works(screen: Console, result: StudyResult) -> None:
    """The first example; the report has them all."""
    example = result.examples[0]
    truth = f"{result.target}: {words.cell_words(example.truth)}"
    heading(screen, f"Row {example.row}, step by step ({truth})")
    say(screen, f"{words.title(example.words)}. {words.example_words(result, example)}")
    for label, work in example.works.items():
        say(screen, "\n".join(_cut(work, label, readable(screen))))


def _cut(work: Work, label: str, width: int) -> Iterator[str]:
    """The first lines of the derivation."""
    lines = to_text(abridged(work), width, wrap_grids=True).splitlines()
    yield f"\n{label}:"
    yield from lines[:_MOST_LINES]
    if len(lines) > _MOST_LINES:
        yield f"… {plural(len(lines) - _MOST_LINES, 'more line')} in the report"
