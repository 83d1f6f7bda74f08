"""Loops over all names of a module: which of them would find a new one there."""

from __future__ import annotations

from codemods.project import Project
from codemods.syntax.name_scans import found_by_scan
from codemods.syntax.name_tests import Element
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

FUNCTION, CLASS, MODULE = Element("_collate", "function"), Element("_Collate", "class"), Element("functools", "module")


def found(text: str, element: Element, path: str = "nets.py", **others: str) -> str | None:
    """What goes through the names of `path`, where `text` is train.py."""
    files = {"train.py": text, "nets.py": "def net():\n    pass\n", **others}
    project = Project(MemoryFiles({name: each.encode() for name, each in files.items()}))
    return found_by_scan(project, path, [element])


SCANS = [
    "names = sorted(n for n in nets.__dict__ if n.islower() and not n.startswith('__') and callable(nets.__dict__[n]))",
    "for name, value in vars(nets).items():\n    if callable(value):\n        print(name)",
    "for name in dir(nets):\n    value = getattr(nets, name)\n    print(value)",
    "print(inspect.getmembers(nets, inspect.isfunction))",
    "for name, value in inspect.getmembers(nets, lambda v: callable(v)):\n    print(name)",
    "known = nets.__dict__\nfor name in known:\n    print(name)",
    "print(len(vars(nets)))",
    "print(*dir(nets))",
    "TABLE = {**vars(nets)}",
    "def show(table):\n    for name in table:\n        print(name)\nshow(vars(nets))",
    "found = list(filter(callable, vars(nets).values()))",
    "print([n for n in dir(nets) if isinstance(getattr(nets, n), types.FunctionType)])",
]


@each_row("text", SCANS)
def test_a_new_function_is_found(text: str) -> None:
    what = found(f"import inspect, types\nimport nets\n{text}\n", FUNCTION)
    assert what is not None and "nets.py, and would find `_collate` there too" in what


LEFT_OUT = [
    "names = [n for n in nets.__dict__ if not n.startswith('_')]",
    "names = [n for n in nets.__dict__ if n[0] != '_']",
    "names = [n for n in nets.__dict__ if n[:1] not in ('_', 'x')]",
    "for name in dir(nets):\n    if name.startswith('_'):\n        continue\n    print(name)",
    "for name, value in vars(nets).items():\n    if name.startswith('net') and callable(value):\n        print(name)",
    "for name, value in vars(nets).items():\n    if isinstance(value, (int, float, str)):\n        print(name)",
    "print(inspect.getmembers(nets, inspect.isclass))",
    "print([n for n, v in vars(nets).items() if isinstance(v, type)])",
    "print([n for n in vars(nets) if n.isupper()])",
    "names = list(filter(lambda n: n.endswith('_model'), dir(nets)))",
    "print(vars(nets)['net'], nets.__dict__.get(name), 'net' in dir(nets))",
    "table = vars(nets)\nprint(table['net'])",
    "print(vars(args), args.__dict__)",
]


@each_row("text", LEFT_OUT)
def test_a_private_function_is_left_out(text: str) -> None:
    assert found(f"import inspect\nimport nets\n{text}\n", FUNCTION) is None


def test_kinds_are_told_apart() -> None:
    classes = "import inspect\nimport nets\nprint(inspect.getmembers(nets, inspect.isclass))\n"
    derived = "import nets\nprint([v for v in vars(nets).values() if isinstance(v, type) and issubclass(v, Base)])\n"
    modules = "import nets\nprint([n for n in dir(nets) if not callable(getattr(nets, n)) and not n.startswith('_')])\n"
    assert found(classes, CLASS) is not None and found(classes, MODULE) is None
    assert found(derived, CLASS) is None and found(derived, Element("_Net", "derived")) is not None
    assert found(modules, MODULE) is not None and found(modules, Element("partial", "class")) is None


def test_names_of_the_file_itself() -> None:
    assert found("print([k for k, v in globals().items()])\n", FUNCTION, "train.py") is not None
    assert found("def f():\n    return locals(), vars(), dir()\n", FUNCTION, "train.py") is None
    assert found("import sys\nme = sys.modules[__name__]\nprint(dir(me))\n", FUNCTION, "train.py") is not None
    settings = "keys = [k for k, v in globals().items() if not k.startswith('_') and isinstance(v, (int, str))]\n"
    assert found(settings, FUNCTION, "train.py") is None and found(settings, MODULE, "train.py") is None


def test_public_names_go_along_with_a_star() -> None:
    scan = "import package\nprint([n for n in dir(package) if not n.startswith('__')])\n"
    star = {"package/__init__.py": "from .inner import *\n", "package/inner.py": "def net():\n    pass\n"}
    assert found(scan, Element("partial", "class"), "package/inner.py", **star) is not None
    assert found(scan, FUNCTION, "package/inner.py", **star) is None
    listed = {**star, "package/inner.py": "__all__ = ['net']\ndef net():\n    pass\n"}
    assert found(scan, Element("partial", "class"), "package/inner.py", **listed) is None
