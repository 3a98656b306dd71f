"""Words coded from polars' views; a plain loop over the texts says what they should be."""

import numpy as np
import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openbook.data import views
from openbook.data.words import MOST_WORDS, coded_words


def texts_in(cells):
    """The texts that the codes stand for, None where missing."""
    return [cells.values[code] if code >= 0 else None for code in cells.codes]


def known_texts(series):
    return [text or None for text in series.to_list()]


SHORT = st.text(max_size=12).filter(lambda text: len(text.encode()) <= 12)


@settings(max_examples=300, deadline=None)
@given(st.lists(st.lists(st.none() | SHORT, min_size=1, max_size=20), min_size=1, max_size=4), st.data())
def test_codes_stand_for_the_texts(chunks, data):
    series = pl.concat([pl.Series(chunk, dtype=pl.String) for chunk in chunks], rechunk=False)
    series = series[data.draw(st.integers(0, len(series) - 1)) :]
    cells = coded_words(series)
    folded = [np.bitwise_xor(*pair) for text in series.drop_nulls().unique() for pair in halves(text)]
    if len(set(folded) | {0}) < len(folded) + ("" not in series):
        assert cells is None
    else:
        assert texts_in(cells) == known_texts(series)
        assert set(cells.values) == set(filter(None, series))


def halves(text):
    """The view of a short text, by the letter of Arrow's layout."""
    content = text.encode()
    return np.frombuffer(len(content).to_bytes(4, "little") + content.ljust(12, b"\0"), "<u8").reshape(1, 2)


@pytest.mark.parametrize("block", [1, 3, 1 << 14])
def test_words_of_one_block_are_in_the_order_of_the_alphabet(monkeypatch, block):
    monkeypatch.setattr(views, "_BLOCK", block)
    cells = coded_words(pl.Series(["red", "Löwe", None, "green", "red", "blue", ""]))
    assert texts_in(cells) == ["red", "Löwe", None, "green", "red", "blue", None]
    if block > 7:
        assert cells.values == ["Löwe", "blue", "green", "red"]


def test_a_text_and_the_same_text_before_a_nul_differ():
    assert texts_in(coded_words(pl.Series(["a", "a\0", "a"]))) == ["a", "a\0", "a"]


def test_what_lies_in_a_gap_is_no_word():
    words = pl.Series(["red", "green", "grey", "red"] * 10)
    holes = pl.select(pl.when(pl.Series([True, True, False, True] * 10)).then(words)).to_series()
    cells = coded_words(holes)
    assert cells.values == ["green", "red"]
    assert texts_in(cells) == ["red", "green", None, "red"] * 10


def test_a_gap_over_a_word_that_is_known_from_an_earlier_block_is_a_gap(monkeypatch):
    monkeypatch.setattr(views, "_BLOCK", 4)
    words = pl.Series(["red", "green", "red", "green"] * 10)
    holes = pl.select(pl.when(pl.Series([True, True, False, False] * 10)).then(words)).to_series()
    assert texts_in(coded_words(holes)) == ["red", "green", None, None] * 10


def test_as_many_words_as_there_may_be():
    words = [f"w{i}" for i in range(MOST_WORDS)]
    assert texts_in(coded_words(pl.Series(words * 2))) == words * 2


@pytest.mark.parametrize(
    "texts",
    [
        ["thirteen byte", "short"],
        [f"w{i}" for i in range(MOST_WORDS + 1)],
        ["east....west", "west....east"],  # the halves of their views are alike once folded
    ],
)
def test_other_columns_are_left_to_polars(texts):
    assert coded_words(pl.Series(texts)) is None


def test_only_texts_have_views():
    assert list(views.views_of(pl.Series([1, 2]))) == []
    assert coded_words(pl.Series([1, 2])) is None


def test_an_empty_column_has_no_views():
    assert list(views.views_of(pl.Series([], dtype=pl.String))) == []
