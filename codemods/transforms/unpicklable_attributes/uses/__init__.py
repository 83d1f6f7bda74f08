"""What programs do with the objects and with what they keep, before and after they cross."""
