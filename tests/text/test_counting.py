"""Counting words: the kernels against plain Python, whatever the slices, the workers and the scripts."""

from collections import Counter
from itertools import groupby
from time import monotonic
from unicodedata import category

import joblib
import numpy as np
import polars as pl
import pytest

import openbook.text.terms
import openbook.text.tokens
from openbook.errors import ParameterError
from openbook.fold import each_until
from openbook.text.terms import TermRule, into_columns
from openbook.text.vocabulary import TermCounts, union

SIGNS = "aAbBzZ09 .,_-'\n\0éÉßÀöπΣςЖжक्षिहمرحبا中文三𝒳😀—…ſıİ\u0301"


def spoken(text):
    """The words of a text, sign by sign; Chinese characters, which are written without spaces, in pairs."""
    runs = groupby(text or "", lambda sign: (category(sign)[0] in "LMN", sign in "中文三"))
    found = []
    for (inside, chinese), signs in runs:
        run = "".join(signs)
        pairs = chinese and len(run) > 1
        found += [run[i : i + 2] for i in range(len(run) - 1)] if pairs else [run] * inside
    return found


def drawn_texts(seed, n=60):
    rng = np.random.default_rng(seed)
    signs = np.array(list(SIGNS))
    texts = ["".join(rng.choice(signs, size)) for size in rng.integers(0, 60, n)]
    long = "".join(rng.choice(signs[:4], 40))  # words that differ beyond their first 16 bytes
    return [*texts, None, "", f"{long} {long}a {long}b {long}a", long]


@pytest.mark.parametrize("seed", range(5))
def test_counts_are_those_of_plain_python(seed, monkeypatch):
    texts = drawn_texts(seed)
    least = 1 + 2 * (seed % 2)  # shorter words are left out
    lowered = [[word.lower() for word in spoken(text)] for text in texts]
    expected = [Counter(word for word in words if len(word) >= least) for words in lowered]
    terms = sorted(set().union(*expected))
    monkeypatch.setattr(openbook.text.tokens, "_AT_ONCE", 100)
    monkeypatch.setattr(openbook.text.terms, "_SHARE", 100)
    monkeypatch.setattr(openbook.text.terms, "_IN_ORDER", 64)
    for n_jobs, threads in ((1, True), (3, True), (3, False)):
        monkeypatch.setattr(openbook.text.terms, "shares_memory", lambda threads=threads: threads)
        with joblib.parallel_config(backend="threading", n_jobs=n_jobs):
            found, counts = TermRule(min_length=least).count(texts)
        assert found == terms
        assert counts.has_sorted_indices
        assert counts.toarray().tolist() == [[own[term] for term in terms] for own in expected]


def test_columns_are_moved_summed_and_left_out():
    terms, counts = TermRule(min_length=1).count(["a b c a", "", "c b", "d"])
    assert terms == ["a", "b", "c", "d"]
    moved = into_columns(counts, np.array([300, 2, 300, -1]), 301)
    assert moved.has_sorted_indices
    assert moved[:, [2, 300]].toarray().tolist() == [[1, 3], [0, 0], [1, 1], [0, 0]]
    assert moved.nnz == 4


@pytest.mark.parametrize("seed", range(3))
def test_vocabularies_merge_in_order(seed):
    a, b = (sorted({w for text in drawn_texts(s) for w in spoken(text)}) for s in (seed, seed + 10))
    every, places = union(a, b)
    assert every == sorted({*a, *b})
    for own, place in zip((a, b), places, strict=True):
        assert [every[i] for i in place] == own
    assert union([], a)[0] == a


def test_sums_of_chunks_are_those_of_all():
    texts, rule = drawn_texts(7), TermRule()
    whole = TermCounts.of(rule.count(texts))
    parts = [TermCounts.of(rule.count(texts[i : i + 9])) for i in range(0, len(texts), 9)]
    total = sum(parts[1:], parts[0])
    assert total.terms == whole.terms
    for name, array in whole.arrays().items():
        np.testing.assert_array_equal(total.arrays()[name], array)


@pytest.mark.parametrize("stem", [lambda word: f"{word} x", lambda word: 3])
def test_a_stemmer_makes_one_word_of_a_word(stem):
    with pytest.raises(ParameterError, match="stemmer must make one word of a word, got"):
        TermRule(stemmer=stem).count(["some words"])


def test_words_are_counted_in_forked_processes_too():
    pl.Series(["b", "a"]).rank("dense")  # starts the threads of polars, for which a fork would wait for ever
    texts = [["team goal"], ["vote law"]]
    found = each_until(monotonic() + 30, texts, lambda some: TermRule().count(some).terms, 2, apart=True)
    assert sorted(found) == [["goal", "team"], ["law", "vote"]]
