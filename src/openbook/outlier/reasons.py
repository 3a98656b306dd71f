"""Why a row is unusual: what each attribute contributes to its score."""

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.data import Column
from openbook.draw import Categories, Numbers, Picture
from openbook.draw.plot import Plot
from openbook.words.numbers import figure
from openbook.work import Grid, ShowsWork, Step, Work

#: Attributes that are listed; the others are summed up.
_SHOWN = 12


@dataclass(frozen=True)
class Reason:
    """One attribute: its value in the row, None if it is missing, and what it accounts for."""

    attribute: str
    value: Any
    share: float


@dataclass(frozen=True, repr=False)
class Reasons(ShowsWork):
    """The reasons for an outlier score: what each attribute accounts for.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    detector : str
        The name of the detector.
    score : float
        The row's score.
    threshold : float
        The score above which it would be an outlier.
    parts : tuple
        A Reason for each attribute, in the order of the schema, and for what none accounts for.
    joined : tuple
        The steps from the shares to the score.
    meaning : str
        The meaning of a share, in words.

    Examples
    --------
    >>> from openbook.outlier import ZScore
    >>> why = ZScore().fit([[1.0, 5.0], [2.0, 6.0], [3.0, 7.0]]).reasons([9.0, 6.0])
    >>> why.ranked[0].attribute, round(why.score, 3)
    ('x0', 8.573)
    """

    detector: str
    score: float
    threshold: float
    parts: tuple[Reason, ...]
    joined: tuple[Step, ...]
    meaning: str

    @property
    def ranked(self) -> tuple[Reason, ...]:
        """The reasons, largest share first; ties in the order of the table."""
        return tuple(sorted(self.parts, key=lambda reason: -reason.share))

    def work(self) -> Work:
        """The shares as a table, and the score that they make."""
        shown = self.ranked[:_SHOWN]
        rows = [(r.attribute, r.value, r.share) for r in shown]
        if others := self.ranked[_SHOWN:]:
            rows.append((f"{len(others)} others", None, math.fsum(r.share for r in others)))
        grid = Grid("reasons", ("attribute", "value", "share"), rows, self.meaning)
        verdict = outlier_verdict(self.score, self.threshold)
        return Work(f"{self.detector}: the reasons", (grid, *self.joined), verdict)

    def draw(self) -> Picture:
        """A bar for each attribute, the weightiest on top."""
        drawn = self.ranked[:_SHOWN][::-1]  # the axis goes up
        ends = np.array([reason.share for reason in drawn])
        low, high = min(0.0, ends.min(initial=0.0)), max(0.0, ends.max(initial=0.0))
        across = Numbers.between("share", low, high if high > low else low + 1.0)
        names = tuple(map(reason_words, drawn))
        captions = [f"{name}: {figure(reason.share, 3)}" for name, reason in zip(names, drawn, strict=True)]
        plot = Plot(across, Categories("", names))
        plot.bars(ends, ["c1" if reason.share > 0 else "c0" for reason in drawn], captions)
        notes = (f"Score {figure(self.score, 4)}, threshold {figure(self.threshold, 4)}. {self.meaning}",)
        return plot.picture(f"{self.detector}: the reasons", notes, "; ".join(captions[::-1]))


def outlier_verdict(score: float, threshold: float) -> str:
    """Whether a score makes a row an outlier, in words."""
    sign, what = (">", "an outlier") if score > threshold else ("≤", "not an outlier")
    return f"{figure(score)} {sign} {figure(threshold)}: {what}."


def reason_words(reason: Reason) -> str:
    """An attribute and its value in few words.

    >>> reason_words(Reason("age", 250.0, 0.9)), reason_words(Reason("sex", None, 0.1))
    ('age = 250', 'sex missing')
    """
    if reason.value is None:
        return f"{reason.attribute} missing"
    value = figure(reason.value, 4) if isinstance(reason.value, float) else reason.value
    return f"{reason.attribute} = {value}"


def cell_of(column: Column) -> Any:
    """The one cell of a column as a reader would write it; None if it is missing or was never seen."""
    value = column.tolist()[0]
    return None if isinstance(value, float) and math.isnan(value) else value
