"""Code that Python 3 parses and can't run: it reads a name, or imports a module, that only Python 2 has."""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Collection, Iterable, Iterator

from ...nodes import end_line, walk
from ...syntax.binding_rules import bound_name
from ...syntax.names import last_name
from .records import FileFacts, Python2Lines
from .stops import LOOKS_UP, functions_of, surely_run

NAMES = frozenset(
    [
        "unicode", "basestring", "xrange", "raw_input", "long", "reduce", "reload", "unichr", "file", "cmp", "execfile",
        "buffer", "apply", "intern",
    ]
)  # fmt: skip
MODULES = frozenset(
    [
        "BaseHTTPServer", "ConfigParser", "HTMLParser", "Queue", "SimpleHTTPServer", "SocketServer", "StringIO",
        "Tkinter", "__builtin__", "anydbm", "cPickle", "cStringIO", "cookielib", "copy_reg", "httplib", "tkMessageBox",
        "urllib2", "urlparse", "xmlrpclib",
    ]
)  # fmt: skip
METHODS = {"has_key": 1, "iteritems": 0, "iterkeys": 0, "itervalues": 0}  # of dicts, with how many arguments each has
_LET_THROUGH = frozenset(["open", "file", "device", "no_grad", "enable_grad", "autocast"])  # what is raised inside
_ENDS = tuple(sorted(METHODS))  # of a name with dots, or without where no name is called
_LEAVING = (ast.Return, ast.Raise, ast.Continue, ast.Break)
_PASSES = 4  # over the functions of a file: each goes one call further up
_Why = tuple[int, str]  # line and name


def python2_lines(tree: ast.Module, facts: FileFacts) -> list[Python2Lines]:
    """The stretches of the file in which code that only Python 2 runs is come to whatever happens."""
    missing = {name for name, _ in facts.unbound}
    given = {module for _, module, _, _ in facts.imports if module in ("builtins", "__builtin__")}
    names = set[str]() if facts.star_imports or given or missing & LOOKS_UP else missing & NAMES
    modules = any(module.partition(".")[0] in MODULES for _, module, level, _ in facts.imports if not level)
    if not names and not modules and not any(call.text.endswith(_ENDS) for call in facts.calls):
        return []
    frames = any(module.partition(".")[0] == "pandas" for _, module, _, _ in facts.imports)
    return _Lines(tree, names, METHODS.keys() - {"iteritems"} if frames else METHODS.keys()).found()


class _Lines:
    """One file. `names`: those of Python 2 that it reads and nothing binds."""

    def __init__(self, tree: ast.Module, names: set[str], methods: Collection[str]) -> None:
        self._tree, self._names, self._methods = tree, names, methods
        bound = Counter(map(bound_name, walk(tree)))
        self._once = {name for name, times in bound.items() if times == 1}  # in whatever scope
        self._left = names  # those that the function which is looked at does not bind either
        self._rows: list[Python2Lines] = []
        self._failing: dict[str, _Why] = {}  # functions of the module

    def found(self) -> list[Python2Lines]:
        body, own = self._tree.body, list[ast.FunctionDef | ast.AsyncFunctionDef]()
        todo: list[ast.AST] = [self._tree]
        for outer in todo:  # grows as it goes
            inner = [*functions_of(outer)]
            own += inner
            todo += inner
        for _ in range(_PASSES):
            before, self._rows = len(self._failing), []
            for function in own:
                self._left = self._names.difference(map(bound_name, walk(function)))
                why = self._of_block(function.body)
                if why is not None:
                    self._rows.append(Python2Lines(function.lineno, end_line(function), *why))
                    if function in body and function.name in self._once:
                        self._failing.setdefault(function.name, why)
            if len(self._failing) == before:
                break
        self._left = self._names
        why = self._of_block(body)
        if why is not None:
            return [Python2Lines(body[0].lineno, end_line(body[-1]), *why, whole=True)]
        return self._rows

    def _of_block(self, body: list[ast.stmt]) -> _Why | None:
        """Why whoever comes to the block gets to no end of it; a row for the part of it of which that is true."""
        start = 0
        for at, statement in enumerate(body):
            why = self._of(statement)
            if why is not None and not start:
                return why
            if why is not None:
                self._rows.append(Python2Lines(body[start].lineno, end_line(body[-1]), *why))
                return None
            if any(isinstance(node, _LEAVING) for node in walk(statement)):
                start = at + 1
        return None

    def _of(self, statement: ast.stmt) -> _Why | None:
        if isinstance(statement, (ast.Import, ast.ImportFrom)):
            return self._of_import(statement)
        if isinstance(statement, ast.With):
            heads = [item.context_expr for item in statement.items]
            why = next(filter(None, map(self._of_code, heads)), None)
            through = all(isinstance(head, ast.Call) and last_name(head.func) in _LET_THROUGH for head in heads)
            return why or (self._of_block(statement.body) if through else None)
        if isinstance(statement, (ast.For, ast.While)):
            head = statement.iter if isinstance(statement, ast.For) else statement.test
            if (why := self._of_code(head)) is not None:
                return why
            why = self._of_block(statement.body)
            if why is None or _goes_round(head):
                return why
            self._rows.append(Python2Lines(statement.body[0].lineno, end_line(statement.body[-1]), *why))
            return None
        if isinstance(statement, ast.If):
            if (why := self._of_code(statement.test)) is not None:
                return why
            ways = [(block, self._of_block(block)) for block in (statement.body, statement.orelse) if block]
            if len(ways) == 2 and all(why for _, why in ways):
                return ways[0][1]
            self._rows += [Python2Lines(block[0].lineno, end_line(block[-1]), *why) for block, why in ways if why]
            return None
        return self._of_code(statement)

    def _of_import(self, statement: ast.Import | ast.ImportFrom) -> _Why | None:
        if isinstance(statement, ast.ImportFrom):
            modules = [statement.module or ""] if not statement.level else []
        else:
            modules = [alias.name for alias in statement.names]
        tops = (module.partition(".")[0] for module in modules)
        return next(((statement.lineno, top) for top in tops if top in MODULES), None)

    def _of_code(self, code: ast.stmt | ast.expr) -> _Why | None:
        return next(self._reasons(surely_run(code)), None)

    def _reasons(self, nodes: Iterable[ast.AST]) -> Iterator[_Why]:
        for node in nodes:
            if isinstance(node, ast.Name) and node.id in self._left and isinstance(node.ctx, ast.Load):
                yield node.lineno, node.id
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in self._failing:
                yield self._failing[node.func.id]
            elif isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
                name = node.func.attr
                if name in self._methods and len(node.args) == METHODS[name]:  # `six.iteritems(rows)` is a function
                    yield node.lineno, name


def _goes_round(head: ast.expr) -> bool:
    """The body of a loop over it, or while it holds, runs at least once."""
    if isinstance(head, ast.Call):
        counts = last_name(head.func) == "range" and len(head.args) == 1
        return counts and isinstance(head.args[0], ast.Constant) and bool(head.args[0].value)
    if isinstance(head, (ast.List, ast.Tuple)):
        return any(not isinstance(each, ast.Starred) for each in head.elts)
    return isinstance(head, ast.Constant) and bool(head.value)
