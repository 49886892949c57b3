"""Built-in datasets: docstrings of installed packages, and synthetic documents."""

from laconic.datasets.planted import PlantedTopics, make_topics
from laconic.datasets.pydocs import SETTINGS, load_pydocs

__all__ = ["SETTINGS", "PlantedTopics", "load_pydocs", "make_topics"]
