"""An address of each view of the explorer."""

from __future__ import annotations

VIEWS = {
    "overview": "/",
    "topic": "/topics/0",
    "documents": "/documents",
    "document": "/documents/3",
    "word": "/words/{word}",
    "search": "/search?q={word}",
    "pictures": "/pictures",
}


def addresses(word: str = "sparse") -> dict[str, str]:
    """Address of each view that every model with documents has."""
    return {view: address.format(word=word) for view, address in VIEWS.items()}
