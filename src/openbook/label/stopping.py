r"""When more labels stop paying off.

    u      mean of 1 - max_c P(c | x) over the U rows without a label: the share of errors that the classifier
           expects among them
    gain   -slope of u over the last labels · U: errors that one more label spares
    stop   when the gain is below what a label costs, or all the errors left, u U, are

The cost of a label is counted in errors: at 1, a label is worth having as long as it spares more than one
wrong prediction. The slope is that of the least squares line through u over the last 10 labels. Where u
rises as fast as that, by more than two standard errors of the slope, the classifier is finding out how little
it knows, and labels still pay. A classifier that is too sure of itself expects too few errors, so the rule is
a guide, not a guarantee: rows drawn at random and labelled tell the true share.

trace : (labels, u) pairs, in the order of teaching
"""

from dataclasses import dataclass

import numpy as np

from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: Labels over which the gain is measured.
WINDOW = 10


@dataclass(frozen=True)
class Stopping:
    """Whether another label is worth its cost.

    Attributes
    ----------
    trace : tuple of (int, float)
        The number of labels, and the share of errors that the classifier expected then.
    n_left : int
        How many rows have no label.
    cost : float
        What a label costs, where a wrong prediction costs 1.

    Notes
    -----
    Guide: docs/guide/asking.md

    Examples
    --------
    >>> fast = tuple((n, 0.5 - n / 100) for n in range(10, 25))
    >>> Stopping(fast, n_left=1000, cost=1.0).stop
    False
    >>> Stopping(fast, n_left=50, cost=1.0).stop
    True
    """

    trace: tuple[tuple[int, float], ...]
    n_left: int
    cost: float = 1.0

    @property
    def window(self) -> np.ndarray:
        """The last points of the trace, one for each label, (n, 2)."""
        points = np.array([*dict(self.trace).items()], dtype=float).reshape(-1, 2)
        return points[points[:, 0] >= points[-1, 0] - WINDOW] if len(points) else points

    @property
    def enough(self) -> bool:
        """Whether there were labels enough to measure the gain."""
        labels = self.window[:, 0]
        return len(labels) > 2 and bool(labels[-1] - labels[0] >= WINDOW)

    @property
    def errors_left(self) -> float:
        """The errors that the classifier expects among the rows without a label."""
        return self.trace[-1][1] * self.n_left if self.trace else float("nan")

    @property
    def gain(self) -> float:
        """The errors that another label is expected to spare; below 0 where more are expected."""
        return -self._slope() * self.n_left if self.enough else float("nan")

    @property
    def stop(self) -> bool:
        """Whether another label costs more than it brings."""
        if not self.n_left:
            return True
        return self.enough and (self.errors_left < self.cost or (self.gain < self.cost and not self._rises))

    def _slope(self) -> float:
        labels, shares = self.window.T
        apart = labels - labels.mean()
        return float(apart @ (shares - shares.mean()) / (apart @ apart))

    @property
    def _rises(self) -> bool:
        """Whether the errors expected rise by more than a label costs, and by more than chance explains."""
        labels, shares = self.window.T
        apart = labels - labels.mean()
        left = shares - shares.mean() - self._slope() * apart
        error = float(np.sqrt(left @ left / (len(labels) - 2) / (apart @ apart)))
        return -self.gain >= max(self.cost, 2 * error * self.n_left)

    def __str__(self) -> str:
        if not self.n_left:
            return "Every row has a label."
        if not self.enough:
            labels = self.window[:, 0]
            more = WINDOW - int(labels[-1] - labels[0]) if len(labels) else WINDOW
            return f"Whether more labels pay can be told after {plural(more, 'more label')}."
        rows = plural(self.n_left, "row")
        errors = f"about {self.errors_left:,.1f} errors are expected among the {rows} without a label"
        spared = (
            f"another label spares about {max(self.gain, 0.0):,.1f} of them and costs {figure(self.cost)}"
        )
        if self.stop and self.errors_left < self.cost:
            return f"You may stop: {errors}, fewer than a label costs ({figure(self.cost)})."
        if self.stop:
            return f"You may stop: {errors}; {spared}."
        if self._rises:
            return f"Go on: {errors}, and more with each label: the classifier had been too sure of itself."
        return f"Go on: {errors}; {spared}."

    def work(self) -> Work:
        """How the gain was found.

        Returns
        -------
        Work
        """
        rows = [(int(n), float(u)) for n, u in self.window]
        grid = Grid(
            "the last labels", ("labels", "u"), rows, "u: share of errors that the classifier expects"
        )
        if not self.enough:
            return Work("When to stop asking", (grid,), str(self))
        slope = self._slope()
        parts = (
            Step("b", r"\frac{\sum (n - \bar{n})(u - \bar{u})}{\sum (n - \bar{n})^2}", "", slope, "slope"),
            Step("gain", r"-b U", rf"-({figure(slope)}) \cdot {self.n_left}", -slope * self.n_left),
            Step("errors left", r"u U", f"{figure(rows[-1][1])} \\cdot {self.n_left}", self.errors_left),
        )
        return Work("When to stop asking", (grid, *parts), str(self))
