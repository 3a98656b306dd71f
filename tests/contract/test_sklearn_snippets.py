"""What people write with scikit-learn runs with openbook's classes; same problems have the same answers.

Each snippet gets `lib`, which has the classes of openbook, or those of scikit-learn, by name. It returns what
both must agree on, within the tolerance of the snippet, or nothing. `lib.as_is` holds scale=False for the
classes of openbook that put columns into standard units by themselves, `lib.by_sample` variance="sample" for
those whose variances divide by N.
"""

import importlib
import pickle
import pkgutil

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.compose import (
    ColumnTransformer,
    TransformedTargetRegressor,
    make_column_selector,
    make_column_transformer,
)
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, load_wine, make_blobs, make_moons
from sklearn.feature_selection import SelectFromModel, SelectKBest, SequentialFeatureSelector, f_classif
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.metrics import (
    accuracy_score,
    adjusted_rand_score,
    classification_report,
    confusion_matrix,
    make_scorer,
    mean_squared_error,
    roc_auc_score,
    silhouette_score,
)
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
    StratifiedKFold,
    cross_val_predict,
    cross_val_score,
    cross_validate,
    learning_curve,
    train_test_split,
    validation_curve,
)
from sklearn.multiclass import OneVsOneClassifier
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.utils import all_estimators

import openbook

X, y = load_iris(return_X_y=True)
FRAME = load_iris(as_frame=True)
XD, YD = load_diabetes(return_X_y=True)
XB, YB = load_breast_cancer(return_X_y=True)
XW, YW = load_wine(return_X_y=True)
BLOBS, GROUPS = make_blobs(200, random_state=0)
MOONS, HALVES = make_moons(200, noise=0.1, random_state=0)
TEXTS = [
    "the cat sat on the mat",
    "the dog sat",
    "a dog and a cat",
    "birds fly",
    "fish swim",
    "the birds sing",
]
ANIMALS = [0, 1, 1, 2, 2, 2]
PASSENGERS = pd.DataFrame(
    {
        "age": [22.0, 38, None, 35, 28, 54, 2, 27, 14, 4] * 6,
        "fare": [7.25, 71.3, 7.9, 53.1, 8.05, 51.9, 21.1, 11.1, 30.1, 16.7] * 6,
        "sex": ["m", "f", "f", "f", "m", "m", "m", "f", "f", "f"] * 6,
        "port": ["S", "C", "S", "S", "Q", "S", None, "C", "C", "S"] * 6,
    }
)
SURVIVED = np.array([0, 1, 1, 1, 0, 0, 0, 1, 1, 1] * 6)
NUMBERS, WORDS = ["age", "fare"], ["sex", "port"]


class Classes:
    """Classes by name: of openbook, or of scikit-learn."""

    def __init__(self, classes, **ours):
        self.__dict__.update(classes, **ours)


def public_classes():
    rooms = [r.name for r in pkgutil.iter_modules(openbook.__path__, "openbook.") if r.ispkg]
    modules = map(importlib.import_module, rooms)
    return {name: getattr(m, name) for m in modules for name in getattr(m, "__all__", ())}


OURS = Classes(public_classes(), as_is={"scale": False}, by_sample={"variance": "sample"})
THEIRS = Classes(dict(all_estimators()), as_is={}, by_sample={})
SNIPPETS = []


def snippet(agree=None):
    """Keep a snippet; with `agree`, both libraries' results must be that near to each other."""

    def keep(function):
        SNIPPETS.append(pytest.param(function, agree, id=function.__name__))
        return function

    return keep


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("run", "agree"), SNIPPETS)
def test_snippets_run_and_agree(run, agree):
    ours = run(OURS)
    if agree is None:
        return
    theirs = run(THEIRS)
    assert len(ours) == len(theirs)
    for one, other in zip(ours, theirs, strict=True):
        np.testing.assert_allclose(np.asarray(one), np.asarray(other), rtol=agree, atol=agree)


# linear models


@snippet()
def logistic_regression(lib):
    model = lib.LogisticRegression(C=1.0, max_iter=1000, random_state=0, solver="lbfgs", n_jobs=1).fit(X, y)
    assert model.coef_.shape == (3, 4)
    assert model.intercept_.shape == (3,)
    assert model.predict_log_proba(X[:2]).shape == model.decision_function(X[:2]).shape == (2, 3)
    assert (model.n_iter_ > 0).all() if np.ndim(model.n_iter_) else model.n_iter_ > 0


@snippet(agree=1e-3)
def logistic_regression_with_solvers(lib):
    words = ("lbfgs", "newton-cg", "newton-cholesky", "sag", "saga")
    models = [lib.LogisticRegression(solver=word, tol=1e-6, max_iter=10_000, **lib.as_is) for word in words]
    return [model.fit(X, y).predict_proba(X) for model in models]


@snippet(agree=1e-3)
def logistic_regression_l1(lib):
    Z = lib.StandardScaler().fit_transform(XB)
    model = lib.LogisticRegression(penalty="l1", C=0.1, solver="saga", tol=1e-6, max_iter=10_000, **lib.as_is)
    return model.fit(Z, YB).coef_, model.predict(Z)


@snippet()
def logistic_regression_liblinear(lib):
    lib.LogisticRegression(penalty="l1", C=0.1, solver="liblinear").fit(XB, YB)
    lib.LogisticRegression(penalty="l2", C=0.1, solver="liblinear", class_weight="balanced").fit(XB, YB)


