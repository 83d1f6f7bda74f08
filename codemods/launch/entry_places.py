"""Where the script that a launch line names may lie in the repository."""

from __future__ import annotations

from collections.abc import Iterable

from .bash import HERE
from .lines import LaunchLine


def entry_places(line: LaunchLine, value: str) -> tuple[list[str], bool]:
    """Where the entry may lie, as paths relative to the root, best first, and whether the folder is known for certain.

    `value` is one of `line.entry_values` of a line whose entry is a file. Empty when it lies outside the repository.
    """
    folder = line.path.rpartition("/")[0]
    full, known = value, value.startswith((HERE, "/"))
    for step in reversed(line.command.folders):
        if known:
            break
        if step is None:
            return [full], False
        full, known = f"{step}/{full}", step.startswith((HERE, "/"))
    if full.startswith(HERE):
        place = _normal(f"{folder}/{full.removeprefix(HERE)}")
        return ([place] if place is not None else []), True
    if full.startswith("/"):
        return [], True
    bases = [folder]
    while bases[-1]:
        bases.append(bases[-1].rpartition("/")[0])
    places = [place for base in bases if (place := _normal(f"{base}/{full}")) is not None]
    return list(dict.fromkeys(places)), True


def left_for(line: LaunchLine, value: str) -> tuple[str, str] | None:
    """The folder to which a `cd` above the line leaves where the shell script is run, "" for one that is not known.

    And the path of the entry below it. None where there is no such `cd`.
    """
    if value.startswith((HERE, "/")):
        return None
    for step in reversed(line.command.folders):
        if step is None or step.startswith("/"):
            below = _normal(value)
            return (step or "", below) if below else None
        if step.startswith(HERE):
            return None
        value = f"{step}/{value}"
    return None


def ending(paths: Iterable[str], tail: str) -> list[str]:
    """Those of the paths that are `tail`, or end with it below some folder."""
    return [path for path in paths if f"/{path}".endswith(f"/{tail}")]


def _normal(path: str) -> str | None:
    """`path` without `.` and `..`; None when it leaves the root."""
    parts: list[str] = []
    for part in path.split("/"):
        if part == "..":
            if not parts:
                return None
            parts.pop()
        elif part not in ("", "."):
            parts.append(part)
    return "/".join(parts)
