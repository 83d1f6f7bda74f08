"""Whether a value can be pickled, as far as the source shows it."""

from __future__ import annotations

import ast
import builtins
import enum
from collections.abc import Iterable, Iterator, Sequence

from ....nodes import yields
from ....syntax.binding_rules import positional
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.receivers import qualified_name
from ....syntax.resolver import Class
from ....syntax.unpicklable import Recogniser
from ....syntax.unpicklable_table import Remedy
from ..data import names
from ..starts.process_starts import Starts

_DEPTH = 14  # of expressions that are looked into
_MOST = 3000  # expressions, for all values of one file
_PARTS = (
    ast.JoinedStr, ast.FormattedValue, ast.Compare, ast.BinOp, ast.UnaryOp, ast.BoolOp, ast.IfExp, ast.Tuple, ast.List,
    ast.Set, ast.Dict, ast.Starred, ast.ListComp, ast.SetComp, ast.DictComp, ast.NamedExpr,
    ast.operator, ast.unaryop, ast.boolop, ast.cmpop, ast.expr_context, ast.comprehension,
)  # fmt: skip
_IMPORTS = (ast.Import, ast.ImportFrom)
_TEXT = (ast.JoinedStr, ast.Compare)
_CONSUMING = frozenset(
    ["list", "tuple", "set", "sorted", "dict", "sum", "max", "min", "len", "any", "all", "frozenset"]
)
_PAIRS = frozenset(["zip", "enumerate", "reversed"])
_LOGGERS = frozenset(["logging.getLogger", "logging.Logger", "loguru.logger"])
_PARSES = frozenset(["parse_args", "parse_known_args"])
_FILES = frozenset(["open", "io.open", "gzip.open", "bz2.open", "lzma.open", "codecs.open"])
_LAZY = frozenset(["chunksize", "iterator"])  # pandas reads on demand with these
_OF_RECEIVER = frozenset(["get", "copy", "pop"])
_VIEWS = frozenset(["keys", "values", "items"])
_OF_MANAGER = "multiprocessing.Manager()."
_ADDING = frozenset(["append", "extend", "insert", "add", "update", "setdefault", "appendleft"])
_PLAIN_TYPES = frozenset(["str", "int", "float", "bool", "bytes", "complex"])
_PLAIN_CLASSES = frozenset(["pathlib.Path", "pathlib.PurePath", "numpy.ndarray", "pandas.DataFrame"])
_TYPES_OF = frozenset(
    ["Optional", "Union", "List", "Tuple", "Dict", "Set", "FrozenSet", "list", "tuple", "dict", "set", "frozenset"]
)


class Sendable(enum.Enum):
    """What is known."""

    YES = "it can be pickled"
    UNKNOWN = "nothing shows whether it can be pickled"
    NO = "it can't be pickled"
    LOGGER = "it is pickled by its name, without its handlers"

    @property
    def rank(self) -> int:
        """The worst of several has the highest."""
        return list(Sendable).index(self)


