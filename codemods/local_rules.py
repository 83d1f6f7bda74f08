"""Rules that a repository keeps in files of its own, `[tool.spawnfix] rules = ["tools/spawnfix_rules.py"]`.

Such a file is run, so this is called only where the user asked for it (`--allow-local-rules`).
"""

from __future__ import annotations

import importlib.util
import sys
from collections.abc import Iterable
from pathlib import Path

from .problem import Problem
from .rule import Rule


def local_rules(root: Path, paths: Iterable[str]) -> list[Rule]:
    """The rules among the names of the files `paths` (relative to `root`), which are run.

    Raises Problem for a file outside `root`, one that can't be run, and one without a rule.
    """
    found: list[Rule] = []
    for path in paths:
        found += _rules_of(root, path)
    return found


def _rules_of(root: Path, path: str) -> list[Rule]:
    where = f"pyproject.toml: tool.spawnfix.rules: {path}"
    try:
        file = (root / path).resolve()
        inside, there = file.is_relative_to(root.resolve()), file.is_file()
    except (OSError, ValueError, RuntimeError) as error:  # too long, a NUL, links in a circle
        raise Problem(f"{where}: {getattr(error, 'strerror', None) or error}") from None
    if not inside:
        raise Problem(f"{where}: is not inside the repository")
    if not there:
        raise Problem(f"{where}: no such file")
    name = "_spawnfix_local_" + "".join(letter if letter.isalnum() else "_" for letter in path)
    spec = importlib.util.spec_from_file_location(name, file)
    if spec is None or spec.loader is None:
        raise Problem(f"{where}: is no Python file")
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    try:
        spec.loader.exec_module(module)
    except (Exception, SystemExit) as error:  # the repository's own code
        raise Problem(f"{where}: {type(error).__name__}: {error}") from None
    rules = [value for value in vars(module).values() if isinstance(value, Rule)]
    if not rules:
        raise Problem(f"{where}: defines no spawnfix.Rule")
    return rules
