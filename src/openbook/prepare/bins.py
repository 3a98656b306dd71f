r"""Numbers as intervals: an ordinal column whose values are bins.

    uniform     equal width: cuts at min + (max - min) i / k
    quantile    about as many rows in every bin; cuts halfway between neighbouring values
    kmeans      cuts halfway between the means of k groups, from equal widths on (Lloyd's iteration)
    mdl         the cuts whose information gain exceeds the cost of describing them: Fayyad and Irani
    cuts        given

A cut parts the values <= it from those above. `n_bins="auto"` tries 2 to 20 bins and takes the number with
the lowest error, the fewest of equals: five folds of the training rows, in which a bin predicts its most
frequent class, or the mean of its targets, as found in the other four. Missing cells stay missing; later
numbers beyond the training rows are in the outer bins.

cuts : float64 (n_bins - 1,) of each column, ascending
"""

from collections.abc import Mapping
from functools import partial
from typing import Annotated, Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from openbook.border.not_taken import Declared
from openbook.border.rules import Ascending, Auto, Maybe, OneOf, Whole
from openbook.damage import checked_array
from openbook.data import MISSING, Datetime, Numeric, Ordinal, Table
from openbook.data.forms import in_form_of, with_rows
from openbook.errors import RefusalError
from openbook.prepare.discretise import BinSplit, derive_bins, equal_cuts, mdl_splits
from openbook.prepare.transformer import Preparation, TrainingTable
from openbook.words.numbers import figure, signed
from openbook.work import Grid, Step, Work

#: The most bins that are tried, the folds in which each number of them is judged, and Lloyd's iterations.
_MOST_BINS, _FOLDS, _ITERATIONS = 20, 5, 300
#: How each strategy finds the cuts, in words.
_HOW = {
    "uniform": "bins of equal width",
    "quantile": "about as many rows in every bin, halfway between neighbouring numbers",
    "kmeans": "halfway between the means of k groups",
    "mdl": "by entropy and MDL",
}
#: The error of a number of bins that was not tried.
_NOT_TRIED = -1.0


