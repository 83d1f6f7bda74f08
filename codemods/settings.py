"""What a run is asked to do: `[tool.spawnfix]` of the target's pyproject.toml, then flags.

The table is checked by our own code. msgspec was tried: importing it takes 16 ms of CPU, a fifth of a warm `check`, and
its errors ("Object contains unknown field `selct`") name neither the table nor the key that was meant; the checks of
rules, globs and conditions would stay.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from difflib import get_close_matches

from .finding import Confidence
from .globs import glob_pattern
from .hazard_kind import HazardKind
from .problem import Problem
from .tree.files import Files

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

MAX_BYTES = 2**20  # of pyproject.toml
MAX_PARTS = 64  # of a dotted key in it
MAX_GLOBS, MAX_GLOB = 1000, 1000  # in one setting, characters of one
_TOKEN = re.compile(
    r"""(?P<part>"[^"\n]*"|'[^'\n]*'|[A-Za-z0-9_-]+)|(?P<dot>\.)|(?P<blank>[ \t]+)|(?P<other>.)""", re.DOTALL
)
LAUNCHERS = ("auto", "torchrun", "python")
START_METHODS = ("spawn", "forkserver")
KEYS = (
    "select", "ignore", "exclude", "per-file-ignores", "confidence", "boundaries", "unsafe-fixes", "launcher", "rules",
)  # fmt: skip
BOUNDARY_KEYS: dict[str, type] = {
    "callable": str,
    "parameters": list,
    "pickles": list,
    "when": dict,
    "unless": dict,
    "always": bool,
    "only": list,
    "says": str,
    "source": str,
}
_HAZARD_KINDS = tuple(kind.value for kind in HazardKind)


@dataclass(frozen=True)
class Settings:
    """Validated settings. Paths and globs are relative to the root, with forward slashes."""

    select: tuple[str, ...] = ()  # rule ids; empty: all
    ignore: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()  # globs of files not looked at
    per_file_ignores: tuple[tuple[str, tuple[str, ...]], ...] = ()  # (glob, rule ids)
    confidence: Confidence = Confidence.LIKELY
    boundaries: tuple[dict[str, object], ...] = field(default=())  # entries in the form of flow/boundaries.toml
    unsafe_fixes: bool = False
    launcher: str = "auto"  # torchrun | python | auto
    start_method: str = "spawn"
    proven: tuple[tuple[str, str, int, str], ...] = ()  # seen at run time: rule, path, line, words (diagnose/saved.py)
    local_rules: tuple[str, ...] = ()  # files with rules, which run only where the user allows it
    cache: bool = False  # keep facts between runs; the command line does

    def ignored_rules(self, path: str) -> frozenset[str]:
        """The rules that per-file-ignores turns off in `path`."""
        return frozenset(
            rule for glob, rules in self.per_file_ignores if glob_pattern(glob).match(path) for rule in rules
        )


def read_settings(files: Files, rule_ids: Collection[str]) -> Settings:
    """The settings in `pyproject.toml` at the root of `files`; defaults where it has none.

    Raises Problem for anything that is not understood. A pyproject.toml that does not parse matters only when it speaks
    of us.
    """
    return _validated(_table(files), rule_ids)


def local_rule_files(files: Files) -> tuple[str, ...]:
    """The files with rules that the `pyproject.toml` at the root of `files` lists. Raises Problem."""
    return _strings(_table(files).get("rules", []), "pyproject.toml: tool.spawnfix.rules")


