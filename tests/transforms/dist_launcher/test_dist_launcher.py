"""The dist-launcher rule on small repositories in memory: what it reads, writes, refuses and leaves alone."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from codemods.engine.migrate import plan
from codemods.finding import Confidence, Finding
from codemods.launch.bash import read
from codemods.launch.entry_places import entry_places
from codemods.launch.lines import LaunchLine, launch_lines
from codemods.project import Project
from codemods.settings import Settings
from codemods.transforms.dist_launcher import RULE
from codemods.transforms.dist_launcher.torch_version import named_versions, oldest_for
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

LAUNCH = "python -m torch.distributed.launch"
# the script only reads the environment: the launcher's argument is what stops it
READS_ENV = "import argparse, os\nargparse.ArgumentParser().parse_args()\nprint(os.environ['LOCAL_RANK'])\n"
HEARS_ARGUMENT = """\
import argparse
parser = argparse.ArgumentParser()
parser.add_argument('--local_rank', type=int, default=0)
args = parser.parse_args()
print(args.local_rank)
"""


def files(**contents: str) -> dict[str, str]:
    """`train_sh="..."` as {"train.sh": "..."}: the last underscore stands for the dot."""
    return {".".join(name.rsplit("_", 1)): text for name, text in contents.items()}


def findings(contents: dict[str, str], **settings: str) -> list[Finding]:
    files = MemoryFiles({path: text.encode() for path, text in contents.items()})
    return list(RULE.find(Project(files, Settings(**settings))))  # type: ignore[arg-type]


def migrated(contents: dict[str, str], **settings: bool | str) -> dict[str, str]:
    """The files that change, after `migrate --select dist-launcher`."""
    done = plan(
        MemoryFiles({path: text.encode() for path, text in contents.items()}),
        Settings(select=("dist-launcher",), **settings),  # type: ignore[arg-type]
    )
    assert not done.skipped
    return {path: data.decode() for path, data in done.contents.items()}


def reasons(contents: dict[str, str]) -> list[str]:
    assert not migrated(contents)
    return [finding.reason for finding in findings(contents) if finding.reason is not None]


def lines(text: str, path: str = "run.sh") -> list[LaunchLine]:
    return launch_lines(read(path, text))


# reading shell


@each_row(
    ("text", "entry", "arguments"),
    [
        pytest.param("torchrun --nproc_per_node 2 a.py --x 1", "a.py", ["--x", "1"], id="flag with a separate value"),
        pytest.param("torchrun --nproc_per_node=2 --standalone a.py", "a.py", [], id="switch takes no value"),
        pytest.param("torchrun '--nnodes' 1 'a.py' 'x y'", "'a.py'", ["'x y'"], id="quoted words"),
        pytest.param('torchrun "--nnodes" 1 "a.py" "x y"', '"a.py"', ['"x y"'], id="words in other quotes"),
        pytest.param("torchrun $FLAGS a.py", "a.py", [], id="unknown variable before a .py is flags"),
        pytest.param("F='--nnodes 1'\ntorchrun $F a.py b", "a.py", ["b"], id="flags in a variable"),
        pytest.param('F=(--nnodes 1)\ntorchrun "${F[@]}" a.py', "a.py", [], id="flags in an array"),
        pytest.param("L=torchrun\n$L a.py", "a.py", [], id="launcher in a variable"),
        pytest.param("S=a.py\ntorchrun $S x", "$S", ["x"], id="script in a variable"),
        pytest.param(
            "S=a.py\ntorchrun $S b.py", "$S", ["b.py"], id="script in a variable, and another as its argument"
        ),
        pytest.param("S=a\ntorchrun $S.py b.py", "$S.py", ["b.py"], id="part of the script in a variable"),
        pytest.param("torchrun > log a.py --x", "a.py", ["--x"], id="redirection in the middle"),
        pytest.param("> log torchrun a.py --x", "a.py", ["--x"], id="redirection in front"),
        pytest.param("torchrun <<< yes a.py --x", "a.py", ["--x"], id="a text as its input"),
        pytest.param("torchrun a.py --x 2>&1 | tee log", "a.py", ["--x"], id="redirection and pipe"),
        pytest.param("(cd x && time torchrun a.py &)", "a.py", [], id="subshell in the background"),
        pytest.param("srun -N 2 bash -c 'torchrun a.py --x'", "a.py", ["--x"], id="a command given to bash -c"),
        pytest.param("if true; then exec torchrun a.py; fi", "a.py", [], id="exec in a branch"),
        pytest.param("f() { torchrun a.py $@; }", "a.py", ["$@"], id="in a function"),
        pytest.param("torchrun --a=1 -- a.py", "a.py", [], id="two dashes end the flags"),
        pytest.param("torchrun \\\n  --nnodes 1 \\\n  a.py \\\n  --x\n", "a.py", ["--x"], id="continued lines"),
        pytest.param("# é\ntorchrun ünï.py ß", "ünï.py", ["ß"], id="offsets count characters"),
    ],
)
def test_reads_the_line(text: str, entry: str, arguments: list[str]) -> None:
    (line,) = lines(text)
    assert line.entry is not None
    assert (line.entry.text, [word.text for word in line.arguments]) == (entry, arguments)
    assert text[line.entry.start : line.entry.end] == entry
    assert line.entry_values and line.entry_values[0].endswith(".py")


@each_row(
    "text",
    [
        "# torchrun a.py",
        "echo torchrun a.py",
        "echo 'python -m torch.distributed.launch a.py' > job.sh",
        "cat <<EOF\ntorchrun a.py\nEOF",
        "cat <<'EOF' > job.txt\npython -m torch.distributed.launch a.py\nEOF\n",
        "pkill -f torchrun",
        "which torchrun && pip install torchrun",
        "x=$((RANDOM<<15))  # torchrun a.py\n",
        "deepspeed --module torch.distributed.launch a.py",
        "accelerate launch --use_torchrun torchrun",
        "python torchrun.py",
        "python tools/count.py --name torchrun",
        "grep -r torch.distributed.launch .",
        "[ -x torchrun ]",
        "python -c 'import torch.distributed.launch'",
    ],
)
def test_starts_nothing(text: str) -> None:
    assert lines(text) == []
    assert findings({"run.sh": text + "\n", "a.py": HEARS_ARGUMENT}) == []


@each_row(
    ("shell", "path", "place"),
    [
        ("torchrun a.py", "tools/scripts/run.sh", ["tools/scripts/a.py", "tools/a.py", "a.py"]),
        ('torchrun $(dirname "$0")/a.py', "tools/run.sh", ["tools/a.py"]),
        ('torchrun "$(dirname $0)/../a.py"', "tools/run.sh", ["a.py"]),
        ("torchrun `dirname $0`/a.py", "tools/run.sh", ["tools/a.py"]),
        ("torchrun ${0%/*}/a.py", "tools/run.sh", ["tools/a.py"]),
        ('D=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)\ntorchrun ${D}/../a.py', "tools/run.sh", ["a.py"]),
        ('R=$(realpath "$(dirname "$0")/..")\ntorchrun "$R"/x/a.py', "tools/run.sh", ["x/a.py"]),
        ('cd "$(dirname "$0")/.." || exit\ncd x\ntorchrun a.py', "tools/run.sh", ["x/a.py"]),
        ("(cd y)\ncd x && torchrun a.py", "run.sh", ["x/a.py"]),
        ("cd x\ncd -\ntorchrun a.py", "run.sh", ["a.py"]),
        ("torchrun ./a.py", "run.sh", ["a.py"]),
        ("torchrun /opt/a.py", "run.sh", []),
        ("torchrun $(dirname $0)/../../a.py", "tools/run.sh", []),
        ("torchrun ${MAIN:-x/a.py}", "run.sh", ["x/a.py"]),
    ],
)
def test_finds_the_script(shell: str, path: str, place: list[str]) -> None:
    (line,) = lines(shell, path)
    assert entry_places(line, line.entry_values[0])[0] == place


# writing


@each_row(
    ("before", "after"),
    [
        (f"{LAUNCH} --nproc_per_node=2 a.py", "torchrun --nproc_per_node=2 a.py"),
        ("python3 -m torch.distributed.launch a.py", "torchrun a.py"),
        ("python3.8 -m torch.distributed.launch a.py", "python3.8 -m torch.distributed.run a.py"),
        ("/env/bin/python -m torch.distributed.launch a.py", "/env/bin/python -m torch.distributed.run a.py"),
        ("$PYTHON -m torch.distributed.launch a.py", "$PYTHON -m torch.distributed.run a.py"),
        ('"${PY:-python}" -m torch.distributed.launch a.py', '"${PY:-python}" -m torch.distributed.run a.py'),
        ("python -um torch.distributed.launch a.py", "python -um torch.distributed.run a.py"),
        ("python -mtorch.distributed.launch a.py", "torchrun a.py"),
        ("python -u -W ignore -m torch.distributed.launch a.py", "python -u -W ignore -m torch.distributed.run a.py"),
        ("python \\\n  -m torch.distributed.launch \\\n  a.py", "torchrun \\\n  a.py"),
        (f'X=1 Y="$(pwd)" nohup {LAUNCH} a.py > l 2>&1 &', 'X=1 Y="$(pwd)" nohup torchrun a.py > l 2>&1 &'),
        (f"srun --mpi=none {LAUNCH} a.py", "srun --mpi=none torchrun a.py"),
        (f"{LAUNCH} --use_env a.py", "torchrun a.py"),
        (f"{LAUNCH} --use-env --nnodes 2 --node_rank $R a.py", "torchrun --nnodes 2 --node_rank $R a.py"),
        (f"{LAUNCH} --nnodes 1 \\\n  --use_env \\\n  a.py # é", "torchrun --nnodes 1 \\\n  a.py # é"),
        (f"F='--use_env --nnodes 1'\n{LAUNCH} $F a.py", "F='--nnodes 1'\ntorchrun $F a.py"),
        (f"F='--nnodes 1 --use_env'\n{LAUNCH} $F a.py", "F='--nnodes 1'\ntorchrun $F a.py"),
        (f'L="{LAUNCH} --nnodes 1"\n$L a.py\necho $L', 'L="torchrun --nnodes 1"\n$L a.py\necho $L'),
        (f'L="{LAUNCH}"\n$L a.py --x\n$L b.py', 'L="torchrun"\n$L a.py --x\n$L b.py'),
        (f'L="{LAUNCH} a.py"\neval $L', 'L="torchrun a.py"\neval $L'),
        (f'srun bash -c "{LAUNCH} a.py $X"', 'srun bash -c "torchrun a.py $X"'),
        (
            f"if $S; then L='srun python'; else L='{LAUNCH}'; fi\n$L a.py",
            "if $S; then L='srun python'; else L='torchrun'; fi\n$L a.py",
        ),
        (
            f"for s in a b; do {LAUNCH} $s.py; done\n{LAUNCH} a.py",
            f"for s in a b; do {LAUNCH} $s.py; done\ntorchrun a.py",
        ),
        (f"for s in a.py b.py; do {LAUNCH} $s; done", "for s in a.py b.py; do torchrun $s; done"),
        (f"{LAUNCH} a.py\r\n{LAUNCH} b.py\r\n", "torchrun a.py\r\ntorchrun b.py\r\n"),
        (f"{LAUNCH} -m pkg.main --x", "torchrun -m pkg.main --x"),
        (f"{LAUNCH} --module pkg", "torchrun --module pkg"),
        ("torchrun --use_env a.py", "torchrun a.py"),
        (f"{LAUNCH} --use_env $SCRIPT", "torchrun $SCRIPT"),
        (
            f'C="{LAUNCH} \\\n  a.py | tee -a $X"\necho $C\neval $C',
            'C="torchrun \\\n  a.py | tee -a $X"\necho $C\neval $C',
        ),
        (f"eval '{LAUNCH} a.py &> log 2>&1'", "eval 'torchrun a.py &> log 2>&1'"),
        (f"mpirun -np 1 -H host1 {LAUNCH} a.py", "mpirun -np 1 -H host1 torchrun a.py"),
        (f"screen -dmS t {LAUNCH} a.py", "screen -dmS t torchrun a.py"),
        (f'screen -dmS t bash -c "{LAUNCH} a.py"', 'screen -dmS t bash -c "torchrun a.py"'),
        (f"tmux new-session -d {LAUNCH} a.py", "tmux new-session -d torchrun a.py"),
        (f"time {LAUNCH} a.py", "time torchrun a.py"),
        (f"cd . && exec {LAUNCH} a.py", "cd . && exec torchrun a.py"),
        (f'f() {{ {LAUNCH} a.py "$@"; }}\nf 1', 'f() { torchrun a.py "$@"; }\nf 1'),
        (f'C=({LAUNCH} --use_env --x 2)\n"${{C[@]}}" a.py', 'C=(torchrun --x 2)\n"${C[@]}" a.py'),
        (f"eval {LAUNCH} a.py", "eval torchrun a.py"),
        (f"sudo -E env A=$A {LAUNCH} a.py", "sudo -E env A=$A torchrun a.py"),
        (f"conda run -n x {LAUNCH} a.py", "conda run -n x torchrun a.py"),
        (f"poetry run {LAUNCH} a.py", "poetry run torchrun a.py"),
        (f"{LAUNCH} a.py > >(tee log) 2>&1", "torchrun a.py > >(tee log) 2>&1"),
        (f"case $1 in a) {LAUNCH} a.py ;; *) exit ;; esac", "case $1 in a) torchrun a.py ;; *) exit ;; esac"),
        (f"until {LAUNCH} a.py; do sleep 1; done", "until torchrun a.py; do sleep 1; done"),
        (f"if ! {LAUNCH} a.py; then exit 1; fi", "if ! torchrun a.py; then exit 1; fi"),
        (f"[[ $X ]] && {LAUNCH} a.py || exit 1", "[[ $X ]] && torchrun a.py || exit 1"),
        (f"x=$({LAUNCH} a.py)", "x=$(torchrun a.py)"),
        (f"{LAUNCH} --x $(nvidia-smi -L | wc -l) a.py", "torchrun --x $(nvidia-smi -L | wc -l) a.py"),
        (f"{LAUNCH} --use_env a.py --use_env", "torchrun a.py --use_env"),
        (f"{LAUNCH} \"a.py\" 'x y'", "torchrun \"a.py\" 'x y'"),
        (f"S=a\n{LAUNCH} ${{S}}.py", "S=a\ntorchrun ${S}.py"),
        ("$(which python) -m torch.distributed.launch a.py", "$(which python) -m torch.distributed.run a.py"),
        ("coverage run -m torch.distributed.launch a.py", "coverage run -m torch.distributed.run a.py"),
    ],
)
def test_renames_the_launcher(before: str, after: str) -> None:
    scripts = dict.fromkeys(("a.py", "b.py", "pkg/main.py", "pkg/__main__.py"), READS_ENV)
    contents = {"run.sh": before, "pkg/__init__.py": "", **scripts}
    assert migrated(contents) == {"run.sh": after}


@each_row("name", ["run.bash", "job.sbatch", "job.slurm", "launch"])
def test_reads_every_kind_of_script(name: str) -> None:
    text = f"#!/usr/bin/env bash\n{LAUNCH} a.py\n"
    assert migrated({name: text, "a.py": READS_ENV}) == {name: "#!/usr/bin/env bash\ntorchrun a.py\n"}


@each_row(
    ("before", "after"),
    [
        ("'--local_rank', type=int, default=0", "'--local-rank', '--local_rank', type=int, default=int({}, 0))"),
        ('"--local_rank", type=int, default=-1', '"--local-rank", "--local_rank", type=int, default=int({}, -1))'),
        ('"--local-rank", type=int, default=-1', '"--local-rank", "--local_rank", type=int, default=int({}, -1))'),
        ('"--local_rank", type=int', '"--local-rank", "--local_rank", type=int, default={})'),
        (
            '"--local_rank", type=int, default=None, help="x"',
            '"--local-rank", "--local_rank", type=int, default={}), help="x"',
        ),
        ('"--local_rank", type=int, required=True', '"--local-rank", "--local_rank", type=int, default={})'),
        (
            '"--local_rank", required=True, type=int, help="x"',
            '"--local-rank", "--local_rank", default={}), type=int, help="x"',
        ),
        ('"--local_rank", default=0', '"--local-rank", "--local_rank", default={}, 0)'),
        ('"--local_rank", type=int, default="0"', '"--local-rank", "--local_rank", type=int, default=int({}, "0"))'),
        (
            '"-l", "--local_rank", type=int, default=0',
            '"-l", "--local-rank", "--local_rank", type=int, default=int({}, 0))',
        ),
        (
            '"--local_rank", dest="local_rank", type=int, default=0',
            '\n    "--local-rank",\n    "--local_rank",\n    dest="local_rank",\n    type=int,\n'
            "    default=int({}, 0)),\n",
        ),
        (
            '\n    "--local_rank",  # from the launcher\n    type=int,\n    default=0,\n    help="gpu",\n',
            '\n    "--local-rank", "--local_rank",  # from the launcher\n    type=int,\n    default=int({}, 0)),\n'
            '    help="gpu",\n',
        ),
        (
            '\n    "--local_rank",\n    type=int,\n',
            '\n    "--local-rank",\n    "--local_rank",\n    type=int,\n    default={}),\n',
        ),
    ],
)
def test_teaches_the_option(before: str, after: str) -> None:
    quote = "'" if before.startswith("'") else '"'
    after = after.replace("{}", f"os.environ.get({quote}LOCAL_RANK{quote}")
    script = "import argparse\nimport os\np = argparse.ArgumentParser()\np.add_argument(%s)\n"
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": script.replace("%s", before)}
    contents["a.py"] += "args = p.parse_args()\nprint(args.local_rank)\n"
    changed = migrated(contents)
    assert changed == {"run.sh": "torchrun a.py\n", "a.py": contents["a.py"].replace(before, after)}
    rank = {}
    for environment in ({"LOCAL_RANK": "3"}, {}):
        for arguments in (["--local-rank=1"], ["--local_rank", "1"], []):
            rank[bool(environment), bool(arguments)] = _parsed(changed["a.py"], environment, arguments)
    old = _parsed(contents["a.py"], {}, [])
    assert rank[True, True] == rank[False, True] in (1, "1")
    assert rank[True, False] in (3, "3")
    assert rank[False, False] == old or "required" in before


def _parsed(script: str, environment: dict[str, str], arguments: list[str]) -> object:
    """`args.local_rank` of `script`, run in this process; the string "stopped" when argparse stops it."""
    import argparse
    import os
    import sys
    from unittest import mock

    names: dict[str, object] = {"print": lambda *_: None}
    with mock.patch.dict(os.environ, environment), mock.patch.object(sys, "argv", ["a.py", *arguments]):
        try:
            exec(compile(script, "a.py", "exec"), names)
        except SystemExit:
            return "stopped"
    args = names["args"]
    assert isinstance(args, argparse.Namespace)
    return args.local_rank


def test_line_and_script_are_one_fix() -> None:
    (finding,) = findings(files(run_sh=f"{LAUNCH} a.py\n", a_py=HEARS_ARGUMENT))
    assert finding.confidence is Confidence.PROVEN
    assert finding.fix is not None and finding.fix.paths == {"run.sh", "a.py"} and finding.fix.unsafe is None
    assert [(hop.path, hop.line) for hop in finding.trace] == [("run.sh", 1), ("a.py", 1), ("a.py", 3), ("a.py", 5)]
    assert "--local-rank=N" in finding.message and "default 0" in finding.message


def test_several_lines_start_one_script() -> None:
    shell = f"{LAUNCH} a.py\ntorchrun a.py\ndeepspeed a.py\n"
    changed = migrated(files(run_sh=shell, more_sh=f"{LAUNCH} a.py\n", a_py=HEARS_ARGUMENT))
    assert changed["run.sh"] == "torchrun a.py\ntorchrun a.py\ndeepspeed a.py\n"
    assert changed["more.sh"] == "torchrun a.py\n"
    assert changed["a.py"].count("LOCAL_RANK") == 1 and changed["a.py"].count("import os") == 1


# scripts that need nothing, or less


@each_row(
    "script",
    [
        pytest.param(
            "import argparse, os\np = argparse.ArgumentParser()\n"
            "p.add_argument('--local_rank', type=int, default=int(os.environ.get('LOCAL_RANK', 0)))\n"
            "args = p.parse_args()\nprint(args.local_rank)\n",
            id="default from the environment",
        ),
        pytest.param(
            "import argparse, os\nRANK = int(os.getenv('LOCAL_RANK', -1))\np = argparse.ArgumentParser()\n"
            "p.add_argument('--local_rank', type=int, default=RANK)\nargs = p.parse_args()\nprint(args.local_rank)\n",
            id="default from a variable that holds it",
        ),
        pytest.param(
            "import argparse, os\np = argparse.ArgumentParser()\np.add_argument('--local_rank', type=int, default=0)\n"
            "args = p.parse_args()\nif 'LOCAL_RANK' not in os.environ:\n"
            "    os.environ['LOCAL_RANK'] = str(args.local_rank)\n",
            id="used only when there is no launcher",
        ),
        pytest.param(
            "import argparse, os\np = argparse.ArgumentParser()\np.add_argument('--local_rank', type=int)\n"
            "args = p.parse_args()\nif args.local_rank is None:\n    args.local_rank = int(os.environ['LOCAL_RANK'])\n"
            "print(args.local_rank)\n",
            id="filled from the environment",
        ),
        pytest.param(
            "import argparse, os\np = argparse.ArgumentParser()\n"
            "p.add_argument('--local_rank', type=int, default=-1)\nargs = p.parse_args()\n"
            "env = int(os.environ.get('LOCAL_RANK', -1))\nif env != -1 and env != args.local_rank:\n"
            "    args.local_rank = env\nprint(args.local_rank)\n",
            id="filled from a variable",
        ),
        pytest.param(
            "import argparse\np = argparse.ArgumentParser()\np.add_argument('--local_rank', default=0)\n"
            "p.parse_args()\n",
            id="never used",
        ),
    ],
)
def test_script_hears_its_rank_already(script: str) -> None:
    assert migrated(files(run_sh=f"{LAUNCH} a.py\n", a_py=script)) == {"run.sh": "torchrun a.py\n"}
    assert findings(files(run_sh="torchrun a.py\n", a_py=script)) == []


@pytest.mark.parametrize(
    "parser",
    [
        pytest.param(
            "p = argparse.ArgumentParser()\ng = p.add_argument_group('x')\ng.add_argument(OPTION)\n", id="group"
        ),
        pytest.param(
            "base = argparse.ArgumentParser(add_help=False)\nbase.add_argument(OPTION)\n"
            "p = argparse.ArgumentParser(parents=[base])\n",
            id="parent",
        ),
        pytest.param(
            "class Options:\n    def __init__(self, p):\n        p.add_argument(OPTION)\n"
            "p = argparse.ArgumentParser()\nOptions(p)\n",
            id="method",
        ),
    ],
)
@pytest.mark.parametrize(
    "use", ["print(args.local_rank)\n", "os.environ['LOCAL_RANK'] = str(args.local_rank)\n"], ids=["read", "mmcv"]
)
def test_every_way_to_build_a_parser(parser: str, use: str) -> None:
    script = f"import argparse, os\n{parser}args = p.parse_args()\n{use}"
    old = script.replace("OPTION", "'--local_rank', type=int, default=0")
    new = script.replace(
        "OPTION", "'--local-rank', '--local_rank', type=int, default=int(os.environ.get('LOCAL_RANK', 0))"
    )
    assert migrated(files(run_sh=f"{LAUNCH} a.py\n", a_py=old)) == files(run_sh="torchrun a.py\n", a_py=new)
    assert migrated(files(run_sh="torchrun a.py\n", a_py=old)) == files(a_py=new)


def test_environment_read_too_late_counts_for_nothing() -> None:
    script = HEARS_ARGUMENT + "import os\nargs.local_rank = int(os.environ['LOCAL_RANK'])\n"
    assert "a.py" in migrated(files(run_sh="torchrun a.py\n", a_py=script))


def test_parser_in_an_imported_module() -> None:
    contents = {
        "tools/run.sh": f"{LAUNCH} tools/a.py\n",
        "tools/a.py": "from lib.options import parse\nargs = parse()\nprint(args.local_rank)\n",
        "lib/__init__.py": "",
        "lib/options.py": "import argparse\n\ndef parse():\n    p = argparse.ArgumentParser()\n"
        "    p.add_argument('--local_rank', type=int, default=-1)\n    return p.parse_args()\n",
    }
    assert migrated(contents).keys() == {"tools/run.sh", "lib/options.py"}


# refusals


@each_row(
    ("option", "reason"),
    [
        ("'--local_rank', type=parse, default=0", "type of its own"),
        ("'--local_rank', type=int, choices=[0, 1], default=0", "choices="),
        ("'--local_rank', nargs=argparse.REMAINDER", "nargs="),
        ("'--local_rank', action='store_true'", "action="),
        ("'--local_rank', type=int, **common", "at run time"),
    ],
)
def test_refuses_an_odd_option(option: str, reason: str) -> None:
    script = HEARS_ARGUMENT.replace("'--local_rank', type=int, default=0", option)
    (said,) = reasons(files(run_sh=f"{LAUNCH} a.py\n", a_py=script))
    assert reason in said


@each_row(
    ("script", "reason"),
    [
        (
            HEARS_ARGUMENT + "q = argparse.ArgumentParser()\nq.add_argument('--local_rank', type=int, dest='r')\n",
            "stored as `r`",
        ),
        ("import fire\ndef main(local_rank=0): ...\nfire.Fire(main)\n", "`fire`"),
        ("import click\n@click.command()\n@click.option('--local_rank')\ndef main(local_rank): ...\n", "`click`"),
        ("import sys\nrank = [a for a in sys.argv if 'local_rank' in a]\n", "sys.argv"),
        ("from transformers import HfArgumentParser\n", "TrainingArguments"),
        ("from elsewhere.cli import main\nmain()\n", "not in this repository"),
        (HEARS_ARGUMENT.replace("import argparse", "import argparse\nos = 1"), "`os` is taken"),
        ("def broken(:\n", "can't be read"),
        (HEARS_ARGUMENT.replace("parser.add_argument(", "arg = adder(parser)\narg("), "a.py:4, which can't be"),
        (
            "import argparse\nTABLE = {'local_rank': 0}\np = argparse.ArgumentParser()\nfor k, v in TABLE.items():\n"
            "    p.add_argument(f'--{k}', default=v)\nprint(p.parse_args().local_rank)\n",
            "makes its options in a loop",
        ),
    ],
)
def test_refuses_a_script(script: str, reason: str) -> None:
    contents = files(run_sh=f"{LAUNCH} a.py\n", a_py=script)
    said = [finding.reason for finding in findings(contents)]
    assert len(said) == 1 and said[0] is not None and reason in said[0]


@pytest.mark.parametrize(
    "script",
    [
        HEARS_ARGUMENT.replace("args =", "parser.set_defaults(**cfg)\nargs ="),
        HEARS_ARGUMENT.replace("print", "vars(args).update(cfg)\nprint"),
    ],
)
def test_a_default_that_a_file_may_overwrite_is_left_to_the_launcher_that_passes_the_rank(script: str) -> None:
    contents = files(run_sh=f"{LAUNCH} a.py\n", a_py=script)
    (finding,) = findings(contents)
    assert finding.fix is not None and finding.fix.title == "Take both spellings of --local_rank"
    assert "orchrun never passes" not in finding.message
    assert {edit.path for edit in finding.fix.edits} == {"a.py"}
    assert all("LOCAL_RANK" not in edit.text for edit in finding.fix.edits)
    alone = [each.reason for each in findings(files(a_py=script))]
    assert not alone or "can overwrite the default" in (alone[0] or "")


@each_row(
    ("shell", "reason"),
    [
        (f'{LAUNCH} "$1"', "only known when the line runs"),
        (f"{LAUNCH} gone.py", "not found"),
        (f"cd $WORK\n{LAUNCH} a.py", "goes to a folder that is known when it runs"),
        (f"{LAUNCH} --no_python a.py", "not a Python script"),
        (f"{LAUNCH} --nproc_per_node=2", "no script is named"),
        (f'CMD="{LAUNCH} a.py"\nssh host "$CMD"', "can't be followed"),
        (f'export L="{LAUNCH}"\n$L a.py', "exported"),
        (f'L="{LAUNCH}"\n$L a.py\nx=$L', "used in other ways"),
        (f'L="{LAUNCH}"\n$L a.py\n$L gone.py', "not found"),
        (f"F=$1\n[ $2 ] && F='--use_env'\n{LAUNCH} $F a.py", "may hold --use_env"),
        (f"bash -c '{LAUNCH} \"a.py\"'", "quoted command"),
        (f'tmux send-keys -t 0 "{LAUNCH} a.py" Enter', "quoted command"),
        (f'sbatch -N 1 --wrap="{LAUNCH} a.py"', "quoted command"),
        (f"alias go='{LAUNCH} a.py'", "quoted command"),
        (f'A=()\nA+=(--use_env)\n{LAUNCH} "${{A[@]}}" a.py', "may hold --use_env"),
    ],
)
def test_refuses_a_line(shell: str, reason: str) -> None:
    said = reasons(files(run_sh=shell + "\n", a_py=READS_ENV))
    assert said and reason in said[0]


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (f"{LAUNCH} a.py", True),
        (f"{LAUNCH} gone.py", False),
        (f"F=$1\n[ $2 ] && F='--use_env'\n{LAUNCH} $F a.py", False),
    ],
)
def test_what_a_guide_shows_is_told_only_where_it_can_be_rewritten(lines: str, found: bool) -> None:
    guide = f"Train:\n\n```bash\n{lines}\n```\n"
    contents = {"README.md": guide, "a.py": READS_ENV}
    assert [finding.path for finding in findings(contents)] == ["README.md"] * found


# programs that start their own ranks

SPAWNS = """\
import argparse
import torch
import torch.distributed as dist
import torch.multiprocessing as mp

