"""The rule `lambdas`: decorated functions that cross, and what keeps `functools.wraps` from their wrappers."""

from __future__ import annotations

from codemods.finding import Finding
from codemods.project import Project
from codemods.transforms.lambdas.rule import find
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row
from harness.small import migrated, reasons, reported

MAIN = """
from multiprocessing import Pool
import functools
{decorator}

@logged
def area(row):
    return row * row

{more}

def main():
    with Pool(2) as pool:
        pool.map(area, [1])

if __name__ == "__main__":
    main()
"""
PLAIN = """
def logged(function):
    def wrapper(row):
        return function(row)
    return wrapper
"""


def found(decorator: str, more: str = "") -> list[Finding]:
    code = MAIN.format(decorator=decorator, more=more)
    return list(find(Project(MemoryFiles({"main.py": code.encode()}))))


WRAPPED = PLAIN.replace("    def wrapper", "    @functools.wraps(function)\n    def wrapper")
CALLED = """
from multiprocessing import Pool
import functools
{decorator}

def area(row):
    return row * row

{made}

def main():
    with Pool(2) as pool:
        pool.map({sent}, [1])

if __name__ == "__main__":
    main()
"""


@each_row(
    ("made", "sent", "expected"),
    [
        ("fast = logged(area)", "fast", True),
        ("", "logged(area)", True),
        ("area = logged(area)", "area", False),
        ("fast = logged(area)", "area", False),
        ("@logged\ndef other(row):\n    return row", "other", False),
    ],
)
def test_a_wrapper_with_the_name_of_another_function(made: str, sent: str, expected: bool) -> None:
    code = CALLED.format(decorator=WRAPPED, made=made, sent=sent)
    findings = list(find(Project(MemoryFiles({"main.py": code.encode()}))))
    assert bool(findings) is expected
    for finding in findings:
        assert finding.fix is None
        assert "the name of `area`, and pickle finds `area` itself" in (finding.reason or "")


@each_row(
    ("inside", "outside", "expected"),
    [
        ("wrapper.__doc__ = wrapper.note = 'x'", "", True),
        ("setattr(wrapper, 'note', 1)", "", True),
        ("function.__qualname__", "area.__qualname__", True),
        ("wrapper.__name__ = wrapper.__qualname__ = 'fast'", "", False),
        ("setattr(wrapper, '__qualname__', 'fast')", "", False),
        ("for key in ('__name__', '__qualname__'):\n        setattr(wrapper, key, 'fast')", "", False),
        ("functools.update_wrapper(wrapper, other)", "", False),
        ("", "fast.__qualname__ = 'fast'", False),
        ("", "fast.__module__ = 'names'", False),
        ("", "rename(fast, 'fast')", False),
    ],
)
def test_a_wrapper_that_some_code_gives_its_own_name(inside: str, outside: str, expected: bool) -> None:
    decorator = WRAPPED.replace("    return wrapper", f"    {inside}\n    return wrapper")
    decorator += "\ndef other(row):\n    pass\n\ndef rename(function, name):\n    function.__qualname__ = name\n"
    code = CALLED.format(decorator=decorator, made=f"fast = logged(area)\n{outside}", sent="fast")
    findings = list(find(Project(MemoryFiles({"main.py": code.encode()}))))
    assert any("the name of `area`" in (finding.reason or "") for finding in findings) is expected


def test_the_wrapper_is_named_with_the_function_that_it_replaces() -> None:
    (finding,) = found(PLAIN)
    assert finding.span.line == 6
    assert finding.fix is not None and finding.fix.unsafe is None
    assert [hop.what for hop in finding.trace][1] == "here it takes the place of `area`"


@each_row(
    "decorator",
    [
        PLAIN.replace("    def wrapper", "    @functools.wraps(function)\n    def wrapper"),
        PLAIN.replace("return wrapper", "return functools.update_wrapper(wrapper, function)"),
        PLAIN.replace("    return wrapper", "    functools.update_wrapper(wrapper, function)\n    return wrapper"),
        PLAIN.replace("    return wrapper", "    wrapper.__qualname__ = function.__qualname__\n    return wrapper"),
        PLAIN.replace("    def wrapper", "    if __debug__:\n        return function\n    def wrapper"),
        "def logged(function):\n    return function\n",
    ],
)
def test_no_wrapper_that_surely_hides_the_function(decorator: str) -> None:
    assert not found(decorator)


def test_the_original_that_a_decorator_starts_is_not_its_wrapper() -> None:
    starts = PLAIN.replace("return function(row)", "return Pool(2).map(function, [row])")
    code = MAIN.format(decorator=starts, more="").replace("pool.map(area, [1])", "area(1)")
    assert not list(find(Project(MemoryFiles({"main.py": code.encode()}))))


@each_row(
    ("more", "reason"),
    [
        ("print(area.__name__)", "`__name__` of `area` is read at main.py:15"),
        ("names = [area]", "`area` is passed on at main.py:15"),
        ("other = logged(len)", "`logged` is not only a decorator (main.py:15)"),
        ("def area(row):\n    return row", "main.py binds `area` several times"),
        ("@print\n@logged\ndef other(row):\n    return row", "other decorators of `other` (main.py:17)"),
        ("def inner(f):\n    return f.__wrapped__", "`__wrapped__`, which main.py reads"),
    ],
)
def test_what_the_wrapper_shows_of_itself_may_be_read(more: str, reason: str) -> None:
    refused = [finding.reason for finding in found(PLAIN, more) if finding.reason is not None]
    assert len(refused) == 1 and reason in refused[0], refused