class Values:
    """Answers for one file."""

    def __init__(self, starts: Starts, imported: bool) -> None:
        """`imported`: other files may call what is asked about."""
        self.starts, self.callees, self.imported = starts, starts.callees, imported
        self.recogniser = Recogniser(self.callees.repo, lambda outline, node: [])
        self._passed: list[tuple[Function, Sendable]] = []  # functions that are looked into, what they are passed
        self._room = _MOST
        self._looking: set[tuple[str, str]] = set()  # variables of modules that are being looked into

    def of_name(self, outline: Outline, name: str, depth: int = 0, above: ast.stmt | None = None) -> Sendable:
        """The worst of all that the module gives to the variable, `above` that statement, or puts into it."""
        key = (outline.path, name)
        if key in self._looking:
            return Sendable.YES  # `paths = [clean(path) for path in paths]`: as all else that it gets
        self._looking.add(key)
        bindings = outline.bindings(outline.module, name)
        if above is not None:
            bindings = [item for item in bindings if outline.precedes(item.statement, above)]
        if any(not isinstance(item.statement, _IMPORTS) for item in bindings):  # it stands for that by now
            bindings = [item for item in bindings if not isinstance(item.statement, _IMPORTS)]
        if bindings and all(self._is_proxy(outline, item.value) for item in bindings):
            self._looking.discard(key)
            return Sendable.YES  # it is sent itself, not what is put into it
        found = [
            self._imported(outline, name, depth)
            if isinstance(item.statement, ast.ImportFrom)
            else self._bound(outline, item.statement, item.value, depth)
            for item in bindings
        ]
        for function in _setters(outline, name):
            found += [
                self._bound(outline, item.statement, item.value, depth) for item in outline.bindings(function, name)
            ]
        found += [self.of(outline, value, depth + 1) for value in _put_into(outline, name)]
        found += self._changed_by_calls(outline, name, depth)
        self._looking.discard(key)
        return _worst(found)

    def _imported(self, outline: Outline, name: str, depth: int) -> Sendable:
        """What another file of the repository gives to the name."""
        found = self.callees.resolver.first_binding(outline, name)
        if found is None or found[0] is outline or depth > _DEPTH:
            return Sendable.UNKNOWN
        before, self.imported = self.imported, True  # what other files pass to functions there is not looked for
        known = self.of_name(found[0], found[1], depth + 1)
        self.imported = before
        return known

    def is_shared(self, outline: Outline, name: str) -> bool:
        """The module gives the variable a lock, a queue or the like, of some start method."""
        values = [binding.value for binding in outline.bindings(outline.module, name)]
        return any(
            isinstance(value, ast.Call) and self.starts.name(outline, value.func) in names("shared_objects")
            for value in values
        )

    def _is_proxy(self, outline: Outline, value: ast.expr | None) -> bool:
        """What the manager's process keeps: `manager.dict()`."""
        return isinstance(value, ast.Call) and self.starts.name(outline, value.func).startswith(_OF_MANAGER)

    def _bound(self, outline: Outline, statement: ast.AST, value: ast.expr | None, depth: int) -> Sendable:
        if isinstance(statement, (*FUNCTIONS, ast.ClassDef)):
            return Sendable.YES if statement in outline.module.body else Sendable.NO
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            return Sendable.NO if isinstance(statement, ast.Import) else Sendable.UNKNOWN
        if isinstance(statement, (ast.For, ast.AsyncFor)):
            return self._items(outline, statement.iter, depth + 1)
        if isinstance(statement, (ast.With, ast.AsyncWith)):
            return self.of(outline, value, depth + 1) if value is not None else Sendable.UNKNOWN
        if value is None and isinstance(statement, ast.Assign):  # `args, rest = parser.parse_known_args()`
            value = statement.value
        if value is None and isinstance(statement, (ast.AugAssign, ast.AnnAssign)):
            value = statement.value
        return self.of(outline, value, depth + 1) if value is not None else Sendable.UNKNOWN

    def _items(self, outline: Outline, value: ast.expr, depth: int) -> Sendable:
        """What is known of what a loop takes out of a value: what an open file or a pool gives may be anything."""
        if isinstance(value, ast.GeneratorExp):
            return _worst(self.of(outline, part, depth) for part in _walked(value))
        return _worst(self._item(outline, part, depth) for part in _walked(value))

    def _item(self, outline: Outline, value: ast.expr, depth: int) -> Sendable:
        known = self.of(outline, value, depth)
        if known is not Sendable.NO:
            return known
        bindings = outline.lookup(value, value.id)[1] if isinstance(value, ast.Name) else ()
        made = [item.value for item in bindings] or [value]
        if all(isinstance(each, ast.Call) and self.starts.name(outline, each.func) in _FILES for each in made):
            return Sendable.YES  # lines
        return Sendable.UNKNOWN if all(isinstance(each, ast.Call) for each in made) else known

    def of(self, outline: Outline, value: ast.expr, depth: int = 0) -> Sendable:
        """What is known of the value of an expression."""
        self._room -= 1
        if depth > _DEPTH or self._room < 0:
            return Sendable.UNKNOWN
        if isinstance(value, (ast.Constant, *_TEXT)):
            return Sendable.YES
        if isinstance(value, (ast.Lambda, ast.GeneratorExp)):
            return Sendable.NO
        if isinstance(value, ast.Name):
            return self._named(outline, value, depth)
        if isinstance(value, ast.Attribute):
            return self._attribute(outline, value, depth)
        if isinstance(value, ast.Call):
            return self._called(outline, value, depth)
        if isinstance(value, ast.Subscript):
            is_text = qualified_name(outline, value.value) in names("plain_values")  # `os.environ["A"]`
            return Sendable.YES if is_text else self.of(outline, value.value, depth)
        if isinstance(value, _PARTS):
            return _worst(self.of(outline, part, depth) for part in _inner(value))
        return Sendable.UNKNOWN

    def _named(self, outline: Outline, value: ast.Name, depth: int) -> Sendable:
        for above in outline.ancestors(value):
            for made in getattr(above, "generators", ()):
                if any(isinstance(node, ast.Name) and node.id == value.id for node in ast.walk(made.target)):
                    return self._items(outline, made.iter, depth + 1)
        scope, bindings = outline.lookup(value, value.id)
        if not bindings:
            return Sendable.YES if hasattr(builtins, value.id) else Sendable.UNKNOWN
        if any(item.parameter for item in bindings):
            known = next((known for function, known in reversed(self._passed) if function is scope), None)
            return known if known is not None else self._given(outline, scope, value.id, depth)
        if isinstance(scope, ast.Module):
            return self.of_name(outline, value.id, depth + 1)
        found = [self._bound(outline, item.statement, item.value, depth + 1) for item in bindings]
        found += [self.of(outline, put, depth + 1) for put in _put_into(outline, value.id, scope)]
        return _worst(found)

    def _given(self, outline: Outline, function: ast.AST, name: str, depth: int) -> Sendable:
        """What a function gets as `name`: by what its calls pass, else by the annotation."""
        known = self._passed_to(outline, function, name, depth)
        written = [arg.annotation for arg in _arguments(function) if arg.arg == name and arg.annotation is not None]
        plain = known is Sendable.UNKNOWN and any(_is_plain(outline, each) for each in written)
        return Sendable.YES if plain else known

    def _passed_to(self, outline: Outline, function: ast.AST, name: str, depth: int) -> Sendable:
        """What a function of the file's top level gets as `name`, where all its calls are seen."""
        if function not in outline.module.body or not isinstance(function, FUNCTIONS) or self.imported:
            return Sendable.UNKNOWN
        found: list[Sendable] = []
        order = positional(function)
        for use in outline.named.get(function.name, ()):
            call = outline.parents[use]
            if not isinstance(call, ast.Call) or call.func is not use or name not in order:
                return Sendable.UNKNOWN
            at = order.index(name)
            given = [*call.args[at : at + 1], *(k.value for k in call.keywords if k.arg == name)]
            if len(given) != 1 or any(isinstance(argument, ast.Starred) for argument in call.args):
                return Sendable.UNKNOWN
            found.append(self.of(outline, given[0], depth + 1))
        return _worst(found) if found else Sendable.UNKNOWN

    def _attribute(self, outline: Outline, value: ast.Attribute, depth: int) -> Sendable:
        """An attribute of an object that can be pickled with all that it has: no method of it, no part of a module."""
        if not isinstance(value.value, (ast.Name, ast.Attribute, ast.Subscript, ast.Call)):
            return Sendable.UNKNOWN
        if self.recogniser.made(outline, value):
            return Sendable.NO
        if qualified_name(outline, value) in names("plain_values"):
            return Sendable.YES
        if self.callees.resolver.is_foreign(outline, value) or (
            self.callees.resolver.module(outline, value.value) is not None
        ):
            return Sendable.UNKNOWN
        return self.of(outline, value.value, depth + 1)

    def _called(self, outline: Outline, call: ast.Call, depth: int) -> Sendable:
        name = self.starts.name(outline, call.func) or qualified_name(outline, call.func)
        if name in _LOGGERS:
            return Sendable.LOGGER
        if name in names("shared_objects") or self._is_proxy(outline, call):
            return Sendable.YES if name != "multiprocessing.Manager" else Sendable.NO
        if made_of := self.recogniser.made(outline, call):
            named = all(made.kind.remedy is Remedy.NAMED for made in made_of)
            return Sendable.LOGGER if named else Sendable.NO
        given = [*call.args, *(keyword.value for keyword in call.keywords)]
        if name in _CONSUMING:
            return _worst(self.of(outline, part, depth) for value in given for part in _walked(value))
        if not _LAZY.isdisjoint(keyword.arg for keyword in call.keywords):
            return Sendable.UNKNOWN
        if name in names("plain_results") or name.startswith(tuple(names("plain_modules"))):
            return Sendable.UNKNOWN if name in names("not_always_plain") else Sendable.YES
        if name in names("holders"):
            return _worst(self.of(outline, part, depth) for part in given)
        if isinstance(call.func, ast.Attribute):
            if call.func.attr in _PARSES:  # a parser: no option of the file is an open file
                return Sendable.YES if "FileType" not in outline.named else Sendable.UNKNOWN
            if call.func.attr in names("plain_methods"):
                return Sendable.YES
            if call.func.attr in _OF_RECEIVER:
                return _worst(self.of(outline, part, depth + 1) for part in (call.func.value, *given))
        called = self.callees.called(outline, call)
        if called is not None:
            return self._returned(called[0], called[1], given, depth + 1, outline)
        made = self.callees.made_class(outline, call)
        if made is not None:
            return self._object(outline, Class(*made), given, depth + 1)
        return Sendable.YES if name.startswith(tuple(names("plain_objects"))) else Sendable.UNKNOWN

    def _returned(
        self, outline: Outline, function: Function, given: Iterable[ast.expr], depth: int, at: Outline
    ) -> Sendable:
        """What a function returns that gets `given`, expressions of `at`."""
        if function.decorator_list:
            return Sendable.UNKNOWN
        if isinstance(function, ast.AsyncFunctionDef) or yields(function.body):
            return Sendable.NO
        own = outline.own(function)
        passed = _worst(self.of(at, value, depth) for value in given)
        values = [node.value for node in own if isinstance(node, ast.Return) and node.value is not None]
        self._passed.append((function, passed))
        found = _worst(self.of(outline, value, depth) for value in values)
        self._passed.pop()
        return found

    def _object(self, outline: Outline, cls: Class, given: Iterable[ast.expr], depth: int) -> Sendable:
        """An object of a class of the repository: what it is made from, and all that its methods keep on it."""
        if depth > _DEPTH or cls.node not in cls.outline.module.body:
            return Sendable.UNKNOWN
        found = [self.of(outline, value, depth) for value in given]
        initialiser = self.callees.initialiser(*cls)
        self._passed += [(initialiser[1], _worst(found))] if initialiser is not None else []
        for at in self.callees.resolver.lineage(cls):
            foreign = [base for base in at.node.bases if not self.callees.resolver.classes(at.outline, base)]
            if at.node.keywords or any(
                qualified_name(at.outline, base) not in names("plain_bases") for base in foreign
            ):
                found.append(Sendable.UNKNOWN)
            found += [self._kept(at.outline, node, depth) for node in ast.walk(at.node)]
        if initialiser is not None:
            self._passed.pop()
        return _worst(found)

    def _kept(self, outline: Outline, node: ast.AST, depth: int) -> Sendable:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        value = getattr(node, "value", None)
        if not isinstance(node, (ast.Assign, ast.AnnAssign)) or value is None:
            return Sendable.YES
        if not any(isinstance(target, (ast.Attribute, ast.Subscript, ast.Tuple)) for target in targets):
            return Sendable.YES
        return self.of(outline, value, depth + 1)

    def _changed_by_calls(self, outline: Outline, name: str, depth: int) -> Iterator[Sendable]:
        """What functions of the repository keep on the object that they are passed."""
        for use in outline.named.get(name, ()):
            call = outline.parents[use]
            if not isinstance(call, ast.Call) or use not in call.args or depth > _DEPTH:
                continue
            called = self.callees.called(outline, call)
            if called is None or any(isinstance(value, ast.Starred) for value in call.args):
                continue
            other, function, skip = called
            arguments = [*function.args.posonlyargs, *function.args.args][skip:]
            at = call.args.index(use)
            if at < len(arguments):
                for value in _put_into(other, arguments[at].arg, function):
                    yield self.of(other, value, depth + 1)


