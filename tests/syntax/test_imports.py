"""Where a missing import goes, and what a file can say already."""

from __future__ import annotations

import ast
import textwrap

import pytest

from codemods.finding import Import
from codemods.syntax.import_edits import import_edits
from codemods.syntax.imports import reference
from codemods.syntax.scopes import Scopes
from codemods.tree.source import Source
from harness.each_row import each_row

PATH = "a.py"


def add(text: str, *needs: tuple[str, str | None] | str) -> str:
    source = Source(PATH, text)
    wanted = [Import(PATH, need) if isinstance(need, str) else Import(PATH, *need) for need in needs]
    result = source.apply(import_edits(source, ast.parse(text), wanted))
    compile(result, PATH, "exec", dont_inherit=True)
    if all(name is None for _, name in (need if isinstance(need, tuple) else (need, None) for need in needs)):
        again = Source(PATH, result)
        assert import_edits(again, ast.parse(result), wanted) == [], "an import that is there was added again"
    return result


def lines(text: str) -> str:
    return textwrap.dedent(text).lstrip("\n")


@each_row(
    ("before", "after"),
    [
        pytest.param("x = 1\n", "import functools\n\nx = 1\n", id="no imports"),
        pytest.param("def f(): pass\n", "import functools\n\n\ndef f(): pass\n", id="no imports, a function first"),
        pytest.param(
            "@d\ndef f(): pass\n", "import functools\n\n\n@d\ndef f(): pass\n", id="a decorated function first"
        ),
        pytest.param(
            "import argparse\n\n# tools\nimport csv\nimport time\n\n# noisy\nimport warnings\n",
            "import argparse\n\n# tools\nimport csv\nimport functools\nimport time\n\n# noisy\nimport warnings\n",
            id="not between a comment and what it introduces",
        ),
        pytest.param("import os", "import functools\nimport os", id="no newline at the end"),
        pytest.param('"""Doc."""', '"""Doc."""\n\nimport functools', id="docstring alone, no newline at the end"),
        pytest.param('"""Doc."""\nx = 1\n', '"""Doc."""\n\nimport functools\n\nx = 1\n', id="docstring"),
        pytest.param(
            "from __future__ import annotations\nfrom __future__ import division\nx = 1\n",
            "from __future__ import annotations\nfrom __future__ import division\n\nimport functools\n\nx = 1\n",
            id="after all __future__ imports",
        ),
        pytest.param(
            '"""Doc."""; import os\nimport sys\n', '"""Doc."""; import os\nimport functools\nimport sys\n', id="after ;"
        ),
        pytest.param(
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# Copyright me.\n\nx = 1\n",
            "#!/usr/bin/env python\n# -*- coding: utf-8 -*-\n# Copyright me.\n\nimport functools\n\nx = 1\n",
            id="shebang, cookie, licence",
        ),
        pytest.param(
            "# Copyright me.\nimport os\n", "# Copyright me.\nimport functools\nimport os\n", id="licence on an import"
        ),
        pytest.param(
            "# Copyright me.\n\n# what f does\ndef f(): pass\n",
            "# Copyright me.\n\nimport functools\n\n# what f does\ndef f(): pass\n",
            id="licence, then a comment of the code",
        ),
        pytest.param("import os, sys\nx = 1\n", "import functools\nimport os, sys\nx = 1\n", id="comma"),
        pytest.param(
            "import os; import sys\n", "import functools\nimport os; import sys\n", id="semicolon, sorted before"
        ),
        pytest.param(
            "import abc; import ast\nimport zlib\n",
            "import abc; import ast\nimport functools\nimport zlib\n",
            id="semicolon, sorted after",
        ),
        pytest.param(
            "import torch\nimport os\nimport numpy as np\n",
            "import torch\nimport os\nimport functools\nimport numpy as np\n",
            id="unsorted: after the last of the standard library",
        ),
        pytest.param(
            "import torch\nimport os\nfrom enum import Enum\n",
            "import torch\nimport os\nimport functools\nfrom enum import Enum\n",
            id="unsorted: beside imports of its form",
        ),
        pytest.param(
            "import os\nfrom pathlib import (\n    Path,\n)\n\nimport torch\n",
            "import functools\nimport os\nfrom pathlib import (\n    Path,\n)\n\nimport torch\n",
            id="isort",
        ),
        pytest.param("import torch\n", "import functools\n\nimport torch\n", id="only third party, sorted"),
        pytest.param(
            "import torch\nimport einops\n",
            "import functools\nimport torch\nimport einops\n",
            id="only third party, unsorted",
        ),
        pytest.param(
            '"""Doc."""\n\n# models\nimport torch\n',
            '"""Doc."""\n\nimport functools\n\n# models\nimport torch\n',
            id="above the comment of the next group",
        ),
        pytest.param(
            "try:\n    import json\nexcept ImportError:\n    json = None\n\nx = 1\n",
            "import functools\n\ntry:\n    import json\nexcept ImportError:\n    json = None\n\nx = 1\n",
            id="imports in try only",
        ),
        pytest.param(
            "if True:\n    import functools\nelse:\n    functools = None\nimport os\n",
            "if True:\n    import functools\nelse:\n    functools = None\nimport functools\nimport os\n",
            id="not trusted under if",
        ),
        pytest.param(
            "import os\r\n\r\nx = 1\r\n", "import functools\r\nimport os\r\n\r\nx = 1\r\n", id="CRLF stays CRLF"
        ),
        pytest.param("import os\nif os:\n\tx = 1\n", "import functools\nimport os\nif os:\n\tx = 1\n", id="tabs"),
        pytest.param("import functools\nimport os\n", "import functools\nimport os\n", id="there already"),
        pytest.param(
            "def f():\n    import functools\nimport os\n",
            "import functools\n\n\ndef f():\n    import functools\nimport os\n",
            id="the first imports come after code",
        ),
    ],
)
def test_place_of_an_import(before: str, after: str) -> None:
    assert add(before, "functools") == after


