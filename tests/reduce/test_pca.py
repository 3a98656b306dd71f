"""Principal components: by hand, with gaps and categories, from files, in pictures, and what they refuse."""

import math

import numpy as np
import pytest

import openbook
from openbook import load, open_model, save
from openbook.errors import DataError, ParameterError
from openbook.reduce import PCA

IRIS = load("iris").drop("species")
CREDIT = load("credit", rows=300, random_state=2).drop("default")


def test_two_columns_by_hand():
    """Rows on the diagonals: S = [[2.5, 1.5], [1.5, 2.5]], λ = 4 and 1, v = (1, ±1) / √2."""
    X = [[2.0, 2.0], [-2.0, -2.0], [1.0, -1.0], [-1.0, 1.0]]
    model = PCA(scale=False).fit(X)
    np.testing.assert_allclose(model.covariance_, [[2.5, 1.5], [1.5, 2.5]])
    np.testing.assert_allclose(model.explained_variance_, [4, 1])
    np.testing.assert_allclose(model.explained_variance_ratio_, [0.8, 0.2])
    half = math.sqrt(0.5)
    np.testing.assert_allclose(model.components_, [[half, half], [half, -half]])  # ties: the first above 0
    np.testing.assert_allclose(model.transform(X)[:, 0], [2 / half, -2 / half, 0, 0], atol=1e-12)
    sample = PCA(scale=False, variance="sample").fit(X)
    np.testing.assert_allclose(sample.explained_variance_, [16 / 3, 4 / 3])


def test_scaled_columns_give_the_correlation_matrix():
    model = PCA().fit(IRIS)
    np.testing.assert_allclose(model.covariance_, np.corrcoef(IRIS.block(IRIS.names).T))
    assert model.explained_variance_.sum() == pytest.approx(4)
    again = IRIS.block(IRIS.names) * [1, 1000, 0.01, 5] + 7
    np.testing.assert_allclose(PCA().fit(again).transform(again), model.transform(IRIS), atol=1e-9)


def test_how_many_components():
    assert PCA().fit(IRIS).n_components_ == 4
    assert PCA(3).fit(IRIS).components_.shape == (3, 4)
    assert PCA(0.7).fit(IRIS).n_components_ == 1
    assert PCA(0.95).fit(IRIS).n_components_ == 2
    twice = np.column_stack([IRIS.block(IRIS.names)] * 2)
    assert PCA().fit(twice).n_components_ == 4  # what does not vary has no component
    with pytest.raises(
        ParameterError, match="n_components is 5, but there are 4 encoded columns; ask for fewer"
    ):
        PCA(5).fit(IRIS)
    with pytest.raises(ParameterError, match=r"must be None, a whole number, or a share below 1, got 2\.5"):
        PCA(2.5).fit(IRIS)


def test_a_share_that_is_reached_but_for_rounding_is_reached():
    """Variances 6, 3 and 1 of 10: the first explains 0.6, as a sum 0.5999999999999999."""
    ends = np.diag(np.sqrt([18.0, 9.0, 3.0]))
    rows = np.vstack([ends, -ends])
    assert PCA(scale=False).fit(rows).explained_variance_ratio_[0] < 0.6
    assert [PCA(share, scale=False).fit(rows).n_components_ for share in (0.6, 0.61, 0.9)] == [1, 2, 2]


def test_one_row_varies_in_nothing():
    model = PCA(scale=False, variance="sample").fit([[3.0, 4.0]])
    assert model.explained_variance_.tolist() == [0.0]
    assert model.transform([[3.0, 4.0]]).tolist() == [[0.0]]


def test_rows_come_back():
    for missing in ("mean", "em"):
        model = PCA(missing=missing).fit(CREDIT)
        back = model.inverse_transform(model.transform(CREDIT))
        for name in CREDIT.names:
            data, again = CREDIT.data(name), back.data(name)
            known = ~np.isnan(data) if CREDIT.schema[name].kind == "numeric" else data >= 0
            np.testing.assert_allclose(again[known], data[known], atol=1e-8)
        assert not any(column.missing.any() for column in map(back.column, back.names))  # gaps are filled
    with pytest.raises(DataError, match=r"scores have 13 columns, and this array has shape \(2, 3\)"):
        model.inverse_transform(np.zeros((2, 3)))


