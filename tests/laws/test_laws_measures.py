"""Laws of the measures: properties that hold for any counts, and agreement with scipy and scikit-learn."""

import math

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from scipy import stats
from sklearn.metrics import mutual_info_score

from openbook.measures import (
    Bernoulli,
    Binomial,
    Categorical,
    Gaussian,
    Joint,
    Multinomial,
    MultivariateGaussian,
    bayes,
    chi_squared,
    entropy,
    expected_risk,
    gain_ratio,
    gini,
    information_gain,
    mutual_information,
    pointwise_mutual_information,
    risk_threshold,
    split_information,
)

CLOSE = {"rel": 1e-9, "abs": 1e-9}

vectors = st.lists(st.integers(0, 1000), min_size=1, max_size=8).filter(any)
tables = hnp.arrays(
    np.int64, hnp.array_shapes(min_dims=2, max_dims=2, max_side=5), elements=st.integers(0, 50)
).filter(np.any)
probabilities = st.floats(0.01, 0.99)
numbers = st.floats(-100, 100)


@st.composite
def shares(draw, size):
    """So many probabilities that sum to one."""
    weights = np.array(draw(st.lists(st.integers(1, 20), min_size=size, max_size=size)), dtype=float)
    return weights / weights.sum()


@st.composite
def joints(draw):
    """A joint distribution of three variables, with empty cells here and there."""
    shape = draw(st.tuples(st.integers(1, 3), st.integers(1, 3), st.integers(1, 3)))
    counts = draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 9)).filter(np.any))
    return Joint.from_counts(["a", "b", "c"], {cell: int(n) for cell, n in np.ndenumerate(counts)})


class TestInformation:
    @given(vectors)
    def test_entropy_is_between_zero_and_the_uniform(self, counts):
        assert 0 <= entropy(counts) <= math.log2(len(counts)) + 1e-12
        assert 0 <= gini(counts) <= 1 - 1 / len(counts) + 1e-12

    @given(vectors, st.randoms(use_true_random=False))
    def test_order_does_not_matter(self, counts, random):
        shuffled = random.sample(counts, len(counts))
        assert entropy(shuffled) == pytest.approx(entropy(counts), **CLOSE)
        assert gini(shuffled) == pytest.approx(gini(counts), **CLOSE)

    @given(vectors)
    def test_entropy_agrees_with_scipy(self, counts):
        assert entropy(counts) == pytest.approx(stats.entropy(counts, base=2), **CLOSE)
        assert entropy(counts, base=math.e) == pytest.approx(stats.entropy(counts), **CLOSE)

    @given(tables, st.integers(1, 7))
    def test_only_proportions_matter(self, table, factor):
        assert mutual_information(table * factor) == pytest.approx(mutual_information(table), **CLOSE)
        assert gain_ratio(table * factor) == pytest.approx(gain_ratio(table), rel=1e-6, abs=1e-9)

    @given(tables)
    def test_gain_is_mutual_information(self, table):
        assert information_gain(table) == pytest.approx(mutual_information(table), **CLOSE)

    @given(tables)
    def test_mutual_information_is_symmetric_and_bounded(self, table):
        mutual = mutual_information(table)
        assert mutual == pytest.approx(mutual_information(table.T), **CLOSE)
        assert mutual <= min(entropy(table.sum(axis=1)), split_information(table)) + 1e-9

    @given(tables)
    def test_mutual_information_is_the_mean_of_pmi(self, table):
        pmi = pointwise_mutual_information(table)
        assert (np.isnan(pmi) == (table == 0)).all()
        mean = np.average(np.nan_to_num(pmi), weights=table)
        assert mutual_information(table) == pytest.approx(mean, **CLOSE)

    @given(tables)
    def test_mutual_information_agrees_with_scikit_learn(self, table):
        rows, columns = np.repeat(np.argwhere(table >= 0), table.ravel(), axis=0).T
        theirs = mutual_info_score(rows, columns)  # in nats
        assert mutual_information(table) == pytest.approx(theirs / math.log(2), **CLOSE)

    @given(tables)
    def test_chi_squared_agrees_with_scipy(self, table):
        assume(table.any(axis=0).all() and table.any(axis=1).all())  # scipy refuses empty rows and columns
        ours, theirs = chi_squared(table), stats.chi2_contingency(table, correction=False)
        assert ours.statistic == pytest.approx(theirs.statistic, **CLOSE)
        assert ours.p_value == pytest.approx(theirs.pvalue, **CLOSE)
        assert ours.dof == theirs.dof
        assert ours.expected == pytest.approx(theirs.expected_freq)


