r"""Annotators who make mistakes: what the labels are, and how often each annotator errs (Dawid and Skene).

    π_acl = P(annotator a says l | the label is c)          p_c = P(the label is c)

    E step   T_ic ∝ p_c Π π_acl, over what the annotators said of item i
    M step   p_c = mean of T_ic;  π_acl = (Σ_i T_ic n_ial + s) / Σ_l (Σ_i T_ic n_ial + s)

EM starts from the shares of the votes, and ends when the log-likelihood rises by no more than `tol` for each
item. n_ial counts how often annotator a said l of item i: an item may be asked again, of the same annotator,
too. With s = 0 it is maximum likelihood, as in the paper. An annotator whose labels are no better than chance
counts for nothing; one who is always wrong counts as much as one who is always right.

T : float64 (n_items, n_classes); π : float64 (n_annotators, n_classes, n_classes)

Reference: Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using the EM
algorithm.
"""

from typing import Annotated, Any, Self

import numpy as np
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from openbook.border.learner import class_names
from openbook.border.not_taken import Declared
from openbook.border.rules import Number, Whole, check_parameters
from openbook.data.attributes import as_text
from openbook.errors import DataError
from openbook.measures.information import entropy
from openbook.words.numbers import figure
from openbook.words.parameters import documented
from openbook.words.sentences import plural
from openbook.work import Grid, Step, Work

#: Items that the work shows.
_SHOWN = 10


