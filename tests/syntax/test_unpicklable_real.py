"""What the tables call unpicklable is refused by the pickler of multiprocessing (standard library, some packages)."""

# ruff: noqa: SIM115, PTH207  (handles are closed by an ExitStack)

from __future__ import annotations

import argparse
import ast
import bz2
import concurrent.futures
import contextvars
import copy
import copyreg
import cProfile
import csv
import ctypes
import functools
import glob
import gzip
import hashlib
import hmac
import http.server
import importlib
import inspect
import io
import itertools
import json
import logging
import logging.handlers
import lzma
import mmap
import multiprocessing
import multiprocessing.pool
import os
import pickle
import queue
import random
import re
import sched
import select
import selectors
import socket
import socketserver
import sqlite3
import ssl
import struct
import subprocess
import sys
import tarfile
import tempfile
import threading
import types
import wave
import weakref
import xml.parsers.expat
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from multiprocessing.reduction import ForkingPickler
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from test_unpicklable_rows import KINDS

from harness.each_row import each_row

Make = Callable[[ExitStack, Path], Any]


class Kept:
    """Something that a weak reference can be about."""


def _kept(x: int) -> int:
    return x


_KEPT = Kept()


def _with_table(stack: ExitStack) -> sqlite3.Connection:
    connection: sqlite3.Connection = _closed(stack, sqlite3.connect(":memory:"))
    connection.execute("create table t (x)")
    return connection


def _closed(stack: ExitStack, made: Any) -> Any:
    """`made`, closed when the test is done."""
    stack.callback(made.close)
    return made


def _pool(stack: ExitStack, pool: Any) -> Any:
    stack.callback(pool.terminate)
    return pool


def _executor(stack: ExitStack, executor: Any) -> Any:
    stack.callback(executor.shutdown)
    return executor


def _manager(stack: ExitStack, folder: Path) -> Any:
    from multiprocessing.managers import SyncManager

    return SyncManager()  # as Manager() makes it; its process is not needed


def _shared_memory(stack: ExitStack, folder: Path) -> Any:
    from multiprocessing.managers import SharedMemoryManager

    return SharedMemoryManager()


def _zip(folder: Path) -> Path:
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("a.txt", "a")
    return folder / "a.zip"


def _tar(folder: Path) -> Path:
    (folder / "a.txt").write_text("a")
    with tarfile.open(folder / "a.tar", "w") as archive:
        archive.add(folder / "a.txt", "a.txt")
    return folder / "a.tar"


def _wave(folder: Path) -> str:
    with wave.open(str(folder / "a.wav"), "wb") as audio:
        audio.setparams((1, 2, 8000, 0, "NONE", ""))
    return str(folder / "a.wav")


def _raised() -> Any:
    try:
        raise ValueError
    except ValueError:
        return sys.exc_info()


def _loop(stack: ExitStack, folder: Path) -> Any:
    import asyncio

    return _closed(stack, asyncio.new_event_loop())


def _packed(module: Any, folder: Path) -> Path:
    path = folder / "packed"
    with module.open(path, "wb") as file:
        file.write(b"a")
    return path


def _file(folder: Path) -> Path:
    (folder / "a.txt").write_text("a,b\n")
    return folder / "a.txt"


def _ended(stack: ExitStack, process: subprocess.Popen[bytes]) -> subprocess.Popen[bytes]:
    stack.callback(process.wait)
    return process


def _working(method: str) -> Make:
    """What a method of a pool of threads gives: the classes are those of a pool of processes."""

    def make(stack: ExitStack, folder: Path) -> Any:
        pool = _pool(stack, multiprocessing.pool.ThreadPool(1))
        return getattr(pool, method)(len, [] if method != "apply_async" else ([],))

    return make


def _server(stack: ExitStack, kind: type[socketserver.TCPServer]) -> Any:
    server = kind(("127.0.0.1", 0), socketserver.BaseRequestHandler)
    stack.callback(server.server_close)
    return server


def _submitted(stack: ExitStack, folder: Path) -> Any:
    return _executor(stack, concurrent.futures.ThreadPoolExecutor(1)).submit(len, [])


