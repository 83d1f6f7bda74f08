"""Finds every part of an object that can't reach a spawned process: runs in the user's interpreter, Python 3.7 to 3.14.

One file, standard library only, nothing of it is installed: it is copied to a temporary folder as `_spawnfix_probe.py` and
started there. Three ways in:

- `python _spawnfix_probe.py REQUEST.json RESULT.json` looks at one object, named by the request;
- `install_hooks(folder)` from a sitecustomize, inside a program of the user: whatever it fails to send is written to `folder`;
- `examine(obj, name)` and `in_child(...)`, called by the pytest plugin.

The object is pickled as multiprocessing does it, into nothing, by the pickler that is written in Python: an error is noted
with the path to the value, and the work goes on. Big containers are first tried with the quick pickler. Tensors and arrays
are counted, not copied, and not moved to shared memory.
"""

from __future__ import annotations

import ast
import copyreg
import functools
import importlib
import importlib.util
import inspect
import io
import json
import multiprocessing.context
import multiprocessing.process
import multiprocessing.reduction
import os
import pickle
import re
import shutil
import sys
import tempfile
import time
import traceback
import types
from typing import TYPE_CHECKING, Any, Callable, Dict, Iterator, Optional, Tuple

# their parts that we stand on have no types, or other ones in other versions
_pickle: Any = pickle
_context: Any = multiprocessing.context
_copyreg: Any = copyreg
_forking: Any = multiprocessing.reduction.ForkingPickler

PROTOCOL = max(4, pickle.DEFAULT_PROTOCOL)
MAX_PROBLEMS = 200  # in one object
MAX_ALIKE = 10  # problems whose paths differ only in numbers; the others are counted
MAX_DEPTH = 600  # containers and objects inside each other
MAX_PATH = 2000  # characters
CHUNK = (
    20000 if sys.version_info >= (3, 8) else 1000
)  # elements of a container tried at once: bounds the memory of the quick pickler
SOME = 48  # elements from which on the quick pickler is tried first
LARGE = 1 << 16  # bytes from which on data is counted only
NOTABLE = 1 << 20  # bytes from which on a path is listed in the payload
CHILD_LIMIT = 64 << 20  # bytes of pickled data that are really sent to a child

STOPPED = 86  # exit code of a program that was ended at the first problem

_ATOMS = (int, float, complex, bool, type(None), str, bytes)
_STOP = (KeyboardInterrupt, SystemExit, GeneratorExit)


class OutOfTime(Exception):
    """The time for looking is over."""


class Enough(Exception):
    """There are as many problems as anyone will read."""


# ---------------------------------------------------------------- what is only counted


class _Leaf:
    """A value whose data isn't pickled here: so many bytes in the pickle, so many in shared memory, and what it is."""

    __slots__ = ("bytes", "note", "shared", "stand_in")

    def __init__(self, size: Any, shared: Any = 0, stand_in: Any = None, note: Any = None) -> None:
        self.bytes, self.shared, self.stand_in, self.note = size, shared, stand_in, note


def _leaf(obj: Any) -> _Leaf | None:
    """A _Leaf for data that is counted rather than pickled, else None. Raises what pickling it would raise."""
    kind: Any = type(obj)
    if kind is bytes or kind is bytearray or kind is str:
        if len(obj) < LARGE:
            return None
        size = len(obj) if kind is not str or obj.isascii() else len(obj) * 2
        return _Leaf(size, stand_in=(kind.__name__, len(obj)))
    torch = sys.modules.get("torch")
    tensor = getattr(torch, "Tensor", None)
    if _is_a(obj, tensor):
        return _tensor(torch, obj)
    storage = getattr(torch, "storage", None)
    for name in ("UntypedStorage", "TypedStorage", "_StorageBase"):
        cls = getattr(storage, name, None)
        if _is_a(obj, cls):
            return _Leaf(200, _safely(obj.nbytes, 0))
    numpy = sys.modules.get("numpy")
    array = getattr(numpy, "ndarray", None)
    if _is_a(obj, array) and not obj.dtype.hasobject:
        if kind.__reduce__ is array.__reduce__ and kind.__reduce_ex__ is array.__reduce_ex__:
            note = "a memory map: each worker is sent all of its data" if kind.__name__ == "memmap" else None
            return _Leaf(obj.nbytes + 120, stand_in=("array", list(obj.shape), obj.dtype.str), note=note)
    if kind.__module__ == "multiprocessing.synchronize" and hasattr(obj, "_semlock"):
        context = getattr(obj, "_is_fork_ctx", None)
        if context and not _Look.forgiving:
            raise RuntimeError(
                "A SemLock created in a fork context is being shared with a process in a spawn context. "
                "This is not supported. Please use the same context to create multiprocessing objects and Process."
            )
        return _Leaf(80, stand_in=("semaphore", kind.__name__))
    return None


def _is_a(obj: Any, cls: Any) -> bool:
    return isinstance(cls, type) and isinstance(obj, cls)


def _tensor(torch: Any, tensor: Any) -> _Leaf:
    if getattr(tensor, "requires_grad", False) and not getattr(tensor, "is_leaf", True):
        raise RuntimeError(
            "Cowardly refusing to serialize non-leaf tensor which requires_grad, "
            "since autograd does not support crossing process boundaries.  "
            "If you just want to transfer the data, call detach() on the tensor before serializing (e.g., putting it on the queue)."
        )
    size = _safely(lambda: tensor.nelement() * tensor.element_size(), 0)
    kind = type(tensor)
    parameter = bool(getattr(torch, "nn", None)) and isinstance(tensor, torch.nn.Parameter)
    plain = kind is torch.Tensor or parameter
    shape = _safely(lambda: [int(each) for each in tensor.shape], None)
    stand_in = ("tensor", shape, str(tensor.dtype).rpartition(".")[2], parameter, bool(tensor.requires_grad))
    on_gpu = _safely(lambda: tensor.is_cuda, False)
    note = "a tensor on the GPU: the process that made it must outlive the workers" if on_gpu else None
    return _Leaf(300, 0 if on_gpu else size, stand_in if plain and shape is not None else None, note)


def _safely(call: Any, default: Any) -> Any:
    try:
        return call()
    except Exception:
        return default


def _stand_in(kind: Any, rest: Any) -> Any:
    """What a child gets in place of data that was only counted: as big, empty, and cheap as long as nobody reads it."""
    if kind == "bytes":
        return bytes(rest[0])
    if kind == "bytearray":
        return bytearray(rest[0])
    if kind == "str":
        return "\0" * min(rest[0], NOTABLE)
    if kind == "array":
        return importlib.import_module("numpy").zeros(tuple(rest[0]), dtype=rest[1])
    if kind == "tensor":
        torch = importlib.import_module("torch")
        dtype = getattr(torch, rest[1])
        tensor = torch.zeros(rest[0], dtype=dtype)
        if rest[2]:
            return torch.nn.Parameter(tensor, requires_grad=rest[3])
        return tensor.requires_grad_() if rest[3] else tensor
    if kind == "semaphore":
        import multiprocessing

        make = getattr(multiprocessing.get_context("spawn"), rest[0], None)
        return None if make is None else make()
    return None


# ---------------------------------------------------------------- the pickler that goes on after an error


if TYPE_CHECKING:
    Label = Tuple[str, Optional[str]]  # what to put after the parent's path; the attribute's name, if it is one
    Row = Dict[str, Any]


class _Frame:
    """One value that is being pickled, and what is known about where it sits in its parent."""

    __slots__ = ("_label", "count", "described", "label_given", "obj", "parent", "position", "reduced", "used")

    def __init__(self, obj: Any, parent: Any, position: Any) -> None:
        self.obj, self.parent = obj, parent
        self.reduced: Any = None  # what its __reduce_ex__ gave
        self.count = 0  # children begun
        self.used: set[str] = set()  # labels that failed children have
        self.label_given: Label | None = None  # set by whoever iterates over it by hand
        self.position = position
        self._label: Label | None = None

    @property
    def label(self) -> Label:
        """(text to put after the parent's path, attribute name or None): worked out when first asked for."""
        found = self._label
        if found is None:
            found = self._label = self.label_given or _label(self)
            if self.parent is not None:
                self.parent.used.add(found[0])
        return found


def _frames(frame: Any) -> list[_Frame]:
    """From the root to `frame`."""
    found = []
    while frame is not None:
        found.append(frame)
        frame = frame.parent
    return found[::-1]


