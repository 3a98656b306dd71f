"""Histogram and kernel densities: by hand, against other systems, with gaps and categories."""

import math

import numpy as np
import pytest

import openbook
import openbook.density.kernel_density
import openbook.linear.basis
from openbook import load, open_model, save
from openbook.density import HistogramDensity, KernelDensity
from openbook.errors import DataError, ParameterError, RefusalError, UnknownColumn

CREDIT = load("credit", rows=200, random_state=2).drop("default")
FEW = CREDIT.select(["age", "sex", "income", "education"])


def test_a_histogram_by_hand():
    """Four bins of width 1 from 0; 3 of 5 rows in the first: 3 / (5 · 1). The last bin holds its edge."""
    X = [[0.0], [0.5], [0.9], [3.0], [4.0]]
    model = HistogramDensity(bins=4).fit(X)
    density = np.exp(model.score_samples([[0.2], [1.5], [3.0], [4.0], [4.1], [-0.1], [math.nan]]))
    np.testing.assert_allclose(density, [0.6, 0, 0.4, 0.4, 0, 0, 1])


def test_a_joint_histogram_sums_over_what_is_missing():
    """Rows 0a 0b 0b 2a, two bins of width 1: p(0, b) = 2/4, p(0) = 3/4, p(b) = 2/4."""
    rows = [{"x": x, "c": c} for x, c in [(0.0, "a"), (0.0, "b"), (0.0, "b"), (2.0, "a")]]
    model = HistogramDensity(bins=2).fit(rows)
    asked = [{"x": 0.5, "c": "b"}, {"x": 0.5, "c": None}, {"x": None, "c": "b"}, {"x": 1.5, "c": "b"}]
    np.testing.assert_allclose(np.exp(model.score_samples(asked)), [0.5, 0.75, 0.5, 0.0])


def test_rules_for_bins():
    x = np.random.default_rng(0).normal(size=1000)
    scott = HistogramDensity().fit(x[:, None])
    width = 3.49 * x.std() * 1000 ** (-1 / 3)
    assert scott.shape_ == (math.ceil((x.max() - x.min()) / width),)
    assert HistogramDensity("sturges").fit(x[:, None]).shape_ == (1 + 10,)
    likely = HistogramDensity("likelihood").fit(x[:, None])
    assert likely.shape_[0] in {1, 2, 4, 8, 16, 32}

    def left_out(m):
        counts = np.histogram(x, m)[0]
        counts = counts[counts > 0]
        if (counts == 1).any():
            return -math.inf
        return counts @ np.log((counts - 1) * m / (999 * (x.max() - x.min())))

    assert left_out(likely.shape_[0]) == max(left_out(2**k) for k in range(11))


def test_counts_are_numpys():
    x = load("iris").data("petal length (cm)")
    heights, edges = np.histogram(x, 9, density=True)
    model = HistogramDensity(9).fit(x[:, None])
    np.testing.assert_allclose(model.edges_["x0"], edges)
    np.testing.assert_allclose(np.exp(model.score_samples((edges[:-1, None] + edges[1:, None]) / 2)), heights)


def test_kernels_by_hand():
    """Rows -1 and 1, h = 1: at 0 both give e^-1/2 / √2π."""
    model = KernelDensity(1.0).fit([[-1.0], [1.0]])
    assert math.exp(model.score_samples([[0.0]])[0]) == pytest.approx(math.exp(-0.5) / math.sqrt(2 * math.pi))
    at_row = (1 + math.exp(-2)) / (2 * math.sqrt(2 * math.pi))
    assert math.exp(model.score_samples([[1.0]])[0]) == pytest.approx(at_row)


def test_kernels_of_categories_by_hand():
    """Two a and one b, factor 1, q = 1/e: p(a) = (2/3 + q/3) / (1 + q)."""
    model = KernelDensity(1.0).fit([{"c": "a"}, {"c": "a"}, {"c": "b"}])
    q = math.exp(-1)
    found = np.exp(model.score_samples([{"c": "a"}, {"c": "b"}, {"c": "new"}]))
    np.testing.assert_allclose(found, [(2 / 3 + q / 3) / (1 + q), (1 / 3 + 2 * q / 3) / (1 + q), 1])


