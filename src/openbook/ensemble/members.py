"""The base of ensembles: the learner that members are copies of, their fit, and the members in the model
file.

A member is a fitted copy of a learner, openbook's own or any other that fits and predicts. It sees the typed
columns of the table, missing cells included, and the target under its own name and in its own labels, so that
`estimators_[3].work()` reads like the work of that learner alone. Rows of a scan are loaded first, since
members read them many times.
"""

from abc import abstractmethod
from functools import cache
from inspect import signature
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, clone, is_classifier
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier, Learner
from openbook.border.rows import Chunk, RowWeights, refuse_infinity
from openbook.data import Column, DatePart, Nominal, Numeric, Table
from openbook.data.combine import stacked_rows
from openbook.errors import ParameterError
from openbook.tree.classifier import TreeClassifier
from openbook.tree.engine.nodes import cells
from openbook.words.sentences import plural
from openbook.work import Grid

#: The most rows that a table of a derivation shows.
SHOWN = 30
#: The most members that are drawn.
_DRAWN = 5


class Ensemble(Learner):
    """What ensembles share."""

    _counts_rows = True

    estimators_: list[Any]

    @property
    def _pools(self):
        """Whether its learners do, all in one way: then they all see the same columns."""
        learners = self._learners()
        ways = {getattr(learner, "_takes_means", False) for learner in learners}
        return all(getattr(learner, "_pools", False) for learner in learners) and len(ways) == 1

    @property
    def _takes_means(self):  # type: ignore[override]
        return all(getattr(learner, "_takes_means", False) for learner in self._learners())

    @property
    def _reads_texts(self):
        return all(getattr(learner, "_reads_texts", False) for learner in self._learners())

    @abstractmethod
    def _learners(self):
        """The learners, not fitted, that the members are copies of."""

    def _member_target(self, y):
        """The target as members are given it."""
        if not isinstance(self, Classifier):
            return Column(Numeric(self.target_), y)
        if self.classes_.dtype.kind == "U":
            return Column(Nominal(self.target_, tuple(self.classes_.tolist())), y)
        return Column(Numeric(self.target_), self.classes_[y])

    def _training_rows(self, X, y, sample_weight):
        self._check_learners()
        return super()._training_rows(X, y, sample_weight)

    def _check_learners(self):
        """Refuse what cannot be a member."""
        for learner in self._learners():
            self._check_learner(learner)

    def _check_learner(self, learner):
        wanted = "classifier" if isinstance(self, Classifier) else "regressor"
        if isinstance(learner, type) or not hasattr(learner, "fit"):
            msg = f"{type(self).__name__}: {learner!r} is not a learner; pass one such as NaiveBayes()"
            raise ParameterError(msg)
        if get_tags(learner).estimator_type != wanted:
            msg = f"{type(self).__name__} needs a {wanted}, and {type(learner).__name__} is not one"
            raise ParameterError(msg)

    def refusal(self, schema):
        """Why one of the learners cannot fit a table of this schema; others than ours do not say.

        Parameters
        ----------
        schema : Schema
            The columns of the table, without the target.

        Returns
        -------
        str or None
        """
        reasons = (learner.refusal(schema) for learner in self._learners() if hasattr(learner, "refusal"))
        return next(filter(None, reasons), None)

    def complexity(self):
        """The size of all members together.

        Returns
        -------
        int
        """
        check_is_fitted(self)
        return sum(self._size(member) for member in self.estimators_)

    def _size(self, member):
        if not hasattr(member, "complexity"):
            name = type(member).__name__
            msg = f"{name} has no complexity; put openbook's learners into {type(self).__name__}"
            raise ParameterError(msg)
        return member.complexity()

    def _seen_by(self, i, X):  # noqa: ARG002 (most see everything)
        """What member i sees of the rows."""
        return X

    def _names(self):
        """What derivations call the members."""
        return [str(i + 1) for i in range(len(self.estimators_))]

    def _models_to_draw(self):
        """The first members under their names, and the ensemble itself, to be drawn side by side."""
        shown = self._names()[:_DRAWN]
        return {**{name: _MemberView(self, i) for i, name in enumerate(shown)}, "together": self}

    def _arrays(self):
        return {}

    def _restore(self, arrays):
        if arrays:
            raise ValueError(f"array {min(arrays)!r} is unexpected")

    def _saved(self):
        members = {str(i): member for i, member in enumerate(self.estimators_)}
        return super()._saved()._replace(members=members)

    def _opened(self, saved):
        self.estimators_ = [saved.members[str(i)] for i in range(len(saved.members))]
        super()._opened(saved)
        self._check_members()

    def _check_members(self):
        """Refuse members of other columns or another target, which only a damaged file has."""
        if not self.estimators_:
            raise ValueError("it has no members")
        for i, member in enumerate(self.estimators_):
            columns = self._columns_of(i)
            given = tuple(a.name for a in member.schema_ if a.name in columns or not isinstance(a, DatePart))
            if given != columns or is_classifier(member) != is_classifier(self):
                raise ValueError(f"member {i} was fitted on another table")
            known = set(member.classes_.tolist()) if is_classifier(self) else set()
            if odd := known - set(self._labels_of_members()):
                raise ValueError(f"member {i} knows a class {min(odd)!r}, and the ensemble does not")

    def _columns_of(self, i):
        """The columns that member i sees."""
        empty = Table(self.schema_, [np.zeros(0)] * len(self.schema_))
        return self._seen_by(i, empty).names

    def _labels_of_members(self):
        """The labels that members may predict; none where they predict numbers."""
        return self.classes_.tolist() if isinstance(self, Classifier) else []

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        inner = [get_tags(learner) for learner in self._learners() if isinstance(learner, BaseEstimator)]
        tags.input_tags.allow_nan = all(t.input_tags.allow_nan for t in inner)
        tags.input_tags.sparse = all(t.input_tags.sparse for t in inner)
        for own in ("classifier_tags", "regressor_tags"):
            if (mine := getattr(tags, own)) is not None:
                mine.poor_score = any(theirs.poor_score for i in inner if (theirs := getattr(i, own)))
        return tags


