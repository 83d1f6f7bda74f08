"""Which places go through the names of a module: a row for each way to ask for them, and for what is done with them."""

from __future__ import annotations

import pytest

from codemods.project import Project
from codemods.syntax.name_scans import found_by_scan, scans_of
from codemods.syntax.name_tests import Element
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

FUNCTION = [Element("thing", "function")]


def scanned(text: str, **others: str) -> list[tuple[str, int, str]]:
    """(module, line, text) of each scan in `a.py`; `models.py` is there."""
    files = {"a.py": text, "models.py": "x = 1\n", **{f"{name}.py": other for name, other in others.items()}}
    project = Project(MemoryFiles({path: data.encode() for path, data in files.items()}))
    return [
        (module, scan.line, scan.text)
        for module, scans in project.derive(scans_of).items()
        for scan in scans
        if scan.path == "a.py"
    ]


@each_row(
    ("head", "names", "module"),
    [
        ("", "globals()", "a.py"),
        ("", "globals(1)", None),
        ("", "locals()", "a.py"),
        ("", "vars()", "a.py"),
        ("", "dir()", "a.py"),
        ("import sys", "sys.modules[__name__].__dict__", "a.py"),
        ("import sys", "vars(sys.modules[__name__])", "a.py"),
        ("import sys", "dir(sys.modules[__name__])", "a.py"),
        ("import sys\nme = sys.modules[__name__]", "dir(me)", "a.py"),
        ("import sys\nme = sys.modules['models']", "dir(me)", None),
        ("import models", "models.__dict__", "models.py"),
        ("import models", "models.__dict", None),
        ("import models", "vars(models)", "models.py"),
        ("import models", "dir(models)", "models.py"),
        ("import models, inspect", "inspect.getmembers(models)", "models.py"),
        ("import models\nfrom inspect import getmembers", "getmembers(models)", "models.py"),
        ("import models", "list(models)", None),
        ("import models", "dir(models.x)", None),
        ("import models", "dir(models[0])", None),
        ("import other", "dir(other)", None),
        ("def dir(x): pass\nimport models", "dir(models)", None),
        ("def globals(): pass", "globals()", None),
    ],
)
def test_names_of_a_module(head: str, names: str, module: str | None) -> None:
    text = f"{head}\nfor n in {names}:\n    print(n)\n"
    line = text.count("\n", 0, text.index(f"in {names}")) + 1
    assert scanned(text) == ([] if module is None else [(module, line, names)])


@pytest.mark.parametrize(
    ("names", "found"),
    [("globals()", True), ("locals()", False), ("vars()", False), ("dir()", False), ("dir(m)", False)],
)
@pytest.mark.parametrize("place", ["def f(m):\n    ", "class C:\n  def f(self, m):\n    ", "class C:\n    "])
def test_inside_of_a_function_or_class(names: str, found: bool, place: str) -> None:
    assert bool(scanned(f"{place}for n in {names}: print(n)\n")) is found


@each_row(
    ("use", "found"),
    [
        ("for n in {}: pass", True),
        ("[n for n in {}]", True),
        ("{n: 1 for n in {}}", True),
        ("print({})", True),
        ("len({})", True),
        ("str({})", True),
        ("f'{{}}'", True),
        ("a = [*{}]", True),
        ("a = {**{}}", True),
        ("a = {**{}, 'b': 1}", True),
        ("a = {'b': {}}", False),
        ("a = [{}]", False),
        ("{}", False),
        ("{}['a']", False),
        ("{}.get('a')", False),
        ("'a' in {}", False),
        ("for n in {}.items(): pass", True),
        ("for n in {}.keys(): pass", True),
        ("for n in {}.values(): pass", True),
        ("for n in {}.copy(): pass", True),
        ("for n in {}.items: pass", False),
        ("{}.copy()", False),
        ("for n in {}.copy().items(): pass", True),
        ("for n in sorted({}): pass", True),
        ("for n in list({}.items()): pass", True),
        ("a = sorted({})", True),
        ("a = list({})", True),
        ("a = tuple({})", True),
        ("a = set({})", True),
        ("a = frozenset({})", True),
        ("a = iter({})", True),
        ("a = reversed({})", True),
        ("a = dict({})", True),
        ("a = enumerate({})", True),
        ("a = filter(callable, {})", True),
        ("a = filter({}, b)", False),
        ("a = map(f, {})", True),
        ("a = map({}, b)", False),
        ("a = map(f, b, {})", False),
        ("a = exec('b', {})", False),
        ("a = getattr({}, 'b')", False),
        ("a = {}", False),
        ("a = {}\nfor n in a: pass", True),
        ("a = {}\nb = a\nfor n in b: pass", True),
        ("a = {}\na['b'] = 1", False),
        ("a: dict = {}\nfor n in a: pass", True),
        ("if (a := {}): print(a)", True),
        ("a.b = {}\nfor n in a.b: pass", False),
        ("def f(d):\n    for n in d: pass\nf({})", True),
        ("def f(d):\n    return d['a']\nf({})", False),
        ("def f(c, d):\n    for n in c: pass\nf(1, {})", False),
        ("def f(c, d):\n    for n in d: pass\nf(1, {})", True),
        ("def f(c, /, d):\n    for n in d: pass\nf(1, {})", True),
        ("def f(*d):\n    for n in d: pass\nf({})", False),
        ("def f(d):\n    return sorted(d)\nf({})", True),
        ("def f(d):\n    return d\nf({})", True),
        ("def f(d):\n    g(d)\ndef g(e):\n    print(e)\nf({})", True),
        ("sorted = f\na = sorted({})", False),
        ("o.update({})", False),
        ("o.list({})", False),
        ("for n in b: print({}[n])", False),
    ],
)
def test_what_is_done_with_them(use: str, found: bool) -> None:
    text = use.replace("{}", "globals()") + "\n"
    assert bool(scanned(text)) is found


