"""Branches that the constants of a call rule out: a row for each test, and each way to pass a constant."""

from __future__ import annotations

import ast

from codemods.project import Project
from codemods.syntax import dead_branches
from codemods.syntax.repo import Repo
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

CHANGES = ("append", "extend", "insert", "pop", "remove", "clear")


@each_row(
    ("test", "dead"),
    [
        ("n > 1", "body"),
        ("n >= 1", "orelse"),
        ("n < 1", "body"),
        ("n <= 1", "orelse"),
        ("n == 1", "orelse"),
        ("n != 1", "body"),
        ("1 == n", "orelse"),
        ("n == other", ""),
        ("other == n", ""),
        ("n > 0 > 2", ""),
        ("n in (1,)", "orelse"),
        ("n in (2, 3)", "body"),
        ("n not in [2]", "orelse"),
        ("n in (other,)", ""),
        ("n in ()", ""),
        ("n in other", ""),
        ("not n", "body"),
        ("not n > 1", "orelse"),
        ("not other", ""),
        ("n", "orelse"),
        ("zero", "body"),
        ("other", ""),
        ("n and zero", "body"),
        ("n and n", "orelse"),
        ("n or other", "orelse"),
        ("zero or zero", "body"),
        ("zero or other", ""),
        ("n and other", ""),
        ("zero and other", "body"),
        ("off is None", "orelse"),
        ("off is not None", "body"),
        ("n is None", "body"),
        ("yes is True", "orelse"),
        ("yes is not True", "body"),
        ("yes is False", "body"),
        ("n is 1", ""),
        ("None is off", ""),
        ("other is None", ""),
        ("off is n", ""),
        ("len([1, 2]) == 2", "orelse"),
        ("len((1, 2)) == 3", "body"),
        ("len([1, *a]) == 2", ""),
        ("len([i for i in range(3)]) == 3", "orelse"),
        ("len([i for i in range(3) if i]) == 3", ""),
        ("len([i for i in range(3) for j in i]) == 3", ""),
        ("len([i for i in range(1, 3)]) == 3", ""),
        ("len([i for i in other]) == 3", ""),
        ("len([i for i in f(3)]) == 3", ""),
        ("len([i for i in range(n)]) > 1", "body"),
        ("len({1, 2}) == 2", ""),
        ("len([1], 2) == 1", ""),
        ("len(x=[1]) == 1", ""),
        ("size([1]) == 1", ""),
        ("len(fixed) == 2", "orelse"),
        ("len(grown) == 2", ""),
        *((f"len(changed_by_{how}) == 2", "") for how in CHANGES),
        ("len(changed_by_count) == 2", "orelse"),
        ("len(twice) == 2", "orelse"),
        ("len(maybe) == 2", ""),
        ("len(alias) == 2", ""),
        ("len(given) == 2", ""),
        ("text == 1", "body"),
        ("text == 'x'", "orelse"),
        ("text != 'y'", "orelse"),
        ("text < 'y'", ""),
        ("text in ('x', 'y')", "orelse"),
        ("n == 1.0", "orelse"),
        ("yes == 1", "orelse"),
    ],
)
def test_branches_that_constants_rule_out(test: str, dead: str) -> None:
    text = (
        "def f(n, zero, off, yes, text, other, given):\n    fixed = [1, 2]\n    grown = [1, 2]\n    grown.append(3)\n"
        "    twice = [1, 2]\n    twice = [3, 4]\n    alias = fixed\n    maybe = [1, 2]\n"
        + "".join(f"    changed_by_{how} = [1, 2]\n    changed_by_{how}.{how}(3)\n" for how in (*CHANGES, "count"))
        + f"    if given:\n        maybe = []\n    if {test}:\n        a\n    else:\n        b\n"
    )
    outline = Repo(Project(MemoryFiles({"a.py": text.encode()}))).outline("a.py")
    assert outline is not None
    function = outline.module.body[0]
    assert isinstance(function, ast.FunctionDef)
    values = {"n": 1, "zero": 0, "off": None, "yes": True, "text": "x"}
    literals = {name: dead_branches.Literal(value) for name, value in values.items()}
    found = dead_branches.branches(outline, function, literals)
    branch = [node for node in function.body if isinstance(node, ast.If)][-1]
    statements = {each for each in found.dead if isinstance(each, ast.stmt)}
    assert statements == {*(getattr(branch, dead) if dead else ())} and not found.doubtful
    assert dead_branches.branches(outline, function, {}) == dead_branches.Branches()


