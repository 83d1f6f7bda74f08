"""dist-launcher where old torch is supported, an option is defined twice, or a script starts its own ranks."""

from __future__ import annotations

import pytest
from test_dist_launcher import LAUNCH, READS_ENV, SPAWNS, files, findings, migrated, reasons

from codemods.finding import Confidence
from harness.each_row import each_row

NEVER_READ = """\
import argparse
import torch.distributed as dist

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", type=int, default=0)
args = parser.parse_args()
dist.init_process_group("gloo")
print(dist.get_rank())
"""
TWICE = """\
import argparse
import os

def parse_args():
    parser = argparse.ArgumentParser()
    parser.add_argument('--local_rank', type=int, default=-1)
    parser.add_argument('--local-rank', type=int, default=-1)
    args = parser.parse_args()
    return args

args = parse_args()
print(args.local_rank)
"""


@each_row(
    ("path", "text", "old"),
    [
        ("README.md", "Linux, Python==3.6.8, CUDA == 11.2, pytorch == 1.8.0, mmdet3d == 0.17.1\n", True),
        ("README.md", "> - Python 3.8, PyTorch >= 1.8.1\n", True),
        ("install.md", "pip install mmcv-full==1.4.0 -f https://x.org/mmcv/dist/cu111/torch1.8.0/index.html\n", True),
        ("install.md", "pip install mmcv-full==1.4.0 -f https://x.org/mmcv/dist/cu111/torch1.12.0/index.html\n", False),
        ("Dockerfile", "FROM nvcr.io/nvidia/pytorch:22.05-py3\n", False),
        ("README.md", "docker run -it \\\n  nvcr.io/nvidia/pytorch:20.06-py3\n", True),
        ("README.md", "docker run -it nvcr.io/nvidia/pytorch:22.05-py3\n", False),
        ("README.md", "As of 2020 we moved to PyTorch 1.8 here and there\n", False),
    ],
)
def test_places_that_name_a_torch(path: str, text: str, old: bool) -> None:
    changed = migrated({"run.sh": f"{LAUNCH} a.py\n", "a.py": NEVER_READ, path: text})
    assert ("run.sh" not in changed) is old


@pytest.mark.parametrize("torch", ["torch>=1.7.1", "torch==1.8.0", "torch<1.9"])
def test_old_torch_keeps_the_line_and_the_script_takes_both_spellings(torch: str) -> None:
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": NEVER_READ, "requirements.txt": f"{torch}\n"}
    changed = migrated(contents)
    assert changed.keys() == {"a.py"}
    assert 'add_argument("--local-rank", "--local_rank", type=int' in changed["a.py"]
    again = {**contents, **changed}
    assert not migrated(again)
    assert "came with 1.10" in (findings(again)[0].reason or "")


@each_row(
    ("path", "text", "word"),
    [
        ("README.md", "conda install pytorch torchvision cudatoolkit=10.0 -c pytorch\n", "cudatoolkit 10.0"),
        ("environment.yml", "dependencies:\n  - pytorch\n  - cudatoolkit=10.1\n", "cudatoolkit 10.1"),
        ("docs/install.md", "conda create -n old python=3.5\n", "Python 3.5"),
        ("Dockerfile", "FROM nvcr.io/nvidia/pytorch:20.12-py3\n", "the image nvidia/pytorch:20.12"),
        ("docker/Dockerfile", "FROM nvcr.io/nvidia/pytorch:19.06-py3\n", "the image nvidia/pytorch:19.06"),
    ],
)
def test_old_packages_that_have_no_torchrun(path: str, text: str, word: str) -> None:
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": NEVER_READ, path: text}
    changed = migrated(contents)
    assert changed.keys() == {"a.py"}
    assert f"names {word}, for which there is no torch after 1." in (findings({**contents, **changed})[0].reason or "")


@pytest.mark.parametrize(
    "text",
    [
        "conda install pytorch cudatoolkit=11.3 -c pytorch\n",  # up to torch 1.12
        "conda install pytorch cudatoolkit=10.2 python=3.6\n",  # up to torch 1.10
        "The tables were written with cudatoolkit=10.0\n",  # installs nothing
    ],
)
def test_packages_that_have_torchrun(text: str) -> None:
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": NEVER_READ, "README.md": text}
    assert migrated(contents) == {"run.sh": "torchrun a.py\n"}


