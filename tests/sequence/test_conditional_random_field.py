"""Conditional random fields: by hand, against every path, by finite differences, against the twin; files."""

import itertools
import json
import math

import joblib
import numpy as np
import pytest

import openbook
from openbook.errors import DataError, ModelFileError, ParameterError, UnknownColumn
from openbook.linear.solvers import slope_with_l1
from openbook.sequence import ConditionalRandomField, ordered
from openbook.sequence.features import word_shape
from openbook.sequence.linear_chain import ChainLoss

WORDS = ["Ann met Bob .", "he saw the Dog .", "Bob left", "the dog saw Ann here ."]
TAGS = ["N V N .", "P V D N .", "N V", "D N V N A ."]


def sentences(random_state=0):
    """Words, a nominal column and a number, with gaps; and their tags."""
    rng = np.random.default_rng(random_state)
    rows = [
        {
            "sentence": s,
            "word": word if rng.random() > 0.1 else None,
            "end": "yes" if word == "." else "no",
            "length": float(len(word)) if rng.random() > 0.2 else None,
        }
        for s, line in enumerate(WORDS)
        for word in line.split()
    ]
    tags = " ".join(TAGS).split()
    return openbook.read(rows, kinds={"sentence": "nominal", "end": "nominal"}), tags


TABLE, TAGGED = sentences()


def fitted(**more):
    return ConditionalRandomField(sequence="sentence", words=["word"], **more).fit(TABLE, TAGGED)


@pytest.fixture(scope="module")
def model():
    return fitted()


def short(model):
    """The rows of the second sentence, in the columns of the model."""
    return model._conformed(TABLE.take(np.flatnonzero(TABLE.data("sentence") == 1))).table


def loss_of(model, table, y, sample_weight=None):
    rows, labels, w = model._training_rows(table, y, sample_weight)
    return ChainLoss(model._pieces(rows, labels, w), len(model.classes_), (1 - model.l1_ratio) / model.C)


# --- by hand ----------------------------------------------------------------------------------------------


def test_one_row_is_logistic_regression_by_hand():
    # two labels, two values, a row each: by symmetry the weights of x = a and x = b are ±v, and those of
    # where a row stands are 0. The loss is 4 v² / (2 C) + 2 ln(1 + e^-2v); its slope 4 v / C - 4 / (1 + e^2v)
    model = ConditionalRandomField(sequence="s", previous=None, next=None, tol=1e-10, C=2.0)
    model.fit([{"s": 1, "x": "a"}, {"s": 2, "x": "b"}], ["A", "B"])
    v = model.coef_[0, 3]
    assert v / 2 == pytest.approx(1 / (1 + math.exp(2 * v)), abs=1e-8)
    np.testing.assert_allclose(model.coef_, [[0, 0, 0, v, -v], [0, 0, 0, -v, v]], atol=1e-8)
    assert model.transitions_.tolist() == [[0, 0], [0, 0]]
    assert model.predict_proba([{"x": "a"}])[0, 0] == pytest.approx(1 / (1 + math.exp(-2 * v)))


def test_the_perceptron_by_hand():
    # one sequence of two rows with the labels A B. All weights are 0, so the path found is A A, and the
    # second row moves from A to B, with its features every row, last row, x = a and previous x = a. In the
    # second epoch the first row says A: -2, B: 2 (every row, x = a), the second A: -4, B: 4; transitions A A:
    # -1, A B: 1. So A B scores -2 + 1 + 4 and B B scores 2 + 4, which is found, and wrong in the first row
    rows = [{"x": "a"}, {"x": "a"}]
    one = ConditionalRandomField(solver="perceptron", max_iter=1, next=None).fit(rows, ["A", "B"])
    names = [str(feature) for feature in one.features_.features]
    assert names == ["every row", "first row", "last row", "x = a", "previous x = a"]
    # the mean of the weights before and after the sequence: half of the change
    assert (2 * one.coef_).tolist() == [[-1, 0, -1, -1, -1], [1, 0, 1, 1, 1]]
    assert (2 * one.transitions_).tolist() == [[-1, 1], [0, 0]]
    two = ConditionalRandomField(solver="perceptron", max_iter=2, next=None).fit(rows, ["A", "B"])
    assert two.trace_ == [0.5, 0.5]
    # then A gains every row, first row and x = a of the first row; the mean is over three moments, first 0
    first, second = np.array([-1, 0, -1, -1, -1]), np.array([0, 1, -1, 0, -1])
    np.testing.assert_allclose(two.coef_[0], (first + second) / 3)