def worker(rank, args):
    dist.init_process_group("nccl", init_method="tcp://127.0.0.1:9999", rank=rank, world_size=args.gpus)

if __name__ == "__main__":
    p = argparse.ArgumentParser()
    p.add_argument("--gpus", type=int, default=4)
    args = p.parse_args()
    mp.spawn(worker, nprocs=args.gpus, args=(args,))
"""


@each_row(
    ("before", "after"),
    [
        (f"{LAUNCH} --nproc_per_node=4 a.py", "python a.py"),
        (f"{LAUNCH} --nproc_per_node=$N a.py --gpus $N", "python a.py --gpus $N"),
        ("torchrun --nproc_per_node 2 a.py --gpus=2", "python a.py --gpus=2"),
        (f"{LAUNCH} a.py --gpus 3", "python a.py --gpus 3"),
        ("$PY -u -m torch.distributed.launch \\\n  --nproc_per_node=4 \\\n  a.py", "$PY -u \\\n  a.py"),
        ("torchrun --nproc_per_node=4 -m a --gpus 4", "python -m a --gpus 4"),
    ],
)
def test_plain_python_for_a_script_that_spawns(before: str, after: str) -> None:
    assert migrated(files(run_sh=before, a_py=SPAWNS)) == {"run.sh": after}


@each_row(
    ("shell", "script", "reason"),
    [
        ("torchrun --nproc_per_node=2 a.py", SPAWNS, "asked for 2 ranks, the script starts `args.gpus`"),
        ('torchrun --nproc_per_node=4 a.py "$@"', SPAWNS, "see that they agree"),
        ("torchrun --nnodes=2 --nproc_per_node=4 a.py", SPAWNS, "several nodes"),
        (
            f"{LAUNCH} --nproc_per_node=4 a.py",
            SPAWNS.replace("    mp.spawn", "    r = os.environ['RANK']\n    if x: mp.spawn"),
            "only if `x`",
        ),
        ("torchrun --nproc_per_node=4 a.py", SPAWNS.replace("tcp://127.0.0.1:9999", "env://"), "MASTER_ADDR"),
        (
            "torchrun --nproc_per_node=4 a.py",
            SPAWNS.replace("nprocs=args.gpus", "nprocs=torch.cuda.device_count()"),
            "device_count",
        ),
    ],
)
def test_keeps_the_launcher_where_ranks_may_differ(shell: str, script: str, reason: str) -> None:
    (said,) = reasons(files(run_sh=shell + "\n", a_py=script))
    assert reason in said


@pytest.mark.parametrize("imports", ["import config", "from tables import config"])
def test_refuses_where_a_module_keeps_a_table_of_options(imports: str) -> None:
    """Renamed, the launcher would leave every rank with the default: all on one device, and nobody would say so."""
    table = "OPTIONS = {'n': {'--local_rank': {'type': int, 'default': 0, 'dest': 'local_rank'}}}\n"
    uses = "for name, how in config.OPTIONS['n'].items():\n    p.add_argument(name, **how)\n"
    script = f"import argparse\n{imports}\np = argparse.ArgumentParser()\n{uses}print(p.parse_args().local_rank)\n"
    own = {"run.sh": f"{LAUNCH} a.py\n", "a.py": script}
    deep = {"tables.py": "import deep.config as config\n", "deep/__init__.py": "", "deep/config.py": table}
    (said,) = reasons({**own, **({"config.py": table} if imports == "import config" else deep)})
    assert "in a loop" in said
    quiet = script.replace(uses, "config.fill(p)\n")
    (said,) = reasons({**own, "a.py": quiet, **({"config.py": table} if imports == "import config" else deep)})
    assert "config.py:1, which can't be followed" in said
    assert migrated({**own, "a.py": quiet.replace(imports, ""), "config.py": table})


@pytest.mark.parametrize(
    "told",
    [
        "def heard(cfg):\n    cfg.rank = int(os.environ['RANK'])\n    cfg.quiet = True\n",
        "def heard(cfg):\n    cfg.quiet = 'WORLD_SIZE' in os.environ\n",
    ],
)
def test_leaves_scripts_whose_flag_the_launcher_sets(told: str) -> None:
    script = SPAWNS.replace("    mp.spawn(", "    if not args.quiet:\n        mp.spawn(").replace(
        "tcp://127.0.0.1:9999", "env://"
    )
    bare, script = script, script.replace("def worker", f"{told}def worker")
    assert findings(files(run_sh="torchrun --nproc_per_node=4 a.py\n", a_py=script)) == []
    said = [each.reason for each in findings(files(run_sh=f"{LAUNCH} --nproc_per_node=4 a.py\n", a_py=script))]
    assert not any("it starts ranks only if" in (reason or "") for reason in said)
    told = told.replace("os.environ['RANK']", "1").replace("'WORLD_SIZE' in os.environ", "cfg.n > 1")
    script = bare.replace("def worker", f"{told}def worker")
    (said,) = reasons(files(run_sh=f"{LAUNCH} --nproc_per_node=4 a.py\n", a_py=script))
    assert "only if `not args.quiet`" in said


@pytest.mark.parametrize(
    "guard",
    [
        "    if x:\n        mp.spawn(",
        "    if 'RANK' not in os.environ:\n        mp.spawn(",
        "    if 'RANK' in os.environ:\n        worker(0, args)\n    else:\n        mp.spawn(",
    ],
)
def test_leaves_scripts_that_know_about_launchers(guard: str) -> None:
    script = SPAWNS.replace("    mp.spawn(", guard).replace("tcp://127.0.0.1:9999", "env://")
    assert findings(files(run_sh="torchrun --nproc_per_node=4 a.py\n", a_py=script)) == []


def test_leaves_scripts_that_return_before_they_spawn() -> None:
    script = SPAWNS.replace('if __name__ == "__main__":', "def main():").replace("tcp://127.0.0.1:9999", "env://")
    script = script.replace("    mp.spawn", "    if os.getenv('RANK'):\n        return worker(0, args)\n    mp.spawn")
    assert findings(files(run_sh="torchrun --nproc_per_node=4 a.py\n", a_py=script)) == []


def test_counted_gpus_are_as_many_as_the_visible_ones() -> None:
    script = SPAWNS.replace("nprocs=args.gpus", "nprocs=torch.cuda.device_count()")
    shell = "CUDA_VISIBLE_DEVICES=0,3 torchrun --nproc_per_node=2 a.py\n"
    assert migrated(files(run_sh=shell, a_py=script)) == {"run.sh": "CUDA_VISIBLE_DEVICES=0,3 python a.py\n"}


def test_switch_that_the_line_does_not_give() -> None:
    script = SPAWNS.replace("    args = p", '    p.add_argument("--many", action="store_true")\n    args = p').replace(
        "    mp.spawn(worker, nprocs=args.gpus, args=(args,))",
        "    if args.many:\n        mp.spawn(worker, nprocs=args.gpus, args=(args,))",
    )
    assert migrated(files(run_sh="torchrun --nproc_per_node=4 a.py --many\n", a_py=script))
    (finding,) = findings(files(run_sh="torchrun --nproc_per_node=4 a.py\n", a_py=script))
    assert "tcp://" in finding.message and finding.reason is not None


ALONE = """\
import torch.distributed as dist

