"""Findings that a team knows of and leaves for later, in a file to be committed.

A finding is known by its rule, its file and the code of its line, not by the line's number; as many as are listed.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Mapping
from pathlib import Path

from ..finding import Finding
from ..problem import Problem
from ..tree.guarded import read_named
from ..tree.source import Source
from ..tree.writing import written

FORMAT = "spawnfix-baseline"
VERSION = 1
MAX_BYTES = 64 * 2**20
Key = tuple[str, str, str]  # rule, path, code


def key_of(finding: Finding, sources: Mapping[str, Source]) -> Key:
    """What `finding` is known by."""
    source = sources.get(finding.path)
    if source is None or finding.span.line > len(source.line_starts):
        return finding.rule, finding.path, ""
    return finding.rule, finding.path, source.line_text(finding.span.line).strip()


def unlisted(findings: Iterable[Finding], sources: Mapping[str, Source], listed: Counter[Key]) -> list[Finding]:
    """Those of `findings` that are not in the baseline `listed`."""
    left = Counter(listed)
    new = []
    for finding in findings:
        key = key_of(finding, sources)
        if left[key] > 0:
            left[key] -= 1
        else:
            new.append(finding)
    return new


def read_baseline(file: Path) -> Counter[Key]:
    """How many findings of each key `file` lists. Raises Problem."""
    try:
        data = json.loads(read_named(file, MAX_BYTES).decode("utf-8-sig"))
    except OSError as error:
        raise Problem(f"can't read the baseline {file}: {error.strerror}; --write-baseline writes one") from None
    except (ValueError, RecursionError) as error:
        raise Problem(f"{file}: not valid JSON: {error}") from None
    if not isinstance(data, dict) or data.get(FORMAT) != VERSION or not isinstance(data.get("findings"), list):
        raise Problem(f'{file}: no baseline: it needs "{FORMAT}": {VERSION} and a list of "findings"')
    found: Counter[Key] = Counter()
    for number, row in enumerate(data["findings"], start=1):
        values = [row.get(name) for name in ("rule", "path", "code")] if isinstance(row, dict) else []
        texts = [value for value in values if isinstance(value, str)]
        many = row.get("count", 1) if isinstance(row, dict) else None
        if len(texts) != 3 or not isinstance(many, int):
            raise Problem(f'{file}: finding {number} needs "rule", "path", "code", and a number as "count"')
        found[(texts[0], texts[1], texts[2])] += many
    return found


def write_baseline(file: Path, findings: Iterable[Finding], sources: Mapping[str, Source]) -> int:
    """Write a baseline of `findings` to `file`, a line for each key; gives how many it lists. Raises Problem."""
    counted = Counter(key_of(finding, sources) for finding in findings)
    rows = []
    for (rule, path, code), many in sorted(counted.items()):
        row: dict[str, str | int] = {"rule": rule, "path": path, "code": code}
        if many > 1:
            row["count"] = many
        rows.append("    " + json.dumps(row, ensure_ascii=True))
    listed = "[\n" + ",\n".join(rows) + "\n  ]" if rows else "[]"
    try:
        written(file, f'{{\n  "{FORMAT}": {VERSION},\n  "findings": {listed}\n}}\n'.encode())
    except OSError as error:
        raise Problem(f"can't write the baseline {file}: {error.strerror or error}") from None
    return counted.total()
