"""Decides how one attribute that can't be pickled crosses: left out, made again, or opened on demand."""

from __future__ import annotations

import ast
from dataclasses import dataclass

from ....finding import Refused
from ....syntax.file_tree import position
from ....syntax.receivers import qualified_name
from ....syntax.unpicklable import Made
from ....syntax.unpicklable_table import MODULE, Remedy
from ..classes import WORKER, Store
from ..data import names
from ..own_classes import check_no_descriptor
from ..uses.attribute_uses import AttributeUses, Hazard
from ..uses.by_text import may_be_read_by_text
from ..uses.held_locks import check_not_held
from ..uses.one_for_each import check_equality, check_identity, check_not_shared
from ..uses.surroundings import redirects, removes
from ..uses.use_checks import (
    check_class_stays,
    check_elements,
    check_kept_elsewhere,
    check_not_cleared,
    check_not_filled,
    check_outside,
    check_own_position,
    check_writes,
    goes_on,
    has_moved,
    is_filled,
)
from .by_flag import only_by_flag, whole
from .cached_functions import check_cached_calls
from .containers import Filling, is_deep
from .on_demand import changed_beside, is_lazy, left_closed
from .passed_modules import passed_module
from .recreate import Recreation, Recreator, chooses_modules
from .state_methods import Form, Treatment

_OF_CPU = ("Generator()", "Generator('cpu')", "Generator(device='cpu')")
_MOVED = "it is read before it is sent, so a copy would start at another position; call `seek` before each read"


@dataclass(frozen=True)
class _Facts:
    """What the decision depends on, beside the uses."""

    stores: list[Store]
    first: Hazard  # by position
    only: bool  # the constructor always sets it, and nothing else does
    sure: bool  # every object has it

    @classmethod
    def of(cls, uses: AttributeUses, stores: list[Store]) -> _Facts:
        """The facts about the attribute of `uses`, which `stores` set."""
        first = min(uses.hazards, key=lambda hazard: position(hazard.store.target))
        in_init = first.store.method.name in ("__init__", "__post_init__")
        whole = not uses.outside.without_init
        cleared = uses.outside.only_clears(uses.attribute)
        alone = len(stores) == 1 and not cleared
        only = alone and first.store.always and in_init and not _may_be_none(uses, first) and whole
        sure = (only or uses.always_there(stores)) and not uses.skips_init() and _deleted_in(stores) is None
        return cls(stores, first, only, sure)

    @property
    def line(self) -> int:
        """Where it is set first."""
        return self.first.store.target.lineno


def treatment_of(uses: AttributeUses) -> Treatment:
    """How the attribute crosses. Raises Refused."""
    kind = uses.kind
    if kind.module and any(name.startswith("torch.nn") or "Module" in name for name in uses.family.foreign(uses.shape)):
        raise Refused(
            "`nn.Module` stores it among its submodules, where a `__getstate__` of this "
            "class can't leave it out; load it where it is used"
        )
    stores = [
        store for shape in uses.sharing for store in shape.stores(uses.attribute) if not _is_replaced(uses, store)
    ]
    stores += [hazard.store for hazard in uses.hazards if hazard.store.method not in uses.shape.outline.parents]
    source = next((hazard.made.given for hazard in uses.hazards if hazard.made.given), "")
    if source and kind is MODULE:
        return passed_module(uses, stores, source)
    if source and kind.remedy is not Remedy.NAMED:
        raise Refused(
            f"it is passed in ({source}), so other objects may share it; pass what it is opened with, and open it in "
            "the class"
        )
    if any(hazard.store.by_text for hazard in uses.hazards):
        raise Refused(
            "it is set by its name as text: write a `__getstate__` that leaves it out, and a `__setstate__` that makes "
            "it anew"
        )
    if any(is_deep(hazard.store) for hazard in uses.hazards if hazard.store.fills):
        raise Refused(
            "it is in a container inside of another; keep what each is opened with, and open it where it is read"
        )
    if any(_is_stream(hazard) for hazard in uses.hazards) and (place := redirects(uses.family, uses.shape)) is not None:
        raise Refused(
            f"{place} puts another stream in its place, and a copy would take the one that is there when it is "
            "unpickled: ask for the stream where it is written to"
        )
    check_no_descriptor(uses.family.repo, uses.shape.outline, uses.shape.node, uses.attribute)
    try:
        check_outside(uses)
    except Refused:
        if kind.remedy is Remedy.REOPEN:
            for hazard in uses.hazards:  # what stays when all that is done outside is done elsewhere
                if (recreator := _recreator(uses, hazard.store, hazard.made)).has_known_mode():
                    recreator.check()
            check_writes(uses)
        raise
    check_class_stays(uses)
    check_identity(uses)
    check_equality(uses)
    check_not_shared(uses)
    check_cached_calls(uses)
    if any(hazard.store.fills for hazard in uses.hazards):
        check_not_cleared(uses)
        return _filled(uses, stores)
    check_kept_elsewhere(uses)
    if _only_for_constructor(uses):
        facts = _Facts.of(uses, stores)
        return Treatment(uses.attribute, uses.shape.key(uses.attribute), Form.DROP, facts.line, facts.sure)
    if (branch := only_by_flag(uses, stores)) is not None:
        check_not_cleared(uses)
        check_not_held(uses)
        if any(hazard.made.nested for hazard in uses.hazards):
            check_elements(uses)
        line, key = branch.hazard.store.target.lineno, uses.shape.key(uses.attribute)
        found = whole(uses, branch, lambda hazard: _made_again(uses, hazard))
        return Treatment(
            uses.attribute, key, Form.FLAGGED, line, True, found.again, branch.test,
            first=found.first, otherwise=found.otherwise,
        )  # fmt: skip
    _check_stores(uses, stores)
    facts = _Facts.of(uses, stores)
    if kind.carries == "numbers":
        return _random_numbers(uses, facts)
    return _left_out(uses, facts) or _recreated(uses, facts)


