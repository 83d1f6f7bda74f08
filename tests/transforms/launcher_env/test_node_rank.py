"""NODE_RANK, which no launcher sets: torchrun's name for it is GROUP_RANK."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "launcher-env"
PROGRAM = """\
import os

WORLD_SIZE = int(os.environ.get("WORLD_SIZE", 1))


def join():
    if {test}:
        return {read}
    return 0


print(join())
"""
TORCHRUN = {"run.sh": "torchrun --nproc_per_node=4 train.py\n"}
MANY = "WORLD_SIZE > 1"


@each_row(
    ("read", "after"),
    [
        ('int(os.environ["NODE_RANK"])', 'int(os.environ.get("NODE_RANK") or os.environ["GROUP_RANK"])'),
        ("os.environ['NODE_RANK']", "os.environ.get('NODE_RANK') or os.environ['GROUP_RANK']"),
        ('str(x=os.environ["NODE_RANK"])', 'str(x=os.environ.get("NODE_RANK") or os.environ["GROUP_RANK"])'),
        ('print(os.environ["NODE_RANK"], 1)', 'print(os.environ.get("NODE_RANK") or os.environ["GROUP_RANK"], 1)'),
    ],
)
def test_it_takes_the_number_that_torchrun_gives(read: str, after: str) -> None:
    files = {"train.py": PROGRAM.format(test=MANY, read=read), **TORCHRUN}
    assert migrated(files, RULE)["train.py"] == PROGRAM.format(test=MANY, read=after)


@each_row(
    "read",
    [
        'int(os.getenv("NODE_RANK"))',
        'int(os.environ.get("NODE_RANK"))',
        'os.environ["NODE_RANK"] + "a"',
        """f"{os.environ['NODE_RANK']}" """,
    ],
)
def test_where_it_is_read_in_another_form_a_person_is_told(read: str) -> None:
    assert "GROUP_RANK" in reasons({"train.py": PROGRAM.format(test=MANY, read=read), **TORCHRUN}, RULE)[0]


@each_row(
    ("test", "more"),
    [
        (MANY, {}),  # nothing says what starts it: some clusters set it
        (MANY, {"run.sh": "export NODE_RANK=$1\ntorchrun train.py\n"}),
        (MANY, {"README.md": "Set `NODE_RANK` on each machine.\n", **TORCHRUN}),
        (MANY, {"start.py": 'import os\nos.environ["NODE_RANK"] = "0"\nimport train\n', **TORCHRUN}),
        ('"NODE_RANK" in os.environ', TORCHRUN),
        ('WORLD_SIZE > 1 and os.environ.get("NODE_RANK")', TORCHRUN),
    ],
)
def test_nothing_is_said_where_it_may_be_set(test: str, more: dict[str, str]) -> None:
    read = 'int(os.environ["NODE_RANK"])'
    assert not reported({"train.py": PROGRAM.format(test=test, read=read), **more}, RULE)


@each_row(
    "around",
    [
        'if "NODE_RANK" in os.environ:\n    print(join())',
        'known = "NODE_RANK" in os.environ\nif known:\n    print(join())',
        'if os.environ.get("NODE_RANK"):\n    print(join())',
    ],
)
def test_nothing_is_said_where_an_outer_test_asks_for_it(around: str) -> None:
    text = PROGRAM.format(test=MANY, read='int(os.environ["NODE_RANK"])')
    assert reported({"train.py": text, **TORCHRUN}, RULE)
    assert not reported({"train.py": text.replace("print(join())", around), **TORCHRUN}, RULE)
    nested = text.replace(
        f"    if {MANY}:\n        return", f'    if "NODE_RANK" in os.environ:\n      if {MANY}:\n        return'
    )
    assert nested != text and not reported({"train.py": nested, **TORCHRUN}, RULE)
