"""The `launcher-env` rule: which reads crash in a plain run, what is written there, and what is left alone."""

from __future__ import annotations

from textwrap import dedent

import pytest

from codemods.finding import Confidence, Finding
from codemods.project import Project
from codemods.transforms.launcher_env import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row


def found(*files: str, bar: Confidence = Confidence.LIKELY) -> list[Finding]:
    """Findings in `a.py`, `b.py`... at or above `bar`."""
    contents = {f"{name}.py": dedent(text).encode() for name, text in zip("abcd", files, strict=False)}
    findings = sorted(RULE.find(Project(MemoryFiles(contents))), key=lambda finding: finding.sort_key)
    return [finding for finding in findings if finding.confidence.reaches(bar)]


def rewritten(text: str, *more: str) -> str:
    """`a.py` after the fixes."""
    text = dedent(text)
    edits = [
        edit for finding in found(text, *more) if finding.fix and finding.path == "a.py" for edit in finding.fix.edits
    ]
    source = Project(MemoryFiles({"a.py": text.encode()})).source("a.py")
    assert source is not None
    return source.apply(edits)


@each_row(
    ("before", "after"),
    [
        pytest.param('int(os.environ["LOCAL_RANK"])', 'int(os.environ.get("LOCAL_RANK", 0))', id="subscript in int"),
        pytest.param("os.environ['LOCAL_RANK']", "os.environ.get('LOCAL_RANK', '0')", id="text"),
        pytest.param('int(os.environ.get("LOCAL_RANK"))', 'int(os.environ.get("LOCAL_RANK", 0))', id="get"),
        pytest.param('int(os.getenv("LOCAL_RANK"))', 'int(os.getenv("LOCAL_RANK", 0))', id="getenv"),
        pytest.param('int(os.getenv("LOCAL_RANK", ))', 'int(os.getenv("LOCAL_RANK", 0, ))', id="trailing comma"),
        pytest.param('int(os.getenv("LOCAL_RANK", None))', 'int(os.getenv("LOCAL_RANK", 0))', id="None"),
        pytest.param(
            'int(os.environ.get("SLURM_LOCALID"))',
            'int(os.environ.get("SLURM_LOCALID", os.environ.get("LOCAL_RANK", 0)))',
            id="SLURM takes torchrun's",
        ),
        pytest.param(
            "int(os.getenv('SLURM_LOCALID'))",
            "int(os.getenv('SLURM_LOCALID', os.getenv('LOCAL_RANK', 0)))",
            id="SLURM with getenv",
        ),
        pytest.param('float(os.environ["LOCAL_RANK"])', 'float(os.environ.get("LOCAL_RANK", "0"))', id="no int"),
        pytest.param('int(os.environ["LOCAL_RANK"], 10)', 'int(os.environ.get("LOCAL_RANK", "0"), 10)', id="with base"),
    ],
)
def test_default(before: str, after: str) -> None:
    assert rewritten(f"import os\nx = {before}\n") == f"import os\nx = {after}\n"


READ = 'int(os.environ["LOCAL_RANK"])'


