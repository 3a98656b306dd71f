r"""The perceptron: a plane that is moved at every mistake.

    two classes     answer +1 where theta . x >= 0, else -1        so sign(0) = +1
    more classes    answer the class of the largest theta_c . x    the first of equals
    at a mistake    theta <- theta + eta (y - answer) x

x has a leading 1 for the bias, and the rows come one by one, in their order, epoch after epoch. With two
classes, y is -1 for the first of `classes_` and +1 for the second. With more, y and the answer are vectors
with a 1 for their class, so the rule adds eta x to the weights of the true class and takes it from those of
the predicted class. An epoch without a mistake ends the learning: no other epoch would change anything.

theta : float64 (d + 1,) for two classes, else (n_classes, d + 1); bias first, then the encoded columns
(`openbook.prepare`). A missing cell counts as its column's mean, and is marked in a column of its own.
"""

import warnings
from dataclasses import replace
from functools import partial
from typing import Annotated, Any

import numpy as np
from scipy.sparse import issparse, vstack
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier, most_probable
from openbook.border.not_taken import Declared
from openbook.border.rows import Chunk
from openbook.border.rules import Anything, Number, OneOf, Whole
from openbook.damage import checked_array, checked_floats, require
from openbook.errors import DataError
from openbook.fold import each
from openbook.linear.perceptron_kernels import CLOCK, LONGEST, RUN, TRIED, UPDATES, Hyperplanes, meet
from openbook.linear.perceptron_picture import draw_moving_line, draw_weights
from openbook.linear.perceptron_work import derive_model, derive_row
from openbook.linear.scored import linear_scores
from openbook.linear.start import given_start
from openbook.prepare.encoding import Encoding

#: Tables of at most this many rows are kept, so that `work` can show each step.
KEPT_ROWS = 30


