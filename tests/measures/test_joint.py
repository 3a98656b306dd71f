"""Joint distributions and Bayes' rule: hand-worked values, derivations, and every refusal."""

import math

import numpy as np
import pytest

from openbook.data import Nominal, Numeric, Ordinal, Schema, Table
from openbook.errors import DataError, ParameterError
from openbook.measures import Joint, bayes

# P(sky, walk, dog): walk depends on sky; the dog is out exactly when there is a walk.
CELLS = {
    ("blue", True, "out"): 0.5,
    ("blue", False, "in"): 0.25,
    ("grey", True, "out"): 0.0625,
    ("grey", False, "in"): 0.1875,
}


@pytest.fixture
def joint():
    return Joint.from_mapping(["sky", "walk", "dog"], CELLS)


def refusal(match):
    return pytest.raises(ParameterError, match=match)


class TestMaking:
    def test_values_stand_in_order_of_appearance(self, joint):
        assert joint.names == ("sky", "walk", "dog")
        assert joint.values("walk") == ("true", "false")
        assert joint.table.shape == (2, 2, 2)

    def test_cells_left_out_have_probability_zero(self, joint):
        assert joint.to_dict()["blue", "true", "in"] == 0
        assert sum(joint.to_dict().values()) == 1

    def test_counts_are_divided_by_their_total(self):
        counted = Joint.from_counts(["a", "b"], {("x", 0): 3, ("x", 1): 1, ("y", 1): 4})
        assert counted.to_dict() == {("x", "0"): 0.375, ("x", "1"): 0.125, ("y", "0"): 0, ("y", "1"): 0.5}

    def test_table_counts_the_rows_that_miss_nothing(self):
        schema = Schema((Nominal("a", ("x", "y")), Ordinal("b", ("low", "high")), Numeric("n")))
        codes = [np.array([0, 0, 1, -1, 1, 0]), np.array([0, 1, 1, 1, -1, 0]), np.arange(6.0)]
        table = Table(schema, codes)
        # Complete rows: x low, x high, y high, x low.
        assert Joint.from_table(table, "a", "b").to_dict() == {
            ("x", "low"): 0.5,
            ("x", "high"): 0.25,
            ("y", "low"): 0,
            ("y", "high"): 0.25,
        }
        assert Joint.from_table(table, "b").to_dict() == {"low": 0.4, "high": 0.6}
        with refusal("column 'n' is numeric; a joint table needs nominal ones"):
            Joint.from_table(table)

    def test_table_without_a_complete_row(self):
        table = Table(Schema((Nominal("a", ("x",)),)), [np.array([-1, -1])])
        with refusal("nothing was counted: a never occur together"):
            Joint.from_table(table)

    def test_too_many_cells(self):
        wide = Schema(tuple(Nominal(f"c{i}", ("a", "b", "c", "d")) for i in range(30)))
        table = Table(wide, [np.zeros(3, dtype=np.int8)] * 30)
        with refusal("would have 1,152,921,504,606,846,976 cells; take fewer variables"):
            Joint.from_table(table)

    def test_sum(self):
        with refusal("the probabilities of coin sum to 0.9, not to one"):
            Joint.from_mapping("coin", {"heads": 0.5, "tails": 0.4})

    @pytest.mark.parametrize("bad", [-0.5, math.nan, math.inf])
    def test_weights(self, bad):
        with refusal(f"the probability of a = x, b = 1 must be finite and not negative, got {bad:g}"):
            Joint.from_mapping(["a", "b"], {("x", 0): 1.5, ("x", 1): bad})
        with refusal(f"the count of a = y must be finite and not negative, got {bad:g}"):
            Joint.from_counts("a", {"x": 5, "y": bad})

    def test_not_a_number(self):
        with refusal(r"the cell \(heads\) needs a number, got 'half'"):
            Joint.from_mapping("coin", {"heads": "half", "tails": 0.5})

    def test_no_counts(self):
        with refusal("nothing was counted: coin"):
            Joint.from_counts("coin", {})
        with refusal("nothing was counted: coin"):
            Joint.from_counts("coin", {"heads": 0, "tails": 0})

    def test_keys(self):
        with refusal(r"the cell \(x\) must hold a value of each of a, b"):
            Joint.from_mapping(["a", "b"], {"x": 1})
        with refusal(r"the cell \(x, None\) must hold a value of each of a, b"):
            Joint.from_mapping(["a", "b"], {("x", None): 1})
        with refusal(r"the cell \(1\) is there twice"):
            Joint.from_mapping("a", {1: 0.5, "1": 0.5})

    def test_rows_that_differ(self):
        with refusal("row 1 must hold coin, p; it holds coin, q"):
            Joint.from_rows([{"coin": "heads", "p": 0.5}, {"coin": "tails", "q": 0.5}])

    def test_no_rows(self):
        with refusal("at least one variable"):
            Joint.from_rows([])

    def test_repeated_names(self):
        with pytest.raises(DataError, match="two columns are called 'a'"):
            Joint.from_mapping(["a", "a"], {("x", "y"): 1})

    def test_shape(self):
        with refusal(r"the table of a must have the shape \(2,\), got \(3,\)"):
            Joint((Nominal("a", ("x", "y")),), np.ones(3) / 3)


