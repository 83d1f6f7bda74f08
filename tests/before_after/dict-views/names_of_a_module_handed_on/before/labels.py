LABELS = {"cat": 0, "dog": 1}
NAMES = LABELS.keys()
IDS = LABELS.values()
