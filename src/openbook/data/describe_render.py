"""A description as text for the console and as HTML for a notebook."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import chain
from textwrap import fill
from typing import TYPE_CHECKING

from openbook.data.attributes import Datetime
from openbook.data.findings.finding import Finding
from openbook.data.summary import ColumnSummary
from openbook.words.numbers import short
from openbook.words.sentences import plural, printable

if TYPE_CHECKING:
    from openbook.data.describe import Description

_WIDTH = 100
_NAME_WIDTH = 24
_BLOCKS = "▁▂▃▄▅▆▇█"
_MOST_BARS = 10

#: Findings of one kind that are spelt out; of the others only the columns are named.
_SPELT_OUT = 3

#: The grids of a description: the kinds in them, and the heads of their own columns.
_GRIDS = (
    (("numeric",), ("", "min", "q1", "median", "q3", "max", "mean", "std", "skew")),
    (("datetime",), ("", "first", "median", "last")),
    (("nominal", "ordinal"), ("", "values")),
    (("labels",), ("", "labels, with the rows that have them")),
    (("text",), ("characters",)),
)
#: Figures that a narrow screen does without, the first to go first.
_SPARE = ("skew", "q1", "q3", "std", "mean", "")
_LEFT_ALIGNED = ("", "values", "labels, with the rows that have them", "characters")


def text_bars(counts: Sequence[int]) -> str:
    """Counts as blocks of different height; none is a blank, and the least is still to be seen.

    >>> text_bars([0, 1, 40, 80])
    ' ▁▄█'
    """
    top = max(counts, default=0)
    return "".join(_BLOCKS[max(8 * n // top, 1) - 1] if n else " " for n in counts)


def description_text(description: "Description", width: int = _WIDTH) -> str:
    """A headline, a grid for each kind, the kinds' reasons, the findings; about `width` characters wide."""
    parts = [_headline(description)]
    for head, rows in _grids(description, width):
        parts.append("\n".join(_lines(*_narrowed(head, rows, width))))
    texts = (
        _reasons(description, width),
        _notes(description.notes, width),
        _findings(description.findings, width),
    )
    parts += ["\n".join(lines) for lines in texts if lines]
    parts += [text.work().text() for text in description.texts]
    return "\n\n".join(parts)


def description_html(description: "Description") -> str:
    """The same as `description_text`, in plain tables and a list."""
    tables = "".join(_html_table(head, rows) for head, rows in _grids(description))
    items = "".join(
        f"<li><b>{escape(_where(finding))}</b> {escape(printable(finding.message))}</li>"
        for finding in description.findings
    )
    notes = "".join(f"<li>{escape(printable(note))}</li>" for note in description.notes)
    changed = f"<p>Changed on reading</p><ul>{notes}</ul>" if notes else ""
    found = f"<ul>{items}</ul>" if items else ""
    texts = "".join(text.work().html() for text in description.texts)
    return f"<p>{escape(_headline(description))}</p>{tables}{changed}{found}{texts}"


def _headline(description: "Description") -> str:
    missing = sum(summary.missing for summary in description.columns)
    cells = description.rows * len(description.columns)
    gaps = f"{plural(missing, 'cell')} missing ({missing / cells:.1%})" if missing else "no cell missing"
    target = "" if description.target is None else f", target {description.target!r} (*)"
    return f"{plural(description.rows, 'row')}, {plural(len(description.columns), 'column')}, {gaps}{target}"


def _grids(description: "Description", width: int = _WIDTH) -> Iterator[tuple[list[str], list[list[str]]]]:
    """The head and the rows of the grid of each kind, since each kind has figures of its own."""
    for kinds, heads in _GRIDS:
        of_kind = [summary for summary in description.columns if summary.kind in kinds]
        if of_kind:
            title = " and ".join(kind for kind in kinds if any(s.kind == kind for s in of_kind))
            taken = max(len(title), *(len(_clip(s.name, _NAME_WIDTH)) for s in of_kind)) + 24
            space = width - taken - (11 if any(s.missing for s in of_kind) else 0)
            rows = [_row(s, space, starred=s.name == description.target) for s in of_kind]
            yield _without_empty([title, "missing", "distinct", *heads], rows)


def _without_empty(head: list[str], rows: list[list[str]]) -> tuple[list[str], list[list[str]]]:
    """The grid without the column of missing cells, where there are none."""
    if any(row[1] != "–" for row in rows):
        return head, rows
    return [head[0], *head[2:]], [[row[0], *row[2:]] for row in rows]


def _row(summary: ColumnSummary, space: int, *, starred: bool) -> list[str]:
    name = _clip(summary.name, _NAME_WIDTH) + ("*" if starred else "")
    share = "<1%" if summary.missing_share < 0.005 else f"{summary.missing_share:.0%}"
    missing = f"{summary.missing:,} ({share})" if summary.missing else "–"
    return [name, missing, f"{summary.distinct:,}", *_own_figures(summary, space)]


