"""Moves lambdas, nested functions and local classes to where pickle finds them: the module, or the class as methods.

`plan_hoist` answers for every target of one file with a `Fix` or a `Refused`. Functions that name each other move
together in one fix; a group that can't move whole stays whole.
"""

from __future__ import annotations

import ast
import re
from collections import deque
from collections.abc import Collection, Iterable, Sequence
from itertools import chain
from typing import NamedTuple

from ...finding import Answer, Edit, Fix, Import, Refused
from ...hazard_kind import HazardKind
from ...nodes import statements, walk
from ...project import Project
from ...syntax.binding_rules import FUNCTIONS
from ...syntax.name_scans import found_by_scan
from ...syntax.name_tests import Element
from ...syntax.scope_data import Variable, start_of
from ...tree.old_names import has_old_names
from .candidate import Movable, Unit, labels
from .checks.binding_checks import BindingChecks
from .checks.captures import Captured
from .checks.class_use import ClassUse
from .checks.collected import check_not_collected
from .checks.copied import differs_when_copied
from .checks.identity import check_class
from .checks.parent_settings import lost_setting
from .checks.parsed_options import ParsedOptions
from .checks.started_in_turn import iterated_in_its_turn, lives_in_its_turn, starts_in_its_turn
from .choose_form import Forms
from .file_state import FileRewrite, Move
from .forwarded import Forwards
from .known import Known, Unknown, outside_uses
from .moved_classes import MovedClasses
from .nested_factories import Unfolded, unfold
from .rewrite_in_place import in_place
from .writing.choose_name import give_name, ties
from .writing.new_place import arrive
from .writing.old_place import leave
from .writing.unused_imports import idle_imports


class Target(NamedTuple):
    """A lambda, function or class by its `ast` position."""

    kind: HazardKind  # LAMBDA, FUNCTION or CLASS
    line: int
    column: int
    boundary: str = ""  # what pickles it, where that is known
    aboard: bool = False  # an object that keeps it crosses, of the class whose code made it
    sent: int = 0  # the line of the file that sends it, 0 where another file does


def plan_hoist(
    project: Project, path: str, targets: Iterable[Target], known: Known | None = None
) -> dict[Target, Answer]:
    """For each target of the file, the fix that makes it picklable or why there is none."""
    module = project.module(path)
    if module is None:
        return {target: Refused("the file can't be parsed") for target in targets}
    planner = _Planner(project, path, module, known or Unknown())
    return planner.plan(list(dict.fromkeys(targets)))


_NODES: dict[HazardKind, tuple[type[ast.AST], ...]] = {
    HazardKind.LAMBDA: (ast.Lambda,),
    HazardKind.FUNCTION: FUNCTIONS,
    HazardKind.CLASS: (ast.ClassDef,),
}
_LINE = re.compile(r"\(line \d+\)")
_USED_UP = re.compile(r"Pool\(\)\.(?:map|starmap|apply)$")  # they wait until the workers are done


