"""Linear support vector classification, under scikit-learn's name: `SVC` with a linear kernel."""

from openbook.svm.svc import SVC


class LinearSVC(SVC):
    r"""Linear support vector classification: one hyperplane for each class against the rest.

    .. math:: \min_{w, b} \frac{1}{2} |w|^2 + C \sum_i \max(0, 1 - y_i (w \cdot x_i + b))^2

    Unlike scikit-learn's, the intercept is not penalised: a large `intercept_scaling` gives the same there.

    Parameters
    ----------
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
        Whether slack is paid as it is, or squared.
    C : float, default=1.0
        The cost of a unit of slack. math.inf allows none, with loss="hinge": the hard margin.
    class_weight : mapping of class to weight, "balanced" or None, default=None
    scale : bool, default=True
        Whether numeric columns are standardised first; if not, they are taken as they come.
    tol : float, default=0.0001
        The largest violation of the optimality conditions that is let pass.
    max_iter : int, default=1000
        The most sweeps over working sets, or Newton steps, of a machine.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    encoding_ : Encoding
    coef_ : ndarray of shape (1, n_encoded) or (n_classes, n_encoded)
        The coefficients, in units of the columns.
    intercept_ : ndarray of shape (1,) or (n_classes,)
        The constant of each machine, in units of the columns.
    gamma_ : float
        NaN: a linear kernel has no factor.
    support_ : ndarray
        The numbers of the rows that are support vectors; of equal rows, the first.
    support_vectors_ : ndarray of shape (n_support, n_encoded) or None
        These rows, encoded; None if rows are sparse.
    n_support_ : ndarray of shape (n_classes,)
        How many of them each class has.
    dual_coef_ : ndarray of shape (n_machines, n_support)
        alpha y of each support vector, in each machine.
    slacks_ : ndarray of shape (n_machines, n_support)
        The slack xi of each.
    margin_ : ndarray of shape (n_machines,)
        The width 2 / |w| of each margin, in units of the encoded columns.
    weights_ : ndarray of shape (n_machines, n_encoded)
        The coefficients of the encoded columns.
    bias_ : ndarray of shape (n_machines,)
        The intercept.
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
    sharpness_ : ndarray of shape (n_classes,)
        All 1: probabilities are not fitted in folds.
    calibrated_ : bool
        False.

    Notes
    -----
    Guide: docs/guide/svm.md

    References
    ----------
    Cortes and Vapnik (1995). Fan, Chang, Hsieh, Wang and Lin (2008), LIBLINEAR.

    Examples
    --------
    >>> square = [[0, 0], [0, 2], [2, 0], [2, 2]]
    >>> LinearSVC(C=1000, scale=False).fit(square, [-1, -1, 1, 1]).predict([[3, 1]]).tolist()
    [1]
    """

    kernel, degree, gamma, coef0, multiclass, calibrate = "linear", 3, "scale", 0.0, "ovr", None

    def __init__(self, loss="squared_hinge", C=1.0, class_weight=None, scale=True, tol=1e-4, max_iter=1000):
        self.loss = loss
        self.C = C
        self.class_weight = class_weight
        self.scale = scale
        self.tol = tol
        self.max_iter = max_iter
