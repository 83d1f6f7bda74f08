"""Reasons why what an attribute refers to can't be made again: it was changed, moved, or others keep it too."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from ....finding import Refused
from ....flow.answers.crossings import flow_of
from ....syntax.contents import hands_on_parts
from ....syntax.file_tree import position
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.unpicklable_table import Remedy
from ..classes import Method, Shape
from ..data import names
from .attribute_uses import AttributeUses, Hazard
from .called_before import early_uses, is_called_before
from .closed_outside import closed_outside
from .mutation import elements, first_touch, leading_words, methods_called, named, sets_up, touch
from .outside import SETS_TO_NONE

_CONNECT = "connect in each process that uses it; one in memory is not shared: send its rows"


def check_outside(uses: AttributeUses) -> None:
    """Raises Refused where code outside of the class has set or changed it by the time the object crosses.

    Not where it does nothing but set it to None, see `check_not_cleared`.
    """
    place = uses.outside.sets.get(uses.attribute)
    how = uses.outside.takes_away(uses.attribute, place) if place is not None else ""
    is_cleared = uses.outside.only_clears(uses.attribute)
    if how and not is_cleared:
        raise _back_again(f"{place} {how}")
    if place is not None and not is_cleared:
        raise Refused(f"{place} sets it from outside, and a new one would not be that; give it to the constructor")
    before = uses.outside.before(uses.attribute)
    what = uses.outside.touch(uses.attribute, uses.kind, uses.recogniser, before)
    if what is not None and not uses.kind.carries:
        raise Refused(f"{what}, and a new one would not have that; do it in the process that uses it")
    if (place := closed_outside(uses)) is not None:
        raise Refused(f"{place} closes it, and a new one would be open; do it in the process that uses it")
    for outline, node in uses.outside.reads(uses.attribute) if uses.kind.setup else ():
        if (what := sets_up(outline, node, uses.kind)) is not None:
            where = f"{outline.path}:{node.lineno}"
            raise Refused(f"{where} {what}, and a new one would not have that; do it right after it is opened")


def check_not_cleared(uses: AttributeUses) -> None:
    """Raises Refused where code outside of the class sets it to None, for a form that does not ask whether it is."""
    if uses.outside.only_clears(uses.attribute):
        raise _back_again(f"{uses.outside.sets[uses.attribute]} {SETS_TO_NONE}")


def _back_again(what: str) -> Refused:
    return Refused(f"{what} from outside, and a copy would have it again; let a method of the class set it to None")


_DATA = frozenset({"device"})  # of a generator of torch
_CONTAINERS = frozenset({"dict", "list", "tuple", "set", "frozenset", "deque"})


def check_kept_elsewhere(uses: AttributeUses) -> None:
    """Another object, or a bound method, holds it as well."""
    one = uses.kind.carries == "numbers" or not names("locks").isdisjoint(uses.kind.constructors)
    if one and (place := _kept_by_others(uses)) is not None:
        raise Refused(f"{place} keeps it too, and a copy would have two; let one of them own it")
    for shape, _, node in uses.reads:
        outline = shape.outline
        above = outline.parents[node]
        statement = outline.statement(node)
        if not isinstance(statement, ast.Assign):
            continue
        if not any(isinstance(target, ast.Attribute) for target in statement.targets):
            continue
        method = above.attr if isinstance(above, ast.Attribute) and above is statement.value else ""
        if method in names("reading_methods") or (method and one and method not in _DATA):
            raise Refused(f"line {node.lineno} keeps its method `{method}` too; call it through the attribute")
        if _is_element(statement.value, node) and any(hazard.made.nested for hazard in uses.hazards):
            raise Refused(f"line {node.lineno} keeps one of them under another name too; let the container own it")
        nested = [hazard.made.within for hazard in uses.hazards if hazard.made.nested]
        other = any(getattr(target, "attr", "") != uses.attribute for target in statement.targets)
        handed = nested and other and hands_on_parts(statement.value, node, "dict" in nested)
        if handed and not uses.recogniser.made(outline, statement.value):
            raise Refused(f"line {node.lineno} keeps what is in it under another name too; let one of them own it")
        call = above
        while isinstance(call, (ast.keyword, ast.List, ast.Tuple, ast.Dict, ast.Starred)):
            call = outline.parents[call]
        if isinstance(call, ast.Call) and node is not call.func:
            name = last_name(call.func)
            walks = name in names("iterators") and call is statement.value
            keeps = name[:1].isupper() or name == "partial" or walks or (name in _CONTAINERS and call is not above)
            if keeps and not uses.recogniser.made(outline, call):
                raise Refused(f"line {node.lineno} passes it to `{name}`, which keeps it too; let one of them own it")


def _kept_by_others(uses: AttributeUses) -> str | None:
    """The place where an object of another class that is sent gets it: `self.lock = rows.lock`, `rows.get_lock()`."""
    flow = flow_of(uses.family.repo.project)
    getters = {method.name for shape, method, node in uses.reads if isinstance(shape.outline.parents[node], ast.Return)}
    for name in (uses.attribute, *sorted(getters)):
        for outline, node in (*uses.outside.reads(name), *_of_others(uses, name)):
            value: ast.AST = node
            call = outline.parents[node]
            if name != uses.attribute and isinstance(call, ast.Call) and call.func is node:
                value = call
            statement = outline.statement(node)
            if isinstance(statement, (ast.Assign, ast.AnnAssign)) and statement.value is value:
                targets = statement.targets if isinstance(statement, ast.Assign) else [statement.target]
                owner = outline.owner(node)
                sent = owner is None or flow.instances(outline.path, owner.lineno) is not None
                if sent and any(isinstance(target, ast.Attribute) for target in targets):
                    return f"{outline.path}:{node.lineno}"
    return None


def _of_others(uses: AttributeUses, name: str) -> Iterator[tuple[Outline, ast.Attribute]]:
    """Reads of `name` on attributes of other objects: `self.rows.lock`, where `self.rows` may be of the class."""
    makes = {shape.node.name for shape in uses.sharing} | {uses.shape.node.name}
    for outline in uses.family.repo.mentioning(name):
        for node in outline.attributes.get(name, ()):
            if isinstance(node.ctx, ast.Load) and isinstance(node.value, ast.Attribute):
                holder = node.value
                stores = uses.recogniser.stores(outline, holder) if outline.is_self(holder.value) else []
                if any(isinstance(value, ast.Call) and last_name(value.func) in makes for _, value in stores):
                    yield outline, node


def check_class_stays(uses: AttributeUses) -> None:
    """Raises Refused where objects get another class, without the state methods that this one would have."""
    below = {shape.node for shape in (uses.shape, *uses.family.derived(uses.shape))}
    for shape in uses.hierarchy:
        for _, node in shape.selves.get("__class__", []):
            value = getattr(shape.outline.statement(node), "value", None)
            if isinstance(node.ctx, ast.Load) or value is None:
                continue
            given = uses.family.repo.resolver.classes(shape.outline, value)
            if not given or any(made not in below for _, made in given):
                raise Refused(
                    f"line {node.lineno} gives its objects another class, which would not have the state methods: "
                    "write them yourself, for both"
                )


def check_elements(uses: AttributeUses) -> None:
    """Raises Refused where what a container holds is changed before the object crosses."""
    for shape, method, node in uses.reads:
        if method.name in uses.pre_transfer_methods:
            changed = first_touch(shape.outline, elements(shape.outline, node), uses.kind)
            if changed is not None:
                raise Refused(f"{changed}, and a new one would not have that; do it where it is used")


def check_writes(uses: AttributeUses) -> None:
    kind = uses.kind
    reopened = kind.remedy is Remedy.REOPEN
    for shape, method, node in uses.reads:
        above = shape.outline.parents[node]
        early = method.name in uses.pre_transfer_methods or method.name in uses.outside.called
        if (called := uses.called(node, shape)) is not None:
            name, call = called
            sets = name in kind.setup
            repeated = sets and (_is_repeated(uses, call, shape) or _is_repeated_with(uses, call, shape, method))
            if sets and early and not repeated and name not in kind.stands:
                lacks = f"line {node.lineno} sets it up (`{name}`), which would not be done to a new one"
                raise Refused(f"{lacks}; do it right after it is created")
            if name in kind.stands and (reopened or early) and not repeated and not kind.carries:
                what = "writes to it" if reopened else "fills or sets it"
                lacks = f"line {node.lineno} {what} (`{name}`), which a new one would not have"
                raise Refused(f"{lacks}; make it in the process that does that")
            given = [*call.args, *(keyword.value for keyword in call.keywords)]
            says = leading_words(given[0]) if name in ("execute", "executemany") and given else ""
            if says.startswith(tuple(names("sql_writes"))):
                raise Refused(f"line {node.lineno} writes to the database; {_CONNECT}")
            if any(keyword.arg == "write" and getattr(keyword.value, "value", True) for keyword in call.keywords):
                raise Refused(f"line {node.lineno} writes to it; open it in the process that writes")
        elif reopened and isinstance(above, ast.Attribute) and above.attr in kind.stands:
            raise Refused(
                f"line {node.lineno} passes its `{above.attr}` on, which writes to it; open it where it is written"
            )
        puts = any(hazard.store.target is node for hazard in uses.hazards)
        if early and not kind.carries and (changed := _changed_by_another_name(uses, shape, method, node)) is not None:
            raise Refused(f"{changed}, and a new one would not have that; do it right after it is created")
        if isinstance(above, ast.Subscript) and not isinstance(above.ctx, ast.Load) and reopened and not puts:
            lacks = f"line {node.lineno} writes to it, which a new one would not have"
            raise Refused(f"{lacks}; make it in the process that does that")
        sets = isinstance(above, ast.Attribute) and not isinstance(above.ctx, ast.Load)
        if sets and _adds_up(uses, shape, above):
            raise Refused(f"line {node.lineno} goes on from what was there before, which a new one would not have")
        if not sets or _is_repeated(uses, above, shape) or _on_demand_inside(uses, above):
            continue
        if early or (uses.kind.filled and is_called_before(uses, method.name)):
            there = any(_statement_after(hazard) is shape.outline.statement(node) for hazard in uses.hazards)
            how = "keep that on the object itself" if there else "do it right after it is created"
            raise Refused(f"line {node.lineno} sets an attribute on it, which a new one would not have; {how}")


def _statement_after(hazard: Hazard) -> ast.AST | None:
    """What is done right after it is created."""
    block = hazard.store.owner.block(hazard.store.statement)
    at = block.index(hazard.store.statement) if hazard.store.statement in block else len(block)
    return block[at + 1] if at + 1 < len(block) else None


def is_filled(uses: AttributeUses) -> bool:
    """An event or queue, which somebody may have set or filled when the object crosses: the copy can be told."""
    return bool(uses.kind.carries) and _filled(uses) is not None


def check_not_filled(uses: AttributeUses) -> None:
    """Raises Refused for an event or queue that is set or filled, where the copy can't be told."""
    what = _filled(uses) if uses.kind.carries else None
    if what is not None:
        raise Refused(f"{what}, which a new one would not have; set the attribute once, in `__init__`")


