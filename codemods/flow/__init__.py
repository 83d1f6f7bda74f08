"""What crosses a process boundary: facts per file, value flow over the whole repo, boundaries as data."""
