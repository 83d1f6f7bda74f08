"""The definition at its new place: its text, with what it names there, above all that needs it."""

from __future__ import annotations

import ast
from collections.abc import Sequence

from ...finding import Edit, Import
from ...syntax import assigned as definite
from ...syntax.placement import (
    blank_lines_below,
    end_of_line,
    indentation_at,
    last_line,
    place_above,
)
from ...syntax.scopes import (
    BUILTINS,
    FUNCTIONS,
    Kind,
    Scope,
    Use,
    end_of,
    line_of,
    start_of,
)
from .callable_class import constructor_edits, object_class, object_edits
from .candidate import Unit
from .checks import Stay
from .def_text import lambda_as_def, within
from .file_state import Move, Page, takes_any
from .old_place import call_edit
from .removed_apis import gone


def arrive(page: Page, moves: dict[Unit, Move], imports: list[Import]) -> list[Edit]:
    """The new definitions, those for one place together."""
    places: dict[tuple[int, int, int], list[str]] = {}  # by offset, blank lines to add, those between (0: a method)
    for unit, move in moves.items():
        if move.is_repeated:
            continue
        inner = _inner_edits(page, move, moves, imports)
        gap = 0
        if move.method is not None:
            maker = _last_accessor(page, move.method)
            last = last_line(page.source, maker)
            is_end = page.scopes.block_of(maker)[-1] is maker
            offset, missing = (
                end_of_line(page.source, last),
                int(not is_end and not blank_lines_below(page.source, last)),
            )
            indent = indentation_at(page.source, maker.lineno)
        else:
            line = place_above(page.source, page.scopes, unit.node)
            if line <= _header_end(page):
                raise Stay("it shares its line with the docstring or a `__future__` import: put it on one of its own")
            gap = page.gap_at(line)
            offset, missing = page.source.line_starts[line - 1], page.missing_above(line, gap)
            indent = ""
            _check_order(page, unit, offset)
        text = _definition(page, move, inner, indent)
        text = within(text, page.width, page.indent_unit) if move.leading else text
        places.setdefault((offset, missing, gap), []).append(text)
    edits = []
    for (offset, missing, gap), texts in places.items():
        if not gap:
            text = "".join(f"\n\n{each}" for each in texts) + "\n" * missing
            text = text[missing:] if offset in page.padded else text
        else:
            lead = "" if offset in page.padded else "\n" * missing
            text = lead + "".join(each + "\n" * (gap + 1) for each in texts)
        page.padded.add(offset)
        edits.append(Edit(page.path, offset, offset, text))
    return edits


def _inner_edits(page: Page, move: Move, moves: dict[Unit, Move], imports: list[Import]) -> list[Edit]:
    """Changes inside a body that moves: new names of the functions that move too, attributes as arguments."""
    edits: list[Edit] = []
    unit = move.unit
    if move.is_object:
        return object_edits(page.scopes, page.source, unit, move.kept)
    if isinstance(unit.node, ast.ClassDef) and unit.captures:
        edits += constructor_edits(page.scopes, page.source, unit, move.kept, page.indent_unit)
    for variable, uses in unit.uses.items():
        other = moves[unit.functions[variable]]
        for use in uses:
            if other.base == use.name and not other.arguments and not other.unit.frozen:
                continue
            edits.append(_inner_edit(page, use, other, imports))
    for name, default in unit.default_nodes.items():
        edits.append(page.replace(default, "None"))
        assert name in unit.frozen
    if move.attributes:
        for use in unit.self_uses:
            parent = page.scopes.parents[use.node]
            assert isinstance(parent, ast.Attribute)
            edits.append(_without_self(page, use, parent))
    return edits


def _without_self(page: Page, use: Use, attribute: ast.Attribute) -> Edit:
    if not any(isinstance(above, ast.JoinedStr) for above in page.scopes.ancestors(use.node)):
        return page.replace(attribute, attribute.attr)
    edit, name = page.rename(use, attribute.attr), f".{attribute.attr}"
    if page.source.text[edit.end : edit.end + len(name)] != name:
        raise Stay(f"`{use.name}{name}` is used inside an f-string (line {line_of(use.node)}): take it out of that")
    return Edit(page.path, edit.start, edit.end + len(name), attribute.attr)