@snippet(agree=1e-3)
def logistic_regression_elastic_net(lib):
    Z = lib.StandardScaler().fit_transform(XW)
    model = lib.LogisticRegression(
        penalty="elasticnet", l1_ratio=0.5, C=0.1, solver="saga", tol=1e-6, max_iter=10_000, **lib.as_is
    )
    return (model.fit(Z, YW).predict_proba(Z),)


@snippet(agree=1e-3)
def logistic_regression_without_penalty(lib):
    model = lib.LogisticRegression(penalty=None, tol=1e-8, max_iter=10_000).fit(XD, YD > 140)
    return model.coef_, model.predict_proba(XD)


@snippet()
def logistic_regression_grid(lib):
    grid = {"C": np.logspace(-2, 2, 3), "penalty": ["l1", "l2"], "solver": ["liblinear"]}
    found = GridSearchCV(lib.LogisticRegression(), grid, cv=3, scoring="accuracy").fit(XB[:150], YB[:150])
    assert set(found.best_params_) == {"C", "penalty", "solver"}
    assert found.best_estimator_.coef_.shape == (1, 30)


@snippet(agree=1e-8)
def linear_regression(lib):
    model = lib.LinearRegression().fit(XD, YD)
    return model.coef_, model.intercept_, model.score(XD, YD), model.rank_, model.singular_


@snippet(agree=1e-8)
def linear_regression_of_columns(lib):
    model = lib.LinearRegression(fit_intercept=False, n_jobs=-1).fit(FRAME.data, FRAME.target)
    assert list(model.feature_names_in_) == list(FRAME.data.columns)
    return pd.Series(model.coef_, index=FRAME.data.columns), model.n_features_in_


@snippet(agree=1e-5)
def linear_regression_positive(lib):
    model = lib.LinearRegression(positive=True).fit(XD, YD)
    return model.coef_, model.intercept_


@snippet(agree=1e-8)
def ridge(lib):
    model = lib.Ridge(alpha=1.0, random_state=0, solver="auto").fit(XD, YD)
    return model.coef_, model.predict(XD)


@snippet(agree=1e-4)
def lasso(lib):
    model = lib.Lasso(alpha=0.1, max_iter=10000, tol=1e-8).fit(XD, YD)
    assert model.n_iter_ > 0
    return model.coef_, np.count_nonzero(model.coef_)


@snippet(agree=1e-4)
def elastic_net_positive(lib):
    model = lib.ElasticNet(alpha=0.01, l1_ratio=0.7, positive=True, tol=1e-8).fit(XD, YD)
    return model.coef_, model.intercept_


@snippet(agree=1e-6)
def linear_path_of_alphas(lib):
    return [lib.Ridge(alpha=alpha).fit(XD, YD).coef_ for alpha in np.logspace(-4, 2, 5)]


@snippet(agree=1e-6)
def polynomial_regression(lib):
    model = make_pipeline(lib.PolynomialFeatures(degree=2, include_bias=False), lib.LinearRegression())
    return (model.fit(XD[:, :3], YD).predict(XD[:, :3]),)


@snippet()
def perceptron(lib):
    model = lib.Perceptron(tol=1e-3, random_state=0, max_iter=100).fit(X, y)
    assert model.coef_.shape == (3, 4)


@snippet(agree=1e-8)
def linear_discriminants(lib):
    model = lib.LinearDiscriminantAnalysis(n_components=2).fit(X, y)
    assert model.transform(X).shape == (150, 2)
    assert model.scalings_.shape[0] == 4
    return model.xbar_, model.explained_variance_ratio_, model.means_, model.priors_, model.predict_proba(X)


@snippet(agree=1e-8)
def quadratic_discriminants(lib):
    model = lib.QuadraticDiscriminantAnalysis(store_covariance=True).fit(X, y)
    assert np.shape(model.covariance_) == (3, 4, 4)
    return model.predict(X), model.means_, model.priors_


@snippet(agree=1e-6)
def target_in_logs(lib):
    model = TransformedTargetRegressor(lib.LinearRegression(), func=np.log1p, inverse_func=np.expm1)
    return (model.fit(XD, YD).predict(XD),)


# Bayes


@snippet(agree=1e-6)
def gaussian_nb(lib):
    model = lib.GaussianNB(var_smoothing=1e-9).fit(X, y)
    return model.theta_, model.var_, model.class_prior_, model.class_count_, model.predict_proba(X)


@snippet(agree=1e-6)
def gaussian_nb_grid(lib):
    found = GridSearchCV(lib.GaussianNB(), {"var_smoothing": np.logspace(0, -9, 4)}, cv=3).fit(XW, YW)
    return found.cv_results_["mean_test_score"], found.best_params_["var_smoothing"]


@snippet(agree=1e-6)
def gaussian_nb_partial_fit(lib):
    model = lib.GaussianNB()
    for start in (0, 75):
        model.partial_fit(X[start : start + 75], y[start : start + 75], classes=[0, 1, 2])
    return (model.theta_,)


@snippet(agree=1e-8)
def multinomial_nb(lib):
    counts = np.random.default_rng(0).poisson(2.0, (60, 8))
    labels = np.arange(60) % 3
    model = lib.MultinomialNB(alpha=0.5, fit_prior=False).fit(counts, labels)
    return model.feature_log_prob_, model.class_log_prior_, model.feature_count_, model.predict_proba(counts)


