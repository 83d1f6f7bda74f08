"""What a statement at the top imports is read without the scopes of the whole file."""

from __future__ import annotations

import ast

from codemods.finding import Import
from codemods.syntax.import_edits import import_edits
from codemods.syntax.imports import reference
from codemods.syntax.scopes import scopes_of
from codemods.tree.source import Source


def test_an_import_at_the_top_is_found_without_the_scopes_of_the_file() -> None:
    scopes_of.cache_clear()
    tree = ast.parse("import functools\nx = 1\n")
    assert import_edits(Source("a.py", "import functools\nx = 1\n"), tree, [Import("a.py", "functools")]) == []
    assert scopes_of.cache_info().misses == 0
    assert reference(tree, "a.py", "functools", "partial") == ("functools.partial", ())
