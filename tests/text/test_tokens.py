"""Words of texts: the rule by hand, other scripts, and a hash table that must not confuse words."""

import numpy as np

from openbook.text.terms import TermRule
from openbook.text.tokens import containing, tokens


def words(text):
    found = tokens([text])
    return [found.words[code] for code in found.codes]


def test_words_are_runs_of_letters_marks_and_digits():
    assert words("Don't e-mail me_at 5pm!") == ["Don", "t", "e", "mail", "me", "at", "5pm"]
    assert words("") == []
    assert words("—“…”") == []


def test_every_script_has_words():
    assert words("Über naïve Käufer") == ["Über", "naïve", "Käufer"]
    assert words("Привет, мир!") == ["Привет", "мир"]
    assert words("हिन्दी भाषा") == ["हिन्दी", "भाषा"]  # with vowel signs, which are marks
    assert words("e\u0301tude") == ["e\u0301tude"]
    assert words("三十 六") == ["三十", "六"]


def test_scripts_without_spaces_have_pairs_of_characters():
    assert words("今天天气好。iPhone手机") == ["今天", "天天", "天气", "气好", "iPhone", "手机"]
    assert words("スター・ウォーズ") == ["スタ", "ター", "ウォ", "ォー", "ーズ"]
    assert words("คน") == ["คน"]
    assert containing(["今天天气好", "天气预报", "今天"], "天天气").tolist() == [True, False, False]


def test_texts_are_kept_apart():
    found = tokens(["a b", None, "b\0c", ""])
    assert found.words == ["a", "b", "c"]
    assert found.codes.tolist() == [0, 1, 1, 2]
    assert found.firsts.tolist() == [0, 2, 2, 4, 4]


def test_long_words_that_begin_alike_are_different():
    long = ["abcdefghijklmnop" + end for end in ("", "q", "r", "qq")]
    found = tokens([" ".join(long + long)])
    assert found.words == long
    assert found.codes.tolist() == [0, 1, 2, 3, 0, 1, 2, 3]


def test_the_table_grows_with_the_words():
    rng = np.random.default_rng(0)
    spoken = [f"{'long' * (i % 6)}{i}" for i in rng.integers(0, 30_000, 60_000)]
    found = tokens([" ".join(spoken)])
    assert [found.words[code] for code in found.codes] == spoken
    assert len(set(found.words)) == len(found.words) == len(set(spoken))


def test_terms_of_words():
    rule = TermRule(numbers="drop", stop_words=frozenset({"the"}), stemmer=lambda word: word[:3])
    terms, counts = rule.count(["The walking walker walks 12 times", "a time"])
    assert terms == ["tim", "wal"]
    assert counts.toarray().tolist() == [[1, 3], [1, 0]]


def test_phrases_do_not_cross_texts():
    terms, counts = TermRule(ngram_range=(2, 3)).count(["to be or not", "to be"])
    assert terms == ["be or", "be or not", "or not", "to be", "to be or"]
    assert counts.toarray().tolist() == [[1, 1, 1, 1, 1], [0, 0, 0, 1, 0]]
