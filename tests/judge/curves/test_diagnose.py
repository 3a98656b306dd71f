"""Diagnosis: problems whose answer is known, the decision table line by line, evidence, what is needed."""

import re

import numpy as np
import pytest
from sklearn import config_context
from sklearn.base import BaseEstimator, ClassifierMixin
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.neighbors import KNeighborsClassifier, KNeighborsRegressor
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from openbook.errors import DataError, ParameterError
from openbook.judge import (
    METRICS,
    Curve,
    Evaluation,
    FoldResult,
    Metric,
    compare,
    complexity_curve,
    diagnose,
    diagnose_model,
    evaluate,
    learning_curve,
)
from openbook.judge.curves.diagnose import Diagnosis, DiagnosisFacts, verdict_of
from openbook.judge.curves.evidence import Better, DiagnosticEvidence, LossScale
from openbook.judge.curves.remedies import MEANINGS, REMEDIES


@pytest.fixture(autouse=True)
def quick():
    """Let scikit-learn check less: hundreds of small fits are mostly checks."""
    with config_context(assume_finite=True, skip_parameter_validation=True):
        yield


class Optimal(ClassifierMixin, BaseEstimator):
    """Knows the rule, and needs no rows to learn it."""

    def fit(self, X, y):
        self.classes_ = np.unique(y)
        return self

    def predict(self, X):
        return (X[:, 0] > 0).astype(int)


class ByHeart(Optimal):
    """Knows the rule too, but of the rows it was given it has learnt the labels, wrong ones and all."""

    def fit(self, X, y):
        self.known_ = dict(zip(map(bytes, X), y, strict=True))
        return super().fit(X, y)

    def predict(self, X):
        rule = super().predict(X)
        return np.array([self.known_.get(bytes(row), said) for row, said in zip(X, rule, strict=True)])


def xor(n, random):
    X = random.uniform(-1, 1, size=(n, 2))
    return X, (X[:, 0] * X[:, 1] > 0).astype(int)


def parabola(n, random):
    X = random.uniform(-1, 1, size=(n, 2))
    return X, 3 * (X[:, 0] + 0.3) ** 2 + 0.1 * random.normal(size=n)


def flipped(n, random):
    """A fifth of the labels are wrong: no learner can do better than an error of 0.2."""
    X = random.normal(size=(n, 5))
    return X, ((X[:, 0] > 0) ^ (random.random(n) < 0.2)).astype(int)


def noisy_line(n, random):
    X = random.normal(size=(n, 5))
    return X, X[:, 0] + random.normal(size=n)


def blobs(n, random):
    y = random.integers(3, size=n)
    return random.normal(size=(n, 3)) + 4 * np.eye(3)[y], y


def board(n, random):
    """A board of four by four fields, without noise: there is all to learn, given rows enough."""
    X = random.uniform(0, 4, size=(n, 2))
    return X, X.astype(int).sum(axis=1) % 2


def unrelated(n, random):
    return random.normal(size=(n, 4)), (random.random(n) < 0.4).astype(int)


RIVALS = {
    "classification": {"neighbours": KNeighborsClassifier(9), "naive Bayes": GaussianNB()},
    "regression": {"neighbours": KNeighborsRegressor(9), "line": LinearRegression()},
}
TREE = DecisionTreeClassifier(random_state=0)

PROBLEMS = [  # learner, problem, sizes (each with its own seed), verdicts that are right
    (LogisticRegression(), xor, (100, 300), {"under-fitting", "high bias"}),
    (LinearRegression(), parabola, (100, 300), {"under-fitting", "high bias"}),
    (TREE, flipped, (300, 700), {"over-fitting", "high variance"}),
    (DecisionTreeRegressor(random_state=0), noisy_line, (200, 500), {"over-fitting", "high variance"}),
    (TREE, board, (200, 300), {"high variance"}),
    (Optimal(), flipped, (100, 400), {"noise floor"}),
    (LinearRegression(), noisy_line, (200, 500), {"noise floor"}),
    (GaussianNB(), blobs, (100, 300), {"fine"}),
    (TREE, blobs, (300, 600), {"fine"}),
    (TREE, unrelated, (100, 300), {"nothing learnt"}),
    (LogisticRegression(), unrelated, (100, 300), {"nothing learnt"}),
]


@pytest.mark.parametrize(("model", "problem", "sizes", "right"), PROBLEMS)
def test_problems_whose_answer_is_known(model, problem, sizes, right):
    rivals = RIVALS["regression" if problem in (parabola, noisy_line) else "classification"]
    found = []
    for seed, n in enumerate(sizes):
        X, y = problem(n, np.random.default_rng([seed, n]))
        found.append(diagnose_model(model, X, y, rivals=rivals, random_state=seed).verdict)
    assert set(found) <= right, found