def _table(files: Files) -> Mapping[str, object]:
    try:
        data = files.read("pyproject.toml")
    except OSError:
        return {}
    if b"spawnfix" not in data:
        return {}
    if len(data) > MAX_BYTES:
        raise Problem(f"pyproject.toml: larger than {MAX_BYTES // 2**20} MiB")
    try:
        text = data.decode("utf-8-sig")
        if _longest_key(text) > MAX_PARTS:
            raise Problem(f"pyproject.toml: a key of more than {MAX_PARTS} parts")
        tool = tomllib.loads(text).get("tool", {})
    except (ValueError, RecursionError) as error:  # ValueError: not TOML, not UTF-8, a number that is too long
        raise Problem(f"pyproject.toml: not valid TOML: {_shortened(str(error))}") from None
    table = tool.get("spawnfix", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise Problem("pyproject.toml: tool.spawnfix must be a table")
    return table


def _longest_key(text: str) -> int:
    """The number of parts of the longest dotted key that may be in `text`: reading one takes time by its square."""
    longest = parts = 0
    joined = False
    for token in _TOKEN.finditer(text):
        kind = token.lastgroup
        if kind == "part":
            parts = parts + 1 if joined else 1
            joined, longest = False, max(longest, parts)
        elif kind == "dot":
            joined = True
        elif kind == "other":
            parts, joined = 0, False
    return longest


def with_flags(
    settings: Settings,
    rule_ids: Collection[str],
    *,
    select: str | None = None,
    ignore: str | None = None,
    confidence: str | None = None,
    unsafe_fixes: bool | None = None,
    launcher: str | None = None,
    start_method: str | None = None,
) -> Settings:
    """`settings` with the flags of the command line put over them; None leaves a setting as it is.

    Raises Problem.
    """
    passed: dict[str, object] = {}
    if select is not None:
        passed["select"] = _rules(_listed(select), rule_ids, "--select")
    if ignore is not None:
        passed["ignore"] = _rules(_listed(ignore), rule_ids, "--ignore")
    if confidence is not None:
        passed["confidence"] = Confidence(_choice(confidence, [item.value for item in Confidence], "--confidence"))
    if unsafe_fixes is not None:
        passed["unsafe_fixes"] = unsafe_fixes
    if launcher is not None:
        passed["launcher"] = _choice(launcher, LAUNCHERS, "--launcher")
    if start_method is not None:
        passed["start_method"] = _choice(start_method, START_METHODS, "--start-method")
    return replace(settings, **passed)  # type: ignore[arg-type]


def nearest(name: str, known: Iterable[str]) -> str:
    """` (did you mean 'x'?)` for the known name most like `name`, else ` (known: a, b)`."""
    known = sorted(known)
    name = name[:100]
    close = get_close_matches(name.lower().replace("_", "-"), known, n=1, cutoff=0.5)
    return f" (did you mean {close[0]!r}?)" if close else f" (known: {', '.join(known)})"


def _validated(table: Mapping[str, object], rule_ids: Collection[str]) -> Settings:
    values: dict[str, object] = {}
    unknown = "rules" in table  # ids may be those of local rules, which nobody asked for
    for key, value in table.items():
        where = f"pyproject.toml: tool.spawnfix.{key}"
        if key not in KEYS:
            raise Problem(f"pyproject.toml: unknown key {_shown(key)} in [tool.spawnfix]{nearest(key, KEYS)}")
        if key in ("select", "ignore"):
            values[key] = _rules(_strings(value, where), rule_ids, where, unknown)
        elif key == "exclude":
            values[key] = _globs(_strings(value, where), where)
        elif key == "per-file-ignores":
            if not isinstance(value, dict):
                raise Problem(f'{where} must be a table like {{ "scripts/*.py" = ["lambdas"] }}')
            _globs(value, where)
            values["per_file_ignores"] = tuple(
                (glob, _rules(_strings(rules, f"{where}.{glob!r}"), rule_ids, where, unknown))
                for glob, rules in value.items()
            )
        elif key == "confidence":
            values[key] = Confidence(_choice(value, [item.value for item in Confidence], where))
        elif key == "unsafe-fixes":
            if not isinstance(value, bool):
                raise Problem(f"{where} must be true or false, not {_shown(value)}")
            values["unsafe_fixes"] = value
        elif key == "launcher":
            values[key] = _choice(value, LAUNCHERS, where)
        elif key == "rules":
            values["local_rules"] = _strings(value, where)
        else:
            values[key] = _tables(value, where)
    return Settings(**values)  # type: ignore[arg-type]


def _strings(value: object, where: str) -> tuple[str, ...]:
    if not isinstance(value, list) or not all(isinstance(item, str) for item in value):
        raise Problem(f"{where} must be a list of strings, not {_shown(value)}")
    return tuple(value)


def _tables(value: object, where: str) -> tuple[dict[str, object], ...]:
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise Problem(f"{where} must be a list of tables, written [[tool.spawnfix.boundaries]]")
    for number, entry in enumerate(value, start=1):
        for key, inside in entry.items():
            if key not in BOUNDARY_KEYS:
                raise Problem(f"{where}: unknown key {_shown(key)} in entry {number}{nearest(key, BOUNDARY_KEYS)}")
            if not isinstance(inside, BOUNDARY_KEYS[key]):
                raise Problem(f"{where}: {key!r} in entry {number} must be a {BOUNDARY_KEYS[key].__name__}")
            if BOUNDARY_KEYS[key] is list:
                words = _strings(inside, f"{where}: {key!r} in entry {number}")
                unknown = [word for word in words if key == "only" and word not in _HAZARD_KINDS]
                if unknown:
                    hint = nearest(unknown[0], _HAZARD_KINDS)
                    raise Problem(f"{where}: unknown kind {_shown(unknown[0])} in 'only' of entry {number}{hint}")
            conditions = list(inside.values()) if isinstance(inside, dict) else []
            if key == "when" and any(condition != "nonzero" for condition in conditions):
                raise Problem(f"{where}: 'when' in entry {number} knows only {{ argument = \"nonzero\" }}")
            if key == "unless" and not all(isinstance(literals, list) for literals in conditions):
                raise Problem(f"{where}: 'unless' in entry {number} needs a list of literals for each argument")
        if "callable" not in entry:
            raise Problem(f"{where}: entry {number} names no callable")
    return tuple(value)


def _shortened(text: str) -> str:
    return text if len(text) <= 200 else f"{text[:200]}..."


def _shown(value: object) -> str:
    """`value` for a message; Python prints no number of thousands of digits."""
    try:
        return _shortened(repr(value))
    except ValueError:
        return f"such {type(value).__name__}"


def _globs(globs: Iterable[str], where: str) -> tuple[str, ...]:
    globs = tuple(globs)
    if len(globs) > MAX_GLOBS or any(len(glob) > MAX_GLOB for glob in globs):
        raise Problem(f"{where}: more than {MAX_GLOBS} globs, or one of more than {MAX_GLOB} characters")
    for glob in globs:
        try:
            glob_pattern(glob)
        except re.error as error:
            raise Problem(f"{where}: {glob!r} is no glob: {error}") from None
        if not glob.strip("/"):
            raise Problem(f"{where}: an empty glob")
    return tuple(globs)


def _listed(text: str) -> tuple[str, ...]:
    return tuple(part.strip() for part in text.split(",") if part.strip())


def _rules(names: Iterable[str], rule_ids: Collection[str], where: str, unknown: bool = False) -> tuple[str, ...]:
    """`names` that are all in `rule_ids`; `unknown`: ids that are not are left alone. Raises Problem."""
    names = tuple(names)
    if where.startswith("--") and not names:
        raise Problem(f"{where}: no rule named")
    for name in names:
        if name not in rule_ids and not unknown:
            raise Problem(f"{where}: no rule called {_shown(name)}{nearest(name, rule_ids)}")
    return names


def _choice(value: object, known: Collection[str], where: str) -> str:
    if not isinstance(value, str) or value not in known:
        raise Problem(f"{where} must be one of {', '.join(known)}, not {_shown(value)}")
    return value
