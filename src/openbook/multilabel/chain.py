"""Classifier chains: each label is learnt from the columns and the labels before it (Read et al. 2009).

    P_l(x) = P(label l | x, labels before l in the chain)

In training the labels before it are the true ones; in prediction those that the chain itself found more
likely than not. They are nominal columns, such as "has
sport", of the values no and yes, and numbers for classifiers other than openbook's.
"""

from typing import Annotated, Any

import numpy as np
from sklearn.utils import check_random_state

from openbook.border.rules import Anything
from openbook.damage import require
from openbook.data import Nominal, Numeric, Schema, SparseTable, Table
from openbook.ensemble.members import probabilities
from openbook.errors import ParameterError
from openbook.multilabel.learner import SIDES, MultiLabelLearner


class ClassifierChain(MultiLabelLearner):
    """A chain of classifiers: each label is learnt from the columns and the labels before it.

    Parameters
    ----------
    estimator : classifier
    order : list of int, "random" or None, default=None
        The order of the labels in the chain, by their positions; None takes them as they come.
    thresholds : {"f1", "balanced_accuracy"} or None, default=None
        The score that the threshold of each label maximises, in five inner folds; None uses the threshold
        0.5. The chain itself always passes on the labels at the threshold 0.5.
    random_state : int or None, default=None

    Attributes
    ----------
    estimators_ : list
        The fitted classifiers, in the order of the chain.
    order_ : ndarray of shape (n_labels,)
        The label of each, by its position.
    labels_ : ndarray of shape (n_labels,)
        The labels, in the order of the columns of `predict`.
    thresholds_ : ndarray of shape (n_labels,)
        The threshold of each label; 0.5 if none was tuned.
    separator_ : str
        What stands between the labels of a set that is written.
    worded_ : Schema or None
        The columns that the classifiers see, with every word of texts instead of them; None if there are
        no texts, or each classifier chooses words of its own.

    Notes
    -----
    Guide: docs/guide/multilabel.md

    References
    ----------
    Read, Pfahringer, Holmes and Frank (2009), Classifier chains for multi-label classification.

    Examples
    --------
    >>> from openbook.tree import ID3
    >>> X = [{"colour": "red"}, {"colour": "green"}, {"colour": "red"}, {"colour": "blue"}]
    >>> chain = ClassifierChain(ID3()).fit(X, ["warm|bright", "bright", "warm|bright", ""])
    >>> chain.estimators_[1].schema_.names
    ('colour', 'has bright')
    """

    _title = "Classifier chain"

    def __init__(
        self,
        estimator,
        order: Annotated[Any, Anything('a list of positions, "random" or None')] = None,
        thresholds=None,
        random_state=None,
    ):
        super().__init__(estimator, thresholds, random_state)
        self.order = order

    def _fit_members(self, X, cells, weights):
        self.order_ = self._in_order(cells.shape[1])
        self.estimators_ = []
        for position, j in enumerate(self.order_.tolist()):
            longer = self._with_labels(X, cells[:, self.order_[:position]])
            self.estimators_.append(self._member(longer, str(self.labels_[j]), cells[:, j], weights))

    def _in_order(self, n):
        if self.order is None:
            return np.arange(n)
        if isinstance(self.order, str) and self.order == "random":
            return check_random_state(self.random_state or 0).permutation(n)
        order = np.asarray(self.order)
        if order.dtype.kind not in "iu" or sorted(order.tolist()) != list(range(n)):
            msg = f"order must name each of the {n} labels once, by its position from 0; got {self.order!r}"
            raise ParameterError(msg)
        return order

    def _with_labels(self, X, before):
        """The table with a column for each of the first labels of the chain."""
        labels = self.labels_[self.order_[: before.shape[1]]].tolist()
        typed = hasattr(self.estimator, "refusal")  # others than ours want numbers
        names = [f"has {label}" for label in labels]
        added = [Nominal(name, tuple(SIDES)) if typed else Numeric(name) for name in names]
        columns = [*X.columns, *(column.astype(np.int8 if typed else float) for column in before.T)]
        if not isinstance(X, SparseTable):
            return Table(Schema((*X.schema, *added), X.schema.named), columns)
        n = len(X.columns)
        schema = Schema((*X.schema.attributes[:n], *added, *X.schema.attributes[n:]), X.schema.named)
        return SparseTable(schema, X.sparse, dense=columns)

    def _accept(self, table):
        if isinstance(table, SparseTable) and not self._counts_for_all(table.schema):
            msg = f"{type(self.estimator).__name__} takes no labels beside sparse columns; pass X.toarray()"
            raise ParameterError(msg)
        super()._accept(table)

    def _counts_for_all(self, schema):
        return super()._counts_for_all(Schema((*schema, Nominal("has a label", tuple(SIDES))), schema.named))

    def _members_proba(self, X):
        proba = np.zeros((len(X), len(self.labels_)))
        for j, longer, member in self._chained(X, proba):
            proba[:, j] = probabilities(member, longer, SIDES)[:, 1]
        return proba

    def _chained(self, X, proba):
        """The label of each place of the chain, the rows that its member sees, and the member."""
        for position, (j, member) in enumerate(zip(self.order_.tolist(), self.estimators_, strict=True)):
            yield j, self._with_labels(X, proba[:, self.order_[:position]] > 0.5), member

    def _seen_by_members(self, X):
        for j, longer, member in self._chained(X, self._members_proba(X)):
            yield self.labels_[j], member, longer

    def _saved(self):
        saved = super()._saved()
        return saved._replace(arrays={**saved.arrays, "order_": self.order_})

    def _opened(self, saved):
        self.order_ = saved.arrays["order_"]
        super()._opened(saved)
        every = list(range(len(self.labels_)))
        permutation = self.order_.dtype.kind == "i" and sorted(self.order_.tolist()) == every
        require(permutation, "its order is not one of its labels")
