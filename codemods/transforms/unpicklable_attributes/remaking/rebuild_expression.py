"""Rewrites an expression of the constructor in terms of what a copy of the object has: its own attributes."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from ....finding import Refused
from ....syntax.file_tree import position
from ....syntax.main_guard import is_main_guard
from ....syntax.names import last_name
from ....syntax.outline import ValueBinding
from ....syntax.receivers import qualified_name
from ....syntax.unpicklable import Made, Recogniser
from ..classes import Shape, Store
from ..data import names
from ..family import Family
from ..uses.surroundings import part_may_change, variable_may_change
from .comments import without_comments
from .factories import leaves_trace
from .kept_arguments import kept_arguments


@dataclass(frozen=True)
class Stash:
    """`self.<name> = <text>` has to stand before `statement`, so that the copy knows it."""

    statement: ast.stmt
    name: str
    text: str
    argument: ast.expr | None = None  # what `self.<name>` replaces in the statement: it must not be computed twice


_READ_VARIABLES = ("os.environ.get", "os.getenv")


class ExpressionRebuilder:
    """Rewrites expressions of the statement `store` for a copy; `stashes` and `imports` are what they need."""

    def __init__(self, family: Family, recogniser: Recogniser, shape: Shape, store: Store) -> None:
        self.family, self.recogniser = family, recogniser
        self.shape, self.store = shape, store
        self.outline = store.owner.outline
        source = family.repo.project.source(self.outline.path)
        assert source is not None
        self.source = source
        self.stashes: dict[str, Stash] = {}  # by the text of what is stashed
        self.imports: dict[str, str] = {}
        self.anchor = store.statement  # what is stashed goes above it
        self.absolute: ast.expr | None = None  # a path that is kept as what it means where it is opened
        self.check_opened: Callable[[ast.Name, Made], None] | None = None  # raises Refused where it may not be opened

    def text_of(self, value: ast.expr | None, bound: Iterable[str] = ()) -> str:
        """The source of `value` with `self.<stash>` for what the copy would not know, names in `bound` left alone."""
        assert value is not None
        stray = (ast.Lambda, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)
        bound = set(bound)
        for node in ast.walk(value):
            if isinstance(node, ast.comprehension):
                bound |= {name.id for name in ast.walk(node.target) if isinstance(name, ast.Name)}
            if isinstance(node, stray):
                raise Refused(
                    "the expression that creates it can't be moved to another method; open it in a method of its own"
                )
        exchanged: dict[str, str] = {}
        for argument, word in kept_arguments(self.family, self.recogniser, self.store, value, self._repeatable):
            self._keep_argument(argument, word, exchanged)
        self._walk(value, bound, exchanged, sure=True)
        text = self.source_of(value)
        if "\n" in text and '"""' in text:
            raise Refused("there is a string of several lines in the statement that opens it; put it in a constant")
        if "\n" in text and isinstance(value, (ast.IfExp, ast.BoolOp, ast.BinOp)):
            text = f"({text})"
        if text in exchanged:
            return exchanged[text]
        text = _substituted(text, exchanged) if exchanged else text
        if self.absolute is not None and any(node is self.absolute for node in ast.walk(value)):
            path = self.source_of(self.absolute)
            if text.count(path) != 1:
                raise Refused(f"`{path}` is a relative path and stands there twice; give it a name of its own")
            leaf = _leaf(self.absolute)
            wanted = "path" if leaf == "value" else leaf
            text = text.replace(path, self._stashed(f"os.path.abspath({path})", wanted))
        return text

    def kept_whole(self, value: ast.expr, wanted: str) -> str:
        """`self.<name>` that holds the value of the expression `value`, computed once above the anchor."""
        text = self.source_of(value)
        if "\n" in text:
            raise Refused(_another(value))
        return self._stashed(text, wanted, value)

    def source_of(self, node: ast.expr) -> str:
        """The text of `node`, its further lines moved to where a method's own statements stand."""
        if isinstance(node, ast.Call) and node not in self.outline.parents:  # of a factory, see `attribute_filled`
            return f"{self.source_of(node.func)}()"
        text = without_comments(re.sub(r"\r\n?", "\n", self.source.text_of(node)))
        first = self.store.method.body[0]
        extra = self.store.statement.col_offset - first.col_offset
        return re.sub(rf"\n {{{extra}}}", "\n", text) if extra > 0 else text

    def repeated(self, call: ast.Call) -> str:
        """The text of `call`, which sets it up with what `self` and the module have, as it was at that moment."""
        exchanged: dict[str, str] = {}
        method = self.outline.scope(call)
        todo: list[ast.AST] = [*call.args, *call.keywords]
        while todo:
            node = todo.pop()
            root = _root(node) if isinstance(node, ast.expr) else None
            if root is None:
                todo += ast.iter_child_nodes(node)
            elif isinstance(node, (ast.Attribute, ast.Subscript)) and self.outline.is_self(root):
                if ast.unparse(node) == f"self.{self.store.target.attr}":
                    continue
                self._own_attribute(node, call, method)
                if self._is_part_of_another(node):
                    text = self.source_of(node)
                    exchanged[text] = self._stashed(text, _leaf(node))
        text = self.source_of(call)
        return _substituted(text, exchanged) if exchanged else text

    def aligned(self, text: str, value: ast.expr, before: str) -> str:
        """`text`, that of `value`, whose further lines stand under its bracket where they did so, behind `before`."""
        head, *more = text.split("\n")
        at = head.find("(") + 1
        if not more or not at or value not in self.outline.parents:
            return text
        first = self.store.method.body[0].col_offset
        shifted = max(self.store.statement.col_offset - first, 0)
        indents = [len(line) - len(line.lstrip(" ")) for line in more]
        old = value.col_offset + at - (shifted if indents[0] + shifted == value.col_offset + at else 0)
        if indents[0] != old:
            return text
        change = first + len(before) + at - old
        moved = [" " * max(indent + change, 0) + line.lstrip(" ") for indent, line in zip(indents, more, strict=True)]
        return "\n".join([head, *moved])

    def _walk(self, node: ast.expr, bound: set[str], exchanged: dict[str, str], sure: bool) -> None:
        if any(stash.argument is node for stash in self.stashes.values()):
            return
        root = _root(node)
        if node is self.absolute:
            return
        if root is not None:
            self._chain(node, root, bound, exchanged, sure)
            return
        if isinstance(node, ast.Call):
            if self._is_changed_variable(node):
                self._kept_part(node, exchanged, sure)
                return
            self._check_call(node)
            if isinstance(node.func, ast.Attribute):
                if not self.outline.is_self(node.func.value):
                    self._walk(node.func.value, bound, exchanged, sure)
            else:
                self._walk(node.func, bound, exchanged, sure)
            for argument in [*node.args, *(keyword.value for keyword in node.keywords)]:
                self._walk(argument, bound, exchanged, sure)
            return
        sure = sure and not isinstance(node, (ast.IfExp, ast.BoolOp, ast.ListComp, ast.SetComp, ast.DictComp))
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.comprehension):
                self._walk(child.iter, bound, exchanged, sure)
                for test in child.ifs:
                    self._walk(test, bound, exchanged, False)
            elif isinstance(child, ast.expr):
                self._walk(child, bound, exchanged, sure)

    def _chain(self, node: ast.expr, root: ast.Name, bound: set[str], exchanged: dict[str, str], sure: bool) -> None:
        """A name, or attributes and literal subscripts of one."""
        outline = self.outline
        if root.id in bound:
            return
        if outline.is_self(root):
            if root.id != "self":
                raise Refused(f"the method calls its object `{root.id}`; call it `self` first")
            if node is root:
                raise Refused("it is created from the object itself; open it in a method of its own")
            self._own_attribute(node, self.store.target, self.store.method)
            if sure and self._is_part_of_another(node):
                text = self.source_of(node)
                exchanged[text] = self._stashed(text, _leaf(node))
            return
        scope, bindings = outline.lookup(root, root.id)
        called = isinstance(outline.parents.get(node), ast.Attribute)  # `conf.paths`, a module, of `conf.paths.get()`
        of_module = isinstance(scope, ast.Module) and not called and not self.recogniser.made(outline, node)
        if self._is_changed_variable(node) or (of_module and self._is_part_of_another(node)):
            self._kept_part(node, exchanged, sure)
        elif isinstance(scope, ast.Module):
            self._module_name(root, [binding.statement for binding in bindings])
        elif bindings and all(isinstance(binding.statement, (ast.Import, ast.ImportFrom)) for binding in bindings):
            self.imports[root.id] = ast.unparse(bindings[0].statement)
        else:
            text = self.source_of(node)
            exchanged[text] = self._kept(node, root, text, sure)

    def _own_attribute(self, node: ast.expr, reader: ast.expr, method: ast.AST) -> None:
        """`self.name` must still be what it was for `reader`, in `method`, when it is used again."""
        while isinstance(node, (ast.Attribute, ast.Subscript)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                break
            node = node.value
        assert isinstance(node, ast.Attribute)
        if (place := self.family.outside(self.shape).sets.get(node.attr)) is not None:
            raise Refused(
                f"`self.{node.attr}` is set from outside ({place}); keep what it was opened with in an attribute of "
                "its own"
            )
        if (place := self.family.set_again(self.shape, node.attr, self.store.statement)) is not None:
            raise Refused(
                f"`self.{node.attr}` may be set again by its name ({place}); keep what it was opened with in an "
                "attribute of its own"
            )
        first = self.store
        changes = [
            store
            for shape in self.family.hierarchy(self.shape)
            for store in shape.stores(node.attr)
            if (store.method is method and position(store.target) > position(reader))
            or (store.method is not method and store.method.name not in ("__init__", "__setstate__", "__post_init__"))
        ]
        for change in changes:
            mine = change.owner.stores(first.target.attr)
            opened = [other for other in mine if other.method is change.method and other.value is not None]
            if not any(position(other.target) > position(change.target) for other in opened):
                raise Refused(
                    f"`self.{node.attr}` may be another by then (line {change.statement.lineno}); "
                    "keep what it was opened with in an attribute of its own"
                )

    def _is_part_of_another(self, node: ast.expr) -> bool:
        """`self.cfg.path`: something of another object, which code may set though it leaves `self.cfg` alone."""
        is_part = isinstance(node, (ast.Attribute, ast.Subscript)) and not self.outline.is_self(node.value)
        return is_part and part_may_change(self.family.repo, node)

    def _is_changed_variable(self, node: ast.expr) -> bool:
        """`os.environ["DATA"]`, `os.getenv("DATA")`, where the program sets that: a copy may be made after it."""
        if isinstance(node, ast.Subscript) and qualified_name(self.outline, node.value) == "os.environ":
            return variable_may_change(self.family.repo, node.slice)
        if isinstance(node, ast.Call) and node.args and qualified_name(self.outline, node.func) in _READ_VARIABLES:
            return variable_may_change(self.family.repo, node.args[0])
        return False

    def _kept_part(self, node: ast.expr, exchanged: dict[str, str], sure: bool) -> None:
        """What may be another by then is read where it was, and kept."""
        text = self.source_of(node)
        if not sure:
            raise Refused(f"`{text}` is only looked at under a condition; keep it as an attribute")
        word = str(getattr(node.args[0], "value", "")) if isinstance(node, ast.Call) else _leaf(node)
        exchanged[text] = self._stashed(text, word.lower() if word.isidentifier() else "value")

    def _module_name(self, root: ast.Name, statements: Sequence[ast.AST]) -> None:
        """A name of the module must be there, with the same value, when the copy is made in another process."""
        imports = [
            ast.dump(statement) for statement in statements if isinstance(statement, (ast.Import, ast.ImportFrom))
        ]
        for statement in statements:
            again = imports.count(ast.dump(statement)) > 1  # under the guard too, but not only there
            for above in self.outline.ancestors(statement):
                if is_main_guard(above) and not again:
                    line = getattr(statement, "lineno", 1)
                    raise Refused(f"`{root.id}` exists only in the main process (line {line}); keep it as an attribute")
        fixed = (ast.Import, ast.ImportFrom, ast.FunctionDef, ast.ClassDef)
        if len(statements) > 1 and not all(isinstance(statement, fixed) for statement in statements):
            raise Refused(
                f"`{root.id}` is assigned several times in the module; store the value it was "
                "opened with as an attribute"
            )
        for node in self.outline.made_global.get(root.id, ()):
            raise Refused(f"`{root.id}` is changed at run time (line {node.lineno}); keep it as an attribute")

    def _check_call(self, call: ast.Call) -> None:
        """Refuse calls that may give something else the second time, or do something that shows."""
        for where, function in self.recogniser.functions(self.outline, call):
            if (trace := leaves_trace(where, function)) is not None:
                raise Refused(
                    f"`{function.name}` {trace} each time that it is called, and each copy would call it; create the "
                    "object in a function that does nothing else"
                )
        if not self._repeatable(call):
            raise Refused(_another(call))

    def _repeatable(self, call: ast.Call) -> bool:
        if any(made.node is call for made in self.recogniser.made(self.outline, call)):
            return True  # it makes something of the table itself (in a container, or `conn` of `conn.cursor()`)
        if isinstance(call.func, ast.Attribute) and self.outline.is_self(call.func.value):
            return True
        name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
        origin = self.recogniser.origin(self.outline, call.func)
        if origin.startswith(tuple(names("pure_modules"))):
            return True
        arguments = [*call.args, *(keyword.value for keyword in call.keywords)]
        if name in names("pure_with_texts") and isinstance(call.func, ast.Attribute):
            return all(isinstance(item, ast.Constant) for item in arguments)
        return name in names("pure_calls") and (
            isinstance(call.func, ast.Attribute) or not self.outline.lookup(call, name)[1]
        )

    # what the copy has to know

    def _kept(self, node: ast.expr, root: ast.Name, text: str, sure: bool) -> str:
        """`self.<name>` that holds the value of the local `node`: one that is there already, or a new stash."""
        outline, store = self.outline, self.store
        scope, _ = outline.lookup(root, root.id)
        if scope is not store.method:
            raise Refused(f"`{root.id}` belongs to an inner function; open it in the method itself")
        bindings = outline.bindings(store.method, root.id)
        if len(bindings) > 1 and any(position(binding.statement) > position(store.statement) for binding in bindings):
            raise Refused(f"`{root.id}` changes after it is opened; keep it under another name")
        opened: Made | None = None
        for held in bindings:
            if isinstance(held.statement, (ast.With, ast.AsyncWith, ast.withitem)) or _opens(held.value):
                raise Refused(f"it is built from `{root.id}`, which is open only here; give it the path instead")
            if held.value is not None and (made := self.recogniser.made(outline, held.value)):
                opened = made[0]
                if len(bindings) > 1 or len(made) > 1 or not opened.kind.parts or self.check_opened is None:
                    raise Refused(
                        f"it is built from `{root.id}`, which can't be pickled either; keep that as an attribute first"
                    )
        for name in self.shape.selves:
            for other in self.shape.stores(name):
                if opened is not None and position(other.target) >= position(store.target):
                    continue  # the copy gets that no earlier
                if other.method is store.method and other.always and other.value is not None:
                    if ast.dump(other.value) == ast.dump(node) and self._settled(name, bindings, other):
                        return f"self.{name}"
                    if isinstance(node, ast.Name) or ast.dump(other.value) != ast.dump(root):
                        continue
                    if self._settled(name, bindings, other) and not (sure and self._is_part_of_another(node)):
                        return f"self.{name}{text[len(root.id) :]}"
        if opened is not None:
            return self._opened_again(root, bindings[0], opened) + text[len(root.id) :]
        if any(binding.parameter for binding in bindings):
            self._refuse_iterators(root.id)
        if not sure and not isinstance(node, ast.Name):
            raise Refused(f"`{text}` is only looked at under a condition; keep it as an attribute")
        return self._stashed(text, _leaf(node))

    def _opened_again(self, root: ast.Name, held: ValueBinding, opened: Made) -> str:
        """What opens the file that the local `root` is, from which only a part is kept."""
        assert self.check_opened is not None and isinstance(held.statement, ast.stmt)
        self.check_opened(root, opened)
        self.anchor, before = held.statement, self.anchor
        text = self.text_of(held.value)
        self.anchor = before
        return text

    def _keep_argument(self, argument: ast.expr, word: str, exchanged: dict[str, str]) -> None:
        """Its value is computed once, above the statement."""
        text = self.source_of(argument)
        if "\n" in text and ("#" in self.source.text_of(argument) or not isinstance(argument, ast.Call)):
            return
        exchanged[text] = self._stashed(text, word, argument)

    def _stashed(self, text: str, wanted: str, argument: ast.expr | None = None) -> str:
        """`self.<name>`, a new attribute for the value of `text`, with a name like `wanted`."""
        if text in self.stashes:
            return f"self.{self.stashes[text].name}"
        statement = self.anchor
        line = self.source.line_text(statement.lineno)
        if line[: statement.col_offset].strip():
            raise Refused("it shares its line with other statements; give it a line of its own")
        if (listed := self.family.shown(self.shape)) is not None:
            raise Refused(
                f"it needs another attribute for `{text}`, and {listed} lists all attributes; add it yourself"
            )
        name = self._free(wanted)
        for shape in self.family.hierarchy(self.shape):
            for special in ("__setattr__", "__getattr__", "__getattribute__"):
                if special in shape.methods:
                    raise Refused(
                        f"`{name}` would have to be stored as another attribute, and `{shape.node.name}` defines "
                        f"`{special}`: keep what it was opened with in an attribute of its own"
                    )
        self.stashes[text] = Stash(statement, name, text, argument)
        return f"self.{name}"

    def _refuse_iterators(self, parameter: str) -> None:
        """Some call of the class gives what can be walked only once."""
        arguments = [
            parameter.arg for parameter in [*self.store.method.args.posonlyargs, *self.store.method.args.args]
        ][1:]
        at = arguments.index(parameter) if parameter in arguments else 99
        for outline in self.family.repo.mentioning(self.shape.node.name):
            for call in outline.calls.get(self.shape.node.name, []):
                given = [
                    *call.args[at : at + 1],
                    *(keyword.value for keyword in call.keywords if keyword.arg == parameter),
                ]
                for argument in given:
                    name = last_name(argument.func) if isinstance(argument, ast.Call) else None
                    if isinstance(argument, ast.GeneratorExp) or name in names("single_use"):
                        raise Refused(
                            f"`{parameter}` can be walked only once ({outline.path}:{call.lineno}); give a list there"
                        )

    def _settled(self, name: str, bindings: Sequence[ValueBinding], store: Store) -> bool:
        """`self.name` keeps that value, and the local one does not change in between."""
        if sum(len(shape.stores(name)) for shape in self.family.hierarchy(self.shape)) != 1:
            return False
        if name in self.family.outside(self.shape).sets or any(map(self._sets_any, self.family.hierarchy(self.shape))):
            return False
        if self.family.set_again(self.shape, name, self.store.statement) is not None:
            return False
        first, last = sorted((position(store.statement), position(self.store.statement)))
        return not any(first < position(binding.statement) < last for binding in bindings if not binding.parameter)

    def _sets_any(self, shape: Shape) -> bool:
        """A method sets attributes whose names it gets, after the object is opened: `setattr(self, name, value)`."""
        for method in shape.methods.values():
            for call in (node for node in ast.walk(method) if isinstance(node, ast.Call)):
                early = method is self.store.method and position(call) < position(self.store.statement)
                first = call.args[0] if call.args else None
                by_name = last_name(call.func) == "setattr" and first is not None and shape.outline.is_self(first)
                if by_name and not isinstance(call.args[1], ast.Constant) and not early:
                    return True
        return False

    def _free(self, wanted: str) -> str:
        """An attribute name that nobody in the family uses."""
        own = self.store.target.attr.strip("_")
        plain = ("torch.utils.data", "object", "abc.", "typing.")
        candidates = [f"_{own}_{wanted}" if wanted != own else f"_{own}_source", f"_{own}_{wanted}_given"]
        if wanted != self.store.target.attr and all(name.startswith(plain) for name in self.family.foreign(self.shape)):
            private = self.store.target.attr.startswith("_") and not wanted.startswith("_")
            candidates.insert(0, f"_{wanted}" if private else wanted)
        taken = {value.name for value in self.stashes.values()} | self.family.outside(self.shape).sets.keys()
        for shape in self.family.hierarchy(self.shape):
            taken |= shape.selves.keys() | shape.methods.keys()
            for statement in shape.node.body:
                for target in getattr(statement, "targets", [getattr(statement, "target", None)]):
                    if isinstance(target, ast.Name):
                        taken.add(target.id)
        for name in candidates:
            if name not in taken:
                return name
        raise Refused(f"no free name for an attribute that keeps `{wanted}`; keep it as one yourself")


def _another(value: ast.expr) -> str:
    return f"`{short(value)}` may return another value the second time; store its result as an attribute"


def _opens(value: ast.expr | None) -> bool:
    """`PathManager.open(...)`, `fs.open(...)`: of any library, what that gives is no more picklable than a file."""
    return isinstance(value, ast.Call) and (last_name(value.func)).endswith("open")


def _root(node: ast.expr) -> ast.Name | None:
    """The name at the front of `a`, `a.b`, `a["k"].c`; None for anything else."""
    while isinstance(node, ast.Attribute) or (isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant)):
        node = node.value
    return node if isinstance(node, ast.Name) else None


