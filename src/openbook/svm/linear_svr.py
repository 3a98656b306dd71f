"""Linear support vector regression, under scikit-learn's name: `SVR` with a linear kernel."""

from openbook.svm.svr import SVR


class LinearSVR(SVR):
    r"""Linear support vector regression: the flattest plane that keeps most rows in a tube around it.

    .. math:: \min_{w, b} \frac{1}{2} |w|^2 + C \sum_i \max(0, |y_i - w \cdot x_i - b| - \epsilon)

    Unlike scikit-learn's, the intercept is not penalised: a large `intercept_scaling` gives the same there.

    Parameters
    ----------
    epsilon : float, default=0.0
        How much error is free: half the width of the tube.
    C : float, default=1.0
        The cost of a unit of error beyond epsilon.
    scale : bool, default=True
        Whether numeric columns and the target are standardised first. If so, C and epsilon are in standard
        deviations of the target; if not, in its own units.
    tol : float, default=0.0001
        The largest violation of the optimality conditions that is let pass.
    max_iter : int, default=1000
        The most sweeps over working sets, or Newton steps.

    Attributes
    ----------
    encoding_ : Encoding
    center_ : float
        Subtracted from the target; 0 if it is not scaled.
    spread_ : float
        The divisor of the target; 1 if it is not scaled.
    gamma_ : float
        NaN: a linear kernel has no factor.
    support_ : ndarray
        The numbers of the rows that are support vectors; of equal rows, the first.
    support_vectors_ : ndarray of shape (n_support, n_encoded) or None
        These rows, encoded; None for sparse rows, since the weights of a linear machine are enough.
    dual_coef_ : ndarray of shape (1, n_support)
        beta of each support vector, in units of the scaled target.
    slacks_ : ndarray of shape (1, n_support)
        The error xi beyond epsilon of each.
    coef_ : ndarray of shape (n_machines, n_encoded)
        The coefficients of a linear machine, in units of the columns.
    intercept_ : ndarray of shape (n_machines,)
        The constant of each machine, in units of the columns.
    margin_ : ndarray of shape (n_machines,)
        The width 2 / |w| of each margin, in units of the encoded columns.
    weights_ : ndarray of shape (n_machines, n_encoded)
        The coefficients of the encoded columns.
    bias_ : ndarray of shape (n_machines,)
        Their intercept.
    objective_ : ndarray of shape (n_machines,)
        What was minimised.
    dual_gap_ : ndarray of shape (n_machines,)
        How far above the least possible value it may be.
    n_iter_ : ndarray of shape (n_machines,)
        The sweeps or steps of each machine.
    states_ : ndarray of shape (n_machines,)
        How each search ended.
    converged_ : bool
        Whether every machine was found to the tolerance.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/svm.md

    References
    ----------
    Smola and Schölkopf (2004), A tutorial on support vector regression.

    Examples
    --------
    >>> model = LinearSVR(C=100, epsilon=0.5, scale=False).fit([[0], [1], [2], [3]], [0, 1, 2, 3])
    >>> model.predict([[0], [3]]).round(6).tolist()
    [0.5, 2.5]
    """

    kernel, degree, gamma, coef0 = "linear", 3, "scale", 0.0

    def __init__(self, epsilon=0.0, C=1.0, scale=True, tol=1e-4, max_iter=1000):
        self.epsilon = epsilon
        self.C = C
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter

    def knobs(self):
        return {**super().knobs(), "epsilon": (0.0, 0.1, 0.5)}
