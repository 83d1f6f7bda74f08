"""model-deepcopy: what it finds, refuses and writes; that what it writes is right is shown by running before_after/."""

from __future__ import annotations

import ast
import re
from textwrap import dedent

import pytest

from codemods.finding import Confidence, Edit, Finding, Import
from codemods.project import Project
from codemods.syntax.import_edits import import_edits
from codemods.transforms.model_deepcopy import RULE
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

HEAD = """\
import torch
import torch.distributed as dist
import torch.nn as nn
from copy import deepcopy


class Net(nn.Module):
    def __init__(self, width=4, group=None):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.body = nn.Linear(width, width)
        self.group = group


"""
HEAD_NO_GROUP = HEAD.replace("        self.group = group\n", "")
PLAIN = HEAD.replace("import torch.distributed as dist\n", "")
SHARED = "Deep-copy the model with its process groups shared"
# what makes the group that `main` calls its own; without it nothing shows that it is not None
LAUNCH = "import torch.distributed as dist\nfrom main import main\n\nmain(None, None, dist.new_group([0]))\n"


def project_of(files: dict[str, str]) -> Project:
    return Project(MemoryFiles({path: text.encode() for path, text in files.items()}))


def found(text: str, head: str = HEAD, **more: str) -> list[Finding]:
    """Findings of `main.py`, made of `head` and the function body `text`; `more` are other files by stem.

    `launch.py` gives `main` a group that it makes, where `head` is distributed.
    """
    body = "def main(args, cfg, group):\n" + "".join(f"    {line}\n" for line in dedent(text).strip().splitlines())
    files = {"main.py": head + body, "launch.py": LAUNCH if "torch.distributed" in head else ""}
    return list(RULE.find(project_of(files | {f"{stem}.py": dedent(t) for stem, t in more.items()})))


def fixed(files: dict[str, str]) -> dict[str, str]:
    """The files after all fixes."""
    project = project_of(files)
    edits: dict[str, list[Edit]] = {}
    needs: dict[str, list[Import]] = {}
    for fix in dict.fromkeys(finding.fix for finding in RULE.find(project) if finding.fix is not None):
        for edit in fix.edits:
            edits.setdefault(edit.path, []).append(edit)
        for need in fix.imports:
            needs.setdefault(need.path, []).append(need)
    result = dict(files)
    for path in edits.keys() | needs.keys():
        source, module = project.source(path), project.module(path)
        assert source is not None and module is not None
        result[path] = source.apply([*edits.get(path, []), *import_edits(source, module, needs.get(path, []))])
        ast.parse(result[path])
    return result


def body_after(text: str, head: str = HEAD) -> str:
    """The function's new body, dedented."""
    body = "def main(args, cfg, group):\n" + "".join(f"    {line}\n" for line in dedent(text).strip().splitlines())
    after = fixed({"main.py": head + body})["main.py"]
    return dedent(after.partition("def main(args, cfg, group):\n")[2])


@each_row(
    "text",
    [
        pytest.param("copied = deepcopy(cfg)", id="a config"),
        pytest.param("model = Net()\nstate = deepcopy(model.state_dict())", id="a state dict"),
        pytest.param("x = torch.ones(3)\ny = deepcopy(x)", id="a tensor"),
        pytest.param("layer = nn.Linear(3, 3)\nreturn nn.ModuleList([deepcopy(layer) for _ in range(3)])", id="clones"),
        pytest.param("layer = nn.Linear(3, 3)\nreturn nn.Sequential(layer, deepcopy(layer))", id="clone in Sequential"),
        pytest.param("model = Net()\nfor _ in range(9):\n    kept = deepcopy(model)", id="copied over and over"),
        pytest.param("model = Net()\nbest_model = deepcopy(model)", id="a snapshot by its name"),
        pytest.param("model = Net(group=group)\ntorch.save({'model': deepcopy(model)}, 'x.pt')", id="a checkpoint"),
        pytest.param("opts = dict(width=3)\nmodel = Net(**deepcopy(opts)).train()", id="arguments of a model"),
        pytest.param("model = Net(group=group)\nema = deepcopy(model, {})", id="a memo is given"),
        pytest.param(
            "model = nn.Sequential(nn.Linear(3, 3), nn.ReLU()).eval()\nema = deepcopy(model)", id="torch's layers"
        ),
    ],
)
def test_stays_untouched(text: str) -> None:
    assert found(text, HEAD if "group" in text else HEAD_NO_GROUP) == []


LAYERED = """\
class Outer(nn.Module):
    def __init__(self, group):
        super().__init__()
        self.nets = nn.ModuleList([Net(3, group) for _ in range(2)])
        self.head = nn.Linear(3, 3)


def clone(nets):
    return [deepcopy(net) for net in nets]


def clone_named(nets):
    return {name: deepcopy(net) for name, net in nets.items()}


"""


@each_row(
    "text",
    [
        "model = Net(group=group)\nfor _ in range(9):\n    kept = deepcopy(model)",
        "model = Net(group=group)\nbest_model = deepcopy(model)",
        "layer = Net(3, group)\nreturn nn.ModuleList([deepcopy(layer) for _ in range(3)])",
        "layer = Net(3, group)\nlayers = []\nlayers.append(deepcopy(layer))",
        "nets = [Net(3, group), Net(4, group)]\nreturn [deepcopy(net) for net in nets]",
        "nets = {'a': Net(3, group)}\nreturn {name: deepcopy(net).eval() for name, net in nets.items()}",
        "nets = {'a': Net(3, group), 'b': Net(4)}\nreturn deepcopy(nets['a'])",
        "nets = [Net(3, group)]\nfor i, net in enumerate(nets):\n    args.run(deepcopy(net))",
        "nets = [Net(3, group)]\nfor name, net in zip(args.names, nets):\n    args.run(name, deepcopy(net))",
        "outer = Outer(group)\nreturn deepcopy(outer.nets), deepcopy(outer.nets[-1])",
        "nets = [Net(3, group) for _ in range(2)]\nreturn clone(nets)",
        "nets = []\nnets.append(Net(3, group))\nreturn clone(nets)",
        "return clone([Net(3), Net(3, group)])",
        "return clone_named({'a': Net(3, group)})",
        "nets = {'a': Net(3, group)}\nreturn clone_named(nets)",
        "nets = {'a': Net(3, group)}\nreturn clone(nets.values())",
    ],
)
def test_parts_and_snapshots_with_a_group(text: str) -> None:
    findings = found(text, HEAD + LAYERED)
    assert findings and all(finding.fix is not None and finding.fix.title == SHARED for finding in findings)
    assert {finding.confidence for finding in findings} <= {Confidence.LIKELY, Confidence.PROVEN}
    assert not any(finding.confidence.reaches(Confidence.LIKELY) for finding in found(text, HEAD + LAYERED, launch=""))


