"""The probe in this process: paths into containers and states, sizes, stand-ins, what is made again by code."""

from __future__ import annotations

import collections
import itertools
import multiprocessing
import sys
import threading
import time
from pathlib import Path
from typing import Any

import numpy
import pytest

from codemods.diagnose import probe
from harness.each_row import each_row

LOCK = "TypeError: cannot pickle '_thread.lock' object"


def lock() -> Any:
    return threading.Lock()


class Slots:
    __slots__ = ("first", "second")

    def __init__(self, first: object, second: object) -> None:
        self.first, self.second = first, second


class Plain:
    def __init__(self, **values: object) -> None:
        self.__dict__.update(values)


class Reduced:
    def __init__(self, *parts: object) -> None:
        self.parts = parts

    def __reduce__(self) -> Any:
        return Reduced, self.parts


class Pair(tuple[Any, ...]):
    pass


class Table(dict[Any, Any]):
    pass


class Private:
    def __hidden(self) -> None:
        pass

    def method(self) -> Any:
        return self.__hidden


def many(part: object) -> list[object]:
    """Enough for the quick pickler, with `part` in it."""
    return [*range(probe.SOME), part, *range(5)]


@pytest.mark.slow
@pytest.mark.in_process
@pytest.mark.parametrize(
    ("make", "path"),
    [
        pytest.param(lambda: [1, lock()], "x[1]", id="list"),
        pytest.param(lambda: (1, (2, lock())), "x[1][1]", id="tuple"),
        pytest.param(lambda: {"a": 1, "b": lock()}, "x['b']", id="dict"),
        pytest.param(lambda: {1: lock()}, "x[1]", id="key-int"),
        pytest.param(lambda: {None: lock()}, "x[None]", id="key-none"),
        pytest.param(lambda: {b"k": lock()}, "x[b'k']", id="key-bytes"),
        pytest.param(lambda: {(1, "a"): lock()}, "x[(1, 'a')]", id="key-tuple"),
        pytest.param(lambda: {0: 0, (1, 2, 3, 4, 5): lock()}, "list(x.values())[1]", id="key-long-tuple"),
        pytest.param(lambda: {0: 0, 1.5: lock()}, "list(x.values())[1]", id="key-float"),
        pytest.param(lambda: {"k" * 100: lock()}, f"x['{'k' * 100}']", id="key-100"),
        pytest.param(lambda: {0: 0, "k" * 101: lock()}, "list(x.values())[1]", id="key-101"),
        pytest.param(lambda: {0: 0, lock(): 1}, "list(x)[1]", id="key-itself"),
        pytest.param(lambda: {lock()}, "list(x)[0]", id="set"),
        pytest.param(lambda: frozenset([lock()]), "list(x)[0]", id="frozenset"),
        pytest.param(lambda: many(lock()), f"x[{probe.SOME}]", id="long-list"),
        pytest.param(lambda: tuple(many(lock())), f"x[{probe.SOME}]", id="long-tuple"),
        pytest.param(lambda: dict(enumerate(many(lock()))), f"x[{probe.SOME}]", id="long-dict"),
        pytest.param(
            lambda: {n + 0.5: each for n, each in enumerate(many(lock()))},
            f"list(x.values())[{probe.SOME}]",
            id="long-dict-of-floats",
        ),
        pytest.param(lambda: collections.deque([1, lock()]), "x[1]", id="deque"),
        pytest.param(lambda: collections.OrderedDict(a=1, b=lock()), "x['b']", id="ordered"),
        pytest.param(lambda: Pair([1, lock()]), f"x.__reduce_ex__({probe.PROTOCOL})[1][1][1]", id="tuple-class"),
        pytest.param(lambda: Table(a=1, b=lock()), "x['b']", id="dict-class"),
        pytest.param(lambda: Plain(a=1, b=lock()), "x.b", id="attribute"),
        pytest.param(lambda: Plain(**{"not a name": lock()}), "x['not a name']", id="odd-attribute"),
        pytest.param(lambda: Slots(1, lock()), "x.second", id="slot"),
        pytest.param(lambda: Slots(lock(), 1), "x.first", id="first-slot"),
        pytest.param(lambda: Reduced(1, lock()), f"x.__reduce_ex__({probe.PROTOCOL})[1][1]", id="argument"),
    ],
)
def test_paths(make: Any, path: str) -> None:
    obj = make()
    result, _ = probe.examine(obj, "x", children=False)
    (row,) = result["problems"]
    assert (row["path"], row["error"], row["side"]) == (path, LOCK, "parent")
    assert row["type"] == "_thread.lock"
    if "not a name" not in path:
        assert "lock" in repr(eval(path, {"x": obj}))
    assert not result["picklable"] and result["unfinished"] is None


