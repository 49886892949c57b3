"""Search results of the explorer."""

from __future__ import annotations

from typing import Any

import numpy as np

from laconic.errors import LaconicError
from laconic.retrieval.hits import Hits
from laconic.web.page_data import PageData
from laconic.web.views.common import LARGEST_PAGE, NotFoundError, document_stub, passage, rounded
from laconic.web.views.documents import best_topics
from laconic.web.views.facets import Filter, check_filter, facets, select

CANDIDATES = 1_000  # number of best documents that the facets of a search count
LONGEST_QUERY = 2_000  # maximum number of characters of a query


def search_results(
    page_data: PageData,
    query: str,
    k: int = 10,
    label: str | None = None,
    topic: int | None = None,
    since: str | None = None,
    until: str | None = None,
) -> dict[str, Any]:
    """Return the documents that match best, each with a passage, its topics and its keywords.

    The conditions and the counts of the facets apply to the `CANDIDATES` best documents.
    """
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
    conditions = check_filter(page_data, Filter(label, topic, since, until))
    reader = page_data.reader
    unknown = page_data.index.unknown(query)
    try:
        found = page_data.index.candidates(query, k=min(CANDIDATES, page_data.n_documents))
        why = None if len(found.rows) else "No matching documents."
    except LaconicError as error:
        found, why = None, str(error)
    rows = np.zeros(0, np.int64) if found is None else found.rows.astype(np.int64)
    chosen = np.flatnonzero(np.isin(rows, select(page_data, rows, conditions)))
    hits = Hits() if found is None else found.hits(chosen[:k])
    return {
        "query": query,
        "total": len(chosen),
        "candidates": len(rows),
        "most": CANDIDATES,
        "facets": facets(page_data, rows, conditions),
        "hits": [
            {
                **document_stub(page_data, hit.row),
                "score": rounded(hit.score),
                "lexical": rounded(hit.lexical),
                "background": rounded(hit.background),
                "topics": best_topics(page_data, hit.row),
                "pieces": passage(hit.snippet.pieces()),
                "keywords": [(word, reader.column(word) >= 0) for word in hit.keywords],
            }
            for hit in hits
        ],
        "unknown": unknown,
        "why": why,
    }
