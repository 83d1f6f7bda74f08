"""Dict views that an installed package keeps on its objects: found where the repository makes or inherits such objects.

The package is not ours to edit. What the repository can do is one line after the object is there:
`config.class_names = list(config.class_names)`, right before and after the package itself is fixed.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass

from ...finding import Confidence, Edit, Refused
from ...flow.answers.crossings import flow_of
from ...syntax.names import last_name, root_of_chain
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from ...syntax.repo import Repo
from ...syntax.resolver import Class
from .data import names
from .mutations import CHANGING
from .third_party_table import HOLDERS, NAMES, TEXT, Holder


@dataclass(frozen=True)
class Foreign:
    """An object with a view in it that comes from a package: `expression` is what it is written as.

    `answer` is the line that makes the view a list. `crosses`: the object is stored on a dataset, or passed to one.
    """

    outline: Outline
    row: Holder
    node: ast.expr  # what to point at: the call, or the base class
    expression: str
    crosses: bool
    answer: Edit | Refused


def foreign_views(repo: Repo) -> Iterator[Foreign]:
    """Every object of HOLDERS that the repository keeps, where the line is not there yet."""
    for source in repo.project.matching(TEXT, words=NAMES):
        outline = repo.outline(source.path)
        if outline is None:
            continue
        for row in HOLDERS:
            if any(f"/{path}".endswith(f"/{row.home}") for path in repo.project.python_paths):
                continue
            for node in outline.nodes:
                if isinstance(node, ast.Call) and qualified_name(outline, node.func) in row.made_by:
                    yield from _made(repo, outline, row, node)
                elif isinstance(node, ast.ClassDef):
                    for base in node.bases:
                        if qualified_name(outline, base) in row.inherited and _has_it(outline, row, node):
                            yield from _inherited(repo, outline, row, node, base)


def changed_dict(repo: Repo, row: Holder) -> tuple[str, int] | None:
    """Where the dict of the view is changed: (path, line)."""
    for outline in repo.mentioning(row.of):
        for node in outline.attributes.get(row.of, ()):
            parent = outline.parents[node]
            stored = isinstance(parent, ast.Subscript) and isinstance(parent.ctx, (ast.Store, ast.Del))
            if stored or (isinstance(parent, ast.Attribute) and parent.attr in CHANGING):
                return outline.path, node.lineno
    return None


def _made(repo: Repo, outline: Outline, row: Holder, call: ast.Call) -> Iterator[Foreign]:
    first = call.args[0] if call.args else None
    if row.unless and isinstance(first, ast.Constant) and str(first.value).startswith(row.unless):
        return
    statement, node = outline.parents[call], call
    if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is call:
        targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
        target = targets[-1]
        if root_of_chain(target) is None:  # reading it twice may do something else
            return
        expression = ast.unparse(target)
        if _done(outline, target, f"{expression}.{row.view}"):
            return
        crosses = _is_on_dataset(repo, outline, target)
        if isinstance(target, ast.Name) and not crosses:
            return  # used on the spot
        yield _line_after(repo, outline, row, node, statement, expression, crosses)
        return
    argument_of = outline.parents[statement] if isinstance(statement, ast.keyword) else statement
    if (
        isinstance(argument_of, ast.Call)
        and argument_of.func is not call
        and _is_dataset(repo, outline, argument_of.func)
    ):
        reason = f"give it a name first, then `name.{row.view} = list(name.{row.view})`"
        yield Foreign(outline, row, node, ast.unparse(call.func) + "(...)", True, Refused(reason))
        return
    if isinstance(statement, (ast.IfExp, ast.BoolOp)) and isinstance(outer := outline.statement(call), ast.Assign):
        target = outer.targets[0]
        if outer.value is statement and isinstance(target, ast.Attribute) and root_of_chain(target) is not None:
            expression = ast.unparse(target)
            if not _done(outline, target, f"{expression}.{row.view}"):
                view = f"{expression}.{row.view}"
                reason = f"it is not always created: add `{view} = list({view})` where it is"
                yield Foreign(outline, row, node, expression, _is_on_dataset(repo, outline, target), Refused(reason))


def _inherited(repo: Repo, outline: Outline, row: Holder, owner: ast.ClassDef, base: ast.expr) -> Iterator[Foreign]:
    methods = [node for node in owner.body if isinstance(node, ast.FunctionDef)]
    init = next((method for method in methods if method.name == "__init__"), None)
    if init is None:
        expression = f"self.{row.attribute}"
        if not methods:
            reason = f"add an `__init__` that calls `super().__init__(...)`, then {_line(expression, row)}"
            yield Foreign(outline, row, base, expression, True, Refused(reason))
            return
        yield Foreign(outline, row, base, expression, True, _own_init(repo, outline, row, methods[0], expression))
        return
    myself = init.args.args[0].arg if init.args.args else "self"
    expression = f"{myself}.{row.attribute}"
    for node in ast.walk(owner):
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            text = ast.unparse(node)
            if text == f"{expression}.{row.view}":
                return
            if text == expression:  # the class makes its own; that is another finding
                return
    for node in ast.walk(init):
        if (
            isinstance(node, ast.Expr)
            and isinstance(call := node.value, ast.Call)
            and isinstance(call.func, ast.Attribute)
            and call.func.attr == "__init__"
        ):
            whose = call.func.value
            if (isinstance(whose, ast.Call) and last_name(whose.func) == "super") or ast.dump(whose) == ast.dump(base):
                yield _line_after(repo, outline, row, base, node, expression, True)
                return
    reason = f"no call of the `__init__` of `{ast.unparse(base)}` is seen: {_line(expression, row)} goes after it"
    yield Foreign(outline, row, base, expression, True, Refused(reason))


def _own_init(repo: Repo, outline: Outline, row: Holder, method: ast.FunctionDef, expression: str) -> Edit | Refused:
    """An `__init__` for a class without one, before its first method."""
    source = repo.project.source(outline.path)
    assert source is not None
    first = min([method.lineno, *(mark.lineno for mark in method.decorator_list)])
    start = source.line_starts[first - 1]
    text = source.line_text(first)
    indent = text[: len(text) - len(text.lstrip())]
    if indent.strip() or not indent:
        return Refused(f"add an `__init__` that calls `super().__init__(...)`, then {_line(expression, row)}")
    deeper = indent * 2
    lines = [
        f"{indent}def __init__(self, *args, **kwargs):",
        f"{deeper}super().__init__(*args, **kwargs)",
        *(deeper + line for line in _lines(expression, row)),
        "",
        "",
    ]
    return Edit(outline.path, start, start, "\n".join(lines))


def _line_after(
    repo: Repo, outline: Outline, row: Holder, node: ast.expr, statement: ast.stmt, expression: str, crosses: bool
) -> Foreign:
    source = repo.project.source(outline.path)
    assert source is not None
    line = source.line_text(statement.lineno)
    before = line[: len(line) - len(line.lstrip())]
    start, end = source.range_of(statement)
    stop = re.compile(r"[\r\n]|\Z").search(source.text, end)
    assert stop is not None
    rest = source.text[end : stop.start()].strip()
    if source.line_starts[statement.lineno - 1] + len(before) != start or (rest and not rest.startswith("#")):
        reason = f"it shares its line with other statements: put {_line(expression, row)} after it by hand"
        return Foreign(outline, row, node, expression, crosses, Refused(reason))
    text = "".join(f"\n{before}{line}" for line in _lines(expression, row))
    return Foreign(outline, row, node, expression, crosses, Edit(outline.path, stop.start(), stop.start(), text))


def _lines(expression: str, row: Holder) -> list[str]:
    return [
        f"# {row.package} keeps a dict view here, and views can't be pickled",
        f"{expression}.{row.view} = list({expression}.{row.view})",
    ]


def _line(expression: str, row: Holder) -> str:
    return f"`{expression}.{row.view} = list({expression}.{row.view})`"


def _has_it(outline: Outline, row: Holder, owner: ast.ClassDef) -> bool:
    """Whether the version of the package that the file is written for has the view on its instances."""
    if any(isinstance(node, ast.Attribute) and node.attr == row.attribute for node in ast.walk(owner)):
        return True
    origins = set(outline.imported.values()) | {
        f"{node.module}." for node in outline.nodes if isinstance(node, ast.ImportFrom) and node.module
    }
    return any(f"{origin}.".startswith(f"{known}.") for origin in origins for known in row.only_with)


def _done(outline: Outline, target: ast.expr, text: str) -> bool:
    """Something else is already assigned to the attribute, in the same class or function."""
    within = outline.owner(target) or outline.scope(target)
    return any(
        isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store) and ast.unparse(node) == text
        for node in ast.walk(within)
    )


def _is_on_dataset(repo: Repo, outline: Outline, target: ast.expr) -> bool:
    """The object is stored on a dataset, or passed to one."""
    if isinstance(target, ast.Attribute):
        owner = outline.owner(target)
        return owner is not None and outline.is_self(target.value) and _is_dataset_class(repo, Class(outline, owner))
    assert isinstance(target, ast.Name)
    for node in ast.walk(outline.scope(target)):
        if not (isinstance(node, ast.Name) and node.id == target.id and isinstance(node.ctx, ast.Load)):
            continue
        parent = outline.parents[node]
        if isinstance(parent, ast.keyword):
            parent = outline.parents[parent]
        if isinstance(parent, ast.Call) and parent.func is not node and _is_dataset(repo, outline, parent.func):
            position = parent.lineno, parent.col_offset
            if not flow_of(repo.project).stays(outline.path, *position):  # others of the class may cross
                return True
        if isinstance(parent, ast.Assign) and parent.value is node:
            kept = parent.targets[0]
            if isinstance(kept, ast.Attribute) and _is_on_dataset(repo, outline, kept):
                return True
    return False


def _is_dataset(repo: Repo, outline: Outline, function: ast.expr) -> bool:
    return any(_is_dataset_class(repo, cls) for cls in repo.resolver.classes(outline, function))


def _is_dataset_class(repo: Repo, cls: Class) -> bool:
    """Whether objects of the class cross: seen to, or by its bases, or the registry of a library that it is in."""
    registered = any(_is_dataset_registry(cls.outline, mark) for mark in cls.node.decorator_list)
    if registered or not names("dataset_classes").isdisjoint(repo.resolver.base_names(cls)):
        return True
    seen = flow_of(repo.project).instances(cls.outline.path, cls.node.lineno)
    return seen is not None and seen.confidence.reaches(Confidence.LIKELY)


def _is_dataset_registry(outline: Outline, mark: ast.expr) -> bool:
    """`@DATASETS.register_module()`, imported from one of the packages that build datasets from it."""
    name = qualified_name(outline, mark.func if isinstance(mark, ast.Call) else mark) or ""
    return "DATASETS" in name.split(".") and name.partition(".")[0] in names("dataset_registries")