def test_new_torch_swaps_the_launcher() -> None:
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": NEVER_READ, "requirements.txt": "torch>=1.10\n"}
    assert migrated(contents) == {"run.sh": "torchrun a.py\n"}


def test_one_destination_of_two_options() -> None:
    contents = files(run_sh=f"{LAUNCH} a.py\n", a_py=TWICE)
    (finding,) = findings(contents)
    assert "only takes" not in finding.message
    script = migrated(contents)["a.py"]
    default = "type=int, default=int(os.environ.get('LOCAL_RANK', -1))"
    assert f"parser.add_argument('--local_rank', {default})" in script
    assert f"parser.add_argument('--local-rank', {default})" in script


def test_the_option_of_another_program_that_is_imported() -> None:
    """It is stored under another name, and has both spellings once its own program has been looked at."""
    other = "import argparse\n\n\ndef other():\n    q = argparse.ArgumentParser()\n"
    other += "    q.add_argument('--local_rank', dest='rank', type=int, default=-1)\n    return q.parse_args()\n"
    contents = {
        "run.sh": f"{LAUNCH} a.py\n{LAUNCH} b.py\n",
        "a.py": TWICE.replace("import os\n", "import b\nimport os\n"),
        "b.py": f"{other}\n\nif __name__ == '__main__':\n    print(other().rank)\n",
    }
    changed = migrated(contents)
    assert changed["run.sh"] == "torchrun a.py\ntorchrun b.py\n"
    default = "default=int(os.environ.get('LOCAL_RANK', -1))"
    assert changed["a.py"].count(default) == 2
    assert f"q.add_argument('--local-rank', '--local_rank', dest='rank', type=int, {default})" in changed["b.py"]


def test_several_parsers_each_learn() -> None:
    script = TWICE.replace(
        "    parser.add_argument('--local-rank'",
        "    other = argparse.ArgumentParser()\n    other.add_argument('--local_rank'",
    )
    changed = migrated(files(run_sh=f"{LAUNCH} a.py\n", a_py=script))["a.py"]
    for parser in ("parser", "other"):
        assert f"{parser}.add_argument('--local-rank', '--local_rank', type=int, default=int(os.environ" in changed


@each_row(
    ("imports", "call"),
    [
        ("from torch.multiprocessing import spawn", "spawn(worker, nprocs=args.gpus, args=(args,))"),
        ("from torch.multiprocessing import spawn as go", "go(worker, nprocs=args.gpus, args=(args,))"),
        ("import torch.multiprocessing as tmp", "tmp.spawn(worker, nprocs=args.gpus, args=(args,))"),
        ("from torch import multiprocessing as m", "m.start_processes(worker, nprocs=args.gpus, args=(args,))"),
    ],
)
def test_spawns_under_any_name(imports: str, call: str) -> None:
    script = SPAWNS.replace("import torch.multiprocessing as mp", imports)
    script = script.replace("mp.spawn(worker, nprocs=args.gpus, args=(args,))", call)
    assert migrated(files(run_sh=f"{LAUNCH} --nproc_per_node=4 a.py\n", a_py=script)) == {"run.sh": "python a.py\n"}


def test_spawns_in_one_branch_and_works_alone_in_the_other() -> None:
    call = "mp.spawn(worker, nprocs=args.gpus, args=(args,))"
    script = SPAWNS.replace(call, f"if args.gpus > 1:\n        {call}\n    else:\n        worker(0, args)")
    for line in (f"{LAUNCH} --nproc_per_node=4 a.py\n", "torchrun --nproc_per_node=4 a.py\n"):
        assert migrated(files(run_sh=line, a_py=script)) == {"run.sh": "python a.py\n"}
    reads = script.replace("worker(0, args)", "worker(int(os.environ['RANK']), args)")
    assert not migrated(files(run_sh=f"{LAUNCH} --nproc_per_node=4 a.py\n", a_py=reads))


