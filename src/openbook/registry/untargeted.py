"""Learners without a target: clusters, densities, outlier detectors, projections; and sequence models."""

from openbook.registry.entry import Entry, Untargeted, Variant

#: Learners without further settings, by task and room: the class and the summary.
_PLAIN: dict[tuple[Untargeted, str], dict[str, tuple[str, str]]] = {
    ("preparation", "prepare"): {
        "augment_images": ("AugmentImages", "copies of images, shifted, turned, flipped or brighter"),
        "augment_sounds": ("AugmentSounds", "copies of sounds, louder or shifted in time or frequency"),
        "augment_texts": ("AugmentTexts", "copies of texts with words left out, swapped or replaced"),
        "balanced_weights": ("BalancedWeights", "training rows weighed so that classes count the same"),
        "binarizer": ("Binarizer", "numbers above a threshold are 1, others 0"),
        "change_kind": ("ChangeKind", "numbers as ordinal or nominal values, ordinal values as nominal"),
        "date_parts": ("DateParts", "month, weekday and hour of dates"),
        "drop_columns": ("DropColumns", "columns left out"),
        "drop_missing": ("DropMissing", "rows or columns with missing cells left out"),
        "fences": ("Fences", "numbers outside fences clipped, or their rows left out"),
        "formula_column": ("FormulaColumn", "a new column by formula"),
        "function_transformer": (
            "FunctionTransformer",
            "a function of each number: log, square root, arctangent",
        ),
        "iterative_imputer": ("IterativeImputer", "missing cells predicted by a model for each column"),
        "jitter": ("Jitter", "copies of training rows with noise on their numbers"),
        "k_bins_discretizer": ("KBinsDiscretizer", "numbers cut into intervals"),
        "knn_imputer": ("KNNImputer", "missing cells filled from the nearest rows"),
        "max_abs_scaler": ("MaxAbsScaler", "numbers divided by the largest size of their column"),
        "min_max_scaler": ("MinMaxScaler", "numbers moved and stretched to a range"),
        "missing_indicator": ("MissingIndicator", "a 0/1 column for the missing cells of each column"),
        "mixup": ("Mixup", "mixtures of training rows"),
        "noisy_rows": ("NoisyRows", "training rows left out that their neighbours contradict"),
        "normalizer": ("Normalizer", "the numbers of each row divided by its length"),
        "one_hot_encoder": ("OneHotEncoder", "a 0/1 column for each value"),
        "ordinal_encoder": ("OrdinalEncoder", "ordinal values as numbers from 0 on"),
        "polynomial_features": ("PolynomialFeatures", "products and powers of numbers"),
        "power_transformer": ("PowerTransformer", "the power that makes numbers most normal"),
        "quantile_transformer": ("QuantileTransformer", "the rank of a number among the training rows"),
        "radial_features": ("RadialFeatures", "radial basis functions in place of numbers"),
        "random_over_sampler": ("RandomOverSampler", "training rows of small classes drawn again"),
        "random_under_sampler": ("RandomUnderSampler", "training rows of large classes left out"),
        "rare_values": ("RareValues", "rare values of nominal columns pooled into one"),
        "robust_scaler": ("RobustScaler", "numbers minus their median, by the distance of the quartiles"),
        "row_rule": ("RowRule", "training rows that break a rule left out"),
        "select_words": ("SelectWords", "the words of texts that tell most of the target"),
        "sample_rows": ("SampleRows", "training rows drawn at random"),
        "sigmoid_features": ("SigmoidFeatures", "sigmoid basis functions in place of numbers"),
        "simple_imputer": (
            "SimpleImputer",
            "missing cells filled by the mean, median or mode of their column",
        ),
        "smote": ("SMOTE", "new training rows of small classes, between near rows"),
        "target_encoder": ("TargetEncoder", "the mean of the target in place of a value"),
        "turning_point": ("TurningPoint", "the distance from the turning point of a U shape"),
        "standard_scaler": ("StandardScaler", "z-scores: mean 0 and standard deviation 1"),
    },
    ("text", "prepare"): {"bag_of_words": ("BagOfWords", "a column for each word of texts")},
    ("projection", "neural"): {
        "autoencoder": ("Autoencoder", "the narrow layer of a network that reproduces its input")
    },
    ("projection", "reduce"): {
        "pca": ("PCA", "the directions of largest variance"),
        "truncated_svd": ("TruncatedSVD", "few directions of many columns, sparse ones and words of texts"),
        "discriminant_projection": (
            "LinearDiscriminantProjection",
            "the directions that best separate the classes",
        ),
    },
    ("clustering", "cluster"): {
        "gaussian_mixture": ("GaussianMixture", "overlapping clusters, each a normal distribution"),
        "k_means": ("KMeans", "each row in the cluster with the nearest mean"),
        "k_modes": ("KModes", "each row in the cluster with the most similar mode"),
        "k_prototypes": ("KPrototypes", "means for numbers and modes for categories"),
        "k_medoids": ("KMedoids", "each row in the cluster with the nearest representative row"),
        "bisecting_k_means": ("BisectingKMeans", "clusters repeatedly split in two by k-means"),
        "agglomerative": ("AgglomerativeClustering", "the two nearest clusters are merged repeatedly"),
        "divisive": ("Divisive", "the widest cluster is split repeatedly"),
        "dbscan": ("DBSCAN", "dense clusters of any shape, and noise"),
    },
    ("density", "network"): {"belief_network": ("BeliefNetwork", "a graph of probability tables")},
    ("density", "density"): {
        "histogram_density": ("HistogramDensity", "the share of the rows in a cell, divided by its volume"),
        "kernel_density": ("KernelDensity", "a kernel around every row"),
    },
    ("sequence", "sequence"): {
        "hidden_markov": (
            "HiddenMarkov",
            "hidden states that follow one another, each with its own distribution of rows",
        )
    },
    ("outliers", "outlier"): {
        "z_score": ("ZScore", "a number many standard deviations from the mean"),
        "box_fences": ("BoxFences", "a number beyond the fences of a box plot"),
        "grubbs": ("Grubbs", "a number that Grubbs' test rejects"),
        "mahalanobis": ("Mahalanobis", "far from the centre, relative to the covariance"),
        "likelihood_mixture": ("LikelihoodMixture", "more likely under a uniform distribution of outliers"),
        "naive_bayes_surprise": ("NaiveBayesSurprise", "improbable cells, each by itself"),
        "neighbour_distance": ("NeighbourDistance", "far from its k-th nearest row"),
        "radius_count": ("RadiusCount", "few rows within a radius"),
        "inverse_density": ("InverseDensity", "low density around the row"),
        "relative_density": ("RelativeDensity", "a lower density than its nearest rows"),
        "lof": ("LocalOutlierFactor", "a lower local reachability density than its nearest rows"),
        "centroid_distance": ("CentroidDistance", "far from the centre of every cluster"),
        "objective_gain": ("ObjectiveGain", "the clusters are tighter without it"),
        "small_clusters": ("SmallClusters", "in a small cluster far from the large ones"),
        "isolation_forest": ("IsolationForest", "isolated by few random splits"),
        "isolation_limits": (
            "IsolationLimits",
            "isolated by few random splits, or far outside a column's limits",
        ),
        "contextual": ("Contextual", "unusual in its context"),
        "collective": ("Collective", "part of an unusual group or sequence"),
    },
}