if __name__ == "__main__":
    if not dist.is_initialized():
        dist.init_process_group("gloo", init_method="tcp://127.0.0.1:9999", rank=0, world_size=1)
"""


def test_group_of_one_process_meets_nobody() -> None:
    line = "torchrun --nproc_per_node=2 a.py\n"
    assert not findings(files(run_sh=line, a_py=ALONE))
    (finding,) = findings(files(run_sh=line, a_py=ALONE.replace("world_size=1", "world_size=2")))
    assert "tcp://127.0.0.1:9999" in finding.message


# --launcher, start method, pins

LAUNCHER = """\
import argparse
p = argparse.ArgumentParser()
p.add_argument('config')
p.add_argument('--launcher', choices=['none', 'pytorch'], default='none')
args = p.parse_args()
if args.launcher == 'none':
    print('alone')
"""


@each_row(
    ("shell", "script", "changed"),
    [
        ("torchrun --nproc_per_node=2 a.py c.py", LAUNCHER, "torchrun --nproc_per_node=2 a.py --launcher pytorch c.py"),
        ("torchrun --nproc_per_node=2 a.py c.py --launcher=pytorch", LAUNCHER, None),
        ("torchrun --nproc_per_node=1 a.py c.py", LAUNCHER, None),
        ("torchrun --nproc_per_node=2 a.py", LAUNCHER.replace("'pytorch'", "'mpi'"), None),
        ("torchrun --nproc_per_node=2 a.py", LAUNCHER.replace("default='none'", "default='pytorch'"), None),
        ("python a.py c.py", LAUNCHER, None),
    ],
)
def test_passes_the_launcher(shell: str, script: str, changed: str | None) -> None:
    assert migrated(files(run_sh=shell, a_py=script)) == ({"run.sh": changed} if changed else {})


@each_row(
    ("body", "left"),
    [
        ("    mp.set_start_method('spawn')\n    go()\n", "    go()\n"),
        (
            "    if mp.get_start_method(allow_none=True) is None:\n        mp.set_start_method('spawn')\n    go()\n",
            "    go()\n",
        ),
        (
            "    try:\n        mp.set_start_method('spawn')\n    except RuntimeError:\n        pass\n    go()\n",
            "    go()\n",
        ),
        ("    mp.set_start_method('spawn', force=True)\n", "    pass\n"),
        ("    if x:\n        mp.set_start_method('spawn')\n    go()\n", "    if x:\n        pass\n    go()\n"),
        ("    go(); mp.set_start_method('spawn')\n", "    go(); pass\n"),
    ],
)
def test_spawn_under_a_launcher_is_offered_as_unsafe(body: str, left: str) -> None:
    head = "import os\nimport torch.multiprocessing as mp\nrank = os.environ['LOCAL_RANK']\n\ndef main():\n"
    contents = files(run_sh="torchrun a.py\n", a_py=head + body + "\nmain()\n")
    (finding,) = findings(contents)
    assert finding.fix is not None and finding.fix.unsafe is not None and "fork" in finding.fix.unsafe
    assert not migrated(contents)
    without = head.replace("import torch.multiprocessing as mp\n", "")  # nothing else uses it
    assert migrated(contents, unsafe_fixes=True) == {"a.py": without + left + "\nmain()\n"}
    contents["a.py"] = head + body + "\nmain()\nqueue = mp.Queue()\n"
    assert migrated(contents, unsafe_fixes=True) == {"a.py": head + left + "\nmain()\nqueue = mp.Queue()\n"}


def test_what_another_program_sets_is_left_out() -> None:
    """A module that the script imports is a program of its own, which sets it below its main guard."""
    head = "import os\nimport torch.multiprocessing as mp\n"
    sets = f"{head}rank = os.environ['LOCAL_RANK']\n\nif __name__ == '__main__':\n    mp.set_start_method('spawn')\n"
    contents = files(run_sh="torchrun a.py\n", a_py="import b\nprint(b.rank)\n", b_py=sets)
    assert not findings(contents)
    (finding,) = findings(contents | {"run.sh": "torchrun b.py\n"})
    assert finding.path == "b.py"
    (finding,) = findings(contents | {"b.py": f"{head}mp.set_start_method('spawn')\n"})
    assert finding.path == "b.py"


@pytest.mark.parametrize(
    "body", ["x = mp.set_start_method('spawn')\n    go(x)\n", "go(mp.set_start_method('spawn'))\n"]
)
def test_spawn_as_part_of_a_statement_stays(body: str) -> None:
    head = "import os\nimport torch.multiprocessing as mp\nrank = os.environ['LOCAL_RANK']\n\ndef main():\n    "
    contents = files(run_sh="torchrun a.py\n", a_py=head + body + "\nmain()\n")
    (finding,) = findings(contents)
    assert finding.fix is None and "by hand" in (finding.reason or "")
    assert not migrated(contents, unsafe_fixes=True)


@each_row(
    ("path", "text", "oldest"),
    [
        ("requirements.txt", "numpy\ntorch==1.8.1\n", (1, 8)),
        ("requirements.txt", "torch>=1.6,<1.10\n", (1, 6)),
        ("requirements.txt", "torch>=1.3\n", (1, 3)),
        ("requirements.txt", "torch>1.12.0\n", (1, 12)),
        ("requirements.txt", "torch>=2.0\n", (2, 0)),
        ("requirements.txt", "torch~=1.8\n", (1, 8)),
        ("requirement.txt", "torch != 1.8.0, < 1.9.1\n", (1, 9)),
        ("requirements/runtime.txt", "torch<=1.9.0\n", (1, 9)),
        ("requirements.txt", "torch @ file:///torch-1.8.0-cp38.whl\n", (1, 8)),
        ("requirements.txt", "torch\ntorchvision==0.9\npytorch_lightning==1.5\n", None),
        ("requirements.txt", "# torch==1.4\n", None),
        ("other/requirements.txt", "torch==1.4\n", (1, 4)),
        ("environment.yml", "dependencies:\n  - pytorch=1.7.1=py3.8_cuda11\n", (1, 7)),
        ("environment.yml", "  - pytorch==1.5.0\n", (1, 5)),
        ("scripts/requirements_conda.yaml", "dependencies:\n  - pytorch=1.9\n", (1, 9)),
        ("my-conda-env.yml", "dependencies:\n  - pytorch=1.9\n", (1, 9)),
        ("talk.yml", "name: talk\nchannels: [a]\ndependencies:\n  - pytorch=1.2.0=py3.6_cuda10\n", (1, 2)),
        ("talk.yml", "name: talk\nneeds:\n  - pytorch=1.2.0=py3.6_cuda10\n", None),
        ("envs/gpu.yaml", "dependencies:\n- pip:\n  - torch==1.4.0\n", (1, 4)),
        ("docker/Dockerfile", "FROM pytorch/pytorch:1.6.0-cuda10.1\n", (1, 6)),
        ("docker/Dockerfile", 'ARG PYTORCH="1.9.0"\n', (1, 9)),
        ("docker/Dockerfile", "RUN pip install torch==1.7.1+cu110 -f x\n", (1, 7)),
        ("docker/Dockerfile", "ENV TORCH_VERSION 1.8.0\n", (1, 8)),
        ("setup.py", "install_requires=['torch~=1.8.0', 'x'],\n", (1, 8)),
        ("setup.cfg", "install_requires =\n    torch>=1.4,<1.9\n", (1, 4)),
        ("pyproject.toml", 'dependencies = ["numpy", "torch<=1.8.1"]\n', (1, 8)),
        ("pyproject.toml", 'torch = "1.7.*"\n', (1, 7)),
        ("pyproject.toml", 'torch = "~1.8"\n', (1, 8)),
        ("pyproject.toml", 'torch = {version = ">=1.4,<1.9", source = "x"}\n', (1, 4)),
        ("pyproject.toml", 'torch = "^1.8"\n', (1, 8)),
        ("Pipfile", 'torch = "==1.8"\n', (1, 8)),
        ("install.sh", "pip install torch==1.7.1 torchvision\n", (1, 7)),
        ("install.sh", "pip install torch\n", None),
        ("docs/install.md", "pip install torch==1.9.1+cu111 torchvision==0.10.1\n", (1, 9)),
        ("docs/install.md", "pip install torch==1.3\nconda install pytorch==1.9.0 -c pytorch\n", (1, 3)),
        ("README.md", "pip install torch torchvision\n", None),
        ("README.md", "tested with torch==1.4\n", (1, 4)),
        ("README.md", "- [PyTorch](http://pytorch.org) install = 1.4.0\n", (1, 4)),
        ("README.md", "- PyTorch Lightning = 1.4.0\n", None),
        ("README.md", "- Python 3.8\n- PyTorch 1.7.1\n- CUDA 11\n", (1, 7)),
        ("README.md", "* [PyTorch](https://pytorch.org) (version 1.9.0)\n", (1, 9)),
        ("README.md", "The code was tested on **PyTorch 1.8** and on PyTorch 1.12\n", (1, 8)),
        ("README.md", "Requires PyTorch 1.6+\n", (1, 6)),
        ("README.md", "We need pytorch >= 1.8.0 and cuda\n", (1, 8)),
        ("README.md", "Once upon a time PyTorch 1.2 was slow.\n", None),
        ("README.md", "- pytorch-lightning 1.5, torchvision 0.9, torch.nn 1.0\n", None),
    ],
)
def test_reads_the_torch_that_is_named(path: str, text: str, oldest: tuple[int, int] | None) -> None:
    named = oldest_for(named_versions(Project(MemoryFiles({path: text.encode()}))), "tools/a.py")
    assert (named.oldest if named is not None else None) == oldest


def test_requirements_count_before_a_guide() -> None:
    contents = {"README.md": b"- PyTorch 1.7\n", "requirements.txt": b"torch==1.12\n", "pyskl.yaml": b"torch==1.11\n"}
    named = oldest_for(named_versions(Project(MemoryFiles(contents))), "tools/a.py")
    assert named is not None and (named.path, named.oldest) == ("requirements.txt", (1, 12))


def test_torch_1_9_has_the_module_but_not_torchrun() -> None:
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": READS_ENV, "requirements.txt": "torch==1.9.0\n"}
    assert migrated(contents) == {"run.sh": "python -m torch.distributed.run a.py\n"}
    contents["requirements.txt"] = "torch==1.8.0\n"
    assert "requirements.txt:1 names torch 1.8" in reasons(contents)[0]
    contents["other.sh"] = "torchrun a.py\n"  # says more about the torch in use
    assert migrated(contents) == {"run.sh": "torchrun a.py\n"}


def test_ignores_what_is_too_deep_to_read() -> None:
    text = "(" * 3000 + f"{LAUNCH} a.py" + ")" * 3000
    assert migrated({"run.sh": text, "a.py": READS_ENV}) == {}


def test_says_which_launch_line_it_can_not_read() -> None:
    files = {"run.sh": "[[ \n" * 30 + f"{LAUNCH} a.py\n", "a.py": READS_ENV}
    done = plan(MemoryFiles({path: text.encode() for path, text in files.items()}), Settings(select=("dist-launcher",)))
    (skipped,) = done.skipped
    assert (skipped.path, skipped.partly) == ("run.sh", True)
    assert skipped.reason == "the launch line in line 31: no shell reads the text around it"


def test_messages_name_the_consequence() -> None:
    script = textwrap.dedent(HEARS_ARGUMENT).replace("default=0", "default=-1")
    (finding,) = findings(files(run_sh="torchrun a.py\n", a_py=script))
    assert finding.message == (
        "torchrun never passes --local_rank: every rank would keep the default -1 and train alone"
    )


@each_row(
    ("shell", "taught"),
    [
        pytest.param("export LOCAL_RANK=3\npython a.py\n", False, id="exported"),
        pytest.param("LOCAL_RANK=$SLURM_LOCALID python a.py --local_rank 0\n", False, id="for one command"),
        pytest.param("# LOCAL_RANK=3 is what a launcher would set\npython a.py\n", True, id="in a comment"),
        pytest.param("export LOCAL_RANK=3\npython b.py\n", True, id="for another script"),
        pytest.param("python a.py --local_rank 0\n", True, id="not set"),
    ],
)
def test_a_shell_that_sets_local_rank_without_a_launcher(shell: str, taught: bool) -> None:
    """The script ignores the variable so far; with it as the default, it would take another program's rank."""
    joins = "import torch.distributed as dist\ndist.init_process_group('gloo')\n"
    contents = files(run_sh=shell, a_py=HEARS_ARGUMENT + joins)
    assert ("a.py" in migrated(contents)) is taught
    if not taught:
        assert any("run.sh:1 sets LOCAL_RANK in a shell that starts a.py" in each for each in reasons(contents))


