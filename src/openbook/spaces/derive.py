r"""The readable twin of the distances: term by term, in plain Python, from the cells of two rows.

It uses nothing that the indexes and kernels use, so tests compare the two.
"""

import math
from typing import NamedTuple

import numpy as np
import scipy.sparse as sp

from openbook.measures.derive_distances import FORMULAS, derive_vectors, terms_grid
from openbook.spaces.matching import MATCHING_FORMULAS, derive_matching, shown_cell
from openbook.spaces.space import PRECOMPUTED
from openbook.words.numbers import fraction
from openbook.words.sentences import joined
from openbook.work import Step


class Compared(NamedTuple):
    """A distance, and the parts of its derivation."""

    distance: float
    parts: tuple


def compared(space, X, row):
    """The distance between the query, a table of one row, and the training row of this number."""
    there = space.table.take([row])
    if space.metric == PRECOMPUTED:
        d = float(X.columns[row][0])
        return Compared(d, (Step("distance", result=d, note="given"),))
    if space.mixed is not None:
        return _mixed(space.mixed, X, there, row)
    if isinstance(space.metric, str) and space.metric in MATCHING_FORMULAS:
        return Compared(*derive_matching(space.metric, X, there, row))
    return (_vectors if space.metric in FORMULAS else _function)(space, X, there, row)


def metric_parts(space):
    """A metric, and its scales or encoding, for how a model was learnt: steps, and a grid or a work."""
    formula = MATCHING_FORMULAS.get(space.metric) or FORMULAS.get(space.metric, ("", ""))[1]
    steps = (
        Step(f"distance ({space.named})", formula, result=None if formula else space.named),
        Step("search", result=space.index.name, note=space.index.reason),
    )
    if space.mixed is not None:
        return steps, (space.mixed.learnt(),)
    return steps, (space.encoding.work(),) if space.encoding is not None else ()


def _function(space, X, there, row):
    """A function of two rows."""
    a, b = (np.ascontiguousarray(table.block(table.names), dtype=float)[0] for table in (X, there))
    d = float(space.function(a, b))
    d = math.inf if math.isnan(d) else d
    name = space.metric if isinstance(space.metric, str) else getattr(space.function, "__name__", "function")
    letters = "".join(letter for letter in name if letter.isalpha())
    grid = terms_grid(("column", "query", f"row {row}"), zip(X.names, a.tolist(), b.tolist(), strict=True))
    return Compared(d, (grid, Step("distance", rf"\mathrm{{{letters}}}(q, x)", result=d)))


def _mixed(mixed, X, there, row):
    rows = []
    for j, name in enumerate(mixed.schema.names):
        term, how = mixed.term(j, X.data(name)[0], there.data(name)[0])
        rows.append((name, *(shown_cell(table.column(name)) for table in (X, there)), how, term))
    terms = [line[-1] for line in rows]
    d, numbers = math.fsum(terms) / len(terms), fraction(joined(terms), len(terms))
    if mixed.squared:
        d = math.sqrt(math.fsum(t * t for t in terms))
        numbers = rf"\sqrt{{{joined(t * t for t in terms)}}}"
    grid = terms_grid(("column", "query", f"row {row}", "", "δ"), rows)
    return Compared(d, (grid, Step("distance", FORMULAS[mixed.kind][1], numbers, d)))


def _vectors(space, X, there, row):
    distance, q, x = space.metric, space.coordinates(X), space.coordinates(there)
    if sp.issparse(q):
        nonzero = np.union1d(q.indices, x.indices)
        q, x = (vector[[0]][:, nonzero].toarray() for vector in (q, x))
        names = [X.names[j] for j in nonzero]
    elif distance == "mahalanobis":
        names = [f"z{j + 1}" for j in range(q.shape[1])]
    else:
        names = space.encoding.names
    q, x = q[0].tolist(), x[0].tolist()
    terms, step = derive_vectors(distance, q, x, space.p)
    grid = terms_grid(("column", "query", f"row {row}", "term"), zip(names, q, x, terms, strict=True))
    assert isinstance(step.result, float)
    return Compared(step.result, (grid, step))