@each_row(
    ("body", "dead", "doubtful"),
    [
        ("if off:\n    a()", "a()", ""),
        ("b() if off else a()", "b()", ""),
        ("if not off:\n    return\na()", "a()", ""),
        ("off and a()", "a()", ""),
        ("off or a()", "", ""),
        ("text or a() or b()", "a() b()", ""),
        ("other or text or b()", "b()", ""),
        ("if off:\n    a()\nelse:\n    raise b()\nc()", "a() c()", ""),
        ("if not off:\n    b()\na()", "", ""),
        ("if other:\n    off = other\nif off:\n    a()", "", "a()"),
        ("if off:\n    a()\noff = other", "a()", ""),
        ("off = other\nif off:\n    a()", "", ""),
        ("for off in other:\n    if off:\n        a()", "", ""),
        ("kind = f(text)\nif kind != '':\n    a()\nelse:\n    b()", "", "a() b()"),
        ("kind, rest = f(str(text))\nif kind == 's3':\n    a()", "", "a()"),
        ("kind = f(text, other)\nif kind != '':\n    a()", "", ""),
        ("kind = f()\nif kind != '':\n    a()", "", ""),
        ("kind = f(text)\nif kind:\n    a()", "", ""),
        ("kind = f(text)\nif g(kind) != '':\n    a()", "", ""),
        ("kind = f(text)\nif kind != other:\n    a()", "", ""),
    ],
)
def test_what_runs_only_perhaps(body: str, dead: str, doubtful: str) -> None:
    text = "def h(off, text, other):\n" + "".join(f"    {line}\n" for line in body.splitlines())
    outline = Repo(Project(MemoryFiles({"a.py": text.encode()}))).outline("a.py")
    assert outline is not None
    function = outline.module.body[0]
    assert isinstance(function, ast.FunctionDef)
    literals = {"off": dead_branches.Literal(None), "text": dead_branches.Literal("x")}
    found = dead_branches.branches(outline, function, literals)
    assert " ".join(sorted(map(ast.unparse, found.dead))) == dead
    assert " ".join(sorted(map(ast.unparse, found.doubtful))) == doubtful


@each_row(
    ("parameters", "call", "literals"),
    [
        ("a, b", "1, 2", {"a": 1, "b": 2}),
        ("a, b", "1, c", {"a": 1}),
        ("a, b=3", "1", {"a": 1, "b": 3}),
        ("a, b=3", "1, 2", {"a": 1, "b": 2}),
        ("a, b=3", "1, b=4", {"a": 1, "b": 4}),
        ("a, b=c", "1", {"a": 1}),
        ("a, /, b=3", "None", {"a": None, "b": 3}),
        ("a, b", "*c", {}),
        ("a, b=3", "1, **c", {}),
        ("a, bound", "1, 2", {"a": 1, "bound": 2}),
        ("a, *, b=3, c, d=x", "1, c=2", {"a": 1, "b": 3, "c": 2}),
        ("a, b=3", "1, x", {"a": 1}),
    ],
)
def test_constants_of_a_call(parameters: str, call: str, literals: dict[str, object]) -> None:
    outline = Repo(
        Project(MemoryFiles({"a.py": f"def f({parameters}):\n    bound = 1\nf({call})\n".encode()}))
    ).outline("a.py")
    assert outline is not None
    function, statement = outline.module.body
    assert isinstance(function, ast.FunctionDef)
    assert isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call)
    found = dead_branches.literals_of(outline, function, statement.value, 0)
    assert {name: each.value for name, each in found.items()} == literals and all(each.sure for each in found.values())
    first = next(item.arg for item in [*function.args.posonlyargs, *function.args.args])
    shifted = dead_branches.literals_of(outline, function, statement.value, 1)
    assert first not in shifted
