"""Bags of words: against scikit-learn's vectorisers, tf-idf by hand, files, and what is refused."""

import math

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer

import openbook.prepare.bag_of_words
import openbook.text.tokens
from openbook import open_model, read, save, scan
from openbook.data import SparseTable
from openbook.errors import DataError, ParameterError
from openbook.prepare import BagOfWords

TEXTS = [
    "The film was good, a really good film.",
    "Bad film! The actors were bad, the story was worse.",
    "A story of actors in 1999",
    "",
    "good story, good actors, good night",
]


def same(ours, theirs):
    return ours.shape == theirs.shape and abs(ours - theirs).max() < 1e-12


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"ngram_range": (1, 2)},
        {"ngram_range": (2, 3)},
        {"min_df": 2},
        {"max_df": 0.5, "min_df": 2},
        {"max_features": 3},
        {"stop_words": "english"},
        {"lowercase": False},
    ],
)
def test_counts_are_those_of_scikit_learn(settings):
    bag, theirs = BagOfWords(**settings), CountVectorizer(**settings)
    expected = theirs.fit_transform(TEXTS)
    assert same(bag.fit_transform(TEXTS), expected)
    assert same(bag.transform(TEXTS), expected)
    assert bag.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert bag.vocabulary_ == theirs.vocabulary_


@pytest.mark.parametrize("norm", [None, "l1", "l2"])
def test_the_smooth_form_is_that_of_scikit_learn(norm):
    ours = BagOfWords("tfidf", idf="smooth", norm=norm).fit_transform(TEXTS)
    assert same(ours, TfidfVectorizer(norm=norm).fit_transform(TEXTS))


def test_tf_idf_by_hand():
    """N = 5 texts; "good" is twice in the first, and in 2 texts; "film" twice, in 2; "really" once, in 1."""
    product = BagOfWords("tfidf").fit(TEXTS)
    cells = dict(zip(product.get_feature_names_out(), product.transform(TEXTS[:1]).toarray()[0], strict=True))
    assert cells["good"] == pytest.approx(math.log(3) * math.log(5 / 2))
    assert cells["really"] == pytest.approx(math.log(2) * math.log(5))
    assert cells["bad"] == 0
    total = BagOfWords("tfidf", idf="sum").fit(TEXTS)
    cells = dict(zip(total.get_feature_names_out(), total.transform(TEXTS[:1]).toarray()[0], strict=True))
    assert cells["good"] == pytest.approx(math.log(3) + math.log(5 / 2))
    assert cells["bad"] == 0


def test_characters_within_words():
    bag = BagOfWords(analyzer="char_wb", ngram_range=(3, 3)).fit(["ab abc"])
    assert bag.get_feature_names_out().tolist() == [" ab", "ab ", "abc", "bc "]
    assert bag.transform(["ab abc"]).toarray().tolist() == [[2, 1, 1, 1]]


@pytest.mark.parametrize("ends", [(1, 1), (2, 4), (3, 6)])
def test_characters_of_words_without_other_signs_are_those_of_scikit_learn(ends):
    texts = ["to be or not to be", "a Bee", "", "three bees sea see"]
    theirs = CountVectorizer(analyzer="char_wb", ngram_range=ends)
    expected = theirs.fit_transform(texts)
    bag = BagOfWords(analyzer="char_wb", ngram_range=ends)
    assert same(bag.fit_transform(texts), expected)
    assert bag.vocabulary_ == theirs.vocabulary_


def test_two_text_columns_and_tables(tmp_path):
    rows = [{"title": "good film", "body": "a good one"}, {"title": "bad film", "body": None}]
    table = read(rows, kinds={"title": "text", "body": "text"})
    bag = BagOfWords().fit(table)
    out = bag.transform(table)
    assert isinstance(out, SparseTable)
    assert out.names == ("title: bad", "title: film", "title: good", "body: good", "body: one")
    assert out.sparse.toarray().tolist() == [[0, 1, 1, 1, 1], [1, 1, 0, 0, 0]]
    again = open_model(save(bag, tmp_path / "bag.openbook"))
    np.testing.assert_array_equal(again.transform(table).sparse.toarray(), out.sparse.toarray())