class TestJoint:
    @given(joints())
    def test_marginals_sum_to_one(self, joint):
        for names in (["a"], ["b", "a"], ["c", "a", "b"]):
            marginal = joint.marginal(*names)
            assert marginal.table.sum() == pytest.approx(1)
            assert marginal.table.min() >= 0

    @given(joints())
    def test_total_probability(self, joint):
        by_c = joint.conditional("a", given="c")
        weights = joint.marginal("c").to_dict()
        total = sum(weights[c] * given.table for c, given in by_c.items())
        assert total == pytest.approx(joint.marginal("a").table, **CLOSE)

    @given(joints())
    def test_chain_rule(self, joint):
        for (a, b, c), p in joint.to_dict().items():
            event = {"c": c, "a": a, "b": b}
            assert list(joint.chain_rule(**event).steps())[-1].result == pytest.approx(p, **CLOSE)

    @given(joints())
    def test_bayes_is_given(self, joint):
        prior = {a: p for a, p in joint.marginal("a").to_dict().items() if p > 0}
        likelihoods = joint.conditional("b", given="a")
        for b, p in joint.marginal("b").to_dict().items():
            if p > 0:
                rule = bayes(prior, {a: likelihoods[a].to_dict()[b] for a in prior})
                direct = joint.given(b=b).marginal("a").to_dict()
                assert rule.posterior == pytest.approx({a: direct[a] for a in prior}, **CLOSE)
                assert rule.evidence == pytest.approx(p, **CLOSE)

    @given(joints())
    def test_work_derives_what_given_says(self, joint):
        for c, p in joint.marginal("c").to_dict().items():
            if p > 0:
                work = joint.work("a", c=c)
                for a, expected in joint.given(c=c).marginal("a").to_dict().items():
                    assert work[f"P(a = {a} | c = {c})"].result == pytest.approx(expected, **CLOSE)

    @given(shares(2), shares(3), shares(2))
    def test_a_product_is_independent(self, a, b, c):
        joint = Joint.from_mapping(
            ["a", "b", "c"],
            {cell: float(p) for cell, p in np.ndenumerate(np.einsum("i,j,k->ijk", a, b, c))},
        )
        assert joint.independent("a", "b")
        assert joint.independent("a", ["b", "c"])
        assert joint.independent("a", "c", given="b")

    @given(joints())
    def test_independence_means_no_mutual_information(self, joint):
        mutual = mutual_information(joint.marginal("a", "b").table)
        assert joint.independent("a", "b", tolerance=1e-6) == (mutual < 1e-12)

    @given(joints())
    def test_moments_agree_with_numpy(self, joint):
        values = {a: 3.0 * int(a) - 1 for a in joint.values("a")}
        weights = list(joint.marginal("a").to_dict().values())
        mean = np.average(list(values.values()), weights=weights)
        assert joint.expectation("a", values) == pytest.approx(mean, **CLOSE)
        spread = np.average((np.array(list(values.values())) - mean) ** 2, weights=weights)
        assert joint.variance("a", values) == pytest.approx(spread, **CLOSE)


