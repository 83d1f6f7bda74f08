"""Answers of the value flow that are noted, and those of an earlier run that are used again without a solution."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, ParamSpec, Protocol, TypeVar

if TYPE_CHECKING:
    from ...reads import Notes, Question

P = ParamSpec("P")
T = TypeVar("T")


class Recorder:
    """`known`: the answers that need not be found again, by question; `asked`: what else they depend on."""

    def __init__(
        self, notes: Notes | None = None, known: Mapping[Question, Any] | None = None, asked: Iterable[Question] = ()
    ) -> None:
        self._notes, self._known, self._asked = notes, known or {}, tuple(asked)

    def answer(self, question: Question, find: Callable[[], Any]) -> Any:
        """The answer to `question`, which `find` would give."""
        found = self._known[question] if question in self._known else find()
        if self._notes is not None and self._notes.reads is not None:
            self._notes.reads.answers[question] = found
            self._notes.reads.asked.update(self._asked)
        return found


class Recorded(Protocol):
    """Whose answers are recorded."""

    recorder: Recorder


S = TypeVar("S", bound=Recorded)


def recorded(ask: Callable[Concatenate[S, P], T]) -> Callable[Concatenate[S, P], T]:
    """A method whose answers are recorded: they are values that can be compared and stored, and hold no node number."""

    @functools.wraps(ask)
    def asked(of: S, /, *args: P.args, **kwargs: P.kwargs) -> T:
        assert not kwargs, "by position: it is part of the question"
        answer: T = of.recorder.answer((ask.__name__, *args), lambda: ask(of, *args, **kwargs))
        return answer

    return asked