class _MemberView:
    """A member as its ensemble asks it: by the columns that it sees."""

    def __init__(self, ensemble, i):
        self.ensemble, self.i, self.schema_ = ensemble, i, ensemble.schema_
        if isinstance(ensemble, Classifier):
            self.classes_ = ensemble.classes_

    def predict(self, X):
        ensemble = self.ensemble
        return ensemble.estimators_[self.i].predict(ensemble._seen_by(self.i, X))  # noqa: SLF001


class OneLearner(Ensemble):
    """An ensemble of one learner's copies, a full-grown tree's by default."""

    estimator: Any
    n_estimators: int
    random_state: Any

    @property
    def estimator_(self):
        """What the members are copies of, not fitted."""
        check_is_fitted(self)
        return self._learners()[0]

    def _seeds(self):
        """A seed for each member, so that none has to wait for another."""
        draw = check_random_state(self.random_state).randint
        return draw(np.iinfo(np.int32).max, size=self.n_estimators).tolist()

    def _learners(self):
        return [self._default() if self.estimator is None else self.estimator]

    def _default(self):
        from openbook import tree

        return tree.DecisionTreeClassifier() if isinstance(self, Classifier) else tree.DecisionTreeRegressor()


def gathered(rows):
    """All rows as one chunk."""
    chunks = [piece if isinstance(piece, Chunk) else piece.load() for piece in rows.pieces]
    X = stacked_rows([chunk.X for chunk in chunks]) if rows.whole is None else rows.whole
    refuse_infinity(X)
    return Chunk(X, *(np.concatenate(part) for part in list(zip(*chunks, strict=True))[1:]))


def number_of_rows(weights):
    """How many rows there are: whole weights count as rows repeated, others do not."""
    return int(weights.sum()) if (weights == np.rint(weights)).all() else len(weights)


def copied(learner, rng):
    """A copy, not fitted, whose own draws follow from `rng`."""
    given = learner.get_params()
    names = sorted(name for name in given if name.split("__")[-1] == "random_state")
    states = {name: rng.randint(np.iinfo(np.int32).max) for name in names}
    plain = all(value is None or isinstance(value, str | int | float) for value in given.values())
    plain = plain and vars(learner).keys() == given.keys()
    # plain settings share nothing, so a copy need not be deep: of many stumps, that counts
    return type(learner)(**given | states) if plain else clone(learner).set_params(**states)


@cache
def takes_weights(fit):
    """Whether this way to fit can weigh rows; a stump grows quicker than the signature is read."""
    return "sample_weight" in signature(fit).parameters


def fitted(member, X, y, times):
    """Fit to rows that occur `times` times: by their weights, or by repeating them where it takes none."""
    if takes_weights(type(member).fit):
        return member.fit(X, y, sample_weight=times.view(RowWeights))
    if (times != np.rint(times)).any():
        raise ParameterError(f"{type(member).__name__} takes no sample_weight")
    rows = np.repeat(np.arange(len(times)), times.astype(np.intp))
    return member.fit(X.take(rows), y.take(rows))


def probabilities(member, X, classes):
    """What a member makes of each class; a member that only decides is sure of its decision."""
    if not hasattr(member, "predict_proba"):
        return decisions(member, X, classes)
    known = {label: code for code, label in enumerate(classes.tolist())}
    positions = [known[label] for label in member.classes_.tolist()]
    proba = member.predict_proba(X)
    if positions == list(range(len(classes))):
        return proba
    spread = np.zeros((len(proba), len(classes)))  # nothing for a class that the member never saw
    spread[:, positions] = proba
    return spread


def decided(member, X, classes):
    """The codes of the classes that a member decides for; -1 where it rejects."""
    labels = member.predict(X)
    codes = np.full(len(labels), -1)
    for code, label in enumerate(classes.tolist()):
        codes[labels == label] = code
    return codes


def each_decided(members, X, classes):
    """What each member decides, one after the other; the cells that trees descend by are laid out once."""
    matrix = None
    for member in members:
        is_tree = isinstance(member, TreeClassifier) and member.schema_ == X.schema
        if is_tree and np.array_equal(member.classes_, classes):
            matrix = cells(X) if matrix is None else matrix
            yield member._decided(matrix)  # noqa: SLF001 (a tree of its own)
        else:
            yield decided(member, X, classes)


def decisions(member, X, classes):
    """A member's decisions as probabilities: 1 for the class that it decides for."""
    return (decided(member, X, classes)[:, None] == np.arange(len(classes))).astype(float)


def shortened(title, header, rows, note=""):
    """A grid of the first rows, and a note of those left out."""
    if (more := len(rows) - SHOWN) > 0:
        note = f"{note}; {plural(more, 'more row')}" if note else plural(more, "more row")
    return Grid(title, header, rows[:SHOWN], note)
