"""Whether the main process makes a change before it starts the workers that might see it."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

from ....finding import Hop
from ....nodes import walk
from ....syntax.branches import no_one_run
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.outline import Outline
from ..starts.command_lines import is_chosen_alone
from ..starts.start_lines import may_precede
from .run_twice import is_run_twice

if TYPE_CHECKING:
    from .changed_settings import Place, Search

_MAX_DEPTH = 5
_MAX_CALLS = 20  # of the functions that come to a start of workers


def precedes(search: Search, change: Place, sent: Hop) -> bool:
    """The change may be made before the worker is started, and before each call that comes to that."""
    if _by_another_command(search, change, sent):
        return False
    begins = [sent]
    for _ in range(_MAX_DEPTH):
        if not any(_may_be_before(search, change, each, called=each is not sent) for each in begins):
            return False
        above = list(dict.fromkeys(hop for each in begins for hop in _called_from(search, each)))
        if above == begins or len(above) > _MAX_CALLS:
            break
        begins = above
    return True


def _by_another_command(search: Search, change: Place, sent: Hop) -> bool:
    """Only one command makes the change, and only another starts the worker: a command line runs one of them."""
    makes = _commands(search, change.outline, change.outline.scope(change.node))
    outline = search.repo.outline(sent.path) if makes else None
    calls = outline.by_line.get(sent.line, ()) if outline is not None else ()
    if outline is None or not calls:
        return False
    starts = _commands(search, outline, outline.scope(calls[0]))
    return bool(starts) and starts.isdisjoint(makes)


def _commands(search: Search, outline: Outline, scope: ast.AST) -> set[Function]:
    """The commands that come to the function; none where other code does as well, or nobody is seen to."""
    found, todo, called = set[Function](), [(outline, scope)], search.called
    for where, function in todo:  # grows as it goes
        if not isinstance(function, FUNCTIONS) or len(todo) > _MAX_CALLS:
            return set()
        chosen = {call for _, call in called.by_command_line(where, function)}
        others = [(caller, call) for caller, call in called.of(where, function) if call not in chosen]
        if not (chosen or others):
            return set()
        if chosen:
            if any(map(_goes_on, chosen)) or not is_chosen_alone(search.repo, search.callees.resolver, where, function):
                return set()
            found.add(function)
        above = [(caller, caller.scope(call)) for caller, call in others]
        todo += [each for each in dict.fromkeys(above) if each not in todo]
    return found


def _goes_on(call: ast.expr) -> bool:
    """`cli(["fetch"], standalone_mode=False)`: the program does not exit behind it, and may run another command."""
    return isinstance(call, ast.Call) and any(keyword.arg == "standalone_mode" for keyword in call.keywords)


def _called_from(search: Search, begin: Hop) -> list[Hop]:
    """Where the function is called that the line stands in; the line itself, where it is not seen to be."""
    outline = search.repo.outline(begin.path)
    calls = outline.by_line.get(begin.line, ()) if outline is not None else ()
    scope = outline.scope(calls[0]) if outline is not None and calls else None
    if outline is None or not isinstance(scope, FUNCTIONS):
        return [begin]
    if scope not in search.callers:
        found = (Hop(where.path, call.lineno, "") for where, call in search.called.of(outline, scope))
        search.callers[scope] = list(dict.fromkeys(found))
    return search.callers[scope] or [begin]


def _may_be_before(search: Search, change: Place, sent: Hop, depth: int = 0, called: bool = False) -> bool:
    """Not all that makes the change stands below the start of the worker."""
    scope = change.outline.scope(change.node)
    if not is_set_before(search, change, sent, called):
        return _may_be_before_next(search, change, sent)
    if not isinstance(scope, FUNCTIONS) or depth > _MAX_DEPTH:
        return True
    called_at = search.called.of(change.outline, scope)
    calls = [change._replace(outline=caller, node=call, key="") for caller, call in called_at]
    return not calls or any(_may_be_before(search, call, sent, depth + 1, called) for call in calls)


def _may_be_before_next(search: Search, change: Place, sent: Hop) -> bool:
    """The function that starts the worker makes the change below that, and is run again."""
    outline, node = change.outline, change.node
    scope, line = outline.scope(node), getattr(node, "lineno", 0)
    begins = sent.path == outline.path and any(
        outline.scope(each) is scope for each in outline.by_line.get(sent.line, ())
    )
    if not begins or not isinstance(scope, FUNCTIONS):
        return False
    if no_one_run(search.repo, [[(outline.path, each, -1)] for each in (line, sent.line)]):
        return False
    return is_run_twice(search.repo, search.called.of(outline, scope))


def is_set_before(search: Search, change: Place, sent: Hop, called: bool = False) -> bool:
    """The state may still be as `change` sets it where the worker is started: it is no line further down.

    `called`: the line only calls what starts it.
    """
    outline, node = change.outline, change.node
    above = [*outline.ancestors(node)]
    for holder in above:
        if isinstance(holder, (ast.With, ast.AsyncWith)):
            inside = sent.path == outline.path and holder.lineno <= sent.line <= (holder.end_lineno or sent.line)
            if any(node in ast.walk(item.context_expr) for item in holder.items):
                if not inside and not called and not _may_start_inside(search, outline, holder, sent):
                    return False
            elif (inside or not called) and search.starts.in_block(
                outline, [item.context_expr for item in holder.items]
            ):
                return False  # the workers are there by then
    scope = outline.scope(node)
    same = sent.path == outline.path and scope in {outline.scope(each) for each in outline.by_line.get(sent.line, ())}
    line = getattr(node, "lineno", 0)
    if same and no_one_run(search.repo, [[(outline.path, each, -1)] for each in (line, sent.line)]):
        return False  # `if parallel: pool.map(...)`, and `else: work(...)`
    return not same or may_precede(search.starts, outline, node, sent.line)


def _may_start_inside(search: Search, outline: Outline, block: ast.With | ast.AsyncWith, sent: Hop) -> bool:
    """The block calls what starts the worker, or a function where it is not known who calls that."""
    begins, known = [sent], True
    for _ in range(_MAX_DEPTH):
        above: list[Hop] = []
        for hop in begins:
            if hop.path == outline.path and block.lineno <= hop.line <= (block.end_lineno or hop.line):
                return True
            callers = _called_from(search, hop)
            above += [] if callers == [hop] else callers
            known = known and (callers != [hop] or _is_first(search, hop))
        begins = list(dict.fromkeys(above))[:_MAX_CALLS]
    calls = (each for item in block.body for each in walk(item) if isinstance(each, ast.Call))
    return bool(begins or not known) and any(search.callees.called(outline, call) for call in calls)


def _is_first(search: Search, hop: Hop) -> bool:
    """No function is around it, or one that nothing names."""
    outline = search.repo.outline(hop.path)
    calls = outline.by_line.get(hop.line, ()) if outline is not None else ()
    scope = outline.scope(calls[0]) if outline is not None and calls else None
    if outline is None or not isinstance(scope, FUNCTIONS):
        return isinstance(scope, ast.Module)
    is_plain = scope in outline.module.body and not scope.decorator_list
    named = {each.path for each in search.repo.mentioning(scope.name)} - {outline.path}
    return is_plain and not named and not outline.named.get(scope.name)
