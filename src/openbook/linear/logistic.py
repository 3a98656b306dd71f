r"""Logistic regression: log odds that are linear in the columns.

    two classes    ln P(c₁ | x) / P(c₀ | x) = b + Σ_j w_j x_j
    more           P(c | x) = e^(s_c) / Σ_k e^(s_k),    s_c = b_c + Σ_j w_cj x_j

fitted by the largest penalised log-likelihood

    Σ_i w_i ln P(y_i | x_i) - (1 - r) / (2 C) Σ w² - r / C Σ |w|,    r = l1_ratio

over the encoded columns (see `openbook.prepare.encoding`); intercepts are not penalised. Missing cells and
values never seen count as the encoding says. Ties go to the class that comes first.
"""

import warnings
from dataclasses import replace
from typing import Annotated, Any

import numpy as np
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from openbook.border.class_weight import class_factors
from openbook.border.learner import Classifier, class_names
from openbook.border.not_taken import Declared
from openbook.border.rules import Anything, Maybe, Number, OneOf, Whole
from openbook.damage import checked_array, checked_floats, require
from openbook.data.attributes import as_text
from openbook.draw.charts import named_bars
from openbook.errors import DataError, ParameterError, did_you_mean
from openbook.linear.first_pass import class_totals, log_likelihood_of_shares
from openbook.linear.inference import certainty, odds_table
from openbook.linear.likelihood import ClassLikelihood, Units, encoded_pieces
from openbook.linear.logistic_work import derive_model, derive_row
from openbook.linear.maximum import FIXED_STEP, SAME_MAXIMUM, maximise, penalties_of
from openbook.linear.scored import linear_scores, unscaled
from openbook.linear.start import given_start
from openbook.measures.distribution import check_level
from openbook.measures.scores import sigmoid, softmax
from openbook.prepare.encoding import Encoding
from openbook.words.numbers import figure
from openbook.words.sentences import listed

#: A column this many standard deviations away from zero is centred before anything is multiplied.
FAR_FROM_ZERO = 1e4

#: Gradients of every step are kept where they are no more numbers than these.
TRACED = 2000

#: More estimates than these go without standard errors: their Hessian would take too long.
MOST_ESTIMATES = 2000


