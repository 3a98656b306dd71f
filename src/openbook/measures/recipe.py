r"""Maximum likelihood estimation step by step, with the user's numbers.

    1. the objective, ln L     2. its derivative     3. set to zero     4. solved     5. the second derivative

If that is below zero, the solution is a maximum. Probabilities that must sum to one have a Lagrange
multiplier λ for that constraint, whose value is found from the constraint itself.
"""

import math
from collections.abc import Hashable, Mapping
from itertools import combinations_with_replacement

import numpy as np
import numpy.typing as npt

from openbook.errors import ParameterError
from openbook.words.numbers import figure, fraction, signed
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work, escape_text

#: Values whose terms are written out.
_SHOWN = 6
_MAX = "below zero: a maximum"


def derive_successes(
    name: str, successes: float, trials: float, n: int, prior: tuple[float, float] = (1, 1)
) -> Work:
    """How the probability of success follows from the successes and trials, n trials at a time.

    prior : α and β of a beta distribution; 1 and 1 for the maximum likelihood
    """
    alpha, beta = prior
    flat = alpha == beta == 1
    good, bad = successes + alpha - 1, trials - successes + beta - 1
    if not good + bad > 0 or min(good, bad) < 0:
        raise ParameterError("there is nothing to fit: no known value, or a prior below 1")
    s, f, p = figure(good), figure(bad), good / (good + bad)
    mass, constant = r"p^{x_i} (1 - p)^{1 - x_i}", ""
    note = f"s = {s} successes, f = {f} failures"
    if not flat:
        counts = f"{figure(successes)} successes and {figure(trials - successes)} failures"
        note = f"s = {s}, f = {f}: {counts}, and α - 1 and β - 1 of the prior"
    if n != 1:
        mass = rf"\binom{{{n}}}{{k_i}} p^{{k_i}} (1 - p)^{{{n} - k_i}}"
        constant = r" + \sum_i \ln \binom{n}{k_i}"
        note += "; the last sum does not depend on p"
    parts: list[Step] = [Step("likelihood L(p)", rf"\prod_i {mass}")]
    if not flat:
        beta_note = f"Beta({alpha:g}, {beta:g}), up to a factor"
        parts.append(Step("prior", r"p^{\alpha - 1} (1 - p)^{\beta - 1}", note=beta_note))
    objective = "1. objective ln L(p)" if flat else "1. objective, ln of both"
    derivative = rf"\frac{{s}}{{p}} - \frac{{f}}{{1 - p}} = \frac{{{s}}}{{p}} - \frac{{{f}}}{{1 - p}}"
    parts.append(Step(objective, rf"s \ln p + f \ln(1 - p){constant}", note=note))
    parts.append(Step("2. derivative by p", derivative))
    if 0 < p < 1:
        numbers = {"s": good, "f": bad, "p": p, "(1 - p)": 1 - p}
        curvature, second = -good / p**2 - bad / (1 - p) ** 2, r"-\frac{s}{p^2} - \frac{f}{(1 - p)^2}"
        parts += [
            Step("3. set to zero", r"\frac{s}{p} = \frac{f}{1 - p} \Rightarrow s (1 - p) = f p"),
            Step.of("4. solved for p", r"\frac{s}{s + f}", numbers, p),
            Step.of("5. second derivative", second, numbers, curvature, _MAX),
        ]
        conclusion = f"The estimate of p is {figure(p)}, the share of successes."
    else:
        note = f"ln L {'rises' if p else 'falls'} all the way to p = {p:g}"
        parts.append(Step("3. set to zero", result="nowhere between 0 and 1", note=note))
        at_end = "at the end of the range; a prior (fit_map) keeps it inside"
        conclusion = f"The estimate of p is {p:g}, {at_end}."
    if flat:
        return Work(f"{name}: maximum likelihood of p", tuple(parts), conclusion)
    posterior = f"Beta({alpha + successes:g}, {beta + trials - successes:g})"
    mean = figure((alpha + successes) / (alpha + beta + trials))
    of_posterior = f"the mode of the posterior {posterior}, whose mean is {mean}"
    conclusion = f"The estimate of p is {figure(p)}, {of_posterior}."
    return Work(f"{name}: maximum a posteriori of p", tuple(parts), conclusion)


