"""The version of spawnfix."""

__version__ = "0.2.0"
