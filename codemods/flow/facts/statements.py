"""Statements: what they bind, return and define."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Mapping, Sequence

from ...nodes import children, end_line, walk, yields
from ...syntax.binding_rules import ScopeKind
from ...syntax.main_guard import is_main_process_test
from ...syntax.names import dotted, last_name, sets_metaclass, without_arguments, written_bases, written_metaclass
from ..kinds import FunctionKind, MethodBinding
from .always_read import always_read
from .builder import FactsBuilder
from .conditions import note_branches
from .definitions import enter_class, enter_function
from .expressions import Expressions
from .filled_later import note_put
from .loaded_by_path import note_returned
from .operators import operated
from .own_state import dropped_attributes, is_reduced_to_other, kept_attributes, sent_in_spite_of_tests
from .passed_on import asked_for, note_choice
from .records import NO_LITERALS, Call, Function
from .scope import DEAD, SEVERAL, FactsScope
from .syntax import converted, is_record, not_callable, position, rebinds
from .taken_out import note_absent, note_taken_out

_DECORATED = {  # the first of these counts
    "staticmethod": MethodBinding.STATIC,
    "classmethod": MethodBinding.CLASS,
    "property": MethodBinding.PROPERTY,
    "cached_property": MethodBinding.PROPERTY,
    "setter": MethodBinding.PROPERTY,
    "lazy_property": MethodBinding.PROPERTY,
}
_ENDS = frozenset({ast.Return, ast.Raise, ast.Continue, ast.Break})
_FUNCTION_KINDS = {ScopeKind.CLASS: FunctionKind.METHOD, ScopeKind.MODULE: FunctionKind.TOP}


def _is_for_class(function: Function, value: int) -> bool:
    """A descriptor gives itself where its class is asked: `if obj is None: return self`."""
    return function.name == "__get__" and bool(function.parameters) and value == function.parameters[0].node


def _binding(decorators: Iterable[str]) -> MethodBinding:
    last = {name.rpartition(".")[2] for name in decorators}
    return next((found for name, found in _DECORATED.items() if name in last), MethodBinding.INSTANCE)


def _gives_property(function: ast.FunctionDef | ast.AsyncFunctionDef) -> bool:
    """Whatever happens, the function returns a property, or a function of its own that does."""
    definitions: dict[str, list[ast.FunctionDef | ast.AsyncFunctionDef]] = {}
    returned: list[ast.expr | None] = []
    todo: list[ast.AST] = [*function.body]
    for node in todo:  # it grows
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            definitions.setdefault(node.name, []).append(node)
        elif isinstance(node, ast.Return):
            returned.append(node.value)
        elif not isinstance(node, ast.ClassDef | ast.expr):
            todo += children(node)
    return bool(returned) and all(_is_property(value, definitions) for value in returned)


def _is_property(
    value: ast.expr | None, definitions: Mapping[str, Sequence[ast.FunctionDef | ast.AsyncFunctionDef]]
) -> bool:
    """`property(fn)`, or the name of a function that is one, or that returns one."""
    if isinstance(value, ast.Call):
        return _binding([dotted(value.func)]) is MethodBinding.PROPERTY
    found = definitions.get(value.id, ()) if isinstance(value, ast.Name) else ()
    return bool(found) and all(
        _binding(map(dotted, each.decorator_list)) is MethodBinding.PROPERTY or _gives_property(each) for each in found
    )


class Statements:
    """Enters statements in the facts, in the order in which they run."""

    def __init__(self, builder: FactsBuilder, expressions: Expressions) -> None:
        self.builder, self.expressions = builder, expressions

    def body(self, statements: Sequence[ast.stmt]) -> None:
        """A block that runs once, from its start to its end."""
        builder = self.builder
        scope, asked = builder.scope, builder.scope.asked_for
        for at, statement in enumerate(statements, 1):
            builder.line = statement.lineno
            kind = type(statement)
            handler = _HANDLERS.get(kind)
            if handler is not None:
                handler(self, statement)
            else:
                self._children(statement)
            if kind in _ENDS:
                builder.returned = builder.returned or (kind is ast.Return and builder.blocks > 0)
                self._never_run(statements[at:])
                break
        scope.asked_for = asked

    def _never_run(self, statements: Iterable[ast.stmt]) -> None:
        """What stands below a `return` binds nothing, but a `yield` there still makes a generator."""
        scope = self.builder.scope
        if scope.function >= 0 and yields(statements):
            self.builder.facts.functions[scope.function].generator = True

    def _optional(self, statements: Sequence[ast.stmt]) -> dict[str, int]:
        """A block that may be left out, or run again; what names are at its end."""
        builder = self.builder
        before, start, end = dict(builder.scope.current), builder.block_start, builder.block_end
        if statements:
            builder.block_start, builder.block_end = statements[0].lineno, end_line(statements[-1])
        builder.blocks += 1
        self.body(statements)
        builder.blocks -= 1
        builder.block_start, builder.block_end = start, end
        ended = builder.scope.current
        if before != ended:
            before = {name: node for name, node in before.items() if ended.get(name) == node}
        builder.scope.current = before
        return ended

    def _children(self, node: ast.AST) -> None:
        for child in children(node):
            if isinstance(child, ast.expr):
                self.expressions.value(child)
            elif isinstance(child, ast.stmt):
                self.body([child])
            else:
                self._children(child)

    def _expression_statement(self, node: ast.Expr) -> None:
        self.builder.dropped = node.value
        self.expressions.value(node.value)

    def _branch(self, node: ast.If | ast.While) -> None:
        builder = self.builder
        if isinstance(node, ast.While):
            builder.forget(node.body)
            builder.note_loop(node)
        self.expressions.value(node.test)
        condition = not is_main_process_test(node.test)
        builder.conditions += condition
        no_function, made_one = not_callable(node.test), "" if node.orelse else converted(node.test, node.body)
        builder.note_narrowed(no_function)
        scope, outside = builder.scope, builder.scope.asked_for
        scope.asked_for = outside + asked_for(node.test)
        if node.orelse:
            ends = [each.value if isinstance(each, ast.Assign) else each for each in (node.body[-1], node.orelse[-1])]
            note_choice(builder, node.test, *ends)
        builder.note_false(node)
        if isinstance(node, ast.If):
            note_branches(builder, node, self.expressions.value)
        before = dict(scope.current)
        ended = self._optional(node.body)
        note_absent(builder, node.test, end_line(node.body[-1]))
        other = before
        if node.orelse:
            scope.asked_for = outside + asked_for(node.test, negated=True)
            if isinstance(node, ast.If):
                scope.current = dict(before)
            other = builder.without(no_function, lambda: self._optional(node.orelse))
        if isinstance(node, ast.If):
            ways = [(node.body, ended), (node.orelse, other)]
            builder.join([names for block, names in ways if not block or type(block[-1]) not in _ENDS])
        scope.asked_for = outside
        if isinstance(node, ast.If) and not node.orelse and type(node.body[-1]) in _ENDS:
            scope.asked_for += asked_for(node.test, negated=True)  # to the end of the block
        builder.conditions -= condition
        if no_function and isinstance(node.body[-1], ast.Return | ast.Raise | ast.Continue):
            builder.scope.current[no_function] = DEAD
        elif no_function and not node.orelse and rebinds(node.body, no_function) and builder.in_function:
            builder.scope.current[no_function] = ended.get(no_function, DEAD)  # `if callable(x): x = x()`
        elif made_one and made_one in ended and builder.in_function:
            builder.scope.current[made_one] = ended[made_one]

    def _try(self, node: ast.Try) -> None:
        builder = self.builder
        builder.forget(node.body)
        self._optional(node.body)
        for handler in node.handlers:
            if handler.type is not None:
                builder.distinguish(self.expressions.value(handler.type), "named by `except`", handler.lineno)
            if handler.name:
                self._caught(handler, builder.bind(handler.name))
            self._optional(handler.body)
        self._optional(node.orelse)
        self.body(node.finalbody)

    def _caught(self, handler: ast.ExceptHandler, holder: int) -> None:
        """`except Error as error`: an object of each class that is named."""
        builder = self.builder
        for each in handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]:
            if isinstance(each, ast.Name) and (named := self.expressions.value(each)) >= 0:
                made = Call(named, (), (), (), (), holder, position(each), "", NO_LITERALS, builder.scope.function)
                builder.facts.calls.append(made)

    def _match(self, node: ast.Match) -> None:
        subject = self.expressions.value(node.subject)
        for case in node.cases:
            self.expressions.bind_pattern(case.pattern, subject)
            for pattern in walk(case.pattern):
                if isinstance(pattern, ast.MatchValue) and isinstance(pattern.value, ast.Attribute):
                    for side in (subject, self.expressions.value(pattern.value)):
                        self.builder.distinguish(side, "compared", pattern.lineno)
                if isinstance(pattern, ast.MatchClass):
                    self.builder.distinguish(self.expressions.value(pattern.cls), "named by `case`", pattern.lineno)
            if case.guard is not None:
                self.expressions.value(case.guard)
            self._optional(case.body)

    def _global(self, node: ast.Global) -> None:
        builder = self.builder
        builder.scope.globals.update(node.names)
        for name in node.names:
            builder.module.bound.add(name)
            builder.module.constants[name] = SEVERAL
            builder.module.current.pop(name, None)
        builder.set_by_functions.update(node.names)

    def _nonlocal(self, node: ast.Nonlocal) -> None:
        self.builder.scope.nonlocals.update(node.names)

    def _import(self, node: ast.Import) -> None:
        builder = self.builder
        for alias in node.names:
            builder.mentions.note_import(f"{alias.name}.", alias.asname or alias.name.partition(".")[0])
            if alias.asname:
                builder.facts.imports.append((builder.bind(alias.asname), alias.name, 0, ""))
            else:
                builder.facts.imports.append((builder.bind(alias.name.partition(".")[0]), alias.name, 0, "*"))

    def _import_from(self, node: ast.ImportFrom) -> None:
        builder = self.builder
        builder.mentions.note_import(f"{node.module or ''}.", "")
        for alias in node.names:
            builder.mentions.note_import(alias.name, alias.asname or alias.name)
            if alias.name == "*":
                builder.facts.star_imports.append((node.module or "", node.level, node is not builder.top))
            else:
                target = builder.bind(alias.asname or alias.name)
                builder.facts.imports.append((target, node.module or "", node.level, alias.name))

    def _assign(self, node: ast.Assign) -> None:
        value = self.expressions.value(node.value)
        for target in node.targets:
            self.expressions.assign(target, value, node.value)

    def _annotated(self, node: ast.AnnAssign) -> None:
        builder = self.builder
        if node.value is not None:
            self.expressions.assign(node.target, self.expressions.value(node.value), node.value)
        elif isinstance(node.target, ast.Name):
            builder.bind(node.target.id)
        if builder.scope.kind is ScopeKind.CLASS and isinstance(node.target, ast.Name):
            owner = builder.facts.classes[builder.scope.owner]
            owner.fields = (*owner.fields, node.target.id)

    def _augmented(self, node: ast.AugAssign) -> None:
        builder = self.builder
        target = node.target
        before = self.expressions.value(target) if isinstance(target, ast.Name) else -1
        value = self.expressions.value(node.value)
        if isinstance(target, ast.Name):
            whole = builder.bind(target.id)
            builder.edge(operated(builder, node, before, value), whole)
            if value >= 0:  # `xs += [f]`: the contents join
                inner = builder.element(value)
                note_put(builder, target, inner)
                builder.puts.append((whole, inner, builder.line, ""))
        elif isinstance(target, ast.Attribute) and value >= 0:
            whole, inner = self.expressions.attribute(target), builder.node()
            self.expressions.sets_attribute(target, self.expressions.value(target.value))
            builder.elements.append((value, inner, ""))
            note_put(builder, target, inner)
            builder.puts.append((whole, inner, builder.line, ""))
        else:
            self.expressions.assign(target, value, node.value)

    def _delete(self, node: ast.Delete) -> None:
        for target in node.targets:
            if isinstance(target, ast.Attribute):
                base = self.expressions.value(target.value)
                self.expressions.sets_attribute(target, base)
                self.expressions.clear(target, base)
            else:
                self.expressions.value(target)
                if isinstance(target, ast.Subscript):
                    note_taken_out(self.builder, target.value, target.slice)

    def _return(self, node: ast.Return) -> None:
        builder = self.builder
        if node.value is not None:
            value = self.expressions.value(node.value)
            if isinstance(node.value, ast.Call) and _binding([dotted(node.value.func)]) is MethodBinding.PROPERTY:
                builder.note_property(builder.scope.function)
            note_returned(builder.scope, node.value)
            if builder.scope.function >= 0:
                function = builder.facts.functions[builder.scope.function]
                if not (builder.conditions and _is_for_class(function, value)):
                    builder.edge(value, function.returns)

    def _for(self, node: ast.For | ast.AsyncFor) -> None:
        value = self.expressions.value(node.iter)
        self.builder.forget(node.body)
        self.builder.note_loop(node)
        self.expressions.iterate(node.target, value)
        self._optional(node.body)
        self._optional(node.orelse)

    def _with(self, node: ast.With | ast.AsyncWith) -> None:
        for item in node.items:
            self.builder.entered = item.context_expr
            value = self.expressions.value(item.context_expr)
            if item.optional_vars is not None:
                self.expressions.assign(item.optional_vars, value)
        self.builder.blocks += 1  # it may swallow an error, and leave out what comes below
        self.body(node.body)
        self.builder.blocks -= 1

    # definitions

    def _function_def(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        builder = self.builder
        decorators = [dotted(d.func if isinstance(d, ast.Call) else d) for d in node.decorator_list]
        applied = [self.expressions.value(decorator) for decorator in node.decorator_list]
        scope = builder.scope
        kind = _FUNCTION_KINDS.get(scope.kind, FunctionKind.NESTED)
        last = {name.rpartition(".")[2] for name in decorators}
        binding = _binding(decorators)
        if binding is MethodBinding.PROPERTY and kind is FunctionKind.NESTED:
            builder.note_property(scope.function)
        if (
            kind is FunctionKind.METHOD
            and binding is MethodBinding.INSTANCE
            and node.name in ("__new__", "__init_subclass__", "__class_getitem__")
        ):
            binding = MethodBinding.CLASS
        line = builder.line
        defaults = self.expressions.defaults(node.args)
        index = enter_function(builder, node, kind, node.name, defaults, binding, "wraps" in last)
        builder.facts.functions[index].decorators = tuple(applied)
        if kind is FunctionKind.METHOD:
            builder.always |= always_read(node)
        start, end, left = builder.block_start, builder.block_end, (builder.blocks, builder.returned)
        builder.block_start, builder.block_end, builder.blocks, builder.returned = node.lineno, end_line(node), 0, False
        self.body(node.body)
        builder.block_start, builder.block_end, (builder.blocks, builder.returned) = start, end, left
        builder.leave()
        builder.line = line
        if builder.facts.functions[index].gives_property:
            builder.facts.functions[index].gives_property = _gives_property(node)
        builder.facts.functions[index].raises = isinstance(node.body[-1], ast.Raise) and len(node.body) <= 2
        holder = builder.bind(node.name)
        builder.facts.function_nodes[index] = holder
        self._decorate(applied, holder, node)

    def _class_def(self, node: ast.ClassDef) -> None:
        builder = self.builder
        facts = builder.facts
        marks = [decorator for decorator in node.decorator_list if not sets_metaclass(decorator)]
        applied = [self.expressions.value(decorator) for decorator in marks]
        bases = tuple(self.expressions.base(without_arguments(base)) for base in written_bases(node))
        named = {keyword.arg: self.expressions.value(keyword.value) for keyword in node.keywords}
        metaclass = written_metaclass(node)
        if metaclass is not None:
            named.setdefault("metaclass", self.expressions.value(metaclass))
        index = enter_class(builder, node, bases)
        self.body(node.body)
        body, made = builder.scope, facts.classes[index]
        made.members = {name: node for name, node in body.names.items() if name in body.bound}
        made.dropped, made.kept = dropped_attributes(node), kept_attributes(node)
        made.sent = sent_in_spite_of_tests(node) if made.dropped is None else made.sent
        made.record = is_record(node)
        made.decorators = tuple(applied)
        made.metaclass = None in named or (metaclass is not None and last_name(metaclass) != "ABCMeta")
        made.made_by = named.get("metaclass", -1)
        body.function = -1  # a class body captures nothing by itself
        builder.leave()
        builder.line = node.lineno
        made.reduced = made.nested and is_reduced_to_other(node, _outermost(builder.scope))
        facts.class_nodes[index] = builder.bind(node.name)
        self._decorate(applied, facts.class_nodes[index], node)

    def _decorate(self, decorators: Iterable[int], decorated: int, node: ast.stmt) -> None:
        """A decorator is called with what it decorates (a registry keeps it); what it gives counts as the same."""
        builder = self.builder
        for decorator in decorators:
            if decorator >= 0:
                call = Call(
                    decorator, (decorated,), (), (), (), builder.node(), position(node), "", NO_LITERALS,
                    builder.scope.function,
                )  # fmt: skip
                builder.facts.calls.append(call)


def _outermost(scope: FactsScope | None) -> ast.AST | None:
    """The function around all others that the scope is in."""
    found: ast.AST | None = None
    while scope is not None:
        found, scope = scope.tree or found, scope.parent
    return found


_HANDLERS: dict[type, Callable[..., None]] = {
    ast.FunctionDef: Statements._function_def,
    ast.AsyncFunctionDef: Statements._function_def,
    ast.ClassDef: Statements._class_def,
    ast.Assign: Statements._assign,
    ast.AnnAssign: Statements._annotated,
    ast.AugAssign: Statements._augmented,
    ast.Delete: Statements._delete,
    ast.Return: Statements._return,
    ast.For: Statements._for,
    ast.AsyncFor: Statements._for,
    ast.With: Statements._with,
    ast.AsyncWith: Statements._with,
    ast.Import: Statements._import,
    ast.ImportFrom: Statements._import_from,
    ast.Global: Statements._global,
    ast.Nonlocal: Statements._nonlocal,
    ast.Expr: Statements._expression_statement,
    ast.If: Statements._branch,
    ast.While: Statements._branch,
    ast.Try: Statements._try,
    ast.Match: Statements._match,
}
if hasattr(ast, "TryStar"):
    _HANDLERS[ast.TryStar] = Statements._try
