"""Full-text search by words (BM25) and topics."""
