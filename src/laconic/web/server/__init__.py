"""The HTTP server of the explorer."""