def _leaf(node: ast.expr) -> str:
    """The last word of `args.data.root`, `opt["root"]`."""
    if isinstance(node, ast.Attribute):
        return node.attr
    if isinstance(node, ast.Subscript) and isinstance(node.slice, ast.Constant):
        word = str(node.slice.value)
        return word if word.isidentifier() else _leaf(node.value)
    return node.id if isinstance(node, ast.Name) else "value"


def short(node: ast.AST) -> str:
    text = " ".join(ast.unparse(node).split())
    return text if len(text) <= 60 else f"{text[:57]}..."


def _substituted(text: str, exchanged: dict[str, str]) -> str:
    """`text` with some names, attribute chains and whole arguments replaced."""
    import libcst as cst

    def code(node: cst.CSTNode) -> str:
        return cst.Module([]).code_for_node(node)

    codes = {code(cst.parse_expression(key)): value for key, value in exchanged.items()}

    class Exchange(cst.CSTTransformer):
        def leave_Arg(self, original_node: cst.Arg, updated_node: cst.Arg) -> cst.Arg:
            whole = codes.get(code(original_node.value))  # an argument that is kept as a whole
            value = updated_node.value if whole is None else cst.parse_expression(whole)
            return updated_node.with_changes(keyword=original_node.keyword, value=value)

        def leave_Attribute(self, original_node: cst.Attribute, updated_node: cst.Attribute) -> cst.BaseExpression:
            return self._exchanged(original_node, updated_node.with_changes(attr=original_node.attr))

        def leave_Subscript(self, original_node: cst.Subscript, updated_node: cst.Subscript) -> cst.BaseExpression:
            return self._exchanged(original_node, updated_node)

        def leave_Name(self, original_node: cst.Name, updated_node: cst.Name) -> cst.BaseExpression:
            return self._exchanged(original_node, updated_node)

        def _exchanged(self, original: cst.BaseExpression, updated: cst.BaseExpression) -> cst.BaseExpression:
            found = codes.get(code(original))
            return updated if found is None else cst.parse_expression(found)

    tree = cst.parse_expression(f"({text})").visit(Exchange())
    assert isinstance(tree, cst.BaseExpression)
    return cst.Module([]).code_for_node(tree)[1:-1]
