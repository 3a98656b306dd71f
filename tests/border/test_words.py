"""Words that learners derive from text columns: which they are, and that they travel with the model."""

import numpy as np
import pytest
from scipy.stats import chi2_contingency

import openbook
import openbook.border.words
from openbook import read
from openbook.baseline import OneR
from openbook.bayes import NaiveBayes
from openbook.border.words import MOST_WORDS, mentions, word_scores
from openbook.cluster import KModes
from openbook.data import Nominal, Numeric, Schema, SparseTable, Table, Text, Word
from openbook.errors import DataError, RefusalError
from openbook.label import NaiveBayesEM
from openbook.linear import LinearDiscriminantAnalysis, LinearRegression, LogisticRegression, Rocchio
from openbook.neighbors import KNeighborsClassifier
from openbook.prepare import BagOfWords
from openbook.text.columns import RULE
from openbook.text.terms import TermRule
from openbook.tree import C45, DecisionTreeClassifier

REVIEWS = [
    ("A good film, really good!", 95.0, "north", "yes"),
    ("Bad film. The story is bad, the actors are worse.", 140.0, "south", "no"),
    ("Good actors, good story", 100.0, "south", "yes"),
    ("The worst film of the year: bad", 150.0, "north", "no"),
    ("Good, but long", 120.0, "north", "yes"),
    (None, 130.0, "south", "no"),
]


@pytest.fixture(scope="module")
def films():
    cells = [np.array(column, dtype=object) for column in zip(*REVIEWS, strict=True)]
    schema = Schema(
        (
            Text("review"),
            Numeric("minutes"),
            Nominal("hall", ("north", "south")),
            Nominal("liked", ("no", "yes")),
        )
    )
    codes = [np.array([schema[n].encode(v) for v in c]) for n, c in (("hall", cells[2]), ("liked", cells[3]))]
    return Table(schema, [cells[0], cells[1].astype(float), *codes])


def test_words_that_tell_nothing_are_for_learners_that_choose_by_themselves():
    """Of 40 rows, 18 of one class have "tell" (chi-squared 32.7), and half of each class "noise" (0)."""
    texts = [" ".join(["tell"] * (i < 18) + ["noise"] * (i % 2)) for i in range(40)]
    y = np.repeat(["a", "b"], 20)
    rows = Table(Schema((Text("t"), Numeric("x"))), [np.array(texts, dtype=object), np.arange(40.0) % 7])
    assert C45().fit(rows, y).schema_.names == ("t: noise", "t: tell", "x")
    for learner in (KNeighborsClassifier(), LinearDiscriminantAnalysis()):
        assert learner.fit(rows, y).schema_.names == ("t: tell", "x")
    assert LinearRegression().fit(rows, np.repeat([1.0, 2.0], 20)).schema_.names == ("t: tell", "x")
    alike = KNeighborsClassifier().fit(rows, np.tile(["a", "a", "b", "b"], 10))
    assert alike.schema_.names == ("t: tell", "x")  # 10 and 8 rows have it, by chance: the best of two
    alone = LinearDiscriminantAnalysis().fit(rows.select("t"), y)
    assert alone.schema_.names == ("t: noise", "t: tell")  # it has no other columns


def test_chi_squared_is_that_of_the_two_way_table():
    texts = ["b a", "a", "a b", "c", "c b", ""]
    y = np.array([0, 0, 1, 1, 2, 2])
    found = mentions(
        RULE.count([t.replace("a", "aa").replace("b", "bb").replace("c", "cc") for t in texts]), y, 3
    )
    assert found.terms == ["aa", "bb", "cc"]
    for j, letter in enumerate("abc"):
        has = np.array([letter in text for text in texts])
        table = [[int((has == h)[y == c].sum()) for c in range(3)] for h in (True, False)]
        expected = chi2_contingency(table, correction=False).statistic
        assert word_scores(found, 3)[j] == pytest.approx(expected)


def test_of_numbers_it_is_n_times_the_squared_correlation():
    y = np.array([1.0, 4.0, 2.0, 7.0])
    found = mentions(RULE.count(["hot", "hot sun", "rain", "sun"]), y, 0)
    expected = 4 * np.corrcoef([1, 1, 0, 0], y)[0, 1] ** 2
    assert word_scores(found, 0)[found.terms.index("hot")] == pytest.approx(expected)


