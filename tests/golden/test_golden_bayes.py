"""The worked examples of naive Bayes and of decisions by risk: models and derivations, digit by digit."""

import math
from collections import Counter
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import BaseEstimator, ClassifierMixin

from openbook import read
from openbook.bayes import Epsilon, Laplace, MEstimate, NaiveBayes, NoSmoothing
from openbook.decide import MinimumRisk
from openbook.measures import risk_threshold


def exactly(expected):
    """Equal to the last digits of a double."""
    return pytest.approx(expected, rel=1e-12, abs=0)


CATEGORICAL = {
    "nb_clinic_ann_mle": NoSmoothing(),
    "nb_clinic_ann_eps": Epsilon(1e-6),
    "nb_clinic_ann_laplace": Laplace(1),
    "nb_clinic_bob_mle": NoSmoothing(),
    "nb_clinic_bob_eps": Epsilon(1e-6),
    "own_nb_cat_a": Laplace(1.0),
}

MIXED = {
    "nb_loan_mle": {"smoothing": NoSmoothing(), "variance": "sample"},
    "nb_loan_laplace": {"smoothing": Laplace(), "variance": "sample"},
    "nb_loan_mestimate": {"smoothing": MEstimate(3, {"Yes": 1 / 3, "No": 2 / 3}), "variance": "sample"},
    "nb_loan_mle_ddof0": {"smoothing": NoSmoothing(), "variance": "mle"},
    "own_nb_mixed_mle": {"smoothing": NoSmoothing(), "variance": "sample"},
}


def fitted(record, target, **parameters):
    return NaiveBayes(**parameters).fit(read(record["data"]["rows"]), target)


def check_end(model, test, target, expected):
    """Joint scores, posteriors and the answer: of the model, and as derived."""
    work = model.work(test)
    joint = {
        label: work[f"P({target} = {label}) P(x | {target} = {label})"].result for label in model.classes_
    }
    assert joint == exactly(expected["joint"])
    logs = {label: math.log(value) if value else -math.inf for label, value in expected["joint"].items()}
    own = dict(zip(model.classes_, model.predict_joint_log_proba([test])[0], strict=True))
    assert own == pytest.approx(logs, rel=1e-12, abs=1e-12)
    posterior = {label: work[f"P({target} = {label} | x)"].result for label in model.classes_}
    if expected["prediction"] is None:
        assert posterior == dict.fromkeys(model.classes_)
        return
    assert posterior == exactly(expected["posterior"])
    proba = dict(zip(model.classes_, model.predict_proba([test])[0], strict=True))
    assert proba == exactly(expected["posterior"])
    assert model.predict([test])[0] == expected["prediction"]
    assert work.conclusion == f"Most probable: {target} = {expected['prediction']}."
    evidence = math.fsum(expected["joint"].values())
    assert work["P(x)"].result == exactly(evidence)
    assert model.score_samples([test])[0] == pytest.approx(math.log(evidence), rel=1e-12)


@pytest.mark.parametrize("id_", CATEGORICAL)
def test_categorical(golden, id_):
    record = golden(id_)
    test, expected = record["data"]["test"], record["expected"]
    model = fitted(record, "y", smoothing=CATEGORICAL[id_])
    work = model.work(test)
    for label, prior in expected["prior"].items():
        assert work[f"P(y = {label})"].result == exactly(prior)
        for column, factor in expected["factors"][label].items():
            assert work[f"P({column} = {test[column]} | y = {label})"].result == exactly(factor)
            assert model.likelihood(column, test[column], given=label) == exactly(factor)
        likelihood = math.prod(expected["factors"][label].values())
        assert work[f"P(x | y = {label})"].result == exactly(likelihood)
        fraction = float(Fraction(expected["joint_fraction"][label]))
        assert work[f"P(y = {label}) P(x | y = {label})"].result == exactly(fraction)
    check_end(model, test, "y", expected)


def test_where_every_product_is_zero_the_prior_answers(golden):
    record = golden("nb_clinic_bob_mle")
    model = fitted(record, "y", smoothing=NoSmoothing())
    test, prior = record["data"]["test"], record["expected"]["prior"]
    assert dict(zip(model.classes_, model.predict_proba([test])[0], strict=True)) == exactly(prior)
    assert model.predict([test])[0] == "Flu"
    assert model.predict_log_proba([test])[0] == pytest.approx(np.log([0.4, 0.6]), rel=1e-14)
    assert model.score_samples([test])[0] == -math.inf
    work = model.work(test)
    assert work["P(x)"].result == 0
    assert work["P(y = Cold | x)"].result is None
    assert work.conclusion == ("The product is 0 for every class, so the prior decides: y = Flu.")


def test_the_whole_table_of_smoothed_estimates(golden):
    record = golden("nb_clinic_laplace_table")
    model = fitted(record, "y", smoothing=Laplace(1))
    work = model.work()
    for label, columns in record["expected"].items():
        for column, table in columns.items():
            for value, estimate in table.items():
                assert work[f"P({column} = {value} | y = {label})"].result == exactly(estimate)
                assert model.likelihood(column, value, given=label) == exactly(estimate)
    assert work["P(headache = severe | y = Flu)"].numbers == r"\frac{2 + 1}{3 + 1 \cdot 3}"


