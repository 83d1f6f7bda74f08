"""`__getstate__` and `__setstate__` of a class: what they must say about its attributes, and the edits for it."""

from __future__ import annotations

import ast
import enum
import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from ....finding import Edit, Refused
from ....nodes import end_line, end_place
from ....syntax.names import last_name
from ....syntax.outline import Outline
from ....syntax.placement import first_attached_line, last_line
from ....tree.source import Source
from ..classes import Method, Shape
from ..existing_state import holds_items, returned_state, updated_from
from ..family import Family
from ..slots import Slots, given_back, slots_of
from .opened_once import opened_once
from .rebuild_expression import Stash
from .recreate import Recreation
from .stash_places import stash_places

_SETS = re.compile(r"^(\s*)self\.(\w+) = ", re.MULTILINE)


class Form(enum.Enum):
    """What the copy gets."""

    ALWAYS = "recreated, whatever the state"
    CLOSED = "recreated, and closed again where the original is"
    MAYBE = "recreated where the original had one, else None"
    POSITION = "opened anew, where the original stood"
    CARRIED = "recreated, and then set or filled as the original is"
    FILLED = "recreated or filled again where the original had one"
    FLAGGED = "recreated where an attribute says that it was opened, else what the original has"
    LAZY = "None; the class itself opens it when needed"
    NAMED = "the one of the same name"
    DROP = "nothing"


# what the copy is told; a tensor itself would be sent by a file that may be gone when it is read
_CARRIED = {"is_set": "{}.is_set()", "queue": "list({}.queue)", "numbers": "{}.get_state().numpy()"}
_WHERE_IT_WAS = (Form.MAYBE, Form.FILLED)


@dataclass(frozen=True)
class Treatment:
    """How one attribute of a class crosses. `line` orders them; `sure`: every object has the attribute."""

    attribute: str
    key: str
    form: Form
    line: int
    sure: bool
    again: Recreation | None = None
    open_test: str = ""
    never_none: bool = False
    empty: str = "None"
    closes: str = "close"
    carries: str = ""
    torch: str = "torch"  # what the file calls that module
    named_by: str = "name"  # the attribute that has the name
    gone: str = ""  # the path in what opens it, where the file may be gone once it is closed
    first: tuple[str, ...] = ()  # what makes it before `open_test` is asked
    otherwise: tuple[str, ...] = ()  # what makes it where `open_test` is false


def edits(family: Family, shape: Shape, treatments: Sequence[Treatment], inherited: frozenset[str]) -> list[Edit]:
    """The edits that make objects of `shape` leave home without these attributes and make them anew.

    `inherited`: which of `__getstate__` and `__setstate__` base classes have (or will have). Raises Refused.
    """
    source = family.repo.project.source(shape.outline.path)
    assert source is not None
    treatments = sorted(treatments, key=lambda each: each.line)
    slots = slots_of(family, shape)
    _check_slots(family, shape, slots, treatments)
    found = [edit for stash in _stashes(shape.outline, treatments) for edit in _stash(source, stash)]
    step = _step(source, shape)
    remade = [treatment for treatment in treatments if treatment.again is not None]
    always = [item.again for item in remade if item.again and item.form not in _WHERE_IT_WAS]
    imports = list(dict.fromkeys(line for again in always for line in again.imports))
    new: list[list[str]] = []
    existing = shape.methods.get("__getstate__")
    name = "state" if existing is None else returned_state(existing)
    keeps_order = family.shown(shape) is not None
    get = _joined(_leaves(treatment, step, name, keeps_order) for treatment in treatments)
    if existing is not None:
        found.append(_before_return(source, existing, get))
    else:
        taken = "super().__getstate__()" if "__getstate__" in inherited else "self.__dict__.copy()"
        taken = slots.taken() if slots is not None else taken
        if "live" in inherited:  # what the base class gives is its own dict
            taken = f"dict({taken})"
        why = "# what can't be pickled; __setstate__ makes it anew" if remade else "# can't be pickled"
        if all(treatment.named_by == "__name__" for treatment in treatments):
            why = "# a module can't be pickled; __setstate__ imports it by its name"
        if treatments[0].form is Form.LAZY and not remade:
            why += "; opened again where it is needed"
        body = [f"state = {taken}", why, *get, "return state"]
        new.append(["def __getstate__(self):", *(step + line for line in body)])
    existing_put = shape.methods.get("__setstate__")
    filled = "state" if existing_put is None else updated_from(existing_put)
    plain = {item.attribute: item.again.lines for item in remade if item.again and item.form is Form.ALWAYS}
    lone = {name: lines[0] for name, lines in plain.items() if len(lines) == 1}
    remakes = {item.attribute: _remake(item, step, filled) for item in remade}
    used = "\n".join(["self", "state", filled, *imports, *(line for lines in remakes.values() for line in lines)])
    put = _joined((remakes | opened_once(shape, lone, used)).values())
    put += [line for item in remade if item.form is Form.CLOSED for line in _close(item, step, filled)]
    if any(other.once(_is_frozen) for other in family.hierarchy(shape)):
        put = [_SETS.sub(r'\1self.__dict__["\2"] = ', line) for line in put]
    if put and existing_put is not None:
        found.append(_at_end(source, existing_put, [*imports, *put]))
    elif put:
        restore = ["super().__setstate__(state)" if "__setstate__" in inherited else "self.__dict__.update(state)"]
        restore = given_back(step) if slots is not None else restore
        body = [*imports, *([""] if imports else []), *restore, *put]
        new.append(["def __setstate__(self, state):", *(step + line if line else "" for line in body)])
    if new and existing is None and family.outside(shape).copied and not _has_copy(family, shape):
        if (base := holds_items(family.foreign(shape))) is not None:
            raise Refused(
                f"`copy.copy` copies objects of the class, which share the attribute and, as each `{base}`, have "
                "items; write a `__copy__` that copies both, then the state methods"
            )
        shares = ["other = self.__class__.__new__(self.__class__)", _state_of_bases(family, shape)]
        body = ["# `copy.copy` shares what can't be pickled", *shares, "return other"]
        new.append(["def __copy__(self):", *(step + line for line in body)])
    if new:
        found.append(_methods(source, shape, new))
    return found


