"""Scopes: who owns a name, what a function captures, and whether a captured value can still change."""

from __future__ import annotations

import ast

import pytest

from codemods.syntax.binding_rules import BindingKind, ScopeKind
from codemods.syntax.main_guard import is_main_guard
from codemods.syntax.scope_data import Variable
from codemods.syntax.scopes import Scopes
from harness.each_row import each_row


def scopes_of(text: str) -> Scopes:
    return Scopes(ast.parse(text))


def first(scopes: Scopes, kind: type[ast.AST], name: str | None = None) -> ast.AST:
    return next(
        node
        for node in ast.walk(scopes.tree)
        if isinstance(node, kind) and (name is None or getattr(node, "name", None) == name)
    )


def captured(text: str) -> list[str]:
    """Names that the function `target`, or else the first lambda, captures."""
    scopes = scopes_of(text)
    functions = [node for node in ast.walk(scopes.tree) if isinstance(node, ast.FunctionDef) and node.name == "target"]
    node = functions[0] if functions else first(scopes, ast.Lambda)
    return [variable.name for variable in scopes.captures(node)]


@each_row(
    ("text", "names"),
    [
        pytest.param(
            "a = 1\ndef f():\n    return lambda: a + len([])\n", [], id="globals and builtins are not captured"
        ),
        pytest.param("def f(a, b):\n    return lambda x: b + x + a + b\n", ["b", "a"], id="parameters, by first use"),
        pytest.param("def f(a):\n    return lambda a: a\n", [], id="hidden by its own parameter"),
        pytest.param("def f(a):\n    return lambda x=a: x\n", [], id="defaults belong to the outside"),
        pytest.param("def f(a):\n    def target(x: a = a) -> a:\n        return x\n", [], id="annotations too"),
        pytest.param("def f(a):\n    return lambda: [a for a in range(3)]\n", [], id="hidden by a comprehension"),
        pytest.param("def f(a):\n    return lambda: [x for x in a]\n", ["a"], id="what a comprehension runs over"),
        pytest.param("def f(a):\n    return lambda: [x for x in [1] if a]\n", ["a"], id="inside a comprehension"),
        pytest.param("def f(a):\n    return [lambda: i for i in a]\n", ["i"], id="a comprehension's variable"),
        pytest.param("def f(a):\n    def target():\n        a = 1\n        return a\n", [], id="bound in the function"),
        pytest.param("def f(a):\n    def target():\n        print(a)\n        del a\n", [], id="deleting binds"),
        pytest.param("def f(a):\n    def target():\n        a += 1\n", [], id="+= binds"),
        pytest.param("def f(a):\n    def target():\n        nonlocal a\n        a += 1\n", ["a"], id="nonlocal reads"),
        pytest.param("def f(a):\n    def target():\n        global a\n        return a\n", [], id="global"),
        pytest.param("def f(a):\n    def target():\n        return (a := 1)\n", [], id="a walrus binds"),
        pytest.param(
            "def f(a):\n    def target():\n        [a := x for x in [1]]\n        return a\n", [], id="a walrus leaks"
        ),
        pytest.param("def f(a):\n    def target():\n        import a.b\n        return a\n", [], id="an import binds"),
        pytest.param(
            "def f(a):\n    def target():\n        from m import x as a\n        return a\n", [], id="an alias binds"
        ),
        pytest.param(
            "def f(e):\n    def target():\n        try: pass\n        except E as e: return e\n",
            [],
            id="except binds",
        ),
        pytest.param("def f(a):\n    def target():\n        with x as a:\n            return a\n", [], id="with binds"),
        pytest.param(
            "def f(a):\n    def target():\n        for a, b in x:\n            return a\n", [], id="for binds"
        ),
        pytest.param("def f(a):\n    def target():\n        class a: pass\n        return a\n", [], id="a class binds"),
        pytest.param(
            "def f(a, b, c, d):\n    def target(x):\n        match x:\n            case [a, *b]: return a, b\n"
            "            case {'k': 1, **c}: return c\n            case P(x=1) as d: return d\n",
            [],
            id="match binds",
        ),
        pytest.param(
            "def f(a):\n    def target():\n        a: int\n        return a\n", [], id="an annotation makes it local"
        ),
        pytest.param("def f(a):\n    return lambda: (lambda: a)\n", ["a"], id="through an inner function"),
        pytest.param("def f(a):\n    def g():\n        return lambda: a\n", ["a"], id="from two levels up"),
        pytest.param(
            "def f():\n    class C:\n        a = 1\n        def target(self):\n            return a\n",
            [],
            id="class names are skipped",
        ),
        pytest.param(
            "def f(a):\n    class C:\n        a = 1\n        def target(self):\n            return a\n",
            ["a"],
            id="through a class with that name",
        ),
        pytest.param("class C:\n    def m(self):\n        return lambda: self.x\n", ["self"], id="self"),
        pytest.param("def f(target=1):\n    def target():\n        return target\n", ["target"], id="its own name"),
        pytest.param("def f(a):\n    return lambda: f'{a!r:>{a}}'\n", ["a"], id="in an f-string"),
    ],
)
def test_captures(text: str, names: list[str]) -> None:
    assert captured(text) == names


