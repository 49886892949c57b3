"""URLs of the views of the explorer."""

from __future__ import annotations

VIEWS = {
    "overview": "/",
    "topic": "/topics/0",
    "documents": "/documents",
    "document": "/documents/3",
    "word": "/words/{word}",
    "search": "/search?q={word}",
    "map": "/map",
    "pictures": "/pictures",
}


def addresses(word: str = "sparse") -> dict[str, str]:
    """Return a URL for each view that exists for every model with documents."""
    return {view: address.format(word=word) for view, address in VIEWS.items()}
