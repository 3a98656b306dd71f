"""Rows as images, where the columns are pixels, in order from the upper left, line by line."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from openbook.data import read
from openbook.draw.axes import Blank
from openbook.draw.columns import numbers_of
from openbook.draw.picture import SHADES, Picture
from openbook.draw.plot import Plot, panels
from openbook.errors import DataError, ParameterError
from openbook.words.sentences import plural

_MOST_IMAGES, _MOST_ACROSS, _SIDE = 50, 10, 96


def draw_pixels(
    rows: Any,
    shape: tuple[int, int] | None = None,
    names: Sequence[Any] | None = None,
    title: str = "Rows as images",
) -> Picture:
    """Rows or centroids as images, whose pixels are the columns.

    Parameters
    ----------
    rows : table-like
        A row for each image; all columns are numbers. At most 50 are drawn.
    shape : tuple of int or None, default=None
        Lines and columns of pixels; None for a square.
    names : sequence or None, default=None
        The title of each image; None for none.
    title : str, default='Rows as images'
        The title.

    Returns
    -------
    Picture
        The smallest number is the colour of the paper, the largest that of ink; a missing one is orange.

    Notes
    -----
    Guide: docs/guide/gallery.md

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("digits").split("digit")
    >>> draw_pixels(X.head(3), names=y[:3]).told
    '3 images of 8 x 8 pixels.'
    """
    table = read(rows)
    numbers = np.column_stack([numbers_of(table, name, "an image") for name in table.names])[:_MOST_IMAGES]
    lines, columns = _shape(len(table.names), shape)
    if names is not None and len(names) != len(table):
        raise ParameterError(f"there are {len(table)} images, but {len(names)} names")
    low, high = np.nanmin(numbers, initial=np.inf), np.nanmax(numbers, initial=-np.inf)
    shades = (numbers - low) / ((high - low) or 1.0)
    codes = np.where(np.isnan(shades), SHADES, np.round(np.nan_to_num(shades) * (SHADES - 1))).astype(int)
    looks = [*(f"ink s{shade}" for shade in range(SHADES)), "c5"]
    size = (round(_SIDE * min(1.0, columns / lines)), round(_SIDE * min(1.0, lines / columns)))
    plots = [Plot(Blank(0, 1), Blank(0, 1), size) for _ in codes]
    for plot, image in zip(plots, codes, strict=True):
        plot.regions(image.reshape(lines, columns)[::-1], looks)
    titles = [""] * len(plots) if names is None else [str(name) for name in names][:_MOST_IMAGES]
    note = f"{plural(len(plots), 'image')} of {lines} x {columns} pixels."
    more = f" The first {_MOST_IMAGES} of {len(table):,}." if len(table) > _MOST_IMAGES else ""
    return panels(plots, titles, _MOST_ACROSS, title, [note + more], note)


def _shape(n: int, shape: tuple[int, int] | None) -> tuple[int, int]:
    side = round(n**0.5)
    lines, columns = (side, side) if shape is None else shape
    if lines * columns != n:
        asked = f"{lines} x {columns} pixels" if shape is not None else "a square"
        raise DataError(f"{n} columns are not {asked}; give shape=(lines, columns)")
    return lines, columns
