"""What forbids a function to become a partial or an object: code that inspects it and would find something else."""

from __future__ import annotations

import ast
import enum
import re
from functools import cached_property
from typing import NamedTuple

from ....finding import Refused
from ....flow.answers.introspection import AS_TEXT, OF_ITS_PARTIAL, ON_A_CLASS, Question
from ....nodes import walk
from ....project import Project
from ....syntax.binding_rules import LASTING, BindingKind, FunctionNode, ScopeKind, positional
from ....syntax.names import last_name, whose_class
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ....syntax.scope_data import start_of
from ....syntax.scopes import Scopes
from ....tree.source import Source
from ..candidate import Movable, Unit
from ..known import Known, outside_uses
from ..libraries import libraries
from .descriptors import binds_nothing
from .frame_readers import FRAMES, read_by_callee, read_from_error
from .identity import where_in_words
from .names_in_classes import name_read_in_class
from .parameter_values import gets_only_named
from .settled import origin_in

_ASKS_FOR_FUNCTIONS = frozenset({"isfunction", "FunctionType", "LambdaType", "isroutine"})
_OF_FUNCTIONS = frozenset({"__name__", "__qualname__", "__code__"})
CALLABLE = "use a class with `__call__`"
_SIGNATURE = "ask `inspect.signature` there, which knows partials and objects too"
_SEES_THROUGH = frozenset(
    {"inspect.ismethod", "inspect.signature", "inspect.getfullargspec", "__self__", "__func__"}
)  # of a partial that gives values by position they say the same as of a function
_SEE_THROUGH_PARTIALS = frozenset(
    {"inspect.isgeneratorfunction", "inspect.iscoroutinefunction", "inspect.isasyncgenfunction",
     "asyncio.iscoroutinefunction"}
)  # fmt: skip
_SOURCE_TEXT = frozenset({"inspect.getsource", "inspect.getsourcelines", "inspect.findsource", "inspect.getcomments"})
_CLOSURE = frozenset({"inspect.getclosurevars", "__closure__"})
_OF_PARTIALS = frozenset({"args", "func", "keywords"})
_OF_OBJECTS = frozenset({"__name__", "__doc__", "__module__"})  # what a class with `__call__` has, or may set
_PLAIN = "make it a function of the module that gets the values as arguments"
RENAMED = "and the function would get another name: move it to module level by hand"
UNBOUND = "a partial there would not get the object as its first argument: pass the object yourself"


class Form(enum.Enum):
    """What a function becomes; the value is how it is called in a sentence."""

    FUNCTION = "a function"
    PARTIAL = "a partial"
    OBJECT = "an object"


class Asked(NamedTuple):
    """What an object may have and a partial has not is read; `is_name`: the `__name__`; `is_text`: the `__doc__`."""

    words: str
    is_name: bool
    is_text: bool = False

    def and_(self, other: Asked | None) -> Asked:
        """Both are read."""
        if other is None:
            return self
        words = self.words if self.is_name or not other.is_name else other.words
        return Asked(words, self.is_name or other.is_name, self.is_text or other.is_text)


