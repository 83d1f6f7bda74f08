"""What a child that imports the script should not do once more: train, write files, join ranks, use the GPU."""

from __future__ import annotations

import ast
import builtins
import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from enum import IntEnum

from ...syntax.callees import FUNCTIONS, Function
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from ...syntax.resolver import Class, method
from ...syntax.tried import around
from .commands import only_asks
from .data import names
from .made_folders import has_new_name, must_be_missing
from .own_nodes import own_nodes
from .starts.process_starts import Starts
from .statements import LOG_METHODS, print_call

_DEVICE = re.compile(r"device|cuda|gpu", re.IGNORECASE)
_SHOWS = frozenset(  # what may be asked for in the arguments of a `print`
    [
        "str", "int", "float", "bool", "repr", "len", "type", "round", "sum", "min", "max", "sorted", "list", "tuple",
        "dict", "set", "vars", "format", "join", "upper", "lower", "strip", "items", "keys", "values", "size", "numel",
        "item", "tolist", "device_count", "is_available", "cpu_count", "get_device_name", "getpid", "getattr",
        "hasattr", "isinstance", "abs", "any", "all", "zip", "range", "enumerate", "getcwd", "gethostname",
        "basename", "dirname", "abspath", "dumps", "pformat", "ctime", "strftime", "now", "title", "ljust", "rjust",
        "center", "mean", "std", "get_device_properties", "get_device_capability", "get_num_threads",
    ]
)  # fmt: skip
_DEPTH = 2  # functions of the repository that are looked into
_AT_EXIT = "atexit.register"
_WRITES = "opens a file for writing"
_KEEPS = "opens a file for writing, and keeps it open"
_COMPUTES, _OPENS = "computes", "opens"
_LOG = re.compile(r"log", re.IGNORECASE)
_ABOUT_INPUT = frozenset(("isatty", "fileno", "encoding", "reconfigure", "closed", "close"))
_ASKS_FIRST = re.compile(r"exists|isdir|is_dir|isfile|is_file")


class Harm(IntEnum):
    """What it costs that every child does it again."""

    LITTLE = 1  # a folder that exists by then, a small file that is read, a computation
    COSTLY = 2  # time, memory or GPU memory in each worker, one more file of a log
    WRONG = 3  # a file is overwritten, a question asked, a rank joined once more


@dataclass(frozen=True)
class Repeated:
    """What every child would do again, in words, and what that costs."""

    what: str
    harm: Harm
    surely: bool = True  # not under a condition of a function that is called

    @property
    def is_quick(self) -> bool:
        """A folder that exists by then, a small file: no reason to put imports below it under a guard."""
        return self.harm is Harm.LITTLE and not self.what.startswith((_COMPUTES, _OPENS))


def repeated(starts: Starts, outline: Outline, statement: ast.stmt, depth: int = 0) -> Repeated | None:
    """What `statement` does that every child would do again; None when it only sets things up."""
    worst = (
        Repeated("reads the standard input, which no child has", Harm.WRONG)
        if _reads_input(outline, statement)
        else None
    )
    for call in (node for node in own_nodes([statement]) if isinstance(node, ast.Call)):
        does = [_does(outline, call)]
        for other, function in _called(starts, outline, call) if depth < _DEPTH else ():
            if _computes(other, function):
                does.append(Repeated(f"{_COMPUTES} in `{function.name}`", Harm.LITTLE))
            does += [repeated(starts, other, inner, depth + 1) for inner in function.body]
        for found in does:
            if (
                found is not None
                and found.what == _WRITES
                and found is not does[0]
                and not isinstance(statement, ast.Expr)
            ):
                found = replace(found, surely=False)  # a function that is called for its result notes it down
            if found is not None and (worst is None or (found.harm, found.surely) > (worst.harm, worst.surely)):
                worst = found
        if worst is not None and worst.harm is Harm.WRONG and worst.surely:
            break
    if worst is not None and depth and isinstance(statement, (ast.If, ast.Try)):
        return replace(worst, surely=False)
    return worst


