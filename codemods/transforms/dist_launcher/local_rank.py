"""The script's `--local_rank`: what becomes of its value under a launcher, and what keeps it from being rewritten."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from ...nodes import end_line, statements, walk
from ...syntax.argparse_options import Option, nodes, options
from .program import SPELLINGS, Program, is_value, of_another_program
from .rank_fallbacks import answered, ranks_of

_LOCAL_FIRST = re.compile(
    r"(?:[\w.]+\.)?local_rank (?:== 0|<= 0|< 1|in [\[({](?:-1, 0|0, -1)[\])}])|not (?:[\w.]+\.)?local_rank"
)
_OTHER_RANK = re.compile(r"(?<!local_)(?<!LOCAL_)rank|node|machine|\bor\b", re.I)
_SAVES = re.compile(
    r"(^|\.)(torch\.save|save_(check|ckpt|model|pretrained|state|weight)\w*|SummaryWriter|wandb\.init|start_run)$"
)

_TAKES_AS_TEXT = frozenset(["print", "str", "repr", "format", "info", "pformat", "pprint", "dump", "dumps"])
_COPIES = frozenset(["vars", "dict", "copy", "deepcopy"])


def spelling(option: Option) -> str:
    """The name of the option that launchers pass, as the script spells it; `-r` may stand before it."""
    return next(name for name in option.names if name in SPELLINGS)


def plain(default: ast.expr | None) -> bool:
    """Is the default a plain value, so that no call or variable behind it may know the rank?"""
    return default is None or isinstance(default, (ast.Constant, ast.UnaryOp))


def kept_default(found: Program, option: Option) -> str:
    """What every rank does when it is passed no local rank, in words."""
    if option.required:
        return f"the script stops, as its {spelling(option)} is required"
    if option.default is None:
        return "every rank would keep the default None"
    value = ast.unparse(option.default).strip("'\"")
    aware = found.says("LOCAL_RANK")  # it joins the others and picks its device by that, or may do so
    if value == "-1":
        return f"every rank would keep the default -1{'' if aware else ' and train alone'}"
    if value == "0":
        return f"every rank would keep the default 0{'' if aware else ' and use the first GPU'}"
    return f"every rank would keep the default {value}"


@dataclass(frozen=True, slots=True)
class RankOption:
    """How the program's `--local_rank` fares when nobody passes it.

    `settled`: the value comes from LOCAL_RANK all the same. `reads`: places that use the value as it is.
    """

    option: Option
    settled: bool
    reads: tuple[tuple[str, int], ...]
    escapes: bool


def rank_options(found: Program) -> list[Option]:
    """The `--local_rank` options of the parser: the entry's own, else those of the nearest modules that define one."""
    own = list(options(found.path, found.entry, *SPELLINGS))
    if own:
        return own
    imported: list[Option] = []
    for path, tree in found.saying(*SPELLINGS):
        if path != found.path:
            others = of_another_program(found, path)
            imported += [option for option in options(path, tree, *SPELLINGS) if id(option.call) not in others]
    return imported


def rank_option(found: Program, option: Option, is_named: Callable[[str], bool], world: bool) -> RankOption:
    """What becomes of `option`'s value in the program. `is_named`: is a function of that name used anywhere?

    `world`: the rank among all is as good as that on the node, or what the script takes for it today.
    """
    dest = option.dest
    stored: dict[str, int] = {}  # path -> line of a store that takes LOCAL_RANK from the environment
    of_ranks = [tree for _, tree in found.saying("RANK")]
    told_elsewhere = {name for tree in of_ranks for name in _attributes_from_environment(tree)} - {dest}
    of_launchers = frozenset(told_elsewhere) if world else frozenset()
    reads: list[tuple[str, int]] = []
    for path, tree in found.saying(dest):
        text = found.text(path)
        neutral = _under_environment_test(tree) | _doubled(tree, option, told_elsewhere)
        readers = _functions_reading(tree, dest)
        idle = [item for item in readers if not (is_named(item.name) and _is_used(found, item.name, path))]
        neutral |= {id(node) for item in idle for node in walk(item)}
        ranks, whole = ranks_of(tree, world, of_launchers), _argument_names(tree)
        neutral |= answered(tree, option, ranks)
        for node in nodes(tree):
            if isinstance(node, (ast.Assign, ast.AnnAssign, ast.AugAssign)):
                targets = node.targets if isinstance(node, ast.Assign) else [node.target]
                inner = [part for target in targets for part in walk(target) if is_value(part, dest, ast.Store)]
                if inner and node.value is not None:
                    source = text if path != found.path else (ast.unparse(node.value))
                    if "LOCAL_RANK" in source or ranks.told(node.value) or id(node) in neutral:
                        stored[path] = min(stored.get(path, node.lineno), node.lineno)
            if (is_value(node, dest, ast.Load) or _reads_key(node, dest, whole)) and id(node) not in neutral:
                reads.append((path, node.lineno))  # type: ignore[attr-defined]
    guards = _none_guards(found.entry, dest)
    reads = [(path, line) for path, line in reads if not (path == found.path and line in guards)]
    early = [line for path, line in reads if path == found.path and line < stored.get(path, 0)]
    fed = bool(stored) and not (found.path in stored and _same_function_before(found.entry, early, stored[found.path]))
    settled = reads_environment(found, option, world) or fed or _kept_as_fallback(found, dest, reads)
    return RankOption(option, settled, tuple(reads), _escapes(found, dest))