def test_a_missing_cell_is_the_mean():
    model = PCA(scale=False).fit([[1.0, 5.0], [3.0, math.nan], [5.0, 7.0]])
    np.testing.assert_allclose(model.mean_, [3, 6])
    np.testing.assert_allclose(model.covariance_, [[8 / 3, 4 / 3], [4 / 3, 2 / 3]])
    np.testing.assert_allclose(model.transform([[3.0, math.nan]]), [[0]], atol=1e-12)  # on one line


def test_em_recovers_what_means_flatten():
    rng = np.random.default_rng(0)
    whole = rng.normal(size=(2000, 3)) @ rng.normal(size=(3, 3)) + [5, 0, -3]
    gaps = whole.copy()
    gaps[rng.random(whole.shape) < 0.25] = np.nan
    truth = PCA(scale=False).fit(whole)
    em, mean = (PCA(scale=False, missing=m).fit(gaps) for m in ("em", "mean"))
    np.testing.assert_allclose(em.covariance_, truth.covariance_, rtol=0.12, atol=0.1)
    assert (
        np.abs(mean.covariance_ - truth.covariance_).max()
        > 3 * np.abs(em.covariance_ - truth.covariance_).max()
    )
    assert (np.diff(em.trace_) > 0).all()
    both = gaps[:, :2] - em.mean_[:2]
    filled = em._filled(gaps)[:, 2]
    only = np.isnan(gaps[:, 2]) & ~np.isnan(both).any(axis=1)
    slopes = np.linalg.solve(em.covariance_[:2, :2], em.covariance_[:2, 2])
    np.testing.assert_allclose(filled[only], em.mean_[2] + both[only] @ slopes, rtol=1e-6)


def test_em_finds_the_same_normal_whatever_variances_are_divided_by():
    """By N - 1 instead of N all variances are N / (N - 1) as large, and each round gains as much.

    Scaled columns are measured in units that are as much larger: their covariance stays.
    """
    X = np.random.default_rng(1).normal(size=(20, 3)) @ [[1.0, 0.5, 0], [0, 1, 0.5], [0, 0, 1]]
    X[::4, 0] = X[1::5, 2] = np.nan
    for scale, times in ((False, 20 / 19), (True, 1.0)):
        mle, sample = (PCA(scale=scale, missing="em", variance=by).fit(X) for by in ("mle", "sample"))
        np.testing.assert_allclose(sample.covariance_, mle.covariance_ * times, rtol=1e-7)
        np.testing.assert_allclose(np.diff(sample.trace_), np.diff(mle.trace_), rtol=1e-6)


def test_em_ends_by_the_likelihood_of_a_row_however_many_there_are():
    X = np.random.default_rng(1).normal(size=(20, 3)) @ [[1.0, 0.5, 0], [0, 1, 0.5], [0, 0, 1]]
    X[::4, 0] = X[1::5, 2] = np.nan
    once, often = (PCA(missing="em", tol=1e-4).fit(rows) for rows in (X, np.tile(X, (50, 1))))
    assert once.n_iter_ == often.n_iter_ > 2
    np.testing.assert_allclose(often.trace_, 50 * once.trace_)


def test_em_without_gaps_is_the_plain_thing():
    plain, em = PCA().fit(IRIS), PCA(missing="em").fit(IRIS)
    np.testing.assert_array_equal(plain.components_, em.components_)
    assert len(em.trace_) == 0


def test_files_and_more_rows(tmp_path):
    CREDIT.to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=64)
    ordinal = {a.name: a for a in CREDIT.schema if a.kind == "ordinal"}
    scan = openbook.scan(tmp_path / "rows.parquet", ordinal, chunk_rows=64)
    expected = PCA(4).fit(CREDIT)
    from_file = PCA(4).fit(scan)
    np.testing.assert_allclose(from_file.transform(scan), expected.transform(CREDIT), atol=1e-9)
    em = PCA(4, missing="em", max_iter=5).fit(CREDIT)
    np.testing.assert_allclose(
        PCA(4, missing="em", max_iter=5).fit(scan).transform(CREDIT), em.transform(CREDIT), atol=1e-7
    )
    later = PCA(4).partial_fit(CREDIT.head(100)).partial_fit(CREDIT.take(slice(100, 300)))
    np.testing.assert_allclose(later.explained_variance_, expected.explained_variance_)
    with pytest.raises(ParameterError, match="partial_fit needs missing='mean'; EM must see all rows again"):
        PCA(missing="em").partial_fit(CREDIT)