@each_row(
    "body",
    [
        pytest.param(f'if "RANK" in os.environ:\n    x = {READ}', id="membership"),
        pytest.param(f'x = {READ} if "LOCAL_RANK" in os.environ else 0', id="conditional expression"),
        pytest.param(f'x = {READ} if args.distributed else 0', id="distributed"),
        pytest.param(f'x = "LOCAL_RANK" in os.environ and {READ}', id="and"),
        pytest.param(f"x = [{READ} for _ in (1,) if args.distributed]", id="condition of a list"),
        pytest.param(f"x = {{{READ}: at for at in (1,) if args.distributed}}", id="condition of a dict"),
        pytest.param(f"try:\n    x = {READ}\nexcept KeyError:\n    x = 0", id="except KeyError"),
        pytest.param(f"try:\n    x = {READ}\nexcept:\n    x = 0", id="bare except"),
        pytest.param(f"with suppress(KeyError):\n    x = {READ}", id="suppress"),
        pytest.param(f'if "RANK" not in os.environ:\n    sys.exit(1)\nx = {READ}', id="early exit"),
        pytest.param(f"assert launcher == 'pytorch'\nx = {READ}", id="assert"),
        pytest.param(f"use = args.launcher != 'none'\nif use:\n    x = {READ}", id="condition in a name"),
        pytest.param(f"match args.launcher:\n    case 'pytorch':\n        x = {READ}", id="match"),
        pytest.param(f'os.environ["LOCAL_RANK"] = "0"\nx = {READ}', id="written before"),
        pytest.param(f'os.environ.update(LOCAL_RANK="0")\nx = {READ}', id="updated before"),
        pytest.param('os.environ["LOCAL_RANK"] = "1"', id="a write"),
        pytest.param('del os.environ["LOCAL_RANK"]', id="a deletion"),
        pytest.param('x = os.environ.get("LOCAL_RANK")', id="None is fine"),
        pytest.param('x = os.environ.get("LOCAL_RANK")\nif x is not None:\n    x = int(x)', id="None is asked for"),
        pytest.param('x = int(os.environ.get("LOCAL_RANK", -1))', id="has a default"),
        pytest.param('x = int(os.environ.get("LOCAL_RANK") or 0)', id="or"),
        pytest.param('x = int(settings["LOCAL_RANK"])', id="another dict"),
        pytest.param('x = int(os.environ["SEED"])', id="another variable"),
        pytest.param('int = str\nx = int(os.environ.get("LOCAL_RANK"))', id="int is another name"),
        pytest.param(f"def init_dist_slurm():\n    return {READ}\ninit_dist_slurm()", id="for launched runs"),
        pytest.param(
            f"class SlurmRun:\n    def __init__(self):\n        self.rank = {READ}\nSlurmRun()",
            id="a class for launched runs",
        ),
        pytest.param(f"def f():\n    return {READ}", id="never called"),
        pytest.param(f"def f():\n    return {READ}\nif args.distributed:\n    f()", id="called under a check"),
        pytest.param(f"def f():\n    return {READ}\nmp.spawn(f, nprocs=4)", id="handed over, not called"),
        pytest.param(f"x = {READ}  # torchrun\ndist.init_process_group('nccl')", id="needs a launcher"),
        pytest.param(f"x = {READ}  # torchrun\nmesh = init_device_mesh('cuda', (8,))", id="makes a mesh of all ranks"),
        pytest.param(f"def main():\n    x = {READ}  # srun\n    go()\ndef go():\n    dist.init_process_group()\nmain()",
                     id="needs a launcher, one call away"),
        pytest.param(f"x = {READ}\nmp.spawn(work, nprocs=4)", id="starts its own ranks"),
    ],
)  # fmt: skip
def test_left_alone(body: str) -> None:
    assert found(f"import os\n{body}\n") == []


def test_launched_function_is_reported_when_asked_for() -> None:
    text = f"import os\nx = {READ}  # set by torchrun\ndist.init_process_group('nccl')\n"
    (finding,) = found(text, bar=Confidence.POSSIBLE)
    assert finding.confidence is Confidence.POSSIBLE
    assert finding.reason is not None and "torchrun" in finding.reason


JOINS_ALWAYS = """\
import os
rank = int(os.environ["RANK"])
local = int(os.environ["LOCAL_RANK"])
dist.init_process_group("gloo", init_method="env://")
"""


@each_row(
    "above, files, told",
    [
        ("", {}, True),
        ("# mpirun -n 2\n", {}, False),
        ("", {"README.md": "Run `torchrun a.py`."}, False),
        ("", {"scripts/train": "", "env.sh": "RANK=0 LOCAL_RANK=0 python a.py"}, False),
        ("", {"README.md": "Run it on four GPUs."}, True),
        ("p = Process(target=work)\n", {}, False),  # it may start its own ranks
    ],
)
def test_a_program_that_needs_a_launcher_and_nobody_says_so(above: str, files: dict[str, str], told: bool) -> None:
    text = JOINS_ALWAYS.replace("rank =", f"{above}rank =")
    contents = {"a.py": text, **files}
    every = RULE.find(Project(MemoryFiles({path: text.encode() for path, text in contents.items()})))
    likely = [each for each in every if each.confidence.reaches(Confidence.LIKELY)]
    assert [each.span.line for each in likely] == ([2] if told else [])  # at the second no run arrives
    assert all("start it with `torchrun`" in (each.reason or "") for each in likely)


