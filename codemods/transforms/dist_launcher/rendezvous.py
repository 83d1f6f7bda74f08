"""Where and as whom the ranks of a program meet: its calls of `init_process_group`."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...finding import Edit, Hop, Refused
from ...launch.names import names
from ...launch.reachability import Reach, Way
from ...nodes import walk
from ...project import Project
from ...syntax.argparse_options import Option, nodes, options
from ...syntax.modules import Modules
from ...syntax.names import last_name
from ...syntax.repo import Repo
from ...syntax.truth import truth
from ...tree.source import Source
from .local_rank import rank_options
from .program import Program, called, is_value

_JOIN = "init_process_group"
_RANKS = ("RANK", "WORLD_SIZE", "MASTER_ADDR", "MASTER_PORT")  # what torch's launchers set
_OTHER_STARTS = re.compile(r"slurm|mpi\b|mpi_|_mpi|horovod", re.I)  # branches that a launcher of torch doesn't enter
_ASKED = re.compile(r"is for runs that a launcher started$")  # what `Reach` says of `init_distributed_mode` and kin
_ASKED_FOR = re.compile(r"environ\.get$|getenv$")


@dataclass(frozen=True, slots=True)
class Address:
    """A `tcp://` address, `value`, for the group that `call` joins; `option` when it is the default of one."""

    path: str
    call: ast.Call
    value: ast.expr
    option: Option | None = None

    @property
    def one_machine(self) -> bool:
        """Can only ranks of one machine meet there?"""
        return re.search(r"//(?:127\.0\.0\.1|localhost)\b", ast.unparse(self.value)) is not None

    @property
    def hop(self) -> Hop:
        """Where it stands."""
        return Hop(self.option.path if self.option is not None else self.path, self.value.lineno, "the address")


def fixed_address(found: Program, passes: Callable[[str], bool]) -> Address | None:
    """The `tcp://` address at which the program's ranks meet, written in the call or as an option's default.

    One that is made of the launcher's MASTER_PORT is none: there the ranks do find each other.
    """
    for path, tree in found.saying(_JOIN):
        for call in _joins(tree):
            method = _method(call)
            if isinstance(method, ast.Attribute):
                spelled = (f"--{method.attr}", f"--{method.attr.replace('_', '-')}")
                modules = found.saying("add_argument")
                given = [option for where, module in modules for option in options(where, module, *spelled)]
                for option in given if not any(passes(name) for name in spelled) else ():
                    if option.default is not None and _is_fixed(found, option.default):
                        return Address(path, call, option.default, option)
            elif method is not None and _is_fixed(found, method):
                return Address(path, call, method)
    return None


def joins_alone(found: Program, at: Address) -> bool:
    """Does a plain start join as the only rank there: rank 0 of 1, as written or by default?"""
    given = {keyword.arg: keyword.value for keyword in at.call.keywords}

    def is_number(value: ast.expr | None, number: int) -> bool:
        if not isinstance(value, ast.Attribute):
            return isinstance(value, ast.Constant) and value.value == number
        spelled = (f"--{value.attr}", f"--{value.attr.replace('_', '-')}")
        declared = [each for where, tree in found.saying("add_argument") for each in options(where, tree, *spelled)]
        return any(isinstance(each.default, ast.Constant) and each.default.value == number for each in declared)

    return is_number(given.get("world_size"), 1) and is_number(given.get("rank"), 0)


def joins_others(found: Program) -> bool:
    """Does the program name `init_process_group`, or mmcv's `init_dist` and kin, elsewhere than in a function that it
    never names itself?"""
    return any(
        not isinstance(statement, ast.FunctionDef)
        or any(_names(tree, statement.name) for _, tree in found.saying(statement.name))
        for join in sorted(names("joins_group"))
        for _, module in found.saying(join)
        for statement in module.body
        if _names(statement, join)
    )


def ranks_by_option(found: Program) -> bool:
    """Each group that the program joins asks another option than that of a launcher for the rank: `--global-rank`.

    No launcher passes that, so whoever starts the program passes both, and a launcher alone does not get it to work.
    """
    if found.says('"RANK"', "'RANK'", "PROCID"):
        return False
    given = [
        next((keyword.value for keyword in call.keywords if keyword.arg == "rank"), None)
        for _, tree in found.saying(_JOIN)
        for call in _joins(tree)
    ]
    names = {node.attr if isinstance(node, ast.Attribute) else "" for node in given}
    return bool(names) and all(
        name
        and "local" not in name
        and any(options(found.path, found.entry, f"--{name}", f"--{name.replace('_', '-')}"))
        and not any(is_value(node, name, ast.Store) for _, tree in found.saying(name) for node in nodes(tree))
        for name in names
    )


def _names(code: ast.AST, name: str) -> bool:
    """A use of the name, or an import of it under another one."""
    return any(
        node.asname is not None and node.name == name
        if isinstance(node, ast.alias)
        else isinstance(node, (ast.Name, ast.Attribute)) and last_name(node) == name
        for node in walk(code)
    )


def asks_the_environment(
    project: Project, modules: Modules, found: Program
) -> tuple[Hop, list[str], tuple[Hop, ...]] | None:
    """Where a plain start of the program joins a group that RANK and MASTER_ADDR describe, and which of these it needs.

    The last are the calls on the way there.

    None where a test of any kind stands before, and where the program sets these itself.
    """
    if sets_ranks(found) or found.matches(_OTHER_STARTS):
        return None
    repo = Repo(project)
    reach = Reach(repo, modules)
    for path, tree in found.saying(_JOIN):
        outline = repo.outline(path)
        for call in _joins(tree) if outline is not None else ():
            method, words = _method(call), {keyword.arg for keyword in call.keywords}
            backend = next(
                (keyword.value for keyword in call.keywords if keyword.arg == "backend"), [*call.args, None][0]
            )
            if words & {"store", None} or (isinstance(backend, ast.Constant) and "mpi" in str(backend.value)):
                continue
            if method is not None and not (isinstance(method, ast.Constant) and method.value in ("env://", None)):
                continue
            assert outline is not None
            way = reach.way(outline, call)
            if isinstance(way, Way) and way.scopes[-1][0].path == found.path:
                needed = [name for name in _RANKS[:3] if name.lower() not in words]
                return Hop(path, call.lineno, "waits for the other ranks"), needed, way.hops
    return None


def sets_ranks(found: Program) -> bool:
    """Does the program itself set what a launcher would, so that it may be started without one?"""
    for _, tree in found.saying(*_RANKS):
        elsewhere = _elsewhere(tree)
        named = (item for node in nodes(tree) if id(node) not in elsewhere for item in _names_set(node))
        if any(isinstance(item, ast.Constant) and item.value in _RANKS for item in named):
            return True
    return False


def _names_set(node: ast.AST) -> Sequence[ast.expr | None]:
    """The keys that `environ[key] = ...`, `setdefault(key, ...)`, `update(key=...)` or a dict set."""
    if isinstance(node, ast.Subscript):
        return [node.slice] if isinstance(node.ctx, ast.Store) else []
    if isinstance(node, ast.Call) and called(node) in ("setdefault", "putenv", "setenv"):
        return node.args[:1]
    if isinstance(node, ast.Call) and called(node) in ("update", "dict"):
        return [ast.Constant(keyword.arg) for keyword in node.keywords]
    return node.keys if isinstance(node, ast.Dict) else []


def _elsewhere(tree: ast.Module) -> set[int]:
    """Nodes of functions and branches that ranks of torch's launchers don't get to."""
    return {
        id(inner)
        for node in nodes(tree)
        if (isinstance(node, ast.FunctionDef) and _OTHER_STARTS.search(node.name))
        or (isinstance(node, ast.If) and _OTHER_STARTS.search(ast.unparse(node.test)))
        for statement in node.body
        for inner in walk(statement)
    }


def _joins(tree: ast.Module) -> Iterator[ast.Call]:
    """The calls of `init_process_group` that ranks of torch's launchers can get to, and where they meet others."""
    joins = [node for node in nodes(tree) if isinstance(node, ast.Call) and called(node) == _JOIN]
    elsewhere = _elsewhere(tree) | _inside(_unlaunched(tree)) if joins else ()
    yield from (node for node in joins if id(node) not in elsewhere and not _is_alone(node))


