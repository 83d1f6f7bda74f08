"""What the table of classes says of the standard library is so: each class, and the one above it."""

from __future__ import annotations

import importlib

from codemods.transforms.unpicklable_attributes.types_tested import _BASES, _GIVES, _with_bases
from harness.each_row import each_row

_MADE_BY = {  # by a method of a context: the class has another name, or another place
    "Lock": "synchronize.Lock", "RLock": "synchronize.RLock", "Condition": "synchronize.Condition",
    "Event": "synchronize.Event", "Semaphore": "synchronize.Semaphore", "Barrier": "synchronize.Barrier",
    "BoundedSemaphore": "synchronize.BoundedSemaphore", "Queue": "queues.Queue", "SimpleQueue": "queues.SimpleQueue",
    "JoinableQueue": "queues.JoinableQueue",
}  # fmt: skip
_FUNCTIONS = {"threading.Lock": "_thread.LockType", "threading.RLock": "_thread.RLock"}


def _class(name: str) -> type:
    module, _, last = _FUNCTIONS.get(name, name).rpartition(".")
    if module == "multiprocessing":
        module, _, last = f"multiprocessing.{_MADE_BY[last]}".rpartition(".")
    found = getattr(importlib.import_module(module), last)
    assert isinstance(found, type)
    return found


@each_row("name, above", _BASES.items())
def test_the_class_above(name: str, above: str) -> None:
    own = _class(name)
    assert not above or issubclass(own, _class(above))
    others = {other for other in _BASES if issubclass(own, _class(other))}
    assert others == _with_bases([name])


def test_what_calls_give() -> None:
    from contextvars import copy_context
    from inspect import stack
    from ssl import create_default_context
    from sys import exc_info, modules
    from threading import current_thread, main_thread

    made = {
        "contextvars.copy_context": copy_context(),
        "ssl.create_default_context": create_default_context(),
        "threading.current_thread": current_thread(),
        "threading.main_thread": main_thread(),
        "inspect.stack": stack(0),
        "sys.exc_info": exc_info(),
        "sys.modules": modules,
    }
    for name, value in made.items():
        assert isinstance(value, _class(_GIVES[name] if "." in _GIVES[name] else f"builtins.{_GIVES[name]}"))
