r"""Rules between itemsets: where a transaction holds A, it tends to hold C too.

    support     P(A, C)                              confidence  P(C | A) = P(A, C) / P(A)
    lift        P(C | A) / P(C)                      leverage    P(A, C) - P(A) P(C)
    conviction  (1 - P(C)) / (1 - P(C | A)),  ∞ where the confidence is 1

with shares of all transactions. A frequent set of k items gives 2^k - 2 rules. If a rule is not confident, no
rule of the same set with a longer consequent is: its antecedent is shorter and at least as frequent.

The p-value is that of Fisher's exact test, one-sided: the probability of at least this many common
transactions if A and C were independent. It is multiplied by the number of eligible rules (Bonferroni),
confident or not, since the search looked at them all.

A rule is redundant if one with the same consequent and a part of its antecedent is at least as confident: the
longer one adds no information (Bayardo, Agrawal and Gunopulos 2000, minimum improvement).
"""

import math
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from itertools import combinations
from operator import itemgetter
from typing import Any, NamedTuple

import numpy as np

from openbook.associate.itemsets import Itemsets
from openbook.associate.transactions import Transactions
from openbook.border.rules import Number, Whole, check_value
from openbook.draw import Numbers, Picture
from openbook.draw.plot import Plot
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.words.numbers import figure, fraction
from openbook.words.sentences import plural
from openbook.work import Grid, ShowsWork, Step, Work

_LISTED, _MOST_DOTS = 20, 1_000

Set = tuple[int, ...]


class _Found(NamedTuple):
    """A rule between sets of numbers, and the transactions that hold both, the one, the other."""

    first: Set
    then: Set
    both: int
    antecedents: int
    consequents: int


@dataclass(frozen=True)
class AssociationRule:
    """Where a transaction holds the antecedent, it tends to hold the consequent.

    Attributes
    ----------
    antecedent, consequent : tuple of str
        Names of items.
    both, antecedents, consequents, n : int
        Transactions that hold both, the one, the other; all.
    chance : float
        The probability of at least this many common transactions if both sides were independent.
    eligible : int
        The number of rules that were looked at.

    Notes
    -----
    Guide: docs/guide/associations.md

    Examples
    --------
    >>> from openbook.associate import frequent_itemsets
    >>> baskets = [["bread", "milk"], ["bread", "beer"], ["bread", "milk", "beer"], ["milk", "bread"]]
    >>> rule = association_rules(frequent_itemsets(baskets, 0.5))[0]
    >>> print(rule, rule.confidence)
    milk → bread 1.0
    """

    antecedent: tuple[str, ...]
    consequent: tuple[str, ...]
    both: int
    antecedents: int
    consequents: int
    n: int
    chance: float
    eligible: int

    @property
    def p_value(self) -> float:
        """The chance, adjusted for the number of rules."""
        return min(1.0, self.chance * self.eligible)

    @property
    def support(self) -> float:
        return self.both / self.n

    @property
    def confidence(self) -> float:
        return self.both / self.antecedents

    @property
    def lift(self) -> float:
        return self.both * self.n / (self.antecedents * self.consequents)

    @property
    def leverage(self) -> float:
        return self.both / self.n - self.antecedents * self.consequents / self.n**2

    @property
    def conviction(self) -> float:
        against = self.antecedents - self.both
        return self.antecedents * (self.n - self.consequents) / (self.n * against) if against else math.inf

    def work(self) -> Work:
        """Every figure from the four counts."""
        a, c, both, n = self.antecedents, self.consequents, self.both, self.n
        first, then = " and ".join(self.antecedent), " and ".join(self.consequent)
        counts = [
            (first, both, a - both, a),
            (f"not ({first})", c - both, n - a - c + both, n - a),
            ("all", c, n - c, n),
        ]
        doubt = fraction(f"1 - {fraction(c, n)}", f"1 - {fraction(both, a)}")
        ahead = rf"{fraction(both, n)} - {fraction(a, n)} \cdot {fraction(c, n)}"
        steps = (
            Step("support", r"\frac{N_{AC}}{N}", fraction(both, n), self.support),
            Step("confidence", r"\frac{N_{AC}}{N_A}", fraction(both, a), self.confidence),
            Step("lift", r"\frac{P(C | A)}{P(C)}", fraction(self.confidence, fraction(c, n)), self.lift),
            Step("leverage", r"P(A, C) - P(A) P(C)", ahead, self.leverage),
            Step("conviction", r"\frac{1 - P(C)}{1 - P(C | A)}", doubt, self.conviction),
        )
        numbers = fraction(rf"{a} \cdot {c}", n)
        expected = Step("expected by chance", r"\frac{N_A N_C}{N}", numbers, a * c / n)
        formula = r"\sum_{k \geq N_{AC}} \frac{\binom{N_A}{k} \binom{N - N_A}{N_C - k}}{\binom{N}{N_C}}"
        alone = Step("chance", formula, "", self.chance, "Fisher's exact test, one-sided")
        numbers = rf"\min(1, {self.eligible} \cdot {figure(self.chance)})"
        note = f"m = {self.eligible:,} rules are possible from the frequent itemsets"
        adjusted = Step("p", r"\min(1, m \cdot chance)", numbers, self.p_value, note)
        grid = Grid("transactions", ("", then, f"not ({then})", "all"), counts)
        tested = (expected, alone, adjusted) if self.eligible > 1 else (expected, alone)
        return Work(str(self), (grid, *steps, *tested))

    def __str__(self) -> str:
        return f"{' and '.join(self.antecedent)} → {' and '.join(self.consequent)}"


