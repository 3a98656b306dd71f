"""A draft of the technical report, as text to copy: what the study knows is filled in, the rest is blank."""

from collections.abc import Iterator, Mapping, Sequence

from openbook.report import words
from openbook.report.bibliography import references
from openbook.report.blocks import Draft, Fold, Paragraph, Part
from openbook.report.sections.questions import QUESTIONS, reviewer_questions
from openbook.report.study import StudyResult
from openbook.words.numbers import p_words
from openbook.words.sentences import plural

__all__ = ["draft_of_report"]

#: Learners of the ranking, columns and findings that are told.
_MOST_ROWS, _MOST_COLUMNS, _MOST_FINDINGS = 30, 5, 5


def draft_of_report(result: StudyResult, places: Mapping[str, Sequence[str]]) -> Part:
    """The draft; `places` are the figures and tables of each part of the report."""
    about = (
        "Copy the text below. The results of the study are filled in; add what only you can know where it is"
        " [marked …]. Check every sentence before you use it."
    )
    fold = Fold("The draft", [Draft(draft(result, places))])
    return Part("draft", "Draft of a technical report", (Paragraph(about), fold))


def draft(result: StudyResult, places: Mapping[str, Sequence[str]]) -> str:
    """The whole text: a title, chapters with the length that they should have, and references."""
    chapters = {
        "1. Introduction [about 300 words]": _introduction(result),
        "2. Related work [about 200 words]": _related_work(result),
        "3. Method [about 400 words]": _method(result),
        "4. Results [about 400 words]": _results(result, places),
        "5. Discussion [about 400 words]": _discussion(result),
        "6. Responsibility [about 300 words]": _responsibility(result),
        "7. Conclusion [about 100 words]": _conclusion(result),
        "References": (f"[{k}] {text}" for k, (text, _) in enumerate(_references(result), start=1)),
        "Questions for a reviewer": reviewer_questions(result),
    }
    lines = [f"Predicting {result.target}: a study of {result.name}", "[Authors, place, date …]"]
    for title, paragraphs in chapters.items():
        lines += [title, *paragraphs]
    return "\n\n".join(lines)


def _introduction(result: StudyResult) -> Iterator[str]:
    predicted = {"classification": "a class", "regression": "a number", "multilabel": "a set of labels"}
    task = predicted[result.comparison[result.choice.label].task]
    yield (
        f"The question is whether {result.target}, {task}, can be predicted from the other columns of"
        f" {result.name}. [Why this matters, who will use the answer, and what a mistake leads to …]"
        " [What is known already, with references …]"
    )
    yield (
        "[Hypotheses, stated before the data were seen …] This report explains how the learners were"
        " compared, which one was chosen, how it performed on new rows, and where it fails."
    )


def _references(result: StudyResult) -> list[tuple[str, str]]:
    """Where the learners and methods of the study come from."""
    methods = ["cross-validation", "choice within one standard error"]
    if any(row.test for row in result.ranking):
        methods += ["comparison on resampled rows", "several tests at once"]
    if result.looks.importance is not None:
        methods.append("permutation importance")
    return references(list(result.learners.values()), methods)


def _related_work(result: StudyResult) -> Iterator[str]:
    label = {name: label for label, name in reversed([*result.learners.items()])}  # of several, the first
    cited = [
        f"{_list([label.get(one, one) for one in what.split(', ')])} [{k}]"
        for k, (_, what) in enumerate(_references(result), start=1)
    ]
    yield (
        f"Methods of this study and their origins: {'; '.join(cited)}. [What others found about"
        f" {result.target}, with which data and methods, and what this study adds …]"
    )


def _responsibility(result: StudyResult) -> Iterator[str]:
    for key, question in QUESTIONS.items():
        yield f"{question} {result.questions.get(key, '[…]')}"


def _method(result: StudyResult) -> Iterator[str]:
    missing = sum(column.missing for column in result.description.columns)
    gaps = f"{missing:,} values are missing" if missing else "no values are missing"
    yield (
        f"Data. {result.name} holds {words.size_words(result)}; {gaps}. [Where the data come from, when and"
        " how they were gathered, what a row is, who may be missing, and whether consent was given …]"
    )
    if found := words.grouped_findings(result.description.findings):
        told = " ".join(f"{where}: {message}" for _, where, message in found[:_MOST_FINDINGS])
        yield f"Properties of the data: {told} [What was done about them, and why …]"
    others = [label for label in result.comparison.evaluations if label not in result.baselines]
    yield (
        f"Learners. The baselines were {_list(result.baselines)}; the other learners were {_list(others)}."
        " Their parameters are in plan.toml. [Why these, and what was not tried …]"
    )
    rows = result.ranking
    tests = sorted({row.test.method for row in rows if row.test})
    tested = (
        f" Learners were compared with {result.comparison.best_baseline()} on the same rows ({_list(tests)})."
    )
    yield " ".join(["Protocol.", *words.protocol_words(result)]) + (tested if tests else "")
    yield (
        "Choice. Of the learners within one standard error of the best, the one with the fewest"
        " parameters was chosen; a baseline is never chosen."
    )