@snippet(agree=1e-8)
def bernoulli_nb(lib):
    model = lib.BernoulliNB(alpha=1.0, binarize=0.0).fit(XD, YD > 140)
    return model.predict_proba(XD), model.feature_log_prob_, model.class_log_prior_


@snippet(agree=1e-8)
def complement_nb(lib):
    counts = np.random.default_rng(0).poisson(2.0, (60, 8))
    labels = np.arange(60) % 3
    return (lib.ComplementNB().fit(counts, labels).predict(counts),)


@snippet(agree=1e-8)
def text_pipeline(lib):
    from sklearn.feature_extraction.text import CountVectorizer, TfidfTransformer

    model = Pipeline(
        [("vect", CountVectorizer()), ("tfidf", TfidfTransformer()), ("clf", lib.MultinomialNB())]
    )
    return (model.fit(TEXTS, ANIMALS).predict_proba(["the cat and the fish"]),)


# trees and ensembles


@snippet()
def decision_tree(lib):
    model = lib.DecisionTreeClassifier(max_depth=3, random_state=0, criterion="entropy").fit(X, y)
    assert model.get_depth() == 3
    assert model.get_n_leaves() == model.apply(X).max() + 1 or model.tree_ is not None
    assert model.feature_importances_.sum() == pytest.approx(1)
    assert model.decision_path(X).shape[0] == 150


@snippet()
def decision_tree_nodes(lib):
    tree = lib.DecisionTreeClassifier(max_leaf_nodes=3, random_state=0).fit(X, y).tree_
    assert tree.node_count == len(tree.feature) == len(tree.threshold) == 5
    assert tree.children_left[0] == 1
    assert tree.value.shape[0] == tree.n_node_samples.shape[0] == 5


@snippet(agree=1e-8)
def decision_tree_pruning_path(lib):
    path = lib.DecisionTreeClassifier(random_state=0).cost_complexity_pruning_path(XB, YB)
    return path.ccp_alphas[:3], path.impurities[:3]


@snippet(agree=1e-8)
def regression_tree(lib):
    model = lib.DecisionTreeRegressor(max_depth=2, min_samples_leaf=5, random_state=0).fit(XD, YD)
    return model.predict(XD), model.score(XD, YD)


@snippet(agree=1e-8)
def regression_tree_absolute_error(lib):
    model = lib.DecisionTreeRegressor(criterion="absolute_error", max_depth=2, random_state=0).fit(XD, YD)
    return (model.predict(XD),)


@snippet()
def random_forest(lib):
    model = lib.RandomForestClassifier(
        n_estimators=20,
        max_depth=5,
        random_state=0,
        n_jobs=-1,
        oob_score=True,
        class_weight="balanced",
        verbose=0,
    ).fit(X, y)
    assert model.oob_score_ > 0.9
    assert model.oob_decision_function_.shape == (150, 3)
    importances = pd.Series(model.feature_importances_, index=FRAME.feature_names).sort_values()
    assert len(model.estimators_) == 20
    assert importances.index[-1].startswith("petal")
    assert np.std([tree.feature_importances_ for tree in model.estimators_], axis=0).shape == (4,)


@snippet()
def random_forest_search(lib):
    grid = {
        "n_estimators": [5, 10],
        "max_features": ["sqrt", "log2", None],
        "max_depth": [2, 4, None],
        "min_samples_split": [2, 5],
        "min_samples_leaf": [1, 2],
        "bootstrap": [True, False],
        "criterion": ["gini", "entropy"],
    }
    search = RandomizedSearchCV(
        lib.RandomForestClassifier(random_state=0), grid, n_iter=4, cv=3, random_state=0
    )
    assert search.fit(X, y).best_score_ > 0.9


@snippet()
def extra_trees(lib):
    model = lib.ExtraTreesClassifier(n_estimators=10, random_state=0).fit(X, y)
    assert SelectFromModel(model, prefit=True).transform(X).shape[1] < 4
    lib.ExtraTreesRegressor(n_estimators=5, random_state=0).fit(XD, YD)


@snippet()
def gradient_boosting(lib):
    model = lib.GradientBoostingClassifier(
        n_estimators=20, learning_rate=0.1, max_depth=3, random_state=0, subsample=0.8, loss="log_loss"
    ).fit(XB, YB)
    staged = [accuracy_score(YB, p) for p in model.staged_predict(XB)]
    assert len(staged) == len(model.train_score_) == 20
    assert model.feature_importances_.shape == (30,)
    assert model.estimators_.shape == (20, 1)


@snippet(agree=1e-6)
def gradient_boosting_regressor(lib):
    model = lib.GradientBoostingRegressor(
        n_estimators=20, max_depth=2, learning_rate=0.1, loss="squared_error", random_state=0
    ).fit(XD, YD)
    return [mean_squared_error(YD, p) for p in model.staged_predict(XD)], model.train_score_


@snippet()
def gradient_boosting_scores_round_by_round(lib):
    model = lib.GradientBoostingClassifier(n_estimators=5, max_depth=2, random_state=0).fit(XB, YB)
    *_, last = model.staged_decision_function(XB)
    several = lib.GradientBoostingClassifier(n_estimators=2, max_depth=2, random_state=0).fit(X, y)
    assert [scores.shape for scores in several.staged_decision_function(X)] == [(150, 3)] * 2
    np.testing.assert_allclose(np.ravel(last), model.decision_function(XB))


