"""Why cells are missing: whether a column's gaps go with the target, or with another column.

Cells that are missing at random can be filled by any honest figure. Where gaps go with the target, the gap
itself predicts, and a filled cell hides it; where they go with another column, a mean is that of other rows.

    values      chi-squared test of missing against value; of two values with few rows, Fisher's exact test
    numbers     Mann-Whitney test of the numbers where the column is missing and where it is known

A value that would have fewer than five missing or known cells by chance joins the other such values. All
tests of a table are corrected together by Holm's method, so that one false alarm in twenty tables is to be
expected at most, however many columns there are. At least 5 cells must be missing, and 5 known.
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import Categorical, Numeric
from openbook.data.findings.finding import TINY, Finding, step_name
from openbook.data.findings.repeats import sample_rows
from openbook.data.table import Column, Table
from openbook.words.numbers import p_words, short
from openbook.words.sentences import plural

__all__ = ["corrected_together", "gap_findings"]

_LEVEL = 0.05
_FEW = 5
_SAMPLE = 20_000
#: Of more pairs of columns, gaps are compared with the target only.
_MOST_PAIRS = 2_000


class _Test(NamedTuple):
    """A column with gaps beside another column."""

    gaps: str
    other: str
    p: float
    words: str


def gap_findings(table: Table, target: str | None) -> Iterator[Finding]:
    """A finding for each column whose gaps go with the target, or with another column."""
    if len(table) < TINY:
        return
    rows = sample_rows(len(table), _SAMPLE)
    columns = {name: table.column(name).take(rows) for name in table.names}
    gaps = {name: column.missing for name, column in columns.items() if name != target}
    gaps = {name: missing for name, missing in gaps.items() if min(missing.sum(), (~missing).sum()) >= _FEW}
    others = list(columns) if len(gaps) * len(columns) <= _MOST_PAIRS else [target] if target else []
    tests = [
        found
        for name, missing in gaps.items()
        for other in others
        if other != name and other is not None and (found := _tested(name, missing, columns[other]))
    ]
    pairs = [(t.gaps, t.other) for t in tests]
    corrected = dict(zip(pairs, corrected_together([t.p for t in tests]), strict=True))
    for name in gaps:
        mine = [t for t in tests if t.gaps == name and corrected[t.gaps, t.other] <= _LEVEL]
        yield from _finding(name, mine, corrected, target, len(tests))


def _finding(
    name: str, found: list[_Test], corrected: dict[tuple[str, str], float], target: str | None, tests: int
) -> Iterator[Finding]:
    told = [test for test in found if test.other == target]
    first = told or sorted(found, key=lambda test: test.p)[:1]
    if not first:
        return
    test = first[0]
    p = p_words(corrected[test.gaps, test.other])
    more = [other.other for other in found if other is not test]
    also = f" Its gaps also go with {plural(len(more), 'other column')}." if more else ""
    what = "The gap itself predicts" if told else "A figure of the known rows is one of other rows"
    message = (
        f"not missing at random: {test.words} (p {p}, corrected for {plural(tests, 'test')}).{also} {what}:"
        f' find out why, and keep it by the step "indicate {step_name(name)}".'
    )
    yield Finding("gaps", (name, test.other), "warn" if told else "note", message)


def _tested(name: str, missing: npt.NDArray[np.bool_], other: Column) -> _Test | None:
    """How the gaps of a column go with another, and the p-value; None where there is too little to tell."""
    known = other.data >= 0 if isinstance(other.attribute, Categorical) else ~other.missing
    here = missing[known]
    if min(here.sum(), (~here).sum()) < _FEW:
        return None
    if isinstance(other.attribute, Numeric):
        return _with_numbers(name, here, other.name, other.data[known])
    if isinstance(other.attribute, Categorical):
        return _with_values(name, here, other.take(np.flatnonzero(known)))
    return None


def _with_numbers(
    name: str, missing: npt.NDArray[np.bool_], other: str, x: npt.NDArray[np.float64]
) -> _Test | None:
    from scipy.stats import mannwhitneyu

    if x.min() == x.max():
        return None
    p = float(mannwhitneyu(x[missing], x[~missing], method="asymptotic").pvalue)
    halves = x / 2  # the mean of two numbers may be too large
    where, elsewhere = (short(2 * float(np.median(part))) for part in (halves[missing], halves[~missing]))
    return _Test(
        name, other, p, f"the median of {other!r} is {where} where it is missing, and {elsewhere} elsewhere"
    )


def _with_values(name: str, missing: npt.NDArray[np.bool_], other: Column) -> _Test | None:
    from scipy.stats import chi2_contingency, fisher_exact

    attribute = other.attribute
    assert isinstance(attribute, Categorical)
    counts = np.bincount(
        2 * other.data.astype(np.intp) + missing, minlength=2 * len(attribute.values)
    ).reshape(-1, 2)
    counts = counts[counts.sum(axis=1) > 0]
    values = np.flatnonzero(np.bincount(other.data.astype(np.intp), minlength=len(attribute.values)))
    if len(counts) < 2:
        return None
    shares = counts[:, 1] / counts.sum(axis=1)
    rarely = counts.sum(axis=1) * min(missing.mean(), 1 - missing.mean()) < _FEW
    if len(counts) == 2 and rarely.any():
        p = float(fisher_exact(counts).pvalue)
    else:
        pooled = np.vstack([counts[~rarely], counts[rarely].sum(axis=0)[None, :]]) if rarely.any() else counts
        pooled = pooled[pooled.sum(axis=1) > 0]
        if len(pooled) < 2:
            return None
        p = float(chi2_contingency(pooled, correction=False).pvalue)
    fair = np.flatnonzero(~rarely) if (~rarely).any() else np.arange(len(counts))
    top = fair[np.argmax(np.abs(shares[fair] - missing.mean()))]
    rest = (counts[:, 1].sum() - counts[top, 1]) / (counts.sum() - counts[top].sum())
    value = attribute.values[values[top]]
    told = f"{shares[top]:.0%} of the rows with {other.name!r} {value!r}"
    words = f"it is in {told}, and in {rest:.0%} of the others"
    return _Test(name, other.name, p, words)


def corrected_together(p_values: list[float]) -> list[float]:
    """The p-values, corrected for being so many by Holm's method; `judge` stands above this layer.

    >>> corrected_together([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    order = sorted(range(len(p_values)), key=p_values.__getitem__)
    corrected, largest = [0.0] * len(p_values), 0.0
    for place, i in enumerate(order):
        largest = max(largest, min(1.0, (len(order) - place) * p_values[i]))
        corrected[i] = largest
    return corrected
