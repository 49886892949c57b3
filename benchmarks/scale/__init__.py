"""Benchmarks of scale: time, memory and bytes as the number of documents grows."""
