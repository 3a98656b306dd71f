"""A draft of the technical report, as text to copy, with the results filled in and blanks for the rest.

The text is templates/draft.txt.
"""

import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from functools import cache
from importlib.resources import files

from openbook.report import words
from openbook.report.blocks import Block, DraftText, Fold, Paragraph, section
from openbook.report.sections.questions import QUESTIONS, reviewer_questions
from openbook.report.study import StudyResult
from openbook.report.templates import environment
from openbook.words.numbers import p_words
from openbook.words.sentences import plural

#: The most learners of the ranking, columns and findings in the draft.
_MOST_ROWS, _MOST_COLUMNS, _MOST_FINDINGS = 30, 5, 5


@section("draft", "Draft of a technical report")
def draft_of_report(result: StudyResult, numbers: Mapping[str, Sequence[str]]) -> Iterator[Block]:
    """The draft; `numbers` are those of the figures and tables of each part of the report."""
    about = (
        "Copy the text below. The results of the study are filled in. Replace the parts that are [marked …]"
        " with what only you know. Check every sentence before you use it."
    )
    yield from (Paragraph(about), Fold("The draft", [DraftText(draft(result, numbers))]))


def draft(result: StudyResult, numbers: Mapping[str, Sequence[str]]) -> str:
    """The whole text: a title, chapters with the length that they should have, and references."""
    looks, score_words = result.looks, words.score_words
    predicted = {"classification": "a class", "regression": "a number", "multilabel": "a set of labels"}
    drawn = [next((n for n in numbers.get(part, ()) if "Figure" in n), "") for part in ("ranking", "errors")]
    best = () if looks.attributes is None else looks.attributes.rows[:_MOST_COLUMNS]
    moving = [one for one in looks.importance or () if one.interval.low > 0][:_MOST_COLUMNS]
    sources = _references(result)
    label = {name: label for label, name in reversed([*result.learners.items()])}  # of several, the first
    facts = {
        "task": predicted[result.comparison[result.choice.label].task],
        "cited": [
            f"{_in_words([label.get(one, one) for one in what.split(', ')])} [{k}]"
            for k, (_, what) in enumerate(sources, start=1)
        ],
        "references": sources,
        "findings": words.grouped_findings(result.description.findings)[:_MOST_FINDINGS],
        "methods": sorted({row.test.method for row in result.ranking if row.test}),
        "drawn": [number for number in drawn if number],
        "most_rows": _MOST_ROWS,
        "best": [f"{one.attribute} ({score_words(one.score)})" for one in best],
        "moving": [f"{one.column} {score_words(one.drop)} {one.interval.ends}" for one in moving],
        "moved_by": f"{100 * moving[0].interval.level:g}%, {moving[0].interval.method}" if moving else "",
        "questions": QUESTIONS,
        "asked": reviewer_questions(result),
        "versions": [f"{name} {version}" for name, version in result.versions.items()],
    }
    functions = {"words": words, "plural": plural, "p_words": p_words, "in_words": _in_words}
    text = environment("report").get_template("draft.txt").render(result=result, **facts, **functions)
    paragraphs = re.split(r"\n{2,}", text.strip("\n"))
    return "\n\n".join(re.sub(r"\s*\n(?! )", " ", lines).rstrip() for lines in paragraphs)


def _references(result: StudyResult) -> list[tuple[str, str]]:
    """The references of the study's learners and methods."""
    methods = ["cross-validation", "choice within one standard error"]
    if any(row.test for row in result.ranking):
        methods += ["comparison on resampled rows", "several tests at once"]
    if result.looks.importance is not None:
        methods.append("permutation importance")
    return references(list(result.learners.values()), methods)


def _in_words(names: Collection[str]) -> str:
    """Words in a row: a, b and c; between semicolons if one of them has a comma."""
    *most, last = names or ("none",)
    comma = "; " if any("," in name for name in names) else ", "
    return f"{comma.join(most)} and {last}" if most else last


@cache
def bibliography() -> dict[str, dict[str, str]]:
    """The references of learners, by their registered names, and of methods, by what they do."""
    text = files("openbook.report").joinpath("bibliography.toml").read_text(encoding="utf-8")
    found: dict[str, dict[str, str]] = tomllib.loads(text)
    return found


def references(learners: Collection[str], methods: Collection[str]) -> list[tuple[str, str]]:
    """The references of the learners and methods used, each once and in alphabetical order, and for what.

    Examples
    --------
    >>> [(what, text[:7]) for text, what in references(["c45", "zero_r"], ["cross-validation"])]
    [('cross-validation', 'Kohavi,'), ('c45', 'Quinlan')]
    """
    known, found = bibliography(), dict[str, list[str]]()
    for part, names in (("learners", learners), ("methods", methods)):
        for name in names:
            if text := known[part].get(name):
                found.setdefault(text, []).append(name)
    return [(text, ", ".join(dict.fromkeys(found[text]))) for text in sorted(found)]
