"""main-guard: what is registered for the end of the process above the guard, a spawned child calls at its end too."""

from __future__ import annotations

import pytest

from harness.each_row import each_row
from harness.small import migrated, reported

RULE = "main-guard"
PROGRAM = """\
import atexit
import shutil
from multiprocessing import Process

done = {{}}


def goodbye():
    {body}


{register}


def work(n):
    done[n] = n


if __name__ == "__main__":
    Process(target=work, args=(1,)).start()
"""
CALLED = [
    ("print('bye', len(done))", "atexit.register(goodbye)"),
    ("open('done.txt', 'w').write(str(done))", "atexit.register(goodbye)"),
    ("pass", "atexit.register(lambda: print('bye'))"),
    ("pass", "atexit.register(shutil.rmtree, 'cache', ignore_errors=True)"),
    ("pass", "atexit.register(print, 'bye')"),
]


@each_row(("body", "register"), CALLED)
def test_a_hook_that_shows(body: str, register: str) -> None:
    files = {"run.py": PROGRAM.format(body=body, register=register)}
    (finding,) = reported(files, RULE)
    hook = register.partition("(")[2].partition(",")[0].removesuffix(")") if "lambda" not in register else "lambda: "
    assert finding.message.startswith(
        f"Stands above the main guard, so every spawned worker runs it again: it has `{hook}"
    )
    assert finding.message.endswith("called at the end of the process")
    text = migrated(files, RULE)["run.py"]
    assert f'if __name__ == "__main__":\n    {register}\n' in text
    assert text.index("def work") < text.index('if __name__ == "__main__":')


@each_row(
    ("body", "register"),
    [
        ("done.clear()", "atexit.register(goodbye)"),
        ("print(done)", "goodbye.name = 'x'"),
        ("pass", "atexit.register(done.clear)"),
        ("pass", "atexit.register(unknown)"),
        ("pass", "atexit.register(*done)"),
    ],
)
def test_nobody_sees_the_hook(body: str, register: str) -> None:
    assert not reported({"run.py": PROGRAM.format(body=body, register=register)}, RULE)


METHOD = """\
import atexit
from multiprocessing import Process


class Log:
    def close(self):
        {body}


log = Log()
atexit.register(log.close)


def work(n):
    return n


if __name__ == "__main__":
    Process(target=work, args=(1,)).start()
"""


@pytest.mark.parametrize(("body", "seen"), [("print('closed')", True), ("self.done = True", False)])
def test_a_method_of_an_object(body: str, seen: bool) -> None:
    found = reported({"run.py": METHOD.format(body=body)}, RULE)
    assert [each.message.rpartition(": it has ")[2] for each in found] == seen * [
        "`log.close` called at the end of the process"
    ]


@pytest.mark.parametrize(("body", "mark"), [("print('bye')", True), ("done.clear()", False)])
def test_a_decorated_function(body: str, mark: bool) -> None:
    text = PROGRAM.format(body=body, register="").replace("def goodbye", "@atexit.register\ndef goodbye")
    found = reported({"run.py": text}, RULE)
    assert [(each.reason, each.span.line) for each in found] == mark * [
        ("leave out the decorator, and call `atexit.register(goodbye)` under the main guard", 9)
    ]
