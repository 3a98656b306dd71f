"""Hidden Markov models: by hand, against every path, against the twin; gaps, labels, restrictions, files."""

import itertools
import math

import joblib
import numpy as np
import pytest

import openbook
from openbook.bayes import Laplace, MEstimate, NoSmoothing
from openbook.data import Nominal, Numeric, Schema, Table
from openbook.errors import DataError, ModelFileError, ParameterError, RefusalError, UnknownColumn
from openbook.sequence import HiddenMarkov, HiddenMarkovClassifier
from openbook.sequence.baum_welch import MStep, baum_welch

# Russell and Norvig's umbrella world: rain lasts, and rain brings umbrellas
UMBRELLA = HiddenMarkov.from_tables(
    {"rain": 0.5, "dry": 0.5},
    {"rain": {"rain": 0.7, "dry": 0.3}, "dry": {"rain": 0.3, "dry": 0.7}},
    {"umbrella": {"rain": {"yes": 0.9, "no": 0.1}, "dry": {"yes": 0.2, "no": 0.8}}},
)


def days(*umbrellas):
    return [{"umbrella": umbrella} for umbrella in umbrellas]


def random_model(random_state, K=3):
    """A model of a nominal column and a number, some transitions impossible."""
    rng = np.random.default_rng(random_state)
    states = [f"s{k}" for k in range(K)]

    def drawn(names):
        return dict(zip(names, rng.dirichlet(np.ones(len(names))).tolist(), strict=True))

    transitions = {state: drawn(states) for state in states}
    transitions["s0"] = {"s0": 0.25, "s1": 0.75}
    return HiddenMarkov.from_tables(
        drawn(states),
        transitions,
        {
            "letter": {state: drawn(["a", "b", "c"]) for state in states},
            "number": {state: (float(rng.normal(0, 2)), float(rng.uniform(0.5, 2))) for state in states},
        },
    )


def with_gaps(table, share, random_state):
    rng = np.random.default_rng(random_state)
    columns = []
    for attribute in table.schema:
        column = table.data(attribute.name).copy()
        column[rng.random(len(table)) < share] = np.nan if isinstance(attribute, Numeric) else -1
        columns.append(column)
    return Table(table.schema, columns)


def probability(model, X, t, k):
    """P(row t | state k), by the definition."""
    letter, number = X.column("letter").tolist()[t], X.data("number")[t]
    p = 1.0 if letter is None else model.probabilities_["letter"][model.states_[k]][letter]
    if not math.isnan(number):
        mean, variance = model.means_[k, 0], model.covariances_[k, 0, 0]
        p *= math.exp(-((number - mean) ** 2) / (2 * variance)) / math.sqrt(2 * math.pi * variance)
    return p


def every_path(model, X):
    """The probability of the rows along each path of states."""
    K, found = len(model.states_), {}
    for path in itertools.product(range(K), repeat=len(X)):
        p = model.start_[path[0]]
        for t, k in enumerate(path):
            p *= probability(model, X, t, k) * (model.transitions_[path[t - 1], k] if t else 1.0)
        found[path] = p
    return found


# --- by hand ----------------------------------------------------------------------------------------------


def test_filtering_and_smoothing_of_the_umbrella_world():
    # first day: 0.9 · 0.5 and 0.2 · 0.5, so 9/11
    assert UMBRELLA.predict_proba(days("yes"))[0] == pytest.approx([9 / 11, 2 / 11])
    # second day: rain is predicted with 0.7 · 9/11 + 0.3 · 2/11 = 6.9/11, dry with 4.1/11
    rain, dry = 0.9 * 6.9 / 11, 0.2 * 4.1 / 11
    both = UMBRELLA.predict_proba(days("yes", "yes"))
    assert both[1] == pytest.approx([rain / (rain + dry), dry / (rain + dry)])
    assert both[1, 0] == pytest.approx(0.883, abs=5e-4)
    # smoothing: backward of day 1 is 0.9 · 0.7 + 0.2 · 0.3 = 0.69 for rain and 0.41 for dry
    assert both[0, 0] == pytest.approx(9 * 0.69 / (9 * 0.69 + 2 * 0.41))
    # P(umbrella, umbrella) = 0.55 · (rain + dry)
    assert UMBRELLA.log_likelihood(days("yes", "yes")) == pytest.approx(math.log(0.55 * (rain + dry)))


