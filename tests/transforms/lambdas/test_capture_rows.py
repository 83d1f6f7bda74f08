"""Every method that changes a captured container, and what a `defaultdict` of `defaultdict` may hold."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import migrated, reported

WORK = "from multiprocessing import Pool\nimport numpy as np\nfrom collections import defaultdict, deque\n\n\n"
START = "\n\nif __name__ == '__main__':\n    main()\n"


def changing(body: str) -> str:
    return (
        f"{WORK}def main():\n    rows = {{}}\n    rows = deque()\n    def f(x):\n        {body}\n        return x\n"
        f"    Pool(2).map(f, [1])\n    print(rows){START}"
    )


@each_row(
    ("body", "changes"),
    [
        *((f"rows.{name}(x)", True) for name in (
            "append", "extend", "insert", "add", "update", "setdefault", "pop", "popitem", "popleft", "remove",
            "discard", "clear", "sort", "reverse", "appendleft", "extendleft", "subtract",
        )),
        *((f"rows.{name}(x)", False) for name in ("index", "count", "copy", "get", "keys", "most_common")),
        ("rows[x] = 1", True), ("del rows[x]", True), ("rows[x] += 1", True), ("rows[x]", False),
        ("print(rows.append)", False), ("x.append(rows)", False), ("x[rows] = 1", False),
    ],
)  # fmt: skip
def test_what_changes_a_captured_container(body: str, changes: bool) -> None:
    """A worker would change a copy, and the rest of the function read the old one."""
    [finding] = reported({"a.py": changing(body)}, "lambdas")
    assert ("it changes `rows` (line 10), which is read in line 13" in (finding.reason or "")) is changes


@each_row(
    ("maker", "plain"),
    [
        *((f"{name}()", True) for name in (
            "list", "dict", "set", "defaultdict", "Counter", "OrderedDict", "deque", "bytearray",
        )),
        ("[]", True), ("{}", True), ("{1}", True), ("[y for y in range(3)]", True), ("frozenset()", False),
        ("make()", False), ("list()()", False),
    ],
)  # fmt: skip
def test_what_is_a_container(maker: str, plain: bool) -> None:
    text = changing("rows.pop(x)").replace("    rows = {}\n    rows = deque()\n", f"    rows = {maker}\n")
    text = f"from collections import Counter, OrderedDict\nfrom makers import make\n{text}"
    [finding] = reported({"a.py": text}, "lambdas")
    assert ("it changes `rows` (line 11), which is read in line 14" in (finding.reason or "")) is plain


def started(body: str, start: str) -> dict[str, str]:
    text = changing(body).replace("multiprocessing import Pool", "multiprocessing import Pool, Process")
    return {"a.py": text.replace("Pool(2).map(f, [1])", start)}


PROCESS = "Process(target=f, args=(1,)).start()"


@each_row(
    ("body", "start", "fixed"),
    [
        ("rows.append(x); print(rows)", PROCESS, True),
        ("rows[x] = len(rows)", PROCESS, True),
        ("rows.append(x)", PROCESS, False),
        ("rows.append(x); rows.clear()", PROCESS, False),
        ("rows.append(x); print(rows)", "Pool(2).map(f, [1])", False),
    ],
)
def test_what_a_process_changes_for_itself(body: str, start: str, fixed: bool) -> None:
    """A function that only fills a list is meant to give values back; under fork no pool gets the list at all."""
    [finding] = reported(started(body, start), "lambdas")
    if not fixed:
        assert finding.fix is None and "return the values instead" in (finding.reason or "")
    else:
        assert finding.fix is not None and finding.fix.unsafe is None
        assert finding.fix.title.endswith("; as under fork, `rows` is changed in the worker only")
        assert "_main_f" in migrated(started(body, start), "lambdas")["a.py"]


@each_row(
    ("inner", "title"),
    [
        *((name, f"Say `functools.partial(defaultdict, {name})` instead of the lambda")
          for name in ("int", "float", "str", "bool", "list", "dict", "set", "tuple")),
        *((name, "Move the lambda in line 11 as `_main_table` to module level")
          for name in ("np.zeros", "make", "frozenset")),
    ],
)  # fmt: skip
def test_a_table_of_tables(inner: str, title: str) -> None:
    text = (
        f"{WORK}def make():\n    return 1\n\n\ndef main():\n    table = defaultdict(lambda: defaultdict({inner}))\n"
        f"    Pool(2).map(print, [table]){START}"
    )
    [finding] = reported({"a.py": text}, "lambdas")
    assert finding.fix is not None and finding.fix.title == title


PROCESSES = """
    first = Process(target=print)
    rows = []
    for _ in range(3):
        process = Process(target=print)
        process.start()
        rows.append({put})
    def f(x):
        {body}
    Process(target=f, args=(1,)).start()
