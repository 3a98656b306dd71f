"""Tables as pictures: scatter plots, histograms, boxes, correlations, parallel lines.

Every column keeps its kind: numbers have an axis, categories a band for each value. A row whose cell is
missing is left out of the picture of that cell, and the note says how many.

    correlation of numbers            Pearson's r, of the rows that know both
    of a category and a number        η = √(between groups / total sum of squares)
    of two categories                 Cramér's V = √(χ² / (n · (min(rows, columns) - 1)))
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from openbook.data import Categorical, Numeric, Table, read
from openbook.draw.axes import Blank, Categories, Numbers
from openbook.draw.columns import (
    ColumnAxis,
    Groups,
    column_of,
    drawable,
    drawn_rows,
    number_axis,
    numbers_of,
    rows_drawn,
    value_words,
)
from openbook.draw.heat import heat_map
from openbook.draw.letters import clip
from openbook.draw.picture import Picture
from openbook.draw.pixels import draw_pixels
from openbook.draw.plot import FRAME, Plot, panels
from openbook.draw.space import draw_scatter_3d
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.words.numbers import figure
from openbook.words.sentences import plural

#: Columns of a matrix of scatter plots, of a correlation map, of parallel lines; plots of several columns.
_MOST_SCATTERED, _MOST_CORRELATED, _MOST_PARALLEL, _MOST_PLOTS = 6, 20, 12, 9
#: Lines that can be told apart.
_MOST_LINES, _FEW_LINES = 300, 40
_MOST_BINS, _FEW = 40, 12
_SMALL, _SMALLER = (230, 150), (140, 125)


def draw_table(
    table: Any,
    x: str | None = None,
    y: str | None = None,
    z: str | None = None,
    *,
    colour: str | None = None,
    picture: str | None = None,
) -> Picture:
    """A picture of a table, chosen by the given columns, like `openbook draw table.csv`.

    Parameters
    ----------
    table : table-like
        The rows.
    x, y, z : str or None, default=None
        Columns: x, y and z give a scatter plot in three dimensions, x and y one in two, x alone a histogram,
        and none of them the matrix of all pairs.
    colour : str or None, default=None
        The column that colours rows, or whose values have a box each.
    picture : {"matrix", "histograms", "boxes", "correlations", "parallel", "pixels"} or None, default=None
        Another picture of all columns, or of those given.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> from openbook import load
    >>> draw_table(load("iris"), "petal width (cm)", colour="species").title
    'Histogram of petal width (cm) by species'
    >>> draw_table(load("loan"), picture="correlations").title
    'Correlations'
    """
    given = [name for name in (x, y, z) if name is not None]
    if given != [x, y, z][: len(given)]:
        raise ParameterError("give x before y, and y before z")
    columns = given or None
    if picture is None:
        if x is not None and y is not None:
            if z is not None:
                return draw_scatter_3d(table, x, y, z, colour)
            return draw_scatter(table, x, y, colour)
        picture = "histograms" if given else "matrix"
    if picture == "pixels":
        return draw_pixels(read(table) if colour is None else read(table).drop(colour))
    if picture == "correlations":
        return draw_correlations(table, columns)
    kinds: dict[str, Callable[..., Picture]] = {
        "matrix": draw_scatter_matrix,
        "histograms": draw_histograms,
        "boxes": draw_boxes,
        "parallel": draw_parallel,
    }
    if picture not in kinds:
        known = did_you_mean(picture, (*kinds, "correlations", "pixels"))
        raise ParameterError(f"no picture {picture!r} of a table. {known}")
    return kinds[picture](table, columns, colour)


def draw_scatter(table: Any, x: str, y: str, colour: str | None = None) -> Picture:
    """Scatter plot: a dot for each row by two columns.

    Parameters
    ----------
    table : table-like
        The rows.
    x, y : str
        The columns across and up; the bands of a category are as wide as its dots need.
    colour : str or None, default=None
        The column that colours the dots: a category by its values, numbers by fifths of the rows.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> from openbook import load
    >>> picture = draw_scatter(load("iris"), "petal length (cm)", "petal width (cm)", "species")
    >>> picture.notes
    ('150 rows.',)
    """
    rows = read(table)
    groups = _groups(rows, colour)
    across, up = ColumnAxis.of(rows, x), ColumnAxis.of(rows, y)
    plot = Plot(across.axis, up.axis)
    drawn = groups.dots(plot, across.values(rows), up.values(rows), aside=True)
    return plot.picture(f"{y} by {x}", [_drawn(drawn, len(rows), across.values(rows), up.values(rows))])


def draw_scatter_matrix(
    table: Any, columns: Sequence[str] | None = None, colour: str | None = None
) -> Picture:
    """Scatter matrix: every pair of columns, and histograms on the diagonal.

    Parameters
    ----------
    table : table-like
        The rows.
    columns : sequence of str or None, default=None
        The columns; None for the first six that vary, without the one that colours.
    colour : str or None, default=None
        The column that colours the dots.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> from openbook import load
    >>> picture = draw_scatter_matrix(load("iris"), colour="species")
    >>> picture.title
    '4 columns by each other'
    """
    rows = read(table)
    groups = _groups(rows, colour)
    names = _chosen(rows, columns, colour, _MOST_SCATTERED)
    axes = [ColumnAxis.of(rows, name) for name in names]
    plots = []
    for up in axes:
        for across in axes:  # axes are named at the edge of the matrix alone
            x = across.axis if up is axes[-1] else replace(across.axis, name="")
            if up is across:
                plots.append(_bins(rows, across, groups, x, "rows" if across is axes[0] else "", _SMALLER))
                continue
            plot = Plot(x, up.axis if across is axes[0] else replace(up.axis, name=""), _SMALLER)
            groups.dots(plot, across.values(rows), up.values(rows), aside=True, size=2.5)
            plots.append(plot)
    notes = [f"{plural(len(rows), 'row')}; on the diagonal, how many have a value."]
    title = f"{plural(len(names), 'column')} by each other"
    return panels(plots, [""] * len(plots), len(axes), title, notes)


def draw_histograms(
    table: Any, columns: str | Sequence[str] | None = None, by: str | None = None, bins: int | None = None
) -> Picture:
    """Histograms: how many rows of each class have a value, stacked.

    Parameters
    ----------
    table : table-like
        The rows.
    columns : str, sequence of str or None, default=None
        The columns, a histogram each; None for the first nine that vary, without `by`.
    by : str or None, default=None
        The column whose values colour the bars; None for one colour.
    bins : int or None, default=None
        The number of bins of equal width, for numbers; None by the rule of Freedman and Diaconis.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> from openbook import load
    >>> draw_histograms(load("weather"), "outlook", by="play").told
    'outlook: overcast 4, rain 5, sunny 5.'
    """
    if bins is not None and (not isinstance(bins, int) or bins < 1):
        raise ParameterError(f"bins must be a whole number of at least 1, got {bins!r}")
    rows = read(table)
    groups = _groups(rows, by)
    names = _chosen(rows, columns, by, _MOST_PLOTS)
    descriptions, plots = [], []
    for name in names:
        column = ColumnAxis.of(rows, name)
        size = FRAME if len(names) == 1 else _SMALL
        plots.append(_bins(rows, column, groups, column.axis, "rows", size, bins))
        known = column.values(rows)[np.isfinite(column.values(rows))]
        if column.bands is not None:
            pairs = zip(column.axis.values, np.bincount(known.astype(int)), strict=True)
            words = ", ".join(f"{value} {count:,}" for value, count in pairs)
        else:
            ends = (value_words(column.attribute, float(end)) for end in (known.min(), known.max()))
            words = f"{len(known):,} rows from {' to '.join(ends)}"
        descriptions.append(f"{name}: {words}.")
    return _panels(plots, names, "Histogram", by, rows, " ".join(descriptions))


def _bins(
    rows: Table,
    own: ColumnAxis,
    groups: Groups,
    across: Numbers | Categories,
    name: str,
    size: tuple[int, int],
    bins: int | None = None,
) -> Plot:
    """The rows in each bin or with each value, one group on top of the other."""
    values = own.values(rows)
    known = np.isfinite(values)
    edges = _edges(values[known], bins) if own.bands is None else np.arange(len(own.bands) + 1) - 0.5
    gap = 0.0 if own.bands is None else 0.18
    highest = np.histogram(values[known], edges)[0].max(initial=1)
    plot = Plot(across, Numbers.between(name, 0.0, max(float(highest), 4.0)), size)
    below = np.zeros(len(edges) - 1)
    for word, look, part in groups.parts():
        counts = np.histogram(values[part][known[part]], edges)[0]
        bars, above = np.flatnonzero(counts), below + counts
        captions = [f"{word or 'rows'}: {counts[k]:,}" for k in bars]
        ends = edges[bars] + gap, edges[bars + 1] - gap
        plot.boxes(ends, (below[bars], above[bars]), look, captions)
        below = above
    groups.legend(plot)
    return plot


def _edges(known: np.ndarray, bins: int | None) -> np.ndarray:
    """The edges of bins of equal width; of few numbers in even steps, such as 1 to 6, a bin around each."""
    distinct = np.unique(known)
    if not len(distinct):
        return np.array([0.0, 1.0])
    if bins is not None:
        return np.histogram_bin_edges(known, bins)
    gap = np.diff(distinct).min(initial=np.inf)
    steps = (distinct - distinct[0]) / gap
    few = 1 < len(distinct) <= _FEW and steps[-1] <= 2 * _FEW
    if few and np.allclose(steps, np.round(steps)):
        return distinct[0] + gap * (np.arange(round(steps[-1]) + 2) - 0.5)
    wide = 2 * np.subtract(*np.quantile(known, (0.75, 0.25))) / len(known) ** (1 / 3)
    count = int(np.clip(np.ceil(np.ptp(known) / wide), 1, _MOST_BINS)) if wide > 0 else _MOST_BINS // 2
    return np.histogram_bin_edges(known, count)


def draw_boxes(table: Any, columns: str | Sequence[str] | None = None, by: str | None = None) -> Picture:
    """Box plots of columns of numbers, a box for each class.

    The box holds the middle half of the rows, a line is the median, whiskers reach to the last rows within
    1.5 times the box (Tukey), and dots are the rows beyond.

    Parameters
    ----------
    table : table-like
        The rows.
    columns : str, sequence of str or None, default=None
        The columns, a plot each; None for the first nine of numbers that vary.
    by : str or None, default=None
        The category whose values have a box each; None for one box.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> from openbook import load
    >>> draw_boxes(load("iris"), "petal width (cm)", by="species").told
    'petal width (cm): setosa median 0.2, versicolor median 1.3, virginica median 2.'
    """
    rows = read(table)
    names = _chosen(rows, columns, by, _MOST_PLOTS, Numeric)
    groups = _groups(rows, by)
    parts = list(groups.parts())
    plots, descriptions = [], []
    for name in names:
        values = numbers_of(rows, name, "a box plot")
        bands = Categories(by or "", tuple(word or name for word, _, _ in parts))
        size = FRAME if len(names) == 1 else _SMALL
        lowest, highest = np.nanmin(values, initial=np.inf), np.nanmax(values, initial=-np.inf)
        attribute = rows.schema[name]
        plot = Plot(bands, number_axis(attribute, np.linspace(lowest, highest, 50)), size)
        medians = []
        for at, (word, look, part) in enumerate(parts):
            known = values[part][np.isfinite(values[part])]
            if len(known):
                median = _box(plot, at, known, look, partial(value_words, attribute))
                medians.append(f"{word} median {value_words(attribute, median)}".strip())
        plots.append(plot)
        descriptions.append(f"{name}: {', '.join(medians)}.")
    return _panels(plots, names, "Box plot", by, rows, " ".join(descriptions))


def _box(plot: Plot, at: int, known: np.ndarray, look: str, words: Callable[[float], str]) -> float:
    """Draw a box with its whiskers; the median."""
    low, median, high = np.quantile(known, (0.25, 0.5, 0.75))
    reach = 1.5 * (high - low)
    near = known[(known >= low - reach) & (known <= high + reach)]
    ends = f"{words(near.min())} to {words(near.max())}"
    for start, end in ((near.min(), low), (high, near.max())):
        plot.line([at, at], [start, end], look)
    half = f"{words(low)} to {words(high)}"
    told = f"{len(known):,} rows: median {words(median)}, half in {half}, whiskers {ends}"
    plot.boxes(([at - 0.3], [at + 0.3]), ([low], [high]), f"{look} pale", [told])
    plot.line([at - 0.3, at + 0.3], [median, median], look)
    beyond = known[(known < near.min()) | (known > near.max())]
    plot.dots(np.full(len(beyond), at), beyond, f"dot {look}", [words(value) for value in beyond], size=3)
    return float(median)


def draw_correlations(table: Any, columns: Sequence[str] | None = None) -> Picture:
    """Correlation map: how strongly each pair of columns is associated, whatever their kinds.

    Two columns of numbers have Pearson's r, a category and a number the correlation ratio η, two categories
    Cramér's V; the last two have no sign. Each pair is measured on the rows that know both.

    Parameters
    ----------
    table : table-like
        The rows.
    columns : sequence of str or None, default=None
        The columns; None for the first twenty that vary.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> draw_correlations([[1, 2], [2, 1], [3, 4], [4, 3]]).told
    'x0 and x1: 0.6.'
    """
    rows = read(table)
    names = _chosen(rows, columns, None, _MOST_CORRELATED)
    if len(names) < 2:
        raise DataError(f"a correlation map needs two columns that vary; there are {len(names)}")
    found, pairs = np.eye(len(names)), [(i, j) for i in range(len(names)) for j in range(i)]
    for i, j in pairs:
        found[i, j] = found[j, i] = _association(rows, names[i], names[j])
    looks = [["c0" if value >= 0 else "c5" for value in row] for row in np.nan_to_num(found)]
    written = [["" if np.isnan(value) else f"{value:.2f}" for value in row] for row in found]
    shades = np.nan_to_num(found) ** 2
    body, width, height = heat_map(("", names), ("", names), shades, shades, looks, written)
    strongest = sorted(pairs, key=lambda pair: -abs(np.nan_to_num(found[pair])))[:5]
    described = " ".join(f"{names[j]} and {names[i]}: {figure(found[i, j], 2)}." for i, j in strongest)
    notes = ["Blue: positive, or without a sign; orange: negative."]
    if any(type(rows.schema[name]) is not Numeric for name in names):
        notes.append("Numbers: Pearson's r; a category and a number: η; two categories: Cramér's V.")
    return Picture("Correlations", described, tuple(notes), body, width, height)


def _association(rows: Table, first: str, second: str) -> float:
    """How strongly two columns go together; NaN where too few rows know both."""
    pair = [ColumnAxis.of(rows, name) for name in (first, second)]
    values = [own.values(rows) for own in pair]
    known = np.isfinite(values[0]) & np.isfinite(values[1])
    a, b = (each[known] for each in values)
    if len(a) < 2:
        return np.nan
    if all(own.bands is None for own in pair):
        a, b = a - a.mean(), b - b.mean()
        return float(a @ b / np.sqrt((a @ a) * (b @ b))) if a.any() and b.any() else np.nan
    if all(own.bands is not None for own in pair):
        counts = np.zeros((int(a.max()) + 1, int(b.max()) + 1))
        np.add.at(counts, (a.astype(int), b.astype(int)), 1)
        counts = counts[counts.any(axis=1)][:, counts.any(axis=0)]
        expected = np.outer(counts.sum(axis=1), counts.sum(axis=0)) / counts.sum()
        share = ((counts - expected) ** 2 / expected).sum() / counts.sum()
        return float(np.sqrt(share / (min(counts.shape) - 1))) if min(counts.shape) > 1 else np.nan
    codes, numbers = (a, b) if pair[0].bands is not None else (b, a)
    _, codes, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    total = ((numbers - numbers.mean()) ** 2).sum()
    between = (sizes * (np.bincount(codes, numbers) / sizes - numbers.mean()) ** 2).sum()
    return float(np.sqrt(between / total)) if total > 0 else np.nan


def draw_parallel(table: Any, columns: Sequence[str] | None = None, colour: str | None = None) -> Picture:
    """Parallel coordinates: a line for each row over all columns, each from its least to its largest value.

    Parameters
    ----------
    table : table-like
        The rows.
    columns : sequence of str or None, default=None
        The columns from left to right; None for the first twelve that vary, without the one that colours.
    colour : str or None, default=None
        The column that colours the lines.

    Returns
    -------
    Picture

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> from openbook import load
    >>> draw_parallel(load("iris"), colour="species").notes[0]
    '150 rows; each column from its smallest to its largest value.'
    """
    rows = read(table)
    groups = _groups(rows, colour)
    names = _chosen(rows, columns, colour, _MOST_PARALLEL)
    if len(names) < 2:
        raise DataError(f"parallel lines need two columns that vary; there are {len(names)}")
    plot = Plot(Categories("", tuple(names)), Blank(-0.07, 1.07))
    some = drawn_rows(len(rows), _MOST_LINES)
    levels, words = [], []
    for at, name in enumerate(names):
        own = ColumnAxis.of(rows, name)
        values = own.values(rows)
        plot.line([at, at], [0, 1], "c8 thin")
        if own.bands is not None:
            levels.append(own.axis.position(values))
            words += [(at, place, clip(word, 14), -4) for place, word in own.axis.ticks]
        else:
            low, high = np.nanmin(values), np.nanmax(values)
            levels.append((values - low) / (high - low))
            ends = (value_words(own.attribute, float(end)) for end in (low, high))
            words += [(at, 0.0, next(ends), 16), (at, 1.0, next(ends), -7)]
    thin = "thin faint" if len(some) > _FEW_LINES else "thin"
    for i in some:
        name, look = groups.names[groups.codes[i]], groups.looks[groups.codes[i]]
        plot.line(np.arange(len(names)), [level[i] for level in levels], f"{look} {thin}", told=name)
    for at, place, word, down in words:
        plot.words(at, place, word, "soft middle tag", away=(0, down))
    groups.legend(plot)
    note = f"{rows_drawn(len(some), len(rows))}; each column from its smallest to its largest value."
    gaps = any(np.isnan(level).any() for level in levels)
    notes = [note, "A line is interrupted where a cell is missing."] if gaps else [note]
    return plot.picture("Parallel coordinates", notes)


def _groups(rows: Table, colour: str | None) -> Groups:
    return Groups.none(len(rows)) if colour is None else Groups.of_column(rows, colour)


def _chosen(
    rows: Table,
    columns: str | Sequence[str] | None,
    other: str | None,
    most: int,
    kind: Any = Numeric | Categorical,
) -> list[str]:
    """The given columns, checked, or the first `most` of a kind that vary, without the other."""
    if isinstance(columns, str):
        columns = [columns]
    if columns is not None:
        for name in columns:
            column_of(rows, name)
        return list(columns)
    names = [name for name in drawable(rows, kind) if name != other][:most]
    if not names:
        raise DataError("there is no column to draw: none varies")
    return names


def _drawn(drawn: int, n: int, *values: np.ndarray) -> str:
    """How many rows are drawn, and how many cannot be."""
    gaps = int(np.any([np.isnan(each) for each in values], axis=0).sum())
    words = f"{rows_drawn(drawn, n - gaps)}."
    return f"{words} {plural(gaps, 'row')} without a value in one of the columns." if gaps else words


def _panels(
    plots: Sequence[Plot], names: Sequence[str], what: str, by: str | None, rows: Table, told: str
) -> Picture:
    """One plot, or several side by side."""
    given = f" by {by}" if by else ""
    gaps = int(sum(rows.column(name).missing.sum() for name in names))
    missing = f" {plural(gaps, 'missing cell')}." if gaps else ""
    notes = [f"{plural(len(rows), 'row')}.{missing}"]
    if len(plots) == 1:
        return plots[0].picture(f"{what} of {names[0]}{given}", notes, told)
    title = f"{what}s of {plural(len(names), 'column')}{given}"
    return panels(plots, [""] * len(plots), 2 if len(plots) == 4 else 3, title, notes, told)
