"""Hooks and methods that code puts on modules of torch, members of an Enum, parts of a split, dicts as registries."""

from __future__ import annotations

from harness.each_row import each_row
from harness.marks import crossing, marked

SENT = """
from multiprocessing import Process
{program}

def work(thing):
    print(thing)

def main():
    Process(target=work, args=(make(),)).start()

if __name__ == "__main__":
    main()
"""

HOOK = """
from torch import nn

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.layer = nn.Linear(2, 1)

def attach(model):
    def hook(module, args, output):  {mark}
        return output

    {attached}

def make():
    model = {model}
    handles = attach(model)
    {after}
    return model
"""


@each_row(
    ("model", "attached", "after", "mark"),
    [
        ("nn.Linear(2, 1)", "model.register_forward_hook(hook)", "pass", "proven"),
        ("nn.Linear(2, 1)", "return model.register_forward_hook(hook)", "pass", "proven"),
        ("nn.Linear(2, 1)", "return model.register_forward_hook(hook)", "handles.remove()", "possible"),
        ("nn.Sequential(nn.ReLU())", "return [m.register_forward_hook(hook) for m in model]", "pass", "proven"),
        ("Net()", "return [m.register_forward_hook(hook) for m in model.modules()]", "pass", "proven"),
        ("Net()", "return [m.register_forward_hook(hook) for n, m in model.named_modules()]", "pass", "proven"),
        ("Net()", "model.layer.forward = hook", "pass", "proven"),
        ("nn.Sequential(nn.ReLU())", "for m in model: m.forward = hook", "pass", "proven"),
    ],
)
def test_what_is_put_on_a_module(model: str, attached: str, after: str, mark: str) -> None:
    program = HOOK.format(model=model, attached=attached, after=after, mark=f"# {mark}")
    files = {"train.py": SENT.format(program=program)}
    expected = marked(files)
    assert crossing(files) == (expected if mark == "proven" else set())


MADE = [
    """
from torch.utils.data import random_split

class Data:
    def __init__(self):
        self.transform = None

def make():
    train, test = random_split(Data(), [4, 2])
    train.dataset.transform = lambda x: x  # proven
    return test
""",
    """
import enum

class Op(enum.Enum):
    A = (lambda x: x,)  # proven

    def run(self):
        return 1

def make():
    return list(Op)
""",
    """
class Registry(dict):
    def register(self, made):
        self[made.__name__] = made
        return made

def make():
    registry = Registry()

    @registry.register
    class Pad:  # proven
        pass

    return [cls() for cls in registry.values()]
""",
    """
class Registry(dict):
    def register(self, made):
        self[made.__name__] = made

    def take(self, name):
        return self[name]

def make():
    registry = Registry()
    registry.register(lambda x: x)  # proven
    return registry.take("<lambda>")
""",
    """
def scale(k):
    return lambda x: x * k  # proven

def read():
    return [lambda x: x]

def make():
    return globals()["scale"](**{"k": 2})
""",
]


@each_row("program", MADE)
def test_what_is_taken_out_again(program: str) -> None:
    files = {"train.py": SENT.format(program=program)}
    assert crossing(files) == marked(files)


def test_the_first_parameter_of_a_class_method_is_the_class() -> None:
    program = """
class Thing:
    def __init__(self, owner):
        self.owner = owner

class Show:
    draw = classmethod(lambda cls, show=None: Thing(cls))

def make():
    return Show.draw(lambda x: x)
"""
    assert not crossing({"train.py": SENT.format(program=program)})


BAGS = """
class Registry(dict):
    def register(self, name, made):
        self[name] = made

    def take(self, name):
        return self[name]

class Special(Registry):
    pass

def make():
    one, two = Registry(), {kind}()
    {put}
    return {given}
"""


@each_row(
    ("kind", "put", "given", "mark"),
    [
        ("Registry", "one.register('f', lambda x: x)", "two", "possible"),
        ("Registry", "one['f'] = lambda x: x", "one", "proven"),
        ("Registry", "one['f'] = lambda x: x", "two", "possible"),
        ("Registry", "one.register('f', lambda x: x)", "two.take('f')", "possible"),
        ("Special", "two.register('f', lambda x: x)", "one", "possible"),
    ],
)
def test_two_dicts_of_one_class(kind: str, put: str, given: str, mark: str) -> None:
    program = BAGS.format(kind=kind, put=put, given=given)
    at = crossing({"train.py": SENT.format(program=program)})
    assert [sure for _, _, sure in at] == [mark], at


HANDLES = """
from multiprocessing import Process
from torch import nn
{imports}

def work(thing):
    print(thing)

def main():
    model = nn.Linear(2, 1)
    {lines}

if __name__ == "__main__":
    main()
"""
HANG, START = "handle = model.register_forward_hook(lambda m, x, y: y)", "Process(target=work, args=(model,)).start()"
ATTACH = "def attach(model):\n    return [model.register_forward_hook(lambda m, x, y: y)]\n"
REMOVE = "[handle.remove() for handle in attach(model)]"
MADE = "process = Process(target=work, args=(model,))"
TIMER, OWN = "import threading", "class Worker(Process):\n    pass\n"
CLOSE = "\ndef close(handle):\n    handle.remove()\n"


@each_row(
    ("imports", "lines", "library", "found"),
    [
        ("", (HANG, START), "", True),
        ("", (HANG, START, "handle.remove()"), "", True),
        ("", (HANG, MADE, "process.start()", "handle.remove()"), "", True),
        ("", (HANG, MADE, "[each.start() for each in [process]]", "handle.remove()"), "", True),
        ("", (HANG, "every = []", f"every.append({MADE[10:]})", "every[0].start()", "handle.remove()"), "", True),
        (OWN, (HANG, f"Worker{MADE[17:]}.start()", "handle.remove()"), "", True),
        (TIMER, (HANG, "threading.Timer(1, print).start()", "handle.remove()", START), "", False),
        (TIMER, (HANG, "timer = threading.Timer(1, print)", "timer.start()", "handle.remove()", START), "", False),
        ("", (HANG, "Process(target=print).start()", "handle.remove()", START), "", False),
        ("", (HANG, "handle.remove()", START), "", False),
        ("", (START, HANG, "handle.remove()"), "", False),
        ("", ("for _ in range(2):", f"    {START}", f"    {HANG}", "    handle.remove()"), "", False),
        (CLOSE, (HANG, "close(handle)", START), "", False),
        (ATTACH, ("handles = attach(model)", START, "handles[0].remove()"), "", True),
        (ATTACH, (START, "handles = attach(model)", "handles[0].remove()"), "", False),
        ("from library import attach", (REMOVE, START), ATTACH, False),
        ("from library import attach", ("attach(model)", START), ATTACH, True),
    ],
)
def test_a_hook_that_is_removed_again(imports: str, lines: tuple[str, ...], library: str, found: bool) -> None:
    program = HANDLES.format(imports=imports, lines="\n    ".join(lines))
    assert bool(crossing({"train.py": program, "library.py": library})) is found
