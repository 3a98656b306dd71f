"""Names of scikit-learn that users may try, and openbook's equivalents.

    >>> from openbook.linear import LassoCV
    Traceback (most recent call last):
    ImportError: openbook.linear has no LassoCV. Use openbook.tune(Lasso(), X, y).

These are ImportErrors because an import statement drops the message of an AttributeError.
"""

from collections.abc import Callable, Iterator
from importlib import import_module
from pkgutil import iter_modules
from typing import Any

_LABELS = "the labels as they are, which may be texts"
_TUNE = "openbook.tune(model, X, y), with nested folds"
_TABLES = "the table as it is: every column has its kind"
_WORDS = "openbook.prepare.BagOfWords()"
_SELECT = "openbook.features.SelectAttributes()"

#: What to use instead of a module, a class or a function of scikit-learn's.
INSTEAD = {
    "AdaBoostRegressor": "openbook.ensemble.GradientBoostingRegressor()",
    "CategoricalNB": "openbook.bayes.NaiveBayes(), which counts the values of nominal columns",
    "ColumnTransformer": _TABLES,
    "CountVectorizer": _WORDS,
    "DummyClassifier": "openbook.baseline.ZeroR()",
    "DummyRegressor": "openbook.baseline.ZeroRegressor()",
    "ElasticNetCV": "openbook.tune(ElasticNet(), X, y)",
    "EllipticEnvelope": "openbook.outlier.Mahalanobis()",
    "ExtraTreeClassifier": "openbook.ensemble.ExtraTreesClassifier(n_estimators=1)",
    "ExtraTreeRegressor": "openbook.ensemble.ExtraTreesRegressor(n_estimators=1)",
    "FixedThresholdClassifier": "openbook.decide.MinimumRisk, which decides by costs",
    "GenericUnivariateSelect": _SELECT,
    "GridSearchCV": _TUNE,
    "HashingVectorizer": "openbook.prepare.BagOfWords(n_features=…)",
    "HistGradientBoostingClassifier": "openbook.ensemble.GradientBoostingClassifier()",
    "HistGradientBoostingRegressor": "openbook.ensemble.GradientBoostingRegressor()",
    "HuberRegressor": "openbook.linear.LinearRegression(loss='huber')",
    "IncrementalPCA": "openbook.reduce.PCA(), which can be fitted to openbook.scan(files)",
    "LabelBinarizer": _LABELS,
    "LabelEncoder": _LABELS,
    "LassoCV": "openbook.tune(Lasso(), X, y)",
    "LogisticRegressionCV": "openbook.tune(LogisticRegression(), X, y)",
    "MiniBatchKMeans": "openbook.cluster.KMeans(), which can be fitted to openbook.scan(files)",
    "MultiLabelBinarizer": "openbook.multilabel.label_sets",
    "NearestCentroid": "openbook.linear.Rocchio(), which compares directions",
    "NearestNeighbors": "openbook.spaces.make_index",
    "NuSVC": "openbook.svm.SVC(C=…)",
    "NuSVR": "openbook.svm.SVR(C=…, epsilon=…)",
    "OneVsOneClassifier": "openbook.svm.SVC(multiclass='ovo')",
    "PassiveAggressiveClassifier": "openbook.linear.Perceptron()",
    "RFECV": "openbook.features.RFE(), tuned by openbook.tune",
    "RadiusNeighborsClassifier": "openbook.neighbors.ParzenClassifier(kernel='uniform')",
    "RadiusNeighborsRegressor": "openbook.neighbors.ParzenRegressor(kernel='uniform')",
    "RandomizedSearchCV": _TUNE,
    "RidgeCV": "openbook.tune(Ridge(), X, y)",
    "RidgeClassifier": "openbook.linear.LogisticRegression()",
    "RidgeClassifierCV": "openbook.tune(LogisticRegression(), X, y)",
    "SGDClassifier": "openbook.linear.LogisticRegression() or openbook.svm.LinearSVC()",
    "SGDRegressor": "openbook.linear.LinearRegression() or openbook.linear.Ridge()",
    "SelectFdr": "openbook.features.SelectAttributes(p=…)",
    "SelectFpr": "openbook.features.SelectAttributes(p=…)",
    "SelectFromModel": "openbook.features.EmbeddedSelection",
    "SelectFwe": "openbook.features.SelectAttributes(p=…)",
    "SelectKBest": "openbook.features.SelectAttributes(k=…)",
    "SelectPercentile": "openbook.features.SelectAttributes(fraction=…)",
    "SequentialFeatureSelector": "openbook.features.ForwardSelection",
    "TfidfTransformer": "openbook.prepare.BagOfWords('tfidf')",
    "TfidfVectorizer": "openbook.prepare.BagOfWords('tfidf')",
    "calibration": "openbook.judge.Calibration",
    "classification_report": "openbook.Confusion",
    "compose": _TABLES,
    "confusion_matrix": "openbook.Confusion",
    "cross_val_score": "openbook.evaluate",
    "cross_validate": "openbook.evaluate",
    "datasets": "openbook.load",
    "decomposition": "openbook.reduce",
    "discriminant_analysis": "openbook.linear",
    "dummy": "openbook.baseline",
    "export_graphviz": "the method draw(), which needs no Graphviz",
    "export_text": "print(tree.rules())",
    "feature_extraction": _WORDS,
    "feature_selection": "openbook.features",
    "impute": "openbook.prepare",
    "kernel_ridge": "openbook.svm",
    "linear_model": "openbook.linear",
    "make_column_transformer": _TABLES,
    "metrics": "openbook.judge",
    "mixture": "openbook.cluster",
    "model_selection": "openbook.judge",
    "multiclass": "openbook.ensemble",
    "multioutput": "openbook.multilabel",
    "naive_bayes": "openbook.bayes",
    "neural_network": "openbook.neural",
    "plot_tree": "the method draw()",
    "preprocessing": "openbook.prepare",
    "roc_auc_score": "openbook.Roc",
    "roc_curve": "openbook.Roc",
    "semi_supervised": "openbook.label",
    "train_test_split": "openbook.judge.lock_away",
    "validation_curve": "openbook.judge.complexity_curve",
}


def look_elsewhere(place: str) -> Callable[[str], Any]:
    """The `__getattr__` of a package: an error that names the equivalent of a missing name."""

    def find(name: str) -> Any:
        hint = None if name.startswith("_") else next(_hints(name, place), None)
        if hint is None:
            raise AttributeError(f"module {place!r} has no attribute {name!r}")
        raise ImportError(f"{place} has no {name}. {hint}.")

    return find


def _hints(name: str, place: str) -> Iterator[str]:
    """Hints, the best first: the equivalent, the name's place in openbook, or in scikit-learn."""
    if name in INSTEAD:
        yield f"Use {INSTEAD[name]}"
    for room in _public_modules("openbook"):
        if name in getattr(room, "__all__", ()) and room.__name__ != place:
            yield f"It is in {room.__name__}: from {room.__name__} import {name}"
    for room in _public_modules("sklearn"):
        if name in getattr(room, "__all__", ()) or _defines(room, name):
            yield f"Use scikit-learn's with openbook's learners: from {room.__name__} import {name}"


def _public_modules(package: str) -> Iterator[Any]:
    for found in iter_modules(import_module(package).__path__):
        if not found.name.startswith("_") and found.name not in ("conftest", "cli"):
            yield import_module(f"{package}.{found.name}")


def _defines(module: Any, name: str) -> bool:
    """Whether a module defines this name itself: some of scikit-learn's list no public names."""
    return getattr(getattr(module, name, None), "__module__", None) == module.__name__
