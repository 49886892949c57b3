"""Probabilistic latent semantic analysis."""
