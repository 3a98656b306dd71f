"""Learners x shapes: how many times as fast as scikit-learn, on one thread, in one process.

    python -m bench.matrix                  prints the whole matrix as Markdown
    python -m bench.matrix --write          and puts it into docs/performance.md
    python -m bench.matrix --share 0.05     of a twentieth of the rows

A cell is the time of scikit-learn's fit and predict over ours: 2 is twice as fast, and below 1 we lose. Time
is that of the processor, the best of 3 to 50 runs in turns, or two if they are long, after one that compiles.
scikit-learn gets its usual preparation (imputed means, one-hot columns, standard units; a text of many values
by its mean target) in a pipeline, which is part of its time, as ours is of ours. "worse" stands where our
score in training is more than a hundredth below theirs, or on held-out rows where there are any: such a time
does not count. Quadratic learners see no more than the rows in LEARNERS.
"""

import argparse
import datetime as dt
import os
import statistics
import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from itertools import product
from operator import itemgetter
from pathlib import Path
from time import process_time
from typing import Any, NamedTuple

THREADS = (
    "OMP_NUM_THREADS",
    "OPENBLAS_NUM_THREADS",
    "MKL_NUM_THREADS",
    "NUMBA_NUM_THREADS",
    "POLARS_MAX_THREADS",
)
os.environ |= dict.fromkeys(THREADS, "1")  # before anything starts threads

import numpy as np  # noqa: E402

from bench.run import machine  # noqa: E402
from bench.show import write_between  # noqa: E402

__all__ = ["LEARNERS", "SHAPES", "Cell", "markdown", "measure"]

PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
#: By so much our score may be lower.
WORSE = 0.01
#: At least and at most so many runs, in turns; no more than the least once they took SPENT seconds together,
#: and no more than two once they took LONG.
RUNS, SPENT, LONG = (3, 50), 1.0, 8.0
#: A text of more values than these is encoded by its mean target, not one-hot.
MANY_VALUES = 100


class Data(NamedTuple):
    """A shape: inputs as an array or a frame, classes, numbers, and which columns are texts."""

    X: Any
    y: np.ndarray
    numbers: np.ndarray
    texts: tuple[str, ...] = ()
    test: "Data | None" = None  # rows that are predicted; None for those learnt from

    def head(self, rows: int) -> "Data":
        return Data(self.X[:rows], self.y[:rows], self.numbers[:rows], self.texts)

    def split(self) -> "Data":
        """The first half, to learn from, and the other to predict."""
        half = len(self.y) // 2
        test = Data(self.X[half:], self.y[half:], self.numbers[half:], self.texts)
        return self.head(half)._replace(test=test)


