"""Where 95% intervals cover the true score in fewer than 93% or more than 97% of simulations.

`bench/coverage.py` simulates evaluations of 50 to 2,000 rows: by folds, in groups of ten rows, in order of
time, and with a fifth of the rows held out. OUTSIDE has every protocol and number of rows for which the
intervals of a learner cover in fewer than 93% or more than 97%, by more than two standard errors of the
simulation. It holds each score with a figure outside, and the range over the learners. The area of 0R under
the ROC curve does not count: it is 0.5 by definition. Other numbers of rows are judged by the nearest of
those simulated.
"""

import math
from collections.abc import Mapping, Sequence
from typing import Literal

from openbook.words.sentences import listed

Way = Literal["folds", "groups", "time", "held out"]

#: The numbers of rows that were simulated; a group has ten.
_SIMULATED, GROUP = (50, 200, 1_000, 2_000), 10

#: The lowest and highest coverage in percent, by way of testing, number of rows, and score.
OUTSIDE: dict[tuple[Way, int], dict[str, tuple[float, float]]] = {
    ("folds", 50): {"cost": (95.3, 97.9)},
    ("groups", 50): {
        "accuracy": (93.1, 97.1),
        "log_loss": (95.2, 98.3),
        "cost": (97.1, 99.3),
        "rmse": (92.5, 94.6),
    },
    ("time", 50): {"accuracy": (96.7, 98.6), "roc_auc": (97.0, 98.3), "log_loss": (93.2, 99.0)},
}

_WORDS: dict[Way, str] = {
    "folds": "{:,} rows",
    "groups": "{:,} rows in {:,} groups",
    "time": "{:,} rows in order of time",
    "held out": "{:,} rows, a fifth of them held out",
}


def nearest(rows: float) -> int:
    """The simulated number of rows with the ratio nearest to 1.

    >>> [nearest(rows) for rows in (14, 99, 101, 600, 10**6)]
    [50, 50, 200, 1000, 2000]
    """
    return min(_SIMULATED, key=lambda simulated: abs(math.log(rows / simulated)))


def coverage_remark(rows: Mapping[Way, float], scores: Sequence[tuple[str, str]]) -> str:
    """A sentence on intervals that cover too rarely or too often in simulations; empty if there are none.

    `rows` has the number of rows for each way of testing that applies. `scores` are those that are shown:
    their names, and the simulated scores whose intervals are computed in the same way.

    >>> coverage_remark({"folds": 60}, [("cost", "cost"), ("accuracy", "accuracy")])
    '95% intervals of cost may be too wide: with 50 rows, they held in 95.3% to 97.9% of simulations.'
    >>> coverage_remark({"folds": 60}, [("accuracy", "accuracy")])
    ''
    """
    cells = [(way, nearest(n)) for way, n in rows.items()]
    found = {cell: [name for name, like in scores if like in OUTSIDE.get(cell, {})] for cell in cells}
    (way, n), names = max(found.items(), key=lambda each: len(each[1]))
    if not names:
        return ""
    ends = [OUTSIDE[way, n][like] for _, like in scores if like in OUTSIDE[way, n]]
    low, high = min(low for low, _ in ends), max(high for _, high in ends)
    how = "are rough" if low < 93 and high > 97 else "may be too narrow" if low < 93 else "may be too wide"
    which = "" if len(names) == len(scores) else f" of {listed(names)}"
    of = _WORDS[way].format(n, n // GROUP)
    return f"95% intervals{which} {how}: with {of}, they held in {low:g}% to {high:g}% of simulations."