def test_rank_is_reported_not_rewritten() -> None:
    (finding,) = found('import os\ndistributed = int(os.environ["WORLD_SIZE"]) > 1\n')
    assert finding.fix is None and finding.reason is not None and 'if "WORLD_SIZE" in os.environ' in finding.reason


@pytest.mark.parametrize("write", ["os.environ.setdefault(name, value)", "os.environ[name] = value"])
def test_set_from_a_list_of_names(write: str) -> None:
    text = f'import os\nfor name, value in (("LOCAL_RANK", "0"), ("X", "1")):\n    {write}\nx = {READ}\n'
    assert found(text) == []
    assert len(found(text.replace('"LOCAL_RANK", "0"', '"Y", "0"'))) == 1


def test_local_rank_beside_a_rank_is_not_half_rewritten() -> None:
    findings = found(f'import os\nx = {READ}\nr = int(os.environ["RANK"])\n')
    assert [finding.fix for finding in findings] == [None, None]


def test_a_group_that_is_joined_on_condition_needs_no_launcher() -> None:
    text = f"import os\nx = {READ}\nif world_size > 1:\n    dist.init_process_group('nccl')\n"
    assert 'os.environ.get("LOCAL_RANK", 0)' in rewritten(text)


def test_group_of_one() -> None:
    text = f"import os\nx = {READ}\ndist.init_process_group('gloo', rank=0, world_size=1)\n"
    assert 'os.environ.get("LOCAL_RANK", 0)' in rewritten(text)


def test_trace_shows_the_calls() -> None:
    library = f"import os\nclass Trainer:\n    def __init__(self):\n        self.gpu = {READ}\n"
    script = "from a import Trainer\n\ndef main():\n    return Trainer()\n\nmain()\n"
    (finding,) = found(library, script)
    assert finding.confidence is Confidence.PROVEN
    assert [(hop.path, hop.line) for hop in finding.trace] == [("a.py", 4), ("b.py", 4), ("b.py", 6)]


def test_same_name_in_another_class_is_no_call() -> None:
    library = f"import os\nclass Trainer:\n    def setup(self):\n        self.gpu = {READ}\n"
    assert found(library, "from a import Trainer\nother.setup()\n") == []
    (finding,) = found(library, "from a import Trainer\nt = Trainer()\nt.setup()\n")
    assert finding.confidence is Confidence.LIKELY


def test_key_that_is_no_plain_string_is_refused() -> None:
    (finding,) = found('import os\nx = int(os.environ["LOCAL_" "RANK"])\n')
    assert finding.fix is None and finding.reason is not None


def test_crlf_and_tabs() -> None:
    text = "import os\r\nif True:\r\n\tx = int(os.environ[ 'LOCAL_RANK' ])  # é\r\n"
    assert rewritten(text) == "import os\r\nif True:\r\n\tx = int(os.environ.get('LOCAL_RANK', 0))  # é\r\n"


@pytest.mark.parametrize(
    ("order", "expected"), [(("SLURM_LOCALID", "SLURM_PROCID"), 1), (("SLURM_PROCID", "SLURM_LOCALID"), 0)]
)
def test_local_rank_beside_a_rank_counts_only_where_it_is_asked_for_first(
    order: tuple[str, str], expected: int
) -> None:
    first, second = order
    text = f"""
        import os

        def setup_ddp(single_gpu):
            if not single_gpu:
                a = int(os.environ.get("{first}"))
                b = int(os.environ.get("{second}"))
                print(a, b)
        """
    assert len([each for each in found(text) if "SLURM_LOCALID" in each.message]) == expected


CONSTANT = """
import os
rank = int(os.environ["LOCAL_RANK"])
"""
JOINS = """
import torch.distributed as dist
from b import rank

def setup():
    dist.init_process_group("gloo")

if __name__ == "__main__":
    setup()
"""
PLAIN = """
from b import rank

if __name__ == "__main__":
    print(rank)
"""


def programs(**files: str) -> list[Finding]:
    """Every finding in a repository of these files."""
    contents = {f"{name}.py": dedent(text).encode() for name, text in files.items()}
    return list(RULE.find(Project(MemoryFiles(contents))))