@dataclass(frozen=True, repr=False, eq=False)
class AssociationRules(ShowsWork):
    """Rules, the most confident first; ties: larger support, then fewer items.

    Attributes
    ----------
    rules : tuple of AssociationRule
        The rules.
    eligible : int
        How many rules the frequent sets could give, under the constraints; p-values are adjusted by it.
    redundant : int
        How many were left out as redundant.
    min_confidence, min_support : float
        The parameters of the search.

    Notes
    -----
    Guide: docs/guide/associations.md

    Examples
    --------
    >>> from openbook.associate import frequent_itemsets
    >>> baskets = [["bread", "milk"], ["bread", "beer"], ["bread", "milk", "beer"], ["milk", "bread"]]
    >>> len(association_rules(frequent_itemsets(baskets, 0.5)))
    2
    """

    rules: tuple[AssociationRule, ...]
    eligible: int
    redundant: int
    min_confidence: float
    min_support: float

    def __len__(self) -> int:
        return len(self.rules)

    def __getitem__(self, i: int) -> AssociationRule:
        return self.rules[i]

    def __iter__(self) -> Iterator[AssociationRule]:
        return iter(self.rules)

    def significant(self, alpha: float = 0.05) -> tuple[AssociationRule, ...]:
        """Those that chance does not explain.

        Parameters
        ----------
        alpha : float, default=0.05
            The level of the test: a smaller adjusted p-value is significant.

        Returns
        -------
        tuple of AssociationRule
        """
        return tuple(rule for rule in self.rules if rule.p_value < alpha)

    def work(self, i: int | None = None) -> Work:
        """All rules as a table or, for one of them, how its figures come about.

        Parameters
        ----------
        i : int or None, default=None
            The number of the rule; None for all.

        Returns
        -------
        Work
        """
        if i is not None:
            return self.rules[i].work()
        header = ("if", "then", "support", "confidence", "lift", "leverage", "conviction", "p")
        rows = []
        for r in self.rules[:_LISTED]:
            figures = (r.support, r.confidence, r.lift, r.leverage, r.conviction, r.p_value)
            sides = " and ".join(r.antecedent), " and ".join(r.consequent)
            rows.append((*sides, *(float(f"{value:.3g}") for value in figures)))
        notes = [f"The first {_LISTED} of {len(self):,}."] if len(self) > _LISTED else []
        if self.redundant:
            notes.append(f"{plural(self.redundant, 'redundant rule')} left out.")
        notes.append(f"p: Fisher's exact test, one-sided, times the {self.eligible:,} eligible rules.")
        title = f"{plural(len(self), 'rule')} of confidence {self.min_confidence:g} or more"
        return Work(title, (Grid("", header, rows, " ".join(notes)),) if rows else ())

    def draw(self) -> Picture:
        """Confidence over support, a dot a rule; colours tell the lift."""
        if not self.rules:
            raise DataError("there are no rules to draw; lower min_confidence or min_support")
        shown = self.rules[:_MOST_DOTS]
        across = Numbers("support", np.array([rule.support for rule in shown]))
        up = Numbers("confidence", np.array([rule.confidence for rule in shown]))
        looks = ["dot c1" if r.lift >= 2 else "dot c0" if r.lift > 1 else "dot c8" for r in shown]
        captions = [f"{rule}: lift {rule.lift:.3g}" for rule in shown]
        plot = Plot(across, up)
        plot.dots(across.values, up.values, looks, captions, aside=True)
        for look, name in (("c1", "lift 2 or more"), ("c0", "lift above 1"), ("c8", "lift 1 or less")):
            plot.named(look, name)
        first = "" if len(shown) == len(self) else f"The first {len(shown):,} of "
        note = f"{first}{plural(len(self), 'rule')}; equal points are drawn slightly apart."
        return plot.picture("Association rules", (note,), "; ".join(captions[:_LISTED]))


