"""What a descriptor keeps beside the objects does not come along with them."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
from multiprocessing import Process
from weakref import WeakKeyDictionary

table = WeakKeyDictionary()


class Kept:
    shared = {{}}

    def __init__(self):
        self.values = WeakKeyDictionary()

    def __get__(self, obj, owner):
        return {got}

    def __set__(self, obj, value):
        {set}


class Job:
    rate = Kept()

    def __init__(self, rate):
        {made}

    def run(self):
        print({read})


if __name__ == "__main__":
    Process(target=Job(3).run).start()
"""


@each_row(
    ("got", "set_", "made", "read", "found"),
    [
        ("self.values[obj]", "self.values[obj] = value", "self.rate = rate", "self.rate", True),
        ("self.values.get(obj)", "self.values.setdefault(obj, value)", "self.rate = rate", "self.rate", True),
        ("self.shared[id(obj)]", "self.shared[id(obj)] = value", "self.rate = rate", "self.rate", True),
        ("self.values[obj]", "self.values[obj] = value", "self.other = rate", "self.rate", False),
        ("self.values[obj]", "self.values[obj] = value", "self.rate = rate", "self.other", False),
        ("obj.__dict__['rate']", "obj.__dict__['rate'] = value", "self.rate = rate", "self.rate", False),
        ("obj._rate", "obj._rate = value", "self.rate = rate", "self.rate", False),
        ("obj._rate", "setattr(obj, '_rate', value)", "self.rate = rate", "self.rate", False),
        ("3", "print(value)", "self.rate = rate", "self.rate", False),
    ],
)
def test_where_the_values_are(got: str, set_: str, made: str, read: str, found: bool) -> None:
    findings = reported({"a.py": TEXT.format(got=got, set=set_, made=made, read=read)}, "main-guard")
    assert bool(findings) == found
    if found and "shared" not in got:
        assert "what `Kept` keeps beside the objects" in findings[0].message
        assert "keep the value on the object itself" in (findings[0].reason or "")