def test_who_learns_rows_by_heart_may_do_no_harm():
    """Without a training error the gap is large, and yet nobody does better: so it is for many forests."""
    X, y = flipped(300, np.random.default_rng(0))
    found = diagnose_model(ByHeart(), X, y, rivals={"rule": Optimal(), "naive Bayes": GaussianNB()})
    assert "training error 0.000" in found["gap"].words
    assert found["gap"].finding == "large"
    assert found.verdict == "noise floor"


def test_without_other_learners_bias_and_noise_are_not_told_apart():
    for problem, model in ((flipped, Optimal()), (parabola, LinearRegression())):
        X, y = problem(300, np.random.default_rng(1))
        found = diagnose(learning_curve(model, X, y))
        assert found.verdict == "high bias or noise floor"
        assert any("other learners on the same folds" in each for each in found.needed)


def test_an_evaluation_alone():
    X, y = flipped(300, np.random.default_rng(0))
    found = diagnose(evaluate(TREE, X, y, random_state=1))
    assert found.verdict == "undecided"
    assert [each.name for each in found.evidence] == ["level"]
    assert "the training error: curve=learning_curve(model, X, y)" in found.needed
    assert diagnose(evaluate(GaussianNB(), *blobs(200, np.random.default_rng(0)))).verdict == "fine"
    nothing = diagnose(evaluate(TREE, *unrelated(200, np.random.default_rng(0))))
    assert nothing.verdict == "nothing learnt"


def test_one_held_out_set_and_leave_one_out():
    X, y = blobs(40, np.random.default_rng(0))
    assert diagnose(evaluate(GaussianNB(), X, y)).verdict == "fine"  # leave-one-out
    split = [(np.arange(20), np.arange(20, 40))]
    level = diagnose(evaluate(GaussianNB(), X, y, split))["level"]
    assert level.finding == "better"
    assert "Bonett–Price" in level.words


def test_regression_and_probabilities_from_an_evaluation_alone():
    X, y = noisy_line(200, np.random.default_rng(0))
    level = diagnose(evaluate(LinearRegression(), X, y))["level"]
    assert "of the squared error of the baseline is left" in level.words
    X, y = blobs(200, np.random.default_rng(0))
    assert diagnose(evaluate(GaussianNB(), X, y, metrics="log_loss")).verdict == "fine"


def test_the_baseline_is_the_majority_of_the_rows_tested_elsewhere():
    """60 of 100 rows are of one class, so it errs in 40."""
    y = np.array([0] * 60 + [1] * 40)
    X = np.column_stack([y, np.ones(100)]).astype(float)
    split = [(np.setdiff1d(np.arange(100), test), test) for test in np.arange(100).reshape(20, 5).T]
    level = diagnose(evaluate(GaussianNB(), X, y, split, "error"))["level"]
    assert "validation error 0.000, that of the baseline 0.400" in level.words
    assert "0% of the error of the baseline is left" in level.words


def test_the_baseline_is_named():
    X, y = blobs(40, np.random.default_rng(0))
    models = {"bayes": GaussianNB(), "0R": DummyClassifier()}
    judged = {name: evaluate(model, X, y, 2, name=name) for name, model in models.items()}
    found = diagnose(judged["bayes"], baseline=judged["0R"])
    assert found.meaning == "it removes at least 90% of the error of the baseline 0R"
    assert "that of the baseline 0R " in found["level"].words


def test_another_setting_tells_under_from_over_fitting():
    X, y = flipped(300, np.random.default_rng(2))
    depths = [1, 2, 4, None]
    deep = diagnose(complexity_curve(TREE, X, y, "max_depth", depths))
    assert (deep.verdict, deep["max_depth"].finding) == ("over-fitting", "better")
    assert "its training error is worse" in deep["max_depth"].words
    shallow = DecisionTreeClassifier(max_depth=1, random_state=0)
    X, y = board(1500, np.random.default_rng(2))
    under = diagnose(complexity_curve(shallow, X, y, "max_depth", [1, 4, 20]))
    assert under.verdict == "under-fitting"
    assert "its training error is better" in under["max_depth"].words


