"""Tokenise texts, count words, detect the language, cut snippets."""

from laconic.text.vectorizer import Vectorizer

__all__ = ["Vectorizer"]