class _Planner:
    def __init__(self, project: Project, path: str, module: ast.Module, known: Known) -> None:
        self.rewrite = rewrite = FileRewrite(project, path, module)
        self.unsafe_too = project.settings.unsafe_fixes
        self.boundaries: dict[ast.AST, str] = {}  # what pickles a node, as far as that is known
        self.sent: dict[ast.AST, int] = {}  # the line that sends a node
        self.aboard: set[ast.AST] = set()  # nodes that cross with the object that keeps them
        self.unfolded: dict[ast.AST, Unfolded] = {}  # by the inner factory of a nest
        self.known = known
        self.binding = BindingChecks(project, path, rewrite.scopes, known)
        class_use = ClassUse(project, path, rewrite.scopes, rewrite.units.settled, self.binding.repo)
        self.forms = Forms(project, rewrite, known, class_use, self.boundaries, self.aboard)
        self.options = ParsedOptions(project, self.binding.repo, path, rewrite.scopes)
        self.forwards = Forwards(self.binding.repo, rewrite, known, self.options)
        self.captured = Captured(self.binding.repo, path, rewrite.scopes)
        self.moved_classes = MovedClasses(rewrite, self.captured)

    # from targets to groups
    def plan(self, targets: Sequence[Target]) -> dict[Target, Answer]:
        """The answer for each target."""
        answers: dict[Target, Answer] = {}
        wanted = self._found(targets, answers)
        self._settle_in_place(wanted, answers)
        good: dict[Target, Unit] = {}
        for target, node in wanted.items():
            if target not in answers:
                unit = self.rewrite.units.of(node)
                if unit.refused is not None:
                    answers[target] = self._strongest(unit, unit.refused)
                else:
                    good[target] = unit
        postponed = self._postponed(good)
        by_node = self._settle_groups([unit for target, unit in good.items() if target not in postponed], good.values())
        for target, unit in good.items():
            answers[target] = by_node.get(postponed.get(target, unit.node)) or Refused(
                "it moves with the function around it"
            )
        return answers

    def _found(self, targets: Iterable[Target], answers: dict[Target, Answer]) -> dict[Target, Movable]:
        """The code of each target; refused where it is not there."""
        targets = [*targets]
        look = walk if any(target.kind is HazardKind.LAMBDA for target in targets) else statements
        nodes = {
            (type(node), *start_of(node)): node
            for node in look(self.rewrite.scopes.tree)
            if isinstance(node, (ast.Lambda, *FUNCTIONS, ast.ClassDef))
        }
        wanted: dict[Target, Movable] = {}
        for target in targets:
            found = [nodes[key] for kind in _NODES[target.kind] if (key := (kind, target.line, target.column)) in nodes]
            if found and has_old_names(found[0]):
                answers[target] = Refused(
                    "`async` or `await` is a name in it, which Python 3.7 refuses: rename it first"
                )
            elif found:
                wanted[target] = found[0]
                self.boundaries[found[0]] = target.boundary
                self.sent[found[0]] = target.sent
                if target.aboard:
                    self.aboard.add(found[0])
            else:
                answers[target] = Refused("the code at this place can't be found again")
        return wanted

    def _settle_in_place(self, wanted: dict[Target, Movable], answers: dict[Target, Answer]) -> None:
        """Answer those that need not move; of a nest of factories, the inner one is wanted from now on."""
        simple: dict[ast.AST, Fix] = {}
        for target, node in sorted(wanted.items(), key=lambda item: item[0][1:]):
            outer = next((simple[above] for above in self.rewrite.scopes.ancestors(node) if above in simple), None)
            try:
                fix = outer or in_place(self.rewrite, node, self.known)
            except Refused as refused:
                answers[target] = refused.alone()
                continue
            if fix is not None:
                try:
                    self._check_scans((), fix.imports)
                except Refused as refused:
                    answers[target] = refused.alone()
                    continue
                answers[target] = simple[node] = fix
            elif (nest := unfold(self.rewrite, node, self.known)) is not None:
                wanted[target] = nest.inner
                self.unfolded[nest.inner] = nest
                self.boundaries[nest.inner] = self.boundaries[node]
                self.aboard |= {nest.inner} if node in self.aboard else set()

    def _postponed(self, good: dict[Target, Unit]) -> dict[Target, ast.AST]:
        """Targets inside of code that moves: they move along, and are looked at again when it has."""
        going = {item.node for unit in good.values() if self._may_go(unit) for item in self.rewrite.units.needed(unit)}
        found: dict[Target, ast.AST] = {}
        for target, unit in good.items():
            around = [above for above in self.rewrite.scopes.ancestors(unit.node) if above in going]
            if around:
                found[target] = around[-1]
        return found

    def _settle_groups(self, units: list[Unit], good: Collection[Unit]) -> dict[ast.AST, Answer]:
        """The answers for `units`, by node; those of a group that is refused are tried one by one."""
        by_node: dict[ast.AST, Answer] = {}
        todo = deque(self._groups(units))
        while todo:
            group = todo.popleft()
            checkpoint = self.rewrite.checkpoint()
            answer = self._group(group, good)
            if answer.why_not(self.unsafe_too) is not None:
                self.rewrite.rollback(checkpoint)  # names and blank lines are for those that are written
                if len(group) > 1 and not any(unit.functions for unit in group):
                    todo.extendleft([unit] for unit in reversed(group))  # they only had the same code: some may go
                    continue
            by_node.update({unit.node: answer for unit in group})
        return by_node

    def _may_go(self, unit: Unit) -> bool:
        return self.unsafe_too or not any(item.snapshots for item in self.rewrite.units.needed(unit))

    def _groups(self, units: Iterable[Unit]) -> list[list[Unit]]:
        """Units that share a needed unit, or the code of one, with those; each in source order."""
        by_tie: dict[object, dict[Unit, None]] = {}
        for unit in units:
            needed = self.rewrite.units.needed(unit)
            met = {id(by_tie[tie]): by_tie[tie] for one in needed for tie in ties(self.rewrite, one) if tie in by_tie}
            group, *others = [*met.values()] or [{}]
            for member in (*chain(*others), *needed):
                group[member] = None
                by_tie.update(dict.fromkeys(ties(self.rewrite, member), group))
        groups = {id(group): group for group in by_tie.values()}.values()
        ordered = [sorted(group, key=lambda unit: start_of(unit.node)) for group in groups]
        return sorted(ordered, key=lambda group: start_of(group[0].node))

    # one group
    def _group(self, group: list[Unit], moving: Iterable[Unit]) -> Answer:
        try:
            classes = self.moved_classes.along(group)
            moves = self._moves(group)
            edits: list[Edit] = [edit for fix in classes for edit in fix.edits]
            imports = [need for unit in group for need in unit.imports_above]
            for unit in group:
                edits += leave(self.rewrite, moves[unit], moves, imports)
                if unit.node in self.unfolded:
                    edits += self.unfolded[unit.node].edits
                    imports += self.unfolded[unit.node].imports
            edits += arrive(self.rewrite, moves, imports)
            edits += idle_imports(self.rewrite.units.settled, self.rewrite.source, group, moving, edits)
            self._check_scans(
                [move for move in moves.values() if not (move.is_repeated or move.method or move.passes_on)], imports
            )
        except Refused as refused:
            return refused.alone()
        changes = [why for unit in group if not self._is_used_up(unit) for why in unit.snapshots]
        changes += [
            why
            for unit in group
            if (why := differs_when_copied(self.known, self.rewrite.path, moves[unit])) is not None
        ]
        changes += [why for unit in group if (why := moves[unit].shown) is not None]
        settings = (
            lost_setting(self.rewrite.scopes, unit, self.boundaries.get(unit.node, ""), self.sent.get(unit.node, 0))
            for unit in group
        )
        changes += [why for why in settings if why is not None]
        unsafe = "; ".join(dict.fromkeys(changes)) or None
        title = _title(moves) + "".join(f"; {fix.title[0].lower()}{fix.title[1:]}" for fix in classes)
        heavy = [
            what
            for unit in group
            for what in self.known.carried(self.rewrite.path, *start_of(unit.node))
            if unit.captures
        ]
        if heavy:
            title += f"; each worker gets a copy of {' and of '.join(dict.fromkeys(heavy))}"
        title += "".join(f"; {note}" for unit in group for note in moves[unit].notes)
        return Fix(title, tuple(_merged(edits)), tuple(dict.fromkeys(imports)), unsafe)

    def _check_scans(self, moves: Iterable[Move], imports: Iterable[Import]) -> None:
        """Raises Refused where code that goes through the names of the module would find a new one."""
        elements = [Element(move.name, _kind_of(move)) for move in moves]
        for need in imports:
            name = need.name or need.module.partition(".")[0]
            if name not in self.rewrite.scopes.module.bindings:
                kinds = ("class", "function") if need.name else ("module",)
                elements += [Element(name, kind) for kind in kinds]
        found = found_by_scan(self.rewrite.project, self.rewrite.path, elements)
        if found is not None:
            raise Refused(f"{found}: leave out names that begin with `_` there, or write this at another place")

    def _is_used_up(self, unit: Unit) -> bool:
        """It is made for one call that waits for the workers, so that no loop gets further while it is needed."""
        scopes = self.rewrite.scopes
        places = [unit.node] if isinstance(unit.node, ast.Lambda) else [use.node for use in outside_uses(unit, {unit})]
        call = scopes.parents[places[0]] if len(places) == 1 else None
        if isinstance(call, ast.keyword) and call.arg == "target":
            return starts_in_its_turn(scopes, call)
        if isinstance(call, ast.keyword) and self.boundaries.get(unit.node, "").endswith("DataLoader"):
            return iterated_in_its_turn(scopes, call)
        if isinstance(call, ast.keyword) and call.arg == "initializer":
            return lives_in_its_turn(scopes, call, {variable.name for variable in unit.captures})
        if not isinstance(call, ast.Call) or not _USED_UP.search(self.boundaries.get(unit.node, "")):
            return False
        is_near = isinstance(unit.node, ast.Lambda) or (
            scopes.statement_of(call) in scopes.block_of(unit.node)
            and isinstance(unit.node, FUNCTIONS)
            and scopes.around(call) is unit.home
        )
        is_run = isinstance(call.func, ast.Attribute) and call.func.attr in ("map", "starmap", "apply")
        return is_near and is_run and call.args[:1] == [places[0]]

    def _moves(self, group: list[Unit]) -> dict[Unit, Move]:
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
                        self._check_reach(unit, needed, variable)
                        if variable not in captures[unit]:
                            why = self.rewrite.scopes.why_not_once(variable, unit.node)
                            if why is not None:
                                raise Refused(f"{needed.label}, which it uses, needs a variable: {why}")
                            captures[unit][variable] = None
                            changed = True
                    if selves[needed] is not None and selves[unit] is None:
                        if self.rewrite.scopes.method_self(unit.node) != selves[needed]:
                            what = f"{needed.label}, which it uses, belongs to another method's object"
                            raise Refused(f"{what}: pass that as an argument")
                        selves[unit] = selves[needed]
                        changed = True
        moves: dict[Unit, Move] = {}
        notes: dict[Unit, list[str]] = {unit: [] for unit in group}
        alone = len(group) == 1 or not any(unit.functions for unit in group)  # else they only have the same code
        for unit in group:
            for variable in captures[unit]:
                note = self.captured.check(variable, unit, group, self.boundaries.get(unit.node, ""))
                notes[unit] += [note] if note is not None else []
            move = moves[unit] = Move(unit, captures=tuple(variable.name for variable in captures[unit]))
            move.notes = notes[unit]
            self._check_several(unit)
            if isinstance(unit.node, ast.ClassDef) and (captures[unit] or selves[unit] or unit.fields):
                needs = [captures[value] for value in unit.functions.values() if value is not unit]
                self.forms.check_constructor(unit, captures[unit], any(needs))
            self.forms.choose_form(move, group, alone)
            self.forms.choose_home(move, selves[unit], alone)
        self.options.split(moves)
        for unit in group:
            self.forms.keep_keywords(moves[unit], alone)
        for unit in sorted(group, key=lambda item: isinstance(item.node, ast.Lambda)):
            if unit.node not in self.unfolded:
                self.forwards.choose(moves[unit], moves)
            if moves[unit].passes_on is None:
                give_name(self.rewrite, moves[unit], moves)
            self.binding.check_bound(unit)
            self.binding.check_member(unit)
            if moves[unit].is_partial or moves[unit].is_object or moves[unit].method:
                self.binding.check_binding(unit)
            self.forms.check_calls(moves[unit], self.binding, alone=alone and len(group) == 1)
            self.binding.check_bases(unit, moves[unit].name)
            self.forms.check_inspection(moves[unit], alone)
            if moves[unit].is_object or isinstance(unit.node, ast.ClassDef):
                moves[unit].kept = self.forms.attribute_names(moves[unit])
        return moves

    def _check_several(self, unit: Unit) -> None:
        """Raises Refused where one that the module makes on import can't stand for those that are made by each call."""
        check_not_collected(self.binding.repo, self.rewrite.path, unit)
        check_class(self.rewrite.project, self.known, self.rewrite.path, self.rewrite.scopes, unit)

    def _strongest(self, unit: Unit, why: Refused) -> Refused:
        """`why` a class may not move, after what is left to do when that is mended."""
        if not isinstance(unit.node, ast.ClassDef):
            return why
        try:
            self.binding.check_bases(unit, unit.node.name)
            self._check_several(unit)
        except Refused as stronger:
            same = _LINE.findall(stronger.reason) == _LINE.findall(why.reason)
            return Refused(stronger.reason if same else f"{stronger.reason}. Besides, {why.reason}")
        return why

    def _check_reach(self, unit: Unit, needed: Unit, variable: Variable) -> None:
        """Where `unit` names `needed`, the name of a variable that `needed` captures means that variable."""
        for own, uses in unit.uses.items():
            if unit.functions[own] is needed and any(
                self.rewrite.scopes.owner(use.scope, variable.name) is not variable.scope for use in uses
            ):
                raise Refused(
                    f"{needed.label}, which it uses, reads another `{variable.name}` than its own: rename one of them"
                )


