"""What a name means: followed through scopes, imports and assignments; equal names in two files never mix."""

from __future__ import annotations

import ast

import pytest

from codemods.project import Project
from codemods.syntax.callees import Callees
from codemods.syntax.modules import modules_of
from codemods.syntax.outline import Outline
from codemods.syntax.receivers import qualified_name
from codemods.syntax.repo import Repo
from codemods.syntax.resolver import Class
from codemods.tree.files import MemoryFiles
from harness.each_row import each_row

FILES = {
    "one.py": "class Net:\n    pass\n\n\ndef build():\n    pass\n\n\nclass Outer:\n    class Inner:\n        pass\n",
    "two.py": "class Net:\n    pass\n\n\ndef build():\n    pass\n",
    "pkg/__init__.py": "from .core import Net as Public\nfrom .more import *\nfrom . import core\n",
    "pkg/core.py": "class Net:\n    pass\n",
    "pkg/more.py": "class Extra:\n    pass\n",
    "tables.py": "from two import Net\nNETS = {'two': Net}\n",
    "old.py": "from two import Net\n",
    "whole/__init__.py": "from whole import part\n",
    "whole/part/__init__.py": "from . import leaf\n",
    "whole/part/leaf.py": "import whole\n\n\nclass Net(whole.part.leaf.Base):\n    pass\n\n\nclass Base:\n    pass\n",
    "circle.py": "from square import Net\n",
    "square.py": "from circle import Net\n",
}


def repo_of(code: str) -> tuple[Repo, Outline]:
    files = {path: text.encode() for path, text in {**FILES, "main.py": code}.items()}
    repo = Repo(Project(MemoryFiles(files)))
    outline = repo.outline("main.py")
    assert outline is not None
    return repo, outline


def last_expression(outline: Outline) -> ast.expr:
    statement = outline.module.body[-1]
    assert isinstance(statement, ast.Expr)
    return statement.value


@each_row(
    ("code", "wanted"),
    [
        pytest.param("from one import Net\nNet\n", ["one.py:1"], id="from"),
        pytest.param("from two import Net\nNet\n", ["two.py:1"], id="the same name elsewhere"),
        pytest.param("from two import Net as N\nN\n", ["two.py:1"], id="another name"),
        pytest.param("import one\none.Net\n", ["one.py:1"], id="attribute of a module"),
        pytest.param("import one as first\nfirst.Outer.Inner\n", ["one.py:10"], id="nested class"),
        pytest.param("import pkg.core\npkg.core.Net\n", ["pkg/core.py:1"], id="module in a package"),
        pytest.param("import pkg\npkg.Public\n", ["pkg/core.py:1"], id="re-exported"),
        pytest.param("from pkg import Extra\nExtra\n", ["pkg/more.py:1"], id="through a star import of the package"),
        pytest.param("from pkg import core\ncore.Net\n", ["pkg/core.py:1"], id="submodule"),
        pytest.param(
            "import whole\nwhole.part.leaf.Net\n", ["whole/part/leaf.py:4"], id="parts a package imports of itself"
        ),
        pytest.param("from pkg.more import *\nExtra\n", ["pkg/more.py:1"], id="star import"),
        pytest.param("from old import Net\nNet\n", ["two.py:1"], id="two imports away"),
        pytest.param("from one import Net\nBase = Net\nBase\n", ["one.py:1"], id="assigned"),
        pytest.param("from one import Net\nNet[int]\n", ["one.py:1"], id="with type arguments"),
        pytest.param("from one import Net\n'Net'\n", ["one.py:1"], id="quoted"),
        pytest.param(
            "try:\n    from one import Net\nexcept ImportError:\n    from two import Net\nNet\n",
            ["one.py:1", "two.py:1"],
            id="either of two",
        ),
        pytest.param(
            "from one import Net, Outer\nTABLE = {'a': Net, 'b': Outer, 'c': 3}\nTABLE[name]\n",
            ["one.py:1", "one.py:9"],
            id="out of a dict",
        ),
        pytest.param("from tables import NETS\nNETS[name]\n", ["two.py:1"], id="out of a dict of another file"),
        pytest.param("from tables import NETS\nNETS\n", [], id="the dict itself"),
        pytest.param("TABLE = {'a': TABLE['b']}\nTABLE[name]\n", [], id="a dict out of itself"),
        pytest.param("from one import Net\nT = {'a': Net}\nT = {}\nT[name]\n", [], id="a dict of two bindings"),
        pytest.param("Net\n", [], id="never bound"),
        pytest.param("from elsewhere import Net\nNet\n", [], id="not of the repository"),
        pytest.param("import elsewhere\nelsewhere.Net\n", [], id="attribute of something foreign"),
        pytest.param("from circle import Net\nNet\n", [], id="imports in a circle"),
        pytest.param("Net = Net\nNet\n", [], id="assigned to itself"),
        pytest.param("'not an expression ('\n", [], id="text"),
        pytest.param("def f(Net):\n    pass\n\n\nclass Net:\n    pass\n\n\nNet\n", ["main.py:5"], id="own class"),
    ],
)
def test_classes(code: str, wanted: list[str]) -> None:
    repo, outline = repo_of(code)
    found = repo.resolver.classes(outline, last_expression(outline))
    assert [f"{cls.outline.path}:{cls.node.lineno}" for cls in found] == wanted