def test_the_most_probable_path_of_the_umbrella_world():
    assert UMBRELLA.predict(days("yes", "yes", "no", "yes", "yes")).tolist() == [
        "rain",
        "rain",
        "dry",
        "rain",
        "rain",
    ]
    # v of the fifth day, along rain rain dry rain rain
    p = 0.5 * 0.9 * (0.7 * 0.9) * (0.3 * 0.8) * (0.3 * 0.9) * (0.7 * 0.9)
    work = UMBRELLA.work(days("yes", "yes", "no", "yes", "yes"))
    assert work["best end"].result == pytest.approx(math.log(p))
    assert "rain, rain, dry, rain, rain" in work.conclusion


def test_a_forecast_follows_the_transitions():
    ahead = UMBRELLA.forecast(days("yes"), steps=2)
    header, first, _ = str(ahead).splitlines()
    assert header.split("  ")[:2] == ["step", "P(rain)"]
    assert (
        first.split()[1] == f"{9 / 11 * 0.7 + 2 / 11 * 0.3:.6g}"
    )  # 0.9 · 0.5 against 0.2 · 0.5, then a step
    assert ahead.states[0] == pytest.approx([6.9 / 11, 4.1 / 11])
    second = 0.7 * 6.9 / 11 + 0.3 * 4.1 / 11
    assert ahead.states[1, 0] == pytest.approx(second)
    assert ahead.values["umbrella"][1, 0] == pytest.approx(0.9 * second + 0.2 * (1 - second))


def test_counts_of_labelled_rows_by_hand():
    rows = [{"s": s, "x": x} for s, x in zip("1112222", "aabbbab", strict=True)]
    y = ["A", "A", "B", "A", "B", "B", "B"]
    model = HiddenMarkov(sequence="s", smoothing=NoSmoothing()).fit(rows, y)
    assert model.start_.tolist() == [1, 0]  # both sequences begin with A
    assert model.transitions_.tolist() == [[1 / 3, 2 / 3], [0, 1]]  # AA AB | AB BB BB
    assert model.probabilities_["x"] == {"A": {"a": 2 / 3, "b": 1 / 3}, "B": {"a": 1 / 4, "b": 3 / 4}}
    smooth = HiddenMarkov(sequence="s", smoothing=Laplace(1.0)).fit(rows, y)
    assert smooth.transitions_.ravel().tolist() == pytest.approx([2 / 5, 3 / 5, 1 / 4, 3 / 4])
    assert smooth.probabilities_["x"]["A"]["a"] == pytest.approx(3 / 5)
    # a value never seen has the estimate of a count of 0: 1/5 for A, 1/6 for B
    unseen = smooth.predict_proba([{"x": "z"}])[0]
    joint = np.array([3 / 4 / 5, 1 / 4 / 6])
    assert unseen == pytest.approx(joint / joint.sum())
    # without smoothing it says nothing
    assert model.predict_proba([{"x": "z"}])[0] == pytest.approx([1, 0])


def test_means_of_labelled_numbers_by_hand():
    model = HiddenMarkov(smoothing=NoSmoothing()).fit([[1.0], [3.0], [10.0], [14.0]], [0, 0, 1, 1])
    assert model.states_.tolist() == [0, 1]
    assert model.means_.ravel() == pytest.approx([2, 12])
    assert model.covariances_.ravel() == pytest.approx([1, 4])
    assert model.transitions_.ravel() == pytest.approx([1 / 2, 1 / 2, 0, 1])