def test_densities_integrate_to_one():
    for model in (KernelDensity().fit(FEW), HistogramDensity().fit(FEW)):
        low, high = model._span("age")
        ages = np.linspace(low - 20, high + 20, 20001)
        density = np.exp(
            model.score_samples([{"age": a, "sex": None, "income": None, "education": None} for a in ages])
        )
        assert np.trapezoid(density, ages) == pytest.approx(1, abs=1e-3)
        both = [{"age": 40.0, "sex": s, "income": None, "education": None} for s in ("male", "female", None)]
        male, female, either = np.exp(model.score_samples(both))
        assert male + female == pytest.approx(either)


def test_rows_with_gaps_are_left_out_and_that_is_said():
    for model in (KernelDensity(), HistogramDensity()):
        fitted = model.fit([[1.0, 2.0], [2.0, math.nan], [3.0, 4.0], [4.0, 9.0]])
        assert fitted.weight_ == 3
        assert "1 of 4 rows have a missing cell" in fitted.notes_[0]
        assert "1 of 4 rows have a missing cell" in fitted.work().conclusion
        with pytest.raises(DataError, match="every row has a missing cell"):
            model.fit([[1.0, math.nan], [math.nan, 1.0]])


def test_bandwidth_by_likelihood():
    x = np.random.default_rng(1).normal(size=60)
    model = KernelDensity("likelihood").fit(x[:, None])

    def left_out(factor):
        h = factor * x.std()
        kernels = np.exp(-0.5 * ((x[:, None] - x) / h) ** 2) / (h * math.sqrt(2 * math.pi))
        np.fill_diagonal(kernels, 0)
        return np.log(kernels.sum(axis=1) / 59).mean()

    for factor, likelihood in model.likelihoods_[5::10]:
        assert likelihood == pytest.approx(left_out(factor))
    assert model.factor_ == max(model.likelihoods_, key=lambda pair: pair[1])[0]
    alike = KernelDensity("likelihood").fit(np.repeat([[0.0], [5.0], [9.0]], 30, axis=0))
    assert "many rows are alike" in alike.notes_[0]


def test_bandwidth_of_many_rows_is_that_of_a_sample(monkeypatch):
    for module in (openbook.density.kernel_density, openbook.linear.basis):
        monkeypatch.setattr(module, "SAMPLE", 50)
    x = np.random.default_rng(1).normal(size=(80, 1))
    model = KernelDensity("likelihood").fit(x)
    assert model.notes_ == ["the bandwidth is that of a sample of 50 different rows"]


def test_a_weight_counts_rows():
    X, w = FEW.head(30), np.arange(30) % 3 + 1
    repeated = X.take(np.repeat(np.arange(30), w))
    for model in (KernelDensity("silverman"), HistogramDensity("sturges")):
        weighed = model.fit(X, sample_weight=w).score_samples(X)
        np.testing.assert_allclose(weighed, model.fit(repeated).score_samples(X))


def test_files_and_chunks(tmp_path):
    FEW.to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=50)
    ordinal = {a.name: a for a in FEW.schema if a.kind == "ordinal"}
    scan = openbook.scan(tmp_path / "rows.parquet", ordinal, chunk_rows=50)
    for make in (KernelDensity, lambda: HistogramDensity("likelihood"), lambda: KernelDensity("likelihood")):
        expected = make().fit(FEW).score_samples(FEW)
        np.testing.assert_allclose(make().fit(scan).score_samples(scan), expected, rtol=1e-9)


def test_the_work_of_a_row():
    for model in (KernelDensity().fit(FEW), HistogramDensity(4).fit(FEW)):
        for i in (0, 5):
            work = model.work(FEW.row(i))
            assert work["p(x)"].result == pytest.approx(math.exp(model.score_samples(FEW.take([i]))[0]))
        assert "missing" in model.work({"age": 30}).text()
        assert model.work({"age": 1e6}).conclusion == "The density is 0."
        assert model.work().latex()
    single = HistogramDensity(2).fit([[0.0], [1.0], [2.0]]).work().text()
    assert "0 to 1" in single
    assert "0.333333" in single