@snippet()
def gradient_boosting_stops_early(lib):
    model = lib.GradientBoostingRegressor(
        n_estimators=200, n_iter_no_change=3, validation_fraction=0.2, tol=0.01, random_state=0
    ).fit(XD, YD)
    assert model.n_estimators_ < 200
    lib.GradientBoostingRegressor(loss="quantile", alpha=0.9, n_estimators=5).fit(XD, YD)
    lib.GradientBoostingRegressor(loss="huber", alpha=0.9, n_estimators=5).fit(XD, YD)


@snippet()
def ada_boost(lib):
    stump = lib.DecisionTreeClassifier(max_depth=1)
    model = lib.AdaBoostClassifier(estimator=stump, n_estimators=20, learning_rate=1.0, random_state=0).fit(
        XB, YB
    )
    assert model.estimator_weights_.shape == model.estimator_errors_.shape
    assert len(list(model.staged_score(XB, YB))) == len(model.estimators_)


@snippet()
def voting_stacking_bagging(lib):
    members = [("l", lib.LogisticRegression()), ("t", lib.DecisionTreeClassifier(random_state=0))]
    voting = lib.VotingClassifier(estimators=members, voting="soft", weights=[1, 2]).fit(X, y)
    assert set(voting.named_estimators_) == {"l", "t"}
    assert lib.VotingClassifier(members, voting="hard").fit(X, y).predict(X).shape == (150,)
    stack = lib.StackingClassifier(estimators=members, final_estimator=lib.LogisticRegression(), cv=3).fit(
        X, y
    )
    assert stack.predict_proba(X).shape == (150, 3)
    bag = lib.BaggingClassifier(
        lib.DecisionTreeClassifier(),
        n_estimators=5,
        max_samples=0.5,
        max_features=0.5,
        oob_score=True,
        random_state=0,
    ).fit(X, y)
    assert len(bag.estimators_) == len(bag.estimators_samples_) == len(bag.estimators_features_) == 5


@snippet(agree=1e-8)
def voting_regressor(lib):
    model = lib.VotingRegressor([("r", lib.Ridge()), ("l", lib.LinearRegression())]).fit(XD, YD)
    return model.predict(XD), model.transform(XD)


# neighbours, support vectors, networks


@snippet(agree=1e-8)
def nearest_neighbours(lib):
    model = lib.KNeighborsClassifier(
        n_neighbors=5, weights="distance", metric="minkowski", p=2, n_jobs=1, algorithm="kd_tree", **lib.as_is
    ).fit(X, y)
    return model.kneighbors(X[100:103])[0], model.predict_proba(X)


@snippet(agree=1e-8)
def nearest_neighbours_by_k(lib):
    return [
        lib.KNeighborsClassifier(n_neighbors=k, **lib.as_is).fit(XB[::2], YB[::2]).score(XB[1::2], YB[1::2])
        for k in (3, 5, 9)
    ]


@snippet(agree=1e-8)
def nearest_neighbours_regressor(lib):
    model = lib.KNeighborsRegressor(n_neighbors=3, weights="distance", **lib.as_is).fit(XD, YD)
    assert model.kneighbors(XD[:2], n_neighbors=3, return_distance=False).shape == (2, 3)
    assert model.kneighbors_graph(XD[:5]).shape == (5, len(XD))
    return (model.predict(XD),)


@snippet(agree=1e-8)
def neighbours_of_the_training_rows(lib):
    model = lib.KNeighborsClassifier(n_neighbors=4, **lib.as_is).fit(MOONS, HALVES)
    distances, rows = model.kneighbors()
    return distances, rows, model.kneighbors_graph(mode="distance").toarray()


@snippet()
def support_vectors(lib):
    model = lib.SVC(kernel="rbf", C=1.0, gamma="scale", probability=True, random_state=0).fit(X, y)
    assert model.support_vectors_.shape[1] == 4
    assert model.n_support_.sum() == len(model.support_)
    assert model.predict_proba(X).shape == (150, 3)


@snippet(agree=1e-3)
def support_vectors_of_two_classes(lib):
    model = lib.SVC(kernel="linear", C=1, tol=1e-6, **lib.as_is).fit(X[:100], y[:100])
    return model.coef_, model.intercept_, model.n_support_, model.support_, model.decision_function(X[:100])


@snippet(agree=1e-2)
def support_vectors_rbf(lib):
    model = lib.SVC(kernel="rbf", gamma=0.5, C=10, tol=1e-6, **lib.as_is).fit(MOONS, HALVES)
    return model.decision_function(MOONS), model.score(MOONS, HALVES), model.dual_coef_.shape


@snippet()
def support_vectors_grid(lib):
    pipe = make_pipeline(lib.StandardScaler(), lib.SVC())
    grid = {
        "svc__C": [0.1, 1],
        "svc__kernel": ["rbf", "poly", "linear", "sigmoid"],
        "svc__gamma": ["scale", 0.1],
    }
    found = GridSearchCV(pipe, grid, cv=3, n_jobs=1, refit=True, return_train_score=True).fit(X[::3], y[::3])
    assert "mean_train_score" in found.cv_results_


