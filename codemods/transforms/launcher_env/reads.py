"""Reads of what only a launcher sets (`LOCAL_RANK`, `SLURM_PROCID`...) that raise where none did; their defaults."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...finding import Edit
from ...launch.names import LOCAL, VARIABLES
from ...launch.reachability import guard
from ...syntax.binding_rules import COMPREHENSIONS, FUNCTIONS, LOOPS
from ...syntax.file_tree import position
from ...syntax.names import written
from ...syntax.origins import origin
from ...syntax.outline import Outline
from ...tree.source import Source


@dataclass(frozen=True)
class Read:
    """One read of `variable` that raises when it is not set. `numeric`: it stands in `int(...)`."""

    variable: str
    outline: Outline
    node: ast.Subscript | ast.Call
    numeric: bool

    @property
    def error(self) -> str:
        """What Python says without the variable."""
        return f"KeyError: '{self.variable}'" if isinstance(self.node, ast.Subscript) else "TypeError"


def reads(outline: Outline) -> Iterator[Read]:
    """Every read of a launcher's variable in the file that raises without a launcher."""
    for node in outline.nodes:
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
            variable = written(node.slice)
            if variable in VARIABLES and origin(outline, node.value, _only_meaning) == "os.environ":
                yield Read(variable, outline, node, _is_int_of(outline, node))
        elif isinstance(node, ast.Call) and not _has_default(node):
            variable = written(node.args[0]) if node.args else ""
            numeric = _is_int_of(outline, node)
            if (
                variable in VARIABLES
                and origin(outline, node.func, _only_meaning) in ("os.environ.get", "os.getenv")
                and (numeric or _only_int_of_name(outline, node))
            ):
                yield Read(variable, outline, node, numeric)


def _has_default(call: ast.Call) -> bool:
    passed = [*call.args[1:], *(keyword.value for keyword in call.keywords)]
    return any(not (isinstance(value, ast.Constant) and value.value is None) for value in passed) or len(passed) > 1


def _only_meaning(outline: Outline, node: ast.expr, depth: int) -> str | None:
    """As `special` of `origin`: a name that may mean several things means none of them."""
    return "" if isinstance(node, ast.Name) and len(outline.lookup(node, node.id)[1]) != 1 else None


def _is_int_of(outline: Outline, node: ast.AST) -> bool:
    call = outline.parents.get(node)
    return (
        isinstance(call, ast.Call)
        and isinstance(call.func, ast.Name)
        and call.func.id == "int"
        and len(call.args) == 1
        and not call.keywords
        and not outline.lookup(call, "int")[1]
    )


def _only_int_of_name(outline: Outline, node: ast.Call) -> bool:
    """True for `x = os.environ.get("LOCAL_RANK")` where every use of x in the file is `int(x)`."""
    statement = outline.parents.get(node)
    if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
        return False
    target = statement.targets[0]
    if not isinstance(target, ast.Name) or len(outline.bindings(outline.scope(target), target.id)) != 1:
        return False
    uses = [use for use in outline.nodes if isinstance(use, ast.Name) and use.id == target.id and use is not target]
    return bool(uses) and all(
        _is_int_of(outline, use) and outline.scope(use) is outline.scope(target) and guard(outline, use) is None
        for use in uses
    )


def is_needed_instead(outline: Outline, node: ast.AST) -> bool:
    """It runs where no launcher set another variable: `environ.get("LOCAL_RANK") or environ["SLURM_LOCALID"]`."""
    child, found = node, False
    for parent in outline.ancestors(node):
        if isinstance(parent, ast.BoolOp) and child is not parent.values[0]:
            earlier = [value for value in parent.values if position(value) < position(child)]
            if not isinstance(parent.op, ast.Or) or not all(_gives_none(outline, value) for value in earlier):
                return False
            found = True
        elif isinstance(parent, (ast.If, ast.IfExp)) and child is not parent.test:
            otherwise = parent.orelse if isinstance(parent, ast.If) else [parent.orelse]
            if _is_set(outline, parent.test) is not (ast.NotIn if child not in otherwise else ast.In):
                return False
            found = True
        elif isinstance(parent, (*COMPREHENSIONS, *LOOPS, ast.Lambda, ast.Try, ast.Match)):
            return False
        elif isinstance(parent, (*FUNCTIONS, ast.ClassDef)):
            break
        child = parent
    return found


