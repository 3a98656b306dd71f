"""Densities: where rows are likely, by histogram and by kernels."""

from openbook.density.histogram import HistogramDensity
from openbook.density.kernel_density import KernelDensity
from openbook.elsewhere import look_elsewhere

__all__ = ["HistogramDensity", "KernelDensity"]

__getattr__ = look_elsewhere(__name__)