@snippet(agree=1e-3)
def linear_svc(lib):
    model = lib.LinearSVC(
        C=1.0, tol=1e-8, max_iter=100_000, dual="auto", random_state=0, intercept_scaling=1e3, **lib.as_is
    )
    model.fit(MOONS, HALVES)
    return model.coef_, model.decision_function(MOONS), model.predict(MOONS)


@snippet()
def linear_svc_pipeline(lib):
    model = make_pipeline(lib.StandardScaler(), lib.LinearSVC(dual=False, class_weight="balanced")).fit(X, y)
    assert model[-1].coef_.shape == (3, 4)
    assert CalibratedClassifierCV(lib.LinearSVC(), cv=3).fit(X, y).predict_proba(X).shape == (150, 3)


@snippet(agree=1e-2)
def support_vector_regression(lib):
    model = lib.SVR(kernel="rbf", C=100, gamma=0.1, epsilon=0.1, tol=1e-6, **lib.as_is).fit(XD, YD)
    return (model.predict(XD) / 100,)


@snippet(agree=1e-6)
def kernel_ridge(lib):
    return (lib.KernelRidge(alpha=1.0, kernel="rbf", gamma=0.1, **lib.as_is).fit(XD, YD).predict(XD),)


@snippet()
def network(lib):
    model = lib.MLPClassifier(
        hidden_layer_sizes=(10,),
        activation="relu",
        solver="adam",
        alpha=1e-4,
        learning_rate_init=0.01,
        max_iter=50,
        random_state=0,
        early_stopping=False,
        beta_1=0.9,
        beta_2=0.999,
        epsilon=1e-8,
    ).fit(X, y)
    assert len(model.loss_curve_) == model.n_iter_
    assert [w.shape for w in model.coefs_] == [(4, 10), (10, 3)]
    assert len(model.intercepts_) == 2
    assert (model.n_layers_, model.n_outputs_, model.out_activation_) == (3, 3, "softmax")
    assert model.loss_ >= model.best_loss_


@snippet(agree=1e-2)
def network_by_lbfgs(lib):
    model = lib.MLPClassifier(
        solver="lbfgs", alpha=0.1, hidden_layer_sizes=(), max_iter=5000, tol=1e-7, random_state=1, **lib.as_is
    ).fit(X, y)
    assert model.n_iter_ > 1
    return model.predict_proba(X), model.loss_


@snippet()
def network_regressor(lib):
    lib.MLPRegressor(
        hidden_layer_sizes=(10, 10),
        max_iter=50,
        random_state=0,
        verbose=False,
        tol=1e-4,
        batch_size=32,
        learning_rate="adaptive",
        momentum=0.9,
        nesterovs_momentum=True,
    ).fit(XD, YD)
    model = lib.MLPRegressor(early_stopping=True, validation_fraction=0.1, n_iter_no_change=5, solver="sgd")
    assert len(model.fit(XD, YD).loss_curve_) == model.n_iter_


# clusters, mixtures, densities, outliers


@snippet(agree=1e-6)
def k_means(lib):
    model = lib.KMeans(
        n_clusters=3, random_state=0, n_init=10, init="k-means++", max_iter=300, **lib.as_is
    ).fit(BLOBS)
    assert model.n_iter_ > 0
    order = np.argsort(model.cluster_centers_[:, 0])
    nearest = np.sort(model.transform(BLOBS), axis=1)
    return (
        model.cluster_centers_[order],
        model.inertia_,
        nearest,
        model.score(BLOBS),
        np.bincount(model.labels_)[order],
    )


@snippet(agree=1e-6)
def k_means_elbow(lib):
    return [
        lib.KMeans(n_clusters=k, n_init=10, random_state=0, **lib.as_is).fit(BLOBS).inertia_
        for k in (1, 2, 3)
    ]


@snippet(agree=1e-8)
def k_means_from_given_centres(lib):
    model = lib.KMeans(n_clusters=2, init=np.array([[0.0, 0.0], [2.0, 2.0]]), n_init=1, **lib.as_is).fit(
        BLOBS
    )
    return (
        model.cluster_centers_,
        model.labels_,
        model.predict([[0.0, 1.0]]),
        silhouette_score(BLOBS, model.labels_),
    )


@snippet(agree=1e-8)
def dbscan(lib):
    model = lib.DBSCAN(eps=0.5, min_samples=5, metric="euclidean", **lib.as_is).fit(BLOBS)
    return model.labels_, model.core_sample_indices_, model.components_, model.fit_predict(BLOBS)


@snippet(agree=1e-8)
def agglomerative(lib):
    model = lib.AgglomerativeClustering(n_clusters=3, linkage="ward", **lib.as_is).fit(BLOBS)
    whole = lib.AgglomerativeClustering(
        n_clusters=None, distance_threshold=0, linkage="ward", **lib.as_is
    ).fit(BLOBS)
    assert whole.n_clusters_ == whole.n_leaves_ == 200
    return adjusted_rand_score(model.labels_, GROUPS), np.sort(whole.distances_), whole.children_.shape


@snippet(agree=1e-2)
def gaussian_mixture(lib):
    model = lib.GaussianMixture(
        n_components=3, covariance_type="full", random_state=0, n_init=3, tol=1e-6, **lib.as_is
    )
    model.fit(BLOBS)
    assert model.converged_
    assert model.sample(3)[0].shape == (3, 2)
    order = np.argsort(model.means_[:, 0])
    return (
        model.means_[order],
        model.covariances_[order],
        model.weights_[order],
        model.bic(BLOBS) / 1000,
        model.aic(BLOBS) / 1000,
        model.lower_bound_,
        model.score(BLOBS),
        np.sort(model.predict_proba(BLOBS)),
    )