@pytest.mark.parametrize(
    "shell",
    [
        f"for s in a b; do {LAUNCH} --nproc_per_node=4 $s.py; done\n",
        f"L='{LAUNCH} --nproc_per_node=4'\n$L a.py\n$L b.py\n",
    ],
)
def test_one_line_for_scripts_that_need_different_launchers(shell: str) -> None:
    contents = {"run.sh": shell, "a.py": SPAWNS, "b.py": READS_ENV}
    assert not migrated(contents)
    for own, other in (("a.py", "b.py"), ("b.py", "a.py")):
        swapped = {"run.sh": shell, own: READS_ENV, other: SPAWNS}
        assert not migrated(swapped)


def test_first_gpu_only_where_the_script_does_not_read_the_rank() -> None:
    reads = NEVER_READ.replace("print(", "import os\nprint(args.local_rank, os.environ['LOCAL_RANK'], ")
    (finding,) = findings(files(run_sh="torchrun --nproc_per_node=2 a.py\n", a_py=reads))
    assert "keep the default 0" in finding.message and "first GPU" not in finding.message
    plain = NEVER_READ.replace("print(", "print(args.local_rank, ")
    (finding,) = findings(files(run_sh="torchrun --nproc_per_node=2 a.py\n", a_py=plain))
    assert "first GPU" in finding.message


def test_sentences_about_the_old_launcher_are_reported_where_commands_change() -> None:
    guide = f"# Run\n\n```\n{LAUNCH} a.py\n```\n\nOn one GPU simply remove `-m torch.distributed.launch`.\n"
    contents = {"README.md": guide, "a.py": READS_ENV}
    found = findings(contents)
    assert [(each.span.line, each.fix is None) for each in found] == [(4, False), (7, True)]
    changed = migrated(contents)
    assert findings({**contents, **changed}) == []
    assert findings({**contents, "README.md": "Remove `-m torch.distributed.launch`.\n"}) == []


def test_launcher_option_of_an_imported_parser() -> None:
    parts = "import argparse\n\ndef parse():\n    p = argparse.ArgumentParser()\n"
    parts += (
        "    p.add_argument('--launcher', choices=['none', 'pytorch'], default='none')\n    return p.parse_args()\n"
    )
    script = "from parts import parse\nargs = parse()\nif args.launcher == 'none':\n    print('one process')\n"
    line = "torchrun --nproc_per_node=2 a.py\n"
    changed = migrated(files(run_sh=line, a_py=script, parts_py=parts))
    assert changed == {"run.sh": "torchrun --nproc_per_node=2 a.py --launcher pytorch\n"}


SETS_THE_VARIABLE = NEVER_READ.replace("import argparse\n", "import argparse\nimport os\n").replace(
    "dist.init", "if 'LOCAL_RANK' not in os.environ:\n    os.environ['LOCAL_RANK'] = str(args.local_rank)\ndist.init"
)


@pytest.mark.parametrize("script", [NEVER_READ, SETS_THE_VARIABLE])
def test_no_default_where_the_value_is_not_used(script: str) -> None:
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": script, "requirements.txt": "torch==1.8.0\n"}
    assert 'add_argument("--local-rank", "--local_rank", type=int, default=0)' in migrated(contents)["a.py"]


@pytest.mark.parametrize("show", ["print(vars(args))", "everything = {**vars(args), 'n': 1}\nprint(everything)"])
def test_arguments_that_are_only_shown(show: str) -> None:
    contents = files(run_sh=f"{LAUNCH} a.py\n", a_py=NEVER_READ.replace("dist.init", f"{show}\ndist.init"))
    assert migrated(contents).keys() == {"run.sh"}


@pytest.mark.parametrize("show", ["start(**vars(args))", "everything = dict(vars(args), n=1)\nstart(everything)"])
def test_arguments_that_something_unknown_gets(show: str) -> None:
    script = NEVER_READ.replace("dist.init", f"from elsewhere import start\n{show}\ndist.init")
    assert migrated(files(run_sh=f"{LAUNCH} a.py\n", a_py=script)).keys() == {"run.sh", "a.py"}


