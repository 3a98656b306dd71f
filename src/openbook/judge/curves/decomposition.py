r"""Decomposition of an error into bias, variance and noise, which add up to it.

Y is the random target of a row, Ŷ the random prediction of models with different training rows; both are
distributions, independent of each other given the row. For each row x, and in the mean over the rows:

    squared loss             E (Y - Ŷ)²  =  (E Y - E Ŷ)²  +  Var Ŷ  +  Var Y
                             error           bias²           variance   noise

    0/1, Kohavi–Wolpert      P(Y ≠ Ŷ)  =  ½ Σ (p_c - q_c)²  +  ½ (1 - Σ q_c²)  +  ½ (1 - Σ p_c²)

    0/1, Domingos            P(Y ≠ Ŷ)  =  [b ≠ m]  +  c₂ (1 - q_m)  +  c₁ (1 - p_b)
                             c₁ = q_b - Σ_{c ≠ b} p_c q_c / (1 - p_b)
                             c₂ = 1 where m = b, else -q_b / (1 - q_m)

    p, q : float64 (n_rows, n_classes), the probabilities of Y and Ŷ
    b    : the best prediction, the first of the most probable classes of Y
    m    : the main prediction, the first of the most frequent of Ŷ

For two classes c₁ = 2 q_b - 1 and c₂ = ±1: where the main prediction is wrong, variance *helps*, since it
makes some models right. Domingos' variance here is the net one, of unbiased rows less that of biased ones.

Domingos (2000), A unified bias-variance decomposition. Kohavi and Wolpert (1996), Bias plus variance
decomposition for zero-one loss functions.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from openbook.draw import Picture
from openbook.draw.charts import named_bars
from openbook.errors import ParameterError
from openbook.judge.chance.intervals import Interval, bootstrap
from openbook.words.numbers import figure, shown, signed
from openbook.words.parameters import documented
from openbook.work import Grid, ShowsWork, Step, Work

Loss = Literal["squared", "zero_one"]
Method = Literal["domingos", "kohavi_wolpert"]


class Parts(NamedTuple):
    """An error and its bias, variance and noise: each float64 (n_rows,), or a number for one row."""

    error: Any
    bias: Any
    variance: Any
    noise: Any


def squared_parts(
    y_mean: np.ndarray, y_variance: np.ndarray, mean: np.ndarray, variance: np.ndarray
) -> Parts:
    """The parts of the squared loss, from mean and variance of the target and of the predictions."""
    bias = (y_mean - mean) ** 2
    return Parts(bias + variance + y_variance, bias, variance, y_variance)


def kohavi_wolpert(p: np.ndarray, q: np.ndarray) -> Parts:
    """Kohavi's and Wolpert's parts of the 0/1 loss, from the probabilities of truth and prediction."""
    bias = ((p - q) ** 2).sum(axis=1) / 2
    variance, noise = ((1 - (each**2).sum(axis=1)) / 2 for each in (q, p))
    return Parts(1 - (p * q).sum(axis=1), bias, variance, noise)


def domingos(p: np.ndarray, q: np.ndarray) -> Parts:
    """Domingos' parts of the 0/1 loss: bias, the net variance, and the noise as far as it counts."""
    rows = np.arange(len(p))
    best, main = p.argmax(axis=1), q.argmax(axis=1)
    biased = (best != main).astype(float)
    hit = q[rows, best]
    net = np.where(best == main, 1 - q[rows, main], -hit)
    noise = hit * (1 - p[rows, best]) - ((p * q).sum(axis=1) - p[rows, best] * hit)
    return Parts(1 - (p * q).sum(axis=1), biased, net, noise)