def _unlaunched(tree: ast.Module) -> Iterator[Sequence[ast.stmt]]:
    """What runs only where the variables of torch's launchers are missing: branches, and handlers of a KeyError."""
    for node in nodes(tree):
        if isinstance(node, ast.If) and (launched := truth(node.test, _is_launched)) is not None:
            yield node.orelse if launched else node.body
        elif isinstance(node, ast.Try) and any(_reads_rank(inner) for each in node.body for inner in walk(each)):
            yield from (handler.body for handler in node.handlers)


def _inside(blocks: Iterable[Sequence[ast.stmt]]) -> set[int]:
    """All nodes of the blocks, by id."""
    return {id(inner) for block in blocks for each in block for inner in walk(each)}


def _reads_rank(node: ast.AST) -> bool:
    """`os.environ["RANK"]` or another of these, which fails without a launcher."""
    return isinstance(node, ast.Subscript) and _is_environment(node.value) and _is_rank(node.slice)


def _is_launched(test: ast.expr) -> bool | None:
    """What a part of a test gives under torch's launchers, where it asks for nothing but their variables."""
    if isinstance(test, ast.Compare) and len(test.ops) == 1:
        operator, other = test.ops[0], test.comparators[0]
        if isinstance(operator, (ast.In, ast.NotIn)) and _is_rank(test.left) and _is_environment(other):
            return isinstance(operator, ast.In)
        if isinstance(operator, (ast.Is, ast.IsNot)) and isinstance(other, ast.Constant) and other.value is None:
            return isinstance(operator, ast.IsNot) if _asks_rank(test.left) else None
    return True if _asks_rank(test) else None


