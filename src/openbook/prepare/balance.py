r"""Classes of more nearly equal size among the training rows: by weights, by rows drawn, or by new rows.

    weights       n / (k n_c) for a row of class c, one of k
    over, under   rows of each smaller class drawn again, rows of each larger class left out
    SMOTE         x + g (x' - x), g ~ U(0, 1)      x' one of the k nearest rows of its class

Of columns without numbers, SMOTE takes the value that most of the k nearest rows have (SMOTE-NC). Distances
are those of `similar_rows`: numbers standardised, 1 for differing values. Borderline SMOTE starts only from
rows at least half of whose nearest rows, of all classes, are of others, but not all of them: those would be
noise.

Probabilities learnt from balanced classes are those of a world in which the classes are so: too high for
what is rare. `openbook.decide.compare_corrections` measures by how much. Copied rows bring their errors.

References: Chawla, Bowyer, Hall and Kegelmeyer (2002), SMOTE. Han, Wang and Mao (2005), Borderline-SMOTE.
"""

from abc import abstractmethod
from collections.abc import Mapping
from typing import Annotated, ClassVar

import numpy as np
from scipy.spatial import cKDTree

from openbook.border.not_taken import Declared
from openbook.border.rows import Rows
from openbook.border.rules import Number, Whole
from openbook.data import Nominal, Table
from openbook.data.attributes import as_text
from openbook.errors import RefusalError
from openbook.prepare.augment import DrawnRows, NewRows, Rng
from openbook.prepare.encoding import Encoding
from openbook.prepare.similar_rows import KnownPoints, nearest_rows
from openbook.prepare.transformer import TrainingTable
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: Encoded columns up to which a tree of rows is faster than comparing all pairs.
_MOST_COLUMNS = 20


class BalancedClasses(DrawnRows):
    """Classes of more nearly equal size."""

    _asks_target = _needs_target = True
    _meanings = DrawnRows._meanings | {  # noqa: SLF001 (its base class)
        "ratio": "The size of each smaller class, as a share of the largest; classes above it stay.",
    }

    counts_: dict[str, tuple[int, int]]
    #: A warning about the balanced rows.
    _caution: ClassVar[str] = "Rows that are copied bring their errors along."

    def _learn(self, rows: TrainingTable) -> None:
        assert rows.y is not None
        if not rows.n_classes and (rows.y % 1 != 0).any():
            raise RefusalError(f"{type(self).__name__} balances classes, and the target is a number")
        self._codes = rows.y
        if not rows.n_classes:  # whole numbers are classes, too
            values, self._codes = np.unique(rows.y, return_inverse=True)
            self._labels = tuple(as_text(value) for value in values.tolist())
        super()._learn(rows)

    def _draw(self, table: Table, rng: Rng) -> None:  # noqa: ARG002 (SMOTE looks at it)
        sizes = np.bincount(self._codes, minlength=len(self._labels))
        drawn = [self._of_class(np.flatnonzero(self._codes == c), sizes, rng) for c in range(len(sizes))]
        self._finish(np.concatenate(drawn), rng)
        after = np.bincount(self._codes[self.rows_], minlength=len(sizes))
        self.counts_ = {
            label: (int(a), int(b)) for label, a, b in zip(self._labels, sizes, after, strict=True)
        }

    @abstractmethod
    def _of_class(self, own: np.ndarray, sizes: np.ndarray, rng: Rng) -> np.ndarray:
        """The rows of a class that are drawn, or that new rows start from."""

    def _finish(self, drawn: np.ndarray, rng: Rng) -> None:  # noqa: ARG002 (new rows need more draws)
        """Set `rows_`, and how new rows are made."""
        self.rows_ = np.sort(drawn).astype(np.intp)

    def _wanted(self, sizes: np.ndarray) -> int:
        """The size of the smaller classes."""
        return round(self.ratio * int(sizes.max()))

    def _arrays(self) -> Mapping[str, np.ndarray]:
        names = "\n".join(label.replace("\n", " ") for label in self.counts_).encode()
        counts = np.array(list(self.counts_.values())).reshape(-1, 2)
        return {**super()._arrays(), "counts": counts, "labels": np.frombuffer(names, np.uint8)}

    def _restore(self, arrays: Mapping[str, np.ndarray]) -> None:
        super()._restore(arrays)
        counts, names = arrays["counts"], arrays["labels"]
        labels = names.tobytes().decode(errors="replace").split("\n") if names.dtype == np.uint8 else []
        if names.ndim != 1 or counts.shape != (len(labels), 2) or counts.dtype.kind not in "iu":
            raise ValueError("the sizes of its classes are not valid")
        self.counts_ = {label: (a, b) for label, (a, b) in zip(labels, counts.tolist(), strict=True)}

    def _work(self) -> Work:
        end = (
            "Rows to predict stay as they are. Probabilities are those of a world with these classes: too"
            f" high for what was rare. {self._caution}"
        )
        return Work(type(self).__name__, (*self._formula(), self._sizes()), end)

    def _sizes(self) -> Grid:
        rows = [(label, *sizes) for label, sizes in self.counts_.items()]
        return Grid("classes", ("class", "rows before", "rows after"), rows)


