"""`check --add-ignores`: a comment beside each finding that suppresses it."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from ..engine.results import Report
from ..finding import Finding
from ..problem import Problem
from ..syntax.suppress import ignored, suppressions
from ..tree.files import Files
from ..tree.old_names import tree_of
from ..tree.source import Source, UnreadableSource
from ..tree.writing import replace_files
from .printing import count


def add_ignores(report: Report, files: Files) -> Iterator[str]:
    """Write the comments to the files on disk, all or none; gives lines that say what was done. Raises Problem."""
    folder = Path(report.root)
    by_path: defaultdict[str, list[Finding]] = defaultdict(list)
    for finding in report.findings:
        by_path[finding.path].append(finding)
    before: dict[str, bytes] = {}
    after: dict[str, bytes] = {}
    silenced = 0
    left: list[Finding] = []
    for path, findings in by_path.items():
        try:
            data = files.read(path)
            source = Source.from_bytes(path, data)
        except (OSError, UnreadableSource) as error:
            raise Problem(f"{path}: {error}") from None
        text = source
        for finding in findings:
            text = _with_comment(text, finding)
            if any(item.silences(finding) for item in suppressions(text)):
                silenced += 1
            else:
                left.append(finding)
        if text.text != source.text:
            before[path], after[path] = data, source.encode(text.text)
    if after:
        replace_files(folder, before, after)
    yield f"suppressed {count(silenced, 'finding')} in {count(len(after), 'file')}"
    for finding in left:
        yield f"no room for a comment: {finding.path}:{finding.span.line} {finding.rule}"


def _with_comment(source: Source, finding: Finding) -> Source:
    """`source` with the comment for `finding`; as it is where there is one, or no place for one."""
    if any(item.silences(finding) for item in suppressions(source)):
        return source
    edit = ignored(source, finding)
    if edit is None:
        return source
    after = Source(source.path, source.apply([edit]), source.encoding, source.bom)
    return after if _same_code(source, after) else source


def _same_code(before: Source, after: Source) -> bool:
    if not before.path.endswith(".py"):
        return True
    try:
        return ast.dump(tree_of(before.text)) == ast.dump(tree_of(after.text))
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
