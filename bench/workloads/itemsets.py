"""Frequent itemsets: 50,000 baskets of 200 items, in at least one in a hundred."""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

ITEMS, SUPPORT = 200, 0.01


def make(rows, seed):
    """Items of different popularity, and thirty groups of two to six that tend to be bought together."""
    rng = np.random.default_rng(seed)
    held = rng.random((rows, ITEMS)) < 0.02 + 0.1 * rng.random(ITEMS) ** 2
    for _ in range(30):
        group = rng.choice(ITEMS, rng.integers(2, 7), replace=False)
        buyers = np.flatnonzero(rng.random(rows) < 0.03)
        held[np.ix_(buyers, group)] |= rng.random((len(buyers), len(group))) < 0.8
    return held


def as_sparse(held):
    from scipy.sparse import csr_array

    return csr_array(held.astype(np.int8))


def as_frame(held):
    import pandas as pd

    return pd.DataFrame(held)


def as_lists(held):
    return [np.flatnonzero(row).tolist() for row in held]


def mine_ours(data):
    from openbook.associate import frequent_itemsets

    return frequent_itemsets(data, SUPPORT)


def mine_with(name):
    def mine(frame):
        from mlxtend import frequent_patterns

        return getattr(frequent_patterns, name)(frame, min_support=SUPPORT)

    return mine


def fim_with(name):
    def mine(lists):
        import fim

        return getattr(fim, name)(lists, supp=100 * SUPPORT, zmin=1, report="a")

    return mine


def sizes(model, _given, _answer):
    return {"sets": float(len(model))}


ITEMSETS = Workload(
    name="itemsets",
    title=f"Frequent itemsets of {ITEMS} items, support {SUPPORT}",
    rows=50_000,
    make=make,
    contestants={
        OURS: Contestant(as_sparse, mine_ours, None, sizes),
        "mlxtend hmine": Contestant(as_frame, mine_with("hmine"), None, sizes, needs="mlxtend"),
        "pyFIM eclat": Contestant(as_lists, fim_with("eclat"), None, sizes, needs="fim"),
        "pyFIM fpgrowth": Contestant(as_lists, fim_with("fpgrowth"), None, sizes, needs="fim"),
    },
    goals=(
        Goal("fit", "times", 6, ("mlxtend hmine",)),
        Goal("fit", "growth", 1.3, ("pyFIM eclat", "pyFIM fpgrowth")),
    ),
    tolerance=0,
    rounds=2,
    runs=2,
    warm_rows=20_000,
)
