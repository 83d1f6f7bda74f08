"""Every check that stands between a rewrite and the user's file, with rewrites it must stop and others it must not."""

from __future__ import annotations

import textwrap

import pytest

from codemods.engine.verify import verify
from codemods.finding import Edit
from codemods.tree.source import Source, UnreadableSource
from harness.each_row import each_row


def judge(before: str, *changes: tuple[str, str], path: str = "a.py") -> str | None:
    """What verify says when in `before` each (old, new) of `changes` is replaced; old "" inserts at the start."""
    text = textwrap.dedent(before).lstrip("\n")
    source = Source(path, text)
    edits = []
    for old, new in changes:
        assert old == "" or text.count(old) == 1, old
        start = text.index(old)
        edits.append(Edit(path, start, start + len(old), new))
    return verify(source, source.apply(edits), edits)


GOOD = [
    pytest.param("x = {}\ny = x.keys()\n", [("x.keys()", "list(x.keys())")], id="a call wrapped"),
    pytest.param(
        "def f(rows):\n    return g(lambda r: r[0])\ndef g(h): pass\n",
        [("lambda r: r[0]", "_first"), ("", "def _first(r):\n    return r[0]\n\n\n")],
        id="a lambda hoisted",
    ),
    pytest.param(
        "top = lambda x: x\n",
        [("top = lambda x: x\n", "def top(x):\n    return x\n")],
        id="a function called top, for which symtable takes the module",
    ),
    pytest.param(
        "def f(args):\n    m = N(args.n)\n    e = copy(m)\nargs = parse()\nf(args)\n",
        [("copy(m)", "N(args.n)")],
        id="a parameter that has a namesake in the main part",
    ),
    pytest.param(
        "def f(k):\n    return g(lambda r: r[k])\ndef g(h): pass\n",
        [
            ("lambda r: r[k]", "functools.partial(_pick, k)"),
            ("", "import functools\n\n\ndef _pick(k, r):\n    return r[k]\n\n\n"),
        ],
        id="a capture becomes a parameter",
    ),
    pytest.param(
        "import torch\ndef f():\n    import torch\n    return g(lambda: torch.rand(1))\ndef g(h): pass\n",
        [("lambda: torch.rand(1)", "_rand"), ("def f", "def _rand():\n    return torch.rand(1)\n\n\ndef f")],
        id="a local import that means the same",
    ),
    pytest.param(
        """
        def f():
            def inner(x):
                return x
            def outer(x):
                return inner(x)
            return g(outer)
        def g(h): pass
        """,
        [
            ("    def inner(x):\n        return x\n    def outer(x):\n        return inner(x)\n", ""),
            ("def f", "def inner(x):\n    return x\ndef outer(x):\n    return inner(x)\ndef f"),
        ],
        id="nested functions hoisted together",
    ),
    pytest.param(
        "from x import *\ny = z.keys()\n", [("z.keys()", "anything(z)")], id="a star import may bring any name"
    ),
    pytest.param("x = 1\n", [("1", "__file__, __name__")], id="what each module has"),
    pytest.param("print(undefined)\nx = 1\n", [("x = 1", "x = 2")], id="what was unresolved before may stay so"),
    pytest.param("def f():\n    return copy.copy(1)\n", [("", "import copy\n\n\n")], id="an import that was missing"),
    pytest.param(
        "class A:\n    @property\n    def x(self): pass\n",
        [
            (
                "    @property",
                "    @property\n    def y(self): pass\n    @y.setter\n    def y(self, v): pass\n    @property",
            )
        ],
        id="a property with its setter",
    ),
    pytest.param("x = 'ä'\ny = x.keys()\n", [("x.keys()", "list(x)")], id="columns after a wide character"),
    pytest.param(
        "k = 1\ndef f():\n    global k\n    k = 2\n    return g(lambda: k)\ndef g(h): pass\n",
        [("lambda: k", "_pick"), ("def f", "def _pick():\n    return k\n\n\ndef f")],
        id="a global that the function assigns",
    ),
    pytest.param(
        "def f():\n    k = 0\n    def g():\n        global k\n        k += 1\n    return g, k\n",
        [
            ("    def g():\n        global k\n        k += 1\n", ""),
            ("def f", "def g():\n    global k\n    k += 1\n\n\ndef f"),
        ],
        id="a global of the same name as a local variable outside",
    ),
    pytest.param(
        "x = 0\ndef f(x):\n    return x + 1\n", [("x + 1", "(x + 1)")], id="a local variable that was read there before"
    ),
    pytest.param(
        "y = 0\ndef f(x):\n    y = x\n    print(x)\n",
        [("    print(x)", "    y = 2\n    print(x)")],
        id="a local variable that is set and not read",
    ),
]


