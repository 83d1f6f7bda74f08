"""The Python program that a launch line starts: its modules, and how it learns its rank."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...nodes import end_line, statements, walk
from ...project import Project
from ...questions import asked
from ...syntax.argparse_options import Option, nodes, options
from ...syntax.binding_rules import FUNCTIONS
from ...syntax.main_guard import is_main_guard
from ...syntax.modules import modules_of

_DEPTH = 3  # imports followed from the entry: its own modules, what they import, and what these do
_MOST = 120  # modules of one program that are read
SPELLINGS = ("--local_rank", "--local-rank")
_TELLING: tuple[str, ...] = (
    "local_rank",
    "local-rank",
    "LOCAL_RANK",
    "init_process_group",
    ".parse_args(",
    ".parse_known_args(",
)
_TELLING += ("set_start_method", "hydra.main")  # a module without any of these has no say in how ranks are joined
_STOPS, _SKIPS = "parse_args", "parse_known_args"
_GONE_FROM_SIX = frozenset({"container_abcs", "int_classes"})
_OWN_PARSE = re.compile(r"^def parse_(?:known_)?args\(", re.MULTILINE)
_NO_ARGUMENTS = re.compile(r"env|accelerat|fabric|trainer")  # `job_env.local_rank`, `accelerator.local_rank`


@dataclass
class Program:
    """An entry script, and after it the modules of the repository that it imports; `via` says who imports whom.

    A module's tree is read where its text has a word of what is looked for.
    """

    project: Project
    path: str
    paths: list[str]
    via: dict[str, str] = field(default_factory=dict)

    @property
    def entry(self) -> ast.Module:
        """The entry's own tree."""
        return self.tree(self.path)

    def tree(self, path: str) -> ast.Module:
        """That of one of the modules."""
        tree = self.project.module(path)
        assert tree is not None
        return tree

    def text(self, path: str) -> str:
        """That of one of the modules."""
        source = self.project.source(path)
        assert source is not None
        return source.text

    def modules(self) -> Iterator[tuple[str, ast.Module]]:
        """All of them."""
        return ((path, self.tree(path)) for path in self.paths)

    def saying(self, *words: str) -> Iterator[tuple[str, ast.Module]]:
        """The modules in whose text one of `words` stands."""
        return ((path, self.tree(path)) for path in self.paths if self.says_in(path, *words))

    def says(self, *words: str) -> bool:
        """True when one of `words` stands in a module."""
        return any(self.says_in(path, *words) for path in self.paths)

    def says_in(self, path: str, *words: str) -> bool:
        """True when one of `words` stands in the module `path`."""
        return any(self.project.holds(path, word) for word in words)

    def matches(self, pattern: re.Pattern[str]) -> bool:
        """True when the text of a module has a match."""
        return any(self.project.holds(path, pattern) for path in self.paths)


@asked
def imports_of(project: Project, path: str) -> tuple[str, ...] | None:
    """The modules of the repository that a module imports, in their order; None where it can't be read."""
    if project.module(path) is None:
        return None
    return tuple(dict.fromkeys(target for _, target in imports_with_lines(project, path)))


def imports_with_lines(project: Project, path: str) -> Iterator[tuple[int, str]]:
    """The same, each time that one is imported, with the line."""
    tree = project.module(path)
    for node in statements(tree) if tree is not None else ():
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            yield from ((node.lineno, target) for target in project.derive(modules_of).imported(path, node))


def program(project: Project, path: str) -> Program | None:
    """The program of the entry `path`; None when it can't be read."""
    if imports_of(project, path) is None:
        return None
    found = Program(project, path, [path])
    seen = {path}
    level = [path]
    for depth in range(_DEPTH):
        following: list[str] = []
        for importer in level:
            for target in imports_of(project, importer) or ():
                if target in seen or len(seen) >= _MOST:
                    continue
                if depth == _DEPTH - 1 and not found.says_in(target, *_TELLING):
                    continue
                if imports_of(project, target) is not None:
                    seen.add(target)
                    found.paths.append(target)
                    found.via[target] = importer
                    following.append(target)
        level = following
    return found


def is_value(node: ast.AST, dest: str, context: type[ast.expr_context]) -> bool:
    """`args.local_rank` (any plain name but self), `self.args.local_rank` or `get_args().local_rank`.

    `args[1].local_rank` too, where a launcher of the repository got the arguments of the main function as a tuple.
    """
    if not (isinstance(node, ast.Attribute) and node.attr == dest and isinstance(node.ctx, context)):
        return False
    base = node.value
    if isinstance(base, ast.Subscript) and isinstance(base.slice, ast.Constant) and isinstance(base.slice.value, int):
        base = base.value
    if isinstance(base, ast.Name):
        return base.id not in ("self", "cls") and not _NO_ARGUMENTS.search(base.id)
    if isinstance(base, ast.Call):
        return not _NO_ARGUMENTS.search(ast.unparse(base.func).lower())
    return isinstance(base, ast.Attribute) and base.attr in ("args", "opt", "opts", "hparams", "config", "cfg")