_SPAWN = multiprocessing.get_context("spawn")
_WORKING = ("map_async", "starmap_async", "apply_async", "imap", "imap_unordered")
REAL: dict[str, Make] = {
    "threading.Lock": lambda s, p: threading.Lock(),
    "threading.RLock": lambda s, p: threading.RLock(),
    "threading.Condition": lambda s, p: threading.Condition(),
    "threading.Semaphore": lambda s, p: threading.Semaphore(),
    "threading.BoundedSemaphore": lambda s, p: threading.BoundedSemaphore(),
    "threading.Barrier": lambda s, p: threading.Barrier(2),
    "threading.Event": lambda s, p: threading.Event(),
    "threading.local": lambda s, p: threading.local(),
    "threading.Thread": lambda s, p: threading.Thread(target=len),
    "threading.Timer": lambda s, p: threading.Timer(1, len),
    "queue.Queue": lambda s, p: queue.Queue(),
    "queue.LifoQueue": lambda s, p: queue.LifoQueue(),
    "queue.PriorityQueue": lambda s, p: queue.PriorityQueue(),
    "queue.SimpleQueue": lambda s, p: queue.SimpleQueue(),
    "concurrent.futures.ThreadPoolExecutor": lambda s, p: _executor(s, concurrent.futures.ThreadPoolExecutor(1)),
    "concurrent.futures.ProcessPoolExecutor": lambda s, p: _executor(
        s, concurrent.futures.ProcessPoolExecutor(1, mp_context=_SPAWN)
    ),
    "concurrent.futures.Future": lambda s, p: concurrent.futures.Future(),
    "concurrent.futures.ThreadPoolExecutor().submit": _submitted,
    "concurrent.futures.ProcessPoolExecutor().submit": _submitted,  # one class of results
    **{
        f"{pool}().{method}": _working(method)
        for pool in ("multiprocessing.Pool", "multiprocessing.pool.ThreadPool")
        for method in _WORKING
    },
    "multiprocessing.pool.ThreadPool": lambda s, p: _pool(s, multiprocessing.pool.ThreadPool(1)),
    "multiprocessing.Pool": lambda s, p: _pool(s, multiprocessing.pool.ThreadPool(1)),  # one class, one __reduce__
    "multiprocessing.Manager": _manager,
    "multiprocessing.Lock": lambda s, p: _SPAWN.Lock(),
    "multiprocessing.RLock": lambda s, p: _SPAWN.RLock(),
    "multiprocessing.Semaphore": lambda s, p: _SPAWN.Semaphore(),
    "multiprocessing.BoundedSemaphore": lambda s, p: _SPAWN.BoundedSemaphore(),
    "multiprocessing.Condition": lambda s, p: _SPAWN.Condition(),
    "multiprocessing.Event": lambda s, p: _SPAWN.Event(),
    "multiprocessing.Barrier": lambda s, p: _SPAWN.Barrier(2),
    "multiprocessing.Queue": lambda s, p: _SPAWN.Queue(),
    "multiprocessing.JoinableQueue": lambda s, p: _SPAWN.JoinableQueue(),
    "multiprocessing.SimpleQueue": lambda s, p: _SPAWN.SimpleQueue(),
    "multiprocessing.Value": lambda s, p: _SPAWN.Value("i"),
    "multiprocessing.Array": lambda s, p: _SPAWN.Array("i", 1),
    "logging.Logger": lambda s, p: logging.Logger("unknown to logging"),
    "logging.Handler": lambda s, p: logging.Handler(),
    "logging.StreamHandler": lambda s, p: logging.StreamHandler(),
    "logging.handlers.SysLogHandler": lambda s, p: _closed(s, logging.handlers.SysLogHandler(("localhost", 9))),
    "logging.handlers.SocketHandler": lambda s, p: _closed(s, logging.handlers.SocketHandler("localhost", 9)),
    "logging.handlers.QueueHandler": lambda s, p: logging.handlers.QueueHandler(queue.Queue()),
    "logging.handlers.MemoryHandler": lambda s, p: logging.handlers.MemoryHandler(1),
    "logging.FileHandler": lambda s, p: _closed(s, logging.FileHandler(p / "log")),
    "logging.handlers.RotatingFileHandler": lambda s, p: _closed(s, logging.handlers.RotatingFileHandler(p / "log")),
    "logging.handlers.TimedRotatingFileHandler": lambda s, p: _closed(
        s, logging.handlers.TimedRotatingFileHandler(p / "log")
    ),
    "logging.handlers.WatchedFileHandler": lambda s, p: _closed(s, logging.handlers.WatchedFileHandler(p / "log")),
    "open": lambda s, p: s.enter_context(open(_file(p))),  # noqa: PTH123
    "os.fdopen": lambda s, p: s.enter_context(os.fdopen(os.open(_file(p), os.O_RDONLY))),
    "pathlib.Path().open": lambda s, p: s.enter_context(_file(p).open()),
    "functools.lru_cache": lambda s, p: functools.lru_cache(_kept),
    "functools.cache": lambda s, p: functools.cache(_kept),
    "functools.lru_cache()": lambda s, p: functools.lru_cache()(_kept),
    "gzip.open": lambda s, p: s.enter_context(gzip.open(_packed(gzip, p))),
    "bz2.open": lambda s, p: s.enter_context(bz2.open(_packed(bz2, p))),
    "lzma.open": lambda s, p: s.enter_context(lzma.open(_packed(lzma, p))),
    "bz2.BZ2File": lambda s, p: s.enter_context(bz2.BZ2File(_packed(bz2, p))),
    "lzma.LZMAFile": lambda s, p: s.enter_context(lzma.LZMAFile(_packed(lzma, p))),
    "sys.stdout": lambda s, p: sys.__stdout__,
    "tempfile.NamedTemporaryFile": lambda s, p: s.enter_context(tempfile.NamedTemporaryFile()),
    "tempfile.TemporaryFile": lambda s, p: s.enter_context(tempfile.TemporaryFile()),
    "csv.reader": lambda s, p: csv.reader([]),
    "csv.DictReader": lambda s, p: csv.DictReader([]),
    "csv.writer": lambda s, p: csv.writer(s.enter_context((p / "w.csv").open("w"))),
    "csv.DictWriter": lambda s, p: csv.DictWriter(s.enter_context((p / "w.csv").open("w")), ["a"]),
    "os.scandir": lambda s, p: s.enter_context(os.scandir(p)),
    "pathlib.Path().glob": lambda s, p: p.glob("*"),
    "pathlib.Path().rglob": lambda s, p: p.rglob("*"),
    "pathlib.Path().iterdir": lambda s, p: p.iterdir(),
    "glob.iglob": lambda s, p: glob.iglob(str(p / "*")),
    "os.walk": lambda s, p: os.walk(p),
    "os.fwalk": lambda s, p: os.fwalk(p),
    "ast.walk": lambda s, p: ast.walk(ast.parse("1")),
    "types.MappingProxyType": lambda s, p: types.MappingProxyType({}),
    "mmap.mmap": lambda s, p: _closed(s, mmap.mmap(-1, 10)),
    "zipfile.ZipFile": lambda s, p: s.enter_context(zipfile.ZipFile(_zip(p))),
    "zipfile.ZipFile().open": lambda s, p: s.enter_context(s.enter_context(zipfile.ZipFile(_zip(p))).open("a.txt")),
    "tarfile.open": lambda s, p: s.enter_context(tarfile.open(_tar(p))),
    "tarfile.open().extractfile": lambda s, p: s.enter_context(tarfile.open(_tar(p))).extractfile("a.txt"),
    "sqlite3.connect": lambda s, p: _closed(s, sqlite3.connect(":memory:")),
    "sqlite3.Connection": lambda s, p: _closed(s, sqlite3.Connection(":memory:")),
    "sqlite3.connect().cursor": lambda s, p: _closed(s, sqlite3.connect(":memory:")).cursor(),
    "sqlite3.connect().execute": lambda s, p: _closed(s, sqlite3.connect(":memory:")).execute("select 1"),
    "sqlite3.connect().executemany": lambda s, p: _with_table(s).executemany("insert into t values (?)", [(1,)]),
    "ssl.create_default_context": lambda s, p: ssl.create_default_context(),
    "ssl.SSLContext": lambda s, p: ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT),
    "selectors.DefaultSelector": lambda s, p: _closed(s, selectors.DefaultSelector()),
    "select.epoll": lambda s, p: _closed(s, select.epoll()),
    "asyncio.new_event_loop": _loop,
    "asyncio.get_event_loop": _loop,
    "multiprocessing.managers.SharedMemoryManager": _shared_memory,
    "argparse.ArgumentParser": lambda s, p: argparse.ArgumentParser(),
    "ctypes.CDLL": lambda s, p: ctypes.CDLL(None if sys.platform != "win32" else "kernel32"),
    "ctypes.cdll.LoadLibrary": lambda s, p: ctypes.cdll.LoadLibrary(None if sys.platform != "win32" else "kernel32"),
    "hashlib.md5": lambda s, p: hashlib.md5(b"a", usedforsecurity=False),
    "hashlib.sha1": lambda s, p: hashlib.sha1(b"a", usedforsecurity=False),
    "hashlib.sha224": lambda s, p: hashlib.sha224(b"a"),
    "hashlib.sha256": lambda s, p: hashlib.sha256(b"a"),
    "hashlib.sha384": lambda s, p: hashlib.sha384(b"a"),
    "hashlib.sha512": lambda s, p: hashlib.sha512(b"a"),
    "hashlib.new": lambda s, p: hashlib.new("sha256"),
    "hmac.new": lambda s, p: hmac.new(b"a", digestmod="sha256"),
    "memoryview": lambda s, p: memoryview(b"a"),
    "memoryview().cast": lambda s, p: memoryview(b"abcd").cast("i"),
    "memoryview().toreadonly": lambda s, p: memoryview(bytearray(b"a")).toreadonly(),
    "contextvars.ContextVar": lambda s, p: contextvars.ContextVar("a"),
    "zlib.compressobj": lambda s, p: zlib.compressobj(),
    "importlib.import_module": lambda s, p: importlib.import_module("struct"),
    **dict.fromkeys(("re.match", "re.search", "re.fullmatch"), lambda s, p: re.match("a", "a")),
    **dict.fromkeys(
        ("re.compile().match", "re.compile().search", "re.compile().fullmatch"), lambda s, p: re.compile("a").match("a")
    ),
    **dict.fromkeys(
        ("re.finditer().__next__", "re.compile().finditer().__next__"), lambda s, p: next(re.finditer("a", "a"))
    ),
    "json.JSONDecoder": lambda s, p: json.JSONDecoder(),
    "wave.open": lambda s, p: _closed(s, wave.open(_wave(p))),
    "sys.exc_info": lambda s, p: _raised(),
    "struct.Struct": lambda s, p: struct.Struct("<I"),
    "random.SystemRandom": lambda s, p: random.SystemRandom(),
    "subprocess.Popen": lambda s, p: _ended(s, subprocess.Popen([sys.executable, "-c", ""])),
    "weakref.ref": lambda s, p: weakref.ref(_KEPT),
    "weakref.WeakValueDictionary": lambda s, p: weakref.WeakValueDictionary(),
    "weakref.WeakKeyDictionary": lambda s, p: weakref.WeakKeyDictionary(),
    "weakref.WeakSet": lambda s, p: weakref.WeakSet(),
}
REAL |= {
    "sys._getframe": lambda s, p: sys._getframe(),
    "inspect.currentframe": lambda s, p: inspect.currentframe(),
    "inspect.stack": lambda s, p: inspect.stack(),
    "sys.modules": lambda s, p: sys.modules,
    "sys.stdin": lambda s, p: sys.__stdin__,
    "types.ModuleType": lambda s, p: types.ModuleType("a"),
    "os.environ": lambda s, p: os.environ,
    "io.TextIOWrapper": lambda s, p: io.TextIOWrapper(io.BytesIO()),
    "io.BufferedReader": lambda s, p: io.BufferedReader(io.BytesIO()),
    "io.BufferedWriter": lambda s, p: io.BufferedWriter(io.BytesIO()),
    "io.BufferedRandom": lambda s, p: io.BufferedRandom(io.BytesIO()),
    "re.finditer": lambda s, p: re.finditer("a", "aa"),
    "re.compile().finditer": lambda s, p: re.compile("a").finditer("aa"),
    "zlib.decompressobj": lambda s, p: zlib.decompressobj(),
    "bz2.BZ2Compressor": lambda s, p: bz2.BZ2Compressor(),
    "bz2.BZ2Decompressor": lambda s, p: bz2.BZ2Decompressor(),
    "lzma.LZMACompressor": lambda s, p: lzma.LZMACompressor(),
    "lzma.LZMADecompressor": lambda s, p: lzma.LZMADecompressor(),
    "pickle.Pickler": lambda s, p: pickle.Pickler(io.BytesIO()),
    "pickle.Unpickler": lambda s, p: pickle.Unpickler(io.BytesIO()),
    "cProfile.Profile": lambda s, p: cProfile.Profile(),
    "contextvars.Context": lambda s, p: contextvars.Context(),
    "contextvars.copy_context": lambda s, p: contextvars.copy_context(),
    "ctypes.pointer": lambda s, p: ctypes.pointer(ctypes.c_int(3)),
    "ctypes.POINTER()": lambda s, p: ctypes.POINTER(ctypes.c_int)(),
    "ctypes.byref": lambda s, p: ctypes.byref(ctypes.c_int(3)),
    "ctypes.create_string_buffer": lambda s, p: ctypes.create_string_buffer(3),
    "ctypes.create_unicode_buffer": lambda s, p: ctypes.create_unicode_buffer(3),
    "functools.cmp_to_key": lambda s, p: functools.cmp_to_key(max),
    "functools.cmp_to_key()": lambda s, p: functools.cmp_to_key(max)(3),
    "http.server.HTTPServer": lambda s, p: _server(s, http.server.HTTPServer),
    "http.server.ThreadingHTTPServer": lambda s, p: _server(s, http.server.ThreadingHTTPServer),
    "socketserver.TCPServer": lambda s, p: _server(s, socketserver.TCPServer),
    "socketserver.ThreadingTCPServer": lambda s, p: _server(s, socketserver.ThreadingTCPServer),
    "multiprocessing.current_process": lambda s, p: multiprocessing.current_process(),
    "threading.current_thread": lambda s, p: threading.current_thread(),
    "threading.main_thread": lambda s, p: threading.main_thread(),
    "sched.scheduler": lambda s, p: sched.scheduler(),
    "xml.parsers.expat.ParserCreate": lambda s, p: xml.parsers.expat.ParserCreate(),
}
OF_ITERTOOLS: dict[str, Callable[[], Iterator[Any]]] = {  # pickled until Python 3.13
    "itertools.count": itertools.count,
    "itertools.cycle": lambda: itertools.cycle([1]),
    "itertools.chain": lambda: itertools.chain([1]),
    "itertools.islice": lambda: itertools.islice([1], 1),
    "itertools.repeat": lambda: itertools.repeat(1),
    "itertools.product": lambda: itertools.product([1]),
    "itertools.permutations": lambda: itertools.permutations([1]),
    "itertools.combinations": lambda: itertools.combinations([1], 1),
    "itertools.accumulate": lambda: itertools.accumulate([1]),
    "itertools.starmap": lambda: itertools.starmap(max, [(1, 2)]),
    "itertools.zip_longest": lambda: itertools.zip_longest([1]),
    "itertools.takewhile": lambda: itertools.takewhile(bool, [1]),
    "itertools.dropwhile": lambda: itertools.dropwhile(bool, [1]),
    "itertools.chain.from_iterable": lambda: itertools.chain.from_iterable([[1]]),
}
OLD = {"logging.getLogger": "loggers are pickled by name since Python 3.7"}


