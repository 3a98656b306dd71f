"""Autoencoders: the space of principal components, tables there and back."""

import numpy as np
import pytest
from sklearn.decomposition import PCA

from openbook import load, open_model, save
from openbook.data import Numeric, Ordinal, Table, read
from openbook.errors import DataError, ParameterError
from openbook.neural import Autoencoder

X, Y = load("iris").split("species")


def test_without_curves_it_finds_the_principal_plane():
    numbers = X.block(X.names)
    scaled = (numbers - numbers.mean(axis=0)) / numbers.std(axis=0)
    model = Autoencoder(
        (2,), activation="identity", max_iter=3000, tol=0, n_iter_no_change=3000, random_state=0
    ).fit(X)
    pca = PCA(2).fit(scaled)
    least = 0.5 * ((scaled - pca.inverse_transform(pca.transform(scaled))) ** 2).sum(axis=1)
    assert model.errors(X).mean() == pytest.approx(least.mean(), rel=1e-4)
    np.testing.assert_allclose(model.errors(X), least, atol=0.02)


def test_a_code_of_all_columns_comes_back():
    model = Autoencoder(
        (4,), activation="identity", max_iter=3000, tol=0, n_iter_no_change=3000, random_state=0
    ).fit(X)
    back = model.inverse_transform(model.transform(X))
    assert back.schema == X.schema
    np.testing.assert_allclose(back.block(X.names), X.block(X.names), atol=0.05)


def test_mixed_tables_there_and_back():
    table = load("credit", rows=400, random_state=1).drop("default")
    assert any(isinstance(a, Ordinal) for a in table.schema)
    model = Autoencoder((24, 12), max_iter=500, tol=0, n_iter_no_change=500, random_state=0).fit(table)
    assert [weights.shape[1] for weights in model.coefs_] == [24, 12, 24, len(model.encoding_)]
    code = model.transform(table)
    assert code.shape == (400, 12)
    back = model.inverse_transform(code)
    assert isinstance(back, Table)
    assert back.names == table.names
    for name in table.names:
        own, other = table.column(name), back.column(name)
        assert not other.missing.any()  # gaps are filled
        if not isinstance(own.attribute, Numeric):
            known = ~own.missing
            assert (own.data == other.data)[known].mean() > 0.9, name


def test_learning_lowers_the_error_and_odd_rows_have_a_larger_one():
    first, last = (Autoencoder((2,), max_iter=n, random_state=0).fit(X).errors(X).mean() for n in (1, 200))
    assert last < first / 4
    model = Autoencoder((2,), random_state=0).fit(X)
    odd = X.block(X.names)[:1] * [1, 1, 8, 0]
    assert model.errors([dict(zip(X.names, odd[0], strict=True))])[0] > model.errors(X).max()


def test_its_work_and_its_names():
    model = Autoencoder((3, 2), max_iter=5, random_state=0).fit(X)
    assert model.work().title == "Network 4-3-2-3-4 for its own inputs: how it was fitted"
    assert model.get_feature_names_out().tolist() == ["autoencoder0", "autoencoder1"]


def test_a_row_worked_forward_and_back():
    model = Autoencoder((2,), activation="identity", max_iter=5, random_state=0).fit(X)
    work = model.work(X.take([7]))
    assert work.title == "Network 4-2-4 for its own inputs: one prediction"
    assert work.conclusion.startswith("Hidden layer 1 is the code")
    code = [step.result for step in next(p for p in work.parts if p.title == "hidden layer 1").parts[1::2]]
    np.testing.assert_allclose(code, model.transform(X.take([7]))[0], rtol=1e-12)


def test_saved_and_opened_it_projects_the_same(tmp_path):
    table = load("credit", rows=120, random_state=1).drop("default")
    model = Autoencoder((5, 2), max_iter=10, random_state=0).fit(table)
    opened = open_model(save(model, tmp_path / "code.openbook"))
    np.testing.assert_array_equal(opened.transform(table), model.transform(table))
    np.testing.assert_array_equal(opened.errors(table), model.errors(table))
    assert opened.work().text() == model.work().text()


def test_what_it_refuses():
    with pytest.raises(
        ParameterError, match="Autoencoder: hidden_layer_sizes must name at least one layer, the code"
    ):
        Autoencoder(()).fit(X)
    with pytest.raises(DataError, match="column 'note' has no word that several texts share"):
        Autoencoder().fit(read([{"note": "a"}, {"note": "b"}], kinds={"note": "text"}))
    model = Autoencoder((2,), max_iter=1).fit(X)
    with pytest.raises(DataError, match=r"a code has 2 columns, and this array has shape \(3, 4\)"):
        model.inverse_transform(np.zeros((3, 4)))
    with pytest.raises(DataError, match="column 'petal width \\(cm\\)' is missing"):
        model.transform(X.drop("petal width (cm)"))
