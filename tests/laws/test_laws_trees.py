"""Laws of trees: the kernels find what plain Python finds, and a prediction is what its work says."""

import math
from itertools import combinations
from unittest import mock

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from openbook.border.rows import in_rows
from openbook.data import MISSING, UNSEEN, Nominal, Numeric, Ordinal, Schema, Table
from openbook.tree import DecisionTreeClassifier, DecisionTreeRegressor
from openbook.tree.derive import splits
from openbook.tree.derive.candidates import search_at
from openbook.tree.derive.search import TargetRows, search_column
from openbook.tree.derive.splits import CandidateSplit, chosen, gain_tolerance, min_leaf_weight
from openbook.tree.engine import columns
from openbook.tree.engine.grower import RECORDED
from openbook.tree.engine.nodes import LEAF, check

CLASSES = ["a", "b", "c"]
NUMBERS = st.sampled_from([0.0, 1.0, 1.0, 2.5, -3.25, 0.1, 100.7])
ROUNDING = 1e-12
CRUMB = 1e-3  # lighter parts of rows are not parted any more


@st.composite
def attributes(draw, name):
    """An attribute and a strategy for its known cells."""
    kind = draw(st.sampled_from([Numeric, Numeric, Nominal, Nominal, Ordinal]))
    if kind is Numeric:
        return Numeric(name), NUMBERS
    n = draw(st.integers(1, 4))
    return kind(name, tuple(f"v{i}" for i in range(n))), st.integers(0, n - 1)


def filled(draw, attribute, cells, n, gaps):
    """A column of n cells, of which some are among the gaps."""
    cells = st.one_of(cells, cells, cells, st.sampled_from(gaps)) if gaps else cells
    dtype = float if isinstance(attribute, Numeric) else attribute.dtype
    return np.array(draw(st.lists(cells, min_size=n, max_size=n)), dtype=dtype)


@st.composite
def problems(draw, max_rows=14, criteria=("gini", "entropy", "gain_ratio", "squared_error")):
    """A learner, rows with targets and weights to learn from, and rows to predict."""
    described = [draw(attributes(f"x{j}")) for j in range(draw(st.integers(1, 3)))]
    schema = Schema(tuple(attribute for attribute, _ in described))
    n, gaps = draw(st.integers(1, max_rows)), draw(st.booleans())

    def table(rows, codes):
        none = [[math.nan] if isinstance(a, Numeric) else codes for a in schema]
        return Table(
            schema,
            [
                filled(draw, a, cells, rows, gap if gaps else [])
                for (a, cells), gap in zip(described, none, strict=True)
            ],
        )

    X, new = table(n, [MISSING]), table(3, [MISSING, UNSEEN])
    criterion = draw(st.sampled_from(criteria))
    numbers = criterion == "squared_error"
    targets = NUMBERS if numbers else st.sampled_from(CLASSES[: draw(st.integers(1, 3))])
    y = np.array(draw(st.lists(targets, min_size=n, max_size=n)))
    w = np.ones(n)
    if draw(st.booleans()):
        drawn = draw(st.lists(st.sampled_from([0.3, 0.5, 1.0, 2.0, 3.0]), min_size=n, max_size=n))
        w = in_rows(drawn)  # what the learner makes of them: a mean of 1, unless all are whole
    learner = (DecisionTreeRegressor if numbers else DecisionTreeClassifier)(
        criterion,
        nominal=draw(st.sampled_from(["multiway", "subset"])),
        missing=draw(st.sampled_from(["fractional", "majority", "branch"])),
        min_samples_leaf=draw(st.sampled_from([1, 1, 2])),
        max_depth=draw(st.sampled_from([None, 1, 3])),
    )
    return learner, X, y, w, new


def fresh(learner):
    """The learner as it was before any fit."""
    return type(learner)(**learner.get_params())


def fitted(problem, few=None, uncharged=splits.FEW):
    """The model; with few = 0 numbers are sorted, however few of them differ, rather than counted.

    uncharged : nominal columns of more values are charged for what chance gains
    """
    learner, X, y, w, _ = problem
    few = columns.FEW if few is None else few
    with mock.patch.object(columns, "FEW", few), mock.patch.object(splits, "FEW", uncharged):
        return fresh(learner).fit(X, y, sample_weight=w)


def cells_of(X):
    """The columns as lists, None where nothing is known."""
    return [
        [None if (math.isnan(c) if isinstance(a, Numeric) else c < 0) else c for c in column.tolist()]
        for a, column in zip(X.schema, X.columns, strict=True)
    ]


def branch_of(tree, node, cell):
    return int(cell > tree.cut[node]) if tree.route[node] < 0 else tree.routes[tree.route[node] + cell]


