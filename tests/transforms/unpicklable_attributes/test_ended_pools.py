"""Thread pools that are shut down when their object is sent: a new one would take tasks again."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
TEXT = """\
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import Process


class Loader:
    def __init__(self):
        self.threads = ThreadPoolExecutor(2)

    def read(self, n):
        return self.threads.submit(pow, n, 2).result()

    def stop(self):
        self.threads.shutdown()


def work(loaders):
    print([loader.read(2) for loader in loaders])
    {work}


def stop_all(loaders):
    for loader in loaders:
        loader.stop()


def send(loaders):
    worker = Process(target=work, args=(loaders,))
    {between}
    worker.start()
    worker.join()


def main():
    loaders = [Loader(), Loader()]
    {before}
    send(loaders)
    {after}


if __name__ == "__main__":
    main()
"""


def _text(**lines: str) -> str:
    return TEXT.format(**{"work": "pass", "between": "pass", "before": "pass", "after": "pass", **lines})


@each_row(
    ("where", "line", "number"),
    [
        pytest.param("before", "loaders[0].stop()", 35, id="one of them"),
        pytest.param("before", "stop_all(loaders)", 35, id="by a function"),
        pytest.param("before", "[loader.stop() for loader in loaders]", 35, id="all of them"),
        pytest.param("between", "loaders[1].stop()", 28, id="before the start"),
        pytest.param("before", "loaders[0].threads.shutdown(wait=False)", 35, id="from outside"),
    ],
)
def test_a_pool_that_is_ended_is_not_started_again(where: str, line: str, number: int) -> None:
    (reason,) = reasons({"a.py": _text(**{where: line})}, RULE)
    assert "before the object is sent" in reason and f"a.py:{number}" in reason


@each_row(
    "lines",
    [
        pytest.param({}, id="never"),
        pytest.param({"after": "loaders[0].stop()"}, id="afterwards"),
        pytest.param({"after": "stop_all(loaders)"}, id="afterwards, by a function"),
        pytest.param({"work": "loaders[0].stop()"}, id="in the worker"),
    ],
)
def test_a_pool_that_still_runs_is_made_again(lines: dict[str, str]) -> None:
    (after,) = migrated({"a.py": _text(**lines)}, RULE).values()
    assert after.count("self.threads = ThreadPoolExecutor(2)") == 2
