"""The name that a move gives its unit: its own where that is free, else after its maker and its role."""

from __future__ import annotations

import ast
from functools import partial

from ....nodes import end_place, statements
from ....syntax.binding_rules import FUNCTIONS, FunctionNode
from ....syntax.callees import MANY_HEIRS, Callees
from ....syntax.outline import outline_of
from ....syntax.repo import Repo
from ....syntax.resolver import Class
from ....syntax.scope_data import end_of, line_of, start_of
from ..candidate import LISTS_NAMES, Movable, Unit
from ..file_state import FileRewrite, Move, Signature
from ..known import outside_uses
from ..libraries import libraries
from ..stdlib_forms import spelled
from .branch_names import VAGUE, branch_role
from .callable_class import keeps_state
from .old_place import is_seen_by_name, is_spelled_in_calls, lone_assignment
from .parameter_types import said_type
from .role_words import (
    class_of,
    describe_function,
    describe_lambda,
    holder_of,
    home_name,
    is_identity,
    is_own_attribute,
    numbers_of,
    private_name,
    role,
    snake,
    without_verb,
)

_LONGEST = 120  # a line that is shorter may have the clearer name


def same_code(rewrite: FileRewrite, one: Unit, two: Unit) -> bool:
    """True when one function can stand for both: the same code, for the same role or in the same statement."""
    first, second = _signature_of(rewrite, one), _signature_of(rewrite, two)
    if first is None or second is None or first[0] != second[0]:
        return False
    return any(here == there for here, there in zip(first[1:], second[1:], strict=True))


def ties(rewrite: FileRewrite, unit: Unit) -> list[object]:
    """What a unit has in common with those that go together with it: itself, or what makes it the `same_code`."""
    signature = _signature_of(rewrite, unit)
    if signature is None:
        return [unit]
    code, what, line = signature
    return [unit, (code, what), (code, line)]


def _signature_of(rewrite: FileRewrite, unit: Unit) -> Signature | None:
    if unit not in rewrite.signatures:
        code, scopes = _code(rewrite, unit), rewrite.scopes
        what, line = role(scopes, unit.node), scopes.top_statement(unit.node).lineno
        if is_identity(unit.node) or not isinstance(unit.node, ast.Lambda):
            what = ""  # one is enough for the whole file; a function has a name of its own
        rewrite.signatures[unit] = (code, what, line) if code is not None else None
    return rewrite.signatures[unit]


def _code(rewrite: FileRewrite, unit: Unit) -> tuple[object, ...] | None:
    """Equal where the code is, and all that it reads; None for what stays alone."""
    node = unit.node
    if isinstance(node, ast.ClassDef) or unit.functions or unit.mangled or unit.refused:
        return None
    edit = rewrite.replace(node, "")
    if "#" in rewrite.source.text[edit.start : edit.end]:
        return None  # its comments are its own
    # what is the same name for two of them is the same variable, or a value that each passes
    read = tuple(variable.name for variable in unit.captures), tuple(unit.imports.values()), unit.own_self is not None
    if isinstance(node, ast.Lambda):
        return ast.dump(node), read
    is_plain = not (node.decorator_list or keeps_state(rewrite.scopes, unit))
    return (ast.dump(node), read) if is_plain else None


