r"""Cluster, then label: a cluster of all rows has the classes of the labelled rows in it.

    P(c | k) = (n_kc + P(c)) / (n_k + 1)

n_kc : weight of the labelled rows of class c in cluster k; the shares P(c) of all labelled rows count as one
row more. A row has the probabilities of its cluster. A cluster without a labelled row

    nearest       has those of the nearest cluster that has one: by Gower's distance between the typical rows
                  of both (medians, and the most frequent values)
    prior         has P(c)
    unlabelled    has P(c), too, and its rows stay without a label in `transduction_`

Rows that the clusterer puts into no cluster have P(c), too. Missing cells are the clusterer's
affair.

counts : float64 (n_clusters, n_classes), n_kc
"""

from typing import Annotated, Any

import numpy as np
from sklearn.base import clone, is_clusterer
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.validation import check_is_fitted

from openbook.border.learner import Classifier, class_names, class_statements
from openbook.border.not_taken import Declared
from openbook.border.rows import UNLABELLED, none_labelled
from openbook.border.rules import OneOf
from openbook.cluster import KMeans, KPrototypes
from openbook.damage import checked_array
from openbook.data import Nominal, Text
from openbook.data.combine import stacked_rows
from openbook.ensemble.members import copied, gathered, number_of_rows, shortened, takes_weights
from openbook.errors import ParameterError
from openbook.label.assumptions import ASSUMPTIONS, clusters_agree
from openbook.label.in_rounds import named_labels
from openbook.outlier.typical import typical_row
from openbook.spaces.mixed import MixedDistance, MixedIndex
from openbook.words.numbers import figure
from openbook.work import Step, Work

#: The cluster of rows that belong to none, as clusterers have it, and the source of a cluster without labels.
_NONE = -1
#: Labelled rows for each cluster, and the most clusters, where no clusterer is given.
_ROWS_PER_CLUSTER, _MOST_CLUSTERS = 5, 50


