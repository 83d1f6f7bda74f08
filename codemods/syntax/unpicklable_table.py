"""Which callables make something that can't be pickled: the table of unpicklable.toml."""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from importlib import resources
from typing import Any, NamedTuple

from ..project import Project
from ..questions import asked
from ..tree.source import Source

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILES = ("unpicklable.toml", "unpicklable_installed.toml")
_DEF = re.compile(r"def (?<![^\n]def )(\w+)(.*(?:\n(?:[ \t)\]].*)?)*)")  # at the start of a line
_TO_RUNNING = re.compile(r"submit|map|apply|put|send|dump|save")
_SETS = ("stands", "moves", "seeks", "setup")


class Remedy(Enum):
    """What a rule may do about an object that can't be pickled, when another object keeps it."""

    RECREATE = "recreate"  # the same expression makes it again in the copy
    REOPEN = "reopen"  # as RECREATE; only when open for reading
    NAMED = "named"  # the copy asks for the one of that name
    DROP = "drop"  # the copy goes without
    EXHAUST = "generator"  # no copy: a generator gives its values once
    IMPORT = "module"  # the copy imports it
    REPORT = "report"  # nothing is rewritten: `advice` says what a person could do


@dataclass(frozen=True)
class ObjectKind:
    """One entry of the table; the keys are explained there."""

    constructors: tuple[str, ...]
    what: str
    error: str
    remedy: Remedy
    source: str = ""
    binary: str = ""
    given: str = ""
    running: str = ""
    advice: str = ""
    used: str = ""
    module_level: str = ""
    hidden: str = ""
    line: str = ""
    needs: str = ""
    suffix: str = ""
    is_open: str = ""
    mode: tuple[int, str, str] | None = None
    reads: tuple[str, ...] = ()
    stands: frozenset[str] = frozenset()
    moves: frozenset[str] = frozenset()
    seeks: frozenset[str] = frozenset()
    setup: frozenset[str] = frozenset()
    before: tuple[int, int] | None = None
    tell: bool = False
    buffering: tuple[int, str] | None = None
    carries: str = ""
    parts: bool = False
    by_name: bool = False
    sliced: bool = False
    later: bool = False
    memory: bool = False
    filled: bool = False
    inherited: bool = False
    module: bool = False
    in_order: bool = False
    plain: bool = False
    sent_only: bool = False
    at_start: bool = False
    copied: bool = False
    iterator: bool = False


GENERATOR = ObjectKind((), "a generator", "cannot pickle 'generator' object", Remedy.EXHAUST)
COROUTINE = ObjectKind(
    (), "a coroutine", "cannot pickle 'coroutine' object", Remedy.REPORT,
    advice="keep the function and its arguments, and call it where the result is awaited",
)  # fmt: skip
ASYNC_GENERATOR = ObjectKind(
    (), "an asynchronous generator", "cannot pickle 'async_generator' object", Remedy.REPORT,
    advice="keep the function and its arguments, and call it where the values are asked for",
)  # fmt: skip
MODULE = ObjectKind((), "a module", "cannot pickle 'module' object", Remedy.IMPORT)


def advice(kind: ObjectKind, held: str) -> str:
    """What a person can do about an object of `kind` that is called `held`."""
    return f"{kind.advice}: `{kind.line.format(held)}`" if kind.line else kind.advice


def starts_nothing(boundary: str) -> bool:
    """The boundary, by its name, sends to a process that runs already, or writes a file."""
    return _TO_RUNNING.search(boundary.rpartition(".")[2]) is not None


def wrong_context(kind: ObjectKind) -> ObjectKind:
    """`kind`, an object of multiprocessing, where processes of another start method get it."""
    return replace(
        kind,
        inherited=False,
        error="A SemLock created in a fork context is being shared with a process in a spawn context",
        advice='make it with the context of the processes that get it: `multiprocessing.get_context("spawn")`',
    )


@cache
def calling_later(name: str, function: str) -> ObjectKind:
    """What `map` or `filter` gives of `function`, a function that pickle can't find: it keeps that."""
    return ObjectKind((), f"a `{name}` of {function}", "Can't pickle local object", Remedy.EXHAUST)


