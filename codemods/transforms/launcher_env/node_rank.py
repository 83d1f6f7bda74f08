"""Finds NODE_RANK read where the ranks are known: neither torchrun nor torch.distributed.launch sets it."""

from __future__ import annotations

import ast
import re

from ...finding import Answer, Confidence, Edit, Finding, Fix, Hop, Refused
from ...flow.facts.records import facts_lookup
from ...flow.facts.test_code import is_test
from ...launch.reachability import Reach, guard
from ...project import Project
from ...tree.source import Source
from .reads import Read
from .screen import ID

_VARIABLE = "NODE_RANK"
_STARTED = re.compile(r"\btorchrun\b|\btorch\.distributed\.(?:run|launch)\b")
_SET = re.compile(r"\bNODE_RANK\b")
_PLAIN = (ast.Assign, ast.AnnAssign, ast.Call, ast.keyword, ast.Return)  # around it, `or` needs no brackets


def unset_by_torchrun(reach: Reach, source: Source, read: Read) -> Finding | None:
    """`os.environ["NODE_RANK"]` where WORLD_SIZE is asked for, in a repository that starts ranks by torchrun."""
    project = reach.repo.project
    if read.variable != _VARIABLE or is_test(source.path, facts_lookup(project)):
        return None
    test = guard(read.outline, read.node)
    if not isinstance(test, ast.expr) or _is_asked_for(read):
        return None
    started = _started_by(project)
    if started is None or reach.written(_VARIABLE) is not None:
        return None
    here = Hop(source.path, read.node.lineno, f"`{_VARIABLE}` is read without a default")
    start = Hop(started, 1, "this starts the ranks by torchrun or torch.distributed.launch")
    message = (
        f"`{source.text_of(read.node)}` raises {read.error}: torchrun sets GROUP_RANK, and no launcher sets {_VARIABLE}"
    ).replace("\n", " ")
    span = source.span_of(read.node)
    return Finding.answered(
        ID, source.path, span, message, Confidence.LIKELY, (here, start), _second_choice(source, read)
    )


def _is_asked_for(read: Read) -> bool:
    """A test of the file asks for the variable, or one around the read for SLURM."""
    tests: list[ast.AST] = [node for node in read.outline.nodes if isinstance(node, ast.Compare)]
    for node in read.outline.nodes:
        if isinstance(node, (ast.If, ast.IfExp, ast.While)):
            tests.append(node.test)
    around = (above.test for above in read.outline.ancestors(read.node) if isinstance(above, (ast.If, ast.IfExp)))
    return any(_VARIABLE in _texts(test) for test in tests) or any("SLURM" in ast.unparse(test) for test in around)


def _texts(test: ast.AST) -> set[object]:
    return {node.value for node in ast.walk(test) if isinstance(node, ast.Constant)}


def _started_by(project: Project) -> str | None:
    """A file that starts ranks, where no file beside the Python ones speaks of the variable, which a person may set."""
    found = None
    for path in project.paths:
        text = None if path.endswith(".py") or (source := project.source(path)) is None else source.text
        if text is not None and _SET.search(text):
            return None
        if found is None and text is not None and _STARTED.search(text):
            found = path
    return found


def _second_choice(source: Source, read: Read) -> Answer:
    node = read.node
    if not isinstance(node, ast.Subscript):
        return Refused(f"read GROUP_RANK where {_VARIABLE} is not set")
    if not isinstance(read.outline.parents.get(node), _PLAIN):
        return Refused(f'write `(os.environ.get("{_VARIABLE}") or os.environ["GROUP_RANK"])` in its place')
    environ, key = source.text_of(node.value), source.text_of(node.slice)
    text = f"{environ}.get({key}) or {environ}[{key.replace(_VARIABLE, 'GROUP_RANK')}]"
    edit = Edit(source.path, *source.range_of(node), text)
    return Fix("Take torchrun's GROUP_RANK where NODE_RANK is not set", (edit,))
