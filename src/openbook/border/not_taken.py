"""Parameters of scikit-learn's classes that openbook's classes of the same name do not have.

Users of scikit-learn try its parameters. A value that changes nothing here is accepted:
`SVC(probability=True)`. Any other is refused with the reason and what to do instead:

    TypeError: KNNImputer takes no 'add_indicator': put a MissingIndicator beside it. Leave it out.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import wraps
from inspect import get_annotations, signature
from typing import Annotated, Any, ClassVar, dataclass_transform, get_args, get_origin

import numpy as np
from sklearn.base import BaseEstimator

from openbook.border.rules import Flag, ParameterRule
from openbook.errors import did_you_mean

#: By parameter; by class and parameter where the reason is that of one class.
NOT_TAKEN = {
    # what does not change the model
    "cache_size": "the solver manages its memory by itself",
    **dict.fromkeys(("copy", "copy_X", "copy_x"), "the rows that are passed never change"),
    "leaf_size": "the index chooses the size of its leaves",
    "memory": "nothing is cached between fits",
    "n_jobs": "set the workers with joblib.parallel_config(n_jobs=…) around it",
    "precompute": "it chooses by the shape of the table",
    "shrinking": "the solver chooses the rows to work on",
    **dict.fromkeys(("verbose", "verbose_interval"), "a fit prints nothing; openbook study shows progress"),
    "warm_start": "each fit starts anew; learners with partial_fit go on from the last model",
    # how a solution is found
    **dict.fromkeys(
        ("dual", "iterated_power", "n_oversamples", "power_iteration_normalizer", "solver", "svd_solver"),
        "it chooses the solver by the shape of the table",
    ),
    "selection": "columns are visited in their order",
    **dict.fromkeys(("atol", "rtol", "breadth_first"), "densities are exact"),
    "intercept_scaling": "the intercept is not penalised",
    "max_fun": "max_iter limits the iterations",
    **dict.fromkeys(("max_iter", "tol"), "it runs until it has converged"),
    **dict.fromkeys(
        ("Perceptron.tol", "early_stopping", "n_iter_no_change"),
        "it stops after max_iter epochs, or when no row is wrong",
    ),
    **dict.fromkeys(
        ("LinearDiscriminantAnalysis.tol", "QuadraticDiscriminantAnalysis.tol", "LinearRegression.tol"),
        "columns that follow from others are found and named in notes_",
    ),
    # trees and ensembles
    "AdaBoostClassifier.algorithm": "its rounds are those of SAMME",
    **dict.fromkeys(("Perceptron.alpha", "Perceptron.penalty", "l1_ratio"), "it has no penalty"),
    "criterion": "its trees minimise the squared error",
    "BisectingKMeans.init": "the two centres of each cut are drawn by k-means++",
    "IsolationForest.max_features": "each tree chooses among all columns",
    "monotonic_cst": "no column can be held to one direction",
    "refit": "the classifier is always fitted to all rows",
    "response_method": "it decides by probabilities",
    "store_cv_results": "best_score_ is what it keeps",
    "thresholds": "all thresholds that tell two rows apart are tried",
    # linear models, kernel machines, networks
    "beta_1": "Adam runs with the published 0.9",
    "beta_2": "Adam runs with the published 0.999",
    "epsilon": "Adam runs with the published 1e-8",
    "LogisticRegression.multi_class": "several classes are one multinomial model",
    **dict.fromkeys(("LinearSVC.fit_intercept", "LinearSVR.fit_intercept"), "it always has an intercept"),
    "LinearSVR.loss": "errors beyond epsilon count by their size",
    "LinearSVC.multi_class": "each class is separated from the rest",
    "LinearSVC.penalty": "the penalty is on the squares of the coefficients",
    "break_ties": "ties go to the class that comes first in classes_",
    "class_weight": "pass sample_weight to fit",
    "covariance_estimator": "shrinkage draws the covariance towards its diagonal",
    **dict.fromkeys(
        ("QuadraticDiscriminantAnalysis.covariance_estimator", "reg_param"),
        "shrinkage draws each covariance towards that of all classes",
    ),
    "decision_function_shape": "decision_function has a column for each class, one for two classes",
    "kernel_params": "gamma, degree and coef0 are parameters of their own",
    "probability": "predict_proba always works",
    "random_state": "nothing in it is random",
    "store_covariance": "covariances are always kept",
    "validation_fraction": "no rows are held out",
    # neighbours, clusters, outliers, densities
    "algorithm": "it chooses by the shape of the table",
    "compute_distances": "distances_ is always there",
    "compute_full_tree": "the whole tree is always computed",
    "connectivity": "all pairs of rows may be joined",
    **dict.fromkeys(("ComplementNB.class_prior", "ComplementNB.fit_prior"), "its classes have equal priors"),
    "force_alpha": "alpha counts as it is given",
    "norm": "the weights of a class are not normalised",
    **dict.fromkeys(("gamma", "kernel"), "the graph joins the n_neighbors nearest rows, with equal weights"),
    "KernelDensity.kernel": "its kernel is Gaussian",
    "metric": "distances are those of the kinds of the columns",
    "metric_params": "p is the only parameter of a metric, and one of its own",
    "novelty": "predict and score_samples always take new rows",
    "p": "choose the metric 'manhattan', 'euclidean' or 'chebyshev'",
    **dict.fromkeys(("precisions_init", "weights_init"), "means_init sets where it starts"),
    # preparation and selection
    "accept_sparse": "columns are numbers or categories of tables",
    "add_indicator": "put a MissingIndicator beside it",
    "IterativeImputer.estimator": "each column has a linear model with a small ridge",
    **dict.fromkeys(("fill_value", "initial_strategy"), "missing cells start at the mean of their column"),
    "imputation_order": "columns are filled in their order",
    **dict.fromkeys(("max_value", "min_value"), "filled numbers are not bounded"),
    "n_nearest_features": "each model uses all other columns",
    "sample_posterior": "a cell becomes the prediction itself",
    "skip_complete": "columns without gaps in training are filled in new rows, too",
    "categories": "the schema of the table lists them: openbook.read(…, kinds={'size': ['S', 'M', 'L']})",
    **dict.fromkeys(
        ("chain_method", "ClassifierChain.cv"),
        "a link of the chain is told the labels that earlier links decide",
    ),
    **dict.fromkeys(
        ("check_inverse", "inv_kw_args", "inverse_func", "kw_args"), "func is one of a few named functions"
    ),
    **dict.fromkeys(("cv", "shuffle"), "fit_transform codes each training row without its own target"),
    "dtype": "numbers are float64",
    "encode": "bins are one ordinal column",
    "encoded_missing_value": "missing cells stay missing",
    "error_on_new": "gaps in any column are allowed",
    "feature_name_combiner": "columns are named 'column = value'",
    "feature_names_out": "columns keep their names",
    "handle_unknown": "values that were not in the training rows are always allowed, and count as unknown",
    "ignore_implicit_zeros": "zeros are numbers",
    "importance_getter": "columns are ranked by coef_ or feature_importances_",
    "include_bias": "learners add the intercept themselves",
    "keep_empty_features": "columns without a value are kept",
    **dict.fromkeys(
        ("max_categories", "min_frequency"), "put RareValues in front of it, which pools rare values"
    ),
    "missing_values": "missing cells are known when a table is read: openbook.read(…, missing=['', '-999'])",
    "order": "columns are stored one by one",
    "quantile_method": "quantiles are those of the sorted values",
    "sparse": "columns of tables",
    "sparse_output": "columns of tables; learners use sparse rows where they pay",
    "subsample": "all rows count",
    "target_type": "the target says it",
    "validate": "columns are checked when a table is read",
}


_IDLE = """
atol breadth_first cache_size compute_distances compute_full_tree copy copy_X copy_x dual intercept_scaling
iterated_power leaf_size max_fun memory n_jobs n_oversamples order power_iteration_normalizer precompute
probability random_state rtol selection shrinking store_covariance svd_solver validate verbose
verbose_interval
BisectingKMeans.algorithm ClassifierChain.verbose ComplementNB.fit_prior DBSCAN.algorithm
ElasticNet.max_iter ElasticNet.tol KBinsDiscretizer.subsample KMeans.algorithm KernelDensity.algorithm
Lasso.max_iter Lasso.tol LinearDiscriminantAnalysis.solver LinearDiscriminantAnalysis.tol
LinearRegression.tol LocalOutlierFactor.novelty Perceptron.alpha Perceptron.l1_ratio
Perceptron.validation_fraction QuadraticDiscriminantAnalysis.solver QuadraticDiscriminantAnalysis.tol
QuantileTransformer.subsample Ridge.max_iter Ridge.solver Ridge.tol TargetEncoder.shuffle
TargetEncoder.target_type TunedThresholdClassifierCV.thresholds
"""
#: Parameters whose value never changes the model, of any class or of one.
IDLE = frozenset(_IDLE.split())

#: The value of other parameters that asks for what the class does anyway.
_SINGLE_VALUE = {
    None: """
        ClassifierChain.cv ComplementNB.class_prior IterativeImputer.estimator Perceptron.penalty class_weight
        connectivity covariance_estimator fill_value init inv_kw_args inverse_func kernel_params kw_args
        max_categories metric_params min_frequency monotonic_cst n_nearest_features precisions_init
        weights_init
    """,
    False: """
        Perceptron.early_stopping accept_sparse add_indicator break_ties error_on_new
        ignore_implicit_zeros include_bias norm sample_posterior skip_complete sparse_output
        store_cv_results warm_start
    """,
    True: "LinearSVC.fit_intercept LinearSVR.fit_intercept force_alpha keep_empty_features refit",
}
#: The values of other parameters that ask for what the class does anyway.
ANYWAY: dict[str, tuple[Any, ...]] = {
    **{name: (value,) for value, names in _SINGLE_VALUE.items() for name in names.split()},
    "AdaBoostClassifier.algorithm": ("SAMME",),
    "BisectingKMeans.init": ("k-means++",),
    "DBSCAN.p": (None, 2),
    "KBinsDiscretizer.encode": ("ordinal",),
    "KNNImputer.metric": ("nan_euclidean",),
    "KernelDensity.kernel": ("gaussian",),
    "KernelDensity.metric": ("euclidean",),
    "LinearSVR.loss": ("epsilon_insensitive",),
    "LinearSVC.multi_class": ("ovr",),
    "decision_function_shape": ("ovr",),
    "LinearSVC.penalty": ("l2",),
    "LogisticRegression.multi_class": ("auto", "multinomial"),
    "OrdinalEncoder.handle_unknown": ("use_encoded_value",),
    "Perceptron.n_iter_no_change": (5,),
    "Perceptron.tol": (None, 1e-3),
    "beta_1": (0.9,),
    "beta_2": (0.999,),
    "categories": ("auto",),
    "importance_getter": ("auto",),
    "initial_strategy": ("mean",),
    "max_value": (np.inf,),
    "min_value": (-np.inf,),
    "chain_method": ("predict",),
    "criterion": ("squared_error", "friedman_mse", "deprecated"),
    "encoded_missing_value": (np.nan,),
    "epsilon": (1e-8,),
    "feature_names_out": (None, "one-to-one"),
    "handle_unknown": ("ignore", "infrequent_if_exist", "warn"),
    "kernel": ("knn",),
    "max_features": (1.0,),
    "missing_values": (None, np.nan),
    "reg_param": (0.0,),
    "response_method": ("auto", "predict_proba"),
    "sparse": (False, "auto"),
}


def reason_not_taken(class_name: str, parameter: str) -> str | None:
    """Why a class does not take a parameter of scikit-learn's class of its name; None if unknown."""
    return NOT_TAKEN.get(f"{class_name}.{parameter}", NOT_TAKEN.get(parameter))


