"""Is an expression that runs where a definition stands the same whenever it runs?

Moved to module level, a definition runs once, on import. What its header or class body reads must have its last value
by then: a constant, a function or class of the file, an attribute of a module that nothing sets.
"""

from __future__ import annotations

import ast
import re
import sys
from functools import cached_property

from ....finding import Import
from ....project import Project
from ....syntax.binding_rules import BUILTINS, CHANGING, FUNCTIONS, LASTING, BindingKind, ScopeKind
from ....syntax.modules import Modules
from ....syntax.names import dotted, last_name, root_of_chain
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from ....syntax.scope_data import Binding, Variable, start_of
from ....syntax.scopes import Scopes, scopes_of
from ....syntax.written_by_name import written_by_name
from ..libraries import libraries
from .import_effects import only_defines

# Modules that sys.stdlib_module_names has everywhere: those of one system, those that distributions leave out, and
# those that came or went after Python 3.8.
_NOT_EVERYWHERE = frozenset(
    """_msi _posixsubprocess _scproxy _winapi curses fcntl grp msilib msvcrt nis nt ossaudiodev posix pty pwd readline
    resource spwd syslog termios tty winreg winsound

    idlelib lib2to3 tkinter turtle turtledemo

    aifc annotationlib asynchat asyncore audioop binhex cgi cgitb chunk compression crypt distutils formatter graphlib
    imghdr imp mailcap nntplib parser pipes smtpd sndhdr sunau symbol telnetlib tomllib uu xdrlib
    zoneinfo""".split()  # noqa: SIM905
)


_IN_PYTHON = sys.stdlib_module_names - _NOT_EVERYWHERE
_SETS_GLOBALS = re.compile(r"(?<!in )\bglobals\(\)(?!\s*\.\s*(?:get|keys|values|items|copy)\b)|\bsys\.modules\b")