def test_one_round_of_baum_welch_by_hand():
    # forward of day 1 is 9 : 2; pairs of states, times what the second shows of "no":
    pairs = np.array([[9 * 0.7 * 0.1, 9 * 0.3 * 0.8], [2 * 0.3 * 0.1, 2 * 0.7 * 0.8]])
    first, second = pairs.sum(axis=1) / pairs.sum(), pairs.sum(axis=0) / pairs.sum()
    pieces = UMBRELLA._pieces(UMBRELLA._conformed(days("yes", "no")))
    maximise = MStep(NoSmoothing(), ("rain", "dry"), "diag", 1e-3)
    chain, trace, settled = baum_welch(pieces, UMBRELLA._chain, maximise, tol=0, max_iter=1)
    assert chain.start == pytest.approx(first)
    np.testing.assert_allclose(chain.transitions, pairs / pairs.sum(axis=1, keepdims=True))
    np.testing.assert_allclose(chain.emissions.tables[0][:, 0], first / (first + second))  # P(yes)
    assert trace[0] == pytest.approx(math.log(0.55 * pairs.sum() / 11))
    assert trace[1] > trace[0]
    assert not settled
    update = UMBRELLA.work(days("yes", "no"))["one round of Baum–Welch on these rows"]
    shown = {part.title: part.rows for part in update.parts if hasattr(part, "rows")}
    for i, row in enumerate(shown["a"]):
        assert row[1:] == pytest.approx(chain.transitions[i].tolist())
    assert shown["new P(umbrella | state)"][0][1:] == pytest.approx((first / (first + second)).tolist())


# --- against every path, and the twin -----------------------------------------------------------------------


@pytest.mark.parametrize("random_state", range(6))
def test_all_answers_equal_the_sums_over_every_path(random_state):
    model = random_model(random_state)
    X = with_gaps(model.sample(6, random_state)[0], 0.3, random_state)
    paths = every_path(model, X)
    total = math.fsum(paths.values())
    assert model.log_likelihood(X) == pytest.approx(math.log(total))
    expected = np.zeros((len(X), 3))
    for path, p in paths.items():
        expected[range(len(X)), path] += p / total
    np.testing.assert_allclose(model.predict_proba(X), expected, atol=1e-12)
    best = max(paths, key=paths.get)
    assert model.predict(X).tolist() == [f"s{k}" for k in best]
    by_row = model.set_params(decode="posterior").predict(X)
    assert by_row.tolist() == [f"s{k}" for k in expected.argmax(axis=1)]


@pytest.mark.parametrize("random_state", range(10))
def test_kernels_equal_their_twin(random_state):
    model = random_model(random_state, K=2 + random_state % 3)
    X = with_gaps(model.sample(12, random_state)[0], 0.2, random_state)
    tables = model._trellis(X)
    np.testing.assert_allclose(model.predict_proba(X), tables.posterior, atol=1e-12)
    assert model.log_likelihood(X) == pytest.approx(math.fsum(tables.log_c))
    assert model.predict(X).tolist() == [model.states_[k] for k in tables.path]


def test_a_full_covariance_equals_its_twin_with_gaps():
    X = with_gaps(openbook.load("iris").drop("species").take(slice(30, 70)), 0.2, 0)
    model = HiddenMarkov(2, covariance_type="full", max_iter=5).fit(X)
    tables = model._trellis(X)
    np.testing.assert_allclose(model.predict_proba(X), tables.posterior, atol=1e-9)
    assert model.log_likelihood(X) == pytest.approx(math.fsum(tables.log_c), rel=1e-9)


def test_ties_take_the_first_state():
    even = {"a": 0.5, "b": 0.5}
    model = HiddenMarkov.from_tables(even, {"a": even, "b": even}, {"x": {"a": {"u": 1.0}, "b": {"u": 1.0}}})
    assert model.predict([{"x": "u"}] * 3).tolist() == ["a", "a", "a"]
    assert model._trellis(model.sample(3)[0]).path == [0, 0, 0]


