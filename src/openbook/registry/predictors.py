"""The learners of a target."""

from functools import partial

from openbook.registry.entry import Entry, Variant

_classifier = partial(Entry, task="classification")
_regressor = partial(Entry, task="regression")

#: One tree each, which says more to a reader than many.
_TREES = ("decision_tree", "id3", "c45", "cart", "oblivious_tree")
_REGRESSION_TREES = ("decision_tree_regressor", "cart_regressor", "model_tree")
#: Small steps on samples of rows and columns. Beside 100 steps of 0.1 on all of them they err less on 10 of
#: 11 public tables, by 1.1% on average, in hardly more time; where few columns tell all, they may err more.
_BOOSTING = {
    "n_estimators": 120,
    "learning_rate": 0.08,
    "subsample": 0.7,
    "max_features": 0.5,
    "min_samples_leaf": 10,
}

PREDICTORS = (
    _classifier(
        "zero_r",
        "openbook.baseline:ZeroR",
        "always the most frequent class",
        baseline=True,
        study=(Variant("0R"),),
    ),
    _regressor(
        "zero_regressor",
        "openbook.baseline:ZeroRegressor",
        "always the mean",
        baseline=True,
        study=(Variant("mean"), Variant("median", {"strategy": "median"})),
    ),
    _classifier(
        "one_r",
        "openbook.baseline:OneR",
        "one rule on the best attribute",
        baseline=True,
        study=(Variant("1R"),),
    ),
    _classifier("rules", "openbook.baseline:RuleClassifier", "hand-written rules, tried in order"),
    _classifier(
        "naive_bayes",
        "openbook.bayes:NaiveBayes",
        "attributes are independent given the class",
        study=(
            Variant("naive Bayes"),
            # as many points as rows, at as many places: time grows with the square of the rows
            Variant("naive Bayes, kernel density", {"distributions": "kernel"}, most_rows=5_000),
        ),
    ),
    _classifier(
        "naive_bayes_em",
        "openbook.label:NaiveBayesEM",
        "naive Bayes that also counts unlabelled rows, by expectation maximisation",
        unlabelled=True,
        study=(Variant("naive Bayes with EM", most_rows=1_000_000),),
    ),
    _classifier(
        "self_training",
        "openbook.label:SelfTrainingClassifier",
        "a classifier that learns from the unlabelled rows that it is sure of",
        unlabelled=True,
        study=(Variant("self-training naive Bayes", most_rows=200_000),),
    ),
    _classifier(
        "co_training",
        "openbook.label:CoTraining",
        "two classifiers, each on columns of its own, teach one another",
        unlabelled=True,
    ),
    _classifier(
        "tri_training",
        "openbook.label:TriTraining",
        "three learners, of which two teach the third what they agree on",
        unlabelled=True,
        study=(Variant("tri-training trees", most_rows=200_000),),
    ),
    _classifier(
        "cluster_then_label",
        "openbook.label:ClusterThenLabel",
        "clusters of all rows, each with the classes of its labelled rows",
        unlabelled=True,
        study=(Variant("cluster, then label", most_rows=1_000_000),),
    ),
    _classifier(
        "pretrained",
        "openbook.label:PretrainedClassifier",
        "features learnt from all rows, and a classifier of the labelled ones",
        unlabelled=True,
        study=(Variant("logistic regression on components of all rows", most_rows=1_000_000),),
    ),
    _classifier(
        "nearest_propagation",
        "openbook.label:NearestPropagation",
        "the unlabelled row nearest to a labelled one takes its label, one after another",
        unlabelled=True,
    ),
    _classifier(
        "label_propagation",
        "openbook.label:LabelPropagation",
        "labels flow along a graph of nearest rows, and given ones stay",
        unlabelled=True,
    ),
    _classifier(
        "label_spreading",
        "openbook.label:LabelSpreading",
        "labels flow along a graph of nearest rows, and given ones may give way",
        unlabelled=True,
        study=(Variant("label spreading", most_rows=200_000),),
    ),
    _classifier(
        "belief_network_classifier",
        "openbook.network:BeliefNetworkClassifier",
        "naive Bayes with dependencies between attributes (TAN)",
        study=(Variant("tree-augmented naive Bayes", {"tol": 1e-3}, most_rows=100_000, least_rows=100),),
    ),
    _classifier(
        "tuned_threshold",
        "openbook.decide:TunedThresholdClassifierCV",
        "a decision threshold tuned on training rows, for two classes of which one is rare",
        around="naive_bayes",
    ),
    _classifier(
        "minimum_risk",
        "openbook.decide:MinimumRisk",
        "the decision with the lowest expected cost",
        around="naive_bayes",
    ),
    _classifier(
        "prepared", "openbook.prepare:Prepared", "steps of preparation, then a learner", around="naive_bayes"
    ),
    _classifier(
        "decision_tree", "openbook.tree:DecisionTreeClassifier", "a sequence of splits that ends in a leaf"
    ),
    _regressor(
        "decision_tree_regressor",
        "openbook.tree:DecisionTreeRegressor",
        "a sequence of splits that ends in a leaf",
    ),
    _classifier(
        "id3", "openbook.tree:ID3", "a tree grown by information gain, with a branch for every value"
    ),
    _classifier(
        "c45",
        "openbook.tree:C45",
        "a tree grown by gain ratio, pruned by an upper bound of the error",
        study=(Variant("C4.5", {"rare_values": "pool"}),),
    ),
    _classifier(
        "random_forest",
        "openbook.ensemble:RandomForestClassifier",
        "the mean of many trees, each grown on a bootstrap sample",
        members=_TREES,
        study=(Variant("random forest"),),
    ),
    _regressor(
        "random_forest_regressor",
        "openbook.ensemble:RandomForestRegressor",
        "the mean of many trees, each grown on a bootstrap sample",
        members=_REGRESSION_TREES,
        study=(Variant("random forest"),),
    ),
    _classifier(
        "extra_trees",
        "openbook.ensemble:ExtraTreesClassifier",
        "the mean of many trees with random cuts",
        members=_TREES,
    ),
    _regressor(
        "extra_trees_regressor",
        "openbook.ensemble:ExtraTreesRegressor",
        "the mean of many trees with random cuts",
        members=_REGRESSION_TREES,
    ),
    _classifier(
        "cart",
        "openbook.tree:CART",
        "a binary tree, pruned to the size chosen by cross-validation",
        study=(Variant("CART"),),
    ),
    _regressor(
        "cart_regressor",
        "openbook.tree:CARTRegressor",
        "a binary tree, pruned to the size chosen by cross-validation",
        study=(Variant("CART"),),
    ),
    _regressor(
        "model_tree",
        "openbook.tree:ModelTreeRegressor",
        "a tree with a linear model in every leaf",
        study=(Variant("model tree"),),
    ),
    _classifier(
        "oblivious_tree",
        "openbook.tree:ObliviousTreeClassifier",
        "a tree with the same split in all nodes of a level",
    ),
    _classifier(
        "bagging",
        "openbook.ensemble:BaggingClassifier",
        "the vote of copies of a learner, each fitted to a sample of the rows",
        members=("naive_bayes",),
    ),
    _regressor(
        "bagging_regressor",
        "openbook.ensemble:BaggingRegressor",
        "the mean of copies of a learner, each fitted to a sample of the rows",
        members=("zero_regressor",),
    ),
    _classifier(
        "random_subspace",
        "openbook.ensemble:RandomSubspaceClassifier",
        "the vote of copies of a learner, each fitted to some of the columns",
        members=("naive_bayes",),
    ),
    _regressor(
        "random_subspace_regressor",
        "openbook.ensemble:RandomSubspaceRegressor",
        "the mean of copies of a learner, each fitted to some of the columns",
        members=("zero_regressor",),
    ),
    _classifier(
        "adaboost",
        "openbook.ensemble:AdaBoostClassifier",
        "each member concentrates on the errors of the previous ones",
        members=("one_r", *_TREES),
        study=(Variant("AdaBoost of stumps"),),
    ),
    _classifier(
        "gradient_boosting",
        "openbook.ensemble:GradientBoostingClassifier",
        "trees that each explain what the trees before it leave over",
        members=_TREES,
        study=(Variant("gradient boosting", _BOOSTING),),
    ),
    _regressor(
        "gradient_boosting_regressor",
        "openbook.ensemble:GradientBoostingRegressor",
        "trees that each explain what the trees before it leave over",
        members=_REGRESSION_TREES,
        study=(Variant("gradient boosting", _BOOSTING),),
    ),
    _classifier(
        "voting",
        "openbook.ensemble:VotingClassifier",
        "the majority vote of different learners",
        around=("one_r", "naive_bayes"),
        members=("one_r", "naive_bayes"),
    ),
    _regressor(
        "voting_regressor",
        "openbook.ensemble:VotingRegressor",
        "the mean of different learners",
        around=("zero_regressor",),
        members=("zero_regressor",),
    ),
    _classifier(
        "stacking",
        "openbook.ensemble:StackingClassifier",
        "different learners, combined by their out-of-fold predictions",
        around=("one_r", "naive_bayes"),
        members=("one_r", "naive_bayes"),
    ),
    _regressor(
        "stacking_regressor",
        "openbook.ensemble:StackingRegressor",
        "different learners, combined by their out-of-fold predictions",
        around=("zero_regressor",),
        members=("zero_regressor",),
    ),
    _classifier(
        "output_code",
        "openbook.ensemble:OutputCodeClassifier",
        "several classes as two-class problems that correct each other",
        around="naive_bayes",
        members=("naive_bayes",),
    ),
    _classifier(
        "one_vs_rest",
        "openbook.ensemble:OneVsRestClassifier",
        "one learner for each class against all others",
        around="naive_bayes",
        members=("naive_bayes",),
    ),
    _classifier(
        "k_neighbors",
        "openbook.neighbors:KNeighborsClassifier",
        "the majority class of the nearest rows",
        study=(Variant("nearest neighbours", most_rows=50_000),),
    ),
    _regressor(
        "k_neighbors_regressor",
        "openbook.neighbors:KNeighborsRegressor",
        "the mean of the nearest rows",
        study=(Variant("nearest neighbours", most_rows=50_000),),
    ),
    _classifier("parzen", "openbook.neighbors:ParzenClassifier", "a kernel density estimate for each class"),
    _regressor(
        "parzen_regressor",
        "openbook.neighbors:ParzenRegressor",
        "the mean of nearby rows, weighted by distance",
    ),
    _classifier(
        "logistic_regression",
        "openbook.linear:LogisticRegression",
        "the log odds are linear in the columns",
        study=(Variant("logistic regression"),),
    ),
    _classifier(
        "proportional_odds",
        "openbook.linear:ProportionalOdds",
        "one line, and a threshold between each two classes of an order",
        ordered=True,
        study=(Variant("proportional odds"),),
    ),
    _classifier("perceptron", "openbook.linear:Perceptron", "a plane that moves with every mistake"),
    _classifier(
        "linear_discriminant",
        "openbook.linear:LinearDiscriminantAnalysis",
        "normal classes with a common covariance",
        study=(Variant("linear discriminant"),),
    ),
    _classifier(
        "quadratic_discriminant",
        "openbook.linear:QuadraticDiscriminantAnalysis",
        "normal classes, each with its own covariance",
        study=(Variant("quadratic discriminant", {"shrinkage": 0.1}),),
    ),
    _classifier(
        "rocchio",
        "openbook.linear:Rocchio",
        "the class centroid with the largest cosine",
        study=(Variant("Rocchio", texts=True),),
    ),
    _classifier(
        "mlp",
        "openbook.neural:MLPClassifier",
        "layers of units, trained by backpropagation",
        study=(Variant("network", most_rows=50_000),),
    ),
    _regressor(
        "mlp_regressor",
        "openbook.neural:MLPRegressor",
        "layers of units, trained by backpropagation",
        study=(Variant("network", most_rows=50_000),),
    ),
    _classifier(
        "svc",
        "openbook.svm:SVC",
        "the boundary with the widest margin, by support vectors",
        study=(
            Variant("support vectors", most_rows=10_000),
            Variant("linear support vectors", {"kernel": "linear"}, most_rows=50_000, texts=True),
        ),
    ),
    _regressor(
        "svr",
        "openbook.svm:SVR",
        "the flattest function with most rows inside a tube",
        study=(Variant("support vectors", most_rows=10_000),),
    ),
    _regressor("kernel_ridge", "openbook.svm:KernelRidge", "ridge regression in the space of a kernel"),
    _regressor(
        "linear_regression",
        "openbook.linear:LinearRegression",
        "a weighted sum of the columns with the smallest squared error",
        study=(Variant("linear regression"),),
    ),
    _regressor(
        "ridge", "openbook.linear:Ridge", "least squares with a penalty on the squares of the coefficients"
    ),
    _regressor("lasso", "openbook.linear:Lasso", "least squares with a penalty that sets coefficients to 0"),
    _regressor(
        "elastic_net", "openbook.linear:ElasticNet", "least squares with the penalties of ridge and lasso"
    ),
)
