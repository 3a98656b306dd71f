"""Naive Bayes of events, under scikit-learn's names: `NaiveBayes` with one distribution for all columns.

multinomial, complement, Bernoulli: see `openbook.bayes.events`; each event is counted alpha times more
than it was seen
"""

from typing import Annotated, Any

import numpy as np

from openbook.bayes.naive import NaiveBayes
from openbook.bayes.smoothing import Laplace, NoSmoothing
from openbook.border.priors import PRIORS
from openbook.border.rules import Maybe, Number


class EventNB(NaiveBayes):
    """Naive Bayes whose columns count events."""

    variance, kinds = "mle", None
    _scores_poorly = True  # on clouds of points, which are no events

    @property  # type: ignore[misc]
    def smoothing(self):
        """What `NaiveBayes` calls it."""
        return Laplace(self.alpha) if self.alpha else NoSmoothing()

    @property  # type: ignore[misc]
    def priors(self):
        """What `NaiveBayes` calls them."""
        if self.class_prior is not None or self.fit_prior:
            return self.class_prior
        shown = self.statistics_.classes > 0  # a class without rows is never predicted
        return shown / shown.sum()

    def knobs(self):
        return {"alpha": (0.1, 1.0, 10.0)}

    @property
    def class_count_(self):
        return self.statistics_.classes

    @property
    def feature_count_(self):
        return self.statistics_.parts[0].events

    @property
    def class_log_prior_(self):
        with np.errstate(divide="ignore"):
            return np.log(self.prior_)

    @property
    def feature_log_prob_(self):
        return self.likelihoods_[0].logs.T

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        tags.input_tags.positive_only = self.distributions != "bernoulli"
        return tags


class MultinomialNB(EventNB):
    r"""Multinomial naive Bayes: the events of a row, such as the words of a text, are drawn by class.

    .. math:: P(c \mid x) \propto P(c) \prod_j p_{cj}^{x_j}, \quad
        p_{cj} = \frac{n_{cj} + \alpha}{N_c + \alpha V}

    Parameters
    ----------
    alpha : float, default=1.0
        How many times more each event is counted than it was seen; 1 is Laplace's rule, 0 no smoothing.
    fit_prior : bool, default=True
        Whether the priors are the shares of the classes, or equal.
    class_prior : sequence, mapping of class to probability, or None, default=None
        The prior probabilities, a sequence in the order of `classes_`; None: as `fit_prior` says.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        The weight of the rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log P(c).
    feature_count_ : ndarray of shape (n_classes, n_columns)
        How often each event happened in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_columns)
        Log p_cj.
    prior_ : ndarray of shape (n_classes,)
        P(c), the prior probability of each class.
    likelihoods_ : list
        The columns, with their estimates.
    numeric_ : str
        The distribution of numbers.
    statistics_ : ClassEvidence
        The counts that the estimates follow from.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/naive_bayes.md

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, chapter 13.

    Examples
    --------
    >>> model = MultinomialNB().fit([[2, 0], [0, 2]], ["a", "b"])
    >>> model.predict_proba([[1, 0]]).round(4).tolist()  # (2 + 1) / (2 + 2) and (0 + 1) / (2 + 2)
    [[0.75, 0.25]]
    """

    distributions = "multinomial"

    def __init__(self, alpha=1.0, fit_prior: bool = True, class_prior: Annotated[Any, PRIORS] = None):
        self.alpha = alpha
        self.fit_prior = fit_prior
        self.class_prior = class_prior


class ComplementNB(EventNB):
    r"""Complement naive Bayes: an event is evidence against a class if the other classes show it often.

    .. math:: \hat{c} = \arg\max_c \prod_j q_{cj}^{-x_j}, \quad
        q_{cj} = \frac{\sum_{k \neq c} n_{kj} + \alpha}{\sum_{k \neq c} N_k + \alpha V}

    The classes have equal priors, as in scikit-learn.

    Parameters
    ----------
    alpha : float, default=1.0
        How many times more each event is counted than it was seen; 1 is Laplace's rule, 0 no smoothing.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        The weight of the rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log P(c).
    feature_count_ : ndarray of shape (n_classes, n_columns)
        How often each event happened in each class.
    feature_log_prob_ : ndarray of shape (n_classes, n_columns)
        -log q_cj.
    prior_ : ndarray of shape (n_classes,)
        P(c), the prior probability of each class.
    likelihoods_ : list
        The columns, with their estimates.
    numeric_ : str
        The distribution of numbers.
    statistics_ : ClassEvidence
        The counts that the estimates follow from.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/naive_bayes.md

    References
    ----------
    Rennie, Shih, Teevan and Karger (2003), Tackling the poor assumptions of naive Bayes text classifiers.

    Examples
    --------
    >>> model = ComplementNB().fit([[2, 0], [0, 2]], ["a", "b"])
    >>> model.predict_proba([[1, 0]]).round(4).tolist()  # 4 / (0 + 1) against 4 / (2 + 1)
    [[0.75, 0.25]]
    """

    distributions, class_prior, fit_prior = "complement", None, False

    def __init__(self, alpha=1.0):
        self.alpha = alpha


class BernoulliNB(EventNB):
    r"""Bernoulli naive Bayes: whether each event happens; that it does not counts as well.

    .. math:: P(c \mid x) \propto P(c) \prod_j p_{cj}^{x_j} (1 - p_{cj})^{1 - x_j}, \quad
        p_{cj} = \frac{n_{cj} + \alpha}{N_c + 2 \alpha}

    Parameters
    ----------
    alpha : float, default=1.0
        How many times more each event is counted than it was seen; 1 is Laplace's rule, 0 no smoothing.
    binarize : float or None, default=0.0
        An event is a number above this. None for columns of counts, which must not be negative.
    fit_prior : bool, default=True
        Whether the priors are the shares of the classes, or equal.
    class_prior : sequence, mapping of class to probability, or None, default=None
        The prior probabilities, a sequence in the order of `classes_`; None: as `fit_prior` says.

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    class_count_ : ndarray of shape (n_classes,)
        The weight of the rows of each class.
    class_log_prior_ : ndarray of shape (n_classes,)
        Log P(c).
    feature_count_ : ndarray of shape (n_classes, n_columns)
        In how many rows of each class each event happened.
    feature_log_prob_ : ndarray of shape (n_classes, n_columns)
        Log p_cj.
    prior_ : ndarray of shape (n_classes,)
        P(c), the prior probability of each class.
    likelihoods_ : list
        The columns, with their estimates.
    numeric_ : str
        The distribution of numbers.
    statistics_ : ClassEvidence
        The counts that the estimates follow from.
    notes_ : list of str

    Notes
    -----
    Guide: docs/guide/naive_bayes.md

    References
    ----------
    Manning, Raghavan and Schütze (2008), Introduction to Information Retrieval, chapter 13.

    Examples
    --------
    >>> model = BernoulliNB().fit([[1], [1], [0], [0]], ["a", "a", "b", "b"])
    >>> model.predict_proba([[1]]).round(4).tolist()  # (2 + 1) / (2 + 2) and (0 + 1) / (2 + 2)
    [[0.75, 0.25]]
    """

    distributions = "bernoulli"

    def __init__(
        self,
        alpha=1.0,
        binarize: Annotated[float | None, Maybe(Number(at_least=0))] = 0.0,
        fit_prior: bool = True,
        class_prior: Annotated[Any, PRIORS] = None,
    ):
        self.alpha = alpha
        self.binarize = binarize
        self.fit_prior = fit_prior
        self.class_prior = class_prior

    @property
    def feature_log_prob_(self):
        return self.likelihoods_[0].present