# other hosts


@each_row(
    ("path", "before", "after"),
    [
        ("Makefile", "train:\n\t@cd x && {L} a.py $(ARGS)\n", "train:\n\t@cd x && torchrun a.py $(ARGS)\n"),
        ("Makefile", "t:\n\t$(PY) -m torch.distributed.launch \\\n\t  a.py\n", "t:\n\t$(PY) -m {R} \\\n\t  a.py\n"),
        ("rules.mk", "t:\n\tX=$$HOME {L} --use_env a.py $$Y\n", "t:\n\tX=$$HOME torchrun a.py $$Y\n"),
        ("Makefile", "t: a.py\n\t-{L} $< \n# {L} a.py\n", None),
        ("Dockerfile", 'FROM x\nCMD ["python", "-m", "{l}", "a.py"]\n', 'FROM x\nCMD ["torchrun", "a.py"]\n'),
        (
            "docker/Dockerfile.gpu",
            'ENTRYPOINT ["python3.9", "-m", "{l}", "--use_env", "--nnodes", "1", "a.py"]\n',
            'ENTRYPOINT ["python3.9", "-m", "{R}", "--nnodes", "1", "a.py"]\n',
        ),
        (
            "Dockerfile",
            "RUN pip install x && \\\n # why\n {L} a.py\n",
            "RUN pip install x && \\\n # why\n torchrun a.py\n",
        ),
        ("Dockerfile", "CMD {L} a.py\nLABEL x='{L} a.py'\n", "CMD torchrun a.py\nLABEL x='{L} a.py'\n"),
        (
            ".github/workflows/ci.yml",
            "jobs:\n  t:\n    steps:\n    - run: {L} a.py\n",
            "jobs:\n  t:\n    steps:\n    - run: torchrun a.py\n",
        ),
        (
            ".github/workflows/ci.yml",
            "    - name: {L} a.py\n      run: |\n"
            "        cd ${{{{ a.b }}}}\n        cd -\n        {L} \\\n          a.py\n",
            "    - name: {L} a.py\n      run: |\n"
            "        cd ${{{{ a.b }}}}\n        cd -\n        torchrun \\\n          a.py\n",
        ),
        (
            ".gitlab-ci.yml",
            "t:\n  script:\n    - cd .\n    - {L} a.py\n",
            "t:\n  script:\n    - cd .\n    - torchrun a.py\n",
        ),
        (".gitlab-ci.yml", "t:\n  script:\n  - |\n    {L} a.py\n", "t:\n  script:\n  - |\n    torchrun a.py\n"),
        ("job.yaml", "command: >-\n  {L}\n  --use_env\n  a.py\n", "command: >-\n  torchrun\n  a.py\n"),
        ("job.yaml", "command: {L}\n  --use_env a.py\nnext: 1\n", "command: torchrun a.py\nnext: 1\n"),
        ("job.yaml", 'x:\n  command: ["python", "-m", "{l}", a.py]\n', 'x:\n  command: ["torchrun", a.py]\n'),
        (
            "k8s/pod.yml",
            "    command:\n    - python\n    - -m\n    - {l}\n    args:\n    - --use_env\n    - a.py\n",
            "    command:\n    - torchrun\n    args:\n    - a.py\n",
        ),
        (
            "k8s/pod.yml",
            "    command:\n    - python\n    - -m\n    - {l}\n    env:\n    - --use_env\n    - a.py\n",
            None,
        ),
        ("job.yaml", "entrypoint: '{L} a.py --x'  # y\n", "entrypoint: 'torchrun a.py --x'  # y\n"),
        ("job.yaml", "description: {L} a.py\n# run: {L} a.py\n", None),
        ("README.md", "```bash\n$ {L} a.py\n```\n`{L} a.py`\n", "```bash\n$ torchrun a.py\n```\n`torchrun a.py`\n"),
        ("README.md", "Run `{L}` on `a.py`, not {L} a.py\n", None),
        (
            "README.md",
            "- Train: `{L} \n  --nnodes=$N \\\n  a.py --x`, don`t\n\n- `{L} a.py\n\n` `$ {L}\n a.py`\n",
            "- Train: `torchrun \n  --nnodes=$N \\\n  a.py --x`, don`t\n\n- `{L} a.py\n\n` `$ torchrun\n a.py`\n",
        ),
        (
            "README.md",
            "1. x\n   ~~~\n   {L} --nproc_per_node=<gpus> a.py\n   ~~~\n",
            "1. x\n   ~~~\n   torchrun --nproc_per_node=<gpus> a.py\n   ~~~\n",
        ),
        ("docs/x.md", "```python\nx = 1  # {L} a.py\n```\n\n```sh\n{L} gone.py\n{L} $X\n```\n", None),
        ("docs/x.md", "```python\n# one\n{L} a.py\n```\n", "```python\n# one\ntorchrun a.py\n```\n"),
        (
            "docs/x.md",
            "```bash\ngit clone https://github.com/me/TOOL.git\ncd TOOL\n{L} a.py\n```\n",
            "```bash\ngit clone https://github.com/me/TOOL.git\ncd TOOL\ntorchrun a.py\n```\n",
        ),
        ("docs/x.md", "```bash\n{L} ../../x/a.py\n```\n", "```bash\ntorchrun ../../x/a.py\n```\n"),
        ("docs/x.md", "```bash\n{L} ../../gone/a.py\n```\n", None),
        ("docs/x.md", "```bash\ngit clone https://github.com/me/TOOL\ncd OTHER\n{L} a.py\n```\n", None),
        ("docs/x.rst", "Run::\n\n    {L} a.py\n\nNow {L} a.py\n", "Run::\n\n    torchrun a.py\n\nNow {L} a.py\n"),
        (
            "x.rst",
            ".. code-block:: bash\n\n   {L} \\\n     a.py\n",
            ".. code-block:: bash\n\n   torchrun \\\n     a.py\n",
        ),
        ("x.rst", ".. code-block:: python\n\n   {L} a.py\n", None),
        (
            "s.sh",
            "cat > j.sbatch <<EOF\n#!/bin/bash\nsrun {L} a.py \\$X\nEOF\n",
            "cat > j.sbatch <<EOF\n#!/bin/bash\nsrun torchrun a.py \\$X\nEOF\n",
        ),
        ("s.sh", "sbatch <<'E' -N 1\n{L} a.py\nE\n{L} a.py\n", "sbatch <<'E' -N 1\ntorchrun a.py\nE\ntorchrun a.py\n"),
        ("s.sh", "bash -s <<E\n{L} \\\\\n  a.py\nE\n", "bash -s <<E\ntorchrun \\\\\n  a.py\nE\n"),
        ("s.sh", "ssh h <<E\n{L} a.py\nE\n", None),
        (
            "s.sh",
            'c="\\\n{L} --nproc_per_node=$N a.py \\\n--out "${{O}}cache/" --x \\\n"\necho $c\neval $c\n',
            'c="\\\ntorchrun --nproc_per_node=$N a.py \\\n--out "${{O}}cache/" --x \\\n"\necho $c\neval $c\n',
        ),
        ("s.sh", 'c="{L} a.py --out="$O"x --y"\neval $c\n', None),
    ],
)
def test_other_places_for_launch_lines(path: str, before: str, after: str | None) -> None:
    names = {"L": LAUNCH, "l": "torch.distributed.launch", "R": "torch.distributed.run"}
    text = before.format(**names)
    changed = migrated({path: text, "a.py": READS_ENV, "x/a.py": READS_ENV})
    assert changed == ({path: after.format(**names)} if after is not None else {})


