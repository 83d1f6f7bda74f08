"""Events and caches that are used below a start of workers, and there when the same object is sent once more."""

from __future__ import annotations

import pytest

from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
EVENT = """\
import multiprocessing
import threading


class Control:
    def __init__(self):
        self.stop = threading.Event()

    def halts(self):
        return self.stop.is_set()


def work(control):
    return control.halts()


"""
CACHE = """\
import functools
import multiprocessing


class Area:
    def __init__(self):
        self.calls = 0
        self.get = functools.lru_cache(8)(self._get)

    def _get(self, at):
        self.calls += 1
        return at


def work(area):
    return area.get(1)


"""
PLACES = {
    "loop": """\
if __name__ == "__main__":
    one = Made()
    for _ in range(2):
        process = multiprocessing.Process(target=work, args=(one,))
        process.start()
        process.join()
        USE
""",
    "while, only the first time anew": """\
if __name__ == "__main__":
    one = None
    while True:
        if one is None:
            one = Made()
        process = multiprocessing.Process(target=work, args=(one,))
        process.start()
        process.join()
        USE
""",
    "between the process and its start": """\
if __name__ == "__main__":
    one = Made()
    process = multiprocessing.Process(target=work, args=(one,))
    USE
    process.start()
""",
    "loop of the starts": """\
if __name__ == "__main__":
    one = Made()
    processes = [multiprocessing.Process(target=work, args=(one,)) for _ in range(2)]
    for process in processes:
        process.start()
        USE
""",
    "function with a parameter": """\
def run(one):
    process = multiprocessing.Process(target=work, args=(one,))
    process.start()
    process.join()
    USE


if __name__ == "__main__":
    one = Made()
    for _ in range(2):
        run(one)
""",
    "function, object of the module": """\
one = Made()


def run():
    process = multiprocessing.Process(target=work, args=(one,))
    process.start()
    process.join()
    USE


if __name__ == "__main__":
    run()
    run()
""",
}
ONCE = {
    "below": """\
if __name__ == "__main__":
    one = Made()
    process = multiprocessing.Process(target=work, args=(one,))
    process.start()
    process.join()
    USE
    print(one.calls)
""",
    "anew each turn": """\
if __name__ == "__main__":
    for _ in range(2):
        one = Made()
        process = multiprocessing.Process(target=work, args=(one,))
        process.start()
        process.join()
        USE
""",
}


def _event(place: str) -> dict[str, str]:
    return {"run.py": EVENT + place.replace("Made", "Control").replace("USE", "one.stop.set()")}


def _cache(place: str) -> dict[str, str]:
    return {"run.py": CACHE + place.replace("Made", "Area").replace("USE", "one.get(2)")}


@pytest.mark.parametrize("place", PLACES)
def test_the_next_start_sends_it_set(place: str) -> None:
    assert 'state["stop"] = self.stop.is_set()' in migrated(_event(PLACES[place]), RULE)["run.py"]


@pytest.mark.parametrize("place", PLACES)
def test_the_next_start_sends_it_called(place: str) -> None:
    (reason,) = reasons(_cache(PLACES[place]), RULE)
    assert reason.startswith("it is called before the object is sent")


@pytest.mark.parametrize("place", ONCE)
def test_no_other_start_sends_it(place: str) -> None:
    assert 'del state["stop"]' in migrated(_event(ONCE[place]), RULE)["run.py"]
    assert 'del state["get"]' in migrated(_cache(ONCE[place]), RULE)["run.py"]