def _reads_input(outline: Outline, statement: ast.stmt) -> bool:
    """It takes something from `sys.stdin`."""
    if "stdin" not in outline.attributes and "sys.stdin" not in outline.imported.values():
        return False
    for node in own_nodes([statement]):
        if not isinstance(node, (ast.Attribute, ast.Name)) or not isinstance(node.ctx, ast.Load):
            continue
        if qualified_name(outline, node) == "sys.stdin":
            above = outline.parents[node]
            return not isinstance(above, ast.Attribute) or above.attr not in _ABOUT_INPUT
    return False


def _called(starts: Starts, outline: Outline, call: ast.Call) -> Iterator[tuple[Outline, Function]]:
    """The function or constructor of the repository that the call runs."""
    called = starts.callees.called(outline, call)
    if called is not None:
        yield called[:2]
    made = starts.callees.made_class(outline, call)
    initialiser = starts.callees.initialiser(*made) if made is not None else None
    if initialiser is not None:
        yield initialiser[:2]


def _computes(outline: Outline, function: Function) -> bool:
    """It calls something in a loop, so it may take its time."""
    return any(
        isinstance(node, (ast.For, ast.While)) and any(isinstance(inner, ast.Call) for inner in ast.walk(node))
        for node in outline.own(function)
    )


def only_prints(starts: Starts, outline: Outline, statement: ast.stmt, depth: int = 0) -> bool:
    """It writes a line for people, directly or in a function of the repository, and does nothing else."""
    if isinstance(statement, ast.If):
        asks = any(isinstance(node, (ast.Call, ast.NamedExpr)) for node in ast.walk(statement.test))
        return not asks and all(only_prints(starts, outline, part) for part in [*statement.body, *statement.orelse])
    value = statement.value if isinstance(statement, ast.Expr) else None
    if depth and isinstance(value, ast.Constant):
        return True  # a docstring
    if not isinstance(value, ast.Call) or any(isinstance(node, ast.NamedExpr) for node in ast.walk(value)):
        return False
    inner = [node.func for node in ast.walk(value) if isinstance(node, ast.Call) and node is not value]
    if any((last_name(item)) not in _SHOWS for item in inner):
        return False
    if isinstance(value.func, ast.Name) and value.func.id == "print":
        return not outline.lookup(value.func, "print")[1] and all(keyword.arg != "file" for keyword in value.keywords)
    called = starts.callees.called(outline, value) if depth < _DEPTH else None
    if called is None:
        return False
    return all(only_prints(starts, called[0], statement, depth + 1) for statement in called[1].body)


def shows(starts: Starts, outline: Outline, statement: ast.stmt, depth: int = 0) -> bool:
    """It writes to the terminal or a log, among other things, or asks for a call at the end of the process.

    A statement that gives names their values only counts where it does so itself, or calls a function that prints each
    time; what calls nobody knows what, never.
    """
    if isinstance(statement, ast.Try):  # what it says of an error, it says seldom
        return any(shows(starts, outline, inner, depth) for inner in [*statement.body, *statement.orelse])
    nodes = [*own_nodes([statement])]
    calls = [node for node in nodes if isinstance(node, ast.Call)]
    if any(isinstance(node, (ast.NamedExpr, ast.Import, ast.ImportFrom)) for node in nodes) or any(
        _is_unknown(outline, call) for call in calls
    ):
        return False
    binds = isinstance(statement, (ast.Assign, ast.AnnAssign, ast.AugAssign))
    for call in calls:
        if shows_itself(outline, call):
            return True
        called = starts.callees.called(outline, call) if depth < _DEPTH and not binds else None
        if called is not None and any(shows(starts, called[0], inner, depth + 1) for inner in called[1].body):
            return True
        if called is None and not binds and depth < _DEPTH and _shows_by_name(starts, outline, call, depth):
            return True
        made = starts.callees.called(outline, call) if binds and not depth else None
        printed = map(print_call, made[1].body) if made is not None else ()
        if made is not None and any(each is not None and shows_itself(made[0], each) for each in printed):
            return True
    return False


