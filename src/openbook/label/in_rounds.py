"""What wrappers that label rows in rounds share: the last labels, the rounds as a table, and their file.

labels : intp (n_rows,), class codes, UNLABELLED where a row has none in the end
rounds : a NamedTuple of numbers for each round, of the class that `_round` names
"""

from typing import Any, ClassVar, NamedTuple

import numpy as np
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.folding import Folding
from openbook.border.learner import Classifier
from openbook.border.rows import UNLABELLED, Chunk, Rows, none_labelled
from openbook.damage import checked_array
from openbook.data import CHUNK_ROWS
from openbook.ensemble.members import Ensemble, copied, fitted, shortened
from openbook.errors import ParameterError
from openbook.label.assumptions import ASSUMPTIONS

#: How rounds end, in words; scikit-learn's names, and ours for labels that come back.
_ENDS = {
    "no_change": "a round changed no label",
    "all_labeled": "every row has a label",
    "max_iter": "max_iter was reached",
    "repeated": "the labels of an earlier round came back",
}


class InRounds(Ensemble, Classifier):
    """A wrapper whose members are fitted to labels that grow round by round."""

    _takes_unlabelled = True
    #: The assumption, by its name in `ASSUMPTIONS`.
    _assumes: ClassVar[str]
    #: What a round is.
    _round: ClassVar[type[Any]]
    #: The headings of the table of rounds, a word for each number of a round.
    _headings: ClassVar[tuple[str, ...]]
    #: Whether members must have probabilities.
    _needs_proba: ClassVar[bool] = True

    rounds_: list[Any]
    termination_condition_: str
    _labels: np.ndarray

    def _check_learner(self, learner):
        super()._check_learner(learner)
        if self._needs_proba and not hasattr(learner, "predict_proba"):
            name = type(learner).__name__
            msg = f"{type(self).__name__} needs probabilities, and {name} has no predict_proba"
            raise ParameterError(msg)

    @property
    def transduction_(self):
        """The label of each row, None (-1 where labels are numbers) for a row that has none in the end."""
        check_is_fitted(self)
        return named_labels(self.classes_, self._labels)

    @property
    def n_iter_(self):
        """The number of rounds."""
        check_is_fitted(self)
        return len(self.rounds_)

    def _member(self, X, labels, weights, random):
        """A copy of the learner, fitted to the rows that have a label."""
        known = np.flatnonzero(labels != UNLABELLED)
        if not len(known):
            raise none_labelled(self.target_)
        learner = copied(self._learners()[0], random)
        rows = X if len(known) == len(labels) else X.take(known)
        return fitted(learner, rows, self._member_target(labels[known]), weights[known])

    def _taught_more(self, member, chunk, before, random):
        """The member once labels have changed; new ones are added, where its statistics add up."""
        changed = np.flatnonzero(chunk.y != before)
        if not can_add(member, chunk.X.schema, self.classes_) or (before[changed] != UNLABELLED).any():
            return self._member(chunk.X, chunk.y, chunk.w, random)
        return added_to(member, chunk, changed)

    def _rounds_grid(self):
        """The rounds as a table; a figure that no round has is left out."""
        some = [k for k, column in enumerate(zip(*self.rounds_, strict=True)) if not np.isnan(column).all()]
        header = ["round", *(self._headings[k] for k in some)]
        rows = [[t, *(one[k] for k in some)] for t, one in enumerate(self.rounds_, 1)]
        return shortened("rounds", header, rows)

    def _asked(self, answers, rows, X, times=None):
        """What a copy of the learner, fitted to labelled rows, answers for others; see `answers`."""
        learner = copied(self._learners()[0], check_random_state(0))
        weights = np.ones(len(rows.codes)) if times is None else times.astype(float)
        return answers(fitted(learner, rows.X, rows.y, weights), X, rows.labels)

    def _ending(self):
        """The last sentences of the work."""
        if not self.rounds_ and not (self._labels == UNLABELLED).any():
            return "No row is unlabelled, so nothing was added."
        return (
            f"Training stopped: {_ENDS[self.termination_condition_]}."
            f" Assumption: {ASSUMPTIONS[self._assumes]}."
            " Compare with the learner of the labelled rows alone."
        )

    def _saved(self):
        saved = super()._saved()
        return saved._replace(facts={**saved.facts, "ended": self.termination_condition_})

    def _opened(self, saved):
        if (ended := saved.facts["ended"]) not in _ENDS:
            raise ValueError(f"it cannot have ended by {ended!r}")
        self.termination_condition_ = ended
        super()._opened(saved)

    def _arrays(self):
        rounds = np.array(self.rounds_, dtype=float).reshape(-1, len(self._headings))
        return {"labels": self._labels, "rounds": rounds}

    def _restore(self, arrays):
        own = dict(arrays)
        labels, rounds = own.pop("labels"), own.pop("rounds")
        self._labels = checked_array(arrays, "labels", np.intp, (len(labels),))
        shape = (len(rounds), len(self._headings))
        rounds = checked_array(arrays, "rounds", float, shape, finite=False)
        inside = (self._labels >= UNLABELLED) & (self._labels < len(self.classes_))
        if not inside.all() or np.isinf(rounds).any():
            raise ValueError("a label or a round is out of range")
        kinds = self._round.__annotations__.values()
        self.rounds_ = [
            self._round(*(kind(x) for kind, x in zip(kinds, row, strict=True))) for row in rounds.tolist()
        ]
        super()._restore(own)


def named_labels(classes, codes):
    """The labels of class codes; None, or -1 where labels are numbers, for UNLABELLED.

    >>> named_labels(np.array(["no", "yes"]), np.array([1, UNLABELLED])).tolist()
    ['yes', None]
    """
    numbers = classes.dtype.kind in "iuf"
    labels = np.array([*classes.tolist(), -1 if numbers else None], None if numbers else object)
    return labels[codes]  # UNLABELLED is the last


class _SomeRows(NamedTuple):
    """Some of many rows, which are copied when they are asked for."""

    rows: Chunk
    some: np.ndarray

    def load(self):
        X, y, w = self.rows
        return Chunk(X.take(self.some), y[self.some], w[self.some])


def can_add(model, schema, classes):
    """Whether a fitted model can add rows: it follows from sums over them, and has their codes and classes.

    One that chose its own values or words from its first rows would choose others from more, and codes of
    other values are no places in its tables.
    """
    sums = isinstance(model, Folding) and model.one_pass
    return sums and model.schema_ == schema and np.array_equal(model.classes_, classes)


def added_to(model, chunk, some):
    """A model that adds up, with some rows of a chunk more; they need not all be copied at once."""
    pieces = [_SomeRows(chunk, some[at : at + CHUNK_ROWS]) for at in range(0, len(some), CHUNK_ROWS)]
    model._add(Rows(model.schema_, pieces))  # noqa: SLF001 (encoded already, so its border is behind them)
    return model