def _check_slots(family: Family, shape: Shape, slots: Slots | None, treatments: Iterable[Treatment]) -> None:
    """Raises Refused where objects that have slots alone would need one more, or are copied."""
    if slots is None:
        return
    kept = {stash.name for each in treatments if each.again is not None for stash in each.again.stashes}
    if kept - slots.names:
        raise Refused(f"`__slots__` has no place for `{min(kept)}`, from which it would be opened again: add that")
    if family.outside(shape).copied or not any(each.again is not None for each in treatments):
        raise Refused("the class has `__slots__`, so its state is no plain dict; write the state methods yourself")


def _state_of_bases(family: Family, shape: Shape) -> str:
    """The line by which `other` gets what `copy.copy` gave it: by the state methods that base classes have already."""
    bases = [other.methods for other in family.line(shape) if other is not shape]
    state = "super().__getstate__()" if any("__getstate__" in methods for methods in bases) else "self.__dict__"
    if any("__setstate__" in methods for methods in bases):
        return f"super({shape.node.name}, other).__setstate__({state})"
    return f"other.__dict__.update({state})"


def _has_copy(family: Family, shape: Shape) -> bool:
    return any("__copy__" in other.methods for other in family.line(shape))


def _is_frozen(shape: Shape) -> bool:
    """A frozen dataclass, or a `__setattr__` of its own, which may refuse or do more: the `__dict__` takes all."""
    if "__setattr__" in shape.methods:
        return True
    marks = [mark for mark in shape.node.decorator_list if isinstance(mark, ast.Call)]
    given = [keyword for mark in marks if last_name(mark.func) == "dataclass" for keyword in mark.keywords]
    return any(keyword.arg == "frozen" and getattr(keyword.value, "value", True) for keyword in given)


def _joined(parts: Iterable[list[str]]) -> list[str]:
    """The lines of all parts; those that follow each other under the same `if` share it."""
    lines: list[str] = []
    head = ""
    for part in parts:
        lines += part[1:] if part[0] == head and head.startswith("if self.") else part
        head = part[0] if not any(line.startswith("else:") for line in part) else ""
    return lines


