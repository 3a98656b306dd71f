"""What deserves a second look before a model is fitted to a table."""

from openbook.data.findings.broken_rules import broken_rules
from openbook.data.findings.columns import column_findings, target_findings
from openbook.data.findings.computed import computed_findings
from openbook.data.findings.dates import date_parts
from openbook.data.findings.finding import TINY, Finding
from openbook.data.findings.gaps import gap_findings
from openbook.data.findings.leaks import leak_findings
from openbook.data.findings.near_rows import near_codes, near_rows
from openbook.data.findings.rare import many_values
from openbook.data.findings.repeats import agreement, repeated_columns, repeated_rows
from openbook.data.findings.totals import total_row
from openbook.data.findings.turning import turn_findings

__all__ = [
    "TINY",
    "Finding",
    "agreement",
    "broken_rules",
    "column_findings",
    "computed_findings",
    "date_parts",
    "gap_findings",
    "leak_findings",
    "many_values",
    "near_codes",
    "near_rows",
    "repeated_columns",
    "repeated_rows",
    "target_findings",
    "total_row",
    "turn_findings",
]
