"""Views of a fitted model: topics, word senses, similar documents, notes."""