def _h5(stack: ExitStack, folder: Path) -> Any:
    file = stack.enter_context(pytest.importorskip("h5py").File(folder / "a.h5", "w"))
    file["part"] = [1]
    return file


def _lmdb(stack: ExitStack, folder: Path) -> Any:
    return _closed(stack, pytest.importorskip("lmdb").open(str(folder)))


def _npz(stack: ExitStack, folder: Path) -> Any:
    numpy = pytest.importorskip("numpy")
    numpy.savez(folder / "a.npz", a=[1])
    return _closed(stack, numpy.load(folder / "a.npz"))


INSTALLED: dict[str, Make] = {  # of the packages that the tests need anyway
    "h5py.File": _h5,
    "h5py.File()[]": lambda s, p: _h5(s, p)["part"],
    "lmdb.open": _lmdb,
    "lmdb.open().begin": lambda s, p: s.enter_context(_lmdb(s, p).begin()),
    "lmdb.open().begin().cursor": lambda s, p: s.enter_context(_lmdb(s, p).begin()).cursor(),
    "numpy.load": _npz,
    "rich.console.Console": lambda s, p: pytest.importorskip("rich.console").Console(),
    "rich.progress.Progress": lambda s, p: pytest.importorskip("rich.progress").Progress(),
}
COPIED = {name for kind in KINDS if kind.get("copied") for name in kind["constructors"]}
LATER = {name for kind in KINDS if kind.get("later") for name in kind["constructors"]}  # said of no copy
ERRORS = {name: kind.get("running", kind["error"]) for kind in KINDS for name in kind["constructors"]}
LINUX = {"select.epoll"}
OTHER_WORDS = {  # rows quote the error of their first constructor; these are refused for the same reason in other words
    "asyncio.new_event_loop",
    "asyncio.get_event_loop",
    "weakref.WeakKeyDictionary",
    "weakref.WeakSet",
    "io.BufferedWriter",
    "io.BufferedRandom",
    "bz2.BZ2Compressor",
    "bz2.BZ2Decompressor",
    "lzma.LZMACompressor",
    "lzma.LZMADecompressor",
    "pickle.Unpickler",
    "ctypes.byref",
    "ctypes.create_unicode_buffer",
}
PICKLED = {  # what one might expect in the table, and is sent all the same
    "socket.socket": lambda: socket.socket(),
    "weakref.proxy": lambda: weakref.proxy(_KEPT),
    "io.StringIO": io.StringIO,
    "io.BytesIO": io.BytesIO,
    "logging.getLogger": lambda: logging.getLogger("a"),
    "logging.NullHandler": logging.NullHandler,
    "tempfile.TemporaryDirectory": tempfile.TemporaryDirectory,
    "map": lambda: map(len, []),
    "zip": lambda: zip([], [], strict=False),
    "filter": lambda: filter(len, []),
    "enumerate": lambda: enumerate([]),
    "iter": lambda: iter([]),
}