@snippet(agree=1e-2)
def mixtures_by_bic(lib):
    kinds = ("full", "tied", "diag", "spherical")
    return [
        lib.GaussianMixture(3, covariance_type=kind, random_state=0, tol=1e-6, **lib.as_is)
        .fit(BLOBS)
        .bic(BLOBS)
        / 1000
        for kind in kinds
    ]


@snippet(agree=1e-8)
def kernel_density(lib):
    model = lib.KernelDensity(kernel="gaussian", bandwidth=0.5, **lib.as_is).fit(BLOBS)
    assert model.sample(5, random_state=0).shape == (5, 2)
    return (model.score_samples(BLOBS),)


@snippet()
def isolation_forest(lib):
    model = lib.IsolationForest(n_estimators=50, contamination=0.05, random_state=0, max_samples="auto").fit(
        BLOBS
    )
    assert (model.predict(BLOBS) == -1).sum() == 10
    assert np.allclose(model.decision_function(BLOBS), model.score_samples(BLOBS) - model.offset_)
    assert set(model.fit_predict(BLOBS)) == {-1, 1}


@snippet(agree=1e-8)
def local_outliers(lib):
    model = lib.LocalOutlierFactor(n_neighbors=20, contamination=0.1, **lib.as_is)
    new = lib.LocalOutlierFactor(n_neighbors=20, novelty=True, **lib.as_is).fit(BLOBS)
    return (
        model.fit_predict(BLOBS),
        model.negative_outlier_factor_,
        new.score_samples([[9.0, 9.0], [1.0, 4.0]]),
    )


# projections


@snippet(agree=1e-8)
def principal_components(lib):
    model = lib.PCA(n_components=2, random_state=0, **lib.as_is, **lib.by_sample)
    Z = model.fit_transform(X)
    assert list(model.get_feature_names_out()) == ["pca0", "pca1"]
    return (
        np.abs(Z),
        model.explained_variance_ratio_.cumsum(),
        np.abs(model.components_),
        model.mean_,
        model.noise_variance_,
        model.singular_values_,
        model.inverse_transform(Z),
        model.n_components_,
    )


@snippet(agree=1e-8)
def principal_components_of_a_share(lib):
    model = lib.PCA(n_components=0.95, svd_solver="full", **lib.as_is).fit(XW)
    whole = lib.PCA(**lib.as_is, **lib.by_sample).fit(XW)
    return model.n_components_, whole.explained_variance_


@snippet(agree=1e-8)
def truncated_svd(lib):
    model = lib.TruncatedSVD(n_components=2, algorithm="arpack", random_state=0).fit(XW)
    return model.singular_values_, model.explained_variance_ratio_, np.abs(model.transform(XW))


@snippet()
def components_before_a_classifier(lib):
    pipe = Pipeline([("scale", lib.StandardScaler()), ("pca", lib.PCA()), ("clf", lib.LogisticRegression())])
    search = GridSearchCV(pipe, {"pca__n_components": [1, 2], "clf__C": [0.1, 1]}, cv=3).fit(X, y)
    assert search.best_estimator_.named_steps["pca"].components_.shape[1] == 4
    assert pipe.set_params(pca__n_components=2).fit(X, y)[:-1].transform(X).shape == (150, 2)


# preparation


@snippet(agree=1e-8)
def scalers(lib):
    scaler = lib.StandardScaler()
    Z = scaler.fit_transform(X)
    small, robust = lib.MinMaxScaler(feature_range=(0, 1)).fit(X), lib.RobustScaler().fit(X)
    return (
        *(scaler.mean_, scaler.scale_, scaler.var_, scaler.n_samples_seen_, scaler.inverse_transform(Z), Z),
        *(small.data_min_, small.data_max_, small.data_range_, small.scale_, small.min_, small.transform(X)),
        *(robust.center_, robust.scale_, robust.transform(X)),
        lib.StandardScaler(with_mean=False).fit_transform(X),
        lib.StandardScaler(with_std=False).fit_transform(X),
    )


@snippet(agree=1e-8)
def scaler_in_parts(lib):
    scaler = lib.StandardScaler()
    scaler.partial_fit(X[:50]).partial_fit(X[50:])
    return scaler.mean_, scaler.var_


@snippet(agree=1e-5)
def other_distributions(lib):
    power = lib.PowerTransformer(method="yeo-johnson").fit(X)
    quantile = lib.QuantileTransformer(n_quantiles=50, output_distribution="uniform", random_state=0).fit(X)
    return power.transform(X), power.lambdas_, quantile.transform(X)


@snippet(agree=1e-8)
def imputers(lib):
    holes = XW.copy()
    holes[::7, 2] = np.nan
    mean, median = (
        lib.SimpleImputer(missing_values=np.nan, strategy="mean"),
        lib.SimpleImputer(strategy="median"),
    )
    constant, often = (
        lib.SimpleImputer(strategy="constant", fill_value=0),
        lib.SimpleImputer(strategy="most_frequent"),
    )
    found = [each.fit_transform(holes) for each in (mean, median, constant, often)]
    assert not np.isnan(np.asarray(lib.KNNImputer(n_neighbors=3).fit_transform(holes))).any()
    return *found, mean.statistics_


