"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import KnownError

ERRORS = (
    KnownError(
        r"KeyError: '(?P<name>(?:LOCAL_|GROUP_)?RANK|(?:LOCAL_)?WORLD_SIZE|MASTER_\w+|SLURM_\w+)'",
        "the script reads a variable that only a launcher sets",
        "start it with the launcher, or give the variable a default",
    ),
)
