"""Names that nothing else has, for what a rewrite creates."""

from __future__ import annotations

import ast
import builtins
import functools
import keyword
import re
from collections.abc import Callable, Iterable
from typing import TypeVar

from ....finding import Refused
from ....project import Project
from ....syntax.binding_rules import FUNCTIONS, ScopeKind
from ....syntax.name_scans import found_by_scan
from ....syntax.name_tests import Element
from ....syntax.outline import outline_of
from ....syntax.repo import Repo
from ....syntax.scope_data import Scope
from ....syntax.scopes import Scopes

_Item = TypeVar("_Item")
_LOOKS_UP = re.compile(r"\bglobals\(|\bsys\.modules\[__name__\]")  # any name, by its text
_IDENTIFIER = re.compile(r"[^\W\d]\w*")
_ASKING = ("setattr", "getattr", "hasattr", "delattr")
_ASKS_BY_NAME = re.compile(r"\b(?:set|get|has|del)attr\s*\([^,\n]+,[^\n]*[+%{]")
_PLACES = re.compile(r"%[-#0 +]*\d*(?:\.\d+)?[a-z]")
_TRIES = 3
_UNSAID, _SAID = re.compile(r"\.\*|\W|_"), 3  # letters that a name that is put together says at least of itself
_FOUND_BY_NAME = re.compile(r"pytest_|__", re.IGNORECASE)
_FOUND_IN_TESTS = re.compile(r"test|set_?up|tear_?down|load_tests", re.IGNORECASE)  # by pytest, nose and unittest


def composed_names(project: Project) -> dict[str, str]:
    """Patterns of names that code puts together to ask objects for them, `setattr(self, "_collate_" + key, value)`.

    Each with that code, and where it is.
    """
    found: dict[str, str] = {}
    for source in project.matching(_ASKS_BY_NAME, words=_ASKING):
        outline = outline_of(project, source.path)
        calls = [call for name in _ASKING for call in outline.calls.get(name, ())] if outline is not None else []
        for call in calls:
            name = call.args[1] if len(call.args) > 1 else None
            if isinstance(name, (ast.JoinedStr, ast.BinOp)):
                pattern = _as_pattern(name)
                # of what begins with anything, nobody expects an underscore in front
                if not pattern.startswith(".*") and len(_UNSAID.sub("", pattern)) >= _SAID:
                    code = f"{ast.unparse(call.func)}(..., {ast.unparse(name)})"
                    found.setdefault(pattern, f"{code}` ({source.path}:{call.lineno})")
    return found


def _as_pattern(name: ast.expr) -> str:
    """What a name that is put together looks like; what is not known of it is anything."""
    if isinstance(name, ast.Constant):
        return re.escape(str(name.value))
    if isinstance(name, ast.JoinedStr):
        return "".join(map(_as_pattern, name.values))
    if isinstance(name, ast.BinOp) and isinstance(name.op, ast.Add):
        return _as_pattern(name.left) + _as_pattern(name.right)
    if isinstance(name, ast.BinOp) and isinstance(name.op, ast.Mod) and isinstance(name.left, ast.Constant):
        return ".*".join(map(re.escape, _PLACES.split(str(name.left.value))))
    return ".*"


class Chosen(set[_Item]):
    """A set that only gets larger, and can go back to what it was. Which costs as much as has been added since."""

    def __init__(self, items: Iterable[_Item] = ()) -> None:
        super().__init__(items)
        self._added: list[_Item] = []

    @property
    def size(self) -> int:
        """How much has been added so far, for `back_to`."""
        return len(self._added)

    def add(self, item: _Item) -> None:
        if item not in self:
            self._added.append(item)
            super().add(item)

    def back_to(self, size: int) -> list[_Item]:
        """Leave out what has been added since: that."""
        gone = self._added[size:]
        del self._added[size:]
        self.difference_update(gone)
        return gone


