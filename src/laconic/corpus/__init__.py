"""Documents as counts of words, in memory or on disk."""

from laconic.corpus.corpus import Corpus, Document, Vocabulary

__all__ = ["Corpus", "Document", "Vocabulary"]
