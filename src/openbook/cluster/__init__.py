"""Groups: clusters, mixtures, densities, and how good they are."""
