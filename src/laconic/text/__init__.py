"""Tokenise texts, count words, detect languages and cut snippets."""

from laconic.text.vectorizer import Vectorizer

__all__ = ["Vectorizer"]