def _only_for_constructor(uses: AttributeUses) -> bool:
    """The constructor takes items out of it (of an npz archive), and nothing else does: a copy has what these are."""
    methods = [hazard.store.method for hazard in uses.hazards] + [method for _, method, _ in uses.reads]
    if uses.kind.remedy is not Remedy.REOPEN or not uses.reads or {each.name for each in methods} != {"__init__"}:
        return False
    if uses.kind.parts or any(hazard.made.nested for hazard in uses.hazards):
        return False
    if any(True for _ in uses.outside.reads(uses.attribute)):
        return False
    places = [(shape.outline.parents[node], node) for shape, _, node in uses.reads]
    if not all(
        (isinstance(above, ast.Subscript) and above.value is node) or isinstance(above, ast.Compare)
        for above, node in places
    ):
        return False
    for outline in uses.family.repo.mentioning(uses.attribute):  # a wrapper around it: `self.rows.file[at]`
        for node in outline.attributes.get(uses.attribute, ()):
            scope = outline.scope(node)
            if getattr(scope, "name", "") in WORKER and not outline.is_self(node.value):
                return False
    own = (shape.outline for shape in uses.hierarchy)
    return not may_be_read_by_text(uses.family.repo, own, uses.attribute)


def _made_again(uses: AttributeUses, hazard: Hazard) -> Recreation:
    """How the copy gets what `hazard` keeps. Raises Refused."""
    kind = hazard.made.kind
    if kind.remedy not in (Remedy.RECREATE, Remedy.REOPEN):
        raise Refused(kind.advice or "it is opened in several ways; use two attributes")
    recreator = _recreator(uses, hazard.store, hazard.made)
    recreator.check_place()
    _check_own_position(uses, recreator)
    return recreator.recreation()


def _is_stream(hazard: Hazard) -> bool:
    """`sys.stdout`, whatever that is at the moment, and not `sys.__stdout__`."""
    value = hazard.store.value
    return value is not None and qualified_name(hazard.made.outline, value) in ("sys.stdout", "sys.stderr")


def _left_out(uses: AttributeUses, facts: _Facts) -> Treatment | None:
    """The copy goes without it, or gets it by its name; None where it has to be made again."""
    key, store, line = uses.shape.key(uses.attribute), facts.first.store, facts.line
    if store.cached or store.shared or uses.kind.remedy is Remedy.DROP:
        check_not_cleared(uses)
        _check_not_deleted(_deleted_in(facts.stores))
    if store.cached and not facts.stores:
        _check_not_moved(uses)
        return Treatment(uses.attribute, key, Form.DROP, line, False)
    if store.shared and len(facts.stores) == 1:  # the class has it too
        return Treatment(uses.attribute, key, Form.DROP, line, facts.sure)
    if uses.kind.remedy is Remedy.DROP:
        for _, method, node in uses.reads:
            if method.name in uses.worker_only_methods:
                raise Refused(f"line {node.lineno} uses it in the worker: {uses.kind.advice}")
        return Treatment(uses.attribute, key, Form.DROP, line, facts.sure and facts.only)
    named = any(hazard.made.kind.remedy is Remedy.NAMED for hazard in uses.hazards)
    return _named(uses, facts.stores, key, line) if named else None


