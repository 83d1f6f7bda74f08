"""What is known of functions and classes beyond their file, and who uses them within it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Protocol

from ...flow.answers.crossing import Crossing
from ...flow.answers.instance_uses import InstanceUse
from ...flow.answers.introspection import Question
from ...nodes import walk
from ...syntax.scope_data import Use
from .candidate import Unit
from .checks.identity import Identities
from .checks.other_means import Uses


class Known(Identities, Uses, Protocol):
    """What is known of values beyond their file: `flow.graph.Flow`. Positions are those of `ast`."""

    def burdens(self, path: str, class_line: int) -> Sequence[str]:
        """What instances of a class hold that should not be pickled along, in words."""

    def instances(self, path: str, class_line: int) -> Crossing | None:
        """How instances of a class cross."""

    def asked(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Where a function is asked for what only functions have."""

    def carried(self, path: str, line: int, column: int) -> Sequence[str]:
        """What heavy things a function reads, in words."""

    def deep_copied(self, path: str, line: int, column: int) -> str | None:
        """`path:line` of a `copy.deepcopy` of what holds a function."""

    def given(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Calls of a function, each with how many arguments it gives by position ("*" for who knows how many,
        `UNKNOWN` for those that a process gets in a tuple)."""

    def passed(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Where a function is copied by `copy.copy`, or is what a thread without a name runs."""

    def instance_shown(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Where an object of a local class becomes a text."""

    def called(self, path: str, line: int, column: int) -> Sequence[Question]:
        """Names at module level that hold a function."""


class Unknown:
    """Nothing is known."""

    def burdens(self, path: str, class_line: int) -> Sequence[str]:
        """None."""
        return ()

    def instance_uses(self, path: str, class_line: int) -> Sequence[InstanceUse]:
        """None."""
        return ()

    def asked(self, path: str, line: int, column: int) -> Sequence[Question]:
        """None."""
        return ()

    def instances(self, path: str, class_line: int) -> Crossing | None:
        """None."""
        return None

    def carried(self, path: str, line: int, column: int) -> Sequence[str]:
        """None."""
        return ()

    def deep_copied(self, path: str, line: int, column: int) -> str | None:
        """None."""
        return None

    given = called = passed = instance_shown = identities = class_identities = instance_identities = asked


def outside_uses(unit: Unit, moving: Iterable[Unit]) -> list[Use]:
    """Where the unit's name is read by code that stays."""
    if unit.variable is None:
        return []
    inside = {id(node) for other in moving for node in walk(other.node)}
    return [use for use in unit.variable.scope.uses.get(unit.variable.name, []) if id(use.node) not in inside]
