"""Leaks: each is planted and reported, clean sets are left alone, and what cannot happen does not."""

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold, KFold, ShuffleSplit
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler, TargetEncoder

import openbook as ob
from openbook.baseline import ZeroR, ZeroRegressor
from openbook.bayes import NaiveBayes
from openbook.data import Column, Datetime, Nominal, Numeric, Schema, Table, Text
from openbook.errors import DataError, UnknownColumn
from openbook.judge import leaks
from openbook.neighbors import KNeighborsClassifier

CREDIT, DEFAULT = ob.load("credit", rows=1000).split("default")
YES = (np.asarray(DEFAULT) == "yes").astype(float)
RNG = np.random.default_rng(0)
CITY = RNG.integers(0, 25, 1000)
ROWS = np.bincount(CITY)
SHARES = np.bincount(CITY, YES) / ROWS


def plus(name, data, attribute=None):
    return Table(
        Schema((*CREDIT.schema.attributes, attribute or Numeric(name))), [*CREDIT.columns, np.asarray(data)]
    )


def kinds(X, y=DEFAULT, **more):
    return [(one.kind, one.columns, one.severity) for one in leaks(X, y, **more)]


#: What is to be found on each bundled set, and why it is no false alarm.
REPORTED = {
    "iris": [("duplicate rows", (), "note")],  # rows 101 and 142 are the same flower
    "diabetes": [("scaled", ("age", "bmi", "bp", "s1", "s2", "s3", "s4", "s5", "s6"), "note")],  # it says so
}


@pytest.mark.parametrize("name", sorted(ob.sets()))
def test_clean_sets_are_left_alone(name):
    bundled = ob.sets()[name]
    X, y = ob.load(name).split(bundled.target)
    model = ZeroR() if bundled.task == "classification" else ZeroRegressor()
    evaluation = ob.evaluate(model, X, y, KFold(5, shuffle=True, random_state=0))
    assert kinds(X, y, evaluation=evaluation) == kinds(X, y) == REPORTED.get(name, [])


@pytest.mark.parametrize(
    "column",
    [YES * 3 + 1, np.where(np.arange(1000) == 7, 1 - YES, YES), np.where(YES == 1, np.nan, 0.5)],
    ids=["copy", "copy but for a row", "missing where yes"],
)
def test_a_column_made_from_the_target(column):
    assert kinds(plus("made", column)) == [("leak", ("made",), "warn")]


def test_a_column_made_from_a_numeric_target():
    X, y = ob.load("diabetes").split("progression")
    made = Table(Schema((*X.schema.attributes, Numeric("made"))), [*X.columns, np.log(np.asarray(y))])
    assert ("leak", ("made",), "warn") in kinds(made, y)


ENCODED = {
    "plain": SHARES[CITY],
    "smoothed": ((ROWS * SHARES + 10 * YES.mean()) / (ROWS + 10))[CITY],
    "then scaled": 5 - 3 * SHARES[CITY],
    "by few values": (np.bincount(CREDIT.data("work"), YES) / np.bincount(CREDIT.data("work")))[
        CREDIT.data("work")
    ],
}


@pytest.mark.parametrize("how", ENCODED)
def test_a_target_encoded_on_all_rows(how):
    assert kinds(plus("encoded", ENCODED[how])) == [("target encoding", ("encoded",), "warn")]


def test_a_numeric_target_encoded_on_all_rows():
    X, y = ob.load("diabetes").split("progression")
    target, ward = np.asarray(y), np.arange(442) % 30
    means = np.bincount(ward, target) / np.bincount(ward)
    table = Table(Schema((*X.schema.attributes, Numeric("ward"))), [*X.columns, means[ward]])
    assert ("target encoding", ("ward",), "warn") in kinds(table, y)


def test_a_target_encoded_by_all_other_rows():
    rng = np.random.default_rng(1)
    city, y = rng.integers(0, 40, 4000), (rng.random(4000) < 0.4).astype(int)
    others = (np.bincount(city, y)[city] - y) / (np.bincount(city)[city] - 1)
    table = Table(Schema((Numeric("encoded"), Numeric("other"))), [others, rng.normal(size=4000)])
    assert kinds(table, y) == [("target encoding", ("encoded",), "warn")]


