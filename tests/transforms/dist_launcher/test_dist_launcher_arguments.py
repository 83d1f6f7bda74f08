"""dist-launcher: what becomes of the parsed arguments, whatever their name, and of the call that defines the option."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons, reported

RULE = "dist-launcher"
LAUNCH = "python -m torch.distributed.launch --nproc_per_node=2 a.py\n"
RUN = "torchrun --nproc_per_node=2 a.py\n"
DEFAULT = "default=int(os.environ.get('LOCAL_RANK', 0))"


def script(use: str, option: str = "'--local_rank', type=int, default=0", name: str = "opt") -> str:
    return (
        "import argparse\nimport os\nfrom engine import run\n\nparser = argparse.ArgumentParser()\n"
        f"parser.add_argument({option})\n{name} = parser.parse_args()\n{use}\n"
    )


@each_row("use", ["run(opt)", "run(cfg=opt)", "run(*opt)", "os.sys.modules['engine'].run(opt)"])
def test_arguments_under_any_name_that_are_handed_on_need_the_default(use: str) -> None:
    """What is called can't be read, so it may use the local rank; without the default each rank would be 0."""
    done = migrated({"run.sh": LAUNCH, "a.py": script(use)}, RULE)
    assert done["run.sh"] == RUN
    assert DEFAULT in done["a.py"]


@each_row(
    "use",
    [
        pytest.param("print(opt)", id="printed"),
        pytest.param("run(opt.lr)", id="one of them"),
        pytest.param("run(options)", id="something else"),
        pytest.param("def train(o): pass\ntrain(opt)", id="read by a function in sight"),
    ],
)
def test_arguments_that_nobody_else_reads_need_no_default(use: str) -> None:
    done = migrated({"run.sh": LAUNCH, "a.py": script(use)}, RULE)
    assert done["run.sh"] == RUN
    assert DEFAULT not in done.get("a.py", "")


def test_arguments_of_parse_known_args() -> None:
    text = script("run(opt)", name="opt, rest")
    text = text.replace("parse_args", "parse_known_args")
    assert DEFAULT in migrated({"run.sh": LAUNCH, "a.py": text}, RULE)["a.py"]


def taught(option: str) -> str:
    """The `add_argument` call after the migration."""
    text = migrated({"run.sh": LAUNCH, "a.py": script("print(opt.local_rank)", option)}, RULE)["a.py"]
    start = text.index("parser.add_argument(")
    return text[start : text.index("\nopt = ")].removeprefix("parser.add_argument")


@each_row(
    ("before", "after"),
    [
        pytest.param(
            "'--local_rank', type=int, default=0",
            f"('--local-rank', '--local_rank', type=int, {DEFAULT})",
            id="a default is replaced",
        ),
        pytest.param(
            '"--local_rank", type=int, required=True',
            '("--local-rank", "--local_rank", type=int, default=os.environ.get("LOCAL_RANK"))',
            id="the default stands where required stood",
        ),
        pytest.param(
            "'--local_rank', required=False, type=int, default=0",
            f"('--local-rank', '--local_rank', type=int, {DEFAULT})",
            id="required goes, in front",
        ),
        pytest.param(
            "'--local_rank', type=int, default=0, required=False",
            f"('--local-rank', '--local_rank', type=int, {DEFAULT})",
            id="required goes, at the end",
        ),
        pytest.param(
            "'--local_rank', type=int, default=0, required=False,",
            f"('--local-rank', '--local_rank', type=int, {DEFAULT},)",
            id="the trailing comma stays",
        ),
        pytest.param(
            "'--local_rank', type=int, nargs='?', default=0",
            f"('--local-rank', '--local_rank', type=int, nargs='?', {DEFAULT})",
            id="a value that may be left out",
        ),
        pytest.param(
            "'--local_rank', default=-1, type=int, help='of a node'",
            "(\n    '--local-rank',\n    '--local_rank',\n    default=int(os.environ.get('LOCAL_RANK', -1)),\n"
            "    type=int,\n    help='of a node',\n)",
            id="the others stay",
        ),
        pytest.param(
            "'--local_rank', '--local-rank', type=int, default=0",
            f"('--local_rank', '--local-rank', type=int, {DEFAULT})",
            id="both spellings are there",
        ),
    ],
)
def test_the_option_after_it_was_taught(before: str, after: str) -> None:
    assert taught(before) == after