def refusal(made: Any) -> str:
    """What the pickler of multiprocessing says about `made`; "" when it takes it."""
    try:
        ForkingPickler.dumps(made)
    except Exception as error:  # libraries raise what they like
        return re.sub(r" at 0x\w+", "", f"{type(error).__name__}: {error}")
    return ""


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("name", [*REAL, *INSTALLED])
def test_pickle_refuses_it(name: str, tmp_path: Path) -> None:
    if name in LINUX and sys.platform != "linux":
        pytest.skip("Linux alone has it")
    with ExitStack() as stack:
        stack.enter_context(patch.dict(copyreg.dispatch_table))
        copyreg.dispatch_table.pop(types.TracebackType, None)  # Dask adds one to the process that imports it
        said = refusal({**REAL, **INSTALLED}[name](stack, tmp_path))
    assert said, "it can be pickled: the row is wrong"
    known = ERRORS[name]
    if sys.version_info[:2] == (3, 11) and name not in OTHER_WORDS:
        assert known in said
    quoted = re.search(r"'[\w.<>]*?(\w+)'", known)
    if quoted is not None and name not in OTHER_WORDS:  # newer Pythons name the type without its module
        assert quoted[1] in said


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize("name", sorted(REAL.keys() - LATER - LINUX))
def test_a_copy_refuses_it_too_but_for_some_rows(name: str, tmp_path: Path) -> None:
    with ExitStack() as stack:
        stack.enter_context(patch.dict(copyreg.dispatch_table))
        copyreg.dispatch_table.pop(types.TracebackType, None)  # Dask adds one to the process that imports it
        made = REAL[name](stack, tmp_path)
        try:
            copy.deepcopy(made)
        except Exception:  # libraries raise what they like
            assert name not in COPIED
        else:
            assert name in COPIED


