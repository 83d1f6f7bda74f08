"""What of a script a spawned worker may run, besides its import."""

from __future__ import annotations

import ast
import symtable
from collections.abc import Collection, Iterator, Mapping

from ...flow.answers.crossings import flow_of
from ...project import Project
from ...syntax.callees import FUNCTIONS
from ...syntax.outline import Outline
from ...syntax.repo import Repo
from ...syntax.resolver import Class, method
from ...tree.source import Source
from .called_here import Called, called_here
from .kept_objects import only_called_methods
from .statements import is_guard

_INITIALISER = "__init__"


def code_of_workers(
    project: Project, outline: Outline, source: Source, guarded: Collection[ast.stmt] = ()
) -> dict[str, frozenset[str]]:
    """Functions and classes of the script that a worker may run, with the globals that each reads.

    A function that is passed as a value, and the methods of classes whose objects may be sent. To unpickle an object
    runs no `__init__`: that counts where such code calls the class. What sets up a later call, as `signal.signal` does,
    does so in workers, too, where the import of the script runs it: not in `guarded`. Raises what `compile` raises.
    """
    definitions = {
        statement.name: statement
        for statement in outline.module.body
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef))
    }
    begins = {name: min(item.lineno for item in found) for name, found in outline.definitions.items() if found}
    reads = _reads(source, definitions)
    callers: dict[str, set[str]] = {name: set() for name in reads}
    reached: set[str] = set()
    holder: dict[ast.AST, str] = {}
    resolver = Repo(project).resolver
    main_only = {node for each in outline.module.body if each in guarded or is_guard(each) for node in ast.walk(each)}
    on_import: set[str] = set()
    set_up: list[tuple[str, str]] = []  # what is called later, and the code that sets it up
    for name, item in definitions.items():
        holder.update(dict.fromkeys(ast.walk(item), name))
        if isinstance(item, ast.ClassDef):
            own, initialiser = f"{name}.{_INITIALISER}", method(item, _INITIALISER)
            holder.update(dict.fromkeys(ast.walk(initialiser) if initialiser is not None else (), own))
            if any(holder[node] == name and _makes_another(node) for node in ast.walk(item)):
                callers[own].add(name)
            if not (_stays(project, outline, item) or only_called_methods(resolver, outline, item)):
                reached.add(name)
    for node in outline.nodes:
        if not (isinstance(node, ast.Name) and node.id in definitions and isinstance(node.ctx, ast.Load)):
            continue
        if not isinstance(outline.lookup(node, node.id)[0], ast.Module):
            continue  # a parameter or variable of the same name
        if outline.scope(node) is outline.module and node.lineno < begins.get(node.id, 0):
            continue  # the name has another value there: `model = checkpoint["model"]` above `def checkpoint(epoch)`
        parent, called = outline.parents[node], {node.id, f"{node.id}.{_INITIALISER}"} & reads.keys()
        if isinstance(parent, ast.ClassDef) and node in parent.bases and parent.name in definitions:
            callers[node.id].add(parent.name)
            for own in called - {node.id}:
                callers[own].add(f"{parent.name}.{_INITIALISER}")
            continue
        if _is_type(outline, node):
            continue
        when = called_here(outline, node, resolver)
        if when is None and not (isinstance(parent, ast.Call) and parent.func is node):
            reached |= called  # passed as a value
        elif node in holder:
            for own in called:
                callers[own].add(holder[node])
                set_up += [(own, holder[node])] if when is Called.LATER else []
        elif isinstance(outline.scope(node), ast.Lambda):
            reached |= called
        elif node not in main_only:
            on_import |= called
            reached |= called if when is Called.LATER else set()
    _follow(on_import, callers)
    reached |= {name for name, where in set_up if where in on_import}
    _follow(reached, callers)
    return {name: reads[name] for name in sorted(reached)}


def _follow(reached: set[str], callers: Mapping[str, set[str]]) -> None:
    """Adds what the code of `reached` calls, and so on."""
    while True:
        more = {name for name, who in callers.items() if name not in reached and who & reached}
        if not more:
            break
        reached |= more


def _reads(source: Source, definitions: Mapping[str, ast.stmt]) -> dict[str, frozenset[str]]:
    """What functions, classes and their initialisers read as globals, from Python's own symbol tables."""
    found: dict[str, set[str]] = {name: set() for name in definitions}
    found |= {f"{name}.{_INITIALISER}": set() for name, item in definitions.items() if isinstance(item, ast.ClassDef)}
    try:
        tables = symtable.symtable(source.text, source.path, "exec").get_children()
    except SyntaxError:  # it parses, but Python does not compile it: `import *` in a function
        tables = []
    for table in tables:
        item = definitions.get(table.get_name())
        marks = getattr(item, "decorator_list", ())
        if item is None or table.get_lineno() not in {item.lineno, *(mark.lineno for mark in marks)}:
            continue
        found[table.get_name()] |= {*_loads(table, but=_INITIALISER), *_counted(item)}
        for inner in table.get_children() if isinstance(item, ast.ClassDef) else ():
            if inner.get_name() == _INITIALISER:
                found[f"{table.get_name()}.{_INITIALISER}"] |= {*_loads(inner)}
    return {name: frozenset(names) for name, names in found.items()}


def _loads(table: symtable.SymbolTable, but: str = "") -> Iterator[str]:
    """Globals that the code reads, without that of the method called `but` of a class."""
    for symbol in table.get_symbols():
        if symbol.is_referenced() and symbol.is_global():
            yield symbol.get_name()
    for child in table.get_children():
        if table.get_type() != "class" or child.get_name() != but:
            yield from _loads(child)


def _counted(item: ast.AST) -> Iterator[str]:
    """`count`, of `global count` and `count += 1`: symbol tables do not say that it is read."""
    declared = {name for node in ast.walk(item) if isinstance(node, ast.Global) for name in node.names}
    for node in ast.walk(item) if declared else ():
        if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id in declared:
            yield node.target.id


def _makes_another(node: ast.AST) -> bool:
    """Code of a class that calls the class itself, or its `__init__`, without naming it."""
    if isinstance(node, ast.FunctionDef):
        return node.name in ("__reduce__", "__reduce_ex__", "__getinitargs__")
    if isinstance(node, ast.Attribute):
        return node.attr in (_INITIALISER, "__class__")
    return isinstance(node, ast.Name) and node.id in ("cls", "type")


def _is_type(outline: Outline, node: ast.Name) -> bool:
    """An annotation, the type that `isinstance` tests for, or that of `super(Type, self)`."""
    parent = outline.parents[node]
    if isinstance(parent, ast.Call):
        places = {"isinstance": parent.args[1:], "super": parent.args[:1]}
        return isinstance(parent.func, ast.Name) and places.get(parent.func.id) == [node]
    if isinstance(parent, (*FUNCTIONS, ast.AnnAssign)):
        return node in (getattr(parent, "returns", None), getattr(parent, "annotation", None))
    return isinstance(parent, ast.arg)


def _stays(project: Project, outline: Outline, item: ast.ClassDef) -> bool:
    """A model or data module of which no object is seen to be sent: those are used by the main process."""
    names = Repo(project).resolver.base_names(Class(outline, item))
    if not any(name.endswith("Module") for name in names):
        return False
    flow, place = flow_of(project), (outline.path, item.lineno)
    return flow.needs_boundary(*place) and flow.instances(*place) is None
