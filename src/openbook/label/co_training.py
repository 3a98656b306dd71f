r"""Co-training: two classifiers, each on columns of its own, teach one another (Blum and Mitchell, 1998).

    round    fit a classifier to each view, with the rows labelled so far
             each labels the unlabelled rows that it is surest of, by class, and both learn from all of them
    answer   P(c | x) ∝ P₁(c | x₁) P₂(c | x₂) / P(c)

which is Bayes' rule where the views x₁, x₂ are independent given the class. In a round a view labels about
`k_best` rows, shared out by the classes of the given labels, and one of each class at least. A row that both
choose under different labels waits. It ends when every row has a label, when a round adds none, or after
`max_iter` rounds. The paper draws the candidates of a round from a small pool; here they are all rows.

Views that are not given are found. The first starts from the column of the largest mutual information with
the class, among labelled rows, and the second from that of the largest relevance less redundancy, as in mRMR.
Each other column, in order of relevance, joins the view with which it shares more information, over all rows,
until that has half of the columns. Numbers count by quarters. Missing cells are the classifier's affair.

proba : two of float64 (n_rows, n_classes); where their product is 0 for every class, the answer is their mean
"""

from functools import partial
from typing import Annotated, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from openbook.bayes.naive import NaiveBayes
from openbook.border.learner import class_statements
from openbook.border.not_taken import Declared
from openbook.border.rows import UNLABELLED, Chunk
from openbook.border.rules import Anything, Whole
from openbook.damage import checked_array
from openbook.data import Categorical, Text
from openbook.ensemble.members import decided, gathered, probabilities
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.kernels.samples import distinct
from openbook.label.assumptions import errors_independent, out_of_fold
from openbook.label.in_rounds import InRounds
from openbook.measures.information import mutual_information
from openbook.prepare.discretise import equal_cuts
from openbook.spaces.index import spread_out
from openbook.words.numbers import figure
from openbook.work import Grid, Step, Work

#: To find views: the parts into which numbers are cut, the most rows compared (a tenth with many columns).
_QUARTERS, _COMPARED, _MANY = 4, 10_000, 100


class CoTrainingRound(NamedTuple):
    """A round: rows labelled by each view, rows labelled after it, and how often the views disagreed."""

    by_first: int
    by_second: int
    labelled: int
    disagreement: float


