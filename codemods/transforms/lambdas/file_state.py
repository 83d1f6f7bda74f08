"""A file that code moves about in, and what is known of a move."""

from __future__ import annotations

import ast
import itertools
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from ...finding import Edit, Import, Refused
from ...nodes import walk
from ...project import Project
from ...syntax.line_width import line_width
from ...syntax.placement import blank_lines_above, indentation_unit, usual_gap
from ...syntax.python_floor import old_python
from ...syntax.repo import Repo
from ...syntax.resolver import Class
from ...syntax.scope_data import Scope, Use, end_of, start_of
from ...syntax.scopes import scopes_of
from .candidate import SEES_NAMES, Unit, is_about_object
from .candidates import Units
from .stdlib_forms import spelled
from .writing.free_names import Chosen, Names
from .writing.fstrings import span

Signature = tuple[tuple[object, ...], str, int]  # the code and what it reads, its role, the line of its statement
_NO_CALL = re.compile(r"(?:[=,(\[{:]|\b(?:return|else|if|in|or|and|yield|not))\s*\Z")

_NAMED = ("arg", "attr", "id", "value")  # of a node: where it may name a keyword
_FACTORY_READ = re.compile(r"\.default_factory\b(?!\s*=[^=])")


@dataclass(eq=False)
class Move:
    """How one unit leaves: its new name, what it is called by, and what is passed."""

    unit: Unit
    name: str = ""
    method: tuple[Scope, str, ast.ClassDef] | None = None
    attributes: tuple[str, ...] = ()  # of self, passed one by one instead of self
    captures: tuple[str, ...] = ()
    parts: dict[str, list[str]] = field(default_factory=dict)  # capture -> its attributes, passed instead of it
    keeps_name: bool = False
    is_repeated: bool = False  # another one of the group is the same code under this name
    is_object: bool = False  # a class with `__call__` instead of a function
    is_bare: bool = False  # the `__dict__` of that object is read, and shows what was set on the function alone
    shared_by: list[str] = field(default_factory=list)  # special methods by which copies share that object
    kept: dict[str, str] = field(default_factory=dict)  # captured value -> attribute of the object that keeps it
    called: str | None = None  # its `__name__`, where somebody reads that
    unset: str = ""  # what its `__call__` takes for a default value that the object keeps
    documented: bool = False  # somebody reads its `__doc__`
    shown: str | None = None  # a place that shows its name, which changes
    notes: list[str] = field(default_factory=list)  # what the fix says beside what it does
    is_distinct: bool = False  # each time that it is made it has to be another object
    is_own: bool = False  # it is compared with others, and made once: a function that nothing else stands for will do
    passes_on: list[str] | None = None  # what a lambda adds to a call of `name`, which is all that it does
    shields_self: bool = False  # some call passes a keyword of the name that the method's object has
    unsaid: dict[str, str] | None = None  # what is passed -> name that no call says, where `/` can't be written

    @property
    def is_partial(self) -> bool:
        """A `functools.partial` stands where it was made."""
        if self.passes_on is not None:
            return bool(self.passes_on)
        return not self.is_object and bool(self.arguments or self.unit.frozen or self.is_distinct)

    @property
    def base(self) -> str:
        """What it is called by."""
        return f"{self.method[1]}.{self.name}" if self.method else self.name

    @property
    def arguments(self) -> list[str]:
        """The values that are passed, as written where it was defined."""
        me = self.unit.own_self[1] if self.unit.own_self else "self"
        values = (statement.value for statement in self.unit.fields.values())
        fields = [ast.unparse(value) for value in values if value is not None]
        captured = [[f"{name}.{part}" for part in self.parts.get(name, ())] or [name] for name in self.captures]
        return [*(f"{me}.{attribute}" for attribute in self.attributes), *itertools.chain(*captured), *fields]

    @property
    def leading(self) -> list[str]:
        """The parameters that come first in its new place."""
        own = [self.method[1]] if self.method else []
        if self.unsaid is not None:
            return [*own, *(self.unsaid.get(name, name) for name in (*self.attributes, *self.captures))]
        passed = [*self.attributes, *itertools.chain(*(self.parts.get(name, [name]) for name in self.captures))]
        return [*own, *passed, *(["/"] if takes_any(self.unit.node) and (passed or self.shields_self) else [])]