@documented
@dataclass(frozen=True, repr=False, eq=False)
class BiasVariance(ShowsWork):
    """The bias, variance and noise of a learner's error.

    Attributes
    ----------
    label : str
        The learner's name.
    loss : Loss
        The loss: squared for numbers, 0/1 for classes.
    method : Method
        The decomposition of the 0/1 loss, by its authors; of the squared loss there is only one.
    truth : ndarray
        For each row, the probability of each class, or the mean and variance, of the target.
    said : ndarray
        For each row, the probability of each class, or the mean and variance, of the prediction.
    classes : ndarray or None
        The labels; None for the squared loss.
    told_apart : bool
        Whether the noise is known; otherwise the bias contains it.
    words : str
        How rows were drawn.
    rows : ndarray
        The positions of the rows judged.

    Notes
    -----
    Guide: docs/guide/diagnosis.md

    Examples
    --------
    >>> from openbook.baseline import ZeroR
    >>> from openbook.judge import bias_variance
    >>> from openbook import load
    >>> found = bias_variance(ZeroR(), *load("weather").split("play"), repeats=10)
    >>> round(found.error, 2), found.method
    (0.41, 'domingos')
    """

    label: str
    loss: Loss
    method: Method
    truth: np.ndarray
    said: np.ndarray
    classes: np.ndarray | None
    told_apart: bool
    words: str
    rows: np.ndarray

    @property
    def parts(self) -> Parts:
        """The parts of every row."""
        if self.loss == "squared":
            return squared_parts(*self.truth.T, *self.said.T)
        return (domingos if self.method == "domingos" else kohavi_wolpert)(self.truth, self.said)

    @property
    def error(self) -> float:
        """The expected loss; bias, variance and noise add up to it."""
        return float(self.parts.error.mean())

    @property
    def bias(self) -> float:
        """Of the squared loss and Kohavi's and Wolpert's, bias²; with data, the noise is in it."""
        return float(self.parts.bias.mean())

    @property
    def variance(self) -> float:
        """Of Domingos' parts, the net variance."""
        return float(self.parts.variance.mean())

    @property
    def noise(self) -> float:
        """The error that no learner could avoid; NaN with data, where it cannot be told from bias."""
        return float(self.parts.noise.mean()) if self.told_apart else math.nan

    @property
    def unbiased_variance(self) -> float:
        """The part of Domingos' net variance from rows with a right main prediction: it adds to the error."""
        return float(self.parts.variance.clip(min=0).mean())

    @property
    def biased_variance(self) -> float:
        """The part of Domingos' net variance from rows with a wrong main prediction: it reduces the error."""
        return float(-self.parts.variance.clip(max=0).mean())

    def interval(self, part: Literal["error", "bias", "variance", "noise"], level: float = 0.95) -> Interval:
        """The bootstrap interval of a part over the rows judged; the training sets are as they were drawn.

        Parameters
        ----------
        part : {"error", "bias", "variance", "noise"}
            Which part of the error.
        level : float, default=0.95

        Returns
        -------
        Interval
        """
        values = getattr(self.parts, part)
        return bootstrap(lambda rows: float(values[rows].mean()), len(values), level)

    def draw(self) -> Picture:
        """The parts of the error as bars."""
        parts = {"error": self.error, "bias": self.bias, "variance": self.variance, "noise": self.noise}
        known = {name: value for name, value in parts.items() if value is not None and np.isfinite(value)}
        title, values = f"Bias and variance of {self.label}", np.array(list(known.values()))
        return named_bars(title, f"{self.loss} loss", list(known), values, (f"{self.words}.",))

    def work(self, row: int | None = None) -> Work:
        """The parts of the error or, for a row, how they came about.

        Parameters
        ----------
        row : int or None, default=None
            The position of a row.

        Returns
        -------
        Work
        """
        return self._work() if row is None else self._work_row(row)

    def _work(self) -> Work:
        names, rows = self._names(), []
        for (part, name), value in zip(names.items(), self._means(), strict=True):
            share = f"{100 * value / self.error:.0f}%" if self.error else ""
            rows.append((name, shown(value), self.interval(part).ends, share))  # type: ignore[arg-type]
        interval = self.interval("error")
        note = f"{self.words}; intervals over the rows judged: {100 * interval.level:g}%, {interval.method}."
        parts: list[Step | Grid] = [Grid("", ("part", "value", "interval", "of the error"), rows, note)]
        if self.method == "domingos" and self.loss == "zero_one":
            numbers = f"{figure(self.unbiased_variance)} - {figure(self.biased_variance)}"
            formula = r"V_{\text{unbiased}} - V_{\text{biased}}"
            parts.append(Step("net variance", formula, numbers, self.variance))
        terms = [figure(value) for value in self._means()[1:]]
        formula = " + ".join(rf"\text{{{name}}}" for name in list(names.values())[1:])
        numbers = " + ".join(f"({t})" if t[0] == "-" else t for t in terms)
        parts.append(Step("error", formula, numbers, self.error))
        end = "With one target per row, noise cannot be separated from bias: the bias contains both."
        return Work(f"Bias and variance of {self.label}", tuple(parts), "" if self.told_apart else end)

    def _names(self) -> dict[str, str]:
        """The names of the parts."""
        plain = self.loss == "zero_one" and self.method == "domingos"
        bias = ("bias" if plain else "bias²") + ("" if self.told_apart else " and noise")
        names = {"error": "error", "bias": bias, "variance": "net variance" if plain else "variance"}
        return {**names, "noise": "noise"} if self.told_apart else names

    def _means(self) -> list[float]:
        every = [self.error, self.bias, self.variance, float(self.parts.noise.mean())]
        return every if self.told_apart else every[:3]

    def _work_row(self, row: int) -> Work:
        found = np.flatnonzero(self.rows == row)
        if not len(found):
            raise ParameterError(f"row {row} was not judged; {self.words}")
        at = int(found[0])
        values = Parts(*(float(part[at]) for part in self.parts))
        if self.classes is None:
            steps: list[Step | Grid] = list(_squared_steps(self.truth[at], self.said[at], values))
        else:
            derive = _domingos_steps if self.method == "domingos" else _kohavi_wolpert_steps
            labels = [str(label) for label in self.classes]
            p, q = self.truth[at].tolist(), self.said[at].tolist()
            header = ("class", "p, of the target", "q, of the prediction")
            steps = [Grid("", header, list(zip(labels, p, q, strict=True))), *derive(labels, p, q, values)]
        numbers = " + ".join(map(signed, values[1:]))
        steps.append(Step("error", r"\text{bias} + \text{variance} + \text{noise}", numbers, values.error))
        return Work(f"Bias and variance of {self.label}: row {row}", tuple(steps))


