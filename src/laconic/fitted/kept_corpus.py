"""Corpus of the documents that were saved with a model, counted again from their texts."""

from __future__ import annotations

from laconic.corpus.corpus import Corpus
from laconic.errors import LaconicError
from laconic.fitted.documents import COLUMNS
from laconic.fitted.model import TopicView
from laconic.fitted.pipeline_steps import steps_of


def kept_corpus(view: TopicView) -> Corpus | None:
    """Return the documents saved with a model as a Corpus with texts and the words of the model.

    Return None if no texts were saved, or if the model cannot count the words of texts.
    """
    documents = view.documents
    saved = None if documents is None or not documents.has_index else documents.index.texts
    if documents is None or saved is None or not view.is_pipeline:
        return None
    texts = [text or "" for text in saved]
    try:
        counted = steps_of(view.model)[0].transform(texts)
    except (AttributeError, LaconicError):
        # the first step is not a vectoriser, or the tokenizer of the vectoriser was not saved
        return None
    if not isinstance(counted, Corpus):
        return None
    columns = {name: getattr(documents, name) for name in COLUMNS}
    metadata = {
        name: None if names is None else [names[row] for row in range(len(texts))]
        for name, names in columns.items()
    }
    return Corpus(
        counted.counts, counted.vocabulary, texts=texts, vectorizer=counted.vectorizer, **metadata
    )
