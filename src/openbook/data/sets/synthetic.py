"""Synthetic loans whose true model is known."""

import numpy as np
import numpy.typing as npt

from openbook.data.attributes import MISSING, Attribute, Nominal, Numeric, Ordinal
from openbook.data.schema import Schema
from openbook.data.sets.shapes import drawing
from openbook.data.table import Table

Numbers = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int8]

SEXES = ("female", "male")
WORK = ("employed", "retired", "self-employed", "unemployed")
EDUCATION = ("none", "school", "vocational", "degree")
PURPOSES = ("business", "car", "home", "study")

#: Log-odds of default for each kind of work, in the order of WORK.
WORK_EFFECT = np.array([0.0, -0.3, 0.4, 1.1])
INTERCEPT = -3.4


def credit(rows: int = 1000, random_state: int = 0) -> Table:
    r"""Synthetic loans: mixed kinds, missing values, a rare class, a sensitive attribute.

    No such person, bank or loan exists: everything is drawn from the distributions below. Income is in
    thousands a year, amount in thousands, months is the term.

    - age: normal around 44, spread 13, at least 18; sex: female or male with equal chance
    - work: retired from 66 on; below, 75% employed, 15% self-employed, 10% unemployed
    - education (ordinal): none 8%, school 37%, vocational 33%, degree 22%
    - income: log-normal; its median is 24 · 1.18^education, times 0.8 for women, times 0.5 for the unemployed
      and 0.7 for the retired
    - purpose: home 40%, car 30%, business 20%, study 10%; months: 12, 24, …, 84
    - amount: log-normal; its median is 12 for a business, 9 for a car, 10 for a home, 6 for a study
    - defaults_before: Poisson, mean 0.25

    The log-odds of default are

        -3.4 + 1.2 (log(amount / income) + 1.2) + 0.9 defaults_before + 0.012 (months - 36) - 0.25 education
        - 0.015 (age - 44) + {employed 0, retired -0.3, self-employed 0.4, unemployed 1.1}

    which makes about 8% of all loans default. Neither sex nor purpose is in that formula; both still tell
    something about default, through income and amount.

    Missing, in this order: income is withheld by 4% of all, and by 25% of those who earn less than 15, so its
    absence is a bad sign; education is unknown for 5%, purpose for 2%, at random.

    Parameters
    ----------
    rows : int
    random_state : int
    """
    rng = drawing("credit", rows, random_state)
    age = np.maximum(np.round(rng.normal(44, 13, rows)), 18)
    sex = _draw(rng, rows, [0.5, 0.5])
    work = np.where(age >= 66, 1, np.array([0, 2, 3])[_draw(rng, rows, [0.75, 0.15, 0.10])])
    education = _draw(rng, rows, [0.08, 0.37, 0.33, 0.22])
    pay = 24 * 1.18**education * np.array([0.8, 1.0])[sex] * np.array([1.0, 0.7, 1.0, 0.5])[work]
    income = np.round(pay * rng.lognormal(0, 0.45, rows), 1)
    purpose = _draw(rng, rows, [0.2, 0.3, 0.4, 0.1])
    months = 12.0 * rng.integers(1, 8, rows)
    amount = np.round(np.array([12.0, 9.0, 10.0, 6.0])[purpose] * rng.lognormal(0, 0.5, rows), 1)
    before = rng.poisson(0.25, rows).astype(np.float64)
    log_odds = (
        INTERCEPT
        + 1.2 * (np.log(amount / income) + 1.2)
        + 0.9 * before
        + 0.012 * (months - 36)
        - 0.25 * education
        - 0.015 * (age - 44)
        + WORK_EFFECT[work]
    )
    default = rng.random(rows) < 1 / (1 + np.exp(-log_odds))
    withheld = rng.random(rows) < np.where(income < 15, 0.25, 0.04)
    columns: list[tuple[Attribute, npt.NDArray]] = [
        (Numeric("age"), age),
        (Nominal("sex", SEXES), sex),
        (Nominal("work", WORK), work),
        (Ordinal("education", EDUCATION), np.where(rng.random(rows) < 0.05, MISSING, education)),
        (Numeric("income"), np.where(withheld, np.nan, income)),
        (Nominal("purpose", PURPOSES), np.where(rng.random(rows) < 0.02, MISSING, purpose)),
        (Numeric("months"), months),
        (Numeric("amount"), amount),
        (Numeric("defaults_before"), before),
        (Nominal("default", ("no", "yes")), default),
    ]
    schema = Schema(tuple(attribute for attribute, _ in columns))
    arrays = [data if isinstance(a, Numeric) else data.astype(np.int8) for a, data in columns]
    return Table(schema, arrays, why=dict.fromkeys(schema.names, "as generated"))


def _draw(rng: np.random.Generator, rows: int, chances: list[float]) -> npt.NDArray[np.intp]:
    return rng.choice(len(chances), rows, p=chances)
