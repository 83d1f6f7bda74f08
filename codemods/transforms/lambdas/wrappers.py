"""The wrapper that a decorator puts in the place of functions: `functools.wraps` gives it a name that pickle finds."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...finding import Answer, Edit, Fix, Import, Refused
from ...flow.answers.crossing import Crossing
from ...nodes import end_line, walk
from ...project import Project
from ...syntax.binding_rules import FUNCTIONS, FunctionNode
from ...syntax.names import last_name
from ...syntax.placement import indentation_at
from ...syntax.scope_data import line_of, start_of
from .checks.kept_by_wrapper import kept_by
from .file_state import FileRewrite
from .known import Known
from .stdlib_forms import spelled

_INSTEAD = "give the wrapper only the `__module__` and `__qualname__` of what it wraps, by which pickle finds it"
_GAIN = "`functools.wraps` would give it a name that pickle finds"


def wrapped(project: Project, crossing: Crossing, known: Known) -> Answer:
    """`@functools.wraps(function)` on the wrapper, where nothing is seen to read what that changes."""
    module = project.module(crossing.path)
    if module is None:
        return Refused("the file can't be parsed")
    rewrite = FileRewrite(project, crossing.path, module)
    nodes = (node for node in walk(module) if isinstance(node, FUNCTIONS))
    node = next((node for node in nodes if start_of(node) == (crossing.line, crossing.column)), None)
    home = rewrite.scopes.around(node) if node is not None else None
    if node is None or home is None or not isinstance(home.node, FUNCTIONS):
        return Refused("the code at this place can't be found again")
    try:
        _check(project, crossing, known, rewrite, node)
        return _decorated(rewrite, home.node, node)
    except Refused as refused:
        return refused.alone()


def _decorated(rewrite: FileRewrite, decorator: FunctionNode, node: FunctionNode) -> Fix:
    parameters = [*decorator.args.posonlyargs, *decorator.args.args]
    name = parameters[0].arg if parameters else ""
    scope = rewrite.scopes.around(node)
    if not name or len(scope.bindings[name]) != 1:
        raise Refused(f"{_GAIN}, but `{decorator.name}` has no parameter that stays the function")
    found = spelled(rewrite.scopes, rewrite.path, node, "functools", "wraps")
    if found is None:
        raise Refused("`functools` is something else in this file: give the wrapper the name of the function by hand")
    text, imports = found
    indent, start = indentation_at(rewrite.source, node.lineno), rewrite.source.line_starts[node.lineno - 1]
    if rewrite.source.offset(*start_of(node)) != start + len(indent):
        raise Refused(f"{_GAIN}: write it on a line of its own")
    edit = Edit(rewrite.path, start, start, f"{indent}@{text}({name})\n")
    needed: tuple[Import, ...] = tuple(imports)
    return Fix(f"Decorate `{node.name}` with `functools.wraps`", (edit,), needed)


def _check(project: Project, crossing: Crossing, known: Known, rewrite: FileRewrite, node: FunctionNode) -> None:
    """Raises Refused where the name, the documentation or the signature of what is decorated may be read.

    Also where the wrapper keeps something: a worker decorates anew, so that has only what is there then.
    """
    sent = (crossing.trace[-1].path, crossing.trace[-1].line)
    if (kept := kept_by(project, rewrite.scopes, node, sent)) is not None:
        raise Refused(
            f"{_GAIN}, but {kept}: a worker would start without what is in it. Keep that in an object that is sent, "
            "or where no result depends on it"
        )
    around = [above for above in rewrite.scopes.ancestors(node) if isinstance(above, FUNCTIONS)]
    maker = around[-1]
    inside = range(maker.lineno, end_line(maker) + 1)
    for path in project.with_words(("__wrapped__",)):
        raise Refused(f"{_GAIN}, and `__wrapped__`, which {path} reads: {_INSTEAD}")
    for question in known.asked(crossing.path, *start_of(node)):
        raise Refused(f"{_GAIN}, but `{question.what}` is read at {question.path}:{question.line}: {_INSTEAD}")
    shown = {(hop.path, hop.line) for hop in crossing.trace}
    for path, function in _all_decorated(project, maker.name):
        if len(function.decorator_list) != 1:
            what = f"other decorators of `{function.name}` ({path}:{function.lineno})"
            raise Refused(f"{_GAIN}, but {what} may read its own: {_INSTEAD}")
        for question in known.asked(path, *start_of(function)):
            if question.path != crossing.path or question.line not in inside:
                what = f"`{question.what}` of `{function.name}` is read at {question.path}:{question.line}"
                raise Refused(f"{_GAIN}, but {what}: {_INSTEAD}")
        if _bindings(project, path, function.name) != 1:
            raise Refused(f"{_GAIN}, but {path} binds `{function.name}` several times: keep one")
        for at, line in _passed_on(project, function.name):
            if (at, line) not in shown:
                what = f"`{function.name}` is passed on at {at}:{line}, where its own may be read"
                raise Refused(f"{_GAIN}, but {what}: {_INSTEAD}")


def _all_decorated(project: Project, name: str) -> Iterator[tuple[str, FunctionNode]]:
    """What `name` decorates anywhere. Raises Refused where it is used in another way."""
    for path in project.with_words((name,)):
        module = project.module(path)
        decorators: set[ast.AST] = set()
        nodes = list(walk(module)) if module is not None else []
        for node in nodes:
            for decorator in node.decorator_list if isinstance(node, (*FUNCTIONS, ast.ClassDef)) else ():
                called = decorator.func if isinstance(decorator, ast.Call) else decorator
                if last_name(called) == name:
                    decorators.add(called)
                    if not isinstance(node, FUNCTIONS):
                        raise Refused(f"{_GAIN}, but `{name}` decorates a class, too ({path}:{line_of(node)})")
                    yield path, node
        for node in nodes:
            if isinstance(node, (ast.Name, ast.Attribute)) and last_name(node) == name and node not in decorators:
                raise Refused(f"{_GAIN}, but `{name}` is not only a decorator ({path}:{line_of(node)})")


def _bindings(project: Project, path: str, name: str) -> int:
    module = project.module(path)
    nodes = walk(module) if module is not None else ()
    return sum(
        getattr(node, "name", None) == name
        or (isinstance(node, ast.Name) and node.id == name and not isinstance(node.ctx, ast.Load))
        for node in nodes
    )


def _passed_on(project: Project, name: str) -> Iterator[tuple[str, int]]:
    """Where what has this name is used, but not called."""
    for path in project.with_words((name,)):
        module = project.module(path)
        nodes = list(walk(module)) if module is not None else []
        called = {node.func for node in nodes if isinstance(node, ast.Call)}
        for node in nodes:
            if isinstance(node, (ast.Name, ast.Attribute)) and last_name(node) == name and node not in called:
                yield path, line_of(node)
