"""Unified diffs as git writes them: of bytes, in any encoding, so that `git apply` takes them."""

from __future__ import annotations

import difflib
from array import array
from collections.abc import Mapping, Sequence

CONTEXT = 3
MAX_DIFFERENCE = 1500  # lines, for the exact search
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
    changes = changed_lines(old, new)
    while changes:
        group = [changes.pop(0)]
        while changes and changes[0][0] - group[-1][1] <= 2 * CONTEXT:
            group.append(changes.pop(0))
        start, end = max(0, group[0][0] - CONTEXT), min(len(old), group[-1][1] + CONTEXT)
        new_start, new_end = group[0][2] - (group[0][0] - start), group[-1][3] + (end - group[-1][1])
        out.append(b"@@ -%s +%s @@\n" % (_range(start, end), _range(new_start, new_end)))
        at = start
        for i1, i2, j1, j2 in group:
            out += [_line(b" ", line) for line in old[at:i1]]
            out += [_line(b"-", line) for line in old[i1:i2]]
            out += [_line(b"+", line) for line in new[j1:j2]]
            at = i2
        out += [_line(b" ", line) for line in old[at:end]]
    return out


Change = tuple[int, int, int, int]  # old[a:b] became new[c:d]


def changed_lines(old: Sequence[bytes], new: Sequence[bytes]) -> list[Change]:
    """What to replace in `old` to get `new`, in order, nothing common in between; short also for long files."""
    low, high, shared = 0, 0, min(len(old), len(new))
    while low < shared and old[low] == new[low]:
        low += 1
    while high < shared - low and old[-1 - high] == new[-1 - high]:
        high += 1
    pairs = _common(old[low : len(old) - high], new[low : len(new) - high])
    changes: list[Change] = []
    i = j = low
    for x, y in [*((x + low, y + low) for x, y in pairs), (len(old) - high, len(new) - high)]:
        if (i, j) != (x, y):
            changes.append((i, x, j, y))
        i, j = x + 1, y + 1
    return _slid(changes, old, new)


def _common(old: Sequence[bytes], new: Sequence[bytes]) -> list[tuple[int, int]]:
    """Pairs of equal lines, as many as can be (Myers' algorithm: quick when the texts differ little, as ours do)."""
    n, m = len(old), len(new)
    reach = array("l", [0])  # furthest x on each diagonal k = -d, -d + 2, ... d
    history: list[array[int]] = []
    for d in range(min(n + m, MAX_DIFFERENCE) + 1):
        now = array("l")
        for index in range(d + 1):
            k = 2 * index - d
            if d == 0:
                x = 0
            elif index == 0 or (index < d and reach[index - 1] < reach[index]):
                x = reach[index]  # one line more of `new`
            else:
                x = reach[index - 1] + 1  # one line less of `old`
            while x < n and x - k < m and old[x] == new[x - k]:
                x += 1
            now.append(x)
            if x >= n and x - k >= m:
                return _path([*history, now], d, index)
        history.append(now)
        reach = now
    matcher = difflib.SequenceMatcher(None, old, new)  # other files altogether: any diff will do
    return [(a + i, b + i) for a, b, size in matcher.get_matching_blocks() for i in range(size)]


def _path(history: list[array[int]], d: int, index: int) -> list[tuple[int, int]]:
    """The equal pairs on the way to diagonal number `index` of the last step, in order."""
    pairs: list[tuple[int, int]] = []
    x = history[d][index]
    while d:
        k, reach = 2 * index - d, history[d - 1]
        down = index == 0 or (index < d and reach[index - 1] < reach[index])
        start = reach[index] if down else reach[index - 1] + 1
        pairs += [(at, at - k) for at in range(x - 1, start - 1, -1)]
        d, index, x = d - 1, index if down else index - 1, start if down else start - 1
    pairs += [(at, at) for at in range(x - 1, -1, -1)]
    return pairs[::-1]


def _slid(changes: list[Change], old: Sequence[bytes], new: Sequence[bytes]) -> list[Change]:
    """Blocks only added or only removed, moved to where they begin like a block: at a `def`, not the line before."""
    out: list[Change] = []
    for number, (i1, i2, j1, j2) in enumerate(changes):
        if (i1 == i2) == (j1 == j2):
            out.append((i1, i2, j1, j2))
            continue
        side, start, end = (new, j1, j2) if i1 == i2 else (old, i1, i2)
        above = i1 - (out[-1][1] if out else 0)
        below = (changes[number + 1][0] if number + 1 < len(changes) else len(old)) - i2
        up = down = 0
        while up < above and side[start - up - 1] == side[end - up - 1]:
            up += 1
        while down < below and side[start + down] == side[end + down]:
            down += 1
        shift = min(range(-up, down + 1), key=lambda shift: (*_rank(side, start + shift), -shift))
        out.append((i1 + shift, i2 + shift, j1 + shift, j2 + shift))
    return out


def _rank(side: Sequence[bytes], start: int) -> tuple[bool, int, bool]:
    """How ill line `start` begins a block: a blank line, deep indentation, no blank line before it."""
    line = side[start]
    return not line.strip(), len(line) - len(line.lstrip()), start > 0 and bool(side[start - 1].strip())


def _range(start: int, end: int) -> bytes:
    length = end - start
    first = start + 1 if length else start  # an empty range names the line before it
    return b"%d" % first if length == 1 else b"%d,%d" % (first, length)


def _line(sign: bytes, line: bytes) -> bytes:
    return sign + line if line.endswith(b"\n") else sign + line + b"\n\\ No newline at end of file\n"
