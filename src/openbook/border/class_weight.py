"""Weights of classes: a factor for the rows of each, given or balanced.

balanced: W / (K W_c), with W the weight of all rows, W_c that of the class, and K classes
"""

from collections.abc import Mapping

import numpy as np

from openbook.border.rules import Anything, Number
from openbook.data.attributes import as_text
from openbook.errors import ParameterError, did_you_mean

#: The rule of the parameter `class_weight`.
CLASS_WEIGHT = Anything("None, 'balanced', or a mapping of class to weight")


def class_factors(learner, weights):
    """The factor for each of the learner's `classes_`, whose rows weigh so much: float64 (n_classes,)."""
    given = learner.class_weight
    if given is None:
        return np.ones(len(weights))
    if isinstance(given, str) and given == "balanced":
        return weights.sum() / (len(weights) * np.where(weights > 0, weights, 1.0))
    if not isinstance(given, Mapping):
        msg = f"{type(learner).__name__}: class_weight must be {CLASS_WEIGHT.demand()}, got {given!r}."
        raise ParameterError(msg)
    labels = [as_text(label) for label in learner.classes_.tolist()]
    by_label = {as_text(label): weight for label, weight in given.items()}
    rule = Number(above=0)
    for label, weight in by_label.items():
        if label not in labels:
            raise ParameterError(f"class_weight: no class {label!r}. {did_you_mean(label, labels)}")
        if not rule.allows(weight):
            raise ParameterError(f"class_weight: that of {label!r} must be {rule.demand()}, got {weight!r}")
    return np.array([float(by_label.get(label, 1.0)) for label in labels])
