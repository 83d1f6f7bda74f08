"""What single statements bind, read, change and do again in each child: a row for each shape."""

from __future__ import annotations

import ast

from codemods.project import Project
from codemods.syntax.repo import Repo
from codemods.transforms.main_guard import side_effects, statements
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row


def one(text: str) -> ast.stmt:
    (statement,) = ast.parse(text).body
    return statement


@each_row(
    ("text", "stays"),
    [
        ("def f(): pass", True),
        ("async def f(): pass", True),
        ("class C: pass", True),
        ("import a", True),
        ("from a import b", True),
        ("if __name__ == '__main__': f()", True),
        ("if __name__ != '__main__': f()", False),
        ("if a: f()", False),
        ("try:\n import a\nexcept E:\n a = None", True),
        ("try:\n import a\nexcept E:\n pass", True),
        ("try:\n import a\nexcept E:\n f()", False),
        ("try:\n import a\n f()\nexcept E:\n pass", False),
        ("try:\n import a\nexcept E:\n pass\nelse:\n b = 1", True),
        ("try:\n import a\nexcept E:\n pass\nelse:\n f()", False),
        ("try:\n a = 1\nexcept E:\n import a", False),
        ("A = namedtuple('A', 'b c')", True),
        ("A = collections.namedtuple('A', 'b c')", True),
        ("A = NamedTuple('A', [])", True),
        ("A = TypedDict('A', {})", True),
        ("A = NewType('A', int)", True),
        ("A = TypeVar('A', int, str)", True),
        ("A = TypeVar('A')", False),
        ("A = make_dataclass('A', [])", True),
        ("A = Enum('A', 'b c')", True),
        ("A = IntEnum('A', 'b c')", True),
        ("A = type('A', (), {})", True),
        ("A = type(b)", False),
        ("A: object = Enum('A', 'b c')", True),
        ("A = other('A', 'b c')", False),
        ("Enum('A', 'b c')", False),
        ("a = 1", False),
    ],
)
def test_stays(text: str, stays: bool) -> None:
    assert statements.stays(one(text)) is stays


@each_row(
    ("text", "plain"),
    [
        ("a = 1", True),
        ("a = b", True),
        ("a = -1 + 2 * b", True),
        ("a = (1, [2], {3: 4}, {5})", True),
        ("a = b if c else d", True),
        ("a = b and not c", True),
        ("a = b < c", True),
        ("a = f'{b}'", True),
        ("a: int = 1", True),
        ("a: int", False),
        ("a = b = 1", False),
        ("a, b = 1, 2", False),
        ("a.b = 1", False),
        ("a[0] = 1", False),
        ("a.b: int = 1", False),
        ("a = f()", False),
        ("a = b.c", False),
        ("a = b[0]", False),
        ("a = lambda: 1", False),
        ("a = [b for b in c]", False),
        ("a += 1", False),
        ("f()", False),
        ("1", False),
    ],
)
def test_plain(text: str, plain: bool) -> None:
    assert statements.is_plain(one(text)) is plain


@each_row(
    ("text", "prints"),
    [
        ("print()", True),
        ("print(a, b)", True),
        ("a.print()", False),
        ("a = print()", False),
        ("printf()", False),
        ("print", False),
    ],
)
def test_print(text: str, prints: bool) -> None:
    assert statements.is_print(one(text)) is prints


@each_row(
    ("text", "root"),
    [
        ("a.b()", "a"),
        ("a.b.c()", "a"),
        ("a[0].b()", "a"),
        ("a.b[0].c()", "a"),
        ("a()", None),
        ("a().b()", None),
        ("a[0]()", None),
        ("a.b", None),
        ("c = a.b()", None),
    ],
)
def test_method_root(text: str, root: str | None) -> None:
    assert statements.method_root(one(text)) == root


@each_row(
    ("text", "bound"),
    [
        ("a = 1", {"a"}),
        ("a = b = 1", {"a", "b"}),
        ("a, (b, *c) = d", {"a", "b", "c"}),
        ("a.b = c", set()),
        ("del a", {"a"}),
        ("import a.b", {"a"}),
        ("import a.b as c", {"c"}),
        ("from a import b, c as d", {"b", "d"}),
        ("def a(b):\n c = 1", {"a"}),
        ("class a:\n b = 1", {"a"}),
        ("for a in b:\n c = 1", {"a", "c"}),
        ("with a as b: c = 1", {"b", "c"}),
        ("try:\n a = 1\nexcept E as b:\n c = 1", {"a", "b", "c"}),
        ("try:\n a = 1\nexcept E:\n c = 1", {"a", "c"}),
        ("(a := 1)", {"a"}),
        ("b(lambda c: (a := 1))", set()),
        ("b([c for c in d])", set()),
        ("b([a := c for c in d if (e := c)])", {"a", "e"}),
        ("b({c for c in d}, {c: 1 for c in d}, (c for c in d))", set()),
        ("match a:\n case [b, *c]: pass\n case {'d': e}: pass\n case _: pass", {"b", "c", "e"}),
        ("if a: b = 1\nelse: c = 1", {"b", "c"}),
    ],
)
def test_names_bound(text: str, bound: set[str]) -> None:
    assert {*statements.names_bound(one(text))} == bound


