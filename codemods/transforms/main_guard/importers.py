"""Which files of the repository import a script, so that what it sets at import must stay there."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator

from ...flow.facts.records import facts_lookup
from ...flow.facts.test_code import is_test
from ...project import Project
from ...questions import asked
from ...syntax.callees import FUNCTIONS
from ...syntax.main_guard import is_main_process_block
from ...syntax.modules import Modules, modules_of
from ...syntax.named_modules import SHELL, imported_in_code, imported_in_commands
from ...syntax.outline import Outline, outline_of
from ...syntax.receivers import qualified_name
from ...syntax.repo import Repo
from ...tree.source import Source
from ...word_index import is_word

_DYNAMIC = (
    "import_module", "__import__", "run_path", "run_module", "spec_from_file_location", "SourceFileLoader",
    "load_source",
)  # fmt: skip
_DEPTH = 4  # variables and calls that a name comes by
_DYNAMIC_IMPORT = re.compile(rf"\b(?:{'|'.join(_DYNAMIC)})\s*\(([^\n]*)")
_PACKAGE = re.compile(
    r"""["'}]\.*(\w+(?:\.\w+)*)\.(?:["']|\w*[{%]|\w*["']\s*[+%])"""
)  # what a name that is put together begins with
_FOLDER = re.compile(r"""["'}](?:\.*/)*(\w+(?:/\w+)*)/["'{%]""")
_EXECUTED = re.compile(r"\bexec\s*\([^\n]*,")
_MODULE = re.compile(r"(?:[\w.]+[./])*(\w+)")  # `jobs.train`, `./jobs/train.py`
_IN_QUOTES = re.compile(r"""["'](?:[^"'\n]*;)?\s*(?:import|from)\s+\w""")
_BEHIND_QUOTE = re.compile(r"""["';]\s*(?:import|from)\s+\w""")  # what has no such place needs no longer search
_IMPORT = re.compile(r"\b(?:import|from)\s+\w")
_IMPORTS = (  # each begins with its word: found many times faster than behind what may stand before it
    re.compile(r"import(?=\s+\w)"), re.compile(r"""from(?=\s+[\w.]+\s*(?:import\b|["'\\]))""")
)  # fmt: skip
_BEFORE = frozenset("\"'}\n\r\f;:")  # behind these an import may begin, and behind `\\n` in a literal
_AS_MAIN = re.compile(r"""['"]__main__['"]""")
_BESIDE = re.compile(r"""["'}](?:\.+|\./)["'{%]""")  # `"." + name`, `f"{__package__}.{name}"`


class Importers:
    """Which files are imported, by whom."""

    def __init__(self, project: Project, repo: Repo, modules: Modules) -> None:
        self.project, self.repo, self.modules = project, repo, modules
        self._reaching: dict[str, frozenset[str]] = {}
        self._named: dict[str, bool] = {}
        self._later: dict[str, bool] = {}
        self._imported_later: dict[str, list[tuple[Outline, ast.AST]]] = {}
        self._below: dict[str, frozenset[str]] = {}
        self.loud: dict[str, int] = {}  # see `printed_by_imports`, which fills it

    def of(self, path: str) -> str | None:
        """A file that imports `path`; None when there is none."""
        return next(iter(self._users(path)), None) or self._by_name(path)

    def only_later(self, path: str) -> bool:
        """Other files import it, and all of them in a function or under their main guard: no worker of theirs does."""
        if path not in self._later:
            self._later[path] = all(self._is_later(*each) for each in self._imports(path)) and (
                bool(self._users(path)) if (by_name := self._by_name(path)) is None else self._is_later(by_name, None)
            )
        return self._later[path]

    def _is_later(self, path: str, node: ast.AST | None) -> bool:
        outline = self.repo.outline(path) if path.endswith(".py") else None
        return outline is not None and _is_later(outline, node)

    def later(self, path: str) -> list[tuple[Outline, ast.AST]]:
        """Where other files import it, if all of them do in a function or under their main guard; else nothing."""
        if path not in self._imported_later:
            self._imported_later[path] = self._all_later(path) if self.only_later(path) else []
        return self._imported_later[path]

    def _all_later(self, path: str) -> list[tuple[Outline, ast.AST]]:
        found = [(self.repo.outline(other), node) for other, node in self._imports(path)]
        by_name = self._by_name(path)
        other = self.repo.outline(by_name) if by_name is not None else None
        calls = [call for name in _DYNAMIC for call in other.calls_of(name)] if other is not None else []
        return [
            (outline, node) for outline, node in (*found, *((other, call) for call in calls)) if outline is not None
        ]

    def reaching(self, path: str) -> frozenset[str]:
        """`path`, and the files that import it, directly or not."""
        known = self._reaching.get(path)
        if known is None:
            found, todo = {path}, [path]
            while todo:
                for user in self._users(todo.pop()):
                    if user not in found:
                        found.add(user)
                        todo.append(user)
            known = self._reaching[path] = frozenset(found)
        return known

    def by_name(self, path: str) -> bool:
        """The file, or one that it imports, imports others by a string that is put together."""
        if path not in self._named:
            self._named[path] = self._finds_by_name(path)
        return self._named[path]

    def _finds_by_name(self, path: str) -> bool:
        todo, seen, importing = [path], {path}, frozenset(_importing(self.project))
        for each in todo:  # grows as it goes
            if each in importing:
                return True
            for other in self.imported(each):
                if other not in seen:
                    seen.add(other)
                    todo.append(other)
        return False

    def names(self, path: str) -> dict[str, str] | None:
        """Names of `path` that other files import by `from`, with one that does; None where that is not all they do."""
        found: dict[str, str] = {}
        if self._by_name(path) is not None:
            return None
        for other, node in self._imports(path):
            base = self._base(other, node) if isinstance(node, ast.ImportFrom) else None
            if not isinstance(node, ast.ImportFrom) or base != path or node.names[0].name == "*":
                return None
            found |= {alias.name: other for alias in node.names}
        return found

    def _base(self, path: str, node: ast.ImportFrom) -> str | None:
        """The file that `from <it> import ...` names."""
        if node.level:
            return self.modules.relative(path, node.level, node.module or "")
        return self.modules.absolute(path, node.module or "")

    def _imports(self, path: str) -> Iterator[tuple[str, ast.AST]]:
        """Which other files import `path`, and where, in order. One at a time: each takes the tree of a file."""
        for user in self._users(path):
            outline = self.repo.outline(user)
            for node in outline.imports if outline is not None else ():
                if path in self.modules.imported(user, node):
                    yield user, node

    def _users(self, path: str) -> list[str]:
        return [user for user in self.project.with_key(_imported_files, path) if user != path]

    def users(self, path: str) -> set[str]:
        """The other files that import `path`."""
        return {*self._users(path)}

    def imported(self, path: str) -> set[str]:
        """The other files that `path` imports."""
        return {*_imported_files(self.project, path)} - {path}

    def below(self, path: str) -> frozenset[str]:
        """The other files that `path` imports, directly or not. What it imports itself is likely to be asked again."""
        direct = self.imported(path)
        return frozenset(direct).union(*map(self._all_below, direct)) - {path}

    def _all_below(self, path: str) -> frozenset[str]:
        if path not in self._below:
            found, todo = set[str](), [path]
            while todo:
                for other in self.imported(todo.pop()) - found:
                    found.add(other)
                    known = self._below.get(other)
                    if known is None:
                        todo.append(other)
                    else:
                        found |= known
            self._below[path] = frozenset(found)
        return self._below[path]

    def _by_name(self, path: str) -> str | None:
        """Who imports it by a string: `import_module("tools.train")`, an entry point of the packaging."""
        stem = path.removesuffix(".py").rpartition("/")[2]
        for other, text in _strings(self.project):
            if text is None:
                source = self.project.source(other)
                if source is not None and stem in source.text and re.search(rf"\b{re.escape(stem)}:\w", source.text):
                    return other
            elif other != path and stem in text and re.search(rf"\b{re.escape(stem)}\b", text):
                return other
        for other, words in _run_by_variable(self.project):
            if other != path and (words is None or stem in words):
                return other
        for other, imported in _in_texts(self.project):
            if stem in imported:  # also its own: it hands the text to another process
                return other
        folder = path.rpartition("/")[0]
        for other, package in _packages(self.project):
            if other != path and (folder == other.rpartition("/")[0] if not package else f"/{package}/" in f"/{path}"):
                return other
        return None


@asked
def _run_by_variable(project: Project) -> tuple[tuple[str, tuple[str, ...] | None], ...]:
    """Files that import or run others by a name in a variable, with the names that it may have.

    None where that may be any script, and it is not run as the main module: `run_path(name)`.
    """
    found: list[tuple[str, tuple[str, ...] | None]] = []
    for path in _importing(project):
        outline = outline_of(project, path)
        for call in (call for name in _DYNAMIC for call in outline.calls_of(name)) if outline is not None else ():
            assert outline is not None
            if _runs_as_main(call) or all(isinstance(given, ast.Constant) for given in call.args):
                continue
            words = _modules(text for given in call.args for text in _texts(outline, given))
            runs = qualified_name(outline, call.func) in ("runpy.run_path", "runpy.run_module")
            is_any = runs and not words and isinstance(call.args[0], (ast.Name, ast.Subscript, ast.Attribute))
            found.append((path, None if is_any and not is_test(path, facts_lookup(project)) else words))
    for source in project.matching(_EXECUTED, words=("exec",)):
        outline = outline_of(project, source.path)
        for call in outline.calls_of("exec") if outline is not None else ():
            assert outline is not None
            if len(call.args) > 1 and not _runs_as_main(call) and ast.unparse(call.args[1]) != "globals()":
                found.append((source.path, _modules(_texts(outline, call.args[0], depth=1))))
    return tuple(found)


@asked
def _packages(project: Project) -> tuple[tuple[str, str], ...]:
    """Files that import by a name that is put together, with the folder where it begins; "" for their own."""
    found: list[tuple[str, str]] = []
    for source in filter(None, map(project.source, _importing(project))):
        arguments = "\n".join(_DYNAMIC_IMPORT.findall(source.text))
        named = [name.replace(".", "/") for name in _PACKAGE.findall(source.text)] + _FOLDER.findall(arguments)
        found += [(source.path, name) for name in dict.fromkeys(named)]
        found += [(source.path, "")] if _BESIDE.search(arguments) else []
    return tuple(found)


@asked
def _importing(project: Project) -> tuple[str, ...]:
    """The files that import by a string."""
    return tuple(project.paths_matching(_DYNAMIC_IMPORT, words=_DYNAMIC))


@asked
def _strings(project: Project) -> tuple[tuple[str, str | None], ...]:
    """Files with the text of an import by a string; None for those of the packaging, where it may be anywhere.

    What is run as the main module is left out.
    """
    found: list[tuple[str, str | None]] = []
    importing = frozenset(_importing(project))
    for path in project.paths:
        source = project.source(path) if path in importing else None
        for argument in _DYNAMIC_IMPORT.findall(source.text) if source is not None else ():
            found += [(path, argument)] if _AS_MAIN.search(argument) is None else []
        if path.rpartition("/")[2] in ("pyproject.toml", "setup.cfg", "setup.py"):
            found.append((path, None))
    return tuple(found)


@asked
def _imported_files(project: Project, path: str) -> tuple[str, ...]:
    """The files of the repository that the imports of a file name."""
    facts = facts_lookup(project)(path)
    found: dict[str, None] = {}
    if facts is not None:
        modules = project.derive(modules_of)
        rows = [(module, level, name) for _, module, level, name in facts.imports]
        for module, level, name in (*rows, *((module, level, "*") for module, level, _ in facts.star_imports)):
            names = [module] if name in ("", "*") else [module, f"{module}.{name}" if module else name]
            found |= dict.fromkeys(modules.named(path, level, names))
    return tuple(found)


@asked
def _in_texts(project: Project) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Files with code in a text, with the last names of the modules it imports: `[python, "-c", "import job"]`."""
    sources = (source for source in project.matching(_BEHIND_QUOTE) if _IN_QUOTES.search(source.text))
    in_python = ((source.path, _in_texts_of(project, source.path)) for source in sources)
    return tuple((path, words) for path, words in (*in_python, *_in_shell(project)) if words)


@asked
def _in_texts_of(project: Project, path: str) -> tuple[str, ...]:
    """The same of one Python file."""
    source, outline = project.source(path), outline_of(project, path)
    if source is None or outline is None or not _may_hold_code(source, outline):
        return ()
    found: set[str] = set()
    for node in outline.of_kind(ast.Constant):
        if isinstance(node.value, str) and _IMPORT.search(node.value):
            found.update(imported_in_commands(node.value) or imported_in_code(node.value))
    return tuple(sorted(found))


def _may_hold_code(source: Source, outline: Outline) -> bool:
    """An import may begin in a literal of the text: there is one that is no statement of the file.

    Most that follow a quote follow the docstring of the module.
    """
    own = {(node.lineno, node.col_offset) for node in outline.imports}
    starts = (match.start() for pattern in _IMPORTS for match in pattern.finditer(source.text))
    return any(_begins(source.text, at) and source.position(at) not in own for at in starts)


def _begins(text: str, at: int) -> bool:
    """What stands before the place does not rule out that a statement begins there."""
    while at and text[at - 1] in " \t":
        at -= 1
    if not at or text[at - 1] in _BEFORE:
        return at > 0
    word = at
    while word and is_word(text[word - 1]):
        word -= 1
    return 0 < word < at and text[word - 1] == "\\"


@asked
def _in_shell(project: Project) -> tuple[tuple[str, tuple[str, ...]], ...]:
    """Shell scripts with the last names of the modules that a text in them imports: `python -c "import job"`."""
    scripts = [(path, project.source(path)) for path in project.paths if path.endswith(SHELL)]
    return tuple(
        (path, tuple(sorted(imported_in_commands(script.text)))) for path, script in scripts if script is not None
    )


def _modules(texts: Iterable[str]) -> tuple[str, ...]:
    """The last parts of the names and paths among the texts, which may be modules or scripts; sorted."""
    found = (_MODULE.fullmatch(text.removesuffix(".py")) for text in texts)
    return tuple(sorted({match[1] for match in found if match is not None}))


def _runs_as_main(call: ast.Call) -> bool:
    """`runpy.run_path(name, run_name="__main__")`: the guard lets it run."""
    return any(isinstance(node, ast.Constant) and node.value == "__main__" for node in ast.walk(call))


def _texts(outline: Outline, value: ast.expr, depth: int = 0) -> Iterator[str]:
    """The texts that a value may be, by the variables in it: of a literal, of what a loop goes over, of a default."""
    for node in ast.walk(value):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and depth:
            yield node.value
        elif isinstance(node, ast.Name) and depth < _DEPTH:
            for binding in outline.lookup(node, node.id)[1]:
                over = getattr(binding.statement, "iter", None)
                for item in (binding.value, over):
                    if isinstance(item, ast.expr) and item is not value:
                        yield from _texts(outline, item, depth + 1)
                if binding.parameter and isinstance(binding.statement, FUNCTIONS):
                    for call in outline.calls_of(binding.statement.name):
                        for given in (*call.args, *(word.value for word in call.keywords)):
                            yield from _texts(outline, given, depth + 1)


def _is_later(outline: Outline, node: ast.AST | None) -> bool:
    """The import is not one that running the file reaches by itself; without a `node`, no dynamic one is."""
    nodes = [node] if node is not None else [call for name in _DYNAMIC for call in outline.calls_of(name)]
    return bool(nodes) and all(
        isinstance(outline.scope(each), FUNCTIONS) or any(map(is_main_process_block, outline.ancestors(each)))
        for each in nodes
    )
