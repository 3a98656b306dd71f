"""Columns of a few short words, coded where polars keeps them.

The view of a short text (see `openbook.data.views`) consists of two halves a and b of 64 bits. A factor f is
drawn until every word has a slot of its own, so that a row is coded by

    slot = ((a xor b) f mod 2⁶⁴) div 2⁴⁴        position = table[slot]        code = position - 1

and holds that word if views[position] is its own view; else its word is new. Position 0 is the empty text,
which stands for a missing value. These are a few array operations on a block in the cache.
"""

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from openbook.data.cells import Cells
from openbook.data.views import Known, Views, texts_of, views_of

if TYPE_CHECKING:
    import polars as pl

Codes = npt.NDArray[np.int16]

#: A thousand words find slots of their own, of 2²⁰, at every other draw or so.
MOST_WORDS = 1000

_SLOT_BITS = 20
_DRAWS = 50
_SAMPLE = 1000


def coded_words(series: "pl.Series") -> Cells | None:
    """A column of texts as its words and a code for each row; None if it has long words, or too many."""
    words, parts = _Words(), []
    for views, known in views_of(series):
        codes = words.coded(views, known)
        if codes is None:
            return None
        parts.append(codes)
    return Cells(words.texts, np.concatenate(parts)) if parts else None


class _Words:
    """The words met so far, those first met in one block in the order of the alphabet."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        self._views = np.zeros((1, 2), dtype=np.uint64)  # first, that of the empty text
        self._draws = np.random.default_rng(0)
        self._factor = np.uint64(1)
        self._table = np.zeros(1 << _SLOT_BITS, dtype=np.int16)

    def coded(self, views: Views, known: Known) -> Codes | None:
        """The code of each row; None if a new word cannot be taken in."""
        positions, alike = self._look_up(views)
        if not alike.all():
            unseen = ~(alike[:, 0] & alike[:, 1])
            rows = np.flatnonzero(unseen if known is None else unseen & known)
            while len(rows):
                if not self._learn(views[rows[:_SAMPLE]]):
                    return None
                positions[rows], alike = self._look_up(views[rows])
                rows = rows[~(alike[:, 0] & alike[:, 1])]
        if known is not None:
            positions[~known] = 0
        return positions - np.int16(1)

    def _learn(self, views: Views) -> bool:
        distinct = np.array(list(set(map(tuple, views.tolist()))), dtype=np.uint64)
        texts = texts_of(distinct)
        if texts is None or len(self.texts) + len(texts) > MOST_WORDS:
            return False
        order = sorted(range(len(texts)), key=texts.__getitem__)
        self.texts += [texts[i] for i in order]
        before = len(self._views)
        self._views = np.concatenate([self._views, distinct[order]])
        return self._assign_slots(before) or self._place_anew()

    def _assign_slots(self, first: int) -> bool:
        """Give the words from this one on their slots; False if one is taken. The empty text has slot 0."""
        slots = self._slots(self._views[first:])
        if len(np.unique(slots)) < len(slots) or not slots.all() or self._table[slots].any():
            return False
        self._table[slots] = np.arange(first, len(self._views))
        return True

    def _place_anew(self) -> bool:
        """Draw other factors; False if none of them tells the words apart."""
        for _ in range(_DRAWS):
            self._table = np.zeros(len(self._table), dtype=np.int16)
            self._factor = self._draws.integers(1 << 64, dtype=np.uint64) | np.uint64(1)
            if self._assign_slots(1):
                return True
        return False

    def _look_up(self, views: Views) -> tuple[Codes, npt.NDArray[np.bool_]]:
        """A position for each view, and which of its halves are those of the word there."""
        positions = self._table.take(self._slots(views))
        return positions, self._views.take(positions, axis=0) == views

    def _slots(self, views: Views) -> npt.NDArray[np.int64]:
        slots = views[:, 0] ^ views[:, 1]
        slots *= self._factor
        slots >>= np.uint64(64 - _SLOT_BITS)
        return slots.view(np.int64)