def test_a_curve_and_a_comparison_together():
    X, y = parabola(300, np.random.default_rng(0))
    comparison = compare({"line": LinearRegression(), **RIVALS["regression"]}, X, y, metrics="rmse")
    curves = [
        learning_curve(LinearRegression(), X, y),
        complexity_curve(LinearRegression(), X, y, "fit_intercept", [True, False]),
    ]
    found = diagnose(comparison["line"], curves, rivals=comparison)
    assert found.verdict in {"under-fitting", "high bias"}
    assert [each.name for each in found.evidence] == [
        "level",
        "gap",
        "slope",
        "fit_intercept",
        "other learners",
    ]
    assert "neighbours" in found["other learners"].words


def test_the_best_of_many_is_tested_as_the_best_of_many():
    """Columns that tell nothing: the p-value is that of the ranking, and no finding contradicts it."""
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(120, 6)), rng.integers(0, 2, 120)
    models = {f"{k}": KNeighborsClassifier(k) for k in (1, 3, 5, 9, 15, 25)}
    found = compare({"0R": DummyClassifier(), **models}, X, y, 5, baseline="0R")
    best = max(models, key=lambda label: found[label].score())
    diagnosis = diagnose(found[best], None, found["0R"], found)
    p = found.against_baseline()[best].p_value
    assert p > 0.05
    evidence = {each.name: each for each in diagnosis.evidence}
    assert f"{len(models)} differences at once), p = {p:.3f}" in evidence["level"].words
    assert {evidence["level"].finding, evidence["probabilities"].finding} <= {"no better", "unclear", "worse"}


def test_every_sentence_has_a_number_and_an_interval():
    X, y = flipped(300, np.random.default_rng(0))
    found = diagnose_model(TREE, X, y, rivals=RIVALS["classification"], name="tree")
    methods = {"gap": "corrected resampled t", "slope": "corrected resampled t"}  # of points of a curve
    for each in found.evidence:
        method = methods.get(each.name, "paired, Bonett–Price")
        at_once = "; 3 differences at once" if each.name == "level" else ""  # of the tree and its two rivals
        assert re.search(
            rf"[+-]\d+\.\d+ \[-?\d+\.\d+, -?\d+\.\d+\] \(9[57.]+%, {method}{at_once}\), p ", each.words
        )
        assert str(each) == f"{each.name}: {each.words}"
    text = " ".join(str(found).split())
    assert text.startswith("Diagnosis of tree")
    assert "What to try a simpler model" in text
    assert f"∴ Over-fitting: {found.meaning}." in text
    assert (
        "<math" in found._repr_html_() or "<dl" in found._repr_html_() or "Diagnosis" in found._repr_html_()
    )
    with pytest.raises(KeyError, match="no evidence 'noise'; there is \\['level', 'gap'"):
        found["noise"]


def test_the_level_of_tests_and_intervals():
    curve = learning_curve(TREE, *flipped(300, np.random.default_rng(0)))
    assert "(80%, corrected resampled t)" in diagnose(curve, level=0.8)["gap"].words


def fact(
    level="better",
    left=0.5,
    gap="small",
    slope="little gained",
    learners=None,
    in_training=0.3,
    settings=(),
    proba=None,
    **more,
):
    """What was found, in words."""
    return DiagnosisFacts(
        DiagnosticEvidence("level", level, ""),
        left,
        None if gap is None else DiagnosticEvidence("gap", gap, ""),
        in_training,
        None if slope is None else DiagnosticEvidence("slope", slope, ""),
        tuple(Better("knob", "better", "", how=how) for how in settings),
        None if learners is None else Better("other learners", learners, "", **more),
        probabilities=None if proba is None else DiagnosticEvidence("probabilities", proba, ""),
    )


