"""Kinds of functions, parameters and methods."""

from __future__ import annotations

from enum import Enum

from ..hazard_kind import HazardKind


class FunctionKind(Enum):
    """Where a function is defined."""

    LAMBDA = "lambda"
    NESTED = "function"  # a def inside a def
    METHOD = "method"
    TOP = "top"  # a def at module level


class MethodBinding(Enum):
    """What the first parameter of a method is."""

    INSTANCE = "instance"  # also of functions that are no methods
    STATIC = "staticmethod"
    CLASS = "classmethod"
    PROPERTY = "property"


class ParameterKind(Enum):
    """How an argument gets to a parameter."""

    POSITIONAL = "positional only"
    PLAIN = "positional or keyword"
    KEYWORD = "keyword only"
    STARRED = "*"
    DOUBLE_STARRED = "**"

    @property
    def is_positional(self) -> bool:
        """By its place."""
        return self in (ParameterKind.POSITIONAL, ParameterKind.PLAIN)


ANY = "<some name>"  # the attribute that `setattr(x, name, value)` sets where the name isn't known
LOOKED_UP = "looked up by a name that is computed"  # labels what `getattr(x, name)` may give
NAMED_BY_TEXT = "a text that `eval` reads here may name it, as no code does"
NAMELESS = {FunctionKind.LAMBDA: HazardKind.LAMBDA, FunctionKind.NESTED: HazardKind.FUNCTION}  # pickle finds no name
