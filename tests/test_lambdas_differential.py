"""Generated programs with lambdas, nested functions and local classes print the same before and after `lambdas`.

Every program is made by `Writer` from a stream of small numbers, so that Hypothesis can shrink it. It runs in this
process, twice: as written, and as `codemods.migrate.plan` leaves it, once with what the flow shows to cross at
confidence `possible`, once as if everything crossed.
"""

from __future__ import annotations

import functools
import sys
import types
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from codemods.finding import Confidence
from codemods.flow.graph import Crossing
from codemods.migrate import Plan, plan
from codemods.project import Project
from codemods.rewrite.hoist import every_target
from codemods.rule import Rule
from codemods.settings import Settings
from codemods.transforms.lambdas import Lambdas
from codemods.tree.files import MemoryFiles

PATH = "program.py"
NAMES = ["a", "b", "c", "d", "row"]
FUNCTION_NAMES = ["f", "g", "h", "step"]
Pick = Callable[[int], int]  # pick(n) is one of 0..n-1, 0 the simplest

HEADER = '''\
"""A generated program."""
import functools
import math
from collections import defaultdict
from multiprocessing import Process, most

LIMIT = 3
SCALE = 2
KEPT = []
OUT = []


def show(*values):
    OUT.append([plain(value) for value in values])


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    return value if isinstance(value, (int, float, str, type(None))) else "object"


def attempt(function, *args, **kwargs):
    try:
        result = function(*args, **kwargs)
        if hasattr(result, "send"):
            result = list(result)
    except (UnboundLocalError, NameError):
        result = "NameError"
    except Exception as error:
        result = type(error).__name__
    show(result)
    return result


def keep(function, *others, fn=None, **more):
    KEPT.extend(each for each in (function, *others, fn, *more.values()) if each is not None)
    return function


def wrapping(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


def plainly(function):
    return function


class Box:
    def __init__(self, fn, extra=None):
        self.fn = fn
        self.extra = extra
        self.table = {}


class Ctx:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *error):
        return False


READY = True
'''

FOOTER = """
for each in list(KEPT):
    for given in ((), (1,), (2, 3), ([4, 5],), (1, 2, 3)):
        if len(given) <= most(each):
            attempt(each, *given)
    if most(each) > 0:
        attempt(each, n=2)
        attempt(each, 1, b=2)
        attempt(each, 1, extra=2)
show("kept", len(KEPT))
"""


