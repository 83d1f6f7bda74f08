"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import KnownError

ERRORS = (
    KnownError(
        r"can(?:not|'t) pickle '?(?P<type>(?:odict|dict)_(?:keys|values|items))'?",
        "a view of a dict (keys, values, items) is stored on something that is sent to a worker",
        "store list(...) of it",
        examples=("TypeError: cannot pickle 'dict_keys' object",),
        in_own_code="{0} = list({0})",
        source=((r"keys", r"keys"), (r"values", r"values"), (r"items", r"items")),
    ),
)