def _shows_by_name(starts: Starts, outline: Outline, call: ast.Call, depth: int) -> bool:
    """One of several functions of the module that have this name shows something, or the name stands for `print`."""
    scope, bindings = outline.lookup(call.func, call.func.id) if isinstance(call.func, ast.Name) else (None, [])
    for binding in bindings if isinstance(scope, ast.Module) else ():
        statement, value = binding.statement, binding.value
        body = statement.body if isinstance(statement, FUNCTIONS) and not binding.parameter else []
        body = [ast.Expr(value.body)] if isinstance(value, ast.Lambda) else body
        if any(shows(starts, outline, inner, depth + 1) for inner in body):
            return True
        if isinstance(value, ast.Call) and last_name(value.func) == "partial" and value.args:
            value = value.args[0]
        if isinstance(value, ast.Name) and value.id == "print" and not outline.lookup(value, "print")[1]:
            return True
    return False


def at_exit(outline: Outline, moved: Collection[ast.stmt]) -> Function | None:
    """A function of the module, not among `moved`, that `@atexit.register` has called at the end of each process."""
    for statement in outline.module.body:
        marks = statement.decorator_list if isinstance(statement, FUNCTIONS) and statement not in moved else ()
        if isinstance(statement, FUNCTIONS) and any(qualified_name(outline, mark) == _AT_EXIT for mark in marks):
            return statement
    return None


def asks_for_exit(starts: Starts, outline: Outline, statement: ast.stmt) -> Repeated | None:
    """`atexit.register(goodbye)`, where that shows or changes something: a spawned child calls it at its own end too.

    A forked one never does: it ends without.
    """
    call = statement.value if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Call) else None
    if call is None or qualified_name(outline, call.func) != _AT_EXIT or not call.args:
        return None
    hook = call.args[0]
    what = Repeated(f"has `{ast.unparse(hook)[:60]}` called at the end of the process", Harm.WRONG)
    if isinstance(hook, ast.Lambda):
        body: list[ast.stmt] = [ast.Expr(hook.body)]
        where = outline
    elif isinstance(hook, (ast.Name, ast.Attribute)):
        if qualified_name(outline, hook) in {"print", *names("acts")}:
            return what
        found = starts.callees.resolver.definition(outline, hook)
        if found is not None and isinstance(found.node, FUNCTIONS):
            body, where = found.node.body, found.outline
        elif (bound := _method_of_object(starts, outline, hook)) is not None:
            body, where = bound[1].body, bound[0]
        else:
            return None
    else:
        return None
    return what if matters_at_exit(starts, where, body) else None


def matters_at_exit(starts: Starts, outline: Outline, body: Collection[ast.stmt]) -> bool:
    """A function of these statements shows, writes or removes something, so that once more is too often."""
    harms = (repeated(starts, outline, inner, 1) for inner in body)
    acts = any(each is not None and each.harm is Harm.WRONG for each in harms)
    return acts or any(shows(starts, outline, inner, 1) for inner in body)


def _method_of_object(starts: Starts, outline: Outline, hook: ast.expr) -> tuple[Outline, Function] | None:
    """`log.close`, where the module makes `log` of a class of the repository."""
    if not isinstance(hook, ast.Attribute) or not isinstance(hook.value, ast.Name):
        return None
    for binding in outline.lookup(hook.value, hook.value.id)[1]:
        made = starts.callees.made_class(outline, binding.value) if isinstance(binding.value, ast.Call) else None
        for at in starts.callees.resolver.lineage(Class(*made)) if made is not None else ():
            if (found := method(at.node, hook.attr)) is not None:
                return at.outline, found
    return None