class KBinsDiscretizer(Declared, Preparation):
    """Cut numbers into bins; the column becomes ordinal, with intervals for values.

    The name is scikit-learn's. There a bin is an integer or a 0/1 column; here it is a value such as
    "(18, 65]" of an ordinal column, which learners of categories use as it is.

    Parameters
    ----------
    n_bins : int or "auto", default=5
        How many bins, at most. "auto" takes the number with the lowest error in folds of the training rows.
    strategy : {"uniform", "quantile", "kmeans", "mdl"}, default="quantile"
        How the cuts are found. "mdl" needs classes and finds the number of bins itself.
    cuts : sequence of float or None, default=None
        The cuts themselves, ascending; then nothing is found.
    columns : list of str or None, default=None

    Attributes
    ----------
    cuts_ : dict of str to ndarray
        The cuts of each column.
    bin_edges_ : list of ndarray
        The smallest training number, the cuts, and the largest.
    n_bins_ : ndarray of shape (n_columns,)
        How many bins each column has.
    errors_ : ndarray of shape (n_columns, 19)
        With n_bins="auto", the error of 2 to 20 bins; -1 if there are too few values.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> from openbook import read
    >>> ages = read({"age": [3, 17, 25, 40, 66, 80]})
    >>> KBinsDiscretizer(3).fit_transform(ages)["age"].tolist()
    ['<= 21', '<= 21', '(21, 53]', '(21, 53]', '> 53', '> 53']
    >>> KBinsDiscretizer(cuts=[18, 65]).fit_transform(ages)["age"].tolist()[0]
    '<= 18'
    """

    n_bins: Annotated[int, Auto(Whole(at_least=1))] = 5
    strategy: Annotated[str, OneOf("uniform", "quantile", "kmeans", "mdl")] = "quantile"
    cuts: Annotated[Any, Maybe(Ascending())] = None
    columns: list[str] | None = None

    _asks_target = True

    def _learn(self, rows: TrainingTable) -> None:
        self.cuts_, ends, errors = {}, [], []
        self._splits: dict[str, list[BinSplit]] = {}
        for name in self._chosen:
            x = np.asarray(rows.X.data(name), dtype=float)
            known = ~np.isnan(x)
            part = TrainingTable(
                rows.X, None if rows.y is None else rows.y[known], rows.n_classes, rows.w[known]
            )
            found, tried = self._found(name, x[known], part)
            self.cuts_[name] = found
            ends.append((x[known].min(), x[known].max()) if known.any() else (0.0, 0.0))
            errors.append(tried)
        self._ends = np.array(ends).reshape(-1, 2)
        self.errors_ = np.array(errors).reshape(-1, _MOST_BINS - 1)

    def _found(self, name: str, x: np.ndarray, rows: TrainingTable) -> tuple[np.ndarray, np.ndarray]:
        """The cuts of known numbers, and the error of each number of bins."""
        none = np.full(_MOST_BINS - 1, _NOT_TRIED)
        if self.cuts is not None:
            return np.array(self.cuts, dtype=float), none
        if not len(x):
            return np.zeros(0), none
        if self.strategy == "mdl":
            if rows.y is None or not rows.n_classes:
                raise RefusalError(
                    "bins by mdl need a target of classes; name another strategy, such as quantile"
                )
            self._splits[name] = mdl_splits(x, rows.y, rows.n_classes)
            return np.array(sorted(one.cut for one in self._splits[name] if one.accepted)), none
        if self.n_bins != "auto":
            return bin_cuts(x, rows.w, self.n_bins, self.strategy), none
        if rows.y is None:
            raise RefusalError('n_bins="auto" needs a target, which tells the error; give a number of bins')
        most = min(_MOST_BINS, len(np.unique(x)))
        tried = [
            _error(x, rows, k, self.strategy) if k <= most else _NOT_TRIED for k in range(2, _MOST_BINS + 1)
        ]
        errors = np.array(tried)
        if most < 2:
            return np.zeros(0), errors
        best = 2 + int(np.argmin(np.where(errors >= 0, errors, np.inf)))
        return bin_cuts(x, rows.w, best, self.strategy), errors

    @property
    def bin_edges_(self) -> list[np.ndarray]:
        ends = zip(self._ends.tolist(), self.cuts_.values(), strict=True)
        return [np.array([low, *cuts.tolist(), high]) for (low, high), cuts in ends]

    @property
    def n_bins_(self) -> np.ndarray:
        return np.array([len(cuts) + 1 for cuts in self.cuts_.values()], dtype=int)

    def _attribute(self, name: str) -> Ordinal:
        return Ordinal(name, self._number(name).interval_names(self.cuts_[name].tolist()))

    def _number(self, name: str) -> Numeric:
        number = self.schema_[name]
        assert isinstance(number, Numeric)
        return number

    def _shown(self, name: str, number: float) -> str:
        attribute = self._number(name)
        if np.isnan(number):
            return "missing"
        return attribute.shown(number) if isinstance(attribute, Datetime) else figure(number)

    def _prepared(self, table: Table) -> Table:
        new = {}
        for name, cuts in self.cuts_.items():
            attribute, x = self._attribute(name), table.data(name)
            new[name] = (
                attribute,
                np.where(np.isnan(x), MISSING, np.searchsorted(cuts, x)).astype(attribute.dtype),
            )
        return self._with(table, new)

    def inverse_transform(self, X: Any) -> Any:
        """The rows with numbers again: the middle of each bin.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        table-like
            In the form that X has.
        """
        check_is_fitted(self)
        X = with_rows(X)
        table = self._read_back(X, {name: self._attribute(name) for name in self.cuts_})
        new = {}
        for name, edges in zip(self.cuts_, self.bin_edges_, strict=True):
            middles = np.append(
                (edges[:-1] + edges[1:]) / 2, [np.nan, np.nan]
            )  # the last two answer -2 and -1
            new[name] = self.schema_[name], middles[table.data(name)]
        return in_form_of(X, self._with(table, new))

    # the model file

    def _arrays(self) -> Mapping[str, np.ndarray]:
        cuts = np.concatenate([np.zeros(0), *self.cuts_.values()])
        return {"cuts": cuts, "bins": self.n_bins_, "ends": self._ends, "errors": self.errors_}

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        n = len(self._chosen)
        bins = checked_array(arrays, "bins", int, (n,))
        if (bins < 1).any():
            raise ValueError("the bins are not valid: a column has none")
        cuts = checked_array(arrays, "cuts", float, (int((bins - 1).sum()),))
        parts = np.split(cuts, np.cumsum(bins - 1)[:-1]) if n else []
        if any((np.diff(part) <= 0).any() for part in parts):
            raise ValueError("the bins are not valid: cuts must ascend")
        self.cuts_ = dict(zip(self._chosen, parts, strict=True))
        self._ends = checked_array(arrays, "ends", float, (n, 2))
        self.errors_, self._splits = checked_array(arrays, "errors", float, (n, _MOST_BINS - 1)), {}

    # showing the work

    def _work(self) -> Work:
        rows = [
            (name, len(cuts) + 1, ", ".join(self._shown(name, cut) for cut in cuts.tolist()) or "–")
            for name, cuts in self.cuts_.items()
        ]
        how = "given" if self.cuts is not None else _HOW[self.strategy]
        note = f"Cuts: {how}. A bin includes its upper cut."
        parts: list[Grid | Step | Work] = [
            *self._widths(),
            Grid("columns", ("column", "bins", "cuts"), rows, note),
        ]
        for name, tried in zip(self._chosen, self.errors_.tolist(), strict=True):
            known = [(k, error) for k, error in enumerate(tried, start=2) if error >= 0]
            if known:
                parts.append(Grid(f"error of {name} by the number of bins", ("bins", "error"), known))
        for name, splits in self._splits.items():
            parts.append(derive_bins(name, splits, partial(self._shown, name)))
        return Work("KBinsDiscretizer: numbers as intervals", tuple(parts))

    def _widths(self) -> list[Step]:
        """The width of equal bins, of columns that are no dates."""
        if self.strategy != "uniform" or self.cuts is not None:
            return []
        steps = []
        for (low, high), (name, cuts) in zip(self._ends.tolist(), self.cuts_.items(), strict=True):
            numbers = rf"\frac{{{figure(high)} - {signed(low)}}}{{{len(cuts) + 1}}}"
            width = (high - low) / (len(cuts) + 1)
            if not isinstance(self.schema_[name], Datetime):
                steps.append(Step(f"width of {name}", r"\frac{\text{max} - \text{min}}{k}", numbers, width))
        return steps

    def _work_row(self, X: Table) -> Work:
        after = self._prepared(X)
        rows = [
            (name, self._shown(name, float(X.data(name)[0])), after.column(name)[0]) for name in self.cuts_
        ]
        return Work(
            "KBinsDiscretizer: one row", (Grid("", ("column", "is", "bin"), rows), *self._unchanged(X))
        )