def _kept_as_fallback(found: Program, dest: str, reads: list[tuple[str, int]]) -> bool:
    """All that happens to the value is `config["local_rank"] = args.local_rank`, and LOCAL_RANK replaces that entry."""
    kept: set[tuple[str, int]] = set()
    replaced = False
    for path, tree in found.saying(dest):
        for node in nodes(tree):
            target = node.targets[0] if isinstance(node, ast.Assign) and len(node.targets) == 1 else None
            key = target.slice if isinstance(target, ast.Subscript) else None
            if not (isinstance(node, ast.Assign) and isinstance(key, ast.Constant) and key.value == dest):
                continue
            if is_value(node.value, dest, ast.Load):
                kept.add((path, node.value.lineno))
            replaced |= any(isinstance(part, ast.Constant) and part.value == "LOCAL_RANK" for part in walk(node.value))
    return replaced and bool(reads) and kept >= {*reads}


def _is_used(found: Program, name: str, home: str) -> bool:
    """The program uses the function of the module `home`, which it may have for other functions alone.

    What stands below the main guard of a module that it imports belongs to another program.
    """
    if home == found.path:
        return True
    for path, tree in found.saying(name):
        others = of_another_program(found, path) | {id(node) for item in _exports(tree) for node in walk(item)}
        for node in nodes(tree):
            text = node.value if isinstance(node, ast.Constant) else getattr(node, "id", getattr(node, "attr", ""))
            if text == name and id(node) not in others:
                return True
    return False


def _exports(tree: ast.Module) -> Iterator[ast.stmt]:
    """`__all__ = ["train"]`: a package has the function for whoever wants it."""
    for item in tree.body:
        targets = item.targets if isinstance(item, ast.Assign) else [getattr(item, "target", None)]
        if any(isinstance(each, ast.Name) and each.id == "__all__" for each in targets):
            yield item


def _functions_reading(tree: ast.Module, dest: str) -> Iterator[ast.FunctionDef | ast.AsyncFunctionDef]:
    """Plain functions of the module that read a value `dest`."""
    for item in tree.body:
        if (
            isinstance(item, (ast.FunctionDef, ast.AsyncFunctionDef))
            and not item.decorator_list
            and any(is_value(node, dest, ast.Load) for node in walk(item))
        ):
            yield item


def reads_environment(found: Program, option: Option, world: bool) -> bool:
    """Does the default come from LOCAL_RANK, directly or through a variable of the module? `world`: or from RANK?"""
    default = option.default
    return default is not None and ranks_of(found.tree(option.path), world, frozenset()).told(default)


def _from_environment(tree: ast.Module) -> set[str]:
    """Plain names that are assigned something with LOCAL_RANK in it."""
    return {
        target.id
        for node in nodes(tree)
        if isinstance(node, ast.Assign)
        and any(isinstance(part, ast.Constant) and part.value == "LOCAL_RANK" for part in walk(node.value))
        for target in node.targets
        if isinstance(target, ast.Name)
    }


