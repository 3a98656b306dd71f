"""Base of k-means, k-modes and k-prototypes: initialisation, restarts, the loop, new rows, partial_fit.

A new row belongs to the cluster of the nearest prototype, ties to the first, as in training.
"""

import warnings
from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import KW_ONLY, dataclass
from typing import Annotated, Any, NamedTuple

import numpy as np
from sklearn.utils import check_random_state

from openbook.border.not_taken import Declared
from openbook.border.rows import weighed
from openbook.border.rules import Anything, Auto, Number, Whole
from openbook.cluster.clusterer import Clusterer
from openbook.cluster.derive_prototypes import derive_model, derive_row
from openbook.cluster.lloyd import RowPieces, Taken, at_random, iterate, plus_plus, seeding_rows
from openbook.cluster.picture import draw_prototype_steps, means_in, two_columns
from openbook.cluster.prototypes import PrototypeRows, Prototypes, PrototypeSpace, space_of
from openbook.damage import checked_array, checked_floats, placed_under, require, under
from openbook.data import Schema, Table, read
from openbook.errors import DataError, ParameterError
from openbook.measures.arrays import all_finite
from openbook.prepare import Encoding
from openbook.text.columns import encoded

INITS = ("k-means++", "random")
#: A table of up to so many rows is kept for `work`; of a larger one, the first few rows.
KEPT_ROWS = 30
_FIRST_ROWS = 6


@dataclass(frozen=True)
class Seeds(Anything):
    """A way to choose seeds, or rows in the units of the columns."""

    what: str = "'k-means++', 'random', or a row for each cluster"

    def allows(self, value):
        return value in INITS if isinstance(value, str) else value is not None

    def to_json(self, value):
        rows = [value.row(i) for i in range(len(value))] if isinstance(value, Table) else value
        return super().to_json(rows)


class FitHistory(NamedTuple):
    """The course of a fit, which `work` shows.

    rows : all rows of a small table, else the first; n : the number of rows
    course : the prototypes at the start and after each of the first iterations
    costs : of each iteration's assignment, before the prototypes move, and of the last
    taken : the rows that empty clusters took
    """

    rows: PrototypeRows
    n: int
    course: list[Prototypes]
    costs: np.ndarray
    taken: list[Taken]


#: The cost of the final clusters, and of the assignment of each iteration, before the prototypes move.
final_cost = property(lambda model: float(model.history_.costs[-1]))
assignment_costs = property(lambda model: model.history_.costs[:-1])


