"""What learns without a target: groups, densities, oddities, projections."""

from openbook.registry.entry import Entry

__all__ = ["UNTARGETED"]

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

UNTARGETED = (
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
