"""Search results of the explorer."""

from __future__ import annotations

from typing import Any

from laconic.errors import LaconicError
from laconic.retrieval.hits import Hits
from laconic.web.page_data import PageData
from laconic.web.views.common import LARGEST_PAGE, NotFoundError, document_stub, passage, rounded

LONGEST_QUERY = 2_000  # maximum number of characters of a query


def search_results(page_data: PageData, query: str, k: int = 10) -> dict[str, Any]:
    """Return the documents that match best, each with a passage and its keywords."""
    if page_data.index is None:
        raise NotFoundError(
            "No search index was saved with this model; pass the documents with --corpus, or fit "
            "the model with an index."
        )
    if not query.strip():
        raise LaconicError("The query is empty; enter one or more words.")
    if len(query) > LONGEST_QUERY:
        raise LaconicError(
            f"The query has {len(query):,} characters; at most {LONGEST_QUERY:,} are allowed."
        )
    if not 1 <= k <= LARGEST_PAGE:
        raise LaconicError(f"k must be from 1 to {LARGEST_PAGE}; got {k}.")
    reader = page_data.reader
    unknown = page_data.index.unknown(query)
    try:
        hits = page_data.index.query(query, k=k)
        why = None if hits else "No matching documents."
    except LaconicError as error:
        hits, why = Hits(), str(error)
    return {
        "query": query,
        "hits": [
            {
                **document_stub(page_data, hit.row),
                "score": rounded(hit.score),
                "lexical": rounded(hit.lexical),
                "background": rounded(hit.background),
                "pieces": passage(hit.snippet.pieces()),
                "keywords": [(word, reader.column(word) >= 0) for word in hit.keywords],
            }
            for hit in hits
        ],
        "unknown": unknown,
        "why": why,
    }
