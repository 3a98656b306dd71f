"""Which of two classes is the positive one: that of precision, recall, F1, thresholds, ROC and fairness.

All scores of two classes take the second as the positive one, so a study puts it there. Unless `--positive`
names it, it is

    1. the class whose name says so: yes of yes and no, true, 1, y, t, positive or present
    2. else the rarer class, if it has less than a quarter of the rows: the class of interest is usually rare
    3. else the second in alphabetical order, or in the order that the file declares
"""

import numpy as np

from openbook.data import Categorical, Column, Labels, Nominal
from openbook.errors import PlanError, did_you_mean

#: A class with a smaller share of the rows is rare.
RARE = 0.25
#: With fewer rows of a class, no score shows whether a model finds it.
FEW = 5
#: Why there is no interval, no p-value or no diagnosis then.
FEW_OF_ALL = f"all classes but one have fewer than {FEW} rows"

#: Pairs that leave no doubt, the positive one second.
_PAIRS = (
    ("no", "yes"),
    ("false", "true"),
    ("0", "1"),
    ("-1", "1"),
    ("n", "y"),
    ("f", "t"),
    ("negative", "positive"),
    ("absent", "present"),
)


def shares(y: Column) -> dict[str, float]:
    """The classes that occur, in their order, and the share of the known rows that each has."""
    if not isinstance(y.attribute, Categorical) or isinstance(y.attribute, Labels):
        return {}
    counts = np.bincount(y.data[~y.missing], minlength=len(y.attribute.values))
    named = zip(y.attribute.values, counts.tolist(), strict=True)
    return {label: count / counts.sum() for label, count in named if count}


def too_rare(counts: np.ndarray) -> bool:
    """Whether all classes but one have too few rows to compare learners on them.

    One row of a class cannot both train and test, however few the others have.

    >>> too_rare(np.array([396, 4])), too_rare(np.array([395, 5])), too_rare(np.array([3, 2]))
    (True, False, False)
    >>> too_rare(np.array([2, 1])), too_rare(np.array([1, 1, 1]))
    (True, True)
    """
    if np.count_nonzero(counts) < 2:
        return False
    second = int(np.sort(counts)[-2])
    return second < 2 or (second < FEW and second < RARE * int(counts.sum()))


def check_positive(y: Column, positive: str | None) -> None:
    """PlanError where the class that is asked for is not one of two."""
    if positive is None:
        return
    known = tuple(shares(y))
    if not known:
        raise PlanError(f"--positive names a class, and {y.name} is a number; leave it out")
    if positive not in known:
        raise PlanError(f"--positive: {y.name} has no class {positive!r}. {did_you_mean(positive, known)}")
    if len(known) != 2:
        raise PlanError(
            f"--positive names one of two classes, and {y.name} has {len(known)}: of several classes each is"
            " scored against the rest; leave it out"
        )


def positive_class(y: Column, asked: str | None = None) -> tuple[str, str] | None:
    """The positive one of two classes, and why; None if there are not two."""
    found = shares(y)
    if len(found) != 2:
        return None
    if asked is not None:
        return asked, "as asked"
    first, second = found
    for negative, positive in _PAIRS:
        if {first.lower(), second.lower()} == {negative, positive}:
            return (first if first.lower() == positive else second), "by its name"
    rarer = min(found, key=lambda label: found[label])
    if found[rarer] < RARE:
        return rarer, f"the rarer, with {found[rarer]:.1%} of the rows"
    return second, f"the second of {first} and {second}"


def positive_last(y: Column, asked: str | None = None) -> Column:
    """The column with the positive class last among its values; the same column where there are not two."""
    found = positive_class(y, asked)
    values = y.attribute.values if isinstance(y.attribute, Categorical) else ()
    if found is None or values[-1] == found[0]:
        return y
    order = sorted(range(len(values)), key=lambda code: values[code] == found[0])
    codes = np.argsort(order).astype(y.data.dtype)
    data = np.where(y.data < 0, y.data, codes[np.maximum(y.data, 0)])
    return Column(Nominal(y.name, tuple(values[code] for code in order)), data.astype(y.data.dtype))
