r"""The readable twin of the distances: term by term, in plain Python, from the cells of two rows.

It uses nothing that the indexes and kernels use, so tests compare the two.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from openbook.measures.derive_distances import FORMULAS, derive_vectors, terms_grid
from openbook.spaces.matching import MATCHING_FORMULAS, derive_matching, told_cell
from openbook.spaces.space import PRECOMPUTED
from openbook.words.numbers import fraction
from openbook.words.sentences import joined
from openbook.work import Step


class Compared(NamedTuple):
    """A distance, and the parts of its derivation."""

    distance: float
    parts: tuple


def compared(space, X, row):
    """How far the row of that number, as kept, is from the query, a table of one row."""
    there = space.table.take([row])
    if space.metric == PRECOMPUTED:
        d = float(X.columns[row][0])
        return Compared(d, (Step("distance", result=d, note="given"),))
    if space.mixed is not None:
        return _mixed(space.mixed, X, there, row)
    if isinstance(space.metric, str) and space.metric in MATCHING_FORMULAS:
        return Compared(*derive_matching(space.metric, X, there, row))
    if space.metric not in FORMULAS:  # a function of two rows
        a, b = (np.ascontiguousarray(table.block(table.names), dtype=float)[0] for table in (X, there))
        d = float(space.function(a, b))
        d = math.inf if math.isnan(d) else d
        name = (
            space.metric if isinstance(space.metric, str) else getattr(space.function, "__name__", "function")
        )
        grid = terms_grid(
            ("column", "query", f"row {row}"), zip(X.names, a.tolist(), b.tolist(), strict=True)
        )
        return Compared(d, (grid, Step("distance", rf"\mathrm{{{_letters(name)}}}(q, x)", result=d)))
    return _vectors(space, X, there, row)


def metric_parts(space):
    """What a metric is, and what it goes by, for how a model was learnt: steps, and a grid or a work."""
    formula = ""
    if isinstance(space.metric, str):
        formula = MATCHING_FORMULAS.get(space.metric) or FORMULAS.get(space.metric, ("", ""))[1]
    steps = (
        Step(f"distance ({space.named})", formula, result=None if formula else space.named),
        Step("search", result=space.index.name, note=space.index.reason),
    )
    if space.mixed is not None:
        return steps, (space.mixed.learnt(),)
    return steps, (space.encoding.work(),) if space.encoding is not None else ()


def _mixed(mixed, X, there, row):
    rows, terms = [], []
    for j, name in enumerate(mixed.schema.names):
        term, how = mixed.term(j, X.data(name)[0], there.data(name)[0])
        rows.append((name, *(told_cell(table.column(name)) for table in (X, there)), how, term))
        terms.append(term)
    whole = FORMULAS["heom" if mixed.squared else "gower"][1]
    if mixed.squared:
        d = math.sqrt(math.fsum(t * t for t in terms))
        numbers = rf"\sqrt{{{joined(t * t for t in terms)}}}"
    else:
        d = math.fsum(terms) / len(terms)
        numbers = fraction(joined(terms), len(terms))
    grid = terms_grid(("column", "query", f"row {row}", "", "δ"), rows)
    return Compared(d, (grid, Step("distance", whole, numbers, d)))


def _vectors(space, X, there, row):
    distance, q, x = space.metric, space.place(X), space.place(there)
    if sp.issparse(q):
        some = np.union1d(q.indices, x.indices)
        q, x = (np.asarray(each[[0]][:, some].todense()).ravel() for each in (q, x))
        names = [X.names[j] for j in some]
    else:
        q, x = q[0], x[0]
        encoded = space.encoding.names
        names = encoded if distance != "mahalanobis" else [f"z{j + 1}" for j in range(len(q))]
    q, x = q.tolist(), x.tolist()
    terms, step = derive_vectors(distance, q, x, space.p)
    grid = terms_grid(("column", "query", f"row {row}", "term"), zip(names, q, x, terms, strict=True))
    assert isinstance(step.result, float)
    return Compared(step.result, (grid, step))


def _letters(name):
    return "".join(letter for letter in name if letter.isalpha())