UNTARGETED = (
    *(
        Entry(name, f"openbook.{room}:{cls}", summary, task)
        for (task, room), own in _PLAIN.items()
        for name, (cls, summary) in own.items()
    ),
    Entry(
        "hidden_markov_classifier",
        "openbook.sequence:HiddenMarkovClassifier",
        "naive Bayes for rows in order: each label depends on the one before",
        "sequence",
        study=(Variant("hidden Markov model", most_rows=200_000),),
    ),
    Entry(
        "conditional_random_field",
        "openbook.sequence:ConditionalRandomField",
        "labels of rows in order, by features of the row and its neighbours and by the label before",
        "sequence",
        study=(
            Variant("random field, row by row", {"alone": True}, most_rows=200_000),
            Variant("conditional random field", most_rows=200_000),
        ),
    ),
    Entry(
        "zero_labels",
        "openbook.baseline:ZeroLabels",
        "always the same set of labels",
        "multilabel",
        baseline=True,
        study=(
            Variant("0R, most frequent set"),
            Variant("0R, majority of each label", {"strategy": "majority"}),
            Variant("0R, best by F1", {"strategy": "f1"}),
            Variant("0R, every label", {"strategy": "every"}),
        ),
    ),
    Entry(
        "binary_relevance",
        "openbook.multilabel:MultiOutputClassifier",
        "a classifier for each label",
        "multilabel",
        around="naive_bayes",
        # thresholds are tuned by rows that were not seen, so decisions need not be probabilities
        tried_around={
            "naive_bayes": {},
            "logistic_regression": {},
            "svc": {"calibrate": None},
            "k_neighbors": {},
            "cart": {},
        },
        study=(Variant("binary relevance", {"thresholds": "f1"}),),
    ),
    Entry(
        "classifier_chain",
        "openbook.multilabel:ClassifierChain",
        "a classifier for each label, which sees the labels before it",
        "multilabel",
        around="naive_bayes",
        tried_around={"naive_bayes": {}, "logistic_regression": {}},
        study=(Variant("classifier chain", {"thresholds": "f1"}),),
    ),
    Entry(
        "label_powerset",
        "openbook.multilabel:LabelPowerset",
        "a class for each set of labels",
        "multilabel",
        around="naive_bayes",
        tried_around={"naive_bayes": {}, "logistic_regression": {}, "k_neighbors": {}},
        study=(Variant("label powerset"),),
    ),
)
