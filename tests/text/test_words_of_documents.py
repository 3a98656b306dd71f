"""Similar documents, words selected, clustered and asked for by rules."""

import numpy as np
import pytest

import openbook as ob
from openbook.baseline import RuleClassifier
from openbook.bayes import NaiveBayes
from openbook.cluster import word_clusters
from openbook.errors import DataError, ParameterError, RefusalError
from openbook.neighbors import KNeighborsClassifier, similar
from openbook.prepare import Prepared, SelectWords, step

FILMS = ob.read(
    [
        {"t": "A good film, really good!", "y": "+"},
        {"t": "Bad film. The story is bad, the actors are worse.", "y": "-"},
        {"t": "Good actors, good story", "y": "+"},
        {"t": "The worst film, bad actors", "y": "-"},
        {"t": None, "y": "-"},
    ],
    kinds={"t": "text"},
)


def test_similar_documents_come_with_the_words_they_share(tmp_path):
    model = KNeighborsClassifier(1, metric="cosine").fit(FILMS, "y")
    first, second = similar(model, "good, good story about zebras", n=2)
    # cosine of (good 2, story 1) with (actors 1, good 2, story 1): 5 / sqrt(5 * 6)
    assert (first.row, first.target, first.words) == (2, "+", (("good", 2.0, 2.0), ("story", 1.0, 1.0)))
    assert first.distance == pytest.approx(1 - 5 / np.sqrt(30))
    assert second.row == 0
    opened = ob.open_model(ob.save(model, tmp_path / "m.openbook"))
    assert similar(opened, {"t": "worst"}, n=1)[0].words == (("worst", 1.0, 1.0),)


def test_similar_needs_a_model_that_keeps_texts():
    with pytest.raises(ParameterError, match="keeps its rows, such as KNeighborsClassifier, not NaiveBayes"):
        similar(NaiveBayes().fit(FILMS, "y"), "good")
    X, y = ob.load("iris").split("species")
    with pytest.raises(ParameterError, match="fitted without texts"):
        similar(KNeighborsClassifier().fit(X, y), "good")


@pytest.mark.parametrize(
    ("written", "kept"),
    [  # documents of + and -: actors 1, 2; bad 0, 2; film 1, 2; good 2, 0; story 1, 1; the 0, 2
        ("words t 2 df", ["actors", "film"]),
        ("words t 4 chi2", ["bad", "good", "the", "actors"]),  # chi-squared 4, 4, 4 and 4/3
        ("words t 1 pmi", ["bad"]),  # PMI 1 of three words: the first in the alphabet
        ("words t 1 pmi per_class=true", ["bad", "good"]),  # of - and of +
        ("words t 2 min_df=1", ["bad", "good"]),
    ],
)
def test_words_are_selected_by_each_measure(written, kept):
    # a missing text is no document, so + and - have two each
    assert step(written).fit(FILMS, "y").words_["t"] == kept


def test_texts_are_shortened_to_the_words_kept_in_their_order(tmp_path):
    model = Prepared(NaiveBayes(), ["words t 2"]).fit(FILMS, "y")
    assert model.estimator_.schema_.names == ("t: bad", "t: good")
    chosen = SelectWords(k=2).fit(FILMS, "y")
    shown = chosen.transform(FILMS.drop("y")).data("t").tolist()
    assert shown[0] == "good good"
    assert shown[4] is None
    opened = ob.open_model(ob.save(chosen, tmp_path / "s.openbook"))
    assert opened.words_ == chosen.words_
    assert "2 words kept" in str(chosen.work())


def test_selection_needs_a_target_that_the_measure_can_use():
    assert SelectWords(k=2).fit(FILMS.drop("y")).words_["t"] == ["actors", "film"]  # in three texts each
    with pytest.raises(ParameterError, match="pmi needs classes"):
        SelectWords(measure="pmi").fit(FILMS.drop("y"), [1.0, 2.5, 3.0, 4.0, 5.0])
    numbers = SelectWords(k=1, measure="chi_squared").fit(FILMS.drop("y"), [9.0, 1.0, 8.0, 1.5, 2.0])
    assert numbers.words_["t"] == ["good"]


def test_rules_ask_for_words_and_phrases():
    text = 't contains "the worst" then -; if t contains GOOD and t does not contain bad then +; else -'
    model = RuleClassifier(f"if {text}").fit(FILMS, "y")
    assert model.predict(FILMS).tolist() == ["+", "-", "+", "-", "-"]
    new = [{"t": "goodness, the film"}, {"t": "worst of the good"}]
    assert model.predict(new).tolist() == ["-", "+"]
    assert "t contains GOOD" in str(model.work({"t": "so good"}))
    with pytest.raises(ParameterError, match="SQL knows no words"):
        model.rules().sql()


@pytest.mark.parametrize(
    ("rule", "message"),
    [("if t = good then +", "t is text: ask what it contains"), ("if n contains x then +", "n is numeric")],
)
def test_rules_that_do_not_suit_their_column_are_named(rule, message):
    table = ob.read([{"t": "a b c", "n": 1, "y": "+"}, {"t": "d e", "n": 2, "y": "-"}], kinds={"t": "text"})
    with pytest.raises(RefusalError, match=message):
        RuleClassifier(rule).fit(table, "y")


def test_words_are_clustered_by_the_documents_they_share():
    texts = ["team cup goal", "cup team", "goal team", "law vote", "vote law tax", "tax law", "rare", None]
    clusters = word_clusters(texts, n_clusters=2)
    assert {frozenset(word for word, _ in one.words) for one in clusters} == {
        frozenset({"team", "cup", "goal"}),
        frozenset({"law", "vote", "tax"}),
    }
    assert clusters[0].documents == 3
    # team 3, cup 2, goal 2: pairs share 2, 2 and 1
    expected = np.mean([2 / np.sqrt(6), 2 / np.sqrt(6), 1 / 2])
    assert clusters[0].similarity == pytest.approx(expected)
    with pytest.raises(DataError, match="two words are needed"):
        word_clusters(["a b", "c d"])
