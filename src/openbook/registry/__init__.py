"""Every learner, by name: it feeds the contract tests, the command line, studies, docs and benchmarks.

A learner is registered by a line in `predictors.py` or `untargeted.py`; its class is imported on first use.
"""

from typing import Any, get_args

from openbook.errors import ParameterError, check_named, did_you_mean
from openbook.registry.entry import Entry, Task, Untargeted, Variant
from openbook.registry.predictors import PREDICTORS
from openbook.registry.untargeted import UNTARGETED

__all__ = ["LEARNERS", "Entry", "Task", "Untargeted", "Variant", "learner", "learners", "name_of"]

LEARNERS = {entry.name: entry for entry in (*PREDICTORS, *UNTARGETED)}


def learner(name: str) -> Entry:
    """The entry of that name.

    Parameters
    ----------
    name : str
        The registered name.

    Returns
    -------
    Entry

    Notes
    -----
    Guide: docs/guide/models.md

    Examples
    --------
    >>> learner("one_r").summary
    'one rule on the best attribute'
    """
    check_named("learner", name, LEARNERS)
    return LEARNERS[name]


def learners(*tasks: Task | Untargeted) -> tuple[Entry, ...]:
    """The entries for these tasks; if none is named, for all that predict a target.

    Parameters
    ----------
    *tasks : str
        "classification", "regression", "clustering", "density", "multilabel", "outliers", "preparation",
        "projection", "sequence" or "text".

    Returns
    -------
    tuple of Entry

    Notes
    -----
    Guide: docs/guide/models.md

    Examples
    --------
    >>> "pca" in [entry.name for entry in learners("projection")]
    True
    """
    return tuple(entry for entry in LEARNERS.values() if entry.task in (tasks or get_args(Task)))


def name_of(model: Any) -> str:
    """The registered name of a learner's class.

    Parameters
    ----------
    model : estimator
        The learner.

    Returns
    -------
    str

    Notes
    -----
    Guide: docs/guide/models.md

    Examples
    --------
    >>> from openbook.baseline import OneR
    >>> name_of(OneR())
    'one_r'
    """
    place = f":{type(model).__name__}"
    for entry in LEARNERS.values():
        if entry.place.endswith(place) and entry.cls is type(model):
            return entry.name
    name = type(model).__name__
    hint = "Use its model_, which is." if hasattr(model, "model_") else did_you_mean(name, tuple(LEARNERS))
    library = type(model).__module__
    full = name if library.startswith("openbook.") else f"{library}.{name}"
    raise ParameterError(f"{full} is not a registered learner. {hint}")