class PrototypeClusterer(Declared, Clusterer):
    """A clusterer whose clusters have prototypes."""

    n_clusters: int = 8
    _: KW_ONLY
    init: Annotated[Any, Seeds()] = "k-means++"
    n_init: Annotated[Any, Auto(Whole(1))] = "auto"
    max_iter: int = 300
    tol: float = 1e-4
    tol_changes: Annotated[float, Number(at_least=0, at_most=1)] = 0.0
    random_state: Any = None

    _meanings = Clusterer._meanings | {  # noqa: SLF001 (its base class)
        "tol_changes": "A run also ends once no more than this share of the rows change cluster."
    }

    gamma = 1.0

    def _space_kind(self, *, sparse: bool = False) -> type[PrototypeSpace]:  # noqa: ARG002 (only k-means can)
        """How rows, or sparse ones, are compared with prototypes."""
        return PrototypeSpace

    @abstractmethod
    def _nominal(self, schema: Schema) -> tuple[str, ...]:
        """The columns that are compared as they are."""

    def _space(self, rows) -> PrototypeSpace:
        """How rows are compared with prototypes."""
        kind = self._space_kind(sparse=rows.sparse)
        scale = self.scale and kind.metric != "cosine"
        return space_of(rows, self._nominal(rows.schema), scale=scale, gamma=self.gamma, kind=kind)

    def _fit(self, rows):
        rows = rows.held()
        self.space_ = self._space(rows)
        training = RowPieces.of(self.space_, rows)
        self._refuse_few(training.n)
        ends = (self.max_iter, self.tol, self.tol_changes)
        runs = (iterate(training, seeds, *ends) for seeds in self._all_seeds(training))
        best = min(runs, key=lambda run: run.cost)
        self._set(best.prototypes, best.tally)
        self.labels_, self.converged_ = best.labels, best.settled
        kept, course = (
            training.take(np.arange(training.n if training.n <= KEPT_ROWS else _FIRST_ROWS)),
            best.course,
        )
        if self.encoding_.sparse:  # too wide to be shown
            kept, course = (
                PrototypeRows(np.zeros((0, len(self.encoding_))), kept.codes[:0], kept.weights[:0]),
                [],
            )
        self.history_ = FitHistory(kept, training.n, course, np.array([*best.costs, best.cost]), best.taken)
        self._warn_of_empty()

    def _all_seeds(self, training):
        """The seeds of each restart."""
        space, k = self.space_, self.n_clusters
        if not isinstance(self.init, str):
            yield self._given_seeds()
            return
        rng = check_random_state(self.random_state)
        rows = seeding_rows(training, k, rng)
        restarts = (10 if self.init == "random" else 1) if self.n_init == "auto" else self.n_init
        for _ in range(restarts):
            chosen = at_random(rows, k, rng) if self.init == "random" else plus_plus(space, rows, k, rng)
            yield space.prototypes(chosen)

    def _given_seeds(self):
        table = encoded(read(self.init), self.schema_, type(self).__name__)
        if len(table) != self.n_clusters:
            raise ParameterError(
                f"{type(self).__name__}: init has {len(table)} rows for n_clusters = {self.n_clusters};"
                " give a row for each cluster"
            )
        return self.space_.prototypes(self.space_.encode_table(table))

    def _warn_of_empty(self):
        if not self.history_.taken:
            return
        (t, cluster, row), *others = self.history_.taken
        more = f" (and {len(others)} more: see work())" if others else ""
        reason = f"cluster {cluster} stays empty, because every row equals a prototype; ask for fewer"
        if row >= 0:
            farthest = f"took row {row}, the farthest from its prototype"
            reason = f"in iteration {t} cluster {cluster} was empty, and {farthest}"
        warnings.warn(f"{type(self).__name__}: {reason}{more}", stacklevel=4)

    def _set(self, prototypes, tally):
        self.prototypes_, self._tally = prototypes, tally

    @property
    def encoding_(self) -> Encoding:
        """How columns became numbers."""
        return self.space_.encoding

    @property
    def weights_(self) -> np.ndarray:
        """The weight of the rows of each cluster."""
        return self._tally.weight

    @property
    def n_iter_(self) -> int:
        """How many iterations there were."""
        return len(self.history_.costs) - 1

    def _centres(self, names):
        return means_in(self.encoding_, self.prototypes_.means, names)

    def draw_steps(self, X, columns=None):
        """The first iterations side by side: rows, regions and centres, with the way that the centres moved.

        Parameters
        ----------
        X : rows
        columns : sequence of str or None, default=None
            The two columns to draw over; None if there are two columns of numbers.

        Returns
        -------
        Picture
        """
        sweep = two_columns(read(X), columns)
        if sweep is None:
            raise DataError("steps are drawn over two columns of numbers; pass columns=(…, …)")
        return draw_prototype_steps(self, sweep)

    def _labels(self, X):
        return self.space_.labels(self.space_.encode_table(X), self.prototypes_)

    def distances(self, X):
        """The distance of each row from each prototype, (n_rows, n_clusters), in the units of the cost.

        Parameters
        ----------
        X : rows

        Returns
        -------
        array of float of shape (n, n_clusters)
        """
        return self._each(X, self._distances)

    def _distances(self, X):
        return self.space_.all_distances(self.space_.encode_table(X), self.prototypes_).T

    def memberships(self, X, threshold):
        """Overlapping clusters: a row belongs to every cluster whose prototype is near enough, or to none.

        Parameters
        ----------
        X : rows
        threshold : float
            The largest distance to a prototype, in the units of `distances`.

        Returns
        -------
        array of bool of shape (n, n_clusters)
        """
        return self.distances(X) <= threshold

    def partial_fit(self, X, y=None, sample_weight=None):  # noqa: ARG002 (as in fit)
        """Learn from more rows; the first call fits.

        Later rows go to the nearest prototype as it is, and then each prototype becomes the mean or the mode
        of all rows that it was ever given. Earlier rows are not looked at again, and the encoding stays.
        `labels_` are those of the last rows.

        Parameters
        ----------
        X : rows
        y : object, default=None
            Not used; pipelines pass a target.
        sample_weight : array or None, default=None

        Returns
        -------
        the clusterer itself
        """
        if not hasattr(self, "space_"):
            return self.fit(X, sample_weight=sample_weight)
        with self._whole_or_not_at_all():
            table = encoded(read(X), self.schema_, type(self).__name__)
            rows = RowPieces.of(self.space_, weighed(table, np.zeros(len(table), np.intp), sample_weight))
            tally, bounds = rows.assign(self.prototypes_, rows.unknown(len(self.prototypes_)))
            self.labels_ = np.concatenate([known.labels for known in bounds]).astype(np.intp)
            costs = np.append(self.history_.costs[:-1], [tally.cost, tally.cost])
            tally = self._tally + tally
            self._set(self.space_.update(tally, self.prototypes_), tally)
            self.history_ = FitHistory(self.history_.rows.take(slice(0)), rows.n, [], costs, [])
        return self

    def _work(self):
        return derive_model(self)

    def _work_row(self, X):
        return derive_row(self, X)

    def _arrays(self):
        (means, modes), history = self.prototypes_, self.history_
        course = [means[None][:0], modes[None][:0]]  # of no iterations, in the right shapes
        if history.course:
            course = [np.array(part) for part in zip(*history.course, strict=True)]
        numbers, codes, weights, _ = history.rows
        prototypes = {"means": means, "modes": modes, "course.means": course[0], "course.modes": course[1]}
        rows = {"rows.numbers": numbers.astype(float), "rows.codes": codes, "rows.weights": weights}
        taken = np.array(history.taken, dtype=np.int64).reshape(-1, 3)
        state = {"costs": history.costs, "state": np.array([history.n, self.converged_]), "taken": taken}
        tally = placed_under("tally.", self._tally.arrays())
        return {**self.encoding_.arrays("encoding."), **prototypes, **tally, **state, **rows}

    def _restore(self, arrays: Mapping[str, np.ndarray]):
        nominal = self._nominal(self.schema_)
        encoded = self.schema_.select(name for name in self.schema_.names if name not in nominal)
        encoding = Encoding.from_arrays(encoded, arrays, "encoding.")
        kind = self._space_kind(sparse=bool(encoding.sparse))
        self.space_ = space = kind(encoding, self.schema_.select(nominal), float(self.gamma))
        k, p, q = self.n_clusters, len(encoding), len(nominal)
        limits = np.diff(space.offsets)
        prototypes = Prototypes(  # before the tally takes room for as many clusters as the parameters say
            checked_array(arrays, "means", np.float64, (k, p)), _codes(arrays, "modes", (k, q), limits)
        )
        tally = space.zero(k).filled(under("tally.", arrays))
        self._set(prototypes, tally)
        finite = all(map(all_finite, tally.arrays().values()))
        require(finite and (tally.weight >= 0).all(), "its sums are not valid")
        m, kept = len(arrays["course.means"]), len(arrays["rows.weights"])
        shapes = {"rows.numbers": (kept, p), "rows.weights": (kept,), "course.means": (m, k, p)}
        shapes["costs"] = (max(len(arrays["costs"]), 2),)
        numbers, weights, means, costs = checked_floats(arrays, **shapes)
        rows = PrototypeRows(numbers, _codes(arrays, "rows.codes", (kept, q), limits), weights)
        modes = _codes(arrays, "course.modes", (m, k, q), limits)
        n, converged = checked_array(arrays, "state", np.int64, (2,)).tolist()
        taken = checked_array(arrays, "taken", np.int64, (len(arrays["taken"]), 3))
        known = ((taken[:, 1] >= 0) & (taken[:, 1] < k)).all()
        require(known and kept <= KEPT_ROWS, "it names an unknown cluster, or keeps too many rows")
        course = [Prototypes(*pair) for pair in zip(means, modes, strict=True)]
        self.history_ = FitHistory(rows, n, course, costs, [Taken(*row) for row in taken.tolist()])
        self.converged_ = bool(converged)


def _codes(arrays, name, shape, limits):
    codes = checked_array(arrays, name, np.int32, shape)
    require((codes >= -2) & (codes < limits), f"array {name!r} has a code that is no value of its column")
    return codes
