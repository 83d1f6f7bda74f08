"""What `isinstance` says of a value that can't be pickled, where a `__getstate__` asks."""

from __future__ import annotations

import ast

from ...syntax.outline import Outline
from ...syntax.unpicklable import Recogniser
from ...syntax.unpicklable_table import ObjectKind, canonical, kinds

_FILES = frozenset({"open", "io.open", "builtins.open"})
_PLAIN = frozenset(
    {
        "int", "float", "complex", "bool", "str", "bytes", "bytearray", "list", "tuple", "dict", "set", "frozenset",
        "range", "torch.Tensor", "torch.nn.Module", "numpy.ndarray", "pathlib.Path",
    }
)  # fmt: skip
_NO_FILES = frozenset({"threading", "queue", "multiprocessing", "sqlite3", "logging", "weakref", "concurrent", "h5py"})


def is_of(recogniser: Recogniser, outline: Outline, kind: ObjectKind, types: list[ast.expr]) -> bool | None:
    """Is an object of that kind one of the classes that these expressions name? None where that can't be told."""
    told = [_is(recogniser, outline, kind, each) for each in types]
    return True if True in told else None if None in told else False


def _is(recogniser: Recogniser, outline: Outline, kind: ObjectKind, named: ast.expr) -> bool | None:
    if isinstance(named, ast.Call) and getattr(named.func, "id", "") == "type" and len(named.args) == 1:
        inner = named.args[0]  # `type(threading.Lock())`
        named = inner.func if isinstance(inner, ast.Call) else named
    name = canonical(recogniser.origin(outline, named)) or ast.unparse(named)
    if name in kind.constructors:
        return True
    if name in _PLAIN:
        return False
    roots = {constructor.partition(".")[0] for constructor in kind.constructors}
    if name.startswith("io."):
        if not _FILES.isdisjoint(kind.constructors):
            return True if name == "io.IOBase" else None
        return False if roots <= _NO_FILES else None
    return False if name in kinds() and name.partition(".")[0] not in roots else None
