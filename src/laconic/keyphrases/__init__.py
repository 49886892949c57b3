"""Keyword extraction: the words and phrases that distinguish a document."""
