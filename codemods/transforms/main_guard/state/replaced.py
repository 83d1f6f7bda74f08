"""Functions, methods and names of libraries that only the main process replaces, and that workers use.

`module.function = wrapper`, `Class.method = faster`, `json.dumps = partial(...)`, `mock.patch("module.function")`, in a
function of the main process: a spawned worker imports the originals.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterator

from ....flow.facts.records import facts_lookup
from ....project import Project
from ....questions import asked
from ....syntax.names import whose_class
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.resolver import FUNCTIONS, Class
from ..set_by_text import set_in_project
from .changed_settings import Place, Search
from .function_attributes import with_value
from .patching import names_patched, patched_by, put_back
from .process_state import WHERE, ChangedState, inherits, made_before, place_of
from .process_state_table import states
from .worker_functions import Worker

_STORE = re.compile(r"\.(?<!\bself\.)(\w+)[ \t]*=(?!=)")
_BEFORE_STORE = re.compile(r"[ \t]+(?:for[^\n:]*:[ \t]*)?(?!self\b)([A-Za-z_]\w*)(?:\.\w+)*")
_LOOPS = re.compile(r"for(?<!\wfor)[ \t]+(\w+)[ \t]+in\b")
_ALIASES = re.compile(r"^[ \t]+(\w+)[ \t]*=[ \t]*(\w+)(?:\.\w+)*[ \t]*$", re.MULTILINE)
_TEXT_GIVEN = r"\(\s*[^\n]*?['\"](?:[\w.]*\.)?(\w+)['\"]"
_BY_TEXT = (
    ("setattr(", re.compile(rf"setattr(?<!\wsetattr){_TEXT_GIVEN}")),
    ("patch", re.compile(rf"patch(?<!\wpatch)(?:\.object)?{_TEXT_GIVEN}")),
)
_IN_VARIABLES = re.compile(r"(?:\b__dict__|\bvars\([^()\n]*\))\s*\[\s*['\"](\w+)['\"]\s*\]\s*=(?!=)")
_PATCH, _PATCH_OBJECT = ("unittest.mock.patch", "mock.patch"), ("unittest.mock.patch.object", "mock.patch.object")
_PASSED_ON = frozenset(("sys.argv", "sys.path", "os.environ"))  # a spawned child gets them from its parent
_SETTERS = ("setattr", "patch", "object")
_ASKS = ("hasattr", "getattr")
_BY_CALL = ("__defaults__", "__kwdefaults__", "__code__")  # what a call of a function depends on
_Target = tuple[Hashable, str]  # a module's path, a class or function, or "" for a library; the name


@asked
def replaced_names(project: Project, path: str) -> tuple[str, ...]:
    """The attributes that code of the file, indented, sets on what it imports or defines."""
    source = project.source(path)
    if source is None:
        return ()
    found = set(_stores(source.text))
    by_text = {name for word, sets in _BY_TEXT if word in source.text for name in sets.findall(source.text)}
    facts = facts_lookup(project)(path) if found else None
    if facts is not None:
        fixed = {node for node, *_ in facts.imports} | {*facts.class_nodes, *facts.function_nodes}
        roots = {name for name, node in facts.module_names.items() if node in fixed}
        imported = {part for _, module, _, name in facts.imports for part in (name, module.partition(".")[0])}
        roots |= imported | set(_LOOPS.findall(source.text))  # `for cls in (A, B): cls.step = faster`
        if any(root not in roots for root, _ in found):
            roots |= {name for name, of in _ALIASES.findall(source.text) if of in roots}  # `cls = A`
        found = {(root, name) for root, name in found if root in roots}
    in_variables = (
        set(_IN_VARIABLES.findall(source.text)) if "__dict__" in source.text or "vars(" in source.text else set()
    )
    by_calls = names_patched(project, path, source.text)
    return tuple(sorted({name for _, name in found} | by_text | in_variables | by_calls))


def _stores(text: str) -> Iterator[tuple[str, str]]:
    """`cls` and `step` of each `cls.step = ...`, `cls.inner.step = ...` that is indented and begins its line."""
    for match in _STORE.finditer(text):
        start = text.rfind("\n", 0, match.start()) + 1
        before = _BEFORE_STORE.fullmatch(text, start, match.start()) if start else None  # the first line has no indent
        if before is not None:
            yield before[1], match[1]


def replaced(search: Search) -> Iterator[ChangedState]:
    """One per name that is replaced and script, at the first place where a worker uses it."""
    readers: dict[_Target, list[tuple[Place, Worker]]] = {}
    for worker in search.workers.values():
        sent = inherits(search, worker)
        for target, node in (*_uses(search, worker), *_itself(search, worker)) if sent is not None else ():
            assert sent is not None
            readers.setdefault(target, []).append((Place(worker.outline, node, ""), sent))
    for target, places in readers.items():
        changes = list(_changes(search, target))
        undone = {each for change in changes for each in put_back(search.starts, change, changes)}
        changes = [change for change in changes if change not in undone]
        for change, changed in made_before(search, changes, places):
            depends = f"what {place_of(change)} sets in the main process only: a spawned worker has the original"
            yield ChangedState(depends, f"replace it in the worker too: {WHERE}", changed)


# what workers use


def _uses(search: Search, worker: Worker) -> Iterator[tuple[_Target, ast.expr]]:
    """What the function uses of modules, classes and libraries, where some file sets an attribute of that name."""
    outline, project = worker.outline, search.starts.project
    by_call = [name for name in _BY_CALL if project.with_key(replaced_names, name)]
    for node in worker.nodes:
        if by_call and isinstance(node, ast.Call):
            found = search.callees.resolver.definition(outline, node.func)
            if found is not None and isinstance(found.node, FUNCTIONS):
                yield from (((found.node, name), node.func) for name in by_call)
        if isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Load):
            if project.with_key(replaced_names, node.attr):
                yield from ((target, node) for target in _of_attribute(search, outline, node.value, node.attr))
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load):
            if project.with_key(replaced_names, node.id):
                scope, bindings = outline.lookup(node, node.id)
                if not bindings:
                    yield ("", f"builtins.{node.id}"), node
                elif isinstance(scope, ast.Module) and all(isinstance(each.statement, FUNCTIONS) for each in bindings):
                    yield (outline.path, node.id), node
        elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in _ASKS:
            name = node.args[1].value if len(node.args) > 1 and isinstance(node.args[1], ast.Constant) else None
            if isinstance(name, str) and project.with_key(replaced_names, name):
                yield from ((target, node) for target in _of_attribute(search, outline, node.args[0], name))


def _itself(search: Search, worker: Worker) -> Iterator[tuple[_Target, ast.expr]]:
    """The method that the worker runs, where some file sets an attribute of that name."""
    outline, function = worker.outline, worker.function
    owner = outline.parents.get(function)
    if isinstance(owner, ast.ClassDef) and search.starts.project.with_key(replaced_names, function.name):
        place = ast.copy_location(ast.Name(function.name, ast.Load()), function)
        place.col_offset += len("def ") if isinstance(function, ast.FunctionDef) else len("async def ")
        place.end_lineno, place.end_col_offset = place.lineno, place.col_offset + len(function.name)
        yield (owner, function.name), place


def _of_attribute(search: Search, outline: Outline, value: ast.expr, name: str) -> Iterator[_Target]:
    """What `value.name` may be, as far as it has a place of its own in the program."""
    resolver = search.callees.resolver
    if (home := resolver.module(outline, value)) is not None:
        bindings = home.bindings(home.module, name)
        if not bindings or all(isinstance(each.statement, (*FUNCTIONS, ast.ClassDef)) for each in bindings):
            yield home.path, name
        return
    if resolver.is_foreign(outline, value):
        yield "", f"{qualified_name(outline, value)}.{name}"
        return
    found = resolver.definition(outline, value)
    if found is not None and isinstance(found.node, FUNCTIONS):
        if with_value(resolver, outline, value, name) is None:  # else `parent_state.py` looks at it
            yield found.node, name
        return
    made = [Class(found.outline, found.node)] if found is not None and isinstance(found.node, ast.ClassDef) else []
    for cls in made or search.callees.classes_of(outline, value):
        lineage = list(resolver.lineage(cls))
        if not any(_sets_for_itself(at, name) for at in lineage):
            yield from ((at.node, name) for at in lineage)


def _sets_for_itself(cls: Class, name: str) -> bool:
    """The class gives the name a plain value, or its objects do: `parent_state.py` looks at the first."""
    for statement in cls.node.body:
        targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
        if any(isinstance(target, ast.Name) and target.id == name for target in targets):
            return True
    return any(
        not isinstance(node.ctx, ast.Load) and cls.outline.is_self(node.value) and cls.outline.owner(node) is cls.node
        for node in cls.outline.attributes.get(name, ())
    )


# what replaces it


def _changes(search: Search, target: _Target) -> Iterator[Place]:
    home, dotted = target
    name = dotted.rpartition(".")[2]
    if home == "" and (dotted in _PASSED_ON or any(dotted in state.sets for state in states())):
        return
    for path in search.starts.project.with_key(replaced_names, name):
        outline = search.repo.outline(path)
        for node in outline.attributes.get(name, ()) if outline is not None else ():
            assert outline is not None
            if isinstance(node.ctx, ast.Store) and _is(search, outline, node.value, target):
                yield Place(outline, node, "")
        for call in (call for each in _SETTERS for call in outline.calls_of(each)) if outline is not None else ():
            assert outline is not None
            if _patches(search, outline, call, target):
                yield Place(outline, call, "")
        patched = patched_by(search.starts.project, search.callees, outline) if outline is not None else ()
        for call, value, given in patched:
            assert outline is not None
            if given == name and _is(search, outline, value, target):
                yield Place(outline, call, "")
    module = search.repo.outline(home) if isinstance(home, str) and home else None
    for where, variable in search.starts.project.derive(set_in_project).get((module, name), ()) if module else ():
        if isinstance(variable, ast.Subscript):  # the others are calls of `setattr`, see above
            yield Place(where, variable, "")


def _is(search: Search, outline: Outline, value: ast.expr, target: _Target) -> bool:
    """An attribute of `value` with the target's name is the target."""
    home, dotted = target
    resolver = search.callees.resolver
    if isinstance(value, ast.Name) and isinstance(known := outline.only_value(value), (ast.Name, ast.Attribute)):
        value = known
    if home == "":
        return resolver.is_foreign(outline, value) and qualified_name(outline, value) == dotted.rpartition(".")[0]
    if isinstance(home, str):
        module = resolver.module(outline, value)
        return module is not None and module.path == home
    found = resolver.definition(outline, value)
    if found is not None:
        return found.node is home
    return isinstance(home, ast.ClassDef) and any(cls.node is home for cls in _classes(search, outline, value))


