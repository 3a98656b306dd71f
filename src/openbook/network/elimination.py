r"""Exact inference by variable elimination, with sizes known before any table is made.

    P(q, e) = Σ_{h} Π_i P(x_i | parents(x_i))

Hidden variables h are summed out one after the other: the factors that hold a variable are multiplied, and it
is summed out of the product, which is a factor again. Which goes next is decided by min-fill: the one whose
neighbours lack the fewest edges among each other, then the one of the smallest product, then the first. The
product of a variable's factors is its *bucket*. Each bucket passes its sum on to the next one that holds a
variable of it, so buckets are a junction tree: passing messages back again gives every marginal at once.

    forward     μ_i = Σ_{x_i} bucket_i,  multiplied into the next bucket
    backward    belief_i = bucket_i · (Σ belief_next over its other variables) / μ_i

With max instead of Σ the forward pass finds the most probable values, which are then read off backwards.

An order that is good for a whole network is good for a part of it, too: nodes that are missing make no factor
larger. So a network finds its order once, and looks for a better one only where a question needs a large
factor.
"""

import math
from collections.abc import Collection, Iterable, Sequence
from typing import NamedTuple

import numpy as np

from openbook.errors import RefusalError
from openbook.network.factor import TableFactor, contracted, product

#: The most cells of a factor that exact inference builds unless told otherwise: 128 MiB.
BUDGET = 1 << 24


class Removal(NamedTuple):
    """A variable to sum out, the factors that are multiplied, and the variables of their product.

    Factors are numbered, and the sums of earlier removals count on.
    """

    variable: int
    factors: list[int]
    together: list[int]


class Elimination(NamedTuple):
    """The remaining factor, and the bucket and message of each variable, in order."""

    left: TableFactor
    steps: Sequence[Removal]
    buckets: Sequence[TableFactor]
    messages: Sequence[TableFactor]

    def most_probable(self) -> dict[int, int]:
        """The values of the variables eliminated by max, read off from the last to the first."""
        found: dict[int, int] = {}
        for step, bucket in zip(reversed(self.steps), reversed(self.buckets), strict=True):
            found[step.variable] = int(bucket.given(found).table.argmax())
        return found

    def beliefs(self) -> list[TableFactor]:
        """The unnormalised joint of each bucket with the evidence, and with the variables that are left; of
        these, all messages must have the same.
        """
        into = {step.variable: i for i, step in enumerate(self.steps)}
        beliefs = [self.left] * len(self.steps)
        for i in reversed(range(len(self.steps))):
            message = self.messages[i]
            if passed_on := [into[v] for v in message.variables if v in into]:
                above = beliefs[min(passed_on)]
                back = above.without([v for v in above.variables if v not in message.variables]).table
            else:
                back = self.left.table
            ratio = np.divide(back, message.table, out=np.zeros(message.table.shape), where=message.table > 0)
            beliefs[i] = self.buckets[i].times(TableFactor(message.variables, ratio))
        return beliefs


def marginal(beliefs: Iterable[TableFactor], variables: Collection[int]) -> TableFactor:
    """The unnormalised joint of variables that stand together in some bucket."""
    containing = (belief for belief in beliefs if set(variables) <= set(belief.variables))
    smallest = min(containing, key=lambda belief: belief.table.size)
    return smallest.without([v for v in smallest.variables if v not in variables])


def min_fill(
    scopes: Iterable[Collection[int]], eliminated: Collection[int], sizes: Sequence[int]
) -> list[int]:
    """The order in which to eliminate the variables in `eliminated`."""
    near: dict[int, set[int]] = {}
    for scope in scopes:
        for variable in scope:
            near.setdefault(variable, set()).update(scope)
    for variable, around in near.items():
        around.discard(variable)

    def cost(variable: int) -> tuple[int, int, int]:
        around = near[variable]
        edges = sum(len(near[one] & around) for one in around) // 2
        missing = len(around) * (len(around) - 1) // 2 - edges
        return missing, math.prod(sizes[v] for v in around) * sizes[variable], variable

    costs = {variable: cost(variable) for variable in eliminated if variable in near}
    order = []
    while costs:
        variable = min(costs, key=costs.__getitem__)
        around = near.pop(variable)
        order.append(variable)
        del costs[variable]
        changed = set(around)
        for one in around:
            near[one].discard(variable)
            if not around - near[one] <= {one}:
                near[one] |= around - {one}
                changed |= near[one]
        for one in changed & costs.keys():
            costs[one] = cost(one)
    return order


def planned(
    scopes: Iterable[Sequence[int]], order: Iterable[int], eliminated: Collection[int]
) -> tuple[list[Removal], list[int]]:
    """The removals of the variables in `eliminated`, in this order, and the factors that are left.

    Only the variables of factors are looked at, so that sizes are known before anything is built.
    """
    alive = dict(enumerate(scopes))
    steps, count = [], len(alive)
    for variable in order:
        if variable in eliminated:
            chosen = [i for i, scope in alive.items() if variable in scope]
            together = sorted({variable}.union(*[alive.pop(i) for i in chosen]))
            steps.append(Removal(variable, chosen, together))
            alive[count] = [v for v in together if v != variable]
            count += 1
    return steps, list(alive)


def largest(steps: Iterable[Removal], sizes: Sequence[int]) -> tuple[int, list[int]]:
    """The cells of the largest product, and its variables."""
    return max(((math.prod([sizes[v] for v in s.together]), s.together) for s in steps), default=(1, []))


def summed_out(factors: Sequence[TableFactor], steps: Sequence[Removal], left: Sequence[int]) -> TableFactor:
    """The factor that remains once variables are summed out; the buckets are not kept."""
    alive = list(factors)
    for variable, bucket, together in steps:
        rest = tuple([v for v in together if v != variable])
        alive.append(TableFactor(rest, contracted([alive[i] for i in bucket], together, rest)))
    return product(alive[i] for i in left)


def eliminate(
    factors: Sequence[TableFactor], steps: Sequence[Removal], left: Sequence[int], how: str = "sum"
) -> Elimination:
    """Eliminate variables, and keep the factors that the backward pass needs."""
    alive = list(factors)
    buckets, messages = [], []
    for step in steps:
        bucket = product(alive[i] for i in step.factors)
        message = bucket.without([step.variable], how)
        buckets.append(bucket)
        messages.append(message)
        alive.append(message)
    return Elimination(product(alive[i] for i in left), steps, buckets, messages)


def check_budget(cells: int, together: Sequence[int], budget: int, names: Sequence[str]) -> None:
    """Refuse before anything is built if the largest product would have more cells than the budget."""
    if cells > budget:
        shown = ", ".join(names[v] for v in together[:6]) + (", …" if len(together) > 6 else "")
        raise RefusalError(
            f"the exact answer needs a factor of {cells:.3g} cells ({8 * cells / 2**30:.3g} GiB) over"
            f" {len(together)} nodes ({shown}), more than the budget of {budget:.3g}; estimate the answer by"
            " sample(...), give more evidence, or raise budget="
        )