def _arguments(function: ast.AST) -> Sequence[ast.arg]:
    given = function.args if isinstance(function, FUNCTIONS) else None
    return [*given.posonlyargs, *given.args, *given.kwonlyargs] if given is not None else ()


def _is_plain(outline: Outline, annotation: ast.expr) -> bool:
    """`int`, `Optional[Path]`, `dict[str, list[float]] | None`: no value of that type is one that pickle refuses."""
    if isinstance(annotation, ast.Constant):
        if not isinstance(annotation.value, str):
            return annotation.value is None or annotation.value is Ellipsis
        try:
            return _is_plain(outline, ast.parse(annotation.value, mode="eval").body)
        except SyntaxError:
            return False
    if isinstance(annotation, ast.Subscript):
        of = last_name(annotation.value) in _TYPES_OF
        return of and _is_plain(outline, annotation.slice)
    if isinstance(annotation, ast.BinOp):
        return _is_plain(outline, annotation.left) and _is_plain(outline, annotation.right)
    if isinstance(annotation, (ast.Tuple, ast.List)):
        return all(_is_plain(outline, part) for part in annotation.elts)
    name = qualified_name(outline, annotation)
    if name in _PLAIN_TYPES:
        return name not in outline.imported and not outline.definitions.get(name)
    return name in _PLAIN_CLASSES


