"""Scores of labelled sequences: counted by hand."""

import math

import pytest

from openbook.errors import DataError
from openbook.judge import compare, evaluate, sequence_scores, wilson
from openbook.judge.scores.sequences import is_bio, spans_of
from openbook.sequence import ConditionalRandomField

TRUE = ["B-PER", "I-PER", "O", "B-LOC", "O", "B-PER", "B-PER", "O"]
SAID = ["B-PER", "I-PER", "O", "B-PER", "O", "B-PER", "I-PER", "O"]
NAMES = ["a", "a", "a", "a", "b", "b", "b", "c"]


def test_counts_by_hand():
    found = sequence_scores(TRUE, SAID, NAMES)
    assert (found.correct_rows, found.n_rows) == (6, 8)
    assert (found.correct_sequences, found.n_sequences) == (1, 3)  # c alone is without a mistake
    # true: PER 0-2, LOC 3-4, PER 5-6, PER 6-7; said: PER 0-2, PER 3-4, PER 5-7
    counts = {one.kind: (one.true, one.predicted, one.correct) for one in found.spans}
    assert counts == {"LOC": (1, 0, 0), "PER": (3, 3, 1)}
    total = found.all_spans
    assert (total.precision, total.recall, total.f1) == (1 / 3, 1 / 4, 2 / 7)
    assert found.sequences == wilson(1, 3)
    # a = 3, 2, 1 of b = 4, 3, 1 rows: p = 6/8, gaps a - p b = 0, -1/4, 1/4; v = 3/2 · 1/8 / 64
    n = 0.75 * 0.25 / (1.5 * 0.125 / 64)
    assert (found.rows.low, found.rows.high) == pytest.approx(
        [getattr(wilson(0.75 * n, n), end) for end in ("low", "high")]
    )
    work = found.work()
    assert work["F1 of spans"].result == 2 / 7
    assert "75.0% of the rows and 33.3% of the sequences" in work.conclusion


def test_a_span_ends_with_its_sequence_and_begins_where_nothing_goes_on():
    labels = ["I-A", "I-A", "I-B", "B-B", "O", "I-A"]
    assert spans_of(labels, list("xxxxxx")) == [(0, 2, "A"), (2, 3, "B"), (3, 4, "B"), (5, 6, "A")]
    assert spans_of(["B-A", "I-A"], ["x", "y"]) == [(0, 1, "A"), (1, 2, "A")]


def test_other_labels_have_no_spans():
    assert not is_bio(["noun", "verb"])
    assert not is_bio(["O"])
    found = sequence_scores(["noun", "verb"], ["noun", "noun"], [1, 1])
    assert found.f1 is None
    assert found.spans == ()


def test_rows_of_a_sequence_need_not_stand_together():
    order = [4, 0, 7, 1, 5, 2, 6, 3]
    mixed = ([column[i] for i in order] for column in (TRUE, SAID, NAMES))
    assert sequence_scores(*mixed) == sequence_scores(TRUE, SAID, NAMES)


def test_perfect_labels_have_an_interval_by_sequences():
    found = sequence_scores(TRUE, TRUE, NAMES)
    assert found.rows.low == pytest.approx(wilson(3, 3).low)  # three sequences, not eight rows
    assert not math.isnan(found.f1.high)


def test_lengths_must_agree():
    with pytest.raises(DataError, match="as long as each other"):
        sequence_scores(TRUE, SAID[1:], NAMES)


def test_evaluations_never_divide_a_sequence_and_hide_its_name_from_others():
    # labels alternate within a sequence, and x says which is the first: only the chain knows the others
    rows = [{"s": f"s{s}", "x": "ab"[s % 2] if t == 0 else "u"} for s in range(12) for t in range(5)]
    y = ["A" if (s + t) % 2 else "B" for s in range(12) for t in range(5)]
    chain = ConditionalRandomField(sequence="s", C=10.0)
    for fold in evaluate(chain, rows, y, cv=4).folds:
        assert len(fold.rows) % 5 == 0
        assert len({rows[i]["s"] for i in fold.rows}) == len(fold.rows) / 5
    alone = ConditionalRandomField(sequence="s", alone=True)
    comparison = compare({"chain": chain, "alone": alone}, rows, y, cv=4)
    scores = {label: one.sequence_scores() for label, one in comparison.evaluations.items()}
    assert scores["chain"].n_sequences == 12
    assert scores["chain"].row_accuracy > scores["alone"].row_accuracy
    with pytest.raises(DataError, match="groups"):
        evaluate(ConditionalRandomField(), rows, y, cv=4).sequence_scores()
