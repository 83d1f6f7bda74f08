"""What the rules share when they write code: scopes and captures, imports, names, placement. Nothing here finds hazards."""
