"""Command-line interface. Each command is a module that parses options and calls the library.

Results are written to standard output, and messages to standard error. Heavy packages (numpy and
everything built on it, rich) are imported inside the functions that need them, so that ``--help``
is instant.
"""
