"""The area under the ROC curve of many scores, some of them tied."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload


def make(rows, seed):
    rng = np.random.default_rng(seed)
    truth = rng.random(rows) < 0.3
    return truth, (rng.normal(size=rows) + truth).astype(np.float32).astype(np.float64)


def area_ours(given):
    from openbook.judge import auc

    return auc(*given)


def area_sklearn(given):
    from sklearn.metrics import roc_auc_score

    return roc_auc_score(*given)


def area_intelex(given):
    from sklearnex.metrics import roc_auc_score

    return roc_auc_score(*given)


def judged(area, _given, _predicted):
    return {"AUC": float(area)}


SKLEARN, INTELEX = "scikit-learn roc_auc_score", "intelex roc_auc_score"

AUC = Workload(
    name="auc",
    title="ROC AUC of scores",
    rows=5_000_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, area_ours, quality=judged),
        SKLEARN: Contestant(tuple, area_sklearn, quality=judged, needs="sklearn"),
        INTELEX: Contestant(tuple, area_intelex, quality=judged, needs="sklearnex"),
    },
    goals=(Goal("fit", "times", 2.5, (SKLEARN,)), Goal("fit", "times", 1, (INTELEX,))),
    tolerance=1e-12,
)
