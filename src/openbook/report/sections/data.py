"""The data: size, warnings, a card for each column, changes, and leaks."""

from collections.abc import Iterator, Mapping
from typing import Any, Protocol

from markupsafe import Markup

from openbook.data import Datetime
from openbook.data.summary import ColumnSummary
from openbook.report import svg, words
from openbook.report.blocks import (
    Block,
    Card,
    Cards,
    Findings,
    Fold,
    Heading,
    Items,
    Paragraph,
    Shown,
    section,
)
from openbook.report.changes import changes
from openbook.report.study import StudyResult
from openbook.report.words import Described
from openbook.words.numbers import short
from openbook.words.sentences import plural

#: The most findings and columns that are not folded, columns in all, and bars of a nominal column.
_FINDINGS, _FIRST, _MOST_COLUMNS, _BARS = 5, 9, 36, 8


class DescribedTable(Described, Protocol):
    """A table with a target, whether it was evaluated or not."""

    @property
    def name(self) -> str: ...
    @property
    def target(self) -> str: ...
    @property
    def roles(self) -> Mapping[str, Any]: ...


@section("data", "The data")
def the_data(result: DescribedTable) -> Iterator[Block]:
    description = result.description
    missing = sum(column.missing for column in description.columns)
    cells = description.rows * len(description.columns)
    gaps = f"{missing / cells:.1%} of the values are missing" if missing else "no missing values"
    yield Paragraph(f"{result.name}: {words.size_words(result)}; {gaps}.")
    if description.notes:
        yield Heading("Changed on reading")
        yield from map(Paragraph, description.notes)
    if found := words.grouped_findings(description.findings):
        found.sort(key=lambda one: one[0] != "warn")
        yield from (Heading("Findings"), Findings(found[:_FINDINGS]))
        if rest := found[_FINDINGS:]:
            yield Fold(f"{len(rest)} more", [Findings(rest)])
    ordered = sorted(description.columns, key=lambda column: column.name != result.target)
    cards = [_card(column, _role(result, column.name)) for column in ordered[:_MOST_COLUMNS]]
    yield from (Heading("Columns"), Cards(cards[:_FIRST]))
    if len(ordered) > _FIRST:
        more: list[Block] = [Cards(cards[_FIRST:])]
        if (hidden := len(ordered) - _MOST_COLUMNS) > 0:
            more.append(Paragraph(f"{hidden:,} more columns are in the table only.", "note"))
        yield Fold(f"{plural(len(ordered) - _FIRST, 'more column')}", more)
    figures = Markup(description._repr_html_())  # noqa: S704 (escapes)
    table = Shown(Markup('<div class="described">{}</div>').format(figures))
    yield Fold("Table of all columns", [table])


def _role(result: DescribedTable, name: str) -> str:
    """The roles of a column that is more than an input."""
    if name == result.target:
        return "target"
    columns = {role: [names] if isinstance(names, str) else names for role, names in result.roles.items()}
    own = [role for role, names in columns.items() if name in names]
    return ", ".join("not used" if role == "ignore" else role for role in own)


def _card(column: ColumnSummary, role: str) -> Card:
    about = [column.kind]
    if column.missing:
        about.append(f"{column.missing:,} missing ({column.missing_share:.0%})")
    about.append(f"{column.distinct:,} distinct")
    picture, figures = "", ""
    if (x := column.numbers) is not None:
        picture = svg.histogram(f"Histogram of {column.name}", x.counts, x.edges)
        spread = "" if x.std is None else f", standard deviation {short(x.std)}"
        figures = f"median {short(x.median)}, mean {short(x.shown_mean)}{spread}"
        if column.kind == Datetime.kind:
            written = Datetime(column.name, zone=column.zone, format=column.format).shown
            first, median, last = map(written, (x.minimum, x.median, x.maximum))
            figures = f"from {first} to {last}, median {median}"
    elif column.top_values:
        shown = column.top_values[:_BARS]
        picture = svg.value_bars(f"Values of {column.name}", shown, rest=column.distinct - len(shown))
    elif column.lengths is not None:
        figures = f"{column.lengths.shortest:,} to {column.lengths.longest:,} characters"
    return Card(column.name, role, ", ".join(about), Markup(picture), figures)  # noqa: S704 (svg escapes)


@section("changes", "From the file to the model")
def from_file_to_model(result: StudyResult) -> Iterator[Block]:
    yield Paragraph("All that was changed, left out, pooled or derived on the way.")
    yield Items(changes(result))


@section("leaks", "Leaks")
def possible_leaks(result: StudyResult) -> Iterator[Block]:
    found = result.looks.leaks
    if found is None:
        return
    about = (
        "Checked: columns that give the target away, row IDs, equal rows in training and test, split groups,"
        " order of time, columns that were scaled or imputed before the split."
    )
    yield Paragraph(found.work().conclusion, "verdict")
    if sentence := words.without_suspects(result):
        yield Paragraph(sentence, "verdict")
    if len(found):
        yield Findings([words.finding_cells(one) for one in found])
    yield Paragraph(about, "note")