@cache
def method_of(kind: ObjectKind) -> ObjectKind:
    """A method of such an object, which takes the object along; one of a stream is looked up again."""
    remedy = kind.remedy if kind.plain else Remedy.REPORT
    advice = kind.advice if kind.plain else "keep the object itself, and look the method up where it is called"
    return replace(kind, what=f"a method of {kind.what}", remedy=remedy, advice=advice, line="", copied=True)


@cache
def _table() -> dict[str, Any]:
    folder = resources.files(__package__)
    own, installed = (tomllib.loads(folder.joinpath(name).read_text("utf-8")) for name in _FILES)
    return {**own, "kind": own["kind"] + installed["kind"], "alias": own["alias"] | installed["alias"]}


@cache
def kinds() -> dict[str, ObjectKind]:
    """The table by what an expression gives: "threading.Lock()"."""
    found: dict[str, ObjectKind] = {}
    for entry in _table()["kind"]:
        lists = {
            key: frozenset(value) if key in _SETS else tuple(value)
            for key, value in entry.items()
            if value.__class__ is list
        }
        kind = ObjectKind(**{**entry, **lists, "remedy": Remedy(entry["remedy"])})
        for name in kind.constructors:
            found[name if name.endswith("]") or kind.plain else f"{name}()"] = kind
    return found


@lru_cache(maxsize=4096)
def makes_object(name: str) -> bool:
    """A call of `name`, dotted, always makes something that no Python can pickle, whatever its arguments are."""
    kind = kinds().get(f"{canonical(name)}()") if name.rpartition(".")[2] in _words() else None
    return kind is not None and not (kind.suffix or kind.later or kind.before or kind.module)


@cache
def modules() -> frozenset[str]:
    """Modules that come with a package: dotted names that mean one without an import of their own."""
    return frozenset(_table()["modules"]["names"])


@cache
def words() -> tuple[str, ...]:
    """Last names of all constructors, also by other names: a file with none of these makes nothing of the table."""
    names = {name for kind in kinds().values() for name in kind.constructors} | set(_table()["alias"])
    return tuple(sorted({last for name in names if (last := _word(name)).isidentifier()}))


def _word(name: str) -> str:
    """The last word that code has where it calls the constructor; a loop names what it goes over."""
    return name.removesuffix("().__next__").rpartition(".")[2]


@cache
def _packages() -> dict[str, frozenset[str]]:
    """By word the packages of which a file with it names one, where that is all that makes something; empty: of any."""
    alias: dict[str, str] = _table()["alias"]
    homes = frozenset(alias.values())
    found: dict[str, set[str] | None] = {}
    packages: dict[str, frozenset[str]] = {}
    for name in [*(name for kind in kinds().values() for name in kind.constructors), *alias]:
        word = _word(name)
        root, dot, _ = name.partition(".")
        known = found.setdefault(word, set())
        if not dot or "(" in name or root in homes:
            found[word] = None
        elif known is not None:
            if root not in packages:
                others = (other.partition(".")[0] for other, of in alias.items() if of.startswith(root))
                packages[root] = frozenset((root, *others))
            known |= packages[root]
    return {word: frozenset(roots or ()) for word, roots in found.items()}


def making(project: Project, older: bool = True) -> frozenset[str]:
    """The Python files that call something of the table, or import it by another name, by a look at their text.

    `older`: also those where that is unpicklable in older Pythons only.
    """
    always, before = _making(project)
    return always | before if older else always


@asked
def _making(project: Project) -> tuple[frozenset[str], frozenset[str]]:
    uses = {path: table_uses(project, path) for path in project.python_paths}
    always = frozenset(path for path, use in uses.items() if use.makes)
    return always, frozenset(path for path, use in uses.items() if use.makes_older)


@asked
def makers(project: Project) -> frozenset[str]:
    """Names of functions at module level that may give back something of the table, by a look at the text."""
    return frozenset(name for path in project.python_paths for name in table_uses(project, path).makers)


