"""What holds for every detector: scores and their twins, reasons, thresholds, batches, files."""

import json
import math
import pickle

import numpy as np
import pytest
import sklearn.ensemble
import sklearn.neighbors

from openbook import load, open_model, registry, save
from openbook.data import Numeric, Text, read
from openbook.errors import DataError, ModelFileError, ParameterError, RefusalError, UnknownColumn
from openbook.outlier import (
    BoxFences,
    CentroidDistance,
    Collective,
    Contextual,
    Grubbs,
    IsolationForest,
    LikelihoodMixture,
    LocalOutlierFactor,
    Mahalanobis,
    NaiveBayesSurprise,
    NeighbourDistance,
    RadiusCount,
    ZScore,
)
from openbook.work.formula import parse

MIXED = load("credit", rows=200, random_state=2).drop("default")
FEW = {"n_estimators": 5, "random_state": 0}
TOGETHER = ("collective",)


def make(entry, **parameters):
    own = entry.cls().get_params(deep=False)
    return entry.make(**{name: value for name, value in FEW.items() if name in own}, **parameters)


@pytest.fixture(scope="module", params=registry.learners("outliers"), ids=lambda entry: entry.name)
def entry(request):
    return request.param


@pytest.fixture(scope="module")
def model(entry):
    return make(entry, contamination=0.1).fit(MIXED)


def test_mixed_rows_with_gaps_are_scored(model):
    assert any(MIXED.column(name).missing.any() for name in MIXED.names)
    scores = model.oddness(MIXED)
    assert scores.shape == (200,)
    assert np.isfinite(scores).all()
    assert len(np.unique(scores)) > 10


def test_the_verdict_is_the_score_beyond_the_threshold(model):
    scores, verdicts = model.oddness(MIXED), model.predict(MIXED)
    assert (verdicts == np.where(scores > model.threshold_, -1, 1)).all()
    assert (verdicts == np.where(model.decision_function(MIXED) < 0, -1, 1)).all()
    assert 0 < (verdicts == -1).sum() <= 20


def test_a_row_scores_the_same_in_any_company(entry, model):
    if entry.name in TOGETHER:
        pytest.skip("collectives are judged together")
    scores = model.oddness(MIXED)
    order = np.random.default_rng(0).permutation(200)
    np.testing.assert_allclose(model.oddness(MIXED.take(order)), scores[order], rtol=1e-12)
    for i in (0, 17, 199):
        assert model.oddness(MIXED.take([i]))[0] == pytest.approx(scores[i], rel=1e-12)


def test_fit_predict_is_fit_and_predict(entry):
    verdicts = make(entry, top=7).fit_predict(MIXED)
    assert (verdicts == make(entry, top=7).fit(MIXED).predict(MIXED)).all()
    if entry.name not in TOGETHER:
        assert (verdicts == -1).sum() in range(1, 8)


def one_of(entry, i):
    """What `work` and `reasons` take, and whose score it is."""
    return MIXED.take(range(i, i + 10)) if entry.name in TOGETHER else MIXED.take([i])


def test_the_work_of_a_row_ends_with_its_score(entry, model):
    for i in range(0, 190, 19):
        row = one_of(entry, i)
        expected = model.oddness(row)[0]
        work = model.work(row)
        assert work["score"].result == pytest.approx(expected, rel=1e-6, abs=1e-9)
        assert ("not an outlier" in work.conclusion) == (model.predict(row)[0] == 1)


def test_the_work_can_be_written(entry, model):
    strange = {a.name: -1e9 if isinstance(a, Numeric) else "never seen" for a in MIXED.schema}
    for work in (model.work(), model.work(one_of(entry, 3)), model.work({}), model.work(strange)):
        for step in work.steps():
            for formula in (step.formula, step.numbers):
                if formula:
                    parse(formula)
        assert work.html()
        assert work.latex()
        assert json.dumps(work.json(), allow_nan=False)
        assert work.title in work.text()


def test_reasons_make_up_the_score(entry, model):
    row = one_of(entry, 11)
    reasons = model.reasons(row)
    assert [r.attribute for r in reasons.parts][: len(MIXED.names)] == list(MIXED.names)
    assert reasons.score == pytest.approx(model.oddness(row)[0], rel=1e-6, abs=1e-9)
    total = math.fsum(r.share for r in reasons.parts)
    if "largest" in reasons.meaning:
        assert max(r.share for r in reasons.parts) == pytest.approx(reasons.score)
    elif entry.name.startswith("isolation_"):
        c = 2 * (math.log(199) + 0.5772156649015329) - 2 * 199 / 200
        assert 2 ** (total / c - 1) == pytest.approx(reasons.score)
    else:
        assert total == pytest.approx(reasons.score)
    assert reasons.ranked[0].share == max(r.share for r in reasons.parts)
    assert "<svg" in reasons.draw().svg()
    assert reasons.meaning.split(";")[0] in " ".join(repr(reasons).split())