def _asks_rank(node: ast.expr) -> bool:
    """`os.environ.get("RANK")`"""
    return (
        isinstance(node, ast.Call)
        and len(node.args) == 1
        and _ASKED_FOR.search(ast.unparse(node.func)) is not None
        and _is_rank(node.args[0])
    )


def _is_rank(key: ast.expr) -> bool:
    return isinstance(key, ast.Constant) and key.value in (*_RANKS, "LOCAL_RANK", "LOCAL_WORLD_SIZE")


def _is_environment(node: ast.expr) -> bool:
    return last_name(node) == "environ"


def _is_alone(join: ast.Call) -> bool:
    """Does the call make a group of this process alone? Then there is nobody to meet, whatever the address."""
    said = {keyword.arg: keyword.value for keyword in join.keywords}
    rank, size = (getattr(said.get(name), "value", None) for name in ("rank", "world_size"))
    return (rank, size) == (0, 1)


def _method(call: ast.Call) -> ast.expr | None:
    given = next((keyword.value for keyword in call.keywords if keyword.arg == "init_method"), None)
    return given if given is not None or len(call.args) < 2 else call.args[1]


def _is_fixed(found: Program, value: ast.expr) -> bool:
    words = [str(part.value) for part in walk(value) if isinstance(part, ast.Constant)]
    return any(word.startswith("tcp://") for word in words) and not _reads_port(found, value)


def _reads_port(found: Program, value: ast.expr, depth: int = 0) -> bool:
    """Does MASTER_PORT stand in `value`, in what its names are given, or in the defaults of its options?"""
    for part in walk(value):
        if isinstance(part, ast.Constant) and part.value == "MASTER_PORT":
            return True
        if depth < 3 and isinstance(part, (ast.Name, ast.Attribute)):  # `args.port`, by default `port` of the script
            given = (item for item in _given(found, part) if item is not None)
            if any(_reads_port(found, item, depth + 1) for item in given):
                return True
    return False