"""


@each_row(
    ("put", "body", "holding"),
    [
        ("process", "print(len(rows))", "rows"),
        ("Process(target=print)", "print(len(rows))", "rows"),
        ("process.pid", "print(first.pid)", "first"),
        ("process.pid", "print(len(rows))", ""),
        ("open('a')", "print(len(rows))", "rows"),
    ],
)
def test_a_list_of_what_can_not_be_pickled(put: str, body: str, holding: str) -> None:
    text = f"from multiprocessing import Process\n\n\ndef main():{PROCESSES.format(put=put, body=body)}{START}"
    [finding] = reported({"a.py": text}, "lambdas")
    assert (finding.fix is None) is bool(holding)
    assert not holding or f"`{holding}` is a" in (finding.reason or "")


THREADS = """\
import queue, threading
from multiprocessing import Pool, Process


def main():
    shared = {made}
    def f(x):
        print(shared, x)
    {start}
"""


@each_row(
    ("made", "shared"),
    [
        *((f"threading.{name}()", name) for name in (
            "Event", "Condition", "Barrier", "Semaphore", "BoundedSemaphore", "Lock", "RLock"
        )),
        ("queue.Queue()", "Queue"),
        ("threading.local()", ""),
        ("queue.SimpleQueue()", ""),
        ("open('a')", ""),
    ],
)  # fmt: skip
def test_what_processes_share_in_place_of_threads(made: str, shared: str) -> None:
    for start, maker in (
        (PROCESS, "the `multiprocessing` context that starts it"),
        ("Pool(2).map(f, [1])", "a `multiprocessing.Manager()`"),
    ):
        [finding] = reported({"a.py": THREADS.format(made=made, start=start) + START}, "lambdas")
        told = f"is for threads, so make it by `{shared}` of {maker}, which processes share"
        assert finding.fix is None and "which can't be pickled either" in (finding.reason or "")
        assert (told in (finding.reason or "")) is bool(shared)


KEPT = """\
from multiprocessing import Pool


def main(n):
    def work(x):
        return x + n
    {line}
    Pool(2).map(work, [n])


if __name__ == "__main__":
    main(2)
"""


@each_row(
    ("line", "is_object"),
    [
        *((line, True) for line in (
            "work.by = 3", "work.by += 3", "del work.by", "setattr(work, 'by', 3)", "vars(work)['by'] = 3",
            "work.__dict__.update(by=3)", "print(vars(work))", "print(work.__dict__)",
        )),
        *((line, False) for line in (
            "pass", "print(work.by)", "setattr(n, 'by', work)", "getattr(work, 'by')", "vars(n)", "n.vars(work)",
        )),
    ],
)  # fmt: skip
def test_what_is_kept_on_a_function(line: str, is_object: bool) -> None:
    after = migrated({"a.py": KEPT.format(line=line)}, "lambdas")["a.py"]
    assert ("class _MainWork:" in after) is is_object
    assert ("functools.partial(" in after) is not is_object
    assert f"    {line}\n" in after
