"""Which column gets which distribution."""

import pytest

from openbook import read
from openbook.bayes import NaiveBayes
from openbook.errors import RefusalError

ROWS = [
    {"size": 1.0, "colour": "red", "play": "no"},
    {"size": 2.0, "colour": "blue", "play": "no"},
    {"size": 4.0, "colour": "green", "play": "yes"},
    {"size": 5.0, "colour": "red", "play": "yes"},
]


def names(model):
    return {column: each.name for each in model.likelihoods_ for column in each.schema.names}


def test_one_name_is_for_every_column_that_can_have_it():
    X, y = read(ROWS).split("play")
    assert names(NaiveBayes(distributions="kernel").fit(X, y)) == {"size": "kernel", "colour": "categorical"}
    assert names(NaiveBayes(distributions="bernoulli").fit(X, y)) == {
        "size": "bernoulli",
        "colour": "categorical",
    }


def test_a_name_that_no_column_can_have_is_refused():
    X, y = read(ROWS).drop("size").split("play")
    with pytest.raises(RefusalError, match="kernel needs numbers, and no column has them"):
        NaiveBayes(distributions="kernel").fit(X, y)


def test_a_column_that_is_named_must_be_able_to_have_it():
    X, y = read(ROWS).split("play")
    with pytest.raises(RefusalError, match="column 'colour' is nominal; gaussian needs numbers"):
        NaiveBayes(distributions={"colour": "gaussian"}).fit(X, y)
    with pytest.raises(RefusalError, match=r"'gausian'[.] Did you mean 'gaussian'"):
        NaiveBayes(distributions={"size": "gausian"}).fit(X, y)