class Perceptron(Declared, Classifier):
    """The perceptron (Rosenblatt, 1958): it goes through the rows and corrects its weights at every mistake.

    It converges if a plane separates the classes, however long that takes; if none does, the last weights
    are no better than any before. `keep` decides which weights are the model.

    Parameters
    ----------
    eta0 : float, default=1.0
        The learning rate eta. Where the start is 0 it changes the size of the weights, and no answer.
    max_iter : int, default=100
        The most epochs: how often every row is met. 0 learns nothing and keeps `coef_init` and
        `intercept_init`.
    coef_init : array-like of shape (n_encoded,) or (n_classes, n_encoded), or None, default=None
        The weights to start from, in units of the columns; None for 0.
    intercept_init : float, array-like of shape (n_classes,) or None, default=None
        The bias to start from; None for 0.
    keep : {"last", "pocket", "average"}, default="last"
        Which weights become the model: the last; those with the fewest errors on all training rows, which
        are tried at the end of an epoch, and whenever weights get more rows right on end than any before
        (Gallant's pocket with a ratchet); or the average of the weights after each row met.
    shuffle : bool, default=False
        Whether the rows come in a new random order in every epoch, rather than as given.
    random_state : int, RandomState or None, default=0
        Random seed of the shuffling.
    scale : bool, default=False
        Whether numeric columns are brought to mean 0 and standard deviation 1 first; without a bias, to
        standard deviation 1.
    fit_intercept : bool, default=True
        Whether there is a bias. Without one the plane goes through the origin.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    weights_ : ndarray of shape (n_encoded + 1,) or (n_classes, n_encoded + 1)
        theta, the bias first, for the encoded columns.
    coef_ : ndarray of shape (1, n_encoded) or (n_classes, n_encoded)
        The weights in units of the columns.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The bias, beside weights in units of the columns.
    encoding_ : Encoding
    updates_ : ndarray of shape (n_iter_,)
        The number of changes in each epoch.
    n_iter_ : int
        The number of epochs.
    converged_ : bool
        Whether the last epoch was without a mistake.
    cycle_ : tuple of int or None
        Two epochs that ended with the same weights, which proves that no plane separates the classes.
    rows_ : tuple of ndarray
        The encoded rows, their classes and weights, where they are few enough for `work` to show.
    seed_ : int
        The seed of the shuffling.

    Notes
    -----
    A perceptron has no probabilities: `predict_proba` is 1 for the predicted class and 0 for the others. A
    row of weight 3 is met three times in a row; a remaining weight below 1 makes a smaller step.
    Guide: docs/guide/perceptron.md

    References
    ----------
    Rosenblatt (1958). Novikoff (1962), that it converges. Gallant (1990), for the pocket. Freund and Schapire
    (1999), for the average.

    Examples
    --------
    >>> model = Perceptron().fit([[1, 1], [1, 2], [0, 0], [-1, 0]], [1, 1, -1, -1])
    >>> model.weights_.tolist(), model.updates_.tolist()
    ([-2.0, 2.0, 2.0], [1, 2, 0])
    >>> by_hand = Perceptron(coef_init=[1, 1], intercept_init=-1.5, max_iter=0).fit([[0, 0], [1, 1]], [-1, 1])
    >>> by_hand.predict([[0, 1], [1, 1]]).tolist()
    [-1, 1]
    """

    eta0: Annotated[float, Number(above=0)] = 1.0
    max_iter: Annotated[int, Whole(at_least=0)] = 100
    coef_init: Annotated[Any, Anything("None, or a weight for each encoded column")] = None
    intercept_init: Annotated[Any, Anything("None, or a number for each score")] = None
    keep: Annotated[str, OneOf("last", "pocket", "average")] = "last"
    shuffle: bool = False
    random_state: Any = 0
    scale: bool = False
    fit_intercept: bool = True

    _counts_rows = True
    _takes_means = True
    _takes_sparse = True

    def knobs(self):
        return {"keep": ("last", "pocket", "average"), "scale": (False, True)}

    def _fit(self, rows):
        self.encoding_ = Encoding.of(rows, scale=self.scale)
        if not self.fit_intercept:  # a plane through the origin of the columns themselves
            self.encoding_ = replace(self.encoding_, shift=np.zeros(len(self.encoding_)))
        self.seed_ = check_random_state(self.random_state).randint(1 << 31) if self.shuffle else 0
        settings = self.eta0, self.keep, self.fit_intercept
        course = _Course(self._pieces(rows), self.encoding_, self._first_weights(), *settings)
        self._learn(course)
        self.weights_ = course.kept().reshape(self._shape)
        if not np.isfinite(self.weights_).all():
            raise DataError("the weights overflowed: some cells are too large; use scale=True")
        self.rows_ = course.few_rows()
        self._announce()

    def _learn(self, course):
        """Epoch after epoch, until one is without a mistake; and note the first that ended like another."""
        ended_so: dict[bytes, int] = {}
        look = np.random.default_rng(0).random(len(course.theta))  # weights that look alike are the same
        updates = []
        self.cycle_ = None
        for epoch, order in zip(range(1, self.max_iter + 1), self._orders(course.n_rows), strict=False):
            updates.append(course.epoch(order))
            if updates[-1] == 0:
                break
            if not self.shuffle and self.cycle_ is None:
                state = (look @ course.theta + 0.0).tobytes()  # -0 and 0 are the same
                if ended_so.setdefault(state, epoch) < epoch:
                    self.cycle_ = ended_so[state], epoch
        self.updates_ = np.array(updates, dtype=np.int64)

    def _orders(self, n_rows):
        """The orders in which the rows come, epoch after epoch; None is as given."""
        rng = np.random.default_rng(self.seed_)
        while True:
            yield rng.permutation(n_rows) if self.shuffle else None

    def _pieces(self, rows):
        """The chunks: encoded once where they are in memory; files are read again in every epoch."""
        if not all(isinstance(piece, Chunk) for piece in rows.pieces):
            if self.shuffle:
                raise DataError("shuffle needs rows in memory; read the file instead of scanning it")
            return rows.pieces
        pieces = [_encoded(self.encoding_, piece) for piece in rows.pieces]
        if self.shuffle and len(pieces) > 1:
            x, *rest = zip(*pieces, strict=True)
            stacked = vstack(x, format="csr") if self.encoding_.sparse else np.concatenate(x)
            return [(stacked, *map(np.concatenate, rest))]
        return pieces

    @property
    def _shape(self):
        """The shape of the weights."""
        size = len(self.encoding_) + 1
        return (size,) if len(self.classes_) <= 2 else (len(self.classes_), size)

    def _first_weights(self):
        """The weights to begin with, one row or a row for each class, bias first."""
        coef, intercept = given_start(self, 1 if len(self.classes_) <= 2 else len(self.classes_))
        shift, scale = self.encoding_.shift, self.encoding_.scale
        return np.column_stack([intercept + coef @ shift, coef * scale])

    @property
    def n_iter_(self):
        return len(self.updates_)

    @property
    def converged_(self):
        return bool(self.n_iter_ and self.updates_[-1] == 0)

    @property
    def coef_(self):
        return self._original()[0]

    @property
    def intercept_(self):
        return self._original()[1]

    def _original(self):
        theta = self.weights_.reshape(-1, self.weights_.shape[-1])
        return self.encoding_.original(theta[:, 1:], theta[:, 0])

    def _announce(self):
        if self.converged_ or self.keep != "last" or self.max_iter == 0:
            return
        if self.cycle_:
            first, again = self.cycle_
            repeats = f"the weights after epoch {again} are those after epoch {first}"
            why = f"{repeats}, so no plane separates the classes; use keep='pocket' or keep='average'"
        else:
            doubt = "perhaps no plane separates the classes"
            why = f"{doubt}: use keep='pocket' or keep='average', or more epochs"
        mistakes = f"with {self.updates_[-1]} mistakes in the last"
        msg = f"Perceptron: not converged after {self.n_iter_} epochs, {mistakes}; {why}"
        warnings.warn(msg, ConvergenceWarning, stacklevel=4)

    def decision_function(self, X):
        """The scores theta . x of each row.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
            For two classes one score, 0 or more for the second class; else a score for each class.
        """
        scores = self._each(X, self._scores)
        return scores[:, 0] if len(self.classes_) <= 2 else scores

    def _scores(self, X):
        theta = self.weights_.reshape(-1, self.weights_.shape[-1])
        return linear_scores(self.encoding_, X, theta[:, 1:], theta[:, 0])

    def _predict(self, X):
        if len(self.classes_) == 1:
            return np.zeros(len(X), dtype=np.intp)
        return _answers(self._scores(X))

    def _proba(self, X):
        return np.eye(len(self.classes_))[self._predict(X)]

    def draw(self, X=None, y=None, columns=None):
        """The weights as bars, the largest on top; or, with rows, the decision regions.

        Parameters
        ----------
        X : table-like or None, default=None
            Rows to draw the decision regions with.
        y : array-like, str or None, default=None
            Their target.
        columns : sequence of str or None, default=None
            The two columns across and up; None takes the two by which most predictions change.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        return draw_weights(self) if X is None else super().draw(X, y, columns)

    def draw_steps(self, X, y, columns=None):
        """How the line between two classes moved, mistake by mistake, over the rows it learnt from.

        Parameters
        ----------
        X : table-like
            The rows learnt from, in their order.
        y : array-like or str
            Their target.
        columns : sequence of str or None, default=None
            The two columns across and up; None takes the two by which most predictions change.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        return draw_moving_line(self, X, y, columns)

    def complexity(self):
        return self.weights_.size

    def _arrays(self):
        return {
            **self.encoding_.arrays("encoding."),
            **{f"rows.{name}": array for name, array in zip("xyw", self.rows_, strict=True)},
            "weights_": self.weights_,
            "updates_": self.updates_,
            "cycle_": np.array(self.cycle_ or (0, 0)),
            "seed_": np.array([self.seed_]),
        }

    def _restore(self, arrays):
        self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        n = min(len(arrays["rows.w"]), KEPT_ROWS)
        n_epochs = min(max(arrays["updates_"].size, 1), self.max_iter)  # none only where none were requested
        shapes = {"weights_": self._shape, "rows.x": (n, len(self.encoding_)), "rows.w": (n,)}
        self.weights_, x, w = checked_floats(arrays, **shapes)
        self.updates_ = checked_array(arrays, "updates_", np.int64, (n_epochs,))
        require((self.updates_ >= 0).all() and self.updates_[:-1].all(), "its epochs are not valid")
        cycle = tuple(checked_array(arrays, "cycle_", np.int64, (2,)).tolist())
        known = cycle == (0, 0) or 1 <= cycle[0] < cycle[1] <= self.n_iter_
        require(known, f"epochs {cycle[0]} and {cycle[1]} are not two of its epochs")
        self.cycle_ = cycle if cycle[0] else None
        self.seed_ = int(checked_array(arrays, "seed_", np.int64, (1,))[0])
        y = checked_array(arrays, "rows.y", np.int64, (n,))
        sound = ((y >= 0) & (y < len(self.classes_)) & (w > 0)).all() and self.seed_ >= 0
        require(sound, "its rows do not match its classes")
        self._first_weights()
        self.rows_ = x, y, w

    _work, _work_row = derive_model, derive_row


