r"""A decision threshold tuned on training rows, around any classifier with probabilities.

    decide for the second of two classes where P(second | x) >= t

By default a classifier predicts the more probable class, t = 0.5. If one class is rare, hardly a row has a
probability above 0.5, so t = 0.5 finds none of them, however well the probabilities rank the rows. The
threshold is the one whose decisions score best on training rows that the classifier had not seen: the inner
folds predict every row once, and the score is that of all rows together,

    balanced accuracy = (TP / P + TN / N) / 2        F1 = 2 TP / (2 TP + FP + FN)

The thresholds tried lie midway between neighbouring probabilities; of equally good ones, the nearest to 0.5
is taken. Weights count in TP, FP, P and N. Rows of one group are never in two inner folds. Where rows have a
time, each inner fold is predicted by a classifier of the rows before it. Where a class has fewer than two
rows there is nothing to tune by, and t = 0.5. A classifier that tunes its own parameters does so once, on all
rows, and the inner folds use these parameters. With several classes the most probable one is predicted. The
classifier itself is then fitted on all rows, and handles missing cells.
"""

import math
from typing import Annotated, Any

import numpy as np
from sklearn.base import clone
from sklearn.model_selection import StratifiedGroupKFold, StratifiedKFold
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted, has_fit_parameter

from openbook.border.base import Saved
from openbook.border.learner import class_names
from openbook.border.not_taken import Declared
from openbook.border.rows import class_codes
from openbook.border.rules import Maybe, OneOf, Whole
from openbook.data import Column, read
from openbook.data.attributes import as_text
from openbook.decide.around import AroundClassifier
from openbook.errors import ModelFileError
from openbook.words.numbers import figure
from openbook.work import Step, Work

_EVEN = 0.5
#: The parts in which groups are tested where the rows have a time too.
_PARTS = 3