@each_row(("before", "changes"), GOOD)
def test_accepts(before: str, changes: list[tuple[str, str]]) -> None:
    assert judge(before, *changes) is None


BAD = [
    pytest.param("x = 1\n", [("1", "(")], "does not compile", id="syntax"),
    pytest.param("x = 1\n", [("x = 1", "return 1")], "does not compile", id="what only the compiler refuses"),
    pytest.param(
        "from __future__ import annotations\n", [("", "import os\n")], "__future__", id="above a __future__ import"
    ),
    pytest.param("x = d\nd = 1\n", [("x = d", "x = lst(d)")], "'lst'", id="a name that nothing binds"),
    pytest.param("import copy\nx = copy.copy(1)\n", [("import copy\n", "")], "'copy'", id="an import taken away"),
    pytest.param(
        "def f(k):\n    return g(lambda r: r[k])\ndef g(h): pass\n",
        [("lambda r: r[k]", "_pick"), ("def f", "def _pick(r):\n    return r[k]\n\n\ndef f")],
        "'k'",
        id="a captured name that nothing binds",
    ),
    pytest.param(
        "k = 1\ndef f(k):\n    return g(lambda r: r[k])\ndef g(h): pass\n",
        [("lambda r: r[k]", "_pick"), ("def f", "def _pick(r):\n    return r[k]\n\n\ndef f")],
        "'k' would be left behind",
        id="a captured name that also stands for something at module level",
    ),
    pytest.param(
        "k = 1\nclass A:\n    def f(self):\n        k = 2\n        return g(lambda: k)\ndef g(h): pass\n",
        [("lambda: k", "self._k"), ("    def f", "    def _k(self):\n        return k\n\n    def f")],
        "'k' would be left behind",
        id="a captured name in a new method",
    ),
    pytest.param(
        "from x import *\ny = helper(1)\n",
        [("y =", "def helper(a): pass\ny =")],
        "'helper' is used",
        id="a new name that a star import may have given",
    ),
    pytest.param(
        "def f(): pass\n", [("def f", "def f(): pass\n\n\ndef max")], "builtin", id="a new name that hides a builtin"
    ),
    pytest.param(
        "x = 1\n",
        [("x = 1", "def h(): pass\ndef h(): pass\nx = 1")],
        "'h' would be defined twice",
        id="two helpers of one name",
    ),
    pytest.param(
        "def f(d, list):\n    return d.keys()\n",
        [("d.keys()", "list(d.keys())")],
        "'list'",
        id="a parameter called list",
    ),
    pytest.param(
        "list = 1\ndef f(d):\n    return d.keys()\n",
        [("d.keys()", "list(d.keys())")],
        "not the builtin",
        id="a global called list",
    ),
    pytest.param(
        "def f(d):\n    functools = 1\n    return g(d)\n",
        [("g(d)", "functools.partial(g, d)"), ("", "import functools\n\n\n")],
        "'functools' hides",
        id="a local variable called like the new import",
    ),
    pytest.param(
        "def f(d):\n    def inner():\n        return d.keys()\n    list = 1\n    return inner\n",
        [("d.keys()", "list(d.keys())")],
        "'list' hides",
        id="a local variable of an outer function",
    ),
    pytest.param(
        "x = g(1)\n", [("g(1)", "h(1)"), ("\n", "\ndef h(a): pass\n")], "before it is defined", id="defined too late"
    ),
    pytest.param(
        "class A:\n    def f(self): pass\n",
        [("    def f", "    def f(self): return 1\n    def f")],
        "class A has 'f' already",
        id="a method that is there",
    ),
]


