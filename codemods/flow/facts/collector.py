"""The one `ast` pass: a syntax tree in, `FileFacts` out.

Variables are one node per scope and name; straight-line code sees the last binding. A name is looked up when its
scope ends, when all that the scope binds is known; so one pass is enough. Its scopes are its own, of the kinds of
`syntax/binding_rules.py`: the pass takes 0.9 to 1.0 of the time of `ast.parse`, and a walk before it for the scopes of
`syntax/scopes.py` would add 0.75 to 1.2 (timm, Open-Sora).
"""

from __future__ import annotations

import ast

from ...nodes import end_line
from ...syntax.binding_rules import ScopeKind
from .builder import FactsBuilder
from .expressions import Expressions
from .hooks import sort_hooks
from .python2 import python2_lines
from .records import FileFacts
from .runs import runs
from .set_late import late_stores
from .statements import Statements
from .stops import stopped_lines
from .worker_side import mark_worker_side


def facts_of(path: str, tree: ast.Module) -> FileFacts:
    """Facts of one file. `tree` is not changed."""
    builder = FactsBuilder(path, tree)
    expressions = Expressions(builder)
    statements = Statements(builder, expressions)
    last = end_line(tree.body[-1]) if tree.body else 0
    for statement in tree.body:
        builder.block_end = last
        builder.top = statement
        statements.body((statement,))
        builder.mentions.end(statement)
    sort_hooks(builder)
    builder.pack()
    facts, module = builder.facts, builder.module
    facts.statements = builder.mentions.found()
    facts.used = builder.mentions.used_of(module.names)
    facts.runs = runs(tree.body)
    facts.module_names = {name: node for name, node in module.names.items() if name in module.bound}
    facts.unbound = [(name, node) for name, node in module.names.items() if name not in module.bound]
    facts.stops = builder.never_run()
    if not facts.star_imports:
        facts.stops += stopped_lines(tree, (name for name, _ in facts.unbound))
    facts.python2 = python2_lines(tree, facts)
    facts.late = late_stores(tree, facts)
    facts.loops = [each for each in facts.loops if facts.functions[each[0]].name == "__init__"]
    _set_captures(builder)
    mark_worker_side(facts, expressions.self_calls, builder.enclosing)
    return facts


def _set_captures(builder: FactsBuilder) -> None:
    """Which variables of enclosing functions each function reads."""
    captured: dict[int, list[int]] = {}
    for function, name, scope in builder.free:
        outer = scope.parent
        while outer is not None and (outer.kind is ScopeKind.CLASS or name not in outer.bound):
            outer = outer.parent
        if outer is not None and outer.kind is not ScopeKind.MODULE:
            captured.setdefault(function, []).append(scope.names[name])
    for function, nodes in captured.items():
        builder.facts.functions[function].captures = tuple(nodes)