def _leave(each: Treatment, state: str) -> str:
    """The line of `__getstate__`, which fills `state`."""
    now, place = f"self.{each.attribute}", f'{state}["{each.key}"]'
    if each.form in (Form.LAZY, Form.FILLED):
        return f"{place} = {each.empty}"
    if each.form is Form.POSITION:
        return f"{place} = {now}.tell()"
    if each.form is Form.CARRIED:
        return f"{place} = {_CARRIED[each.carries].format(now)}"
    if each.form is Form.NAMED and each.never_none:
        return f"{place} = {now}.{each.named_by}"
    if each.form is Form.NAMED:
        return f"{place} = None if {now} is None else {now}.{each.named_by}"
    if each.form is Form.CLOSED:
        return f"{place} = {each.open_test}"
    if each.form is Form.MAYBE:
        there = f"{now} is not None"
        if each.open_test:
            there = each.open_test if each.never_none else f"{there} and {each.open_test}"
        return f"{place} = {there}"
    return f"del {place}" if each.sure else f'{state}.pop("{each.key}", None)'


def _leaves(each: Treatment, step: str, state: str, keeps_order: bool) -> list[str]:
    """The lines of `__getstate__`: what an object does not have, its copy does not get.

    `keeps_order`: the copy has its attributes in the same order.
    """
    line = _leave(each, state)
    if each.form is Form.FLAGGED and not (each.first or each.otherwise):
        return [f"if {each.open_test}:", step + line]
    if keeps_order and each.sure and each.again is not None and line.startswith("del "):
        return [f"{line.removeprefix('del ')} = None"]
    if each.form in _WHERE_IT_WAS and not each.sure:
        return [f'if "{each.key}" in {state}:', step + line]
    return [line]


def _remake(each: Treatment, step: str, state: str) -> list[str]:
    """Lines of `__setstate__`, whose parameter is `state`."""
    assert each.again is not None
    lines = list(each.again.lines)
    place = f'{state}["{each.key}"]'
    if each.form is Form.POSITION:
        return [*lines, f"self.{each.attribute}.seek({place})"]
    if each.form is Form.CARRIED and each.carries == "is_set":
        return [*lines, f"if {place}:", f"{step}self.{each.attribute}.set()"]
    if each.form is Form.CARRIED and each.carries == "numbers":
        return [*lines, f"self.{each.attribute}.set_state({each.torch}.from_numpy({place}))"]
    if each.form is Form.CARRIED:
        return [*lines, f"for item in {place}:", f"{step}self.{each.attribute}.put(item)"]
    if each.form is Form.CLOSED and each.gone:  # what is closed is no file in particular
        lines[0] = lines[0].replace(each.gone, f"{each.gone} if {place} else os.devnull", 1)
    if each.form is Form.NAMED:
        lines = [line.format(place) for line in lines]
        return lines if each.never_none else [f"if {place} is not None:", *(step + line for line in lines)]
    if each.form is Form.FLAGGED:
        lines = [f"if {each.open_test}:", *_indented(lines, step)]
        return [*each.first, *lines, *(["else:", *_indented(each.otherwise, step)] if each.otherwise else [])]
    if each.form is Form.MAYBE:
        lines = _maybe(each, step, place)
        if not each.sure:
            return _where_it_was(each, step, state, lines)
    if each.form is Form.FILLED:
        lines = [*each.again.imports, *_visible(each), *lines]
        return _where_it_was(each, step, state, lines)
    return lines


def _indented(lines: Iterable[str], step: str) -> list[str]:
    return [step + line.replace("\n", f"\n{step}") for line in lines]


def _visible(each: Treatment) -> list[str]:
    """`self.f = lru_cache(8)(self.f)`: what the state has under that name hides the method."""
    assert each.again is not None
    made_from = each.again.lines[0].partition("=")[2]
    return [f"del self.{each.attribute}"] if re.search(rf"\bself\.{each.attribute}\b", made_from) else []


def _where_it_was(each: Treatment, step: str, state: str, lines: Iterable[str]) -> list[str]:
    return [f'if "{each.key}" in {state}:', *_indented(lines, step)]


def _maybe(each: Treatment, step: str, place: str) -> list[str]:
    """Makes it anew where the original had one, and None where that had None."""
    assert each.again is not None
    lines = list(each.again.lines)
    short = f"self.{each.attribute} = {each.again.value} if {place} else None"
    visible = _visible(each)
    if (
        each.again.value
        and not each.again.imports
        and not visible
        and "\n" not in short
        and " if " not in each.again.value
        and len(short) < 100
    ):
        return [short]
    body = _indented((*each.again.imports, *visible, *lines), step)
    return [f"if {place}:", *body, "else:", f"{step}self.{each.attribute} = None"]


