"""Scores of labelled sequences: counted by hand."""

import numpy as np
import pytest
from scipy import stats

from openbook.errors import DataError
from openbook.judge import Evaluation, FoldResult, compare, evaluate, sequence_scores, wilson
from openbook.judge.scores.sequences import is_bio, spans_of
from openbook.sequence import ConditionalRandomField

TRUE = ["B-PER", "I-PER", "O", "B-LOC", "O", "B-PER", "B-PER", "O"]
SAID = ["B-PER", "I-PER", "O", "B-PER", "O", "B-PER", "I-PER", "O"]
NAMES = ["a", "a", "a", "a", "b", "b", "b", "c"]
_FEW = (stats.norm.ppf(0.975) / stats.t.ppf(0.975, 2)) ** 2  # what a row of three sequences counts for


def _ends(interval):
    return interval.low, interval.high


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
    # so that p (1 - p) / v = 64, and 64 · 0.2075 = 13.3 effective rows: more than there are
    assert _ends(found.rows) == pytest.approx(_ends(wilson(6, 8)))
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


def test_perfect_labels_of_few_sequences_have_a_wide_interval():
    """(z / t)² = (1.960 / 4.303)² = 0.2075 of 8 rows; two sequences have spans, so hardly one counts."""
    found = sequence_scores(TRUE, TRUE, NAMES)
    assert _ends(found.rows) == pytest.approx(_ends(wilson(8 * _FEW, 8 * _FEW)))
    assert _ends(found.f1) == pytest.approx(_ends(wilson(1, 1)))


def test_rows_have_the_interval_that_the_ranking_shows():
    """One procedure: 36 sentences of 5 rows, one of them labelled wrongly, and none."""
    names, y = [s for s in range(36) for _ in range(5)], list("ABABA") * 36
    for wrong in (0, 1):
        said = ["B" if i < wrong else label for i, label in enumerate(y)]
        truth, predicted = (np.array([int(label == "B") for label in labels]) for labels in (y, said))
        fold = FoldResult(0, np.arange(180), truth, predicted, None, 180, 0, 0, None, ())
        ranked = Evaluation("", "classification", ["A", "B"], [fold], groups=np.array(names))
        assert _ends(sequence_scores(y, said, names).rows) == pytest.approx(
            _ends(ranked.interval("accuracy"))
        )


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