def test_more_rows_may_show_new_values():
    first, then = [{"c": "a", "x": 1.0}, {"c": "b", "x": 2.0}], [{"c": "z", "x": 5.0}]
    later = PCA().partial_fit(first).partial_fit(then)
    at_once = PCA().fit(first + then)
    assert later.encoding_.names == at_once.encoding_.names
    np.testing.assert_allclose(later.explained_variance_, at_once.explained_variance_)


def test_weights_and_far_off_columns():
    X = IRIS.block(IRIS.names)
    w = np.arange(150) % 3
    np.testing.assert_allclose(
        PCA().fit(X, sample_weight=w).explained_variance_,
        PCA().fit(np.repeat(X, w, axis=0)).explained_variance_,
    )
    np.testing.assert_allclose(
        PCA(scale=False).fit(X + 1e9).explained_variance_,
        PCA(scale=False).fit(X).explained_variance_,
        rtol=1e-4,
    )


def test_the_work():
    model = PCA(2).fit(IRIS)
    work = model.work()
    assert work["share of component 1"].result == pytest.approx(model.explained_variance_ratio_[0])
    assert work["total variance"].result == pytest.approx(4)
    assert work.conclusion == "2 components explain 95.8% of the variance."
    for table, missing in ((IRIS, "mean"), (CREDIT, "mean"), (CREDIT, "em")):
        model = PCA(3, missing=missing).fit(table)
        for i in (0, 11):
            row = model.work(table.row(i))
            scores = [row[f"score {c + 1}"].result for c in range(3)]
            np.testing.assert_allclose(scores, model.transform(table.take([i]))[0], atol=1e-9)
    assert "EM" in {part.title for part in model.work().parts}


def test_pictures():
    X, y = load("iris").split("species")
    model = PCA().fit(X)
    scree = model.draw_scree().svg()
    assert "component 1: 73.0%" in scree
    assert "4 components explain 100.0% of the variance." in scree
    biplot = model.draw(X, y).svg()
    assert biplot.count("<circle") == 150 + 3
    assert "150 rows. Arrows: the loadings of the columns." in biplot
    for word in ("setosa", "petal width (cm)", "component 1 (73.0%)"):
        assert word in biplot
    assert model.draw(X).svg().count("<circle") == 150
    with pytest.raises(DataError, match="y has 2 values for 150 rows"):
        model.draw(X, ["a", "b"])
    with pytest.raises(DataError, match="there is one component, and a scatter plot needs two"):
        PCA(1).fit(X).draw(X)


def test_save_open_and_spoil(tmp_path):
    for missing in ("mean", "em"):
        model = PCA(3, missing=missing).fit(CREDIT)
        again = open_model(save(model, tmp_path / f"{missing}.openbook"))
        np.testing.assert_allclose(again.transform(CREDIT), model.transform(CREDIT), atol=1e-12)
        assert str(again.work()) == str(model.work())
        saved = model._saved()
        for name, array in saved.arrays.items():
            for arrays in (
                {**saved.arrays, name: array[..., None]},
                {**saved.arrays, name: array * np.nan},
                {k: v for k, v in saved.arrays.items() if k != name or name == "em_covariance"},
            ):
                if arrays.keys() == saved.arrays.keys() and arrays[name] is array:
                    continue
                with pytest.raises((ValueError, KeyError)):
                    PCA(3, missing=missing)._opened(saved._replace(arrays=arrays))


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("weight", lambda a: -a, "not valid"),
        ("gram.entries", lambda a: -a, "no variance below zero"),
        ("em_covariance", lambda a: -a, "its covariance matrix is not valid"),
        ("spread", lambda a: -a, "its covariance matrix is not valid"),
    ],
)
def test_a_hostile_file_is_refused(name, change, match):
    saved = PCA(missing="em", max_iter=3).fit(CREDIT)._saved()
    with pytest.raises(ValueError, match=match):
        PCA(missing="em")._opened(saved._replace(arrays={**saved.arrays, name: change(saved.arrays[name])}))


def test_infinity_is_named():
    with pytest.raises(DataError, match=r"column 'x1' holds infinity \(the first in row 1\)"):
        PCA().fit([[0.0, 1.0], [1.0, math.inf], [2.0, 0.0]])
