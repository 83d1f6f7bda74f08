LABELS = {"cat": 0, "dog": 1}
NAMES = list(LABELS.keys())
IDS = LABELS.values()