class TestDistributions:
    @given(probabilities, st.integers(0, 60))
    def test_bernoulli_and_binomial(self, p, n):
        k = np.arange(-1, n + 2)
        assert Binomial(n, p).pmf(k) == pytest.approx(stats.binom(n, p).pmf(k), rel=1e-9, abs=1e-300)
        assert Binomial(n, p).mean == pytest.approx(stats.binom(n, p).mean())
        assert Binomial(n, p).variance == pytest.approx(stats.binom(n, p).var())
        assert Bernoulli(p).log_pmf([0, 1]) == pytest.approx(stats.bernoulli(p).logpmf([0, 1]))
        assert Bernoulli(p).variance == pytest.approx(stats.bernoulli(p).var())

    @given(shares(3), st.lists(st.integers(0, 6), min_size=3, max_size=3))
    def test_multinomial_and_categorical(self, p, counts):
        ours, theirs = Multinomial(sum(counts), tuple(p)), stats.multinomial(sum(counts), p)
        assert ours.log_pmf(counts) == pytest.approx(theirs.logpmf(counts), **CLOSE)
        assert ours.mean == pytest.approx(theirs.mean())
        assert ours.variance == pytest.approx(np.diagonal(theirs.cov()))
        one = Categorical(("a", "b", "c"), tuple(p))
        assert one.pmf(["a", "b", "c"]) == pytest.approx(stats.multinomial(1, p).pmf(np.eye(3)))

    @given(numbers, st.floats(0.01, 100), st.lists(numbers, min_size=1, max_size=5))
    def test_gaussian(self, mean, variance, x):
        theirs = stats.norm(mean, math.sqrt(variance))
        assert Gaussian(mean, variance).log_pdf(x) == pytest.approx(theirs.logpdf(x))
        assert Gaussian(mean, variance).pdf(x) == pytest.approx(theirs.pdf(x), rel=1e-9, abs=1e-300)

    @given(st.integers(1, 4), st.integers(0, 10_000))
    def test_multivariate_gaussian(self, d, seed):
        rng = np.random.default_rng(seed)
        root, mean = rng.normal(size=(d, d)), rng.normal(size=d)
        covariance = root @ root.T + np.eye(d)
        x = rng.normal(size=(3, 2, d))
        theirs = stats.multivariate_normal(mean, covariance)
        assert MultivariateGaussian(mean, covariance).log_pdf(x) == pytest.approx(theirs.logpdf(x))

    @given(st.lists(numbers, min_size=2, max_size=20))
    def test_maximum_likelihood_agrees_with_scipy(self, x):
        assume(np.ptp(x) > 1e-3)
        mean, deviation = stats.norm.fit(x)
        fitted = Gaussian.fit(x)
        assert fitted.mean == pytest.approx(mean, **CLOSE)
        assert fitted.variance == pytest.approx(deviation**2, rel=1e-9)
        assert Gaussian.fit(x, "sample").variance == pytest.approx(np.var(x, ddof=1), rel=1e-9)

    @given(st.lists(st.integers(0, 1), min_size=1, max_size=20), st.floats(1.1, 9), st.floats(1.1, 9))
    def test_beta_map_is_the_highest_point_of_the_posterior(self, x, alpha, beta):
        posterior = stats.beta(alpha + sum(x), beta + len(x) - sum(x))
        p = Bernoulli.fit_map(x, alpha=alpha, beta=beta).p
        grid = np.linspace(0.001, 0.999, 199)
        assert posterior.logpdf(p) >= posterior.logpdf(grid).max() - 1e-9

    @given(st.lists(st.sampled_from("abc"), max_size=20), st.lists(st.floats(1.1, 9), min_size=3, max_size=3))
    def test_dirichlet_map_is_the_highest_point_of_the_posterior(self, x, alpha):
        posterior = stats.dirichlet(np.array(alpha) + [x.count(v) for v in "abc"])
        p = np.array(Categorical.fit_map(x, "abc", alpha=alpha).p)
        for other in np.random.default_rng(0).dirichlet(np.ones(3), size=50):
            assert posterior.logpdf(p) >= posterior.logpdf(0.9 * p + 0.1 * other) - 1e-9

    @given(st.lists(numbers, min_size=1, max_size=10), numbers, st.floats(0.1, 9), st.floats(0.5, 9))
    def test_gaussian_map_is_the_highest_point_of_the_posterior(self, x, mean, strength, alpha):
        def log_posterior(mu, variance):
            prior = stats.invgamma(alpha, scale=2.0).logpdf(variance)
            prior += stats.norm(mean, math.sqrt(variance / strength)).logpdf(mu)
            return prior + stats.norm(mu, math.sqrt(variance)).logpdf(x).sum()

        top = Gaussian.fit_map(x, mean=mean, strength=strength, alpha=alpha, beta=2.0)
        best = log_posterior(top.mean, top.variance)
        deviation = math.sqrt(top.variance)
        for step in (-0.1, 0.1):
            assert best >= log_posterior(top.mean + step * deviation, top.variance)
            assert best >= log_posterior(top.mean, top.variance * (1 + step))

    @given(st.integers(0, 10_000))
    def test_multivariate_map_is_the_highest_point_of_the_posterior(self, seed):
        rng = np.random.default_rng(seed)
        x, mean, scale = rng.normal(size=(5, 2)), rng.normal(size=2), np.array([[2.0, 0.5], [0.5, 1.0]])

        def log_posterior(mu, covariance):
            prior = stats.invwishart(4, scale).logpdf(covariance)
            prior += stats.multivariate_normal(mean, covariance / 1.5).logpdf(mu)
            return prior + stats.multivariate_normal(mu, covariance).logpdf(x).sum()

        top = MultivariateGaussian.fit_map(x, mean=mean, strength=1.5, dof=4, scale=scale)
        best = log_posterior(top.mean, top.covariance)
        for step in (-0.05, 0.05):
            tilt = step * np.array([[0, 1], [1, 0]]) * math.sqrt(np.prod(top.variance))
            assert best >= log_posterior(top.mean + step, top.covariance)
            assert best >= log_posterior(top.mean, top.covariance * (1 + step))
            assert best >= log_posterior(top.mean, top.covariance + tilt)


class TestDecisions:
    @given(shares(4))
    def test_equal_costs_decide_for_the_most_probable(self, p):
        risk = expected_risk(p, 1 - np.eye(4))
        assert risk == pytest.approx(1 - p)

    @given(shares(3), hnp.arrays(float, (3, 3), elements=st.floats(-10, 10)))
    def test_risk_is_linear_in_the_costs_and_row_by_row(self, p, costs):
        risk = expected_risk(p, costs)
        assert expected_risk(p, 2 * costs + 1) == pytest.approx(2 * risk + 1, **CLOSE)
        assert expected_risk(np.stack([p, p[::-1]]), costs)[0] == pytest.approx(risk, **CLOSE)
        assert risk[0] == pytest.approx(sum(costs[0, j] * p[j] for j in range(3)), **CLOSE)

    @given(st.floats(0.1, 10), st.floats(0.1, 10), st.floats(-5, 5), st.floats(-5, 5), probabilities)
    def test_threshold_is_where_the_decision_turns(self, regret_0, regret_1, right_0, right_1, p):
        costs = [[right_0, right_1 + regret_0], [right_0 + regret_1, right_1]]
        threshold = risk_threshold(costs)
        assume(abs(p - threshold) > 1e-6)
        risk = expected_risk([1 - p, p], costs)
        assert (p > threshold) == (risk[1] < risk[0])
