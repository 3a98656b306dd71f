"""Categories only: codes that are ready, and values as they come."""

from collections.abc import Callable

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads.quality import SOME, judged, scores

COLUMNS, VALUES = 30, 10


def make(rows, seed, columns=COLUMNS):
    """Codes from 0 to 9, shared out differently in the two classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    shares = rng.dirichlet(np.full(VALUES, 20.0), (columns, 2)).cumsum(axis=2)
    X = np.empty((rows, columns), dtype=np.int64)
    for j in range(columns):
        draws = rng.random(rows)
        for c in (0, 1):
            X[y == c, j] = np.searchsorted(shares[j, c], draws[y == c]).clip(max=VALUES - 1)
    return X, y


def nominal(names):
    from openbook.data import Nominal

    return [Nominal(name, tuple(map(str, range(VALUES)))) for name in names]


def as_table(data):
    """The codes as openbook keeps them."""
    from openbook.data import Schema, Table

    X, y = data
    attributes = nominal(f"x{j}" for j in range(X.shape[1]))
    return Table(Schema(tuple(attributes)), [X[:, j].astype(np.int8) for j in range(X.shape[1])]), y


def in_order(order: str) -> Callable:
    """Codes for scikit-learn, row after row (C) or column after column (F): neither is best at everything."""
    return lambda data: (np.asarray(data[0], order=order), data[1])


def fit_ours(given):
    from openbook.bayes import NaiveBayes

    return NaiveBayes().fit(*given)


def fit_sklearn(given):
    from sklearn.naive_bayes import CategoricalNB

    return CategoricalNB().fit(*given)


def predict(model, given):
    return model.predict(given[0])


PEERS = ("CategoricalNB, C order", "CategoricalNB, F order")

CATEGORICAL = Workload(
    name="categorical",
    title="Categorical naive Bayes, 30 columns of 10 values, codes ready",
    rows=1_000_000,
    make=make,
    contestants={
        OURS: Contestant(as_table, fit_ours, predict, judged),
        PEERS[0]: Contestant(in_order("C"), fit_sklearn, predict, judged, needs="sklearn"),
        PEERS[1]: Contestant(in_order("F"), fit_sklearn, predict, judged, needs="sklearn"),
    },
    goals=(
        Goal("fit", "times", 20, PEERS),
        Goal("predict", "times", 4, PEERS),
        Goal("fit", "share", 0.25),
    ),
)


def read_and_fit(given):
    import openbook
    from openbook.bayes import NaiveBayes

    X, y = given
    return NaiveBayes().fit(openbook.read(X, kinds="nominal"), y)


def encode_and_fit(given):
    from sklearn.naive_bayes import CategoricalNB
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OrdinalEncoder

    return make_pipeline(OrdinalEncoder(dtype=np.int64), CategoricalNB()).fit(*given)


def judged_raw(model, given, predicted):
    X, y = given
    return scores(y, predicted, model.predict_proba(X[:SOME]))


RAW_PEER = "OrdinalEncoder + CategoricalNB"

FROM_VALUES = Workload(
    name="categorical-raw",
    title="The same from whole numbers as they come: encode, fit; encode, predict",
    rows=1_000_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, read_and_fit, predict, judged_raw),
        RAW_PEER: Contestant(tuple, encode_and_fit, predict, judged_raw, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 1, (RAW_PEER,)), Goal("predict", "times", 1, (RAW_PEER,))),
)
