"""Tests of the command line. This package keeps its conftest.py apart from tests/conftest.py."""
