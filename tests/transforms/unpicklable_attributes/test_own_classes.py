"""Own classes below one of a library, whose objects change as they are used; and attributes that are descriptors."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
HANDLER = """\
import logging
import pickle

LOG = logging.getLogger("run")


class Lines(logging.Handler):
    def __init__(self, limit):
        super().__init__()
        self.limit, self.lines, self.seen = limit, [], {{}}

    def emit(self, record):
        {body}


class Monitor:
    def __init__(self):
        self.handler = Lines(3)


pickle.dumps(Monitor())
"""
CHANGES = [
    "self.lines.append(record)", "self.lines += [record]", "self.last = record", "self.seen[record] = 1",
    "del self.lines[0]", "self.limit += 1",
]  # fmt: skip


@each_row("body", CHANGES)
def test_a_handler_that_keeps_what_it_got_is_not_made_again(body: str) -> None:
    *_, reason = reasons({"a.py": HANDLER.format(body=body)}, RULE)
    assert reason.startswith("`Lines.emit` changes the object (line 13), and a new one would not have that: ")


@pytest.mark.parametrize("body", ["print(self.limit)", "record.lines.append(1)", "lines = self.lines[0]"])
def test_a_handler_that_keeps_nothing(body: str) -> None:
    after = migrated({"a.py": HANDLER.format(body=body)}, RULE)["a.py"]
    assert after.count("self.handler = Lines(3)") == 2


FILTERED = """\
import logging
import pickle


class Few(logging.Filter):
    def __init__(self):
        super().__init__()
        self.seen = 0

    def filter(self, record):
        {body}


class Monitor:
    def __init__(self):
        self.handler = logging.StreamHandler()
        self.handler.addFilter(Few())


pickle.dumps(Monitor())
"""


def test_a_filter_that_counts_is_not_made_again_with_its_handler() -> None:
    *_, reason = reasons({"a.py": FILTERED.format(body="self.seen += 1")}, RULE)
    assert reason.startswith("`Few.filter` changes the object (line 11), and a new one would not have that: ")
    after = migrated({"a.py": FILTERED.format(body="return self.seen < 3")}, RULE)["a.py"]
    assert after.count("self.handler.addFilter(Few())") == 2


JOINED_LATER = """\
import logging
import pickle


class Monitor:
    def __init__(self):
        self.handler = logging.StreamHandler()
        self.logger = logging.getLogger("run")
        {sets}

    def begin(self):
        self.logger.addHandler(self.handler)


pickle.dumps(Monitor())
"""


def test_a_logger_that_gets_its_handler_later_is_set_up_in_one_process_only() -> None:
    *_, reason = reasons({"a.py": JOINED_LATER.format(sets="self.logger.propagate = False")}, RULE)
    assert reason.startswith("line 9 sets up the logger `self.logger`, which another process would not have; ")
    after = migrated({"a.py": JOINED_LATER.format(sets="self.other = 1")}, RULE)["a.py"]
    assert after.count("self.handler = logging.StreamHandler()") == 2


DESCRIPTOR = """\
import pickle
import threading


class Tracked:
    def __set_name__(self, owner, name):
        self.slot = "_tracked_" + name

    def __get__(self, instance, owner=None):
        return instance.__dict__[self.slot]

    def {setter}(self, instance, value):
        instance.__dict__[self.slot] = value


class Buffer:
    lock = Tracked()
    other = 1

    def __init__(self):
        self.{name} = threading.Lock()


pickle.dumps(Buffer())
"""


def test_a_descriptor_says_where_the_value_is_kept() -> None:
    (reason,) = reasons({"a.py": DESCRIPTOR.format(setter="__set__", name="lock")}, RULE)
    assert reason.startswith("`lock` is a descriptor of the class (line 17), which says where the value is kept")


@pytest.mark.parametrize(("setter", "name"), [("set", "lock"), ("__set__", "other")])
def test_an_attribute_that_is_none(setter: str, name: str) -> None:
    after = migrated({"a.py": DESCRIPTOR.format(setter=setter, name=name)}, RULE)["a.py"]
    assert after.count(f"self.{name} = threading.Lock()") == 2


GUARDED = """\
import pickle
import threading


class Base:
    {base}


class Job(Base):
    def __init__(self):
        self.lock = threading.Lock()


pickle.dumps(Job())
"""
SETTER = """\
@property
    def lock(self):
        return self.kept

    @lock.setter
    def lock(self, value):
        self.kept = value"""


@pytest.mark.parametrize("base", [SETTER, "lock = property(lambda self: self.kept, lambda self, value: None)"])
def test_a_property_keeps_it_elsewhere(base: str) -> None:
    (reason,) = reasons({"run.py": GUARDED.format(base=base)}, RULE)
    assert reason.startswith("`lock` is a property of the class (line ")


def test_a_property_of_another_name() -> None:
    text = migrated({"run.py": GUARDED.format(base=SETTER.replace("lock", "door"))}, RULE)["run.py"]
    assert 'del state["lock"]' in text


def test_objects_that_share_their_dict() -> None:
    text = (
        "import pickle\nimport threading\n\n\nclass Shared:\n    kept = {}\n\n    def __init__(self):\n"
        "        self.__dict__ = self.kept\n        self.lock = threading.Lock()\n\n\npickle.dumps(Shared())\n"
    )
    (reason,) = reasons({"run.py": text}, RULE)
    assert reason.startswith("line 9 puts another dict in the place of `self.__dict__`")


MADE = [
    "memoryview(b'ab')",
    "memoryview(b'abcd').cast('i')",
    "memoryview(b'abcd')[1:3]",
    "hmac.new(b'a', digestmod='md5')",
    "contextvars.ContextVar('a')",
    "zlib.compressobj()",
]


@each_row("made", MADE)
def test_what_is_reported_only(made: str) -> None:
    text = GUARDED.replace("import pickle\n", "import contextvars\nimport hmac\nimport pickle\nimport zlib\n")
    text = text.replace("threading.Lock()", made).format(base="pass")
    assert reasons({"run.py": text}, RULE) != []
