r"""Steps and grids for groups of rows and splits: their formulas and branches.

Long sums are abbreviated: the first terms and the last one.
"""

from dataclasses import dataclass

from openbook.tree.derive.splits import CandidateSplit, Classes, Group
from openbook.words.numbers import figure
from openbook.work import Grid, Step, escape_text

#: Longer sums are abbreviated, and longer grids.
SHOWN_TERMS, SHOWN_BRANCHES = 8, 24


@dataclass(frozen=True)
class ImpurityMeasure:
    """An impurity: its sign, plain and as a formula, its name, and how it is computed."""

    sign: str
    tex: str
    name: str
    formula: str

    @property
    def mean_name(self) -> str:
        """What the mean over branches is called."""
        return self.name if self.name.startswith("mean ") else f"mean {self.name}"

    def of(self, target: str, given: str = "") -> str:
        """The label of a step: H(play), H(play | outlook)."""
        return f"{self.sign}({target} | {given})" if given else f"{self.sign}({target})"

    def tex_of(self, target: str, given: str = "") -> str:
        condition = rf" \mid {escape_text(given)}" if given else ""
        return f"{self.tex}({escape_text(target)}{condition})"


_ENTROPY = ImpurityMeasure("H", "H", "entropy", r"-\sum_c p_c \log_2 p_c")
MEASURES = {
    "entropy": _ENTROPY,
    "gain_ratio": _ENTROPY,
    "gini": ImpurityMeasure("Gini", r"\operatorname{Gini}", "Gini impurity", r"1 - \sum_c p_c^2"),
    "squared_error": ImpurityMeasure(
        "MSE", r"\operatorname{MSE}", "mean squared error", r"\frac{1}{W} \sum_i w_i (y_i - \bar{y})^2"
    ),
    "absolute_error": ImpurityMeasure(
        "MAE", r"\operatorname{MAE}", "mean absolute error", r"\frac{1}{W} \sum_i w_i |y_i - \hat{y}|"
    ),
}


def impurity_step(label: str, group: Group, criterion: str) -> Step:
    """The impurity of a group of rows."""
    return Step(label, MEASURES[criterion].formula, _numbers(group, criterion), group.impurity(criterion))


def _numbers(group: Group, criterion: str) -> str:
    total = figure(group.weight)
    if not isinstance(group, Classes):
        return rf"\frac{{{figure(group.error)}}}{{{total}}}"
    shares = [rf"\frac{{{figure(w)}}}{{{total}}}" for w in group.weights if w > 0]
    if criterion == "gini":
        return joined_terms(["1", *(rf"\left( {share} \right)^2" for share in shares)], " - ")
    return "-" + joined_terms([rf"{share} \log_2 {share}" for share in shares], " - ")


def joined_terms(terms: list[str], sign: str) -> str:
    """The terms with the sign between them, the middle left out where they are many."""
    if len(terms) > SHOWN_TERMS:
        terms = [*terms[: SHOWN_TERMS - 1], r"\dots", terms[-1]]
    return sign.join(terms)


def branch_grid(split: CandidateSplit, names: tuple[str, ...], attribute: str, criterion: str) -> Grid:
    """What the branches hold: class weights, or weight and mean; and how impure that is."""
    measure = MEASURES[criterion].name
    rows = [(test.branch, *group_cells(group), group.impurity(criterion)) for test, group in split.branches]
    note = ""
    if len(rows) > SHOWN_BRANCHES:
        note = f"{len(rows) - SHOWN_BRANCHES} of the {len(rows)} branches are not shown"
        rows = rows[:SHOWN_BRANCHES]
    if split.missing_rows.weight > 0:
        rows.append(("missing", *group_cells(split.missing_rows), None))
    return Grid("", (attribute, *names, measure), rows, note)


def group_cells(group: Group) -> tuple[float, ...]:
    """What stands in a grid for a group: the weight of each class, or the mean; and the weight of all."""
    if isinstance(group, Classes):
        return (*group.weights, group.weight)
    return (group.mean, group.weight)


def split_steps(
    split: CandidateSplit, target: str, attribute: str, criterion: str, charge: Step | None = None
):
    """The steps from a split's branches to its gain and, by criterion, its gain ratio.

    Parameters
    ----------
    charge : Step, optional
        Subtracted from the gain.
    """
    measure = MEASURES[criterion]
    before, after = measure.of(target), measure.of(target, attribute)
    minuend, known = measure.tex_of(target), split.known
    steps = []
    if split.missing_rows.weight > 0:
        before, minuend = (
            measure.of(target, f"{attribute} known"),
            measure.tex_of(target, f"{attribute} known"),
        )
        steps += [
            Step(f"known({attribute})", r"\frac{W_k}{W}", _ratio(known.weight, split.weight), split.share),
            impurity_step(before, known, criterion),
        ]
    impurity, mean, gain = known.impurity(criterion), split.mean_impurity(criterion), split.gain(criterion)
    terms = [
        rf"{_ratio(group.weight, known.weight)} \cdot {figure(group.impurity(criterion))}"
        for group in split.groups
        if group.weight > 0
    ]
    steps.append(Step(after, rf"\sum_b \frac{{W_b}}{{W}} {measure.tex}_b", joined_terms(terms, " + "), mean))
    formula, numbers = (
        f"{minuend} - {measure.tex_of(target, attribute)}",
        f"{figure(impurity)} - {figure(mean)}",
    )
    if split.missing_rows.weight > 0:
        formula, numbers = rf"\frac{{W_k}}{{W}} ({formula})", rf"{figure(split.share)} \cdot ({numbers})"
    if charge is not None:
        assert isinstance(charge.result, float)
        steps.append(charge)
        formula, numbers = f"{formula} - {charge.formula}", f"{numbers} - {figure(charge.result)}"
        gain -= charge.result
    steps.append(Step(f"gain({attribute})", formula, numbers, gain))
    if criterion == "gain_ratio":
        steps += _ratio_steps(split, attribute, gain)
    return steps


def _ratio_steps(split: CandidateSplit, attribute: str, gain: float) -> list[Step]:
    shares = [_ratio(g.weight, split.weight) for g in (*split.groups, split.missing_rows) if g.weight > 0]
    terms = joined_terms([rf"{share} \log_2 {share}" for share in shares], " - ")
    formula = r"-\sum_b \frac{W_b}{W} \log_2 \frac{W_b}{W}"
    ratio = gain / split.info if split.info > 0 else None
    return [
        Step(f"split info({attribute})", formula, f"-{terms}", split.info),
        Step.of(
            f"gain ratio({attribute})",
            r"\frac{\text{gain}}{\text{split info}}",
            {r"\text{gain}": gain, r"\text{split info}": split.info},
            ratio,
        ),
    ]


def _ratio(part: float, whole: float) -> str:
    return rf"\frac{{{figure(part)}}}{{{figure(whole)}}}"
