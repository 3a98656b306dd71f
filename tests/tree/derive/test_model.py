"""The work of trees, by hand: gains with gaps, charges, ways down in shares, words for leaves."""

import math

import numpy as np
import pytest

from openbook import load, read
from openbook.data import Nominal, Numeric, Schema, Table
from openbook.tree import (
    C45,
    CART,
    ID3,
    DecisionTreeClassifier,
    DecisionTreeRegressor,
)
from openbook.tree.engine import grower
from openbook.tree.engine.nodes import LEAF, depths
from openbook.work import Work

WEATHER, PLAY = load("weather").split("play")


def part(work, title):
    """The nested work or grid of that title."""
    return next(part for part in work.parts if getattr(part, "title", "") == title)


def with_gap():
    """The weather with the outlook of the twelfth day, overcast, unknown (Quinlan, 1993, chapter 3)."""
    rows = [WEATHER.row(i) for i in range(len(WEATHER))]
    rows[11]["outlook"] = None
    return read(rows), PLAY


# --- how it was grown


def test_the_works_of_the_nodes_are_titled_by_what_leads_there():
    work = ID3().fit(WEATHER, PLAY).work()
    assert work.title == "ID3 for play: how it was grown"
    assert [part.title for part in work.parts] == ["root", "outlook = rain", "outlook = sunny"]
    assert work.conclusion == "Leaves: 5; depth: 2."


def test_a_step_puts_its_numbers_in():
    root = part(ID3().fit(WEATHER, PLAY).work(), "root")
    step = root["H(play)"]
    assert step.numbers == (r"-\frac{5}{14} \log_2 \frac{5}{14} - \frac{9}{14} \log_2 \frac{9}{14}")
    assert root["gain(windy)"].numbers == "0.940286 - 0.892159"
    grid = root.parts[-1]
    assert (grid.title, grid.header) == ("branches", ("outlook", "No", "Yes", "rows", "then"))
    assert grid.rows[0] == ("overcast", 0, 4, 4, "leaf Yes: all its rows have the same class")
    assert grid.rows[1] == ("rain", 2, 3, 5, "test windy")


def test_missing_cells_gain_nothing_and_split_once_more():
    """Quinlan's figures: 13/14 (0.961 - 0.747) = 0.199; 1.809; 0.110."""
    work = DecisionTreeClassifier("gain_ratio").fit(*with_gap()).work()
    assert work["known(outlook)"].result == pytest.approx(13 / 14)
    assert work["H(play | outlook known)"].result == pytest.approx(0.961, abs=5e-4)
    assert work["H(play | outlook)"].result == pytest.approx(0.747, abs=5e-4)
    assert work["gain(outlook)"].result == pytest.approx(0.199, abs=5e-4)
    assert work["split info(outlook)"].result == pytest.approx(1.809, abs=5e-4)
    assert work["gain ratio(outlook)"].result == pytest.approx(0.110, abs=5e-4)
    grid = part(part(work, "root"), "outlook").parts[0]
    assert grid.rows[-1] == ("missing", 0, 1, 1, None)


def test_missing_cells_with_a_branch_of_their_own():
    """H = 0.940; sunny and rain 5/14 of 0.971 each, overcast and missing pure: 0.940 - 0.694 = 0.247."""
    work = DecisionTreeClassifier("entropy", missing="branch").fit(*with_gap()).work()
    assert "known(outlook)" not in [step.label for step in work.steps()]
    assert work["gain(outlook)"].result == pytest.approx(0.9402860 - 10 / 14 * 0.9709506, abs=1e-6)
    grid = part(part(work, "root"), "outlook").parts[0]
    assert grid.rows[-1] == ("missing", 0, 1, 1, 0)