@documented
class DawidSkene(Declared, BaseEstimator):
    """Labels from several annotators who make mistakes, and the error rate of each: Dawid and Skene's EM.

    Parameters
    ----------
    max_iter : int, default=100
        The most rounds.
    tol : float, default=1e-06
        EM ends when a round raises the log-likelihood by no more than this for each item.
    pseudo_counts : float, default=0.0
        What is added to every count of an annotator, so that nothing is impossible; 0 for maximum likelihood.

    Attributes
    ----------
    items_ : ndarray of shape (n_items,)
        The items, sorted.
    annotators_ : ndarray of shape (n_annotators,)
        The annotators, sorted.
    classes_ : ndarray of shape (n_classes,)
        The labels, sorted.
    probabilities_ : ndarray of shape (n_items, n_classes)
        The probability of each label of each item.
    labels_ : ndarray of shape (n_items,)
        The most probable label of each item; the first of equally probable ones.
    priors_ : ndarray of shape (n_classes,)
        The share of each label.
    confusions_ : ndarray of shape (n_annotators, n_classes, n_classes)
        The probability that an annotator says a label (columns), by the true one (rows).
    error_rates_ : ndarray of shape (n_annotators,)
        The probability that an annotator is wrong.
    trace_ : ndarray of shape (n_iter_,)
        The log-likelihood before each round, which never falls without pseudo-counts.
    n_iter_ : int
        The number of rounds.

    Notes
    -----
    Guide: docs/guide/asking.md

    References
    ----------
    Dawid and Skene (1979), Maximum likelihood estimation of observer error-rates using the EM algorithm.

    Examples
    --------
    Ann and Bea agree; Cid says the opposite of them.

    >>> items = [0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3]
    >>> annotators = ["ann", "bea", "cid"] * 4
    >>> labels = ["y", "y", "n", "n", "n", "y", "y", "y", "n", "n", "n", "y"]
    >>> model = DawidSkene().fit(items, annotators, labels)
    >>> model.labels_.tolist(), model.error_rates_.round(2).tolist()
    (['y', 'n', 'y', 'n'], [0.0, 0.0, 1.0])
    """

    max_iter: Annotated[int, Whole(at_least=1)] = 100
    tol: Annotated[float, Number(at_least=0)] = 1e-6
    pseudo_counts: Annotated[float, Number(at_least=0)] = 0.0

    def fit(self, items: Any, annotators: Any, labels: Any) -> Self:
        """Learn from answers: which item, who said it, and what.

        Parameters
        ----------
        items : array-like of shape (n_answers,)
            What each answer is about.
        annotators : array-like of shape (n_answers,)
            Who gave it.
        labels : array-like of shape (n_answers,)
            What was said.

        Returns
        -------
        self
        """
        check_parameters(self, self._rules)
        check_consistent_length(items, annotators, labels)
        if not len(items):
            raise DataError("there is no answer to learn from")
        self.items_, i = np.unique(np.asarray(items), return_inverse=True)
        self.annotators_, a = np.unique(np.asarray(annotators), return_inverse=True)
        self.classes_, said = np.unique(np.asarray(labels), return_inverse=True)
        shape = len(self.items_), len(self.annotators_), len(self.classes_)
        self._counts = np.zeros(shape)
        np.add.at(self._counts, (i, a, said), 1.0)
        votes = self._counts.sum(axis=1)
        shares = votes / votes.sum(axis=1, keepdims=True)
        trace: list[float] = []
        while len(trace) < self.max_iter:
            self._estimate(shares)
            joint, log_likelihood = self._joint()
            trace.append(log_likelihood)
            shares = joint
            if len(trace) > 1 and trace[-1] - trace[-2] <= self.tol * len(shares):
                break
        self._estimate(shares)
        self.probabilities_, self.trace_, self.n_iter_ = shares, np.array(trace), len(trace)
        self.labels_ = self.classes_[shares.argmax(axis=1)]
        right = np.einsum("c,acc->a", self.priors_, self.confusions_)
        self.error_rates_ = np.clip(1.0 - right, 0.0, 1.0)
        return self

    def _estimate(self, shares: np.ndarray) -> None:
        """The M step."""
        self.priors_ = shares.mean(axis=0)
        counts = np.einsum("ic,ial->acl", shares, self._counts) + self.pseudo_counts
        total = counts.sum(axis=2, keepdims=True)
        # of a label that an annotator never met nothing is known: it could be any
        self.confusions_ = np.divide(
            counts, total, out=np.full_like(counts, 1 / len(shares[0])), where=total > 0
        )

    def _joint(self) -> tuple[np.ndarray, float]:
        """The E step: the probability of each label of each item, and the log-likelihood."""
        counts = self._counts[:, :, None, :]
        with np.errstate(divide="ignore", invalid="ignore"):
            logs, prior = np.log(self.confusions_), np.log(self.priors_)
            terms = np.where(counts > 0, counts * logs, 0.0)  # 0 · log 0 is 0: only what was said counts
        joint = prior + terms.sum(axis=(1, 3))
        top = joint.max(axis=1, keepdims=True)
        shares = np.exp(joint - top)
        total = shares.sum(axis=1, keepdims=True)
        return shares / total, float((top + np.log(total)).sum())

    def ask_again(self, n: int = 1) -> list[Any]:
        """The items to ask another annotator about: those whose label is least certain, by entropy.

        Parameters
        ----------
        n : int, default=1
            How many.

        Returns
        -------
        list
            Items, the least certain first; of equally certain ones the first.
        """
        check_is_fitted(self, "probabilities_")
        order = np.argsort(-entropy(self.probabilities_).round(12), kind="stable")
        return self.items_[order[:n]].tolist()

    def work(self, item: Any = None) -> Work:
        """The error rates of all annotators, or how the label of one item follows from what they said.

        Parameters
        ----------
        item : object or None, default=None
            An item; None for the annotators.

        Returns
        -------
        Work
        """
        check_is_fitted(self, "probabilities_")
        names = class_names(self)
        if item is None:
            annotators = list(map(as_text, self.annotators_.tolist()))
            answers = self._counts.sum(axis=(0, 2)).astype(int).tolist()
            rows = list(zip(annotators, answers, self.error_rates_.tolist(), strict=True))
            confusions = zip(annotators[:_SHOWN], self.confusions_.tolist(), strict=False)
            parts = [
                Grid("annotators", ("annotator", "answers", "error rate"), rows),
                *(
                    Grid(
                        f"{name}: what is said",
                        ("the label is", *names),
                        [(label, *row) for label, row in zip(names, confusion, strict=True)],
                    )
                    for name, confusion in confusions
                ),
            ]
            end = f"{plural(len(self.items_), 'item')}, {plural(self.n_iter_, 'round')} of EM."
            return Work("Annotators and their errors", tuple(parts), end)
        found = np.flatnonzero(self.items_ == item)
        if not len(found):
            raise DataError(f"there is no item {item!r}; see items_")
        i = int(found[0])
        steps = []
        for c, name in enumerate(names):
            said = np.nonzero(self._counts[i])
            factors = np.repeat(self.confusions_[:, c][said], self._counts[i][said].astype(int))
            numbers = r" \cdot ".join([figure(self.priors_[c]), *map(figure, factors)])
            value = float(self.priors_[c] * np.prod(factors))
            steps.append(Step(f"label {name}", r"p_c \prod \pi_{acl}", numbers, value))
        end = f"Most probable: {as_text(self.labels_[i].item())}, {figure(self.probabilities_[i].max())}."
        return Work(f"The label of item {as_text(item)}", tuple(steps), end)