@each_row(
    ("loop", "found"),
    [
        ("for n in dir(models): use(n)", "dir(models)"),
        ("for n in dir(models):\n    if n.startswith('_'): continue\n    use(n)", "dir(models)"),
        ("for n in dir(models):\n    if n.startswith('th'): continue\n    use(n)", None),
        ("for n, v in vars(models).items():\n    if isinstance(v, type): use(n)", None),
        ("for n, v in vars(models).items():\n    if callable(v): use(n)", "vars(models)"),
        ("for v in vars(models).values():\n    if inspect.isclass(v): use(v)", None),
        ("for n, v in vars(models).copy().items():\n    if isinstance(v, type): use(n)", None),
        ("for n in filter(str.isupper, dir(models)): use(n)", "dir(models)"),
        ("for n in filter(lambda n: n.isupper(), dir(models)): use(n)", None),
        ("for n, v in inspect.getmembers(models): use(n)", "inspect.getmembers(models)"),
        ("for n, v in inspect.getmembers(models, inspect.isclass): use(n)", None),
        (
            "for n, v in inspect.getmembers(models, inspect.isfunction): use(n)",
            "inspect.getmembers(models, inspect.isfunction)",
        ),
        ("for n, v in inspect.getmembers(models, lambda v: inspect.isclass(v)): use(n)", None),
    ],
)
def test_what_a_new_function_meets(loop: str, found: str | None) -> None:
    files = {"a.py": f"import models, inspect\n{loop}\n", "models.py": "x = 1\n", "b.py": "from models import *\n"}
    project = Project(MemoryFiles({path: text.encode() for path, text in files.items()}))
    words = found_by_scan(project, "models.py", FUNCTION)
    assert words == (
        None
        if found is None
        else f"`{found}` (a.py:2) goes through all names of models.py, and would find `thing` there too"
    )
    assert found_by_scan(project, "a.py", FUNCTION) is None


@each_row(
    ("name", "head", "found"),
    [
        ("thing", "from models import *\n", True),
        ("_thing", "from models import *\n", False),
        ("thing", "from models import x\n", False),
        ("thing", "from between import *\n", True),
        ("thing", "from other import *\n", False),
    ],
)
def test_names_that_come_with_a_star(name: str, head: str, found: bool) -> None:
    files = {
        "a.py": f"{head}for n in globals(): print(n)\n",
        "models.py": "x = 1\n",
        "between.py": "from models import *\n",
        "other.py": "from between import x\n",
    }
    project = Project(MemoryFiles({path: text.encode() for path, text in files.items()}))
    words = found_by_scan(project, "models.py", [Element(name, "class")])
    assert (words is not None) is found
    if words is not None:
        assert words == f"`globals()` (a.py:2) goes through all names of a.py, and would find `{name}` there too"
    listed = {**files, "models.py": "__all__ = []\n"}
    project = Project(MemoryFiles({path: text.encode() for path, text in listed.items()}))
    assert found_by_scan(project, "models.py", [Element(name, "class")]) is None