def _under_environment_test(tree: ast.Module) -> set[int]:
    """Nodes under `if 'LOCAL_RANK' not in os.environ:` and kin, where a launcher's ranks need no argument."""
    found: set[int] = set()
    for node in nodes(tree):
        if isinstance(node, ast.If) and any(
            isinstance(n, ast.Constant) and n.value == "LOCAL_RANK" for n in walk(node.test)
        ):
            found |= {id(inner) for statement in node.body for inner in walk(statement)}
    return found


def _attributes_from_environment(tree: ast.Module) -> Iterator[str]:
    """Attributes that get the launcher's rank: `gpu` of `args.gpu = int(os.environ["LOCAL_RANK"])`."""
    for node in nodes(tree):
        if not isinstance(node, ast.Assign):
            continue
        for target, value in _pairs(node):
            if isinstance(target, ast.Attribute) and any(
                isinstance(part, ast.Constant) and part.value in ("LOCAL_RANK", "RANK") for part in walk(value)
            ):
                yield target.attr


def _pairs(node: ast.Assign) -> Iterator[tuple[ast.expr, ast.expr]]:
    """Targets with their values; `a.x, a.y = f(), g()` one by one."""
    for target in node.targets:
        if isinstance(target, ast.Tuple) and isinstance(node.value, ast.Tuple):
            yield from zip(target.elts, node.value.elts, strict=False)
        else:
            yield target, node.value


def _doubled(tree: ast.Module, option: Option, others: set[str]) -> set[int]:
    """Nodes of tests that are true for the option's default, in an `and` with the same test of the launcher's rank.

    `args.local_rank == 0 and args.gpu == 0`, where the default is 0 and `gpu` comes from the environment.
    """
    found: set[int] = set()
    default = option.default.value if isinstance(option.default, ast.Constant) else None
    for node in nodes(tree):
        if not (isinstance(node, ast.BoolOp) and isinstance(node.op, ast.And)):
            continue
        tests = [value for value in node.values if isinstance(value, ast.Compare) and isinstance(value.ops[0], ast.Eq)]
        equal = {
            value.left.attr: value.comparators[0].value
            for value in tests
            if isinstance(value.left, ast.Attribute) and isinstance(value.comparators[0], ast.Constant)
        }
        if any(name in equal for name in others) and equal.get(option.dest, ...) == default:
            found |= {id(inner) for value in tests for inner in ast.walk(value)}
    return found


def _none_guards(tree: ast.Module, dest: str) -> set[int]:
    """Lines of tests like `if args.local_rank is None:` whose body takes the value from LOCAL_RANK."""
    told = re.compile("|".join(["LOCAL_RANK", *(rf"= {name}\b" for name in _from_environment(tree))]))
    return {
        node.test.lineno
        for node in nodes(tree)
        if isinstance(node, ast.If)
        and any(told.search(ast.unparse(statement)) for statement in node.body)
        and any(is_value(part, dest, ast.Load) for part in walk(node.test))
    }


def _same_function_before(tree: ast.Module, lines: list[int], store: int) -> bool:
    """Is one of `lines` in the function that also holds line `store`?"""
    spans = [
        (node.lineno, end_line(node))
        for node in nodes(tree)
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= store <= end_line(node)
    ]
    start, end = max(spans, default=(0, 10**9))
    return any(start <= line <= end for line in lines)


def _reads_key(node: ast.AST, dest: str, names: set[str]) -> bool:
    """`config["local_rank"]` or `config.get("local_rank")`, where `config` is the dict of the arguments."""
    key: ast.expr | None = None
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Load):
        holder, key = node.value, node.slice
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in ("get", "pop"):
        holder, key = node.func.value, node.args[0] if node.args else None
    return isinstance(key, ast.Constant) and key.value == dest and _is_whole(holder, names)


def _escapes(found: Program, dest: str) -> bool:
    """Are the parsed arguments passed whole to something that can't be read here, or by name to a parameter?"""
    names = _argument_names(found.entry)
    takers: set[str] = set()
    by_name: set[str] = set()
    for node in nodes(found.entry):
        if not isinstance(node, ast.Call):
            continue
        given = [*node.args, *(keyword.value for keyword in node.keywords)]
        given = [value.value if isinstance(value, ast.Starred) else value for value in given]
        if any(_is_whole(value, names) for value in given):
            called = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
            if called not in _TAKES_AS_TEXT and called not in _COPIES:
                takers.add(called)
            if any(keyword.arg is None and _is_whole(keyword.value, names) for keyword in node.keywords):
                by_name.add(called)
    defined = {name: list(_defined(found, name)) for name in sorted(takers | by_name if takers else ())}
    if any(_takes(node, dest) for name in by_name & defined.keys() for node in defined[name]):
        return True
    return any(not defined[name] for name in takers)