KEEPS = """
def logged(function):
    {made}
    def wrapper(row):
        {body}
    return wrapper
"""


@each_row(
    "made, body, line",
    [
        ("seen = []", "seen.append(row)\n        return function(row)", 8),
        ("seen = {}", "seen[row] = function(row)\n        return len(seen), seen[row]", 8),
        ("seen = {}", "hit = row in seen\n        seen[row] = function(row)\n        return seen[row], hit", 9),
        (
            "seen = {}",
            "if row not in seen:\n            print(row)\n            seen[row] = function(row)\n"
            "        return seen[row]",
            10,
        ),
        ("count = 0", "nonlocal count\n        count += 1\n        return function(row)", 8),
        ("pass", "wrapper.calls = 1\n        return function(row), wrapper.calls", 8),
        ("pass", "wrapper.calls = 1\n        return function(row), getattr(area, 'calls')", 8),
        ("pass", "wrapper.calls += 1\n        return function(row)", 8),
    ],
)  # fmt: skip
def test_a_worker_would_start_without_what_the_wrapper_keeps(made: str, body: str, line: int) -> None:
    (finding,) = found(KEEPS.format(made=made, body=body))
    assert finding.reason is not None and f"(line {line}): a worker would start without" in finding.reason


@each_row(
    "body",
    [
        "if row not in seen:\n            seen[row] = function(row)\n        return seen[row]",
        "key = tuple(sorted(row))\n        if key in seen:\n            return seen[key]\n"
        "        result = function(row)\n        seen[key] = result\n        return result",
        "return seen.setdefault(row, function(row))",
    ],
)
def test_results_that_are_kept_are_no_more_than_results(body: str) -> None:
    (finding,) = found(KEEPS.format(made="seen = {}", body=body))
    assert finding.fix is not None


def test_an_attribute_that_nothing_reads_is_no_reason() -> None:
    (finding,) = found(KEEPS.format(made="pass", body="wrapper.last = 1\n        return function(row)"))
    assert finding.fix is not None
    (finding,) = found(KEEPS.format(made="pass", body="wrapper.last = 1\n        return 3"), "print(area.last)")
    assert finding.fix is None


READS = """
def logged(function):
    def wrapper(row):
        wrapper.last = 1
        return function(row)
    return wrapper
"""


def test_what_only_the_parent_reads_is_no_reason() -> None:
    code = MAIN.format(decorator=READS, more="").replace("area, [1])", "area, [1])\n        print(area.last)")
    (finding,) = find(Project(MemoryFiles({"main.py": code.encode()})))
    assert finding.fix is not None
    (finding,) = found(READS, "def other():\n    return area.last")
    assert "a worker would start without" in (finding.reason or "")


REGISTRY = """
from multiprocessing import Process

TABLE = {{}}

def register(name, scale=1):
    def keep(function):
        def wrapper(row):
            return function(row) * scale
        TABLE[name] = wrapper
        return {returned}
    return keep

@register("area", scale=2)
def area(row):
    return row * row

if __name__ == "__main__":
    Process(target=TABLE["area"], args=(1,)).start()
"""


@each_row("returned, edit", [("wrapper", "@functools.wraps(function)"), ("function", "functools.partial(")])
def test_a_wrapper_in_a_table_that_has_the_name_of_what_it_wraps(returned: str, edit: str) -> None:
    """A partial would send the function, which pickle finds only where the decorator gives it back."""
    files = {"main.py": REGISTRY.format(returned=returned).encode()}
    (finding,) = find(Project(MemoryFiles(files)))
    assert finding.fix is not None and any(edit in each.text for each in finding.fix.edits)


STACKED = """\
import multiprocessing as mp

HOOKS = {{}}


def hook(fn):
    HOOKS[fn.__name__] = fn
    return fn


def named(name):
    def keep(fn):
        HOOKS[name] = fn
        return fn

    return keep


def renamed(fn):
    fn.__name__ = fn.__qualname__ = "load"
    return fn


def either(fn):
    if HOOKS:
        fn = len
    return fn


def typed(kind):
    def mark(fn):
        def checked(rows):
            return [kind(each) for each in fn(rows)]

        return checked

    return mark


{marks}
def load(rows):
    return rows


def work(chain, queue):
    queue.put([step("12") for step in chain])


if __name__ == "__main__":
    mp.Process(target=work, args=([load], mp.Queue())).start()
"""


@each_row(
    ("marks", "found"),
    [
        ("@typed(int)", "fixed"),
        ("@hook\n@typed(int)", "other decorators of `load` (run.py:"),
        ("@named('first')\n@typed(int)", "other decorators of `load` (run.py:"),
        ("@hook\n@named('first')\n@typed(int)", "other decorators of `load` (run.py:"),
        ("@renamed\n@typed(int)", ""),
        ("@either\n@typed(int)", ""),
        ("@hook", ""),
        ("@hook\n@named('first')", ""),
    ],
)
def test_a_registry_above_the_decorator(marks: str, found: str) -> None:
    """What gives back what it gets does not hide that the wrapper has no name that pickle finds."""
    files = {"run.py": STACKED.format(marks=marks)}
    if found == "fixed":
        assert "@functools.wraps(fn)" in migrated(files, "lambdas")["run.py"]
    elif found:
        (reason,) = reasons(files, "lambdas")
        assert found in reason
    else:
        assert reported(files, "lambdas") == []