def test_a_default_of_its_own_is_added_after_the_type() -> None:
    before = "'--local_rank', type=int, help='of a node'"
    after = "('--local-rank', '--local_rank', type=int, default=os.environ.get('LOCAL_RANK'), help='of a node')"
    assert taught(before) == after


@each_row(
    ("option", "reason"),
    [
        ("'--local_rank', type=int, choices=[0, 1], default=0", "it has `choices=`"),
        ("'--local_rank', type=int, nargs=1, default=0", "it has `nargs=`"),
        ("'--local_rank', type=int, nargs='?', const=1, default=0", "it has `const=`"),
        ("'--local_rank', type=int, default=0, **extra", "put together at run time"),
        ("*names, '--local_rank', type=int, default=0", "put together at run time"),
        ("'--local_rank', type=lambda s: int(s), default=0", "a type of its own"),
        ("'--local_rank', type=rank, default=0", "a type of its own"),
    ],
)
def test_options_that_are_no_plain_numbers_are_refused(option: str, reason: str) -> None:
    (said,) = reasons({"run.sh": LAUNCH, "a.py": script("print(opt.local_rank)", option)}, RULE)
    assert reason in said


# several nodes

SAMPLER = """\
import argparse, os
import torch.distributed as dist
from torch.utils.data.distributed import DistributedSampler
parser = argparse.ArgumentParser()
parser.add_argument('--local_rank', type=int, default=int(os.environ.get('LOCAL_RANK', 0)))
args = parser.parse_args()
dist.init_process_group('nccl')
sampler = DistributedSampler(data, rank=args.local_rank)
"""


def test_the_rank_on_the_node_as_that_of_a_sampler() -> None:
    several = {"run.sh": "torchrun --nnodes=2 --nproc_per_node=2 a.py\n", "a.py": SAMPLER}
    (finding,) = reported(several, RULE)
    assert (finding.path, finding.span.line, finding.fix) == ("a.py", 8, None)
    assert "`args.local_rank` is the rank on the node" in finding.message
    assert reported({**several, "run.sh": "torchrun --nnodes=1 --nproc_per_node=2 a.py\n"}, RULE) == []


@pytest.mark.parametrize("other", ["rank=dist.get_rank()", "num_replicas=args.local_rank", "shuffle=True"])
def test_other_arguments_of_a_sampler_are_fine(other: str) -> None:
    text = SAMPLER.replace("rank=args.local_rank", other)
    assert reported({"run.sh": "torchrun --nnodes=2 --nproc_per_node=2 a.py\n", "a.py": text}, RULE) == []


def test_the_rank_on_the_node_as_that_of_the_group() -> None:
    text = SAMPLER.replace("'nccl'", "'nccl', rank=args.local_rank, world_size=4").replace(
        "rank=args.local_rank)\n", ")"
    )
    (finding,) = reported({"run.sh": "torchrun --nnodes=2 --nproc_per_node=2 a.py\n", "a.py": text}, RULE)
    assert finding.span.line == 7


def by_version(test: str, parse: str) -> str:
    """A script that takes --local_rank under the old torch, and reads the environment under the new one."""
    return (
        "import argparse\nimport os\nimport torch\n\nMAJOR = int(torch.__version__.split('.')[0])\n"
        f"parser = argparse.ArgumentParser()\nif {test}:\n"
        "    parser.add_argument('--local_rank', type=int, required=True)\n"
        f"args = parser.{parse}\n"
        f"rank = args.local_rank if {test} else int(os.environ['LOCAL_RANK'])\nprint(rank)\n"
    )


@pytest.mark.parametrize("test", ["MAJOR == 1", "torch.__version__ < '2'"])
def test_option_under_a_test_of_the_version(test: str) -> None:
    """The default would stand in the branch that the new torch never takes."""
    skips = {"run.sh": LAUNCH, "a.py": by_version(test, "parse_known_args()[0]")}
    assert migrated(skips, RULE) == {} and reported(skips, RULE) == []
    stops = {"run.sh": LAUNCH, "a.py": by_version(test, "parse_args()")}
    assert migrated(stops, RULE) == {}
    assert any("take --local_rank under every version" in reason for reason in reasons(stops, RULE))


OLD_FILE = "import argparse\nimport os\nimport sys\nimport torch\n\nversion = {version}\n"