@pytest.mark.parametrize(
    ("facts", "verdict"),
    [
        (fact("no better"), "nothing learnt"),
        (fact("worse", gap="large"), "nothing learnt"),
        (fact("unclear", gap="large"), "undecided"),
        (fact("unclear", learners="none better", learnable=True), "under-fitting"),
        (fact("no better", learners="better", learnable=False), "nothing learnt"),
        (fact("no better", gap="large", learners="none better", learnable=True), "over-fitting"),
        (fact("no better", learners="none better", learnable=True), "under-fitting"),
        (
            fact("unclear", learners="none better", learnable=True, proba="better"),
            "useful probabilities",
        ),
        (fact("unclear", learners="better", learnable=True, proba="better"), "under-fitting"),
        (fact("no better", settings=["under-fitting"]), "under-fitting"),
        (fact(left=0.05, settings=["over-fitting"]), "over-fitting"),
        (fact(settings=["under-fitting"], gap="large"), "under-fitting"),
        (fact(left=0.1, gap="large"), "fine"),
        (fact(gap=None), "undecided"),
        (fact(gap="unclear"), "undecided"),
        (fact(gap="large", slope="falling", learners="none better", level_with=("a",)), "high variance"),
        (fact(gap="large", learners="none better", level_with=("a",)), "noise floor"),
        (fact(gap="large", learners="none better"), "over-fitting"),
        (fact(gap="large", slope="unclear", learners="none better"), "high variance"),
        (fact(gap="large", slope="unclear"), "over-fitting"),
        (fact(gap="large", learners="unclear", level_with=("a",)), "over-fitting"),
        (fact(gap="large", slope=None), "over-fitting"),
        (fact(learners="better"), "high bias"),
        (fact(learners="better", in_training=0.5), "under-fitting"),
        (fact(slope="falling"), "still learning"),
        (fact(slope="falling", learners="better"), "high bias"),
        (fact(learners="none better"), "noise floor"),
        (fact(learners="none better", slope="unclear"), "noise floor"),
        (fact(learners="slightly better"), "noise floor"),
        (fact(slope="slightly falling", learners="none better"), "noise floor"),
        (fact(gap="large", slope="rising", learners="none better", level_with=("a",)), "noise floor"),
        (fact(learners="unclear"), "high bias or noise floor"),
        (fact(), "high bias or noise floor"),
    ],
)
def test_the_decision_table(facts, verdict):
    assert verdict_of(facts) == verdict


def test_every_verdict_has_a_meaning_and_remedies():
    assert MEANINGS.keys() == REMEDIES.keys()
    assert all(REMEDIES.values())  # advice is never empty
    told = {"high variance": "more rows", "over-fitting": "a simpler model", "high bias": "a richer model"}
    for verdict, first in told.items():
        assert REMEDIES[verdict][0].startswith(first)


@pytest.mark.parametrize("slope", ["unclear", "little gained"])
def test_a_noise_floor_does_not_say_that_more_rows_do_not_help_where_that_is_open(slope):
    found = Diagnosis("m", "noise floor", (DiagnosticEvidence("slope", slope, "…"),), (), ())
    assert ("not settled whether more rows help" in found.meaning) == (slope == "unclear")
    assert ("more rows are not shown to help" in found.meaning) == (slope != "unclear")


def sized(before, now):
    """A learning curve of two sizes, by the validation error of each fold; the training error is 0.1."""
    errors = np.array([before, now])
    return Curve(
        "size", "m", "training rows", (100, 200), METRICS["error"], np.full_like(errors, 0.1), errors,
        np.full(len(before), 0.5), 200, 20, own=1,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "wobble", "finding"),
    [
        (-0.05, 0.001, "falling"),  # a tenth of the baseline's 0.5, in every fold
        (-0.005, 0.0001, "slightly falling"),  # a hundredth, in every fold
        (-0.02, 0.02, "unclear"),  # a twenty-fifth, but some folds rise
        (0.0, 0.002, "little gained"),
        (0.05, 0.001, "rising"),
    ],
)
def test_a_curve_that_falls_is_not_called_flat(change, wobble, finding):
    before = np.full(10, 0.3)
    now = before + change + wobble * np.tile([1, -1], 5)
    assert diagnose(sized(before, now))["slope"].finding == finding


def test_what_is_better_by_little_is_not_called_no_better():
    """0.29 instead of 0.30 in every fold: the interval excludes zero, but the baseline errs in half."""
    y = np.tile([0, 1], 500)
    ours, theirs = (evaluated(y, share) for share in (0.30, 0.29))
    found = diagnose(ours, rivals={"other": theirs})["other learners"]
    assert found.finding == "slightly better"


def evaluated(y, share):
    """An Evaluation of ten folds, the same share of each class wrong in all of them."""
    folds = []
    for i in range(10):
        rows = np.arange(100 * i, 100 * i + 100)
        said = y[rows].copy()
        said[: round(100 * share)] = 1 - said[: round(100 * share)]
        folds.append(FoldResult(i, rows, y[rows], said, None, 900, 0.0, 0.0, None, ()))
    return Evaluation("m", "classification", np.array([0, 1]), tuple(folds), ("error",))


def test_shares_of_the_baseline():
    rmse = LossScale(METRICS["rmse"], base=2.0, alpha=0.05)
    assert rmse.share(1.0) == 0.25  # a quarter of the squared error
    assert rmse.worse(2.0, than=1.0) == 0.75
    auc = LossScale(METRICS["roc_auc"], base=0.5, alpha=0.05)
    assert auc.share(0.9) == pytest.approx(0.2)
    endless = Metric("gain", "classification", True, False, lambda p: 1.0)
    with pytest.raises(
        ParameterError, match="gain has no best value to measure the loss from; give its Metric highest"
    ):
        LossScale(endless, 0.0, 0.05).share(1.0)


