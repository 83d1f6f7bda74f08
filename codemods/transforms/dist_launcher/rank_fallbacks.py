"""Where a script finds its rank itself when its `--local_rank` is not passed: reads that need no LOCAL_RANK as default.

device = args.rank % torch.cuda.device_count()      # rank: int(os.environ["RANK"])
if args.local_rank is not None:
    device = args.local_rank
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass

from ...nodes import walk
from ...syntax.argparse_options import Option, nodes
from ...syntax.names import last_name
from .program import is_value

_LEAVES = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_FROM_GROUP = frozenset({"get_rank"})
_SETS_DEVICE = frozenset({"set_device"})


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
        if isinstance(node, ast.IfExp) and (asked := _asked(node.test, dest, value)) is not None:
            other, taken = (node.orelse, node.body) if asked.holds else (node.body, node.orelse)
            if ranks.told(taken) and (asked.of_all or is_value(other, dest, ast.Load)):
                yield from (node.test, other)
    for block in _blocks(tree):
        for at, statement in enumerate(block):
            if not isinstance(statement, ast.If) or (asked := _asked(statement.test, dest, value)) is None:
                continue
            passed, else_ = (statement.orelse, statement.body) if asked.holds else (statement.body, statement.orelse)
            behind = block[at + 1 :] if passed and isinstance(passed[-1], _LEAVES) else []
            if (
                (asked.of_all and _finds(ranks, [*else_, *behind]))
                or _finds_what_is_passed(passed, else_, dest, ranks)
                or (not else_ and _only_replaces(passed, block[:at], dest, ranks))
            ):
                yield from (statement.test, *passed)


def _finds(ranks: Ranks, block: list[ast.stmt]) -> bool:
    """The rank is stored, given back or set as the device there; to print it, or to test it, is no such use."""
    for node in (node for statement in block for node in walk(statement)):
        if isinstance(node, (ast.Assign, ast.AnnAssign, ast.Return)) and node.value is not None:
            if ranks.told(node.value):
                return True
        elif isinstance(node, ast.Call) and last_name(node.func) in _SETS_DEVICE and ranks.told(*node.args):
            return True
    return False


def _finds_what_is_passed(passed: list[ast.stmt], else_: list[ast.stmt], dest: str, ranks: Ranks) -> bool:
    """One branch only stores the rank where the other only stores the option's value (or where that is): whichever
    is taken, the same is there."""
    found, given = _stored(else_), _stored(passed)
    if not found or not all(ranks.told(value) for _, value in found):
        return False
    targets = {ast.unparse(target) for target, _ in found}
    if not passed:
        return all(is_value(target, dest, ast.Store) for target, _ in found)
    return targets == {ast.unparse(target) for target, _ in given or ()} and all(
        is_value(value, dest, ast.Load) for _, value in given or ()
    )


def _stored(block: list[ast.stmt]) -> list[tuple[ast.expr, ast.expr]] | None:
    """The (target, value) of a block of assignments; None where it does something else."""
    found: list[tuple[ast.expr, ast.expr]] = []
    for statement in block:
        if not isinstance(statement, ast.Assign):
            return None
        found += [(target, statement.value) for target in statement.targets]
    return found


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


@dataclass(frozen=True, slots=True)
class _Asked:
    """A test of the option's value: does it hold where none is passed, and has every rank that is passed the other
    answer? Else it tells ranks apart, as `local_rank > 0` does."""

    holds: bool
    of_all: bool


def _asked(test: ast.expr, dest: str, unset: object) -> _Asked | None:
    """None where something else decides, and where each rank has the answer of none."""
    holds = _reduced(test, dest, unset)
    if not isinstance(holds, bool):
        return None
    numbers = {node.value for node in walk(test) if isinstance(node, ast.Constant) and isinstance(node.value, int)}
    # between and behind 0 and the numbers of the test, all ranks have the same answer
    passed = {0, 1, *(max(0, number + step) for number in numbers for step in (-1, 0, 1))}
    answers = {_reduced(test, dest, rank) for rank in passed}
    if answers == {holds}:
        return None
    alone = len(answers) == 1 and not any(isinstance(each, str) and f".{dest}" in each for each in answers)
    return _Asked(holds, alone)


def _reduced(test: ast.expr, dest: str, value: object) -> bool | str:
    """Does `test` hold where the option's value is `value`? The text of what is left to decide, where it depends on
    something else."""
    if is_value(test, dest, ast.Load):
        return bool(value)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        inner = _reduced(test.operand, dest, value)
        return f"not ({inner})" if isinstance(inner, str) else not inner
    if isinstance(test, ast.BoolOp):
        parts = [_reduced(part, dest, value) for part in test.values]
        settles = isinstance(test.op, ast.Or)
        left = [part for part in parts if isinstance(part, str)]
        if settles in parts:
            return settles
        return f"({(' or ' if settles else ' and ').join(left)})" if left else not settles
    holds = None
    if isinstance(test, ast.Compare) and len(test.ops) == 1 and is_value(test.left, dest, ast.Load):
        with suppress(ValueError, TypeError):
            holds = _compares(test.ops[0], value, ast.literal_eval(test.comparators[0]))
    return ast.unparse(test) if holds is None else holds


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


def _only_replaces(branch: list[ast.stmt], before: list[ast.stmt], dest: str, ranks: Ranks) -> bool:
    """All that the branch does is to give what got the rank before it one that comes from the option's value."""
    set_before = {
        ast.unparse(target)
        for statement in before
        for node in walk(statement)
        if isinstance(node, ast.Assign) and ranks.told(node.value)
        for target in node.targets
    }
    return bool(branch) and all(
        isinstance(statement, ast.Assert)
        or (
            isinstance(statement, ast.Assign)
            and {ast.unparse(target) for target in statement.targets} <= set_before
            and any(is_value(node, dest, ast.Load) for node in walk(statement.value))
        )
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
