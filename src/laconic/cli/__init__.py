"""Command-line interface: one file per command, which parses options, calls the library and prints.

Results go to standard output, everything else to standard error. Heavy packages (numpy and
everything built on it, rich) are imported inside the functions that need them, so ``--help`` is
instant.
"""