class Writer:
    """Writes one program; every choice is a `pick`."""

    def __init__(self, pick: Pick) -> None:
        self.pick = pick
        self.lines: list[str] = []
        self.budget = 34  # statements

    # choices
    def one(self, choices: list[str]) -> str:
        return choices[self.pick(len(choices))]

    def chance(self, of: int) -> bool:
        """True once in `of` times; False is simpler."""
        return self.pick(of) == of - 1

    # the program
    def program(self) -> str:
        for index in range(1 + self.pick(3)):
            if self.chance(3):
                self.class_(index)
            else:
                self.maker(index)
            if self.chance(4):
                self.module_statement(index)
        return HEADER + "\n".join(self.lines) + "\n" + FOOTER

    def maker(self, index: int) -> None:
        names = ["a", "b"][: 1 + self.pick(2)]
        default = self.one(["", "", "=2"])
        self.lines += ["", "", f"def make_{index}({', '.join(names)}{default}):"]
        start = len(self.lines)
        self.block(1, set(names), set(), False, f"make_{index}")
        self.lines.append("    " + self.one(["return a", "return None", "show(a)"]))
        assert len(self.lines) > start
        self.lines += ["", ""]
        for values in ("1", "2, 3")[: 1 + self.pick(2)]:
            self.lines.append(f"attempt(make_{index}, {values})")

    def class_(self, index: int) -> None:
        base = self.one(["", "", "(Box)"])
        self.lines += ["", "", f"class Thing{index}{base}:"]
        if self.chance(3):
            self.lines.append(f"    {self.one(['table', 'factor'])} = 7")
        self.lines += ["    def __init__(self, a, b=1):", "        self.a = a", "        self.b = b"]
        self.block(2, {"a", "b"}, set(), True, "init")
        if self.chance(3):
            self.lines.append("        self.b = 9")
        for number in range(1 + self.pick(2)):
            decorator = self.pick(8)
            name = f"go_{number}"
            if decorator == 6:
                self.lines += ["", "    @staticmethod", f"    def {name}(a, b=4):"]
                self.block(2, {"a", "b"}, set(), False, name)
            elif decorator == 7:
                self.lines += ["", "    @property", f"    def {name}(self):", "        a = 5"]
                self.block(2, {"a"}, set(), True, name)
            else:
                self.lines += ["", f"    def {name}(self, a, b=4):"]
                self.block(2, {"a", "b"}, set(), True, name)
            self.lines.append("        return a")
        self.lines += ["", ""]
        self.lines.append(f"thing = attempt(Thing{index}, 3) or Thing{index}(4)")
        self.lines[-1] = f"thing = Thing{index}(3) if attempt(Thing{index}, 3) != 'NameError' else None"
        for number in range(2):
            self.lines.append(
                f"attempt(lambda: thing.go_{number}(2) if callable(thing.go_{number}) else thing.go_{number})"
            )
        if self.chance(2):
            self.lines += ["if thing is not None:", "    thing.b = 20", "    thing.a = 30"]

    def module_statement(self, index: int) -> None:
        kind = self.pick(6)
        if kind == 0:
            self.lines.append(f"top_{index} = lambda n=1: n + LIMIT")
            self.lines.append(f"keep(top_{index})")
        elif kind == 1:
            self.lines.append("SCALE = 5")
        elif kind == 2:
            self.lines.append("keep(Box(lambda n: n * SCALE).fn)")
        elif kind == 3:
            self.lines += ["for item in range(2):", "    keep(lambda n: n + item)"]
        elif kind == 4:
            self.lines += ["if LIMIT > 2:", "    def chosen(n):", "        return n + LIMIT", "    keep(chosen)"]
        else:
            self.lines += [
                "class Config:",
                "    width = 3",
                "    grow = lambda self, n: n + self.width",
                "keep(Config().grow)",
            ]

    # statements
    def block(self, depth: int, names: set[str], functions: set[str], me: bool, home: str) -> None:
        """One to five statements; `names` and `functions` are what may be read, and grow."""
        pad = "    " * depth
        before = len(self.lines)
        for _ in range(1 + self.pick(5)):
            if self.budget <= 0:
                break
            self.budget -= 1
            self.statement(depth, pad, names, functions, me, home)
        if len(self.lines) == before:
            self.lines.append(pad + "pass")

    def statement(self, depth: int, pad: str, names: set[str], functions: set[str], me: bool, home: str) -> None:
        kind = self.pick(26)
        add = self.lines.append
        if kind in (0, 1, 2):
            add(f"{pad}{self.sink(names, functions, me)}")
        elif kind in (3, 4, 5, 6):
            self.def_(depth, pad, names, functions, me)
        elif kind in (7, 8):
            name = self.one(FUNCTION_NAMES)
            comment = self.one(["", "", "  # noqa: E731", "  # type: ignore"])
            add(f"{pad}{name} = {self.lambda_(names, functions, me)}{comment}")
            functions.add(name)
        elif kind == 9:
            name = self.one(NAMES)
            add(f"{pad}{name} = {self.value(names, functions, me)}")
            names.add(name)
        elif kind == 10:
            name = self.one(NAMES)
            add(f"{pad}{name} = {self.one(['[1, 2]', 'SCALE', '(3, 4)', '10', 'LIMIT + 1'])}")
            names.add(name)
        elif kind == 11 and names:
            add(f"{pad}{self.one(sorted(names))} += 1")
        elif kind == 12:
            one, two = self.one(NAMES), self.one(NAMES)
            add(f"{pad}{one}, {two} = {self.value(names, functions, me)}, {self.value(names, functions, me)}")
            names |= {one, two}
        elif kind == 13 and depth < 5:
            add(f"{pad}if {self.one(['LIMIT > 2', 'LIMIT < 2', self.value(names, functions, me)])}:")
            self.block(depth + 1, names, functions, me, home)
            if self.chance(2):
                add(f"{pad}else:")
                self.block(depth + 1, names, functions, me, home)
        elif kind == 14 and depth < 5:
            name = self.one(NAMES)
            add(f"{pad}for {name} in range(2):")
            names.add(name)
            self.block(depth + 1, names, functions, me, home)
            if self.chance(4):
                add(f"{pad}    {self.one(['break', 'continue'])}")
        elif kind == 15 and depth < 5:
            add(f"{pad}try:")
            self.block(depth + 1, names, functions, me, home)
            if self.chance(2):
                add(f"{pad}finally:")
            else:
                add(f"{pad}except (ValueError, TypeError){self.one(['', ' as error'])}:")
            self.block(depth + 1, names, functions, me, home)
        elif kind == 16 and depth < 5:
            name = self.one(NAMES)
            add(f"{pad}with Ctx(6) as {name}:")
            names.add(name)
            self.block(depth + 1, names, functions, me, home)
        elif kind == 17:
            self.local_class(pad, names, functions, me)
        elif kind == 18 and functions:
            name = self.one(sorted(functions))
            add(f"{pad}attempt({name}, *[2][: most({name})])")
        elif kind == 19 and me:
            add(f"{pad}self.{self.one(['fn', 'extra', 'a', 'b'])} = {self.callable_(names, functions, me)}")
            add(f"{pad}keep(lambda: self.fn)") if self.chance(8) else None
        elif kind == 20:
            name = self.one(NAMES)
            statement = self.one([f"import math as {name}", f"from math import floor as {name}", "import math"])
            add(f"{pad}{statement}")
        elif kind == 21 and functions:
            add(f"{pad}keep({self.one(sorted(functions))})")
        elif kind == 22:
            name = self.one(FUNCTION_NAMES)
            add(f"{pad}{self.one(NAMES)} = 1; {name} = {self.lambda_(names, functions, me)}; keep({name})")
            functions.add(name)
        elif kind == 23:
            add(f"{pad}if LIMIT: keep({self.lambda_(names, functions, me)})")
        elif kind == 24 and names:
            name = self.one(sorted(names))
            add(f"{pad}{self.one([f'{name} = {name} + 1', f'{name} = [{name}]', f'del {name}', f'show({name})'])}")
        else:
            add(f"{pad}{self.sink(names, functions, me)}")

    def sink(self, names: set[str], functions: set[str], me: bool) -> str:
        made = self.callable_(names, functions, me)
        kind = self.pick(14)
        if kind == 0:
            return f"keep({made})"
        if kind == 1:
            return f"Process(target={made}, args=(1,)).start()"
        if kind == 2:
            return f"keep(Box({made}).fn)"
        if kind == 3:
            return f"box = Box(None); box.fn = {made}; keep(box.fn)"
        if kind == 4:
            return f"keep(*[{made}, {self.callable_(names, functions, me)}])"
        if kind == 5:
            return f"keep({{'scale': {made}}}['scale'])"
        if kind == 6:
            return f"keep(len, fn={made})"
        if kind == 7:
            return f"keep(*[{self.lambda_(names | {'i'}, functions, me)} for i in range(2)])"
        if kind == 8:
            return f"keep({made} if LIMIT > 2 else {self.callable_(names, functions, me)})"
        if kind == 9:
            name = self.one(FUNCTION_NAMES)
            functions.add(name)
            return f"keep({name} := {made})"
        if kind == 10:
            return f"show(sorted([3, 1, 2], key={self.lambda_(names, functions, me)}))"
        if kind == 11:
            table = self.one(
                [
                    "lambda: 0",
                    "lambda: []",
                    "lambda: defaultdict(int)",
                    "lambda: defaultdict(lambda: 0)",
                    self.lambda_(names, functions, me),
                ]
            )
            return f"table = defaultdict({table}); attempt(lambda: table['x']); keep(table.default_factory)"
        if kind == 12:
            return f"keep(functools.partial({made}))"
        return f"keep((\n        {made}  # kept for later\n    ))" if self.chance(2) else f"keep({made}, # first\n    )"

    def callable_(self, names: set[str], functions: set[str], me: bool) -> str:
        if functions and self.chance(3):
            return self.one(sorted(functions))
        if me and self.chance(12):
            return "self.go_0"
        return self.lambda_(names, functions, me)

    def parameters(self, names: set[str], is_lambda: bool) -> tuple[str, set[str]]:
        kind = self.pick(15)
        local = self.one(sorted(names)) if names else "LIMIT"
        note = "" if is_lambda else self.one(["", "", ": int", ": 'int'"])
        table: list[tuple[str, set[str]]] = [
            (f"n{note}", {"n"}),
            ("n", {"n"}),
            ("", set()),
            (f"n{note}, b=2", {"n", "b"}),
            ("n, *rest", {"n"}),
            ("n, **extra", {"n"}),
            (f"n, *, {'k' if local == 'n' else local}={local}", {"n", "k" if local == "n" else local}),
            (f"n, k={local}", {"n", "k"}),
            ("n, *, b=LIMIT", {"n", "b"}),
            (f"n=1, *, k={local}", {"n", "k"}),
            ("n, /, b=1", {"n", "b"}),
            (f"n, k={local} + 1" if local != "LIMIT" else "n, k=1", {"n", "k"}),
            ("n, k=math.pi", {"n", "k"}),
            (f"a, n=0, *rest, k={local}, **extra", {"a", "n", "k"}),
            ("n=[]", set()),
        ]
        return table[kind]

    def lambda_(self, names: set[str], functions: set[str], me: bool, depth: int = 0) -> str:
        kind = self.pick(16)
        if kind == 0:
            return self.one(
                [
                    "lambda: 0",
                    "lambda n: n",
                    "lambda n: n[0]",
                    "lambda: None",
                    "lambda n: n.real",
                    "lambda: dict()",
                    "lambda n: n[0:1]",
                    "lambda n: n[0], ",
                ][:7]
            )
        head, own = self.parameters(names, True)
        inner = names | own
        if kind == 1 and depth < 2:
            return f"lambda {head}: {self.lambda_(inner, functions, me, depth + 1)}".replace("lambda :", "lambda:")
        if kind == 2 and depth < 2:
            return f"lambda {head}: keep({self.lambda_(inner, functions, me, depth + 1)})".replace(
                "lambda :", "lambda:"
            )
        body = self.value(inner, functions, me, "n" in own)
        if kind == 3:
            body = f"({body},\n    {self.value(inner, functions, me)})"
        elif kind == 4:
            body = f"[{body} for {self.one(NAMES)} in range(2)]"
        elif kind == 5:
            body = f"(t := {body}) + t if isinstance(t, str) else t" if False else f"[(t := {body}), t]"
        text = f"lambda {head}: {body}".replace("lambda :", "lambda:")
        return f"({text})" if kind in (3, 6) else text

    def value(self, names: set[str], functions: set[str], me: bool, has_n: bool = False) -> str:
        """An expression that may be evaluated in a scope that reads `names`."""
        readable = sorted(names) or ["LIMIT"]
        kind = self.pick(15)
        name = self.one(readable)
        if kind in (0, 1):
            return name
        if kind in (2, 3):
            return f"{name} * {self.one(readable)}"
        if kind == 4:
            return f"[{name}, {self.one(readable)}, LIMIT]"
        if kind == 5:
            return f"(SCALE, {name})"
        if kind == 6 and functions and has_n:
            return f"({self.one(sorted(functions))}(n - 1) if isinstance(n, int) and n > 0 else {name})"
        if kind == 7 and functions and has_n:
            return f"[{self.one(sorted(functions))}(each) for each in range(n if n == 1 else 0)]"
        if kind == 8 and me:
            return f"self.{self.one(['a', 'b'])}"
        if kind == 9 and me:
            return f"(self.a, {name})"
        if kind == 10:
            return f"f'{{{name}}}'"
        if kind == 11:
            return f"{name} if {self.one(readable)} else -1"
        if kind == 12 and me and self.chance(3):
            return "type(self).__name__"
        if kind == 13:
            return f"math.floor({name})"
        if kind == 14:
            other = self.one(NAMES)
            return f"[{other} for {other} in [{name}, 2]]"
        return f"{name} + 1"

    def def_(self, depth: int, pad: str, names: set[str], functions: set[str], me: bool) -> None:
        add = self.lines.append
        name = self.one(FUNCTION_NAMES)
        head, own = self.parameters(names, False)
        if self.chance(4):
            add(f"{pad}# {self.one(['about', 'why'])} {name}")
        decorator = self.pick(12)
        if decorator == 10:
            add(f"{pad}@wrapping")
        elif decorator == 11:
            add(f"{pad}@plainly")
        returns = self.one(["", "", "", " -> int"])
        inner_names, inner_functions = names | own, set(functions)
        if self.chance(3):
            inner_functions.add(name)
        style = self.pick(10)
        if style == 0:
            add(f"{pad}def {name}({head}){returns}: return {self.value(inner_names, inner_functions, me, 'n' in own)}")
        else:
            add(f"{pad}def {name}({head}){returns}:")
            deeper = pad + "    "
            if style == 1:
                add(f'{deeper}"""What it does.\n\n{deeper}In two parts.\n{deeper}"""')
            if style == 2 and names:
                add(f"{deeper}nonlocal {self.one(sorted(names))}")
            if style == 3:
                add(f"{deeper}global SCALE")
                add(f"{deeper}SCALE = SCALE + 1")
            if style in (4, 5) and depth < 4 and self.budget > 0:
                self.block(depth + 1, inner_names, inner_functions, me, name)
            if style == 6:
                lists = self.one(sorted(names)) if names else "KEPT"
                add(f"{deeper}if isinstance({lists}, list) and len({lists}) < 5:\n{deeper}    {lists}.append(7)")
            word = "yield" if style == 7 else "return"
            add(f"{deeper}{word} {self.value(inner_names, inner_functions, me, 'n' in own)}")
            if style == 8:
                add(f"{deeper}# the end")
        functions.add(name)

    def local_class(self, pad: str, names: set[str], functions: set[str], me: bool) -> None:
        add = self.lines.append
        kind = self.pick(6)
        name = self.one(["Local", "Other"])
        base = self.one(["", "", "(Box)", "(Local)" if name == "Other" else ""])
        add(f"{pad}class {name}{base}:")
        if kind == 0:
            add(f"{pad}    width = LIMIT")
        if kind == 1:
            add(f"{pad}    names = []")
        add(f"{pad}    def __init__(self, n=1):")
        add(f"{pad}        {'super().__init__(n)' if base == '(Box)' else 'pass'}")
        add(f"{pad}        self.n = n")
        add(f"{pad}    def __call__(self, n=3):")
        outer = self.value(names, functions, me) if kind in (4, 5) else "LIMIT"
        add(f"{pad}        return [self.n, n, {outer}]")
        add(f"{pad}{self.one([f'keep({name})', f'keep({name}())', f'attempt({name}(2))', f'attempt({name}, 2)'])}")


