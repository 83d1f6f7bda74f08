"""Objects that a function gives to each of its callers: the main process changes them, workers make their own."""

from __future__ import annotations

import pytest

from harness.small import reported

TEXT = """\
import functools
from multiprocessing import Pool

@functools.lru_cache()
def settings():
    return {{"size": 1, "name": "a"}}

class Config:
    instance = None
    def __init__(self):
        self.size = 1
    @classmethod
    def get(cls):
        if cls.instance is None:
            cls.instance = cls()
        return cls.instance

def fresh():
    return {{"size": 1}}

def work(x):
    conf = {read}
    return x * conf

def main():
    {change}
    with Pool(1) as pool:
        print(pool.map(work, [1, 2]))

if __name__ == "__main__":
    main()
"""


@pytest.mark.parametrize(
    ("read", "change", "found"),
    [
        ("settings()['size']", "settings()['size'] = 7", True),
        ("settings()['size']", "conf = settings()\n    conf['size'] = 7", True),
        ("Config.get().size", "Config.get().size = 7", True),
        ("settings()['size']", "settings()['name'] = 'b'", False),
        ("settings()['size']", "print(settings()['size'])", False),
        ("fresh()['size']", "fresh()['size'] = 7", False),  # another object each time
        ("Config().size", "Config.get().size = 7", False),
    ],
)
def test_what_callers_share(read: str, change: str, found: bool) -> None:
    assert bool(reported({"train.py": TEXT.format(read=read, change=change)}, "main-guard")) is found