def give_name(rewrite: FileRewrite, move: Move, moves: dict[Unit, Move]) -> None:
    """Names `move`, one of the group `moves`; a twin of one that has a name already is called the same."""
    unit = move.unit
    node = unit.node
    if move.method is not None:
        _name_method(rewrite, move, moves)
        return
    alike = (
        item
        for other, item in moves.items()
        if other is unit or (same_code(rewrite, unit, other) and _same_parameters(move, item))
    )
    twins: list[Move] = []
    named = ""
    for item in alike:
        if item.passes_on is None:
            twins.append(item)
            if item.name and item is not move and not move.is_object:
                named = item.name  # that is all there is to know
                break
    several = len(twins) > 1 and not move.is_object
    if named:
        move.name, move.is_repeated = named, True
    elif isinstance(node, ast.Lambda) and not several and (own := _own_name(rewrite, move, moves)):
        move.keeps_name, move.name = True, rewrite.names.keep(own)
    elif isinstance(node, ast.Lambda):
        _name_lambda(rewrite, move, node, [item.unit.node for item in twins] if several else [])
    elif not several and _keeps_name(rewrite, move, node.name, moves):
        move.keeps_name = True
        move.name = rewrite.names.keep(node.name)
    elif isinstance(node, ast.ClassDef) or move.is_object:
        move.name = class_name(rewrite, node)
    else:
        _name_function(rewrite, move, node, moves, [item.unit.node for item in twins] if several else [])


def _same_parameters(one: Move, other: Move) -> bool:
    """Both are functions of the module that take what they are given by parameters of the same names and types."""
    if one.method is not None or other.method is not None or one.leading != other.leading:
        return False
    first, second = ([said_type(variable) for variable in move.unit.captures] for move in (one, other))
    return first == second


def give_object_name(rewrite: FileRewrite, move: Move) -> None:
    """Names the class whose object stands for a function that was to become a partial."""
    if isinstance(move.unit.node, ast.Lambda):
        _name_lambda(rewrite, move, move.unit.node, [])
    else:
        move.name = class_name(rewrite, move.unit.node)


def _name_method(rewrite: FileRewrite, move: Move, moves: dict[Unit, Move]) -> None:
    """Of code that becomes a method: after the method that it comes from."""
    node = move.unit.node
    assert move.method is not None
    maker = move.method[0].node
    is_said = isinstance(maker, FUNCTIONS) and not maker.name.startswith("__")
    own = maker.name.strip("_") if isinstance(maker, FUNCTIONS) and is_said else ""
    is_kept = is_own_attribute(rewrite.scopes, node)
    own = "" if is_kept else own
    what = branch_role(
        rewrite.scopes, node, role(rewrite.scopes, node) if isinstance(node, ast.Lambda) else snake(node.name)
    )
    plain = _has_plain_bases(rewrite, move.method[2])
    if not own and not plain and what.count("_") < 2:
        own = move.method[2].name  # `_apply` could be a method of a base class that is not ours to see
    places = [node] if isinstance(node, ast.Lambda) else [use.node for use in outside_uses(move.unit, moves)]
    wanted = _spoken(rewrite, snake(own), what, plain)
    wanted = _fitting(rewrite, move, wanted, what, *places)
    owner, done = move.method[2], describe_function(node)
    instead = private_name(snake(owner.name), what) if is_kept else _after_class(owner.name, wanted)
    if rewrite.names.is_method_of(wanted, owner) and not is_kept:
        instead = f"{wanted}_{done}" if done and not wanted.endswith(f"_{done}") else ""  # both are of the class
    move.name = rewrite.names.fresh_method(wanted, move.method[2], partial(_are_apart, rewrite), instead)


def _are_apart(rewrite: FileRewrite, one: ast.ClassDef, other: ast.ClassDef) -> bool:
    """No object is of both classes of the file."""
    repo = Repo(rewrite.project)
    outline = outline_of(rewrite.project, rewrite.path)
    found = [outline.definitions.get(cls.name, ()) if outline is not None else () for cls in (one, other)]
    classes = [
        Class(outline, each[0]) for each in found if outline and len(each) == 1 and isinstance(each[0], ast.ClassDef)
    ]
    if len(classes) < 2 or one.name == other.name or repo.resolver.may_be_related(*classes):
        return False
    callees = Callees(repo, repo.resolver.modules)
    heirs = [{heir.node for heir in callees.heirs(cls)} for cls in classes]
    return all(len(each) < MANY_HEIRS for each in heirs) and heirs[0].isdisjoint(heirs[1])