def test_several_imports_keep_their_groups() -> None:
    before = "import os\nimport sys\nfrom pathlib import Path\n\nimport numpy as np\n\nfrom . import models\n"
    after = lines("""
        import copy
        import os
        import sys
        import zlib
        from pathlib import Path
        from typing import Any

        import numpy as np
        import torch

        from . import models
    """)
    assert add(before, "zlib", "torch", "copy", ("typing", "Any")) == after


@each_row(
    ("before", "after"),
    [
        pytest.param("from functools import wraps\n", "from functools import partial, wraps\n", id="sorted"),
        pytest.param(
            "from functools import wraps, cache\n", "from functools import wraps, cache, partial\n", id="unsorted"
        ),
        pytest.param(
            "from functools import (\n    cache,  # why\n    wraps,\n)\n",
            "from functools import (\n    cache,  # why\n    partial,\n    wraps,\n)\n",
            id="a line each",
        ),
        pytest.param(
            "from functools import (\n\tcache\n)\n", "from functools import (\n\tcache,\n\tpartial\n)\n", id="last"
        ),
        pytest.param(
            "from functools import *\n", "from functools import *\nfrom functools import partial\n", id="star"
        ),
        pytest.param("import functools\n", "import functools\nfrom functools import partial\n", id="new line"),
    ],
)
def test_a_from_import_is_extended(before: str, after: str) -> None:
    assert add(before, ("functools", "partial")) == after


