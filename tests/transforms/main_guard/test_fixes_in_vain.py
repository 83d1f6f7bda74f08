"""A fix in a script that fails all the same, as it starts processes outside of the main guard and nothing guards it."""

from __future__ import annotations

from codemods.engine.migrate import check
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.small import migrated

SCRIPT = """\
import copy
from torch.utils.data import DataLoader


class Rows:
    def __len__(self):
        return 4

    def __getitem__(self, at):
        return at


{first}
loader = DataLoader(Rows(), num_workers=2, collate_fn=lambda batch: batch)
for batch in loader:
    print(batch)
{last}
"""
CELL = "# %% [markdown]\n# What comes out\nprint(1)"


@each_row(
    ("first", "last", "other", "fixed"),
    [
        ("", "", "", ["lambdas", "main-guard"]),
        ("", CELL, "", []),
        ("", CELL, "import rows\n", ["lambdas"]),  # what another script starts may be guarded
        ("data = copy.deepcopy(Rows())", CELL, "", []),
        ("", CELL.replace("# What", "print(1)\n# What"), "", []),
    ],
)
def test_both_or_none(first: str, last: str, other: str, fixed: list[str]) -> None:
    text = SCRIPT.format(first=first, last=last)
    found = check(MemoryFiles({"rows.py": text.encode(), "other.py": other.encode()}), Settings()).findings
    own = {each.rule: each for each in found if each.path == "rows.py"}
    assert {"lambdas", "main-guard"} <= own.keys()
    safe = [rule for rule, each in own.items() if each.fix is not None and each.fix.unsafe is None]
    assert sorted(safe) == fixed
    if not fixed:
        fix = own["lambdas"].fix
        assert fix is not None and fix.unsafe is not None
        assert fix.unsafe.startswith(
            "the script would fail all the same: it starts processes outside of the main guard"
        )
        assert not migrated({"rows.py": text}, "lambdas")


def test_what_is_pickled_under_fork_too_is_fixed() -> None:
    text = (
        "import os\nfrom multiprocessing import Pool\n\npool = Pool(2)\nscale = os.getpid()\n"
        f"print(pool.map(lambda x: x + 1, [1]))\n{CELL}\n"
    )
    found = {each.rule: each for each in check(MemoryFiles({"rows.py": text.encode()}), Settings()).findings}
    fix = found["lambdas"].fix
    assert found["main-guard"].fix is None
    assert fix is not None and fix.unsafe is None


def test_a_copy_in_the_script_itself_is_another_matter() -> None:
    """`copy.deepcopy` fails in the process that runs the script, guarded or not."""
    text = (
        "import copy\nfrom torch.utils.data import DataLoader\n\nnames = {1: 2}.keys()\nother = copy.deepcopy(names)\n"
        f"for batch in DataLoader([1], num_workers=2):\n    print(batch)\n\n{CELL}\n"
    )
    found = {each.rule: each for each in check(MemoryFiles({"rows.py": text.encode()}), Settings()).findings}
    fix = found["dict-views"].fix
    assert found["main-guard"].fix is None
    assert fix is not None and fix.unsafe is None


LIBRARY = """\
from torch.utils.data import DataLoader


class Rows:
    def __len__(self):
        return 4

    def __getitem__(self, at):
        return at


def run():
    loader = DataLoader(Rows(), num_workers=2, collate_fn=lambda batch: batch)
    for batch in loader:
        print(batch)


def other():
    print(1)
"""
UNGUARDED = f"import rows\n\nrows.run()\n{CELL}\n"


@each_row(
    ("scripts", "safe"),
    [
        ({"a.py": UNGUARDED}, False),
        ({"a.py": UNGUARDED, "b.py": UNGUARDED}, False),
        ({"a.py": "import rows\n\nrows.run()\n"}, True),  # which gets a guard
        ({"a.py": UNGUARDED, "b.py": "import rows\n\nrows.run()\n"}, True),
        ({"a.py": UNGUARDED, "b.py": "import rows\n\nif __name__ == '__main__':\n    rows.run()\n"}, True),
        ({"a.py": UNGUARDED, "b.py": "import rows\n\nrows.other()\n"}, True),
    ],
)
def test_a_boundary_in_another_file_than_the_script(scripts: dict[str, str], safe: bool) -> None:
    files = {"rows.py": LIBRARY, **scripts}
    found = check(MemoryFiles({path: text.encode() for path, text in files.items()}), Settings()).findings
    (fix,) = [each.fix for each in found if each.rule == "lambdas"]
    assert fix is not None
    if safe:
        assert fix.unsafe is None
    else:
        assert (fix.unsafe or "").startswith(
            "the script would fail all the same: a.py starts processes outside of the main guard, and that stays"
        )