def rows_at(model, X, w):
    """The training rows of every node, as pairs of row and weight; missing cells go as the model has it."""
    tree, table = model.tree_, cells_of(X)
    at = {0: list(enumerate(w.tolist()))}
    for node in range(tree.size):
        if tree.attribute[node] == LEAF:
            continue
        children = list(tree.children(node))
        below = {child: [] for child in children}
        column = table[tree.attribute[node]]
        gaps = [(i, weight) for i, weight in at[node] if column[i] is None]
        for i, weight in at[node]:
            if column[i] is not None:
                below[children[branch_of(tree, node, column[i])]].append((i, weight))
        weights = {child: math.fsum(weight for _, weight in rows) for child, rows in below.items()}
        heaviest = max(children, key=weights.get)
        total = math.fsum(weights.values())
        for i, weight in gaps:
            if tree.missing[node] >= 0:
                below[children[tree.missing[node]]].append((i, weight))
            elif weight < CRUMB:
                below[heaviest].append((i, weight))
            else:
                for child in children:
                    if weights[child] > 0:
                        below[child].append((i, weight * weights[child] / total))
        at |= below
    return at


def groups(split):
    return [(*g.weights,) if hasattr(g, "weights") else (g.weight, g.mean, g.error) for g in split.groups]


@pytest.mark.thorough
@settings(max_examples=150, suppress_health_check=[HealthCheck.too_slow])
@given(problems(), st.sampled_from([None, 0]), st.sampled_from([20, 2]))
def test_every_node_is_searched_as_in_plain_python(problem, few, uncharged):
    """Gains, cuts, groups of rows and the winner: of every node, on ties, gaps, weights, constant columns."""
    _, X, y, w, _ = problem
    model = fitted(problem, few, uncharged)
    tree, at, table = model.tree_, rows_at(model, X, w), cells_of(X)
    least = min_leaf_weight(model, tree.weight[0])
    classes = getattr(model, "classes_", None)
    kinds = [model.nominal if isinstance(a, Nominal) else None for a in X.schema]
    many = [isinstance(a, Nominal) and len(a.values) >= 0.3 * len(y) for a in X.schema]
    counted = [all(many) or not m for m in many]
    charged = [isinstance(a, Nominal) and len(a.values) > uncharged for a in X.schema]
    nodes = model.candidates_.node.tolist()
    assert len(set(nodes)) == len(nodes)
    assert len(nodes) == RECORDED or set(np.flatnonzero(tree.attribute != LEAF)) <= set(nodes)
    for k, node in enumerate(nodes):
        here = at[node]
        rows = TargetRows([y[i] for i, _ in here], [weight for _, weight in here], classes)
        cells = [[column[i] for i, _ in here] for column in table]
        found = [
            search_column(own, rows, model.criterion, kind, least, model.missing, charged=pays)
            for own, kind, pays in zip(cells, kinds, charged, strict=True)
        ]
        winner = chosen(
            [f and f.gain for f in found],
            [f and f.split.info for f in found],
            rows.group([True] * len(here)),
            model.criterion,
            counted=counted,
        )
        for j, twin in enumerate(found):
            gain = model.candidates_.gain[k, j]
            if math.isnan(gain):
                assert twin is None or twin.gain <= ROUNDING
                continue
            if twin is None:  # what is left beside the charge is rounding
                assert gain <= ROUNDING
                continue
            assert gain == pytest.approx(twin.gain, rel=1e-9, abs=1e-12)
            np.testing.assert_equal(model.candidates_.cut[k, j], twin.split.cut)
            with mock.patch.object(splits, "FEW", uncharged):
                noted = search_at(model, k).found[j].split
            np.testing.assert_allclose(groups(noted), groups(twin.split), rtol=1e-9, atol=1e-9)
            if model.criterion == "gain_ratio":
                assert model.candidates_.info[k, j] == pytest.approx(twin.split.info, rel=1e-9)
        assert tree.attribute[node] == (LEAF if winner is None else winner)


@pytest.mark.thorough
@settings(suppress_health_check=[HealthCheck.too_slow])
@given(problems(), st.sampled_from([None, 0]), st.sampled_from([20, 2]))
def test_the_work_derives_what_was_chosen(problem, few, uncharged):
    """From the noted counts alone: the winner, what is charged, and words for it all."""
    with mock.patch.object(splits, "FEW", uncharged):
        derives_what_was_chosen(fitted(problem, few, uncharged))


def derives_what_was_chosen(model):
    for k, node in enumerate(model.candidates_.node.tolist()):
        search = search_at(model, k)
        name = None if search.winner is None else search.winner.name
        attribute = model.tree_.attribute[node]
        assert name == (None if attribute == LEAF else model.schema_.names[attribute])
        for candidate in search.with_split:
            step = candidate.charge(model.criterion)
            charge = 0.0 if step is None else step.result
            assert candidate.gain == pytest.approx(candidate.split.gain(model.criterion) - charge, abs=1e-9)
    work = model.work()
    assert work.text()
    assert work.json()
    assert len({part.title for part in work.parts}) == len(work.parts)