def _squared_steps(truth: np.ndarray, predicted: np.ndarray, values: Parts) -> Iterator[Step]:
    y, prediction = float(truth[0]), float(predicted[0])
    yield Step("mean target", result=y)
    yield Step("mean prediction", result=prediction)
    numbers = rf"({figure(y)} - {figure(prediction)})^2"
    yield Step("bias²", r"(\bar{y} - \bar{h})^2", numbers, values.bias)
    yield Step("variance", r"\text{mean of } (h - \bar{h})^2", result=values.variance)
    yield Step("noise", r"\text{mean of } (y - \bar{y})^2", result=values.noise)


def _kohavi_wolpert_steps(_: list[str], p: list[float], q: list[float], values: Parts) -> Iterator[Step]:
    apart = " + ".join(rf"({figure(a)} - {figure(b)})^2" for a, b in zip(p, q, strict=True))
    yield Step("bias²", r"\frac{1}{2} \sum_c (p_c - q_c)^2", rf"\frac{{1}}{{2}} ({apart})", values.bias)
    others = ("variance", "q", q, values.variance), ("noise", "p", p, values.noise)
    for name, letter, shares, value in others:
        squares = " - ".join(rf"{figure(share)}^2" for share in shares)
        formula = rf"\frac{{1}}{{2}} (1 - \sum_c {letter}_c^2)"
        yield Step(name, formula, rf"\frac{{1}}{{2}} (1 - {squares})", value)


def _domingos_steps(labels: list[str], p: list[float], q: list[float], values: Parts) -> Iterator[Step]:
    best, main = int(np.argmax(p)), int(np.argmax(q))
    yield Step("b, the best prediction", result=labels[best], note="the largest p")
    yield Step("m, the main prediction", result=labels[main], note="the largest q")
    yield Step("bias", result=values.bias, note="1 where they differ")
    if best == main:
        yield Step("variance", r"1 - q_m", f"1 - {figure(q[main])}", values.variance)
    else:
        note = "the main prediction is wrong, so models that deviate and are right reduce the error"
        yield Step("variance", "-q_b", f"-{figure(q[best])}", values.variance, note)
    others = sum(a * b for c, (a, b) in enumerate(zip(p, q, strict=True)) if c != best)
    numbers = f"{figure(q[best])} (1 - {figure(p[best])}) - {figure(others)}"
    yield Step("noise", r"q_b (1 - p_b) - \sum_{c \ne b} p_c q_c", numbers, values.noise)
