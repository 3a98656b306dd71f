"""The readable twin of a naive Bayes prediction: priors, factors, products, logarithms, posteriors.

It starts from the model's counts and sums and uses nothing that the kernels use, so tests compare the two.
"""

import math

from openbook.bayes.likelihood import given
from openbook.data.attributes import as_text
from openbook.words.numbers import figure
from openbook.words.sentences import joined
from openbook.work import Step, Work

__all__ = ["derive_model", "derive_row"]

#: A product of more factors than these is abbreviated.
_SHOWN_FACTORS = 8


def derive_model(model) -> Work:
    """How the model was learnt: the prior and the estimates of every column."""
    priors = Work(f"prior of {model.target_}", tuple(_prior_steps(model)))
    columns = [work for likelihood in model.likelihoods_ for work in likelihood.learnt()]
    return Work(
        f"Naive Bayes for {model.target_}: how it was fitted", (priors, *columns), "; ".join(model.notes_)
    )


def derive_row(model, X) -> Work:
    """How the prediction of a one-row table was made."""
    labels = _truths(model)
    priors = list(_prior_steps(model))
    products, logs = [], []
    for c, label in enumerate(labels):
        factors = [factor for likelihood in model.likelihoods_ for factor in likelihood.factors(X, c)]
        product, log = _product(label, priors[c], factors)
        products.append(Work(f"if {label}", (*(factor.step for factor in factors), *product)))
        logs.append(log)
    joints = [work[f"P({label}) P(x | {label})"].result for work, label in zip(products, labels, strict=True)]
    posterior, winner = _posterior(labels, joints, logs)
    if winner is None:
        probabilities = [step.result for step in priors]
        winner = labels[probabilities.index(max(probabilities))]
        end = f"The product is 0 for every class, so the prior decides: {winner}."
    else:
        end = f"Most probable: {winner}."
    title = f"Naive Bayes for {model.target_}: one prediction"
    return Work(title, (Work("prior", tuple(priors)), *products, posterior), end)


def _truths(model):
    """The classes as they stand in a probability: cheat = No."""
    return [f"{model.target_} = {as_text(label)}" for label in model.classes_.tolist()]


def _prior_steps(model):
    weights = [float(weight) for weight in model.statistics_.classes]
    total = math.fsum(weights)
    for label, weight, prior in zip(_truths(model), weights, model.prior_, strict=True):
        if model.priors is None:
            numbers = rf"\frac{{{figure(weight)}}}{{{figure(total)}}}"
            yield Step(f"P({label})", r"\frac{N_c}{N}", numbers, weight / total)
        else:
            yield Step(f"P({label})", result=float(prior), note="given")


def _product(label, prior, factors):
    """The steps that multiply the factors, and the logarithm of the joint probability."""
    values = [factor.step.result for factor in factors]
    likelihood = math.prod(values)
    joint = prior.result * likelihood
    terms = [math.log(prior.result) if prior.result > 0 else -math.inf, *(factor.log for factor in factors)]
    log = math.fsum(terms) if all(map(math.isfinite, terms)) else -math.inf
    note = "too small to represent; its logarithm is used" if joint == 0 and log > -math.inf else ""
    return (
        Step(
            given("x", label),
            r"\prod_j P(x_j \mid c)",
            joined(values, r" \times ", empty="1"),
            likelihood,
            note,
        ),
        Step(
            f"P({label}) P(x | {label})",
            r"P(c) \cdot P(x \mid c)",
            rf"{figure(prior.result)} \cdot {figure(likelihood)}",
            joint,
        ),
        Step(
            f"ln P({label}) P(x | {label})",
            r"\ln P(c) + \sum_j \ln P(x_j \mid c)",
            joined(terms, empty="1"),
            log if log > -math.inf else "minus infinity",
        ),
    ), log


def _posterior(labels, joints, logs):
    """The work that normalises the joint probabilities, and the class of the largest, the first of equals."""
    top = max(logs)
    if top == -math.inf:
        steps = [
            Step(f"P({label} | x)", r"\frac{P(c) P(x \mid c)}{P(x)}", r"\frac{0}{0}", None)
            for label in labels
        ]
        return Work("posterior", (Step("P(x)", r"\sum_c P(c) P(x \mid c)", "0", 0.0), *steps)), None
    shares = [math.exp(log - top) for log in logs]
    whole = math.fsum(shares)
    evidence = math.fsum(joints)
    steps = [
        Step(
            f"P({label} | x)",
            r"\frac{P(c) P(x \mid c)}{P(x)}",
            rf"\frac{{{figure(joint)}}}{{{figure(evidence)}}}"
            if evidence > 0
            else rf"e^{{{figure(log)} - \ln P(x)}}",
            share / whole,
        )
        for label, joint, log, share in zip(labels, joints, logs, shares, strict=True)
    ]
    first = Step("P(x)", r"\sum_c P(c) P(x \mid c)", joined(joints, empty="1"), evidence)
    return Work("posterior", (first, *steps)), labels[shares.index(max(shares))]
