"""Functions that replace what they are told to: `def profile(module, name): setattr(module, name, wrapper)`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ....project import Project
from ....questions import asked
from ....syntax.callees import Callees
from ....syntax.outline import Outline

if TYPE_CHECKING:
    from ..starts.process_starts import Starts
    from .changed_settings import Place

_SETS = re.compile(r"^([ \t]+)setattr\([ \t]*[A-Za-z_]\w*[ \t]*,[ \t]*[A-Za-z_]\w*[ \t]*,", re.MULTILINE)
_LINES = re.compile(rf"^([ \t]*)def[ \t]+(\w+)|{_SETS.pattern}", re.MULTILINE)


@asked
def patching_functions(project: Project) -> tuple[str, ...]:
    """Names of functions that call `setattr` with names of variables, by a look at the text."""
    found = {name for source in project.matching(_SETS, words=("setattr",)) for name in _patching(source.text)}
    return tuple(sorted(found))


def _patching(text: str) -> Iterator[str]:
    """The names of the functions of a file that such calls stand in, as their indentation says."""
    above: list[tuple[int, str]] = []  # the functions above a line, each further in than the one before
    for indent, name, within in _LINES.findall(text):
        if name:
            above = [each for each in above if each[0] < len(indent)] + [(len(indent), name)]
        else:
            yield from [each for at, each in above if at < len(within)][-1:]


def names_patched(project: Project, path: str, text: str) -> set[str]:
    """The names that calls of such functions are given as texts, by a look at the text of a file."""
    functions = project.words_among(path, frozenset(patching_functions(project)))
    calls = (re.compile(rf"{name}(?<!\w{name})\([^\n]{{0,300}}?['\"](\w+)['\"]") for name in functions)
    return {name for each in calls for name in each.findall(text)}


def patched_by(project: Project, callees: Callees, outline: Outline) -> Iterator[tuple[ast.Call, ast.expr, str]]:
    """The calls of the file that have something replaced: with that whose attribute it is, and its name."""
    for call in (call for each in patching_functions(project) for call in outline.calls_of(each)):
        found = callees.called(outline, call)
        for base, name in _parameters(*found[:2]) if found is not None else ():
            given = _given(found[1].args, call, found[2]) if found is not None else {}
            text = given.get(name)
            if base in given and isinstance(text, ast.Constant) and isinstance(text.value, str):
                yield call, given[base], text.value


def _parameters(outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef) -> Iterator[tuple[str, str]]:
    """The parameters of the function that its calls of `setattr` get."""
    names = {each.arg for each in (*function.args.posonlyargs, *function.args.args, *function.args.kwonlyargs)}
    for node in outline.own(function):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "setattr":
            both = [each.id for each in node.args[:2] if isinstance(each, ast.Name)]
            if len(both) == 2 and names.issuperset(both):
                yield both[0], both[1]


def _given(arguments: ast.arguments, call: ast.Call, bound: int) -> dict[str, ast.expr]:
    """The arguments of the call by the parameters that they go to, up to the first with a star."""
    positional = [each.arg for each in (*arguments.posonlyargs, *arguments.args)][bound:]
    plain = call.args
    if any(isinstance(each, ast.Starred) for each in plain):
        plain = []
    return {
        **dict(zip(positional, plain, strict=False)),
        **{word.arg: word.value for word in call.keywords if word.arg},
    }


def put_back(starts: Starts, change: Place, changes: Sequence[Place]) -> Sequence[Place]:
    """The change and the one that undoes it, where no process is started in between.

    `old = patch(lib, "step"); ...; unpatch(lib, "step", old)` in one block.
    """
    outline, statement = change.outline, change.outline.statement(change.node)
    name = statement.targets[0] if isinstance(statement, ast.Assign) and statement.value is change.node else None
    block = getattr(outline.parents[statement], "body", []) if isinstance(name, ast.Name) else []
    for other in changes if statement in block else ():
        undoes = outline.statement(other.node)
        given = other.node.args if isinstance(other.node, ast.Call) and undoes in block else []
        if any(isinstance(each, ast.Name) and outline.only_value(each) is change.node for each in given):
            between = block[block.index(statement) + 1 : block.index(undoes)]
            return () if starts.in_block(outline, between, begins=True) is not None else (change, other)
    return ()
