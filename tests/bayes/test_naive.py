"""Naive Bayes by hand: missing, unseen, constant, single, huge; priors; and what it refuses."""

import math

import numpy as np
import pytest
import scipy.sparse as sp

from openbook import load, read
from openbook.bayes import Epsilon, Laplace, MEstimate, NaiveBayes, NoSmoothing
from openbook.errors import DataError, ParameterError, RefusalError, UnknownColumn

COLOURS = [{"colour": "red"}, {"colour": "blue"}, {"colour": None}, {"colour": "red"}, {"colour": "red"}]
LABELS = ["a", "a", "a", "b", "b"]


def normal(x, mean, variance):
    return math.exp(-((x - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)


# categories


def test_a_missing_cell_is_left_out_of_the_counts():
    model = NaiveBayes().fit(COLOURS, LABELS)
    assert model.likelihood("colour", "red", given="a") == pytest.approx((1 + 1) / (2 + 2))
    assert model.likelihood("colour", "red", given="b") == pytest.approx((2 + 1) / (2 + 2))
    assert model.prior_.tolist() == [0.6, 0.4]


def test_a_missing_cell_is_left_out_of_the_product():
    model = NaiveBayes().fit(COLOURS, LABELS)
    assert model.predict_proba([{"colour": None}])[0] == pytest.approx([0.6, 0.4])
    step = model.work({})["P(colour | class = a)"]
    assert (step.result, step.note) == (1, "missing: left out")


@pytest.mark.parametrize(
    ("smoothing", "unseen"),
    [
        (Laplace(1), 1 / (2 + 2)),
        (Laplace(0.5), 0.5 / (2 + 1)),
        (Epsilon(0.01), 0.01),
        (MEstimate(2), 2 * 0.5 / (2 + 2)),
        (MEstimate(2, 0.25), 2 * 0.25 / (2 + 2)),
    ],
)
def test_an_unseen_value_goes_through_the_smoothing(smoothing, unseen):
    model = NaiveBayes(smoothing=smoothing).fit(COLOURS, LABELS)
    assert model.likelihood("colour", "green", given="a") == pytest.approx(unseen)
    joint = model.predict_joint_log_proba([{"colour": "green"}])[0]
    assert np.exp(joint) == pytest.approx([0.6 * unseen, 0.4 * unseen])


def test_an_unseen_value_without_smoothing_is_left_out():
    model = NaiveBayes(smoothing=NoSmoothing()).fit(COLOURS, LABELS)
    assert model.predict_proba([{"colour": "green"}])[0] == pytest.approx([0.6, 0.4])
    step = model.work({"colour": "green"})["P(colour | class = a)"]
    assert step.note == "unseen in training, and no smoothing: left out"


def test_a_class_that_never_shows_the_column_finds_all_values_equally_likely():
    rows = [{"colour": None}, {"colour": "red"}, {"colour": "blue"}]
    for smoothing in (NoSmoothing(), Epsilon(1e-3), Laplace(1), MEstimate(3, 0.9)):
        model = NaiveBayes(smoothing=smoothing).fit(rows, ["a", "b", "b"])
        assert model.likelihood("colour", "red", given="a") == 0.5
        assert (
            model.work()["P(colour = red | class = a)"].note
            == "the attribute is missing in all rows of this class"
        )


def test_a_column_without_any_value_says_nothing():
    rows = [{"colour": None, "size": 1.0}, {"colour": None, "size": 2.0}, {"colour": None, "size": 5.0}]
    model = NaiveBayes(kinds={"colour": "nominal"}, variance="sample")
    with pytest.warns(UserWarning, match="size is constant among the rows of class b"):
        model.fit(rows, ["a", "a", "b"])
    plain, other = model.predict_proba([{"colour": None, "size": 2.0}, {"colour": "red", "size": 2.0}])
    assert other == pytest.approx(plain)
    assert model.work({"colour": "red"})["P(x | class = a)"].result == 1


def test_guesses_by_class_column_and_value():
    guesses = {
        "a": {"colour": {"red": 0.9, "blue": 0.1}},
        "b": {"colour": {"red": 0.5, "blue": 0.5}},
    }
    model = NaiveBayes(smoothing=MEstimate(2, guesses)).fit(COLOURS, LABELS)
    assert model.likelihood("colour", "red", given="a") == pytest.approx((1 + 2 * 0.9) / (2 + 2))
    assert model.likelihood("colour", "blue", given="b") == pytest.approx((0 + 2 * 0.5) / (2 + 2))
    numbered = NaiveBayes(smoothing=MEstimate(2, {0: 0.25, 1: 0.75})).fit(COLOURS, [0, 0, 0, 1, 1])
    assert numbered.likelihood("colour", "red", given=1) == pytest.approx((2 + 2 * 0.75) / (2 + 2))


# numbers


def test_numbers_with_gaps():
    model = NaiveBayes().fit([[1.0], [3.0], [np.nan], [10.0], [14.0]], LABELS)
    assert model.likelihood("x0", 2.5, given="a") == pytest.approx(normal(2.5, 2, 1))
    assert model.likelihood("x0", 2.5, given="b") == pytest.approx(normal(2.5, 12, 4))
    sample = NaiveBayes(variance="sample").fit([[1.0], [3.0], [np.nan], [10.0], [14.0]], LABELS)
    assert sample.likelihood("x0", 2.5, given="a") == pytest.approx(normal(2.5, 2, 2))


def test_a_class_without_variance_borrows_a_billionth_and_says_so():
    with pytest.warns(
        UserWarning, match="x0 is constant among the rows of class a; 1e-09 of its overall variance"
    ):
        model = NaiveBayes().fit([[5.0], [5.0], [5.0], [1.0], [9.0]], LABELS)
    overall = np.var([5, 5, 5, 1, 9])
    assert model.likelihood("x0", 5.0, given="a") == pytest.approx(normal(5, 5, 1e-9 * overall))
    assert "1e-09 of the overall variance" in model.work([5.0])["p(x0 = 5 | class = a)"].note
    assert model.notes_ == ["x0 is constant among the rows of class a; 1e-09 of its overall variance is used"]


def test_a_single_row_has_no_sample_variance():
    with pytest.warns(UserWarning, match="x0 is constant among the rows of class b"):
        model = NaiveBayes(variance="sample").fit([[1.0], [2.0], [4.0]], ["a", "a", "b"])
    overall = np.var([1, 2, 4])
    assert model.likelihood("x0", 4.0, given="b") == pytest.approx(normal(4, 4, 1e-9 * overall))


def test_a_class_without_known_numbers_takes_those_of_all():
    with pytest.warns(
        UserWarning, match="x0 is always missing in class a; its overall mean and variance are used"
    ):
        model = NaiveBayes().fit([[np.nan], [np.nan], [np.nan], [1.0], [9.0]], LABELS)
    assert model.likelihood("x0", 2.0, given="a") == pytest.approx(normal(2, 5, 16))


@pytest.mark.parametrize("distribution", ["gaussian", "kernel"])
def test_a_constant_column_is_left_out(distribution):
    rows = [[5.0, 1.0], [5.0, 2.0], [5.0, 4.0], [5.0, 7.0], [np.nan, 9.0]]
    with pytest.warns(UserWarning, match="x0 is constant in training and is left out"):
        model = NaiveBayes(distributions=distribution).fit(rows, LABELS)
    alone = NaiveBayes(distributions=distribution).fit([[row[1]] for row in rows], LABELS)
    for value in (5.0, 6.0, 1e300, np.inf):
        proba = model.predict_proba([[value, 3.0]])[0]
        assert proba == pytest.approx(alone.predict_proba([[3.0]])[0])
    assert model.work([6.0, 3.0])["P(x0 | class = a)"].note == "constant in training: left out"


def test_a_column_of_gaps_is_left_out():
    with pytest.warns(UserWarning, match="x0 is constant in training and is left out"):
        model = NaiveBayes().fit([[np.nan, 1.0], [np.nan, 2.0], [np.nan, 4.0], [np.nan, 9.0]], [0, 0, 1, 1])
    assert np.isfinite(model.predict_proba([[3.0, 2.0]])).all()


@pytest.mark.parametrize("distribution", ["gaussian", "kernel"])
@pytest.mark.parametrize("value", [1e200, -1e308, np.inf, -np.inf])
def test_a_number_beyond_all_density_leaves_the_prior(distribution, value):
    model = NaiveBayes(distributions=distribution).fit([[1.0], [2.0], [3.0], [5.0], [9.0]], LABELS)
    assert model.predict_proba([[value]])[0] == pytest.approx([0.6, 0.4])
    assert "the prior decides: class = a" in model.work([value]).conclusion


def test_numbers_far_from_all_others_are_still_told_apart():
    """Their densities are zero as numbers, and their logarithms are not."""
    model = NaiveBayes().fit([[0.0], [1.0], [10.0], [11.0]], ["a", "a", "b", "b"])
    assert model.predict([[-500.0], [900.0]]).tolist() == ["a", "b"]
    work = model.work([900.0])
    assert work["P(x | class = a)"].result == 0
    assert work["P(x | class = a)"].note == "too small to represent; its logarithm is used"
    assert work["P(class = b | x)"].result == pytest.approx(1)
    logs = model.predict_log_proba([[900.0]])[0]
    by_hand = math.log(0.5 * 1) - (900 - 0.5) ** 2 / 0.5 + (900 - 10.5) ** 2 / 0.5 - math.log(0.5)
    assert logs[0] == pytest.approx(by_hand)
    assert logs[1] == 0


@pytest.mark.parametrize("scale", [1e-100, 1e100])
@pytest.mark.parametrize("distribution", ["gaussian", "kernel"])
def test_the_unit_does_not_matter(distribution, scale):
    rows = np.array([[1.0], [2.0], [3.0], [5.0], [9.0]])
    plain, scaled = (NaiveBayes(distributions=distribution).fit(X, LABELS) for X in (rows, rows * scale))
    assert scaled.predict_proba(rows * scale) == pytest.approx(plain.predict_proba(rows))


def test_numbers_too_small_to_be_squared_do_not_vary():
    with pytest.warns(UserWarning, match="x0 is constant in training and is left out"):
        model = NaiveBayes().fit([[1e-160], [2e-160], [3e-160], [5e-160], [9e-160]], LABELS)
    assert model.predict_proba([[2e-160]])[0] == pytest.approx([0.6, 0.4])


def test_a_class_that_varies_by_next_to_nothing_does_not_vary():
    with pytest.warns(UserWarning, match="x0 is constant among the rows of class a"):
        model = NaiveBayes().fit([[0.0], [1e-155], [1.0], [2.0]], ["a", "a", "b", "b"])
    overall = np.var([0, 0, 1, 2])
    assert model.likelihood("x0", 0.0, given="a") == pytest.approx(normal(0, 0, 1e-9 * overall))
    assert model.predict([[0.0], [1.5]]).tolist() == ["a", "b"]


def test_densities_by_hand():
    model = NaiveBayes(distributions="kernel").fit([[1.0], [3.0], [np.nan], [10.0], [14.0]], LABELS)
    h = math.sqrt(2) * 2**-0.2  # the sample deviation of 1 and 3, times W^(-1/5)
    density = (normal(2.5, 1, h * h) + normal(2.5, 3, h * h)) / 2
    assert model.likelihood("x0", 2.5, given="a") == pytest.approx(density)
    assert model.work()["h given class = a"].result == pytest.approx(h)


def test_a_density_without_deviation_takes_that_of_all():
    with pytest.warns(UserWarning, match="x0 is constant in class a; its overall standard deviation is used"):
        model = NaiveBayes(distributions="kernel").fit([[5.0], [5.0], [5.0], [1.0], [9.0]], LABELS)
    h = np.std([5, 5, 5, 1, 9], ddof=1) * 3**-0.2
    assert model.likelihood("x0", 4.0, given="a") == pytest.approx(normal(4, 5, h * h))


# events


def test_bernoulli_counts_what_did_not_happen():
    rows = [[1, 0], [2, 0], [np.nan, 3], [0, 0], [0, 5]]
    model = NaiveBayes(distributions="bernoulli").fit(rows, LABELS)
    assert model.likelihood("x0", 1, given="a") == pytest.approx((2 + 1) / (2 + 2))
    assert model.likelihood("x0", 0, given="a") == pytest.approx((0 + 1) / (2 + 2))
    assert model.likelihood("x1", 7, given="a") == pytest.approx((1 + 1) / (3 + 2))
    joint = model.predict_joint_log_proba([[0, np.nan]])[0]
    assert np.exp(joint) == pytest.approx([0.6 * 1 / 4, 0.4 * 3 / 4])


def test_bernoulli_of_two_values():
    table = read([{"wet": "no"}, {"wet": "yes"}, {"wet": None}, {"wet": "no"}, {"wet": "no"}])
    model = NaiveBayes(distributions={"wet": "bernoulli"}).fit(table, LABELS)
    assert model.likelihood("wet", "yes", given="a") == pytest.approx(2 / 4)
    assert model.likelihood("wet", "yes", given="b") == pytest.approx(1 / 4)
    assert model.predict_proba([{"wet": "perhaps"}])[0] == pytest.approx([0.6, 0.4])


def test_a_cell_stored_in_parts_is_one_event():
    parts = sp.csr_array((np.ones(3), np.array([0, 0, 1]), np.array([0, 2, 3])), shape=(2, 2))
    whole = sp.csr_array(parts.toarray())
    for distribution in ("bernoulli", "multinomial"):
        a, b = (NaiveBayes(distributions=distribution).fit(X, [0, 1]) for X in (parts, whole))
        np.testing.assert_allclose(a.predict_proba(parts), b.predict_proba(whole), rtol=1e-14)
    assert parts.nnz == 3  # what was given is left as it was


@pytest.mark.parametrize("smoothing", [NoSmoothing(), Laplace(1)])
@pytest.mark.parametrize("distribution", ["bernoulli", "multinomial"])
@pytest.mark.parametrize("n_classes", [1, 2, 3, 4, 5])
def test_sparse_rows_equal_dense_ones(distribution, smoothing, n_classes):
    rng = np.random.default_rng(3)
    X, y = rng.poisson(0.4, (60, 7)).astype(float), rng.integers(0, n_classes, 60)
    X[:, 2] = np.where(y == 1, 0, X[:, 2])  # an event that a class never shows
    dense, sparse = (
        NaiveBayes(smoothing=smoothing, distributions=distribution).fit(form(X), y)
        for form in (np.asarray, sp.csr_array)
    )
    np.testing.assert_allclose(
        sparse.predict_joint_log_proba(sp.csr_array(X)), dense.predict_joint_log_proba(X), rtol=1e-11
    )
    np.testing.assert_allclose(
        sparse.predict_proba(sp.csr_array(X)), dense.predict_proba(X), rtol=1e-9, atol=1e-14
    )
    assert sparse.work(X[4]).text() == dense.work(X[4]).text()


def test_a_missing_count_is_no_event():
    for form in (np.asarray, sp.csr_array):
        X = np.array([[1.0, np.nan], [2.0, 1.0], [0.0, 3.0]])
        model = NaiveBayes(distributions="multinomial").fit(form(X), ["a", "a", "b"])
        assert model.likelihood("x0", 1, given="a") == pytest.approx((3 + 1) / (4 + 2))
        joint = model.predict_joint_log_proba(form(np.array([[2.0, np.nan]])))[0]
        assert np.exp(joint) == pytest.approx([2 / 3 * (4 / 6) ** 2, 1 / 3 * (1 / 5) ** 2])


def test_counts_are_not_negative():
    for form in (np.asarray, sp.csr_array):
        for distribution in ("multinomial", "bernoulli"):
            learner = NaiveBayes(distributions=distribution)
            message = f"column 'x1' holds -2, but {distribution} columns count events, none below 0"
            with pytest.raises(DataError, match=message):
                learner.fit(form(np.array([[1.0, 3.0], [0.0, -2.0]])), [0, 1])
            model = learner.fit(form(np.array([[1.0, 3.0], [0.0, 2.0]])), [0, 1])
            with pytest.raises(DataError, match=message):
                model.predict(form(np.array([[1.0, -2.0]])))
            with pytest.raises(DataError, match=message):
                model.work(np.array([[1.0, -2.0]]))


def test_sparse_bernoulli_rows_have_no_gaps():
    with pytest.raises(
        DataError, match=r"column 'x1' has missing cells; sparse bernoulli columns can have none"
    ):
        NaiveBayes(distributions="bernoulli").fit(sp.csr_array(np.array([[1.0, np.nan], [0.0, 1.0]])), [0, 1])


# priors


@pytest.mark.parametrize(
    "priors", [[0.25, 0.75], (0.25, 0.75), np.array([0.25, 0.75]), {"b": 0.75, "a": 0.25}]
)
def test_priors_may_be_given(priors):
    model = NaiveBayes(priors=priors).fit(COLOURS, LABELS)
    assert model.prior_.tolist() == [0.25, 0.75]
    step = model.work({})["P(class = b)"]
    assert (step.result, step.note) == (0.75, "given")
    assert model.predict([{"colour": None}])[0] == "b"


@pytest.mark.parametrize(
    ("priors", "message"),
    [
        ([0.5], "priors: 2 classes, but 1 numbers"),
        ([0.5, 0.6], r"priors must not be negative and must sum to 1, got \[0\.5, 0\.6\] \(sum 1\.1\)"),
        ([-0.5, 1.5], "priors must not be negative"),
        ([np.nan, 1.0], "priors must not be negative and must sum to 1"),
        ({"a": 0.5, "c": 0.5}, "priors do not include class 'b'"),
        ("uniform", "priors must be None, a sequence or a mapping of class to probability, got 'uniform'"),
        (0.5, "priors: 2 classes, but 1 numbers"),
    ],
)
def test_bad_priors(priors, message):
    with pytest.raises(ParameterError, match=message):
        NaiveBayes(priors=priors).fit(COLOURS, LABELS)


def test_ties_go_to_the_class_that_comes_first():
    model = NaiveBayes().fit([[1.0], [2.0], [1.0], [2.0]], ["b", "b", "a", "a"])
    assert model.predict([[1.5], [np.nan]]).tolist() == ["a", "a"]


# what it refuses


@pytest.mark.parametrize(
    ("smoothing", "message"),
    [
        (lambda: Laplace(0), r"Laplace: alpha must be a number above 0, got 0; for none, NoSmoothing\(\)"),
        (lambda: Laplace(math.nan), "alpha must be a number above 0, got nan"),
        (lambda: Laplace(math.inf), "alpha must be a number above 0, got inf"),
        (lambda: Epsilon(0), "Epsilon: eps must be a number above 0, got 0"),
        (lambda: Epsilon(math.inf), "Epsilon: eps must be a number above 0, got inf"),
        (lambda: MEstimate(0), r"MEstimate: m must be a number above 0, got 0; for none, NoSmoothing\(\)"),
        (lambda: MEstimate(math.inf), "m must be a number above 0, got inf"),
    ],
)
def test_smoothing_needs_a_number(smoothing, message):
    with pytest.raises(ParameterError, match=message):
        smoothing()


@pytest.mark.parametrize(
    ("p", "message"),
    [
        (1.5, "MEstimate: p must lie between 0 and 1, got 1.5"),
        ({"a": 0.5}, "MEstimate: p does not include 'b'"),
        ({"a": {"color": {}}, "b": 0.5}, r"p does not include 'colour'\. Did you mean 'color'"),
        (
            {"a": {"colour": {"red": 1.0}}, "b": 0.5},
            r"MEstimate: p\['a'\]\['colour'\] lacks the values \['blue'\]",
        ),
    ],
)
def test_guesses_must_cover_what_they_are_for(p, message):
    with pytest.raises(ParameterError, match=message):
        NaiveBayes(smoothing=MEstimate(1, p)).fit(COLOURS, LABELS)


@pytest.mark.parametrize(
    ("distributions", "message"),
    [
        ("normal", "distributions cannot be 'normal'"),
        ({"colour": "categorial"}, r"distributions cannot be 'categorial'\. Did you mean 'categorical'"),
        ({"color": "categorical"}, r"no column 'color'\. Did you mean 'colour'"),
        ({"colour": "gaussian"}, "column 'colour' is nominal; gaussian needs numbers"),
        (7, "distributions must be None, a distribution, or a mapping of column to distribution, got 7"),
        (["gaussian"], r"distributions must be .*, got \['gaussian'\]"),
    ],
)
def test_bad_distributions(distributions, message):
    learner = NaiveBayes(distributions=distributions)
    with pytest.raises(RefusalError, match=f"NaiveBayes cannot use these columns: {message}"):
        learner.fit(COLOURS, LABELS)
    assert message.split(r"\.")[0].split(".*")[0] in learner.refusal(read(COLOURS).schema)


def test_a_likelihood_of_nothing_known():
    model = NaiveBayes().fit(COLOURS, LABELS)
    with pytest.raises(DataError, match=r"no class 'c'[.] There are: a, b"):
        model.likelihood("colour", "red", given="c")
    with pytest.raises(UnknownColumn, match=r"no column 'color'\. Did you mean 'colour'"):
        model.likelihood("color", "red", given="a")


def test_numbers_of_parameters():
    X, y = load("weather").split("play")
    # one prior; for each of two classes outlook 2, temperature 2, humidity 1, windy 1 free numbers
    assert NaiveBayes().fit(X, y).complexity() == 1 + 2 * (2 + 2 + 1 + 1)
    assert NaiveBayes().fit([[1.0], [2.0], [3.0], [5.0]], [0, 0, 1, 1]).complexity() == 1 + 2 * 2


def test_a_long_product_is_abbreviated():
    X, y = load("iris").split("species")
    wide = np.hstack([X.block(X.names)] * 3)
    with pytest.warns(UserWarning, match="x0 and x4 carry the same information"):
        work = NaiveBayes().fit(wide, y.data).work(wide[0])
    step = work["P(x | class = 0)"]
    assert step.numbers.count(r"\times") == 8
    assert r"\dots" in step.numbers
