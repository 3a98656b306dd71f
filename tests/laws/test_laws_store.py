"""Laws of the model file: it comes back as it was, and damage is found or does no harm."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from openbook import load, open_model, save
from openbook.baseline import OneR
from openbook.bayes import Laplace, MEstimate, NaiveBayes
from openbook.decide import MinimumRisk
from openbook.errors import ModelFileError

X, Y = load("weather_numeric").split("play")


@pytest.fixture(scope="module")
def good(tmp_path_factory):
    """A file with members, mappings and samples, and what its model says."""
    learner = NaiveBayes(
        smoothing=MEstimate(2, {"Yes": 0.2, "No": 0.4}),
        distributions={"humidity": "kernel"},
        priors=[0.4, 0.6],
    )
    model = MinimumRisk(learner, costs={"Yes": {"No": 2}, "No": {"Yes": 3}}).fit(X, Y)
    path = save(model, tmp_path_factory.mktemp("models") / "good.openbook")
    return path.read_bytes(), model.risk(X)


def opened_or_refused(path, data, risk):
    path.write_bytes(data)
    try:
        model = open_model(path)
    except ModelFileError as error:
        message = str(error)
    else:
        np.testing.assert_array_equal(model.risk(X), risk)
        return
    assert message.startswith("bad.openbook")


@settings(max_examples=400)
@given(st.data())
def test_a_flipped_byte_is_found_or_does_no_harm(good, tmp_path_factory, data):
    content, risk = good
    damaged = bytearray(content)
    for _ in range(data.draw(st.integers(1, 3))):
        damaged[data.draw(st.integers(0, len(content) - 1))] ^= data.draw(st.integers(1, 255))
    opened_or_refused(tmp_path_factory.getbasetemp() / "bad.openbook", bytes(damaged), risk)


def test_every_byte_of_the_directory_is_checked_or_does_no_harm(good, tmp_path):
    """The list of members at the end is not covered by any checksum."""
    content, risk = good
    start = content.index(b"PK\x01\x02")
    for position in range(start, len(content)):
        damaged = bytearray(content)
        damaged[position] ^= 1 << position % 8
        opened_or_refused(tmp_path / "bad.openbook", bytes(damaged), risk)


@settings(max_examples=100)
@given(st.data())
def test_cut_or_filled_up(good, tmp_path_factory, data):
    content, risk = good
    cut = data.draw(st.integers(0, len(content)))
    filling = data.draw(st.binary(max_size=50))
    rest = content[cut + data.draw(st.integers(0, 50)) :] if data.draw(st.booleans()) else b""
    path = tmp_path_factory.getbasetemp() / "bad.openbook"
    opened_or_refused(path, content[:cut] + filling + rest, risk)


@settings(max_examples=100)
@given(st.binary(max_size=300))
def test_anything_else_is_refused(tmp_path_factory, data):
    path = tmp_path_factory.getbasetemp() / "bad.openbook"
    path.write_bytes(data)
    with pytest.raises(ModelFileError, match=r"bad\.openbook"):
        open_model(path)


@pytest.mark.filterwarnings("ignore:NaiveBayes")  # few rows, and a class may show none of a column
@settings(max_examples=50)
@given(st.integers(0, 10_000), st.booleans(), st.floats(1e-3, 1e3), st.integers(2, 9))
def test_any_model_comes_back_bit_for_bit(tmp_path_factory, seed, sample, alpha, bins):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(4, 60))
    rows = np.where(
        rng.random((n, 3)) < 0.1, np.nan, rng.normal(size=(n, 3)) * 10.0 ** rng.integers(-9, 9, 3)
    )
    labels = rng.permutation(np.arange(n) % int(rng.integers(2, 4)))
    path = tmp_path_factory.getbasetemp() / "model.openbook"
    learners = [
        NaiveBayes(smoothing=Laplace(alpha), variance="sample" if sample else "mle"),
        NaiveBayes(distributions={"x0": "kernel"}),
        OneR(bins),
    ]
    for learner in learners:
        model = learner.fit(rows, labels)
        np.testing.assert_array_equal(
            open_model(save(model, path)).predict_proba(rows), model.predict_proba(rows)
        )
