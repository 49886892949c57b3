"""Weights of words in documents, for models that do not fit counts."""

from laconic.weighting.transformer import SCHEMES, Weighting, Weights, learn_scale

__all__ = ["SCHEMES", "Weighting", "Weights", "learn_scale"]
