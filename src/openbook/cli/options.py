"""Options and arguments that commands share, and their meaning."""

import inspect
import re
from collections.abc import Callable, Mapping
from enum import StrEnum
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, get_origin

import typer

#: The panel of the help with the options about columns.
COLUMNS = "Columns"

#: The help of parameters that a command's docstring does not describe.
_SHARED = {
    None: {
        "source SOURCE": "A data file (CSV, TSV, Parquet, XLSX, JSON, ARFF, SQLite), a folder or pattern of"
        " CSV or Parquet files, - for standard input, or a bundled set.",
        "model MODEL": "The folder of a study, or its model.openbook.",
        "new NEW": "A data file with the rows, or a bundled data set.",
        "out": "File to write. By default print to the screen.",
    },
    COLUMNS: {
        "target COLUMN": "The column to predict. If it holds sets of labels, such as sport|politics, every"
        " label is predicted. Repeatable: several columns of 0 and 1 are predicted together.",
        "ignore COLUMN": "Column that is not used as a feature. Repeatable.",
        "kind COLUMN=KIND": "Set the kind of a column: numeric, datetime, nominal, ordinal, text, or labels"
        " for sets such as sport|politics. For an ordinal column give its values from lowest to highest, as"
        " in size=S,M,L; for dates, a format such as d/m/y, unix or excel. Repeatable.",
    },
}


class WorkFormat(StrEnum):
    """The formats of a derivation."""

    text = "text"
    html = "html"
    latex = "latex"
    json = "json"


class RulesFormat(StrEnum):
    """The formats of rules."""

    text = "text"
    json = "json"
    sql = "sql"


class TestGroups(StrEnum):
    """The groups that a study over time tests."""

    new = "new"
    known = "known"


class WeightKind(StrEnum):
    """The meaning of the weights of rows."""

    frequency = "frequency"
    importance = "importance"


#: The options of a study, by panel of the help.
STUDY_OPTIONS = {
    COLUMNS: {
        "--id COLUMN": "Column with the row IDs. Not used as a feature.",
        "--group COLUMN": "Keep rows with the same value, such as those of one patient, in the same fold. Not"
        " used as a feature.",
        "--sequence COLUMN": "Rows with the same value, such as the words of a sentence, form a sequence, in"
        " the order of the file. Only sequence models use it.",
        "--time COLUMN": "Numbers or dates: train on the past, test on the future. Not used as a feature,"
        " except for the weekday, hour and month of dates.",
        "--test-groups": "With --group and --time: test on groups that are new to the model, or on the future"
        " of groups whose past it knows.  [default: new]",
        "--asked COLUMN": "Column with yes for rows whose label was requested, as openbook label writes it."
        " Such rows are only for training, never for testing. By default TARGET_asked, if there is one.",
        "--weight COLUMN": "Weight of each row. Not used as a feature.",
        "--weight-kind KIND": "With --weight: frequency, if a row stands for that many rows, or importance,"
        " if the weight counts in fitting only. By default, whole numbers are frequencies.",
        "--positive CLASS": "The positive one of two classes, for precision, recall, F1, thresholds, ROC and"
        " fairness.",
        "--sensitive COLUMN": "Evaluate fairness between the groups of this column. It remains a feature"
        " unless it is also ignored. Repeatable.",
        "--prepare STEP": 'A step that prepares the columns inside each fold, such as "log income" or "impute'
        ' age median"; `openbook steps` lists the verbs. Repeatable, in order.',
    },
    "Learners": {
        "--learner NAME": "Evaluate only this learner and the baselines; `openbook learners` lists the names."
        " Repeatable.",
        "--rules FILE": "Hand-written rules that compete with the learners, one per line, such as 'if outlook"
        " = sunny and humidity > 75 then No'.",
        "--attributes [NAME=]A,B,…": "Also evaluate the learners on these columns only. Repeatable.",
        "--without [NAME=]A,B,…": "Also evaluate the learners without these columns. Repeatable.",
        "--thorough": "Tune the learners' parameters inside the folds, with more repeats.",
        "--quick": "Fewer folds, and no learners that are slow on this many rows.",
        "--choose RULE": "Choose the simplest learner within one standard error of the best (simplest, the"
        " default), the best, or a learner by name.",
        "--margin LOSS": "Choose the simplest learner that is shown to lose less than this against the best"
        " (non-inferiority), in units of the metric, such as 0.01.",
    },
    "Evaluation": {
        "--metric NAME": "Rank the learners by this score; `openbook metrics` lists the names.",
        "--costs FILE": "Costs of errors: a CSV file with the columns truth, predicted, cost.",
        "--folds": "Folds of the cross-validation.",
        "--repeats": "Repetitions of the cross-validation.",
        "--test-share": "Share of the rows held out for the final test; 0 for no final test.",
        "--random-state": "Random seed.  [default: 0]",
    },
}

#: The options of `openbook.read`.
_READ_WITH = {
    "Reading": {
        "--missing TEXT": "Cell that stands for a missing value, besides empty cells, ?, NA, null and their"
        " like; COLUMN=TEXT for one column only, as in income=-1. Repeatable.",
        "--header/--no-header": "Whether the first line holds the column names. By default inferred.",
        "--decimal SIGN": "Decimal mark (. or ,). By default inferred for each column.",
        "--encoding NAME": "Encoding of a text file, such as cp1252. By default UTF-8.",
        "--sheet SHEET": "Sheet or range of an .xlsx file: Sales, A3:F40 or Sales!A3:F40.",
        "--query SQL": "Query to a database (.sqlite, .duckdb), or the name of a table.",
        "--thousands SIGN": "Thousands separator. By default inferred for each column.",
    }
}