def test_paths_into_a_long_set() -> None:
    obj = {*range(probe.SOME), lock()}
    result, _ = probe.examine(obj, "x", children=False)
    (row,) = result["problems"]
    assert row["path"].startswith("list(x)[")
    assert "lock" in repr(eval(row["path"], {"x": obj}))


@pytest.mark.slow
@pytest.mark.in_process
def test_two_of_a_kind_have_two_paths() -> None:
    shared = lock()
    result, _ = probe.examine(Plain(a=[shared], b=[lock()], c={1: lock(), 2: lock()}), "x", children=False)
    assert [row["path"] for row in result["problems"]] == ["x.a[0]", "x.b[0]", "x.c[1]", "x.c[2]"]


def test_paths_end_somewhere() -> None:
    nested: Any = lock()
    for _ in range(60):
        nested = {"k" * 90: nested}
    result, _ = probe.examine(nested, "x", children=False)
    (row,) = result["problems"]
    assert len(row["path"]) == probe.MAX_PATH + 3 and row["path"].endswith("...")


@each_row(
    ("make", "size"),
    [
        (lambda: b"x" * (probe.LARGE - 1), probe.LARGE - 1),
        (lambda: b"x" * probe.LARGE, probe.LARGE),
        (lambda: bytearray(probe.LARGE), probe.LARGE),
        (lambda: "x" * probe.LARGE, probe.LARGE),
        (lambda: "é" * probe.LARGE, 2 * probe.LARGE),
        (lambda: [b"x" * probe.LARGE] * 3, probe.LARGE),
        (lambda: [b"x" * probe.LARGE, b"y" * probe.LARGE], 2 * probe.LARGE),
        (lambda: numpy.zeros((100, 1000)), 800_000),
        (lambda: many(numpy.zeros((100, 1000))), 800_000),
        (lambda: {"a": numpy.zeros(1000, dtype="u1"), "b": numpy.zeros(1000, dtype="f4")}, 5000),
    ],
)
def test_sizes(make: Any, size: int) -> None:
    result, _ = probe.examine(make(), "x", children=False)
    assert result["picklable"] and result["shared_bytes"] == 0
    assert size <= result["payload_bytes"] < size + 1200


def test_what_is_listed_by_size() -> None:
    big, small = numpy.zeros(probe.NOTABLE), numpy.zeros(10)
    result, _ = probe.examine({"big": big, "rows": [small, big * 1]}, "x", children=False)
    assert {row["path"] for row in result["payload"]} == {"x", "x['big']", "x['rows'][1]"}
    assert result["payload"][0]["path"] == "x"
    assert all(row["shared_bytes"] == 0 and row["bytes"] >= 8 * probe.NOTABLE for row in result["payload"])


ROWS = [("x", 1000, 0), ("x.a", 950, 0), ("x.a.b", 940, 0), ("x.c", 30, 0), ("x.c", 20, 25)]


