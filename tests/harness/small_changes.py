"""Small changes of a Python file, one at a time: neighbours of a program that people write."""

from __future__ import annotations

import ast
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

_SIMPLE = (ast.Assign, ast.AnnAssign, ast.AugAssign, ast.Expr, ast.Return, ast.Import, ast.ImportFrom, ast.Delete)
_COMPOUND = (ast.If, ast.For, ast.With, ast.Try, ast.While)
_DEFINED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)

# What follows the statement that binds a name: every one is another use of the value.
_USES = (
    "print({})", "{}.extra = 1", "{}.clear()", "spare = {}", "del {}", "{} = None", "print({} == 1)", "{}.update({{}})",
    "assert isinstance({}, dict)", "print({}.__name__)", "import pickle; pickle.dumps({})", "print(vars({}))",
    "globals()['other'] = {}", "held = [{}]", "print(getattr({}, 'name', None))", "{}()", "spare = lambda: {}",
    "setattr({}, 'extra', 1)", "spare = [{} for _ in range(2)]", "{}[0] = 1", "for _ in {}: pass", "with {}: pass",
    "{} += 1", "print(len({}), *{})", "print({} is None, id({}))", "from copy import deepcopy; spare = deepcopy({})",
    "spare, other = {}, 2", "type({}).extra = 1", "print(f'{{{}}}', {}.__dict__)", "print({}.name, {}.close())",
)  # fmt: skip
_AROUND = (
    "if __file__:\n{}", "if __debug__ and not __file__:\n{}", "try:\n{}\nfinally:\n    pass", "for _ in range(2):\n{}",
    "try:\n{}\nexcept (ImportError, OSError):\n    pass", "with open(__file__):\n{}", "while True:\n{}\n    break",
    "if __name__ == '__main__':\n{}", "if not __file__:\n    pass\nelse:\n{}", "# a remark\nif True:\n{}",
)  # fmt: skip
_VALUES = (
    "({} if __file__ else None)", "({} or None)", "[{}][0]", "(spare := {})", "dict(value={})['value']",
    "(lambda: {})()",
    "({}, None)[0]", "(None or {})", "[{}]", "{{'value': {}}}", "({}  # a remark\n)", "({} and {})",
    "(None if __file__ else {})",
    "list([{}])", "__import__('copy').copy({})", "({}\n)",
)  # fmt: skip
_MEMBERS = (
    "__slots__ = ('a', 'b')",
    "def __getstate__(self): return self.__dict__.copy()",
    "extra = 1",
    "def __setstate__(self, state): self.__dict__.update(state)",
    "def __reduce__(self): return object, ()",
    "def __getattr__(self, name): return None",
    "def __del__(self): pass",
    "def __eq__(self, other): return True",
    "def __setattr__(self, name, value): object.__setattr__(self, name, value)",
    "def __call__(self): return 1",
    "def __deepcopy__(self, memo): return self",
    "def __init_subclass__(cls): pass",
    "def close(self): pass",
    "def __enter__(self): return self",
    "def reset(self): self.__dict__.clear()",
    "def __getstate__(self):\n    state = self.__dict__.copy()\n    state.pop('file', None)\n    return state",
    "def __new__(cls, *args): return object.__new__(cls)",
)
_BODIES = (
    "(lambda: {})()", "[{} for _ in (1,)]", "(found := {})", "(yield {})", "print({})", "({}, __name__)",
    "{} or locals()", "(*[{}],)",
)  # fmt: skip
_MODULE = (
    "\n\nprint({})\n", "\n\n{}.extra = 1\n", "\n\nglobals()['{}']()\n", "\n\n__all__ = ['{}']\n", "\n\ndel {}\n",
    "\n\n{} = print({})\n", "\n\n\nclass Other({}):\n    pass\n", "\n\nother = {}\n\n\ndef {}():\n    pass\n",
)  # fmt: skip


@dataclass(frozen=True)
class Variant:
    """The characters `start:end` of `path` replaced by `text`."""

    path: str
    line: int
    kind: str
    start: int
    end: int
    text: str

    @property
    def name(self) -> str:
        """What a line of the stored text begins with."""
        return f"{self.path}:{self.line} {self.kind}"

    def apply(self, source: str) -> str:
        return source[: self.start] + self.text + source[self.end :]


