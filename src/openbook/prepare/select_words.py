"""Keep the most informative words of texts: a transformer that removes the other words.

    score    chi-squared, mutual information, PMI or document frequency of each word
             (`openbook.text.informative`); of a target of numbers, N r² instead of chi-squared
    kept     the k words of the largest score, of each class the k largest with `per_class`; of equals the
             first in the alphabet

What comes out is the same text without the other words, so every learner counts the words that are left as
it always does, in sparse rows where it takes those. The choice is made by the rows that the step is fitted
to: in a study, by the training rows of each fold. A missing text stays missing.
"""

from typing import Annotated, Any

import numpy as np
import numpy.typing as npt

from openbook.border.base import Saved
from openbook.border.not_taken import Declared
from openbook.border.rules import OneOf, Whole
from openbook.border.words import mentions, word_scores
from openbook.data import Schema, Table, Text
from openbook.errors import ParameterError
from openbook.prepare.transformer import Preparation, TrainingTable
from openbook.text.columns import RULE
from openbook.text.informative import word_table
from openbook.text.tokens import tokens
from openbook.words.sentences import plural
from openbook.work import Grid, Work

Array = npt.NDArray[Any]

#: The measures, and what `WordTable` calls them.
_MEASURES = {"mutual_information": "mi", "chi_squared": "chi2", "pmi": "pmi", "document_frequency": "df"}
#: The words that the work lists.
_SHOWN = 20


class SelectWords(Declared, Preparation):
    """Keep the words of texts that are most informative about the target.

    Parameters
    ----------
    k : int, default=1000
        The number of words to keep of each column of texts.
    measure : {"mutual_information", "chi_squared", "pmi", "document_frequency"}, default="mutual_information"
        How words are scored; without a target, by document frequency. PMI alone favours rare words; see
        `min_df`.
    per_class : bool, default=False
        Whether to keep the k words that score best for each class, instead of k in all.
    min_df : int, default=2
        Words in fewer texts are left out.
    columns : list of str or None, default=None

    Attributes
    ----------
    words_ : dict of str to list of str
        The words kept of each column, the best first.
    scores_ : dict of str to list of float
        Their scores; with `per_class` the best of a word.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> import openbook as ob
    >>> X = ob.read([{"t": "a good film"}, {"t": "the bad film"}, {"t": "good story"}, {"t": "bad story"}],
    ...             kinds={"t": "text"})
    >>> step = SelectWords(k=2).fit(X, ["+", "-", "+", "-"])
    >>> step.words_["t"], step.transform(X).data("t").tolist()
    (['bad', 'good'], ['good', 'bad', 'good', 'bad'])
    """

    k: Annotated[int, Whole(at_least=1)] = 1000
    measure: Annotated[str, OneOf(*_MEASURES)] = "mutual_information"
    per_class: bool = False
    min_df: Annotated[int, Whole(at_least=1)] = 2
    columns: list[str] | None = None

    _changes = (Text,)
    _asks_target = True

    def _learn(self, rows: TrainingTable) -> None:
        self.words_, self.scores_ = {}, {}
        for column in self._chosen:
            terms, scores = self._scored(rows.X.data(column).tolist(), rows)
            best = scores.max(axis=1)
            order = np.lexsort((np.arange(len(terms)), -best))
            kept = {int(i) for own in scores.T for i in np.lexsort((np.arange(len(terms)), -own))[: self.k]}
            chosen = [i for i in order.tolist() if i in kept]
            self.words_[column] = [terms[i] for i in chosen]
            self.scores_[column] = [float(best[i]) for i in chosen]

    def _scored(self, texts: list[str | None], rows: TrainingTable) -> tuple[list[str], Array]:
        """The words that occur often enough, and a column of scores, or one for each class."""
        if rows.y is not None and not rows.n_classes and self.measure != "document_frequency":
            if self.measure != "chi_squared":
                msg = f"{self.measure} needs classes, and the target is numeric; use measure='chi_squared'"
                raise ParameterError(msg)
            found = mentions(RULE.count(texts), rows.y, 0)
            terms, df, scores = found.terms, found.sums[:, 0], word_scores(found, 0)[:, None]
        else:
            classes = max(rows.n_classes, 1)
            codes = rows.y if rows.n_classes and rows.y is not None else np.zeros(len(texts), dtype=int)
            table = word_table(RULE, texts, codes, classes)
            by = "df" if rows.y is None else _MEASURES[self.measure]
            terms, df = table.terms, table.documents
            scores = table.scores(by) if self.per_class else table.overall(by)[:, None]
        often = np.flatnonzero(df >= self.min_df)
        return [terms[i] for i in often.tolist()], scores[often]

    def _prepared(self, table: Table) -> Table:
        columns = list(table.columns)
        for name, words in self.words_.items():
            columns[table.schema.position(name)] = _shortened(table.data(name).tolist(), set(words))
        return Table(table.schema, columns)

    def _saved(self) -> Saved:
        facts = {"schema": self.schema_.to_json(), "words": self.words_, "scores": self.scores_}
        return Saved(facts, {})

    def _opened(self, saved: Saved) -> None:
        self._remember(Schema.from_json(saved.facts["schema"]))
        self.words_ = {str(name): [str(w) for w in own] for name, own in saved.facts["words"].items()}
        self.scores_ = {str(name): [float(x) for x in own] for name, own in saved.facts["scores"].items()}
        texts = set(self.schema_.of(Text))
        sizes = {name: len(own) for name, own in self.words_.items()}
        if set(sizes) - texts or sizes != {name: len(own) for name, own in self.scores_.items()}:
            raise ValueError("its words and scores do not fit together")

    def _work(self) -> Work:
        measure = self.measure.replace("_", " ")
        each = f", {self.k:,} for each class" if self.per_class else ""
        grids = [
            Grid(
                name,
                ("word", measure),
                list(zip(words[:_SHOWN], self.scores_[name], strict=False)),
                f"{plural(len(words), 'word')} kept{each}",
            )
            for name, words in self.words_.items()
        ]
        return Work("Words that tell most", tuple(grids))

    def _work_row(self, X: Table) -> Work:
        kept = self._prepared(X)
        rows = [(name, kept.data(name)[0]) for name in self.words_]
        return Work("Words that tell most: one row", (Grid("", ("column", "words that are left"), rows),))


def _shortened(texts: list[str | None], kept: set[str]) -> Array:
    """The texts without other words."""
    words, codes, firsts = tokens(texts)
    terms = RULE.terms(words)
    shown = [term if term in kept else None for term in terms]
    found = [None if text is None else "" for text in texts]
    for i, text in enumerate(texts):
        if text is not None:
            own = (shown[code] for code in codes[firsts[i] : firsts[i + 1]].tolist())
            found[i] = " ".join(term for term in own if term is not None)
    return np.array(found, dtype=object)