@each_row(
    "text",
    [
        "nets = {'a': Net(3, group), 'b': dict(x=4)}\nreturn deepcopy(nets['b'])",
        "outer = Outer(group)\nreturn deepcopy(outer.head)",
        "nets = [Net(3, group)]\nfor i, net in enumerate(nets):\n    args.run(deepcopy(i))",
        "nets = [Net(3, group)]\nreturn [deepcopy(cfg) for cfg in args.cfgs]",
        "return [deepcopy(net) for net in args.nets]",
        "kwargs = dict(width=4, group=group)\nmodel = Net(**kwargs)\nreturn model, deepcopy(kwargs['width'])",
        "settings = make_settings(group=group)\nreturn deepcopy(settings.sizes)",
        "return clone([Net(3), Net(4)])",
        "nets = [Net(3, group), 4]\nreturn clone([cfg for cfg in args.cfgs])",
    ],
)
def test_parts_without_a_group(text: str) -> None:
    assert found(text, HEAD + LAYERED) == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("model = Net(4, group)\n    ", ""),
        ("", "    model = Net(4, group)\n"),
        ("model = None\n    ", "    model = Net(4, group)\n"),
    ],
)
def test_a_function_inside_copies_the_model(before: str, after: str) -> None:
    inner = "def make():\n        return deepcopy(model).eval()\n\n"
    text = f"def main(group):\n    {before}{inner}{after}    return make()\n\n\nmain(dist.new_group())\n"
    finding = at({"main.py": HEAD + text}, "main.py")
    assert finding.confidence is Confidence.PROVEN and finding.fix is not None and finding.fix.title == SHARED


@each_row(
    ("text", "head", "confidence"),
    [
        pytest.param(
            "model = Net(4, group=group)\nema = deepcopy(model)", HEAD, Confidence.PROVEN, id="group by keyword"
        ),
        pytest.param(
            "mesh = dist.new_group([0])\nmodel = Net(4, mesh)\nema = deepcopy(model)",
            HEAD,
            Confidence.PROVEN,
            id="new group",
        ),
        pytest.param("model = Net(4)\nema = deepcopy(model)", HEAD_NO_GROUP, Confidence.POSSIBLE, id="distributed"),
        pytest.param(
            "model = Net(4)\nema = deepcopy(model)", HEAD, Confidence.POSSIBLE, id="a group that nobody passes"
        ),
        pytest.param(
            "model = Net(4)\nema = deepcopy(model)",
            "from megatron import mpu\n" + HEAD_NO_GROUP,
            Confidence.POSSIBLE,
            id="the name of a library",
        ),
        pytest.param(
            "model = Net(4)\nema = deepcopy(model)",
            HEAD.replace("= group\n", "= group or dist.group.WORLD\n"),
            Confidence.PROVEN,
            id="the world",
        ),
        pytest.param(
            "model = Net(**dict(group=1))\nmore = dict(width=4, group=dist.new_group([0]))\n"
            "other = Net(**more)\nema = deepcopy(other)",
            HEAD,
            Confidence.PROVEN,
            id="keywords in a dict",
        ),
        pytest.param(
            "model = Net(4)\nmodel = args.share(model, dist.new_group([0]))\nema = deepcopy(model)",
            HEAD_NO_GROUP,
            Confidence.PROVEN,
            id="handed over later",
        ),
        pytest.param("model = nn.Sequential(*blocks)\nema = deepcopy(model)", PLAIN, Confidence.POSSIBLE, id="blocks"),
        pytest.param(
            "model = nn.SyncBatchNorm(4, process_group=group)\nema = deepcopy(model)",
            HEAD,
            Confidence.PROVEN,
            id="norm",
        ),
        pytest.param("model = Net(4)\nema = deepcopy(model)", PLAIN, Confidence.POSSIBLE, id="one process"),
        pytest.param("cfg.train()\nema = deepcopy(cfg)", HEAD, Confidence.POSSIBLE, id="construction not in sight"),
    ],
)
def test_confidence(text: str, head: str, confidence: Confidence) -> None:
    assert [finding.confidence for finding in found(text, head)] == [confidence]


@pytest.mark.parametrize("launch", ["", "from main import main\nmain(None, None, None)\n"])
def test_what_is_only_called_a_group_is_no_evidence(launch: str) -> None:
    text = "model = Net(4, group=group)\nema = deepcopy(model)"
    assert [finding.confidence for finding in found(text, launch=launch)] == [Confidence.POSSIBLE]


@each_row(
    "made",
    [
        "from groups import ring\n\nmain(None, None, ring())\n",
        "from groups import RING\n\nmain(None, None, RING)\n",
        "from groups import ring\n\ndef start(pg=None):\n    pg = pg or ring()\n    main(None, None, pg)\n",
        "from groups import ring\n\nclass Job:\n    def __init__(self):\n        self.pg = ring()\n\n"
        "    def run(self):\n        main(None, None, self.pg)\n",
        "from groups import ring\n\ndef start(pg):\n    main(None, None, group=pg)\n\nstart(ring())\n",
    ],
    ids=["a function", "a variable of a module", "a default", "an attribute", "two callers"],
)
def test_the_group_is_followed_to_where_it_is_made(made: str) -> None:
    groups = (
        "import torch.distributed as dist\n\nRING = None\n\n\n"
        "def start_ring():\n    global RING\n    RING = dist.new_group([0])\n\n\ndef ring():\n    return RING\n"
    )
    text = "model = Net(4, group=group)\nema = deepcopy(model)"
    (finding,) = found(text, launch="from main import main\n" + made, groups=groups)
    assert finding.confidence is Confidence.PROVEN
    assert ("groups.py", 8) in [(hop.path, hop.line) for hop in finding.trace]


