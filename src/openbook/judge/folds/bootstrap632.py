r"""The evaluation of a learner by the bootstrap.

    oob      the mean score of models of rows drawn with replacement, on the rows left out
    resub    the score of a model of all rows on those same rows
    .632     0.368 resub + 0.632 oob
    .632+    (1 - w) resub + w oob,   w = 0.632 / (1 - 0.368 R),   R = (oob - resub) / (none - resub)

A model of a draw has seen 63.2% of the rows, so oob is pessimistic; resub is optimistic; .632 lies between.
If a learner memorises its rows, resub tells nothing, .632 is optimistic, and R, the relative overfitting, is
near 1: `none` is the score if predictions had nothing to do with the truth, the mean over predictions paired
with other rows' truths. R is kept within 0 and 1. An undefined score makes the estimate undefined.

The interval has the standard error of the rows left out, about the estimate: see `spread`. `resub` depends on
the sample too, so its part of the estimate makes the interval no narrower.
"""

from dataclasses import dataclass, replace
from typing import NamedTuple

import numpy as np

from openbook.errors import DataError
from openbook.judge.chance.intervals import Interval
from openbook.judge.chance.spread import Spread
from openbook.judge.folds.evaluation import Evaluation, Which
from openbook.judge.folds.results import FoldResult
from openbook.judge.scores.metrics import Metric, Predictions
from openbook.words.numbers import shown
from openbook.work import Grid

#: The share of the rows that a draw of n holds, for large n: 1 - 1/e, as it is always written.
SEEN = 0.632
#: How many ways of pairing predictions with other rows' truths are tried, where not all are.
_PAIRINGS = 200


class Estimate(NamedTuple):
    """Both estimates of a score, and what they are made of."""

    out_of_bag: float
    resubstitution: float
    plain: float
    overfitting: float
    plus: float


@dataclass(frozen=True, repr=False, eq=False)
class BootstrapEvaluation(Evaluation):
    """The predictions of a learner for the rows that each draw left out, and for its training rows.

    Parameters
    ----------
    name, task, classes, folds, metrics, words : as for `Evaluation`; a fold is a draw
    resubstitution : the FoldResult of a model of all rows on those rows
    plus : whether to report .632+ and not .632
    """

    resubstitution: FoldResult | None = None
    plus: bool = True

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.resubstitution is None:
            raise DataError(f"{self.name}: the .632 estimate needs the predictions of a model of all rows")

    @property
    def averaging(self) -> str:
        return "scores combine those of the draws with that of a model of all rows"

    def estimate(self, which: Which = None) -> Estimate:
        """The estimates and what they are made of."""
        function = self.metric(which)
        assert self.resubstitution is not None
        own = self.resubstitution.predictions(self.n_classes)
        oob, resub = self.mean(function), function(own)
        none = _no_information(function, own)
        bounded = float(np.clip(oob, min(resub, none), max(resub, none)))
        overfitting = (bounded - resub) / (none - resub) if none != resub else 0.0
        weight = SEEN / (1 - (1 - SEEN) * overfitting)
        plain = (1 - SEEN) * resub + SEEN * oob
        return Estimate(oob, resub, plain, overfitting, (1 - weight) * resub + weight * bounded)

    def _spread(self, function: Metric) -> Spread:
        """The spread of the rows left out, about the .632 or .632+ estimate."""
        estimate = self.estimate(function)
        return replace(super()._spread(function), score=estimate.plus if self.plus else estimate.plain)

    def interval(self, which: Which = None, level: float = 0.95) -> Interval:
        interval = super().interval(which, level)
        about = f"about the .632{'+' if self.plus else ''} estimate"
        return replace(interval, method=f"{interval.method}, {about}")

    def _grids(self) -> list[Grid]:
        rows = [(function.words, *map(shown, self.estimate(function))) for function in self._shown()]
        header = ("metric", "out-of-bag", "resubstitution", ".632", "overfitting", ".632+")
        return [*super()._grids(), Grid("How the estimates are computed", header, rows)]


def _no_information(function: Metric, own: Predictions) -> float:
    """The score of predictions that are paired with the truths of other rows, in the mean."""
    n = len(own.truth)
    order = np.random.default_rng(0).permutation(n)
    shifts = range(n) if n <= _PAIRINGS else np.linspace(0, n - 1, _PAIRINGS).astype(int)
    truths = own.truth[order]
    shuffled = own.take(order)
    return float(np.mean([function(shuffled._replace(truth=np.roll(truths, shift))) for shift in shifts]))
