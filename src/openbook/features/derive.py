r"""The readable twin of the measures: a score derived step by step from its counts or moments.

It starts from the counts and uses plain arithmetic, nothing that the measures use, so tests compare the two.
"""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from openbook.features.evidence import AttributeCounts, ClassGroups, NumberPairs
from openbook.prepare.discretise import derive_bins
from openbook.words.numbers import figure, signed
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

if TYPE_CHECKING:
    from openbook.features.scores import AttributeScore

__all__ = ["derive_score"]

Part = Step | Grid | Work

#: A sum of more terms than these is abbreviated, and so are more cells than these.
_TERMS = 24
_CELLS = 60
#: Values beyond this many stand below each other, not side by side; and how many of them, at most.
_ACROSS, _DOWN = 8, 40


def derive_score(score: "AttributeScore") -> Work:
    """How an attribute's score came about."""
    title = f"{score.measure.words} of {score.attribute}"
    evidence = score.evidence
    if evidence is None:
        return Work(_capital(title), (), f"Undefined: {score.why}.")
    if isinstance(evidence, AttributeCounts):
        parts = _derive_counts(score.measure.name, _Cells(evidence))
    elif isinstance(evidence, ClassGroups):
        parts = _derive_groups(score.measure.name, evidence)
    else:
        parts = _derive_pairs(score.measure.name, evidence)
    return Work(_capital(title), (*parts, *_tested(score)), _end(score))


def _capital(title: str) -> str:
    return title[:1].upper() + title[1:]


def _end(score: "AttributeScore") -> str:
    told = f"{_capital(score.measure.words)} {figure(score.score)}"
    if math.isnan(score.score):
        return f"Undefined: {score.why}."
    return f"{told}. {_capital(score.test.warning)}." if score.test.warning else f"{told}."


def _tested(score: "AttributeScore") -> list[Step]:
    test = score.test
    if math.isnan(test.p_value):
        return []
    dof = ", ".join(map(str, test.dof))
    if test.name == "F":
        label, formula, sign = f"p of {test.name}", r"P(F_{d_1, d_2} \ge F)", "F"
        numbers = rf"P(F_{{{dof}}} \ge {figure(test.statistic)})"
    else:
        label, formula, sign = f"p of {test.name}", r"P(\chi^2_d \ge x)", "G"
        numbers = rf"P(\chi^2_{{{dof}}} \ge {figure(test.statistic)})"
    steps = [Step(label, formula, numbers, test.p_value)]
    if test.name == "G":
        n = figure(score.evidence.n) if score.evidence is not None else ""
        bits = figure(test.statistic / (2 * math.log(2) * score.evidence.n)) if score.evidence else ""
        steps.insert(0, Step(sign, r"2 n \ln 2 \cdot MI", rf"2 \cdot {n} \ln 2 \cdot {bits}", test.statistic))
    return steps


class _Cells:
    """A contingency table by hand: counts as Python numbers, with their totals and names."""

    def __init__(self, evidence: AttributeCounts) -> None:
        self.attribute, self.target, self.splits = evidence.attribute, evidence.target, evidence.splits
        self.classes = [f"{evidence.target} = {label}" for label in evidence.classes]
        keep = [v for v in range(len(evidence.values)) if evidence.counts[:, v].any()]
        self.values = [_equal(evidence.attribute, evidence.values[v]) for v in keep]
        self.counts = [[float(row[v]) for v in keep] for row in evidence.counts]
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


def _equal(attribute: str, value: str) -> str:
    return (
        f"{attribute} {value}"
        if value[:1] in "<>"
        else f"{attribute} in {value}"
        if value[:1] == "("
        else f"{attribute} = {value}"
    )


def _derive_counts(measure: str, cells: _Cells) -> list[Part]:
    parts: list[Part] = [derive_bins(cells.attribute, cells.splits)] if cells.splits else []
    parts.append(cells.grid())
    if measure in ("pmi", "mutual_information"):
        parts += _pmi_steps(cells)
        return [*parts, *(_strongest_steps(cells) if measure == "pmi" else [_mutual_step(cells)])]
    if measure in ("chi_squared", "correlation"):
        return [*parts, *_chi_steps(cells), *([_cramer_step(cells)] if measure == "correlation" else [])]
    return [*parts, *_gain_steps(cells), *_gain_shares(measure, cells)]


def _pmi_steps(cells: _Cells) -> list[Step]:
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


