"""Bayes' rule for a discrete hypothesis.

    P(h | e) = P(h) P(e | h) / P(e)     with  P(e) = Σ_h P(h) P(e | h)

Priors are probabilities and sum to one; where P(e) is given, hypotheses may be left out.
Likelihoods are any finite numbers >= 0, probabilities or densities
of the evidence under each hypothesis; they need not sum to one. Missing values: every hypothesis needs both.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from openbook.errors import ParameterError, did_you_mean
from openbook.measures.arrays import SUM_TOLERANCE
from openbook.words.numbers import figure, fraction
from openbook.work import Step, Work


@dataclass(frozen=True)
class BayesRule:
    """Bayes' rule applied: what went in, and what came out, by hypothesis.

    Attributes
    ----------
    prior, likelihood : dict
        P(h) and P(e | h).
    joint : dict
        P(h) P(e | h).
    evidence : float
        P(e), the sum of the joint unless it was given.
    posterior : dict
        P(h | e).
    evidence_given : bool, default=False
        Whether it was given.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> rule = bayes({"ill": 0.01, "well": 0.99}, {"ill": 0.9, "well": 0.05})
    >>> round(rule.evidence, 4), round(rule.posterior["ill"], 3)
    (0.0585, 0.154)
    """

    prior: dict[Any, float]
    likelihood: dict[Any, float]
    joint: dict[Any, float]
    evidence: float
    posterior: dict[Any, float]
    evidence_given: bool = False

    @property
    def decision(self) -> Any:
        """The hypothesis of the largest posterior; ties: the first."""
        return max(self.posterior, key=self.posterior.__getitem__)

    def work(self) -> Work:
        """Derive the posterior."""
        joint, posterior = r"P(h) \, P(e \mid h)", r"\frac{P(h) \, P(e \mid h)}{P(e)}"
        products = [
            Step(f"P({h}, e)", joint, rf"{figure(self.prior[h])} \cdot {figure(self.likelihood[h])}", p)
            for h, p in self.joint.items()
        ]
        total = Step("P(e)", rf"\sum_h {joint}", " + ".join(map(figure, self.joint.values())), self.evidence)
        if self.evidence_given:
            total = Step("P(e)", result=self.evidence, note="given")
        quotients = [
            Step(f"P({h} | e)", posterior, fraction(self.joint[h], self.evidence), p)
            for h, p in self.posterior.items()
        ]
        conclusion = f"The most probable is {self.decision}: {figure(self.posterior[self.decision])}."
        return Work("Bayes' rule", (*products, total, *quotients), conclusion)


def bayes(
    prior: Mapping[Any, float], likelihood: Mapping[Any, float], evidence: float | None = None
) -> BayesRule:
    """The posterior of each hypothesis after the evidence.

    Parameters
    ----------
    prior : mapping
        P(h) of each hypothesis h.
    likelihood : mapping
        Mapping of hypothesis to P(e | h), for the same hypotheses.
    evidence : float or None, default=None
        P(e), if it is known; then priors may sum to less than one. None adds up P(h) P(e | h) over the
        hypotheses.

    Returns
    -------
    BayesRule
        With `joint`, `evidence`, `posterior`, `decision` and `work()`.

    Notes
    -----
    Guide: docs/guide/measures.md

    Examples
    --------
    >>> rule = bayes({"spam": 0.25, "ham": 0.75}, {"spam": 0.5, "ham": 0.0625})
    >>> rule.evidence
    0.171875
    >>> round(rule.posterior["spam"], 4), rule.decision
    (0.7273, 'spam')
    """
    for h in likelihood:
        if h not in prior:
            hint = did_you_mean(str(h), [str(known) for known in prior])
            raise ParameterError(f"the hypothesis {h!r} has a likelihood but no prior. {hint}")
    for h, p in prior.items():
        if h not in likelihood:
            raise ParameterError(f"the hypothesis {h!r} has a prior but no likelihood")
        for name, number in (("prior", p), ("likelihood", likelihood[h])):
            if not (math.isfinite(number) and number >= 0):
                raise ParameterError(f"the {name} of {h!r} must be finite and not negative, got {number}")
    total = math.fsum(prior.values())
    if total - 1 > SUM_TOLERANCE or (evidence is None and 1 - total > SUM_TOLERANCE):
        raise ParameterError(f"the priors sum to {total:.10g}, not to one")
    joint = {h: p * likelihood[h] for h, p in prior.items()}
    given, summed = evidence is not None, math.fsum(joint.values())
    evidence = summed if evidence is None else evidence
    if given and not (math.isfinite(evidence) and evidence > 0 and evidence >= summed * (1 - SUM_TOLERANCE)):
        msg = f"P(e) must be above 0 and at least Σ P(h) P(e | h) = {summed:.10g}, got {evidence}"
        raise ParameterError(msg)
    if evidence == 0:
        raise ParameterError("P(h) P(e | h) is 0 for every hypothesis, so there is no posterior")
    posterior = {h: p / evidence for h, p in joint.items()}
    return BayesRule(dict(prior), dict(likelihood), joint, evidence, posterior, given)
