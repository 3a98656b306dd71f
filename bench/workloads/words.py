"""Counting words: texts of about 150 words, Zipf-like, as sparse columns.

Quality is the sum of all cells and the number of columns: the matrices are equal.
"""

import numpy as np

from bench.workload import OURS, Contestant, Goal, Workload

VOCABULARY, LENGTH = 100_000, 150


def make(rows, seed):
    """Words of three to nine letters; a capital at the start, and a full stop."""
    rng = np.random.default_rng(seed)
    letters = rng.integers(ord("a"), ord("z") + 1, (VOCABULARY, 9), dtype=np.uint8)
    sizes = rng.integers(3, 10, VOCABULARY)
    words = np.array(
        [own[:size].tobytes().decode() for own, size in zip(letters, sizes, strict=True)], object
    )
    shares = np.cumsum(1.0 / np.arange(1, VOCABULARY + 1))
    texts = []
    for length in rng.poisson(LENGTH, rows):
        drawn = np.searchsorted(shares, rng.random(length + 1) * shares[-1])
        texts.append(" ".join(words[drawn]).capitalize() + ".")
    return texts


def count_ours(texts):
    from openbook.prepare import BagOfWords

    return BagOfWords().fit_transform(texts)


def count_sklearn(texts):
    from sklearn.feature_extraction.text import CountVectorizer

    return CountVectorizer().fit_transform(texts)


def weigh_ours(texts):
    from openbook.prepare import BagOfWords

    return BagOfWords("tfidf", idf="smooth", norm="l2").fit_transform(texts)


def weigh_sklearn(texts):
    from sklearn.feature_extraction.text import TfidfVectorizer

    return TfidfVectorizer().fit_transform(texts)


def matrix(counts, given, predicted):  # noqa: ARG001 (every quality is asked so)
    return {"sum of cells": float(counts.sum()), "columns": counts.shape[1]}


COUNTING = Workload(
    name="counting-words",
    title="Counting the words of texts of 150 words",
    rows=100_000,
    make=make,
    contestants={
        OURS: Contestant(list, count_ours, quality=matrix),
        "CountVectorizer": Contestant(list, count_sklearn, quality=matrix, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 6, ("CountVectorizer",)),),
    warm_rows=100,
)

WEIGHING = Workload(
    name="tf-idf",
    title="Words of texts of 150 words, weighted by tf-idf",
    rows=100_000,
    make=make,
    contestants={
        OURS: Contestant(list, weigh_ours, quality=matrix),
        "TfidfVectorizer": Contestant(list, weigh_sklearn, quality=matrix, needs="sklearn"),
    },
    goals=(Goal("fit", "times", 6, ("TfidfVectorizer",)),),
    warm_rows=100,
)
