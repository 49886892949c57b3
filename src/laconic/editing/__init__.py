"""Edit the topics of a fitted model: merge, split, drop and keep topics, drop words, and undo."""
