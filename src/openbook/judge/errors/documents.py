"""Where a classifier of texts errs: the classes it confuses, with excerpts, and short and long documents.

    length       the number of words of a text; documents are divided at the quartiles of the lengths
    error        the share of wrong predictions in each quarter, with Wilson's interval
    sure         the share of documents whose predicted class has a probability of 0.99 or more; of several
                 labels, each decision

Learners that add up evidence word by word, such as naive Bayes, treat words as independent. Each word of a
long document adds to the log odds, so probabilities are close to 0 or 1 even where predictions are wrong.
Rows of the first round only, each once.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.errors import ParameterError
from openbook.judge.chance.intervals import wilson
from openbook.judge.folds.evaluation import Evaluation
from openbook.judge.folds.first_round import FirstRound, all_decisions
from openbook.text.describe import excerpt
from openbook.text.tokens import tokens
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Work

_SURE = 0.99
#: Pairs of classes that are shown, documents of each, and characters of an excerpt.
_PAIRS, _EACH, _SIGNS = 8, 2, 120


@dataclass(frozen=True)
class LengthBand:
    """Documents of similar length, and how many of them were misclassified.

    Parameters
    ----------
    shortest, longest : numbers of words
    rows, wrong : the number of documents, and of those that were misclassified
    sure, sure_wrong : the same for predictions with a probability of 0.99 or more
    """

    shortest: int
    longest: int
    rows: int
    wrong: int
    sure: int
    sure_wrong: int


@dataclass(frozen=True)
class ConfusedText:
    """A document that was misclassified."""

    truth: str
    predicted: str
    row: int
    proba: float | None
    excerpt: str


@dataclass(frozen=True, repr=False, eq=False)
class DocumentErrors(ShowsWork):
    """Where a classifier of texts errs; see `document_errors`.

    Attributes
    ----------
    name : str
        The name of the learner.
    column : str
        The column of texts.
    bands : tuple of LengthBand
        Short to long documents.
    confused : tuple of ConfusedText
        Excerpts, those of the most frequent confusion first, and of each the most confident first.
    counts : tuple of (str, str, int)
        True class, predicted class and the number of documents, the most frequent confusion first.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.bayes import NaiveBayes
    >>> X = ob.read([{"text": text} for text in ["good film", "bad film", "good", "bad"] * 15],
    ...             kinds={"text": "text"})
    >>> found = document_errors(ob.evaluate(NaiveBayes(), X, ["+", "-"] * 30, cv=3), X)
    >>> found.counts, [band.rows for band in found.bands]
    ((), [30, 30])
    """

    name: str
    column: str
    bands: tuple[LengthBand, ...]
    confused: tuple[ConfusedText, ...]
    counts: tuple[tuple[str, str, int], ...]

    def work(self) -> Work:
        """The documents and their lengths, as tables."""
        parts = [self._lengths()]
        if self.confused:
            number = {(truth, predicted): count for truth, predicted, count in self.counts}
            rows = []
            for one in self.confused:
                proba = None if one.proba is None else figure(one.proba, 3)
                documents = number[one.truth, one.predicted]
                rows.append((one.truth, one.predicted, documents, one.row, proba, one.excerpt))
            head = ("truth", "predicted", "documents", "row", "P(predicted)", "begins")
            more = len(self.counts) - len({(one.truth, one.predicted) for one in self.confused})
            note = f"{plural(more, 'more pair')}." if more else ""
            parts.append(Grid("Confusions, with excerpts", head, rows, note))
        return Work(f"Documents of {self.column}: errors of {self.name}", tuple(parts), self._conclusion())

    def _lengths(self) -> Grid:
        rows = [
            (
                f"{band.shortest:,} to {band.longest:,}",
                band.rows,
                f"{band.wrong / band.rows:.1%}",
                "[{0.low:.1%}, {0.high:.1%}]".format(wilson(band.wrong, band.rows)),
                f"{band.sure / band.rows:.0%}",
                band.sure_wrong,
            )
            for band in self.bands
        ]
        head = ("words", "documents", "error", "95% interval", f"P >= {_SURE}", "of these wrong")
        return Grid("Effect of the length of documents", head, rows, "Intervals: Wilson.")

    def _conclusion(self) -> str:
        short, long = self.bands[0], self.bands[-1]
        if long.sure / long.rows <= short.sure / short.rows or len(self.bands) == 1:
            return ""
        words = (
            f"Probabilities of long documents are extreme: {long.sure / long.rows:.0%} of the longest have a"
            f" probability of {_SURE} or more, and {short.sure / short.rows:.0%} of the shortest."
        )
        wrong = sum(band.sure_wrong for band in self.bands)
        found = f" Wrong with such a probability: {plural(wrong, 'document')}." if wrong else ""
        return f"{words}{found} Words of a document depend on each other: do not read this as certainty."


def document_errors(evaluation: Evaluation, X: Any, column: str | None = None) -> DocumentErrors:
    """Find which classes of documents are confused, and whether short or long documents are harder.

    Parameters
    ----------
    evaluation : Evaluation
        The evaluation of a classifier.
    X : table-like
        The rows that were evaluated.
    column : str or None, default=None
        The column of texts; None takes the first.

    Returns
    -------
    DocumentErrors

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> import openbook as ob
    >>> from openbook.baseline import ZeroR
    >>> X = ob.read([{"text": text} for text in ["good film"] * 6 + ["bad"] * 4], kinds={"text": "text"})
    >>> document_errors(ob.evaluate(ZeroR(), X, ["+"] * 6 + ["-"] * 4, cv=2), X).counts
    (('-', '+', 4),)
    """
    tested = FirstRound.of(evaluation, X)
    texts = [a.name for a in tested.table.schema if a.kind == "text"]
    if evaluation.classes is None or not texts:
        raise ParameterError("document errors are those of classes of texts, and there are none")
    column = column or texts[0]
    cells = tested.table.data(column).tolist()
    made = all_decisions(evaluation)
    labels, errors = made.names, np.column_stack([made.truth, made.predicted])[made.wrong]
    pairs, counts = np.unique(errors.reshape(-1, 2), axis=0, return_counts=True)
    order = np.argsort(-counts, kind="stable")
    confused = []
    for truth, predicted in pairs[order[:_PAIRS]].tolist():
        own = np.flatnonzero((made.truth == truth) & (made.predicted == predicted))
        for i in own[np.argsort(-made.sure[own], kind="stable")][:_EACH].tolist():
            sure = None if np.isnan(made.sure[i]) else float(made.sure[i])
            row, begins = int(tested.rows[made.row[i]]), excerpt(cells[made.row[i]], _SIGNS)
            confused.append(ConfusedText(labels[truth], labels[predicted], row, sure, begins))
    wrong, least = np.zeros(len(cells), dtype=bool), np.full(len(cells), np.inf)
    np.logical_or.at(wrong, made.row, made.wrong)
    np.minimum.at(least, made.row, made.sure)
    bands = tuple(_bands(np.diff(tokens(cells).firsts), wrong, least >= _SURE))
    confusions = tuple((labels[pairs[k, 0]], labels[pairs[k, 1]], int(counts[k])) for k in order.tolist())
    return DocumentErrors(evaluation.name, column, bands, tuple(confused), confusions)


def _bands(lengths: np.ndarray, wrong: np.ndarray, sure: np.ndarray) -> list[LengthBand]:
    edges = np.unique(np.quantile(lengths, (0.25, 0.5, 0.75)))
    which, bands = np.searchsorted(edges, lengths, side="left"), []
    for band in np.unique(which):
        own = which == band
        counts = (int((mask & own).sum()) for mask in (own, wrong, sure, sure & wrong))
        bands.append(LengthBand(int(lengths[own].min()), int(lengths[own].max()), *counts))
    return bands