@each_row(
    ("text", "target", "name", "expression", "needed"),
    [
        pytest.param("", "functools", "partial", "functools.partial", True, id="nothing there"),
        pytest.param("import functools", "functools", "partial", "functools.partial", False, id="module"),
        pytest.param("import functools as ft", "functools", "partial", "ft.partial", False, id="alias of the module"),
        pytest.param("from functools import partial", "functools", "partial", "partial", False, id="name"),
        pytest.param("from functools import partial as P", "functools", "partial", "P", False, id="alias of the name"),
        pytest.param("import torch.nn as nn", "torch.nn", "Module", "nn.Module", False, id="submodule with alias"),
        pytest.param("from torch import nn", "torch.nn", "Module", "nn.Module", False, id="submodule as a name"),
        pytest.param("import torch.nn", "torch.nn", "Module", "torch.nn.Module", False, id="submodule"),
        pytest.param("import torch", "torch.nn", "Module", "torch.nn.Module", True, id="parent alone is not enough"),
        pytest.param("import os.path", "os", "sep", "os.sep", False, id="a submodule binds its parent"),
        pytest.param(
            "try:\n    import functools\nexcept ImportError:\n    pass",
            "functools",
            "partial",
            "functools.partial",
            True,
            id="not under try",
        ),
        pytest.param(
            "from functools import partial\npartial = 3",
            "functools",
            "partial",
            "functools.partial",
            True,
            id="name rebound",
        ),
        pytest.param(
            "from functools import partial\ndef f(partial): pass",
            "functools",
            "partial",
            "functools.partial",
            True,
            id="name hidden by a parameter somewhere",
        ),
        pytest.param(
            "def g(): pass\nimport functools", "functools", "partial", "functools.partial", True, id="may come too late"
        ),
    ],
)
def test_reference(text: str, target: str, name: str, expression: str, needed: bool) -> None:
    found, imports = reference(ast.parse(text), PATH, target, name)
    assert found == expression
    assert imports == ((Import(PATH, target),) if needed else ())


def test_an_import_below_the_line_that_uses_it_comes_too_late() -> None:
    text = "import argparse\n\nN = 1\nimport os\nprint(N)\n"
    found, needs = reference(ast.parse(text), PATH, "os", "environ", inside=3)
    assert (found, needs) == ("os.environ", (Import(PATH, "os", early=True),))
    assert reference(ast.parse(text), PATH, "os", "environ", inside=5) == ("os.environ", ())
    source = Source(PATH, text)
    wanted = [*needs, Import(PATH, "os")]
    after = source.apply(import_edits(source, ast.parse(text), wanted))
    assert after == "import argparse\nimport os\n\nN = 1\nimport os\nprint(N)\n"
    assert import_edits(Source(PATH, after), ast.parse(after), wanted) == []
    bare = Source(PATH, "N = 1\n")
    assert bare.apply(import_edits(bare, ast.parse(bare.text), wanted)) == "import os\n\nN = 1\n"


def test_reference_at_a_line_looks_at_the_functions_around_it() -> None:
    module = ast.parse("from functools import partial\ndef f(partial):\n    pass\ndef g():\n    pass\n")
    assert reference(module, PATH, "functools", "partial", at=5) == ("partial", ())
    assert reference(module, PATH, "functools", "partial", at=3) == (
        "functools.partial",
        (Import(PATH, "functools"),),
    )
    late = ast.parse("x = 1\nimport functools\nclass A:\n    y = 2\n")
    assert reference(late, PATH, "functools", "partial", at=1)[1]
    assert not reference(late, PATH, "functools", "partial", at=4)[1]


@each_row(
    ("between", "needed"),
    [
        ("", False),
        ("N = 3\n", False),
        ("def g(x=None, y=N, *, z: int = 2): f()\n", False),
        ("import sys\nfrom time import sleep\n", False),
        ("f()\n", True),
        ("N = f()\n", True),
        ("def g(x=f()): pass\n", True),
        ("def g(x: f()): pass\n", True),
        ("def g(*, x=[f() for _ in N]): pass\n", True),
        ("@f\ndef g(): pass\n", True),
        ("class A(f()): pass\n", True),
        ("class A:\n    f()\n", True),
        ("import tools\n", True),
        ("from . import tools\n", True),
        ("from tools import *\n", True),
        ("if N:\n    f()\n", True),
    ],
)
def test_an_import_behind_a_function_that_nothing_can_call_before_it(between: str, needed: bool) -> None:
    """The import behind is not added again above, where the function finds it whenever it runs."""
    text = f"N = 1\ndef f(\n    a=N,\n):\n    return a\n{between}import os\nf()\n"
    wanted = (Import(PATH, "os"),) if needed else ()
    assert reference(ast.parse(text), PATH, "os", "environ", inside=5) == ("os.environ", wanted)