def _given(found: Program, target: ast.Name | ast.Attribute) -> Iterator[ast.expr | None]:
    """As `_stores`, with the default of an option of this name."""
    yield from _stores(found, target)
    if isinstance(target, ast.Attribute):
        spelled = f"--{target.attr}", f"--{target.attr.replace('_', '-')}"
        for path, tree in found.saying(target.attr):
            yield from (option.default for option in options(path, tree, *spelled))


def met_by_environment(project: Project, modules: Modules, found: Program, at: Address, one_node: bool) -> list[Edit]:
    """The edits that let the ranks meet at `env://`. Raises Refused where more may rely on the address.

    Allowed when no other way to start the program can have used it: rank and size come from the launcher, or the rank
    is the local one, on `one_node` and where one process alone does not get to.
    """
    source = project.source(at.path)
    assert source is not None
    if sets_ranks(found):
        raise Refused("the script sets RANK or MASTER_ADDR itself, for other ways to start it")
    if len(at.call.args) > 2 or any(keyword.arg is None for keyword in at.call.keywords):
        raise Refused("its arguments are put together at run time")
    if any(isinstance(part, ast.Constant) and "?" in str(part.value) for part in walk(at.value)):
        raise Refused("the address says who is who")
    given = {keyword.arg: keyword.value for keyword in at.call.keywords}
    rank, size = given.get("rank"), given.get("world_size")
    told = all(_told(found, value, name) for value, name in ((rank, "RANK"), (size, "WORLD_SIZE")))
    if not told and not _told(found, rank, "RANK"):
        if rank is None or last_name(rank) != "local_rank":
            raise Refused("the rank doesn't come from the launcher")
        if not one_node:
            raise Refused("the local rank is no rank among several nodes")
        if not (_fails_alone(found, rank) or _after_a_test(project, modules, at)):
            raise Refused("it can be what one process alone, without a launcher, uses too")
    if at.option is not None and (other := _other_use(found, at.option.dest, at.call)) is not None:
        raise Refused(f"{other[0]}:{other[1]} looks at the address too")
    dropped = set() if told else {"rank", "world_size"} & given.keys()
    edits = [] if at.option is None and dropped else [_replaced(project, at)]
    if dropped:
        edits.append(_without(source, at.call, dropped, address=at.option is None))
    return edits


def _fails_alone(found: Program, rank: ast.expr) -> bool:
    """Is `rank` an option that nobody joins with when it is left out: -1, or None?"""
    named = rank_options(found) if isinstance(rank, ast.Attribute) else []
    stored = any(
        isinstance(node, ast.Attribute) and node.attr == "local_rank" and isinstance(node.ctx, ast.Store)
        for _, tree in found.saying("local_rank")
        for node in nodes(tree)
    )
    if len(named) != 1 or named[0].dest != "local_rank" or stored:
        return False
    default = named[0].default
    return default is None or re.search(r"-1\b", ast.unparse(default)) is not None


def _after_a_test(project: Project, modules: Modules, at: Address) -> bool:
    """Does every way to the call ask how the program was started?"""
    outline = Repo(project).outline(at.path)
    way = Reach(Repo(project), modules).way(outline, at.call) if outline is not None else ""
    return way is None or (isinstance(way, str) and _ASKED.search(way) is not None)


def _replaced(project: Project, at: Address) -> Edit:
    source = project.source(at.hop.path)
    assert source is not None
    start, end = source.range_of(at.value)
    quote = "'" if "'tcp" in source.text[start:end] else '"'
    return Edit(source.path, start, end, f"{quote}env://{quote}")


