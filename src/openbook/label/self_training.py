r"""Self-training: a classifier labels the rows that it is sure of, and learns from them in the next round.

    round    fit the labelled rows, and the rows labelled so far
             move back    a row labelled so far for whose label P(c | x) ≤ threshold now
             add          an unlabelled row with max_c P(c | x) > threshold, under its most probable class

With `criterion="k_best"` the k rows of the largest max_c P(c | x) are added, and a row is moved back when
another class is more probable. It ends when nothing changes, when every row has a label, when the labels of
an earlier round come back, or after `max_iter` rounds; then the classifier is fitted once more. Without
`move_back` it is scikit-learn's. Missing cells are the classifier's affair.

labels : intp (n_rows,), class codes, UNLABELLED where a row has none
"""

from functools import partial, reduce
from typing import Annotated, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.bayes.naive import NaiveBayes
from openbook.border.learner import most_probable
from openbook.border.not_taken import Declared
from openbook.border.rows import UNLABELLED, Chunk
from openbook.border.rules import Maybe, Number, OneOf, Whole
from openbook.damage import checked_array
from openbook.data import CHUNK_ROWS
from openbook.data.attributes import as_text
from openbook.ensemble.members import decided, gathered, probabilities
from openbook.errors import DataError
from openbook.fold import each
from openbook.label.assumptions import out_of_fold, right_often
from openbook.label.in_rounds import InRounds
from openbook.work import Step, Work


class SelfTrainingRound(NamedTuple):
    """A round: rows added and moved back, rows labelled after it, the accuracy on held-out rows (or NaN)."""

    added: int
    moved_back: int
    labelled: int
    accuracy: float


