"""What people write with scikit-learn's classifiers and regressors: see `sklearn_snippets`."""

import numpy as np
import pandas as pd
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.compose import (
    TransformedTargetRegressor,
)
from sklearn.feature_selection import SelectFromModel
from sklearn.metrics import (
    accuracy_score,
    mean_squared_error,
)
from sklearn.model_selection import (
    GridSearchCV,
    RandomizedSearchCV,
)
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn_snippets import (
    ANIMALS,
    FRAME,
    HALVES,
    MOONS,
    TEXTS,
    XB,
    XD,
    XW,
    YB,
    YD,
    YW,
    Snippets,
    X,
    run_and_compare,
    y,
)

snippet = Snippets()


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize(("run", "agree"), snippet)
def test_snippets_run_and_agree(run, agree):
    run_and_compare(run, agree)


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