@each_row(
    ("version", "test", "by_version"),
    [
        ("torch.__version__", "version < '2'", True),
        ("torch.version.cuda", "version", True),
        ("tuple(map(int, torch.__version__.split('.')[:2]))", "version < (2, 0) and sys.argv", True),
        ("3", "torch.__version__ < '2'", True),
        ("3", "sys.argv", False),  # another attribute
        ("3", "version > 2", False),  # a name of that kind, which is given none
        ("3", "os.environ.get('a') == 'version'", False),
    ],
)
def test_what_a_test_of_the_version_is(version: str, test: str, by_version: bool) -> None:
    text = OLD_FILE.format(version=version) + (
        f"parser = argparse.ArgumentParser()\nif {test}:\n"
        "    parser.add_argument('--local_rank', type=int, default=0)\n"
        "args = parser.parse_args()\nprint(args.local_rank)\n"
    )
    said = "".join(each.reason or "" for each in reported({"run.sh": LAUNCH, "a.py": text}, RULE))
    assert ("take --local_rank under every version" in said) is by_version, said


def test_unknown_spelling_that_is_left_alone() -> None:
    """`parse_known_args` does not stop: each rank keeps the default."""
    text = script("run(opt)", name="opt, rest").replace("parse_args", "parse_known_args")
    (message,) = [item.message for item in reported({"run.sh": LAUNCH, "a.py": text}, RULE)]
    assert "unrecognized" not in message and "every rank would keep the default 0" in message


@pytest.mark.parametrize("used", [False, True])
def test_a_function_that_nobody_uses_reads_nothing(used: bool) -> None:
    """Its parameter is called `args`, but no call hands the script's arguments to it."""
    helper = "import torch\n\n\ndef start(fn, args):\n    torch.cuda.set_device(args.local_rank)\n    fn(args)\n"
    text = script("print(opt.lr)").replace("from engine import run", "from engine import other")
    text += "from engine import start\nstart(print, opt)\n" if used else ""
    engine = {"engine.py": helper + "\n\ndef other():\n    pass\n", "run.sh": LAUNCH, "a.py": text}
    assert (DEFAULT in migrated(engine, RULE).get("a.py", "")) is used


@each_row(
    ("use", "found"),
    [
        ("if __name__ == '__main__':\n    Process(target=start, args=(print, opt)).start()", False),
        ("def go(fn, opt):\n    Process(target=start, args=(fn, opt)).start()", True),
        ("START = 'start'", True),
        ("__all__ = ['other', 'start']", False),
        ("__all__: list[str] = ['start']", False),
    ],
)
def test_a_function_that_only_another_program_uses_reads_nothing(use: str, found: bool) -> None:
    """The script imports a module that is a program of its own, for another function."""
    helper = "import torch\n\n\ndef start(fn, args):\n    torch.cuda.set_device(args.local_rank)\n    fn(args)\n"
    engine = (
        "from multiprocessing import Process\nfrom ranks import start\n\n\ndef other():\n    pass\n\n\n" + use + "\n"
    )
    text = script("print(opt.lr)").replace("from engine import run", "import torch\nfrom engine import other")
    files = {"ranks.py": helper, "engine.py": engine, "run.sh": RUN, "a.py": text}
    assert (DEFAULT in migrated(files, RULE).get("a.py", "")) is found


@each_row(
    ("rank", "more", "sure"),
    [
        ("opt.global_rank", "", False),
        ("opt.local_rank", "", True),
        ("opt.global_rank", "opt.global_rank = opt.local_rank + 8\n", True),
        ("opt.global_rank", "print(os.environ['RANK'])\n", True),
        ("opt.rank", "", True),
    ],
)
def test_a_rank_by_another_option_comes_from_no_launcher(rank: str, more: str, sure: bool) -> None:
    use = f"{more}torch.cuda.set_device(opt.local_rank)\ndist.init_process_group('nccl', rank={rank}, world_size=8)"
    text = script(use).replace("from engine import run", "import torch\nimport torch.distributed as dist")
    text = text.replace("opt =", "parser.add_argument('--global-rank', type=int, default=0)\nopt =")
    assert bool(reported({"a.py": text}, RULE)) is sure


@pytest.mark.parametrize("module", ["torch._six", "torch._C"])
def test_a_program_that_torch_2_can_not_start_meets_no_spelling_of_torch_2(module: str) -> None:
    text = f"from {module} import inf\n" + script("print(opt.lr)")
    found = [item.message for item in reported({"run.sh": LAUNCH, "a.py": text}, RULE)]
    assert any("since torch 2.0" in message for message in found) is (module == "torch._C"), found


