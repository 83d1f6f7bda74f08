"""Kinds of functions, and of values that pickle rejects."""

from __future__ import annotations

from enum import Enum


class FunctionKind(Enum):
    """Where a function is defined."""

    LAMBDA = "lambda"
    NESTED = "function"  # a def inside a def
    METHOD = "method"
    TOP = "top"  # a def at module level


class HazardKind(Enum):
    """A value that plain pickle rejects, or that some boundaries reject."""

    LAMBDA = "lambda"
    FUNCTION = "function"  # a def inside a def
    CLASS = "class"  # defined inside a function
    DICT_VIEW = "dict-view"
    GENERATOR = "generator"
    EVALUATED = "evaluated"  # what `eval` makes of a text
    INSTANCE = "instance"  # of any class


NAMELESS = {FunctionKind.LAMBDA: HazardKind.LAMBDA, FunctionKind.NESTED: HazardKind.FUNCTION}  # pickle finds no name
