"""One tree, grown to its full depth: numbers, categories, ten times the rows, and files on disk.

All learn from the rows and are judged on a quarter as many others: `(X, y, X_held_out, y_held_out)`.

scikit-learn learns from float32 alone. Its time is taken where it is given just that. Its memory is taken
where it is given the numbers or codes that all are given: the copy that it makes of them is part of its peak.
"""

import numpy as np

from bench import weka
from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads import scan
from bench.workloads.quality import SOME, held_out

COLUMNS, INFORMATIVE = 30, 10
NOMINAL_COLUMNS, VALUES = 20, 5


def make(rows, seed):
    """Two classes, ten attributes that matter; numbers that float32 holds, as scikit-learn rounds to it."""
    from sklearn.datasets import make_classification

    X, y = make_classification(rows + rows // 4, COLUMNS, n_informative=INFORMATIVE, random_state=seed)
    X = X.astype(np.float32).astype(np.float64)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def single(data):
    """In float32, which scikit-learn would otherwise turn them into."""
    X, y, X_new, y_new = data
    return X.astype(np.float32), y, X_new.astype(np.float32), y_new


def arff_of_numbers(data):
    X, y, X_new, y_new = data
    columns = {f"x{j}": np.concatenate([X[:, j], X_new[:, j]]) for j in range(X.shape[1])}
    return weka.write_arff({**columns, "y": np.concatenate([y, y_new])}, {"y": "01"})


def fit_ours(given):
    from openbook.tree import DecisionTreeClassifier

    return DecisionTreeClassifier().fit(*given[:2])


def fit_sklearn(given):
    from sklearn.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(random_state=0).fit(*given[:2])


def predict(model, given):
    return model.predict(given[2])


SKLEARN, FROM_DOUBLE = "DecisionTreeClassifier", "DecisionTreeClassifier, from float64"
J48 = "WEKA J48, unpruned"

TREE = Workload(
    name="tree",
    title="A tree of full depth, 30 numeric columns",
    rows=100_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_ours, predict, held_out),
        SKLEARN: Contestant(single, fit_sklearn, predict, held_out, needs="sklearn"),
        FROM_DOUBLE: Contestant(tuple, fit_sklearn, predict, held_out, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 10, (SKLEARN,)), Goal("fit", "memory", 1, (FROM_DOUBLE,))),
    noise=3.0,  # 0.01 at 100,000 rows
    runs=1,
)


def fit_c45(given):
    from openbook.tree import C45

    return C45(prune=None).fit(*given[:2])


C45 = Workload(
    name="tree-c45",
    title="C4.5 without pruning, 30 numeric columns",
    rows=100_000,
    make=make,
    contestants={
        OURS: Contestant(tuple, fit_c45, predict, held_out),
        J48: weka.contestant("trees.J48 -U", arff_of_numbers),
    },
    goals=(Goal("fit", "times", 20, (J48,)),),
    noise=3.0,
    runs=1,
)


def make_codes(rows, seed):
    """Codes from 0 to 4; five attributes matter, each value by its own effect, and chance."""
    rng = np.random.default_rng(seed)
    X = rng.integers(0, VALUES, (rows + rows // 4, NOMINAL_COLUMNS))
    effects = rng.normal(size=(5, VALUES))
    y = (effects[np.arange(5), X[:, :5]].sum(axis=1) + rng.logistic(0.0, 0.5, len(X)) > 0).astype(int)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def as_tables(data):
    """The codes as openbook keeps them."""
    from openbook.data import Nominal, Schema, Table

    schema = Schema(tuple(Nominal(f"x{j}", tuple("abcde")) for j in range(NOMINAL_COLUMNS)))
    tables = (Table(schema, list(np.ascontiguousarray(X.T, dtype=np.int8))) for X in (data[0], data[2]))
    X, X_new = tables
    return X, data[1], X_new, data[3]


def bytes_of_codes(data):
    """The codes in a byte each, as they are in tables."""
    X, y, X_new, y_new = data
    return X.astype(np.int8), y, X_new.astype(np.int8), y_new


def arff_of_codes(data):
    X, y, X_new, y_new = data
    letters = np.array(list("abcde"))
    columns = {f"x{j}": letters[np.concatenate([X[:, j], X_new[:, j]])] for j in range(X.shape[1])}
    values = dict.fromkeys(columns, "abcde")
    return weka.write_arff({**columns, "y": np.concatenate([y, y_new])}, {**values, "y": "01"})


def fit_id3(given):
    from openbook.tree import ID3

    return ID3().fit(*given[:2])


OUR_C45, ID3 = "openbook, C4.5 unpruned", "WEKA Id3"
CODES = "DecisionTreeClassifier, codes as numbers"
FROM_BYTES = f"{CODES}, from int8"

NOMINAL = Workload(
    name="tree-nominal",
    title="A multiway tree of full depth (ID3), 20 nominal columns of 5 values",
    rows=100_000,
    make=make_codes,
    contestants={
        OURS: Contestant(as_tables, fit_id3, predict, held_out),
        OUR_C45: Contestant(as_tables, fit_c45, predict, held_out),
        ID3: weka.contestant("trees.Id3", arff_of_codes),
        J48: weka.contestant("trees.J48 -U", arff_of_codes),
        CODES: Contestant(single, fit_sklearn, predict, held_out, needs="sklearn"),
        FROM_BYTES: Contestant(bytes_of_codes, fit_sklearn, predict, held_out, needs="sklearn"),
    },
    goals=(
        Goal("fit", "times", 8, (ID3,)),
        Goal("fit", "times", 8, (J48,), OUR_C45),
        Goal("fit", "times", 5, (CODES,)),
        Goal("fit", "memory", 1, (FROM_BYTES,)),
    ),
    noise=6.0,  # 0.02 at 100,000 rows: the trees differ in more than speed
)


def binned():
    from openbook.tree import DecisionTreeClassifier

    return DecisionTreeClassifier(bins=255, nominal="subset", max_depth=8)


def fit_scan(pattern):
    import openbook

    return binned().fit(openbook.scan(pattern), "y")


def fit_read(pattern):
    return binned().fit(scan.read(pattern), "y")


def on_the_first(model, pattern, _predicted):
    """Accuracy on the first rows."""
    import openbook

    X, y = next(openbook.scan(pattern).chunks()).head(SOME).split("y")
    return {"accuracy": float(np.mean(model.predict(X) == np.asarray(y)))}


READ = "openbook.read, all in memory"

ON_DISK = Workload(
    name="tree-scan",
    title="A binned tree of depth 8 from `scan`: Parquet files, 15 numeric and 15 nominal columns",
    rows=10_000_000,
    make=scan.make,
    contestants={
        OURS: Contestant(str, fit_scan, quality=on_the_first),
        READ: Contestant(str, fit_read, quality=on_the_first, bytes_per_row=1000),
    },
    goals=(Goal("fit", "bytes", 2e9),),
    tolerance=0.005,
    noise=1.0,  # where few rows decide the bins
    rounds=1,
    runs=1,
)