@pytest.mark.parametrize(
    ("imports", "held"),
    [
        ("from torch._six import container_abcs", True),
        ("from torch._six import inf, int_classes", True),
        ("from torch._six import inf", False),
        (
            "try:\n    from torch._six import container_abcs\nexcept ImportError:\n    from collections import abc",
            False,
        ),
        ("from other._six import container_abcs", False),
    ],
)
def test_a_program_that_no_torch_with_torchrun_can_start_keeps_its_launcher(imports: str, held: bool) -> None:
    files = {
        "run.sh": LAUNCH,
        "a.py": f"import nets\n{script('print(opt.lr)')}",
        "nets.py": f"import torch\n{imports}\n",
    }
    (found,) = reported(files, RULE)
    assert ("nets.py:2 needs torch 1.8" in (found.reason or "")) is held
    assert (found.fix is None) is held


BY_ANOTHER_NAME = """\
import argparse
import os


def main():
    parser = argparse.ArgumentParser()
    arg = parser.add_argument
    arg("--lr", type=float)
    arg("--local_rank", default=0, type=int)
    args = parser.parse_args()
    print(args.local_rank)


main()
"""


def test_method_of_the_parser_under_another_name() -> None:
    done = migrated({"run.sh": LAUNCH, "a.py": BY_ANOTHER_NAME}, RULE)
    assert done["run.sh"] == RUN
    new = 'arg("--local-rank", "--local_rank", default=int(os.environ.get("LOCAL_RANK", 0)), type=int)'
    assert done["a.py"] == BY_ANOTHER_NAME.replace('arg("--local_rank", default=0, type=int)', new)
    module = BY_ANOTHER_NAME.replace("def main():", "if True:").replace("\n\nmain()\n", "")
    assert new in migrated({"run.sh": LAUNCH, "a.py": module}, RULE)["a.py"]


def test_spellings_of_one_parser_under_two_names_are_both_known() -> None:
    both = BY_ANOTHER_NAME.replace(
        "    args =", "    parser.add_argument('--local-rank', default=0, type=int)\n    args ="
    )
    done = migrated({"run.sh": LAUNCH, "a.py": both}, RULE)
    assert done["a.py"].count("--local-rank") == 1 and done["a.py"].count("LOCAL_RANK") == 2


@each_row(
    ("old", "new"),
    [
        ("    arg = parser.add_argument\n", "    arg = parser.add_argument\n    arg = logged(arg)\n"),
        ("    arg = parser.add_argument\n", "    arg = parser.add_flag\n"),
        ("    arg = parser.add_argument\n", "    arg, more = parser.add_argument, 1\n"),
        ("    arg = parser.add_argument\n", "    for arg in adders(parser):\n        pass\n"),
        ("    arg = parser.add_argument\n", "    from adders import arg\n"),
        ("    arg = parser.add_argument\n", "    def arg(*names, **settings):\n        pass\n"),
        (
            "    arg = parser.add_argument\n",
            "    arg = parser.add_argument\n    with adder(parser) as arg:\n        pass\n",
        ),
        ("    arg = parser.add_argument\n", "    global arg\n    arg = parser.add_argument\n"),
        ("def main():", "def main(arg=None):"),
    ],
)
def test_name_that_may_stand_for_something_else_is_refused(old: str, new: str) -> None:
    contents = {"run.sh": LAUNCH, "a.py": BY_ANOTHER_NAME.replace(old, new)}
    assert any("which can't be" in reason for reason in reasons(contents, RULE))


TRAINS = """\
from dataclasses import dataclass
from transformers import HfArgumentParser, Seq2SeqTrainingArguments

@dataclass
class Arguments(Seq2SeqTrainingArguments):
    FIELD

(arguments,) = HfArgumentParser(Arguments).parse_args_into_dataclasses()
print(arguments.local_rank)
"""


