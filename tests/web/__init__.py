"""Tests of the explorer and the report."""
