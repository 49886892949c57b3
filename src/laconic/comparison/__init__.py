"""Models side by side: this library's and its peers', fitted and measured the same way."""
