def describe(steps):
    return " -> ".join(step.__name__ for step in steps)