class Settled:
    """Questions about the expressions of one file."""

    def __init__(self, project: Project, path: str, scopes: Scopes) -> None:
        self.project, self.path, self.scopes = project, path, scopes
        self._stored: dict[str, bool] = {}
        self._set: dict[str, bool] = {}

    def constant(self, value: ast.expr, within: ast.ClassDef | None = None) -> bool:
        """True when evaluating it once, on import, gives what evaluating it in the function gave.

        `within` is a class that moves as a whole: what its body binds is looked at there.
        """
        if isinstance(value, ast.Constant):
            return True
        if isinstance(value, ast.UnaryOp):
            return self.constant(value.operand, within)
        if isinstance(value, ast.BinOp):
            return self.constant(value.left, within) and self.constant(value.right, within)
        if isinstance(value, ast.Tuple):
            return all(self.constant(element, within) for element in value.elts)
        if isinstance(value, ast.Attribute):
            root = root_of_chain(value)
            if root is None or self.is_local(root):
                return False
            bindings = self.scopes.module.bindings.get(root.id, [])
            return [binding.kind for binding in bindings] == [BindingKind.IMPORT] and not self._may_change(
                bindings[0], value
            )
        return isinstance(value, ast.Name) and self._constant_name(value, within)

    def _constant_name(self, value: ast.Name, within: ast.ClassDef | None) -> bool:
        scopes = self.scopes
        owner = scopes.owner(scopes.around(value), value.id)
        if owner is not None and owner.node is within:
            return True
        if self.is_local(value):
            return False
        bindings = scopes.module.bindings.get(value.id, [])
        if not bindings:
            return value.id in BUILTINS or bool(scopes.module.stars)
        if any(
            scopes.under_guard(binding.node) or scopes.loops_around(binding.node, scopes.module) for binding in bindings
        ):
            return False
        if self._is_set_in_module(value.id):
            return False
        if len(bindings) == 1:
            return bindings[0].by is scopes.module
        # `try: import a` / `except: a = None`: all of it is done before the file gets here
        here = start_of(scopes.top_statement(value))
        return all(
            binding.by is scopes.module and binding.kind is not BindingKind.DELETION and binding.done <= here
            for binding in bindings
        )

    def pure_class_value(self, value: ast.expr, within: ast.ClassDef) -> bool:
        """As `constant`, for a value in the body of a class: also functions, and fields of dataclasses."""
        if isinstance(value, ast.Lambda):
            defaults = [*value.args.defaults, *(default for default in value.args.kw_defaults if default is not None)]
            return all(self.constant(default, within) for default in defaults)
        if isinstance(value, ast.Call):
            known = origin_in(self.scopes, value.func) in libraries().pure_calls
            arguments = [*value.args, *(keyword.value for keyword in value.keywords)]
            return known and all(self.pure_class_value(argument, within) for argument in arguments)
        if isinstance(value, (ast.Compare, ast.BoolOp, ast.IfExp, ast.JoinedStr, ast.FormattedValue)):
            parts = [child for child in ast.iter_child_nodes(value) if isinstance(child, ast.expr)]
            return all(self.pure_class_value(part, within) for part in parts)
        return self.constant(value, within)

    def annotation(self, value: ast.expr) -> bool:
        """Evaluating it does nothing but name types."""
        return not any(
            isinstance(node, (ast.Call, ast.NamedExpr, ast.Await, ast.Yield, ast.Lambda)) for node in ast.walk(value)
        )

    def is_local(self, node: ast.Name) -> bool:
        """The name is no variable of the module."""
        owner = self.scopes.owner(self.scopes.around(node), node.id)
        return owner is not None and (owner.is_local or owner.kind is ScopeKind.CLASS)

    # what modules give

    def is_stored(self, attribute: str) -> bool:
        """Some file of the project sets such an attribute."""
        if attribute not in self._stored:
            name = re.escape(attribute)
            pattern = re.compile(
                rf"\.{name}\s*(?::[^=\n]+)?(?:=(?!=)|[-+*/%&|^@]=|//=|\*\*=)|setattr\([^)]{{0,999}}[\"']{name}[\"']"
            )
            self._stored[attribute] = any(self.project.matching(pattern, word=attribute))
        return self._stored[attribute]

    def _is_set_in_module(self, name: str) -> bool:
        """Some file may set the variable `name` of this module: `loaders.PAD = 11`, after an import of it."""
        if name not in self._set:
            repo = Repo(self.project)
            stores = (
                (outline, node)
                for outline in repo.mentioning(name)
                for node in outline.attributes.get(name, ())
                if isinstance(node.ctx, ast.Store)
            )
            self._set[name] = any(
                (root := root_of_chain(node)) is None or root.id in outline.imported for outline, node in stores
            ) or written_by_name(self.project, repo, name, _is_no_module)
        return self._set[name]

    def _may_change(self, binding: Binding, value: ast.Attribute) -> bool:
        """`module.value` may be another thing later: something sets it, or the module binds it again."""
        if not isinstance(binding.statement, (ast.Import, ast.ImportFrom)):
            return True
        path = self.file_of(binding)
        if path is not None and self._is_set_by_text(path, value.attr):
            return True
        return self.is_stored(value.attr) or self._is_rebound(path, value.attr)

    def _is_set_by_text(self, path: str, name: str) -> bool:
        """The module may set any of its globals (`globals().update(values)`), or another file any of its attributes."""
        source = self.project.source(path)
        if source is not None and _SETS_GLOBALS.search(source.text) is not None:
            return True
        return written_by_name(self.project, Repo(self.project), name, _is_no_module)

    def _is_rebound(self, path: str | None, name: str) -> bool:
        module = self.project.module(path) if path is not None else None
        if module is None:
            return False
        bindings = scopes_of(module).module.bindings.get(name, [])
        return len(bindings) > 1 or any(binding.kind in CHANGING for binding in bindings)

    def value_may_change(self, variable: Variable) -> bool:
        """`from m import name` in a function takes the value of that moment: it may be another one later."""
        binding = variable.bindings[0]
        if not isinstance(binding.statement, ast.ImportFrom) or not isinstance(binding.node, ast.alias):
            return False
        name, path = binding.node.name, self.file_of(binding)
        if self.is_stored(name) or (path is not None and self._is_set_by_text(path, name)):
            return True
        module = self.project.module(path) if path is not None else None
        if module is not None:
            bindings = scopes_of(module).module.bindings.get(name, [])
            return any(binding.kind not in LASTING for binding in bindings) or len(bindings) > 1
        return False

    def is_value(self, binding: Binding) -> bool:
        """`from m import name` takes a variable, class or function of a file of the project, and no module."""
        if not isinstance(binding.statement, ast.ImportFrom) or not isinstance(binding.node, ast.alias):
            return False
        name, path = binding.node.name, self.file_of(binding)
        module = self.project.module(path) if path is not None else None
        bindings = scopes_of(module).module.bindings.get(name, []) if module is not None else []
        if any(each.kind is BindingKind.IMPORT for each in bindings):
            return False
        return bool(bindings) or (module is not None and self.is_stored(name))

    def file_of(self, binding: Binding) -> str | None:
        """The file of the project that the import reads; None for what is installed."""
        statement, alias = binding.statement, binding.node
        if isinstance(statement, ast.ImportFrom):
            if statement.level:
                return self._modules.relative(self.path, statement.level, statement.module or "")
            return self._modules.absolute(self.path, statement.module or "")
        return self._modules.absolute(self.path, alias.name) if isinstance(alias, ast.alias) else None

    def cannot_fail(self, statement: ast.Import | ast.ImportFrom) -> bool:
        """The import works: of the standard library on every system and from Python 3.8 on, of the project, or of a
        package that the file imports at its top: that very module, or what is in each release of the package."""
        if isinstance(statement, ast.ImportFrom):
            if statement.level:
                return True
            given: list[tuple[str, str | None]] = [(statement.module or "", alias.name) for alias in statement.names]
        else:
            given = [(alias.name, None) for alias in statement.names]
        return all(
            module.partition(".")[0] in _IN_PYTHON
            or self._is_there(module, name)
            or self._modules.absolute(self.path, module) is not None
            for module, name in given
        )

    def _is_there(self, module: str, name: str | None) -> bool:
        """The file imports it at its top already, or its package, which has it in each release: a part of a package
        may need another one, and a name may be missing in some releases."""
        if module.partition(".")[0] not in self._imported_above:
            return False
        known = libraries().everywhere.get(module)
        if name is None:
            return known is not None or module in self._imported_above
        return f"{module}.{name}" in self._imported_above or (known is not None and name in known)

    def is_module_there(self, module: str) -> bool:
        """The module, with dots, can be used by its whole name wherever the file's first imports have run."""
        return bool(module) and self._is_there(module, None)

    def import_above(self, variable: Variable) -> Import | None:
        """The import of a function, as one at the top of the file: `from package import name`, of a name that is there
        in each release. None where that may give something else or fail, or another name is meant there."""
        binding = variable.bindings[0]
        statement, alias = binding.statement, binding.node
        if len(variable.bindings) != 1 or not isinstance(alias, ast.alias):
            return None
        if isinstance(statement, ast.Import):
            return self._package_above(variable, binding, alias)
        if not isinstance(statement, ast.ImportFrom):
            return None
        if statement.level or alias.asname or statement.module is None or self.file_of(binding) is not None:
            return None
        if self.scopes.module.bindings.get(alias.name) or self.scopes.module.stars or self.value_may_change(variable):
            return None
        module = statement.module
        if module.partition(".")[0] in _IN_PYTHON:
            works = alias.name in libraries().everywhere.get(module, ())
        else:
            # not above what is done before the package is imported: `os.environ["OMP_NUM_THREADS"] = "1"`
            works = self._is_there(module, alias.name) and module.partition(".")[0] in self._imported_first
        if not works or any(True for _ in self._modules.imported(self.path, statement)):
            return None
        return Import(self.path, statement.module, alias.name, early=True)

    def _package_above(self, variable: Variable, binding: Binding, alias: ast.alias) -> Import | None:
        """The same of `import torch`, where the first imports of the file have a part of that package."""
        if alias.asname or "." in alias.name or self.file_of(binding) is not None:
            return None
        if self.scopes.module.bindings.get(alias.name) or self.scopes.module.stars or self.value_may_change(variable):
            return None
        is_there = alias.name in self._imported_first and alias.name not in _IN_PYTHON
        return Import(self.path, alias.name, early=True) if is_there else None

    def is_import_alone(self, statement: ast.Import | ast.ImportFrom) -> bool:
        """It can't fail, and what it imports only defines: it may run at another moment, or not at all."""
        files = self._modules.imported(self.path, statement)
        return self.cannot_fail(statement) and all(
            only_defines(self.project, self._modules, path, self.cannot_fail) for path in files
        )

    @cached_property
    def _imported_above(self) -> frozenset[str]:
        """Packages that the file imports at its top, whatever happens; the modules and names in them, with dots."""
        found: set[str] = set()
        for statement in self.scopes.tree.body:
            if isinstance(statement, ast.Import):
                found |= {alias.name for alias in statement.names}
            elif isinstance(statement, ast.ImportFrom) and not statement.level and statement.module:
                found |= {statement.module, *(f"{statement.module}.{alias.name}" for alias in statement.names)}
        parts = (name.split(".") for name in found)
        return frozenset(".".join(each[:end]) for each in parts for end in range(1, len(each) + 1))

    @cached_property
    def _imported_first(self) -> frozenset[str]:
        """Packages that the file imports before it does anything else, also before files of the project do."""
        found: set[str] = set()
        for statement in self.scopes.tree.body[ast.get_docstring(self.scopes.tree) is not None :]:
            if not isinstance(statement, (ast.Import, ast.ImportFrom)):
                break
            if any(True for _ in self._modules.imported(self.path, statement)):
                break
            if isinstance(statement, ast.Import):
                found |= {alias.name.partition(".")[0] for alias in statement.names}
            elif statement.module:
                found.add(statement.module.partition(".")[0])
        return frozenset(found)

    @cached_property
    def _modules(self) -> Modules:
        return Modules(self.project.python_paths)

    # decorators

    def pure_decorator(self, decorator: ast.expr, known: frozenset[str]) -> bool:
        """Decorating once, on import, is the same: it is one of `known`, or only wraps its argument."""
        called = decorator.func if isinstance(decorator, ast.Call) else decorator
        if isinstance(decorator, ast.Call):
            arguments = [*decorator.args, *(keyword.value for keyword in decorator.keywords)]
            if not all(self.constant(argument) for argument in arguments):
                return False
        if origin_in(self.scopes, called) in known or last_name(called) in known:
            return True
        return not isinstance(decorator, ast.Call) and self._only_wraps(called)

    def _only_wraps(self, decorator: ast.expr) -> bool:
        """A function of this module that does nothing but define a wrapper with `functools.wraps`, and give it back."""
        if not isinstance(decorator, ast.Name):
            return False
        bindings = self.scopes.module.bindings.get(decorator.id, [])
        node = bindings[0].node if len(bindings) == 1 else None
        if not isinstance(node, ast.FunctionDef):
            return False
        if self.scopes.owner(self.scopes.around(decorator), decorator.id) is not self.scopes.module:
            return False
        body = node.body[ast.get_docstring(node) is not None :]
        inner = [inner for inner in ast.walk(node) if isinstance(inner, (*FUNCTIONS, ast.ClassDef))][1:]
        plain = len(body) == 2 and isinstance(body[0], ast.FunctionDef) and isinstance(body[1], ast.Return)
        ours = {item.name for item in inner} | {argument.arg for argument in node.args.args}
        marks = (
            inner
            for inner in ast.walk(node)
            if isinstance(inner, ast.Attribute)
            and not isinstance(inner.ctx, ast.Load)
            and isinstance(inner.value, ast.Name)
            and inner.value.id in ours
        )
        return (
            plain
            and all(any("wraps(" in ast.unparse(d) for d in getattr(item, "decorator_list", ())) for item in inner)
            and not any(item.args.defaults for item in inner if isinstance(item, FUNCTIONS))
            and next(marks, None) is None
        )


