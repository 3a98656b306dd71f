"""Rows that break a rule between columns."""

from collections.abc import Iterator

from openbook.data.expression import rule_columns, violations
from openbook.data.findings.finding import Finding
from openbook.data.table import Table
from openbook.words.sentences import listed, plural


def broken_rules(table: Table, text: str) -> Iterator[Finding]:
    """The rows that break a rule, if there are any."""
    broken = violations(table, text)
    if len(broken):
        columns = tuple(name for name in rule_columns(text) if name in table.schema)
        rows = listed([str(row) for row in broken.tolist()], most=10)
        break_it = (
            f"{plural(len(broken), 'row')} {'breaks' if len(broken) == 1 else 'break'} the rule {text!r}"
        )
        message = (
            f'{break_it}: {rows}. Correct them, or leave them out of training by the step "rule {text}".'
        )
        yield Finding("rule", columns, "warn", message)
