"""The definition at its new place: its text, with what it names there, above all that needs it."""

from __future__ import annotations

import ast
from bisect import bisect_right
from collections.abc import Sequence

from ....finding import Edit, Import, Refused
from ....nodes import end_line
from ....syntax import assigned as definite
from ....syntax.binding_rules import BUILTINS, FUNCTIONS, ScopeKind
from ....syntax.placement import (
    blank_lines_below,
    end_of_line,
    indentation_at,
    last_line,
    place_above,
)
from ....syntax.scope_data import Scope, Use, end_of, line_of, start_of
from ..candidate import Unit
from ..checks.copied import shared_copies
from ..file_state import FileRewrite, Move, takes_any
from ..removed_apis import removed_api
from .callable_class import constructor_edits, object_class, object_edits
from .def_text import comments_above, lambda_as_def, within
from .moved_text import moved
from .old_place import call_edit
from .parameter_types import said_type


def arrive(rewrite: FileRewrite, moves: dict[Unit, Move], imports: list[Import]) -> list[Edit]:
    """The new definitions, those for one place together."""
    places: dict[tuple[int, int, int], list[str]] = {}  # by offset, blank lines to add, those between (0: a method)
    for unit, move in moves.items():
        if move.is_repeated:
            continue
        inner = _inner_edits(rewrite, move, moves, imports)
        gap = 0
        if move.method is not None:
            maker = _last_accessor(rewrite, move.method)
            last = last_line(rewrite.source, maker)
            is_end = rewrite.scopes.block_of(maker)[-1] is maker
            offset, missing = (
                end_of_line(rewrite.source, last),
                int(not is_end and not blank_lines_below(rewrite.source, last)),
            )
            indent = indentation_at(rewrite.source, maker.lineno)
        else:
            line = place_above(rewrite.source, rewrite.scopes, unit.node)
            if line <= _header_end(rewrite):
                raise Refused(
                    "it shares its line with the docstring or a `__future__` import: put it on one of its own"
                )
            gap = rewrite.gap_at(line)
            offset, missing = rewrite.source.line_starts[line - 1], rewrite.missing_above(line, gap)
            indent = ""
            _check_order(rewrite, unit, offset)
        text = _definition(rewrite, move, inner, indent)
        text = within(text, rewrite.width, rewrite.indent_unit) if move.leading else text
        text = comments_above(text, rewrite.width, rewrite.source.text)
        places.setdefault((offset, missing, gap), []).append(text)
    edits = []
    for (offset, missing, gap), texts in places.items():
        if not gap:
            text = "".join(f"\n\n{text}" for text in texts) + "\n" * missing
            text = text[missing:] if offset in rewrite.padded else text
        else:
            lead = "" if offset in rewrite.padded else "\n" * missing
            text = lead + "".join(text + "\n" * (gap + 1) for text in texts)
        rewrite.padded.add(offset)
        edits.append(Edit(rewrite.path, offset, offset, text))
    return edits


def _inner_edits(rewrite: FileRewrite, move: Move, moves: dict[Unit, Move], imports: list[Import]) -> list[Edit]:
    """Changes inside a body that moves: new names of the functions that move too, attributes as arguments."""
    unit = move.unit
    edits = [_without_decorator(rewrite, each) for each in unit.applied]
    if move.is_object:
        edits += [rewrite.replace(default, move.unset) for default in unit.default_nodes.values()]
        return [*edits, *object_edits(rewrite.scopes, rewrite.source, unit, move.kept)]
    if isinstance(unit.node, ast.ClassDef) and (unit.captures or unit.fields):
        edits += constructor_edits(rewrite.scopes, rewrite.source, unit, move.kept, rewrite.indent_unit)
    for variable, uses in unit.uses.items():
        other = moves[unit.functions[variable]]
        for use in uses:
            if other.base == use.name and not other.arguments and not other.unit.frozen:
                continue
            called = rewrite.scopes.parents[use.node]
            if other.is_distinct and not (isinstance(called, ast.Call) and called.func is use.node):
                raise Refused(f"{other.unit.label} is used as a value in code that moves (line {line_of(use.node)})")
            edits.append(_inner_edit(rewrite, use, other, imports))
    for name, default in unit.default_nodes.items():
        edits.append(rewrite.replace(default, "None"))
        assert name in unit.frozen
    unsaid = move.unsaid or {}
    edits += [
        rewrite.rename(use, unsaid[variable.name])
        for variable, captured in unit.captures.items()
        if variable.name in unsaid
        for use in captured
    ]
    split = [use for variable, uses in unit.captures.items() if variable.name in move.parts for use in uses]
    for use in [*(unit.self_uses if move.attributes else ()), *split]:
        parent = rewrite.scopes.parents[use.node]
        assert isinstance(parent, ast.Attribute)
        edits.append(_without_owner(rewrite, use, parent, unsaid.get(parent.attr, parent.attr)))
    return edits


