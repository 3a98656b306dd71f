r"""The readable twin of the measures: a score derived step by step from its counts or moments.

It starts from the counts and uses plain arithmetic, nothing that the measures use, so tests compare the two.
"""

import math
from typing import TYPE_CHECKING

from openbook.features.evidence import AttributeCounts, ClassGroups, NumberPairs
from openbook.measures.derive_counts import TERMS, CountTable, derive_measure
from openbook.prepare.discretise import derive_bins
from openbook.words.numbers import figure, fraction, signed
from openbook.words.sentences import joined
from openbook.work import Grid, Step, Work

if TYPE_CHECKING:
    from openbook.features.scores import AttributeScore

Part = Step | Grid | Work


def derive_score(score: "AttributeScore") -> Work:
    """How an attribute's score came about."""
    title = f"{score.measure.words} of {score.attribute}"
    evidence = score.evidence
    if evidence is None:
        return Work(_capital(title), (), f"Undefined: {score.why}.")
    if isinstance(evidence, AttributeCounts):
        parts = derive_counts(score.measure.name, evidence)
    elif isinstance(evidence, ClassGroups):
        parts = _derive_groups(score.measure.name, evidence)
    else:
        parts = _derive_pairs(score.measure.name, evidence)
    return Work(_capital(title), (*parts, *_tested(score)), _end(score))


def _capital(title: str) -> str:
    return title[:1].upper() + title[1:]


def _end(score: "AttributeScore") -> str:
    if math.isnan(score.score):
        return f"Undefined: {score.why}."
    warning = f" {_capital(score.test.warning)}." if score.test.warning else ""
    return f"{_capital(score.measure.words)} {figure(score.score)}.{warning}"


def _tested(score: "AttributeScore") -> list[Step]:
    test = score.test
    if math.isnan(test.p_value):
        return []
    law, formula = ("F", r"P(F_{d_1, d_2} \ge F)") if test.name == "F" else (r"\chi^2", r"P(\chi^2_d \ge x)")
    numbers = rf"P({law}_{{{', '.join(map(str, test.dof))}}} \ge {figure(test.statistic)})"
    steps = [Step(f"p of {test.name}", formula, numbers, test.p_value)]
    if test.name == "G" and score.evidence is not None:
        n = score.evidence.n
        numbers = rf"2 \cdot {figure(n)} \ln 2 \cdot {figure(test.statistic / (2 * math.log(2) * n))}"
        steps.insert(0, Step("G", r"2 n \ln 2 \cdot MI", numbers, test.statistic))
    return steps


def _equal(attribute: str, value: str) -> str:
    if value[:1] in "<>":
        return f"{attribute} {value}"
    return f"{attribute} in {value}" if value[:1] == "(" else f"{attribute} = {value}"


def derive_counts(measure: str, evidence: AttributeCounts) -> list[Part]:
    """The steps from the rows of each class and value to a measure."""
    values = [_equal(evidence.attribute, value) for value in evidence.values]
    classes = [f"{evidence.target} = {label}" for label in evidence.classes]
    cells = CountTable(evidence.counts, classes, values, evidence.target, evidence.attribute)
    cut = [derive_bins(evidence.attribute, evidence.splits)] if evidence.splits else []
    return [*cut, *derive_measure("strongest_pmi" if measure == "pmi" else measure, cells)]


def _derive_groups(measure: str, groups: ClassGroups) -> list[Part]:
    figures = (part.tolist() for part in (groups.weight, groups.mean, groups.scatter))
    rows = [row for row in zip(groups.labels, *figures, strict=True) if row[1]]
    header = (groups.group, "rows", f"mean of {groups.number}", "Σ (x - mean)²")
    n = math.fsum(row[1] for row in rows)
    mean = math.fsum(row[1] * row[2] for row in rows) / n
    between = math.fsum(row[1] * (row[2] - mean) ** 2 for row in rows)
    within = math.fsum(row[3] for row in rows)
    within = within if within > 1e-13 * between else 0.0
    terms = [rf"{figure(w)} \cdot ({figure(m)} - {signed(mean)})^2" for _, w, m, _ in rows]
    weighed = [rf"{figure(w)} \cdot {signed(m)}" for _, w, m, _ in rows]
    steps = [
        Step("mean", r"\frac{\sum_g n_g m_g}{n}", fraction(joined(weighed, most=TERMS), n), mean),
        Step("between", r"\sum_g n_g (m_g - m)^2", joined(terms, most=TERMS), between),
        Step("within", r"\sum_g \sum (x - m_g)^2", joined([figure(s) for *_, s in rows], most=TERMS), within),
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
    value = None
    if k > 1 and n > k and between + within > 0:
        value = (between / (k - 1)) / (within / (n - k)) if within else math.inf
    numbers = {"between": between, "within": within, "k": k, "n": n}
    return Step.of("F", r"\frac{between / (k - 1)}{within / (n - k)}", numbers, value)


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
    numbers = fraction(pairs.joint, below)
    steps = [Step("r", r"\frac{S_{xy}}{\sqrt{S_{xx} S_{yy}}}", numbers, r)]
    if measure == "anova_f" and r is not None and pairs.n > 2:
        value = r * r * (pairs.n - 2) / (1 - r * r) if r * r < 1 else math.inf
        steps.append(Step.of("F", r"\frac{r^2 \cdot (n - 2)}{1 - r^2}", {"r": r, "n": pairs.n}, value))
    return [Grid("Sums", ("", "value"), rows), *steps]