def association_rules(
    itemsets: Itemsets,
    min_confidence: float = 0.8,
    min_lift: float = 0.0,
    antecedent: Collection[str] | None = None,
    consequent: Collection[str] | None = None,
    max_consequent: int | None = None,
    redundant: bool = False,
    most: int = 1_000_000,
) -> AssociationRules:
    """The rules that frequent itemsets give.

    Parameters
    ----------
    itemsets : Itemsets
        Of `frequent_itemsets`.
    min_confidence : float, default=0.8
        The lower limit for a rule.
    min_lift : float, default=0.0
        The lower limit for a rule.
    antecedent, consequent : collection of str or None, default=None
        Items, or columns of a table, that may stand on that side; None for all.
    max_consequent : int or None, default=None
        The most items of a consequent.
    redundant : bool, default=False
        Whether to keep rules that are no better than a shorter one.
    most : int, default=1000000
        Rules that are too many: rather an error than all the memory.

    Returns
    -------
    AssociationRules

    Notes
    -----
    Guide: docs/guide/associations.md

    Examples
    --------
    >>> from openbook import load
    >>> from openbook.associate import frequent_itemsets
    >>> itemsets = frequent_itemsets(load("weather"), min_support=0.2)
    >>> rules = association_rules(itemsets, min_confidence=0.9, consequent=["play"])
    >>> for rule in rules:
    ...     print(rule.both, rule)
    4 outlook = overcast → play = Yes
    4 humidity = normal and windy = false → play = Yes
    3 outlook = rain and windy = false → play = Yes
    3 outlook = sunny and humidity = high → play = No
    """
    check_value("min_confidence", min_confidence, Number(at_least=0, at_most=1))
    check_value("min_lift", min_lift, Number(at_least=0))
    check_value("max_consequent", 1 if max_consequent is None else max_consequent, Whole(1))
    check_value("most", most, Whole(1))
    names = itemsets.transactions.names
    sides = _AllowedItems(_named(antecedent, names), _named(consequent, names), max_consequent or len(names))
    found: list[_Found] = []
    eligible = 0
    for codes, both in zip(itemsets.codes, itemsets.counts.tolist(), strict=True):
        eligible += sides.splits(codes)
        found += _confident(itemsets, sides, codes, both, min_confidence, min_lift)
        if len(found) > most:
            raise ParameterError(
                f"there are more than {most:,} rules; raise min_confidence or min_support, name items for a"
                " side, or set max_consequent=1"
            )
    kept = found if redundant else _improving(found)
    rules = _tested(itemsets, kept, eligible)
    return AssociationRules(rules, eligible, len(found) - len(kept), min_confidence, itemsets.min_support)


def association_rule(
    data: Any, antecedent: str | Collection[str], consequent: str | Collection[str]
) -> AssociationRule:
    """One rule that is asked for, whether frequent or not, with its figures and its work.

    Parameters
    ----------
    data : table-like, list of lists, array or Itemsets
        The transactions.
    antecedent : str or collection of str
        The items that are given.
    consequent : str or collection of str
        The items that follow from them.

    Returns
    -------
    AssociationRule
        With `support`, `confidence`, `lift`, `leverage`, `conviction`, `p_value` and `work()`; nothing is
        adjusted for, as one rule was looked at.

    Notes
    -----
    Guide: docs/guide/associations.md

    Examples
    --------
    >>> baskets = [["bread", "milk"], ["bread", "beer"], ["bread", "milk", "beer"], ["milk"]]
    >>> rule = association_rule(baskets, "beer", "bread")
    >>> print(rule, rule.confidence, round(rule.lift, 4))
    beer → bread 1.0 1.3333
    """
    from scipy.stats import hypergeom

    transactions = data.transactions if isinstance(data, Itemsets) else Transactions.of(data)
    sides = [(side,) if isinstance(side, str) else tuple(side) for side in (antecedent, consequent)]
    for item in (*sides[0], *sides[1]):
        if item not in transactions.names:
            raise DataError(f"no item {item!r}. {did_you_mean(item, transactions.names)}")
    if not all(sides) or set(sides[0]) & set(sides[1]):
        raise ParameterError("a rule needs items on both sides, and none on both at once")
    first, then = ({transactions.names.index(item) for item in side} for side in sides)
    held = [(first <= items, then <= items) for items in transactions]
    a, c, both = (sum(test(pair) for pair in held) for test in (itemgetter(0), itemgetter(1), all))
    if not a or not c:
        raise DataError(f"no transaction holds {' and '.join(sides[0] if not a else sides[1])}")
    chance = float(hypergeom.sf(both - 1, len(held), c, a))
    return AssociationRule(sides[0], sides[1], both, a, c, len(held), chance, 1)


