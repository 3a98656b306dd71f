"""The readable twin of a naive Bayes prediction: priors, factors, products, logarithms, posteriors.

It starts from the model's counts and sums and uses nothing that the kernels use, so tests compare the two.
"""

import math

from openbook.bayes.likelihood import given
from openbook.border.learner import class_statements
from openbook.border.priors import prior_steps
from openbook.data import Word
from openbook.text.columns import telling_words
from openbook.words.numbers import figure, fraction
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work


def derive_model(model) -> Work:
    """How the model was learnt: the prior and the estimates of every column."""
    priors = Work(f"prior of {model.target_}", tuple(_prior_steps(model)))
    columns = [work for likelihood in model.likelihoods_ for work in likelihood.learnt()]
    title = f"Naive Bayes for {model.target_}: how it was fitted"
    return Work(title, (priors, *columns), "; ".join(model.notes_))


def derive_row(model, X) -> Work:
    """How the prediction of a one-row table was made."""
    labels = class_statements(model)
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
    words = _words(model, X, logs)
    return Work(title, (Work("prior", tuple(priors)), *words, *products, posterior), end)


#: What the columns of words are: the terms of the model's sum, and the score that books compute by hand.
_WORDS = (
    Step("weight of a word", r"x \cdot \ln \frac{P(t \mid c)}{P(t \mid r)}", note="a term of the sums below"),
    Step("score of a word", r"x \cdot \log_2 \frac{s_c}{s_r}"),
    Step("s", r"\frac{n + \frac{1}{2}}{N + 1}", note="by hand: half a count for it, half for all others"),
)


def _words(model, X, logs):
    """The words of texts that favour the class over the runner-up most, the strongest first."""
    likelihoods = [one for one in model.likelihoods_ if one.name == "multinomial" and one.schema.of(Word)]
    if len(logs) < 2 or not likelihoods:
        return []
    runner_up, winner = sorted(range(len(logs)), key=lambda c: (logs[c], -c))[-2:]
    return [Work("words", (*_WORDS, *(_word_grid(one, X, winner, runner_up) for one in likelihoods)))]


def _word_grid(likelihood, X, c, r):
    """The words of a text: x times in the row, n times among the N words of the class and the runner-up."""
    ahead, behind = likelihood.labels[c], likelihood.labels[r]
    N = [math.fsum(likelihood.counts[k].tolist()) for k in (c, r)]
    rows = []
    for j, x in likelihood.happened(X):
        name = likelihood.schema.names[j]
        n = [float(likelihood.counts[k, j]) for k in (c, r)]
        s = [(count + 0.5) / (whole + 1) for count, whole in zip(n, N, strict=True)]
        score = x * math.log2(s[0] / s[1])
        weight = likelihood.factor(X, name, c).log - likelihood.factor(X, name, r).log
        rows.append((name, x, *n, score, score * math.log(2), weight))
    head = ("word", "x", f"n of {ahead}", f"n of {behind}", "score, base 2", "natural", "weight")
    note = f"N is {figure(N[0])} of {ahead} and {figure(N[1])} of {behind}."
    return Grid(f"{ahead} against {behind}", head, telling_words(set(likelihood.schema.names), rows), note)


def _prior_steps(model):
    return prior_steps(model, class_statements(model), model.statistics_.classes, model.prior_)


def _product(label, prior, factors):
    """The steps that multiply the factors, and the logarithm of the joint probability."""
    values = [factor.step.result for factor in factors]
    likelihood = math.prod(values)
    joint = prior.result * likelihood
    terms = [math.log(prior.result) if prior.result > 0 else -math.inf, *(factor.log for factor in factors)]
    log = math.fsum(terms) if all(map(math.isfinite, terms)) else -math.inf
    note = "too small to represent; its logarithm is used" if joint == 0 and log > -math.inf else ""
    name, numbers = f"P({label}) P(x | {label})", joined(values, r" \times ", empty="1")
    product = rf"{figure(prior.result)} \cdot {figure(likelihood)}"
    shown, rule = log if log > -math.inf else "minus infinity", r"\ln P(c) + \sum_j \ln P(x_j \mid c)"
    return (
        Step(given("x", label), r"\prod_j P(x_j \mid c)", numbers, likelihood, note),
        Step(name, r"P(c) \cdot P(x \mid c)", product, joint),
        Step(f"ln {name}", rule, joined(terms, empty="1"), shown),
    ), log


def _posterior(labels, joints, logs):
    """The work that normalises the joint probabilities, and the class of the largest, the first of equals."""
    top, rule = max(logs), r"\frac{P(c) P(x \mid c)}{P(x)}"
    if top == -math.inf:
        steps = [Step(f"P({label} | x)", rule, r"\frac{0}{0}", None) for label in labels]
        return Work("posterior", (Step("P(x)", r"\sum_c P(c) P(x \mid c)", "0", 0.0), *steps)), None
    shares = [math.exp(log - top) for log in logs]
    whole = math.fsum(shares)
    evidence = math.fsum(joints)
    steps = []
    for label, joint, log, share in zip(labels, joints, logs, shares, strict=True):
        numbers = fraction(joint, evidence) if evidence > 0 else rf"e^{{{figure(log)} - \ln P(x)}}"
        steps.append(Step(f"P({label} | x)", rule, numbers, share / whole))
    first = Step("P(x)", r"\sum_c P(c) P(x \mid c)", joined(joints, empty="1"), evidence)
    return Work("posterior", (first, *steps)), labels[shares.index(max(shares))]
