"""Distributions: hand-worked values, missing values, and every refusal; scipy is asked in tests/laws."""

import math

import numpy as np
import pytest
from scipy import stats

from openbook.errors import ParameterError
from openbook.measures import Bernoulli, Binomial, Categorical, Gaussian, Multinomial, MultivariateGaussian


def refusal(match):
    return pytest.raises(ParameterError, match=match)


class TestBernoulli:
    def test_pmf(self):
        assert Bernoulli(0.25).pmf([1, 0, 2, 0.5, -1]) == pytest.approx([0.25, 0.75, 0, 0, 0])
        assert math.isnan(Bernoulli(0.25).pmf(math.nan))
        assert isinstance(Bernoulli(0.25).pmf(1), float)

    def test_certain(self):
        assert Bernoulli(1).log_pmf([1, 0]).tolist() == [0, -math.inf]
        assert Bernoulli(0).pmf([1, 0]).tolist() == [0, 1]

    def test_fit_leaves_missing_out(self):
        assert Bernoulli.fit([1, math.nan, 0, 1, 1]).p == 0.75

    def test_map(self):
        # Three of three, Beta(2, 3): (3 + 1) / (3 + 3).
        assert Bernoulli.fit_map([1, 1, 1], alpha=2, beta=3).p == pytest.approx(4 / 6)
        assert Bernoulli.fit_map([], alpha=2, beta=2).p == 0.5

    def test_moments(self):
        assert (Bernoulli(0.25).mean, Bernoulli(0.25).variance) == (0.25, 0.1875)

    def test_refusals(self):
        with refusal("p must be a probability, from 0 to 1, got 1.5"):
            Bernoulli(1.5)
        with refusal("p must be a probability, from 0 to 1, got nan"):
            Bernoulli(math.nan)
        with refusal("successes must be whole numbers from 0 to 1, got 2"):
            Bernoulli.fit([0, 1, 2])
        with refusal("nothing to fit: no data, and a flat prior"):
            Bernoulli.fit([math.nan])
        with refusal(r"finite parameters of at least 1, .* got \[0.5, 2\]"):
            Bernoulli.fit_map([1], alpha=0.5, beta=2)


class TestBinomial:
    def test_pmf(self):
        assert Binomial(4, 0.5).pmf([0, 1, 2, 5]) == pytest.approx([1 / 16, 4 / 16, 6 / 16, 0])

    def test_many_trials_stay_finite_as_logarithms(self):
        assert Binomial(10_000, 0.5).log_pmf(0) == pytest.approx(10_000 * math.log(0.5))

    def test_fit(self):
        assert Binomial.fit([1, 3, math.nan], n=4) == Binomial(4, 0.5)
        # 4 of 8, Beta(3, 1): (4 + 2) / (8 + 2).
        assert Binomial.fit_map([1, 3], 4, alpha=3, beta=1).p == pytest.approx(0.6)

    def test_moments(self):
        assert (Binomial(4, 0.25).mean, Binomial(4, 0.25).variance) == (1, 0.75)

    def test_refusals(self):
        with refusal("n must be a whole number of trials, 0 or more, got -1"):
            Binomial(-1, 0.5)
        with refusal("n must be a whole number of trials, 0 or more, got 2.5"):
            Binomial.fit([1], n=2.5)
        with refusal("whole numbers from 0 to 4, got 1.5"):
            Binomial.fit([1.5], n=4)


