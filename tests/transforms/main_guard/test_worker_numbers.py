"""main-guard: one loader without workers says nothing of the number that an option gives another one."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

OPTION = (
    'import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument("--num_workers", type=int, default={})\n'
)
MAIN = "from options import parser\nfrom data import train\nargs = parser.parse_args()\ntrain(args)\n"
DATA = """\
from torch.utils.data import DataLoader
{before}
def train(args):
    for row in DataLoader([1], num_workers=args.num_workers):
        print(row)
"""
APART = "from torch.utils.data import DataLoader\nloader = DataLoader(rows(len(names)), num_workers=0)\n"
BESIDE = "test = DataLoader(\n    [2], shuffle=(1 > 2), num_workers=0\n)\n"


@each_row(
    ("default", "before", "others", "found"),
    [
        (4, "", {}, "likely"),
        (4, "", {"other.py": APART}, "likely"),
        (4, BESIDE, {}, "likely"),
        (0, BESIDE, {}, None),
        (0, BESIDE.replace("=0", "=4"), {}, None),
        (0, "", {"other.py": APART.replace("=0", "=4")}, None),
        (4, "num_workers = 0", {}, None),
        (4, "", {"other.py": "def rows(num_workers=0):\n    pass\n"}, "likely"),
        (4, "", {"other.py": OPTION.format(0)}, None),
        (4, "", {"other.py": OPTION.format(0).replace("num_", "num-")}, None),
        (4, "", {"a.yaml": "num_workers: 0\n"}, None),
        ("None", BESIDE, {"other.py": APART}, None),
    ],
)
def test_an_option_beside_loaders_without_workers(
    default: object, before: str, others: dict[str, str], found: str | None
) -> None:
    files = {"options.py": OPTION.format(default), "main.py": MAIN, "data.py": DATA.format(before=before), **others}
    assert [each.confidence.value for each in reported(files, "main-guard")] == [found] * (found is not None)


def test_loaders_say_something_where_nothing_else_does() -> None:
    files = {"main.py": MAIN, "data.py": DATA.format(before=""), "options.py": "from elsewhere import parser\n"}
    assert reported(files, "main-guard")
    assert not reported({**files, "other.py": APART}, "main-guard")
