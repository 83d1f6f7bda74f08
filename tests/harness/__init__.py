"""What the tests under `before_after/` share: reading a case, running its program for real, comparing trees."""