def test_a_parameter_hides_the_class_of_its_name() -> None:
    repo, outline = repo_of("from one import Net\n\n\ndef f(Net):\n    return Net\n")
    (returned,) = [node.value for node in outline.nodes if isinstance(node, ast.Return)]
    assert returned is not None and repo.resolver.classes(outline, returned) == []


def test_one_definition_only_where_nothing_else_can_be_meant() -> None:
    repo, outline = repo_of("from one import build\nif build():\n    build = None\nbuild\n")
    assert [made.outline.path for made in repo.resolver.definitions(outline, last_expression(outline))] == ["one.py"]
    assert repo.resolver.definition(outline, last_expression(outline)) is None


def test_bases_are_those_of_this_class_and_not_of_another_with_its_name() -> None:
    code = "import torch\nfrom two import Net as Other\n\n\nclass Net(Other, torch.nn.Module):\n    pass\n"
    repo, outline = repo_of(code)
    cls = Class(outline, next(node for node in outline.nodes if isinstance(node, ast.ClassDef)))
    assert [at.outline.path for at in repo.resolver.lineage(cls)] == ["main.py", "two.py"]
    assert repo.resolver.base_names(cls) == {"Net", "Module"}
    one, two = repo.outline("one.py"), repo.outline("two.py")
    assert one is not None and two is not None
    first, second = (Class(at, at.definitions["Net"][0]) for at in (one, two))  # type: ignore[arg-type]
    assert repo.resolver.related(cls, second) and repo.resolver.related(second, cls)
    assert not repo.resolver.related(cls, first)
    assert repo.resolver.may_be_related(cls, second) and not repo.resolver.may_be_related(cls, first)


def test_a_base_that_cannot_be_followed_may_be_any_class_of_its_name() -> None:
    code = "from gone import Net as Theirs\n\n\nclass Mine(Theirs):\n    pass\n\n\nclass Other(Theirs):\n    pass\n"
    repo, outline = repo_of(code)
    mine, other = (Class(outline, outline.definitions[name][0]) for name in ("Mine", "Other"))  # type: ignore[arg-type]
    one = repo.outline("one.py")
    assert one is not None
    net = Class(one, one.definitions["Net"][0])  # type: ignore[arg-type]
    assert repo.resolver.may_be_related(mine, net) and repo.resolver.may_be_related(net, mine)
    assert not repo.resolver.related(mine, net) and not repo.resolver.may_be_related(mine, other)


def test_classes_that_derive_from_each_other_end() -> None:
    repo, outline = repo_of("class A(B):\n    pass\n\n\nclass B(A):\n    pass\n")
    first, second = (Class(outline, node) for node in outline.nodes if isinstance(node, ast.ClassDef))
    assert [cls.node.name for cls in repo.resolver.lineage(second)] == ["B", "A"]
    assert repo.resolver.related(first, second)


def test_many_assignments_of_each_other_end() -> None:
    lines = "".join(f"if x{i}():\n    a = b\nif y{i}():\n    b = a\n" for i in range(300))
    repo, outline = repo_of(f"from one import Net as a\n{lines}a\n")
    assert [cls.outline.path for cls in repo.resolver.classes(outline, last_expression(outline))] == ["one.py"]


