r"""Discriminants: a normal distribution for each class, over all columns together.

    linear       ln P(c) + mu_c' S^-1 x - 1/2 mu_c' S^-1 mu_c              one covariance S for all classes
    quadratic    ln P(c) - 1/2 ln |S_c| - 1/2 (x - mu_c)' S_c^-1 (x - mu_c)    a covariance S_c for each

The class with the largest discriminant is predicted, the first of equals, and P(c | x) is proportional to e
to the discriminant. P(c) is the share of the rows, or given. Covariances divide by the rows ("mle"), or
("sample") by the rows less the number of classes, for a class by its rows less 1.

x : the encoded columns (`openbook.prepare`, without each first value). A missing cell counts as its column's
mean, and is marked in a column of its own. What the data do not determine is reported in `notes_` and in the
work:

    a column that does not vary, or follows from those before it    it is left out
    a direction in which no class varies, although the rows do      a millionth of the rows' variance
    a direction in which one class does not vary (quadratic)        the variance of all classes
"""

from abc import abstractmethod
from copy import copy
from functools import partial, reduce
from operator import add
from typing import Annotated, Any

import numpy as np
from scipy.linalg import eigh
from sklearn.base import ClassNamePrefixFeaturesOutMixin, TransformerMixin
from sklearn.utils.validation import check_is_fitted

from openbook.border.cross_fitted import FOLDS
from openbook.border.folding import Folding
from openbook.border.learner import Classifier, class_names, most_probable
from openbook.border.not_taken import Declared
from openbook.border.priors import PRIORS, class_priors
from openbook.border.rules import Maybe, Number, OneOf, Whole, WordOr
from openbook.damage import checked_array, require
from openbook.errors import ParameterError
from openbook.fold import less
from openbook.linear.discriminant_picture import draw_normals
from openbook.linear.discriminant_work import derive_model, derive_row
from openbook.linear.gram import independent_columns, is_definite, lower_solved, upper_solved
from openbook.linear.held_out import SHRINKAGES, held_out_likelihoods
from openbook.linear.scatter import ClassScatter
from openbook.linear.scored import linear_scores, scored
from openbook.measures.directions import checked_scores, with_fixed_signs
from openbook.measures.scores import softmax
from openbook.prepare.encoding import Encoding
from openbook.words.sentences import plural

#: The share of the overall variance that replaces a variance of zero.
FLOOR = 1e-6

#: A column of which earlier ones leave no larger share of the variance unexplained follows from them.
DEPENDENT = 1e-10

#: The most columns left out that are named.
MOST_NOTES = 20


_SHARE = Number(at_least=0, at_most=1)


