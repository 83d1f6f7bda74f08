"""What a statement does to a model, a row for each use: what a copy that is built anew lacks, or why there is none."""

from __future__ import annotations

import ast

from codemods.project import Project
from codemods.transforms.model_deepcopy.file_view import FileView
from codemods.transforms.model_deepcopy.models import Models
from codemods.transforms.model_deepcopy.uses import Uses
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

HEAD = """\
import torch, deepspeed, logging
from torch import optim
from torch.distributed.fsdp import FullyShardedDataParallel, fully_shard
from torch.nn.parallel import DistributedDataParallel as DDP
logger = logging.getLogger()


def init(layer):
    layer.weight.data.fill_(0)


def freeze(model):
    for p in model.parameters():
        p.requires_grad = False


def nothing(model):
    return 1


def rebinds(model):
    model = None


def flags(model, on):
    model.flag = on


def prints(model):
    print(model.flag)


def main(m, x):
"""
AT = HEAD.count("\n") + 1
NO_SHARDS = (
    "sharded parameters can't be deep-copied. Build the copy before that line, shard it in the same way, "
    "and let it follow the model shard by shard"
)
NO_ENGINE = (
    "the engine holds process groups and can't be deep-copied. Build the copy before that line and read the trained "
    "weights from the engine's `.module`"
)


