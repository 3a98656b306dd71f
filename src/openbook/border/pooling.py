"""Rare values of columns with many values, pooled at the border by the rows that a learner is fitted to.

The rule is that of `openbook.data.rare`. One fold counts the rows of each value and takes the moments of the
target among them; where no column has many values, there is nothing to pass over. What is kept is part of the
schema, so that `conform` pools the rows of later tables, and the model file holds it.
"""

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import numpy.typing as npt

from openbook.border.rows import Chunk, Rows
from openbook.data import DatePart, Direction, Intervals, Nominal, Schema, Word
from openbook.data.rare import FEW, LEAST, Credibility, class_shares, may_pool, with_rest
from openbook.fold import fold
from openbook.kernels.moments import Moments
from openbook.words.sentences import plural
from openbook.work import Grid, Work

__all__ = ["credibilities", "pooled", "with_prepared"]

Array = npt.NDArray[Any]

#: The words of texts that the derivation of a model lists; those of each direction.
_SHOWN_WORDS, _DIRECTION_WORDS = 20, 8


def pooled(rows: Rows, n_classes: int, most_noise: float = math.inf) -> Schema:
    """The schema of the rows with the rare values of columns of many values pooled.

    n_classes : how many classes the targets are codes of; 0 for numbers
    most_noise : where the target varies more within values than so many times between them, none is kept
    """
    few = {}
    for attribute, counts, found in credibilities(rows, n_classes):
        least = max(found.least, LEAST) if found.least <= most_noise else math.inf
        fewer = with_rest(attribute, counts, least, needed=found.least)
        if len(fewer.values) <= found.values:
            few[attribute.name] = fewer
    if not few:
        return rows.schema
    return Schema(tuple(few.get(a.name, a) for a in rows.schema), rows.schema.named)


def credibilities(rows: Rows, n_classes: int, few: int = FEW) -> list[tuple[Nominal, Array, Credibility]]:
    """Each column of more than a few values, the rows of each, and how much the values say of the target."""
    columns = [a for a in rows.schema if isinstance(a, Nominal) and may_pool(a, few)]
    if not columns:
        return []
    moments = fold(rows.pieces, partial(_by_value, columns, n_classes), _added)
    found = []
    for attribute, its in zip(columns, moments, strict=True):
        counts = its.weight[:, 0]
        if np.count_nonzero(counts) > few:
            found.append((attribute, counts, Credibility.of(counts, its.mean, float(its.scatter.sum()))))
    return found


def with_prepared(work: Work, schema: Schema) -> Work:
    """The derivation of a model, and what was made of its columns before: values pooled, parts of dates."""
    few = [a for a in schema if isinstance(a, Nominal) and a.rest is not None]
    parts = [a for a in schema if isinstance(a, DatePart)]
    rare = Grid(
        "rare values",
        ("column", "values kept", "all others count as"),
        [(a.name, len(a.values) - 1, a.rest) for a in few],
    )
    derived = Grid(
        "parts of dates",
        ("column", "of", "p-value"),
        [(a.name, a.date, a.p if a.p < 1 else "–") for a in parts],
        "p-value: that the target differs so much between its values by chance, beside a trend in time.",
    )
    telling = sorted((a for a in schema if isinstance(a, Word)), key=lambda a: -a.score)
    scored = any(a.score for a in telling)  # there is a target
    words = Grid(
        "words that say most of the target" if scored else "words",
        ("column", "word", "chi-squared")[: 2 + scored],
        [(a.text, a.word, a.score)[: 2 + scored] for a in telling[:_SHOWN_WORDS]],
        f"{plural(len(telling), 'word')} counted in all.",
    )
    cut = [a for a in schema if isinstance(a, Intervals)]
    intervals = Grid(
        "numbers as intervals", ("column", "intervals"), [(a.name, ", ".join(a.values)) for a in cut]
    )
    along = [a for a in schema if isinstance(a, Direction)]
    directions = Grid(
        "directions of texts",
        ("column", "weightiest words"),
        [(a.name.rsplit(":", 1)[0], _weightiest(a)) for a in along],
        "A direction is a weighted sum of the words of a text: latent semantic analysis.",
    )
    shown = ((few, rare), (parts, derived), (telling, words), (along, directions), (cut, intervals))
    return replace(work, parts=(*work.parts, *(grid for some, grid in shown if some)))


def _weightiest(direction: Direction) -> str:
    """Its words of the largest weights, with their signs."""
    pairs = zip(direction.weights, direction.words, strict=True)
    most = sorted(pairs, key=lambda pair: -abs(pair[0]))[:_DIRECTION_WORDS]
    return ", ".join(f"{word} {weight:+.2f}" for weight, word in most if weight)


def _by_value(columns: Sequence[Nominal], n_classes: int, chunk: Chunk) -> list[Moments]:
    """The moments of the target's parts among the rows of each value, a row of any weight being one."""
    moments = []
    for attribute in columns:
        codes, n_values = chunk.X.data(attribute.name), len(attribute.values)
        known = codes >= 0
        codes, y = codes[known].astype(np.intp), chunk.y[known]
        if n_classes:
            counts, shares = class_shares(codes, y, n_values, n_classes)
            rows = np.broadcast_to(counts[:, None].astype(float), shares.shape)
            moments.append(Moments(rows, shares, rows * shares * (1 - shares)))
        else:
            moments.append(Moments.of(y.reshape(len(y), -1), codes, np.ones(len(y)), n_values))
    return moments


def _added(one: list[Moments], other: list[Moments]) -> list[Moments]:
    return [a + b for a, b in zip(one, other, strict=True)]
