"""Groups: clusters, mixtures, densities, and how good they are."""

from openbook.cluster.bisecting import BisectingKMeans
from openbook.cluster.k_means import KMeans
from openbook.cluster.k_medoids import KMedoids
from openbook.cluster.k_modes import KModes
from openbook.cluster.k_prototypes import KPrototypes

__all__ = ["BisectingKMeans", "KMeans", "KMedoids", "KModes", "KPrototypes"]