@each_row(
    ("text", "needs", "refused", "prints", "runs"),
    [
        ("x = 1", "", None, False, False),
        ("m.requires_grad = False", "GRADS", None, False, False),
        ("m.layer.weight.requires_grad = False", "GRADS", None, False, False),
        ("m.training = True", "MODES", None, False, False),
        ("m.weight.data = x", "", None, False, False),
        ("m.weight.grad = None", "", None, False, False),
        ("m.flag = True", "FLAGS", None, False, False),
        ("m.flag = 3", "FLAGS", None, False, False),
        ("m.flag = x", "", ("Refused", "sets or removes `m.flag`, which building `m` anew would miss"), False, False),
        (
            "m.layer.flag = True",
            "",
            ("Refused", "sets or removes `m.layer.flag`, which building `m` anew would miss"),
            False,
            False,
        ),
        (
            "m.layers[0] = x",
            "",
            ("Refused", "sets or removes `m.layers[0]`, which building `m` anew would miss"),
            False,
            False,
        ),
        ("del m.head", "", ("Refused", "sets or removes `m.head`, which building `m` anew would miss"), False, False),
        ("m.train()", "MODES", None, False, False),
        ("m.eval()", "MODES", None, False, False),
        ("m.half()", "CASTS", None, False, False),
        ("m.to(x)", "CASTS", None, False, False),
        ("m.cuda()", "CASTS", None, False, False),
        ("m.float()", "CASTS", None, False, False),
        ("m.requires_grad_(False)", "GRADS", None, False, False),
        ("m.load_state_dict(x)", "", None, False, False),
        ("m.load_state_dict(x, assign=True)", "CASTS GRADS", None, False, False),
        ("m.state_dict()", "", None, False, False),
        ("m.parameters()", "", None, False, False),
        ("m.named_parameters()", "", None, False, False),
        ("m.modules()", "", None, False, False),
        ("m.weight.detach()", "", None, False, False),
        ("m.weight.copy_(x)", "", None, False, False),
        ("m.weight.fill_(0)", "", None, False, False),
        ("m.rope.fill_(0)", "BUFFERS", None, False, False),
        ("m.rope.zero_()", "BUFFERS", None, False, False),
        (
            "m.layer.reset()",
            "",
            ("Refused", "calls `m.layer.reset(...)`, which may change more than its state dict"),
            False,
            False,
        ),
        ("m.reset()", "", ("Refused", "calls `m.reset(...)`, which may change more than its state dict"), False, False),
        ("m.apply(init)", "", None, False, False),
        ("m.apply(freeze)", "GRADS", None, False, False),
        ("m.apply(unknown)", "", ("Refused", "applies `unknown` to `m`"), False, False),
        ("m.apply(lambda l: l)", "", ("Refused", "applies `lambda l: l` to `m`"), False, False),
        ("y = m(x)", "", ("Refused", "runs `m`, which may leave something on its layers"), False, True),
        (
            "with torch.no_grad():\n    y = m(x)",
            "",
            ("Refused", "+1 runs `m`, which may leave something on its layers"),
            False,
            False,
        ),
        (
            "with torch.inference_mode():\n    y = m(x)",
            "",
            ("Refused", "+1 runs `m`, which may leave something on its layers"),
            False,
            False,
        ),
        ("print(m)", "", None, True, False),
        ("print(m.flag)", "", None, True, False),
        ("logger.info(m.flag)", "", None, True, False),
        ("f(m)", "", ("Refused", "gives `m` to `f(...)`, which may change it"), False, False),
        ("freeze(m)", "GRADS", None, False, False),
        ("freeze(m.layer)", "", ("Refused", "gives `m` to `freeze(...)`, which may change it"), False, False),
        ("freeze(model=m)", "GRADS", None, False, False),
        ("freeze(*[m])", "", ("Refused", "puts `m` into a container, through which it may be changed"), False, False),
        ("freeze(x, m)", "", ("Refused", "gives `m` to `freeze(...)`, which may change it"), False, False),
        ("nothing(m)", "", None, False, False),
        ("rebinds(m)", "", ("Refused", "gives `m` to `rebinds(...)`, which may change it (a.py:21)"), False, False),
        ("flags(m, True)", "FLAGS", None, False, False),
        ("flags(m, x)", "", ("Refused", "gives `m` to `flags(...)`, which may change it (a.py:25)"), False, False),
        ("flags(m, on=True)", "FLAGS", None, False, False),
        ("prints(m)", "", None, True, False),
        ("len(m)", "", None, False, False),
        ("isinstance(m, x)", "", None, False, False),
        ("sum(m.parameters())", "", None, False, False),
        ("DDP(m)", "", None, False, False),
        ("torch.nn.parallel.DistributedDataParallel(m)", "", None, False, False),
        (
            "torch.compile(m)",
            "",
            ("Wrapped", "wraps `m` in `torch.compile`: copy the bare model before that line, compile the copy too"),
            False,
            False,
        ),
        (
            "FullyShardedDataParallel(m)",
            "",
            (
                "Wrapped",
                f"wraps `m` in `FullyShardedDataParallel`: {NO_SHARDS}",
            ),
            False,
            False,
        ),
        (
            "deepspeed.initialize(model=m)",
            "",
            (
                "Wrapped",
                f"wraps `m` in `deepspeed.initialize`: {NO_ENGINE}",
            ),
            False,
            False,
        ),
        (
            "fully_shard(m)",
            "",
            (
                "Wrapped",
                f"wraps `m` in `fully_shard`: {NO_SHARDS}",
            ),
            False,
            False,
        ),
        ("y.append(m)", "", ("Refused", "puts `m` into a container, through which it may be changed"), False, False),
        ("y = m", "", ("Refused", "gives `m` a second name, by which it may be changed"), False, False),
        ("y: object = m", "", ("Refused", "gives `m` a second name, by which it may be changed"), False, False),
        ("(y := m)", "", ("Refused", "gives `m` a second name, by which it may be changed"), False, False),
        ("y = m.layer", "", None, False, False),
        ("y = [m]", "", ("Refused", "puts `m` into a container, through which it may be changed"), False, False),
        ("y = (m, x)", "", ("Refused", "puts `m` into a container, through which it may be changed"), False, False),
        ("y = {'m': m}", "", ("Refused", "puts `m` into a container, through which it may be changed"), False, False),
        ("torch.save([m], x)", "", None, False, False),
        ("print([m])", "", None, True, False),
        ("for p in m.parameters():\n    p.requires_grad = False", "GRADS", None, False, False),
        ("for n, p in m.named_parameters():\n    p.requires_grad = False", "GRADS", None, False, False),
        ("for i, p in enumerate(m.parameters()):\n    p.requires_grad = False", "GRADS", None, False, False),
        ("for i, (n, p) in enumerate(m.named_parameters()):\n    p.requires_grad = False", "GRADS", None, False, False),
        ("for l in m.layers:\n    l.flag = True", "FLAGS", None, False, False),
        (
            "for l in m.modules():\n    l.reset()",
            "",
            ("Refused", "+1 calls `l.reset(...)`, which may change more than its state dict"),
            False,
            False,
        ),
        (
            "for l in m.modules():\n    y = l",
            "",
            ("Refused", "+1 gives `l` a second name, by which it may be changed"),
            False,
            False,
        ),
        ("for p in m.parameters():\n    y = p", "", None, False, False),
        ("for p in list(m.parameters()):\n    p.data = x", "", None, False, False),
        ("for l in reversed(m.layers):\n    l.eval()", "MODES", None, False, False),
        ("for k in m.config.items():\n    pass", "", None, False, False),
        ("f(m.device)", "", None, False, False),
        ("f(m.dtype)", "", None, False, False),
        ("f(m.config)", "", None, False, False),
        ("f(m.training)", "", None, False, False),
        ("f(m.layer)", "", ("Refused", "gives `m` to `f(...)`, which may change it"), False, False),
        ("super(m).x()", "", ("Refused", "gives `m` to `super(...)`, which may change it"), False, False),
        ("if m.training:\n    pass", "", None, False, False),
        ("assert m", "", None, False, False),
        ("y = m.layer.weight + 1", "", None, False, False),
        ("y = m.flag", "", None, False, False),
        ("optim.SGD(m.parameters(), 1)", "", None, False, False),
        ("torch.save(m.state_dict(), x)", "", None, False, False),
        ("return_(m.layers[0])", "", ("Refused", "gives `m` to `return_(...)`, which may change it"), False, False),
    ],
)
def test_use(text: str, needs: str, refused: tuple[str, str] | None, prints: bool, runs: bool) -> None:
    """`refused`: the class and the reason, in which "+1" is the line below the first."""
    body = "".join(f"    {line}\n" for line in text.splitlines())
    models = Models(Project(MemoryFiles({"a.py": (HEAD + body).encode()})))
    outline = models.outline("a.py")
    assert outline is not None
    function = outline.module.body[-1]
    assert isinstance(function, ast.FunctionDef)
    found = Uses(FileView(models, outline)).effects(function.body, "m")
    assert " ".join(sorted(need.name for need in found.needs)) == needs
    reason = None
    if found.refused is not None:
        words = found.refused.reason.replace(f"line {AT + 1} ", "+1 ").replace(f"line {AT} ", "")
        reason = (type(found.refused).__name__, words)
    assert reason == refused
    assert found.prints is prints
    assert found.ran == (AT if runs else None)
