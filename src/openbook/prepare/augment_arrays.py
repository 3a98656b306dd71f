r"""More training rows of images and sounds, given as arrays: a column for each pixel, or for each sample.

Images, of `shape` (rows, columns) or (rows, columns, channels), pixels row after row:

    turned, resized, cropped, shifted, flipped    y(o) = x(A (o - m) + m + t),    A = s R(φ) F

o, m : places in the image, and its middle; φ ~ U(-rotate, rotate); s = (1 - crop) / (1 + U(-resize, resize));
t = whole pixels up to `shift`, and a place for the part that is cropped; F mirrors half of the copies. All is
done at once, by linear interpolation between the four nearest pixels; what lies outside is the nearest pixel
of the border. Then

    brighter, noisy                               y (1 + U(-brightness, brightness)) + N(0, noise²)

and pixels stay within the range that the training images have. A pixel that is made of a missing one is
missing.

Sounds, a row for each, samples in order:

    shifted in time         y(i) = x(i - d), d whole samples up to `shift`; 0 if nothing is known
    shifted in frequency    Re((x + i H x) e^{2π i f t}), f ~ U(-frequency, frequency), H Hilbert's transform
    louder, softer          y (1 + U(-volume, volume))

The second moves every frequency of a sound by f, and changes no amplitude.
"""

import math
from collections.abc import Mapping
from typing import Annotated, Any

import numpy as np

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Maybe, Number, OneOf, Whole
from openbook.damage import checked_array
from openbook.data import Numeric, Table
from openbook.errors import RefusalError
from openbook.prepare.augment import CopiedRows, Rng
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work


class _AugmentArrays(CopiedRows):
    """Copies of rows whose numbers are one array each."""

    _changes = (Numeric,)
    _changes_dates = False
    #: The parameters that say how much is changed.
    _amounts: tuple[str, ...]

    def _cells_of(self, arrays: np.ndarray) -> dict[str, np.ndarray]:
        flat = arrays.reshape(len(arrays), -1).T
        return {name: np.ascontiguousarray(cells) for name, cells in zip(self._chosen, flat, strict=True)}

    def _work(self) -> Work:
        work = super()._work()
        rows = [(name, getattr(self, name)) for name in self._amounts if getattr(self, name)]
        amounts = Grid("at most", ("", "amount"), rows or [("nothing", 0)])
        return Work(work.title, (*work.parts, amounts), work.conclusion)


