r"""The association of a word with a class, or with a label among others, from counts of documents.

    n_tc, df(t), N_c, N    documents of class c that have word t, documents that have it, documents of c, all
    PMI(t, c)    = log2 (N n_tc / (df(t) N_c)), above 0 if the word is evidence for the class
    MI(t, c)     = Σ p log2 (p / (p_word p_class)) over the four cells: word or not, class c or not
    chi²(t, c)   = Σ (O - E)² / E over the same cells
    overall      MI and chi² over the two rows and all classes; PMI that of the class it is largest for. Of
                 labels, which do not exclude each other, the largest of all

Logarithms are to base 2, 0 log 0 = 0, and the PMI of a word that no document of the class has is minus
infinity. A word in fewer than five documents is rare: its scores are luck more often than not.
"""

from collections.abc import Sequence
from functools import partial, reduce
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from openbook.fold import each
from openbook.text.kernels import count_by_class
from openbook.text.terms import TermRule
from openbook.text.vocabulary import union

Array = npt.NDArray[Any]

#: Words in fewer documents are rare.
RARE = 5
#: Texts that are counted at once.
_AT_ONCE = 5_000


class WordTable(NamedTuple):
    """In how many documents of each class, or with each label, the words of texts occur.

    terms : the words, in order
    times, documents : float64 (n_terms,), how often each occurs, and in how many documents
    having : float64 (n_terms, n_classes), documents of each class that have the word
    classes : float64 (n_classes,), documents of each class
    total : how many documents there are
    """

    terms: list[str]
    times: Array
    documents: Array
    having: Array
    classes: Array
    total: float

    def __add__(self, other: "WordTable") -> "WordTable":  # type: ignore[override]
        every, places = union(self.terms, other.terms)
        times, documents = np.zeros(len(every)), np.zeros(len(every))
        having = np.zeros((len(every), len(self.classes)))
        for positions, one in zip(places, (self, other), strict=True):
            times[positions] += one.times
            documents[positions] += one.documents
            having[positions] += one.having
        sizes = self.classes + other.classes, self.total + other.total
        return WordTable(every, times, documents, having, *sizes)

    def scores(self, measure: str) -> Array:
        """The score of each word for each class, (n_terms, n_classes): one of `MEASURES`."""
        total, df = self.total, self.documents
        if measure == "df":
            return self.having
        if measure == "pmi":
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.log2(total * self.having / (df[:, None] * self.classes))
        inside, outside = self.classes, total - self.classes
        others = df[:, None] - self.having
        return _independence(np.stack([self.having, others]), np.stack([inside, outside]), total, measure)

    def overall(self, measure: str) -> Array:
        """The score of each word for all classes together, (n_terms,)."""
        if measure == "df":
            return self.documents
        in_some_class = self.having.sum(axis=1)
        exclusive = self.classes.sum() == self.total and np.array_equal(in_some_class, self.documents)
        if measure == "pmi" or not exclusive:
            return self.scores(measure).max(axis=1, initial=-np.inf)
        columns = self.having.T[:, :, None]
        return _independence(columns, self.classes[:, None], self.total, measure)[:, 0]


#: The scores of a word: documents that have it, and its association with the class.
MEASURES = ("df", "pmi", "mi", "chi2")


def _independence(having: Array, sizes: Array, total: float, measure: str) -> Array:
    """MI or chi² of whether a document has a word and its side.

    having : (n_sides, n_terms, k), documents of each side that have the word; sizes : (n_sides, k)
    """
    df = having.sum(axis=0)
    score = np.zeros(having.shape[1:])
    for cell, here in ((having, df), (sizes[:, None, :] - having, total - df)):
        expected = here * sizes[:, None, :] / total
        with np.errstate(divide="ignore", invalid="ignore"):
            if measure == "mi":
                terms = cell * np.log2(cell / expected) / total
            else:
                terms = (cell - expected) ** 2 / expected
        score += np.nan_to_num(terms).sum(axis=0)
    return np.maximum(score, 0.0)


def word_table(rule: TermRule, texts: Sequence[str | None], codes: Array, n_classes: int) -> WordTable:
    """Count the words of texts by class, or by label.

    codes : the class of each text, or whether it has each label, (n_texts, n_labels); texts of a negative
        code, and missing ones, count for nothing
    """
    known = [i for i, text in enumerate(texts) if text is not None and (codes.ndim > 1 or codes[i] >= 0)]
    pieces = [known[start : start + _AT_ONCE] for start in range(0, len(known), _AT_ONCE)]
    parts = [([texts[i] for i in piece], codes[piece]) for piece in pieces]
    tables = each(parts, partial(_counted, rule, n_classes))
    none = WordTable([], np.zeros(0), np.zeros(0), np.zeros((0, n_classes)), np.zeros(n_classes), 0.0)
    return reduce(WordTable.__add__, tables, none)


def _counted(rule: TermRule, n_classes: int, part: tuple[list[str], Array]) -> WordTable:
    texts, codes = part
    terms, counts = rule.count(texts)
    having = np.zeros((len(terms), n_classes))
    if codes.ndim > 1:
        shown = sp.csr_array((np.ones(len(counts.data)), counts.indices, counts.indptr), shape=counts.shape)
        having, classes = shown.T @ codes.astype(float), codes.sum(axis=0).astype(float)
    else:
        count_by_class(counts.indices, counts.indptr, codes, having)
        classes = np.bincount(codes, minlength=n_classes).astype(float)
    documents = np.bincount(counts.indices, minlength=len(terms)).astype(float)
    return WordTable(terms, counts.sum(axis=0), documents, having, classes, float(len(texts)))