@dataclass(frozen=True)
class _AllowedItems:
    """The items that may stand on each side, and the most items of a consequent."""

    left: frozenset[int]
    right: frozenset[int]
    longest: int

    def splits(self, codes: Set) -> int:
        """How many rules a set can give: items that may stand on one side only have no choice."""
        both = sum(code in self.left and code in self.right for code in codes)
        left = sum(code in self.left and code not in self.right for code in codes)
        right = sum(code in self.right and code not in self.left for code in codes)
        if both + left + right < len(codes):
            return 0
        sizes = [k for k in range(both + 1) if 1 <= right + k <= self.longest and left + both - k >= 1]
        return sum(math.comb(both, k) for k in sizes)


def _named(side: Collection[str] | None, names: tuple[str, ...]) -> frozenset[int]:
    """The numbers of the items that are named, or whose column is."""
    if side is None:
        return frozenset(range(len(names)))
    if isinstance(side, str):
        side = [side]
    chosen: set[int] = set()
    for word in side:
        of_column = tuple(f"{word} {sign} " for sign in ("=", "in", "<=", ">"))
        own = {i for i, name in enumerate(names) if name == word or name.startswith(of_column)}
        if not own:
            raise ParameterError(f"no item or column {word!r}. {did_you_mean(word, names)}")
        chosen |= own
    return frozenset(chosen)


def _confident(
    itemsets: Itemsets, sides: _AllowedItems, codes: Set, both: int, min_confidence: float, min_lift: float
) -> Iterator[_Found]:
    """The rules of one set, their consequents grown item by item as long as they are confident."""
    n = len(itemsets.transactions)
    must = tuple(code for code in codes if code not in sides.left)
    may = tuple(code for code in codes if code in sides.left and code in sides.right)
    if any(code not in sides.right for code in must):
        return
    alive: set[Set] = {()}
    for k in range(min(len(may), sides.longest - len(must)) + 1):
        confident: set[Set] = set()
        for some in combinations(may, k):
            if k and any(part not in alive for part in combinations(some, k - 1)):
                continue
            then = tuple(sorted((*must, *some)))
            first = tuple(code for code in codes if code not in then)
            if not first:
                continue
            antecedents = int(itemsets.counts[itemsets.places[first]])
            if both < min_confidence * antecedents * (1 - 1e-12):
                continue
            confident.add(some)
            if then:
                consequents = int(itemsets.counts[itemsets.places[then]])
                if both * n >= min_lift * antecedents * consequents * (1 - 1e-12):
                    yield _Found(first, then, both, antecedents, consequents)
        alive = confident
        if not alive:
            return


def _improving(found: list[_Found]) -> list[_Found]:
    """The rules more confident than every one with the same consequent and a part of their antecedent."""
    confidence = {(rule.first, rule.then): rule.both / rule.antecedents for rule in found}

    def improves(rule: _Found) -> bool:
        own = rule.both / rule.antecedents
        parts = (part for k in range(1, len(rule.first)) for part in combinations(rule.first, k))
        return all(confidence.get((part, rule.then), -1.0) < own for part in parts)

    return [rule for rule in found if improves(rule)]


def _tested(itemsets: Itemsets, found: list[_Found], eligible: int) -> tuple[AssociationRule, ...]:
    from scipy.stats import hypergeom

    if not found:
        return ()
    n = len(itemsets.transactions)
    both, antecedents, consequents = (np.array(column) for column in list(zip(*found, strict=True))[2:])
    chances = hypergeom.sf(both - 1, n, consequents, antecedents).tolist()
    rules = [
        AssociationRule(itemsets.names(first), itemsets.names(then), a, b, c, n, chance, eligible)
        for (first, then, a, b, c), chance in zip(found, chances, strict=True)
    ]
    rules.sort(key=lambda r: (-r.confidence, -r.support, len(r.antecedent) + len(r.consequent)))
    return tuple(rules)
