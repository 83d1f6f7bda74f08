"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import KnownError

_VARIABLE = r"(?-i:(?:LOCAL_|GROUP_|NODE_)?RANK|(?:LOCAL_)?WORLD_SIZE|MASTER_(?:ADDR|PORT)|SLURM_\w+|OMPI_\w+|PMI_\w+)"

ERRORS = (
    KnownError(
        rf"KeyError:? ?\(?'(?P<name>{_VARIABLE})'|^\s*'(?P<name2>{_VARIABLE})'\s*$"
        rf"|could not find '(?P<name3>{_VARIABLE})' in the \w+ environment",
        "the script reads a variable that only a launcher sets",
        "start it with the launcher, or give the variable a default",
        examples=("KeyError: 'SLURM_LOCALID'",),
        reference="https://pytorch.org/docs/stable/elastic/run.html#environment-variables",
    ),
)