def _path(root: str, frame: _Frame) -> str:
    text = root
    for each in _frames(frame)[1:]:
        suffix = each.label[0]
        text = suffix.replace("\0", text) if "\0" in suffix else text + suffix
        if len(text) > MAX_PATH:
            return text[:MAX_PATH] + "..."
    return text


def _label(frame: _Frame) -> Label:
    """Where `frame.obj` sits in its parent, as (Python to put after the parent's path, name of the attribute or None)."""
    given = _state_label(frame)
    if given is not None:
        return given
    parent = frame.parent
    child, obj = frame.obj, parent.obj
    if parent.reduced is None:
        if type(obj) in (list, tuple):
            return ("[%d]" % frame.position, None)
        if type(obj) is dict:
            return _item(obj, frame.position)
        if isinstance(obj, (set, frozenset)):
            return ("list(\0)[%d]" % frame.position, None)
        return ("", None)
    func, args, state = parent.reduced[:3]
    if child is func or child is type(obj):
        return ("", None)
    if child is state or (type(child) is tuple and child is not state and (child is args or child == args[1:])):
        return ("", None)
    return _part(obj, child, parent)


def _item(mapping: dict[Any, Any], position: int) -> Label:
    """The label of the key or value that pickling `mapping` reaches as number `position`."""
    number, is_value = divmod(position, 2)
    for index, key in enumerate(mapping):
        if index == number:
            if is_value and _literal(key):
                return ("[%r]" % (key,), None)
            return ("list(\0.values())[%d]" % number if is_value else "list(\0)[%d]" % number, None)
    return ("[...]", None)


def _literal(key: Any) -> bool:
    if type(key) is tuple:
        return len(key) < 5 and all(_literal(each) for each in key)
    return type(key) in (int, bool, type(None)) or (type(key) in (str, bytes) and len(key) <= 100)


def _part(obj: Any, child: Any, frame: _Frame) -> Label:
    """The label of `child`, reached straight from the object `obj`: an item, an element or an attribute."""
    if isinstance(obj, dict):
        for index, (key, value) in enumerate(dict.items(obj)):
            if value is child and _literal(key) and "[%r]" % (key,) not in frame.used:
                return ("[%r]" % (key,), None)
            if key is child:
                return ("list(\0)[%d]" % index, None)
    elif isinstance(obj, (list, tuple)) or type(obj).__name__ == "deque":
        for index, value in enumerate(obj):
            if value is child and "[%d]" % index not in frame.used:
                return ("[%d]" % index, None)
    elif isinstance(obj, (set, frozenset)):
        for index, value in enumerate(obj):
            if value is child:
                return ("list(\0)[%d]" % index, None)
    return _attribute(obj, child, frame) or ("", None)


def _attribute(obj: Any, child: Any, frame: _Frame) -> Label | None:
    """The label of `child` when it is an attribute of `obj`; runs no code of properties."""
    names = [name for name, value in _variables(obj).items() if value is child]
    if not names:
        names = [name for name in _members(type(obj)) if _member(obj, name) is child]
    for name in names:
        if type(name) is str and name.isidentifier() and "." + name not in frame.used:
            return ("." + name, name)
    return None


def _variables(obj: Any) -> dict[Any, Any]:
    try:
        found = object.__getattribute__(obj, "__dict__")
    except Exception:
        return {}
    return found if isinstance(found, dict) else {}


def _members(cls: type) -> list[str]:
    """Names of what C or __slots__ keep on instances of `cls`."""
    return [
        name
        for base in cls.__mro__
        for name, value in vars(base).items()
        if isinstance(value, (types.MemberDescriptorType, types.GetSetDescriptorType))
        and name not in ("__dict__", "__weakref__", "__doc__", "__class__")
    ]


def _member(obj: Any, name: str) -> Any:
    for base in type(obj).__mro__:
        found = vars(base).get(name)
        if isinstance(found, (types.MemberDescriptorType, types.GetSetDescriptorType)):
            return _safely(lambda found=found: found.__get__(obj, type(obj)), None)
    return None


def _state_label(frame: _Frame) -> Label | None:
    """The label of a value found in the state, or the arguments, that the object above it gave to be pickled.

    None when `frame` is neither.
    """
    parent = frame.parent
    above = parent.parent if parent is not None else None
    if above is not None and above.reduced is None and above.parent is not None and type(above.obj) is tuple:
        holder = above.parent  # (state of __dict__, state of __slots__)
        if holder.reduced is not None and holder.reduced[2] is above.obj and type(parent.obj) is dict:
            return _state_item(frame, holder)
    if above is None or above.reduced is None or parent.reduced is not None:
        return None
    func, args, state = above.reduced[:3]
    if parent.obj is state and type(state) is dict:
        return _state_item(frame, above)
    if parent.obj is state and type(state) is tuple:
        if len(state) == 2 and type(frame.obj) is dict and frame.obj is state[frame.position]:
            if func is _copyreg.__newobj__ or getattr(func, "__name__", "") in (
                "_reconstructor",
                "__newobj_ex__",
            ):
                return ("", None)
        if type(above.obj).__name__ == "ndarray" and type(frame.obj) is list:
            return (".flat", None)
        return _attribute(above.obj, frame.obj, above) or (
            ".__reduce_ex__(%d)[2][%d]" % (PROTOCOL, frame.position),
            None,
        )
    if type(parent.obj) is tuple and (parent.obj is args or parent.obj == args[1:]):
        shift = 0 if parent.obj is args else 1
        found = _part(above.obj, frame.obj, above)
        if found[0]:
            return found
        return (".__reduce_ex__(%d)[1][%d]" % (PROTOCOL, frame.position + shift), None)
    return None


def _state_item(frame: Any, holder: _Frame) -> Label:
    number, is_value = divmod(frame.position, 2)
    for index, key in enumerate(frame.parent.obj):
        if index == number and is_value:
            if type(key) is str and key.isidentifier():
                return ("." + key, key)
            return ("[%r]" % (key,), None) if _literal(key) else ("[...]", None)
    return ("", None)