def happens_anyway(class_name: str, parameter: str, value: Any) -> bool:
    """Whether a value of a parameter that a class lacks asks for what the class does anyway."""
    own = f"{class_name}.{parameter}"
    if own in ANYWAY or not ({own, parameter} & IDLE):
        simple = value is None or isinstance(value, str | int | float)
        return simple and value in ANYWAY.get(own, ANYWAY.get(parameter, ()))
    return reason_not_taken(class_name, parameter) is not None


def with_known_parameters(init: Callable[..., None]) -> Callable[..., None]:
    """A constructor that leaves out values of scikit-learn's that change nothing, and refuses others."""
    code = init.__code__
    known = code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]

    @wraps(init)
    def construct(self: Any, *values: Any, **parameters: Any) -> None:
        for parameter in parameters.keys() - set(known):
            name = type(self).__name__
            if happens_anyway(name, parameter, parameters[parameter]):
                del parameters[parameter]
            elif reason := reason_not_taken(name, parameter):
                raise TypeError(f"{name} takes no {parameter!r}: {reason}. Leave it out.")
            else:
                raise TypeError(f"{name} has no parameter {parameter!r}. {did_you_mean(parameter, known)}")
        init(self, *values, **parameters)

    return construct


class KnownParameters(BaseEstimator):
    """Knows the parameters of scikit-learn's class of the same name, and refuses unknown ones with a hint."""

    @with_known_parameters
    def __init__(self) -> None:
        """Of a learner without parameters."""

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        if "__init__" in vars(cls):
            cls.__init__ = with_known_parameters(cls.__init__)  # type: ignore[method-assign]


