"""Calls that are tried: where one of them fails to pickle or copy something, the program goes another way."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ..nodes import walk
from ..project import Project
from ..questions import asked
from .names import last_name
from .outline import Outline
from .repo import Repo
from .resolver import FUNCTIONS, Function

_REFUSALS = frozenset(("TypeError", "AttributeError", "PicklingError", "PickleError", "Exception", "BaseException"))
_ENDS = frozenset(("exit", "_exit", "abort", "fail", "quit"))
_SUPPRESS = "suppress"
_TEST = re.compile(r"(?:^|/)tests?/|(?:^|/)(?:test_[^/]*|conftest)\.py$")
_TEST_FUNCTION = re.compile(r"^[ \t]*def test_", re.MULTILINE)
_LATER, _RESULTS = ("submit", "apply_async", "map_async", "starmap_async"), ("result", "get")
WOULD_NOT_FAIL = "with this fix it would not fail"
_DEPTH = 2  # functions around the call whose callers are looked at


class Tries:
    """Answers for one run over a repository."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo
        self._around: dict[tuple[str, int], str | None] = {}  # by name of a function and depth, see `_of_callers`

    def other_way(self, place: str) -> str | None:
        """`path:line` of where the program goes on where a call at `place` (also `path:line`) refuses to pickle."""
        path, _, line = place.rpartition(":")
        outline = self.repo.outline(path)
        for call in _calls_on(outline, int(line)) if outline is not None else ():
            if outline is not None and (handler := self._handler(outline, call, 0)) is not None:
                return handler
            if outline is not None and last_name(call.func) in _LATER and (handler := self._of_result(outline, call)):
                return handler
        return None

    def goes_another_way(self, probe: str, place: str) -> bool:
        """The program comes to the call at `place` only where the one at `probe` did not fail.

        Both are `path:line`. They stand in one function, or a test around the second asks the function of the first:
        `if can_send(job): pool.apply(job)`. Or it asks a variable: `sendable = True` where the first did not fail, and
        `sendable = False` where it did; `sendable = can_send(job)`.
        """
        path, _, line = place.rpartition(":")
        where, _, at = probe.rpartition(":")
        here, there = self.repo.outline(path), self.repo.outline(where)
        sent = next(iter(_calls_on(here, int(line))), None) if here is not None else None
        asked = next(iter(_calls_on(there, int(at))), None) if there is not None else None
        if here is None or there is None or sent is None or asked is None:
            return False
        function = there.scope(asked)
        inside = here is there and here.scope(sent) is function
        guards = [each for each in around(there, asked) if isinstance(each, ast.Try)]
        flags = {name for each in guards for name in _flags(each)} if inside else set[str]()

        def asks(test: ast.expr) -> bool:
            """The test is true only where what was asked did not fail."""
            parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
            known = [here.only_value(part) or part if isinstance(part, ast.Name) else part for part in parts]
            called = (last_name(part.func) for part in known if isinstance(part, ast.Call))
            if isinstance(function, FUNCTIONS) and function.name in called:
                return True
            return any(isinstance(part, ast.Name) and part.id in flags for part in parts)

        def asks_not(test: ast.expr) -> bool:
            return isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not) and asks(test.operand)

        def decides(earlier: ast.stmt) -> bool:
            """Behind this statement, what was asked did not fail."""
            if inside and earlier in guards and isinstance(earlier, ast.Try):
                return all(_leaves(handler.body) for handler in earlier.handlers if _catches(handler.type))
            return isinstance(earlier, ast.If) and asks_not(earlier.test) and _leaves(earlier.body)

        inner: ast.AST = sent
        for above in here.ancestors(sent):
            if inside and above in guards and isinstance(above, ast.Try) and inner in (*above.body, *above.orelse):
                return asked.lineno < sent.lineno
            if isinstance(above, ast.If) and inner in above.body and asks(above.test):
                return True
            if isinstance(above, ast.If) and inner in above.orelse and asks_not(above.test):
                return True
            for block in (getattr(above, name, None) for name in ("body", "orelse", "finalbody")):
                earlier = block[: block.index(inner)] if isinstance(block, list) and inner in block else ()
                if any(decides(each) for each in earlier):
                    return True
            if isinstance(above, FUNCTIONS):
                return False
            inner = above
        return False

    def _of_result(self, outline: Outline, call: ast.Call) -> str | None:
        """Where the result is asked for, `pool.submit(work).result()`, and a handler then calls `work` itself."""
        names = {node.id for given in call.args for node in walk(given) if isinstance(node, ast.Name)}
        for place in (each for name in _RESULTS for each in outline.calls_of(name)):
            for above in around(outline, place):
                for handler in above.handlers if isinstance(above, ast.Try) else ():
                    inner = (node for item in handler.body for node in walk(item) if isinstance(node, ast.Call))
                    if _catches(handler.type) and any(last_name(each.func) in names for each in inner):
                        return f"{outline.path}:{handler.lineno}"
        return None

    def caught(self, outline: Outline, node: ast.AST) -> str | None:
        """`path:line` of where the program goes on where what `node` does is refused (TypeError, AttributeError)."""
        return self._handler(outline, node, 0)

    def _handler(self, outline: Outline, call: ast.AST, depth: int) -> str | None:
        """`path:line` of what catches the refusal of `call`, here or around the calls of its function."""
        for above in around(outline, call):
            if isinstance(above, ast.Try):
                for handler in above.handlers:
                    if _catches(handler.type):
                        return None if _passes_on(handler, depth) else f"{outline.path}:{handler.lineno}"
            elif isinstance(above, ast.With):
                if any(_suppresses(item.context_expr) for item in above.items):
                    return f"{outline.path}:{above.lineno}"
            else:
                return self._of_callers(above.name, depth + 1) if depth < _DEPTH else None
        return None

    def _of_callers(self, function: str, depth: int) -> str | None:
        """As `_handler`, around the calls of functions of this name."""
        if (function, depth) not in self._around:
            self._around[function, depth] = next(
                (
                    found
                    for outline in self._callers(function, depth)
                    for call in outline.calls.get(function, ())
                    if (found := self._handler(outline, call, depth)) is not None
                ),
                None,
            )
        return self._around[function, depth]

    def _callers(self, function: str, depth: int) -> Iterator[Outline]:
        """The files with calls of functions of this name; of the outermost callers only those that may catch."""
        name = re.escape(function)
        called = re.compile(rf"{name}(?<!def {name})[\s\\]*\(")  # begins with the name: found many times faster
        project = self.repo.project
        for path in project.paths_matching(called, word=function):
            if _TEST.search(path) is not None and project.holds(path, _TEST_FUNCTION):
                continue  # that a test expects an error is no other way of the program
            outline = self.repo.outline(path) if depth < _DEPTH or _may_catch(project, path) else None
            if outline is not None:
                yield outline


