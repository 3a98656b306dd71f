"""How good the predictions are: what must agree before times are compared."""

import numpy as np
from sklearn.metrics import accuracy_score, log_loss

__all__ = ["SOME", "held_out", "judged", "scores"]

#: Probabilities are compared on so many rows: enough to differ, few enough to be quick.
SOME = 20_000


def scores(y, predicted, proba):
    """Accuracy on all rows, log loss on the first."""
    return {
        "accuracy": float(accuracy_score(y, predicted)),
        "log loss": float(log_loss(y[:SOME], proba, labels=np.unique(y))),
    }


def judged(model, given, predicted):
    X, y = given
    return scores(y, predicted, model.predict_proba(X[:SOME]))


def held_out(_model, given, predicted):
    """Accuracy on rows that were not learnt from: the last of `given` says what is right."""
    return {"held-out accuracy": float(accuracy_score(given[-1], predicted))}