@each_row(
    ("text", "changed"),
    [
        ("a.b = 1", ["a"]),
        ("a[0] = 1", ["a"]),
        ("a.b[0].c = 1", ["a", "a"]),
        ("del a.b", ["a"]),
        ("del a[0]", ["a"]),
        ("a.b()", ["a"]),
        ("a.b.c()", ["a"]),
        ("a.info('b')", []),
        ("a.log('b')", []),
        ("a()", []),
        ("b = a.c()", []),
        ("f().b = 1", []),
        ("print(a.b)", []),
        ("a = 1", []),
    ],
)
def test_changed(text: str, changed: list[str]) -> None:
    assert sorted({*statements.changed(one(text))}) == sorted({*changed})


@each_row(
    ("text", "found"),
    [
        ("A.b = 1", {("A", "b")}),
        ("A.b[0] = 1", {("A", "b")}),
        ("A.b.c = 1", {("A", "b")}),
        ("del A.b", {("A", "b")}),
        ("A[0] = 1", set()),
        ("A[0].b = 1", set()),
        ("f(A.b)", set()),
        ("A.b, B.c = d", {("A", "b"), ("B", "c")}),
    ],
)
def test_attributes_set(text: str, found: set[tuple[str, str]]) -> None:
    assert statements.attributes_set(one(text)) == found


@each_row(
    ("text", "sets", "reads"),
    [
        ("os.environ['A'] = b", ["'A'"], []),
        ("environ['A'] = b", ["'A'"], []),
        ("del os.environ['A']", ["'A'"], []),
        ("os.environ[a] = b", ["a"], []),
        ("b = os.environ['A']", [], ["'A'"]),
        ("b = environ['A']", [], ["'A'"]),
        ("b = other['A']", [], []),
        ("other['A'] = b", [], []),
        ("os.environ.setdefault('A', b)", ["'A'"], ["'A'"]),
        ("os.environ.pop('A')", ["'A'"], []),
        ("environ.pop('A')", ["'A'"], []),
        ("os.environ.pop()", [""], []),
        ("os.environ.update(A=b)", [""], []),
        ("os.environ.clear()", [""], []),
        ("os.environ.items()", [], []),
        ("os.putenv('A', b)", ["'A'"], []),
        ("os.unsetenv('A')", ["'A'"], []),
        ("other.putenv('A', b)", [], []),
        ("other.pop('A')", [], []),
        ("b = os.getenv('A')", [], ["'A'"]),
        ("b = getenv('A')", [], ["'A'"]),
        ("b = os.environ.get('A')", [], ["'A'"]),
        ("b = environ.get('A')", [], ["'A'"]),
        ("b = os.environ.copy()", [], [""]),
        ("b = other.get('A')", [], []),
    ],
)
def test_environment(text: str, sets: list[str], reads: list[str]) -> None:
    assert [*statements.environment_set(one(text))] == sets
    assert [*statements.environment_read(one(text))] == reads


@each_row(
    ("text", "names"),
    [
        ("a = b", {"b"}),
        ("def f(a=b):\n return c", {"b"}),
        ("@a\ndef f(x: b) -> c:\n return d", {"a", "b", "c"}),
        ("@a\nasync def f():\n return d", {"a"}),
        ("class A(b):\n c = d\n def f(self, x=e): return g", {"b", "d", "e"}),
        ("a = lambda: b", set()),
        ("if __name__ == '__main__': f(a)", set()),
        ("if b: f(a)", {"b", "f", "a"}),
    ],
)
def test_reads_on_import(text: str, names: set[str]) -> None:
    assert {*statements.reads_on_import(one(text))} == names