# --launcher

TELLS = """\
import os, sys, time
rank = os.environ["RANK"]
shown = [os.environ.get(name) for name in ("LOCAL_RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT", "X")]
print(rank, *shown, *sys.argv[1:], flush=True)
if "--fail" in sys.argv and rank == "1":
    sys.exit(7)
if "--fail" in sys.argv:
    time.sleep(300)
    print("was not stopped")
"""


def looped(shell: str) -> str:
    """`shell` after `--launcher python`; nothing else may change."""
    contents = {"run.sh": shell, "a.py": READS_ENV}
    (path, text), *others = migrated(contents, launcher="python").items()
    assert (path, others) == ("run.sh", [])
    assert migrated({**contents, "run.sh": text}, launcher="python") == {}
    return text


@pytest.mark.parametrize("indentation", ["", "    ", "\t"])
def test_the_loop_is_indented_as_its_surroundings(indentation: str) -> None:
    lines = looped(f"if true; then\n{indentation}{LAUNCH} --use_env --nproc_per_node=2 a.py\nfi\n").splitlines()
    assert (lines[1], lines[-2], lines[-1]) == (f"{indentation}(", f"{indentation})", "fi")
    unit = indentation or "    "
    blanks = {line[: len(line) - len(line.lstrip())] for line in lines[2:-2]}
    assert blanks == {indentation + unit, indentation + unit + unit}


