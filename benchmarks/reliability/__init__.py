"""Kill, damage and fuzz laconic, and count what breaks."""
