"""Which new names a loop over the names of a module finds, by its tests: a row for each thing a test may ask."""

from __future__ import annotations

import ast

from codemods.project import Project
from codemods.syntax.name_tests import Element, always
from codemods.syntax.repo import Repo
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

FUNCTION, CLASS, DERIVED, MODULE = (Element("thing", kind) for kind in ("function", "class", "derived", "module"))


def verdict(test: str, element: Element, elements: str = "keys", target: str = "n") -> bool | None:
    loop = ast.parse(f"[0 for {target} in names if {test}]", mode="eval").body
    assert isinstance(loop, ast.ListComp)
    outline = Repo(Project(MemoryFiles({"a.py": b""}))).outline("a.py")
    assert outline is not None
    return always(elements).narrowed(loop.generators[0], outline)(element)


@each_row(
    ("test", "found"),
    [
        ("True", True),
        ("0", False),
        ("other", None),
        ("n", True),
        ("not n", False),
        ("not other", None),
        ("n == 'thing'", True),
        ("n != 'thing'", False),
        ("n == 'other'", False),
        ("n == other", None),
        ("other == n", None),
        ("n is None", False),
        ("n is not None", True),
        ("n is other", None),
        ("n < 'z'", None),
        ("n in ('thing', 'x')", True),
        ("n not in ('thing', 'x')", False),
        ("n in ['x']", False),
        ("n in {'thing'}", True),
        ("n in other", None),
        ("n in ('x', other)", None),
        ("'hin' in n", True),
        ("'x' not in n", True),
        ("'x' in n", False),
        ("1 in n", None),
        ("n == 'thing' == n", None),
        ("n.startswith('t')", True),
        ("n.startswith('_')", False),
        ("not n.startswith('_')", True),
        ("n.startswith(('_', 't'))", True),
        ("n.startswith(['t'])", True),
        ("n.startswith(other)", None),
        ("n.startswith(prefix='t')", None),
        ("n.islower('t')", None),
        ("n.endswith('ing')", True),
        ("n.islower()", True),
        ("n.isupper()", False),
        ("n.isdigit()", False),
        ("n.isidentifier()", True),
        ("n.upper() == 'THING'", True),
        ("n.lower() == n", True),
        ("n.lstrip('t') == 'hing'", True),
        ("n.strip('g') == 'thin'", True),
        ("n.title() == n", None),
        ("other.lower()", None),
        ("n.startswith(1)", None),
        ("n[0] == 't'", True),
        ("n[-1] == 'g'", None),
        ("n[4] == 'g'", True),
        ("n[5] == 'g'", None),
        ("n[-5] == 't'", None),
        ("n[-6] == 't'", None),
        ("n[:2] == 'th'", True),
        ("n[1:] == 'hing'", True),
        ("n[1:3] == 'hi'", True),
        ("n[other:] == 'thing'", None),
        ("n[other]", None),
        ("n[0].isupper()", False),
        ("'xy'[0] == 'x'", True),
        ("n and 0", False),
        ("0 and other", False),
        ("other and n", None),
        ("other and 0", False),
        ("n or other", True),
        ("other or n", True),
        ("0 or other", None),
        ("0 or 0", False),
        ("n and n", True),
        ("(lambda: 0)()", None),
        ("callable(n)", False),
        ("callable(other)", None),
        ("callable(n, n)", None),
        ("isinstance(n, str)", True),
        ("isinstance(n, (int, str))", True),
        ("isinstance(n, int)", False),
        ("isinstance(n, (int, Other))", None),
        ("isinstance(n, Other)", None),
        ("isinstance(other, str)", None),
        ("isinstance(n)", None),
        ("callable(vars(m)[n])", True),
        ("callable(m.__dict__[n])", True),
        ("callable(getattr(m, n))", True),
        ("callable(getattr(m, n, None))", True),
        ("callable(getattr(m, 'x'))", None),
        ("getattr(n, 'x')", None),
    ],
)
def test_by_name(test: str, found: bool | None) -> None:
    assert verdict(test, FUNCTION) is found


