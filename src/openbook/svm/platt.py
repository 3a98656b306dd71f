r"""Probabilities from scores, such that the most probable class is the predicted one.

    P(c | x) = e^(a_k s_c) / sum_j e^(a_k s_j),    k = argmax s

s are the scores of the classes, and a_k > 0 says how sharp they are where class k wins. Of two classes this
is Platt's sigmoid 1 / (1 + e^(-a f)) with a slope for each side of the boundary and no shift: a shift would
make probabilities contradict the sign of f. Each a_k maximises the likelihood of the rows that class k wins,
under Platt's targets, which keep it finite where every row is right:

    t_c = (N_k [c = y] + 1) / (N_k + n_classes)

The scores are those of machines that did not learn from the row: the rows are dealt into folds, in turn, in
the order of their class and of a fixed combination of their columns. So neither chance nor the order of the
rows has a say, and rows that are alike are in one fold. A class that wins no row gets the a of all rows
together.

scores : float64 (n, n_classes), codes : (n,), weights : float64 (n,)
"""

import numpy as np

from openbook.measures.scores import softmax

#: How sharp scores can be, at least and at most.
_LEAST, _MOST = 1e-3, 1e4


def platt_probabilities(scores: np.ndarray, sharp: np.ndarray) -> np.ndarray:
    """The probability of each class."""
    return softmax(scores * sharp[np.argmax(scores, axis=1)][:, None])


def deal(X: np.ndarray, codes: np.ndarray, folds: int) -> np.ndarray:
    """The fold of each row."""
    combination = X @ np.sin(1.0 + np.arange(X.shape[1]))
    order = np.lexsort((combination, codes))
    dealt = np.empty(len(codes), dtype=np.intp)
    dealt[order] = np.arange(len(codes)) % folds
    return dealt


def sharpness(scores: np.ndarray, codes: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """How sharp the scores are where each class wins, (n_classes,)."""
    winner = np.argmax(scores, axis=1)
    sharp = np.empty(scores.shape[1])
    for k in range(len(sharp)):
        won = winner == k
        rows = won if won.any() else slice(None)
        sharp[k] = _sharp(scores[rows], codes[rows], weights[rows])
    return sharp


def _sharp(scores, codes, weights):
    """The a of greatest likelihood: the root of its slope, by Newton's steps inside a bracket."""
    n, n_classes = scores.shape
    total = weights.sum()
    wanted = total * scores[np.arange(n), codes] + scores.sum(axis=1)
    wanted = weights @ wanted / (total + n_classes)

    def slope(a):
        proba = softmax(a * scores)
        mean = (proba * scores).sum(axis=1)
        spread = (proba * scores * scores).sum(axis=1) - mean * mean
        return float(weights @ mean - wanted), float(weights @ spread)

    low, high, a = _LEAST, _MOST, 1.0
    if slope(low)[0] >= 0:  # the scores are no better than a guess
        return low
    for _ in range(100):
        value, rise = slope(a)
        low, high = (low, a) if value > 0 else (a, high)
        step = a - value / rise if rise > 0 else np.inf
        following = step if low < step < high else np.sqrt(low * high)
        if abs(following - a) <= 1e-14 * a:
            return float(following)
        a = following
    return float(a)
