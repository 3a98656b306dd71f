"""The questions that a responsible study answers, and those that a reviewer should ask.

The answers are in the plan (`[questions]` in plan.toml), since only people know them. The study adds its own
notes to a question. A question without an answer is shown as open, never left out.
"""

import re
from collections.abc import Iterator
from typing import Any

from openbook.report import words
from openbook.report.blocks import Answers, Block, Items, Paragraph, section
from openbook.report.study import StudyResult
from openbook.words.sentences import listed, plural

#: The questions by the key of their answer in the plan.
QUESTIONS = {
    "access": "Who may access the data?",
    "purpose": "For what purpose were the data collected, and does this study serve it?",
    "consent": "Have the people in the data consented, and how is their privacy protected?",
    "missing": "Who or what is missing from the data?",
    "confounders": "Which confounders could explain the result?",
    "conclusions": "Which conclusions are legitimate, and which are not?",
    "abuse": "How could the result be abused?",
    "limitations": "What are the limitations?",
    "ethics": "Which ethical questions does the use of the model raise?",
}

#: Patterns of the names of columns with personal data.
_NAMES = {
    "a name": r"(first|last|given|family|sur|full|patient|customer|user) ?name|surname|^name$",
    "an e-mail address": r"e ?mail",
    "a phone number": r"phone|mobile|telephone|\bfax\b",
    "an address": r"address|street|postal|\bzip\b|post ?code",
    "a date of birth": r"birth|\bdob\b",
    "an identity number": r"\bssn\b|social security|passport|(national|tax|insurance) ?(id|no|number)",
    "an account": r"\biban\b|account ?(no|number|id)|credit ?card|card ?number",
    "a device or network address": r"ip ?address|^ip$|mac ?address|device ?id",
    "health, origin or belief": r"diagnos|disease|\bhiv\b|religio|ethnic|\brace\b|sexual|disab|political",
    "age, sex or gender": r"^age$|^sex$|gender",
}
#: Patterns of their cells.
_CELLS = {
    "an e-mail address": r"[^@\s]+@[^@\s]+\.[a-z]{2,}",
    "a phone number": r"\+\d[\d ()/-]{6,}",
    "an account": r"[A-Z]{2}\d{2}[A-Z0-9]{10,30}",
    "a device or network address": r"\d{1,3}(\.\d{1,3}){3}|([0-9a-f]{2}:){5}[0-9a-f]{2}",
}
#: The most cells of a column that are examined.
_EXAMINED = 200


def personal_columns(table: Any, names: tuple[str, ...] = ()) -> dict[str, str]:
    """The columns that may hold personal data, by their names and cells, and the kind of data.

    Parameters
    ----------
    table : Table
        The rows.
    names : tuple of str, default=()
        Further columns, of which only the names are known.

    Returns
    -------
    dict of str to str

    Examples
    --------
    >>> from openbook import read
    >>> personal_columns(read([{"contact": "a@b.org", "weight": 3}]), names=("date_of_birth",))
    {'contact': 'an e-mail address', 'date_of_birth': 'a date of birth'}
    """
    found: dict[str, str] = {}
    for name in (*table.names, *names):
        plain = re.sub(r"[ _-]+", " ", name).strip().lower()
        what = next((what for what, look in _NAMES.items() if re.search(look, plain)), None)
        if what is None and name in table.names:
            what = _by_cells(table.column(name))
        if what is not None:
            found.setdefault(name, what)
    return found


def _by_cells(column: Any) -> str | None:
    cells = [cell for cell in column[:_EXAMINED].tolist() if isinstance(cell, str)]
    for what, look in _CELLS.items():
        alike = sum(re.fullmatch(look, cell, re.IGNORECASE) is not None for cell in cells)
        if cells and alike > len(cells) / 2:
            return what
    return None


def _notes(result: StudyResult) -> dict[str, str]:
    """The notes of the study itself on the questions."""
    notes = {}
    every = tuple(column.name for column in result.description.columns)
    if personal := personal_columns(result.training[0], every):
        columns = listed([f"{name} ({what})" for name, what in personal.items()])
        notes["consent"] = f"Columns that may hold personal data: {columns}."
    gaps = [c for c in result.description.columns if c.missing]
    if gaps:
        most = max(gaps, key=lambda column: column.missing)
        cells = (
            f"{plural(len(gaps), 'column')} with missing cells, most in {most.name} ({most.missing:,} rows)"
        )
        notes["missing"] = f"{cells}. Rows that were never recorded do not show here."
    looks = result.looks
    if looks.importance is not None and (moving := [one.column for one in looks.importance][:3]):
        cause = "A column may stand for a cause that is not in the table."
        notes["confounders"] = f"The model relies most on {listed(moving)}. {cause}"
    shows = "The study shows what can be predicted for rows like these."
    notes["conclusions"] = f"{shows} It does not show what causes what."
    if looks.fairness:
        notes["ethics"] = " ".join(fair.work().conclusion for fair in looks.fairness.values())
    notes["limitations"] = words.caution(result) or "The intervals apply to rows from the same population."
    return notes


@section("questions", "Questions to answer")
def questions_to_answer(result: StudyResult) -> Iterator[Block]:
    """The questions, with the answers of the plan and the notes of the study."""
    notes, given = _notes(result), result.questions
    rows = []
    for key, question in QUESTIONS.items():
        answer = given.get(key, f'Open. Answer it in plan.toml: [questions] {key} = "…"')
        rows.append((question, answer, notes.get(key, "")))
    left = len(open_questions(result))
    about = (
        "A responsible study answers these questions. Answers come from [questions] in plan.toml; the notes"
        " below them come from the study itself."
    )
    if left:
        about += f" {plural(left, 'question')} still open."
    yield from (Paragraph(about), Answers(rows), Paragraph("Three questions for a reviewer:"))
    yield Items(list(reviewer_questions(result)))


def open_questions(result: StudyResult) -> list[str]:
    """The keys without an answer."""
    return [key for key in QUESTIONS if key not in result.questions]


def reviewer_questions(result: StudyResult) -> Iterator[str]:
    """Three questions for a reviewer: where this study is weakest first."""
    yield from list(_weak_points(result))[:3]


def _weak_points(result: StudyResult) -> Iterator[str]:
    target, label = result.target, result.choice.label
    looks = result.looks
    if looks.leaks is not None and list(looks.leaks):
        yield f"Is every column known before {target} is, or does one of them leak it?"
    if label in result.baselines:
        yield f"Would more rows, or other columns, show that {target} can be predicted at all?"
    if not result.tests:
        yield "How would the chosen model score on rows from another time or place?"
    if "hand-written rules" in result.comparison.evaluations:
        yield "Had the author of the rules seen the rows by which they are evaluated?"
    yield f"Are the rows a fair sample of those that {label} will be used on, and who is not among them?"
    yield f"What does a wrong prediction of {target} cost, and whom, and are errors rare enough for that?"
    yield "Which single piece of evidence would make you reject the conclusion, and was it looked for?"