class _Discriminant(Declared, Folding, Classifier):
    """What both discriminants share: statistics, encoding, prior, means and covariances."""

    _takes_means = True

    variance: Annotated[str, OneOf("mle", "sample")] = "mle"
    shrinkage: Annotated[Any, _SHARE] = 0.0
    priors: Annotated[Any, PRIORS] = None

    def knobs(self):
        return {"shrinkage": (0.0, 0.1, 0.3, 1.0)}

    @abstractmethod
    def _groups(self):
        """How many covariances are counted."""

    def _step(self):
        return partial(ClassScatter.of, self.schema_, len(self.classes_), self._groups())

    def _zero(self):
        return ClassScatter.zero(self.schema_, len(self.classes_), self._groups())

    def _grow(self, schema):
        self.statistics_ = self.statistics_.grown(self.schema_, schema)
        super()._grow(schema)

    def _restore(self, arrays):
        for name, scatter in arrays.items():
            square = name.startswith("grams.") and scatter.shape == scatter.T.shape
            require(not square or (scatter == scatter.T).all(), "its scatter matrices are not symmetric")
        super()._restore(arrays)

    def _solve(self):
        statistics = self.statistics_
        self.encoding_ = Encoding.from_sums(self.schema_, statistics.columns, reference=True)
        self.priors_ = class_priors(self, statistics.weight)
        present = statistics.weight > 0
        if absent := [
            label for label, p in zip(class_names(self), self.priors_ * ~present, strict=True) if p > 0
        ]:
            raise ParameterError(f"priors: no row has the class {absent[0]!r}. Its prior must be 0")
        means, scatters = statistics.encoded(self.encoding_)
        within = reduce(add, scatters)
        weight = statistics.weight.sum()
        gap = (means - statistics.weight / weight @ means) * present[:, None]
        total = within.with_rows(gap * np.sqrt(statistics.weight)[:, None])
        self.used_, self._root, self.notes_ = self._independent(total, weight, len(within.entries) - 1)
        self._means = means[:, self.used_]
        rows = self._rows(weight, int(present.sum()))
        pooled = self._regular(within.part(self.used_, self.used_) / rows)
        self._solve_classes(pooled, (scatter.part(self.used_, self.used_) for scatter in scatters))

    def _rows(self, weight, fitted):
        """The divisor of a scatter around `fitted` means; infinity if it would not be above 0."""
        rows = float(less(weight, fitted)) if self.variance == "sample" else weight
        return rows if rows > 0 else np.inf

    def _independent(self, total, weight, rank):
        """The positions of columns that vary and do not follow from those before; the Cholesky root of their
        covariance; notes of the others.
        """
        tiny = 1e-18 * np.maximum(1.0, self.encoding_.mean**2)
        constant = total.diagonal() <= tiny * weight
        upper, used = independent_columns(total.cleared(constant), DEPENDENT, rank)
        names, notes = self.encoding_.names, []
        others = np.setdiff1d(np.arange(len(names)), used).tolist()
        for j in others[:MOST_NOTES]:
            what = "constant" if constant[j] else "a linear combination of earlier columns"
            notes.append(f"{names[j]} is {what} and is left out")
        if len(others) > MOST_NOTES:
            notes.append(f"{len(others) - MOST_NOTES:,} more columns are left out for the same reasons")
        return used, (upper * np.sqrt(total.diagonal()[used] / weight)).T, notes

    def _relative(self, covariance, most=np.inf):
        """A covariance where that of all rows is the identity: its eigenvalues up to `most`, and their axes.

        No eigenvalue is above 1 by more than rounding.
        """
        relative = lower_solved(self._root, lower_solved(self._root, covariance).T)
        return eigh(relative, subset_by_value=None if most == np.inf else (-np.inf, most), check_finite=False)

    def _regular(self, covariance):
        """The covariance with a millionth of the rows' variance where it has none."""
        if is_definite(covariance - FLOOR * self._root @ self._root.T):
            return covariance
        shares, axes = self._relative(covariance, FLOOR)
        if not len(shares):  # no more than rounding was in doubt
            return covariance
        where = f"in {len(shares)} of {len(covariance)} directions no class varies"
        self.notes_.append(f"{where}; {FLOOR:g} of the overall variance is used")
        axes = self._root @ axes
        return covariance + (axes * (FLOOR - shares)) @ axes.T

    @property
    def means_(self):
        """The means of the classes in units of the columns, (n_classes, n_used)."""
        scale, shift = self._units
        return self._means * scale + shift

    @property
    def _units(self):
        return self.encoding_.scale[self.used_], self.encoding_.shift[self.used_]

    def _log_prior(self):
        known = self.priors_ > 0
        return np.where(known, np.log(np.where(known, self.priors_, 1.0)), -np.inf)

    def decision_function(self, X):
        """The discriminant of each class, up to a term that all classes share.

        For two classes, how far that of the second exceeds the first's.

        Parameters
        ----------
        X : table-like or Scan

        Returns
        -------
        ndarray of shape (n_rows, n_classes), or (n_rows,) for two classes
        """
        scores = self._each(X, self._scores)
        return scores[:, 1] - scores[:, 0] if len(self.classes_) == 2 else scores

    @np.errstate(over="ignore", invalid="ignore")
    def _predict(self, X):
        scores = self._scores(X)
        if np.isnan(scores.sum()):
            scores[np.isnan(scores).any(axis=1)] = self.priors_
        return most_probable(scores)

    @np.errstate(over="ignore", invalid="ignore")
    def _proba(self, X):
        """P(c | x); of a row so far off that its discriminants are no numbers, P(c)."""
        proba = softmax(self._scores(X))
        proba[np.isnan(proba).any(axis=1)] = self.priors_
        return proba

    def sample(self, n_samples=1, random_state=0):
        """Draw rows: a class by its prior, then all columns from its normal distribution.

        An ordinal value is the nearest rank, a nominal one the value whose 0/1 column is the largest. A
        column that is not used stays at its mean.

        Parameters
        ----------
        n_samples : int, default=1
            The number of rows.
        random_state : int, default=0

        Returns
        -------
        tuple of Table and ndarray
            The rows, and the class of each.
        """
        check_is_fitted(self)
        rng = np.random.default_rng(random_state)
        which = rng.choice(len(self.classes_), n_samples, p=self.priors_)
        noise = rng.standard_normal((n_samples, len(self.used_)))
        middle = (self.encoding_.mean - self.encoding_.shift) / self.encoding_.scale
        x = np.repeat(middle[None], n_samples, axis=0)
        for c, spread in enumerate(self._class_covariances):
            rows = which == c
            x[np.ix_(rows, self.used_)] = self._means[c] + noise[rows] @ np.linalg.cholesky(spread).T
        return self.encoding_.decoded(x), self.classes_[which]

    def draw(self, X=None, y=None, columns=None):
        """The normal distribution of each class as ellipses; or, with rows, the decision regions.

        Parameters
        ----------
        X : table-like or None, default=None
            Rows to draw the decision regions with.
        y : array-like, str or None, default=None
            Their target.
        columns : sequence of str or None, default=None
            The two columns across and up; None takes the two that separate the classes best.

        Returns
        -------
        Picture
            A notebook shows it; `save("name.svg")` writes it.
        """
        check_is_fitted(self)
        if X is not None:
            return super().draw(X, y, columns)
        return draw_normals(self, columns)

    _work, _work_row = derive_model, derive_row


