"""Numbers moved, bent, clipped and cut, by hand and beside scikit-learn."""

import numpy as np
import pytest
from sklearn import preprocessing

from openbook import load, read
from openbook.errors import ParameterError, RefusalError
from openbook.prepare import (
    Binarizer,
    Fences,
    KBinsDiscretizer,
    PowerTransformer,
    QuantileTransformer,
    RobustScaler,
)

RNG = np.random.default_rng(0)
NUMBERS = np.column_stack([RNG.lognormal(size=100), RNG.normal(50, 3, 100), RNG.integers(1, 6, 100)])
GAPS = np.where(RNG.random(NUMBERS.shape) < 0.1, np.nan, NUMBERS)


@pytest.mark.parametrize(
    ("ours", "theirs", "tolerance"),
    [
        (RobustScaler(), preprocessing.RobustScaler(), 1e-12),
        (RobustScaler(with_centering=False), preprocessing.RobustScaler(with_centering=False), 1e-12),
        (
            RobustScaler(quantile_range=(10, 90), unit_variance=True),
            preprocessing.RobustScaler(quantile_range=(10, 90), unit_variance=True),
            1e-12,
        ),
        (QuantileTransformer(50), preprocessing.QuantileTransformer(n_quantiles=50), 1e-9),
        (
            QuantileTransformer(20, "normal"),
            preprocessing.QuantileTransformer(n_quantiles=20, output_distribution="normal"),
            1e-9,
        ),
        (PowerTransformer(), preprocessing.PowerTransformer(), 1e-6),
        (PowerTransformer("box-cox"), preprocessing.PowerTransformer("box-cox"), 1e-6),
        (PowerTransformer(standardize=False), preprocessing.PowerTransformer(standardize=False), 1e-5),
        (Binarizer(threshold=3), preprocessing.Binarizer(threshold=3), 0),
    ],
)
def test_as_scikit_learn(ours, theirs, tolerance):
    X = NUMBERS if isinstance(ours, Binarizer) else GAPS
    np.testing.assert_allclose(ours.fit_transform(X), theirs.fit_transform(X), rtol=tolerance, atol=tolerance)
    for name in ("center_", "scale_", "lambdas_"):
        if getattr(theirs, name, None) is not None:
            np.testing.assert_allclose(getattr(ours, name), getattr(theirs, name), rtol=1e-6, atol=1e-6)


def test_numbers_come_back():
    for step in (RobustScaler(), QuantileTransformer(100), PowerTransformer(), PowerTransformer("box-cox")):
        back = step.fit(NUMBERS).inverse_transform(step.transform(NUMBERS))
        np.testing.assert_allclose(back, NUMBERS, rtol=1e-6)


def test_box_cox_needs_positive_numbers():
    with pytest.raises(RefusalError, match=r"row 1 of column 'x' holds 0; try \"power x\""):
        PowerTransformer("box-cox").fit(read({"x": [1.0, 0.0]}))


X = read({"x": [1.0, 2.0, 3.0, 4.0, 1000.0, None]})


def test_fences_by_hand():
    # the quartiles of 1, 2, 3, 4, 1000 are 2 and 4: the fences are -1 and 7
    fences = Fences().fit(X)
    assert (fences.lower_[0], fences.upper_[0], fences.counts_[0]) == (-1, 7, 1)
    np.testing.assert_array_equal(fences.transform(X)["x"].data, [1, 2, 3, 4, 7, np.nan])
    np.testing.assert_array_equal(Fences(outside="missing").fit_transform(X)["x"].data[4:], [np.nan, np.nan])
    assert Fences(width=1000).fit(X).upper_[0] == 4 + 1000 * 2
    # mean 202, s² = ((201² + 200² + 199² + 198²) + 798²) / 5
    s = np.sqrt((201**2 + 200**2 + 199**2 + 198**2 + 798**2) / 5)
    assert Fences("z", 1).fit(X).upper_[0] == pytest.approx(202 + s)
    assert Fences("quantile", 0.25).fit(X).upper_[0] == 4


def test_fences_show_the_numbers_between_them():
    fences = Fences().fit(read({"x": [1.0, 2.0, 3.0, 4.0, 1000.0]}))
    assert fences.work().parts[-1].rows == (("x", 2.0, 4.0, -1.0, 7.0, 1.0),)  # Q1, Q3, fences, one outside
    assert fences.work({"x": 9.0}).parts[0].rows == (("x", -1.0, 9.0, 7.0, 7.0),)
    assert fences.work({"x": None}).parts[0].rows == (("x", -1.0, "missing", 7.0, "missing"),)
    by_z = Fences("z", width=2, outside="drop").fit(read({"x": [0.0, 2.0, 0.0, 2.0, 0.0, 2.0, 50.0]}))
    assert by_z.work().parts[-1].rows[0][1:3] == pytest.approx((8.0, np.std([0, 2, 0, 2, 0, 2, 50])))
    assert by_z.work().conclusion.endswith("1 training row left out: 6.")


