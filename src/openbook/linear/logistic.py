r"""Logistic regression: log odds that are linear in the columns.

    two classes    ln P(c₁ | x) / P(c₀ | x) = b + Σ_j w_j x_j
    more           P(c | x) = e^(s_c) / Σ_k e^(s_k),    s_c = b_c + Σ_j w_cj x_j

fitted by the largest penalised log-likelihood

    Σ_i w_i ln P(y_i | x_i) - ½ l2 Σ w² - l1 Σ |w|

over the encoded columns (see `openbook.prepare.encoding`); intercepts are not penalised. Missing cells and
values never seen count as the encoding says. Ties go to the class that comes first.
"""

import warnings
from dataclasses import replace

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.base import Classifier
from openbook.border.rules import Anything, Flag, Maybe, Number, OneOf, Whole
from openbook.data.attributes import as_text
from openbook.errors import DataError, ParameterError
from openbook.linear.class_weight import CLASS_WEIGHT, class_factors
from openbook.linear.first_pass import log_likelihood_of_shares, totals_of
from openbook.linear.inference import certainty, coefficient_table
from openbook.linear.likelihood import Likelihood, Units, encoded_pieces
from openbook.linear.logistic_work import derive_model, derive_row
from openbook.linear.losses import sigmoid, softmax
from openbook.linear.maximum import PLAIN, maximise
from openbook.linear.scored import linear_scores
from openbook.prepare.encoding import Encoding
from openbook.words.numbers import figure
from openbook.words.sentences import listed

__all__ = ["LogisticRegression"]

#: A column this many standard deviations away from zero is centred before anything is multiplied.
FAR_FROM_ZERO = 1e4

#: More estimates than these go without standard errors: their Hessian would take too long.
MOST_ESTIMATES = 2000


