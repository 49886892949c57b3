"""Evaluate models, and compare them with each other and with other libraries."""
