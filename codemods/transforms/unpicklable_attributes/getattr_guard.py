"""Objects whose `__getattr__` stops pickle: findings of `asked_while_loading.py`, and the guard that helps."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from ...finding import Answer, Confidence, Edit, Finding, Fix, Hop, Refused, Trace
from ...flow.answers.crossings import flow_of
from ...flow.answers.tried import tried
from ...nodes import end_line, walk
from ...syntax.names import dotted
from ...syntax.unpicklable_table import base_methods
from ...tree.source import Source
from .asked_while_loading import ASKED, Asked, binds_getattr, says
from .classes import Shape
from .getattr_run import Failure
from .own_reducers import registered
from .screen import ID
from .search import Search

_COMMENT = "# pickle asks for these while the object has no attributes yet"
_OF_A_DICT = "# pickle asks for these, and expects AttributeError where there are none"


def unpickled_badly(search: Search, path: str, refused: Mapping[tuple[str, int], Finding]) -> Iterator[Finding]:
    """Classes whose objects cross, and stop the process that unpickles them.

    `refused`: by the file and line of a class, what keeps its objects from being pickled, and can't be fixed.
    """
    for shape, asked in search.asked_while_loading(path):
        outline, name = shape.outline, shape.node.name
        confidence, trace = _crossing(search, shape, asked.state)
        source = search.project.source(outline.path)
        if source is None or not trace or not confidence.reaches(search.project.bar_of(outline.path)):
            continue
        message = (
            f"`__getattr__` of `{name}` {_words(shape, asked)}; a worker process under spawn or forkserver stops with "
            f"`{asked.failure.value}`"
        )
        asks = "the empty copy for `__setstate__`" if asked.state == ASKED else f"the object for `{asked.state}`"
        hop = Hop(outline.path, asked.method.lineno, f"pickle asks {asks} here")
        answer: Answer = Refused(_BY_HAND)
        if asked.failure is not Failure.GENERATOR:
            places = ((other.outline.path, other.node.lineno) for other in [shape, *search.family.derived(shape)])
            unsafe = next((reason for place in places if (reason := tried(search.project, *place)) is not None), None)
            whole = isinstance(asked.method, ast.Assign)
            answer = (_in_place if whole else _guard)(source, asked, name, unsafe)
        if refused and (stays := _stays_unpicklable(search, shape, refused)) is not None:
            answer = Refused(stays)
        yield Finding.answered(
            ID, outline.path, source.span_of(_shown(asked)), message, confidence, (hop, *trace), answer
        )


def _stays_unpicklable(search: Search, shape: Shape, refused: Mapping[tuple[str, int], Finding]) -> str | None:
    """What else in the objects can't be pickled, and can't be fixed, in words: the guard alone would help no run."""
    flow = flow_of(search.project)
    first: Finding | None = None
    for other in [shape, *search.family.derived(shape)]:
        place = other.outline.path, other.node.lineno
        if flow.instances(*place) is None:
            continue
        found = next((refused[each] for each in (place, *flow.classes_within(*place)) if each in refused), None)
        if found is None:
            return None
        first = first or found
    if first is None:
        return None
    what = f"{first.path}:{first.span.line} can't be fixed, so the object could still not be pickled"
    return f"{what}: {first.reason}"


_BY_HAND = (
    "it is a generator for every name; let it raise AttributeError for names that it does not know, and return what a "
    "generator method of another name gives"
)


def _shown(asked: Asked) -> ast.AST:
    """What the report points at: the expression, or the name of a method that ends without a value."""
    if isinstance(asked.method, ast.Assign) or asked.node is not asked.method:
        return asked.node
    return asked.method.args.args[-1] if asked.method.args.args else asked.node


def _words(shape: Shape, asked: Asked) -> str:
    if asked.failure is Failure.ENDLESS:
        return f"reads `self.{asked.attribute}`, which a copy does not have yet while it is unpickled, and calls itself"
    if asked.state != ASKED:
        what = "gives None" if asked.failure is Failure.NONE else "raises no AttributeError"
        return f"{what} for `{asked.state}`, which pickle asks for before Python 3.11"
    if asked.failure is Failure.KEY:
        return "raises no AttributeError for `__setstate__`, which pickle asks for while a copy is unpickled"
    if asked.failure is Failure.GENERATOR:
        return "gives a generator for `__setstate__`, which pickle asks for and calls while a copy is unpickled"
    return "gives None for `__setstate__`, which pickle asks for and calls while a copy is unpickled"


def _crossing(search: Search, shape: Shape, state: str) -> tuple[Confidence, Trace]:
    """The best that is known of objects of the class, and of those below it that have nothing to say about it."""
    best: tuple[Confidence, Trace] = (Confidence.POSSIBLE, ())
    for other in [shape, *search.family.derived(shape)]:
        decides = says(search.family, other, state) or registered(search.family, other) is not None
        holds = state != ASKED and _makes(other, shape)  # as one of its items
        if decides or (other is not shape and binds_getattr(other) and not holds):
            continue
        found = flow_of(search.project).instances(other.outline.path, other.node.lineno)
        if found is not None and (not best[1] or found.confidence.rank > best[0].rank):
            unknown = any(base_methods(name) is None for name in search.family.foreign(other))
            best = (Confidence.POSSIBLE if unknown else found.confidence, found.trace)
    return best


def _makes(holder: Shape, shape: Shape) -> bool:
    """The body of a class makes objects of the other."""
    return any(isinstance(node, ast.Call) and dotted(node.func) == shape.node.name for node in walk(holder.node))


def _guard(source: Source, asked: Asked, owner: str, unsafe: str | None) -> Answer:
    """Two lines at the start of the method; only what pickle asks of an empty object is answered otherwise."""
    assert not isinstance(asked.method, ast.Assign)
    first = asked.method.body[0]
    documented = isinstance(first, ast.Expr) and isinstance(first.value, ast.Constant)
    if documented and len(asked.method.body) > 1:
        first = asked.method.body[1]
    indent = source.line_text(first.lineno)[: first.col_offset]
    if indent.strip():
        return Refused(
            f"it stands on one line; write it on several, and raise AttributeError for `{asked.state}` first"
        )
    outer = source.line_text(asked.method.lineno)[: asked.method.col_offset]
    step = indent[len(outer) :] if indent.startswith(outer) else "    "
    name = [*asked.method.args.posonlyargs, *asked.method.args.args][1].arg
    start = source.line_starts[first.lineno - 1]
    text = "".join(f"{indent}{line}\n" for line in _test(asked, name, step))
    return Fix(_title(owner), (Edit(source.path, start, start, text),), unsafe=unsafe)


def _in_place(source: Source, asked: Asked, owner: str, unsafe: str | None) -> Answer:
    """A method in place of `__getattr__ = dict.get`."""
    statement = asked.method
    assert isinstance(statement, ast.Assign)
    outer = source.line_text(statement.lineno)[: statement.col_offset]
    if outer.strip() or source.line_text(statement.lineno).rstrip()[statement.end_col_offset :].strip(" \t;"):
        return Refused(
            f"other text stands on its line; make it a method that raises AttributeError for `{asked.state}`"
        )
    step = "\t" if "\t" in outer else "    "
    lines = ["def __getattr__(self, name):"]
    lines += [step + line for line in _test(asked, "name", step)]
    lines.append(f"{step}return {ast.unparse(statement.value)}(self, name)")
    text = "".join(f"{outer}{line}\n" for line in lines)
    before, last = source.line_text(statement.lineno - 1), end_line(statement)
    after = source.line_text(last + 1) if last < len(source.line_starts) else ""
    if before.strip() and not before.rstrip().endswith(":"):
        text = "\n" + text
    if after.startswith(outer) and after.strip():
        text += "\n"
    start = source.line_starts[statement.lineno - 1]
    end = source.line_starts[last] if last < len(source.line_starts) else len(source.text)
    return Fix(_title(owner), (Edit(source.path, start, end, text),), unsafe=unsafe)


def _test(asked: Asked, name: str, step: str) -> list[str]:
    comment = _COMMENT if asked.state == ASKED else _OF_A_DICT
    return [comment, f'if {name} in ("__getstate__", "__setstate__"):', f"{step}raise AttributeError({name})"]


def _title(owner: str) -> str:
    return f"Let `__getattr__` of `{owner}` say that it has no state methods"
