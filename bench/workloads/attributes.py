"""Attributes: scored one by one by mutual information, and added one after the other to naive Bayes."""

import math

import numpy as np
from sklearn.model_selection import StratifiedKFold

from bench.workload import OURS, Contestant, Goal, Workload
from bench.workloads import categorical

COLUMNS = 50
SELECTED, OF = 10, 20
SPLIT = StratifiedKFold(5, shuffle=True, random_state=0)


def make_codes(rows, seed):
    return categorical.make(rows, seed, COLUMNS)


def score_ours(given):
    from openbook.features import score_attributes

    scores = score_attributes(*given)
    return [scores[f"x{j}"].score * math.log(2) for j in range(COLUMNS)]  # in nats


def score_sklearn(given):
    from sklearn.feature_selection import mutual_info_classif

    return mutual_info_classif(*given, discrete_features=True).tolist()


def informed(scores, _given, _predicted):
    return {"mutual information": scores}


SCORES = ("mutual_info_classif, C order", "mutual_info_classif, F order")

MUTUAL_INFORMATION = Workload(
    name="mutual-information",
    title="Mutual information with the class, 50 columns of 10 values, codes ready",
    rows=500_000,
    make=make_codes,
    contestants={
        OURS: Contestant(categorical.as_table, score_ours, quality=informed),
        SCORES[0]: Contestant(categorical.in_order("C"), score_sklearn, quality=informed, needs="sklearn"),
        SCORES[1]: Contestant(categorical.in_order("F"), score_sklearn, quality=informed, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 40, SCORES),),
    tolerance=1e-10,
)


def make_numbers(rows, seed):
    """Normal columns, the later the farther apart in the two classes."""
    rng = np.random.default_rng(seed)
    y = rng.integers(0, 2, rows)
    return rng.normal(size=(rows, OF)) + y[:, None] * np.linspace(0, 0.6, OF), y


def select_ours(given):
    from openbook.bayes import NaiveBayes
    from openbook.features import ForwardSelection

    return ForwardSelection(NaiveBayes(), k=SELECTED, cv=SPLIT).fit(*given)


def select_sklearn(given):
    from sklearn.feature_selection import SequentialFeatureSelector
    from sklearn.naive_bayes import GaussianNB

    search = SequentialFeatureSelector(
        GaussianNB(), n_features_to_select=SELECTED, cv=SPLIT, scoring="accuracy"
    )
    return search.fit(*given)


def selected(search, _given, _predicted):
    return {"selected": search.get_support().astype(float).tolist()}


PEER = "SequentialFeatureSelector(GaussianNB)"

FORWARD = Workload(
    name="forward-selection",
    title="Forward selection with naive Bayes, 10 of 20 numeric columns, 5 folds",
    rows=20_000,
    make=make_numbers,
    contestants={
        OURS: Contestant(tuple, select_ours, quality=selected),
        PEER: Contestant(tuple, select_sklearn, quality=selected, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 20, (PEER,)),),
    runs=2,
)
