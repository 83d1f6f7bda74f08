"""What `isinstance` says of a value that can't be pickled, where a `__getstate__` asks."""

from __future__ import annotations

import ast
from collections.abc import Iterable

from ...syntax.outline import Outline
from ...syntax.unpicklable import Made, Recogniser
from ...syntax.unpicklable_table import canonical, kinds

_FILES = frozenset({"open", "io.open", "builtins.open"})
_BUILTIN = frozenset(
    {
        "int", "float", "complex", "bool", "str", "bytes", "bytearray", "list", "tuple", "dict", "set", "frozenset",
        "range",
    }
)  # fmt: skip
_PLAIN = _BUILTIN | {"torch.Tensor", "torch.nn.Module", "numpy.ndarray", "pathlib.Path"}
# Modules whose objects are no files, and of no class of another of these modules but where `_BASES` says so.
_NO_FILES = frozenset({"threading", "queue", "multiprocessing", "sqlite3", "logging", "weakref", "concurrent", "h5py"})
# What always makes an object of one and the same class, and the class above that one; all that is above is here.
_BASES = {
    **dict.fromkeys(
        (
            "threading.Lock", "threading.RLock", "threading.Condition", "threading.Event", "threading.Barrier",
            "threading.Semaphore", "threading.Thread", "threading.local", "queue.Queue", "queue.SimpleQueue",
            "multiprocessing.Lock", "multiprocessing.RLock", "multiprocessing.Condition", "multiprocessing.Event",
            "multiprocessing.Semaphore", "multiprocessing.Queue", "multiprocessing.SimpleQueue", "logging.Handler",
            "weakref.WeakSet", "weakref.WeakValueDictionary", "weakref.WeakKeyDictionary", "socketserver.TCPServer",
        ),
        "",
    ),
    "threading.BoundedSemaphore": "threading.Semaphore",
    "threading.Timer": "threading.Thread",
    "queue.LifoQueue": "queue.Queue",
    "queue.PriorityQueue": "queue.Queue",
    "multiprocessing.Barrier": "threading.Barrier",
    "multiprocessing.BoundedSemaphore": "multiprocessing.Semaphore",
    "multiprocessing.JoinableQueue": "multiprocessing.Queue",
    "logging.StreamHandler": "logging.Handler",
    "logging.FileHandler": "logging.StreamHandler",
    "logging.handlers.BaseRotatingHandler": "logging.FileHandler",
    "logging.handlers.RotatingFileHandler": "logging.handlers.BaseRotatingHandler",
    "logging.handlers.TimedRotatingFileHandler": "logging.handlers.BaseRotatingHandler",
    "logging.handlers.WatchedFileHandler": "logging.FileHandler",
    "logging.handlers.SocketHandler": "logging.Handler",
    "logging.handlers.SysLogHandler": "logging.Handler",
    "logging.handlers.QueueHandler": "logging.Handler",
    "logging.handlers.BufferingHandler": "logging.Handler",
    "logging.handlers.MemoryHandler": "logging.handlers.BufferingHandler",
    "socketserver.ThreadingTCPServer": "socketserver.TCPServer",
    "http.server.HTTPServer": "socketserver.TCPServer",
    "http.server.ThreadingHTTPServer": "http.server.HTTPServer",
}  # fmt: skip
# What makes an object of that class, or of one that derives from it; "" where that is one of several.
_GIVES = {
    "sqlite3.connect": "sqlite3.Connection",
    "lmdb.open": "lmdb.Environment",
    "tarfile.open": "tarfile.TarFile",
    "tables.open_file": "tables.File",
    "ssl.create_default_context": "ssl.SSLContext",
    "contextvars.copy_context": "contextvars.Context",
    "concurrent.futures.ThreadPoolExecutor().submit": "concurrent.futures.Future",
    "concurrent.futures.ProcessPoolExecutor().submit": "concurrent.futures.Future",
    "multiprocessing.pool.ThreadPool": "multiprocessing.pool.Pool",
    "multiprocessing.Pool": "multiprocessing.pool.Pool",
    "threading.current_thread": "threading.Thread",
    "threading.main_thread": "threading.Thread",
    "weakref.ref": "weakref.ReferenceType",
    "sys.exc_info": "tuple",
    "inspect.stack": "list",
    "sys.modules": "dict",
    "torch.jit.load": "torch.nn.Module",
    "torch.jit.script": "",
}


def is_of(recogniser: Recogniser, outline: Outline, made: Made, types: list[ast.expr]) -> bool | None:
    """Is an attribute that keeps this one of the classes that these expressions name? None where that can't be told."""
    told = [_is(recogniser, outline, made, each) for each in types]
    return True if True in told else None if None in told else False


def _is(recogniser: Recogniser, outline: Outline, made: Made, named: ast.expr) -> bool | None:
    by_object = False  # `type(threading.Lock())`
    match named:
        case ast.Call(func=ast.Name("type"), args=[ast.Call(func=called)]):
            by_object, named = True, called
    name = recogniser.origin(outline, named)
    if not name and isinstance(named, ast.Name) and not outline.lookup(named, named.id)[1]:
        name = named.id if named.id in _BUILTIN else ""
    if not name or (by_object and name not in _BASES and name not in _BUILTIN):
        return None  # what `open` gives depends on its arguments
    if made.nested:
        return _is_container(made.within, name) if made.within else None
    classes = _with_bases(made.of)
    if name in classes:
        return True
    if "" in classes or (made.derived and not all(f"{canonical(each)}()" in kinds() for each in made.of)):
        return None
    if name in _PLAIN:
        return False
    roots = {canonical(each).partition(".")[0] for each in classes}
    if name.startswith("io."):
        if not _FILES.isdisjoint(classes):
            return True if name == "io.IOBase" else None
        return False if roots <= _NO_FILES else None
    if made.derived or not _is_in_table(name):
        return None
    if name in _BASES and classes <= _BASES.keys():
        return False
    asked = canonical(name).partition(".")[0]
    return False if asked in _NO_FILES - roots and roots <= _NO_FILES | _FILES else None


def _is_container(container: str, name: str) -> bool | None:
    """What `isinstance` says of the value of a display, by the name of its class."""
    if name in _PLAIN or name.startswith("io."):
        return name == container
    return False if _is_in_table(name) else None


def _is_in_table(name: str) -> bool:
    return name in _BASES or f"{canonical(name)}()" in kinds()


def _with_bases(names: Iterable[str]) -> set[str]:
    """These classes, and those that are known to be above them; "" among them where not all are."""
    todo, found = list(names), set[str]()
    while todo:
        name = todo.pop()
        found.add(name)
        if above := _BASES.get(name):
            todo.append(above)
        elif name in _GIVES:
            todo.append(_GIVES[name])
    return found
