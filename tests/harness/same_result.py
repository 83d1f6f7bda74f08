"""Two runs compared: the same findings, and the same fix up to a change of the program that keeps its meaning."""

from __future__ import annotations

import ast
import inspect
import itertools
import re
from collections import Counter
from dataclasses import dataclass, replace

from codemods.engine.migrate import check, plan
from codemods.finding import Finding
from codemods.settings import Settings
from codemods.tree.files import MemoryFiles

from .metamorphic import KINDS, Change, Contents, parsed, words_of


def normalised(contents: Contents, change: Change, before: Contents) -> object:
    """The program as a value that two runs share when they differ by `change` alone.

    Names that migrate made up (they are not in `before`) may differ: they are derived from others.
    """
    trees = parsed(contents)
    known = words_of(before)
    for tree in trees.values():
        for node in ast.walk(tree):
            for field_name, value in [*ast.iter_fields(node)]:
                made_up = isinstance(value, str) and re.match("_[^_]", value) and value not in known
                if made_up and not isinstance(node, ast.Constant):
                    setattr(node, field_name, "_new")
    others = {path: data for path, data in contents.items() if path not in trees}
    dumps = {path: _dumps(tree, change, known) for path, tree in trees.items()}
    if change.merged:
        statements = sorted(each for many in dumps.values() for each in many if not each.startswith("Import"))
        return statements, others
    return dumps, others


def _dumps(tree: ast.Module, change: Change, known: set[str]) -> list[str]:
    for node in ast.walk(tree):
        for name, value in [*ast.iter_fields(node)]:
            if isinstance(value, str) and not isinstance(node, ast.Constant):
                setattr(node, name, _old_name(value, change.names, known))
        if isinstance(node, (ast.Global, ast.Nonlocal)):
            node.names = [_old_name(each, change.names, known) for each in node.names]
        if isinstance(node, ast.alias) and node.asname == node.name:
            node.asname = None
        if isinstance(node, (*KINDS, ast.Module)) and ast.get_docstring(node) is not None:
            text = node.body[0].value  # type: ignore[attr-defined]
            text.value = inspect.cleandoc(text.value)
        if isinstance(node, ast.ClassDef) and change.any_order:
            node.body = sorted(node.body, key=ast.dump)
    if change.any_order:
        return sorted(ast.dump(statement) for statement in tree.body)
    groups = itertools.groupby(tree.body, lambda node: isinstance(node, (ast.Import, ast.ImportFrom)))
    dumps = [(imports, [ast.dump(statement) for statement in group]) for imports, group in groups]
    return [dump for imports, group in dumps for dump in (sorted(group) if imports else group)]


def _old_name(name: str, names: dict[str, str], known: set[str]) -> str:
    """The old name; in one that migrate made up (it is not `known`) each part between underscores that is a new one."""
    if name in names:
        return names[name]
    if name in known:
        return name
    for new, old in names.items():
        if new in name:
            name = re.sub(rf"(?<![^_]){re.escape(new)}(?![^_])", old, name)
    return name


@dataclass(frozen=True)
class Result:
    """What a run over a program says and leaves."""

    findings: Counter[tuple[str, str, str]]  # (rule, confidence, "fixable" or why not by kind)
    left: Counter[tuple[str, str, str]]
    contents: Contents
    before: Contents


def run(contents: Contents, settings: Settings) -> Result:
    """`check` and `migrate` of a program in memory."""
    report = check(MemoryFiles(contents), settings)
    done = plan(MemoryFiles(contents), settings)
    return Result(
        Counter(_kind(each) for each in report.findings),
        Counter(_kind(each) for each in done.remaining),
        {**contents, **done.contents},
        contents,
    )


def _kind(finding: Finding) -> tuple[str, str, str]:
    state = "not fixable" if finding.fix is None else "unsafe" if finding.fix.unsafe else "fixable"
    return finding.rule, finding.confidence.value, state


def difference(before: Result, after: Result, change: Change) -> str | None:
    """How the result differs by more than `change`; None when it does not."""
    for name in ("findings", "left"):
        one, two = getattr(before, name), getattr(after, name)
        if one != two:
            return f"{name}: without {sorted((one - two).elements())}, new {sorted((two - one).elements())}"
    plain = replace(change, names={})
    if normalised(before.contents, plain, before.before) != normalised(after.contents, change, after.before):
        return "another fix"
    return None