def test_shapes_of_words():
    assert [word_shape(word) for word in ("Ann", "USA", "e-mail", "3,50", "Été", "")] == [
        "Xx",
        "X",
        "x-x",
        "d,d",
        "Xx",
        "",
    ]


# --- against every path -----------------------------------------------------------------------------------


def every_path(model, X):
    """The score of each path, by the definition, from the published tables of weights."""
    weights = {row["feature"]: row for row in model.weights_}
    after = {row["after"]: row for row in model.transition_weights_}
    labels, n = model.classes_.tolist(), len(X)
    cells = [X.row(t) for t in range(n)]
    found = {}
    for path in itertools.product(labels, repeat=n):
        score = 0.0
        for t, label in enumerate(path):
            shown = {"every row": 1.0, "first row": float(t == 0), "last row": float(t == n - 1)}
            for offset, u in (("", t), ("previous ", t - 1), ("next ", t + 1)):
                if 0 <= u < n:
                    word, length = cells[u]["word"], cells[u]["length"]
                    shown[f"{offset}end = {cells[u]['end']}"] = 1.0
                    if word is not None:
                        shown[f"{offset}word = {word}"] = 1.0
                        shown[f"{offset}word lower = {word.lower()}"] = 1.0
                        shown[f"{offset}word first 3 = {word[:3].lower()}"] = 1.0
                        shown[f"{offset}word last 3 = {word[-3:].lower()}"] = 1.0
                        shown[f"{offset}word last 2 = {word[-2:].lower()}"] = 1.0
                        shown[f"{offset}word shape = {word_shape(word)}"] = 1.0
                    if length is not None and not math.isnan(length):
                        shift, scale = model.features_.shift[0], model.features_.scale[0]
                        shown[f"{offset}length"] = (length - shift) / scale
            score += sum(value * weights[name][label] for name, value in shown.items() if name in weights)
            score += after[path[t - 1]][label] if t else 0.0
        found[path] = score
    return found


def test_all_answers_equal_the_sums_over_every_path(model):
    X = short(model).take(slice(0, 4))
    scores = every_path(model, X)
    total = sum(map(math.exp, scores.values()))
    labels = model.classes_.tolist()
    for t, row in enumerate(model.predict_proba(X)):
        for label, p in zip(labels, row, strict=True):
            assert p == pytest.approx(
                sum(math.exp(s) for path, s in scores.items() if path[t] == label) / total
            )
    best, second = sorted(scores, key=lambda path: -scores[path])[:2]
    assert tuple(model.predict(X)) == best
    work = model.work(X)
    assert work["ln Z(x)"].result == pytest.approx(math.log(total))
    assert work["s(best)"].result == pytest.approx(scores[best])
    assert work["s(runner-up)"].result == pytest.approx(scores[second])
    assert work["P(runner-up | x)"].result == pytest.approx(math.exp(scores[second]) / total)
    last = work["where they differ, feature by feature"].rows[-1]
    assert last[1] == "sum"
    assert last[4] == pytest.approx(scores[best] - scores[second])


def test_kernels_equal_their_twin(model):
    X = short(model)
    tables = model._trellis(X)
    np.testing.assert_allclose(model.predict_proba(X), tables.posterior)
    assert model.predict(X).tolist() == [model.classes_[k] for k in tables.path]


# --- learning ---------------------------------------------------------------------------------------------


def test_the_gradient_is_that_of_finite_differences():
    model = fitted(max_iter=1)
    w = np.where(TABLE.data("sentence") == 1, 2.5, 1.0)
    loss, rng = loss_of(model, TABLE, TAGGED, w), np.random.default_rng(1)
    theta = 0.5 * rng.normal(size=(len(model.features_) + len(model.classes_)) * len(model.classes_))
    _, gradient = loss(theta)
    some = [*rng.integers(len(theta), size=12), *range(len(theta) - 8, len(theta))]  # the last: transitions
    for i in some:
        step = np.zeros(len(theta))
        step[i] = 1e-5
        slope = (loss(theta + step)[0] - loss(theta - step)[0]) / 2e-5
        assert gradient[i] == pytest.approx(slope, abs=1e-7)


