"""Backward elimination (ablation): start with every attribute, and drop the least useful one by one."""

import math
from typing import Annotated

from openbook.border.rules import Number
from openbook.features.search import SAME, SelectionStep, SubsetSearch, best_candidate, gain
from openbook.features.subsets import Judge
from openbook.words.numbers import shown


class Ablation(SubsetSearch):
    """Backward elimination: drop the least useful attribute while the loss is at most `eps`.

    The loss is against all attributes, so that many small losses cannot add up to a large one. One attribute
    is always kept.

    Parameters
    ----------
    estimator : estimator
        Any classifier or regressor with scikit-learn's methods.
    eps : float, default=0.0
        How much worse than with all attributes the score may become.
    metric : str, Metric or None, default=None
        The score that decides, by name; None for accuracy, or RMSE for numbers.
    cv : int, splitter, iterable or None, default=None
        How rows are divided: a number of folds, a splitter, or pairs of positions; None for 5 stratified
        folds, and leave-one-out under fifty rows.
    random_state : int, default=0

    Attributes
    ----------
    full_ : float
        The score with all attributes.
    path_ : tuple
        Each step: the attribute dropped, the score, and the candidates.
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
    >>> Ablation(NaiveBayes(), eps=0.01).fit(X, y).selected_
    ('petal width (cm)',)
    """

    eps: Annotated[float, Number(at_least=0)] = 0.0

    verb = "dropped"

    def _walk(self, names: tuple[str, ...], judge: Judge) -> tuple[str, ...]:
        kept, path = names, []
        self.full_ = score = self._score(judge(names))
        self.stop_ = "Only one attribute is left."
        while len(kept) > 1:
            smaller = {name: [other for other in kept if other != name] for name in kept}
            candidates = tuple(self._judged(name, others, judge) for name, others in smaller.items())
            best = best_candidate(self.metric_, candidates)
            loss = -gain(self.metric_, best.score, self.full_)
            if not loss <= self.eps + SAME:
                path.append(SelectionStep(candidates, None, kept, score, 0.0))
                lost = "the score" if math.isinf(loss) else shown(loss)
                least = f"Without {best.attribute}, the least useful, {lost} is lost"
                self.stop_ = f"{least}: more than eps = {self.eps:g}."
                break
            kept, gained = tuple(smaller[best.attribute]), gain(self.metric_, best.score, score)
            path.append(SelectionStep(candidates, best.attribute, kept, best.score, gained))
            score = best.score
        self.path_ = tuple(path)
        return kept