@each_row(
    ("named", "field", "done"),
    [
        pytest.param({"requirements.txt": "transformers==4.28.1\n"}, "rows: int = 3", True, id="pinned"),
        pytest.param({"README.md": "Tested with `transformers>=4.30`.\n"}, "rows: int = 3", True, id="in words"),
        pytest.param({"requirements.txt": "transformers==4.5.0\n"}, "rows: int = 3", False, id="too old"),
        pytest.param({"requirements.txt": "transformers\n"}, "rows: int = 3", False, id="any"),
        pytest.param(
            {"requirements.txt": "sentence-transformers==5.0\n"}, "rows: int = 3", False, id="another package"
        ),
        pytest.param(
            {"README.md": "transformers==4.9", "requirements.txt": "transformers==3.1\n"},
            "rows: int = 3",
            False,
            id="two versions",
        ),
        pytest.param(
            {"requirements.txt": "transformers==4.28.1\n"}, "local_rank: int = 3", False, id="a field of its own"
        ),
    ],
)
def test_the_arguments_of_transformers(named: dict[str, str], field: str, done: bool) -> None:
    files = {"run.sh": LAUNCH, "a.py": TRAINS.replace("FIELD", field), **named}
    assert migrated(files, RULE) == ({"run.sh": RUN} if done else {})


def test_arguments_of_the_repository_that_only_have_the_name() -> None:
    own = TRAINS.replace("HfArgumentParser, Seq2SeqTrainingArguments", "HfArgumentParser")
    own = own.replace("@data", "from own import Seq2SeqTrainingArguments\n\n@data").replace("FIELD", "rows: int = 3")
    files = {"run.sh": LAUNCH, "a.py": own, "own.py": "", "requirements.txt": "transformers==4.28.1\n"}
    assert not migrated(files, RULE)


FOREIGN = "from toolbox.cli import flags\nfrom toolbox import run\n"
READS = "dist.init_process_group('nccl', rank=config['local_rank'])\n"


@each_row(
    ("parsing", "reason"),
    [
        pytest.param("parser = flags.get_parser()\nargs = parser.parse_args()\n", "`flags.get_parser`", id="by name"),
        pytest.param("args, rest = flags.get_parser().parse_known_args()\n", "`flags.get_parser`", id="at once"),
        pytest.param("import kit.cli\nargs = kit.cli.parser().parse_args()\n", "`kit.cli.parser`", id="a package"),
        pytest.param(
            "from own import parser\nargs = parser.parse_args()\n", "`flags.get_parser`", id="in another file"
        ),
        pytest.param(
            "args = flags.get_args()\ntorch.cuda.set_device(args.local_rank)\n", "not in this repo", id="read"
        ),
    ],
)
def test_a_parser_that_an_installed_package_makes_may_take_the_local_rank(parsing: str, reason: str) -> None:
    """The launcher passes it, torchrun would not, and then every rank would be the first."""
    text = f"import torch\nimport torch.distributed as dist\n{FOREIGN}{parsing}config = run(args)\n{READS}"
    files = {
        "run.sh": LAUNCH,
        "a.py": text,
        "own.py": f"{FOREIGN}parser = flags.get_parser()\nparser.add_argument('--lr')\n",
    }
    assert migrated(files, RULE) == {}
    assert [reason in each for each in reasons(files, RULE)] == [True]


@pytest.mark.parametrize(
    "parsing",
    [
        pytest.param("parser = ArgumentParser()\nparser = flags.add_to(parser)\n", id="one that it only adds to"),
        pytest.param("from own import get_parser\nparser = get_parser()\n", id="one of the repository"),
        pytest.param("parser = flags.Parser()\n", id="a class"),
    ],
)
def test_a_parser_that_is_made_here_is_in_sight(parsing: str) -> None:
    text = f"from argparse import ArgumentParser\n{FOREIGN}{parsing}args = parser.parse_args()\nrun(args)\n"
    own = "import argparse\n\ndef get_parser():\n    return argparse.ArgumentParser()\n"
    assert migrated({"run.sh": LAUNCH, "a.py": text, "own.py": own}, RULE)["run.sh"] == RUN


@pytest.mark.parametrize(
    ("call", "parse", "says"),
    [
        ("util.parse_args()", "parse_known_args()[0]", "is deprecated"),
        ("parse_args()", "parse_known_args()[0]", "is deprecated"),
        ("util.parse_args()", "parse_args()", "unrecognized arguments"),
    ],
)
def test_a_function_of_the_program_is_no_method_of_a_parser(call: str, parse: str, says: str) -> None:
    files = {
        "run.sh": LAUNCH,
        "a.py": f"import torch\nimport util\nfrom util import parse_args\n\nif __name__ == '__main__':\n    {call}\n",
        "util.py": f"import argparse\n\ndef parse_args():\n    return argparse.ArgumentParser().{parse}\n",
    }
    (found,) = reported(files, RULE)
    assert says in found.message
