"""A heading above the first line that goes under a guard goes along, though a blank line is between them."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated

SCRIPT = """\
import multiprocessing as mp

{above}
{heading}
pool = mp.Pool(2)
print(pool)
"""
GUARD = 'if __name__ == "__main__":'


@each_row(
    ("heading", "goes"),
    [
        ("\n# start\n", True),
        ("\n# start\n\n", True),
        ("\n# start\n# the pool\n\n", True),
        ("\n#########\n# start #\n#########\n\n", True),
        ("\n# ---- start of\n# a long story\n# that is told\n# in four lines\n\n", True),
        ("\n# a long story\n# that is told\n# in four lines\n# and no more\n\n", False),
        ("\n# pool = mp.Pool(4)\n\n", False),  # old code
        ("\n# pool.start()\n# wait()\n\n", False),
        ("\n# 1\n\n", True),
        ("# of size\n\n", False),  # it is about the line above
    ],
)
def test_a_heading(heading: str, goes: bool) -> None:
    text = SCRIPT.format(above="size = 2", heading=heading)
    after = migrated({"a.py": text}, "main-guard")["a.py"]
    above, below = after.split(GUARD)
    said = [line for line in heading.splitlines() if line]
    assert all((f"\n    {line}\n" in below) is goes and (line in above) is not goes for line in said)
    assert below.rstrip("\n").endswith("\n    pool = mp.Pool(2)\n    print(pool)")


def test_what_stands_at_the_head_of_the_file_stays() -> None:
    text = "# A script.\n\nimport multiprocessing as mp\n# of the pool\n\npool = mp.Pool(2)\nprint(pool)\n"
    assert migrated({"a.py": text}, "main-guard")["a.py"].startswith(
        "# A script.\n\nimport multiprocessing as mp\n# of"
    )
