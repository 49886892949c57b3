"""From texts to tokens to counts, and passages of texts."""

from laconic.text.vectorizer import Vectorizer

__all__ = ["Vectorizer"]