@snippet()
def imputer_of_words(lib):
    filled = lib.SimpleImputer(strategy="most_frequent").fit_transform(PASSENGERS[["port"]])
    assert np.asarray(filled)[6, 0] == "S"
    lib.SimpleImputer(strategy="constant", fill_value="missing").fit_transform(PASSENGERS[["port"]])


@snippet()
def column_transformer(lib):
    numbers = Pipeline([("imputer", lib.SimpleImputer(strategy="median")), ("scaler", lib.StandardScaler())])
    words = Pipeline(
        [
            ("imputer", lib.SimpleImputer(strategy="most_frequent")),
            ("onehot", lib.OneHotEncoder(handle_unknown="ignore", sparse_output=False)),
        ]
    )
    prepare = ColumnTransformer([("num", numbers, NUMBERS), ("cat", words, WORDS)])
    model = Pipeline([("prepare", prepare), ("classifier", lib.LogisticRegression())])
    assert model.fit(PASSENGERS, SURVIVED).score(PASSENGERS, SURVIVED) > 0.7
    assert len(model[:-1].get_feature_names_out()) == 7


@snippet()
def column_transformer_by_type(lib):
    prepare = make_column_transformer(
        (lib.StandardScaler(), make_column_selector(dtype_include="number")),
        (
            lib.OneHotEncoder(drop="first", handle_unknown="ignore"),
            make_column_selector(dtype_exclude="number"),
        ),
        remainder="passthrough",
    )
    frame = PASSENGERS.dropna()
    assert prepare.fit_transform(frame).shape == (len(frame), 5)


@snippet(agree=1e-8)
def one_hot(lib):
    encoder = lib.OneHotEncoder(handle_unknown="ignore", sparse_output=False).fit(PASSENGERS[["sex"]])
    assert [list(values) for values in encoder.categories_] == [["f", "m"]]
    return encoder.transform(PASSENGERS[["sex"]]), encoder.transform(pd.DataFrame({"sex": ["x"]}))


@snippet()
def one_hot_names(lib):
    encoder = lib.OneHotEncoder(sparse_output=False).fit(PASSENGERS[["sex"]])
    assert len(encoder.get_feature_names_out(["sex"])) == 2
    back = encoder.inverse_transform(encoder.transform(PASSENGERS[["sex"]]))
    assert (np.asarray(back)[:, 0] == PASSENGERS["sex"]).all()


@snippet(agree=1e-8)
def ordinal_encoder(lib):
    encoder = lib.OrdinalEncoder(handle_unknown="use_encoded_value", unknown_value=-1).fit(
        PASSENGERS[["sex"]]
    )
    return encoder.transform(PASSENGERS[["sex"]]), encoder.transform(pd.DataFrame({"sex": ["x", "m"]}))


@snippet(agree=1e-8)
def ordinal_encoder_in_order(lib):
    sizes = pd.DataFrame({"size": ["small", "large", "medium", "small"]})
    encoder = lib.OrdinalEncoder(categories=[["small", "medium", "large"]])
    return (encoder.fit_transform(sizes),)


@snippet(agree=1e-8)
def bins(lib):
    equal = lib.KBinsDiscretizer(n_bins=3, encode="ordinal", strategy="uniform").fit(X)
    assert equal.transform(X).shape == X.shape
    return equal.bin_edges_[0], equal.bin_edges_[3], equal.n_bins_


@snippet(agree=1e-8)
def binarizer_and_functions(lib):
    halves = lib.Binarizer(threshold=1.5).fit_transform(X)
    return halves, lib.FunctionTransformer(np.log1p).fit_transform(X)


@snippet(agree=1e-8)
def polynomial_features(lib):
    made = lib.PolynomialFeatures(degree=2, interaction_only=True, include_bias=False).fit(X[:, :3])
    assert made.n_output_features_ == len(made.get_feature_names_out()) == 6
    return (made.transform(X[:, :3]),)


@snippet()
def frames_come_out(lib):
    scaled = lib.StandardScaler().set_output(transform="pandas").fit_transform(FRAME.data)
    assert list(scaled.columns) == list(FRAME.data.columns)
    assert list(lib.PCA(2).set_output(transform="pandas").fit_transform(FRAME.data).columns) == [
        "pca0",
        "pca1",
    ]
    assert FeatureUnion([("s", lib.StandardScaler()), ("p", lib.PCA(2))]).fit_transform(X).shape == (150, 6)


@snippet(agree=1e-6)
def target_encoder(lib):
    encoder = lib.TargetEncoder(smooth=1.0, target_type="continuous").fit(PASSENGERS[["sex"]], SURVIVED * 1.0)
    return (encoder.transform(PASSENGERS[["sex"]]),)


# selection, inspection, model selection


@snippet(agree=1e-8)
def variance_threshold(lib):
    chosen = lib.VarianceThreshold(threshold=0.5).fit(X)
    return chosen.variances_, chosen.get_support(), chosen.transform(X), chosen.get_support(indices=True)


@snippet()
def recursive_elimination(lib):
    chosen = lib.RFE(estimator=lib.LogisticRegression(), n_features_to_select=2, step=1).fit(X, y)
    assert chosen.support_.sum() == chosen.n_features_ == 2
    assert sorted(chosen.ranking_) == [1, 1, 2, 3]
    assert chosen.transform(X).shape == (150, 2)