def _without(source: Source, call: ast.Call, names: set[str], address: bool) -> Edit:
    """The call without the arguments `names`, and with `env://` for its address."""
    import libcst as cst  # takes long; only a call that is rewritten needs it

    start, end = source.range_of(call)
    text = source.text[start:end].replace("\r\n", "\n")
    if "#" in text:
        raise Refused("comments stand between its arguments")
    tree = cst.ensure_type(cst.parse_expression(text), cst.Call)
    quote = "'" if "'tcp" in text else '"'
    kept: list[cst.Arg] = []
    for at, argument in enumerate(tree.args):
        name = argument.keyword.value if argument.keyword is not None else ""
        if name in names:
            continue
        if address and (name == "init_method" or (not name and at == 1)):
            argument = argument.with_changes(value=cst.SimpleString(f"{quote}env://{quote}"))
        kept.append(argument)
    last = tree.args[-1]
    kept[-1] = kept[-1].with_changes(comma=last.comma, whitespace_after_arg=last.whitespace_after_arg)
    return Edit(source.path, start, end, cst.Module([]).code_for_node(tree.with_changes(args=kept)))


def _told(found: Program, value: ast.expr | None, variable: str, depth: int = 0) -> bool:
    """Does `value` come from the launcher's `variable`, so that it fails where there is none? Left out: so it does."""
    if value is None:
        return True
    if depth > 8:  # `rank = int(rank)`
        return False
    if isinstance(value, ast.Call) and called(value) == "int" and len(value.args) == 1:
        return _told(found, value.args[0], variable, depth + 1)
    if isinstance(value, ast.Subscript):
        read: ast.expr | None = value.slice if _is_environment(value.value) else None
    elif isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
        read = value.args[0] if _ASKED_FOR.search(ast.unparse(value.func)) else None
    elif isinstance(value, (ast.Name, ast.Attribute)):
        stored = list(_stores(found, value))
        return bool(stored) and all(item is not None and _told(found, item, variable, depth + 1) for item in stored)
    else:
        return False
    return isinstance(read, ast.Constant) and read.value == variable


def _stores(found: Program, target: ast.Name | ast.Attribute) -> Iterator[ast.expr | None]:
    """What the program gives a name or attribute of this spelling, anywhere; None for what is no plain assignment.

    Not where it has no launcher, and leaves the function for that reason.
    """
    name = last_name(target)
    assert name is not None
    for path, tree in found.saying(name):
        left = _inside(block for block in _unlaunched(tree) if block and isinstance(block[-1], (ast.Return, ast.Raise)))
        if isinstance(target, ast.Attribute):
            yield from (None for _ in options(path, tree, f"--{name}", f"--{name.replace('_', '-')}"))
        plain: dict[int, ast.expr] = {}
        for node in nodes(tree):
            if isinstance(node, ast.Assign):
                plain |= {id(target): node.value for target in node.targets}
            elif isinstance(node, ast.arg) and isinstance(target, ast.Name) and node.arg == name:
                yield None
            elif isinstance(node, type(target)) and isinstance(node.ctx, ast.Store) and last_name(node) == name:
                yield from () if id(node) in left else (plain.get(id(node)),)


def _other_use(found: Program, dest: str, call: ast.Call) -> tuple[str, int] | None:
    """Where the program uses or sets `args.dest` outside of `call`; None when it doesn't."""
    own = {id(node) for node in walk(call)}
    for path, tree in found.saying(dest):
        printed = {
            id(inner)
            for node in nodes(tree)
            if isinstance(node, ast.Call) and called(node) in ("print", "info")
            for inner in walk(node)
        }
        for node in nodes(tree):
            if isinstance(node, ast.Attribute) and node.attr == dest and id(node) not in own | printed:
                return path, node.lineno
    return None


def local_as_world(found: Program) -> Iterator[tuple[str, ast.Call, str]]:
    """Calls that take `args.local_rank` for the rank among all: (path, call, what is passed)."""
    for path, tree in found.saying("local_rank"):
        for node in nodes(tree):
            if isinstance(node, ast.Call) and called(node) in ("init_process_group", "DistributedSampler"):
                for keyword in node.keywords:
                    if keyword.arg == "rank" and is_value(keyword.value, "local_rank", ast.Load):
                        yield path, node, ast.unparse(keyword.value)