def test_a_histogram_draws_rows_from_its_cells():
    """Of two bins with one and three of four rows: a quarter of the rows below 2, none outside."""
    rows = [{"x": x, "c": c} for x, c in [(0.0, "a"), (3.0, "b"), (3.5, "b"), (4.0, "b")]]
    drawn = HistogramDensity(2).fit(rows).sample(4000, random_state=0)
    x, c = drawn.data("x"), np.array(drawn["c"].tolist())
    assert np.mean(x < 2) == pytest.approx(0.25, abs=0.03)
    assert (c == np.where(x < 2, "a", "b")).all()
    assert x[x >= 2].mean() == pytest.approx(3, abs=0.05)
    assert x.min() >= 0
    assert x.max() <= 4


def test_pictures():
    for model in (KernelDensity().fit(FEW), HistogramDensity().fit(FEW)):
        assert "Density of age" in model.draw().svg()
        assert "Probabilities of sex" in model.draw("sex").svg()
        with pytest.raises(UnknownColumn, match="wages"):
            model.draw("wages")


def test_what_is_refused():
    with pytest.raises(
        ParameterError, match="bins must be one of 'scott', 'sturges', 'likelihood', or a whole"
    ):
        HistogramDensity("many").fit([[0.0]])
    with pytest.raises(
        ParameterError, match="bandwidth must be one of 'scott', 'silverman', 'likelihood', or a"
    ):
        KernelDensity(-1).fit([[0.0]])
    with pytest.raises(
        RefusalError, match="cells of 40 columns; take fewer columns or bins, or KernelDensity"
    ):
        HistogramDensity(10).fit(np.random.default_rng(0).normal(size=(5, 40)))
    with pytest.raises(DataError, match="column 'x0' holds infinity"):
        HistogramDensity().fit([[0.0], [math.inf]])
    big = KernelDensity().fit(FEW)
    big._points = np.broadcast_to(big._points[:1], (10**12, big._points.shape[1]))
    with pytest.raises(
        RefusalError, match="kernel densities of 200 rows by 1,000,000,000,000 would take about"
    ):
        big.score_samples(FEW)


@pytest.mark.parametrize("make", [lambda: KernelDensity("likelihood"), HistogramDensity])
def test_saved_and_spoiled(make, tmp_path):
    model = make().fit(FEW)
    again = open_model(save(model, tmp_path / "density.openbook"))
    np.testing.assert_array_equal(again.score_samples(FEW), model.score_samples(FEW))
    saved = model._saved()
    for name, array in saved.arrays.items():
        spoiled = [
            {**saved.arrays, name: array[..., None]},
            {k: v for k, v in saved.arrays.items() if k != name},
        ]
        if array.dtype == np.float64 and array.size:
            spoiled.append({**saved.arrays, name: array * np.nan})
        for arrays in spoiled:
            with pytest.raises((ValueError, KeyError)):
                make()._opened(saved._replace(arrays=arrays))


@pytest.mark.parametrize(
    ("name", "change", "match"),
    [
        ("keys", lambda a: a[::-1].copy(), "numbered in order"),
        ("keys", lambda a: a + 10**9, "not among its bins"),
        ("weights", lambda a: -a, "above zero, and add up"),
        ("weights", lambda a: a * 2, "above zero, and add up"),
        ("low", lambda a: a + 1e9, "end after they begin"),
        ("shape", lambda a: a * 2, "do not match its columns"),
    ],
)
def test_a_hostile_histogram_is_refused(name, change, match):
    saved = HistogramDensity().fit(FEW)._saved()
    with pytest.raises(ValueError, match=match):
        HistogramDensity()._opened(saved._replace(arrays={**saved.arrays, name: change(saved.arrays[name])}))


def test_samples_of_kernels():
    """Means stay; variances grow by h²; a category changes as often as its kernel says."""
    rows = [{"x": -5.0, "c": "a"}, {"x": 5.0, "c": "b"}] * 20
    model = KernelDensity(bandwidth=0.5).fit(rows)
    drawn = model.sample(6000, random_state=2)
    x, c = np.array(drawn.column("x").tolist()), np.array(drawn.column("c").tolist())
    assert x.mean() == pytest.approx(0, abs=0.3)
    assert x.var() == pytest.approx(25 + 2.5**2, rel=0.05)  # h = 0.5 · 5
    other = math.exp(-1 / 0.25)
    clear = x < -5  # drawn from a row of a
    assert np.mean(c[clear] == "b") == pytest.approx(other / (1 + other), abs=0.015)
    assert drawn.schema == model.schema_
    assert (model.sample(5).column("x").tolist()) == model.sample(5).column("x").tolist()
