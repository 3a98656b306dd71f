r"""Answers by sampling, with an interval: likelihood weighting and Gibbs sampling.

Likelihood weighting draws each row from parents to children. An evidence node is not drawn; the row is
weighted by its probability instead:

    w = Π_{evidence e} P(e | parents(e)),    P(q | e) ≈ Σ w [q] / Σ w

Rows that show q and rows that do not may weigh differently. By their effective numbers a = (Σ w)² / Σ w² of
the former and b of the latter, the share of rows that show q is π = a / (a + b), with Wilson's interval. Each
end is turned into a probability by the ratio r of the mean weights, (Σ w of q / a) / (Σ w of the others / b):

    P(q | e) = π r / (π r + 1 - π)

Where no row shows q, the mean weight is taken as the largest that a row can have.

Gibbs sampling starts from such a row and draws one hidden node after the other from P(x | its Markov
blanket). Its draws depend on each other, so several chains run at the same time. With the variance s² of
their means, the effective number of rows is P (1 - P) / (s² / chains), and one per chain at least; the
interval is Wilson's for this number.

codes : int64 (n, d)
"""

import math
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from scipy.stats import norm, t

from openbook.errors import DataError
from openbook.judge import wilson
from openbook.measures.arrays import drawn_codes

LEVEL = 0.95
#: Chains of Gibbs sampling that run at the same time, and the share of each that is not counted.
CHAINS, WARM_UP = 100, 0.2


class Drawn(NamedTuple):
    """P(targets | evidence), its interval, P(evidence), and half the interval of E[values of the targets]."""

    shares: np.ndarray
    ends: tuple[np.ndarray, np.ndarray]
    evidence: float
    half_width: Callable[[np.ndarray], float]


def sampled_rows(order, families, tables, n, rng, evidence: Mapping[int, np.ndarray] | None = None):
    """Rows drawn from parents to children, and their weights under the evidence (weights of values)."""
    evidence = evidence or {}
    codes = np.zeros((n, len(order)), dtype=np.int64)
    weights = np.ones(n)
    for node in order:
        chances = tables[node][tuple(codes[:, p] for p in families.parents[node])]
        chances = np.broadcast_to(chances, (n, families.sizes[node]))
        if node in evidence:
            chances = chances * evidence[node]
            weights *= chances.sum(axis=1)
        codes[:, node] = drawn_codes(chances, rng)
    return codes, weights


def _cells(codes, targets, shape):
    """The cell of each row in the table of the targets, of which there may be none."""
    if not shape:
        return np.zeros(len(codes), dtype=np.intp)
    return np.ravel_multi_index(tuple(codes[:, v] for v in targets), shape)


def likelihood_weighting(order, families, tables, targets: Sequence[int], evidence, n, rng):
    """P(targets | evidence) estimated by likelihood weighting."""
    codes, weights = sampled_rows(order, families, tables, n, rng, evidence)
    total = weights.sum()
    if not total:
        msg = f"none of {n:,} sampled rows agrees with the evidence; draw more rows, or use fewer findings"
        raise DataError(msg)
    shape = tuple(families.sizes[v] for v in targets)
    flat = _cells(codes, targets, shape)
    sums, squares = (np.bincount(flat, w, math.prod(shape)) for w in (weights, weights**2))
    p = sums / total
    most = math.prod(float((tables[v] * likely).sum(axis=-1).max()) for v, likely in evidence.items())
    others = (sums.sum() - sums).clip(0), (squares.sum() - squares).clip(0)
    ends = [_interval(*cell, most) for cell in zip(sums, squares, *others, strict=True)]
    variances = squares / total**2

    def half_width(values):
        return float(norm.ppf((1 + LEVEL) / 2) * np.sqrt(variances @ (values - p @ values) ** 2))

    return Drawn(p.reshape(shape), _shaped(ends, shape), float(total / n), half_width)


def _interval(weight, squares, others, other_squares, most):
    """The interval of weight / (weight + others), by sums of weights and of their squares; see the module."""
    a, b = (w * w / s if s > 0 else 0.0 for w, s in ((weight, squares), (others, other_squares)))
    ratio = (weight / a if a else most) / (others / b if b else most)
    return tuple(share * ratio / (share * ratio + 1 - share) for share in _ends(a, a + b))


def _ends(successes, rows):
    """Wilson's interval, which ends at 0 and 1 exactly where no row or every row is a success."""
    found = wilson(successes, rows, LEVEL)
    return found.low if successes > 0 else 0.0, found.high if successes < rows else 1.0


def _shaped(ends, shape):
    """The lower and the upper ends of intervals, each in the shape of the targets."""
    low, high = np.array(ends).T
    return low.reshape(shape), high.reshape(shape)


def gibbs(order, families, tables, targets: Sequence[int], evidence, n, rng):
    """P(targets | evidence) estimated by Gibbs sampling; P(evidence) is not estimated (NaN)."""
    codes, weights = sampled_rows(order, families, tables, max(n, 1000), rng, evidence)
    if not weights.any():
        msg = "no sampled row agrees with the evidence, so Gibbs sampling has no start; use fewer findings"
        raise DataError(msg)
    codes = codes[rng.choice(len(codes), CHAINS, p=weights / weights.sum())]
    rounds = max(n // CHAINS, 20)
    fixed = {node for node, likely in evidence.items() if (likely > 0).sum() == 1}
    hidden = [node for node in order if node not in fixed]
    families_of = {v: [i for i, scope in enumerate(families.scopes) if v in scope] for v in hidden}
    shape = tuple(families.sizes[v] for v in targets)
    seen = np.zeros((CHAINS, int(np.prod(shape))))
    counted = 0
    for i in range(rounds):
        for v in hidden:
            chances = np.ones((CHAINS, families.sizes[v])) * evidence.get(v, 1.0)
            for node in families_of[v]:
                scope = families.scopes[node]
                axes = [*(k for k, u in enumerate(scope) if u != v), scope.index(v)]
                chances *= tables[node].transpose(axes)[tuple(codes[:, u] for u in scope if u != v)]
            codes[:, v] = drawn_codes(chances, rng)
        if i >= WARM_UP * rounds:
            flat = _cells(codes, targets, shape)
            seen[np.arange(CHAINS), flat] += 1
            counted += 1
    means = seen / counted
    p = means.mean(axis=0)

    def half_width(values):
        deviation = float((means @ values).std(ddof=1))
        return float(t.ppf((1 + LEVEL) / 2, CHAINS - 1)) * deviation / math.sqrt(CHAINS)

    variances = means.var(axis=0, ddof=1) / CHAINS
    rows = np.divide(p * (1 - p), variances, out=np.full_like(p, CHAINS), where=variances > 0).clip(CHAINS)
    ends = [_ends(*one) for one in zip(p * rows, rows, strict=True)]
    return Drawn(p.reshape(shape), _shaped(ends, shape), math.nan, half_width)
