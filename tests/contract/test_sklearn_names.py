"""A class with the name of a scikit-learn class has its parameters: the same words, and the same defaults.

A default that differs has a reason here. A parameter of scikit-learn's that ours expresses by another word
fails. One that ours does not have is refused with a reason that says what to do. Parameters of our own are
fine.
"""

import importlib
import inspect
import pkgutil
import re
from pathlib import Path

import numpy as np
import pytest
from sklearn.experimental import enable_iterative_imputer  # noqa: F401 (it makes the class importable)
from sklearn.utils import all_estimators

import openbook
from openbook.border.not_taken import ANYWAY, IDLE, NOT_TAKEN, happens_anyway
from openbook.elsewhere import INSTEAD

THEIRS = dict(all_estimators())

#: Families that openbook leaves to scikit-learn, whose import error points there.
OUTSIDE = (
    "GaussianProcess|Lars|MultiTask|Orthogonal|PLS|CCA|Bayesian|ARD|Isotonic|RANSAC|TheilSen|Tweedie|Poisson|Gamma"
    "|Quantile|PassiveAggressiveRegressor|RegressorChain|MultiOutputRegressor|TransformedTarget"
    "|CalibratedClassifierCV"
)

#: What a parameter of scikit-learn's must not be called instead.
OTHER_WORDS = {
    "C": {"l1", "l2", "penalty_strength", "cost", "lam"},
    "algorithm": {"search", "index"},
    "alpha": {"l2", "weight_decay"},
    "batch_size": {"batch"},
    "ccp_alpha": {"prune_alpha"},
    "coef0": {"constant"},
    "criterion": {"measure", "impurity"},
    "cv": {"folds", "split", "n_folds"},
    "distance_threshold": {"height", "cut"},
    "early_stopping": {"stop_early"},
    "eps": {"radius"},
    "estimator": {"learner", "model", "base"},
    "eta0": {"step", "learning_rate_init"},
    "final_estimator": {"final", "blender"},
    "fit_intercept": {"intercept", "bias"},
    "hidden_layer_sizes": {"hidden", "layers"},
    "l1_ratio": {"l1", "ratio", "mix"},
    "learning_rate_init": {"step", "eta", "eta0"},
    "linkage": {"method"},
    "max_depth": {"depth"},
    "max_features": {"columns", "n_columns"},
    "max_iter": {"epochs", "iterations", "rounds"},
    "max_samples": {"sample_size"},
    "metric": {"distance"},
    "min_samples_leaf": {"min_leaf"},
    "min_samples_split": {"min_split"},
    "n_clusters": {"k", "clusters"},
    "n_components": {"components", "k"},
    "n_estimators": {"trees", "members", "rounds"},
    "n_iter_no_change": {"patience"},
    "n_neighbors": {"k", "neighbours"},
    "random_state": {"seed"},
    "reg_covar": {"reg", "ridge"},
    "solver": {"optimiser", "optimizer"},
    "tol": {"tolerance"},
    "validation_fraction": {"validation", "held_out"},
}

TYPED = "by the kinds of the columns, which may be nominal"