@each_row(
    ("guides", "stays"),
    [
        ({"old/README.md": "My environment is pytorch1.0 and python3.\n"}, True),
        ({"old/docs/start.md": "- Requires PyTorch 1.3\n"}, True),
        ({"README.md": "- Requires PyTorch 1.3\n"}, False),  # the folder that has torchrun
        ({"other/README.md": "- Requires PyTorch 1.3\n"}, False),
        ({"old/README.md": "- Requires PyTorch 1.12\n"}, False),
    ],
)
def test_the_nearest_folder_says_which_torch_it_is_for(guides: dict[str, str], stays: bool) -> None:
    """torchrun at the top is no evidence for an older program in a folder with a guide of its own."""
    contents = {
        "run.sh": "torchrun b.py\n",
        "b.py": READS_ENV,
        "old/run.sh": f"{LAUNCH} a.py\n",
        "old/a.py": NEVER_READ,
    }
    changed = migrated({**contents, **guides})
    assert ("old/a.py" in changed) is stays
    assert ("old/run.sh" not in changed) is stays


@each_row(
    ("guide", "image", "stays"),
    [
        ("- PyTorch 1.7.0, PyTorch 1.8.1", "pip install torch==1.6", True),  # two files, and both name older ones
        ("- PyTorch 1.7.0, PyTorch 1.12", "pip install torch==1.6", False),
        ("- PyTorch 1.7.0", "pip install torch==1.12", False),
        ("- PyTorch 1.7.0", "pip install numpy", False),
        ("", "pip install torch==1.6", False),
    ],
)
def test_a_line_of_torchrun_and_files_that_name_older_ones(guide: str, image: str, stays: bool) -> None:
    contents = {"new.sh": "torchrun b.py\n", "b.py": READS_ENV, "run.sh": f"{LAUNCH} a.py\n", "a.py": NEVER_READ}
    contents |= {"docs/INSTALL.md": f"# Requirements\n{guide}\n", "docker/Dockerfile": f"FROM x\nRUN {image}\n"}
    assert ("run.sh" not in migrated(contents)) is stays


@pytest.mark.parametrize(
    ("requirements", "guide", "stays"),
    [
        ("torch>=1.12\n", "- PyTorch 1.3\n", True),
        ("torch>=1.3\n", "- PyTorch 2.0\n", True),
        ("torch>=1.12\n", "\n", False),
    ],
)
def test_what_a_nearer_guide_says_counts_beside_requirements(requirements: str, guide: str, stays: bool) -> None:
    contents = {"old/run.sh": f"{LAUNCH} a.py\n", "old/a.py": NEVER_READ, "old/README.md": guide}
    assert ("old/run.sh" not in migrated({**contents, "requirements.txt": requirements})) is stays


@each_row(
    ("more", "written"),
    [
        ({"one/requirements.txt": "torch==1.7.0\n"}, None),
        ({"one/requirements.txt": "torch==1.9.0\n"}, "python -m torch.distributed.run"),
        ({"one/requirements.txt": "torch==1.10.0\n"}, "torchrun"),
        ({"one/requirements.txt": "torch==2.1\n"}, "torchrun"),
        ({"one/requirements.txt": "torch==1.7.0\n", "requirements.txt": "torch>=1.12\n"}, "torchrun"),
        ({"one/requirements.txt": "torch==1.7.0\n", "two/README.md": "- PyTorch 1.12\n"}, "torchrun"),
        ({"one/requirements.txt": "torch==1.7.0\n", "new.sh": "torchrun two/a.py\n"}, "torchrun"),
        ({"one/README.md": "### Requirements\n\nPyTorch 1.4\n"}, None),
        ({"README.md": "PyTorch >=1.4.0, torchvision >= 0.4.0\n"}, None),
    ],
)
def test_another_part_of_the_repository_says_which_torch_it_is_for(more: dict[str, str], written: str | None) -> None:
    """Where a folder and the top say nothing: what one part can't run, the other can't either."""
    contents = {"two/run.sh": f"{LAUNCH} a.py\n", "two/a.py": NEVER_READ, **more}
    changed = migrated(contents)
    assert changed.get("two/run.sh") == (None if written is None else f"{written} a.py\n")
    assert ('"--local-rank", "--local_rank"' in changed.get("two/a.py", "")) is (written is None)


