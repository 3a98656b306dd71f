r"""mRMR: much relevance, little redundancy (Peng, Long and Ding, 2005).

    relevance(j)     = MI(attribute j, target)
    redundancy(j)    = mean over the attributes s kept so far of MI(attribute j, attribute s)
    difference, MID  = relevance - redundancy
    quotient, MIQ    = relevance / redundancy

The most relevant attribute comes first, then again and again the one of the best difference or quotient.
Numbers are cut into intervals by the target's classes, or by equal frequency; a numeric target counts by its
quarters. MI of two attributes is that of the rows in which both are known. Where nothing is redundant, the
quotient is infinite, and the more relevant attribute wins. Of equals the first in the table wins.
"""

import math
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, OneOf
from openbook.data import Categorical
from openbook.errors import DataError
from openbook.features.gather import Bins, Target, discrete, target_task
from openbook.features.scores import AttributeScores, check_bins, score_examples
from openbook.features.select import Count, Share, number_kept
from openbook.features.selector import Selector
from openbook.judge.folds.examples import Examples
from openbook.kernels.counts import Counts
from openbook.measures import mutual_information
from openbook.words.numbers import shown
from openbook.work import Grid, Work


@dataclass(frozen=True)
class Rated:
    """A candidate of one step."""

    attribute: str
    relevance: float
    redundancy: float
    score: float


class MRMR(Declared, Selector):
    """Keep attributes with much relevance to the target and little redundancy among each other (mRMR).

    Parameters
    ----------
    k : int or None, default=None
        The number of attributes to keep, if there are as many.
    fraction : float or None, default=None
        Instead, this share of them, rounded up. With neither, half of them.
    scheme : {"difference", "quotient"}, default="difference"
        MID, relevance minus redundancy, or MIQ, relevance over redundancy.
    bins : {"mdl"} or int, default="mdl"
        How numbers are cut for a measure of counts: by the classes ("mdl"), or into this number of intervals
        of equal frequency.

    Attributes
    ----------
    path_ : tuple
        For each step its candidates, the winner first.
    support_ : ndarray of bool
        Which columns are kept.
    selected_ : tuple of str
        The names of the columns that are kept.
    order_ : tuple of str
        The same in the order in which they were taken.

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> MRMR(k=2).fit(X, y).order_
    ('outlook', 'humidity')
    """

    takes_tables = True

    k: Count = None
    fraction: Share = None
    scheme: Annotated[str, OneOf("difference", "quotient")] = "difference"
    bins: Annotated[Any, Anything("'mdl' or a whole number of at least 2")] = "mdl"

    def _task(self, y):
        return target_task(y)

    def _select(self, examples: Examples) -> tuple[str, ...]:
        check_bins(self.bins)
        self.relevances_: AttributeScores = score_examples(examples, "mutual_information", self.bins)
        scores = {name: self.relevances_[name].score for name in examples.table.names}
        relevance = {name: score for name, score in scores.items() if not math.isnan(score)}
        if not relevance:
            msg = "no attribute has a mutual information with the target: all are text or entirely missing"
            raise DataError(msg)
        count = number_kept(self, len(examples.table.schema), optional=True) or math.ceil(len(relevance) / 2)
        shared = _Shared.of(examples, self.bins)
        path: list[tuple[Rated, ...]] = []
        while relevance and len(path) < count:
            rated = [self._rated(name, relevance[name], shared.mean(name)) for name in relevance]
            rated.sort(key=lambda one: (-_rounded(one.score), -_rounded(one.relevance)))
            path.append(tuple(rated))
            winner = rated[0].attribute
            del relevance[winner]
            shared.add(winner, tuple(relevance))
        self.path_ = tuple(path)
        self.order_ = tuple(rated[0].attribute for rated in path)
        return self.order_

    def _rated(self, name: str, relevance: float, redundancy: float) -> Rated:
        if math.isnan(redundancy):  # nothing is kept yet
            return Rated(name, relevance, redundancy, relevance)
        if self.scheme == "difference":
            return Rated(name, relevance, redundancy, relevance - redundancy)
        quotient = relevance / redundancy if redundancy > 0 else math.inf if relevance > 0 else 0.0
        return Rated(name, relevance, redundancy, quotient)

    def _work(self) -> Work:
        """The path: relevance, redundancy and score of the candidates of each step."""
        header = ("candidate", "relevance", "redundancy", self.scheme)
        grids = [
            Grid(f"Step {i}: {rated[0].attribute}", header, [_row(one) for one in rated])
            for i, rated in enumerate(self.path_, 1)
        ]
        end = f"Kept {len(self.order_)} of {len(self.support_)}: {', '.join(self.order_)}."
        return Work(f"mRMR by {self.scheme}, in bits, with {self.relevances_.target}", tuple(grids), end)


class _Shared:
    """What attributes share with those kept, added up as they are taken."""

    def __init__(self, codes: dict[str, np.ndarray], n_values: dict[str, int]) -> None:
        self.codes, self.n_values = codes, n_values
        self.sums = dict.fromkeys(codes, 0.0)
        self.kept = 0

    @classmethod
    def of(cls, examples: Examples, bins: Bins) -> "_Shared":
        table = discrete(examples.table, Target.of(examples).as_classes(), bins).table
        sizes = {a.name: len(a.values) for a in table.schema if isinstance(a, Categorical)}
        return cls({name: table.data(name) for name in table.names}, sizes)

    def mean(self, name: str) -> float:
        return self.sums[name] / self.kept if self.kept else math.nan

    def add(self, winner: str, left: tuple[str, ...]) -> None:
        """Add the redundancy of the remaining attributes with the chosen one: one pass over the rows."""
        self.kept += 1
        size = self.n_values[winner]
        cells = self.codes[winner].astype(np.intp)
        cells[cells < 0] = size  # a class of its own, which is dropped again
        columns, sizes = [self.codes[name] for name in left], [self.n_values[name] for name in left]
        counts = Counts.of(columns, sizes, cells, np.ones(len(cells)), size + 1)
        for name, table in zip(left, counts.tables, strict=True):
            if table[:-1].any():
                self.sums[name] += mutual_information(table[:-1])


def _rounded(score: float) -> float:
    return float(f"{score:.12g}")


def _row(one: Rated) -> tuple[str, ...]:
    redundancy = "" if math.isnan(one.redundancy) else shown(one.redundancy)
    return one.attribute, shown(one.relevance), redundancy, shown(one.score)
