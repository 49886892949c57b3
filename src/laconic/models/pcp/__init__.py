"""Principal component pursuit: background topics plus keywords."""
