"""Programs that start their ranks themselves, with `mp.spawn` or processes, and what a launcher means to them."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ...launch.lines import LaunchLine, Starter
from ...syntax.argparse_options import nodes, options
from ...syntax.main_guard import is_main_guard
from .program import SPELLINGS, Program, called

_ASKS = re.compile(r"environ|getenv|torchelastic")
_RANKS = re.compile(r"(?:environ(?:\.get)?|getenv)[\[(]['\"](?:RANK|LOCAL_RANK|WORLD_SIZE)['\"]")
_ADDRESS = re.compile(r"environ(?:\[|\.setdefault\()\s*['\"]MASTER_ADDR")
_SPAWNERS = ("spawn", "start_processes")
_STARTERS = (*_SPAWNERS, "Process")
_NAMES_STARTER = re.compile(r"spawn(?<!\wspawn)\b|start_processes|Process(?<!\wProcess)\b")
_HOPS = 3  # names for the number of ranks that are followed
_SET_BY_LAUNCHER = ("RANK", "LOCAL_RANK", "WORLD_SIZE", "LOCAL_WORLD_SIZE")


@dataclass(frozen=True, slots=True)
class OwnRanks:
    """The program starts its ranks itself: `count` of them (an expression), under the tests `conditions`."""

    path: str
    line: int
    call: str
    count: ast.expr | None
    conditions: tuple[ast.expr, ...]
    rendezvous: bool  # the program names its own address: tcp://, file:// or MASTER_ADDR
    standalone: bool = False  # no branch of it reads what a launcher sets: it is right under plain python


def own_ranks(found: Program) -> OwnRanks | None:
    """Where the program starts its ranks itself; None when it doesn't, or what it starts are no ranks."""
    ranked = any(
        isinstance(node, ast.Call) and called(node) == "init_process_group" and _is_ranked(node)
        for _, tree in found.saying("init_process_group")
        for node in nodes(tree)
    )
    if not ranked:
        return None
    project = found.project
    rendezvous = found.says("tcp://", "file://") or any(
        project.holds(path, "MASTER_ADDR") and project.holds(path, _ADDRESS) for path in found.paths
    )
    calls = {called(node) for node in nodes(found.entry) if isinstance(node, ast.Call)}
    for path in found.paths:
        if not found.says_in(path, *_STARTERS) or not project.holds(path, _NAMES_STARTER):
            continue
        tree = found.tree(path)
        aliases = _aliases(tree)
        if not any(isinstance(node, ast.Call) and _name(node, aliases) in _STARTERS for node in nodes(tree)):
            continue
        for holder, node, tests in _calls_with_tests(tree):
            if path != found.path and holder not in calls:
                continue
            count = _rank_count(found, node, tree, aliases)
            if not isinstance(count, bool):
                standalone = rendezvous and not _needs_launcher(found)
                return OwnRanks(path, node.lineno, called(node), count, tests, rendezvous, standalone)
    return None


def _is_ranked(join: ast.Call) -> bool:
    """Does the call of `init_process_group` say which rank this is?"""
    return len(join.args) > 3 or any(keyword.arg in ("rank", "world_size") for keyword in join.keywords)


def _rank_count(found: Program, node: ast.Call, tree: ast.Module, aliases: dict[str, str]) -> ast.expr | bool | None:
    """How many processes the call starts (an expression or None); False when it starts no ranks."""
    name = _name(node, aliases)
    if name in _SPAWNERS:
        base = ast.unparse(node.func.value) if isinstance(node.func, ast.Attribute) else ""
        base = aliases.get(base, base)
        if base and not base.endswith(("mp", "multiprocessing")):
            return False
        given = next((keyword.value for keyword in node.keywords if keyword.arg == "nprocs"), None)
        return given if given is not None else node.args[2] if len(node.args) > 2 else None
    if name == "Process":
        target = next((keyword.value for keyword in node.keywords if keyword.arg == "target"), None)
        name = target.id if isinstance(target, ast.Name) else target.attr if isinstance(target, ast.Attribute) else ""
        for function in _defined(found, tree, name):
            if "init_process_group" in ast.unparse(function):
                return _loop_count(node, tree)
    return False


def _defined(found: Program, tree: ast.Module, name: str) -> Iterator[ast.FunctionDef]:
    """Functions of that name in the file, or else in the program's files that join a group: `utils.init_processes`."""
    here = [node for node in nodes(tree) if isinstance(node, ast.FunctionDef) and node.name == name]
    others = [other for _, other in found.saying("init_process_group")] if name and not here else ()
    yield from here
    for other in others:
        yield from (node for node in other.body if isinstance(node, ast.FunctionDef) and node.name == name)


