"""Sample files for the code of the pages.

Each module whose name does not start with an underscore writes one file or folder: `NAME` is its
name as it occurs on pages, and `write(path)` writes it.
"""