#: Defaults that are not scikit-learn's, and why.
DEFAULTS = {
    ("AgglomerativeClustering", "linkage"): "Ward's needs numbers; rows here may be mixed",
    ("AgglomerativeClustering", "metric"): TYPED,
    ("BisectingKMeans", "n_init"): "five trials of each cut: Steinbach, Karypis and Kumar",
    ("DBSCAN", "metric"): TYPED,
    (
        "FunctionTransformer",
        "func",
    ): "a word, which files can hold; scikit-learn's None does nothing",
    ("GaussianMixture", "n_components"): "a mixture of one is no mixture",
    ("KNeighborsClassifier", "metric"): TYPED,
    ("KNeighborsRegressor", "metric"): TYPED,
    ("KernelDensity", "bandwidth"): "Scott's rule fits any unit; 1.0 fits one",
    ("LinearDiscriminantAnalysis", "shrinkage"): "0.0 is scikit-learn's None",
    ("LocalOutlierFactor", "metric"): TYPED,
    ("LogisticRegression", "solver"): "by the shape of the table: Newton's method or L-BFGS",
    ("LogisticRegression", "tol"): "standard errors and derivations show more digits than 1e-4 gives",
    ("MLPClassifier", "activation"): "smooth, for small tables and for derivations",
    ("MLPClassifier", "alpha"): "tables are small: chosen on the bundled sets",
    ("MLPClassifier", "hidden_layer_sizes"): "tables are small: chosen on the bundled sets",
    ("MLPClassifier", "learning_rate_init"): "by the solver",
    ("MLPClassifier", "max_iter"): "larger steps need fewer epochs",
    ("MLPClassifier", "momentum"): "sgd is the textbook's plain descent",
    ("MLPRegressor", "momentum"): "sgd is the textbook's plain descent",
    ("MLPRegressor", "activation"): "smooth, for small tables and for derivations",
    ("MLPRegressor", "alpha"): "tables are small: chosen on the bundled sets",
    ("MLPRegressor", "hidden_layer_sizes"): "tables are small: chosen on the bundled sets",
    ("MLPRegressor", "learning_rate_init"): "by the solver",
    ("MLPRegressor", "loss"): "None is the squared error, scikit-learn's 'squared_error'",
    ("MLPRegressor", "max_iter"): "larger steps need fewer epochs",
    ("OneVsRestClassifier", "estimator"): "a tree, as in the other ensembles; scikit-learn's must be given",
    ("OutputCodeClassifier", "estimator"): "a tree, as in the other ensembles; scikit-learn's must be given",
    ("PCA", "tol"): "of EM for missing cells; scikit-learn's is of a solver for sparse tables",
    ("Perceptron", "max_iter"): "an epoch that repeats shows up much earlier",
    ("Perceptron", "shuffle"): "the textbook's order of rows, so that the work can be followed",
    ("QuadraticDiscriminantAnalysis", "shrinkage"): "0.0 is scikit-learn's None",
    ("SVC", "max_iter"): "sweeps over working sets, which end by themselves; scikit-learn's -1 is no limit",
    ("SVR", "max_iter"): "sweeps over working sets, which end by themselves; scikit-learn's -1 is no limit",
    ("StackingClassifier", "cv"): "5 is what scikit-learn's None stands for",
    ("StackingRegressor", "cv"): "5 is what scikit-learn's None stands for",
    ("TunedThresholdClassifierCV", "cv"): "5 is what scikit-learn's None stands for",
}

#: Methods of scikit-learn's classes that ours must have, too.
METHODS = ("predict", "predict_proba", "predict_log_proba", "decision_function", "score_samples", "transform")

#: Methods that ours lacks, and why.
NO_METHOD = {
    ("BaggingClassifier", "decision_function"): "members have probabilities, which say more",
    ("ClassifierChain", "decision_function"): "it decides by probabilities",
    ("OneVsRestClassifier", "decision_function"): "members have probabilities, which say more",
    ("PCA", "score_samples"): "a projection; densities are openbook.density's",
    **{("RFE", method): "a transformer; put the learner behind it" for method in METHODS[:4]},
    ("SelfTrainingClassifier", "decision_function"): "it decides by probabilities",
    ("StackingClassifier", "decision_function"): "members have probabilities, which say more",
    ("TunedThresholdClassifierCV", "decision_function"): "it decides by probabilities",
}

#: Rooms whose fitted attributes are compared, too.
WITH_ATTRIBUTES = (
    "openbook.neighbors",
    "openbook.cluster",
    "openbook.density",
    "openbook.outlier",
    "openbook.tree",
    "openbook.ensemble",
)

ARRAYS = "the trees are arrays, in `forest_`"
TREES = ["DecisionTreeClassifier", "DecisionTreeRegressor"]
FORESTS = [f"{kind}{task}" for kind in ("RandomForest", "ExtraTrees") for task in ("Classifier", "Regressor")]
BOOSTED = ["GradientBoostingClassifier", "GradientBoostingRegressor"]