def _name(call: ast.Call, aliases: dict[str, str]) -> str:
    """The name of what is called, before an import gave it another."""
    name = called(call)
    return name if isinstance(call.func, ast.Attribute) else aliases.get(name, name)


def _aliases(tree: ast.Module) -> dict[str, str]:
    """Other names of multiprocessing and its functions: `import torch.multiprocessing as tmp`, `import spawn as go`."""
    found: dict[str, str] = {}
    for node in nodes(tree):
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            found |= {alias.asname: alias.name for alias in node.names if alias.asname}
    return found


def _needs_launcher(found: Program) -> bool:
    """Does some branch of the program read what a launcher sets or passes?"""
    for path, tree in found.modules():
        if any(
            isinstance(node, ast.Call) and called(node) == "init_process_group" and not _is_ranked(node)
            for node in nodes(tree)
        ):
            return True
        if any(option for option in options(path, tree, *SPELLINGS)):
            return True
        if found.says_in(path, "torchelastic"):
            return True
        stored = {
            id(node.slice)
            for node in nodes(tree)
            if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store)
        }
        stored |= {
            id(node.args[0])
            for node in nodes(tree)
            if isinstance(node, ast.Call) and called(node) in ("setdefault", "putenv") and node.args
        }
        stored |= {id(key) for node in nodes(tree) if isinstance(node, ast.Dict) for key in node.keys}
        if any(
            isinstance(node, ast.Constant) and node.value in _SET_BY_LAUNCHER and id(node) not in stored
            for node in nodes(tree)
        ):
            return True
    return False


def under_line(own: OwnRanks, found: Program, line: LaunchLine) -> OwnRanks | None:
    """`own` as it is when `line` starts the program; None when it leaves the ranks to the launcher there.

    Tests of switches (`if args.spawn:`) are settled by the line, tests of the environment by the launcher.
    """
    open_tests: list[ast.expr] = []
    for test in own.conditions:
        wanted, plain = True, test
        while isinstance(plain, ast.UnaryOp) and isinstance(plain.op, ast.Not):
            wanted, plain = not wanted, plain.operand
        if _ASKS.search(ast.unparse(plain)) or _asked_before(found, plain):
            return None
        given = _switch(found, plain, line)
        if given is None:
            given = _set_for_launcher(found, plain)
        if given is None and not own.standalone:
            open_tests.append(test)
        elif given is not None and given != wanted:
            return None
    if open_tests and line.starter is not Starter.LAUNCH:
        return None  # started by torchrun on purpose: the test is there for it
    return replace(own, conditions=tuple(open_tests))


def _asked_before(found: Program, test: ast.expr) -> bool:
    """Does the test read what was set to something of the environment (`launched = "RANK" in os.environ`)?"""
    return any(_ASKS.search(ast.unparse(value)) for value, _ in _values(found, test))


def _set_for_launcher(found: Program, test: ast.expr) -> bool | None:
    """True or False for a flag that code which reads the launcher's RANK sets to that (`cfg.no_spawn = True`)."""
    told = {
        value.value
        for value, text in _values(found, test)
        if isinstance(value, ast.Constant) and isinstance(value.value, bool) and _RANKS.search(text)
    }
    return told.pop() if len(told) == 1 else None


def _values(found: Program, test: ast.expr) -> Iterator[tuple[ast.expr, str]]:
    """What the program sets the name or attribute `test` to, each with the text of the function that does so."""
    name = test.attr if isinstance(test, ast.Attribute) else test.id if isinstance(test, ast.Name) else ""
    is_set = re.compile(rf"\b{re.escape(name)}\s*=(?!=)")
    for path in found.paths if name else ():
        if not found.project.holds(path, is_set):
            continue
        tree = found.tree(path)
        for function in [tree, *(node for node in nodes(tree) if isinstance(node, ast.FunctionDef))]:
            own = function.body if isinstance(function, ast.FunctionDef) else []
            text = "\n".join(map(ast.unparse, own))
            for node in ast.walk(function) if own else tree.body:
                if not isinstance(node, ast.Assign) or type(node.targets[0]) is not type(test):
                    continue
                target = node.targets[0]
                if getattr(target, "attr", "") == name or getattr(target, "id", "") == name:
                    yield node.value, text


