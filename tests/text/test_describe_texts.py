"""What `describe` says of texts."""

import numpy as np
import pytest

import openbook as ob
from openbook.data import Nominal, Schema, Table, Text

TEXTS = [
    "Good film, good actors",
    "A good story",
    "Bad film",
    "Плохой фильм",
    None,
    "!!!",
    "It was the best of all the good films that I saw <b>",
    "It was the best of all the good films that I saw",
]


@pytest.fixture(scope="module")
def described():
    liked = Nominal("liked", ("no", "yes"))
    columns = [np.array(TEXTS, dtype=object), np.array([1, 1, 0, 0, 0, 0, 1, 1], dtype=liked.dtype)]
    return ob.describe(Table(Schema((Text("review"), liked)), columns), "liked")


def test_rows_are_described_as_they_come():
    found = ob.describe([{"size": 1, "colour": "red"}, {"size": 3, "colour": "blue"}])
    assert found["size"].numbers.mean == 2
    assert found["colour"].top_values == (("blue", 1), ("red", 1))


def test_sizes_scripts_and_words(described):
    (text,) = described.texts
    assert (text.documents, text.empty) == (8, 2)
    assert (text.words.shortest, text.words.longest, text.words.median) == (2, 13, 3.5)
    assert text.scripts == (("Latin", 5), ("Cyrillic", 1))
    assert text.frequent[0] == ("good", 5, 4)


def test_telling_words_speak_for_or_against_a_class(described):
    # "good": in all 4 documents that were liked and in none of the 3 others that have text
    words = {one.word: one for one in described.texts[0].telling["liked = yes"]}
    assert (words["good"].in_class, words["good"].documents, words["good"].rare) == (4, 4, True)
    assert words["good"].pmi == pytest.approx(np.log2(7 / 4))
    assert words["good"].chi2 == pytest.approx(7)
    against = {one.word: one.pmi for one in described.texts[0].telling["liked = no"]}
    assert against["good"] == -np.inf


def test_a_class_of_which_no_word_tells_has_no_table():
    # every word is in one text only, and each text is half of its class: a chi-squared of 4/3 is chance
    rows = [{"name": f"{word} {word}a {word}b", "side": side} for word, side in ["pl", "ql", "rr", "sr"]]
    (text,) = ob.describe(ob.read(rows, kinds={"name": "text"}), "side").texts
    assert text.telling == {}
    assert text.telling_grids() == []


def test_copies_and_empty_documents_are_findings(described):
    (pair,) = described.texts[0].duplicates
    assert (pair.row, pair.other) == (6, 7)
    found = {one.kind: one for one in described.findings}
    assert "2 documents of 8" in found["empty documents"].message
    assert found["near-duplicate documents"].severity == "warn"


def test_shown_as_text_and_as_html_with_everything_escaped(described):
    assert "good (rare)" in str(described)
    html = described._repr_html_()
    assert "saw &lt;b&gt;" in html
    assert "saw <b>" not in html
    assert described.to_json()["texts"][0]["duplicates"] == [{"row": 6, "other": 7, "similarity": 10 / 11}]
