"""What a name means: the classes and functions of the repository that an expression stands for, and their bases.

A name is looked up in its scope, then followed through imports, re-exports, star imports and plain assignments.
`value_of` is for a name without a place: what it is once the file has been imported.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ..project import Project
from .modules import Modules
from .names import dotted, is_own_module, original_name, root_of_chain, written_bases
from .outline import Outline, ValueBinding, outline_of

Function = ast.FunctionDef | ast.AsyncFunctionDef
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)
_DEFINITIONS = (*FUNCTIONS, ast.ClassDef)
_MAX_REEXPORTS = 8  # followed for one name without a place
_MAX_STEPS = 60  # imports and assignments that are followed for one expression


class Class(NamedTuple):
    """A class of the repository, and the file it stands in. Nodes compare by identity."""

    outline: Outline
    node: ast.ClassDef


class Definition(NamedTuple):
    """A class or function of the repository, and the file it stands in."""

    outline: Outline
    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef


class FinalValue(NamedTuple):
    """What a name of the repository is in the end: a class, a function, or any other expression, and its file."""

    outline: Outline
    node: ast.ClassDef | ast.FunctionDef | ast.AsyncFunctionDef | ast.expr

    @property
    def path(self) -> str:
        """The file."""
        return self.outline.path


_Meaning = Definition | Outline | None  # an outline is a module; None is anything else
_Seen = set[tuple[object, str]]  # bindings and star imports that were followed already, with the name


class Resolver:
    """Answers for one project."""

    def __init__(self, project: Project, modules: Modules) -> None:
        self.project, self.modules = project, modules
        self._bases: dict[ast.ClassDef, list[Class]] = {}
        self._lineages: dict[ast.ClassDef, tuple[Class, ...]] = {}
        self._names: dict[ast.ClassDef, frozenset[str]] = {}
        self._tables: dict[tuple[Outline, str], tuple[Outline, ast.Dict] | None] = {}

    # expressions

    def definitions(self, outline: Outline, node: ast.expr) -> list[Definition]:
        """The classes and functions of the repository that `node` may stand for."""
        found = (meaning for meaning in self._meanings(outline, node, set()) if isinstance(meaning, Definition))
        return list(dict.fromkeys(found))

    def definition(self, outline: Outline, node: ast.expr) -> Definition | None:
        """The one class or function of the repository that `node` stands for, whatever runs before."""
        found = list(dict.fromkeys(self._meanings(outline, node, set())))
        return found[0] if len(found) == 1 and isinstance(found[0], Definition) else None

    def classes(self, outline: Outline, node: ast.expr) -> list[Class]:
        """The classes of the repository that `node` may stand for; `C` of `C[T]` and of the annotation `"C"`."""
        found = self.definitions(outline, node)
        return [Class(where, definition) for where, definition in found if isinstance(definition, ast.ClassDef)]

    def functions(self, outline: Outline, node: ast.expr) -> list[tuple[Outline, Function]]:
        """The functions of the repository that `node` may stand for; methods only of what is known to be a class."""
        found = self.definitions(outline, node)
        return [(where, definition) for where, definition in found if not isinstance(definition, ast.ClassDef)]

    def module(self, outline: Outline, node: ast.expr) -> Outline | None:
        """The file of the repository that the module `node` is."""
        found = list(dict.fromkeys(self._meanings(outline, node, set())))
        return found[0] if len(found) == 1 and isinstance(found[0], Outline) else None

    def is_foreign(self, outline: Outline, node: ast.expr) -> bool:
        """True for what is imported from outside the repository, and for attributes of it."""
        root = root_of_chain(node)
        bindings = outline.lookup(root, root.id)[1] if root is not None else []
        statements = [binding.statement for binding in bindings]
        return (
            root is not None
            and bool(statements)
            and all(self._imports_foreign(outline, statement, root.id) for statement in statements)
        )

    def _imports_foreign(self, outline: Outline, statement: ast.AST, name: str) -> bool:
        """What the statement imports under that name."""
        if isinstance(statement, ast.Import):
            among = (alias for alias in statement.names if name == (alias.asname or alias.name.partition(".")[0]))
            modules = [alias.name for alias in among]
        elif isinstance(statement, ast.ImportFrom) and not statement.level:
            module = statement.module or ""
            among = (alias for alias in statement.names if name == (alias.asname or alias.name))
            modules = [module, *(f"{module}.{alias.name}" for alias in among)]
        else:
            return False
        return all(self.modules.absolute(outline.path, module) is None for module in modules)

    def _meanings(self, outline: Outline, node: ast.expr, seen: _Seen) -> Iterator[_Meaning]:
        """All that `node` may mean where it stands."""
        if is_own_module(node):
            yield outline
            return
        while isinstance(node, (ast.Subscript, ast.Starred)):
            found = self._table(outline, node.value) if isinstance(node, ast.Subscript) else None
            if found is not None:
                if (found[1], "") not in seen:
                    seen.add((found[1], ""))
                    for value in found[1].values:
                        yield from self._meanings(found[0], value, seen)
                return
            node = node.value
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from self._quoted(outline, node.value, seen)
        elif isinstance(node, ast.Name):
            at_home = node not in outline.parents  # of a quoted annotation
            bindings = outline.bindings(outline.module, node.id) if at_home else outline.lookup(node, node.id)[1]
            if bindings:
                for binding in bindings:
                    yield from self._bound(outline, binding.statement, binding.value, node.id, seen)
            else:
                yield self._by_star(outline, node.id, seen)
        elif isinstance(node, ast.Attribute):
            yield from self._attribute(outline, node, seen)
        else:
            yield None

    def _table(self, outline: Outline, node: ast.expr) -> tuple[Outline, ast.Dict] | None:
        """The dict at module level that `node` names, in whichever file it is written: `DATASETS[name]`."""
        if not isinstance(node, ast.Name):
            return None
        key = outline, node.id
        if key not in self._tables:  # most subscripts are types
            found = self.first_binding(outline, node.id)
            value = found[2].value if found is not None else None
            self._tables[key] = (found[0], value) if found is not None and isinstance(value, ast.Dict) else None
        table = self._tables[key]
        if table is None or node not in outline.parents:
            return None
        return table if isinstance(outline.lookup(node, node.id)[0], ast.Module) else None

    def _quoted(self, outline: Outline, text: str, seen: _Seen) -> Iterator[_Meaning]:
        try:
            inner = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError):
            yield None
            return
        yield from self._meanings(outline, inner, seen)

    def _bound(
        self, outline: Outline, statement: ast.AST, value: ast.expr | None, name: str, seen: _Seen
    ) -> Iterator[_Meaning]:
        """What one binding of `name` makes of it; nothing where that was followed already."""
        if (statement, name) in seen:
            return
        seen.add((statement, name))
        if len(seen) > _MAX_STEPS:
            yield None
        elif isinstance(statement, _DEFINITIONS):
            yield Definition(outline, statement) if statement.name == name else None  # else a parameter
        elif isinstance(statement, ast.ImportFrom):
            yield from self._imported(outline, statement, name, seen)
        elif isinstance(statement, ast.Import):
            alias = next((alias for alias in statement.names if alias.asname == name), None)
            # `import a.b` binds `a`; what is read of it is found by its whole path
            yield self._file(outline, 0, alias.name if alias is not None else name)
        elif isinstance(statement, (ast.Assign, ast.AnnAssign)) and (
            isinstance(value, (ast.Name, ast.Attribute)) or is_own_module(value)
        ):
            assert value is not None
            yield from self._meanings(outline, value, seen)
        else:
            yield None

    def _attribute(self, outline: Outline, node: ast.Attribute, seen: _Seen) -> Iterator[_Meaning]:
        path = self._imported_path(outline, node)
        if path is not None:
            yield path
            return
        for base in self._meanings(outline, node.value, seen):
            if isinstance(base, Outline):
                yield from self._member(base, node.attr, seen)
            elif base is not None and isinstance(base.node, ast.ClassDef):
                inner = [part for part in base.node.body if isinstance(part, _DEFINITIONS) and part.name == node.attr]
                yield Definition(base.outline, inner[-1]) if inner else None
            else:
                yield None

    def _imported_path(self, outline: Outline, node: ast.Attribute) -> Outline | None:
        """The module `a.b` where `import a.b` binds `a`, and `a` alone is no module of the repository."""
        root, path = root_of_chain(node), dotted(node)
        if root is None:
            return None
        imports = (binding.statement for binding in outline.bindings(outline.module, root.id))
        names = {alias.name for statement in imports if isinstance(statement, ast.Import) for alias in statement.names}
        if not any(name == path or name.startswith(f"{path}.") for name in names):
            return None
        return self._file(outline, 0, path)

    # modules

    def _file(self, outline: Outline, level: int, module: str) -> Outline | None:
        """The file that `import module` (or `from <level dots>module`) in `outline` names."""
        if level:
            path = self.modules.relative(outline.path, level, module)
        else:
            path = self.modules.absolute(outline.path, module)
        return outline_of(self.project, path) if path else None

    def _imported(self, outline: Outline, statement: ast.ImportFrom, name: str, seen: _Seen) -> Iterator[_Meaning]:
        """What `from module import original as name` binds."""
        original = original_name(statement, name)
        if not original:
            yield None
            return
        module = statement.module or ""
        other = self._file(outline, statement.level, module) if module or statement.level else None
        if other is not None and other is not outline and other.bindings(other.module, original):
            yield from self._member(other, original, seen)
            return
        inner = self._file(outline, statement.level, f"{module}.{original}" if module else original)
        if inner is not None or other is None:
            yield inner
            return
        if not statement.level and (other is outline or not other.star_imports):
            namesake = self._namesake(outline, module, original)
            if namesake is not None:
                yield from self._member(namesake, original, seen)
                return
        yield self._by_star(other, original, seen) if other is not outline else None

    def _namesake(self, outline: Outline, module: str, name: str) -> Outline | None:
        """The file of this name in a folder above that binds `name`, where the nearest does not."""
        for path in self.modules.namesakes(outline.path, module):
            found = outline_of(self.project, path) if path != outline.path else None
            if found is not None and found.bindings(found.module, name):
                return found
        return None

    def _member(self, module: Outline, name: str, seen: _Seen) -> Iterator[_Meaning]:
        """What `name` means at the top level of a module."""
        bindings = module.bindings(module.module, name)
        for binding in bindings:
            yield from self._bound(module, binding.statement, binding.value, name, seen)
        if not bindings:
            inner = self._file(module, 1, name) if module.path.endswith("__init__.py") else None
            yield inner if inner is not None else self._by_star(module, name, seen)

    def _by_star(self, outline: Outline, name: str, seen: _Seen) -> Definition | None:
        """What `from ... import *` binds `name` to: the last module of the repository that defines it."""
        if (outline, name) in seen or len(seen) > _MAX_STEPS:
            return None
        seen.add((outline, name))
        for statement in reversed(outline.star_imports):
            other = self.star_source(outline, statement)
            bound = other is not None and other.bindings(other.module, name)
            if other is not None and bound:
                found = [*self._member(other, name, seen)]
                return found[0] if len(found) == 1 and isinstance(found[0], Definition) else None
            inner = self._by_star(other, name, seen) if other is not None else None
            if inner is not None:
                return inner
        return None

    def star_source(self, outline: Outline, statement: ast.ImportFrom) -> Outline | None:
        """The file of the repository that `from ... import *` names."""
        found = self._file(outline, statement.level, statement.module or "")
        return found if found is not outline else None

    def first_binding(self, outline: Outline, name: str) -> tuple[Outline, str, ValueBinding] | None:
        """Where the object of a module's `name` comes from: `cfg = __C` and imports of the repository are followed,
        those by `import *` too.

        None where a name on the way has several bindings.
        """
        return self._first(outline, name, outline.bindings(outline.module, name))

    def _first(
        self, outline: Outline, name: str, bindings: Sequence[ValueBinding]
    ) -> tuple[Outline, str, ValueBinding] | None:
        for _ in range(_MAX_REEXPORTS):
            if not bindings and outline.star_imports and not name.startswith("_"):
                home = self.home_of(outline, name)
                outline, name = home if home is not None else (outline, name)
                bindings = outline.bindings(outline.module, name)
            if len(bindings) != 1:
                return None
            statement, value = bindings[0].statement, bindings[0].value
            if isinstance(statement, ast.ImportFrom):
                name = original_name(statement, name)
                other = self.star_source(outline, statement)
                if other is None:
                    return None
                outline = other
            elif isinstance(value, ast.Name):
                name = value.id
            else:
                return outline, name, bindings[0]
            bindings = outline.bindings(outline.module, name)
        return None

    def imported_by_star(self, outline: Outline, name: str) -> str:
        """The dotted origin of what `from ... import *` brings from a module that itself imports it; "" for none."""
        todo, seen = [outline], {outline}
        for at in todo:  # grows as it goes
            if at is not outline and (origin := at.imported.get(name)):
                return origin
            others = (self.star_source(at, statement) for statement in reversed(at.star_imports))
            new = [other for other in others if other is not None and other not in seen]
            seen.update(new)
            todo += new
        return ""

    def home_of(self, outline: Outline, name: str) -> tuple[Outline, str] | None:
        """The file of the repository that binds a module's `name`, and what it is called there.

        Imports are followed, those by `import *` too.
        """
        for _ in range(_MAX_REEXPORTS):
            bindings = outline.bindings(outline.module, name)
            statements = [binding.statement for binding in bindings] or [*reversed(outline.star_imports)]
            if bindings and (len(bindings) > 1 or not isinstance(statements[0], ast.ImportFrom)):
                return outline, name
            known = name
            for statement in statements:
                if not isinstance(statement, ast.ImportFrom) or (other := self.star_source(outline, statement)) is None:
                    continue
                if bindings:
                    known = original_name(statement, name) or name
                if other.bindings(other.module, known) or other.star_imports:
                    break
            else:
                return None
            outline, name = other, known
        return None

    def bound_by(self, outline: Outline, node: ast.Name | ast.Attribute) -> tuple[Outline, str, ValueBinding] | None:
        """The same of a module's name, or `name` of another: `other.name`."""
        if isinstance(node, ast.Attribute):
            imported = isinstance(node.value, ast.Name) and node.value.id in outline.imported
            module = self.module(outline, node.value) if imported else None
            return self.first_binding(module, node.attr) if module is not None else None
        scope, bound = outline.lookup(node, node.id)
        if isinstance(scope, ast.Module):
            return self.first_binding(outline, node.id)
        imported = len(bound) == 1 and isinstance(bound[0].statement, ast.ImportFrom)
        return self._first(outline, node.id, bound) if imported else None

    # names without a place

    def value_of(self, outline: Outline, name: str, depth: int = 0) -> FinalValue | str:
        """What the dotted `name` is once the file has been imported; its dotted origin where that is foreign.

        What the file itself defines counts before an import, and any import of the file counts. Attributes of classes
        are not followed.
        """
        if depth > _MAX_REEXPORTS:
            return name
        first, _, rest = name.partition(".")
        own = outline.defined(first)
        if own is not None and not rest:
            alias = dotted(own)
            if alias and alias != name:
                return self.value_of(outline, alias, depth + 1)
            return FinalValue(outline, own)  # type: ignore[arg-type]
        statement, alias_node = outline.import_of.get(first, (None, None))
        if isinstance(statement, ast.ImportFrom) and alias_node is not None:
            wanted = ".".join(filter(None, [alias_node.name, rest]))
            found = self._value_in(outline, statement.level, statement.module or "", wanted, depth)
            return outline.qualified(name) if found is None else found
        if alias_node is not None:
            module = alias_node.name if alias_node.asname else first
            found = self._value_in(outline, 0, module, rest, depth) if rest else None
            return outline.qualified(name) if found is None else found
        for star in outline.imports:
            if isinstance(star, ast.ImportFrom) and star.names[0].name == "*":
                found = self._value_in(outline, star.level, star.module or "", name, depth)
                if found is not None:
                    return found
        return name

    def _value_in(self, outline: Outline, level: int, module: str, wanted: str, depth: int) -> FinalValue | str | None:
        """`wanted` of a module, the longest path of a module tried first; None outside the repository."""
        parts = wanted.split(".")
        for cut in range(len(parts) - 1, -1, -1):
            other = self._file(outline, level, ".".join(filter(None, [module, *parts[:cut]])))
            if other is not None and other is not outline:
                name = ".".join(parts[cut:])
                found = self.value_of(other, name, depth + 1)
                if not isinstance(found, str) or found != name:
                    return found
        return None

    # classes

    def bases(self, cls: Class) -> list[Class]:
        """The classes of the repository that `cls` may derive from directly."""
        known = self._bases.get(cls.node)
        if known is None:
            found = (base for written in written_bases(cls.node) for base in self.classes(cls.outline, written))
            known = self._bases[cls.node] = [base for base in found if base.node is not cls.node]
        return known

    def lineage(self, cls: Class) -> tuple[Class, ...]:
        """The class and all its bases in the repository, nearest first, each once."""
        known = self._lineages.get(cls.node)
        if known is None:
            found: dict[ast.ClassDef, Class] = {}
            todo = [cls]
            while todo:
                at = todo.pop(0)
                if at.node not in found:
                    found[at.node] = at
                    todo = [*self.bases(at), *todo]
            known = self._lineages[cls.node] = tuple(found.values())
        return known

    def base_names(self, cls: Class) -> frozenset[str]:
        """Last names of the class and of all its bases, also of those outside the repository."""
        known = self._names.get(cls.node)
        if known is None:
            lineage = self.lineage(cls)
            outside = {at.outline.home_name(base) for at in lineage for base in written_bases(at.node)}
            known = self._names[cls.node] = frozenset({*(at.node.name for at in lineage), *outside} - {""})
        return known

    def related(self, one: Class, other: Class) -> bool:
        """One class is the other, or derives from it."""
        return self._derives(one, other) or self._derives(other, one)

    def may_be_related(self, one: Class, other: Class) -> bool:
        """As `related`; also where a base that can't be followed has the name of the other class."""
        return (
            self.related(one, other) or other.node.name in self._unknown(one) or one.node.name in self._unknown(other)
        )

    def _derives(self, one: Class, other: Class) -> bool:
        return any(at.node is other.node for at in self.lineage(one))

    def _unknown(self, cls: Class) -> set[str]:
        """Last names of the bases that are no classes of the repository, as far as can be seen."""
        bases = ((at.outline, base) for at in self.lineage(cls) for base in written_bases(at.node))
        return {outline.home_name(base) for outline, base in bases if not self.classes(outline, base)}


def method(owner: ast.ClassDef, name: str) -> Function | None:
    """The method called `name` of the class statement itself."""
    return next((part for part in owner.body if isinstance(part, FUNCTIONS) and part.name == name), None)