def _switch(found: Program, test: ast.expr, line: LaunchLine) -> bool | None:
    """Is the `store_true` option behind `args.name` on the line? None when that can't be told."""
    if not (isinstance(test, ast.Attribute) and isinstance(test.value, ast.Name)):
        return None
    spellings = (f"--{test.attr}", f"--{test.attr.replace('_', '-')}")
    for option in options(found.path, found.entry, *spellings):
        action = option.keywords.get("action")
        if isinstance(action, ast.Constant) and action.value == "store_true":
            if any(line.passes(name) for name in option.names):
                return True
            return None if line.extra_arguments else False
    return None


def same_count(line: LaunchLine, own: OwnRanks, found: Program) -> bool | None:
    """Does the program start as many ranks as the line asks the launcher for? None where the line does not say."""
    flag = line.flag("nproc-per-node")
    assert flag is not None
    asked = flag.value
    written = flag.words[-1].text.partition("=")[2] if "=" in flag.words[-1].text else flag.words[-1].text
    count = _settled(own, found)
    if count is None:
        return None
    if "device_count" in ast.unparse(count):
        visible = dict(line.command.environment).get("CUDA_VISIBLE_DEVICES", "").strip("\"'")
        devices = [device for device in visible.split(",") if device]
        if asked in ("gpu", "auto") or "nvidia-smi" in written:
            return True
        return asked == str(len(devices)) if devices and asked is not None else None
    if isinstance(count, ast.Constant):
        return asked == str(count.value) if asked is not None else None
    if isinstance(count, ast.Attribute):
        given = line.parsed(count.attr)
        if given is not None:
            shown = given.text.partition("=")[2] if given.text.startswith("--") else given.text
            if (asked is not None and asked == given.value) or shown.strip('"') == written.strip('"'):
                return True
            return False if asked is not None and given.value is not None else None
        for name in (f"--{count.attr}", f"--{count.attr.replace('_', '-')}"):
            for option in options(found.path, found.entry, name):
                default = option.default
                if isinstance(default, ast.Constant) and not line.extra_arguments and asked is not None:
                    return asked == str(default.value)
    return None


def _settled(own: OwnRanks, found: Program) -> ast.expr | None:
    """The number of ranks, where it is a variable that is set once: what that is set to."""
    count = own.count
    for _ in range(_HOPS):
        if not isinstance(count, ast.Name):
            break
        name, bound = count.id, list[ast.AST]()
        for node in nodes(found.tree(own.path)):
            if isinstance(node, (ast.arg, ast.Name)) and name == getattr(node, "arg", getattr(node, "id", "")):
                bound += [] if isinstance(getattr(node, "ctx", None), ast.Load) else [node]
        sets = [node for node in nodes(found.tree(own.path)) if isinstance(node, ast.Assign)]
        value = next((node.value for node in sets if node.targets[0] in bound), None)
        if len(bound) != 1 or value is None:
            return None
        count = value
    return count


def _loop_count(node: ast.Call, tree: ast.Module) -> ast.expr | None:
    for loop in nodes(tree):
        if not (isinstance(loop, ast.For) and isinstance(loop.iter, ast.Call) and called(loop.iter) == "range"):
            continue
        if len(loop.iter.args) == 1 and any(inner is node for inner in ast.walk(loop)):
            return loop.iter.args[0]
    return None


_Guarded = tuple[str, ast.Call, tuple[ast.expr, ...]]


def _calls_with_tests(tree: ast.Module) -> Iterator[_Guarded]:
    """Every call with the function that holds it and the `if` tests it stands under (main guards left out)."""

    def block(statements: list[ast.stmt], holder: str, tests: tuple[ast.expr, ...]) -> Iterator[_Guarded]:
        for statement in statements:
            yield from walk(statement, holder, tests)
            if isinstance(statement, ast.If) and isinstance(statement.body[-1], (ast.Return, ast.Raise)):
                tests = (*tests, ast.UnaryOp(ast.Not(), statement.test))  # `if launched: ...; return`

    def walk(node: ast.AST, holder: str, tests: tuple[ast.expr, ...]) -> Iterator[_Guarded]:
        if isinstance(node, ast.Call):
            yield holder, node, tests
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            holder, tests = node.name, ()
        if isinstance(node, ast.If) and not is_main_guard(node):
            yield from walk(node.test, holder, tests)
            yield from block(node.body, holder, (*tests, node.test))
            yield from block(node.orelse, holder, (*tests, ast.UnaryOp(ast.Not(), node.test)))
            return
        for _, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                yield from block(value, holder, tests)
            else:
                for child in value if isinstance(value, list) else [value]:
                    if isinstance(child, ast.AST):
                        yield from walk(child, holder, tests)

    yield from walk(tree, "", ())
