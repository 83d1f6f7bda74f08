"""Classes that a call makes under a name by which pickle finds none: in a function, a class body, or misnamed."""

from __future__ import annotations

from ..facts.records import Call, FileFacts
from .heap import Heap
from .program import Program

_MAKERS = frozenset(
    {"collections.namedtuple", "typing.NamedTuple", "dataclasses.make_dataclass", "enum.Enum", "enum.IntEnum",
     "enum.Flag", "enum.IntFlag", "enum.StrEnum", "type"}
)  # fmt: skip
_SAYS_WHERE = frozenset({"module", "qualname"})  # arguments that may name another place
_SET_THERE = frozenset(
    f"given the attribute `{name}`" for name in ("__qualname__", "__module__", "__reduce__", "__reduce_ex__")
)
_BY_NAME = frozenset({"globals", "setattr", "vars", "locals"})


def is_nameless(program: Program, heap: Heap, name: str, offset: int, call: Call) -> bool:
    """The call of `name` makes a class that its module is not seen to have under the name of the class."""
    if name not in _MAKERS or (name == "type" and len(call.arguments) != 3):
        return False
    file = heap.file_of[call.result + offset]
    facts, own = program.facts[file], call.literals.get(0, call.literals.get("typename"))
    if not isinstance(own, str) and call.scope < 0:
        return False  # a name that is computed, at module level
    if any(word in _SAYS_WHERE for word, _ in call.keywords) or call.double_stars or own in facts.module_names:
        return False
    if any(each.text in _BY_NAME for each in facts.calls) or any(
        what in _SET_THERE for _, what, _ in facts.distinguished
    ):
        return False
    return isinstance(own, str) or not _is_bound(facts)


def _is_bound(facts: FileFacts) -> bool:
    """The module keeps what one of its functions returns under a name, which may be that of a class."""
    functions = {function.name for function in facts.functions}
    returned = {call.result for call in facts.calls if call.scope < 0 and call.text in functions}
    names = {*facts.module_names.values()}
    return any(source in returned and target in names for source, target, _ in facts.edges)
