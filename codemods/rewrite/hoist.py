"""Moves lambdas, nested functions and local classes to where pickle finds them: the module, or the class as methods.

`plan_hoist` answers for every target of one file with a `Fix` or a `Refusal`. Functions that name each other move
together in one fix; a group that can't move whole stays whole.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from ..finding import Edit, Fix, Import
from ..project import Project
from . import definite
from .callables import (
    constructor_edits,
    is_attribute,
    keeps_state,
    object_class,
    object_edits,
    why_no_arguments,
    why_no_object,
)
from .captured import Captured
from .definitions import Unwritable, lambda_as_def, within
from .gone import gone
from .handover import CALLABLE, Handover, Known, Stay, Unknown, outside_uses
from .idle import idle_imports
from .names import Names, home_name, private_name, role, snake
from .placement import (
    blank_lines_above,
    blank_lines_below,
    end_of_line,
    first_attached_line,
    indentation_at,
    indentation_unit,
    last_line,
    place_above,
    removal,
    usual_gap,
)
from .scopes import BUILTINS, FUNCTIONS, FunctionNode, Kind, Scope, Scopes, Use, Variable, end_of, line_of, start_of
from .shapes import known_shape, spelled
from .units import SEES_NAMES, Movable, Unit, Units, is_after

_NO_CALL = re.compile(r"(?:[=,(\[{:]|\b(?:return|else|if|in|or|and|yield|not))\s*\Z")
_NOQA = re.compile(r"#\s*(?:noqa|ruff:|flake8:|pylint:|pragma:)", re.IGNORECASE)
_NO_LAMBDA = re.compile(r"#\s*noqa\s*:\s*E731\s*\Z", re.IGNORECASE)  # "do not assign a lambda"


class Target(NamedTuple):
    """A lambda, function or class by its `ast` position."""

    kind: str  # lambda | function | class
    line: int
    column: int
    boundary: str = ""  # what pickles it, where that is known


@dataclass(frozen=True)
class Refusal:
    """Why a target stays where it is, in words that say what a person could do."""

    reason: str


def every_target(module: ast.Module) -> dict[Target, ast.Lambda | FunctionNode | ast.ClassDef]:
    """All code of a module that pickle can't name: lambdas, functions and classes inside functions, but no methods."""
    found: dict[Target, ast.Lambda | FunctionNode | ast.ClassDef] = {}
    todo: list[tuple[ast.AST, bool]] = [(module, False)]
    while todo:
        node, is_local = todo.pop()
        for child in ast.iter_child_nodes(node):
            if isinstance(child, ast.Lambda):
                found[Target("lambda", child.lineno, child.col_offset)] = child
            elif isinstance(child, (*FUNCTIONS, ast.ClassDef)) and is_local and not isinstance(node, ast.ClassDef):
                kind = "class" if isinstance(child, ast.ClassDef) else "function"
                found[Target(kind, child.lineno, child.col_offset)] = child
            todo.append((child, is_local or isinstance(child, (ast.Lambda, *FUNCTIONS))))
    return dict(sorted(found.items(), key=lambda item: item[0][1:]))


def plan_hoist(
    project: Project, path: str, targets: Iterable[Target], known: Known | None = None
) -> dict[Target, Fix | Refusal]:
    """For each target of the file, the fix that makes it picklable or why there is none."""
    module = project.module(path)
    if module is None:
        return {target: Refusal("the file can't be parsed") for target in targets}
    planner = _Planner(project, path, module, known or Unknown())
    return planner.plan(list(dict.fromkeys(targets)))


@dataclass(eq=False)
class _Move:
    """How one unit leaves: its new name, what it is called by, and what is handed over."""

    unit: Unit
    name: str = ""
    method: tuple[Scope, str, ast.ClassDef] | None = None
    attributes: tuple[str, ...] = ()  # of self, handed over one by one instead of self
    captures: tuple[str, ...] = ()
    keeps_name: bool = False
    is_repeated: bool = False  # another one of the group is the same code under this name
    is_object: bool = False  # a class with `__call__` instead of a function
    kept: dict[str, str] = field(default_factory=dict)  # captured value -> attribute of the object that keeps it
    called: str | None = None  # its `__name__`, where somebody reads that

    @property
    def base(self) -> str:
        return f"{self.method[1]}.{self.name}" if self.method else self.name

    @property
    def arguments(self) -> list[str]:
        me = self.unit.own_self[1] if self.unit.own_self else "self"
        return [f"{me}.{each}" for each in self.attributes] + list(self.captures)

    @property
    def leading(self) -> list[str]:
        own = [self.method[1]] if self.method else []
        given = [*self.attributes, *self.captures]
        node = self.unit.node
        # a caller's keyword of the same name belongs to `**kwargs`, as before
        takes_any = not isinstance(node, ast.ClassDef) and node.args.kwarg is not None and not node.args.posonlyargs
        return [*own, *given, *(["/"] if takes_any and given else [])]