def test_a_quantile_is_derived_between_its_neighbours():
    step = QuantileTransformer().fit(read({"x": [1.0, 10.0, 100.0]})).work({"x": 4.0})["x"]
    assert step.numbers == r"0 + \frac{4 - 1}{10 - 1} \cdot 0.5"
    assert step.result == pytest.approx(1 / 6)


def test_equal_numbers_have_the_middle_of_their_ranks():
    """Rank by rank, of 50 numbers with one decimal. scikit-learn misses some by half a rank or a whole one,
    as its quantiles of equal numbers differ by rounding errors."""
    x = np.sort(np.round(np.random.default_rng(0).normal(size=50), 1))
    ranks = [(np.flatnonzero(x == number)[[0, -1]]).mean() / 49 for number in x]
    ranks = np.where(x == x[0], 0, np.where(x == x[-1], 1, ranks))
    assert QuantileTransformer().fit_transform(read({"x": x}))["x"].tolist() == pytest.approx(ranks.tolist())


def test_bins_of_dates_are_named_by_dates():
    days = read([{"sold": f"2024-03-{day:02d}"} for day in (1, 2, 5, 9)])
    bins = KBinsDiscretizer(cuts=[19785], columns=["sold"]).fit(days)
    assert bins.transform(days)["sold"].tolist() == ["<= 2024-03-03"] * 2 + ["> 2024-03-03"] * 2
    assert bins.work({"sold": "2024-03-02"}).parts[0].rows == (("sold", "2024-03-02", "<= 2024-03-03"),)


def test_rows_outside_are_left_out_of_training_only():
    fences = Fences(outside="drop").fit(X)
    assert fences.kept_.tolist() == [True, True, True, True, False, True]
    assert fences.transform(X)["x"].tolist()[4] == 1000
    with pytest.raises(RefusalError, match="leaves no row"):
        Fences("quantile", 0.5, "drop").fit(read({"x": [1.0, 2.0]}))


def test_a_column_whose_quartiles_coincide_has_no_fences():
    assert Fences().fit_transform(read({"x": [0.0, 0.0, 0.0, 0.0, 9.0]}))["x"].tolist()[-1] == 9


@pytest.mark.filterwarnings("ignore::FutureWarning")
@pytest.mark.parametrize("strategy", ["uniform", "quantile", "kmeans"])
def test_bins_as_scikit_learn(strategy):
    other = preprocessing.KBinsDiscretizer(5, encode="ordinal", strategy=strategy, subsample=None)
    ours = KBinsDiscretizer(5, strategy)
    columns = NUMBERS[:, :2]
    np.testing.assert_array_equal(ours.fit_transform(columns), other.fit_transform(columns))
    if strategy != "quantile":  # its cuts are halfway between values here, and at quantiles there
        for own, edges in zip(ours.bin_edges_, other.bin_edges_, strict=True):
            np.testing.assert_allclose(own, edges)


def test_bins_are_ordinal_values_that_include_their_upper_cut():
    ages = read({"age": [18.0, 18.5, 65.0, 70.0, None]})
    bins = KBinsDiscretizer(cuts=[18, 65]).fit(ages)
    out = bins.transform(ages)
    assert out.schema["age"].values == ("<= 18", "(18, 65]", "> 65")
    assert out["age"].tolist() == ["<= 18", "(18, 65]", "(18, 65]", "> 65", None]
    middles = [18.0, 41.5, 41.5, 67.5]  # of 18 to 18, 18 to 65, 65 to 70
    assert bins.inverse_transform(out)["age"].tolist()[:4] == middles


def test_mdl_bins_are_those_of_fayyad_and_irani():
    table, species = load("iris").split("species")
    bins = KBinsDiscretizer(strategy="mdl").fit(table, species)
    np.testing.assert_allclose(bins.cuts_["petal length (cm)"], [2.45, 4.75])  # WEKA's Discretize
    assert "Intervals of petal length (cm), by MDL" in str(bins.work())
    with pytest.raises(RefusalError, match="need a target of classes"):
        KBinsDiscretizer(strategy="mdl").fit(table)


def test_the_number_of_bins_is_that_of_the_lowest_error():
    # three steps: fewer than three bins of equal width mix them, and more than three gain nothing
    x = np.arange(90.0) + np.repeat([0, 100, 200], 30)
    y = np.repeat(["a", "b", "a"], 30)
    bins = KBinsDiscretizer("auto", "uniform").fit(x[:, None], y)
    assert bins.n_bins_.tolist() == [3]
    assert bins.errors_[0][1] == 0 < bins.errors_[0][0]
    numbers = KBinsDiscretizer("auto", "uniform").fit(x[:, None], np.repeat([1.0, 5.0, 1.0], 30))
    assert numbers.n_bins_.tolist() == [3]
    with pytest.raises(RefusalError, match="needs a target"):
        KBinsDiscretizer("auto").fit(x[:, None])
    with pytest.raises(ParameterError, match="cuts must be None or a list of numbers, ascending"):
        KBinsDiscretizer(cuts=[3, 2]).fit(x[:, None])