def test_a_group_that_a_later_call_puts_in_is_no_evidence_before_it() -> None:
    head = HEAD_NO_GROUP + (
        "class Table(nn.Module):\n    def __init__(self):\n        super().__init__()\n        self.group = None\n\n"
        "    def parallelize(self):\n        self.group = dist.new_group()\n\n\ntable = Table()\n\n\n"
    )
    text = "model = build(Table)\nema = deepcopy(model).eval()\nmodel.parallelize()"
    assert [finding.confidence for finding in found(text, head)] == [Confidence.POSSIBLE]
    kept = head.replace("self.group = None", "self.group = dist.new_group()")
    assert [finding.confidence for finding in found(text, kept)] == [Confidence.LIKELY]


def test_groups_of_a_convolution_are_no_process_groups() -> None:
    text = "def main(group):\n    model = Net(4, group=group)\n    ema = deepcopy(model)\n    return model, ema\n"
    (finding,) = RULE.find(project_of({"main.py": PLAIN + text}))
    assert finding.confidence is Confidence.POSSIBLE


def test_a_distributed_script_is_no_evidence() -> None:
    files = {
        "ema.py": PLAIN.replace("        self.group = group\n", "")
        + "def build():\n    model = Net()\n    ema = deepcopy(model)\n    return model, ema\n",
        "train.py": "import torch.distributed as dist\nfrom ema import build\ndist.init_process_group()\nbuild()\n",
    }
    (finding,) = RULE.find(project_of(files))
    assert finding.confidence is Confidence.POSSIBLE
    assert [hop.path for hop in finding.trace] == ["ema.py", "ema.py"]


@pytest.mark.parametrize(
    "above",
    ["size = kept(other)\nother = kept(size)", "width = kept(4)", "backbone = args.width\nbackbone = backbone + 1"],
    ids=["in a circle", "of a number", "a model by its name alone"],
)
def test_arguments_that_are_no_modules(above: str) -> None:
    made = above.partition(" = ")[0]
    (finding,) = found(f"{above}\nmodel = Net({made})\nema = deepcopy(model)")
    assert finding.fix is not None and "built anew" in finding.fix.edits[0].text, finding.reason


@each_row(
    ("text", "after"),
    [
        pytest.param(
            "model = Net(args.width)\nema = deepcopy(model)",
            """
            model = Net(args.width)
            # built anew, not deep-copied: process groups inside a model can't be copied
            with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
                ema = Net(args.width)
            ema.load_state_dict(model.state_dict())
            """,
            id="nothing to carry",
        ),
        pytest.param(
            "model = Net(args.width).to(args.device)\nmodel = model.half().train()\nema = deepcopy(model).cpu().eval()",
            """
            model = Net(args.width).to(args.device)
            model = model.half().train()
            # built anew, not deep-copied: process groups inside a model can't be copied
            with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
                ema = Net(args.width).half()
            ema.load_state_dict(model.state_dict())
            ema = ema.cpu().eval()
            """,
            id="what the chain settles is left out, the dtype is not",
        ),
        pytest.param(
            "model = Net()\nfor p in model.fc.parameters():\n    p.requires_grad = False\nema = deepcopy(model)",
            """
            model = Net()
            for p in model.fc.parameters():
                p.requires_grad = False
            # built anew, not deep-copied: process groups inside a model can't be copied
            with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
                ema = Net()
            ema.load_state_dict(model.state_dict())
            for old, new in zip(model.parameters(), ema.parameters()):
                new.requires_grad_(old.requires_grad)
            """,
            id="frozen layers",
        ),
        pytest.param(
            "model = (\n    Net(\n        args.width,  # wide\n    )\n    .half()\n    .train()\n)\n"
            "ema = deepcopy(model)",
            """
            model = (
                Net(
                    args.width,  # wide
                )
                .half()
                .train()
            )
            # built anew, not deep-copied: process groups inside a model can't be copied
            with torch.random.fork_rng(devices=range(torch.cuda.device_count())):
                ema = Net(
                    args.width,  # wide
                ).half().train()
            ema.load_state_dict(model.state_dict())
            """,
            id="over several lines",
        ),
        pytest.param(
            "model, ema = None, None\nmodel = Net(4)\nema = Net(4)\nema = deepcopy(model)  # same start",
            """
            model, ema = None, None
            model = Net(4)
            ema = Net(4)
            # loaded, not deep-copied: process groups inside a model can't be copied
            ema.load_state_dict(model.state_dict())  # same start
            """,
            id="the copy was built already",
        ),
    ],
)
def test_writes(text: str, after: str) -> None:
    assert body_after(text).strip() == dedent(after).strip()