def test_a_module_of_programs_that_all_need_a_launcher() -> None:
    (finding,) = programs(train=JOINS, b=CONSTANT)
    assert finding.confidence is Confidence.POSSIBLE
    assert "joins a process group whatever happens" in (finding.reason or "")
    assert [hop.path for hop in finding.trace] == ["b.py", "train.py"]


def test_a_module_that_one_program_imports_without_a_launcher() -> None:
    (finding,) = programs(train=JOINS, show=PLAIN, b=CONSTANT)
    assert finding.confidence is Confidence.PROVEN
    assert [(hop.path, hop.line) for hop in finding.trace] == [("b.py", 3), ("show.py", 2)]


def test_a_module_imported_through_another_one() -> None:
    through = "from b import rank\n"
    (finding,) = programs(train=JOINS.replace("from b", "from c"), c=through, b=CONSTANT)
    assert finding.confidence is Confidence.POSSIBLE
    assert [hop.path for hop in finding.trace] == ["b.py", "c.py", "train.py"]


def test_a_module_that_is_a_program_too() -> None:
    own = CONSTANT + '\nif __name__ == "__main__":\n    print(rank)\n'
    (finding,) = programs(train=JOINS, b=own)
    assert finding.confidence is Confidence.PROVEN


def test_tests_are_no_programs() -> None:
    (finding,) = programs(train=JOINS, test_it="import pytest\nfrom b import rank\n", b=CONSTANT)
    assert finding.confidence is Confidence.POSSIBLE


PARTS = """\
import os
rank = int(os.environ["SLURM_PROCID"])
world = int(os.environ["SLURM_NTASKS"])
print(files[rank::world])
"""


def test_parts_of_the_work_without_a_group() -> None:
    (fix,) = {each.fix for each in found(PARTS)}  # one for both
    assert fix is not None and [edit.text for edit in fix.edits] == [
        '.get("SLURM_PROCID", 0)',
        '.get("SLURM_NTASKS", 1)',
    ]
    reasons = {each.reason for each in found(PARTS + "torch.distributed.barrier()\n")}
    assert all(reason is not None and "wait for each other" in reason for reason in reasons)


def test_a_rank_of_one_launcher_and_a_number_of_another_get_no_defaults() -> None:
    findings = found(PARTS.replace("SLURM_NTASKS", "WORLD_SIZE"))
    assert findings and not any(each.fix for each in findings)


def test_a_part_of_an_unknown_number_gets_no_default() -> None:
    (finding,) = found('import os\nprint(files[int(os.environ["SLURM_PROCID"])::8])\n')
    assert finding.fix is None and "silently do one part alone" in (finding.reason or "")


@each_row(
    ("work", "is_part"),
    [
        ("for at in range(rank, len(files), 8):\n    print(files[at])", True),
        ("start = rank * 8\nprint(files[start:start + 8])", True),
        ("start = 1 + 8 * rank\nprint(files[start:start + 8])", True),
        ("print(rows.shard(8, rank))", True),
        ("per = n // 8\nstart = per * rank\nprint(files[start:start + per])", True),
        (
            "per = n // int(os.getenv('WORLD_SIZE', 1))\nstart = rank * per\nprint(files[start:start + per])",
            False,
        ),
        ("print(rows.shard(num_shards=8, index=rank))", True),
        ("parts = np.array_split(files, 8)\nprint(parts[rank])", True),
        ("print(open(f'part-{rank}.txt').read())", True),
        ("print(open(os.path.join('parts', str(rank)), 'rb').read())", True),
        ("log = open(f'log-{rank}.txt', 'w')", False),
        ("print(rows.shard(num_shards=8, index=0), rank)", False),
        ("for at in range(rank):\n    print(at)", False),
        ("device = names[rank]", False),
        ("seed = 7 + 1000 * rank\nrandom.seed(seed)", False),
        ("world = int(os.environ.get('WORLD_SIZE', 1))\nprint(rows.shard(world, rank))", False),
        (
            "world = int(os.environ.get('WORLD_SIZE', 1))\nfor at in range(rank, len(files), world):\n    print(at)",
            False,
        ),
    ],
)
def test_what_takes_a_part_by_the_rank(work: str, is_part: bool) -> None:
    (finding,) = found(f'import os, random\nrank = int(os.environ["LOCAL_RANK"])\n{work}\n')
    assert (finding.fix is None) is is_part
    assert not is_part or "silently do one part alone" in (finding.reason or "")
