"""Where a program goes on when something is refused: every kind of handler, and of function around it."""

from __future__ import annotations

import ast

from codemods.project import Project
from codemods.syntax.repo import Repo
from codemods.syntax.tried import Tries
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row


def handler(text: str, more: str = "") -> int | None:
    """The line of what catches the refusal of `sent(x)`, in `a.py`."""
    files = {"a.py": text.encode(), "b.py": more.encode()}
    repo = Repo(Project(MemoryFiles(files)))
    outline = repo.outline("a.py")
    assert outline is not None
    [call] = [node for node in outline.nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "sent"]
    found = Tries(repo).caught(outline, call)
    assert found is None or found.startswith(("a.py:", "b.py:"))
    return int(found.rpartition(":")[2]) if found is not None else None


def tried(caught: str, then: str = "pass") -> str:
    body = then.replace("\n", "\n    ")
    return f"try:\n    sent(x)\nexcept{caught}:\n    {body}\n"


REFUSALS = ["TypeError", "AttributeError", "PicklingError", "PickleError", "Exception", "BaseException"]


@each_row(
    "text, line",
    [
        ("sent(x)\n", None),
        (tried(""), 3),
        *((tried(f" {name}"), 3) for name in REFUSALS),
        *((tried(f" (OSError, {name}) as error"), 3) for name in REFUSALS),
        (tried(" pickle.PicklingError"), 3),
        (tried(" OSError"), None),
        (tried(" (OSError, ValueError)"), None),
        (tried(" (OSError, ValueError)") + "except TypeError:\n    pass\n", 5),
        (tried(" TypeError", "raise"), None),
        (tried(" TypeError", "print(1)\nraise"), None),
        (tried(" TypeError as error", "raise ValueError from error"), None),
        (tried(" TypeError", "if x:\n    raise"), 3),
        *((tried(" TypeError", f"{name}(1)"), None) for name in ("exit", "sys.exit", "os._exit", "os.abort", "quit")),
        (tried(" TypeError", "self.fail(1)"), None),
        (tried(" TypeError", "leave(1)"), 3),
        ("try:\n    sent(x)\nfinally:\n    pass\n", None),
        ("try:\n    pass\nexcept TypeError:\n    sent(x)\n", None),
        ("try:\n    pass\nexcept TypeError:\n    pass\nelse:\n    sent(x)\n", None),
        ("try:\n    if x:\n        sent(x)\nexcept TypeError:\n    pass\n", 4),
        ("try:\n    try:\n        sent(x)\n    except OSError:\n        pass\nexcept TypeError:\n    pass\n", 6),
        ("with suppress(TypeError):\n    sent(x)\n", 1),
        ("with contextlib.suppress(OSError, TypeError):\n    sent(x)\n", 1),
        ("with open(x) as y, suppress(Exception):\n    sent(x)\n", 1),
        ("with suppress(OSError):\n    sent(x)\n", None),
        ("with suppress():\n    sent(x)\n", None),
        ("with open(TypeError):\n    sent(x)\n", None),
        ("def f():\n    sent(x)\ntry:\n    f()\nexcept TypeError:\n    y = 1\n", 5),
        ("def f():\n    sent(x)\ntry:\n    f()\nexcept TypeError:\n    pass\n", None),
        ("def f():\n    sent(x)\nwith suppress(TypeError):\n    f()\n", 3),
        ("def f():\n    sent(x)\ntry:\n    f\nexcept TypeError:\n    pass\n", None),
        ("def f():\n    sent(x)\ndef g():\n    f()\ntry:\n    g()\nexcept TypeError:\n    y = 1\n", 7),
        ("def f():\n    sent(x)\ndef g():\n    f()\ndef h():\n    g()\ntry:\n    h()\nexcept TypeError:\n    y = 1\n",
         None),
        ("def f():\n    sent(x)\nf()\ntry:\n    f()\nexcept TypeError:\n    y = 1\n", 6),
        ("class A:\n    def f(self):\n        sent(x)\ntry:\n    A().f()\nexcept TypeError:\n    y = 1\n", 6),
        ("try:\n    def f():\n        sent(x)\nexcept TypeError:\n    pass\n", None),
        ("def f():\n    try:\n        sent(x)\n    except TypeError:\n        raise\n"
         "try:\n    f()\nexcept TypeError:\n    y = 1\n", None),
    ],
)  # fmt: skip
def test_what_catches(text: str, line: int | None) -> None:
    assert handler(text) == line


@each_row(
    "more, line",
    [
        ("from a import f\ntry:\n    f()\nexcept TypeError:\n    y = 1\n", 4),
        ("import a\ntry:\n    a.f()\nexcept TypeError:\n    y = 1\n", 4),
        ("from a import f\nf()\n", None),
        ("from a import f\ntry:\n    f()\nexcept OSError:\n    pass\n", None),
        ("from a import f\ntry:\n    f()\nexcept TypeError:\n    print(1)\n", None),
        ("from a import f\ntry:\n    f()\nexcept TypeError:\n    print(1)\n    return\n", 4),
    ],
)
def test_what_another_file_catches(more: str, line: int | None) -> None:
    assert handler("def f():\n    sent(x)\n", more) == line


def decided(text: str) -> bool:
    """Whether the program comes to `sent(x)` only where `probe(x)` did not fail."""
    repo = Repo(Project(MemoryFiles({"a.py": text.encode()})))
    outline = repo.outline("a.py")
    assert outline is not None
    lines = {ast.unparse(node.func): node.lineno for node in outline.nodes if isinstance(node, ast.Call)}
    return Tries(repo).goes_another_way(f"a.py:{lines['probe']}", f"a.py:{lines['sent']}")


FLAG = "def f(x):\n    try:\n        probe(x)\n        ok = {}\n    except TypeError:\n        ok = {}\n"
ASKS = "def can(x):\n    try:\n        probe(x)\n        return True\n    except TypeError:\n        return False\n"


@each_row(
    "text, decides",
    [
        (FLAG.format(True, False) + "    if ok:\n        sent(x)\n", True),
        (FLAG.format(True, None) + "    if ok and x:\n        sent(x)\n", True),
        (FLAG.format(True, False) + "    if not ok:\n        y = 1\n    else:\n        sent(x)\n", True),
        (FLAG.format(True, False) + "    if not ok:\n        return\n    sent(x)\n", True),
        (FLAG.format(True, False) + "    if not ok:\n        sent(x)\n", False),
        (FLAG.format(True, True) + "    if ok:\n        sent(x)\n", False),
        (FLAG.format(False, True) + "    if ok:\n        sent(x)\n", False),
        (FLAG.format(True, False) + "    sent(x)\n", False),
        (FLAG.format(True, False) + "    if x:\n        sent(x)\n", False),
        (ASKS + "def f(x):\n    if can(x):\n        sent(x)\n", True),
        (ASKS + "def f(x):\n    ok = can(x)\n    if ok:\n        sent(x)\n", True),
        (ASKS + "def f(x):\n    if -can(x):\n        return\n    sent(x)\n", False),
        (ASKS + "def f(x):\n    ok = other(x)\n    if ok:\n        sent(x)\n", False),
    ],
)
def test_what_decides(text: str, decides: bool) -> None:
    assert decided(text) is decides