NOT_AGAIN = pytest.mark.parametrize(
    ("text", "reason"),
    [
        pytest.param(
            "model = Net()\nargs.width = 3\nmodel = Net(args.width)\nargs.width = 4\nema = deepcopy(model)",
            r"line \d+ changes `args.width`",
            id="argument changed",
        ),
        pytest.param(
            "if args.big:\n    model = Net(8)\nelse:\n    model = Net()\nema = deepcopy(model)",
            "under a condition",
            id="built in two ways",
        ),
        pytest.param(
            "model = Net()\nmodel.names = ['a']\nema = deepcopy(model)",
            "sets or removes `model.names`",
            id="attribute set",
        ),
        pytest.param(
            "model = Net()\nmodel.fc = nn.Linear(4, 1)\nema = deepcopy(model)",
            "sets or removes `model.fc`",
            id="layer replaced",
        ),
        pytest.param(
            "model = Net()\nmodel.fc.register_forward_hook(print)\nema = deepcopy(model)",
            "calls `model.fc.register_forward_hook",
            id="hook",
        ),
        pytest.param(
            "model = Net()\nwatch(model)\nema = deepcopy(model)", "gives `model` to `watch", id="unknown function"
        ),
        pytest.param("model = Net()\nout = model(args.x)\nema = deepcopy(model)", "runs `model`", id="forward pass"),
        pytest.param("model = Net()\nmodel = FSDP(model)\nema = deepcopy(model)", "wraps `model` in `FSDP`", id="FSDP"),
        pytest.param(
            "model = Net()\nmodel = torch.compile(model)\nema = deepcopy(model)",
            "wraps `model` in `torch.compile`",
            id="compiled",
        ),
        pytest.param("model = Net()\nreturn deepcopy(model)", "part of a larger expression", id="no variable"),
        pytest.param("model = Net()\nmodel = deepcopy(model)", "takes the name `model`", id="same variable"),
        pytest.param(
            "model = Net()\nfor m in model.children():\n    m.kept = [1]\nema = deepcopy(model)", "`m.kept`", id="loop"
        ),
        pytest.param(
            "model = Net()\nfor i, m in enumerate(reversed(model.body)):\n    m.kept = [i]\nema = deepcopy(model)",
            "`m.kept`",
            id="numbered loop",
        ),
        pytest.param(
            "model = Net()\nfor n, m in model.named_modules():\n    kept.append(m)\nema = deepcopy(model)",
            "`m`",
            id="loop that collects",
        ),
        pytest.param(
            "model = Net()\nfor each in model.config.parts:\n    each.on = True\nema = deepcopy(model)",
            "loops over `model.config.parts`",
            id="loop over settings",
        ),
        pytest.param("model = Net(); ema = deepcopy(model)", "shares its line", id="semicolon"),
        pytest.param(
            "with torch.device('meta'):\n    model = Net()\nema = deepcopy(model)",
            "in a block that the copy is not in",
            id="built in a context",
        ),
        pytest.param(
            "model = Net()\nwith torch.device('cpu'):\n    ema = deepcopy(model)",
            "inside `with torch.device",
            id="copied in a context",
        ),
        pytest.param(
            "model = Net()\ntorch.set_default_dtype(torch.half)\nema = deepcopy(model)",
            "changes a default",
            id="default dtype",
        ),
        pytest.param(
            "model = Net(torch.randn(3))\nema = deepcopy(model)",
            "would not return the same value again",
            id="random argument",
        ),
        pytest.param(
            "sizes = iter(args.sizes)\nmodel = Net(next(sizes))\nema = deepcopy(model)",
            r"`next\(sizes\)` among the arguments is another value each time",
            id="the next of an iterator",
        ),
        pytest.param(
            "model = Net(width=cfg.pop('width'))\nema = deepcopy(model)",
            r"`cfg.pop\('width'\)` among the arguments is another value",
            id="popped argument",
        ),
        pytest.param("model = args.make()\nmodel.eval()\nema = deepcopy(model)", "what `args.make", id="passed in"),
        pytest.param(
            "table = nn.Linear(4, 4)\nmodel = Net(table)\nema = deepcopy(model)",
            "`table`, an argument",
            id="shared module",
        ),
        pytest.param(
            "one = nn.Linear(4, 4)\ntwo = kept(one)\nthree = kept(two)\nfour = kept(three)\nfive = kept(four)\n"
            "model = Net(five)\nema = deepcopy(model)",
            "`five`, an argument",
            id="what functions make of a module",
        ),
    ],
)


@NOT_AGAIN
def test_refuses_without_evidence(text: str, reason: str) -> None:
    (finding,) = found(text, PLAIN)
    assert finding.fix is None
    assert re.search(reason, finding.reason or ""), finding.reason


@NOT_AGAIN
def test_shares_the_groups_where_training_is_distributed(text: str, reason: str) -> None:
    (finding,) = found(text, HEAD_NO_GROUP)
    if "wraps" in reason:
        assert finding.fix is None and re.search(reason, finding.reason or ""), finding.reason
    else:
        assert finding.fix is not None and finding.fix.title == SHARED and finding.fix.unsafe is None


@each_row(
    ("line", "reason"),
    [
        pytest.param("self.x = torch.randn(3)", "draws a random tensor", id="random attribute"),
        pytest.param("self.x = random.random()", "random generator", id="Python's generator"),
        pytest.param("dist.barrier()", "takes all ranks", id="collective"),
        pytest.param("width.pop('type')", "changes an argument in place", id="argument popped"),
        pytest.param("Net.made += 1", "changes a global variable", id="counted by the class"),
        pytest.param("type(self).made += 1", "changes a global variable", id="counted by its type"),
        pytest.param("self.number = next(numbers)", "changes a global variable", id="numbered"),
        pytest.param(
            "pass\n\n    def __new__(cls, *args):\n        return one(cls)", "keeps its results", id="one object"
        ),
    ],
)
def test_refuses_constructors_that_cannot_run_twice(line: str, reason: str) -> None:
    head = "import random\nnumbers = iter(range(9))\n" + PLAIN.replace("self.group = group", line)
    (finding,) = found("model = Net(args.width)\nema = deepcopy(model)", head)
    assert finding.fix is None and re.search(reason, finding.reason or ""), finding
    (finding,) = found("model = Net(args.width)\nema = deepcopy(model)", "import torch.distributed as dist\n" + head)
    assert finding.fix is not None and finding.fix.title == SHARED


def test_an_iterator_of_the_constructor_starts_again_with_it() -> None:
    head = PLAIN.replace("self.group = group", "self.number = next(iter([width]))")
    (finding,) = found("model = Net(4)\nema = deepcopy(model)", head)
    assert finding.fix is not None and finding.reason is None


HOW = """
    def __getstate__(self):
        return {name: value for name, value in self.__dict__.items() if name != "group"}

"""


def test_a_class_that_leaves_its_group_out_can_be_copied() -> None:
    text = "model = Net(4, dist.new_group([0]))\nema = deepcopy(model)"
    (finding,) = found(text, HEAD)
    assert finding.confidence is Confidence.PROVEN


