"""The torch versions that a repository supports, by its own files: `torchrun` came with 1.10, its module with 1.9."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache

from packaging.specifiers import InvalidSpecifier, SpecifierSet

from ...project import Project
from ...tree.suffixes import MAKEFILE

_FILES = re.compile(
    r"(^|/)(requirements?[^/]*\.(txt|in)|requirements/[^/]+\.txt|constraints[^/]*\.txt|setup\.(py|cfg)|pyproject\.toml"
    r"|Pipfile|[^/]*(conda|env|requirement|dependenc)[^/]*\.ya?ml|[^/]*dockerfile[^/]*)$",
    re.IGNORECASE,
)
_YAML = re.compile(r"([^/]*/)?[^/]*\.ya?ml$", re.IGNORECASE)  # at the top or one folder below
_OF_CONDA = re.compile(r"^dependencies:[ \t]*$", re.MULTILINE)  # an environment may be called anything
_GUIDE = re.compile(r"\.(md|rst)$", re.IGNORECASE)
_SCRIPT = re.compile(r"(^|/)[^/]*(install|setup|env)[^/]*\.(sh|bash)$", re.IGNORECASE)
_INSTALLS = re.compile(r"\b(?:pip3?|conda|mamba) (?:env )?(?:install|create)\b")
_SIDE_FOLDERS = frozenset(  # what lies in them is about the folder above
    [
        "requirements", "docker", "dockers", "env", "envs", "environment", "conda", "install", "build", ".devcontainer",
        "doc", "docs", "documents", "script", "scripts",
    ]
)  # fmt: skip
_CLAUSE = r"(?:[<>=!~^]=?=?\s*[\"']?\d[\d.*+\w]*\s*,?\s*)"
_REQUIREMENT = re.compile(rf"(?<![\w.-])(?:py)?torch\s*({_CLAUSE}+)")
_PARTS = re.compile(r"([<>=!~^]=?=?)\s*[\"']?(\d[\d.*]*)")
_IMAGE = re.compile(
    r"pytorch/pytorch:(\d+)\.(\d+)|/torch-(\d+)\.(\d+)\.\d+|/torch(\d+)\.(\d+)(?:\.\d+)?/"
    r"|^\s*(?:ARG|ENV)\s+(?:PY)?TORCH(?:_VERSION)?[\s=]\s*[\"']?(\d+)\.(\d+)"
    r"|^(?:export\s+)?(?:PY)?TORCH_VERSION\s*[:?]?=\s*[\"']?(\d+)\.(\d+)"
    r"|/pytorch/?\s*&&\s*git checkout (?:-\w+ )*(?:tags/)?v(\d+)\.(\d+)"
    r"|git clone [^\n&;]{0,80}(?:-b|--branch)[ =]v(\d+)\.(\d+)[^\n&;]{0,80}pytorch/pytorch\b",
    re.MULTILINE,
)
_TABLE = re.compile(
    r"^\s*[\"']?torch[\"']?\s*=\s*(?:\{.*?\bversion\s*=\s*)?[\"'](?=[\d<>=!~^])"
)  # TOML: Poetry, Pipenv
_TOOLKIT = re.compile(r"\bcudatoolkit\s*[\"']?[=<~]=?\s*[\"']?(\d+)\.(\d+)")
_PYTHON = re.compile(r"(?<![\w.-])python\s*[\"']?={1,2}\s*[\"']?(\d)\.(\d+)\b")
_PROSE = re.compile(  # `PyTorch 1.7.1`, `[PyTorch](https://...) >= 1.7`, `PyTorch version: v1.7`
    r"\b(?:py)?torch\]?(?:\([^)]{0,300}\))?[\s*_`]{0,9}(?:install(?:ed|ation)?|release)?[\s*_`]{0,9}\(?(?:version)?[\s:*_`]{0,9}(?:[>=~]=?|≥|&gt;=?)?[\s:=*_`(]{0,9}v?(\d)\.(\d{1,2})\b",
    re.IGNORECASE,
)
_ASIDE = re.compile(  # `PyTorch (we use 1.7.0)`
    r"\b(?:py)?torch\]?(?:\([^)]{0,300}\))?[\s*_`]{0,9}\((?:[a-z]{1,12} ){0,4}"
    r"(?:use|used|using|tested|verified|with|on|under|is)[\s:*_`]{1,9}v?(\d)\.(\d{1,2})\b",
    re.IGNORECASE,
)
_BADGE = re.compile(  # the picture `img.shields.io/badge/PyTorch-v1.7.0-green.svg`, also of `>=1.7` or `1.7+`
    r"/badge/(?:py)?torch(?:%20|[-_ ]|version){0,4}(?:%3E|%3D|&gt;|[>=~v]){0,4}(\d)\.(\d{1,2})\b", re.IGNORECASE
)
_REQUIRES = re.compile(  # sentences and list items about what is needed, not a story about some version
    r"^[\s>]*(?:[-*+•|]|\d+[.)])\s|\w ?== ?\d|torch\b[^\d,]{0,20}(?:>=|≥|&gt;=|~=)"
    r"|requir|tested|version|depend|environment|install|need|support|prerequisite",
    re.IGNORECASE,
)
_HEADING, _UNDERLINE = re.compile(r" {0,3}#{1,6}\s"), re.compile(r"[=\-~^]{3,}\s*$")
_NEEDS = re.compile(r"requirement|prerequisite|dependenc|environment", re.IGNORECASE)  # as a heading

_NVIDIA = re.compile(r"\bnvidia/pytorch:(\d\d)\.(\d\d)\b")
_MENTIONS = re.compile(r"torch|cudatoolkit|python\s*=", re.IGNORECASE)

Version = tuple[int, int]
Span = tuple[Version, Version]  # the oldest and the newest
_MINORS = [(0, 4), *((1, minor) for minor in range(14)), *((2, minor) for minor in range(20))]
_PATCHES = range(4)
_MOST_CLAUSES = 12  # of one requirement; each is compared with every version
_LONGEST = 300  # characters of them
_MOST_NAMED = 200  # lines of one file that name a torch

# The newest torch that conda offers for an old CUDA toolkit, and for an old Python: a repository that names them and no
# torch can't have a newer one. https://pytorch.org/get-started/previous-versions
_NEWEST_FOR_TOOLKIT = {
    (8, 0): (1, 0), (9, 0): (1, 1), (9, 1): (1, 0), (9, 2): (1, 7), (10, 0): (1, 4), (10, 1): (1, 8), (11, 0): (1, 7),
}  # fmt: skip
# The torch of NVIDIA's images, from the one that had it first:
# https://docs.nvidia.com/deeplearning/frameworks/pytorch-release-notes
_OF_NVIDIA = {
    (18, 0): (1, 0), (19, 5): (1, 1), (19, 7): (1, 2), (19, 10): (1, 3), (20, 1): (1, 4), (20, 2): (1, 5),
    (20, 6): (1, 6), (20, 8): (1, 7), (20, 11): (1, 8), (21, 3): (1, 9),
}  # fmt: skip
_NEW_IMAGE = (21, 7)
_NEWEST_FOR_PYTHON = {(2, 7): (1, 4), (3, 4): (1, 2), (3, 5): (1, 5)}


@dataclass(frozen=True, slots=True)
class Named:
    """`path`:`line` allows torch `oldest` (major, minor) to `newest`, and none before or after them.

    `by`: the old package that is named instead of torch, for which there is no torch after `oldest`.
    """

    path: str
    line: int
    oldest: Version
    newest: Version
    by: str = ""

    @property
    def says(self) -> str:
        """What stands there, in words."""
        version = f"{self.oldest[0]}.{self.oldest[1]}"
        what = f"{self.by}, for which there is no torch after {version}" if self.by else f"torch {version}"
        return f"{self.path}:{self.line} names {what}"


def names_packages(path: str) -> bool:
    """The file lists requirements, builds an environment, or guides people to one."""
    return any(pattern.search(path) is not None for pattern in (_GUIDE, _FILES, _SCRIPT, MAKEFILE))


def named_versions(project: Project) -> list[Named]:
    """Every torch that requirement files, environments, images, installation scripts and guides name."""
    found: list[Named] = []
    for path in project.paths:
        guide = _GUIDE.search(path) is not None
        known = guide or any(kind.search(path) is not None for kind in (_FILES, _SCRIPT, MAKEFILE))
        source = project.source(path) if known or _YAML.match(path) else None
        if source is None or not _MENTIONS.search(source.text) or not (known or _OF_CONDA.search(source.text)):
            continue
        before, above, needs = len(found), "", False
        for number, line in enumerate(source.text.splitlines(), 1):
            if len(found) - before >= _MOST_NAMED:
                break
            if line.lstrip()[:1] == "#" and not guide:
                continue
            if _HEADING.match(line) or _UNDERLINE.match(line):
                needs = _NEEDS.search(above if _UNDERLINE.match(line) else line) is not None
            above = line
            found += [Named(path, number, *span) for span in _versions(line, guide, needs)]
            if not guide or _INSTALLS.search(line) or _NVIDIA.search(line):
                found += [Named(path, number, version, version, by) for by, version in _newest(line)]
    return found


def _versions(line: str, guide: bool, needs: bool) -> Iterator[Span]:
    """`needs`: the line stands below a heading of a guide about what is needed."""
    if not guide or _INSTALLS.search(line):
        span = _required(line)
        if span is not None:
            yield span
    else:
        stated = (_PROSE, _ASIDE, _BADGE) if needs or _REQUIRES.search(line) else (_BADGE,)
        for pattern in stated:
            for match in pattern.finditer(line):
                version = int(match[1]), int(match[2])
                yield version, version


def oldest_for(found: list[Named], path: str) -> Named | None:
    """The oldest torch that is named for `path`: by a file in a folder above it, else by any file.

    What a guide says counts only where no requirements, environment or image of its folder, or one below, name a
    version.
    """
    holding = [named for named in found if is_about(named.path, path)]
    if not holding:  # another part of the repository, which has one environment for all of them as a rule
        holding = [named for named in found if not _GUIDE.search(named.path)] or found
        return min(holding, key=lambda named: named.oldest, default=None)
    firm = [named for named in holding if not _GUIDE.search(named.path)]
    nearest = max((depth(named.path) for named in firm), default=-1)
    guides = [named for named in holding if _GUIDE.search(named.path) and depth(named.path) > nearest]
    return min([*firm, *guides], key=lambda named: named.oldest, default=None)


def held_below(found: list[Named], path: str, version: Version) -> Named | None:
    """What names the newest torch for `path`, where requirements, environments and images only allow older ones.

    A guide can't hold anybody back, but one that names `version` or a newer one says that those are used too.
    """
    holding = [named for named in found if is_about(named.path, path)]
    firm = [named for named in holding if not _GUIDE.search(named.path)]
    if any(named.newest >= version for named in holding):
        return None
    return max(firm, key=lambda named: named.newest, default=None)


def agree_on_older(found: list[Named], path: str, version: Version) -> bool:
    """Guides for `path` and, too, its requirements or images name versions before `version`, and none another."""
    holding = [named for named in found if is_about(named.path, path)]
    kinds = {_GUIDE.search(named.path) is not None for named in holding}
    return len(kinds) == 2 and all(named.newest < version for named in holding)


def is_about(naming: str, path: str) -> bool:
    """What the file `naming` says holds for `path`."""
    return f"{path}/".startswith(_covers(naming))


def depth(naming: str) -> int:
    """How deep the folder lies that the file `naming` is about."""
    return _covers(naming).count("/")


def _covers(path: str) -> str:
    folders = path.split("/")[:-1]
    while folders and folders[-1].lower() in _SIDE_FOLDERS:
        folders.pop()
    return "".join(f"{folder}/" for folder in folders)


def _required(line: str) -> Span | None:
    """What a line of requirements allows; None where it names no torch."""
    table = _TABLE.match(line)
    if table is not None:
        rest = line[table.end() :]
        line = f"torch {'==' if rest[0].isdigit() else ''}{rest}"
    image = _IMAGE.search(line)
    if image is not None:
        major, minor = [number for number in image.groups() if number is not None]
        version = int(major), int(minor)
        return version, version
    found = (_allowed(requirement.group(1)) for requirement in _REQUIREMENT.finditer(line))
    spans = [span for span in found if span is not None]
    return (min(oldest for oldest, _ in spans), max(newest for _, newest in spans)) if spans else None


def _newest(line: str) -> Iterator[tuple[str, Version]]:
    """The old CUDA toolkit, Python and image of the line, each with the newest torch that there is for it."""
    for match in _NVIDIA.finditer(line):
        image = int(match[1]), int(match[2])
        torch = max((first for first in _OF_NVIDIA if first <= image), default=None)
        if torch is not None and image < _NEW_IMAGE:
            yield f"the image {match[0]}", _OF_NVIDIA[torch]
    for name, pattern, newest in (
        ("cudatoolkit", _TOOLKIT, _NEWEST_FOR_TOOLKIT),
        ("Python", _PYTHON, _NEWEST_FOR_PYTHON),
    ):
        for match in pattern.finditer(line):
            version = int(match[1]), int(match[2])
            if version in newest:
                yield f"{name} {match[1]}.{match[2]}", newest[version]


@lru_cache(maxsize=1024)
def _allowed(clauses: str) -> Span | None:
    """The versions that fit `clauses`; the newest one alone where they only say how new it may be."""
    if len(clauses) > _LONGEST:
        return None
    parts: list[str] = []
    for operator, version in _PARTS.findall(clauses)[:_MOST_CLAUSES]:
        if operator in ("=", "~", "^"):  # conda's `=1.7`, Poetry's `~1.7` and `^1.7`
            operator, version = "==", f"{version.rstrip('.*')}.*"
        parts.append(f"{operator}{version}")
    try:
        allowed = SpecifierSet(",".join(parts))
    except InvalidSpecifier:
        return None
    fitting = [item for item in _MINORS if any(allowed.contains(f"{item[0]}.{item[1]}.{patch}") for patch in _PATCHES)]
    if not fitting:
        return None
    only_above = all(specifier.operator in ("<", "<=", "!=") for specifier in allowed)
    return (max if only_above else min)(fitting), max(fitting)
