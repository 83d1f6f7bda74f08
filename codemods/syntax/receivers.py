"""What kind of object `.keys()`, `.values()` or `.items()` is called on, as far as the source shows it."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterable

from .names import last_name
from .outline import Outline
from .repo import Repo
from .resolver import Class


class ReceiverKind(enum.Enum):
    """What is known of a receiver."""

    DICT = "dict"  # the method gives a live view
    ORDERED = "OrderedDict"
    H5 = "h5py"  # the view holds the open file
    OTHER = "other"  # the method gives something that is no view
    UNKNOWN = "unknown"


VIEW_METHODS = frozenset(("keys", "values", "items"))
_DICTS = frozenset(
    ("dict", "Dict", "Mapping", "MutableMapping", "defaultdict", "DefaultDict", "Counter", "ChainMap", "UserDict")
)
_OWN_VIEWS = frozenset(  # what is derived from these has the views of `collections.abc`, which pickle with the mapping
    ("collections.abc.Mapping", "collections.abc.MutableMapping", "collections.UserDict", "collections.ChainMap",
     "collections.Mapping", "collections.MutableMapping", "typing.Mapping", "typing.MutableMapping")
)  # fmt: skip
_ORDERED = frozenset(("OrderedDict",))
_OTHER = frozenset(("DataFrame", "Series", "GroupBy", "Tensor", "KeyedJaggedTensor", "JaggedTensor", "Message"))
_H5 = frozenset(("h5py.File", "h5py.Group"))
_FRESH = frozenset(
    ("json.load", "json.loads", "yaml.load", "yaml.safe_load", "toml.load", "tomllib.load", "vars", "globals", "locals")
)
_WRAPPERS = frozenset(("Optional", "Union", "Final", "ClassVar", "Annotated"))
_DEPTH = 5


def qualified_name(outline: Outline, node: ast.expr) -> str:
    """`pd.read_csv` as "pandas.read_csv" in a file that says `import pandas as pd`; "" for what is no dotted name."""
    tail: list[str] = []
    while isinstance(node, ast.Attribute):
        tail.append(node.attr)
        node = node.value
    if not isinstance(node, ast.Name):
        return ""
    return ".".join([outline.origin_of(node), *reversed(tail)])


def imports_any(outline: Outline, packages: Iterable[str]) -> bool:
    """The file imports one of `packages`."""
    roots = {origin.split(".")[0] for origin in outline.imported.values()}
    return not roots.isdisjoint(packages)


class Receivers:
    """Answers `kind` for one run of a rule."""

    def __init__(self, repo: Repo) -> None:
        self.repo = repo

    def kind(self, outline: Outline, node: ast.expr, method: str, depth: int = 0) -> ReceiverKind:
        """The kind of the value of `node` as the receiver of `.method()`."""
        if depth > _DEPTH:
            return ReceiverKind.UNKNOWN
        if isinstance(node, (ast.Dict, ast.DictComp)):
            return ReceiverKind.DICT
        if isinstance(node, (ast.List, ast.ListComp, ast.Set, ast.SetComp, ast.Tuple, ast.Constant)):
            return ReceiverKind.OTHER
        if isinstance(node, ast.NamedExpr):
            return self.kind(outline, node.value, method, depth)
        if isinstance(node, ast.IfExp):
            return self._agree(outline, [node.body, node.orelse], method, depth)
        if isinstance(node, ast.BoolOp):
            return self._agree(outline, node.values, method, depth)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._agree(outline, [node.left, node.right], method, depth)
        if isinstance(node, ast.Call):
            return self._call(outline, node, method, depth)
        if isinstance(node, ast.Name):
            return self._name(outline, node, method, depth)
        if isinstance(node, ast.Attribute):
            if node.attr == "__dict__":
                return ReceiverKind.DICT
            return self._attribute(outline, node, method, depth)
        if isinstance(node, ast.Subscript):
            known = self.kind(outline, node.value, method, depth + 1)
            return ReceiverKind.H5 if known is ReceiverKind.H5 else ReceiverKind.UNKNOWN
        return ReceiverKind.UNKNOWN

    def _agree(self, outline: Outline, nodes: Iterable[ast.expr], method: str, depth: int) -> ReceiverKind:
        return combine(self.kind(outline, node, method, depth + 1) for node in nodes)

    def _call(self, outline: Outline, node: ast.Call, method: str, depth: int) -> ReceiverKind:
        name = qualified_name(outline, node.func)
        last = last_name(node.func)
        if classes := self.repo.resolver.classes(outline, node.func):
            return combine(self._class(cls, method, depth) for cls in classes)
        if name in _H5:
            return ReceiverKind.H5
        if name in _OWN_VIEWS:
            return ReceiverKind.OTHER
        if last in _ORDERED:
            return ReceiverKind.ORDERED
        if last in _DICTS or name in _FRESH:
            return ReceiverKind.DICT
        if (
            name.split(".")[0] in ("pandas", "polars")
            or name.startswith("torch.sparse")
            or last in ("coalesce", "to_sparse")
        ):
            return ReceiverKind.OTHER
        if isinstance(node.func, ast.Attribute):
            if last == "state_dict":
                return ReceiverKind.DICT
            if last == "copy":
                return self.kind(outline, node.func.value, method, depth + 1)
        if isinstance(node.func, ast.Name) and node.func.id == "super":
            owner = outline.owner(node)
            return ReceiverKind.UNKNOWN if owner is None else self._bases(Class(outline, owner), method, depth)
        if last in VIEW_METHODS | {"get", "pop"}:
            return ReceiverKind.UNKNOWN
        functions = self.repo.called(outline, node.func)
        if not 0 < len(functions) <= 4:
            return ReceiverKind.UNKNOWN
        return combine(self._returned(where, found, method, depth) for where, found in functions)

    def _returned(
        self, outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef, method: str, depth: int
    ) -> ReceiverKind:
        if (
            function.returns is not None
            and (known := self._annotation(outline, function.returns, method, depth)) is not ReceiverKind.UNKNOWN
        ):
            return known
        values = [
            node.value for node in outline.own(function) if isinstance(node, ast.Return) and node.value is not None
        ]
        return self._agree(outline, values, method, depth) if values else ReceiverKind.UNKNOWN

    def _name(self, outline: Outline, node: ast.Name, method: str, depth: int) -> ReceiverKind:
        if outline.is_self(node):
            owner = outline.owner(node)
            return ReceiverKind.UNKNOWN if owner is None else self._class(Class(outline, owner), method, depth)
        scope, bindings = outline.lookup(node, node.id)
        kinds: list[ReceiverKind] = []
        for binding in bindings:
            statement = binding.statement
            if binding.parameter and not isinstance(scope, ast.Module):
                args = scope.args
                for arg in [*args.posonlyargs, *args.args, *args.kwonlyargs]:
                    if arg.arg == node.id:
                        kinds.append(self._annotation(outline, arg.annotation, method, depth))
                if args.kwarg is not None and args.kwarg.arg == node.id:
                    kinds.append(ReceiverKind.DICT)
            elif isinstance(statement, ast.AnnAssign):
                known = self._annotation(outline, statement.annotation, method, depth)
                if known is ReceiverKind.UNKNOWN and statement.value is not None:
                    known = self.kind(outline, statement.value, method, depth + 1)
                kinds.append(known)
            elif binding.value is not None:
                kinds.append(self.kind(outline, binding.value, method, depth + 1))
            else:
                kinds.append(ReceiverKind.UNKNOWN)
        return combine(kinds)

    def _attribute(self, outline: Outline, node: ast.Attribute, method: str, depth: int) -> ReceiverKind:
        kinds: list[ReceiverKind] = []
        for cls in self.instance_of(outline, node.value, depth):
            kinds.extend(self._stored(cls, node.attr, method, depth))
        return combine(kinds)

    def _stored(self, cls: Class, name: str, method: str, depth: int) -> list[ReceiverKind]:
        """The kinds of all that the class (or a base in the project) stores as `name`."""
        outline, owner = cls
        found: list[ReceiverKind] = []
        for node in ast.walk(owner):
            if isinstance(node, ast.AnnAssign):
                mine = isinstance(node.target, ast.Name) and node.target.id == name and outline.parents[node] is owner
                if mine or (isinstance(node.target, ast.Attribute) and node.target.attr == name):
                    known = self._annotation(outline, node.annotation, method, depth)
                    if known is ReceiverKind.UNKNOWN and node.value is not None:
                        known = self.kind(outline, node.value, method, depth + 1)
                    found.append(known)
            elif isinstance(node, ast.Assign):
                for target in node.targets:
                    if isinstance(target, ast.Attribute) and target.attr == name and outline.is_self(target.value):
                        found.append(self.kind(outline, node.value, method, depth + 1))
            elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == name:
                found.append(self._returned(outline, node, method, depth + 1))
        if not found and depth < _DEPTH:
            for base in self.repo.resolver.bases(cls):
                found.extend(self._stored(base, name, method, depth + 1))
        return found

    def instance_of(self, outline: Outline, node: ast.expr, depth: int = 0) -> list[Class]:
        """The project's classes that `node` is an instance of, where the source shows it."""
        if depth > _DEPTH:
            return []
        if isinstance(node, ast.Call):
            return self.repo.resolver.classes(outline, node.func)
        if isinstance(node, ast.Name):
            if outline.is_self(node):
                owner = outline.owner(node)
                return [] if owner is None else [Class(outline, owner)]
            scope, bindings = outline.lookup(node, node.id)
            found: list[Class] = []
            for binding in bindings:
                if binding.parameter and not isinstance(scope, ast.Module):
                    for arg in [*scope.args.posonlyargs, *scope.args.args, *scope.args.kwonlyargs]:
                        if arg.arg == node.id and arg.annotation is not None:
                            found.extend(self.repo.resolver.classes(outline, arg.annotation))
                elif binding.value is not None:
                    found.extend(self.instance_of(outline, binding.value, depth + 1))
            return found
        if isinstance(node, ast.Attribute):
            found = []
            for where, owner in self.instance_of(outline, node.value, depth + 1):
                for part in ast.walk(owner):
                    if isinstance(part, ast.Assign) and any(
                        isinstance(target, ast.Attribute) and target.attr == node.attr and where.is_self(target.value)
                        for target in part.targets
                    ):
                        found.extend(self.instance_of(where, part.value, depth + 1))
            return found
        return []

    def _class(self, cls: Class, method: str, depth: int) -> ReceiverKind:
        for node in cls.node.body:
            if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.name == method:
                return _gives(cls.outline, node)
        return self._bases(cls, method, depth)

    def method_at(self, path: str, line: int) -> ReceiverKind:
        """DICT where the function that begins at `line` gives views, else OTHER."""
        for outline, node in self.repo.defined_at(path, line):
            if not isinstance(node, ast.ClassDef):
                return _gives(outline, node)
        return ReceiverKind.OTHER

    def _bases(self, cls: Class, method: str, depth: int) -> ReceiverKind:
        kinds: list[ReceiverKind] = []
        for base in cls.node.bases:
            last = cls.outline.home_name(base)
            own = [found for found in self.repo.resolver.classes(cls.outline, base) if found.node is not cls.node]
            if own:
                kinds.extend(self._class(found, method, depth + 1) for found in own if depth < _DEPTH)
            elif last in _ORDERED:
                kinds.append(ReceiverKind.ORDERED)
            elif qualified_name(cls.outline, _unsubscripted(base)) in _OWN_VIEWS:
                kinds.append(ReceiverKind.OTHER)
            elif last in _DICTS | {"TypedDict"}:
                kinds.append(ReceiverKind.DICT)
            elif last in _OTHER:
                kinds.append(ReceiverKind.OTHER)
        known = [kind for kind in kinds if kind is not ReceiverKind.UNKNOWN]
        return known[0] if known else ReceiverKind.UNKNOWN

    def _annotation(self, outline: Outline, node: ast.expr | None, method: str, depth: int) -> ReceiverKind:
        if node is None or depth > _DEPTH:
            return ReceiverKind.UNKNOWN
        node = unquoted(node)
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr):
            return self._annotations(outline, [node.left, node.right], method, depth)
        last = outline.home_name(node)
        if isinstance(node, ast.Subscript) and last in _WRAPPERS:
            inside = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
            return self._annotations(outline, inside, method, depth)
        if classes := self.repo.resolver.classes(outline, node):
            return combine(self._class(cls, method, depth + 1) for cls in classes)
        if last in _ORDERED:
            return ReceiverKind.ORDERED
        if last in _DICTS:
            return ReceiverKind.DICT
        if last in _OTHER:
            return ReceiverKind.OTHER
        return ReceiverKind.UNKNOWN

    def _annotations(self, outline: Outline, nodes: Iterable[ast.expr], method: str, depth: int) -> ReceiverKind:
        parts = [node for node in nodes if not (isinstance(node, ast.Constant) and node.value is None)]
        return combine(self._annotation(outline, node, method, depth + 1) for node in parts)