# running


class FakeProcess:
    """Calls its target at once, as a test would under fork with nothing shared."""

    def __init__(self, target: Callable[..., object], args: tuple[object, ...] = ()) -> None:
        self.target, self.args = target, args

    def start(self) -> None:
        with suppress(Exception):
            self.target(*self.args)


def most(function: object) -> int:
    """How many arguments to give at most by position.

    Nobody passes the parameter `k` like that, which is there to keep a value; nor anything to what stands for a
    lambda without parameters.
    """
    taken = 0
    while isinstance(function, functools.partial):
        taken, function = taken + len(function.args), function.func
    if isinstance(function, (types.FunctionType, types.MethodType)):
        code = function.__code__
        taken += isinstance(function, types.MethodType)
        if "k" in code.co_varnames[taken:]:
            return code.co_varnames.index("k") - taken
        return 0 if code.co_argcount <= taken and not code.co_flags & 4 else 9
    return 0 if isinstance(function, type) and function.__module__ != "program" else 9


@contextmanager
def fake_multiprocessing() -> Iterator[None]:
    fake = types.ModuleType("multiprocessing")
    fake.Process, fake.most = FakeProcess, most  # type: ignore[attr-defined]
    real = sys.modules.get("multiprocessing")
    sys.modules["multiprocessing"] = fake
    try:
        yield
    finally:
        if real is None:
            del sys.modules["multiprocessing"]
        else:
            sys.modules["multiprocessing"] = real