class _Look(_pickle._Pickler):  # type: ignore[misc]  # of no type
    """Pickles into nothing, notes each value that can't be pickled with its path, and goes on."""

    forgiving = False  # of semaphores of the fork context, which workers of a program under fork have

    def __init__(self, root: str, deadline: Any, children: bool = True) -> None:
        super().__init__(io.BytesIO(), PROTOCOL)
        self.root, self.deadline, self.children = root, deadline, children
        self.dispatch_table = _reducers()
        self.size = self.shared = 0
        self.write = self._count
        self._write_large_bytes = self._count_large
        self.top: Any = None  # the frame that is being pickled
        self.depth = self.deepest = 0
        self.problems: list[Row] = []
        self.alike: dict[tuple[str, type, type], int] = {}
        self.bad: set[int] = set()  # ids of what is in `problems`
        self.payload: list[tuple[str, int, int]] = []
        self.names: dict[tuple[str, str], str] = {}  # (module, qualified name) -> path
        self.notes: dict[str, str] = {}  # what -> path
        self.too_deep: str | None = None
        self.deep: Any = None  # the frame that is the deepest
        self.samples: dict[type, tuple[str, Any]] = {}  # class -> (path, object) whose whole part could be pickled
        self.ticks = 0
        self.keep: list[Any] = []  # alive, so that no id comes back
        self.quick_budget = 400  # failed quick tries

    def _count(self, data: Any) -> None:
        self.size += len(data)

    def _count_large(self, header: Any, payload: Any) -> None:
        self.size += len(header) + len(payload)

    def memoize(self, obj: Any) -> None:
        if id(obj) not in self.memo:  # an object whose part failed may come here twice
            self.memo[id(obj)] = len(self.memo), obj

    def save(self, obj: Any, save_persistent_id: bool = True) -> None:
        kind = type(obj)
        parent = self.top
        position = 0
        if parent is not None:
            position = parent.count
            parent.count += 1
        if kind in _ATOMS and (kind not in (str, bytes) or len(obj) < LARGE):
            super().save(obj)
            return
        frame = _Frame(obj, parent, position)
        self._visit(frame)

    def _visit(self, frame: _Frame) -> None:
        obj = frame.obj
        self.ticks += 1
        if self.ticks % 64 == 0 and time.monotonic() > self.deadline:
            raise OutOfTime
        if self.depth > MAX_DEPTH:
            if self.too_deep is None:
                self.too_deep = self._where(frame)
            return
        before, shared, count = self.size, self.shared, len(self.problems)
        self.top, self.depth = frame, self.depth + 1
        if self.depth > self.deepest:
            self.deepest, self.deep = self.depth, frame
        try:
            if id(obj) in self.memo:
                self.size += 3
            elif not self._counted(frame) and not self._quick(frame):
                self._known(frame)
                super().save(obj)
        except (OutOfTime, Enough, *_STOP):
            raise
        except Exception as error:
            if len(self.problems) == count:
                self._problem(frame, error, self.size - before)
        finally:
            self.top, self.depth = frame.parent, self.depth - 1
        grown, moved = self.size - before, self.shared - shared
        if grown >= NOTABLE or moved >= NOTABLE:
            self.payload.append((self._where(frame), grown, moved))
        if self.children and count == len(self.problems) and frame.reduced is not None:
            if type(obj) not in self.samples and len(self.samples) < 300 and _restores(type(obj)):
                self.samples[type(obj)] = (self._where(frame), obj)

    def save_reduce(self, *parts: Any, **more: Any) -> None:
        func, args = parts[0], parts[1]
        frame = self.top
        if frame is not None and frame.reduced is None:
            frame.reduced = (func, args, parts[2] if len(parts) > 2 else more.get("state"))
            frame.count = 0
        self._restorable(frame, func, args)
        super().save_reduce(*parts, **more)

    def save_global(self, obj: Any, name: Any = None) -> None:
        super().save_global(obj, name)
        name = name or getattr(obj, "__qualname__", None) or getattr(obj, "__name__", None)
        if name and self.children:
            module = _pickle.whichmodule(obj, name)
            if module != "builtins" and (module, name) not in self.names:
                self.names[module, name] = self._where(self.top)

    # The dispatch of _Pickler holds its own functions, so that these two need to be put in place of its.
    dispatch = dict(_pickle._Pickler.dispatch)
    dispatch[types.FunctionType] = save_global

    def save_type(self, obj: Any) -> None:
        if obj in (type(None), type(NotImplemented), type(...)):
            super().save_type(obj)
        else:
            self.save_global(obj)

    dispatch[type] = save_type

    def _restorable(self, frame: _Frame, func: Any, args: Any) -> None:
        """Note a method that a child looks up by a name that isn't there: its own, before the compiler changed it."""
        if func is getattr and type(args) is tuple and len(args) == 2 and type(args[1]) is str:
            owner, name = args
            if not _has(owner, name):
                words = "%r object has no attribute %r" % (type(owner).__name__, name)
                mangled = "_%s%s" % (type(owner).__name__.lstrip("_"), name)
                if name.startswith("__") and not name.endswith("__"):
                    words += " (in the child; the name is mangled to %s)" % mangled
                self._problem(frame, AttributeError(words), 0, "child")

    def _counted(self, frame: _Frame) -> bool:
        found = _leaf(frame.obj)
        if found is None:
            return False
        self.size += found.bytes
        self.shared += found.shared
        self.memoize(frame.obj)
        if found.note and found.note not in self.notes:
            self.notes[found.note] = self._where(frame)
        return True

    def _known(self, frame: _Frame) -> None:
        """Note what can be pickled today and not tomorrow."""
        if type(frame.obj).__module__ == "itertools" and sys.version_info < (3, 14):
            self.notes.setdefault("an itertools object: Python 3.14 can't pickle it any more", self._where(frame))

    def _quick(self, frame: _Frame) -> bool:
        """True when the container `frame.obj` was dealt with piece by piece, the good pieces by the quick pickler."""
        obj = frame.obj
        if type(obj) not in (list, tuple, dict, set, frozenset) or len(obj) < SOME:
            return False
        if type(obj) is not tuple:
            self.memoize(obj)
        if type(obj) is dict:
            self._pieces(frame, (part for i, row in enumerate(obj.items()) for part in _key_and_value(i, *row)))
        else:
            shape = "[%d]" if type(obj) in (list, tuple) else "list(\0)[%d]"
            self._pieces(frame, ((i, shape % i, each) for i, each in enumerate(obj)))
        return True

    def _pieces(self, frame: _Frame, parts: Iterator[tuple[int, str, Any]]) -> None:
        chunk = []
        for part in parts:
            chunk.append(part)
            if len(chunk) == CHUNK:
                self._piece(frame, chunk)
                chunk = []
        self._piece(frame, chunk)

    def _piece(self, frame: _Frame, chunk: list[tuple[int, str, Any]]) -> None:
        """Deal with `chunk`, parts of a container: at once, else half by half, else one by one."""
        if len(chunk) >= 8 and self._try([part[2] for part in chunk]):
            return
        if len(chunk) > 16 and self.quick_budget > 0:
            middle = len(chunk) // 2
            self._piece(frame, chunk[:middle])
            self._piece(frame, chunk[middle:])
            return
        for number, label, value in chunk:
            if type(value) in _ATOMS and (type(value) not in (str, bytes) or len(value) < LARGE):
                self.size += len(value) + 5 if type(value) in (str, bytes) else 9
                continue
            child = _Frame(value, frame, number)
            child.label_given = (label, None)
            self._visit(child)

    def _try(self, values: list[Any]) -> bool:
        """Pickle `values` with the quick pickler; False when it can't, and then nothing is counted."""
        if self.quick_budget <= 0:
            return False
        quick = _Quick(self)
        try:
            quick.dump(values)
        except (OutOfTime, *_STOP):
            raise
        except Exception:
            self.quick_budget -= 1
            return False
        self.size += quick.sink.size + quick.counted
        self.shared += quick.shared
        if quick.deep:
            return False
        for key in quick.names:
            if key not in self.names:
                self.names[key] = self._where(self.top)
        for cls, each in quick.samples.items():
            if cls not in self.samples and len(self.samples) < 300:
                self.samples[cls] = (self._where(self.top), each)
        return True

    def _where(self, frame: _Frame) -> str:
        return _path(self.root, frame)

    def _problem(self, frame: _Frame, error: BaseException, size: int, side: str = "parent") -> None:
        """Note that `frame.obj` can't be pickled (side "parent") or made again (side "child")."""
        if isinstance(error, RecursionError) and self.too_deep is None and side == "parent":
            self.too_deep = self._where(frame)
            return
        path = self._where(frame)
        if path.endswith(".__self__") and id(frame.obj) in self.bad:
            return  # a method of what was already named: a Condition keeps its lock's
        self.bad.add(id(frame.obj))
        self.keep.append(frame.obj)
        shape = _numberless(path), type(frame.obj), type(error)
        self.alike[shape] = self.alike.get(shape, 0) + 1
        if self.alike[shape] > MAX_ALIKE:
            return
        if isinstance(error, (pickle.PicklingError, AttributeError)) and side == "parent":
            error = _in_c(frame.obj) or error
        self.problems.append(_described(frame, path, error, size, side))
        if len(self.problems) >= MAX_PROBLEMS:
            raise Enough


def _key_and_value(number: int, key: Any, value: Any) -> Iterator[tuple[int, str, Any]]:
    """The two parts of an entry of a dict: (position as pickling counts, label, object)."""
    yield 2 * number, "list(\0)[%d]" % number, key
    yield 2 * number + 1, "[%r]" % (key,) if _literal(key) else "list(\0.values())[%d]" % number, value


class _Sink:
    """A file that only counts, and looks at the clock."""

    def __init__(self, deadline: float) -> None:
        self.size, self.deadline = 0, deadline

    def write(self, data: Any) -> int:
        self.size += len(data)
        if time.monotonic() > self.deadline:
            raise OutOfTime
        return len(data)