def _filled(uses: AttributeUses) -> str | None:
    """What may set the event or fill the queue, in words."""
    what = uses.outside.touch(uses.attribute, uses.kind, uses.recogniser, early_uses(uses))
    for shape, method, node in uses.reads:
        called = uses.called(node, shape)
        if called is not None and called[0] in uses.kind.stands:
            return f"line {node.lineno} fills or sets it (`{called[0]}`)"
        above = shape.outline.parents[node]
        if called is None and isinstance(above, ast.Attribute) and above.attr in uses.kind.stands:
            return f"line {node.lineno} passes its `{above.attr}` on"
        what = what or _changed_by_another_name(uses, shape, method, node)
    return what


def _adds_up(uses: AttributeUses, shape: Shape, target: ast.AST) -> bool:
    """`self.local.calls += 1`: each use goes on from what the one before has left."""
    statement = shape.outline.statement(target)
    if not uses.kind.filled or not isinstance(target, ast.Attribute):
        return False
    value = ast.unparse(statement.value) if isinstance(statement, ast.Assign) else ""
    read = (f"{uses.text}.{target.attr}", f"getattr({uses.text}, '{target.attr}'")
    return isinstance(statement, ast.AugAssign) or any(text in value for text in read)


def _changed_by_another_name(uses: AttributeUses, shape: Shape, method: Method, node: ast.Attribute) -> str | None:
    """A local name for it, or the parameter of a function that gets it, is used to change it; in words."""
    outline, above = shape.outline, shape.outline.parents[node]
    if isinstance(above, ast.Assign):
        names = [target.id for target in above.targets if isinstance(target, ast.Name)]
        reads = [read for name in names for read in named(outline, method, name)]
        return first_touch(outline, [read for read in reads if position(read) > position(node)], uses.kind)
    if isinstance(above, ast.Call) and node in above.args:
        for where, function in uses.recogniser.functions(outline, above):
            arguments = [*function.args.posonlyargs, *function.args.args]
            skipped = isinstance(above.func, ast.Attribute)
            at = above.args.index(node) + skipped
            if at < len(arguments):
                return first_touch(where, named(where, function, arguments[at].arg), uses.kind)
    return None


