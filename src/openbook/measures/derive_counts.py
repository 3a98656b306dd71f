r"""Derivations of the measures of counts: step by step from a contingency table, in plain Python.

It shares no code with `information`, so tests compare the two. `information_gain.work(counts)` derives a
measure from given counts; attribute scores derive one from the rows that they counted.
"""

import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from openbook.words.numbers import figure, fraction, signed
from openbook.words.sentences import joined
from openbook.work import Grid, Step

#: The most terms of a sum, and the most cells, that are written out.
TERMS, _CELLS = 24, 60
#: The most values that are columns of the table; the most that are rows, if there are more.
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
        across, down, note = (self.values, self.by_value), (self.classes, self.by_class), ""
        counts = self.counts
        if len(self.values) > _ACROSS:
            across, down, counts = down, across, [list(column) for column in zip(*counts, strict=True)]
            if len(self.values) > _DOWN:
                note = f"the first {_DOWN} of {len(self.values)} values"
        cells = zip(down[0], counts, down[1], strict=True)
        rows: list[list[object]] = [[name, *line, total] for name, line, total in cells][:_DOWN]
        total_row: list[object] = ["total", *across[1], self.n]
        return Grid("Counts", ["", *across[0], "total"], [*rows, total_row], note)

    def expected(self, c: int, v: int) -> float:
        return self.by_class[c] * self.by_value[v] / self.n

    def pmi(self, c: int, v: int) -> float:
        return math.log2(self.counts[c][v] / self.expected(c, v)) if self.counts[c][v] else math.nan


def derive_measure(measure: str, cells: CountTable) -> list[Step | Grid]:
    """The steps from counts to a measure."""
    if measure == "split_information":
        return [cells.grid(), _split_step(cells)]
    steps = {
        "pmi": (_pmi_steps,),
        "mutual_information": (_pmi_steps, _mutual_steps),
        "strongest_pmi": (_pmi_steps, _strongest_steps),
        "chi_squared": (_chi_steps,),
        "correlation": (_chi_steps, _cramer_steps),
        "conditional_entropy": (_conditional_steps,),
        "information_gain": (_gain_steps,),
        "gain_ratio": (_gain_steps, _gain_ratio_steps),
        "symmetrical_uncertainty": (_gain_steps, _symmetrical_steps),
    }
    return [cells.grid(), *(step for derive in steps[measure] for step in derive(cells))]


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


def _mutual_steps(cells: CountTable) -> list[Step]:
    full = [(c, v) for c, v in cells.places if cells.counts[c][v]]
    total = math.fsum(cells.counts[c][v] / cells.n * cells.pmi(c, v) for c, v in full)
    terms = [rf"{fraction(cells.counts[c][v], cells.n)} \cdot {signed(cells.pmi(c, v))}" for c, v in full]
    return [Step("MI", r"\sum_{c, v} P(c, v) PMI(c, v)", joined(terms, most=TERMS), max(total, 0.0))]


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
    steps, terms = [], []
    for c, v in cells.places:
        if cells.by_class[c]:
            label, e = f"E({cells.classes[c]}, {cells.values[v]})", cells.expected(c, v)
            totals = {"n_c": cells.by_class[c], "n_v": cells.by_value[v], "n": cells.n}
            steps.append(Step.of(label, r"\frac{n_c n_v}{n}", totals, e))
            terms.append(fraction(f"({figure(cells.counts[c][v])} - {figure(e)})^2", e))
    rows, columns = sum(map(bool, cells.by_class)), len(cells.values)
    sizes = {"rows": rows, "columns": columns}
    return [
        *_some(steps),
        Step("χ²", r"\sum \frac{(O - E)^2}{E}", joined(terms, most=TERMS), _chi_squared(cells)),
        Step.of("d", "(rows - 1)(columns - 1)", sizes, (rows - 1) * (columns - 1)),
    ]


def _chi_squared(cells: CountTable) -> float:
    full = ((cells.counts[c][v], cells.expected(c, v)) for c, v in cells.places if cells.by_class[c])
    return math.fsum((o - e) ** 2 / e for o, e in full)


def _cramer_steps(cells: CountTable) -> list[Step]:
    chi, smaller = _chi_squared(cells), min(sum(map(bool, cells.by_class)), len(cells.values))
    value = math.sqrt(chi / (cells.n * (smaller - 1))) if smaller > 1 else None
    formula = r"\sqrt{\frac{\chi^2}{n (\min(rows, columns) - 1)}}"
    numbers = {r"\chi^2": chi, "n": cells.n, r"\min(rows, columns)": smaller}
    return [Step.of("Cramér's V", formula, numbers, value)]


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
    pairs = [(size, _result(branch)) for size, branch in zip(cells.by_value, branches, strict=True)]
    left = math.fsum(size / cells.n * entropy for size, entropy in pairs)
    terms = [rf"{fraction(size, cells.n)} \cdot {figure(entropy)}" for size, entropy in pairs]
    label = f"H({cells.target} | {cells.attribute})"
    return [*_some(branches), Step(label, r"\sum_v P(v) H(c \mid v)", joined(terms, most=TERMS), left)]


def _gain_ratio_steps(cells: CountTable) -> list[Step]:
    gain, split = _result(_gain_steps(cells)[-1]), _split_step(cells)
    numbers, value = {"gain": gain, "H(v)": split.result}, gain / (_result(split) or math.inf)
    return [split, Step.of("gain ratio", r"\frac{gain}{H(v)}", numbers, value)]


def _symmetrical_steps(cells: CountTable) -> list[Step]:
    gain, split, whole = _result(_gain_steps(cells)[-1]), _split_step(cells), entropy_step("", cells.by_class)
    numbers = {"gain": gain, "H(c)": whole.result, "H(v)": split.result}
    value = 2 * gain / (_result(whole) + _result(split) or math.inf)
    return [split, Step.of("symmetrical uncertainty", r"\frac{2 gain}{H(c) + H(v)}", numbers, value)]


def _split_step(cells: CountTable) -> Step:
    return entropy_step(f"H({cells.attribute})", cells.by_value)


def share_terms(counts: Sequence[float]) -> list[str]:
    """The shares of counts as LaTeX; given shares stay as they are."""
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
