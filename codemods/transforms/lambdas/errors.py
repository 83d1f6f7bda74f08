"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import NAME_IN_ERROR, KnownError

_WHAT = "a lambda, or a function or class that is defined inside a function, has no name that a worker finds"
_ADVICE = (
    "give it a name at the top of a module; functools.partial carries the values that it uses; where the name is one "
    "of a library, don't send the object that holds it: create that in the worker, or drop it in `__getstate__`; a "
    "newer version of the library may do without it; no workers (num_workers=0), or processes by fork (Linux), pickle "
    "nothing"
)

_NOTEBOOK = r"\bCell In ?\[|<ipython-input-|\bipykernel|\bJupyter\b|google\.colab"
_IN_A_FILE = "give it a name at the top of a .py file beside the notebook, and import it from there; or num_workers=0"

ERRORS = (
    KnownError(
        rf"Can't pickle {NAME_IN_ERROR}: attribute lookup \S*<lambda> on __main__ failed",
        "a lambda has no name that a worker finds, and what a notebook defines is not found by it either",
        _IN_A_FILE,
        context=_NOTEBOOK,
    ),
    KnownError(
        rf"Can't (?:pickle|get) local (?:object|attribute):? {NAME_IN_ERROR}",
        _WHAT,
        _ADVICE,
        examples=(
            "AttributeError: Can't pickle local object 'main.<locals>.<lambda>'",
            "AttributeError: Can't get local object 'main.<locals>.collate'",
        ),
    ),
    KnownError(
        r"Can't (?:pickle|get) local (?:objects?|function|class)\b",
        _WHAT,
        _ADVICE,
        examples=("error: can't pickle local objects",),
        general=True,
    ),
    KnownError(
        rf"Can't pickle {NAME_IN_ERROR}: (?:attribute lookup \S*<lambda>|it's not found as \S*<(?:lambda|locals)>)",
        _WHAT,
        _ADVICE,
        examples=(
            "_pickle.PicklingError: Can't pickle <function main.<locals>.f at 0x7f>: it's not found as m.<locals>.f",
            "_pickle.PicklingError: Can't pickle <function <lambda> at 0x7f1>: attribute lookup <lambda> on m failed",
        ),
    ),
    KnownError(
        r"Can't pickle <function (?P<name>[\w.]*<lambda>)",
        _WHAT,
        _ADVICE,
        examples=(
            "pickle.PicklingError: Can't pickle <function <lambda> at 0x7f1>",
            "PicklingError: Can't pickle <function Manager.<lambda>",
        ),
    ),
)
