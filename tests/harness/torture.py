"""Files that lose bytes in careless hands, each with the same hazard and what must become of it.

Every file holds a class whose instances cross to a child process and keep a dict view, so that exactly one edit is due:
`ranges.keys()` becomes `list(ranges.keys())`. `HARMLESS` holds what other tools can be asked to rewrite as well.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

BODY = """import multiprocessing

HARMLESS = set([1, 2])


class Config:
    def __init__(self, ranges):
        self.names = ranges.keys()


def show(config):
    print(sorted(config.names))


if __name__ == "__main__":
    worker = multiprocessing.Process(target=show, args=(Config({"car": 50}),))
    worker.start()
    worker.join()
"""
OLD, NEW = "ranges.keys()", "list(ranges.keys())"
BOM = b"\xef\xbb\xbf"


@dataclass(frozen=True)
class Case:
    """A file `path` with the bytes `data`.

    `reason`: None when it must be fixed, else a regex for why it is skipped; "" when it is passed over in silence,
    because it holds nothing or is no file of the repository.
    """

    path: str
    data: bytes
    reason: str | None = None
    mode: int = 0o644
    encoding: str = "utf-8"  # what OLD and NEW are written in

    @property
    def fixed(self) -> bytes:
        """The bytes that must be there after the migration."""
        if self.reason is not None:
            return self.data
        old, new = OLD.encode(self.encoding), NEW.encode(self.encoding)
        assert self.data.count(old) == 1, self.path
        return self.data.replace(old, new)


def _text(head: str = "", body: str = BODY, tail: str = "") -> str:
    return head + body + tail


def _cookie(name: str, words: str, encoding: str = "", newline: str = "\n") -> bytes:
    text = _text(f"# -*- coding: {name} -*-\n# {words}\n", tail=f"WORDS = '{words}'\n")
    return text.replace("\n", newline).encode(encoding or name)


def _mixed() -> bytes:
    """Lines end in LF, CRLF, LF, CRLF..."""
    return b"".join(line + (b"\r\n" if n % 2 else b"\n") for n, line in enumerate(BODY.encode().splitlines()))


def cases() -> Iterator[Case]:
    """All of them; paths are relative, data is what git keeps."""
    plain = BODY.encode()
    yield Case("newline/lf.py", plain)
    yield Case("newline/crlf.py", plain.replace(b"\n", b"\r\n"))
    yield Case("newline/cr.py", plain.replace(b"\n", b"\r"))
    yield Case("newline/mixed.py", _mixed())
    yield Case("newline/one_lone_cr.py", plain + b"# end\r# really\n")
    yield Case("newline/cr_cr_lf.py", plain.replace(b"\n", b"\r\r\n"))
    yield Case("newline/none_at_end.py", plain.rstrip(b"\n"))
    yield Case("newline/crlf_none_at_end.py", plain.replace(b"\n", b"\r\n").rstrip(b"\r\n"))
    yield Case("newline/cr_at_end.py", plain.rstrip(b"\n") + b"\r")
    yield Case("newline/crlf_lone_cr_at_end.py", plain.replace(b"\n", b"\r\n") + b"\r")
    yield Case("newline/spaces_at_end.py", plain + b"    ")
    yield Case("newline/comment_none_at_end.py", plain + b"# end")
    yield Case("newline/many_at_end.py", plain + b"\n\n\n\n")
    yield Case("newline/backslash_crlf.py", (BODY + "x = 1 + \\\n    2\n").replace("\n", "\r\n").encode())
    yield Case("newline/crlf_in_string.py", (BODY + 'x = """a\nb"""\n').replace("\n", "\r\n").encode())

    yield Case("bom/lf.py", BOM + plain)
    yield Case("bom/crlf.py", BOM + plain.replace(b"\n", b"\r\n"))
    yield Case("bom/cookie.py", BOM + _cookie("utf-8", "été"))
    yield Case("bom/only.py", BOM, "")
    yield Case("bom/twice.py", BOM + BOM + plain, "non-printable character|invalid character")
    yield Case("bom/in_the_middle.py", plain + "x = '\ufeff'\n".encode())
    yield Case("bom/wrong_cookie.py", BOM + _cookie("latin-1", "x"), "encoding")
    yield Case("bom/utf16.py", BODY.encode("utf-16"), "NUL")
    yield Case("bom/utf32.py", BODY.encode("utf-32"), "NUL")

    yield Case("cookie/latin1.py", _cookie("latin-1", "café ÿ"))
    yield Case("cookie/latin1_crlf.py", _cookie("iso-8859-15", "café €", newline="\r\n"))
    yield Case("cookie/cp1252.py", _cookie("cp1252", "“café” €"))
    yield Case("cookie/koi8.py", _cookie("koi8-r", "привет"))
    yield Case("cookie/shift_jis.py", _cookie("shift_jis", "日本 ソ表"))
    yield Case("cookie/euc_jp.py", _cookie("euc-jp", "日本"))
    yield Case("cookie/gb18030.py", _cookie("gb18030", "中文 \U0001f600"))
    yield Case("cookie/big5.py", _cookie("big5", "中文 功"))
    yield Case("cookie/mac_roman.py", _cookie("mac-roman", "café"))
    yield Case(
        "cookie/emacs.py", b"#!/usr/bin/env python\n# vim: set fileencoding=latin-1 :\n" + BODY.encode() + b"# \xe9\n"
    )
    yield Case("cookie/third_line.py", b"#\n#\n# coding: latin-1\n" + plain + b"# \xe9\n", "encoding|decode")
    yield Case("cookie/missing.py", plain + "# é\n".encode("latin-1"), "encoding|decode")
    yield Case("cookie/a_lie.py", b"# coding: ascii\n" + plain + "# é\n".encode(), "ascii")
    yield Case("cookie/also_a_lie.py", b"# coding: utf-8\n" + plain + "# é\n".encode("latin-1"), "encoding|decode")
    yield Case("cookie/unknown.py", b"# coding: klingon\n" + plain, "unknown encoding")
    yield Case("cookie/rot13.py", b"# coding: rot13\n" + plain, "rot13")
    yield Case("cookie/hex.py", b"# coding: hex\n" + plain, "hex")
    yield Case(
        "cookie/unicode_escape.py",
        b"# coding: unicode_escape\n" + plain + b"# \\n\n",
        "encoding: .* is not one that source is written in",
    )
    yield Case(
        "cookie/utf7.py",
        b"# coding: utf-7\n" + plain + b"# +AGEAYg-\n",
        "encoding: .* is not one that source is written in",
    )
    yield Case("cookie/utf16.py", b"# coding: utf-16\n" + plain, "decode|round trip|encoding")
    yield Case("cookie/surrogates.py", plain + b"x = '\xed\xa0\x80'\n", "encoding|decode")

    yield Case("odd/form_feed.py", _text(body=BODY.replace("\nclass", "\f\nclass")).encode())
    yield Case("odd/form_feed_indent.py", (BODY + "\f    \n\fx = 1\n").encode())
    yield Case("odd/line_separators.py", (BODY + "x = '\u2028 \u2029 \x85 \x1c'  # \u2028\n").encode())
    yield Case("odd/vertical_tab.py", (BODY + "x = '\x0b'\n").encode())
    yield Case("odd/tabs.py", BODY.replace("    ", "\t").encode())
    yield Case("odd/tabs_and_spaces.py", (BODY + "if True:\n\tif True:\n\t    x = 1\n").encode())
    yield Case("odd/trailing_space.py", BODY.replace("\n", "  \n").replace(":  \n", ":\t\n").encode())
    yield Case("odd/control_z.py", plain + b"# \x1a\n")
    yield Case("odd/escape.py", plain + b"x = '\x1b[31m'  # \x07\n")
    yield Case("odd/right_to_left.py", (BODY + "x = '\u202e\u2066'\n").encode())
    yield Case("odd/identifiers.py", (BODY + "ﬁn = 1\nñ = Ⅷ = 𝔘 = 2\n").encode())
    yield Case("odd/wide_before.py", BODY.replace("self.names", "été = '𝔘日本'; self.names").encode())
    yield Case(
        "odd/semicolons.py",
        BODY.replace("self.names = ranges.keys()", "a = 1; self.names = ranges.keys(); b = 2").encode(),
    )
    yield Case("odd/shebang.py", b"#!/usr/bin/env python3\n" + plain, mode=0o755)
    yield Case("odd/nul.py", plain + b"x = '\0'\n", "NUL")
    yield Case("odd/empty.py", b"", "")
    yield Case("odd/newline_only.py", b"\r\n", "")
    yield Case("odd/spaces_only.py", b"   ", "")
    yield Case(
        "odd/lfs.py", b"version https://git-lfs.github.com/spec/v1\noid sha256:" + b"0" * 64 + b"\nsize 7\n", "LFS"
    )
    yield Case("odd/python2.py", plain + b"print 'x'\n", "bowler|Python 2|print")
    yield Case("odd/half.py", plain + b"def f(:\n", "line 19")
    yield Case("odd/conflict.py", b"<<<<<<< HEAD\n" + plain, "line 1")
    yield Case("odd/literal.py", plain + b"x = 'a' * 10**12, 9**9**9, 1 << 10**10, b'x' * 2**40, [0] * 10**9\n")
    yield Case("odd/digits.py", plain + b"x = " + b"9" * 200_000 + b"\n", "line 19")
    yield Case("odd/image.py", b"\x89PNG\r\n\x1a\n\0\0", "NUL")

    yield Case("huge/line.py", plain + b"x = '" + b"x" * 10_000_000 + b"'\n", "MiB")
    yield Case("huge/long_line.py", plain + b"x = '" + b"x" * 1_000_000 + b"'\n")
    yield Case("huge/many_lines.py", plain + b"x = 1\n" * 4_000)
    yield Case(
        "huge/sum.py",
        plain + b"x = " + b"+".join([b"1"] * 100_000) + b"\n",
        "nested|more than 200000 names, numbers and signs",
    )
    yield Case("huge/brackets.py", plain + b"x = " + b"[" * 5_000 + b"]" * 5_000 + b"\n", "nested")
    yield Case("huge/minus.py", plain + b"x = " + b"-" * 100_000 + b"1\n", "nested|parse")
    yield Case("huge/calls.py", plain + b"x = f" + b"()" * 2_000 + b"\n", "nested")
    yield Case("huge/elif.py", plain + b"if 0: pass\n" + b"elif 1: pass\n" * 2_500, "nested")
    yield Case("huge/string_sum.py", plain + b"x = (" + b"'a' +\n" * 400 + b"'')\n", "nested")

    yield Case("name/with space.py", plain)
    yield Case("name/été 日本 \U0001f600.py", plain)
    yield Case("name/e\u0301.py", plain)
    yield Case("name/new\nline.py", plain)
    yield Case("name/\x1b[31mred\x07.py", plain)
    yield Case("name/<img src=x onerror=alert(1)>.py", plain)
    yield Case("name/'quote\"back\\slash.py", plain)
    yield Case("name/-rf.py", plain)
    yield Case("name/$(touch owned)`touch owned`;.py", plain)
    yield Case("name/:(glob)*?[a].py", plain)
    yield Case("name/" + os.fsdecode(b"latin\xe9.py"), plain)
    yield Case("name/\u202egpj.py", plain)
    yield Case("name/" + "n" * 240 + ".py", plain)
    yield Case("/".join(["name", *["deep"] * 60, "x.py"]), plain)

    yield Case("mode/executable.py", plain, mode=0o755)
    yield Case("mode/read_only.py", plain, mode=0o444)


def build(folder: Path, chosen: Iterator[Case] | None = None) -> None:
    """Write all cases below `folder`, and links that must not be followed."""
    for case in chosen or cases():
        target = folder / case.path
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_bytes(case.data)
        target.chmod(case.mode)
    link = folder / "link"
    link.mkdir()
    outside = folder.parent / f"{folder.name}-outside"
    outside.mkdir()
    (outside / "victim.py").write_text(BODY)
    for name, to in LINKS.items():
        (link / name).symlink_to(to.replace("OUTSIDE", str(outside)))


LINKS = {
    "inside.py": "../newline/lf.py",
    "outside.py": "OUTSIDE/victim.py",
    "loop.py": "loop.py",
    "dangling.py": "nowhere.py",
    "folder": "OUTSIDE",
    "up": "..",
    "self": ".",
}


def tree(folder: Path) -> dict[str, tuple[bytes, int]]:
    """(bytes, permissions) of every file below `folder`, without git's own; of a link, where it points."""
    found = {}
    for root, _, names in os.walk(folder):
        for name in names:
            path = Path(root, name)
            relative = path.relative_to(folder).as_posix()
            if not relative.startswith(".git/"):
                data = os.fsencode(path.readlink()) if path.is_symlink() else path.read_bytes()
                found[relative] = (data, stat.S_IMODE(path.lstat().st_mode))
    return found