class TestCategorical:
    def test_pmf(self):
        colour = Categorical(("red", "blue"), (1.0, 0.0))
        assert colour.pmf(["red", "blue", "green"]).tolist() == [1, 0, 0]
        assert math.isnan(colour.pmf(None))
        assert colour.log_pmf("blue") == -math.inf

    def test_fit(self):
        assert Categorical.fit(["b", "a", "b", None, "b"]) == Categorical(("b", "a"), (0.75, 0.25))
        assert Categorical.fit(["b"], values=["a", "b"]).p == (0, 1)
        assert Categorical.fit(np.array([1.0, 2.0, math.nan, 2.0, 2.0])).p == (0.25, 0.75)

    def test_map(self):
        # Counts 2, 1, 0 and Dirichlet(2): (2 + 1, 1 + 1, 0 + 1) / 6.
        fitted = Categorical.fit_map(["a", "a", "b"], ["a", "b", "c"], alpha=2)
        assert fitted.p == pytest.approx((3 / 6, 2 / 6, 1 / 6))
        skewed = Categorical.fit_map(["a", "a", "b"], ["a", "b", "c"], alpha=[1, 1, 3])
        assert skewed.p == pytest.approx((2 / 5, 1 / 5, 2 / 5))

    def test_moments(self):
        assert Categorical(("a", "b"), (0.25, 0.75)).mean.tolist() == [0.25, 0.75]
        assert Categorical(("a", "b"), (0.25, 0.75)).variance.tolist() == [0.1875, 0.1875]

    def test_refusals(self):
        with refusal(r"probabilities must sum to one, got \[0.5, 0.4\]"):
            Categorical(("a", "b"), (0.5, 0.4))
        with refusal("needs a value of its own"):
            Categorical(("a",), (0.5, 0.5))
        with refusal("needs a value of its own"):
            Categorical(("a", "a"), (0.5, 0.5))
        with refusal(r"the value 'rde' is not listed\. Did you mean 'red'\?"):
            Categorical.fit(["rde"], values=["red", "blue"])
        with refusal("finite parameters of at least 1, one for all or one per value"):
            Categorical.fit_map(["a", "b"], alpha=[1, 2, 3])
        with refusal("nothing to fit"):
            Categorical.fit([None])


class TestMultinomial:
    def test_pmf(self):
        dice = Multinomial(2, (0.5, 0.25, 0.25))
        # 2!/(1! 1!) 0.5 0.25; 2!/2! 0.5²; then a wrong total and a fraction.
        assert dice.pmf([[1, 1, 0], [2, 0, 0], [1, 1, 1], [1.5, 0.5, 0]]) == pytest.approx([0.25, 0.25, 0, 0])
        assert math.isnan(dice.pmf([1, math.nan, 1]))

    def test_fit(self):
        assert Multinomial.fit([[1, 1], [2, 0], [math.nan, 2]]) == Multinomial(2, (0.75, 0.25))
        assert Multinomial.fit_map([[2, 0]], alpha=2).p == (0.75, 0.25)

    def test_moments(self):
        assert Multinomial(4, (0.25, 0.75)).mean.tolist() == [1, 3]
        assert Multinomial(4, (0.25, 0.75)).variance.tolist() == [0.75, 0.75]

    def test_refusals(self):
        with refusal(r"hold 2 counts in its last axis, got the shape \(3,\)"):
            Multinomial(2, (0.5, 0.5)).pmf([1, 1, 0])
        with refusal(r"whole counts that sum to 2, as the first does; got \[1.0, 2.0\]"):
            Multinomial.fit([[1, 1], [1, 2]])
        with refusal("no complete row"):
            Multinomial.fit([[math.nan, 1]])
        with refusal("n must be a whole number"):
            Multinomial(-1, (1.0,))


class TestGaussian:
    def test_fit(self):
        assert Gaussian.fit([1, 2, math.nan, 6]) == Gaussian(3.0, 14 / 3)
        assert Gaussian.fit([1, 2, 6], variance="sample") == Gaussian(3.0, 7.0)

    def test_a_large_offset_does_not_spoil_the_variance(self):
        assert Gaussian.fit([1e9 + 1, 1e9 + 2, 1e9 + 3], "sample").variance == 1

    def test_log_density_far_out(self):
        assert Gaussian(0, 1).pdf(60) == 0
        assert Gaussian(0, 1).log_pdf(60) == pytest.approx(-1800 - 0.5 * math.log(2 * math.pi))

    def test_missing(self):
        assert math.isnan(Gaussian(0, 1).pdf(math.nan))

    def test_map_of_the_mean_with_known_variance(self):
        # σ² = 4, prior N(10, 2²): κ = 1, so the mean of 10, 1, 2 and 3.
        assert Gaussian.fit_map([1, 2, 3], mean=10, strength=1, alpha=1, beta=1).mean == 4

    def test_refusals(self):
        with refusal("the variance must be finite and above 0, got 0"):
            Gaussian(1, 0)
        with refusal("the mean must be finite, got inf"):
            Gaussian(math.inf, 1)
        with refusal("the 3 known numbers are all 0.1; a Gaussian needs some spread"):
            Gaussian.fit([0.1, 0.1, 0.1, math.nan])
        with refusal("no known number"):
            Gaussian.fit([math.nan])
        with refusal("variance must be 'mle' or 'sample', got 'n-1'"):
            Gaussian.fit([1, 2], variance="n-1")
        with refusal("the prior's beta must be finite and above 0, got 0"):
            Gaussian.fit_map([1, 2], mean=0, strength=1, alpha=1, beta=0)
        with refusal("x must be numbers"):
            Gaussian.fit(["tall"])


