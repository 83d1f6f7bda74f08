"""What objects of classes that are not in sight keep by habit: `Pairs(root, transform=f)` keeps `f` for each item.

`Clouds(root, network_fn=make)` may as well call `make` at once and keep what it gives, so that nothing is sent.
"""

from __future__ import annotations

import re
import sys

from ...finding import Confidence
from ..facts.records import Call
from ..solve.heap import CONTAINER, FOREIGN, FUNCTION, OBJECT, PERHAPS_KEPT
from ..solve.hierarchy import BAGS
from ..solve.solution import Solution
from .trace import Reasons

_PARTIAL = "functools.partial"
# words of the names of arguments that are called for each item or batch
_PER_ITEM = frozenset(
    ["transform", "transforms", "tform", "tfm", "tfms", "preprocess", "preprocessing", "preprocessor", "postprocess",
     "process", "processing", "processor", "augment", "augmentation", "augmentations", "augmentor", "aug", "augs",
     "normalize", "normalise", "tokenize", "tokenizer", "collate", "collater", "collator", "filter", "map", "mapper",
     "loader", "reader", "read", "open", "decode", "parse", "parser", "encode", "fn", "func", "function", "callable",
     "key", "valid", "pipeline", "worker"]
)  # fmt: skip
_PLAIN = frozenset({"fn", "func", "function"})  # alone; in `network_fn` the other word says what it is


class ByHabit:
    """Answers for the traces of one solution."""

    def __init__(self, solution: Solution) -> None:
        self.solution = solution

    def surest(self, number: int, reasons: Reasons) -> Confidence:
        """How sure it can be at most that the value crosses, by the objects that it is given to on its way."""
        values = self.solution.heap.values
        alone = values[number].kind == FUNCTION  # until an object has it: that is a thing to keep
        without = alone and not self.solution.program.functions[int(values[number].a)][1].parameters
        surest = Confidence.PROVEN
        while reasons[number].parent >= 0:
            contents, keeper = reasons[number].node, reasons[number].parent
            if values[keeper].kind == OBJECT and values[keeper].a == PERHAPS_KEPT:
                made = [each for each in self._made(contents, keeper) if not self._is_known(*each)]
                names = {name for each in made for name in self._given(number, *each)}
                if alone and names and (without or not any(map(_is_per_item, names))):
                    return Confidence.POSSIBLE
                surest = Confidence.LIKELY if names else surest
            packed = values[keeper].kind == CONTAINER or (
                values[keeper].kind == OBJECT and values[keeper].a == _PARTIAL
            )
            alone, number = alone and packed, keeper
        return surest

    def _is_known(self, offset: int, call: Call) -> bool:
        """Of what is called here the table, or Python's own library, says what it keeps."""
        heap, table = self.solution.heap, self.solution.program.table
        held = (heap.values[number] for number in heap.holds[call.function + offset])
        names = [table.canonical(str(value.a)) for value in held if value.kind == FOREIGN]
        return any(
            name in BAGS or name.partition(".")[0] in sys.stdlib_module_names or table.concerns(name) for name in names
        )

    def _made(self, contents: int, keeper: int) -> list[tuple[int, Call]]:
        heap, program = self.solution.heap, self.solution.program
        file, line = heap.file_of[contents], heap.lines[contents]
        offset = program.offsets[file]
        """The calls, in the file and on the line where the object is made, that make `keeper`."""
        calls = (call for call in program.facts[file].calls if call.position[0] == line)
        return [(offset, call) for call in calls if keeper in heap.holds[call.result + offset]]

    def _given(self, number: int, offset: int, call: Call) -> list[str]:
        """The names of the arguments by which the call gets the value, "" for a place."""
        holds = self.solution.heap.holds
        given = [*(("", node) for node in call.arguments), *call.keywords]
        return [name for name, node in given if node >= 0 and number in holds[node + offset]]


def _is_per_item(name: str) -> bool:
    """By the name of an argument; one without a name may be."""
    words = [word for word in re.split(r"[_\d]+", name.lower()) if word]
    return not words or any(word in _PER_ITEM - _PLAIN for word in words) or (len(words) == 1 and words[0] in _PLAIN)