def _inner_edit(page: Page, use: Use, other: Move, imports: list[Import]) -> Edit:
    if other.unit.frozen or other.attributes:
        raise Stay(f"{other.unit.label}, which it uses, takes values from its place: pass them as arguments")
    edit, call = page.rename(use, other.base), page.scopes.parents[use.node]
    if not other.captures:
        return edit
    if isinstance(call, ast.Call) and call.func is use.node and page.source.text[edit.end : edit.end + 1] == "(":
        return call_edit(page, use, other)
    return page.rename(use, page.partial(other.base, other.captures, use.node, imports))


def _header_end(page: Page) -> int:
    """The last line of the module's docstring and `__future__` imports, 0 without any."""
    body = page.scopes.tree.body
    header = body[:1] if ast.get_docstring(page.scopes.tree) is not None else []
    header += [each for each in body if isinstance(each, ast.ImportFrom) and each.module == "__future__"]
    return max((each.end_lineno or 0 for each in header), default=0)


def _last_accessor(page: Page, method: tuple[Scope, str, ast.ClassDef]) -> ast.stmt:
    """The method, or the setter and deleter that follow it when it is a property."""
    maker = method[0].node
    assert isinstance(maker, FUNCTIONS)
    block = page.scopes.block_of(maker)
    at: ast.stmt = maker
    for after in block[block.index(maker) + 1 :]:
        if not (isinstance(after, FUNCTIONS) and after.name == maker.name):
            break
        at = after
    return at


def _definition(page: Page, move: Move, inner: Sequence[Edit], indent: str) -> str:
    node, imports = move.unit.node, [text for _, text in sorted(move.unit.imports.items())]
    if ((move.is_object and takes_any(node)) or "/" in move.leading) and page.old_python is not None:
        raise Stay(
            "as it takes any keyword, what it captures would have to be positional-only (`/`), and "
            f"{page.old_python} names a Python older than 3.8: "
            "pass the values as arguments, or write a class with `__call__`"
        )
    if move.is_object:
        step, called = page.indent_unit, move.called
        return object_class(page.source, move.unit, move.name, called, move.kept, inner, step, imports)
    if isinstance(node, ast.Lambda):
        return lambda_as_def(page.source, node, move.name, move.leading, inner, indent, page.indent_unit, imports)
    from .moved_text import moved  # libcst takes long to import

    leading = [] if isinstance(node, ast.ClassDef) else move.leading
    return moved(page.source, node, move.name, leading, inner, indent, imports)


def _check_order(page: Page, unit: Unit, offset: int) -> None:
    """What the definition needs when it runs must be there by then."""
    for use in unit.at_import:
        lost = gone(page.scopes, use)
        if lost is not None:
            what = f"`{lost}` (line {line_of(use.node)}) is gone from newer versions"
            raise Stay(f"{what}, where importing the file would fail: say what it stood for")
        bindings = page.scopes.module.bindings.get(use.name, [])
        owner = page.scopes.owner(use.scope, use.name)
        if owner is not None and owner.kind is Kind.CLASS:
            if start_of(use.node) >= min(each.done for each in owner.bindings[use.name]):
                continue
            owner = page.scopes.module if bindings else None  # not bound there yet: Python looks in the module
        if owner is None and use.name not in BUILTINS and not page.scopes.module.stars:
            raise Stay(f"`{use.name}` (line {line_of(use.node)}) is nowhere defined in this file")
        if not bindings or owner is not page.scopes.module:
            continue
        first = min(page.source.offset(*each.done) for each in bindings)
        if first > offset:
            raise Stay(f"`{use.name}` is bound only further down (line {bindings[0].line}): move that up first")
        body = page.scopes.tree.body
        before = [each for each in body if page.source.offset(*end_of(each)) <= offset]
        if not definite.binds(before, use.name):
            raise Stay(
                f"`{use.name}` (line {bindings[0].line}) may not be there when the file is imported: it is bound "
                "under a condition. Move this to module level by hand, under the same condition"
            )
