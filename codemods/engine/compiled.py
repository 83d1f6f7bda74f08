"""What the compiler, its symbol tables and LibCST say of the text of a Python file."""

from __future__ import annotations

import ast
import re
import symtable
import warnings
from dataclasses import dataclass
from functools import lru_cache

from ..tree.old_names import modern, tree_of

MAX_CST = 100_000  # characters: a list of small numbers as long takes LibCST seconds and 300 MB
_NEWLINES = re.compile(r"\r\n?")
_RESET = re.compile(r"^[ \t\f]*\f", re.MULTILINE)


@dataclass(frozen=True)
class SymbolNames:
    """What the symbol tables of one text say."""

    bound: frozenset[str]  # at module level
    loaded: frozenset[str]  # looked up at module level or in the builtins, from any scope
    of_function: dict[str, frozenset[str]]  # the same by qualified name, less what `global` says


@lru_cache(maxsize=16)
def compiled(text: str) -> tuple[ast.Module, SymbolNames]:
    """The tree and the names of a text.

    Raises SyntaxError (also for what only the compiler refuses), ValueError, RecursionError.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        tree = tree_of(text)
        text = modern(text)
        compile(text, "<result>", "exec", dont_inherit=True)
        return tree, _names(symtable.symtable(text, "<result>", "exec"))


def _names(module: symtable.SymbolTable) -> SymbolNames:
    bound: set[str] = set()
    functions: dict[str, frozenset[str]] = {}
    loaded, _ = _loads(module, "", True, bound, functions)
    return SymbolNames(frozenset(bound), frozenset(loaded), functions)


def _loads(
    table: symtable.SymbolTable, prefix: str, is_module: bool, bound: set[str], functions: dict[str, frozenset[str]]
) -> tuple[set[str], set[str]]:
    """What is looked up, and of that what no `global` there says to be the module's; adds to the other parts."""
    found: set[str] = set()
    unsaid: set[str] = set()
    for symbol in table.get_symbols():
        at_module = is_module or symbol.is_declared_global()
        if at_module and (symbol.is_assigned() or symbol.is_imported() or symbol.is_namespace()):
            bound.add(symbol.get_name())
        # symtable takes a function called `top` for the module: its own variables are "global" and local
        if symbol.is_referenced() and (is_module or (symbol.is_global() and not symbol.is_local())):
            found.add(symbol.get_name())
            if not symbol.is_declared_global():
                unsaid.add(symbol.get_name())
    for child in table.get_children():
        name = f"{prefix}{child.get_name()}"
        inner, unsaid_inside = _loads(child, f"{name}.", False, bound, functions)
        found |= inner
        unsaid |= unsaid_inside
        if child.get_type() == "function" and child.get_name().isidentifier() and child.get_name() != "lambda":
            functions[name] = functions.get(name, frozenset()) | unsaid_inside
    return found, unsaid


def compiles(text: str) -> bool:
    """False also for what parses and only the compiler refuses, such as a `global` after the name's use."""
    try:
        compiled(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def libcst_reads(text: str) -> bool:
    """False for the rare text that Python reads and LibCST does not, such as tabs among spaces."""
    import libcst as cst

    try:
        cst.parse_module(modern(text))
    except (cst.ParserSyntaxError, RecursionError, MemoryError):
        return False
    return True


@lru_cache(maxsize=16)
def survives_libcst(text: str) -> bool:
    """True when LibCST, the second opinion, reads `text` and gives it back; long texts only the compiler sees."""
    if len(text) > MAX_CST:
        return True
    import libcst as cst

    text = _NEWLINES.sub("\n", text)  # LibCST drops a lone CR at the end,
    text = modern(_RESET.sub("", text))  # and a form feed (which sets the indentation back to none) before a statement
    try:
        return cst.parse_module(text).code == text
    except TypeError:  # it trips over its own feet on `return(lambda: 0)`: no opinion
        return True
    except (cst.ParserSyntaxError, RecursionError, MemoryError):
        return False


def parses(text: str) -> bool:
    """True for Python 3, be it that the compiler refuses it (a `nonlocal` at module level)."""
    try:
        tree_of(text)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
