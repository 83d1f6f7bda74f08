"""Which tests only the main process passes."""

from __future__ import annotations

import ast

import pytest

from codemods.syntax.main_guard import is_main_guard, is_main_process_test, is_never_true
from harness.each_row import each_row

SCRIPT_ONLY = [
    '__name__ == "__main__"',
    '"__main__" == __name__',
    '__name__ == "__main__" and args.train',
    '__name__ in ("__main__", "__test__")',
]
PROCESS_ONLY = [
    'multiprocessing.current_process().name == "MainProcess"',
]
NEITHER = [
    '__name__ != "__main__"',
    '__name__ == "__main__" or DEBUG',  # true in a worker, too
    '__name__ in ("__main__", "__mp_main__")',
    "parent_process() is None",  # holds while a child imports the main module
    "not mp.parent_process() and ready",
    "parent_process() is not None",
    'current_process().name != "MainProcess"',
    'mode == "MainProcess"',
    "parent_process()",
    '"__main__" in sys.argv',
    "__name__.startswith('x')",
]


def if_statement(text: str) -> ast.If:
    node = ast.parse(f"if {text}:\n    pass").body[0]
    assert isinstance(node, ast.If)
    return node


@each_row("text", SCRIPT_ONLY)
def test_the_name_of_the_script(text: str) -> None:
    assert is_main_guard(if_statement(text))
    assert is_main_process_test(if_statement(text).test)


@pytest.mark.parametrize("text", PROCESS_ONLY)
def test_a_question_about_the_process(text: str) -> None:
    assert not is_main_guard(if_statement(text))
    assert is_main_process_test(if_statement(text).test)


@each_row("text", NEITHER)
def test_a_worker_may_pass(text: str) -> None:
    assert not is_main_guard(if_statement(text))
    assert not is_main_process_test(if_statement(text).test)


@each_row(
    ("text", "never"),
    [
        ('__name__ == "__main2__"', True),
        ('"__skip__" is __name__', True),
        ('__name__ == "__mp_main__"', False),  # a spawned worker is called so
        ('__name__ == "__main__"', False),
        ('__name__ == "train"', False),  # imported under this name
        ('__name__ == "pkg.__init__"', False),
        ('__name__ != "__main2__"', False),
        ('name == "__main2__"', False),
        ('__name__ == "__main2__" or DEBUG', False),
    ],
)
def test_a_name_that_no_module_has(text: str, never: bool) -> None:
    assert is_never_true(if_statement(text).test) is never
