"""Predictions that tell much, picked by hand from few."""

import numpy as np

from openbook.judge import Evaluation, FoldResult, notable_predictions


def evaluation(truth, predicted, proba=None, rows=None, folds=1):
    classes = None if isinstance(truth[0], float) else np.array(["a", "b", "c"])
    parts = np.array_split(np.arange(len(truth)), folds)
    results = tuple(
        FoldResult(
            index=i,
            rows=(np.arange(len(truth)) if rows is None else np.array(rows))[part],
            y_true=np.array(truth)[part],
            y_pred=np.array(predicted)[part],
            proba=None if proba is None else np.array(proba)[part],
            n_train=5,
            fit_seconds=0.0,
            predict_seconds=0.0,
            complexity=1,
            warnings=(),
        )
        for i, part in enumerate(parts)
    )
    return Evaluation("m", "regression" if classes is None else "classification", classes, results)


PROBA = [[0.9, 0.1, 0.0], [0.5, 0.4, 0.1], [0.2, 0.8, 0.0], [0.1, 0.2, 0.7], [0.6, 0.3, 0.1]]


def test_typical_doubtful_and_confidently_wrong():
    """Right are rows 0, 1 and 3 (0.9, 0.5, 0.7), median 0.7. Row 1 has 0.5 and 0.4. Wrong: 0.8 and 0.6."""
    found = notable_predictions(
        evaluation([0, 0, 0, 2, 1], [0, 0, 1, 2, 0], PROBA, rows=[10, 11, 12, 13, 14], folds=2)
    )
    assert [(each.kind, each.row, each.fold) for each in found] == [
        ("typical", 13, 1),
        ("doubtful", 11, 0),
        ("wrong", 12, 0),
    ]
    assert found[0].words == "typical: predicted correctly, with the median probability 0.7"
    assert found[1].words == "the least certain: the two most probable classes have 0.5 and 0.4"
    assert found[2].words == "the most confident mistake: predicted with a probability of 0.8"


def test_what_there_is_not_is_left_out():
    faultless = notable_predictions(evaluation([0, 0], [0, 0], PROBA[:2]))
    assert [(each.kind, each.row) for each in faultless] == [("typical", 1)]  # which is the doubtful one too
    hopeless = notable_predictions(evaluation([1, 1], [0, 0], PROBA[:2]))
    assert [(each.kind, each.row) for each in hopeless] == [("doubtful", 1), ("wrong", 0)]


def test_without_probabilities_the_first_of_each():
    found = notable_predictions(evaluation([0, 1, 2, 1], [1, 1, 2, 0]))
    assert [(each.kind, each.row) for each in found] == [("typical", 1), ("wrong", 0)]


def test_of_numbers_the_median_error_and_the_farthest():
    """Errors +1, -4, +2, 0, +7: sizes 0, 1, 2, 4, 7, whose median is 2."""
    found = notable_predictions(evaluation([0.0] * 5, [1.0, -4.0, 2.0, 0.0, 7.0]))
    assert [(each.kind, each.row) for each in found] == [("typical", 2), ("too high", 4), ("too low", 1)]
    assert found[0].words == "typical: its error, +2, has the median size"
    assert found[2].words == "the largest underestimate: by 4"
