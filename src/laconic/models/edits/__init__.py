"""Edits of a fitted model: what they change, how they are undone, and how documents are coded."""
