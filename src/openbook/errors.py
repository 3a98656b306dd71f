"""The errors of openbook: each names the culprit and the next step.

All of them are `OpenbookError`s, which the command line prints as one line, and each is also the built-in
error that a scikit-learn user would expect to catch.
"""

import re
import shlex
from collections.abc import Collection, Sequence
from difflib import get_close_matches


class OpenbookError(Exception):
    """Something the user can put right; the message says how."""


class DataError(OpenbookError, ValueError):
    """A file, a frame or a cell that cannot be read as it was asked to be."""


class ParameterError(OpenbookError, ValueError):
    """A learner's parameter breaks its rule."""


class RefusalError(OpenbookError, ValueError):
    """A learner cannot fit this table; the message is its `refusal`."""


class ModelFileError(OpenbookError, ValueError):
    """A model file that is damaged, hostile, or from another version."""


class PlanError(OpenbookError, ValueError):
    """A study's plan that cannot be run."""


class NotEvaluableError(PlanError, ParameterError):
    """Rows that no model can be evaluated on: a constant target, or a single group."""


class UnknownColumn(OpenbookError, LookupError, ValueError):  # noqa: N818 (reads better where it is raised)
    """A column that is not there."""

    def __init__(self, name: str, known: Sequence[str]) -> None:
        super().__init__(f"no column {name!r}. {did_you_mean(name, known)}")


class InterruptedFit(UserWarning):
    """A fit that was stopped by hand, and left a model that can be used."""


def did_you_mean(name: str, known: Sequence[str], likely: Sequence[str] | None = None) -> str:
    """Point to the nearest known name, of those that are likely, or list all; those with a comma in quotes.

    >>> did_you_mean("forest", ["C4.5", "naive Bayes, kernel density"])
    "There are: C4.5, 'naive Bayes, kernel density'."
    """
    near = get_close_matches(str(name), known if likely is None else likely, n=1)
    if near:
        return f"Did you mean {near[0]!r}?"
    return f"There are: {', '.join(repr(name) if ',' in name else name for name in known)}."


#: A keyword argument of Python in a hint, with what leads to it.
_KINDS = re.compile(
    r"(?P<such>as in )?(?:(?:read|scan)(?: it)? with |list it: )?"
    r"kinds=\{(['\"])(.+?)\2: (\[.+?\]|['\"].+?['\"])\}"
)
_MISSING = re.compile(r"read with missing=\[…, (['\"])(.*?)\1\](?=[;.]|$)")
_MISSING_IN = re.compile(r"read with missing_in=\{(['\"])(.*?)\1: \[(.*?)\]\}")
_MARKS = re.compile(r"(read with )?(decimal|thousands|encoding|sheet|query)=(['\"])(.*?)\3")
_GROUPS = re.compile(r"groups=(['\"])(.+?)\1")


def check_named(what: str, given: object, known: Collection[str]) -> None:
    """Refuse a name that nothing has, and tell those that there are.

    >>> check_named("metric", "acuracy", ["accuracy", "error"])
    Traceback (most recent call last):
    openbook.errors.ParameterError: no metric 'acuracy'. Did you mean 'accuracy'?
    """
    if given not in known:
        raise ParameterError(f"no {what} {given!r}. {did_you_mean(str(given), tuple(known))}")


def check_returned_by(function: str, kind: type, **given: object) -> None:
    """Refuse arguments of another class than a function of openbook returns.

    >>> check_returned_by("evaluate", dict, a={}, b=[0, 1])
    Traceback (most recent call last):
    openbook.errors.ParameterError: b must be what `evaluate` returns (dict), got list
    """
    for name, value in given.items():
        if not isinstance(value, kind):
            wanted = f"{name} must be what `{function}` returns ({kind.__name__})"
            raise ParameterError(f"{wanted}, got {type(value).__name__}")


def for_command_line(words: str) -> str:
    """A message whose hints are worded for Python, with the options of the command line instead.

    >>> for_command_line("If they are codes, read with kinds={'zip': 'nominal'}.")
    'If they are codes, add --kind zip=nominal.'
    >>> for_command_line("list it: kinds={'size': ['S', 'M', …]}")
    'add --kind size=S,M,…'
    >>> for_command_line("give the format, as in kinds={'sold': '%d.%m.%Y'}")
    'give the format, as in --kind sold=%d.%m.%Y'
    >>> for_command_line("If so, read with missing_in={'age': ['-1', '-9']}.")
    'If so, add --missing age=-1 --missing age=-9.'
    >>> for_command_line("for another, read with sheet='Sales of May'")
    "for another, add --sheet 'Sales of May'"
    """
    words = _KINDS.sub(_kind_option, words)
    words = _MISSING.sub(lambda found: f"add --missing {shlex.quote(found[2])}", words)
    words = _MISSING_IN.sub(_missing_options, words)
    words = words.replace("read with header=True", "add --header")
    words = _MARKS.sub(lambda found: f"{'add ' * bool(found[1])}--{found[2]} {_quoted(found[4])}", words)
    return _GROUPS.sub(lambda found: f"--group {shlex.quote(found[2])}", words)


def _quoted(text: str) -> str:
    """A text as one word of a shell; marks and ranges stay as they are."""
    return shlex.quote(text) if " " in text else text


def _missing_options(found: re.Match[str]) -> str:
    texts = [text.strip("'\"") for text in found[3].split(", ")]
    return "add " + " ".join(f"--missing {shlex.quote(f'{found[2]}={text}')}" for text in texts)


def _kind_option(found: re.Match[str]) -> str:
    values = [value.strip(" '\"") for value in found[4].strip("[]").split(", ")]
    option = f"{found[3]}={','.join(values)}"
    plain = re.fullmatch(r"[\w.=,…/%-]+", option)
    return f"{found['such'] or 'add '}--kind {option if plain else shlex.quote(option)}"
