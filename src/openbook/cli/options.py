"""Options and arguments that commands share, and what they stand for."""

import inspect
from collections.abc import Callable
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "COLUMNS",
    "Ignore",
    "Kinds",
    "ModelArgument",
    "NewArgument",
    "Out",
    "RulesFormat",
    "SourceArgument",
    "Targets",
    "TestGroups",
    "WeightKind",
    "WorkFormat",
    "kinds_of",
    "parsed_seconds",
    "reading",
]

#: The panel of the help with the options about columns.
COLUMNS = "Columns"

Targets = Annotated[
    list[str] | None,
    typer.Option(
        "--target",
        "-t",
        metavar="COLUMN",
        help="The column to predict. Of a column of label sets, such as sport|politics, every label is"
        " predicted. Repeatable: several columns of 0 and 1 are labels, predicted together.",
        rich_help_panel=COLUMNS,
    ),
]
Ignore = Annotated[
    list[str] | None,
    typer.Option(
        "--ignore",
        metavar="COLUMN",
        help="Column that is not used as a feature. Repeatable.",
        rich_help_panel=COLUMNS,
    ),
]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        "-k",
        metavar="COLUMN=KIND",
        help="Set the kind of a column: numeric, datetime, nominal, ordinal, text, or labels for sets such as"
        " sport|politics. For an ordinal column give its values from lowest to highest, as in"
        " size=small,medium,large; for dates, a format such as d/m/y, unix or excel. Repeatable.",
        rich_help_panel=COLUMNS,
    ),
]
#: The options of `openbook.read`, by the names they have there: type, metavar and help.
_READ_WITH: dict[str, tuple[Any, str, str]] = {
    "missing": (
        list[str],
        "TEXT",
        "Cell that stands for a missing value, besides empty cells, ?, NA, null and their like. Repeatable.",
    ),
    "header": (bool, "", "Whether the first line holds the column names. By default inferred."),
    "decimal": (str, "SIGN", "Decimal mark (. or ,). By default inferred for each column."),
    "encoding": (str, "NAME", "Encoding of a text file, such as latin-1. By default UTF-8."),
    "sheet": (str, "SHEET", "Sheet or range of an .xlsx file: Sales, A3:F40 or Sales!A3:F40."),
    "query": (str, "SQL", "Query to a database (.sqlite, .duckdb), or the name of a table."),
    "thousands": (str, "SIGN", "Thousands separator. By default inferred for each column."),
}
SourceArgument = Annotated[
    str,
    typer.Argument(
        metavar="SOURCE",
        help="A data file (CSV, TSV, Parquet, XLSX, JSON, ARFF, SQLite), a folder or pattern of CSV or"
        " Parquet files, - for standard input, or a bundled set.",
    ),
]
ModelArgument = Annotated[
    Path, typer.Argument(metavar="MODEL", help="The folder of a study, or its model.openbook.")
]
NewArgument = Annotated[
    str, typer.Argument(metavar="NEW", help="A data file with the rows, or a bundled data set.")
]

Out = Annotated[
    Path | None, typer.Option("--out", "-o", help="File to write. By default print to the screen.")
]


class WorkFormat(StrEnum):
    """How a derivation can be written."""

    text = "text"
    html = "html"
    latex = "latex"
    json = "json"


class RulesFormat(StrEnum):
    """How rules can be written."""

    text = "text"
    json = "json"
    sql = "sql"


class TestGroups(StrEnum):
    """Which groups a study over time tests."""

    new = "new"
    known = "known"


class WeightKind(StrEnum):
    """What the weights of rows are."""

    frequency = "frequency"
    importance = "importance"


def parsed_seconds(given: str | None) -> float | None:
    """A time limit in seconds."""
    if given is None:
        return None
    number, unit = (given[:-1], given[-1]) if given[-1:] in _UNITS else (given, "s")
    try:
        seconds = float(number) * _UNITS[unit]
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise typer.BadParameter(f"--time-limit needs a time such as 90s, 15m or 2h, got {given!r}")
    return seconds


_UNITS = {"s": 1, "m": 60, "h": 3600}


def kinds_of(given: list[str] | None) -> dict[str, Any]:
    """The kinds by column; `a=b` splits at the last sign, since names may hold one."""
    kinds: dict[str, Any] = {}
    for entry in given or ():
        column, sign, kind = entry.rpartition("=")
        if not sign or not column or not kind:
            raise typer.BadParameter(f"--kind needs COLUMN=KIND, as in zip=nominal, got {entry!r}")
        kinds[column] = kind.split(",") if "," in kind else kind
    return kinds


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of `openbook.read`; those that are given come as `read_with`."""

    @wraps(command)
    def run(*arguments: Any, **options: Any) -> None:
        given = {name: options.pop(name) for name in _READ_WITH}
        read_with = {name: value for name, value in given.items() if value not in (None, [])}
        if "missing" in read_with:
            from openbook.data import MISSING_TOKENS

            read_with["missing"] = [*MISSING_TOKENS, *read_with["missing"]]
        command(*arguments, read_with=read_with, **options)

    signature = inspect.signature(command)
    own = [parameter for name, parameter in signature.parameters.items() if name != "read_with"]
    added = [
        inspect.Parameter(
            name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=Annotated[
                kind | None,
                typer.Option(
                    f"--{name}/--no-{name}" if kind is bool else f"--{name}",
                    metavar=metavar or None,
                    help=words,
                    show_default=False,
                    rich_help_panel="Reading",
                ),
            ],
        )
        for name, (kind, metavar, words) in _READ_WITH.items()
    ]
    run.__signature__ = signature.replace(parameters=own + added)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in own + added}
    return run