def test_a_cut_is_charged_for_its_choice():
    """Eight rows, seven cuts, one of them perfect: 1 - log2(7) / 8."""
    model = C45(prune=None, min_samples_leaf=1).fit([[float(x)] for x in range(1, 9)], ["a"] * 4 + ["b"] * 4)
    root = part(model.work(), "root")
    charge = math.log2(7) / 8
    assert root["charge(x0)"].numbers == r"\frac{\log_2 7}{8}"
    assert root["charge(x0)"].result == pytest.approx(charge)
    assert root["gain(x0)"].numbers == f"1 - 0 - {charge:.6g}"
    assert root["gain(x0)"].result == pytest.approx(1 - charge)
    assert root["split info(x0)"].result == 1
    assert part(root, "x0 <= 4.5").parts[0].rows == (("<= 4.5", 4, 0, 4, 0), ("> 4.5", 0, 4, 4, 0))


def test_candidates_below_the_average_are_not_asked_for_their_ratio():
    root = part(DecisionTreeClassifier("gain_ratio").fit(WEATHER, PLAY).work(), "root")
    gains = [0.24674982, 0.02922257, 0.15183550, 0.04812703]
    assert root["average gain"].result == pytest.approx(sum(gains) / 4, abs=1e-8)
    marks = {row[0]: row[-1] for row in part(root, "candidates").rows}
    assert marks == {
        "outlook": "wins",
        "temperature": "below the average gain",
        "humidity": "",
        "windy": "below the average gain",
    }


def test_gini_of_two_groups_of_values():
    """Gini 1 - (5/14)² - (9/14)²; overcast 0 of 4, the others 5 of 10: 10/14 of 1/2."""
    model = DecisionTreeClassifier("gini", nominal="subset", max_depth=1).fit(WEATHER, PLAY)
    root = part(model.work(), "root")
    assert root["Gini(play)"].numbers == (
        r"1 - \left( \frac{5}{14} \right)^2 - \left( \frac{9}{14} \right)^2"
    )
    assert root["Gini(play | outlook)"].result == pytest.approx(5 / 14)
    assert root["gain(outlook)"].result == pytest.approx(1 - 106 / 196 - 5 / 14)
    rows = part(root, "outlook").parts[0].rows
    assert {row[0]: row[1:4] for row in rows} == {"rain, sunny": (5, 5, 10), "overcast": (0, 4, 4)}


def test_numbers_have_a_mean_and_a_squared_error():
    """1, 1, 5, 5: mean 3, error 4 a row; cut in the middle nothing is left of it."""
    model = DecisionTreeRegressor().fit([[1.0], [2.0], [8.0], [9.0]], [1.0, 1.0, 5.0, 5.0])
    root = part(model.work(), "root")
    assert (root["mean(target)"].numbers, root["mean(target)"].result) == (r"\frac{12}{4}", 3)
    assert (root["MSE(target)"].numbers, root["MSE(target)"].result) == (r"\frac{16}{4}", 4)
    assert root["gain(x0)"].result == 4
    assert part(root, "candidates").header == ("attribute", "mean squared error", "gain", "so")
    assert part(root, "x0 <= 5").parts[0].rows == (("<= 5", 1, 2, 0), ("> 5", 5, 2, 0))
    assert root.parts[-1].rows[0][-1] == "leaf 1: all its rows have the same target"


def test_no_gain_is_zero():
    """Each of three values has two rows of a and one of b: the gain is 0, and not what rounding leaves."""
    even = Nominal("even", ("u", "v", "w"))
    X = Table(
        Schema((even, Numeric("x"))),
        [np.repeat(np.arange(3, dtype=even.dtype), 3), np.tile(np.arange(3.0), 3)],
    )
    model = DecisionTreeClassifier("entropy", nominal="multiway").fit(X, ["a", "a", "b"] * 3)
    root = part(model.work(), "root")
    assert root["gain(even)"].result == 0
    assert part(root, "candidates").rows[0][2] == 0


