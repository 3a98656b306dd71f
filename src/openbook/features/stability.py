r"""Stability selection: keep the attributes that are selected on most random halves of the rows.

    frequency(j) = share of the rounds in which the selection keeps attribute j
    kept         = the attributes whose frequency reaches the threshold t
    E[V]        <= q² / ((2 t - 1) d)

where V is the number of attributes kept though they have nothing to do with the target, q how many a round
keeps in the mean, and d how many there are (Meinshausen and Bühlmann, 2010). The bound holds if useless
attributes are interchangeable, and the selection does no worse than guessing. Each round draws half of the
rows without replacement, from a seed of its own, so that the number of workers changes nothing.
"""

import warnings
from functools import partial
from typing import Annotated, Any

import numpy as np
from sklearn.base import clone

from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Number, Whole
from openbook.errors import DataError, ParameterError
from openbook.features.select import SelectAttributes
from openbook.features.selector import Selector
from openbook.fold import each
from openbook.judge.folds.examples import Examples, RowsOfFold, Split
from openbook.judge.folds.thread_warnings import collected_warnings
from openbook.judge.scores.metrics import Task
from openbook.words.numbers import figure
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work


class StabilitySelection(Declared, Selector):
    """Stability selection: keep the attributes chosen on most random halves of the rows.

    Parameters
    ----------
    selector : Selector or None, default=None
        The selection that is repeated; None for `SelectAttributes(fraction=0.5)`.
    repeats : int, default=100
        The number of random halves.
    threshold : float, default=0.75
        The share of the repeats in which an attribute must be chosen: above 0.5, up to 1.
    random_state : int, default=0

    Attributes
    ----------
    frequencies_ : ndarray
        The share of the repeats in which each column was chosen, in the order of the table.
    bound_ : float
        How many useless attributes are kept, at most, in expectation.
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
    >>> X, y = load("iris").split("species")
    >>> StabilitySelection(SelectAttributes(k=2), repeats=20).fit(X, y).selected_
    ('petal length (cm)', 'petal width (cm)')
    """

    selector: Annotated[Any, Anything("None or a selection of openbook's")] = None
    repeats: Annotated[int, Whole(at_least=2)] = 100
    threshold: Annotated[float, Number(above=0.5, at_most=1)] = 0.75
    random_state: Annotated[int, Whole()] = 0

    @property
    def takes_tables(self) -> bool:
        """Whether its selection takes Tables."""
        return bool(getattr(self._inner, "takes_tables", False))

    @property
    def _inner(self) -> Selector:
        if self.selector is None:
            return SelectAttributes(fraction=0.5)
        if not isinstance(self.selector, Selector):
            msg = f"StabilitySelection: selector must be a selection of openbook's, got {self.selector!r}"
            raise ParameterError(msg)
        return self.selector

    def _task(self, y: Any) -> Task:
        return self._inner._task(y)  # noqa: SLF001 (its own kind)

    def _select(self, examples: Examples) -> list[str]:
        if len(examples) < 4:
            msg = f"StabilitySelection: {plural(len(examples), 'row')} cannot be halved; give at least four"
            raise DataError(msg)
        chosen = list(each(range(self.repeats), partial(_chosen, self._inner, examples, self.random_state)))
        self.frequencies_ = np.mean(chosen, axis=0)
        self.mean_size_ = float(np.sum(chosen, axis=1).mean())
        names = examples.table.names
        self.bound_ = self.mean_size_**2 / ((2 * self.threshold - 1) * len(names))
        kept = [name for name, f in zip(names, self.frequencies_, strict=True) if f >= self.threshold - 1e-12]
        if not kept:
            best = names[int(np.argmax(self.frequencies_))]
            none = f"StabilitySelection: no attribute is chosen in {self.threshold:g} of the rounds"
            warnings.warn(f"{none}; the most frequent, {best}, is kept", stacklevel=4)
            return [best]
        return kept

    def _work(self) -> Work:
        """The frequencies, and the bound on useless attributes."""
        d, t = len(self.support_), self.threshold
        q = figure(self.mean_size_)
        note = "V: irrelevant attributes kept, if these are exchangeable (Meinshausen and Bühlmann)"
        formula = r"\frac{q^2}{(2 t - 1) d}"
        bound = Step.of("E[V] at most", formula, {"q": q, "t": t, "d": d}, self.bound_, note)
        mean = Step("q", result=self.mean_size_, note="mean number of attributes chosen per round")
        note = f"{self.repeats} rounds of {type(self._inner).__name__} on half of the rows each."
        grid = Grid("Frequencies", ("attribute", "chosen", ""), self._ranked(self.frequencies_), note)
        often = f"Kept {len(self.selected_)} of {d}, chosen in {t:g} of the rounds"
        end = f"{often}: {', '.join(self.selected_)}."
        return Work("Stability selection", (grid, mean, bound), end)


def _chosen(selector: Selector, examples: Examples, seed: int, i: int) -> np.ndarray:
    """Which columns the selection keeps on one half of the rows."""
    n = len(examples)
    rows = np.sort(np.random.default_rng([seed, i]).permutation(n)[: n // 2])
    cut = RowsOfFold(examples, Split(i, rows, rows))
    with collected_warnings():
        return clone(selector).fit(*cut.training(selector)).get_support()
