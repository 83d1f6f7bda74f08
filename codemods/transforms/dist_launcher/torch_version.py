"""Which torch a repository names, where it allows no newer one: `torchrun` came with 1.10, its module with 1.9."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from ...project import Project

_FILES = re.compile(
    r"(^|/)(requirements?[^/]*\.(txt|in)|requirements/[^/]+\.txt|constraints[^/]*\.txt|setup\.(py|cfg)|pyproject\.toml"
    r"|Pipfile|(conda|env|environment)[^/]*\.ya?ml|[^/]*dockerfile[^/]*)$",
    re.IGNORECASE,
)
_GUIDE = re.compile(r"\.(md|rst)$", re.IGNORECASE)
_SCRIPT = re.compile(r"(^|/)[^/]*(install|setup|env)[^/]*\.(sh|bash)$", re.IGNORECASE)
_INSTALLS = re.compile(r"\b(pip3?|conda|mamba) install\b")
_NAMES_TORCH = re.compile(r"(?<![\w./-])(?:py)?torch(?![\w./-])")
_SIDE_FOLDERS = frozenset(  # what lies in them is about the folder above
    [
        "requirements", "docker", "dockers", "env", "envs", "environment", "conda", "install", "build", ".devcontainer",
        "doc", "docs", "documents",
    ]
)  # fmt: skip
_CLAUSE = r"(?:[<>=!~]=?=?\s*[\"']?\d[\d.*+\w]*\s*,?\s*)"
_REQUIREMENT = re.compile(rf"(?<![\w.-])(?:py)?torch\s*({_CLAUSE}+)")
_PARTS = re.compile(r"([<>=!~]=?=?)\s*[\"']?(\d[\d.*]*)")
_IMAGE = re.compile(
    r"pytorch/pytorch:(\d+)\.(\d+)|/torch-(\d+)\.(\d+)\.\d+"
    r"|^\s*(?:ARG|ENV)\s+(?:PY)?TORCH(?:_VERSION)?[\s=]\s*[\"']?(\d+)\.(\d+)",
    re.MULTILINE,
)
_TABLE = re.compile(r"^\s*[\"']?torch[\"']?\s*=\s*(?:\{.*?\bversion\s*=\s*)?[\"'](?=[\d<>=!~])")  # TOML: Poetry, Pipenv
_PROSE = re.compile(  # `PyTorch 1.7.1`, `[PyTorch](https://...) (1.7.1)`, `PyTorch version: v1.7`
    r"\b(?:py)?torch\]?(?:\([^)]*\))?[\s*_`]*(?:\(?version\)?|==?)?[\s:=*_`(]*v?(\d+)\.(\d+)(?:\.\d+)*(?![\w.]*\+)(?!\d)",
    re.IGNORECASE,
)
_OR_NEWER = re.compile(
    r"^[^.;|]{0,12}\b(?:or|and)\s+(?:later|higher|above|newer|greater|up)\b|^\s*[\w.]*\+|^\s*[-~–]\s*\d|^\s*<", re.I
)

Version = tuple[int, int]
_MINORS = [(0, 4), *((1, minor) for minor in range(14)), *((2, minor) for minor in range(20))]
_PATCHES = range(4)
_FUTURE = "99.0"


@dataclass(frozen=True, slots=True)
class Pin:
    """The newest torch (major, minor) that `path`:`line` allows."""

    path: str
    line: int
    newest: Version


def pins(project: Project) -> list[Pin]:
    """Every upper bound on torch in the project's requirement files, environments, images and installation guides."""
    found: list[Pin] = []
    for path in project.paths:
        guide = _GUIDE.search(path) is not None
        source = project.source(path) if guide or _FILES.search(path) or _SCRIPT.search(path) else None
        if source is None or "torch" not in source.text.lower():
            continue
        lines = list(enumerate(source.text.splitlines(), 1))
        plain = [(number, line) for number, line in lines if guide or line.lstrip()[:1] != "#"]
        if guide or _SCRIPT.search(path):
            found += _guide(path, plain, prose=guide)
        else:
            named = ((number, _newest(line)) for number, line in plain)
            found += [Pin(path, number, newest) for number, newest in named if newest is not None]
    return found


def _guide(path: str, lines: list[tuple[int, str]], prose: bool) -> list[Pin]:
    """A guide shows versions to choose from: the newest counts, and none where one line asks for any torch."""
    installs = [(number, line) for number, line in lines if _INSTALLS.search(line) and _NAMES_TORCH.search(line)]
    named = [(number, newest) for number, line in installs if (newest := _newest(line)) is not None]
    if len(named) < len(installs):
        return []
    if prose:
        for number, line in lines:
            for version in _versions_in_words(line):
                if version is None:
                    return []
                named.append((number, version))
    number, newest = max(named, key=lambda item: item[1], default=(0, None))
    return [] if newest is None else [Pin(path, number, newest)]


def _versions_in_words(line: str) -> Iterator[Version | None]:
    """The versions of torch that a sentence names; None for one that newer ones may follow (`1.6+`)."""
    if _INSTALLS.search(line):
        return
    for match in _PROSE.finditer(line):
        yield None if _OR_NEWER.search(line[match.end() :]) else (int(match[1]), int(match[2]))
    if re.search(r"\b(?:py)?torch\]?(?:\([^)]*\))?\W*(?:version)?\W*(?:>|≥|&gt;)", line, re.IGNORECASE):
        yield None


def pin_for(found: list[Pin], path: str) -> Pin | None:
    """The lowest bound that holds where `path` lies: one named in a folder above it.

    What a guide says in words counts only where no file asks for a version.
    """
    holding = [pin for pin in found if f"{path}/".startswith(_covers(pin.path))]
    firm = [pin for pin in holding if not _GUIDE.search(pin.path)]
    return min(firm or holding, key=lambda pin: pin.newest, default=None)


def _covers(path: str) -> str:
    folders = path.split("/")[:-1]
    while folders and folders[-1].lower() in _SIDE_FOLDERS:
        folders.pop()
    return "".join(f"{folder}/" for folder in folders)


def _newest(line: str) -> Version | None:
    """The newest torch that a line of requirements allows; None where it sets no upper bound."""
    table = _TABLE.match(line)
    if table is not None:
        rest = line[table.end() :]
        line = f"torch {'==' if rest[0].isdigit() else ''}{rest}"
    image = _IMAGE.search(line)
    if image is not None:
        major, minor = [number for number in image.groups() if number is not None]
        return int(major), int(minor)
    bounds = (_allowed(requirement.group(1)) for requirement in _REQUIREMENT.finditer(line))
    return min((bound for bound in bounds if bound is not None), default=None)


def _allowed(clauses: str) -> Version | None:
    parts: list[str] = []
    for operator, version in _PARTS.findall(clauses):
        if operator in ("=", "~"):  # conda's `=1.7`, Poetry's `~1.7`: any 1.7
            operator, version = "==", f"{version.rstrip('.*')}.*"
        parts.append(f"{operator}{version}")
    try:
        allowed = SpecifierSet(",".join(parts))
    except InvalidSpecifier:
        return None
    if allowed.contains(_FUTURE):
        return None
    fitting = [each for each in _MINORS if any(allowed.contains(f"{each[0]}.{each[1]}.{patch}") for patch in _PATCHES)]
    return max(fitting, default=None)
