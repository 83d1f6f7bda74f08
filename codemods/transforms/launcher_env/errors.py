"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import KnownError

_VARIABLE = r"(?-i:(?:LOCAL_|GROUP_)?RANK|(?:LOCAL_)?WORLD_SIZE|MASTER_(?:ADDR|PORT)|OMPI_\w+|PMI_\w+)"
# The subscript that failed stands right above: os.environ has frames of its own (os.py) in between.
_OF_A_DICT = r"""pandas[/\\]core|(?<!environ)(?<!env)\[['"]\w+['"]\][^\n]*\n(?:[ ~^]+\n)?\s*KeyError"""

ERRORS = (
    KnownError(
        r"KeyError:? ?\(?'(?P<name>(?-i:SLURM_\w+))'|^\s*'(?P<name2>(?-i:SLURM_\w+))'\s*$",
        "a variable of Slurm is read, and the program was not started by srun",
        "start it with srun (inside of sbatch or salloc); elsewhere take out what asks for Slurm (a SLURMEnvironment "
        "plugin, a launcher set to slurm, SLURM_* variables of an interactive shell), or give the variable a default",
        examples=("KeyError: 'SLURM_NODEID'",),
        reference="https://slurm.schedmd.com/srun.html",
    ),
    KnownError(
        r"int\(\) argument must be .*NoneType",
        "a variable of the launcher is read, and it is not set",
        "start the script with the launcher (torchrun, srun), or give the variable a default",
        context=rf"(?:environ\.get|getenv)\(\s*['\"](?:{_VARIABLE}|SLURM_\w+)['\"]\s*\)",
        reference="https://pytorch.org/docs/stable/elastic/run.html#environment-variables",
    ),
    KnownError(
        r"KeyError:? ?\(?'(?P<name>NODE_RANK)'|^\s*'(?P<name2>NODE_RANK)'\s*$",
        "NODE_RANK is read, which torchrun and torch.distributed.launch do not set",
        "set it before the launch (export NODE_RANK=0 on the first machine), or read GROUP_RANK, which torchrun sets, "
        "with a default: os.environ.get('GROUP_RANK', '0')",
        examples=("KeyError: 'NODE_RANK'",),
        reference="https://pytorch.org/docs/stable/elastic/run.html#environment-variables",
    ),
    KnownError(
        rf"KeyError:? ?\(?'(?P<name>{_VARIABLE})(?:'|(?!\S)(?!.*'))|^\s*'(?P<name2>{_VARIABLE})'\s*$"
        rf"|could not find '(?P<name3>{_VARIABLE})' in the \w+ environment",
        "the script reads a variable that only a launcher sets",
        "start it with the launcher, or give the variable a default",
        examples=("KeyError: 'LOCAL_RANK'",),
        own=True,
        unless=_OF_A_DICT,
        reference="https://pytorch.org/docs/stable/elastic/run.html#environment-variables",
    ),
)