def test_chunks_files_and_more_texts_make_no_difference(tmp_path, monkeypatch):
    whole = BagOfWords("tfidf").fit_transform(TEXTS)
    monkeypatch.setattr(openbook.text.tokens, "_AT_ONCE", 30)
    monkeypatch.setattr(openbook.prepare.bag_of_words, "_ROWS", 2)
    assert same(BagOfWords("tfidf").fit_transform(TEXTS), whole)
    later = BagOfWords("tfidf").partial_fit(TEXTS[:2]).partial_fit(TEXTS[2:])
    assert same(later.transform(TEXTS), whole)
    path = tmp_path / "texts.csv"
    path.write_text("text\n" + "\n".join(f'"{text}"' for text in TEXTS) + "\n", encoding="utf-8")
    files = BagOfWords("tfidf").fit(scan(path, kinds={"text": "text"}, chunk_rows=2))
    assert same(files.transform(TEXTS), whole)


def test_unknown_words_count_for_nothing():
    bag = BagOfWords().fit(TEXTS)
    assert bag.transform(["zebra zebra good"]).sum() == 1
    assert "2 words unknown" in str(bag.work(["zebra zebra good"]))


def test_hashing_needs_no_vocabulary():
    bag = BagOfWords(n_features=16).fit(TEXTS[:1])
    out = bag.transform(TEXTS)
    assert sp.issparse(out)
    assert out.shape == (5, 16)
    assert out.sum(axis=1).tolist() == CountVectorizer().fit_transform(TEXTS).sum(axis=1).ravel().tolist()[0]


def test_the_work_shows_terms_and_their_weights():
    bag = BagOfWords("tfidf").fit(TEXTS)
    assert "14 of 14 terms are kept; N = 5 texts" in str(bag.work())
    row = str(bag.work(["good good"]))
    assert "good  2" in row


def test_what_is_refused():
    with pytest.raises(DataError, match="no term is left"):
        BagOfWords().fit(["", "a"])
    with pytest.raises(DataError, match="pass a list of texts"):
        BagOfWords().fit("one text")
    with pytest.raises(ParameterError, match="ngram_range must be two whole numbers, the smaller first"):
        BagOfWords(ngram_range=(2, 1)).fit(TEXTS)
    with pytest.raises(ParameterError, match="stop_words must be"):
        BagOfWords(stop_words="german").fit(TEXTS)
    with pytest.raises(ParameterError, match="tf-idf needs a vocabulary"):
        BagOfWords("tfidf", n_features=8).fit_transform(TEXTS)
    saved = BagOfWords().fit(TEXTS)._saved()
    with pytest.raises(ValueError, match="vocabulary is damaged"):
        BagOfWords()._opened(saved._replace(arrays={**saved.arrays, "columns.0.times": np.zeros(2)}))
    for damaged in (saved.arrays["columns.0.text"][:-1], saved.arrays["columns.0.text"][::-1].copy()):
        with pytest.raises(ValueError, match="vocabulary is damaged"):
            BagOfWords()._opened(saved._replace(arrays={**saved.arrays, "columns.0.text": damaged}))


def test_words_of_chinese_are_the_pairs_of_characters_that_scikit_learn_counts():
    texts = ["今天天气很好", "天气预报今天下雨", "很好很好很好"]
    bag, theirs = BagOfWords(), CountVectorizer(analyzer="char", ngram_range=(2, 2))
    ours, expected = bag.fit_transform(texts), theirs.fit_transform(texts)
    assert bag.get_feature_names_out().tolist() == theirs.get_feature_names_out().tolist()
    assert ours.toarray().tolist() == expected.toarray().tolist()
