"""The report as one HTML page: no script, no network, everything from the data escaped."""

import math
from importlib.resources import files
from typing import Any

import numpy as np
from jinja2 import Environment
from markupsafe import Markup, escape

from openbook.data.findings import plural, short
from openbook.data.summary import ColumnSummary
from openbook.judge import Evaluation, confusion
from openbook.judge.comparison import Row
from openbook.report import svg, words
from openbook.report.portrait import portraits
from openbook.report.residuals import residuals
from openbook.report.study import Example, StudyResult
from openbook.work.formula import printable
from openbook.work.html import STYLE as WORK_STYLE
from openbook.work.html import to_html as work_to_html

__all__ = ["to_html"]

_MOST_CARDS = 24
_MOST_BARS = 8
_MOST_CLASSES = 15
_MOST_CELLS = 20


def to_html(result: StudyResult) -> str:
    """The page."""
    template = files("openbook.report") / "templates"
    environment = Environment(autoescape=True, trim_blocks=True, lstrip_blocks=True, finalize=_printable)
    page = environment.from_string((template / "report.html").read_text(encoding="utf-8"))
    style = (template / "report.css").read_text(encoding="utf-8") + WORK_STYLE
    return page.render(s=result, style=Markup(style), **_data(result), **_scores(result), **_work(result))  # noqa: S704


def _printable(value: Any) -> Any:
    """Plain text without controls; what is markup already stays as it is."""
    return printable(value) if type(value) is str else value


def _data(result: StudyResult) -> dict[str, Any]:
    description = result.description
    missing = sum(column.missing for column in description.columns)
    cells = description.rows * len(description.columns)
    size = f"{plural(description.rows, 'row')}, {plural(len(description.columns), 'column')}"
    gaps = f"{missing / cells:.1%} of the cells are missing" if missing else "no cell is missing"
    ordered = sorted(description.columns, key=lambda column: column.name != result.target)
    return {
        "headline": size,
        "table_words": f"{result.name} holds {size}; {gaps}.",
        "findings": words.grouped(description.findings),
        "cards": [_card(column, is_target=column.name == result.target) for column in ordered[:_MOST_CARDS]],
        "more_cards": max(0, len(ordered) - _MOST_CARDS),
        "described": Markup(description._repr_html_()),  # noqa: S704 (escapes what it shows)
    }


def _card(column: ColumnSummary, *, is_target: bool) -> dict[str, Any]:
    about = [column.kind]
    if column.missing:
        about.append(f"{column.missing:,} missing ({column.missing_share:.0%})")
    about.append(f"{column.distinct:,} distinct")
    picture, figures = "", ""
    if (x := column.numbers) is not None:
        picture = svg.histogram(f"Histogram of {column.name}", x.counts, x.edges)
        spread = "" if x.std is None else f", standard deviation {short(x.std)}"
        figures = f"median {short(x.median)}, mean {short(x.mean)}{spread}"
    elif column.top_values:
        shown = column.top_values[:_MOST_BARS]
        picture = svg.bars(f"Values of {column.name}", shown, rest=column.distinct - len(shown))
    elif column.lengths is not None:
        figures = f"{column.lengths.shortest:,} to {column.lengths.longest:,} characters"
    return {
        "name": column.name,
        "is_target": is_target,
        "words": ", ".join(about),
        "picture": Markup(picture),  # noqa: S704 (svg escapes)
        "figures": figures,
    }


def _scores(result: StudyResult) -> dict[str, Any]:
    comparison = result.comparison
    metric = comparison.metric()
    rows = comparison.rows()
    by_label = {row.label: row for row in rows}
    baseline = words.best_baseline(result)
    return {
        "metric": words.title(metric.words),
        "greater_is_better": metric.greater_is_better,
        "level": f"{100 * rows[0].interval.level:g}%",
        "chosen": _brief(by_label[result.choice.label]),
        "best_baseline": _brief(by_label[baseline]) if baseline else None,
        "verdict": words.beside_baseline(result),
        "tiny": words.caution(result),
        "protocol": words.protocol_words(result),
        "interval_chart": Markup(_chart(result, rows, baseline)),  # noqa: S704 (svg escapes)
        "ranking": _ranking(result, rows),
        "warnings": [
            f"{label}: {text} ({plural(count, 'fold')})"
            for label, evaluation in comparison.evaluations.items()
            for text, count in evaluation.warnings.items()
        ],
        **_errors(comparison[result.choice.label], result),
        **_tests(result),
        "model_words": words.model_words(result),
        "portraits": portraits(result),
        "has_tree": hasattr(result.model, "tree_"),
    }


def _brief(row: Row) -> dict[str, str]:
    return {"name": row.label, "score": words.score_words(row.score), "interval": str(row.interval)}


def _role(result: StudyResult, label: str) -> str:
    if label == result.choice.label:
        return "chosen"
    return "baseline" if label in result.baselines else "other"


def _chart(result: StudyResult, rows: list[Row], baseline: str | None) -> str:
    scored = [
        svg.Scored(row.label, row.score, *_ends(row), _role(result, row.label))
        for row in rows
        if not math.isnan(row.score)
    ]
    reference = next((s.mean for s in scored if s.label == baseline), None)
    return svg.intervals(scored, axis=words.title(result.comparison.metric().words), reference=reference)


def _ends(row: Row) -> tuple[float, float]:
    known = not (math.isnan(row.interval.low) or math.isnan(row.interval.high))
    return (row.interval.low, row.interval.high) if known else (row.score, row.score)


