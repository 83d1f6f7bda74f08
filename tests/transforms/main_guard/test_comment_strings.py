"""Strings that are comments go under a guard with all their lines; what is in other strings stays as it is."""

from __future__ import annotations

import ast

from harness.each_row import each_row
from harness.small import migrated

TEXT = """\
import multiprocessing as mp


def work(row):
    return row


pool = mp.Pool(2)
{below}
print(pool.map(work, [1, 2]))
"""


@each_row(
    "below, becomes",
    [
        ('"""\nold = 1\n  print(old)\n"""', '    """\n    old = 1\n      print(old)\n    """'),
        ("'''Rows\n\nare mapped'''", "    '''Rows\n\n    are mapped'''"),
        ('r"""\n\\d"""  # done', '    r"""\n    \\d"""  # done'),
        (
            'for x in [1]:\n    print(x)\n    """\n    old\n    """',
            '        print(x)\n        """\n        old\n        """',
        ),
        ('text = """\na\n"""', '    text = """\na\n"""'),
        ('print("""\na\n""")', '    print("""\na\n""")'),
        ('f"""\n{work}\n"""', '    f"""\n{work}\n"""'),
        ('"""\na\n""" """\nb"""', '    """\na\n""" """\nb"""'),
        ('x = 1; """\na"""', '    x = 1; """\na"""'),
    ],
)
def test_lines_of_strings(below: str, becomes: str) -> None:
    after = migrated({"a.py": TEXT.format(below=below)}, "main-guard")["a.py"]
    assert "pool = mp.Pool(2)\n" in after and f"{becomes}\n    print(pool" in after
    ast.parse(after)


HEADED = '''\
"""A script."""
import multiprocessing as mp

size = 2

{heading}
pool = mp.Pool(size)
print(pool)
'''


@each_row("heading, expected", [
    ('"""Start"""', '    """Start"""\n'),
    ('"""\nStart the pool\n"""', '    """\n    Start the pool\n    """\n'),
    ("'''One\n  two'''\n", "    '''One\n      two'''\n\n"),
])  # fmt: skip
def test_a_heading_goes_along(heading: str, expected: str) -> None:
    after = migrated({"a.py": HEADED.format(heading=heading)}, "main-guard")["a.py"]
    assert f'size = 2\n\nif __name__ == "__main__":\n{expected}    pool = mp.Pool(size)\n' in after


def test_a_print_right_above_the_first_line_goes_along() -> None:
    text = """\
import multiprocessing as mp
import subprocess

print("starts")

# what changed
print("# changes")
print(subprocess.check_output(["git", "diff"]))
print("# end")

import sys


def work(row):
    return row


with mp.Pool(2) as pool:
    print(pool.map(work, sys.argv))
"""
    after = migrated({"a.py": text}, "main-guard")["a.py"]
    guarded = after.partition('if __name__ == "__main__":\n')[2]
    assert guarded.startswith('    print("starts")\n\n    # what changed\n    print("# changes")\n    print(subprocess')
    assert after.count("print(") == 5 and '\nprint("# end")' not in after
