"""What pickle refuses in the standard library is found where an object keeps it, and its look-alikes are not."""

from __future__ import annotations

import importlib
import pickle
import re
import sys

import pytest

from harness.each_row import each_row
from harness.small import reported

TEXT = """\
import sys
import {imported}
from multiprocessing import Process


class Job:
    def __init__(self):
        self.kept = {kept}

    def run(self):
        print(3)


if __name__ == "__main__":
    Process(target=Job().run).start()
"""


def told(imported: str, kept: str) -> list[str]:
    findings = reported({"a.py": TEXT.format(imported=imported, kept=kept)}, "unpicklable-attributes")
    return [re.split("`self.kept` (?:is|holds) ", each.message)[-1].partition(";")[0] for each in findings]


@each_row(
    ("imported", "kept", "what"),
    [
        ("inspect", "sys._getframe()", "a frame"),
        ("inspect", "inspect.currentframe()", "a frame"),
        ("inspect", "inspect.stack()", "a frame"),
        ("re", "[m for m in re.finditer('a', 'aa')]", "a match of a regular expression"),
        ("re", "{1: [m for m in re.compile('a').finditer('aa')]}", "a match of a regular expression"),
        ("re", "re.finditer('a', 'aa')", "an iterator over matches"),
        ("os", "sys.stdin", "the standard input"),
        ("os", "sys.modules", "the table of modules"),
        ("os", "os.environ", "the environment"),
        ("contextvars", "contextvars.copy_context()", "a context"),
        ("ctypes", "ctypes.pointer(ctypes.c_int(3))", "a pointer"),
        ("ctypes", "ctypes.byref(ctypes.c_int(3))", "a pointer"),
        ("ctypes", "ctypes.create_string_buffer(3)", "an array of ctypes"),
        ("io", "io.TextIOWrapper(io.BytesIO())", "a text stream"),
        ("io", "io.BufferedReader(io.BytesIO())", "a buffered stream"),
        ("xml.parsers.expat", "xml.parsers.expat.ParserCreate()", "an XML parser"),
        ("sched", "sched.scheduler()", "a scheduler"),
        ("threading", "threading.current_thread()", "a thread"),
        ("threading", "threading.main_thread()", "a thread"),
        ("multiprocessing", "multiprocessing.current_process()", "the process itself"),
        ("functools", "functools.cmp_to_key(max)", "a key made of a comparison"),
        ("functools", "functools.cmp_to_key(max)(3)", "a key made of a comparison"),
        ("cProfile", "cProfile.Profile()", "a profiler"),
        ("zlib", "zlib.decompressobj()", "a running decompressor"),
        ("bz2", "bz2.BZ2Compressor()", "a running compressor"),
        ("lzma", "lzma.LZMADecompressor()", "a running compressor"),
        ("pickle", "pickle.Pickler(sys.stdout.buffer)", "a pickler"),
        ("types", "types.ModuleType('a')", "a module"),
    ],
)
def test_what_is_refused(imported: str, kept: str, what: str) -> None:
    space = {imported.partition(".")[0]: importlib.import_module(imported.partition(".")[0]), "sys": sys}
    importlib.import_module(imported)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "stdout", sys.__stdout__)
        patch.setattr(sys, "stdin", sys.__stdin__)
        with pytest.raises((pickle.PicklingError, TypeError, AttributeError, ValueError)):
            pickle.dumps(eval(kept, space))
    assert told(imported, kept) == [what] * bool(what)


@each_row(
    ("imported", "kept"),
    [
        ("re", "re.compile('a')"),
        ("re", "[m.group() for m in re.finditer('a', 'aa')]"),
        ("re", "re.findall('a', 'aa')"),
        ("os", "dict(os.environ)"),
        ("os", "os.environ['PATH']"),
        ("os", "list(sys.modules)"),
        ("io", "io.StringIO()"),
        ("ctypes", "ctypes.c_int(3)"),
        ("threading", "threading.current_thread().name"),
        ("multiprocessing", "multiprocessing.current_process().name"),
        ("types", "types.SimpleNamespace(a=1)"),
    ],
)
def test_what_is_taken(imported: str, kept: str) -> None:
    assert pickle.dumps(eval(kept, {imported: importlib.import_module(imported), "sys": sys}))
    assert told(imported, kept) == []