def test_a_saved_detector_says_the_same(entry, model, tmp_path):
    path = save(model, tmp_path / "odd.openbook")
    again = open_model(path)
    np.testing.assert_array_equal(again.oddness(MIXED), model.oddness(MIXED))
    assert again.threshold_ == model.threshold_
    row = one_of(entry, 5)
    assert again.work(row).text() == model.work(row).text()
    assert again.work().text() == model.work().text()
    assert pickle.loads(pickle.dumps(model)).threshold_ == model.threshold_


def reopened(model, **damaged):
    saved = model._saved()
    assert damaged.keys() <= saved.arrays.keys()
    new = type(model)(**model.get_params(deep=False))
    new._opened(saved._replace(arrays={**saved.arrays, **damaged}))


def test_arrays_of_another_shape_or_type_are_refused(model):
    for name, array in model._saved().arrays.items():
        for bad in (array[..., None], np.zeros(array.shape, np.float16)):
            with pytest.raises((ValueError, KeyError, TypeError)):
                reopened(model, **{name: bad})
    with pytest.raises(KeyError, match="threshold_"):
        type(model)()._opened(model._saved()._replace(arrays={}))


@pytest.mark.parametrize(
    ("detector", "name", "damage", "said"),
    [
        (ZScore(), "deviation", lambda a: a * 0, "must lie above 0"),
        (ZScore(), "mean", lambda a: a + np.nan, "finite numbers"),
        (BoxFences(), "iqr", lambda a: -a, "their distance above 0"),
        (Grubbs(), "counts", lambda a: a - 1, "no count below it"),
        (Grubbs(), "tests", lambda a: np.ones(99), "array 'tests' is"),
        (Mahalanobis(), "precision", lambda a: a + np.triu(a, 1) + 1, "not valid"),
        (LikelihoodMixture(), "uniform", lambda a: a * np.inf, "finite numbers"),
        (NaiveBayesSurprise(), "parts.0.weight", lambda a: -a, "not valid"),
        (NeighbourDistance(), "codes", lambda a: a + 99, "out of range"),
        (NeighbourDistance(), "numbers", lambda a: a[:1], "expected"),
        (LocalOutlierFactor(), "lrd", lambda a: -a, "must not be negative"),
        (RadiusCount(), "radius", lambda a: a * 0, "a radius must lie above 0"),
        (CentroidDistance(), "sizes", lambda a: -a, "rows in them"),
        (CentroidDistance(), "medians", lambda a: a * 0, "median distance must lie above 0"),
        (IsolationForest(2), "columns", lambda a: a + 99, "columns that do not exist"),
        (IsolationForest(2), "columns", lambda a: a - 1, "columns that do not exist"),
        (IsolationForest(2), "sizes", lambda a: a + 1, "lose rows"),
        (IsolationForest(2), "low", lambda a: a * np.float32(np.nan), "columns that do not exist"),
        (IsolationForest(2), "psi", lambda a: a * 0, "two rows or more"),
        (IsolationForest(2), "psi", lambda a: a * 9, "expected int32"),
        (Contextual(), "keys", lambda a: a + 1, "do not match its detectors"),
        (Contextual(context=["income"]), "cuts", lambda a: -a, "cuts are out of order"),
    ],
)
@pytest.mark.filterwarnings("ignore:invalid value")
def test_hostile_figures_are_refused(detector, name, damage, said):
    model = detector.fit(MIXED)
    array = model._saved().arrays[name]
    with pytest.raises(ValueError, match=said):
        reopened(model, **{name: damage(array)})


def test_members_of_another_kind_are_refused():
    inside, together = Contextual().fit(MIXED), Collective().fit(MIXED)
    other = ZScore().fit(MIXED)
    with pytest.raises(ValueError, match="its detectors must be NaiveBayesSurprises"):
        Contextual()._opened(inside._saved()._replace(members=dict.fromkeys(inside._saved().members, other)))
    with pytest.raises(ValueError, match="is not one of the figures"):
        Collective()._opened(together._saved()._replace(members={"detector": other}))


def test_rows_known_to_be_normal(entry):
    model = make(entry, contamination=0).fit(MIXED)
    assert (model.predict(MIXED) == 1).all()


def test_texts_that_share_no_words_are_refused(entry):
    table = read([{"word": "alpha beta"}, {"word": "gamma"}], kinds={"word": Text("word")})
    with pytest.raises(DataError, match=r"column 'word' has no word that several texts share"):
        entry.make().fit(table)


def test_one_way_to_a_threshold():
    with pytest.raises(ParameterError, match=r"ZScore: give threshold or top, not both"):
        ZScore(threshold=2, top=3).fit([[1.0], [2.0]])
    with pytest.raises(
        ParameterError, match=r"contamination must be 'auto' or a number of at least 0 and at most"
    ):
        ZScore(contamination=0.7).fit([[1.0], [2.0]])


def test_infinity_is_named(entry):
    X = np.arange(60.0).reshape(30, 2)
    X[4, 1] = np.inf
    with pytest.raises((DataError, ValueError), match=r"infinity|Input X contains infinity"):
        make(entry).fit(X)


def test_weights_that_a_count_cannot_use():
    with pytest.raises(DataError, match="LocalOutlierFactor counts rows: sample_weight must be the same"):
        LocalOutlierFactor().fit([[1.0], [2.0], [3.0]], sample_weight=[1, 2, 1])