def shows_itself(outline: Outline, call: ast.Call) -> bool:
    """The call prints, logs, or asks for a call at the end of the process."""
    name, last = qualified_name(outline, call.func), last_name(call.func)
    if last == "print" and isinstance(call.func, ast.Name):
        return all(keyword.arg != "file" or _is_stream(keyword.value) for keyword in call.keywords)
    if isinstance(call.func, ast.Attribute) and last in LOG_METHODS and (call.args or call.keywords):
        return _LOG.search(ast.unparse(call.func.value)) is not None
    return name in (_AT_EXIT, "sys.stdout.write", "sys.stderr.write")


def _is_unknown(outline: Outline, call: ast.Call) -> bool:
    """It calls a name that nothing in the file binds, and that is no builtin."""
    return (
        isinstance(call.func, ast.Name)
        and not outline.lookup(call.func, call.func.id)[1]
        and not hasattr(builtins, call.func.id)
    )


def _is_stream(value: ast.expr) -> bool:
    """`sys.stdout` or `sys.stderr`."""
    return ast.unparse(value) in ("sys.stdout", "sys.stderr")


def _does(outline: Outline, call: ast.Call) -> Repeated | None:
    name, last = qualified_name(outline, call.func), last_name(call.func)
    is_method = isinstance(call.func, ast.Attribute)
    text = f"calls `{ast.unparse(call.func)[:60]}`"
    if is_method and last == "backward":
        return Repeated("trains", Harm.WRONG)
    if has_new_name(outline, call):
        return Repeated("makes a folder of a new name", Harm.COSTLY)
    if must_be_missing(outline, call) and not _only_if_missing(outline, call):
        return Repeated("makes a folder that exists by then", Harm.WRONG)
    if (name == "os.mkdir" and _only_if_missing(outline, call)) or _runs_mkdir(call):
        return Repeated("makes a folder", Harm.LITTLE)
    if name == "os.chdir" and call.args and _is_relative(call.args[0]):
        return Repeated("changes to a relative folder, in which every child starts already", Harm.WRONG)
    if only_asks(outline, call):
        return Repeated(text, Harm.LITTLE)
    if name in names("acts") or (is_method and last in names("writing_methods")):
        return Repeated(text, Harm.WRONG)
    if name == "input" and not outline.lookup(call, "input")[1]:
        return Repeated("asks the user", Harm.WRONG)
    if name in ("open", "io.open") and any(mode[:1] in "wax" for mode in _modes(call)) and not _opens_null(call):
        return Repeated(_KEEPS if _is_kept(outline, call) else _WRITES, Harm.WRONG)
    if last in ("FileHandler", "basicConfig") and any(mode[:1] == "w" for mode in _modes(call)):
        return Repeated("empties its log", Harm.WRONG)
    if name == "concurrent.futures.ProcessPoolExecutor" or name in names("little"):
        return Repeated(text, Harm.LITTLE)
    if name in names("loads") or name.startswith(tuple(names("datasets"))) or _loads_weights(call):
        return Repeated(f"loads data or weights (`{ast.unparse(call.func)[:60]}`)", Harm.COSTLY)
    if last in names("log_files"):
        return Repeated(f"{_OPENS} a log", Harm.COSTLY if last == "SummaryWriter" else Harm.LITTLE)
    if last in names("run_logs"):
        return Repeated("begins a run of a log", Harm.COSTLY)
    if is_method and (
        last == "cuda" or (last == "to" and any(_DEVICE.search(ast.unparse(argument)) for argument in call.args))
    ):
        return None if _has_no_tensor(outline, call) else Repeated("puts something on the GPU", Harm.COSTLY)
    if name in names("on_gpu"):
        return Repeated("puts a model on the GPU", Harm.COSTLY)
    on_device = any(keyword.arg == "device" and _names_gpu(keyword.value) for keyword in call.keywords)
    if on_device and name.startswith("torch."):
        return Repeated("puts something on the GPU", Harm.COSTLY)
    if name == "torch.cuda.set_device":
        return Repeated("opens the GPU, some 300 MB of its memory", Harm.COSTLY, surely=not _is_tried(outline, call))
    return None


