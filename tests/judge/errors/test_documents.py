"""Errors of texts: confusions with excerpts, and the effect of length, on predictions made by hand."""

import numpy as np
import pytest

import openbook as ob
from openbook.errors import ParameterError
from openbook.judge import Evaluation, FoldResult, document_errors

TEXTS = ["one two", "one two three", "w " * 30, "v " * 40 + "<b>", "x y", None, "a b c", "z " * 20]
TRUTH = np.array([0, 1, 1, 0, 0, 1, 1, 0])
PREDICTED = np.array([0, 0, 1, 1, 0, 1, 0, 0])
SURE = np.array([0.6, 0.7, 0.999, 0.995, 0.8, 0.5, 0.9, 0.99])


@pytest.fixture(scope="module")
def found():
    proba = np.where(np.arange(2) == PREDICTED[:, None], SURE[:, None], 1 - SURE[:, None])
    fold = FoldResult(0, np.arange(8), TRUTH, PREDICTED, proba, 8, 0.0, 0.0, None, ())
    evaluation = Evaluation("by hand", "classification", np.array(["no", "yes"]), (fold,))
    return document_errors(evaluation, ob.read([{"t": text} for text in TEXTS], kinds={"t": "text"}))


def test_confusions_come_with_excerpts_the_surest_first(found):
    assert found.counts == (("yes", "no", 2), ("no", "yes", 1))
    assert [(one.row, one.proba) for one in found.confused] == [(6, 0.9), (1, 0.7), (3, 0.995)]
    assert found.confused[0].excerpt == "a b c"


def test_documents_are_divided_at_the_quartiles_of_their_lengths(found):
    # lengths 0, 2, 2, 3, 3, 20, 30, 41: quartiles 2, 3 and 22.5
    bands = [(b.shortest, b.longest, b.rows, b.wrong, b.sure, b.sure_wrong) for b in found.bands]
    assert bands == [(0, 2, 3, 0, 0, 0), (3, 3, 2, 2, 0, 0), (20, 20, 1, 0, 1, 0), (30, 41, 2, 1, 2, 1)]
    assert "100% of the longest" in found.work().conclusion


def test_needs_texts():
    X, y = ob.load("weather").split("play")
    from openbook.baseline import ZeroR

    with pytest.raises(ParameterError, match="classes of texts"):
        document_errors(ob.evaluate(ZeroR(), X, y, cv=2), X)
