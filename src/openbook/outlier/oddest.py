"""The most unusual rows of a table, with the reasons for each: a table and a picture."""

from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.data.read import read
from openbook.draw import Marks, Numbers, Picture
from openbook.draw.plot import Plot
from openbook.errors import ParameterError
from openbook.outlier.collective import Collective
from openbook.outlier.detector import Detector
from openbook.outlier.reasons import Reasons, reason_words
from openbook.words.numbers import figure
from openbook.words.parameters import documented
from openbook.words.sentences import listed, plural
from openbook.work import Grid, ShowsWork, Work

#: The most reasons that are listed for a row, and the most dots of a picture.
_MOST_REASONS, _MOST_DOTS = 3, 2_000


@dataclass(frozen=True, repr=False, eq=False)
class Oddest(ShowsWork):
    """The most unusual rows, in descending order of score; ties in row order.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    detector : str
        The name of the detector.
    rows : tuple
        The numbers of the rows, from 0.
    reasons : tuple
        The reasons of each; None if rows are scored together.
    scores : array
        The scores of all rows.
    threshold : float
        The score above which a row is an outlier.

    Examples
    --------
    >>> from openbook.outlier import ZScore
    >>> X = [[1.0], [2.0], [3.0], [2.0], [90.0]]
    >>> oddest(ZScore(threshold=1.5).fit(X), X, n=2).n_outliers
    1
    """

    detector: str
    rows: tuple[int, ...]
    reasons: tuple[Reasons | None, ...]
    scores: np.ndarray
    threshold: float

    @property
    def n_outliers(self) -> int:
        return int((self.scores > self.threshold).sum())

    def work(self) -> Work:
        """The most unusual rows as a table, with the reasons for each."""
        scores = self.scores[list(self.rows)].tolist()
        rows = [
            (row, score, "outlier" if score > self.threshold else "", main_reasons(why))
            for row, score, why in zip(self.rows, scores, self.reasons, strict=True)
        ]
        grid = Grid("", ("row", "score", "", "because of"), rows, self._legend)
        title = f"{self.detector}: {plural(self.n_outliers, 'outlier')} among {len(self.scores):,} rows"
        return Work(title, (grid,), f"The threshold is {figure(self.threshold, 4)}.")

    @property
    def _legend(self) -> str:
        """The meaning of the numbers in brackets; rows may have reasons of different kinds."""
        rows: dict[str, list[str]] = {}
        for row, why in zip(self.rows, self.reasons, strict=True):
            if why is not None:
                rows.setdefault(f"{why.meaning[:1].lower()}{why.meaning[1:]}", []).append(str(row))
        if len(rows) == 1:
            return f"In brackets: {next(iter(rows))}"
        of = {
            meaning: f"of {'row' if len(some) == 1 else 'rows'} {listed(some)}"
            for meaning, some in rows.items()
        }
        return " ".join(f"In brackets: {which}, {meaning}" for meaning, which in of.items())

    def draw(self) -> Picture:
        """The scores in descending order; those above the threshold are highlighted."""
        order = np.argsort(-self.scores, kind="stable")
        ranks = np.arange(1, len(order) + 1)
        if len(order) > _MOST_DOTS:  # all of the oddest, and a few of the many others
            some = np.unique(np.geomspace(1, len(order), _MOST_DOTS).astype(np.intp))
            order, ranks = order[some - 1], some
        scores = self.scores[order]
        across = Marks.powers("rank of the row, most unusual first", 1, len(self.scores))
        up = Numbers.between("score", scores.min(), max(scores.max(), scores.min() + 1e-12))
        reasons = dict(zip(self.rows, self.reasons, strict=True))
        captions = [_caption(row, self.scores[row], reasons.get(row)) for row in order.tolist()]
        looks = ["dot c1" if score > self.threshold else "dot many c0" for score in scores]
        plot = Plot(across, up)
        plot.dots(np.log10(ranks), scores, looks, captions)
        plot.named("c1", "outlier")
        plot.named("c0", "other rows")
        plot.across_at(self.threshold, name=f"threshold {figure(self.threshold, 3)}")
        notes = (f"{plural(self.n_outliers, 'outlier')} among {len(self.scores):,} rows.",)
        return plot.picture(f"Scores of {self.detector}", notes, "; ".join(captions[:10]))


@documented
def oddest(detector: Detector, X: Any, n: int = 10) -> Oddest:
    """The n rows with the highest scores of a fitted detector, with reasons.

    Guide: docs/guide/outliers.md

    Parameters
    ----------
    detector : Detector
        A fitted detector.
    X : rows
    n : int, default=10
        The number of rows to show.

    Returns
    -------
    Oddest

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.outlier import NaiveBayesSurprise
    >>> X = load("loan").drop("cheat")
    >>> oddest(NaiveBayesSurprise(top=1).fit(X), X, n=1).rows
    (6,)
    """
    if n < 1:
        raise ParameterError(f"n must be at least 1, got {n}")
    table = read(X)
    scores = detector.oddness(table)
    rows = np.argsort(-scores, kind="stable")[:n].tolist()
    alone = not isinstance(detector, Collective)
    why = tuple(detector.reasons(table.take([row])) if alone else None for row in rows)
    return Oddest(type(detector).__name__, tuple(rows), why, scores, detector.threshold_)


def main_reasons(why: Reasons | None) -> str:
    """The largest reasons in one line: those of at least a tenth of the largest share."""
    if why is None:
        return "its group"
    least = 0.1 * why.ranked[0].share
    main = [r for r in why.ranked[:_MOST_REASONS] if r.share > 0 and r.share >= least]
    return ", ".join(f"{reason_words(r)} ({figure(r.share, 3)})" for r in main) or "no single column"


def _caption(row: int, score: float, why: Reasons | None) -> str:
    caption = f"row {row}: {figure(float(score), 4)}"
    return caption if why is None else f"{caption}, because of {main_reasons(why)}"
