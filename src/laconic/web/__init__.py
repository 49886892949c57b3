"""Web explorer of a fitted model and its documents, and the HTML report."""