class TunedThresholdClassifierCV(Declared, AroundClassifier):
    """A decision threshold tuned by cross-validation: the second class from a probability on.

    The name and the parameters are scikit-learn's; the positive class is the second.

    Parameters
    ----------
    estimator : classifier
        Any classifier with `predict_proba`.
    scoring : {"balanced_accuracy", "f1"}, default="balanced_accuracy"
        The score that the threshold maximises. F1 is that of the second class.
    cv : int, default=5
        The number of inner folds; a class of fewer rows makes it fewer.
    random_state : int or None, default=None
        Random seed of the inner folds; None for 0.

    Attributes
    ----------
    estimator_ : classifier
        The classifier, fitted on all rows.
    classes_ : ndarray of shape (n_classes,)
    best_threshold_ : float
        The least probability of the second class that decides for it; NaN for several classes.
    best_score_ : float
        The score at this threshold, of the predictions of the inner folds; NaN if nothing was tuned.

    Notes
    -----
    Guide: docs/guide/rates.md

    Examples
    --------
    Eight percent of the loans default. Naive Bayes finds few of them, unless the threshold is tuned.

    >>> from openbook import load
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("credit").split("default")
    >>> tuned = TunedThresholdClassifierCV(NaiveBayes()).fit(X, y)
    >>> tuned.best_threshold_ < 0.2
    True
    """

    estimator: Any
    scoring: Annotated[str, OneOf("balanced_accuracy", "f1")] = "balanced_accuracy"
    cv: Annotated[int, Whole(at_least=2)] = 5
    random_state: Annotated[int | None, Maybe(Whole(at_least=0))] = None

    def fit(self, X, y, sample_weight=None, groups=None, time=None):
        """Tune the threshold in inner folds, and fit the classifier on all rows.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        sample_weight : array-like or None, default=None
        groups : array-like or None, default=None
            The group of each row; rows of one group are never in two inner folds.
        time : array-like or None, default=None
            Numbers that put the rows in order of time; equal ones stay together, and each inner fold is
            predicted by a classifier of the rows before it.

        Returns
        -------
        self
        """
        self._check(sample_weight)
        if isinstance(y, str):
            X, y = read(X).split(y)
        rows = {"groups": groups, "time": time}
        asked = [name for name in rows if has_fit_parameter(self.estimator, name)]
        given = {name: rows[name] for name in asked if rows[name] is not None}
        fitted = self._fitted(X, y, sample_weight, **given)
        if hasattr(fitted, "parameters_"):  # it has tuned itself
            fitted = fitted.model_
        inner = _Inner(fitted, X, y, sample_weight, groups, time)
        threshold, score = self._tuned(inner)
        return self._around(fitted, threshold, score)

    def _around(self, fitted, threshold, score):
        """Become the decider around a fitted classifier."""
        self.classes_ = fitted.classes_
        self.best_threshold_, self.best_score_ = threshold, score
        self.estimator_ = fitted
        return self

    def _tuned(self, inner):
        """The best threshold and its score."""
        codes = inner.codes
        if inner.n_classes != 2:
            return math.nan, math.nan
        rarest = int(np.bincount(codes, minlength=2).min())
        if rarest < 2:
            return _EVEN, math.nan
        given = inner.sample_weight
        weights = np.ones(len(codes)) if given is None else np.asarray(given, dtype=float)
        folds = inner.folds(min(self.cv, rarest), self.cv, self.random_state or 0)
        rows, proba = inner.predicted(folds, self.takes_tables)
        return best_threshold(codes[rows] == 1, proba, weights[rows], self.scoring)

    def _saved(self):
        known = [None if math.isnan(x) else x for x in (self.best_threshold_, self.best_score_)]
        facts = dict(zip(("threshold", "score"), known, strict=True))
        return Saved(facts, {}, {"estimator": self.estimator_})

    def _opened(self, saved):
        fitted = saved.members["estimator"]
        known = (saved.facts["threshold"], saved.facts["score"])
        threshold, score = (math.nan if x is None else float(x) for x in known)
        if math.isnan(threshold) != (len(fitted.classes_) != 2):
            raise ModelFileError(f"a threshold needs two classes, and there are {len(fitted.classes_)}")
        self._around(fitted, threshold, score)

    def predict(self, X):
        """The second class from the threshold on, else the first; the most probable of several.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows,)
        """
        proba = self.predict_proba(X)
        if math.isnan(self.best_threshold_):
            return self.classes_[proba.argmax(axis=1)]
        return self.classes_[(proba[:, 1] >= self.best_threshold_).astype(int)]

    def work(self, row=None):
        """How the classifier was learnt and the threshold tuned; for a row, its probability beside it.

        Parameters
        ----------
        row : mapping, Series, table, frame or sequence, default=None
            One row to decide about; None shows how the classifier was learnt and the threshold tuned.

        Returns
        -------
        Work
        """
        check_is_fitted(self)
        inner = self._learner("work").work(row)
        labels = class_names(self)
        if row is None:
            return Work("Tuned threshold: the classifier", (inner, *self._tuning(labels)))
        X = self._one_row(row)
        decided = as_text(self.predict(X)[0])
        if math.isnan(self.best_threshold_):
            return Work("Tuned threshold: one decision", (inner,), f"The most probable class: {decided}.")
        given, sign = float(self.predict_proba(X)[0, 1]), ">=" if decided == labels[1] else "<"
        step = Step(f"P({labels[1]} | x)", result=given, note=f"threshold {figure(self.best_threshold_)}")
        end = f"{figure(given)} {sign} {figure(self.best_threshold_)}: decide {decided}."
        return Work("Tuned threshold: one decision", (inner, step), end)

    def _tuning(self, labels):
        if math.isnan(self.best_threshold_):
            return []
        note = f"decide {labels[1]} where P({labels[1]} | x) is at least this"
        steps = [Step("threshold", result=self.best_threshold_, note=note)]
        if not math.isnan(self.best_score_):
            words = self.scoring.replace("_", " ").replace("f1", "F1")
            steps.append(Step(words, result=self.best_score_, note="at this threshold, in the inner folds"))
        return steps