class _Places:
    """Offsets of a text's nodes."""

    def __init__(self, path: str, source: str) -> None:
        self.path, self.source = path, source
        self.lines = source.splitlines(keepends=True)
        self.starts = [0]
        for line in self.lines:
            self.starts.append(self.starts[-1] + len(line))

    def offset(self, line: int, column: int) -> int:
        return self.starts[line - 1] + len(self.lines[line - 1].encode()[:column].decode())

    def span(self, node: ast.expr | ast.stmt | ast.keyword) -> tuple[int, int]:
        first = min([node.lineno, *(each.lineno for each in getattr(node, "decorator_list", ()))])
        column = node.col_offset
        return self.offset(first, column - (first < node.lineno)), self.offset(
            node.end_lineno or 0, node.end_col_offset or 0
        )

    def text(self, node: ast.expr | ast.stmt | ast.keyword) -> str:
        start, end = self.span(node)
        return self.source[start:end]

    def variant(self, node: ast.expr | ast.stmt, kind: str, text: str) -> Variant:
        return Variant(self.path, node.lineno, kind, *self.span(node), text)

    def block(self, node: ast.stmt, shape: str) -> str:
        """`shape` with the statement in it, indented as deep as it stands."""
        inside = textwrap.indent(textwrap.dedent(" " * node.col_offset + self.text(node)), "    ")
        return textwrap.indent(shape.replace("{}", inside), " " * node.col_offset).lstrip(" ")

    def behind(self, node: ast.stmt, statement: str) -> str:
        return f"{self.text(node)}\n{' ' * node.col_offset}{statement}"


def _of_statement(places: _Places, node: ast.stmt, following: ast.stmt | None) -> Iterator[Variant]:
    docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    if docstring or isinstance(node, ast.Pass) or "\\\n" in places.text(node):
        return
    yield places.variant(node, "left out", "pass")
    if isinstance(node, _SIMPLE + _COMPOUND):
        yield places.variant(node, "twice", places.behind(node, places.text(node)))
    if isinstance(node, (*_SIMPLE, *_DEFINED)) and '"""' not in places.text(node):
        for number, shape in enumerate(_AROUND):
            yield places.variant(node, f"inside {number}", places.block(node, shape))
    if following is not None and isinstance(node, _SIMPLE) and isinstance(following, _SIMPLE):
        start, end = places.span(node)[0], places.span(following)[1]
        between = places.source[places.span(node)[1] : places.span(following)[0]]
        swapped = places.text(following) + between + places.text(node)
        yield Variant(places.path, node.lineno, "after the next", start, end, swapped)
    bound: list[ast.expr] = []
    if isinstance(node, ast.Assign):
        bound = [each for each in node.targets if isinstance(each, (ast.Name, ast.Attribute))]
        target = node.targets[0]
        if len(node.targets) == 1:
            value = places.text(node.value)
            yield places.variant(node, "with another target", f"another = {places.text(node)}")
            if bound:
                yield places.variant(node, "annotated", f"{places.text(target)}: object = {value}")
                yield places.variant(node, "as a pair", f"{places.text(target)}, _ = {value}, 0")
                yield places.variant(node, "by another name", f"first = {value}; {places.text(target)} = first")
    if isinstance(node, ast.With):
        bound = [each.optional_vars for each in node.items if isinstance(each.optional_vars, ast.Name)]
    for each in bound:
        for number, use in enumerate(_USES):
            text = places.behind(node, use.format(*[places.text(each)] * use.count("{}")))
            yield places.variant(node, f"then use {number}", text)
    if isinstance(node, ast.If):
        test = places.text(node.test)
        yield places.variant(node.test, "the other way", f"not ({test})")
        yield places.variant(node.test, "and more", f"({test}) and __file__")
        yield places.variant(node.test, "or more", f"({test}) or __debug__")
        if not node.orelse:
            last = f"{places.text(node)}\n{' ' * node.col_offset}else:\n{' ' * node.col_offset}    print('else')"
            yield places.variant(node, "with an else", last)
    if isinstance(node, _DEFINED):
        yield from _of_definition(places, node)


def _of_definition(places: _Places, node: ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) -> Iterator[Variant]:
    pad = " " * node.col_offset
    body = node.body[0]
    for mark in ("@print", "@__import__('functools').lru_cache", "@staticmethod", "@property", "@classmethod"):
        yield places.variant(node, f"under {mark}", f"{mark}\n{pad}{places.text(node)}")
    if node.decorator_list:
        start = places.offset(node.lineno, node.col_offset)
        first = places.span(node)[0]
        yield Variant(places.path, node.lineno, "without decorators", first, start, "")
    inner = " " * body.col_offset
    if isinstance(node, ast.ClassDef):
        for number, text in enumerate(_MEMBERS):
            text = textwrap.indent(text, inner).lstrip(" ")
            yield places.variant(body, f"with member {number}", f"{text}\n\n{inner}{places.text(body)}")
    elif body is not node.body[-1]:
        yield places.variant(body, "asks for locals", f"print(locals())\n{inner}{places.text(body)}")
        yield places.variant(body, "yields", f"yield None\n{inner}{places.text(body)}")
        yield places.variant(body, "may return early", f"if not __file__: return None\n{inner}{places.text(body)}")
    if not node.col_offset:
        end = len(places.source)
        for number, text in enumerate(_MODULE):
            added_text = text.format(*[node.name] * text.count("{}"))
            yield Variant(places.path, node.lineno, f"at the end {number}", end, end, added_text)


