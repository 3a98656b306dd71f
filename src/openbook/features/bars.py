"""The scores of attributes as bars, the best on top.

A full bar is significant at 5% after Holm's adjustment, a pale one is not.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from openbook.draw import Categories, Numbers, Picture
from openbook.draw.plot import Plot
from openbook.words.numbers import p_words, shown

if TYPE_CHECKING:
    from openbook.features.scores import AttributeScores

__all__ = ["draw_scores"]

#: More bars than these would be too thin to read.
_MOST = 20


def draw_scores(scores: "AttributeScores") -> Picture:
    """The picture of `AttributeScores`."""
    finite = [row for row in scores.rows if math.isfinite(row.score)]
    drawn = finite[:_MOST][::-1]  # the axis goes up
    ends = np.array([row.score for row in drawn])
    low, high = min(0.0, ends.min(initial=0.0)), max(ends.max(initial=0.0), 0.0)
    plot = Plot(
        Numbers.between(scores.measure.words, low, high if high > low else 1.0),
        Categories("", tuple(row.attribute for row in drawn)),
    )
    sure = [row.p_adjusted <= 0.05 for row in drawn]
    looks = ["c0" if yes else "c0 pale" for yes in sure]
    told = [f"{row.attribute}: {shown(row.score)}{_p(row.p_adjusted)}" for row in drawn]
    plot.bars(ends, looks, told)
    if any(sure):
        plot.named("c0", "p (Holm) at most 0.05")
    if not all(sure):
        plot.named("c0 pale", "not significant")
    title = f"Attribute scores for {scores.target}"
    return plot.picture(title, _notes(scores, len(finite)), " ".join(told[::-1]))


def _notes(scores: "AttributeScores", finite: int) -> tuple[str, ...]:
    notes = [f"{scores.measure.words.capitalize()} of each attribute, {scores.n:,} rows."]
    if finite > _MOST:
        notes.append(f"The best {_MOST} of {len(scores)} attributes.")
    elif finite < len(scores):
        notes.append(f"{len(scores) - finite} of {len(scores)} attributes have no finite score, and no bar.")
    return tuple(notes)


def _p(p: float) -> str:
    return "" if math.isnan(p) else f", p {p_words(p)}"
