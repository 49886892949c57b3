"""Sparse topical coding (STC) and its max-margin classifier (MedSTC)."""