class TestMultivariateGaussian:
    def test_fit(self):
        x = [[0, 0], [2, 2], [4, 1], [math.nan, 9]]
        fitted = MultivariateGaussian.fit(x)
        assert fitted.mean.tolist() == [2, 1]
        assert fitted.covariance == pytest.approx(np.array([[8, 2], [2, 2]]) / 3)
        assert MultivariateGaussian.fit(x, "sample").covariance.tolist() == [[4, 1], [1, 1]]
        assert fitted.variance == pytest.approx([8 / 3, 2 / 3])

    def test_one_dimension_is_the_gaussian(self):
        prior = {"mean": 1.0, "strength": 2.0}
        one = Gaussian.fit_map([3, 4, 8], **prior, alpha=3, beta=5)
        # The inverse-Wishart of dof ν and scale ψ is, in one dimension, the inverse-gamma of ν/2 and ψ/2.
        many = MultivariateGaussian.fit_map([[3], [4], [8]], **prior, dof=6, scale=[[10]])
        assert many.mean[0] == pytest.approx(one.mean)
        assert many.covariance[0, 0] == pytest.approx(one.variance)

    def test_missing(self):
        densities = MultivariateGaussian([0, 0], np.eye(2)).pdf([[0, math.nan], [0, 0]])
        assert math.isnan(densities[0])
        assert densities[1] == pytest.approx(1 / (2 * math.pi))

    def test_units_do_not_make_a_covariance_singular(self):
        assert MultivariateGaussian([0, 0], [[1e-20, 0], [0, 1e20]]).pdf([0, 0]) == pytest.approx(
            1 / (2 * math.pi)
        )

    def test_refusals(self):
        with refusal("number 1 of the vector does not vary"):
            MultivariateGaussian.fit([[1, 5], [2, 5], [4, 5]])
        with refusal("not positive definite: there are too few rows, or one number follows from others"):
            MultivariateGaussian.fit([[1, 2], [2, 4], [5, 10]])
        with refusal("finite and symmetric"):
            MultivariateGaussian([0, 0], [[1, 0.5], [0, 1]])
        with refusal("not positive definite"):
            MultivariateGaussian([0, 0], [[1, 2], [2, 1]])
        with refusal(r"shapes must be \(d,\) and \(d, d\), got \(2,\) and \(3, 3\)"):
            MultivariateGaussian([0, 0], np.eye(3))
        with refusal("the mean must be finite"):
            MultivariateGaussian([0, math.nan], np.eye(2))
        with refusal(r"x must hold 2 numbers in its last axis, got the shape \(3, 1\)"):
            MultivariateGaussian([0, 0], np.eye(2)).pdf([[1], [2], [3]])
        with refusal(r"x must have the shape \(n_rows, d\), got \(3,\)"):
            MultivariateGaussian.fit([1, 2, 3])
        with refusal("no complete row"):
            MultivariateGaussian.fit([[math.nan, 1]])
        with refusal("the sample variance needs two observations, got one"):
            MultivariateGaussian.fit([[1, 2]], variance="sample")
        with refusal("dof must be finite and above d - 1 = 1, got 1"):
            MultivariateGaussian.fit_map([[1, 2]], mean=[0, 0], strength=1, dof=1, scale=np.eye(2))
        with refusal("the prior's strength must be finite and above 0, got 0"):
            MultivariateGaussian.fit_map([[1, 2]], mean=[0, 0], strength=0, dof=3, scale=np.eye(2))


