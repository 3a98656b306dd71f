"""More training rows by other words: copies of texts with words left out, swapped or replaced.

    dropout        each word is left out with this probability; one word at least stays
    swap           each word changes places with the next one with this probability
    replacement    each word that has synonyms gives way to one of them with this probability

in this order. A word is what stands between blanks. Synonyms are looked up without regard to case and to the
punctuation around a word, which stays, as does a capital at its beginning.

A file of synonyms has a line for each group of words that can stand for one another:

    big, large, huge
    film, movie, motion picture

Blank lines, and lines that begin with #, are skipped. Missing texts stay missing.

Reference: Wei and Zou (2019), EDA: easy data augmentation techniques for text classification tasks.
"""

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import numpy as np

from openbook.border.base import Saved
from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Number, Whole
from openbook.data import Table, Text
from openbook.errors import DataError
from openbook.prepare.augment import CopiedRows, Rng
from openbook.work import Grid, Work

#: Texts that the work shows before and after, and how much of them.
_SHOWN, _LONGEST = 5, 200
_CHANGES = ("left out", "swapped", "replaced")
_WORD = re.compile(r"(\W*)(.*?)(\W*)", re.DOTALL)


class AugmentTexts(Declared, CopiedRows):
    """Add copies of the training rows whose texts have words left out, swapped, or replaced by synonyms.

    Parameters
    ----------
    dropout : float, default=0.1
        The probability that a word is left out.
    swap : float, default=0.0
        The probability that a word changes places with the next one.
    synonyms : str or None, default=None
        A file of synonyms, a line for each group of words that can replace one another: big, large, huge.
    replacement : float, default=0.1
        The probability that a word that has synonyms gives way to one of them.
    copies : float, default=1.0
    columns : list of str or None, default=None
    random_state : int, default=0

    Attributes
    ----------
    rows_ : ndarray of shape (n_new,)
        The training row that each row is a copy of.
    changes_ : dict of str to int
        How many words were left out, swapped and replaced.
    examples_ : list of tuple of (str, str)
        The first texts, before and after.
    n_before_, n_after_ : int
        The number of training rows before and after.

    Notes
    -----
    Guide: docs/guide/preparation.md

    References
    ----------
    Wei and Zou (2019), EDA: easy data augmentation techniques for boosting performance on text classification
    tasks.

    Examples
    --------
    >>> from openbook import read
    >>> X = read({"review": ["a very good film", "far too long"]}, kinds={"review": "text"})
    >>> step = AugmentTexts(dropout=0.5)
    >>> new, y = step.fit_resample(X, ["good", "bad"])
    >>> len(new), y.tolist(), set(new["review"][2].split()) <= {"a", "very", "good", "film"}
    (4, ['good', 'bad', 'good', 'bad'], True)
    """

    dropout: Annotated[float, Number(at_least=0, at_most=1)] = 0.1
    swap: Annotated[float, Number(at_least=0, at_most=1)] = 0.0
    synonyms: Annotated[Any, Anything("None or the path of a file")] = None
    replacement: Annotated[float, Number(at_least=0, at_most=1)] = 0.1
    copies: Annotated[float, Number(above=0)] = 1.0
    columns: list[str] | None = None
    random_state: Annotated[int, Whole(at_least=0)] = 0

    _changes = (Text,)

    def _changed(self, table: Table, base: np.ndarray, rng: Rng) -> dict[str, np.ndarray]:
        synonyms = {} if self.synonyms is None else read_synonyms(self.synonyms)
        self.changes_ = dict.fromkeys(_CHANGES, 0)
        self.examples_: list[tuple[str, str]] = []
        cells = {}
        for name in self._chosen:
            before = table.data(name)[base]
            after = before.copy()
            for i, text in enumerate(before.tolist()):
                if isinstance(text, str):
                    after[i] = self._rewritten(text, synonyms, rng)
                    if len(self.examples_) < _SHOWN:
                        self.examples_.append((text[:_LONGEST], after[i][:_LONGEST]))
            cells[name] = after
        return cells

    def _rewritten(self, text: str, synonyms: Mapping[str, list[str]], rng: Rng) -> str:
        words = text.split()
        if not words:
            return text
        kept = rng.random(len(words)) >= self.dropout
        if not kept.any():
            kept[rng.integers(len(words))] = True
        words = [word for word, stays in zip(words, kept, strict=True) if stays]
        self.changes_["left out"] += int((~kept).sum())
        for i in np.flatnonzero(rng.random(len(words) - 1) < self.swap).tolist():
            words[i], words[i + 1] = words[i + 1], words[i]
            self.changes_["swapped"] += 1
        for i in np.flatnonzero(rng.random(len(words)) < self.replacement).tolist():
            start, word, end = _parts(words[i])
            if others := synonyms.get(word.lower()):
                other = others[rng.integers(len(others))]
                words[i] = f"{start}{other.capitalize() if word[:1].isupper() else other}{end}"
                self.changes_["replaced"] += 1
        return " ".join(words)

    def _saved(self) -> Saved:
        saved = super()._saved()
        return saved._replace(facts={**saved.facts, "changes": self.changes_, "examples": self.examples_})

    def _opened(self, saved: Saved) -> None:
        super()._opened(saved)
        self.changes_ = {name: int(saved.facts["changes"][name]) for name in _CHANGES}
        self.examples_ = [(str(before), str(after)) for before, after in saved.facts["examples"]]

    def _work(self) -> Work:
        work = super()._work()
        if not self._chosen:
            end = "No column is a text, so each copy equals its row. If one was read as nominal, read it with"
            return Work(work.title, work.parts, f"{end} kinds={{…: 'text'}}. {work.conclusion}")
        counts = Grid("words", ("", "words"), [*self.changes_.items()])
        texts = Grid("texts", ("before", "after"), self.examples_)
        return Work(work.title, (*work.parts, counts, texts), work.conclusion)


def read_synonyms(path: str | Path) -> dict[str, list[str]]:
    """The synonyms of each word, in lower case, from a file of groups."""
    try:
        lines = Path(path).read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text in UTF-8"
        raise DataError(f"cannot read the synonyms of {str(path)!r}: {reason}") from error
    found: dict[str, list[str]] = {}
    for line in lines:
        group = [word.strip() for word in line.split(",")]
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        for word in group:
            others = found.setdefault(word.lower(), [])
            others += [other for other in group if other and other != word and other not in others]
    return {word: others for word, others in found.items() if others}


def _parts(word: str) -> tuple[str, str, str]:
    """The punctuation before a word, the word, and the punctuation behind it.

    >>> _parts("(Good!)"), _parts("it's")
    (('(', 'Good', '!)'), ('', "it's", ''))
    """
    found = _WORD.fullmatch(word)
    assert found is not None
    start, inner, end = found.groups()
    return start, inner, end