class _Quick(pickle.Pickler):
    """The quick pickler with our reducers; counts what it is not to copy. Before 3.8 only exact types can be counted."""

    def __init__(self, look: _Look) -> None:
        self.sink = _Sink(look.deadline)
        super().__init__(self.sink, PROTOCOL)
        self.look, self.counted, self.shared, self.deep = look, 0, 0, False
        self.names: set[tuple[str, str]] = set()
        self.samples: dict[type, Any] = {}
        table = self.dispatch_table = _reducers()
        for module, name in (("numpy", "ndarray"), ("torch", "Tensor")):
            cls = getattr(sys.modules.get(module), name, None)
            if isinstance(cls, type):
                table[cls] = self._reduce

    def _reduce(self, obj: Any) -> Any:
        found = _leaf(obj)
        if found is None:
            return obj.__reduce_ex__(PROTOCOL)
        self.counted += found.bytes
        self.shared += found.shared
        if found.note:
            self.look.notes.setdefault(found.note, self.look._where(self.look.top))
        return (bytes, ())

    def reducer_override(self, obj: Any) -> Any:
        if time.monotonic() > self.sink.deadline:
            raise OutOfTime
        cls = type(obj)
        if isinstance(obj, type) or cls is types.FunctionType:
            if self.look.children:
                name = getattr(obj, "__qualname__", None)
                if name and obj.__module__ != "builtins":
                    self.names.add((obj.__module__, name))
            return NotImplemented
        if cls is types.MethodType and not _has(obj.__self__, obj.__func__.__name__):
            raise AttributeError  # look at it slowly
        if cls.__module__ in _COUNTED or _tensor_like(obj):
            found = _leaf(obj)
            if found is not None:
                return self._reduce(obj)
        if cls.__module__ == "itertools":
            raise AttributeError  # look at it slowly
        if self.look.children and cls not in self.samples and len(self.samples) < 100 and _restores(cls):
            self.samples[cls] = obj
        return NotImplemented


_COUNTED = ("numpy", "torch", "torch.storage", "torch.nn.parameter", "multiprocessing.synchronize", "numpy.memmap")


def _tensor_like(obj: Any) -> bool:
    for module, name in (("torch", "Tensor"), ("numpy", "ndarray")):
        cls = getattr(sys.modules.get(module), name, None)
        if isinstance(cls, type) and isinstance(obj, cls):
            return True
    return False


def _has(owner: Any, name: str) -> bool:
    try:
        inspect.getattr_static(owner, name)
        return True
    except AttributeError:
        pass
    try:
        getattr(owner, name)
        return True
    except Exception:
        return False


def _restores(cls: Any) -> bool:
    """True when making an instance of `cls` again runs code of its own."""
    if cls.__module__ in ("builtins", "collections", "functools"):
        return False
    if hasattr(cls, "__setstate__") or hasattr(cls, "__getattr__"):
        return True
    if cls.__setattr__ is not object.__setattr__:
        return True
    return cls.__reduce_ex__ is not object.__reduce_ex__ or cls.__reduce__ is not object.__reduce__


def _reducers() -> dict[Any, Any]:
    """The table by which multiprocessing pickles, less the entries that move tensors to shared memory."""
    table = dict(copyreg.dispatch_table)
    for kind, reduce in _forking._extra_reducers.items():
        table[kind] = reduce
    return table


def _in_c(obj: Any) -> BaseException | None:
    """What the pickler written in C says about `obj`, which is what people see; None when it says nothing."""
    if _tensor_like(obj):
        return None
    try:
        pickler = pickle.Pickler(_Sink(time.monotonic() + 5), PROTOCOL)
        pickler.dispatch_table = _reducers()
        pickler.dump(obj)
    except _STOP:
        raise
    except Exception as error:
        return None if isinstance(error, OutOfTime) else error
    return None


def _numberless(path: str) -> str:
    return re.sub(r"\d+", "0", path)


# ---------------------------------------------------------------- what is said about a problem


def _type_name(cls: type) -> str:
    module = cls.__module__
    name = cls.__qualname__
    return name if module == "builtins" else "%s.%s" % ("__main__" if module == "__mp_main__" else module, name)


def _message(error: BaseException) -> str:
    text = str(error)
    words = " ".join(text.split()).replace("__mp_main__", "__main__")
    return "%s: %s" % (type(error).__name__, words) if words else type(error).__name__


def _described(frame: _Frame, path: str, error: BaseException, size: int, side: str) -> Row:
    obj = frame.obj
    subject = obj if isinstance(obj, (type, types.FunctionType)) else None
    if isinstance(obj, type):  # reached as the class of an instance, or as itself
        kind = _type_name(obj) if frame.parent is not None and type(frame.parent.obj) is obj else "type"
    else:
        kind = _type_name(type(obj))
    made = _definition(subject if subject is not None else _safely(lambda: obj.__func__, None))
    place = _assigned(frame)
    return {
        "path": path,
        "type": kind,
        "error": _message(error),
        "side": side,
        "assigned_at": place,
        "defined_at": made,
        "name": getattr(subject, "__qualname__", None),
        "payload_bytes": max(0, size),
        "more": 0,
    }


def _definition(subject: Any) -> Row | None:
    """Where a function or class is defined."""
    code = _safely(lambda: subject.__code__, None)
    if code is not None:
        return _place(code.co_filename, code.co_firstlineno)
    if isinstance(subject, type):
        file = _file_of(subject)
        tree = _tree(file) if file else None
        wanted = subject.__qualname__.replace(".<locals>", "").split(".")
        nodes = [(tree, 0)] if tree is not None else []
        for node, depth in nodes:
            for child in ast.iter_child_nodes(node):
                if not isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                    nodes.append((child, depth))
                elif child.name == wanted[depth]:
                    if depth + 1 == len(wanted):
                        return _place(file, child.lineno)
                    nodes.append((child, depth + 1))
    return None


def _defined(module: str, qualname: str) -> Row | None:
    found: Any = sys.modules[module]
    return _definition(functools.reduce(getattr, qualname.split("."), found))


def _place(file: str | None, line: int) -> Row | None:
    if not file or file.startswith("<"):
        return None
    file = os.path.abspath(file)
    return {"path": file, "line": line, "user": _is_users(file)}


def _is_users(file: str) -> bool:
    """False for the standard library and installed packages."""
    parts = os.path.normcase(file).replace("\\", "/")
    if "/site-packages/" in parts or "/dist-packages/" in parts:
        return False
    library = os.path.normcase(os.path.dirname(os.path.abspath(os.__file__))).replace("\\", "/")
    return not parts.startswith(library + "/") and os.path.basename(parts) not in ("_spawnfix_probe.py",)


def _file_of(cls: type) -> str | None:
    module = sys.modules.get(cls.__module__)
    file = getattr(module, "__file__", None)
    if file and file.endswith(".pyc"):
        return None
    return file


_trees: dict[str, Any] = {}


def _tree(file: str) -> Any:
    if file not in _trees:
        try:
            with open(file, "rb") as source:
                data = source.read(4000000)
            _trees[file] = ast.parse(data)
        except Exception:
            _trees[file] = None
    return _trees[file]


def _assigned(frame: Any) -> Row | None:
    """Where the attribute on the way to this value, the nearest, was assigned; None when that can't be told."""
    obj = frame.obj
    subject = _safely(lambda: obj.__code__.co_firstlineno, None)
    while frame.parent is not None:
        name = frame.label[1]
        if name is not None:
            owner = frame.parent
            while owner.reduced is None and owner.parent is not None:
                owner = owner.parent
            if not _is_library(type(owner.obj)):  # nobody can do anything about threading.Event
                return _in_classes(type(owner.obj), name, subject) or _in_modules(name)
        frame = frame.parent
    return None


def _is_library(cls: type) -> bool:
    """True for classes of the interpreter and its standard library."""
    file = _file_of(cls)
    if not file:
        return cls.__module__ not in ("__main__", "__mp_main__")
    file = os.path.abspath(file)
    return not _is_users(file) and "site-packages" not in file and "dist-packages" not in file


def _in_classes(cls: type, name: str, lambda_line: int | None) -> Row | None:
    for base in cls.__mro__:
        if base is object or base.__module__ == "builtins":
            continue
        file = _file_of(base)
        tree = _tree(file) if file else None
        if tree is None:
            continue
        found = []
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef) and node.name == base.__name__:
                found += _assignments(node, name, self_only=True)
        if found:
            return _place(file, _best(found, lambda_line))
    return None


def _in_modules(name: str) -> Row | None:
    """Where code of the user, in any loaded module, assigns `something.name`; None when at no place or at several."""
    found = []
    for module in list(sys.modules.values()):
        file = getattr(module, "__file__", None)
        if not isinstance(file, str) or not file.endswith(".py") or not _is_users(os.path.abspath(file)):
            continue
        tree = _tree(file)
        if tree is not None:
            rows = _assignments(tree, name, self_only=False)
            found += [(file, line) for line in sorted({line for line, _, _ in rows})]
    places = {(os.path.abspath(file), line) for file, line in found}
    return _place(*places.pop()) if len(places) == 1 else None


