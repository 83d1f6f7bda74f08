"""Recognises `if __name__ == "__main__":` and other tests that only the main process passes."""

from __future__ import annotations

import ast
import re
from typing import TypeGuard

from ..nodes import walk
from .names import last_name

_OF_PROGRAMS = ("__main__", "__mp_main__")
_SPECIAL = re.compile(r"__\w+__")


def is_main_guard(node: ast.AST) -> TypeGuard[ast.If]:
    """True for `if __name__ == "__main__":`, whose body does not run when a worker imports the file."""
    return isinstance(node, ast.If) and is_main_name_test(node.test)


def is_main_process_block(node: ast.AST) -> TypeGuard[ast.If]:
    """True for an `if` whose body only the main process runs: a main guard, or one that asks for the process's name."""
    return isinstance(node, ast.If) and is_main_process_test(node.test)


def is_main_name_test(test: ast.expr) -> bool:
    """True for `__name__ == "__main__"`, either way round, alone or as a part of an `and`."""
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(is_main_name_test(value) for value in test.values)
    if isinstance(test, ast.UnaryOp) and isinstance(test.op, ast.Not):
        return is_other_name_test(test.operand)
    return _compares_name(test, (ast.Eq, ast.Is, ast.In))


def is_other_name_test(test: ast.expr) -> bool:
    """True for `__name__ != "__main__"`: what stands under its `else` runs in the main process alone."""
    return _compares_name(test, (ast.NotEq, ast.IsNot, ast.NotIn))


def is_never_true(test: ast.expr) -> bool:
    """True for `__name__ == "__main2__"`: no program and no module is called so, and the block is switched off."""
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.Is))):
        return False
    sides = [test.left, test.comparators[0]]
    texts = [side.value for side in sides if isinstance(side, ast.Constant) and isinstance(side.value, str)]
    named = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    return named and len(texts) == 1 and texts[0] not in _OF_PROGRAMS and _SPECIAL.fullmatch(texts[0]) is not None


def _compares_name(test: ast.expr, how: tuple[type[ast.cmpop], ...]) -> bool:
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], how)):
        return False
    sides = [test.left, test.comparators[0]]
    named = any(isinstance(side, ast.Name) and side.id == "__name__" for side in sides)
    return named and any(_is_main(side) for side in sides)


def is_main_process_test(test: ast.expr) -> bool:
    """True for `is_main_name_test`, and for `current_process().name == "MainProcess"`.

    `parent_process() is None` is none: it holds while a child imports the main module (`spawn._main`: `prepare` comes
    before `_bootstrap`, which sets it).
    """
    if isinstance(test, ast.BoolOp) and isinstance(test.op, ast.And):
        return any(is_main_process_test(value) for value in test.values)
    if is_main_name_test(test):
        return True
    if not (isinstance(test, ast.Compare) and len(test.ops) == 1 and isinstance(test.ops[0], (ast.Eq, ast.Is))):
        return False
    sides = [test.left, test.comparators[0]]
    constants = [side.value for side in sides if isinstance(side, ast.Constant)]
    return "MainProcess" in constants and any(_calls(side, "current_process") for side in sides)


def _is_main(side: ast.expr) -> bool:
    if isinstance(side, (ast.Tuple, ast.List, ast.Set)):
        names = {element.value for element in side.elts if isinstance(element, ast.Constant)}
        return "__main__" in names and "__mp_main__" not in names  # the latter is what a spawned worker is called
    return isinstance(side, ast.Constant) and side.value == "__main__"


def _calls(node: ast.expr, name: str) -> bool:
    """`node` contains a call of a function whose last name is `name`."""
    return any(isinstance(inner, ast.Call) and last_name(inner.func) == name for inner in walk(node))
