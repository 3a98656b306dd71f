"""A derivation of the golden record nb_loan_laplace, written out by hand, for every renderer."""

import math
from typing import Any

import pytest

from openbook.work import Grid, Step, Work
from openbook.work.formula import escape_text

DENSITY = r"\frac{1}{\sqrt{2\pi\sigma^2}} e^{-\frac{(x-\mu)^2}{2\sigma^2}}"
ADD_ONE = r"\frac{n_{vc} + \alpha}{N_c + \alpha k}"


def for_class(name: str, expected: dict[str, Any]) -> Work:
    """The derivation for one class; counts are those a reader finds in the ten rows."""
    size, no_owner, married = {"No": (7, 4, 4), "Yes": (3, 3, 0)}[name]
    mean, variance = (round(expected["gauss"][name]["income"][figure]) for figure in ("mean", "var"))
    prior = expected["prior"][name]
    tables, density = expected["tables"][name], expected["density"][name]["income"]
    factors = [prior, tables["owner"]["No"], tables["status"]["Married"], density]
    exponent = rf"-\frac{{(120 - {mean})^2}}{{2 \cdot {variance}}}"
    return Work(
        f"Class {name}",
        (
            Step(f"P({name})", r"\frac{N_c}{N}", rf"\frac{{{size}}}{{10}}", prior, "not smoothed"),
            Step(
                f"P(owner=No | {name})",
                ADD_ONE,
                rf"\frac{{{no_owner} + 1}}{{{size} + 1 \cdot 2}}",
                tables["owner"]["No"],
            ),
            Step(
                f"P(status=Married | {name})",
                ADD_ONE,
                rf"\frac{{{married} + 1}}{{{size} + 1 \cdot 3}}",
                tables["status"]["Married"],
            ),
            Step(
                f"p(income=120 | {name})",
                DENSITY,
                rf"\frac{{1}}{{\sqrt{{2\pi \cdot {variance}}}}} e^{{{exponent}}}",
                density,
                f"μ = {mean} and σ² = {variance}, with n - 1, from {size} rows",
            ),
            Step(
                f"P({name}, x)",
                r"P(c) \prod_{j=1}^{d} P(x_j \mid c)",
                r" \cdot ".join(f"{factor:.6g}" for factor in factors),
                expected["joint"][name],
            ),
            Step(
                f"ln P({name}, x)",
                r"\ln P(c) + \sum_{j=1}^{d} \ln P(x_j \mid c)",
                " + ".join(rf"\ln {factor:.6g}" for factor in factors),
                math.log(expected["joint"][name]),
            ),
        ),
    )


@pytest.fixture
def loan(golden) -> Work:
    expected = golden("nb_loan_laplace")["expected"]
    joint = expected["joint"]
    return Work(
        "Naive Bayes: cheat, for owner=No, status=Married, income=120",
        (
            Step(
                "c*",
                rf"\arg\max_{{c}} P(c \mid x), \quad c \in \{{{escape_text('No')}, {escape_text('Yes')}\}}",
            ),
            Grid(
                "Counts",
                ["cheat", "rows", "owner=No", "status=Married", "mean income", "variance"],
                [["No", 7, 4, 4, 110.0, 2975.0], ["Yes", 3, 3, 0, 90.0, 25.0]],
                "Ten rows; the variance divides by n - 1.",
            ),
            *(for_class(name, expected) for name in ("No", "Yes")),
            *(
                Step(
                    f"P({name} | x)",
                    r"\frac{P(c, x)}{\sum_{k} P(k, x)}",
                    rf"\frac{{{joint[name]:.6g}}}{{{joint['No']:.6g} + {joint['Yes']:.6g}}}",
                    expected["posterior"][name],
                )
                for name in ("No", "Yes")
            ),
            Step("prediction", result=expected["prediction"]),
        ),
        "cheat = No, with a probability of 0.999999965.",
    )
