"""Which torch a repository asks for, where it names an upper bound: `torchrun` came with 1.10, its module with 1.9."""

from __future__ import annotations

import re
from dataclasses import dataclass

from ...project import Project

_FILES = re.compile(
    r"(^|/)(requirements[^/]*\.(txt|in)|requirements/[^/]+\.txt|constraints[^/]*\.txt|setup\.(py|cfg)|pyproject\.toml"
    r"|Pipfile|(conda|env|environment)[^/]*\.ya?ml|[^/]*dockerfile[^/]*)$",
    re.IGNORECASE,
)
_INSTALLS = re.compile(r"\b(pip3?|conda|mamba) install\b")  # in documentation only such lines count
_NAMES_TORCH = re.compile(r"(?<![\w./-])(?:py)?torch(?![\w./-])")
_SIDE_FOLDERS = frozenset(  # what lies in them is about the folder above
    """requirements docker dockers env envs environment conda install build .devcontainer doc docs
    documents""".split()  # noqa: SIM905
)
_REQUIREMENT = re.compile(r"(?<![\w.-])(?:py)?torch\s*((?:[<>=!~]=?=?\s*[\"']?[\d.*+\w]+\s*,?\s*)+)")
_BOUND = re.compile(r"(<=|<|===|==|~=|=|~)\s*[\"']?(\d+)\.(\d+)((?:\.\d+)?)")
_IMAGE = re.compile(
    r"pytorch/pytorch:(\d+)\.(\d+)|/torch-(\d+)\.(\d+)\.\d+"
    r"|^\s*(?:ARG|ENV)\s+(?:PY)?TORCH(?:_VERSION)?[\s=]\s*[\"']?(\d+)\.(\d+)",
    re.MULTILINE,
)
_TABLE = re.compile(r"^\s*[\"']?torch[\"']?\s*=\s*(?:\{.*?\bversion\s*=\s*)?[\"'](?=[\d<>=!~])")  # TOML: Poetry, Pipenv

Version = tuple[int, int]


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
        source = project.source(path) if path.endswith(".md") or _FILES.search(path) else None
        if source is None or "torch" not in source.text.lower():
            continue
        lines = [(number, line) for number, line in enumerate(source.text.splitlines(), 1) if line.lstrip()[:1] != "#"]
        if path.endswith(".md"):
            found += _guide(path, lines)
        else:
            named = ((number, _newest(line)) for number, line in lines)
            found += [Pin(path, number, newest) for number, newest in named if newest is not None]
    return found


def _guide(path: str, lines: list[tuple[int, str]]) -> list[Pin]:
    """A guide shows installations to choose from: the newest counts, and none when one of them asks for any torch."""
    installs = [(number, line) for number, line in lines if _INSTALLS.search(line) and _NAMES_TORCH.search(line)]
    named = [(number, newest) for number, line in installs if (newest := _newest(line)) is not None]
    if not named or len(named) < len(installs):
        return []
    number, newest = max(named, key=lambda each: each[1])
    return [Pin(path, number, newest)]


def pin_for(found: list[Pin], path: str) -> Pin | None:
    """The lowest bound that holds where `path` lies: one named in a folder above it."""
    holding = [pin for pin in found if f"{path}/".startswith(_covers(pin.path))]
    return min(holding, key=lambda pin: pin.newest, default=None)


def _covers(path: str) -> str:
    folders = path.split("/")[:-1]
    while folders and folders[-1].lower() in _SIDE_FOLDERS:
        folders.pop()
    return "".join(f"{folder}/" for folder in folders)


def _newest(line: str) -> Version | None:
    table = _TABLE.match(line)
    if table is not None:
        rest = line[table.end() :]
        line = f"torch {'==' if rest[0].isdigit() else ''}{rest}"
    image = _IMAGE.search(line)
    if image is not None:
        major, minor = [number for number in image.groups() if number is not None]
        return int(major), int(minor)
    bounds: list[Version] = []
    for requirement in _REQUIREMENT.finditer(line):
        for operator, major, minor, patch in _BOUND.findall(re.sub(r"(>=|!=)[^,]*", "", requirement.group(1))):
            version = (int(major), int(minor))
            if operator == "~=" and not patch:
                continue  # ~=1.8 allows 1.13
            if operator == "<" and not patch.strip(".0"):
                version = (version[0], version[1] - 1) if version[1] else (version[0] - 1, 99)
            bounds.append(version)
    return min(bounds, default=None)
