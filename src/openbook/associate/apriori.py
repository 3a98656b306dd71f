"""Frequent itemsets level by level: Apriori (Agrawal and Srikant 1994), the twin of the miner.

    L_1 = the frequent items
    C_k = sets of k items whose subsets of k - 1 items are all in L_(k-1)      the candidates
    L_k = those of C_k that at least `least` transactions hold

A set cannot be frequent if one of its subsets is not: that saves most of the counting. Items are numbers,
sets are tuples of them in ascending order.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

Set = tuple[int, ...]


@dataclass(frozen=True)
class Level:
    """What happened to the sets of one length.

    Parameters
    ----------
    joined : sets made by joining two of the level before; all items on the first level
    counts : mapping of each candidate, a joined set with frequent subsets only, to its number of transactions
    least : the number that makes it frequent
    """

    joined: tuple[Set, ...]
    counts: dict[Set, int]
    least: int

    @property
    def frequent(self) -> dict[Set, int]:
        return {each: count for each, count in self.counts.items() if count >= self.least}

    @property
    def pruned(self) -> tuple[Set, ...]:
        """Joined sets that were not counted, since a subset of theirs is not frequent."""
        return tuple(each for each in self.joined if each not in self.counts)


def levels(
    transactions: Sequence[frozenset[int]], n_items: int, least: int, longest: int | None = None
) -> Iterator[Level]:
    """The levels; the last is the one of which nothing is frequent, if there is one.

    Examples
    --------
    >>> [level.frequent for level in levels([frozenset({0, 1}), frozenset({0, 1, 2}), frozenset({2})], 3, 2)]
    [{(0,): 2, (1,): 2, (2,): 2}, {(0, 1): 2}]
    """
    joined: list[Set] = [(item,) for item in range(n_items)]
    before: dict[Set, int] = {(): len(transactions)}
    length = 1
    while joined and (longest is None or length <= longest):
        candidates = [s for s in joined if all(part in before for part in combinations(s, length - 1))]
        counts = {each: sum(each_of.issuperset(each) for each_of in transactions) for each in candidates}
        level = Level(tuple(joined), counts, least)
        yield level
        before = level.frequent
        joined = [a + b[-1:] for a, b in combinations(sorted(before), 2) if a[:-1] == b[:-1]]
        length += 1
