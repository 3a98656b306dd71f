r"""The base of multi-label learners: binary relevance, chains and powersets.

    P_l(x)         the probability that a row has label l
    decision       label l where P_l(x) > 1/2, or where P_l(x) >= t_l if thresholds are tuned
    t_l            the threshold whose decisions score best on training rows that the learner had not seen

Thresholds are tuned one by one for each label: inner folds, stratified over labels, predict every training
row once (`openbook.decide.threshold.best_threshold`). A label that all training rows have, or none, needs no
classifier: its member is a `ZeroR`. The classifier handles missing cells. If the classifier uses every word
of texts, they are counted once for all members.
"""

from abc import abstractmethod
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

import numpy as np
from sklearn.base import clone
from sklearn.utils.validation import check_is_fitted

from openbook.baseline import ZeroR
from openbook.border.labels import EVEN, LabelLearner
from openbook.border.passages import odds_score, shaded_texts
from openbook.border.rows import Rows
from openbook.border.rules import Maybe, OneOf, Whole
from openbook.border.words import with_words
from openbook.damage import checked_array, require
from openbook.data import Column, Nominal, Schema, Table, Text, Word
from openbook.decide.around import Around
from openbook.decide.threshold import best_threshold
from openbook.ensemble.members import copied, fitted
from openbook.judge.folds.label_folds import IterativeStratification
from openbook.text.columns import encoded
from openbook.words.numbers import figure
from openbook.work import Grid, Step, Work

#: What members say of a label.
SIDES = np.array(["no", "yes"])

#: The folds in which thresholds are tuned.
_INNER_FOLDS = 5