@each_row(
    ("test", "of_function", "of_class", "of_derived", "of_module"),
    [
        ("callable(v)", True, True, True, False),
        ("inspect.isclass(v)", False, True, True, False),
        ("inspect.isfunction(v)", True, False, False, False),
        ("inspect.isroutine(v)", True, False, False, False),
        ("inspect.isbuiltin(v)", False, False, False, False),
        ("inspect.ismethod(v)", False, False, False, False),
        ("inspect.ismodule(v)", False, False, False, True),
        ("isinstance(v, type)", False, True, True, False),
        ("isinstance(v, types.FunctionType)", True, False, False, False),
        ("isinstance(v, types.LambdaType)", True, False, False, False),
        ("isinstance(v, types.ModuleType)", False, False, False, True),
        ("isinstance(v, Callable)", True, True, True, False),
        ("isinstance(v, Hashable)", True, True, True, True),
        ("isinstance(v, object)", True, True, True, True),
        ("isinstance(v, (int, float, str, bool, dict, list, tuple, set, bytes, complex))", False, False, False, False),
        ("issubclass(v, object)", None, True, None, None),
        ("issubclass(v, Base)", None, False, None, None),
        ("issubclass(v)", None, None, None, None),
        ("v is None", False, False, False, False),
        ("v is not None", True, True, True, True),
        ("v in ('a', 'b')", None, None, None, None),
    ],
)
def test_by_value(test: str, of_function: object, of_class: object, of_derived: object, of_module: object) -> None:
    wanted = (of_function, of_class, of_derived, of_module)
    elements = (FUNCTION, CLASS, DERIVED, MODULE)
    assert tuple(verdict(test, each, "values", "v") for each in elements) == wanted
    assert tuple(verdict(test, each, "items", "(k, v)") for each in elements) == wanted
    if "(v" in test:  # the pair has one name
        assert tuple(verdict(test.replace("(v", "(p[1]"), each, "items", "p") for each in elements) == wanted


@each_row(
    ("test", "elements", "target", "found"),
    [
        ("k == 'thing'", "items", "k, v", True),
        ("k == 'thing'", "items", "[k, v]", True),
        ("v == 'thing'", "items", "v, k", True),
        ("p[0] == 'thing'", "items", "p", True),
        ("p == 'thing'", "items", "p", False),
        ("p[2]", "items", "p", None),
        ("k == 'thing'", "items", "k, v, w", None),
        ("k == 'thing'", "values", "k", False),
        ("k.x", "keys", "k.x", None),
    ],
)
def test_targets(test: str, elements: str, target: str, found: bool | None) -> None:
    assert verdict(test, FUNCTION, elements, target) is found


@each_row(
    ("body", "found"),
    [
        ("if n == 'thing': continue\n    use(n)", False),
        ("if n != 'thing': continue\n    use(n)", True),
        ("if n == 'other': continue\n    if n == 'thing': continue\n    use(n)", False),
        ("if n == 'other': use(n)", False),
        ("if n == 'thing': use(n)", True),
        ("if n == 'other': use(n)\n    more()", True),
        ("if n == 'other': use(n)\n    else: more()", True),
        ("if n == 'thing': continue\n    else: more()", True),
        ("use(n)\n    if n == 'thing': continue", True),
        ("if n == 'x': continue\n    if n == 'other': use(n)", False),
    ],
)
def test_tests_of_a_loop(body: str, found: bool) -> None:
    loop = ast.parse(f"for n in names:\n    {body}").body[0]
    assert isinstance(loop, ast.For)
    outline = Repo(Project(MemoryFiles({"a.py": b""}))).outline("a.py")
    assert outline is not None
    assert always("keys").narrowed(loop, outline)(FUNCTION) is found


@each_row(
    ("test", "elements", "found"),
    [
        ("lambda n: n == 'thing'", "", True),
        ("lambda n: n != 'thing'", "", False),
        ("lambda n, m: n", "", None),
        ("callable", "values", True),
        ("inspect.isclass", "values", False),
        ("str.islower", "", None),
        ("lambda v: callable(v)", "values", True),
        ("lambda v: callable(v)", "keys", False),
    ],
)
def test_filters(test: str, elements: str, found: bool | None) -> None:
    function = ast.parse(test, mode="eval").body
    assert always("keys").filtered(function, elements)(FUNCTION) is found
    assert always(elements or "keys").as_elements("keys").filtered(function, elements)(FUNCTION) is found
