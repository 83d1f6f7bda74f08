"""The errors that this rule's hazards end in."""

from __future__ import annotations

from ...known_error import KnownError

ERRORS = (
    KnownError(
        r"unrecognized arguments: (?:.*\s)?-{1,2}local[-_]rank(?![\w-])(?!=\d+ -m\b)",
        "torch.distributed.launch gives the script an option that it does not know",
        "start it with torchrun, and read LOCAL_RANK from the environment",
        examples=("train.py: error: unrecognized arguments: --local_rank=1",),
        unless=r"(?:torchrun|launch\.py|run\.py): error",
        reference="https://pytorch.org/docs/stable/elastic/run.html#transitioning-from-torch-distributed-launch-to-torchrun",
    ),
    KnownError(
        r"\[--local[-_]rank LOCAL_RANK\]|Could not consume arg: --local[-_]rank",
        "torch.distributed.launch gives the script an option that it does not know, so it only prints its usage",
        "start it with torchrun, and read LOCAL_RANK from the environment",
        general=True,
        examples=("Could not consume arg: --local_rank",),
        context=r"script expects .--local[-_]rank. argument|torch\.distributed\.launch|Could not consume",
        reference="https://pytorch.org/docs/stable/elastic/run.html#transitioning-from-torch-distributed-launch-to-torchrun",
    ),
    KnownError(
        r"environment variable (?P<name>RANK|WORLD_SIZE|MASTER_ADDR|MASTER_PORT) expected",
        "the script is started without a launcher, and expects one",
        "start it with torchrun --nproc_per_node=N",
        examples=("ValueError: environment variable MASTER_ADDR expected, but not set",),
        reference="https://pytorch.org/docs/stable/elastic/run.html",
    ),
)
