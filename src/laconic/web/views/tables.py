"""Tables of views for export as CSV: each function turns the response of a view into rows."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Any

import numpy as np

from laconic.web.page_data import PageData
from laconic.web.views.common import document_stub, rounded
from laconic.web.views.facets import Filter, check_filter, select
from laconic.web.views.facets import sort as sorted_rows

Row = dict[str, Any]
MOST_ROWS = 100_000  # maximum number of documents in an exported table


def to_csv(rows: Iterable[Row]) -> str:
    """Return rows as CSV; the columns are the keys of the first row.

    Examples
    --------
    >>> to_csv([{"word": "a, b", "share": 0.5}])
    'word,share\\r\\n"a, b",0.5\\r\\n'
    """
    rows = iter(rows)
    first = next(rows, None)
    text = io.StringIO()
    if first is None:
        return ""
    writer = csv.DictWriter(text, list(first))
    writer.writeheader()
    writer.writerow(first)
    writer.writerows(rows)
    return text.getvalue()


def topics_table(overview: Row) -> Iterator[Row]:
    """Yield one row for each topic."""
    for rank, topic in enumerate(overview["topics"], start=1):
        yield {
            "rank": rank,
            **{name: topic[name] for name in ("topic", "name", "share", "n_documents", "n_words")},
            "group": topic["group"] if topic["group"] >= 0 else None,
            **{name: topic[name] for name in ("weak", "hidden", "note")},
            "words": " ".join(word for word, _ in topic["words"]),
        }


def words_table(topic: Row) -> Iterator[Row]:
    """Yield one row for each word of a topic."""
    for word, weight, overall in topic["words"]:
        yield {"topic": topic["topic"], "word": word, "weight": weight, "overall": overall}


def hits_table(results: Row) -> Iterator[Row]:
    """Yield one row for each document that a search has found."""
    for rank, hit in enumerate(results["hits"], start=1):
        passage = "".join(text for text, _ in hit["pieces"])
        names = ("document", "id", "title", "label", "score", "lexical", "background")
        yield {"rank": rank, **{name: hit[name] for name in names}, "passage": passage}


def topic_documents_table(page: Row) -> Iterator[Row]:
    """Yield one row for each document of a topic, with folded documents."""
    for entry in page["documents"]:
        for document in (entry, *entry["same"]):
            names = ("document", "id", "title", "label", "share", "strength")
            yield {name: document[name] for name in names}


def document_table(document: Row) -> Iterator[Row]:
    """Yield one row for each topic of a document."""
    for topic in document["topics"]:
        words = " ".join(topic["words"])
        names = ("topic", "name", "share", "weight")
        yield {
            "document": document["document"],
            **{name: topic[name] for name in names},
            "words": words,
        }


def senses_table(word: Row) -> Iterator[Row]:
    """Yield one row for each topic of a word."""
    for sense in word["senses"]:
        words = " ".join(sense["words"])
        yield {
            "word": word["word"],
            **{name: sense[name] for name in ("topic", "name", "share")},
            "words": words,
        }


def pairs_table(comparison: Row) -> Iterator[Row]:
    """Yield one row for each pair of topics of two models."""
    for pair in comparison["pairs"]:
        yield {
            "left": None if pair["left"] is None else pair["left"]["topic"],
            "right": None if pair["right"] is None else pair["right"]["topic"],
            "likeness": pair["likeness"],
            **{name: " ".join(pair[name]) for name in ("both", "left_only", "right_only")},
        }


def points_table(documents: Row) -> Iterator[Row]:
    """Yield one row for each document on the map of documents."""
    classes = documents["classes"] or [-1] * len(documents["rows"])
    names = documents["names"]
    columns = zip(
        documents["rows"], documents["x"], documents["y"], documents["topics"], classes, strict=True
    )
    for row, x, y, topic, number in columns:
        named = names[number] if number >= 0 else None
        yield {"document": row, "x": x / 10, "y": y / 10, "topic": topic, "class": named}


def documents_table(page_data: PageData, sort: str = "corpus", **conditions: Any) -> Iterator[Row]:
    """Yield one row for each document that meets the conditions, at most `MOST_ROWS`."""
    chosen = check_filter(page_data, Filter(**conditions))
    rows = select(page_data, np.arange(page_data.n_documents), chosen)
    main = page_data.main_topics
    for row in map(int, islice(sorted_rows(page_data, rows, sort), MOST_ROWS)):
        yield {
            **document_stub(page_data, row),
            "topic": int(main.topics[row]) if main.topics[row] >= 0 else None,
            "share": rounded(float(main.shares[row])),
        }


Table = Callable[[Row], Iterator[Row]]