def test_a_class_that_is_asked_what_it_copies_may_leave_its_group_out() -> None:
    text = "model = Net(4, dist.new_group([0]))\nema = deepcopy(model)"
    assert all(finding.confidence is not Confidence.PROVEN for finding in found(text, HEAD.rstrip() + HOW))
    other = HEAD.rstrip() + HOW.replace("__getstate__", "get_state")
    assert [finding.confidence for finding in found(text, other)] == [Confidence.PROVEN]


def test_a_class_that_says_how_it_is_copied_is_left_alone() -> None:
    how = HOW.replace("__getstate__(self)", "__deepcopy__(self, memo)").replace("{", "Net(4) or {")
    assert found("model = Net(4, group=group)\nema = deepcopy(model)", HEAD.rstrip() + how) == []


def test_pretrained_weights_make_it_unsafe() -> None:
    head = HEAD.replace("self.group = group", "self.fc.load_state_dict(torch.load(width))")
    (finding,) = found("model = Net('a.pt')\nema = deepcopy(model)", head)
    assert finding.fix is not None and "loaded twice" in (finding.fix.unsafe or "")


TRIED = "try:\n    ema = deepcopy(model)\nexcept {caught}:\n    {then}"


@pytest.mark.parametrize(
    ("caught", "then", "other_way"),
    [
        ("Exception", "ema = Net(4)", True),
        ("(TypeError, RuntimeError)", "ema = None", True),
        ("ValueError", "ema = None", False),
        ("TypeError", "raise", False),
    ],
)
@pytest.mark.parametrize("shared", [False, True], ids=["built anew", "shared"])
def test_a_copy_that_may_fail(caught: str, then: str, other_way: bool, shared: bool) -> None:
    """The `except` does something else then; a copy that succeeds would be another program."""
    made = "model = Net(4, group=group)\n" + ("cfg.table = model.body\nmodel.body = cfg.make()\n" if shared else "")
    (finding,) = found(made + TRIED.format(caught=caught, then=then))
    assert finding.fix is not None and (finding.fix.title == SHARED) is shared
    reason = "main.py:{0} tries to pickle or copy it, and the program goes on at main.py:{1} where that fails"
    line = finding.span.line
    wanted = f"{reason.format(line, line + 1)}: with this fix it would not fail" if other_way else None
    assert finding.fix.unsafe == wanted
    assert (finding.confidence is Confidence.POSSIBLE) is other_way


def test_a_copy_that_may_fail_and_has_no_fix() -> None:
    (finding,) = found(
        "model = args.make()\nmodel.eval()\n" + TRIED.format(caught="Exception", then="ema = None"), PLAIN
    )
    assert finding.fix is None and "the program goes on at main.py:" in (finding.reason or "")


def test_wrapped_by_fsdp_is_reported_even_with_a_group() -> None:
    (finding,) = found("model = Net(4, group)\nmodel = FSDP(model)\nema = deepcopy(model)")
    assert finding.fix is None and "FSDP" in (finding.reason or "")


def test_import_stays_while_it_is_used() -> None:
    text = (
        HEAD
        + "def main(cfg):\n    cfg = deepcopy(cfg)\n    model = Net(4)\n    ema = deepcopy(model)\n    return ema\n"
    )
    after = fixed({"main.py": text})["main.py"]
    assert "from copy import deepcopy\n" in after and after.count("deepcopy(") == 1


@pytest.mark.parametrize(
    ("statement", "rest"),
    [
        pytest.param("from copy import deepcopy", "", id="alone"),
        pytest.param("from copy import copy, deepcopy", "from copy import copy", id="last of two"),
        pytest.param("from copy import deepcopy, copy", "from copy import copy", id="first of two"),
    ],
)
def test_import_goes_with_its_last_use(statement: str, rest: str) -> None:
    use = "    copy(1)\n" if rest else ""
    text = HEAD.replace("from copy import deepcopy", statement)
    text += f"def main():\n{use}    model = Net(4)\n    ema = deepcopy(model)\n    return ema\n"
    after = fixed({"main.py": text})["main.py"]
    assert "deepcopy" not in after.replace("deep-copied", "")
    assert (f"\n{rest}\n\n\nclass" in after) if rest else ("as nn\n\n\nclass" in after)


def test_an_import_inside_goes_when_the_helper_brings_its_own() -> None:
    head = "import torch\nimport torch.distributed as dist\nfrom torch import nn\n\n"
    net = "class Net(nn.Module):\n    def __init__(self, group):\n        super().__init__()\n"
    net += "        self.group = group\n\n"
    ema = "class Ema:\n    def __init__(self, model, use):\n        import copy\n        self.model = model\n"
    ema += "        self.ema = copy.deepcopy(model) if use else None\n\n"
    start = 'def main():\n    dist.init_process_group("gloo")\n    return Ema(Net(dist.new_group()), True)\n'
    after = fixed({"train.py": head + net + ema + start})["train.py"]
    assert re.findall(r"^ *import copy$", after, re.MULTILINE) == ["import copy"]
    other = ema.replace("self.model = model", "self.model = copy.copy(model)")
    after = fixed({"train.py": head + net + other + start})["train.py"]
    assert "        import copy\n        self.model = copy.copy(model)\n" in after


def test_newlines_and_tabs_are_kept() -> None:
    text = (
        HEAD.replace("    ", "\t")
        + "def main():\n\tmodel = Net(\n\t\twidth=4,\n\t)\n\tema = deepcopy(model).eval()\n\treturn ema\n"
    )
    after = fixed({"main.py": text.replace("\n", "\r\n")})["main.py"]
    assert "\r\n\t\tema = Net(\r\n\t\t\twidth=4,\r\n\t\t)\r\n\tema.load_state_dict(" in after
    assert "\n" not in after.replace("\r\n", "")


def test_two_copies_share_one_helper_and_one_fix() -> None:
    text = HEAD + (
        "def one(group):\n    model = Net(4, group)\n    model.names = []\n    return deepcopy(model)\n\n\n"
        "def two(group):\n    model = Net(4, group)\n    return deepcopy(model).eval()\n"
    )
    findings = list(RULE.find(project_of({"main.py": text})))
    assert len(findings) == 2 and findings[0].fix == findings[1].fix
    after = fixed({"main.py": text})["main.py"]
    assert (
        after.count("def deepcopy_sharing_groups(") == 1 and after.count("return deepcopy_sharing_groups(model)") == 2
    )
    assert list(RULE.find(project_of({"main.py": after}))) == []