@settings(max_examples=100, suppress_health_check=[HealthCheck.too_slow])
@given(problems())
def test_a_prediction_is_what_its_work_says(problem):
    """Missing cells and values never seen included: the leaves' shares add up to it."""
    model, new = fitted(problem), problem[-1]
    check(model.tree_, model.schema_, model._n_outputs)
    if model.criterion == "squared_error":
        for i, number in enumerate(model.predict(new)):
            assert model.work(new.take([i]))["target"].result == pytest.approx(number, rel=1e-12, abs=1e-12)
        return
    proba, labels = model.predict_proba(new), model.predict(new)
    np.testing.assert_allclose(proba.sum(axis=1), 1)
    assert (proba >= 0).all()
    for i, shares in enumerate(proba):
        work = model.work(new.take([i]))
        derived = [work[f"P(class = {label})"].result for label in model.classes_]
        np.testing.assert_allclose(shares, derived, rtol=1e-12)
        assert work.conclusion == f"Most probable: {labels[i]}."


@given(problems())
def test_every_node_weighs_what_its_rows_do(problem):
    _, X, y, w, _ = problem
    model = fitted(problem)
    for node, rows in rows_at(model, X, w).items():
        total = math.fsum(weight for _, weight in rows)
        assert model.tree_.weight[node] == pytest.approx(total, rel=1e-9, abs=1e-12)
        if total > 0 and model.criterion == "squared_error":
            mean = math.fsum(weight * y[i] for i, weight in rows) / total
            assert model.tree_.value[node, 0] == pytest.approx(mean, rel=1e-9, abs=1e-9)
        elif total > 0:
            expected = [math.fsum(weight for i, weight in rows if y[i] == c) for c in model.classes_]
            assert model.tree_.value[node] == pytest.approx(expected, rel=1e-9, abs=1e-12)


def outputs(model, X):
    return model.predict(X) if model.criterion == "squared_error" else model.predict_proba(X)


@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(problem, random):
    learner, X, y, w, new = problem
    order = list(range(len(y)))
    random.shuffle(order)
    other = fresh(learner).fit(X.take(order), y[order], sample_weight=w[order])
    np.testing.assert_allclose(outputs(fitted(problem), new), outputs(other, new), rtol=1e-9, atol=1e-9)


@pytest.mark.thorough
@given(problems())
def test_sorted_numbers_and_counted_ones_grow_the_same_tree(problem):
    one, other = fitted(problem), fitted(problem, few=0)
    for name in ("attribute", "first", "branches", "missing", "cut"):
        np.testing.assert_array_equal(getattr(one.tree_, name), getattr(other.tree_, name))
    np.testing.assert_allclose(one.tree_.value, other.tree_.value, rtol=1e-9, atol=1e-9)


@given(problems(criteria=("gini", "entropy", "squared_error")), st.integers(2, 4))
def test_weights_are_repeated_rows(problem, k):
    learner, X, y, _, new = problem
    weights = np.arange(len(y)) % k + 1
    repeated = np.repeat(np.arange(len(y)), weights)
    one = fresh(learner).fit(X, y, sample_weight=weights)
    other = fresh(learner).fit(X.take(repeated), y[repeated])
    np.testing.assert_allclose(outputs(one, new), outputs(other, new), rtol=1e-9, atol=1e-9)


@settings(max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 4), st.integers(0, 4)).filter(sum), min_size=2, max_size=6),
    st.sampled_from(["gini", "entropy", "gain_ratio", "squared_error"]),
)
def test_two_groups_of_values_are_the_best_of_all(counts, criterion):
    """Two classes, or two numbers: every way to part the values is tried."""
    attribute = Nominal("x", tuple(f"v{v}" for v in range(len(counts))))
    column = [v for v, pair in enumerate(counts) for _ in range(sum(pair))]
    y = [t for pair in counts for t in (0,) * pair[0] + (1,) * pair[1]]
    assume(len(set(y)) == 2)
    numbers = criterion == "squared_error"
    table = Table(Schema((attribute,)), [np.array(column, dtype=attribute.dtype)])
    learner = DecisionTreeRegressor if numbers else DecisionTreeClassifier
    model = learner(criterion, nominal="subset", max_depth=1).fit(
        table, np.array(y, float if numbers else int)
    )
    rows = TargetRows(y, [1.0] * len(y), None if numbers else [0, 1])
    gap = rows.group([False] * len(y))
    best = 0.0
    for size in range(1, len(counts)):
        for left in combinations(range(len(counts)), size):
            sides = [[(v in left) is here for v in column] for here in (True, False)]
            split = CandidateSplit(tuple((None, rows.group(side)) for side in sides), gap)
            best = max(best, split.gain(criterion))
    gain = model.candidates_.gain[0, 0]
    if best <= gain_tolerance(rows.group([True] * len(y)), criterion):
        assert math.isnan(gain)
    else:
        assert gain == pytest.approx(best, rel=1e-9)
        assert model.tree_.branches[0] == 2


@given(problems())
def test_what_is_saved_says_the_same(problem):
    """As a model file has it: facts and arrays."""
    model, new = fitted(problem), problem[-1]
    opened = fresh(problem[0])
    opened._opened(model._saved())
    np.testing.assert_array_equal(outputs(model, new), outputs(opened, new))
    assert opened.work() == model.work()
    assert opened.work(new.take([0])) == model.work(new.take([0]))
