"""Sparse coding: documents of few topics, topics of unit length."""