class TestAsking:
    def test_marginal(self, joint):
        assert joint.marginal("sky").to_dict() == {"blue": 0.75, "grey": 0.25}
        assert joint.marginal("walk", "sky").to_dict() == {
            ("true", "blue"): 0.5,
            ("true", "grey"): 0.0625,
            ("false", "blue"): 0.25,
            ("false", "grey"): 0.1875,
        }

    def test_marginal_in_any_order_of_three(self, joint):
        turned = joint.marginal("dog", "sky", "walk")
        assert turned.names == ("dog", "sky", "walk")
        assert turned.probability(dog="in", sky="grey", walk=False) == 0.1875

    def test_probability(self, joint):
        assert joint.probability() == 1
        assert joint.probability(walk=True) == 0.5625
        assert joint.probability(walk=True, dog="in") == 0

    def test_given(self, joint):
        assert joint.given(sky="grey", dog="in").to_dict() == {"true": 0, "false": 1}
        assert joint.given(sky="blue").marginal("walk").to_dict() == pytest.approx(
            {"true": 2 / 3, "false": 1 / 3}
        )

    def test_conditional_leaves_out_what_cannot_be(self, joint):
        table = joint.conditional("sky", given=["walk", "dog"])
        assert list(table) == [("true", "out"), ("false", "in")]
        assert table["true", "out"].to_dict() == pytest.approx({"blue": 8 / 9, "grey": 1 / 9})

    def test_independence(self, joint):
        assert not joint.independent("sky", "dog")
        assert joint.independent("sky", "dog", given="walk")
        assert joint.independent("sky", ["dog"], given=("walk",))
        two_coins = Joint.from_mapping(["a", "b"], {(0, 0): 0.06, (0, 1): 0.14, (1, 0): 0.24, (1, 1): 0.56})
        assert two_coins.independent("a", "b")

    def test_what_never_happens_says_nothing_about_independence(self):
        cells = {(0, 0, "x"): 1, (0, 1, "x"): 1, (1, 1, "y"): 0}  # c = y never occurs
        assert Joint.from_counts(["a", "b", "c"], cells).independent("a", "b", given="c")

    def test_tolerance(self):
        nearly = Joint.from_mapping(["a", "b"], {(0, 0): 0.26, (0, 1): 0.24, (1, 0): 0.24, (1, 1): 0.26})
        assert not nearly.independent("a", "b")
        assert nearly.independent("a", "b", tolerance=0.011)

    def test_expectation(self, joint):
        miles = {True: 4, False: 0}
        assert joint.expectation("walk", miles) == 2.25
        assert joint.variance("walk", miles) == pytest.approx(0.5625 * 16 - 2.25**2)

    def test_unknown_names(self, joint):
        with refusal(r"no variable 'wlak'\. Did you mean 'walk'\?"):
            joint.marginal("wlak")
        with refusal(r"'sky' has no value 'gray'\. Did you mean 'grey'\?"):
            joint.given(sky="gray")
        with refusal("'sky' has no value None"):
            joint.probability(sky=None)
        with refusal("'walk' has no value 'maybe'"):
            joint.expectation("walk", {True: 1, False: 0, "maybe": 2})

    def test_refusals(self, joint):
        with refusal("P(.*walk = true, dog = in.*) is 0, so nothing can be conditioned on it"):
            joint.given(walk=True, dog="in")
        with refusal("the evidence names every variable"):
            joint.given(sky="blue", walk=True, dog="out")
        with refusal("name each variable once, and at least one; got sky, sky"):
            joint.marginal("sky", "sky")
        with refusal("at least one; got none"):
            joint.marginal()
        with refusal("name each variable once"):
            joint.independent("sky", "sky")
        with refusal("the value 'false' of 'walk' needs a finite number"):
            joint.expectation("walk", {True: 1})


