"""Options and arguments that commands share, and what they stand for."""

from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

__all__ = [
    "Kinds",
    "ModelArgument",
    "NewArgument",
    "RulesFormat",
    "SourceArgument",
    "Target",
    "WorkFormat",
    "kinds_of",
    "seconds_of",
]

Target = Annotated[str | None, typer.Option("--target", "-t", help="The column to predict.")]
Kinds = Annotated[
    list[str] | None,
    typer.Option(
        "--kind",
        "-k",
        metavar="COLUMN=KIND",
        help="Overrule the guess: numeric, nominal, ordinal or text; for an ordinal column also its values "
        "from lowest to highest, as in size=small,medium,large. May be given several times.",
    ),
]
SourceArgument = Annotated[
    str,
    typer.Argument(metavar="SOURCE", help="A file (CSV, TSV, Parquet, ARFF, JSON lines) or a bundled set."),
]
ModelArgument = Annotated[Path, typer.Argument(metavar="MODEL", help="A model.openbook file.")]
NewArgument = Annotated[str, typer.Argument(metavar="NEW", help="A file with the rows, or a bundled set.")]


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


def seconds_of(given: str | None) -> float | None:
    """A time limit in seconds."""
    if given is None:
        return None
    number, unit = (given[:-1], given[-1]) if given[-1:] in _UNITS else (given, "s")
    try:
        seconds = float(number) * _UNITS[unit]
    except ValueError:
        seconds = 0.0
    if not 0 < seconds < float("inf"):
        raise typer.BadParameter(f"--time-limit takes a time such as 90, 90s, 15m or 2h, got {given!r}")
    return seconds


_UNITS = {"s": 1, "m": 60, "h": 3600}


def kinds_of(given: list[str] | None) -> dict[str, Any]:
    """The kinds by column; `a=b` splits at the last sign, since names may hold one."""
    kinds: dict[str, Any] = {}
    for entry in given or ():
        column, sign, kind = entry.rpartition("=")
        if not sign or not column or not kind:
            raise typer.BadParameter(f"--kind takes COLUMN=KIND, as in zip=nominal, got {entry!r}")
        kinds[column] = kind.split(",") if "," in kind else kind
    return kinds
