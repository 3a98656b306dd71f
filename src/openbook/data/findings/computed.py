r"""A numeric target that is computed from several other columns, as a sum or as a product.

    sum        y = b_0 + Σ b_j x_j                 spending = rent + food + travel
    product    y = e^b_0 Π x_j^b_j                 bmi = weight × height^-2, where all numbers are positive

Both are least squares, of the numbers or of their logarithms. The target counts as computed where they leave
at most a hundredth of its standard deviation (R² >= 0.9999), which rounding may do. Columns that are not
needed for this are left out, those of the least weight first. A single column is a case for `leaks`.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Numeric
from openbook.data.findings.finding import TINY, Finding
from openbook.data.findings.repeats import sample_rows
from openbook.data.table import Table
from openbook.words.numbers import short

_R2 = 0.9999
#: Rows for each coefficient, so that no chance fit counts; more columns than these are not tried.
_ROWS, _MOST = 5, 100
_SAMPLE = 20_000
#: A target of so few numbers is one of classes.
_FEW = 10
#: A column with a larger share of missing cells is left out.
_GAPS = 0.1
#: The square of a larger number may be infinite.
_HUGE = 1e150

Array = npt.NDArray[Any]


def computed_findings(table: Table, target: str) -> Iterator[Finding]:
    """At most one finding: of which columns the target is a sum or a product."""
    if len(table) < TINY or not isinstance(table.schema[target], Numeric):
        return
    names = [a.name for a in table.schema if isinstance(a, Numeric) and a.name != target]
    names = [name for name in names if (~np.isfinite(table.data(name))).mean() <= _GAPS]
    if not 2 <= len(names) <= _MOST:
        return
    block = np.column_stack([table.data(name) for name in (*names, target)]).astype(np.float64)
    block = block[(np.abs(block) < _HUGE).all(axis=1)]
    block = block[sample_rows(len(block), _SAMPLE)]
    if len(block) < max(TINY, _ROWS * len(names)) or len(np.unique(block[:, -1])) <= _FEW:
        return
    ways: list[tuple[Array, Callable[[float, Sequence[tuple[str, float]]], str]]] = [(block, _sum)]
    if (block[:, -1] > 0).all():
        positive = np.where((block > 0).all(axis=0), block, 1.0)  # a constant, which no formula needs
        ways.append((np.log(positive), _product))
    for numbers, in_words in ways:
        constant, factors = _formula(numbers)
        if len(factors) > 1:
            formula = in_words(constant, [(names[j], factor) for j, factor in factors.items()])
            message = (
                f"{target!r} = {formula} in {len(block):,} rows: it is computed from them. If one of them is"
                " not known when you predict, leave it out: together they give the target away. If all are"
                " known, compute it; no model is needed."
            )
            yield Finding("computed", tuple(names[j] for j in factors), "warn", message)
            return


def _formula(block: Array) -> tuple[float, dict[int, float]]:
    """Least squares of the last column on the fewest of the others that determine it: b_0, and b_j by j."""
    mean, spread = block.mean(axis=0), block.std(axis=0)
    unit = np.where(spread > 0, spread, 1.0)
    standard = (block - mean) / unit
    gram = standard.T @ standard / len(block)

    def fit(kept: list[int]) -> tuple[Array, float]:
        weights = np.linalg.lstsq(gram[np.ix_(kept, kept)], gram[kept, -1], rcond=None)[0]
        return weights, float(weights @ gram[kept, -1])

    kept = np.flatnonzero(spread[:-1] > 0).tolist()
    if not kept or fit(kept)[1] < _R2:
        return 0.0, {}
    for j in np.array(kept)[np.argsort(np.abs(fit(kept)[0]))].tolist():
        fewer = [k for k in kept if k != j]
        if fewer and fit(fewer)[1] >= _R2:
            kept = fewer
    factors = fit(kept)[0] * unit[-1] / unit[kept]
    return float(mean[-1] - factors @ mean[kept]), dict(zip(kept, factors.tolist(), strict=True))


def _sum(constant: float, terms: Sequence[tuple[str, float]]) -> str:
    """A sum in words, what is added first; a constant of less than 0.0005 is rounding.

    >>> _sum(7.0, [("discount", -2.5), ("rent", 1.0), ("food", 1.0)])
    'rent + food + 7 - 2.5 × discount'
    """
    parts = [
        (factor, name if (size := _rounded(factor)) == "1" else f"{size} × {name}") for name, factor in terms
    ]
    parts += [(constant, _rounded(constant))] if abs(constant) >= 0.0005 else []
    added, taken = ([words for factor, words in parts if (factor > 0) is sign] for sign in (True, False))
    return " - ".join([" + ".join(added), *taken]).strip()


def _product(constant: float, terms: Sequence[tuple[str, float]]) -> str:
    """A product of powers in words, what multiplies first.

    >>> _product(math.log(10_000), [("height", -2.0), ("weight", 1.0)])
    '10,000 × weight / height^2'
    """
    parts = [(power, name if (size := _rounded(power)) == "1" else f"{name}^{size}") for name, power in terms]
    over, under = ([words for power, words in parts if (power > 0) is sign] for sign in (True, False))
    factor = _rounded(math.exp(constant))
    over = over if factor == "1" and over else [factor, *over]
    return " / ".join([" × ".join(over), *under])


def _rounded(size: float) -> str:
    """Its absolute value in three digits, or in two where those are as good: rounded cells blur it.

    >>> [_rounded(size) for size in (0.9991, 273.15, -2.5)]
    ['1', '273', '2.5']
    """
    two, three = (float(f"{abs(size):.{digits}g}") for digits in (2, 3))
    return short(two if abs(abs(size) - two) <= 0.002 * abs(size) else three)
