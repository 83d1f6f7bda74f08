"""Whether a `__get__` that binds functions to objects is ever called: only what a class holds has it called."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....nodes import end_line, statements
from ....project import Project
from ....questions import asked
from ....syntax.binding_rules import FUNCTIONS

# what puts something on a class by other means than its body
_SETS_ON_CLASSES = re.compile(r"\bsetattr\(|\btype\(\s*[\"'rfb]|\b(?:[A-Z]\w*|cls|__class__)\.\w+\s*=[^=]|__set_name__")


@asked
def binds_nothing(project: Project, path: str, line: int) -> bool:
    """The line is in the `__get__` of a class, and no class is seen to hold an object of that class."""
    module = project.module(path)
    for cls in statements(module) if module is not None else ():
        if isinstance(cls, ast.ClassDef) and cls.lineno <= line <= end_line(cls):
            own = (method for method in cls.body if isinstance(method, FUNCTIONS) and method.name == "__get__")
            if any(method.lineno <= line <= end_line(method) for method in own):
                return not _may_be_held(project, cls.name)
    return False


def _may_be_held(project: Project, name: str) -> bool:
    """A class body names the class, or a function that may give an object of it; nothing else is looked through."""
    names, todo = {name}, [name]
    while todo:
        for path in project.with_words((name := todo.pop(),)):
            source, module = project.source(path), project.module(path)
            if source is None or module is None or _SETS_ON_CLASSES.search(source.text):
                return True
            word = re.compile(rf"\b{re.escape(name)}\b")
            for statement in statements(module):
                if isinstance(statement, ast.ClassDef):
                    if any(word.search(ast.unparse(part)) for part in _run_by_class(statement)):
                        return True
                elif isinstance(statement, FUNCTIONS) and statement.name not in names:
                    lines = source.text_of(statement)
                    if word.search(lines):
                        names.add(statement.name)
                        todo.append(statement.name)
    return False


def _run_by_class(cls: ast.ClassDef) -> Iterator[ast.AST]:
    """What runs as the class is made: its bases and body, without the bodies of methods."""
    yield from (*cls.bases, *cls.keywords, *cls.decorator_list)
    for statement in cls.body:
        if isinstance(statement, FUNCTIONS):
            yield from statement.decorator_list
        elif not isinstance(statement, ast.ClassDef):
            yield statement