class TestCumulative:
    """Cumulative probabilities, intervals and expectations: by hand, or by scipy."""

    def test_discrete_by_hand(self):
        # 1/8, 3/8, 3/8, 1/8
        assert Binomial(3, 0.5).cdf([-1, 0, 1, 1.5, 3, 9]) == pytest.approx([0, 1 / 8, 1 / 2, 1 / 2, 1, 1])
        assert math.isnan(Binomial(3, 0.5).cdf(math.nan))
        assert Binomial(3, 0.5).quantile([0, 0.125, 0.126, 1]) == [0, 0, 1, 3]
        assert Bernoulli(0.75).cdf([0, 1]).tolist() == [0.25, 1]
        assert Bernoulli(0).quantile(1) == 0

    def test_binomial_as_scipy(self):
        ours, theirs = Binomial(40, 0.3), stats.binom(40, 0.3)
        assert ours.cdf(np.arange(41)) == pytest.approx(theirs.cdf(np.arange(41)), abs=1e-12)
        assert ours.interval(0.9) == theirs.interval(0.9)

    def test_categories_in_their_order(self):
        rating = Categorical(("low", "mid", "high"), (0.25, 0.5, 0.25))
        assert rating.cdf(["low", "mid", "high"]).tolist() == [0.25, 0.75, 1]
        assert math.isnan(rating.cdf(None))
        assert rating.interval(0.5) == ("low", "mid")
        assert rating.interval(0.9) == ("low", "high")
        assert rating.expectation({"low": 1, "mid": 2, "high": 6}.__getitem__) == pytest.approx(2.75)
        with refusal("'height' is not listed, so it has no place in the order. Did you mean 'high'"):
            rating.cdf("height")

    def test_multinomial_by_counting(self):
        # of 27 equally likely ways to draw 3 of 3: no value more than once in 6, none more than twice in 24
        thirds = Multinomial(3, (1 / 3, 1 / 3, 1 / 3))
        assert thirds.cdf([[1, 1, 1], [2, 2, 2], [3, 3, 3], [-1, 3, 3]]) == pytest.approx(
            [6 / 27, 24 / 27, 1, 0]
        )
        assert math.isnan(thirds.cdf([1, math.nan, 1]))
        # the products of two counts: n (n - 1) p q
        assert thirds.expectation(lambda x: x[0] * x[1]) == pytest.approx(6 / 9)
        assert thirds.interval(0.5) == ([0, 0, 0], [2, 2, 2])

    def test_gaussian(self):
        income = Gaussian(110, 400)
        assert income.cdf([110, 130, math.nan]) == pytest.approx(
            [0.5, stats.norm.cdf(1), math.nan], nan_ok=True
        )
        assert income.interval() == pytest.approx((110 - 20 * 1.959964, 110 + 20 * 1.959964))
        assert income.expectation(lambda x: x**2) == pytest.approx(110**2 + 400)
        assert income.expectation(lambda x: float(x > 130)) == pytest.approx(1 - stats.norm.cdf(1), abs=1e-7)

    def test_gaussian_of_vectors(self):
        pair = MultivariateGaussian([1, 2], [[4, 1], [1, 9]])
        # the orthant probability 1/4 + arcsin(ρ) / 2π, with ρ = 1/6
        assert pair.cdf([1, 2]) == pytest.approx(0.25 + math.asin(1 / 6) / (2 * math.pi), abs=1e-6)
        low, high = pair.interval(0.95)
        assert low == pytest.approx([1 - 2 * 1.959964, 2 - 3 * 1.959964])
        assert high == pytest.approx([1 + 2 * 1.959964, 2 + 3 * 1.959964])
        assert pair.expectation(lambda x: x[0] * x[1]) == pytest.approx(1 + 2)

    def test_refusals(self):
        with refusal("level must lie between 0 and 1, got 95"):
            Gaussian(0, 1).interval(95)
        with refusal("q must be a probability, from 0 to 1, got 2"):
            Binomial(3, 0.5).quantile(2)
        with refusal("rows of counts are possible; average the function over sample"):
            Multinomial(200, (0.2,) * 5).expectation(sum)
        with refusal("5 columns are too many to integrate over"):
            MultivariateGaussian(np.zeros(5), np.eye(5)).expectation(sum)


