"""The models, by the name the command line calls them."""

from __future__ import annotations

from laconic.models.sparse_lsa import SparseLSA

MODELS = {"slsa": SparseLSA}

__all__ = ["MODELS", "SparseLSA"]