def numeric(n: int, d: int, classes: int = 2, *, gaps: float = 0.0, digits: int | None = None) -> Data:
    """Normal columns; numbers that ten of them explain, and classes of about equal size by the numbers."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(n, d))
    informative = X[:, : min(d, 10)]
    numbers = informative @ rng.normal(size=informative.shape[1]) + 0.5 * rng.normal(size=n)
    y = np.searchsorted(np.quantile(numbers, np.arange(1, classes) / classes), numbers)
    if classes > 2:  # groups, not slices of one direction
        X[:, : min(d, 10)] += 2 * rng.normal(size=(classes, informative.shape[1]))[y]
    if digits is not None:
        X = np.round(X, digits)
    if gaps:
        X[rng.random(X.shape) < gaps] = np.nan
    return Data(X, y, numbers)


def texts(n: int, d: int, values: int, numbers: int = 0) -> Data:
    """Columns of texts, whose values shift the target, and some numbers beside them; a frame."""
    import pandas as pd

    rng = np.random.default_rng(0)
    codes = rng.integers(values, size=(n, d))
    shifts = rng.normal(size=(d, values))
    X = rng.normal(size=(n, numbers))
    target = shifts[np.arange(d), codes].sum(axis=1) + X.sum(axis=1) + 0.5 * rng.normal(size=n)
    words = np.array([f"value {i}" for i in range(values)], dtype=object)
    columns = {f"text {j}": words[codes[:, j]] for j in range(d)}
    columns |= {f"number {j}": X[:, j] for j in range(numbers)}
    names = tuple(f"text {j}" for j in range(d))
    return Data(pd.DataFrame(columns), (target > np.median(target)).astype(int), target, names)


SHAPES: Mapping[str, tuple[str, Callable[[int], Data], int]] = {  # title, of so many rows, rows
    "tiny": ("150 x 4", partial(numeric, d=4, classes=3), 150),
    "tall": ("100,000 x 20", partial(numeric, d=20), 100_000),
    "wide": ("500 x 2,000", partial(numeric, d=2000), 500),
    "wider": ("500 x 5,000", partial(numeric, d=5000), 500),
    "missing": ("20,000 x 20, a tenth missing", partial(numeric, d=20, gaps=0.1), 20_000),
    "ties": ("20,000 x 20, whole numbers", partial(numeric, d=20, digits=0), 20_000),
    "50 classes": ("5,000 x 20, 50 classes", partial(numeric, d=20, classes=50), 5000),
    "10,000 values": (
        "20,000 x 6, a text of 10,000 values",
        lambda n: texts(2 * n, d=1, values=10_000, numbers=5).split(),
        20_000,
    ),
    "float32": ("100,000 x 20, float32", lambda n: _in_float32(numeric(n, 20)), 100_000),
    "strings": ("50,000 x 6 texts of 10 values", partial(texts, d=6, values=10), 50_000),
    "one-vs-rest": ("2,000 x 20, 10 classes, a machine each", partial(numeric, d=20, classes=10), 2000),
}


def _in_float32(data: Data) -> Data:
    return data._replace(X=data.X.astype(np.float32))


class Learner(NamedTuple):
    """Ours and theirs: where from, parameters, what it learns, and the most rows and the shapes it is for."""

    ours: str
    theirs: str
    task: str  # classes, numbers, groups or directions
    options: Mapping[str, Any] = {}
    their_options: Mapping[str, Any] = {}
    per_row: Mapping[str, float] = {}  # of ours, times the number of rows
    scaled: bool = False
    rows: int = 1_000_000
    skip: tuple[str, ...] = ("one-vs-rest",)


NUMBERS = ("one-vs-rest", "50 classes")
GROUPS = (*NUMBERS, "10,000 values", "strings", "missing")

LEARNERS: Mapping[str, Learner] = {
    "naive Bayes": Learner(
        "bayes:NaiveBayes",
        "naive_bayes:GaussianNB",
        "classes",
        skip=("one-vs-rest", "10,000 values", "strings"),
    ),
    "least squares": Learner(
        "linear:LinearRegression",
        "linear_model:LinearRegression",
        "numbers",
        skip=NUMBERS,
    ),
    "ridge": Learner(
        "linear:LinearRegression",
        "linear_model:Ridge",
        "numbers",
        {"l2": 1.0},
        {"alpha": 1.0},
        scaled=True,
        skip=NUMBERS,
    ),
    "lasso": Learner(
        "linear:LinearRegression",
        "linear_model:Lasso",
        "numbers",
        {},
        {"alpha": 0.01, "tol": 1e-6},
        per_row={"l1": 0.01},
        scaled=True,
        skip=NUMBERS,
    ),
    "logistic regression": Learner(
        "linear:LogisticRegression",
        "linear_model:LogisticRegression",
        "classes",
        {},
        {"tol": 1e-6, "max_iter": 1000},
        scaled=True,
    ),
    "linear discriminant": Learner(
        "linear:LinearDiscriminantAnalysis",
        "discriminant_analysis:LinearDiscriminantAnalysis",
        "classes",
    ),
    "PCA": Learner(
        "reduce:PCA",
        "decomposition:PCA",
        "directions",
        {"n_components": 4},
        {"n_components": 4},
        scaled=True,
        skip=GROUPS,
    ),
    "tree": Learner("tree:DecisionTreeClassifier", "tree:DecisionTreeClassifier", "classes", rows=20_000),
    "forest, 20 trees": Learner(
        "ensemble:RandomForestClassifier",
        "ensemble:RandomForestClassifier",
        "classes",
        {"n_estimators": 20, "random_state": 0},
        {"n_estimators": 20, "random_state": 0},
        rows=5000,
    ),
    "extra trees, 20": Learner(
        "ensemble:ExtraTreesClassifier",
        "ensemble:ExtraTreesClassifier",
        "classes",
        {"n_estimators": 20, "random_state": 0},
        {"n_estimators": 20, "random_state": 0},
        rows=5000,
    ),
    "gradient boosting, 20 rounds": Learner(
        "ensemble:GradientBoostingClassifier",
        "ensemble:HistGradientBoostingClassifier",
        "classes",
        {"n_estimators": 20, "min_samples_leaf": 20},
        {
            "max_iter": 20,
            "max_depth": 3,
            "max_leaf_nodes": None,
            "min_samples_leaf": 20,
            "early_stopping": False,
        },
        skip=("one-vs-rest",),
    ),
    "AdaBoost, 20 stumps": Learner(
        "ensemble:AdaBoostClassifier",
        "ensemble:AdaBoostClassifier",
        "classes",
        {"n_estimators": 20, "random_state": 0},
        {"n_estimators": 20, "random_state": 0},
        rows=20_000,
        skip=("one-vs-rest", "50 classes"),
    ),
    "nearest neighbours": Learner(
        "neighbors:KNeighborsClassifier",
        "neighbors:KNeighborsClassifier",
        "classes",
        scaled=True,
        rows=5000,
        skip=("one-vs-rest", "strings"),
    ),
    "SVC, radial": Learner(
        "svm:SVC",
        "svm:SVC",
        "classes",
        {"calibrate": None, "multiclass": "ovo"},
        scaled=True,
        rows=2000,
    ),
    "SVC, radial, one-vs-rest": Learner(
        "svm:SVC",
        "svm:SVC",
        "classes",
        {"calibrate": None, "multiclass": "ovr"},
        {"one_vs_rest": True},
        scaled=True,
        rows=2000,
        skip=tuple(name for name in SHAPES if name not in {"one-vs-rest", "tiny", "50 classes"}),
    ),
    "SVC, linear, squared hinge": Learner(
        "svm:SVC",
        "svm:LinearSVC",
        "classes",
        {"calibrate": None, "kernel": "linear", "loss": "squared_hinge", "multiclass": "ovr"},
        scaled=True,
        rows=5000,
    ),
    "k-means": Learner(
        "cluster:KMeans",
        "cluster:KMeans",
        "groups",
        {"n_clusters": 8, "n_init": 1, "random_state": 0},
        {"n_clusters": 8, "n_init": 1, "random_state": 0},
        scaled=True,
        rows=20_000,
        skip=GROUPS,
    ),
    "mixture of 3": Learner(
        "cluster:GaussianMixture",
        "mixture:GaussianMixture",
        "groups",
        {"n_components": 3, "random_state": 0},
        {"n_components": 3, "random_state": 0},
        scaled=True,
        rows=5000,
        skip=(*GROUPS, "wide", "wider"),
    ),
    "Ward linkage": Learner(
        "cluster:AgglomerativeClustering",
        "cluster:AgglomerativeClustering",
        "groups",
        {"n_clusters": 3, "linkage": "ward"},
        {"n_clusters": 3, "linkage": "ward"},
        scaled=True,
        rows=1000,
        skip=GROUPS,
    ),
    "local outlier factor": Learner(
        "outlier:LocalOutlierFactor",
        "neighbors:LocalOutlierFactor",
        "groups",
        scaled=True,
        rows=5000,
        skip=GROUPS,
    ),
}


class Cell(NamedTuple):
    """Seconds of ours and theirs, and the scores in training, where they have one."""

    ours: float
    theirs: float
    score: float | None
    their_score: float | None

    @property
    def ratio(self) -> float:
        return self.theirs / self.ours

    @property
    def worse(self) -> bool:
        return (
            self.score is not None and self.their_score is not None and self.score < self.their_score - WORSE
        )


def _named(package: str, place: str) -> Any:
    module, _, name = place.partition(":")
    return getattr(__import__(f"{package}.{module}", fromlist=[name]), name)


def _theirs(learner: Learner, data: Data) -> Any:
    """Their learner behind its usual preparation."""
    from sklearn.compose import make_column_transformer
    from sklearn.impute import SimpleImputer
    from sklearn.multiclass import OneVsRestClassifier
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder
    from sklearn.utils import get_tags

    options = {name: value for name, value in learner.their_options.items() if name != "one_vs_rest"}
    model = _named("sklearn", learner.theirs)(**options)
    if "one_vs_rest" in learner.their_options:
        model = OneVsRestClassifier(model)
    steps: list[Any] = [StandardScaler()] if learner.scaled else []
    if data.texts:
        encoder: Any = OneHotEncoder(handle_unknown="ignore", sparse_output=False)
        if data.X[data.texts[0]].nunique() > MANY_VALUES:
            encoder = TargetEncoder(random_state=0)
        rest = steps.pop() if steps else "passthrough"
        steps = [make_column_transformer((encoder, list(data.texts)), remainder=rest, sparse_threshold=0)]
    elif np.isnan(data.X).any() and not get_tags(model).input_tags.allow_nan:
        steps = [SimpleImputer(), *steps]
    return make_pipeline(*steps, model) if steps else model


def _used(learner: Learner, model: Any, data: Data) -> float | None:
    """Fit and use a model; its score in training, where there is one."""
    if learner.task == "groups":
        (model.fit_predict if hasattr(model, "fit_predict") else model.fit)(data.X)
        return None
    if learner.task == "directions":
        model.fit(data.X)
        model.transform(data.X)
        return float(np.sum(getattr(model, "steps", [(0, model)])[-1][1].explained_variance_ratio_))
    target = data.y if learner.task == "classes" else data.numbers
    model.fit(data.X, target)
    if data.test is not None:
        data = data.test
        target = data.y if learner.task == "classes" else data.numbers
    predicted = model.predict(data.X)
    if learner.task == "classes":
        return float((predicted == target).mean())
    return float(1 - np.square(target - predicted).sum() / np.square(target - target.mean()).sum())


def _timed(learner: Learner, model: Any, data: Data) -> tuple[float, float | None]:
    start = process_time()
    score = _used(learner, model, data)
    return process_time() - start, score


def _in_turns(learner: Learner, makers: Sequence[Callable[[], Any]], data: Data) -> list[Any]:
    """The best time of each maker's model, and its score, in the same number of runs, one after the other."""
    best, spent = [(np.inf, None)] * len(makers), 0.0
    for run in range(RUNS[1]):
        for place, make in enumerate(makers):
            found = _timed(learner, make(), data)
            spent += found[0]
            best[place] = min(best[place], found, key=itemgetter(0))
        if spent > SPENT and run + 1 >= (RUNS[0] if spent < LONG else 2):
            break
    return best


