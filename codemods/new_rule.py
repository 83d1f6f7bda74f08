"""A distribution with one rule, to start from: `spawnfix new-rule NAME`."""

from __future__ import annotations

import re
from pathlib import Path

from .problem import Problem

_PYPROJECT = """\
[build-system]
requires = ["hatchling"]
build-backend = "hatchling.build"

[project]
name = "spawnfix-@name@"
version = "0.1.0"
description = "A rule for spawnfix"
requires-python = ">=3.10"
dependencies = ["spawnfix"]

[project.entry-points."spawnfix.rules"]
@name@ = "@module@:RULE"

[tool.hatch.build.targets.wheel]
only-include = ["@module@.py"]
"""

_MODULE = '''\
"""Replace `.old_function` by `.new_function`.

What it finds
-------------
Every attribute of this name.

Why it breaks
-------------
Say here what the user sees, with the text of the error.

Example
-------
```python
import library

result = library.old_function(1)
```

Use instead
-----------
```python
import library

result = library.new_function(1)
```

Fix safety
----------
Say here why the rewrite keeps the meaning, and where it is refused.

References
----------
- Where you know it from.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from spawnfix import Confidence, Edit, Finding, Fix, Rule

ID = "@name@"
WORD = "old_function"


def find(project) -> Iterator[Finding]:
    """Every place, with its fix. `project` has the files: `matching`, `source`, `module` (a tree of `ast`)."""
    for source in project.matching(re.compile(rf"\\b{WORD}\\b")):
        tree = project.module(source.path)
        if tree is None:  # does not parse: reported by spawnfix
            continue
        for node in ast.walk(tree):
            if isinstance(node, ast.Attribute) and node.attr == WORD:
                _, end = source.range_of(node)
                fix = Fix("use new_function", (Edit(source.path, end - len(WORD), end, "new_function"),))
                yield Finding(
                    ID, source.path, source.span_of(node), f"{WORD} is gone", Confidence.PROVEN, fix=fix
                )  # where no rewrite is right: reason="why" in the place of fix=


RULE = Rule(
    id=ID,
    summary="Replace old_function by new_function",
    screen=re.compile(WORD.encode()),  # a repository without these bytes is not looked at
    find=find,
    documentation=__doc__,
)
'''

_TEST = r'''\
"""What the rule must leave alone, and what it must fix."""

import pytest
from @module@ import RULE

from spawnfix.testing import Invalid, Valid, check_case

VALID = [
    Valid("import library\nresult = library.new_function(1)"),
    Valid("old_function = 1"),
]
INVALID = [
    Invalid(
        """
        import library
        result = library.old_function(1)
        """,
        """
        import library
        result = library.new_function(1)
        """,
        line=2,
        message="is gone",
    ),
]


@pytest.mark.parametrize("case", [*VALID, *INVALID])
def test_rule(case):
    check_case(RULE, case)
'''

_README = """\
# spawnfix-@name@

A rule for spawnfix.

    pip install -e .        # spawnfix finds the rule by its entry point
    python -m pytest
    spawnfix rules          # lists @name@
    spawnfix check PATH --select @name@
"""


def write_rule(name: str, parent: Path) -> Path:
    """Write the distribution `spawnfix-NAME` below `parent`, and return its folder. Raises Problem."""
    if re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", name) is None:
        raise Problem(f"a rule is called like dict-views: small letters, digits and hyphens, not {name!r}")
    folder = parent / f"spawnfix-{name}"
    module = "spawnfix_" + name.replace("-", "_")
    texts = {
        "pyproject.toml": _PYPROJECT,
        f"{module}.py": _MODULE,
        f"test_{module}.py": _TEST,
        "README.md": _README,
    }
    try:
        folder.mkdir(parents=True)
        for path, text in texts.items():
            filled = text.replace("@name@", name).replace("@module@", module)
            (folder / path).write_text(filled, encoding="utf-8", newline="\n")
    except FileExistsError:
        raise Problem(f"{folder}: exists; nothing was written") from None
    except OSError as error:
        raise Problem(f"{error.filename}: {error.strerror}") from None
    return folder