#: Fitted attributes of scikit-learn's that ours lacks, and why.
NO_ATTRIBUTE = {
    ("AgglomerativeClustering", "n_connected_components_"): "there is no connectivity to give",
    **{(name, "n_outputs_"): "there is one target" for name in (*FORESTS, *TREES)},
    **{(name, "estimator_"): "`estimators_` have its parameters" for name in FORESTS},
    **{(name, "init_"): "a constant, in `start_`" for name in BOOSTED},
    **{(name, "n_trees_per_iteration_"): "the columns of `estimators_`" for name in BOOSTED},
    ("GaussianMixture", "lower_bounds_"): "`trace_`, for all rows together",
    ("GaussianMixture", "precisions_"): "the inverses of `covariances_`",
    ("GaussianMixture", "precisions_cholesky_"): "found from `covariances_`",
    ("IsolationForest", "estimator_"): ARRAYS,
    ("IsolationForest", "estimators_"): ARRAYS,
    ("IsolationForest", "estimators_features_"): ARRAYS,
    ("IsolationForest", "estimators_samples_"): ARRAYS,
    ("KNeighborsClassifier", "effective_metric_params_"): "p is a parameter, and there are no others",
    ("KNeighborsClassifier", "outputs_2d_"): "there is one target",
    ("KNeighborsRegressor", "effective_metric_params_"): "p is a parameter, and there are no others",
    ("KernelDensity", "bandwidth_"): "one for each column, in `bandwidths_`",
    ("KernelDensity", "tree_"): "all rows are compared",
    ("LocalOutlierFactor", "effective_metric_params_"): "p is a parameter, and there are no others",
}


def pairs():
    """Our public classes that have the name of one of scikit-learn's, and theirs."""
    for found in pkgutil.iter_modules(openbook.__path__, "openbook."):
        if found.ispkg:
            module = importlib.import_module(found.name)
            for name in getattr(module, "__all__", ()):
                if name in THEIRS and inspect.isclass(getattr(module, name)):
                    yield name, getattr(module, name), THEIRS[name]


PAIRS = [pytest.param(*pair, id=pair[0]) for pair in pairs()]


def defaults(cls):
    return {one.name: one.default for one in inspect.signature(cls).parameters.values()}


def test_there_are_such_classes():
    assert {"LogisticRegression", "DecisionTreeClassifier", "KMeans", "SVC", "PCA"} <= {p.id for p in PAIRS}


@pytest.mark.parametrize(("name", "ours", "theirs"), PAIRS)
def test_shared_parameters_have_the_same_default(name, ours, theirs):
    own, other = defaults(ours), defaults(theirs)
    differing = {p: (own[p], other[p]) for p in own if p in other and own[p] != other[p]}
    assert {p: pair for p, pair in differing.items() if (name, p) not in DEFAULTS} == {}


@pytest.mark.parametrize(("name", "ours", "theirs"), PAIRS)
def test_no_parameter_has_another_word(name, ours, theirs):
    own, other = defaults(ours), defaults(theirs)
    lacking = [p for p in other if p not in own]
    assert {
        p: sorted(OTHER_WORDS[p] & set(own)) for p in lacking if OTHER_WORDS.get(p, set()) & set(own)
    } == {}


