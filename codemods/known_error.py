"""What the words of an error say about its cause: the rows that rules and `diagnose` are made of."""

from __future__ import annotations

from dataclasses import dataclass

# Parts of patterns. The words drift from one Python to the next, so names and types are written in several ways.
TYPE_IN_ERROR = r"(?:_io\.)?(?P<type>[\w.<>]+)"
NAME_IN_ERROR = r"(?:'(?P<name>[^']+)'|<function (?P<name2>\S+) at 0x\w+>|<class '(?P<name3>[^']+)'>)"


@dataclass(frozen=True)
class KnownError:
    """A family of errors that have one cause, recognised by their words.

    `pattern` is searched for in the line of the error; its groups `type` and `name` (`name2`, `name3`) are the type of
    the value and the qualified name of a function, class or variable.
    """

    pattern: str
    cause: str
    advice: str
    general: bool = False  # tried after all others: its words are part of theirs
    secondary: bool = False  # the error that matters is another one, elsewhere
    named_only: bool = False  # of the rule's findings only those whose line has the name that the error gives
    in_own_code: str = ""  # one line for the user's own code ({0}: path of the value) where the class is installed
    source: tuple[tuple[str, str], ...] = ()  # (pattern of the type, pattern of the line or message of a finding)
