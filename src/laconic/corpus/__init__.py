"""Corpus: word counts of documents, in memory or on disk."""

from laconic.corpus.corpus import Corpus, Document
from laconic.corpus.vocabulary import Vocabulary

__all__ = ["Corpus", "Document", "Vocabulary"]