def _of_expression(places: _Places, node: ast.expr) -> Iterator[Variant]:
    text = places.text(node)
    if isinstance(node, (ast.Call, ast.Lambda, ast.Attribute, ast.Dict, ast.List)) and isinstance(
        getattr(node, "ctx", ast.Load()), ast.Load
    ):
        for number, shape in enumerate(_VALUES):
            if ("'" in text or '"' in text or "\n" in text) and "remark" in shape:
                continue
            yield places.variant(node, f"as value {number}", shape.format(*[text] * shape.count("{}")))
    if isinstance(node, ast.Call):
        for at, argument in enumerate([*node.args, *(each.value for each in node.keywords)]):
            yield places.variant(argument, f"argument {at} is None", "None")
        if node.args:
            parts = [*map(places.text, node.args), *map(places.text, node.keywords)]
            function = places.text(node.func)
            yield places.variant(node, "without the first", f"{function}({', '.join(parts[1:])})")
            yield places.variant(node, "without the last", f"{function}({', '.join(parts[:-1])})")
            yield places.variant(node, "starred", f"{function}(*[{parts[0]}], {', '.join(parts[1:])})")
            yield places.variant(node, "one more", f"{function}({', '.join([*parts, 'extra=1'])})")
            yield places.variant(node, "with all options", f"{function}({', '.join([*parts, '**{}'])})")
        for keyword in node.keywords:
            if keyword.arg is not None:
                start, end = places.span(keyword)
                other = f"{keyword.arg}_={places.text(keyword.value)}"
                yield Variant(places.path, node.lineno, f"{keyword.arg} by another name", start, end, other)
    if isinstance(node, ast.Constant) and text != "...":
        value = node.value
        others: tuple[object, ...] = ()
        if isinstance(value, bool):
            others = (not value,)
        elif isinstance(value, int):
            others = (0, value + 1, None)
        elif isinstance(value, str):
            others = (value + "_", "")
        elif value is None:
            others = (1,)
        for replaced in others:
            yield places.variant(node, f"constant {str(replaced)[:12]!r}", repr(replaced))
    if isinstance(node, ast.Lambda):
        default = (":", ", _extra=1:") if node.args.args else ("lambda", "lambda _extra=1, *_more, **_rest")
        yield places.variant(node, "with a default", text.replace(*default, 1))
        body = places.text(node.body)
        for number, shape in enumerate(_BODIES):
            yield places.variant(node.body, f"lambda body {number}", shape.format(body))
    if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
        yield places.variant(node, "another attribute", f"{text}_")
    if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
        yield places.variant(node, "another name", f"{text}_")
    if isinstance(node, ast.Compare) and len(node.ops) == 1:
        yield places.variant(node, "negated", f"(not {text})")


def _of_classes(places: _Places, node: ast.ClassDef) -> Iterator[Variant]:
    for at, base in enumerate(node.bases):
        yield places.variant(base, f"base {at} is object", "object")
        yield places.variant(base, f"base {at} is unknown", f"getattr({places.text(base)}, 'x')")
        yield places.variant(base, f"base {at} and Exception", f"{places.text(base)}, Exception")


def variants_of(path: str, source: str) -> Iterator[Variant]:
    """Every variant of one file that is still Python."""
    try:
        tree = ast.parse(source)
    except SyntaxError:
        return
    places = _Places(path, source)
    todo: list[ast.AST] = [tree]
    while todo:
        node = todo.pop()
        if isinstance(node, ast.JoinedStr):
            continue
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                for at, statement in enumerate(block):
                    yield from _of_statement(places, statement, block[at + 1] if at + 1 < len(block) else None)
        if isinstance(node, ast.ClassDef):
            yield from _of_classes(places, node)
        if isinstance(node, ast.expr):
            yield from _of_expression(places, node)
        todo += reversed([*ast.iter_child_nodes(node)])
