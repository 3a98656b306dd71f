"""Gaussian naive Bayes: `NaiveBayes` whose numbers are normal in each class, under scikit-learn's name.

s2 = variance of the column in the class + var_smoothing times the largest variance of any column
"""

from typing import Annotated

from openbook.bayes.naive import NaiveBayes
from openbook.bayes.smoothing import Laplace
from openbook.border.rules import Number


class GaussianNB(NaiveBayes):
    r"""Gaussian naive Bayes: numbers are normally distributed in each class, independently of each other.

    .. math:: P(c \mid x) \propto P(c) \prod_j \frac{1}{\sqrt{2 \pi \sigma_{cj}^2}}
        e^{-\frac{(x_j - \mu_{cj})^2}{2 \sigma_{cj}^2}}

    Nominal columns may stand beside the numbers; they are counted as `NaiveBayes` counts them.

    Parameters
    ----------
    priors : sequence, mapping of class to probability, or None, default=None
        The prior probabilities, a sequence in the order of `classes_`; None for the shares of the classes.
    var_smoothing : float, default=1e-09
        The share of the largest variance of any column that is added to every variance.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        The weight of the rows of each class.
    class_prior_ : ndarray of shape (n_classes,)
        P(c), the prior probability of each class.
    theta_ : ndarray of shape (n_classes, n_numbers)
        The mean of each numeric column in each class.
    var_ : ndarray of shape (n_classes, n_numbers)
        Its variance, including `epsilon_`.
    epsilon_ : float
        What is added.
    prior_ : ndarray of shape (n_classes,)
        The same as `class_prior_`.
    likelihoods_ : list
        The columns in groups of one distribution each, with their estimates of P(x | c).
    numeric_ : str
        The distribution that numbers have.
    statistics_ : ClassEvidence
        The counts and moments that the estimates follow from.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/naive_bayes.md

    References
    ----------
    Mitchell (1997), Machine Learning, chapter 6.

    Examples
    --------
    >>> model = GaussianNB().fit([[1.0], [3.0], [7.0], [9.0]], ["low", "low", "high", "high"])
    >>> model.theta_.tolist(), model.var_.round(6).tolist()
    ([[8.0], [2.0]], [[1.0], [1.0]])
    """

    variance, distributions, kinds = "mle", "gaussian", None

    def __init__(self, priors=None, var_smoothing: Annotated[float, Number(at_least=0)] = 1e-9):
        self.priors = priors
        self.var_smoothing = var_smoothing

    @property  # type: ignore[misc]
    def smoothing(self):
        """Of nominal columns."""
        return Laplace(1.0)

    def knobs(self):
        return {"var_smoothing": (1e-9, 1e-6, 1e-3, 1e-1)}

    @property
    def class_count_(self):
        return self.statistics_.classes

    @property
    def class_prior_(self):
        return self.prior_

    @property
    def _curves(self):
        """The numeric columns."""
        return next(each for each in self.likelihoods_ if each.name == "gaussian")

    @property
    def theta_(self):
        return self._curves.mean

    @property
    def var_(self):
        return self._curves.variance

    @property
    def epsilon_(self):
        return self._curves.added