def test_mentions_of_chunks_add_up():
    texts, y = ["a1 b1", "b1", "c1 a1"], np.array([0, 1, 0])
    whole = mentions(RULE.count(texts), y, 2)
    parts = mentions(RULE.count(texts[:1]), y[:1], 2) + mentions(RULE.count(texts[1:]), y[1:], 2)
    assert parts.terms == whole.terms
    np.testing.assert_array_equal(parts.sums, whole.sums)
    np.testing.assert_array_equal(parts.total, whole.total)


def test_learners_of_dense_rows_take_the_words_that_say_most():
    rng = np.random.default_rng(0)
    texts = [
        " ".join([f"w{k:03}" for k in rng.integers(0, 300, 20)] + ["yes" if i % 2 else "no"])
        for i in range(80)
    ]
    model = OneR().fit(read({"text": texts}, kinds={"text": "text"}), [i % 2 for i in range(80)])
    words = [a.word for a in model.schema_]
    assert len(words) == MOST_WORDS
    assert {"yes", "no"} <= set(words)
    assert model.score(read({"text": ["yes", "no"]}, kinds={"text": "text"}), [1, 0]) == 1.0


def test_naive_bayes_multiplies_the_events_of_a_text_with_the_other_columns(films):
    X, y = films.split("liked")
    model = NaiveBayes().fit(X, y)
    words = BagOfWords().fit_transform(films.data("review").tolist())
    alone, others = NaiveBayes().fit(words, y), NaiveBayes().fit(X.drop("review"), y)
    joint = alone.predict_joint_log_proba(words) + others.predict_joint_log_proba(X.drop("review"))
    expected = joint - np.log(model.prior_)
    np.testing.assert_allclose(model.predict_joint_log_proba(X), expected)
    assert isinstance(model._encode(X), SparseTable)  # no dense matrix of words


def test_every_text_column_has_events_of_its_own():
    rows = read({"title": ["aa bb", "cc", "aa"], "body": ["aa", "aa dd", "dd"]}, kinds="text")
    model = NaiveBayes().fit(rows, ["x", "y", "x"])
    assert [part.schema.names for part in model.likelihoods_] == [
        ("title: aa", "title: bb", "title: cc"),
        ("body: aa", "body: dd"),
    ]


def test_the_distribution_of_words_can_be_asked_for(films):
    X, y = films.split("liked")
    model = NaiveBayes(distributions={"review": "bernoulli"}).fit(X, y)
    assert [part.name for part in model.likelihoods_] == ["gaussian", "categorical", "bernoulli"]
    with pytest.raises(RefusalError, match="words cannot be 'gaussian'"):
        NaiveBayes(distributions={"review": "gaussian"}).fit(X, y)


@pytest.mark.parametrize("learner", [NaiveBayes(), DecisionTreeClassifier(), KNeighborsClassifier(3), C45()])
def test_words_travel_with_the_model(films, learner, tmp_path):
    X, y = films.split("liked")
    model = learner.fit(X, y)
    again = openbook.open_model(openbook.save(model, tmp_path / "m.openbook"))
    raw = [{"review": "a bad, bad zebra", "minutes": 140, "hall": "south"}]
    assert again.predict(raw).tolist() == model.predict(raw).tolist() == ["no"]
    assert again.feature_names_in_.tolist() == model.feature_names_in_.tolist()
    assert set(model.feature_names_in_) == {"review", "minutes", "hall"}
    assert "review: bad" in str(model.work(raw[0])) or not isinstance(model, NaiveBayes)


def test_rocchio_takes_every_word_of_text_alone(films):
    texts, y = films.select(["review"]), films.column("liked")
    words = BagOfWords().fit(texts)
    expected = Rocchio().fit(words.transform(texts).sparse, y)
    model = Rocchio().fit(texts, y)
    np.testing.assert_allclose(model.centroids_, expected.centroids_)
    assert [a.word for a in model.schema_] == words.get_feature_names_out().tolist()


def test_numbers_can_be_predicted_from_words():
    texts = ["red", "red blue", "blue", "green red", "green", "blue green"] * 3
    price = [3.0 * ("red" in t) + 5.0 * ("blue" in t) + 1 for t in texts]
    model = LinearRegression().fit(read({"note": texts}, kinds="text"), price)
    assert model.predict(read({"note": ["blue red", None]}, kinds="text")).tolist() == pytest.approx(
        [9.0, 1.0]
    )


