"""Atomic writing of files and folders, and reading with checks."""