def _own_figures(summary: ColumnSummary, space: int) -> list[str]:
    if summary.kind == "numeric":
        x = summary.numbers
        if x is None:
            return [""] * len(_GRIDS[0][1])
        skew = "–" if x.skew is None else f"{round(x.skew, 2) + 0.0:.2f}"
        std = "–" if x.std is None else short(x.std)
        figures = (x.minimum, x.q1, x.median, x.q3, x.maximum, x.shown_mean)
        return [text_bars(x.counts), *map(short, figures), std, skew]
    if summary.kind == "datetime":
        x = summary.numbers
        if x is None:
            return [""] * len(_GRIDS[1][1])
        shown = Datetime(summary.name, zone=summary.zone, format=summary.format).shown
        return [text_bars(x.counts), *map(shown, (x.minimum, x.median, x.maximum))]
    if summary.lengths is not None:
        lengths = summary.lengths
        return [f"{lengths.shortest:,} to {lengths.longest:,}, median {short(lengths.median)}"]
    if summary.kind == "text":
        return [""]
    return [text_bars([count for _, count in summary.top_values[:_MOST_BARS]]), _values(summary, space)]


def _values(summary: ColumnSummary, space: int) -> str:
    """As many values with their counts as fit, and how many more there are."""
    shown: list[str] = []
    every = len(summary.top_values) if summary.kind == "labels" else summary.distinct
    for value, count in summary.top_values:
        entry = f"{_clip(value, _NAME_WIDTH)} ({count:,})"
        rest = every - len(shown)
        longer = " · ".join([*shown, entry]) + _more(rest - 1)
        if shown and len(longer) > space:
            return " · ".join(shown) + _more(rest)
        shown.append(entry)
    return " · ".join(shown) + _more(every - len(shown))


def _more(rest: int) -> str:
    return f" · … {rest:,} more" if rest else ""


def _narrowed(head: list[str], rows: list[list[str]], width: int) -> tuple[list[str], list[list[str]]]:
    """The grid without the figures that a narrow screen has no room for."""
    for spare in _SPARE:
        if max(map(len, _lines(head, rows))) <= width:
            break
        if spare in head:
            position = head.index(spare)
            head, *rows = ([*line[:position], *line[position + 1 :]] for line in (head, *rows))
    return head, rows


def _lines(head: list[str], rows: list[list[str]]) -> Iterator[str]:
    columns = list(zip(head, *rows, strict=True))
    widths = [max(map(len, column)) for column in columns]
    for row in chain([head], rows):
        cells = (
            cell.ljust(width) if i == 0 or title in _LEFT_ALIGNED else cell.rjust(width)
            for i, (cell, width, title) in enumerate(zip(row, widths, head, strict=True))
        )
        yield "  ".join(cells).rstrip()


def _html_table(head: list[str], rows: list[list[str]]) -> str:
    def line(cells: Iterable[str], tag: str) -> str:
        return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"

    body = "".join(line(row, "td") for row in rows)
    return f"<table><thead>{line(head, 'th')}</thead><tbody>{body}</tbody></table>"


def _reasons(description: "Description", width: int) -> list[str]:
    """Why each column has its kind, columns of one reason together."""
    groups: dict[str, list[str]] = defaultdict(list)
    for summary in description.columns:
        if summary.why:
            groups[f"{summary.kind}: {summary.why}"].append(summary.name)
    if not groups:
        return []
    lines = [
        _indented("", f"{', '.join(_clip(n, _NAME_WIDTH) for n in names)} – {why}", width)
        for why, names in groups.items()
    ]
    return ["Kinds and reasons", *lines]


def _notes(notes: Sequence[str], width: int) -> list[str]:
    return ["Changed on reading", *(_indented("", note, width) for note in notes)] if notes else []


def _findings(findings: Sequence[Finding], width: int) -> list[str]:
    if not findings:
        return []
    groups: dict[tuple[str, str], list[Finding]] = defaultdict(list)
    for finding in findings:
        groups[finding.severity, finding.kind].append(finding)
    lines = ["Findings (! check before fitting, · for information)"]
    for (severity, kind), group in groups.items():
        sign = "! " if severity == "warn" else "· "
        spelt_out = group if len(group) == _SPELT_OUT + 1 else group[:_SPELT_OUT]
        lines += [_indented(sign, f"{_where(finding)}: {finding.message}", width) for finding in spelt_out]
        if rest := [_where(finding) for finding in group[len(spelt_out) :]]:
            more = f"{kind} also in {len(rest):,} more: {', '.join(dict.fromkeys(rest))}"
            lines.append(_indented(sign, more, width, at_most=300))
    return lines


def _where(finding: Finding) -> str:
    return _clip(finding.columns[0], _NAME_WIDTH) if finding.columns else "the table"


def _indented(sign: str, text: str, width: int, at_most: int = 1000) -> str:
    return fill(
        _clip(text, at_most),
        width,
        initial_indent="  " + sign,
        subsequent_indent=" " * (2 + len(sign)),
        break_on_hyphens=False,
    )


def _clip(text: str, at_most: int) -> str:
    """On one line and no longer than that."""
    text = printable(" ".join(text.split())) if text.split() else repr(text)
    return text if len(text) <= at_most else text[: at_most - 1] + "…"