def _without_decorator(rewrite: FileRewrite, decorator: ast.expr) -> Edit:
    """The decorator goes, with its line; a comment behind it stays."""
    source, text = rewrite.source, rewrite.source.text
    start = source.line_starts[decorator.lineno - 1]
    sign, behind = source.offset(*start_of(decorator)), source.offset(*end_of(decorator))
    end = source.line_starts[end_line(decorator)]  # a definition follows
    comment = text[behind:end].strip()
    indent = indentation_at(source, decorator.lineno)
    if text[start:sign].strip() != "@" or comment[:1] not in ("", "#"):
        raise Refused(f"its decorator `@{ast.unparse(decorator)}` is not laid out as usual: write it on one line")
    return Edit(rewrite.path, start, end, f"{indent}{comment}\n" if comment else "")


def _without_owner(rewrite: FileRewrite, use: Use, attribute: ast.Attribute, text: str) -> Edit:
    """`text`, the name of a parameter, in place of `self.attribute`."""
    if not any(isinstance(above, ast.JoinedStr) for above in rewrite.scopes.ancestors(use.node)):
        edit = rewrite.replace(attribute, text)
        if rewrite.source.text[edit.start - 3 : edit.start] == "[: " and rewrite.source.text[edit.end] == "]":
            return Edit(rewrite.path, edit.start - 1, edit.end, edit.text)  # as formatters write a slice up to a name
        return edit
    edit, name = rewrite.rename(use, text), f".{attribute.attr}"
    if rewrite.source.text[edit.end : edit.end + len(name)] != name:
        raise Refused(f"`{use.name}{name}` is used inside an f-string (line {line_of(use.node)}): take it out of that")
    return Edit(rewrite.path, edit.start, edit.end + len(name), text)


def _inner_edit(rewrite: FileRewrite, use: Use, other: Move, imports: list[Import]) -> Edit:
    if other.unit.frozen or other.attributes:
        raise Refused(f"{other.unit.label}, which it uses, takes values from its place: pass them as arguments")
    edit, call = rewrite.rename(use, other.base), rewrite.scopes.parents[use.node]
    if not other.captures and not other.unit.fields:
        return edit
    if other.unit.fields:
        raise Refused(f"{other.unit.label}, which it uses, takes values from its place: pass them as arguments")
    if isinstance(call, ast.Call) and call.func is use.node and rewrite.source.text[edit.end : edit.end + 1] == "(":
        return call_edit(rewrite, use, other)
    return rewrite.rename(use, rewrite.partial(other.base, other.arguments, use.node, imports))


def _header_end(rewrite: FileRewrite) -> int:
    """The last line of the module's docstring and `__future__` imports, 0 without any."""
    body = rewrite.scopes.tree.body
    at = int(ast.get_docstring(rewrite.scopes.tree) is not None)
    while at < len(body) and getattr(body[at], "module", "") == "__future__":  # nothing else may stand before them
        at += 1
    return end_line(body[at - 1]) if at else 0


def _last_accessor(rewrite: FileRewrite, method: tuple[Scope, str, ast.ClassDef]) -> ast.stmt:
    """The method, or the setter and deleter that follow it when it is a property."""
    maker = method[0].node
    assert isinstance(maker, FUNCTIONS)
    block = rewrite.scopes.block_of(maker)
    at: ast.stmt = maker
    for after in block[block.index(maker) + 1 :]:
        if not (isinstance(after, FUNCTIONS) and after.name == maker.name):
            break
        at = after
    return at