def test_a_new_torch_of_another_part_takes_no_spelling_away() -> None:
    contents = {"two/run.sh": f"{LAUNCH} a.py\n", "two/a.py": TAKES_RANK}
    alone = migrated(contents)
    assert alone.keys() == contents.keys()
    assert migrated({**contents, "one/requirements.txt": "torch==2.1\n"}) == alone


def test_a_command_between_three_backticks_on_one_line() -> None:
    """It is no fence that stays open: what follows is text."""
    guide = f"# Run\n```{LAUNCH} --nproc_per_node=2 a.py --x 1```\n\nSome text.\n\n```bash\n{LAUNCH} a.py\n```\n"
    changed = migrated({"README.md": guide, "a.py": READS_ENV})
    assert changed == {"README.md": guide.replace(LAUNCH, "python -m torch.distributed.run")} or changed == {
        "README.md": guide.replace(LAUNCH, "torchrun")
    }


KNOWS = (
    "import argparse\n\n\ndef more():\n    parser = argparse.ArgumentParser()\n    return parser.parse_known_args()\n"
)
OPTION = """\
import argparse
import torch
import helper

config_parser = argparse.ArgumentParser()
config_parser.add_argument('--config')
parser = argparse.ArgumentParser()
parser.add_argument('--local_rank', type=int, default=0)


def parse():
    {first}
    return parser.{how}()


args = parse(){rest}
torch.cuda.set_device(args.local_rank)
"""


@each_row(
    ("first", "how", "rest", "stops"),
    [
        ("pass", "parse_args", "", True),  # `helper` has a parser of its own
        ("left = config_parser.parse_known_args()", "parse_args", "", True),
        ("pass", "parse_known_args", "[0]", False),
        ("config_parser.parse_args()", "parse_known_args", "[0]", False),
    ],
)
def test_whether_a_rank_stops_is_up_to_the_parser_that_has_the_option(
    first: str, how: str, rest: str, stops: bool
) -> None:
    script = OPTION.format(first=first, how=how, rest=rest)
    (found,) = findings({"run.sh": f"{LAUNCH} a.py\n", "a.py": script, "helper.py": KNOWS})
    said = found.message.partition(". T")[0]
    assert ("every rank stops with `unrecognized arguments`" in said) is stops
    assert ("would keep the default 0 and use the first GPU" in said) is not stops


@pytest.mark.parametrize("used", [False, True])
def test_an_option_that_nothing_reads_any_more_is_named(used: bool) -> None:
    script = (
        "import argparse\nimport torch.distributed as dist\nparser = argparse.ArgumentParser()\n"
        "parser.add_argument('--local_rank', type=int)\nparser.add_argument('--port', default='9999')\n"
        "args = parser.parse_args()\ndist.init_process_group('gloo', init_method='tcp://127.0.0.1:' + args.port, "
        "world_size=2, rank=args.local_rank)\n" + ("print(args.port)\n" if used else "")
    )
    (found,) = findings({"run.sh": f"{LAUNCH} --nproc_per_node=2 a.py\n", "a.py": script})
    assert found.fix is not None
    assert ("nothing reads `args.port` any more" in found.fix.title) is not used


OVERWRITTEN = """\
import argparse

parser = argparse.ArgumentParser()
parser.add_argument("--local_rank", default=0, type=int)
parser.set_defaults(**{"size": 2})
args = parser.parse_args()
print(args.local_rank)
import torch
"""


def test_a_script_that_takes_what_a_line_passes_that_stays_needs_no_more() -> None:
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": OVERWRITTEN, "requirements.txt": "torch>=1.4\n"}
    changed = migrated(contents)
    assert changed == {"a.py": OVERWRITTEN.replace('"--local_rank"', '"--local-rank", "--local_rank"')}
    (reason,) = reasons({**contents, **changed})
    assert "names torch 1.4" in reason


GONE = f"{LAUNCH} --use_env gone.py\n"


def test_line_of_a_script_that_is_not_here_stays_for_old_torch() -> None:
    (reason,) = reasons({"run.sh": GONE, "requirements.txt": "torch==1.3\n"})
    assert "names torch 1.3" in reason
    changed = migrated({"run.sh": GONE, "requirements.txt": "torch==1.13\n"})
    assert changed["run.sh"] == "torchrun gone.py\n"


