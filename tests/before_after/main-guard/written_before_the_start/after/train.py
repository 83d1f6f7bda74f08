import json
from concurrent.futures import ProcessPoolExecutor

CONFIG = {"width": 3, "seeds": [1, 2, 3]}


def log(**values):
    with open("log.txt", "a") as file:
        file.write(json.dumps(values) + "\n")


def score(seed):
    return seed * CONFIG["width"]


if __name__ == "__main__":
    log(config=CONFIG)
    total = sum(CONFIG["seeds"])

    print("scoring", len(CONFIG["seeds"]))
    with ProcessPoolExecutor(2) as executor:
        scores = list(executor.map(score, CONFIG["seeds"]))
    log(scores=scores, total=total)