def _name_lambda(rewrite: FileRewrite, move: Move, node: ast.Lambda, twins: list[Movable]) -> None:
    """By what it is for and what it does. `twins`: all that become one function with it, where there are several."""
    home, what = home_name(rewrite.scopes, node), branch_role(rewrite.scopes, node, role(rewrite.scopes, node))
    done = describe_lambda(node)
    if move.is_object:
        wanted, done = _camel(_made_name(rewrite, home, what)), _camel(done)
        move.name = rewrite.names.fresh(wanted, f"{wanted}{done[1:]}" if done != "_" else "")
        return
    if is_identity(node):
        known = _known_identity(rewrite, node)
        if known is not None or ((twins or what == "identity") and rewrite.names.is_free("_identity")):
            move.name, move.is_repeated = known or rewrite.names.fresh("_identity"), known is not None
            return
    returned = what == "fn" and isinstance(rewrite.scopes.parents[node], ast.Return)
    wanted = _shared_name(rewrite, twins) if twins else _made_name(rewrite, home, what, returned)
    if wanted == "_" + home and rewrite.names.is_word(wanted):
        wanted = without_verb(wanted)  # `_activation_fn` for what `_get_activation_fn` gives
    wanted = _fitting(rewrite, move, wanted, what, node)
    more = numbers_of(node) if wanted.endswith(f"_{done}") else done
    instead = f"{wanted}_{more}" if more else ""
    owner = class_of(rewrite.scopes, node)
    if owner and what != "fn" and not (instead and rewrite.names.is_free(instead)):
        instead = private_name(owner, what)  # rather than a number
    if not (instead and rewrite.names.is_free(instead)) and (holder := holder_of(rewrite.scopes, node)) != what:
        instead = private_name(home, f"{holder}_{what}") if holder and done else instead  # of which list it is
    move.name = rewrite.names.fresh(wanted, instead)


def _own_name(rewrite: FileRewrite, move: Move, moves: dict[Unit, Move]) -> str:
    """The name of `name = lambda ...`, which goes as a `def` would, where that is free; "" for none."""
    unit = move.unit
    if unit.variable is None or move.is_partial or move.is_object or unit.frozen or not outside_uses(unit, moves):
        return ""
    name, statement = unit.variable.name, lone_assignment(rewrite, unit, moves)
    if statement is None or rewrite.scopes.parents[statement] is not unit.home.node:
        return ""  # where it is bound on some paths only, a use elsewhere ends in an error
    after = all(start_of(use.node) >= end_of(statement) for use in outside_uses(unit, moves))
    return name if after and rewrite.names.keeps(name, unit.home) else ""


def _keeps_name(rewrite: FileRewrite, move: Move, name: str, moves: dict[Unit, Move]) -> bool:
    """A function or class that leaves nothing behind is called as it was, where that is free."""
    unit = move.unit
    movable = unit.variable is not None and not unit.applied and rewrite.can_vanish(unit)
    movable = movable and not (name.startswith("__") and class_of(rewrite.scopes, unit.node))  # which changes it
    movable = movable and not is_seen_by_name(rewrite, unit, LISTS_NAMES)  # `locals()` has it there
    leaves = move.is_partial and not (isinstance(unit.node, ast.ClassDef) and is_spelled_in_calls(rewrite, move, moves))
    return movable and not move.is_object and not leaves and rewrite.names.keeps(name, unit.home)


