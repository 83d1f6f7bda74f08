"""Attributes that need not be attributes: modules and loggers kept on `self`, which have a name in the module."""

from __future__ import annotations

import ast
import re

from ...finding import Edit, Fix
from ...nodes import end_line, end_place
from ...project import Project
from ...syntax.names import root_of_chain
from ...syntax.outline import Outline
from ...syntax.unpicklable_table import kinds
from .classes import Shape, Store
from .family import Family

_REQUIRES = re.compile(
    r"(?:python_requires|requires-python)\s{0,20}=\s{0,20}[\"']?[^\"'\n]{0,80}?(?:>=|~=|==|>)\s{0,20}(\d+)\.(\d+)"
)
_CLASSIFIER = re.compile(r"Programming Language :: Python :: (\d+)\.(\d+)")
_DECLARING = re.compile(r"(?:setup\.py|setup\.cfg|pyproject\.toml)$")
_INSTALLING = re.compile(  # files that say which Python is installed, and guides with the command that does
    r"(?:^|/)(?:[^/]*[Dd]ockerfile[^/]*|(?:conda|env|environment)[^/]*\.ya?ml|\.python-version|runtime\.txt"
    r"|(?:README|INSTALL|install|getting_started)[^/]*\.md)$"
)
_INSTALLED = re.compile(
    r"(?:^FROM[ \t]+\S{0,200}?python:|^[ \t]*-[ \t]*python[ \t]*={1,2}|\bconda[ \t][^\n]{0,200}?\bpython={1,2}"
    r"|\bapt(?:-get)?[ \t][^\n]{0,200}?\bpython|^python-|\A)(\d)\.(\d+)\b",
    re.MULTILINE,
)


def counts_older(project: Project) -> bool:
    """Kinds count that only older Pythons can't pickle."""
    return any(python_below(project, kind.before) for kind in kinds().values() if kind.before is not None)


def python_below(project: Project, version: tuple[int, int]) -> bool:
    """The repository says that it runs on a Python 3 older than `version`: its packaging, at the root, says most.

    Without that, the Python that its containers, environments or guides install.
    """
    declared: list[tuple[int, int]] = []
    classified: list[tuple[int, int]] = []
    installed: list[tuple[int, int]] = []
    for path in project.paths:
        if _INSTALLING.search(path) and (guide := project.source(path)) is not None:
            installed += [(int(major), int(minor)) for major, minor in _INSTALLED.findall(guide.text)]
        if not _DECLARING.match(path):
            continue
        source = project.source(path)
        if source is not None:
            declared += [(int(major), int(minor)) for major, minor in _REQUIRES.findall(source.text)]
            classified += [(int(major), int(minor)) for major, minor in _CLASSIFIER.findall(source.text)]
    return any((3, 0) <= item < version for item in declared or classified or installed)


def by_its_name(family: Family, shape: Shape, store: Store) -> Fix | None:
    """`self.np = np` goes, and `self.np.x` becomes `np.x`; None where not every use can be seen to mean that.

    `self.logger = logging.getLogger("x")` moves up to the module first, unless that has such a logger already.
    """
    outline = shape.outline
    statement, name = store.statement, store.target.attr
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1 or statement.targets[0] is not store.target:
        return None
    if len(family.hierarchy(shape)) != 1:
        return None
    edits: list[Edit] = []
    if isinstance(store.value, ast.Call):
        module_name = _logger_of_the_module(family, shape, store.value, edits)
    else:
        module_name = _constant_of_the_module(outline, store.value)
    if module_name is None:
        return None
    if len(shape.stores(name)) != 1 or len(shape.block(statement)) < 2:
        return None
    source = family.repo.project.source(outline.path)
    assert source is not None
    line = source.line_text(statement.lineno)
    if line[: statement.col_offset].strip() or statement.end_lineno != statement.lineno or ";" in line:
        return None
    for _, node in shape.selves[name]:
        if node is store.target:
            continue
        if not isinstance(outline.lookup(node, module_name)[0], ast.Module):
            return None
        start = source.offset(node.lineno, node.col_offset)
        end = source.offset(*end_place(node))
        edits.append(Edit(outline.path, start, end, module_name))
    if _read_elsewhere(family, shape, name):
        return None
    last = statement.lineno == len(source.line_starts)
    end = len(source.text) if last else source.line_starts[statement.lineno]
    edits.append(Edit(outline.path, source.line_starts[statement.lineno - 1], end, ""))
    return Fix(f"Say `{module_name}` instead of `self.{name}`", tuple(sorted(edits, key=lambda edit: edit.start)))