def test_far_numbers_and_long_sequences_do_not_underflow():
    model = HiddenMarkov.from_tables(
        {"low": 1.0},
        {"low": {"low": 0.99, "high": 0.01}, "high": {"high": 1.0}},
        {"x": {"low": (0.0, 1.0), "high": (1000.0, 1.0)}},
    )
    # the first row must be low, though it is 1000 standard deviations off
    assert model.log_likelihood([{"x": 1000.0}]) == pytest.approx(-(1000**2) / 2 - math.log(2 * math.pi) / 2)
    far = Table(model.schema_, [np.array([1000.0, 1000.0])])
    tables = model._trellis(far)
    np.testing.assert_allclose(model.predict_proba(far), tables.posterior)
    n = 10**6
    long = UMBRELLA.log_likelihood(Table(UMBRELLA.schema_, [np.zeros(n, dtype=np.int8)]))
    # forward settles at its fixed point, where every day adds the same
    f = UMBRELLA.predict_proba(days(*["yes"] * 60))[-1, 0]
    predicted = 0.7 * f + 0.3 * (1 - f)
    assert long / n == pytest.approx(math.log(0.9 * predicted + 0.2 * (1 - predicted)), rel=1e-5)


def test_an_impossible_row_says_nothing_and_scores_minus_infinity():
    model = HiddenMarkov.from_tables(
        {"a": 1.0},
        {"a": {"b": 1.0}, "b": {"b": 1.0}},
        {"x": {"a": {"u": 1.0, "v": 0.0}, "b": {"u": 0.5, "v": 0.5}}},
    )
    rows = [{"x": "v"}, {"x": "v"}]
    assert model.log_likelihood(rows) == -math.inf
    assert model.predict_proba(rows).tolist() == [[1, 0], [0, 1]]
    assert model.predict(rows).tolist() == ["a", "b"]
    assert "no reachable state can show row 1" in model.work(rows).text()


# --- learning ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("smoothing", [NoSmoothing(), Laplace(0.5), MEstimate(2.0)])
@pytest.mark.parametrize("covariance_type", ["diag", "spherical", "full"])
def test_the_trace_never_falls(smoothing, covariance_type):
    credit = openbook.load("credit", rows=150, random_state=1).drop("default")
    model = HiddenMarkov(3, covariance_type=covariance_type, smoothing=smoothing, max_iter=25, tol=0)
    model.fit(with_gaps(credit, 0.2, 2))
    assert len(model.trace_) == 26
    assert np.diff(model.trace_).min() >= -1e-7


def test_learning_finds_the_states_that_made_the_rows():
    true = HiddenMarkov.from_tables(
        {"a": 0.5, "b": 0.5},
        {"a": {"a": 0.95, "b": 0.05}, "b": {"a": 0.1, "b": 0.9}},
        {
            "x": {"a": (0.0, 1.0), "b": (3.0, 2.0)},
            "u": {"a": {"p": 0.8, "q": 0.2}, "b": {"p": 0.3, "q": 0.7}},
        },
    )
    X, states = true.sample(4000, 3)
    model = HiddenMarkov(2).fit(X)
    order = np.argsort(model.means_[:, 0])
    np.testing.assert_allclose(model.means_[order, 0], [0, 3], atol=0.25)
    np.testing.assert_allclose(model.transitions_[np.ix_(order, order)], true.transitions_, atol=0.04)
    found = np.array(["a", "b"])[np.argsort(order)[model.predict(X)]]
    assert (found == states).mean() > 0.93
    by_states = {k: HiddenMarkov(k).fit(X).bic(X) for k in (1, 2, 3)}
    assert min(by_states, key=by_states.get) == 2