@pytest.mark.parametrize("id_", MIXED)
def test_mixed(golden, id_):
    record = golden(id_)
    test, expected = record["data"]["test"], record["expected"]
    target = "y" if id_.startswith("own") else "cheat"
    model = fitted(record, target, **MIXED[id_])
    learnt, work = model.work(), model.work(test)
    for label, prior in expected["prior"].items():
        given = f"{target} = {label}"
        assert work[f"P({given})"].result == exactly(prior)
        for column, table in expected["tables"][label].items():
            for value, estimate in table.items():
                assert learnt[f"P({column} = {value} | {given})"].result == exactly(estimate)
        for column, curve in expected["gauss"][label].items():
            assert learnt[f"mean given {given}"].result == exactly(curve["mean"])
            assert learnt[f"variance given {given}"].result == exactly(curve["var"])
            density = expected["density"][label][column]
            assert work[f"p({column} = {test[column]} | {given})"].result == exactly(density)
            assert model.likelihood(column, test[column], given=label) == exactly(density)
        assert work[f"P(x | {given})"].result == exactly(expected["likelihood"][label])
    check_end(model, test, target, expected)


@pytest.mark.parametrize("sparse", [False, True])
def test_text(golden, sparse):
    record = golden("text_four_docs")
    data, expected = record["data"], record["expected"]
    words = sorted({word for document in data["documents"] for word in document["text"].split()})
    labels = [document["label"] for document in data["documents"]]

    def counts(text):
        seen = Counter(text.split())
        return [seen[word] for word in words]

    X = np.array([counts(document["text"]) for document in data["documents"]], dtype=float)
    x = np.array([counts(data["test"])], dtype=float)
    if sparse:
        X, x = sp.csr_array(X), sp.csr_array(x)
    shares = {label: count / expected["count"] for label, count in expected["count_y"].items()}
    model = NaiveBayes(
        smoothing=MEstimate(m=1, p=0.5), priors=shares, distributions=None if sparse else "multinomial"
    ).fit(X, labels)
    work = model.work(x)
    for label, terms in expected["terms"].items():
        prior, *factors = (float(Fraction(term)) for term in terms)
        assert work[f"P(class = {label})"].result == exactly(prior)
        for word, factor in zip(data["test"].split(), factors, strict=True):
            assert work[f"P(x{words.index(word)} | class = {label})"].result == exactly(factor)
        joint = f"P(class = {label}) P(x | class = {label})"
        assert work[joint].result == exactly(expected["product"][label])
        assert work[f"ln {joint}"].result == exactly(expected["ln"][label])
        assert work[f"P(class = {label} | x)"].result == exactly(expected["posterior"][label])
    own = dict(zip(model.classes_, model.predict_joint_log_proba(x)[0], strict=True))
    assert own == exactly(expected["ln"])
    assert {label: score / math.log(2) for label, score in own.items()} == exactly(expected["log2"])
    assert dict(zip(model.classes_, model.predict_proba(x)[0], strict=True)) == exactly(expected["posterior"])
    assert model.predict(x)[0] == expected["prediction"]


class Certain(ClassifierMixin, BaseEstimator):
    """A classifier whose probabilities are given."""

    def __init__(self, posterior):
        self.posterior = posterior

    def fit(self, X, y):
        self.classes_ = np.arange(len(self.posterior))
        return self

    def predict_proba(self, X):
        return np.tile(self.posterior, (len(X), 1))


@pytest.mark.parametrize("id_", ["risk_covid", "risk_covid_01loss", "own_risk_three"])
def test_minimum_risk(golden, id_):
    record = golden(id_)
    loss, posterior = record["data"]["loss"], record["data"]["posterior"]
    model = MinimumRisk(Certain(posterior), costs=loss).fit([[0.0]], [0])
    assert model.risk([[0.0]])[0] == exactly(record["expected"]["risk"])
    assert model.predict([[0.0]])[0] == record["expected"]["action"]
    assert model.predict_proba([[0.0]])[0].argmax() == record["expected"]["max_posterior_class"]


@pytest.mark.parametrize("id_", ["risk_covid", "risk_covid_01loss", "own_risk_three"])
def test_minimum_risk_derived(golden, id_):
    """The same posterior from a naive Bayes model that has only a prior to go by."""
    record = golden(id_)
    loss, posterior = record["data"]["loss"], record["data"]["posterior"]
    classes = list(range(len(posterior)))
    model = MinimumRisk(NaiveBayes(priors=posterior), costs=loss)
    model.fit([[float(i)] for i in range(2 * len(classes))], sorted(classes * 2))
    work = model.work({})  # nothing is known of the row
    assert [work[f"R({c} | x)"].result for c in classes] == exactly(record["expected"]["risk"])
    assert work.conclusion == f"Lowest expected cost: {record['expected']['action']}."
    assert model.predict([[math.nan]])[0] == record["expected"]["action"]


def test_the_threshold_of_risk(golden):
    record = golden("risk_covid_threshold")
    threshold = risk_threshold(record["data"]["loss"])
    assert threshold == exactly(record["expected"]["threshold"])
    for above, action in ((1e-9, 1), (-1e-9, 0)):
        p = threshold + above
        model = MinimumRisk(Certain([1 - p, p]), costs=record["data"]["loss"]).fit([[0.0]], [0])
        assert model.predict([[0.0]])[0] == action