def _is_repeated(uses: AttributeUses, target: ast.AST, shape: Shape) -> bool:
    """It stands among the statements right after the construction, which the copy repeats."""
    statement = shape.outline.statement(target)
    store = uses.hazards[0].store
    return (
        not uses.kind.filled
        and any(item is statement for item in shape.block(store.statement))
        and position(statement) > position(store.statement)
    )


def _is_repeated_with(uses: AttributeUses, call: ast.Call, shape: Shape, method: Method) -> bool:
    """It stands in a method that is called right after the construction: `self.configure()`."""
    store = uses.hazards[0].store
    block = store.owner.block(store.statement)
    after = block[block.index(store.statement) + 1 :] if store.statement in block else []
    alone = sum(method.name in each.methods for each in uses.hierarchy) == 1
    statement = shape.outline.statement(call)
    above = method.body[: method.body.index(statement)] if statement in method.body else []
    return (
        alone
        and statement in method.body
        and not any(isinstance(node, ast.Return) for each in above for node in ast.walk(each))  # it may not get there
        and method.name in methods_called(after, store.owner.outline)
    )


def _on_demand_inside(uses: AttributeUses, target: ast.AST) -> bool:
    """`self.local.x = ...` where each method that uses `self.local.x` first asks whether it is there."""
    if not uses.kind.filled or not isinstance(target, ast.Attribute):
        return False
    whole = uses.text
    asks = (f"hasattr({whole}, '{target.attr}')", f"getattr({whole}, '{target.attr}', None) is None")
    users = {
        method
        for shape, method, node in uses.reads
        if getattr(shape.outline.parents[node], "attr", None) == target.attr
    }
    return all(any(ask in ast.unparse(method) for ask in asks) for method in users)