class CoTraining(Declared, InRounds):
    """Co-training: two classifiers, each on columns of its own (a view), teach one another.

    It helps where each view suffices to tell the class, and the views are independent given the class: then
    the rows that one is sure of are, for the other, rows like any other.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The classifier of both views, which must have `predict_proba`; None for `NaiveBayes()`.
    views : pair of lists of str, or None, default=None
        The columns of each view; columns in neither are not used. None finds two views.
    k_best : int, default=10
        About how many rows a view labels in a round.
    max_iter : int, default=30
        The most rounds.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    views_ : tuple of two tuples of str
        The columns of each view.
    estimators_ : list
        The classifier of each view, fitted to the last labels.
    prior_ : ndarray of shape (n_classes,)
        P(c), the shares of the classes among the given labels.
    transduction_ : ndarray of shape (n_rows,)
        The label of each row, None (-1 where labels are numbers) for a row that has none in the end.
    n_iter_ : int
        The number of rounds.
    rounds_ : list of CoTrainingRound
        What happened in each round, which `work` shows.
    termination_condition_ : str
        "no_change", "all_labeled" or "max_iter".

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    References
    ----------
    Blum and Mitchell (1998), Combining labeled and unlabeled data with co-training. Du, Ling and Zhou (2011),
    When does co-training work in real data?

    Examples
    --------
    >>> X = {"words": [0.0, 1.0, 9.0, 8.0, 0.5, 8.5], "links": [1.0, 0.0, 8.0, 9.0, 0.5, 8.5]}
    >>> y = ["home", "home", "shop", "shop", None, None]
    >>> model = CoTraining(views=[["words"], ["links"]]).fit(X, y)
    >>> model.transduction_.tolist(), model.rounds_[0].disagreement
    (['home', 'home', 'shop', 'shop', 'home', 'shop'], 0.0)
    """

    estimator: Any = None
    views: Annotated[Any, Anything("None, or two lists of columns")] = None
    k_best: Annotated[int, Whole(at_least=1)] = 10
    max_iter: int = 30
    random_state: Any = None

    _assumes = "views"
    _round = CoTrainingRound
    _headings = ("labelled by view 1", "labelled by view 2", "labelled", "views disagree")
    _pools = False  # each view prepares its own columns
    _reads_texts = False

    def knobs(self):
        return {"k_best": (3, 10, 30)}

    def _learners(self):
        return [NaiveBayes() if self.estimator is None else self.estimator]

    def _fit(self, rows):
        X, y, w = gathered(rows)
        random, labels = check_random_state(self.random_state), y.copy()
        self.views_ = self._given_views(X.names) or found_views(X, y, w)
        given = y != UNLABELLED
        sizes = np.bincount(y[given], w[given], minlength=len(self.classes_))
        self.prior_ = sizes / sizes.sum()
        seen = [self._seen_by(view, X) for view in range(2)]
        self.estimators_ = [self._member(view, labels, w, random) for view in seen]
        self.rounds_, ended = [], ""
        while not ended:
            free = np.flatnonzero(labels == UNLABELLED)
            if not len(free) or len(self.rounds_) == self.max_iter:
                ended = "max_iter" if len(free) else "all_labeled"
                break
            probas = self._of_views(X.take(free))
            first, second = (self._surest(proba) for proba in probas)
            waits = (first != second) & (first != UNLABELLED) & (second != UNLABELLED)
            first[waits] = second[waits] = UNLABELLED
            before, labels[free] = labels.copy(), np.maximum(first, second)
            labelled = [int((codes != UNLABELLED).sum()) for codes in (first, second, labels)]
            disagreement = float((probas[0].argmax(axis=1) != probas[1].argmax(axis=1)).mean())
            self.rounds_.append(CoTrainingRound._make([*labelled, disagreement]))
            if (labels == before).all():
                ended = "no_change"
                break
            self.estimators_ = [
                self._taught_more(member, Chunk(view, labels, w), before, random)
                for member, view in zip(self.estimators_, seen, strict=True)
            ]
        self._labels, self.termination_condition_ = labels, ended

    def _given_views(self, names):
        """The views that were named, checked; None if none were."""
        if self.views is None:
            return None
        if isinstance(self.views, str) or len(self.views) != 2 or any(isinstance(v, str) for v in self.views):
            msg = "CoTraining: views must be two lists of columns, such as [['a', 'b'], ['c']]"
            raise ParameterError(msg)
        views = [[name in view for name in names] for view in self.views]
        if odd := [name for view in self.views for name in view if name not in names]:
            msg = f"CoTraining: views name {odd[0]!r}, which is no column. {did_you_mean(odd[0], names)}"
            raise ParameterError(msg)
        if not all(map(any, views)):
            raise ParameterError("CoTraining: each view needs a column at least")
        return _named(names, views)

    def _seen_by(self, i, X):
        return X.select(self.views_[i])

    def _of_views(self, X):
        """What the classifier of each view makes of some rows."""
        return [
            probabilities(member, self._seen_by(i, X), self.classes_)
            for i, member in enumerate(self.estimators_)
        ]

    def _surest(self, proba):
        """The class of the rows that a view is surest of, so many of each class; UNLABELLED for others."""
        winner, chosen = proba.argmax(axis=1), np.full(len(proba), UNLABELLED)
        for c, share in enumerate(self.prior_.tolist()):
            own = np.flatnonzero(winner == c)
            most = max(round(self.k_best * share), 1)
            chosen[own[np.argsort(-proba[own, c], kind="stable")[:most]]] = c
        return chosen

    def _evidence(self, rows):
        views = self._given_views(rows.X.names) or found_views(rows.X, rows.codes, np.ones(len(rows.codes)))
        labelled = rows.labelled
        first, second = (
            out_of_fold(labelled._replace(X=labelled.X.select(view)), partial(self._asked, decided))
            == labelled.codes
            for view in views
        )
        return errors_independent(first, second, labelled.codes)

    def _proba(self, X):
        first, second = self._of_views(X)
        joint = first * second / np.where(self.prior_ > 0, self.prior_, 1.0)
        total = joint.sum(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            return np.where(total > 0, joint / total, (first + second) / 2)

    def _work(self):
        rows = [(i, ", ".join(names)) for i, names in enumerate(self.views_, 1)]
        note = "" if self.views is not None else "found by what columns tell of the class and of one another"
        views = Grid("views", ("view", "columns"), rows, note)
        works = [
            Work(f"view {i}", member.work().parts)
            for i, member in enumerate(self.estimators_, 1)
            if hasattr(member, "work")
        ]
        parts = (views, self._rounds_grid(), *works)
        return Work(f"Co-training for {self.target_}: how it was fitted", parts, self._ending())

    def _work_row(self, X):
        first, second = (proba[0].tolist() for proba in self._of_views(X))
        answer = self._proba(X)[0].tolist()
        truths = class_statements(self)
        joint = [
            a * b / p if p > 0 else 0.0 for a, b, p in zip(first, second, self.prior_.tolist(), strict=True)
        ]
        grid = Grid(
            "views",
            ("", "P₁(c | x₁)", "P₂(c | x₂)", "P(c)", "P₁ P₂ / P"),
            [*zip(truths, first, second, self.prior_.tolist(), joint, strict=True)],
        )
        steps = [
            Step(
                f"P({truth} | x)",
                r"\frac{P_1(c) P_2(c) / P(c)}{\sum_{c'} P_1(c') P_2(c') / P(c')}",
                rf"\frac{{{figure(part)}}}{{{figure(sum(joint))}}}",
                p,
            )
            if sum(joint) > 0
            else Step(f"P({truth} | x)", r"\frac{P_1 + P_2}{2}", result=p)
            for truth, part, p in zip(truths, joint, answer, strict=True)
        ]
        end = f"Most probable: {truths[answer.index(max(answer))]}."
        return Work(f"Co-training for {self.target_}: one prediction", (grid, *steps), end)

    def _arrays(self):
        views = [[name in view for name in self.schema_.names] for view in self.views_]
        return {**super()._arrays(), "prior": self.prior_, "views": np.array(views)}

    def _restore(self, arrays):
        own, names = dict(arrays), self.schema_.names
        self.prior_ = checked_array(own, "prior", float, (len(self.classes_),))
        views = checked_array(own, "views", np.bool_, (2, len(names)))
        if (self.prior_ < 0).any() or not np.isclose(self.prior_.sum(), 1.0) or not views.any(axis=1).all():
            raise ValueError("its prior or its views are not valid")
        self.views_ = _named(names, views)
        del own["prior"], own["views"]
        super()._restore(own)


def found_views(X, y, w):
    """Two views of the columns of a table: both tell the class, and little of one another.

    y : class codes (n,), UNLABELLED where a row has none; w : weights (n,)

    >>> from openbook.data import read
    >>> a, b = [0, 0, 0, 0, 1, 1, 1, 1], [0, 0, 1, 0, 1, 1, 0, 1]
    >>> table = read({"a": a, "b": b, "b again": b, "a again": a})
    >>> found_views(table, np.array(a), np.ones(8))
    (('a', 'a again'), ('b', 'b again'))
    """
    names, some = X.names, spread_out(len(X), _COMPARED if len(X.schema) <= _MANY else _COMPARED // 10)
    if len(names) < 2:
        raise DataError(f"CoTraining needs two columns, one for each view, and X has {len(names)} feature(s)")
    known, texts = y != UNLABELLED, X.schema.of(Text)
    codes = {name: _codes(X.column(name), w) for name in names if name not in texts}
    relevance = {name: round(shared(own[known], y[known], w[known]), 12) for name, own in codes.items()}
    few = {name: own[some] for name, own in codes.items()}

    def redundancy(one, other):
        return shared(few[one], few[other], w[some]) if one in few and other in few else 0.0

    first, *others = sorted(names, key=lambda name: -relevance.get(name, 0.0))
    second = max(others, key=lambda name: relevance.get(name, 0.0) - redundancy(first, name))
    views = [first], [second]
    for name in (name for name in others if name != second):
        fits = [np.mean([redundancy(name, one) for one in view]) for view in views]
        full = [len(view) >= (len(names) + 1) // 2 for view in views]
        views[1 if full[0] or (fits[1] > fits[0] and not full[1]) else 0].append(name)
    return _named(names, [[name in view for name in names] for view in views])


def _codes(column, w):
    """A column as codes, -1 where it is missing; numbers by their quarters."""
    if isinstance(column.attribute, Categorical):
        return column.data.astype(np.intp)
    known = ~np.isnan(column.data)
    values, weights = distinct(column.data[known], w[known])
    cuts = equal_cuts(values, weights, _QUARTERS)
    return np.where(known, np.searchsorted(cuts, column.data), -1)


def shared(a, b, w):
    """The mutual information of two columns of codes, in bits, over the rows in which both are known."""
    known = (a >= 0) & (b >= 0)
    if not known.any():
        return 0.0
    width = int(b.max()) + 1
    cells = np.bincount(a[known] * width + b[known], w[known], minlength=(int(a.max()) + 1) * width)
    return mutual_information(cells.reshape(-1, width))


def _named(names, views):
    """The columns of each view, in the order of the table."""
    first, second = (tuple(name for name, own in zip(names, view, strict=True) if own) for view in views)
    return first, second