ONE_OPTION = (
    "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--local_rank', type=int, default=0)\n"
)
TAKES_RANK = f"import torch\n{ONE_OPTION}args = parser.parse_args()\ntorch.cuda.set_device(args.local_rank)\n"
BY_NAME = f"```\n{LAUNCH} train.py\n```\n"


def test_script_that_a_guide_names_without_its_folder() -> None:
    contents = {"README.md": BY_NAME, "tools/train.py": TAKES_RANK}
    changed = migrated(contents)
    assert changed["README.md"] == "```\ntorchrun train.py\n```\n"
    assert "LOCAL_RANK" in changed["tools/train.py"]
    assert migrated({**contents, **changed}) == {}


def test_scripts_of_one_name_that_share_their_options() -> None:
    script = "import torch\nfrom engine.cli import parser\nargs = parser.parse_args()\nprint(args.local_rank)\n"
    shared = {"engine/cli.py": ONE_OPTION, "one/train.py": script, "two/train.py": script}
    changed = migrated({"README.md": BY_NAME, **shared})
    assert sorted(changed) == ["README.md", "engine/cli.py"]
    assert changed["engine/cli.py"].count("LOCAL_RANK") == 1


@each_row(
    ("guide", "scripts"),
    [
        (BY_NAME, {"one/train.py": READS_ENV, "two/train.py": READS_ENV}),
        (BY_NAME, {"one/train.py": TAKES_RANK, "two/train.py": READS_ENV}),
        (BY_NAME, {"one/pretrain.py": READS_ENV}),
        (BY_NAME.replace("```\n", "```\ncd other\n", 1), {"one/train.py": READS_ENV}),
        (BY_NAME.replace("train.py", "./gone/train.py"), {"one/train.py": READS_ENV}),
    ],
)
def test_guides_that_may_mean_another_script_stay(guide: str, scripts: dict[str, str]) -> None:
    assert migrated({"README.md": guide, **scripts}) == {}


BELOW = "```\n{went}\n```\nFor example:\n```\n{launch} bin/train.py\n```\n"


@each_row(
    ("went", "scripts", "changes"),
    [
        ("cd ./code", ["code/bin/train.py"], True),
        ("$ cd code/ && ls", ["code/bin/train.py"], True),
        ("cd TOOL/code", ["code/bin/train.py"], True),
        ("cd codes", ["code/bin/train.py"], False),
        ("ls code", ["code/bin/train.py"], False),
        ("cd code", ["code/bin/train.py", "other/bin/train.py"], False),
        ("cd code", ["code/x/bin/train.py"], False),
    ],
)
def test_a_guide_that_went_to_a_folder_stays_there(went: str, scripts: list[str], changes: bool) -> None:
    guide = BELOW.format(went=went, launch=LAUNCH)
    assert list(migrated({"README.md": guide, **dict.fromkeys(scripts, READS_ENV)})) == ["README.md"] * changes


def test_a_guide_that_goes_to_a_folder_later_was_not_there() -> None:
    guide = f"```\n{LAUNCH} bin/train.py\n```\n```\ncd code\n```\n"
    assert migrated({"README.md": guide, "code/bin/train.py": READS_ENV}) == {}


def test_shell_script_names_the_file_beside_it() -> None:
    contents = {"run.sh": f"{LAUNCH} train.py\n", "tools/train.py": TAKES_RANK}
    assert "run.sh" not in migrated(contents)


def test_text_of_a_guide_whose_command_stays_is_not_reported() -> None:
    guide = f"Use `torch.distributed.launch`:\n\n{BY_NAME}"
    old = {"README.md": guide, "tools/train.py": TAKES_RANK, "requirements.txt": "torch==1.7\n"}
    assert list(migrated(old)) == ["tools/train.py"]
    assert [each.span.line for each in findings(old)] == [4]
    new = {**old, "requirements.txt": "torch==1.13\n"}
    assert sorted(each.span.line for each in findings(new)) == [1, 4]