def _is_no_module(outline: Outline, target: ast.expr) -> bool:
    """It is surely no module: neither imported, nor one of `sys.modules`."""
    if isinstance(target, ast.Name):
        return target.id not in outline.imported and not any(
            binding.value is not None and "sys.modules" in ast.unparse(binding.value)
            for binding in outline.lookup(target, target.id)[1]
        )
    imported = {alias.name for node in outline.of_kind(ast.Import) for alias in node.names}
    return dotted(target) not in imported and "sys.modules" not in ast.unparse(target)


def origin_in(scopes: Scopes, base: ast.expr) -> str:
    """The dotted name of what the file imports at its top; any other expression as it is written."""
    if isinstance(base, ast.Subscript):
        base = base.value
    tail: list[str] = []
    root = base
    while isinstance(root, ast.Attribute):
        tail.insert(0, root.attr)
        root = root.value
    if not isinstance(root, ast.Name):
        return ast.unparse(base)
    found = scopes.module.bindings.get(root.id, [])
    if len(found) != 1 or found[0].kind is not BindingKind.IMPORT or not isinstance(found[0].node, ast.alias):
        return ast.unparse(base)
    alias, statement = found[0].node, found[0].statement
    if isinstance(statement, ast.ImportFrom):
        return ".".join(["." * statement.level + (statement.module or ""), alias.name, *tail])
    return ".".join([alias.name if alias.asname else root.id, *tail])