def _results(result: StudyResult, places: Mapping[str, Sequence[str]]) -> Iterator[str]:
    drawn = [next((n for n in places.get(part, ()) if "Figure" in n), "") for part in ("ranking", "errors")]
    there = _list([number for number in drawn if number])
    metric = result.comparison.metric().words
    rows = result.ranking
    yield (
        "Table 1 lists the learners; Figure 1 draws their scores with intervals, and Figure 2 the errors of"
        f" the choice (in report.html, {there})."
    )
    yield f"Table 1. {words.title(metric)} of the learners, with intervals and p-values against the baseline."
    lines = []
    for row in rows[:_MOST_ROWS]:
        p = "" if row.test is None else f", p {p_words(row.p_value)}"
        lines.append(f"  {row.label}: {words.score_words(row.score)} {row.interval}{p}")
    if (more := len(rows) - len(lines)) > 0:
        lines.append(f"  … and {plural(more, 'more learner')}")
    yield "\n".join(lines)
    yield f"Figure 1. {words.title(metric)} of the learners. Figure 2. Errors of {result.choice.label}."
    yield f"{result.verdict.headline} (Table 1)"
    yield f"Choice. {result.choice.reason} {words.price(result)}".strip()
    if sentence := words.beside_baseline(result):
        yield sentence
    if result.tests:
        n = len(result.tests[result.choice.label].predictions.truth)
        scores = [
            f"{label} had {metric} {words.score_words(test.score())} {test.interval()}"
            for label, test in result.tests.items()
        ]
        yield (
            f"Final test. On {plural(n, 'held-out row')}, {'; '.join(scores)}."
            f" {words.test_beside_judging(result)}"
        )
    yield from _columns(result)
    yield from _errors(result)
    yield "[Which of these figures answer the question of the introduction, and how …]"


def _columns(result: StudyResult) -> Iterator[str]:
    looks = result.looks
    if looks.attributes is not None and len(looks.attributes):
        rows, measure = looks.attributes.rows[:_MOST_COLUMNS], looks.attributes.measure.words
        best = [f"{one.attribute} ({words.score_words(one.score)})" for one in rows]
        yield f"Attributes. By {measure}, the best single columns for {result.target} are {_list(best)}."
    if looks.importance is not None:
        moving = [one for one in looks.importance if one.interval.low > 0][:_MOST_COLUMNS]
        if moving:
            metric = looks.importance.metric.words
            told = [f"{one.column} ({words.score_words(one.drop)} {one.interval})" for one in moving]
            yield f"Permutation importance in {looks.label}, change in {metric}: {'; '.join(told)}."


def _errors(result: StudyResult) -> Iterator[str]:
    looks = result.looks
    found = [look.work().conclusion for look in (looks.segments, looks.mistakes) if look is not None]
    if found:
        yield f"Errors of {looks.label}. {' '.join(found)} [What these rows have in common …]"
    for name, fair in looks.fairness.items():
        yield f"Fairness by {name}. {fair.work().conclusion}"
    if looks.costs is not None:
        yield words.money(result)


def _discussion(result: StudyResult) -> Iterator[str]:
    if result.looks.diagnosis is not None:
        found = result.looks.diagnosis
        yield words.verdict(result)
        yield "\n".join(f"  {each.name}: {each.finding}; {each.words}." for each in found.evidence)
    if result.looks.leaks is not None:
        leaks = result.looks.leaks
        told = " ".join(f"{place}: {message}" for _, place, message in map(words.finding_cells, leaks))
        yield f"Leaks. {leaks.work().conclusion} {told}".rstrip()
    yield f"Limits. {' '.join(_limits(result))} [Other limits: the sample, the measurements, the labels …]"
    yield "[How this compares with earlier work …] [What would change the conclusion …]"


def _limits(result: StudyResult) -> Iterator[str]:
    if caution := words.caution(result):
        yield caution
    if not result.tests:
        yield "No rows were held out for a final test, so the score of the choice is slightly optimistic."
    if result.choice.label in result.baselines:
        yield "No learner was shown to be better than a baseline; more data may show it."
    yield "The intervals apply to rows from the same population; other times and places may differ."
    if missed := result.looks.why_not:
        yield f"Skipped analyses: {', '.join(missed)}."


def _conclusion(result: StudyResult) -> Iterator[str]:
    metric = result.comparison.metric().words
    chosen = result.tests.get(result.choice.label) or result.comparison[result.choice.label]
    how = "on held-out rows" if result.tests else "in cross-validation"
    yield (
        f"{result.choice.label} predicts {result.target} with {metric}"
        f" {words.score_words(chosen.score())} {chosen.interval()} {how}. [Whether that is good enough for"
        " its use …] [What should be done next, and by whom …]"
    )
    versions = ", ".join(f"{name} {version}" for name, version in result.versions.items())
    yield f"To reproduce: openbook study plan.toml, with {versions}. Every prediction is in results.jsonl."


def _list(names: Sequence[str]) -> str:
    """Words in a row: a, b and c."""
    *most, last = names or ("none",)
    return f"{', '.join(most)} and {last}" if most else last
