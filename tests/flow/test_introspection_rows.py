"""Every attribute and function by which a program can look at a function, and look-alikes that look at nothing."""

from __future__ import annotations

from collections.abc import Callable

from codemods.flow.answers.crossings import Flow, flow_of
from codemods.flow.answers.introspection import ON_A_CLASS, Question
from harness.each_row import each_row
from harness.marks import project_of

PROGRAM = """\
import asyncio, copy, dis, functools, inspect, json, threading, types, typing
{top}
def look(other, fn):
    return {asked}

def use(size):
    look(print, lambda x: x + size)
"""
ATTRIBUTES = [
    "__name__",
    "__qualname__",
    "__doc__",
    "__module__",
    "__code__",
    "__defaults__",
    "__kwdefaults__",
    "__globals__",
    "__closure__",
    "__annotations__",
    "__get__",
    "__self__",
    "__func__",
    "__class__",
]
CALLS = [
    "inspect.isfunction",
    "inspect.isroutine",
    "inspect.getsource",
    "inspect.getdoc",
    "inspect.getsourcelines",
    "functools.wraps",
    "types.MethodType",
    "typing.get_type_hints",
    "inspect.ismethod",
    "inspect.getfullargspec",
    "inspect.signature",
    "inspect.getattr_static",
    "type",
    "inspect.getclosurevars",
    "inspect.getcallargs",
    "inspect.get_annotations",
    "inspect.getfile",
    "inspect.getsourcefile",
    "inspect.findsource",
    "inspect.getcomments",
    "inspect.getmodule",
    "inspect.isgeneratorfunction",
    "inspect.iscoroutinefunction",
    "inspect.isasyncgenfunction",
    "asyncio.iscoroutinefunction",
    "dis.dis",
    "dis.disassemble",
    "dis.Bytecode",
    "dis.get_instructions",
    "dis.code_info",
    "dis.show_code",
]


def questions(asked: str, top: str = "", ask: Callable[..., list[Question]] = Flow.asked) -> list[tuple[str, str, int]]:
    """What is asked about the lambda: the attribute or function, the file and the line."""
    text = PROGRAM.format(asked=asked, top=top)
    lines = text.splitlines()
    line = next(at for at, each in enumerate(lines, 1) if "lambda" in each)
    flow = flow_of(project_of({"a.py": text}))
    return [each[:3] for each in ask(flow, "a.py", line, lines[line - 1].index("lambda"))]


@each_row("name", ATTRIBUTES)
def test_attributes_of_functions(name: str) -> None:
    for asked in (f"fn.{name}", f"getattr(fn, '{name}')", f"hasattr(fn, '{name}')", f"getattr(fn, '{name}', None)"):
        assert questions(asked) == [(name, "a.py", 4)], asked
    for asked in (f"other.{name}", f"getattr(other, '{name}')", f"hasattr(fn, 'a{name}')", f"setattr(fn, '{name}', 1)"):
        assert questions(asked) == [], asked


@each_row("name", CALLS)
def test_functions_that_look_at_functions(name: str) -> None:
    assert questions(f"{name}(fn)") == [(name, "a.py", 4)]
    assert questions(f"{name}(other, fn)") == questions(f"{name}()") == questions(f"{name}(1)") == []
    root, _, last = name.rpartition(".")
    if root:
        assert questions(f"{last}(fn)", f"from {root} import {last}") == [(name, "a.py", 4)]
        assert questions(f"json.{last}(fn)") == []


@each_row(
    "asked, what",
    [
        ("functools.update_wrapper(other, fn)", "functools.update_wrapper"),
        ("functools.update_wrapper(fn, other)", ""),
        ("functools.update_wrapper(fn)", ""),
        ("isinstance(fn, types.FunctionType)", "isinstance"),
        ("isinstance(fn, types.LambdaType)", "isinstance"),
        ("isinstance(fn, (str, types.FunctionType))", "isinstance"),
        ("isinstance(fn, (str, (int, types.LambdaType)))", "isinstance"),
        ("isinstance(other, types.FunctionType)", ""),
        ("isinstance(fn, types.MethodType)", ""),
        ("isinstance(fn, (str, int))", ""),
        ("isinstance(fn, str)", ""),
        ("isinstance(fn)", ""),
        ("callable(fn)", ""),
        ("json.dumps(fn)", ""),
    ],
)
def test_one_argument_of_several(asked: str, what: str) -> None:
    assert questions(asked) == ([(what, "a.py", 4)] if what else [])


@each_row(
    "asked, what",
    [
        *(
            (f"{name}({argument})", name)
            for name in ("copy.copy", "repr", "str", "ascii")
            for argument in ("fn", "fn, 1")
        ),
        *((f"{name}({argument})", "") for name in ("copy.copy", "repr", "str") for argument in ("", "1", "other, fn")),
        ("threading.Thread(None, fn)", "threading.Thread"),
        ("threading.Thread(target=fn)", "threading.Thread"),
        ("threading.Thread(None, fn, daemon=True)", "threading.Thread"),
        ("threading.Thread(fn)", ""),
        ("threading.Thread(None, other)", ""),
        ("threading.Thread(None, fn, 'one')", ""),
        ("threading.Thread(target=fn, name='one')", ""),
        ("threading.Thread(target=fn, name=other)", ""),
        ("threading.Thread(args=fn)", ""),
        ("threading.Timer(1, fn)", ""),
        ("copy.deepcopy(fn)", ""),
        ("format(fn)", ""),
    ],
)
def test_what_is_passed_where_it_shows(asked: str, what: str) -> None:
    assert questions(asked, ask=Flow.passed) == ([(what, "a.py", 4)] if what else [])


@each_row(
    ("change", "lines"),
    [
        ("setattr(Box, 'name', fn)", [6]),
        ("setattr(Box, fn)", []),
        ("setattr(*fn)", []),
        ("setattr(Box, 'name', fn, 1)", []),
        ("setattr(Box, 'name', *fn)", []),
        ("setattr(other, 'name', fn)", []),
        ("vars(Box, 'name', fn)", []),
    ],
)
def test_what_is_kept_on_a_class(change: str, lines: list[int]) -> None:
    top = "class Box:\n    pass\n"
    assert [(what, line) for what, _, line in questions(change, top)] == [(ON_A_CLASS, line) for line in lines]
