"""Exhaustive selection: evaluate every subset."""

from itertools import combinations

from openbook.errors import ParameterError
from openbook.features.search import SAME, SubsetSearch, gain
from openbook.features.subsets import Judge
from openbook.words.numbers import shown
from openbook.work import Grid, Work

#: More attributes than these have too many subsets.
MOST = 16
_SHOWN = 10


class ExhaustiveSelection(SubsetSearch):
    """Evaluate the learner on every subset of the attributes, and keep the best.

    Of equal scores the smaller subset wins, and of those of one size the one whose attributes come first in
    the table. There are 2^d - 1 subsets; more than 16 attributes are refused.

    Parameters
    ----------
    estimator : estimator
        Any classifier or regressor with scikit-learn's methods.
    metric : str, Metric or None, default=None
        The score that decides, by name; None for accuracy, or RMSE for numbers.
    cv : int, splitter, iterable or None, default=None
        How rows are divided: a number of folds, a splitter, or pairs of positions; None for 5 stratified
        folds, and leave-one-out under fifty rows.
    random_state : int, default=0

    Attributes
    ----------
    best_ : tuple
        The best subsets with their scores, the best first.
    n_subsets_ : int
        The number of subsets.
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
    >>> search = ExhaustiveSelection(NaiveBayes()).fit(X, y)
    >>> search.n_subsets_, len(search.selected_)
    (15, 3)
    """

    def _select(self, examples):
        if (d := len(examples.table.schema)) > MOST:
            raise ParameterError(
                f"ExhaustiveSelection: {d} attributes have {2**d - 1:,} subsets to evaluate;"
                f" keep at most {MOST}, with SelectAttributes(k={MOST}), or search with ForwardSelection"
            )
        return super()._select(examples)

    def _walk(self, names: tuple[str, ...], judge: Judge) -> tuple[str, ...]:
        subsets = [subset for size in range(1, len(names) + 1) for subset in combinations(names, size)]
        self.n_subsets_ = len(subsets)
        best: list[tuple[tuple[str, ...], float]] = []
        for subset in subsets:
            best.append((subset, self._score(judge(subset))))
            rank = len(best) - 1
            while rank and gain(self.metric_, best[rank][1], best[rank - 1][1]) > SAME:
                best[rank - 1], best[rank] = best[rank], best[rank - 1]
                rank -= 1
            del best[_SHOWN:]
        self.best_ = tuple(best)
        return best[0][0]

    def _work(self) -> Work:
        """The best subsets and their scores."""
        words = self.metric_.words
        rows = [(i, ", ".join(subset), shown(score)) for i, (subset, score) in enumerate(self.best_, 1)]
        note = f"Without any attribute: {shown(self.baseline_)}. Folds: {self.words_}."
        grid = Grid(f"The best of {self.n_subsets_:,} subsets", ("", "attributes", words), rows, note)
        end = f"Kept {', '.join(self.selected_)}: {words} {shown(self.best_[0][1])}."
        return Work(f"ExhaustiveSelection with {type(self.estimator).__name__}", (grid,), end)