def test_some_labels_name_the_states_and_keep_their_rows():
    X, states = UMBRELLA.sample(600, 1)
    y = [state if t % 10 == 0 else None for t, state in enumerate(states)]
    model = HiddenMarkov().fit(X, y)
    assert model.states_.tolist() == ["dry", "rain"]
    assert model.probabilities_["umbrella"]["rain"]["yes"] > 0.7
    assert model.probabilities_["umbrella"]["dry"]["yes"] < 0.4
    only_rain = HiddenMarkov().fit(X, [state if state == "rain" else None for state in states])
    assert only_rain.states_.tolist() == ["rain", "state 2"]
    numbers = HiddenMarkov().fit(X, [1.0 if state == "rain" else math.nan for state in states])
    assert numbers.states_.tolist() == [1.0, 2.0]
    assert HiddenMarkov().fit(X, [None] * 600).trace_ == HiddenMarkov().fit(X).trace_


def test_zeros_stay_zero():
    X, _ = UMBRELLA.sample(200, 2)
    given = [[0.5, 0.5, 0], [0, 0.5, 0.5], [0.5, 0, 0.5]]
    model = HiddenMarkov(3, transitions_init=given, start_init=[1, 0, 0], max_iter=10).fit(X)
    assert ((model.transitions_ == 0) == (np.array(given) == 0)).all()
    assert model.start_.tolist() == [1, 0, 0]
    right = HiddenMarkov(3, transitions_init="left_to_right", max_iter=10).fit(X)
    assert (np.tril(right.transitions_, -1) == 0).all()
    assert right.transitions_[0, 2] == 0
    assert right.transitions_[2, 2] == right.start_[0] == 1
    # states follow one another: 2 - 1 from each of two, K - 1 values of a column in three
    assert right.complexity() == 2 + 3


def test_restarts_keep_the_likeliest_end():
    X, _ = random_model(0).sample(150, 4)
    one = HiddenMarkov(3, max_iter=20).fit(X)
    assert HiddenMarkov(3, n_init=4, max_iter=20).fit(X).trace_[-1] >= one.trace_[-1]


def test_weights_are_copies_of_sequences():
    rows = [{"s": s, "x": x} for s, x in zip("1112222", "aabbbab", strict=True)]
    twice = [{**row, "s": f"{row['s']}{copy}"} for copy in "ab" for row in rows[:3]] + rows[3:]
    weighted = HiddenMarkov(sequence="s", max_iter=5, tol=0).fit(rows, sample_weight=[2, 2, 2, 1, 1, 1, 1])
    copied = HiddenMarkov(sequence="s", max_iter=5, tol=0).fit(twice)
    np.testing.assert_allclose(weighted.transitions_, copied.transitions_)
    with pytest.raises(DataError, match="the same weight"):
        HiddenMarkov(sequence="s").fit(rows, sample_weight=[1, 2, 1, 1, 1, 1, 1])


# --- sequences --------------------------------------------------------------------------------------------


def test_rows_of_sequences_may_be_mixed_and_answers_keep_their_order():
    X, _ = random_model(1).sample(40, 5)
    apart = [X.take(slice(0, 25)), X.take(slice(25, 40))]
    name = np.repeat(["b", "a"], [25, 15])
    columns = [*(X.column(n).data for n in X.names), (name == "b").astype(np.int8)]
    both = Table(Schema((*X.schema, Nominal("id", ("a", "b")))), columns)
    model = HiddenMarkov(2, max_iter=4, tol=0).fit(apart)
    named = HiddenMarkov(2, sequence="id", max_iter=4, tol=0).fit(both)
    assert named.trace_ == model.trace_
    expected = np.concatenate([model.predict_proba(part) for part in apart])
    np.testing.assert_array_equal(named.predict_proba(both), expected)
    # rows of two sequences in turn
    order = np.argsort(np.r_[np.arange(25) / 25, np.arange(15) / 15], kind="stable")
    np.testing.assert_array_equal(named.predict_proba(both.take(order)), expected[order])
    assert (named.predict(both.take(order)) == named.predict(both)[order]).all()


