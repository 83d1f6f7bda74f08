"""What other code says or asks about how objects of a class are pickled: reducers for it, tests for state methods."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from ...finding import Refused
from ...project import Project
from ...questions import asked
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.receivers import qualified_name
from ...syntax.repo import Repo
from ...syntax.unpicklable_table import ObjectKind, canonical
from .classes import Shape
from .data import names
from .family import Family

_WRITTEN = ("__getstate__", "__setstate__", "__copy__")  # what this rule may add to a class
_GET = "__getstate__"
_STORES = ("__reduce__", "__reduce_ex__", _GET)  # a file that says these handles what pickle stores
_WITHOUT_STATE = {  # https://docs.python.org/3/library/collections.html: what their `__reduce__` hands to the class
    "collections.defaultdict": "its factory",
    "collections.Counter": "its counts",
}
_LOOPS = (ast.For, ast.AsyncFor, ast.comprehension)
_Place = tuple[str, int]


def registered(family: Family, shape: Shape) -> str | None:
    """`path:line` of the reducer for objects of this very class: pickle and `copy` ask for it before its methods."""
    here = (shape.outline.path, shape.node.lineno)
    return next((place for cls, place in _registered(family.repo.project) if cls == here), None)


def is_reduced(project: Project, kind: ObjectKind) -> bool:
    """A reducer is registered for what pickle refuses: `copyreg.pickle(type(Lock()), reduced)`."""
    return any(
        name in kind.constructors or f"'{name}'" in kind.error or f"'{name}'" in kind.binary
        for name in _registered_outside(project)
    )


def check_no_reducer(family: Family, shape: Shape) -> None:
    """Raises Refused where a reducer says how objects of the class, or of one below it, are pickled and copied."""
    base = next((base for base in family.foreign(shape) if base in _WITHOUT_STATE), None)
    if base is not None:
        raise Refused(
            f"`{base}` says itself how it is pickled: without the attributes, and a copy calls the class with "
            f"{_WITHOUT_STATE[base]} alone; write a `__reduce__` for the class"
        )
    for other in [shape, *family.derived(shape)]:
        if (place := registered(family, other)) is not None:
            raise Refused(
                f"{place} registers a reducer for `{other.node.name}`, and methods of the class would come between: "
                "leave it out there"
            )


def check_nobody_asks(family: Family, shape: Shape, added: Iterable[str]) -> None:
    """Raises Refused where code asks whether a class has one of the methods that would be `added`.

    `added`: lines that define them.
    """
    new = {name for name in _WRITTEN if any(f"def {name}(" in text for text in added)}
    asked_for = [question for question in _questions(family.repo.project) if question[0] in new]
    own = _line(family, shape) if asked_for else set()
    for name, place, owners in asked_for:
        if not owners or not own.isdisjoint(owners):
            raise Refused(
                f"{place} asks whether there is a `{name}`, and would go another way once `{shape.node.name}` has it: "
                "register a reducer by `copyreg.pickle` instead"
            )


def check_nobody_takes_state(family: Family, shape: Shape) -> None:
    """Raises Refused where code other than pickle takes what `__getstate__` of such an object gives."""
    taken = _takes_state(family.repo.project)
    own = _line(family, shape) if taken else set()
    for place, owners in taken:
        if not own.isdisjoint(owners):
            raise Refused(
                f"{place} takes what `{_GET}` gives, and would miss what this leaves out: let it read the attributes "
                "that it needs, or leave this out there yourself"
            )


def _line(family: Family, shape: Shape) -> set[_Place]:
    """The class, its base classes, and those that derive from one of them."""
    return {(each.outline.path, each.node.lineno) for other in family.hierarchy(shape) for each in family.line(other)}


@asked
def _registered(project: Project) -> tuple[tuple[_Place, str], ...]:
    """The classes that a reducer is registered for, each with the place of that."""
    repo = Repo(project)
    found: dict[_Place, str] = {}
    for outline, target, value in _registrations(repo):
        for where, cls in repo.resolver.classes(outline, _meant(outline, value)):
            found.setdefault((where.path, cls.lineno), f"{outline.path}:{target.lineno}")
    return tuple(found.items())


@asked
def _registered_outside(project: Project) -> tuple[str, ...]:
    """The types of libraries that a reducer is registered for: by their names, or by what makes an object of them."""
    found: dict[str, None] = {}
    for outline, _, value in _registrations(Repo(project)):
        if name := qualified_name(outline, _meant(outline, value)):
            found[canonical(name)] = None
    return tuple(found)


def _meant(outline: Outline, value: ast.expr) -> ast.expr:
    """What stands for the class where `value` does: the name in `type(Lock())`, or of what `kind` is bound to."""
    named = _value_of(outline, value)
    if isinstance(named, ast.Call) and last_name(named.func) == "type" and len(named.args) == 1:
        return getattr(_value_of(outline, named.args[0]), "func", named)
    return named


def _value_of(outline: Outline, value: ast.expr) -> ast.expr:
    return (outline.only_value(value) if isinstance(value, ast.Name) else None) or value


def _registrations(repo: Repo) -> Iterator[tuple[Outline, ast.expr, ast.expr]]:
    """Where a reducer is registered: the file, what stands there for the class, and each value of that."""
    outlines = [outline for word in ("copyreg", "ForkingPickler") for outline in repo.mentioning(word)]
    for outline in dict.fromkeys(outlines):
        for node in outline.nodes:
            target = _reduced(outline, node)
            if target is not None:
                yield from ((outline, target, value) for value in _values(outline, target))


def _reduced(outline: Outline, node: ast.AST) -> ast.expr | None:
    """The class in `copyreg.pickle(Class, reducer)`, `copyreg.dispatch_table[Class] = reducer` and the like."""
    if isinstance(node, ast.Call) and qualified_name(outline, node.func) in names("registers_reducer"):
        return (
            node.args[0] if node.args else next((each.value for each in node.keywords if each.arg == "ob_type"), None)
        )
    if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
        return node.slice if qualified_name(outline, node.value) in names("reducer_table") else None
    return None


def _values(outline: Outline, node: ast.expr) -> list[ast.expr]:
    """The expression, or what the loop gives its variable: `for cls in (A, B): copyreg.pickle(cls, reducer)`."""
    if not isinstance(node, ast.Name):
        return [node]
    for above in outline.ancestors(node):
        for loop in (above, *getattr(above, "generators", ())):
            if isinstance(loop, _LOOPS) and getattr(loop.target, "id", "") == node.id:
                return list(getattr(loop.iter, "elts", [node]))
    return [node]


@asked
def _questions(project: Project) -> tuple[tuple[str, str, tuple[_Place, ...]], ...]:
    """Tests for state methods: the name, the place, and the classes that are asked, where that is known."""
    repo = Repo(project)
    found: dict[tuple[str, str, tuple[_Place, ...]], None] = {}
    storing = [outline for word in _STORES for outline in repo.mentioning(word)]
    for outline in dict.fromkeys(outline for word in _WRITTEN for outline in repo.mentioning(word)):
        for node in outline.nodes:
            for name, subject in _tests(outline, node):
                if name == "__setstate__" and outline in storing and _loads_as_pickle(outline, node, subject):
                    continue
                owners = _owners(repo, outline, subject)
                if owners is not None:
                    found[name, f"{outline.path}:{getattr(node, 'lineno', 0)}", owners] = None
    return tuple(found)


@asked
def _takes_state(project: Project) -> tuple[tuple[str, tuple[_Place, ...]], ...]:
    """Where a function that pickle does not ask takes `x.__getstate__`, and the classes of x, where they are known."""
    repo = Repo(project)
    found: dict[tuple[str, tuple[_Place, ...]], None] = {}
    for outline in repo.mentioning(_GET):
        for node in outline.attributes.get(_GET, ()):
            scope = outline.scope(node)
            if isinstance(node.ctx, ast.Load) and getattr(scope, "name", "") not in (*_WRITTEN, *_STORES):
                made = _value_of(outline, node.value)
                owners = _owners(repo, outline, made.func if isinstance(made, ast.Call) else node.value)
                if owners:
                    found[f"{outline.path}:{node.lineno}", owners] = None
    return tuple(found)


def _tests(outline: Outline, node: ast.AST) -> Iterator[tuple[str, ast.expr]]:
    """The names that `node` looks up, and in what."""
    looked: list[tuple[ast.expr, ast.expr]] = []
    if isinstance(node, ast.Compare):
        sides = [node.left, *node.comparators]
        for operator, left, right in zip(node.ops, sides, sides[1:], strict=False):
            if isinstance(operator, (ast.In, ast.NotIn)):
                looked.append((left, right))
        yield from ((each.attr, each.value) for each in sides if isinstance(each, ast.Attribute) and _is_new(each.attr))
    elif isinstance(node, ast.Call) and last_name(node.func) in names("looks_up") and len(node.args) > 1:
        looked.append((node.args[1], node.args[0]))
    elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr == "get" and node.args:
        looked.append((node.args[0], node.func.value))
    elif isinstance(node, ast.Subscript):
        looked.append((node.slice, node.value))
    for wanted, subject in looked:
        if isinstance(subject, (ast.Tuple, ast.List, ast.Set, ast.Constant, ast.Dict)):
            continue  # it asks what a name is
        if isinstance(node, ast.Subscript) and not isinstance(node.ctx, ast.Load):
            continue  # it sets what is there
        for each in _values(outline, wanted):
            if isinstance(each, ast.Constant) and isinstance(each.value, str) and _is_new(each.value):
                yield each.value, subject


def _loads_as_pickle(outline: Outline, node: ast.AST, asked_of: ast.expr) -> bool:
    """`node` asks for `__setstate__` to give it the state, or else puts that into the `__dict__`, as pickle does."""
    subject = ast.unparse(asked_of)
    statement = outline.statement(node)
    block: list[ast.AST] = getattr(outline.parents.get(statement), "body", [])
    if isinstance(statement, ast.Assign) and statement.value is node and statement in block:
        name = ast.unparse(statement.targets[0])
        following = block[block.index(statement) + 1 :][:1]
        tests, called = {name, f"callable({name})", f"{name} is not None"}, name
    else:
        following, tests, called = [statement], {ast.unparse(node)}, f"{subject}.__setstate__"
    branch = following[0] if following else None
    if not isinstance(branch, ast.If) or len(branch.body) != 1 or len(branch.orelse) != 1:
        return False
    gives, fills = ast.unparse(branch.body[0]), ast.unparse(branch.orelse[0])
    state = gives.removeprefix(f"{called}(").removesuffix(")")
    is_pickle = gives == f"{called}({state})" and fills == f"{subject}.__dict__.update({state})"
    return is_pickle and ast.unparse(branch.test) in tests


def _is_new(name: str) -> bool:
    return name in _WRITTEN


def _owners(repo: Repo, outline: Outline, subject: ast.expr) -> tuple[_Place, ...] | None:
    """The classes that are looked at: () where that may be any, None where it is none of the repository."""
    while True:
        if isinstance(subject, ast.Attribute) and subject.attr in ("__dict__", "__class__"):
            subject = subject.value
        elif isinstance(subject, ast.Call) and last_name(subject.func) in ("vars", "dir", "type") and subject.args:
            subject = subject.args[0]
        else:
            break
    is_super = isinstance(subject, ast.Call) and last_name(subject.func) == "super"
    if is_super or outline.is_self(subject):
        owner = outline.owner(subject)
        return ((outline.path, owner.lineno),) if owner is not None else ()
    classes = repo.resolver.classes(outline, subject) if isinstance(subject, (ast.Name, ast.Attribute)) else []
    if classes:
        return tuple((where.path, cls.lineno) for where, cls in classes)
    is_root = isinstance(subject, ast.Name) and subject.id == "object"  # which Python is it?
    return None if is_root or repo.resolver.is_foreign(outline, subject) else ()