def _close(each: Treatment, step: str, state: str) -> list[str]:
    """Lines at the end of `__setstate__`: others may be made from it while it is open."""
    return [f'if not {state}["{each.key}"]:', f"{step}self.{each.attribute}.{each.closes}()"]


# writing


def _step(source: Source, shape: Shape) -> str:
    """One level of indentation, as the class has it."""
    for method in shape.methods.values():
        inner = source.line_text(method.body[0].lineno)[: method.body[0].col_offset]
        outer = source.line_text(method.lineno)[: method.col_offset]
        if method.body[0].lineno != method.lineno and not inner.strip() and inner.startswith(outer) and inner != outer:
            return inner[len(outer) :]
    return "    "


def _stashes(outline: Outline, treatments: Sequence[Treatment]) -> list[Stash]:
    found: dict[tuple[str, str], list[Stash]] = {}
    for treatment in treatments:
        for stash in treatment.again.stashes if treatment.again is not None else ():
            same = found.setdefault((stash.name, stash.text), [])
            if any(known.argument is not stash.argument for known in same):
                raise Refused(
                    f"two attributes are opened with `{stash.text}`, each with a value of its own; store those values "
                    "under names of your own"
                )
            same.append(stash)
    names = [name for name, _ in found]
    if len(set(names)) < len(names):
        raise Refused(
            "two attributes need the same name for what they are opened with; store those "
            "values under names of your own"
        )
    return [
        replace(same[0], statement=place)
        for (_, text), same in found.items()
        for place in stash_places(outline, text, [each.statement for each in same])
    ]


def _stash(source: Source, stash: Stash) -> list[Edit]:
    start = source.line_starts[first_attached_line(source, stash.statement) - 1]
    indent = source.line_text(stash.statement.lineno)[: stash.statement.col_offset]
    edits = [Edit(source.path, start, start, f"{indent}self.{stash.name} = {stash.text}\n")]
    if (node := stash.argument) is not None:
        first, last = ((node.lineno, node.col_offset), end_place(node))
        edits.append(Edit(source.path, source.offset(*first), source.offset(*last), f"self.{stash.name}"))
    return edits


def _before_return(source: Source, method: Method, lines: list[str]) -> Edit:
    last = method.body[-1]
    indent = source.line_text(last.lineno)[: last.col_offset]
    if indent.strip():
        raise Refused("its `__getstate__` stands on one line; write it on several")
    start = source.line_starts[last.lineno - 1]
    return Edit(source.path, start, start, "".join(f"{indent}{line}\n" for line in lines))


def _at_end(source: Source, method: Method, lines: list[str]) -> Edit:
    last = method.body[-1]
    indent = source.line_text(last.lineno)[: last.col_offset]
    if indent.strip():
        raise Refused("its `__setstate__` stands on one line; write it on several")
    end = _line_end(source, last)
    return Edit(source.path, end, end, "".join(f"\n{indent}{line}" for line in lines))


def _methods(source: Source, shape: Shape, new: list[list[str]]) -> Edit:
    """New methods behind `__init__` (or beside the state method that is there, or at the end of the class)."""
    methods = shape.methods
    after = (
        methods.get("__getstate__") or methods.get("__init__") or methods.get("__post_init__") or shape.node.body[-1]
    )
    before = methods.get("__setstate__")
    place = before or after
    indent = source.line_text(place.lineno)[: place.col_offset]
    if indent.strip():
        raise Refused("the class stands on one line; write it on several")
    blocks = ["".join(f"{indent}{line}\n" if line else "\n" for line in block) for block in new]
    if before is not None:
        line = min([before.lineno, *(mark.lineno for mark in before.decorator_list)])
        start = source.line_starts[line - 1]
        return Edit(source.path, start, start, "\n".join(blocks) + "\n")
    last = last_line(source, after)
    end = source.line_starts[last - 1] + len(source.line_text(last))
    below = last + 1
    gap = "\n" if below <= len(source.line_starts) and source.line_text(below).strip() else ""
    return Edit(source.path, end, end, "\n\n" + "\n".join(blocks).removesuffix("\n") + gap)


def _line_end(source: Source, statement: ast.stmt) -> int:
    """Offset behind the last character of the line on which `statement` ends; a comment there stays with it."""
    last = end_line(statement)
    return source.line_starts[last - 1] + len(source.line_text(last))
