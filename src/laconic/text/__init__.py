"""Count the words of texts; cut passages out of texts.

The estimator is imported on first use, so that a query is counted without scikit-learn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from laconic.text.vectorizer import Vectorizer

__all__ = ["Vectorizer"]


def __getattr__(name: str) -> Any:
    if name != "Vectorizer":
        raise AttributeError(f"module 'laconic.text' has no attribute {name!r}")
    from laconic.text.vectorizer import Vectorizer

    return Vectorizer