PORT = "${MASTER_PORT:-29500}"


@each_row(
    "flags, address, port, world, last, rank",
    [
        ("", "127.0.0.1", PORT, "1", "0", "$rank"),
        ("--nproc_per_node=4", "127.0.0.1", PORT, "4", "3", "$rank"),
        ("--nproc_per_node 4", "127.0.0.1", PORT, "4", "3", "$rank"),
        ("--nproc-per-node $N --standalone", "127.0.0.1", PORT, "$N", "$(($N - 1))", "$rank"),
        ("--nproc_per_node='2' --master_port=77", "127.0.0.1", "77", "'2'", "$((2 - 1))", "$rank"),
        ("--master_addr host --master_port 77", "host", "77", "1", "0", "$rank"),
        ("--rdzv_endpoint=host:78", "host", "78", "1", "0", "$rank"),
        ("--rdzv_endpoint host:0", "host", PORT, "1", "0", "$rank"),
        ("--rdzv_endpoint host --rdzv_id=3 --rdzv-backend c10d", "host", PORT, "1", "0", "$rank"),
        (
            "--nnodes 2 --node_rank $R --master_addr host --nproc_per_node=4",
            "host", PORT, "$((2 * 4))", "3", "$(($R * 4 + rank))",
        ),
        ("--nnodes=1 --node_rank=0", "127.0.0.1", PORT, "1", "0", "$rank"),
    ],
)  # fmt: skip
def test_what_the_loop_sets(flags: str, address: str, port: str, world: str, last: str, rank: str) -> None:
    lines = [line.strip() for line in looped(f"torchrun {flags} a.py --x\n").splitlines()]
    assert lines[1] == (
        f"export MASTER_ADDR={address} MASTER_PORT={port} WORLD_SIZE={world} OMP_NUM_THREADS=${{OMP_NUM_THREADS:-1}}"
    )
    assert f"for rank in $(seq 0 {last}); do" in lines
    assert f"RANK={rank} LOCAL_RANK=$rank python a.py --x &" in lines


