"""A class that a nominal target declares is a class, even if no row has it."""

import numpy as np
import pytest

from openbook import read
from openbook.baseline import ZeroR
from openbook.bayes import NaiveBayes
from openbook.data import Column, Nominal, Ordinal, Schema, Table
from openbook.registry import learners

INPUTS = read(
    {"sky": ["sun", "rain", "rain", "rain", "sun", "sun", "sun", "rain"], "heat": [4, 1, 5, 0, 7, 2, 6, 1.5]}
)
ANSWERS = ("maybe", "no", "yes")
PLAY = Column(Nominal("play", ANSWERS), np.array([2, 1, 2, 1, 2, 1, 2, 1], np.int8))

#: Learners that need rows of every class, and why.
LEAVES_OUT = {
    "output_code": "a code word teaches nothing about a class without rows",
    "proportional_odds": "two thresholds without a row between them have no likelihood",
    "rocchio": "a class without rows has no direction",
    "linear_svc": "no margin parts a class without rows from another",
    "svc": "no margin parts a class without rows from another",
}


@pytest.mark.parametrize("entry", learners("classification"), ids=lambda entry: entry.name)
def test_every_classifier_counts_declared_classes(entry):
    model = entry.make()
    if "random_state" in model.get_params():
        model.set_params(random_state=0)
    if (reason := model.refusal(INPUTS.schema)) is not None:
        pytest.skip(reason)
    model.fit(INPUTS, PLAY)
    known = ANSWERS[1:] if entry.name in LEAVES_OUT else ANSWERS
    assert model.classes_.tolist() == list(known)
    proba = model.predict_proba(INPUTS)
    assert proba.shape == (8, len(known))
    np.testing.assert_allclose(proba.sum(axis=1), 1.0)
    if entry.name != "rules":  # which say what they say
        assert "maybe" not in model.predict(INPUTS)


def test_by_hand():
    # three classes, of which one has no row: each is drawn a third of the time
    assert ZeroR(strategy="uniform").fit(INPUTS, PLAY).predict_proba(INPUTS)[0].tolist() == [1 / 3] * 3
    # Laplace: P(sun | maybe) = (0 + 1) / (0 + 2), of no (1 + 1) / (4 + 2), of yes (3 + 1) / (4 + 2)
    model = NaiveBayes(priors=[0.5, 0.25, 0.25]).fit(INPUTS.select(["sky"]), PLAY)
    terms = np.array([1 / 2 * 1 / 2, 1 / 4 * 2 / 6, 1 / 4 * 4 / 6])
    np.testing.assert_allclose(model.predict_proba([{"sky": "sun"}])[0], terms / terms.sum())


def test_plain_labels_declare_nothing():
    assert ZeroR().fit(INPUTS, PLAY.tolist()).classes_.tolist() == ["no", "yes"]


def test_filter_forgets_values_whose_rows_go():
    size = Ordinal("size", ("S", "M", "L", "XL"))
    table = Table(Schema((PLAY.attribute, size)), [PLAY.data[:6], np.array([0, 1, 2, 0, 1, -1], np.int8)])
    kept = table.filter(lambda row: row["size"] != "M" and row["play"] != "no")
    assert kept.schema["play"].values == ("maybe", "yes")  # declared without rows: stays
    assert kept.schema["size"].values == ("S", "L", "XL")
    assert list(kept) == [{"play": "yes", "size": "S"}, {"play": "yes", "size": "L"}]
    assert table.take([0]).schema == table.schema  # positions are a sample of the same rows