def _random_numbers(uses: AttributeUses, facts: _Facts) -> Treatment:
    """The copy gets a generator of random numbers that goes on where this one stands."""
    value, outline = facts.first.store.value, facts.first.store.owner.outline
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr == "manual_seed":
        value = value.func.value  # which gives back the generator
    imports = (alias for node in outline.module.body if isinstance(node, ast.Import) for alias in node.names)
    torch = next((alias.asname or "torch" for alias in imports if alias.name == "torch"), None)
    plain = value is not None and ast.unparse(value) in {f"{torch}.{made}" for made in _OF_CPU}
    if torch is None or not (facts.only and facts.sure and plain and uses.shape.outline is outline):
        raise Refused(uses.kind.advice)
    check_not_held(uses)
    _check_not_deleted(_deleted_in(facts.stores))
    again = Recreation((f"self.{uses.attribute} = {torch}.Generator()",), (), "")
    key = uses.shape.key(uses.attribute)
    return Treatment(uses.attribute, key, Form.CARRIED, facts.line, True, again, carries=uses.kind.carries, torch=torch)


def _counted(uses: AttributeUses) -> str | None:
    """The place that reads `queue.unfinished_tasks`."""
    word = "unfinished_tasks"
    found = (
        (outline, use) for outline in uses.family.repo.mentioning(word) for use in outline.attributes.get(word, ())
    )
    return next((f"{outline.path}:{use.lineno}" for outline, use in found), None)


def _recreated(uses: AttributeUses, facts: _Facts) -> Treatment:
    """The copy makes it again, or leaves that to the class."""
    kind, stores, first, line = uses.kind, facts.stores, facts.first, facts.line
    key = uses.shape.key(uses.attribute)
    _check_same(uses, [hazard.store for hazard in uses.hazards])
    recreator = _recreator(uses, first.store, first.made)
    recreator.check_place()
    check_writes(uses)
    check_not_held(uses)
    deleted = _deleted_in(stores)
    if is_lazy(uses, stores):
        _check_not_deleted(deleted)
        _check_not_moved(uses)
        closed = left_closed(uses, stores)
        if closed is not None:
            raise Refused(
                f"line {closed} closes it and keeps it, so that it stays closed, where a copy would open it again; set "
                "it to None there"
            )
        recreator.check()
        return Treatment(uses.attribute, key, Form.LAZY, line, True)
    if (changed := changed_beside(uses)) is not None:
        raise Refused(f"line {changed} changes something else as it is opened, which a copy that is open would not do")
    recreation = recreator.recreation()
    _check_own_position(uses, recreator)
    nested = any(hazard.made.nested for hazard in uses.hazards)
    if nested:
        check_not_cleared(uses)
        check_elements(uses)
    closes = "" if nested else uses.closed_by()
    if deleted is not None:
        is_text = recreator.may_be_text()
        if nested or kind.carries or (closes and left_closed(uses, stores) is not None):
            _check_not_deleted(deleted)
        if uses.outside.only_clears(uses.attribute) or any(store.clears for store in stores):
            _check_not_deleted(deleted)
        if has_moved(uses, text=is_text) or goes_on(uses):
            raise Refused(_MOVED)
        return Treatment(uses.attribute, key, Form.FILLED, line, False, recreation)
    plain = facts.only and not (closes and kind.is_open)
    if plain and not nested and is_filled(uses):
        if kind.carries == "queue" and (counts := _counted(uses)) is not None:
            raise Refused(
                f"{counts} reads how many of its tasks are not done, which a queue that is filled anew forgets"
            )
        return Treatment(uses.attribute, key, Form.CARRIED, line, facts.sure, recreation, carries=kind.carries)
    check_not_filled(uses)
    carry = not nested and (has_moved(uses, text=recreator.may_be_text()) or (plain and goes_on(uses)))
    may_be_none = _may_be_none(uses, first) or any(store.clears for store in stores)
    may_be_none = may_be_none or uses.outside.only_clears(uses.attribute)
    never_none = facts.only or (uses.always_there(stores) and not may_be_none)
    if (facts.only or (never_none and not carry)) and not (closes and kind.is_open):
        form = Form.POSITION if carry else Form.ALWAYS
        if (name := _first_name(uses, first.store)) != uses.attribute:
            recreation = Recreation((f"self.{uses.attribute} = self.{name}",), (), "")
        return Treatment(uses.attribute, key, form, line, facts.sure, recreation)
    if carry:
        raise Refused(_MOVED)
    test = kind.is_open.format(uses.text) if closes and kind.is_open else ""
    if never_none and test and (uses.needed or uses.is_needed()):
        gone = removes(uses.family, uses.shape)
        anything = not names("opens_anything").isdisjoint(kind.constructors)
        known = anything and recreation.path and uses.shape.outline.imported.get("os") == "os"
        if gone is not None and not known:
            raise Refused(
                f"{gone} removes or moves files, and what is closed by then would have to be opened in the copy, to be "
                "closed there; set it to None where it is closed"
            )
        path = recreation.path if gone is not None else ""
        return Treatment(uses.attribute, key, Form.CLOSED, line, facts.sure, recreation, test, closes=closes, gone=path)
    if not (facts.sure or may_be_none or test):
        return Treatment(uses.attribute, key, Form.FILLED, line, False, recreation)
    return Treatment(uses.attribute, key, Form.MAYBE, line, facts.sure, recreation, test, facts.only)


