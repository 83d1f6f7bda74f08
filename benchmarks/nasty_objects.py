"""Objects that a spawned process can't be given, each with the paths to what is wrong. For Python 3.7 and newer.

`OBJECTS` maps a name to (how to make the object, called `obj`, and the paths that a diagnosis has to name).
An empty set of paths: nothing is wrong with it.
"""

from __future__ import annotations

import collections
import dataclasses
import functools
import io
import itertools
import logging
import mmap
import operator
import queue
import socket
import sqlite3
import sys
import threading
import types
import weakref
import zipfile
from typing import Any, Callable


class Box:
    """A plain object with the attributes that it is given."""

    def __init__(self, **parts: Any) -> None:
        self.__dict__.update(parts)


class Lambda:
    """As torchvision's transform of that name."""

    def __init__(self, fn: Callable[..., Any]) -> None:
        self.fn = fn


class DropsLock:
    def __init__(self) -> None:
        self.lock = threading.Lock()

    def __getstate__(self) -> dict[str, Any]:
        state = dict(self.__dict__)
        del state["lock"]
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self.lock = threading.Lock()


class AddsGenerator:
    def __init__(self) -> None:
        self.size = 3

    def __getstate__(self) -> dict[str, Any]:
        return {"size": self.size, "payload": (each for each in range(self.size))}


class Slots:
    __slots__ = ("a", "b")

    def __init__(self, a: Any, b: Any) -> None:
        self.a, self.b = a, b


class Reduces:
    def __init__(self, name: str, module: types.ModuleType) -> None:
        self.name, self.module = name, module

    def __reduce__(self) -> tuple[Any, ...]:
        return (Reduces, (self.name, self.module))


class Forwards:
    """As wrappers of environments and datasets forward what they don't have."""

    def __init__(self, inner: Any) -> None:
        self.inner = inner

    def __getattr__(self, name: str) -> Any:
        return getattr(self.inner, name)


class Keyed:
    """As configurations give their items for attributes."""

    def __init__(self, **values: Any) -> None:
        self.values = values

    def __getattr__(self, name: str) -> Any:
        return self.__dict__["values"][name]


@dataclasses.dataclass(frozen=True)
class Frozen:
    __slots__ = ("x",)
    x: int


class Node:
    def __init__(self, after: Any) -> None:
        self.after = after


def _linked(length: int) -> Any:
    head = None
    for _ in range(length):
        head = Node(head)
    return head


class ListWithAttributes(list):  # type: ignore[type-arg]  # list[Any] is newer than Python 3.7
    fn: Callable[..., Any]


class AttributeDict(dict):  # type: ignore[type-arg]
    """As EasyDict: what is read as an attribute is an item."""

    def __getattr__(self, name: str) -> Any:
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None


class Methods:
    def __init__(self) -> None:
        self.o = Box(lock=threading.Lock())

    def run(self) -> Any:
        return self.o


class Mangled:
    def __init__(self) -> None:
        self.fn = self.__crop

    def __crop(self, value: Any) -> Any:
        return value


class RaisesWhenPickled:
    def __getstate__(self) -> dict[str, Any]:
        raise ValueError("this dataset is closed")


class RaisesWhenMade:
    def __init__(self) -> None:
        self.path = "images.h5"

    def __setstate__(self, state: dict[str, Any]) -> None:
        raise KeyError("handle")


Point = collections.namedtuple("Point", "x y")


def shadowed(value: Any) -> Any:
    return value


def _decorated(function: Callable[..., Any]) -> Callable[..., Any]:
    def inner(value: Any) -> Any:
        return function(value)

    inner.__qualname__ = inner.__name__ = function.__name__
    return inner


_original, shadowed = shadowed, _decorated(shadowed)


def _local_class() -> object:
    class Dataset:
        def __init__(self) -> None:
            self.size = 3

    return Dataset()


def _nested() -> Callable[..., Any]:
    def collate(batch: Any) -> Any:
        return batch

    return collate


def _deep(levels: int) -> Box:
    obj = Box(lock=threading.Lock())
    for _ in range(levels):
        obj = Box(next=obj)
    return obj


def _shared() -> Box:
    lock = threading.Lock()
    obj = Box(a=Box(lock=lock), b=[lock])
    vars(obj)["me"] = obj
    return obj


def _handler() -> Box:
    logger = logging.getLogger("nasty")
    return Box(logger=logger, h=logging.StreamHandler(io.StringIO()))


def _slow_to_find() -> Box:
    rows: list[dict[str, Any]] = [
        {"path": "%06d.png" % n, "label": n % 10, "box": [n, n, n + 1, n + 1]} for n in range(30000)
    ]
    rows[29000]["fn"] = lambda box: box
    return Box(rows=rows)


def _zip() -> zipfile.ZipFile:
    return zipfile.ZipFile(io.BytesIO(b"PK\5\6" + 18 * b"\0"))


