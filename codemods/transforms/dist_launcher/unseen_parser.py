"""Programs of which it can't be seen whether they take `--local_rank`: their parser, or the option, is out of sight."""

from __future__ import annotations

import ast
import re
import sys

from ...launch.names import names
from ...nodes import statements
from ...project import Project
from ...syntax.argparse_options import nodes
from ...syntax.modules import Modules, modules_of
from ...syntax.names import last_name, root_of_chain
from .program import Program, called, imports_of, is_value

_QUOTED = re.compile(r"^[^#\n]*?[\"'](--local[_-]rank)[\"'=]", re.MULTILINE)
_LOCAL_RANK, _PARSES = re.compile(r"local[_-]rank"), re.compile(r"\.parse_(known_)?args\(|hydra\.main")
_OF_A_PARSER = ("parse_args", "parse_known_args", "add_argument", "add_argument_group")
_ARGUMENTS = re.compile(r"arg|opt|conf|cfg|param|flag", re.I)


def unseen_parser(found: Program) -> str | None:
    """Why it can't be told what the entry does with a `--local-rank` on its command line; None when that is clear.

    Clear is: argparse in sight (it has no such option, so it stops or ignores it), or a program that reads the
    environment and never looks at its arguments.
    """
    for name in sorted(names("argument_parsers")):
        if re.search(rf"^[ \t]*(?:import|from)\s+{name}\b", found.text(found.path), re.M):
            if found.matches(_LOCAL_RANK):
                return f"its arguments come through `{name}`, and local_rank may be one of them"
            return None
    own = found.text(found.path)
    if "HfArgumentParser" in own:
        return "TrainingArguments of transformers takes it, and only newer versions read LOCAL_RANK themselves"
    if re.search(r"sys\.argv", own) and _LOCAL_RANK.search(own):
        return "it looks for local_rank in sys.argv itself"
    if found.says("local_rank") and any(_makes_names(tree) for _, tree in found.saying("add_argument")):
        return "it makes its options in a loop, and local_rank may be one of them"
    if (maker := _made_elsewhere(found)) is not None:
        return f"its parser comes from `{maker}`, which is not in this repository, and may take local_rank"
    if found.matches(_PARSES):
        return None
    if found.says("init_process_group", "LOCAL_RANK") and "sys.argv" not in own and not _takes_from_arguments(found):
        return None
    return "where it reads its arguments is not in this repository"


def _made_elsewhere(found: Program) -> str | None:
    """The installed function that makes a parser of the program: `flags.get_parser` of `from package import flags`.

    A function that is given the parser only adds to it.
    """
    modules = found.project.derive(modules_of)
    for path, tree in found.saying(*(f".{name}(" for name in _OF_A_PARSER)):
        parsers = [
            node.func.value
            for node in nodes(tree)
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in _OF_A_PARSER
        ]
        held = {parser.id for parser in parsers if isinstance(parser, ast.Name)}
        made: list[ast.expr] = [
            node.value
            for node in nodes(tree)
            if isinstance(node, ast.Assign)
            if any(isinstance(target, ast.Name) and target.id in held for target in node.targets)
        ]
        for maker in (*made, *parsers):
            if not isinstance(maker, ast.Call) or last_name(maker.func)[:1].isupper():  # a class: no options of its own
                continue
            if any(isinstance(argument, ast.Name) and argument.id in held for argument in maker.args):
                continue
            root = root_of_chain(maker.func)
            if root is not None and root.id in _installed(tree, path, modules):
                return ast.unparse(maker.func)
    return None


def _installed(tree: ast.Module, path: str, modules: Modules) -> set[str]:
    """The names that the module imports from packages that are neither here nor part of Python."""
    found: set[str] = set()
    for node in statements(tree):
        if not isinstance(node, (ast.Import, ast.ImportFrom)) or any(modules.imported(path, node)):
            continue
        if isinstance(node, ast.ImportFrom) and (node.level or _top(node.module) in sys.stdlib_module_names):
            continue
        for alias in node.names:
            if isinstance(node, ast.ImportFrom) or _top(alias.name) not in sys.stdlib_module_names:
                found.add(alias.asname or _top(alias.name))
    return found


def _top(module: str | None) -> str:
    return (module or "").partition(".")[0]


def _takes_from_arguments(found: Program) -> bool:
    """Does it read the local rank of arguments or settings, in which nothing of it puts that?"""
    held = [node for _, tree in found.saying("local_rank") for node in nodes(tree)]
    if any(is_value(node, "local_rank", ast.Store) for node in held):
        return False
    return any(
        is_value(node, "local_rank", ast.Load)
        and isinstance(node, ast.Attribute)
        and _ARGUMENTS.search(ast.unparse(node.value)) is not None
        for node in held
    )


def _makes_names(tree: ast.Module) -> bool:
    """Is there an `add_argument(f"--{key}")`?"""
    calls = (node for node in nodes(tree) if isinstance(node, ast.Call) and called(node) == "add_argument")
    return any(
        isinstance(argument, (ast.JoinedStr, ast.BinOp, ast.Name, ast.Starred))
        for call in calls
        for argument in call.args
    )


def unseen_option(project: Project, found: Program) -> tuple[str, int] | None:
    """Where the program, or what it imports, however far down, names `--local_rank`, though no `add_argument` of it was
    found: a table of options, a dataclass, `arg = adder(parser)`. It may take that."""
    named = list(project.matching(_QUOTED, part="rank"))
    if not named:
        return None
    reached, todo = {found.path}, [found.path]
    while todo:
        todo += set(imports_of(project, todo.pop()) or ()) - reached
        reached.update(todo)
    for source in named:
        if source.path in reached:
            at = _QUOTED.search(source.text)
            assert at is not None
            return source.path, source.position(at.start(1))[0]
    return None