def has_moved(uses: AttributeUses, *, text: bool = True) -> bool:
    """It is not at its beginning when it crosses, and that matters. Raises Refused where it is lost.

    `text`: it may be open as text, and then `tell` fails once a loop or `next` has taken a line.
    """
    reading = _Reading.of(uses, text=text)
    if not reading.before or not reading.careless:
        return False
    first, lost = reading.before[0]
    if uses.kind.tell and text and reading.walked_late and not lost:
        raise Refused(
            f"line {first.lineno} reads from it before it is sent, so a copy must go on from there, but a text file "
            f"can't `tell` its position once it is used as an iterator, as line {reading.walked_late[0].lineno} does "
            "or may do; read each line by `readline`"
        )
    if not uses.kind.tell or any(lost for _, lost in reading.before):
        raise Refused(
            f"line {first.lineno} reads from it before it is sent, and line "
            f"{reading.careless[0].lineno} goes on from that position; call `seek` before each read"
        )
    return True


def goes_on(uses: AttributeUses) -> bool:
    """Methods go on from the position where the last one stopped, so that it matters if one runs before it is sent."""
    reading = _Reading.of(uses) if uses.kind.tell else None
    return reading is not None and bool(reading.careless) and not reading.walks


def check_own_position(uses: AttributeUses) -> None:
    """Raises Refused where a method reads on from the position: one that all processes that fork have in common."""
    careless = _Reading.of(uses).careless
    if careless:
        raise Refused(
            f"it has no buffer (`buffering=0`), so forked processes share its position, and line {careless[0].lineno} "
            "goes on from there, where a copy would have a position of its own; call `seek` before each read"
        )


