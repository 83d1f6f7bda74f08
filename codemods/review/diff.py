"""Unified diffs as git writes them: of bytes, in any encoding, so that `git apply` takes them."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence

CONTEXT = 3
_ESCAPES = {7: b"\\a", 8: b"\\b", 9: b"\\t", 10: b"\\n", 11: b"\\v", 12: b"\\f", 13: b"\\r", 34: b'\\"', 92: b"\\\\"}


def unified_diff(before: Mapping[str, bytes], after: Mapping[str, bytes]) -> bytes:
    """The patch from `before` to `after` (contents by path, "/" between folders), sorted by path.

    b"" when they are equal. A path in only one of the two is a new or deleted file. Modes are not looked at.
    """
    paths = sorted(before.keys() | after.keys(), key=lambda path: path.encode("utf-8", "surrogateescape"))
    return b"".join(_of_file(path, before.get(path), after.get(path)) for path in paths)


def quoted(path: str) -> bytes:
    """`path` as git writes it in a header: in C style and double quotes when a character needs it."""
    raw = path.encode("utf-8", "surrogateescape")
    if not any(byte < 32 or byte >= 127 or byte in (34, 92) for byte in raw):
        return raw
    return b'"' + b"".join(_ESCAPES.get(byte) or _octal(byte) for byte in raw) + b'"'


def _octal(byte: int) -> bytes:
    return bytes([byte]) if 32 <= byte < 127 else b"\\%03o" % byte


def _header(prefix: str, path: str) -> bytes:
    name = quoted(f"{prefix}/{path}")
    return name + b"\t" if b" " in name else name  # as git does it: older tools end the name at a space


def _lines(data: bytes) -> list[bytes]:
    """`data` cut after each "\\n" and nowhere else, as git does it."""
    lines = data.split(b"\n")
    return [line + b"\n" for line in lines[:-1]] + ([lines[-1]] if lines[-1] else [])


def _of_file(path: str, old: bytes | None, new: bytes | None) -> bytes:
    if old == new:
        return b""
    head = [b"diff --git %s %s\n" % (quoted(f"a/{path}"), quoted(f"b/{path}"))]
    if old is None:
        head.append(b"new file mode 100644\n")
    elif new is None:
        head.append(b"deleted file mode 100644\n")
    hunks = _hunks(_lines(old or b""), _lines(new or b""))
    if hunks:
        head.append(b"--- %s\n" % (b"/dev/null" if old is None else _header("a", path)))
        head.append(b"+++ %s\n" % (b"/dev/null" if new is None else _header("b", path)))
    return b"".join([*head, *hunks])


def _hunks(old: Sequence[bytes], new: Sequence[bytes]) -> list[bytes]:
    out: list[bytes] = []
    for group in difflib.SequenceMatcher(None, old, new, autojunk=False).get_grouped_opcodes(CONTEXT):
        (_, old_start, _, new_start, _), (_, _, old_end, _, new_end) = group[0], group[-1]
        out.append(b"@@ -%s +%s @@\n" % (_range(old_start, old_end), _range(new_start, new_end)))
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                out += [_line(b" ", line) for line in old[i1:i2]]
            else:
                out += [_line(b"-", line) for line in old[i1:i2]]
                out += [_line(b"+", line) for line in new[j1:j2]]
    return out


def _range(start: int, end: int) -> bytes:
    length = end - start
    first = start + 1 if length else start  # an empty range names the line before it
    return b"%d" % first if length == 1 else b"%d,%d" % (first, length)


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"