OBJECTS: dict[str, tuple[Callable[[], Any], set[str] | None]] = {
    "lambda in a transform in a list": (lambda: Box(tfm=[Lambda(lambda x: x)]), {"obj.tfm[0].fn"}),
    "stored view of a dict": (lambda: Box(cfg=Box(names={"car": 1}.keys())), {"obj.cfg.names"}),
    "values and items": (
        lambda: Box(v={"car": 1}.values(), i=collections.OrderedDict(car=1).items()),
        {"obj.v", "obj.i"},
    ),
    "lock and open file": (
        lambda: Box(lock=threading.Lock(), log=open(__file__)),
        {"obj.lock", "obj.log"},
    ),
    "__getstate__ drops the lock": (DropsLock, set()),
    "generator that only __getstate__ gives": (lambda: Box(inner=AddsGenerator()), {"obj.inner.payload"}),
    "slots, dict, list, generator": (
        lambda: Slots(1, {"k": {"deep": [0, 1, (each for each in "abc")]}}),
        {"obj.b['k']['deep'][2]"},
    ),
    "module among the arguments of __reduce__": (lambda: {"r": Reduces("numpy", sys)}, {"obj['r'].module"}),
    "decorated function of the same name": (lambda: Box(fn=_original), {"obj.fn"}),
    "instance of a local class": (lambda: Box(items=[_local_class()]), {"obj.items[0]"}),
    "local class itself": (lambda: {"class": type(_local_class())}, {"obj['class']"}),
    "nested function in a tuple": (lambda: Box(fns=("a", _nested())), {"obj.fns[1]"}),
    "bound method of an object with a lock": (lambda: Box(m=Methods().run), {"obj.m.__self__.o.lock"}),
    "method with a mangled name": (Mangled, {"obj.fn"}),
    "defaultdict and partial": (
        lambda: Box(d=collections.defaultdict(lambda: 0), p=functools.partial(print, 1, end=lambda: 0)),
        {"obj.d.default_factory", "obj.p.keywords['end']"},
    ),
    "weak reference": (lambda: Box(w=weakref.ref(Box)), {"obj.w"}),
    "logger (fine) and its handler": (_handler, {"obj.h.lock"}),
    "lock nine levels down": (lambda: _deep(9), {"obj" + 9 * ".next" + ".lock"}),
    "shared lock on two ways, and a cycle": (_shared, {"obj.a.lock", "obj.b[0]"}),
    "queue": (
        lambda: Box(q=queue.Queue()),
        {"obj.q.mutex", "obj.q.not_empty._lock", "obj.q.not_full._lock", "obj.q.all_tasks_done._lock"},
    ),
    "event": (lambda: Box(done=threading.Event()), {"obj.done._cond._lock"}),
    "module in a config": (lambda: AttributeDict(np=operator, lr=0.1), {"obj['np']"}),
    "generator of paths": (lambda: Box(files=(name for name in ("a", "b"))), {"obj.files"}),
    "list subclass with attributes": (lambda: _list_subclass(), {"obj[1]", "obj.fn"}),
    "dict subclass": (lambda: AttributeDict(model=AttributeDict(act=lambda x: x)), {"obj['model']['act']"}),
    "named tuple": (lambda: Box(p=Point(1, lambda: 2)), {"obj.p[1]"}),
    "database": (lambda: Box(db=sqlite3.connect(":memory:")), {"obj.db"}),
    "zip file": (lambda: Box(z=_zip()), {"obj.z._lock"}),
    "socket, which multiprocessing can send": (lambda: Box(s=socket.socket()), set()),
    "memory map": (lambda: Box(m=mmap.mmap(-1, 10)), {"obj.m"}),
    "thread local": (lambda: Box(t=threading.local()), {"obj.t"}),
    "__getstate__ that fails": (lambda: Box(ds=RaisesWhenPickled()), {"obj.ds"}),
    "__setstate__ that fails in the child": (lambda: Box(ds=RaisesWhenMade()), {"obj.ds"}),
    "one of 30 000 annotations": (_slow_to_find, {"obj.rows[29000]['fn']"}),
    "function in a frozen set": (lambda: Box(f=frozenset([len])), set()),
    "lambda in a deque": (lambda: Box(deck=collections.deque([1, lambda: 2], 9)), {"obj.deck[1]"}),
    "nothing wrong": (
        lambda: Box(a=[1, {"b": (2.0, None)}], p=functools.partial(operator.add, 1), c=Point(1, 2)),
        set(),
    ),
    "iterators that pickle until 3.14": (lambda: Box(i=itertools.count()), None),
    "__getattr__ without a guard, in the child": (lambda: Box(rows=[Forwards([1])]), {"obj.rows[0]"}),
    "__getattr__ over a dict, from 3.11 on in the child": (lambda: Box(cfg=Keyed(a=1)), {"obj.cfg"}),
    "frozen dataclass with slots, in the child": (lambda: Box(points={"a": [Frozen(1)]}), {"obj.points['a'][0]"}),
    "a linked list a million deep": (lambda: Box(rows={"head": _linked(1_000_000)}), {"obj.rows['head']"}),
    "simple namespace": (lambda: types.SimpleNamespace(act=lambda x: x), {"obj.act"}),
}


def _list_subclass() -> ListWithAttributes:
    obj = ListWithAttributes([1, lambda: 2])
    obj.fn = lambda: 3
    return obj
