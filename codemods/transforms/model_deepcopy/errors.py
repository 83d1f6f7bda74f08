"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import KnownError

ERRORS = (
    KnownError(
        r"can(?:not|'t) pickle (?:<class )?'?(?P<type>[\w.]*(?:ProcessGroup|_c10d)[\w.]*)'?",
        "the model holds a process group, which can be neither copied nor sent",
        "build a second model and load_state_dict into it; send a state dict instead of the model",
        examples=("TypeError: cannot pickle 'torch._C._distributed_c10d.ProcessGroup'",),
    ),
)
