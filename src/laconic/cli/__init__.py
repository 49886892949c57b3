"""Command-line interface. Each command has a file that parses options and calls the library.

Results go to standard output, everything else to standard error. Heavy packages (numpy and
everything built on it, rich) are imported inside the functions that need them, so that ``--help``
is instant.
"""
