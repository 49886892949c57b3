"""Tests of the benchmarks of scale."""
