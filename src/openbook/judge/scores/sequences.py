r"""Scores of labelled sequences: of rows, of whole sequences, and of spans where labels are BIO.

    rows         correct rows / rows
    sequences    sequences without a mistake / sequences
    spans        precision = correct / predicted,  recall = correct / true,  F1 = 2 correct / (both together)

BIO labels: B-x begins a span of the kind x, I-x goes on with it, O is outside. A span ends where another
begins, the kind changes, or the sequence ends; an I-x that goes on with nothing begins a span, as in
conlleval. A span is correct if its ends and its kind are.

Rows of a sequence are not independent, so intervals are those of a share over groups: see `spread`. F1 is a
share, too: of all spans, predicted and true ones listed one after the other, the share that is correct.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.data import Column
from openbook.errors import DataError
from openbook.judge.chance.intervals import Interval, wilson
from openbook.judge.chance.spread import Spread
from openbook.words.numbers import fraction, shown
from openbook.work import Grid, Step, Work


@dataclass(frozen=True)
class SpanCounts:
    """Spans of a kind: how many there are, how many are predicted, and how many of these are correct.

    Attributes
    ----------
    kind : str
        The kind of the spans, as in B-kind.
    true, predicted, correct : int
        Numbers of spans.

    Notes
    -----
    Guide: docs/guide/sequences.md

    Examples
    --------
    >>> SpanCounts("PER", true=4, predicted=5, correct=3).f1
    0.6666666666666666
    """

    kind: str
    true: int
    predicted: int
    correct: int

    @property
    def precision(self) -> float:
        """The share of predicted spans that are correct; 0 if none is predicted."""
        return self.correct / self.predicted if self.predicted else 0.0

    @property
    def recall(self) -> float:
        """The share of spans that are found; 0 if there are none."""
        return self.correct / self.true if self.true else 0.0

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        both = self.predicted + self.true
        return 2 * self.correct / both if both else 0.0


@dataclass(frozen=True)
class SequenceScores:
    """How well sequences are labelled; see `sequence_scores`.

    Attributes
    ----------
    n_rows, correct_rows : int
        Rows, and those with the right label.
    n_sequences, correct_sequences : int
        Sequences, and those without a mistake.
    rows, sequences : Interval
        The intervals of the two accuracies.
    spans : tuple of SpanCounts
        The scores of each kind of span; empty if labels are not BIO.
    f1 : Interval or None
        The interval of F1 over all spans.

    Notes
    -----
    Guide: docs/guide/sequences.md

    Examples
    --------
    >>> found = sequence_scores(list("AABB"), list("AABA"), [1, 1, 2, 2])
    >>> found.row_accuracy, found.sequence_accuracy
    (0.75, 0.5)
    """

    n_rows: int
    correct_rows: int
    n_sequences: int
    correct_sequences: int
    rows: Interval
    sequences: Interval
    spans: tuple[SpanCounts, ...] = ()
    f1: Interval | None = None

    @property
    def row_accuracy(self) -> float:
        """The share of rows with the right label."""
        return self.correct_rows / self.n_rows

    @property
    def sequence_accuracy(self) -> float:
        """The share of sequences without a mistake."""
        return self.correct_sequences / self.n_sequences

    @property
    def all_spans(self) -> SpanCounts:
        """The counts of spans of all kinds together."""
        sums = (sum(getattr(one, part) for one in self.spans) for part in ("true", "predicted", "correct"))
        return SpanCounts("all", *sums)

    def work(self) -> Work:
        """The counts behind the scores.

        Returns
        -------
        Work
        """
        parts: list[Any] = [
            _share("accuracy of rows", self.correct_rows, self.n_rows, self.rows),
            _share("accuracy of sequences", self.correct_sequences, self.n_sequences, self.sequences),
        ]
        rows, sequences = f"{self.row_accuracy:.1%}", f"{self.sequence_accuracy:.1%}"
        end = f"{rows} of the rows and {sequences} of the sequences are right"
        if self.f1 is not None:
            total = self.all_spans
            formula = r"\frac{2 \cdot \mathrm{correct}}{\mathrm{predicted} + \mathrm{true}}"
            numbers = fraction(rf"2 \cdot {total.correct}", f"{total.predicted} + {total.true}")
            note = f"{self.f1.ends}, {self.f1.method}"
            lines = [
                [one.kind, one.true, one.predicted, one.correct, one.precision, one.recall, one.f1]
                for one in (*self.spans, total)
            ]
            header = ["span", "true", "predicted", "correct", "precision", "recall", "F1"]
            parts += [Step("F1 of spans", formula, numbers, total.f1, note), Grid("spans", header, lines)]
            end += f"; F1 of spans {shown(total.f1)}"
        return Work("Scores of labelled sequences", tuple(parts), f"{end}.")


def sequence_table(found: Mapping[str, SequenceScores]) -> Grid:
    """The scores of several learners side by side, with their intervals."""
    header, spans = ["", "rows", "", "sequences", ""], any(own.f1 is not None for own in found.values())
    lines: list[list[Any]] = []
    for label, own in found.items():
        rows, sequences = shown(own.row_accuracy), shown(own.sequence_accuracy)
        line = [label, rows, own.rows.ends, sequences, own.sequences.ends]
        if spans:
            line += ["", ""] if own.f1 is None else [shown(own.all_spans.f1), own.f1.ends]
        lines.append(line)
    header += ["F1 of spans", ""] if spans else []
    note = (
        "Shares of rows with the right label and of sequences without a mistake"
        f"{', and F1 of spans with the right ends and kind' if spans else ''}, with 95% intervals, on the"
        " rows of one round of folds. Learners other than models of sequences predict each row by itself."
    )
    return Grid("Rows, sequences and spans", header, lines, note)


def _share(label, hits, n, interval):
    note = f"{interval.ends}, {interval.method}"
    return Step(label, r"\frac{\mathrm{correct}}{n}", fraction(hits, n), hits / n, note=note)


def is_bio(labels: Sequence[str]) -> bool:
    """Whether labels are BIO: O, B-x and I-x, with at least one B-x.

    >>> is_bio(["O", "B-PER", "I-PER"]), is_bio(["O", "noun"])
    (True, False)
    """
    inside = [label for label in labels if label != "O"]
    return any(label.startswith("B-") for label in inside) and all(
        label[:2] in ("B-", "I-") for label in inside
    )


def spans_of(labels: Sequence[str], groups: Sequence[Any]) -> list[tuple[int, int, str]]:
    """The spans of BIO labels: first row, row after the last, and kind.

    >>> spans_of(["B-P", "I-P", "O", "I-L", "B-L"], [1, 1, 1, 1, 1])
    [(0, 2, 'P'), (3, 4, 'L'), (4, 5, 'L')]
    """
    found, begin, kind = [], 0, ""
    for i, (label, group) in enumerate(zip(labels, groups, strict=True)):
        goes_on = label[:2] == "I-" and label[2:] == kind and group == groups[i - 1]
        if goes_on and i:
            continue
        if kind:
            found.append((begin, i, kind))
        begin, kind = i, label[2:]
    return [*found, (begin, len(labels), kind)] if kind else found


def sequence_scores(truth: Any, predicted: Any, groups: Any, level: float = 0.95) -> SequenceScores:
    """Score the labels of sequences: rows, whole sequences and, where labels are BIO, spans.

    Parameters
    ----------
    truth : array-like
        The true label of each row.
    predicted : array-like
        The predicted label of each row.
    groups : array-like
        The sequence of each row; rows of a sequence are in order.
    level : float, default=0.95
        The level of the intervals, which count sequences as independent, not rows.

    Returns
    -------
    SequenceScores

    Notes
    -----
    Guide: docs/guide/sequences.md

    Examples
    --------
    >>> true = ["B-PER", "I-PER", "O", "B-LOC", "O"]
    >>> said = ["B-PER", "O", "O", "B-LOC", "O"]
    >>> found = sequence_scores(true, said, [1, 1, 1, 2, 2])
    >>> found.row_accuracy, found.sequence_accuracy, found.all_spans.f1
    (0.8, 0.5, 0.5)
    """
    true, said = _texts(truth), _texts(predicted)
    names = np.asarray(groups.tolist() if isinstance(groups, Column) else groups)
    if not len(true) or not len(true) == len(said) == len(names):
        raise DataError(
            f"truth, predicted and groups must be as long as each other and not empty, got {len(true)},"
            f" {len(said)} and {len(names)}"
        )
    _, which = np.unique(names, return_inverse=True)
    order = np.argsort(which, kind="stable")  # sequences one after the other
    which, true, said = which[order], true[order], said[order]
    right, n = true == said, np.bincount(which)
    correct = np.bincount(which, right)
    whole = correct == n
    spans, f1 = (), None
    if is_bio([*set(true.tolist()), *set(said.tolist())]):
        spans, f1 = _span_scores(true.tolist(), said.tolist(), which, level)
    return SequenceScores(
        n_rows=len(true),
        correct_rows=int(right.sum()),
        n_sequences=len(n),
        correct_sequences=int(whole.sum()),
        rows=_interval(right, which, len(right), level),
        sequences=wilson(int(whole.sum()), len(n), level),
        spans=spans,
        f1=f1,
    )


def _texts(labels: Any) -> np.ndarray:
    return np.array([str(label) for label in (labels.tolist() if hasattr(labels, "tolist") else labels)])


def _span_scores(true, said, which, level):
    """The counts of each kind of span, and the interval of F1."""
    groups = which.tolist()
    ours, theirs = set(spans_of(said, groups)), set(spans_of(true, groups))
    kinds = sorted({kind for *_, kind in ours | theirs})
    counts = tuple(
        SpanCounts(kind, *(sum(span[2] == kind for span in some) for some in (theirs, ours, ours & theirs)))
        for kind in kinds
    )
    listed = [*sorted(ours), *sorted(theirs)]
    right = np.array([span in ours and span in theirs for span in listed])
    return counts, _interval(right, which[[begin for begin, *_ in listed]], len(listed) / 2, level)


def _interval(right: np.ndarray, sequences: np.ndarray, support: float, level: float) -> Interval:
    """The interval of the share that is right, where the rows or spans of a sequence depend on each other."""
    share, codes = float(right.mean()), np.unique(sequences, return_inverse=True)[1]
    clusters = {"sequences": codes} if codes.max() > 0 else {}
    return Spread(share, right - share, clusters, support).interval(share=True, level=level)