def reason(text: str, name: str) -> str | None:
    """Why the value of `name` may differ after the first lambda is made."""
    scopes = scopes_of(text)
    node = first(scopes, ast.Lambda)
    found = {variable.name: variable for variable in scopes.captures(node)}
    return scopes.why_not_once(found[name], node)


@each_row(
    "text",
    [
        pytest.param("def f(a):\n    return lambda: a\n", id="a parameter"),
        pytest.param("def f():\n    a = 1\n    return lambda: a\n", id="once before"),
        pytest.param("def f():\n    a = 1\n    a = a + 1\n    return lambda: a\n", id="twice before"),
        pytest.param("def f(a):\n    for i in a:\n        g(lambda: a)\n", id="made in a loop, bound outside"),
        pytest.param("def f(a):\n    a = a or 1\n    return lambda: a\n", id="a parameter normalised before"),
        pytest.param(
            "def f(x):\n    if x:\n        a = 1\n    else:\n        a = 2\n    return lambda: a\n",
            id="on both branches",
        ),
        pytest.param(
            "def f(x):\n    if x:\n        a = 1\n    else:\n        raise E\n    return lambda: a\n", id="or left"
        ),
        pytest.param("def f(x):\n    if x:\n        a = 1\n        return lambda: a\n", id="in the same branch"),
        pytest.param("def f(x):\n    with x as (a, b):\n        return lambda: a\n", id="with, inside"),
        pytest.param("def f(x):\n    with x as a:\n        b = 1\n    return lambda: b\n", id="with, behind"),
        pytest.param(
            "def f():\n    try:\n        a = 1\n    except E:\n        a = 2\n    return lambda: a\n",
            id="try and except",
        ),
        pytest.param(
            "def f():\n    try:\n        pass\n    finally:\n        a = 2\n    return lambda: a\n", id="finally"
        ),
        pytest.param("def f():\n    if (a := g()):\n        pass\n    return lambda: a\n", id="a walrus in a test"),
        pytest.param("def f():\n    import a\n    return lambda: a\n", id="an import"),
        pytest.param("def f(a):\n    def g():\n        return lambda: a\n    return g\n", id="from two levels up"),
        pytest.param("def f():\n    a: int = 1\n    return lambda: a\n", id="annotated"),
        pytest.param("def f():\n    a: int\n    a = 1\n    return lambda: a\n", id="declared, then bound"),
        pytest.param(
            "def f(a):\n    while a.next():\n        pass\n    else:\n        return lambda: a\n",
            id="the else of a loop",
        ),
        *(
            pytest.param(
                f"def f(x):\n    if x:\n        a = 1\n    {read}\n    return lambda: a\n", id=f"read by {read}"
            )
            for read in ("g(a)", "b = x + [a.c]", "if a: pass", "with g(a): pass", "for i in a: pass", "x += a")
        ),
        pytest.param(
            "def f(x):\n    if x:\n        a = 1\n    with x:\n        g(a)\n        return lambda: a\n",
            id="read, inside",
        ),
    ],
)
def test_value_stays(text: str) -> None:
    assert reason(text, "b" if "lambda: b" in text else "a") is None


