"""Projections: principal components and linear discriminants."""

from openbook.reduce.discriminant import LinearDiscriminantProjection
from openbook.reduce.pca import PCA

__all__ = ["PCA", "LinearDiscriminantProjection"]
