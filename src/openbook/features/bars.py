"""The scores of attributes as bars, the best on top.

A full bar is significant at 5% after Holm's adjustment, a pale one is not.
"""

import math
from typing import TYPE_CHECKING

import numpy as np

from openbook.draw import Categories, Numbers, Picture
from openbook.draw.plot import bars, framed, legend
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
    # evenly between its ends, so that no bar counts as far from the others
    across = Numbers(scores.measure.words, np.linspace(low, high if high > low else 1.0, 25))
    up = Categories("", tuple(row.attribute for row in drawn))
    sure = [row.p_adjusted <= 0.05 for row in drawn]
    looks = ["c0" if yes else "c0 pale" for yes in sure]
    told = [f"{row.attribute}: {shown(row.score)}{_p(row.p_adjusted)}" for row in drawn]
    middles = np.array([place for place, _ in up.ticks])
    zero = across.place(np.zeros(len(drawn)))
    inside = "".join(bars(middles, 0.64 / max(len(drawn), 1), zero, across.place(ends), looks, told))
    keys = [("c0", "p (Holm) at most 0.05")] * any(sure) + [("c0 pale", "not significant")] * (not all(sure))
    above, tall = legend(keys)
    body, width, height = framed(across, up, inside, above, tall)
    return Picture(
        f"Attribute scores for {scores.target}",
        " ".join(told[::-1]),
        _notes(scores, len(finite)),
        body,
        width,
        height,
    )


def _notes(scores: "AttributeScores", finite: int) -> tuple[str, ...]:
    notes = [f"{scores.measure.words.capitalize()} of each attribute, {scores.n:,} rows."]
    if finite > _MOST:
        notes.append(f"The best {_MOST} of {len(scores)} attributes.")
    elif finite < len(scores):
        notes.append(f"{len(scores) - finite} of {len(scores)} attributes have no finite score, and no bar.")
    return tuple(notes)


def _p(p: float) -> str:
    return "" if math.isnan(p) else f", p {p_words(p)}"