def is_int_of_unset(outline: Outline, node: ast.AST) -> bool:
    """`int(environ.get("LOCAL_RANK") or environ.get("SLURM_LOCALID"))`, whatever the program knows of its start."""
    return (
        isinstance(node, ast.BoolOp)
        and isinstance(node.op, ast.Or)
        and _is_int_of(outline, node)
        and all(_gives_none(outline, value) for value in node.values)
        and guard(outline, node) is None
    )


def _gives_none(outline: Outline, node: ast.expr) -> bool:
    return (
        isinstance(node, ast.Call)
        and bool(node.args)
        and written(node.args[0]) in VARIABLES
        and not _has_default(node)
        and origin(outline, node.func, _only_meaning) in ("os.environ.get", "os.getenv")
    )


def _is_set(outline: Outline, test: ast.expr) -> type[ast.cmpop] | None:
    """`ast.In` for `"LOCAL_RANK" in os.environ`, `ast.NotIn` for the contrary; None for all others."""
    if not isinstance(test, ast.Compare) or len(test.ops) != 1 or written(test.left) not in VARIABLES:
        return None
    return type(test.ops[0]) if origin(outline, test.comparators[0], _only_meaning) == "os.environ" else None


# What is written instead


_OF_TORCHRUN = {  # torch/distributed/elastic/agent/server/local_elastic_agent.py sets them
    "SLURM_LOCALID": "LOCAL_RANK",
    "SLURM_PROCID": "RANK",
    "SLURM_NTASKS": "WORLD_SIZE",
    "SLURM_NPROCS": "WORLD_SIZE",
    "SLURM_NNODES": "GROUP_WORLD_SIZE",
    "SLURM_JOB_NUM_NODES": "GROUP_WORLD_SIZE",
    "SLURM_NODEID": "GROUP_RANK",
}
# how many there are, 1 where one process runs alone; a rank is 0
SIZES = frozenset(
    {"WORLD_SIZE", "SLURM_NTASKS", "SLURM_NPROCS", "OMPI_COMM_WORLD_SIZE", "MV2_COMM_WORLD_SIZE", "PMI_SIZE"}
)
ONES = SIZES | {"LOCAL_WORLD_SIZE", "SLURM_NNODES", "SLURM_JOB_NUM_NODES"}


def torchrun_edits(read: Read, source: Source) -> tuple[Edit, ...] | None:
    """`read` with torchrun's variable as second choice; None where there is none, or the text has another form."""
    if read.variable not in _OF_TORCHRUN or isinstance(read.node, ast.Subscript):
        return None
    if read.variable in LOCAL:
        return default_edits(read, source)
    getter = source.text_of(read.node.func)
    key = source.text_of(read.node.args[0])
    if not re.fullmatch(r"(['\"])[A-Z_]+\1", key) or len(read.node.args) + len(read.node.keywords) > 1:
        return None
    end = source.range_of(read.node.args[0])[1]
    return (Edit(source.path, end, end, f", {getter}({key[0]}{_OF_TORCHRUN[read.variable]}{key[0]})"),)


def default_edits(read: Read, source: Source) -> tuple[Edit, ...] | None:
    """`read` with the value of one process alone as its default; None where its text has another form."""
    node, key = read.node, (read.node.slice if isinstance(read.node, ast.Subscript) else read.node.args[0])
    start, end = source.range_of(key)
    name = source.text[start:end]
    if not re.fullmatch(r"(['\"])[A-Z_]+\1", name):
        return None
    quote = name[0]
    value = int(read.variable in ONES)
    zero = f"{value}" if read.numeric else f"{quote}{value}{quote}"
    last = source.range_of(node)[1]
    if isinstance(node, ast.Subscript):
        value_end = source.range_of(node.value)[1]
        environ = source.text[source.range_of(node.value)[0] : value_end]
        if source.text[value_end:start].strip() != "[" or source.text[end:last].strip() != "]":
            return None
        getter = f"{environ}.get"
        return (Edit(source.path, value_end, last, f".get({name}, {_fallback(read, getter, quote, zero)})"),)
    function_start, function_end = source.range_of(node.func)
    fallback = _fallback(read, source.text[function_start:function_end], quote, zero)
    passed = [*node.args[1:], *(keyword.value for keyword in node.keywords)]
    if passed:
        where = source.range_of(passed[0])
        return (Edit(source.path, *where, fallback),)
    if source.text[end : last - 1].strip() not in ("", ","):
        return None
    return (Edit(source.path, end, end, f", {fallback}"),)


def _fallback(read: Read, getter: str, quote: str, zero: str) -> str:
    """SLURM's number is torchrun's where torchrun started it."""
    if read.variable == "SLURM_LOCALID":
        return f"{getter}({quote}LOCAL_RANK{quote}, {zero})"
    return zero
