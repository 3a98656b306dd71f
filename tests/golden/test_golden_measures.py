"""The worked examples of entropy, gain, association, Bayes' rule and risk, digit by digit."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest

from openbook.measures import (
    Binomial,
    Joint,
    bayes,
    chi_squared,
    entropy,
    expected_risk,
    gain_ratio,
    information_gain,
    mutual_information,
    pointwise_mutual_information,
    risk_threshold,
    split_information,
)


def exactly(expected):
    """Equal to the last digits of a double."""
    return pytest.approx(expected, rel=1e-13, abs=1e-15, nan_ok=True)


def contingency(rows, attribute, target, row_labels, col_labels):
    """Counts with class values as rows."""
    seen = Counter((row[target], row[attribute]) for row in rows)
    return [[seen[c, v] for v in col_labels] for c in row_labels]


class TestEntropyGain:
    @pytest.mark.parametrize(
        "id_",
        [
            "entropy_0_6",
            "entropy_1_5",
            "entropy_2_4",
            "entropy_coin_50_5",
            "entropy_coin_30_25",
            "own_entropy_multi",
        ],
    )
    def test_entropy(self, golden, id_):
        record = golden(id_)
        counts, expected = record["data"]["counts"], record["expected"]
        assert entropy(counts) == exactly(expected["entropy"])
        if "entropy_nats" in expected:
            assert entropy(counts, base=math.e) == exactly(expected["entropy_nats"])

    @pytest.mark.parametrize("id_", ["gain_P_A", "gain_P_B", "gain_practice_A"])
    def test_gain(self, golden, id_):
        record = golden(id_)
        children, expected = np.array(record["data"]["children"]), record["expected"]
        counts = children.T  # a record lists the class counts of each branch; our tables have classes as rows
        assert counts.sum(axis=1).tolist() == record["data"]["parent"]
        assert entropy(record["data"]["parent"]) == exactly(expected["parent_entropy"])
        assert entropy(children).tolist() == exactly(expected["child_entropy"])
        weights = children.sum(axis=1) / children.sum()
        assert weights @ entropy(children) == exactly(expected["mean_info"])
        assert information_gain(counts) == exactly(expected["gain"])
        assert split_information(counts) == exactly(expected["split_info"])
        assert gain_ratio(counts) == exactly(expected["gain_ratio"])


class TestAssociation:
    @pytest.mark.parametrize(
        "id_",
        [
            "pmi_mi_chi2.toy_a1",
            "pmi_mi_chi2.toy_a2",
            "pmi_mi_chi2.weather_outlook",
            "pmi_mi_chi2.own_2",
        ],
    )
    def test_table(self, golden, id_):
        record = golden(id_)
        data, expected = record["data"], record["expected"]
        if "rows" in data:
            labels = [
                [label.split("=")[-1] for label in expected[side]] for side in ("row_labels", "col_labels")
            ]
            table = contingency(data["rows"], data["attribute"], data["target"], *labels)
        else:
            table = data["table"]
        assert table == expected["table"]
        pmi = [[math.nan if cell is None else cell for cell in row] for row in expected["pmi"]]
        assert pointwise_mutual_information(table) == exactly(np.array(pmi))
        assert mutual_information(table) == exactly(expected["mi"])
        test = chi_squared(table)
        assert test.statistic == exactly(expected["chi2"])
        assert test.dof == expected["dof"]
        assert test.expected == exactly(np.array(expected["expected_counts"]))
        assert entropy(np.sum(table, axis=1)) == exactly(expected["h_class"])
        assert entropy(np.sum(table, axis=0)) == exactly(expected["h_attr"])

    @pytest.mark.parametrize("value", ["sunny", "overcast", "rainy"])
    def test_weather_outlook_binarised(self, golden, value):
        record = golden("pmi_mi_chi2.weather_outlook_binarised")
        rows = [{"is": row["outlook"] == value, "play": row["play"]} for row in record["data"]["rows"]]
        table, expected = (
            contingency(rows, "is", "play", ["yes", "no"], [True, False]),
            record["expected"][value],
        )
        assert table == expected["table"]
        assert mutual_information(table) == exactly(expected["mi"])
        assert chi_squared(table).statistic == exactly(expected["chi2"])


class TestBayesRule:
    def test_football_exact(self, golden):
        record = golden("bayes_football_exact")
        data, expected = record["data"], record["expected"]
        results = data["prior_counts"]
        cells = {(r, "home"): data["united_home_counts"][r] for r in results}
        cells |= {(r, "away"): results[r] - data["united_home_counts"][r] for r in results}
        joint = Joint.from_counts(["result", "united"], cells)
        assert joint.marginal("result").to_dict() == exactly(expected["prior"])
        likelihood = {
            r: given.to_dict()["home"] for r, given in joint.conditional("united", given="result").items()
        }
        assert likelihood == exactly(expected["likelihood"])
        assert joint.given(united="home").to_dict() == exactly(expected["posterior"])
        rule = bayes(expected["prior"], likelihood)
        assert rule.joint == exactly(expected["joint"])
        assert rule.evidence == exactly(expected["evidence"])
        assert rule.posterior == exactly(expected["posterior"])
        assert rule.posterior == exactly(
            {r: float(Fraction(f)) for r, f in expected["posterior_fraction"].items()}
        )
        assert rule.decision == expected["decision"]

    @pytest.mark.parametrize("id_", ["bayes_football_rounded", "own_bayes_filter"])
    def test_from_prior_and_likelihood(self, golden, id_):
        record = golden(id_)
        expected = record["expected"]
        rule = bayes(record["data"]["prior"], record["data"]["likelihood"])
        assert rule.joint == exactly(expected["joint"])
        assert rule.evidence == exactly(expected["evidence"])
        assert rule.posterior == exactly(expected["posterior"])
        assert rule.decision == expected["decision"]
        work = rule.work()
        for h in expected["posterior"]:
            assert work[f"P({h}, e)"].result == exactly(expected["joint"][h])
            assert work[f"P({h} | e)"].result == exactly(expected["posterior"][h])
        assert work["P(e)"].result == exactly(expected["evidence"])

    def test_marginal_movies(self, golden):
        record = golden("marginal_movies")
        expected = record["expected"]
        joint = Joint.from_rows(record["data"])
        assert joint.marginal("A").to_dict() == exactly(expected["P_A"])
        assert joint.marginal("B").to_dict() == exactly(expected["P_B"])
        by_market = {b: given.to_dict() for b, given in joint.conditional("A", given="B").items()}
        assert by_market.keys() == expected["P_A_given_B"].keys()
        marginal_work = joint.work("A")
        for genre, p in expected["P_A"].items():
            assert marginal_work[f"P(A = {genre})"].result == exactly(p)
        for market, given in expected["P_A_given_B"].items():
            assert by_market[market] == exactly(given)
            work = joint.work("A", B=market)
            assert work[f"P(B = {market})"].result == exactly(expected["P_B"][market])
            for genre, p in given.items():
                assert work[f"P(A = {genre} | B = {market})"].result == exactly(p)

    def test_smart(self, golden):
        record = golden("bayes_smart_a")
        data, expected = record["data"], record["expected"]
        both = data["P_smart"] * data["P_H1_given_smart"]
        joint = Joint.from_mapping(
            ["smart", "H1"],
            {
                (True, True): both,
                (True, False): data["P_smart"] - both,
                (False, True): data["P_H1"] - both,
                (False, False): 1 - data["P_smart"] - data["P_H1"] + both,
            },
        )
        assert joint.given(H1=True).probability(smart=True) == exactly(expected["P_smart_given_H1"])
        assert joint.given(smart=False).probability(H1=True) == exactly(expected["P_H1_given_not_smart"])

    def test_binomial(self, golden):
        record = golden("binomial_2_of_3")
        data, expected = record["data"], record["expected"]
        binomial = Binomial(data["n"], data["p"])
        assert binomial.pmf(data["m"]) == exactly(expected["probability"])
        assert binomial.pmf(data["m"]) == exactly(float(Fraction(expected["fraction"])))
        assert binomial.pmf(data["m"]) / data["p"] ** data["n"] == exactly(expected["coefficient"])
        assert binomial.pmf(range(4)).tolist() == exactly(expected["pmf"])

    def test_expectation(self, golden):
        record = golden("expectation_movies")
        day = Joint.from_mapping("day", record["data"]["p"])
        assert day.expectation("day", record["data"]["value"]) == exactly(record["expected"]["mean"])
        assert day.variance("day", record["data"]["value"]) == exactly(record["expected"]["variance"])


def joint_of_tests(data):
    """P(Y, X1, X2): given Y = 1 the tests always agree, given Y = 0 they are independent."""
    p1, x0_y0, x0_y1 = data["P_Y1"], data["P_X0_given_Y0"], data["P_X0_given_Y1"]
    cells = {}
    for a in (0, 1):
        for b in (0, 1):
            first, second = ((x0_y0[i] if x == 0 else 1 - x0_y0[i]) for i, x in enumerate((a, b)))
            cells[0, a, b] = (1 - p1) * first * second
    cells[1, 0, 0], cells[1, 1, 1] = p1 * x0_y1[0], p1 * (1 - x0_y1[0])
    return Joint.from_mapping(["Y", "X1", "X2"], cells)


@pytest.mark.parametrize("id_", ["tests_both_negative", "tests_both_positive", "own_tests_prior30"])
class TestCorrelatedTests:
    def test_true_joint(self, golden, id_):
        record = golden(id_)
        (a, b), expected = record["data"]["observed"], record["expected"]["true"]
        joint = joint_of_tests(record["data"])
        assert [joint.probability(Y=y, X1=a, X2=b) for y in (0, 1)] == exactly(expected["joint"])
        posterior = list(joint.given(X1=a, X2=b).to_dict().values())
        assert posterior == exactly(expected["posterior"])
        assert int(np.argmax(posterior)) == expected["prediction"]
        assert joint.work("Y", X1=a, X2=b)[f"P(Y = 1 | X1 = {a}, X2 = {b})"].result == exactly(posterior[1])

    def test_independence_assumed(self, golden, id_):
        record = golden(id_)
        (a, b), expected = record["data"]["observed"], record["expected"]["naive"]
        joint = joint_of_tests(record["data"])
        first, second = (joint.conditional(name, given="Y") for name in ("X1", "X2"))
        likelihood = {y: first[y].to_dict()[str(a)] * second[y].to_dict()[str(b)] for y in ("0", "1")}
        rule = bayes(joint.marginal("Y").to_dict(), likelihood)
        assert list(rule.joint.values()) == exactly(expected["joint"])
        assert list(rule.posterior.values()) == exactly(expected["posterior"])
        assert rule.decision == str(expected["prediction"])

    def test_the_tests_are_not_independent_given_the_class(self, golden, id_):
        joint = joint_of_tests(golden(id_)["data"])
        assert not joint.independent("X1", "X2", given="Y")
        assert joint.given(Y=0).independent("X1", "X2")


class TestMinimumRisk:
    @pytest.mark.parametrize("id_", ["risk_covid", "risk_covid_01loss", "own_risk_three"])
    def test_risk(self, golden, id_):
        record = golden(id_)
        data, expected = record["data"], record["expected"]
        risk = expected_risk(data["posterior"], data["loss"])
        assert risk.tolist() == exactly(expected["risk"])
        assert int(np.argmin(risk)) == expected["action"]
        assert int(np.argmax(data["posterior"])) == expected["max_posterior_class"]

    def test_threshold(self, golden):
        record = golden("risk_covid_threshold")
        threshold = risk_threshold(record["data"]["loss"])
        assert threshold == exactly(record["expected"]["threshold"])
        assert threshold == exactly(float(Fraction(record["expected"]["fraction"])))