@pytest.mark.parametrize(("flag", "said"), [("", True), ("--use_env ", False)])
def test_only_what_the_launcher_passes_is_said_to_be_rejected(flag: str, said: bool) -> None:
    script = "import argparse, os\nargs = argparse.ArgumentParser().parse_args()\nprint(os.environ['LOCAL_RANK'])\n"
    (found,) = findings({"run.sh": f"{LAUNCH} {flag}--nproc_per_node=2 a.py\n", "a.py": script})
    assert ("unrecognized arguments" in found.message) is said


def ran(shell: str, folder: Path, *arguments: str, **environment: str) -> tuple[int, list[str]]:
    """Exit code and sorted lines of `shell`, with `a.py` beside it that tells what its rank was given."""
    (folder / "a.py").write_text(TELLS)
    (folder / "run.sh").write_text(shell)
    (folder / "python").write_text(f'#!/bin/sh\nexec "{sys.executable}" -S "$@"\n')
    (folder / "python").chmod(0o755)
    clean = {"PATH": f"{folder}{os.pathsep}{os.environ['PATH']}", **environment}
    command = ["bash", "run.sh", *arguments]
    done = subprocess.run(command, cwd=folder, env=clean, capture_output=True, text=True, timeout=600)
    assert "line " not in done.stderr, done.stderr
    return done.returncode, sorted(done.stdout.splitlines())


@pytest.mark.slow
@pytest.mark.parametrize(
    ("shell", "told"),
    [
        pytest.param(
            f"{LAUNCH} --nproc_per_node=2 a.py --x",
            ["0 0 2 127.0.0.1 29500 None --x", "1 1 2 127.0.0.1 29500 None --x"],
            id="two ranks",
        ),
        pytest.param(
            f'set -eu\nX=1 {LAUNCH} \\\n  --nproc_per_node "$1" --master_port $2 \\\n  a.py \\\n  "$3" | sort -r',
            ["0 0 2 127.0.0.1 77 1 a b", "1 1 2 127.0.0.1 77 1 a b"],
            id="strict shell, environment, pipe, quoting",
        ),
        pytest.param(
            f"f() {{\n\t{LAUNCH} --use_env --rdzv_endpoint=localhost:$2 --nproc_per_node $1 a.py > log 2>&1 &\n}}\n"
            "f 1 78\nwait\ncat log",
            ["0 0 1 localhost 78 None"],
            id="in a function, in the background, to a file",
        ),
        pytest.param(
            "RANK=1 NODES=2\ntorchrun --nnodes=$NODES --node_rank=$RANK --master_addr=h --nproc_per_node=2 a.py $RANK",
            ["2 0 4 h 29500 None 1", "3 1 4 h 29500 None 1"],
            id="the second of two nodes, its number called RANK",
        ),
        pytest.param("if torchrun a.py; then echo yes; fi", ["0 0 1 127.0.0.1 29500 None", "yes"], id="a condition"),
        pytest.param("torchrun -m a x", ["0 0 1 127.0.0.1 29500 None x"], id="a module"),
    ],
)
def test_the_loop_really_starts_the_ranks(shell: str, told: list[str], tmp_path: Path) -> None:
    assert ran(looped(shell + "\n"), tmp_path, "2", "77", "a b") == (0, told)


@pytest.mark.slow
def test_the_loop_fails_when_one_rank_fails(tmp_path: Path) -> None:
    shell = looped(f"#!/bin/bash\n{LAUNCH} --nproc_per_node=3 a.py $1\nexit $?\n")
    code, told = ran(shell, tmp_path, "--fail")
    assert code == 7 and "1 1 3 127.0.0.1 29500 None --fail" in told  # the others may be stopped before they speak
    assert "was not stopped" not in told
    assert ran(shell, tmp_path)[0] == 0


@each_row(
    ("shell", "reason"),
    [
        ("#!/bin/sh\ntorchrun a.py", "needs bash"),
        ("srun torchrun a.py", "`srun` starts the launcher"),
        ("torchrun --nproc_per_node=gpu a.py", "counts the devices itself"),
        ("torchrun --max_restarts=3 a.py", "--max_restarts=3"),
        ("torchrun --nnodes=2 --rdzv_backend=c10d --rdzv_endpoint=$H a.py", "--rdzv_backend=c10d"),
        ("torchrun --nnodes=2 a.py", "which node is which"),
        ("torchrun > log a.py", "redirection"),
        ('bash -c "torchrun a.py"', "quoted command"),
        ("L='torchrun --nnodes 1'\n$L a.py", "the variable L"),
        ('A=(--nnodes 1)\ntorchrun "${A[@]}" a.py', "flags of the launcher stand in the variable A"),
        ("torchrun --nproc_per_node=2 a.py --world $WORLD_SIZE", "$WORLD_SIZE"),
        *(
            (f"torchrun --nproc_per_node=2 a.py --own {used}", f"reads ${used.strip('${}[@]')}, which the loop sets")
            for used in ("$MASTER_ADDR", "$rank", "${rank}", "${ranks[@]}")
        ),
        ("torchrun $FLAGS a.py", "$FLAGS"),
    ],
)
def test_keeps_the_launcher_where_a_loop_can_not_do_its_work(shell: str, reason: str) -> None:
    contents = {"run.sh": shell + "\n", "a.py": READS_ENV}
    assert migrated(contents, launcher="python") == {}
    (said,) = [finding.reason for finding in findings(contents, launcher="python")]
    assert said is not None and reason in said


def test_launcher_torchrun_keeps_a_launcher() -> None:
    contents = {"run.sh": "torchrun --nproc_per_node=4 a.py\n", "a.py": SPAWNS}
    assert migrated(contents) and not migrated(contents, launcher="torchrun")
    (finding,) = findings(contents, launcher="torchrun")
    assert finding.reason is not None and "--launcher auto" in finding.reason


# scripts alone, other ways to start them

DISTRIBUTED = HEARS_ARGUMENT.replace(
    "args =", "import torch.distributed as dist\ndist.init_process_group('gloo')\nargs ="
)


def test_script_without_a_launch_line() -> None:
    (finding,) = findings({"a.py": DISTRIBUTED})
    assert finding.confidence is Confidence.LIKELY and finding.fix is not None and finding.fix.unsafe is None
    assert [(hop.path, hop.line) for hop in finding.trace] == [("a.py", 3), ("a.py", 7)]
    changed = migrated({"a.py": DISTRIBUTED})["a.py"]
    assert "'--local-rank', '--local_rank', type=int, default=int(os.environ.get('LOCAL_RANK', 0))" in changed
    assert findings({"a.py": changed}) == []


@each_row(
    "script",
    [
        pytest.param(HEARS_ARGUMENT, id="not distributed, no torch"),
        pytest.param(DISTRIBUTED.replace("print(args.local_rank)", ""), id="never used"),
        pytest.param(DISTRIBUTED.replace("default=0", "default=find_rank()"), id="a default that may know the rank"),
        pytest.param(SPAWNS.replace("--gpus", "--local_rank"), id="starts its own ranks"),
        pytest.param("def add(p):\n    p.add_argument('--local_rank', type=int, default=0)\n", id="no program"),
        pytest.param(
            DISTRIBUTED.replace(
                "print(args", "import os\nif 'LOCAL_RANK' not in os.environ:\n    os.environ['LOCAL_RANK'] = str(args"
            ),
            id="the environment comes first",
        ),
    ],
)
def test_scripts_that_need_nothing(script: str) -> None:
    assert findings({"a.py": script}) == []


