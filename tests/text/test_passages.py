"""Texts shaded by what each word contributes to a prediction."""

import math

import pytest

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.tree import DecisionTreeClassifier, DecisionTreeRegressor

FILMS = ob.read(
    [
        {"review": "A good film, really good!", "minutes": 95, "liked": "yes"},
        {"review": "Bad film. The story is bad, the actors are worse.", "minutes": 140, "liked": "no"},
        {"review": "Good actors, good story", "minutes": 100, "liked": "yes"},
        {"review": "The worst film of the year", "minutes": 150, "liked": "no"},
    ],
    kinds={"review": "text"},
)
ROW = {"review": "Good, good <b>zebras</b> & bad actors", "minutes": 120}


def _passage(work):
    return next(part for part in work.parts if hasattr(part, "pieces"))


def test_of_naive_bayes_a_word_adds_its_count_times_its_log_ratio():
    # yes has 8 words, no has 16, of 13 distinct ones; good occurs 4 and 0 times, bad 0 and 2, actors 1 and 1
    passage = _passage(NaiveBayes().fit(FILMS.drop("minutes"), "liked").work({"review": ROW["review"]}))
    weights = dict(passage.pieces)
    yes, no = (4 + 1) / (8 + 13), (0 + 1) / (16 + 13)
    assert weights["Good"] == weights["good"] == pytest.approx(2 * math.log(yes / no))
    assert weights["bad"] == pytest.approx(math.log((1 / 21) / (3 / 29)))
    assert weights["zebras"] == weights[" <"] == 0
    assert "".join(text for text, _ in passage.pieces) == ROW["review"]
    assert "yes against no" in passage.note


def test_characters_of_scripts_without_spaces_are_shaded_by_the_pairs_they_are_part_of():
    # a has the pairs 米饭 and 饭好, b has 球队; of the 3 pairs each class has P = (n + 1) / (N + 3)
    rows = ob.read([{"text": "米饭好", "y": "a"}, {"text": "球队", "y": "b"}], kinds={"text": "text"})
    passage = _passage(NaiveBayes().fit(rows, "y").work({"text": "米饭, 球"}))
    rice = pytest.approx(math.log((2 / 5) / (1 / 4)))
    assert passage.pieces == (("米", rice), ("饭", rice), (", ", 0.0), ("球", 0.0))


def test_words_of_naive_bayes_are_scored_by_hand_too():
    grid = NaiveBayes().fit(FILMS.drop("minutes"), "liked").work({"review": "good good"})["yes against no"]
    (name, x, n_yes, n_no, bits, nats, weight) = grid.rows[0]
    assert (name, x, n_yes, n_no) == ("review: good", 2, 4, 0)
    assert bits == pytest.approx(2 * math.log2((4.5 / 9) / (0.5 / 17)))  # (n + 1/2) / (N + 1)
    assert nats == pytest.approx(bits * math.log(2))
    assert weight == pytest.approx(2 * math.log((5 / 21) / (1 / 29)))


def test_beyond_twenty_words_the_rest_is_one_line():
    words = [f"w{i:02}" for i in range(30)]
    texts = [{"t": " ".join(words), "y": "a"}, {"t": " ".join(words[:5]), "y": "b"}]
    model = NaiveBayes().fit(ob.read(texts, kinds={"t": "text"}), "y")
    grid = model.work({"t": " ".join(words)})["a against b"]
    assert len(grid.rows) == 21
    assert grid.rows[-1][0] == "10 more words"
    weights = [abs(row[-1]) for row in grid.rows[:-1]]
    assert weights == sorted(weights, reverse=True)


def test_of_numbers_a_word_adds_to_the_prediction():
    model = DecisionTreeRegressor().fit(FILMS.drop("liked"), "minutes")
    passage = _passage(model.work({"review": "good film"}))
    without = model.predict([{"review": "film"}]) - model.predict([{"review": "good film"}])
    assert dict(passage.pieces)["good"] == pytest.approx(-float(without[0]))


def test_a_row_without_text_has_no_passage():
    model = NaiveBayes().fit(FILMS, "liked")
    assert not any(hasattr(part, "pieces") for part in model.work({"minutes": 100}).parts)


def test_where_a_class_is_impossible_a_word_adds_to_the_probability():
    # of eight texts the four with "good" are liked, and the leaves are pure: the log odds would be infinite
    texts = [f"{word} film {i}{i}" for i in range(4) for word in ("good", "a")]
    films = ob.read({"review": texts, "liked": ["yes", "no"] * 4}, kinds={"review": "text"})
    passage = _passage(DecisionTreeClassifier().fit(films, "liked").work({"review": "a good film"}))
    assert dict(passage.pieces)["good"] == 1.0  # P(yes) is 1 with the word, and 0 without
    assert passage.note == "Shading: what each word adds to the probability of yes."


def test_words_of_long_documents_keep_their_weights():
    # "good" has (900 + 1) / (900 + 2) of the events of yes, and (0 + 1) / (900 + 2) of those of no
    films = ob.read(
        {"review": ["good " * 900, "bad " * 900], "liked": ["yes", "no"]}, kinds={"review": "text"}
    )
    passage = _passage(NaiveBayes().fit(films, "liked").work({"review": "good " * 200 + "bad"}))
    assert dict(passage.pieces)["good"] == pytest.approx(200 * math.log(901))
    assert dict(passage.pieces)["bad"] == pytest.approx(-math.log(901))