class RandomOverSampler(Declared, BalancedClasses):
    """Draw rows of the smaller classes again, until all classes are as large.

    The name is that of imbalanced-learn.

    Parameters
    ----------
    ratio : float, default=1.0
    random_state : int, default=0

    Attributes
    ----------
    rows_ : ndarray of shape (n_new,)
        The training rows that were drawn.
    counts_ : dict of str to tuple of (int, int)
        The size of each class before and after.
    n_before_, n_after_ : int
        The number of training rows before and after.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> step = RandomOverSampler()
    >>> X, y = step.fit_resample({"x": [1.0, 2.0, 3.0, 4.0]}, ["no", "no", "no", "yes"])
    >>> step.counts_, X["x"].tolist()
    ({'no': (3, 3), 'yes': (1, 3)}, [1.0, 2.0, 3.0, 4.0, 4.0, 4.0])
    """

    ratio: Annotated[float, Number(above=0, at_most=1)] = 1.0
    random_state: Annotated[int, Whole(at_least=0)] = 0

    def _of_class(self, own: np.ndarray, sizes: np.ndarray, rng: Rng) -> np.ndarray:
        again = max(self._wanted(sizes) - len(own), 0)
        return np.r_[own, rng.choice(own, again)] if len(own) else own


class BalancedWeights(BalancedClasses):
    """Weigh the training rows so that all classes count the same: n / (k n_c) for a row of class c.

    Only a learner that takes `sample_weight` can follow.

    Attributes
    ----------
    rows_ : ndarray of shape (n_rows,)
        The training rows, all of them.
    weights_ : ndarray of shape (n_rows,)
        The factor of the weight of each training row.
    counts_ : dict of str to tuple of (int, int)
        The size of each class, twice: no row is added.
    n_before_, n_after_ : int
        The number of training rows.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> step = BalancedWeights().fit({"x": [1.0, 2.0, 3.0, 4.0]}, ["no", "no", "no", "yes"])
    >>> step.weights_.round(3).tolist()
    [0.667, 0.667, 0.667, 2.0]
    """

    _caution = "Rows that weigh more bring their errors along."
    random_state = 0  # nothing is drawn

    def _of_class(self, own: np.ndarray, sizes: np.ndarray, rng: Rng) -> np.ndarray:  # noqa: ARG002 (all stay)
        return own

    def _finish(self, drawn: np.ndarray, rng: Rng) -> None:
        super()._finish(drawn, rng)
        sizes = np.bincount(self._codes)
        self.weights_ = (len(self._codes) / ((sizes > 0).sum() * np.maximum(sizes, 1)))[self._codes]

    def _formula(self) -> tuple[Step, ...]:
        return (Step("weight", r"\frac{n}{k n_c}", note="of a row of class c, one of k"),)

    def _sizes(self) -> Grid:
        sizes = {label: size for label, (size, _) in self.counts_.items() if size}
        each = sum(sizes.values()) / len(sizes)
        rows = [(label, size, each / size) for label, size in sizes.items()]
        return Grid("classes", ("class", "rows", "weight of each"), rows)


class RandomUnderSampler(Declared, BalancedClasses):
    """Leave out rows of the larger classes, until all classes are as small.

    The name is that of imbalanced-learn.

    Parameters
    ----------
    ratio : float, default=1.0
        The desired ratio of the smallest class to the larger ones.
    random_state : int, default=0

    Attributes
    ----------
    rows_ : ndarray of shape (n_new,)
        The training rows that were kept.
    counts_ : dict of str to tuple of (int, int)
        The size of each class before and after.
    n_before_, n_after_ : int
        The number of training rows before and after.

    Notes
    -----
    Guide: docs/guide/preparation.md

    Examples
    --------
    >>> step = RandomUnderSampler()
    >>> X, y = step.fit_resample({"x": [1.0, 2.0, 3.0, 4.0]}, ["no", "no", "no", "yes"])
    >>> step.counts_
    {'no': (3, 1), 'yes': (1, 1)}
    """

    ratio: Annotated[float, Number(above=0, at_most=1)] = 1.0
    random_state: Annotated[int, Whole(at_least=0)] = 0

    _caution = "Rows that are left out teach nothing."

    def _of_class(self, own: np.ndarray, sizes: np.ndarray, rng: Rng) -> np.ndarray:
        most = round(int(sizes[sizes > 0].min()) / self.ratio)
        return own if len(own) <= most else rng.choice(own, most, replace=False)


