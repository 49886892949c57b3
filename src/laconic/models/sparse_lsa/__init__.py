"""Sparse latent semantic analysis with an l1, a non-negative or a group penalty."""