def _has_no_tensor(outline: Outline, call: ast.Call) -> bool:
    """`torch.nn.CrossEntropyLoss().cuda()` moves nothing, so no GPU is opened for it."""
    made = call.func.value if isinstance(call.func, ast.Attribute) else None
    if not isinstance(made, ast.Call) or qualified_name(outline, made.func) not in names("without_parameters"):
        return False
    given = [*made.args, *(keyword.value for keyword in made.keywords)]
    return all(isinstance(each, ast.Constant) for each in given)


def _is_tried(outline: Outline, call: ast.Call) -> bool:
    """A `try` around it goes on without it: it may fail each time, or what stands before it there."""
    tries = (each for each in around(outline, call) if isinstance(each, ast.Try))
    return any(not isinstance(handler.body[-1], ast.Raise) for each in tries for handler in each.handlers)


def _is_relative(path: ast.expr) -> bool:
    """A path that surely means another folder from another one: `"data"`, `os.path.join("..", name)`."""
    while isinstance(path, (ast.Call, ast.JoinedStr, ast.BinOp)):
        if isinstance(path, ast.BinOp):
            path = path.left
        elif isinstance(path, ast.JoinedStr) and path.values:
            path = path.values[0]
        elif isinstance(path, ast.Call) and last_name(path.func) in ("join", "Path", "str") and path.args:
            path = path.args[0]
        else:
            return False
    text = path.value if isinstance(path, ast.Constant) and isinstance(path.value, str) else "."
    return text not in ("", ".") and not text.startswith(("/", "\\", "~")) and text[1:2] != ":"


def _is_kept(outline: Outline, call: ast.Call) -> bool:
    """`self.file = open(path, "w")`."""
    above = outline.parents[call]
    targets = above.targets if isinstance(above, ast.Assign) else []
    return any(isinstance(target, ast.Attribute) and outline.is_self(target.value) for target in targets)


def _names_gpu(value: ast.expr) -> bool:
    """`"cuda"`, `f"cuda:{rank}"`."""
    first = value.values[0] if isinstance(value, ast.JoinedStr) and value.values else value
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value.startswith("cuda")


def _opens_null(call: ast.Call) -> bool:
    return bool(call.args) and "devnull" in ast.unparse(call.args[0])


def _runs_mkdir(call: ast.Call) -> bool:
    """`os.system("mkdir -p ...")`, `check_call(["mkdir", ...])`."""
    given = call.args[0] if call.args else None
    first = given.elts[0] if isinstance(given, (ast.List, ast.Tuple)) and given.elts else given
    while isinstance(first, (ast.BinOp, ast.JoinedStr)):
        first = first.left if isinstance(first, ast.BinOp) else first.values[0] if first.values else None
    return isinstance(first, ast.Constant) and isinstance(first.value, str) and first.value.split()[:1] == ["mkdir"]


def _only_if_missing(outline: Outline, call: ast.Call) -> bool:
    """Under a test whether it exists, or in a `try`."""
    return any(
        isinstance(above, ast.Try) or (isinstance(above, ast.If) and _ASKS_FIRST.search(ast.unparse(above.test)))
        for above in outline.ancestors(call)
    )


def _loads_weights(call: ast.Call) -> bool:
    """`Model.from_pretrained(...)`, and a call whose argument says where the weights are."""
    if last_name(call.func) in names("loading_methods"):
        return True
    return last_name(call.func) not in names("describes") and any(
        keyword.arg in names("weights") and not (isinstance(keyword.value, ast.Constant) and not keyword.value.value)
        for keyword in call.keywords
    )


def _modes(call: ast.Call) -> Iterator[str]:
    given = [*call.args[1:2], *(keyword.value for keyword in call.keywords if keyword.arg in ("mode", "filemode"))]
    yield from (node.value for node in given if isinstance(node, ast.Constant) and isinstance(node.value, str))
