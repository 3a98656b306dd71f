r"""Functions as pictures: a loss surface with the way of gradient descent, a likelihood with a prior.

descent      θ ← θ - η ∇loss(θ), from a start, for each of several learning rates η
posterior    ∝ likelihood · prior; all three are drawn with area 1
"""

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import ArrayLike

from openbook.data import Categorical, Table
from openbook.draw.axes import Numbers
from openbook.draw.colours import COLOURS
from openbook.draw.picture import Picture
from openbook.draw.plot import Plot
from openbook.errors import DataError, ParameterError
from openbook.words.numbers import figure

#: Points of the grid across and up, levels of the loss, and points of a curve.
_GRID, _LEVELS, _POINTS = (140, 100), 12, 1200
#: A path ends beyond this many times 1 plus the largest start parameter, measured from the start.
_LOST = 6
#: Learning rates of the descent of a line, as parts of the one from which on it diverges.
_RATES = (0.1, 0.5, 1.2)


def draw_descent(
    loss: Callable[[np.ndarray], float],
    coef_init: ArrayLike,
    learning_rates: Sequence[float],
    *,
    gradient: Callable[[np.ndarray], np.ndarray] | None = None,
    max_iter: int = 30,
    names: tuple[str, str] | None = None,
) -> Picture:
    """A loss surface over two parameters, and the path of gradient descent for each learning rate.

    Parameters
    ----------
    loss : callable
        The loss of an array of two parameters.
    coef_init : array-like of shape (2,)
        The start of every path.
    learning_rates : sequence of float
        The step sizes, a path each.
    gradient : callable or None, default=None
        The gradient of the loss; None computes differences.
    max_iter : int, default=30
        The number of steps.
    names : tuple of str or None, default=None
        The names of the parameters; None for w0 and w1.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> draw_descent(lambda w: w[0] ** 2 + 4 * w[1] ** 2, (2, 1), (0.1, 0.3)).notes[1]
    'Learning rate 0.3: diverges; take smaller steps.'
    """
    begin = np.asarray(coef_init, dtype=float)
    if begin.shape != (2,) or not np.isfinite(begin).all():
        raise ParameterError(f"coef_init must be two numbers, got {coef_init!r}")
    slope = gradient if gradient is not None else differences(loss)
    paths = {rate: _path(loss, slope, begin, rate, max_iter) for rate in learning_rates}
    lowest = min((path[np.argmin([loss(w) for w in path])] for path in paths.values()), key=loss)
    reach = max(float(np.abs(begin - lowest).max()), 1e-9)
    near = [path[np.abs(path - lowest).max(axis=1) <= 2 * reach] for path in paths.values()]
    shown = np.concatenate([*near, [lowest - 0.6 * reach, lowest + 0.6 * reach]])
    low, high = shown.min(axis=0), shown.max(axis=0)
    across, up = names or ("w0", "w1")
    plot = Plot(Numbers.between(across, low[0], high[0]), Numbers.between(up, low[1], high[1]))
    _surface(plot, loss)
    notes = []
    for i, (rate, path) in enumerate(paths.items()):
        look, losses = f"c{(i + 1) % COLOURS}", [loss(w) for w in path]
        x, y = path.T
        plot.line(x, y, look, f"learning rate {rate:g}")
        plot.dots(x, y, f"dot {look}", [f"step {k}: {figure(l, 4)}" for k, l in enumerate(losses)])
        ended = f"loss {figure(losses[-1], 4)} after {len(path) - 1} steps"
        rises = losses[-1] > losses[0]
        notes.append(f"Learning rate {rate:g}: {'diverges; take smaller steps' if rises else ended}.")
    return plot.picture("Gradient descent on the loss surface", notes)


def differences(loss: Callable[[np.ndarray], float]) -> Callable[[np.ndarray], np.ndarray]:
    """The gradient of a loss, by central differences."""

    def slope(w: np.ndarray) -> np.ndarray:
        steps = 1e-6 * np.maximum(1.0, np.abs(w))
        return np.array([(loss(w + s) - loss(w - s)) / (2 * s.sum()) for s in np.diag(steps)])

    return slope


def _path(loss, slope, begin: np.ndarray, rate: float, max_iter: int) -> np.ndarray:  # type: ignore[no-untyped-def]
    """The parameters at the start and after each step, until they are too far away."""
    path, farthest = [begin], _LOST * (1 + np.abs(begin).max())
    for _ in range(max_iter):
        new = path[-1] - rate * np.asarray(slope(path[-1]), dtype=float)
        if not (np.abs(new - begin).max() <= farthest and np.isfinite(loss(new))):
            break
        path.append(new)
    return np.array(path)


def _surface(plot: Plot, loss: Callable[[np.ndarray], float]) -> None:
    """Shades and lines of equal loss, closer together where it is low."""
    assert isinstance(plot.across, Numbers)
    assert isinstance(plot.up, Numbers)
    ends = plot.across.span, plot.up.span
    x, y = (a + (b - a) * (np.arange(n) + 0.5) / n for (a, b), n in zip(ends, _GRID, strict=True))
    z = np.array([[loss(np.array([a, b])) for a in x] for b in y])
    share = np.sqrt((z - np.nanmin(z)) / (np.nanmax(z) - np.nanmin(z) or 1.0))
    codes = np.minimum((share * _LEVELS), _LEVELS - 1).astype(int)
    plot.regions(codes, [f"c0 s{1 + code}" for code in range(_LEVELS)])
    for level in range(1, _LEVELS):
        plot.contour(x, y, share, level / _LEVELS, "ink thin faint")


