cfg = {"scale": 1, "name": "rows"}
