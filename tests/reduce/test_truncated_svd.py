"""Truncated SVD: against scikit-learn's, by hand, from files, on typed tables and texts."""

import numpy as np
import pytest
import scipy.sparse as sp
from numpy.testing import assert_allclose
from sklearn.decomposition import TruncatedSVD as Theirs

import openbook as ob
from openbook.errors import ParameterError
from openbook.prepare import BagOfWords
from openbook.reduce import TruncatedSVD

TALK = ["team cup goal", "cup team won", "law vote tax", "vote law", None, "tax on the goal"]


@pytest.fixture(scope="module")
def counts():
    X = sp.random(120, 30, 0.15, random_state=0, format="csr")
    X.data = np.round(X.data * 5) + 1
    return X


@pytest.mark.parametrize("algorithm", ["randomized", "arpack"])
def test_components_are_those_of_scikit_learn(counts, algorithm):
    ours = TruncatedSVD(4, algorithm=algorithm, n_iter=200, random_state=0).fit(counts)
    theirs = Theirs(4, algorithm="arpack", random_state=0).fit(counts)
    assert_allclose(ours.singular_values_, theirs.singular_values_)
    assert_allclose(np.abs(ours.components_), np.abs(theirs.components_), atol=1e-6)
    assert_allclose(ours.explained_variance_, theirs.explained_variance_, rtol=1e-6)
    assert_allclose(ours.explained_variance_ratio_, theirs.explained_variance_ratio_, rtol=1e-6)
    assert_allclose(np.abs(ours.transform(counts)), np.abs(theirs.transform(counts)), atol=1e-5)
    dense = TruncatedSVD(4, algorithm=algorithm, n_iter=200, random_state=0).fit(counts.toarray())
    assert_allclose(dense.components_, ours.components_, atol=1e-6)


def test_by_hand():
    """X'X = [[2, 1], [1, 2]] has the eigenvalues 3 and 1, along (1, 1) and (1, -1)."""
    model = TruncatedSVD(2).fit([[1.0, 1.0], [1.0, 0.0], [0.0, 1.0]])
    assert_allclose(model.singular_values_, np.sqrt([3, 1]))
    assert_allclose(model.components_[0], np.sqrt([0.5, 0.5]))
    assert_allclose(np.abs(model.components_[1]), np.sqrt([0.5, 0.5]))
    # scores along (1, 1) are √2 times 1, ½, ½: mean 2/3 √2, mean square 1
    assert_allclose(model.explained_variance_[0], 1 - 2 * (2 / 3) ** 2)
    back = model.inverse_transform(model.transform([[3.0, 1.0]]))
    assert_allclose(back.block(back.names), [[3.0, 1.0]])


def test_a_weight_counts_rows(counts):
    weights = np.random.default_rng(0).integers(1, 4, 120)
    weighted = TruncatedSVD(3, n_iter=200, random_state=0).fit(counts, sample_weight=weights)
    repeated = TruncatedSVD(3, n_iter=200, random_state=0).fit(counts[np.repeat(np.arange(120), weights)])
    assert_allclose(weighted.components_, repeated.components_, atol=1e-6)
    assert_allclose(weighted.explained_variance_ratio_, repeated.explained_variance_ratio_, atol=1e-8)


def test_texts_beside_other_columns(tmp_path):
    rows = ob.read(
        [{"talk": text, "hour": float(i), "hall": "ab"[i % 2]} for i, text in enumerate(TALK)],
        kinds={"talk": "text"},
    )
    model = TruncatedSVD(3, random_state=0).fit(rows)
    words = BagOfWords().fit_transform(TALK).toarray()
    halls = np.equal.outer(np.arange(6) % 2, [0, 1])
    X = np.column_stack([np.arange(6.0), halls, words])
    assert_allclose(model.singular_values_, np.linalg.svd(X)[1][:3], rtol=1e-6)
    again = ob.open_model(ob.save(model, tmp_path / "svd.openbook"))
    assert_allclose(again.transform(rows), model.transform(rows))
    assert_allclose(again.explained_variance_ratio_, model.explained_variance_ratio_)
    back = TruncatedSVD(9).fit(rows)
    assert_allclose(
        back.inverse_transform(back.transform(rows)).data("talk: cup"), [1, 1, 0, 0, 0, 0], atol=1e-9
    )
    work = again.work({"talk": "goal, goal zebra", "hour": 2.0})
    assert ("talk: goal", 2.0) in [row[:2] for row in work["component 1"].parts[0].rows]
    assert "3 components explain" in str(again.work())
    again.draw(rows)
    again.draw_scree()


def test_files_give_the_components_of_rows_in_memory(tmp_path):
    path = tmp_path / "talk.csv"
    path.write_text("talk\n" + "\n".join(text or "" for text in TALK * 3) + "\n", encoding="utf-8")
    whole = TruncatedSVD(2, random_state=0).fit(ob.read(path, kinds={"talk": "text"}))
    files = TruncatedSVD(2, random_state=0).fit(ob.scan(path, kinds={"talk": "text"}, chunk_rows=4))
    assert_allclose(files.components_, whole.components_, atol=1e-9)


def test_what_is_refused(counts):
    with pytest.raises(
        ParameterError, match="n_components is 31, but there are 30 encoded columns; ask for no"
    ):
        TruncatedSVD(31).fit(counts)
    with pytest.raises(ParameterError, match="ask for fewer than that"):
        TruncatedSVD(30, algorithm="arpack").fit(counts)
    saved = TruncatedSVD(2).fit(counts)._saved()
    for name, array in (("components", np.zeros((3, 30))), ("singular_values", np.array([1.0, -1.0]))):
        with pytest.raises(ValueError, match=r"components|negative"):
            TruncatedSVD(2)._opened(saved._replace(arrays={**saved.arrays, name: array}))
