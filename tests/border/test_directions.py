"""Directions of texts, for what learns without a target: by hand, from files, in the model file."""

import numpy as np
import pytest
from numpy.testing import assert_allclose

import openbook as ob
from openbook import read, scan
from openbook.cluster import GaussianMixture
from openbook.data import Direction, Schema
from openbook.errors import DataError
from openbook.outlier import Mahalanobis
from openbook.reduce import PCA

SPORT = ["team cup goal won", "cup team won match", "goal, goal for the team"]
LAW = ["law vote tax", "the vote on the law", "tax law vote parliament"]


def talk(n=10, missing=False):
    texts = (SPORT + LAW) * n
    return read({"talk": [*texts, *([None] if missing else [])]}, kinds="text")


def by_hand(texts, k):
    """ln(1 + f), each text of length 1, times ln(N / df), and the leading right singular vectors."""
    spoken = [text.replace(",", " ").split() for text in texts]
    words = sorted({word for own in spoken for word in own})
    counts = np.array([[own.count(word) for word in words] for own in spoken], float)
    df = (counts > 0).sum(axis=0)
    t = np.log1p(counts)
    t /= np.linalg.norm(t, axis=1, keepdims=True)
    x = t * np.log(len(texts) / df)
    return x @ np.linalg.svd(x)[2][:k].T


def test_directions_are_singular_vectors_of_tf_idf():
    rows = talk()
    found = PCA(1).fit(rows)._encode(rows)
    assert len(found.names) == 6  # one for ten rows
    expected = by_hand(rows.data("talk").tolist(), 6)
    got = np.column_stack([found.data(name) for name in found.names])
    assert_allclose(np.abs(got[:, :4]), np.abs(expected[:, :4]), atol=1e-6)
    assert found.names[0].startswith("talk 1: ")


def test_mixtures_find_what_texts_are_about(tmp_path):
    model = GaussianMixture(2, random_state=0).fit(talk(missing=True))
    new = read({"talk": ["won the cup", "a new law", "zebra", None]}, kinds="text")
    labels = model.predict(new)
    assert labels[0] == model.labels_[0] != labels[1] == model.labels_[3]
    again = ob.open_model(ob.save(model, tmp_path / "mixture.openbook"))
    assert_allclose(again.predict_proba(new), model.predict_proba(new))
    assert again.feature_names_in_.tolist() == ["talk"]
    assert "directions of texts" in str(again.work())
    assert np.isnan(model._encode(new).data(model.schema_.names[0])[3])  # a missing text is missing there
    assert model._encode(new).data(model.schema_.names[0])[2] == 0


def test_reasons_name_the_words_of_a_direction():
    """Words of sport and of law never meet in training."""
    model = Mahalanobis(contamination=0.05).fit(talk())
    odd, usual = {"talk": "team law cup vote"}, {"talk": "team cup goal won"}
    assert model.oddness([odd])[0] > model.oddness([usual])[0]
    assert model.reasons(odd).ranked[0].attribute == "talk 1: +match +goal +cup"


@pytest.mark.parametrize("held", [1 << 20, 0])
def test_files_give_the_directions_of_rows_in_memory(tmp_path, monkeypatch, held):
    import openbook.border.words

    rows, path = talk(), tmp_path / "talk.csv"
    rows.to_polars().write_csv(path)
    monkeypatch.setattr(openbook.border.words, "HELD_BYTES", held)
    files, whole = (
        GaussianMixture(2, random_state=0).fit(source)
        for source in (scan(path, kinds={"talk": "text"}, chunk_rows=7), rows)
    )
    for own, other in zip(files.schema_, whole.schema_, strict=True):
        assert_allclose(own.weights, other.weights, atol=1e-9)
    assert files.predict(rows).tolist() == whole.predict(rows).tolist()


def test_texts_that_share_no_words_take_no_part():
    rows = [{"t": text, "x": float(i)} for i, text in enumerate(["aa bb", "cc", "dd", "ee"])]
    assert GaussianMixture(1).fit(read(rows, kinds={"t": "text"})).schema_.names == ("x",)
    with pytest.raises(DataError, match="column 't' has no word that several texts share, and others lack"):
        GaussianMixture(2).fit(read({"t": ["aa bb", "cc", "dd"]}, kinds="text"))


def test_directions_of_a_file_are_checked():
    schema = Schema((Direction.of("t", 1, ("aa", "bb"), (1.0, -2.0)),))
    assert schema.names == ("t 1: -bb +aa",)
    record = schema.to_json()
    assert Schema.from_json(record) == schema
    for key, value in (
        ("words", ["aa", "aa"]),
        ("weights", [1.0, float("inf")]),
        ("weights", [1.0]),
        ("text", 3),
    ):
        one = {**record["attributes"][0], key: value}
        with pytest.raises(DataError, match=r"attribute 't 1: -bb \+aa'"):
            Schema.from_json({**record, "attributes": [one]})
    other = Direction.of("t", 2, ("aa", "cc"), (1.0, 1.0))
    with pytest.raises(DataError, match="the directions of 't' have different words"):
        Schema.from_json(Schema((*schema, other)).to_json())