def test_a_large_target_keeps_its_digits():
    """Squares of a billion would drown the errors around the mean."""
    y = [1e9, 1e9 + 1, 1e9 + 4, 1e9 + 5]
    root = part(DecisionTreeRegressor(max_depth=1).fit([[1.0], [2.0], [3.0], [4.0]], y).work(), "root")
    assert root["MSE(target)"].result == pytest.approx(4.25)
    assert root["MSE(target | x0)"].result == pytest.approx(0.25)


@pytest.mark.parametrize(("times", "least", "leaves"), [(1, 14, 3), (1, 15, 1), (2, 28, 3), (2, 29, 1)])
def test_a_root_of_less_weight_is_a_leaf(times, least, leaves):
    """A row of weight 2 counts as two rows."""
    tree = DecisionTreeClassifier(min_samples_split=least).fit(WEATHER, PLAY, sample_weight=[times] * 14)
    assert tree.get_n_leaves() == leaves


@pytest.mark.parametrize(
    ("learner", "title", "why"),
    [
        (DecisionTreeClassifier(max_depth=1), "root", "leaf Yes: max_depth is 1"),
        (DecisionTreeClassifier(min_samples_split=6), "root", "leaf Yes: min_samples_split is 6"),
        (DecisionTreeClassifier(min_samples_leaf=4), "root", "leaf Yes: two branches of 4 rows need more"),
        (DecisionTreeClassifier(min_samples_leaf=4), "root", "leaf No: two branches of 4 rows need more"),
    ],
)
def test_why_a_branch_is_a_leaf(learner, title, why):
    branches = part(learner.fit(WEATHER, PLAY).work(), title).parts[-1]
    assert why in [row[-1] for row in branches.rows]


@pytest.mark.parametrize(
    ("learner", "why"),
    [
        (DecisionTreeClassifier("entropy", min_gain=0.25), "no split has a gain above 0.25"),
        (
            DecisionTreeClassifier("entropy", significance=0.05),
            "outlook has the best split, but p = 0.169766 is not below 0.05",
        ),
        (
            DecisionTreeClassifier("entropy", pre_prune="pessimistic", penalty=2),
            "outlook has the best split, but it does not lower the pessimistic error",
        ),
        (
            DecisionTreeClassifier("entropy", prune="cost_complexity", ccp_alpha=1.0),
            "outlook was tested here, and pruning made it a leaf",
        ),
    ],
)
def test_why_the_root_is_a_leaf(learner, why):
    """Chi-squared of the outlook is 3.54667 on 2 degrees of freedom, so p = exp(-3.54667 / 2)."""
    root = part(learner.fit(WEATHER, PLAY).work(), "root")
    assert root.conclusion == f"A leaf, Yes: {why}."


def test_chi_squared_by_hand():
    """Expected are 5/14 and 9/14 of 4, 5 and 5; with two degrees of freedom p = exp(-statistic / 2)."""
    observed = {"overcast": (0, 4), "rain": (2, 3), "sunny": (3, 2)}
    statistic = sum(
        (o - n * share / 14) ** 2 / (n * share / 14)
        for counts in observed.values()
        for n in [sum(counts)]
        for o, share in zip(counts, (5, 9), strict=True)
    )
    step = (
        DecisionTreeClassifier("entropy", significance=0.3).fit(WEATHER, PLAY).work()["chi-squared(outlook)"]
    )
    assert step.result == pytest.approx(statistic)
    assert step.note == f"2 degrees of freedom: p = {math.exp(-statistic / 2):.6g}"


def test_a_pure_table_needs_no_test():
    work = ID3().fit(WEATHER, ["Yes"] * 14).work()
    assert part(work, "root").conclusion == "A leaf, Yes: all its rows have the same class."
    assert work.conclusion == "Leaves: 1; depth: 0."