def _name_function(
    rewrite: FileRewrite, move: Move, node: FunctionNode, moves: dict[Unit, Move], twins: list[Movable]
) -> None:
    """`twins`: all that become one function with it, where there are several."""
    unit = move.unit
    own = node.name.lstrip("_")
    renamed = [] if move.is_partial else outside_uses(unit, moves)
    what = own if twins else branch_role(rewrite.scopes, node, own)
    homes = {home_name(rewrite.scopes, twin) for twin in twins or [node]}
    spoken = _spoken(rewrite, min(homes), what) if len(homes) == 1 else _shared_name(rewrite, twins)
    spoken = "_" + what if _says_enough(rewrite, what) else spoken
    wanted = _fitting(rewrite, move, spoken, what, *(use.node for use in renamed))
    goes = rewrite.returned_name(unit) is not None and wanted == node.name and rewrite.names.keeps(wanted, unit.home)
    owner = class_of(rewrite.scopes, node)
    instead = _after_class(owner, wanted)
    if instead and not twins and not goes and _has_namesake(rewrite, node, owner):
        wanted, instead = instead, wanted  # the first of several says whose it is, as the others do
    done = describe_function(node)
    if done and not wanted.endswith(f"_{done}") and not (instead and rewrite.names.is_free(instead)):
        instead = f"{wanted}_{done}"  # rather than a number
    move.name = rewrite.names.keep(wanted) if goes else rewrite.names.fresh(wanted, instead)


def _after_class(owner: str, wanted: str) -> str:
    """`_rows_make_key` for the `_make_key` of `Rows`; "" outside of classes, and where it says so already."""
    owner = snake(owner)
    return "_" + owner + wanted if owner and not wanted.startswith("_" + owner) else ""


def _has_namesake(rewrite: FileRewrite, node: FunctionNode, owner: str) -> bool:
    """A method of another class, called as the one that makes it, makes a function of this name."""
    home = home_name(rewrite.scopes, node)
    return any(
        isinstance(other, FUNCTIONS)
        and other.name == node.name
        and class_of(rewrite.scopes, other) not in ("", owner)
        and home_name(rewrite.scopes, other) == home
        for other in statements(rewrite.scopes.tree)
    )


def _shared_name(rewrite: FileRewrite, nodes: list[Movable]) -> str:
    """What the names that each of several equal functions would have begin or end with; else what they do, or `fn`."""
    home = home_name(rewrite.scopes, nodes[0])
    what = [role(rewrite.scopes, node) if isinstance(node, ast.Lambda) else snake(node.name) for node in nodes]
    roles = set(what)
    if len(roles) == 1 and "_" in min(roles) and all(is_own_attribute(rewrite.scopes, node) for node in nodes):
        return "_" + min(roles)  # what several classes keep under one name
    own = [
        private_name(home_name(rewrite.scopes, node), its).strip("_").split("_")
        for node, its in zip(nodes, what, strict=True)
    ]
    least = min(own, key=len)
    for count in range(len(least), 0, -1):
        for part in (slice(None, count), slice(-count, None)):
            shared = "_".join(own[0][part])
            says_more = not f"{home}_".startswith(f"{shared}_")
            if says_more and all(words[part] == own[0][part] for words in own):
                return "_" + shared
    done = describe_lambda(nodes[0]) if isinstance(nodes[0], ast.Lambda) else ""
    return private_name(home, done or "fn")


def _known_identity(rewrite: FileRewrite, node: ast.Lambda) -> str | None:
    """The function of the module that does what `lambda x: x` does, where the lambda stands below it."""
    top = rewrite.scopes.top_statement(node)
    for statement in rewrite.scopes.tree.body[: rewrite.scopes.tree.body.index(top)]:
        if (
            isinstance(statement, ast.FunctionDef)
            and not statement.decorator_list
            and isinstance(statement.body[-1], ast.Return)
        ):
            said = statement.body[1:] if ast.get_docstring(statement) is not None else statement.body
            same = len(said) == 1 and ast.dump(statement.args) == ast.dump(node.args)
            if same and ast.dump(statement.body[-1]) == ast.dump(ast.Return(node.body)):
                owner = rewrite.scopes.owner(rewrite.scopes.around(node), statement.name)
                if owner is rewrite.scopes.module and len(owner.bindings[statement.name]) == 1:
                    return statement.name
    return None