def run(text: str) -> tuple[object, list[object]]:
    """(what the program shows, the callables that it kept)."""
    namespace: dict[str, object] = {"__name__": "program"}
    code = compile(text, PATH, "exec", dont_inherit=True)
    with fake_multiprocessing():
        try:
            exec(code, namespace)
            end = ""
        except Exception as error:
            end = "NameError" if isinstance(error, NameError) else type(error).__name__
    kept = namespace.get("KEPT", [])
    assert isinstance(kept, list)
    return (namespace.get("OUT"), end), kept


class Everything(Lambdas):
    """The rule as if every lambda, nested function and local class crossed."""

    def crossings(self, project: Project) -> Iterable[Crossing]:
        source, module = project.source(PATH), project.module(PATH)
        assert source is not None and module is not None
        for target, node in every_target(module).items():
            if source.line_text(target.line) not in HEADER_LINES:
                end = (node.end_lineno or target.line, node.end_col_offset or 0)
                yield Crossing(target.kind, PATH, target.line, target.column, *end, Confidence.PROVEN, (), "")


HEADER_LINES = frozenset(line for line in HEADER.splitlines() if line.strip())


def migrated(text: str, rules: dict[str, Rule] | None) -> tuple[str, Plan]:
    files = MemoryFiles({PATH: text.encode()})
    result = plan(files, Settings(confidence=Confidence.POSSIBLE, select=("lambdas",)), rules=rules)
    data = result.contents.get(PATH)
    return (text if data is None else data.decode()), result