@each_row(
    ("rows", "kept"),
    [
        (ROWS, [("x.a.b", 940, 0), ("x.c", 30, 25)]),
        ([("x", 1000, 0), ("x.a", 500, 0), ("x.b", 450, 0)], [("x", 1000, 0), ("x.a", 500, 0), ("x.b", 450, 0)]),
        ([("x", 1000, 0), ("x.a", 199, 0), ("x.b", 200, 0)], [("x", 1000, 0), ("x.b", 200, 0)]),
        ([("x", 1000, 0), ("x.a", 900, 0)], [("x", 1000, 0), ("x.a", 900, 0)]),
        ([("x", 1000, 0), ("x.a", 901, 0)], [("x.a", 901, 0)]),
        ([("x", 10, 1000), ("x.a", 10, 1000)], [("x.a", 10, 1000)]),
        ([], []),
    ],
)
def test_paths_that_matter_for_the_size(rows: list[tuple[str, int, int]], kept: list[tuple[str, int, int]]) -> None:
    assert [(row["path"], row["bytes"], row["shared_bytes"]) for row in probe._payload(rows)] == kept


def test_no_more_than_twelve() -> None:
    rows = [(f"x{n:03}", 1000 - n, 0) for n in range(60)]
    assert [row["path"] for row in probe._payload(rows)] == [f"x{n:03}" for n in range(12)]


@each_row(
    ("given", "made"),
    [
        (("bytes", 5), bytes(5)),
        (("bytearray", 5), bytearray(5)),
        (("str", 5), "\0" * 5),
        (("str", probe.NOTABLE + 1), "\0" * probe.NOTABLE),
        (("other", 5), None),
        (("semaphore", "NoSuchThing"), None),
    ],
)
def test_stand_ins(given: tuple[Any, ...], made: object) -> None:
    found = probe._stand_in(given[0], given[1:])
    assert found == made and type(found) is type(made)


def test_stand_ins_of_arrays_and_locks() -> None:
    array = probe._stand_in("array", ([2, 3], "<f4"))
    assert (array.shape, array.dtype.str, array.any()) == ((2, 3), "<f4", False)
    made = probe._stand_in("semaphore", ("Lock",))
    assert type(made).__name__ == "Lock" and made.acquire(block=False)


@each_row(
    ("obj", "stand_in"),
    [
        (b"x" * probe.LARGE, ("bytes", probe.LARGE)),
        (bytearray(probe.LARGE), ("bytearray", probe.LARGE)),
        ("é" * probe.LARGE, ("str", probe.LARGE)),
        (numpy.zeros((2, 3), dtype="<i2"), ("array", [2, 3], "<i2")),
        (multiprocessing.get_context("spawn").Lock(), ("semaphore", "Lock")),
        (multiprocessing.get_context("spawn").Semaphore(2), ("semaphore", "Semaphore")),
    ],
    ids=str,
)
def test_what_is_only_counted(obj: Any, stand_in: tuple[Any, ...]) -> None:
    found = probe._leaf(obj)
    assert found is not None and (found.stand_in, found.shared, found.note) == (stand_in, 0, None)


@each_row("obj", [b"x" * (probe.LARGE - 1), "x", 3, [], numpy.array([{}]), object()], ids=type)
def test_what_is_pickled(obj: object) -> None:
    assert probe._leaf(obj) is None


def test_a_memory_map_says_so(tmp_path: Path) -> None:
    (tmp_path / "rows").write_bytes(bytes(800))
    rows = numpy.memmap(tmp_path / "rows", dtype="f8")
    result, _ = probe.examine({"rows": rows}, "x", children=False)
    assert result["notes"] == ["x['rows']: a memory map: each worker is sent all of its data"]
    assert 800 <= result["payload_bytes"] < 1500


def test_a_lock_of_the_fork_context() -> None:
    made = multiprocessing.get_context("fork").Lock()
    result, _ = probe.examine([made], "x", children=False)
    (row,) = result["problems"]
    assert row["path"] == "x[0]"
    assert row["error"].startswith(
        "RuntimeError: A SemLock created in a fork context is being shared with a process in"
    )
    assert probe.examine([made], "x", children=False, forgiving=True)[0]["picklable"]
    assert not probe._Look.forgiving


