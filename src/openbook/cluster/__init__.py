"""Clustering and mixtures, and measures of their quality."""

from openbook.cluster.agglomerative import AgglomerativeClustering
from openbook.cluster.bisecting import BisectingKMeans
from openbook.cluster.choose import ChosenK, choose_k
from openbook.cluster.contingency import Contingency, contingency
from openbook.cluster.dbscan import DBSCAN
from openbook.cluster.dendrogram import Dendrogram
from openbook.cluster.describe import ClusterDescription, describe_clusters
from openbook.cluster.divisive import Divisive
from openbook.cluster.k_means import KMeans
from openbook.cluster.k_medoids import KMedoids
from openbook.cluster.k_modes import KModes
from openbook.cluster.k_prototypes import KPrototypes
from openbook.cluster.mixture import GaussianMixture
from openbook.cluster.quality import ClusterQuality, cluster_quality
from openbook.cluster.words import WordCluster, word_clusters
from openbook.elsewhere import look_elsewhere

__all__ = [
    "DBSCAN",
    "AgglomerativeClustering",
    "BisectingKMeans",
    "ChosenK",
    "ClusterDescription",
    "ClusterQuality",
    "Contingency",
    "Dendrogram",
    "Divisive",
    "GaussianMixture",
    "KMeans",
    "KMedoids",
    "KModes",
    "KPrototypes",
    "WordCluster",
    "choose_k",
    "cluster_quality",
    "contingency",
    "describe_clusters",
    "word_clusters",
]

__getattr__ = look_elsewhere(__name__)
