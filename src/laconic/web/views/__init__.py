"""What the page shows, as plain values: each view is a pure function of the material."""

from laconic.web.views.charts import chart, letters, themes
from laconic.web.views.common import Missing
from laconic.web.views.compare import compared
from laconic.web.views.documents import document, documents, similar_documents
from laconic.web.views.overview import overview
from laconic.web.views.search import found
from laconic.web.views.topics import all_notes, set_note, topic, topic_documents, topics_having
from laconic.web.views.words import word, words_like

__all__ = [
    "Missing",
    "all_notes",
    "chart",
    "compared",
    "document",
    "documents",
    "found",
    "letters",
    "overview",
    "set_note",
    "similar_documents",
    "themes",
    "topic",
    "topic_documents",
    "topics_having",
    "word",
    "words_like",
]
