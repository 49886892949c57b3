"""The command line: one command in each file, which parses, calls public functions and prints.

Results go to standard output, everything else to standard error. Whatever is heavy (numpy and all
that stands on it, rich) is imported inside the functions that need it, so that help is instant.
"""