def _classes(search: Search, outline: Outline, value: ast.expr) -> Iterator[Class]:
    """The classes that a loop goes over, `for cls in (A, B)`, and those of objects: `type(x)`, `x.__class__`."""
    if (of := whose_class(value)) is not None:
        if isinstance(of, ast.Name):
            for each in _gone_over(outline, of):
                yield from search.callees.classes_of(outline, each)
        yield from search.callees.classes_of(outline, of)
    elif isinstance(value, ast.Name):
        for each in _gone_over(outline, value):
            yield from search.callees.resolver.classes(outline, each)


def _gone_over(outline: Outline, name: ast.Name) -> Iterator[ast.expr]:
    """The elements of the list, written here or above, over which a loop takes the name."""
    for binding in outline.lookup(name, name.id)[1]:
        loop = binding.statement
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) and loop.target.id == name.id:
            rows = outline.only_value(loop.iter) if isinstance(loop.iter, ast.Name) else loop.iter
            yield from rows.elts if isinstance(rows, (ast.Tuple, ast.List, ast.Set)) else ()


def _patches(search: Search, outline: Outline, call: ast.Call, target: _Target) -> bool:
    """`patch("module.name")`, `patch.object(module, "name")`, `setattr(module, "name", value)`."""
    name = qualified_name(outline, call.func)
    texts = [each.value for each in call.args[:2] if isinstance(each, ast.Constant) and isinstance(each.value, str)]
    if not texts:
        return False
    if name in _PATCH:
        of, _, last = texts[0].rpartition(".")
        home = target[0]
        if home == "":
            return texts[0] == target[1]
        if isinstance(home, str):
            module = home.removesuffix(".py").removesuffix("/__init__").replace("/", ".")
            return last == target[1] and (module == of or module.endswith(f".{of}"))
        return last == target[1] and getattr(home, "name", None) == of.rpartition(".")[2]
    by_text = name in _PATCH_OBJECT or name == "setattr"
    return by_text and texts[0] == target[1].rpartition(".")[2] and _is(search, outline, call.args[0], target)