def _deleted_in(stores: list[Store]) -> int | None:
    """The line that deletes the attribute."""
    return next((store.statement.lineno for store in stores if isinstance(store.target.ctx, ast.Del)), None)


def _check_not_deleted(line: int | None) -> None:
    if line is not None:
        raise Refused(f"line {line} deletes the attribute; set it to None instead")


def _may_be_none(uses: AttributeUses, hazard: Hazard) -> bool:
    return hazard.made.choice and not chooses_modules(uses.recogniser, hazard.store.owner.outline, hazard.store.value)


def _check_not_moved(uses: AttributeUses) -> None:
    if has_moved(uses):
        raise Refused(_MOVED)


def _check_own_position(uses: AttributeUses, recreator: Recreator) -> None:
    if recreator.is_unbuffered():
        if any(hazard.store.fills or hazard.made.nested for hazard in uses.hazards):
            raise Refused(
                "it holds files without a buffer (`buffering=0`), of which forked processes share the positions; open "
                "them with one"
            )
        check_own_position(uses)


def _recreator(uses: AttributeUses, store: Store, made: Made) -> Recreator:
    return Recreator(uses.family, uses.recogniser, uses.shape, store, made)


def _filled(uses: AttributeUses, stores: list[Store]) -> Treatment:
    """A container that such things are put into."""
    filled = [(hazard.store, hazard.made) for hazard in uses.hazards]
    alone = next((store for store, _ in filled if not store.fills), None)
    if alone is not None and not uses.kind.advice:
        fills = next(store for store, _ in filled if store.fills)
        raise Refused(
            f"it is one of them (line {alone.statement.lineno}) or a container of several (line "
            f"{fills.statement.lineno}): keep what each is opened with, and open it where it is read"
        )
    if alone is not None or uses.kind.remedy not in (Remedy.RECREATE, Remedy.REOPEN):
        raise Refused(uses.kind.advice or "it is filled in several ways; fill it in one method")
    if any(made.choice for _, made in filled):
        raise Refused("only some of what it holds is opened here; keep that in a container of its own")
    recreators = [_recreator(uses, store, made) for store, made in filled]
    for recreator in recreators:
        recreator.check()
        _check_own_position(uses, recreator)
    check_writes(uses)
    check_elements(uses)
    check_not_held(uses)
    return Filling(recreators[0], stores, filled).treatment()


def _named(uses: AttributeUses, stores: list[Store], key: str, line: int) -> Treatment:
    """The copy asks for the logger of the same name, as newer Pythons do when they pickle one."""
    _check_not_deleted(_deleted_in(stores))
    other = next((hazard for hazard in uses.hazards if hazard.made.kind.remedy is not Remedy.NAMED), None)
    if other is not None:
        raise Refused(
            f"line {other.store.statement.lineno} keeps {other.made.kind.what} in it instead: keep one kind of thing"
        )
    if not uses.always_there(stores) or uses.skips_init():
        raise Refused("not every object has it; set it in `__init__`, to None if there is none")
    if any(hazard.made.nested for hazard in uses.hazards):
        raise Refused("it is one of several in a container; ask `logging.getLogger` for it where it is used")
    only = len(stores) == 1 and not uses.hazards[0].made.choice and not uses.outside.only_clears(uses.attribute)
    outline = uses.shape.outline
    known = [name for name, origin in outline.imported.items() if origin == "logging"]
    known = [name for name in known if outline.bindings(outline.module, name)]
    imports = () if known else ("import logging",)
    module = known[0] if known else "logging"
    again = Recreation((f"self.{uses.attribute} = {module}.getLogger({{}})",), (), "", imports)
    return Treatment(uses.attribute, key, Form.NAMED, line, True, again, never_none=only)


