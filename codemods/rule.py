"""What a rule is. The rules themselves live one per file in `transforms/`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Protocol

from .finding import Finding
from .project import Project


class Rule(Protocol):
    """One kind of hazard.

    The module that defines a rule ends with `RULE = TheRule()`; its docstring, with the fixed headings
    What it finds / Why it breaks / Example / Use instead / Fix safety / References, is the rule's documentation and
    the Example and Use instead blocks are run as tests.
    """

    id: str
    summary: str  # one line, imperative
    screen: re.Pattern[bytes]  # a project no file of which matches has no finding of this rule

    def find(self, project: Project) -> Iterable[Finding]:
        """All findings in `project`, at every confidence, each with its fix or the reason for having none.

        Edits are offsets into the project's present text; fixes are computed independently of each other: the pipeline
        applies those that do not overlap, then asks again.
        """
