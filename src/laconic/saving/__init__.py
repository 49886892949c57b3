"""Saving and loading of models as folders of plain JSON and arrays."""
