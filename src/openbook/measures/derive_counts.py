r"""Derivations of the measures of counts: step by step from a contingency table, in plain Python.

It uses nothing that `information` uses, so tests compare the two. `information_gain.work(counts)` derives a
measure of counts that are given; attribute scores derive one of the rows that they counted.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from openbook.words.numbers import figure, fraction, signed
from openbook.words.sentences import joined
from openbook.work import Grid, Step

#: A sum of more terms than these is abbreviated, and so are more cells than these.
TERMS = 24
_CELLS = 60
#: Values beyond this many stand below each other, not side by side; and how many of them, at most.
_ACROSS, _DOWN = 8, 40


class CountTable:
    """A contingency table by hand: counts as Python numbers, with their totals and names.

    counts : classes by values; target, attribute : what these are called
    classes, values : how each is called; values that no row has are left out
    """

    def __init__(
        self,
        counts: npt.NDArray[np.float64],
        classes: Sequence[str],
        values: Sequence[str],
        target: str = "class",
        attribute: str = "attribute",
    ) -> None:
        self.target, self.attribute, self.classes = target, attribute, list(classes)
        keep = [v for v in range(len(values)) if counts[:, v].any()]
        self.values = [values[v] for v in keep]
        self.counts = [[float(row[v]) for v in keep] for row in counts]
        self.by_class = [math.fsum(row) for row in self.counts]
        self.by_value = [math.fsum(column) for column in zip(*self.counts, strict=True)]
        self.n = math.fsum(self.by_class)
        self.places = [(c, v) for c in range(len(self.classes)) for v in range(len(keep))]

    def grid(self) -> Grid:
        """Classes as rows; where values are many, they are the rows, as many of them as can be read."""
        rows: list[list[object]]
        if len(self.values) <= _ACROSS:
            rows = [
                [label, *counts, total]
                for label, counts, total in zip(self.classes, self.counts, self.by_class, strict=True)
            ]
            return Grid("Counts", ["", *self.values, "total"], [*rows, ["total", *self.by_value, self.n]])
        columns = zip(*self.counts, strict=True)
        rows = [
            [value, *counts, total]
            for value, counts, total in zip(self.values, columns, self.by_value, strict=True)
        ][:_DOWN]
        more = f"the first {_DOWN} of {len(self.values)} values" if len(self.values) > _DOWN else ""
        return Grid("Counts", ["", *self.classes, "total"], [*rows, ["total", *self.by_class, self.n]], more)

    def expected(self, c: int, v: int) -> float:
        return self.by_class[c] * self.by_value[v] / self.n

    def pmi(self, c: int, v: int) -> float:
        return math.log2(self.counts[c][v] / self.expected(c, v)) if self.counts[c][v] else math.nan


def derive_measure(measure: str, cells: CountTable) -> list[Step | Grid]:
    """The steps from counts to a measure."""
    if measure == "split_information":
        return [cells.grid(), entropy_step(f"H({cells.attribute})", cells.by_value)]
    if measure in ("pmi", "mutual_information", "strongest_pmi"):
        last = {
            "pmi": [],
            "mutual_information": [_mutual_step(cells)],
            "strongest_pmi": _strongest_steps(cells),
        }
        return [cells.grid(), *_pmi_steps(cells), *last[measure]]
    if measure in ("chi_squared", "correlation"):
        return [
            cells.grid(),
            *_chi_steps(cells),
            *([_cramer_step(cells)] if measure == "correlation" else []),
        ]
    if measure == "conditional_entropy":
        return [cells.grid(), *_conditional_steps(cells)]
    return [cells.grid(), *_gain_steps(cells), *_gain_shares(measure, cells)]


def _pmi_steps(cells: CountTable) -> list[Step]:
    steps, n = [], figure(cells.n)
    for c, v in cells.places:
        label = f"PMI({cells.classes[c]}, {cells.values[v]})"
        count = figure(cells.counts[c][v])
        row, column = figure(cells.by_class[c]), figure(cells.by_value[v])
        numbers = rf"\log_2 \frac{{{count} / {n}}}{{{row} / {n} \cdot {column} / {n}}}"
        if cells.counts[c][v]:
            steps.append(Step(label, r"\log_2 \frac{P(c, v)}{P(c) P(v)}", numbers, cells.pmi(c, v)))
        else:
            steps.append(Step(label, result=None, note="an empty cell adds nothing"))
    return _some(steps)


def _mutual_step(cells: CountTable) -> Step:
    full = [(c, v) for c, v in cells.places if cells.counts[c][v]]
    total = math.fsum(cells.counts[c][v] / cells.n * cells.pmi(c, v) for c, v in full)
    numbers = [
        rf"\frac{{{figure(cells.counts[c][v])}}}{{{figure(cells.n)}}} \cdot {signed(cells.pmi(c, v))}"
        for c, v in full
    ]
    return Step("MI", r"\sum_{c, v} P(c, v) PMI(c, v)", joined(numbers, most=TERMS), max(total, 0.0))


def _strongest_steps(cells: CountTable) -> list[Step]:
    """Each class by the value that speaks most for it, and their mean by the classes' shares."""
    steps, tops = [], []
    for c, label in enumerate(cells.classes):
        if not cells.by_class[c]:
            continue
        known = [cells.pmi(c, v) for v in range(len(cells.values)) if cells.counts[c][v]]
        tops.append((cells.by_class[c] / cells.n, max(known)))
        numbers = rf"\max({', '.join(figure(value) for value in known)})"
        steps.append(Step(f"PMI({label})", r"\max_v PMI(c, v)", numbers, tops[-1][1]))
    weighed = [rf"{figure(share)} \cdot {signed(top)}" for share, top in tops]
    total = math.fsum(share * top for share, top in tops)
    return [*steps, Step("PMI", r"\sum_c P(c) PMI(c)", joined(weighed, most=TERMS), total)]


