"""Chooses what a function becomes: a function, a partial, an object with `__call__`, or a method of its class."""

from __future__ import annotations

import ast
import contextlib
import functools
from collections.abc import Collection, Iterable, Mapping

from ...finding import Confidence, Refused
from ...project import Project
from ...syntax.names import last_name
from ...syntax.outline import Outline
from ...syntax.scope_data import Variable, start_of
from ...syntax.scopes import Scopes
from .candidate import Unit, assignment_targets
from .checks.binding_checks import BindingChecks
from .checks.class_use import ClassUse
from .checks.copied import copied_by, differs_when_copied
from .checks.headers import IN_INIT
from .checks.identity import gets_attributes, is_made_once, lost_attribute, shows_attributes, told_apart
from .checks.inspection_checks import CALLABLE, Form, InspectionChecks, shown_name
from .checks.logged_names import logged_name
from .checks.shown_by_python import shown_by_python
from .file_state import FileRewrite, Move, takes_any
from .handover import Handover, Me
from .known import Known, outside_uses
from .stdlib_forms import is_factory
from .writing.callable_class import is_attribute, keeps_state, why_no_arguments, why_no_object
from .writing.choose_name import give_object_name, same_code

_BY_HAND = "move the class to module level by hand, if one value will do for all calls"
_SHOW_DEFAULTS = frozenset(
    {
        "inspect.signature",
        "inspect.getfullargspec",
        "given the attribute `__defaults__`",
        "given the attribute `__kwdefaults__`",
    }
)
_KEEPERS = frozenset({"append", "insert", "add", "setdefault"})
_MOST_VALUES = 5  # of a partial; an object with named attributes says better what is what


