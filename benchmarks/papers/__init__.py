"""Benchmarks that compare the tables and figures of the four papers with our results."""