def test_a_method_of_a_base_in_another_file_is_called_on_self() -> None:
    code = "import one\n\n\nclass Net(one.Outer):\n    def run(self):\n        self.step()\n"
    repo, _ = repo_of(code)
    one = "class Outer:\n    def step(self):\n        pass\n\n\ndef step():\n    pass\n"
    repo = Repo(Project(MemoryFiles({"main.py": code.encode(), "one.py": one.encode()})))
    outline = repo.outline("main.py")
    assert outline is not None
    (call,) = outline.calls["step"]
    found = Callees(repo, repo.project.derive(modules_of)).called(outline, call)
    assert found is not None and (found[0].path, found[1].lineno, found[2]) == ("one.py", 2, 1)


def test_an_unknown_object_may_be_of_any_class_with_the_method_but_no_module() -> None:
    one = "class A:\n    def save(self):\n        pass\n\n\ndef save():\n    pass\n"
    one += "\n\nstore = A()\n"
    main = "import torch\nfrom one import store\n\n\ndef f(x):\n    x.save()\n    torch.save()\n    store.save()\n"
    repo = Repo(Project(MemoryFiles({"main.py": main.encode(), "one.py": one.encode()})))
    outline = repo.outline("main.py")
    assert outline is not None
    called = {ast.unparse(call): repo.called(outline, call.func) for call in outline.calls["save"]}
    assert [(where.path, node.lineno) for where, node in called["x.save()"]] == [("one.py", 2)]
    assert called["store.save()"] == called["x.save()"]
    assert called["torch.save()"] == []


@each_row(
    ("code", "wanted"),
    [
        pytest.param("import numpy as np\nnp.load\n", "numpy.load", id="another name"),
        pytest.param("from os import path\npath.join\n", "os.path.join", id="from"),
        pytest.param("print\n", "print", id="builtin"),
        pytest.param("from .numpy import load\nload\n", ".numpy.load", id="relative: no part of a library"),
        pytest.param("from . import numpy\nnumpy.load\n", ".numpy.load", id="relative, without a module"),
        pytest.param("import numpy as np\nnp = Table()\nnp.load\n", "np.load", id="bound again"),
        pytest.param("if x:\n    import numpy as np\nelse:\n    np = None\nnp.load\n", "numpy.load", id="in a branch"),
    ],
)
def test_dotted_names_of_what_imports_bind(code: str, wanted: str) -> None:
    _, outline = repo_of(code)
    assert qualified_name(outline, last_expression(outline)) == wanted


@each_row(
    ("imported", "node", "foreign"),
    [
        ("import json", "json.dumps", True),
        ("import json as j", "j.dumps", True),
        ("import os.path", "os.path.join", True),
        ("import json, one", "json.dumps", True),
        ("import one, json as two", "two.dumps", True),
        ("import json, one", "one.Net", False),
        ("import json, one as two", "two.Net", False),
        ("import pkg.core", "pkg.core.Net", False),
        ("from json import dumps", "dumps", True),
        ("from json import dumps as net", "net", True),
        ("from one import Net", "Net", False),
        ("from pkg import core", "core.Net", False),
        ("from . import json", "json.dumps", False),
        ("if a:\n    import json\nelse:\n    import one as json", "json.dumps", False),
        ("if a:\n    import json\nelse:\n    import simplejson as json", "json.dumps", True),
        ("json = 3", "json.dumps", False),
        ("pass", "json.dumps", False),
        ("import json", "json().dumps", False),
    ],
)
def test_what_comes_from_outside(imported: str, node: str, foreign: bool) -> None:
    repo, outline = repo_of(f"{imported}\n{node}\n")
    statement = outline.module.body[-1]
    assert isinstance(statement, ast.Expr)
    assert repo.resolver.is_foreign(outline, statement.value) is foreign


def test_a_module_above_is_meant_where_the_nearest_of_its_name_does_not_bind_the_name() -> None:
    files = {"nets.py": "class Net:\n    pass\n", "cells/nets.py": "class Small:\n    pass\n", "cells/__init__.py": ""}
    for name, wanted in {"Net": "nets.py", "Small": "cells/nets.py"}.items():
        texts = {**files, "cells/train.py": f"from nets import {name}\n{name}\n"}
        repo = Repo(Project(MemoryFiles({path: text.encode() for path, text in texts.items()})))
        outline = repo.outline("cells/train.py")
        assert outline is not None
        assert [found.outline.path for found in repo.resolver.classes(outline, last_expression(outline))] == [wanted]
