"""Densities: where rows are likely, by histogram and by kernels."""

from openbook.density.histogram import HistogramDensity
from openbook.density.kernel_density import KernelDensity

__all__ = ["HistogramDensity", "KernelDensity"]