class SMOTE(Declared, BalancedClasses, NewRows):
    """Make new rows of the smaller classes, between a row and one of its nearest of the same class.

    For columns of any kind (SMOTE-NC), with missing cells. The name is that of imbalanced-learn.

    Parameters
    ----------
    n_neighbors : int, default=5
        How many nearest rows of the same class a new row may lie towards.
    ratio : float, default=1.0
    borderline : bool, default=False
        Whether new rows start only from rows near the border of their class.
    columns : list of str or None, default=None
        The columns that change and that define distances; None for all but texts.
    random_state : int, default=0

    Attributes
    ----------
    rows_ : ndarray of shape (n_new,)
        The training row that each row has its target from.
    counts_ : dict of str to tuple of (int, int)
        The size of each class before and after.
    n_before_, n_after_ : int
        The number of training rows before and after.

    Notes
    -----
    Guide: docs/guide/preparation.md

    References
    ----------
    Chawla, Bowyer, Hall and Kegelmeyer (2002), SMOTE: synthetic minority over-sampling technique.

    Examples
    --------
    >>> step = SMOTE(n_neighbors=1)
    >>> X, y = step.fit_resample({"x": [1.0, 2.0, 3.0, 7.0, 8.0]}, ["no", "no", "no", "yes", "yes"])
    >>> step.counts_, 7 <= X["x"][5] <= 8
    ({'no': (3, 3), 'yes': (2, 3)}, True)
    """

    n_neighbors: int = 5
    ratio: Annotated[float, Number(above=0, at_most=1)] = 1.0
    borderline: bool = False
    columns: list[str] | None = None
    random_state: Annotated[int, Whole(at_least=0)] = 0

    def _draw(self, table: Table, rng: Rng) -> None:
        own = table.select(self._chosen)
        encoding = Encoding.of(Rows.in_memory(own, np.zeros(len(own)), np.ones(len(own)))).without_gaps()
        self._points = KnownPoints(encoding, own)
        self._near: list[np.ndarray] = []
        super()._draw(table, rng)
        del self._points

    def _of_class(self, own: np.ndarray, sizes: np.ndarray, rng: Rng) -> np.ndarray:
        again = max(self._wanted(sizes) - len(own), 0)
        if not again or len(own) < 2:  # a single row has no neighbour of its class
            return own[:0]
        starts = self._border(own) if self.borderline else np.arange(len(own))
        base = rng.choice(starts, again)
        used, which = np.unique(base, return_inverse=True)
        near = _neighbours(self._points, own, used, self.n_neighbors)
        self._near.append(own[near][which])
        return own[base]

    def _border(self, own: np.ndarray) -> np.ndarray:
        """The rows of a class that are near the border; all where none is."""
        everyone = np.arange(len(self._codes))
        near = _neighbours(self._points, everyone, own, 2 * self.n_neighbors)
        others = (self._codes[near] != self._codes[own][:, None]).mean(axis=1)
        chosen = np.flatnonzero((others >= 0.5) & (others < 1))
        return chosen if len(chosen) else np.arange(len(own))

    def _finish(self, drawn: np.ndarray, rng: Rng) -> None:
        self.rows_ = np.r_[np.arange(len(self._codes)), drawn].astype(np.intp)
        width = max((near.shape[1] for near in self._near), default=1)
        near = [np.pad(one, ((0, 0), (0, width - one.shape[1])), mode="edge") for one in self._near]
        self._towards = np.concatenate(near) if near else np.zeros((0, width), np.intp)
        self._share = rng.random(len(drawn))
        self._pick = rng.integers(0, width, len(drawn))

    def resampled(self, table: Table) -> Table:
        base = self.rows_[len(table) :]
        other = self._towards[np.arange(len(base)), self._pick]
        return self._made(table, base, other, self._share, np.random.default_rng(self.random_state))

    def _between(self, attribute, data, base, other, share, rng):
        if not isinstance(attribute, Nominal):
            return super()._between(attribute, data, base, other, share, rng)
        votes = np.stack(
            [(data[self._towards] == v).sum(axis=1) for v in range(len(attribute.values))], axis=1
        )
        voted = votes.argmax(axis=1).astype(data.dtype)
        return np.where((data[base] >= 0) & (votes.max(axis=1) > 0), voted, data[base])

    def _formula(self) -> tuple[Step, ...]:
        note = f"x' is one of the {plural(self.n_neighbors, 'nearest row')} of the class of x"
        return (Step("new row", r"x + g (x' - x)", note=note),)


def _neighbours(points: KnownPoints, among: np.ndarray, of: np.ndarray, k: int) -> np.ndarray:
    """The places in `among` of the k nearest other rows of some rows.

    of : places in `among`, or row numbers where `among` is all rows
    """
    count = min(k, len(among) - 1)
    if points.mask.all() and points.numbers.shape[1] <= _MOST_COLUMNS:
        found = cKDTree(points.numbers[among]).query(points.numbers[among[of]], count + 1)[1]
    else:
        found = nearest_rows(points.take(among[of]), points.take(among), count + 1)
    found = found.reshape(len(of), -1)
    # the row itself goes; where copies of it come first, the last one goes instead
    itself = found == of[:, None]
    itself[~itself.any(axis=1), -1] = True
    return found[~itself].reshape(len(of), count)
