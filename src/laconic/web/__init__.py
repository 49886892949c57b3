"""The explorer: a fitted model and its documents as a page, on this machine or in one file."""
