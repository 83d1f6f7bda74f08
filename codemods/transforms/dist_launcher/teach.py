"""Edits that let the script's `--local_rank` take both spellings, and LOCAL_RANK as its default."""

from __future__ import annotations

import ast
import re

from ...finding import Edit, Import, Refused
from ...nodes import end_line, walk
from ...project import Project
from ...syntax.argparse_options import Option, nodes
from ...syntax.imports import reference
from ...syntax.names import dotted
from .local_rank import overwriting, overwritten_defaults, reads_environment, spelling
from .program import SPELLINGS, Program, imports_with_lines

_GROUPS = ("add_argument_group", "add_mutually_exclusive_group")


def teach(
    project: Project, program: Program, found: list[Option], default: bool = True
) -> tuple[list[Edit], tuple[Import, ...]]:
    """The edits for every option of `found`, and the imports that they need. Raises Refused.

    `default`: the option takes LOCAL_RANK as its default too, not only both spellings.
    """
    edits: list[Edit] = []
    imports: tuple[Import, ...] = ()
    for option in found:
        missing = missing_spellings(program, found, option)
        anew = default and not reads_environment(program, option, world=False)
        if not missing and not anew:
            continue  # another program that takes the option has it so already
        _check(program, found, option, default)
        edit, needs = _taught(project, option, missing, anew)
        edits.append(edit)
        imports += needs
        if default and overwritten_defaults(program) is not None:
            edits += _said_again(project, program, option)
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
        if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)) and node.lineno <= option.line <= end_line(node)
    ]
    return option.path, option.parser, max(around, default=0)


def _check(program: Program, found: list[Option], option: Option, default: bool) -> None:
    """Raises Refused when the option, or its `default`, can't be replaced with the same meaning."""
    where = f"{spelling(option)} at {option.path}:{option.line}"
    first = found[0]
    another = option.path != first.path and not set(option.names).isdisjoint(first.names)  # no parser could take both
    if option.dest != first.dest and not another:
        raise Refused(f"{where} is stored as `{option.dest}`, another one as `{first.dest}`: let both be one option")
    if option.odd is not None:
        raise Refused(f"{where} can't be rewritten ({option.odd}): give it LOCAL_RANK as its default")
    if option.type not in ("int", "str"):
        raise Refused(f"{where} has a type of its own: give it LOCAL_RANK as its default by hand")
    overwritten = overwritten_defaults(program) if default else None
    if overwritten is not None and _later_defaults(program, option) is None:
        raise Refused(f"{program.path}:{overwritten} can overwrite the default: read LOCAL_RANK after that line")


def _later_defaults(program: Program, option: Option) -> list[tuple[ast.Expr, str]] | None:
    """The statements `parser.set_defaults(**options)`, each with the parser, behind which the default can be said
    again; None where something else overwrites it, or another parser may be meant."""
    found: list[tuple[ast.Expr, str]] = []
    groups = {
        target.id: dotted(node.value.func.value)
        for node in nodes(program.entry)
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call)
        if isinstance(node.value.func, ast.Attribute) and node.value.func.attr in _GROUPS
        for target in node.targets
        if isinstance(target, ast.Name)
    }
    statements = {id(node.value): node for node in nodes(program.entry) if isinstance(node, ast.Expr)}
    for call in overwriting(program):
        statement, parser = statements.get(id(call)), dotted(getattr(call.func, "value", call))
        same = parser and parser in (option.parser, groups.get(option.parser))
        if statement is None or not same or option.path != program.path or call.lineno <= option.line:
            return None
        if not isinstance(call.func, ast.Attribute) or call.func.attr != "set_defaults":
            return None
        found.append((statement, parser))
    return found


def _said_again(project: Project, program: Program, option: Option) -> list[Edit]:
    """What a file of options says for the rank, one that an earlier run has written maybe, gives way to LOCAL_RANK."""
    source, module = project.source(option.path), project.module(option.path)
    assert source is not None and module is not None
    edits: list[Edit] = []
    for statement, parser in _later_defaults(program, option) or ():
        environ, _ = reference(module, option.path, "os", "environ", inside=statement.lineno)
        end = source.range_of(statement)[1]
        line = source.line_text(statement.lineno)
        indent = line[: len(line) - len(line.lstrip())]
        quote = '"' if source.text.count('"') > source.text.count("'") else "'"
        old = f"{parser}.get_default({quote}{option.dest}{quote})"
        said = f"{parser}.set_defaults({option.dest}={environ}.get({quote}LOCAL_RANK{quote}, {old}))"
        if line[: statement.col_offset].strip() or source.text[end : end + 1] not in ("", "\n", "\r"):
            raise Refused(
                f"{option.path}:{statement.lineno} can overwrite the default: read LOCAL_RANK after that line"
            )
        edits.append(Edit(option.path, end, end, f"\n{indent}{said}"))
    return edits


def _os_by_star(project: Project, path: str, module: ast.Module, line: int) -> bool:
    """The one `from m import *` of the file stands above the line, and gives it the `os` that a module imports."""
    stars = [node for node in module.body if isinstance(node, ast.ImportFrom) and node.names[0].name == "*"]
    if len(stars) != 1 or stars[0].lineno >= line:
        return False
    given = [target for at, target in imports_with_lines(project, path) if at == stars[0].lineno]
    other = project.module(given[0]) if len(given) == 1 else None
    if other is None or any(isinstance(node, ast.Name) and node.id == "__all__" for node in walk(other)):
        return False
    try:
        return reference(other, given[0], "os", "environ") == ("os.environ", ())
    except ValueError:
        return False


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
    if needs and _os_by_star(project, path, module, option.line):
        needs = ()
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