@each_row(
    ("text", "words"),
    [
        pytest.param("def f():\n    a = 1\n    g(lambda: a)\n    a = 2\n", "re-bound at line 4", id="re-bound"),
        pytest.param("def f(a):\n    g(lambda: a)\n    a += 2\n", "re-bound at line 3", id="re-bound by +="),
        pytest.param(
            "def f(a):\n    g(lambda: a)\n    for a in x:\n        pass\n", "re-bound at line 3", id="re-bound by for"
        ),
        pytest.param("def f(a):\n    g(lambda: a)\n    import a\n", "re-bound at line 3", id="re-bound by import"),
        pytest.param("def f(a):\n    g(lambda: a, (a := 3))\n", "re-bound at line 2", id="re-bound in the same call"),
        pytest.param("def f():\n    g(lambda: a)\n    a = 1\n", "bound only later, at line 3", id="bound later"),
        pytest.param(
            "def f(x):\n    for a in x:\n        g(lambda: a)\n",
            "`a` is a loop variable (line 2)",
            id="a loop variable",
        ),
        pytest.param(
            "def f(x):\n    for i in x:\n        a = i\n        g(lambda: a)\n",
            "each round of a loop",
            id="bound in the loop",
        ),
        pytest.param(
            "def f(x):\n    for i in x:\n        if i:\n            a = i\n            g(lambda: a)\n"
            "        else:\n            a = 2\n",
            "each round of a loop",
            id="in another branch of the loop",
        ),
        pytest.param(
            "def f(x):\n    a = 1\n    try:\n        return lambda: a\n    finally:\n        a = 2\n",
            "re-bound at line 6",
            id="behind a return, finally",
        ),
        pytest.param(
            "def f(x):\n    a = 1\n    try:\n        if x:\n            g(lambda: a)\n            raise E\n"
            "    except E:\n        a = 2\n",
            "re-bound at line 8",
            id="behind a raise that is caught",
        ),
        pytest.param(
            "def f(x):\n    a = 1\n    if x:\n        g(lambda: a)\n        if x.y:\n            return 1\n    a = 2\n",
            "re-bound at line 7",
            id="behind a return that may be",
        ),
        pytest.param(
            "def f(a):\n    while x:\n        g(lambda: a)\n        a = 1\n",
            "each round of a loop",
            id="later in the loop",
        ),
        pytest.param("def f():\n    return [lambda: a for a in x]\n", "`a` is a loop variable", id="a comprehension"),
        pytest.param(
            "def f(x):\n    for i in x:\n        a = i\n    return lambda: a\n",
            "may be unbound",
            id="a loop that may not run",
        ),
        pytest.param("def f(x):\n    if x:\n        a = 1\n    return lambda: a\n", "may be unbound", id="one branch"),
        *(
            pytest.param(
                f"def f(x):\n    if x:\n        a = 1\n    {read}\n    return lambda: a\n",
                "may be unbound",
                id=f"not read by {read}",
            )
            for read in (
                "x and g(a)",
                "g(a) if x else 0",
                "g(lambda: a)",
                "g(b for b in x if a)",
                "with suppress(E): g(a)",
                "if x: g(a)",
                "for i in x: g(a)",
                "def g(): return a",
                "g(x.a)",
            )
        ),
        pytest.param(
            "def f(x):\n    with contextlib.suppress(E):\n        a = 1\n    return lambda: a\n",
            "may be unbound",
            id="suppressed",
        ),
        pytest.param(
            "def f():\n    try:\n        a = 1\n    except E:\n        pass\n    return lambda: a\n",
            "may be unbound",
            id="a failed try",
        ),
        pytest.param("def f(a):\n    g(lambda: a)\n    del a\n", "is deleted again", id="deleted"),
        pytest.param(
            "def f(a):\n    def g():\n        nonlocal a\n        a = 1\n    return lambda: a\n",
            "from another function",
            id="nonlocal",
        ),
        pytest.param(
            "def f(a):\n    def g():\n        return lambda: a\n    a = 2\n    return g()\n",
            "re-bound at line 4",
            id="after the maker",
        ),
    ],
)
def test_value_may_change(text: str, words: str) -> None:
    assert words in (reason(text, "a") or "")


