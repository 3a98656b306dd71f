"""A description of a table: every column in figures, and findings to check before learning from it."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from openbook.data.describe_render import description_html, description_text
from openbook.data.findings.broken_rules import broken_rules
from openbook.data.findings.columns import column_findings, target_findings
from openbook.data.findings.computed import computed_findings
from openbook.data.findings.dates import date_parts
from openbook.data.findings.finding import TINY, Finding
from openbook.data.findings.gaps import gap_findings
from openbook.data.findings.leaks import leak_findings
from openbook.data.findings.near_rows import near_rows
from openbook.data.findings.rare import many_values
from openbook.data.findings.repeats import agreement, repeated_columns, repeated_rows
from openbook.data.findings.totals import total_row
from openbook.data.findings.turning import turn_findings
from openbook.data.summary import ColumnSummary, measure
from openbook.data.table import Table
from openbook.errors import UnknownColumn, for_command_line
from openbook.words.sentences import plural


@dataclass(frozen=True)
class Description:
    """What a table holds; `print` it, or show it in a notebook.

    Parameters
    ----------
    rows : int
    columns : tuple of ColumnSummary, in the table's order
    target : str or None
        The name of the column to be predicted.
    findings : tuple of Finding
        Warnings first, and among equals in the order of the columns.
    notes : tuple of str
        What was lost, renamed or converted when the table was read.
    texts : tuple of TextDescription
        The words of each column of texts; `openbook.describe` puts them in.
    """

    rows: int
    columns: tuple[ColumnSummary, ...]
    target: str | None
    findings: tuple[Finding, ...]
    notes: tuple[str, ...] = ()
    texts: tuple[Any, ...] = ()

    def __getitem__(self, name: str) -> ColumnSummary:
        """The summary of the column of that name."""
        for summary in self.columns:
            if summary.name == name:
                return summary
        raise UnknownColumn(name, [summary.name for summary in self.columns])

    def for_command_line(self) -> "Description":
        """The same, with hints as they are typed on the command line."""
        return replace(
            self,
            columns=tuple(replace(one, why=for_command_line(one.why)) for one in self.columns),
            findings=tuple(replace(one, message=for_command_line(one.message)) for one in self.findings),
            notes=tuple(map(for_command_line, self.notes)),
        )

    def to_json(self) -> dict[str, Any]:
        return {
            "rows": self.rows,
            "columns": [summary.to_json() for summary in self.columns],
            "target": self.target,
            "findings": [finding.to_json() for finding in self.findings],
            "notes": list(self.notes),
            "texts": [text.to_json() for text in self.texts],
        }

    def __str__(self) -> str:
        return description_text(self)

    def _repr_html_(self) -> str:
        return description_html(self)


def describe_columns(table: Table, target: str | None = None, rules: Collection[str] = ()) -> Description:
    """Measure every column, and point to what may need care before a model is fitted.

    Figures are over known cells. Findings are suspicions and change nothing; with a target, columns that give
    it away are among them. Relations between columns are looked for in a fixed sample where there are many
    rows.

    Parameters
    ----------
    table : Table
        The table.
    target : str or None, default=None
        The name of the column to predict; None for none.
    rules : collection of str, default=()
        Rules between columns, such as "age >= 18 where licence = yes"; rows that break one are named.

    Returns
    -------
    Description

    Notes
    -----
    Guide: docs/guide/tables.md

    Examples
    --------
    >>> from openbook.data import Nominal, Numeric, Schema
    >>> import numpy as np
    >>> schema = Schema((Numeric("income"), Nominal("owner", ("no", "yes"))))
    >>> d = describe_columns(Table(schema, [np.array([125.0, 100, 70, np.nan]), np.array([1, 0, 0, 0])]))
    >>> d["income"].missing, d["income"].numbers.median, d["owner"].top_values
    (1, 100.0, (('no', 3), ('yes', 1)))
    """
    summaries: list[ColumnSummary] = []
    agreements: list[float] = []
    findings = list(_size_findings(table))
    if target is not None:
        findings += [*leak_findings(table, target), *computed_findings(table, target)]
    for name in table.names:
        facts = measure(table.column(name), table.why.get(name, ""))
        summaries.append(facts.summary)
        agreements.append(agreement(facts))
        findings += column_findings(facts, is_target=name == target)
        if name == target:
            findings += target_findings(facts)
    identifiers = {name for finding in findings if finding.kind == "identifier" for name in finding.columns}
    findings += many_values(table, target, identifiers)
    findings += date_parts(table, target, identifiers)
    findings += gap_findings(table, target)
    findings += () if target is None else turn_findings(table, target)
    findings += repeated_columns(table, summaries, target)
    findings += repeated_rows(table, agreements)
    findings += near_rows(table)
    findings += total_row(table)
    findings += [finding for text in rules for finding in broken_rules(table, text)]
    findings.sort(key=lambda finding: finding.severity != "warn")
    return Description(len(table), tuple(summaries), target, tuple(findings), table.notes)


def _size_findings(table: Table) -> Iterator[Finding]:
    if not len(table):
        yield Finding("empty", (), "warn", "the table has no rows.")
    elif len(table) < TINY:
        rows = plural(len(table), "row")
        message = f"only {rows}: estimates are very uncertain."
        yield Finding("tiny", (), "note", message)