def _has_plain_bases(rewrite: FileRewrite, owner: ast.ClassDef) -> bool:
    """All its bases are in the repository (where no attribute has a name that is chosen), or have no such names."""
    resolver = Repo(rewrite.project).resolver
    outline = outline_of(rewrite.project, rewrite.path)
    if outline is None or (found := outline.definitions.get(owner.name)) is None or len(found) != 1:
        return False
    (cls,) = found
    lineage = resolver.lineage(Class(outline, cls)) if isinstance(cls, ast.ClassDef) else ()
    outside = [(at.outline, base) for at in lineage for base in at.node.bases if not resolver.classes(at.outline, base)]
    return bool(lineage) and all(
        where.qualified(ast.unparse(base).partition("[")[0]) in libraries().plain_bases for where, base in outside
    )


def _made_name(rewrite: FileRewrite, home: str, what: str, is_given: bool = False) -> str:
    """`_encoder` for what `make_encoder` calls `encoder`, where that is free: the function itself makes none.

    Also where it has no name of its own and is all that its maker gives (`is_given`).
    """
    wanted = private_name(home, what)
    short = without_verb(wanted)
    merged = wanted.startswith(f"_{home}") and wanted != f"_{home}_{what}" and not what.startswith(home)
    is_vague = VAGUE.issuperset(short.strip("_").split("_"))
    return short if (merged or is_given) and not is_vague and rewrite.names.is_free(short) else wanted


def _spoken(rewrite: FileRewrite, home: str, what: str, is_short: bool = True) -> str:
    """`_encoder` for what `make_encoder` or `encoder` calls so; where the file has that, `_make_encoder`."""
    wanted = _made_name(rewrite, home, what) if is_short else private_name(home, what)
    return "_" + what if wanted == "_" + home and rewrite.names.is_word(wanted) else wanted


def _says_enough(rewrite: FileRewrite, own: str) -> bool:
    """`cleanup_worker`, which the file defines once, needs no more words; `f`, `collate` and `forward_fn` do."""
    words = [word for word in own.split("_") if word and word not in VAGUE]
    if len(words) < 2 or len(own) < 9 or not rewrite.names.is_free("_" + own):
        return False
    named = (node for node in statements(rewrite.scopes.tree) if isinstance(node, (*FUNCTIONS, ast.ClassDef)))
    return sum(node.name.strip("_") == own for node in named) == 1


def _fitting(rewrite: FileRewrite, move: Move, wanted: str, short: str, *places: ast.expr) -> str:
    """The name wanted; `_short` when that is free and a line at `places` would get too long otherwise."""
    passed = ", ".join([*move.arguments, *(f"{name}={value}" for name, value in move.unit.frozen.items())])
    found = spelled(rewrite.scopes, rewrite.path, move.unit.node, "functools", "partial")
    around = len(f"{found[0]}(, {passed})") if found is not None and move.is_partial else 0
    around += len(f"{move.method[1]}.") if move.method is not None else 0
    for place in places:
        line = rewrite.source.line_text(line_of(place))
        end = len(line) if place.end_lineno != place.lineno else end_place(place)[1]
        own = end - place.col_offset
        room = _LONGEST - (len(line) - own + around)
        if len(short) < room < len(wanted) and rewrite.names.is_free("_" + short):
            return "_" + short
    return wanted


def _camel(name: str) -> str:
    """`_GetCollateFn` for `_get_collate_fn`."""
    return "_" + "".join(word.capitalize() for word in name.split("_"))


def class_name(rewrite: FileRewrite, node: FunctionNode | ast.ClassDef) -> str:
    """`_MakeLoaderRows` for the class `Rows` (or the function `rows`) of `make_loader`."""
    home, own = home_name(rewrite.scopes, node), node.name.lstrip("_")
    if not isinstance(node, ast.ClassDef):
        words = _made_name(rewrite, home, own).split("_")
    else:
        words = [*(word.capitalize() for word in home.split("_")), own]
    return rewrite.names.fresh(f"_{''.join(word[:1].upper() + word[1:] for word in words)}")