def test_bindings_know_their_kind() -> None:
    text = (
        "import a\nfrom b import c as d\nfor e in a: pass\nwith a as f: pass\ntry: pass\nexcept E as g: pass\n"
        "def h(): pass\nclass I: pass\nj = 1\nj += 1\nk: int\n(l := 2)\ndel j\nmatch a:\n    case m: pass\n"
    )
    module = scopes_of(text).module
    kinds = {name: [binding.kind for binding in found] for name, found in module.bindings.items()}
    assert kinds == {
        "a": [BindingKind.IMPORT],
        "d": [BindingKind.IMPORT],
        "e": [BindingKind.LOOP],
        "f": [BindingKind.WITH],
        "g": [BindingKind.EXCEPT],
        "h": [BindingKind.FUNCTION],
        "I": [BindingKind.CLASS],
        "j": [BindingKind.ASSIGNMENT, BindingKind.AUGMENTED, BindingKind.DELETION],
        "k": [BindingKind.DECLARATION],
        "l": [BindingKind.WALRUS],
        "m": [BindingKind.MATCH],
    }


def test_global_binds_the_module_and_says_who_does_it() -> None:
    scopes = scopes_of("a = 1\ndef f():\n    global a\n    a = 2\n")
    by = [binding.by.kind for binding in Variable(scopes.module, "a").bindings]
    assert by == [ScopeKind.MODULE, ScopeKind.FUNCTION]


def test_star_imports_are_kept_apart() -> None:
    scopes = scopes_of("from os import *\n")
    assert not scopes.module.bindings and len(scopes.module.stars) == 1


def test_owner_of_a_builtin_is_nobody_until_the_module_binds_it() -> None:
    assert scopes_of("len").owner(scopes_of("len").module, "len") is None
    scopes = scopes_of("def len(x): pass\n")
    assert scopes.owner(scopes.module, "len") is scopes.module


@each_row(
    ("text", "expected"),
    [
        ("if __name__ == '__main__': pass", True),
        ("if '__main__' == __name__: pass", True),
        ("if __name__ != '__main__': pass", False),
        ("if __name__ == 'main': pass", False),
        ("if __name__: pass", False),
    ],
)
def test_main_guard(text: str, expected: bool) -> None:
    assert is_main_guard(ast.parse(text).body[0]) is expected


@each_row(
    ("text", "name"),
    [
        pytest.param("class C:\n    def m(self):\n        return lambda: self\n", "self", id="a method"),
        pytest.param("class C:\n    def m(this):\n        return lambda: this\n", "this", id="under another name"),
        pytest.param(
            "class C:\n    def m(self):\n        def g():\n            return lambda: self\n",
            "self",
            id="nested deeper",
        ),
        pytest.param(
            "class C:\n    @staticmethod\n    def m(x):\n        return lambda: x\n", None, id="a static method"
        ),
        pytest.param(
            "class C:\n    @classmethod\n    def m(cls):\n        return lambda: cls\n", None, id="a class method"
        ),
        pytest.param(
            "class C:\n    def m(self):\n        self = 1\n        return lambda: self\n", None, id="re-bound"
        ),
        pytest.param("def m(self):\n    return lambda: self\n", None, id="no class"),
    ],
)
def test_method_self(text: str, name: str | None) -> None:
    scopes = scopes_of(text)
    found = scopes.method_self(first(scopes, ast.Lambda))
    assert (found[1] if found else None) == name


def test_names_in_annotations_are_marked() -> None:
    scopes = scopes_of(
        "def f(x: A, y: B[C] = d, *z: E.x, **k: 'text') -> F[G | H]:\n    v: I[J] = k\n"
        "class M(n):\n    w: O[P]\nq: Q[lambda: r] = s[t]\n"
    )
    marked = {use.name for use in scopes.uses if use.annotation}
    assert marked == {*"ABCEFGHIJOPQ"}
    assert {use.name for use in scopes.uses if not use.annotation} == {*"dknrst"}
