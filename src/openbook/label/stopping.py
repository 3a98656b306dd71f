r"""When more labels stop paying off.

    u      mean of 1 - max_c P(c | x) over the U rows without a label: the share of errors that the classifier
           expects among them
    e      (k + 1) / (m + 2): the share of errors to expect, where models that did not see them predict k of m
           labelled rows wrongly that were not asked for (Laplace's estimate)
    gain   -slope of u over the last labels · e / ū · U: errors that one more label spares
    stop   when the gain and two standard errors of it are below what a label costs, or all the errors left,
           e U, are

A classifier that is too sure of itself expects too few errors: naive Bayes of the digits 1 in 200, where 1 in
4 is wrong. So u tells how the errors change, and e how many they are. It is compared with its mean ū over the
last labels, since that of a classifier that is nearly sure of all rows jumps from label to label. The cost of
a label is counted in errors: at 1, a label is worth having as long as it spares more than one wrong
prediction. The slope is that of the least squares line through u over the last 10 labels, and so is its
standard error. Where u rises as fast as that, by more than two standard errors, the classifier is finding out
how little it knows, and labels still pay.

trace : (labels, u) pairs, in the order of teaching
"""

from dataclasses import dataclass

import numpy as np

from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: Labels over which the gain is measured, and labelled rows not asked for that tell the share of errors.
WINDOW, CHECKED = 10, 10


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
    checked : tuple of (int, int) or None
        Of the labelled rows that were not asked for, how many are predicted wrongly by models that did not
        see them, and how many there are; None to believe what the classifier expects.

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
    >>> round(Stopping(fast, n_left=50, checked=(29, 58)).errors_left)  # 50 · 30/60, not 50 · 0.26
    25
    """

    trace: tuple[tuple[int, float], ...]
    n_left: int
    cost: float = 1.0
    checked: tuple[int, int] | None = None

    @property
    def window(self) -> np.ndarray:
        """The last points of the trace, one for each label, (n, 2)."""
        points = np.array([*dict(self.trace).items()], dtype=float).reshape(-1, 2)
        return points[points[:, 0] >= points[-1, 0] - WINDOW] if len(points) else points

    @property
    def more(self) -> tuple[int, int]:
        """How many more labels it takes to tell, and how many more of rows drawn at random."""
        labels = self.window[:, 0]
        seen = int(labels[-1] - labels[0]) if len(labels) > 2 else 0
        drawn = CHECKED if self.checked is None else self.checked[1]
        return max(WINDOW - seen, 0), max(CHECKED - drawn, 0)

    @property
    def enough(self) -> bool:
        """Whether there were labels enough to measure the gain."""
        return self.more == (0, 0)

    @property
    def share(self) -> float:
        """The share of errors to expect among the rows without a label."""
        if self.checked is None:
            return self.trace[-1][1] if self.trace else float("nan")
        wrong, rows = self.checked
        return (wrong + 1) / (rows + 2)

    @property
    def shares(self) -> list[float]:
        """The share of errors to expect, as it was after each lesson: e / ū times what was expected then."""
        return [u * self._ratio for _, u in self.trace]

    @property
    def _ratio(self) -> float:
        """How many errors are to be expected for each one that the classifier expected of late."""
        if self.checked is None or not self.trace:
            return 1.0
        return self.share / self._mean if self._mean else 1.0

    @property
    def _mean(self) -> float:
        return float(self.window[:, 1].mean())

    @property
    def errors_left(self) -> float:
        """The errors to expect among the rows without a label."""
        return self.share * self.n_left

    @property
    def gain(self) -> float:
        """The errors that another label is expected to spare; below 0 where more are expected."""
        return -self._slope() * self._ratio * self.n_left if self.enough else float("nan")

    @property
    def most(self) -> float:
        """The errors that another label may spare: the gain and two standard errors of it."""
        return self.gain + 2 * self._error if self.enough else float("nan")

    @property
    def stop(self) -> bool:
        """Whether another label costs more than it brings."""
        if not (self.n_left and self.enough):
            return not self.n_left
        idle = self.most < self.cost and not self._rises and not self._sure
        return self.errors_left < self.cost or idle

    @property
    def _sure(self) -> bool:
        """Whether the classifier is sure of every row: what it expects then tells nothing."""
        return self.trace[-1][1] == 0

    def _slope(self) -> float:
        labels, shares = self.window.T
        apart = labels - labels.mean()
        return float(apart @ (shares - shares.mean()) / (apart @ apart))

    @property
    def _error(self) -> float:
        """The standard error of the gain."""
        labels, shares = self.window.T
        apart = labels - labels.mean()
        left = shares - shares.mean() - self._slope() * apart
        slope = float(np.sqrt(left @ left / (len(labels) - 2) / (apart @ apart)))
        return slope * self._ratio * self.n_left

    @property
    def _rises(self) -> bool:
        """Whether the errors expected rise by more than a label costs, and by more than chance explains."""
        return -self.gain >= max(self.cost, 2 * self._error)

    def __str__(self) -> str:
        if not self.n_left:
            return "Every row has a label."
        if not self.enough:
            labels, drawn = self.more
            of_rows = f"{plural(drawn, 'more label')} of rows drawn at random"
            more = of_rows if drawn >= labels else plural(labels, "more label")
            if 0 < drawn < labels:
                more += f", {drawn} of them of rows drawn at random"
            return f"Whether more labels pay can be told after {more}."
        rows = plural(self.n_left, "row")
        errors = f"about {_about(self.errors_left)} errors are expected among the {rows} without a label"
        spared = (
            f"another label spares about {_about(max(self.gain, 0.0))} of them, give or take"
            f" {_about(2 * self._error)}, and costs {figure(self.cost)}"
        )
        if self.stop and self.errors_left < self.cost:
            return f"You may stop: {errors}, fewer than a label costs ({figure(self.cost)})."
        if self.stop:
            return f"You may stop: {errors}; {spared}."
        if self._sure:
            return f"Go on: {errors}; the classifier, sure of every row, cannot tell what a label spares."
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
        slope, share, left = self._slope(), figure(self.share), self.n_left
        steps = [
            Step("b", r"\frac{\sum (n - \bar{n})(u - \bar{u})}{\sum (n - \bar{n})^2}", "", slope, "slope"),
            Step("gain", r"-b U", rf"-({figure(slope)}) \cdot {left}", self.gain),
            Step("errors left", r"u U", rf"{share} \cdot {left}", self.errors_left),
            Step("most", r"gain + 2 se", result=self.most, note="the gain and two standard errors of it"),
        ]
        if self.checked is not None:
            wrong, n = self.checked
            note = f"{wrong} of {plural(n, 'labelled row')} not asked for, by models that did not see them"
            level = Step("e", r"\frac{k + 1}{m + 2}", rf"\frac{{{wrong} + 1}}{{{n} + 2}}", self.share, note)
            numbers = rf"-({figure(slope)}) \cdot \frac{{{share}}}{{{figure(self._mean)}}} \cdot {left}"
            steps[1] = Step("gain", r"-b \frac{e}{\bar{u}} U", numbers, self.gain)
            steps[2] = Step("errors left", r"e U", rf"{share} \cdot {left}", self.errors_left)
            steps.insert(1, level)
        return Work("When to stop asking", (grid, *steps), str(self))


def _about(count: float) -> str:
    """An estimated number of errors: from ten on, no decimals, which it could not support."""
    return f"{count:,.0f}" if count >= 10 else f"{count:.1f}"