class LinearDiscriminantAnalysis(ClassNamePrefixFeaturesOutMixin, TransformerMixin, _Discriminant):
    """Linear discriminant analysis (LDA): normal classes with different means and one common covariance.

    Parameters
    ----------
    variance : {"mle", "sample"}, default="mle"
        Whether the covariance divides by N, or by N less the number of classes.
    shrinkage : float, default=0.0
        From 0 to 1, how far the covariance is drawn towards its diagonal: 1 takes the columns for
        independent.
    priors : sequence, mapping of class to probability, or None, default=None
        The prior probabilities, a sequence in the order of `classes_`; None for the shares of the classes.
    n_components : int or None, default=None
        The directions on which `transform` gives scores; None for all there are, one fewer than classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    priors_ : ndarray of shape (n_classes,)
        The prior probability P(c) of each class.
    encoding_ : Encoding
    used_ : ndarray
        The positions of the encoded columns that are used; others are constant or follow from them.
    means_ : ndarray of shape (n_classes, n_used)
        The means of the classes, in units of the columns.
    covariance_ : ndarray of shape (n_used, n_used)
        The covariance within the classes, in units of the columns.
    coef_ : ndarray of shape (n_classes, n_used)
        The coefficients of the discriminants, in units of the columns.
    intercept_ : ndarray of shape (n_classes,)
        Their intercepts.
    components_ : ndarray of shape (n_components_, d)
        The directions in which the classes lie farthest apart: coefficients of the encoded columns.
    n_components_ : int
        The number of directions.
    criteria_ : ndarray of shape (n_components_,)
        The variance between classes over that within, of each direction.
    explained_variance_ratio_ : ndarray of shape (n_components_,)
        The share of each direction in the sum of all criteria.
    mean_ : ndarray of shape (d,)
        The mean of the encoded columns, at which scores are 0.
    scalings_ : ndarray of shape (n_used, n_components_)
        The directions in units of the columns.
    xbar_ : ndarray of shape (n_used,)
        The mean of the columns, the classes weighed by their priors.
    statistics_ : ClassScatter
        Weights, means and scatter of the classes, from which all else follows.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/perceptron.md

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 4.3. Fisher (1936).

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> print(LinearDiscriminantAnalysis().fit(X, y).score(X, y))
    0.98
    """

    n_components: Annotated[int | None, Maybe(Whole(at_least=1))] = None

    def _groups(self):
        return 1

    def _solve_classes(self, pooled, _scatters):
        if self.shrinkage:
            pooled = (1 - self.shrinkage) * pooled + self.shrinkage * np.diag(np.diag(pooled))
        self._covariance = pooled
        root = np.linalg.cholesky(pooled)
        self._coef = upper_solved(root, lower_solved(root, self._means.T)).T
        self._intercept = self._log_prior() - 0.5 * (self._coef * self._means).sum(axis=1)
        self._solve_directions(root)

    def _solve_directions(self, root):
        """The directions by the singular values of the class means, where the classes vary by 1 each way."""
        gaps = (self._means - self.priors_ @ self._means) * np.sqrt(self.priors_)[:, None]
        _, sizes, axes = np.linalg.svd(lower_solved(root, gaps.T).T, full_matrices=False)
        classes = int((self.priors_ > 0).sum())
        most = min(classes - 1, len(root))
        if self.n_components is not None and self.n_components > most:
            raise ParameterError(
                f"{type(self).__name__}: n_components is {self.n_components}, but {len(root)}"
                f" columns that vary and {plural(classes, 'class')} have {most} directions"
            )
        self.n_components_ = n = most if self.n_components is None else self.n_components
        criteria = sizes**2
        self.criteria_ = criteria[:n].copy()
        self.explained_variance_ratio_ = self.criteria_ / (criteria[:most].sum() or 1.0)
        self.components_ = np.zeros((n, len(self.encoding_)))
        for c, axis in enumerate(upper_solved(root, axes[:n].T).T):
            self.components_[c, self.used_] = with_fixed_signs(axis)
        self.mean_ = (self.encoding_.mean - self.encoding_.shift) / self.encoding_.scale
        self.mean_[self.used_] = self.priors_ @ self._means

    def transform(self, X):
        """The scores of each row on the directions in which the classes lie farthest apart.

        Parameters
        ----------
        X : table-like

        Returns
        -------
        ndarray of shape (n_rows, n_components_)
            The scores, which vary by 1 within the classes.
        """
        return self._each(X, self._projected)

    def _projected(self, X):
        return linear_scores(self.encoding_, X, self.components_, -self.components_ @ self.mean_)

    def inverse_transform(self, scores):
        """The likeliest rows behind scores, as a table: those nearest to the mean by the covariance.

        Parameters
        ----------
        scores : array-like of shape (n_rows, n_components_)
            The scores, as `transform` gives them.

        Returns
        -------
        Table
            The rows.
        """
        check_is_fitted(self)
        scores = checked_scores(scores, self.n_components_)
        x = np.repeat(self.mean_[None], len(scores), axis=0)
        x[:, self.used_] += scores @ self.components_[:, self.used_] @ self._covariance
        return self.encoding_.decoded(x)

    @property
    def scalings_(self):
        scale, _ = self._units
        return (self.components_[:, self.used_] / scale).T

    @property
    def xbar_(self):
        return self.priors_ @ self.means_

    @property
    def _n_features_out(self):
        return self.n_components_

    def _scores(self, X):
        coef = np.zeros((len(self.classes_), len(self.encoding_)))
        coef[:, self.used_] = self._coef
        known = self.priors_ > 0
        scores = linear_scores(self.encoding_, X, coef, np.where(known, self._intercept, 0.0))
        scores[:, ~known] = -np.inf
        return scores

    @property
    def _class_covariances(self):
        return [self._covariance] * len(self.classes_)

    @property
    def covariance_(self):
        scale, _ = self._units
        return self._covariance * np.outer(scale, scale)

    @property
    def coef_(self):
        return np.linalg.solve(self.covariance_, self.means_.T).T

    @property
    def intercept_(self):
        return self._log_prior() - 0.5 * (self.coef_ * self.means_).sum(axis=1)

    def complexity(self):
        """Priors, means and one covariance."""
        k, d = self._means.shape
        return k - 1 + k * d + d * (d + 1) // 2


