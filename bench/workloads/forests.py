"""A hundred trees: random forests, boosted stumps, and gradient boosting.

The data are those of one tree, and as there scikit-learn's time is taken where it is given float32, its
memory where it is given the float64 that all are given.
"""

import os

from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads.quality import held_out
from bench.workloads.trees import make, predict, single

TREES = 100


def fit_forest(given):
    from openbook.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=TREES, random_state=0).fit(*given[:2])


def fit_sklearn_forest(given):
    from sklearn.ensemble import RandomForestClassifier

    return RandomForestClassifier(n_estimators=TREES, random_state=0).fit(*given[:2])


def fit_intel_forest(given):
    from sklearnex.ensemble import RandomForestClassifier

    threads = int(os.environ.get("OMP_NUM_THREADS", "1"))  # it would take all that there are
    return RandomForestClassifier(n_estimators=TREES, random_state=0, n_jobs=threads).fit(*given[:2])


SKLEARN, FROM_DOUBLE = "RandomForestClassifier", "RandomForestClassifier, from float64"
INTEL = "scikit-learn-intelex"

FOREST = Workload(
    name="forest",
    title="A random forest of 100 trees, 30 numeric columns",
    rows=100_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_forest, predict, held_out),
        SKLEARN: Contestant(single, fit_sklearn_forest, predict, held_out, needs="sklearn"),
        FROM_DOUBLE: Contestant(tuple, fit_sklearn_forest, predict, held_out, needs="sklearn"),
        INTEL: Contestant(single, fit_intel_forest, predict, held_out, needs="sklearnex"),
    },
    goals=(
        Goal("fit", "times", 12, (SKLEARN,)),
        Goal("fit", "times", 1.5, (INTEL,)),
        Goal("predict", "times", 1.5, (SKLEARN, INTEL)),
        Goal("fit", "memory", 1, (FROM_DOUBLE,)),
    ),
    noise=0.95,  # 0.003 at 100,000 rows
    runs=1,
)


def fit_stumps(given):
    from openbook.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=TREES, random_state=0).fit(*given[:2])


def fit_sklearn_stumps(given):
    from sklearn.ensemble import AdaBoostClassifier

    return AdaBoostClassifier(n_estimators=TREES, random_state=0).fit(*given[:2])


ADABOOST, ADABOOST_FROM_DOUBLE = "AdaBoostClassifier", "AdaBoostClassifier, from float64"

STUMPS = Workload(
    name="adaboost",
    title="AdaBoost of 100 stumps, 30 numeric columns",
    rows=100_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_stumps, predict, held_out),
        ADABOOST: Contestant(single, fit_sklearn_stumps, predict, held_out, needs="sklearn"),
        ADABOOST_FROM_DOUBLE: Contestant(tuple, fit_sklearn_stumps, predict, held_out, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 50, (ADABOOST,)), Goal("fit", "memory", 1, (ADABOOST_FROM_DOUBLE,))),
    noise=0.95,  # 0.003 at 100,000 rows
    runs=1,
)


def fit_boosting(given):
    from openbook.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(n_estimators=TREES).fit(*given[:2])


def fit_sklearn_boosting(given):
    from sklearn.ensemble import GradientBoostingClassifier

    return GradientBoostingClassifier(n_estimators=TREES, random_state=0).fit(*given[:2])


def fit_sklearn_histograms(given):
    from sklearn.ensemble import HistGradientBoostingClassifier

    options = {"max_iter": TREES, "max_depth": 3, "max_leaf_nodes": None, "min_samples_leaf": 1}
    return HistGradientBoostingClassifier(early_stopping=False, **options).fit(*given[:2])


EXACT, HISTOGRAMS = "GradientBoostingClassifier", "HistGradientBoostingClassifier"

BOOSTING = Workload(
    name="gradient_boosting",
    title="Gradient boosting of 100 trees of depth 3, 30 numeric columns",
    rows=100_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_boosting, predict, held_out),
        EXACT: Contestant(tuple, fit_sklearn_boosting, predict, held_out, needs="sklearn"),
        HISTOGRAMS: Contestant(tuple, fit_sklearn_histograms, predict, held_out, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 10, (EXACT,)), Goal("fit", "times", 1, (HISTOGRAMS,))),
    noise=0.95,  # 0.003 at 100,000 rows
    runs=1,
)
