r"""Bags of words: a column for each term of the texts, with how often it occurs, or how much that tells.

    count     f(t, d)                      how often term t occurs in text d
    binary    [f(t, d) > 0]
    tfidf     ln(1 + f(t, d)) · ln(N / df(t))          N texts, df(t) of which have the term
              ln(1 + f) + ln(N / df) where f > 0       with idf="sum"
              f · (ln((1 + N) / (1 + df)) + 1)         with idf="smooth", as scikit-learn

Terms that occur in too few texts or in too many are left out, and terms of later texts that were not seen in
training count for nothing. A missing text has no terms. With `n_features`, a term's column is its hash, and
there is no vocabulary: terms may share a column.

The vocabulary is a sum over chunks of texts (`vocabulary`), so files larger than memory are counted in one
pass and encoded in a second, with the same columns whatever the chunks are.
"""

import math
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Annotated, Any, ClassVar, Self
from zlib import crc32

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from sklearn.feature_extraction.text import ENGLISH_STOP_WORDS
from sklearn.utils.validation import check_is_fitted

from openbook.border.not_taken import Declared
from openbook.border.rows import Chunk, Rows
from openbook.border.rules import Anything, Maybe, Number, OneOf, Whole
from openbook.data import Attribute, Numeric, Schema, SparseTable, Table, Text, read
from openbook.errors import DataError, ParameterError
from openbook.fold import Statistics
from openbook.prepare.transformer import Summed
from openbook.text.porter import porter_stem
from openbook.text.terms import Counted, TermRule
from openbook.text.vocabulary import TermCounts
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

Array = npt.NDArray[Any]

#: Texts that are weighted at a time, and terms that a derivation lists.
_ROWS, _SHOWN = 1 << 10, 20


@dataclass(frozen=True)
class TextStatistics(Statistics):
    """The terms of each text column."""

    columns: tuple[TermCounts, ...]


