"""Derivations of probabilities and densities: the formula of a distribution, its parameters substituted."""

import math
from collections.abc import Hashable, Sequence

import numpy as np

from openbook.words.numbers import figure
from openbook.words.sentences import joined
from openbook.work import Grid, Step


def binomial_steps(n: int, p: float, k: int, masses: Sequence[float]) -> list[Step]:
    """P(X = k), and P(X <= k) as the sum of the masses of 0 … k."""
    numbers = rf"\binom{{{n}}}{{{k}}} \cdot {figure(p)}^{{{k}}} \cdot {figure(1 - p)}^{{{n - k}}}"
    return [
        Step(f"P(X = {k})", r"\binom{n}{k} p^k (1 - p)^{n - k}", numbers, masses[-1]),
        Step(f"P(X <= {k})", r"\sum_{i = 0}^k P(X = i)", joined(masses), math.fsum(masses)),
    ]


def share_steps(values: Sequence[Hashable], p: Sequence[float], value: Hashable) -> list[Step]:
    """P(X = v), and that of the values up to v in their order."""
    upto = p[: list(values).index(value) + 1]
    total, note = math.fsum(upto), "in the order of the values"
    return [
        Step(f"P(X = {value})", "p_v", result=upto[-1]),
        Step(f"P(X up to {value})", r"\sum_u p_u", joined(upto), total, note),
    ]


def multinomial_steps(p: Sequence[float], counts: Sequence[int], mass: float) -> list[Step]:
    """P(X = counts)."""
    n = sum(counts)
    below = joined([f"{count}!" for count in counts], r" \cdot ")
    powers = joined([rf"{figure(q)}^{{{count}}}" for q, count in zip(p, counts, strict=True)], r" \cdot ")
    numbers = rf"\frac{{{n}!}}{{{below}}} \cdot {powers}"
    label = f"P(X = ({', '.join(map(str, counts))}))"
    return [Step(label, r"\frac{n!}{\prod_v k_v!} \prod_v p_v^{k_v}", numbers, mass)]


def normal_steps(mean: float, variance: float, x: float, density: float, share: float) -> list[Step]:
    """The density at x, and P(X <= x) by the standard normal distribution."""
    formula = r"\frac{1}{\sqrt{2 \pi \sigma^2}} e^{-\frac{(x - \mu)^2}{2 \sigma^2}}"
    deviation = math.sqrt(variance)
    z = (x - mean) / deviation
    numbers = {"x": x, r"\mu": mean, r"\sigma^2": variance, r"\sigma": deviation}
    return [
        Step.of(f"p({figure(x)})", formula, numbers, density),
        Step.of("z", r"\frac{x - \mu}{\sigma}", numbers, z),
        Step.of(f"P(X <= {figure(x)})", r"\Phi(z)", {"z": z}, share),
    ]


def vector_steps(
    mean: np.ndarray, covariance: np.ndarray, x: np.ndarray, density: float
) -> list[Step | Grid]:
    """The density at x, from the squared Mahalanobis distance and the determinant."""
    inverse, away = np.linalg.inv(covariance), x - mean
    products = (away * (inverse @ away)).tolist()
    squares, size = math.fsum(products), float(np.linalg.det(covariance))
    columns = (np.arange(1, len(mean) + 1), x, mean, away, inverse @ away, products)
    rows = np.column_stack(columns).astype(float).tolist()
    formula = r"\frac{1}{\sqrt{(2 \pi)^{d} |\Sigma|}} e^{-\frac{1}{2} D^2}"
    numbers = {"d": len(mean), r"|\Sigma|": size, "D^2": squares}
    return [
        Grid("terms", ("", "x", "μ", "x - μ", "Σ⁻¹ (x - μ)", "product"), rows),
        Step("D²", r"(x - \mu)^\top \Sigma^{-1} (x - \mu)", joined(products), squares),
        Step("|Σ|", result=size, note="the determinant of the covariance"),
        Step.of("p(x)", formula, numbers, density),
    ]


def beta_steps(alpha: float, beta: float, x: float, density: float, share: float) -> list[Step]:
    """The density at x, and P(X <= x)."""
    norm = math.exp(math.lgamma(alpha) + math.lgamma(beta) - math.lgamma(alpha + beta))
    formula = r"\frac{x^{\alpha - 1} (1 - x)^{\beta - 1}}{B(\alpha, \beta)}"
    numbers = {"x": x, r"\alpha": alpha, r"\beta": beta, r"B(\alpha, \beta)": norm}
    return [
        Step("B(α, β)", r"\frac{\Gamma(\alpha) \Gamma(\beta)}{\Gamma(\alpha + \beta)}", result=norm),
        Step.of(f"p({figure(x)})", formula, numbers, density),
        Step(f"P(X <= {figure(x)})", result=share, note="the area up to there"),
    ]
