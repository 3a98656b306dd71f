"""Why cells are missing: whether a column's gaps go with the target, or with another column.

Cells that are missing at random can be imputed. If gaps depend on the target, the gap itself predicts it, and
imputation hides this. If they depend on another column, the known cells do not represent all rows.

    values      chi-squared test of missing against value; of two values with few rows, Fisher's exact test
    numbers     Mann-Whitney test of the numbers where the column is missing and where it is known

A value that would have fewer than five missing or known cells by chance joins the other such values. All
tests of a table are corrected together by Holm's method, so that one false alarm in twenty tables is to be
expected at most, however many columns there are. At least 5 cells must be missing, and 5 known.
"""

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from openbook.data.adjustments import holm
from openbook.data.attributes import Categorical, Numeric
from openbook.data.column import Column
from openbook.data.findings.finding import TINY, Finding, step_name
from openbook.data.findings.repeats import sample_rows
from openbook.data.table import Table
from openbook.words.numbers import p_words, short
from openbook.words.sentences import plural

_LEVEL = 0.05
_FEW = 5
_SAMPLE = 20_000
#: Of more pairs of columns, gaps are compared with the target only.
_MOST_PAIRS = 20_000

Masks = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]
#: A column with gaps and another column.
Pair = tuple[str, str]


def gap_findings(table: Table, target: str | None) -> Iterator[Finding]:
    """A finding for each column whose gaps go with the target, or with another column."""
    if len(table) < TINY:
        return
    rows = sample_rows(len(table), _SAMPLE)
    columns = {name: table.column(name).take(rows) for name in table.names}
    gaps = {name: column.missing for name, column in columns.items() if name != target}
    gaps = {name: missing for name, missing in gaps.items() if min(missing.sum(), (~missing).sum()) >= _FEW}
    if not gaps:
        return
    names, masks = list(gaps), np.column_stack(list(gaps.values()))
    others = list(columns) if len(gaps) * len(columns) <= _MOST_PAIRS else [target] if target else []
    p_values: dict[Pair, float] = {}
    for other in others:
        found = _tested(masks, columns[other])
        p_values |= {
            (n, other): p for n, p in zip(names, found, strict=True) if n != other and not np.isnan(p)
        }
    corrected = dict(zip(p_values, holm(list(p_values.values())).tolist(), strict=True))
    for name in names:
        mine = sorted(
            (pair for pair, p in corrected.items() if pair[0] == name and p <= _LEVEL),
            key=lambda pair: (pair[1] != target, p_values[pair]),
        )
        if mine:
            words = _words(gaps[name], columns[mine[0][1]])
            yield _finding(mine, corrected[mine[0]], words, target, len(p_values))


def _finding(pairs: list[Pair], p: float, words: str, target: str | None, tests: int) -> Finding:
    (name, other), of_target = pairs[0], pairs[0][1] == target
    also = f" Its gaps also go with {plural(len(pairs) - 1, 'other column')}." if len(pairs) > 1 else ""
    what = "The gap itself predicts the target" if of_target else "The known rows do not represent all rows"
    message = (
        f"not missing at random: {words} (p {p_words(p)}, corrected for {plural(tests, 'test')}).{also}"
        f' {what}. Find out why, and mark the gaps by the step "indicate {step_name(name)}".'
    )
    return Finding("gaps", (name, other), "warn" if of_target else "note", message)


def _tested(masks: Masks, other: Column) -> Floats:
    """For each column of gaps, the p-value of going with another; NaN if there are too few cells."""
    none = np.full(masks.shape[1], np.nan)
    if not isinstance(other.attribute, Numeric | Categorical):
        return none
    gone, data = masks[other.known].astype(np.float64), other.data[other.known]
    missing = gone.sum(axis=0)
    if not len(data) or data.min() == data.max():
        return none
    p = _by_ranks(gone, data) if isinstance(other.attribute, Numeric) else _by_values(gone, data)
    return np.where(np.minimum(missing, len(data) - missing) >= _FEW, p, np.nan)


def _by_ranks(masks: Floats, x: Floats) -> Floats:
    """Mann-Whitney tests, all in one: normal approximation, with corrections for ties and continuity."""
    from scipy.special import ndtr

    _, which, counts = np.unique(x, return_inverse=True, return_counts=True)
    ranks = (np.cumsum(counts) - (counts - 1) / 2)[which]
    n, one = len(x), masks.sum(axis=0)
    other = n - one
    above = np.abs(ranks @ masks - one * (one + 1) / 2 - one * other / 2)
    ties = float((counts.astype(float) ** 3 - counts).sum()) / (n * (n - 1))
    spread = np.sqrt(np.maximum(one * other / 12 * (n + 1 - ties), np.finfo(float).tiny))
    return np.minimum(1.0, 2 * ndtr(-np.maximum(above - 0.5, 0.0) / spread))


def _by_values(masks: Floats, codes: npt.NDArray[np.integer]) -> Floats:
    """Chi-squared tests of missing against value; Fisher's where two values have few rows."""
    from scipy.special import chdtrc

    _, which, sizes = np.unique(codes, return_inverse=True, return_counts=True)
    p = np.full(masks.shape[1], np.nan)
    for j, missing in enumerate(masks.T):
        counts = np.bincount(which, missing, len(sizes))
        share = float(missing.mean())
        rarely = sizes * min(share, 1 - share) < _FEW
        if len(sizes) == 2 and rarely.any():
            from scipy.stats import fisher_exact

            p[j] = float(fisher_exact(np.column_stack([counts, sizes - counts])).pvalue)
            continue
        groups = np.where(rarely, 0, np.arange(1, len(sizes) + 1))  # those with few rows together
        had, rows = (np.bincount(groups, part) for part in (counts, sizes))
        had, rows = had[rows > 0], rows[rows > 0]
        if len(rows) > 1 and 0 < share < 1:
            squares = float(((had - rows * share) ** 2 / (rows * share * (1 - share))).sum())
            p[j] = float(chdtrc(len(rows) - 1, squares))
    return p


def _words(missing: Masks, other: Column) -> str:
    """How the gaps go with another column."""
    attribute, data = other.attribute, other.data
    if not isinstance(attribute, Categorical):
        halves = data / 2  # the mean of two numbers may be too large
        known = np.isfinite(data)
        parts = halves[known & missing], halves[known & ~missing]
        what, (where, elsewhere) = "median", [short(2 * float(np.median(part))) for part in parts]
        if where == elsewhere:  # as of numbers that are 0 and 1
            what, (where, elsewhere) = "mean", [short(2 * float((part / len(part)).sum())) for part in parts]
        return f"the {what} of {other.name!r} is {where} where it is missing, and {elsewhere} elsewhere"
    known = data >= 0
    counts = np.bincount(data[known], missing[known], len(attribute.values))
    sizes = np.bincount(data[known], minlength=len(attribute.values))
    share = counts.sum() / sizes.sum()
    strength = np.abs(counts - sizes * share) / np.sqrt(np.maximum(sizes, 1))
    top = int(strength.argmax())
    rest = (counts.sum() - counts[top]) / max(sizes.sum() - sizes[top], 1)
    share_there = f"{counts[top] / sizes[top]:.0%} of the rows with {other.name!r} {attribute.values[top]!r}"
    return f"missing in {share_there}, and in {rest:.0%} of the others"