def _is_replaced(uses: AttributeUses, store: Store) -> bool:
    """`self.file = file`, where the constructor always opens another below, before the object goes anywhere."""
    init, begin = store.method, position(store.target)
    if store.value is None or init is not uses.shape.methods.get("__init__"):
        return False
    opens = (each.store for each in uses.hazards if each.store.method is init and not each.store.fills)
    last = min((end for each in opens if each.always and begin < (end := position(each.target))), default=None)
    if last is None or any(isinstance(node, ast.Return) and position(node) < last for node in ast.walk(init)):
        return False
    outline = uses.shape.outline
    if any(  # `self.file = open(self.file)`: the copy would ask for what it has not
        outline.is_self(node.value) and isinstance(node.ctx, ast.Load) and outline.scope(node) is init
        for node in outline.attributes.get(uses.attribute, ())
        if node.lineno <= last[0]
    ):
        return False
    return not any(
        outline.owner(call) is uses.shape.node for name in names("processes") for call in outline.calls.get(name, ())
    )


def _check_stores(uses: AttributeUses, stores: list[Store]) -> None:
    known = {hazard.store.target for hazard in uses.hazards}
    for store in stores:
        line = store.statement.lineno
        if store.target in known or store.clears:
            continue
        if isinstance(store.target.ctx, ast.Del):
            continue  # see `_recreated`
        if store.owner is not uses.shape:
            place = f"{store.owner.outline.path}:{line}"
            raise Refused(f"`{store.owner.node.name}` ({place}) sets it too; open it in one place")
        if store.value is not None and uses.recogniser.made(store.owner.outline, store.value):
            continue  # made in the worker
        raise Refused(
            f"line {line} assigns something else to it, so it can't be shown what a copy should get; use two attributes"
        )


def _check_same(uses: AttributeUses, mine: list[Store]) -> None:
    for store in mine:
        for target in store.statement.targets if isinstance(store.statement, ast.Assign) else ():
            if isinstance(target, ast.Attribute) and target is not store.target and not _is_one_lock(uses, store):
                raise Refused(f"line {target.lineno} keeps one thing under two names; set the second to the first")
            if isinstance(target, ast.Name):
                _recreator(uses, store, uses.hazards[0].made).check_local(target)
    if any(store.value is None for store in mine):
        raise Refused("it is set together with other things; assign it in a statement of its own")
    if len({ast.dump(store.value) for store in mine if store.value is not None}) > 1 and _differ(uses):
        lines = sorted(store.statement.lineno for store in mine)
        raise Refused(f"it is created in different ways (lines {lines[0]} and {lines[-1]}); open it in one method")


def _first_name(uses: AttributeUses, store: Store) -> str:
    """`lock` for both of `self.lock = self.mutex = Lock()`."""
    targets = store.statement.targets if isinstance(store.statement, ast.Assign) else [store.target]
    names = (target.attr for target in targets if isinstance(target, ast.Attribute))
    return next(names, uses.attribute)


def _is_one_lock(uses: AttributeUses, store: Store) -> bool:
    """All its names are attributes of the object, which nothing sets again: a copy can have one lock for them."""
    targets = store.statement.targets if isinstance(store.statement, ast.Assign) else []
    outline = store.owner.outline
    own = [target for target in targets if isinstance(target, ast.Attribute) and outline.is_self(target.value)]
    set_once = (
        sum(1 for shape in uses.sharing for _ in shape.stores(target.attr)) == 1
        and not uses.outside.sets.get(target.attr)
        for target in own
    )
    is_lock = not names("locks").isdisjoint(uses.kind.constructors)
    return is_lock and store.always and len(own) == len(targets) and all(set_once)


def _differ(uses: AttributeUses) -> bool:
    """The statements that make it say different things, also in terms of what the copy knows."""
    if any(hazard.store.owner is not uses.shape for hazard in uses.hazards):
        return True
    recreators = (_recreator(uses, hazard.store, hazard.made) for hazard in uses.hazards)
    return len({recreator.recreation().lines for recreator in recreators}) > 1