@pytest.mark.slow
@pytest.mark.in_process
def test_copies_of_what_torch_makes() -> None:
    torch = pytest.importorskip("torch")
    scripted = torch.jit.script(torch.nn.Linear(1, 1))
    assert copy.deepcopy(scripted) is not scripted
    assert {"torch.jit.script", "torch.jit.load"} <= COPIED
    for made in (torch.distributed.HashStore(), iter(torch.utils.data.DataLoader([1]))):
        with pytest.raises((TypeError, NotImplementedError), match="pickle"):
            copy.deepcopy(made)


@each_row("name", PICKLED)
def test_what_is_sent_has_no_row(name: str) -> None:
    made = PICKLED[name]()
    try:
        assert not refusal(made)
    finally:
        for end in ("close", "cleanup"):
            if callable(method := getattr(made, end, None)):
                method()
    assert name not in ERRORS or name in OLD


@pytest.mark.parametrize("name", OF_ITERTOOLS)
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_iterators_of_itertools_pickle_until_python_3_13(name: str) -> None:
    assert bool(refusal(OF_ITERTOOLS[name]())) == (sys.version_info >= (3, 14))


def test_every_row_of_the_standard_library_is_here() -> None:
    standard = {name for name in ERRORS if re.split(r"\W", name)[0] in {*sys.stdlib_module_names, "open", "memoryview"}}
    assert standard == REAL.keys() | OF_ITERTOOLS.keys() | OLD.keys()
    assert INSTALLED.keys() <= ERRORS.keys()
