"""The learners with a target."""

from functools import partial
from typing import Any

from openbook.registry.entry import Entry, Task, Variant


def _entry(task: Task, name: str, place: str, summary: str, *study: Variant, **more: Any) -> Entry:
    """An entry by the room and the class of a learner, and its variants in a study."""
    return Entry(name, f"openbook.{place}", summary, task, study=study, **more)


_classifier, _regressor = partial(_entry, "classification"), partial(_entry, "regression")

#: Single trees, which are easier to read than ensembles.
_TREES = ("decision_tree", "id3", "c45", "cart", "oblivious_tree")
_REGRESSION_TREES = ("decision_tree_regressor", "cart_regressor", "model_tree")
#: Small steps on samples of rows and columns. Compared with 100 steps of 0.1 on all of them, their error is
#: lower on 10 of 11 public tables, by 1.1% on average, in hardly more time; if few columns are informative,
#: it may be higher.
_BOOSTING = {
    "n_estimators": 120,
    "learning_rate": 0.08,
    "subsample": 0.7,
    "max_features": 0.5,
    "min_samples_leaf": 10,
}

PREDICTORS = (
    _classifier("zero_r", "baseline:ZeroR", "always the most frequent class", Variant("0R"), baseline=True),
    _regressor(
        "zero_regressor",
        "baseline:ZeroRegressor",
        "always the mean",
        Variant("mean"),
        Variant("median", {"strategy": "median"}),
        baseline=True,
    ),
    _classifier("one_r", "baseline:OneR", "one rule on the best attribute", Variant("1R"), baseline=True),
    _classifier("rules", "baseline:RuleClassifier", "hand-written rules, tried in order"),
    _classifier(
        "naive_bayes",
        "bayes:NaiveBayes",
        "attributes are independent given the class",
        Variant("naive Bayes"),
        # as many points as rows, at as many places: time grows with the square of the rows
        Variant("naive Bayes, kernel density", {"distributions": "kernel"}, most_rows=5_000),
    ),
    _classifier(
        "gaussian_nb",
        "bayes:GaussianNB",
        "naive Bayes of numbers that are normal in each class, under scikit-learn's name",
    ),
    _classifier(
        "multinomial_nb",
        "bayes:MultinomialNB",
        "naive Bayes of counts, such as words, under scikit-learn's name",
    ),
    _classifier(
        "complement_nb",
        "bayes:ComplementNB",
        "naive Bayes of counts in all other classes, under scikit-learn's name",
    ),
    _classifier(
        "bernoulli_nb", "bayes:BernoulliNB", "naive Bayes of whether events happen, under scikit-learn's name"
    ),
    _classifier(
        "naive_bayes_em",
        "label:NaiveBayesEM",
        "naive Bayes that also counts unlabelled rows, by expectation maximisation",
        Variant("naive Bayes with EM", most_rows=1_000_000),
        unlabelled=True,
    ),
    _classifier(
        "self_training",
        "label:SelfTrainingClassifier",
        "a classifier that learns from the unlabelled rows that it is sure of",
        Variant("self-training naive Bayes", most_rows=200_000),
        unlabelled=True,
    ),
    _classifier(
        "co_training",
        "label:CoTraining",
        "two classifiers, each on columns of its own, teach one another",
        unlabelled=True,
    ),
    _classifier(
        "tri_training",
        "label:TriTraining",
        "three learners, of which two teach the third what they agree on",
        Variant("tri-training trees", most_rows=200_000),
        unlabelled=True,
    ),
    _classifier(
        "cluster_then_label",
        "label:ClusterThenLabel",
        "clusters of all rows, each with the classes of its labelled rows",
        Variant("cluster, then label", most_rows=1_000_000),
        unlabelled=True,
    ),
    _classifier(
        "pretrained",
        "label:PretrainedClassifier",
        "features learnt from all rows, and a classifier of the labelled ones",
        Variant("logistic regression on components of all rows", most_rows=1_000_000),
        unlabelled=True,
    ),
    _classifier(
        "nearest_propagation",
        "label:NearestPropagation",
        "the unlabelled row nearest to a labelled one takes its label, one after another",
        unlabelled=True,
    ),
    _classifier(
        "label_propagation",
        "label:LabelPropagation",
        "labels flow along a graph of nearest rows, and given ones stay",
        unlabelled=True,
    ),
    _classifier(
        "label_spreading",
        "label:LabelSpreading",
        "labels flow along a graph of nearest rows, and given ones may give way",
        Variant("label spreading", most_rows=200_000),
        unlabelled=True,
    ),
    _classifier(
        "belief_network_classifier",
        "network:BeliefNetworkClassifier",
        "naive Bayes with dependencies between attributes (TAN)",
        Variant("tree-augmented naive Bayes", {"tol": 1e-3}, most_rows=100_000, least_rows=100),
    ),
    _classifier(
        "tuned_threshold",
        "decide:TunedThresholdClassifierCV",
        "a decision threshold tuned on training rows, for two classes of which one is rare",
        around="naive_bayes",
    ),
    _classifier(
        "minimum_risk",
        "decide:MinimumRisk",
        "the decision with the lowest expected cost",
        around="naive_bayes",
    ),
    _classifier("prepared", "prepare:Prepared", "steps of preparation, then a learner", around="naive_bayes"),
    _classifier("decision_tree", "tree:DecisionTreeClassifier", "a sequence of splits that ends in a leaf"),
    _regressor(
        "decision_tree_regressor", "tree:DecisionTreeRegressor", "a sequence of splits that ends in a leaf"
    ),
    _classifier("id3", "tree:ID3", "a tree grown by information gain, with a branch for every value"),
    _classifier(
        "c45",
        "tree:C45",
        "a tree grown by gain ratio, pruned by an upper bound of the error",
        Variant("C4.5", {"rare_values": "pool"}),
    ),
    _classifier(
        "random_forest",
        "ensemble:RandomForestClassifier",
        "the mean of many trees, each grown on a bootstrap sample",
        Variant("random forest"),
        members=_TREES,
    ),
    _regressor(
        "random_forest_regressor",
        "ensemble:RandomForestRegressor",
        "the mean of many trees, each grown on a bootstrap sample",
        Variant("random forest"),
        members=_REGRESSION_TREES,
    ),
    _classifier(
        "extra_trees",
        "ensemble:ExtraTreesClassifier",
        "the mean of many trees with random cuts",
        members=_TREES,
    ),
    _regressor(
        "extra_trees_regressor",
        "ensemble:ExtraTreesRegressor",
        "the mean of many trees with random cuts",
        members=_REGRESSION_TREES,
    ),
    _classifier(
        "cart", "tree:CART", "a binary tree, pruned to the size chosen by cross-validation", Variant("CART")
    ),
    _regressor(
        "cart_regressor",
        "tree:CARTRegressor",
        "a binary tree, pruned to the size chosen by cross-validation",
        Variant("CART"),
    ),
    _regressor(
        "model_tree",
        "tree:ModelTreeRegressor",
        "a tree with a linear model in every leaf",
        Variant("model tree"),
    ),
    _classifier(
        "oblivious_tree", "tree:ObliviousTreeClassifier", "a tree with the same split in all nodes of a level"
    ),
    _classifier(
        "bagging",
        "ensemble:BaggingClassifier",
        "the vote of copies of a learner, each fitted to a sample of the rows",
        members=("naive_bayes",),
    ),
    _regressor(
        "bagging_regressor",
        "ensemble:BaggingRegressor",
        "the mean of copies of a learner, each fitted to a sample of the rows",
        members=("zero_regressor",),
    ),
    _classifier(
        "random_subspace",
        "ensemble:RandomSubspaceClassifier",
        "the vote of copies of a learner, each fitted to some of the columns",
        members=("naive_bayes",),
    ),
    _regressor(
        "random_subspace_regressor",
        "ensemble:RandomSubspaceRegressor",
        "the mean of copies of a learner, each fitted to some of the columns",
        members=("zero_regressor",),
    ),
    _classifier(
        "adaboost",
        "ensemble:AdaBoostClassifier",
        "each member concentrates on the errors of the previous ones",
        Variant("AdaBoost of stumps"),
        members=("one_r", *_TREES),
    ),
    _classifier(
        "gradient_boosting",
        "ensemble:GradientBoostingClassifier",
        "trees that each explain what the trees before it leave over",
        Variant("gradient boosting", _BOOSTING),
        members=_TREES,
    ),
    _regressor(
        "gradient_boosting_regressor",
        "ensemble:GradientBoostingRegressor",
        "trees that each explain what the trees before it leave over",
        Variant("gradient boosting", _BOOSTING),
        members=_REGRESSION_TREES,
    ),
    _classifier(
        "voting",
        "ensemble:VotingClassifier",
        "the majority vote of different learners",
        around=("one_r", "naive_bayes"),
        members=("one_r", "naive_bayes"),
    ),
    _regressor(
        "voting_regressor",
        "ensemble:VotingRegressor",
        "the mean of different learners",
        around=("zero_regressor",),
        members=("zero_regressor",),
    ),
    _classifier(
        "stacking",
        "ensemble:StackingClassifier",
        "different learners, combined by their out-of-fold predictions",
        around=("one_r", "naive_bayes"),
        members=("one_r", "naive_bayes"),
    ),
    _regressor(
        "stacking_regressor",
        "ensemble:StackingRegressor",
        "different learners, combined by their out-of-fold predictions",
        around=("zero_regressor",),
        members=("zero_regressor",),
    ),
    _classifier(
        "output_code",
        "ensemble:OutputCodeClassifier",
        "several classes as two-class problems that correct each other",
        around="naive_bayes",
        members=("naive_bayes",),
    ),
    _classifier(
        "one_vs_rest",
        "ensemble:OneVsRestClassifier",
        "one learner for each class against all others",
        around="naive_bayes",
        members=("naive_bayes",),
    ),
    _classifier(
        "k_neighbors",
        "neighbors:KNeighborsClassifier",
        "the majority class of the nearest rows",
        Variant("nearest neighbours", most_rows=50_000),
    ),
    _regressor(
        "k_neighbors_regressor",
        "neighbors:KNeighborsRegressor",
        "the mean of the nearest rows",
        Variant("nearest neighbours", most_rows=50_000),
    ),
    _classifier("parzen", "neighbors:ParzenClassifier", "a kernel density estimate for each class"),
    _regressor(
        "parzen_regressor", "neighbors:ParzenRegressor", "the mean of nearby rows, weighted by distance"
    ),
    _classifier(
        "logistic_regression",
        "linear:LogisticRegression",
        "the log odds are linear in the columns",
        Variant("logistic regression"),
    ),
    _classifier(
        "proportional_odds",
        "linear:ProportionalOdds",
        "one line, and a threshold between each two classes of an order",
        Variant("proportional odds"),
        ordered=True,
    ),
    _classifier("perceptron", "linear:Perceptron", "a plane that moves with every mistake"),
    _classifier(
        "linear_discriminant",
        "linear:LinearDiscriminantAnalysis",
        "normal classes with a common covariance",
        Variant("linear discriminant"),
    ),
    _classifier(
        "quadratic_discriminant",
        "linear:QuadraticDiscriminantAnalysis",
        "normal classes, each with its own covariance",
        Variant("quadratic discriminant", {"shrinkage": "cv"}),
    ),
    _classifier(
        "rocchio",
        "linear:Rocchio",
        "the class centroid with the largest cosine",
        Variant("Rocchio", texts=True),
    ),
    _classifier(
        "mlp",
        "neural:MLPClassifier",
        "layers of units, trained by backpropagation",
        Variant("network", most_rows=50_000),
    ),
    _regressor(
        "mlp_regressor",
        "neural:MLPRegressor",
        "layers of units, trained by backpropagation",
        Variant("network", most_rows=50_000),
    ),
    _classifier(
        "svc",
        "svm:SVC",
        "the boundary with the widest margin, by support vectors",
        Variant("support vectors", most_rows=10_000),
        Variant("linear support vectors", {"kernel": "linear"}, most_rows=50_000, texts=True),
    ),
    _classifier(
        "linear_svc", "svm:LinearSVC", "one separating hyperplane for each class, under scikit-learn's name"
    ),
    _regressor(
        "svr",
        "svm:SVR",
        "the flattest function with most rows inside a tube",
        Variant("support vectors", most_rows=10_000),
    ),
    _regressor("linear_svr", "svm:LinearSVR", "the flattest plane with most rows inside a tube"),
    _regressor("kernel_ridge", "svm:KernelRidge", "ridge regression in the space of a kernel"),
    _regressor(
        "linear_regression",
        "linear:LinearRegression",
        "a weighted sum of the columns with the smallest squared error",
        Variant("linear regression"),
    ),
    _regressor("ridge", "linear:Ridge", "least squares with a penalty on the squares of the coefficients"),
    _regressor("lasso", "linear:Lasso", "least squares with a penalty that sets coefficients to 0"),
    _regressor("elastic_net", "linear:ElasticNet", "least squares with the penalties of ridge and lasso"),
)
