"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import KnownError

_WHAT = "a worker imports the main script again, and there the code that starts processes runs a second time"
_ADVICE = 'put the code that starts processes under `if __name__ == "__main__":`, definitions above it'

ERRORS = (
    KnownError(
        r"(?:start a new process before the\b|freeze_support\(\)|finished its bootstrapping phase)", _WHAT, _ADVICE
    ),
    KnownError(r"context has already been set", _WHAT, _ADVICE),
    KnownError(
        r"Can't get attribute '(?P<name>[^']+)' on <module '__(?:mp_)?main__'"
        r"|module '__(?:mp_)?main__' has no attribute '(?P<name2>[^']+)'",
        "the main script defines it where workers don't look: under the main guard, in a notebook or console",
        "define it at the top of the script, above the main guard, or in a module",
        named_only=True,
    ),
)
