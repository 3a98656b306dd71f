"""The model: its content, its learning curve, the importance of columns, and derived predictions."""

import math
from collections.abc import Iterator
from functools import partial

from openbook.draw.charts import ON_PHONE, score_chart
from openbook.judge import Importance
from openbook.report import words
from openbook.report.blocks import (
    Block,
    Fold,
    Heading,
    Items,
    Paragraph,
    Sheet,
    Shown,
    TableLine,
    derivation,
    derived,
    grids,
    picture_figure,
    section,
)
from openbook.report.portrait import portraits
from openbook.report.study import Example, StudyResult
from openbook.words.sentences import plural

the_model = section("model", "The model")(portraits)


@section("learning", "Learning curve and diagnosis")
def learning_and_diagnosis(result: StudyResult) -> Iterator[Block]:
    curve, found = result.looks.curve, result.looks.diagnosis
    if found is not None:
        yield Paragraph(words.verdict(result), "verdict")
    if curve is not None:
        picture, work = curve.draw(), curve.work()
        yield picture_figure(picture, *map(_sentence, picture.notes))
        yield from (Paragraph(work.conclusion), Fold("Table of the curve", grids(work)))
    if found is not None:
        rows = [TableLine((each.name, each.finding, f"{each.words}.")) for each in found.evidence]
        if rows:
            yield Sheet("Evidence", ("check", "finding", "figures"), tuple(rows))
        certain = "What would make the diagnosis more certain"
        for title, lines in (("What to try", words.to_try(result)), (certain, found.needed)):
            if lines:
                yield from (Heading(title), Items([_sentence(line) for line in lines]))


def _sentence(line: str) -> str:
    end = "" if line.endswith((".", "?")) else "."
    return f"{words.title(line)}{end}"


#: The most columns whose importance is drawn.
_MOST_IMPORTANCES = 15


@section("attributes", "Feature importance")
def feature_importance(result: StudyResult) -> Iterator[Block]:
    scores, importance = result.looks.attributes, result.looks.importance
    if scores is not None and len(scores):
        best = scores.rows[0].attribute
        yield from (Heading("Each column alone"), picture_figure(scores.draw()))
        yield Fold("Table of the scores", grids(scores.work()))
        yield Fold(f"Derivation of the score of {best}", [derived(scores.work(best))])
    if importance is not None and len(importance):
        yield from _importance(importance, result.looks.label)


def _importance(importance: Importance, label: str) -> list[Block]:
    work = importance.work()
    moving = [one for one in importance if one.drop]
    still = len(importance) - len(moving)
    verb = "drops" if importance.metric.greater_is_better else "rises"
    caption = f"How much {importance.metric.words} {verb} when a column of the test rows is shuffled."
    interval = importance.columns[0].interval
    caption += f" Lines: {100 * interval.level:g}%, {interval.method}."
    if still:
        caption += f" Shuffling {plural(still, 'column')} of {len(importance)} changed nothing on average."
    if len(moving) > _MOST_IMPORTANCES:
        caption += f" The {_MOST_IMPORTANCES} largest are shown."
    blocks: list[Block] = [Heading(f"Each column in {label}")]
    drawn_ones = [
        (one.column, one.drop, one.interval.low, one.interval.high)
        for one in moving[:_MOST_IMPORTANCES]
        if math.isfinite(one.interval.low)  # a single fold has no interval
    ]
    if drawn_ones:
        axis = f"{'Drop' if importance.metric.greater_is_better else 'Rise'} in {importance.metric.words}"
        draw = partial(score_chart, "Permutation importance", axis, drawn_ones, reference=0.0)
        blocks.append(picture_figure(draw(), caption, on_phone=draw(wide=ON_PHONE)))
    else:
        blocks.append(Paragraph(caption))
    return [*blocks, Paragraph(work.conclusion), Fold("Table of the importances", grids(work))]


#: The most cells of a row.
_MOST_CELLS = 20


@section("work", "Predictions, step by step")
def worked_predictions(result: StudyResult) -> Iterator[Block]:
    if len(result.models) > 1:
        _, other = result.models
        best = f"{other}, the best of the other learners, is shown for comparison"
        yield Paragraph(f"The choice is a baseline, so {best}.")
    for example in result.examples:
        yield from _example(result, example, first=example is result.examples[0])


def _example(result: StudyResult, example: Example, *, first: bool) -> list[Block]:
    pairs = [f"{name} = {words.cell_words(value)}" for name, value in example.cells.items()]
    cells = ", ".join(pairs[:_MOST_CELLS]) + (", …" if len(pairs) > _MOST_CELLS else "")
    head = [
        Heading(words.title(example.words)),
        Paragraph(words.example_words(result, example)),
        Paragraph(cells, "note"),
    ]
    shown = {label: (work, derivation(work)) for label, work in example.works.items()}
    return head + [
        Fold(f"{label}: {work.conclusion or work.title}", how, open=first and isinstance(how[0], Shown))
        for label, (work, how) in shown.items()
    ]