def _definition(rewrite: FileRewrite, move: Move, inner: Sequence[Edit], indent: str) -> str:
    node, imports = move.unit.node, _joined([text for _, text in sorted(move.unit.imports.items())])
    has_slash = takes_any(node) if move.is_object else "/" in move.leading
    if has_slash and move.is_object and rewrite.old_python is not None:
        has_slash = rewrite.is_keyword("self")  # the one name that it can take from a call
    if has_slash and rewrite.old_python is not None:
        raise Refused(
            "as it takes any keyword, what it captures would have to be positional-only (`/`), and "
            f"{rewrite.old_python} names a Python older than 3.8: "
            "pass the values as arguments, or write a class with `__call__`"
        )
    if move.is_object:
        step, called, unit = rewrite.indent_unit, move.called, move.unit
        text = object_class(
            rewrite.source, unit, move.name, called, move.kept, inner, step, imports, move.is_bare, has_slash,
            move.documented, move.unset,
        )  # fmt: skip
        return text + shared_copies(move.shared_by, step)
    if isinstance(node, ast.Lambda):
        leading = _annotated(move)
        return lambda_as_def(rewrite.source, node, move.name, leading, inner, indent, rewrite.indent_unit, imports)
    leading = [] if isinstance(node, ast.ClassDef) else _annotated(move)
    return moved(rewrite.source, node, move.name, leading, inner, indent, imports)


def _annotated(move: Move) -> list[str]:
    """The parameters that come first; what was a parameter of the function around is said to be of the same type.

    That is for types that mean the same everywhere, see `said_type`.
    """
    types = {
        variable.name: said
        for variable in move.unit.captures
        if not move.parts.get(variable.name) and (said := said_type(variable)) is not None
    }
    types.update({new: types[name] for name, new in (move.unsaid or {}).items() if name in types})
    return [f"{name}: {types[name]}" if name in types else name for name in move.leading]


def _joined(imports: Sequence[str]) -> list[str]:
    """Imports from one module that follow each other are one statement, as they were."""
    found: list[str] = []
    for text in imports:
        module, word, name = text.partition(" import ")
        if found and module.startswith("from ") and found[-1].startswith(module + word):
            found[-1] += f", {name}"
        else:
            found.append(text)
    return found


def _check_order(rewrite: FileRewrite, unit: Unit, offset: int) -> None:
    """What the definition needs when it runs must be there by then."""
    for use in unit.at_import:
        lost = removed_api(rewrite.scopes, use)
        if lost is not None:
            what = f"`{lost}` (line {line_of(use.node)}) is gone from newer versions"
            raise Refused(f"{what}, where importing the file would fail: say what it stood for")
        bindings = rewrite.scopes.module.bindings.get(use.name, [])
        owner = rewrite.scopes.owner(use.scope, use.name)
        if owner is not None and owner.kind is ScopeKind.CLASS:
            if start_of(use.node) >= min(binding.done for binding in owner.bindings[use.name]):
                continue
            owner = rewrite.scopes.module if bindings else None  # not bound there yet: Python looks in the module
        if owner is None and use.name not in BUILTINS and not rewrite.scopes.module.stars:
            raise Refused(f"`{use.name}` (line {line_of(use.node)}) is nowhere defined in this file")
        if not bindings or owner is not rewrite.scopes.module:
            continue
        first = min(rewrite.source.offset(*binding.done) for binding in bindings)
        if first > offset:
            raise Refused(f"`{use.name}` is bound only further down (line {bindings[0].line}): move that up first")
        body = rewrite.scopes.tree.body
        before = body[: bisect_right(body, offset, key=lambda statement: rewrite.source.offset(*end_of(statement)))]
        if not definite.binds(before, use.name):
            raise Refused(
                f"`{use.name}` (line {bindings[0].line}) may not be there when the file is imported: it is bound "
                "under a condition. Move this to module level by hand, under the same condition"
            )
