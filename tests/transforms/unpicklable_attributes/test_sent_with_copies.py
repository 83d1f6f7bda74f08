"""Objects that share a lock or the like with a copy of them: sent together, each would get one of its own."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons

RULE = "unpicklable-attributes"
PROGRAM = """\
import copy
import dataclasses
import queue
import threading
from multiprocessing import Process


{decorator}class Box:
    {body}

    def twin(self):
        return copy.copy(self)

    def raw(self):
        new = object.__new__(type(self))
        new.__dict__.update(self.__dict__)
        return new


class Pair:
    def __init__(self, box):
        self.box, self.other = box, copy.copy(box)


def work(*boxes):
    print({worked})


if __name__ == "__main__":
    a = Box("a")
    {sent}
"""
CLASS = "def __init__(self, name):\n        self.name = name\n        self.lock = "
FIELD = "name: str\n    lock: object = dataclasses.field(default_factory=threading.Lock)"
LATER = "name: str\n\n    def __post_init__(self):\n        self.lock = threading.Lock()"
TAKEN_OVER = "        new.__dict__.update(self.__dict__)\n"
FORMS = {
    "a lock": ("", CLASS + "threading.Lock()"),
    "an event": ("", CLASS + "threading.Event()"),
    "a queue": ("", CLASS + "queue.Queue()"),
    "a field": ("@dataclasses.dataclass\n", FIELD),
    "set later": ("@dataclasses.dataclass\n", LATER),
}


def _program(form: str, sent: str, worked: str) -> str:
    decorator, body = FORMS[form]
    return PROGRAM.format(decorator=decorator, body=body, sent=sent, worked=worked)


@each_row(
    ("form", "sent"),
    [
        ("a lock", "Process(target=work, args=(a, copy.copy(a))).start()"),
        ("an event", "Process(target=work, args=([a, a.twin()],)).start()"),
        ("a queue", "b = a.twin()\n    Process(target=work, args=(a,), kwargs={'other': b}).start()"),
        ("a lock", "Process(target=work, args=([copy.copy(a) for _ in range(2)],)).start()"),
        ("a lock", "Process(target=work, args=(Pair(a),)).start()"),
        ("a lock", "Process(target=work, args=(a, a.raw())).start()"),
        ("a field", "Process(target=work, args=(a, dataclasses.replace(a, name='b'))).start()"),
    ],
)
def test_the_two_are_sent_together(form: str, sent: str) -> None:
    (reason,) = reasons({"run.py": _program(form, sent, "boxes[0].name")}, RULE)
    assert "makes a copy of the object that shares it, and the two may be sent together" in reason


@each_row(
    ("form", "sent"),
    [
        ("a lock", "Process(target=work, args=(a,)).start()\n    Process(target=work, args=(copy.copy(a),)).start()"),
        ("an event", "for box in (a, copy.copy(a)):\n        Process(target=work, args=(box,)).start()"),
        ("a lock", "for _ in range(2):\n        Process(target=work, args=(a.twin(),)).start()"),
        ("a lock", "Process(target=work, args=(a, Box('b'))).start()"),
        ("a lock", "b = a.twin()\n    Process(target=work, args=(a, b.name)).start()"),
        ("set later", "Process(target=work, args=(a, dataclasses.replace(a, name='b'))).start()"),
    ],
)
def test_each_has_one_of_its_own(form: str, sent: str) -> None:
    program = _program(form, sent, "boxes[0].name").replace(TAKEN_OVER, "")
    assert 'del state["lock"]' in migrated({"run.py": program}, RULE)["run.py"]


BOTH = "Process(target=work, args=(a, Box('b'))).start()"


@each_row(
    ("worked", "what"),
    [
        ("len({box.lock for box in boxes})", "put in a set"),
        ("len(set([box.lock for box in boxes]))", "passed to `set`"),
        ("{box.lock: box.name for box in boxes}", "a key of a dict"),
        ("boxes[0].lock in [box.lock for box in boxes[1:]]", "compared"),
        ("(lambda lock: lock is boxes[1].lock)(getattr(boxes[0], 'lock'))", "compared"),
        ("dict.fromkeys((box.lock, 1) for box in boxes)", "passed to `dict.fromkeys`"),
        ("[box.lock for box in boxes].index(boxes[1].lock)", "passed to `"),
    ],
)
def test_it_is_told_apart(worked: str, what: str) -> None:
    (reason,) = reasons({"run.py": _program("a lock", BOTH, worked).replace(TAKEN_OVER, "")}, RULE)
    assert "asks whether it is the same" in reason and (f"(it is {what}" in reason or f"`{worked}`" in reason)


@each_row(
    "worked",
    [
        "len({box.name for box in boxes})",
        "{box.name: box.lock for box in boxes}",
        "boxes[0].lock is not None",
        "[box.lock for box in boxes]",
        "len([box.lock for box in boxes])",
    ],
)
def test_something_else_is_told_apart(worked: str) -> None:
    program = _program("a lock", BOTH, worked).replace(TAKEN_OVER, "")
    assert 'del state["lock"]' in migrated({"run.py": program}, RULE)["run.py"]


OTHER = """\
import threading
from multiprocessing import Process


class Store:
    def __init__(self):
        self.lock = threading.Lock()


class Other:
    def __init__(self, store):
        {taken}


class Third:
    pass


def work(*given):
    print(given)


if __name__ == "__main__":
    store = Store()
    other = Other(store)
    Process(target=work, args={sent}).start()
"""
UPDATED = "self.__dict__.update(store.__dict__)"


@each_row(
    ("taken", "sent"),
    [
        (UPDATED, "(store,)"),
        ("self.__dict__ = store.__dict__", "(store,)"),
        ("self.__dict__.update(vars(store))", "(store,)"),
        ("third = Third()\n        vars(third).update(store.__dict__)", "(store,)"),
    ],
)
def test_who_takes_it_over_is_not_sent(taken: str, sent: str) -> None:
    changed = migrated({"run.py": OTHER.format(taken=taken, sent=sent)}, RULE)["run.py"]
    assert "self.__dict__.update(state)\n        self.lock = threading.Lock()" in changed


@each_row(
    ("taken", "sent"),
    [
        (UPDATED, "(store, other)"),
        (UPDATED, "(store, [other])"),
        ("self.__dict__ = store.__dict__", "(other, store)"),
        ("self.third = Third()\n        self.third.__dict__.update(store.__dict__)", "(store, other.third)"),
        ("third = object.__new__(type(store))\n        third.__dict__.update(store.__dict__)", "(store,)"),
        ("self.__dict__.update(store.__dict__)\n        store.twin = self", "(store,)"),
    ],
)
def test_who_takes_it_over_is_sent_or_unknown(taken: str, sent: str) -> None:
    assert any("makes a copy" in each for each in reasons({"run.py": OTHER.format(taken=taken, sent=sent)}, RULE))