class BagOfWords(Declared, Summed):
    """Bag of words: texts as counts of their words (term frequencies), or as tf-idf weights.

    Parameters
    ----------
    weighting : {"count", "binary", "tfidf"}, default="count"
        The content of a cell: the count of the term, whether it occurs, or tf-idf.
    idf : {"product", "sum", "smooth"}, default="product"
        With tf-idf: ln(1 + f) ln(N / df), their sum, or scikit-learn's f (ln((1 + N) / (1 + df)) + 1).
    norm : {"l1", "l2"} or None, default=None
        Divide each row by the sum of its sizes, or by its length.
    analyzer : {"word", "char_wb"}, default="word"
        Count words, or n-grams of characters within words.
    ngram_range : tuple of int, default=(1, 1)
        The shortest and the longest n-gram, in words or characters.
    lowercase : bool, default=True
        Whether capital letters count as small ones.
    strip_accents : bool, default=False
        Whether letters lose their accents.
    stop_words : {"english"} or sequence of str or None, default=None
        Words that are not counted.
    stemmer : {"porter"} or callable or None, default=None
        What takes the endings off words: Porter's rules for English, or a function of a word. A model with
        a function cannot be saved.
    numbers : {"keep", "drop", "one"}, default="keep"
        Whether numbers are terms, are left out, or all count as the one term "#".
    min_length : int, default=2
        The fewest characters of a word that counts.
    min_df : int or float, default=1
        The fewest texts in which a term occurs that is kept; a float is a share of the texts.
    max_df : int or float, default=1.0
        The most texts in which it may occur; a float is a share of the texts.
    max_features : int or None, default=None
        The largest number of terms of each column; the most frequent are kept.
    n_features : int or None, default=None
        Hash terms into this number of columns, without a vocabulary.

    Attributes
    ----------
    statistics_ : TextStatistics
        The terms of each text column, in how many texts each occurs, and how often.
    vocabulary_ : dict of str to int
        The column of each term, if there is one text column.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> bag = BagOfWords().fit(["good film", "bad film, bad actors"])
    >>> bag.get_feature_names_out().tolist()
    ['actors', 'bad', 'film', 'good']
    >>> bag.transform(["a bad, bad day"]).toarray().tolist()
    [[0.0, 2.0, 0.0, 0.0]]
    """

    weighting: Annotated[str, OneOf("count", "binary", "tfidf")] = "count"
    idf: Annotated[str, OneOf("product", "sum", "smooth")] = "product"
    norm: Annotated[str | None, Maybe(OneOf("l1", "l2"))] = None
    analyzer: Annotated[str, OneOf("word", "char_wb")] = "word"
    ngram_range: Annotated[Any, Anything("two whole numbers, the smaller first")] = (1, 1)
    lowercase: bool = True
    strip_accents: bool = False
    stop_words: Annotated[Any, Anything("None, 'english' or a list of words")] = None
    stemmer: Annotated[Any, Anything("None, 'porter' or a function of a word")] = None
    numbers: Annotated[str, OneOf("keep", "drop", "one")] = "keep"
    min_length: Annotated[int, Whole(at_least=1)] = 2
    min_df: Annotated[float, Number(at_least=0)] = 1
    max_df: Annotated[float, Number(at_least=0)] = 1.0
    max_features: Annotated[int | None, Maybe(Whole(at_least=1))] = None
    n_features: Annotated[int | None, Maybe(Whole(at_least=1))] = None

    _accepts: ClassVar[tuple[type[Attribute], ...]] = (Text,)
    _changes: ClassVar[tuple[type[Attribute], ...]] = (Text,)

    # fitting

    def _training_rows(self, X: Any, y: Any, sample_weight: Any) -> Rows:  # noqa: ARG002 (a text counts once)
        return super()._training_rows(_texts(X), None, None)

    def fit_transform(self, X: Any, y: Any = None) -> Any:  # noqa: ARG002 (pipelines pass a target)
        """Learn the terms of texts, and give their counts: `fit` and `transform` in one pass.

        Parameters
        ----------
        X : sequence of str, or table-like
        y : ignored, default=None

        Returns
        -------
        csr_array or SparseTable
            As `transform` gives.
        """
        table = _texts(X)
        if not isinstance(table, Table):
            return self.fit(table).transform(read(table))
        with self._whole_or_not_at_all():
            self._training_rows(table, None, None)
            counted = self._counted(table)
            self.statistics_ = TextStatistics(tuple(map(self._vocabulary, counted)))
            self._solve()
        return self._in_form(X, [self._matrix(j, one) for j, one in enumerate(counted)])

    def partial_fit(self, X: Any, y: Any = None, sample_weight: Any = None) -> Self:  # noqa: ARG002
        """Learn from more texts, as if they had come with the earlier ones.

        Parameters
        ----------
        X : sequence of str, or table-like
        y : ignored, default=None
        sample_weight : ignored, default=None

        Returns
        -------
        self
        """
        return super().partial_fit(_texts(X))

    def _step(self) -> Callable[[Chunk], TextStatistics]:
        return partial(_terms_of, self._rule(), self.n_features is None)

    def _zero(self) -> TextStatistics:
        return TextStatistics(tuple(TermCounts.zero() for _ in self.schema_))

    def _rule(self) -> TermRule:
        stop = ENGLISH_STOP_WORDS if self.stop_words == "english" else self.stop_words or ()
        if isinstance(stop, str):
            raise ParameterError(f"stop_words must be None, 'english' or a list of words, got {stop!r}")
        stem = porter_stem if self.stemmer == "porter" else self.stemmer
        if not (stem is None or callable(stem)):
            raise ParameterError(f"stemmer must be None, 'porter' or a function of a word, got {stem!r}")
        return TermRule(
            self.lowercase,
            self.strip_accents,
            self.numbers,
            1 if self.analyzer == "char_wb" else self.min_length,
            frozenset(stop),
            stem,
            self.analyzer,
            _range(self.ngram_range),
        )

    def _solve(self) -> None:
        self._kept = [self._most_informative(terms) for terms in self.statistics_.columns]
        if not any(map(self._width, range(len(self._kept)))):
            raise DataError(
                "no term is left: the texts are empty, or min_df and max_df leave no term between them"
            )

    def _width(self, j: int) -> int:
        """How many columns there are for the texts of column j."""
        return self.n_features or len(self._kept[j])

    def _most_informative(self, terms: TermCounts) -> Array:
        """The places of the terms that are kept, in order."""
        n = terms.rows[0]
        low, high = (at * n if isinstance(at, float) else at for at in (self.min_df, self.max_df))
        kept = np.flatnonzero((terms.documents >= low) & (terms.documents <= high))
        if self.max_features is None or len(kept) <= self.max_features:
            return kept
        often = np.lexsort((kept, -terms.times[kept]))[: self.max_features]  # of equals, the first
        return np.sort(kept[often])

    def _names(self, j: int) -> list[str]:
        """The names of the columns for the texts of column j."""
        if self.n_features is not None:
            own = [f"hash {i}" for i in range(self.n_features)]
        else:
            every = self.statistics_.columns[j].terms
            own = [every[i] for i in self._kept[j].tolist()]
        return own if len(self.schema_) == 1 else [f"{self.schema_.names[j]}: {term}" for term in own]

    @property
    def vocabulary_(self) -> dict[str, int]:
        check_is_fitted(self, "statistics_")
        if self.n_features is not None or len(self.schema_) != 1:
            raise AttributeError("vocabulary_ is that of one text column without hashing")
        return {term: i for i, term in enumerate(self._names(0))}

    # encoding

    def transform(self, X: Any) -> Any:
        """The terms of texts as sparse columns.

        Parameters
        ----------
        X : sequence of str, or table-like

        Returns
        -------
        csr_array or SparseTable
            (n_rows, n_terms): a sparse matrix for a sequence of texts, a SparseTable for a table.
        """
        check_is_fitted(self, "statistics_")
        return self._in_form(X, self._matrices(self._encode(_texts(X, self.schema_.names[0]))))

    def _prepared(self, table: Table) -> SparseTable:
        return self._in_form(table, self._matrices(table))

    def _matrices(self, table: Table) -> list[sp.csr_array]:
        return [self._matrix(j, one) for j, one in enumerate(self._counted(table))]

    def get_feature_names_out(self, input_features: Any = None) -> Array:  # noqa: ARG002 (as scikit-learn)
        """The terms, in the order of the columns.

        Parameters
        ----------
        input_features : ignored, default=None
            Taken since pipelines pass it.

        Returns
        -------
        ndarray of str
        """
        check_is_fitted(self, "statistics_")
        columns = range(len(self.schema_))
        return np.array([name for j in columns for name in self._names(j)], dtype=object)

    def _in_form(self, X: Any, parts: list[sp.csr_array]) -> Any:
        """The columns of a table as a SparseTable, those of a sequence of texts as a sparse matrix."""
        matrix = parts[0] if len(parts) == 1 else sp.hstack(parts, format="csr")
        if not isinstance(X, Table):
            return matrix
        names = self.get_feature_names_out().tolist()
        return SparseTable(Schema(tuple(Numeric(name) for name in names)), matrix)

    def _counted(self, table: Table) -> list[Counted]:
        """The terms of each column."""
        rule = self._rule()
        return [rule.count(table.data(name).tolist()) for name in table.names]

    def _vocabulary(self, counted: Counted) -> TermCounts:
        if self.n_features is None:
            return TermCounts.of(counted)
        return _without_terms(counted.counts.shape[0])

    def _matrix(self, j: int, counted: Counted) -> sp.csr_array:
        """The cells of the terms of column j; the counts are lost."""
        matrix = counted.under(self._places(j, counted.terms), self._width(j))
        if self.weighting != "count" or self.norm is not None:
            idf = self._idf(j) if self.weighting == "tfidf" else None
            for start in range(0, matrix.shape[0], _ROWS):
                ends = matrix.indptr[start : start + _ROWS + 1]
                cells = slice(ends[0], ends[-1])
                self._weigh(matrix.data[cells], idf, matrix.indices[cells], ends - ends[0])
        return matrix

    def _places(self, j: int, terms: list[str]) -> npt.NDArray[np.int32]:
        """The column of each term; -1 where it has none."""
        if self.n_features is None:
            return self.statistics_.columns[j].columns_of(terms, self._kept[j])
        return np.array([crc32(term.encode()) % self.n_features for term in terms], dtype=np.int32)

    def _weigh(self, f: Array, idf: Array | None, columns: Array, ends: Array) -> None:
        """Turn the counts of some texts into weights, in place."""
        if self.weighting == "binary":
            f[:] = 1.0
        elif idf is not None:
            if self.idf != "smooth":
                np.log1p(f, out=f)
            combine = np.add if self.idf == "sum" else np.multiply
            combine(f, idf[columns], out=f)
        if self.norm is not None:
            some = np.diff(ends) > 0  # texts with a term
            sizes = np.add.reduceat(np.abs(f) if self.norm == "l1" else f * f, ends[:-1][some])
            sizes = sizes if self.norm == "l1" else np.sqrt(sizes)
            f /= np.repeat(np.where(sizes > 0, sizes, 1.0), np.diff(ends)[some])

    def _idf(self, j: int) -> Array:
        terms = self.statistics_.columns[j]
        n = terms.rows[0]
        if self.n_features is not None:
            raise ParameterError("tf-idf needs a vocabulary; omit n_features, or take weighting='count'")
        df = terms.documents[self._kept[j]]
        return np.log((1 + n) / (1 + df)) + 1 if self.idf == "smooth" else np.log(n / df)

    # showing the work

    def _work(self) -> Work:
        parts: list[Any] = []
        for j, (name, terms) in enumerate(zip(self.schema_.names, self.statistics_.columns, strict=True)):
            kept = self._kept[j]
            most = kept[np.lexsort((kept, -terms.documents[kept]))[:_SHOWN]]
            every, n = terms.terms, float(terms.rows[0])
            rows = [
                (every[i], float(terms.times[i]), float(terms.documents[i]), math.log(n / terms.documents[i]))
                for i in most.tolist()
            ]
            left = f"{len(kept):,} of {len(every):,} terms are kept; N = {figure(n)} texts"
            parts.append(Grid(name, ("term", "f", "df", "ln(N / df)"), rows, left))
        return Work("Bag of words: the terms in most texts", (self._formula(), *parts))

    def _formula(self) -> Step:
        formulas = {
            "count": "f(t, d)",
            "binary": "[f(t, d) > 0]",
            "product": r"\ln(1 + f(t, d)) \cdot \ln \frac{N}{df(t)}",
            "sum": r"\ln(1 + f(t, d)) + \ln \frac{N}{df(t)}",
            "smooth": r"f(t, d) \cdot \left(\ln \frac{1 + N}{1 + df(t)} + 1\right)",
        }
        return Step("x", formulas[self.idf if self.weighting == "tfidf" else self.weighting])

    def _work_row(self, X: Table) -> Work:
        parts = []
        for j, (name, counted) in enumerate(zip(self.schema_.names, self._counted(X), strict=True)):
            column_of = self._places(j, counted.terms)[counted.counts.indices]
            times = counted.counts.data.astype(int)
            unknown = int(times[column_of < 0].sum())
            f = Counter[int]()
            for column, count in zip(column_of.tolist(), times.tolist(), strict=True):
                f[column] += count
            cells, names = self._matrix(j, counted), self._names(j)
            order = np.argsort(-np.abs(cells.data), kind="stable")[:_SHOWN].tolist()
            shown = cells.indices[order].tolist()
            rows = [(names[c], f[c], x) for c, x in zip(shown, cells.data[order].tolist(), strict=True)]
            left = len(cells.data) - len(rows)
            notes = [plural(left, "more term")] * (left > 0)
            notes += [f"{plural(unknown, 'word')} unknown"] * (unknown > 0)
            parts.append(Grid(name, ("term", "f", "x"), rows, "; ".join(notes)))
        return Work("Bag of words: one row", (self._formula(), *parts))


