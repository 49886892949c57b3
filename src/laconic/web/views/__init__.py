"""Views of the explorer: functions that return JSON-serialisable data from a `PageData`."""

from laconic.web.views.charts import chart, letters, themes
from laconic.web.views.common import NotFoundError
from laconic.web.views.compare import comparison
from laconic.web.views.document_map import document_map
from laconic.web.views.documents import document, documents, similar_documents, some_documents
from laconic.web.views.edits import make_edit, preview_edit
from laconic.web.views.intrusion import answer_intrusion, intrusion
from laconic.web.views.map import topic_map, topic_words
from laconic.web.views.overview import overview
from laconic.web.views.search import search_results
from laconic.web.views.topics import all_notes, set_note, topic, topic_documents, topics_with_word
from laconic.web.views.tree import tree
from laconic.web.views.words import word, words_like

__all__ = [
    "NotFoundError",
    "all_notes",
    "answer_intrusion",
    "chart",
    "comparison",
    "document",
    "document_map",
    "documents",
    "intrusion",
    "letters",
    "make_edit",
    "overview",
    "preview_edit",
    "search_results",
    "set_note",
    "similar_documents",
    "some_documents",
    "themes",
    "topic",
    "topic_documents",
    "topic_map",
    "topic_words",
    "topics_with_word",
    "tree",
    "word",
    "words_like",
]