def bin_cuts(x: np.ndarray, w: np.ndarray, bins: int, strategy: str) -> np.ndarray:
    """The cuts of known numbers into `bins` bins at most.

    >>> bin_cuts(np.array([0.0, 1.0, 2.0, 10.0]), np.ones(4), 2, "uniform").tolist()
    [5.0]
    >>> bin_cuts(np.array([0.0, 1.0, 2.0, 10.0]), np.ones(4), 2, "kmeans").tolist()
    [5.5]
    """
    values, which = np.unique(x, return_inverse=True)
    weights = np.bincount(which, w)
    if strategy == "quantile":
        return equal_cuts(values, weights, bins)
    if len(values) < 2 or bins < 2:
        return np.zeros(0)
    even = np.linspace(values[0], values[-1], bins + 1)
    if strategy == "uniform":
        return even[1:-1]
    means = (even[1:] + even[:-1]) / 2
    for _ in range(_ITERATIONS):
        groups = np.searchsorted((means[1:] + means[:-1]) / 2, values)
        sizes = np.bincount(groups, weights, len(means))
        sums = np.bincount(groups, weights * values, len(means))
        new = np.where(sizes > 0, sums / np.where(sizes > 0, sizes, 1.0), means)
        if np.array_equal(new, means):
            break
        means = new
    cuts = (means[1:] + means[:-1]) / 2
    return np.unique(cuts)


def _error(x: np.ndarray, rows: TrainingTable, bins: int, strategy: str) -> float:
    """The error of predicting the target by the bin, in folds: the share of wrong classes, or squared."""
    assert rows.y is not None
    fold = np.random.default_rng(0).permutation(len(x)) % _FOLDS
    wrong = 0.0
    for held in range(min(_FOLDS, len(x))):
        train, test = fold != held, fold == held
        if not train.any() or not test.any():
            continue
        cuts = bin_cuts(x[train], rows.w[train], bins, strategy)
        predicted = _predictions_of_bins(
            np.searchsorted(cuts, x[train]), rows.y[train], rows.w[train], len(cuts) + 1, rows.n_classes
        )
        found = predicted[np.searchsorted(cuts, x[test])]
        truth = rows.y[test]
        wrong += float(rows.w[test] @ ((found != truth) if rows.n_classes else (found - truth) ** 2))
    return wrong / float(rows.w.sum())


def _predictions_of_bins(
    bins: np.ndarray, y: np.ndarray, w: np.ndarray, n_bins: int, n_classes: int
) -> np.ndarray:
    """What each bin predicts: its most frequent class or its mean; an empty one, that of all rows."""
    sizes = np.bincount(bins, w, n_bins)
    if not n_classes:
        means = np.bincount(bins, w * y, n_bins) / np.where(sizes > 0, sizes, 1.0)
        return np.where(sizes > 0, means, np.average(y, weights=w))
    counts = np.bincount(bins * n_classes + y, w, n_bins * n_classes).reshape(n_bins, n_classes)
    return np.where(sizes > 0, counts.argmax(axis=1), counts.sum(axis=0).argmax())