class TestWork:
    def test_marginal(self, joint):
        work = joint.work("walk")
        step = work["P(walk = true)"]
        assert step.numbers == "0.5 + 0 + 0.0625 + 0"
        assert step.formula == r"\sum_{\text{sky}, \text{dog}} P(\text{sky}, \text{walk}, \text{dog})"
        assert step.result == 0.5625
        grid = work.parts[0]
        assert list(grid.header) == ["sky", "walk", "dog", "P"]
        assert ["grey", "false", "in", 0.1875] in [list(row) for row in grid.rows]

    def test_conditional(self, joint):
        work = joint.work("sky", walk=True)
        assert work.title == "P(sky | walk = true)"
        assert work["P(walk = true)"].result == 0.5625
        step = work["P(sky = grey | walk = true)"]
        assert step.formula == r"\frac{P(\text{sky}, \text{walk})}{P(\text{walk})}"
        assert step.numbers == r"\frac{0.0625 + 0}{0.5625}"
        assert step.result == pytest.approx(1 / 9)

    def test_chain_rule(self, joint):
        work = joint.chain_rule(sky="grey", walk=False, dog="in")
        assert work["P(sky = grey)"].result == 0.25
        assert work["P(walk = false | sky = grey)"].result == 0.75
        assert work["P(dog = in | sky = grey, walk = false)"].result == 1
        last = work["P(sky = grey, walk = false, dog = in)"]
        assert last.numbers == r"0.25 \cdot 0.75 \cdot 1"
        assert last.formula.count(r"\mid") == 2
        assert last.result == 0.1875
        assert work.conclusion == "The joint table gives 0.1875 too."

    def test_chain_rule_through_an_impossible_event(self, joint):
        work = joint.chain_rule(walk=True, dog="in", sky="blue")
        assert work["P(dog = in | walk = true)"].result == 0
        assert work["P(walk = true, dog = in, sky = blue)"].result == 0

    def test_a_large_table_is_cut_short(self):
        many = Joint.from_counts(["a", "b"], {(i, j): 1 for i in range(2) for j in range(50)})
        work = many.work("a")
        assert work["P(a = 0)"].numbers.endswith(r"+ 0.01 + \dots")
        assert len(work.parts[0].rows) == 40
        assert work.parts[0].note == "the first 40 of 100 combinations"

    def test_names_that_latex_reserves(self):
        odd = Joint.from_mapping(["50%_off", "b"], {("{x}", 0): 0.5, ("y", 1): 0.5})
        assert r"\text{50\%\_off}" in odd.work("b")["P(b = 0)"].formula

    def test_every_formula_can_be_shown(self, joint):
        from openbook.work.formula import parse

        works = [joint.work("walk"), joint.work("sky", walk=True), joint.chain_rule(sky="grey", walk=False)]
        works.append(bayes({"a": 0.5, "b": 0.5}, {"a": 1e-9, "b": 3}).work())
        for work in works:
            for step in work.steps():
                parse(step.formula)
                parse(step.numbers)


