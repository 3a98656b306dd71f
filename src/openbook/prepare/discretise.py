r"""Cuts that turn numbers into intervals; a cut parts the values <= it from those above.

    equal frequency   about as much weight in every interval, whatever the classes
    MDL               the cut of the largest gain, if that pays for describing it; then each side likewise

Fayyad and Irani (1993) accept a cut of N rows if

    gain > (log2(N - 1) + log2(3^k - 2) - (k H - k1 H1 - k2 H2)) / N

where H, H1, H2 are the entropies of the classes among all N rows, those below and those above the cut, and
k, k1, k2 the numbers of classes there. Of equal gains the lowest cut wins. Cuts lie halfway between
neighbouring values. Values must be known: leave missing ones out.

blocks : float64 (b, n_classes), class counts of neighbouring values; no best cut lies inside a block
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from openbook.words.numbers import figure
from openbook.work import Step, Work

#: Gains that differ by less than this many bits are equal.
_SAME = 1e-12


@dataclass(frozen=True)
class BinSplit:
    """The best cut of some neighbouring rows: class counts on both sides, and whether it was accepted."""

    cut: float
    below: tuple[int, ...]
    above: tuple[int, ...]
    accepted: bool


def equal_cuts(values: np.ndarray, weights: np.ndarray, bins: int, least: float = 1) -> np.ndarray:
    """Cuts that leave about as much weight in every interval, and at least `least`.

    Parameters
    ----------
    values, weights : float (n_distinct,), the distinct values in order, and what they weigh
    bins : how many intervals, at most

    Examples
    --------
    >>> equal_cuts(np.array([1.0, 2.0, 5.0, 9.0]), np.ones(4), bins=2).tolist()
    [3.5]
    """
    below = np.cumsum(weights)
    cuts, start, k = [], 0.0, 1
    while len(values) and k < bins:
        last = int(np.searchsorted(below, below[-1] * k / bins))
        if last >= len(values) - 1:
            break
        if min(below[last] - start, below[-1] - below[last]) >= least:
            cuts.append((values[last] + values[last + 1]) / 2)
            start = below[last]
        k = max(k + 1, int(below[last] / below[-1] * bins))  # all shares before that end at the same value
    return np.array(cuts)


def mdl_cuts(values: np.ndarray, codes: np.ndarray, n_classes: int) -> np.ndarray:
    """The cuts that MDL accepts, in order.

    Parameters
    ----------
    values : float (n,), known
    codes : class codes (n,)

    Examples
    --------
    >>> values, codes = np.arange(20.0), np.repeat([0, 1], 10)
    >>> mdl_cuts(values, codes, 2).tolist()
    [9.5]
    """
    return np.array(sorted(split.cut for split in mdl_splits(values, codes, n_classes) if split.accepted))


def mdl_splits(values: np.ndarray, codes: np.ndarray, n_classes: int) -> list[BinSplit]:
    """Every cut that was looked into, a cut before those of its sides, the lower side first."""
    blocks, edges = _blocks(values, codes, n_classes)
    splits, waiting = [], [(0, len(blocks))]
    while waiting:
        start, stop = waiting.pop()
        if stop - start < 2:
            continue
        sums = np.cumsum(blocks[start:stop], axis=0)
        below, above = sums[:-1], sums[-1] - sums[:-1]
        left = _total_entropy(below) + _total_entropy(above)  # N times the entropy that a cut leaves
        best = int(np.argmax(left <= left.min() + _SAME * sums[-1].sum()))
        accepted = _pays(sums[-1], below[best], above[best])
        middle = start + best + 1
        lower, upper = (tuple(int(n) for n in side[best]) for side in (below, above))
        splits.append(BinSplit(float(edges[middle - 1]), lower, upper, accepted))
        if accepted:
            waiting += [(middle, stop), (start, middle)]
    return splits


def _blocks(values: np.ndarray, codes: np.ndarray, n_classes: int) -> tuple[np.ndarray, np.ndarray]:
    """Class counts of neighbouring values, and the cuts between them.

    Between two values that show one and the same class only, no cut can be best (Fayyad and Irani).
    """
    if not len(values):
        return np.zeros((0, n_classes)), np.zeros(0)
    order = np.argsort(values, kind="stable")
    x, y = values[order], codes[order]
    starts = np.flatnonzero(np.r_[True, x[1:] != x[:-1]])
    low, high = np.minimum.reduceat(y, starts), np.maximum.reduceat(y, starts)
    boundary = (low[1:] != high[1:]) | (low[:-1] != high[:-1]) | (low[1:] != low[:-1])
    first = starts[1:][boundary]  # the first row of every block but the lowest
    block = np.repeat(np.arange(len(first) + 1), np.diff(np.r_[0, first, len(x)]))
    counts = np.bincount(block * n_classes + y, minlength=(len(first) + 1) * n_classes)
    return counts.reshape(-1, n_classes).astype(float), _halfway(x[first - 1], x[first])


def _halfway(low: Any, high: Any) -> Any:
    """Between two numbers, and below the second however close they are; halved first, lest they overflow."""
    return np.minimum(low / 2 + high / 2, np.nextafter(high, low))


def _total_entropy(counts: np.ndarray) -> np.ndarray:
    """The entropy of each row of counts, times their sum."""
    return _x_log_x(counts.sum(axis=-1)) - _x_log_x(counts).sum(axis=-1)


def _x_log_x(n: np.ndarray) -> np.ndarray:
    return n * np.log2(np.where(n > 0, n, 1.0))


def _pays(both: np.ndarray, below: np.ndarray, above: np.ndarray) -> bool:
    """Whether MDL accepts a cut into these class counts."""
    n = both.sum()
    entropies = [float(_total_entropy(side)) / side.sum() for side in (both, below, above)]
    gain = entropies[0] - (below.sum() * entropies[1] + above.sum() * entropies[2]) / n
    return bool(gain > _bar(n, entropies, [int((side > 0).sum()) for side in (both, below, above)]) + _SAME)


def _bar(n: float, entropies: list[float], classes: list[int]) -> float:
    """What a gain must exceed."""
    (h, h1, h2), (k, k1, k2) = entropies, classes
    return (math.log2(n - 1) + math.log2(3**k - 2) - (k * h - k1 * h1 - k2 * h2)) / n


class _Side(NamedTuple):
    """Class counts by hand."""

    n: int
    classes: int
    entropy: float


def _side(counts: tuple[int, ...]) -> _Side:
    n, shown = sum(counts), [count for count in counts if count]
    return _Side(n, len(shown), math.fsum(-count / n * math.log2(count / n) for count in shown))


def naive_splits(rows: list[tuple[float, int]], n_classes: int) -> list[BinSplit]:
    """`mdl_splits` by hand: every cut between neighbouring values is tried, if classes differ."""
    values = sorted({value for value, _ in rows}) if len({c for _, c in rows}) > 1 else []
    tried = []
    for low, high in pairwise(values):
        parts = [[c for v, c in rows if (v <= low) == lower] for lower in (True, False)]
        below, above = (tuple(part.count(c) for c in range(n_classes)) for part in parts)
        tried.append((_gain(below, above), float(_halfway(low, high)), below, above))
    if not tried:
        return []
    top = max(gain for gain, *_ in tried)
    gain, cut, below, above = next(each for each in tried if each[0] >= top - _SAME)
    accepted = gain > _bar_of(below, above) + _SAME
    found = [BinSplit(cut, below, above, accepted)]
    if accepted:
        for lower in (True, False):
            found += naive_splits([(v, c) for v, c in rows if (v <= cut) == lower], n_classes)
    return found


def _gain(below: tuple[int, ...], above: tuple[int, ...]) -> float:
    both, one, two = (_side(c) for c in (tuple(map(sum, zip(below, above, strict=True))), below, above))
    return both.entropy - (one.n * one.entropy + two.n * two.entropy) / both.n


def _bar_of(below: tuple[int, ...], above: tuple[int, ...]) -> float:
    sides = [_side(c) for c in (tuple(map(sum, zip(below, above, strict=True))), below, above)]
    return _bar(sides[0].n, [side.entropy for side in sides], [side.classes for side in sides])


def derive_bins(
    name: str, splits: tuple[BinSplit, ...] | list[BinSplit], shown: Callable[[float], str] = figure
) -> Work:
    """Derive why each cut was accepted or refused, from its counts."""
    works = tuple(_derive_split(f"{name} <= {shown(split.cut)}", split) for split in splits)
    cuts = sorted(split.cut for split in splits if split.accepted)
    found = ", ".join(shown(cut) for cut in cuts)
    end = f"Cuts at {found}." if cuts else "No cut gains enough: one interval."
    return Work(f"Intervals of {name}, by MDL", works, end)


def _derive_split(test: str, split: BinSplit) -> Work:
    whole = tuple(map(sum, zip(split.below, split.above, strict=True)))
    both, one, two = (_side(counts) for counts in (whole, split.below, split.above))
    entropies = [
        Step(label, r"-\sum_c p_c \log_2 p_c", _entropy_terms(counts), side.entropy)
        for label, counts, side in (("H", whole, both), ("H1", split.below, one), ("H2", split.above, two))
    ]
    gain, bar = _gain(split.below, split.above), _bar_of(split.below, split.above)
    h, h1, h2 = (figure(side.entropy) for side in (both, one, two))
    n = figure(both.n)
    numbers = rf"{h} - \frac{{{one.n}}}{{{n}}} \cdot {h1} - \frac{{{two.n}}}{{{n}}} \cdot {h2}"
    cost = rf"{both.classes} \cdot {h} - {one.classes} \cdot {h1} - {two.classes} \cdot {h2}"
    bar_numbers = rf"\frac{{\log_2({n} - 1) + \log_2(3^{{{both.classes}}} - 2) - \left({cost}\right)}}{{{n}}}"
    bar_formula = r"\frac{\log_2(N - 1) + \log_2(3^k - 2) - (k H - k_1 H_1 - k_2 H_2)}{N}"
    steps = (
        *entropies,
        Step("gain", r"H - \frac{N_1}{N} H_1 - \frac{N_2}{N} H_2", numbers, gain),
        Step("bound", bar_formula, bar_numbers, bar),
    )
    verdict = (
        "The gain exceeds the bound: cut."
        if split.accepted
        else "The gain does not exceed the bound: no cut."
    )
    return Work(f"{test}, among {both.n:,} rows", steps, verdict)


def _entropy_terms(counts: tuple[int, ...]) -> str:
    n = sum(counts)
    terms = [rf"\frac{{{c}}}{{{n}}} \log_2 \frac{{{c}}}{{{n}}}" for c in counts if c]
    return "-" + " - ".join(terms)