def test_two_rows_at_least():
    for detector in (NeighbourDistance(), IsolationForest()):
        with pytest.raises(DataError, match="needs at least two rows, got n_samples = 1"):
            detector.fit([[1.0]])


def test_columns_that_cannot_be_judged():
    rows = [{"colour": c} for c in "rrgb"]
    with pytest.raises(RefusalError, match="needs a numeric or ordinal column"):
        ZScore().fit(rows)
    with pytest.raises(RefusalError, match="needs columns other than the context"):
        Contextual(context=["colour"]).fit(rows)
    with pytest.raises(RefusalError, match="needs columns other than the key 'colour'"):
        Collective(by="colour").fit(rows)


def test_context_and_key_must_be_there():
    rows = [{"colour": c, "x": float(i)} for i, c in enumerate("rrgb")]
    with pytest.raises(UnknownColumn, match=r"no column 'color'\. Did you mean 'colour'\?"):
        Contextual(context=["color"]).fit(rows)
    with pytest.raises(UnknownColumn, match=r"no column 'color'\. Did you mean 'colour'\?"):
        Collective(by="color").fit(rows)
    with pytest.raises(ParameterError, match="give by or run, not both"):
        Collective(by="colour", run=3).fit(rows)
    with pytest.raises(ParameterError, match=r"Contextual: context must be a list of columns, got 'colour'"):
        Contextual(context="colour").fit(rows)
    for detector in (Contextual(3, context=["colour"]), Collective(3)):
        with pytest.raises(ParameterError, match=r"detector must be one of openbook.outlier, got 3"):
            detector.fit(rows)


def test_a_damaged_file_is_refused(tmp_path):
    path = save(CentroidDistance(n_clusters=2, random_state=0).fit(MIXED), tmp_path / "odd.openbook")
    path.write_bytes(path.read_bytes()[:-40])
    with pytest.raises(ModelFileError, match=r"odd\.openbook is damaged"):
        open_model(path)


def test_more_than_an_hour_is_refused_unless_allowed(monkeypatch):
    monkeypatch.setattr("openbook.outlier.nearby._SECONDS", 0.1)
    said = (
        r"Factor of 200 rows would take about .* hours; .* use a sample of the rows, or IsolationForest, or"
    )
    with pytest.raises(RefusalError, match=said):
        LocalOutlierFactor().fit(MIXED)
    assert len(LocalOutlierFactor(allow_large=True).fit(MIXED).scores_) == 200


@pytest.mark.parametrize(
    "detector",
    [
        ZScore(),
        Mahalanobis(),
        LikelihoodMixture(),
        NaiveBayesSurprise(),
        IsolationForest(n_estimators=5, random_state=0),
        LocalOutlierFactor(),
        CentroidDistance(random_state=0),
    ],
    ids=lambda d: type(d).__name__,
)
def test_a_file_in_pieces_gives_the_same(detector, tmp_path):
    from openbook import scan

    table = load("iris").drop("species")
    path = tmp_path / "iris.csv"
    table.to_polars().write_csv(path)
    pieces = detector.fit(scan(path, chunk_rows=40))
    found = pieces.oddness(table)
    assert found == pytest.approx(detector.fit(table).oddness(table), rel=1e-9)


def test_score_samples_go_the_way_of_scikit_learn():
    """The fifth row is 4.8 from its second nearest, the second row 0.1."""
    model = NeighbourDistance(n_neighbors=2, scale=False, threshold=1).fit(
        [[0.0], [0.1], [0.2], [0.3], [5.0]]
    )
    asked = [[5.0], [0.1]]
    assert model.oddness(asked) == pytest.approx([4.8, 0.1])
    assert model.score_samples(asked) == pytest.approx([-4.8, -0.1])
    assert model.decision_function(asked) == pytest.approx([-3.8, 0.9])
    np.testing.assert_array_equal(model.decision_function(asked), model.score_samples(asked) - model.offset_)


def test_every_detector_draws_the_scores_of_rows():
    rows = [[0.1 * i, 0.1 * (i % 7)] for i in range(40)] + [[5.0, 9.0]]
    picture = LocalOutlierFactor(n_neighbors=5, top=1).fit(rows).draw(rows)
    assert picture.title == "Scores of LocalOutlierFactor"
    assert "1 outlier among 41 rows." in picture.notes
    assert picture.svg().count("dot c1") == 1


def test_attributes_of_scikit_learn():
    rows = np.random.default_rng(0).normal(size=(200, 3))
    ours = LocalOutlierFactor(scale=False).fit(rows)
    theirs = sklearn.neighbors.LocalOutlierFactor().fit(rows)
    np.testing.assert_allclose(ours.negative_outlier_factor_, theirs.negative_outlier_factor_, rtol=1e-9)
    assert ours.offset_ == theirs.offset_ == -1.5
    assert ours.n_samples_fit_ == theirs.n_samples_fit_
    assert ours.n_neighbors_ == theirs.n_neighbors_
    forest = sklearn.ensemble.IsolationForest().fit(rows)
    assert IsolationForest().fit(rows).max_samples_ == forest.max_samples_ == 200