class InspectionChecks:
    """Answers for one file."""

    def __init__(self, project: Project, source: Source, scopes: Scopes, known: Known) -> None:
        self.project, self.source, self.scopes, self.known = project, source, scopes, known
        self.path = source.path

    @cached_property
    def _frames(self) -> re.Match[str] | None:
        """What may read the name of any code in the file."""
        return FRAMES.search(self.source.text)

    def check(self, unit: Unit, form: Form, renamed: bool = False) -> Asked | None:
        """A partial has no `__name__` and is no function, nor is an object; a function's attributes stay behind.

        `form` is what the function becomes. What gets another name has another `__name__`. Returns a place that reads
        its `__name__`, or parts of its partial, which an object may have, and nothing else.

        Raises Refused where the project relies on any of the rest.
        """
        if isinstance(unit.node, ast.ClassDef) and renamed:
            self._check_class_name(unit.node)
        if isinstance(unit.node, ast.Lambda) and "<lambda>" in self.source.text:
            raise Refused("the file looks for functions called `<lambda>`: give it a name by hand")
        self._check_pickled_name(unit)
        renames_code = renamed or isinstance(unit.node, ast.Lambda)
        frames = self._frames if renames_code else None
        if frames is not None:
            line = self.source.position(frames.start())[0]
            raise Refused(f"`{frames[0]}` (line {line}) may read the name of its code, {RENAMED}")
        reader = self._reader_of_name(unit.node) if renames_code else None
        if reader is not None:
            raise Refused(f"{reader}, {RENAMED}")
        wrapped = form is not Form.FUNCTION
        shown = self.source.text.find("<function") if wrapped else -1
        if shown >= 0:
            line = self.source.position(shown)[0]
            raise Refused(f"line {line} looks for `<function` in a text, as which {form.value} is not shown: {_PLAIN}")
        lacking = f"which {form.value} lacks: {CALLABLE if form is Form.PARTIAL else _PLAIN}"
        places: list[ast.AST] = [use.node for use in outside_uses(unit, {unit})]
        for place in [*places, unit.node] if wrapped else ():
            call = self.scopes.parents[place]
            if (
                isinstance(call, ast.Call)
                and call.args[:1] == [place]
                and last_name(call.func) in libraries().compilers
                and origin_in(self.scopes, call.func) != "numpy.vectorize"  # numba's compiles
            ):
                raise Refused(f"`{ast.unparse(call.func)}` (line {call.lineno}) compiles functions only: {_PLAIN}")
        for values in self.known.called(self.path, *start_of(unit.node)) if wrapped else ():
            if values.what in self._listed(values.path):
                what = f"it is `{values.what}` of `__all__` ({values.path}:{values.line}), whose users see a function"
                raise Refused(f"{what} with a name: write it with `def`")
        by_name, asked = self._asks_by_name(unit, form), self._asks_elsewhere(unit, form, renamed, lacking)
        asked = asked.and_(by_name) if asked is not None else by_name
        asks_name = asked is not None and asked.is_name
        for name, node in self._asking if wrapped or renamed else ():
            if wrapped and name in _ASKS_FOR_FUNCTIONS:
                if unit.home.kind is not ScopeKind.CLASS and self._asks_class_bodies(node):
                    continue
                raise Refused(f"`{name}` is used (line {node.lineno}), and a partial is no function: {_PLAIN}")
            of_functions = _OF_FUNCTIONS if wrapped else {"__name__"}
            if name not in of_functions or not isinstance(node, ast.Attribute) or (name == "__name__" and asks_name):
                continue
            if self._may_be_function(node.value) and not (
                self._was_passed(unit, node.value) or gets_only_named(self.project, self.path, self.scopes, node.value)
            ):
                what = f"`{ast.unparse(node)}` is read (line {node.lineno})"
                if name == "__code__":
                    raise Refused(f"{what}, which {form.value} lacks: {_SIGNATURE}")
                if name != "__name__" or not wrapped:
                    raise Refused(f"{what}, {lacking}" if wrapped else f"{what}, {RENAMED}")
                asked, asks_name = Asked(f"{what}, which a partial lacks", True).and_(asked), True
        return asked

    def _reader_of_name(self, node: Movable) -> str | None:
        """What may read its name from a frame, in other files; in words."""

        def calling() -> set[str]:
            return {call.path for call in self.known.given(self.path, *start_of(node))}

        return read_by_callee(self.project, self.path, node) or read_from_error(self.project, self.path, calling)

    def _asks_class_bodies(self, node: ast.AST) -> bool:
        """A metaclass goes over what the body of a class binds: `isinstance(value, FunctionType)` for `ns.items()`."""
        call = self.scopes.parents[node]
        subject = call.args[0] if isinstance(call, ast.Call) and call.args else None
        if not isinstance(subject, ast.Name):
            return False
        walked: ast.expr | None = None
        for above in self.scopes.ancestors(node):
            for loop in getattr(above, "generators", [above] if isinstance(above, ast.For) else []):
                if any(isinstance(part, ast.Name) and part.id == subject.id for part in walk(loop.target)):
                    walked = loop.iter
            if isinstance(above, ast.FunctionDef):
                body = positional(above)[-1:]
                return (
                    walked is not None
                    and above.name in ("__new__", "__init__")
                    and [ast.unparse(walked).removesuffix(".items()").removesuffix(".values()")] == body
                    and _is_metaclass(self.scopes.parents[above])
                )
        return False

    def _check_pickled_name(self, unit: Unit) -> None:
        """Raises Refused where `functools` gives it the name of another function, or another function its name."""
        for use in outside_uses(unit, {unit}):
            call = self.scopes.parents[use.node]
            if not isinstance(call, ast.Call) or use.node not in call.args[:1]:
                continue
            made = call.func.func if isinstance(call.func, ast.Call) else call.func
            origin = origin_in(self.scopes, made)
            if origin == "functools.update_wrapper" or (origin == "functools.wraps" and made is not call.func):
                other = call.args[1:2] if made is call.func else call.func.args[:1]  # type: ignore[attr-defined]
                what = f"`{ast.unparse(other[0])}`" if other else "another function"
                raise Refused(
                    f"`{ast.unparse(made)}` (line {call.lineno}) gives it the name of {what}, under which pickle finds "
                    "that, and not this function: give it only the `__doc__` of what it wraps"
                )
            if origin == "functools.wraps" and any(call in decorated.decorator_list for decorated in self._decorated):
                raise Refused(
                    f"`{ast.unparse(made)}` (line {call.lineno}) gives its name to another function, under which "
                    "pickle finds this one, and not the other: leave that out"
                )

    @cached_property
    def _decorated(self) -> list[FunctionNode]:
        """The functions of the file with a decorator."""
        functions = (
            node for node in walk(self.scopes.tree) if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        )
        return [node for node in functions if node.decorator_list]

    def _check_class_name(self, node: ast.ClassDef) -> None:
        """Raises Refused where `type(x).__name__` may be the name of the class, which becomes another."""
        repo = Repo(self.project)
        outline = repo.outline(self.path)
        lineage = repo.resolver.lineage(Class(outline, node)) if outline is not None else []
        own = {id(inner) for cls in lineage for inner in walk(cls.node)}
        for where in dict.fromkeys(cls.outline for cls in lineage):
            for name in ("__name__", "__qualname__"):
                for read in where.attributes.get(name, ()):
                    owner = where.owner(read)
                    of_object = whose_class(read.value)
                    other = of_object is not None and where.is_self(of_object) and owner is not None
                    if of_object is None or (id(read) not in own and (other or where is not outline)):
                        continue
                    place = f"line {read.lineno}" if where is outline else f"{where.path}:{read.lineno}"
                    raise Refused(f"`{ast.unparse(read)}` is read ({place}), and the class would get another name")

    @cached_property
    def _asking(self) -> list[tuple[str, ast.Attribute | ast.Name]]:
        """The names in the file that ask something of functions."""
        names = (
            (node.attr if isinstance(node, ast.Attribute) else node.id, node)
            for node in walk(self.scopes.tree)
            if isinstance(node, (ast.Attribute, ast.Name))
        )
        asking = _ASKS_FOR_FUNCTIONS | _OF_FUNCTIONS
        return [(name, node) for name, node in names if name in asking]

    def _listed(self, path: str) -> frozenset[str]:
        """The names in a file's `__all__`."""
        module = self.project.module(path)
        found: set[str] = set()
        for statement in module.body if module is not None else ():
            if (
                isinstance(statement, (ast.Assign, ast.AugAssign))
                and "__all__" in ast.unparse(statement).partition("=")[0]
            ):
                constants = (node.value for node in walk(statement) if isinstance(node, ast.Constant))
                found |= {value for value in constants if isinstance(value, str)}
        return frozenset(found)

    def _asks_by_name(self, unit: Unit, form: Form) -> Asked | None:
        unseen = f"which a worker does not see: {CALLABLE}"
        asked: Asked | None = None
        for use in outside_uses(unit, {unit}) if form is not Form.OBJECT else ():
            parent = self.scopes.parents[use.node]
            if isinstance(parent, ast.Attribute):
                what = f"`{use.name}.{parent.attr}`"
                if form is Form.PARTIAL and parent.attr in _OF_PARTIALS:
                    raise Refused(f"{what} is used (line {parent.lineno}), which means something else on a partial")
                if form is Form.PARTIAL and (parent.attr == "__dict__" or not parent.attr.startswith("__")):
                    continue  # a partial keeps attributes; multiprocessing pickles it without them
                if not isinstance(parent.ctx, ast.Load):
                    raise Refused(f"{what} is set (line {parent.lineno}), {unseen}")
                if form is Form.PARTIAL and parent.attr in ("__name__", "__doc__"):
                    read = f"{what} is read (line {parent.lineno}), which a partial lacks"
                    asked = Asked(read, parent.attr == "__name__", parent.attr == "__doc__").and_(asked)
                elif form is Form.PARTIAL:
                    advice = _advice(parent.attr)
                    raise Refused(f"{what} is read (line {parent.lineno}), which a partial lacks: {advice}")
            if form is not Form.PARTIAL and isinstance(parent, ast.Call) and ast.unparse(parent.func) == "setattr":
                raise Refused(f"an attribute is set on `{use.name}` (line {parent.lineno}), {unseen}")
        return asked

    def _asks_elsewhere(self, unit: Unit, form: Form, renamed: bool, lacking: str) -> Asked | None:
        """What the flow knows of places that get the function as a value."""
        asked: Asked | None = None
        wrapped = form is not Form.FUNCTION
        for text in self.known.passed(self.path, *start_of(unit.node)) if wrapped else ():
            if text.what in AS_TEXT and self._is_taken_apart(text):
                where = where_in_words(text, self.path)
                raise Refused(f"`{text.what}` of it is taken apart ({where}), as a text of a function: {_PLAIN}")
        questions = self.known.asked(self.path, *start_of(unit.node))
        for question in sorted(questions, key=lambda each: not _asks_for_function(each.what)):  # no class helps there
            if question.what == "__get__" and binds_nothing(self.project, question.path, question.line):
                continue
            where = f"line {question.line}" if question.path == self.path else f"{question.path}:{question.line}"
            read = f"its `{question.what}` is read ({where})"
            if not wrapped and question.what in _SOURCE_TEXT:
                raise Refused(f"`{question.what}` reads its source text ({where}), which is another at module level")
            if not wrapped and unit.uses and question.what in _CLOSURE:
                raise Refused(f"{_what_asks(question)} ({where}), and at module level it has no closure: {_PLAIN}")
            if not (wrapped or renamed) or (question.what == "type" and self._is_no_callable(question)):
                continue
            if form is Form.PARTIAL and question.what in _SEE_THROUGH_PARTIALS:
                continue
            if question.what == "__class__" and wrapped:
                raise Refused(f"{read}, and a partial is no function: {_PLAIN}")
            if question.what.startswith(OF_ITS_PARTIAL):
                what = question.what[len(OF_ITS_PARTIAL) :]
                if form is Form.PARTIAL:
                    asked = asked or Asked(
                        f"`{what}` of a partial of it is read ({where}), which would hold more", False
                    )
            elif question.what == "__name__" and wrapped:
                asked = Asked(f"{read}, {lacking.partition(':')[0]}", True).and_(asked)
            elif question.what == "__doc__" and wrapped:
                asked = Asked(f"{read}, {lacking.partition(':')[0]}", False, True).and_(asked)
            elif question.what == "__name__":
                raise Refused(f"{read}, {RENAMED}")
            elif wrapped and question.what.startswith("__") and question.what not in _SEES_THROUGH:
                advice = _advice(question.what) if form is Form.PARTIAL else _PLAIN
                raise Refused(f"{read}, {lacking.partition(':')[0]}: {advice}")
            elif wrapped and question.what == ON_A_CLASS:
                raise Refused(f"it is stored on a class ({where}), and {UNBOUND}")
            elif wrapped and question.what not in _SEES_THROUGH:
                raise Refused(f"`{question.what}` looks at it ({where}), and a partial is no function: {_PLAIN}")
        return asked

    def _is_no_callable(self, question: Question) -> bool:
        """`if not callable(x): raise TypeError(type(x))`: no function gets there."""
        outline = Repo(self.project).outline(question.path)
        calls = outline.calls.get("type", ()) if outline is not None else ()
        for call in (call for call in calls if call.lineno == question.line and len(call.args) == 1):
            inner: ast.AST = call
            for above in outline.ancestors(call) if outline is not None else ():
                refuses = isinstance(above, ast.If) and any(inner is item for item in above.body)
                if refuses and ast.unparse(above.test) == f"not callable({ast.unparse(call.args[0])})":  # type: ignore[attr-defined]
                    return True
                inner = above
        return False

    def _is_taken_apart(self, question: Question) -> bool:
        """`repr(x).split()`, `str(x)[1:9]`, `"function" in repr(x)`: more than to show it."""
        outline = Repo(self.project).outline(question.path)
        calls = outline.calls.get(question.what, ()) if outline is not None else ()
        return outline is not None and any(
            call.lineno == question.line
            and isinstance(outline.parents[call], (ast.Attribute, ast.Subscript, ast.Compare))
            for call in calls
        )

    def _was_passed(self, unit: Unit, value: ast.expr) -> bool:
        """A parameter, never bound again, of the function that makes the unit: it has its value before."""
        if not isinstance(value, ast.Name) or not unit.home.is_local:
            return False
        owner = self.scopes.owner(self.scopes.around(value), value.id)
        return owner is unit.home and [binding.kind for binding in owner.bindings[value.id]] == [BindingKind.PARAMETER]

    def _may_be_function(self, value: ast.expr) -> bool:
        if isinstance(value, ast.Attribute):
            return value.attr != "__class__"
        if isinstance(value, ast.Name):
            if value.id == "cls" or value.id[:1].isupper():
                return False
            owner = self.scopes.owner(self.scopes.around(value), value.id)
            return owner is not None and all(binding.kind not in LASTING for binding in owner.bindings[value.id])
        return isinstance(value, ast.Subscript)


