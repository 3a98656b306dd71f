r"""Least squares: a weighted sum of the columns, or of functions of them, of least squared error.

    ŷ = b + sum_j β_j φ_j(x)
    minimise  ½ sum_i w_i (y_i - ŷ_i)² + l1 sum_j |β_j| + ½ l2 sum_j β_j²

The intercept is penalised only where asked, by ½ l2 b². Without l1 and l2, the coefficients of a column with
pooled values are random effects: ½ n0 sum_v (β_v - mean of β)² is added (`prepare.encoding`), and σ² divides
by the rows less the other coefficients. Everything follows from the weight, mean and scatter of the rows,
which are one fold: so it learns from files, learns more and forgets (see `joint_scatter`, `design` and
`normal`). Sparse rows take several passes instead (`sparse_squares`), and so do the words of texts under a
penalty; without one, the most informative words are columns like others. A weight counts rows: one of weight
2 is two rows. The encoding handles missing cells, unseen values and categories (`prepare.encoding`); the
Huber loss handles outlying targets (`huber`).

coef_ : float64 (d,), or (T, d) for T targets; intercept_ : a number, or (T,)
"""

from dataclasses import replace
from functools import partial

import numpy as np
from scipy.linalg import solve_triangular
from scipy.sparse import issparse
from scipy.sparse.linalg import spsolve_triangular
from scipy.special import stdtrit
from sklearn.utils.validation import check_is_fitted

from openbook.border.folding import Folding
from openbook.border.learner import Regressor
from openbook.border.not_taken import Declared
from openbook.damage import require
from openbook.data import SparseTable
from openbook.draw.charts import named_bars
from openbook.errors import DataError, ParameterError
from openbook.linear.basis import Columns, Polynomial, Radial, sample_of
from openbook.linear.derive_least_squares import derive_model, derive_row
from openbook.linear.design import EncodedColumns, RawColumns
from openbook.linear.estimates import coefficient_table, combination_words, covariance
from openbook.linear.huber import MOST_ROUNDS, reweighed
from openbook.linear.joint_scatter import JointScatter
from openbook.linear.normal import MOST_SWEEPS, Normal, PenaltyPath, penalised, plain, trace_path
from openbook.linear.scored import linear_scores
from openbook.linear.sparse_squares import (
    Products,
    by_products,
    opened_equations,
    saved_equations,
    sparse_equations,
)
from openbook.linear.targets import known_targets, several_targets
from openbook.measures.distribution import check_level
from openbook.prepare.encoding import Encoding