class MultiLabelLearner(Around, LabelLearner):
    """A learner of several labels around a classifier; a subclass fits its members and asks them."""

    estimators_: list[Any]
    thresholds_: np.ndarray

    def __init__(
        self,
        estimator: Any,
        thresholds: Annotated[str | None, Maybe(OneOf("f1", "balanced_accuracy"))] = None,
        random_state: Annotated[int | None, Maybe(Whole(at_least=0))] = None,
    ) -> None:
        self.estimator = estimator
        self.thresholds = thresholds
        self.random_state = random_state

    @abstractmethod
    def _fit_members(self, X: Table, cells: np.ndarray, weights: np.ndarray) -> None:
        """Fit the members to rows as they see them."""

    @abstractmethod
    def _members_proba(self, X: Table) -> np.ndarray:
        """What the members make of rows as they see them: the probability of each label."""

    def _learn(self, X, sets, weights):
        X = self._with_words(X, sets)
        self._fit_members(X, sets.cells, np.ones(len(sets)) if weights is None else weights)
        self.thresholds_ = self._tuned(X, sets, weights)

    def _with_words(self, X, sets):
        """The rows as members see them: texts are counted once for all, where members take every word.

        `worded_` is then the schema of those rows, else None.
        """
        self.worded_ = None
        if not X.schema.of(Text) or not self._counts_for_all(X.schema):
            return X
        codes = sets.column()
        rows = Rows.in_memory(X, codes.data.astype(np.intp))
        self.worded_, counted = with_words(X.schema, rows, len(codes.attribute.values), every=True)
        return rows.under(self.worded_, counted).whole

    def _counts_for_all(self, schema):
        """Whether members take every word of texts."""
        takes = getattr(self.estimator, "_takes_all_words", None)
        return takes is not None and takes(schema)

    def _as_members_see(self, X):
        """New rows as members see them."""
        return X if self.worded_ is None else encoded(X, self.worded_, type(self).__name__)

    def _answers(self, X):
        seen = self._as_members_see(X)
        proba = self._members_proba(seen)
        return self._decisions(seen, proba), proba

    def _member(self, X, name, column, weights):
        """A copy of the classifier, fitted to one label."""
        learner = self.estimator if 0 < column.sum() < len(column) else ZeroR()
        rng = np.random.RandomState(self.random_state or 0)
        target = Column(Nominal(name, tuple(SIDES)), column.astype(np.int8))
        return fitted(copied(learner, rng), X, target, weights)

    def _tuned(self, X, sets, weights):
        """The threshold of each label."""
        even = np.full(len(self.labels_), EVEN)
        if self.thresholds is None or len(sets) < _INNER_FOLDS:
            return even
        proba = np.zeros(sets.cells.shape)
        plain = clone(self).set_params(thresholds=None)
        for train, test in IterativeStratification(_INNER_FOLDS, self.random_state or 0).split(X, sets.cells):
            training_weights = None if weights is None else weights[train]
            model = clone(plain).fit(X.take(train), sets.take(train), training_weights)
            proba[test] = model._members_proba(X.take(test))  # noqa: SLF001 (of its own class)
        counted = np.ones(len(sets)) if weights is None else weights
        pairs = zip(sets.cells.T, proba.T, strict=True)
        return np.array([best_threshold(has, p, counted, self.thresholds)[0] for has, p in pairs])

    def _decisions(self, X, proba):  # noqa: ARG002 (a subclass may ask the rows again)
        """Whether each row has each label, of rows as members see them and the probabilities of labels."""
        return proba > EVEN if self.thresholds is None else proba >= self.thresholds_

    def complexity(self):
        """The size of all members together.

        Returns
        -------
        int or None
            None if the classifier does not say.
        """
        check_is_fitted(self)
        if not all(hasattr(member, "complexity") for member in self.estimators_):
            return None
        return sum(member.complexity() for member in self.estimators_)

    def _work(self):
        thresholds = [figure(at, 3) for at in self.thresholds_]
        rows = list(zip(self.labels_.tolist(), thresholds, strict=True))
        works = [member.work() for member in self.estimators_ if hasattr(member, "work")]
        grid = Grid("labels", ("label", "threshold"), rows, self._rule())
        return Work(f"{self._title} for {self.target_}", (grid, *works))

    def _work_row(self, X):
        chosen, proba = self._answers(X)
        figures = (part.tolist() for part in (self.labels_, proba[0], self.thresholds_, chosen[0]))
        steps = []
        for label, p, threshold, has in zip(*figures, strict=True):
            note = f"{'yes' if has else 'no'}: the threshold is {figure(threshold, 3)}"
            steps.append(Step(f"P({label} | x)", result=p, note=note))
        labels = self._sets(chosen).written()[0] or "none"
        works = [member.work(rows) for _, member, rows in self.seen_by(X) if hasattr(member, "work")]
        parts = (*steps, *works)
        return Work(f"{self._title} for {self.target_}: one prediction", parts, f"Labels: {labels}.")

    #: What derivations call it.
    _title: ClassVar[str]

    def _rule(self) -> str:
        """How decisions are made, in words."""
        if self.thresholds is None:
            return "A row has a label where its probability is above 0.5."
        what = {"f1": "F1", "balanced_accuracy": "balanced accuracy"}[self.thresholds]
        return f"A row has a label from its threshold on, which is tuned for {what} in inner folds."

    def seen_by(self, X: Any) -> list[tuple[str, Any, Table]]:
        """The members, each with its label and the rows that it sees.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        list of (str, estimator, Table)
        """
        check_is_fitted(self)
        return list(self._seen_by_members(self._as_members_see(self._encode(X))))

    @abstractmethod
    def _seen_by_members(self, X: Table) -> Iterator[tuple[str, Any, Table]]:
        """The label of each member, the member, and its columns of the rows that members see."""

    def _shaded(self, given):
        """The texts, once for each label that is predicted, or where there is none for the most probable."""
        if self.worded_ is None:  # members shade the words that each of them knows
            return ()
        row = self._with_texts(given)
        chosen, proba = self._answers(row)
        labels = np.flatnonzero(chosen[0]) if chosen.any() else [int(proba[0].argmax())]

        def score(rows):
            every = self._answers(rows)[1]
            with np.errstate(divide="ignore"):
                yes, no = np.log(every), np.log1p(-every)
            return [odds_score(self.labels_[j], self.labels_[j], yes[:, j], no[:, j]) for j in labels]

        return shaded_texts(self.worded_.words, row, score)

    def _arrays(self):
        return {"thresholds_": self.thresholds_}

    def _saved(self):
        saved = super()._saved()
        members = {str(i): member for i, member in enumerate(self.estimators_)}
        return saved._replace(facts={**saved.facts, "worded": self.worded_ is not None}, members=members)

    def _opened(self, saved):
        self.estimators_ = [saved.members[str(i)] for i in range(len(saved.members))]
        super()._opened(saved)
        self.worded_ = None
        if saved.facts.get("worded"):
            others = [a for a in self.schema_ if not isinstance(a, Text)]
            words = [a for a in self.estimators_[0].schema_ if isinstance(a, Word)]
            self.worded_ = Schema((*others, *words), self.schema_.named)
        self._check_members()

    def _restore(self, arrays):
        self.thresholds_ = checked_array(arrays, "thresholds_", float, self.labels_.shape, finite=False)

    def _check_members(self):
        """Refuse members that are not one for each label, which only a damaged file has."""
        sides = [set(member.classes_.tolist()) <= set(SIDES.tolist()) for member in self.estimators_]
        require(len(sides) == len(self.labels_) and all(sides), "its members are not one for each label")
