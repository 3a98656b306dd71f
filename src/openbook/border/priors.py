"""Prior probabilities of the classes: their shares of the rows, or given.

P(c) = W_c / W, with W_c the weight of the rows of class c and W that of all rows
"""

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.border.rules import Anything
from openbook.data.attributes import as_text
from openbook.errors import ParameterError, did_you_mean
from openbook.words.numbers import fraction
from openbook.work import Step

#: The rule of the parameter `priors`.
PRIORS = Anything("None, a sequence or a mapping of class to probability")


def class_priors(learner: Any, weights: npt.NDArray[Any]) -> npt.NDArray[np.float64]:
    """P(c) of each of the learner's `classes_`, whose rows weigh so much."""
    given = learner.priors
    if given is None:
        return np.asarray(weights / weights.sum())
    labels = [as_text(label) for label in learner.classes_.tolist()]
    if isinstance(given, Mapping):
        by_label = {as_text(label): prior for label, prior in given.items()}
        if absent := [label for label in labels if label not in by_label]:
            hint = did_you_mean(absent[0], list(by_label))
            raise ParameterError(f"priors do not include class {absent[0]!r}. {hint}")
        given = [by_label[label] for label in labels]
    try:
        priors = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        raise ParameterError(f"priors must be {PRIORS.demand()}, got {learner.priors!r}") from None
    if priors.shape != weights.shape:
        raise ParameterError(f"priors: {len(labels)} classes, but {priors.size} numbers")
    if not ((priors >= 0).all() and math.isclose(priors.sum(), 1.0, rel_tol=1e-9)):
        msg = f"priors must not be negative and must sum to 1, got {priors.tolist()} (sum {priors.sum():g})"
        raise ParameterError(msg)
    return priors


def prior_steps(learner: Any, names: Sequence[str], weights: Any, priors: Any) -> Iterator[Step]:
    """How P(c) of each class was found; `names` are the classes as a probability shows them."""
    total = math.fsum(weights)
    for name, weight, prior in zip(names, map(float, weights), priors, strict=True):
        if learner.priors is None:
            yield Step(f"P({name})", r"\frac{N_c}{N}", fraction(weight, total), weight / total)
        else:
            yield Step(f"P({name})", result=float(prior), note="given")