class QuadraticDiscriminantAnalysis(_Discriminant):
    """Quadratic discriminant analysis (QDA): normal classes, each with its own mean and covariance.

    Parameters
    ----------
    variance : {"mle", "sample"}, default="mle"
        Whether the covariance of a class divides by its rows N, or by N - 1.
    shrinkage : float or "cv", default=0.0
        From 0 to 1, how far each covariance is drawn towards that of all classes: 1 is the linear
        discriminant. "cv" takes the one of 1, 0.6, 0.3, 0.1 and 0.03 under which rows that are held out in
        five folds are the likeliest; rows that are learnt later do not change it.
    priors : sequence, mapping of class to probability, or None, default=None
        The prior probabilities, a sequence in the order of `classes_`; None for the shares of the classes.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    priors_ : ndarray of shape (n_classes,)
        The prior probability P(c) of each class.
    encoding_ : Encoding
    used_ : ndarray
        The positions of the encoded columns that are used; others are constant or follow from them.
    means_ : ndarray of shape (n_classes, n_used)
        The means of the classes, in units of the columns.
    covariances_ : ndarray of shape (n_classes, n_used, n_used)
        The covariance of each class, in units of the columns.
    covariance_ : ndarray of shape (n_classes, n_used, n_used)
        The same, under scikit-learn's name.
    shrinkage_ : float
        The shrinkage that was used.
    likelihoods_ : ndarray of shape (5,)
        With shrinkage="cv", the logarithm of the likelihood of the held-out rows under each shrinkage.
    statistics_ : ClassScatter
        Weights, means and scatters of the classes, from which all else follows.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/perceptron.md

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, section 4.3.
    Friedman (1989), for the shrinkage.

    Examples
    --------
    >>> from openbook import load
    >>> X, y = load("iris").split("species")
    >>> print(QuadraticDiscriminantAnalysis().fit(X, y).score(X, y))
    0.98
    """

    _wants_evidence = True  # a covariance of each class has many figures
    shrinkage: Annotated[Any, WordOr(_SHARE, "cv")] = 0.0

    def _groups(self):
        return len(self.classes_)

    def _fit(self, rows):
        if self.shrinkage == "cv":
            self.likelihoods_ = np.zeros(len(SHRINKAGES))
            if sum(rows.sizes()) >= 2 * FOLDS:  # of fewer, a fold may have none
                self.likelihoods_ = held_out_likelihoods(rows.held(), self._step(), self._shrunken)
        super()._fit(rows)

    def _shrunken(self, statistics):
        """A model of these statistics for each shrinkage."""
        for likelihoods in np.eye(len(SHRINKAGES)):
            model = copy(self)
            model.likelihoods_, model.statistics_ = likelihoods, statistics
            model._solve()  # noqa: SLF001 (its own)
            yield model

    @property
    def shrinkage_(self):
        return SHRINKAGES[int(self.likelihoods_.argmax())] if self.shrinkage == "cv" else self.shrinkage

    def _parts_add_up(self, X):
        return self.shrinkage != "cv" and super()._parts_add_up(X)

    def _arrays(self):
        chosen = {"likelihoods": self.likelihoods_} if self.shrinkage == "cv" else {}
        return {**super()._arrays(), **chosen}

    def _restore(self, arrays):
        if self.shrinkage == "cv":
            self.likelihoods_ = checked_array(arrays, "likelihoods", float, (len(SHRINKAGES),))
        super()._restore({name: array for name, array in arrays.items() if name != "likelihoods"})

    def _solve_classes(self, pooled, scatters):
        d = len(pooled)
        self._covariances = np.empty((len(self.classes_), d, d))
        for c, (weight, scatter) in enumerate(zip(self.statistics_.weight, scatters, strict=True)):
            covariance = (1 - self.shrinkage_) * scatter / self._rows(weight, 1) + self.shrinkage_ * pooled
            self._covariances[c] = self._with_flat_axes(covariance, pooled, c) if weight > 0 else pooled
        roots = np.linalg.cholesky(self._covariances)
        self._inverse_roots = np.linalg.inv(roots) if d else roots
        half_log = np.log(np.diagonal(roots, axis1=1, axis2=2)).sum(axis=1)
        self._constant = self._log_prior() - half_log

    def _with_flat_axes(self, covariance, pooled, c):
        """A class's covariance, with that of all classes along the axes on which the class does not vary."""
        shares, axes = self._relative(covariance)
        flat = shares <= FLOOR
        if not flat.any():
            return covariance
        where = (
            f"in {flat.sum()} of {len(flat)} directions the rows of class {class_names(self)[c]} do not vary"
        )
        self.notes_.append(f"{where}; the overall variance is used")
        none, varying = axes[:, flat], axes[:, ~flat]
        turned = upper_solved(self._root, none)
        stands_in = turned.T @ pooled @ turned
        mended = (varying * shares[~flat]) @ varying.T + none @ stands_in @ none.T
        return self._root @ mended @ self._root.T

    def _scores(self, X):
        return scored(self.encoding_, X, len(self.classes_), self._discriminants)

    def _discriminants(self, x):
        x = x if len(self.used_) == x.shape[1] else x[:, self.used_]
        scores = np.empty((len(x), len(self.classes_)))
        for c, (mean, root) in enumerate(zip(self._means, self._inverse_roots, strict=True)):
            z = (x - mean) @ root.T
            scores[:, c] = self._constant[c] - 0.5 * np.einsum("ij,ij->i", z, z)
        return scores

    @property
    def _class_covariances(self):
        return self._covariances

    @property
    def covariances_(self):
        scale, _ = self._units
        return self._covariances * np.outer(scale, scale)

    @property
    def covariance_(self):
        return self.covariances_

    def complexity(self):
        """Priors, means and a covariance for each class."""
        k, d = self._means.shape
        return k - 1 + k * d + k * d * (d + 1) // 2