@dataclass(frozen=True)
class _Reading:
    """Where it is read from."""

    before: list[tuple[ast.Attribute, bool]]  # by the time that it crosses; whether that may forbid to ask where it is
    careless: list[ast.Attribute]  # by methods that don't go to a position first
    walks: bool  # by a loop, which forbids to ask for the position
    walked_late: list[ast.Attribute]  # so, by methods of which nothing shows that they run in workers alone

    @classmethod
    def of(cls, uses: AttributeUses, *, text: bool = True) -> _Reading:
        kind, walks = uses.kind, False
        walked_late: list[ast.Attribute] = []
        before: list[tuple[ast.Attribute, bool]] = []
        readers: dict[tuple[ast.ClassDef, str], list[tuple[ast.Attribute, str]]] = {}
        for shape, method, node in uses.reads:
            called, above = uses.called(node, shape), shape.outline.parents[node]
            passed = above.attr if isinstance(above, ast.Attribute) else ""  # `iter(self.file.readline, "")`
            name = called[0] if called is not None else passed
            direct = _is_walked(uses, node, shape)
            handed_on = not direct and (touch(shape.outline, node, kind) or "").startswith("passes it on")
            handed_on = handed_on or _read_by_another_name(uses, shape, method, node)
            walked = bool(kind.moves) and (direct or handed_on)
            walks = walks or walked
            if walked and not (method.name in uses.worker_only_methods and uses.family.is_dataset(uses.shape)):
                walked_late.append(node)
            if name not in kind.moves and not walked:
                continue
            early = method.name in uses.pre_transfer_methods
            if not early or _runs_again(uses, method.name):
                readers.setdefault((shape.node, method.name), []).append((node, name))
            if (
                early
                and name == "seek"
                and called is not None
                and [ast.unparse(arg) for arg in called[1].args] == ["0"]
            ):
                before = []
            elif early or method.name in uses.outside.called:
                before.append((node, handed_on or (walked and text)))
        careless = [reads[0][0] for reads in readers.values() if reads[0][1] not in kind.seeks]
        for outline, node in uses.outside.reads(uses.attribute) if kind.moves else ():
            what = touch(outline, node, kind)
            if what is not None and (before or kind.tell):
                walked = not what.startswith("calls")
                walks = walks or walked
                before.append((node, what.startswith("passes") or (walked and text)))
                careless.append(node)
        return cls(before, careless, walks, walked_late)


def _runs_again(uses: AttributeUses, method: str) -> bool:
    """A method that `__init__` calls is called by others as well, or from outside."""
    callers = {caller for shape in uses.hierarchy for caller in shape.callers(method)}
    return not callers <= uses.pre_transfer_methods or next(uses.outside.elsewhere.reads(method), None) is not None


def _is_walked(uses: AttributeUses, node: ast.Attribute, shape: Shape) -> bool:
    above = shape.outline.parents[node]
    if isinstance(above, (ast.For, ast.comprehension)) and above.iter is node:
        return True
    if isinstance(above, (ast.Starred, ast.YieldFrom)):
        return True
    if isinstance(above, ast.Attribute) and above.attr in ("__next__", "__iter__"):
        return True
    if isinstance(above, ast.Assign) and any(isinstance(target, (ast.Tuple, ast.List)) for target in above.targets):
        return True
    walk = names("iterators") | names("takes_all") | {"next"}
    return isinstance(above, ast.Call) and node in above.args and last_name(above.func) in walk


def _read_by_another_name(uses: AttributeUses, shape: Shape, method: Method, node: ast.Attribute) -> bool:
    """`file = self.file`, and then something reads on from `file`, which does not go to a position first."""
    if not isinstance(shape.outline.parents[node], ast.Assign):
        return False
    what = _changed_by_another_name(uses, shape, method, node)
    return what is not None and not any(f"`{name}`" in what for name in uses.kind.seeks)


def _is_element(value: ast.expr, container: ast.expr) -> bool:
    """`container[k]` or `container.get(k)`."""
    if isinstance(value, ast.Call) and isinstance(value.func, ast.Attribute) and value.func.attr in ("get", "pop"):
        return value.func.value is container
    return isinstance(value, ast.Subscript) and value.value is container
