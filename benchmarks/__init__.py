"""Benchmarks of speed, size and quality of laconic, compared with other libraries.

``python -m benchmarks list`` lists the benchmarks, and ``python -m benchmarks run NAME`` runs the
benchmark NAME.
"""
