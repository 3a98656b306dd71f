"""What tests of judging share: an evaluation made of given predictions."""

import numpy as np
import pytest

from openbook.judge import Evaluation, FoldResult


@pytest.fixture(scope="session")
def judged():
    """An Evaluation from truths and predictions, row by row, in so many folds of neighbouring rows."""

    def build(truth, predicted, proba=None, *, folds=2, classes=("no", "yes"), name="model"):
        truth, predicted = np.asarray(truth), np.asarray(predicted)
        parts = [
            FoldResult(
                i,
                rows,
                truth[rows],
                predicted[rows],
                None if proba is None else np.asarray(proba, dtype=float)[rows],
                len(truth) - len(rows) if folds > 1 else len(truth),
                0.0,
                0.0,
                None,
                (),
            )
            for i, rows in enumerate(np.array_split(np.arange(len(truth)), folds))
        ]
        task = "classification" if classes is not None else "regression"
        return Evaluation(name, task, classes, parts)

    return build