@snippet()
def selection_by_model(lib):
    forest = lib.RandomForestClassifier(n_estimators=10, random_state=0)
    assert SelectFromModel(forest, threshold="median").fit(X, y).transform(X).shape == (150, 2)
    assert SelectFromModel(lib.Lasso(alpha=0.1)).fit(XD, YD).get_support().sum() < 10
    best = make_pipeline(SelectKBest(f_classif, k=2), lib.GaussianNB()).fit(X, y)
    assert best.score(X, y) > 0.9
    forward = SequentialFeatureSelector(lib.KNeighborsClassifier(), n_features_to_select=2, cv=2).fit(X, y)
    assert forward.get_support().sum() == 2


@snippet(agree=1e-8)
def cross_validation(lib):
    model, folds = lib.KNeighborsClassifier(**lib.as_is), StratifiedKFold(5, shuffle=True, random_state=0)
    scores = cross_validate(model, X, y, cv=folds, scoring=["accuracy", "f1_macro"], return_estimator=True)
    predicted = cross_val_predict(model, X, y, cv=folds, method="predict_proba")
    return cross_val_score(model, X, y, cv=folds), scores["test_accuracy"], scores["test_f1_macro"], predicted


@snippet()
def curves(lib):
    sizes, train, _ = learning_curve(
        lib.GaussianNB(), X, y, cv=3, train_sizes=[0.5, 1.0], shuffle=True, random_state=0
    )
    assert train.shape == (len(sizes), 3)
    train, test = validation_curve(
        lib.SVC(kernel="rbf"), X[::2], y[::2], param_name="gamma", param_range=[0.01, 0.1], cv=3
    )
    assert train.shape == test.shape == (2, 3)


@snippet()
def inspection(lib):
    model = lib.RandomForestClassifier(n_estimators=10, random_state=0).fit(FRAME.data, FRAME.target)
    found = permutation_importance(model, FRAME.data, FRAME.target, n_repeats=3, random_state=0)
    assert found.importances_mean.argmax() in (2, 3)
    grid = partial_dependence(model, FRAME.data, features=[2], kind="average", grid_resolution=5)
    assert grid["average"].shape == (3, 5)
    boosted = lib.GradientBoostingRegressor(n_estimators=5).fit(XD, YD)
    assert partial_dependence(boosted, XD, [0], grid_resolution=4)["average"].shape == (1, 4)


@snippet()
def judged_on_held_out_rows(lib):
    Xa, Xt, ya, yt = train_test_split(XB, YB, test_size=0.3, random_state=0, stratify=YB)
    model = lib.RandomForestClassifier(n_estimators=20, random_state=0).fit(Xa, ya)
    assert "accuracy" in classification_report(yt, model.predict(Xt))
    assert confusion_matrix(yt, model.predict(Xt)).sum() == len(yt)
    assert roc_auc_score(yt, model.predict_proba(Xt)[:, 1]) > 0.95
    calibrated = CalibratedClassifierCV(model, method="isotonic", cv=3).fit(Xa, ya)
    assert len(calibration_curve(yt, calibrated.predict_proba(Xt)[:, 1], n_bins=5)) == 2


@snippet()
def copies(lib):
    model = lib.GradientBoostingClassifier(n_estimators=5, random_state=0).fit(X, y)
    assert (pickle.loads(pickle.dumps(model)).predict(X) == model.predict(X)).all()
    fresh = clone(model)
    assert not hasattr(fresh, "classes_")
    assert fresh.get_params()["n_estimators"] == 5
    assert fresh.set_params(n_estimators=3).fit(FRAME.data, FRAME.target).n_features_in_ == 4
    assert list(fresh.feature_names_in_) == list(FRAME.data.columns)


@snippet()
def several_classes(lib):
    assert lib.OneVsRestClassifier(lib.LogisticRegression()).fit(X, y).predict(X).shape == (150,)
    assert len(OneVsOneClassifier(lib.SVC()).fit(X, y).estimators_) == 3
    several = np.column_stack([y == 0, y == 1]).astype(int)
    assert lib.MultiOutputClassifier(lib.DecisionTreeClassifier()).fit(X, several).predict(X).shape == (
        150,
        2,
    )
    assert lib.ClassifierChain(lib.LogisticRegression(), order=[0, 1]).fit(X, several).predict(X).shape == (
        150,
        2,
    )


@snippet()
def few_labels(lib):
    some = np.where(np.arange(150) % 5 == 0, y, -1)
    model = lib.SelfTrainingClassifier(lib.SVC(probability=True), threshold=0.8).fit(X, some)
    assert model.score(X, y) > 0.85
    assert model.transduction_.shape == model.labeled_iter_.shape == (150,)
    spread = lib.LabelSpreading(kernel="knn", n_neighbors=7, alpha=0.2).fit(X, some)
    assert accuracy_score(y, spread.transduction_) > 0.9
    assert spread.label_distributions_.shape == (150, 3)
    assert lib.LabelPropagation(kernel="knn", max_iter=1000).fit(X, some).score(X, y) > 0.85


@snippet()
def own_scorer(lib):
    def cost(truth, predicted):
        return float(np.abs(truth - predicted).max())

    scorer = make_scorer(cost, greater_is_better=False)
    found = GridSearchCV(lib.Ridge(), {"alpha": [0.1, 1.0]}, scoring=scorer, cv=3).fit(XD, YD)
    assert found.best_score_ < 0