def _kind_of(move: Move) -> str:
    node = move.unit.node
    if isinstance(node, ast.ClassDef):
        return "derived" if node.bases or node.keywords else "class"
    return "class" if move.is_object else "function"


def _title(moves: dict[Unit, Move]) -> str:
    """What the fix does: the units that get each name, in source order, and those that another function stands for."""
    moved: dict[str, list[Unit]] = {}
    replaced: dict[str, list[Unit]] = {}
    for unit, move in moves.items():
        if move.passes_on is None:
            moved.setdefault(move.base, []).append(unit)
        else:
            passed = ", ".join(move.passes_on)
            what = f"`{move.base}` with `{passed}`" if passed else f"`{move.base}`"
            replaced.setdefault(what, []).append(unit)
    titles = [
        said if said == f"`{base}`" else f"{said} as `{base}`"
        for base, said in ((base, labels(units)) for base, units in moved.items())
    ]
    where = "the class" if any(move.method for move in moves.values()) else "module level"
    said = [f"{what} instead of {labels(units)}" for what, units in replaced.items()]
    parts = [f"move {', '.join(titles)} to {where}"] if titles else []
    parts += [f"use {', '.join(said)}"] if said else []
    text = " and ".join(parts)
    return text[:1].upper() + text[1:]


def _merged(edits: Sequence[Edit]) -> list[Edit]:
    """The same edits, removals that overlap joined: neighbours that go share the blank lines between them."""
    removals: list[Edit] = []
    for edit in sorted((edit for edit in edits if not edit.text), key=lambda item: item.start):
        if removals and edit.start < removals[-1].end:
            last = removals.pop()
            edit = Edit(edit.path, last.start, max(last.end, edit.end), "")
        removals.append(edit)
    return [edit for edit in edits if edit.text] + removals
