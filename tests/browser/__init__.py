"""The explorer and the report in a real Chromium, as a person meets them."""