def declared_rules(cls: type) -> dict[str, ParameterRule]:
    """The rule of each parameter, from the annotations of its class and of the bases.

    A field or an argument of the constructor holds it, `noise: Annotated[float, Number(at_least=0)] = 0.1`;
    a `bool` is a `Flag`. A class that annotates a parameter without a rule keeps the rule of its base.
    """
    rules: dict[str, ParameterRule] = {}
    for base in reversed(cls.__mro__):
        for name, kind in (get_annotations(vars(base).get("__init__", base)) | get_annotations(base)).items():
            if get_origin(kind) is Annotated:
                rules[name] = get_args(kind)[1]
            elif kind is bool:
                rules[name] = Flag()
    return {name: rules[name] for name in signature(cls).parameters if name in rules}


def _without_rule(kind: Any) -> Any:
    return get_args(kind)[0] if get_origin(kind) is Annotated else kind


@dataclass_transform(eq_default=False)
class Declared:
    """The annotated fields of a class are its parameters, as in a dataclass: those of its bases come first.

    An annotation may hold the rule of a parameter; see `declared_rules`. Declared stands before other bases,
    so that they find the constructor that it makes.
    """

    _rules: ClassVar[Mapping[str, ParameterRule]]

    def __init_subclass__(cls, **options: Any) -> None:
        if "__init__" not in vars(cls):
            dataclass(cls, repr=False, eq=False)
            kinds = cls.__init__.__annotations__.items()  # help shows the types; the rules stay on the fields
            cls.__init__.__annotations__ = {name: _without_rule(kind) for name, kind in kinds}
        cls._rules = declared_rules(cls)
        super().__init_subclass__(**options)