class Forms:
    """Chooses for the functions of one file.

    `boundaries`: what pickles a node, as far as that is known; `aboard`: nodes that cross with the object that
    keeps them.
    """

    def __init__(
        self,
        project: Project,
        rewrite: FileRewrite,
        known: Known,
        class_use: ClassUse,
        boundaries: Mapping[ast.AST, str],
        aboard: Collection[ast.AST],
    ) -> None:
        self.rewrite, self.known, self.class_use = rewrite, known, class_use
        self.boundaries, self.aboard = boundaries, aboard
        self.handover = Handover(project, rewrite.source, rewrite.scopes, known)
        self._attributes: dict[str, str] = {}  # captured value -> a name that no object of the project has
        self._parameters: dict[str, str] = {}  # captured value -> a name that is no word of the project
        self.inspection = InspectionChecks(project, rewrite.source, rewrite.scopes, known)

    def check_inspection(self, move: Move, alone: bool) -> None:
        """Raises Refused where code inspects the function and would find less; a name that is read is kept."""
        unit = move.unit
        is_renamed = not isinstance(unit.node, ast.Lambda) and move.name != unit.node.name
        form = Form.OBJECT if move.is_object else Form.PARTIAL if move.is_partial else Form.FUNCTION
        asked = self.inspection.check(unit, form, is_renamed)
        if asked is not None and move.method is None and not isinstance(unit.node, ast.ClassDef):
            if not move.is_object:
                self._as_object(move, alone, asked.words)
                give_object_name(self.rewrite, move)
            move.documented = asked.is_text
            if asked.is_name:
                move.called = "<lambda>" if isinstance(unit.node, ast.Lambda) else unit.node.name
        elif asked is not None:
            raise Refused(f"{asked.words}: {CALLABLE}")
        if form is Form.FUNCTION:
            move.shown = shown_name(self.rewrite.project, self.known, self.rewrite.path, unit.node, is_renamed)
        if is_renamed or isinstance(unit.node, ast.Lambda) or move.is_object:
            move.shown = move.shown or logged_name(self.rewrite.project, self.rewrite.path, unit.node)
        is_renamed = is_renamed or form is not Form.FUNCTION
        shown = shown_by_python(self.rewrite.project, self.known, self.rewrite.path, unit.node, is_renamed)
        move.shown = move.shown or shown

    def choose_form(self, move: Move, group: Collection[Unit], alone: bool) -> None:
        """An object with `__call__` for a function that keeps attributes, a new partial for one that is told apart.

        `alone`: no other function of the group uses it.
        """
        unit, scopes = move.unit, self.rewrite.scopes
        if isinstance(unit.node, ast.ClassDef):
            return
        if len(move.captures) > _MOST_VALUES:
            with contextlib.suppress(Refused):  # else a long partial it is
                self._as_object(move, alone, "it takes many values")
        has_twin = any(other is not unit and same_code(self.rewrite, unit, other) for other in group)
        move.is_distinct = (
            told_apart(self.rewrite.project, self.known, self.rewrite.path, scopes, unit.node, has_twin) is not None
        )
        if isinstance(unit.node, ast.Lambda) and is_factory(scopes, unit.node) and self.rewrite.reads_factories:
            move.is_distinct = True
        if move.is_distinct and gets_attributes(self.rewrite.project, self.known, self.rewrite.path, unit.node):
            self._keep_attributes(move, alone, "attributes are set on it")
        if (
            move.is_distinct
            and not move.is_object
            and not has_twin
            and is_made_once(self.rewrite.project, self.rewrite.path, scopes, unit.node)
        ):
            move.is_distinct, move.is_own = False, True
        if keeps_state(scopes, unit):
            self._keep_attributes(move, alone, "attributes are set on it, which a worker does not see")
        if move.is_object or differs_when_copied(self.known, self.rewrite.path, move) is not None:
            with contextlib.suppress(Refused):  # else it is a fix that has to be asked for
                self._as_object(move, alone, "copies share it")
                move.shared_by = copied_by(self.known, self.rewrite.path, unit)
        move.is_distinct = move.is_distinct and not move.is_object
        move.is_bare = move.is_object and shows_attributes(self.known, self.rewrite.path, unit.node)
        places = [use.node for use in outside_uses(unit, {unit})] if move.is_distinct else []
        for place in [*places, unit.node] if move.is_distinct else ():
            call = scopes.parents[place]
            if isinstance(call, ast.Call) and call.args[:1] == [place] and last_name(call.func) == "partial":
                what = f"`{ast.unparse(call.func)}` (line {call.lineno}) would keep what the new partial calls"
                raise Refused(f"it is compared with the function of another call, and {what}: {CALLABLE}")

    def check_calls(self, move: Move, binding: BindingChecks, alone: bool) -> None:
        """An object that keeps default values of that moment, where calls may pass these by position.

        Raises Refused where they may, and none will do.
        """
        try:
            binding.check_calls(move.unit)
        except Refused:
            unit, scopes = move.unit, self.rewrite.scopes
            is_partial = move.is_partial and not (move.attributes or move.parts or move.passes_on or unit.own_self)
            is_clear = set(unit.frozen).isdisjoint(move.captures)
            if not (alone and is_partial and is_clear) or why_no_object(scopes, unit, keeps_defaults=True) is not None:
                raise
            at = self.rewrite.path, *start_of(unit.node)
            if not _SHOW_DEFAULTS.isdisjoint(
                each.what for each in (*self.known.asked(*at), *self.known.identities(*at))
            ):
                raise
            move.is_object, move.is_distinct, move.unset = True, False, self._unset
            move.shared_by = copied_by(self.known, self.rewrite.path, unit)
            move.is_bare = shows_attributes(self.known, self.rewrite.path, unit.node)
            give_object_name(self.rewrite, move)

    def _keep_attributes(self, move: Move, alone: bool, because: str) -> None:
        """An object, or a partial where no attribute that is read would be lost. Raises Refused where neither does."""
        unit, scopes = move.unit, self.rewrite.scopes
        try:
            self._as_object(move, alone, because)
            return
        except Refused as refused:
            why = refused
        reads_own = keeps_state(scopes, unit) and any(unit.functions.get(variable) is unit for variable in unit.uses)
        try:
            if reads_own:
                raise why
            self._check_no_attribute_lost(unit)
            move.is_distinct = True
        except Refused:
            if unit.own_self is None or not alone or why_no_object(scopes, unit, keeps_self=True) is not None:
                raise
            move.is_object = True

    def _check_no_attribute_lost(self, unit: Unit) -> None:
        """Raises Refused where code reads an attribute that a partial keeps only in the process that set it."""
        rewrite = self.rewrite
        lost = lost_attribute(rewrite.project, self.known, rewrite.path, rewrite.scopes, unit)
        if lost is not None:
            raise Refused(f"{lost}, and `multiprocessing` pickles a partial without its attributes: {CALLABLE}")

    def _is_given_attributes(self, unit: Unit) -> bool:
        """An attribute is set on it where it is made, also through a name bound again."""
        names = {
            target.id
            for target in assignment_targets(self.rewrite.scopes.parents[unit.node])
            if isinstance(target, ast.Name)
        }
        names.add(getattr(unit.node, "name", ""))
        for node in ast.walk(unit.home.node):
            if (
                isinstance(node, ast.Attribute)
                and not isinstance(node.ctx, ast.Load)
                and isinstance(node.value, ast.Name)
                and node.value.id in names
            ):
                return True
        return False

    def _as_object(self, move: Move, alone: bool, because: str) -> None:
        if move.is_object:
            return
        why = why_no_object(self.rewrite.scopes, move.unit) if alone else "other functions that move use it"
        if why is not None:
            raise Refused(f"{because}, and {why}: {CALLABLE}")
        move.is_object = True

    def check_constructor(self, unit: Unit, captures: Iterable[Variable], needs_more: bool) -> None:
        captures = list(captures)
        name = next((variable.name for variable in captures), "self")
        if not needs_more and set(captures) == set(unit.captures):
            why = why_no_arguments(self.rewrite.scopes, unit, captures, self.handover.repo, self.rewrite.path)
        else:
            why = "a function that it uses reads that"
        if why is not None and unit.fields and not captures:
            needed = unit.why_fields.removesuffix(f": {IN_INIT}")  # which would not do
            raise Refused(f"{needed}. Objects can't keep it, as {why}: {_BY_HAND}")
        if why is not None:
            what = f"{unit.label} reads `{name}` of the function around it, which its constructor can't be given"
            raise Refused(
                f"{what}: {why}. Define it at module level by hand, with that as an argument, if one class will do "
                "for all calls"
            )

    def attribute_names(self, move: Move) -> dict[str, str]:
        """What captured values are called on the object that keeps them; no other attribute has the name."""
        scopes, names = self.rewrite.scopes, self.rewrite.names
        me = move.unit.own_self[1] if move.unit.own_self is not None and move.is_object else ""
        captures = [name for name in move.captures if name != me]
        captures += move.unit.frozen if move.is_object else ()
        owner = {me: self._owner} if me else {}
        taken = any(
            name.startswith("__") or is_attribute(scopes, name) or self.handover.set_elsewhere(name) is not None
            for name in captures
        )
        if not taken:
            return {**owner, **{name: name for name in captures}}
        for name in captures:
            if name not in self._attributes:
                self._attributes[name] = names.fresh_attribute("_" + name.lstrip("_"))
        return {**owner, **{name: self._attributes[name] for name in captures}}

    @functools.cached_property
    def _unset(self) -> str:
        """What a class calls the value that stands for a default; no file has the word."""
        return self.rewrite.names.fresh_word("_unset")

    @functools.cached_property
    def _owner(self) -> str:
        """What an object calls the one that made it; no file has the word."""
        return self.rewrite.names.fresh_word("owner")

    def keep_keywords(self, move: Move, alone: bool) -> None:
        """Where a Python without `/` is named: captured values get names that no file and no data has.

        What takes any keyword then still gets each that is passed, also by `**row`.
        """
        rewrite, unit = self.rewrite, move.unit
        if "/" not in move.leading or move.is_object or rewrite.old_python is None:
            return
        passed = [*move.attributes, *move.captures]
        if not alone or move.shields_self or move.parts or unit.frozen or len(set(passed)) < len(passed):
            return
        me = unit.own_self[1] if unit.own_self is not None else ""
        if me in move.captures and rewrite.is_keyword(me):
            return
        unsaid: dict[str, str] = {}
        for name in passed:
            if name == me:
                continue
            if name not in self._parameters:
                self._parameters[name] = rewrite.names.fresh_word(f"_captured_{name.lstrip('_')}")
            unsaid[name] = self._parameters[name]
        move.unsaid = unsaid

    def choose_home(self, move: Move, me: Me | None, alone: bool) -> None:
        unit = move.unit
        if me is None:
            if unit.mangled:
                raise Refused("it uses a name with two leading underscores, which its class changes: rename that")
            return
        is_inherited = self.boundaries.get(unit.node, "").endswith("Process")
        if move.is_object:
            why = self.handover.why_not_kept(me, self._stays_on(unit, me), is_inherited)
            if why is not None:
                raise Refused(f"attributes are set on it, and {why}")
            move.captures = (me[1], *move.captures)
            return
        why = self.handover.why_no_method(me, self._stays_on(unit, me), is_inherited)
        if why is None and not self._needs_function(move, me):
            self._as_method(move, me)
            return
        if why is None:
            if unit.mangled:
                raise Refused("it uses a name with two leading underscores, which its class changes: rename that")
            try:  # a function with a parameter `self` reads oddly, and takes all of the object
                few = self.handover.attributes(unit, me, "") if alone and unit.own_self is not None else ()
            except Refused:
                few = ()
            if few and len(few) + len(move.captures) <= _MOST_VALUES:
                move.attributes = few
            else:
                move.captures = (me[1], *move.captures)
            return
        try:
            if not alone or unit.own_self is None:
                raise Refused(why)
            attributes = self.handover.attributes(unit, me, why)
            if unit.mangled:
                raise Refused(why)
            move.attributes = attributes
        except Refused:
            if not self._is_sent_itself(unit, me) or self._needs_function(move, me):
                raise
            if self.handover.why_no_method(me, stays=True) is not None:
                raise
            self._as_method(move, me)

    def _as_method(self, move: Move, me: Me) -> None:
        move.method = me
        move.shields_self = takes_any(move.unit.node) and self.rewrite.is_keyword(me[1])

    def _needs_function(self, move: Move, me: Me) -> bool:
        """A bound method would not do: it is one for all calls, takes no attributes, and its class gets a member."""
        unit, maker = move.unit, me[0].node
        return (
            move.is_distinct
            or self._is_given_attributes(unit)
            or bool(self.known.asked(self.rewrite.path, *start_of(unit.node)))
            or self.class_use.why_no_method(me[2], getattr(maker, "name", "")) is not None
        )

    def _stays_on(self, unit: Unit, me: Me) -> bool:
        """It only goes to `self.x`, or into what that holds, and no other way to a worker than the object's is known.

        The method that makes it may also return it, where each call of that is such a value.
        """
        scopes = self.rewrite.scopes
        uses: list[ast.AST] = [use.node for use in outside_uses(unit, {unit})]
        is_named = not isinstance(unit.node, ast.Lambda)
        if isinstance(above := scopes.parents[unit.node], ast.Assign) and unit.variable is not None:
            is_named = all(isinstance(target, ast.Name) for target in above.targets)
        places = uses if is_named else [unit.node]
        if not places or (self.boundaries.get(unit.node) and unit.node not in self.aboard):
            return False
        returned = [place for place in places if isinstance(scopes.parents[place], ast.Return)]
        if returned and not self._is_kept_by_callers(me):
            return False
        for place in places:
            if place not in returned:
                targets = _kept_in(scopes, place)
                if not targets or not all(self._is_of_self(target, me) for target in targets):
                    return False
        return True

    def _is_sent_itself(self, unit: Unit, me: Me) -> bool:
        """Objects of its class are seen to go the way that it goes: what they hold goes there in any case."""
        sent = self.known.instances(self.rewrite.path, me[2].lineno) if unit.node in self.boundaries else None
        return sent is not None and sent.confidence is Confidence.PROVEN and sent.boundary == self.boundaries[unit.node]

    def _is_of_self(self, target: ast.expr, me: Me) -> bool:
        """`self.x`, or `self.x[key]`."""
        scopes, target = self.rewrite.scopes, target.value if isinstance(target, ast.Subscript) else target
        return (
            isinstance(target, ast.Attribute)
            and isinstance(target.value, ast.Name)
            and target.value.id == me[1]
            and scopes.owner(scopes.around(target), me[1]) is me[0]
        )

    def _is_kept_by_callers(self, me: Me) -> bool:
        """Every use of the method, by its name, is `self.x = self.method(...)` in a method of the same class."""
        maker, handover = me[0].node, self.handover
        if not isinstance(maker, ast.FunctionDef) or maker.decorator_list:
            return False
        uses = [
            (outline, use)
            for outline in handover.repo.mentioning(maker.name)
            for use in outline.attributes.get(maker.name, [])
            if not handover.is_of_another_class(outline.path, use, me[2])
        ]
        return bool(uses) and all(
            outline.path == self.rewrite.path and _keeps_on_self(outline, use, me[2]) for outline, use in uses
        )


def _kept_in(scopes: Scopes, place: ast.AST) -> list[ast.expr]:
    """What keeps the value: the targets of its assignment, or `x` where all that is done is `x.append(value)`."""
    statement = scopes.statement_of(place)
    call = statement.value if isinstance(statement, ast.Expr) else None
    if isinstance(call, ast.Call) and scopes.parents[place] is call and isinstance(call.func, ast.Attribute):
        return [call.func.value] if call.func.attr in _KEEPERS and place is not call.func else []
    return assignment_targets(statement)


def _keeps_on_self(outline: Outline, use: ast.Attribute, cls: ast.ClassDef) -> bool:
    """`self.x = self.use(...)`, in a method of the class."""
    owner, call = outline.owner(use), outline.parents[use]
    kept = outline.parents[call]
    return (
        outline.is_self(use.value)
        and owner is not None
        and owner.lineno == cls.lineno
        and isinstance(call, ast.Call)
        and call.func is use
        and isinstance(kept, ast.Assign)
        and all(isinstance(target, ast.Attribute) and outline.is_self(target.value) for target in kept.targets)
    )
