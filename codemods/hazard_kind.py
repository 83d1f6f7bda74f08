"""Kinds of values that pickle rejects."""

from __future__ import annotations

from enum import Enum


class HazardKind(Enum):
    """A value that plain pickle rejects, or that some boundaries reject."""

    LAMBDA = "lambda"
    FUNCTION = "function"  # a def inside a def
    WRAPPER = "wrapper"  # a def inside a decorator, which replaces what that decorates
    CLASS = "class"  # defined inside a function
    DICT_VIEW = "dict-view"
    GENERATOR = "generator"
    EVALUATED = "evaluated"  # what `eval` makes of a text
    LOADED = "loaded"  # taken from a module that is loaded by its path, and that no import finds
    MADE_CLASS = "made-class"  # by a call, under a name by which its module does not have it; and its objects
    MISNAMED = "misnamed"  # a function or method for whose own name pickle finds nothing, or something else
    OBJECT = "object"  # of a library, which the table of what can't be pickled names
    INSTANCE = "instance"  # of any class