def test_threads_give_the_same_model(monkeypatch):
    monkeypatch.setattr("openbook.sequence.ordered._PIECE_ROWS", 50)
    X, _ = random_model(2).sample(600, 6)
    parts = [X.take(slice(start, start + 30)) for start in range(0, 600, 30)]
    alone = HiddenMarkov(3, max_iter=5, tol=0).fit(parts)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        together = HiddenMarkov(3, max_iter=5, tol=0).fit(parts)
    assert together.trace_ == alone.trace_
    np.testing.assert_array_equal(together.transitions_, alone.transitions_)


def test_a_sample_is_like_the_model():
    X, states = UMBRELLA.sample(20_000, 0)
    assert (states == "rain").mean() == pytest.approx(0.5, abs=0.03)
    rain = np.array(X.column("umbrella").tolist())[states == "rain"]
    assert (rain == "yes").mean() == pytest.approx(0.9, abs=0.01)


# --- the rest ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("covariance_type", ["diag", "full"])
def test_a_saved_model_is_the_same(covariance_type, tmp_path):
    X, y = openbook.load("credit", rows=80, random_state=1).split("default")
    model = HiddenMarkov(covariance_type=covariance_type, transitions_init=[[0.9, 0.1], [0.2, 0.8]])
    model.fit(X, y)
    again = openbook.open_model(openbook.save(model, tmp_path / "m.openbook"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.states_.tolist() == model.states_.tolist()
    assert again.trace_ == model.trace_
    assert again.work().text() == model.work().text()


def test_a_damaged_file_is_refused(tmp_path):
    model = HiddenMarkov(max_iter=2).fit(openbook.load("iris").drop("species"))
    model.transitions_ = model.transitions_ * 2
    path = openbook.save(model, tmp_path / "m.openbook")
    with pytest.raises(ModelFileError, match="transitions must hold probabilities"):
        openbook.open_model(path)


def test_the_work_and_the_trellis_show_the_tables():
    text = UMBRELLA.work(days("yes", "yes")).text()
    assert "0.883357" in text
    assert "P(umbrella | state)" in UMBRELLA.work().text()
    svg = UMBRELLA.draw(days("yes", "no", "yes")).svg()
    assert svg.count("<circle") == 6
    assert svg.count(" L") == 4 + 2  # two pointers for each later row, and the path
    assert "rain, dry, rain" in svg
    learnt = HiddenMarkov(max_iter=3).fit(openbook.load("iris").drop("species"))
    assert "Baum–Welch was stopped after 3 iterations" in learnt.work().conclusion


def test_one_update_of_numbers_by_hand():
    steps = {"first": {"then": 1.0}, "then": {"then": 1.0}}
    model = HiddenMarkov.from_tables({"first": 1.0}, steps, {"x": {"first": (0, 1), "then": (4, 2)}})
    update = model.work([{"x": 1.0}, {"x": 3.0}, {"x": 7.0}])["one round of Baum–Welch on these rows"]
    assert update["new mean and variance of x"].rows == (("mean", 1.0, 5.0), ("variance", 0.0, 4.0))


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: HiddenMarkov(transitions_init="right_to_left"), "left_to_right"),
        (lambda: HiddenMarkov(transitions_init=[[1.0]]), r"shape \(2, 2\), got \(1, 1\)"),
        (lambda: HiddenMarkov(start_init=[0.5, 0.6]), "sum to 1"),
        (lambda: HiddenMarkov(n_components=0), "at least 1"),
    ],
)
def test_bad_parameters_are_named(make, message):
    with pytest.raises(ParameterError, match=message):
        make().fit(days("yes", "no", "yes"))


