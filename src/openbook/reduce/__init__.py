"""Projections: principal components, singular vectors and linear discriminants."""

from openbook.elsewhere import look_elsewhere
from openbook.reduce.discriminant import LinearDiscriminantProjection
from openbook.reduce.pca import PCA
from openbook.reduce.truncated_svd import TruncatedSVD

__all__ = ["PCA", "LinearDiscriminantProjection", "TruncatedSVD"]

__getattr__ = look_elsewhere(__name__)