def shown_name(project: Project, known: Known, path: str, node: Movable, renamed: bool) -> str | None:
    """The place that reads the name of a function that stays one, which says something else then; in words."""
    if isinstance(node, ast.ClassDef):
        return None
    is_lambda = isinstance(node, ast.Lambda)
    for question in known.asked(path, *start_of(node)):
        where = f"line {question.line}" if question.path == path else f"{question.path}:{question.line}"
        if question.what == "__qualname__" or (question.what == "__name__" and (is_lambda or renamed)):
            now = "`<lambda>`" if is_lambda else "the name of the function around it"
            what = "it is " if question.what == "__name__" else "it holds "
            return f"its `{question.what}` is read ({where}), and {what}{now} no more"
    found = name_read_in_class(project, path, node) if isinstance(node, ast.Lambda) else None
    return f"{found}: it is called `<lambda>` no more" if found is not None else None


def _advice(attribute: str) -> str:
    """What to do where the attribute of a function is read, which a partial lacks."""
    if attribute == "__code__":
        return _SIGNATURE
    return CALLABLE if attribute in _OF_OBJECTS else _PLAIN


def _asks_for_function(what: str) -> bool:
    """What only a function of `def` or `lambda` answers: `inspect.isfunction`, and no attribute."""
    return not what.startswith("__") and what not in _SEES_THROUGH and not what.startswith(OF_ITS_PARTIAL)


def _what_asks(question: Question) -> str:
    if question.what.startswith("__"):
        return f"its `{question.what}` is read"
    return f"`{question.what}` looks at it"


def _is_metaclass(node: ast.AST) -> bool:
    return isinstance(node, ast.ClassDef) and any(last_name(base) in ("type", "ABCMeta") for base in node.bases)
