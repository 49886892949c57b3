"""A fitted model as data: its topics, the senses of words, similar documents, notes."""
