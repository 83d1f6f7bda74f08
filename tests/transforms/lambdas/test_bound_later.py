"""Nested functions that read what is bound only below them, before they are used."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reasons

CHECK = """\
import multiprocessing


def check(problem, timeout):
    def execute({takes}):
        {body}

    manager = multiprocessing.Manager()
    result = manager.list()
    {start}
    return result


if __name__ == "__main__":
    check("a", 2)
"""


def check(start: str, takes: str = "", body: str = "result.append(problem)") -> dict[str, str]:
    return {"a.py": CHECK.format(start=start, takes=takes, body=body)}


@each_row(
    ("takes", "start", "expected"),
    [
        ("", "Process(target=execute)", "Process(target=_check_execute, args=(result, problem))"),
        ("n", "Process(target=execute, args=(1,))", "Process(target=_check_execute, args=(result, problem, 1))"),
        ("n", "Process(args=( 1,), target=execute)", "Process(args=( result, problem, 1), target=_check_execute)"),
        (
            "n",
            "Process(target=execute, args=[1])",
            "Process(target=partial(_check_execute, result, problem), args=[1])",
        ),
        ("", "Process(None, execute)", "Process(None, partial(_check_execute, result, problem))"),
    ],
)
def test_its_captures_are_handed_over_where_it_is_used(takes: str, start: str, expected: str) -> None:
    after = migrated(check(f"multiprocessing.{start}.start()", takes), "lambdas")["a.py"]
    assert f"multiprocessing.{expected}.start()" in after.replace("functools.", "")
    assert "    def execute" not in after
    assert after.count("_check_execute") == 2


@pytest.mark.parametrize(
    ("start", "body"),
    [
        pytest.param(
            "for n in range(2):\n        multiprocessing.Process(target=execute).start()",
            "print(result)",
            id="in a loop",
        ),
        pytest.param(
            "for f in [execute, execute]:\n        multiprocessing.Process(target=f).start()",
            "print(result)",
            id="used twice",
        ),
        pytest.param(
            "multiprocessing.Process(target=execute).start()\n    result = []", "print(result)", id="bound again below"
        ),
        pytest.param(
            "multiprocessing.Process(target=execute).start()\n    print(eval(problem))", "print(result)", id="eval"
        ),
    ],
)
def test_they_are_not_where_that_may_be_another_value(start: str, body: str) -> None:
    (reason,) = reasons(check(start, body=body), "lambdas")
    assert "`result` is " in reason
    assert "pass it as an argument" in reason


@each_row(("made", "shared"), [("manager.list()", True), ("[]", False), ("list()", False)])
def test_what_a_manager_makes_is_shared_with_the_worker(made: str, shared: bool) -> None:
    files = {
        name: text.replace("manager.list()", made) for name, text in check("Process(target=execute).start()").items()
    }
    files = {name: text.replace("    Process(", "    multiprocessing.Process(") for name, text in files.items()}
    files = {name: text.replace("return result", "return list(result)") for name, text in files.items()}
    assert bool(migrated(files, "lambdas")) is shared
