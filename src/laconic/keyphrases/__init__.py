"""The keywords that set a document apart."""
