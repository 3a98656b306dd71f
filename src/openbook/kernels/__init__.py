"""Numba kernels: plain loops over arrays, single-threaded, without the lock; `fold` runs them side by side."""
