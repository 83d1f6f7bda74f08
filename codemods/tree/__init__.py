"""Where source comes from and where it goes to."""
