r"""Itemsets that many transactions hold.

    support(S) = transactions that hold every item of S / all transactions

A set is frequent if its support is at least `min_support`: at least ⌈min_support · n⌉ transactions hold it,
and at least one. The most frequent sets come first; ties: the shorter, then in the order of their items.
"""

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from itertools import combinations
from typing import Any

import numpy as np

from openbook.associate.apriori import Level, levels
from openbook.associate.fp_growth import FPTree, grown_sets
from openbook.associate.transactions import Transactions
from openbook.border.rules import Number, OneOf, Whole, check_value
from openbook.data.schema import one_by_one
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.fold import each
from openbook.words.sentences import plural
from openbook.work import Grid, Work

ALGORITHMS = ("bitset", "apriori", "fp_growth")

#: The most sets and candidates that are listed, and transactions and sets that are derived.
_LISTED, _FOLLOWED = 30, 1_000
#: Parts in which the items are mined, in parallel.
_PARTS = 16


@dataclass(frozen=True)
class Itemset:
    """Items, how many transactions hold them all, and their share.

    Attributes
    ----------
    items : tuple of str
        The names of the items.
    count : int
        How many transactions hold them all.
    support : float
        The share of the transactions that hold them all.

    Notes
    -----
    Guide: docs/guide/associations.md

    Examples
    --------
    >>> frequent_itemsets([["a", "b"], ["a"], ["a", "b"], ["c"]], 0.5)[0]
    Itemset(items=('a',), count=3, support=0.75)
    """

    items: tuple[str, ...]
    count: int
    support: float