#: The types of options that are not text.
_KINDS: dict[str, Any] = {
    **dict.fromkeys(("sensitive", "prepare", "learner", "attributes", "without", "missing"), list[str]),
    **dict.fromkeys(("rules", "costs"), Path),
    **dict.fromkeys(("thorough", "quick", "header"), bool),
    **dict.fromkeys(("folds", "repeats", "random_state"), int),
    **dict.fromkeys(("margin", "test_share"), float),
    "test_groups": TestGroups,
    "weight_kind": WeightKind,
}


#: The flags of options with another name than their parameter, or with a letter.
_FLAGS = {
    "colour": "--colour -c",
    "detector": "--detector -d",
    "form": "--format -f",
    "kind": "--kind -k",
    "learner": "--learner -l",
    "out": "--out -o",
    "quiet": "--quiet -q",
    "save_as": "--save",
    "show_work": "--work",
    "target": "--target -t",
}

#: In a docstring, the title of a section; and a parameter, with its metavar if it has one, and its help.
_SECTION = re.compile(r"\n\n(\w+)\n-+\n")
_PARAMETER = re.compile(r"^(\w+)(?: : (.+))?\n((?:    .+\n?)+)", re.MULTILINE)


def with_help(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose docstring has the help of its parameters; those after the * are options.

    A section other than "Parameters" is a panel of the help. Parameters annotated for typer stay as they are.
    """
    command.__doc__, *sections = _SECTION.split(inspect.getdoc(command) or "")
    help_of: dict[str, tuple[str, str | None, str | None]] = {}
    for panel, shared in _SHARED.items():
        for usage, words in shared.items():
            name, _, metavar = usage.partition(" ")
            help_of[name] = metavar, words, panel
    for title, body in zip(sections[::2], sections[1::2], strict=True):
        for name, metavar, lines in _PARAMETER.findall(body):
            words = " ".join(lines.split("\n    ")).strip()
            help_of[name] = metavar, words, None if title == "Parameters" else title
    for name, parameter in inspect.signature(command).parameters.items():
        if get_origin(parameter.annotation) in (Annotated, dict):
            continue
        metavar, about, panel = help_of.get(name, ("", None, None))
        if parameter.kind is parameter.KEYWORD_ONLY:
            flags = _FLAGS.get(name, f"--{name.replace('_', '-')}").split()
            given = typer.Option(*flags, metavar=metavar or None, help=about, rich_help_panel=panel)
        else:
            given = typer.Argument(metavar=metavar, help=about)
        command.__annotations__[name] = Annotated[parameter.annotation, given]
    return command


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
    """The kinds by column; COLUMN=KIND is split at the last =, since names may contain it."""
    kinds: dict[str, Any] = {}
    for entry in given or ():
        column, sign, kind = entry.rpartition("=")
        if not sign or not column or not kind:
            raise typer.BadParameter(f"--kind needs COLUMN=KIND, as in zip=nominal, got {entry!r}")
        kinds[column] = kind.split(",") if "," in kind else kind
    return kinds


def with_options(
    name: str, panels: Mapping[str, Mapping[str, str]]
) -> Callable[[Callable[..., None]], Callable[..., None]]:
    """A decorator: a command with more options; the given ones are passed as a mapping of this name."""
    added = [
        _parameter(*usage.split(" "), panel=panel, words=words)
        for panel, options in panels.items()
        for usage, words in options.items()
    ]

    def decorate(command: Callable[..., None]) -> Callable[..., None]:
        @wraps(command)
        def run(*arguments: Any, **options: Any) -> None:
            asked = {option.name: options.pop(option.name) for option in added}
            given = {key: _plain(value) for key, value in asked.items() if value not in (None, [])}
            command(*arguments, **{name: given}, **options)

        signature = inspect.signature(command)
        own = [parameter for key, parameter in signature.parameters.items() if key != name]
        run.__signature__ = signature.replace(parameters=own + added)  # type: ignore[attr-defined]
        run.__annotations__ = {parameter.name: parameter.annotation for parameter in own + added}
        return run

    return decorate


def _parameter(flags: str, metavar: str | None = None, *, panel: str, words: str) -> inspect.Parameter:
    """An option, as "--decimal" and "SIGN", that is None unless it is given."""
    name = flags.removeprefix("--").partition("/")[0].replace("-", "_")
    option = typer.Option(flags, metavar=metavar, help=words, show_default=False, rich_help_panel=panel)
    kind: Any = _KINDS.get(name, str)
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind | None, option]
    )


def _plain(value: Any) -> Any:
    return value.value if isinstance(value, StrEnum) else value


def reading(command: Callable[..., None]) -> Callable[..., None]:
    """The command with the options of `openbook.read`; the given ones are passed as `read_with`."""

    @wraps(command)
    def run(*arguments: Any, read_with: dict[str, Any], **options: Any) -> None:
        if "missing" in read_with:
            read_with |= _missing_texts(read_with.pop("missing"))
        command(*arguments, read_with=read_with, **options)

    return with_options("read_with", _READ_WITH)(run)


def _missing_texts(given: list[str]) -> dict[str, Any]:
    """TEXT and COLUMN=TEXT as options of `openbook.read`; split at the last =, as in `--kind`."""
    from openbook.data import MISSING_TOKENS

    everywhere = [*MISSING_TOKENS]
    own: dict[str, list[str]] = {}
    for entry in given:
        column, _, text = entry.rpartition("=")
        if column:
            own.setdefault(column, []).append(text)
        else:
            everywhere.append(entry)
    return {"missing": everywhere} | ({"missing_in": own} if own else {})
