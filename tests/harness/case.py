"""A case of `tests/before_after/<rule>/<case>/`: its `case.toml` and its trees."""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any

from codemods.finding import Confidence
from codemods.settings import Settings
from codemods.tree.directory import DirectoryFiles

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parents[2]
CASES = ROOT / "tests" / "before_after"
_LAUNCHES = re.compile(rb"torch\.distributed\.(launch|run)|torchrun")
_IMPORTS = re.compile(rb"^\s*(?:import|from) torch\b|" + _LAUNCHES.pattern, re.MULTILINE)

Tree = dict[str, tuple[bytes, bool]]  # path -> (content, executable)


class BadCase(Exception):
    """A case that is written wrongly; the message says what to correct."""


@dataclass(frozen=True)
class Case:
    """One program: what it is, how it is run, how it fails before and what it prints after. See CONTRIBUTING.md."""

    folder: Path
    why: str
    command: str
    ranks: int = 0
    fails: str | None = None  # regex
    silent: bool = False
    reference: str | dict[str, Any] = "fork"
    migrate: tuple[str, ...] = ()
    reason: str | None = None  # regex
    timeout: float = 400  # s; busy machines stand still for minutes
    forkserver: bool = False
    env: dict[str, str] = field(default_factory=dict)

    @classmethod
    def load(cls, folder: Path) -> Case:
        """Read `folder`. Raises BadCase when case.toml has a key that nobody reads, or lacks one."""
        try:
            values = tomllib.loads((folder / "case.toml").read_text(encoding="utf-8"))
        except (OSError, tomllib.TOMLDecodeError) as error:
            raise BadCase(f"{folder.name}/case.toml: {error}") from None
        known = {each.name for each in fields(cls)} - {"folder"}
        if unknown := values.keys() - known:
            raise BadCase(f"{folder.name}/case.toml: unknown {sorted(unknown)}; known are {sorted(known)}")
        if missing := {"why", "command"} - values.keys():
            raise BadCase(f"{folder.name}/case.toml: lacks {sorted(missing)}")
        case = cls(folder, **{**values, "migrate": tuple(values.get("migrate", ()))})
        reference = case.reference
        if not (
            reference == "fork"
            or (isinstance(reference, dict) and len(reference) == 1 and {*reference} <= {"env", "file"})
        ):
            raise BadCase(f'{folder.name}/case.toml: reference is "fork", {{env = ...}} or {{file = ...}}')
        if case.reason is not None and case.after is not None:
            raise BadCase(f"{folder.name}: a refusal (reason) changes nothing, so it has no after/")
        return case

    @property
    def rule(self) -> str:
        """The rule it is about."""
        return self.folder.parent.name

    @property
    def id(self) -> str:
        """`rule/case`, as pytest shows it."""
        return f"{self.rule}/{self.folder.name}"

    @property
    def before(self) -> Path:
        """The tree as researchers wrote it."""
        return self.folder / "before"

    @property
    def after(self) -> Path | None:
        """The files that migrate changes; None when it must change nothing."""
        return self.folder / "after" if (self.folder / "after").is_dir() else None

    @property
    def lookalike(self) -> bool:
        """True for a program that works as it is and that no rule may touch."""
        return self.fails is None and self.after is None and self.reason is None

    @property
    def default_port(self) -> bool:
        """True when it starts a launcher on the port that all launchers share; such cases run one at a time."""
        if "FREE_PORT" in self.command:
            return False
        return any(_LAUNCHES.search(content) for content, _ in read_tree(self.before).values()) or bool(
            _LAUNCHES.search(self.command.encode())
        )

    @property
    def imports_torch(self) -> bool:
        """True when one of its programs imports torch, or starts a launcher, which does."""
        return any(_IMPORTS.search(content) for content, _ in read_tree(self.before).values())

    def contents(self) -> dict[str, bytes]:
        """The files of `before/` that a run looks at."""
        files = DirectoryFiles(self.before)
        return {entry.path: files.read(entry.path) for entry in files.entries()}

    def settings(self) -> Settings:
        """What `migrate` makes of the case's flags. Raises BadCase for a flag that has no setting here."""
        flags = iter(self.migrate)
        settings = Settings()
        for flag in flags:
            if flag == "--unsafe-fixes":
                settings = replace(settings, unsafe_fixes=True)
            elif flag == "--confidence":
                settings = replace(settings, confidence=Confidence(next(flags)))
            elif flag == "--launcher":
                settings = replace(settings, launcher=next(flags))
            else:
                raise BadCase(f"{self.id}: the harness does not know {flag}")
        return settings

    def expected(self) -> Tree:
        """The whole tree that migrate must leave."""
        return {**read_tree(self.before), **(read_tree(self.after) if self.after else {})}


def read_tree(folder: Path) -> Tree:
    """Every file below `folder`, with its bytes and whether it is executable."""
    return {
        path.relative_to(folder).as_posix(): (path.read_bytes(), bool(path.stat().st_mode & 0o100))
        for path in sorted(folder.rglob("*"))
        if path.is_file() and "__pycache__" not in path.parts
    }


def folders() -> list[Path]:
    """The folder of every case, sorted."""
    return sorted(path.parent for path in CASES.glob("*/*/case.toml"))