def test_what_predicts_honestly_is_no_target_encoding():
    # fitted inside folds
    encoder = TargetEncoder(cv=KFold(5, shuffle=True, random_state=0))
    assert kinds(plus("encoded", encoder.fit_transform(CITY[:, None], YES)[:, 0])) == []
    # the true rate of each city, and a target that is drawn by it
    rng = np.random.default_rng(1)
    for _ in range(20):
        rate = rng.uniform(0.2, 0.8, 12)
        city = rng.integers(0, 12, 2000)
        table = Table(Schema((Numeric("rate"),)), [rate[city]])
        assert kinds(table, rng.random(2000) < rate[city]) == []
    # a column whose values are nearly all of one class, in two stretches
    age = rng.integers(0, 60, 2000) * 1.0
    old = np.where(rng.random(2000) < 0.05, age < 30, age >= 30)
    assert kinds(Table(Schema((Numeric("age"),)), [age]), old) == []
    # strata of equal shares: their means are closer than chance, and say nothing
    strata = np.empty(1000)
    for value in (0.0, 1.0):
        strata[value == YES] = np.arange((value == YES).sum()) % 10
    assert kinds(plus("strata", strata)) == []


def test_an_identifier_and_the_order_of_time():
    assert kinds(plus("number", RNG.permutation(1000) + 1.0)) == [("identifier", ("number",), "warn")]
    assert kinds(plus("hour", np.cumsum(RNG.random(1000)))) == [("order", ("hour",), "note")]
    days = np.array([f"2024-{1 + i // 84:02d}-{1 + i % 84 // 3:02d}" for i in range(1000)], dtype=object)
    assert kinds(plus("day", days, Text("day"))) == [("order", ("day",), "note")]
    assert kinds(plus("day", RNG.permutation(days), Text("day"))) == []
    dates = np.arange(1000.0) + 19_000
    assert kinds(plus("date", dates, Datetime("date"))) == [("order", ("date",), "note")]
    assert kinds(plus("date", RNG.permutation(dates // 4), Datetime("date"))) == []


def test_a_scaler_fitted_outside_is_reported():
    numbers = ob.load("wine").split("cultivar")
    for scaler, words in ((StandardScaler(), "mean 0 and standard deviation 1"), (None, "from 0 to 1")):
        x = np.asarray(numbers[0], dtype=float)
        x = scaler.fit_transform(x) if scaler else (x - x.min(axis=0)) / np.ptp(x, axis=0)
        (found,) = leaks(x, numbers[1])
        assert (found.kind, found.severity, len(found.columns)) == ("scaled", "note", 13)
        assert found.message.startswith(words)


def test_a_scaler_fitted_outside_is_impossible_in_a_pipeline():
    """`evaluate` clones: what a pipeline's scaler learnt before is forgotten in every fold."""
    X, y = ob.load("wine").split("cultivar")
    X, split = np.asarray(X, dtype=float), KFold(5, shuffle=True, random_state=0)
    fresh = make_pipeline(StandardScaler(), GaussianNB())
    fitted = make_pipeline(StandardScaler(), GaussianNB()).fit(1e6 * X, np.asarray(y))
    ours, theirs = (ob.evaluate(model, X, y, split) for model in (fresh, fitted))
    assert np.array_equal(ours.one_round.proba, theirs.one_round.proba)


def test_gaps_filled_outside_are_reported():
    income = CREDIT.data("income")
    filled = np.where(np.isnan(income), np.nanmean(income), income)
    X = Table(CREDIT.schema, [filled if a.name == "income" else CREDIT.data(a.name) for a in CREDIT.schema])
    assert kinds(X) == [("filled", ("income",), "note")]
    (found,) = leaks(X, DEFAULT)
    assert found.message.startswith(f"{np.isnan(income).sum()} cells hold the mean of all others")


def test_twins_in_training_and_test():
    copies = np.r_[np.arange(1000), np.arange(0, 1000, 4)]  # every fourth row comes twice
    X, y = CREDIT.take(copies), DEFAULT.take(copies)
    rows = np.arange(1250)
    split = [(rows[rows >= 250], rows[:250]), (rows[rows < 250], rows[250:])]
    evaluation = ob.evaluate(KNeighborsClassifier(1), X, y, split)
    (found,) = leaks(X, y, evaluation)
    assert (found.kind, found.severity) == ("duplicate rows", "warn")
    # rows 0, 4, … 248 (63 of them) are tested with all their copies in training; so are those 63 copies
    assert "126 of 1,250 (10.1%) of the test rows have an equal twin" in found.message
    met = np.zeros(1250, dtype=bool)
    met[np.arange(0, 250, 4)] = met[1000:1063] = True
    wrong = evaluation.one_round.truth != evaluation.one_round.predicted
    assert wrong[met].mean() == 0
    assert f"Error 0.000 on those rows, {wrong[~met].mean():.3f} on the others" in found.message
    assert leaks(X, y).of("duplicate rows")[0].severity == "warn"


def test_training_rows_that_are_not_known_are_not_guessed():
    copies = np.r_[np.arange(1000), np.arange(0, 1000, 4)]
    X, y = CREDIT.take(copies), DEFAULT.take(copies)
    part = ob.evaluate(ZeroR(), X, y, ShuffleSplit(1, test_size=100, train_size=500, random_state=0))
    (found,) = leaks(X, y, part)
    assert "identical to an earlier row" in found.message


def test_groups_across_folds():
    patient = Nominal("patient", tuple(map(str, range(200))))
    codes = (np.arange(1000) % 200).astype(patient.dtype)
    X = plus("patient", codes, patient)
    assert kinds(X) == [("groups", ("patient",), "note")]
    split = KFold(5, shuffle=True, random_state=0)
    mixed = ob.evaluate(NaiveBayes(), CREDIT, DEFAULT, split)
    (found,) = leaks(X, DEFAULT, mixed, groups="patient")
    met = [np.isin(codes[test], codes[train]) for train, test in split.split(codes)]
    share = np.concatenate(met).mean()
    assert (found.kind, found.severity) == ("groups", "warn")
    assert f"({share:.1%}) of the test rows belong to a group in training." in found.message
    whole = ob.evaluate(NaiveBayes(), CREDIT, DEFAULT, list(GroupKFold(5).split(codes, groups=codes)))
    assert kinds(X, evaluation=whole, groups="patient") == []
    assert kinds(CREDIT, evaluation=whole, groups=codes) == []
    assert kinds(plus("device", codes * 1.0))[0] == ("groups", ("device",), "note")
    assert kinds(plus("customer_id", codes * 1.0)) == [("identifier", ("customer_id",), "warn")]


def test_the_page_says_what_was_found_and_what_that_is_worth():
    nothing = leaks(CREDIT, DEFAULT)
    assert len(nothing) == 0
    assert nothing.work().conclusion == "Nothing found in 1,000 rows; this does not prove that nothing leaks."
    found = leaks(plus("copy", YES), DEFAULT)
    assert found.work().conclusion == "1 warning, 0 notes on 1,000 rows."
    assert "Warning: leak (copy)" in repr(found)
    assert len(found.warnings) == 1


def test_bad_requests_are_refused():
    with pytest.raises(DataError, match="X has 1000 rows, but groups has 3"):
        leaks(CREDIT, DEFAULT, groups=[1, 2, 3])
    with pytest.raises(UnknownColumn, match="no column 'patent'"):
        leaks(CREDIT, DEFAULT, groups="patent")
    import scipy.sparse as sp

    with pytest.raises(DataError, match=r"sparse columns cannot be searched for leaks; pass X.toarray\(\)"):
        leaks(sp.csr_array(np.eye(60)), np.arange(60) % 2)


def test_a_patients_number_with_one_outcome_is_no_target_encoding():
    """Forty patients of 25 rows each: every patient has one outcome."""
    patient = np.arange(1000) % 40
    outcome = np.random.default_rng(2).permutation(np.arange(40) % 2)[patient]
    others = RNG.normal(size=1000)
    for number in (patient + 1.0, 1000.0 + 7 * patient, 52.1 + patient / 40):  # a latitude may be one, too
        table = Table(Schema((Numeric("number"), Numeric("other"))), [number, others])
        assert kinds(table, outcome) == [("groups", ("number",), "warn")]
        assert leaks(table, outcome).suspects == ()


def titanic():
    """As seaborn has it: the same fact twice, as `survived` and as `alive`."""
    rng = np.random.default_rng(3)
    survived = rng.random(800) < 0.4
    fare = rng.lognormal(3, 1, 800) * (1 + survived)
    alive = Nominal("alive", ("no", "yes"))
    boat = Nominal("boat", tuple("ABCDEFGH"))
    boats = np.where(survived & (rng.random(800) < 0.95), rng.integers(0, 8, 800), -1)
    schema = Schema((Numeric("fare"), alive, boat))
    table = Table(schema, [fare, survived.astype(alive.dtype), boats.astype(boat.dtype)])
    return table, Column(Nominal("survived", ("no", "yes")), survived.astype(alive.dtype))


def test_suspects_are_the_columns_that_give_the_target_away():
    X, y = titanic()
    found = leaks(X, y)
    assert found.suspects == ("alive", "boat")
    assert found.why["alive"] == "`alive` predicts 'survived' by itself, without error in 800 rows."
    assert found.why["boat"].startswith("`boat` is known in ")
    assert leaks(plus("encoded", SHARES[CITY]), DEFAULT).suspects == ("encoded",)
    assert leaks(CREDIT, DEFAULT).suspects == ()


@pytest.mark.parametrize("name", ["iris", "wine", "breast_cancer"])
def test_strong_columns_of_real_sets_are_no_suspects(name):
    from sklearn import datasets

    X, y = getattr(datasets, f"load_{name}")(return_X_y=True)
    assert leaks(X, y).suspects == ()


def test_copies_with_a_jitter_in_training_and_test():
    X, y = ob.load("wine").split("cultivar")
    x = np.asarray(X, dtype=float)
    twice = np.concatenate([x, x[::2] + RNG.normal(0, 1e-6, (89, 13))])
    labels = np.concatenate([np.asarray(y), np.asarray(y)[::2]])
    split = [(np.arange(178), np.arange(178, 267)), (np.arange(178, 267), np.arange(178))]
    evaluation = ob.evaluate(KNeighborsClassifier(1), twice, labels, split)
    (found,) = leaks(twice, labels, evaluation).of("near-duplicate rows")
    assert found.severity == "warn"
    assert "178 of 267 (66.7%) of the test rows have an equal or nearly equal twin" in found.message
    assert "Error 0.000 on those" in found.message


def test_one_column_that_carries_the_model_is_a_note_of_its_own():
    X, y = ob.load("iris").split("species")
    split = KFold(5, shuffle=True, random_state=0)
    found = leaks(X, y, ob.evaluate(NaiveBayes(), X, y, split))
    (note,) = found.of("one column")
    assert (note.severity, found.suspects) == ("note", ())
    assert note.columns[0] in ("petal length (cm)", "petal width (cm)")
    assert note.message.startswith("one column carries the model: by itself it explains 8")
    wine, cultivar = ob.load("wine").split("cultivar")
    assert leaks(wine, cultivar, ob.evaluate(NaiveBayes(), wine, cultivar, split)).of("one column") == ()


def test_what_one_column_explains_by_hand():
    """Two values, two folds: the value's mean in the other fold, drawn towards that fold's mean by a row."""
    from openbook.judge.folds.examples import Examples
    from openbook.judge.risk.single_columns import carrier

    x, y = np.array([0, 0, 1, 1, 0, 0, 1, 1.0]), np.array([0, 0, 10, 10, 0, 0, 10, 10.0])
    table = Table(Schema((Numeric("x"), Numeric("noise"))), [x, np.array([1, 2, 1, 2, 2, 1, 2, 1.0])])
    halves = [(np.arange(4, 8), np.arange(4)), (np.arange(4), np.arange(4, 8))]

    class Knows(ZeroRegressor):
        def _predict(self, X):
            return 10 * X.data("x")

    evaluation = ob.evaluate(Knows(), table, y, halves)
    found = carrier(Examples.of(table, y, "regression"), evaluation)
    # each value: (sum of two + mean 5) / 3 = 5/3 or 25/3, so each row misses by 5/3, and (5/3)² / 5² = 1/9
    assert found is None  # 1 - 1/9 is below nine tenths of what the model explains, which is all
    many = Table(table.schema, [np.repeat(c, 10) for c in table.columns])
    folds = [(np.arange(40, 80), np.arange(40)), (np.arange(40), np.arange(40, 80))]
    found = carrier(
        Examples.of(many, np.repeat(y, 10), "regression"), ob.evaluate(Knows(), many, np.repeat(y, 10), folds)
    )
    assert (found.column, found.model) == ("x", 1.0)
    assert found.share == pytest.approx(1 - (5 / 21) ** 2 / 25)
