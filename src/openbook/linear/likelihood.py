r"""The likelihood of classes whose scores are linear in the columns, as a function to minimise: a fold.

    f(θ) = (1/W) [ Σ_i w_i loss(y_i, Θ [x_i 1]) + ½ Σ_j penalty_j θ_j² ],    W = Σ_i w_i

One score, the log odds of the second class, where there are two classes; else one score a class, and softmax.
Value, gradient and Hessian add up over chunks, so every number here is one pass over the rows, wherever they
are. Within a chunk, a few rows at a time stay in the cache while they are multiplied twice.

The solver sees columns in standard units, (x - shift) / scale, so that it converges whatever the columns are
measured in; the rows stay as they are. This is a change of variables: Θ is converted to the units of the
rows, the gradient and the Hessian back to standard units.

theta : float64 (n_scores (d + 1),): a row of coefficients and then the intercept for each score
x : float64 (n, d), finite, since the encoding fills missing cells;  y : codes (n,);  w : float64 (n,)

Sparse rows, a CSR matrix, are never made dense: columns are centred by a change of Θ, like all units. Only
products of their Hessian with vectors are computed, and its diagonal.
"""

from dataclasses import dataclass, replace
from functools import partial
from operator import add
from typing import Any, NamedTuple

import numpy as np
from scipy.sparse import csr_array, issparse

from openbook.border.rows import Chunk, FileChunk
from openbook.fold import Statistics, each, fold, loaded
from openbook.linear.losses import Logistic, Softmax
from openbook.measures.scores import sigmoid, softmax
from openbook.prepare.encoding import Encoding

#: Cells multiplied at a time: they stay in the cache from one product to the next.
BLOCK_CELLS = 1 << 17

#: Rows whose encoding is much wider than they are, and takes more memory, are encoded at every pass.
MOST_BYTES = 1 << 30

#: A kernel pays for its compilation from this many rows on, and is faster than products of blocks, in which
#: NumPy vectorises exponentials and logarithms, from this many columns on.
MANY_ROWS, MANY_COLUMNS = 20_000, 64

#: Rows of a batch.
BATCH_ROWS = 64

NOTHING = np.zeros(0)


