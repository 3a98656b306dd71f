r"""Calibration: whether events of predicted probability p occur in a share p of the cases.

    Brier       mean (p - y)²,  y = 1 for positive rows and 0 else
    log loss    mean -ln P(truth); a probability of 0 counts as 2^-52, as it does in scikit-learn
    ECE         Σ_b n_b/n |p̄_b - ȳ_b| over bins b of like probabilities

    Brier = reliability - resolution + uncertainty + within    (Murphy 1973; within: Stephenson et al. 2008)
            Σ n_b/n (p̄_b - ȳ_b)²       Σ n_b/n (ȳ_b - ȳ)²      ȳ (1 - ȳ)      spread of p inside its bin

The Brier score is that of the metric "brier", 0 to 1, of the class against the rest: with two classes both
are the same. A bin's share has Wilson's interval; the losses' are t intervals over rows. Bins
without rows are left out.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np

from openbook.draw import Picture
from openbook.errors import DataError, ParameterError, check_named
from openbook.judge.chance.intervals import Interval, wilson
from openbook.judge.chance.means import t_interval
from openbook.judge.scores.metrics import Predictions, brier_losses, surprise
from openbook.judge.scores.two_kinds import Scored
from openbook.words.numbers import figure, fraction, shown
from openbook.words.parameters import documented
from openbook.work import Grid, Step, Work

_STRATEGIES = ("uniform", "quantile")


class Bin(NamedTuple):
    """Rows of like probability: its range, how many, their mean probability, the share that is positive."""

    low: float
    high: float
    n: int
    predicted: float
    observed: float
    interval: Interval


@documented
@dataclass(frozen=True, repr=False, eq=False)
class Calibration(Scored):
    """The reliability curve of some probabilities.

    Attributes
    ----------
    truth : array-like
        Labels or booleans, one for each row.
    scores : array-like
        Probabilities of the positive class.
    positive : label, default=True
        Its label.
    n_bins : int, default=10
        The number of bins into which the probabilities are sorted.
    strategy : {"uniform", "quantile"}, default="uniform"
        Bins of equal width, or of equally many rows.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    >>> calibration = Calibration([0, 0, 1, 1], [0.1, 0.3, 0.6, 1.0])
    >>> round(calibration.brier, 4)  # (0.01 + 0.09 + 0.16 + 0) / 4
    0.065
    """

    n_bins: int = 10
    strategy: Literal["uniform", "quantile"] = "uniform"

    def __post_init__(self) -> None:
        super().__post_init__()
        beyond = (self.scores < 0) | (self.scores > 1)
        if beyond.any():
            row = int(np.argmax(beyond))
            raise DataError(f"row {row} has {self.scores[row]:g}, which is not a probability from 0 to 1")
        if self.n_bins < 1:
            raise ParameterError(f"n_bins must be at least 1, got {self.n_bins}")
        check_named("strategy", self.strategy, _STRATEGIES)

    @cached_property
    def losses(self) -> dict[str, np.ndarray]:
        """Each row's part in the Brier score and in the log loss."""
        truth, both = self.truth.astype(np.intp), np.column_stack([1 - self.scores, self.scores])
        predictions = Predictions(truth, truth, both, 2)
        return {"brier": brier_losses(predictions), "log_loss": surprise(predictions)}

    @property
    def share(self) -> float:
        """The share of the positive class."""
        return float(self.truth.mean())

    @property
    def predicted_share(self) -> float:
        """The mean probability of the positive class; near its share if probabilities are calibrated."""
        return float(self.scores.mean())

    @property
    def brier(self) -> float:
        return float(self.losses["brier"].mean())

    @property
    def log_loss(self) -> float:
        return float(self.losses["log_loss"].mean())

    def interval(self, which: str = "brier", level: float = 0.95) -> Interval:
        """The interval of "brier" or "log_loss".

        Parameters
        ----------
        which : str, default="brier"
        level : float, default=0.95

        Returns
        -------
        Interval
        """
        check_named("loss", which, self.losses)
        highest = {"brier": 1.0}.get(which, np.inf)
        return t_interval(self.losses[which], level).within(0, highest)

    @cached_property
    def _edges(self) -> np.ndarray:
        shares = np.arange(self.n_bins + 1) / self.n_bins
        return shares if self.strategy == "uniform" else np.unique(np.quantile(self.scores, shares))

    @cached_property
    def _bin_codes(self) -> tuple[np.ndarray, np.ndarray]:
        """Each row's bin among the bins with rows, from 0, and the numbers of these among all bins."""
        numbers = np.searchsorted(self._edges[1:-1], self.scores)
        occurring, codes = np.unique(numbers, return_inverse=True)
        return codes, occurring

    @cached_property
    def bins(self) -> tuple[Bin, ...]:
        """The bins that hold rows."""
        codes, numbers = self._bin_codes
        n, hits = np.bincount(codes), np.bincount(codes, weights=self.truth)
        predicted = np.bincount(codes, weights=self.scores) / n
        low, high = (self._edges[np.minimum(numbers + end, len(self._edges) - 1)] for end in (0, 1))
        intervals = [wilson(int(h), int(m)) for h, m in zip(hits, n, strict=True)]
        columns = (each.tolist() for each in (low, high, n, predicted, hits / n))
        return tuple(map(Bin, *columns, intervals))

    @property
    def ece(self) -> float:
        """The expected calibration error: how far bins lie from the diagonal, in the mean over rows."""
        return sum(b.n * abs(b.predicted - b.observed) for b in self.bins) / len(self.scores)

    @cached_property
    def parts(self) -> dict[str, float]:
        """What the Brier score is made of: reliability - resolution + uncertainty + within."""
        n, base = np.array([b.n for b in self.bins]) / len(self.scores), float(self.truth.mean())
        predicted, observed = (
            np.array([getattr(b, of) for b in self.bins]) for of in ("predicted", "observed")
        )
        codes, _ = self._bin_codes
        off, hit = self.scores - predicted[codes], self.truth - observed[codes]
        return {
            "reliability": float(n @ (predicted - observed) ** 2),
            "resolution": float(n @ (observed - base) ** 2),
            "uncertainty": base * (1 - base),
            "within": float((off * off - 2 * off * hit).mean()),
        }

    def work(self) -> Work:
        """The bins, the losses, and what the Brier score is made of."""
        rows = [
            (
                f"{figure(b.low)} to {figure(b.high)}",
                b.n,
                shown(b.predicted),
                shown(b.observed),
                b.interval.ends,
            )
            for b in self.bins
        ]
        header = ("probability", "rows", "mean probability", "share positive", "interval")
        grid = Grid("Bins", header, rows, "Intervals of the shares: 95%, Wilson.")
        n, parts = len(self.scores), self.parts
        brier, log_loss = (fraction(figure(float(losses.sum())), n) for losses in self.losses.values())
        reliability, resolution, uncertainty, within = parts.values()
        again = r"\text{reliability} - \text{resolution} + \text{uncertainty} + \text{within bins}"
        numbers = "{} - {} + {} + ({})".format(*(figure(part) for part in parts.values()))
        total = reliability - resolution + uncertainty + within
        steps = (
            Step("Brier", r"\frac{1}{n} \sum_i (p_i - y_i)^2", brier, self.brier),
            Step("log loss", r"-\frac{1}{n} \sum_i \ln P(y_i)", log_loss, self.log_loss),
            Step("reliability", r"\sum_b \frac{n_b}{n} (\bar{p}_b - \bar{y}_b)^2", result=reliability),
            Step("resolution", r"\sum_b \frac{n_b}{n} (\bar{y}_b - \bar{y})^2", result=resolution),
            Step("uncertainty", r"\bar{y} (1 - \bar{y})", result=uncertainty),
            Step("within bins", result=within, note="from the spread of probabilities inside a bin"),
            Step("Brier again", again, numbers, total),
            Step("ECE", r"\sum_b \frac{n_b}{n} |\bar{p}_b - \bar{y}_b|", result=self.ece),
        )
        ends = [
            f"Brier {shown(self.brier)} {self.interval()}",
            f"log loss {shown(self.log_loss)} {self.interval('log_loss')}",
        ]
        return Work(f"Calibration, {self.positive} is positive", (grid, *steps), "; ".join(ends))

    def draw(self) -> Picture:
        """The reliability curve: bins near the diagonal are well calibrated."""
        from openbook.judge.scores.score_pictures import draw_calibration

        return draw_calibration(self)
