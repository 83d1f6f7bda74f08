"""The layout of a rewritten `add_argument` call, and the spelling of the option in messages."""

from __future__ import annotations

import ast

import pytest

from codemods.engine.migrate import plan
from codemods.finding import Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.small import migrated

SCRIPT = """\
import argparse

parser = argparse.ArgumentParser()
{call}
args = parser.parse_args()
print(args.local_rank)
"""
ENVIRON = "os.environ.get('LOCAL_RANK')"


def rewritten(call: str) -> tuple[str, Finding]:
    """`call` after `migrate`, in a script that torch.distributed.launch starts, and the finding."""
    files = {"train.py": SCRIPT.format(call=call), "run.sh": "python -m torch.distributed.launch train.py\n"}
    done = plan(MemoryFiles({path: text.encode() for path, text in files.items()}), Settings(select=("dist-launcher",)))
    text = done.contents["train.py"].decode()
    ast.parse(text)
    [finding] = done.changes[0].findings
    return text.split("ArgumentParser()\n", 1)[1].split("\nargs = ", 1)[0], finding


@each_row(
    ("before", "after"),
    [
        pytest.param(
            "parser.add_argument(\n    '--local_rank',\n)",
            f"parser.add_argument(\n    '--local-rank', '--local_rank', default={ENVIRON},\n)",
            id="the name alone on its line",
        ),
        pytest.param(
            "parser.add_argument(\n    '--local_rank'\n)",
            f"parser.add_argument(\n    '--local-rank', '--local_rank', default={ENVIRON}\n)",
            id="the name alone on its line, without a comma",
        ),
        pytest.param(
            "parser.add_argument(\n    '--local_rank',  # of this process\n)",
            f"parser.add_argument(\n    '--local-rank', '--local_rank', default={ENVIRON},  # of this process\n)",
            id="the name alone with a comment",
        ),
        pytest.param(
            "parser.add_argument(\n    '-r',\n    '--local-rank',\n)",
            f"parser.add_argument(\n    '-r',\n    '--local-rank', '--local_rank', default={ENVIRON},\n)",
            id="two names, each on a line of its own",
        ),
        pytest.param(
            "parser.add_argument(\n    '-r',\n    '--local-rank',\n    type=int,\n    default=0,\n)",
            "parser.add_argument(\n    '-r',\n    '--local-rank',\n    '--local_rank',\n    type=int,\n"
            "    default=int(os.environ.get('LOCAL_RANK', 0)),\n)",
            id="the new name follows the last",
        ),
        pytest.param(
            "parser.add_argument( '--local_rank' )",
            f"parser.add_argument( '--local-rank', '--local_rank', default={ENVIRON} )",
            id="blanks inside the parentheses",
        ),
        pytest.param(
            "parser.add_argument('--local_rank',\n                    type=int)",
            "parser.add_argument('--local-rank',\n                    '--local_rank',\n                    type=int,\n"
            f"                    default={ENVIRON})",
            id="aligned with the parenthesis",
        ),
        pytest.param(
            "parser.add_argument(\n    '--local_rank',  # of this process\n    type=int  # a number\n)",
            "parser.add_argument(\n    '--local-rank', '--local_rank',  # of this process\n"
            f"    type=int, default={ENVIRON}  # a number\n)",
            id="comments stay on their lines",
        ),
        pytest.param(
            "parser.add_argument(\n    '--local_rank'\n  , type=int\n  , help='x'\n)",
            "parser.add_argument(\n    '--local-rank'\n  , '--local_rank'\n  , type=int\n"
            f"  , default={ENVIRON}\n  , help='x'\n)",
            id="commas first",
        ),
        pytest.param(
            "parser.add_argument(\n    '--local_rank',\n    type=int,\n    required=True\n)",
            f"parser.add_argument(\n    '--local-rank',\n    '--local_rank',\n    type=int,\n    default={ENVIRON}\n)",
            id="default stands where required stood",
        ),
        pytest.param(
            "parser.add_argument('--local_rank', default=-1, type=int, required=True\n                    )",
            "parser.add_argument('--local-rank', '--local_rank', default=int(os.environ.get('LOCAL_RANK', -1)), "
            "type=int\n                    )",
            id="required was last",
        ),
    ],
)
def test_layout_is_kept(before: str, after: str) -> None:
    assert rewritten(before)[0] == after