#: Parameters that ours lacks, and whose default in scikit-learn is not what ours does.
OTHERWISE = {
    ("BisectingKMeans", "init"): "k-means++ finds better cuts than random rows",
    ("FunctionTransformer", "check_inverse"): "nothing is inverted",
    ("KBinsDiscretizer", "encode"): "bins are one ordinal column",
    ("KBinsDiscretizer", "quantile_method"): "quantiles are those of the sorted values",
    ("KBinsDiscretizer", "dtype"): "bins are codes",
    ("LabelPropagation", "kernel"): "the graph of nearest rows fits into memory",
    ("LabelPropagation", "gamma"): "of a kernel that ours lacks",
    ("LabelSpreading", "kernel"): "the graph of nearest rows fits into memory",
    ("LabelSpreading", "gamma"): "of a kernel that ours lacks",
    ("MissingIndicator", "error_on_new"): "gaps in any column are allowed",
    ("OneHotEncoder", "dtype"): "a type",
    ("OneHotEncoder", "feature_name_combiner"): "columns are named 'column = value'",
    ("OneHotEncoder", "handle_unknown"): "an unseen value is ordinary input",
    ("OneHotEncoder", "sparse_output"): "columns of tables",
    ("OrdinalEncoder", "dtype"): "a type",
    ("OrdinalEncoder", "handle_unknown"): "an unseen value is ordinary input",
    ("PolynomialFeatures", "include_bias"): "learners add the intercept themselves",
    ("SimpleImputer", "keep_empty_features"): "columns without a value are kept",
    ("KNNImputer", "keep_empty_features"): "columns without a value are kept",
    ("IterativeImputer", "imputation_order"): "columns are filled in their order",
    ("IterativeImputer", "keep_empty_features"): "columns without a value are kept",
    ("TargetEncoder", "cv"): "each training row is coded without its own target",
}


@pytest.mark.parametrize(("name", "ours", "theirs"), PAIRS)
def test_parameters_that_ours_lacks_are_taken_for_what_it_does_and_else_refused(name, ours, theirs):
    own = defaults(ours)
    given = {p for p in own if own[p] is inspect.Parameter.empty}
    for lacking, usual in [(p, d) for p, d in defaults(theirs).items() if p not in own]:
        refused = pytest.raises(TypeError, match=rf"{name} takes no '{lacking}': .+\. Leave it out\.")
        if not happens_anyway(name, lacking, another := object()):
            with refused:
                ours(**dict.fromkeys(given), **{lacking: another})
        if (name, lacking) in OTHERWISE:
            with refused:
                ours(**dict.fromkeys(given), **{lacking: usual})
        else:
            made = ours(**dict.fromkeys(given), **{lacking: usual})
            assert lacking not in made.get_params()


#: Parameters of older scikit-learn classes, which much code still passes.
OLD = {("AdaBoostClassifier", "algorithm"), ("LogisticRegression", "multi_class")}


def lacking_parameters():
    """Which parameters of scikit-learn's classes ours of the same name lack."""
    now = {(name, p) for name, ours, theirs in pairs() for p in set(defaults(theirs)) - set(defaults(ours))}
    return now | OLD


def test_every_value_that_changes_nothing_is_of_a_parameter_that_a_class_lacks():
    lacking = lacking_parameters()
    names = {p for _, p in lacking} | {f"{name}.{p}" for name, p in lacking}
    assert (set(ANYWAY) | IDLE) - names == set()
    assert set(OTHERWISE) - lacking == set()


def test_a_value_that_changes_nothing_is_told_apart_from_one_that_would():
    assert openbook.svm.SVC(probability=True, random_state=3).get_params() == openbook.svm.SVC().get_params()
    assert openbook.linear.Rocchio().get_params() == {}
    old = openbook.linear.LogisticRegression(multi_class="multinomial")
    assert old.get_params() == openbook.linear.LogisticRegression().get_params()
    with pytest.raises(TypeError, match="takes no 'algorithm': its rounds are those of SAMME"):
        openbook.ensemble.AdaBoostClassifier(algorithm="SAMME.R")
    with pytest.raises(TypeError, match="KBinsDiscretizer takes no 'encode': bins are one ordinal column"):
        openbook.prepare.KBinsDiscretizer(encode="onehot")
    with pytest.raises(TypeError, match=r"Rocchio has no parameter 'C'"):
        openbook.linear.Rocchio(C=1)
    with pytest.raises(TypeError, match="NaiveBayes takes no 'max_iter'"):
        openbook.bayes.NaiveBayes(max_iter=10)


