"""The numbers that files of the repository give a setting of some name: YAML files, options, defaults, calls."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ....project import Project
from ....tree.source import Source
from ....tree.suffixes import YAML_FILE
from .loader_values import NUMBER

_IN_CALL = r"(?:[^()]|\((?:[^()]|\([^()]*\)){0,999}\)){0,999}"
_IN_DICT = r"[^(){}]{0,999}?\b"  # up to a key of the same dict
_MORE = rf"{NUMBER}['\"]?\s*[=:]\s*[1-9]"
_NUMBER = re.compile(rf"['\"]?{NUMBER}['\"]?[ \t]*:[ \t]*(\d+)")
_LOADER = re.compile(rf"\bDataLoader\({_IN_CALL}\)")


class Settings:
    """Answers for one project; a setting is looked for by the last part of its name."""

    def __init__(self, project: Project) -> None:
        self.project = project
        self._known: dict[str, bool | None] = {}
        self._options: dict[str, bool] = {}
        self._by_default: dict[str, bool] = {}
        self._parts: dict[str, bool] = {}

    def nonzero(self, name: str) -> bool | None:
        """True where a YAML file says a number above 0, or the code never says 0; False where it says 0.

        None where nothing in the repository says anything.
        """
        if name not in self._known:
            self._known[name] = self._nonzero(name)
        return self._known[name]

    def starts_workers(self, part: str) -> bool:
        """Some YAML file, or a dict of that name in Python, says `num_workers`, and more than 0, in the part of that
        name."""
        if part not in self._parts:
            self._parts[part] = self._has_workers(part)
        return self._parts[part]

    def _has_workers(self, part: str) -> bool:
        begin = re.compile(rf"^([ \t]*)['\"]?{re.escape(part)}['\"]?[ \t]*:[ \t]*(?:#.*)?$", re.MULTILINE)
        for path in self.project.paths:
            source = self.project.source(path) if YAML_FILE.search(path) else None
            for found in begin.finditer(source.text) if source is not None and NUMBER in source.text else ():
                if _says_more(source.text[found.end() :], len(found[1])):  # type: ignore[union-attr]
                    return True
        filled = re.compile(rf"(?:\b|['\"]){re.escape(part)}['\"]?\s*[=:]\s*(?:dict\(|\{{){_IN_DICT}{_MORE}")
        return any(self.project.paths_matching(filled, words=(NUMBER,)))

    def is_option(self, name: str) -> bool:
        """The command line of some program of the repository has an option of that name."""
        if name not in self._options:
            option = re.compile(rf"['\"]--?{either(name)}['\"]")
            self._options[name] = name.isidentifier() and any(self.project.paths_matching(option))
        return self._options[name]

    def option_is_more(self, name: str) -> bool:
        """Every option of that name that has a default is more than 0 by it, and no YAML file says 0."""
        if name not in self._by_default:
            option, found = _option(name), set[str]()
            for source in _that_say(self.project, name):
                found.update(map(_sign, option.findall(source.text)))
            self._by_default[name] = found == {"1"} and "0" not in self._in_yaml(name)
        return self._by_default[name]

    def _nonzero(self, name: str) -> bool | None:
        in_yaml = self._in_yaml(name)
        if in_yaml & {"1"}:
            return True
        code = self._in_code(name) | in_yaml
        return None if not code else "0" not in code

    def _in_yaml(self, name: str) -> set[str]:
        """`0` and `1`, for what YAML files say: 0, or more."""
        line = re.compile(rf"^[ \t]*(?:- )?['\"]?{re.escape(name)}['\"]?[ \t]*:[ \t]*(\d+)[ \t]*(?:#|$)", re.MULTILINE)
        found: set[str] = set()
        for path in self.project.paths:
            source = self.project.source(path) if YAML_FILE.search(path) else None
            for number in line.findall(source.text) if source is not None and name in source.text else ():
                found.add(_sign(number))
        return found

    def _in_code(self, name: str) -> set[str]:
        """The same for defaults of options, of parameters and of fields, and for keywords of calls.

        What loaders themselves are given counts where nothing else says a number.
        """
        option = _option(name)
        plain = re.compile(rf"\b{re.escape(name)}['\"]?\s*(?::\s*\w+\s*)?[=:]\s*(\d+)\b(?!\s*[-+*/.])")
        found: set[str] = set()
        of_loaders: set[str] = set()
        for source in _that_say(self.project, name):
            found.update(map(_sign, option.findall(source.text)))
            found.update(map(_sign, plain.findall(without_loaders(source.text))))
            of_loaders.update(map(_sign, plain.findall(source.text)))
        return found or of_loaders


def _that_say(project: Project, name: str) -> Iterator[Source]:
    """The files that hold the name, with `-` or `_` between its parts: what stands behind one of these is a word."""
    plain = name.isidentifier() and not name.endswith("_")
    words = [name.split("_", parts)[-1] for parts in range(name.count("_") + 1)] if plain else []
    return project.matching(re.compile(rf"\b{either(name)}\b"), words=words)


def _says_more(text: str, indent: int) -> bool:
    """The lines that are indented by more than `indent` say `num_workers`, and a number above 0."""
    for line in text.splitlines():
        bare = line.strip()
        if bare and bare[0] != "#" and len(line) - len(line.lstrip()) <= indent:
            return False
        said = _NUMBER.match(bare)
        if said is not None:
            return _sign(said[1]) == "1"
    return False


def either(name: str) -> str:
    """A pattern for the name of an option, by which `-` and `_` are the same. A key of a dict may be any text."""
    return re.escape(name).replace("_", "[-_]")


def _option(name: str) -> re.Pattern[str]:
    """An option of that name, up to its default."""
    return re.compile(rf"['\"]--?{either(name)}['\"][^)]{{0,999}}?\bdefault\s*=\s*(\w+)")


def without_loaders(text: str) -> str:
    """The text without what is written in calls of loaders: one without workers says nothing of the others."""
    return _LOADER.sub("", text)


def _sign(number: str) -> str:
    return "0" if number.strip("0") in ("", "None") else "1"