def check(text: str) -> tuple[int, int]:
    """Assert that the program means the same afterwards; (how many were rewritten, how many refused)."""
    expected, _ = run(text)
    rewritten = refused = 0
    for rules in (None, {"lambdas": Everything()}):
        after, result = migrated(text, rules)
        assert not result.skipped, result.skipped
        for finding in result.remaining:
            assert finding.fix is None or finding.fix.unsafe, "it says it can, and did not"
            assert "internal check" not in (finding.reason or ""), f"{finding.reason}\n{text}\n---\n{after}"
        rewritten += sum(len(change.findings) for change in result.changes)
        refused += len(result.remaining)
        if after == text:
            continue
        got, kept = run(after)
        assert got == expected or defines_more(expected, got), f"{text}\n--- became\n{after}"
        if rules is not None and not result.remaining:
            for each in kept:
                assert named(each), f"{each!r} is still local\n{text}\n--- became\n{after}"
        again, _ = migrated(after, rules)
        assert again == after, f"a second run changes it\n{after}\n--- became\n{again}"
    return rewritten, refused


def defines_more(expected: object, got: object) -> bool:
    """True when the first difference is a name that was unbound before: moved code may be there earlier than it was."""
    assert isinstance(expected, tuple) and isinstance(got, tuple)
    pairs = zip([*expected[0], expected[1]], [*got[0], got[1]], strict=False)
    return "NameError" in next((str(one) for one, two in pairs if one != two), "")


def named(value: object) -> bool:
    """True when pickle finds the function by its name."""
    if isinstance(value, functools.partial):
        return named(value.func) and all(named(each) for each in value.args)
    return not (isinstance(value, types.FunctionType) and "<" in value.__qualname__)


@settings(
    max_examples=100,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)
@given(st.data())
def test_generated_programs_mean_the_same(data: st.DataObject) -> None:
    text = Writer(lambda n: data.draw(st.integers(0, n - 1))).program()
    try:
        compile(text, PATH, "exec")
    except SyntaxError:
        return  # `nonlocal` of a parameter, `break` outside a loop and the like
    check(text)
