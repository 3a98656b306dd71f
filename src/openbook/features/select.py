"""Filter selection: keep the attributes that score best by themselves."""

import math
import warnings
from typing import Annotated, Any

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Maybe, Number, OneOf, Whole
from openbook.data.adjustments import bonferroni, false_discovery, holm
from openbook.errors import DataError, ParameterError
from openbook.features.gather import target_task
from openbook.features.measures import MEASURES
from openbook.features.scores import p_cell, score_examples
from openbook.features.selector import Selector
from openbook.judge.folds.examples import Examples
from openbook.words.numbers import shown
from openbook.work import Grid, Work

#: How p-values are adjusted for the number of attributes, and what that is called.
ADJUSTMENTS = {"holm": holm, "bonferroni": bonferroni, "fdr": false_discovery}
WORDS = {"holm": "Holm", "bonferroni": "Bonferroni", "fdr": "false discovery rate"}


#: The parameters that say how many attributes are kept: their number, or their share.
Count = Annotated[int | None, Maybe(Whole(at_least=1))]
Share = Annotated[float | None, Maybe(Number(above=0, at_most=1))]


class SelectAttributes(Declared, Selector):
    """Keep the attributes with the highest scores, each scored by itself (a filter).

    Give one of `k`, `fraction` and `p`; with none of them, p = 0.05. Of many attributes some are significant
    by chance: `adjust` says which error is held to p. One attribute is always kept. It is fast, and blind to
    attributes that only tell something together; those need a wrapper, such as `ForwardSelection`.

    Parameters
    ----------
    measure : str, default="mutual_information"
    k : int or None, default=None
        How many to keep.
    fraction : float or None, default=None
        This share of them, rounded up.
    p : float or None, default=None
        Those with a p-value of no more than this, adjusted for their number as `adjust` says.
    adjust : {"holm", "bonferroni", "fdr"} or None, default="holm"
        "holm" and "bonferroni" hold the family-wise error, the probability that any useless attribute is
        kept; "fdr" holds the expected share of useless ones among those kept (Benjamini and Hochberg). None
        takes each p-value as it is.
    per_class : bool, default=False
        Whether to keep k for each class, the most informative ones about it against all others; they may
        overlap.
    bins : {"mdl"} or int, default="mdl"
        How numbers are cut where the measure is of counts: "mdl" by the classes, or into this number of
        intervals of equal frequency.

    Attributes
    ----------
    scores_ : AttributeScores
        The score of each attribute.
    support_ : ndarray of bool
        Which columns are kept.
    selected_ : tuple of str
        The names of the columns that are kept.

    Notes
    -----
    Guide: docs/guide/attributes.md

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("weather").split("play")
    >>> SelectAttributes("information_gain", k=2).fit(X, y).selected_
    ('outlook', 'humidity')
    """

    measure: Annotated[str, OneOf(*MEASURES)] = "mutual_information"
    k: Count = None
    fraction: Share = None
    p: Annotated[float | None, Maybe(Number(above=0, at_most=1))] = None
    adjust: Annotated[str | None, Maybe(OneOf(*ADJUSTMENTS))] = "holm"
    per_class: bool = False
    bins: Annotated[Any, Anything("'mdl' or a whole number of at least 2")] = "mdl"

    takes_tables = True

    def _task(self, y):
        return target_task(y)

    def _select(self, examples: Examples) -> list[str]:
        count = number_kept(self, len(examples.table.schema), optional=True)
        self.scores_ = score_examples(examples, self.measure, self.bins)
        defined = [row for row in self.scores_ if not math.isnan(row.score)]
        if not defined:
            first = self.scores_.rows[0]
            raise DataError(
                f"no attribute has a {self.scores_.measure.words} with {self.scores_.target}"
                f" ({first.attribute}: {first.why}); use another measure"
            )
        if self.per_class:
            return self._best_of_each_class(count)
        p_of = self._adjusted
        kept = defined[:count] if count else [row for row in defined if p_of[row.attribute] <= self._level]
        if not kept:
            none = f"SelectAttributes: no attribute has p <= {self._level:g}"
            warnings.warn(f"{none}; the best, {defined[0].attribute}, is kept", stacklevel=4)
        return [row.attribute for row in kept or defined[:1]]

    def _best_of_each_class(self, k: int | None) -> list[str]:
        classes = self.scores_.classes
        if self.k is None or k is None or not classes:
            raise ParameterError("SelectAttributes: per_class needs k, and a target of classes")
        best = {name for label in classes for name in self._best_for(label)}
        return [name for name in self.scores_.names if name in best]

    def _best_for(self, label: Any) -> list[str]:
        return list(self.scores_.for_class(label))[: self.k]

    @property
    def _adjusted(self) -> dict[str, float]:
        """The p-value of each attribute, adjusted for their number."""
        p_values = [row.p_value for row in self.scores_]
        adjusted = p_values if self.adjust is None else ADJUSTMENTS[self.adjust](p_values).tolist()
        return dict(zip(self.scores_.names, adjusted, strict=True))

    @property
    def _level(self) -> float:
        return 0.05 if self.p is None else self.p

    @property
    def _reason(self) -> str:
        if self.k is not None:
            return f"k = {self.k} for each class" if self.per_class else f"k = {self.k}"
        if self.fraction is not None:
            return f"fraction = {self.fraction:g}"
        return f"{self._p} <= {self._level:g}"

    @property
    def _p(self) -> str:
        return "p" if self.adjust is None else f"p ({WORDS[self.adjust]})"

    def _work(self) -> Work:
        """The scores, and which attributes they keep; `scores_.work(attribute)` derives a score."""
        kept = self.selected_
        p_of = self._adjusted
        rows = [
            (a, shown(row.score), p_cell(p_of[a]), "kept" if a in kept else row.why)
            for a, row in zip(self.scores_.names, self.scores_, strict=True)
        ]
        words = self.scores_.measure.words
        grids = [Grid("", ("attribute", words, self._p, ""), rows)]
        if self.per_class:
            best = [(label, ", ".join(self._best_for(label))) for label in self.scores_.classes]
            grids.append(Grid("the best for each class, against all others", ("class", "attributes"), best))
        end = f"Kept {len(kept)} of {len(rows)} by {self._reason}: {', '.join(kept)}."
        return Work(f"Attributes by {words} with {self.scores_.target}", tuple(grids), end)


def number_kept(selection: Any, columns: int, *, optional: bool = False) -> int | None:
    """How many columns `k` or `fraction` keep; None if neither is given and that is allowed."""
    rules = {name: getattr(selection, name, None) for name in ("k", "fraction", "p")}
    given = [name for name, value in rules.items() if value is not None]
    if len(given) > 1:
        msg = f"{type(selection).__name__}: give one of k, fraction and p, not {' and '.join(given)}"
        raise ParameterError(msg)
    if rules["k"] is not None:
        return min(int(rules["k"]), columns)
    if rules["fraction"] is not None:
        return math.ceil(rules["fraction"] * columns - 1e-9)
    if optional:
        return None
    raise ParameterError(f"{type(selection).__name__}: give k or fraction")
