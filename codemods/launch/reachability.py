"""How a plain `python script.py` gets to a place in the code, and what on the way needs a launcher.

`guard(outline, node)` looks within one function or module, `Reach` through the calls of the project.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import islice

from ..finding import Hop
from ..syntax.binding_rules import COMPREHENSIONS
from ..syntax.callees import Callees, method
from ..syntax.file_tree import Scope
from ..syntax.modules import Modules
from ..syntax.names import last_name, written
from ..syntax.outline import Outline
from ..syntax.repo import Repo
from ..syntax.resolver import Class
from ..tree.suffixes import MAKEFILE, SHELL_SCRIPT
from .importers import importers, is_program
from .names import VARIABLES, names

# A test with such a word has asked how the program was started. Taken widely: what is wrongly seen as a check is only
# not reported.
_ASKS = re.compile(
    r"dist|ddp|fsdp|launch|slurm|rank|world|mpi|multi|parallel|gpus?\b|n_?gpu|num_?gpu|devices?(?:\b|_?count)"
    r"|deepspeed|horovod|hvd|accelerat|torchrun|elastic|single|cluster|nodes?\b|node_|job|environ|getenv|proc(?:ess)?_?(?:id|idx|ind)|nproc"
    r"|ntasks|xla|tpu|local",
    re.IGNORECASE,
)
_GPUS = re.compile(r"(?:torch\.)?cuda\.device_count|\b(?:n|num|n_|num_)gpus?\b|\bgpus?_?(?:count|num)\b", re.IGNORECASE)
_ASKS_VARIABLE = re.compile(r"environ|getenv|slurm", re.IGNORECASE)
_LAUNCHED_NAME = re.compile(r"dist|ddp|fsdp|slurm|launch|mpi|horovod|multi_?gpu|parallel|torchrun|spawn|worker", re.I)
_CATCHES = frozenset({"KeyError", "LookupError", "TypeError", "ValueError", "Exception", "BaseException"})
_LAUNCHER = re.compile(
    r"torchrun|torch\.distributed|\bsrun\b|\bmpi(?:run|exec)\b|deepspeed|accelerate launch|horovodrun"
)
_COMPUTED = re.compile(r"environ(?:\[\s*\w+\s*\]\s*=(?!=)|\.setdefault\(\s*\w+\s*,)|putenv\(\s*\w+\s*,")
_RUNS_OTHERS = re.compile(r"import_module|__import__|\bexec\(|\brunpy\b|\.(?:load_source|exec_module)\(")
_MAX_DEPTH = 6
_MAX_IMPORTERS = 8


def guard(outline: Outline, node: ast.AST, is_plain: bool = False) -> ast.AST | None:
    """What, within its function or module, asks how the program was started before `node` runs; None: nothing.

    `is_plain`: the program is started without a launcher, so what that fulfils is passed: the number of GPUs, and the
    `else` of a question for SLURM.
    """
    child = node
    for parent in outline.ancestors(node):
        if isinstance(parent, (ast.If, ast.While, ast.IfExp)):
            passed = is_plain and isinstance(parent, ast.If) and _passes(outline, parent, child)
            if child is not parent.test and not passed and _asks(outline, parent.test):
                return parent.test
        elif isinstance(parent, ast.BoolOp):
            for value in parent.values[: next(at for at, entry in enumerate(parent.values) if entry is child)]:
                if _asks(outline, value):
                    return value
        elif isinstance(parent, COMPREHENSIONS):
            for test in (test for created in parent.generators for test in created.ifs):
                if test is not child and _asks(outline, test):
                    return test
        elif isinstance(parent, ast.Match):
            if child is not parent.subject and _asks(outline, parent.subject):
                return parent.subject
        elif isinstance(parent, ast.Try):
            if any(child is statement for statement in parent.body) and any(map(_catches, parent.handlers)):
                return parent
            if any(child is handler for handler in parent.handlers) and any(
                _mentions_variable(statement) for statement in parent.body
            ):
                return parent
        elif isinstance(parent, (ast.With, ast.AsyncWith)) and any(
            "suppress" in ast.unparse(item.context_expr) for item in parent.items
        ):
            return parent
        if isinstance(child, ast.stmt):
            for earlier in _before(parent, child):
                if _settles(outline, earlier):
                    return earlier
        if isinstance(parent, (ast.FunctionDef, ast.AsyncFunctionDef)) and any(
            child is statement for statement in parent.body
        ):
            return None
        child = parent
    return None


def _before(parent: ast.AST, child: ast.stmt) -> list[ast.stmt]:
    for name in ("body", "orelse", "finalbody"):
        block = getattr(parent, name, None)
        if isinstance(block, list):
            for at, item in enumerate(block):
                if item is child:
                    return block[:at]
    return []


def _asks(outline: Outline, test: ast.expr) -> bool:
    if _ASKS.search(ast.unparse(test)):
        return True
    for node in ast.walk(test):
        if isinstance(node, ast.Name):
            for binding in outline.lookup(node, node.id)[1]:
                if binding.value is not None and _ASKS.search(ast.unparse(binding.value)):
                    return True
    return False


def _passes(outline: Outline, choice: ast.If, child: ast.AST) -> bool:
    """A run without a launcher gets to this branch: that of several GPUs, or that without SLURM."""
    text = ast.unparse(choice.test)
    names = (node for node in ast.walk(choice.test) if isinstance(node, ast.Name))
    bound = [each.value for name in names for each in outline.lookup(name, name.id)[1] if each.value is not None]
    text = " ".join([text, *map(ast.unparse, bound)])
    if child in choice.orelse:
        return re.search("SLURM", text) is not None and not isinstance(child, ast.If)
    return _GPUS.search(text) is not None and _ASKS.search(_GPUS.sub("", text)) is None


def _settles(outline: Outline, statement: ast.stmt) -> bool:
    """An earlier statement that leaves, or fails in its own words, when there is no launcher."""
    if isinstance(statement, ast.Assert):
        return _asks(outline, statement.test)
    if isinstance(statement, ast.If) and _asks(outline, statement.test):
        for node in ast.walk(statement):
            if isinstance(node, (ast.Return, ast.Raise, ast.Continue, ast.Break)):
                return True
            if isinstance(node, ast.Call) and last_name(node.func) in ("exit", "_exit", "quit", "abort", "error"):
                return True
    return isinstance(statement, ast.Try) and _mentions_variable(statement)


def _mentions_variable(node: ast.AST) -> bool:
    return any(written(item) in VARIABLES for item in ast.walk(node))


def _catches(handler: ast.ExceptHandler) -> bool:
    if handler.type is None:
        return True
    types = handler.type.elts if isinstance(handler.type, ast.Tuple) else [handler.type]
    return any((name := last_name(type_)) == "" or name in _CATCHES for type_ in types)


# How it is reached


@dataclass(frozen=True)
class Way:
    """How a plain run gets to a place: the scopes on the way (innermost first), and the calls between them."""

    scopes: tuple[tuple[Outline, Scope], ...]
    hops: tuple[Hop, ...] = ()
    certain: bool = True

    def after(self, outline: Outline, scope: Scope, hop: Hop, certain: bool = True) -> Way:
        """This way, and by `hop` on to `scope`."""
        return Way(((outline, scope), *self.scopes), (hop, *self.hops), self.certain and certain)


@dataclass
class Reach:
    """Answers about one project; keeps what it found out."""

    repo: Repo
    modules: Modules
    is_plain: bool = False  # the program is started without a launcher, see `guard`
    _demands: dict[int, bool] = field(default_factory=dict)
    _written: dict[str, list[str]] = field(default_factory=dict)
    _files: dict[str, set[str] | None] = field(default_factory=dict)

    def way(
        self, outline: Outline, node: ast.AST, depth: int = 0, seen: frozenset[int] = frozenset()
    ) -> Way | str | None:
        """How `node` is reached without a check; None when every way has one; in words, when no way is seen at all."""
        if guard(outline, node, self.is_plain) is not None:
            return None
        scope = outline.scope(node)
        if isinstance(scope, ast.Module):
            return self._program(outline, scope, depth, seen)
        if isinstance(scope, ast.Lambda) or depth >= _MAX_DEPTH or id(scope) in seen:
            return "it is not seen to be called"
        owner = outline.parents.get(scope)
        owner = owner if isinstance(owner, ast.ClassDef) else None
        for name in (scope.name, owner.name if owner else ""):
            if _LAUNCHED_NAME.search(name) and not self.is_plain:
                return f"`{name}` is for runs that a launcher started"
        why: str | None = f"no call of `{scope.name}` is in sight"
        for caller, call, certain in self._calls(outline, scope, owner):
            way = self.way(caller, call, depth + 1, seen | {id(scope)})
            if not isinstance(way, Way):
                why = way
            else:
                created = owner is not None and scope.name == "__init__"
                what = f"`{owner.name}` is created here" if owner and created else f"`{scope.name}` is called here"
                return way.after(outline, scope, Hop(caller.path, call.lineno, what), certain)
        return why

    def _program(self, outline: Outline, module: ast.Module, depth: int, seen: frozenset[int]) -> Way | str | None:
        """How a plain run gets to a module: it is a program, or a program imports it.

        Of several programs, one that works without a launcher is taken.
        """
        own = Way(((outline, module),))
        if depth >= _MAX_DEPTH or id(module) in seen or is_program(outline):
            return own
        answers: list[Way | str | None] = []
        for importer, statement in islice(importers(self.repo, self.modules, outline), _MAX_IMPORTERS):
            way = self.way(importer, statement, depth + 1, seen | {id(module)})
            if isinstance(way, Way):
                way = way.after(outline, module, Hop(importer.path, statement.lineno, f"{outline.path} is imported"))
                if not self.demands_launcher(way):
                    return way
            answers.append(way)
        if not answers:
            return own
        return next((way for way in answers if isinstance(way, Way)), answers[0])

    def _calls(
        self, outline: Outline, function: ast.FunctionDef | ast.AsyncFunctionDef, owner: ast.ClassDef | None
    ) -> Iterator[tuple[Outline, ast.Call, bool]]:
        """Calls of the function in the repo; the last says whether nothing else can be meant."""
        created = owner is not None and function.name == "__init__"
        owners = self._made_by(outline, owner) if owner is not None and created else []
        if owner is not None and created:
            for each in owners:
                for other in self.repo.mentioning(each.name):
                    for call in other.calls_of(each.name):
                        cls = self._callees.made_class(other, call)
                        if cls is not None and cls[1] is each:
                            yield other, call, True
            return
        name = function.name
        for other in self.repo.mentioning(name):
            for call in other.calls_of(name):
                found = self._callees.called(other, call)
                if found is not None and found[1] is function:
                    base = call.func.value if isinstance(call.func, ast.Attribute) else None
                    own = isinstance(base, ast.Name) and base.id in ("self", "cls")
                    yield other, call, owner is None or own

    def _made_by(self, outline: Outline, owner: ast.ClassDef) -> list[ast.ClassDef]:
        """The class of an `__init__`, and those below it that have none of their own."""
        heirs = self._callees.heirs(Class(outline, owner))
        return [owner, *(heir.node for heir in heirs if self._runs(heir, owner))]

    def _runs(self, heir: Class, owner: ast.ClassDef) -> bool:
        first = next((each for each in self._callees.resolver.lineage(heir) if method(each.node, "__init__")), None)
        return first is not None and first.node is owner

    @cached_property
    def _callees(self) -> Callees:
        return Callees(self.repo, self.modules)

    def demands_launcher(self, way: Way) -> bool:
        """True when a run along `way` joins a process group, or starts ranks, whatever the circumstances."""
        return any(self._demands_in(outline, scope) for outline, scope in way.scopes)

    def _demands_in(self, outline: Outline, scope: Scope, depth: int = 0) -> bool:
        if id(scope) in self._demands:
            return self._demands[id(scope)]
        self._demands[id(scope)] = False
        answer = any(self._demands_at(outline, call, depth) for call in _own_calls(outline, scope))
        self._demands[id(scope)] = answer
        return answer

    def _demands_at(self, outline: Outline, call: ast.Call, depth: int) -> bool:
        name = last_name(call.func)
        if name is None or guard(outline, call) is not None:
            return False
        if name in ("spawn", "start_processes"):
            return True
        if name == "init_process_group":
            alone = {keyword.arg for keyword in call.keywords if isinstance(keyword.value, ast.Constant)}
            return not {"rank", "world_size"} <= alone
        function = self._function(outline, call)
        if function is not None:
            return depth < _MAX_DEPTH and self._demands_in(*function, depth + 1)
        return name in names("joins_group")

    def _function(self, outline: Outline, call: ast.Call) -> tuple[Outline, Scope] | None:
        """The one function of the repo that `call` calls by name."""
        found = self.repo.resolver.definition(outline, call.func)
        return (found.outline, found.node) if found and not isinstance(found.node, ast.ClassDef) else None

    def launch_line(self, way: Way) -> str | None:
        """A shell script (or so) of the repo that starts the script at the end of `way` with a launcher."""
        script = way.scopes[-1][0].path.rpartition("/")[2]
        for path in self.repo.project.paths:
            if SHELL_SCRIPT.search(path) or MAKEFILE.search(path):
                source = self.repo.project.source(path)
                if source is not None and script in source.text and _LAUNCHER.search(source.text):
                    return path
        return None

    def written(self, variable: str, way: Way | None = None) -> str | None:
        """A file of the repo that sets the variable itself, if there is one; on a way, one that its program may run."""
        return next(iter(self.writing(variable, way)), None)

    def writing(self, variable: str, way: Way | None = None) -> list[str]:
        """As `written`, all such files."""
        found = self._writers(variable)
        if way is not None and found and is_program(start := way.scopes[-1][0]):
            run = self._run_by(start)
            found = [path for path in found if run is None or path in run or self._names(path, start.path)]
        return found

    def _run_by(self, program: Outline) -> set[str] | None:
        """The files of the repo that a program imports, itself too; None where it may run others."""
        if program.path not in self._files:
            found, todo = {program.path}, [program]
            known: set[str] | None = found
            while todo and known is not None:
                outline = todo.pop()
                source = self.repo.project.source(outline.path)
                if source is None or _RUNS_OTHERS.search(source.text):
                    known = None
                for node in outline.imports:
                    for path in self.modules.imported(outline.path, node):
                        if path not in found and (other := self.repo.outline(path)) is not None:
                            found.add(path)
                            todo.append(other)
            self._files[program.path] = known
        return self._files[program.path]

    def _names(self, path: str, program: str) -> bool:
        """A file speaks of the program, which it may start or import."""
        source = self.repo.project.source(path)
        stem = program.rpartition("/")[2].removesuffix(".py")
        return source is None or re.search(rf"\b{re.escape(stem)}\b", source.text) is not None

    def _writers(self, variable: str) -> list[str]:
        """The files of the repo that set the variable."""
        if variable not in self._written:
            name = rf"['\"]{variable}['\"]"
            pattern = re.compile(
                rf"\[\s*{name}\s*\]\s*=(?!=)|(?:setdefault|putenv|setenv)\(\s*{name}|{name}\s*:"
                rf"|(?:update|dict)\([^)]{{0,999}}\b{variable}\s*="
            )
            listed = re.compile(rf"[(\[]\s*{name}\s*,")  # `for name, value in (("LOCAL_RANK", "0"), ...)`
            matching = self.repo.project.matching
            found = [source.path for source in matching(pattern, word=variable)]
            found += [source.path for source in matching(_COMPUTED, word=variable) if listed.search(source.text)]
            self._written[variable] = found
        return self._written[variable]


def _own_calls(outline: Outline, scope: Scope) -> list[ast.Call]:
    return [node for node in outline.own(scope) if isinstance(node, ast.Call)]


def asks_for_variable(test: ast.AST) -> bool:
    """True when `test` looks at the environment itself."""
    return bool(_ASKS_VARIABLE.search(ast.unparse(test)))
