r"""Gradient descent on any function, step by step.

    w ← w - η ∇f(w)

The gradient is given, or found by differences. A path diverges if the function is higher at its end than at
its start, or no longer a number: the steps are too large.

path : float64 (n_steps + 1, d)
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from openbook.draw.functions import differences
from openbook.errors import ParameterError
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Step, Work


@dataclass(frozen=True, repr=False)
class DescentPath(ShowsWork):
    """The path of gradient descent.

    Attributes
    ----------
    path : ndarray of shape (n_steps + 1, d)
        The parameters at the start and after each step.
    losses : ndarray of shape (n_steps + 1,)
        The function there.
    gradients : ndarray of shape (n_steps + 1, d)
        Its gradient there.
    learning_rate_init : float
        The step size η.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> gradient_descent(lambda w: w[0] ** 2, 1.0, 2.0).diverges
    True
    """

    path: npt.NDArray[np.float64]
    losses: npt.NDArray[np.float64]
    gradients: npt.NDArray[np.float64]
    learning_rate_init: float

    @property
    def diverges(self) -> bool:
        """Whether the function is higher at the end than at the start."""
        return not self.losses[-1] <= self.losses[0]

    def work(self) -> Work:
        """The steps as a table.

        Returns
        -------
        Work
        """
        d = self.path.shape[1]
        names = ["w"] if d == 1 else [f"w{j}" for j in range(d)]
        header = ("step", *names, "f(w)", *(f"∂f/∂{name}" for name in names))
        lines = zip(self.path.tolist(), self.losses.tolist(), self.gradients.tolist(), strict=True)
        rows = [(step, *w, loss, *slope) for step, (w, loss, slope) in enumerate(lines)]
        steps = plural(len(rows) - 1, "step")
        first, last = (figure(float(loss)) for loss in self.losses[[0, -1]])
        end = f"f(w) fell from {first} to {last} in {steps}."
        if self.diverges:
            smaller = figure(self.learning_rate_init / 10)
            end = f"It diverges: f(w) rises. Take smaller steps, such as {smaller}."
        note = f"η = {figure(self.learning_rate_init)}"
        rule = Step("step", r"w \gets w - \eta \frac{\partial f}{\partial w}", note=note)
        return Work("Gradient descent", (rule, Grid("path", header, rows)), end)


def gradient_descent(
    loss: Callable[[npt.NDArray[np.float64]], float],
    coef_init: npt.ArrayLike,
    learning_rate_init: float,
    *,
    gradient: Callable[[npt.NDArray[np.float64]], npt.ArrayLike] | None = None,
    max_iter: int = 10,
) -> DescentPath:
    """Follow the gradient of a function downhill; `draw_descent` of `openbook.draw` draws such paths.

    Parameters
    ----------
    loss : callable
        The function, of an array of parameters.
    coef_init : array-like of shape (d,)
        The start of the path; a number for one parameter.
    learning_rate_init : float
        The step size η.
    gradient : callable or None, default=None
        The gradient of the function; None computes differences.
    max_iter : int, default=10
        The number of steps; fewer if the function becomes NaN.

    Returns
    -------
    DescentPath
        With `path`, `losses`, `gradients` and `work()`.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> slope = lambda w: 2 * (w - 3)
    >>> found = gradient_descent(lambda w: (w[0] - 3) ** 2, 0, 0.25, gradient=slope, max_iter=3)
    >>> found.path.ravel().tolist()  # halfway to 3 with every step
    [0.0, 1.5, 2.25, 2.625]
    """
    w = np.atleast_1d(np.asarray(coef_init, dtype=float))
    if w.ndim != 1 or not np.isfinite(w).all():
        raise ParameterError(f"coef_init must be a list of finite numbers, got {coef_init!r}")
    slope = differences(loss) if gradient is None else gradient
    path, losses, gradients = [w], [float(loss(w))], [np.asarray(slope(w), dtype=float)]
    with np.errstate(over="ignore", invalid="ignore"):
        for _ in range(max_iter):
            w = w - learning_rate_init * gradients[-1]
            value = float(loss(w)) if np.isfinite(w).all() else np.nan
            if not np.isfinite(value):
                break
            path.append(w)
            losses.append(value)
            gradients.append(np.asarray(slope(w), dtype=float))
    return DescentPath(np.array(path), np.array(losses), np.array(gradients), float(learning_rate_init))
