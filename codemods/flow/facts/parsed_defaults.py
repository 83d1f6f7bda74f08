"""Options that are parsed from no arguments at all, `parser.parse_args([])`: each has its default."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from ...nodes import walk
from ...syntax.argparse_options import Option
from ...syntax.names import last_name

_PLAIN = frozenset(("type", "default", "help", "metavar", "dest"))


def parsed_zero(around: ast.AST, value: ast.expr) -> bool:
    """`args.workers` in the function or module `around`, which is 0 whoever starts the program.

    Only where the code shows all that happens to the parser and to what it gave.
    """
    if not (isinstance(value, ast.Attribute) and isinstance(value.value, ast.Name)):
        return False
    nodes = list(walk(around))
    parsed = _only_value(nodes, value.value.id)
    if not (isinstance(parsed, ast.Call) and _parses_nothing(parsed)):
        return False
    parser = parsed.func.value if isinstance(parsed.func, ast.Attribute) else None
    made = _only_value(nodes, parser.id) if isinstance(parser, ast.Name) else None
    if not (isinstance(parser, ast.Name) and isinstance(made, ast.Call) and last_name(made.func) == "ArgumentParser"):
        return False
    if any(keyword.arg in ("parents", "argument_default", None) for keyword in made.keywords):
        return False
    read = {id(node.value) for node in nodes if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load)}
    shown = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Name)]
    read |= {id(given) for call in shown if last_name(call.func) == "print" for given in call.args}
    if any(id(use) not in read for use in _uses(nodes, value.value.id)):
        return False  # `args.workers = 2`, `setup(args)`
    calls = [node for node in nodes if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)]
    of_parser = {id(call.func.value): call for call in calls if isinstance(call.func, ast.Attribute)}
    added = [of_parser.get(id(use)) for use in _uses(nodes, parser.id)]
    options = [_option(call) for call in added if call is not parsed]
    named = [each for each in options if each is not None and each.dest == value.attr]
    return None not in options and len(named) == 1 and _is_zero(named[0])


def _parses_nothing(call: ast.Call) -> bool:
    if last_name(call.func) != "parse_args":
        return False
    given = [*call.args, *(keyword.value for keyword in call.keywords if keyword.arg == "args")]
    return len(given) == len(call.args) + len(call.keywords) == 1 and _is_empty(given[0])


def _is_empty(given: ast.expr) -> bool:
    return isinstance(given, (ast.List, ast.Tuple)) and not given.elts


def _only_value(nodes: list[ast.AST], name: str) -> ast.expr | None:
    """What the only statement that binds the name gives it."""
    bound = [node for node in nodes if isinstance(node, ast.Name) and node.id == name]
    stored = [node for node in bound if not isinstance(node.ctx, ast.Load)]
    named = any(getattr(node, "arg", None) == name for node in nodes if isinstance(node, ast.arg))
    if len(stored) != 1 or named:
        return None
    assigned = (node for node in nodes if isinstance(node, ast.Assign) and node.targets == stored)
    return next((node.value for node in assigned), None)


def _uses(nodes: list[ast.AST], name: str) -> Iterator[ast.Name]:
    return (node for node in nodes if isinstance(node, ast.Name) and node.id == name and isinstance(node.ctx, ast.Load))


def _option(call: ast.Call | None) -> Option | None:
    """The option that a call adds to the parser; None for another use of that."""
    if call is None or last_name(call.func) != "add_argument":
        return None
    names = tuple(each.value for each in call.args if isinstance(each, ast.Constant) and isinstance(each.value, str))
    keywords = {keyword.arg: keyword.value for keyword in call.keywords if keyword.arg is not None}
    whole = len(names) == len(call.args) and names and len(keywords) == len(call.keywords)
    return Option("", call, names, keywords) if whole else None


def _is_zero(option: Option) -> bool:
    """It has a plain value, which is 0 where none is given."""
    default = option.default
    if (
        not option.names[0].startswith("-")
        or not option.keywords.keys() <= _PLAIN
        or not isinstance(default, ast.Constant)
    ):
        return False
    return (type(default.value) is int and default.value == 0) or (default.value == "0" and option.type == "int")