def derive_shares(name: str, counts: Mapping[Hashable, float]) -> Work:
    """How the probabilities of values follow from their counts, under the constraint that they sum to one."""
    total = math.fsum(counts.values())
    if not total:
        raise ParameterError("there is nothing to fit: no known value")
    seen = {value: count for value, count in counts.items() if count}
    logs = [rf"{figure(count)} \ln p_{{{escape_text(str(value))}}}" for value, count in seen.items()]
    sums = [rf"\frac{{{figure(count)}}}{{\lambda}}" for count in seen.values()]
    lagrangian = r"\sum_v N_v \ln p_v + \lambda \left(1 - \sum_v p_v\right)"
    constraint = rf"\sum_v \frac{{N_v}}{{\lambda}} = {joined(sums, most=_SHOWN)} = 1 \Rightarrow \lambda = N"
    parts: list[Step | Grid] = [
        Step("likelihood L(p)", r"\prod_v p_v^{N_v}", note="under the constraint Σ p_v = 1"),
        Step("1. objective ln L(p)", rf"\sum_v N_v \ln p_v = {joined(logs, most=_SHOWN)}"),
        Step("Lagrangian Λ(p, λ)", lagrangian, note="λ is the price of the constraint"),
        Step("2. derivative by each p_v", r"\frac{N_v}{p_v} - \lambda"),
        Step("   derivative by λ", r"1 - \sum_v p_v"),
        Step("3. set to zero", r"\frac{N_v}{p_v} = \lambda \Rightarrow p_v = \frac{N_v}{\lambda}"),
        Step("   in the constraint", constraint),
        Step("   λ", r"\sum_v N_v", joined(list(seen.values())), total),
    ]
    parts += [
        Step(f"4. p of {value}", r"\frac{N_v}{N}", fraction(count, total), count / total)
        for value, count in counts.items()
    ]
    rows = [(str(value), -(total**2) / count) for value, count in seen.items()]
    parts += [
        Step("5. second derivative", r"-\frac{N_v}{p_v^2}", note="below zero for each p_v: a maximum"),
        Grid("second derivatives at the solution", ("value", "-N_v / p_v²"), rows),
    ]
    unseen = [str(value) for value, count in counts.items() if not count]
    conclusion = "Each probability is the share of its value."
    if unseen:
        conclusion += f" {', '.join(unseen)}: never seen, so 0; a prior (fit_map) keeps it above."
    return Work(f"{name}: maximum likelihood with a Lagrange multiplier", tuple(parts), conclusion)


def derive_normal(numbers: list[float], *, sample: bool) -> Work:
    """How mean and variance follow from the numbers; `sample` divides by n - 1 in the end."""
    n, total = len(numbers), math.fsum(numbers)
    mean = total / n
    scatter = math.fsum((x - mean) ** 2 for x in numbers)
    variance = scatter / n
    terms = joined([f"({figure(x)} - {signed(mean)})^2" for x in numbers], most=_SHOWN)
    squares = r"\sum_i (x_i - \mu)^2"
    half = rf"\frac{{1}}{{2 \sigma^4}} {squares}"
    likelihood = r"\prod_i \frac{1}{\sqrt{2 \pi \sigma^2}} e^{-\frac{(x_i - \mu)^2}{2 \sigma^2}}"
    objective = rf"-\frac{{n}}{{2}} \ln(2 \pi \sigma^2) - \frac{{1}}{{2 \sigma^2}} {squares}"
    second = rf"\frac{{n}}{{2 \sigma^4}} - \frac{{1}}{{\sigma^6}} {squares} = -\frac{{n}}{{2 \sigma^4}}"
    curvature_mean = f"-{fraction(n, variance)}", -n / variance
    curvature = rf"-\frac{{{n}}}{{2 \cdot {figure(variance)}^2}}", -n / (2 * variance**2)
    parts = [
        Step("likelihood L(μ, σ²)", likelihood),
        Step("1. objective ln L(μ, σ²)", objective, note=f"n = {n}"),
        Step("2. derivative by μ", r"\frac{1}{\sigma^2} \sum_i (x_i - \mu)"),
        Step("3. set to zero", r"\sum_i x_i = n \mu"),
        Step("4. solved for μ", r"\frac{1}{n} \sum_i x_i", fraction(joined(numbers, most=_SHOWN), n), mean),
        Step("5. second derivative by μ", r"-\frac{n}{\sigma^2}", *curvature_mean, _MAX),
        Step("2. derivative by σ²", rf"-\frac{{n}}{{2 \sigma^2}} + {half}"),
        Step("3. set to zero", rf"{half} = \frac{{n}}{{2 \sigma^2}}"),
        Step("4. solved for σ²", rf"\frac{{1}}{{n}} {squares}", fraction(terms, n), variance),
        Step("5. second derivative by σ²", second, *curvature, _MAX),
    ]
    if sample:
        note = "not the maximum likelihood: it makes up for the mean being estimated too"
        corrected = fraction(scatter, f"{n} - 1"), scatter / (n - 1)
        parts.append(Step("sample variance", rf"\frac{{1}}{{n - 1}} {squares}", *corrected, note))
    return Work("Gaussian: maximum likelihood of mean and variance", tuple(parts))


def derive_covariance(rows: npt.NDArray[np.float64], divisor: int) -> Work:
    """How the mean of each column and the covariance of each pair follow from rows of numbers."""
    n, d = rows.shape
    means = rows.mean(axis=0).tolist()
    columns = rows.T.tolist()
    steps = [
        Step(f"μ_{j + 1}", r"\frac{1}{n} \sum_i x_{ij}", fraction(joined(x, most=_SHOWN), n), means[j])
        for j, x in enumerate(columns)
    ]
    below = "n" if divisor == n else "n - 1"
    formula = rf"\frac{{1}}{{{below}}} \sum_i (x_{{ij}} - \mu_j) (x_{{ik}} - \mu_k)"
    table = [[0.0] * d for _ in range(d)]
    for j, k in combinations_with_replacement(range(d), 2):
        pairs = [(a - means[j], b - means[k]) for a, b in zip(columns[j], columns[k], strict=True)]
        terms = [rf"{signed(a)} \cdot {signed(b)}" for a, b in pairs]
        table[j][k] = table[k][j] = math.fsum(a * b for a, b in pairs) / divisor
        numbers = fraction(joined(terms, most=_SHOWN), divisor)
        steps.append(Step(f"Σ_{j + 1}{k + 1}", formula, numbers, table[j][k]))
    grid = Grid("Σ", ("", *map(str, range(1, d + 1))), [(j + 1, *line) for j, line in enumerate(table)])
    return Work("Multivariate Gaussian: mean and covariance", (*steps, grid))