class AugmentImages(Declared, _AugmentArrays):
    """Add copies of images that are shifted, flipped, resized, rotated, cropped, brighter or noisy.

    Parameters
    ----------
    shape : tuple of int or None, default=None
        The rows and columns of an image, and its channels if there are several; the table has a column for
        each pixel, row after row. None for a single row of pixels.
    shift : int, default=1
        The most pixels by which an image moves, up or down and left or right.
    rotate : float, default=0.0
        The largest angle, in degrees.
    flip : {"horizontal", "vertical"} or None, default=None
        Whether half of the copies are mirrored, left to right or upside down.
    resize : float, default=0.0
        The largest share by which an image grows or shrinks.
    crop : float, default=0.0
        The share of the rows and columns that is cut away, anywhere; the rest is stretched to fill the image.
    brightness : float, default=0.0
        The largest share by which all pixels of an image become brighter or darker.
    noise : float, default=0.0
        The standard deviation of normal noise on each pixel, in the unit of the pixels.
    copies : float, default=1.0
    columns : list of str or None, default=None
    random_state : int, default=0

    Attributes
    ----------
    rows_ : ndarray of shape (n_new,)
        The training row that each row is a copy of.
    range_ : tuple of (float, float)
        The smallest and the largest pixel of the training images.
    n_before_, n_after_ : int
        The number of training rows before and after.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> image = [[0.0, 9.0, 0.0], [0.0, 9.0, 0.0], [0.0, 0.0, 0.0]]
    >>> step = AugmentImages(shape=(3, 3), shift=0, flip="vertical", copies=4)
    >>> X, y = step.fit_resample([sum(image, [])], ["bar"])
    >>> sorted({tuple(row.values())[7] for row in X})
    [0.0, 9.0]
    """

    shape: Annotated[Any, Anything("None, or the rows and columns of an image")] = None
    shift: Annotated[int, Whole(at_least=0)] = 1
    rotate: Annotated[float, Number(at_least=0, at_most=180)] = 0.0
    flip: Annotated[str | None, Maybe(OneOf("horizontal", "vertical"))] = None
    resize: Annotated[float, Number(at_least=0, at_most=0.9)] = 0.0
    crop: Annotated[float, Number(at_least=0, at_most=0.9)] = 0.0
    brightness: Annotated[float, Number(at_least=0, at_most=1)] = 0.0
    noise: Annotated[float, Number(at_least=0)] = 0.0
    copies: Annotated[float, Number(above=0)] = 1.0
    columns: Any = None
    random_state: Annotated[int, Whole(at_least=0)] = 0

    _amounts = ("shift", "rotate", "flip", "resize", "crop", "brightness", "noise")

    def _changed(self, table: Table, base: np.ndarray, rng: Rng) -> dict[str, np.ndarray]:
        height, width, channels = self._size()
        everyone = self._numbers(table)
        known = everyone[np.isfinite(everyone)]
        self.range_ = (float(known.min()), float(known.max())) if len(known) else (0.0, 0.0)
        images = everyone[base].reshape(-1, height, width, channels)
        middle = np.array([(height - 1) / 2, (width - 1) / 2])
        new = np.empty_like(images)
        for image, changed in zip(images, new, strict=True):
            matrix, move = self._moved((height, width), rng)
            start = middle - matrix @ middle + move
            for channel in range(channels):
                changed[:, :, channel] = _resampled(image[:, :, channel], matrix, start)
        new *= 1 + rng.uniform(-self.brightness, self.brightness, (len(new), 1, 1, 1))
        new += rng.normal(0.0, self.noise, new.shape) if self.noise else 0.0
        return self._cells_of(np.clip(new, *self.range_))

    def _moved(self, size: tuple[int, int], rng: Rng) -> tuple[np.ndarray, np.ndarray]:
        """The matrix A, and t, of a copy."""
        angle = math.radians(rng.uniform(-self.rotate, self.rotate))
        turned = np.array([[math.cos(angle), -math.sin(angle)], [math.sin(angle), math.cos(angle)]])
        mirrored = np.diag([-1.0 if self.flip == side else 1.0 for side in ("vertical", "horizontal")])
        flips = self.flip is not None and rng.random() < 0.5
        scale = (1 - self.crop) / (1 + rng.uniform(-self.resize, self.resize))
        corner = rng.uniform(-0.5, 0.5, 2) * self.crop * np.array(size)
        move = rng.integers(-self.shift, self.shift + 1, 2) * (np.array(size) > 1)
        return scale * turned @ (mirrored if flips else np.eye(2)), corner * (np.array(size) > 1) - move

    def _size(self) -> tuple[int, int, int]:
        n = len(self._chosen)
        shape = (1, n) if self.shape is None else self.shape
        sizes = shape if isinstance(shape, tuple | list) else ()
        whole = all(isinstance(size, int | np.integer) and size >= 1 for size in sizes)
        if not 2 <= len(sizes) <= 3 or not whole or math.prod(sizes) != n:
            raise RefusalError(
                f"shape {shape} does not fit: there are {plural(n, 'column')} of pixels, and an image has as"
                " many as rows times columns (times channels)"
            )
        height, width, channels = (*map(int, sizes), 1)[:3]
        return height, width, channels

    def _formula(self) -> tuple[Step, ...]:
        low, high = map(figure, self.range_)
        note = f"places are moved about the middle; pixels stay from {low} to {high}"
        return (Step("new image", r"y(o) = x(A (o - m) + m + t)", note=note),)

    def _arrays(self) -> Mapping[str, np.ndarray]:
        return {**super()._arrays(), "range": np.array(self.range_)}

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        super()._restore(arrays)
        low, high = checked_array(arrays, "range", float, (2,)).tolist()
        self.range_ = (low, high)


