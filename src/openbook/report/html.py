"""The report as one HTML page: no script, no network, everything from the data escaped."""

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from jinja2 import Environment
from markupsafe import Markup, escape

from openbook.data.describe import Description
from openbook.draw.letters import clip
from openbook.draw.picture import STYLE as PLOT_STYLE
from openbook.report import words
from openbook.report.blocks import Paragraph, Part, with_numbers
from openbook.report.sections import parts, the_data
from openbook.report.study import StudyResult
from openbook.report.templates import environment, template_text
from openbook.words.sentences import printable
from openbook.work.html import STYLE as WORK_STYLE

#: The most letters of a table's cell.
_MOST_LETTERS = 400


def study_html(result: StudyResult) -> str:
    """The page of a study.

    Parameters
    ----------
    result : StudyResult
        The outcome of a study.

    Returns
    -------
    str
        HTML that opens without a network.

    Notes
    -----
    Guide: docs/guide/studies.md

    Examples
    --------
    >>> import openbook as ob
    >>> result = ob.study("weather", only=["naive_bayes"], progress=False)
    >>> study_html(result).startswith("<!doctype html>")
    True
    """
    heading, lead = f"Predicting {result.target}", f"A study of {result.name}: {words.size_words(result)}."
    return page(heading, f"{heading}: a study of {result.name}", lead, parts(result), result.versions)


class NotEvaluated(NamedTuple):
    """A table on which no model could be evaluated, and why."""

    name: str
    target: str
    description: Description
    reason: str
    roles: Mapping[str, Any]


#: The beginning of the title of such a page.
NOTHING = "Not evaluated"


def refusal_html(result: NotEvaluated, versions: Mapping[str, str]) -> str:
    """The page of a table on which no model can be evaluated: the reason, and the data."""
    heading, lead = f"Predicting {result.target}", f"A study of {result.name}: {words.size_words(result)}."
    verdict = Paragraph("No model can be evaluated on this table.", "verdict")
    short = Part("short", "In short", (verdict, Paragraph(words.title(result.reason))))
    shown = [short, the_data(result)]
    return page(heading, f"{NOTHING}: {result.target} in {result.name}", lead, shown, versions)


def page(heading: str, title: str, lead: str, shown: Sequence[Part], versions: Mapping[str, str]) -> str:
    """Parts as a page, with their list on top.

    Parameters
    ----------
    heading, title, lead : the heading, the title in the browser, and the line below the heading
    shown : the parts
    versions : of the software; the page names that of openbook
    """
    style = template_text("report", "report.css") + WORK_STYLE + PLOT_STYLE
    template = _environment().get_template("report.html")
    return template.render(
        heading=heading,
        title=title,
        lead=lead,
        parts=with_numbers(shown),
        version=versions["openbook"],
        style=Markup(style),  # noqa: S704 (our own)
    )


@cache
def _environment() -> Environment:
    pages = environment("report", html=True).overlay(finalize=_printable)

    def show(block: Any) -> Markup:
        macros = pages.get_template("blocks.html").module
        shown: Markup = getattr(macros, type(block).__name__.lower())(block)
        return shown

    pages.globals |= {"show": show, "lines": _lines, "blanks": _blanks, "short": _short, "prose": _prose}
    return pages


def _printable(value: Any) -> Any:
    """Plain text without control characters; markup stays as it is."""
    return printable(value) if type(value) is str else value


def _short(cell: str) -> str:
    """A table's cell: a test of hundreds of values is cut, and says so."""
    return clip(cell, _MOST_LETTERS)


def _prose(text: str) -> Markup:
    """A sentence; names between backticks and options are code, and no line ends within an option."""
    shown = str(escape(printable(text)))
    shown = re.sub(r"(?<![\w-])--[a-z][a-z-]*", r'<code class="option">\g<0></code>', shown)
    return Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", shown))  # noqa: S704 (escaped)


def _lines(text: str) -> Markup:
    """Text of several lines, each printable."""
    return Markup("\n").join(escape(printable(line)) for line in text.splitlines())


def _blanks(text: str) -> Markup:
    """The same, with the blanks marked."""
    return Markup(re.sub(r"\[[^\[\]\n]*…\]", r"<mark>\g<0></mark>", str(_lines(text))))  # noqa: S704 (escaped)
