"""Tests of the explorer and the report in a real Chromium, as a user sees them."""