def test_wrong_tables_and_samples_are_named():
    with pytest.raises(ParameterError, match="start must be a mapping"):
        HiddenMarkov.from_tables([0.5], {"r": {"r": 1.0}}, {"u": {"r": {"y": 1.0}}})
    with pytest.raises(ParameterError, match="start must hold probabilities, got 'x' for 'r'"):
        HiddenMarkov.from_tables({"r": "x"}, {"r": {"r": 1.0}}, {"u": {"r": {"y": 1.0}}})
    both = {"r": {"r": 1.0}, "s": {"s": 1.0}}
    for shown in ((1.0, 2.0, 3.0), {"u": 1.0}):  # three numbers; a mapping beside a pair
        with pytest.raises(ParameterError, match=r"emissions of 'u' must be .* for 's'"):
            HiddenMarkov.from_tables({"r": 1.0}, both, {"u": {"r": (0.0, 1.0), "s": shown}})
    with pytest.raises(ParameterError, match="n_samples must be a whole number"):
        random_model(2).sample(-1)
    with pytest.raises(DataError, match="'x': its numbers are too large to be squared"):
        HiddenMarkov().fit([{"x": 1e300}, {"x": -1e300}])


def test_bad_rows_are_named():
    rows = [{"s": "1", "x": "a"}, {"s": None, "x": "b"}]
    with pytest.raises(DataError, match="row 1 has none"):
        HiddenMarkov(sequence="s").fit(rows)
    with pytest.raises(UnknownColumn, match="'id'"):
        HiddenMarkov(sequence="id").fit(rows)
    with pytest.raises(RefusalError, match="without values"):
        HiddenMarkov().fit(Table(Schema((Nominal("x", ()),)), [np.array([-1, -1], dtype=np.int8)]))
    with pytest.raises(DataError, match="expected"):
        HiddenMarkov().fit(days("yes", "no"), sample_weight=[1, 1, 1])
    with pytest.raises(DataError, match="for each of the 2 rows"):
        HiddenMarkov().fit(days("yes", "no"), ["a"])
    with pytest.raises(DataError, match="impossible"):
        HiddenMarkov(start_init=[1, 0]).fit(days("yes", "no"), ["b", "a"])
    with pytest.raises(DataError, match="at most 50 rows"):
        UMBRELLA.work(days(*["yes"] * 51))
    with pytest.raises(DataError, match="one sequence"):
        HiddenMarkov(sequence="s").fit([{"s": 1, "x": 0.0}, {"s": 2, "x": 1.0}]).forecast(
            [{"s": 1, "x": 0.0}, {"s": 2, "x": 1.0}]
        )
    with pytest.raises(ParameterError, match="lack the state 'b'"):
        HiddenMarkov.from_tables({"a": 1.0}, {"a": {"a": 1.0}, "b": {"b": 1.0}}, {"x": {"a": {"u": 1.0}}})


def test_labels_may_be_a_column_of_the_table():
    rows = [
        {"s": s, "x": x, "state": y}
        for s, x, y in zip("1112222", "aabbbab", ["A", "A", "B", "A", None, "B", "B"], strict=True)
    ]
    bare = [{"s": row["s"], "x": row["x"]} for row in rows]
    named = HiddenMarkov(sequence="s").fit(rows, "state")
    assert named.schema_.names == ("x",)
    assert named.trace_ == HiddenMarkov(sequence="s").fit(bare, [row["state"] for row in rows]).trace_
    apart = [openbook.read([row for row in rows if row["s"] == s]).drop("s") for s in "12"]
    assert HiddenMarkov().fit(apart, "state").trace_ == named.trace_


def test_guesses_that_make_no_distribution_are_refused():
    rows = [{"w": w} for w in "abcabcab"]
    with pytest.raises(ParameterError, match="guesses for the values of 'w' must sum to 1; omit p"):
        HiddenMarkov(smoothing=MEstimate(2.0, 0.1), random_state=0).fit(rows)


