"""Write files and folders atomically, and check files when reading them."""