STARTS = """\
import argparse
from multiprocessing import Process
import torch
from tools import dist_util
from tools.dist_util import {function}

def main(args):
    torch.cuda.set_device(args.local_rank)

if __name__ == "__main__":
    parser = argparse.ArgumentParser()
    parser.add_argument("--local_rank", type=int, default=0)
    args = parser.parse_args()
    for rank in range(4):
        args.local_rank = rank
        Process(target={target}, args=(rank, 4, main, args)).start()
"""
JOINS = """\
import torch.distributed as dist

def init_processes(rank, size, fn, args):
    dist.init_process_group("nccl", rank=rank, world_size=size)
    fn(args)

def log_only(rank, size, fn, args):
    print(rank)
"""


@each_row(
    ("function", "target", "own"),
    [
        ("init_processes", "init_processes", True),
        ("init_processes", "dist_util.init_processes", True),
        ("log_only", "log_only", False),
        ("log_only", "dist_util.log_only", False),
    ],
)
def test_ranks_whose_function_another_file_defines(function: str, target: str, own: bool) -> None:
    """The script sets the local rank of each process that it starts: no launcher is needed."""
    script = STARTS.format(function=function, target=target)
    assert bool(findings({"train.py": script, "tools/dist_util.py": JOINS, "tools/__init__.py": ""})) is not own


@each_row(
    ("holding", "held"),
    [
        ({"requirements.txt": "torch==1.7.0\n"}, "requirements.txt:1 names torch 1.7"),
        ({"setup.py": "install_requires=['torch>=1.4,<2']\n"}, "setup.py:1 names torch 1.4"),
        ({"environment.yml": "dependencies:\n  - pytorch=1.12.1\n"}, "environment.yml:2 names torch 1.12"),
        ({"Dockerfile": "FROM pytorch/pytorch:1.6.0-cuda10.1\n"}, "Dockerfile:1 names torch 1.6"),
        ({"requirements.txt": "torch>=1.7\n"}, None),
        ({"requirements.txt": "torch==1.7\n", "Dockerfile": "FROM pytorch/pytorch:2.1.0-cuda12\n"}, None),
        ({"requirements.txt": "torch==1.7\n", "README.md": "- PyTorch 2.0\n"}, None),
        ({"README.md": "- PyTorch 1.7\n"}, None),
        ({"two/requirements.txt": "torch==1.7\n"}, None),
    ],
)
def test_a_torch_before_2_passes_the_old_spelling(holding: dict[str, str], held: str | None) -> None:
    (finding,) = findings({"run.sh": f"{LAUNCH} a.py\n", "a.py": NEVER_READ, **holding})
    if held is None:
        assert "passes --local-rank=N (since torch 2.0), and `a.py` only takes --local_rank" in finding.message
        assert finding.confidence is Confidence.PROVEN
    else:
        assert finding.message.startswith(
            "torch.distributed.launch passes --local-rank=N from torch 2.0 on, and `a.py` only takes --local_rank: "
            f"every rank stops with `unrecognized arguments` there ({held})"
        )
        assert finding.confidence is Confidence.LIKELY


def test_an_option_that_only_takes_the_new_spelling_stops_under_an_old_torch() -> None:
    script = NEVER_READ.replace("--local_rank", "--local-rank")
    (finding,) = findings({"run.sh": f"{LAUNCH} a.py\n", "a.py": script, "requirements.txt": "torch==1.7\n"})
    assert "passes --local_rank=N (before torch 2.0)" in finding.message
    assert finding.confidence is Confidence.PROVEN


@each_row(
    ("new", "renamed"),
    [
        ("torchrun --nproc_per_node=2 --rdzv_id=1 a.py --x", False),
        ("python -m torch.distributed.run --nproc_per_node=2 a.py --x", False),
        ("torchrun --nproc_per_node=2 b.py --x", True),
        ("torchrun --nproc_per_node=2 a.py --y", True),
        ("torchrun --nproc_per_node=2 --nnodes=2 a.py --x", True),
    ],
)
def test_a_guide_that_shows_a_command_with_either_launcher(new: str, renamed: bool) -> None:
    guide = f"## Older torch\n```sh\n{LAUNCH} a.py --x\n```\n## Newer torch\n```sh\n{new}\n```\n"
    changed = migrated({"README.md": guide, "a.py": READS_ENV})
    assert ("README.md" in changed) is renamed


