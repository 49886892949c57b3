"""Numba kernels: functions of arrays that return arrays."""