def draw_line_descent(table: Table, x: str, y: str) -> Picture:
    """The loss of a line, x from 0 to 1 and y in standard units, and gradient descent by three steps."""
    cells = table.block([x, y]).astype(float)
    across, up = cells[np.isfinite(cells).all(axis=1)].T
    across = (across - across.min()) / (np.ptp(across) or 1.0)
    up = (up - up.mean()) / (up.std() or 1.0)
    rows = np.column_stack([np.ones(len(across)), across])
    steepest = 2 / np.linalg.eigvalsh(2 * rows.T @ rows / len(rows))[-1]
    rates = [float(f"{part * steepest:.2g}") for part in _RATES]
    names = ("intercept", f"slope of {x}")
    return draw_descent(lambda w: float(np.mean((up - rows @ w) ** 2)), (-1.5, 1.5), rates, names=names)


def draw_likelihood(
    log_likelihood: Callable[[np.ndarray], ArrayLike],
    low: float,
    high: float,
    prior: Callable[[np.ndarray], ArrayLike] | None = None,
    name: str | None = None,
) -> Picture:
    """The likelihood of a parameter, and with a prior its posterior; the highest point of each is marked.

    Parameters
    ----------
    log_likelihood : callable
        The log-likelihood ln P(data | θ), of an array of parameters.
    low, high : float
        The parameters to draw it over.
    prior : callable or None, default=None
        The density of the prior, up to a factor.
    name : str or None, default=None
        The name of the parameter; None for θ.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> import numpy as np
    >>> heads = lambda p: 7 * np.log(p) + 3 * np.log(1 - p)  # 7 of 10
    >>> draw_likelihood(heads, 0, 1, prior=lambda p: p * (1 - p)).told
    'likelihood: highest at 0.7; prior: highest at 0.5; posterior: highest at 0.6667.'
    """
    name = name or "θ"
    at = low + (high - low) * (np.arange(_POINTS) + 0.5) / _POINTS
    with np.errstate(divide="ignore"):
        logs = np.asarray(log_likelihood(at), dtype=float)
        curves = {"likelihood": logs}
        if prior is not None:
            before = np.log(np.asarray(prior(at), dtype=float) * np.ones(len(at)))
            curves |= {"prior": before, "posterior": logs + before}
    densities = {word: _density(at, values) for word, values in curves.items()}
    highest = max(float(values.max()) for values in densities.values())
    plot = Plot(Numbers.between(name, low, high), Numbers.between("density", 0.0, highest))
    tops = []
    for i, (word, values) in enumerate(densities.items()):
        top = _top(at, curves[word])
        flat = np.ptp(values) <= 1e-9 * highest
        plot.band(at[::4], 0 * at[::4], values[::4], f"c{i}")
        plot.line(at[::4], values[::4], f"c{i}", word if flat else f"{word}: highest at {figure(top, 3)}")
        tops.append(f"{word}: {'flat' if flat else f'highest at {figure(top, 4)}'}")
        if not flat:
            plot.line([top, top], [0, values.max()], f"c{i} dashed")
    title = f"Likelihood of {name}" if prior is None else f"Likelihood, prior and posterior of {name}"
    return plot.picture(title, ["Each is drawn with area 1."], f"{'; '.join(tops)}.")


def draw_column_likelihood(table: Table, x: str) -> Picture:
    """The likelihood of the share of a column's most frequent value, or of the mean of its numbers."""
    column = table.column(x)
    known = column.data[~column.missing]
    if len(known) < 2:
        raise DataError(f"{x!r} has {len(known)} known cells; a likelihood needs more")
    if isinstance(column.attribute, Categorical):
        counts = np.bincount(known)
        often, rest = int(counts.max()), int(counts.sum() - counts.max())
        name = f"P({x} = {column.attribute.values[int(counts.argmax())]})"

        def log_share(p: np.ndarray) -> np.ndarray:
            return often * np.log(p) + rest * np.log(1 - p)

        return draw_likelihood(log_share, 0, 1, prior=lambda p: p * (1 - p), name=name)
    n, mean, s = len(known), float(known.mean()), float(known.std()) or 1.0
    ends = mean - 4 * s / np.sqrt(n), mean + 4 * s / np.sqrt(n)
    return draw_likelihood(lambda m: -n * (m - mean) ** 2 / (2 * s**2), *ends, name=f"mean of {x}")


def _top(at: np.ndarray, logs: np.ndarray) -> float:
    """Where a curve is highest: the vertex of the parabola through its highest point and those beside it."""
    i = int(np.argmax(logs))
    if not 0 < i < len(at) - 1 or not np.isfinite(logs[i - 1 : i + 2]).all():
        return float(at[i])
    before, top, after = logs[i - 1 : i + 2]
    bend = before - 2 * top + after
    return float(at[i] + (at[1] - at[0]) * (before - after) / (2 * bend)) if bend else float(at[i])


def _density(at: np.ndarray, logs: np.ndarray) -> np.ndarray:
    values = np.exp(logs - np.max(logs))
    return values / (values.sum() * (at[1] - at[0]))
