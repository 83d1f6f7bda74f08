"""The rules as commands of LibCST's codemod runner: `python -m libcst.tool codemod spawnfix_libcst.DictViews src/`.

One command for each rule: DictViews, Lambdas, MainGuard... The runner hands over one file at a time; a command looks at
the whole repository around it, once in a process, because what crosses a process boundary is decided there. What needs
edits in several files is left to `spawnfix migrate`, with a warning.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import libcst
from libcst.codemod import CodemodCommand, SkipFile

import spawnfix


@cache
def _rewritten(root: Path, rule: str) -> tuple[dict[str, tuple[bytes, bytes]], dict[str, set[str]]]:
    """The files that the safe fixes of `rule` change below `root`: their bytes before and after, by path.

    And, by path, the other files without which a change of this one must not be made.
    """
    plan = spawnfix.plan(root, spawnfix.Settings(select=(rule,)), git=False)  # the files as they are on disk
    contents = {path: ((root / path).read_bytes(), data) for path, data in plan.contents.items()}
    beside: dict[str, set[str]] = {path: set() for path in contents}
    for fix in (found.fix for change in plan.changes for found in change.findings):
        for path in fix.paths if fix is not None else ():
            beside.setdefault(path, set()).update(set(fix.paths) - {path} if fix is not None else ())
    return contents, beside


def _root(file: Path) -> Path:
    """The repository around `file`, else its folder."""
    return next((folder for folder in file.parents if (folder / ".git").exists()), file.parent)


class _Command(CodemodCommand):
    """Applies the safe fixes of one rule to one file."""

    RULE = ""

    def transform_module_impl(self, tree: libcst.Module) -> libcst.Module:
        """The module after the fixes. Raises SkipFile, with the reason, where they can't be made here."""
        if not self.context.filename:
            raise SkipFile("spawnfix looks at the repository around a file: name the file, don't pipe it")
        file = Path(self.context.filename).resolve()
        root = _root(file)
        path = file.relative_to(root).as_posix()
        try:
            contents, beside = _rewritten(root, self.RULE)
        except spawnfix.Problem as problem:
            raise SkipFile(str(problem)) from None
        if path not in contents:
            return tree
        if beside[path]:
            others = ", ".join(sorted(beside[path]))
            raise SkipFile(f"its fix also changes {others}: spawnfix migrate --select {self.RULE} does them together")
        before, after = contents[path]
        if tree.bytes != before:
            raise SkipFile("it is not as it was when spawnfix looked at the repository, or LibCST changes its encoding")
        result = libcst.parse_module(after)
        if result.bytes != after:
            raise SkipFile("LibCST would change its encoding: use spawnfix migrate")
        return result


def _command(rule: spawnfix.Rule) -> type[_Command]:
    name = "".join(word.capitalize() for word in rule.id.split("-"))
    return type(name, (_Command,), {"__module__": __name__, "RULE": rule.id, "DESCRIPTION": rule.summary})


globals().update((command.__name__, command) for command in map(_command, spawnfix.rules().values()))