class ClusterThenLabel(Declared, Classifier):
    """Cluster all rows, then give each cluster the classes of its labelled rows.

    It helps where the rows of a cluster have the same class.

    Parameters
    ----------
    clusterer : clusterer or None, default=None
        Any clusterer that has a cluster for new rows, too (`predict`). None for k-prototypes, or k-means
        where no column is nominal, with a cluster for every five labelled rows (one for each class at least,
        50 at most).
    empty : {"nearest", "prior", "unlabelled"}, default="nearest"
        What becomes of a cluster without a labelled row: it has the probabilities of the nearest cluster
        that has one, or the shares of all labelled rows; "unlabelled" also leaves its rows without a label in
        `transduction_`.
    random_state : int, RandomState or None, default=None

    Attributes
    ----------
    classes_ : ndarray of shape (n_classes,)
    clusterer_ : clusterer
        Fitted to all rows.
    sizes_ : ndarray of shape (n_clusters,)
        The number of rows in each cluster.
    counts_ : ndarray of shape (n_clusters, n_classes)
        The weight of the labelled rows of each class in each cluster.
    sources_ : ndarray of shape (n_clusters,)
        The cluster whose labels each cluster has: its own number, that of the nearest one, or -1 for the
        shares of all labelled rows.
    prior_ : ndarray of shape (n_classes,)
        P(c), the shares of all labelled rows.
    transduction_ : ndarray of shape (n_rows,)
        The given label of each row, or the most probable one of its cluster; None (-1 where labels are
        numbers) for a row that stays without a label.

    Notes
    -----
    Guide: docs/guide/unlabelled.md

    References
    ----------
    Goldberg (2010), New directions in semi-supervised learning.

    Examples
    --------
    >>> from openbook.cluster import KMeans
    >>> X = [[0.0], [1.0], [2.0], [10.0], [11.0], [12.0]]
    >>> model = ClusterThenLabel(KMeans(2), random_state=0).fit(X, ["a", None, None, "b", None, None])
    >>> model.transduction_.tolist()
    ['a', 'a', 'a', 'b', 'b', 'b']
    """

    clusterer: Any = None
    empty: Annotated[str, OneOf("nearest", "prior", "unlabelled")] = "nearest"
    random_state: Any = None

    _assumes = "clusters"
    _takes_unlabelled = True
    _counts_rows = True
    _reads_texts = False  # the clusterer does, where it can

    def _clusterer(self, schema):
        """The clusterer that was given, or the usual one for such columns."""
        if self.clusterer is not None:
            return self.clusterer
        return KPrototypes() if schema.of(Nominal) else KMeans()

    def refusal(self, schema):
        clusterer = self._clusterer(schema)
        return clusterer.refusal(schema) if hasattr(clusterer, "refusal") else super().refusal(schema)

    def _training_rows(self, X, y, sample_weight):
        given = self.clusterer
        if given is not None and (isinstance(given, type) or not is_clusterer(given)):
            msg = f"ClusterThenLabel: {given!r} is not a clusterer; pass one such as KMeans(5)"
            raise ParameterError(msg)
        if given is not None and not hasattr(given, "predict"):
            msg = f"ClusterThenLabel: {type(given).__name__} has no cluster for new rows (no predict)"
            raise ParameterError(msg)
        return super()._training_rows(X, y, sample_weight)

    def _fit(self, rows):
        X, y, w = gathered(rows)
        known = y != UNLABELLED
        if not known.any():
            raise none_labelled(self.target_)
        clusterer = copied(self._clusterer(X.schema), check_random_state(self.random_state))
        if self.clusterer is None:
            usual = number_of_rows(w[known]) // _ROWS_PER_CLUSTER
            most = min(_MOST_CLUSTERS, len(X))
            clusterer.set_params(n_clusters=min(max(usual, len(self.classes_)), most))
        weights = {"sample_weight": w} if takes_weights(type(clusterer).fit) else {}
        self.clusterer_ = clusterer.fit(X, **weights)
        clusters = np.asarray(self.clusterer_.predict(X), dtype=np.intp)
        self.sizes_ = np.bincount(clusters[clusters != _NONE], minlength=1)
        labelled = known & (clusters != _NONE)
        n_classes = len(self.classes_)
        counts = np.bincount(
            clusters[labelled] * n_classes + y[labelled], w[labelled], len(self.sizes_) * n_classes
        )
        self.counts_ = counts.reshape(-1, n_classes)
        self.prior_ = np.bincount(y[known], w[known], n_classes) / w[known].sum()
        self.sources_ = self._sources(X, clusters)
        labels, left = y.copy(), ~known
        if self.empty == "unlabelled":
            left &= np.append(self.sources_, _NONE)[clusters] != _NONE
        labels[left] = self._probabilities()[clusters[left]].argmax(axis=1)
        self._labels = labels

    def _sources(self, X, clusters):
        """The cluster whose labels each cluster has, or none."""
        labelled = self.counts_.sum(axis=1) > 0
        sources = np.where(labelled, np.arange(len(labelled)), _NONE)
        X = X.drop(*X.schema.of(Text))
        if self.empty == "nearest" and labelled.any() and len(X.schema):
            distance = MixedDistance.of(X)
            typical = stacked_rows([typical_row(X.take(clusters == k)) for k in range(len(sources))])
            full, lacking = np.flatnonzero(labelled), np.flatnonzero(~labelled & (self.sizes_ > 0))
            index = MixedIndex(distance, typical.take(full))
            if len(lacking):
                nearest = index.query(distance.coordinates(typical.take(lacking)), 1)[1][:, 0]
                sources[lacking] = full[nearest]
        return sources

    def _probabilities(self):
        """P(c | k), (n_clusters + 1, n_classes); in the last line, which -1 reads, for rows in no cluster."""
        shares = (self.counts_ + self.prior_) / (self.counts_.sum(axis=1, keepdims=True) + 1)
        return np.vstack([shares, self.prior_])[np.append(self.sources_, _NONE)]

    @property
    def transduction_(self):
        """The label of each row learnt from, None (-1 where labels are numbers) where it has none."""
        check_is_fitted(self)
        return named_labels(self.classes_, self._labels)

    def _cluster(self, X):
        """The cluster of each row; none for a cluster in which no training row was."""
        clusters = np.asarray(self.clusterer_.predict(X), dtype=np.intp)
        return np.where(clusters < len(self.sizes_), clusters, _NONE)

    def _evidence(self, rows):
        model = clone(self).set_params(random_state=0).fit(rows.X, rows.y)
        clusters = model._cluster(rows.labelled.X)  # noqa: SLF001 (its own)
        inside = clusters != _NONE
        return clusters_agree(rows.labelled.codes[inside], clusters[inside])

    def _proba(self, X):
        return self._probabilities()[self._cluster(X)]

    def complexity(self):
        check_is_fitted(self)
        own = self.clusterer_.complexity() if hasattr(self.clusterer_, "complexity") else 0
        return own + self.counts_.size

    def _work(self):
        labels, proba = class_names(self), self._probabilities()
        rows = [
            [k, int(size), *counts, labels[proba[k].argmax()], self._source(k)]
            for k, (size, counts) in enumerate(zip(self.sizes_.tolist(), self.counts_.tolist(), strict=True))
        ]
        title = f"clusters, and their labelled rows by {self.target_}"
        grid = shortened(title, ["cluster", "rows", *labels, "most probable", "by"], rows)
        end = f"Assumption: {ASSUMPTIONS['clusters']}. Compare with a learner of the labelled rows alone."
        works = (self.clusterer_.work(),) if hasattr(self.clusterer_, "work") else ()
        return Work(f"Cluster, then label, for {self.target_}: how it was fitted", (grid, *works), end)

    def _source(self, k):
        """Where the classes of a cluster are from, in words."""
        source = int(self.sources_[k])
        if source == k:
            return "its labelled rows"
        return "the shares of all labelled rows" if source == _NONE else f"the nearest cluster, {source}"

    def _work_row(self, X):
        k, truths = int(self._cluster(X)[0]), class_statements(self)
        works = (self.clusterer_.work(X),) if hasattr(self.clusterer_, "work") else ()
        steps = [Step("cluster", result=k if k != _NONE else "none")]
        proba, source = self._probabilities()[k], _NONE if k == _NONE else int(self.sources_[k])
        if source not in (k, _NONE):
            steps.append(Step("no labelled row in it; the nearest cluster with one", result=source))
        for c, truth in enumerate(truths):
            if source == _NONE:
                steps.append(Step(f"P({truth})", "P(c)", result=float(proba[c])))
                continue
            n, total, prior = self.counts_[source, c], self.counts_[source].sum(), self.prior_[c]
            numbers = rf"\frac{{{figure(n)} + {figure(prior)}}}{{{figure(total)} + 1}}"
            steps.append(Step(f"P({truth})", r"\frac{n_{kc} + P(c)}{n_k + 1}", numbers, float(proba[c])))
        title = f"Cluster, then label, for {self.target_}: one prediction"
        return Work(title, (*works, *steps), f"Most probable: {truths[proba.argmax()]}.")

    def _saved(self):
        return super()._saved()._replace(members={"clusterer": self.clusterer_})

    def _opened(self, saved):
        self.clusterer_ = saved.members["clusterer"]
        super()._opened(saved)
        if self.clusterer_.schema_.given.names != self.schema_.names or not is_clusterer(self.clusterer_):
            raise ValueError("its clusterer was fitted on another table")

    def _arrays(self):
        return {
            "counts": self.counts_,
            "sizes": self.sizes_,
            "sources": self.sources_,
            "prior": self.prior_,
            "labels": self._labels,
        }

    def _restore(self, arrays):
        k, n = len(arrays["sizes"]), len(arrays["labels"])
        self.counts_ = checked_array(arrays, "counts", float, (k, len(self.classes_)))
        self.sizes_ = checked_array(arrays, "sizes", np.int64, (k,))
        self.sources_ = checked_array(arrays, "sources", np.int64, (k,))
        self.prior_ = checked_array(arrays, "prior", float, (len(self.classes_),))
        self._labels = checked_array(arrays, "labels", np.intp, (n,))
        codes = ((self.sources_, k), (self._labels, len(self.classes_)))
        outside = any((some < _NONE).any() or (some >= most).any() for some, most in codes)
        if outside or min(self.counts_.min(), self.sizes_.min(), self.prior_.min()) < 0:
            raise ValueError("a cluster, a label or a count is out of range")

    def __sklearn_tags__(self):
        tags = super().__sklearn_tags__()
        if self.clusterer is not None:
            tags.input_tags.allow_nan = get_tags(self.clusterer).input_tags.allow_nan
        return tags
