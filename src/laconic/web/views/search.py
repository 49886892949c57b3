"""Documents that fit a query."""

from __future__ import annotations

from typing import Any

from laconic.errors import LaconicError
from laconic.web.page_data import PageData
from laconic.web.views.common import LARGEST_PAGE, Missing, document_stub, passage, rounded

LONGEST_QUERY = 2_000  # characters of a query


def found(material: PageData, query: str, k: int = 10) -> dict[str, Any]:
    """The best documents with a passage and keywords of each."""
    if material.index is None:
        raise Missing(
            "No search index is kept with this model; name the documents with --corpus, or fit it "
            "with an index."
        )
    if not query.strip():
        raise LaconicError("The query is empty; give a word or a question.")
    if len(query) > LONGEST_QUERY:
        raise LaconicError(f"A query has at most {LONGEST_QUERY:,} characters; got {len(query):,}.")
    if not 1 <= k <= LARGEST_PAGE:
        raise LaconicError(f"k must be from 1 to {LARGEST_PAGE}; got {k}.")
    reader = material.reader
    unknown = material.index.unknown(query)
    try:
        hits = material.index.query(query, k=k)
        why = None if hits else "No document fits."
    except LaconicError as error:
        hits, why = [], str(error)
    return {
        "query": query,
        "hits": [
            {
                **document_stub(material, hit.row),
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