@pytest.mark.parametrize(
    ("distribution", "mean"),
    [
        (Bernoulli(0.3), 0.3),
        (Binomial(10, 0.3), 3.0),
        (Gaussian(5, 4), 5.0),
        (Categorical((1, 2, 7), (0.5, 0.25, 0.25)), 2.75),
        (Multinomial(4, (0.75, 0.25)), [3.0, 1.0]),
        (MultivariateGaussian([1, -1], [[2, 1], [1, 2]]), [1.0, -1.0]),
    ],
    ids=lambda given: type(given).__name__,
)
def test_samples(distribution, mean):
    drawn = np.asarray(distribution.sample(4000, random_state=3), dtype=float)
    assert drawn.mean(axis=0) == pytest.approx(np.array(mean), abs=0.16)
    assert (drawn == np.asarray(distribution.sample(4000, random_state=3), dtype=float)).all()


class TestRecipe:
    """Objective, derivative, zero, solution, second derivative."""

    def test_bernoulli(self):
        work = Bernoulli.work([1, 0, 1, 1, math.nan])
        assert work["4. solved for p"].result == 0.75
        # 3 over the square of 3/4, and 1 over that of 1/4
        assert work["5. second derivative"].result == pytest.approx(-16 / 3 - 16)

    def test_at_the_end_of_the_range(self):
        assert "rises all the way to p = 1" in Bernoulli.work([1, 1])["3. set to zero"].note
        assert "p is 0, at the end of the range" in Binomial.work([0, 0], 3).conclusion

    def test_binomial(self):
        work = Binomial.work([2, 1, 3], 4)
        assert work["4. solved for p"].numbers == r"\frac{6}{6 + 6}"
        assert work["5. second derivative"].result == pytest.approx(-48)

    def test_categorical_with_the_lagrangian(self):
        work = Categorical.work(["a", "b", "a", "a"], ["a", "b", "c"])
        assert work["   λ"].result == 4
        assert [work[f"4. p of {value}"].result for value in "abc"] == [0.75, 0.25, 0]
        # -N_v / p_v² = -N² / N_v
        assert work["second derivatives at the solution"].rows == (("a", -16 / 3), ("b", -16.0))
        assert "c: never seen" in work.conclusion

    def test_multinomial(self):
        assert Multinomial.work([[2, 1, 1], [0, 3, 1]])["4. p of value 2"].result == 0.5

    def test_gaussian(self):
        work = Gaussian.work([1, 2, 3], variance="sample")
        assert work["4. solved for μ"].result == 2
        assert work["4. solved for σ²"].result == pytest.approx(2 / 3)
        assert work["5. second derivative by μ"].result == pytest.approx(-4.5)
        assert work["5. second derivative by σ²"].result == pytest.approx(-3 / (2 * 4 / 9))
        assert work["sample variance"].result == 1

    def test_the_derivatives_are_right(self):
        """Numerically, from the log-likelihood itself."""
        x, p, h = [1, 0, 1, 1], 0.75, 1e-4
        ll = [sum(Bernoulli(q).log_pmf(x)) for q in (p - h, p, p + h)]
        assert (ll[2] - ll[0]) / (2 * h) == pytest.approx(0, abs=1e-5)
        second = Bernoulli.work(x)["5. second derivative"].result
        assert (ll[2] - 2 * ll[1] + ll[0]) / h**2 == pytest.approx(second, rel=1e-4)

    def test_nothing_to_derive(self):
        with refusal("nothing to fit: no known value"):
            Bernoulli.work([math.nan])
        with refusal("nothing to fit: no known value"):
            Categorical.work([], ["a"])
        with refusal("a Gaussian needs some spread"):
            Gaussian.work([2, 2])