def _assignments(tree: Any, name: str, self_only: bool) -> list[tuple[int, int, bool]]:
    """(line, last line, is the value a plain constant) of each assignment to an attribute `name` below `tree`."""
    rows = []
    fields = tree.body if isinstance(tree, ast.ClassDef) else []
    for node in ast.walk(tree):
        targets: list[ast.expr] = []
        if isinstance(node, ast.Assign):
            targets = node.targets
        elif isinstance(node, (ast.AnnAssign, ast.AugAssign)):
            targets = [node.target]
        elif isinstance(node, (ast.With, ast.AsyncWith)):
            targets = [item.optional_vars for item in node.items if item.optional_vars is not None]
        flat = []
        for target in targets:
            flat += target.elts if isinstance(target, (ast.Tuple, ast.List)) else [target]
        for target in flat:
            hit = False
            if isinstance(target, ast.Attribute) and target.attr == name:
                hit = self_only is (isinstance(target.value, ast.Name) and target.value.id in ("self", "cls"))
            if not hit and self_only and node in fields and isinstance(target, ast.Name) and target.id == name:
                hit = True
            if hit:
                value = getattr(node, "value", None)
                plain = isinstance(value, ast.Constant) or type(value).__name__ in ("NameConstant", "Num", "Str")
                rows.append((target.lineno, getattr(node, "end_lineno", None) or target.lineno, plain))
    return rows


def _best(rows: list[tuple[int, int, bool]], lambda_line: int | None) -> int:
    for line, last, _ in rows:
        if lambda_line is not None and line <= lambda_line <= last:
            return line
    return min(rows, key=lambda row: (row[2], row[0]))[0]


# ---------------------------------------------------------------- looking at one object


class _NoPopen:
    """Stands for the process that would be started: what is shared with it stays where it is."""

    @staticmethod
    def duplicate_for_child(handle: Any) -> Any:
        return handle

    @staticmethod
    def DupFd(handle: Any) -> Any:
        return handle


def examine(
    obj: Any, name: str, seconds: float = 30.0, children: bool = True, forgiving: bool = False
) -> tuple[Row, _Look]:
    """(result, look) for `obj`, called `name` in paths. The result is what `diagnose --format json` prints, in the making.

    Runs `__getstate__` and `__reduce_ex__` of the object's parts, as pickling does. Raises nothing.
    """
    if "torch" in sys.modules:
        _safely(lambda: importlib.import_module("torch.multiprocessing"), None)
    look = _Look(name, time.monotonic() + seconds, children)
    limit, popen = sys.getrecursionlimit(), _context.get_spawning_popen()
    unfinished = None
    was, _Look.forgiving = _Look.forgiving, forgiving
    try:
        _context.set_spawning_popen(_NoPopen)
        sys.setrecursionlimit(max(limit, _stack_depth() + MAX_DEPTH * 9 + 400))
        look.save(obj)
    except OutOfTime:
        unfinished = "stopped after %g seconds; what is left was not looked at" % seconds
    except Enough:
        unfinished = "stopped after %d problems" % MAX_PROBLEMS
    except _STOP:
        raise
    except BaseException as error:  # pyo3 panics and the like
        unfinished = "stopped: %s" % _message(error)
    finally:
        sys.setrecursionlimit(limit)
        _Look.forgiving = was
        if look.deepest > 60:
            _deep(look, obj, name)
        _context.set_spawning_popen(popen)
    for problem in look.problems:
        for (shape, _, _), count in look.alike.items():
            if count > MAX_ALIKE and shape == _numberless(problem["path"]):
                problem["more"] = count - MAX_ALIKE
    notes = ["%s: %s" % (path, note) for note, path in look.notes.items()]
    return {
        "target": name,
        "picklable": not look.problems,
        "problems": look.problems,
        "payload_bytes": look.size,
        "shared_bytes": look.shared,
        "payload": _payload(look.payload),
        "unfinished": unfinished,
        "notes": notes,
    }, look


def _deep(look: _Look, obj: Any, name: str) -> None:
    """A problem when the value is nested more deeply than the real pickler can follow."""
    try:
        pickler = _Quick(look)
        pickler.sink.deadline = time.monotonic() + 10
        pickler.dump(obj)
    except RecursionError as error:
        frame, step = _chain(look.deep)
        if frame is None:
            frame = _Frame(obj, None, 0)
        problem = _described(frame, _path(name, frame), error, look.size, "parent")
        by = ", by %s" % step if step else ""
        problem["error"] = _message(error) + " (objects inside each other, %s levels or more%s)" % (look.deepest, by)
        if len(look.problems) < MAX_PROBLEMS:
            look.problems.append(problem)
    except _STOP:
        raise
    except Exception:
        pass


def _chain(deepest: Any) -> tuple[Any, str]:
    """The first of the values of one type that hold each other above the frame `deepest`, and by what: `.next`."""
    frames = _frames(deepest)
    counts: dict[type, int] = {}
    for frame in frames:
        counts[type(frame.obj)] = counts.get(type(frame.obj), 0) + 1
    own = {cls: count for cls, count in counts.items() if cls not in (dict, list, tuple)}
    counts = own if own and max(own.values()) * 4 > len(frames) else counts  # not the state of objects
    if not counts:
        return None, ""
    cls = max(counts, key=lambda each: counts[each])
    chain = [frame for frame in frames if type(frame.obj) is cls]
    if len(chain) < 3:
        return None, ""
    second, third = _path("x", chain[1]), _path("x", chain[2])  # the first may hold the others by something else
    return chain[0], third[len(second) :] if third.startswith(second) else ""


def _stack_depth() -> int:
    depth = 0
    frame: types.FrameType | None = sys._getframe()
    while frame is not None:
        depth, frame = depth + 1, frame.f_back
    return depth


def _payload(rows: list[tuple[str, int, int]]) -> list[Row]:
    """The paths that matter for the size, the biggest first; without those that only lead to one, and small parts."""
    best: dict[str, tuple[int, int]] = {}
    for path, size, shared in rows:
        old = best.get(path, (0, 0))
        best[path] = (max(old[0], size), max(old[1], shared))
    ordered = sorted(best.items(), key=lambda row: (-sum(row[1]), len(row[0])))[:40]
    kept: list[Row] = []
    for path, (size, shared) in ordered:
        inside = [o for o, (s, h) in ordered if o != path and o.startswith(path) and s + h > 0.9 * (size + shared)]
        part = any(path.startswith(o["path"]) and size + shared < 0.2 * (o["bytes"] + o["shared_bytes"]) for o in kept)
        if not inside and not part:
            kept.append({"path": path, "bytes": size, "shared_bytes": shared})
    return kept[:12]


# ---------------------------------------------------------------- a real child


class _Send(pickle.Pickler):
    """Pickles what a child shall make again, with stand-ins for data that is only counted."""

    def __init__(self, file: Any) -> None:
        super().__init__(file, PROTOCOL)
        self.dispatch_table = _reducers()

    def persistent_id(self, obj: Any) -> Any:
        """A stand-in's description. Raises OutOfTime for what only a real start of a process can send."""
        kind = type(obj)
        if kind in (int, float, bool, type(None), tuple, list, dict):
            return None
        found = _leaf(obj)
        if found is not None:
            if found.stand_in is None:
                raise OutOfTime
            return found.stand_in
        special = kind in _forking._extra_reducers and kind.__module__ not in (
            "builtins",
            "functools",
        )
        if special or kind.__module__ in ("multiprocessing.queues", "multiprocessing.heap"):
            raise OutOfTime
        return None


class _Receive(pickle.Unpickler):
    def find_class(self, module: str, name: str) -> Any:
        try:
            return super().find_class(module, name)
        except AttributeError:
            if module in sys.modules:  # else importing it failed
                return _look_up(module, name)  # which fails in the same words on every Python; 3.14 has new ones
            raise

    def persistent_load(self, pid: Any) -> Any:
        return _stand_in(pid[0], pid[1:])


class _Bounded(io.BytesIO):
    def write(self, data: Any) -> Any:
        if self.tell() + len(data) > CHILD_LIMIT:
            raise OutOfTime
        return super().write(data)


