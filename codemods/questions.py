"""Questions about a project that are worth an answer of their own: plain values, kept between runs.

What a rule finds depends on the answer, not on all that was read for it: after a change the question is asked again,
and where the answer is the same, the rule need not run again.
"""

from __future__ import annotations

import functools
import importlib
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeVar

from .reads import Question

if TYPE_CHECKING:
    from .project import Project

P = ParamSpec("P")
T = TypeVar("T")
_KNOWN: dict[str, Callable[..., Any]] = {}  # by the name that questions begin with
_OURS = re.compile(r"(?:transforms|syntax)(?:\.\w+)+")  # modules that ask


class Asked(Generic[P, T]):
    """Asks the project a question, see `asked`."""

    def __init__(self, find: Callable[Concatenate[Project, P], T]) -> None:
        functools.update_wrapper(self, find)
        self.name = f"{find.__module__.partition('.')[2]}:{find.__name__}"
        self._find = find

    def __call__(self, project: Project, /, *args: P.args, **kwargs: P.kwargs) -> T:
        assert not kwargs, "by position: it is part of the question"
        return project.ask((self.name, *args), lambda: self._find(project, *args, **kwargs))


def asked(find: Callable[Concatenate[Project, P], T]) -> Asked[P, T]:
    """A function of a module: of the project and plain values, with a plain answer that can be compared and stored.

    It reads the project alone: nothing that another question, or a rule, has left in an object of its own.
    """
    question = Asked(find)
    _KNOWN[question.name] = question
    return question


def ask_again(project: Project, question: Question) -> Any:
    """The answer to a question of an earlier run, as it is now. Raises LookupError for what is no question of ours."""
    name, *args = question
    module = str(name).partition(":")[0]
    if name not in _KNOWN and _OURS.fullmatch(module):
        importlib.import_module(f"{__name__.partition('.')[0]}.{module}")
    return _KNOWN[str(name)](project, *args)