class LeastSquares(Folding, Regressor):
    """What regressions of least squares share; see `LinearRegression`."""

    #: Penalties and N - p are relative to the sum of the weights, which therefore count rows.
    _counts_rows = True
    _wants_telling_words = True  # each takes a coefficient, which nothing may draw to zero

    #: Defaults for subclasses without these parameters: plain linear regression.
    basis, loss, penalise_intercept = None, "squared", False

    # learning

    @property
    def _penalised(self):
        return self.l1 > 0 or self.l2 > 0

    @property
    def _shrink(self):
        """The factor r by which the penalty shrinks the intercept."""
        if not (self.penalise_intercept and self.fit_intercept and self.l2):
            return 1.0
        return self._normal.weight / (self._normal.weight + self.l2)

    @property
    def one_pass(self):
        """Whether one pass over the rows is enough: a basis must know the encoding before."""
        return self.basis is None and self.loss == "squared"

    def _takes_all_words(self, schema):  # noqa: ARG002 (of the same form for every learner)
        return self._penalised and self.one_pass

    def _fit(self, rows):
        self.__dict__.pop("statistics_", None)
        if rows.sparse:
            self._fit_sparse(rows)
            return
        if not self.one_pass:
            alike = self._penalised or isinstance(self.basis, Radial)  # bells see every value alike
            reference = self.fit_intercept and not alike
            self.encoding_ = self._around(Encoding.of(rows, scale=True, reference=reference))
            self.centres_ = self._centres(rows)
        if self.loss == "huber":
            self._fit_huber(rows)
        else:
            super()._fit(rows)

    def _fit_sparse(self, rows):
        how = {"scale": self._penalised and self.scale, "intercept": self.fit_intercept}
        self.encoding_, self._normal = sparse_equations(rows, targets=len(self.targets_), **how)
        self._solve_equations()
        solved = replace(self._normal.scatter, pieces=[])  # the rows are no longer needed
        self._normal = replace(self._normal, scatter=solved)
        self._announce()

    def _around(self, encoding):
        """The encoding, without a shift if there is no intercept."""
        return encoding if self.fit_intercept else replace(encoding, shift=np.zeros(len(encoding)))

    def _equations(self, statistics):
        """The normal equations: around the means, or without an intercept around 0."""
        return Normal.of(statistics if self.fit_intercept else statistics.around_zero(), len(self.targets_))

    def _centres(self, rows):
        basis = self.basis or Columns()
        if isinstance(basis, Columns | Polynomial):
            return np.zeros((0, 0))
        return basis.centres(self.encoding_(sample_of(rows)), self.encoding_)

    def _fit_huber(self, rows):
        if self.penalise_intercept:
            msg = "LinearRegression: penalise_intercept needs loss='squared'; the Huber loss has none"
            raise ParameterError(msg)
        if len(self.targets_) > 1:
            msg = f"the Huber loss supports one target, got {len(self.targets_)}; fit a model for each"
            raise DataError(msg)

        def solve(statistics):
            normal = self._equations(statistics)
            return normal, self._solution(normal)[0]

        self.statistics_ = self._folded(rows)
        self.statistics_, self.scale_, settled = reweighed(
            rows, self._functions(), self.statistics_, solve, self.epsilon
        )
        self._solve()
        if not settled:
            self.notes_.append(f"the Huber loss did not converge in {MOST_ROUNDS} rounds")
        self._announce()

    def _functions(self):
        """The functions of tables whose weighted sum the model is."""
        centres = np.zeros((0, 0)) if self.one_pass else self.centres_
        return EncodedColumns(self.encoding_, self.basis or Columns(), centres)

    def _columns(self):
        """The columns whose scatter is added up over rows."""
        return RawColumns(self.schema_) if self.one_pass else self._functions()

    def _step(self):
        return partial(_scatter, self._columns())

    def _zero(self):
        columns = self._columns()
        return JointScatter.zero(columns.numbers, columns.size + len(self.targets_))

    def _solve(self):
        if self.one_pass:
            scale, reference = self._penalised and self.scale, self.fit_intercept and not self._penalised
            self.encoding_, self._normal = self._encoded(scale=scale, reference=reference)
        else:
            self._normal = self._equations(self.statistics_)
        self._solve_equations()

    def _solve_equations(self):
        """The coefficients from the normal equations, and how well they fit."""
        coef, self._plain, at_rest = self._solution(self._normal)
        self._take(np.vstack([self._shrink * self._normal.intercept(coef), coef]), at_rest)
        self._judge(coef)

    def _take(self, weights, at_rest):
        """Take over the intercepts and coefficients of the encoded columns, (1 + d, T)."""
        functions = self._functions()
        self.names_ = functions.basis.names(self.encoding_, functions.centres)
        self._units, self._weights = functions.basis.units(self.encoding_, functions.centres), weights
        coefficients = (self._units @ weights).T
        self.coef_, self.intercept_ = coefficients[:, 1:], coefficients[:, 0]
        if self._flat:
            self.coef_, self.intercept_ = self.coef_[0], float(self.intercept_[0])
        self.collinear_, self.notes_ = (), []
        if self._plain is not None:
            self.collinear_ = tuple(self.names_[j] for j in self._plain.collinear)
            self.notes_ += [combination_words(each, self.names_) for each in self._plain.combinations]
        if unlisted := len(self.collinear_) - len(self.notes_):
            self.notes_.append(f"{unlisted:,} more columns are collinear, and their coefficients set to 0")
        if not at_rest:
            self.notes_.append("the coefficients did not converge; a larger penalty makes that faster")

    def _solution(self, normal):
        """The coefficients, (d, T); the solution without penalties, if it is; and whether it came to rest."""
        sparse = isinstance(normal.scatter, Products)
        if sparse and self.positive:
            raise ParameterError(f"{type(self).__name__}: positive needs columns that are not sparse")
        if self._penalised or self.positive or sparse:
            normal = normal.drawn_in(self.l2) if self.penalise_intercept and self.fit_intercept else normal
            if sparse:
                coef, at_rest = by_products(normal, self.l1, self.l2)
                return coef, None, at_rest
            coef, self.n_iter_ = penalised(normal, self.l1, self.l2, positive=self.positive)
            return coef, None, self.n_iter_ < MOST_SWEEPS
        if len(roots := self._shrinkage(len(normal.mean))):
            normal = replace(normal, scatter=normal.scatter.with_rows(roots))
        found, self.n_iter_ = plain(normal, self.encoding_.gap_columns if self.one_pass else ()), 0
        return found.coef, found, True

    def _shrinkage(self, d):
        """The roots R of the penalty on columns with pooled values, (m, d); no rows where there are none."""
        shrinks = self.one_pass and not (self._penalised or self.positive)
        return self.encoding_.shrinkage() if shrinks else np.zeros((0, d))

    def _judge(self, coef):
        """How well the model fits: R², and the variance of the errors if it can be estimated."""
        normal = self._normal
        residual = normal.residual(coef)
        residual += normal.weight * ((1 - self._shrink) * normal.intercept(coef)) ** 2
        varies = normal.targets > 0
        share = residual / np.where(varies, normal.targets, 1.0)
        r2 = np.where(varies, 1 - share, 1.0)
        self.r2_ = float(r2[0]) if self._flat else r2
        self.dof_ = self.sigma2_ = None
        if self._plain is None or self.loss == "huber":
            return
        self.dof_ = normal.weight - self._fixed
        if self.dof_ > 0:
            sigma2 = (residual + ((self._shrinkage(len(coef)) @ coef) ** 2).sum(axis=0)) / self.dof_
            self.sigma2_ = float(sigma2[0]) if self._flat else sigma2
        else:
            note = "there are no more rows than coefficients, so the error variance cannot be estimated"
            self.notes_.append(note)

    def _check_plain(self):
        if self._plain is None:
            raise AttributeError("rank_ and singular_ are those of least squares without penalties")

    @property
    def rank_(self):
        self._check_plain()
        return len(self._plain.kept)

    @property
    def singular_(self):
        self._check_plain()
        return self._normal.scatter.singular_values()

    @property
    def _fixed(self):
        """How many coefficients are free, the intercept among them: not set to 0, nor drawn together."""
        drawn = self._shrinkage(len(self.names_)).any(axis=0)
        return self.fit_intercept + int(np.count_nonzero(~drawn[self._plain.kept]))

    def _encoded(self, *, scale, reference):
        """The encoding of the rows that were added up, and the normal equations of its columns."""
        raw = RawColumns(self.schema_)
        encoding = self._around(raw.encoding(self.statistics_, scale=scale, reference=reference))
        return encoding, self._equations(raw.encoded(self.statistics_, encoding, len(self.targets_)))

    # more and fewer rows

    def partial_fit(self, X, y, classes=None, sample_weight=None):
        """Learn from more rows, as if they had come with the earlier ones.

        With a basis, encoding and centres stay those of the first rows, and a value that they did not show
        counts as missing.

        Parameters
        ----------
        X : table-like
        y : array-like or str
        classes : ignored, default=None
            Taken since classifiers have it.
        sample_weight : array-like or None, default=None

        Returns
        -------
        self
        """
        self._check_adds_up()
        return super().partial_fit(X, y, classes, sample_weight)

    def _check_adds_up(self):
        if self.loss == "huber" or self._sparse:
            what = "the Huber loss needs" if self.loss == "huber" else "sparse columns need"
            raise ParameterError(f"{what} all rows at once; call fit on all of them")

    @property
    def _sparse(self):
        """Whether it was fitted to sparse rows."""
        return hasattr(self, "encoding_") and bool(self.encoding_.sparse)

    def _parts_add_up(self, X):
        return super()._parts_add_up(X) and not isinstance(X, SparseTable)

    def _more_rows(self, X, y, sample_weight, *, grow):
        self._check_adds_up()
        return super()._more_rows(X, y, sample_weight, grow=grow and self.one_pass)

    def _grow(self, schema):
        if self.one_pass:
            self.statistics_ = RawColumns(self.schema_).grown(self.statistics_, schema)
        super()._grow(schema)

    # targets

    def _target(self, y):
        self.targets_, self._flat, numbers = self._numbers(y)
        return ", ".join(self.targets_), numbers

    def _file_target(self, scan, name):
        self.targets_, self._flat = (name,), True
        return super()._file_target(scan, name)

    def _known_target(self, y):
        names, flat, numbers = self._numbers(y)
        if (len(names), flat) != (len(self.targets_), self._flat):
            raise DataError(f"y must have the targets it had before: {', '.join(self.targets_)}")
        return numbers

    def _numbers(self, y):
        """The targets' names, whether they are one array (n,), and their numbers, (n,) or (n, T)."""
        if (several := several_targets(y)) is not None:
            names, numbers = several
            return names, False, numbers
        name, numbers = super()._target(y)
        return (name,), True, numbers

    # using the model

    def _predict(self, X):
        if isinstance(self.basis, Columns | None):
            predicted = linear_scores(self.encoding_, X, self._weights[1:].T, self._weights[0])
        else:
            predicted = self._functions()(X) @ self._weights[1:] + self._weights[0]
        return predicted[:, 0] if self._flat else predicted

    def predict_interval(self, X, level=0.95):
        """The interval in which the target of a new row is expected, around its prediction.

        ŷ ± t √(σ² (1 + h)), with h = x'(X'X)⁻¹x: for unpenalised least squares of one target.

        Parameters
        ----------
        X : table-like or Scan
        level : float, default=0.95
            The probability that the target lies inside.

        Returns
        -------
        low, high : ndarray of shape (n_rows,)
        """
        check_is_fitted(self)
        if self.sigma2_ is None or not self._flat:
            msg = "an interval needs one target, more rows than coefficients, no penalty and the squared loss"
            raise ParameterError(msg)
        check_level(level)
        covariance = self._covariance()

        def around(rows):
            functions = np.column_stack([np.ones(len(rows)), self._functions()(rows)])
            values = self._own_values(functions.T)
            leverage = np.maximum(np.einsum("ji,jk,ki->i", values, covariance, values), 0.0)
            return np.column_stack([self._predict(rows), np.sqrt(self.sigma2_ * (1 + leverage))])

        centre, spread = self._each(X, around).T
        reach = stdtrit(self.dof_, (1 + level) / 2) * spread
        return centre - reach, centre + reach

    def _own_values(self, functions):
        """What coefficients in units of the columns are multiplied with: v, where U'v are the functions."""
        if issparse(self._units):
            return spsolve_triangular(self._units.T.tocsr(), functions, lower=True)
        return solve_triangular(self._units, functions, trans=1)

    def complexity(self):
        return len(self.targets_) * self.fit_intercept + int(np.count_nonzero(self._weights[1:]))

    def _covariance(self):
        """The covariance of intercept and coefficients over σ², (1 + d, 1 + d)."""
        return covariance(self._normal, self._plain.inverse, self._units, intercept=self.fit_intercept)

    def coefficients(self, level=0.95):
        """The coefficients as a table: with standard error, t, p and interval, where these are known.

        Parameters
        ----------
        level : float, default=0.95
            The confidence level of the intervals from `low` to `high`.

        Returns
        -------
        Table
        """
        check_is_fitted(self)
        check_level(level)
        terms, errors = ["intercept", *self.names_], None
        if self.sigma2_ is not None:
            spread = np.sqrt(np.maximum(np.diag(self._covariance()), 0.0))
            spread = np.where(np.isin(terms, self.collinear_), np.nan, spread)
            errors = np.sqrt(np.atleast_1d(self.sigma2_))[:, None] * spread
        coefficients = (self._units @ self._weights).T
        if not self.fit_intercept:
            terms, coefficients = terms[1:], coefficients[:, 1:]
            errors = None if errors is None else errors[:, 1:]
        return coefficient_table(self.targets_, terms, coefficients, errors, self.dof_, level)

    def draw(self):
        """The coefficients as bars: the effect of one standard deviation of each term, the largest on top.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        spread = np.sqrt(np.maximum(self._normal.scatter.diagonal() / self._normal.weight, 0.0))
        effects = (self._weights[1:] * spread[:, None])[:, 0]
        about = f"Change of {self.targets_[0]} per standard deviation, the others held constant."
        return named_bars(f"Linear regression for {self.target_}", "effect", self.names_, effects, (about,))

    def path(self, n=100, ratio=1.0, least=1e-3):
        """The coefficients along falling penalties, l1 = λ ratio and l2 = λ (1 - ratio), of the rows learnt.

        Parameters
        ----------
        n : int, default=100
            The number of penalties λ.
        ratio : float, default=1.0
            The share of L1 in the penalty: 1 for the lasso, less for the elastic net.
        least : float, default=0.001
            The last penalty, as a share of the first, which is the least that leaves no column.

        Returns
        -------
        PenaltyPath
            The penalties, coefficients, intercepts and R² along the path.
        """
        check_is_fitted(self)
        if self._sparse:
            msg = "the path of coefficients needs columns that are not sparse; fit a model for each penalty"
            raise ParameterError(msg)
        if self.one_pass:
            encoding, normal = self._encoded(scale=self.scale, reference=False)
            names, units = encoding.names, Columns().units(encoding, np.zeros((0, 0)))
        else:
            normal, names, units = self._normal, self.names_, self._units
        found = trace_path(normal, n, ratio, least)
        return PenaltyPath.of(normal, found, names, units, flat=self._flat)

    _work, _work_row = derive_model, derive_row

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.target_tags.multi_output = True
        tags.input_tags.sparse = self.one_pass
        return tags

    # the model file

    def _saved(self):
        saved = super()._saved()
        facts = {**saved.facts, "targets": list(self.targets_), "flat": self._flat}
        return saved._replace(facts=facts)

    def _opened(self, saved):
        self.targets_, self._flat = known_targets(saved.facts)
        super()._opened(saved)

    def _arrays(self):
        if self._sparse:
            return saved_equations(self.encoding_, self._normal, self._weights, np.atleast_1d(self.r2_))
        arrays = dict(super()._arrays())
        if not self.one_pass:
            arrays |= self.encoding_.arrays("encoding.")
            arrays["centres"] = self.centres_
        if self.loss == "huber":
            arrays["error_scale"] = np.array([self.scale_])
        return arrays

    def _restore(self, arrays):
        arrays = dict(arrays)
        if "weights" in arrays:
            found = opened_equations(self.schema_, arrays, len(self.targets_))
            self.encoding_, self._normal, weights, r2 = found
            self._plain = self.dof_ = self.sigma2_ = None
            self._take(weights, at_rest=True)
            self.r2_ = float(r2[0]) if self._flat else r2
            return
        if not self.one_pass:
            self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
            arrays = {name: array for name, array in arrays.items() if not name.startswith("encoding.")}
            self.centres_ = (self.basis or Columns()).checked(arrays.pop("centres"), self.encoding_)
        if self.loss == "huber":
            scale = arrays.pop("error_scale")
            sound = scale.shape == (1,) and scale[0] >= 0
            require(sound, "the scale of its errors must be a number of at least 0")
            self.scale_ = float(scale[0])
        self._zero().filled(arrays).check()
        super()._restore(arrays)


class PenalisedSquares(Declared, LeastSquares):
    """Least squares whose penalty has scikit-learn's parameters; see `ElasticNet`."""

    alpha: float = 1.0
    fit_intercept: bool = True
    positive: bool = False
    scale: bool = False

    @property
    def _penalised(self):
        return self.alpha > 0

    @property
    def l1(self):
        """The strength of the penalty on sizes as `LinearRegression` has it."""
        return self.alpha * self.l1_ratio * self._normal.weight

    @property
    def l2(self):
        """The strength of the penalty on squares as `LinearRegression` has it."""
        return self.alpha * (1 - self.l1_ratio) * self._normal.weight

    def knobs(self):
        return {"alpha": (0.001, 0.01, 0.1, 1.0)}


def _scatter(columns, chunk):
    X, y, w = chunk
    return JointScatter.of(columns, X, y.reshape(len(y), -1), w)
