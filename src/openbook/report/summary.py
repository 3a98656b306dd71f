"""The outcome of a study in a few lines: for a notebook, and for `print`."""

from html import escape

from openbook.report import words
from openbook.report.study import StudyResult


def choice_lines(result: StudyResult) -> list[str]:
    """The best learner, the chosen one and the baseline, in columns."""
    lines = words.contenders(result)
    wide = [max(len(line[i]) for line in lines) for i in range(3)]
    return [
        f"{what:{wide[0]}}  {label:{wide[1]}}  {score:>{wide[2]}}  {interval}"
        for what, label, score, interval in lines
    ]


def test_lines(result: StudyResult) -> list[str]:
    """The final test of each learner; none if no rows were held out."""
    lines = []
    for label, evaluation in result.tests.items():
        score = f"{evaluation.metric().words} {words.score_words(evaluation.score())} {evaluation.interval()}"
        lines.append(f"{label}: {score} on {len(evaluation.predictions.truth):,} held-out rows")
    remarks = {evaluation.coverage_remark(None) for evaluation in result.tests.values()}
    return [*lines, *filter(None, remarks)]


def summary_text(result: StudyResult) -> str:
    """The headline, the choice, the final test, and where the report is."""
    parts = [words.headline(result), *choice_lines(result), *_sentences(result)]
    return "\n".join([*parts, f"Report: {result.report}"])


def _sentences(result: StudyResult) -> list[str]:
    """The reason for the choice, remarks on its interval, and the final test."""
    return [
        each
        for each in (result.choice.reason, words.remark_on_intervals(result), *test_lines(result))
        if each
    ]


def summary_html(result: StudyResult) -> str:
    """The same as a fragment of HTML, with the ranking of all learners."""
    rows = [(row.label, words.score_words(row.score), row.interval.ends) for row in result.ranking]
    level = f"{100 * result.ranking[0].interval.level:g}% interval"
    head = ("", words.title(result.comparison.metric().words), level)
    table = _row("th", head) + "".join(_row("td", row) for row in rows)
    sentences = "".join(f"<p>{escape(each)}</p>" for each in _sentences(result))
    link = f'<p><a href="{escape(str(result.report), quote=True)}">Report</a></p>'
    return f"<p><strong>{escape(words.headline(result))}</strong></p><table>{table}</table>{sentences}{link}"


def _row(tag: str, cells: tuple[str, ...]) -> str:
    return "<tr>" + "".join(f"<{tag}>{escape(cell)}</{tag}>" for cell in cells) + "</tr>"
