"""Edits that let the script's `--local_rank` take both spellings, and LOCAL_RANK as its default."""

from __future__ import annotations

import ast
import re

from ...finding import Edit, Import, Refused
from ...project import Project
from ...syntax.argparse_options import Option, nodes
from ...syntax.imports import reference
from .local_rank import overwritten_defaults, spelling
from .program import SPELLINGS, Program


def teach(
    project: Project, program: Program, found: list[Option], default: bool = True
) -> tuple[list[Edit], tuple[Import, ...]]:
    """The edits for every option of `found`, and the imports that they need. Raises Refused.

    `default`: the option takes LOCAL_RANK as its default too, not only both spellings.
    """
    edits: list[Edit] = []
    imports: tuple[Import, ...] = ()
    for option in found:
        _check(program, found, option, default)
        edit, needs = _taught(project, option, missing_spellings(program, found, option), default)
        edits.append(edit)
        imports += needs
    return edits, imports


def missing_spellings(program: Program, found: list[Option], option: Option) -> list[str]:
    """The spellings that the parser of `option` does not take: another `add_argument` of it may define one."""
    own = _parser(program, option)
    known = {name for other in found if _parser(program, other) == own for name in other.names}
    return [name for name in SPELLINGS if name not in known]


def _parser(program: Program, option: Option) -> tuple[str, str, int]:
    """The parser of an option: its file, the expression that names it, and the function around."""
    around = [
        node.lineno
        for node in nodes(program.tree(option.path))
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef))
        and node.lineno <= option.line <= (node.end_lineno or 0)
    ]
    return option.path, option.parser, max(around, default=0)


def _check(program: Program, found: list[Option], option: Option, default: bool) -> None:
    """Raises Refused when the option, or its `default`, can't be replaced with the same meaning."""
    where = f"{spelling(option)} at {option.path}:{option.line}"
    if option.dest != found[0].dest:
        raise Refused(f"{where} is stored as `{option.dest}`, another one as `{found[0].dest}`: let both be one option")
    if option.odd is not None:
        raise Refused(f"{where} can't be rewritten ({option.odd}): give it LOCAL_RANK as its default")
    if option.type not in ("int", "str"):
        raise Refused(f"{where} has a type of its own: give it LOCAL_RANK as its default by hand")
    overwritten = overwritten_defaults(program) if default else None
    if overwritten is not None:
        raise Refused(f"{program.path}:{overwritten} can overwrite the default: read LOCAL_RANK after that line")


def _taught(
    project: Project, option: Option, missing: list[str], with_default: bool
) -> tuple[Edit, tuple[Import, ...]]:
    path = option.path
    source, module = project.source(path), project.module(path)
    assert source is not None and module is not None
    names = list(option.names)
    if "--local-rank" in missing:
        names.insert(names.index("--local_rank"), "--local-rank")
    if "--local_rank" in missing:
        names.insert(names.index("--local-rank") + 1, "--local_rank")
    from ...syntax.argparse_edits import rewritten  # it imports libcst, which takes long

    if not with_default:
        return rewritten(source, option, names, None), ()
    try:
        environ, needs = reference(module, path, "os", "environ", inside=option.line)
    except ValueError as error:
        raise Refused(f"`os` is taken in {path} ({error}): give --local_rank its default by hand") from None
    first = re.search(r"[\"']", source.text[source.range_of(option.call)[0] :])
    quote = first.group() if first is not None else '"'
    key = f"{quote}LOCAL_RANK{quote}"
    if option.default is None:  # argparse sends a default that is a string through `type`; None stays None
        default = f"{environ}.get({key})"
    else:
        old = ast.get_source_segment(source.text, option.default) or ast.unparse(option.default)
        default = f"{environ}.get({key}, {old})"
        default = f"int({default})" if option.type == "int" else default
    return rewritten(source, option, names, default), needs