def test_files_give_the_words_of_rows_in_memory(films, tmp_path):
    path = tmp_path / "films.csv"
    films.to_polars().write_csv(path)
    kinds = {"review": "text", "hall": "nominal", "liked": "nominal"}
    scanned = NaiveBayes().fit(openbook.scan(path, kinds=kinds), "liked")
    whole = NaiveBayes().fit(read(path, kinds=kinds), "liked")
    assert scanned.schema_ == whole.schema_
    np.testing.assert_allclose(
        scanned.predict_proba(read(path, kinds=kinds)), whole.predict_proba(openbook.scan(path, kinds=kinds))
    )


@pytest.mark.parametrize("held", [1 << 20, 0])
def test_texts_are_counted_once_unless_files_are_too_large_to_be_held(films, tmp_path, monkeypatch, held):
    """Three passes: words are counted in the first; files that are not held are counted in each."""
    path, counted = tmp_path / "films.csv", []
    films.to_polars().write_csv(path)
    kinds = {"review": "text", "hall": "nominal", "liked": "nominal"}
    whole = LogisticRegression(max_iter=20).fit(read(path, kinds=kinds), "liked")
    count = TermRule.count
    monkeypatch.setattr(TermRule, "count", lambda rule, texts: counted.extend(texts) or count(rule, texts))
    monkeypatch.setattr(openbook.border.words, "HELD_BYTES", held)
    scanned = LogisticRegression(max_iter=20).fit(openbook.scan(path, kinds=kinds, chunk_rows=2), "liked")
    np.testing.assert_allclose(scanned.coef_, whole.coef_, rtol=1e-6, atol=1e-9)
    assert (len(counted) == len(films)) == bool(held)
    counted.clear()
    NaiveBayes().fit(films, "liked")
    assert len(counted) == len(films)


def test_words_are_those_of_labelled_rows():
    rows = read({"t": ["aa bb", "aa", "bb dd", "dd ee"]}, kinds="text")
    model = NaiveBayesEM().fit(rows, ["x", "y", None, None])
    assert [a.word for a in model.schema_] == ["aa", "bb"]


def test_more_texts_are_learnt_in_the_words_that_are_known(films):
    X, y = films.split("liked")
    model = NaiveBayes().fit(X, y).partial_fit(X, y)
    np.testing.assert_array_equal(
        model.statistics_.parts[-1].events, 2 * NaiveBayes().fit(X, y).statistics_.parts[-1].events
    )


def test_the_rest_of_a_long_text_is_one_factor():
    words = [f"w{i:02}" for i in range(30)]
    rows = read({"t": [" ".join(words), "w00 w00 w01"]}, kinds="text")
    model = NaiveBayes().fit(rows, ["long", "short"])
    steps = model.work({"t": " ".join(words)})["if class = long"].parts
    assert len([s for s in steps if s.label.startswith("P(t: w")]) == 20
    rest = next(s for s in steps if "10 others" in s.label)
    assert rest.result == pytest.approx((2 / 60) ** 10)  # each once among 30 events, 30 words, by Laplace


def test_texts_without_words_and_learners_without_words_say_so(films):
    with pytest.raises(DataError, match="column 'note' holds no words"):
        OneR().fit(read({"note": ["!", "?"]}, kinds="text"), ["a", "b"])
    with pytest.raises(RefusalError, match="cannot use the text column 'review'"):
        KModes(2).fit(films.split("liked")[0])


def test_a_sparse_table_may_have_typed_columns_first():
    import scipy.sparse as sp

    schema = Schema((Numeric("n"), Nominal("c", ("u", "v")), Word.of("t", "aa"), Word.of("t", "bb")))
    table = SparseTable(
        schema, sp.csr_array([[0.0, 2.0], [1.0, 0.0]]), dense=[np.array([5.0, 6.0]), np.array([1, 0])]
    )
    assert table.take([1]).row(0) == {"n": 6.0, "c": "u", "t: aa": 1.0, "t: bb": 0.0}
    assert table.select(["n"]).data("n").tolist() == [5.0, 6.0]
    assert table.select(["t: bb", "c"]).names == ("c", "t: bb")
    assert table.block(["n", "t: bb"]).tolist() == [[5.0, 2.0], [6.0, 0.0]]
    assert schema.given.names == ("n", "c", "t")
    assert Schema.from_json(schema.to_json()) == schema