def _sent(obj: Any) -> bytes | None:
    """`obj` as bytes for a child; None when that is too much, or fails."""
    file = _Bounded()
    popen = _context.get_spawning_popen()
    _context.set_spawning_popen(_NoPopen)
    try:
        _Send(file).dump(obj)
    except _STOP:
        raise
    except BaseException:
        return None
    finally:
        _context.set_spawning_popen(popen)
    return file.getvalue()


def in_child(looks: list[tuple[Any, Row, _Look]], name: str, seconds: float = 60.0) -> None:
    """Let a spawned child look up every name that the pickles need and make the objects again; adds what fails to results.

    `looks` are (object, its result, its look); `name` is what the whole is called.
    """
    folder = tempfile.mkdtemp(prefix="spawnfix-child-")
    try:
        _in_child(folder, looks, name, seconds)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _in_child(folder: str, looks: list[tuple[Any, Row, _Look]], name: str, seconds: float) -> None:
    names: list[tuple[tuple[str, str], str, Row]] = []
    sent: list[tuple[str, Any, Row, str]] = []  # path, object, result, file
    for obj, result, look in looks:
        names += [(key, path, result) for key, path in look.names.items()]
        for path, part, data in _parcels(obj, result, look):
            sent.append((path, part, result, os.path.join(folder, "%d.pickle" % len(sent))))
            with open(sent[-1][3], "wb") as out:
                out.write(data)
    answers = os.path.join(folder, "out.json")
    job = {"names": [key for key, _, _ in names], "files": [row[3] for row in sent], "out": answers}
    request = os.path.join(folder, "job.json")
    with open(request, "w") as out:
        json.dump(job, out)
    text, code = _run_child(request, os.path.join(folder, "stderr"), seconds)
    try:
        with open(answers) as file:
            answer = json.load(file)
    except (OSError, ValueError):
        _died(looks[0][1], name, text, code, seconds)
        return
    for number, error in answer["names"]:
        (module, qualname), path, result = names[number]
        made = _safely(functools.partial(_defined, module, qualname), None)
        _child_problem(result, path, qualname, error, None, made)
    seen = {problem["error"] for _, result, _ in looks for problem in result["problems"]}
    for number, error, place in answer["loads"]:
        path, part, result, _ = sent[number]
        if error not in seen:  # else the same one again, seen from further up
            seen.add(error)
            where = None if place is None else _place(place[0], place[1])
            _child_problem(result, path, _type_name(type(part)), error, where, where)


def _parcels(obj: Any, result: Row, look: _Look) -> Iterator[tuple[str, Any, bytes]]:
    """(path, object, its pickle) of what a child shall make again: parts that run code of their own, then the whole."""
    failed = {problem["path"] for problem in result["problems"]}
    parts = [row for row in look.samples.values() if row[1] is not obj and row[0] not in failed]
    parts.sort(key=lambda row: -len(row[0]))
    if result["picklable"] and not result["unfinished"]:
        parts.append((result["target"], obj))
    total = 0
    for path, part in parts:
        data = _sent(part) if total < CHILD_LIMIT else None
        if data is not None:
            total += len(data)
            yield path, part, data


def _child_problem(result: Row, path: str, kind: str, error: str, assigned: Row | None, defined: Row | None) -> None:
    result["picklable"] = False
    result["problems"].append(
        {
            "path": path,
            "type": kind.replace("__mp_main__", "__main__"),
            "error": error,
            "side": "child",
            "assigned_at": assigned,
            "defined_at": defined,
            "name": None,
            "payload_bytes": 0,
            "more": 0,
        }
    )


def _died(result: Row, name: str, text: str, code: int | None, seconds: float) -> None:
    """The child ended before it could answer: importing the main module did that, or it took too long."""
    if code is None:
        result["notes"].append(
            "the child did not answer within %g seconds: importing the program takes that long" % seconds
        )
        return
    lines = [line for line in text.splitlines() if line.strip()]
    error = None
    for number, line in enumerate(lines):
        if _error_line(line):
            more = lines[number + 1 : number + 4] if line.rstrip().endswith(":") else []
            error = " ".join([line.strip()] + [each.strip() for each in more])
    place = None
    for line in lines:
        words = line.strip()
        if words.startswith('File "') and '", line ' in words:
            file, _, rest = words[6:].partition('", line ')
            count = rest.split(",")[0]
            if count.isdigit() and os.path.isfile(file) and _is_users(os.path.abspath(file)):
                place = _place(file, int(count))
    if error is None:
        error = "the child ended with exit code %s while it imported the program" % code
    _child_problem(result, name, "module", error, place, None)


def _error_line(line: str) -> bool:
    head = line.split(":")[0]
    return (
        line[:1].isalpha()
        and head.replace(".", "").replace("_", "").isalnum()
        and head.endswith(("Error", "Exception"))
    )


def _run_child(request: str, stderr: str, seconds: float) -> tuple[str, int | None]:
    """(what the child wrote to stderr, its exit code or None when it had to be ended)."""
    context = multiprocessing.context.SpawnContext()
    process = context.Process(target=child_main, args=(request,))
    sys.stdout.flush()
    sys.stderr.flush()
    saved = os.dup(2), os.dup(1)
    with open(stderr, "wb") as out:
        try:
            os.dup2(out.fileno(), 2)
            os.dup2(out.fileno(), 1)
            process.daemon = False
            process.start()
        finally:
            os.dup2(saved[0], 2)
            os.dup2(saved[1], 1)
            os.close(saved[0])
            os.close(saved[1])
    process.join(seconds)
    code = process.exitcode
    if code is None:
        process.terminate()
        process.join(5)
        if process.exitcode is None:
            process.kill()
            process.join(5)
    with open(stderr, "rb") as done:
        return done.read(1 << 20).decode("utf-8", "replace"), code


def child_main(request: str) -> None:
    """In the child: look up names, make objects again, write down what failed."""
    with open(request) as file:
        job = json.load(file)
    names, loads = [], []
    for number, (module, qualname) in enumerate(job["names"]):
        try:
            _look_up(module, qualname)
        except _STOP:
            raise
        except BaseException as error:
            names.append((number, _message(error)))
    for number, path in enumerate(job["files"]):
        try:
            with open(path, "rb") as file:
                _Receive(file).load()
        except _STOP:
            raise
        except BaseException as error:
            loads.append((number, _message(error) + _inside(error), _last_place(error)))
    with open(job["out"] + ".part", "w") as out:
        json.dump({"names": names, "loads": loads}, out)
    os.replace(job["out"] + ".part", job["out"])
    sys.stdout.flush()
    os._exit(0)  # no exit handlers of what was imported


def _look_up(module: str, qualname: str) -> Any:
    if module not in sys.modules:
        importlib.import_module(module)
    found: Any = sys.modules[module]
    for part in qualname.split("."):
        try:
            found = getattr(found, part)
        except AttributeError:
            raise AttributeError("Can't get attribute %r on %r" % (qualname, sys.modules[module])) from None
    return found


def _inside(error: BaseException) -> str:
    """Where an error without words of its own comes from: a `__getattr__` that calls itself."""
    rows = traceback.extract_tb(error.__traceback__)[-4:]
    return " (in __getattr__)" if any(row.name in ("__getattr__", "__getattribute__") for row in rows) else ""


def _last_place(error: BaseException) -> list[Any] | None:
    rows = traceback.extract_tb(error.__traceback__)
    for row in reversed(rows):
        if (
            os.path.isfile(row.filename)
            and _is_users(os.path.abspath(row.filename))
            and os.path.basename(row.filename) != os.path.basename(__file__)
        ):
            return [os.path.abspath(row.filename), row.lineno]
    return None


# ---------------------------------------------------------------- finding the object that the user names


class NotFound(Exception):
    """The target could not be had; the message says why, in words."""


def last_name(expression: str) -> str:
    """`holder.datasets[0]` -> `datasets[0]`: how the paths of a target begin."""

    def shown(node: ast.expr) -> str:
        if isinstance(node, ast.Attribute):
            return node.attr
        text = _segment(expression, node)
        if isinstance(node, (ast.Call, ast.Subscript)):
            inner = node.func if isinstance(node, ast.Call) else node.value
            return shown(inner) + text[len(_segment(expression, inner)) :]
        return text

    return shown(ast.parse(expression, mode="eval").body)


