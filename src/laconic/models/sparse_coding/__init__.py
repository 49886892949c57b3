"""Sparse coding: each document is a combination of a few topics."""
