"""Saved models: folders of plain JSON and arrays."""
