"""Files and folders on disk: written whole or not at all, and not trusted when read."""
