"""Projections: few columns that keep most of what many say."""

from openbook.reduce.discriminant import LinearDiscriminantProjection
from openbook.reduce.pca import PCA

__all__ = ["PCA", "LinearDiscriminantProjection"]