USED = """import torch
import torch.distributed as dist
{parses}
torch.cuda.set_device(args.local_rank)
{joins}
"""
GIVES = (
    "import argparse\nparser = argparse.ArgumentParser()\nparser.add_argument('--local_rank', type=int, default=0)\n"
)
INSIDE = GIVES.replace("\nparser", "\n        parser")
METHOD = (
    INSIDE.replace("argparse\n", "argparse\nclass Options:\n    def parse(self):\n", 1)
    + "        return parser.parse_args()\n"
)
JOINS = "dist.init_process_group('gloo')"


@each_row(
    ("parses", "joins", "options", "found"),
    [
        ("from options import Options\nargs = Options().parse()", JOINS, METHOD, 1),
        ("from options import Options\nargs = Options().parse()", "dist.is_initialized()", METHOD, 0),
        ("from options import Options\n\ndef main():\n    args = Options().parse()", "", METHOD, 0),
        ("from options import *", JOINS, f"{GIVES}args = parser.parse_args()\n", 1),
    ],
)
def test_scripts_without_a_guard_that_parse_elsewhere(parses: str, joins: str, options: str, found: int) -> None:
    files = {"a.py": USED.format(parses=parses, joins=joins), "options.py": options}
    assert [each.confidence for each in findings(files)].count(Confidence.LIKELY) == found


def test_deepspeed_passes_the_rank_itself() -> None:
    script = DISTRIBUTED.replace("import argparse", "import argparse\nimport deepspeed")
    (finding,) = findings({"a.py": script})
    assert finding.confidence is Confidence.POSSIBLE and not migrated({"a.py": script})


NO_GROUP = DISTRIBUTED.replace(
    "import torch.distributed as dist\ndist.init_process_group('gloo')", "import torch\nSTART"
)
SETS_UP = "import torch.distributed as dist\ndef start(rank):\n    dist.init_process_group('gloo', rank=rank)\n"


@each_row(
    ("script", "helper", "sure"),
    [
        ("from helper import seed\nseed()", SETS_UP, Confidence.POSSIBLE),
        ("from helper import *\nseed()", SETS_UP, Confidence.POSSIBLE),
        ("from helper import start\nstart(0)", SETS_UP, Confidence.LIKELY),
        ("import helper\nrun(helper.start)", SETS_UP, Confidence.LIKELY),
        ("from helper import start as begin\nbegin(0)", SETS_UP, Confidence.LIKELY),
        ("import helper", f"{SETS_UP}start(0)\n", Confidence.LIKELY),
        ("import helper", SETS_UP.replace("def start(rank)", "if rank"), Confidence.LIKELY),
        ("import helper", "from torch.distributed import init_process_group as join\n", Confidence.LIKELY),
        ("import helper", "# what init_process_group is for\n", Confidence.POSSIBLE),
        ("from mmcv.runner import init_dist\ninit_dist('pytorch')", "", Confidence.LIKELY),
        ("import horovod.torch as hvd\nhvd.init()", "", Confidence.POSSIBLE),
    ],
)
def test_a_rank_that_nothing_joins_with(script: str, helper: str, sure: Confidence) -> None:
    contents = {"a.py": NO_GROUP.replace("START", script), "helper.py": f"{helper}def seed():\n    pass\n"}
    assert [each.confidence for each in findings(contents)] == [sure]
    assert bool(migrated(contents)) is (sure is Confidence.LIKELY)


def test_script_alone_where_torch_is_too_old_for_the_line() -> None:
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": DISTRIBUTED, "requirements.txt": "torch==1.8\n"}
    assert migrated(contents).keys() == {"a.py"}
    changed = migrated(contents)["a.py"]
    assert '"--local-rank", "--local_rank"' in changed or "'--local-rank', '--local_rank'" in changed
    again = findings({**contents, "a.py": changed})
    assert [(each.path, each.reason is not None) for each in again] == [("run.sh", True)]


def test_parser_of_another_module_without_a_launch_line() -> None:
    options = "import argparse\n\ndef parser():\n    p = argparse.ArgumentParser()\n"
    options += "    p.add_argument('--local_rank', type=int, default=-1)\n    return p\n"
    main = "import torch.distributed as dist\nfrom options import parser\n\nargs = parser().parse_args()\n"
    main += "if args.local_rank >= 0:\n    dist.init_process_group('gloo')\n"
    assert migrated({"options.py": options, "main.py": main}).keys() == {"options.py"}
    tried = f"{options}\n\nif __name__ == '__main__':\n    args = parser().parse_args()\n"
    assert migrated({"options.py": tried, "main.py": main}).keys() == {"options.py"}


@each_row(
    ("path", "text", "place"),
    [
        ("a.py", 'run([sys.executable, "-m", "torch.distributed.launch", "b.py"])\n', (1, 28)),
        ("a.py", "os.system('python -m torch.distributed.launch b.py')\n", (1, 11)),
        ("a.py", "subprocess.call(f'python -m torch.distributed.launch {x}', shell=True)\n", (1, 17)),
        ("a.py", "cmd = f'python -m torch.distributed.launch --nproc_per_node {n} b.py'\n", (1, 7)),
        ("a.py", "from torch.distributed.launch import main\n", (1, 1)),
        ("run.bat", "rem python -m torch.distributed.launch b.py\npython -m torch.distributed.launch b.py\n", (2, 8)),
        ("run.ps1", "# x\npython -m torch.distributed.launch b.py\n", (2, 8)),
        ("Makefile", "L := python -m torch.distributed.launch\nt:\n\t$(L) b.py\n", (1, 16)),
        ("run.sh", "ssh host python -m torch.distributed.launch b.py\n", (1, 10)),
        ("run.sh", "ssh host 'cd x; python -m torch.distributed.launch b.py'\n", (1, 27)),
        ("a.py", "os.system(str(os.system('python -m torch.distributed.launch b.py')))\n", (1, 25)),
    ],
)
def test_reports_what_it_does_not_rewrite(path: str, text: str, place: tuple[int, int]) -> None:
    contents = {path: text, "b.py": READS_ENV}
    (finding,) = findings(contents)
    assert (finding.span.line, finding.span.column) == place
    assert finding.reason is not None and not migrated(contents)


@each_row(
    "text",
    [
        "print('python -m torch.distributed.launch b.py')\n",
        'parser.error("use python -m torch.distributed.launch")\n',
        '"""python -m torch.distributed.launch b.py"""\n',
        'WORDS = ["torch.distributed.launch", "torchrun"]\n',
        "subprocess.run(['torchrun', 'b.py'])\n",
    ],
)
def test_python_that_only_speaks_of_launchers(text: str) -> None:
    assert findings({"a.py": text, "b.py": READS_ENV}) == []


def test_hydra_takes_no_local_rank() -> None:
    contents = {"run.sh": f"{LAUNCH} a.py\n", "a.py": "import hydra\n@hydra.main()\ndef main(cfg): ...\nmain()\n"}
    (finding,) = findings(contents)
    assert "Hydra" in finding.message and migrated(contents) == {"run.sh": "torchrun a.py\n"}


def test_rank_on_the_node_taken_for_the_rank_among_all() -> None:
    script = READS_ENV + "import torch.distributed as dist\ndist.init_process_group('gloo', rank=args.local_rank)\n"
    contents = {"run.sh": "torchrun --nnodes=$N --node_rank=$R a.py\n", "a.py": script}
    (finding,) = findings(contents)
    assert finding.path == "a.py" and "rank on the node" in finding.message and finding.reason is not None
    assert findings({**contents, "run.sh": "torchrun --nnodes=1 a.py\n"}) == []


def test_arguments_are_read_three_imports_away() -> None:
    """As Megatron's forks do: the script imports the package, that its globals, and these the arguments."""
    contents = {
        "pretrain.py": "import torch\nfrom lm import get_args\n\nprint(get_args().local_rank)\n",
        "lm/__init__.py": "from .global_vars import get_args\n",
        "lm/global_vars.py": "from .arguments import parse_args\n\n\ndef get_args():\n    return parse_args()\n",
        "lm/arguments.py": (
            "import argparse\nimport os\n\n\ndef parse_args():\n    parser = argparse.ArgumentParser()\n"
            "    parser.add_argument('--local_rank', type=int, default=None)\n    return parser.parse_args()\n"
        ),
        "run.sh": f"{LAUNCH} --nproc_per_node 8 pretrain.py\n",
    }
    changed = migrated(contents)
    assert changed["run.sh"] == "torchrun --nproc_per_node 8 pretrain.py\n"
    assert (
        "'--local-rank', '--local_rank', type=int, default=os.environ.get('LOCAL_RANK')" in changed["lm/arguments.py"]
    )


CONFIG = """\
import argparse
import os


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument("--local-rank", "--local_rank", type=int, default=0)
    args = parser.parse_args()
    return {"local_rank": 0} | build(args)


def build(args):
    config = {}
    config["local_rank"] = args.local_rank
    return config


def setup(config):
    config["local_rank"] = VALUE


setup(parse())
"""


def test_a_value_that_the_environment_replaces_needs_no_default() -> None:
    taken = CONFIG.replace("VALUE", 'int(os.environ.get("LOCAL_RANK", config["local_rank"]))')
    assert migrated(files(run_sh="torchrun a.py\n", a_py=taken)) == {}
    ignored = CONFIG.replace("VALUE", 'int(config["local_rank"])')
    assert migrated(files(run_sh="torchrun a.py\n", a_py=ignored)).keys() == {"a.py"}
    read = taken + 'print(parse()["local_rank"], build.args.local_rank)\n'
    assert migrated(files(run_sh="torchrun a.py\n", a_py=read)).keys() == {"a.py"}