@each_row(("before", "changes", "reason"), BAD)
def test_refuses(before: str, changes: list[tuple[str, str]], reason: str) -> None:
    assert reason in (judge(before, *changes) or "accepted")


def test_text_outside_the_edits_must_not_change() -> None:
    source = Source("a.py", "x = 1\ny = 2\n")
    edit = Edit("a.py", 4, 5, "3")
    assert verify(source, "x = 3\ny = 2\n", [edit]) is None
    for wrong in ("x = 3\ny = 4\n", "x = 3\n\ny = 2\n", "x = 33\ny = 2\n", "x = 3\ny = 2"):
        assert "outside" in (verify(source, wrong, [edit]) or "accepted")


def test_the_new_text_must_fit_the_files_encoding() -> None:
    source = Source.from_bytes("a.py", b"# -*- coding: latin-1 -*-\nx = '\xe9'\n")
    assert judge_in(source, "ü") is None
    assert "iso-8859-1" in (judge_in(source, "你") or "accepted")


def judge_in(source: Source, new: str) -> str | None:
    start = source.text.index("é")
    edit = Edit(source.path, start, start + 1, new)
    return verify(source, source.apply([edit]), [edit])


@pytest.mark.parametrize(
    "cookie", ["# -*- coding: future_fstrings -*-", "# coding=future-fstrings", "#!x\n# coding: future_fstrings"]
)
def test_the_codec_of_future_fstrings_is_utf_8(cookie: str) -> None:
    data = f"{cookie}\nx = 'é'\n".encode()
    source = Source.from_bytes("a.py", data)
    assert source.encoding == "utf-8" and source.text.endswith("x = 'é'\n") and source.encode(source.text) == data
    with pytest.raises(UnreadableSource):
        Source.from_bytes("a.py", b"# coding: future_facts\n")


def test_a_new_cookie_would_change_how_the_file_reads() -> None:
    assert "read" in (judge("# ä\nx = 1\n", ("# ä", "# ä coding: latin-1")) or "accepted")


def test_a_file_that_does_not_compile_is_left_alone() -> None:
    assert "as it is" in (judge("x = (\ny = 1\n", ("1", "2")) or "accepted")


def test_shell_must_parse_as_well_as_before() -> None:
    good = "python -m torch.distributed.launch \\\n  --nproc_per_node=4 train.py\n"
    change = ("python -m torch.distributed.launch", "torchrun")
    assert judge(good, change, path="run.sh") is None
    assert "shell" in (judge(good, (change[0], 'torchrun "'), path="run.sh") or "accepted")
    assert "shell" in (judge("#!/bin/bash\n" + good, (change[0], "if torchrun"), path="run") or "accepted")
    broken = "if [ x ; then\n" + good
    assert judge(broken, change, path="run.sh") is None


@each_row("suffix", ["sh", "bash", "zsh", "ksh", "sbatch", "slurm", "pbs", "qsub", "lsf", "job"])
def test_every_suffix_of_a_shell_script_is_checked_as_shell(suffix: str) -> None:
    text = "python -m torch.distributed.launch train.py\n"
    change = ("python -m torch.distributed.launch", 'torchrun "')
    assert "shell" in (judge(text, change, path=f"jobs/train.{suffix}") or "accepted")


def test_other_files_only_need_their_bytes_to_come_back() -> None:
    assert judge("run:\n\tpython -m x (\n", ("python", "python3"), path="Makefile") is None
