"""Encodings: every one in which people write source is read and written back; folders of others are left out."""

from __future__ import annotations

import pytest

from codemods.tree.directory import Selected
from codemods.tree.files import MemoryFiles
from codemods.tree.source import Source, UnreadableSource
from harness.each_row import each_row

CODINGS = """
    utf8 utf_8 utf-8-sig us-ascii latin-1 iso-8859-1 iso-8859-2 iso-8859-3 iso-8859-4 iso-8859-5 iso-8859-6 iso-8859-7
    iso-8859-8 iso-8859-9 iso-8859-10 iso-8859-11 iso-8859-13 iso-8859-14 iso-8859-15 iso-8859-16 big5 big5-hkscs 437
    cp737 775 850 852 855 857 858 860 861 862 863 865 866 869 cp874 cp720 cp1125 cp932 cp949 cp950 euc-jp euc_jis_2004
    euc_jisx0213 euc-kr gb18030 gb2312 gbk hz iso-2022-jp iso-2022-jp-1 iso-2022-jp-2 iso-2022-kr johab koi8-r koi8_t
    koi8-u kz1048 mac-cyrillic mac-greek mac-iceland mac-latin2 mac-roman mac-turkish ptcp154 shift-jis shift_jis_2004
    shift_jisx0213 tis-620 windows-1250 windows-1251 windows-1252 windows-1253 windows-1254 windows-1255 windows-1256
    windows-1257 windows-1258 864
"""


@each_row("coding", CODINGS.split())
def test_what_people_write_source_in_is_read_and_written_back(coding: str) -> None:
    data = f"# -*- coding: {coding} -*-\nname = 'ada'\n".encode(coding)
    source = Source.from_bytes("a.py", data)
    assert source.text.endswith("name = 'ada'\n") and source.encode(source.text) == data


@each_row("coding", ["utf-16", "utf-32", "utf-7", "punycode", "idna", "unicode_escape", "hex", "rot13", "cp1026"])
def test_other_codecs_are_no_encodings_of_source(coding: str) -> None:
    with pytest.raises(UnreadableSource, match="encoding"):
        Source.from_bytes("a.py", f"# coding: {coding}\nx = 1\n".encode())


FOREIGN = """
    third_party thirdparty third-party 3rdparty vendor vendored _vendor node_modules bower_components site-packages
    dist-packages .venv venv .eggs .tox .nox .git .hg .svn __pycache__ .mypy_cache .ruff_cache .pytest_cache
    .ipynb_checkpoints .direnv .pixi conda-meta thing.egg-info build dist
"""


def paths(asked: str, *names: str) -> list[str]:
    files = MemoryFiles(dict.fromkeys(names, b""))
    return [entry.path for entry in Selected(files, asked).entries()]


@each_row("folder", FOREIGN.split())
def test_what_others_wrote_is_looked_at_where_it_was_asked_for(folder: str) -> None:
    inside = f"src/{folder}/pkg/a.py"
    assert paths("", inside, "src/b.py") == ["src/b.py"]
    assert paths("src", inside, "src/b.py") == ["src/b.py"]
    assert paths(f"src/{folder}", inside) == [inside]
    assert paths(f"src/{folder}/pkg/a.py", inside) == [inside]


def test_a_package_called_dist_is_ones_own() -> None:
    files = MemoryFiles({"dist/__init__.py": b"", "dist/a.py": b"", "build/a.py": b"", "a/dist/b.py": b""})
    assert [entry.path for entry in Selected(files, also_asked=("build",)).entries()] == [
        "build/a.py",
        "dist/__init__.py",
        "dist/a.py",
    ]


def test_of_several_paths_each_one_is_asked_for() -> None:
    files = MemoryFiles({"vendor/a.py": b"", "venv/b.py": b"", "vendored/c.py": b""})
    found = Selected(files, "vendor", ("venv",)).entries()
    assert [entry.path for entry in found] == ["vendor/a.py", "venv/b.py"]