@pytest.mark.parametrize("labelled", [False, True])
def test_a_model_from_files_equals_that_in_memory(labelled, tmp_path):
    X, states = random_model(2).sample(300, random_state=4)
    rng = np.random.default_rng(0)
    ends = np.sort(rng.choice(np.arange(1, 300), 8, replace=False)).tolist()
    names = np.repeat([f"s{i}" for i in range(9)], np.diff([0, *ends, 300]))
    rows = [
        {"s": name, "state": state if rng.random() < 0.3 else None, **row}
        for name, state, row in zip(names.tolist(), states.tolist(), with_gaps(X, 0.1, 1), strict=True)
    ]
    table = openbook.read(rows, kinds={"s": "nominal"})
    table.to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=16)
    scan = openbook.scan(tmp_path / "rows.parquet", chunk_rows=16)
    assert len(scan.pieces) > 10  # sequences reach over several pieces
    target = "state" if labelled else None
    if not labelled:
        table = table.drop("state")
        table.to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=16)
        scan = openbook.scan(tmp_path / "rows.parquet", chunk_rows=16)
    whole, pieces = (HiddenMarkov(3, sequence="s", max_iter=5).fit(data, target) for data in (table, scan))
    assert pieces.states_.tolist() == whole.states_.tolist()
    np.testing.assert_allclose(pieces.transitions_, whole.transitions_, atol=1e-9)
    np.testing.assert_allclose(pieces.means_, whole.means_, rtol=1e-9)
    assert pieces.trace_ == pytest.approx(whole.trace_)


def test_sequences_in_files_stand_together(tmp_path):
    table = openbook.read([{"s": s, "x": 1.0 * i} for i, s in enumerate("aabba")])
    table.to_polars().write_parquet(tmp_path / "rows.parquet")
    scan = openbook.scan(tmp_path / "rows.parquet")
    with pytest.raises(DataError, match="must stand together"):
        HiddenMarkov(sequence="s").fit(scan)
    with pytest.raises(DataError, match="name it with sequence="):
        HiddenMarkov().fit(scan)


# --- as a classifier --------------------------------------------------------------------------------------


def test_a_classifier_counts_labels_and_predicts_as_the_model_does(tmp_path):
    X, states = random_model(2).sample(120, random_state=4)
    names = [f"s{i // 10}" for i in range(120)]
    rows = [{"s": name, **row} for name, row in zip(names, with_gaps(X, 0.1, 1), strict=True)]
    states = states.tolist()
    ours = HiddenMarkovClassifier(sequence="s").fit(rows, states)
    model = HiddenMarkov(sequence="s").fit(rows, states)
    assert ours.classes_.tolist() == model.states_.tolist()
    np.testing.assert_array_equal(ours.predict(rows), model.predict(rows))
    np.testing.assert_array_equal(ours.predict_proba(rows), model.predict_proba(rows))
    assert ours.score(rows, states) == np.mean(model.predict(rows) == np.array(states))
    assert str(ours.work(rows[:3])) == str(model.work(rows[:3]))
    assert ours.work().conclusion == "Every row has a label, so the labels are counted."
    openbook.save(ours, tmp_path / "m.openbook")
    again = openbook.open_model(tmp_path / "m.openbook")
    np.testing.assert_array_equal(again.predict_proba(rows), ours.predict_proba(rows))
    table = openbook.read([{**row, "y": y} for row, y in zip(rows, states, strict=True)])
    table.to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=16)
    scan = openbook.scan(tmp_path / "rows.parquet", chunk_rows=16)
    files = HiddenMarkovClassifier(sequence="s").fit(scan, "y")
    np.testing.assert_allclose(files.predict_proba(rows), ours.predict_proba(rows), atol=1e-9)


def test_a_classifier_needs_a_label_for_every_row():
    with pytest.raises(DataError, match="missing"):
        HiddenMarkovClassifier().fit([{"x": 1.0}, {"x": 2.0}], ["a", None])
