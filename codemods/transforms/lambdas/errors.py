"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import NAME_IN_ERROR, KnownError

_WHAT = "a function or class made inside a function (lambda, nested def, local class) has no name that a worker finds"
_ADVICE = "give it a name at the top of a module; functools.partial carries the values that it uses"

ERRORS = (
    KnownError(rf"Can't (?:pickle|get) local (?:object|attribute):? {NAME_IN_ERROR}", _WHAT, _ADVICE),
    KnownError(r"Can't (?:pickle|get) local (?:objects?|function|class)\b", _WHAT, _ADVICE, general=True),
    KnownError(
        rf"Can't pickle {NAME_IN_ERROR}: (?:attribute lookup \S*<lambda>|it's not found as \S*<(?:lambda|locals)>)",
        _WHAT,
        _ADVICE,
    ),
    KnownError(r"Can't pickle <function (?P<name><lambda>) at", _WHAT, _ADVICE),
)