def test_what_is_written_is_found_no_more() -> None:
    text = (
        HEAD + "def main(group):\n    model = Net(4, group)\n    ema = deepcopy(model).eval()\n    return model, ema\n"
    )
    once = fixed({"main.py": text})
    assert once != {"main.py": text}
    assert fixed(once) == once


def test_files_without_torch_or_deepcopy_are_not_parsed() -> None:
    project = project_of({"a.py": "def broken(:\n", "b.py": "from copy import deepcopy\nx = deepcopy({})\n"})
    assert list(RULE.find(project)) == []
    assert "a.py" not in project.skipped


# -- models built in another function ---------------------------------------------------------------------------------

EMA = """\
from copy import deepcopy
import torch


class ModelEMA:
    def __init__(self, model, decay=0.99):
        self.ema = deepcopy({model}).eval()
        for p in self.ema.parameters():
            p.requires_grad_(False)
"""
WAYS = [
    "model",
    "model.module if is_parallel(model) else model",
    "de_parallel(model)",
    "getattr(model, 'module', model)",
]
TRAIN = HEAD.replace("from copy import deepcopy\n", "from ema import ModelEMA\n")
LAUNCHED = {"launch.py": LAUNCH.replace("None, None, ", "")}


def at(files: dict[str, str], path: str) -> Finding:
    """The one finding in `path`."""
    (finding,) = (each for each in RULE.find(project_of(files)) if each.path == path)
    return finding


@each_row(
    ("annotation", "taken"),
    [
        ("nn.Module", True),
        ("Optional[nn.Module]", True),
        ("nn.Module | None", True),
        ("list", False),
        ("Modules", False),
    ],
)
def test_an_annotation_says_that_it_is_a_model(annotation: str, taken: bool) -> None:
    assert bool(found(f"def keep(model: {annotation}):\n    return deepcopy(model)\n")) is taken


@each_row("model", ["de_parallel(model, True)", "shadow_of(model)", "getattr(model, 'module', other)"])
def test_other_calls_take_no_wrapper_off(model: str) -> None:
    main = f"{TRAIN}def main(group):\n    model = Net(4, group)\n    ema = ModelEMA(model)\n"
    files = {"ema.py": EMA.format(model=model), "main.py": main, **LAUNCHED}
    assert not [each for each in RULE.find(project_of(files)) if each.path == "ema.py"]


@pytest.mark.parametrize("model", WAYS)
@pytest.mark.parametrize(
    "body",
    [
        "model = Net(4, group)\n    ema = ModelEMA(model)",
        "ema = ModelEMA(model=Net(4, group))",
        "model = Net(4, group)\n    model = nn.parallel.DistributedDataParallel(model)\n    ema = ModelEMA(model)",
    ],
)
def test_evidence_comes_from_the_caller(model: str, body: str) -> None:
    files = {"ema.py": EMA.format(model=model), "main.py": f"{TRAIN}def main(group):\n    {body}\n", **LAUNCHED}
    finding = at(files, "ema.py")
    assert finding.confidence is Confidence.PROVEN and [hop.path for hop in finding.trace][-1] == "ema.py"
    after = fixed(files)
    assert f"self.ema = deepcopy_sharing_groups({model}).eval()" in after["ema.py"]
    assert after["main.py"] == files["main.py"]
    assert not list(RULE.find(project_of(after)))


@each_row(
    "body",
    [
        "models = [Net(4, group), Net(3, group)]\n    emas = [ModelEMA(model) for model in models]",
        "models = [Net(4, group), Net(3, group)]\n    for model in models:\n        ema = ModelEMA(model)",
        "models = []\n    models.append(Net(4, group))\n    for i, x in enumerate(models):\n        ema = ModelEMA(x)",
        "models = {'a': Net(4, group)}\n    for name, model in models.items():\n        ema = ModelEMA(model)",
        "models = [Net(width, group) for width in (3, 4)]\n    ema = ModelEMA(models[0])",
        "model = Net(4, group)\n    for net in (model, wrap(model)):\n        ema = ModelEMA(net)",
        "for net in [Net(4, group), Net(3)]:\n        ema = ModelEMA(net)",
    ],
)
def test_evidence_from_a_list_of_models(body: str) -> None:
    files = {"ema.py": EMA.format(model="model"), "main.py": f"{TRAIN}def main(group):\n    {body}\n", **LAUNCHED}
    finding = at(files, "ema.py")
    assert finding.confidence is Confidence.PROVEN and [hop.path for hop in finding.trace][-1] == "ema.py"
    del files["launch.py"]
    assert at(files, "ema.py").confidence is Confidence.POSSIBLE
    text = files["main.py"].replace("def main(group):", "def main():\n    group = dist.new_group()")
    assert at(files | {"main.py": text}, "ema.py").confidence is Confidence.PROVEN


def test_a_builder_that_calls_itself_for_the_elements_of_a_list() -> None:
    text = HEAD + (
        "def pipeline(cfg):\n    copied = deepcopy(cfg)\n    copied.eval()\n    return copied\n\n\n"
        "def build(cfg):\n    if isinstance(cfg, list):\n        return [build(each) for each in cfg]\n"
        "    return pipeline(cfg)\n"
    )
    assert [finding.confidence for finding in RULE.find(project_of({"main.py": text}))] == [Confidence.POSSIBLE]


def test_evidence_through_two_callers_and_an_attribute() -> None:
    train = TRAIN + (
        "class Trainer:\n    def __init__(self, group):\n        self.model = Net(4, group)\n\n"
        "    def setup(self):\n        self.ema = make(self.model)\n\n\n"
        "def make(network):\n    return ModelEMA(network)\n\n\nTrainer(dist.new_group()).setup()\n"
    )
    finding = at({"ema.py": EMA.format(model="model"), "main.py": train}, "ema.py")
    assert finding.confidence is Confidence.PROVEN
    assert [(hop.path, hop.line) for hop in finding.trace] == [
        ("main.py", 17), ("main.py", 27), ("main.py", 17), ("main.py", 20), ("main.py", 24), ("ema.py", 7),
    ]  # fmt: skip


