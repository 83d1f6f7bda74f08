"""Which class an expression may be an object of, and which name is the object of a method: a row for each form."""

from __future__ import annotations

import ast

from codemods.project import Project
from codemods.syntax.callees import Callees
from codemods.syntax.outline import Outline
from codemods.syntax.repo import Repo
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row


def used(text: str) -> tuple[Repo, Outline, ast.expr]:
    """The argument of the call of `use`."""
    files = {"a.py": text, "other.py": "class Far:\n    pass\n\ndef made():\n    return Far()\n"}
    repo = Repo(Project(MemoryFiles({path: each.encode() for path, each in files.items()})))
    outline = repo.outline("a.py")
    assert outline is not None
    calls = [node for node in outline.nodes if isinstance(node, ast.Call) and ast.unparse(node.func) == "use"]
    [call] = calls
    return repo, outline, call.args[0]


SPECIAL = ["__new__", "__init_subclass__", "__class_getitem__"]


@each_row(
    "text, expected",
    [
        ("class A:\n    def run(self): use(self)\n", True),
        ("class A:\n    def run(me): use(me)\n", True),
        ("class A:\n    def run(me, self): use(self)\n", False),
        ("class A:\n    def run(me, /, self): use(me)\n", True),
        ("class A:\n    async def run(self): use(self)\n", True),
        ("class A:\n    def run(*self): use(self)\n", False),
        ("class A:\n    def run(self): use(self.a)\n", False),
        ("class A:\n    def run(): use(self)\n", False),
        ("class A:\n    @staticmethod\n    def run(self): use(self)\n", False),
        ("class A:\n    @classmethod\n    def run(self): use(self)\n", False),
        ("class A:\n    @property\n    def run(self): use(self)\n", True),
        *((f"class A:\n    def {name}(self): use(self)\n", False) for name in SPECIAL),
        ("class A:\n    def __init__(self): use(self)\n", True),
        ("class A:\n    def run(self):\n        def inner(): use(self)\n", True),
        ("class A:\n    def run(self): return lambda: use(self)\n", True),
        ("class A:\n    use(self)\n", False),
        ("def run(self): use(self)\n", False),
        ("use(self)\n", False),
    ],
)
def test_the_object_of_a_method(text: str, expected: bool) -> None:
    _, outline, node = used(text)
    assert outline.is_self(node) is expected


TOP = """\
import other
from other import Far, made

class A:
    def own(self):
        return B()
    def chain(self):
        return self
    def each(self):
        yield A()

class B:
    pass

def one():
    return A()

def either(x):
    if x:
        return A()
    return B()

def through():
    return one()

def nothing():
    return 3

def around():
    def inner():
        return A()
    return B()

"""


@each_row(
    "text, expected",
    [
        ("use(A())", ["A"]),
        ("use(A)", []),
        ("use(3)", []),
        ("use(unknown())", []),
        ("use(Far())", ["Far"]),
        ("use(other.Far())", ["Far"]),
        ("use(one())", ["A"]),
        ("use(either(1))", ["A", "B"]),
        ("use(through())", ["A"]),
        ("use(nothing())", []),
        ("use(around())", ["B"]),
        ("use(made())", ["Far"]),
        ("use(other.made())", ["Far"]),
        ("use(A().own())", ["B"]),
        ("use(A().chain())", ["A"]),
        ("use(A().chain().own())", ["B"]),
        ("use(A().each())", []),
        ("use(A().missing())", []),
        ("a = A()\nuse(a)", ["A"]),
        ("a = b = A()\nuse(b)", ["A"]),
        ("a = A()\nb = a\nuse(b)", ["A"]),
        ("a = A()\na = B()\nuse(a)", ["B"]),
        ("a = A()\nif x:\n    a = B()\nuse(a)", ["A", "B"]),
        ("a = A()\na = A()\nuse(a)", ["A"]),
        ("a = a\nuse(a)", []),
        ("a = A()\nuse(a.own())", ["B"]),
        ("def f(a):\n    use(a)\n", []),
        ("class C:\n    def run(self):\n        use(self)\n", ["C"]),
        ("class C:\n    @classmethod\n    def run(cls):\n        use(cls)\n", []),
        ("class C:\n    class D:\n        def run(self):\n            use(self)\n", ["D"]),
    ],
)
def test_classes_of_what_is_used(text: str, expected: list[str]) -> None:
    repo, outline, node = used(f"{TOP}{text}\n")
    found = Callees(repo, repo.resolver.modules).classes_of(outline, node)
    assert sorted(each.node.name for each in found) == expected
