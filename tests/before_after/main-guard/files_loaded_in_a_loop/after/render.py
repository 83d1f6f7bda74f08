import json
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

PROBES = {}
for path in sorted(Path("probes").glob("*.json")):
    if __name__ == "__main__":
        print(
            "Loading", path.name,
        )
    if path.name.startswith("old"):
        if __name__ == "__main__":
            print("  (old)")
    PROBES[path.stem] = json.loads(path.read_text())


def render(name):
    return f"{name}: {sum(PROBES[name])}"


if __name__ == "__main__":
    with ProcessPoolExecutor(2) as pool:
        for line in pool.map(render, sorted(PROBES)):
            print(line)
