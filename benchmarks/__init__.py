"""How fast, how small and how good laconic is, measured beside its peers.

``python -m benchmarks list`` names the benchmarks, ``python -m benchmarks run NAME`` runs one.
"""