def _segment(text: str, node: ast.expr) -> str:
    """The text of `node`, an expression on one line (ast.get_source_segment is newer than 3.7)."""
    end = getattr(node, "end_col_offset", None)
    if end is not None:
        return text.encode()[node.col_offset : end].decode()
    for stop in range(len(text), node.col_offset, -1):  # 3.7: the longest that parses to the same
        try:
            tree = ast.parse(text[node.col_offset : stop], mode="eval").body
        except SyntaxError:
            continue
        if ast.dump(tree) == ast.dump(node):
            return text[node.col_offset : stop].rstrip()
    return text


def load(target: str) -> tuple[Any, str]:
    """(object, name for paths) for `pkg.mod:expression` or `script.py:expression`. Raises NotFound."""
    where, _, expression = target.rpartition(":")
    if not where or not expression.strip():
        raise NotFound("want pkg.mod:name, pkg.mod:factory() or script.py:name, not %r" % target)
    expression = expression.strip()
    try:
        name = last_name(expression)
    except SyntaxError:
        raise NotFound("%r is no Python expression" % expression) from None
    default = _context._default_context
    spawn = _context._concrete_contexts["spawn"]
    default._default_context = spawn  # as on Windows; a program may still choose otherwise
    default._actual_context = None
    module = _script(where) if where.endswith(".py") else _module(where)
    try:
        return eval(compile(expression, "<target>", "eval"), vars(module)), name
    except NameError as error:
        first = getattr(error, "name", None) or str(error).split("'")[1:2]
        first = first if isinstance(first, str) else "".join(first)
        words = _message(error)
        if first and first in expression and not hasattr(module, first):
            words = "%s has no %r when it is imported" % (where, first)
            if where.endswith(".py"):
                words += " (is it created under if __name__ == '__main__'?)"
        raise NotFound(words) from error
    except _STOP as error:
        raise NotFound("%s: %s" % (expression, _message(error))) from error
    except Exception as error:
        raise NotFound("%s: %s" % (expression, _message(error))) from error


def _blank(name: str) -> types.ModuleType:
    module = types.ModuleType(name)
    module.__spec__ = None
    return module


def _module(name: str) -> types.ModuleType:
    main = _blank("__main__")  # a child imports no main module
    sys.modules["__main__"] = main
    sys.path.insert(0, os.getcwd())
    try:
        return importlib.import_module(name)
    except _STOP as error:
        raise NotFound("importing %s: %s" % (name, _message(error))) from error
    except Exception as error:
        raise NotFound("importing %s: %s" % (name, _message(error))) from error


def _script(path: str) -> types.ModuleType:
    """The module that `path` becomes in a spawned child, also in this process."""
    full = os.path.abspath(path)
    try:
        with open(full, "rb") as file:
            code = compile(file.read(), full, "exec")
    except OSError as error:
        raise NotFound("%s: %s" % (path, error.strerror)) from error
    except (SyntaxError, ValueError) as error:
        raise NotFound("%s: %s" % (path, _message(error))) from error
    module = _blank("__mp_main__")
    module.__file__ = full
    sys.modules["__main__"] = sys.modules["__mp_main__"] = module
    sys.path.insert(0, os.path.dirname(full))
    sys.argv = [path]
    try:
        exec(code, vars(module))
    except _STOP as error:
        raise NotFound("%s: %s, when it is imported as in a child" % (path, _message(error))) from error
    except Exception as error:
        raise NotFound("%s: %s, when it is imported as in a child" % (path, _message(error))) from error
    return module


def crossing(obj: Any, name: str) -> list[tuple[Any, str]]:
    """What of `obj` is sent to workers: [(part, its name)]. A DataLoader sends its dataset and functions, not itself."""
    for cls in type(obj).__mro__:
        if cls.__name__ == "DataLoader" and cls.__module__.startswith("torch.utils.data"):
            parts = (("dataset", None), ("collate_fn", None), ("worker_init_fn", None))
            return [(getattr(obj, part, None), "%s.%s" % (name, part)) for part, _ in parts]
    return [(obj, name)]


def diagnose(
    obj: Any,
    name: str,
    seconds: float = 30.0,
    child: bool = True,
    child_seconds: float = 60.0,
    forgiving: bool = False,
) -> Row:
    """Everything that keeps `obj` from reaching a spawned process, as one result.

    `forgiving`: of semaphores of the fork context, which this process gets from multiprocessing where fork is the default.
    """
    looks = []
    for part, called in crossing(obj, name):
        if part is not None or called == name:
            looks.append((part, *examine(part, called, seconds, child, forgiving)))
    if child:
        was, _Look.forgiving = _Look.forgiving, forgiving
        try:
            in_child(looks, name, child_seconds)
        finally:
            _Look.forgiving = was
    results = [result for _, result, _ in looks]
    total = results[0]
    for other in results[1:]:
        total["problems"] += other["problems"]
        total["payload"] += other["payload"]
        total["notes"] += other["notes"]
        total["payload_bytes"] += other["payload_bytes"]
        total["shared_bytes"] += other["shared_bytes"]
        total["unfinished"] = total["unfinished"] or other["unfinished"]
    if total["target"] != name and _safely(lambda: obj.num_workers, None) == 0:  # the parts of a loader
        total["notes"].append("%s has num_workers=0: nothing is sent as long as that stays" % name)
    total["target"] = name
    total["picklable"] = not total["problems"]
    return total


def _not_called(obj: Any, name: str, target: str) -> list[str]:
    """A hint, for a function or class that stands there without parentheses: did they mean what it gives?"""
    if not isinstance(obj, (types.FunctionType, type)):
        return []
    try:
        parameters = inspect.signature(obj).parameters.values()
    except (TypeError, ValueError):
        return []
    needed = [each.name for each in parameters if each.default is each.empty and each.kind not in (2, 4)]
    kind = "class" if isinstance(obj, type) else "function"
    values = ", with values for what it needs" if needed else ""
    call = "%s(%s)" % (target, ", ".join(needed))
    return ['this was the %s %s itself. To look at what it gives, call it%s: "%s"' % (kind, name, values, call)]


def _main(request_path: str, result_path: str) -> None:
    with open(request_path) as file:
        request = json.load(file)
    import warnings

    warnings.filterwarnings("ignore", message=".*[iI]tertools.*", category=DeprecationWarning)
    try:
        obj, name = load(request["target"])
        result = diagnose(obj, name, request["seconds"], request["child"], request["child_seconds"])
        result["notes"] += _not_called(obj, name, request["target"].strip())
        result["is_none"] = obj is None
    except NotFound as error:
        result = {"failed": str(error)}
        cause = error.__cause__
        if cause is not None:
            rows = [
                row
                for row in traceback.extract_tb(cause.__traceback__)
                if os.path.basename(row.filename) != os.path.basename(__file__)
            ]
            result["traceback"] = "".join(traceback.format_list(rows[-3:]))
            result["missing"] = getattr(cause, "name", None) if isinstance(cause, ImportError) else None
    result["python"] = "%d.%d.%d" % sys.version_info[:3]
    with open(result_path, "w") as file:
        json.dump(result, file)
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(0)  # neither exit handlers nor threads of what was imported


# ---------------------------------------------------------------- inside a program of the user


