r"""The elastic net: least squares with a penalty on the sizes of the coefficients and on their squares.

    minimise  1/(2W) sum_i w_i (y_i - b - sum_j β_j x_ij)²
              + alpha (l1_ratio sum_j |β_j| + ½ (1 - l1_ratio) sum_j β_j²),    W = sum_i w_i

This is `LinearRegression` with l1 = W alpha l1_ratio, l2 = W alpha (1 - l1_ratio) and scale=False: the same
fold, equations, derivation and rules for missing cells.
"""

from typing import Annotated

from openbook.border.rules import Number
from openbook.linear.least_squares import PenalisedSquares


class ElasticNet(PenalisedSquares):
    r"""The elastic net: least squares with a penalty on the sizes of the coefficients and on their squares.

    .. math:: \min_{b, \beta} \frac{1}{2W} \sum_i w_i (y_i - \hat{y}_i)^2
        + \alpha \left(r \sum_j |\beta_j| + \frac{1 - r}{2} \sum_j \beta_j^2\right)

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
    l1_ratio : float, default=0.5
        The share r of the sizes in the penalty, from 0 (ridge regression) to 1 (the lasso).

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
    Zou and Hastie (2005), Regularization and variable selection via the elastic net.

    Examples
    --------
    The column has the scatter S = 5 and c = 10 with the target; β = (c - W alpha r) / (S + W alpha (1 - r)),
    here (10 - 2) / (5 + 2):

    >>> model = ElasticNet(alpha=1.0, l1_ratio=0.5).fit([[0], [1], [2], [3]], [1.0, 3.0, 5.0, 7.0])
    >>> model.coef_.round(6).tolist()
    [1.142857]
    """

    l1_ratio: Annotated[float, Number(at_least=0, at_most=1)] = 0.5
