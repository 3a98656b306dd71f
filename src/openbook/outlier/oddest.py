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
from openbook.outlier.reasons import Reasons, said_of
from openbook.words.numbers import figure
from openbook.words.parameters import documented
from openbook.words.sentences import listed, plural
from openbook.work import Grid, ShowsWork, Work

#: Reasons that are told for each row, as far as they are worth it.
_TOLD = 3

#: Dots of a picture: all outliers, and of the others so many.
_MOST_DOTS = 2_000


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
        rows = []
        for row, why in zip(self.rows, self.reasons, strict=True):
            score = float(self.scores[row])
            rows.append((row, score, "outlier" if score > self.threshold else "", told_reasons(why)))
        grid = Grid("", ("row", "score", "", "because of"), rows, self._in_brackets)
        title = f"{self.detector}: {plural(self.n_outliers, 'outlier')} among {len(self.scores):,} rows"
        return Work(title, (grid,), f"The threshold is {figure(self.threshold, 4)}.")

    @property
    def _in_brackets(self) -> str:
        """What the figures behind the reasons mean; rows may have reasons of different kinds."""
        rows: dict[str, list[str]] = {}
        for row, why in zip(self.rows, self.reasons, strict=True):
            if why is not None:
                rows.setdefault(why.meaning, []).append(str(row))
        meanings = [f"{meaning[:1].lower()}{meaning[1:]}" for meaning in rows]
        if len(meanings) > 1:
            of = (f"of {'row' if len(some) == 1 else 'rows'} {listed(some)}" for some in rows.values())
            meanings = [f"{which}, {meaning}" for which, meaning in zip(of, meanings, strict=True)]
        return " ".join(f"In brackets: {meaning}" for meaning in meanings)

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
        because = dict(zip(self.rows, self.reasons, strict=True))
        words = [_words(row, self.scores[row], because.get(row)) for row in order.tolist()]
        looks = ["dot c1" if score > self.threshold else "dot many c0" for score in scores]
        plot = Plot(across, up)
        plot.dots(np.log10(ranks), scores, looks, words)
        plot.named("c1", "outlier")
        plot.named("c0", "other rows")
        plot.across_at(self.threshold, name=f"threshold {figure(self.threshold, 3)}")
        notes = (f"{plural(self.n_outliers, 'outlier')} among {len(self.scores):,} rows.",)
        return plot.picture(f"Scores of {self.detector}", notes, "; ".join(words[:10]))


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


def told_reasons(why: Reasons | None) -> str:
    """The weightiest reasons in one line, as long as they are worth it: a tenth of the first."""
    if why is None:
        return "its group"
    first = why.ranked[0].share
    worth = [r for r in why.ranked[:_TOLD] if r.share > 0 and r.share >= 0.1 * first]
    return ", ".join(f"{said_of(r)} ({figure(r.share, 3)})" for r in worth) or "no single column"


def _words(row: int, score: float, why: Reasons | None) -> str:
    said = f"row {row}: {figure(float(score), 4)}"
    return said if why is None else f"{said}, because of {told_reasons(why)}"
