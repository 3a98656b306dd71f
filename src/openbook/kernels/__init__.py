"""Numba kernels: plain loops over arrays, single-threaded, lock released; `fold` runs them side by side."""
