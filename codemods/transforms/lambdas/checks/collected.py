"""What test runners collect from a module whatever it is called: at module level it would be run as a test."""

from __future__ import annotations

import ast
import re

from ....finding import Refused
from ....nodes import walk
from ....syntax.binding_rules import FUNCTIONS
from ....syntax.names import last_name
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ..candidate import Unit

_TEST_CASE = "TestCase"  # `unittest.TestCase`, and those of frameworks: `IsolatedAsyncioTestCase`, `SimpleTestCase`
_RUNS_EXAMPLES = re.compile(r"\bdoctest\b")
_PROMPT = ">>> "


def check_not_collected(repo: Repo, path: str, unit: Unit) -> None:
    """Raises Refused where a test runner would find the code at module level, and run it."""
    node = unit.node
    outline = repo.outline(path)
    if isinstance(node, ast.ClassDef) and outline is not None:
        for cls in repo.resolver.lineage(Class(outline, node)):
            base = next((base for base in cls.node.bases if (last_name(base) or "").endswith(_TEST_CASE)), None)
            if base is not None:
                raise Refused(
                    f"it is a `{ast.unparse(base)}`, and at module level test runners collect and run it, whatever its "
                    "name is: make it in the process that needs it"
                )
    if _has_examples(node):
        for source in repo.project.matching(_RUNS_EXAMPLES, word="doctest"):
            raise Refused(
                "its docstring holds examples, which `doctest` finds at module level and not here "
                f"({source.path} uses `doctest`): move it to module level by hand"
            )


def _has_examples(node: ast.AST) -> bool:
    defined = [inner for inner in walk(node) if isinstance(inner, (*FUNCTIONS, ast.ClassDef))]
    return any(_PROMPT in (ast.get_docstring(inner) or "") for inner in defined)
