"""The name that a move gives its unit: its own where that is free, else after its maker and its role."""

from __future__ import annotations

import ast
import re

from ...syntax.scopes import FUNCTIONS, FunctionNode, line_of
from .callable_class import keeps_state
from .candidate import Unit
from .checks import outside_uses
from .file_state import Move, Page
from .free_names import (
    class_of,
    deed,
    gives_back,
    home_name,
    private_name,
    role,
    snake,
)
from .stdlib_forms import spelled

_VERB = re.compile(r"^_(?:get|make|build|create)_(?=\w)")
_LONGEST = 120  # a line that is shorter may have the clearer name


def signature(page: Page, unit: Unit) -> tuple[object, ...] | None:
    """Equal for functions that one can stand for: the same code for the same role."""
    if unit not in page.signatures:
        page.signatures[unit] = _signature(page, unit)
    return page.signatures[unit]


def _signature(page: Page, unit: Unit) -> tuple[object, ...] | None:
    node = unit.node
    if isinstance(node, ast.ClassDef) or unit.functions or unit.own_self or unit.frozen or unit.refusal:
        return None
    edit = page.replace(node, "")
    if "#" in page.source.text[edit.start : edit.end]:
        return None  # its comments are its own
    home = home_name(page.scopes, node)
    if not isinstance(node, ast.Lambda):
        is_plain = not (node.decorator_list or unit.captures or unit.imports or keeps_state(page.scopes, unit))
        return (ast.dump(node), home) if is_plain else None
    if gives_back(node):
        return ast.dump(node), "identity"  # one is enough for the whole file
    read = (tuple(variable.name for variable in unit.captures), tuple(unit.imports.values()))
    return ast.dump(node), private_name(home, role(page.scopes, node)), page.scopes.top_statement(node).lineno, read


def give_name(page: Page, move: Move, moves: dict[Unit, Move]) -> None:
    """Names `move`, one of the group `moves`; a twin of one that has a name already is called the same."""
    unit = move.unit
    node, home = unit.node, home_name(page.scopes, unit.node)
    if move.method is not None:
        maker = move.method[0].node
        own = maker.name.strip("_") if isinstance(maker, FUNCTIONS) and not maker.name.startswith("__") else ""
        if not own and move.method[2].bases:
            own = move.method[2].name  # `_apply` could be a method of a base class that is not ours to see
        what = role(page.scopes, node) if isinstance(node, ast.Lambda) else snake(node.name)
        places = [node] if isinstance(node, ast.Lambda) else [use.node for use in outside_uses(unit, moves)]
        wanted = _spoken(page, snake(own), what)
        move.name = page.names.fresh_attribute(_fitting(page, move, wanted, what, *places))
        return
    twins = [each for other, each in moves.items() if signature(page, unit) == signature(page, other) is not None]
    several = len(twins) > 1 and not move.is_object
    named = next((each.name for each in twins if each.name), "") if several else ""
    if named:
        move.name, move.is_repeated = named, True
        return
    if isinstance(node, ast.Lambda):
        if move.is_object:
            what = "".join(word.capitalize() for word in private_name(home, role(page.scopes, node)).split("_"))
            move.name = page.names.fresh("_" + what)
            return
        what = role(page.scopes, node)
        if gives_back(node):
            known = _known_identity(page, node)
            if known is not None or ((several or what == "identity") and page.names.is_free("_identity")):
                move.name, move.is_repeated = known or page.names.fresh("_identity"), known is not None
                return
        wanted = private_name(home, what)
        if wanted == "_" + home and page.names.is_word(wanted):
            wanted = _VERB.sub("_", wanted)  # `_activation_fn` for what `_get_activation_fn` gives
        wanted = _fitting(page, move, wanted, what, node)
        done = deed(node)
        move.name = page.names.fresh(wanted, f"{wanted}_{done}" if done else "")
        return
    movable = unit.variable is not None and page.can_vanish(unit)
    if (
        movable
        and not several
        and not move.is_object
        and not move.arguments
        and not unit.frozen
        and page.names.keeps(node.name, unit.home)
    ):
        move.keeps_name = True
        move.name = page.names.keep(node.name)
    elif isinstance(node, ast.ClassDef) or move.is_object:
        move.name = class_name(page, node)
    else:
        own = node.name.lstrip("_")
        renamed = [] if move.arguments or unit.frozen else outside_uses(unit, moves)
        wanted = _fitting(page, move, _spoken(page, home, own), own, *(use.node for use in renamed))
        goes = page.given_back(unit) is not None and wanted == node.name and page.names.keeps(wanted, unit.home)
        owner = class_of(page.scopes, node)
        instead = "_" + owner + wanted if owner and not wanted.startswith("_" + owner) else ""
        move.name = page.names.keep(wanted) if goes else page.names.fresh(wanted, instead)


def _known_identity(page: Page, node: ast.Lambda) -> str | None:
    """The function of the module that does what `lambda x: x` does, where the lambda stands below it."""
    top = page.scopes.top_statement(node)
    for each in page.scopes.tree.body[: page.scopes.tree.body.index(top)]:
        if isinstance(each, ast.FunctionDef) and not each.decorator_list and isinstance(each.body[-1], ast.Return):
            said = each.body[1:] if ast.get_docstring(each) is not None else each.body
            same = len(said) == 1 and ast.dump(each.args) == ast.dump(node.args)
            if same and ast.dump(each.body[-1]) == ast.dump(ast.Return(node.body)):
                owner = page.scopes.owner(page.scopes.around(node), each.name)
                if owner is page.scopes.module and len(owner.bindings[each.name]) == 1:
                    return each.name
    return None


def _spoken(page: Page, home: str, what: str) -> str:
    """`_make_encoder` for what `make_encoder` calls `encoder`; when the file has that already, `_encoder`."""
    wanted = private_name(home, what)
    return "_" + what if wanted == "_" + home and page.names.is_word(wanted) else wanted


def _fitting(page: Page, move: Move, wanted: str, short: str, *places: ast.expr) -> str:
    """The name wanted; `_short` when that is free and a line at `places` would get too long otherwise."""
    given = ", ".join([*move.arguments, *(f"{name}={value}" for name, value in move.unit.frozen.items())])
    found = spelled(page.scopes, page.path, move.unit.node, "functools", "partial")
    around = len(f"{found[0]}(, {given})") if found is not None and given else 0
    around += len(f"{move.method[1]}.") if move.method is not None else 0
    for place in places:
        line = page.source.line_text(line_of(place))
        end = len(line) if place.end_lineno != place.lineno else place.end_col_offset or 0
        own = end - place.col_offset
        room = _LONGEST - (len(line) - own + around)
        if len(short) < room < len(wanted) and page.names.is_free("_" + short):
            return "_" + short
    return wanted


def class_name(page: Page, node: FunctionNode | ast.ClassDef) -> str:
    """`_MakeLoaderRows` for the class `Rows` (or the function `rows`) of `make_loader`."""
    prefix = "".join(word.capitalize() for word in home_name(page.scopes, node).split("_"))
    own = node.name.lstrip("_")
    words = [own] if isinstance(node, ast.ClassDef) else own.split("_")
    return page.names.fresh(f"_{prefix}{''.join(word[:1].upper() + word[1:] for word in words)}")
