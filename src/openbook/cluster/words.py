"""Clusters of words by the documents in which they occur together.

    similarity of a and b     n_ab / sqrt(df(a) df(b)), the cosine of the sets of documents that have them
    distance                  1 - similarity; clusters are merged by group average

Words in one document alone, or in more than half of them, are left out; of the others the 500 most frequent
are clustered. A missing text has no words.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import scipy.sparse as sp

from openbook.cluster.agglomerative import AgglomerativeClustering
from openbook.errors import DataError
from openbook.text.columns import RULE
from openbook.words.parameters import documented

#: The documents that a word needs, their largest share, and the most words that are clustered.
_FEWEST, _MOST_SHARE, _MOST_WORDS = 2, 0.5, 500


@dataclass(frozen=True)
class WordCluster:
    """Words that occur in the same documents.

    Attributes
    ----------
    words : tuple of (str, int)
        The words, with the number of documents that have them, the most frequent first.
    documents : int
        Documents that have at least one of them.
    similarity : float
        The mean similarity of two of its words; 1 for a single word.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> texts = ["team cup", "cup team won", "law vote", "the vote on law"]
    >>> word_clusters(texts, n_clusters=2)[0].words
    (('cup', 2), ('team', 2))
    """

    words: tuple[tuple[str, int], ...]
    documents: int
    similarity: float


@documented
def word_clusters(texts: Sequence[str | None], n_clusters: int = 8) -> list[WordCluster]:
    """Cluster words by the documents they share.

    Parameters
    ----------
    texts : sequence of str or None
        The documents.
    n_clusters : int, default=8

    Returns
    -------
    list of WordCluster
        The largest first.

    Notes
    -----
    Guide: docs/guide/text.md

    Examples
    --------
    >>> texts = ["team cup", "cup team won", "law vote", "the vote on law"]
    >>> [[word for word, _ in one.words] for one in word_clusters(texts, n_clusters=2)]
    [['cup', 'team'], ['law', 'vote']]
    """
    terms, counts = RULE.count(list(texts))
    shown = sp.csr_array((np.ones(len(counts.data)), counts.indices, counts.indptr), shape=counts.shape)
    df = np.asarray(shown.sum(axis=0)).ravel()
    often = np.flatnonzero((df >= _FEWEST) & (df <= _MOST_SHARE * len(texts)))
    kept = np.sort(often[np.argsort(-df[often], kind="stable")[:_MOST_WORDS]])
    if len(kept) < 2:
        msg = f"two words are needed that occur in {_FEWEST} texts or more, and in half of them at most"
        raise DataError(msg)
    having = shown.tocsc()[:, kept]
    shared = (having.T @ having).toarray()
    similarity = shared / np.sqrt(np.outer(df[kept], df[kept]))
    distances = np.clip(1 - similarity, 0, None)
    np.fill_diagonal(distances, 0.0)
    groups = min(n_clusters, len(kept))
    found = AgglomerativeClustering(groups, linkage="average", metric="precomputed").fit(distances)
    clusters = []
    for group in range(groups):
        own = np.flatnonzero(found.labels_ == group)
        own = own[np.argsort(-df[kept[own]], kind="stable")]
        pairs = similarity[np.ix_(own, own)][np.triu_indices(len(own), 1)]
        documents = int((np.asarray(having[:, own].sum(axis=1)).ravel() > 0).sum())
        words = tuple((terms[kept[j]], int(df[kept[j]])) for j in own.tolist())
        clusters.append(WordCluster(words, documents, float(pairs.mean()) if len(pairs) else 1.0))
    return sorted(clusters, key=lambda one: -len(one.words))
