"""Kernels, which are functions on arrays that numba compiles."""
