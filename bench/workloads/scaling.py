"""Ten times the rows: n log n would take 10 log 10⁶ / log 10⁵ = 12 times as long.

A full-grown tree takes longer where ten times the rows make it deeper: a row is looked at once for each test
that it goes through, so that their number is told, too.
"""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads.forests import fit_forest, fit_stumps
from bench.workloads.quality import held_out
from bench.workloads.trees import (
    SKLEARN,
    as_tables,
    fit_id3,
    fit_ours,
    fit_sklearn,
    make,
    make_codes,
    predict,
    single,
)

ROWS, N_LOG_N = 1_000_000, 12


def tenth(data):
    """Every tenth row to learn from."""
    X, y, X_new, y_new = data
    return np.ascontiguousarray(X[::10]), y[::10], X_new, y_new


def and_tests(model, given, predicted):
    """Also how many tests a training row goes through."""
    tree = model.tree_
    tests = tree.weight[tree.attribute >= 0].sum() / len(given[1])
    return held_out(model, given, predicted) | {"tests a row": float(tests)}


def a_tenth_of(prepare, fit, quality, **options):
    """The contestant that is given a tenth of the rows: they teach less, so it is judged by other names."""

    def named(model, given, predicted):
        found = quality(model, given, predicted)
        return {f"{name}, a tenth of the rows": value for name, value in found.items()}

    return Contestant(lambda data: prepare(tenth(data)), fit, predict, named, **options)


def scaling(name, what, data, prepare, fit, quality=held_out, others=()):
    """The time of a fit beside that of a tenth of the rows."""
    fewer = f"{OURS}, a tenth of the rows"
    return Workload(
        name=name,
        title=f"{what}, ten times the rows: n log n would take {N_LOG_N} times as long",
        rows=ROWS,
        make=data,
        contestants={
            OURS: Contestant(prepare, fit, predict, quality),
            fewer: a_tenth_of(prepare, fit, quality),
            **dict(others),
        },
        goals=(Goal("fit", "growth", N_LOG_N, (fewer,)),),
        noise=3.0,
        runs=1,
    )


TREE = scaling(
    "tree-scaling",
    "A tree of full depth",
    make,
    tuple,
    fit_ours,
    and_tests,
    {
        SKLEARN: Contestant(single, fit_sklearn, predict, held_out, needs="sklearn"),
        f"{SKLEARN}, a tenth of the rows": a_tenth_of(single, fit_sklearn, held_out, needs="sklearn"),
    },
)
NOMINAL = scaling(
    "nominal-scaling", "A multiway tree of full depth (ID3)", make_codes, as_tables, fit_id3, and_tests
)
FOREST = scaling("forest-scaling", "A random forest of 100 trees", make, tuple, fit_forest)
STUMPS = scaling("adaboost-scaling", "AdaBoost of 100 stumps", make, tuple, fit_stumps)
