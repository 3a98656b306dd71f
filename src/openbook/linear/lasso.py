r"""The lasso: least squares with a penalty on the sizes of the coefficients, which sets some of them to 0.

    minimise  1/(2W) sum_i w_i (y_i - b - sum_j β_j x_ij)² + alpha sum_j |β_j|,    W = sum_i w_i

It is the elastic net with l1_ratio = 1 (see `elastic_net`).
"""

from openbook.linear.least_squares import PenalisedSquares


class Lasso(PenalisedSquares):
    r"""The lasso: least squares with a penalty on the sizes of the coefficients, which sets some to 0.

    .. math:: \min_{b, \beta} \frac{1}{2W} \sum_i w_i (y_i - \hat{y}_i)^2 + \alpha \sum_j |\beta_j|

    Parameters
    ----------
    alpha : float, default=1.0
        The strength of the penalty, relative to the mean loss of a row; 0 for least squares.
    fit_intercept : bool, default=True
        Whether there is an intercept. It is not penalised.
    positive : bool, default=False
        Whether no coefficient may be below 0; the intercept may.
    scale : bool, default=False
        Whether the penalty sees numbers in units of their standard deviation, or as they are.

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
    collinear_ : tuple of str
        With alpha = 0, the names of columns that are linear combinations of others; their coefficients
        are 0.
    r2_ : float or ndarray of shape (n_targets,)
        R², the share of the target's variance that the model explains in training.
    sigma2_ : float, ndarray of shape (n_targets,) or None
        The variance of the errors; None with a penalty.
    dof_ : float or None
        The degrees of freedom; None with a penalty.
    n_iter_ : int
        The sweeps of coordinate descent; 0 where equations are solved. Not of sparse rows.
    statistics_ : JointScatter
        Weight, mean and scatter of the rows, from which all else follows; not of sparse rows.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/linear.md

    References
    ----------
    Tibshirani (1996), Regression shrinkage and selection via the lasso.

    Examples
    --------
    The column has the scatter S = 5 and c = 10 with the target, so that β = (c - W alpha) / S:

    >>> model = Lasso(alpha=1.25).fit([[0], [1], [2], [3]], [1.0, 3.0, 5.0, 7.0])
    >>> model.coef_.tolist(), model.intercept_
    ([1.0], 2.5)
    """

    l1_ratio = 1.0
