r"""What must be true for unlabelled rows to help, and the evidence of the rows.

    smoothness   share of the labelled rows whose nearest labelled row has their class
    clusters     share of the labelled rows that have the most frequent class of the labelled rows of their
                 cluster; both against labels shuffled among these rows (permutation test)
    confidence   share of right predictions, out of fold, of the labelled rows that the classifier is sure of
    agreement    the same of the labelled rows on which two bootstrapped copies agree
                 (Wilson's interval against a share that it must exceed)
    model        BIC of a mixture of all rows with one component for each class, and with two; with one, the
                 same share as of clusters
    views        are the errors of the two views, out of fold, independent given the class?
                 (Cochran-Mantel-Haenszel test, with continuity correction)

A verdict is at the level 0.05. Labelled rows are few, so it is often that nothing can be determined: no
evidence against an assumption is no evidence for it.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from scipy.stats import chi2

from openbook.border.rows import UNLABELLED, codes_where_labelled
from openbook.cluster import GaussianMixture
from openbook.data import Table, Text, read
from openbook.data.combine import stacked_rows
from openbook.ensemble.stacking import dealt_folds
from openbook.errors import DataError, ParameterError
from openbook.judge.chance.intervals import wilson
from openbook.judge.folds.examples import Examples
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.spaces.index import spread_out
from openbook.words.numbers import p_words, shown
from openbook.words.parameters import documented
from openbook.words.sentences import plural

ASSUMPTIONS = {
    "smoothness": "near rows have the same class",
    "clusters": "the rows of a cluster have the same class",
    "confidence": "the classifier is right where it is sure",
    "agreement": "two learners that agree are right often enough",
    "model": "the rows of each class follow the model",
    "views": "each view suffices to predict the class, and the views are independent given the class",
    "features": "features learnt from all rows predict the class",
}
SUPPORTED, CONTRADICTED, OPEN = "supported", "contradicted", "cannot be determined"
#: Rows that mixtures describe at most, and the difference of BIC from which on one is better.
_DESCRIBED, _CLEAR = 10_000, 2
_LEVEL, _SHUFFLES, _FOLDS = 0.05, 999, 5


class ScarceRows(NamedTuple):
    """A table of which some rows have a label: all rows, their class codes, and the labels themselves."""

    X: Table
    codes: np.ndarray
    labels: np.ndarray

    @property
    def known(self) -> np.ndarray:
        return np.flatnonzero(self.codes != UNLABELLED)

    @property
    def labelled(self) -> "ScarceRows":
        """The labelled rows alone."""
        return self.take(self.known)

    def take(self, some: np.ndarray) -> "ScarceRows":
        """Some rows."""
        return ScarceRows(self.X.take(some), self.codes[some], self.labels)

    @property
    def y(self) -> np.ndarray:
        """The target as learners are given it: None where a row has no label."""
        if (self.codes != UNLABELLED).all():
            return self.labels[self.codes]
        return np.array([*self.labels.tolist(), None], dtype=object)[self.codes]

    @property
    def largest_share(self) -> float:
        """The share of the most frequent class among the labelled rows."""
        return float(np.bincount(self.codes[self.known]).max() / len(self.known))

    @classmethod
    def of(cls, X: Any, y: Any) -> "ScarceRows":
        table = read(X)
        if isinstance(y, str):
            table, y = table.split(y)
        _, labels, codes = codes_where_labelled(y)
        if len(codes) != len(table):
            raise DataError(f"X has {len(table)} rows, and y has {len(codes)}")
        return cls(table, codes, labels)

    @classmethod
    def of_examples(cls, examples: Examples) -> "ScarceRows":
        """The examples, and the rows without a target beside them."""
        gaps = np.full(len(examples.unlabelled or ()), UNLABELLED)
        X = stacked_rows([table for table in (examples.table, examples.unlabelled) if table is not None])
        return cls(X, np.r_[examples.target, gaps], np.asarray(examples.classes))


class Ruling(NamedTuple):
    """A verdict on an assumption, and the evidence in a sentence."""

    verdict: str
    evidence: str


@dataclass(frozen=True)
class AssumptionCheck:
    """What a learner of unlabelled rows assumes, and whether the rows support it.

    Attributes
    ----------
    assumption : str
        What must be true for unlabelled rows to help.
    verdict : str
        "supported", "contradicted" or "cannot be determined".
    evidence : str
        Why, in a sentence.

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    Examples
    --------
    >>> print(AssumptionCheck("the rows of a cluster have the same class", "supported", "They do."))
    Assumption: the rows of a cluster have the same class. Supported: they do.
    """

    assumption: str
    verdict: str
    evidence: str

    def __str__(self) -> str:
        evidence = self.evidence[:1].lower() + self.evidence[1:]
        return f"Assumption: {self.assumption}. {self.verdict.capitalize()}: {evidence}"


@documented
def check_assumption(model: Any, X: Any, y: Any) -> AssumptionCheck:
    """What a learner of unlabelled rows assumes, held against the rows.

    Parameters
    ----------
    model : estimator
        A learner of `openbook.label`; it is copied, not fitted.
    X : table-like
    y : array-like or str
        The target, missing where a row is unlabelled; or the name of a column of X.

    Returns
    -------
    AssumptionCheck

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.label import LabelSpreading
    >>> X, y = load("iris").split("species")
    >>> labels = [label if i % 6 == 0 else None for i, label in enumerate(y)]
    >>> check_assumption(LabelSpreading(), X, labels).verdict
    'supported'
    """
    return assumption_of(model, ScarceRows.of(X, y))


def assumption_of(model: Any, rows: ScarceRows) -> AssumptionCheck:
    """`check_assumption` of rows whose labels are encoded."""
    check_takes_unlabelled(model)
    if len(rows.labels) < 2:
        raise DataError("an assumption about classes needs labelled rows of two classes")
    with collected_warnings():  # of models that are thrown away
        return AssumptionCheck(ASSUMPTIONS[model._assumes], *model._evidence(rows))  # noqa: SLF001 (its room)


def check_takes_unlabelled(model: Any) -> None:
    """Refuse what learns from labelled rows alone."""
    if not getattr(model, "_takes_unlabelled", False):
        msg = f"{type(model).__name__} learns from labelled rows only; take a learner of openbook.label"
        raise ParameterError(msg)


def out_of_fold(labelled: ScarceRows, ask: Callable[[ScarceRows, Table], np.ndarray]) -> np.ndarray:
    """The predictions of labelled rows by models that did not see them: ask(rows to learn from, others)."""
    folds = dealt_folds(labelled.codes, min(_FOLDS, len(labelled.codes)))
    answers = [ask(labelled.take(folds != fold), labelled.X.take(folds == fold)) for fold in np.unique(folds)]
    return np.concatenate(answers)[np.argsort(np.argsort(folds, kind="stable"))]


def beats_shuffled(codes: np.ndarray, share: Callable[[np.ndarray], float], what: str) -> Ruling:
    """Whether a share of agreement is larger than where labels are shuffled among the labelled rows.

    codes : class codes (n,); share : the share of agreement of such codes; what : the rows that agree
    """
    random, found = np.random.default_rng(0), share(codes)
    shuffled = np.array([share(random.permutation(codes)) for _ in range(_SHUFFLES)])
    p = (1 + int((shuffled >= found - 1e-12).sum())) / (_SHUFFLES + 1)
    low = (1 + int((shuffled <= found + 1e-12).sum())) / (_SHUFFLES + 1)
    verdict = SUPPORTED if p < _LEVEL else CONTRADICTED if low < _LEVEL else OPEN
    evidence = f"{shown(found)} of {plural(len(codes), 'labelled row')} {what}"
    chance = shown(float(shuffled.mean()))
    return Ruling(verdict, f"{evidence}; with shuffled labels {chance} (p {p_words(min(p, low))}).")


def clusters_agree(codes: np.ndarray, clusters: np.ndarray, what: str = "cluster") -> Ruling:
    """Whether labelled rows have the most frequent class of the labelled rows of their cluster."""
    shape = int(clusters.max(initial=0)) + 1, int(codes.max(initial=0)) + 1

    def share(some: np.ndarray) -> float:
        counts = np.bincount(clusters * shape[1] + some, minlength=shape[0] * shape[1]).reshape(shape)
        return float(counts.max(axis=1).sum() / max(len(some), 1))

    return beats_shuffled(codes, share, f"have the most frequent class of their {what}")


def neighbours_agree(codes: np.ndarray, near: np.ndarray, by: str = "") -> Ruling:
    """Whether labelled rows have the class of the nearest other one.

    near : (n, 2), the two nearest of the labelled rows to each of them, itself mostly among them
    """
    other = np.where(near[:, 0] == np.arange(len(near)), near[:, -1], near[:, 0])
    what = f"have the class of the nearest other one{by}"
    return beats_shuffled(codes, lambda some: (some[other] == some).mean(), what)


def right_often(
    right: np.ndarray, what: str, wanted: float, why: str = "the share of the most frequent class"
) -> Ruling:
    """Whether some predictions are right more often than a share that they must exceed."""
    n = len(right)
    if not n:
        return Ruling(OPEN, f"Of no labelled row {what}.")
    interval = wilson(int(right.sum()), n)
    verdict = SUPPORTED if interval.low > wanted else CONTRADICTED if interval.high < wanted else OPEN
    rows = plural(n, "labelled row")
    return Ruling(
        verdict,
        f"Of {rows} {what}, {int(right.sum())} are predicted correctly by models that did not see them:"
        f" {shown(float(right.mean()))} {interval.ends}, and {why} is {shown(wanted)}.",
    )


def components_suffice(rows: ScarceRows) -> Ruling:
    """Whether one component for each class describes all rows better than two do, by BIC, and whether the
    labelled rows of a component have the same class: rows may follow the model in groups that are no classes.

    Columns are independent given the component, as in naive Bayes.
    """
    X, k = rows.X.drop(*rows.X.schema.of(Text)), len(rows.labels)
    if not len(X.schema):
        return Ruling(OPEN, "Of texts alone it is not checked.")
    some = X.take(spread_out(len(X), _DESCRIBED))
    if len(some) < 2 * k:
        return Ruling(OPEN, f"{plural(len(some), 'row')} are too few.")
    mixtures = (GaussianMixture(n, covariance_type="diag", n_init=3, random_state=0) for n in (k, 2 * k))
    fitted = [mixture.fit(some) for mixture in mixtures]
    one, two = (mixture.bic_ for mixture in fitted)
    evidence = (
        f"Over {plural(len(some), 'row')}, a mixture of {k} components, one for each class, has BIC"
        f" {shown(one)}, and one of {2 * k} has {shown(two)}; smaller is better."
    )
    if two + _CLEAR < one:
        return Ruling(CONTRADICTED, evidence)
    agree = clusters_agree(rows.labelled.codes, fitted[0].predict(X.take(rows.known)), "component")
    verdict = agree.verdict if one + _CLEAR < two else OPEN
    return Ruling(verdict, f"{evidence} {agree.evidence}")


def errors_independent(first: np.ndarray, second: np.ndarray, codes: np.ndarray) -> Ruling:
    """Whether two views err independently of one another, given the class."""
    excess, variance = 0.0, 0.0
    for c in np.unique(codes):
        a, b, n = first[codes == c], second[codes == c], int((codes == c).sum())
        if n > 1:
            excess += (a & b).sum() - a.sum() * b.sum() / n
            variance += a.sum() * (n - a.sum()) * b.sum() * (n - b.sum()) / (n * n * (n - 1))
    rates = f"{shown(float(first.mean()))} and {shown(float(second.mean()))} of the labelled rows"
    evidence = f"The views predict {rates} correctly, by models that did not see them"
    if not variance:
        return Ruling(OPEN, f"{evidence}: their errors cannot be compared.")
    p = float(chi2.sf(max(abs(excess) - 0.5, 0.0) ** 2 / variance, 1))
    test = f"(p {p_words(p)})"
    if p >= _LEVEL:
        return Ruling(OPEN, f"{evidence}; that their errors depend on one another is not shown {test}.")
    how = "together" if excess > 0 else "in turn"
    return Ruling(
        CONTRADICTED, f"{evidence}; given the class they err {how} more often than by chance {test}."
    )