class _Inner:
    """The training rows, and copies of the classifier, each of which predicts the rows of an inner fold."""

    def __init__(self, model, X, y, sample_weight, groups, time):
        self.model, self.X, self.y, self.sample_weight = clone(model), X, y, sample_weight
        self.groups = None if groups is None else np.unique(np.asarray(groups), return_inverse=True)[1]
        self.time = None if time is None else np.unique(np.asarray(time), return_inverse=True)[1]
        self.codes, self.n_classes = class_codes(y)[2], len(model.classes_)

    def folds(self, stratified, blocks, seed):
        """Rows that train and test: consecutive blocks of time, else stratified folds, of that number."""
        if self.time is not None and len(times := np.unique(self.time)) > 1:
            return self._in_order(np.array_split(times, min(blocks + 1, len(times))))
        kind = StratifiedKFold if self.groups is None else StratifiedGroupKFold
        split = kind(stratified, shuffle=True, random_state=seed)
        return split.split(np.zeros(len(self.codes)), self.codes, self.groups)

    def _in_order(self, blocks):
        """Earlier rows train, a block of later ones tests; groups that are tested do not train."""
        part = np.zeros(len(self.codes), dtype=int) if self.groups is None else self.groups % _PARTS
        for block in blocks[1:]:
            for tested in np.unique(part):
                others = self.groups is None or part != tested
                train = (self.time < block[0]) & others
                test = (self.time >= block[0]) & (self.time <= block[-1]) & (part == tested)
                yield np.flatnonzero(train), np.flatnonzero(test)

    def predicted(self, folds, tables):
        """The rows that the inner folds tested, and the probability of the second class of each."""
        given = read(self.X) if tables else self.X
        y = self.y if isinstance(self.y, Column) else np.asarray(self.y)
        tested, proba = [], []
        for train, test in folds:
            if len(test) == 0 or len(np.unique(self.codes[train])) < 2:
                continue
            weights = {}
            if self.sample_weight is not None:
                weights = {"sample_weight": np.asarray(self.sample_weight)[train]}
            model = clone(self.model).fit(_take_rows(given, train), _take_rows(y, train), **weights)
            tested.append(test)
            proba.append(model.predict_proba(_take_rows(given, test))[:, 1])
        return np.concatenate(tested or [np.arange(0)]), np.concatenate(proba or [np.zeros(0)])


def best_threshold(positive, proba, weights, scoring="balanced_accuracy"):
    """The threshold whose decisions score best, and the score.

    Parameters
    ----------
    positive : bool (n_rows,), whether a row is of the positive class
    proba : float64 (n_rows,), the probability of that class
    weights : float64 (n_rows,)
    scoring : "balanced_accuracy" or "f1"

    Examples
    --------
    >>> best_threshold([False, False, True, True], [0.1, 0.2, 0.4, 0.3], [1, 1, 1, 1])
    (0.25, 1.0)
    """
    positive, proba, weights = np.asarray(positive), np.asarray(proba), np.asarray(weights, dtype=float)
    total, others = weights[positive].sum(), weights[~positive].sum()
    if total == 0 or others == 0:
        return _EVEN, math.nan
    distinct, inverse = np.unique(proba, return_inverse=True)
    gained, false = (np.bincount(inverse, weights * rows, len(distinct)) for rows in (positive, ~positive))
    # from the k-th distinct probability on, rows are called positive; the last threshold calls none
    found = np.append(np.cumsum(gained[::-1])[::-1], 0.0)
    alarms = np.append(np.cumsum(false[::-1])[::-1], 0.0)
    if scoring == "f1":
        scores = 2 * found / (found + alarms + total)
    else:
        scores = (found / total + 1 - alarms / others) / 2
    edges = np.concatenate([[0.0], distinct, [1.0]])
    thresholds = (edges[:-1] + edges[1:]) / 2
    # neighbours so close that the midpoint is rounded to the lower one
    thresholds[1:] = np.maximum(thresholds[1:], np.nextafter(distinct, np.inf))
    best = np.flatnonzero(scores >= scores.max() - 1e-12)
    chosen = best[np.argmin(np.abs(thresholds[best] - _EVEN))]
    return float(thresholds[chosen]), float(scores[chosen])


def _take_rows(rows, which):
    """Some of the rows, or of their targets, in the form in which they came."""
    typed = isinstance(rows, Column) or hasattr(rows, "schema")
    return rows.take(which) if typed else _safe_indexing(rows, which)
