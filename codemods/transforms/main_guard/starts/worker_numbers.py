"""Whether a number of workers that is written as an expression is one that starts processes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator

from ....finding import Confidence
from ....project import Project
from ....syntax.callees import Callees, method
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.repo import Repo
from .loader_values import bound_value
from .worker_settings import Settings, either, without_loaders


class WorkerNumbers:
    """Answers for one project."""

    def __init__(self, project: Project, repo: Repo, callees: Callees) -> None:
        self.project, self.repo, self.callees = project, repo, callees
        self.settings = Settings(project)

    def sure(self, outline: Outline, value: ast.expr, least: int) -> Confidence | None:
        """How sure it is that the number is at least `least`; `possible` where only an option can say so."""
        if not self._starts_none(outline, value, least):
            return Confidence.LIKELY
        names = {last_name(node) for node in ast.walk(value) if isinstance(node, (ast.Name, ast.Attribute))}
        names |= {key for node in ast.walk(value) if (key := _key(node)) is not None}
        return Confidence.POSSIBLE if any(self.settings.is_option(name) for name in sorted(names)) else None

    def _starts_none(self, outline: Outline, value: ast.expr, least: int) -> bool:
        """The number is 0 as far as is said: by an option's default, a parameter's, a setting of that name.

        Where nothing is said of what a configuration holds, it is taken for more.
        """
        while isinstance(value, ast.Call) and last_name(value.func) == "int" and len(value.args) == 1:
            value = value.args[0]
        if isinstance(value, ast.IfExp):
            return all(self._starts_none(outline, each, least) for each in (value.body, value.orelse))
        if isinstance(value, ast.BinOp) and isinstance(value.op, ast.Mult):
            return any(self._starts_none(outline, bound_value(outline, each), 0) for each in (value.left, value.right))
        few = ("0", "None", "1")[: least + 1]
        if isinstance(value, ast.Constant):
            return str(value.value) in few
        name = last_name(value) if isinstance(value, (ast.Name, ast.Attribute)) else _key(value)
        if name is None:
            return not re.search(r"cpu_count|[1-9]", ast.unparse(value))
        source = self.project.source(outline.path)
        assert source is not None
        option = re.search(rf"['\"]--?{either(name)}['\"][^)]{{0,999}}\bdefault\s*=\s*(\w+|\S)", source.text)
        if option:
            return option[1] in few
        text = without_loaders(source.text)
        plain = set(re.findall(rf"\b{re.escape(name)}['\"]?\s*(?::\s*\w+\s*)?[=:]\s*(\d+)", text))
        if plain and plain.isdisjoint(few):
            return False
        if isinstance(value, ast.Attribute) and self._set_by_keyword(name):
            return False
        if plain:
            return True
        if isinstance(value, ast.Attribute) and not outline.is_self(value.value) and self.settings.option_is_more(name):
            return False  # of parsed arguments: what parameters of that name are by default says nothing of it
        said = self.settings.nonzero(name)
        return not said if said is not None else isinstance(value, ast.Name)  # else a configuration that lies elsewhere

    def _set_by_keyword(self, name: str) -> bool:
        """A class sets `name` to 0, but takes any attribute as a keyword, and every call says another number."""
        for source in self.project.matching(re.compile(rf"^[ \t]+{name}\b[^=\n]*=[ \t]*0\b", re.MULTILINE), word=name):
            outline = self.repo.outline(source.path)
            for owner in outline.module.body if outline is not None else ():
                if not (isinstance(owner, ast.ClassDef) and _sets(owner, name) and _takes_any(owner)):
                    continue
                said = list(self._said(owner, name))
                if said and all(isinstance(value, ast.Constant) and value.value for value in said):
                    return True
        return False

    def _said(self, owner: ast.ClassDef, name: str) -> Iterator[ast.expr]:
        """The values of the argument `name` of calls of the class, in the whole repository."""
        for path in self.project.with_words((owner.name,)):
            outline = self.repo.outline(path)
            for calls in outline.calls.values() if outline is not None else ():
                for call in calls:
                    given = [keyword.value for keyword in call.keywords if keyword.arg == name]
                    made = self.callees.made_class(outline, call) if given and outline is not None else None
                    if made is not None and made[1] is owner:
                        yield from given


def _sets(owner: ast.ClassDef, name: str) -> bool:
    """The class body gives `name` a value."""
    return any(
        isinstance(target, ast.Name) and target.id == name
        for statement in owner.body
        if isinstance(statement, (ast.Assign, ast.AnnAssign))
        for target in (statement.targets if isinstance(statement, ast.Assign) else [statement.target])
    )


def _takes_any(owner: ast.ClassDef) -> bool:
    """`__init__(self, **kwargs)` sets an attribute for each keyword."""
    initialiser = method(owner, "__init__")
    if initialiser is None or initialiser.args.kwarg is None:
        return False
    named = [*initialiser.args.posonlyargs, *initialiser.args.args]
    me = named[0].arg if named else "self"
    texts = [ast.unparse(node) for node in ast.walk(initialiser) if isinstance(node, ast.Call)]
    return any(text.startswith((f"setattr({me},", f"{me}.__dict__.update(")) for text in texts)


def _key(value: ast.AST) -> str | None:
    """`num_workers` of `config["num_workers"]`."""
    key = value.slice if isinstance(value, ast.Subscript) else None
    return key.value if isinstance(key, ast.Constant) and isinstance(key.value, str) else None