ROWS = "".join(f"parser.add_argument('--number{at}', type=int, default={at})\n" for at in range(40))


def test_a_line_too_wide_for_the_file_is_broken() -> None:
    call = f"{ROWS}parser.add_argument('--local_rank', type=int, default=-1)"
    assert rewritten(call)[0] == (
        f"{ROWS}parser.add_argument(\n    '--local-rank',\n    '--local_rank',\n    type=int,\n"
        "    default=int(os.environ.get('LOCAL_RANK', -1)),\n)"
    )


def test_a_call_with_a_comment_keeps_its_lines() -> None:
    call = f"{ROWS}parser.add_argument('--local_rank', type=int, help='of this process', default=-1  # none\n)"
    assert rewritten(call)[0] == (
        f"{ROWS}parser.add_argument('--local-rank', '--local_rank', type=int, help='of this process', "
        "default=int(os.environ.get('LOCAL_RANK', -1))  # none\n)"
    )


@pytest.mark.parametrize("name", ["--local_rank", "--local-rank"])
def test_messages_name_the_option_as_it_is_spelled(name: str) -> None:
    missing = ({"--local_rank", "--local-rank"} - {name}).pop()
    _, finding = rewritten(f"parser.add_argument('-r', '{name}', type=int, required=True)")
    assert f"passes {missing}=N" in finding.message
    assert f"`train.py` only takes {name}: every rank stops" in finding.message
    assert f"the script stops, as its {name} is required" in finding.message
    assert f"its {name}" in [hop.what for hop in finding.trace]


def test_an_import_that_the_module_has_further_down_is_not_added_again() -> None:
    script = """\
import argparse

def options():
    parser = argparse.ArgumentParser()
    parser.add_argument('--local_rank', type=int, default=0)
    return parser.parse_args()

def main(args):
    print(args.local_rank)

import os

if __name__ == '__main__':
    main(options())
"""
    files = {"train.py": script, "run.sh": "python -m torch.distributed.launch train.py\n"}

    def after(text: str) -> str:
        contents = {**files, "train.py": text}
        encoded = MemoryFiles({path: item.encode() for path, item in contents.items()})
        return plan(encoded, Settings(select=("dist-launcher",))).contents["train.py"].decode()

    assert "os.environ.get('LOCAL_RANK', 0)" in after(script) and after(script).count("import os\n") == 1
    called = script.replace("import os\n", "ARGS = options()\nimport os\n")
    assert after(called).startswith("import argparse\nimport os\n")


def test_a_default_above_the_import_of_the_module_gets_one_that_runs_before() -> None:
    script = SCRIPT.format(call="parser.add_argument('--local_rank')") + "import os\nprint(os.getcwd())\n"
    files = {"train.py": script, "run.sh": "python -m torch.distributed.launch train.py\n"}
    done = plan(MemoryFiles({path: text.encode() for path, text in files.items()}), Settings(select=("dist-launcher",)))
    after = done.contents["train.py"].decode()
    assert after.startswith("import argparse\nimport os\n\nparser = ") and after.count("import os\n") == 2


BY_STAR = """\
import argparse
import torch.distributed as dist
from tools import *

def main(args):
    os.makedirs("x", exist_ok=True)
    dist.init_process_group("nccl")
    torch.cuda.set_device(args.local_rank)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int)
    main(parser.parse_args())
"""


@pytest.mark.parametrize(
    ("tools", "taught"),
    [
        ("import os\nimport torch\n", True),
        ("import torch\nos = None\n", False),
        ("import os\nimport torch\n__all__ = ['torch']\n", False),
    ],
)
def test_os_that_comes_with_all_of_a_module(tools: str, taught: bool) -> None:
    run = "python -m torch.distributed.launch --nproc_per_node=2 train.py\n"
    files = {"train.py": BY_STAR, "tools.py": tools, "run.sh": run}
    after = migrated(files, "dist-launcher")
    assert ('default=os.environ.get("LOCAL_RANK")' in after.get("train.py", "")) is taught
    assert "import os" not in after.get("train.py", "")
