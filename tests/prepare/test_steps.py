"""Steps as people write them, and steps and a learner as one model."""

import numpy as np
import pytest
from sklearn.base import is_classifier, is_regressor
from sklearn.pipeline import make_pipeline

import openbook
from openbook import load, read
from openbook.bayes import NaiveBayes
from openbook.errors import ParameterError, RefusalError
from openbook.linear import LinearRegression
from openbook.prepare import (
    VERBS,
    DateParts,
    DropMissing,
    FunctionTransformer,
    Jitter,
    KBinsDiscretizer,
    MinMaxScaler,
    Prepared,
    SimpleImputer,
    StandardScaler,
    step,
)
from openbook.tree import CART

X, y = load("loan").split("cheat")


@pytest.mark.parametrize(
    ("text", "made"),
    [
        ("log income", FunctionTransformer("log", columns=["income"])),
        ("log income, age", FunctionTransformer("log", columns=["income", "age"])),
        ('log "annual income"', FunctionTransformer("log", columns=["annual income"])),
        ("scale", StandardScaler()),
        ("scale income sample", StandardScaler(ddof=1, columns=["income"])),
        ("scale minmax feature_range=-1,1", MinMaxScaler(feature_range=(-1, 1))),
        ("scale income minmax -1 1", MinMaxScaler(feature_range=(-1, 1), columns=["income"])),
        ("bins age auto equal-width", KBinsDiscretizer("auto", "uniform", columns=["age"])),
        ("bins age entropy", KBinsDiscretizer(strategy="mdl", columns=["age"])),
        ("dates month weekday", DateParts(["month", "weekday"])),
        ("impute age median", SimpleImputer(strategy="median", columns=["age"])),
        ("impute 'median' mean", SimpleImputer(strategy="mean", columns=["median"])),
        ("impute constant 7", SimpleImputer(strategy="constant", fill_value=7)),
        ("impute mean add_indicator=true", SimpleImputer(add_indicator=True)),
        ("impute constant fill_value='not known'", SimpleImputer("constant", fill_value="not known")),
        ("log income,age", FunctionTransformer("log", columns=["income", "age"])),
        ("jitter height=0.5 age=2 copies=3", Jitter({"height": 0.5, "age": 2}, copies=3)),
        ("drop-missing", DropMissing()),
        ("drop-missing 0.3columns", DropMissing(axis="columns", threshold=0.3)),
    ],
)
def test_a_step_is_a_verb_columns_and_options(text, made):
    assert repr(step(text)) == repr(made)


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("lgo income", "there is no step 'lgo'. Did you mean 'log'?"),
        ("log income 3", "takes no number"),
        ("bins age 4 auto", "takes no number"),
        ("scale minmax 3", "takes two numbers"),
        ("scale minmax robust", "names two ways"),
        ("jitter height=much", "there is no option 'height'"),
        ("jitter height", "takes no columns. Options: noise, copies, random_state, or noise for each column"),
        ("mixup height", "'height' is no option, and this step takes no columns"),
        ("log income base=2", "there is no option 'base'"),
        ('log "annual income', "the quotes do not match"),
    ],
)
def test_what_is_wrong_with_a_step_is_said(text, complaint):
    with pytest.raises(ParameterError) as error:
        step(text)
    assert complaint in str(error.value)


def test_every_verb_has_an_example_that_is_a_step():
    for name, verb in VERBS.items():
        assert verb.example.split()[0] == name
        assert isinstance(step(verb.example), tuple(way.make for way in verb.ways.values()))


def test_steps_and_learner_are_one_model_of_the_rows_as_they_come(tmp_path):
    model = Prepared(NaiveBayes(), ["log income", StandardScaler(columns=["income"])]).fit(X, y)
    by_hand = NaiveBayes().fit(model.prepared(X), y)
    assert model.schema_ == X.schema
    logs = np.log(X["income"].data)
    np.testing.assert_allclose(model.prepared(X)["income"].data, (logs - logs.mean()) / logs.std())
    np.testing.assert_array_equal(model.predict_proba(X), by_hand.predict_proba(model.prepared(X)))
    again = openbook.open_model(openbook.save(model, tmp_path / "m.openbook"))
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.steps[0] == "log income"
    row = {"owner": "No", "status": "Married", "income": 120}
    assert str(again.work(row)) == str(model.work(row))
    assert model.work(row)["FunctionTransformer: one row"]["income"].result == pytest.approx(np.log(120))
    assert model.work(row).conclusion == by_hand.work(model.prepared([row])).conclusion


def test_steps_learn_inside_the_fold():
    # with its own rows only, the test row 1000 is far outside: min-max of the training rows gives 111
    table = read([{"x": float(i), "y": float(i)} for i in range(10)] + [{"x": 1000.0, "y": 1.0}])
    model = Prepared(LinearRegression(), ["scale minmax"]).fit(table.take(slice(0, 10)), "y")
    assert model.prepared(table.drop("y"))["x"].tolist()[-1] == pytest.approx(1000 / 9)


def test_it_is_the_pipeline_of_scikit_learn_with_the_same_steps():
    ours = openbook.evaluate(Prepared(NaiveBayes(), ["log income", "scale"]), X, y, cv=2)
    theirs = openbook.evaluate(
        make_pipeline(FunctionTransformer("log", columns=["income"]), StandardScaler(), NaiveBayes()),
        X,
        y,
        cv=2,
    )
    assert ours.score("log_loss") == pytest.approx(theirs.score("log_loss"))


def test_it_is_what_its_learner_is():
    assert is_classifier(Prepared(NaiveBayes()))
    assert is_regressor(Prepared(LinearRegression()))
    assert not hasattr(Prepared(LinearRegression()), "predict_proba")
    tree = CART()
    assert Prepared(tree).knobs() == {f"estimator__{name}": values for name, values in tree.knobs().items()}


def test_rows_left_out_are_those_of_training_only():
    table = read([{"a": 1.0, "y": 1.0}, {"a": None, "y": 9.0}, {"a": 3.0, "y": 3.0}])
    model = Prepared(LinearRegression(), ["drop-missing"]).fit(table, "y", sample_weight=[1, 1, 2])
    assert model.steps_[0].kept_.tolist() == [True, False, True]
    assert model.predict(read([{"a": 2.0}, {"a": None}]))[0] == pytest.approx(2.0)
    assert len(model.predict(table.drop("y"))) == 3
    rows, targets = DropMissing().fit_resample(table.drop("y"), table["y"])
    assert (len(rows), targets.tolist()) == (2, [1.0, 3.0])


def test_an_error_names_the_step_and_the_way_out():
    table = read([{"x": 0.0, "y": 1.0}, {"x": 2.0, "y": 2.0}])
    with pytest.raises(
        RefusalError, match=r"'log x': log has no value for 0, which row 0 .* try \"log1p x\""
    ):
        Prepared(LinearRegression(), ["log x"]).fit(table, "y")
    with pytest.raises(RefusalError, match="finds no column 'z'"):
        Prepared(LinearRegression(), ["log z"]).fit(table, "y")
    with pytest.raises(RefusalError, match="is for numeric columns, and 'owner' is nominal"):
        Prepared(NaiveBayes(), ["log owner"]).fit(X, y)


def test_a_later_number_without_an_image_is_missing():
    log = FunctionTransformer("log").fit(read([{"x": 1.0}, {"x": 2.0}]))
    assert np.isnan(log.transform(read([{"x": -1.0}]))["x"].tolist()[0])
