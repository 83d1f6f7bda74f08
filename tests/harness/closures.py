"""Writes programs full of lambdas, nested functions and local classes, for the differential test of `lambdas`.

    Writer(pick).program()

`pick(n)` is one of 0..n-1, 0 the simplest, so that Hypothesis can draw and shrink programs, and a seed can make them.
What a program shows is in its `OUT`, the functions that it let out are in its `KEPT`.
"""

from __future__ import annotations

import re
from collections.abc import Callable

NAMES = ["a", "b", "c", "d", "row"]
FUNCTION_NAMES = ["f", "g", "h", "step"]
Pick = Callable[[int], int]  # pick(n) is one of 0..n-1, 0 the simplest

HEADER = '''\
"""A generated program."""
import functools
import math
from collections import defaultdict
from multiprocessing import Process
from support import Ctx, attempt, call, most, show

LIMIT = 3
SCALE = 2
KEPT = []


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


READY = True
'''

FOOTER = "\ncall(KEPT)\n"

# What programs import from `support`, made anew for each run.
SUPPORT = """
import functools
import operator
import types

OUT = []


def show(*values):
    OUT.append([plain(value) for value in values])


def plain(value):
    if isinstance(value, (list, tuple)):
        return [plain(each) for each in value]
    if isinstance(value, dict):
        return {key: plain(each) for key, each in value.items()}
    if isinstance(value, str) and " at 0x" in value:
        return "object"
    return value if isinstance(value, (int, float, str, type(None))) else "object"


def attempt(function, *args, **kwargs):
    try:
        result = function(*args, **kwargs)
        if hasattr(result, "cr_frame"):
            try:
                result.send(None)
            except StopIteration as end:
                result = end.value
        elif hasattr(result, "send"):
            result = list(result)
    except (UnboundLocalError, NameError):
        result = "NameError"
    except Exception as error:
        result = type(error).__name__
    show(result)
    return result


def most(function):
    '''How many arguments to give at most by position.

    Nobody passes the parameter `k` like that, which is there to keep a value; nor anything to what stands for a
    lambda without parameters.
    '''
    taken = 0
    while isinstance(function, functools.partial):
        taken, function = taken + len(function.args), function.func
    if isinstance(function, (types.FunctionType, types.MethodType)):
        code = function.__code__
        taken += isinstance(function, types.MethodType)
        if "k" in code.co_varnames[taken:]:
            return code.co_varnames.index("k") - taken
        return 0 if code.co_argcount <= taken and not code.co_flags & 4 else 9
    if isinstance(function, operator.itemgetter):
        return 0 if taken else 9
    return 0 if isinstance(function, type) and function.__module__ != "program" else 9


def call(kept):
    for each in list(kept):
        for given in ((), (1,), (2, 3), ([4, 5],), (1, 2, 3)):
            if len(given) <= most(each):
                attempt(each, *given)
        if most(each) > 0:
            attempt(each, n=2)
            attempt(each, 1, b=2)
            attempt(each, 1, extra=2)
    show("kept", len(kept))


class Ctx:
    def __init__(self, value):
        self.value = value

    def __enter__(self):
        return self.value

    def __exit__(self, *error):
        return False


class Process:
    '''Calls its target at once, as a test would under fork with nothing shared.'''

    def __init__(self, target, args=()):
        self.target, self.args = target, args

    def start(self):
        try:
            self.target(*self.args)
        except Exception:
            pass
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
                if self.chance(3):
                    self.subclass(index)
            else:
                self.maker(index)
            if self.chance(4):
                self.module_statement(index)
        body = "\n".join(self.lines) + "\n"
        if self.chance(6):
            body = re.sub(r"^(?: {4})+", lambda found: "\t" * (len(found[0]) // 4), body, flags=re.MULTILINE)
        text = HEADER + body + FOOTER
        return text.replace("\n", "\r\n") if self.chance(12) else text

    def maker(self, index: int) -> None:
        names = ["a", "b"][: 1 + self.pick(2)]
        default = self.one(["", "", "=2"])
        self.lines += ["", "", f"def make_{index}({', '.join(names)}{default}):"]
        if self.chance(12):
            self.lines += ["    global SCALE", "    SCALE = 4"]
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

    def subclass(self, index: int) -> None:
        """A class whose methods have the names of those of its base."""
        self.lines += ["", "", f"class Sub{index}(Thing{index}):", "    def go_0(self, a, b=5):"]
        self.block(2, {"a", "b"}, set(), True, "go_0")
        self.lines.append("        " + self.one(["return super().go_0(a)", "return self.fn", "return a"]))
        self.lines += ["", "    @classmethod", "    def build(cls, a):"]
        self.lines.append("        " + self.one(["keep(lambda: cls(a).a)", "keep(lambda n: (cls.__name__, n, a))"]))
        self.block(2, {"a"}, set(), False, "build")
        self.lines += ["", "", f"sub = Sub{index}(3) if attempt(Sub{index}, 3) != 'NameError' else None"]
        self.lines += ["attempt(lambda: sub.go_0(2))", f"attempt(Sub{index}.build, 2)"]

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
        kind = self.pick(36)
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
        elif kind >= 26:
            self.rare(depth, pad, names, functions, me, home)
        else:
            add(f"{pad}{self.sink(names, functions, me)}")

    def rare(self, depth: int, pad: str, names: set[str], functions: set[str], me: bool, home: str) -> None:  # noqa: C901  (a table of statements, one branch each)
        """What one meets seldom: other loops and scopes, deletions, generators, coroutines, functions as values."""
        add = self.lines.append
        name, other, function = self.one(NAMES), self.one(NAMES), self.one(FUNCTION_NAMES)
        read = self.one(sorted(names)) if names else "LIMIT"
        made = self.lambda_(names, functions, me)
        kind = self.pick(30)
        if kind == 0 and depth < 5:
            turn = f"turn_{len(self.lines)}"  # nothing else binds it, or the loop might not end
            add(f"{pad}{turn} = 0\n{pad}while ({name} := {turn}) < 2:\n{pad}    {turn} += 1")
            names.add(name)
            self.block(depth + 1, names, functions, me, home)
        elif kind == 1 and depth < 5:
            add(f"{pad}match {read}:")
            add(f"{pad}    case [{name}, *{other}x]:")
            self.block(depth + 2, names | {name}, functions, me, home)
            add(f"{pad}    case {name}:")
            names.add(name)
            self.block(depth + 2, names, functions, me, home)
        elif kind == 2:
            add(f"{pad}try:\n{pad}    raise ValueError(1)\n{pad}except ValueError as {name}:")
            add(f"{pad}    keep(lambda n: (str({name}), n))\n{pad}    {other} = {name}.args")
            names.add(other)
        elif kind == 3:
            add(f"{pad}def {function}(n, call={self.lambda_(names, functions, me)}):")
            add(f"{pad}    return attempt(call, n)")
            functions.add(function)
        elif kind == 4:
            add(f"{pad}@{self.one(['keep', 'wrapping', 'functools.lru_cache', '(lambda given: given)'])}")
            add(f"{pad}def {function}(n=1):\n{pad}    return {self.value(names | {'n'}, functions, me, True)}")
            functions.add(function)
        elif kind == 5:
            add(f"{pad}keep(*{{i: lambda n: (n, i, {read}) for i in range(2)}}.values())")
        elif kind == 6:
            add(f"{pad}keep(*(lambda n: (n, {name}, {read}) for {name} in [1, 2]))")
        elif kind == 7:
            add(f"{pad}keep(*[lambda: i + j for i in [1, 2] for j in range(i)])")
        elif kind == 8:
            add(f"{pad}[keep(lambda n: (n, {name})) for i in range(2) if ({name} := i + 1)]")
            names.add(name)
        elif kind == 9:
            add(f"{pad}class Local:\n{pad}    factor = LIMIT\n{pad}    table = {{'x': lambda n: n + 1}}")
            add(f"{pad}    shift = lambda self, n, k=factor: n + k")
            add(f"{pad}    class Inner:\n{pad}        def go(self, n=1):")
            add(f"{pad}            return attempt(keep(lambda m=2: (m, n, self is None)))")
            add(f"{pad}    def go(self, n=1):\n{pad}        return attempt(keep(lambda: (n, self.factor)))")
            add(f"{pad}keep(Local().go, Local.Inner().go, Local.table['x'], Local().shift)")
        elif kind == 10 and not me:
            add(f"{pad}yield keep({made})")
        elif kind == 11:
            add(f"{pad}async def {function}(n{self.one(['', '=1', ', k=LIMIT'])}):\n{pad}    return (n, {read})")
            functions.add(function)
        elif kind == 12:
            add(f"{pad}keep(functools.partial({made}, 1))")
        elif kind == 13:
            add(f"{pad}show(f'{{(lambda: {read})()}}')")
        elif kind == 14:
            add(f"{pad}attempt(lambda: list(map({made}, [1, 2])))")
        elif kind == 15 and functions:
            function = self.one(sorted(functions))
            add(f"{pad}{self.one([f'{function}.tag = 1', f'del {function}', f'show(callable({function}))'])}")
        elif kind == 16:
            add(f"{pad}if {self.one(['LIMIT > 5', read])}:\n{pad}    return {made if not me else None}")
        elif kind == 17 and me:
            add(f"{pad}me = self\n{pad}keep(lambda n: (n, me.a))")
            add(f"{pad}{self.one(['pass', 'me = None', 'self.a = 8', 'self = Ctx(5); self.a = 6'])}")
        elif kind == 18:
            add(f"{pad}keep(len, **{{'fn': {made}}})")
        elif kind == 19:
            add(f"{pad}{function}, {name} = {made}, lambda n: n")
            functions |= {function}
        elif kind == 20:
            add(f"{pad}{function} = {self.one(['g', 'h', 'last'])} = {made}\n{pad}keep({function})")
            functions.add(function)
        elif kind == 21:
            add(f"{pad}table = {{}}\n{pad}table['row'] = {made}\n{pad}keep(table['row'])")
        elif kind == 22:
            add(f"{pad}def {function}(n=1):\n{pad}    def up():\n{pad}        nonlocal n\n{pad}        n = [n, 1]")
            add(f"{pad}        return n\n{pad}    return [up(), up(), n, {read}]\n{pad}keep({function})")
            functions.add(function)
        elif kind == 23:
            add(f"{pad}def {function}(n=1, seen=[]):\n{pad}    seen.append(n)\n{pad}    return len(seen)")
            functions.add(function)
        elif kind == 24:
            add(f"{pad}{function}: 'object' = {made}")
            functions.add(function)
        elif kind == 25:
            add(f"{pad}def {function}(n=1): {name} = n; return [{name}, {read}]")
            functions.add(function)
        elif kind == 26:
            add(f"{pad}# above\n\n{pad}# still above\n{pad}{function} = \\\n{pad}    {made}\n{pad}keep({function})")
            functions.add(function)
        elif kind == 27:
            add(f"{pad}def {function}(n=1):\n{pad}    return {function}(n - 1) + 1 if n == 1 else 0")
            add(f"{pad}keep({function}, lambda n: ({function}(n), {read}))")
            functions.add(function)
        elif kind == 28:
            add(f"{pad}def {function}(n=1):\n{pad}    def {function}(m):\n{pad}        return (m, n, {read})")
            add(f"{pad}    return keep({function})(n)\n{pad}keep({function})")
            functions.add(function)
        else:
            add(f"{pad}def {function}(\n{pad}    n=1,  # how many\n{pad}    *rest\n{pad}):")
            add(f"{pad}    # type: (...) -> int")
            add(f"{pad}    return [n, {read}]\n{pad}keep({function})")
            functions.add(function)

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
