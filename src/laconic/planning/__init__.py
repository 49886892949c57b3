"""Estimate time, memory and disk space of a fit before it runs."""
