"""Numba kernels: compiled functions that work on arrays."""