def test_every_reason_is_of_a_parameter_that_a_class_lacks():
    lacking = lacking_parameters()
    names = {p for _, p in lacking} | {f"{name}.{p}" for name, p in lacking}
    assert set(NOT_TAKEN) - names == set()


def test_a_parameter_that_nobody_has_is_refused_with_the_nearest():
    with pytest.raises(TypeError, match=r"no parameter 'n_cluster'\. Did you mean 'n_clusters'\?"):
        openbook.cluster.KMeans(n_cluster=3)


@pytest.mark.parametrize(("name", "ours", "theirs"), PAIRS)
def test_methods_of_theirs_are_ours(name, ours, theirs):
    lacking = [m for m in METHODS if hasattr(theirs, m) and not hasattr(ours, m)]
    assert [m for m in lacking if (name, m) not in NO_METHOD] == []


def fitted_names(cls):
    """The attributes that end in an underscore after fitting, and can be read."""
    X, y = openbook.load("iris").split("species")
    numbers = np.array(X.block(X.names), dtype=float)
    model = cls().fit(numbers, numbers[:, 0] if cls.__name__.endswith("Regressor") else y.data)
    return {name for name in dir(model) if name[-1] == "_" != name[0] and hasattr(model, name)}


def needs_estimators(cls):
    """Whether it cannot be made without learners."""
    return any(default is inspect.Parameter.empty for default in defaults(cls).values())


@pytest.mark.parametrize(
    ("name", "ours", "theirs"),
    [
        p
        for p in PAIRS
        if p.values[1].__module__.startswith(WITH_ATTRIBUTES) and not needs_estimators(p.values[2])
    ],
)
def test_fitted_attributes_of_theirs_are_ours(name, ours, theirs):
    lacking = fitted_names(theirs) - fitted_names(ours)
    assert lacking == {attribute for other, attribute in NO_ATTRIBUTE if other == name}


def test_every_reason_is_needed():
    named = {name: (ours, theirs) for name, ours, theirs in pairs()}
    for name, parameter in DEFAULTS:
        own, other = map(defaults, named[name])
        assert own[parameter] != other[parameter], (name, parameter)
    for name, method in NO_METHOD:
        assert not hasattr(named[name][0], method), (name, method)


def test_every_classifier_and_regressor_of_scikit_learn_has_our_name_or_a_hint():
    names = {name for kind in ("classifier", "regressor") for name, _ in all_estimators(kind)}
    lacking = names - {name for name, _, _ in pairs()} - set(INSTEAD)
    assert {name for name in lacking if not re.search(OUTSIDE, name)} == set()


def test_the_guide_and_the_hints_name_the_same():
    """Where both speak of a class or function of scikit-learn's."""
    told = {}
    for line in renamed_rows():
        theirs, ours = line.split("|")[1:3]
        told |= dict.fromkeys(re.findall(r"`(\w+)`", theirs), re.findall(r"\w+", ours))
    hints = {name: re.match(r"openbook\.(?:\w+\.)?(\w+)", hint) for name, hint in INSTEAD.items()}
    last = {name: hint[1] for name, hint in hints.items() if hint and name in told}
    assert len(last) > 30
    assert {name: last[name] for name in last if last[name] not in told[name]} == {}


def renamed_rows():
    """The rows of the guide's table of other names."""
    page = (Path(openbook.__file__).parents[2] / "docs/guide/scikit_learn.md").read_text(encoding="utf-8")
    return [
        row
        for row in page[page.index("Some names differ") : page.index("They agree.")].splitlines()
        if "|" in row
    ]


def test_what_the_guide_names_exists():
    named = {pair for row in renamed_rows() for pair in re.findall(r"`(\w+)\.(\w+)", row.split("|")[-2])}
    assert len(named) > 30
    rooms = {
        room: openbook if room == "ob" else importlib.import_module(f"openbook.{room}") for room, _ in named
    }
    assert {f"{room}.{name}" for room, name in named if not hasattr(rooms[room], name)} == set()