def _range(ends: Any) -> tuple[int, int]:
    """The n-grams asked for."""
    pair = isinstance(ends, Sequence) and len(ends) == 2 and all(isinstance(end, int) for end in ends)
    if not pair or not 1 <= ends[0] <= ends[1]:
        raise ParameterError(f"ngram_range must be two whole numbers, the smaller first, got {ends!r}")
    return ends[0], ends[1]


def _terms_of(rule: TermRule, with_terms: bool, chunk: Chunk) -> TextStatistics:
    """The terms of the text columns of a chunk of rows."""
    if not with_terms:
        return TextStatistics(tuple(_without_terms(len(chunk.X)) for _ in chunk.X.names))
    texts = (chunk.X.data(name).tolist() for name in chunk.X.names)
    return TextStatistics(tuple(TermCounts.of(rule.count(column)) for column in texts))


def _without_terms(rows: int) -> TermCounts:
    return replace(TermCounts.zero(), rows=np.array([float(rows)]))


def _texts(X: Any, name: str = "text") -> Any:
    """A sequence of texts as a table of one text column; anything else as it is."""
    if isinstance(X, str):
        raise DataError("one text was given; pass a list of texts")
    plain = isinstance(X, list | tuple) and set(map(type, X)) <= {str, type(None)}
    array = isinstance(X, np.ndarray) and X.ndim == 1
    if not (plain or array or type(X).__name__ == "Series"):
        return X
    cells = np.array(X if plain else [_written(text) for text in X], dtype=object)
    if not len(cells):
        raise DataError("there are no texts")
    return Table(Schema((Text(name),)), [cells])


def _written(cell: Any) -> str | None:
    """A cell as a text; None if it is missing."""
    return None if cell is None or (isinstance(cell, float) and math.isnan(cell)) else str(cell)