@pytest.mark.parametrize(
    "main",
    [
        TRAIN.replace("self.group = group", "pass") + "def main():\n    ema = ModelEMA(Net(4))\n",
        TRAIN + "def main(group):\n    ema = OtherEMA(Net(4, group))\n",
        TRAIN.replace("from ema", "from other") + "def main(group):\n    ema = ModelEMA(Net(4, group))\n",
    ],
)
def test_no_evidence_from_the_caller(main: str) -> None:
    assert at({"ema.py": EMA.format(model="model"), "main.py": main}, "ema.py").confidence is Confidence.POSSIBLE


def test_built_in_another_method() -> None:
    text = HEAD + (
        "class Trainer:\n    def __init__(self, group):\n        self.model = Net(4, group).cuda()\n\n"
        "    def setup(self):\n        self.target = deepcopy(self.model)\n        self.target.eval()\n"
    )
    after = fixed({"main.py": text})["main.py"]
    assert "self.target = deepcopy_sharing_groups(self.model)" in after


@pytest.mark.parametrize("model", WAYS[1:])
def test_built_here_and_perhaps_wrapped(model: str) -> None:
    text = f"model = Net(4, group)\nif args.ddp:\n    model = DDP(model)\nema = deepcopy({model}).eval()"
    shown = f"({model})" if " if " in model else model
    body = body_after(text)
    assert "    ema = Net(4, group)\n" in body and f"ema.load_state_dict({shown}.state_dict())\n" in body


def test_different_models_by_condition_are_no_model_to_build() -> None:
    assert not found("model = Net(4, group)\nema = deepcopy(model if args.a else other)")


# -- built by a method of the same object -----------------------------------------------------------------------------

BUILDER = """\
class Trainer:
    def __init__(self, cfg, group):
        self.cfg, self.group = cfg, group
        self.model = self.build(4){between}
        self.ema = deepcopy(self.model).eval()

    def build(self, width):
        {build}
"""


def test_a_method_that_builds_is_called_again() -> None:
    text = HEAD + BUILDER.format(between="", build="net = Net(width, self.group)\n        return net")
    after = fixed({"main.py": text})["main.py"]
    assert "            self.ema = self.build(4)\n        self.ema.load_state_dict(self.model.state_dict())\n" in after


@each_row(
    ("between", "build"),
    [
        ("", "self.net = Net(width, self.group)\n        return self.net"),
        ("", "self.count += 1\n        return Net(width, self.group)"),
        ("", "return self.make(Net(width, self.group))"),
        ("\n        self.group = None", "return Net(width, self.group)"),
    ],
)
def test_a_method_that_does_more_is_not_called_again(between: str, build: str) -> None:
    text = HEAD + BUILDER.format(between=between, build=build)
    assert "self.ema = self.build" not in fixed({"main.py": text})["main.py"]


def test_a_method_that_is_overridden_is_not_called_again() -> None:
    text = HEAD + BUILDER.format(between="", build="return Net(width, self.group)")
    text += "\n\nclass Other(Trainer):\n    def build(self, width):\n        return CACHE[width]\n"
    assert "self.ema = self.build" not in fixed({"main.py": text})["main.py"]


# -- copies that a library makes, and sharded models ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "name"),
    [
        ("from timm.utils import ModelEmaV2", "ModelEmaV2"),
        ("import ema_pytorch", "ema_pytorch.EMA"),
    ],
)
def test_libraries_that_copy_are_reported_with_evidence(line: str, name: str) -> None:
    (finding,) = found(f"model = Net(4, group)\nema = {name}(model, None)", f"{line}\n{HEAD}")
    assert finding.confidence is Confidence.PROVEN and finding.fix is None
    assert "deep-copies the model itself" in (finding.reason or "")
    assert not found(f"model = Net(4)\nema = {name}(model)", f"{line}\n{HEAD_NO_GROUP}")


AVERAGED = "from torch.optim.swa_utils import AveragedModel\n" + HEAD


@each_row(
    ("call", "moved"),
    [
        ("AveragedModel(model)", ""),
        ("AveragedModel(model, None, use_buffers=True)", ""),
        ("AveragedModel(model, args.device)  # smooth", ".to(args.device)"),
        ("AveragedModel(model, device=torch.device('cpu'))", ".to(torch.device('cpu'))"),
    ],
)
def test_averaged_model_is_given_its_copy(call: str, moved: str) -> None:
    body = body_after(f"model = Net(4, group)\nself.ema = {call}", AVERAGED)
    assert body.splitlines()[1:] == [
        "# it deep-copies what it is given, but process groups can't be copied",
        f"self.ema = {call}".replace("(model", "(nn.Identity()"),
        f"self.ema.module = deepcopy_sharing_groups(model){moved}",
    ]
    assert not found(f"model = Net(4)\nema = {call}", AVERAGED.replace("self.group = group", "pass"))


@each_row(
    "line",
    ["return AveragedModel(model)", "ema = AveragedModel(model).eval()", "ema = AveragedModel(model, **args)",
     "ema = AveragedModel(model, device=pick())", "x = 1; ema = AveragedModel(model)"],
)  # fmt: skip
def test_averaged_models_that_are_only_reported(line: str) -> None:
    (finding,) = found(f"model = Net(4, group)\n{line}", AVERAGED)
    assert finding.fix is None and "deep-copies the model itself" in (finding.reason or "")


