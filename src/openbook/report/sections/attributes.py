"""What the columns tell: each by itself, and to the learner."""

import math

from openbook.judge import Importance
from openbook.report import svg
from openbook.report.blocks import Block, Fold, Heading, Part, Text, derived, drawn, grids, sketched
from openbook.report.study import StudyResult
from openbook.words.sentences import plural

#: Columns whose importance is drawn.
_MOST = 15


def part(result: StudyResult) -> Part | None:
    scores, importance = result.looks.attributes, result.looks.importance
    blocks: list[Block] = []
    if scores is not None and len(scores):
        best = scores.rows[0].attribute
        blocks += [Heading("Each column alone"), drawn(scores.draw())]
        blocks.append(Fold("Table of the scores", grids(scores.work())))
        blocks.append(Fold(f"Derivation of the score of {best}", [derived(scores.work(best))]))
    if importance is not None and len(importance):
        blocks += _importance(importance, result.looks.label)
    return Part("attributes", "Feature importance", tuple(blocks)) if blocks else None


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
    if len(moving) > _MOST:
        caption += f" The {_MOST} largest are shown."
    blocks: list[Block] = [Heading(f"Each column in {label}")]
    drawn_ones = [
        svg.Scored(one.column, one.drop, one.interval.low, one.interval.high, "other")
        for one in moving[:_MOST]
        if math.isfinite(one.interval.low)  # a single fold has no interval
    ]
    if drawn_ones:
        axis = f"{'Drop' if importance.metric.greater_is_better else 'Rise'} in {importance.metric.words}"
        picture = svg.intervals(drawn_ones, axis=axis, reference=0.0)
        blocks.append(sketched(picture, "Permutation importance", caption))
    else:
        blocks.append(Text(caption))
    return [*blocks, Text(work.conclusion), Fold("Table of the importances", grids(work))]
