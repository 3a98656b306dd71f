r"""Every cut of a numeric column, as a lecturer would list them.

cut            halfway between neighbouring values; below means x <= cut
mean impurity  of the rows below and above, weighed by how many they are
gain           impurity of the known rows - mean impurity, times the share of known cells
gain ratio     gain / split information, for entropy
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from openbook.data.attributes import Numeric, as_text
from openbook.errors import DataError, ParameterError
from openbook.tree.derive.formulas import MEASURES, branch_grid, impurity_step, split_steps
from openbook.tree.derive.search import TargetRows, cuts_of, is_missing
from openbook.tree.derive.splits import CandidateSplit, Classes, Group, best_of
from openbook.work import Grid, Work
from openbook.work.conditions import Within

#: So many cuts are worked out, the best of them, and so many listed.
WORKED_OUT, LISTED = 8, 100


@dataclass(frozen=True)
class Cut:
    """A cut of a numeric column and its gain; see `candidate_cuts`.

    Parameters
    ----------
    threshold : float
        The cut; below means x <= threshold.
    below : dict
        The weight of each class below the cut; for numbers, their weight, mean and squared error.
    above : dict
        The same above the cut.
    mean_impurity : float
        The impurity of both sides, weighted by their rows.
    gain : float
        The impurity of the known rows minus the mean impurity, times the share of known cells.
    gain_ratio : float or None
        The gain divided by the split information; None but for entropy.

    Notes
    -----
    Guide: docs/guide/trees.md

    Examples
    --------
    >>> cut = candidate_cuts([20, 25, 30, 35], ["no", "yes", "yes", "yes"]).best
    >>> cut.threshold, cut.below
    (22.5, {'no': 1.0, 'yes': 0.0})
    """

    threshold: float
    below: dict[Any, float]
    above: dict[Any, float]
    mean_impurity: float
    gain: float
    gain_ratio: float | None


class Cuts(Sequence):
    """All cuts of a numeric column with their gains, from the lowest to the highest; see `candidate_cuts`.

    Parameters
    ----------
    splits : list of CandidateSplit
        The cuts as `candidate_cuts` finds them.
    rows : TargetRows
        The targets and weights of the rows.
    criterion : str
        "entropy", "gini" or "squared_error".
    names : tuple of str
        The names of the column and the target.

    Attributes
    ----------
    best : Cut or None
        The cut of the highest gain; None if none gains.

    Notes
    -----
    Guide: docs/guide/trees.md

    Examples
    --------
    >>> cuts = candidate_cuts([20, 25, 30, 35], ["no", "yes", "yes", "yes"])
    >>> len(cuts), cuts.best.threshold
    (3, 22.5)
    """

    def __init__(
        self, splits: list[CandidateSplit], rows: TargetRows, criterion: str, names: tuple[str, str]
    ):
        self.criterion = criterion
        self._splits, self._rows, self._names = splits, rows, names
        self._best = best_of(splits, criterion)

    def __len__(self) -> int:
        return len(self._splits)

    def __getitem__(self, i: Any) -> Any:
        if isinstance(i, slice):
            return [self._cut(split) for split in self._splits[i]]
        return self._cut(self._splits[i])

    def __iter__(self) -> Iterator[Cut]:
        return map(self._cut, self._splits)

    @property
    def best(self) -> Cut | None:
        return None if self._best is None else self._cut(self._best)

    def _cut(self, split: CandidateSplit) -> Cut:
        below, above = map(self._described, split.groups)
        return Cut(
            split.cut,
            below,
            above,
            split.mean_impurity(self.criterion),
            split.gain(self.criterion),
            self._ratio(split),
        )

    def _described(self, group: Group) -> dict[Any, float]:
        if isinstance(group, Classes):
            return dict(zip(self._rows.classes or (), group.weights, strict=True))
        return {"weight": group.weight, "mean": group.mean, "error": group.error}

    def _ratio(self, split: CandidateSplit) -> float | None:
        return split.gain(self.criterion) / split.info if self.criterion == "entropy" else None

    def work(self) -> Work:
        """All cuts beside each other, the best of them worked out.

        The steps of a cut are labelled by its test: gain(x <= 32), H(class | x <= 32).

        Returns
        -------
        Work
        """
        name, target = self._names
        attribute, rows = Numeric(name), self._rows.group([True] * len(self._rows.targets))
        parts: list = [impurity_step(MEASURES[self.criterion].of(target), rows, self.criterion)]
        best = sorted(self._splits, key=lambda split: -split.gain(self.criterion))[:WORKED_OUT]
        parts += [self._work_of(split, attribute, target) for split in self._splits if split in best]
        parts.append(self._grid(name))
        if self._best is None:
            return Work(f"Where to cut {name}", tuple(parts), "No cut has a gain.")
        test = Within(attribute, high=self._best.cut)
        return Work(f"Where to cut {name}", tuple(parts), f"{test} wins: the highest gain.")

    def __repr__(self) -> str:
        return Work(f"Where to cut {self._names[0]}", (self._grid(self._names[0]),)).text()

    def _work_of(self, split: CandidateSplit, attribute: Numeric, target: str) -> Work:
        tests = (Within(attribute, high=split.cut), Within(attribute, low=split.cut))
        named = CandidateSplit(tuple(zip(tests, split.groups, strict=True)), split.missing_rows, split.cut)
        columns = (
            (*map(as_text, self._rows.classes), "rows")
            if self._rows.classes
            else (f"mean of {target}", "rows")
        )
        # the gain ratio is the entropy's, so what is worked out for entropy goes as far as that
        criterion = "gain_ratio" if self.criterion == "entropy" else self.criterion
        steps = split_steps(named, target, str(tests[0]), criterion)
        return Work(str(tests[0]), (branch_grid(named, columns, attribute.name, criterion), *steps))

    def _grid(self, name: str) -> Grid:
        ratio = ("gain ratio",) if self.criterion == "entropy" else ()
        header = (
            f"{name} <=",
            "below",
            "above",
            MEASURES[self.criterion].mean_name,
            "gain",
            *ratio,
            "so",
        )
        rows = []
        for split, cut in zip(self._splits[:LISTED], self, strict=False):
            sides = [
                ", ".join(f"{as_text(c)} {as_text(w)}" for c, w in side.items())
                for side in (cut.below, cut.above)
            ]
            last = (cut.gain_ratio,) if ratio else ()
            wins = "wins" if split is self._best else ""
            rows.append((cut.threshold, *sides, cut.mean_impurity, cut.gain, *last, wins))
        more = len(self) - LISTED
        return Grid("cuts", header, rows, f"{more} of the {len(self)} cuts are not shown" if more > 0 else "")


def candidate_cuts(
    values: Sequence,
    classes: Sequence,
    weights: Sequence[float] | None = None,
    criterion: str = "entropy",
    name: str | None = None,
    target: str | None = None,
) -> Cuts:
    """Every candidate cut of a numeric column, halfway between neighbouring values, with its gain.

    In plain Python, for columns that one wants to read: it takes the square of the number of rows.

    Parameters
    ----------
    values : sequence of float
        The column; None or NaN where missing.
    classes : sequence
        The class of each row, or numbers for "squared_error".
    weights : sequence of float or None, default=None
        The weight of each row; None for 1 each.
    criterion : {"entropy", "gini", "squared_error"}, default="entropy"
        The measure of impurity.
    name : str or None, default=None
        What `work()` calls the column; None for its own name, or x.
    target : str or None, default=None
        What `work()` calls the target; None for its own name, or class.

    Returns
    -------
    Cuts
        A sequence of `Cut`, with `best` and `work()`.

    Notes
    -----
    Guide: docs/guide/trees.md

    Examples
    --------
    >>> cuts = candidate_cuts([20, 25, 30, 35], ["no", "yes", "yes", "yes"])
    >>> [(cut.threshold, round(cut.gain, 3)) for cut in cuts]
    [(22.5, 0.811), (27.5, 0.311), (32.5, 0.123)]
    >>> cuts.best.below, cuts.best.above
    ({'no': 1.0, 'yes': 0.0}, {'no': 0.0, 'yes': 3.0})
    """
    if criterion not in ("entropy", "gini", "squared_error"):
        msg = f"criterion must be one of 'entropy', 'gini', 'squared_error', got {criterion!r}"
        raise ParameterError(msg)
    cells = [None if is_missing(v) else float(v) for v in _plain(values)]
    targets = _plain(classes)
    sizes = [1.0] * len(cells) if weights is None else [float(w) for w in _plain(weights)]
    if not len(cells) == len(targets) == len(sizes):
        msg = f"values, classes and weights differ in length: {len(cells)}, {len(targets)}, {len(sizes)}"
        raise DataError(msg)
    if not cells or not all(math.isfinite(w) and w > 0 for w in sizes):
        raise DataError("there must be rows, and every weight must be a number above 0")
    known = None if criterion == "squared_error" else sorted(set(targets))
    rows = TargetRows(targets, sizes, known)
    names = name or getattr(values, "name", None) or "x", target or getattr(classes, "name", None) or "class"
    return Cuts(cuts_of(cells, rows), rows, criterion, names)


def _plain(column: Sequence) -> list:
    """A column as a list of Python's own values."""
    return column.tolist() if isinstance(column, np.ndarray) else list(column)