def read_only_in(found: Program, value: ast.expr) -> str | None:
    """An option of the command line, as `args.port`, that nothing in the program reads but `value`."""
    for part in walk(value):
        if isinstance(part, ast.Attribute) and is_value(part, part.attr, ast.Load):
            reads = (
                node
                for _, tree in found.saying(part.attr)
                for node in nodes(tree)
                if is_value(node, part.attr, ast.Load)
            )
            if sum(1 for _ in reads) == 1:
                return ast.unparse(part)
    return None


def starters(project: Project, path: str) -> Iterator[str]:
    """`path`, which defines an option, and the programs that import it by name: what a launcher may start.

    Where `path` is a program of its own (`if __name__ == "__main__": args = parse_args()` may only try it out), those
    that name a function by which the option is defined.
    """
    yield path
    tree = project.module(path)
    leading = _leading(tree) if tree is not None and any(map(is_main_guard, tree.body)) else None
    stem = path.rpartition("/")[2].removesuffix(".py")
    if stem == "__init__":
        return
    imports = re.compile(
        rf"^[ \t]*(?:from\s+[\w.]*\b{stem}\s+import|import\s+[\w.]*\b{stem}\b|from\s+[\w.]+\s+import.*\b{stem}\b)", re.M
    )
    for source in project.matching(imports, word=stem):
        other = source.path
        if other == path or path not in (imports_of(project, other) or ()):
            continue
        lines = [line for line, target in imports_with_lines(project, other) if target == path]
        if leading is None or _takes(project.module(other), source.text, lines, stem, leading):
            yield other


def _leading(tree: ast.Module) -> set[str]:
    """The functions and classes of a module that define its options, or use another of these."""
    made = {item.name: ast.unparse(item) for item in tree.body if isinstance(item, (*FUNCTIONS, ast.ClassDef))}
    found = todo = {name for name, text in made.items() if "add_argument" in text}
    while todo:
        named = re.compile(rf"\b(?:{'|'.join(todo)})\b")
        todo = {name for name, text in made.items() if name not in found and named.search(text)}
        found = found | todo
    return found


def _takes(tree: ast.Module | None, text: str, lines: list[int], stem: str, leading: set[str]) -> bool:
    """An import in one of the lines gives one of the names, or the module, of which one is used: `train.main`."""
    imports = [node for node in statements(tree) if isinstance(node, ast.ImportFrom)] if tree is not None else []
    names = {alias.name for node in imports if node.lineno in lines for alias in node.names}
    of_module = (match[1] for match in re.finditer(rf"\b{stem}\.(\w+)", text))
    return "*" in names or not names.isdisjoint(leading) or not leading.isdisjoint(of_module)


def uses_hydra(found: Program) -> bool:
    """Does Hydra read the arguments of the entry?"""
    return bool(re.search(r"^[ \t]*@hydra\.main|^[ \t]*from hydra import|hydra\.main\(", found.text(found.path), re.M))


def is_script(found: Program) -> bool:
    """Is the entry a program: does it join others, or read its arguments, when it is run, also by a function?"""
    tree, reads = found.entry, (_STOPS, _SKIPS)
    if any(is_main_guard(node) for node in tree.body):
        return True
    runs = [item for item in tree.body if not isinstance(item, (*FUNCTIONS, ast.ClassDef))]
    calls = {called(node) for item in runs for node in ast.walk(item) if isinstance(node, ast.Call)}
    if not calls.isdisjoint((*reads, "init_process_group")):
        return True
    return any(
        isinstance(node, FUNCTIONS)
        and node.name in calls
        and any(isinstance(inner, ast.Call) and called(inner) in reads for inner in ast.walk(node))
        for _, other in found.saying(".parse_")
        for node in nodes(other)
    )


def needs_torch_1(found: Program) -> bool:
    """The program imports `torch._six`, which torch 2.0 removed: no later version gets as far as its arguments."""
    return any(any(map(_imports_six, tree.body)) for _, tree in found.saying("torch._six"))


def needs_torch_1_8(found: Program) -> str:
    """Where the program imports what torch 1.9 took out of `torch._six`, in words; "" where it does not.

    Source: torch 1.9, torch/_six.py.
    """
    for path, tree in found.saying("torch._six"):
        for node in tree.body:
            names = {alias.name for alias in node.names} if isinstance(node, ast.ImportFrom) else set[str]()
            if _imports_six(node) and (gone := sorted(names & _GONE_FROM_SIX)):
                return f"{path}:{node.lineno} needs torch 1.8 (`{gone[0]}` of torch._six, which 1.9 removed)"
    return ""


def _imports_six(node: ast.stmt) -> bool:
    if isinstance(node, ast.ImportFrom):
        return node.module == "torch._six" and node.level == 0
    return isinstance(node, ast.Import) and any(alias.name == "torch._six" for alias in node.names)


