"""Sparse latent semantic analysis: l1, non-negative and group-structured."""