@pytest.mark.parametrize("l1_ratio", [0.0, 0.5, 1.0])
def test_learning_ends_where_the_slope_is_nothing(l1_ratio):
    model = fitted(l1_ratio=l1_ratio, C=0.7, tol=1e-7, max_iter=400)
    assert model.converged_
    assert all(later <= earlier for earlier, later in itertools.pairwise(model.trace_))
    theta = np.concatenate([model.coef_.T.ravel(), model.transitions_.ravel()])
    _, gradient = loss_of(model, TABLE, TAGGED)(theta)
    l1 = np.full(len(theta), l1_ratio / 0.7)
    assert np.abs(slope_with_l1(gradient, theta, l1)).max() <= 1e-7 * len(TAGGED)
    assert (model.complexity() < len(theta) / 4) == (l1_ratio > 0)


def test_weights_are_copies_of_sequences():
    first = TABLE.data("sentence") == 0
    table = TABLE.drop("length")  # numbers are in units of the rows, of which copies have more
    model = ConditionalRandomField(sequence="sentence", tol=1e-9)
    weighed = model.fit(table, TAGGED, np.where(first, 2.0, 1.0))
    parts = [table.filter(table.data("sentence") == s).drop("sentence") for s in (0, 1, 2, 3, 0)]
    copies = ConditionalRandomField(tol=1e-9).fit(parts, [*TAGGED, *np.array(TAGGED)[first]])
    np.testing.assert_allclose(
        weighed.predict_proba(table), copies.predict_proba(parts)[: len(table)], atol=1e-5
    )


def test_threads_and_pieces_give_the_same_model(monkeypatch):
    whole = fitted(tol=1e-8)
    monkeypatch.setattr(ordered, "_PIECE_ROWS", 4)
    pieces = fitted(tol=1e-8)
    with joblib.parallel_config(backend="threading", n_jobs=3):
        np.testing.assert_array_equal(fitted(tol=1e-8).coef_, pieces.coef_)
    np.testing.assert_allclose(pieces.coef_, whole.coef_, atol=1e-6)


@pytest.mark.parametrize("alone", [False, True])
def test_a_model_from_files_equals_that_in_memory(alone, tmp_path):
    table = openbook.read(
        [{**row, "tag": tag} for row, tag in zip(TABLE, TAGGED, strict=True)], kinds=TABLE.schema
    )
    table.to_polars().write_parquet(tmp_path / "rows.parquet", row_group_size=3)
    kinds = {"sentence": "nominal", "end": "nominal", "word": "nominal"}
    scan = openbook.scan(tmp_path / "rows.parquet", kinds=kinds, chunk_rows=3)
    assert len(scan.pieces) > 4  # sentences reach over several pieces
    whole = fitted(tol=1e-8, alone=alone)
    field = ConditionalRandomField(sequence="sentence", words=["word"], tol=1e-8, alone=alone)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        pieces = field.fit(scan, "tag")
    assert [str(f) for f in pieces.features_.features] == [str(f) for f in whole.features_.features]
    np.testing.assert_allclose(pieces.coef_, whole.coef_, atol=1e-6)
    np.testing.assert_allclose(pieces.predict_proba(TABLE), whole.predict_proba(TABLE), atol=1e-6)
    with pytest.raises(DataError, match="must be in memory; read the files"):
        ConditionalRandomField(sequence="sentence", solver="perceptron").fit(scan, "tag")
    with pytest.raises(DataError, match="y must be the name"):
        ConditionalRandomField(sequence="sentence").fit(scan, TAGGED)


def test_neighbours_are_named():
    model = fitted(previous=["end"], next=None)
    offsets = {(f.offset, f.column) for f in model.features_.features if f.offset}
    assert offsets == {("previous ", "end")}


def test_unseen_values_and_gaps_have_no_feature(model):
    nothing = {"word": None, "end": None, "length": None}
    strange = {"word": None, "end": "never", "length": None}
    np.testing.assert_array_equal(model.predict_proba([nothing]), model.predict_proba([strange]))
    # of an unseen word only the forms that were seen count: "Abe" has the shape of a name
    seen = {str(f) for row in [model.work([{**nothing, "word": "Abe"}])] for f in _features_in(row)}
    assert "word shape = Xx" in seen
    assert not any(name.startswith("word =") for name in seen)


