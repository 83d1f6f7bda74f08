"""Decorators of the repository that make properties: an attribute is what the method returns, not the method."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

DECORATORS = """\
import functools


def lazy(function):
    name = "_lazy_" + function.__name__

    @property
    @functools.wraps(function)
    def wrapper(self):
        if not hasattr(self, name):
            setattr(self, name, function(self))
        return getattr(self, name)

    return wrapper


def given(function):
    def wrapped(self):
        value = function(self)
        assert value is not None
        return value

    return property(wrapped)


def named(doc):
    def decorate(function):
        return property(lambda self: function(self), doc=doc)

    return decorate


class Cell:
    def __init__(self, function):
        self.function = function

    def __get__(self, owner, kind=None):
        return self.function(owner)


class Derived(Cell):
    pass


class Method:
    def __init__(self, function):
        self.function = function

    def __get__(self, owner, kind=None):
        return functools.partial(self.function, owner)


def at_times(function):
    if function.__name__ == "other":
        return property(function)
    return function


def inside_at_times(function):
    if function.__name__ != "other":
        return function

    @property
    def wrapped(self):
        return function(self)

    return wrapped


def either(function):
    if function.__name__ == "other":
        return property(lambda self: function(self))
    return property(function)


def timed(function):
    @functools.wraps(function)
    def wrapped(self, *args):
        return function(self, *args)

    return wrapped


def registered(function):
    class Table:
        @property
        def size(self):
            return 1

    return function
"""
TEXT = """\
import threading
from multiprocessing import Process

import tools
from tools import *


class Pipe:
    def __init__(self):
        self.lock = threading.Lock()
        self.name = "a"

    @{decorator}
    def part(self):
        return {value}


def work(part):
    print(part)


if __name__ == "__main__":
    Process(target=work, args=(Pipe().part,)).start()
"""


@each_row("decorator, value, crosses", [
    ("lazy", "self.name", False),
    ("lazy", "self.lock", True),
    ("tools.given", "self.name", False),
    ("given", "self.lock", True),
    ("named('part')", "self.name", False),
    ("named('part')", "self.lock", True),
    ("Cell", "self.name", False),
    ("Derived", "self.name", False),
    ("Derived", "self.lock", True),
    ("Method", "self.name", True),  # the worker gets the method, with its object
    ("timed", "self.name", True),
    ("at_times", "self.name", True),
    ("inside_at_times", "self.name", True),
    ("either", "self.name", False),
    ("registered", "self.name", True),
])  # fmt: skip
def test_what_an_attribute_gives(decorator: str, value: str, crosses: bool) -> None:
    files = {"run.py": TEXT.format(decorator=decorator, value=value), "tools.py": DECORATORS}
    found = reported(files, "unpicklable-attributes")
    assert [finding.span.line for finding in found] == [10] * crosses