def rejects_unknown_arguments(found: Program) -> bool:
    """Does an argument that no parser knows stop the program? (`parse_args`, not `parse_known_args`)"""
    return _parsed_by(found) == {_STOPS}


def skips_unknown_arguments(found: Program, option: Option) -> bool:
    """Does the parser that takes `option` leave an unknown argument alone? (`parse_known_args`)"""
    return _parsed_by(found, option) == {_SKIPS}


def _parsed_by(found: Program, option: Option | None = None) -> set[str]:
    """The methods by which the parser of `option`, or that of the entry, reads the arguments.

    A parser that is put together in one function and used in another is looked for in its file, then in the entry,
    then in all modules.
    """
    entry, calls = found.path, dict[str, list[ast.Call]]()
    for path, tree in found.saying(".parse_"):
        idle = () if path == entry else {id(node) for item in tree.body if is_main_guard(item) for node in walk(item)}
        all_calls = (node for node in nodes(tree) if isinstance(node, ast.Call) and id(node) not in idle)
        named = (node for node in all_calls if called(node) in (_STOPS, _SKIPS))
        calls[path] = [node for node in named if not _is_of_module(found, node)]
    near: list[list[ast.Call]] = [calls.get(entry, []), [call for each in calls.values() for call in each]]
    if option is not None:
        own, parser = calls.get(option.path, []), option.parser
        near[:0] = [[call for call in own if parser and _receiver(call) == parser], own]
    return next(({called(call) for call in each} for each in near if each), set())


def _is_of_module(found: Program, call: ast.Call) -> bool:
    """`parse_args()` and `util.parse_args()`: a function of the program, which may do anything with its parser."""
    module = _receiver(call).rpartition(".")[2]
    return not module or any(
        path.rpartition("/")[2] == f"{module}.py" and _OWN_PARSE.search(found.text(path)) for path in found.paths
    )


def _receiver(call: ast.Call) -> str:
    return ast.unparse(call.func.value) if isinstance(call.func, ast.Attribute) else ""


def asked_by_version(found: Program, option: Option) -> int | None:
    """The line of the `if` that looks at a version before it takes `option`; None when the option is always taken."""
    if not found.says_in(option.path, "version"):
        return None
    tree = found.tree(option.path)
    versions = {
        target.id
        for node in nodes(tree)
        if isinstance(node, ast.Assign) and "version" in ast.unparse(node.value)
        for name in node.targets
        for target in ast.walk(name)
        if isinstance(target, ast.Name)
    }
    for node in nodes(tree):
        if (
            isinstance(node, ast.If)
            and node.lineno < option.line <= end_line(node)
            and any(
                (isinstance(part, ast.Attribute) and part.attr == "__version__")
                or (isinstance(part, ast.Name) and part.id in versions)
                for part in ast.walk(node.test)
            )
        ):
            return node.lineno
    return None


def launcher_option(found: Program) -> Option | None:
    """`--launcher` with a choice `pytorch`, default `none`, where `none` means not distributed."""
    is_tested = any(_is_launcher_test(node) for _, tree in found.saying("launcher") for node in nodes(tree))
    for option in _options_of_modules(found, "--launcher") if is_tested else ():
        choices = option.keywords.get("choices")
        default = option.keywords.get("default")
        values = [n.value for n in ast.walk(choices) if isinstance(n, ast.Constant)] if choices is not None else []
        if "pytorch" not in values or not isinstance(default, ast.Constant) or default.value != "none":
            continue
        return option
    return None


def _options_of_modules(found: Program, name: str) -> list[Option]:
    """The options called `name`: the entry's own, else those of what it imports."""
    own = list(options(found.path, found.entry, name))
    imported = (option for path, tree in found.saying("add_argument") for option in options(path, tree, name))
    return own or [option for option in imported if option.path != found.path]


def _is_launcher_test(node: ast.AST) -> bool:
    return (
        isinstance(node, ast.Compare)
        and is_value(node.left, "launcher", ast.Load)
        and any(isinstance(right, ast.Constant) and right.value == "none" for right in node.comparators)
    )


def called(node: ast.Call) -> str:
    """The last name of what is called; empty when it has none."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


def of_another_program(found: Program, path: str) -> set[int]:
    """The nodes below the main guard of a module that the entry imports: they run where that module is the entry."""
    guards = [] if path == found.path else [item for item in found.tree(path).body if is_main_guard(item)]
    return {id(node) for guard in guards for statement in guard.body for node in walk(statement)}


def spawn_settings(found: Program) -> Iterator[tuple[str, ast.Call]]:
    """Calls of `set_start_method("spawn")` in the program."""
    for path, tree in found.saying("set_start_method"):
        others = of_another_program(found, path)
        for node in nodes(tree):
            if isinstance(node, ast.Call) and called(node) == "set_start_method" and id(node) not in others:
                given = [*node.args, *(keyword.value for keyword in node.keywords if keyword.arg == "method")]
                if given and isinstance(given[0], ast.Constant) and given[0].value == "spawn":
                    yield path, node