def _features_in(work):
    return [line[1] for line in work["where they differ, feature by feature"].rows]


def test_rows_of_sequences_may_be_mixed_and_answers_keep_their_order(model):
    within = np.concatenate([np.flatnonzero(TABLE.data("sentence") == s) for s in (2, 0, 3, 1)])
    mixed = TABLE.take(within)
    np.testing.assert_allclose(model.predict_proba(mixed), model.predict_proba(TABLE)[within])


def test_the_target_may_be_a_column():
    rows = [{**TABLE.row(i), "tag": TAGGED[i]} for i in range(len(TABLE))]
    table = openbook.read(rows, kinds={"sentence": "nominal"})
    model = ConditionalRandomField(sequence="sentence", words=["word"], C=100)
    model.fit(table, "tag")
    assert model.score(table, "tag") == 1.0
    assert model.target_ == "tag"


# --- looking at it, files, errors -------------------------------------------------------------------------


def test_work_and_trellis(model):
    for work in (model.work(), model.work(short(model)), model.work({"word": "Ann"}), model.work({})):
        assert len(work.text()) > 100
        assert work.html()
        assert work.latex()
        assert json.dumps(work.json(), allow_nan=False)
    assert model.draw(short(model)).svg().count("<circle") == len(model.classes_) * 5
    assert "share of wrong rows" in str(fitted(solver="perceptron").work())


def test_a_saved_model_is_the_same(model, tmp_path):
    path = openbook.save(model, tmp_path / "tags.openbook")
    again = openbook.open_model(path)
    np.testing.assert_array_equal(again.predict_proba(TABLE), model.predict_proba(TABLE))
    assert str(again.work(short(model))) == str(model.work(short(model)))
    assert again.weights_.row(5) == model.weights_.row(5)


def test_a_damaged_file_is_refused(model, tmp_path):
    saved = model._saved()
    for name, array in saved.arrays.items():
        with pytest.raises((ValueError, KeyError, IndexError)):
            ConditionalRandomField(**model.get_params())._opened(
                saved._replace(arrays={**saved.arrays, name: array[..., None]})
            )
    path = openbook.save(model, tmp_path / "tags.openbook")
    path.write_bytes(path.read_bytes()[:-50])
    with pytest.raises(ModelFileError):
        openbook.open_model(path)


@pytest.mark.parametrize(
    ("parameters", "error", "message"),
    [
        ({"C": 0}, ParameterError, "C must be a number above 0"),
        ({"solver": "newton"}, ParameterError, "solver must be one of"),
        ({"l1_ratio": 2}, ParameterError, "l1_ratio must be"),
        ({"previous": ["wrd"]}, UnknownColumn, "Did you mean 'word'"),
        ({"next": "word"}, ParameterError, "next must be a list of columns, got 'word'"),
        ({"words": ["wrd"]}, UnknownColumn, "Did you mean 'word'"),
        ({"sequence": "sentenc"}, UnknownColumn, "Did you mean 'sentence'"),
    ],
)
def test_bad_parameters_are_named(parameters, error, message):
    with pytest.raises(error, match=message):
        ConditionalRandomField(**{"sequence": "sentence", **parameters}).fit(TABLE, TAGGED)


def test_bad_rows_are_named(model):
    with pytest.raises(DataError, match="target 'class' is missing in 1 row"):
        ConditionalRandomField().fit(TABLE, [None, *TAGGED[1:]])
    with pytest.raises(DataError, match="requires y"):
        ConditionalRandomField().fit(TABLE)
    with pytest.raises(DataError, match="the same weight"):
        ConditionalRandomField(sequence="sentence").fit(TABLE, TAGGED, np.arange(1, len(TABLE) + 1))
    with pytest.raises(DataError, match="one sequence of at most 50 rows"):
        model.work(TABLE)
    with pytest.raises(DataError, match="holds infinity"):
        model.predict([{"word": "a", "end": "no", "length": math.inf}])
    with pytest.raises(DataError, match="column 'word' is missing"):
        model.predict(TABLE.select(["end", "length"]))
