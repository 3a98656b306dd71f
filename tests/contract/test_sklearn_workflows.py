"""What people write with the rest of scikit-learn: see `sklearn_snippets`."""

import pickle

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV, calibration_curve
from sklearn.compose import (
    ColumnTransformer,
    make_column_selector,
    make_column_transformer,
)
from sklearn.feature_selection import SelectFromModel, SelectKBest, SequentialFeatureSelector, f_classif
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.metrics import (
    accuracy_score,
    adjusted_rand_score,
    classification_report,
    confusion_matrix,
    make_scorer,
    roc_auc_score,
    silhouette_score,
)
from sklearn.model_selection import (
    GridSearchCV,
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
from sklearn_snippets import (
    BLOBS,
    FRAME,
    GROUPS,
    NUMBERS,
    PASSENGERS,
    SURVIVED,
    WORDS,
    XB,
    XD,
    XW,
    YB,
    YD,
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