def _constant_of_the_module(outline: Outline, value: ast.expr | None) -> str | None:
    """The name `value`, when the module binds it once or imports it, at its top level."""
    if not isinstance(value, ast.Name):
        return None
    scope, _ = outline.lookup(value, value.id)
    bindings = outline.bindings(scope, value.id)  # also those further down
    imports = all(isinstance(binding.statement, (ast.Import, ast.ImportFrom)) for binding in bindings)
    top = all(outline.parents[binding.statement] is outline.module for binding in bindings)
    changed = value.id in outline.made_global
    return (
        value.id if isinstance(scope, ast.Module) and top and (imports or len(bindings) == 1) and not changed else None
    )


def _logger_of_the_module(family: Family, shape: Shape, call: ast.Call, edits: list[Edit]) -> str | None:
    """The module's name for what `logging.getLogger("x")` gives; `edits` make one if there is none."""
    outline = shape.outline
    root, origin = root_of_chain(call.func), ast.unparse(call.func)
    if root is not None:
        origin = outline.imported.get(root.id, root.id) + origin.removeprefix(root.id)
    plain = all(isinstance(argument, ast.Constant) or ast.unparse(argument) == "__name__" for argument in call.args)
    if origin != "logging.getLogger" or not plain or call.keywords:
        return None
    wanted, imports = ast.dump(call), []
    for statement in outline.module.body:
        if (
            isinstance(statement, ast.Assign)
            and ast.dump(statement.value) == wanted
            and isinstance(statement.targets[0], ast.Name)
        ):
            return _constant_of_the_module(outline, statement.targets[0])
        if isinstance(statement, (ast.Import, ast.ImportFrom)) and statement.lineno < shape.node.lineno:
            imports.append(statement)
    taken = {node.id for node in outline.nodes if isinstance(node, ast.Name)}
    taken |= {node.arg for node in outline.nodes if isinstance(node, ast.arg)} | outline.imported.keys()
    name = next((item for item in ("logger", "_logger") if item not in taken), None)
    if name is None or not isinstance(root, ast.Name) or not imports:
        return None
    first = [statement for statement in imports if root.id in [alias.asname or alias.name for alias in statement.names]]
    source = family.repo.project.source(outline.path)
    last = end_line(imports[-1])
    if not first or source is None or ";" in source.line_text(last):
        return None
    end = source.offset(last, 0) + len(source.line_text(last))
    text = source.text[source.offset(call.lineno, call.col_offset) : source.offset(*end_place(call))]
    edits.append(Edit(outline.path, end, end, f"\n\n{name} = {text}"))
    return name


def _read_elsewhere(family: Family, shape: Shape, name: str) -> bool:
    """Files that know the class may ask its objects for the attribute."""
    own = {id(node) for _, node in shape.selves[name]}
    known = {id(outline) for outline in family.repo.mentioning(shape.node.name)}
    for outline in family.repo.mentioning(name):
        if id(outline) not in known:
            continue
        for inner in outline.nodes:
            of_other = isinstance(inner, ast.Attribute) and inner.attr == name and id(inner) not in own
            if of_other and not outline.is_self(inner.value):  # type: ignore[attr-defined]
                return True
            if isinstance(inner, ast.Constant) and inner.value == name:
                return True
    return False