@each_row(
    ("text", "line"),
    [
        pytest.param("def f(a=1):\n    return a\nimport os\n", 1, id="a default"),
        pytest.param("def f(\n    a=1): return a\nimport os\n", 2, id="a default in the line of the body"),
        pytest.param("@mark\ndef f():\n    return 1\nimport os\n", 1, id="a decorator"),
        pytest.param("@mark\ndef f():\n    return 1\nimport os\n", 3, id="a function that its decorator may call"),
        pytest.param("x = 1\ndef g(): pass\nimport os\n", 1, id="the module"),
        pytest.param("class A:\n    def f(self):\n        return 1\nimport os\n", 3, id="a method"),
        pytest.param("def f():\n    return 1\nif f():\n    import os\n", 2, id="an import under a condition"),
    ],
)
def test_an_import_behind_what_may_run_before_it_is_not_enough(text: str, line: int) -> None:
    assert reference(ast.parse(text), PATH, "os", "environ", inside=line)[1] == (Import(PATH, "os"),)


@each_row(
    "text",
    [
        "copy = 3",
        "def copy(): pass",
        "from shutil import copy",
        "def f():\n    for copy in x: pass",
        "import shutil as copy",
    ],
)
def test_a_module_whose_name_is_taken_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="copy"):
        reference(ast.parse(text), PATH, "copy", "deepcopy")


def test_a_method_of_that_name_takes_nothing() -> None:
    module = ast.parse("class A:\n    copy = 1\n    def deepcopy(self): pass\n")
    assert reference(module, PATH, "copy", "deepcopy") == ("copy.deepcopy", (Import(PATH, "copy"),))


@each_row(
    ("text", "bound"),
    [
        ("name = 1", True),
        ("name: int = 1", True),
        ("def f(name): pass", True),
        ("def f(*name): pass", True),
        ("lambda name: 1", True),
        ("[name for name in x]", True),
        ("import name.x", True),
        ("import x.name", False),
        ("from x import *", False),
        ("from x import y as name", True),
        ("try: pass\nexcept E as name: pass", True),
        ("with x as name: pass", True),
        ("(name := 1)", True),
        ("def f():\n    global name\n    name = 1", True),
        ("match x:\n    case [*name]: pass", True),
        ("match x:\n    case {'a': 1, **name}: pass", True),
        ("match x:\n    case A() as name: pass", True),
        ("class A:\n    name = 1", False),
        ("class A:\n    def f(self):\n        name = 1", True),
        ("print(name)", False),
        ("x.name = 1", False),
        ("f(name=1)", False),
    ],
)
def test_what_binds_a_name(text: str, bound: bool) -> None:
    assert bool(Scopes(ast.parse(text)).visible("name", None)) is bound


@each_row(
    ("text", "taken"),
    [
        ("import argparse\np = argparse\n\n\ndef f(x):\n    return [os for os in x]\n", False),
        ("import argparse\np = argparse\n\n\ndef f(os):\n    return os\n", False),
        ("import argparse\np = argparse\n\n\ndef f():\n    global os\n    os = 3\n", True),
        ("import argparse\np = argparse\nos = 3\n", True),
        ("import argparse\np = argparse\nx = [os for os in p]\n", True),
    ],
)
def test_a_new_import_and_what_other_functions_call_by_its_name(text: str, taken: bool) -> None:
    if taken:
        with pytest.raises(ValueError, match="stands for something else"):
            reference(ast.parse(text), PATH, "os", "environ", inside=2)
    else:
        assert reference(ast.parse(text), PATH, "os", "environ", inside=2) == ("os.environ", (Import(PATH, "os"),))
