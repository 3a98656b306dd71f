"""Greedy forward selection: start with nothing, and add the most useful attribute one by one."""

from typing import Annotated

from openbook.border.rules import Maybe, Number, Whole
from openbook.features.search import SAME, SelectionStep, SubsetSearch, best_candidate, gain
from openbook.features.subsets import Judge
from openbook.judge.choice.comparison import difference
from openbook.words.numbers import shown


class ForwardSelection(SubsetSearch):
    """Greedy forward selection: add the attribute that improves the learner most, one at a time.

    It stops when the best candidate does not improve the score by more than `min_gain` or, with `p`, not
    significantly (corrected resampled t test; McNemar where rows are left out one by one). With `k` it
    selects k attributes, whatever they gain. The first attribute is always taken.

    Parameters
    ----------
    estimator : estimator
        Any classifier or regressor with scikit-learn's methods.
    k : int or None, default=None
        How many to select; None leaves it to the gains.
    min_gain : float, default=0.0
        An attribute must add more than this to the score.
    p : float or None, default=None
        The p-value that its gain must not exceed.
    metric : str, Metric or None, default=None
        The score that decides, by name; None for accuracy, or RMSE for numbers.
    cv : int, splitter, iterable or None, default=None
        How rows are divided: a number of folds, a splitter, or pairs of positions; None for 5 stratified
        folds, and leave-one-out under fifty rows.
    random_state : int, default=0
        The seed of the default split.

    Attributes
    ----------
    path_ : tuple
        Each step: the attribute added, the score, and the candidates.
    stop_ : str
        Why it stopped.
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
    >>> from openbook.bayes import NaiveBayes
    >>> X, y = load("iris").split("species")
    >>> ForwardSelection(NaiveBayes(), k=2).fit(X, y).selected_
    ('petal length (cm)', 'petal width (cm)')
    """

    k: Annotated[int | None, Maybe(Whole(at_least=1))] = None
    min_gain: Annotated[float, Number(at_least=0)] = 0.0
    p: Annotated[float | None, Maybe(Number(above=0, at_most=1))] = None

    def _walk(self, names: tuple[str, ...], judge: Judge) -> tuple[str, ...]:
        kept: tuple[str, ...] = ()
        path: list[SelectionStep] = []
        score, last, self.stop_ = self.baseline_, None, "Every attribute is selected."
        while len(kept) < len(names):
            if self.k is not None and len(kept) == self.k:
                self.stop_ = f"k = {self.k} attributes are selected."
                break
            left = [name for name in names if name not in kept]
            candidates = tuple(self._judged(name, (*kept, name), judge) for name in left)
            best = best_candidate(self.metric_, candidates)
            gained = gain(self.metric_, best.score, score)
            if kept and self.k is None and (reason := self._too_little(gained, best, last)):
                path.append(SelectionStep(candidates, None, kept, score, 0.0))
                self.stop_ = reason
                break
            kept, score, last = (*kept, best.attribute), best.score, best
            path.append(SelectionStep(candidates, best.attribute, kept, score, gained))
        self.path_ = tuple(path)
        return kept

    def _too_little(self, gained, best, last) -> str:
        """Why the best candidate is not added, if it is not."""
        by = f"{best.attribute}, the best of the others, gains {shown(gained, sign='+')}"
        if not gained > self.min_gain + SAME:
            more = f"more than {self.min_gain:g}" if self.min_gain else "something"
            return f"{by}, and must gain {more}."
        if self.p is not None:
            p = difference(best.evaluation, last.evaluation, self.metric_).p_value
            if not p <= self.p:
                return f"{by}, which is not significant (p = {shown(p)} > {self.p:g})."
        return ""
