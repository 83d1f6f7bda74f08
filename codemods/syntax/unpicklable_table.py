"""Which callables make something that can't be pickled: the table of unpicklable.toml."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from functools import cache, lru_cache
from importlib import resources
from typing import Any

from ..project import Project

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

_FILES = ("unpicklable.toml", "unpicklable_installed.toml")
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
    advice: str = ""
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
    carries: str = ""
    parts: bool = False
    later: bool = False
    memory: bool = False
    filled: bool = False
    inherited: bool = False
    module: bool = False
    in_order: bool = False
    plain: bool = False
    sent_only: bool = False


GENERATOR = ObjectKind((), "a generator", "cannot pickle 'generator' object", Remedy.EXHAUST)
MODULE = ObjectKind((), "a module", "cannot pickle 'module' object", Remedy.IMPORT)


def advice(kind: ObjectKind, held: str) -> str:
    """What a person can do about an object of `kind` that is called `held`."""
    return f"{kind.advice}: `{kind.line.format(held)}`" if kind.line else kind.advice


def wrong_context(kind: ObjectKind) -> ObjectKind:
    """`kind`, an object of multiprocessing, where processes of another start method get it."""
    return replace(
        kind,
        inherited=False,
        error="A SemLock created in a fork context is being shared with a process in a spawn context",
        advice='make it with the context of the processes that get it: `multiprocessing.get_context("spawn")`',
    )


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


@cache
def modules() -> frozenset[str]:
    """Modules that come with a package: dotted names that mean one without an import of their own."""
    return frozenset(_table()["modules"]["names"])


@cache
def words() -> tuple[str, ...]:
    """Last names of all constructors, also by other names: a file with none of these makes nothing of the table."""
    names = {name for kind in kinds().values() for name in kind.constructors} | set(_table()["alias"])
    return tuple(sorted({last for name in names if (last := name.rpartition(".")[2]).isidentifier()}))


@cache
def _packages(word: str) -> frozenset[str]:
    """The packages of which a file with `word` names one, where that is all that makes something; empty: of any."""
    names = [name for kind in kinds().values() for name in kind.constructors]
    names += _table()["alias"]
    found: set[str] = set()
    for name in (name for name in names if name.rpartition(".")[2] == word):
        root, dot, _ = name.partition(".")
        if not dot or "(" in name or root in _table()["alias"].values():
            return frozenset()
        found |= {root, *(alias.partition(".")[0] for alias, of in _table()["alias"].items() if of.startswith(root))}
    return frozenset(found)


def making(project: Project, older: bool = True) -> frozenset[str]:
    """The Python files that call something of the table, or import it by another name, by a look at their text.

    `older`: also those where that is unpicklable in older Pythons only.
    """
    always, before = project.derive(_making)
    return always | before if older else always


def _making(project: Project) -> tuple[frozenset[str], frozenset[str]]:
    now, of_older = _words_by_age()
    always = _calling(project, now, frozenset())
    return always, _calling(project, of_older, always)


@cache
def _words_by_age() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The words of what is unpicklable in every Python, and those of what is so in older ones only."""
    of_older = {name.rpartition(".")[2] for kind in kinds().values() for name in kind.constructors if kind.before}
    of_older -= {name.rpartition(".")[2] for kind in kinds().values() for name in kind.constructors if not kind.before}
    return tuple(word for word in words() if word not in of_older), tuple(sorted(of_older))


def _calling(project: Project, words: Iterable[str], but: frozenset[str]) -> frozenset[str]:
    """The files, `but` some, that call one of `words`, or give it another name."""
    found: set[str] = set()
    for word in project.known_words(words):
        paths = [path for path in project.with_words((word,)) if path not in found and path not in but]
        if paths and (packages := _packages(word)) and not project.may_define(word):  # else it may wrap that of theirs
            named = set(project.with_words(packages))
            paths = [path for path in paths if path in named]
        if paths:
            # the word first: a pattern that begins with it is found many times faster than one with a boundary
            used = re.compile(rf"{word}(?<!\w{word})\s*(?:\(|as\b)")
            sources = map(project.source, paths)
            found |= {source.path for source in sources if source is not None and used.search(source.text)}
    return frozenset(found)


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