def _ranking(result: StudyResult, rows: list[Row]) -> dict[str, Any]:
    metric = result.comparison.metric().words
    against = result.comparison.baseline
    tests = sorted({row.test.method for row in rows if row.test})
    intervals = sorted({row.interval.method for row in rows})
    note = f"Intervals: {'; '.join(intervals)}."
    if tests:
        note += f" p: {'; '.join(tests)}, adjusted by Holm’s method for the number of learners."
    return {
        "header": (
            "Learner",
            words.title(metric),
            "interval",
            f"against {against}",
            "interval",
            "p",
            "complexity",
        ),
        "rows": [
            {
                "name": row.label,
                "role": _role(result, row.label),
                "tags": words.tags(result, row.label),
                "cells": _cells(row),
            }
            for row in rows
        ],
        "note": note + " Complexity: the figures that the model had to learn, the median over the folds.",
    }


def _cells(row: Row) -> tuple[str, ...]:
    size = "?" if row.complexity is None else f"{row.complexity:,g}"
    test = ("–", "–", "–")
    if row.test is not None:
        p = words.p_words(row.p_value)
        test = (f"{row.test.difference:+.3f}", row.test.interval.ends, p)
    return words.score_words(row.score), row.interval.ends, *test, size


def _errors(evaluation: Evaluation, result: StudyResult) -> dict[str, Any]:
    """The confusion table, or for numbers the histogram of the errors; each row of the data counts once."""
    p = evaluation.one_round
    n = plural(len(p.truth), "row")
    if evaluation.classes is None:
        from openbook.data.summary import numbers

        spread = numbers(np.sort(p.truth - p.predicted))
        return {
            "error_words": f"Half of the errors lie between {short(spread.q1)} and {short(spread.q3)}.",
            "error_picture": Markup(svg.histogram("Errors", spread.counts, spread.edges, height=140)),  # noqa: S704
            "error_caption": f"Truth minus prediction of {result.choice.label}, for {n}.",
            **_residuals(result),
        }
    counts = confusion(p)
    labels = [str(label) for label in evaluation.classes.tolist()]
    most = np.sort(np.argsort(-counts.sum(axis=1), kind="stable")[:_MOST_CLASSES])
    shown = [labels[i] for i in most]
    table = counts[np.ix_(most, most)].tolist()
    caption = (
        f"{result.choice.label} on {n}, each predicted by a model that had not seen it."
        " Shades are shares of the true class."
    )
    if len(most) < len(labels):
        caption += f" The {len(most)} most frequent of {len(labels)} classes are shown."
    return {
        "error_words": _worst(counts, labels),
        "error_picture": Markup(svg.heat_map("True and predicted classes", shown, table)),  # noqa: S704 (svg escapes)
        "error_caption": caption,
    }


def _residuals(result: StudyResult) -> dict[str, Any]:
    """The residuals of the worked model that is no baseline; those of a constant show nothing."""
    label = next((label for label in result.models if label not in result.baselines), None)
    if label is None:
        return {}
    p = result.comparison[label].one_round
    return {
        "residuals": Markup(residuals(result.target, p.truth, p.predicted).svg()),  # noqa: S704 (escapes)
        "residuals_caption": f"{label} on {plural(len(p.truth), 'row')}, each predicted by a model that had"
        " not seen it.",
    }


def _worst(counts: np.ndarray, labels: list[str]) -> str:
    """The most frequent mistake, in words."""
    wrong = counts.copy()
    np.fill_diagonal(wrong, 0)
    if not wrong.any():
        return "It made no mistake on these rows."
    i, j = np.unravel_index(wrong.argmax(), wrong.shape)
    count = f"{int(wrong[i, j]):,} of the {plural(int(counts[i].sum()), 'row')}"
    return f"The most frequent mistake: {count} that are {labels[i]} were taken for {labels[j]}."


def _tests(result: StudyResult) -> dict[str, Any]:
    if not result.tests:
        return {"tests": []}
    chosen = result.tests[result.choice.label]
    everyone = result.tests.values()
    shown = [m for m in map(chosen.metric, chosen.metrics) if not math.isnan(chosen.score(m))]
    return {
        "tests": [
            {
                "name": label,
                "rows": f"{len(evaluation.predictions.truth):,}",
                "score": words.score_words(evaluation.score()),
                "interval": str(evaluation.interval()),
            }
            for label, evaluation in result.tests.items()
        ],
        "test_rows": [
            (
                words.title(m.words),
                [f"{words.score_words(e.score(m))} {e.interval(m).ends}" for e in everyone],
            )
            for m in shown
        ],
        "test_words": words.test_words(result, chosen),
    }


def _work(result: StudyResult) -> dict[str, Any]:
    both = ""
    if len(result.models) > 1:
        _, other = result.models
        both = (
            f"Since the choice is a baseline, {other} is worked beside it: of the learners that are offered"
            " and learnt more than the choice, the best."
        )
    return {
        "examples": [_example(result, example) for example in result.examples],
        "work_words": both,
        "plan": _lines(result.plan),
    }


def _example(result: StudyResult, example: Example) -> dict[str, Any]:
    shown = [f"{name} = {words.cell_words(value)}" for name, value in example.cells.items()]
    return {
        "title": words.title(example.words),
        "words": words.example_words(result, example),
        "cells": ", ".join(shown[:_MOST_CELLS]) + (", …" if len(shown) > _MOST_CELLS else ""),
        "works": [Markup(work_to_html(work, style=False)) for work in example.works.values()],  # noqa: S704 (escapes)
    }


def _lines(text: str) -> Markup:
    """Text of several lines, each printable."""
    return Markup("\n").join(escape(printable(line)) for line in text.splitlines())