def test_a_script_that_a_guide_starts_with_either_launcher_takes_both_spellings() -> None:
    guide = f"```sh\n{LAUNCH} a.py\n```\nor\n```sh\ntorchrun a.py\n```\n"
    changed = migrated({"README.md": guide, "a.py": f"{NEVER_READ}print(args.local_rank)\n"})
    assert changed.keys() == {"a.py"}
    assert 'add_argument("--local-rank", "--local_rank", type=int, default=int(' in changed["a.py"]


@each_row(
    ("entry", "sets", "more", "known"),
    [
        ("${ROOT}/bin/lm/train.py", "export ROOT=$PWD/../..", {}, True),
        ("$ROOT/bin/lm/train.py", "ROOT=`pwd`", {}, True),
        ('"$ROOT"/bin/lm/train.py', 'ROOT="$(cd $(dirname $0)/..; pwd)"', {}, True),
        ('"$ROOT/bin/lm/train.py"', "ROOT=..", {}, True),
        ("$ROOT/train.py", "ROOT=$PWD", {}, False),
        ("$ROOT/lm/$NAME/train.py", "ROOT=$PWD", {}, False),
        ("$ROOT/bin/lm/train.py", "ROOT=/opt/toolkit", {}, False),
        ("$ROOT/bin/lm/train.py", "ROOT=$PWD\nROOT=/opt/toolkit", {}, False),
        ("$ROOT/bin/lm/train.py", "ROOT=$HOME/toolkit", {}, False),
        ("$ROOT/bin/lm/train.py", "OTHER=$PWD", {}, False),
        ("$ROOT/bin/lm/train.py", "ROOT=$PWD", {"old/bin/lm/train.py": READS_ENV}, False),
    ],
)
def test_a_script_below_a_folder_that_another_script_sets(
    entry: str, sets: str, more: dict[str, str], known: bool
) -> None:
    files = {"egs/run.sh": f"{LAUNCH} {entry}\n", "egs/path.sh": f"{sets}\n", "bin/lm/train.py": READS_ENV, **more}
    assert ("egs/run.sh" in migrated(files)) is known


@each_row(
    ("entry", "more", "known"),
    [
        ("$BASE/examples/lm/train.py", {}, True),
        ("/home/me/repo/examples/lm/train.py", {}, True),
        ("$BASE/examples/lm/train.py", {"old/examples/lm/train.py": READS_ENV}, True),
        ("$BASE/examples/asr/train.py", {"examples/asr/train.py": READS_ENV}, True),  # in a folder beside it
        ("$BASE/examples/train.py", {"examples/train.py": READS_ENV}, False),
        ("$BASE/tools/train.py", {"tools/train.py": READS_ENV}, False),
        ("$BASE/train.py", {"train.py": READS_ENV}, False),
        ("$BASE/lm/train.py", {}, False),
        ("$OTHER/examples/lm/train.py", {}, False),
    ],
)
def test_a_script_of_a_checkout_that_is_named_by_its_whole_path(entry: str, more: dict[str, str], known: bool) -> None:
    files = {"examples/lm/run.sh": f"BASE=/home/me/repo\n{LAUNCH} {entry}\n", "examples/lm/train.py": READS_ENV, **more}
    assert ("examples/lm/run.sh" in migrated(files)) is known


@pytest.mark.parametrize("name", ["PYTORCH_VERSION := 1.4.0", "TORCH_VERSION ?= 1.4", "export TORCH_VERSION=1.4"])
def test_the_torch_that_a_makefile_installs(name: str) -> None:
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": NEVER_READ, "tools/Makefile": f"{name}\nall:\n\ttrue\n"}
    changed = migrated(contents)
    assert changed.keys() == {"a.py"}
    assert "names torch 1.4" in (findings({**contents, **changed})[0].reason or "")


def test_a_script_of_another_checkout_that_is_named_like_one_beside_the_line() -> None:
    files = {"tools/run.sh": f"{LAUNCH} /opt/detection/tools/train.py\n", "tools/train.py": READS_ENV}
    assert "tools/run.sh" not in migrated(files)
