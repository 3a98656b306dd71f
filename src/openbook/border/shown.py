"""The preparation of the columns by a learner, as its derivation shows it."""

from collections.abc import Iterator
from dataclasses import replace

from openbook.data import (
    MISSING,
    UNSEEN,
    DatePart,
    Direction,
    Intervals,
    Nominal,
    Schema,
    Table,
    TargetMean,
    Word,
)
from openbook.data.attributes import as_text
from openbook.data.conform import conform_column
from openbook.words.numbers import figure, signed
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: The words of texts that the derivation of a model lists; those of each direction.
_SHOWN_WORDS, _DIRECTION_WORDS = 20, 8
#: The columns of means, and the values of each, that it lists.
_SHOWN_MEANS, _SHOWN_VALUES = 10, 10


def with_prepared(work: Work, schema: Schema) -> Work:
    """The derivation of a model, and what was made of its columns before: values pooled, means of the target,
    parts of dates, words, directions, intervals.
    """
    words = sorted((a for a in schema if isinstance(a, Word)), key=lambda a: -a.score)
    scored = any(a.score for a in words)  # there is a target
    means = [a for a in schema if isinstance(a, TargetMean)]
    grids = (
        Grid(
            "rare values",
            ("column", "values kept", "all others count as"),
            [
                (a.name, len(a.values) - 1, a.rest)
                for a in schema
                if isinstance(a, Nominal) and a.rest is not None
            ],
        ),
        Grid(
            "parts of dates",
            ("column", "of", "p-value"),
            [(a.name, a.date, a.p if a.p < 1 else "–") for a in schema if isinstance(a, DatePart)],
            "p-value: that the target differs so much between its values by chance, beside a trend in time.",
        ),
        Grid(
            "words that say most of the target" if scored else "words",
            ("column", "word", "chi-squared")[: 2 + scored],
            [(a.text, a.word, a.score)[: 2 + scored] for a in words[:_SHOWN_WORDS]],
            f"{plural(len(words), 'word')} counted in all.",
        ),
        Grid(
            "directions of texts",
            ("column", "weightiest words"),
            [(a.name.rsplit(":", 1)[0], _largest_weights(a)) for a in schema if isinstance(a, Direction)],
            "A direction is a weighted sum of the words of a text: latent semantic analysis.",
        ),
        Grid(
            "numbers as intervals",
            ("column", "intervals"),
            [(a.name, ", ".join(a.values)) for a in schema if isinstance(a, Intervals)],
        ),
    )
    filled = (grid for grid in grids if grid.rows)
    return replace(work, parts=(*work.parts, *map(shown_mean, means[:_SHOWN_MEANS]), *filled))


def _largest_weights(direction: Direction) -> str:
    """Its words of the largest weights, with their signs."""
    return ", ".join(f"{word} {weight:+.2f}" for word, weight in direction.largest(_DIRECTION_WORDS))


def shown_mean(mean: TargetMean) -> Work:
    """How the cells of a column of means are found, with the most frequent values."""
    often = sorted((code for code, n in enumerate(mean.rows) if n), key=lambda code: -mean.rows[code])
    rows = [
        (mean.by.values[code], mean.rows[code], mean.means[code], _drawn(mean, code))
        for code in often[:_SHOWN_VALUES]
    ]
    more = len(often) - len(rows)
    rule = Step(
        "cell",
        r"\frac{n \bar{y}_v + n_0 \bar{y}}{n + n_0}",
        note=f"n0 = {figure(mean.needed)} rows, the mean of all rows is {figure(mean.overall)}; training rows"
        " have the means of the rows in the other four of five folds",
    )
    grid = Grid(mean.by.name, ("value", "n", "mean", "cell"), rows, f"{more:,} more values" if more else "")
    end = f"A value not seen in training has the mean of all rows, {figure(mean.overall)}."
    return Work(mean.name, (rule, grid), end)


def shown_row(schema: Schema, X: Table) -> Iterator[Step]:
    """How the cells of a row in columns of means are found of its values.

    X : the row, with the values
    """
    for mean in (a for a in schema if isinstance(a, TargetMean)):
        if mean.by.name in X.names and mean.name not in X.names:
            column = X.column(mean.by.name)
            if (code := int(conform_column(column, mean.by)[0])) != MISSING:
                yield mean_of_value(mean, as_text(column[0]), code)


def mean_of_value(mean: TargetMean, value: str, code: int) -> Step:
    """How the cell of a value of this code is found."""
    if code == UNSEEN or not mean.rows[code]:
        return Step(
            mean.name, result=mean.overall, note=f"{value} was not seen in training: the mean of all rows"
        )
    n, own, needed, overall = mean.rows[code], mean.means[code], mean.needed, mean.overall
    above = rf"{figure(n)} \cdot {signed(own)} + {figure(needed)} \cdot {signed(overall)}"
    numbers = rf"\frac{{{above}}}{{{figure(n)} + {figure(needed)}}}"
    return Step(mean.name, r"\frac{n \bar{y}_v + n_0 \bar{y}}{n + n_0}", numbers, _drawn(mean, code), value)


def _drawn(mean: TargetMean, code: int) -> float:
    """The cell of a value of training, which has rows."""
    n, needed = mean.rows[code], mean.needed
    return (n * mean.means[code] + needed * mean.overall) / (n + needed)