class TestBayes:
    def test_posterior(self):
        rule = bayes({"h": 0.25, "g": 0.75}, {"g": 0.25, "h": 0.5})
        assert rule.joint == {"h": 0.125, "g": 0.1875}
        assert rule.evidence == 0.3125
        assert rule.posterior == {"h": 0.4, "g": 0.6}
        assert rule.likelihood == {"h": 0.5, "g": 0.25}

    def test_densities_may_exceed_one(self):
        assert bayes({"h": 0.5, "g": 0.5}, {"h": 30.0, "g": 10.0}).posterior == {"h": 0.75, "g": 0.25}

    def test_ties_go_to_the_first(self):
        assert bayes({"b": 0.5, "a": 0.5}, {"a": 1, "b": 1}).decision == "b"

    def test_work(self):
        work = bayes({"spam": 0.25, "ham": 0.75}, {"spam": 0.5, "ham": 0.0625}).work()
        assert work["P(spam, e)"].numbers == r"0.25 \cdot 0.5"
        assert work["P(e)"].numbers == "0.125 + 0.046875"
        assert work["P(spam | e)"].numbers == r"\frac{0.125}{0.171875}"
        assert work["P(spam | e)"].result == pytest.approx(8 / 11)
        assert work.conclusion == "The most probable is spam: 0.727273."

    def test_refusals(self):
        with refusal(r"'spma' has a likelihood but no prior\. Did you mean 'spam'\?"):
            bayes({"spam": 1}, {"spma": 0.5})
        with refusal("'ham' has a prior but no likelihood"):
            bayes({"spam": 0.5, "ham": 0.5}, {"spam": 0.5})
        with refusal("the priors sum to 0.9, not to one"):
            bayes({"spam": 0.5, "ham": 0.4}, {"spam": 0.5, "ham": 0.5})
        with refusal("the likelihood of 'ham' must be finite and not negative, got nan"):
            bayes({"spam": 0.5, "ham": 0.5}, {"spam": 0.5, "ham": math.nan})
        with refusal("the prior of 'ham' must be finite and not negative, got -0.5"):
            bayes({"spam": 1.5, "ham": -0.5}, {"spam": 0.5, "ham": 0.5})
        with refusal("is 0 for every hypothesis"):
            bayes({"spam": 1, "ham": 0}, {"spam": 0, "ham": 1})


class TestEventsAsSets:
    """A die of two colours: faces 1 to 6, even ones red."""

    die = Joint.from_mapping(["face", "red"], {(face, face % 2 == 0): 1 / 6 for face in range(1, 7)})

    def test_probability_of_a_set(self):
        assert self.die.probability(face={1, 2, 3}) == pytest.approx(1 / 2)
        assert self.die.probability(face=[5, 6], red=True) == pytest.approx(1 / 6)

    def test_given_a_set(self):
        assert self.die.given(face={1, 2, 4}).to_dict() == pytest.approx({"false": 1 / 3, "true": 2 / 3})

    def test_either(self):
        # face at most 4, or red: 1, 2, 3, 4 and 6
        a, b = {"face": {1, 2, 3, 4}}, {"red": True}
        assert self.die.either(a, b) == pytest.approx(5 / 6)
        work = self.die.addition_rule(a, b)
        assert work["P(face in {1, 2, 3, 4} and red = true)"].result == pytest.approx(1 / 3)
        assert work["P(face in {1, 2, 3, 4} or red = true)"].result == pytest.approx(5 / 6)

    def test_either_of_one_variable(self):
        assert self.die.either({"face": {1, 2}}, {"face": {2, 3}}) == pytest.approx(1 / 2)
        work = self.die.addition_rule({"face": 1}, {"face": 2})
        assert work.conclusion == "The events exclude each other, so nothing is counted twice."

    def test_expectation_of_a_function(self):
        assert self.die.expectation("face", lambda face: int(face) ** 2) == pytest.approx(91 / 6)
        paid = self.die.expectation(["face", "red"], lambda face, red: int(face) if red == "true" else -1)
        assert paid == pytest.approx((2 + 4 + 6 - 3) / 6)
        assert self.die.variance("face", int) == pytest.approx(35 / 12)

    def test_samples_follow_the_probabilities(self):
        drawn = self.die.sample(6000, random_state=1)
        share = np.mean(np.array(drawn.column("face").tolist()) == "6")
        assert share == pytest.approx(1 / 6, abs=4 * (5 / 36 / 6000) ** 0.5)
        even = np.array([int(face) % 2 == 0 for face in drawn.column("face").tolist()])
        assert (even == (np.array(drawn.column("red").tolist()) == "true")).all()

    def test_refusals(self):
        with pytest.raises(ParameterError, match="'face' has no value 7"):
            self.die.probability(face={1, 7})
        with pytest.raises(ParameterError, match="at least one value"):
            self.die.probability(face=set())
        with pytest.raises(ParameterError, match="a mapping is of one variable"):
            self.die.expectation(["face", "red"], {1: 2})