class _Planner:
    def __init__(self, project: Project, path: str, module: ast.Module, known: Known) -> None:
        source = project.source(path)
        assert source is not None
        self.path, self.source = path, source
        # lines that we write are no longer than this, where they can be broken
        self.width = max(88, min(120, max(map(len, source.text.splitlines()), default=0)))
        self.unsafe_too = project.settings.unsafe_fixes
        self.scopes = Scopes(module)
        self.units = Units(self.scopes)
        self.names = Names(project, path, self.scopes)
        self.indent_unit = indentation_unit(source, module)
        self.gap = usual_gap(source, module)
        self.boundaries: dict[ast.AST, str] = {}  # what pickles a node, as far as that is known
        self.handover = Handover(project, source, self.scopes, known)
        self.known = known
        self.captured = Captured(self.handover.repo, path, self.scopes)
        self.padded: set[int] = set()  # offsets that got their blank lines
        self.room_below: dict[int, int] = {}  # blank lines that a fix adds below a line

    # from targets to groups
    def plan(self, targets: Sequence[Target]) -> dict[Target, Fix | Refusal]:
        kinds = {"lambda": (ast.Lambda,), "function": FUNCTIONS, "class": (ast.ClassDef,)}
        nodes = {
            (type(node), *start_of(node)): node
            for node in ast.walk(self.scopes.tree)
            if isinstance(node, (ast.Lambda, *FUNCTIONS, ast.ClassDef))
        }
        answers: dict[Target, Fix | Refusal] = {}
        wanted: dict[Target, Movable] = {}
        for target in targets:
            found = [nodes[key] for kind in kinds[target.kind] if (key := (kind, target.line, target.column)) in nodes]
            if found:
                wanted[target] = found[0]
                self.boundaries[found[0]] = target.boundary
            else:
                answers[target] = Refusal("the code at this place can't be found again")
        simple: dict[ast.AST, Fix] = {}
        for target, node in sorted(wanted.items(), key=lambda item: item[0][1:]):
            outer = next((simple[above] for above in self.scopes.ancestors(node) if above in simple), None)
            fix = outer or self._simple(node)
            if fix is not None:
                answers[target] = simple[node] = fix
        moving = {target: self.units.of(node) for target, node in wanted.items() if target not in answers}
        for target, unit in moving.items():
            if unit.refusal is not None:
                answers[target] = Refusal(unit.refusal)
        good = {target: unit for target, unit in moving.items() if target not in answers}
        postponed: dict[Target, ast.AST] = {}
        going = {
            each.node for unit in good.values() if self._may_go(unit) for each in self.units.needed(unit)
        }  # what stands in them moves along, and is looked at again when it has
        for target, unit in good.items():
            around = [above for above in self.scopes.ancestors(unit.node) if above in going]
            if around:
                postponed[target] = around[-1]
        by_node: dict[ast.AST, Fix | Refusal] = {}
        for group in self._groups([unit for target, unit in good.items() if target not in postponed]):
            answer = self._group(group, good.values())
            by_node.update({unit.node: answer for unit in group})
        for target, unit in good.items():
            answers[target] = by_node.get(postponed.get(target, unit.node)) or Refusal(
                "it moves with the function around it"
            )
        return answers

    def _may_go(self, unit: Unit) -> bool:
        return self.unsafe_too or not any(each.snapshots for each in self.units.needed(unit))

    def _groups(self, units: Iterable[Unit]) -> list[list[Unit]]:
        """Units that share a needed unit, with those; each in source order."""
        groups: list[list[Unit]] = []
        for unit in units:
            group = self.units.needed(unit)
            for other in [each for each in groups if any(self._go_together(one, two) for one in each for two in group)]:
                groups.remove(other)
                group = other + [member for member in group if member not in other]
            groups.append(group)
        ordered = [sorted(group, key=lambda unit: start_of(unit.node)) for group in groups]
        return sorted(ordered, key=lambda group: start_of(group[0].node))

    def _go_together(self, one: Unit, two: Unit) -> bool:
        return one is two or (self._signature(one) is not None and self._signature(one) == self._signature(two))

    def _signature(self, unit: Unit) -> tuple[object, ...] | None:
        """Equal for lambdas that one function can stand for: the same code for the same role, made at one place."""
        if not isinstance(unit.node, ast.Lambda) or unit.functions or unit.own_self or unit.frozen or unit.refusal:
            return None
        edit = self._replace(unit.node, "")
        if "#" in self.source.text[edit.start : edit.end]:
            return None  # its comments are its own
        name = private_name(home_name(self.scopes, unit.node), role(self.scopes, unit.node))
        read = (tuple(variable.name for variable in unit.captures), tuple(unit.imports.values()))
        return ast.dump(unit.node), name, self.scopes.top_statement(unit.node).lineno, read

    # one target alone
    def _simple(self, node: Movable) -> Fix | None:
        """A standard-library name instead of a lambda, or `f = lambda` written as `def f` where it is."""
        if not isinstance(node, ast.Lambda) or any(isinstance(a, ast.JoinedStr) for a in self.scopes.ancestors(node)):
            return None
        known = known_shape(self.scopes, self.source, node, self.names.is_defined)
        if known is not None:
            return Fix(f"say `{known[0]}` instead of the lambda", (self._replace_lambda(node, known[0]),), known[1])
        return self._def_in_place(node)

    def _def_in_place(self, node: ast.Lambda) -> Fix | None:
        scopes = self.scopes
        statement = scopes.parents[node]
        if not (isinstance(statement, ast.Assign) and len(statement.targets) == 1):
            return None
        target, scope = statement.targets[0], scopes.around(node)
        if not isinstance(target, ast.Name) or scope.kind not in (Kind.MODULE, Kind.CLASS):
            return None
        at: Scope | None = scope
        while at is not None:
            if at.is_local:
                return None
            at = at.parent
        if len(scope.bindings[target.id]) != 1 or not self._alone(statement) or "# type:" in self._line_end(statement):
            return None
        unit = self.units.of(node)
        if (
            unit.refusal is not None
            or unit.captures
            or unit.frozen
            or (scopes.under_guard(node) and scope.kind is Kind.MODULE)
        ):
            return None
        indent = indentation_at(self.source, statement.lineno)
        try:
            text = lambda_as_def(self.source, node, target.id, [], [], indent, self.indent_unit)
        except Unwritable:
            return None
        top = isinstance(scopes.parents[statement], ast.Module)
        gap = self.gap if top else 1
        block = scopes.block_of(statement)
        line, last = first_attached_line(self.source, statement), statement.end_lineno or statement.lineno
        edits: list[Edit] = []
        missing = self._missing_above(line, gap)
        if missing and (top or block[0] is not statement):
            start = self.source.line_starts[line - 1]
            edits.append(Edit(self.path, start, start, "\n" * missing))
        start = self.source.line_starts[statement.lineno - 1]
        tail = self._line_end(statement).strip()
        if _NOQA.match(tail):
            head, colon, rest = text.partition(":\n")
            text = text if _NO_LAMBDA.match(tail) else f"{head}{colon[:1]}  {tail}\n{rest}"
        elif tail:
            text = f"{indent}{tail}\n{text}"
        end = end_of_line(self.source, last)
        below = blank_lines_below(self.source, last)
        room = max(0, gap - below) if block[-1] is not statement else 0
        self.room_below[last] = room
        edits.append(Edit(self.path, start, end, text + "\n" * room))
        return Fix(f"write `{target.id}` as a function", tuple(edits))

    def _missing_above(self, line: int, gap: int) -> int:
        """Blank lines to add above a line, those counted in that another fix adds there."""
        above = blank_lines_above(self.source, line)
        return max(0, gap - above - self.room_below.get(line - 1 - above, 0))

    def _alone(self, statement: ast.stmt) -> bool:
        start, end = self.source.offset(*start_of(statement)), self.source.offset(*end_of(statement))
        before = self.source.text[self.source.line_starts[statement.lineno - 1] : start]
        after = self.source.text[end : end_of_line(self.source, statement.end_lineno or statement.lineno)].strip()
        return not before.strip() and (not after or after.startswith("#"))

    def _line_end(self, statement: ast.stmt) -> str:
        """What follows the statement on its last line: a comment, as a rule."""
        end = self.source.offset(*end_of(statement))
        return self.source.text[end : end_of_line(self.source, statement.end_lineno or statement.lineno)]

    # one group
    def _group(self, group: list[Unit], moving: Iterable[Unit]) -> Fix | Refusal:
        try:
            moves = self._moves(group)
            edits: list[Edit] = []
            imports: list[Import] = []
            for unit in group:
                edits += self._leave(moves[unit], moves, imports)
            edits += self._arrive(moves, imports)
            edits += idle_imports(self.scopes, self.source, group, moving)
        except (Stay, Unwritable) as stay:
            return Refusal(str(stay))
        unsafe = "; ".join(dict.fromkeys(why for unit in group for why in unit.snapshots)) or None
        titles = [f"{unit.label} as `{moves[unit].base}`" for unit in group]
        where = "the class" if any(move.method for move in moves.values()) else "module level"
        title = f"move {', '.join(titles)} to {where}"
        heavy = [
            what for unit in group for what in self.known.carried(self.path, *start_of(unit.node)) if unit.captures
        ]
        if heavy:
            title += f"; each worker gets a copy of {' and of '.join(dict.fromkeys(heavy))}"
        return Fix(title, tuple(_merged(edits)), tuple(dict.fromkeys(imports)), unsafe)

    def _moves(self, group: list[Unit]) -> dict[Unit, _Move]:
        captures: dict[Unit, dict[Variable, None]] = {unit: dict.fromkeys(unit.captures) for unit in group}
        selves = {unit: unit.own_self for unit in group}
        changed = True
        while changed:
            changed = False
            for unit in group:
                for needed in unit.functions.values():
                    if needed is unit:
                        continue
                    for variable in captures[needed]:
                        if variable not in captures[unit]:
                            why = self.scopes.why_not_once(variable, unit.node)
                            if why is not None:
                                raise Stay(f"{needed.label}, which it uses, needs a variable: {why}")
                            self._check_reach(unit, needed, variable)
                            captures[unit][variable] = None
                            changed = True
                    if selves[needed] is not None and selves[unit] is None:
                        if self.scopes.method_self(unit.node) != selves[needed]:
                            raise Stay(f"{needed.label}, which it uses, belongs to another method's object")
                        selves[unit] = selves[needed]
                        changed = True
        moves: dict[Unit, _Move] = {}
        for unit in group:
            for variable in captures[unit]:
                why = self.captured.why_not(variable, unit, group, self.boundaries.get(unit.node, ""))
                if why is not None:
                    raise Stay(why)
            move = moves[unit] = _Move(unit, captures=tuple(variable.name for variable in captures[unit]))
            if isinstance(unit.node, ast.ClassDef) and (captures[unit] or selves[unit]):
                self._check_constructor(unit, captures[unit])
            elif keeps_state(self.scopes, unit):
                self._as_object(move, len(group) == 1, "attributes are set on it, which a worker does not see")
            self._choose_home(move, selves[unit], alone=len(group) == 1)
        for unit in group:
            self._name(moves[unit], moves)
            if moves[unit].arguments or unit.frozen or moves[unit].method:
                self.handover.check_binding(unit)
            self.handover.check_calls(unit)
            self.handover.check_bases(unit, moves[unit].name)
            self._check_identity(moves[unit], len(group) == 1)
        return moves

    def _check_identity(self, move: _Move, alone: bool) -> None:
        """Raises Stay where something would miss what it asks the function for, its name apart if that can be kept."""
        unit = move.unit
        is_renamed = not isinstance(unit.node, ast.Lambda) and move.name != unit.node.name
        form = "object" if move.is_object else "partial" if move.arguments or unit.frozen else "function"
        asks_name = self.handover.check_identity(unit, form, is_renamed)
        if asks_name is not None and isinstance(unit.node, FUNCTIONS) and move.method is None:
            if not move.is_object:
                self._as_object(move, alone, asks_name)
                move.name = self._class_name(unit.node)
            move.called = unit.node.name
        elif asks_name is not None:
            raise Stay(f"{asks_name}: {CALLABLE}")

    def _as_object(self, move: _Move, alone: bool, because: str) -> None:
        why = why_no_object(self.scopes, move.unit) if alone else "other functions that move use it"
        if why is not None:
            raise Stay(f"{because}, and {why}: {CALLABLE}")
        move.is_object = True

    def _check_constructor(self, unit: Unit, captures: Iterable[Variable]) -> None:
        name = next((variable.name for variable in captures), "self")
        if set(captures) == set(unit.captures):
            why = why_no_arguments(self.scopes, unit, captures)
        else:
            why = "a function that it uses reads that"
        if why is not None:
            what = f"{unit.label} reads `{name}` of the function around it"
            raise Stay(f"{what}: pass that to its constructor ({why})")

    def _attribute_names(self, move: _Move) -> dict[str, str]:
        """What captured values are called on the object that keeps them; no other attribute has the name."""
        found = {}
        for name in move.captures:
            taken = name.startswith("__") or is_attribute(self.scopes, name) or self.handover.is_set_elsewhere(name)
            found[name] = self.names.fresh_attribute("_" + name.lstrip("_")) if taken else name
        return found

    def _check_reach(self, unit: Unit, needed: Unit, variable: Variable) -> None:
        """Where `unit` names `needed`, the name of a variable that `needed` captures means that variable."""
        for own, uses in unit.uses.items():
            if unit.functions[own] is needed and any(
                self.scopes.owner(use.scope, variable.name) is not variable.scope for use in uses
            ):
                raise Stay(
                    f"{needed.label}, which it uses, reads another `{variable.name}` than its own: rename one of them"
                )

    def _choose_home(self, move: _Move, me: tuple[Scope, str, ast.ClassDef] | None, alone: bool) -> None:
        unit = move.unit
        if me is None:
            if unit.mangled:
                raise Stay("it uses a name with two leading underscores, which its class changes: rename that")
            return
        why = self.handover.why_no_method(me)
        if why is None:
            move.method = me
            return
        if unit.mangled or not alone or unit.own_self is None:
            raise Stay(why)
        move.attributes = self.handover.attributes(unit, me, why)

    # names
    def _name(self, move: _Move, moves: dict[Unit, _Move]) -> None:
        unit = move.unit
        node, home = unit.node, home_name(self.scopes, unit.node)
        if move.method is not None:
            maker = move.method[0].node
            own = maker.name.strip("_") if isinstance(maker, FUNCTIONS) and not maker.name.startswith("__") else ""
            if not own and move.method[2].bases:
                own = move.method[2].name  # `_apply` could be a method of a base class that is not ours to see
            what = role(self.scopes, node) if isinstance(node, ast.Lambda) else snake(node.name)
            move.name = self.names.fresh_attribute(private_name(snake(own), what))
            return
        if isinstance(node, ast.Lambda):
            if move.is_object:
                what = "".join(word.capitalize() for word in private_name(home, role(self.scopes, node)).split("_"))
                move.name = self.names.fresh("_" + what)
                return
            signature = self._signature(unit)
            twins = (each for other, each in moves.items() if each.name and self._signature(other) == signature)
            twin = next(twins, None) if signature is not None else None
            if twin is not None:
                move.name, move.is_repeated = twin.name, True
                return
            move.name = self._fitting(private_name(home, role(self.scopes, node)), role(self.scopes, node), node)
            return
        movable = unit.variable is not None and self._can_vanish(unit)
        if (
            movable
            and not move.is_object
            and not move.arguments
            and not unit.frozen
            and self.names.keeps(node.name, unit.home)
        ):
            move.keeps_name = True
            move.name = self.names.keep(node.name)
        elif isinstance(node, ast.ClassDef) or move.is_object:
            move.name = self._class_name(node)
        else:
            own = node.name.lstrip("_")
            move.name = self._fitting(private_name(home, own), own, *(use.node for use in outside_uses(unit, moves)))

    def _may_spell(self, calls: Sequence[Use], move: _Move) -> bool:
        """Each call may name the class and give it the captured values: there are few, and their lines stay short."""
        more = len(", ".join([move.base, *move.arguments]))
        lines = [line_of(use.node) for use in calls]
        longest = max((len(self.source.line_text(line)) + more * lines.count(line) for line in lines), default=0)
        return len(lines) <= 2 and longest <= self.width

    def _fitting(self, wanted: str, short: str, *places: ast.expr) -> str:
        """The name wanted; `_short` when that is free and a line at `places` would get too long otherwise."""
        for place in places:
            line = self.source.line_text(line_of(place))
            own = 0 if place.end_lineno != place.lineno else (place.end_col_offset or 0) - place.col_offset
            if len(line) - own + len(wanted) > self.width and self.names.is_free("_" + short):
                return self.names.fresh("_" + short)
        return self.names.fresh(wanted)

    def _class_name(self, node: FunctionNode | ast.ClassDef) -> str:
        prefix = "".join(word.capitalize() for word in home_name(self.scopes, node).split("_"))
        own = node.name.lstrip("_")
        words = [own] if isinstance(node, ast.ClassDef) else own.split("_")
        return self.names.fresh(f"_{prefix}{''.join(word[:1].upper() + word[1:] for word in words)}")

    def _can_vanish(self, unit: Unit) -> bool:
        """The definition may go without leaving an assignment: its block has something else."""
        assert isinstance(unit.node, ast.stmt)
        block = self.scopes.block_of(unit.node)
        others = [each for each in block if each is not unit.node and not self._moves_too(each)]
        return bool(others)

    def _moves_too(self, statement: ast.stmt) -> bool:
        unit = self.units.all.get(statement)
        return unit is not None and unit.refusal is None

    # edits
    def _replace(self, node: ast.AST, text: str) -> Edit:
        return Edit(self.path, self.source.offset(*start_of(node)), self.source.offset(*end_of(node)), text)

    def _replace_lambda(self, node: ast.Lambda, text: str) -> Edit:
        """`text` instead of the lambda and of parentheses that were there for its sake."""
        edit, source = self._replace(node, text), self.source.text
        start, end = edit.start, edit.end
        while source[start - 1 : start] == "(" and source[end : end + 1] == ")":
            if source[start - 2 : start - 1].isalnum() or not _NO_CALL.search(source, max(0, start - 40), start - 1):
                break
            start, end = start - 1, end + 1
        return Edit(self.path, start, end, text)

    def _made(self, move: _Move, imports: list[Import]) -> str:
        """The expression that stands for the function where it was made."""
        if move.is_object:
            return f"{move.base}({', '.join(move.arguments)})"
        arguments = [*move.arguments, *(f"{name}={value}" for name, value in move.unit.frozen.items())]
        return self._partial(move, move.base, arguments, move.unit.node, imports) if arguments else move.base

    def _partial(self, move: _Move, base: str, arguments: Sequence[str], node: ast.AST, imports: list[Import]) -> str:
        found = spelled(self.scopes, self.path, node, "functools", "partial")
        if found is None:
            raise Stay("`functools` is something else in this file: pass the values as arguments")
        imports += found[1]
        return f"{found[0]}({', '.join([base, *arguments])})"

    def _leave(self, move: _Move, moves: dict[Unit, _Move], imports: list[Import]) -> list[Edit]:
        """What happens at the place that the unit leaves, and to the code there that names it."""
        unit = move.unit
        node = unit.node
        if isinstance(node, ast.Lambda):
            if any(
                isinstance(above, ast.stmt) and self._is_moving(above, moves) for above in self.scopes.ancestors(node)
            ):
                raise Stay("it moves with the function around it")
            if move.arguments and not unit.frozen and self._is_given_to_partial(node):
                return [self._replace_lambda(node, ", ".join([move.base, *move.arguments]))]
            return [self._replace_lambda(node, self._made(move, imports))]
        uses = outside_uses(unit, moves)
        seen_by_name = self._is_seen_by_name(unit)
        if unit.variable is not None and not move.is_object and self._can_vanish(unit):
            if isinstance(node, ast.ClassDef) and move.arguments and not seen_by_name and self._may_spell(uses, move):
                return [self._removal(node), *(self._call_edit(use, move) for use in uses)]
            if move.keeps_name or (not uses and not seen_by_name):
                return [self._removal(node)]
            plain = not move.arguments and not unit.frozen and not seen_by_name and len(uses) <= 8
            if plain and all(self._can_rename(use, move) for use in uses):
                return [self._removal(node), *(self._replace(use.node, move.base) for use in uses)]
        made = self._made(move, imports)
        first, last = first_attached_line(self.source, node), last_line(self.source, node)
        start, end = self.source.line_starts[first - 1], end_of_line(self.source, last)
        indent = indentation_at(self.source, node.lineno)
        text = f"{indent}{node.name} = {made}"
        if len(text) > self.width and made.endswith(")"):
            function, _, arguments = made[:-1].partition("(")
            inner = indent + self.indent_unit
            lines = [f"{indent}{node.name} = {function}(", *(f"{inner}{each}," for each in arguments.split(", "))]
            text = "\n".join([*lines, f"{indent})"])
        return [Edit(self.path, start, end, text)]

    def _is_given_to_partial(self, node: ast.Lambda) -> bool:
        """The lambda is what a `functools.partial(...)` wraps: that can take the captured values as well."""
        call = self.scopes.parents[node]
        if not (isinstance(call, ast.Call) and call.args and call.args[0] is node):
            return False
        found = spelled(self.scopes, self.path, node, "functools", "partial")
        return found is not None and not found[1] and ast.unparse(call.func) == found[0]

    def _is_moving(self, node: ast.AST, moves: dict[Unit, _Move]) -> bool:
        return any(unit.node is node for unit in moves)

    def _removal(self, node: ast.stmt) -> Edit:
        start, end = removal(self.source, self.scopes, node)
        return Edit(self.path, start, end, "")

    def _is_seen_by_name(self, unit: Unit) -> bool:
        """An `eval` and the like could find the local name."""
        assert unit.variable is not None or not isinstance(unit.node, ast.Lambda)
        for use in self.scopes.uses:
            if use.name in SEES_NAMES and self.scopes.owner(use.scope, use.name) is None:
                scope: Scope | None = use.scope
                while scope is not None and scope is not unit.home:
                    scope = scope.parent
                if scope is unit.home and is_after(self.scopes, use, unit.node, unit.home):
                    return True
        return False

    def _can_rename(self, use: Use, move: _Move) -> bool:
        if any(isinstance(above, ast.JoinedStr) for above in self.scopes.ancestors(use.node)):
            return False
        if move.method is None:
            return True
        return self.scopes.owner(use.scope, move.method[1]) is move.method[0]

    def _inner_edits(self, move: _Move, moves: dict[Unit, _Move], imports: list[Import]) -> list[Edit]:
        """Changes inside a body that moves: new names of the functions that move too, attributes as arguments."""
        edits: list[Edit] = []
        unit = move.unit
        if move.is_object:
            return object_edits(self.scopes, self.source, unit, move.kept)
        if isinstance(unit.node, ast.ClassDef) and unit.captures:
            edits += constructor_edits(self.scopes, self.source, unit, move.kept, self.indent_unit)
        for variable, uses in unit.uses.items():
            other = moves[unit.functions[variable]]
            for use in uses:
                if other.base == use.name and not other.arguments and not other.unit.frozen:
                    continue
                self._not_in_fstring(use)
                edits.append(self._inner_edit(use, other, imports))
        for name, default in unit.default_nodes.items():
            edits.append(self._replace(default, "None"))
            assert name in unit.frozen
        if move.attributes:
            for use in unit.self_uses:
                self._not_in_fstring(use)
                parent = self.scopes.parents[use.node]
                assert isinstance(parent, ast.Attribute)
                edits.append(self._replace(parent, parent.attr))
        return edits

    def _inner_edit(self, use: Use, other: _Move, imports: list[Import]) -> Edit:
        if other.unit.frozen or other.attributes:
            raise Stay(f"{other.unit.label}, which it uses, takes values from its place: pass them as arguments")
        if not other.captures:
            return self._replace(use.node, other.base)
        call = self.scopes.parents[use.node]
        end = self.source.offset(*end_of(use.node))
        if isinstance(call, ast.Call) and call.func is use.node and self.source.text[end : end + 1] == "(":
            return self._call_edit(use, other)
        return self._replace(use.node, self._partial(other, other.base, other.captures, use.node, imports))

    def _call_edit(self, use: Use, other: _Move) -> Edit:
        """A call of what `use` names gets the captured values first."""
        call, end = self.scopes.parents[use.node], self.source.offset(*end_of(use.node))
        assert isinstance(call, ast.Call)
        if self.source.text[end : end + 1] != "(" or any(
            isinstance(above, ast.JoinedStr) for above in self.scopes.ancestors(use.node)
        ):
            raise Stay(f"`{use.name}` is called in an unusual way (line {line_of(use.node)}): write `{use.name}(...)`")
        given = ", ".join(other.captures) + (", " if call.args or call.keywords else "")
        return Edit(self.path, self.source.offset(*start_of(use.node)), end + 1, f"{other.base}({given}")

    def _not_in_fstring(self, use: Use) -> None:
        if any(isinstance(above, ast.JoinedStr) for above in self.scopes.ancestors(use.node)):
            raise Stay(
                f"`{use.name}` is used inside an f-string (line {line_of(use.node)}): take it out of the string first"
            )

    def _arrive(self, moves: dict[Unit, _Move], imports: list[Import]) -> list[Edit]:
        """The new definitions, those for one place together."""
        places: dict[tuple[int, int, bool], list[str]] = {}
        for unit, move in moves.items():
            if move.is_repeated:
                continue
            if move.is_object or isinstance(unit.node, ast.ClassDef):
                move.kept = self._attribute_names(move)
            inner = self._inner_edits(move, moves, imports)
            if move.method is not None:
                maker = self._last_accessor(move.method)
                last = last_line(self.source, maker)
                is_end = self.scopes.block_of(maker)[-1] is maker
                offset, missing = (
                    end_of_line(self.source, last),
                    int(not is_end and not blank_lines_below(self.source, last)),
                )
                indent = indentation_at(self.source, maker.lineno)
            else:
                line = place_above(self.source, self.scopes, unit.node)
                if line <= self._header_end():
                    raise Stay(
                        "it shares its line with the docstring or a `__future__` import: put it on one of its own"
                    )
                offset, missing = self.source.line_starts[line - 1], self._missing_above(line, self.gap)
                indent = ""
                self._check_order(unit, offset)
            text = self._definition(move, inner, indent)
            text = within(text, self.width, self.indent_unit) if move.leading else text
            places.setdefault((offset, missing, move.method is not None), []).append(text)
        edits = []
        for (offset, missing, is_method), texts in places.items():
            if is_method:
                text = "".join(f"\n\n{each}" for each in texts) + "\n" * missing
            else:
                lead = "" if offset in self.padded else "\n" * missing
                self.padded.add(offset)
                text = lead + "".join(each + "\n" * (self.gap + 1) for each in texts)
            edits.append(Edit(self.path, offset, offset, text))
        return edits

    def _header_end(self) -> int:
        """The last line of the module's docstring and `__future__` imports, 0 without any."""
        body = self.scopes.tree.body
        header = body[:1] if ast.get_docstring(self.scopes.tree) is not None else []
        header += [each for each in body if isinstance(each, ast.ImportFrom) and each.module == "__future__"]
        return max((each.end_lineno or 0 for each in header), default=0)

    def _last_accessor(self, method: tuple[Scope, str, ast.ClassDef]) -> ast.stmt:
        """The method, or the setter and deleter that follow it when it is a property."""
        maker = method[0].node
        assert isinstance(maker, FUNCTIONS)
        block = self.scopes.block_of(maker)
        at: ast.stmt = maker
        for after in block[block.index(maker) + 1 :]:
            if not (isinstance(after, FUNCTIONS) and after.name == maker.name):
                break
            at = after
        return at

    def _definition(self, move: _Move, inner: Sequence[Edit], indent: str) -> str:
        node, imports = move.unit.node, [text for _, text in sorted(move.unit.imports.items())]
        if move.is_object:
            step, called = self.indent_unit, move.called
            return object_class(self.source, move.unit, move.name, called, move.kept, inner, step, imports)
        if isinstance(node, ast.Lambda):
            return lambda_as_def(self.source, node, move.name, move.leading, inner, indent, self.indent_unit, imports)
        from .relocation import moved  # libcst takes long to import

        leading = [] if isinstance(node, ast.ClassDef) else move.leading
        return moved(self.source, node, move.name, leading, inner, indent, imports)

    def _check_order(self, unit: Unit, offset: int) -> None:
        """What the definition needs when it runs must be there by then."""
        for use in unit.at_import:
            lost = gone(self.scopes, use)
            if lost is not None:
                what = f"`{lost}` (line {line_of(use.node)}) is gone from newer versions"
                raise Stay(f"{what}, where importing the file would fail: say what it stood for")
            bindings = self.scopes.module.bindings.get(use.name, [])
            owner = self.scopes.owner(use.scope, use.name)
            if owner is None and use.name not in BUILTINS and not self.scopes.module.stars:
                raise Stay(f"`{use.name}` (line {line_of(use.node)}) is nowhere defined in this file")
            if not bindings or owner is not self.scopes.module:
                continue
            first = min(self.source.offset(*each.done) for each in bindings)
            if first > offset:
                raise Stay(f"`{use.name}` is bound only further down (line {bindings[0].line}): move that up first")
            body = self.scopes.tree.body
            before = [each for each in body if self.source.offset(*end_of(each)) <= offset]
            if not definite.binds(before, use.name):
                raise Stay(
                    f"`{use.name}` (line {bindings[0].line}) may not be there when the file is imported: it is bound "
                    "under a condition. Move this to module level by hand, under the same condition"
                )


def _merged(edits: Sequence[Edit]) -> list[Edit]:
    """The same edits, removals that overlap joined: neighbours that go share the blank lines between them."""
    removals: list[Edit] = []
    for edit in sorted((each for each in edits if not each.text), key=lambda each: each.start):
        if removals and edit.start < removals[-1].end:
            last = removals.pop()
            edit = Edit(edit.path, last.start, max(last.end, edit.end), "")
        removals.append(edit)
    return [each for each in edits if each.text] + removals