def test_a_private_method_is_not_there_in_the_child() -> None:
    result, _ = probe.examine([Private().method()], "x", children=False)
    (row,) = result["problems"]
    assert (row["path"], row["side"]) == ("x[0]", "child")
    assert row["error"] == (
        "AttributeError: 'Private' object has no attribute '__hidden' "
        "(in the child; the name is mangled to _Private__hidden)"
    )


class _Gone:
    def __reduce__(self) -> Any:
        return getattr, (Plain(a=1), "gone")


class _There:
    def __reduce__(self) -> Any:
        return getattr, (Plain(a=1), "a")


class _Other:
    """As one that asks for an attribute, but another function does it."""

    def __reduce__(self) -> Any:
        return Reduced, (Plain(a=1), "gone")


def test_attributes_that_a_child_asks_for() -> None:
    (row,) = probe.examine([_Gone()], "x", children=False)[0]["problems"]
    assert row["error"] == "AttributeError: 'Plain' object has no attribute 'gone'" and row["side"] == "child"
    assert probe.examine([_There(), _Other()], "x", children=False)[0]["picklable"]


class _WithState:
    def __setstate__(self, state: object) -> None:
        pass


class _WithGetattr:
    def __getattr__(self, name: str) -> int:
        return 1


class _WithSetattr:
    def __setattr__(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)


class _WithReduceEx:
    def __reduce_ex__(self, protocol: Any) -> Any:
        return int, ()


@each_row(
    ("cls", "restores"),
    [
        (_WithState, True),
        (_WithGetattr, True),
        (_WithSetattr, True),
        (_WithReduceEx, True),
        (Reduced, True),
        (Plain, False),
        (Slots, False),
        (collections.deque, False),
        (dict, False),
        (set, False),
    ],
)
def test_what_runs_code_when_it_is_made_again(cls: type, restores: bool) -> None:
    assert probe._restores(cls) is restores


def test_what_many_objects_leave_for_the_child() -> None:
    """From the quick pickler: one object of each class that runs code, and each function and class by its name."""
    rows = [*range(probe.SOME), _WithState(), _WithState(), Plain(a=1), many]
    _, look = probe.examine({"rows": rows}, "x")
    assert {(module, name) for module, name in look.names if module == __name__} == {
        (__name__, "_WithState"), (__name__, "Plain"), (__name__, "many")
    }  # fmt: skip
    assert set(look.names.values()) == {"x['rows']"}
    assert list(look.samples) == [_WithState]
    assert look.samples[_WithState][0] == "x['rows']"
    _, look = probe.examine({"rows": rows}, "x", children=False)
    assert not look.names and not look.samples


@pytest.mark.parametrize(("rows", "path"), [([], "x[0]"), ([*range(probe.SOME)], f"x[{probe.SOME}]")])
def test_iterators_of_itertools(rows: list[object], path: str) -> None:
    """A note where they can still be pickled; a problem from Python 3.14 on."""
    result, _ = probe.examine([*rows, itertools.count()], "x", children=False)
    notes = [f"{path}: an itertools object: Python 3.14 can't pickle it any more"]
    last = sys.version_info >= (3, 14)
    assert result["notes"] == ([] if last else notes)
    assert [row["path"] for row in result["problems"]] == ([path] if last else [])


def test_chains_of_objects() -> None:
    first: Any = None
    for _ in range(5000 if sys.version_info < (3, 14) else 100_000):  # from 3.14 on the size of the stack is the limit
        first = Plain(next=first)
    result, _ = probe.examine({"head": first}, "x", seconds=60, children=False)
    (row,) = result["problems"]
    assert row["error"].startswith("RecursionError: ") and row["error"].endswith("levels or more, by .next)")
    assert row["path"] == "x['head']"


