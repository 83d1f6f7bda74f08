"""The text of a move: the name, the new place, the old place."""
