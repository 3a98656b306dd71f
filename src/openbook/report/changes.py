"""All that was changed, left out, pooled or derived between the file and the model.

Each line is a sentence, in this order: reading, rows, columns, and the encoding by the model.
"""

from collections.abc import Iterator
from typing import Any

from openbook.data import DatePart, Nominal, Table, TargetMean, Word
from openbook.report.fitted import prepared_rows, unwrapped
from openbook.report.study import StudyResult
from openbook.words.numbers import figure, p_words
from openbook.words.sentences import listed, plural

#: The beginnings of the notes about files larger than memory.
SAMPLED, FITTED = "files larger than memory: ", "the model is fitted on "
#: The most columns that are named.
_MOST_NAMES = 12

_ROLES = {
    "id": "{} is not used as a feature: it is the row ID.",
    "group": "{} is not used as a feature: it keeps rows in the same fold.",
    "time": "{} is not used as a feature: it orders the rows.",
    "sequence": "{} is not used as a feature: it identifies the sequences.",
    "asked": "{} is not used as a feature: it marks the labels that were requested.",
    "weight": "{} is not used as a feature: it holds the weights of the rows.",
}


def changes(result: StudyResult) -> list[str]:
    """A sentence for each change, or a single one if nothing was changed."""
    return [*_reading(result), *_rows(result), *_columns(result), *_model(result)] or [
        "Every row and every column is used as it is in the file."
    ]


def _reading(result: StudyResult) -> Iterator[str]:
    for note in result.description.notes:
        yield f"On reading, {note}."


def _rows(result: StudyResult) -> Iterator[str]:
    sampled = [note for note in result.notes if note.startswith((SAMPLED, FITTED))]
    yield from (f"{note[:1].upper()}{note[1:]}." for note in sampled)
    if gaps := result.description[result.target].missing:
        used = " by all learners that are not semi-supervised" if result.looks.unlabelled is not None else ""
        yield f"{plural(gaps, 'row')} without {result.target} {'is' if gaps == 1 else 'are'} left out{used}."
    if result.tests:
        held = len(result.tests[result.choice.label].predictions.truth)
        fitted = "" if sampled else f"; the model in the file is fitted on the other {result.rows:,}"
        yield f"{plural(held, 'row')} {'is' if held == 1 else 'are'} held out for the final test{fitted}."
        unused = result.description.rows - gaps - held - result.rows
        if {"group", "time"} <= result.roles.keys() and unused > 0 and not sampled:
            unused_rows = f"{plural(unused, 'row')} of the file {'is' if unused == 1 else 'are'}"
            why = "earlier rows of the tested groups, and later rows of the others"
            yield f"{unused_rows} used neither for training nor for testing: {why}."


def _columns(result: StudyResult) -> Iterator[str]:
    yield from _left_out(result)
    for role, sentence in _ROLES.items():
        if role in result.roles:
            yield sentence.format(result.roles[role])
    inputs = {name for names in result.columns.values() for name in names}
    for column in result.description.columns:
        if column.name in inputs and column.is_unclear:
            yield f"{column.name} is {column.kind}, not read as numbers or dates: {column.why}."
    gaps = [f"{c.name} ({c.missing:,})" for c in result.description.columns if c.name in inputs and c.missing]
    if gaps:
        yield f"Missing cells: {listed(gaps, _MOST_NAMES)}; the guide says how each learner treats them."


def _left_out(result: StudyResult) -> Iterator[str]:
    """The columns that are no features, by the reason."""
    found = {n for one in result.description.findings if one.kind == "identifier" for n in one.columns}
    without: dict[str, list[str]] = {
        "as likely identifiers": [],
        "without a known cell": [],
        "as requested": [],
    }
    for name in result.roles.get("ignore", ()):
        column = result.description[name]
        if name in found and column.is_unclear:
            yield f"Left out {name}: {column.why}."
        elif name in found:
            without["as likely identifiers"].append(name)
        else:
            without["as requested" if column.distinct else "without a known cell"].append(name)
    for why, names in without.items():
        if names:
            yield f"Left out {why}: {listed(names, _MOST_NAMES)}."


def _model(result: StudyResult) -> Iterator[str]:
    model = result.models[result.choice.label]
    yield from made_of_columns(model, prepared_rows(model, result.training[0]))


def made_of_columns(model: Any, X: Table) -> Iterator[str]:
    """The changes of columns by the model before it learns: values pooled or replaced, parts of dates, words.

    X : the rows that it was fitted on
    """
    inner = unwrapped(model)
    schema: Any = getattr(inner, "worded_", None) or getattr(inner, "schema_", ())
    for attribute in schema:
        if isinstance(attribute, Nominal) and attribute.rest is not None:
            shown = [value for value in X.column(attribute.name).tolist() if value is not None]
            pooled = [value for value in shown if value not in attribute.codes]
            values = f"{plural(len(set(pooled)), 'value')} of {len(set(shown)):,}"
            rows = plural(len(pooled), "row")
            yield f"Rare values of {attribute.name}: {values}, in {rows}, count as {attribute.rest!r}."
    means = [a for a in schema if isinstance(a, TargetMean)]
    for name, mean in {a.by.name: a for a in means}.items():
        one = sum(a.by.name == name for a in means) == 1
        what = mean.name.removeprefix(f"{name}: ") if one else "share of each class"
        how = f"shrunk towards that of all rows (n0 = {figure(mean.needed, 3)})"
        yield f"The {len(mean.seen):,} values of {name} are replaced by the {what} among their rows, {how}."
    derived = [a for a in schema if isinstance(a, DatePart)]
    if parts := [a.name + (f" (p {p_words(a.p)})" if a.p < 1 else "") for a in derived]:
        yield f"Derived from dates: {listed(parts)}."
    texts = [a.text for a in schema if isinstance(a, Word)]
    for text in dict.fromkeys(texts):
        yield f"Texts of {text} are counts of {plural(texts.count(text), 'word')}."