def takes_any(node: ast.AST) -> bool:
    """A function with `**kwargs` that the names of new parameters would take keywords from, were there no `/`."""
    if isinstance(node, ast.ClassDef):
        return False
    return node.args.kwarg is not None and not node.args.posonlyargs  # type: ignore[attr-defined]


class FileRewrite:
    """One file: its text, its scopes, and how it is laid out."""

    def __init__(self, project: Project, path: str, module: ast.Module) -> None:
        source = project.source(path)
        assert source is not None
        self.project, self.path, self.source = project, path, source
        # lines that we write are no longer than this, where they can be broken
        self.width = line_width(source.text, unknown=88)
        self.scopes = scopes_of(module)
        self.units = Units(project, source, self.scopes)
        self.padded = Chosen[int]()  # offsets that got their blank lines
        self.signatures: dict[Unit, Signature | None] = {}  # see `choose_name.same_code`
        self.room_below: dict[int, int] = {}  # blank lines that a fix adds below a line

    @cached_property
    def names(self) -> Names:
        """The names that the file has, and those that fixes add."""
        return Names(self.project, self.path, self.scopes)

    @cached_property
    def indent_unit(self) -> str:
        """What one level of the file is indented by."""
        return indentation_unit(self.source, self.scopes.tree)

    @cached_property
    def gap(self) -> int:
        """The blank lines that the file has between definitions at module level."""
        return usual_gap(self.source, self.scopes.tree)

    @cached_property
    def old_python(self) -> str | None:
        """The place where the repository names a Python that has no `/`."""
        return old_python(self.project, self.path)

    @cached_property
    def reads_factories(self) -> bool:
        """Some file of the project looks at the `default_factory` of a dict, which may be compared with another."""
        return any(self.project.matching(_FACTORY_READ, word="default_factory"))

    @cached_property
    def seeing_names(self) -> list[Use]:
        """Uses of `eval` and the like, which may find variables by their names."""
        scopes = self.scopes
        return [use for use in scopes.uses if use.name in SEES_NAMES and not is_about_object(scopes, use)]

    def is_ours(self, node: ast.AST) -> Callable[[str], bool]:
        """Of a name: code of the project is called so, which may do anything with its argument `node`.

        A class derived from a loader of torch hands on what it never names.
        """
        above = self.scopes.parents[node]
        keyword = above.arg if isinstance(above, ast.keyword) else None
        return lambda name: self.names.is_defined(name) and not (keyword and self._hands_on(name, keyword))

    def _hands_on(self, name: str, keyword: str) -> bool:
        repo = Repo(self.project)
        found = [(each, made) for each in repo.mentioning(name) for made in each.definitions.get(name, ())]
        for outline, made in found:
            if not isinstance(made, ast.ClassDef) or "DataLoader" not in repo.resolver.base_names(Class(outline, made)):
                return False
            for at in repo.resolver.lineage(Class(outline, made)):
                if any(keyword in (getattr(part, name, "") for name in _NAMED) for part in walk(at.node)):
                    return False
        return bool(found)

    def is_keyword(self, name: str) -> bool:
        """Some call of the project passes a keyword of this name, or may do so: `**locals()`, `**{"self": ...}`."""
        text = re.escape(name)
        pattern = rf"[(,]\s*{text}\s*=(?!=)|[\"']{text}[\"']\s*[:\]]|\*\*\s*(?:locals|vars)\(\s*\)"
        return any(self.project.matching(re.compile(pattern), word=name))

    def checkpoint(self) -> tuple[int, int, int]:
        """The room and the names that have been chosen so far, for `rollback`."""
        return self.padded.size, *self.names.checkpoint()

    def rollback(self, given: tuple[int, int, int]) -> None:
        """Forget what was chosen since."""
        self.padded.back_to(given[0])
        self.names.rollback(given[1], given[2])

    def replace(self, node: ast.AST, text: str) -> Edit:
        """`text` instead of the node."""
        return Edit(self.path, self.source.offset(*start_of(node)), self.source.offset(*end_of(node)), text)

    def rename(self, use: Use, text: str) -> Edit:
        """`text` instead of the name. Raises Refused in an f-string where that can't be told from other text."""
        return Edit(self.path, *span(self.scopes, self.source, use), text)

    def replace_lambda(self, node: ast.Lambda, text: str) -> Edit:
        """`text` instead of the lambda and of parentheses that were there for its sake."""
        edit, source = self.replace(node, text), self.source.text
        start, end = edit.start, edit.end
        while True:
            opened, closed = start, end
            while source[opened - 1 : opened].isspace():
                opened -= 1
            while source[closed : closed + 1].isspace():
                closed += 1
            if source[opened - 1 : opened] != "(" or source[closed : closed + 1] != ")":
                break
            if source[opened - 2 : opened - 1].isalnum() or not _NO_CALL.search(
                source, max(0, opened - 40), opened - 1
            ):
                break
            if (opened, closed) != (start, end) and opened - source.rfind("\n", 0, opened) + len(text) > self.width:
                break  # they are there to break the line
            start, end = opened - 1, closed + 1
        return self._closed_up(node, Edit(self.path, start, end, text))

    def _closed_up(self, node: ast.Lambda, edit: Edit) -> Edit:
        """The edit with the line breaks of a call around it that has no other argument, where one line has the room."""
        source, call = self.source, self.scopes.parents[node]
        if not (isinstance(call, ast.Call) and call.args == [node] and not call.keywords):
            return edit
        opened, closed = source.offset(*end_of(call.func)) + 1, source.offset(*end_of(call)) - 1
        before, after = source.text[opened : edit.start], source.text[edit.end : closed]
        if "\n" not in before or before.strip() or after.strip():
            return edit  # all on one line, or a comment, or the comma by which formatters keep the lines
        first, last = source.position(opened)[0], source.position(closed)[0]
        head = source.text[source.line_starts[first - 1] : opened]
        tail = source.text[closed : source.line_starts[last - 1] + len(source.line_text(last))]
        if len(head + edit.text + tail) > self.width or "#" in tail:
            return edit
        return Edit(self.path, opened, closed, edit.text)

    def partial(self, base: str, arguments: Sequence[str], node: ast.AST, imports: list[Import]) -> str:
        """A `functools.partial` of `base` where `node` stands. Raises Refused where the file has no way to say that."""
        found = spelled(self.scopes, self.path, node, "functools", "partial")
        if found is None:
            raise Refused("`functools` is something else in this file: pass the values as arguments")
        imports += found[1]
        return f"{found[0]}({', '.join([base, *arguments])})"

    def gap_at(self, line: int) -> int:
        """Blank lines around what goes above a line: as the file has them, and no fewer than that line has."""
        above = blank_lines_above(self.source, line)
        return max(self.gap, min(above, 2)) if above < 99 else self.gap

    def missing_above(self, line: int, gap: int) -> int:
        """Blank lines to add above a line, those counted in that another fix adds there."""
        above = blank_lines_above(self.source, line)
        return max(0, gap - above - self.room_below.get(line - 1 - above, 0))

    def can_vanish(self, unit: Unit) -> bool:
        """The definition may go without leaving an assignment: its block has something else."""
        assert isinstance(unit.node, ast.stmt)
        block = self.scopes.block_of(unit.node)
        return any(statement is not unit.node and not self._moves_too(statement) for statement in block)

    def returned_name(self, unit: Unit) -> ast.Name | None:
        """The name in `return f`, where that follows on `def f` at once, so that nothing else sees the function."""
        node = unit.node
        if isinstance(node, (ast.Lambda, ast.ClassDef)):
            return None
        home = self.scopes.around(node)
        block = self.scopes.block_of(node)
        after = block[block.index(node) + 1] if block[-1] is not node else None
        if not (isinstance(after, ast.Return) and isinstance(after.value, ast.Name) and after.value.id == node.name):
            return None
        inside = set(ast.walk(node))
        uses = [use for use in home.uses.get(node.name, []) if use.node not in inside]
        line = self.source.line_text(after.lineno)
        alone = line.strip() == f"return {node.name}" or line.lstrip().startswith(f"return {node.name} ")
        apart = all(use.scope is home for use in uses)  # by no other function, nor by what runs after a `return`
        left = not any(isinstance(above, ast.Try) for above in self.scopes.ancestors(node))
        mine = (len(uses) == 1 or (apart and left)) and any(use.node is after.value for use in uses)
        return after.value if mine and alone else None

    def _moves_too(self, statement: ast.stmt) -> bool:
        unit = self.units.all.get(statement)
        return unit is not None and unit.refused is None