def _resampled(image: np.ndarray, matrix: np.ndarray, start: np.ndarray) -> np.ndarray:
    """y(o) = x(A o + start), between the nearest pixels; missing where one of them that counts is."""
    from scipy.ndimage import affine_transform

    missing = np.isnan(image)
    moved = affine_transform(np.where(missing, 0.0, image), matrix, start, order=1, mode="nearest")
    if missing.any():
        moved[affine_transform(missing.astype(float), matrix, start, order=1, mode="nearest") > 0] = np.nan
    return moved


class AugmentSounds(Declared, _AugmentArrays):
    """Add copies of sounds that are louder or softer, or shifted in time or in frequency.

    Parameters
    ----------
    volume : float, default=0.1
        The largest share by which a sound becomes louder or softer.
    shift : int, default=0
        The most samples by which a sound moves in time; silence comes in.
    frequency : float, default=0.0
        The largest shift of all frequencies, in cycles per sample, or in hertz if `rate` is given.
    rate : float, default=1.0
        Samples per second.
    copies : float, default=1.0
    columns : list of str or None, default=None
    random_state : int, default=0

    Attributes
    ----------
    rows_ : ndarray of shape (n_new,)
        The training row that each row is a copy of.
    n_before_, n_after_ : int
        The number of training rows before and after.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> step = AugmentSounds(volume=0.5)
    >>> X, y = step.fit_resample([[0.0, 2.0, 0.0, -2.0]], ["tone"])
    >>> 1 <= X["x1"][1] <= 3, X["x3"][1] == -X["x1"][1]
    (True, True)
    """

    volume: Annotated[float, Number(at_least=0, at_most=1)] = 0.1
    shift: Annotated[int, Whole(at_least=0)] = 0
    frequency: Annotated[float, Number(at_least=0)] = 0.0
    rate: Annotated[float, Number(above=0)] = 1.0
    copies: Annotated[float, Number(above=0)] = 1.0
    columns: list[str] | None = None
    random_state: Annotated[int, Whole(at_least=0)] = 0

    _amounts = ("volume", "shift", "frequency")

    def _changed(self, table: Table, base: np.ndarray, rng: Rng) -> dict[str, np.ndarray]:
        sounds = self._numbers(table)[base]
        n, length = sounds.shape
        if self.shift:
            delays = rng.integers(-self.shift, self.shift + 1, n)
            from_where = np.arange(length) - delays[:, None]
            inside = (from_where >= 0) & (from_where < length)
            taken = np.take_along_axis(sounds, np.clip(from_where, 0, length - 1), axis=1)
            sounds = np.where(inside, taken, 0.0)
        if self.frequency:
            from scipy.signal import hilbert

            if np.isnan(sounds).any():
                raise RefusalError("frequency cannot be shifted where samples are missing; impute them first")
            if self.frequency > self.rate / 2:
                raise RefusalError(f"frequency must be at most half the rate, {figure(self.rate / 2)}")
            shifts = rng.uniform(-self.frequency, self.frequency, (n, 1))
            turns = np.exp(2j * np.pi * shifts * np.arange(length) / self.rate)
            sounds = (hilbert(sounds, axis=1) * turns).real
        return self._cells_of(sounds * (1 + rng.uniform(-self.volume, self.volume, (n, 1))))

    def _formula(self) -> tuple[Step, ...]:
        if not self.frequency:
            return ()
        return (Step("new sound", r"\mathrm{Re}\left((x + i H x) e^{2 \pi i f t}\right)"),)