def test_columns_that_were_not_drawn():
    model = DecisionTreeClassifier(max_features=1, max_depth=1, random_state=0).fit(WEATHER, PLAY)
    candidates = part(part(model.work(), "root"), "candidates")
    marks = [row[-1] for row in candidates.rows]
    assert (marks.count("wins"), marks.count("not drawn")) == (1, 3)


def test_reduced_errors_are_listed():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(80, 2)), rng.integers(0, 2, 80)
    model = DecisionTreeClassifier(prune="reduced_error", random_state=0).fit(X, y)
    pruning = part(model.work(), "Pruning")
    grid = pruning.parts[-1]
    assert (grid.title, grid.header[0], grid.header[-1]) == ("reduced error", "test", "so")
    assert {row[-1] for row in grid.rows} <= {"a leaf", "stays"}
    assert pruning.conclusion.endswith("decisions replaced a test by a leaf.")


def test_the_price_of_a_leaf_is_the_one_that_was_chosen():
    model = CART().fit(*load("iris").split("species"))
    step = part(model.work(), "Pruning")["leaf"]
    assert step.result > model.ccp_alpha_ > 0
    assert step.numbers.endswith(f"+ {model.ccp_alpha_:.6g}")


# --- large ones


def test_many_columns_are_abbreviated():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 50)), rng.integers(0, 2, 60)
    root = part(DecisionTreeClassifier(max_depth=1).fit(X, y).work(), "root")
    assert sum(isinstance(p, Work) for p in root.parts) == 8
    candidates = part(root, "candidates")
    assert len(candidates.rows) == 40
    assert candidates.note == "10 of the 50 columns are not shown; the best 8 of 50 are derived"
    winner = root.conclusion.partition(" wins")[0]
    assert winner in [row[0] for row in candidates.rows]
    assert root[f"gain({winner})"].result == max(
        s.result for s in root.steps() if s.label.startswith("gain(")
    )


def test_many_branches_and_classes_are_abbreviated():
    values = tuple(f"v{i}" for i in range(30))
    table = Table(Schema((Nominal("x", values),)), [np.arange(30, dtype=Nominal("x", values).dtype)])
    root = part(ID3().fit(table, [f"c{i % 10}" for i in range(30)]).work(), "root")
    assert part(root, "x").parts[0].note == "6 of the 30 branches are not shown"
    assert root["H(class)"].numbers.count(r"\log_2") == 8
    assert r"\dots" in root["H(class | x)"].numbers


def test_the_nodes_nearest_the_root_are_told():
    rng = np.random.default_rng(0)
    model = DecisionTreeClassifier().fit(rng.normal(size=(3000, 3)), rng.integers(0, 2, 3000))
    told = set(model.candidates_.node.tolist())
    depth, inner = depths(model.tree_), np.flatnonzero(model.tree_.attribute != LEAF)
    assert len(told) == 64
    untold = [node for node in inner if node not in told]
    assert max(depth[node] for node in told) <= min(depth[node] for node in untold)
    work = model.work()
    assert len(work.parts) == 64
    assert f" {len(untold)} splits are not derived:" in work.conclusion


def test_candidates_too_large_to_keep(monkeypatch):
    monkeypatch.setattr(grower, "RECORDED_FIGURES", 1)
    work = ID3().fit(WEATHER, PLAY).work()
    assert [p.title for p in work.parts] == ["root"]
    assert part(work, "root").conclusion == "It had too many candidates to store."
    assert [row[-1] for row in part(work, "root").parts[-1].rows][1:] == ["test windy", "test humidity"]
    assert " 3 splits are not derived:" in work.conclusion


@pytest.mark.parametrize("name", ["50%_off", "a\nb", "x^2 {", "", "Σ"])
def test_any_name_can_be_shown(name):
    table = Table(Schema((Numeric(name),)), [np.arange(6.0)])
    model = DecisionTreeClassifier("gain_ratio").fit(table, ["50%", "50%", "50%", "\\a", "\\a", "\\a"])
    for work in (model.work(), model.work(table.take([0])), model.work({})):
        assert work.text()
        assert work.html()
        assert work.latex()
        assert work.json()


