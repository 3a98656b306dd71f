r"""Matching distances of typed rows: which cells differ, and what two rows both have.

    hamming          Σ_j [x_j ≠ q_j]
    simple_matching  Σ_j [x_j ≠ q_j] / the number of columns that are known in both
    jaccard          1 - |both have| / |either has|

Columns of any kind are compared as they are. For Jaccard, a row has an item for each column of true and
false, or of yes and no, that is true; for each number other than 0; and for the value of each other column,
such as "outlook = sunny". So what both rows lack does not count. A missing cell is left out, and for Jaccard
it is no item; an unseen value differs from every other.

cells : float64 (n, d) numbers and codes, NaN where missing;  items : float64 (n, m), 0 where it is not had
"""

import math

import numpy as np

from openbook.data import MISSING, UNSEEN, Categorical, Schema
from openbook.words.numbers import figure, fraction
from openbook.work import Grid, Step

MATCHING_FORMULAS = {
    "hamming": r"\sum_j [x_j \ne q_j]",
    "simple_matching": r"\frac{1}{d} \sum_j [x_j \ne q_j]",
    "jaccard": r"1 - \frac{|X \cap Q|}{|X \cup Q|}",
}

#: How columns say no and yes.
_NO_AND_YES = (("false", "true"), ("no", "yes"), ("n", "y"), ("f", "t"), ("0", "1"), ("absent", "present"))

#: Columns that are shown.
_SHOWN = 30


def cells_as_numbers(table):
    """The cells of all columns as they are compared, (n, d)."""
    cells = np.empty((len(table), len(table.names)))
    for j, (attribute, data) in enumerate(zip(table.schema, table.columns, strict=True)):
        cells[:, j] = np.where(data == MISSING, np.nan, data) if isinstance(attribute, Categorical) else data
    return cells


class HadItems:
    """What rows of a schema may have: `names`, and which rows have it."""

    def __init__(self, schema: Schema) -> None:
        self.schema = schema
        self.names = [name for attribute in schema for name in _items(attribute)]

    def __call__(self, table):
        columns = []
        for attribute in self.schema:
            data = table.data(attribute.name)
            if not isinstance(attribute, Categorical):
                columns.append(np.nan_to_num(data) != 0)
            elif (yes := _yes(attribute)) is not None:
                columns.append(data == yes)
            else:
                columns += [data == code for code in (*range(len(attribute.values)), UNSEEN)]
        return np.column_stack(columns).astype(float)


def _items(attribute):
    if not isinstance(attribute, Categorical) or _yes(attribute) is not None:
        return [attribute.name]
    return [f"{attribute.name} = {value}" for value in (*attribute.values, "another value")]


def _yes(attribute):
    """The code that stands for yes, in a column of no and yes; else None. Training may have shown only no."""
    by_word = {value.lower(): code for code, value in enumerate(attribute.values)}
    yes = next((yes for no, yes in _NO_AND_YES if by_word and set(by_word) <= {no, yes}), None)
    return None if yes is None else by_word.get(yes, UNSEEN)


def derive_matching(metric, here, there, row):
    """A distance, and the parts of its derivation: two one-row tables, of which the second is row `row`."""
    if metric == "jaccard":
        return _derive_jaccard(here, there, row)
    lines, outcomes = [], []
    for name in there.names:
        a, b = (shown_cell(table.column(name)) for table in (here, there))
        outcomes.append("left out" if a is None or b is None else "differ" if a != b else "equal")
        lines.append((name, a, b, outcomes[-1]))
    differ, known = outcomes.count("differ"), len(outcomes) - outcomes.count("left out")
    grid = Grid("cells", ("column", "query", f"row {row}", ""), lines[:_SHOWN])
    if metric == "hamming":
        return float(differ), (grid, Step("distance", MATCHING_FORMULAS[metric], "", float(differ)))
    d = differ / known if known else math.inf
    numbers, note = fraction(differ, known), "d: the columns that are known in both"
    return d, (grid, Step("distance", MATCHING_FORMULAS[metric], numbers, d, note))


def _derive_jaccard(here, there, row):
    items = HadItems(there.schema)
    query, kept = ({items.names[i] for i in np.flatnonzero(items(table)[0])} for table in (here, there))
    both, either = len(query & kept), [name for name in items.names if name in query | kept]
    d = 1 - both / len(either) if either else 0.0
    lines = [(name, "has" * (name in query), "has" * (name in kept)) for name in either]
    numbers = rf"1 - \frac{{{both}}}{{{len(either)}}}" if either else ""
    note = "what both lack does not count" if either else "neither has anything"
    grid = Grid("what they have", ("item", "query", f"row {row}"), lines[:_SHOWN])
    return d, (grid, Step("distance", MATCHING_FORMULAS["jaccard"], numbers, d, note))


def shown_cell(column):
    """A cell as a reader would write it; None where it is missing."""
    value = column.tolist()[0]
    if isinstance(value, float):
        return None if math.isnan(value) else figure(value)
    return value
