"""The value flow of the whole repository."""