class LogisticRegression(Declared, Classifier):
    r"""Logistic regression for two classes, softmax (multinomial logistic) regression for more.

    The log odds are linear in the columns, and the penalised log-likelihood is maximised:

    .. math:: \sum_i w_i \ln P(y_i \mid x_i) - \frac{1 - r}{2 C} \sum_j w_j^2 - \frac{r}{C} \sum_j |w_j|

    Parameters
    ----------
    C : float, default=1.0
        The inverse of the strength of the penalty: the smaller, the stronger. math.inf for no penalty; then
        up to 2000 estimates have standard errors, and a nominal column goes without its first value.
    l1_ratio : float, default=0.0
        The share r of the penalty that is on sizes |w| (L1) rather than squares (L2): 0 is ridge, 1 the
        lasso, which sets coefficients to 0, between them the elastic net.
    penalty : {"l1", "l2", "elasticnet", "deprecated"} or None, default="deprecated"
        scikit-learn's older word for `l1_ratio`: "l1" is 1, "l2" is 0, "elasticnet" and "deprecated" leave it
        as it is. None is no penalty, whatever C is.
    tol : float, default=1e-06
        The largest gradient of the mean loss, by a column in standard units, that counts as none; for "sgd"
        the gain of an epoch.
    fit_intercept : bool, default=True
        Whether there is an intercept. Without one, a nominal column keeps all its values.
    class_weight : mapping of class to weight, "balanced" or None, default=None
    random_state : int, RandomState or None, default=None
        Random seed of the order of rows in "sgd".
    solver : {"auto", "newton", "lbfgs", "sgd", "gradient_descent"} or scikit-learn's words, default="auto"
        "auto" is Newton's method where the Hessian is cheap, or an L1 penalty asks for it, else L-BFGS. On
        many rows these begin on a sample. "gradient_descent" takes plain steps of `learning_rate_init` times
        the gradient; "sgd" takes them on a few rows each, in a random order, and averages over an epoch.
        scikit-learn has more ways to the same maximum: "newton-cg" and "newton-cholesky" are "newton" here,
        and "liblinear", "sag" and "saga" are "auto".
    max_iter : int, default=100
        The most steps, or epochs of "sgd". 0 learns nothing and keeps `coef_init` and `intercept_init`.
    learning_rate_init : float or None, default=None
        The step of "gradient_descent", times the gradient of the summed loss, and of "sgd", times that of the
        mean loss of a few rows. None takes one that is short enough.
    coef_init : array-like of shape (n_encoded,) or (n_classes, n_encoded), or None, default=None
        The coefficients to start from, in units of the columns. None starts from 0.
    intercept_init : float, array-like of shape (n_classes,) or None, default=None
        The intercept to start from. None starts from 0 where `coef_init` is given or the solver is
        "gradient_descent", else from the shares of the classes.
    scale : bool, default=True
        Whether the penalty is on coefficients of columns in standard units, or in their own. Either way the
        solvers compute in standard units, except for the last two, which take the columns as they come.
    n_jobs : int or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    coef_ : ndarray of shape (1, n_encoded) or (n_classes, n_encoded)
        The coefficients, in units of the columns.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The intercepts.
    encoding_ : Encoding
    covariance_ : ndarray or None
        The covariance of the estimates, intercept first; None where there is a penalty. For several classes
        that of all classes but the first, relative to it. NaN where there is none.
    trace_ : ndarray of shape (n_iter_ + 1, 3)
        Before the first step and after each: the penalised log-likelihood, the largest gradient of the mean
        loss, the length of the step.
    gradients_ : ndarray of shape (n_iter_ + 1, n_scores, n_encoded + 1)
        The gradient of the penalised log-likelihood at each of them, by the coefficients that the solver
        moves, the intercept last; empty where that would be many numbers.
    log_likelihood_ : float
        The log-likelihood of the model.
    null_log_likelihood_ : float
        The log-likelihood of the shares of the classes alone.
    n_iter_ : int
        The number of steps.
    converged_ : bool
        Whether the last gradient counts as none.
    solver_ : str
        The solver that was used; "none" if `max_iter` is 0.
    notes_ : list of str

    Notes
    -----
    For several classes every class has a score of its own; the penalty, or the start, picks one of the many
    solutions that are equal. Guide: docs/guide/logistic.md

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
    >>> by_hand = LogisticRegression(coef_init=[2.0], intercept_init=-1.0, max_iter=0)
    >>> by_hand.fit([[0.0], [1.0]], [0, 1]).decision_function([[3.0]]).tolist()
    [5.0]
    """

    C: float = 1.0
    l1_ratio: Annotated[float, Number(at_least=0, at_most=1)] = 0.0
    penalty: Annotated[str | None, Maybe(OneOf("l1", "l2", "elasticnet", "deprecated"))] = "deprecated"
    tol: Annotated[float, Number(above=0)] = 1e-6
    fit_intercept: bool = True
    class_weight: Any = None
    random_state: Any = None
    solver: Annotated[Any, OneOf("auto", "newton", "lbfgs", "sgd", "gradient_descent", *SAME_MAXIMUM)] = (
        "auto"
    )
    max_iter: Annotated[int, Whole(at_least=0)] = 100
    learning_rate_init: Annotated[float | None, Maybe(Number(above=0))] = None
    coef_init: Annotated[Any, Anything("None, or a coefficient for each encoded column")] = None
    intercept_init: Annotated[Any, Anything("None, or a number for each score")] = None
    scale: bool = True
    n_jobs: int | None = None

    #: The penalty is relative to the sum of the weights, which therefore count rows.
    _counts_rows = True

    _streams = True
    _takes_means = True
    _takes_sparse = True

    def knobs(self):
        return {"C": (100.0, 10.0, 1.0, 0.1, 0.01)}

    @property
    def _l1(self):
        """The factor of Σ |w|."""
        return penalties_of(self)[0]

    @property
    def _l2(self):
        """The factor of ½ Σ w²."""
        return penalties_of(self)[1]

    @property
    def _solver(self):
        """The solver in our own words."""
        return SAME_MAXIMUM.get(self.solver, self.solver)

    def _fit(self, rows):
        if self._l1 and self._solver not in {"auto", "newton"}:
            msg = f"LogisticRegression: an L1 penalty needs solver='auto' or 'newton', got {self.solver!r}."
            raise ParameterError(msg)
        if rows.sparse and self._solver in FIXED_STEP:
            msg = f"LogisticRegression: sparse rows need solver='newton' or 'lbfgs', got {self.solver!r}."
            raise ParameterError(msg)
        if len(self.classes_) < 2:
            only = as_text(self.classes_[0])
            raise DataError(f"LogisticRegression needs two classes, but all rows are of one class, {only!r}")
        totals = class_totals(rows, len(self.classes_))
        n_rows = int(totals.rows[0])
        weights = class_factors(self, totals.classes)
        reference = self.fit_intercept and not (self._l1 or self._l2)  # which the intercept stands for
        standard = Encoding.from_sums(rows.schema, totals.columns, reference=reference)
        if not self.fit_intercept:
            standard = replace(standard, shift=np.zeros(len(standard)))
        raw = unscaled(standard)
        self.encoding_ = standard if self.scale else raw
        # θ is in units of `own`, which are standard ones unless plain steps on plain columns are asked for
        encoding = self.encoding_ if self._solver in FIXED_STEP else standard
        if standard.sparse and self.fit_intercept:  # around the means, which no row has to know of
            dense = np.arange(len(encoding)) < len(encoding) - encoding.sparse
            encoding = replace(encoding, shift=np.where(dense, encoding.shift, encoding.mean))
        far = not encoding.sparse and (np.abs(encoding.shift) > FAR_FROM_ZERO * encoding.scale).any()
        units = Units.between(encoding if far else raw, encoding)
        own_share = np.append(self.encoding_.scale / encoding.scale, 0.0)  # of a coefficient's penalty
        likelihood = ClassLikelihood(
            encoded_pieces(rows, encoding if far else raw, weights, n_rows),
            units,
            self._n_scores,
            float(totals.classes @ weights),
            self._l2 * own_share**2,
            free=(self._l2 + self._l1) * own_share == 0,
            intercept=self.fit_intercept,
            sparse=bool(encoding.sparse),
        )
        l1 = np.tile(self._l1 * own_share, self._n_scores) / likelihood.total
        solution, self.solver_ = maximise(
            likelihood,
            self._start(totals.classes * weights, Units.between(raw, encoding)).ravel(),
            solver=self._solver,
            l1=l1,
            n_rows=n_rows,
            tol=self.tol,
            max_iter=self.max_iter,
            step=self.learning_rate_init,
            random=check_random_state(self.random_state),
        )
        self._keep(solution, likelihood, l1, Units.between(raw, encoding))
        self.null_log_likelihood_ = float(log_likelihood_of_shares(totals.classes * weights))
        self._announce()

    @property
    def _n_scores(self):
        return 1 if len(self.classes_) == 2 else len(self.classes_)

    @property
    def _has_errors(self):
        """Whether there are standard errors: not under a penalty, nor for too many estimates."""
        few = self._n_scores * (len(self.encoding_) + 1) <= MOST_ESTIMATES and not self.encoding_.sparse
        return few and not (self._l1 or self._l2)

    def _start(self, classes, units):
        """Where θ starts, (n_scores, d + 1), intercept last."""
        theta = np.zeros((self._n_scores, len(self.encoding_) + 1))
        if self.coef_init is None and self.intercept_init is None:
            if self._solver != "gradient_descent" and self.fit_intercept:
                scores = np.log(np.maximum(classes, 1e-9 * classes.sum()) / classes.sum())
                theta[:, -1] = scores[1] - scores[0] if len(scores) == 2 else scores - scores.mean()
            return theta
        theta[:, :-1], theta[:, -1] = given_start(self, self._n_scores)
        return units.of_standard(theta)

    def _keep(self, solution, likelihood, l1, units):
        """Take over what the solver found, in units of the columns, and how sure it is."""
        theta, total = solution.theta, likelihood.total
        if not np.isfinite(solution.trace[-1].value):
            msg = f"LogisticRegression: {self.solver_} diverged; {_smaller_steps(solution.trace[1].step)}"
            raise ParameterError(msg)
        by_score = theta.reshape(self._n_scores, -1)
        original = units.of_rows(by_score)
        self.coef_, self.intercept_ = original[:, :-1], original[:, -1]
        self.trace_ = np.array([point[:3] for point in solution.trace])
        gradients = [point.gradient for point in solution.trace if len(point.gradient) == theta.size]
        few = len(gradients) * theta.size <= TRACED
        self.gradients_ = -total * np.reshape(gradients if few else [], (-1, *by_score.shape))
        self.trace_[:, 0] *= -total
        penalty = 0.5 * (by_score**2 @ likelihood.penalty).sum() + total * (l1 @ np.abs(theta))
        self.log_likelihood_ = float(self.trace_[-1, 0] + penalty)
        self.converged_ = bool(solution.converged)
        self.covariance_, self.notes_ = None, []
        if self._has_errors and self.max_iter == 0:
            self.covariance_ = np.full([max(self._n_scores - 1, 1) * by_score.shape[1]] * 2, np.nan)
        elif self._has_errors:
            sure = certainty(likelihood, theta, units)
            self.covariance_ = sure.covariance if self.converged_ else np.full_like(sure.covariance, np.nan)
            self.notes_ = list(self._notes(sure))

    def _notes(self, sure):
        if sure.separated.any():
            what = "all rows" if sure.complete else "some rows"
            yield (
                f"the classes of {what} are perfectly separated, so the likelihood has no maximum:"
                f" the coefficients of {self._listed(sure.separated)} grow without limit and have no standard"
                " errors; C=1 keeps them finite"
            )
        elif sure.collinear.any():
            yield (
                f"{self._listed(sure.collinear)} are collinear, so their coefficients are not unique"
                " and have no standard errors; leave one out, or use C=1"
            )

    def _listed(self, columns):
        names = [repr(name) for name, one in zip(self.encoding_.names, columns, strict=True) if one]
        return listed(names)

    def _announce(self):
        for note in self.notes_:
            warnings.warn(f"LogisticRegression: {note}", stacklevel=4)
        if not self.converged_ and not self.notes_ and self.max_iter:
            note = (
                f"{self.solver_} did not converge in {self.n_iter_} steps: the largest gradient is still"
                f" {figure(float(self.trace_[-1, 1]), 3)}; {self._advice()}"
            )
            self.notes_.append(note)
            warnings.warn(f"LogisticRegression: {note}", ConvergenceWarning, stacklevel=4)

    def _advice(self):
        """What to do where the solver did not come to rest."""
        uphill = np.diff(self.trace_[:, 0]) < 0
        if self.solver_ in FIXED_STEP and uphill.sum() > self.n_iter_ / 4:
            return f"many steps lead the wrong way: {_smaller_steps(self.trace_[1, 2])}"
        return f"raise max_iter, or tol from {self.tol:g}"

    @property
    def n_iter_(self):
        return len(self.trace_) - 1

    def coefficients(self, level=0.95):
        """The coefficients as a table, with odds ratios; unpenalised, with Wald's tests and intervals.

        For several classes these are relative to the first class; penalised, there are the scores of all.

        Parameters
        ----------
        level : float, default=0.95
            The confidence level of the intervals of the odds ratios, from `low` to `high`.

        Returns
        -------
        Table
        """
        check_is_fitted(self)
        check_level(level)
        estimates = np.column_stack([self.intercept_, self.coef_])
        labels = class_names(self)
        if self._n_scores == 1:
            labels = labels[1:]
        elif self.covariance_ is not None:
            labels, estimates = labels[1:], estimates[1:] - estimates[0]
        names, covariance = ["intercept", *self.encoding_.names], self.covariance_
        if not self.fit_intercept:
            slopes = np.arange(estimates.size).reshape(estimates.shape)[:, 1:].ravel()
            names, estimates = names[1:], estimates[:, 1:]
            covariance = None if covariance is None else covariance[np.ix_(slopes, slopes)]
        return odds_table(labels, names, estimates, covariance, level)

    def draw(self, label=None):
        """The coefficients as bars: the effect of each column on the log odds, the largest on top.

        Parameters
        ----------
        label : label or None, default=None
            The class, where there are several; None for the last.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        labels = [as_text(one) for one in self.classes_.tolist()]
        about = labels[-1] if label is None else as_text(label)
        if about not in labels:
            raise DataError(f"no class {label!r}. {did_you_mean(about, labels)}")
        effects = self.coef_[0 if self._n_scores == 1 else labels.index(about)] * self.encoding_.scale
        if self._n_scores == 1 and about == labels[0]:
            effects = -effects
        unit = "standard deviation" if self.scale else "unit"
        note = f"Change of the log odds of {about} per {unit} of a column, the others held constant."
        title = f"Logistic regression for {self.target_} = {about}"
        return named_bars(title, "effect on the log odds", self.encoding_.names, effects, (note,))

    def decision_function(self, X):
        """The scores: for two classes the log odds of the second, else a score for each class.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows,) or (n_rows, n_classes)
        """
        return self._each(X, self._scores)

    def _scores(self, X):
        encoding = unscaled(self.encoding_)
        if self._n_scores == 1:
            return linear_scores(encoding, X, self.coef_, self.intercept_)[:, 0]
        if encoding.sparse:
            return linear_scores(encoding, X, self.coef_, self.intercept_)
        return (self.coef_ @ encoding(X).T + self.intercept_[:, None]).T  # each class's own in one stretch

    def _proba(self, X):
        scores = self._scores(X)
        return softmax(scores) if self._n_scores > 1 else sigmoid(np.array([-scores, scores])).T

    def complexity(self):
        if self._l1:
            return int(np.count_nonzero(self.coef_)) + len(self.classes_) - 1
        return (len(self.classes_) - 1) * (len(self.encoding_) + 1)

    _saved_facts = {"solver": str, "converged": bool, "notes": list}

    def _arrays(self):
        return {
            **self.encoding_.arrays("encoding."),
            "coef": self.coef_,
            "intercept": self.intercept_,
            "trace": self.trace_,
            "gradients": self.gradients_,
            "likelihoods": np.array([self.log_likelihood_, self.null_log_likelihood_]),
            "covariance": np.zeros((0, 0)) if self.covariance_ is None else self.covariance_,
        }

    def _restore(self, arrays):
        self.encoding_ = Encoding.from_arrays(self.schema_, arrays, "encoding.")
        k, d = self._n_scores, len(self.encoding_)
        require(len(self.classes_) >= 2, "it has fewer than two classes")
        self.coef_, self.intercept_ = checked_floats(arrays, coef=(k, d), intercept=(k,))
        size = max(k - 1, 1) * (d + 1) if self._has_errors else 0
        shapes = {
            "trace": (max(len(arrays["trace"]), 1), 3),
            "gradients": (len(arrays["gradients"]), k, d + 1),
            "likelihoods": (2,),
            "covariance": (size, size),
        }
        self.trace_, self.gradients_, likelihoods, covariance = (
            checked_array(arrays, name, float, shape, finite=False) for name, shape in shapes.items()
        )
        self.log_likelihood_, self.null_log_likelihood_ = likelihoods.tolist()
        self.covariance_ = covariance if size else None

    _work, _work_row = derive_model, derive_row


def _smaller_steps(length):
    """The advice where the steps of gradient descent lead away."""
    return f"take smaller steps: learning_rate_init={figure(float(length) / 10, 3)}"