class _Course:
    """The weights while they are trained: theta is (d + 1, planes), those of a column in a row."""

    def __init__(self, pieces, encoding, theta, step, keep, bias):
        self.pieces, self.encoding, self.bias = pieces, encoding, bias
        self.step, self.keep = float(step), keep
        self.n_planes = len(theta)
        spare = -len(theta) % 4 if len(theta) > 1 else 0  # planes go four at a time; these are never chosen
        self.theta = np.zeros((theta.shape[1], len(theta) + spare))
        self.theta[:, : len(theta)] = theta.T
        self.theta[0, len(theta) :] = -np.inf
        drift = np.zeros(self.theta.shape if keep == "average" else (0, len(theta)))
        self.planes = Hyperplanes(self.theta, drift, np.empty(self.theta.shape[1]))
        self.tally = np.zeros(5)
        self.tally[LONGEST] = 0.0 if keep == "pocket" else np.inf
        self.pocket, self.fewest = self.theta, np.inf

    @property
    def n_rows(self):
        """The number of rows, where they are in memory."""
        return sum(len(piece[1]) for piece in self.pieces if isinstance(piece, tuple))

    def _passed(self):
        """The encoded chunks, one after the other."""
        if isinstance(self.pieces[0], tuple):
            return iter(self.pieces)
        return each(self.pieces, partial(_encoded, self.encoding))

    def epoch(self, order):
        """Meet every row; how many times the weights changed."""
        before = self.tally[UPDATES]
        for x, y, w in self._passed():
            positions = np.arange(len(y)) if order is None else order
            rows, at = (*_cells(x), y, w), 0
            while at < len(positions):
                at = meet(rows, positions, at, self.step, self.planes, self.tally, self.bias)
                if self.tally[RUN] > self.tally[LONGEST]:
                    self._pocket()
        if self.keep == "pocket":
            self._pocket()
        return int(self.tally[UPDATES] - before)

    def _pocket(self):
        """Put the weights into the pocket if they make fewer errors than those in it."""
        if self.tally[TRIED]:
            return
        self.tally[TRIED] = 1.0
        errors = sum(w[_answers(_scores(self.theta, x)) != y].sum() for x, y, w in self._passed())
        if errors < self.fewest:
            self.pocket, self.fewest = self.theta.copy(), errors

    def kept(self):
        """The weights that become the model, those of each plane in a row."""
        theta = self.pocket if self.keep == "pocket" else self.theta
        if self.keep == "average" and self.tally[CLOCK]:
            theta = theta - self.planes.drift / self.tally[CLOCK]
        return np.ascontiguousarray(theta[:, : self.n_planes].T)

    def few_rows(self):
        """The encoded rows, if they are few enough to be shown; else none of them."""
        if len(self.pieces) == 1 and not self.encoding.sparse:
            x, y, w = next(self._passed())
            if len(y) <= KEPT_ROWS:
                return x.copy(), y.copy(), w.copy()
        return np.zeros((0, len(self.theta) - 1)), np.zeros(0, dtype=np.intp), np.zeros(0)


def _encoded(encoding, chunk):
    return encoding(chunk.X), chunk.y.astype(np.intp, copy=False), chunk.w


def _cells(x):
    """Encoded rows as the kernel takes them."""
    if issparse(x):
        return x.data, x.indices, x.indptr
    return np.ascontiguousarray(x).ravel(), None, np.arange(len(x) + 1) * x.shape[1]


def _scores(theta, x):
    return x @ theta[1:] + theta[0]


def _answers(scores):
    """The codes of the predicted classes."""
    return (scores[:, 0] >= 0).astype(np.intp) if scores.shape[1] == 1 else most_probable(scores)
