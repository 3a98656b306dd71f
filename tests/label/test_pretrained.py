"""Pre-training: features of all rows, a learner of the labelled ones; the same by hand, files, refusals."""

import pytest
from sklearn import decomposition
from sklearn.preprocessing import StandardScaler

import openbook as ob
from openbook.bayes import NaiveBayes
from openbook.cluster import GaussianMixture
from openbook.errors import ParameterError
from openbook.label import PretrainedClassifier, check_assumption
from openbook.neighbors import KNeighborsClassifier
from openbook.neural import Autoencoder
from openbook.reduce import PCA


@pytest.fixture(scope="module")
def iris():
    X, y = ob.load("iris").split("species")
    return X, [label if i % 10 == 0 else None for i, label in enumerate(y)]


def test_features_are_those_of_all_rows_and_the_learner_sees_the_labelled(iris):
    X, labels = iris
    known = [i for i, label in enumerate(labels) if label is not None]
    model = PretrainedClassifier(PCA(2), KNeighborsClassifier(1, scale=False)).fit(X, labels)
    z = decomposition.PCA(2).fit_transform(StandardScaler().fit_transform(X.block(X.names)))
    nearest = [min(known, key=lambda j: ((z[i] - z[j]) ** 2).sum()) for i in range(len(z))]
    assert model.predict(X).tolist() == [labels[j] for j in nearest]
    assert model.n_rows_ == (150, 15)


@pytest.mark.parametrize(
    "features",
    [PCA(2), GaussianMixture(3, random_state=0), Autoencoder((2,), max_iter=20, random_state=0)],
    ids=lambda features: type(features).__name__,
)
def test_features_of_any_kind_and_the_file(features, iris, tmp_path):
    X, labels = iris
    model = PretrainedClassifier(features, random_state=0).fit(X, labels)
    opened = ob.open_model(ob.save(model, tmp_path / "m.openbook"))
    assert (opened.predict_proba(X) == model.predict_proba(X)).all()
    assert str(opened.work()) == str(model.work())
    row = model.work(X.take([0]))
    assert row.parts[-1].conclusion == row.conclusion == "Most probable: class = setosa."
    assert check_assumption(model, X, labels).verdict == "supported"


def test_what_is_refused(iris):
    with pytest.raises(ParameterError, match=r"NaiveBayes.* gives no features; pass one such as PCA\(2\)"):
        PretrainedClassifier(NaiveBayes).fit(*iris)
    with pytest.raises(ParameterError, match="needs a classifier, and PCA is not one"):
        PretrainedClassifier(PCA(2), PCA(2)).fit(*iris)