def _mutual_step(cells: _Cells) -> Step:
    full = [(c, v) for c, v in cells.places if cells.counts[c][v]]
    total = math.fsum(cells.counts[c][v] / cells.n * cells.pmi(c, v) for c, v in full)
    numbers = [
        rf"\frac{{{figure(cells.counts[c][v])}}}{{{figure(cells.n)}}} \cdot {signed(cells.pmi(c, v))}"
        for c, v in full
    ]
    return Step("MI", r"\sum_{c, v} P(c, v) PMI(c, v)", joined(numbers, most=_TERMS), max(total, 0.0))


def _strongest_steps(cells: _Cells) -> list[Step]:
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
    return [*steps, Step("PMI", r"\sum_c P(c) PMI(c)", joined(weighed, most=_TERMS), total)]


def _chi_steps(cells: _Cells) -> list[Step]:
    n = figure(cells.n)
    steps = [
        Step(
            f"E({cells.classes[c]}, {cells.values[v]})",
            r"\frac{n_c n_v}{n}",
            rf"\frac{{{figure(cells.by_class[c])} \cdot {figure(cells.by_value[v])}}}{{{n}}}",
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
        Step("χ²", r"\sum \frac{(O - E)^2}{E}", joined(terms, most=_TERMS), total),
        Step("d", r"(rows - 1)(columns - 1)", rf"({rows} - 1)({columns} - 1)", (rows - 1) * (columns - 1)),
    ]


def _cramer_step(cells: _Cells) -> Step:
    full = ((cells.counts[c][v], cells.expected(c, v)) for c, v in cells.places if cells.by_class[c])
    chi = math.fsum((o - e) ** 2 / e for o, e in full)
    smaller = min(sum(map(bool, cells.by_class)), len(cells.values))
    numbers = rf"\sqrt{{\frac{{{figure(chi)}}}{{{figure(cells.n)} \cdot ({smaller} - 1)}}}}"
    value = math.sqrt(chi / (cells.n * (smaller - 1))) if smaller > 1 else None
    return Step("Cramér's V", r"\sqrt{\frac{\chi^2}{n (\min(rows, columns) - 1)}}", numbers, value)


def _gain_steps(cells: _Cells) -> list[Step]:
    whole = _entropy_step(f"H({cells.target})", cells.by_class)
    branches = [
        _entropy_step(f"H({cells.target} | {value})", list(column))
        for value, column in zip(cells.values, zip(*cells.counts, strict=True), strict=True)
    ]
    gain = _result(whole) - math.fsum(
        size / cells.n * _result(branch) for size, branch in zip(cells.by_value, branches, strict=True)
    )
    terms = [
        rf"\frac{{{figure(size)}}}{{{figure(cells.n)}}} \cdot {figure(branch.result)}"
        for size, branch in zip(cells.by_value, branches, strict=True)
    ]
    numbers = rf"{figure(whole.result)} - \left({joined(terms, most=_TERMS)}\right)"
    return [whole, *_some(branches), Step("gain", r"H(c) - \sum_v P(v) H(c \mid v)", numbers, max(gain, 0.0))]


def _gain_shares(measure: str, cells: _Cells) -> list[Step]:
    """What is made of the gain: a share of the attribute's entropy, or of both."""
    if measure == "information_gain":
        return []
    *_, gain = _gain_steps(cells)
    whole, split = _entropy_step("", cells.by_class), _entropy_step(f"H({cells.attribute})", cells.by_value)
    if measure == "gain_ratio":
        value = _result(gain) / _result(split) if _result(split) else 0.0
        numbers = rf"\frac{{{figure(gain.result)}}}{{{figure(split.result)}}}"
        return [split, Step("gain ratio", r"\frac{gain}{H(v)}", numbers, value)]
    both = _result(whole) + _result(split)
    numbers = rf"\frac{{2 \cdot {figure(gain.result)}}}{{{figure(whole.result)} + {figure(split.result)}}}"
    value = 2 * _result(gain) / both if both else 0.0
    return [split, Step("symmetrical uncertainty", r"\frac{2 \cdot gain}{H(c) + H(v)}", numbers, value)]


def _entropy_step(label: str, counts: Sequence[float]) -> Step:
    n = math.fsum(counts)
    shown = [count for count in counts if count]
    terms = [
        rf"\frac{{{figure(c)}}}{{{figure(n)}}} \log_2 \frac{{{figure(c)}}}{{{figure(n)}}}" for c in shown
    ]
    value = math.fsum(-c / n * math.log2(c / n) for c in shown)
    return Step(label, r"-\sum p \log_2 p", "-" + joined(terms, " - ", _TERMS), 0.0 + value)


def _derive_groups(measure: str, groups: ClassGroups) -> list[Part]:
    rows = [
        (label, float(weight), float(mean), float(scatter))
        for label, weight, mean, scatter in zip(
            groups.labels, groups.weight, groups.mean, groups.scatter, strict=True
        )
        if weight
    ]
    header = (groups.group, "rows", f"mean of {groups.number}", "Σ (x - mean)²")
    n = math.fsum(row[1] for row in rows)
    mean = math.fsum(row[1] * row[2] for row in rows) / n
    between = math.fsum(row[1] * (row[2] - mean) ** 2 for row in rows)
    within = math.fsum(row[3] for row in rows)
    within = within if within > 1e-13 * between else 0.0
    terms = [rf"{figure(w)} \cdot ({figure(m)} - {signed(mean)})^2" for _, w, m, _ in rows]
    weighed = [rf"{figure(w)} \cdot {signed(m)}" for _, w, m, _ in rows]
    steps = [
        Step(
            "mean",
            r"\frac{\sum_g n_g m_g}{n}",
            rf"\frac{{{joined(weighed, most=_TERMS)}}}{{{figure(n)}}}",
            mean,
        ),
        Step("between", r"\sum_g n_g (m_g - m)^2", joined(terms, most=_TERMS), between),
        Step(
            "within", r"\sum_g \sum (x - m_g)^2", joined([figure(s) for *_, s in rows], most=_TERMS), within
        ),
    ]
    if measure == "anova_f":
        steps.append(_f_step(between, within, len(rows), n))
    elif between + within > 0 and len(rows) > 1:
        eta = math.sqrt(between / (between + within))
        numbers = rf"\sqrt{{\frac{{{figure(between)}}}{{{figure(between)} + {figure(within)}}}}}"
        formula, label = r"\sqrt{\frac{between}{between + within}}", "η"
        if len(groups.labels) == 2:
            sign = -1 if rows[1][2] < rows[0][2] else 1
            eta, label = sign * eta, "r"
            formula, numbers = rf"\pm {formula}", f"{'-' if sign < 0 else ''}{numbers}"
        steps.append(Step(label, formula, numbers, eta))
    return [Grid("Groups", header, rows), *steps]


def _f_step(between: float, within: float, k: int, n: float) -> Step:
    numbers = rf"\frac{{{figure(between)} / ({k} - 1)}}{{{figure(within)} / ({figure(n)} - {k})}}"
    value = None
    if k > 1 and n > k and between + within > 0:
        value = (between / (k - 1)) / (within / (n - k)) if within else math.inf
    return Step("F", r"\frac{between / (k - 1)}{within / (n - k)}", numbers, value)


def _derive_pairs(measure: str, pairs: NumberPairs) -> list[Part]:
    rows = [
        ("n", pairs.n),
        (f"mean of {pairs.x}", pairs.mean_x),
        (f"mean of {pairs.y}", pairs.mean_y),
        (f"S_xx = Σ (x - mean)², x = {pairs.x}", pairs.scatter_x),
        (f"S_yy = Σ (y - mean)², y = {pairs.y}", pairs.scatter_y),
        ("S_xy = Σ (x - mean)(y - mean)", pairs.joint),
    ]
    spread = math.sqrt(pairs.scatter_x * pairs.scatter_y)
    r = pairs.joint / spread if spread else None
    below = rf"\sqrt{{{figure(pairs.scatter_x)} \cdot {figure(pairs.scatter_y)}}}"
    numbers = rf"\frac{{{figure(pairs.joint)}}}{{{below}}}"
    steps = [Step("r", r"\frac{S_{xy}}{\sqrt{S_{xx} S_{yy}}}", numbers, r)]
    if measure == "anova_f" and r is not None and pairs.n > 2:
        numbers = rf"\frac{{{figure(r)}^2 \cdot ({figure(pairs.n)} - 2)}}{{1 - {figure(r)}^2}}"
        value = r * r * (pairs.n - 2) / (1 - r * r) if r * r < 1 else math.inf
        steps.append(Step("F", r"\frac{r^2 (n - 2)}{1 - r^2}", numbers, value))
    return [Grid("Sums", ("", "value"), rows), *steps]


def _some(steps: list[Step]) -> list[Step]:
    """As many of the steps for single cells or values as can be read."""
    if len(steps) <= _CELLS:
        return steps
    return [*steps[:_CELLS], Step(f"and {len(steps) - _CELLS:,} more", r"\dots")]


def _result(step: Step) -> float:
    assert isinstance(step.result, float)
    return step.result