def test_too_many_problems_and_no_time() -> None:
    kinds = [type(f"Kind{n}", (), {"__reduce__": _fails}) for n in range(probe.MAX_PROBLEMS + 5)]
    result, _ = probe.examine([kind() for kind in kinds], "x", children=False)
    assert len(result["problems"]) == probe.MAX_PROBLEMS
    assert result["unfinished"] == f"stopped after {probe.MAX_PROBLEMS} problems"
    result, _ = probe.examine([Plain() for _ in range(100)], "x", seconds=-1, children=False)
    assert result["unfinished"] == "stopped after -1 seconds; what is left was not looked at"


def _fails(self: object) -> Any:
    raise OSError("of theirs")


def test_the_quick_pickler_looks_at_the_clock() -> None:
    sink = probe._Sink(time.monotonic() + 60)
    assert (sink.write(b"four"), sink.write(b""), sink.size) == (4, 0, 4)
    sink.deadline = time.monotonic() - 1
    with pytest.raises(probe.OutOfTime):
        sink.write(b"more")


@pytest.mark.skipif(sys.version_info >= (3, 14), reason="the size of the stack is the limit")
@pytest.mark.parametrize(
    ("wrap", "path", "by"),
    [
        (lambda inner: [inner], "x['head']", ", by [0]"),
        (lambda inner: (inner, 1), "x['head']", ", by [0]"),
        (lambda inner: {"down": inner}, "x", ", by ['down']"),
        (lambda inner: Plain(rows=[inner]), "x['head']", ", by .rows[0]"),
        (lambda inner: Slots(1, inner), "x['head']", ", by .second"),
    ],
    ids=["lists", "tuples", "dicts", "objects in lists", "slots"],
)
def test_what_holds_itself_too_deeply(wrap: Any, path: str, by: str) -> None:
    inner: Any = None
    for _ in range(3000 if sys.version_info[:2] != (3, 13) else 30_000):  # 3.13.0 has room for 10 000 levels in C
        inner = wrap(inner)
    result, _ = probe.examine({"head": inner, "next": [1]}, "x", seconds=60, children=False)
    (row,) = result["problems"]
    assert row["path"] == path and row["error"].endswith(f" levels or more{by})"), row["error"]


@each_row(
    ("rows", "kept"),
    [
        ([], []),
        ([("x", 10, 0)], [("x", 10, 0)]),
        ([("x", 10, 0), ("x.a", 10, 0)], [("x.a", 10, 0)]),  # it only leads there
        ([("x", 100, 0), ("x.a", 91, 0)], [("x.a", 91, 0)]),
        ([("x", 100, 0), ("x.a", 90, 0)], [("x", 100, 0), ("x.a", 90, 0)]),
        ([("x", 100, 0), ("x.a", 20, 0)], [("x", 100, 0), ("x.a", 20, 0)]),
        ([("x", 100, 0), ("x.a", 19, 0)], [("x", 100, 0)]),  # a small part
        ([("x", 60, 40), ("x.a", 1, 18)], [("x", 60, 40)]),
        ([("x", 60, 40), ("x.a", 2, 18)], [("x", 60, 40), ("x.a", 2, 18)]),
        ([("x", 3, 0), ("y", 5, 0), ("z", 1, 9)], [("z", 1, 9), ("y", 5, 0), ("x", 3, 0)]),
        ([("x", 3, 0), ("x", 5, 0), ("x", 1, 9)], [("x", 5, 9)]),  # met again
        ([("x.long", 5, 0), ("y", 5, 0)], [("y", 5, 0), ("x.long", 5, 0)]),
        ([(f"x{at:02}", 100 - at, 0) for at in range(50)], [(f"x{at:02}", 100 - at, 0) for at in range(12)]),
    ],
)
def test_the_paths_that_matter_for_the_size(rows: list[tuple[str, int, int]], kept: list[tuple[str, int, int]]) -> None:
    found = [(row["path"], row["bytes"], row["shared_bytes"]) for row in probe._payload(rows)]
    assert found == kept
