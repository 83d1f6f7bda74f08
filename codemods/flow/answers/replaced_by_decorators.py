"""Functions and methods with a decorator of other code: it may give something else, which need not be pickled alike."""

from __future__ import annotations

from ..solve.heap import BOUND, CLASS, FOREIGN, FUNCTION, OBJECT
from ..solve.solution import Solution
from .trace import Reasons, chain_of

_KEEPING = ("abc.", "asyncio.", "builtins.", "contextlib.", "functools.", "torch.", "typing.", "typing_extensions.")
_BUILTINS = frozenset(("staticmethod", "classmethod", "property"))
_REGISTERS = "register"


def may_be_other(solution: Solution, number: int, reasons: Reasons) -> bool:
    """What crosses, or what it crosses with, is a function of which an unknown decorator may make something else."""
    values = [solution.heap.values[each] for each in chain_of(reasons, number)]
    return any(_is_decorated(solution, int(value.a)) for value in values if value.kind in (FUNCTION, BOUND))


def _is_decorated(solution: Solution, index: int) -> bool:
    program = solution.program
    file, function = program.functions[index]
    return any(_is_unknown(solution, file, node) for node in function.decorators if node >= 0)


def _is_unknown(solution: Solution, file: int, node: int) -> bool:
    """No code of the repository is the decorator, or gave it, and no module that is known to keep what it gets."""
    program, heap = solution.program, solution.heap
    held = [heap.values[number] for number in heap.holds[node + program.offsets[file]]]
    if not held:  # the result of a call: `@tools.checked(deep=True)`
        made = next((call for call in program.facts[file].calls if call.result == node), None)
        return made is not None and _is_unknown(solution, file, made.function)
    if any(value.kind in (FUNCTION, BOUND, CLASS) for value in held):
        return False  # it is followed
    names = (program.table.canonical(str(value.a)) for value in held if value.kind in (FOREIGN, OBJECT))
    return any(
        not (name.startswith(_KEEPING) or name in _BUILTINS or name.rpartition(".")[2].startswith(_REGISTERS))
        for name in names
    )