def _setters(outline: Outline, name: str) -> Iterator[Function]:
    for node in outline.statements:
        scope = outline.scope(node)
        if isinstance(node, ast.Global) and name in node.names and isinstance(scope, FUNCTIONS):
            yield scope


def _put_into(outline: Outline, name: str, scope: ast.AST | None = None) -> Iterator[ast.expr]:
    """What is stored in `name`: `name.attribute = value`, `name[key] = value`, `name.append(value)`."""
    for use in outline.named.get(name, ()):
        if not isinstance(use, ast.Name) or (scope is not None and outline.scope(use) is not scope):
            continue
        above = outline.parents[use]
        if not isinstance(above, (ast.Attribute, ast.Subscript)) or above.value is not use:
            continue
        holder = outline.parents[above]
        if not isinstance(above.ctx, ast.Load):
            if isinstance(holder, (ast.Assign, ast.AugAssign, ast.AnnAssign)) and holder.value is not None:
                yield holder.value
        elif isinstance(above, ast.Attribute) and above.attr in _ADDING and isinstance(holder, ast.Call):
            yield from holder.args


def _inner(value: ast.AST) -> Iterator[ast.expr]:
    """The expressions that the value of `value` is put together from."""
    return (part for part in ast.iter_child_nodes(value) if isinstance(part, ast.expr))


def _walked(value: ast.expr) -> Iterator[ast.expr]:
    """What `list(value)`, or a loop over it, has its items from."""
    if isinstance(value, ast.GeneratorExp):
        yield from _inner(value)
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in _VIEWS:
        yield value.func.value
    elif isinstance(value, ast.Call) and isinstance(value.func, ast.Name) and value.func.id in _PAIRS:
        for argument in value.args:
            yield from _walked(argument)
    else:
        yield value


def _worst(found: Iterable[Sendable]) -> Sendable:
    return max(found, key=lambda item: item.rank, default=Sendable.YES)