def _chi_steps(cells: CountTable) -> list[Step]:
    steps = [
        Step.of(
            f"E({cells.classes[c]}, {cells.values[v]})",
            r"\frac{n_c n_v}{n}",
            {"n_c": cells.by_class[c], "n_v": cells.by_value[v], "n": cells.n},
            cells.expected(c, v),
        )
        for c, v in cells.places
        if cells.by_class[c]
    ]
    full = [(cells.counts[c][v], cells.expected(c, v)) for c, v in cells.places if cells.by_class[c]]
    terms = [rf"\frac{{({figure(o)} - {figure(e)})^2}}{{{figure(e)}}}" for o, e in full]
    total = math.fsum((o - e) ** 2 / e for o, e in full)
    rows, columns = sum(map(bool, cells.by_class)), len(cells.values)
    return [
        *_some(steps),
        Step("χ²", r"\sum \frac{(O - E)^2}{E}", joined(terms, most=TERMS), total),
        Step.of(
            "d", "(rows - 1)(columns - 1)", {"rows": rows, "columns": columns}, (rows - 1) * (columns - 1)
        ),
    ]


def _cramer_step(cells: CountTable) -> Step:
    full = ((cells.counts[c][v], cells.expected(c, v)) for c, v in cells.places if cells.by_class[c])
    chi = math.fsum((o - e) ** 2 / e for o, e in full)
    smaller = min(sum(map(bool, cells.by_class)), len(cells.values))
    value = math.sqrt(chi / (cells.n * (smaller - 1))) if smaller > 1 else None
    formula = r"\sqrt{\frac{\chi^2}{n (\min(rows, columns) - 1)}}"
    return Step.of(
        "Cramér's V", formula, {r"\chi^2": chi, "n": cells.n, r"\min(rows, columns)": smaller}, value
    )


def _gain_steps(cells: CountTable) -> list[Step]:
    whole = entropy_step(f"H({cells.target})", cells.by_class)
    *branches, left = _conditional_steps(cells)
    gain = max(_result(whole) - _result(left), 0.0)
    numbers = rf"{figure(whole.result)} - \left({left.numbers}\right)"
    return [whole, *branches, Step("gain", r"H(c) - \sum_v P(v) H(c \mid v)", numbers, gain)]


def _conditional_steps(cells: CountTable) -> list[Step]:
    """The entropy that is left where a value is known, of each value and on average."""
    branches = [
        entropy_step(f"H({cells.target} | {value})", list(column))
        for value, column in zip(cells.values, zip(*cells.counts, strict=True), strict=True)
    ]
    left = math.fsum(
        size / cells.n * _result(branch) for size, branch in zip(cells.by_value, branches, strict=True)
    )
    terms = [
        rf"\frac{{{figure(size)}}}{{{figure(cells.n)}}} \cdot {figure(branch.result)}"
        for size, branch in zip(cells.by_value, branches, strict=True)
    ]
    label = f"H({cells.target} | {cells.attribute})"
    return [*_some(branches), Step(label, r"\sum_v P(v) H(c \mid v)", joined(terms, most=TERMS), left)]


def _gain_shares(measure: str, cells: CountTable) -> list[Step]:
    """What is made of the gain: a share of the attribute's entropy, or of both."""
    if measure == "information_gain":
        return []
    *_, gain = _gain_steps(cells)
    whole, split = entropy_step("", cells.by_class), entropy_step(f"H({cells.attribute})", cells.by_value)
    figures = {"gain": gain.result, "H(c)": whole.result, "H(v)": split.result}
    if measure == "gain_ratio":
        value = _result(gain) / _result(split) if _result(split) else 0.0
        return [split, Step.of("gain ratio", r"\frac{gain}{H(v)}", figures, value)]
    both = _result(whole) + _result(split)
    value = 2 * _result(gain) / both if both else 0.0
    return [split, Step.of("symmetrical uncertainty", r"\frac{2 gain}{H(c) + H(v)}", figures, value)]


def share_terms(counts: Sequence[float]) -> list[str]:
    """The shares of counts as they stand in formulas; shares that are given stay as they are."""
    n = math.fsum(counts)
    return [figure(c) if n == 1 else fraction(c, n) for c in counts if c]


def entropy_step(label: str, counts: Sequence[float]) -> Step:
    """The entropy of a vector of counts, in bits."""
    n = math.fsum(counts)
    shown = [count for count in counts if count]
    terms = [rf"{share} \log_2 {share}" for share in share_terms(counts)]
    value = math.fsum(-c / n * math.log2(c / n) for c in shown)
    return Step(label, r"-\sum p \log_2 p", "-" + joined(terms, " - ", TERMS), 0.0 + value)


def _some(steps: list[Step]) -> list[Step]:
    """As many of the steps for single cells or values as can be read."""
    if len(steps) <= _CELLS:
        return steps
    return [*steps[:_CELLS], Step(f"and {len(steps) - _CELLS:,} more", r"\dots")]


def _result(step: Step) -> float:
    assert isinstance(step.result, float)
    return step.result
