"""Writing the guard: what goes below it, what stays above it, and how workers get what stands below it."""