class Names:
    """Hands out names that no identifier of the file uses, each once."""

    def __init__(self, project: Project, path: str, scopes: Scopes) -> None:
        source = project.source(path)
        assert source is not None
        self._project, self._path, self._scopes = project, path, scopes
        self._kept = Chosen[str]()
        self._counted: dict[str, int] = {}  # the last number that a name got, and all below are taken
        self._defined: dict[str, bool] = {}
        self._methods: dict[str, tuple[ast.ClassDef, ...]] = {}  # those that were chosen, by name
        self._text = source.text
        self._words = frozenset(_IDENTIFIER.findall(source.text))
        self._taken = Chosen({*self._words, *dir(builtins), *keyword.kwlist})

    def checkpoint(self) -> tuple[int, int]:
        """How much is taken and kept so far, for `rollback`."""
        return self._taken.size, self._kept.size

    def rollback(self, taken: int, kept: int) -> None:
        """Names chosen since are free again."""
        for name in self._taken.back_to(taken):
            self._methods.pop(name, None)
            self._counted.clear()
        self._kept.back_to(kept)

    def fresh(self, wanted: str, instead: str = "") -> str:
        """`wanted`, else `instead`, or `wanted_2`, `wanted_3`... where the file has that word; never chosen twice."""
        name = instead if instead and wanted in self._taken and instead not in self._taken else wanted
        count = self._counted.get(wanted, 1)
        while name in self._taken:
            count += 1
            name = f"{wanted}_{count}"
        self._counted[wanted] = count
        self._taken.add(name)
        return name

    def is_word(self, name: str) -> bool:
        """The file has it already."""
        return name in self._words

    def is_free(self, name: str) -> bool:
        """No identifier of the file, and not chosen yet."""
        return name not in self._taken

    def fresh_attribute(self, wanted: str) -> str:
        """Like `fresh`, and no other file of the project has such an attribute or method either."""
        return self._fresh_in_project(wanted, r"(?:\.|\bdef\s+|[\"']){}\b(?!\{{)")  # f"_resize{{size}}.png" is another

    def fresh_word(self, wanted: str) -> str:
        """Like `fresh`, and the name is no word of any file of the project."""
        return self._fresh_in_project(wanted, r"\b{}\b")

    @functools.cached_property
    def _composed(self) -> dict[str, str]:
        return self._project.derive(composed_names)

    def _fresh_in_project(self, wanted: str, pattern: str) -> str:
        tried = 0
        while True:
            name = self.fresh(wanted)
            composed = next((each for each in self._composed if re.fullmatch(each, name)), None)
            if composed is not None:
                tried += 1
                if tried == _TRIES:
                    what = f"`{self._composed[composed]} puts names together, and may find `{wanted}`"
                    raise Refused(f"{what}, which it would become: move it by hand")
                continue
            if next(iter(self._project.matching(re.compile(pattern.format(re.escape(name))), word=name)), None) is None:
                return name

    def fresh_method(
        self, wanted: str, owner: ast.ClassDef, apart: Callable[[ast.ClassDef, ast.ClassDef], bool], instead: str = ""
    ) -> str:
        """Like `fresh_attribute`; classes that no object is of at once (`apart`) may have methods of one name.

        `instead`: the name where that is taken, rather than a number.
        """
        name, count = wanted, 1
        while name in self._taken:
            owners = self._methods.get(name, ())
            if owners and all(apart(owner, other) for other in owners):
                break
            if instead and name != instead and count == 1:
                name = instead
                continue
            count += 1
            name = f"{wanted}_{count}"
        else:
            name = self.fresh_attribute(name)
        self._methods[name] = (*self._methods.get(name, ()), owner)
        return name

    def is_method_of(self, name: str, owner: ast.ClassDef) -> bool:
        """The class defines it, or was given it."""
        defined = (item.name for item in owner.body if isinstance(item, FUNCTIONS))
        return name in defined or owner in self._methods.get(name, ())

    def is_defined(self, name: str) -> bool:
        """True when some file of the project defines a function or class of that name, or it is no name."""
        if not name:
            return True
        if name not in self._defined:
            pattern = re.compile(rf"\b(?:def|class)\s+{re.escape(name)}\b")
            self._defined[name] = any(self._project.matching(pattern, word=name))
        return self._defined[name]

    def keeps(self, name: str, home: Scope) -> bool:
        """True when a definition of `home` can move to module level under its own name.

        Nothing at module level has the name, nobody reads it there (as a builtin, say), no function between binds it,
        no file star-imports this one, nor this one others, no module of the package is called that, and no code goes
        through the names of the module and would find it. A star import leaves out what begins with an underscore.
        """
        module = self._scopes.module
        private = name.startswith("_")
        if (module.stars and not private) or self._is_submodule(name):
            return False  # others may ask this file for what it has under the name
        in_tests = _FOUND_IN_TESTS.match(name) and "test" in self._path.lower()
        if in_tests or _FOUND_BY_NAME.match(name) or (len(name) < 3 and name.islower()):
            return False  # pytest, unittest or Python would call it; says too little at module level
        if name in module.bindings or name in module.uses or name in dir(builtins) or name in self._kept:
            return False
        above = home.parent
        while above is not None:
            if above.kind is not ScopeKind.CLASS and name in above.bindings:
                return False
            above = above.parent
        kinds = ("function", "derived")
        if found_by_scan(self._project, self._path, [Element(name, kind) for kind in kinds]) is not None:
            return False  # another name may be left out there
        if self._is_looked_up_outside(home) or self._is_asked_for(name):
            return False  # where there was none so far
        return private or not self._is_star_imported

    def keep(self, name: str) -> str:
        """Take a name that `keeps` allowed."""
        self._kept.add(name)
        return name

    def _is_submodule(self, name: str) -> bool:
        folder, _, file = self._path.rpartition("/")
        beside = "/".join(filter(None, [folder, name]))
        return file == "__init__.py" and any(
            path == f"{beside}.py" or path.startswith(f"{beside}/") for path in self._project.python_paths
        )

    def _is_looked_up_outside(self, home: Scope) -> bool:
        """Code outside of `home` looks names of the module up by their text."""
        first, last = getattr(home.node, "lineno", 1), getattr(home.node, "end_lineno", 0)
        return any(not first <= line <= last for line in self._looking_up)

    @functools.cached_property
    def _looking_up(self) -> list[int]:
        """The lines that look names of the module up by their text."""
        return [self._text.count("\n", 0, match.start()) + 1 for match in _LOOKS_UP.finditer(self._text)]

    def _is_asked_for(self, name: str) -> bool:
        """Another file imports the name from this one, or asks whether it has it: `hasattr(module, "name")`."""
        repo = Repo(self._project)
        for outline in repo.mentioning(name):
            if outline.path == self._path:
                continue
            for statement in outline.statements:
                if isinstance(statement, ast.ImportFrom) and any(item.name == name for item in statement.names):
                    found = repo.resolver.modules.imported(outline.path, statement)
                    if self._path in found:
                        return True
            asked = [node.value for node in outline.attributes.get(name, ())]
            asked += [
                call.args[0]
                for asks in ("hasattr", "getattr")
                for call in outline.calls.get(asks, ())
                if len(call.args) > 1 and isinstance(call.args[1], ast.Constant) and call.args[1].value == name
            ]
            modules = (repo.resolver.module(outline, node) for node in asked)
            if any(module is not None and module.path == self._path for module in modules):
                return True
        return False

    @property
    def _is_star_imported(self) -> bool:
        module = self._path.removesuffix(".py").removesuffix("/__init__").rpartition("/")[2]
        return module in self._project.star_imported