def _defined(found: Program, name: str) -> Iterator[ast.FunctionDef | ast.ClassDef]:
    """The functions and classes of the name in the program."""
    for path in found.project.may_define(name):
        for node in statements(found.tree(path)) if path in found.paths else ():
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)) and node.name == name:
                yield node


def _takes(node: ast.FunctionDef | ast.ClassDef, name: str) -> bool:
    """A function with a parameter of that name, or for any name; a class with such a method."""
    return any(
        part.kwarg is not None or name in {arg.arg for arg in (*part.posonlyargs, *part.args, *part.kwonlyargs)}
        for part in walk(node)
        if isinstance(part, ast.arguments)
    )


def _is_whole(value: ast.expr, names: set[str]) -> bool:
    """Is this all of the arguments: a name of them, their dict, a copy of that?"""
    if isinstance(value, ast.Name):
        return value.id in names
    if isinstance(value, ast.Attribute):
        return value.attr == "__dict__" and _is_whole(value.value, names)
    if isinstance(value, ast.Dict):
        return any(key is None and _is_whole(part, names) for key, part in zip(value.keys, value.values, strict=True))
    if isinstance(value, ast.Call):
        called = value.func.attr if isinstance(value.func, ast.Attribute) else getattr(value.func, "id", "")
        return _parses(called) or (called in _COPIES and any(_is_whole(part, names) for part in value.args))
    return False


def _parses(called: str) -> bool:
    """A function of this name returns the arguments: `parse_args`, `get_args`."""
    return "parse" in called or "args" in called


def _argument_names(tree: ast.Module) -> set[str]:
    """Names that hold what `parse_args` returned."""
    found = {"args"}
    for node in nodes(tree):
        if isinstance(node, ast.Assign) and _is_whole(node.value, found):
            found |= {target.id for target in node.targets if isinstance(target, ast.Name)}
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            called = node.value.func
            name = called.attr if isinstance(called, ast.Attribute) else getattr(called, "id", "")
            if _parses(name):
                found |= {part.id for target in node.targets for part in walk(target) if isinstance(part, ast.Name)}
    return found


def overwritten_defaults(found: Program) -> int | None:
    """Line of a `set_defaults(**...)` or `vars(args).update(...)` in the entry; None without."""
    return next((call.lineno for call in overwriting(found)), None)


def overwriting(found: Program) -> Iterator[ast.Call]:
    """These calls."""
    for node in nodes(found.entry):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            holder = node.func.value
            whole = isinstance(holder, ast.Call) and getattr(holder.func, "id", "") == "vars"
            whole = whole or (isinstance(holder, ast.Attribute) and holder.attr == "__dict__")
            unpacks = any(keyword.arg is None for keyword in node.keywords)
            if (node.func.attr == "set_defaults" and unpacks) or (node.func.attr == "update" and whole):
                yield node


def first_of_each_node(found: Program) -> Iterator[tuple[str, ast.If, ast.Call]]:
    """Tests that let local rank 0 save or report for all: (path, the test's `if`, what is done).

    On several nodes the first rank of each does it. Tests that look at another rank too are left out, and so is what
    names a rank or node in the file that it writes.
    """
    for path, tree in found.saying("local_rank"):
        for node in nodes(tree):
            if isinstance(node, ast.If) and _for_local_first(node.test):
                done = next((call for statement in node.body for call in walk(statement) if _for_all(call)), None)
                if isinstance(done, ast.Call):
                    yield path, node, done


def _for_local_first(test: ast.expr) -> bool:
    text = ast.unparse(test)
    if _OTHER_RANK.search(text):
        return False
    parts = test.values if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And) else [test]
    return any(_LOCAL_FIRST.fullmatch(ast.unparse(part)) for part in parts)


def _for_all(node: ast.AST) -> bool:
    """Is something saved or reported that there should be one of? Not when its name tells ranks or nodes apart."""
    if not isinstance(node, ast.Call) or not _SAVES.search(ast.unparse(node.func)):
        return False
    return not re.search(r"rank|node", " ".join(ast.unparse(argument) for argument in [*node.args, *node.keywords]))