class TableUses(NamedTuple):
    """What a file does with the table, by a look at its text."""

    names: bool  # a word of the table stands there
    makes: bool  # it calls something of the table, or gives it another name
    makes_older: bool  # only something that older Pythons alone can't pickle
    makers: tuple[str, ...]  # functions of the module that may give back something of it


def table_uses(project: Project, path: str) -> TableUses:
    """What one Python file does with the table."""
    return TableUses(*_table_uses(project, path))


@asked
def _table_uses(project: Project, path: str) -> tuple[bool, bool, bool, tuple[str, ...]]:
    source = project.source(path)
    if source is None:
        return False, False, False, ()
    own = project.words_among(path, _telling())
    named = sorted(own & _words())
    older = _of_older()
    makes = any(_calls(project, source, own, word) for word in named if word not in older)
    makes_older = not makes and any(_calls(project, source, own, word) for word in named if word in older)
    return bool(named), makes, makes_older, tuple(_makers(source.text, named))


def _calls(project: Project, source: Source, own: frozenset[str], word: str) -> bool:
    """True where the file calls `word`, or gives it another name, and means what the table has under it."""
    packages = _packages()[word]
    if packages and own.isdisjoint(packages) and not project.may_define(word) and "import *" not in source.text:
        return False  # else it may wrap that of theirs, or get it from a module of the repository
    return _used(word).search(source.text) is not None


@cache
def _used(word: str) -> re.Pattern[str]:
    # the word first: a pattern that begins with it is found many times faster than one with a boundary
    return re.compile(rf"{word}(?<!\w{word})\s*(?:\(|as\b)")


@cache
def _called(word: str) -> re.Pattern[str]:
    return re.compile(rf"{word}(?<!\w{word})\s*\(")


def _makers(text: str, named: Collection[str]) -> Iterator[str]:
    """Functions at module level that give back what a call of one of `named` gives, or that are generators."""
    if not named and "yield" not in text:
        return
    for match in _DEF.finditer(text):
        body = match.group(2)
        returns = "return" in body
        if "yield" in body or (returns and any(word in body and _called(word).search(body) for word in named)):
            yield match.group(1)


@cache
def _words() -> frozenset[str]:
    return frozenset(words())


@cache
def _telling() -> frozenset[str]:
    """The words that decide what a file does with the table."""
    return _words().union(*_packages().values())


@cache
def _of_older() -> frozenset[str]:
    """Words for what only older Pythons can't pickle."""
    of_older = {_word(name) for kind in kinds().values() for name in kind.constructors if kind.before}
    always = {_word(name) for kind in kinds().values() for name in kind.constructors if not kind.before}
    return frozenset(of_older - always)


@lru_cache(maxsize=4096)
def canonical(origin: str) -> str:
    """The table's own name for a dotted origin."""
    aliases: dict[str, str] = _table()["alias"]
    for _ in range(4):
        fitting = [
            name for name in aliases if origin == name or origin.startswith((f"{name}.", f"{name}(", f"{name}["))
        ]
        if not fitting:
            break
        longest = max(fitting, key=len)
        origin = aliases[longest] + origin[len(longest) :]
    return origin


def kind_of_class(bases: Iterable[str]) -> ObjectKind | None:
    """What objects of a class of the repository are that derives from `bases`; it may take other arguments."""
    found = next((kind for name in bases if (kind := kinds().get(f"{canonical(name)}()")) is not None), None)
    if found is None or found.remedy in (Remedy.RECREATE, Remedy.REPORT):
        return found
    advice = "what its constructor opens can't be seen from here; leave the attribute out in a `__getstate__`"
    return replace(found, remedy=Remedy.REPORT, advice=advice, mode=None)


def base_methods(origin: str) -> frozenset[str] | None:
    """Which state methods a foreign base class has, and what is special about them; None when nobody knows."""
    bases: dict[str, list[str]] = _table()["base"]
    fitting = [name for name in bases if origin == name or origin.startswith(f"{name}.")]
    return frozenset(bases[max(fitting, key=len)]) if fitting else None
