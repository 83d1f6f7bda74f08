"""A function that its own decorator sends: pickle finds another one under its name, wherever it is defined."""

from __future__ import annotations

from harness.each_row import each_row
from harness.small import reported

PROGRAM = """\
from functools import wraps
from multiprocessing import Process


def run(work, arguments):
    print(work(*arguments))


def limited(seconds):
    def decorate(work):
        @wraps(work)
        def call(*arguments):
            process = Process(target=run, args=(work, arguments))
            process.start()
            process.join(seconds)

        return call

    return decorate


def at_once(work):
    Process(target=run, args=(work, ())).start()
    return work


def bonds(mol):
    {decorator}
    def add():
        return len(mol)

    {use}


if __name__ == "__main__":
    bonds("CC")
"""


@each_row(
    ("decorator", "use", "named"),
    [
        ("@limited(len(mol))", "add()", "call `limited(len(mol))(add)` where it is used"),
        ("@at_once", "print(1)", "call `at_once(add)` where it is used"),
        ("@at_once", "at_once(add)", "call `at_once(add)` where it is used"),
    ],
)
def test_what_a_person_can_do(decorator: str, use: str, named: str) -> None:
    (found,) = reported({"a.py": PROGRAM.format(decorator=decorator, use=use)}, "lambdas")
    assert found.reason is not None and named in found.reason
    assert "at module level too: define it there without the decorator" in found.reason


def test_a_function_that_something_else_sends() -> None:
    text = PROGRAM.format(decorator="@print", use="Process(target=run, args=(add, ())).start()")
    (found,) = reported({"a.py": text}, "lambdas")
    assert found.reason is not None and "may do more than wrap it" in found.reason