@dataclass(frozen=True, repr=False, eq=False)
class Itemsets:
    """The frequent itemsets of some transactions; a sequence of `Itemset`s.

    Attributes
    ----------
    transactions : Transactions
        What was mined.
    codes : tuple of tuple of int
        The items of each set by number, in rising order.
    counts : ndarray
        How many transactions hold each.
    min_support : float
        What makes a set frequent.
    max_length : int or None, default=None
        The most items of a set; None for no limit.
    algorithm : str, default="bitset"
        How they were found; `work` shows Apriori, unless it is "fp_growth".

    Notes
    -----
    Guide: docs/guide/associations.md

    Examples
    --------
    >>> itemsets = frequent_itemsets([["a", "b"], ["a"], ["a", "b"], ["c"]], 0.5)
    >>> len(itemsets), itemsets.support("a", "b")
    (3, 0.5)
    """

    transactions: Transactions
    codes: tuple[tuple[int, ...], ...]
    counts: np.ndarray
    min_support: float
    max_length: int | None = None
    algorithm: str = "bitset"

    def __len__(self) -> int:
        return len(self.codes)

    def __getitem__(self, i: int) -> Itemset:
        count = int(self.counts[i])
        return Itemset(self.names(self.codes[i]), count, count / len(self.transactions))

    def __iter__(self) -> Iterator[Itemset]:
        return map(self.__getitem__, range(len(self)))

    @cached_property
    def places(self) -> dict[tuple[int, ...], int]:
        """Where each set stands."""
        return {codes: i for i, codes in enumerate(self.codes)}

    def names(self, codes: Sequence[int]) -> tuple[str, ...]:
        """The names of items that are given by number.

        Parameters
        ----------
        codes : sequence of int
            The numbers of the items.

        Returns
        -------
        tuple of str
        """
        return tuple(self.transactions.names[code] for code in codes)

    def support(self, *items: str | Iterable[str]) -> float:
        """The support of a set; NaN if it is not frequent, so that it was not counted.

        Parameters
        ----------
        *items : str or iterable of str
            The names of the items, one by one or as a list.

        Returns
        -------
        float

        Examples
        --------
        >>> frequent_itemsets([["a", "b"], ["a"], ["a", "b"], ["c"]], 0.5).support("b", "a")
        0.5
        """
        known = {name: code for code, name in enumerate(self.transactions.names)}
        asked = one_by_one(items)
        if odd := [item for item in asked if item not in known]:
            raise DataError(f"no item {odd[0]!r}. {did_you_mean(odd[0], tuple(known))}")
        place = self.places.get(tuple(sorted({known[item] for item in asked})))
        return math.nan if place is None else self[place].support

    def closed(self) -> tuple[Itemset, ...]:
        """The sets that no larger one matches: each further item is lacking in one of their transactions.

        Their counts tell those of all frequent sets.

        Returns
        -------
        tuple of Itemset

        Examples
        --------
        >>> [each.items for each in frequent_itemsets([["a", "b"], ["a"], ["a", "b"]], 0.5).closed()]
        [('a',), ('a', 'b')]
        """
        return self._without_matching(equal=True)

    def maximal(self) -> tuple[Itemset, ...]:
        """The sets that are part of no larger frequent one: every frequent set is part of one of these.

        Returns
        -------
        tuple of Itemset

        Examples
        --------
        >>> [each.items for each in frequent_itemsets([["a", "b"], ["a"], ["a", "b"]], 0.5).maximal()]
        [('a', 'b')]
        """
        return self._without_matching(equal=False)

    def _without_matching(self, *, equal: bool) -> tuple[Itemset, ...]:
        """The sets without a frequent one of one more item; with `equal`, without one of the same count."""
        matched = {
            self.places[part]
            for i, codes in enumerate(self.codes)
            for part in combinations(codes, len(codes) - 1)
            if part and (not equal or self.counts[self.places[part]] == self.counts[i])
        }
        return tuple(self[i] for i in range(len(self)) if i not in matched)

    def work(self) -> Work:
        """How Apriori finds them, level by level: the candidates, their counts, which are frequent.

        Of sets found by FP-growth: the tree of the transactions, and what is frequent with each item. Where
        there are more transactions or sets than anyone would follow, how many sets of each length.
        """
        n = len(self.transactions)
        least = least_count(self.min_support, n)
        end = f"{plural(len(self), 'set')} of items in at least {least:,} of {plural(n, 'transaction')}."
        if max(n, len(self)) > _FOLLOWED:
            lengths = np.bincount([len(each) for each in self.codes], minlength=1)
            rows = [(k, int(found)) for k, found in enumerate(lengths) if k]
            return Work("Frequent itemsets", (Grid("", ("items", "frequent sets"), rows),), end)
        if self.algorithm == "fp_growth":
            return Work("FP-growth", tuple(self._grown(least)), end)
        found = levels(list(self.transactions), len(self.transactions.names), least, self.max_length)
        grids = [self._level(k, level, least) for k, level in enumerate(found, start=1)]
        return Work("Apriori", tuple(grids), end)

    def _level(self, k: int, level: Level, least: int) -> Grid:
        n = len(self.transactions)
        rows = [
            (" and ".join(self.names(each)), count, count / n, "yes" if count >= least else "no")
            for each, count in list(level.counts.items())[:_LISTED]
        ]
        notes = [f"{len(level.frequent)} of {plural(len(level.counts), 'candidate')} frequent."]
        if level.pruned:
            first = " and ".join(self.names(level.pruned[0])) + (", …" if len(level.pruned) > 1 else "")
            notes.append(f"Not counted, because a subset is not frequent: {len(level.pruned)} ({first}).")
        if len(level.counts) > _LISTED:
            notes.append(f"The first {_LISTED} are shown.")
        header = ("candidate", "transactions", "support", f"at least {least}?")
        return Grid(f"sets of {k}", header, rows, " ".join(notes))

    def _grown(self, least: int) -> Iterator[Grid | Work]:
        """The tree, and from the rarest item on what its paths say."""
        tree = FPTree(_paths(self.transactions), least)
        items = [(self.transactions.names[item], count) for item, count in tree.order.items()]
        yield Grid("items, the most frequent first", ("item", "transactions"), items)
        ordered = [(i, ", ".join(self.names(items)) or "–") for i, (items, _) in enumerate(tree.ordered)]
        yield Grid("transactions in that order", ("", "frequent items"), ordered[:_LISTED], _more(ordered))
        nodes = [("· " * depth + self.names([node.item])[0], node.count) for depth, node in tree.walk()]
        yield Grid("tree", ("item", "count"), nodes[:_LISTED], _more(nodes))
        place = {item: k for k, item in enumerate(tree.order)}
        for item in list(reversed(place))[:_LISTED]:
            base = [(", ".join(self.names(path)) or "–", count) for path, count in tree.base(item)]
            sets = zip(self.codes, self.counts.tolist(), strict=True)
            last = [(codes, n) for codes, n in sets if max(codes, key=place.__getitem__) == item]
            found = [(" and ".join(self.names(codes)), count) for codes, count in last]
            paths = Grid("paths to it", ("path", "count"), base[:_LISTED], _more(base))
            frequent = Grid("frequent with it", ("items", "transactions"), found[:_LISTED], _more(found))
            yield Work(self.names([item])[0], (paths, frequent))

    def _table(self) -> Work:
        n = len(self.transactions)
        shown = [self[i] for i in range(min(len(self), _LISTED))]
        more = f"{len(self) - len(shown):,} more." if len(shown) < len(self) else ""
        rows = [(" and ".join(each.items), each.count, each.support) for each in shown]
        held = f"in at least {self.min_support:g} of {plural(n, 'transaction')}"
        grid = Grid("", ("items", "transactions", "support"), rows, more)
        return Work(f"{plural(len(self), 'itemset')} {held}", (grid,) if rows else ())

    def __repr__(self) -> str:
        return self._table().text()

    def _repr_html_(self) -> str:
        return self._table().html()


