"""Functions and classes: their entries in the facts, and the scopes of their bodies."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...syntax.binding_rules import ScopeKind
from ...syntax.names import dotted, without_arguments, written_bases
from ..kinds import FunctionKind, MethodBinding, ParameterKind
from .builder import FactsBuilder
from .passed_on import defined_under
from .records import Class, Function, Parameter
from .scope import FactsScope
from .syntax import position

FunctionNode = ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda


def enter_function(
    builder: FactsBuilder, node: FunctionNode, kind: FunctionKind, name: str, defaults: Sequence[int],
    binding: MethodBinding = MethodBinding.INSTANCE, wraps: bool = False,
) -> int:  # fmt: skip
    """Enter a function in the facts and open its scope; its index. `builder.leave()` closes the scope.

    `defaults`: nodes of the default values, positional ones first, -1 where one does not matter.
    """
    facts, outer = builder.facts, builder.scope
    arguments = node.args
    qualname = f"{outer.qualname}.{name}" if outer.qualname else name
    shown = "a lambda" if kind is FunctionKind.LAMBDA else f"`{qualname.replace('.<locals>', '')}()`"
    owner = outer.owner if kind is FunctionKind.METHOD else -1
    index = len(facts.functions)
    returns = builder.node(f"returned by {shown}", node.lineno)
    holder = builder.node() if kind is FunctionKind.LAMBDA else -1
    parameters: list[Parameter] = []
    function = Function(kind, name, qualname, position(node), (), returns, owner, binding, False, wraps)
    function.under = defined_under(outer)
    facts.functions.append(function)
    builder.enclosing.append(outer.function)
    facts.function_nodes.append(holder)
    own_class = owner if kind is FunctionKind.METHOD or outer.kind is ScopeKind.CLASS else -1
    scope = builder.scope = FactsScope(ScopeKind.FUNCTION, f"{qualname}.<locals>", outer, index, own_class)
    scope.tree = node
    for argument, how in _in_order(arguments):
        scope.bound.add(argument.arg)
        value = scope.names[argument.arg] = builder.node(f"parameter `{argument.arg}` of {shown}", argument.lineno)
        module = argument.annotation is not None and dotted(argument.annotation) in ("nn.Module", "torch.nn.Module")
        parameters.append(
            Parameter(argument.arg, value, how, module and (how.is_positional or how is ParameterKind.KEYWORD))
        )
    function.parameters = tuple(parameters)
    scope.parameters = frozenset(scope.bound)
    positional = [p for p in parameters if p.kind.is_positional]
    with_default = [
        *positional[len(positional) - len(arguments.defaults) :],
        *(p for p in parameters if p.kind is ParameterKind.KEYWORD),
    ]
    written = [*arguments.defaults, *arguments.kw_defaults]
    for parameter, default, said in zip(with_default, defaults, written, strict=False):
        builder.edge(default, parameter.node)
        if isinstance(said, ast.Constant):
            parameter.default = (said.value,)
    return index


def _in_order(arguments: ast.arguments) -> list[tuple[ast.arg, ParameterKind]]:
    """All parameters, those with stars last."""
    found = [(argument, ParameterKind.PLAIN) for argument in arguments.args]
    if arguments.posonlyargs:
        found = [*((argument, ParameterKind.POSITIONAL) for argument in arguments.posonlyargs), *found]
    found += [(argument, ParameterKind.KEYWORD) for argument in arguments.kwonlyargs]
    if arguments.vararg is not None:
        found.append((arguments.vararg, ParameterKind.STARRED))
    if arguments.kwarg is not None:
        found.append((arguments.kwarg, ParameterKind.DOUBLE_STARRED))
    return found


def enter_class(builder: FactsBuilder, node: ast.ClassDef, bases: tuple[int, ...]) -> int:
    """Enter a class in the facts and open its scope; its index. `builder.leave()` closes the scope."""
    facts, outer = builder.facts, builder.scope
    nested, scope = False, outer
    while scope.parent is not None:
        nested = nested or scope.kind is ScopeKind.FUNCTION
        scope = scope.parent
    qualname = f"{outer.qualname}.{node.name}" if outer.qualname else node.name
    index = len(facts.classes)
    names = tuple(dotted(without_arguments(base)) for base in written_bases(node))
    facts.classes.append(Class(node.name, qualname, position(node), bases, names, nested))
    facts.class_nodes.append(-1)
    builder.scope = FactsScope(ScopeKind.CLASS, qualname, outer, outer.function, index)
    builder.scope.tree = node
    return index
