"""Full-text search that also uses the topics."""