@each_row(
    ("text", "head"),
    [
        ("model = Net()\nmodel.fc.group = group\nema = deepcopy(model)", HEAD_NO_GROUP),
        ("model = Net()\nfor m in model.modules():\n    m.tp_group = dist.new_group()\nema = deepcopy(model)",
         HEAD_NO_GROUP),
        ("model, rest = build(args, group=group)\nmodel = model.to(args.device)\nema = deepcopy(model).eval()",
         HEAD_NO_GROUP),
        ("model = Net()\nmodel.set_up(group)\nema = deepcopy(model)", HEAD_NO_GROUP),
        ("model = Net()\ngive(model, 1)\nema = deepcopy(model)",
         HEAD_NO_GROUP + "def give(m, x):\n    for p in m.children():\n        p.group = dist.new_group()\n\n\n"),
    ],
    ids=["a layer", "every layer", "a tuple", "a method", "a function"],
)  # fmt: skip
def test_a_group_put_on_the_model_is_evidence(text: str, head: str) -> None:
    (finding,) = found(text, head)
    assert finding.confidence.reaches(Confidence.LIKELY) and finding.fix is not None and finding.fix.title == SHARED


def test_a_group_of_something_else_is_no_evidence() -> None:
    text = "model = Net()\nargs.group = dist.new_group()\nself.group = group\nema = deepcopy(model)"
    (finding,) = found(text, HEAD_NO_GROUP)
    assert finding.confidence is Confidence.POSSIBLE


@pytest.mark.parametrize(
    ("wrap", "says"),
    [
        ("model = FSDP(model)", "shard it in the same way"),
        ("fully_shard(model)", "shard it in the same way"),
        ("model, opt, _, _ = deepspeed.initialize(model=model)", "the engine's `.module`"),
    ],
)
def test_sharded_models_are_reported(wrap: str, says: str) -> None:
    (finding,) = found(f"model = Net(4)\n{wrap}\nema = deepcopy(model)", HEAD_NO_GROUP)
    assert finding.confidence is Confidence.PROVEN and "FSDP and DeepSpeed" in finding.message
    assert finding.fix is None and says in (finding.reason or "")


def test_compiled_models_are_reported() -> None:
    (finding,) = found("model = Net(4)\nmodel = torch.compile(model)\nema = deepcopy(model)", HEAD_NO_GROUP)
    assert finding.confidence is Confidence.POSSIBLE and "compile the copy too" in (finding.reason or "")


@each_row(
    ("line", "taken"),
    [
        ("return m.module if hasattr(m, 'module') else m", True),
        ("return getattr(m, 'module', m)", True),
        ("return m.encoder", False),
        ("return fuse(m)", False),
    ],
)
def test_a_function_called_unwrap_is_looked_at(line: str, taken: bool) -> None:
    head = HEAD + f"def unwrap(m):\n    {line}\n\n\n"
    assert bool(found("model = Net(4, group)\nema = deepcopy(unwrap(model))", head)) is taken


# -- tensors that running the model leaves on it ----------------------------------------------------------------------

CACHING = """\
import torch
import torch.nn as nn
from copy import deepcopy


class Net(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.fc = nn.Linear(width, width)
        self.features = None

    def forward(self, x):
        {keep}
        return h


"""
RUN = "model = Net(4)\nloss = model(args.x).sum()\nema = deepcopy(model)"


@pytest.mark.parametrize("keep", ["h = self.features = self.fc(x)", "h = self.fc(x)\n        self.features = h"])
def test_kept_tensors_are_evidence_and_the_copy_is_built_anew(keep: str) -> None:
    head = CACHING.format(keep=keep)
    (finding,) = found(RUN, head)
    assert finding.confidence is Confidence.PROVEN and "only leaf tensors" in finding.message
    body = body_after(RUN, head)
    assert "    ema = Net(4)\nema.load_state_dict(model.state_dict())\n" in body
    assert "tensors with a gradient history inside a model can't be copied" in body


@each_row(
    ("keep", "text"),
    [
        ("h = self.features = self.fc(x)", RUN.replace("loss = model(args.x).sum()", "pass")),
        ("h = self.features = self.fc(x)", RUN.replace("loss =", "with torch.no_grad():\n    loss =")),
        ("h = self.fc(x)\n        self.features = h.detach()", RUN),
        ("h = self.fc(x)\n        h = h.detach()\n        self.features = h", RUN),
        ("h = self.shape = x.shape", RUN),
    ],
)
def test_no_tensor_with_history_is_kept(keep: str, text: str) -> None:
    (finding,) = found(text, CACHING.format(keep=keep))
    assert finding.confidence is Confidence.POSSIBLE


def test_other_things_that_running_keeps_would_be_lost() -> None:
    (finding,) = found(RUN, CACHING.format(keep="h = self.features = self.fc(x)\n        self.calls = 1"))
    assert finding.confidence is Confidence.PROVEN and "runs `model`" in (finding.reason or "")


def test_a_model_that_hands_over_itself() -> None:
    methods = "    def fuse(self):\n        return ModelEMA(self)\n\n    def both(self):\n        return self.fuse()\n"
    main = TRAIN.replace("self.group = group", "pass").rstrip() + f"\n\n{methods}"
    main += "\n\ndef main():\n    return Net(4).fuse()\n"
    assert at({"ema.py": EMA.format(model="model"), "main.py": main}, "ema.py").confidence is Confidence.POSSIBLE


@each_row(
    ("name", "model"),
    [
        ("diffusers.FlowMatchEulerDiscreteScheduler", False),
        ("diffusers.schedulers.scheduling_ddpm.DDPMScheduler", False),
        ("diffusers.StableDiffusionPipeline", False),
        ("transformers.CLIPTokenizer", False),
        ("transformers.CLIPTextConfig", False),
        ("transformers.CLIPTextModel", True),
        ("transformers.models.bert.modeling_bert.BertForMaskedLM", True),
        ("diffusers.UNet2DConditionModel", True),
        ("diffusers.models.AutoencoderKL", True),
    ],
)
def test_which_classes_of_libraries_are_models(name: str, model: bool) -> None:
    module, _, last = name.rpartition(".")
    head = f"from {module} import {last}\n{HEAD_NO_GROUP}"
    assert bool(found(f"thing = {last}(args)\nother = deepcopy(thing)", head)) is model


def test_wrapped_under_a_condition_says_by_what() -> None:
    (finding,) = found(
        "model = Net(4)\nif args.c:\n    model = torch.compile(model)\nema = deepcopy(model)", HEAD_NO_GROUP
    )
    assert "compile the copy too" in (finding.reason or "")