class SelfTrainingClassifier(Declared, InRounds):
    """Self-training: a classifier labels the rows that it is sure of, and learns from them, too.

    It helps where the classifier is right when it is sure. A confident mistake becomes a label, and later
    rounds build on it; `move_back` takes a label away again once the classifier doubts it.

    Parameters
    ----------
    estimator : classifier or None, default=None
        The classifier, which must have `predict_proba`; None for `NaiveBayes()`.
    threshold : float, default=0.75
        A row is labelled when the probability of its class is above this.
    criterion : {"threshold", "k_best"}, default="threshold"
        Whether all rows above the threshold are labelled in a round, or the `k_best` surest.
    k_best : int, default=10
        How many rows a round labels, by criterion "k_best".
    max_iter : int or None, default=10
        The most rounds; None for no limit.
    move_back : bool, default=True
        Whether a row loses its label when the classifier is no longer sure of it.
    validation_fraction : float, default=0.0
        The share of the labelled rows that is held out, to tell the accuracy of every round.
    random_state : int, RandomState or None, default=None
        Draws the rows that are held out, and what the classifier draws.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    estimators_ : list
        The classifier, fitted to the last labels.
    estimator_ : classifier
        The same.
    transduction_ : ndarray of shape (n_rows,)
        The label of each row, None (-1 where labels are numbers) for a row that has none in the end.
    labeled_iter_ : ndarray of shape (n_rows,)
        The round in which a row was last labelled: 0 for given labels, -1 for none.
    n_iter_ : int
        The number of rounds.
    rounds_ : list of SelfTrainingRound
        What happened in each round, which `work` shows.
    termination_condition_ : str
        "no_change", "all_labeled", "max_iter" or "repeated".

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    References
    ----------
    Yarowsky (1995), Unsupervised word sense disambiguation rivaling supervised methods.

    Examples
    --------
    >>> X = [[0.0], [1.0], [9.0], [10.0], [2.0], [8.0], [5.0]]
    >>> model = SelfTrainingClassifier().fit(X, ["low", "low", "high", "high", None, None, None])
    >>> model.transduction_.tolist()
    ['low', 'low', 'high', 'high', 'low', 'high', None]
    """

    estimator: Any = None
    threshold: Annotated[float, Number(at_least=0, at_most=1)] = 0.75
    criterion: Annotated[str, OneOf("threshold", "k_best")] = "threshold"
    k_best: Annotated[int, Whole(at_least=1)] = 10
    max_iter: Annotated[int | None, Maybe(Whole(at_least=1))] = 10
    move_back: bool = True
    validation_fraction: Annotated[float, Number(at_least=0, at_most=0.9)] = 0.0
    random_state: Any = None

    _assumes = "confidence"
    _round = SelfTrainingRound
    _headings = ("added", "moved back", "labelled", "accuracy on held-out rows")

    def knobs(self):
        return {"threshold": (0.75, 0.9, 0.99)}

    def _learners(self):
        return [NaiveBayes() if self.estimator is None else self.estimator]

    @property
    def estimator_(self):
        """The classifier, fitted to the last labels."""
        check_is_fitted(self)
        return self.estimators_[0]

    def _fit(self, rows):
        random = check_random_state(self.random_state)
        chunk, held_out = self._held_out(gathered(rows), random)
        given = chunk.y != UNLABELLED
        labels, seen, ended = chunk.y.copy(), set(), ""
        self.rounds_, self.labeled_iter_ = [], np.where(given, 0, -1)
        member = self._member(chunk.X, labels, chunk.w, random)
        while not ended:
            n_labelled = int((labels != UNLABELLED).sum())
            if n_labelled == len(labels) or len(self.rounds_) == self.max_iter:
                ended = "all_labeled" if n_labelled == len(labels) else "max_iter"
                break
            added, back, winner = self._changes(member, chunk.X, labels, given)
            accuracy = np.nan
            if held_out is not None:
                accuracy = float((decided(member, held_out.X, self.classes_) == held_out.y).mean())
            before = labels.copy()
            labels[back], labels[added] = UNLABELLED, winner
            n_labelled += len(added) - len(back)
            self.rounds_.append(SelfTrainingRound(len(added), len(back), n_labelled, accuracy))
            self.labeled_iter_[back], self.labeled_iter_[added] = -1, len(self.rounds_)
            if not (len(added) or len(back)):
                ended = "no_change"
                break
            member = self._taught_more(member, Chunk(chunk.X, labels, chunk.w), before, random)
            if self.move_back:  # else labels only grow, and none come back
                ended = "repeated" if labels.tobytes() in seen else ""
                seen.add(labels.tobytes())
        self._labels, self.estimators_, self.termination_condition_ = labels, [member], ended

    def _changes(self, member, X, labels, given):
        """The rows to add, those to move back, and the classes of the rows to add."""
        rows = np.flatnonzero(~given if self.move_back else labels == UNLABELLED)
        if 2 * len(rows) > len(labels):  # to predict all rows is quicker than to copy most of them
            rows = np.arange(len(labels))
        seen, label = X if len(rows) == len(labels) else X.take(rows), labels[rows]
        spans = [slice(at, at + CHUNK_ROWS) for at in range(0, len(rows), CHUNK_ROWS)]
        pieces = [(seen.take(span), label[span] if self.move_back else None) for span in spans]
        found = each(pieces, partial(_sureness, member, self.classes_))
        winner, surest, own = map(np.concatenate, zip(*found, strict=True))
        free = np.flatnonzero(label == UNLABELLED)
        taken = np.flatnonzero((label != UNLABELLED) & ~given[rows]) if self.move_back else free[:0]
        if self.criterion == "threshold":
            added, back = free[surest[free] > self.threshold], taken[own[taken] <= self.threshold]
        else:
            added = free[np.argsort(-surest[free], kind="stable")[: self.k_best]]
            back = taken[winner[taken] != label[taken]]
        return rows[added], rows[back], winner[added]

    def _held_out(self, chunk, random):
        """The rows to learn from, and those held out (None for none)."""
        known = np.flatnonzero(chunk.y != UNLABELLED)
        if not (count := int(self.validation_fraction * len(known))):
            return chunk, None
        out = random.permutation(known)[:count]
        rest = np.setdiff1d(np.arange(len(chunk.y)), out)
        if len(np.unique(chunk.y[np.setdiff1d(known, out)])) < len(self.classes_):
            msg = "no row of some class is left to learn from; lower validation_fraction, or label more rows"
            raise DataError(msg)
        parts = [Chunk(chunk.X.take(some), chunk.y[some], chunk.w[some]) for some in (rest, out)]
        return parts[0], parts[1]

    def _evidence(self, rows):
        labelled = rows.labelled
        proba = out_of_fold(labelled, partial(self._asked, probabilities))
        right, surest = proba.argmax(axis=1) == labelled.codes, proba.max(axis=1)
        if self.criterion == "threshold":
            sure = surest > self.threshold
            what = f"whose class has P > {self.threshold:g}"
            return right_often(right[sure], what, self.threshold, "the threshold")
        best = np.argsort(-surest, kind="stable")[: self.k_best]
        return right_often(right[best], "of which the classifier is surest", labelled.largest_share)

    def _proba(self, X):
        return probabilities(self.estimators_[0], X, self.classes_)

    def _work(self):
        rule = Step("added if", r"\max_c P(c \mid x) > \theta", note=f"θ = {self.threshold:g}")
        if self.criterion == "k_best":
            rule = Step("added", result=f"the {self.k_best} rows with the largest probability of a class")
        parts = (rule, self._rounds_grid(), *self._of_member())
        return Work(f"Self-training for {self.target_}: how it was fitted", parts, self._ending())

    def _work_row(self, X):
        parts = self._of_member(X)
        probabilities = zip(self.classes_.tolist(), self._proba(X)[0].tolist(), strict=True)
        steps = () if parts else tuple(Step(f"P({self.target_} = {c})", result=p) for c, p in probabilities)
        winner = as_text(self.classes_[self._predict(X)[0]])
        end = f"Most probable: {self.target_} = {winner}."
        return Work(f"Self-training for {self.target_}: one prediction", (*parts, *steps), end)

    def _of_member(self, row=None):
        member = self.estimators_[0]
        return (member.work(row),) if hasattr(member, "work") else ()

    def _arrays(self):
        return {**super()._arrays(), "labeled_iter": self.labeled_iter_}

    def _restore(self, arrays):
        own = dict(arrays)
        self.labeled_iter_ = checked_array(own, "labeled_iter", np.int64, (len(own["labels"]),))
        del own["labeled_iter"]
        super()._restore(own)


def _sureness(member, classes, piece):
    """The most probable class of some rows, its probability, and the probability of labels they have."""
    X, label = piece
    proba = probabilities(member, X, classes)
    own = proba[np.arange(len(X)), label] if label is not None else proba[:0, 0]
    return most_probable(proba), reduce(np.maximum, proba.T), own