def test_a_constant_target_leaves_nothing_to_learn():
    X = np.arange(60.0)[:, None]
    found = diagnose(evaluate(GaussianNB(), X, np.zeros(60, dtype=int)))
    assert found.verdict == "nothing to learn"
    assert found.evidence == ()


def test_errors():
    X, y = blobs(100, np.random.default_rng(0))
    curve, evaluation = learning_curve(GaussianNB(), X, y), evaluate(GaussianNB(), X, y)
    with pytest.raises(ParameterError, match="rivals and baseline need an Evaluation on the same folds"):
        diagnose(curve, rivals={"tree": evaluation})
    with pytest.raises(DataError, match="were not evaluated on the same folds"):
        diagnose(evaluation, rivals={"tree": evaluate(TREE, X, y, random_state=5)})
    nowhere = Curve(
        "size", "m", "training rows", (1,), METRICS["error"], [[np.nan]], [[np.nan]], [0.5], 8, 2, own=0
    )
    with pytest.raises(DataError, match="error is undefined for the learner or the baseline"):
        diagnose(nowhere)


def rare(n, random):
    """One row in a hundred is of the rarer class, and two columns are 1.3 larger there: AUC Φ(1.3) = 0.90."""
    y = (random.random(n) < 0.01).astype(int)
    return random.normal(size=(n, 2)) + 1.3 * y[:, None], y


def test_a_rare_class_with_signal_is_not_called_unlearnt():
    """Hardly a row is more likely of the rare class than not, and yet the probabilities tell."""
    X, y = rare(2000, np.random.default_rng(0))
    found = diagnose(evaluate(LogisticRegression(), X, y, metrics="accuracy"))
    assert found["level"].finding == "no better"
    assert found["probabilities"].finding == "better"
    assert found.verdict == "useful probabilities"
    assert found.remedies[0].startswith("a decision threshold other than 0.5")


@pytest.mark.parametrize("seed", range(4))
def test_noise_in_a_rare_class_is_called_unlearnt(seed):
    random = np.random.default_rng(seed)
    y = (random.random(500) < 0.05).astype(int)
    found = diagnose(evaluate(LogisticRegression(), random.normal(size=(500, 3)), y, metrics="accuracy"))
    assert (found["probabilities"].finding, found.verdict) == ("no better", "nothing learnt")


def test_another_learner_whose_probabilities_tell_shows_that_there_is_something_to_learn():
    X, y = rare(2000, np.random.default_rng(0))
    stump = DecisionTreeClassifier(max_depth=1, min_samples_leaf=900, random_state=0)
    compared = compare({"stump": stump, "logistic": LogisticRegression()}, X, y, metrics="accuracy")
    found = diagnose(compared["stump"], rivals={"logistic": compared["logistic"]})
    assert found["other learners"].learnable
    assert found.verdict != "nothing learnt"


def test_a_rare_class_needs_another_metric():
    """A tenth is of the rarer class, and though the column tells, no row is more likely of it than not."""
    random = np.random.default_rng(0)
    y = (random.random(400) < 0.1).astype(int)
    X = (random.normal(size=400) + y)[:, None]
    found = diagnose(learning_curve(GaussianNB(), X, y))
    assert found.verdict == "undecided"  # a curve holds no probabilities
    assert "metric='roc_auc' or 'log_loss'" in found.needed[0]
    assert diagnose(learning_curve(GaussianNB(), X, y, metric="roc_auc"))["level"].finding == "better"


def test_the_usual_rivals_are_others():
    from openbook.bayes import NaiveBayes
    from openbook.judge.curves.diagnose import _usual_rivals
    from openbook.judge.folds.examples import Examples

    X, y = blobs(60, np.random.default_rng(0))
    examples = Examples.of(X, y, "classification")
    assert list(_usual_rivals(TREE, examples, 0)) == ["forest", "naive Bayes"]
    assert list(_usual_rivals(NaiveBayes(), examples, 0)) == ["forest"]
    numbers = Examples.of(X, X[:, 0], "regression")
    assert list(_usual_rivals(LinearRegression(), numbers, 0)) == ["forest", "linear model"]


def test_a_rival_of_the_same_name_is_another():
    X, y = blobs(100, np.random.default_rng(0))
    found = diagnose_model(GaussianNB(), X, y, rivals={"GaussianNB": TREE})
    assert "another GaussianNB" in found["other learners"].words