# --- the way of a row


def test_the_way_down():
    work = ID3().fit(WEATHER, PLAY).work({"outlook": "sunny", "humidity": "high"})
    way = part(work, "the path")
    assert [(step.label, step.result, step.note) for step in way.parts] == [
        ("outlook", "sunny", "branch: outlook = sunny, 5 rows"),
        ("humidity", "high", "branch: humidity = high, 3 rows"),
    ]
    assert part(work, "reached").rows == (("outlook = sunny, humidity = high", 3, 0, 3, 1),)
    assert (work["P(play = No)"].numbers, work["P(play = No)"].result) == (r"\frac{3}{3}", 1)
    assert work.conclusion == "Most probable: No."


@pytest.mark.parametrize(("outlook", "said"), [(None, "missing"), ("fog", "a value not seen in training")])
def test_a_cell_that_decides_nothing_goes_down_every_branch(outlook, said):
    """overcast 4/14 and calm rain 5/14 say Yes, damp sunshine 5/14 says No."""
    row = {"outlook": outlook, "humidity": "high", "windy": "false"}
    work = ID3().fit(WEATHER, PLAY).work(row)
    assert work["outlook"].result == said
    assert work["outlook"].note == "so down every branch, in proportion to its rows"
    assert work["share(outlook = overcast)"].numbers == r"1 \cdot \frac{4}{14}"
    assert work["share(outlook = sunny)"].result == pytest.approx(5 / 14)
    assert [row[-1] for row in part(work, "reached").rows] == pytest.approx([4 / 14, 5 / 14, 5 / 14])
    assert work["P(play = No)"].result == pytest.approx(5 / 14)
    assert work["P(play = Yes)"].result == pytest.approx(9 / 14)


def test_missing_cells_that_have_one_way():
    """Of rain and sunny, both with five rows, rain is the first; with a gap in training it has its branch."""
    model = DecisionTreeClassifier("entropy", missing="majority").fit(WEATHER, PLAY)
    step = model.work({"windy": "true"})["outlook"]
    assert step.result == "missing, so no branch is determined"
    assert step.note == "branch: outlook = rain (or missing), 5 rows"
    own = DecisionTreeClassifier("entropy", missing="branch").fit(*with_gap())
    assert own.work({})["outlook"].note == "branch: outlook is missing, 1 row"


def test_a_leaf_without_rows_says_so():
    """Nobody has seen a blue thing among the small ones, which are 2 of 3 times cheap."""
    rows = [
        *[("small", "red", "cheap")] * 2,
        ("small", "green", "dear"),
        *[("large", "red", "dear")] * 5,
        ("large", "blue", "dear"),
    ]
    model = ID3().fit(read([{"size": s, "colour": c} for s, c, _ in rows]), [t for *_, t in rows])
    small = part(model.work(), "size = small")
    assert small.parts[-1].rows[0] == (
        "blue",
        0,
        0,
        0,
        "leaf cheap: no training row reaches it, so it predicts what its parent predicts",
    )
    work = model.work({"size": "small", "colour": "blue"})
    assert part(work, "reached").rows == (("size = small, colour = blue", 2, 1, 0, 1),)
    assert part(work, "reached").note == "a leaf without rows has the prediction of its parent"
    assert work["P(class = cheap)"].result == pytest.approx(2 / 3)


def test_a_number_is_the_sum_over_the_leaves():
    model = DecisionTreeRegressor().fit([[1.0], [2.0], [8.0]], [-3.0, -3.0, 6.0])
    assert model.work([1.5])["target"].result == -3
    step = model.work({})["target"]
    assert step.numbers == r"0.666667 \cdot (-3) + 0.333333 \cdot 6"
    assert step.result == pytest.approx(0)
    assert model.work([9.0]).conclusion == "Predicted: 6."
