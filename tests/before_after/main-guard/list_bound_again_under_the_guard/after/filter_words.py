import json
from concurrent.futures import ProcessPoolExecutor

blocked = []
limit = 10


def _init_worker(value):
    global blocked
    blocked = value


def is_blocked(text):
    for word in blocked:
        if word in text:
            return True
    return len(text) > limit


if __name__ == "__main__":
    with open("words.json") as file:
        blocked = json.load(file)
    limit = 10
    texts = ["spam", "ham", "eggs"]
    with ProcessPoolExecutor(2, initializer=_init_worker, initargs=(blocked,)) as executor:
        found = list(executor.map(is_blocked, texts))
    print(f"kept: {found.count(False)}")