@each_row(
    ("text", "guard", "plain"),
    [
        ("if __name__ == '__main__': pass", True, True),
        ("if '__main__' == __name__: pass", True, True),
        ("if __name__ == '__main__' and a: pass", True, False),
        ("if __name__ == '__main__': pass\nelse: pass", False, False),
        ("if __name__ != '__main__': pass", False, False),
        ("if a: pass", False, False),
        ("a", False, False),
    ],
)
def test_guards(text: str, guard: bool, plain: bool) -> None:
    assert statements.is_guard(one(text)) is guard
    assert statements.is_plain_guard(one(text)) is plain


def test_targets() -> None:
    (target,) = one("a, (b.c, [d[0], *e]) = f").targets  # type: ignore[attr-defined]
    assert [ast.unparse(leaf) for leaf in statements.leaves(target)] == ["a", "b.c", "d[0]", "*e"]
    assert statements.dunder([target.elts[0], ast.Name("__all__", ast.Store())])
    assert not statements.dunder([target.elts[0], target.elts[1]])


# what a call does again


WRONG, COSTLY, LITTLE = side_effects.Harm.WRONG, side_effects.Harm.COSTLY, side_effects.Harm.LITTLE


@each_row(
    ("call", "what", "harm"),
    [
        ("loss.backward()", "trains", WRONG),
        ("backward()", None, None),
        ("input('a')", "asks the user", WRONG),
        ("a.input('a')", None, None),
        ("open('a', 'w')", "opens a file for writing", WRONG),
        ("open('a', 'wb')", "opens a file for writing", WRONG),
        ("open('a', 'a')", "opens a file for writing", WRONG),
        ("open('a', 'x')", "opens a file for writing", WRONG),
        ("open('a', mode='w')", "opens a file for writing", WRONG),
        ("io.open('a', 'w')", "opens a file for writing", WRONG),
        ("open(os.devnull, 'w')", None, None),
        ("open('a', 'r')", None, None),
        ("open('a')", None, None),
        ("logging.FileHandler('a', 'w')", "empties its log", WRONG),
        ("logging.basicConfig(filename='a', filemode='w')", "empties its log", WRONG),
        ("model.cuda()", "puts something on the GPU", COSTLY),
        ("torch.nn.CrossEntropyLoss().cuda()", None, None),
        ("torch.nn.Softmax(dim=1).to('cuda')", None, None),
        ("torch.nn.CrossEntropyLoss(weight=weights).cuda()", "puts something on the GPU", COSTLY),
        ("torch.nn.BCELoss(weights).cuda()", "puts something on the GPU", COSTLY),
        ("torch.nn.Linear(2, 2).cuda()", "puts something on the GPU", COSTLY),
        ("cuda()", None, None),
        ("model.to('cuda')", "puts something on the GPU", COSTLY),
        ("model.to('CUDA:0')", "puts something on the GPU", COSTLY),
        ("model.to(device)", "puts something on the GPU", COSTLY),
        ("model.to(DEVICE)", "puts something on the GPU", COSTLY),
        ("model.to(gpu)", "puts something on the GPU", COSTLY),
        ("model.to(GPU)", "puts something on the GPU", COSTLY),
        ("model.to('cpu')", None, None),
        ("model.to(a, 'cuda')", "puts something on the GPU", COSTLY),
        ("to('cuda')", None, None),
        ("torch.zeros(2, device='cuda:0')", "puts something on the GPU", COSTLY),
        ("torch.zeros(2, device=f'cuda:{a}')", "puts something on the GPU", COSTLY),
        ("torch.zeros(2, device='cpu')", None, None),
        ("torch.zeros(2, device=f'')", None, None),
        ("Config(device='cuda')", None, None),
        ("torch.jit.load('a')", "loads data or weights (`torch.jit.load`)", COSTLY),
        ("torch.cuda.set_device(0)", "opens the GPU, some 300 MB of its memory", COSTLY),
        ("SummaryWriter('a')", "opens a log", COSTLY),
        ("concurrent.futures.ProcessPoolExecutor()", "calls `concurrent.futures.ProcessPoolExecutor`", LITTLE),
        ("os.mkdir('a')", "calls `os.mkdir`", WRONG),
        ("f()", None, None),
    ],
)
def test_what_a_call_does(call: str, what: str | None, harm: object) -> None:
    text = f"import os, io, torch, logging, concurrent.futures\nx = {call}\n"
    outline = Repo(Project(MemoryFiles({"a.py": text.encode()}))).outline("a.py")
    assert outline is not None
    node = outline.module.body[1].value  # type: ignore[attr-defined]
    found = side_effects._does(outline, node)
    assert (None if found is None else (found.what, found.harm)) == (None if what is None else (what, harm))
