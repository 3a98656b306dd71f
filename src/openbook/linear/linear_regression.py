"""Linear regression; the equations are in `least_squares`."""

from typing import Annotated, Any

from openbook.border.not_taken import Declared
from openbook.border.rules import Maybe, Number, OneOf, ValueOf
from openbook.linear.basis import Polynomial, Radial, Sigmoid
from openbook.linear.least_squares import LeastSquares


class LinearRegression(Declared, LeastSquares):
    r"""Linear regression by least squares, with optional L1 (lasso) and L2 (ridge) penalties.

    .. math:: \min_{b, \beta} \frac{1}{2} \sum_i w_i (y_i - \hat{y}_i)^2 + l_1 \sum_j |\beta_j|
        + \frac{l_2}{2} \sum_j \beta_j^2

    Parameters
    ----------
    l2 : float, default=0.0
        The strength of the penalty on squares of the coefficients: ridge regression.
    l1 : float, default=0.0
        The strength of the penalty on their sizes: the lasso, which sets coefficients to 0; with `l2`, the
        elastic net.
    basis : Polynomial, Radial, Sigmoid or None, default=None
        The functions of the columns that are summed; None for the columns themselves.
    loss : {"squared", "huber"}, default="squared"
        The loss: squared errors, or Huber's, for targets with outliers.
    epsilon : float, default=1.35
        From how many times their scale on the Huber loss counts errors as outlying; above 1.
    scale : bool, default=True
        Whether the penalties see numbers in units of their standard deviation, or as they are; a basis always
        sees them in those units.
    fit_intercept : bool, default=True
        Whether there is an intercept. Without one, R² compares with predicting 0, and a nominal column keeps
        all its values.
    positive : bool, default=False
        Whether no coefficient may be below 0; the intercept may.
    penalise_intercept : bool, default=False
        Whether `l2` draws the intercept towards zero too, as in (X'X + l2 I)⁻¹ X'y with a column of ones. It
        counts in the units that the penalties see.
    n_jobs : int or None, default=None

    Attributes
    ----------
    coef_ : ndarray of shape (n_terms,) or (n_targets, n_terms)
        The coefficients, in units of the columns.
    intercept_ : float or ndarray of shape (n_targets,)
        The intercept.
    names_ : tuple of str
        What each coefficient belongs to.
    targets_ : tuple of str
        The names of the targets.
    encoding_ : Encoding
    centres_ : ndarray
        The centres of the functions of a basis.
    collinear_ : tuple of str
        The names of columns that are linear combinations of others; their coefficients are 0.
    r2_ : float or ndarray of shape (n_targets,)
        R², the share of the target's variance that the model explains in training.
    sigma2_ : float, ndarray of shape (n_targets,) or None
        The variance of the errors, RSS / (N - p); None with penalties or the Huber loss.
    dof_ : float or None
        The degrees of freedom N - p, rows less coefficients.
    rank_ : int
        The number of columns that are not collinear; without penalties.
    singular_ : ndarray of shape (n_terms,)
        The singular values of the columns around their means; without penalties.
    n_iter_ : int
        The sweeps of coordinate descent; 0 where equations are solved. Not of sparse rows.
    scale_ : float
        The scale σ of the errors; with the Huber loss only.
    statistics_ : JointScatter
        Weight, mean and scatter of the rows, from which all else follows; not of sparse rows.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/linear.md

    References
    ----------
    Hastie, Tibshirani and Friedman (2009), The Elements of Statistical Learning, chapter 3. Huber (1981),
    Robust Statistics. Friedman, Hastie and Tibshirani (2010), for coordinate descent.

    Examples
    --------
    >>> model = LinearRegression().fit([[0], [1], [2], [3]], [1.0, 3.0, 5.0, 7.5])
    >>> model.coef_.round(3).tolist(), round(model.intercept_, 3), round(model.r2_, 4)
    ([2.15], 0.9, 0.9968)
    >>> LinearRegression(basis=Polynomial(2)).fit([[0], [1], [2], [3]], [1.0, 2.0, 5.0, 9.5]).names_
    ('x0', 'x0^2')
    """

    l2: Annotated[float, Number(at_least=0)] = 0.0
    l1: Annotated[float, Number(at_least=0)] = 0.0
    basis: Annotated[Any, Maybe(ValueOf(Polynomial, Radial, Sigmoid))] = None
    loss: Annotated[str, OneOf("squared", "huber")] = "squared"
    epsilon: Annotated[float, Number(above=1)] = 1.35
    scale: bool = True
    fit_intercept: bool = True
    positive: bool = False
    penalise_intercept: bool = False
    n_jobs: int | None = None

    def knobs(self):
        return {"l2": (0.0, 0.1, 1.0, 10.0, 100.0)}
