"""Where a script finds its rank itself when its `--local_rank` is not passed: reads that need no LOCAL_RANK as default.

device = args.rank % torch.cuda.device_count()      # rank: int(os.environ["RANK"])
if args.local_rank is not None:
    device = args.local_rank
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ...nodes import walk
from ...syntax.argparse_options import Option, nodes
from ...syntax.names import last_name
from .program import is_value

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_FROM_GROUP = frozenset({"get_rank"})


@dataclass(frozen=True, slots=True)
class Ranks:
    """What tells a module which rank it is: `variables` of the environment, `attributes` and `names` set from these.

    `asked`: `dist.get_rank()` counts as well.
    """

    variables: frozenset[str]
    attributes: frozenset[str]
    names: frozenset[str]
    asked: bool

    def told(self, *parts: ast.AST) -> bool:
        """Is the rank taken from there somewhere in `parts`?"""
        return any(self._tells(node) for part in parts for node in walk(part))

    def _tells(self, node: ast.AST) -> bool:
        if isinstance(node, ast.Constant):
            return node.value in self.variables
        if isinstance(node, ast.Call):
            return self.asked and last_name(node.func) in _FROM_GROUP
        if isinstance(node, ast.Name):
            return node.id in self.names and isinstance(node.ctx, ast.Load)
        return isinstance(node, ast.Attribute) and node.attr in self.attributes and isinstance(node.ctx, ast.Load)


def ranks_of(tree: ast.Module, world: bool, attributes: frozenset[str]) -> Ranks:
    """Those of a module; `world`: the rank among all counts as well as that on the node."""
    variables = frozenset(("LOCAL_RANK", "RANK") if world else ("LOCAL_RANK",))
    found = Ranks(variables, attributes, frozenset(), world)
    while True:
        names = {
            target.id
            for node in nodes(tree)
            if isinstance(node, ast.Assign) and found.told(node.value)
            for target in node.targets
            if isinstance(target, ast.Name)
        }
        if names <= found.names:
            return found
        found = Ranks(variables, attributes, found.names | names, world)


def answered(tree: ast.Module, option: Option, ranks: Ranks) -> set[int]:
    """The nodes which read the option's value where that doesn't matter, because without it the rank is found."""
    known, value = _default(option)
    unset = value is None or (isinstance(value, int) and value < 0)  # 0 is a rank: a test of it asks who is first
    parts = list(_defaults_of_lookups(tree, ranks))
    if known and not value:
        parts += _first_of_either(tree, option.dest, ranks)
    if known and unset:
        parts += _other_ways(tree, option.dest, value, ranks)
    for block in _blocks(tree) if known else ():
        parts += [
            statement
            for at, statement in enumerate(block)
            if _is_replaced(statement, option.dest, block[at + 1 :], ranks)
        ]
    return {id(node) for part in parts for node in walk(part)}


def _defaults_of_lookups(tree: ast.Module, ranks: Ranks) -> Iterator[ast.AST]:
    """`args.local_rank` of `os.environ.get("LOCAL_RANK", args.local_rank)`."""
    for node in nodes(tree):
        if isinstance(node, ast.Call) and last_name(node.func) in ("get", "getenv") and len(node.args) == 2:
            yield from node.args[1:] if ranks.told(node.args[0]) else ()


def _first_of_either(tree: ast.Module, dest: str, ranks: Ranks) -> Iterator[ast.AST]:
    """`args.local_rank` of `args.local_rank or rank`."""
    for node in nodes(tree):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or) and is_value(node.values[0], dest, ast.Load):
            yield from node.values[:1] if ranks.told(*node.values[1:]) else ()


def _other_ways(tree: ast.Module, dest: str, value: object, ranks: Ranks) -> Iterator[ast.AST]:
    """The tests whether a rank was passed, and what is done if so, where else it is found."""
    for node in nodes(tree):
        if isinstance(node, ast.IfExp) and (holds := _holds(node.test, dest, value)) is not None:
            other, taken = (node.orelse, node.body) if holds else (node.body, node.orelse)
            yield from (node.test, other) if ranks.told(taken) else ()
    for block in _blocks(tree):
        for at, statement in enumerate(block):
            if not isinstance(statement, ast.If) or (holds := _holds(statement.test, dest, value)) is None:
                continue
            passed, else_ = (statement.orelse, statement.body) if holds else (statement.body, statement.orelse)
            behind = block[at + 1 :] if passed and isinstance(passed[-1], _LEAVES) else []
            if ranks.told(*else_, *behind) or _only_replaces(passed, block[:at], ranks):
                yield from (statement.test, *passed)


def _default(option: Option) -> tuple[bool, object]:
    """Is it known what the value is where none is passed, and that."""
    if option.required:
        return False, None
    if option.default is None:
        return True, None
    try:
        value = ast.literal_eval(option.default)
    except ValueError:
        return False, None
    return not isinstance(value, str), value


def _holds(test: ast.expr, dest: str, value: object) -> bool | None:
    """Does `test` hold where the option's value is `value`? None where that depends on something else."""
    if is_value(test, dest, ast.Load):
        return bool(value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _holds(test.operand, dest, value)
        return None if inner is None else not inner
    if isinstance(test, ast.BoolOp):
        parts = [_holds(part, dest, value) for part in test.values]
        settles = isinstance(test.op, ast.Or)
        return settles if settles in parts else None if None in parts else not settles
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or not is_value(test.left, dest, ast.Load):
        return None
    try:
        return _compares(test.ops[0], value, ast.literal_eval(test.comparators[0]))
    except (ValueError, TypeError):
        return None


def _compares(operator: ast.cmpop, left: object, right: object) -> bool | None:
    if isinstance(operator, (ast.Is, ast.Eq)):
        return left == right
    if isinstance(operator, (ast.IsNot, ast.NotEq)):
        return left != right
    if isinstance(operator, (ast.In, ast.NotIn)) and isinstance(right, (tuple, list, set)):
        return (left in right) is isinstance(operator, ast.In)
    if not isinstance(left, int) or not isinstance(right, int):
        return None
    if isinstance(operator, (ast.Gt, ast.GtE)):
        return left > right or (left == right and isinstance(operator, ast.GtE))
    if isinstance(operator, (ast.Lt, ast.LtE)):
        return left < right or (left == right and isinstance(operator, ast.LtE))
    return None


def _blocks(tree: ast.Module) -> Iterator[list[ast.stmt]]:
    """The lists of statements of a module: its own, and those of each compound statement."""
    for node in (tree, *nodes(tree)):
        for field in ("body", "orelse", "finalbody"):
            block = getattr(node, field, None)
            if isinstance(block, list):
                yield block


def _only_replaces(branch: list[ast.stmt], before: list[ast.stmt], ranks: Ranks) -> bool:
    """All that the branch does is to give another value to what got the rank before it."""
    set_before = {
        ast.unparse(target)
        for statement in before
        for node in walk(statement)
        if isinstance(node, ast.Assign) and ranks.told(node.value)
        for target in node.targets
    }
    return bool(branch) and all(
        isinstance(statement, ast.Assert)
        or (isinstance(statement, ast.Assign) and {ast.unparse(target) for target in statement.targets} <= set_before)
        for statement in branch
    )


def _is_replaced(statement: ast.stmt, dest: str, behind: list[ast.stmt], ranks: Ranks) -> bool:
    """`local_rank = args.local_rank`, and further down `if "LOCAL_RANK" in os.environ: local_rank = ...`."""
    if not (isinstance(statement, ast.Assign) and is_value(statement.value, dest, ast.Load)):
        return False
    targets = {ast.unparse(target) for target in statement.targets}
    following = next((item for item in behind if any(_names(item, target) for target in targets)), None)
    return following is not None and any(
        isinstance(node, ast.Assign)
        and ranks.told(node.value)
        and targets <= {ast.unparse(target) for target in node.targets}
        for node in walk(following)
    )


def _names(statement: ast.stmt, target: str) -> bool:
    return any(isinstance(node, (ast.Name, ast.Attribute)) and ast.unparse(node) == target for node in walk(statement))