def _unsubscripted(base: ast.expr) -> ast.expr:
    """`Mapping` of `Mapping[str, int]`."""
    return base.value if isinstance(base, ast.Subscript) else base


def combine(kinds: Iterable[ReceiverKind]) -> ReceiverKind:
    """One kind for several possible values: the one they agree on; a dict outweighs the unknown."""
    known = set(kinds) - {ReceiverKind.UNKNOWN}
    if known == {ReceiverKind.DICT, ReceiverKind.ORDERED}:
        return ReceiverKind.DICT
    return known.pop() if len(known) == 1 else ReceiverKind.UNKNOWN


def _gives(outline: Outline, method: ast.FunctionDef | ast.AsyncFunctionDef) -> ReceiverKind:
    """DICT for a method of the project that gives nothing but views, like that of a dict; else OTHER."""
    values = [part.value for part in outline.own(method) if isinstance(part, ast.Return)]
    views = [value for value in values if isinstance(value, ast.Call) and view_receiver(value) is not None]
    return ReceiverKind.DICT if values and len(views) == len(values) else ReceiverKind.OTHER


def unquoted(annotation: ast.expr) -> ast.expr:
    """The expression inside a quoted annotation; other annotations as they are."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        try:
            return ast.parse(annotation.value.strip(), mode="eval").body
        except SyntaxError:
            return annotation
    return annotation


def view_receiver(node: ast.expr, outline: Outline | None = None) -> tuple[ast.expr, str] | None:
    """(receiver, method) when `node` has the shape of a view: `d.keys()`, `dict.keys(d)`, `OrderedDict.items(d)`."""
    if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in VIEW_METHODS):
        return None
    if node.keywords or any(isinstance(argument, ast.Starred) for argument in node.args):
        return None
    name = last_name(node.func.value) if outline is None else outline.home_name(node.func.value)
    if not node.args:
        unbound = isinstance(node.func.value, ast.Name) and name in ("dict", "OrderedDict")
        return None if unbound else (node.func.value, node.func.attr)
    if len(node.args) == 1 and name in _DICTS | _ORDERED:
        return node.args[0], node.func.attr
    return None
