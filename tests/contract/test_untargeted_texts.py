"""What every learner without a target does with a column of texts, beside others: words, or directions."""

import numpy as np
import pytest

import openbook as ob
from openbook.data import Direction, Word
from openbook.errors import RefusalError
from openbook.registry import learners

#: Those that take no texts, and why.
REFUSING = {"k_modes": "it compares values; a text is none"}
#: Those that keep every word, sparse.
SPARSE = {"k_means", "truncated_svd"}

TEXTS = ["team cup goal won", "cup team won match", "law vote tax", "the vote on the law, today"]
ROWS = [
    {"talk": f"{TEXTS[i % 4]} {'again' if i % 3 else ''}", "hour": float(i % 7), "hall": "ab"[i % 2]}
    for i in range(40)
]
PARAMETERS = {"bisecting_k_means": {"n_clusters": 3}}

UNTARGETED = [
    entry
    for entry in learners("clustering", "density", "outliers", "projection")
    if entry.name != "discriminant_projection"  # which has a target
]


def answers(model, rows):
    for method in ("predict", "transform", "oddness", "log_density", "score_samples"):
        if hasattr(model, method):
            return np.asarray(getattr(model, method)(rows))
    return None


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("entry", UNTARGETED, ids=lambda entry: entry.name)
def test_texts_beside_other_columns(entry, tmp_path):
    rows = ob.read(ROWS, kinds={"talk": "text"})
    model = entry.make(**PARAMETERS.get(entry.name, {}))
    if entry.name in REFUSING:
        with pytest.raises(RefusalError, match="cannot use the text column 'talk'"):
            model.fit(rows)
        return
    model.fit(rows)
    derived = Word if entry.name in SPARSE else Direction
    assert any(isinstance(a, derived) and a.text == "talk" for a in model.schema_)
    assert model.feature_names_in_.tolist() == ["talk", "hour", "hall"] or entry.name in SPARSE
    again = ob.open_model(ob.save(model, tmp_path / "model.openbook"))
    new = ob.read(
        [{"talk": "a new law", "hour": 3.0, "hall": "a"}, {"talk": None, "hour": None, "hall": "b"}],
        rows.schema,
    )
    np.testing.assert_allclose(answers(again, new), answers(model, new))
    assert str(again.work({"talk": "won the cup", "hour": 2.0, "hall": "a"}))