class EncodedRows(NamedTuple):
    """Some rows as numbers, with the position of the first among all rows."""

    x: Any
    y: np.ndarray
    w: np.ndarray
    first: int

    @property
    def cells(self):
        """The arrays of sparse rows, as kernels take them."""
        return self.x.indptr, self.x.indices, self.x.data

    def blocks(self, width):
        """A few rows at a time; each takes `width` cells."""
        size = max(BLOCK_CELLS // width, 256)
        for start in range(0, len(self.x), size):
            span = slice(start, start + size)
            yield self.x[span], self.y[span], self.w[span]


@dataclass(frozen=True)
class EncodedLater:
    """Rows that the worker encodes, and reads from their file if they are in one, at every pass."""

    chunk: Chunk | FileChunk
    first: int
    encoding: Encoding
    class_weight: np.ndarray

    def load(self):
        return _encoded(self.encoding, self.class_weight, loaded(self.chunk), self.first)


def encoded_pieces(rows, encoding, class_weight, n_rows):
    """The pieces to fold over: encoded once and for all, or, if that would take too much memory, later."""
    d = len(encoding)
    much = not encoding.sparse and d > 2 * len(rows.schema) and 8 * n_rows * d > MOST_BYTES
    pieces, first = [], 0
    for piece in rows.pieces:
        if isinstance(piece, Chunk) and not much:
            pieces.append(_encoded(encoding, class_weight, piece, first))
        else:
            pieces.append(EncodedLater(piece, first, encoding, class_weight))
        first += len(piece.y) if isinstance(piece, Chunk) else piece.piece.rows
    return pieces


def _encoded(encoding, class_weight, chunk, first):
    X, y, w = chunk
    if (class_weight != 1).any():
        w = w * class_weight[y]
    targets = y.astype(float) if len(class_weight) == 2 and not encoding.sparse else y
    return EncodedRows(encoding(X), targets, w, first)


class Units(NamedTuple):
    """Between standard units, (x - shift) / scale, and those of the rows; `shift` and `scale` (d,)."""

    shift: np.ndarray
    scale: np.ndarray

    @classmethod
    def between(cls, rows, standard):
        """Between those of an encoding of the rows, and those of another that counts as standard."""
        return cls((standard.shift - rows.shift) / rows.scale, standard.scale / rows.scale)

    def of_standard(self, theta):
        """Coefficients and intercept, (…, d + 1), from the units of the rows to standard ones."""
        coef = theta[..., :-1]
        return np.concatenate([coef * self.scale, theta[..., -1:] + (coef @ self.shift)[..., None]], axis=-1)

    def of_rows(self, theta):
        """Coefficients and intercept, (…, d + 1), from standard units to those of the rows."""
        coef = theta[..., :-1] / self.scale
        return np.concatenate([coef, theta[..., -1:] - (coef @ self.shift)[..., None]], axis=-1)

    def standard(self, gradient):
        """Derivatives by them, (…, d + 1), from the units of the rows to standard units."""
        slopes = (gradient[..., :-1] - gradient[..., -1:] * self.shift) / self.scale
        return np.concatenate([slopes, gradient[..., -1:]], axis=-1)


@dataclass(frozen=True)
class Sums(Statistics):
    """The loss and its derivatives, added up over rows."""

    value: np.ndarray
    gradient: np.ndarray
    hessian: np.ndarray


@dataclass(frozen=True)
class Margins(Statistics):
    """By how much the score of the right class exceeds the others: the least and the most over rows, (1,)."""

    least: np.ndarray
    most: np.ndarray

    def __add__(self, other):
        return Margins(np.minimum(self.least, other.least), np.maximum(self.most, other.most))


@dataclass(frozen=True)
class ClassLikelihood:
    """The mean negative log-likelihood of rows plus a penalty, by θ in standard units.

    Parameters
    ----------
    pieces : EncodedRows, or what loads them
    units : from the units of the rows to standard ones
    n_scores : 1 where there are two classes, else as many as classes
    total : W, the weight of all rows
    penalty : float64 (d + 1,), of the squares, for the coefficients of a score and its intercept
    free : bool (d + 1,), those that no penalty at all holds
    intercept : whether there is one; otherwise it stays what it is, 0
    sparse : whether the rows are sparse
    """

    pieces: list
    units: Units
    n_scores: int
    total: float
    penalty: np.ndarray
    free: np.ndarray
    intercept: bool = True
    sparse: bool = False

    def _folded(self, theta, second):
        coefficients = self.units.of_rows(theta.reshape(self.n_scores, -1))
        return fold(self.pieces, partial(_sums, coefficients, second), add)

    def _slope(self, theta, sums):
        by_score = theta.reshape(self.n_scores, -1)
        value = float(sums.value[0] + 0.5 * (by_score**2 @ self.penalty).sum())
        gradient = self.units.standard(sums.gradient) + by_score * self.penalty
        if not self.intercept:
            gradient[:, -1] = 0.0
        return value / self.total, gradient.ravel() / self.total

    def __call__(self, theta):
        """Value and gradient."""
        return self._slope(theta, self._folded(theta, "none"))

    def curved(self, theta):
        """Value, gradient and Hessian.

        Adding a constant to the scores of all classes changes no probability, so the Hessian of several
        scores is singular. Where no penalty makes it regular, the diagonal of the first block is added in
        that direction, to which every gradient is orthogonal.
        """
        sums = self._folded(theta, "all" if self.n_scores > 1 else "blocks")
        k, p = self.n_scores, len(self.penalty)
        hessian = self._standard_hessian(sums.hessian.reshape(k, p, k, p).swapaxes(1, 2))
        if k > 1:
            hessian += np.diag(np.where(self.free, np.diag(hessian[0, 0]), 0.0))
        hessian[range(k), range(k)] += np.diag(self.penalty)
        self._hold_intercept(hessian)
        hessian = hessian.swapaxes(1, 2).reshape(k * p, k * p)
        return (*self._slope(theta, sums), hessian / self.total)

    def blocks(self, theta):
        """The part of the Hessian that each score has to itself, (n_scores, d + 1, d + 1)."""
        blocks = self._standard_hessian(self._folded(theta, "blocks").hessian)
        blocks += np.diag(self.penalty)
        self._hold_intercept(blocks)
        return blocks / self.total

    def _hold_intercept(self, hessian):
        """Where there is no intercept, let no step move it: blocks (…, d + 1, d + 1)."""
        if not self.intercept:
            hessian[..., -1, :] = hessian[..., :, -1] = 0.0
            diagonal = hessian if hessian.ndim == 3 else np.einsum("kkij->kij", hessian)  # a view
            diagonal[:, -1, -1] = self.total

    def _standard_hessian(self, hessian):
        half = self.units.standard(hessian).swapaxes(-1, -2)
        return self.units.standard(half).swapaxes(-1, -2)

    def sample(self, rows, n_rows, ridge):
        """The likelihood of about `rows` evenly spaced rows of `n_rows`, plus `ridge` on the squares of θ.

        The ridge keeps the minimum finite where the sample lacks a class, or a plane separates it.
        """
        stride = -(-n_rows // rows)
        parts = fold(self.pieces, partial(every, stride), add)
        return self._of_part(joined_rows(parts), ridge)

    def batches(self, random):
        """The likelihoods of small batches of rows, each chunk's in a random order."""
        for chunk in each(self.pieces, loaded):
            order = random.permutation(len(chunk.x))
            for start in range(0, len(order), BATCH_ROWS):
                batch = order[start : start + BATCH_ROWS]
                yield self._of_part(EncodedRows(chunk.x[batch], chunk.y[batch], chunk.w[batch], 0))

    def _of_part(self, rows, ridge=0.0):
        """The likelihood of some rows, with their share of the penalty."""
        total = float(rows.w.sum())
        penalty = self.penalty * (total / self.total) + ridge
        return replace(self, pieces=[rows], total=total, penalty=penalty)

    def curvature(self, theta):
        """The Hessian of sparse rows at θ, as a function that multiplies a vector by it; and its diagonal."""
        coefficients = self.units.of_rows(theta.reshape(self.n_scores, -1))
        probas = each(self.pieces, partial(_probabilities, coefficients))
        pairs = [_WithProba(piece, proba) for piece, proba in zip(self.pieces, probas, strict=True)]
        fixed = np.append(np.zeros(len(self.penalty) - 1), not self.intercept)

        def standard(gradient, vector):
            whole = self.units.standard(gradient) * (1 - fixed) + vector * (self.penalty + fixed)
            return whole.ravel() / self.total

        def times(flat):
            vector = flat.reshape(self.n_scores, -1)
            raw = np.ascontiguousarray(self.units.of_rows(vector * (1 - fixed)).T)
            return standard(fold(pairs, partial(_hessian_times, raw), add).T, vector)

        squares, sums = fold(pairs, _curvatures, add)
        shift, scale = self.units
        centred = squares[:, :-1] - 2 * shift * sums[:, :-1] + shift**2 * sums[:, -1:]
        diagonal = np.column_stack([np.maximum(centred, 0.0) / scale**2, sums[:, -1]])
        diagonal = diagonal * (1 - fixed) + self.penalty + fixed
        return times, diagonal.ravel() / self.total

    def margins(self, theta):
        """The least and the largest margin of θ over the rows."""
        coefficients = self.units.of_rows(theta.reshape(self.n_scores, -1))
        return fold(self.pieces, partial(_margins, coefficients), add)


def theta_scores(theta, x):
    """The scores of rows: (n,) if there is one, else (n, n_scores), each score's own in one stretch."""
    if len(theta) == 1:
        return x @ theta[0, :-1] + theta[0, -1]
    return (theta[:, :-1] @ x.T + theta[:, -1:]).T


def _sums(theta, second, chunk):
    """The sums of a chunk; the Hessian's "blocks" of single scores, "all" of it, or "none"."""
    n_scores, width = theta.shape
    if issparse(chunk.x):
        return _sparse_sums(theta, chunk)
    many = len(chunk.x) >= MANY_ROWS and width > MANY_COLUMNS
    if n_scores == 1 and second == "none" and many:
        from openbook.linear.logistic_kernels import add_logistic

        gradient = np.zeros(width)
        value = add_logistic(chunk.x, chunk.y, chunk.w, theta[0], gradient)
        return Sums(np.array([value]), gradient[None], NOTHING)
    loss = Logistic() if n_scores == 1 else Softmax()
    value, gradient = 0.0, np.zeros((n_scores, width))
    shape = {"none": (0,), "blocks": (n_scores, width, width), "all": (n_scores * width, n_scores * width)}
    hessian = np.zeros(shape[second])
    for x, y, w in chunk.blocks(n_scores * width if second == "all" else width + 2 * n_scores):
        scores = theta_scores(theta, x)
        values, slopes = loss.both(scores, y)
        value += w @ values
        weighted = slopes.T * w
        gradient[:, :-1] += weighted @ x
        gradient[:, -1] += weighted.sum(axis=-1)
        if second == "blocks":
            for k, weights in enumerate(np.atleast_2d(loss.curvature(scores).T * w)):
                hessian[k] += _products(x, weights)
        elif second == "all":
            _add_softmax_hessian(x, w, softmax(scores), hessian)
    return Sums(np.array([value]), gradient, hessian)


def _sparse_sums(theta, chunk):
    """Value and gradient of a chunk of sparse rows."""
    from openbook.linear.logistic_kernels import add_sparse_losses

    by_column = np.ascontiguousarray(theta.T)
    gradient, scratch = np.zeros_like(by_column), np.empty(len(theta))
    value = add_sparse_losses(chunk.cells, chunk.y, chunk.w, by_column, gradient, scratch)
    return Sums(np.array([value]), np.ascontiguousarray(gradient.T), NOTHING)


class _WithProba(NamedTuple):
    """Rows, or what loads them, and the probability of each score's class, (n, n_scores)."""

    rows: EncodedRows | EncodedLater
    proba: np.ndarray

    def load(self):
        return self._replace(rows=loaded(self.rows))


def _probabilities(theta, chunk):
    scores = chunk.x @ theta[:, :-1].T + theta[:, -1]
    return softmax(scores) if len(theta) > 1 else sigmoid(scores)


def _hessian_times(vector, known):
    """The Hessian of a chunk of sparse rows times a vector, both (d + 1, n_scores)."""
    from openbook.linear.logistic_kernels import add_hessian_products

    product, scratch = np.zeros_like(vector), np.empty(vector.shape[1])
    add_hessian_products(known.rows.cells, known.rows.w, known.proba, vector, product, scratch)
    return product


def _curvatures(known):
    """Σ w p (1 - p) x² and Σ w p (1 - p) x of each column, 1 among them, (2, n_scores, d + 1)."""
    rows, p = known
    curvatures = (p * (1 - p)).T * rows.w
    squares = csr_array((rows.x.data**2, rows.x.indices, rows.x.indptr), shape=rows.x.shape)
    total = curvatures.sum(axis=1, keepdims=True)
    return np.stack([np.hstack([curvatures @ squares, total]), np.hstack([curvatures @ rows.x, total])])


def _products(x, weights):
    """Σ_i w_i [x_i 1]'[x_i 1]."""
    root = np.sqrt(weights)
    rows = np.empty((len(x), x.shape[1] + 1))
    np.multiply(x, root[:, None], out=rows[:, :-1])
    rows[:, -1] = root
    return rows.T @ rows


def _add_softmax_hessian(x, w, proba, hessian):
    """Add Σ_i w_i (diag(p_i) - p_i p_i') ⊗ [x_i 1]'[x_i 1]."""
    n_scores, width = proba.shape[1], x.shape[1] + 1
    shares = proba * np.sqrt(w)[:, None]
    rows = np.empty((len(x), n_scores, width))
    np.multiply(shares[:, :, None], x[:, None, :], out=rows[:, :, :-1])
    rows[:, :, -1] = shares
    rows = rows.reshape(len(x), -1)
    hessian -= rows.T @ rows
    for k in range(n_scores):
        block = slice(k * width, (k + 1) * width)
        hessian[block, block] += _products(x, proba[:, k] * w)


def joined_rows(parts):
    """The rows of all parts, one behind the other; those of a single part are not copied."""
    if len(parts) == 1:
        return parts[0]
    x, y, w = (np.concatenate(column) for column in zip(*(part[:3] for part in parts), strict=True))
    return EncodedRows(x, y, w, 0)


def every(stride, chunk):
    """Copies of the rows of a chunk whose position among all rows is a multiple of the stride."""
    sample = slice(-chunk.first % stride, None, stride)
    return [EncodedRows(chunk.x[sample].copy(), chunk.y[sample].copy(), chunk.w[sample].copy(), chunk.first)]


def _margins(theta, chunk):
    least, most = np.inf, -np.inf
    for x, y, _ in chunk.blocks(theta.size):
        scores = theta_scores(theta, x)
        if len(theta) == 1:
            margin = np.where(y > 0, scores, -scores)
        else:
            rows, others = np.arange(len(x)), scores.copy()
            others[rows, y] = -np.inf
            margin = scores[rows, y] - others.max(axis=1)
        least, most = min(least, margin.min()), max(most, margin.max())
    return Margins(np.array([least]), np.array([most]))
