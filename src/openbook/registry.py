"""Every learner, by name: it feeds the contract tests, the command line, studies, docs and benchmarks.

A learner joins by a line here; its class is imported only when it is asked for.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any, Literal, get_args

from openbook.errors import ParameterError, did_you_mean

__all__ = ["LEARNERS", "Entry", "Task", "Untargeted", "Variant", "learner", "learners", "name_of"]

Task = Literal["classification", "regression"]
#: What can be learnt without a target.
Untargeted = Literal["clustering", "density", "outliers", "projection"]


@dataclass(frozen=True)
class Variant:
    """A way in which a study tries a learner, and the most rows for which it has the time."""

    label: str
    parameters: Mapping[str, Any] = field(default_factory=dict)
    most_rows: int | None = None


@dataclass(frozen=True)
class Entry:
    """A registered learner.

    Parameters
    ----------
    name : what studies, model files and the command line call it
    place : module and class
    task : what it predicts, or does without a target
    summary : one line for people who choose
    baseline : whether others are measured against it
    around : the registered learner that it wraps unless told otherwise, or the learners, if it wraps several
    members : of an ensemble, the registered learners that it must beat to be offered by a study
    study : the ways in which a study tries it, if it does
    """

    name: str
    place: str
    task: Task | Untargeted
    summary: str
    baseline: bool = False
    around: str | tuple[str, ...] | None = None
    members: tuple[str, ...] = ()
    study: tuple[Variant, ...] = ()

    @property
    def cls(self) -> type:
        module, name = self.place.split(":")
        return getattr(import_module(module), name)

    def make(self, **parameters: Any) -> Any:
        """A new, unfitted learner."""
        if isinstance(self.around, str):
            parameters.setdefault("estimator", learner(self.around).make())
        elif self.around is not None:
            parameters.setdefault("estimators", [(name, learner(name).make()) for name in self.around])
        return self.cls(**parameters)


#: One tree each, which says more to a reader than many.
_TREES = ("decision_tree", "id3", "c45", "cart", "oblivious_tree")
_REGRESSION_TREES = ("decision_tree_regressor", "cart_regressor", "model_tree")

#: Detectors of outliers: the class, and what is odd to it.
_DETECTORS = {
    "z_score": ("ZScore", "a number many standard deviations from the mean"),
    "box_fences": ("BoxFences", "a number beyond the fences of a box plot"),
    "grubbs": ("Grubbs", "a number that Grubbs' test rejects"),
    "mahalanobis": ("Mahalanobis", "far from the centre, by the rows' own covariance"),
    "likelihood_mixture": ("LikelihoodMixture", "likelier among a few that can be anything"),
    "naive_bayes_surprise": ("NaiveBayesSurprise", "improbable cells, each by itself"),
    "neighbour_distance": ("NeighbourDistance", "far from its k-th nearest row"),
    "radius_count": ("RadiusCount", "few rows within a radius"),
    "inverse_density": ("InverseDensity", "thin surroundings"),
    "relative_density": ("RelativeDensity", "thinner surroundings than those of its nearest rows"),
    "lof": ("LOF", "a local density below that of its nearest rows"),
    "centroid_distance": ("CentroidDistance", "far from the centre of every cluster"),
    "objective_gain": ("ObjectiveGain", "clusters are tighter without it"),
    "small_clusters": ("SmallClusters", "in a small cluster far from the large ones"),
    "isolation_forest": ("IsolationForest", "set apart by few random tests"),
    "contextual": ("Contextual", "odd for its context"),
    "collective": ("Collective", "odd together with its group or run"),
}

LEARNERS = {
    entry.name: entry
    for entry in (
        Entry(
            "zero_r",
            "openbook.baseline:ZeroR",
            "classification",
            "always the most frequent class",
            baseline=True,
            study=(Variant("0R"),),
        ),
        Entry(
            "zero_regressor",
            "openbook.baseline:ZeroRegressor",
            "regression",
            "always the mean",
            baseline=True,
            study=(Variant("mean"), Variant("median", {"strategy": "median"})),
        ),
        Entry(
            "one_r",
            "openbook.baseline:OneR",
            "classification",
            "one rule on the best attribute",
            baseline=True,
            study=(Variant("1R"),),
        ),
        Entry(
            "naive_bayes",
            "openbook.bayes:NaiveBayes",
            "classification",
            "every attribute speaks for itself, given the class",
            study=(
                Variant("naive Bayes"),
                # as many points as rows, at as many places: time grows with the square of the rows
                Variant("naive Bayes, kernel density", {"distributions": "kernel"}, most_rows=5_000),
            ),
        ),
        Entry(
            "minimum_risk",
            "openbook.bayes:MinimumRisk",
            "classification",
            "the decision of least expected cost",
            around="naive_bayes",
        ),
        Entry(
            "decision_tree",
            "openbook.tree:DecisionTreeClassifier",
            "classification",
            "tests one after the other, down to a leaf",
        ),
        Entry(
            "decision_tree_regressor",
            "openbook.tree:DecisionTreeRegressor",
            "regression",
            "tests one after the other, down to a leaf",
        ),
        Entry(
            "id3",
            "openbook.tree:ID3",
            "classification",
            "a tree by information gain, a branch for every value",
        ),
        Entry(
            "c45",
            "openbook.tree:C45",
            "classification",
            "a tree by gain ratio, pruned by the bound of its error",
            study=(Variant("C4.5"),),
        ),
        Entry(
            "random_forest",
            "openbook.ensemble:RandomForestClassifier",
            "classification",
            "the vote of many trees, each grown on a sample of the rows",
            members=_TREES,
            study=(Variant("random forest"),),
        ),
        Entry(
            "random_forest_regressor",
            "openbook.ensemble:RandomForestRegressor",
            "regression",
            "the mean of many trees, each grown on a sample of the rows",
            members=_REGRESSION_TREES,
            study=(Variant("random forest"),),
        ),
        Entry(
            "extra_trees",
            "openbook.ensemble:ExtraTreesClassifier",
            "classification",
            "the vote of many trees that cut at random",
            members=_TREES,
        ),
        Entry(
            "extra_trees_regressor",
            "openbook.ensemble:ExtraTreesRegressor",
            "regression",
            "the mean of many trees that cut at random",
            members=_REGRESSION_TREES,
        ),
        Entry(
            "cart",
            "openbook.tree:CART",
            "classification",
            "a binary tree, cut back to the size that cross-validation chooses",
            study=(Variant("CART"),),
        ),
        Entry(
            "cart_regressor",
            "openbook.tree:CARTRegressor",
            "regression",
            "a binary tree, cut back to the size that cross-validation chooses",
            study=(Variant("CART"),),
        ),
        Entry(
            "model_tree",
            "openbook.tree:ModelTreeRegressor",
            "regression",
            "a tree with a linear model in every leaf",
            study=(Variant("model tree"),),
        ),
        Entry(
            "oblivious_tree",
            "openbook.tree:ObliviousTreeClassifier",
            "classification",
            "a tree with one and the same test for all nodes of a level",
        ),
        Entry(
            "bagging",
            "openbook.ensemble:BaggingClassifier",
            "classification",
            "the vote of one learner's copies, each grown on a sample of the rows",
            members=("naive_bayes",),
        ),
        Entry(
            "bagging_regressor",
            "openbook.ensemble:BaggingRegressor",
            "regression",
            "the mean of one learner's copies, each grown on a sample of the rows",
            members=("zero_regressor",),
        ),
        Entry(
            "random_subspace",
            "openbook.ensemble:RandomSubspaceClassifier",
            "classification",
            "the vote of one learner's copies, each grown on some of the columns",
            members=("naive_bayes",),
        ),
        Entry(
            "random_subspace_regressor",
            "openbook.ensemble:RandomSubspaceRegressor",
            "regression",
            "the mean of one learner's copies, each grown on some of the columns",
            members=("zero_regressor",),
        ),
        Entry(
            "adaboost",
            "openbook.ensemble:AdaBoostClassifier",
            "classification",
            "members that each mend the mistakes of those before",
            members=("one_r", *_TREES),
            study=(Variant("AdaBoost of stumps"),),
        ),
        Entry(
            "voting",
            "openbook.ensemble:VotingClassifier",
            "classification",
            "what most of different learners say",
            around=("one_r", "naive_bayes"),
            members=("one_r", "naive_bayes"),
        ),
        Entry(
            "voting_regressor",
            "openbook.ensemble:VotingRegressor",
            "regression",
            "the mean of different learners",
            around=("zero_regressor",),
            members=("zero_regressor",),
        ),
        Entry(
            "stacking",
            "openbook.ensemble:StackingClassifier",
            "classification",
            "different learners, blended by what they say of unseen rows",
            around=("one_r", "naive_bayes"),
            members=("one_r", "naive_bayes"),
        ),
        Entry(
            "stacking_regressor",
            "openbook.ensemble:StackingRegressor",
            "regression",
            "different learners, blended by what they say of unseen rows",
            around=("zero_regressor",),
            members=("zero_regressor",),
        ),
        Entry(
            "output_code",
            "openbook.ensemble:OutputCodeClassifier",
            "classification",
            "many classes as two-class problems that correct each other",
            around="naive_bayes",
            members=("naive_bayes",),
        ),
        Entry(
            "k_neighbors",
            "openbook.neighbors:KNeighborsClassifier",
            "classification",
            "the classes of the nearest rows vote",
            study=(Variant("nearest neighbours", most_rows=50_000),),
        ),
        Entry(
            "k_neighbors_regressor",
            "openbook.neighbors:KNeighborsRegressor",
            "regression",
            "the mean of the nearest rows",
            study=(Variant("nearest neighbours", most_rows=50_000),),
        ),
        Entry(
            "parzen",
            "openbook.neighbors:ParzenClassifier",
            "classification",
            "a density for each class from the rows around",
        ),
        Entry(
            "parzen_regressor",
            "openbook.neighbors:ParzenRegressor",
            "regression",
            "the mean of the rows around, weighed by distance",
        ),
        Entry(
            "logistic_regression",
            "openbook.linear:LogisticRegression",
            "classification",
            "log odds that are linear in the columns",
            study=(Variant("logistic regression"),),
        ),
        Entry(
            "perceptron",
            "openbook.linear:Perceptron",
            "classification",
            "a plane that is moved at every mistake",
        ),
        Entry(
            "linear_discriminant",
            "openbook.linear:LinearDiscriminant",
            "classification",
            "normal classes that differ in their means",
            study=(Variant("linear discriminant"),),
        ),
        Entry(
            "quadratic_discriminant",
            "openbook.linear:QuadraticDiscriminant",
            "classification",
            "normal classes, each with a mean and a covariance of its own",
            study=(Variant("quadratic discriminant", {"shrinkage": 0.1}),),
        ),
        Entry(
            "rocchio",
            "openbook.linear:Rocchio",
            "classification",
            "the centroid that points where the row points",
        ),
        Entry(
            "mlp",
            "openbook.neural:MLPClassifier",
            "classification",
            "layers of units, learnt by passing the error back",
            study=(Variant("network", most_rows=50_000),),
        ),
        Entry(
            "mlp_regressor",
            "openbook.neural:MLPRegressor",
            "regression",
            "layers of units, learnt by passing the error back",
            study=(Variant("network", most_rows=50_000),),
        ),
        Entry(
            "autoencoder",
            "openbook.neural:Autoencoder",
            "projection",
            "the narrow layer of a network that reproduces its rows",
        ),
        Entry(
            "pca",
            "openbook.reduce:PCA",
            "projection",
            "the directions in which rows vary most",
        ),
        Entry(
            "discriminant_projection",
            "openbook.reduce:LinearDiscriminantProjection",
            "projection",
            "the directions in which classes lie farthest apart",
        ),
        Entry(
            "gaussian_mixture",
            "openbook.cluster:GaussianMixture",
            "clustering",
            "groups that overlap, each a normal distribution",
        ),
        Entry(
            "histogram_density",
            "openbook.cluster:HistogramDensity",
            "density",
            "the share of the rows in a cell, by its volume",
        ),
        Entry(
            "kernel_density",
            "openbook.cluster:KernelDensity",
            "density",
            "a small bell around every row",
        ),
        Entry(
            "svc",
            "openbook.svm:SVC",
            "classification",
            "the boundary with the widest margin, by support vectors",
            study=(Variant("support vectors", most_rows=10_000),),
        ),
        Entry(
            "svr",
            "openbook.svm:SVR",
            "regression",
            "the flattest function that keeps most rows in a tube",
            study=(Variant("support vectors", most_rows=10_000),),
        ),
        Entry(
            "linear_regression",
            "openbook.linear:LinearRegression",
            "regression",
            "a weighted sum of the columns, of least squared error",
            study=(Variant("linear regression"),),
        ),
        Entry(
            "k_means",
            "openbook.cluster:KMeans",
            "clustering",
            "every row with the nearest mean, every mean of its rows",
        ),
        Entry(
            "k_modes",
            "openbook.cluster:KModes",
            "clustering",
            "every row with the mode that it differs from least",
        ),
        Entry(
            "k_prototypes",
            "openbook.cluster:KPrototypes",
            "clustering",
            "means for numbers and modes for categories, at once",
        ),
        Entry(
            "k_medoids",
            "openbook.cluster:KMedoids",
            "clustering",
            "every row with the nearest of the rows that stand for clusters",
        ),
        Entry(
            "bisecting_k_means",
            "openbook.cluster:BisectingKMeans",
            "clustering",
            "one cluster after the other cut in two",
        ),
        Entry(
            "agglomerative",
            "openbook.cluster:Agglomerative",
            "clustering",
            "the two nearest clusters merged, again and again",
        ),
        Entry(
            "divisive",
            "openbook.cluster:Divisive",
            "clustering",
            "the widest cluster split, again and again",
        ),
        Entry(
            "dbscan",
            "openbook.cluster:DBSCAN",
            "clustering",
            "clusters of any shape where rows are dense, and noise",
        ),
        *(
            Entry(name, f"openbook.outlier:{cls}", "outliers", summary)
            for name, (cls, summary) in _DETECTORS.items()
        ),
    )
}


def learner(name: str) -> Entry:
    """The entry of that name."""
    if name not in LEARNERS:
        msg = f"no learner {name!r}. {did_you_mean(name, tuple(LEARNERS))}"
        raise ParameterError(msg)
    return LEARNERS[name]


def learners(*tasks: Task | Untargeted) -> tuple[Entry, ...]:
    """The entries for these tasks; if none is named, for all that predict a target."""
    return tuple(entry for entry in LEARNERS.values() if entry.task in (tasks or get_args(Task)))


def name_of(model: Any) -> str:
    """The registered name of a learner's class."""
    place = f":{type(model).__name__}"
    for entry in LEARNERS.values():
        if entry.place.endswith(place) and entry.cls is type(model):
            return entry.name
    name = type(model).__name__
    hint = "Use its model_, which is." if hasattr(model, "model_") else did_you_mean(name, tuple(LEARNERS))
    msg = f"{name} is not a registered learner. {hint}"
    raise ParameterError(msg)