def measure(name: str, shape: str, share: float = 1.0) -> Cell | None:
    """The cell of a learner and a shape; None where they do not go together."""
    learner = LEARNERS[name]
    _, make, rows = SHAPES[shape]
    if shape in learner.skip:
        return None
    rows = min(rows, learner.rows)
    data = make(max(int(rows * share), min(rows, 120)))
    by_rows = {name: value * len(data.y) for name, value in learner.per_row.items()}
    ours = partial(_named("openbook", learner.ours), **learner.options, **by_rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        _used(learner, ours(), data.head(120))  # compiles
        (seconds, score), (their_seconds, their_score) = _in_turns(
            learner, (ours, partial(_theirs, learner, data)), data
        )
    return Cell(seconds, their_seconds, score, their_score)


def _shown(cell: Cell | None) -> str:
    if cell is None:
        return ""
    if cell.worse:
        return f"worse ({cell.score:.2f} for {cell.their_score:.2f})"
    ratio = f"{cell.ratio:.2g}" if cell.ratio < 10 else f"{cell.ratio:.0f}"
    return f"**{ratio}**" if cell.ratio < 1 else ratio


def markdown(found: Mapping[tuple[str, str], Cell | None], share: float = 1.0) -> str:
    """The matrix, what it was measured on and when, and a summary."""
    names, shapes = (list(dict.fromkeys(part)) for part in zip(*found, strict=True))
    lines = [f"| | {' | '.join(shapes)} |", f"| --- |{' ---: |' * len(shapes)}"]
    lines += [f"| {name} | {' | '.join(_shown(found[name, shape]) for shape in shapes)} |" for name in names]
    counted = [cell.ratio for cell in found.values() if cell is not None and not cell.worse]
    lost = sum(ratio < 1 for ratio in counted)
    titles = "; ".join(f"{shape}, {SHAPES[shape][0]}" for shape in shapes)
    part = f" Of these rows, a share of {share:g}." if share != 1 else ""
    middle = f"{statistics.median(counted):.2g}" if counted else "unknown"
    summary = f"Median {middle}; {lost} of {len(counted)} cells below 1, in bold."
    here, today = machine(), dt.datetime.now(tz=dt.UTC).date()
    packages = ", ".join(f"{package} {number}" for package, number in here["packages"].items())
    where = f"{here['processor']}, {here['cores']} cores, Python {here['python']}, {packages}"
    return "\n".join(
        [*lines, "", f"{summary} Shapes: {titles}.{part}", "", f"Measured on {today} on {where}."]
    )


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description="Learners x shapes: how many times as fast as scikit-learn.")
    parser.add_argument("--share", type=float, default=1.0, help="share of the rows of each shape")
    parser.add_argument("--learners", nargs="+", choices=LEARNERS, default=LEARNERS, metavar="LEARNER")
    parser.add_argument("--shapes", nargs="+", choices=SHAPES, default=SHAPES, metavar="SHAPE")
    parser.add_argument("--write", action="store_true", help="put the matrix into docs/performance.md")
    asked = parser.parse_args(arguments)
    found = {}
    for name, shape in product(asked.learners, asked.shapes):
        found[name, shape] = cell = measure(name, shape, asked.share)
        if cell is not None:
            print(f"{name}, {shape}: {cell.ours:.4f} s for {cell.theirs:.4f} s, {_shown(cell)}", flush=True)
    matrix = markdown(found, asked.share)
    print(f"\n{matrix}")
    if asked.write:
        write_between(PAGE, "matrix", matrix)


if __name__ == "__main__":
    main()