def frequent_itemsets(
    data: Any,
    min_support: float = 0.1,
    max_length: int | None = None,
    algorithm: str = "bitset",
    most: int = 1_000_000,
    names: Sequence[str] | None = None,
    bins: int = 3,
) -> Itemsets:
    """Every set of items that at least a share of the transactions holds.

    Parameters
    ----------
    data : table-like, list of lists, or array
        A table or what `openbook.read` makes one of, lists of items, or a 0/1 matrix.
    min_support : float, default=0.1
        The share, above 0 and up to 1.
    max_length : int or None, default=None
        The most items of a set.
    algorithm : {"bitset", "apriori", "fp_growth"}, default="bitset"
        "bitset" for large data, the others for teaching: `work` follows them. All find the same.
    most : int, default=1000000
        Sets that are too many: rather an error than all the memory.
    names : sequence of str or None, default=None
        The names of the columns of a matrix.
    bins : int, default=3
        Intervals of about equally many rows that a column of numbers is cut into.

    Returns
    -------
    Itemsets

    Notes
    -----
    Guide: docs/guide/associations.md

    References
    ----------
    Agrawal and Srikant (1994), Fast algorithms for mining association rules.
    Han, Pei and Yin (2000), Mining frequent patterns without candidate generation.
    Zaki (2000), Scalable algorithms for association mining.

    Examples
    --------
    >>> baskets = [["bread", "milk"], ["bread", "beer"], ["bread", "milk", "beer"], ["milk"]]
    >>> for each in frequent_itemsets(baskets, min_support=0.5):
    ...     print(each.support, *each.items)
    0.75 bread
    0.75 milk
    0.5 beer
    0.5 beer bread
    0.5 bread milk
    """
    check_value("min_support", min_support, Number(above=0, at_most=1))
    check_value("max_length", 1 if max_length is None else max_length, Whole(1))
    check_value("algorithm", algorithm, OneOf(*ALGORITHMS))
    check_value("most", most, Whole(1))
    transactions = Transactions.of(data, names, bins)
    if len(transactions) == 0:
        raise DataError("there are no transactions")
    least = least_count(min_support, len(transactions))
    find = {"bitset": _mined, "apriori": _by_levels, "fp_growth": _by_growth}[algorithm]
    sets: Found = []
    for found in find(transactions, least, max_length, most):
        sets += found
        if len(sets) > most:
            break
    if len(sets) > most:
        raise ParameterError(
            f"more than {most:,} itemsets are in {least:,} of {len(transactions):,} transactions or more;"
            f" raise min_support above {min_support:g}, set max_length, or pass most={10 * most}"
        )
    sets.sort(key=lambda found: (-found[1], len(found[0]), found[0]))
    counts = np.array([count for _, count in sets], dtype=np.intp)
    codes = tuple(codes for codes, _ in sets)
    return Itemsets(transactions, codes, counts, min_support, max_length, algorithm)


def least_count(min_support: float, n: int) -> int:
    """How many of n transactions make a set frequent; a share that is a hair above a whole number is that."""
    return max(1, math.ceil(min_support * n * (1 - 1e-12)))


#: Sets and their counts. Each search yields some at a time, and may stop once there are more than `most`.
Found = list[tuple[tuple[int, ...], int]]


def _by_levels(transactions: Transactions, least: int, longest: int | None, _most: int) -> Iterator[Found]:
    for level in levels(list(transactions), len(transactions.names), least, longest):
        yield list(level.frequent.items())


def _by_growth(transactions: Transactions, least: int, longest: int | None, _most: int) -> Iterator[Found]:
    for found in grown_sets(_paths(transactions), least, longest):
        yield [found]


def _paths(transactions: Transactions) -> list[tuple[tuple[int, ...], int]]:
    return [(tuple(sorted(items)), 1) for items in transactions]


def _more(rows: Sequence[Any]) -> str:
    return f"{len(rows) - _LISTED:,} more." if len(rows) > _LISTED else ""


def _mined(transactions: Transactions, least: int, longest: int | None, most: int) -> Iterator[Found]:
    from openbook.associate.miner import grouped_items

    count = np.bincount(transactions.items, minlength=len(transactions.names))
    frequent = np.flatnonzero(count >= least)
    order = frequent[np.argsort(count[frequent], kind="stable")]  # the rarest first
    code = np.full(len(count), -1, dtype=np.int32)
    code[order] = np.arange(len(order))
    kept = count[transactions.items] >= least
    holders = grouped_items(code[transactions.items[kept]], transactions.rows[kept], len(order))
    item_of = np.repeat(np.arange(len(order), dtype=np.int32), np.diff(holders[0]))
    rows = grouped_items(holders[1], item_of, len(transactions))  # each row's items in order, as they come so
    bounds = np.linspace(0, len(order), min(_PARTS, len(order)) + 1).round().astype(np.int64)
    spans = list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True))
    yield from each(spans, partial(_part, rows, holders, least, longest or len(order), most, order))


def _part(
    rows: Any, holders: Any, least: int, longest: int, most: int, order: np.ndarray, span: tuple[int, int]
) -> Found:
    """The frequent sets that begin with some of the items; one more than `most` if there are too many."""
    from openbook.associate.miner import mine

    most += 1
    found = np.empty(most, np.int32), np.empty(most, np.int32), np.empty(most, np.int64)
    n = min(mine(rows, holders, least, longest, span, found), most)
    before, last, count = (array[:n].tolist() for array in found)
    items = order.tolist()
    sets: list[tuple[int, ...]] = []
    for prefix, item in zip(before, last, strict=True):
        sets.append((*(sets[prefix] if prefix >= 0 else ()), items[item]))
    return [(tuple(sorted(codes)), held) for codes, held in zip(sets, count, strict=True)]