class LogisticRegression(Classifier):
    """Logistic regression for two classes, softmax regression for more.

    Parameters
    ----------
    l2, l1 : float
        How strong the penalties on squares and on sizes of the coefficients are. With both 0, up to 2000
        estimates have standard errors, and a nominal column goes without its first value.
    class_weight : None, "balanced", or mapping of class to weight
        Weighs the rows of a class; "balanced" gives every class the same weight in all.
    solver : "auto", "newton", "lbfgs", "sgd" or "gradient_descent"
        "auto" is Newton's method where the Hessian is cheap, or l1 asks for it, else L-BFGS. On many rows
        these begin on a sample of them. "gradient_descent" takes plain steps of `step` times the gradient;
        "sgd" takes them on a few rows each, in a random order, and averages over an epoch.
    step : float, optional
        The step of the last two: times the gradient of the summed loss, or of the mean loss of a few rows.
        None takes one that is short enough.
    start : array, intercept first, or one such row for each class, optional
        The coefficients of the encoded columns to start from. None starts from the classes' shares, and
        gradient descent from 0.
    max_iter : int
        The most steps, or epochs of "sgd".
    tol : float
        The largest slope of the mean loss, by a column in standard units, that counts as none; for "sgd" the
        gain in an epoch.
    random_state : int, RandomState or None
        For the order of rows in "sgd".
    scale : bool
        Whether the penalty is on coefficients of columns in standard units, or in their own. Either way the
        solvers compute in standard units, except for the last two, which take the columns as they come.

    Attributes
    ----------
    classes_ : the classes
    coef_, intercept_ : in units of the columns: (1, d) and (1,) for two classes, else a row for each class
    encoding_ : how columns became numbers; its `names` are those of the coefficients
    covariance_ : of the estimates, unpenalised, intercept first; None where there is a penalty. For several
        classes the estimates are those of all classes but the first, relative to it. NaN where there is none.
    trace_ : float64 (n_iter_ + 1, 3): the penalised log-likelihood, the largest slope, the length of the step
    log_likelihood_, null_log_likelihood_ : of the model, and of the classes' shares alone
    n_iter_, converged_ : how many steps were made, and whether the last found no slope
    solver_ : which solver that was
    notes_ : what the user should know

    Notes
    -----
    For several classes every class has a score of its own; the penalty, or the start, picks one of the many
    that are equal. There is no class of its own for that: softmax regression of two classes is this, with
    half the coefficient on either side.

    References
    ----------
    Nocedal and Wright (2006), Numerical Optimization. Albert and Anderson (1984), for separation.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("loan").split("cheat")
    >>> model = LogisticRegression().fit(X, y)
    >>> model.predict_proba([{"owner": "No", "status": "Single", "income": 95}]).round(4).tolist()
    [[0.5482, 0.4518]]
    """

    #: The penalty stands beside the weights: without a unit of their own, they count as rows.
    _counts_rows = True

    _rules = {
        "l2": Number(at_least=0),
        "l1": Number(at_least=0),
        "class_weight": CLASS_WEIGHT,
        "solver": OneOf("auto", "newton", "lbfgs", "sgd", "gradient_descent"),
        "step": Maybe(Number(above=0)),
        "start": Anything("None, or coefficients with the intercept first"),
        "max_iter": Whole(at_least=1),
        "tol": Number(above=0),
        "random_state": Anything("None, a whole number or a RandomState"),
        "scale": Flag(),
    }

    def __init__(
        self,
        l2=1.0,
        l1=0.0,
        class_weight=None,
        solver="auto",
        step=None,
        start=None,
        max_iter=100,
        tol=1e-6,
        random_state=None,
        scale=True,
    ):
        self.l2 = l2
        self.l1 = l1
        self.class_weight = class_weight
        self.solver = solver
        self.step = step
        self.start = start
        self.max_iter = max_iter
        self.tol = tol
        self.random_state = random_state
        self.scale = scale

    def knobs(self):
        return {"l2": (0.01, 0.1, 1.0, 10.0, 100.0)}

    def _fit(self, rows):
        if self.l1 and self.solver not in {"auto", "newton"}:
            msg = f"LogisticRegression: l1 needs solver='auto' or 'newton', got {self.solver!r}."
            raise ParameterError(msg)
        if len(self.classes_) < 2:
            only = as_text(self.classes_[0])
            msg = f"LogisticRegression needs two classes, but all rows are of one class, {only!r}"
            raise DataError(msg)
        totals = totals_of(rows, len(self.classes_))
        n_rows = int(totals.rows[0])
        weights = class_factors(self, totals.classes)
        standard = Encoding.from_sums(rows.schema, totals.columns, reference=not (self.l1 or self.l2))
        raw = _unscaled(standard)
        self.encoding_ = standard if self.scale else raw
        # θ is in units of `own`, which are standard ones unless plain steps on plain columns are asked for
        own = self.encoding_ if self.solver in PLAIN else standard
        far = (np.abs(own.shift) > FAR_FROM_ZERO * own.scale).any()
        units = Units.between(own if far else raw, own)
        own_share = np.append(self.encoding_.scale / own.scale, 0.0)  # of a coefficient's penalty
        likelihood = Likelihood(
            encoded_pieces(rows, own if far else raw, weights, n_rows),
            units,
            self._n_scores,
            float(totals.classes @ weights),
            self.l2 * own_share**2,
            free=(self.l2 + self.l1) * own_share == 0,
        )
        l1 = np.tile(self.l1 * own_share, self._n_scores) / likelihood.total
        solution, self.solver_ = maximise(
            likelihood,
            self._first(totals.classes * weights, Units.between(self.encoding_, own)).ravel(),
            solver=self.solver,
            l1=l1,
            n_rows=n_rows,
            tol=self.tol,
            max_iter=self.max_iter,
            step=self.step,
            random=check_random_state(self.random_state),
        )
        self._keep(solution, likelihood, l1, Units.between(raw, own))
        self.null_log_likelihood_ = float(log_likelihood_of_shares(totals.classes * weights))
        self._announce()

    @property
    def _n_scores(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    @property
    def _has_errors(self):
        """Whether there are standard errors: not under a penalty, nor for too many estimates."""
        return not (self.l1 or self.l2) and self._n_scores * (len(self.encoding_) + 1) <= MOST_ESTIMATES

    def _first(self, classes, units):
        """Where θ starts, (n_scores, d + 1), intercept last."""
        theta = np.zeros((self._n_scores, len(self.encoding_) + 1))
        if self.start is None:
            if self.solver != "gradient_descent":
                scores = np.log(np.maximum(classes, 1e-9 * classes.sum()) / classes.sum())
                theta[:, -1] = scores[1] - scores[0] if len(scores) == 2 else scores - scores.mean()
            return theta
        shape = theta.shape if self._n_scores > 1 else theta.shape[1:]
        try:
            start = np.array(self.start, dtype=float)
        except (TypeError, ValueError):
            start = np.array(np.nan)
        if start.shape != shape or not np.isfinite(start).all():
            names = ", ".join(self.encoding_.names)
            msg = (
                f"LogisticRegression: start must be finite numbers of shape {shape}: the intercept, then"
                f" {names}; got {self.start!r}"
            )
            raise ParameterError(msg)
        theta[:] = np.roll(start.reshape(theta.shape), -1, axis=1)
        return units.of_standard(theta)

    def _keep(self, solution, likelihood, l1, units):
        """Take over what the solver found, in units of the columns, and how sure it is."""
        theta, total = solution.theta, likelihood.total
        if not np.isfinite(solution.trace[-1].value):
            msg = f"LogisticRegression: {self.solver_} diverged; use a smaller step"
            raise ParameterError(msg)
        by_score = theta.reshape(self._n_scores, -1)
        original = units.of_rows(by_score)
        self.coef_, self.intercept_ = original[:, :-1], original[:, -1]
        self.trace_ = np.array(solution.trace)
        self.trace_[:, 0] *= -total
        penalty = 0.5 * (by_score**2 @ likelihood.penalty).sum() + total * (l1 @ np.abs(theta))
        self.log_likelihood_ = float(self.trace_[-1, 0] + penalty)
        self.converged_ = bool(solution.converged)
        self.covariance_, self.notes_ = None, []
        if self._has_errors:
            sure = certainty(likelihood, theta, units)
            self.covariance_ = sure.covariance if self.converged_ else np.full_like(sure.covariance, np.nan)
            self.notes_ = list(self._notes(sure))

    def _notes(self, sure):
        if sure.parted.any():
            what = "all rows" if sure.complete else "some rows"
            yield (
                f"the classes of {what} are perfectly separated, so the likelihood has no maximum:"
                f" the coefficients of {self._listed(sure.parted)} grow without limit and have no standard"
                " errors; l2=1 keeps them finite"
            )
        elif sure.collinear.any():
            yield (
                f"{self._listed(sure.collinear)} are collinear, so their coefficients are not unique"
                " and have no standard errors; leave one out, or use l2=1"
            )

    def _listed(self, some):
        names = [repr(name) for name, one in zip(self.encoding_.names, some, strict=True) if one]
        return listed(names)

    def _announce(self):
        for note in self.notes_:
            warnings.warn(f"LogisticRegression: {note}", stacklevel=4)
        if not self.converged_ and not self.notes_:
            note = (
                f"{self.solver_} did not converge in {self.n_iter_} steps: the largest gradient is still"
                f" {figure(float(self.trace_[-1, 1]), 3)}; raise max_iter, or tol from {self.tol:g}"
            )
            self.notes_.append(note)
            warnings.warn(f"LogisticRegression: {note}", ConvergenceWarning, stacklevel=4)

    @property
    def n_iter_(self):
        return len(self.trace_) - 1

    def coefficients(self, level=0.95):
        """The coefficients as a table, with odds ratios; unpenalised, with Wald's tests and intervals.

        For several classes these are relative to the first class; penalised, there are the scores of all.

        Parameters
        ----------
        level : the confidence that the odds ratios' intervals from `low` to `high` have
        """
        check_is_fitted(self)
        if not 0 < level < 1:
            msg = f"level must lie between 0 and 1, got {level!r}"
            raise ParameterError(msg)
        estimates = np.column_stack([self.intercept_, self.coef_])
        labels = [as_text(label) for label in self.classes_.tolist()]
        if self._n_scores == 1:
            labels = labels[1:]
        elif self.covariance_ is not None:
            labels, estimates = labels[1:], estimates[1:] - estimates[0]
        return coefficient_table(
            labels, ["intercept", *self.encoding_.names], estimates, self.covariance_, level
        )

    def decision_function(self, X):
        """The scores: the log odds of the second class of two, (n,), else one score for each class."""
        return self._each(X, self._scores)

    def _scores(self, X):
        encoding = _unscaled(self.encoding_)
        if self._n_scores == 1:
            return linear_scores(encoding, X, self.coef_, self.intercept_)[:, 0]
        return (self.coef_ @ encoding(X).T + self.intercept_[:, None]).T  # each class's own in one stretch

    def _proba(self, X):
        scores = self._scores(X)
        return softmax(scores) if self._n_scores > 1 else sigmoid(np.array([-scores, scores])).T

    def complexity(self):
        if self.l1:
            return int(np.count_nonzero(self.coef_)) + len(self.classes_) - 1
        return (len(self.classes_) - 1) * (len(self.encoding_) + 1)

    def _saved(self):
        saved = super()._saved()
        facts = {"solver": self.solver_, "converged": self.converged_, "notes": self.notes_}
        return saved._replace(facts={**saved.facts, **facts})

    def _opened(self, saved):
        self.solver_, self.converged_ = str(saved.facts["solver"]), bool(saved.facts["converged"])
        self.notes_ = [str(note) for note in saved.facts["notes"]]
        super()._opened(saved)

    def _arrays(self):
        return {
            **{f"encoding.{name}": array for name, array in self.encoding_.arrays().items()},
            "coef": self.coef_,
            "intercept": self.intercept_,
            "trace": self.trace_,
            "likelihoods": np.array([self.log_likelihood_, self.null_log_likelihood_]),
            "covariance": np.zeros((0, 0)) if self.covariance_ is None else self.covariance_,
        }

    def _restore(self, arrays):
        prefix = "encoding."
        own = {n.removeprefix(prefix): a for n, a in arrays.items() if n.startswith(prefix)}
        self.encoding_ = Encoding.from_arrays(self.schema_, own)
        k, d = self._n_scores, len(self.encoding_)
        if len(self.classes_) < 2:
            msg = "it has fewer than two classes"
            raise ValueError(msg)
        self.coef_ = _checked("coef", arrays["coef"], (k, d))
        self.intercept_ = _checked("intercept", arrays["intercept"], (k,))
        self.trace_ = _checked("trace", arrays["trace"], (max(len(arrays["trace"]), 1), 3), finite=False)
        likelihoods = _checked("likelihoods", arrays["likelihoods"], (2,), finite=False)
        self.log_likelihood_, self.null_log_likelihood_ = likelihoods.tolist()
        size = max(k - 1, 1) * (d + 1) if self._has_errors else 0
        covariance_ = _checked("covariance", arrays["covariance"], (size, size), finite=False)
        self.covariance_ = covariance_ if size else None

    def _work(self):
        return derive_model(self)

    def _work_row(self, X):
        return derive_row(self, X)


def _unscaled(encoding):
    """The same encoding of columns in their own units."""
    return replace(encoding, shift=np.zeros(len(encoding)), scale=np.ones(len(encoding)))


def _checked(name, array, shape, *, finite=True):
    if array.dtype != float or array.shape != shape or (finite and not np.isfinite(array).all()):
        msg = f"array {name!r} is {array.dtype}{array.shape}, expected numbers of shape {shape}"
        raise ValueError(msg)
    return array
