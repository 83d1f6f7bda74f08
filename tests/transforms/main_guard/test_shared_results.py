"""Objects that a function gives to each of its callers: the main process changes them, workers make their own."""

from __future__ import annotations

import pytest

from harness.main_changes import is_reported

MADE = """\
@functools.lru_cache()
def settings():
    return {"size": 1, "name": "a"}

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
    return {"size": 1}"""


@pytest.mark.parametrize(
    ("read", "change", "found"),
    [
        ("settings()['size']", "settings()['size'] = 7", True),
        ("settings()['size']", "conf = settings()\nconf['size'] = 7", True),
        ("Config.get().size", "Config.get().size = 7", True),
        ("settings()['size']", "settings()['name'] = 'b'", False),
        ("settings()['size']", "print(settings()['size'])", False),
        ("fresh()['size']", "fresh()['size'] = 7", False),  # another object each time
        ("Config().size", "Config.get().size = 7", False),
    ],
)
def test_what_callers_share(read: str, change: str, found: bool) -> None:
    assert is_reported(MADE, f"x * {read}", change) is found