class _Hooks:
    """What `install_hooks` puts into a program."""

    def __init__(self, folder: str, dry_run: bool, seconds: float, stop: bool = False) -> None:
        self.folder, self.dry_run, self.seconds, self.stop = folder, dry_run, seconds, stop
        self.busy = False
        self.seen: set[Any] = set()
        self.starts: dict[Any, int] = {}

    def write(self, record: Row) -> None:
        record["pid"] = os.getpid()
        record["python"] = "%d.%d.%d" % sys.version_info[:3]
        try:
            with open(os.path.join(self.folder, "%d.jsonl" % os.getpid()), "a") as file:
                file.write(json.dumps(record) + "\n")
        except Exception:
            pass  # the program must not feel us

    def look(self, obj: Any, why: str, forgiving: bool = False) -> bool:
        """Examine what the program sends, or tried to; False for a problem. Never raises into the program."""
        if self.busy:
            return True
        self.busy = True
        started = time.monotonic()
        try:
            name, renames, context = _described_start(obj)
            result, _ = examine(obj, name, self.seconds, children=False, forgiving=forgiving)
            for row in result["problems"] + result["payload"]:
                row["path"] = _renamed(row["path"], renames)
            result["notes"] = [_renamed(note, renames) for note in result["notes"]]
            result.update(kind=why, context=context, started_at=_user_frames(), seconds=time.monotonic() - started)
            self.write(result)
            return not result["problems"]
        except _STOP:
            raise
        except BaseException as error:
            self.write({"kind": "trouble", "error": _message(error), "trace": traceback.format_exc()[-2000:]})
        finally:
            self.busy = False
        return True

    def patch_reduction(self, module: Any) -> None:
        real_dump, real_dumps = module.dump, module.ForkingPickler.dumps.__func__

        @functools.wraps(real_dump)
        def dump(obj: Any, file: Any, protocol: Any = None) -> Any:
            try:
                return real_dump(obj, file, protocol)
            except Exception as error:
                if hasattr(obj, "_target"):  # not what is sent to prepare a child
                    self.failed(obj, error)
                raise

        def dumps(cls: Any, obj: Any, protocol: Any = None) -> Any:
            try:
                return real_dumps(cls, obj, protocol)
            except Exception as error:
                self.failed(obj, error)
                raise

        module.dump = dump
        module.ForkingPickler.dumps = classmethod(dumps)

    def failed(self, obj: Any, error: Any) -> None:
        if getattr(error, "_spawnfix_seen", False):
            return
        try:
            error._spawnfix_seen = True
        except Exception:
            pass
        self.look(obj, "send")

    def patch_process(self, module: Any) -> None:
        real_start = module.BaseProcess.start

        @functools.wraps(real_start)
        def start(process: Any) -> Any:
            good, pickled = True, False
            try:
                if self.wanted(process):
                    pickled = _method(process) != "fork"
                    good = pickled or self.look(process, "dry run", forgiving=True)
            except _STOP:
                raise
            except BaseException:
                pass
            if self.stop and not good:
                raise SystemExit(STOPPED)  # by the way of any other end, so that the program cleans up
            done = real_start(process)
            if pickled:
                self.write({"kind": "sent"})  # the program's own pickling was the look
            return done

        if self.dry_run:
            module.BaseProcess.start = start

    def wanted(self, process: Any) -> bool:
        """False for a worker like one that was looked at, and after several from one place."""
        args = getattr(process, "_args", ())
        kinds = ("multiprocessing.synchronize", "multiprocessing.queues", "multiprocessing.connection")
        known = [id(each) for each in args if type(each) not in _ATOMS and type(each).__module__ not in kinds]
        key = (getattr(getattr(process, "_target", None), "__qualname__", type(process)), tuple(known))
        place = tuple((row["path"], row["line"]) for row in _user_frames()[:1])
        self.starts[place] = self.starts.get(place, 0) + 1
        if key in self.seen or self.starts[place] > 8:
            return False
        self.seen.add(key)
        return True

    def patch_spawn(self, module: Any) -> None:
        real_main = module._main

        @functools.wraps(real_main)
        def _main(*args: Any, **more: Any) -> Any:
            try:
                return real_main(*args, **more)
            except Exception as error:
                self.write({"kind": "child", "error": _message(error), "traceback": traceback.format_exc()[-6000:]})
                raise

        module._main = _main

    def patch_excepthook(self) -> None:
        real = sys.excepthook

        def hook(kind: Any, error: Any, trace: Any) -> Any:
            try:
                text = "".join(traceback.format_exception(kind, error, trace))
                if not issubclass(kind, KeyboardInterrupt):
                    self.write({"kind": "uncaught", "error": _message(error), "traceback": text[-20000:]})
            except Exception:
                pass
            return real(kind, error, trace)

        sys.excepthook = hook


def _method(process: Any) -> Any:
    """The start method that `process` will use."""
    method = getattr(process, "_start_method", None)
    return method or _context._default_context.get_context()._name


def _user_frames() -> list[Row]:
    """The innermost places in code of the user that led here, the innermost first."""
    rows: list[Row] = []
    frame: types.FrameType | None = sys._getframe()
    while frame is not None and len(rows) < 3:
        file = os.path.abspath(frame.f_code.co_filename)
        if not frame.f_code.co_filename.startswith("<") and _is_users(file) and file != os.path.abspath(__file__):
            rows.append({"path": file, "line": frame.f_lineno, "name": frame.f_code.co_name})
        frame = frame.f_back
    return rows


def _described_start(obj: Any) -> tuple[str, list[tuple[str, str]], str]:
    """(name for the object in paths, [(prefix of paths, what to write instead)], what was being done in words)."""
    target = getattr(obj, "_target", None)
    args = getattr(obj, "_args", ())
    if not hasattr(obj, "_target"):
        return "item", [], "an item for a queue or pool"
    where = (getattr(target, "__module__", ""), getattr(target, "__name__", ""))
    names = _parameters(target, len(args))
    renames = [("Process._args[%d]" % number, "Process.args[%d]" % number) for number in range(len(args))]
    renames.append(("Process._target", "Process.target"))
    renames.append(("Process._kwargs", "Process.kwargs"))
    words = "Process(target=%s)" % getattr(target, "__qualname__", "...")
    maker = None
    if where[1] == "_worker_loop" and where[0].startswith("torch.utils.data"):
        maker, words = "DataLoader", "a DataLoader worker"
        names = ["worker_init_fn" if name == "init_fn" else name for name in names]
    elif where == ("multiprocessing.pool", "worker"):
        maker, words = "Pool", "a worker of a Pool"
    elif where[0] == "concurrent.futures.process":
        maker, words = "ProcessPoolExecutor", "a worker of a ProcessPoolExecutor"
    elif where[0].startswith("torch.multiprocessing.spawn"):
        maker, words = "spawn", "torch.multiprocessing.spawn"
    if maker:
        renames = [("Process._args[%d]" % n, "%s.%s" % (maker, name)) for n, name in enumerate(names)] + renames
        renames.append(("Process._target", maker))
    elif target is None:
        words = "a process of class %s" % type(obj).__qualname__
        renames.append(("Process", type(obj).__name__))
    return "Process", renames, words


def _parameters(target: Any, count: int) -> list[str]:
    try:
        names = list(inspect.signature(target).parameters)
    except Exception:
        names = []
    return [names[n] if n < len(names) else "args[%d]" % n for n in range(count)]


def _renamed(text: str, renames: list[tuple[str, str]]) -> str:
    for old, new in renames:
        at = text.find(old)
        if (
            at >= 0
            and (at == 0 or text[at - 1] in "( ")
            and text[at + len(old) : at + len(old) + 1] in ("", ".", "[", ":", ")", " ")
        ):
            return text[:at] + new + text[at + len(old) :]
    return text


class _Patcher:
    """Patches modules when they are imported; imports none itself."""

    def __init__(self, patches: dict[str, Callable[[Any], None]]) -> None:
        self.patches = patches
        self.inside: set[str] = set()

    def find_spec(self, name: str, path: Any = None, target: Any = None) -> Any:
        if name not in self.patches or name in self.inside:
            return None
        self.inside.add(name)
        try:
            spec = importlib.util.find_spec(name)
        finally:
            self.inside.discard(name)
        if spec is None or spec.loader is None:
            return None
        loader: Any = spec.loader
        real, patch = loader.exec_module, self.patches[name]

        def exec_module(module: Any) -> None:
            real(module)
            try:
                patch(module)
            except Exception:
                pass

        loader.exec_module = exec_module
        return spec


def install_hooks(folder: str, dry_run: bool = False, seconds: float = 20.0, stop: bool = False) -> _Hooks:
    """Watch what this program, and the processes that it starts, send to others; `stop`: end it at the first problem."""
    hooks = _Hooks(folder, dry_run, seconds, stop)
    hooks.patch_excepthook()
    hooks.patch_reduction(multiprocessing.reduction)
    hooks.patch_process(multiprocessing.process)
    if "multiprocessing.spawn" in sys.modules:
        hooks.patch_spawn(sys.modules["multiprocessing.spawn"])
    else:
        sys.meta_path.insert(0, _Patcher({"multiprocessing.spawn": hooks.patch_spawn}))
    hooks.write({"kind": "hooked", "argv": list(getattr(sys, "argv", []))[:3]})
    return hooks


if __name__ == "__main__":
    # As a module of its own name, so that a child finds `child_main` in it, and __main__ is free for the user's script.
    sys.path[0:1] = []
    _folder = os.path.dirname(os.path.abspath(__file__))
    sys.path.append(_folder)
    os.dup2(2, 1)  # what the user's code prints is for people
    importlib.import_module("_spawnfix_probe")._main(*sys.argv[1:3])
