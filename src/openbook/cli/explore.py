"""A study without a target, on the screen."""

from collections.abc import Sequence
from itertools import islice
from pathlib import Path
from typing import Any

from rich.console import Console

from openbook.cli.screen import console, figures, heading, notes, readable, say, short_description
from openbook.data import Table
from openbook.data.describe import Description
from openbook.errors import PlanError
from openbook.judge.folds.progress import progress_bar
from openbook.plan.explore import explore
from openbook.plan.explore_make import make_exploration
from openbook.plan.explore_plan import ExplorePlan
from openbook.plan.run import claim_folder
from openbook.plan.source import Source
from openbook.report.exploration import Exploration
from openbook.report.explore import beside_words, rule_figures
from openbook.text.describe import describe

#: The options of a study that are valid without a target.
_OPTIONS = ("target", "kinds", "read_with", "ignore", "id", "random_state")

#: Rows and rules that are shown; the report has more.
_ODD, _RULES = 5, 8


def plan_exploration(source: str, options: dict[str, Any]) -> tuple[ExplorePlan, Table, Description]:
    """The plan, its table and the description of that; `options` are those of a study."""
    if odd := [name for name in options if name not in _OPTIONS]:
        option = {"only": "learner", "effort": "quick or --thorough", "hypotheses": "attributes or --without"}
        name = option.get(odd[0], odd[0].replace("_", "-"))
        raise PlanError(f"--{name} needs a target, and this study explores; omit it")
    origin = Source.of(source, options.pop("kinds", None), options.pop("read_with", None))
    origin, aside = origin.aimed_at(options.pop("target", None))
    table = origin.read()
    description = describe(table)
    plan = make_exploration(origin, aside=aside, table=table, description=description, **options)
    return plan, table, description


def run_exploration(
    plan: ExplorePlan, table: Table, description: Description, folder: Path, *, quiet: bool, **settings: Any
) -> None:
    """Run a plan and print its results; `settings` are `workers` and `fresh`."""
    claim_folder(plan, folder, fresh=settings.pop("fresh"))  # before anything is printed
    screen, given = console(), {"table": table, "description": description, **settings}
    if not quiet:
        heading(screen, "The data")
        say(screen, short_description(description, readable(screen)))
    announce = None if quiet else lambda words: say(screen, words)
    with progress_bar("Exploring") as progress:
        result = explore(plan, folder, progress=progress, say=announce, **given)
    if result.notes and not quiet:
        heading(screen, "The plan")
        notes(screen, result.notes)
    _groups(screen, result, quiet=quiet)
    _oddities(screen, result, quiet=quiet)
    _associations(screen, result, quiet=quiet)
    files = f"\nReport: {result.report}\nModel:  {result.model_file}\nLabels: {result.labels_file}"
    say(screen, files)


def _groups(screen: Console, result: Exploration, *, quiet: bool) -> None:
    groups = result.groups
    heading(screen, f"Clusters: {groups.k}")
    if groups.doubt:
        say(screen, groups.doubt)
    say(screen, groups.verdict)
    if quiet:
        return
    rows = [(str(c), f"{size:,}", groups.sentence(c)) for c, size in groups.traits.sizes.items()]
    _table(screen, ("cluster", "rows", "differs in"), rows)
    if groups.beside is not None:
        say(screen, f"\nCompared with {result.roles['aside']}, which was not used: {beside_words(result)}")


def _oddities(screen: Console, result: Exploration, *, quiet: bool) -> None:
    heading(screen, "Outliers")
    say(screen, result.oddities.verdict)
    if result.oddities.simple:
        say(screen, result.oddities.one_column_at_a_time)
    if quiet:
        return
    rows = [(odd.name, f"{odd.score:.3g}", odd.because) for odd in islice(result.oddities, _ODD)]
    _table(screen, ("row", "score", "reason"), rows)


def _associations(screen: Console, result: Exploration, *, quiet: bool) -> None:
    found = result.associations
    heading(screen, "Association rules")
    say(screen, found.verdict if quiet else f"{found.verdict} {found.how}")
    if quiet or not len(found.rules):
        return
    rows = [(str(rule), *rule_figures(rule)) for rule in found.rules.rules[:_RULES]]
    _table(screen, ("rule", "rows", "support", "confidence", "lift", "p"), rows, words=0)
    if (more := len(found.rules) - _RULES) > 0:
        say(screen, f"… and {more:,} more")


def _table(screen: Console, head: Sequence[str], rows: Sequence[Sequence[str]], words: int = 2) -> None:
    """A table of figures, with text of any length in the column `words`."""
    screen.print()
    figures(screen, head, rows, left=(words,), most=None)