def around(outline: Outline, node: ast.AST) -> Iterator[ast.Try | ast.With | Function]:
    """From the inside out, each `try` whose body holds `node`, each `with`, and at last the function."""
    inner = node
    for above in outline.ancestors(node):
        if isinstance(above, (ast.With, *FUNCTIONS)) or (isinstance(above, ast.Try) and inner in above.body):
            yield above
        if isinstance(above, FUNCTIONS):
            return
        inner = above


@asked
def other_way(project: Project, place: str) -> str | None:
    """As `Tries.other_way`, for a call at one place of a project."""
    return Tries(Repo(project)).other_way(place)


def tried_at(project: Project, call: str) -> str | None:
    """In words, that the program goes another way where the call at `call`, as `path:line`, fails; None elsewhere."""
    handler = other_way(project, call)
    return handler and f"{call} tries to pickle or copy it, and the program goes on at {handler} where that fails"


@asked
def asked_before(project: Project, probe: str, place: str) -> bool:
    """As `Tries.goes_another_way`."""
    return Tries(Repo(project)).goes_another_way(probe, place)


def _flags(guard: ast.Try) -> Iterator[str]:
    """The variables that are set to True behind what is tried, and to False or None where that fails."""
    caught = [handler for handler in guard.handlers if _catches(handler.type)]
    for name, value in _constants([*guard.body, *guard.orelse]):
        if value is True and caught and all((name, False) in _constants(each.body) for each in caught):
            yield name


def _constants(block: list[ast.stmt]) -> list[tuple[str, bool]]:
    return [
        (target.id, bool(item.value.value))
        for item in block
        if isinstance(item, ast.Assign) and isinstance(item.value, ast.Constant)
        for target in item.targets
        if isinstance(target, ast.Name)
    ]


def _leaves(block: list[ast.stmt]) -> bool:
    return isinstance(block[-1], (ast.Return, ast.Raise, ast.Continue, ast.Break))


def _may_catch(project: Project, path: str) -> bool:
    return project.holds(path, "except") or project.holds(path, _SUPPRESS)


def _calls_on(outline: Outline, line: int) -> Iterable[ast.Call]:
    return (node for node in outline.by_line.get(line, ()) if isinstance(node, ast.Call))


def _catches(caught: ast.expr | None) -> bool:
    names = caught.elts if isinstance(caught, ast.Tuple) else [caught]
    return any(name is None or last_name(name) in _REFUSALS for name in names)


def _suppresses(context: ast.expr) -> bool:
    return isinstance(context, ast.Call) and last_name(context.func) == _SUPPRESS and any(map(_catches, context.args))


def _passes_on(handler: ast.ExceptHandler, depth: int) -> bool:
    """The program ends there all the same; farther out, whoever only reports an error has no other way."""
    last = handler.body[-1]
    ends = isinstance(last, ast.Expr) and isinstance(last.value, ast.Call) and last_name(last.value.func) in _ENDS
    if isinstance(last, ast.Raise) or ends:
        return True
    return depth > 0 and all(isinstance(item, (ast.Expr, ast.Pass)) for item in handler.body)
