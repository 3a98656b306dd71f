"""Porter's stemmer on the words of his paper (1980); the stems are those that all his steps together give."""

import pytest

from openbook.text.porter import porter_stem

#: Of the paper's examples, the words as they come out at the end.
STEMS = {
    "caresses": "caress",
    "ponies": "poni",
    "ties": "ti",
    "cats": "cat",
    "feed": "feed",
    "agreed": "agre",
    "plastered": "plaster",
    "motoring": "motor",
    "sing": "sing",
    "conflated": "conflat",
    "troubled": "troubl",
    "sized": "size",
    "hopping": "hop",
    "falling": "fall",
    "hissing": "hiss",
    "filing": "file",
    "happy": "happi",
    "relational": "relat",
    "conditional": "condit",
    "vietnamization": "vietnam",
    "formaliti": "formal",
    "sensibiliti": "sensibl",
    "triplicate": "triplic",
    "hopefulness": "hope",
    "revival": "reviv",
    "adjustment": "adjust",
    "adoption": "adopt",
    "probate": "probat",
    "rate": "rate",
    "controll": "control",
    "roll": "roll",
    "generalizations": "gener",
    "oscillators": "oscil",
}


@pytest.mark.parametrize("word", STEMS)
def test_words_of_the_paper(word):
    assert porter_stem(word) == STEMS[word]


def test_other_words_stay():
    assert [porter_stem(word) for word in ("is", "naïve", "5pm")] == ["is", "naïve", "5pm"]
