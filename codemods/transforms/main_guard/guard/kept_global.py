"""Globals that only the main process sets and methods of a dataset read in a worker: kept on the object.

The object is created in the main process, where the global has its value; `self.args = args` in its `__init__` takes
it along, and the methods read `self.args`. An `__init__` that keeps so what it gets may have the line already.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ....finding import Edit, Fix, Refused
from ....nodes import end_line, end_place, walk, yields
from ....syntax.binding_rules import LOOPS, given_to, positional, takes_self
from ....syntax.callees import FUNCTIONS, Function
from ....syntax.outline import Outline
from ....syntax.placement import first_attached_line, indentation_at
from ....syntax.receivers import qualified_name
from ....syntax.resolver import Class
from ....tree.source import Source
from ..data import names
from ..set_before import SetBefore, plain_calls
from ..starts.process_starts import Starts
from ..statements import names_bound
from .hoist import global_reads
from .initializer import NotDone
from .sendable import Sendable, Values

_SPECIAL = frozenset(
    [
        "__slots__", "__setattr__", "__getattr__", "__getattribute__", "__getstate__", "__setstate__", "__reduce__",
        "__reduce_ex__", "__new__", "__eq__", "__hash__", "__copy__", "__deepcopy__", "__init_subclass__",
    ]
)  # fmt: skip
_BASES = frozenset(["torch.utils.data.IterableDataset", "multiprocessing.Process"])
_DEPTH = 3  # functions that pass the global on


class KeptGlobal:
    """Answers for one file."""

    def __init__(self, starts: Starts, outline: Outline, source: Source, imported: bool) -> None:
        """`imported`: another file imports this one, and may make objects before the global is set."""
        self.starts, self.outline, self.source, self.imported = starts, outline, source, imported
        self.values, self.order = Values(starts, imported), SetBefore(outline, imported)

    def fix(self, names: Sequence[str], readers: Sequence[Function]) -> Fix:
        """Keeps `names` on the objects whose methods `readers` read them. Raises Refused, or NotDone."""
        owners: dict[ast.ClassDef, None] = {}
        for reader in readers:
            owner = self.outline.parents[reader]
            if not isinstance(owner, ast.ClassDef) or owner not in self.outline.module.body or self.imported:
                raise NotDone("")
            owners[owner] = None
        edits, added = list[Edit](), set[str]()
        for owner in owners:
            initialiser = self._initialiser(owner)
            self._check_class(owner)
            reads = self._reads(owner, initialiser, names)
            new = [name for name in reads if not self._has_it(owner, initialiser, name)]
            added.update(new)
            edits += [self._keeps(initialiser, new)] if new else []
            for name, places in reads.items():
                self._check(owner, initialiser, name, name in new)
                edits += [self._instead(owner, read) for read in places]
        listed = ", ".join(f"`{name}`" for name in names)
        where = ", ".join(f"`{owner.name}`" for owner in owners)
        return Fix(f"Keep {listed} on the objects of {where}", tuple(edits), unsafe=self._unsafe(sorted(added)))

    # the class

    def _initialiser(self, owner: ast.ClassDef) -> ast.FunctionDef:
        own = [item for item in owner.body if isinstance(item, FUNCTIONS) and item.name == "__init__"]
        if len(own) != 1 or not isinstance(own[0], ast.FunctionDef) or own[0].decorator_list or not own[0].args.args:
            raise NotDone(f"`{owner.name}` has no `__init__` of its own")
        return own[0]

    def _check_class(self, owner: ast.ClassDef) -> None:
        """Its objects are made here alone, and one more attribute changes nothing else."""
        resolver = self.starts.callees.resolver
        for at in resolver.lineage(Class(self.outline, owner)):
            foreign = [base for base in at.node.bases if not resolver.classes(at.outline, base)]
            known = names("plain_bases") | _BASES
            written = [{self.starts.name(at.outline, base), qualified_name(at.outline, base)} for base in foreign]
            if at.node.keywords or any(known.isdisjoint(either) for either in written):
                raise NotDone(f"`{at.node.name}` has a base class that is not known")
            own = {name for item in at.node.body for name in names_bound(item)}
            if at.node.decorator_list or own & _SPECIAL:
                raise NotDone(f"`{at.node.name}` decides itself what its objects keep")
            if any(_looks_through(node) for node in walk(at.node)):
                raise NotDone(f"`{at.node.name}` looks through its attributes")
        if not self._made(owner):
            raise NotDone(f"`{owner.name}` is used for more than to make objects")

    def _made(self, owner: ast.ClassDef) -> list[ast.Call]:
        """The calls that make its objects; none where it is used in another way too, beside `super(Class, self)`."""
        uses = self.outline.named.get(owner.name, ())
        uses = [use for use in uses if not _is_of_super(self.outline.parents[use])]
        return plain_calls(self.outline, self.outline.module, owner.name, uses)

    def _reads(
        self, owner: ast.ClassDef, initialiser: ast.FunctionDef, names: Sequence[str]
    ) -> dict[str, list[ast.Name]]:
        """Where its other methods read these globals; those that they do not read are left out."""
        own = set(walk(initialiser))
        reads = [read for read in global_reads(self.outline, owner) if read not in own]
        found = {name: [read for read in reads if read.id == name] for name in names}
        return {name: places for name, places in found.items() if places}

    def _has_it(self, owner: ast.ClassDef, initialiser: ast.FunctionDef, name: str) -> bool:
        """`__init__` begins with `self.args = args`, the only line that sets it, and each call passes the global."""
        outline = self.outline
        stores = [node for node in self._of_self(owner, name) if not isinstance(node.ctx, ast.Load)]
        store = outline.parents[stores[0]] if len(stores) == 1 and stores[0] in outline.parents else None
        if not (isinstance(store, ast.Assign) and store in initialiser.body and isinstance(store.value, ast.Name)):
            return False
        given, before = store.value.id, initialiser.body[: initialiser.body.index(store)]
        if len(outline.bindings(initialiser, given)) != 1 or given not in positional(initialiser)[1:]:
            return False
        if any(isinstance(node, ast.Return) for each in before for node in walk(each)) or self._may_be_set(name):
            return False
        uses = [node for each in before for node in walk(each) if isinstance(node, ast.Name) and outline.is_self(node)]
        if any(not isinstance(getattr(outline.parents[node], "ctx", None), ast.Store) for node in uses):
            return False  # a method may read it before it is set
        passed = [given_to(positional(initialiser)[1:], call).get(given) for call in self._made(owner)]
        return bool(passed) and all(self._is_global(each, name) for each in passed)

    def _may_be_set(self, name: str) -> bool:
        """A file that speaks of the name sets attributes by text: `setattr(rows, "args", None)`."""
        given = (
            call.args[1]
            for other in self.starts.callees.repo.mentioning(name)
            for call in other.calls.get("setattr", ())
            if len(call.args) > 1
        )
        return any(getattr(each, "value", name) == name for each in given)

    def _is_global(self, value: ast.expr | None, name: str, depth: int = 0) -> bool:
        """It is the object that the global stands for, also as a parameter, or given back by a function that got it."""
        if not isinstance(value, ast.Name) or depth > _DEPTH:
            return False
        scope = self.outline.lookup(value, value.id)[0]
        if not isinstance(scope, FUNCTIONS):
            return scope is self.outline.module and value.id == name
        bindings = self.outline.bindings(scope, value.id)
        others = [binding for binding in bindings if not binding.parameter]
        if len(bindings) - len(others) != 1 or not all(self._gives_back(each.value, value.id) for each in others):
            return False
        given = [given_to(positional(scope), call).get(value.id) for call in self.order.calls(scope)]
        return bool(given) and all(self._is_global(each, name, depth + 1) for each in given)

    def _gives_back(self, value: ast.expr | None, name: str) -> bool:
        """`args = completed(args)`, where the function returns the object that it got, whatever it changes of it."""
        called = self.starts.callees.called(self.outline, value) if isinstance(value, ast.Call) else None
        if called is None or not isinstance(value, ast.Call) or called[1].decorator_list or yields(called[1].body):
            return False
        other, function, bound = called
        given = given_to(positional(function)[bound:], value)
        mine = {at for at, each in given.items() if isinstance(each, ast.Name) and each.id == name}
        returned = [node.value for node in other.own(function) if isinstance(node, ast.Return)]
        return isinstance(function.body[-1], ast.Return) and all(
            isinstance(each, ast.Name) and each.id in mine and len(other.bindings(function, each.id)) == 1
            for each in returned
        )

    def _of_self(self, owner: ast.ClassDef, name: str) -> list[ast.Attribute]:
        """The uses of `self.name` in the class and its bases."""
        lineage = self.starts.callees.resolver.lineage(Class(self.outline, owner))
        nodes = ((at, node) for at in lineage for node in walk(at.node))
        return [
            node
            for at, node in nodes
            if isinstance(node, ast.Attribute) and node.attr == name and at.outline.is_self(node.value)
        ]

    def _check(self, owner: ast.ClassDef, initialiser: ast.FunctionDef, name: str, is_new: bool) -> None:
        outline, callees = self.outline, self.starts.callees
        lineage = callees.resolver.lineage(Class(outline, owner))
        in_body = any(name in names_bound(item) for at in lineage for item in at.node.body)
        if in_body or (is_new and self._of_self(owner, name)):
            raise NotDone(f"`{owner.name}` has an attribute of that name already")
        for other in callees.repo.mentioning(name):
            for node in other.attributes.get(name, ()):
                if not isinstance(node.ctx, ast.Load) and not other.is_self(node.value):
                    raise NotDone(f"{other.path}:{node.lineno} sets an attribute of that name")
        if is_new and outline.bindings(initialiser, name):
            raise NotDone(f"in `{owner.name}.__init__`, `{name}` is a variable of the function")
        for call in self._made(owner):
            if not self.order.bound_before(call, name):
                raise NotDone(f"it is not sure that `{name}` has its value where line {call.lineno} makes the object")
        setting = self._settings(name)
        if len(setting) != 1 or any(isinstance(above, LOOPS) for above in outline.ancestors(setting[0])):
            raise NotDone(f"`{name}` is set more than once, and an object would keep the first value")

    def _settings(self, name: str) -> list[ast.AST]:
        """The statements that set the global: not those at the top of the module, whose value stands until then."""
        declared = [node for node in self.outline.statements if isinstance(node, ast.Global) and name in node.names]
        scopes = dict.fromkeys([self.outline.module, *map(self.outline.scope, declared)])
        found = [binding.statement for scope in scopes for binding in self.outline.bindings(scope, name)]
        return [statement for statement in found if self.outline.parents[statement] is not self.outline.module]

    # the edits

    def _keeps(self, initialiser: ast.FunctionDef, names: Sequence[str]) -> Edit:
        """`self.args = args`, below the docstring and the call of the base class."""
        source, this = self.source, initialiser.args.args[0].arg
        body = initialiser.body
        at = next((number for number, statement in enumerate(body) if not _begins(statement)), len(body))
        indent = indentation_at(source, body[0].lineno)
        if body[0].lineno == initialiser.lineno:
            raise NotDone(f"`__init__` stands on one line (line {initialiser.lineno})")
        if at == len(body):
            line = end_line(body[-1]) + 1
        else:
            line = first_attached_line(source, body[at])
            before = end_line(body[at - 1]) if at else 0
            if before >= body[at].lineno:
                raise NotDone(f"line {before} holds several statements")
        start = source.line_starts[line - 1] if line <= len(source.line_starts) else len(source.text)
        lead = "" if start < len(source.text) or source.text.endswith("\n") else "\n"
        text = "".join(f"{indent}{this}.{name} = {name}\n" for name in names)
        return Edit(source.path, start, start, lead + text)

    def _instead(self, owner: ast.ClassDef, read: ast.Name) -> Edit:
        """`self.args` for `args`."""
        method = self.outline.method(read)
        if method is None or self.outline.parents[method] is not owner or self.outline.owner(read) is not owner:
            raise NotDone(f"line {read.lineno} reads `{read.id}` outside of its methods")
        this = positional(method)[:1]
        if not this or not takes_self(method):
            raise NotDone(f"`{method.name}` (line {method.lineno}) has no `self`")
        scope, bindings = self.outline.lookup(read, this[0])
        if scope is not method or len(self.outline.bindings(method, this[0])) != 1 or not bindings:
            raise NotDone(f"line {read.lineno} has no `{this[0]}` of the method")
        start = self.source.offset(read.lineno, read.col_offset)
        end = self.source.offset(*end_place(read))
        if self.source.text[start:end] != read.id:
            raise NotDone(f"the place of `{read.id}` in line {read.lineno} is not known")
        return Edit(self.source.path, start, end, f"{this[0]}.{read.id}")

    def _unsafe(self, names: Sequence[str]) -> str | None:
        for name in names:
            known = self.values.of_name(self.outline, name)
            if known in (Sendable.NO, Sendable.LOGGER):
                raise Refused(f"`{name}` can't be sent to a worker as it is: make it there, when it is first used")
            if known is Sendable.UNKNOWN:
                return f"`{name}` has to be pickled for it, and nothing shows that it can be"
        return None


def _is_of_super(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "super"


def _looks_through(node: ast.AST) -> bool:
    return (isinstance(node, ast.Attribute) and node.attr == "__dict__") or (
        isinstance(node, ast.Name) and node.id == "vars"
    )


def _begins(statement: ast.stmt) -> bool:
    """The docstring, or a call of the base class."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(value, ast.Constant):
        return True
    return isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "__init__"
