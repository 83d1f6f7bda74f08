"""What rules share to write code: scopes, captures, imports, names, placement. Nothing here finds hazards."""
